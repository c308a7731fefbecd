/*
 * mdr_wrapper.h: MDR as an engine of wrappers: a region's rule, and field rules for its records.
 *
 *     {"several": false, "region": {...}, "fields": [...]}
 *
 * See mdr_rule.h for the region and wrapper/fields.h for the fields.
 */
#ifndef TH_MDR_WRAPPER_H
#define TH_MDR_WRAPPER_H

#include "wrapper/engine.h"

extern const th__engine th__mdr_engine;

#endif
