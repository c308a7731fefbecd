/*
 * warc.c: the record headers of WARC (ISO 28500, versions 0.17 to 1.1) and, below, of ARC.
 *
 *     WARC/1.0
 *     WARC-Type: response
 *     WARC-Target-URI: http://example.org/
 *     Content-Type: application/http; msgtype=response
 *     Content-Length: 1234
 *     (blank line)
 */

#include "feed/archive.h"
#include "feed/http_message.h"

static bool warc_starts(th_str bytes)
{
    if (bytes.len < 9 || memcmp(bytes.ptr, "WARC/", 5) ||
        !th__is_digit((unsigned char)bytes.ptr[5]) || bytes.ptr[6] != '.' ||
        !th__is_digit((unsigned char)bytes.ptr[7]))
        return false;
    size_t i = th__is_digit((unsigned char)bytes.ptr[8]) ? 9 : 8;
    while (i < bytes.len && i < 12 && bytes.ptr[i] == '\r')
        i++;
    return i < bytes.len && bytes.ptr[i] == '\n';
}

static size_t warc_seek(th_str bytes, size_t from)
{
    size_t hit = th__str_find((th_str){bytes.ptr + from, bytes.len - from}, TH_STR("WARC/"));
    return hit == SIZE_MAX ? hit : from + hit;
}

static th__record_kind kind_of(th_str type)
{
    static const struct {
        th_str name;
        th__record_kind kind;
    } kinds[] = {{{"response", 8}, TH__RECORD_RESPONSE},
                 {{"resource", 8}, TH__RECORD_RESOURCE},
                 {{"revisit", 7}, TH__RECORD_REVISIT}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (th__str_eq_nocase(type, kinds[i].name))
            return kinds[i].kind;
    return TH__RECORD_SKIP;
}

static void take_field(th_str name, th_str value, th__record *out)
{
    if (th__str_eq_nocase(name, TH_STR("warc-type"))) {
        out->kind = kind_of(value);
    } else if (th__str_eq_nocase(name, TH_STR("content-length"))) {
        out->has_length = th__http_number(value, &out->length);
    } else if (th__str_eq_nocase(name, TH_STR("content-type"))) {
        out->type = value;
    } else if (th__str_eq_nocase(name, TH_STR("warc-target-uri"))) {
        /* Some versions of Wget put the URI in angle brackets. */
        if (value.len > 1 && value.ptr[0] == '<' && value.ptr[value.len - 1] == '>')
            value = (th_str){value.ptr + 1, value.len - 2};
        out->uri = value;
    }
}

/* A response or resource is what its block's type says, where it says so. */
static void settle_kind(th__record *record)
{
    bool http = th__str_starts_nocase(record->type, TH_STR("application/http"));
    if (record->kind == TH__RECORD_RESOURCE && http)
        record->kind = TH__RECORD_RESPONSE;
    if ((record->kind == TH__RECORD_RESPONSE || record->kind == TH__RECORD_REVISIT) && !http &&
        record->type.len)
        record->kind = record->kind == TH__RECORD_RESPONSE && th__type_is_html(record->type)
                           ? TH__RECORD_RESOURCE
                           : TH__RECORD_SKIP;
}

static size_t warc_parse(th_str bytes, th__record *out)
{
    th_str rest = bytes, line, name, value;
    *out = (th__record){0};
    th__http_line(&rest, &line);
    for (th_str before = rest; th__http_line(&rest, &line); before = rest) {
        if (warc_starts(before)) {
            /* The header was cut off, and this is another record. */
            out->has_length = false;
            return bytes.len - before.len;
        }
        if (line.len == 0) {
            settle_kind(out);
            return bytes.len - rest.len;
        }
        if (th__http_field(line, &name, &value))
            take_field(name, value, out);
    }
    return 0;
}

const th__archive_format th__warc_format = {"WARC", warc_starts, warc_seek, warc_parse};

/*
 * ARC (the Internet Archive's format before WARC, versions 1 and 2):
 *
 *     http://example.org/ 192.0.2.1 20010203040506 text/html 1234
 *     http://example.org/ 192.0.2.1 20010203040506 text/html 200 - - 678 x.arc 1234
 *
 * The URL may contain blanks, and so may the type: the date is what can be told for sure, the
 * field before it is the address, all before that the URL, and the last field the length.
 */

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

static bool arc_starts(th_str bytes)
{
    arc_line line;
    return read_line(bytes, &line);
}

/* Records begin at line starts. */
static size_t arc_seek(th_str bytes, size_t from)
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

static size_t arc_parse(th_str bytes, th__record *out)
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

const th__archive_format th__arc_format = {"ARC", arc_starts, arc_seek, arc_parse};
