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
    /* For data_page.h alone: */
    th__source_points *points; /* NULL: a document */
    const char *start;         /* what `at` is counted from, at byte `from` of the page */
    uint32_t from;
    th__buf keys;  /* that lead to the value at hand, with dots between */
    size_t record; /* where those begin that are inside the innermost item of an array */
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

/* What is written next comes from a place of the text. */
static bool mark(reader *r, const char *place)
{
    bool ok = !r->points ||
              (r->out->len < UINT32_MAX &&
               th__vec_push(r->points, (th__source_point){(uint32_t)r->out->len,
                                                          r->from + (uint32_t)(place - r->start)}));
    r->out->failed |= !ok;
    return ok;
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
        while (r->at < r->end && *r->at != '"' && *r->at != '\\' &&
               (r->points || (unsigned char)*r->at >= ' ')) /* pages have line ends in strings */
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

/* An address on the page's own host: /products/7 */
static bool is_path(th_str text)
{
    bool plain = text.len > 1 && text.ptr[0] == '/';
    for (size_t i = 1; plain && i < text.len; i++)
        plain = (unsigned char)text.ptr[i] > ' ' && !strchr("<>\"\\", text.ptr[i]);
    return plain && (th__is_alpha((unsigned char)text.ptr[1]) ||
                     th__is_digit((unsigned char)text.ptr[1]) || text.ptr[1] == '/');
}

static bool is_image(th_str address)
{
    static const char *const ends[] = {".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg"};
    size_t len = 0;
    while (len < address.len && address.ptr[len] != '?' && address.ptr[len] != '#')
        len++;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        th_str end = th_str_from(ends[i]);
        if (len > end.len && th__str_eq_nocase((th_str){address.ptr + len - end.len, end.len}, end))
            return true;
    }
    return false;
}

/* A string of a data page: read already, `start` to `end` in the source. */
static bool write_data_string(reader *r, const char *start, const char *end)
{
    th_str text = th__str_trim(th__buf_str(&r->text));
    bool link = is_address(text) || is_path(text), image = link && is_image(text);
    return (!link || put(r, image ? "<img src=\"" : "<a href=\"")) && mark(r, start) &&
           put_escaped(r, text) && mark(r, end) && (!link || put(r, image ? "\">" : "\"></a>"));
}

static bool write_string(reader *r)
{
    skip_blanks(r);
    const char *start = r->at + 1;
    if (!read_string(r))
        return false;
    if (r->points)
        return write_data_string(r, start, r->at - 1);
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
    return known && mark(r, from) && th__buf_add_str(r->out, word) && mark(r, r->at);
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
    size_t keys = r->keys.len, record = r->record;
    do {
        if (next(r) == '{')
            r->record = keys;
        bool ok =
            mark(r, r->at) && put(r, begin) &&
            (rows && next(r) == '[' ? write_items(r, "<td>", "</td>", false) : write_value(r)) &&
            put(r, end) && mark(r, r->at);
        if (!ok)
            return false;
        r->record = record;
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

/* The key at hand joins those that lead to it. "@type" is "type"; what a list of JSON-LD or GraphQL
 * calls "item" or "node" is the record itself, and no part of names. */
static bool add_key(reader *r)
{
    th_str key = th__buf_str(&r->text);
    while (key.len && strchr("@$_", key.ptr[0]))
        key = (th_str){key.ptr + 1, key.len - 1};
    if (th__str_eq(key, TH_STR("item")) || th__str_eq(key, TH_STR("node")))
        return true;
    key.len = key.len < MAX_CLASS ? key.len : MAX_CLASS;
    bool ok = r->keys.len == r->record || th__buf_add_byte(&r->keys, '.');
    for (size_t i = 0; ok && i < key.len; i++) { /* priceCurrency is price_currency */
        bool capital = i && key.ptr[i] >= 'A' && key.ptr[i] <= 'Z' && key.ptr[i - 1] >= 'a' &&
                       key.ptr[i - 1] <= 'z';
        ok =
            (!capital || th__buf_add_byte(&r->keys, '_')) && th__buf_add_byte(&r->keys, key.ptr[i]);
    }
    return ok;
}

static bool put_member(reader *r)
{
    bool ok = put_class(r);
    if (!r->points || !ok)
        return ok;
    r->out->len--; /* the ">" */
    if (!add_key(r))
        return false;
    th_str name = {r->keys.data + r->record, r->keys.len - r->record};
    return put(r, " itemprop=\"") && put_escaped(r, name) && put(r, "\">");
}

static bool write_object(reader *r)
{
    size_t keys = r->keys.len;
    if (!take(r, '{') || r->depth == MAX_DEPTH)
        return false;
    if (take(r, '}'))
        return true;
    r->depth++;
    do {
        if (!read_string(r) || !take(r, ':') || !put_member(r) || !write_value(r) ||
            !put(r, "</div>\n"))
            return false;
        r->keys.len = keys;
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

bool th__json_value_write(th__json_value *value, th__buf *out, th__source_points *points)
{
    th_str text = value->text;
    reader r = {.at = text.ptr,
                .end = text.ptr + text.len,
                .out = out,
                .points = points,
                .start = text.ptr,
                .from = value->from};
    bool ok = write_value(&r);
    value->used = (size_t)(r.at - text.ptr);
    out->failed = out->failed || r.text.failed || r.keys.failed;
    th__buf_release(&r.text);
    th__buf_release(&r.keys);
    return ok && !out->failed;
}
