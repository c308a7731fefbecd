/*
 * show_views.c: the views of a page that `thresh show` has.
 *
 * Each view walks the page once and hands out items (a token, an element, a link, ...). An item is
 * a line for people, which begins with its range of bytes, or a JSON object. In the array of -f
 * json each object has ",\n" before it; the writer makes the first of them a "[".
 */
#include "show_views.h"

#include <string.h>

/* ---- lines ---- */

static size_t digits(size_t number)
{
    size_t count = 1;
    while (number >= 10) {
        number /= 10;
        count++;
    }
    return count;
}

/* "  120-164  ", wide enough for every place of the page. */
static void put_place(show_to *to, const th_page *page, th_span span)
{
    size_t width = digits(th_page_text(page).len);
    cli_put_paint(to->out, to->color, CLI_PLACE);
    cli_put_number(to->out, span.start, width);
    cli_puts(to->out, "-");
    cli_spaces(to->out, width + 2 - cli_put_number(to->out, span.end, 0));
    cli_put_paint(to->out, to->color, CLI_PLAIN);
}

static void put_painted(show_to *to, cli_paint paint, th_str words)
{
    cli_put_paint(to->out, to->color, paint);
    cli_put_safe(to->out, words, 0);
    cli_put_paint(to->out, to->color, CLI_PLAIN);
}

static void put_quoted(show_to *to, th_str words, size_t most)
{
    cli_put_paint(to->out, to->color, CLI_WORDS);
    cli_puts(to->out, "\"");
    cli_put_safe(to->out, words, most);
    cli_puts(to->out, "\"");
    cli_put_paint(to->out, to->color, CLI_PLAIN);
}

/* ---- JSON ---- */

static void json_key(show_to *to, const char *key)
{
    cli_puts(to->out, ",\"");
    cli_puts(to->out, key);
    cli_puts(to->out, "\":");
}

static void json_text(show_to *to, const char *key, th_str value)
{
    json_key(to, key);
    if (value.ptr)
        cli_put_json(to->out, value);
    else
        cli_puts(to->out, "null");
}

static void json_number(show_to *to, const char *key, uint64_t value)
{
    json_key(to, key);
    cli_put_number(to->out, value, 0);
}

static void json_begin(show_to *to)
{
    cli_puts(to->out, to->format == SHOW_JSON ? ",\n{\"page\":" : "{\"page\":");
    cli_put_json(to->out, to->page);
}

static void json_begin_at(show_to *to, th_span span)
{
    json_begin(to);
    json_number(to, "start", span.start);
    json_number(to, "end", span.end);
}

static void json_end(show_to *to)
{
    cli_puts(to->out, to->format == SHOW_JSON ? "}" : "}\n");
}

/* ---- helpers ---- */

/* The text of a span, in to->scratch. */
static th_str span_text(show_to *to, const th_page *page, th_span span)
{
    if (to->out->status ||
        (to->out->status = th_page_span_text(page, span, &to->scratch, &to->out->error)))
        return (th_str){"", 0};
    return (th_str){to->scratch.ptr, to->scratch.len};
}

static th_str source_of(const th_page *page, th_span span)
{
    return (th_str){th_page_text(page).ptr + span.start, span.end - span.start};
}

static bool is_text(const th_token *token)
{
    return token->kind == TH_TOKEN_TEXT || token->kind == TH_TOKEN_RCDATA ||
           token->kind == TH_TOKEN_CDATA;
}

static uint32_t depth_of(const th_page *page, uint32_t node)
{
    return th_page_path(page, th_page_node(page, node)->path)->depth;
}

/* ---- tokens ---- */

static const char *const token_kinds[] = {
    [TH_TOKEN_TEXT] = "text",       [TH_TOKEN_START] = "start",     [TH_TOKEN_END] = "end",
    [TH_TOKEN_RCDATA] = "rcdata",   [TH_TOKEN_RAW] = "raw",         [TH_TOKEN_CDATA] = "cdata",
    [TH_TOKEN_COMMENT] = "comment", [TH_TOKEN_DOCTYPE] = "doctype", [TH_TOKEN_DROPPED] = "dropped",
};

