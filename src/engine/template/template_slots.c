/*
 * template_slots.c: the slots of lines: which part goes into which, and which slots there are.
 *
 * Parts are aligned with slots in order, by how well they fit (see template_page.h); what found no
 * slot may then take a free one that it fits well. Slots are learnt by progressive alignment, as
 * for sequences of proteins: the longest chain gives the first slots, each further one is aligned
 * with them, and parts that fit nowhere become slots of their own. Then every chain is taken out
 * and aligned again, with what is known of all others, and slots without which the chains fit as
 * well are given up: two that hold the same in other places become one.
 *
 * To learn costs chains times parts times slots, all of which are limited.
 */
#include <math.h>
#include <stdlib.h>

#include "engine/template/template_page.h"

/* ---- aligning -------------------------------------------------------------------------------- */

/* By trait: how much it counts. Traits of one value depend on each other, so that they count less
 * than alone; a line end or gap is hardly ever the other. */
static const double weights[TH__TRAITS] = {
    [TH__TRAIT_LINE] = 1.5,  [TH__TRAIT_MARKUP] = 1,  [TH__TRAIT_AFTER] = 0.7,
    [TH__TRAIT_SHAPE] = 0.8, [TH__TRAIT_FIRST] = 0.4, [TH__TRAIT_LAST] = 0.6,
    [TH__TRAIT_SIZE] = 0.5,  [TH__TRAIT_WHOLE] = 0.3,
};

/* A label says more than any trait. */
#define LABEL_FIT 4
/* A part that fits no slot. */
#define LEFT_OUT (-5)
/* The same while slots are looked for: rather one too many, which is given up later. */
#define STRICT (-3)
/* A part that is elsewhere than usual must look like the values of its slot. */
#define MOVES 3
#define NEVER (-1e9)

/* Of a slot, what does not hang on the part. */
struct prepared {
    const th__template_slot *slot;
    double with, without;      /* that it is there, that it is not */
    double unseen[TH__TRAITS]; /* a trait that it never had */
};

/* Of a part: how common each of its traits is. */
struct seen {
    double common[TH__TRAITS];
};

static double presence(const th__template_slot *slot, uint32_t times)
{
    return log((times + 0.5) / (slot->total + 1.0));
}

static struct prepared prepare(const th__template_slot *slot, bool strict)
{
    struct prepared out = {.slot = slot};
    out.with = strict ? 0 : presence(slot, slot->present);
    out.without = strict ? 0 : presence(slot, slot->total - slot->present);
    for (unsigned kind = 0; kind < TH__TRAITS; kind++)
        if (slot->traits[kind].sum)
            out.unseen[kind] =
                weights[kind] * log((double)slot->traits[kind].types /
                                    (slot->traits[kind].sum + (double)slot->traits[kind].types));
    return out;
}

static void look_up(const th__template_slots *slots, const th__template_part *part,
                    struct seen *out)
{
    for (unsigned kind = 0; kind < TH__TRAITS; kind++) {
        uint64_t key = th__template_trait_key(kind, part->hashes[kind]);
        out->common[kind] =
            (th__key_map_get(&slots->common, key) + 0.5) / (slots->totals[kind] + 1.0);
    }
}

/* Witten and Bell: a slot that had many different values expects new ones. */
static double trait_fit(const struct prepared *p, unsigned kind, uint64_t hash, double common)
{
    const th__template_slot *slot = p->slot;
    uint32_t seen = 0, types = slot->traits[kind].types, sum = slot->traits[kind].sum;
    if (!hash || !sum)
        return 0;
    for (uint32_t i = 0; i < slot->traits[kind].count && !seen; i++)
        if (slot->traits[kind].items[i].hash == hash)
            seen = slot->traits[kind].items[i].count;
    if (!seen)
        return p->unseen[kind];
    double here = (seen + types * common) / (sum + (double)types);
    return weights[kind] * log(here / common);
}

static double fit(const struct prepared *p, const th__template_part *part, const struct seen *seen)
{
    if (part->set != p->slot->set || part->label != p->slot->label)
        return NEVER;
    double sum = part->label || part->set ? LABEL_FIT : 0;
    for (unsigned kind = 0; kind < TH__TRAITS; kind++)
        sum += trait_fit(p, kind, part->hashes[kind], seen->common[kind]);
    return sum;
}

/* Parts in another order than usual: one that found no slot takes a free one that it fits well, by
 * its label or by what it looks like. */
