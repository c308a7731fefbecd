/* softmealy_wrapper.h: SoftMealy as an engine of wrappers. */
#ifndef TH_SOFTMEALY_WRAPPER_H
#define TH_SOFTMEALY_WRAPPER_H

#include "wrapper/engine.h"

extern const th__engine th__softmealy_engine;

#endif
