/* missing.c: texts that look like values of a missing field. */
#include "check/missing.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "check/match.h"
#include "check/neighbours.h"
#include "index/leaves.h"
#include "index/view.h"
#include "page/signs.h"
#include "page/text.h"

enum {
    TEXTS = 2048,     /* of a page that are looked at */
    FEW = 5,          /* a field that one record in so many has is missing, too */
    FIELDS = 64,      /* that may be missing: with more, they are not looked for */
    PART = 32,        /* of the pages that a light tally looks through, after the first */
    TELLING = 3,      /* fields tell whether records are left out */
    HOLLOW_PART = 10, /* a tenth of the records and of the text is what is left, if anything */
    PIECES = 32,      /* of a text */
    LONG = 200,       /* bytes: longer texts are prose, and looked at as a whole */
    CONSTANT_MAX = 2, /* a field of so few values may be a word that all records have */
    SHORT_PART = 2    /* half of the records and half of the text of before are a part of it */
};

/* A text is like a field from here on, and a value so little like its own field may be a stray. */
#define LIKE   0.5
#define UNLIKE 0.3
/* The level of significance up to which it matters whether a field is gone. */
#define SPEAKING 0.01
/* A page whose records have less than this part of the least share of the text that they had may
 * have holes between them. */
#define HOLED_PART 0.75

th__presence th__presence_of(const th__profile *profile, const th__field_profile *old,
                             const th__tally *tally, const th__field_tally *now)
{
    bool single = profile->records <= profile->pages && old->pages <= profile->pages;
    bool whole = now->pages <= tally->pages && now->values <= now->chances &&
                 now->chances - now->values <= tally->pages - now->pages;
    uint64_t was = old->values < old->chances ? old->values : old->chances;
    th__presence each = {was, old->chances, now->values, now->chances, now->chances};
    if (!single || !now->list)
        return each;
    if (whole)
        return (th__presence){old->pages, profile->pages, now->pages, tally->pages, tally->pages};
    each.chances = tally->pages < each.chances ? tally->pages : each.chances;
    return each;
}

double th__usual_share(uint64_t values, uint64_t chances)
{
    return fmin(0.95, ((double)values + 0.5) / ((double)chances + 1));
}

double th__missing_chance(const th__presence *in, uint64_t there)
{
    double usual = th__usual_share(in->was, in->was_all);
    if (in->chances < in->is_all)
        there = (uint64_t)((double)there / (double)in->is_all * (double)in->chances);
    return there ? th__binomial_lower(there, in->chances, usual)
                 : pow(1 - usual, (double)in->chances);
}

static void see_text(th_str text, th__seen_text *out)
{
    out->text = text;
    out->hash = th__hash(text.ptr, text.len);
    out->length = th__log_length(text.len);
    out->read = false;
}

/* Returns true if that is beyond a level for sure, by no more than a look. Of all ways to miss as
 * many, no more than these are counted: that so many of the places, taken apart in as many groups
 * of the same size as are missing, lack it in each group once, and the others have it. */
static bool is_likely_missing(const th__presence *in, double level)
{
    double usual = th__usual_share(in->was, in->was_all), all = (double)in->is_all;
    double there = (double)in->is, missing = all - there;
    if (in->chances != in->is_all || in->is >= in->is_all)
        return in->is >= in->is_all;
    return missing * log(all * (1 - usual) / missing) + there * log(usual) > log(level);
}

/* A value of the page. */
typedef struct held_value {
    th_span span;
    th_str text;
    uint32_t field;
} held_value;

/* A page at hand, and what is looked for on it. */
typedef struct page_search {
    th__tally *tally;
    const th_page *page;
    uint32_t missing[FIELDS], count; /* fields that are looked for */
    bool all;                        /* not missing: in other records, perhaps */
    bool between;                    /* records: what they hold is theirs, values or not */
    size_t records;
    bool most;                 /* of the usual fields are missing */
    uint64_t before[FIELDS];   /* strays, by missing field */
    th_span area;              /* from the first record to the last */
    TH__VEC(held_value) taken; /* rising */
    size_t at;                 /* in taken: those before it do not hold what is still to come */
    bool failed;
} page_search;

static bool is_likely(const th__field_profile *field, th_str text, double least)
{
    th__seen_text seen;
    see_text(text, &seen);
    return th__text_is_likely(field, &seen, least);
}

