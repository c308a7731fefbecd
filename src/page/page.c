/* page.c: what a page answers; parse.c makes pages. */
#include "page/page.h"

#include <string.h>

#include "base/str.h"
#include "page/text.h"
#include "page/url.h"

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
    uint32_t node = th__page_node_until(page, th__token_at(page, offset));
    while (node && page->tokens[page->nodes[node].token_end].start <= offset)
        node = page->nodes[node].parent;
    return node;
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

/* ---- not the page that was hoped for: its data is in a script -------------------------------- */

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
