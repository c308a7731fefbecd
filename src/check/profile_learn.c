/*
 * profile_learn.c: profiles from tallies.
 *
 * Verification compares shapes: DataPro's patterns with words replaced by their classes, and signs
 * kept. "Jazz _Capitalized_" and "Blues _Capitalized_" are topics of two pages, not their format;
 * compared word by word, every new page would look like a change.
 */
#include "check/check.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/key_map.h"
#include "base/mem.h"
#include "base/stats.h"
#include "base/vec.h"
#include "check/neighbours.h"
#include "page/lex.h"

#define DATAPRO_ALPHA 0.05 /* the paper's level of significance */

/* ---- DataPro ------------------------------------------------------------------------------------
 *
 * DataPro, which learns what the values of a field look like (Lerman and Minton; see
 * Knoblock, Lerman, Minton and Muslea, "Accurately and Reliably Extracting Data from the Web",
 * section 4).
 *
 * The idea. A field is characterised by how its values begin and end: sequences of tokens and of
 * token classes that occur more often than by chance.
 *
 *     12 Pico St.    512 Oak Blvd.    416 Main St.    97 Adams Blvd.
 *
 *     begin with  _Number_ _Capitalized_          end with  Blvd.  or  St.
 *
 * A prefix tree grows from the root, which has all values. A child adds a token or a class; it is
 * kept if significantly many of its parent's values continue that way: the exact binomial tail is
 * at most alpha. Children are tested from the specific to the general, each on the values that none
 * before it has taken: "New _Capitalized_" is kept beside "New York" and "New Haven" only if
 * significantly more values have it than these two. In the complete tree, a node is a pattern if
 * significantly many values stop at it.
 *
 * What the paper leaves open, and how we decide it:
 *
 *  - The probability of a class is its share in the visible text of web pages, a fixed table
 *    (measured on 48,000 tokens of 30 pages). With its share among the field's own tokens, no field
 *    of a single class ("John Smith") would be significant.
 *  - The probability of a token is its share among the field's tokens at other positions, with
 *    Laplace's correction, and at most half of its class's.
 *  - A value continues into one child, the most specific one, so that the patterns partition the
 *    values: verification compares the distribution of their counts.
 *  - Values of more than three tokens are described by their first half and their last half, so
 *    that no token counts twice. At most TH__DP_DEPTH tokens at each end count.
 *  - A single value does not make a pattern.
 *
 * Cost: values x depth x log values (each level sorts the values of a node).
 */

/* ---- classes --------------------------------------------------------------------------------- */

/* From the specific to the general, with their probability in the text of pages. UNCASED is rare in
 * that sample and common where it occurs at all: it counts like the other letters. */
static const struct {
    uint8_t cls;
    float chance;
} classes[] = {
    {TH_CLASS_ALLCAPS, 0.05f}, {TH_CLASS_CAPITALIZED, 0.41f}, {TH_CLASS_LOWER, 0.32f},
    {TH_CLASS_UNCASED, 0.40f}, {TH_CLASS_NUMBER, 0.06f},      {TH_CLASS_MIXED, 0.02f},
    {TH_CLASS_PUNCT, 0.21f},   {TH_CLASS_ALPHA, 0.73f},       {TH_CLASS_WORD, 0.79f},
};

enum { CLASSES = sizeof classes / sizeof *classes };

