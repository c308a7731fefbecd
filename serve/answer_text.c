/* answer_text.c: text that grows, for answers. */
#include "answer_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void serve_text_release(serve_text *text)
{
    free(text->ptr);
    *text = (serve_text){0};
}

static bool reserve(serve_text *text, size_t more)
{
    if (text->failed)
        return false;
    if (text->cap - text->len > more)
        return true;
    size_t cap = text->cap * 2 > text->len + more + 1 ? text->cap * 2 : text->len + more + 1;
    char *grown = realloc(text->ptr, cap);
    text->failed = !grown;
    if (!grown)
        return false;
    text->ptr = grown;
    text->cap = cap;
    return true;
}

void serve_put(serve_text *text, const void *bytes, size_t len)
{
    if (!reserve(text, len))
        return;
    if (len)
        memcpy(text->ptr + text->len, bytes, len);
    text->len += len;
    text->ptr[text->len] = '\0';
}

void serve_puts(serve_text *text, const char *string)
{
    serve_put(text, string, strlen(string));
}

void serve_printf(serve_text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len >= 0 && reserve(text, (size_t)len)) {
        vsnprintf(text->ptr + text->len, (size_t)len + 1, format, again);
        text->len += (size_t)len;
    }
    va_end(again);
}

void serve_put_json(serve_text *text, th_str string)
{
    json_t *value = serve_json(string);
    char *dumped = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    if (dumped)
        serve_puts(text, dumped);
    else
        text->failed = true;
    free(dumped);
    json_decref(value);
}

static th_status write_text(void *context, const char *bytes, size_t len, th_error *err)
{
    serve_text *text = context;
    serve_put(text, bytes, len);
    if (!text->failed)
        return TH_OK;
    if (err)
        *err = (th_error){TH_ERR_MEMORY, TH_NO_OFFSET, "out of memory"};
    return TH_ERR_MEMORY;
}

th_sink serve_text_sink(serve_text *text)
{
    return (th_sink){write_text, text};
}

/* The bytes of the character that a text begins with; 0 when it is not UTF-8. Jansson knows. */
static size_t character(th_str text)
{
    for (size_t len = 1; len <= 4 && len <= text.len; len++) {
        json_t *value = json_stringn(text.ptr, len);
        json_decref(value);
        if (value)
            return len;
    }
    return 0;
}

/* Names of files and messages with them may be any bytes, and a message may be cut in the middle of
 * a character; JSON has to be UTF-8. */
static json_t *lossy(th_str string)
{
    serve_text copy = {0};
    for (size_t at = 0; at < string.len;) {
        size_t len = character((th_str){string.ptr + at, string.len - at});
        serve_put(&copy, len ? string.ptr + at : "\xEF\xBF\xBD", len ? len : 3);
        at += len ? len : 1;
    }
    json_t *value = copy.failed ? NULL : json_stringn(copy.ptr, copy.len);
    serve_text_release(&copy);
    return value;
}

json_t *serve_json(th_str string)
{
    if (!string.ptr)
        return json_null();
    json_t *value = json_stringn(string.ptr, string.len);
    return value ? value : lossy(string);
}
