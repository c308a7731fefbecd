/*
 * locate.c: finds labelled values on their page.
 *
 * Each distinct value is looked for once, and only the best tier of places that has any
 * counts; when there is none, the value is looked for as other tools may have written it.
 */
#include "data/labels.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

#include "base/error.h"
#include "base/key_map.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "data/record.h"
#include "page/charref.h"
#include "page/lex.h"
#include "page/page.h"
#include "page/text.h"

enum {
    NEAREST_PATTERN = 64,   /* bytes of the value that are compared: the bits of a word */
    NEAREST_TEXT = 1 << 20, /* bytes of the text that are searched */
};

/*
 * The part of a text that is most like a value: approximate search after G. Myers, "A fast
 * bit-vector algorithm for approximate string matching based on dynamic programming", JACM 46(3),
 * 1999.
 *
 * The column of the dynamic program for edit distance is kept as two words of +1 and -1 steps, so
 * that a byte of text costs a dozen operations for a pattern of up to 64 bytes. The lowest score
 * shows where the best match ends; the same search backwards from there shows where it starts. Case
 * does not count.
 */

typedef struct matcher {
    uint64_t equal[256]; /* by byte: where the pattern has it */
    uint64_t top;        /* the bit of the pattern's last byte */
    uint64_t plus, minus;
    unsigned score;
} matcher;

static void start_matcher(matcher *m, th_str pattern, bool backwards)
{
    memset(m->equal, 0, sizeof m->equal);
    for (size_t i = 0; i < pattern.len; i++) {
        unsigned char c = (unsigned char)pattern.ptr[backwards ? pattern.len - 1 - i : i];
        m->equal[th__lower(c)] |= (uint64_t)1 << i;
    }
    m->top = (uint64_t)1 << (pattern.len - 1);
    m->plus = UINT64_MAX;
    m->minus = 0;
    m->score = (unsigned)pattern.len;
}

/* Takes one byte of text. Anchored: skipping text before the match costs, too. */
static inline void step(matcher *m, unsigned char c, bool anchored)
{
    uint64_t equal = m->equal[th__lower(c)];
    uint64_t vertical = equal | m->minus;
    uint64_t horizontal = (((equal & m->plus) + m->plus) ^ m->plus) | equal;
    uint64_t plus = m->minus | ~(horizontal | m->plus);
    uint64_t minus = m->plus & horizontal;
    m->score += (plus & m->top) != 0;
    m->score -= (minus & m->top) != 0;
    plus = plus << 1 | anchored;
    minus <<= 1;
    m->plus = minus | ~(vertical | plus);
    m->minus = plus & vertical;
}

static bool is_cut(th_str text, size_t at)
{
    return at > 0 && at < text.len && ((unsigned char)text.ptr[at] & 0xC0) == 0x80;
}

bool th__nearest(th_str text, th_str value, size_t *start, size_t *end)
{
    th_str pattern = value;
    if (pattern.len > NEAREST_PATTERN)
        pattern.len = NEAREST_PATTERN;
    if (!pattern.len)
        return false;
    matcher m;
    size_t searched = text.len < NEAREST_TEXT ? text.len : NEAREST_TEXT, best_end = 0;
    start_matcher(&m, pattern, false);
    unsigned best = m.score;
    for (size_t i = 0; i < searched; i++) {
        step(&m, (unsigned char)text.ptr[i], false);
        if (m.score < best) {
            best = m.score;
            best_end = i + 1;
        }
    }
    if (best * 2 > pattern.len || !best_end)
        return false;
    start_matcher(&m, pattern, true);
    size_t reach = best_end < 2 * pattern.len ? best_end : 2 * pattern.len, best_start = best_end;
    unsigned lowest = m.score;
    for (size_t i = 0; i < reach; i++) {
        step(&m, (unsigned char)text.ptr[best_end - 1 - i], true);
        if (m.score < lowest) {
            lowest = m.score;
            best_start = best_end - 1 - i;
        }
    }
    /* The rest of a long value, then to the ends of the words. */
    best_end += value.len - pattern.len;
    if (best_end > text.len)
        best_end = text.len;
    for (int i = 0; i < 64 && best_end < text.len && text.ptr[best_end] != ' '; i++)
        best_end++;
    for (int i = 0; i < 64 && best_start && text.ptr[best_start - 1] != ' '; i++)
        best_start--;
    while (is_cut(text, best_start))
        best_start--;
    while (is_cut(text, best_end))
        best_end--;
    *start = best_start;
    *end = best_end;
    return *start < *end;
}

/*
 * Where a string is on a page. The page's text is folded once, with a map from each byte back to
 * the source; so are the values of the attributes that people read or that hold links, one after
 * the other with a newline between (which no folded text has).
 *
 *     source   <td>Price:&nbsp;<b>9</b>.50</td> <a href="/a?x=1&amp;y=2">
 *     text     Price: 9.50
 *     attrs    /a?x=1&y=2 \n http://host/a?x=1&y=2 \n          (as written, and made absolute)
 *
 * Places come in tiers: first where a string is alone, then where it is part of a longer word or
 * link. A string that is alone nowhere may be the whole value of any other attribute.
 *
 * The attributes' text holds a link twice, as written and made absolute. The first FEW strings are
 * looked for with memmem, which is as fast as memory: that is all that a person labels. For the
 * thousands of values of a list that is labelled whole the texts get an index of their pieces, so
 * that a search looks only at the places of the rarest piece of its string.
 */

enum { NOT_HERE = 2, FEW = 64, SHORT_PIECE = 4, LONG_PIECE = 8, TRIED_PIECES = 64 };

enum { PLACE_TIERS = 2 };

/* The value of one attribute in the attributes' text. */
typedef struct attr_text {
    size_t from, to;
    th_str name;
    bool link;
} attr_text;

