/*
 * json_page.c: one pass over the text, writing as it reads; nothing but the output is stored.
 *
 * Depth is bounded by MAX_DEPTH: what nests deeper is no list of records.
 */
#include "page/json_page.h"

#include "base/utf8.h"

enum {
    MAX_DEPTH = 64,
    MAX_CLASS = 64,
    MAX_TEXT = 1 << 28 /* bytes: the HTML has up to six times as many */
};

typedef struct json_reader {
    const char *at, *end;
    th__buf *out;
    th__buf text; /* the string at hand */
    int depth;
} reader;

static void skip_blanks(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

/* The next byte that is no blank, or 0. */
static char next(reader *r)
{
    skip_blanks(r);
    return r->at < r->end ? *r->at : 0;
}

static bool take(reader *r, char c)
{
    if (next(r) != c)
        return false;
    r->at++;
    return true;
}

static bool put(reader *r, const char *text)
{
    return th__buf_add_str(r->out, th_str_from(text));
}

/* ---- strings --------------------------------------------------------------------------------- */

static bool read_hex(reader *r, uint32_t *out)
{
    *out = 0;
    if (r->end - r->at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        unsigned char c = (unsigned char)*r->at++;
        if (!th__is_digit(c) && !((c | 32) >= 'a' && (c | 32) <= 'f'))
            return false;
        *out = *out * 16 + (th__is_digit(c) ? c - (uint32_t)'0' : (c | 32u) - 'a' + 10);
    }
    return true;
}

static bool read_code(reader *r)
{
    uint32_t code, low;
    char bytes[4];
    if (!read_hex(r, &code))
        return false;
    if (code >= 0xD800 && code < 0xDC00 && r->end - r->at >= 6 && r->at[0] == '\\' &&
        r->at[1] == 'u') {
        r->at += 2;
        if (!read_hex(r, &low))
            return false;
        code = low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
                                             : 0xFFFD;
    }
    if (!code || (code >= 0xD800 && code < 0xE000))
        code = 0xFFFD;
    return th__buf_add(&r->text, bytes, th__utf8_encode(code, bytes));
}

static bool read_escape(reader *r)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (r->at == r->end)
        return false;
    char c = *r->at++;
    if (c == 'u')
        return read_code(r);
    const char *found = c ? strchr(from, c) : NULL;
    return found && th__buf_add_byte(&r->text, to[found - from]);
}

/* Reads a string into `text`. */
static bool read_string(reader *r)
{
    th__buf_clear(&r->text);
    if (!take(r, '"'))
        return false;
    for (;;) {
        const char *from = r->at;
        while (r->at < r->end && *r->at != '"' && *r->at != '\\' && (unsigned char)*r->at >= ' ')
            r->at++;
        if (!th__buf_add(&r->text, from, (size_t)(r->at - from)) || r->at == r->end)
            return false;
        char c = *r->at++;
        if (c == '"')
            return true;
        if (c != '\\' || !read_escape(r))
            return false;
    }
}

static bool put_escaped(reader *r, th_str text)
{
    bool ok = true;
    for (size_t i = 0; ok && i < text.len; i++) {
        char c = text.ptr[i];
        ok = c == '<'   ? put(r, "&lt;")
             : c == '&' ? put(r, "&amp;")
             : c == '"' ? put(r, "&quot;")
                        : th__buf_add_byte(r->out, c);
    }
    return ok;
}

/* Returns true if a text has a tag in it. */
static bool is_markup(th_str text)
{
    for (size_t i = 0; i + 1 < text.len; i++)
        if (text.ptr[i] == '<' &&
            (th__is_alpha((unsigned char)text.ptr[i + 1]) || text.ptr[i + 1] == '/'))
            return true;
    return false;
}

static bool is_address(th_str text)
{
    bool blank = false;
    for (size_t i = 0; i < text.len; i++)
        blank = blank || th__is_blank((unsigned char)text.ptr[i]);
    return !blank && (th__str_starts_nocase(text, TH_STR("https://")) ||
                      th__str_starts_nocase(text, TH_STR("http://")));
}

