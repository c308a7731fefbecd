/*
 * data_page.c: JSON becomes HTML; so do scripts and microdata, with points that lead back.
 *
 * JSON is written in the pass that reads it; nothing but the output is stored, and its depth is
 * bounded: what nests deeper is not a list of records. Each byte of a script is looked at once; a
 * value that turns out not to be JSON is given up where it fails. It is looked for behind each "="
 * of a script, so that bytes may be read again inside of what was given up: READ_AGAIN bounds how
 * often. Nothing is written for a script whose JSON is broken, too deep, or larger than
 * LARGEST_SCRIPT.
 */
#include "page/data_page.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "page/charref.h"
#include "page/text.h"

enum {
    LARGEST_DOCUMENT = 1 << 28, /* bytes: the HTML has up to six times as many */
    LARGEST_SCRIPT = 64 << 20,  /* bytes */
    LARGEST_DATA = 256 << 20,   /* bytes of the data page */
    LEAST_VALUE = 24,           /* bytes: shorter ones are settings */
    READ_AGAIN = 4,             /* each byte, on average */
    LONGEST_NAME = 64,
    DEEPEST_VALUE = 64,
    DEEPEST_ITEM = 64 /* of microdata: further ones are not looked into */
};

static inline bool put(th__buf *out, const char *text)
{
    return th__buf_add(out, text, strlen(text));
}

static bool put_escaped(th__buf *out, th_str text)
{
    size_t from = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c > '<' || (c != '<' && c != '&' && c != '"'))
            continue;
        th__buf_add(out, text.ptr + from, i - from);
        put(out, c == '<' ? "&lt;" : c == '&' ? "&amp;" : "&quot;");
        from = i + 1;
    }
    return th__buf_add(out, text.ptr + from, text.len - from);
}

/* A name as a class: what no class can have becomes a dash. */
static bool put_class(th__buf *out, th_str name)
{
    if (!th__buf_reserve(out, LONGEST_NAME))
        return false;
    for (size_t i = 0; i < name.len && i < LONGEST_NAME; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        bool plain = th__is_alpha(c) || th__is_digit(c) || c == '_';
        out->data[out->len++] = plain ? (char)c : '-';
    }
    return true;
}

/* What is written next comes from a byte of the page. */
static bool put_point(const th__buf *out, th__source_points *points, uint32_t from)
{
    return out->len < UINT32_MAX &&
           th__vec_push(points, (th__source_point){(uint32_t)out->len, from});
}

/* ---- JSON ------------------------------------------------------------------------------------ */

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

/* The next byte that is not a blank, or 0. */
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

/* What is written next comes from a place of the text. */
static bool mark(reader *r, const char *place)
{
    bool ok = !r->points || put_point(r->out, r->points, r->from + (uint32_t)(place - r->start));
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
    if (!th__str_starts_nocase(text, TH_STR("https://")) &&
        !th__str_starts_nocase(text, TH_STR("http://")))
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (th__is_blank((unsigned char)text.ptr[i]))
            return false;
    return true;
}

/* An address on the page's own host: /products/7 */
static bool is_path(th_str text)
{
    bool plain = text.len > 1 && text.ptr[0] == '/';
    for (size_t i = 1; plain && i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        plain = c > ' ' && c != '<' && c != '>' && c != '"' && c != '\\';
    }
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
    return (!link || put(r->out, image ? "<img src=\"" : "<a href=\"")) && mark(r, start) &&
           put_escaped(r->out, text) && mark(r, end) &&
           (!link || put(r->out, image ? "\">" : "\"></a>"));
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
        return put_escaped(r->out, text);
    return put(r->out, "<a href=\"") && put_escaped(r->out, text) && put(r->out, "\">") &&
           put_escaped(r->out, text) && put(r->out, "</a>");
}

/* Numbers, true and false as they are; null is nothing. */
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
    if (!take(r, '[') || r->depth == DEEPEST_VALUE)
        return false;
    if (take(r, ']'))
        return true;
    r->depth++;
    size_t keys = r->keys.len, record = r->record;
    do {
        if (next(r) == '{')
            r->record = keys;
        bool ok =
            mark(r, r->at) && put(r->out, begin) &&
            (rows && next(r) == '[' ? write_items(r, "<td>", "</td>", false) : write_value(r)) &&
            put(r->out, end) && mark(r, r->at);
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
    return rows ? put(r->out, "<table>\n") && write_items(r, "<tr>", "</tr>\n", true) &&
                      put(r->out, "</table>\n")
                : put(r->out, "<ul>\n") && write_items(r, "<li>", "</li>\n", false) &&
                      put(r->out, "</ul>\n");
}