static void move_parts(const th__template_slots *slots, const struct prepared *ready,
                       const th__template_part *parts, uint32_t count, bool *taken, uint32_t *out)
{
    for (uint32_t i = 0; i < count; i++)
        if (out[i] != TH__NO_SLOT)
            taken[out[i]] = true;
    for (uint32_t i = 0; i < count; i++) {
        struct seen seen;
        double best = MOVES;
        if (out[i] != TH__NO_SLOT || th__template_part_is_empty(&parts[i]))
            continue;
        look_up(slots, &parts[i], &seen);
        for (uint32_t j = 0; j < slots->count; j++) {
            double here = taken[j] ? NEVER : fit(&ready[j], &parts[i], &seen);
            if (here > best || (parts[i].label && here > NEVER / 2)) {
                best = here;
                out[i] = j;
            }
        }
        if (out[i] != TH__NO_SLOT)
            taken[out[i]] = true;
    }
}

/* For every part the number of its slot, or TH__NO_SLOT; *score: how well all fits. False if out of
 * memory. */
static bool template_align(const th__template_slots *slots, const th__template_part *parts,
                           uint32_t count, th__template_way how, th__arena *scratch, uint32_t *out,
                           double *score)
{
    enum { SKIP, LEAVE, MATCH };
    bool strict = how == TH__ALIGN_STRICTLY;
    size_t wide = slots->count + 1;
    double *best = th__arena_alloc(scratch, wide * (count + 1) * sizeof *best);
    uint8_t *way = th__arena_alloc(scratch, wide * (count + 1));
    struct prepared *ready = th__arena_alloc(scratch, wide * sizeof *ready);
    bool *taken = th__arena_zero(scratch, wide, sizeof *taken);
    struct seen seen;
    if (!best || !way || !ready || !taken)
        return false;
    best[0] = 0;
    for (uint32_t j = 1; j <= slots->count; j++) {
        ready[j - 1] = prepare(slots->list[j - 1], strict);
        best[j] = best[j - 1] + ready[j - 1].without;
        way[j] = SKIP;
    }
    for (uint32_t i = 1; i <= count; i++) {
        double left = th__template_part_is_empty(&parts[i - 1]) ? 0 : strict ? STRICT : LEFT_OUT;
        double *row = best + i * wide, *above = row - wide;
        look_up(slots, &parts[i - 1], &seen);
        row[0] = above[0] + left;
        way[i * wide] = LEAVE;
        for (uint32_t j = 1; j <= slots->count; j++) {
            const struct prepared *p = &ready[j - 1];
            double match = above[j - 1] + p->with + fit(p, &parts[i - 1], &seen);
            double skip = row[j - 1] + p->without, leave = above[j] + left;
            way[i * wide + j] = match >= skip && match >= leave ? MATCH
                                : skip >= leave                 ? SKIP
                                                                : LEAVE;
            row[j] = match >= skip && match >= leave ? match : skip >= leave ? skip : leave;
        }
    }
    *score = best[wide * (count + 1) - 1];
    for (uint32_t i = count, j = slots->count; i;) {
        uint8_t here = way[i * wide + j];
        if (here == SKIP) {
            j--;
            continue;
        }
        out[--i] = here == MATCH ? --j : TH__NO_SLOT;
    }
    if (how == TH__ALIGN_FREELY)
        move_parts(slots, ready, parts, count, taken, out);
    return true;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* What a slot must save to be worth its place: a description of it. */
#define SLOT_COST 8
enum { ROUNDS = 3 };

struct slot_learner {
    th__template_chain *chains;
    uint32_t count, total; /* chains; those that are counted in the slots */
    th__template_slots *out;
    th__arena *arena;
    th__arena scratch;
};

static void count_trait(th__template_slot *slot, unsigned kind, const th__template_part *part,
                        int by)
{
    uint32_t *count = &slot->traits[kind].count, i = 0;
    th__template_trait *items = slot->traits[kind].items;
    if (!part->hashes[kind])
        return;
    slot->traits[kind].sum += (uint32_t)by;
    while (i < *count && items[i].hash != part->hashes[kind])
        i++;
    if (i == *count && (by < 0 || i == TH__MAX_TRAITS))
        return;
    if (i == *count)
        items[(*count)++] =
            (th__template_trait){.hash = part->hashes[kind], .text = part->texts[kind]};
    items[i].count += (uint32_t)by;
    if (!items[i].count)
        items[i] = items[--*count];
    slot->traits[kind].types = *count;
}

static void count_chain(struct slot_learner *l, const th__template_chain *chain, int by)
{
    l->total += (uint32_t)by;
    for (uint32_t i = 0; i < chain->count; i++) {
        th__template_slot *slot = chain->slots[i];
        if (!slot)
            continue;
        slot->present += (uint32_t)by;
        for (unsigned kind = 0; kind < TH__TRAITS; kind++)
            count_trait(slot, kind, &chain->parts[i], by);
    }
    for (size_t i = 0; i < l->out->count; i++)
        l->out->list[i]->total = l->total;
}

static bool find_background(struct slot_learner *l)
{
    th__template_slots *slots = l->out;
    size_t parts = 0;
    for (uint32_t c = 0; c < l->count; c++)
        parts += l->chains[c].count;
    if (!th__key_map_init(&slots->common, l->arena, TH__TRAITS * parts))
        return false;
    for (uint32_t c = 0; c < l->count; c++)
        for (uint32_t i = 0; i < l->chains[c].count; i++)
            for (unsigned kind = 0; kind < TH__TRAITS; kind++) {
                uint64_t hash = l->chains[c].parts[i].hashes[kind];
                uint64_t key = th__template_trait_key(kind, hash);
                if (!hash)
                    continue;
                th__key_map_put(&slots->common, key, th__key_map_get(&slots->common, key) + 1);
                slots->totals[kind]++;
            }
    return true;
}

/* ---- chains ---------------------------------------------------------------------------------- */

static th__template_slot *new_slot(struct slot_learner *l, const th__template_part *part)
{
    th__template_slot *slot = th__arena_zero(l->arena, 1, sizeof *slot);
    th__template_trait *items =
        th__arena_zero(l->arena, (size_t)TH__TRAITS * TH__MAX_TRAITS, sizeof *items);
    if (!slot || !items)
        return NULL;
    slot->label = part->label;
    slot->set = part->set;
    for (unsigned kind = 0; kind < TH__TRAITS; kind++)
        slot->traits[kind].items = items + (size_t)kind * TH__MAX_TRAITS;
    return slot;
}

static void insert_slot(th__template_slots *slots, size_t at, th__template_slot *slot)
{
    memmove(slots->list + at + 1, slots->list + at, (slots->count - at) * sizeof slot);
    slots->list[at] = slot;
    slots->count++;
}

static void remove_slot(th__template_slots *slots, size_t at)
{
    slots->count--;
    memmove(slots->list + at, slots->list + at + 1, (slots->count - at) * sizeof *slots->list);
}

/* The place behind a slot; the first for none. */
static size_t place_behind(const struct slot_learner *l, const th__template_slot *slot)
{
    for (size_t i = 0; slot && i < l->out->count; i++)
        if (l->out->list[i] == slot)
            return i + 1;
    return 0;
}

/* Aligns a chain that is not counted, and counts it. With `grow` parts that fit nowhere get slots.
 */
static bool align_chain(struct slot_learner *l, th__template_chain *chain, bool grow,
                        th__template_way how)
{
    th__arena_clear(&l->scratch);
    uint32_t *at = th__arena_alloc(&l->scratch, (chain->count + 1) * sizeof *at);
    if (!at ||
        !template_align(l->out, chain->parts, chain->count, how, &l->scratch, at, &chain->score))
        return false;
    for (uint32_t i = 0; i < chain->count; i++)
        chain->slots[i] = at[i] == TH__NO_SLOT ? NULL : l->out->list[at[i]];
    for (uint32_t i = 0; grow && i < chain->count; i++) {
        const th__template_part *part = &chain->parts[i];
        if (chain->slots[i] || th__template_part_is_empty(part) || l->out->count == TH__MAX_SLOTS)
            continue;
        size_t next = place_behind(l, i ? chain->slots[i - 1] : NULL);
        if (!(chain->slots[i] = new_slot(l, part)))
            return false;
        insert_slot(l->out, next, chain->slots[i]);
    }
    count_chain(l, chain, 1);
    return true;
}

static bool align_again(struct slot_learner *l, th__template_chain *chain, bool grow)
{
    count_chain(l, chain, -1);
    return align_chain(l, chain, grow, TH__ALIGN_IN_ORDER);
}

static void drop_unused(struct slot_learner *l, uint32_t least)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->out->count; i++) {
        th__template_slot *slot = l->out->list[i];
        if (slot->present >= least) {
            l->out->list[kept++] = slot;
            continue;
        }
        for (uint32_t c = 0; slot->present && c < l->count; c++)
            for (uint32_t k = 0; k < l->chains[c].count; k++)
                if (l->chains[c].slots[k] == slot)
                    l->chains[c].slots[k] = NULL;
    }
    l->out->count = kept;
}