static void view_tokens(show_to *to, const th_page *page)
{
    for (uint32_t t = 0; t < th_page_token_count(page) && !to->out->status; t++) {
        const th_token *token = &th_page_tokens(page)[t];
        th_span span = th_page_token_span(page, t);
        bool tag = token->kind == TH_TOKEN_START || token->kind == TH_TOKEN_END;
        if (to->format == SHOW_READABLE) {
            put_place(to, page, span);
            cli_put_paint(to->out, to->color, CLI_TAG);
            cli_printf(to->out, "%-7s  ", token_kinds[token->kind]);
            cli_put_paint(to->out, to->color, CLI_PLAIN);
            cli_put_safe(to->out, source_of(page, span), 0);
            cli_puts(to->out, "\n");
            continue;
        }
        json_begin_at(to, span);
        json_text(to, "kind", th_str_from(token_kinds[token->kind]));
        json_text(to, "tag", tag ? th_token_name(page, t) : (th_str){0});
        json_text(to, "source", source_of(page, span));
        json_end(to);
    }
}

static void view_fine(show_to *to, const th_page *page)
{
    th_lex lex;
    th_fine fine;
    th_lex_init(&lex, page, (th_span){0, (uint32_t)th_page_text(page).len});
    while (!to->out->status && th_lex_next(&lex, &fine)) {
        th_span span = {fine.start, fine.end};
        const char *name = th_class_name((th_class)fine.cls);
        to->out->status = th_fine_text(page, &fine, &to->scratch, &to->out->error);
        if (to->out->status)
            return;
        th_str words = {to->scratch.ptr, to->scratch.len};
        if (to->format == SHOW_READABLE) {
            put_place(to, page, span);
            cli_put_paint(to->out, to->color, CLI_TAG);
            cli_printf(to->out, "%-11s  ", name);
            cli_put_paint(to->out, to->color, CLI_PLAIN);
            put_quoted(to, words, 0);
            cli_puts(to->out, "\n");
            continue;
        }
        json_begin_at(to, span);
        json_text(to, "class", th_str_from(name));
        json_text(to, "text", words);
        json_end(to);
    }
}

/* ---- tree ---- */

/* An outline has the attributes that identify elements, cut short. */
enum { OUTLINE_VALUE = 40, OUTLINE_TEXT = 60 };

static bool is_telling(th_str name)
{
    static const char *const telling[] = {"id",  "class", "href",     "src",
                                          "alt", "name",  "itemprop", "content"};
    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
        if (strlen(telling[i]) == name.len && !strncasecmp(telling[i], name.ptr, name.len))
            return true;
    return false;
}

static void put_attributes(show_to *to, const th_page *page, uint32_t token, bool brief)
{
    th_attr attr;
    for (th_attr_iter it = th_attrs(page, token); th_attr_next(&it, &attr);) {
        if (brief && !is_telling(attr.name))
            continue;
        cli_puts(to->out, " ");
        cli_put_safe(to->out, attr.name, brief ? OUTLINE_VALUE : 0);
        if (attr.value.ptr) {
            cli_puts(to->out, "=\"");
            cli_put_safe(to->out, attr.value, brief ? OUTLINE_VALUE : 0);
            cli_puts(to->out, "\"");
        }
    }
}

static void json_attributes(show_to *to, const th_page *page, uint32_t token)
{
    th_attr attr;
    const char *before = ",\"attributes\":[";
    cli_text *out = to->out;
    for (th_attr_iter it = th_attrs(page, token); th_attr_next(&it, &attr); before = ",") {
        cli_printf(out, "%s{\"name\":", before);
        cli_put_json(out, attr.name);
        out->status = out->status      ? out->status
                      : attr.value.ptr ? th_attr_text(attr.value, &to->scratch, &out->error)
                                       : TH_OK;
        if (out->status)
            return;
        json_text(to, "value",
                  attr.value.ptr ? (th_str){to->scratch.ptr, to->scratch.len} : (th_str){0});
        cli_puts(out, "}");
    }
    cli_puts(out, *before == ',' && before[1] ? ",\"attributes\":[]" : "]");
}

static void tree_element(show_to *to, const th_page *page, uint32_t node, bool brief)
{
    uint32_t token = th_page_node(page, node)->token, depth = depth_of(page, node);
    th_span span = th_page_node_span(page, node);
    if (to->format == SHOW_READABLE) {
        put_place(to, page, span);
        cli_spaces(to->out, 2 * (depth - 1));
        put_painted(to, CLI_TAG, th_token_name(page, token));
        put_attributes(to, page, token, brief);
        cli_puts(to->out, "\n");
        return;
    }
    json_begin_at(to, span);
    json_number(to, "node", node);
    json_number(to, "parent", th_page_node(page, node)->parent);
    json_number(to, "depth", depth);
    json_text(to, "tag", th_token_name(page, token));
    json_attributes(to, page, token);
    json_end(to);
}