/* The key at hand joins those that lead to it. "@type" is "type"; what a list of JSON-LD or GraphQL
 * calls "item" or "node" is the record itself, and no part of names. */
static bool add_key(reader *r)
{
    th_str key = th__buf_str(&r->text);
    while (key.len && (key.ptr[0] == '@' || key.ptr[0] == '$' || key.ptr[0] == '_'))
        key = (th_str){key.ptr + 1, key.len - 1};
    if (th__str_eq(key, TH_STR("item")) || th__str_eq(key, TH_STR("node")))
        return true;
    key.len = key.len < LONGEST_NAME ? key.len : LONGEST_NAME;
    if (!th__buf_reserve(&r->keys, 1 + 2 * LONGEST_NAME))
        return false;
    char *to = r->keys.data + r->keys.len;
    if (r->keys.len > r->record)
        *to++ = '.';
    for (size_t i = 0; i < key.len; i++) { /* priceCurrency is price_currency */
        if (i && key.ptr[i] >= 'A' && key.ptr[i] <= 'Z' && key.ptr[i - 1] >= 'a' &&
            key.ptr[i - 1] <= 'z')
            *to++ = '_';
        *to++ = key.ptr[i];
    }
    r->keys.len = (size_t)(to - r->keys.data);
    return true;
}

static bool put_member(reader *r)
{
    bool ok = put(r->out, "<div class=\"") && put_class(r->out, th__buf_str(&r->text));
    if (ok && r->points) {
        ok = add_key(r);
        th_str name = {r->keys.data + r->record, r->keys.len - r->record};
        ok = ok && put(r->out, "\" itemprop=\"") && put_escaped(r->out, name);
    }
    return ok && put(r->out, "\">");
}

static bool write_object(reader *r)
{
    size_t keys = r->keys.len;
    if (!take(r, '{') || r->depth == DEEPEST_VALUE)
        return false;
    if (take(r, '}'))
        return true;
    r->depth++;
    do {
        if (!read_string(r) || !take(r, ':') || !put_member(r) || !write_value(r) ||
            !put(r->out, "</div>\n"))
            return false;
        r->keys.len = keys;
    } while (take(r, ','));
    r->depth--;
    return take(r, '}');
}

/* Recursion is bounded by DEEPEST_VALUE. */
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

/* Returns true if a text may be a document of JSON: an array or object from end to end. */
static bool may_be_json(th_str text)
{
    text = th__str_trim(text);
    if (text.len < 2 || text.len > LARGEST_DOCUMENT)
        return false;
    char last = text.ptr[text.len - 1];
    return (text.ptr[0] == '{' && last == '}') || (text.ptr[0] == '[' && last == ']');
}

bool th__json_page_write(th_str text, th__buf *out)
{
    reader r = {.at = text.ptr, .end = text.ptr + text.len, .out = out};
    bool ok = may_be_json(text) && put(out, "<html><body>\n") && write_value(&r) &&
              put(out, "</body></html>\n") && !next(&r) && r.at == r.end;
    out->failed = out->failed || r.text.failed;
    th__buf_release(&r.text);
    return ok;
}

struct data_maker {
    const th_page *page;
    th__buf out, text;
    th__source_points points;
    size_t budget; /* bytes that may still be read */
    bool failed;   /* no memory */
};

static bool mark_place(struct data_maker *m, const char *place)
{
    return put_point(&m->out, &m->points, (uint32_t)(place - m->page->text.ptr));
}

static bool is_name_byte(unsigned char c)
{
    return th__is_alpha(c) || th__is_digit(c) || c == '_' || c == '$';
}

/* ---- scripts --------------------------------------------------------------------------------- */

/* Writes the value that a text begins with as a section. Returns how many bytes were read, even if
 * it is not a strict value or nests too deeply, and nothing is written. */
