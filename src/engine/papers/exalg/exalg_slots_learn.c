/*
 * exalg_slots_learn.c: see exalg_slots_learn.h.
 *
 * Progressive alignment, as for sequences of proteins: the longest chain gives the first slots,
 * each further one is aligned with them, and parts that fit nowhere become slots of their own. Then
 * every chain is taken out and aligned again, with what is known of all others, and slots without
 * which the chains fit as well are given up: two that hold the same in other places become one.
 *
 * The cost is chains times parts times slots, all of which are limited.
 */
#include "engine/papers/exalg/exalg_slots_learn.h"

#include <math.h>
#include <stdlib.h>

/* What a slot must save to be worth its place: a description of it. */
#define SLOT_COST 8
enum { ROUNDS = 3 };

struct learner {
    th__exalg_chain *chains;
    uint32_t count, total; /* chains; those that are counted in the slots */
    th__exalg_slots *out;
    th__arena *arena;
    th__arena scratch;
};

/* ---- counting -------------------------------------------------------------------------------- */

static void count_trait(th__exalg_slot *slot, unsigned kind, const th__exalg_part *part, int by)
{
    uint32_t *count = &slot->traits[kind].count, i = 0;
    th__exalg_trait *items = slot->traits[kind].items;
    if (!part->hashes[kind])
        return;
    slot->traits[kind].sum += (uint32_t)by;
    while (i < *count && items[i].hash != part->hashes[kind])
        i++;
    if (i == *count && (by < 0 || i == TH__EXALG_MAX_TRAITS))
        return;
    if (i == *count)
        items[(*count)++] =
            (th__exalg_trait){.hash = part->hashes[kind], .text = part->texts[kind]};
    items[i].count += (uint32_t)by;
    if (!items[i].count)
        items[i] = items[--*count];
    slot->traits[kind].types = *count;
}

static void count_chain(struct learner *l, const th__exalg_chain *chain, int by)
{
    l->total += (uint32_t)by;
    for (uint32_t i = 0; i < chain->count; i++) {
        th__exalg_slot *slot = chain->slots[i];
        if (!slot)
            continue;
        slot->present += (uint32_t)by;
        for (unsigned kind = 0; kind < TH__EXALG_TRAITS; kind++)
            count_trait(slot, kind, &chain->parts[i], by);
    }
    for (size_t i = 0; i < l->out->list.len; i++)
        l->out->list.data[i]->total = l->total;
}

static bool find_background(struct learner *l)
{
    th__exalg_background *b = &l->out->background;
    size_t parts = 0;
    for (uint32_t c = 0; c < l->count; c++)
        parts += l->chains[c].count;
    if (!th__key_map_init(&b->counts, l->arena, TH__EXALG_TRAITS * parts))
        return false;
    for (uint32_t c = 0; c < l->count; c++)
        for (uint32_t i = 0; i < l->chains[c].count; i++)
            for (unsigned kind = 0; kind < TH__EXALG_TRAITS; kind++) {
                uint64_t hash = l->chains[c].parts[i].hashes[kind];
                uint64_t key = th__exalg_trait_key(kind, hash);
                if (!hash)
                    continue;
                th__key_map_put(&b->counts, key, th__key_map_get(&b->counts, key) + 1);
                b->totals[kind]++;
            }
    return true;
}

/* ---- aligning -------------------------------------------------------------------------------- */

static th__exalg_slot *new_slot(struct learner *l, const th__exalg_part *part)
{
    th__exalg_slot *slot = th__arena_zero(l->arena, 1, sizeof *slot);
    th__exalg_trait *items =
        th__arena_zero(l->arena, (size_t)TH__EXALG_TRAITS * TH__EXALG_MAX_TRAITS, sizeof *items);
    if (!slot || !items)
        return NULL;
    slot->label = part->label;
    slot->set = part->set;
    for (unsigned kind = 0; kind < TH__EXALG_TRAITS; kind++)
        slot->traits[kind].items = items + (size_t)kind * TH__EXALG_MAX_TRAITS;
    return slot;
}