static void tree_text(show_to *to, const th_page *page, uint32_t token, uint32_t parent, bool brief)
{
    th_span span = th_page_token_span(page, token);
    th_str words = span_text(to, page, span);
    if (!words.len)
        return;
    if (to->format == SHOW_READABLE) {
        put_place(to, page, span);
        cli_spaces(to->out, 2 * (size_t)depth_of(page, parent));
        put_quoted(to, words, brief ? OUTLINE_TEXT : 0);
        cli_puts(to->out, "\n");
        return;
    }
    json_begin_at(to, span);
    json_number(to, "parent", parent);
    json_text(to, "text", words);
    json_end(to);
}

/* Tokens come in source order and so do nodes: one walk over both. */
static void walk_tree(show_to *to, const th_page *page, bool brief)
{
    uint32_t next = 1, inside = 0; /* the node to come, and the innermost open one */
    for (uint32_t t = 0; t < th_page_token_count(page) && !to->out->status; t++) {
        const th_token *token = &th_page_tokens(page)[t];
        while (inside && t >= th_page_node(page, inside)->token_end)
            inside = th_page_node(page, inside)->parent;
        if (next < th_page_node_count(page) && th_page_node(page, next)->token == t) {
            tree_element(to, page, next, brief);
            inside = next++;
        } else if (is_text(token) && !(token->flags & TH_TOKEN_BLANK)) {
            tree_text(to, page, t, inside, brief);
        }
    }
}

static void view_tree(show_to *to, const th_page *page)
{
    walk_tree(to, page, false);
}

/* ---- text: a line for each run of words that no block tag breaks ---- */

/* Returns true if a standard tag has one of the names. */
static bool is_one_of(uint16_t tag, const char *const *names, size_t count)
{
    th_str name = th_tag_name(tag);
    for (size_t i = 0; i < count; i++)
        if (name.len && names[i][0] == name.ptr[0] && strlen(names[i]) == name.len &&
            !memcmp(names[i], name.ptr, name.len))
            return true;
    return false;
}

/* Tags that do not break a line. */
static bool is_inline(uint16_t tag)
{
    static const char *const names[] = {
        "a",   "abbr", "acronym", "b",    "bdi", "bdo",  "big",   "cite",  "code",   "data",
        "del", "dfn",  "em",      "font", "i",   "ins",  "kbd",   "label", "mark",   "nobr",
        "q",   "rp",   "rt",      "ruby", "s",   "samp", "small", "span",  "strike", "strong",
        "sub", "sup",  "time",    "tt",   "u",   "var",  "wbr"};
    return is_one_of(tag, names, sizeof names / sizeof *names);
}

/* Elements whose content is not shown by a browser; the library leaves them out of texts too. */
static bool is_unseen(uint16_t tag)
{
    static const char *const names[] = {"script",   "style",   "template", "iframe",
                                        "noframes", "noembed", "noscript"};
    return is_one_of(tag, names, sizeof names / sizeof *names);
}

static void text_line(show_to *to, const th_page *page, uint32_t first, uint32_t last)
{
    th_span span = {th_page_token_span(page, first).start, th_page_token_span(page, last).end};
    th_str words = span_text(to, page, span);
    if (!words.len)
        return;
    if (to->format == SHOW_READABLE) {
        put_place(to, page, span);
        cli_put_safe(to->out, words, 0);
        cli_puts(to->out, "\n");
        return;
    }
    json_begin_at(to, span);
    json_text(to, "text", words);
    json_end(to);
}

static void view_text(show_to *to, const th_page *page)
{
    uint32_t next = 1, first = UINT32_MAX, last = 0; /* the run is first..last */
    for (uint32_t t = 0; t < th_page_token_count(page) && !to->out->status; t++) {
        const th_token *token = &th_page_tokens(page)[t];
        bool tag = token->kind == TH_TOKEN_START || token->kind == TH_TOKEN_END;
        while (next < th_page_node_count(page) && th_page_node(page, next)->token < t)
            next++;
        bool opens = next < th_page_node_count(page) && th_page_node(page, next)->token == t;
        if (is_text(token) && !(token->flags & TH_TOKEN_BLANK)) {
            last = t;
            first = first == UINT32_MAX ? t : first;
        }
        if (!tag || is_inline(token->tag))
            continue;
        if (first != UINT32_MAX)
            text_line(to, page, first, last);
        first = UINT32_MAX;
        if (opens && is_unseen(token->tag))
            t = th_page_node(page, next)->token_end - 1;
    }
    if (first != UINT32_MAX)
        text_line(to, page, first, last);
}

