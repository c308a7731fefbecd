/*
 * exalg_template.h: a template: how values are encoded into pages (definition 2.1).
 *
 *     <A * B {<E * F * G>}_H C * D>       a tuple of two texts and, between them, a set of tuples
 *
 * A tuple of order n has n + 1 strings of tokens, the first before its first member, the last
 * behind its last. A set has one string, its separator. Optionals and disjunctions have none.
 */
#ifndef TH_EXALG_TEMPLATE_H
#define TH_EXALG_TEMPLATE_H

#include "base/json_out.h"
#include "base/key_map.h"
#include "engine/papers/exalg/exalg_classes.h"
#include "wrapper/rule_json.h"

enum {
    TH__EXALG_MAX_DEPTH = 24,       /* of types; what is nested deeper is one text */
    TH__EXALG_MAX_SYMBOLS = 1 << 20 /* tokens of a template */
};

typedef enum th__exalg_type {
    TH__EXALG_BASIC,
    TH__EXALG_TUPLE,
    TH__EXALG_SET,
    TH__EXALG_OPTIONAL,
    TH__EXALG_CHOICE
} th__exalg_type;

/* A token of the template's strings. */
typedef struct th__exalg_symbol {
    th_str token; /* "<b>", "</b>", "Name" */
    th_str path;  /* "html body b"; absent without DIFFFORM */
    uint64_t key;
} th__exalg_symbol;

typedef struct th__exalg_text {
    uint32_t *symbols;
    uint32_t count;
} th__exalg_text;

typedef struct th__exalg_node {
    uint8_t type; /* th__exalg_type */
    uint32_t count;
    struct th__exalg_node **children;
    th__exalg_text *strings; /* of a tuple: count + 1; of a set: 1 */
} th__exalg_node;

typedef struct th__exalg_template {
    th__exalg_symbol *symbols;
    uint32_t symbol_count;
    bool paths; /* tokens are told apart by their occurrence paths */
    th__exalg_node *root;
    th__key_map ids; /* by key: symbol + 1; see th__exalg_template_prepare */
} th__exalg_template;

/* Fills in what follows from the rest. False without memory. */
bool th__exalg_template_prepare(th__exalg_template *t, th__arena *arena);
/* CONSTTEMP. Everything is in the arena, nothing of the pages. False without memory. */
bool th__exalg_construct(const th__exalg_ecgm *e, bool paths, th__arena *arena,
                         th__exalg_template *out);
/* The schema of its values. Caller frees. */
th_status th__exalg_template_schema(const th__exalg_template *t, th_schema **out, th_error *err);
/* The paper's infix notation, a member a line, nested ones indented; the values of pages beside the
 * texts. */
void th__exalg_template_print(const th__exalg_template *t, const th_records *const *pages,
                              size_t count, th__buf *out);
void th__exalg_template_write(const th__exalg_template *t, th__json *json);
/* Reads and checks everything; holds it against the schema. */
th_status th__exalg_template_read(th__rule_reader *reader, json_t *json, const th_schema *schema,
                                  th__arena *arena, th__exalg_template *out);
/* How much of the template's strings stands on a page, 0 to 1: tokens found among those that the
 * values ask for. */
th_status th__exalg_template_explain(const th__exalg_template *t, const th_schema *schema,
                                     const th_page *page, double *explained, th_error *err);
/* The values of a page, if at least `floor` of it is explained. Linear in the page but for a
 * logarithm. Caller frees. */
th_status th__exalg_template_run(const th__exalg_template *t, const th_schema *schema,
                                 const th_page *page, const th_records_source *source, double floor,
                                 th_records **out, th_error *err);

#endif
