/*
 * rule_json.h: reading the JSON of rules, with messages that name the place:
 *
 *     books.json: rules.records[0].path: must be a text
 */
#ifndef TH_RULE_JSON_H
#define TH_RULE_JSON_H

#include <jansson.h>
#include <thresh.h>

#include "base/arena.h"
#include "base/str.h"

typedef struct th__rule_reader {
    const char *file; /* what messages call the file */
    th__buf path;     /* of the value being read */
    th_error *err;
} th__rule_reader;

/* Goes down to a member or an item; the mark leads back. */
size_t th__rule_enter(th__rule_reader *reader, const char *key);
size_t th__rule_enter_item(th__rule_reader *reader, size_t index);
void th__rule_leave(th__rule_reader *reader, size_t mark);

/* Says what is wrong with the value at the reader's path. Gives the status. */
th_status th__rule_fault(th__rule_reader *reader, const char *format, ...) TH_PRINTF(2, 3);

/* Members of an object. Absent or null gives TH_OK and leaves *out as it was, unless `needed`.
 * Texts are copied into the arena. */
th_status th__rule_text(th__rule_reader *reader, json_t *object, const char *key, bool needed,
                        th__arena *arena, th_str *out);
th_status th__rule_number(th__rule_reader *reader, json_t *object, const char *key, bool needed,
                          uint64_t most, uint64_t *out);
/* A number from least to most, whole or not. */
th_status th__rule_real(th__rule_reader *reader, json_t *object, const char *key, bool needed,
                        double least, double most, double *out);
th_status th__rule_bool(th__rule_reader *reader, json_t *object, const char *key, bool *out);
/* 64 bits as 16 hexadecimal digits. */
th_status th__rule_hash(th__rule_reader *reader, json_t *object, const char *key, uint64_t *out);
/* One of several words, NULL at the end. */
th_status th__rule_word(th__rule_reader *reader, json_t *object, const char *key,
                        const char *const *words, unsigned *out);
/* A member that is an array of 1 (or `least`) to `most` items, or an object. */
th_status th__rule_array(th__rule_reader *reader, json_t *object, const char *key, size_t least,
                         size_t most, json_t **out);
th_status th__rule_object(th__rule_reader *reader, json_t *object, const char *key, bool needed,
                          json_t **out);

#endif
