/*
 * warc.c: the record header of WARC (ISO 28500, versions 0.17 to 1.1).
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

static bool starts(th_str bytes)
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

static size_t seek(th_str bytes, size_t from)
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

static size_t parse(th_str bytes, th__record *out)
{
    th_str rest = bytes, line, name, value;
    *out = (th__record){0};
    th__http_line(&rest, &line);
    for (th_str before = rest; th__http_line(&rest, &line); before = rest) {
        if (starts(before)) {
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

const th__archive_format th__warc_format = {"WARC", starts, seek, parse};
