/* seams_wrapper.h: the engine's table. */
#ifndef TH_SEAMS_WRAPPER_H
#define TH_SEAMS_WRAPPER_H

#include "wrapper/engine.h"

extern const th__engine th__seams_engine;

#endif
