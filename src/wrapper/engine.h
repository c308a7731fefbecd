/*
 * engine.h: an engine as a table of functions.
 *
 * The wrapper layer knows no engine by name; src/engine/engines.c has the list of tables and the
 * public functions.
 */
#ifndef TH_ENGINE_H
#define TH_ENGINE_H

#include <jansson.h>
#include <string.h>
#include <thresh.h>

#include "base/arena.h"
#include "base/json_out.h"
#include "base/vec.h"
#include "wrapper/corpus.h"
#include "wrapper/doubts.h"
#include "wrapper/hits.h"
#include "wrapper/rule_table.h"

/* A vector of regions; the engine says how many there are where it knows of more. */
typedef struct th__region_vec {
    th_region *data;
    size_t len, cap;
    size_t found;
} th__region_vec;

/* How an engine's scores identify the main list: see regions.c. */
typedef struct th__confidence {
    double bias, slope, least;
} th__confidence;

struct th__known_fields;
struct th__fields;

/* The new name of a field of a list in the record, or of the record itself (an absent list);
 * absent: it keeps its name; empty: it is no longer a field. */
typedef th_str (*th__rename_fn)(void *context, th_str list, th_str name);

typedef struct th__engine {
    const char *name;
    const char *alias; /* another name that users and wrapper files may give, or NULL */
    /* The name of this engine in older files, and the member of the rules that identifies them.
     * NULL: there are none. */
    const char *former_name, *former_member;
    bool published; /* has a paper mode: th_paper_options */
    bool data;      /* also finds lists in the embedded data of a page: see data_page.h */

    /* Appends the lists of a page, best first, at most options->most. The caller frees their
     * records, also when it fails. NULL: the engine does not look for lists. */
    th_status (*regions)(const th_page *page, const th_records_source *source,
                         const th_regions_options *options, th__region_vec *out, th_error *err);
    th__confidence confidence;

    /* Learning: a state that sees page after page and makes the schema and the rules, which live in
     * the arena. learn_page returns how many records it learnt from; none is not an error.
     * learn_end may be called once, and only after a page with records. */
    th_status (*learn_begin)(const th_learn_options *options, th__arena *arena, void **state,
                             th_error *err);
    th_status (*learn_page)(void *state, const th_page *page, const th_records_source *source,
                            size_t *records, th_error *err);
    th_status (*learn_end)(void *state, th_schema **schema, void **rules, th_error *err);
    void (*learn_free)(void *state);

    /* Or, for engines that compare all pages (the four above are then NULL): makes the schema and
     * the rules from a whole corpus. Marks the corpus's pages that it learnt from. */
    th_status (*learn_corpus)(const th_learn_options *options, const th__corpus *corpus,
                              th__arena *arena, th_schema **schema, void **rules, th_error *err);
    bool needs_labels; /* cannot learn without */
    bool nested;       /* made for nested records: tried first on those */
    /* Or, for engines that can correct their rules: makes new ones from a wrapper's schema and
     * rules, and a corpus that shows their errors. NULL: not supported. */
    th_status (*correct)(const th_learn_options *options, const th_schema *old_schema,
                         const void *old_rules, const th__corpus *corpus, th__arena *arena,
                         th_schema **schema, void **rules, th_error *err);

    /* Running: in any number of threads at once, and linear in the page. */
    th_status (*run)(const void *rules, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err);
    /* The same for engines whose rules can use known values of the fields: see fields_adapt.h.
     * NULL: use `run`. */
    th_status (*run_known)(const void *rules, const struct th__known_fields *known,
                           const th_schema *schema, const th_page *page,
                           const th_records_source *source, th_records **out, th_error *err);

    /* Running on a page that comes piece by piece; NULL: the engine needs it whole. *out are the
     * records that are complete since the last call, NULL when there are none. */
    th_status (*stream_begin)(const void *rules, const th_schema *schema,
                              const th_records_source *source, void **state, th_error *err);
    th_status (*stream_feed)(void *state, th_str bytes, bool last, th_records **out, th_error *err);
    void (*stream_free)(void *state);
    /* Where the views disagree on a page, for engines that have several; else NULL. */
    th_status (*doubts)(const void *rules, const th_schema *schema, const th_page *page,
                        th_doubts *out, th_error *err);
    /* The parts of a page that the rules match; NULL: the elements around their results. */
    th_status (*hits)(const void *rules, const th_schema *schema, const th_page *page, th_hits *out,
                      th_error *err);

    /* The rules as a table, by which they are written, read, checked and renamed. */
    const th__rule_shape *shape;
    /* Reads the rules where that takes more than the table: with a context of the engine's own.
     * NULL: th__rule_table_read. */
    th_status (*read)(th__rule_reader *reader, json_t *json, void **rules);
    /* The rules for people to read. */
    void (*explain)(const void *rules, th__buf *out);
    /* Renames fields if that takes more than the table; the caller updates the schema and what
     * depends on it. NULL: th__rule_table_rename. */
    void (*rename)(void *rules, th__rename_fn rename, void *context);
    bool drops_fields; /* `rename` can take fields out */
    /* Takes the rules of a field from others, which outlive these; nothing where the field is a
     * list in one of them only. NULL: fields have no rules of their own. */
    void (*adopt)(void *rules, const void *others, th_str field);
    /* The field rules of records, where these are all that names fields; else NULL. */
    struct th__fields *(*fields)(void *rules);
    /* The rules as a graph for Graphviz; NULL: they are none. */
    void (*graph)(const void *rules, th__buf *out);
    /* Shows the template of the pages, with the values of some beside it (there may be none). NULL:
     * not supported. */
    void (*show_template)(const void *rules, const th_records *const *pages, size_t count,
                          th__buf *out);
} th__engine;

static inline bool th__engine_is(const th__engine *engine, const char *name)
{
    return !strcmp(engine->name, name) || (engine->alias && !strcmp(engine->alias, name));
}

#endif
