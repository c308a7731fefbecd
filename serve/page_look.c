/*
 * page_look.c: a page as it looks, made safe.
 *
 * What a browser does with a document is decided by its names of elements and attributes: only
 * those that are listed here and in page_markup.c are written, with values that cannot end early.
 * What the server's Content-Security-Policy and the frame's sandbox forbid is left out all the
 * same.
 */
#include "page_look.h"

#include <string.h>
#include <strings.h>

#include "page_markup.h"

enum {
    LONGEST_STYLE = 1 << 20,        /* of one <style> */
    LONGEST_DECLARATIONS = 1 << 18, /* of a style attribute, with images in it */
    LONGEST_DRAWING = 1 << 18,      /* of an attribute of SVG: a path */
    LONGEST_NAME = 64,
    MOST_USES = 2000 /* of parts of drawings by others */
};

typedef struct looker {
    serve_markup m;
    const serve_css_names *names;
    serve_text made; /* a value that is being made */
    bool in_body;    /* of what is written */
    uint32_t svg;    /* the outermost <svg> that is open; 0: none */
    unsigned uses;
} looker;

/* ---- names ----------------------------------------------------------------------------------- */

/* Names are words between blanks. */

/* Elements of drawings. None of them runs or fetches anything. */
static const char drawn[] =
    " svg g path rect circle ellipse line polyline polygon text tspan defs symbol use"
    " linearGradient radialGradient stop clipPath mask pattern marker filter feGaussianBlur"
    " feOffset feMerge feMergeNode feColorMatrix feBlend feFlood feComposite feDropShadow style ";
static const char drawing[] =
    " d x y x1 x2 y1 y2 cx cy fx fy r rx ry dx dy width height viewBox preserveAspectRatio"
    " points transform rotate fill fill-opacity fill-rule stroke stroke-width stroke-opacity"
    " stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset"
    " opacity color display visibility overflow offset stop-color stop-opacity gradientUnits"
    " gradientTransform spreadMethod clip-path clip-rule clipPathUnits mask maskUnits"
    " maskContentUnits mask-type filter filterUnits primitiveUnits patternUnits"
    " patternContentUnits patternTransform marker-start marker-mid marker-end markerWidth"
    " markerHeight markerUnits orient refX refY font-family font-size font-style font-weight"
    " letter-spacing text-anchor dominant-baseline alignment-baseline baseline-shift textLength"
    " lengthAdjust vector-effect shape-rendering text-rendering in in2 result stdDeviation"
    " values type mode operator k1 k2 k3 k4 flood-color flood-opacity"
    " color-interpolation-filters pathLength ";
/* Attributes that styles select by or that change how things look, besides those of the plain
 * view. Not `name`: an image or a form could replace a function of the document by its name. */
static const char also[] =
    " id role checked cols disabled for high label low max min multiple open optimum"
    " placeholder readonly required reversed rows selected wrap controls ";
/* What the workbench says itself. */
static const char ours[] = " data-href data-href-s data-href-e data-src data-src-s data-src-e ";

/* Returns true if a name is one of the words, whatever its case. */
static bool is_word_of(th_str name, const char *words)
{
    for (const char *at = words; *at; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        if (strcspn(at, " ") == name.len && name.len && !strncasecmp(at, name.ptr, name.len))
            return true;
    }
    return false;
}

static bool is_plain_name(th_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (i && c >= '0' && c <= '9') ||
              (i && (c == '-' || c == '_' || c == '.'))))
            return false;
    }
    return name.len && name.len <= LONGEST_NAME;
}

/* Elements that scripts of the page would define: without scripts they are nothing. A few names
 * with a hyphen mean something in SVG and MathML, of which there is none outside of drawings. */
static bool is_custom(th_str name)
{
    return is_plain_name(name) && memchr(name.ptr, '-', name.len) &&
           !serve_is_named(name, "annotation-xml");
}

static bool is_kept_attribute(th_str name, bool svg)
{
    if (is_word_of(name, also) || serve_is_look_attribute(name))
        return true;
    if (svg && is_word_of(name, drawing))
        return true;
    return name.len > 5 && is_plain_name(name) && !is_word_of(name, ours) &&
           (!strncasecmp(name.ptr, "data-", 5) || !strncasecmp(name.ptr, "aria-", 5));
}

