/*
 * data_page.c: scripts and microdata become HTML, with points that lead back.
 *
 * Each byte of a script is looked at once; a value that turns out to be no JSON is given up where
 * it fails. It is looked for behind each "=" of a script, so that bytes may be read again inside of
 * what was given up: READ_AGAIN bounds how often. Nothing is written for a script whose JSON is
 * broken, deeper than json_page.c allows, or larger than LARGEST_SCRIPT.
 */
#include "page/data_page.h"

#include "base/error.h"
#include "base/mem.h"
#include "page/charref.h"
#include "page/json_page.h"
#include "page/text.h"

enum {
    LEAST_VALUE = 24,          /* bytes: shorter ones are settings */
    LARGEST_SCRIPT = 64 << 20, /* bytes */
    LARGEST_DATA = 256 << 20,  /* bytes of the data page */
    READ_AGAIN = 4,            /* each byte, on average */
    LONGEST_NAME = 64,
    DEEPEST_ITEM = 64 /* of microdata: further ones are not looked into */
};

struct data_maker {
    const th_page *page;
    th__buf out, text;
    th__source_points points;
    size_t budget; /* bytes that may still be read */
    bool failed;   /* no memory */
};

static bool put(struct data_maker *m, const char *text)
{
    return th__buf_add_str(&m->out, th_str_from(text));
}

static bool mark(struct data_maker *m, const char *place)
{
    return th__vec_push(&m->points, (th__source_point){(uint32_t)m->out.len,
                                                       (uint32_t)(place - m->page->text.ptr)});
}

static bool is_name_byte(unsigned char c)
{
    return th__is_alpha(c) || th__is_digit(c) || c == '_' || c == '$';
}

/* A name as a class; letters, digits and dashes are left. */
static bool put_class(struct data_maker *m, th_str name)
{
    bool ok = true;
    name.len = name.len < LONGEST_NAME ? name.len : LONGEST_NAME;
    for (size_t i = 0; ok && i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        ok = th__buf_add_byte(&m->out, is_name_byte(c) && c != '$' ? (char)c : '-');
    }
    return ok;
}

static bool put_escaped(struct data_maker *m, th_str text)
{
    bool ok = true;
    for (size_t i = 0; ok && i < text.len; i++) {
        char c = text.ptr[i];
        ok = c == '<'   ? put(m, "&lt;")
             : c == '&' ? put(m, "&amp;")
             : c == '"' ? put(m, "&quot;")
                        : th__buf_add_byte(&m->out, c);
    }
    return ok;
}

/* ---- scripts --------------------------------------------------------------------------------- */

/* Writes the value that a text begins with as a section. Returns how many bytes were read, also
 * when it is no value and nothing is written. */
static size_t write_value(struct data_maker *m, th_str name, th_str text)
{
    size_t len = m->out.len, points = m->points.len;
    th__json_value value = {text, (uint32_t)(text.ptr - m->page->text.ptr), 0};
    bool written = put(m, "<section class=\"") && put_class(m, name) && put(m, "\"><div>\n") &&
                   th__json_value_write(&value, &m->out, &m->points) &&
                   put(m, "</div></section>\n");
    m->failed |= m->out.failed;
    m->budget -= value.used < m->budget ? value.used : m->budget;
    if (!written || value.used < LEAST_VALUE || m->out.len > LARGEST_DATA) {
        m->out.len = len;
        m->points.len = points;
    }
    return value.used;
}

static bool is_json(th_str type)
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
            at += write_value(m, name, (th_str){at, (size_t)(end - at)});
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
        write_value(m, id, (th_str){text.ptr + at, text.len - at});
}

static void read_scripts(struct data_maker *m)
{
    const th_page *page = m->page;
    for (uint32_t t = 0; t + 1 < page->token_count && !m->failed; t++) {
        const th_token *token = &page->tokens[t];
        if (token->kind != TH_TOKEN_START || token->tag != TH_TAG_SCRIPT ||
            token[1].kind != TH_TOKEN_RAW)
            continue;
        th_str text = th__token_text(page, t + 1), type = {0};
        if (text.len < LEAST_VALUE || text.len > LARGEST_SCRIPT)
            continue;
        th_attr_get(page, t, "type", &type);
        type = th__str_trim(type);
        if (is_json(type))
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
    return (th_str){type.ptr + at, type.len - at};
}

struct open_item {
    uint32_t node;
    size_t keys; /* bytes of the keys before it */
};

static bool open_element(struct data_maker *m, const char *tag, th_str name, th_str keys)
{
    return th__buf_printf(&m->out, "<%s class=\"", tag) && put_class(m, name) &&
           put(m, "\" itemprop=\"") && put_escaped(m, keys) && put(m, "\">");
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
    return open_element(m, "div", data->property, keys) && (!element || put(m, element)) &&
           mark(m, source.ptr) && put_escaped(m, text) && mark(m, source.ptr + source.len) &&
           (!element || put(m, tag == TH_TAG_IMG ? "\">" : "\"></a>")) && put(m, "</div>\n");
}

static bool close_item(struct data_maker *m, uint32_t node, bool outer)
{
    th_span span = th_page_node_span(m->page, node);
    return put(m, outer ? "</li>" : "</div>") && mark(m, m->page->text.ptr + span.end) &&
           put(m, "\n");
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
    bool ok = put(m, "<section class=\"microdata\"><ul>\n");
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
            ok = mark(m, page->text.ptr + span.start) &&
                 open_element(m, depth ? "div" : "li",
                              nested ? data.property : short_type(data.type), th__buf_str(&keys));
            open[depth++] = (struct open_item){n, before};
        } else {
            ok = ok && (data.item || write_property(m, n, &data, th__buf_str(&keys)));
            keys.len = before;
        }
    }
    ok = ok && put(m, "</ul></section>\n") && !keys.failed;
    th__buf_release(&keys);
    return ok;
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

static th_status make(const th_page *page, bool empty, th_page **out, th_error *err)
{
    struct data_maker m = {.page = page, .budget = (size_t)READ_AGAIN * page->text.len};
    bool ok = put(&m, "<html><body>\n");
    size_t begin = m.out.len;
    *out = NULL;
    if (ok)
        read_scripts(&m);
    if (ok && !m.failed && may_have_items(page->text))
        ok = write_microdata(&m);
    bool any = m.out.len > begin;
    ok = ok && !m.failed && put(&m, "</body></html>\n");
    th_status status = !ok ? th__fail_memory(err) : any || empty ? parse(&m, out, err) : TH_OK;
    th__buf_release(&m.out);
    th__buf_release(&m.text);
    th__vec_release(&m.points);
    return status;
}

th_status th__data_page_make(const th_page *page, th_page **out, th_error *err)
{
    *out = NULL;
    return th__page_is_data(page) ? TH_OK : make(page, false, out, err);
}

th_status th__data_page_of(const th_page *page, th_page **out, th_error *err)
{
    return th__page_is_data(page) ? th_page_copy(page, out, err) : make(page, true, out, err);
}

/* The last point at or before a byte; then as many bytes on as there are up to the next one. */
static uint32_t source_of(const th_page *data, uint32_t at)
{
    const th__source_point *points = data->points;
    uint32_t low = 0, high = data->point_count;
    if (!high || points[0].at > at)
        return high ? points[0].from : 0;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (points[middle].at <= at)
            low = middle;
        else
            high = middle;
    }
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
