/*
 * prescan.c: step by step as the standard has it, because pages are written against browsers.
 *
 * The reader is a cursor over the first bytes. Whenever it runs out, inside whatever it was
 * reading, the prescan is over and only an XML declaration can still tell.
 */
#include "page/prescan.h"

typedef struct prescan_reader {
    const char *at, *end;
} prescan_reader;

typedef struct prescan_attr {
    th_str name, value;
} prescan_attr;

static bool starts(const prescan_reader *r, th_str prefix)
{
    return th__str_starts_nocase((th_str){r->at, (size_t)(r->end - r->at)}, prefix);
}

static void skip_blanks(prescan_reader *r)
{
    while (r->at < r->end && th__is_blank((unsigned char)*r->at))
        r->at++;
}

/* Moves to the first of the bytes, or to the end. */
static void skip_to(prescan_reader *r, const char *bytes)
{
    while (r->at < r->end && (*r->at == '\0' || !strchr(bytes, *r->at)))
        r->at++;
}

static void read_value(prescan_reader *r, th_str *value)
{
    skip_blanks(r);
    if (r->at == r->end)
        return;
    if (*r->at == '"' || *r->at == '\'') {
        char quote = *r->at++;
        const char *start = r->at, *close = memchr(start, quote, (size_t)(r->end - start));
        *value = (th_str){start, (size_t)((close ? close : r->end) - start)};
        r->at = close ? close + 1 : r->end;
        return;
    }
    const char *start = r->at;
    skip_to(r, "\t\n\f\r >");
    *value = (th_str){start, (size_t)(r->at - start)};
}

/* "Get an attribute". False at the end of the tag; the reader is at its end when bytes ran out. */
static bool read_attr(prescan_reader *r, prescan_attr *attr)
{
    while (r->at < r->end && (th__is_blank((unsigned char)*r->at) || *r->at == '/'))
        r->at++;
    if (r->at == r->end || *r->at == '>')
        return false;
    const char *start = r->at++; /* a "=" in the first place belongs to the name */
    skip_to(r, "\t\n\f\r />=");
    *attr = (prescan_attr){{start, (size_t)(r->at - start)}, {"", 0}};
    skip_blanks(r);
    if (r->at < r->end && *r->at == '=') {
        r->at++;
        read_value(r, &attr->value);
    }
    return r->at < r->end;
}

/* "Extracting a character encoding from a meta element": the label in `text/html; charset=x`. */
static th_str content_charset(th_str content)
{
    prescan_reader r = {content.ptr, content.ptr + content.len};
    for (; r.at < r.end; r.at++) {
        if (!starts(&r, TH_STR("charset")))
            continue;
        r.at += 7;
        skip_blanks(&r);
        if (r.at == r.end || *r.at != '=') {
            r.at--; /* the loop moves on to what stood there */
            continue;
        }
        r.at++;
        skip_blanks(&r);
        if (r.at == r.end)
            break;
        const char *start = r.at;
        if (*start == '"' || *start == '\'') {
            const char *close = memchr(start + 1, *start, (size_t)(r.end - start - 1));
            return close ? (th_str){start + 1, (size_t)(close - start - 1)} : (th_str){NULL, 0};
        }
        skip_to(&r, "\t\n\f\r ;");
        return (th_str){start, (size_t)(r.at - start)};
    }
    return (th_str){NULL, 0};
}

enum { SEEN_HTTP_EQUIV = 1, SEEN_CONTENT = 2, SEEN_CHARSET = 4 };

/* Reads the attributes of a meta element. NULL when it declares nothing. */
static const th__encoding *read_meta(prescan_reader *r)
{
    const th__encoding *charset = NULL;
    bool got_pragma = false, need_pragma = false, named = false;
    unsigned seen = 0;
    prescan_attr attr;
    while (read_attr(r, &attr)) {
        if (!(seen & SEEN_HTTP_EQUIV) && th__str_eq_nocase(attr.name, TH_STR("http-equiv"))) {
            seen |= SEEN_HTTP_EQUIV;
            got_pragma = th__str_eq_nocase(attr.value, TH_STR("content-type"));
        } else if (!(seen & SEEN_CONTENT) && th__str_eq_nocase(attr.name, TH_STR("content"))) {
            seen |= SEEN_CONTENT;
            const th__encoding *found = th__encoding_find(content_charset(attr.value));
            if (found && !named) {
                charset = found;
                need_pragma = named = true;
            }
        } else if (!(seen & SEEN_CHARSET) && th__str_eq_nocase(attr.name, TH_STR("charset"))) {
            seen |= SEEN_CHARSET;
            charset = th__encoding_find(attr.value);
            need_pragma = false;
            named = true;
        }
    }
    if (r->at == r->end || (need_pragma && !got_pragma))
        return NULL;
    return charset;
}

