/* stalker_wrapper.h: STALKER as an engine of wrappers. */
#ifndef TH_STALKER_WRAPPER_H
#define TH_STALKER_WRAPPER_H

#include "wrapper/engine.h"

extern const th__engine th__stalker_engine;

#endif
