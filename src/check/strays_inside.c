/*
 * strays_inside.c: strays of named fields among the records of a list, or on a page of one record.
 *
 * A line of a record may hold several fields: "4 rooms near Oak Avenue - EUR 510", "Posted by
 * Clark, Hannah". Whole, it is like none of them; so what is looked at is each piece of it too:
 *
 *     what stands between tags, and beside the values that hold a part of the line;
 *     of that, what stands between signs that part values, or behind a label;
 *     of that, what stands between words that the lines of most records have.
 *
 * A line counts once for a field. What most records say word for word is the template's, and no
 * stray of a field whose values differ.
 *
 * Cost: pieces x missing fields, and sorting the pieces of a page.
 */
#include "check/strays_inside.h"

#include <stdlib.h>

#include "check/match.h"
#include "page/signs.h"
#include "page/text.h"
#include "index/leaves.h"
#include "index/view.h"

enum {
    TEXTS = 2048,    /* of a page that are looked at */
    PIECES = 32,     /* of a text */
    LONG = 200,      /* bytes: longer texts are prose, and looked at as a whole */
    CONSTANT_MAX = 2 /* a field of so few values may be a word that all records have */
};

/* A text is like a field from here on, and a value so little like its own field may be a stray. */
#define LIKE   0.5
#define UNLIKE 0.3

typedef struct piece {
    th_str text;
    uint64_t hash;
    uint32_t line;
    bool common;
} piece;

typedef struct looking {
    const th__inside *in;
    th__arena arena;
    th__folded folded;
    size_t at; /* in taken: those before it do not hold what is still to come */
    uint32_t line;
    TH__VEC(piece) pieces;
} looking;

/* Returns true for a page of one record: it does not tell which words all records have. */
static bool is_single(const looking *l)
{
    return l->in->records == 1;
}

/* Whether a value holds a place and is like its field. Parts of the one title of a page look like
 * many fields: there any value will do. */
static bool is_held_by(const looking *l, const th__held_value *value, th_span place)
{
    th__seen_text seen;
    if (value->span.start >= place.end || value->span.end <= place.start)
        return false;
    if (is_single(l))
        return true;
    th__text_see(value->text, &seen);
    return th__text_is_likely(l->in->tally->fields[value->field].known, &seen, UNLIKE);
}

/* Marks the bytes of the line that values hold. */
static void mark_held(looking *l, th_span place, bool *held)
{
    const th__inside *in = l->in;
    size_t len = l->folded.text.len;
    while (l->at < in->taken_count && in->taken[l->at].span.end <= place.start)
        l->at++;
    for (size_t i = l->at; i < in->taken_count && in->taken[i].span.start < place.end; i++) {
        if (!is_held_by(l, &in->taken[i], place))
            continue;
        for (size_t b = 0; b < len; b++)
            held[b] = held[b] || (l->folded.start[b] < in->taken[i].span.end &&
                                  in->taken[i].span.start < l->folded.end[b]);
    }
}

/* A piece of a line, in the arena, without blanks and signs at its ends. */
static bool push(looking *l, th_str text, uint32_t line)
{
    text = th__sign_trim(text);
    return !text.len ||
           th__vec_push(&l->pieces, ((piece){text, th__hash(text.ptr, text.len), line, false}));
}

/* A piece of the line at hand. */
static bool add_piece(looking *l, size_t from, size_t to)
{
    th_str text = th__buf_str(&l->folded.text);
    th_str own = th__arena_copy(&l->arena, (th_str){text.ptr + from, to - from});
    return own.ptr && push(l, own, l->line);
}

/* What a part of the line comes to: itself, and what stands between signs. Templates have fields
 * that are mere numbers, which stand between signs anywhere: of these, itself. */
static bool add_part(looking *l, size_t from, size_t to)
{
    th_str text = th__buf_str(&l->folded.text);
    size_t begin = from;
    bool ok = add_piece(l, from, to), signs = l->in->tally->named;
    for (size_t at = from; ok && signs && at < to && at - from < LONG;) {
        size_t len = th__sign_length((th_str){text.ptr + at, to - at}, TH__SIGN_PARTS);
        if (len) {
            ok = (is_single(l) && text.ptr[at] == ':') || add_piece(l, begin, at);
            ok = ok && add_piece(l, at + len, to);
            begin = at + len;
        }
        at += len ? len : 1;
    }
    return ok && (begin == from || add_piece(l, begin, to));
}

/* Whether there is a tag between a byte of the line and the one before; a blank holds those that
 * stand among the blanks that it is made of. */
static bool has_tag_before(const looking *l, size_t at)
{
    const char *text = l->folded.text.data;
    uint32_t from = text[at - 1] == ' ' ? l->folded.start[at - 1] : l->folded.end[at - 1];
    uint32_t to = l->folded.start[at];
    return to > from && memchr(l->in->page->text.ptr + from, '<', to - from);
}

/* Returns true if a part of the line of a single record is the label of what follows: "Salary: " or
 * "by ", before a value. */
static bool is_label(const looking *l, const bool *held, size_t from, size_t to)
{
    const char *text = l->folded.text.data;
    if (!is_single(l))
        return false;
    bool before_value = to < l->folded.text.len && held[to];
    while (to > from && text[to - 1] == ' ')
        to--;
    return before_value || (to > from && text[to - 1] == ':');
}

