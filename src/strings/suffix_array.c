/*
 * suffix_array.c: induced sorting (Nong, Zhang, Chan: Two Efficient Algorithms for Linear Time
 * Suffix Array Construction, 2011) and the lcp values of Kasai et al. (2001).
 *
 * A suffix is of type S when it is smaller than the one that starts a symbol later, else of type L;
 * the empty suffix behind the end is smaller than all. An S suffix whose left neighbour is L is
 * called LMS. Once the LMS suffixes are in order, one sweep to the right puts the L suffixes into
 * place and one to the left the S suffixes. The LMS suffixes get into order by sorting the
 * stretches between them in the same manner, naming equal stretches equally, and sorting the string
 * of names, which is at most half as long: so the recursion is at most log2(TH__SUFFIXES_MAX) deep.
 *
 * Repeats. The inner nodes of the suffix tree are met in postorder with a stack: a node is a run of
 * the suffix array in which all neighbours share at least `len` symbols, and no wider run does. A
 * run is left diverse when two of its suffixes have different left neighbours in the string; that
 * is handed up from run to run, so that every suffix is looked at once.
 */
#include "strings/suffix_array.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"

#define NONE UINT32_MAX
enum { SMALL_ALPHABET = 1 << 17 }; /* symbols below this are always counted, never sorted */

/* One string of the recursion. */
typedef struct level {
    const uint32_t *text; /* symbols 0 .. sigma - 1 */
    uint32_t *sa;
    uint32_t len, sigma;
    bool *is_s;        /* by position: type S */
    uint32_t *bucket;  /* sigma + 1: where the suffixes that start with a symbol begin */
    uint32_t *next;    /* sigma: where the next one of a sweep goes */
    uint32_t *lms;     /* positions of the LMS suffixes */
    uint32_t *name_of; /* by position / 2: the name of the LMS stretch there */
    uint32_t lms_count;
} level;

static bool is_lms(const level *l, uint32_t at)
{
    return at > 0 && l->is_s[at] && !l->is_s[at - 1];
}

static void release_level(level *l)
{
    th__mem_free(l->is_s);
    th__mem_free(l->bucket);
    th__mem_free(l->next);
    th__mem_free(l->lms);
    th__mem_free(l->name_of);
}

/* Types, buckets and the list of LMS suffixes in text order. */
static bool open_level(level *l)
{
    l->is_s = TH__NEW_ARRAY(bool, l->len);
    l->bucket = th__mem_zero((size_t)l->sigma + 1, sizeof *l->bucket);
    l->next = TH__NEW_ARRAY(uint32_t, l->sigma);
    l->lms = TH__NEW_ARRAY(uint32_t, l->len / 2 + 1);
    l->name_of = TH__NEW_ARRAY(uint32_t, l->len / 2 + 1);
    if (!l->is_s || !l->bucket || !l->next || !l->lms || !l->name_of)
        return false;
    const uint32_t *t = l->text;
    l->is_s[l->len - 1] = false;
    for (uint32_t i = l->len - 1; i-- > 0;)
        l->is_s[i] = t[i] < t[i + 1] || (t[i] == t[i + 1] && l->is_s[i + 1]);
    for (uint32_t i = 0; i < l->len; i++) {
        l->bucket[t[i] + 1]++;
        if (is_lms(l, i))
            l->lms[l->lms_count++] = i;
    }
    for (uint32_t c = 0; c < l->sigma; c++)
        l->bucket[c + 1] += l->bucket[c];
    return true;
}

/* Sorts all suffixes from the LMS suffixes in the order of l->lms. */
static void induce(level *l)
{
    const uint32_t *t = l->text;
    uint32_t *sa = l->sa;
    memset(sa, 0xFF, l->len * sizeof *sa);
    memcpy(l->next, l->bucket + 1, l->sigma * sizeof *l->next);
    for (uint32_t i = l->lms_count; i-- > 0;)
        sa[--l->next[t[l->lms[i]]]] = l->lms[i];

    memcpy(l->next, l->bucket, l->sigma * sizeof *l->next);
    sa[l->next[t[l->len - 1]]++] = l->len - 1; /* from the empty suffix */
    for (uint32_t i = 0; i < l->len; i++) {
        uint32_t at = sa[i];
        if (at != NONE && at > 0 && !l->is_s[at - 1])
            sa[l->next[t[at - 1]]++] = at - 1;
    }
    memcpy(l->next, l->bucket + 1, l->sigma * sizeof *l->next);
    for (uint32_t i = l->len; i-- > 0;) {
        uint32_t at = sa[i];
        if (at != NONE && at > 0 && l->is_s[at - 1])
            sa[--l->next[t[at - 1]]] = at - 1;
    }
}

/* Returns true if the stretches from two LMS positions to the next LMS position are equal. */
static bool same_stretch(const level *l, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0;; i++) {
        if (a + i == l->len || b + i == l->len) /* only one can be at the end: they differ */
            return false;
        if (l->text[a + i] != l->text[b + i] || l->is_s[a + i] != l->is_s[b + i])
            return false;
        if (i > 0 && (is_lms(l, a + i) || is_lms(l, b + i)))
            return is_lms(l, a + i) && is_lms(l, b + i);
    }
}

