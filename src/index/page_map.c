/* page_map.c: units, and sums of steps. */
#include "index/page_map.h"

#include "base/utf8.h"
#include "base/vec.h"
#include "page/signs.h"
#include "page/attrs.h"
#include "page/bytes.h"
#include "page/charref.h"
#include "page/lex.h"
#include "page/page.h"
#include "page/tags.h"
#include "page/text.h"
#include "index/tag_memo.h"
#include "index/view.h"

/* ---- texts ----------------------------------------------------------------------------------- */

/* A no-break space, as a character or a reference: how many bytes, or 0. */
static size_t wide_blank(const char *at, const char *end)
{
    static const th_str spellings[] = {
        {"\xC2\xA0", 2}, {"&nbsp;", 6}, {"&#160;", 6}, {"&#xA0;", 6}};
    th_str rest = {at, (size_t)(end - at)};
    if (*at != '&' && *at != '\xC2')
        return 0;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (th__str_starts_nocase(rest, spellings[i]))
            return spellings[i].len;
    return 0;
}

th_span th__span_trim(const th_page *page, th_span span)
{
    const char *base = page->text.ptr, *at = base + span.start, *end = base + span.end;
    for (size_t len; at < end; at += len) {
        len = th__is_blank((unsigned char)*at) ? 1 : wide_blank(at, end);
        if (!len)
            break;
    }
    while (end > at) {
        if (th__is_blank((unsigned char)end[-1])) {
            end--;
        } else if (end - at >= 2 && wide_blank(end - 2, end) == 2) {
            end -= 2;
        } else if (end - at >= 6 && end[-1] == ';' && wide_blank(end - 6, end) == 6) {
            end -= 6;
        } else {
            break;
        }
    }
    return (th_span){(uint32_t)(at - base), (uint32_t)(end - base)};
}

/* What goes into a hash of text, eight bytes at a time. */
struct text_hash {
    uint64_t hash, word;
    unsigned filled; /* bytes of the word */
};

static inline void add_byte(struct text_hash *h, unsigned char c)
{
    h->word = h->word << 8 | c;
    if (++h->filled == 8) {
        h->hash = th__hash_mix(h->hash, h->word);
        h->filled = 0;
        h->word = 0;
    }
}

/* The first `count` bytes of a word, 1 to 8: as if added one by one. */
static inline void add_bytes(struct text_hash *h, uint64_t bytes, unsigned count)
{
    unsigned room = 8 - h->filled;
    bytes = __builtin_bswap64(bytes) >> (64 - 8 * count);
    if (count < room) {
        h->word = h->word << 8 * count | bytes;
        h->filled += count;
        return;
    }
    unsigned rest = count - room;
    uint64_t before = room < 8 ? h->word << 8 * room : 0;
    h->hash = th__hash_mix(h->hash, before | bytes >> 8 * rest);
    h->word = bytes & ((UINT64_C(1) << 8 * rest) - 1);
    h->filled = rest;
}

/* The next bytes of a text, zeros behind its end. */
static inline uint64_t word_at(th_str text, size_t at)
{
    uint64_t word = 0;
    if (text.len - at >= 8) {
        memcpy(&word, text.ptr + at, 8);
    } else if (text.len >= 8) {
        memcpy(&word, text.ptr + text.len - 8, 8);
        word >>= 8 * (8 - (text.len - at));
    } else {
        for (size_t i = text.len; i-- > at;)
            word = word << 8 | (unsigned char)text.ptr[i];
    }
    return word;
}