static bool add_line(looking *l, th_span place)
{
    if (!th__page_fold(l->in->page, place, &l->folded))
        return false;
    size_t len = l->folded.text.len, begin = 0, parts = 0;
    bool *held = th__arena_zero(&l->arena, len + 1, sizeof *held), any = false, ok = held != NULL;
    if (ok)
        mark_held(l, place, held);
    for (size_t i = 0; ok && i < len; i++)
        any = any || held[i];
    ok = ok && (any || add_piece(l, 0, len));
    for (size_t i = 1; ok && i <= len && len <= LONG && parts < PIECES; i++) {
        bool border = i == len || held[i] != held[i - 1] || has_tag_before(l, i);
        if (!border)
            continue;
        parts++;
        ok = held[i - 1] || is_label(l, held, begin, i) || add_part(l, begin, i);
        begin = i;
    }
    l->line++;
    return ok;
}

/* ---- what most records say ------------------------------------------------------------------- */

/* A word of a line. */
typedef struct line_word {
    uint64_t hash;
    uint32_t line;
} line_word;

typedef TH__VEC(line_word) word_list;

static int by_word(const void *a, const void *b)
{
    const line_word *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Gathers the words of the lines, and keeps those that most records have: as a set. */
static bool find_words(const looking *l, word_list *words, th__key_vec *out)
{
    bool ok = true;
    for (size_t i = 0; ok && i < l->pieces.len; i++) {
        const piece *p = &l->pieces.data[i];
        size_t end = 0;
        for (th_str word = th__next_word(p->text, 0, &end); ok && word.len && p->text.len <= LONG;
             word = th__next_word(p->text, end, &end))
            ok = th__vec_push(words, ((line_word){th__hash(word.ptr, word.len), p->line}));
    }
    if (words->len)
        qsort(words->data, words->len, sizeof *words->data, by_word);
    for (size_t i = 0, next; ok && i < words->len; i = next) {
        size_t lines = 0;
        for (next = i; next < words->len && words->data[next].hash == words->data[i].hash; next++)
            lines += next == i || words->data[next].line != words->data[next - 1].line;
        if (2 * lines > l->in->records)
            ok = th__vec_push(out, words->data[i].hash);
    }
    return ok;
}

/* What stands between such words in the pieces at hand. */
static bool cut_words(looking *l, const th__key_vec *words)
{
    bool ok = true;
    for (size_t i = 0, count = l->pieces.len; ok && i < count; i++) {
        piece p = l->pieces.data[i];
        size_t from = 0, end = 0;
        for (th_str word = th__next_word(p.text, 0, &end); ok && word.len && p.text.len <= LONG;
             word = th__next_word(p.text, end, &end)) {
            if (th__key_vec_find(words, th__hash(word.ptr, word.len)) == SIZE_MAX)
                continue;
            ok = push(l, (th_str){p.text.ptr + from, (size_t)(word.ptr - p.text.ptr) - from},
                      p.line);
            from = end;
        }
        if (ok && from)
            ok = push(l, (th_str){p.text.ptr + from, p.text.len - from}, p.line);
    }
    return ok;
}

static bool add_between(looking *l)
{
    word_list words = {0};
    th__key_vec common = {0};
    bool ok = find_words(l, &words, &common) && (!common.len || cut_words(l, &common));
    th__vec_release(&words);
    th__vec_release(&common);
    return ok;
}

static int by_hash(const void *a, const void *b)
{
    const piece *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static int by_line(const void *a, const void *b)
{
    const piece *x = a, *y = b;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Marks what most records say. */
static void mark_common(looking *l)
{
    piece *p = l->pieces.data;
    size_t count = l->pieces.len;
    if (count)
        qsort(p, count, sizeof *p, by_hash);
    for (size_t i = 0, end; i < count; i = end) {
        size_t lines = 0;
        for (end = i; end < count && p[end].hash == p[i].hash; end++)
            lines += end == i || p[end].line != p[end - 1].line;
        for (size_t j = i; 2 * lines > l->in->records && j < end; j++)
            p[j].common = true;
    }
    if (count)
        qsort(p, count, sizeof *p, by_line);
}

static void count_pieces(const looking *l)
{
    for (uint32_t m = 0; m < l->in->count; m++) {
        th__field_tally *field = &l->in->tally->fields[l->in->missing[m]];
        uint32_t last = UINT32_MAX;
        for (size_t i = 0; i < l->pieces.len; i++) {
            const piece *p = &l->pieces.data[i];
            th__seen_text seen;
            if (p->line == last || (p->common && field->known->distinct > CONSTANT_MAX))
                continue;
            th__text_see(p->text, &seen);
            if (!th__text_is_likely(field->known, &seen, LIKE) &&
                !th__stray_holds(field->known, p->text))
                continue;
            field->strays++;
            last = p->line;
        }
    }
}

bool th__strays_inside(const th__inside *in)
{
    looking l = {.in = in};
    th__leaves leaves;
    uint32_t looked = 0;
    th__arena_init(&l.arena);
    bool ok = th__leaves_within(&l.arena, in->page, in->area, &leaves);
    for (uint32_t i = 0; ok && i < leaves.count && looked < TEXTS; i++) {
        th_span place = th__leaf_span(in->page, &leaves.data[i]);
        if (place.start < in->area.start || place.end > in->area.end)
            continue;
        looked++;
        ok = add_line(&l, place);
    }
    /* One record does not tell what all have in common. */
    if (ok && !is_single(&l)) {
        ok = add_between(&l);
        mark_common(&l);
    }
    if (ok)
        count_pieces(&l);
    th__vec_release(&l.pieces);
    th__folded_release(&l.folded);
    th__arena_release(&l.arena);
    return ok;
}
