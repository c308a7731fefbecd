/* exalg_classes.c: FINDEQ, DIFFEQ and the loop; exalg_invalid.c has HANDINV. */
#include "engine/papers/exalg/exalg_classes.h"

#include <stdlib.h>

#include "base/key_map.h"
#include "base/str.h"

/* ---- strings of numbers ---------------------------------------------------------------------- */

static bool number_tokens(th__exalg_ecgm *e, size_t total)
{
    th__key_map ids;
    if (!th__key_map_init(&ids, &e->arena, total))
        return false;
    for (uint32_t p = 0; p < e->page_count; p++) {
        const th__exalg_string *string = &e->strings[p];
        for (uint32_t t = 0; t < string->tokens.len; t++) {
            uint64_t key = string->tokens.data[t].key;
            uint32_t id = th__key_map_get(&ids, key);
            if (!id) {
                e->dtokens[e->dtoken_count] = (th__exalg_dtoken){.place = {p, t}};
                id = ++e->dtoken_count;
                th__key_map_put(&ids, key, id);
            }
            e->pages[p][t] = id - 1;
            e->active[p][t] = t;
        }
        e->active_count[p] = (uint32_t)string->tokens.len;
    }
    return true;
}

bool th__exalg_ecgm_init(th__exalg_ecgm *e, const th__exalg_string *strings, uint32_t page_count,
                         uint32_t size_threshold, uint32_t support_threshold)
{
    size_t total = 0;
    *e = (th__exalg_ecgm){.strings = strings,
                          .page_count = page_count,
                          .size_threshold = size_threshold,
                          .support_threshold = support_threshold};
    th__arena_init(&e->arena);
    e->pages = th__arena_zero(&e->arena, page_count + 1, sizeof *e->pages);
    e->active = th__arena_zero(&e->arena, page_count + 1, sizeof *e->active);
    e->active_count = th__arena_zero(&e->arena, page_count + 1, sizeof *e->active_count);
    if (!e->pages || !e->active || !e->active_count)
        return false;
    for (uint32_t p = 0; p < page_count; p++) {
        size_t count = strings[p].tokens.len;
        total += count;
        e->pages[p] = th__arena_alloc(&e->arena, count * sizeof **e->pages);
        e->active[p] = th__arena_alloc(&e->arena, count * sizeof **e->active);
        if (!e->pages[p] || !e->active[p])
            return false;
    }
    e->dtokens = th__arena_alloc(&e->arena, (total + 1) * sizeof *e->dtokens);
    return e->dtokens && number_tokens(e, total);
}

void th__exalg_ecgm_release(th__exalg_ecgm *e)
{
    th__arena_release(&e->arena);
}

/* ---- FINDEQ ---------------------------------------------------------------------------------- */

/* Occurrence vectors as sums of hashed (page, count): equal vectors have equal sums. Counts only
 * dtokens without one. */
static bool count_vectors(th__exalg_ecgm *e)
{
    uint32_t *counts = th__mem_zero(e->dtoken_count + 1, sizeof *counts);
    if (!counts)
        return false;
    for (uint32_t d = 0; d < e->dtoken_count; d++)
        counts[d] = e->dtokens[d].support ? TH__EXALG_NONE : 0;
    for (uint32_t p = 0; p < e->page_count; p++) {
        for (uint32_t i = 0; i < e->active_count[p]; i++) {
            uint32_t d = e->pages[p][e->active[p][i]];
            counts[d] += counts[d] != TH__EXALG_NONE;
        }
        for (uint32_t i = 0; i < e->active_count[p]; i++) {
            uint32_t d = e->pages[p][e->active[p][i]];
            if (!counts[d] || counts[d] == TH__EXALG_NONE)
                continue;
            e->dtokens[d].vector += th__hash_mix(p + 1, counts[d]);
            e->dtokens[d].support++;
            counts[d] = 0;
        }
    }
    th__mem_free(counts);
    return true;
}

