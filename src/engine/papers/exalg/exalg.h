/* exalg.h: EXALG as an engine of wrappers; exalg.c tells the paper. */
#ifndef TH_EXALG_H
#define TH_EXALG_H

#include "wrapper/engine.h"

extern const th__engine th__exalg_engine;

#endif
