/* softmealy_json.h: rules to JSON and back, and for people to read. */
#ifndef TH_SOFTMEALY_JSON_H
#define TH_SOFTMEALY_JSON_H

#include "base/json_out.h"
#include "engine/papers/softmealy/softmealy.h"
#include "wrapper/engine.h"

void th__sm_rules_write(const th__sm_rules *rules, th__json *json);
th_status th__sm_rules_read(th__rule_reader *reader, json_t *json, const th_schema *schema,
                            th__arena *arena, th__sm_rules **out);

bool th__sm_rules_rename(void *rules, th__rename_fn rename, void *context);

/* In the paper's notation: s<N,A>^L ::= ... with a bar over a dummy's letters. */
void th__sm_rules_explain(const th__sm_rules *rules, th__buf *out);
/* The transducer as a graph for Graphviz. */
void th__sm_rules_graph(const th__sm_rules *rules, th__buf *out);

#endif