/* ---- links ---- */

static void link_item(show_to *to, const th_page *page, uint32_t node, const char *attribute,
                      th_str value)
{
    uint32_t token = th_page_node(page, node)->token;
    cli_text *out = to->out;
    if (!out->status)
        out->status = th_attr_text(value, &to->scratch, &out->error);
    if (!out->status)
        out->status = th_page_resolve(page, (th_str){to->scratch.ptr, to->scratch.len}, &to->more,
                                      &out->error);
    if (out->status)
        return;
    uint32_t start = (uint32_t)(value.ptr - th_page_text(page).ptr);
    th_span span = {start, start + (uint32_t)value.len};
    th_str url = {to->more.ptr, to->more.len};
    th_str words = span_text(to, page, th_page_node_span(page, node));
    if (to->format == SHOW_READABLE) {
        put_place(to, page, span);
        put_painted(to, CLI_TAG, th_token_name(page, token));
        cli_puts(out, "  ");
        cli_put_safe(out, url, 0);
        if (words.len) {
            cli_puts(out, "  ");
            put_quoted(to, words, OUTLINE_TEXT);
        }
        cli_puts(out, "\n");
        return;
    }
    json_begin_at(to, span);
    json_text(to, "tag", th_token_name(page, token));
    json_text(to, "attribute", th_str_from(attribute));
    json_text(to, "url", url);
    json_text(to, "text", words);
    json_end(to);
}

static const char *const link_attributes[] = {"href", "src", "action", "data"};

/* The link of an element: its attribute, or NULL. */
static const char *link_of(const th_page *page, uint32_t token, th_str *value)
{
    if (!(th_page_tokens(page)[token].flags & TH_TOKEN_HAS_ATTRS))
        return NULL;
    for (size_t i = 0; i < sizeof link_attributes / sizeof *link_attributes; i++)
        if (th_attr_get(page, token, link_attributes[i], value) && value->ptr)
            return link_attributes[i];
    return NULL;
}

static void view_links(show_to *to, const th_page *page)
{
    for (uint32_t n = 1; n < th_page_node_count(page) && !to->out->status; n++) {
        th_str value;
        const char *attribute = link_of(page, th_page_node(page, n)->token, &value);
        if (attribute)
            link_item(to, page, n, attribute, value);
    }
}

/* ---- the next page ---- */

/* A link that is not certain is only named in the reasons: it has to be fetched to know. */
static void view_next(show_to *to, const th_page *page)
{
    th_next next = {0};
    cli_text why = {0};
    if (!to->out->status)
        to->out->status = th_next_find(page, NULL, &next, &to->out->error);
    if (!to->out->status) {
        bool perhaps = next.url.len && !next.sure;
        if (perhaps)
            cli_printf(&why, "perhaps %s, which --follow tries: ", next.url.ptr);
        cli_put(&why, next.why.ptr, next.why.len);
        th_str url = next.sure ? (th_str){next.url.ptr, next.url.len} : (th_str){0};
        if (to->format == SHOW_READABLE) {
            cli_put_safe(to->out,
                         url.ptr   ? url
                         : perhaps ? th_str_from("not sure")
                                   : th_str_from("no next page"),
                         0);
            cli_puts(to->out, "\n  ");
            cli_put_safe(to->out, (th_str){why.ptr, why.len}, 0);
            cli_puts(to->out, "\n");
        } else {
            json_begin(to);
            json_text(to, "next", url);
            json_text(to, "why", (th_str){why.ptr, why.len});
            json_end(to);
        }
    }
    cli_text_release(&why);
    th_next_release(&next);
}

/* ---- figures ---- */

typedef struct figures {
    uint64_t kinds[TH_TOKEN_DROPPED + 1];
    uint64_t links, blank;
    uint32_t deepest;
    uint32_t title; /* token, or 0 */
} figures;

