/*
 * paths_rule.h: rules of the paths engine: where the fields of a page of one record stand.
 *
 *     title    h1 of #main
 *     price    2nd text of td, after "Price:"
 *     authors  all a of #by, told by the caption "Authors"
 *
 * A rule names units (index/units.h) by an address, keeps those that its teller tells, picks one of
 * them or all, and cuts a part out where the value is no whole text. A field has several rules:
 * what one finds joins what those before it found, or counts only when they found nothing.
 */
#ifndef TH_PATHS_RULE_H
#define TH_PATHS_RULE_H

#include "index/units.h"
#include "wrapper/cut.h"
#include "wrapper/engine.h"

typedef struct th__path_rule {
    uint8_t address;   /* th__address */
    uint8_t teller;    /* th__teller */
    uint8_t kind;      /* th__unit_kind */
    uint8_t attribute; /* of th__unit_attributes */
    bool otherwise;    /* counts only when the rules before it found nothing */
    uint32_t slot;     /* which of the texts of its element, from 0 */
    int32_t pick;      /* 0: all; n: the n-th; -n: the n-th from the end */
    bool alone;        /* of a field with one value: found nothing else on any labelled page */
    th_str path;       /* the address as written */
    th_str told;       /* the text of the teller */
    th__cut cut;       /* which part of the text is the value */
    /* What follows from these: */
    uint64_t key, telling;
} th__path_rule;

/* Another rule that is as right on labelled pages as one of the field's own and finds something
 * else on others: where it does, one of the two is wrong. For questions alone: th__paths_doubts. */
typedef struct th__path_view {
    th__path_rule rule;
    uint32_t of;   /* the rule of the field whose place it takes */
    double weight; /* how likely it is that it would have been the better one, 0 to 1 */
} th__path_view;

/* What the labelled pages had of a field. */
typedef struct th__path_seen {
    uint32_t pages;       /* labelled; 0: nothing is known */
    uint32_t least, most; /* different values on a page */
    uint32_t beside;      /* texts right inside the element of a value, at most */
} th__path_seen;

typedef struct th__path_field {
    th_str name;
    uint32_t member; /* of the record's tuple */
    bool list;
    th__path_rule *rules;
    uint32_t count;
    th__path_view *views;
    uint32_t view_count;
    th__path_seen seen;
} th__path_field;

typedef struct th__path_rules {
    th__path_field *fields;
    uint32_t count;
} th__path_rules;

enum {
    TH__PATHS_MAX_FIELDS = 4096,
    TH__PATHS_MAX_RULES = 64,
    TH__PATHS_MAX_VIEWS = 64,
    TH__PATHS_MAX_PICK = 1 << 20
};

/* A value that a rule found. */
typedef struct th__path_value {
    uint32_t unit;
    th_span span;
} th__path_value;

typedef TH__VEC(th__path_value) th__path_values;

/* paths_find.c: what a rule finds, appended in the order of the page. `scratch` is for cutting. The
 * units' addresses are indexed as they are needed. False without memory. */
bool th__path_find(const th__path_rule *rule, th__units *units, th__folded *scratch,
                   th__path_values *out);

/* What the rules of a field find, in their order; the rule at `of` is replaced by `instead`, unless
 * that is NULL. False without memory. */
bool th__path_find_field(const th__path_field *field, uint32_t of, const th__path_rule *instead,
                         th__units *units, th__folded *scratch, th__path_values *out);
/* How many texts stand right inside the element of a unit. */
uint32_t th__path_beside(const th__units *units, uint32_t unit);
/* Hash of the text of a value that a rule found. False without memory. */
bool th__path_value_hash(const th__path_rule *rule, const th__units *units,
                         const th__path_value *value, th__buf *scratch, uint64_t *out);

th_status th__paths_run(const void *rules, const th_schema *schema, const th_page *page,
                        const th_records_source *source, th_records **out, th_error *err);
/* paths_doubts.c */
th_status th__paths_doubts(const void *rules, const th_schema *schema, const th_page *page,
                           th_doubts *out, th_error *err);
/* paths_hits.c */
th_status th__paths_hits(const void *rules, const th_schema *schema, const th_page *page,
                         th_hits *out, th_error *err);
/* paths_json.c */
void th__paths_write(const void *rules, th__json *json);
th_status th__paths_read(th__rule_reader *reader, json_t *json, const th_schema *schema,
                         th__arena *arena, void **rules);
bool th__paths_rename(void *rules, th__rename_fn rename, void *context);
void th__paths_explain(const void *rules, th__buf *out);

extern const th__engine th__paths_engine;

#endif