/* Names the stretches in their order in sa and gives how many names there are. */
static uint32_t name_stretches(level *l)
{
    uint32_t names = 0, last = NONE;
    for (uint32_t i = 0; i < l->len; i++) {
        uint32_t at = l->sa[i];
        if (!is_lms(l, at))
            continue;
        if (last == NONE || !same_stretch(l, last, at))
            names++;
        l->name_of[at / 2] = names - 1;
        last = at;
    }
    return names;
}

static bool sort_suffixes(const uint32_t *text, uint32_t *sa, uint32_t len, uint32_t sigma);

/* Brings l->lms from text order into the order of the suffixes. */
static bool order_lms(level *l)
{
    uint32_t names = name_stretches(l), m = l->lms_count;
    uint32_t *reduced = TH__NEW_ARRAY(uint32_t, m), *order = TH__NEW_ARRAY(uint32_t, m);
    bool ok = reduced && order;
    if (ok) {
        for (uint32_t i = 0; i < m; i++)
            reduced[i] = l->name_of[l->lms[i] / 2];
        if (names < m)
            ok = sort_suffixes(reduced, order, m, names);
        else
            for (uint32_t i = 0; i < m; i++)
                order[reduced[i]] = i;
    }
    if (ok) {
        for (uint32_t i = 0; i < m; i++)
            reduced[i] = l->lms[order[i]];
        memcpy(l->lms, reduced, m * sizeof *reduced);
    }
    th__mem_free(reduced);
    th__mem_free(order);
    return ok;
}

static bool sort_suffixes(const uint32_t *text, uint32_t *sa, uint32_t len, uint32_t sigma)
{
    level l = {.text = text, .sa = sa, .len = len, .sigma = sigma};
    bool ok = open_level(&l);
    if (ok) {
        induce(&l);
        if (l.lms_count > 1) {
            ok = order_lms(&l);
            if (ok)
                induce(&l);
        }
    }
    release_level(&l);
    return ok;
}

void th__sort_numbers(uint32_t *values, uint32_t *spare, size_t len)
{
    enum { FEW = 64 };
    if (len <= FEW) {
        for (size_t i = 1; i < len; i++) {
            uint32_t value = values[i];
            size_t at = i;
            for (; at > 0 && values[at - 1] > value; at--)
                values[at] = values[at - 1];
            values[at] = value;
        }
        return;
    }
    for (unsigned shift = 0; shift < 32; shift += 8) {
        size_t count[257] = {0};
        for (size_t i = 0; i < len; i++)
            count[(values[i] >> shift & 255) + 1]++;
        for (unsigned c = 0; c < 256; c++)
            count[c + 1] += count[c];
        for (size_t i = 0; i < len; i++)
            spare[count[values[i] >> shift & 255]++] = values[i];
        uint32_t *swap = values;
        values = spare;
        spare = swap;
    } /* four passes: the result is back in the caller's values */
}

/* Renumbers text in place to 0 .. *sigma - 1 with the order kept: few symbols, small buckets. */
static bool make_dense(uint32_t *text, uint32_t len, uint32_t *sigma)
{
    uint32_t max = 0;
    for (uint32_t i = 0; i < len; i++)
        max = text[i] > max ? text[i] : max;
    *sigma = 0;
    if (max < SMALL_ALPHABET || max / 4 < len) {
        uint32_t *rank = th__mem_zero((size_t)max + 1, sizeof *rank);
        if (!rank)
            return false;
        for (uint32_t i = 0; i < len; i++)
            rank[text[i]] = 1;
        for (uint32_t c = 0; c <= max; c++)
            *sigma += rank[c], rank[c] = *sigma;
        for (uint32_t i = 0; i < len; i++)
            text[i] = rank[text[i]] - 1;
        th__mem_free(rank);
        return true;
    }
    uint32_t *sorted = TH__NEW_ARRAY(uint32_t, (size_t)len * 2);
    if (!sorted)
        return false;
    memcpy(sorted, text, len * sizeof *text);
    th__sort_numbers(sorted, sorted + len, len);
    for (uint32_t i = 0; i < len; i++)
        if (*sigma == 0 || sorted[*sigma - 1] != sorted[i])
            sorted[(*sigma)++] = sorted[i];
    for (uint32_t i = 0; i < len; i++) {
        uint32_t low = 0, high = *sigma - 1;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (sorted[middle] < text[i])
                low = middle + 1;
            else
                high = middle;
        }
        text[i] = low;
    }
    th__mem_free(sorted);
    return true;
}

/* lcp from sa: a suffix shares at most one symbol less with its neighbour than the suffix a symbol
 * earlier did. `before` is room for len numbers. */