static double class_chance(unsigned cls)
{
    for (size_t i = 0; i < CLASSES; i++)
        if (classes[i].cls == cls)
            return (double)classes[i].chance;
    return 1;
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* A value on its way down the tree. */
typedef struct value_walker {
    uint64_t hash; /* of its next token; 0 if it has none */
    uint32_t value;
} value_walker;

typedef struct tree {
    const th__dp_value *values;
    bool endings;
    value_walker *walkers; /* all values; a node has a range of them */
    th__key_map totals;    /* by hash: how often a token occurs in total */
    uint64_t tokens;       /* in total */
    th__form path;         /* of the current node */
    TH__VEC(th__form) found;
    bool failed;
} tree;

static const th__dp_token *next_token(const tree *t, uint32_t value, uint32_t depth)
{
    const th__dp_value *v = &t->values[value];
    if (depth >= (t->endings ? v->tails : v->heads))
        return NULL;
    return t->endings ? &v->tail[depth] : &v->head[depth];
}

static int by_hash(const void *a, const void *b)
{
    const value_walker *x = a, *y = b;
    return th__order(x->hash, y->hash) ?: th__order(x->value, y->value);
}

static bool significant(uint32_t k, uint32_t n, double p)
{
    return k >= 2 && th__binomial_upper(k, n, p) <= DATAPRO_ALPHA;
}

static uint32_t grow(tree *t, uint32_t from, uint32_t to);

/* Grows a child, which is the path's last item and owns a range of walkers. Keeps it as a pattern
 * if significantly many of the `n` possible values stop at it. */
static void grow_child(tree *t, uint32_t from, uint32_t to, uint32_t n, double p)
{
    uint32_t own = grow(t, from, to);
    if (!significant(own, n - (to - from - own), p))
        return;
    t->path.count = own;
    if (!th__vec_push(&t->found, t->path))
        t->failed = true;
}

static void push_item(tree *t, th__form_item item)
{
    t->path.items[t->path.len++] = item;
}

static double token_chance(const tree *t, const th__dp_token *token, uint32_t k, uint32_t here)
{
    double total = th__key_map_get(&t->totals, token->hash);
    double elsewhere = (total - k + 1) / ((double)t->tokens - here + 2);
    double most = class_chance(token->cls) / 2;
    return elsewhere < most ? elsewhere : most;
}

/* Grows children that are tokens: walkers are sorted by hash, so that each is a run. Moves the
 * walkers taken to the front and returns their number. */
static uint32_t grow_tokens(tree *t, uint32_t from, uint32_t to)
{
    uint32_t n = to - from, here = 0, depth = t->path.len, taken = 0;
    for (uint32_t i = from; i < to; i++)
        here += t->walkers[i].hash != 0;
    for (uint32_t i = from, end; i < to; i = end) {
        for (end = i + 1; end < to && t->walkers[end].hash == t->walkers[i].hash;)
            end++;
        uint32_t k = end - i;
        const th__dp_token *token = next_token(t, t->walkers[i].value, depth);
        double p = token ? token_chance(t, token, k, here) : 1;
        if (!token || !significant(k, n, p))
            continue;
        /* The child sorts its walkers again: move the run to the front first. */
        for (uint32_t j = i; j < end; j++) {
            value_walker swap = t->walkers[from + taken + (j - i)];
            t->walkers[from + taken + (j - i)] = t->walkers[j];
            t->walkers[j] = swap;
        }
        push_item(t, (th__form_item){token->hash, token->text, token->cls});
        grow_child(t, from + taken, from + taken + k, n, p);
        t->path.len--;
        taken += k;
    }
    return taken;
}

/* Children that are classes, on the walkers that no token took. */
static uint32_t grow_classes(tree *t, uint32_t from, uint32_t to)
{
    uint32_t taken = 0, depth = t->path.len;
    for (size_t c = 0; c < CLASSES && from + taken < to; c++) {
        uint32_t start = from + taken, n = to - start, k = 0;
        for (uint32_t i = start; i < to; i++) {
            const th__dp_token *token = next_token(t, t->walkers[i].value, depth);
            if (!token || !th__class_is(token->cls, classes[c].cls))
                continue;
            value_walker swap = t->walkers[start + k];
            t->walkers[start + k++] = t->walkers[i];
            t->walkers[i] = swap;
        }
        if (!significant(k, n, (double)classes[c].chance))
            continue;
        push_item(t, (th__form_item){.cls = classes[c].cls});
        grow_child(t, start, start + k, n, (double)classes[c].chance);
        t->path.len--;
        taken += k;
    }
    return taken;
}

/* Grows the node of the path, which owns a range of the walkers; returns how many of them stop at
 * it. Recursion is at most TH__DP_DEPTH deep. */
static uint32_t grow(tree *t, uint32_t from, uint32_t to)
{
    uint32_t depth = t->path.len;
    if (depth == TH__DP_DEPTH || t->failed)
        return to - from;
    for (uint32_t i = from; i < to; i++) {
        const th__dp_token *token = next_token(t, t->walkers[i].value, depth);
        t->walkers[i].hash = token ? token->hash : 0;
    }
    qsort(t->walkers + from, to - from, sizeof *t->walkers, by_hash);
    uint32_t taken = grow_tokens(t, from, to);
    taken += grow_classes(t, from + taken, to);
    return to - from - taken;
}

static void count_token(tree *t, const th__dp_token *token)
{
    uint32_t before = th__key_map_get(&t->totals, token->hash);
    th__key_map_put(&t->totals, token->hash, before + 1);
    t->tokens++;
}

static void count_tokens(tree *t, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const th__dp_value *v = &t->values[i];
        uint32_t left = v->tokens - v->heads;
        for (uint32_t j = 0; j < v->heads; j++)
            count_token(t, &v->head[j]);
        for (uint32_t j = 0; j < v->tails && j < left; j++)
            count_token(t, &v->tail[j]);
    }
}

