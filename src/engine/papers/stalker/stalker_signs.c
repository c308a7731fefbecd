/*
 * stalker_signs.c: lists of texts with a sign between them.
 *
 *     <dd>red, natural oak, , blue</dd>        " / ", " | ", " and "
 *
 * The sign is what all labelled texts have between them. With it the list is split as a reader
 * splits it: there may be more texts than on any labelled page, and where two signs stand side by
 * side there is nothing between them.
 */
#include "base/vec.h"
#include "engine/papers/stalker/stalker_learn.h"
#include "page/page.h"
#include "page/text.h"

/* ---- splitting ------------------------------------------------------------------------------- */

static bool begins_blank(const th_page *page, uint32_t start, uint32_t end)
{
    return start < end && th__stalker_trim(page, (th_span){start, end}).start > start;
}

static bool ends_blank(const th_page *page, uint32_t start, uint32_t end)
{
    th_span bare = th__stalker_trim(page, (th_span){start, end});
    return start < end && (bare.start == bare.end || bare.end < end);
}

/* A sign without the blanks at its ends, and whether it wants them. */
struct sign {
    th_str text;
    bool before, behind;
};

static struct sign read_sign(th_str sign)
{
    bool any = sign.len > 0;
    return (struct sign){.text = th__str_trim(sign),
                         .before = any && sign.ptr[0] == ' ',
                         .behind = any && sign.ptr[sign.len - 1] == ' '};
}

enum { NEAR_BLANK = 6 }; /* bytes of the longest blank: &nbsp; */

/* Whether a sign stands at a byte of a text; either end of the list is as good as a blank. */
static bool is_sign(const th_page *page, const struct sign *sign, th_span text, th_span list,
                    uint32_t at)
{
    uint32_t end = at + (uint32_t)sign->text.len;
    if (end > text.end || memcmp(page->text.ptr + at, sign->text.ptr, sign->text.len) != 0)
        return false;
    uint32_t from = at - text.start > NEAR_BLANK ? at - NEAR_BLANK : text.start;
    uint32_t to = text.end - end > NEAR_BLANK ? end + NEAR_BLANK : text.end;
    return (!sign->before || at == list.start || ends_blank(page, from, at)) &&
           (!sign->behind || end == list.end || begins_blank(page, end, to));
}

static bool is_tag(const th_page *page, uint32_t token)
{
    return page->tokens[token].kind == TH_TOKEN_START || page->tokens[token].kind == TH_TOKEN_END;
}

/* A text without the tags and blanks at its ends. */
static th_span trim(const th_page *page, th_span span)
{
    for (th_span last = {0}; last.start != span.start || last.end != span.end;) {
        last = span = th__stalker_trim(page, span);
        uint32_t token = th__token_at(page, span.start);
        if (span.start < span.end && is_tag(page, token))
            span.start = page->tokens[token + 1].start;
        token = span.start < span.end ? th__token_at(page, span.end - 1) : 0;
        if (span.start < span.end && is_tag(page, token) && page->tokens[token].start >= span.start)
            span.end = page->tokens[token].start;
    }
    return span;
}

static bool add_text(const th_page *page, uint32_t start, uint32_t end, th__extent_vec *out)
{
    th_span span = trim(page, (th_span){start, end});
    return span.start >= span.end || th__vec_push(out, th__stalker_stretch(page, span));
}

bool th__stalker_split(const th_page *page, th_str sign_text, th_span span, th__extent_vec *out)
{
    struct sign sign = read_sign(sign_text);
    uint32_t start = span.start;
    if (!sign.text.len)
        return true;
    for (uint32_t t = th__token_at(page, span.start);
         t < page->token_count && page->tokens[t].start < span.end; t++) {
        if (page->tokens[t].kind != TH_TOKEN_TEXT)
            continue;
        th_span text = {page->tokens[t].start, page->tokens[t + 1].start};
        text.start = text.start > span.start ? text.start : span.start;
        text.end = text.end < span.end ? text.end : span.end;
        for (uint32_t at = text.start; at < text.end; at++) {
            if (page->text.ptr[at] != sign.text.ptr[0] || !is_sign(page, &sign, text, span, at))
                continue;
            if (!add_text(page, start, at, out))
                return false;
            start = at + (uint32_t)sign.text.len;
            at = start - 1;
        }
    }
    return add_text(page, start, span.end, out);
}

