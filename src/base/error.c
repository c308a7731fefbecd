/* error.c: filling a th_error. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"

static void fill(th_error *err, th_status status, uint64_t offset, const char *format, va_list args)
{
    if (!err)
        return;
    err->status = status;
    err->offset = offset;
    err->line = err->column = 0;
    err->path[0] = err->field[0] = '\0';
    int len = vsnprintf(err->message, sizeof err->message, format, args);
    if (len < 0)
        len = 0, err->message[0] = '\0';
    size_t kept = (size_t)len < sizeof err->message ? (size_t)len : sizeof err->message - 1;
    if ((size_t)len > kept) {
        /* Cut before a character that does not fit whole. */
        size_t lead = kept;
        while (lead && ((unsigned char)err->message[lead - 1] & 0xC0) == 0x80)
            lead--;
        unsigned char first = lead ? (unsigned char)err->message[lead - 1] : 0;
        size_t want = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
        if (first && kept - (lead - 1) < want)
            kept = lead - 1;
        err->message[kept] = '\0';
    }
    for (char *c = err->message; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
}

th_status th__fail(th_error *err, th_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, status, TH_NO_OFFSET, format, args);
    va_end(args);
    return status;
}

th_status th__fail_at(th_error *err, th_status status, uint64_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, status, offset, format, args);
    va_end(args);
    return status;
}

th_status th__fail_memory(th_error *err)
{
    return th__fail(err, TH_ERR_MEMORY, "out of memory");
}

static void put(char *out, size_t size, th_str text)
{
    size_t len = th__utf8_cut(text.ptr, text.len, size - 1);
    memcpy(out, text.ptr ? text.ptr : "", len);
    out[len] = '\0';
}

th_status th__fail_in(th_error *err, th_status status, size_t line, th_str path)
{
    if (!err)
        return status;
    size_t end = path.len, start;
    while (end &&
           (path.ptr[end - 1] == ']' || (path.ptr[end - 1] >= '0' && path.ptr[end - 1] <= '9')))
        end--;
    end -= end && path.ptr[end - 1] == '[';
    for (start = end; start && path.ptr[start - 1] != '.' && path.ptr[start - 1] != ']';)
        start--;
    err->line = line <= UINT32_MAX ? (uint32_t)line : 0;
    put(err->path, sizeof err->path, path);
    put(err->field, sizeof err->field, th__str_slice(path, start, end));
    return status;
}

void th__options_take(void *own, size_t size, const void *given)
{
    size_t known = given ? *(const size_t *)given : 0;
    if (given)
        memcpy(own, given, known && known < size ? known : size);
    *(size_t *)own = size;
}

void th__options_give(void *out, size_t size, const void *defaults, size_t known)
{
    memset(out, 0, size);
    memcpy(out, defaults, size < known ? size : known);
    if (size >= sizeof size)
        *(size_t *)out = size;
}

const char *th_status_name(th_status status)
{
    static const char *const names[] = {
        [TH_OK] = "ok",
        [TH_DONE] = "done",
        [TH_ERR_MEMORY] = "memory",
        [TH_ERR_IO] = "io",
        [TH_ERR_NETWORK] = "network",
        [TH_ERR_FORMAT] = "format",
        [TH_ERR_LIMIT] = "limit",
        [TH_ERR_ARGUMENT] = "argument",
        [TH_ERR_CANCELLED] = "cancelled",
    };
    return (unsigned)status < sizeof names / sizeof *names ? names[status] : "unknown";
}

const char *th_version(void)
{
    return THRESH_VERSION;
}
