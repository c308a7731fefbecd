/* datapro.c: the tree of significant patterns. See datapro.h for the idea. */
#include "check/datapro.h"

#include <stdlib.h>

#include "base/key_map.h"
#include "base/mem.h"
#include "base/stats.h"
#include "base/vec.h"
#include "page/lex.h"

/* ---- classes --------------------------------------------------------------------------------- */

/* From the specific to the general, with their chance in the text of pages. UNCASED is rare in that
 * sample and common where it occurs at all: it counts like the other letters. */
static const struct {
    uint8_t cls;
    float chance;
} classes[] = {
    {TH_CLASS_ALLCAPS, 0.05f}, {TH_CLASS_CAPITALIZED, 0.41f}, {TH_CLASS_LOWER, 0.32f},
    {TH_CLASS_UNCASED, 0.40f}, {TH_CLASS_NUMBER, 0.06f},      {TH_CLASS_MIXED, 0.02f},
    {TH_CLASS_PUNCT, 0.21f},   {TH_CLASS_ALPHA, 0.73f},       {TH_CLASS_WORD, 0.79f},
};

enum { CLASSES = sizeof classes / sizeof *classes };

double th__dp_chance(unsigned cls)
{
    for (size_t i = 0; i < CLASSES; i++)
        if (classes[i].cls == cls)
            return (double)classes[i].chance;
    return 1;
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* A value on its way down the tree. */
typedef struct value_walker {
    uint64_t hash; /* of its next token; 0 when it has none */
    uint32_t value;
} value_walker;

typedef struct tree {
    const th__dp_value *values;
    bool endings;
    value_walker *walkers; /* all values; a node has a range of them */
    th__key_map totals;    /* by hash: how often a token occurs in all */
    uint64_t tokens;       /* in all */
    th__form path;         /* of the node that is grown */
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
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static bool significant(uint32_t k, uint32_t n, double p)
{
    return k >= 2 && th__binomial_upper(k, n, p) <= TH__DP_ALPHA;
}

static uint32_t grow(tree *t, uint32_t from, uint32_t to);

/* Grows a child, which is the path's last item and has the walkers of a range, and keeps it as a
 * pattern when the values that stop at it are significantly many among the `n` that could. */
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
    double most = th__dp_chance(token->cls) / 2;
    return elsewhere < most ? elsewhere : most;
}

/* Children that are tokens: walkers are sorted by hash, so that each is a run. Gives how many
 * walkers are taken, and puts them first. */
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
        /* The child sorts its walkers anew: the run goes to the front first. */
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

/* Grows the node of the path, which has a range of the walkers; gives how many of them stop at it.
 * Recursion goes no deeper than TH__DP_DEPTH. */
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
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    if (x->len != y->len)
        return x->len > y->len ? -1 : 1;
    for (uint32_t i = 0; i < x->len; i++) {
        if (x->items[i].hash != y->items[i].hash)
            return x->items[i].hash < y->items[i].hash ? -1 : 1;
        if (x->items[i].cls != y->items[i].cls)
            return x->items[i].cls < y->items[i].cls ? -1 : 1;
    }
    return 0;
}

static bool keep_patterns(tree *t, th__arena *arena, th__forms *out)
{
    size_t count = t->found.len < TH__DP_PATTERNS_MAX ? t->found.len : TH__DP_PATTERNS_MAX;
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
    t.walkers = th__arena_zero(&scratch, count + 1, sizeof *t.walkers);
    bool ok = t.walkers && th__key_map_init(&t.totals, &scratch, count * 2 * TH__DP_DEPTH);
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
