/*
 * page.c: a parser makes pages; a page answers.
 *
 *     bytes ─th__decode─▶ UTF-8 ─th__scan_text─▶ tokens ─th__tree_build─▶ nodes, paths
 *
 * Between the first two, a page that is JSON becomes HTML (json_page.h).
 *
 * The scanner's and the tree's working memory belong to the parser; what a page keeps is copied
 * into one block of exactly the right size.
 */
#include "page/page.h"

#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "page/decode.h"
#include "page/json_page.h"
#include "page/scan.h"
#include "page/tree.h"
#include "page/url.h"

struct th_parser {
    th_parser_options options;
    th__scan scan;
    th__tree *tree;
};

enum {
    LARGEST_DEPTH = 60000,
    LARGE_SCAN = 1 << 18 /* tokens that a parser does not keep room for */
};
#define LARGEST_TEXT (UINT32_MAX - 15u)

static const th_parser_options parser_defaults = {.max_bytes = UINT64_C(1) << 30, .max_depth = 512};

void th_parser_options_defaults(th_parser_options *options, size_t size)
{
    th__options_give(options, size, &parser_defaults, sizeof parser_defaults);
}

th_status th_parser_new(const th_parser_options *options, th_parser **out, th_error *err)
{
    th_parser_options own = parser_defaults;
    th__options_take(&own, sizeof own, options);
    if (own.max_depth < 1 || own.max_depth > LARGEST_DEPTH)
        return th__fail(err, TH_ERR_ARGUMENT, "max_depth must be from 1 to %d", LARGEST_DEPTH);
    if (own.max_bytes > LARGEST_TEXT)
        return th__fail(err, TH_ERR_ARGUMENT, "max_bytes must be at most %u", LARGEST_TEXT);
    th_parser *parser = TH__NEW(th_parser);
    if (!parser)
        return th__fail_memory(err);
    parser->options = own;
    parser->tree = th__tree_new(own.max_depth);
    if (!parser->tree) {
        th_parser_free(parser);
        return th__fail_memory(err);
    }
    *out = parser;
    return TH_OK;
}

void th_parser_free(th_parser *parser)
{
    if (!parser)
        return;
    th__scan_release(&parser->scan);
    th__tree_free(parser->tree);
    th__mem_free(parser);
}

/* Takes the arrays of the page out of its arena, nodes still empty. */
static bool lay_out(th_page *page, const th__scan *scan)
{
    size_t nodes = (size_t)scan->start_tags + 1;
    page->token_count = scan->count - 1;
    if (!th__arena_reserve(&page->arena, scan->count * sizeof(th_token) + nodes * sizeof(th_node) +
                                             nodes * sizeof(uint16_t) + 64))
        return false;
    page->tokens = th__arena_alloc(&page->arena, scan->count * sizeof(th_token));
    page->nodes = th__arena_alloc(&page->arena, nodes * sizeof(th_node));
    page->tags = th__arena_alloc(&page->arena, nodes * sizeof(uint16_t));
    if (!page->tokens || !page->nodes || !page->tags)
        return false;
    memcpy(page->tokens, scan->tokens, scan->count * sizeof(th_token));
    return true;
}

static bool build(th_parser *parser, th_page *page)
{
    if (!th__scan_text(&parser->scan, page->text, TH__SCAN_DATA, (th_str){0}) ||
        !lay_out(page, &parser->scan))
        return false;
    bool other_tags = parser->scan.other_tags;
    if (parser->scan.cap > LARGE_SCAN)
        th__scan_release(&parser->scan);
    if (!th__tree_build(parser->tree, page, other_tags) || !th__page_find_base(page))
        return false;
    page->paths = th__arena_alloc(&page->arena, page->path_count * sizeof(th_path));
    if (!page->paths)
        return false;
    memcpy(page->paths, th__tree_paths(parser->tree), page->path_count * sizeof(th_path));
    return true;
}