static bool insert_slot(struct learner *l, size_t at, th__exalg_slot *slot)
{
    if (!slot || !th__vec_push(&l->out->list, slot))
        return false;
    th__exalg_slot **data = l->out->list.data;
    memmove(data + at + 1, data + at, (l->out->list.len - 1 - at) * sizeof *data);
    data[at] = slot;
    return true;
}

/* The place behind a slot; the first for none. */
static size_t place_behind(const struct learner *l, const th__exalg_slot *slot)
{
    for (size_t i = 0; slot && i < l->out->list.len; i++)
        if (l->out->list.data[i] == slot)
            return i + 1;
    return 0;
}

/* Aligns a chain that is not counted, and counts it. With `grow` parts that fit nowhere get slots.
 */
static bool align_chain(struct learner *l, th__exalg_chain *chain, bool grow, th__exalg_way how)
{
    th__arena_clear(&l->scratch);
    uint32_t *at = th__arena_alloc(&l->scratch, (chain->count + 1) * sizeof *at);
    if (!at || !th__exalg_align(&l->out->background, l->out->list.data, (uint32_t)l->out->list.len,
                                chain->parts, chain->count, how, &l->scratch, at, &chain->score))
        return false;
    for (uint32_t i = 0; i < chain->count; i++)
        chain->slots[i] = at[i] == TH__EXALG_NO_SLOT ? NULL : l->out->list.data[at[i]];
    for (uint32_t i = 0; grow && i < chain->count; i++) {
        const th__exalg_part *part = &chain->parts[i];
        bool empty = !part->set && !part->label && part->span.start >= part->span.end;
        if (chain->slots[i] || empty || l->out->list.len == TH__EXALG_MAX_SLOTS)
            continue;
        size_t next = place_behind(l, i ? chain->slots[i - 1] : NULL);
        if (!insert_slot(l, next, new_slot(l, part)))
            return false;
        chain->slots[i] = l->out->list.data[next];
    }
    count_chain(l, chain, 1);
    return true;
}

static bool align_again(struct learner *l, th__exalg_chain *chain, bool grow)
{
    count_chain(l, chain, -1);
    return align_chain(l, chain, grow, TH__EXALG_IN_ORDER);
}

static void drop_unused(struct learner *l, uint32_t least)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->out->list.len; i++) {
        th__exalg_slot *slot = l->out->list.data[i];
        if (slot->present >= least) {
            l->out->list.data[kept++] = slot;
            continue;
        }
        for (uint32_t c = 0; slot->present && c < l->count; c++)
            for (uint32_t k = 0; k < l->chains[c].count; k++)
                if (l->chains[c].slots[k] == slot)
                    l->chains[c].slots[k] = NULL;
    }
    l->out->list.len = kept;
}

/* ---- slots that are too many ----------------------------------------------------------------- */

static bool has_slot(const th__exalg_chain *chain, const th__exalg_slot *slot)
{
    for (uint32_t i = 0; i < chain->count; i++)
        if (chain->slots[i] == slot)
            return true;
    return false;
}

/* Chains that have a slot, with the slots that their parts had. */
struct trial {
    uint32_t *chains, count;
    th__exalg_slot ***before;
    double *scores;
};

static bool begin_trial(struct learner *l, th__arena *arena, const th__exalg_slot *slot,
                        struct trial *t)
{
    t->count = 0;
    t->chains = th__arena_alloc(arena, (l->count + 1) * sizeof *t->chains);
    t->before = th__arena_alloc(arena, (l->count + 1) * sizeof *t->before);
    t->scores = th__arena_alloc(arena, (l->count + 1) * sizeof *t->scores);
    if (!t->chains || !t->before || !t->scores)
        return false;
    for (uint32_t c = 0; c < l->count; c++) {
        th__exalg_chain *chain = &l->chains[c];
        if (!has_slot(chain, slot))
            continue;
        th__exalg_slot **copy = th__arena_alloc(arena, chain->count * sizeof *copy);
        if (!copy)
            return false;
        memcpy(copy, chain->slots, chain->count * sizeof *copy);
        t->before[t->count] = copy;
        t->scores[t->count] = chain->score;
        t->chains[t->count++] = c;
    }
    return true;
}

