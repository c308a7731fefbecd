/*
 * page_view.c: a page as it looks, made safe.
 *
 * It is written from the page's own tree, so that what is shown is what rules see: an element that
 * the tree closed is closed here. Names that are not known to be harmless are written as <th-x>.
 *
 * A browser lays out some ten thousand elements a second at most, and shows a few hundred. So of a
 * large page all but the beginning is marked to be shown later, in portions: an element that holds
 * few tokens goes whole into the portion that it begins in (l=N), and larger ones are there from
 * the start. Portions double, so that a few of them are the whole page.
 */
#include "page_view.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    LONGEST_VALUE = 4096,
    LONGEST_STYLE = 256 << 10,
    LARGE_PAGE = 512 << 10,
    FIRST_PORTION = 4000, /* tokens of a large page that are shown at once: several screens */
    SMALL_ELEMENT = 400   /* tokens of an element that is not parted any more */
};

/* Elements that are left out with all they hold. */
static const char *const dropped[] = {"script",   "noscript", "template", "iframe", "frame",
                                      "frameset", "object",   "embed",    "applet", "link",
                                      "meta",     "base",     "title",    "audio",  "video",
                                      "source",   "track",    "param",    "portal", NULL};
/* Elements that keep their name; the rest becomes th-x, which looks like a span. */
static const char *const kept[] = {
    "a",       "abbr",       "address", "article",  "aside",      "b",      "bdi",      "bdo",
    "big",     "blockquote", "br",      "button",   "caption",    "center", "cite",     "code",
    "col",     "colgroup",   "dd",      "del",      "details",    "dfn",    "dir",      "div",
    "dl",      "dt",         "em",      "fieldset", "figcaption", "figure", "font",     "footer",
    "h1",      "h2",         "h3",      "h4",       "h5",         "h6",     "header",   "hr",
    "i",       "img",        "input",   "ins",      "kbd",        "label",  "legend",   "li",
    "main",    "mark",       "menu",    "nav",      "nobr",       "ol",     "optgroup", "option",
    "p",       "pre",        "q",       "rp",       "rt",         "ruby",   "s",        "samp",
    "section", "select",     "small",   "span",     "strike",     "strong", "sub",      "summary",
    "sup",     "table",      "tbody",   "td",       "textarea",   "tfoot",  "th",       "thead",
    "time",    "tr",         "tt",      "u",        "ul",         "var",    "wbr",      NULL};
static const char *const voids[] = {"br", "col", "hr", "img", "input", "wbr", NULL};
/* Attributes that change how things look. */
static const char *const attributes[] = {
    "align",   "bgcolor", "border", "cellpadding", "cellspacing", "class", "color",
    "colspan", "dir",     "face",   "height",      "hidden",      "lang",  "nowrap",
    "rowspan", "size",    "span",   "start",       "style",       "title", "type",
    "valign",  "value",   "width",  "alt",         NULL};

/* What is known of an element by its name. */
enum {
    DROPPED = 1,
    KEPT = 2,
    VOID = 4,
    INLINE = 8,
    FRAME = 16,
    STYLE = 32,
    IMAGE = 64,
    KNOWN = 128
};

static bool is_one_of(th_str name, const char *const *names)
{
    for (; *names; names++)
        if (strlen(*names) == name.len && !strncasecmp(*names, name.ptr, name.len))
            return true;
    return false;
}

static bool is_named(th_str name, const char *wanted)
{
    return strlen(wanted) == name.len && !strncasecmp(wanted, name.ptr, name.len);
}

static void put_escaped(serve_text *out, const char *text, size_t len)
{
    size_t from = 0;
    for (size_t i = 0; i < len; i++) {
        const char *instead = text[i] == '&'    ? "&amp;"
                              : text[i] == '<'  ? "&lt;"
                              : text[i] == '>'  ? "&gt;"
                              : text[i] == '"'  ? "&quot;"
                              : text[i] == '\0' ? " "
                                                : NULL;
        if (!instead)
            continue;
        serve_put(out, text + from, i - from);
        serve_puts(out, instead);
        from = i + 1;
    }
    serve_put(out, text + from, len - from);
}

