/*
 * places.c: see places.h.
 *
 * The attributes' text holds a link twice, as written and made absolute. The first FEW strings are
 * looked for with memmem, which is as fast as memory: that is all that a person labels. For the
 * thousands of values of a list that is labelled whole the texts get an index of their pieces, so
 * that a search looks only at the places of the rarest piece of its string.
 */
#include "data/places.h"

#include <unictype.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "page/lex.h"
#include "page/page.h"

enum { NOT_HERE = TH__PLACE_TIERS, FEW = 64, SHORT_PIECE = 4, LONG_PIECE = 8, TRIED_PIECES = 64 };

/* ---- the attributes' text ---- */

static const struct {
    const char *name;
    bool link;
} searched_attrs[] = {
    {"href", true},   {"src", true},  {"content", false},
    {"title", false}, {"alt", false}, {"value", false},
};

static bool close_entry(th__places *s, size_t from, th_str name, bool link)
{
    return th__vec_push(&s->entries, (th__attr_text){from, s->attrs.len, name, link}) &&
           th__buf_add_byte(&s->attrs, '\n') && th__vec_push(&s->attr_map, (th_span){0});
}

/* A link as it is when made absolute; all of it stands for the whole value in the source. */
static bool add_absolute(th__places *s, th_str name, th_span span)
{
    th_text absolute = {0};
    th_str written = th__buf_str(&s->scratch.text);
    bool ok = th_page_resolve(s->page, written, &absolute, NULL) == TH_OK;
    size_t from = s->attrs.len;
    if (ok && !th__str_eq(written, (th_str){absolute.ptr, absolute.len})) {
        ok = th__buf_add(&s->attrs, absolute.ptr, absolute.len);
        for (size_t i = 0; ok && i < absolute.len; i++)
            ok = th__vec_push(&s->attr_map, span);
        ok = ok && close_entry(s, from, name, true);
    }
    th_text_release(&absolute);
    return ok;
}

static bool add_attr(th__places *s, th_attr attr, bool link)
{
    uint32_t start = (uint32_t)(attr.value.ptr - s->page->text.ptr);
    th_span span = {start, start + (uint32_t)attr.value.len};
    if (!th__page_fold(s->page, span, &s->scratch))
        return false;
    size_t from = s->attrs.len, len = s->scratch.text.len;
    if (!len)
        return true;
    if (!th__buf_add(&s->attrs, s->scratch.text.data, len) || !th__vec_reserve(&s->attr_map, len))
        return false;
    for (size_t i = 0; i < len; i++)
        s->attr_map.data[s->attr_map.len++] = (th_span){s->scratch.start[i], s->scratch.end[i]};
    return close_entry(s, from, attr.name, link) && (!link || add_absolute(s, attr.name, span));
}

static bool add_attrs_of(th__places *s, uint32_t token)
{
    th_attr attr;
    for (th_attr_iter it = th_attrs(s->page, token); th_attr_next(&it, &attr);) {
        for (size_t i = 0; i < sizeof searched_attrs / sizeof *searched_attrs; i++) {
            if (!attr.value.len ||
                !th__str_eq_nocase(attr.name, th_str_from(searched_attrs[i].name)))
                continue;
            if (!add_attr(s, attr, searched_attrs[i].link))
                return false;
        }
    }
    return true;
}

bool th__places_open(th__places *s, const th_page *page)
{
    *s = (th__places){.page = page};
    if (!th__page_fold(s->page, (th_span){0, (uint32_t)s->page->text.len}, &s->text))
        return false;
    for (uint32_t t = 0; t < s->page->token_count; t = th__hidden_end(s->page, t))
        if (s->page->tokens[t].kind == TH_TOKEN_START &&
            s->page->tokens[t].flags & TH_TOKEN_HAS_ATTRS && !add_attrs_of(s, t))
            return false;
    return true;
}

/* ---- does it stand alone ---- */

typedef enum joint {
    JOINT_NONE,      /* a value may start or end here */
    JOINT_LETTERS,   /* inside a word */
    JOINT_SEPARATOR, /* between the groups of a number: 1|,234 */
    JOINT_DIGITS     /* inside a number */
} joint;

static uint32_t char_before(th_str text, size_t at)
{
    size_t start = at;
    uint32_t code = 0;
    while (start && ((unsigned char)text.ptr[--start] & 0xC0) == 0x80)
        ;
    if (start < at)
        th__utf8_decode(text.ptr + start, text.ptr + at, &code, NULL);
    return code;
}

