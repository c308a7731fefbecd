/*
 * repair_areas.h: where on its pages a field of a list of tuples was found. Its fellows stand among
 * its values: a list of other things that looks like one of them does not.
 */
#ifndef TH_REPAIR_AREAS_H
#define TH_REPAIR_AREAS_H

#include "repair/repair_pieces.h"

/* From the first value of a field in a unit to the last. */
struct th__area {
    uint32_t from, to, count;
};

void th__area_widen(th__area *area, th_span span);
/* Notes that a span is a value of a field. False without memory. */
bool th__area_note(th__finder *f, uint32_t field, uint32_t unit, th_span span);
/* Whether two fields are of one list of tuples. */
bool th__are_fellows(const th__finder *f, uint32_t a, uint32_t b);
/* Whether values of a field, their areas by unit, stand apart from those of a fellow that was
 * found: where units have two of both or more, all before these or behind them. */
bool th__area_is_apart(const th__finder *f, uint32_t field, const th__area *areas);

#endif