/* A page that is JSON becomes the HTML that shows it; what only looks like JSON stays as it is. */
static th_status show_json(th_page *page, th_error *err)
{
    th__buf html = {0};
    th_status status = TH_OK;
    if (th__json_page_write(page->text, &html) && html.len <= LARGEST_TEXT) {
        th_str text = th__arena_copy(&page->arena, th__buf_str(&html));
        page->text = text.ptr ? text : page->text;
        status = text.ptr ? TH_OK : th__fail_memory(err);
    } else if (html.failed) {
        status = th__fail_memory(err);
    }
    th__buf_release(&html);
    return status;
}

/* Sets the page's text, encoding and URL. */
static th_status decode(th_page *page, th_str bytes, const th_page_source *source, th_error *err)
{
    th_str charset = source ? source->charset : (th_str){0};
    if (source && source->url.ptr) {
        page->url = th__arena_copy(&page->arena, source->url);
        if (!page->url.ptr)
            return th__fail_memory(err);
    }
    th_status status = th__decode(&page->arena, bytes, charset, &page->text, &page->encoding,
                                  &page->encoding_reason, err);
    return status || !th__json_page_may_be(page->text) ? status : show_json(page, err);
}

/* How much work was done on pages: for tests that hold how often a job may do it. */
static atomic_ullong parses, copies;

void th__page_work(uint64_t *parsed, uint64_t *copied)
{
    *parsed = atomic_load_explicit(&parses, memory_order_relaxed);
    *copied = atomic_load_explicit(&copies, memory_order_relaxed);
}

static th_status parse(th_parser *parser, th_str bytes, const th_page_source *source, bool own,
                       th_page **out, th_error *err)
{
    if (bytes.len > parser->options.max_bytes)
        return th__fail(
            err, TH_ERR_LIMIT,
            "the page has %zu bytes, more than the limit of %llu; raise max_bytes to take it",
            bytes.len, (unsigned long long)parser->options.max_bytes);
    if (!bytes.ptr)
        bytes = (th_str){"", 0};
    th_page *page = TH__NEW(th_page);
    if (!page)
        return th__fail_memory(err);
    th__arena_init(&page->arena);
    if (own) {
        page->holders = 1;
        bytes = th__arena_copy(&page->arena, bytes);
    }
    th_status status = bytes.ptr ? decode(page, bytes, source, err) : th__fail_memory(err);
    if (status == TH_OK && !build(parser, page))
        status = th__fail_memory(err);
    if (status != TH_OK) {
        th_page_free(page);
        return status;
    }
    atomic_fetch_add_explicit(&parses, 1, memory_order_relaxed);
    *out = page;
    return TH_OK;
}

th_status th_parser_parse(th_parser *parser, th_str bytes, const th_page_source *source,
                          th_page **out, th_error *err)
{
    return parse(parser, bytes, source, false, out, err);
}

th_status th_parser_parse_copy(th_parser *parser, th_str bytes, const th_page_source *source,
                               th_page **out, th_error *err)
{
    return parse(parser, bytes, source, true, out, err);
}

static void *copy_array(th__arena *arena, const void *array, size_t bytes)
{
    void *out = th__arena_alloc(arena, bytes);
    return out ? memcpy(out, array, bytes) : NULL;
}

/* A string that may lie in the page's text, as the base does. */
static bool copy_string(th_page *to, const th_page *from, th_str in, th_str *out)
{
    *out = in;
    if (!in.ptr)
        return true;
    if (in.ptr >= from->text.ptr && in.ptr + in.len <= from->text.ptr + from->text.len)
        out->ptr = to->text.ptr + (in.ptr - from->text.ptr);
    else
        *out = th__arena_copy(&to->arena, in);
    return out->ptr != NULL;
}

static bool copy_page(th_page *to, const th_page *from)
{
    th__arena *arena = &to->arena;
    to->text = th__arena_copy(arena, from->text);
    to->tokens =
        copy_array(arena, from->tokens, (from->token_count + (size_t)1) * sizeof *from->tokens);
    to->nodes = copy_array(arena, from->nodes, from->node_count * sizeof *from->nodes);
    to->tags = copy_array(arena, from->tags, from->node_count * sizeof *from->tags);
    to->paths = copy_array(arena, from->paths, from->path_count * sizeof *from->paths);
    return to->text.ptr && to->tokens && to->nodes && to->tags && to->paths &&
           copy_string(to, from, from->url, &to->url) &&
           copy_string(to, from, from->base, &to->base);
}

