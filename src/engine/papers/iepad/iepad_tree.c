/*
 * iepad_tree.c: occurrences by the tree (switch: siblings).
 *
 * A maximal repeat is as long as the records that are alike. Where half of them lack a field, the
 * repeat that covers most is one of the others, and its pattern leaves the half out or puts two
 * into one. A tag that stands at least min_count times side by side in one element is a repeat of
 * one token whose occurrences the tree clusters, where the paper clusters them by their distances.
 * What stands between them is aligned as ever:
 *
 *     <ul> <li>T<br>T</li> <li>T</li> <li>T<br>T</li> <li>T</li> <li>T</li> </ul>
 *          |               |          |               |          | <li>T[<br>|-][T|-]</li>
 *
 * Time: sorting the nodes; what is aligned is bounded by MOST.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "engine/papers/iepad/iepad_learn.h"

/* Lists of a page that are looked at: those over the longest stretches. */
enum { MOST = 64 };

/* A child whose start tag is in the string. */
typedef struct child {
    uint32_t parent, node, at; /* nodes; place in the string */
    uint16_t tag;
} child;

static int by_list(const void *a, const void *b)
{
    const child *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->tag != y->tag)
        return x->tag < y->tag ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* The elements whose start tags are in the string; gives how many. */
static uint32_t list_children(const th_page *page, const th__iepad_string *s, child *out)
{
    uint32_t at = 0, count = 0;
    for (uint32_t node = 1; node < page->node_count; node++) {
        uint32_t token = page->nodes[node].token;
        while (at < s->len && s->first[at] < token)
            at++;
        if (at < s->len && s->first[at] == token && s->symbols[at] != TH__IEPAD_TEXT)
            out[count++] = (child){page->nodes[node].parent, node, at, page->tags[node]};
    }
    return count;
}

/* One past the symbols of an element. */
static uint32_t end_of(const th_page *page, const th__iepad_string *s, const child *c)
{
    uint32_t low = c->at, high = s->len, token = page->nodes[c->node].token_end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->first[middle] < token)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool add_list(const th_page *page, const th__iepad_string *s, const child *c, uint32_t count,
                     th__iepad_repeats *out)
{
    bool alone = true; /* nothing stands between the elements */
    th__iepad_repeat r = {.len = 1, .count = count, .tree = true};
    r.at = th__arena_alloc(&out->arena, count * sizeof *r.at);
    if (!r.at || (out->len == out->cap &&
                  !th__vec_grow((void **)&out->list, &out->cap, out->len + 1, sizeof *out->list)))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        r.at[i] = c[i].at;
        alone = alone && (i + 1 == count || end_of(page, s, &c[i]) == c[i + 1].at);
    }
    r.end = alone ? end_of(page, s, &c[count - 1]) : 0;
    r.variance = th__iepad_variance(r.at, count);
    r.density = th__iepad_density(r.at, count, 1);
    out->list[out->len++] = r;
    return true;
}

static int by_stretch(const void *a, const void *b)
{
    const th__iepad_repeat *x = a, *y = b;
    uint32_t own = x->at[x->count - 1] - x->at[0], other = y->at[y->count - 1] - y->at[0];
    if (own != other)
        return own < other ? 1 : -1;
    return (x->at[0] > y->at[0]) - (x->at[0] < y->at[0]);
}

th_status th__iepad_siblings(const th_page *page, const th__iepad_string *s,
                             const th__iepad_options *options, th__iepad_repeats *out,
                             th_error *err)
{
    child *children = TH__NEW_ARRAY(child, (size_t)page->node_count + 1);
    bool ok = children;
    *out = (th__iepad_repeats){0};
    th__arena_init(&out->arena);
    uint32_t count = ok ? list_children(page, s, children) : 0;
    if (count)
        qsort(children, count, sizeof *children, by_list);
    for (uint32_t i = 0, end; ok && i < count; i = end) {
        for (end = i + 1; end < count && children[end].parent == children[i].parent &&
                          children[end].tag == children[i].tag;)
            end++;
        if (end - i >= options->min_count && end - i > 1)
            ok = add_list(page, s, children + i, end - i, out);
    }
    if (out->len)
        qsort(out->list, out->len, sizeof *out->list, by_stretch);
    out->len = out->len < MOST ? out->len : MOST;
    th__mem_free(children);
    if (ok)
        return TH_OK;
    th__iepad_repeats_release(out);
    return th__fail_memory(err);
}
