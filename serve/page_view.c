/*
 * page_view.c: the plain view of a page.
 *
 * It is written from the page's own tree, so that what is shown is what rules see: an element that
 * the tree closed is closed here. Names that are not known to be harmless are written as <th-x>.
 */
#include "page_view.h"

#include <string.h>
#include <strings.h>

#include "css.h"
#include "page_markup.h"

enum { LONGEST_STYLE = 256 << 10 };

typedef struct viewer {
    serve_markup m;
    bool lean;
    uint32_t carried; /* the token of a text that its element carries */
    serve_text style;
} viewer;

static void put_attribute(viewer *v, const th_attr *attr)
{
    bool image = serve_is_named(attr->name, "src");
    if ((!image && !serve_is_look_attribute(attr->name)) ||
        th_attr_text(attr->value, &v->m.scratch, NULL))
        return;
    th_str value = {v->m.scratch.ptr ? v->m.scratch.ptr : "", v->m.scratch.len};
    if (image ? strncasecmp(value.ptr, "data:image/", 11) != 0 : value.len > SERVE_LONGEST_VALUE)
        return;
    if (serve_is_named(attr->name, "style")) {
        v->style.len = 0;
        serve_css(value, SERVE_CSS_DECLARATIONS, NULL, &v->style);
        value = (th_str){v->style.ptr ? v->style.ptr : "", v->style.len};
    }
    serve_printf(v->m.out, " %.*s=\"", (int)attr->name.len, attr->name.ptr);
    serve_put_escaped(v->m.out, value.ptr, value.len);
    serve_puts(v->m.out, "\"");
}

static th_str name_of(const viewer *v, uint32_t node, uint16_t kind)
{
    return kind & SERVE_KEPT ? th_token_name(v->m.page, th_page_node(v->m.page, node)->token)
                             : th_str_from("th-x");
}

/* An element that holds one text and nothing else can carry the text's place itself: an element
 * less, of which large pages have tens of thousands. */
static bool is_carrier(const viewer *v, uint32_t node, uint16_t kind)
{
    const th_node *n = th_page_node(v->m.page, node);
    const th_token *tokens = th_page_tokens(v->m.page);
    uint32_t text = n->token + 1;
    return v->lean && (v->m.large || (kind & SERVE_INLINE)) && !(kind & SERVE_VOID) &&
           text < n->token_end && tokens[text].kind == TH_TOKEN_TEXT &&
           (n->token_end == text + 1 ||
            (n->token_end == text + 2 && tokens[text + 1].kind == TH_TOKEN_END)) &&
           !serve_is_blank(serve_token_text(&v->m, text));
}

static void open_element(viewer *v, uint32_t node, uint16_t kind)
{
    const th_node *n = th_page_node(v->m.page, node);
    th_span span = th_page_node_span(v->m.page, node);
    th_str name = name_of(v, node, kind);
    th_attr attr;
    serve_put(v->m.out, "<", 1);
    serve_put(v->m.out, name.ptr, name.len);
    if (!v->lean)
        serve_printf(v->m.out, " data-n=\"%u\" data-s=\"%u\" data-e=\"%u\"", node, span.start,
                     span.end);
    if (is_carrier(v, node, kind)) {
        v->carried = n->token + 1;
        serve_puts(v->m.out, " ");
        serve_put_place(v->m.out, th_page_token_span(v->m.page, v->carried));
    }
    if (v->lean)
        serve_put_portion(&v->m, n);
    for (th_attr_iter it = th_attrs(v->m.page, n->token); th_attr_next(&it, &attr);) {
        put_attribute(v, &attr);
        if (!v->lean || (kind & SERVE_IMAGE))
            serve_put_target(&v->m, &attr);
    }
    serve_put(v->m.out, ">", 1);
}

