/*
 * softmealy_learn.h: from labelled pages to rules.
 *
 *     corpus ──samples──▶ tuples, separators ──generalize──▶ edges ──check──▶ rules
 *                                            ──free────────▶ s<*,k>, s<k,*>
 *                                            ──body────────▶ h^L, t^R
 *     wrapper + corrected tuple ──correct──▶ wrapper
 */
#ifndef TH_SOFTMEALY_LEARN_H
#define TH_SOFTMEALY_LEARN_H

#include "engine/papers/softmealy/softmealy.h"
#include "wrapper/corpus.h"

/* The switches: softmealy.h tells what each is for. */
typedef struct th__sm_options {
    bool ground_html, no_blanks, check, free_order, resync;
} th__sm_options;

th__sm_options th__sm_options_ours(void);
th__sm_options th__sm_options_paper(void);
/* Turns the named switches off. */
th_status th__sm_options_without(th__sm_options *options, const char *names, th_error *err);

/* The separator between two states of a labelled tuple. */
typedef struct th__sm_separator {
    th__sm_state from, to;
    uint32_t page;
    uint32_t at;
    uint32_t since;     /* where the state before it was entered; UINT32_MAX: not known */
    uint32_t low, high; /* the separators beside it: its contexts do not reach beyond */
} th__sm_separator;

/* A labelled value. */
typedef struct th__sm_label {
    uint32_t attribute;
    uint32_t begin, end; /* tokens */
    th_span span;
} th__sm_label;

typedef struct th__sm_tuple {
    uint32_t page;
    uint32_t label, label_count; /* in labels, in order of the page */
    uint32_t separator, separator_count;
} th__sm_tuple;

typedef struct th__sm_page {
    const th_page *page;
    th_str name;
    th__sm_tokens tokens;
    bool labelled;
    bool sample; /* its tuples may have more than is labelled */
    uint32_t tuple, tuple_count;
    th_span body;     /* separators; {0, 0}: not told */
    th_span *nothing; /* separators between which no tuple stands */
    uint32_t nothing_count;
} th__sm_page;

/* All that is learnt from. */
typedef struct th__sm_samples {
    th__sm_options options;
    th__sm_lexing lexing;
    bool one_record;
    th__sm_page *pages;
    uint32_t page_count;
    TH__VEC(th__sm_attribute) attributes;
    TH__VEC(th__sm_label) labels;
    TH__VEC(th__sm_tuple) tuples;
    TH__VEC(th__sm_separator) separators;
    const th__sm_fields *fields; /* of the wrapper that is corrected; else NULL */
    th__notes *notes;
    const th_cancel *cancel; /* or NULL */
    th__arena *arena;        /* of the wrapper: what rules are made of lives there */
    th__arena scratch;
} th__sm_samples;

/* Fills samples, which the caller releases also after a failure. `known` (which may be NULL) are
 * rules whose attributes come first; samples->fields are those of their schema then. */
th_status th__sm_samples_make(th__sm_samples *samples, const th__corpus *corpus,
                              const th_schema *schema, const th__sm_rules *known, th_error *err);
void th__sm_samples_release(th__sm_samples *samples);

/* A token as an item, ground. Fails (ground is false then) without memory. */
bool th__sm_item_of(const th__sm_samples *samples, uint32_t page, uint32_t token, th__sm_item *out);
/* The context of a separator under the length bias, or `more` tokens longer, ground. */
bool th__sm_context_of(const th__sm_samples *samples, const th__sm_separator *separator, bool left,
                       uint32_t more, th__sm_context *out);
/* The least common ancestor of two items: false when they are of different trees. */
bool th__sm_item_join(const th__sm_item *a, const th__sm_item *b, bool paper, th__arena *arena,
                      th__sm_item *out);

/* Algorithm 1 on contexts of one side: `rows` are generalized in place, and *count is how many
 * remain without duplicates. */
bool th__sm_generalize(th__sm_context *rows, uint32_t *count, const th__sm_options *options,
                       th__arena *arena);

/* The edges of all labelled separators with their rules. */
th_status th__sm_edges_learn(th__sm_samples *samples, th__sm_rules *rules, th_error *err);
/* s<*,k> and s<k,*>. */
th_status th__sm_free_learn(th__sm_samples *samples, th__sm_rules *rules, th_error *err);
/* The ground context of one end of a page's body, specialized until it finds it. */
bool th__sm_body_context(const th__sm_samples *samples, uint32_t page, bool head,
                         th__sm_context *out);
/* h^L and t^R, where pages tell their bodies. */
th_status th__sm_body_learn(th__sm_samples *samples, th__sm_rules *rules, th_error *err);

/* Adds rules until the labelled tuples are read as labelled; a note tells of those that cannot be.
 * The rules are compiled, and are so afterwards. False without memory. */
bool th__sm_mend(th__sm_samples *samples, th__sm_rules *rules);
/* What a correction does: adds rules until the labelled tuples are read as labelled. `rules` are
 * changed, and are compiled afterwards; the switches that they were learnt with hold, and those
 * named in `without` (NULL: none) are turned off. */
th_status th__sm_correct(const char *without, const th__corpus *corpus, const th_schema *schema,
                         th__sm_rules *rules, th__arena *arena, th_error *err);

/* The whole of it. */
th_status th__sm_learn(const th__sm_options *options, const th__corpus *corpus, th__arena *arena,
                       const th_schema *schema, th__sm_rules **out, th_error *err);

#endif