static int by_count(const void *a, const void *b)
{
    const th__form *x = a, *y = b;
    int order = th__order(y->count, x->count) ?: th__order(y->len, x->len);
    for (uint32_t i = 0; !order && i < x->len; i++)
        order = th__order(x->items[i].hash, y->items[i].hash)
                    ?: th__order(x->items[i].cls, y->items[i].cls);
    return order;
}

static bool keep_patterns(tree *t, th__arena *arena, th__forms *out)
{
    size_t count = t->found.len < TH__FORMS_MAX ? t->found.len : TH__FORMS_MAX;
    if (t->found.len)
        qsort(t->found.data, t->found.len, sizeof *t->found.data, by_count);
    out->data = th__arena_zero(arena, count + 1, sizeof *out->data);
    if (!out->data)
        return false;
    for (size_t i = 0; i < count; i++) {
        out->data[i] = t->found.data[i];
        for (uint32_t j = 0; j < out->data[i].len; j++) {
            th__form_item *item = &out->data[i].items[j];
            item->text = item->hash ? th__arena_copy(arena, item->text) : (th_str){0};
            if (item->hash && !item->text.ptr)
                return false;
        }
    }
    out->count = (uint32_t)count;
    return true;
}

bool th__datapro(const th__dp_value *values, size_t count, bool endings, th__arena *arena,
                 th__forms *out)
{
    tree t = {.values = values, .endings = endings};
    th__arena scratch;
    th__arena_init(&scratch);
    size_t tokens = 0;
    for (size_t i = 0; i < count; i++)
        tokens += (size_t)values[i].heads + values[i].tails;
    t.walkers = th__arena_alloc(&scratch, (count + 1) * sizeof *t.walkers);
    bool ok = t.walkers && th__key_map_init(&t.totals, &scratch, tokens);
    if (ok) {
        for (size_t i = 0; i < count; i++)
            t.walkers[i].value = (uint32_t)i;
        count_tokens(&t, count);
        grow(&t, 0, (uint32_t)count);
        ok = !t.failed && keep_patterns(&t, arena, out);
    }
    th__vec_release(&t.found);
    th__arena_release(&scratch);
    return ok;
}

/* Tokens of a shape: tokens further inside a value are its content, not its form. */
enum { SHAPE_DEPTH = 2 };

/* ---- shapes ---------------------------------------------------------------------------------- */

static bool same_items(const th__form *a, const th__form *b)
{
    if (a->len != b->len)
        return false;
    for (uint32_t i = 0; i < a->len; i++)
        if (a->items[i].hash != b->items[i].hash ||
            (!a->items[i].hash && a->items[i].cls != b->items[i].cls))
            return false;
    return true;
}

static th__form shape_from(const th__form *pattern)
{
    th__form shape = *pattern;
    shape.len = shape.len < SHAPE_DEPTH ? shape.len : SHAPE_DEPTH;
    for (uint32_t i = 0; i < shape.len; i++) {
        th__form_item *item = &shape.items[i];
        if (item->hash && item->cls != TH_CLASS_PUNCT)
            *item = (th__form_item){.cls = item->cls};
    }
    shape.count = 0;
    return shape;
}

/* The probability of a pattern by chance: the product of its items' (specific ones are rarer). */
static double chance_of(const th__form *shape)
{
    double chance = 1;
    for (uint32_t i = 0; i < shape->len; i++)
        chance *= shape->items[i].hash ? 0.01 : class_chance(shape->items[i].cls);
    return chance;
}

