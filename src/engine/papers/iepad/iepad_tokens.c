/* iepad_tokens.c: a page as a token string, in one pass over its tokens; and symbols in writing. */
#include "engine/papers/iepad/iepad.h"
#include "page/tags.h"
#include "page/text.h"

/* The classes of tags. */
enum { BLOCK, LOGICAL, PHYSICAL, SPECIAL };

const char *const th__iepad_scheme_names[] = {"all-tag",    "no-physical", "no-special",
                                              "no-logical", "block-level", NULL};

/* What each skips: bits by class. */
static const uint8_t skipped[TH__IEPAD_SCHEME_COUNT] = {
    0, 1 << PHYSICAL, 1 << SPECIAL, 1 << LOGICAL, 1 << PHYSICAL | 1 << SPECIAL | 1 << LOGICAL};

/* Text-level tags of HTML 3.2 and their successors, and what browsers set on a line of its own but
 * belongs into a text. Of the rest, what browsers give lines of its own is block-level. */
static const uint8_t classes[TAG_COUNT] = {
    [TH_TAG_EM] = LOGICAL,       [TH_TAG_STRONG] = LOGICAL,   [TH_TAG_DFN] = LOGICAL,
    [TH_TAG_CODE] = LOGICAL,     [TH_TAG_SAMP] = LOGICAL,     [TH_TAG_KBD] = LOGICAL,
    [TH_TAG_VAR] = LOGICAL,      [TH_TAG_CITE] = LOGICAL,     [TH_TAG_ABBR] = LOGICAL,
    [TH_TAG_ACRONYM] = LOGICAL,  [TH_TAG_Q] = LOGICAL,        [TH_TAG_INS] = LOGICAL,
    [TH_TAG_DEL] = LOGICAL,      [TH_TAG_MARK] = LOGICAL,     [TH_TAG_TIME] = LOGICAL,
    [TH_TAG_DATA] = LOGICAL,     [TH_TAG_TT] = PHYSICAL,      [TH_TAG_I] = PHYSICAL,
    [TH_TAG_B] = PHYSICAL,       [TH_TAG_U] = PHYSICAL,       [TH_TAG_S] = PHYSICAL,
    [TH_TAG_STRIKE] = PHYSICAL,  [TH_TAG_BIG] = PHYSICAL,     [TH_TAG_SMALL] = PHYSICAL,
    [TH_TAG_SUB] = PHYSICAL,     [TH_TAG_SUP] = PHYSICAL,     [TH_TAG_BLINK] = PHYSICAL,
    [TH_TAG_A] = SPECIAL,        [TH_TAG_IMG] = SPECIAL,      [TH_TAG_APPLET] = SPECIAL,
    [TH_TAG_FONT] = SPECIAL,     [TH_TAG_BASEFONT] = SPECIAL, [TH_TAG_SCRIPT] = SPECIAL,
    [TH_TAG_MAP] = SPECIAL,      [TH_TAG_AREA] = SPECIAL,     [TH_TAG_INPUT] = SPECIAL,
    [TH_TAG_SELECT] = SPECIAL,   [TH_TAG_OPTION] = SPECIAL,   [TH_TAG_OPTGROUP] = SPECIAL,
    [TH_TAG_TEXTAREA] = SPECIAL, [TH_TAG_BUTTON] = SPECIAL,   [TH_TAG_IFRAME] = SPECIAL,
};

/* Tags that show something by themselves. */
static const bool shows[TAG_COUNT] = {
    [TH_TAG_IMG] = true,      [TH_TAG_INPUT] = true,  [TH_TAG_SELECT] = true,
    [TH_TAG_TEXTAREA] = true, [TH_TAG_OBJECT] = true, [TH_TAG_EMBED] = true,
    [TH_TAG_APPLET] = true,   [TH_TAG_VIDEO] = true,  [TH_TAG_AUDIO] = true,
    [TH_TAG_CANVAS] = true,   [TH_TAG_SVG] = true,    [TH_TAG_AMP_IMG] = true,
};

