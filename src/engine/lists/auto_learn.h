/* auto_learn.h: learning a rule of the auto engine. See wrapper/engine.h for the functions. */
#ifndef TH_AUTO_LEARN_H
#define TH_AUTO_LEARN_H

#include "engine/lists/auto_rule.h"

th_status th__auto_learn_begin(const th_learn_options *options, void **state, th_error *err);
th_status th__auto_learn_page(void *state, const th_page *page, const th_records_source *source,
                              size_t *records, th_error *err);
th_status th__auto_learn_end(void *state, th__arena *arena, th_schema **schema, void **rules,
                             th_error *err);
void th__auto_learn_free(void *state);

#endif