static size_t write_section(struct data_maker *m, th_str name, th_str text)
{
    size_t len = m->out.len, points = m->points.len;
    reader r = {.at = text.ptr,
                .end = text.ptr + text.len,
                .out = &m->out,
                .points = &m->points,
                .start = text.ptr,
                .from = (uint32_t)(text.ptr - m->page->text.ptr)};
    bool written = put(&m->out, "<section class=\"") && put_class(&m->out, name) &&
                   put(&m->out, "\"><div>\n") && write_value(&r) &&
                   put(&m->out, "</div></section>\n");
    size_t used = (size_t)(r.at - text.ptr);
    m->failed |= m->out.failed || r.text.failed || r.keys.failed;
    m->budget -= used < m->budget ? used : m->budget;
    if (!written || used < LEAST_VALUE || m->out.len > LARGEST_DATA) {
        m->out.len = len;
        m->points.len = points;
    }
    th__buf_release(&r.text);
    th__buf_release(&r.keys);
    return used;
}

static bool is_json_type(th_str type)
{
    size_t params = 0;
    while (params < type.len && type.ptr[params] != ';')
        params++;
    type = th__str_trim((th_str){type.ptr, params});
    return th__str_eq_nocase(type, TH_STR("application/json")) ||
           th__str_eq_nocase(type, TH_STR("text/json")) ||
           (type.len > 5 &&
            th__str_eq_nocase((th_str){type.ptr + type.len - 5, 5}, TH_STR("+json")));
}

static bool is_program(th_str type)
{
    return !type.len || th__str_eq_nocase(type, TH_STR("module")) ||
           th__str_eq_nocase(type, TH_STR("text/javascript")) ||
           th__str_eq_nocase(type, TH_STR("application/javascript"));
}

/* The name that a value gets in a program: what is before the "=" in `window.data = `, `var data =`
 * or `window["data"] =`. */
static th_str assigned_name(const char *begin, const char *equals)
{
    const char *end = equals;
    while (end > begin && (th__is_blank((unsigned char)end[-1]) || strchr("\"']", end[-1])))
        end--;
    const char *at = end;
    while (at > begin && is_name_byte((unsigned char)at[-1]))
        at--;
    return (th_str){at, (size_t)(end - at)};
}

/* Values behind an "=" that is neither part of a comparison nor of an arrow. */
static void read_program(struct data_maker *m, th_str text)
{
    const char *at = text.ptr, *end = text.ptr + text.len;
    while (at < end && m->budget && !m->failed && (at = memchr(at, '=', (size_t)(end - at)))) {
        const char *equals = at++;
        while (at < end && th__is_blank((unsigned char)*at))
            at++;
        if (at == end || (*at != '{' && *at != '['))
            continue;
        th_str name = assigned_name(text.ptr, equals);
        if (name.len)
            at += write_section(m, name, (th_str){at, (size_t)(end - at)});
    }
}

/* JSON may be inside of a comment, as it is in pages that are XHTML: <!-- or <![CDATA[. */
static void read_json(struct data_maker *m, uint32_t token, th_str type, th_str text)
{
    th_str id = {0};
    size_t at = 0;
    while (at < text.len && text.ptr[at] != '{' && text.ptr[at] != '[')
        at++;
    if (text.len - at > 7 && !memcmp(text.ptr + at, "[CDATA[", 7))
        at += 7;
    while (at < text.len && text.ptr[at] != '{' && text.ptr[at] != '[')
        at++;
    if (!th_attr_get(m->page, token, "id", &id) || !id.len)
        id = th__str_starts_nocase(type, TH_STR("application/ld")) ? TH_STR("ld-json")
                                                                   : TH_STR("json");
    if (at < text.len)
        write_section(m, id, (th_str){text.ptr + at, text.len - at});
}

static void read_scripts(struct data_maker *m)
{
    const th_page *page = m->page;
    for (uint32_t n = 1; n < page->node_count && !m->failed; n++) {
        if (page->tags[n] != TH_TAG_SCRIPT)
            continue;
        uint32_t t = page->nodes[n].token;
        if (t + 1 >= page->token_count || page->tokens[t + 1].kind != TH_TOKEN_RAW)
            continue;
        th_str text = th__token_text(page, t + 1), type = {0};
        if (text.len < LEAST_VALUE || text.len > LARGEST_SCRIPT)
            continue;
        th_attr_get(page, t, "type", &type);
        type = th__str_trim(type);
        if (is_json_type(type))
            read_json(m, t, type, text);
        else if (is_program(type))
            read_program(m, text);
    }
}

