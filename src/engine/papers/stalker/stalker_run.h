/* stalker_run.h: running the rules: what each view says of a field, and the records of a page. */
#ifndef TH_STALKER_RUN_H
#define TH_STALKER_RUN_H

#include "engine/papers/stalker/stalker_rule.h"

/* A page with what the views need of it, made when it is first asked for. */
typedef struct th__stalker_page {
    const th_page *page;
    th__arena *arena;
    th__stalker_map map;
    th__stalker_seq seq;
    uint32_t pieces;            /* bytes of values whose tokens were made piece by piece */
    bool unparted;              /* as the rules say */
    bool mapped, lexed, failed; /* failed: no memory */
} th__stalker_page;

const th__stalker_map *th__stalker_page_map(th__stalker_page *page);
const th__stalker_seq *th__stalker_page_seq(th__stalker_page *page);

/* What a view says. A missing value has the span {0, 0}. */
typedef struct th__stalker_answer {
    th_span span;
    double support;   /* 0: the view was not learnt */
    uint32_t node;    /* of the structure: the element that it found */
    double agreement; /* of all together: the part of those asked that say so; 0: one alone */
} th__stalker_answer;

/* The answer of one view, and that of all together. */
th__stalker_answer th__stalker_ask(const th__stalker_field *field, th__stalker_view view,
                                   th__stalker_page *page, const th__stalker_extent *extent);
th__stalker_answer th__stalker_decide(const th__stalker_field *field, th__stalker_page *page,
                                      const th__stalker_extent *extent);

/* The part of a thing that a field's cut rules leave, or the thing whole. False when they do not
 * match, and when it says that there is no value. */
bool th__stalker_thing_span(const th__stalker_field *field, th__stalker_page *page, uint32_t thing,
                            th_span *out);

/* Whether a text is one line, without a sign that parts texts. */
bool th__stalker_is_simple(const th__stalker_map *map, th_span span);

/* Whether a unit begins a line of text, or stands behind the field's label in one. */
bool th__stalker_begins_line(const th__stalker_field *field, const th__stalker_map *map,
                             uint32_t unit);

/* The tokens that cut rules run over: the page's, or those of an attribute's value. */
const th__stalker_seq *th__stalker_cut_seq(const th__stalker_field *field, th__stalker_page *page,
                                           th_span span);

/* Where the items of a list stand. Appends to the vector; false without memory. */
typedef struct th__extent_vec {
    th__stalker_extent *data;
    size_t len, cap;
} th__extent_vec;
/* The lines of an extent that begin further in, or those that do not, each with those below it. */
bool th__stalker_line_items(bool indented, const th__stalker_map *map,
                            const th__stalker_extent *extent, th__extent_vec *out);
/* The part of an extent in which a member of a tuple is sought: texts of a tuple with lists in
 * lines below stand before those. */
th__stalker_extent th__stalker_member_extent(const th__stalker_node *tuple,
                                             const th__stalker_node *member, th__stalker_page *page,
                                             const th__stalker_extent *extent);
/* The texts of a span between signs, those that say nothing left out. */
bool th__stalker_split(const th_page *page, th_str sign, th_span span, th__extent_vec *out);
bool th__stalker_items(const th__stalker_list *list, th__stalker_page *page,
                       const th__stalker_extent *extent, th__extent_vec *out);

/* A text of a list, and the field whose it is. */
typedef struct th__list_text {
    const th__stalker_field *field;
    th_span span;
} th__list_text;
typedef struct th__list_texts {
    th__list_text *data;
    size_t len, cap;
} th__list_texts;
/* The texts of a list of texts, in the order of the page. False without memory. */
bool th__stalker_texts(const th__stalker_node *node, th__stalker_page *page,
                       const th__stalker_extent *extent, th__list_texts *out);

/* Whether a stretch has anything in common with the texts of a value. */
bool th__stalker_overlaps(const th_value *value, th_span span);

th_status th__stalker_run(const th__stalker_rules *rules, const th_schema *schema,
                          const th_page *page, const th_records_source *source, th_records **out,
                          th_error *err);

#endif
