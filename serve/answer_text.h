/*
 * answer_text.h: what answers are made of: text that grows (a failure to grow is kept and checked
 * once), JSON strings, dates, and errors.
 */
#ifndef SERVE_ANSWER_TEXT_H
#define SERVE_ANSWER_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <thresh.h>

typedef struct serve_text {
    char *ptr;
    size_t len, cap;
    bool failed;
} serve_text;

void serve_text_release(serve_text *text);
void serve_put(serve_text *text, const void *bytes, size_t len);
void serve_puts(serve_text *text, const char *string);
void serve_printf(serve_text *text, const char *format, ...) TH_PRINTF(2, 3);
/* A JSON string. */
void serve_put_json(serve_text *text, th_str string);
/* A sink of the library that writes here. */
th_sink serve_text_sink(serve_text *text);

/* A th_str as a JSON string; null when it is absent. */
json_t *serve_json(th_str string);

/* Bytes as hexadecimal digits, with a NUL behind them. */
void serve_put_hex(const unsigned char *bytes, size_t count, char *out);
/* The digits of `count` random bytes; false if the system has none. */
bool serve_random(char *out, size_t count);
/* A time as ISO 8601, in universal time. */
enum { SERVE_DATE_SIZE = 32 };
const char *serve_date(int64_t seconds, char out[SERVE_DATE_SIZE]);
/* Milliseconds of a clock that nobody sets. */
int64_t serve_now_ms(void);

/* Fills in an error and gives its status. */
th_status serve_error(th_error *err, th_status status, const char *format, ...) TH_PRINTF(3, 4);
th_status serve_no_memory(th_error *err);

#endif