static figures count(const th_page *page)
{
    figures f = {0};
    th_str value;
    for (uint32_t t = 0; t < th_page_token_count(page); t++) {
        const th_token *token = &th_page_tokens(page)[t];
        f.kinds[token->kind]++;
        f.blank += (token->flags & TH_TOKEN_BLANK) != 0;
        if (token->kind == TH_TOKEN_RCDATA && !f.title && t &&
            token[-1].tag == th_tag_id(th_str_from("title")))
            f.title = t;
    }
    for (uint32_t n = 1; n < th_page_node_count(page); n++)
        f.links += link_of(page, th_page_node(page, n)->token, &value) != NULL;
    for (uint32_t p = 0; p < th_page_path_count(page); p++)
        if (th_page_path(page, p)->depth > f.deepest)
            f.deepest = th_page_path(page, p)->depth;
    return f;
}

static const char *encoding_reason(const show_to *to, const th_page *page)
{
    const char *reason = th_page_encoding_reason(page);
    return to->charset_given && !strcmp(reason, "http") ? "--charset" : reason;
}

static void put_label(show_to *to, const char *label)
{
    cli_printf(to->out, "  %-9s ", label);
}

static void put_figures(show_to *to, const th_page *page, const figures *f)
{
    put_painted(to, CLI_HEAD, to->page);
    cli_puts(to->out, "\n");
    if (f->title) {
        put_label(to, "title");
        cli_put_safe(to->out, span_text(to, page, th_page_token_span(page, f->title)), 0);
        cli_puts(to->out, "\n");
    }
    if (th_page_url(page).ptr) {
        put_label(to, "url");
        cli_put_safe(to->out, th_page_url(page), 0);
        cli_puts(to->out, "\n");
    }
    put_label(to, "encoding");
    cli_printf(to->out, "%s (from: %s)\n", th_page_encoding(page), encoding_reason(to, page));
    put_label(to, "size");
    cli_printf(to->out, "%zu bytes of UTF-8\n", th_page_text(page).len);
    put_label(to, "tokens");
    cli_printf(to->out, "%u", th_page_token_count(page));
    const char *before = ": ";
    for (size_t i = 0; i <= TH_TOKEN_DROPPED; i++) {
        if (!f->kinds[i])
            continue;
        cli_printf(to->out, "%s%llu %s", before, (unsigned long long)f->kinds[i], token_kinds[i]);
        before = ", ";
    }
    if (f->blank)
        cli_printf(to->out, " (%llu blank)", (unsigned long long)f->blank);
    cli_puts(to->out, "\n");
    put_label(to, "elements");
    cli_printf(to->out, "%u (depth %u, tag paths %u, with a link %llu)\n",
               th_page_node_count(page) - 1, f->deepest, th_page_path_count(page) - 1,
               (unsigned long long)f->links);
    if (th_page_flattened(page)) {
        put_label(to, "flattened");
        cli_printf(to->out, "%u elements were deeper than the limit (--max-depth)\n",
                   th_page_flattened(page));
    }
}

static void view_info(show_to *to, const th_page *page)
{
    figures f = count(page);
    if (to->format == SHOW_READABLE) {
        put_figures(to, page, &f);
        return;
    }
    json_begin(to);
    json_text(to, "title",
              f.title ? span_text(to, page, th_page_token_span(page, f.title)) : (th_str){0});
    json_text(to, "url", th_page_url(page));
    json_text(to, "encoding", th_str_from(th_page_encoding(page)));
    json_text(to, "encoding_told_by", th_str_from(encoding_reason(to, page)));
    json_number(to, "bytes", th_page_text(page).len);
    json_number(to, "tokens", th_page_token_count(page));
    json_number(to, "elements", th_page_node_count(page) - 1);
    json_number(to, "depth", f.deepest);
    json_number(to, "tag_paths", th_page_path_count(page) - 1);
    json_number(to, "links", f.links);
    json_number(to, "flattened", th_page_flattened(page));
    json_end(to);
}

static void view_outline(show_to *to, const th_page *page)
{
    view_info(to, page);
    if (to->format != SHOW_READABLE)
        return;
    cli_puts(to->out, "\n");
    walk_tree(to, page, true);
}

void show_print(show_to *to, show_view view, const th_page *page)
{
    static void (*const views[])(show_to *, const th_page *) = {
        [SHOW_OUTLINE] = view_outline, [SHOW_INFO] = view_info, [SHOW_TREE] = view_tree,
        [SHOW_TOKENS] = view_tokens,   [SHOW_TEXT] = view_text, [SHOW_FINE] = view_fine,
        [SHOW_LINKS] = view_links,     [SHOW_NEXT] = view_next,
    };
    views[view](to, page);
    th_text_release(&to->scratch);
    th_text_release(&to->more);
}
