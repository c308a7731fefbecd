/*
 * iepad_json.h: rules as JSON.
 *
 *     {"levels": ["block-level", "all-tag"], "skip_hidden": true, "media_as_text": true,
 *      "last_record": true,
 *      "fields": [{"name": "text_1", "kind": "text", "chosen": true}, ...],
 *      "patterns": [{"pattern": "<li><TEXT>[<br>|-]", "element": true,
 *                    "columns": [{"column": 1, "field": 0},
 *                                {"column": 1, "below": {"pattern": ..., "columns": ...}}]}]}
 */
#ifndef TH_IEPAD_JSON_H
#define TH_IEPAD_JSON_H

#include <jansson.h>

#include "base/json_out.h"
#include "engine/papers/iepad/iepad_rule.h"
#include "wrapper/rule_json.h"

/* Writes the rule as one JSON value. */
void th__iepad_rule_write(const th__iepad_rule *rule, th__json *json);
/* Reads a rule and checks everything. Caller frees with th__iepad_rule_free. */
th_status th__iepad_rule_read(th__rule_reader *reader, json_t *json, th__iepad_rule **out);

#endif
