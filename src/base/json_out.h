/*
 * json_out.h: writes JSON onto a buffer, fast and always valid.
 *
 *     th__json json = {.buf = &buf};
 *     th__json_begin_object(&json);
 *     th__json_key(&json, TH_STR("page"));
 *     th__json_str(&json, name);
 *     th__json_end_object(&json);
 *     if (buf.failed) ... out of memory
 *
 * The emitter writes the commas. The caller sees to the order (a key in an object, a value in an
 * array): a wrong one is a bug and is not looked for. Memory failures stay in the buffer's
 * `failed`, so that a caller checks once.
 */
#ifndef TH_JSON_OUT_H
#define TH_JSON_OUT_H

#include <thresh.h>

#include "base/str.h"

typedef struct th__json {
    th__buf *buf;
    bool comma; /* something comes before at this level, so that the next item needs a comma */
} th__json;

void th__json_begin_object(th__json *json);
void th__json_end_object(th__json *json);
void th__json_begin_array(th__json *json);
void th__json_end_array(th__json *json);
void th__json_key(th__json *json, th_str name);

/* A string. Bytes that are not UTF-8 become U+FFFD, one for each maximal part of a character, as
 * the Encoding Standard does. U+2028 and U+2029 are escaped too: they end a line for some readers.
 */
void th__json_str(th__json *json, th_str text);
void th__json_int(th__json *json, int64_t value);
void th__json_uint(th__json *json, uint64_t value);
/* The shortest decimal that reads back as the same number; null for infinities and NaN, which JSON
 * does not have. */
void th__json_double(th__json *json, double value);
void th__json_bool(th__json *json, bool value);
void th__json_null(th__json *json);

/* A member: a key and its value. A text without a pointer and a flag that is false are left out. */
void th__json_put_text(th__json *json, const char *key, th_str text);
void th__json_put_uint(th__json *json, const char *key, uint64_t value);
void th__json_put_double(th__json *json, const char *key, double value);
/* A member that is an array or an object, which is to be ended. */
void th__json_open_array(th__json *json, const char *key);
void th__json_open_object(th__json *json, const char *key);

/* Lays JSON without blanks between its parts, as it is written here, out for people: appends it,
 * indented by two blanks a level; arrays and objects of up to about a hundred bytes stay on one
 * line. A newline ends it. Time is linear; levels deeper than 64 stay on one line. False if out of
 * memory. */
bool th__json_pretty(th_str json, th__buf *out);

#endif