/* Longer ones first, then rarer ones. */
static int by_order(const void *a, const void *b)
{
    const th__form *x = a, *y = b;
    int order = th__order(y->len, x->len) ?: th__order(chance_of(x), chance_of(y));
    for (uint32_t i = 0; !order && i < x->len; i++)
        order = th__order(x->items[i].cls, y->items[i].cls)
                    ?: th__order(x->items[i].hash, y->items[i].hash);
    return order;
}

static bool make_shapes(const th__field_tally *field, th__arena *arena, int end,
                        th__field_profile *out)
{
    const th__forms *patterns = &out->patterns[end];
    th__forms *shapes = &out->shapes[end];
    shapes->data = th__arena_zero(arena, patterns->count + 1, sizeof *shapes->data);
    if (!shapes->data)
        return false;
    for (uint32_t i = 0; i < patterns->count; i++) {
        th__form shape = shape_from(&patterns->data[i]);
        uint32_t j = 0;
        while (j < shapes->count && !same_items(&shapes->data[j], &shape))
            j++;
        if (j == shapes->count)
            shapes->data[shapes->count++] = shape;
    }
    qsort(shapes->data, shapes->count, sizeof *shapes->data, by_order);
    for (size_t i = 0; i < field->sample.len; i++) {
        uint32_t shape = th__shape_of(shapes, &field->sample.data[i].value, end);
        if (shape < shapes->count)
            shapes->data[shape].count++;
    }
    return true;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Gives short and different values, spread over the sample. */
static bool give_examples(const th__field_tally *field, th__arena *arena, th__field_profile *out)
{
    size_t n = field->sample.len, step = n / TH__EXAMPLES_MAX + 1;
    out->examples = th__arena_zero(arena, TH__EXAMPLES_MAX, sizeof *out->examples);
    if (!out->examples)
        return false;
    for (size_t i = 0; i < n && out->example_count < TH__EXAMPLES_MAX; i += step) {
        th_str text = field->sample.data[i].text;
        uint32_t j = 0;
        while (j < out->example_count && !th__str_eq(out->examples[j], text))
            j++;
        if (j < out->example_count || text.len > TH__EXAMPLE_MAX_BYTES)
            continue;
        out->examples[j] = th__arena_copy(arena, text);
        if (!out->examples[j].ptr)
            return false;
        out->example_count++;
    }
    return true;
}

/* ---- words ---- */

/* Counts the values that contain a word. Only words of the first few values are candidates. */
enum { WORD_VALUES = 4, WORD_ROOM = 512 };

typedef struct word_count {
    th_str text;
    uint64_t hash;
    uint32_t values, last; /* that contain it, and the last of them + 1 */
} word_count;

typedef struct word_counts {
    word_count data[WORD_ROOM];
    uint32_t count, value;
    th__key_map map; /* by hash: number + 1 */
    bool failed;
} word_counts;

static void count_word(void *context, th_str word, uint64_t hash)
{
    word_counts *counts = context;
    uint32_t at = th__key_map_get(&counts->map, hash);
    if (!at && counts->count < WORD_ROOM) {
        at = ++counts->count;
        counts->data[at - 1] = (word_count){.text = word, .hash = hash};
        counts->failed |= !th__key_map_put(&counts->map, hash, at);
    }
    if (!at || counts->data[at - 1].last == counts->value + 1)
        return;
    counts->data[at - 1].values++;
    counts->data[at - 1].last = counts->value + 1;
}

/* The words that at least six in ten values contain, at any position. */
static bool find_words(const th__field_tally *field, word_counts *counts, th__arena *arena,
                       th__field_profile *out)
{
    size_t n = field->sample.len;
    if (n < WORD_VALUES || field->target)
        return true;
    counts->count = 0;
    th__key_map_clear(&counts->map);
    out->words = th__arena_zero(arena, TH__WORDS_MAX, sizeof *out->words);
    for (size_t i = 0; i < n; i++) {
        counts->value = (uint32_t)i;
        th__words_of(field->sample.data[i].text, count_word, counts);
    }
    bool ok = out->words && !counts->failed;
    for (uint32_t i = 0; ok && i < counts->count && out->word_count < TH__WORDS_MAX; i++) {
        if (10 * (uint64_t)counts->data[i].values < 6 * n)
            continue;
        th_str word = th__arena_copy(arena, counts->data[i].text);
        ok = word.ptr;
        out->words[out->word_count++] = word;
    }
    return ok;
}

/* Returns true if a word can represent a kind of values: pages of both halves have it. Pages come
 * ordered by topic, such as cameras by brand, so that a word of one half may be a topic. *all is
 * set if nearly all values have the word: it is a label, or the topic of all pages. */
static bool is_kind(const th__field_tally *field, uint64_t word, bool *all)
{
    enum { PARTS = 5 }; /* more than four in five values */
    th__form_words one = {.hashes = {word}, .count = 1};
    size_t n = field->sample.len, halves[2] = {0};
    for (size_t i = 0; i < n; i++) {
        const th__sample *s = &field->sample.data[i];
        halves[2 * s->page > field->sample.data[n - 1].page] += !th__form_word_in(&one, &s->value);
    }
    *all = *all || (halves[0] + halves[1]) * PARTS > n * (PARTS - 1);
    return halves[0] && halves[1];
}

/* Counts the values that contain a word of the patterns which identifies their kind. */
static void count_worded(const th__field_tally *field, int end, th__field_profile *out)
{
    th__form_words words;
    uint32_t kinds = 0;
    bool all = false;
    th__form_words_of(&out->patterns[end], &words);
    for (uint32_t i = 0; i < words.count && !all; i++)
        if (is_kind(field, words.hashes[i], &all))
            words.hashes[kinds++] = words.hashes[i];
    words.count = kinds;
    for (size_t i = 0; i < field->sample.len && !all; i++)
        out->worded[end] += th__form_word_in(&words, &field->sample.data[i].value) < kinds;
}

/* Counts the values of each pattern as verification does: a value whose next word is frequent, and
 * which matches no longer pattern, counts for its common part. */
static void count_patterns(const th__field_tally *field, int end, th__field_profile *out)
{
    th__forms *patterns = &out->patterns[end];
    for (uint32_t i = 0; i < patterns->count; i++)
        patterns->data[i].count = 0;
    for (size_t i = 0; i < field->sample.len; i++) {
        uint32_t own = th__pattern_of(patterns, &field->sample.data[i].value, end);
        if (own < patterns->count)
            patterns->data[own].count++;
    }
}

/* Mean and population standard deviation of lengths, in two passes: one pass that subtracts squares
 * loses everything if the deviation is far below the mean. */
static void describe_lengths(const th__field_tally *field, th__field_profile *out)
{
    size_t n = field->sample.len;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += field->sample.data[i].length;
    out->length = n ? sum / (double)n : 0;
    for (size_t i = 0; i < n; i++)
        squares += (field->sample.data[i].length - out->length) *
                   (field->sample.data[i].length - out->length);
    out->length_sd = n ? sqrt(squares / (double)n) : 0;
}

static bool describe_sample(const th__field_tally *field, th__arena *arena, th__field_profile *out)
{
    size_t n = field->sample.len;
    uint64_t *hashes = TH__NEW_ARRAY(uint64_t, n + 1);
    th__dp_value *values = TH__NEW_ARRAY(th__dp_value, n + 1);
    bool ok = hashes && values;
    for (size_t i = 0; ok && i < n; i++) {
        hashes[i] = field->sample.data[i].hash;
        values[i] = field->sample.data[i].value;
    }
    if (ok) {
        describe_lengths(field, out);
        qsort(hashes, n, sizeof *hashes, th__by_number);
        for (size_t i = 0; i < n; i++)
            out->distinct += !i || hashes[i] != hashes[i - 1];
    }
    for (int end = 0; ok && end < TH__ENDS; end++)
        ok = th__datapro(values, n, end == TH__END, arena, &out->patterns[end]) &&
             make_shapes(field, arena, end, out);
    for (int end = 0; ok && end < TH__ENDS; end++)
        count_patterns(field, end, out);
    for (int end = 0; ok && end < TH__ENDS && !field->target; end++)
        count_worded(field, end, out);
    th__mem_free(hashes);
    th__mem_free(values);
    return ok;
}

/* ---- neighbours ------------------------------------------------------------------------------ */

/* A text is a neighbour of a field if at least this part of its values have it. */
#define OFTEN 0.5
enum { LEAST_VALUES = 2 }; /* one value does not show which of its neighbours stay */

/* A text on one side of values: how many have it, by its distance. */
typedef struct near_count {
    uint64_t hash;
    uint32_t values, at[TH__NEIGHBOURS_REACH];
} near_count;

/* The texts on one side of a field's values. */
typedef struct near_counts {
    th__key_map map; /* by hash: number */
    TH__VEC(near_count) list;
} near_counts;

/* Counts a text once per value, at its nearest occurrence. */
static bool count_around(const uint64_t *hashes, near_counts *counts)
{
    for (uint32_t i = 0; i < TH__NEIGHBOURS_REACH && hashes[i]; i++) {
        bool again = false;
        for (uint32_t j = 0; j < i; j++)
            again = again || hashes[j] == hashes[i];
        if (again)
            continue;
        uint32_t number = th__key_map_number(&counts->map, hashes[i]);
        near_count fresh = {.hash = hashes[i]};
        if (!number || (number > counts->list.len && !th__vec_push(&counts->list, fresh)))
            return false;
        near_count *own = &counts->list.data[number - 1];
        own->values++;
        own->at[i]++;
    }
    return true;
}

/* The distance that most values have. */
static uint32_t usual_distance(const near_count *own)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < TH__NEIGHBOURS_REACH; i++)
        best = own->at[i] > own->at[best] ? i : best;
    return best + 1;
}