static uint32_t char_at(th_str text, size_t at)
{
    uint32_t code = 0;
    if (at < text.len)
        th__utf8_decode(text.ptr + at, text.ptr + text.len, &code, NULL);
    return code;
}

/* A value may start or end between any two letters of a script without blanks between words. */
static bool is_letter(uint32_t c)
{
    return c < 128 ? th__is_alpha((unsigned char)c)
                   : (uc_is_alpha(c) && !th__is_east(c)) || uc_combining_class(c) != 0;
}

static bool is_number_sign(uint32_t c)
{
    return c == '.' || c == ',';
}

/* What the border between two characters is; `beyond` is the character past the outer one. */
static joint joint_of(uint32_t outer, uint32_t inner, uint32_t beyond)
{
    bool digit = inner < 128 && th__is_digit((unsigned char)inner);
    if (digit && outer < 128 && th__is_digit((unsigned char)outer))
        return JOINT_DIGITS;
    if (digit && is_number_sign(outer) && beyond < 128 && th__is_digit((unsigned char)beyond))
        return JOINT_SEPARATOR;
    return is_letter(inner) && is_letter(outer) ? JOINT_LETTERS : JOINT_NONE;
}

static joint joint_around(th_str text, size_t from, size_t to)
{
    uint32_t before = char_before(text, from), after = char_at(text, to);
    uint32_t two_before = from ? char_before(text, from - 1) : 0, two_after = char_at(text, to + 1);
    joint left = joint_of(before, char_at(text, from), before < 128 ? two_before : 0);
    joint right = joint_of(after, char_before(text, to), after < 128 ? two_after : 0);
    return left > right ? left : right;
}

/* ---- places ---- */

/* The innermost node that holds all of the span. */
uint32_t th__node_around(const th_page *page, th_span span)
{
    uint32_t node = th_page_node_at(page, span.start);
    while (node && th_page_node_span(page, node).end < span.end)
        node = page->nodes[node].parent;
    return node;
}

static bool add_place(th__places *s, unsigned tier, th_span span, th_str attribute)
{
    if (tier >= TH__PLACE_TIERS)
        return true;
    if (s->tiers[tier].len) {
        th_span last = s->tiers[tier].data[s->tiers[tier].len - 1].span;
        if (last.start == span.start && last.end == span.end)
            return true; /* a link as written and made absolute */
    }
    s->totals[tier]++;
    return s->tiers[tier].len >= TH_PLACES_MAX ||
           th__vec_push(&s->tiers[tier],
                        (th_place){span, th__node_around(s->page, span), attribute});
}

/* ---- searching ---- */

static uint32_t piece_slot(const th__piece_index *index, const char *piece)
{
    uint64_t key = 0;
    memcpy(&key, piece, index->len);
    return (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> (64 - index->bits));
}

static bool index_pieces(th_str text, unsigned len, th__piece_index *out)
{
    size_t count = text.len >= len ? text.len - len + 1 : 0;
    *out = (th__piece_index){.len = len, .bits = 8};
    while (out->bits < 24 && (size_t)1 << out->bits < count)
        out->bits++;
    size_t slots = (size_t)1 << out->bits;
    out->first = th__mem_zero(slots + 2, sizeof *out->first);
    out->places = th__mem_zero(count + 1, sizeof *out->places);
    if (!out->first || !out->places)
        return false;
    for (size_t i = 0; i < count; i++)
        out->first[piece_slot(out, text.ptr + i) + 2]++;
    for (size_t slot = 2; slot < slots + 2; slot++)
        out->first[slot] += out->first[slot - 1];
    for (size_t i = 0; i < count; i++)
        out->places[out->first[piece_slot(out, text.ptr + i) + 1]++] = (uint32_t)i;
    return true;
}

/* The places of a string in a text, from left to right; they do not overlap, so that the cost stays
 * linear whatever the text. */
struct hits {
    th_str text, value;
    size_t at;              /* of this one */
    const uint32_t *places; /* of a piece of it; NULL: the text is searched */
    uint32_t count, next;
    size_t piece; /* where in the value that piece is */
};

static struct hits hits_of(const th__piece_index indexes[2], th_str text, th_str value)
{
    struct hits h = {.text = text, .value = value};
    const th__piece_index *index = &indexes[value.len >= LONG_PIECE];
    if (!index->places || value.len < SHORT_PIECE)
        return h;
    for (size_t i = 0; i + index->len <= value.len && i < TRIED_PIECES; i++) {
        uint32_t slot = piece_slot(index, value.ptr + i);
        uint32_t count = index->first[slot + 1] - index->first[slot];
        if (h.places && count >= h.count)
            continue;
        h.places = index->places + index->first[slot];
        h.count = count;
        h.piece = i;
    }
    return h;
}