static void fill_lcp(th__suffixes *out, const uint32_t *text, uint32_t *before)
{
    uint32_t len = out->len, shared = 0;
    before[out->sa[0]] = NONE;
    for (uint32_t i = 1; i < len; i++)
        before[out->sa[i]] = out->sa[i - 1];
    for (uint32_t at = 0; at < len; at++) { /* by position, kept in place of `before` */
        uint32_t other = before[at];
        if (other == NONE) {
            before[at] = shared = 0;
            continue;
        }
        while (at + shared < len && other + shared < len &&
               text[at + shared] == text[other + shared])
            shared++;
        before[at] = shared;
        shared -= shared > 0;
    }
    for (uint32_t i = 0; i < len; i++)
        out->lcp[i] = before[out->sa[i]];
}

th_status th__suffixes_init(th__suffixes *out, const uint32_t *symbols, size_t len, th_error *err)
{
    *out = (th__suffixes){0};
    if (len > TH__SUFFIXES_MAX)
        return th__fail(err, TH_ERR_LIMIT,
                        "a string of %zu symbols is too long to sort its suffixes; the limit is %d",
                        len, TH__SUFFIXES_MAX);
    uint32_t sigma, *text = TH__NEW_ARRAY(uint32_t, len), *spare = TH__NEW_ARRAY(uint32_t, len);
    out->len = (uint32_t)len;
    out->sa = TH__NEW_ARRAY(uint32_t, len);
    out->lcp = TH__NEW_ARRAY(uint32_t, len);
    bool ok = out->sa && out->lcp && text && spare;
    if (ok && len) {
        memcpy(text, symbols, len * sizeof *text);
        ok = make_dense(text, out->len, &sigma) && sort_suffixes(text, out->sa, out->len, sigma);
        if (ok)
            fill_lcp(out, text, spare);
    }
    th__mem_free(spare);
    th__mem_free(text);
    if (ok)
        return TH_OK;
    th__suffixes_release(out);
    return th__fail_memory(err);
}

void th__suffixes_release(th__suffixes *suffixes)
{
    th__mem_free(suffixes->sa);
    th__mem_free(suffixes->lcp);
    *suffixes = (th__suffixes){0};
}

/* ---- maximal repeats --------------------------------------------------------------------------
 */

#define AT_START (UINT64_C(1) << 32)
#define DIVERSE  (UINT64_C(1) << 33)

typedef struct repeat_run {
    uint32_t len, first;
    uint64_t left; /* the symbol before all its suffixes, AT_START or DIVERSE */
} repeat_run;

typedef struct repeat_walk {
    const th__suffixes *suffixes;
    const uint32_t *symbols;
    th__repeats_options options;
    th__repeat_visit visit;
    void *context;
    TH__VEC(repeat_run) stack; /* open runs; len rises strictly */
} repeat_walk;

static uint64_t left_of(const repeat_walk *w, uint32_t index)
{
    uint32_t at = w->suffixes->sa[index];
    return at == 0 ? AT_START : w->symbols[at - 1];
}

static uint64_t join_left(uint64_t a, uint64_t b)
{
    return a == b ? a : DIVERSE;
}

/* Hands a finished run to the visitor when it is wanted. False ends the walk. */
static bool give(const repeat_walk *w, const repeat_run *r, uint32_t last)
{
    uint32_t count = last - r->first + 1;
    if (r->len < w->options.min_len || count < w->options.min_count)
        return true;
    if (r->left != DIVERSE && !w->options.with_not_left)
        return true;
    return w->visit(w->context, &(th__repeat){r->len, r->first, last});
}

/* Takes suffix `index`, which shares `shared` symbols with the one before. */
static bool step(repeat_walk *w, uint32_t index, uint32_t shared, bool *go_on)
{
    uint64_t left = left_of(w, index - 1);
    uint32_t first = index - 1;
    while (w->stack.len && w->stack.data[w->stack.len - 1].len > shared) {
        repeat_run top = w->stack.data[--w->stack.len];
        top.left = join_left(top.left, left);
        if (!give(w, &top, index - 1))
            return *go_on = false, true;
        left = top.left;
        first = top.first;
    }
    if (w->stack.len && w->stack.data[w->stack.len - 1].len == shared) {
        repeat_run *top = &w->stack.data[w->stack.len - 1];
        top->left = join_left(top->left, left);
        return true;
    }
    return shared == 0 || th__vec_push(&w->stack, (repeat_run){shared, first, left});
}

th_status th__repeats_walk(const th__suffixes *suffixes, const uint32_t *symbols,
                           const th__repeats_options *options, th__repeat_visit visit,
                           void *context, th_error *err)
{
    repeat_walk w = {.suffixes = suffixes, .symbols = symbols, .visit = visit, .context = context};
    w.options = options ? *options : (th__repeats_options){0};
    w.options.min_len = w.options.min_len ? w.options.min_len : 1;
    w.options.min_count = w.options.min_count < 2 ? 2 : w.options.min_count;
    bool ok = true, go_on = true;
    for (uint32_t i = 1; ok && go_on && i <= suffixes->len; i++)
        ok = step(&w, i, i < suffixes->len ? suffixes->lcp[i] : 0, &go_on);
    th__vec_release(&w.stack);
    return ok ? TH_OK : th__fail_memory(err);
}
