/*
 * repeats.c: maximal repeats from suffix array and lcp.
 *
 * The inner nodes of the suffix tree are met in postorder with a stack: a node is a run of the
 * suffix array in which all neighbours share at least `len` symbols, and no wider run does. A run
 * is left diverse when two of its suffixes have different left neighbours in the string; that is
 * handed up from run to run, so that every suffix is looked at once.
 */
#include "strings/repeats.h"

#include "base/error.h"
#include "base/vec.h"

#define AT_START (UINT64_C(1) << 32)
#define DIVERSE  (UINT64_C(1) << 33)

typedef struct run {
    uint32_t len, first;
    uint64_t left; /* the symbol before all its suffixes, AT_START or DIVERSE */
} run;

typedef struct walk {
    const th__suffixes *suffixes;
    const uint32_t *symbols;
    th__repeats_options options;
    th__repeat_visit visit;
    void *context;
    TH__VEC(run) stack; /* open runs; len rises strictly */
} walk;

static uint64_t left_of(const walk *w, uint32_t index)
{
    uint32_t at = w->suffixes->sa[index];
    return at == 0 ? AT_START : w->symbols[at - 1];
}

static uint64_t join_left(uint64_t a, uint64_t b)
{
    return a == b ? a : DIVERSE;
}

/* Hands a finished run to the visitor when it is wanted. False ends the walk. */
static bool give(const walk *w, const run *r, uint32_t last)
{
    uint32_t count = last - r->first + 1;
    if (r->len < w->options.min_len || count < w->options.min_count)
        return true;
    if (r->left != DIVERSE && !w->options.with_not_left)
        return true;
    return w->visit(w->context, &(th__repeat){r->len, r->first, last});
}

/* Takes suffix `index`, which shares `shared` symbols with the one before. */
static bool step(walk *w, uint32_t index, uint32_t shared, bool *go_on)
{
    uint64_t left = left_of(w, index - 1);
    uint32_t first = index - 1;
    while (w->stack.len && w->stack.data[w->stack.len - 1].len > shared) {
        run top = w->stack.data[--w->stack.len];
        top.left = join_left(top.left, left);
        if (!give(w, &top, index - 1))
            return *go_on = false, true;
        left = top.left;
        first = top.first;
    }
    if (w->stack.len && w->stack.data[w->stack.len - 1].len == shared) {
        run *top = &w->stack.data[w->stack.len - 1];
        top->left = join_left(top->left, left);
        return true;
    }
    return shared == 0 || th__vec_push(&w->stack, (run){shared, first, left});
}

th_status th__repeats_walk(const th__suffixes *suffixes, const uint32_t *symbols,
                           const th__repeats_options *options, th__repeat_visit visit,
                           void *context, th_error *err)
{
    walk w = {.suffixes = suffixes, .symbols = symbols, .visit = visit, .context = context};
    w.options = options ? *options : (th__repeats_options){0};
    w.options.min_len = w.options.min_len ? w.options.min_len : 1;
    w.options.min_count = w.options.min_count < 2 ? 2 : w.options.min_count;
    bool ok = true, go_on = true;
    for (uint32_t i = 1; ok && go_on && i <= suffixes->len; i++)
        ok = step(&w, i, i < suffixes->len ? suffixes->lcp[i] : 0, &go_on);
    th__vec_release(&w.stack);
    return ok ? TH_OK : th__fail_memory(err);
}