/* Returns true if a text holds a value that the field had among other words. */
static bool holds_value(const th__field_profile *field, th_str text)
{
    for (uint32_t i = 0; text.len <= LONG && i < field->example_count; i++)
        if (th__telling(field->examples[i]) && field->examples[i].len < text.len &&
            th__find_words(text, field->examples[i], 0) != SIZE_MAX)
            return true;
    return false;
}

/* ---- inside lines --------------------------------------------------------------------------
 *
 * Missing fields that somebody has named, among the records of a list or on a page of one record.
 * A line of a record may hold several fields: "4 rooms near Oak Avenue - EUR 510", "Posted by
 * Clark, Hannah". Whole, it is like none of them; so what is looked at is each piece of it too:
 *
 *     what is between tags, and beside the values that hold a part of the line;
 *     of that, what is between signs that part values, or behind a label;
 *     of that, what is between words that the lines of most records have.
 *
 * A line counts once for a field. What most records say word for word is the template's, and no
 * stray of a field whose values differ.
 *
 * Cost: pieces x missing fields, and sorting the pieces of a page.
 */

typedef struct line_piece {
    th_str text;
    uint64_t hash;
    uint32_t line;
    bool common;
} line_piece;

typedef struct line_search {
    const page_search *in;
    const uint32_t *missing; /* fields that are looked for */
    uint32_t count;
    th__arena arena;
    th__folded folded;
    size_t at; /* in taken: those before it do not hold what is still to come */
    uint32_t line;
    TH__VEC(line_piece) pieces;
} line_search;

/* Returns true for a page of one record: it does not tell which words all records have. */
static bool is_single(const line_search *l)
{
    return l->in->records == 1;
}

/* Returns true if a value holds a place and is like its field. Parts of the one title of a page
 * look like many fields: there any value will do. */
static bool is_held_by(const line_search *l, const held_value *value, th_span place)
{
    if (value->span.start >= place.end || value->span.end <= place.start)
        return false;
    return is_single(l) || is_likely(l->in->tally->fields[value->field].known, value->text, UNLIKE);
}

/* Marks the bytes of the line that values hold. */
static void mark_held(line_search *l, th_span place, bool *held)
{
    const page_search *in = l->in;
    size_t len = l->folded.text.len;
    while (l->at < in->taken.len && in->taken.data[l->at].span.end <= place.start)
        l->at++;
    for (size_t i = l->at; i < in->taken.len && in->taken.data[i].span.start < place.end; i++) {
        if (!is_held_by(l, &in->taken.data[i], place))
            continue;
        for (size_t b = 0; b < len; b++)
            held[b] = held[b] || (l->folded.start[b] < in->taken.data[i].span.end &&
                                  in->taken.data[i].span.start < l->folded.end[b]);
    }
}

/* A piece of a line, in the arena, without blanks and signs at its ends. */
static bool push(line_search *l, th_str text, uint32_t line)
{
    text = th__sign_trim(text);
    return !text.len ||
           th__vec_push(&l->pieces,
                        ((line_piece){text, th__hash(text.ptr, text.len), line, false}));
}

/* A piece of the line at hand. */
static bool add_piece(line_search *l, size_t from, size_t to)
{
    th_str text = th__buf_str(&l->folded.text);
    th_str own = th__arena_copy(&l->arena, (th_str){text.ptr + from, to - from});
    return own.ptr && push(l, own, l->line);
}

/* What a part of the line comes to: itself, and what is between signs. Templates have fields
 * that are mere numbers, which are between signs anywhere: of these, itself. */
static bool add_part(line_search *l, size_t from, size_t to)
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

/* Returns true if there is a tag between a byte of the line and the one before; a blank holds those
 * that are among the blanks that it is made of. */
static bool has_tag_before(const line_search *l, size_t at)
{
    const char *text = l->folded.text.data;
    uint32_t from = text[at - 1] == ' ' ? l->folded.start[at - 1] : l->folded.end[at - 1];
    uint32_t to = l->folded.start[at];
    return to > from && memchr(l->in->page->text.ptr + from, '<', to - from);
}

/* Returns true if a part of the line of a single record is the label of what follows: "Salary: " or
 * "by ", before a value. */