/* Adds a neighbour, nearest first; drops the furthest if there are too many. */
static void keep_neighbour(th__neighbours *out, th__neighbour own)
{
    uint32_t at = out->count;
    if (at == TH__NEIGHBOURS_MAX && out->data[at - 1].at <= own.at)
        return;
    at -= at == TH__NEIGHBOURS_MAX;
    out->count = at + 1;
    for (; at && out->data[at - 1].at > own.at; at--)
        out->data[at] = out->data[at - 1];
    out->data[at] = own;
}

static bool learn_side(const th__tally *tally, const th__field_tally *field, int side,
                       near_counts *counts, th__arena *arena, th__neighbours *out)
{
    size_t n = field->sample.len, noted = 0;
    th__key_map_clear(&counts->map);
    counts->list.len = 0;
    out->data = th__arena_zero(arena, TH__NEIGHBOURS_MAX, sizeof *out->data);
    bool ok = out->data;
    for (size_t i = 0; ok && i < n; i++) {
        const th__around *around = field->sample.data[i].around;
        noted += around != NULL;
        ok = !around || count_around(around->hash[side], counts);
    }
    for (size_t i = 0; ok && noted >= LEAST_VALUES && i < counts->list.len; i++) {
        const near_count *own = &counts->list.data[i];
        uint32_t text = th__key_map_get(&tally->near_texts, own->hash);
        if (!text || own->values < LEAST_VALUES || (double)own->values < OFTEN * (double)noted)
            continue;
        th__neighbour near = {.text = th__arena_copy(arena, tally->near.data[text - 1]),
                              .hash = own->hash,
                              .at = usual_distance(own)};
        near.count = own->at[near.at - 1];
        ok = near.text.ptr;
        if (ok)
            keep_neighbour(out, near);
    }
    return ok;
}