th_status th_page_copy(const th_page *page, th_page **out, th_error *err)
{
    if (page->holders) {
        *out = (th_page *)page;
        (*out)->holders++;
        return TH_OK;
    }
    th_page *copy = TH__NEW(th_page);
    *out = NULL;
    if (!copy)
        return th__fail_memory(err);
    *copy = *page;
    copy->holders = 1;
    copy->kept = NULL;
    th__arena_init(&copy->arena);
    if (!copy_page(copy, page)) {
        th_page_free(copy);
        return th__fail_memory(err);
    }
    atomic_fetch_add_explicit(&copies, 1, memory_order_relaxed);
    *out = copy;
    return TH_OK;
}

void th_page_free(th_page *page)
{
    if (!page || (page->holders && --page->holders))
        return;
    if (page->kept)
        th__arena_release(&page->kept->arena);
    th__mem_free(page->kept);
    th__arena_release(&page->arena);
    th__mem_free(page);
}

th_str th_page_text(const th_page *page)
{
    return page->text;
}

th_str th_page_url(const th_page *page)
{
    return page->url;
}

const char *th_page_encoding(const th_page *page)
{
    return page->encoding;
}

const char *th_page_encoding_reason(const th_page *page)
{
    return page->encoding_reason;
}

size_t th_page_memory(const th_page *page)
{
    return sizeof *page + page->arena.total;
}

uint32_t th_page_flattened(const th_page *page)
{
    return page->flattened;
}

uint32_t th_page_token_count(const th_page *page)
{
    return page->token_count;
}

const th_token *th_page_tokens(const th_page *page)
{
    return page->tokens;
}

th_span th_page_token_span(const th_page *page, uint32_t token)
{
    return (th_span){page->tokens[token].start, page->tokens[token + 1].start};
}

uint32_t th_page_node_count(const th_page *page)
{
    return page->node_count;
}

const th_node *th_page_node(const th_page *page, uint32_t node)
{
    return &page->nodes[node];
}

const uint16_t *th_page_node_tags(const th_page *page)
{
    return page->tags;
}

th_span th_page_node_span(const th_page *page, uint32_t node)
{
    const th_node *n = &page->nodes[node];
    return (th_span){page->tokens[n->token].start, page->tokens[n->token_end].start};
}

uint32_t th_page_node_at(const th_page *page, uint32_t offset)
{
    /* The last node that begins at or before the byte; then up to the first that holds it. */
    uint32_t low = 0, high = page->node_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (page->tokens[page->nodes[middle].token].start <= offset)
            low = middle;
        else
            high = middle;
    }
    while (low && page->tokens[page->nodes[low].token_end].start <= offset)
        low = page->nodes[low].parent;
    return low;
}

uint32_t th_page_path_count(const th_page *page)
{
    return page->path_count;
}

const th_path *th_page_path(const th_page *page, uint32_t path)
{
    return &page->paths[path];
}

static bool is_word(unsigned char c)
{
    return th__is_alpha(c) || th__is_digit(c);
}

/* ---- not the page that was hoped for: its data is in a script
 * ------------------------------------------------------------------------ */

enum { LEAST_DATA = 40 }; /* bytes: shorter scripts are settings */

/* The name of the data that a script holds: its id or its type if it is JSON, or the variable that
 * it fills, as in `window.__STATE__ = {...}` of pages that are drawn in the browser. */
static th_str data_name(const th_page *page, uint32_t token, th_str content)
{
    static const char *const owners[] = {"window.", "self."};
    th_str type = {0}, id = {0};
    th_attr_get(page, token, "type", &type);
    if (th__str_starts_nocase(type, TH_STR("application/json")) ||
        th__str_starts_nocase(type, TH_STR("application/ld+json")))
        return th_attr_get(page, token, "id", &id) && id.len ? id : type;
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        th_str owner = th_str_from(owners[i]);
        th_str name = {content.ptr + owner.len, 0};
        if (!th__str_starts(content, owner) || content.len < owner.len + 2 ||
            memcmp(name.ptr, "__", 2))
            continue;
        while (owner.len + name.len < content.len &&
               (name.ptr[name.len] == '_' || is_word((unsigned char)name.ptr[name.len])))
            name.len++;
        return name;
    }
    return (th_str){0};
}