/* The name that an element is written with. */
static th_str written_name(looker *l, uint32_t node, uint16_t kind)
{
    th_str name = th_token_name(l->m.page, th_page_node(l->m.page, node)->token);
    if (l->svg)
        return serve_is_named(name, "a") ? th_str_from("g") : name;
    if (kind & (SERVE_KEPT | SERVE_LOOK) || is_custom(name))
        return name;
    return th_str_from(kind & SERVE_BOX               ? "canvas"
                       : serve_is_named(name, "form") ? "th-form"
                                                      : "th-x");
}

/* ---- attributes ------------------------------------------------------------------------------ */

static void put_value(looker *l, th_str name, th_str value)
{
    serve_puts(l->m.out, " ");
    serve_put(l->m.out, name.ptr, name.len);
    serve_puts(l->m.out, "=\"");
    serve_put_escaped(l->m.out, value.ptr, value.len);
    serve_puts(l->m.out, "\"");
}

/* The text of an attribute; false when it is too long to be of use. */
static bool read_value(looker *l, th_str raw, size_t most, th_str *value)
{
    if (raw.len > most || th_attr_text(raw, &l->m.scratch, NULL))
        return false;
    *value = (th_str){l->m.scratch.ptr ? l->m.scratch.ptr : "", l->m.scratch.len};
    return true;
}

static void put_made(looker *l, th_str name)
{
    put_value(l, name, (th_str){l->made.ptr ? l->made.ptr : "", l->made.len});
}

static void put_style_attribute(looker *l, const th_attr *attr)
{
    th_str value;
    if (!read_value(l, attr->value, LONGEST_DECLARATIONS, &value))
        return;
    l->made.len = 0;
    serve_css(value, SERVE_CSS_DECLARATIONS, l->names, &l->made);
    put_made(l, attr->name);
}

/* A reference from one part of a drawing to another. A part that is used may not use others itself:
 * such parts could be doubled without end. */
static void put_part(looker *l, uint32_t node, th_str value)
{
    static const char *const gradients[] = {"linearGradient", "radialGradient", NULL};
    th_str part = {value.ptr + 1, value.len - 1}, id;
    th_str name = th_token_name(l->m.page, th_page_node(l->m.page, node)->token);
    bool use = serve_is_named(name, "use");
    if (value.len < 2 || *value.ptr != '#' || !is_plain_name(part) || l->uses >= MOST_USES ||
        (!use && !serve_is_one_of(name, gradients)))
        return;
    for (uint32_t up = node; use && up; up = th_page_node(l->m.page, up)->parent) {
        if (th_attr_get(l->m.page, th_page_node(l->m.page, up)->token, "id", &id))
            return;
        if (up == l->svg)
            break;
    }
    l->uses++;
    put_value(l, th_str_from("href"), value);
}

static void put_attribute(looker *l, uint32_t node, const th_attr *attr)
{
    th_str value, name = attr->name;
    bool part = l->svg && (serve_is_named(name, "href") || serve_is_named(name, "xlink:href"));
    if (serve_is_named(name, "style")) {
        put_style_attribute(l, attr);
        return;
    }
    if (!part && !is_kept_attribute(name, l->svg))
        return;
    if (!read_value(l, attr->value, l->svg ? LONGEST_DRAWING : SERVE_LONGEST_VALUE, &value))
        return;
    if (part) {
        put_part(l, node, value);
    } else if (l->svg &&
               (memchr(value.ptr, '(', value.len) || memchr(value.ptr, '\\', value.len))) {
        l->made.len = 0;
        serve_css(value, SERVE_CSS_DECLARATIONS, l->names, &l->made);
        put_made(l, name);
    } else {
        put_value(l, name, value);
    }
}

/* ---- images ---------------------------------------------------------------------------------- */

/* Writes the image that an attribute names. */
static bool put_image(looker *l, const char *name, th_str raw)
{
    th_str value;
    if (!read_value(l, raw, SIZE_MAX, &value))
        return false;
    while (value.len && serve_is_blank((th_str){value.ptr, 1}))
        value = (th_str){value.ptr + 1, value.len - 1};
    if (value.len > 11 && !strncasecmp(value.ptr, "data:image/", 11)) {
        put_value(l, th_str_from(name), value);
        return true;
    }
    l->made.len = 0;
    if (!value.len || !l->names ||
        !l->names->find(l->names->context, value, SERVE_CSS_IMAGE, &l->made))
        return false;
    put_made(l, th_str_from(name));
    return true;
}

