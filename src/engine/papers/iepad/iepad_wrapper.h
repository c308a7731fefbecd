/* iepad_wrapper.h: IEPAD as an engine of wrappers. Its rules are those of iepad_json.h. */
#ifndef TH_IEPAD_WRAPPER_H
#define TH_IEPAD_WRAPPER_H

#include "wrapper/engine.h"

extern const th__engine th__iepad_engine;

#endif