bool th_page_script_data(const th_page *page, th_str *name)
{
    const th_token *tokens = th_page_tokens(page);
    uint16_t script = th_tag_id(TH_STR("script"));
    size_t longest = LEAST_DATA - 1;
    for (uint32_t i = 0; i + 1 < th_page_token_count(page); i++) {
        if (tokens[i].kind != TH_TOKEN_START || tokens[i].tag != script ||
            tokens[i + 1].kind != TH_TOKEN_RAW)
            continue;
        th_span span = th_page_token_span(page, i + 1);
        th_str content =
            th__str_trim((th_str){th_page_text(page).ptr + span.start, span.end - span.start});
        th_str found = content.len > longest ? data_name(page, i, content) : (th_str){0};
        if (found.len) {
            longest = content.len;
            *name = found;
        }
    }
    return longest >= LEAST_DATA;
}

bool th_page_is_drawn(const th_page *page)
{
    enum {
        LEAST_TEXT = 200
    }; /* bytes: less is a title, a footer, and "please enable JavaScript" */
    const th_token *tokens = th_page_tokens(page);
    uint16_t script = th_tag_id(TH_STR("script"));
    size_t text = 0;
    bool has_script = false;
    for (uint32_t i = 0; text < LEAST_TEXT && i < th_page_token_count(page); i++) {
        th_span span = th_page_token_span(page, i);
        th_str content = {th_page_text(page).ptr + span.start, span.end - span.start};
        has_script |= tokens[i].kind == TH_TOKEN_START && tokens[i].tag == script;
        if (tokens[i].kind == TH_TOKEN_TEXT)
            text += th__str_trim(content).len;
    }
    return has_script && text < LEAST_TEXT;
}

/* ---- where a fetch ended --------------------------------------------------------------------- */

/* Returns true if a word of the text is one of login pages: /login, /users/sign_in, sso.site.org.
 */
static bool has_login_word(th_str text)
{
    static const char *const words[] = {"login", "logon", "signin",       "sso",
                                        "auth",  "oauth", "authenticate", "authorize"};
    th_str before = {0};
    for (size_t at = 0; at < text.len;) {
        th_str word = {text.ptr + at, 0};
        while (at + word.len < text.len && is_word((unsigned char)word.ptr[word.len]))
            word.len++;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (th__str_eq_nocase(word, th_str_from(words[i])))
                return true;
        bool in = th__str_eq_nocase(word, TH_STR("in")) || th__str_eq_nocase(word, TH_STR("on"));
        if (in &&
            (th__str_eq_nocase(before, TH_STR("sign")) || th__str_eq_nocase(before, TH_STR("log"))))
            return true;
        before = word;
        at += word.len + 1;
    }
    return false;
}

static bool has_password_field(const th_page *page)
{
    const th_token *tokens = th_page_tokens(page);
    uint16_t input = th_tag_id(TH_STR("input"));
    th_str type;
    for (uint32_t i = 0; i < th_page_token_count(page); i++)
        if (tokens[i].kind == TH_TOKEN_START && tokens[i].tag == input &&
            th_attr_get(page, i, "type", &type) && th__str_eq_nocase(type, TH_STR("password")))
            return true;
    return false;
}

th_arrival th_page_arrival(const th_page *page, th_str asked)
{
    th_str host, path, asked_host, asked_path;
    if (!th__url_place(asked, &asked_host, &asked_path) ||
        !th__url_place(th_page_url(page), &host, &path))
        return TH_ARRIVED;
    bool elsewhere = !th__str_eq_nocase(host, asked_host);
    if (!elsewhere && th__str_eq(path, asked_path))
        return TH_ARRIVED;
    bool wanted = has_login_word(asked_host) || has_login_word(asked_path);
    bool login = has_login_word(host) || has_login_word(path) || has_password_field(page);
    return login && !wanted ? TH_ARRIVED_LOGIN : elsewhere ? TH_ARRIVED_ELSEWHERE : TH_ARRIVED;
}