/* The first URL of a srcset that is at hand. */
static bool put_one_of_set(looker *l, th_str raw)
{
    th_text set = {0};
    bool found = false;
    if (th_attr_text(raw, &set, NULL))
        return false;
    for (char *at = set.ptr, *end = set.ptr + set.len; !found && at && at < end;) {
        size_t skip = strspn(at, " \t\r\n\f,"), len = strcspn(at + skip, " \t\r\n\f");
        th_str url = {at + skip, len};
        while (url.len && url.ptr[url.len - 1] == ',')
            url.len--;
        l->made.len = 0;
        found = url.len && l->names &&
                l->names->find(l->names->context, url, SERVE_CSS_IMAGE, &l->made);
        at += skip + len;
        if (!url.len || at[-1] != ',')
            at += strcspn(at, ",");
    }
    th_text_release(&set);
    if (found)
        put_made(l, th_str_from("src"));
    return found;
}

/* A number of pixels; 0 when it says something else. */
static unsigned pixels(looker *l, uint32_t token, const char *name)
{
    th_str raw;
    unsigned number = 0;
    if (!th_attr_get(l->m.page, token, name, &raw) || raw.len > 5)
        return 0;
    for (size_t i = 0; i < raw.len; i++) {
        if (raw.ptr[i] < '0' || raw.ptr[i] > '9')
            return 0;
        number = number * 10 + (unsigned)(raw.ptr[i] - '0');
    }
    return number;
}

/* The image of an <img>: the one that a script would put there, its own, or a grey box of its
 * size. */
static void put_source(looker *l, uint32_t token)
{
    static const char *const lazy[] = {"data-src", "data-original", "data-lazy-src", "data-lazy",
                                       NULL};
    static const char *const sets[] = {"data-srcset", "srcset", NULL};
    th_str raw, own;
    bool has_own = th_attr_get(l->m.page, token, "src", &own);
    bool stand_in = has_own && own.len > 5 && !strncasecmp(own.ptr, "data:", 5);
    for (const char *const *name = lazy; *name; name++)
        if (th_attr_get(l->m.page, token, *name, &raw) && put_image(l, "src", raw))
            return;
    if (has_own && !stand_in && put_image(l, "src", own))
        return;
    for (const char *const *name = sets; *name; name++)
        if (th_attr_get(l->m.page, token, *name, &raw) && put_one_of_set(l, raw))
            return;
    if (stand_in && put_image(l, "src", own))
        return;
    unsigned width = pixels(l, token, "width"), height = pixels(l, token, "height");
    if (width && height)
        serve_printf(l->m.out,
                     " src=\"data:image/svg+xml,%%3Csvg xmlns='http://www.w3.org/2000/svg' "
                     "width='%u' height='%u'%%3E%%3Crect width='100%%25' height='100%%25' "
                     "fill='%%2388888833'/%%3E%%3C/svg%%3E\"",
                     width, height);
}

/* ---- elements -------------------------------------------------------------------------------- */

static void open_element(looker *l, uint32_t node, uint16_t kind)
{
    const th_node *n = th_page_node(l->m.page, node);
    th_str name = written_name(l, node, kind), background;
    th_attr attr;
    serve_puts(l->m.out, "<");
    serve_put(l->m.out, name.ptr, name.len);
    if (!l->svg || l->svg == node)
        serve_put_portion(&l->m, n);
    for (th_attr_iter it = th_attrs(l->m.page, n->token); th_attr_next(&it, &attr);) {
        put_attribute(l, node, &attr);
        if (!l->svg)
            serve_put_target(&l->m, &attr);
    }
    if (!l->svg && (kind & SERVE_IMAGE))
        put_source(l, n->token);
    if (!l->svg && th_attr_get(l->m.page, n->token, "background", &background))
        put_image(l, "background", background);
    serve_puts(l->m.out, ">");
}