/* Styles may not fetch anything nor leave their place: the Content-Security-Policy of the workbench
 * sees to the first, and a frame of its own to the second; what names a URL is left out all the
 * same, so that the page is quiet. */
static bool is_quiet_style(const char *text, size_t len)
{
    static const char *const loud[] = {"url", "import", "expression", "\\", "image-set", "</"};
    for (size_t i = 0; i < len; i++)
        for (size_t w = 0; w < sizeof loud / sizeof *loud; w++)
            if (i + strlen(loud[w]) <= len && !strncasecmp(text + i, loud[w], strlen(loud[w])))
                return false;
    return true;
}

static void put_attribute(const th_attr *attr, th_text *scratch, serve_text *out)
{
    bool style = is_named(attr->name, "style");
    bool image = is_named(attr->name, "src");
    if ((!image && !is_one_of(attr->name, attributes)) || th_attr_text(attr->value, scratch, NULL))
        return;
    if (image ? strncasecmp(scratch->ptr ? scratch->ptr : "", "data:image/", 11) != 0
              : scratch->len > LONGEST_VALUE)
        return;
    if (style && !is_quiet_style(scratch->ptr ? scratch->ptr : "", scratch->len))
        return;
    serve_printf(out, " %.*s=\"", (int)attr->name.len, attr->name.ptr);
    put_escaped(out, scratch->ptr ? scratch->ptr : "", scratch->len);
    serve_puts(out, "\"");
}

/* What a link or an image leads to, for the workbench to show. */
static void put_target(const th_page *page, const th_attr *attr, th_text *scratch, serve_text *out)
{
    th_text absolute = {0};
    if (!is_named(attr->name, "href") && !is_named(attr->name, "src"))
        return;
    if (th_attr_text(attr->value, scratch, NULL) || scratch->len > LONGEST_VALUE ||
        th_page_resolve(page, (th_str){scratch->ptr, scratch->len}, &absolute, NULL)) {
        th_text_release(&absolute);
        return;
    }
    uint32_t start = (uint32_t)(attr->value.ptr - th_page_text(page).ptr);
    serve_printf(out, " data-%.*s-s=\"%u\" data-%.*s-e=\"%u\" data-%.*s=\"", (int)attr->name.len,
                 attr->name.ptr, start, (int)attr->name.len, attr->name.ptr,
                 start + (uint32_t)attr->value.len, (int)attr->name.len, attr->name.ptr);
    put_escaped(out, absolute.ptr ? absolute.ptr : "", absolute.len);
    serve_puts(out, "\"");
    th_text_release(&absolute);
}

typedef struct viewer {
    const th_page *page;
    serve_text *out;
    bool lean;
    bool large;         /* every element may carry its text itself */
    uint32_t carried;   /* the token of a text that its element carries */
    uint32_t portioned; /* tokens up to this one belong to an element that has a portion */
    uint8_t *kinds;     /* what is known of a tag, by its id */
    th_text scratch;
} viewer;

/* Elements that look no different when a text's colours are theirs. */
static const char *const inlines[] = {
    "a", "abbr", "b",     "big",  "cite",   "code", "em",  "font", "i",  "kbd", "label", "q",
    "s", "samp", "small", "span", "strong", "sub",  "sup", "time", "tt", "u",   "var",   NULL};

/* The frame has its own html, head and body; what these hold follows. */
static const char *const frames[] = {"html", "head", "body", NULL};

static uint8_t classify(th_str name)
{
    return (uint8_t)(KNOWN | (is_one_of(name, dropped) ? DROPPED : 0) |
                     (is_one_of(name, kept) ? KEPT : 0) | (is_one_of(name, voids) ? VOID : 0) |
                     (is_one_of(name, inlines) ? INLINE : 0) |
                     (is_one_of(name, frames) ? FRAME : 0) | (is_named(name, "style") ? STYLE : 0) |
                     (is_named(name, "img") ? IMAGE : 0));
}

/* What is known of the element that a token begins. Names are looked at once each. */
static uint8_t kind_of(viewer *v, uint32_t token)
{
    uint16_t tag = th_page_tokens(v->page)[token].tag;
    if (!v->kinds || !tag)
        return classify(th_token_name(v->page, token));
    if (!v->kinds[tag])
        v->kinds[tag] = classify(th_token_name(v->page, token));
    return v->kinds[tag];
}