/* ---- slots that are too many ----------------------------------------------------------------- */

static bool has_slot(const th__template_chain *chain, const th__template_slot *slot)
{
    for (uint32_t i = 0; i < chain->count; i++)
        if (chain->slots[i] == slot)
            return true;
    return false;
}

/* A chain that has a slot, with the slots that its parts had. */
struct trial {
    th__template_chain *chain;
    th__template_slot **before;
    double score;
};

static bool begin_trials(struct slot_learner *l, th__arena *arena, const th__template_slot *slot,
                         struct trial **out, uint32_t *count)
{
    struct trial *t = *out = th__arena_alloc(arena, (l->count + 1) * sizeof *t);
    for (uint32_t c = 0; t && c < l->count; c++) {
        th__template_chain *chain = &l->chains[c];
        if (!has_slot(chain, slot))
            continue;
        size_t size = chain->count * sizeof *chain->slots;
        struct trial one = {chain, th__arena_alloc(arena, size), chain->score};
        if (!one.before)
            return false;
        memcpy(one.before, chain->slots, size);
        t[(*count)++] = one;
    }
    return t;
}

static void undo_trials(struct slot_learner *l, const struct trial *t, uint32_t count, size_t at,
                        th__template_slot *slot)
{
    for (uint32_t i = 0; i < count; i++)
        count_chain(l, t[i].chain, -1);
    insert_slot(l->out, at, slot);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(t[i].chain->slots, t[i].before, t[i].chain->count * sizeof *t[i].before);
        t[i].chain->score = t[i].score;
        count_chain(l, t[i].chain, 1);
    }
}