/* ---- microdata ------------------------------------------------------------------------------- */

/* What is between the tags of an element. */
static th_span span_inside(const th_page *page, uint32_t node)
{
    const th_node *n = &page->nodes[node];
    uint32_t end = n->token_end;
    end -= end > n->token + 1 && page->tokens[end - 1].kind == TH_TOKEN_END;
    return (th_span){page->tokens[n->token + 1].start, page->tokens[end].start};
}

/* What the attributes of an element say of it as an item or a property. */
struct microdata {
    bool item;
    th_str type, property, content, address, value;
};

static bool read_microdata(const th_page *page, uint32_t token, struct microdata *out)
{
    th_attr attr;
    *out = (struct microdata){0};
    if (!(page->tokens[token].flags & TH_TOKEN_HAS_ATTRS))
        return false;
    for (th_attr_iter it = th_attrs(page, token); th_attr_next(&it, &attr);) {
        if (th__str_eq_nocase(attr.name, TH_STR("itemscope")))
            out->item = true;
        else if (th__str_eq_nocase(attr.name, TH_STR("itemtype")))
            out->type = th__str_trim(attr.value);
        else if (th__str_eq_nocase(attr.name, TH_STR("itemprop")))
            out->property = th__str_trim(attr.value);
        else if (th__str_eq_nocase(attr.name, TH_STR("content")) ||
                 th__str_eq_nocase(attr.name, TH_STR("datetime")) ||
                 th__str_eq_nocase(attr.name, TH_STR("value")))
            out->content = attr.value;
        else if (th__attribute_is_link(attr.name))
            out->address = attr.value;
    }
    for (size_t i = 0; i < out->property.len; i++) /* the first of several */
        if (th__is_blank((unsigned char)out->property.ptr[i]))
            out->property.len = i;
    return out->item || out->property.len;
}

/* https://schema.org/Product is Product. */
static th_str short_type(th_str type)
{
    size_t at = type.len;
    while (at && type.ptr[at - 1] != '/' && type.ptr[at - 1] != '#')
        at--;
    return th__str_slice(type, at, type.len);
}

struct open_item {
    uint32_t node;
    size_t keys; /* bytes of the keys before it */
};

static bool open_element(struct data_maker *m, const char *tag, th_str name, th_str keys)
{
    return th__buf_printf(&m->out, "<%s class=\"", tag) && put_class(&m->out, name) &&
           put(&m->out, "\" itemprop=\"") && put_escaped(&m->out, keys) && put(&m->out, "\">");
}

static bool write_property(struct data_maker *m, uint32_t node, const struct microdata *data,
                           th_str keys)
{
    const th_page *page = m->page;
    uint16_t tag = page->tags[node];
    th_span span = span_inside(page, node);
    th_str source = data->content.len ? data->content : data->address;
    bool address = !data->content.len && data->address.len;
    th__buf_clear(&m->text);
    bool ok = true;
    if (source.len) {
        ok = th__decode_refs(source, true, &m->text);
    } else if (span.end - span.start <= m->budget) {
        source = th__page_slice(page, span.start, span.end);
        m->budget -= span.end - span.start;
        ok = th__span_text(page, span, &m->text);
    }
    th_str text = th__str_trim(th__buf_str(&m->text));
    if (!ok || !text.len)
        return ok;
    const char *element = !address ? NULL : tag == TH_TAG_IMG ? "<img src=\"" : "<a href=\"";
    return open_element(m, "div", data->property, keys) && (!element || put(&m->out, element)) &&
           mark_place(m, source.ptr) && put_escaped(&m->out, text) &&
           mark_place(m, source.ptr + source.len) &&
           (!element || put(&m->out, tag == TH_TAG_IMG ? "\">" : "\"></a>")) &&
           put(&m->out, "</div>\n");
}