static uint8_t node_kind(viewer *v, uint32_t node)
{
    return node ? kind_of(v, th_page_node(v->page, node)->token) : 0;
}

static th_str name_of(const viewer *v, uint32_t node, uint8_t kind)
{
    return kind & KEPT ? th_token_name(v->page, th_page_node(v->page, node)->token)
                       : th_str_from("th-x");
}

/* The innermost element around a node that is shown; 0 for none. */
static uint32_t shown_parent(viewer *v, uint32_t node)
{
    do
        node = th_page_node(v->page, node)->parent;
    while (node_kind(v, node) & FRAME);
    return node;
}

static bool is_blank(th_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!text.ptr[i] || !strchr(" \t\r\n\f", text.ptr[i]))
            return false;
    return true;
}

static th_str token_text(const viewer *v, uint32_t token)
{
    th_span span = th_page_token_span(v->page, token);
    return (th_str){th_page_text(v->page).ptr + span.start, span.end - span.start};
}

/* An element that holds one text and nothing else can carry the text's place itself: an element
 * less, of which large pages have tens of thousands. */
static bool is_carrier(const viewer *v, uint32_t node, uint8_t kind)
{
    const th_node *n = th_page_node(v->page, node);
    const th_token *tokens = th_page_tokens(v->page);
    uint32_t text = n->token + 1;
    return v->lean && (v->large || (kind & INLINE)) && !(kind & VOID) && text < n->token_end &&
           tokens[text].kind == TH_TOKEN_TEXT &&
           (n->token_end == text + 1 ||
            (n->token_end == text + 2 && tokens[text + 1].kind == TH_TOKEN_END)) &&
           !is_blank(token_text(v, text));
}

/* " t=START-END": of these a page has tens of thousands. */
static void put_place(viewer *v, th_span span)
{
    char text[32], *at = text + sizeof text;
    size_t len;
    const uint32_t numbers[2] = {span.end, span.start};
    for (int i = 0; i < 2; i++) {
        uint32_t left = numbers[i];
        do
            *--at = (char)('0' + left % 10);
        while (left /= 10);
        *--at = i ? '=' : '-';
    }
    *--at = 't';
    *--at = ' ';
    len = (size_t)(text + sizeof text - at);
    serve_put(v->out, at, len);
}

/* The portion of a large page that a token belongs to, from 0. */
static unsigned portion_of(uint32_t token)
{
    unsigned portion = 0;
    for (uint64_t end = FIRST_PORTION; token >= end; end *= 2)
        portion++;
    return portion;
}

/* Says in which portion an element is shown, when it is the outermost that is not parted. */
static void put_portion(viewer *v, const th_node *node)
{
    if (!v->lean || !v->large || node->token < FIRST_PORTION || node->token < v->portioned ||
        node->token_end - node->token > SMALL_ELEMENT)
        return;
    v->portioned = node->token_end;
    serve_printf(v->out, " l=%u", portion_of(node->token));
}

static void open_element(viewer *v, uint32_t node, uint8_t kind)
{
    const th_node *n = th_page_node(v->page, node);
    th_span span = th_page_node_span(v->page, node);
    th_str name = name_of(v, node, kind);
    th_attr attr;
    serve_put(v->out, "<", 1);
    serve_put(v->out, name.ptr, name.len);
    if (!v->lean)
        serve_printf(v->out, " data-n=\"%u\" data-s=\"%u\" data-e=\"%u\"", node, span.start,
                     span.end);
    if (is_carrier(v, node, kind)) {
        v->carried = n->token + 1;
        put_place(v, th_page_token_span(v->page, v->carried));
    }
    put_portion(v, n);
    for (th_attr_iter it = th_attrs(v->page, n->token); th_attr_next(&it, &attr);) {
        put_attribute(&attr, &v->scratch, v->out);
        if (!v->lean || (kind & IMAGE))
            put_target(v->page, &attr, &v->scratch, v->out);
    }
    serve_put(v->out, ">", 1);
}

static void close_element(viewer *v, uint32_t node)
{
    uint8_t kind = node_kind(v, node);
    th_str name = name_of(v, node, kind);
    if (kind & VOID)
        return;
    serve_put(v->out, "</", 2);
    serve_put(v->out, name.ptr, name.len);
    serve_put(v->out, ">", 1);
}