/* The places of all pieces of `len` bytes of a text, by their hash of `bits` bits. */
typedef struct piece_index {
    unsigned len, bits;
    uint32_t *first; /* by hash: the first of its places, and behind the last of all */
    uint32_t *places;
} piece_index;

/* The index of a text that is searched often. */
typedef struct text_index {
    unsigned searches;
    piece_index pieces[2]; /* short and long; empty before many searches */
} text_index;

/* The values of some attributes, one after the other. */
typedef struct attr_texts {
    th__buf text;
    TH__VEC(th_span) map; /* by byte of it: its character in the source */
    TH__VEC(attr_text) entries;
    text_index index;
} attr_texts;

typedef struct label_places {
    const th_page *page;
    th__folded text, scratch;
    attr_texts attrs;  /* of attributes that people read or that hold links */
    attr_texts others; /* of all others: filled when a value is nowhere else */
    bool has_others;
    text_index index; /* of the text */
    /* Of the string that was looked for last: up to TH_PLACES_MAX, and how many there are. */
    TH__VEC(th_place) tiers[PLACE_TIERS];
    uint32_t totals[PLACE_TIERS];
} label_places;

static bool places_any(const label_places *places)
{
    return places->totals[0] || places->totals[1];
}

/* ---- the attributes' text -------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool link;
} searched_attrs[] = {
    {"href", true},   {"src", true},  {"content", false},
    {"title", false}, {"alt", false}, {"value", false},
};

static bool close_entry(attr_texts *a, size_t from, th_str name, bool link)
{
    return th__vec_push(&a->entries, (attr_text){from, a->text.len, name, link}) &&
           th__buf_add_byte(&a->text, '\n') && th__vec_push(&a->map, (th_span){0});
}

/* A link as it is when made absolute; all of it is the whole value in the source. */
static bool add_absolute(label_places *s, attr_texts *a, th_str name, th_span span)
{
    th_text absolute = {0};
    th_str written = th__buf_str(&s->scratch.text);
    bool ok = th_page_resolve(s->page, written, &absolute, NULL) == TH_OK;
    size_t from = a->text.len;
    if (ok && !th__str_eq(written, (th_str){absolute.ptr, absolute.len})) {
        ok = th__buf_add(&a->text, absolute.ptr, absolute.len);
        for (size_t i = 0; ok && i < absolute.len; i++)
            ok = th__vec_push(&a->map, span);
        ok = ok && close_entry(a, from, name, true);
    }
    th_text_release(&absolute);
    return ok;
}

static bool add_attr(label_places *s, attr_texts *a, th_attr attr, bool link)
{
    uint32_t start = (uint32_t)(attr.value.ptr - s->page->text.ptr);
    th_span span = {start, start + (uint32_t)attr.value.len};
    if (!th__page_fold(s->page, span, &s->scratch))
        return false;
    size_t from = a->text.len, len = s->scratch.text.len;
    if (!len)
        return true;
    if (!th__buf_add(&a->text, s->scratch.text.data, len) || !th__vec_reserve(&a->map, len))
        return false;
    for (size_t i = 0; i < len; i++)
        a->map.data[a->map.len++] = (th_span){s->scratch.start[i], s->scratch.end[i]};
    return close_entry(a, from, attr.name, link) && (!link || add_absolute(s, a, attr.name, span));
}

/* Returns true for an attribute that people read or that holds a link; sets *link if it does. */
static bool is_searched(th_str name, bool *link)
{
    for (size_t i = 0; i < sizeof searched_attrs / sizeof *searched_attrs; i++)
        if (th__str_eq_nocase(name, th_str_from(searched_attrs[i].name))) {
            *link = searched_attrs[i].link;
            return true;
        }
    *link = th__attribute_is_link(name);
    return false;
}

static bool add_attrs_of(label_places *s, uint32_t token, bool others)
{
    th_attr attr;
    bool link;
    for (th_attr_iter it = th_attrs(s->page, token); th_attr_next(&it, &attr);) {
        if (!attr.value.len || is_searched(attr.name, &link) == others ||
            (others && !th__attribute_may_be_data(attr.name)))
            continue;
        if (others)
            attr.value = th__attribute_value(attr);
        if (attr.value.len && !add_attr(s, others ? &s->others : &s->attrs, attr, link))
            return false;
    }
    return true;
}

static bool add_attrs(label_places *s, bool others)
{
    for (uint32_t t = 0; t < s->page->token_count; t = th__hidden_end(s->page, t))
        if (s->page->tokens[t].kind == TH_TOKEN_START &&
            s->page->tokens[t].flags & TH_TOKEN_HAS_ATTRS && !add_attrs_of(s, t, others))
            return false;
    return true;
}

/* Borrows the page. False if out of memory; the caller releases in any case. */
static bool places_open(label_places *s, const th_page *page)
{
    *s = (label_places){.page = page};
    return th__page_fold(s->page, (th_span){0, (uint32_t)s->page->text.len}, &s->text) &&
           add_attrs(s, false);
}

/* ---- is it a word of its own ----------------------------------------------------------------- */

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
    if (c < 128)
        return th__is_alpha((unsigned char)c);
    int category = utf8proc_category((int32_t)c);
    bool mark = category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
    bool letter = category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
    return mark || ((letter || category == UTF8PROC_CATEGORY_ND) && !th__is_east(c));
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

/*
 * Texts as other tools write them. Labels come from spreadsheets, databases and other programs,
 * which change quotes, dashes, blanks, ligatures and capitals: a value that is nowhere as written
 * may be there all the same. It is looked for in three ways, each less strict than the one before:
 *
 *     signs     all quotes are one, all dashes; blanks and soft hyphens do not count
 *     case      nor do capitals
 *     letters   nor do signs, but those inside numbers
 *
 * All texts of the page that are found so must be written in one way: that is then the value. Else
 * it is not clear which of them is meant.
 */