static bool is_label(const line_search *l, const bool *held, size_t from, size_t to)
{
    const char *text = l->folded.text.data;
    if (!is_single(l))
        return false;
    bool before_value = to < l->folded.text.len && held[to];
    while (to > from && text[to - 1] == ' ')
        to--;
    return before_value || (to > from && text[to - 1] == ':');
}

static bool add_line(line_search *l, th_span place)
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
static bool find_words(const line_search *l, word_list *words, th__key_vec *out)
{
    bool ok = true;
    for (size_t i = 0; ok && i < l->pieces.len; i++) {
        const line_piece *p = &l->pieces.data[i];
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

/* What is between such words in the pieces at hand. */
static bool cut_words(line_search *l, const th__key_vec *words)
{
    bool ok = true;
    for (size_t i = 0, count = l->pieces.len; ok && i < count; i++) {
        line_piece p = l->pieces.data[i];
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

static bool add_between(line_search *l)
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
    const line_piece *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static int by_line(const void *a, const void *b)
{
    const line_piece *x = a, *y = b;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Marks what most records say. */
static void mark_common(line_search *l)
{
    line_piece *p = l->pieces.data;
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

static void count_pieces(const line_search *l)
{
    uint32_t last[FIELDS]; /* by field: one more than the line that was counted last */
    memset(last, 0, sizeof last);
    for (size_t i = 0; i < l->pieces.len; i++) {
        const line_piece *p = &l->pieces.data[i];
        th__seen_text seen;
        bool read = false;
        for (uint32_t m = 0; m < l->count; m++) {
            th__field_tally *field = &l->in->tally->fields[l->missing[m]];
            if (last[m] == p->line + 1 || (p->common && field->known->distinct > CONSTANT_MAX))
                continue;
            if (!read)
                see_text(p->text, &seen);
            read = true;
            if (!th__text_is_likely(field->known, &seen, LIKE) &&
                !holds_value(field->known, p->text))
                continue;
            field->strays++;
            last[m] = p->line + 1;
        }
    }
}

static bool look_inside_lines(const page_search *in, const uint32_t *missing, uint32_t count)
{
    line_search l = {.in = in, .missing = missing, .count = count};
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

/* ---- whole texts ------------------------------------------------------------------------------
 */

/* Returns true if a light tally that has searched so many pages may search another. */
static bool may_search(const th__tally *tally, uint64_t searched)
{
    return !searched || searched <= tally->pages / PART;
}

static const th__field_profile *known(const page_search *l, uint32_t field)
{
    return l->tally->fields[field].known;
}

static bool find_missing(page_search *l)
{
    uint32_t usual = 0;
    for (uint32_t i = 0; i < l->tally->count; i++) {
        const th__field_tally *field = &l->tally->fields[i];
        if (field->target || !field->usual)
            continue;
        usual++;
        if (FEW * field->on_page > l->records)
            continue;
        if (l->count == FIELDS)
            return false;
        l->missing[l->count++] = i;
    }
    l->most = 2 * l->count > usual;
    return l->count;
}

/* Returns true if a field is the rest: texts that no rule takes. All engines give it this name. */
static bool is_rest(const th__field_tally *field)
{
    return th__str_eq(field->path, TH_STR("other[]"));
}

/* Takes in where a value is. */
static void take_value(void *context, uint32_t at, const th_value *value)
{
    page_search *l = context;
    const th__field_tally *field = &l->tally->fields[at];
    if (value && value->kind == TH_VALUE_TEXT && !field->target && field->known &&
        !(l->records == 1 && is_rest(field)) &&
        !th__vec_push(&l->taken, (held_value){value->span, th__value_text(value), at}))
        l->failed = true;
}

static int by_start(const void *a, const void *b)
{
    const held_value *x = a, *y = b;
    return x->span.start < y->span.start ? -1 : x->span.start > y->span.start;
}

/* Records that lack most of their fields may be the first parts of what they were: the other parts
 * are behind all of them, in twice as much room. */
static void find_area(page_search *l, const th_records *records)
{
    enum { ROOM = 2 };
    size_t count = records->values.len;
    uint32_t size = (uint32_t)l->page->text.len;
    l->area = (th_span){0, size};
    if (count < 2)
        return;
    l->area = (th_span){UINT32_MAX, 0};
    for (size_t i = 0; i < count; i++) {
        th_span span = records->values.data[i]->span;
        l->area.start = span.start < l->area.start ? span.start : l->area.start;
        l->area.end = span.end > l->area.end ? span.end : l->area.end;
    }
    uint64_t end = l->area.end;
    if (l->most && l->area.end > l->area.start)
        end += (uint64_t)ROOM * (l->area.end - l->area.start);
    l->area.end = end < size ? (uint32_t)end : size;
}

/* A record, among the values. */
#define RECORD UINT32_MAX

/* Returns true if a value that is like its field holds a place, or a record; places rise. */
static bool is_taken(page_search *l, th_span place)
{
    for (; l->at < l->taken.len; l->at++) {
        const held_value *value = &l->taken.data[l->at];
        if (value->span.end <= place.start)
            continue;
        if (value->span.start >= place.end)
            return false;
        if (value->field == RECORD || is_likely(known(l, value->field), value->text, UNLIKE))
            return true;
    }
    return false;
}

/* Returns true if values are looked for inside texts. Among records of a list, and for the many
 * fields of a template, that would be said of too many; but rules that tell how far they agree are
 * of fields that somebody has named. */
static bool looks_inside(const page_search *l, const th__field_profile *field)
{
    return (l->records == 1 && l->tally->count <= TH__TALLY_CLOSE) || field->told;
}

/* Returns true if a value that holds a place is all of its text, but for a word or so. */
static bool is_all(const page_search *l, th_span place)
{
    enum { WORD = 6 }; /* bytes */
    th_span value = l->taken.data[l->at].span;
    return value.end - value.start + WORD >= place.end - place.start;
}

/* Returns true if a value that holds a place has the text of a field in it. */
static bool is_held(const page_search *l, th_span place, const th__field_profile *field)
{
    bool held = false;
    for (size_t i = l->at; !held && i < l->taken.len && l->taken.data[i].span.start < place.end;
         i++)
        held = holds_value(field, l->taken.data[i].text);
    return held;
}

/* Counts a text for each missing field that it looks like; where values hold a part of it (`held`),
 * for those that it holds a value of beside them. */
static void count_stray(page_search *l, th_span place, bool held, th_str text)
{
    th__seen_text seen;
    see_text(text, &seen);
    for (uint32_t m = 0; m < l->count; m++) {
        th__field_tally *field = &l->tally->fields[l->missing[m]];
        /* A light tally looks for a field once: with as many strays as records it is not gone,
         * however many there are. */
        if (l->tally->light && !l->all && l->records == 1 && field->strays >= field->looked)
            continue;
        bool likely = !held && th__text_is_likely(field->known, &seen, LIKE);
        if (l->all)
            field->left += likely;
        else if (likely || (looks_inside(l, field->known) && holds_value(field->known, text) &&
                            (!held || !is_held(l, place, field->known))))
            field->strays++;
    }
}

/* A text, and what is behind a label that it begins with: "Extras: sea view". */
static void count_texts(page_search *l, th_span place, bool held, th_str text)
{
    enum { LABEL_MAX = 40 }; /* bytes */
    count_stray(l, place, held, text);
    if (l->all || held || !looks_inside(l, known(l, l->missing[0])))
        return;
    size_t colon =
        th__str_find((th_str){text.ptr, text.len < LABEL_MAX ? text.len : LABEL_MAX}, TH_STR(": "));
    if (colon != SIZE_MAX)
        count_stray(l, place, held, (th_str){text.ptr + colon + 2, text.len - colon - 2});
}

static bool look_through(page_search *l, th__arena *arena)
{
    th__leaves leaves;
    th__buf text = {0};
    uint32_t looked = 0;
    if (!th__leaves_within(arena, l->page, l->area, &leaves))
        return false;
    bool ok = true;
    for (uint32_t i = 0; ok && i < leaves.count && looked < TEXTS; i++) {
        th_span place = th__leaf_span(l->page, &leaves.data[i]);
        if (place.start < l->area.start || place.end > l->area.end)
            continue;
        looked++;
        bool held = is_taken(l, place);
        if (held && (l->all || !looks_inside(l, known(l, l->missing[0])) || is_all(l, place)))
            continue;
        th__buf_clear(&text);
        ok = th__span_text(l->page, place, &text);
        if (ok)
            count_texts(l, place, held, th__buf_str(&text));
    }
    th__buf_release(&text);
    return ok;
}

/* Looks for what was not found on a page of one record inside its lines: a value may share one
 * with other text, "written by <b>Anna Field</b>". */
static bool look_inside(page_search *l)
{
    uint32_t missing[FIELDS], count = 0;
    for (uint32_t m = 0; m < l->count; m++)
        if (looks_inside(l, known(l, l->missing[m])) &&
            l->tally->fields[l->missing[m]].strays == l->before[m])
            missing[count++] = l->missing[m];
    return !count || look_inside_lines(l, missing, count);
}

/* A value that has gone far away is the only text there that looks like it: an ISBN above the
 * navigation. Of prices and titles there are several. */
static bool look_outside(page_search *l, th__arena *arena)
{
    th_span near = l->area, whole = {0, (uint32_t)l->page->text.len};
    uint32_t outside[FIELDS] = {0}, looked = 0;
    th__leaves leaves;
    th__buf text = {0};
    bool ok = th__leaves_within(arena, l->page, whole, &leaves);
    for (uint32_t i = 0; ok && i < leaves.count && looked < TEXTS; i++) {
        th_span place = th__leaf_span(l->page, &leaves.data[i]);
        th__seen_text seen;
        if (place.start < near.end && place.end > near.start)
            continue;
        looked++;
        th__buf_clear(&text);
        ok = th__span_text(l->page, place, &text);
        see_text(th__buf_str(&text), &seen);
        for (uint32_t m = 0; ok && m < l->count; m++)
            outside[m] += th__text_is_likely(known(l, l->missing[m]), &seen, LIKE);
    }
    for (uint32_t m = 0; ok && m < l->count; m++) {
        th__field_tally *field = &l->tally->fields[l->missing[m]];
        field->strays += outside[m] == 1 && field->strays == l->before[m];
    }
    th__buf_release(&text);
    return ok;
}

/* Labels may point into attributes: such fields hold targets though their type does not say so. */
static bool is_address(const th__field_profile *field)
{
    th_str text = field->example_count ? field->examples[0] : (th_str){0};
    return text.len && memchr(text.ptr, '/', text.len) && !memchr(text.ptr, ' ', text.len);
}

/* On a page of one record that has most of its fields, what is missing would be near these: in
 * the element around them. Only what comes first, the title, may well be above it. */
static void narrow(page_search *l)
{
    uint32_t usual = 0, start = UINT32_MAX, end = 0, first = UINT32_MAX;
    size_t count = l->taken.len;
    for (uint32_t i = 0; i < l->tally->count; i++) {
        bool own = !l->tally->fields[i].target && l->tally->fields[i].usual;
        first = own && first == UINT32_MAX && !is_address(known(l, i)) ? i : first;
        usual += own;
    }
    if (l->records != 1 || l->all || count < 2 || 2 * (usual - l->count) < usual)
        return;
    for (size_t i = 0; i < count; i++) {
        th_span span = l->taken.data[i].span;
        start = span.start < start ? span.start : start;
        end = span.end > end ? span.end : end;
    }
    if (end <= start || end > l->page->text.len)
        return;
    uint32_t node =
        th__page_node_around(l->page, th__token_at(l->page, start), th__token_at(l->page, end - 1));
    uint32_t token_end = l->page->nodes[node].token_end;
    bool heading = l->count && l->missing[0] == first;
    if (node)
        l->area = (th_span){heading ? 0 : l->page->tokens[l->page->nodes[node].token].start,
                            token_end < l->page->token_count ? l->page->tokens[token_end].start
                                                             : (uint32_t)l->page->text.len};
}

/* On a page of one record a field whose place is still there is not gone, whatever is in it. */
static void look_for_places(page_search *l, th__arena *arena)
{
    th__flow flow;
    l->failed = l->failed || !th__flow_make(arena, l->page, &flow);
    for (uint32_t m = 0; !l->failed && l->tally->named && m < l->count; m++)
        l->tally->fields[l->missing[m]].strays +=
            th__neighbours_stay(known(l, l->missing[m]), &flow);
}

static bool search(page_search *l, const th_records *records)
{
    const th_type *type = th_schema_record_type(records->schema);
    th__arena arena;
    th__arena_init(&arena);
    for (size_t i = 0; i < records->values.len; i++) {
        held_value record = {.span = records->values.data[i]->span, .field = RECORD};
        th__each_value(type, records->values.data[i], 0, take_value, l);
        l->failed = l->failed || (l->between && !th__vec_push(&l->taken, record));
    }
    bool rising = true;
    for (size_t i = 1; i < l->taken.len && rising; i++)
        rising = l->taken.data[i - 1].span.start <= l->taken.data[i].span.start;
    if (!rising)
        qsort(l->taken.data, l->taken.len, sizeof *l->taken.data, by_start);
    narrow(l);
    if (l->records == 1 && !l->all)
        look_for_places(l, &arena);
    bool ok = !l->failed, lines = l->tally->named && l->records > 1 && !l->all;
    if (ok && !lines)
        ok = look_through(l, &arena) && (l->records != 1 || l->all || look_inside(l)) &&
             (l->records != 1 || l->all || !l->tally->named || look_outside(l, &arena));
    else if (ok)
        ok = look_inside_lines(l, l->missing, l->count);
    th__vec_release(&l->taken);
    th__arena_release(&arena);
    return ok;
}

bool th__is_hollow(th__tally *tally, const th_records *records, double explained)
{
    page_search l = {.tally = tally};
    const th_type *type = th_schema_record_type(records->schema);
    size_t count = records->values.len, unlike = 0;
    if (!tally->profile || !count || HOLLOW_PART * count > tally->profile->least || explained < 0 ||
        HOLLOW_PART * explained > tally->profile->explained_least)
        return false;
    for (size_t i = 0; i < count; i++)
        th__each_value(type, records->values.data[i], 0, take_value, &l);
    tally->failed = tally->failed || l.failed;
    for (size_t i = 0; i < l.taken.len; i++) {
        unlike += !is_likely(known(&l, l.taken.data[i].field), l.taken.data[i].text, UNLIKE);
    }
    bool hollow = 2 * unlike > l.taken.len;
    th__vec_release(&l.taken);
    return hollow;
}

/* Returns true if a field has another value in every record, about. */
static bool tells_apart(const page_search *l, uint32_t at)
{
    const th__field_profile *field = known(l, at);
    return !l->tally->fields[at].target && l->tally->fields[at].usual && th__is_varied(field);
}

static void find_telling(page_search *l)
{
    for (uint32_t i = 0; i < l->tally->count && l->count < TELLING; i++)
        if (tells_apart(l, i))
            l->missing[l->count++] = i;
}

/* Returns true if a page of a list gives so much less than pages did that some of it may be left
 * out. */
static bool is_short(const th__profile *profile, size_t records, double explained)
{
    return records && profile->least > SHORT_PART * records && explained >= 0 &&
           SHORT_PART * explained < profile->explained_least;
}

/* Returns true if records of a page may have others between them that are not read: it has less in
 * its records than any page had. */
static bool is_holed(const th__profile *profile, size_t records, double explained)
{
    return records > 1 && profile->least > 1 && explained >= 0 &&
           explained < HOLED_PART * profile->explained_least;
}

/* Returns true if so much is between records that others may be there: half as many as there are,
 * of which some may be shorter. */
static bool has_gaps(const page_search *l, const th_records *records)
{
    enum { PART_OF = 3 };
    uint64_t inside = 0, all = l->area.end > l->area.start ? l->area.end - l->area.start : 0;
    for (size_t i = 0; i < records->values.len; i++) {
        th_span span = records->values.data[i]->span;
        inside += span.end > span.start ? span.end - span.start : 0;
    }
    return all > inside && PART_OF * (all - inside) >= inside;
}

bool th__left_look(th__tally *tally, const th_page *page, const th_records *records,
                   double explained)
{
    page_search l = {.tally = tally, .page = page, .records = records->values.len, .all = true};
    if (!tally->profile || !page || (tally->light && !may_search(tally, tally->left_searched)))
        return true;
    bool whole = is_short(tally->profile, l.records, explained);
    if (!whole && !is_holed(tally->profile, l.records, explained))
        return true;
    find_area(&l, records);
    if (!whole && !has_gaps(&l, records))
        return true;
    find_telling(&l);
    tally->left_searched++;
    /* Between records, half as many as there are will do: that is a third of all. */
    tally->short_records += whole ? l.records : (l.records + 1) / 2;
    l.between = !whole;
    if (whole)
        l.area = (th_span){0, (uint32_t)page->text.len};
    return !l.count || search(&l, records);
}

/* Returns true if a field that is missing may speak for drift by itself, corrected for the number
 * of fields and of tests. */
static bool may_speak(const page_search *l, uint32_t missing)
{
    const th__tally *tally = l->tally;
    double enough = SPEAKING / (2.0 * tally->count);
    th__presence in =
        th__presence_of(tally->profile, known(l, missing), tally, &tally->fields[missing]);
    return !is_likely_missing(&in, enough) && th__missing_chance(&in, in.is) <= enough;
}

/* Returns true if pages have one record, and none so far has most of its usual fields: these are
 * other pages, whatever became of the fields. See limit_gone in verify.c. */
static bool is_other(const page_search *l)
{
    const th__tally *tally = l->tally;
    uint32_t usual = 0, never = 0;
    if (tally->profile->records >= 2 * tally->profile->pages)
        return false;
    for (uint32_t i = 0; i < tally->count; i++)
        usual += !tally->fields[i].target && tally->fields[i].usual;
    for (uint32_t m = 0; m < l->count; m++)
        never += !tally->fields[l->missing[m]].values;
    return 2 * never > usual;
}

/* Leaves out what a light tally does not look for on this page: what it has looked for, and, until
 * a field may speak, everything. Then those are looked for as well that no page has had so far,
 * since looking at a page costs more than looking for a field. */
static void leave_out(page_search *l)
{
    th__tally *tally = l->tally;
    uint32_t count = 0;
    bool looking = !is_other(l) && may_search(tally, tally->searched);
    bool speaking = false;
    for (uint32_t m = 0; m < l->count && looking && !speaking; m++)
        speaking = !tally->fields[l->missing[m]].looks && may_speak(l, l->missing[m]);
    for (uint32_t m = 0; m < l->count; m++) {
        th__field_tally *field = &tally->fields[l->missing[m]];
        if (speaking && !field->looks && (!field->values || may_speak(l, l->missing[m])))
            l->missing[count++] = l->missing[m];
        else
            field->passed += l->records;
    }
    l->count = count;
}

/* The other parts of records have most of what these lack. Where less than half of it is behind
 * them, that is something else, and what counts is among the records. False if out of memory. */
static bool drop_chance(page_search *l, const th_records *records)
{
    uint32_t found = 0;
    if (!l->most || l->records < 2)
        return true;
    for (uint32_t m = 0; m < l->count; m++)
        found += 2 * (l->tally->fields[l->missing[m]].strays - l->before[m]) >= l->records;
    if (2 * found >= l->count)
        return true;
    for (uint32_t m = 0; m < l->count; m++)
        l->tally->fields[l->missing[m]].strays = l->before[m];
    l->most = false;
    l->at = 0;
    find_area(l, records);
    return search(l, records);
}

bool th__missing_look(th__tally *tally, const th_page *page, const th_records *records)
{
    page_search l = {.tally = tally, .page = page, .records = records->values.len};
    if (!tally->profile || !page || !records->values.len || !find_missing(&l))
        return true;
    if (tally->light)
        leave_out(&l);
    for (uint32_t m = 0; m < l.count; m++) {
        th__field_tally *field = &tally->fields[l.missing[m]];
        field->looks++;
        field->looked += l.records;
        l.before[m] = field->strays;
    }
    if (!l.count)
        return true;
    tally->searched++;
    find_area(&l, records);
    return search(&l, records) && drop_chance(&l, records);
}

bool th__is_gone(const th__presence *presence, const th__field_tally *now)
{
    uint64_t missing = presence->is_all > presence->is ? presence->is_all - presence->is : 0;
    double share = presence->was_all ? (double)presence->was / (double)presence->was_all : 0;
    /* Half of what is missing, were it there: values are not always seen for what they are. */
    return now->looked && 10 * (now->looked + now->passed) >= 9 * missing &&
           (double)now->strays < 0.5 * (share < 1 ? share : 1) * (double)now->looked;
}

/* Values of some fields may look otherwise in records that are left out: what most of them tell
 * counts. */
uint64_t th__left_out(const th__tally *tally)
{
    page_search l = {.tally = (th__tally *)tally};
    uint64_t left[TELLING];
    if (tally->short_records)
        find_telling(&l);
    if (!l.count)
        return 0;
    for (uint32_t m = 0; m < l.count; m++)
        left[m] = tally->fields[l.missing[m]].left;
    qsort(left, l.count, sizeof *left, th__by_number);
    uint64_t middle = left[(l.count - 1) / 2];
    return middle >= tally->short_records ? middle : 0;
}