/* Splitting makes a dtoken rarer, never more frequent: what is too rare now stays so. */
static void drop_rare(th__exalg_ecgm *e)
{
    for (uint32_t p = 0; p < e->page_count; p++) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < e->active_count[p]; i++) {
            uint32_t token = e->active[p][i];
            if (e->dtokens[e->pages[p][token]].support >= e->support_threshold)
                e->active[p][kept++] = token;
        }
        e->active_count[p] = kept;
    }
}

/* Dtokens go to the class of their vector in the order in which they first occur, which is the
 * order of the class if it has one. */
static bool group(th__exalg_ecgm *e, th__key_map *ids, th__exalg_class *all, uint32_t count)
{
    for (uint32_t c = 0; c < count; c++) {
        all[c].tokens = th__arena_alloc(&e->arena, all[c].size * sizeof *all[c].tokens);
        if (!all[c].tokens)
            return false;
        all[c].size = 0;
    }
    for (uint32_t d = 0; d < e->dtoken_count; d++)
        e->dtokens[d].cls = TH__EXALG_NONE;
    for (uint32_t p = 0; p < e->page_count; p++)
        for (uint32_t i = 0; i < e->active_count[p]; i++) {
            uint32_t d = e->pages[p][e->active[p][i]];
            th__exalg_dtoken *dtoken = &e->dtokens[d];
            if (dtoken->cls != TH__EXALG_NONE)
                continue;
            dtoken->cls = th__key_map_get(ids, dtoken->vector) - 1;
            th__exalg_class *cls = &all[dtoken->cls];
            cls->tokens[cls->size++] = d;
        }
    return true;
}

static int by_weight(const void *a, const void *b)
{
    const th__exalg_class *left = a, *right = b;
    if (left->root != right->root)
        return left->root ? -1 : 1;
    uint64_t l = (uint64_t)left->size * left->support, r = (uint64_t)right->size * right->support;
    if (l != r)
        return l > r ? -1 : 1;
    return left->tokens[0] < right->tokens[0] ? -1 : left->tokens[0] > right->tokens[0];
}

static void keep_large(th__exalg_ecgm *e, th__exalg_class *all, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t c = 0; c < count; c++)
        if (all[c].root || all[c].size >= e->size_threshold)
            all[kept++] = all[c];
    qsort(all, kept, sizeof *all, by_weight);
    e->classes = all;
    e->class_count = kept < TH__EXALG_MAX_CLASSES ? kept : TH__EXALG_MAX_CLASSES;
}

bool th__exalg_findeq(th__exalg_ecgm *e)
{
    uint32_t count = 0;
    th__key_map ids;
    if (!count_vectors(e))
        return false;
    drop_rare(e);
    th__exalg_class *all = th__arena_zero(&e->arena, e->dtoken_count + 1, sizeof *all);
    if (!all || !th__key_map_init(&ids, &e->arena, e->dtoken_count))
        return false;
    for (uint32_t d = 0; d < e->dtoken_count; d++) {
        const th__exalg_dtoken *dtoken = &e->dtokens[d];
        if (dtoken->support < e->support_threshold)
            continue;
        uint32_t id = th__key_map_get(&ids, dtoken->vector);
        if (!id) {
            th__key_map_put(&ids, dtoken->vector, id = ++count);
            all[id - 1].support = dtoken->support;
            all[id - 1].root = d == e->pages[0][0];
        }
        all[id - 1].size++;
    }
    if (!group(e, &ids, all, count))
        return false;
    keep_large(e, all, count);
    th__exalg_assign(e);
    return true;
}

void th__exalg_assign(th__exalg_ecgm *e)
{
    for (uint32_t d = 0; d < e->dtoken_count; d++)
        e->dtokens[d].cls = TH__EXALG_NONE;
    for (uint32_t c = 0; c < e->class_count; c++)
        for (uint32_t r = 0; r < e->classes[c].size; r++) {
            e->dtokens[e->classes[c].tokens[r]].cls = c;
            e->dtokens[e->classes[c].tokens[r]].rank = r;
        }
}

