/*
 * engine.h: what an engine is to a wrapper: one table.
 *
 * The wrapper layer knows no engine by name; src/engine/engines.c has the list of tables and the
 * public functions.
 */
#ifndef TH_ENGINE_H
#define TH_ENGINE_H

#include <jansson.h>
#include <thresh.h>

#include "base/arena.h"
#include "base/json_out.h"
#include "wrapper/corpus.h"
#include "wrapper/rule_json.h"

typedef struct th__engine {
    const char *name;

    /* Learning: a state that sees page after page and gives the schema and the rules, which live in
     * the arena. learn_page gives how many records it learnt from; none is no error. learn_end may
     * be called once, and only after a page with records. */
    th_status (*learn_begin)(const th_learn_options *options, void **state, th_error *err);
    th_status (*learn_page)(void *state, const th_page *page, const th_records_source *source,
                            size_t *records, th_error *err);
    th_status (*learn_end)(void *state, th__arena *arena, th_schema **schema, void **rules,
                           th_error *err);
    void (*learn_free)(void *state);

    /* Or, of engines that look at all pages together (the four above are NULL then): the schema and
     * the rules from a whole corpus. Says in the corpus's pages what it learnt from. */
    th_status (*learn_corpus)(const th_learn_options *options, const th__corpus *corpus,
                              th__arena *arena, th_schema **schema, void **rules, th_error *err);
    bool needs_labels; /* cannot learn without */

    /* Running: in any number of threads at once, and linear in the page. */
    th_status (*run)(const void *rules, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err);

    /* The rules as JSON, back from it (checked whole; in the arena), and for people to read. */
    void (*write)(const void *rules, th__json *json);
    th_status (*read)(th__rule_reader *reader, json_t *json, const th_schema *schema,
                      th__arena *arena, void **rules);
    void (*explain)(const void *rules, th__buf *out);
    /* Frees what of the rules is not in the arena, also after a read that failed half way. NULL:
     * all of them is. */
    void (*release)(void *rules);
} th__engine;

#endif