/* What a declaration in readable ASCII can mean: it is not UTF-16, and x-user-defined is a trick.
 */
static const th__encoding *as_declared(const th__encoding *encoding)
{
    if (encoding && encoding->kind == TH__ENC_UTF16)
        return th__encoding_find(TH_STR("utf-8"));
    if (encoding && strcmp(encoding->name, "x-user-defined") == 0)
        return th__encoding_find(TH_STR("windows-1252"));
    return encoding;
}

/* "Get an XML encoding". */
static const th__encoding *xml_encoding(th_str start)
{
    if (!th__str_starts(start, TH_STR("<?xml")))
        return NULL;
    const char *close = memchr(start.ptr, '>', start.len);
    if (!close)
        return NULL;
    th_str declaration = {start.ptr, (size_t)(close - start.ptr)};
    size_t at = th__str_find(declaration, TH_STR("encoding"));
    if (at == SIZE_MAX)
        return NULL;
    prescan_reader r = {declaration.ptr + at + 8, close};
    while (r.at < r.end && (unsigned char)*r.at <= 0x20)
        r.at++;
    if (r.at == r.end || *r.at++ != '=')
        return NULL;
    while (r.at < r.end && (unsigned char)*r.at <= 0x20)
        r.at++;
    if (r.at == r.end || (*r.at != '"' && *r.at != '\''))
        return NULL;
    char quote = *r.at++;
    const char *end = memchr(r.at, quote, (size_t)(r.end - r.at));
    if (!end)
        return NULL;
    for (const char *c = r.at; c < end; c++)
        if ((unsigned char)*c <= 0x20)
            return NULL;
    const th__encoding *found = th__encoding_find((th_str){r.at, (size_t)(end - r.at)});
    return found && found->kind == TH__ENC_UTF16 ? th__encoding_find(TH_STR("utf-8")) : found;
}

static bool is_name_after(const prescan_reader *r, ptrdiff_t offset)
{
    return r->end - r->at > offset && th__is_alpha((unsigned char)r->at[offset]);
}

/* One construct at the reader's place. The encoding when that was a meta element which has one. */
static const th__encoding *read_construct(prescan_reader *r)
{
    if (starts(r, TH_STR("<!--"))) {
        const char *text = r->at + 2; /* its dashes may be those of the end: <!--> */
        size_t close = th__str_find((th_str){text, (size_t)(r->end - text)}, TH_STR("-->"));
        r->at = close == SIZE_MAX ? r->end : text + close + 2;
    } else if (starts(r, TH_STR("<meta")) && r->end - r->at > 5 &&
               (th__is_blank((unsigned char)r->at[5]) || r->at[5] == '/')) {
        r->at += 5;
        return as_declared(read_meta(r));
    } else if (*r->at == '<' && (is_name_after(r, 1) ||
                                 (r->end - r->at > 1 && r->at[1] == '/' && is_name_after(r, 2)))) {
        prescan_attr attr;
        skip_to(r, "\t\n\f\r >");
        while (read_attr(r, &attr))
            ;
    } else if (starts(r, TH_STR("<!")) || starts(r, TH_STR("</")) || starts(r, TH_STR("<?"))) {
        skip_to(r, ">");
    }
    return NULL;
}

const th__encoding *th__prescan(th_str start)
{
    if (th__str_starts(start, TH_STR("<\0?\0x\0")))
        return th__encoding_find(TH_STR("utf-16le"));
    if (th__str_starts(start, TH_STR("\0<\0?\0x")))
        return th__encoding_find(TH_STR("utf-16be"));
    prescan_reader r = {start.ptr, start.ptr + start.len};
    for (; r.at < r.end; r.at++) {
        const char *open = memchr(r.at, '<', (size_t)(r.end - r.at));
        if (!open)
            break;
        r.at = open;
        const th__encoding *found = read_construct(&r);
        if (found)
            return found;
        if (r.at == r.end)
            break;
    }
    return xml_encoding(start);
}
