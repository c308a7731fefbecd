/*
 * select.h: what of an engine's records a wrapper gives, and under which names.
 *
 * Engines that work without labels find more columns than somebody asked for, and name them as they
 * can. A selection has the fields that were asked for: each takes the values of one column or of
 * several, or a part of them. What no field takes may be gathered in one more.
 *
 *     {"name": "price", "from": ["price", "price_2"], "after": "only ", "before": " each"}
 *     {"name": "genre", "from": ["facts"], "begins": "Genre:"}
 *     {"name": "place", "from": ["city", "street"], "join": ", "}
 *     {"name": "posted", "from": ["text_4"], "type": "date"}
 *     {"name": "other", "rest": true}
 *
 * Fields come in their order. Fields that are selected already are merged as parts, each with its
 * own members and cut:
 *
 *     {"name": "offer", "parts": [{"from": ["title"]}, {"from": ["price"], "after": "€ "}],
 *      "join": ": "}
 */
#ifndef TH_SELECT_H
#define TH_SELECT_H

#include "data/record.h"
#include "wrapper/cut.h"
#include "wrapper/rule_table.h"

/* The type that a user has set for a field. */
typedef enum th__select_type {
    TH__SELECT_AS_IT_LOOKS, /* nothing: as its members look */
    TH__SELECT_TEXT,
    TH__SELECT_NUMBER,
    TH__SELECT_PRICE,
    TH__SELECT_DATE
} th__select_type;

/* Their names in wrapper files; NULL at the end. */
extern const char *const th__select_types[];

typedef struct th__select_field {
    th_str name;    /* empty: of a part */
    bool list;      /* several values in a record */
    bool rest;      /* all texts that no other field takes whole */
    bool join;      /* the texts of all members together are one value */
    th_str between; /* them; absent: a blank */
    uint8_t type;   /* th__select_type */
    bool nested;    /* derived: its only member is not a text, but is taken as it is */
    struct th__select_field *parts; /* whose values are joined, instead of members */
    uint32_t part_count;
    th_str *from;      /* members of the engine's records */
    uint32_t *members; /* derived: their indexes in the tuple */
    uint32_t from_count;
    th__cut cut;
    /* Of members that are lists: the item that begins with a text, or that has a number, counted
     * from 1; absent, 0: the first. */
    th_str begins;
    uint32_t item;
    bool from_end; /* counted from the last on */
} th__select_field;

typedef struct th__select {
    th__select_field *fields;
    uint32_t count;
    th_schema *schema; /* of the output: derived from the fields and the engine's schema */
    bool *taken;       /* by member of the engine's tuple: some field takes it */
} th__select;

enum { TH__SELECT_MAX_FIELDS = 4096, TH__SELECT_MAX_PARTS = 64 };

/* Finds the members and makes the schema. The caller releases in any case. A member that the
 * engine's schema does not have is an error of the fields: TH_ERR_FORMAT, with its name in the
 * message. So is one that is neither a text nor a list of texts, unless it is taken alone and
 * whole. */
th_status th__select_prepare(th__select *select, const th_schema *inner, th__arena *arena,
                             th_error *err);
void th__select_release(th__select *select);

/* The selection of an engine's records. Caller frees. */
th_status th__select_run(const th__select *select, const th_records *records, const th_page *page,
                         th_records **out, th_error *err);

/* The item of a list that a field takes by `begins` or `item`; its count: none. */
uint32_t th__select_item(const th__select_field *field, const th_value *list);

/* In wrapper files: an array; reading prepares it. */
extern const th__rule_shape th__select_shape;

#endif