static void close_element(looker *l, uint32_t node)
{
    uint16_t kind = serve_node_kind(&l->m, node);
    th_str name = written_name(l, node, kind);
    if (!l->svg && (kind & SERVE_VOID))
        return;
    serve_puts(l->m.out, "</");
    serve_put(l->m.out, name.ptr, name.len);
    serve_puts(l->m.out, ">");
    if (node == l->svg)
        l->svg = 0;
}

/* What html and body say of all that they hold. */
static void put_frame(looker *l, const char *name)
{
    uint32_t node = serve_find_frame(&l->m, name);
    th_attr attr;
    th_str background;
    serve_printf(l->m.out, "<%s", name);
    if (node) {
        uint32_t token = th_page_node(l->m.page, node)->token;
        for (th_attr_iter it = th_attrs(l->m.page, token); th_attr_next(&it, &attr);)
            put_attribute(l, node, &attr);
        if (th_attr_get(l->m.page, token, "background", &background))
            put_image(l, "background", background);
    }
    serve_puts(l->m.out, ">");
}

static void begin_body(looker *l)
{
    if (l->in_body)
        return;
    l->in_body = true;
    serve_puts(l->m.out, "</head>");
    put_frame(l, "body");
}

/* The content of a <style>, with what says when it holds. */
static void put_sheet(looker *l, uint32_t node)
{
    const th_node *n = th_page_node(l->m.page, node);
    th_str media, value;
    for (uint32_t token = n->token + 1; token < n->token_end; token++) {
        th_str text = serve_token_text(&l->m, token);
        if (th_page_tokens(l->m.page)[token].kind == TH_TOKEN_END || text.len > LONGEST_STYLE)
            continue;
        serve_puts(l->m.out, "<style");
        if (th_attr_get(l->m.page, n->token, "media", &media) &&
            read_value(l, media, SERVE_LONGEST_VALUE, &value))
            put_value(l, th_str_from("media"), value);
        serve_puts(l->m.out, ">");
        serve_css(text, SERVE_CSS_SHEET, l->names, l->m.out);
        serve_puts(l->m.out, "</style>");
    }
}

/* A <link> to a sheet that is at hand. */
static bool put_link(looker *l, uint32_t token)
{
    th_str rel, href, media, value;
    if (!l->names || !th_attr_get(l->m.page, token, "rel", &rel) ||
        !th_attr_get(l->m.page, token, "href", &href) ||
        !read_value(l, rel, SERVE_LONGEST_VALUE, &value) || !strcasestr(value.ptr, "stylesheet") ||
        strcasestr(value.ptr, "alternate") || !read_value(l, href, SERVE_LONGEST_VALUE, &value))
        return false;
    l->made.len = 0;
    if (!l->names->find(l->names->context, value, SERVE_CSS_IMPORT, &l->made))
        return false;
    serve_puts(l->m.out, "<link rel=\"stylesheet\"");
    put_made(l, th_str_from("href"));
    if (th_attr_get(l->m.page, token, "media", &media) &&
        read_value(l, media, SERVE_LONGEST_VALUE, &value))
        put_value(l, th_str_from("media"), value);
    serve_puts(l->m.out, ">");
    return true;
}

/* A text, with its place in front of it. A text in a table's frame is moved in front of the table,
 * and takes its place with it. */
static void put_text(looker *l, uint32_t node, uint32_t token)
{
    th_str text = serve_token_text(&l->m, token);
    if (serve_is_blank(text)) {
        serve_put(l->m.out, text.ptr, text.len);
        return;
    }
    if (th_attr_text(text, &l->m.scratch, NULL))
        return;
    bool moved = serve_node_kind(&l->m, node) & SERVE_FOSTERS;
    serve_puts(l->m.out, moved ? "<th-x><!--" : "<!--");
    serve_put_place(l->m.out, th_page_token_span(l->m.page, token));
    serve_puts(l->m.out, "-->");
    serve_put_escaped(l->m.out, l->m.scratch.ptr, l->m.scratch.len);
    if (moved)
        serve_puts(l->m.out, "</th-x>");
}