/* Gives up a slot when its parts find a place elsewhere, or are too few. */
static bool try_without(struct slot_learner *l, size_t at, bool *gone)
{
    th__template_slot *slot = l->out->list[at];
    th__arena arena;
    struct trial *t;
    uint32_t count = 0;
    th__arena_init(&arena);
    bool ok = begin_trials(l, &arena, slot, &t, &count);
    double gain = SLOT_COST;
    if (ok) {
        double absent = log((l->total - slot->present + 0.5) / (l->total + 1.0));
        gain -= absent * (l->total - count);
        remove_slot(l->out, at);
    }
    for (uint32_t i = 0; ok && i < count; i++) {
        ok = align_again(l, t[i].chain, false);
        gain += t[i].chain->score - t[i].score;
    }
    *gone = gain >= 0;
    if (ok && !*gone)
        undo_trials(l, t, count, at, slot);
    th__arena_release(&arena);
    return ok;
}

static bool prune(struct slot_learner *l)
{
    /* The rarest first. One that all chains have is never too much. */
    for (uint32_t least = 1; least < l->total; least++)
        for (size_t i = 0; i < l->out->count;) {
            bool gone = false;
            if (l->out->list[i]->present == least && !try_without(l, i, &gone))
                return false;
            i += !gone;
        }
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int by_length(const void *a, const void *b)
{
    const th__template_chain *left = a, *right = b;
    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    return left->number < right->number ? -1 : left->number > right->number;
}

bool th__template_slots_learn(th__template_chain *chains, uint32_t count, th__arena *arena,
                              th__template_slots *out)
{
    struct slot_learner l = {.chains = chains, .count = count, .out = out, .arena = arena};
    *out = (th__template_slots){0};
    th__arena_init(&l.scratch);
    qsort(chains, count, sizeof *chains, by_length);
    out->list = th__arena_alloc(arena, TH__MAX_SLOTS * sizeof *out->list);
    bool ok = out->list && find_background(&l);
    for (uint32_t c = 0; ok && c < count; c++)
        ok = align_chain(&l, &chains[c], true, TH__ALIGN_STRICTLY);
    for (unsigned round = 0; ok && round < ROUNDS; round++) {
        for (uint32_t c = 0; ok && c < count; c++)
            ok = align_again(&l, &chains[c], round + 1 < ROUNDS);
        if (ok)
            drop_unused(&l, 1);
        ok = ok && prune(&l);
    }
    if (ok)
        drop_unused(&l, count > 1 ? 2 : 1);
    out->score = -(double)SLOT_COST * (double)out->count;
    for (uint32_t c = 0; ok && c < count; c++) {
        ok = align_again(&l, &chains[c], false);
        out->score += chains[c].score;
    }
    th__arena_release(&l.scratch);
    return ok;
}

bool th__template_chain_add(th__template_chain *chains, uint32_t *count, th__template_part *parts,
                            uint32_t part_count, uint32_t number, th__arena *arena)
{
    th__template_chain *chain = &chains[(*count)++];
    *chain = (th__template_chain){.parts = parts, .count = part_count, .number = number};
    chain->slots = th__arena_zero(arena, part_count + 1, sizeof *chain->slots);
    return chain->slots;
}

bool th__template_place(const th__template_slots *slots, const th__template_part *parts,
                        uint32_t count, uint32_t *out)
{
    th__arena scratch;
    double score;
    th__arena_init(&scratch);
    bool ok = template_align(slots, parts, count, TH__ALIGN_FREELY, &scratch, out, &score);
    th__arena_release(&scratch);
    return ok;
}
