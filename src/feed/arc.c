/*
 * arc.c: the record header of ARC (the Internet Archive's format before WARC, versions 1 and 2).
 *
 *     http://example.org/ 192.0.2.1 20010203040506 text/html 1234
 *     http://example.org/ 192.0.2.1 20010203040506 text/html 200 - - 678 x.arc 1234
 *
 * The URL may contain blanks, and so may the type: the date is what can be told for sure, the
 * field before it is the address, all before that the URL, and the last field the length.
 */
#include "feed/archive.h"
#include "feed/http_message.h"

enum { MAX_LINE = 16 << 10, MAX_FIELDS = 64 };

typedef struct arc_line {
    th_str url, type, length;
    size_t len; /* with its end */
} arc_line;

static bool is_date(th_str field)
{
    if (field.len < 12 || field.len > 18)
        return false;
    for (size_t i = 0; i < field.len; i++)
        if (!th__is_digit((unsigned char)field.ptr[i]))
            return false;
    return true;
}

static bool is_address(th_str field)
{
    if (th__str_eq(field, TH_STR("-")) || th__str_eq(field, TH_STR("unknown")))
        return true;
    for (size_t i = 0; i < field.len; i++) {
        unsigned char c = (unsigned char)field.ptr[i];
        if (!th__is_digit(c) && c != '.' && c != ':' &&
            !(th__lower(c) >= 'a' && th__lower(c) <= 'f'))
            return false;
    }
    return field.len > 1;
}

/* Splits at blanks from the right, so that a long URL costs nothing. Last field first. */
static size_t split_back(th_str line, th_str *fields)
{
    size_t count = 0, end = line.len;
    while (end && count < MAX_FIELDS) {
        size_t start = end;
        while (start && line.ptr[start - 1] != ' ')
            start--;
        if (end > start)
            fields[count++] = (th_str){line.ptr + start, end - start};
        end = start ? start - 1 : 0;
    }
    return count;
}

static bool read_line(th_str bytes, arc_line *out)
{
    th_str fields[MAX_FIELDS];
    size_t limit = bytes.len < MAX_LINE ? bytes.len : MAX_LINE;
    const char *end = limit ? memchr(bytes.ptr, '\n', limit) : NULL;
    if (!end || !th__is_alpha((unsigned char)bytes.ptr[0]))
        return false;
    out->len = (size_t)(end - bytes.ptr) + 1;
    th_str line = th__str_trim((th_str){bytes.ptr, out->len});
    size_t count = split_back(line, fields);
    for (size_t i = 2; i + 2 < count; i++) {
        if (!is_date(fields[i]) || !is_address(fields[i + 1]))
            continue;
        out->length = fields[0];
        out->type = fields[i - 1];
        if (out->type.len && out->type.ptr[out->type.len - 1] == ';')
            out->type.len--;
        out->url = th__str_trim((th_str){line.ptr, (size_t)(fields[i + 1].ptr - line.ptr)});
        return memchr(out->url.ptr, ':', out->url.len) != NULL;
    }
    return false;
}

static bool starts(th_str bytes)
{
    arc_line line;
    return read_line(bytes, &line);
}

/* Records begin at line starts. */
static size_t seek(th_str bytes, size_t from)
{
    for (size_t i = from; i < bytes.len;) {
        const char *end = memchr(bytes.ptr + i, '\n', bytes.len - i);
        if (!end)
            return SIZE_MAX;
        i = (size_t)(end - bytes.ptr) + 1;
        if (i < bytes.len && th__is_alpha((unsigned char)bytes.ptr[i]))
            return i;
    }
    return SIZE_MAX;
}

static size_t parse(th_str bytes, th__record *out)
{
    arc_line line;
    if (!read_line(bytes, &line))
        return 0;
    *out = (th__record){.kind = TH__RECORD_RESPONSE, .uri = line.url, .type = line.type};
    if (!th__str_starts_nocase(line.url, TH_STR("http")))
        out->kind = TH__RECORD_SKIP; /* filedesc: and dns: */
    out->has_length = th__http_number(line.length, &out->length);
    return line.len;
}

const th__archive_format th__arc_format = {"ARC", starts, seek, parse};
