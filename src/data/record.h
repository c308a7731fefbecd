/* record.h: the parts of records. See thresh.h for their meaning. */
#ifndef TH_RECORD_H
#define TH_RECORD_H

#include <thresh.h>

#include "base/vec.h"
#include "data/schema.h"

/* Pages may have a value for every few bytes, so a value is small: see bench_hostile.py. */
struct th_value {
    const th_type *type;    /* optionals looked through */
    uint32_t kind : 3;      /* th_value_kind */
    uint32_t by_looks : 1;  /* a text that no rule found, only its likeness to the field's values */
    uint32_t number : 1;    /* a text that th_records_set_number made: JSON has it without quotes */
    uint32_t agreement : 7; /* of a text: how far the rules that found it agree, in percent + 1; 0:
                             * not reported */
    uint32_t unknown : 1; /* of a label: its value is unknown; of a list: it may have more items */
    uint32_t which : 19;  /* alternative of a choice */
    uint32_t count;       /* bytes of a text; items of the others */
    th_span span;
    union {
        const char *bytes; /* of a text */
        th_value *members; /* of a tuple or choice, one behind the other */
        th_value **list;   /* of a list; grows at powers of two */
    };
};

struct th_records {
    th__arena arena;
    th_schema *schema;
    th_str page, url;
    TH__VEC(th_value *) values;
    double explained; /* share of the page that its wrapper explained; below 0: not reported */
    th_error failure; /* the first; status TH_OK when there is none */
};

/* The text of a value that is one. */
static inline th_str th__value_text(const th_value *value)
{
    return (th_str){value->bytes, value->count};
}
/* An item of a value that has that many. */
static inline th_value *th__value_item(const th_value *value, size_t index)
{
    return value->kind == TH_VALUE_LIST ? value->list[index] : &value->members[index];
}
/* The value behind choices, or NULL if one was not made. */
const th_value *th__value_chosen(const th_value *value);
/* Calls `see` for each field of a value, through lists and alternatives, with NULL for missing
 * ones. `at` is the index of the first; returns the index after the last. */
typedef void (*th__see_value)(void *context, uint32_t at, const th_value *value);
uint32_t th__each_value(const th_type *type, const th_value *value, uint32_t at, th__see_value see,
                        void *context);
/* From the first text of a value to its last, on the page; {0, 0} when it has none there. */
th_span th__value_hull(const th_value *value);
/* Puts values in the order of the page; those without a place go last, as they were. False if out
 * of memory. */
bool th__values_sort(th_value **values, size_t count);
/* See th_records_typed; without `all` only the columns of fields that always get them. *out is NULL
 * if there are none to add. */
th_status th__records_typed(const th_records *records, bool all, th_records **out, th_error *err);
/* How values are copied. */
typedef struct th__copying {
    th_records *to;
    bool places; /* with the places of texts, and how they were found */
    /* Called behind each member of a tuple, or NULL: fills further slots, and gives how many. */
    uint32_t (*beside)(void *context, const th_value *tuple, uint32_t member, th_value *slots);
    void *context;
} th__copying;
/* Copies a value into a slot of the same type, but for what is put beside members, in another
 * schema. */
void th__value_copy(const th__copying *copying, th_value *slot, const th_value *from);
/* Moves the spans of records of a data page to the page that it was made from. */
void th__records_move(th_records *records, const th_page *data);
/* The key under which a member of a tuple is written: see schema.h. */
th_str th__value_key(const th_value *value);
/* Writes a value as JSON (write_json.c); with spans, a text becomes {"value":, "start":, "end":}.
 */
void th__value_write(const th_value *value, bool spans, th__json *json);

#endif
