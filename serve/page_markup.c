/* page_markup.c: what both views of a page share. */
#include "page_markup.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
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
/* Elements that look no different when a text's colours are theirs. */
static const char *const inlines[] = {
    "a", "abbr", "b",     "big",  "cite",   "code", "em",  "font", "i",  "kbd", "label", "q",
    "s", "samp", "small", "span", "strong", "sub",  "sup", "time", "tt", "u",   "var",   NULL};
/* The frame has its own html, head and body; what these hold follows. */
static const char *const frames[] = {"html", "head", "body", NULL};
/* Elements that keep their name in the page as it looks: they have a look of their own, and without
 * their attributes they do nothing. */
static const char *const looks[] = {"canvas",  "data",     "dialog", "hgroup", "meter", "output",
                                    "picture", "progress", "search", "video",  NULL};
/* Elements that take up room and show a page or a program of their own. */
static const char *const boxes[] = {"iframe", "object", "embed", "applet", NULL};
/* Elements that hold no texts: browsers move these in front of the table. */
static const char *const fosters[] = {"table", "tbody", "thead", "tfoot", "tr", "colgroup", NULL};
/* Elements in which a comment is text. */
static const char *const raw[] = {"textarea", NULL};
/* Attributes that change how things look. */
static const char *const attributes[] = {
    "align",   "bgcolor", "border", "cellpadding", "cellspacing", "class", "color",
    "colspan", "dir",     "face",   "height",      "hidden",      "lang",  "nowrap",
    "rowspan", "size",    "span",   "start",       "style",       "title", "type",
    "valign",  "value",   "width",  "alt",         NULL};

bool serve_is_one_of(th_str name, const char *const *names)
{
    for (; *names; names++)
        if (strlen(*names) == name.len && !strncasecmp(*names, name.ptr, name.len))
            return true;
    return false;
}

bool serve_is_named(th_str name, const char *wanted)
{
    return strlen(wanted) == name.len && !strncasecmp(wanted, name.ptr, name.len);
}

void serve_put_escaped(serve_text *out, const char *text, size_t len)
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

/* What is known by which names. A name may be in several. */
static const struct {
    uint16_t kind;
    const char *const *names;
} kinds[] = {
    {SERVE_DROPPED, dropped},
    {SERVE_KEPT, kept},
    {SERVE_VOID, voids},
    {SERVE_INLINE, inlines},
    {SERVE_FRAME, frames},
    {SERVE_LOOK, looks},
    {SERVE_BOX, boxes},
    {SERVE_FOSTERS, fosters},
    {SERVE_RAW, raw},
    {SERVE_STYLE, (const char *const[]){"style", NULL}},
    {SERVE_IMAGE, (const char *const[]){"img", NULL}},
    {SERVE_SVG, (const char *const[]){"svg", NULL}},
    {SERVE_LINK, (const char *const[]){"link", NULL}},
};

static uint16_t classify(th_str name)
{
    uint16_t kind = SERVE_KNOWN;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (serve_is_one_of(name, kinds[i].names))
            kind |= kinds[i].kind;
    return kind;
}

void serve_markup_init(serve_markup *v, const th_page *page, serve_text *out)
{
    *v = (serve_markup){.page = page, .out = out};
    v->large = th_page_text(page).len > LARGE_PAGE;
    v->kinds = calloc(UINT16_MAX + (size_t)1, sizeof *v->kinds);
}

void serve_markup_release(serve_markup *v)
{
    th_text_release(&v->scratch);
    free(v->kinds);
}

uint16_t serve_token_kind(serve_markup *v, uint32_t token)
{
    uint16_t tag = th_page_tokens(v->page)[token].tag;
    if (!v->kinds || !tag)
        return classify(th_token_name(v->page, token));
    if (!v->kinds[tag])
        v->kinds[tag] = classify(th_token_name(v->page, token));
    return v->kinds[tag];
}

uint16_t serve_node_kind(serve_markup *v, uint32_t node)
{
    return node ? serve_token_kind(v, th_page_node(v->page, node)->token) : 0;
}

uint32_t serve_shown_parent(serve_markup *v, uint32_t node)
{
    do
        node = th_page_node(v->page, node)->parent;
    while (serve_node_kind(v, node) & SERVE_FRAME);
    return node;
}

uint32_t serve_find_frame(const serve_markup *v, const char *name)
{
    enum { LOOKED_AT = 512 }; /* nodes: html and body come first, as a rule */
    uint32_t count = th_page_node_count(v->page);
    for (uint32_t node = 1; node < count && node < LOOKED_AT; node++)
        if (serve_is_named(th_token_name(v->page, th_page_node(v->page, node)->token), name))
            return node;
    return 0;
}

bool serve_is_look_attribute(th_str name)
{
    return serve_is_one_of(name, attributes);
}

bool serve_is_blank(th_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!text.ptr[i] || !strchr(" \t\r\n\f", text.ptr[i]))
            return false;
    return true;
}

th_str serve_token_text(const serve_markup *v, uint32_t token)
{
    th_span span = th_page_token_span(v->page, token);
    return (th_str){th_page_text(v->page).ptr + span.start, span.end - span.start};
}

void serve_put_place(serve_text *out, th_span span)
{
    char text[32], *at = text + sizeof text;
    const uint32_t numbers[2] = {span.end, span.start};
    for (int i = 0; i < 2; i++) {
        uint32_t left = numbers[i];
        do
            *--at = (char)('0' + left % 10);
        while (left /= 10);
        *--at = i ? '=' : '-';
    }
    *--at = 't';
    serve_put(out, at, (size_t)(text + sizeof text - at));
}

/* The portion of a large page that a token belongs to, from 0. */
static unsigned portion_of(uint32_t token)
{
    unsigned portion = 0;
    for (uint64_t end = FIRST_PORTION; token >= end; end *= 2)
        portion++;
    return portion;
}

void serve_put_portion(serve_markup *v, const th_node *node)
{
    if (!v->large || node->token < FIRST_PORTION || node->token < v->portioned ||
        node->token_end - node->token > SMALL_ELEMENT)
        return;
    v->portioned = node->token_end;
    serve_printf(v->out, " l=%u", portion_of(node->token));
}

void serve_put_target(serve_markup *v, const th_attr *attr)
{
    serve_text *out = v->out;
    th_text *scratch = &v->scratch;
    th_text absolute = {0};
    if (!serve_is_named(attr->name, "href") && !serve_is_named(attr->name, "src"))
        return;
    if (th_attr_text(attr->value, scratch, NULL) || scratch->len > SERVE_LONGEST_VALUE ||
        th_page_resolve(v->page, (th_str){scratch->ptr, scratch->len}, &absolute, NULL)) {
        th_text_release(&absolute);
        return;
    }
    uint32_t start = (uint32_t)(attr->value.ptr - th_page_text(v->page).ptr);
    serve_printf(out, " data-%.*s-s=\"%u\" data-%.*s-e=\"%u\" data-%.*s=\"", (int)attr->name.len,
                 attr->name.ptr, start, (int)attr->name.len, attr->name.ptr,
                 start + (uint32_t)attr->value.len, (int)attr->name.len, attr->name.ptr);
    serve_put_escaped(out, absolute.ptr ? absolute.ptr : "", absolute.len);
    serve_puts(out, "\"");
    th_text_release(&absolute);
}