/* ---- DIFFEQ ---------------------------------------------------------------------------------- */

/* The context of an occurrence is where it stands in all classes that are open there: the sum of
 * one number for each of them. */
static uint64_t position_hash(uint32_t cls, uint32_t rank)
{
    return th__hash_mix(cls + 1, rank + 1);
}

/* The context of the next token, and the context behind it. */
static uint64_t step(const th__exalg_ecgm *e, uint32_t d, uint64_t *context)
{
    const th__exalg_dtoken *dtoken = &e->dtokens[d];
    if (dtoken->cls == TH__EXALG_NONE)
        return *context;
    if (dtoken->rank)
        *context -= position_hash(dtoken->cls, dtoken->rank - 1);
    uint64_t own = *context;
    if (dtoken->rank + 1 < e->classes[dtoken->cls].size)
        *context += position_hash(dtoken->cls, dtoken->rank);
    return own;
}

struct contexts {
    uint64_t *first; /* by dtoken: the context of its first occurrence */
    uint8_t *seen;   /* 1: in one context, 2: in several */
    th__key_map ids; /* (dtoken, context): new number + 1 */
};

static bool find_contexts(const th__exalg_ecgm *e, struct contexts *c, size_t *split)
{
    *split = 0;
    for (uint32_t p = 0; p < e->page_count; p++) {
        uint64_t context = 0;
        for (uint32_t i = 0; i < e->active_count[p]; i++) {
            uint32_t d = e->pages[p][e->active[p][i]];
            uint64_t own = step(e, d, &context);
            if (!c->seen[d]) {
                c->seen[d] = 1;
                c->first[d] = own;
            } else if (c->first[d] != own) {
                c->seen[d] = 2;
                ++*split;
            }
        }
    }
    return *split > 0;
}

static void renumber(th__exalg_ecgm *e, struct contexts *c)
{
    uint32_t before = e->dtoken_count;
    for (uint32_t p = 0; p < e->page_count; p++) {
        uint64_t context = 0;
        for (uint32_t i = 0; i < e->active_count[p]; i++) {
            uint32_t token = e->active[p][i], d = e->pages[p][token];
            uint64_t own = step(e, d, &context);
            if (c->seen[d] != 2 || c->first[d] == own)
                continue;
            uint64_t key = th__hash_mix(own, d);
            uint32_t id = th__key_map_get(&c->ids, key);
            if (!id) {
                e->dtokens[e->dtoken_count] = (th__exalg_dtoken){.place = {p, token}};
                e->dtokens[e->dtoken_count].cls = TH__EXALG_NONE;
                th__key_map_put(&c->ids, key, id = ++e->dtoken_count);
            }
            e->pages[p][token] = id - 1;
        }
    }
    for (uint32_t d = 0; d < before; d++)
        if (c->seen[d] == 2) {
            e->dtokens[d].support = 0;
            e->dtokens[d].vector = 0;
        }
}

bool th__exalg_diffeq(th__exalg_ecgm *e, bool *changed)
{
    th__arena scratch;
    struct contexts c;
    size_t split;
    th__arena_init(&scratch);
    c.first = th__arena_alloc(&scratch, (e->dtoken_count + 1) * sizeof *c.first);
    c.seen = th__arena_zero(&scratch, e->dtoken_count + 1, sizeof *c.seen);
    bool ok = c.first && c.seen;
    *changed = ok && find_contexts(e, &c, &split);
    if (*changed && (ok = th__key_map_init(&c.ids, &scratch, split)))
        renumber(e, &c);
    th__arena_release(&scratch);
    return ok;
}

/* ---- the loop -------------------------------------------------------------------------------- */

bool th__exalg_ecgm_run(th__exalg_ecgm *e)
{
    bool changed = true, ok = true;
    for (e->rounds = 0; ok && changed && e->rounds < TH__EXALG_MAX_ROUNDS; e->rounds++)
        ok = th__exalg_findeq(e) && th__exalg_handinv(e) && th__exalg_diffeq(e, &changed);
    return ok;
}