static bool write_string(reader *r)
{
    if (!read_string(r))
        return false;
    th_str text = th__buf_str(&r->text);
    if (is_markup(text))
        return th__buf_add_str(r->out, text);
    if (!is_address(text))
        return put_escaped(r, text);
    return put(r, "<a href=\"") && put_escaped(r, text) && put(r, "\">") && put_escaped(r, text) &&
           put(r, "</a>");
}

/* Numbers, true and false as they stand; null is nothing. */
static bool write_word(reader *r)
{
    const char *from = r->at;
    while (r->at < r->end && (th__is_alpha((unsigned char)*r->at) ||
                              th__is_digit((unsigned char)*r->at) || strchr("+-.", *r->at)))
        r->at++;
    th_str word = {from, (size_t)(r->at - from)};
    if (th__str_eq(word, TH_STR("null")))
        return true;
    bool known =
        word.len && (th__is_digit((unsigned char)word.ptr[0]) || word.ptr[0] == '-' ||
                     th__str_eq(word, TH_STR("true")) || th__str_eq(word, TH_STR("false")));
    return known && th__buf_add_str(r->out, word);
}

/* ---- arrays and objects ---------------------------------------------------------------------- */

static bool write_value(reader *r);

/* The items of an array, each in an element; its '[' is next. */
static bool write_items(reader *r, const char *begin, const char *end, bool rows)
{
    if (!take(r, '[') || r->depth == MAX_DEPTH)
        return false;
    if (take(r, ']'))
        return true;
    r->depth++;
    do {
        bool ok =
            put(r, begin) &&
            (rows && next(r) == '[' ? write_items(r, "<td>", "</td>", false) : write_value(r)) &&
            put(r, end);
        if (!ok)
            return false;
    } while (take(r, ','));
    r->depth--;
    return take(r, ']');
}

static bool write_array(reader *r)
{
    const char *start = r->at++;
    bool rows = next(r) == '[';
    r->at = start;
    return rows ? put(r, "<table>\n") && write_items(r, "<tr>", "</tr>\n", true) &&
                      put(r, "</table>\n")
                : put(r, "<ul>\n") && write_items(r, "<li>", "</li>\n", false) && put(r, "</ul>\n");
}

/* A key as a class: what no class can have becomes a dash. */
static bool put_class(reader *r)
{
    size_t len = r->text.len < MAX_CLASS ? r->text.len : MAX_CLASS;
    bool ok = put(r, "<div class=\"");
    for (size_t i = 0; ok && i < len; i++) {
        unsigned char c = (unsigned char)r->text.data[i];
        bool plain = th__is_alpha(c) || th__is_digit(c) || c == '_';
        ok = th__buf_add_byte(r->out, plain ? (char)c : '-');
    }
    return ok && put(r, "\">");
}

static bool write_object(reader *r)
{
    if (!take(r, '{') || r->depth == MAX_DEPTH)
        return false;
    if (take(r, '}'))
        return true;
    r->depth++;
    do {
        if (!read_string(r) || !take(r, ':') || !put_class(r) || !write_value(r) ||
            !put(r, "</div>\n"))
            return false;
    } while (take(r, ','));
    r->depth--;
    return take(r, '}');
}

/* Recursion is bounded by MAX_DEPTH. */
static bool write_value(reader *r)
{
    switch (next(r)) {
    case '[':
        return write_array(r);
    case '{':
        return write_object(r);
    case '"':
        return write_string(r);
    default:
        return write_word(r);
    }
}

/* ---- documents ------------------------------------------------------------------------------- */

bool th__json_page_may_be(th_str text)
{
    text = th__str_trim(text);
    if (text.len < 2 || text.len > MAX_TEXT)
        return false;
    char last = text.ptr[text.len - 1];
    return (text.ptr[0] == '{' && last == '}') || (text.ptr[0] == '[' && last == ']');
}

bool th__json_page_write(th_str text, th__buf *out)
{
    reader r = {.at = text.ptr, .end = text.ptr + text.len, .out = out};
    bool ok = put(&r, "<html><body>\n") && write_value(&r) && put(&r, "</body></html>\n") &&
              !next(&r) && r.at == r.end;
    out->failed = out->failed || r.text.failed;
    th__buf_release(&r.text);
    return ok;
}