static unsigned class_of(uint16_t tag)
{
    if (tag < TAG_COUNT && classes[tag])
        return classes[tag];
    return th__tag_flags(tag) & TH_TAG_IS_BLOCK ? BLOCK : SPECIAL;
}

/* The first symbol from `low` on that is of tokens at or after `token`. */
static uint32_t symbol_from(const th__iepad_string *s, uint32_t low, uint32_t token)
{
    return low + (uint32_t)th__count_first(i, s->len - low, s->first[low + i] < token);
}

/* What is between two tags that are kept. */
typedef struct gap {
    uint32_t first, last; /* tokens, of tags that are skipped and of text */
    bool any, text;
} gap;

static void close_gap(th__iepad_string *s, gap *g)
{
    if (g->text) {
        s->symbols[s->len] = TH__IEPAD_TEXT;
        s->first[s->len] = g->first;
        s->last[s->len++] = g->last;
    }
    *g = (gap){0};
}

static void widen_gap(gap *g, uint32_t token, bool text)
{
    if (!g->any)
        g->first = token;
    g->last = token;
    g->any = true;
    g->text |= text;
}

/* True if a text shows anything: blanks and no-break spaces alone do not. */
static bool shows_text(const th_page *page, uint32_t token)
{
    if (page->tokens[token].flags & TH_TOKEN_BLANK)
        return false;
    th_str text = th__str_trim(th__token_text(page, token));
    while (th__str_starts(text, TH_STR("&nbsp;")) || th__str_starts(text, TH_STR("\xC2\xA0"))) {
        size_t len = text.ptr[0] == '&' ? 6 : 2;
        text = th__str_trim((th_str){text.ptr + len, text.len - len});
    }
    return text.len > 0;
}

static bool is_hidden(const th_page *page, uint32_t token)
{
    uint16_t tag = page->tokens[token].tag;
    return th__tag_flags(tag) & (TH_TAG_IS_HIDDEN | TH_TAG_IS_HEAD) || tag == TH_TAG_NOSCRIPT;
}

static void encode_tag(const th_page *page, const th__iepad_encoding *e, uint32_t at,
                       th__iepad_string *s, gap *g)
{
    const th_token *token = &page->tokens[at];
    if (skipped[e->scheme] >> class_of(token->tag) & 1) {
        bool media = e->media_as_text && token->kind == TH_TOKEN_START && token->tag < TAG_COUNT &&
                     shows[token->tag];
        widen_gap(g, at, media);
        return;
    }
    close_gap(s, g);
    s->symbols[s->len] = th__iepad_symbol(token->tag, token->kind == TH_TOKEN_END);
    s->first[s->len] = s->last[s->len] = at;
    s->len++;
}

bool th__iepad_encode(const th_page *page, const th__iepad_encoding *e, uint32_t from, uint32_t to,
                      th__arena *arena, th__iepad_string *out)
{
    gap g = {0};
    size_t most = to > from ? to - from : 0; /* a symbol has a token of its own */
    *out = (th__iepad_string){.symbols = th__arena_alloc(arena, 3 * most * sizeof *out->symbols)};
    if (!out->symbols)
        return false;
    out->first = out->symbols + most;
    out->last = out->first + most;
    for (uint32_t at = from; at < to; at++) {
        const th_token *token = &page->tokens[at];
        switch ((th_token_kind)token->kind) {
        case TH_TOKEN_START:
            if (e->skip_hidden && is_hidden(page, at)) {
                uint32_t end = th__hidden_end(page, at);
                at = (end < to ? end : to) - 1;
                break;
            }
            encode_tag(page, e, at, out, &g);
            break;
        case TH_TOKEN_END:
            if (!e->skip_hidden || !is_hidden(page, at))
                encode_tag(page, e, at, out, &g);
            break;
        case TH_TOKEN_RCDATA:
            if (e->skip_hidden && at > 0 && token[-1].tag == TH_TAG_TITLE)
                break;
            /* fall through */
        case TH_TOKEN_TEXT:
        case TH_TOKEN_CDATA:
            if (shows_text(page, at))
                widen_gap(&g, at, true);
            break;
        default: /* comments, scripts and the like are not text */
            break;
        }
    }
    close_gap(out, &g);
    return true;
}

