/* template.h: the engine for pages of one template; template.c tells how it works. */
#ifndef TH_TEMPLATE_H
#define TH_TEMPLATE_H

#include "wrapper/engine.h"

extern const th__engine th__template_engine;

#endif