/* ---- learning -------------------------------------------------------------------------------- */

/* Whether a gap is a sign, once or several times, with blanks. */
static bool is_repeat(const th_page *page, const struct sign *sign, th_span gap)
{
    gap = th__stalker_trim(page, gap);
    while (gap.start < gap.end) {
        if (gap.end - gap.start < sign->text.len ||
            memcmp(page->text.ptr + gap.start, sign->text.ptr, sign->text.len) != 0)
            return false;
        gap.start += (uint32_t)sign->text.len;
        gap = th__stalker_trim(page, gap);
    }
    return true;
}

/* What stands between a text and the next, tags left out at its ends. */
static th_span gap_of(const th_page *page, const th_value *list, size_t n, bool *tags)
{
    th_span gap = {th__stalker_value_span(th_value_item(list, n)).end,
                   th__stalker_value_span(th_value_item(list, n + 1)).start};
    if (gap.start >= gap.end)
        return (th_span){0};
    uint32_t first = th__token_at(page, gap.start), last = th__token_at(page, gap.end - 1);
    *tags = first != last;
    for (; first < last && is_tag(page, first); first++)
        gap.start = page->tokens[first + 1].start;
    for (; first < last && is_tag(page, last); last--)
        gap.end = page->tokens[last].start;
    return first == last && page->tokens[first].kind == TH_TOKEN_TEXT ? gap : (th_span){0};
}

/* The shortest gap is the sign; whether texts with no tag between them have it at all. */
static bool find_sign(const th__stalker_learner *l, const th__instances *instances,
                      struct sign *sign)
{
    bool flat = false, tags;
    *sign = (struct sign){.before = true, .behind = true};
    for (size_t i = 0; i < instances->len; i++) {
        const th__stalker_instance *in = &instances->data[i];
        const th_page *page = l->pages[in->page].page;
        for (size_t n = 0; n + 1 < th_value_count(in->value); n++) {
            th_span gap = gap_of(page, in->value, n, &tags), bare = th__stalker_trim(page, gap);
            if (bare.start == bare.end)
                return false;
            flat |= !tags;
            sign->before &= bare.start > gap.start;
            sign->behind &= bare.end < gap.end;
            if (!sign->text.ptr || bare.end - bare.start < sign->text.len)
                sign->text = th__page_slice(page, bare.start, bare.end);
        }
    }
    return flat;
}

static bool all_have(const th__stalker_learner *l, const th__instances *instances,
                     const struct sign *sign)
{
    bool tags;
    for (size_t i = 0; i < instances->len; i++) {
        const th__stalker_instance *in = &instances->data[i];
        const th_page *page = l->pages[in->page].page;
        for (size_t n = 0; n + 1 < th_value_count(in->value); n++)
            if (!is_repeat(page, sign, gap_of(page, in->value, n, &tags)))
                return false;
    }
    return true;
}

bool th__stalker_learn_sign(th__stalker_learner *l, const th__instances *instances, th_str *out)
{
    struct sign sign;
    enum { LONGEST = 16 };
    *out = (th_str){0};
    if (!find_sign(l, instances, &sign) || sign.text.len > LONGEST ||
        !all_have(l, instances, &sign))
        return true;
    char *text = th__arena_alloc(l->arena, LONGEST + 2);
    size_t len = 0;
    if (!text)
        return false;
    if (sign.before)
        text[len++] = ' ';
    memcpy(text + len, sign.text.ptr, sign.text.len);
    len += sign.text.len;
    if (sign.behind)
        text[len++] = ' ';
    *out = (th_str){text, len};
    return true;
}

th_span th__stalker_with_signs(const th__stalker_map *map, th_str sign_text, th_span span)
{
    struct sign sign = read_sign(sign_text);
    const th_page *page = map->page;
    uint32_t first = th__stalker_unit_at(map, span.start);
    uint32_t last = th__stalker_units_to(map, span.end);
    if (first >= map->count || !last)
        return span;
    th_span from = map->units[first].span, to = map->units[last - 1].span;
    if (from.start < span.start && is_repeat(page, &sign, (th_span){from.start, span.start}))
        span.start = from.start;
    if (to.end > span.end && is_repeat(page, &sign, (th_span){span.end, to.end}))
        span.end = to.end;
    return span;
}
