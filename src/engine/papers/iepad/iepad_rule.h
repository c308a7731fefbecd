/*
 * iepad_rule.h: IEPAD's extraction rule and what it gives on a page. Learning is elsewhere
 * (iepad_learn.h): running a rule needs nothing of it.
 *
 * A rule is one or more record patterns (several when pages of one site needed several, section 4.2
 * of the paper), each with the patterns of the lower levels that divide its blocks, and the slots
 * that come out of the division:
 *
 *     block-level   <li> <TEXT> <br> [<TEXT>|-] </li>
 *                        |           |
 *     all-tag            |           [<font>|-]<TEXT>[</font>|-]
 *                        <a><TEXT></a>     slot 3: text
 *                        |  |
 *                 slot 1: link  slot 2: text
 *
 * Values of the same field in different records stand in the same column whatever is missing.
 */
#ifndef TH_IEPAD_RULE_H
#define TH_IEPAD_RULE_H

#include "engine/papers/iepad/iepad_encode.h"
#include "strings/pattern.h"

enum {
    TH__IEPAD_MAX_LEVELS = 4,
    TH__IEPAD_MAX_RULES = 64,   /* record patterns joined into one rule */
    TH__IEPAD_MAX_FIELDS = 512, /* of one rule */
};

typedef enum th__iepad_kind {                       /* what a slot holds */
                              TH__IEPAD_VALUE_TEXT, /* a <TEXT> token */
                              TH__IEPAD_VALUE_LINK, /* the href of an <a> */
                              TH__IEPAD_VALUE_IMAGE /* the src of an <img> */
} th__iepad_kind;

typedef struct th__iepad_division th__iepad_division;

/* A pattern that divides a record, or a block of it, into blocks. */
struct th__iepad_division {
    th__pattern pattern;
    struct th__iepad_part {
        th__iepad_division *below; /* divides the column's text further, or NULL */
        uint32_t field;            /* where its value goes, or TH__IEPAD_NO_FIELD */
    } * parts;                     /* by column of the pattern */
    bool element;                  /* of records: each is a whole element */
};

#define TH__IEPAD_NO_FIELD UINT32_MAX

typedef struct th__iepad_field {
    char *name;
    uint8_t kind; /* th__iepad_kind */
    bool chosen;  /* the user wants it */
} th__iepad_field;

typedef struct th__iepad_rule {
    th__iepad_encoding encoding;                    /* of the first level */
    th__iepad_scheme schemes[TH__IEPAD_MAX_LEVELS]; /* by level; the first is encoding's */
    uint32_t levels;
    /* Takes a last record that lacks what stands between records: see iepad_run.c. */
    bool last_record;
    /* Text of a block for which its pattern has no column goes to the value beside it. */
    bool stray_text;
    th__iepad_division **records; /* record patterns */
    uint32_t record_count;
    th__iepad_field *fields;
    uint32_t field_count;
    th__iepad_names names;
} th__iepad_rule;

void th__iepad_rule_free(th__iepad_rule *rule);
/* A rule without patterns; NULL without memory. */
th__iepad_rule *th__iepad_rule_new(void);
/* A division for a pattern, which it takes over (also when it fails); NULL without memory. */
th__iepad_division *th__iepad_division_new(th__pattern *pattern);
void th__iepad_division_free(th__iepad_division *division);
/* Takes the division over, also when it fails. */
th_status th__iepad_rule_add(th__iepad_rule *rule, th__iepad_division *division, th_error *err);
/* The number of a field, entered when it is new. */
th_status th__iepad_rule_field(th__iepad_rule *rule, th_str name, th__iepad_kind kind,
                               uint32_t *field, th_error *err);
/* Renames a field and says whether it is wanted: what the paper's user does in the pattern viewer.
 */
th_status th__iepad_rule_name(th__iepad_rule *rule, uint32_t field, th_str name, bool chosen,
                              th_error *err);
/*
 * Joins `more`, learnt from another page, to the rule: its record patterns are tried beside the
 * rule's own, and its fields go to the rule's fields of the same name and kind. Patterns that the
 * rule already has are left out. `more` is untouched.
 */
th_status th__iepad_rule_join(th__iepad_rule *rule, const th__iepad_rule *more, th_error *err);
/* A copy that can be joined to. Caller frees. */
th_status th__iepad_rule_copy(const th__iepad_rule *rule, th__iepad_rule **out, th_error *err);
/*
 * Renames the fields of `more` (one record pattern) before it is joined: its pattern is laid onto
 * the rule's, and a slot that comes to lie on one of the rule's of the same kind gets that one's
 * name; the others get names that the rule does not have. Slots are numbered anew on every page, so
 * that text_2 of two pages need not be the same field.
 */
th_status th__iepad_rule_liken(th__iepad_rule *more, const th__iepad_rule *rule, th_error *err);

/* A pattern that matches `len` symbols from `at` on: the length when it is held to the element that
 * begins there, all of it; 0 when it does not match that, or when none begins there. */
uint32_t th__iepad_match_element(const th_page *page, const th__iepad_string *string,
                                 th__matcher *matcher, uint32_t at, uint32_t len);

/* What a symbol's column holds, if anything: text, link or image. */
bool th__iepad_column_kind(const th__pattern *pattern, uint32_t column, th__iepad_kind *kind);

/* ---- running (iepad_run.c) ---------------------------------------------------------------- */

typedef struct th__iepad_cell {
    th_span span; /* {0, 0}: missing. Of a link or image: the attribute's value */
} th__iepad_cell;

typedef struct th__iepad_record {
    uint32_t first, last; /* tokens of the page, both included */
    uint32_t pattern;     /* which of the rule's record patterns */
} th__iepad_record;

/* What a rule found. */
typedef struct th__iepad_table {
    th__iepad_record *records;
    th__iepad_cell *cells; /* records x fields of the rule */
    uint32_t count, fields;
    size_t record_cap, cell_cap;
} th__iepad_table;

/* Finds the rule's records on a page: from left to right, the longest match at each place, the
 * first pattern among equals. No record is no error. Replaces what is in out, which starts as {0}.
 */
th_status th__iepad_run(const th__iepad_rule *rule, const th_page *page, th__iepad_table *out,
                        th_error *err);
void th__iepad_table_release(th__iepad_table *table);

/* The records as the rest of the library knows them: a list of tuples of optional texts, in the
 * order of the chosen fields, texts before links and images. Links and images are absolute where
 * the page's URL is known. Caller frees with th_records_free. */
th_status th__iepad_records(const th__iepad_rule *rule, const th_page *page,
                            const th_records_source *source, th_records **out, th_error *err);
/* The same by a schema that fits. */
th_status th__iepad_extract(const th__iepad_rule *rule, const th_schema *schema,
                            const th_page *page, const th_records_source *source, th_records **out,
                            th_error *err);
/* Whether a schema is one for the rule's records. False without memory. */
bool th__iepad_schema_fits(const th__iepad_rule *rule, const th_schema *schema, bool *fits);
/* Their schema. Caller frees. */
th_status th__iepad_schema(const th__iepad_rule *rule, th_schema **out, th_error *err);

/* ---- JSON (iepad_json.c) ------------------------------------------------------------------ */

/* Appends the record pattern in the paper's notation. */
void th__iepad_pattern_print(const th__pattern *pattern, const th__iepad_names *names,
                             th__buf *out);

#endif