static void undo_trial(struct learner *l, const struct trial *t, size_t at, th__exalg_slot *slot)
{
    for (uint32_t i = 0; i < t->count; i++)
        count_chain(l, &l->chains[t->chains[i]], -1);
    th__exalg_slot **data = l->out->list.data;
    memmove(data + at + 1, data + at, (l->out->list.len - at) * sizeof *data);
    data[at] = slot;
    l->out->list.len++;
    for (uint32_t i = 0; i < t->count; i++) {
        th__exalg_chain *chain = &l->chains[t->chains[i]];
        memcpy(chain->slots, t->before[i], chain->count * sizeof *chain->slots);
        chain->score = t->scores[i];
        count_chain(l, chain, 1);
    }
}

/* Gives up a slot when its parts find a place elsewhere, or are too few. */
static bool try_without(struct learner *l, size_t at, bool *gone)
{
    th__exalg_slot *slot = l->out->list.data[at];
    th__arena arena;
    struct trial t;
    th__arena_init(&arena);
    bool ok = begin_trial(l, &arena, slot, &t);
    double gain = SLOT_COST;
    if (ok) {
        double absent = log((l->total - slot->present + 0.5) / (l->total + 1.0));
        gain -= absent * (l->total - t.count);
        memmove(l->out->list.data + at, l->out->list.data + at + 1,
                (l->out->list.len - at - 1) * sizeof *l->out->list.data);
        l->out->list.len--;
    }
    for (uint32_t i = 0; ok && i < t.count; i++) {
        th__exalg_chain *chain = &l->chains[t.chains[i]];
        ok = align_again(l, chain, false);
        gain += chain->score - t.scores[i];
    }
    *gone = gain >= 0;
    if (ok && !*gone)
        undo_trial(l, &t, at, slot);
    th__arena_release(&arena);
    return ok;
}

static bool prune(struct learner *l)
{
    /* The rarest first. One that all chains have is never too much. */
    for (uint32_t least = 1; least < l->total; least++)
        for (size_t i = 0; i < l->out->list.len;) {
            bool gone = false;
            if (l->out->list.data[i]->present == least && !try_without(l, i, &gone))
                return false;
            i += !gone;
        }
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int by_length(const void *a, const void *b)
{
    const th__exalg_chain *left = a, *right = b;
    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    return left->number < right->number ? -1 : left->number > right->number;
}

bool th__exalg_slots_learn(th__exalg_chain *chains, uint32_t count, th__arena *arena,
                           th__exalg_slots *out)
{
    struct learner l = {.chains = chains, .count = count, .out = out, .arena = arena};
    *out = (th__exalg_slots){0};
    th__arena_init(&l.scratch);
    qsort(chains, count, sizeof *chains, by_length);
    bool ok = find_background(&l);
    for (uint32_t c = 0; ok && c < count; c++)
        ok = align_chain(&l, &chains[c], true, TH__EXALG_STRICTLY);
    for (unsigned round = 0; ok && round < ROUNDS; round++) {
        for (uint32_t c = 0; ok && c < count; c++)
            ok = align_again(&l, &chains[c], round + 1 < ROUNDS);
        if (ok)
            drop_unused(&l, 1);
        ok = ok && prune(&l);
    }
    if (ok)
        drop_unused(&l, count > 1 ? 2 : 1);
    out->score = -(double)SLOT_COST * (double)out->list.len;
    for (uint32_t c = 0; ok && c < count; c++) {
        ok = align_again(&l, &chains[c], false);
        out->score += chains[c].score;
    }
    th__arena_release(&l.scratch);
    return ok;
}

void th__exalg_slots_release(th__exalg_slots *slots)
{
    th__vec_release(&slots->list);
}
