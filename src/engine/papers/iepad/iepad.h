/* iepad.h: the engine as others see it: th__iepad_find, th__iepad_learn, th__iepad_run,
 * th__iepad_records, and rules to and from JSON. */
#ifndef TH_IEPAD_H
#define TH_IEPAD_H

#include "engine/papers/iepad/iepad_json.h"
#include "engine/papers/iepad/iepad_learn.h"
#include "engine/papers/iepad/iepad_rule.h"

#endif