uint64_t th__anchor_hash(th_str source, bool references, th__buf *scratch)
{
    th_str text = source;
    struct text_hash hash = {0};
    bool letters = false;
    if (source.len > TH__ANCHOR_LONGEST)
        return 0;
    if (references &&
        th__find_byte(source.ptr, source.ptr + source.len, '&') < source.ptr + source.len) {
        th__buf_clear(scratch);
        if (th__decode_refs(source, false, scratch))
            text = th__buf_str(scratch);
    }
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (th__is_alpha(c)) { /* by far the most */
            uint64_t word = word_at(text, i);
            unsigned count = th__count_alpha(word);
            letters = true;
            add_bytes(&hash, word, count);
            i += count - 1;
            continue;
        }
        if (th__is_blank(c) || !c)
            continue;
        if (c >= 0x80) {
            uint32_t code;
            bool cut;
            size_t len = th__utf8_decode(text.ptr + i, text.ptr + text.len, &code, &cut);
            if (!cut && th__is_wide_blank(code)) {
                i += len - 1;
                continue;
            }
        }
        if (th__is_digit(c)) {
            if (i && th__is_digit((unsigned char)text.ptr[i - 1]))
                continue;
            c = '#';
        }
        letters |= c >= 0x80;
        add_byte(&hash, c);
    }
    return letters ? th__hash_mix(hash.hash, hash.word) | 1 : 0;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static bool find_plain(th__arena *arena, th__page_map *map)
{
    const th_page *page = map->page;
    const uint64_t *sum = map->at.sum[TH__STEPS_CLASSES], *tags = map->at.sum[TH__STEPS_TAGS];
    map->plain = th__arena_alloc(arena, page->node_count * sizeof *map->plain);
    map->bare = th__arena_alloc(arena, page->node_count * sizeof *map->bare);
    if (!map->plain || !map->bare)
        return false;
    memset(map->plain, true, page->node_count);
    memset(map->bare, true, page->node_count);
    for (uint32_t n = page->node_count - 1; n > 0; n--) {
        uint32_t parent = page->nodes[n].parent;
        bool plain = map->plain[n] && th__tag_flows(page->tags[n]);
        map->plain[parent] &= plain;
        bool classed = sum[n] - sum[parent] != tags[n] - tags[parent];
        map->bare[parent] &= plain && map->bare[n] && !th__mark_of(&map->at, n) && !classed;
    }
    return true;
}

uint32_t th__map_holder(const th_page *page, uint32_t token, uint32_t end)
{
    uint32_t node = th_page_node_at(page, page->tokens[token].start);
    while (node && page->nodes[node].token_end < end)
        node = page->nodes[node].parent;
    return node;
}

/* ---- scopes --------------------------------------------------------------------------------- */

th__scope th__scope_run(const th_page *page, uint32_t root, uint32_t token, uint32_t end)
{
    th_span span = {page->tokens[token].start, page->tokens[end].start};
    return (th__scope){root, token, end, span};
}

th__scope th__scope_page(const th_page *page)
{
    return th__scope_run(page, 0, 0, page->token_count);
}

th__scope th__scope_element(const th_page *page, uint32_t node)
{
    return th__scope_run(page, node, page->nodes[node].token, page->nodes[node].token_end);
}

th__scope th__scope_span(const th_page *page, th_span span)
{
    uint32_t token = th__token_at(page, span.start), end = th__token_at(page, span.end);
    end += end < page->token_count && page->tokens[end].start < span.end;
    uint32_t last = end > token ? end : token + 1;
    uint32_t root =
        th__map_holder(page, token, last < page->token_count ? last : page->token_count);
    token += page->tokens[token].start < span.start && token < end;
    return (th__scope){root, token, end > token ? end : token, span};
}

/* ---- units ----------------------------------------------------------------------------------- */

enum { BLANK = 6 /* bytes of &nbsp; */ };

/* Returns true if a sign separates the values of a line. Its blanks, or an edge of the text, have
 * to be around it. Those that are common inside of values count at an edge alone, beside a tag. A
 * comma never does: lists of texts are split at commas by rules of their own (stalker_list.c). */
static bool parts_line(const th__sign *sign)
{
    return sign->flags & TH__SIGN_PARTS && sign->flags & TH__SIGN_OPENS && sign->code != '(' &&
           sign->code != ',' && sign->code != 0xA0;
}