/* A text stands in an element of its own; blanks stay blanks, which tables and lists are full of.
 */
static void put_text(viewer *v, uint32_t token)
{
    th_span span = th_page_token_span(v->page, token);
    th_str text = token_text(v, token);
    if (is_blank(text)) {
        serve_put(v->out, text.ptr, text.len);
        return;
    }
    if (th_attr_text(text, &v->scratch, NULL))
        return;
    bool carried = token == v->carried;
    if (!carried) {
        serve_put(v->out, "<th-t", 5);
        put_place(v, span);
        serve_put(v->out, ">", 1);
    }
    put_escaped(v->out, v->scratch.ptr, v->scratch.len);
    if (!carried)
        serve_puts(v->out, "</th-t>");
}

/* The content of a <style>, where it is quiet. */
static void put_style(viewer *v, uint32_t node)
{
    const th_node *n = th_page_node(v->page, node);
    for (uint32_t token = n->token + 1; token < n->token_end; token++) {
        th_span span = th_page_token_span(v->page, token);
        const char *text = th_page_text(v->page).ptr + span.start;
        size_t len = span.end - span.start;
        if (th_page_tokens(v->page)[token].kind == TH_TOKEN_END || len > LONGEST_STYLE ||
            !is_quiet_style(text, len))
            continue;
        serve_puts(v->out, "<style>");
        serve_put(v->out, text, len);
        serve_puts(v->out, "</style>");
    }
}

/* What html and body say of all that they hold: script, direction, names for styles. */
static void put_frame(viewer *v, const char *name)
{
    static const char *const whole[] = {"class", "dir", "lang", "bgcolor", NULL};
    enum { LOOKED_AT = 512 }; /* nodes: they stand before what is shown, as a rule */
    uint32_t count = th_page_node_count(v->page), node = 1;
    th_attr attr;
    serve_printf(v->out, "<%s", name);
    if (count > LOOKED_AT)
        count = LOOKED_AT;
    while (node < count &&
           !is_named(th_token_name(v->page, th_page_node(v->page, node)->token), name))
        node++;
    if (node < count)
        for (th_attr_iter it = th_attrs(v->page, th_page_node(v->page, node)->token);
             th_attr_next(&it, &attr);)
            if (is_one_of(attr.name, whole))
                put_attribute(&attr, &v->scratch, v->out);
    serve_puts(v->out, ">");
}

/* One pass over tokens and nodes, both in the order of the source; what is open is found by the
 * nodes' parents, so that no depth costs anything. */
void serve_page_view(const th_page *page, bool lean, serve_text *out)
{
    viewer v = {.page = page,
                .out = out,
                .lean = lean,
                .large = th_page_text(page).len > LARGE_PAGE,
                .carried = UINT32_MAX};
    uint32_t count = th_page_node_count(page), tokens = th_page_token_count(page);
    uint32_t node = 0, next = 1, skip = 0;
    v.kinds = calloc(UINT16_MAX + (size_t)1, 1); /* without it, names are looked at each time */
    serve_puts(out, "<!doctype html>");
    put_frame(&v, "html");
    serve_puts(out, "<meta charset=\"utf-8\">");
    put_frame(&v, "body");
    for (uint32_t token = 0; token <= tokens; token++) {
        while (node && token >= th_page_node(page, node)->token_end) {
            close_element(&v, node);
            node = shown_parent(&v, node);
        }
        if (token == tokens)
            break;
        if (token < skip)
            continue;
        if (next < count && th_page_node(page, next)->token == token) {
            uint32_t here = next++;
            uint8_t kind = kind_of(&v, token);
            if (kind & (STYLE | DROPPED)) {
                if (kind & STYLE)
                    put_style(&v, here);
                skip = th_page_node(page, here)->token_end;
                next = th_page_node(page, here)->end;
                continue;
            }
            if (kind & FRAME)
                continue;
            open_element(&v, here, kind);
            node = here;
        } else if (th_page_tokens(page)[token].kind == TH_TOKEN_TEXT) {
            put_text(&v, token);
        }
    }
    th_text_release(&v.scratch);
    free(v.kinds);
}