static bool next_hit(struct hits *h)
{
    if (!h->places) {
        size_t found =
            h->at + h->value.len <= h->text.len
                ? th__str_find((th_str){h->text.ptr + h->at, h->text.len - h->at}, h->value)
                : SIZE_MAX;
        h->at += found == SIZE_MAX ? 0 : found;
        return found != SIZE_MAX;
    }
    for (; h->next < h->count; h->next++) {
        size_t place = h->places[h->next];
        if (place < h->at + h->piece || place - h->piece + h->value.len > h->text.len ||
            memcmp(h->text.ptr + place - h->piece, h->value.ptr, h->value.len) != 0)
            continue;
        h->at = place - h->piece;
        return true;
    }
    return false;
}

/* Makes the indexes when there are more than a few strings to look for. */
static bool index_texts(th__places *s)
{
    if (++s->searches != FEW)
        return true;
    return index_pieces(th__buf_str(&s->text.text), SHORT_PIECE, &s->text_pieces[0]) &&
           index_pieces(th__buf_str(&s->text.text), LONG_PIECE, &s->text_pieces[1]) &&
           index_pieces(th__buf_str(&s->attrs), SHORT_PIECE, &s->attr_pieces[0]) &&
           index_pieces(th__buf_str(&s->attrs), LONG_PIECE, &s->attr_pieces[1]);
}

static bool find_in_text(th__places *s, th_str value)
{
    static const unsigned tiers[] = {
        [JOINT_NONE] = 0, [JOINT_LETTERS] = 1, [JOINT_SEPARATOR] = 1, [JOINT_DIGITS] = NOT_HERE};
    th_str text = th__buf_str(&s->text.text);
    struct hits h = hits_of(s->text_pieces, text, value);
    for (; next_hit(&h); h.at += value.len) {
        size_t to = h.at + value.len;
        th_span span = {s->text.start[h.at], s->text.end[to - 1]};
        if (!add_place(s, tiers[joint_around(text, h.at, to)], span, (th_str){0}))
            return false;
    }
    return true;
}

static const th__attr_text *entry_at(const th__places *s, size_t at)
{
    size_t low = 0, high = s->entries.len;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->entries.data[middle].from <= at)
            low = middle;
        else
            high = middle;
    }
    return &s->entries.data[low];
}

/* Links are one thing: a part of one is a place only when there is no better. */
static unsigned attr_tier(const th__attr_text *entry, th_str text, size_t at, size_t to)
{
    if (entry->from == at && entry->to == to)
        return 0;
    joint j = joint_around(text, at, to);
    if (j == JOINT_DIGITS || (entry->link && j != JOINT_NONE))
        return NOT_HERE;
    return entry->link || j != JOINT_NONE;
}

static bool find_in_attrs(th__places *s, th_str value)
{
    th_str text = th__buf_str(&s->attrs);
    struct hits h = hits_of(s->attr_pieces, text, value);
    for (; next_hit(&h); h.at += value.len) {
        size_t to = h.at + value.len;
        const th__attr_text *entry = entry_at(s, h.at);
        th_span span = {s->attr_map.data[h.at].start, s->attr_map.data[to - 1].end};
        if (!add_place(s, attr_tier(entry, text, h.at, to), span, entry->name))
            return false;
    }
    return true;
}

/* ---- the door ---- */

bool th__places_find(th__places *s, th_str value)
{
    for (unsigned tier = 0; tier < TH__PLACE_TIERS; tier++)
        s->tiers[tier].len = s->totals[tier] = 0;
    return index_texts(s) && find_in_text(s, value) && find_in_attrs(s, value);
}

void th__places_release(th__places *s)
{
    th__folded_release(&s->text);
    th__folded_release(&s->scratch);
    th__buf_release(&s->attrs);
    th__vec_release(&s->attr_map);
    th__vec_release(&s->entries);
    for (unsigned i = 0; i < 2; i++) {
        th__mem_free(s->text_pieces[i].first);
        th__mem_free(s->text_pieces[i].places);
        th__mem_free(s->attr_pieces[i].first);
        th__mem_free(s->attr_pieces[i].places);
    }
    for (unsigned tier = 0; tier < TH__PLACE_TIERS; tier++)
        th__vec_release(&s->tiers[tier]);
}