/* Returns true if a blank or an edge is before (or behind) a place; *edge: nothing else does. */
static bool has_blank(const th_page *page, th_span text, uint32_t at, bool before, bool *edge)
{
    th_span side = before ? (th_span){text.start, at} : (th_span){at, text.end};
    *edge = false;
    if (side.end - side.start > BLANK) {
        if (before)
            side.start = side.end - BLANK;
        else
            side.end = side.start + BLANK;
    }
    th_span bare = th__span_trim(page, side);
    *edge = bare.start == bare.end && (before ? side.start == text.start : side.end == text.end);
    return *edge || bare.start == bare.end ||
           (before ? bare.end < side.end : bare.start > side.start);
}

/* Returns true if a semicolon ends a character reference. */
static bool ends_reference(th_str text, size_t at)
{
    size_t i = at;
    while (i && at - i < 10 &&
           (th__is_alpha((unsigned char)text.ptr[i - 1]) ||
            th__is_digit((unsigned char)text.ptr[i - 1]) || text.ptr[i - 1] == '#'))
        i--;
    return i && text.ptr[i - 1] == '&';
}

static bool is_sign(const th_page *page, th_span text, uint32_t at, const th__sign *sign)
{
    th_str source = th__page_slice(page, text.start, text.end);
    th_str rest = {source.ptr + (at - text.start), text.end - at};
    bool first, last;
    if (!th__str_starts(rest, sign->text) ||
        (sign->text.ptr[0] == ';' && ends_reference(source, at - text.start)))
        return false;
    bool before = has_blank(page, text, at, true, &first);
    bool behind = has_blank(page, text, at + (uint32_t)sign->text.len, false, &last);
    /* A dash or a slash between texts of one unit is cut by rules: it counts where it is alone. */
    bool close = sign->flags & TH__SIGN_TIGHT, edge = close ? first || last : first && last;
    return (before || close) && behind && (edge || !th__sign_is_common(sign));
}

/* The first such sign of a text from a place on, or {end, end}; `bare` is the text without blanks
 * at either end. */
static th_span find_sign(const th_page *page, th_span text, th_span bare, uint32_t from)
{
    static const char anywhere[4] = {'|', '&', '\xC2', '\xE2'};
    const char *base = page->text.ptr;
    for (uint32_t at = from > bare.start ? from : bare.start; at < bare.end; at++) {
        /* Almost all bytes begin no sign, and those of sentences count at an edge alone. */
        bool edge = at == bare.start || at + 1 == bare.end;
        if (!edge)
            at = (uint32_t)(th__find_of4(base + at, base + bare.end - 1, base + page->text.len,
                                         anywhere) -
                            base);
        char c = base[at];
        edge |= at + 1 == bare.end;
        if (c != '|' && c != '&' && c != '\xC2' && c != '\xE2' &&
            !(edge && (c == ';' || c == '-' || c == '/')))
            continue;
        for (size_t s = 0; s < th__sign_count; s++)
            if (th__signs[s].text.ptr[0] == c && parts_line(&th__signs[s]) &&
                is_sign(page, text, at, &th__signs[s]))
                return (th_span){at, at + (uint32_t)th__signs[s].text.len};
    }
    return (th_span){text.end, text.end};
}

bool th__span_has_sign(const th_page *page, th_span span)
{
    for (uint32_t t = th__token_at(page, span.start);
         t < page->token_count && page->tokens[t].start < span.end; t++) {
        th_span text = {page->tokens[t].start, page->tokens[t + 1].start};
        if (page->tokens[t].kind != TH_TOKEN_TEXT)
            continue;
        uint32_t from = text.start > span.start ? text.start : span.start;
        if (find_sign(page, text, th__span_trim(page, text), from).start <
            (text.end < span.end ? text.end : span.end))
            return true;
    }
    return false;
}

struct map_maker {
    const th_page *page;
    bool signs; /* separate texts */
    th__node_walk walk;
    TH__VEC(th__text_unit) units;
    th__buf scratch;
};

/* Adds a unit without blanks at either end; none when nothing is left. */
static bool add_unit(struct map_maker *m, uint32_t token, th_span span, bool sign)
{
    if (span.start == span.end)
        return true;
    th_str source = th__page_slice(m->page, span.start, span.end);
    uint64_t hash = th__anchor_hash(source, true, &m->scratch);
    return th__vec_push(&m->units, (th__text_unit){token, m->walk.node, span, hash, sign});
}

