/*
 * rule_json.h: reading the JSON of rules, with messages that name the place:
 *
 *     books.json: rules.records[0].path: must be a text
 *
 * Most of a file is read by tables (rule_table.h); these functions are for what no table can say.
 */
#ifndef TH_RULE_JSON_H
#define TH_RULE_JSON_H

#include <jansson.h>
#include <thresh.h>

#include "base/arena.h"
#include "base/str.h"

enum { TH__RULE_DEPTH = 320 }; /* steps of a path that messages name: more than a schema allows */

typedef struct th__rule_reader {
    const char *file;        /* what messages call the file */
    const th_schema *schema; /* that the rules are for */
    th__arena *arena;        /* for what is read */
    th_error *err;
    void *root;    /* the struct that th__rule_table_read fills */
    void *context; /* of the engine that reads */
    struct {
        const char *key; /* NULL: an item */
        size_t index;
    } path[TH__RULE_DEPTH]; /* to the value being read */
    size_t depth;
} th__rule_reader;

/* Goes down to a member or an item; the mark leads back. The key is borrowed until then. */
size_t th__rule_enter(th__rule_reader *reader, const char *key);
size_t th__rule_enter_item(th__rule_reader *reader, size_t index);
void th__rule_leave(th__rule_reader *reader, size_t mark);

/* Says what is wrong with the value at the reader's path, or with a member of it. Gives the status.
 */
th_status th__rule_fault(th__rule_reader *reader, const char *format, ...) TH_PRINTF(2, 3);
th_status th__rule_fault_in(th__rule_reader *reader, const char *key, const char *problem);

/* The text that is the value at the reader's path, in the arena. */
th_status th__rule_text_value(th__rule_reader *reader, json_t *value, th_str *out);

/* Members of an object. Absent or null gives TH_OK and leaves *out as it was, unless `needed`. */
th_status th__rule_text(th__rule_reader *reader, json_t *object, const char *key, bool needed,
                        th__arena *arena, th_str *out);
th_status th__rule_number(th__rule_reader *reader, json_t *object, const char *key, bool needed,
                          uint64_t most, uint64_t *out);
th_status th__rule_bool(th__rule_reader *reader, json_t *object, const char *key, bool *out);
/* An array of `least` to `most` items. */
th_status th__rule_array(th__rule_reader *reader, json_t *object, const char *key, size_t least,
                         size_t most, json_t **out);
th_status th__rule_object(th__rule_reader *reader, json_t *object, const char *key, bool needed,
                          json_t **out);

#endif
