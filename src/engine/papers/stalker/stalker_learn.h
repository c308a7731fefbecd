/* stalker_learn.h: rules from labelled pages. See stalker_wrapper.c for the idea. */
#ifndef TH_STALKER_LEARN_H
#define TH_STALKER_LEARN_H

#include "engine/papers/stalker/stalker_run.h"
#include "wrapper/corpus.h"

/* What the learner of one corpus has at hand. */
typedef struct th__stalker_learner {
    bool paper; /* landmark rules as published, and nothing else */
    const th__corpus *corpus;
    th__arena *arena;        /* of the rules */
    th__arena scratch;       /* freed at the end */
    th__stalker_page *pages; /* by page of the corpus */
    bool quiet;              /* this is an attempt: no notes of it */
    th__told told;           /* labels that the member at hand goes by */
    th__buf name;            /* of the node at hand: "restaurants.address" */
} th__stalker_learner;

/* A place where a node of the catalog is to be found: the page, or an item of the list above it. */
typedef struct th__stalker_instance {
    uint32_t page;
    th__stalker_extent extent;
    bool labelled;
    bool sample;           /* its list may have more items than are labelled */
    const th_value *value; /* NULL where it is missing, or not labelled */
} th__stalker_instance;

typedef struct th__instances {
    th__stalker_instance *data;
    size_t len, cap;
} th__instances;

/* Where the text of a value stands; {0, 0} when it is missing or empty. */
th_span th__stalker_value_span(const th_value *value);

/* Learns the rules of a field, or of a list. False without memory. */
bool th__stalker_learn_field(th__stalker_learner *l, th__stalker_field *field,
                             const th__instances *instances);
/* Where its items stand; not what is in them. */
bool th__stalker_learn_items(th__stalker_learner *l, th__stalker_node *node,
                             const th__instances *instances);
/* All of a list. */
bool th__stalker_learn_list(th__stalker_learner *l, th__stalker_node *node,
                            const th__instances *instances);
/* A list of texts that stand in several kinds of places; `given` has the texts of `instances` in
 * the order of the labels. */
bool th__stalker_learn_parts(th__stalker_learner *l, th__stalker_node *node,
                             const th__instances *instances, const th__instances *given);

/* The hashes of texts on a page, sorted; NULL without memory. */
uint64_t *th__stalker_text_hashes(th__arena *arena, const th_page *page, const th_span *spans,
                                  size_t count);
/* Whether a text is one of them. */
bool th__stalker_is_among(const uint64_t *hashes, size_t count, th_str text);

/* The sign between all labelled texts of a list; absent when there is none. False without memory.
 */
bool th__stalker_learn_sign(th__stalker_learner *l, const th__instances *instances, th_str *out);
/* From the first text of such a list to its last, with the signs before and behind them. */
th_span th__stalker_with_signs(const th__stalker_map *map, th_str sign, th_span span);

/* Which texts are the labels of a tuple's members. False without memory. */
bool th__stalker_learn_labels(th__stalker_learner *l, th__stalker_node *tuple,
                              const th__instances *instances);

/* Notes of what is not right. False without memory. */
bool th__stalker_note_field(th__stalker_learner *l, const th__stalker_field *field,
                            const th__instances *instances);
bool th__stalker_note_list(th__stalker_learner *l, uint32_t right, uint32_t labelled);

th_status th__stalker_learn(const th_learn_options *options, const th__corpus *corpus,
                            th__arena *arena, th_schema **schema, void **rules, th_error *err);

#endif