static bool close_item(struct data_maker *m, uint32_t node, bool outer)
{
    th_span span = th_page_node_span(m->page, node);
    return put(&m->out, outer ? "</li>" : "</div>") &&
           mark_place(m, m->page->text.ptr + span.end) && put(&m->out, "\n");
}

/* Returns true if a text has the word itemscope. Its "p" is the rarest of its letters: to look for
 * that takes a tenth of the time that memmem takes. */
static bool may_have_items(th_str text)
{
    enum { BEFORE = 7 };
    const char *at = text.ptr + BEFORE, *end = text.ptr + text.len;
    if (text.len < BEFORE + 2)
        return false;
    for (; at + 1 < end && (at = memchr(at, 'p', (size_t)(end - at - 1))); at++)
        if (!memcmp(at - BEFORE, "itemscope", BEFORE + 2))
            return true;
    return false;
}

/* The items of the page, each with those that are its properties inside. */
static bool write_microdata(struct data_maker *m)
{
    const th_page *page = m->page;
    struct open_item open[DEEPEST_ITEM];
    struct microdata data;
    th__buf keys = {0};
    size_t depth = 0;
    bool ok = put(&m->out, "<section class=\"microdata\"><ul>\n");
    for (uint32_t n = 1; ok && n <= page->node_count; n++) {
        while (ok && depth &&
               (n == page->node_count || n >= page->nodes[open[depth - 1].node].end)) {
            depth--;
            keys.len = open[depth].keys;
            ok = close_item(m, open[depth].node, !depth);
        }
        if (n == page->node_count || !ok || !read_microdata(page, page->nodes[n].token, &data) ||
            (!data.item && !depth) || m->out.len > LARGEST_DATA)
            continue;
        size_t before = keys.len;
        if (depth && data.property.len)
            ok = (!keys.len || th__buf_add_byte(&keys, '.')) &&
                 th__buf_add_str(&keys, data.property);
        if (ok && data.item && depth < DEEPEST_ITEM) {
            th_span span = th_page_node_span(page, n);
            bool nested = depth && data.property.len;
            ok = mark_place(m, page->text.ptr + span.start) &&
                 open_element(m, depth ? "div" : "li",
                              nested ? data.property : short_type(data.type), th__buf_str(&keys));
            open[depth++] = (struct open_item){n, before};
        } else {
            ok = ok && (data.item || write_property(m, n, &data, th__buf_str(&keys)));
            keys.len = before;
        }
    }
    ok = ok && put(&m->out, "</ul></section>\n") && !keys.failed;
    th__buf_release(&keys);
    return ok;
}

/* ---- is it worth it? ------------------------------------------------------------------------- */

/* The start tag of the member or item that a value, which is at `at`, is of; a link or a picture
 * is inside of it. */
static th_str tag_before(const struct data_maker *m, size_t at)
{
    const char *text = m->out.data, *end = text + at;
    const char *tag = memrchr(text, '<', at);
    if (tag && end[-1] == '"') {
        end = tag;
        tag = memrchr(text, '<', (size_t)(tag - text));
    }
    return (th_str){tag, tag ? (size_t)(end - tag) : 0};
}

/* Returns true if scripts hold as many values of one kind as `least` asks for, and as many of them
 * end like a text of the list; with ends that are NULL all do. Adds up the bytes of the values that
 * it looks at. A value is written between two points, and nothing else there begins with neither a
 * tag nor the end of one. Values that end with a reference count as known. */
static bool has_kind(struct data_maker *m, const th__data_least *least, const th__key_map *ends,
                     size_t *bytes)
{
    struct data_kind {
        size_t values, known;
    };
    const th_str url = m->page->base.ptr ? m->page->base : m->page->url;
    TH__VEC(struct data_kind) kinds = {0};
    th__key_map numbers = {0}; /* of kinds */
    bool has = false;
    for (size_t i = 0; i + 1 < m->points.len && !m->failed; i++) {
        size_t at = m->points.data[i].at;
        th_str text = {m->out.data + at, m->points.data[i + 1].at - at}, tag;
        if (!text.len || *text.ptr == '<' || *text.ptr == '"')
            continue;
        tag = tag_before(m, at);
        uint32_t number = th__key_map_number(&numbers, th__hash(tag.ptr, tag.len));
        if (!number || (number > kinds.len && !th__vec_push(&kinds, (struct data_kind){0}))) {
            m->failed = true;
            break;
        }
        struct data_kind *kind = &kinds.data[number - 1];
        size_t end = text.len < TH__TEXT_END ? text.len : TH__TEXT_END;
        kind->values++;
        kind->known += !ends || memchr(text.ptr + text.len - end, ';', end) ||
                       th__key_map_get(ends, th__text_end(text));
        *bytes += text.len + (*text.ptr == '/' ? url.len : 0);
        has |= kind->values >= least->values && kind->known >= least->known;
    }
    th__vec_release(&kinds);
    th__key_map_release(&numbers);
    return has;
}

