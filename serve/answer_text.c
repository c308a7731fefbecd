/* answer_text.c: what answers are made of. */
#include "answer_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

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
    return text->failed ? serve_no_memory(err) : TH_OK;
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

void serve_put_hex(const unsigned char *bytes, size_t count, char *out)
{
    for (size_t i = 0; i < count; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

bool serve_random(char *out, size_t count)
{
    unsigned char random[64];
    if (count > sizeof random || getrandom(random, count, 0) != (ssize_t)count)
        return false;
    serve_put_hex(random, count, out);
    return true;
}

const char *serve_date(int64_t seconds, char out[SERVE_DATE_SIZE])
{
    time_t time = (time_t)seconds;
    struct tm utc;
    strftime(out, SERVE_DATE_SIZE, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&time, &utc));
    return out;
}

int64_t serve_now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

th_status serve_error(th_error *err, th_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (err) {
        *err = (th_error){.status = status, .offset = TH_NO_OFFSET};
        vsnprintf(err->message, sizeof err->message, format, args);
    }
    va_end(args);
    return status;
}

th_status serve_no_memory(th_error *err)
{
    return serve_error(err, TH_ERR_MEMORY, "out of memory");
}