typedef enum loose_way { LOOSE_SIGNS, LOOSE_CASE, LOOSE_LETTERS, LOOSE_WAYS } loose_way;

typedef struct loose_text {
    th__buf text;
    TH__VEC(size_t) at; /* by byte of it: where its character is in the text it was made from */
    bool made;
} loose_text;

static bool is_quote(uint32_t c)
{
    return c == '"' || c == '\'' || c == '`' || c == 0xB4 || c == 0xAB || c == 0xBB ||
           (c >= 0x2018 && c <= 0x201F) || (c >= 0x2032 && c <= 0x2036) || c == 0x2039 ||
           c == 0x203A;
}

static bool is_dash(uint32_t c)
{
    return c == '-' || (c >= 0x2010 && c <= 0x2015) || c == 0x2212;
}

/* Blanks, soft hyphens and other characters that nobody sees. */
static bool is_unseen(uint32_t c)
{
    return th__is_blank_char(c) ||
           (c >= 0x80 && utf8proc_category((int32_t)c) == UTF8PROC_CATEGORY_CF);
}

static bool is_digit(uint32_t c)
{
    return c < 0x80 && th__is_digit((unsigned char)c);
}

/* A point or comma between digits is part of the number, unless three digits are behind it: tools
 * write 1,000 as 1000, and 12.50 as 12,50. */
static bool is_in_number(th_str text, size_t at)
{
    size_t end = at + 1;
    while (end < text.len && is_digit((unsigned char)text.ptr[end]))
        end++;
    return is_number_sign((unsigned char)text.ptr[at]) && at &&
           is_digit((unsigned char)text.ptr[at - 1]) && end > at + 1 && end != at + 4;
}

enum { MOST_PLAIN = 32 }; /* characters that one decomposes into: at most 18 */

/* The characters that are compared in place of one. */
static size_t loosen(th_str text, size_t at, uint32_t c, loose_way way, uint32_t out[MOST_PLAIN])
{
    size_t kept = 0;
    if (is_unseen(c))
        return 0;
    if (is_quote(c) || is_dash(c)) {
        *out = is_dash(c) ? '-' : '\'';
        return way < LOOSE_LETTERS;
    }
    if (c < 0x80) {
        bool number = way == LOOSE_LETTERS && is_in_number(text, at);
        *out = way == LOOSE_SIGNS ? c : number ? '.' : th__lower((unsigned char)c);
        return way < LOOSE_LETTERS || is_letter(c) || is_digit(c) || number;
    }
    int32_t plain[MOST_PLAIN];
    utf8proc_ssize_t count = utf8proc_decompose_char((int32_t)c, plain, MOST_PLAIN,
                                                     UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT, NULL);
    for (utf8proc_ssize_t i = 0; i < count && i < MOST_PLAIN; i++) {
        uint32_t one = (uint32_t)(way == LOOSE_SIGNS ? plain[i] : utf8proc_tolower(plain[i]));
        int category = utf8proc_category((int32_t)one);
        bool number = category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
        if (way < LOOSE_LETTERS || is_letter(one) || number)
            out[kept++] = one;
    }
    return kept;
}

static bool loose_push(loose_text *loose, uint32_t c, size_t at)
{
    char bytes[4];
    unsigned len = th__utf8_encode(c, bytes);
    bool ok = th__buf_add(&loose->text, bytes, len);
    for (unsigned i = 0; ok && i < len; i++)
        ok = th__vec_push(&loose->at, at);
    return ok;
}

/* False if out of memory. The caller releases in any case. */
static bool loose_make(th_str text, loose_way way, loose_text *out)
{
    uint32_t c, folded[MOST_PLAIN];
    bool ok = true;
    for (size_t i = 0, len; ok && !out->made && i < text.len; i += len) {
        len = th__utf8_decode(text.ptr + i, text.ptr + text.len, &c, NULL);
        size_t count = loosen(text, i, c, way, folded);
        for (size_t k = 0; ok && k < count; k++)
            ok = loose_push(out, folded[k], i);
    }
    out->made |= ok;
    return ok;
}

static void loose_release(loose_text *loose)
{
    th__buf_release(&loose->text);
    th__vec_release(&loose->at);
    *loose = (loose_text){0};
}

/* The next place of a value from byte *from of loose->text on, as bytes start to end of the text
 * that it was made from, where it is alone; moves *from behind it. False when there is none. */
static bool loose_find(const loose_text *loose, th_str text, const loose_text *value, size_t *from,
                       size_t *start, size_t *end)
{
    th_str all = th__buf_str(&loose->text), wanted = th__buf_str(&value->text);
    while (wanted.len && *from + wanted.len <= all.len) {
        size_t found = th__str_find((th_str){all.ptr + *from, all.len - *from}, wanted);
        if (found == SIZE_MAX)
            return false;
        size_t first = *from + found, behind = first + wanted.len;
        uint32_t c;
        *from = behind;
        *start = loose->at.data[first];
        *end = loose->at.data[behind - 1];
        bool cut = (first && loose->at.data[first - 1] == *start) ||
                   (behind < all.len && loose->at.data[behind] == *end);
        *end += th__utf8_decode(text.ptr + *end, text.ptr + text.len, &c, NULL);
        if (!cut && joint_around(text, *start, *end) == JOINT_NONE)
            return true;
    }
    return false;
}