static void close_element(viewer *v, uint32_t node)
{
    uint16_t kind = serve_node_kind(&v->m, node);
    th_str name = name_of(v, node, kind);
    if (kind & SERVE_VOID)
        return;
    serve_put(v->m.out, "</", 2);
    serve_put(v->m.out, name.ptr, name.len);
    serve_put(v->m.out, ">", 1);
}

/* A text gets an element of its own; blanks, of which tables and lists are full, do not. */
static void put_text(viewer *v, uint32_t token)
{
    th_span span = th_page_token_span(v->m.page, token);
    th_str text = serve_token_text(&v->m, token);
    if (serve_is_blank(text)) {
        serve_put(v->m.out, text.ptr, text.len);
        return;
    }
    if (th_attr_text(text, &v->m.scratch, NULL))
        return;
    bool carried = token == v->carried;
    if (!carried) {
        serve_puts(v->m.out, "<th-t ");
        serve_put_place(v->m.out, span);
        serve_put(v->m.out, ">", 1);
    }
    serve_put_escaped(v->m.out, v->m.scratch.ptr, v->m.scratch.len);
    if (!carried)
        serve_puts(v->m.out, "</th-t>");
}

/* The content of a <style>. */
static void put_style(viewer *v, uint32_t node)
{
    const th_node *n = th_page_node(v->m.page, node);
    for (uint32_t token = n->token + 1; token < n->token_end; token++) {
        th_str text = serve_token_text(&v->m, token);
        if (th_page_tokens(v->m.page)[token].kind == TH_TOKEN_END || text.len > LONGEST_STYLE)
            continue;
        serve_puts(v->m.out, "<style>");
        serve_css(text, SERVE_CSS_SHEET, NULL, v->m.out);
        serve_puts(v->m.out, "</style>");
    }
}

/* What html and body say of all that they hold: script, direction, names for styles. */
static void put_frame(viewer *v, const char *name)
{
    static const char *const whole[] = {"class", "dir", "lang", "bgcolor", NULL};
    uint32_t node = serve_find_frame(&v->m, name);
    th_attr attr;
    serve_printf(v->m.out, "<%s", name);
    if (node)
        for (th_attr_iter it = th_attrs(v->m.page, th_page_node(v->m.page, node)->token);
             th_attr_next(&it, &attr);)
            if (serve_is_one_of(attr.name, whole))
                put_attribute(v, &attr);
    serve_puts(v->m.out, ">");
}

/* One pass over tokens and nodes, both in the order of the source; what is open is found by the
 * nodes' parents, so that no depth costs anything. */
void serve_page_view(const th_page *page, bool lean, serve_text *out)
{
    viewer v = {.lean = lean, .carried = UINT32_MAX};
    uint32_t count = th_page_node_count(page), tokens = th_page_token_count(page);
    uint32_t node = 0, next = 1, skip = 0;
    serve_markup_init(&v.m, page, out);
    serve_puts(out, "<!doctype html>");
    put_frame(&v, "html");
    serve_puts(out, "<meta charset=\"utf-8\">");
    put_frame(&v, "body");
    for (uint32_t token = 0; token <= tokens; token++) {
        while (node && token >= th_page_node(page, node)->token_end) {
            close_element(&v, node);
            node = serve_shown_parent(&v.m, node);
        }
        if (token == tokens)
            break;
        if (token < skip)
            continue;
        if (next < count && th_page_node(page, next)->token == token) {
            uint32_t here = next++;
            uint16_t kind = serve_token_kind(&v.m, token);
            if (kind & (SERVE_STYLE | SERVE_DROPPED)) {
                if (kind & SERVE_STYLE)
                    put_style(&v, here);
                skip = th_page_node(page, here)->token_end;
                next = th_page_node(page, here)->end;
                continue;
            }
            if (kind & SERVE_FRAME)
                continue;
            open_element(&v, here, kind);
            node = here;
        } else if (th_page_tokens(page)[token].kind == TH_TOKEN_TEXT) {
            put_text(&v, token);
        }
    }
    serve_text_release(&v.style);
    serve_markup_release(&v.m);
}
