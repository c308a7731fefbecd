/* answer_text.h: text that grows, for answers. A failure to grow is kept and checked once. */
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

#endif