/* Returns true if the scripts hold enough: see th__data_least. */
static bool has_enough(struct data_maker *m, const th__data_least *least)
{
    size_t bytes = 0, again = 0;
    if (!m->points.len)
        return false;
    bool many = has_kind(m, least, NULL, &bytes);
    if (m->failed || least->is_more(least->list, bytes))
        return !m->failed;
    const th__key_map *ends = many ? least->ends(least->list) : NULL;
    m->failed = many && !ends;
    return ends && has_kind(m, least, ends, &again);
}

/* ---- the page -------------------------------------------------------------------------------- */

static th_status parse(struct data_maker *m, th_page **out, th_error *err)
{
    th_parser *parser = NULL;
    th_page_source source = {.url = m->page->base.ptr ? m->page->base : m->page->url,
                             .charset = TH_STR("utf-8")};
    th_status status = th_parser_new(NULL, &parser, err);
    if (!status)
        status = th_parser_parse_copy(parser, th__buf_str(&m->out), &source, out, err);
    th_parser_free(parser);
    if (status)
        return status;
    size_t size = m->points.len * sizeof *m->points.data;
    th__source_point *points = th__arena_alloc(&(*out)->arena, size + 1);
    if (!points) {
        th_page_free(*out);
        *out = NULL;
        return th__fail_memory(err);
    }
    if (size)
        memcpy(points, m->points.data, size);
    (*out)->points = points;
    (*out)->point_count = (uint32_t)m->points.len;
    return TH_OK;
}

static th_status make(const th_page *page, bool empty, const th__data_least *least, th_page **out,
                      th_error *err)
{
    struct data_maker m = {.page = page, .budget = (size_t)READ_AGAIN * page->text.len};
    bool ok = put(&m.out, "<html><body>\n");
    size_t begin = m.out.len;
    *out = NULL;
    if (ok)
        read_scripts(&m);
    bool wanted = !least || has_enough(&m, least);
    if (ok && wanted && !m.failed && may_have_items(page->text))
        ok = write_microdata(&m);
    bool any = wanted && m.out.len > begin;
    ok = ok && !m.failed && put(&m.out, "</body></html>\n");
    th_status status = !ok ? th__fail_memory(err) : any || empty ? parse(&m, out, err) : TH_OK;
    th__buf_release(&m.out);
    th__buf_release(&m.text);
    th__vec_release(&m.points);
    return status;
}

th_status th__data_page_make(const th_page *page, const th__data_least *least, th_page **out,
                             th_error *err)
{
    *out = NULL;
    return th__page_is_data(page) ? TH_OK : make(page, false, least, out, err);
}

th_status th__data_page_of(const th_page *page, th_page **out, th_error *err)
{
    return th__page_is_data(page) ? th_page_copy(page, out, err) : make(page, true, NULL, out, err);
}

/* The last point at or before a byte; then as many bytes on as there are up to the next one. */
static uint32_t source_of(const th_page *data, uint32_t at)
{
    const th__source_point *points = data->points;
    size_t low = th__count_first(i, data->point_count, points[i].at <= at);
    if (!low--)
        return data->point_count ? points[0].from : 0;
    uint32_t from = points[low].from + (at - points[low].at);
    uint32_t most = low + 1 < data->point_count ? points[low + 1].from : 0;
    most = most > points[low].from ? most : points[low].from;
    return from < most ? from : most;
}

th_span th__data_span(const th_page *data, th_span span)
{
    if (span.end <= span.start)
        return (th_span){0};
    uint32_t start = source_of(data, span.start), end = source_of(data, span.end);
    return (th_span){start, end > start ? end : start};
}