/* What is left out. Its place stays, for styles that count. */
static void put_gap(looker *l, uint32_t node, uint16_t kind)
{
    if (l->svg)
        return;
    if ((kind & SERVE_LINK) && put_link(l, th_page_node(l->m.page, node)->token))
        return;
    if (kind & SERVE_BOX) {
        begin_body(l);
        open_element(l, node, kind);
        serve_puts(l->m.out, "</canvas>");
    } else if (l->in_body) {
        serve_puts(l->m.out, "<template></template>");
    }
}

static bool is_left_out(looker *l, uint32_t node, uint16_t kind)
{
    th_str name = th_token_name(l->m.page, th_page_node(l->m.page, node)->token);
    if (l->svg || (kind & SERVE_SVG))
        return !is_word_of(name, drawn) && !serve_is_named(name, "a");
    return (kind & SERVE_DROPPED) && !(kind & SERVE_LOOK);
}

/* The document's type decides how browsers lay it out. */
static void put_doctype(looker *l)
{
    uint32_t tokens = th_page_token_count(l->m.page);
    for (uint32_t token = 0; token < tokens && token < 16; token++) {
        th_str text = serve_token_text(&l->m, token);
        if (th_page_tokens(l->m.page)[token].kind != TH_TOKEN_DOCTYPE)
            continue;
        bool plain = text.len < 300 && text.ptr[text.len - 1] == '>';
        for (size_t i = 1; plain && i + 1 < text.len; i++)
            plain = text.ptr[i] && (strchr(" \t\r\n!\"'-./:", text.ptr[i]) ||
                                    is_plain_name((th_str){text.ptr + i, 1}) ||
                                    (text.ptr[i] >= '0' && text.ptr[i] <= '9'));
        if (plain)
            serve_put(l->m.out, text.ptr, text.len);
        return;
    }
}

static void put_head(looker *l)
{
    put_doctype(l);
    put_frame(l, "html");
    serve_puts(l->m.out, "<head><meta charset=\"utf-8\"><style>"
                         ":where(a[data-href]){color:#0000ee;text-decoration:underline}"
                         ":where(th-form){display:block}"
                         "[l]{display:none!important}</style>");
}

/* One pass over tokens and nodes, both in the order of the source; what is open is found by the
 * nodes' parents, so that no depth costs anything. */
void serve_page_look(const th_page *page, const serve_css_names *names, serve_text *out)
{
    looker l = {.names = names};
    uint32_t count = th_page_node_count(page), tokens = th_page_token_count(page);
    uint32_t node = 0, next = 1, skip = 0;
    serve_markup_init(&l.m, page, out);
    put_head(&l);
    for (uint32_t token = 0; token <= tokens; token++) {
        while (node && token >= th_page_node(page, node)->token_end) {
            close_element(&l, node);
            node = serve_shown_parent(&l.m, node);
        }
        if (token == tokens)
            break;
        if (token < skip)
            continue;
        const th_token *here = &th_page_tokens(page)[token];
        if (next < count && th_page_node(page, next)->token == token) {
            uint32_t element = next++;
            uint16_t kind = serve_token_kind(&l.m, token);
            bool out_of_it = is_left_out(&l, element, kind);
            if ((kind & SERVE_STYLE) || out_of_it) {
                if (out_of_it)
                    put_gap(&l, element, kind);
                else
                    put_sheet(&l, element);
                skip = th_page_node(page, element)->token_end;
                next = th_page_node(page, element)->end;
                continue;
            }
            if (kind & SERVE_FRAME) {
                if (serve_is_named(th_token_name(page, token), "body"))
                    begin_body(&l);
                continue;
            }
            begin_body(&l);
            if (!l.svg && (kind & SERVE_SVG))
                l.svg = element;
            open_element(&l, element, kind);
            node = element;
        } else if (here->kind == TH_TOKEN_TEXT) {
            if (!l.in_body && serve_is_blank(serve_token_text(&l.m, token)))
                continue;
            begin_body(&l);
            put_text(&l, node, token);
        } else if (here->kind == TH_TOKEN_RCDATA && (serve_node_kind(&l.m, node) & SERVE_RAW) &&
                   !th_attr_text(serve_token_text(&l.m, token), &l.m.scratch, NULL)) {
            serve_put_escaped(out, l.m.scratch.ptr ? l.m.scratch.ptr : "", l.m.scratch.len);
        }
    }
    begin_body(&l);
    serve_text_release(&l.made);
    serve_markup_release(&l.m);
}