/* Learns the element that contains only the value, for most values. */
static bool learn_element(const th__tally *tally, const th__field_tally *field, th__arena *arena,
                          th__field_profile *out)
{
    size_t n = field->sample.len, votes = 0, count = 0;
    uint64_t best = 0;
    /* Majority vote: an element that more than half of the values have survives. */
    for (size_t i = 0; i < n; i++) {
        const th__around *around = field->sample.data[i].around;
        uint64_t own = around ? around->element : 0;
        best = votes ? best : own;
        votes = own == best ? votes + 1 : votes - 1;
    }
    for (size_t i = 0; i < n; i++)
        count += field->sample.data[i].around && field->sample.data[i].around->element == best;
    uint32_t text = best ? th__key_map_get(&tally->near_texts, best) : 0;
    if (!text || count < LEAST_VALUES || (double)count < OFTEN * (double)n)
        return true;
    out->element = th__arena_copy(arena, tally->near.data[text - 1]);
    return out->element.ptr != NULL;
}

/* Learns where on their pages the values are. */
static void learn_position(const th__field_tally *field, th__field_profile *out)
{
    double sum = 0, squares = 0, count = 0;
    for (size_t i = 0; i < field->sample.len; i++) {
        const th__around *around = field->sample.data[i].around;
        sum += around ? around->position : 0;
        squares += around ? around->position * around->position : 0;
        count += around != NULL;
    }
    if (count < LEAST_VALUES)
        return;
    out->position = sum / count;
    out->position_sd = sqrt(fmax(0, squares / count - out->position * out->position));
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* What the fields of a profile are counted with, one after the other. */
typedef struct profile_counts {
    word_counts words;
    near_counts near;
} profile_counts;

static bool describe_field(const th__tally *tally, const th__field_tally *field,
                           profile_counts *counts, th__arena *arena, th__field_profile *out)
{
    out->path = th__arena_copy(arena, field->path);
    out->chances = field->chances;
    out->values = field->values;
    out->pages = field->pages;
    out->told = field->told;
    out->agreed = field->agreed;
    out->headed = field->headed;
    out->sampled = field->sample.len;
    learn_position(field, out);
    bool ok = out->path.ptr && give_examples(field, arena, out) &&
              find_words(field, &counts->words, arena, out) &&
              learn_element(tally, field, arena, out);
    for (int side = 0; ok && side < TH__ENDS; side++)
        ok = learn_side(tally, field, side, &counts->near, arena, &out->around[side]);
    return ok && describe_sample(field, arena, out);
}

bool th__profile_learn(const th__tally *tally, th__arena *arena, th__profile **out)
{
    th__profile *profile = th__arena_zero(arena, 1, sizeof *profile);
    profile_counts *counts = TH__NEW(profile_counts);
    bool ok = profile && counts;
    if (ok) {
        profile->pages = tally->pages;
        profile->empty_pages = tally->empty_pages;
        profile->records = tally->records;
        profile->least = tally->least;
        profile->most = tally->most;
        profile->explained =
            tally->explained_pages ? tally->explained / (double)tally->explained_pages : 0;
        profile->explained_least = tally->explained_least;
        profile->count = tally->count;
        profile->fields = th__arena_zero(arena, tally->count + 1, sizeof *profile->fields);
        ok = profile->fields;
    }
    for (uint32_t i = 0; ok && i < tally->count; i++)
        ok = describe_field(tally, &tally->fields[i], counts, arena, &profile->fields[i]);
    if (counts) {
        th__key_map_release(&counts->words.map);
        th__key_map_release(&counts->near.map);
        th__vec_release(&counts->near.list);
    }
    th__mem_free(counts);
    *out = profile;
    return ok && th__profile_prepare(profile, arena);
}

/* ---- the public side ------------------------------------------------------------------------- */

th_status th_check_profile(const th_check *check, th_wrapper *wrapper, th_error *err)
{
    th__profile *profile;
    if (th_wrapper_schema(wrapper) != th_wrapper_schema(check->wrapper) &&
        !th_schema_equal(th_wrapper_schema(wrapper), th_wrapper_schema(check->wrapper)))
        return th__fail(err, TH_ERR_ARGUMENT, "the check belongs to another wrapper");
    if (!check->thorough)
        return th__fail(err, TH_ERR_ARGUMENT, "a profile needs a thorough check");
    if (!check->tally.records || check->tally.pages == check->tally.empty_pages)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "the wrapper finds no values on the pages, so there is no profile");
    if (!th__profile_learn(&check->tally, &wrapper->arena, &profile))
        return th__fail_memory(err);
    wrapper->profile = profile;
    return TH_OK;
}

th_status th_wrapper_profile(th_wrapper *wrapper, const th_page *const *pages,
                             const th_records *const *records, size_t count, th_error *err)
{
    th_check *check;
    th_status status = th_check_new(wrapper, true, &check, err);
    for (size_t i = 0; !status && i < count; i++)
        status = th_check_add(check, pages ? pages[i] : NULL, records[i], err);
    if (!status)
        status = th_check_profile(check, wrapper, err);
    th_check_free(check);
    return status;
}
