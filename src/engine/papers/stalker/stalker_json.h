/*
 * stalker_json.h: the rules as JSON, back from it, and for people to read.
 *
 * The tree of rules has the shape of the schema: a tuple has "members", a choice "alternatives", a
 * list "items" (where they stand) and "item" (what is in them), a field its views. A landmark rule
 * is an array of disjuncts in the paper's notation; "ToEnd()" as the last leads to the end of what
 * is searched.
 */
#ifndef TH_STALKER_JSON_H
#define TH_STALKER_JSON_H

#include "engine/papers/stalker/stalker.h"
#include "wrapper/rule_json.h"

void th__stalker_write(const void *rules, th__json *json);
th_status th__stalker_read(th__rule_reader *reader, json_t *json, const th_schema *schema,
                           th__arena *arena, void **rules);
void th__stalker_explain(const void *rules, th__buf *out);

#endif
