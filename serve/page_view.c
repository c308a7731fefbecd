/*
 * page_view.c: a page as it looks, made safe.
 *
 * It is written from the page's own tree, so that what is shown is what rules see: an element that
 * the tree closed is closed here. Names that are not known to be harmless are written as <th-x>.
 */
#include "page_view.h"

#include <string.h>
#include <strings.h>

enum { LONGEST_VALUE = 4096, LONGEST_STYLE = 256 << 10, LARGE_PAGE = 512 << 10 };

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
    bool large;       /* every element may carry its text itself */
    uint32_t carried; /* the token of a text that its element carries */
    th_text scratch;
} viewer;

/* Elements that look no different when a text's colours are theirs. */
static const char *const inlines[] = {
    "a", "abbr", "b",     "big",  "cite",   "code", "em",  "font", "i",  "kbd", "label", "q",
    "s", "samp", "small", "span", "strong", "sub",  "sup", "time", "tt", "u",   "var",   NULL};

static th_str name_of(const viewer *v, uint32_t node)
{
    th_str name = th_token_name(v->page, th_page_node(v->page, node)->token);
    return is_one_of(name, kept) ? name : th_str_from("th-x");
}

/* The frame has its own html, head and body; what these hold follows. */
static bool is_frame(const viewer *v, uint32_t node)
{
    static const char *const frames[] = {"html", "head", "body", NULL};
    return node && is_one_of(th_token_name(v->page, th_page_node(v->page, node)->token), frames);
}

/* The innermost element around a node that is shown; 0 for none. */
static uint32_t shown_parent(const viewer *v, uint32_t node)
{
    do
        node = th_page_node(v->page, node)->parent;
    while (is_frame(v, node));
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
static bool is_carrier(const viewer *v, uint32_t node, th_str name)
{
    const th_node *n = th_page_node(v->page, node);
    const th_token *tokens = th_page_tokens(v->page);
    uint32_t text = n->token + 1;
    return v->lean && (v->large || is_one_of(name, inlines)) && !is_one_of(name, voids) &&
           text < n->token_end && tokens[text].kind == TH_TOKEN_TEXT &&
           (n->token_end == text + 1 ||
            (n->token_end == text + 2 && tokens[text + 1].kind == TH_TOKEN_END)) &&
           !is_blank(token_text(v, text));
}

static void open_element(viewer *v, uint32_t node)
{
    th_span span = th_page_node_span(v->page, node);
    uint32_t token = th_page_node(v->page, node)->token;
    th_str name = name_of(v, node);
    th_attr attr;
    serve_printf(v->out, "<%.*s", (int)name.len, name.ptr);
    if (!v->lean)
        serve_printf(v->out, " data-n=\"%u\" data-s=\"%u\" data-e=\"%u\"", node, span.start,
                     span.end);
    if (is_carrier(v, node, name)) {
        v->carried = token + 1;
        span = th_page_token_span(v->page, v->carried);
        serve_printf(v->out, " t=%u-%u", span.start, span.end);
    }
    for (th_attr_iter it = th_attrs(v->page, token); th_attr_next(&it, &attr);) {
        put_attribute(&attr, &v->scratch, v->out);
        if (!v->lean || is_named(name, "img"))
            put_target(v->page, &attr, &v->scratch, v->out);
    }
    serve_puts(v->out, ">");
}

static void close_element(viewer *v, uint32_t node)
{
    th_str name = name_of(v, node);
    if (!is_one_of(name, voids))
        serve_printf(v->out, "</%.*s>", (int)name.len, name.ptr);
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
    if (!carried)
        serve_printf(v->out, "<th-t t=%u-%u>", span.start, span.end);
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
    serve_puts(out, "<!doctype html><meta charset=\"utf-8\"><body>");
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
            th_str name = th_token_name(page, token);
            uint32_t here = next++;
            bool style = is_named(name, "style");
            if (style || is_one_of(name, dropped)) {
                if (style)
                    put_style(&v, here);
                skip = th_page_node(page, here)->token_end;
                next = th_page_node(page, here)->end;
                continue;
            }
            if (is_frame(&v, here))
                continue;
            open_element(&v, here);
            node = here;
        } else if (th_page_tokens(page)[token].kind == TH_TOKEN_TEXT) {
            put_text(&v, token);
        }
    }
    th_text_release(&v.scratch);
}