static const th__iepad_name *find_name(const th__iepad_name *names, uint16_t tag)
{
    while (names && names->tag != tag)
        names = names->next;
    return names;
}

bool th__iepad_names_add(th__arena *arena, const th__iepad_name **names, uint16_t tag, th_str name)
{
    if (tag < TH_TAG_OTHER || find_name(*names, tag))
        return true;
    th__iepad_name *own = th__arena_alloc(arena, sizeof *own);
    th_str copy = own ? th__arena_copy(arena, name) : (th_str){0};
    if (!copy.ptr)
        return false;
    for (size_t i = 0; i < copy.len; i++)
        ((char *)copy.ptr)[i] = (char)th__lower((unsigned char)copy.ptr[i]);
    *own = (th__iepad_name){*names, tag, copy};
    *names = own;
    return true;
}

bool th__iepad_names_of(const th_page *page, const th__pattern *pattern, th__arena *arena,
                        const th__iepad_name **names)
{
    for (uint32_t i = 0; i < pattern->symbol_count; i++) {
        uint16_t tag = th__iepad_symbol_tag(pattern->symbols[i]);
        uint32_t at = 0;
        if (tag < TH_TAG_OTHER || find_name(*names, tag))
            continue; /* so the page is searched once per tag */
        while (at < page->token_count && page->tokens[at].tag != tag)
            at++;
        if (at < page->token_count &&
            !th__iepad_names_add(arena, names, tag, th_token_name(page, at)))
            return false;
    }
    return true;
}

void th__iepad_symbol_print(const void *names, uint32_t symbol, th__buf *out)
{
    if (symbol == TH__IEPAD_TEXT) {
        th__buf_add_str(out, TH_STR("<TEXT>"));
        return;
    }
    uint16_t tag = th__iepad_symbol_tag(symbol);
    const th__iepad_name *other = find_name(names, tag);
    th_str name = other ? other->name : th_tag_name(tag);
    th__buf_add_str(out, symbol & 1 ? TH_STR("</") : TH_STR("<"));
    if (name.ptr)
        th__buf_add_str(out, name);
    else
        th__buf_printf(out, "#%u", tag); /* not in the names: by its number */
    th__buf_add_byte(out, '>');
}

/* ---- what columns and elements hold ---------------------------------------------------------- */

bool th__iepad_column_kind(const th__pattern *pattern, uint32_t column, th__iepad_kind *kind)
{
    static const struct {
        uint32_t symbol;
        th__iepad_kind kind;
    } holders[] = {
        {TH__IEPAD_TEXT, TH__IEPAD_VALUE_TEXT},
        {TH_TAG_A * 2, TH__IEPAD_VALUE_LINK},
        {TH_TAG_IMG * 2, TH__IEPAD_VALUE_IMAGE},
    };
    for (size_t i = 0; i < sizeof holders / sizeof *holders; i++)
        if (th__column_has(pattern, column, holders[i].symbol)) {
            *kind = holders[i].kind;
            return true;
        }
    return false;
}

/* One past the symbols of the element that begins at `at`; 0 when none does. */
static uint32_t element_end(const th_page *page, const th__iepad_string *s, uint32_t at)
{
    uint32_t node = th__page_node_from(page, s->first[at]);
    if (node == page->node_count || page->nodes[node].token != s->first[at])
        return 0;
    return symbol_from(s, at + 1, page->nodes[node].token_end);
}

uint32_t th__iepad_match(const th_page *page, const th__iepad_string *s, th__matcher *matcher,
                         bool element, uint32_t at)
{
    uint32_t len = th__matcher_longest(matcher, s->symbols, s->len, at);
    if (!element)
        return len;
    uint32_t end = len ? element_end(page, s, at) : 0;
    if (end <= at || len < end - at)
        return 0;
    if (len > end - at)
        len = th__matcher_longest(matcher, s->symbols, end, at);
    return len == end - at ? len : 0;
}