/* The one way in which a value is written in a text; absent when there is none or several. */
static th_str loose_spelling(const loose_text *loose, th_str text, const loose_text *value)
{
    size_t from = 0, start, end;
    th_str spelling = {0};
    while (loose_find(loose, text, value, &from, &start, &end)) {
        th_str found = {text.ptr + start, end - start};
        if (spelling.ptr && !th__str_eq(found, spelling))
            return (th_str){0};
        spelling = found;
    }
    return spelling;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* The innermost node that holds all of the span. */
static uint32_t node_around(const th_page *page, th_span span)
{
    uint32_t node = th_page_node_at(page, span.start);
    while (node && th_page_node_span(page, node).end < span.end)
        node = page->nodes[node].parent;
    return node;
}

static bool add_place(label_places *s, unsigned tier, th_span span, th_str attribute)
{
    if (tier >= PLACE_TIERS)
        return true;
    if (s->tiers[tier].len) {
        th_span last = s->tiers[tier].data[s->tiers[tier].len - 1].span;
        if (last.start == span.start && last.end == span.end)
            return true; /* a link as written and made absolute */
    }
    s->totals[tier]++;
    return s->tiers[tier].len >= TH_PLACES_MAX ||
           th__vec_push(&s->tiers[tier], (th_place){span, node_around(s->page, span), attribute});
}

/* ---- searching ------------------------------------------------------------------------------- */

static uint32_t piece_slot(const piece_index *index, const char *piece)
{
    uint64_t key = 0;
    memcpy(&key, piece, index->len);
    return (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> (64 - index->bits));
}

static bool index_pieces(th_str text, unsigned len, piece_index *out)
{
    size_t count = text.len >= len ? text.len - len + 1 : 0;
    *out = (piece_index){.len = len, .bits = 8};
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

/* Begins a search. The index is made when there are more than a few. False if out of memory. */
static bool begin_hits(text_index *texts, th_str text, th_str value, struct hits *h)
{
    const piece_index *index = &texts->pieces[value.len >= LONG_PIECE];
    *h = (struct hits){.text = text, .value = value};
    if (++texts->searches == FEW && (!index_pieces(text, SHORT_PIECE, &texts->pieces[0]) ||
                                     !index_pieces(text, LONG_PIECE, &texts->pieces[1])))
        return false;
    if (!index->places || value.len < SHORT_PIECE)
        return true;
    for (size_t i = 0; i + index->len <= value.len && i < TRIED_PIECES; i++) {
        uint32_t slot = piece_slot(index, value.ptr + i);
        uint32_t count = index->first[slot + 1] - index->first[slot];
        if (h->places && count >= h->count)
            continue;
        h->places = index->places + index->first[slot];
        h->count = count;
        h->piece = i;
    }
    return true;
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

static bool find_in_text(label_places *s, th_str value)
{
    static const unsigned tiers[] = {
        [JOINT_NONE] = 0, [JOINT_LETTERS] = 1, [JOINT_SEPARATOR] = 1, [JOINT_DIGITS] = NOT_HERE};
    th_str text = th__buf_str(&s->text.text);
    struct hits h;
    if (!begin_hits(&s->index, text, value, &h))
        return false;
    for (; next_hit(&h); h.at += value.len) {
        size_t to = h.at + value.len;
        th_span span = {s->text.start[h.at], s->text.end[to - 1]};
        if (!add_place(s, tiers[joint_around(text, h.at, to)], span, (th_str){0}))
            return false;
    }
    return true;
}

/* The value that holds a byte of the attributes' text. */
static const attr_text *entry_at(const attr_texts *a, size_t at)
{
    size_t before = th__count_first(i, a->entries.len, a->entries.data[i].from <= at);
    return &a->entries.data[before - 1];
}

/* Links are one thing: a part of one is a place only when there is no better. */
static unsigned attr_tier(const attr_text *entry, th_str text, size_t at, size_t to)
{
    if (entry->from == at && entry->to == to)
        return 0;
    joint j = joint_around(text, at, to);
    if (j == JOINT_DIGITS || (entry->link && j != JOINT_NONE))
        return NOT_HERE;
    return entry->link || j != JOINT_NONE;
}

static bool find_in_attrs(label_places *s, attr_texts *a, th_str value)
{
    th_str text = th__buf_str(&a->text);
    struct hits h;
    if (!begin_hits(&a->index, text, value, &h))
        return false;
    for (; next_hit(&h); h.at += value.len) {
        size_t to = h.at + value.len;
        const attr_text *entry = entry_at(a, h.at);
        th_span span = {a->map.data[h.at].start, a->map.data[to - 1].end};
        if (a == &s->others && (entry->from != h.at || entry->to != to))
            continue; /* only whole values */
        if (!add_place(s, attr_tier(entry, text, h.at, to), span, entry->name))
            return false;
    }
    return true;
}

/* ---- all places --------------------------------------------------------------------------------
 */

static bool places_find(label_places *s, th_str value)
{
    for (unsigned tier = 0; tier < PLACE_TIERS; tier++)
        s->tiers[tier].len = s->totals[tier] = 0;
    return find_in_text(s, value) && find_in_attrs(s, &s->attrs, value);
}

/* In the attributes that are not searched otherwise: data-sku, datetime, aria-label, ... */
static bool places_find_others(label_places *s, th_str value)
{
    if (!s->has_others && !add_attrs(s, true))
        return false;
    s->has_others = true;
    return find_in_attrs(s, &s->others, value);
}

static void text_index_release(text_index *index)
{
    for (unsigned i = 0; i < 2; i++) {
        th__mem_free(index->pieces[i].first);
        th__mem_free(index->pieces[i].places);
    }
}

static void attr_texts_release(attr_texts *a)
{
    th__buf_release(&a->text);
    th__vec_release(&a->map);
    th__vec_release(&a->entries);
    text_index_release(&a->index);
}

static void places_release(label_places *s)
{
    th__folded_release(&s->text);
    th__folded_release(&s->scratch);
    attr_texts_release(&s->attrs);
    attr_texts_release(&s->others);
    text_index_release(&s->index);
    for (unsigned tier = 0; tier < PLACE_TIERS; tier++)
        th__vec_release(&s->tiers[tier]);
}

enum { NEAREST_SEARCHES = 64 };

struct th_located {
    th__arena arena;
    TH__VEC(th_finding) findings;
    TH__VEC(th_value *) values; /* of each finding: its text in the records, or NULL */
    th_records *records;
};

typedef struct search {
    const th_labels *labels;
    const th__label_page *entry;
    const th_page *page;
    th_located *out;
    label_places places;
    loose_text loose[LOOSE_WAYS]; /* of the page's text; made when they are needed */
    th__intern values;            /* that were looked for, */
    TH__VEC(uint32_t) first;      /* and the finding of each */
    unsigned nearest_left;
    th__buf path;
    th_error *err;
} search;

/* ---- findings -------------------------------------------------------------------------------- */

static bool keep_places(search *s, th_finding *f)
{
    unsigned tier = s->places.totals[0] ? 0 : 1;
    size_t count = s->places.tiers[tier].len;
    th_place *places = th__arena_alloc(&s->out->arena, count * sizeof *places);
    if (!places)
        return false;
    if (count)
        memcpy(places, s->places.tiers[tier].data, count * sizeof *places);
    f->places = places;
    f->place_count = (uint32_t)count;
    f->total = s->places.totals[tier];
    f->found = f->total == 0 ? TH_FOUND_NOT : f->total == 1 ? TH_FOUND_ONCE : TH_FOUND_MANY;
    return true;
}

/* How many bytes a text differs from a value of at most NEAREST_PATTERN. */
static unsigned distance(th_str text, th_str value)
{
    matcher m;
    start_matcher(&m, value, false);
    for (size_t i = 0; i < text.len; i++)
        step(&m, (unsigned char)text.ptr[i], true);
    return m.score;
}

/* Returns true if the blank at this byte of the page's text has a tag in it: <td>A</td> <td>B</td>.
 */
static bool is_seam(const th__folded *folded, th_str source, size_t at)
{
    th_str text = th__buf_str(&folded->text);
    if (text.ptr[at] != ' ' || !at || at + 1 == text.len)
        return false;
    uint32_t from = folded->end[at - 1], to = folded->start[at + 1];
    return to > from && memchr(source.ptr + from, '<', to - from);
}

/* The text most like a value may reach over a tag into one that is not meant: "8.50 pounds" is like
 * "8.50 Children" in <td>£ 8.50</td><td>Children</td>. Takes the part of it between tags that is
 * most like the value, unless all of it together is much more so, and then all that is between
 * these tags if it is short: "£ 8.50". */
static void fit_nearest(const search *s, th_str value, size_t *start, size_t *end)
{
    const th__folded *folded = &s->places.text;
    th_str text = th__buf_str(&folded->text), source = th_page_text(s->page);
    if (value.len > NEAREST_PATTERN)
        return;
    size_t best_start = *start, best_end = *end, longest = 2 * value.len + 16;
    unsigned whole = distance((th_str){text.ptr + *start, *end - *start}, value), best = UINT_MAX;
    for (size_t from = *start, at = from; at <= *end; at++) {
        if (at < *end && !is_seam(folded, source, at))
            continue;
        unsigned part = distance((th_str){text.ptr + from, at - from}, value);
        if (at > from && part < best) {
            best = part;
            best_start = from;
            best_end = at;
        }
        from = at + 1;
    }
    if (whole < best / 2)
        return;
    *start = best_start;
    *end = best_end;
    if (best * 4 <= value.len)
        return;
    while (best_start && best_end - best_start <= longest &&
           !is_seam(folded, source, best_start - 1))
        best_start--;
    while (best_end < text.len && best_end - best_start <= longest &&
           !is_seam(folded, source, best_end))
        best_end++;
    if (best_end - best_start <= longest) {
        *start = best_start;
        *end = best_end;
    }
}

static bool find_nearest(search *s, th_finding *f)
{
    size_t start, end;
    th_str text = th__buf_str(&s->places.text.text);
    if (!s->nearest_left)
        return true;
    s->nearest_left--;
    if (!th__nearest(text, f->value, &start, &end))
        return true;
    fit_nearest(s, f->value, &start, &end);
    f->nearest = th__arena_copy(&s->out->arena, (th_str){text.ptr + start, end - start});
    f->nearest_span = (th_span){s->places.text.start[start], s->places.text.end[end - 1]};
    return f->nearest.ptr != NULL;
}

/* A value copied from the source has references where the text has characters: it is looked for as
 * what they mean first. */
static bool find_meant(search *s, th_finding *f)
{
    th__buf text = {0};
    th_str decoded = {0};
    if (!memchr(f->value.ptr, '&', f->value.len))
        return places_find(&s->places, f->value);
    th__buf folded = {0};
    bool blank = false, ok = th__decode_refs(f->value, false, &text);
    th__fold_blanks(th__buf_str(&text), 0, &blank, &folded);
    if (ok && !folded.failed)
        decoded = th__arena_copy(&s->out->arena, th__buf_str(&folded));
    ok = decoded.ptr;
    th__buf_release(&text);
    th__buf_release(&folded);
    if (!ok || (decoded.len && !places_find(&s->places, decoded)))
        return false;
    if (decoded.len && places_any(&s->places)) {
        f->value = decoded;
        return true;
    }
    if (!places_find(&s->places, f->value))
        return false;
    if (decoded.len && !places_any(&s->places))
        f->value = decoded;
    return true;
}

/* A value that is nowhere as written is looked for as other tools write it. What the page has is
 * then the value. */
static bool find_loosely(search *s, th_finding *f)
{
    /* Bytes of a value: shorter ones are found anywhere. */
    static const size_t least[LOOSE_WAYS] = {1, 2, 4};
    th_str text = th__buf_str(&s->places.text.text);
    bool ok = true;
    for (loose_way way = 0; ok && way < LOOSE_WAYS && !places_any(&s->places); way++) {
        loose_text value = {0};
        th_str spelling = {0};
        ok = loose_make(f->value, way, &value);
        if (ok && value.text.len >= least[way] && (ok = loose_make(text, way, &s->loose[way])))
            spelling = loose_spelling(&s->loose[way], text, &value);
        if (spelling.ptr) {
            spelling = th__arena_copy(&s->out->arena, spelling);
            ok = spelling.ptr && places_find(&s->places, spelling);
            if (ok && places_any(&s->places))
                f->value = spelling;
        }
        loose_release(&value);
    }
    return ok;
}

/* Looks for a value, unless the same one was looked for before. */
static bool find_value(search *s, th_finding *f)
{
    uint32_t before = s->values.len, id = th__intern_add(&s->values, f->value);
    if (id == TH__INTERN_NONE)
        return false;
    if (s->values.len == before) {
        th_str path = f->path;
        *f = s->out->findings.data[s->first.data[id]];
        f->path = path;
        return true;
    }
    return th__vec_push(&s->first, (uint32_t)s->out->findings.len) && find_meant(s, f) &&
           (s->places.totals[0] || places_find_others(&s->places, f->value)) &&
           find_loosely(s, f) && keep_places(s, f) &&
           (f->found != TH_FOUND_NOT || find_nearest(s, f));
}

static th_status bad_span(search *s, th_span span, const char *problem)
{
    char where[256];
    if (s->entry->line)
        snprintf(where, sizeof where, "%.200s:%zu", s->labels->name.ptr, s->entry->line);
    else
        snprintf(where, sizeof where, "examples of %.200s", s->entry->page.ptr);
    return th__fail_at(s->err, TH_ERR_FORMAT, span.start, "%s: at $.%.*s: span %u to %u %s", where,
                       TH_STR_ARG(th__buf_str(&s->path)), span.start, span.end, problem);
}

/* The attribute in whose value a span lies, or absent. */
static th_str attr_around(const th_page *page, th_span span)
{
    uint32_t token = th__token_at(page, span.start);
    th_attr attr;
    if (page->tokens[token].kind != TH_TOKEN_START)
        return (th_str){0};
    for (th_attr_iter it = th_attrs(page, token); th_attr_next(&it, &attr);)
        if (attr.value.ptr && attr.value.ptr <= page->text.ptr + span.start &&
            page->text.ptr + span.end <= attr.value.ptr + attr.value.len)
            return attr.name;
    return (th_str){0};
}

static bool inside_char(const th_page *page, uint32_t at)
{
    return at < page->text.len && ((unsigned char)page->text.ptr[at] & 0xC0) == 0x80;
}

static th_status take_span(search *s, const th__label *label, th_finding *f)
{
    const th_page *page = s->page;
    th_span span = label->span;
    if (span.end > page->text.len)
        return bad_span(s, span, "ends after the end of the page");
    if (inside_char(page, span.start) || inside_char(page, span.end))
        return bad_span(s, span, "splits a character");
    if (!th__page_fold(page, span, &s->places.scratch))
        return th__fail_memory(s->err);
    if (!s->places.scratch.text.len)
        return bad_span(s, span, "contains no text");
    if (label->text.ptr && !th__str_eq(label->text, th__buf_str(&s->places.scratch.text)))
        return bad_span(s, span, "contains a text other than its \"value\": is it the same page?");
    f->value = th__arena_copy(&s->out->arena, th__buf_str(&s->places.scratch.text));
    th_place *place = th__arena_alloc(&s->out->arena, sizeof *place);
    if (!f->value.ptr || !place)
        return th__fail_memory(s->err);
    *place = (th_place){span, node_around(page, span), attr_around(page, span)};
    f->places = place;
    f->place_count = f->total = 1;
    return TH_OK;
}

/* Returns true if a path, record.title or records[3].authors[0], is of a field. */
static bool is_of(th_str path, th_str field)
{
    size_t dot = th__str_find(path, TH_STR("."));
    size_t at = dot == SIZE_MAX ? path.len : dot + 1, matched = 0;
    while (at < path.len) {
        if (path.ptr[at] == '[') {
            while (at < path.len && path.ptr[at] != ']')
                at++;
            at++;
            continue;
        }
        if (matched == field.len || field.ptr[matched] != path.ptr[at])
            return false;
        matched++;
        at++;
    }
    return matched == field.len;
}

static th_status apply_pick(const th__label_pick *pick, th_finding *f, th_error *err)
{
    if (pick->number > f->place_count)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "%.*s: \"%.*s\" appears in %u place%s, so there is no number %u: `thresh "
                        "labels` shows them",
                        TH_STR_ARG(f->path), TH_STR_ARG(f->value), f->place_count,
                        f->place_count == 1 ? "" : "s", pick->number);
    uint32_t first = pick->number ? pick->number - 1 : 0, count = pick->number ? 1 : 0;
    /* Places inside a span are neighbours, texts and attributes apart. */
    for (uint32_t i = 0; !pick->number && i < f->place_count; i++) {
        th_span span = f->places[i].span;
        bool inside = pick->span.start <= span.start && span.end <= pick->span.end;
        if (inside && !count)
            first = i;
        count += inside && first + count == i;
    }
    if (!count && pick->field.ptr)
        return th__fail(err, TH_ERR_ARGUMENT, "%.*s: \"%.*s\" is not at bytes %u-%u",
                        TH_STR_ARG(f->path), TH_STR_ARG(f->value), pick->span.start,
                        pick->span.end);
    if (!count)
        return TH_OK;
    f->places += first;
    f->place_count = f->total = count;
    f->found = count == 1 ? TH_FOUND_ONCE : TH_FOUND_MANY;
    return TH_OK;
}

/* Leaves the places of a finding that are picked; all of them when nothing is said of it. A number
 * that is too high fails. */
static th_status apply_picks(const th__label_picks *picks, th_finding *f, th_error *err)
{
    th_status status = TH_OK;
    for (size_t i = 0; !status && f->place_count && i < picks->len; i++) {
        const th__label_pick *pick = &picks->data[i];
        if (!pick->field.ptr || is_of(f->path, pick->field))
            status = apply_pick(pick, f, err);
    }
    return status;
}

/* ---- the walk: findings in order, and records as the schema has them ------------------------- */

/* The slot for a label of a kind: a choice is made, a value alone becomes a list's item. NULL when
 * the schema has no place for it. */
static th_value *fit(th_records *records, th_value *slot, th__label_kind kind)
{
    static const th_type_kind wanted[] = {[TH__LABEL_TEXT] = TH_TYPE_FIELD,
                                          [TH__LABEL_SPAN] = TH_TYPE_FIELD,
                                          [TH__LABEL_LIST] = TH_TYPE_LIST,
                                          [TH__LABEL_TUPLE] = TH_TYPE_TUPLE};
    while (slot && slot->type->kind != wanted[kind]) {
        const th_type *type = slot->type;
        if (type->kind == TH_TYPE_LIST) {
            slot = th_records_append(records, slot);
            continue;
        }
        uint32_t i = 0;
        while (type->kind == TH_TYPE_CHOICE && i < type->count &&
               th__type_strip(type->children[i])->kind != wanted[kind])
            i++;
        slot = type->kind == TH_TYPE_CHOICE && i < type->count ? th_records_choose(records, slot, i)
                                                               : NULL;
    }
    if (slot && kind == TH__LABEL_TUPLE && slot->kind == TH_VALUE_NULL)
        return th_records_set_tuple(records, slot);
    return slot;
}

static th_status walk(search *s, const th__label *label, th_value *slot);

static th_status walk_value(search *s, const th__label *label, th_value *slot)
{
    th_finding f = {.path = th__arena_copy(&s->out->arena, th__buf_str(&s->path)),
                    .value = label->text};
    if (!f.path.ptr)
        return th__fail_memory(s->err);
    th_status status = TH_OK;
    if (label->kind == TH__LABEL_SPAN)
        status = take_span(s, label, &f);
    else if (!find_value(s, &f))
        status = th__fail_memory(s->err);
    if (!status && label->kind == TH__LABEL_TEXT)
        status = apply_picks(&s->labels->picks, &f, s->err);
    if (!status && (!th__vec_push(&s->out->findings, f) || !th__vec_push(&s->out->values, slot)))
        status = th__fail_memory(s->err);
    if (!status && slot)
        th_records_set_text(s->out->records, slot, f.value,
                            f.found <= TH_FOUND_ONCE ? f.places[0].span : (th_span){0, 0});
    return status;
}

/* The member slot of a name; labels mostly keep the order of the schema, so the search starts
 * there. */
static th_value *member_slot(th_value *tuple, th_str name, uint32_t *from)
{
    const th_type *type = tuple->type;
    for (uint32_t tried = 0; tried < type->count; tried++) {
        uint32_t i = (*from + tried) % type->count;
        if (!th__str_eq(th_type_name(type->children[i]), name))
            continue;
        *from = i + 1;
        return th__value_item(tuple, i);
    }
    return NULL;
}

static th_status walk_children(search *s, const th__label *label, th_value *slot)
{
    th_records *records = s->out->records;
    size_t kept = s->path.len, index = 0;
    uint32_t from = 0;
    th_status status = TH_OK;
    if (slot && label->kind == TH__LABEL_LIST && slot->kind == TH_VALUE_NULL)
        th_records_set_list(records, slot);
    if (label->span.end > s->page->text.len)
        return bad_span(s, label->span, "ends after the end of the page");
    if (label->span.end)
        th_value_set_span(slot, label->span);
    for (const th__label *child = label->first; !status && child; child = child->next, index++) {
        th_value *inner = NULL;
        if (label->kind == TH__LABEL_TUPLE) {
            th__buf_printf(&s->path, "%s%.*s", kept ? "." : "", TH_STR_ARG(child->name));
            inner = slot ? member_slot(slot, child->name, &from) : NULL;
        } else {
            th__buf_printf(&s->path, "[%zu]", index);
            inner = slot ? th_records_append(records, slot) : NULL;
        }
        status = walk(s, child, inner);
        s->path.len = kept;
    }
    return status;
}

static th_status walk(search *s, const th__label *label, th_value *slot)
{
    if (label->kind == TH__LABEL_NULL)
        return TH_OK;
    slot = fit(s->out->records, slot, (th__label_kind)label->kind);
    if (label->kind == TH__LABEL_TEXT || label->kind == TH__LABEL_SPAN)
        return walk_value(s, label, slot);
    return walk_children(s, label, slot);
}

static th_status walk_records(search *s)
{
    th_status status = TH_OK;
    size_t index = 0;
    const th__label *record = s->entry->records ? s->entry->records->first : NULL;
    for (; !status && record; record = record->next, index++) {
        s->path.len = 0;
        if (s->entry->single)
            th__buf_printf(&s->path, "record");
        else
            th__buf_printf(&s->path, "records[%zu]", index);
        status = walk(s, record, th_records_add(s->out->records));
    }
    if (!status && s->path.failed)
        status = th__fail_memory(s->err);
    return status ? status : th_records_status(s->out->records, s->err);
}

/* ---- public ---------------------------------------------------------------------------------- */

static th_status open_located(search *s, const th_schema *schema, th_error *err)
{
    th_schema *made = NULL;
    th_status status = schema ? TH_OK : th_labels_schema(s->labels, &made, err);
    s->out = status ? NULL : TH__NEW(th_located);
    if (!status && !s->out)
        status = th__fail_memory(err);
    if (!status) {
        th__arena_init(&s->out->arena);
        th_records_source source = {s->entry->page, th_page_url(s->page)};
        status = th_records_new(schema ? schema : made, &source, &s->out->records, err);
    }
    th_schema_free(made);
    return status;
}

static void release_search(search *s)
{
    places_release(&s->places);
    for (int way = 0; way < LOOSE_WAYS; way++)
        loose_release(&s->loose[way]);
    th__buf_release(&s->path);
    th__vec_release(&s->first);
    th__intern_release(&s->values);
}

th_status th_labels_locate(const th_labels *labels, size_t index, const th_schema *schema,
                           const th_page *page, th_located **out, th_error *err)
{
    *out = NULL;
    if (index >= labels->pages.len)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "there are labels for %zu pages, so there is no number %zu",
                        labels->pages.len, index);
    search s = {.labels = labels,
                .entry = &labels->pages.data[index],
                .page = page,
                .nearest_left = NEAREST_SEARCHES,
                .err = err};
    th__intern_init(&s.values);
    th_status status = open_located(&s, schema, err);
    if (!status && !places_open(&s.places, page))
        status = th__fail_memory(err);
    if (!status)
        status = walk_records(&s);
    release_search(&s);
    if (status)
        th_located_free(s.out);
    else
        *out = s.out;
    return status;
}

void th_located_free(th_located *located)
{
    if (!located)
        return;
    th_records_free(located->records);
    th__vec_release(&located->findings);
    th__vec_release(&located->values);
    th__arena_release(&located->arena);
    th__mem_free(located);
}

size_t th_located_count(const th_located *located)
{
    return located->findings.len;
}

const th_finding *th_located_get(const th_located *located, size_t index)
{
    return index < located->findings.len ? &located->findings.data[index] : NULL;
}

const th_records *th_located_records(const th_located *located)
{
    return located->records;
}

th_value *th__located_value(const th_located *located, size_t finding)
{
    return located->values.data[finding];
}

/* Takes what was marked as unknown out of lists, and tuples that have nothing else in them. Returns
 * true if nothing is left of a value. As deep as schemas are. */
static bool prune_unknown(th_value *value)
{
    uint32_t kept = 0, filled = 0;
    if (value->kind == TH_VALUE_NULL || value->kind == TH_VALUE_TEXT)
        return value->unknown;
    for (uint32_t i = 0; i < value->count; i++) {
        th_value *item = th__value_item(value, i);
        bool gone = prune_unknown(item);
        filled += !gone && item->kind != TH_VALUE_NULL;
        if (value->kind != TH_VALUE_LIST)
            continue;
        value->unknown |= gone;
        if (!gone)
            value->list[kept++] = item;
    }
    if (value->kind == TH_VALUE_LIST)
        value->count = kept;
    return !filled && (value->kind != TH_VALUE_LIST || value->unknown);
}

void th__located_leave_out(th_located *located)
{
    size_t kept = 0;
    for (size_t i = 0; i < located->findings.len; i++) {
        th_value *value = located->values.data[i];
        if (located->findings.data[i].found != TH_FOUND_NOT) {
            located->findings.data[kept] = located->findings.data[i];
            located->values.data[kept++] = value;
        } else if (value) {
            value->kind = TH_VALUE_NULL;
            value->unknown = true;
        }
    }
    located->findings.len = located->values.len = kept;
    kept = 0;
    for (size_t i = 0; i < located->records->values.len; i++) {
        th_value *record = located->records->values.data[i];
        if (!prune_unknown(record))
            located->records->values.data[kept++] = record;
    }
    located->records->values.len = kept;
}

/* ---- whose value is it ----------------------------------------------------------------------- */

/* A value and all below it belong to a member of a record. */
static void map_value(const th_value *value, uint32_t number, th__key_map *map, size_t *room)
{
    enum { DEEPEST = 64 }; /* as schemas are */
    const th_value *stack[DEEPEST];
    uint32_t next[DEEPEST];
    int depth = 0;
    stack[0] = value;
    next[0] = 0;
    while (depth >= 0) {
        const th_value *top = stack[depth];
        if (next[depth] == 0 && top->kind == TH_VALUE_TEXT && *room) {
            --*room;
            th__key_map_put(map, th__hash_mix((uintptr_t)top, 1), number);
        }
        bool inner = top->kind != TH_VALUE_TEXT && top->kind != TH_VALUE_NULL;
        if (!inner || next[depth] == top->count || depth + 1 == DEEPEST) {
            depth--;
            continue;
        }
        stack[depth + 1] = th__value_item(top, next[depth]++);
        next[++depth] = 0;
    }
}

bool th__finding_map_make(const th_located *located, th__arena *arena, th__finding_map *out)
{
    size_t count = th_located_count(located), room = count;
    const th_records *records = th_located_records(located);
    th__key_map map;
    out->record = th__arena_alloc(arena, (count + 1) * sizeof *out->record);
    out->member = th__arena_alloc(arena, (count + 1) * sizeof *out->member);
    if (!out->record || !out->member || !th__key_map_init(&map, arena, count + 1))
        return false;
    uint32_t members = th__type_strip(th_schema_record_type(th_records_schema(records)))->count;
    for (size_t r = 0; r < th_records_count(records); r++) {
        const th_value *record = th_records_get(records, r);
        for (uint32_t m = 0; record->kind == TH_VALUE_TUPLE && m < record->count; m++)
            map_value(th__value_item(record, m), (uint32_t)r * members + m + 1, &map, &room);
    }
    for (size_t i = 0; i < count; i++) {
        const th_value *value = th__located_value(located, i);
        uint32_t number = value ? th__key_map_get(&map, th__hash_mix((uintptr_t)value, 1)) : 0;
        out->record[i] = number ? (number - 1) / members : UINT32_MAX;
        out->member[i] = number ? (number - 1) % members : UINT32_MAX;
    }
    return true;
}