/* The units of a text. */
static bool add_units(struct map_maker *m, uint32_t token)
{
    const th_page *page = m->page;
    th_span text = {page->tokens[token].start, page->tokens[token + 1].start};
    th_span bare = th__span_trim(page, text), none = {text.end, text.end};
    th_span sign = m->signs ? find_sign(page, text, bare, text.start) : none;
    if (sign.start == text.end)
        return add_unit(m, token, bare, false);
    for (uint32_t from = text.start; from < text.end;) {
        if (!add_unit(m, token, th__span_trim(page, (th_span){from, sign.start}), false) ||
            !add_unit(m, token, th__span_trim(page, sign), true))
            return false;
        from = sign.end;
        sign = find_sign(page, text, bare, from);
    }
    return true;
}

bool th__page_map_make(th__arena *arena, const th_page *page, bool signs, th__page_map *out)
{
    struct map_maker m = {.page = page, .signs = signs, .walk.next = 1};
    uint32_t hidden = 0; /* tokens before this one are not shown */
    *out = (th__page_map){.page = page};
    out->before = th__arena_alloc(arena, (page->token_count + (size_t)1) * sizeof *out->before);
    /* About a quarter of the tokens of pages are texts. */
    bool ok = out->before && th__addresses_make(arena, page, &out->at) && find_plain(arena, out) &&
              th__vec_reserve(&m.units, page->token_count / (size_t)4 + 1);
    for (uint32_t token = 0; ok && token < page->token_count; token++) {
        const th_token *t = &page->tokens[token];
        out->before[token] = (uint32_t)m.units.len;
        if (token < hidden)
            continue;
        if (t->kind == TH_TOKEN_START) {
            if (th__tag_hides(t->tag))
                hidden = th__hidden_end(page, token);
        } else if (th__is_text(t)) {
            th__node_follow(&m.walk, page, token);
            ok = add_units(&m, token);
        }
    }
    out->count = (uint32_t)m.units.len;
    out->units = ok ? th__arena_alloc(arena, (m.units.len + 1) * sizeof *out->units) : NULL;
    if (out->units) {
        out->before[page->token_count] = out->count;
        memcpy(out->units, m.units.data, m.units.len * sizeof *out->units);
    }
    th__vec_release(&m.units);
    th__buf_release(&m.scratch);
    return out->units;
}

th_str th__span_copy(th__arena *arena, const th_page *page, th_span span)
{
    th__buf text = {0};
    th_str out = {0};
    if (th__span_text(page, span, &text))
        out = th__arena_copy(arena, th__buf_str(&text));
    th__buf_release(&text);
    return out;
}

uint32_t th__map_unit_at(const th__page_map *map, uint32_t offset)
{
    return (uint32_t)th__count_first(i, map->count, map->units[i].span.end <= offset);
}

uint32_t th__map_units_to(const th__page_map *map, uint32_t offset)
{
    return (uint32_t)th__count_first(i, map->count, map->units[i].span.start < offset);
}

th_class th__map_begins(const th__page_map *map, uint32_t unit)
{
    th_lex lex;
    th_fine fine;
    th_lex_init(&lex, map->page, map->units[unit].span);
    return th_lex_next(&lex, &fine) ? (th_class)fine.cls : TH_CLASS_ANY;
}

bool th__map_in_line(const th__page_map *map, uint32_t unit)
{
    const th_page *page = map->page;
    if (unit + 1 >= map->count)
        return false;
    for (uint32_t token = map->units[unit].token + 1; token < map->units[unit + 1].token; token++) {
        const th_token *t = &page->tokens[token];
        bool tag = t->kind == TH_TOKEN_START || t->kind == TH_TOKEN_END;
        if (tag && (!th__tag_flows(t->tag) || t->tag == TH_TAG_BR || t->tag == TH_TAG_IMG))
            return false;
    }
    return true;
}

bool th__map_flows(const th__page_map *map, uint32_t unit)
{
    return unit + 1 < map->count && !map->units[unit].sign && !map->units[unit + 1].sign &&
           th__map_in_line(map, unit);
}
