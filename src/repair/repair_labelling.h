/*
 * repair_labelling.h: labels for changed pages, made of what was found there: inside view of
 * repair_label.c.
 */
#ifndef TH_REPAIR_LABELLING_H
#define TH_REPAIR_LABELLING_H

#include "base/json_out.h"
#include "repair/repair_places.h"

typedef struct th__labelling {
    th_repair *repair;
    uint32_t pages;
    bool *wanted; /* by field: it is looked for */
    bool *doubt;  /* by field: it is looked for, and stays as it is where nothing is found */
    bool *held;   /* by field: it stays as it is in a list that others of are looked for */
    th__places places;
} th__labelling;

/* Says what is looked for: broken fields, and those that may be; or all. False without memory. */
bool th__labelling_want(th__labelling *l, bool all);
/* Adds where the values of a record of the old wrapper stand that are not looked for. False without
 * memory. */
bool th__labelling_keep(const th__labelling *l, const th_value *old, uint32_t unit,
                        th__places *kept);
/* Puts what is held of a list beside what was chosen of it. False without memory. */
bool th__labelling_hold(th__labelling *l, const th__places *kept);

/* A page of labels is a line: `key` is "record" or "records", and its value is written in between.
 */
void th__label_begin_page(uint32_t page, const char *key, th__json *json);
void th__label_end_page(th__json *json);
/* The record of a unit; `old` is what the old wrapper reads there, or NULL. False without memory.
 */
bool th__label_record(const th__labelling *l, uint32_t unit, const th_value *old, th__json *json);
/* A member of a record, with its key, where the record has it. */
void th__label_kept(const th_value *record, th_str name, th__json *json);

/* repair_label_lists.c. Of pages of very many records, by a list, excerpts are labelled and learnt
 * from: engines take longer than in proportion to what is labelled. */
th_status th__label_excerpts(th_repair *repair, const th_wrapper *list, uint32_t pages,
                             th_error *err);
/* Labels of pages of many records: by the columns of a list; or by places in
 * its records, of all fields, or, in those that the old wrapper finds (`own`), of the fields that
 * are broken. Without a list in anchored records. */
th_status th__label_columns(th_repair *repair, th__candidate *list, uint32_t pages, th__buf *out,
                            th_error *err);
th_status th__label_units(th_repair *repair, const th_wrapper *list, bool own, uint32_t pages,
                          th__buf *out, th_error *err);

/* repair_anchors.c. Records of pages, each from a value of a field that all records have. None
 * where no field tells them. Caller releases the units. */
th_status th__anchored_units(th_repair *repair, uint32_t pages, th__unit_list *out, th_error *err);

#endif
