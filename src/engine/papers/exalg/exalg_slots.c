/* exalg_slots.c: which part of some lines fits which slot; see exalg_lines.h. */
#include <math.h>

#include "engine/papers/exalg/exalg_lines.h"

/* By trait: how much it counts. Traits of one value depend on each other, so that they count less
 * than alone; a line end or gap is hardly ever the other. */
static const double weights[TH__EXALG_TRAITS] = {
    [TH__EXALG_TRAIT_LINE] = 1.5,  [TH__EXALG_TRAIT_MARKUP] = 1,  [TH__EXALG_TRAIT_AFTER] = 0.7,
    [TH__EXALG_TRAIT_SHAPE] = 0.8, [TH__EXALG_TRAIT_FIRST] = 0.4, [TH__EXALG_TRAIT_LAST] = 0.6,
    [TH__EXALG_TRAIT_SIZE] = 0.5,  [TH__EXALG_TRAIT_WHOLE] = 0.3,
};

/* A label says more than any trait. */
#define LABEL_FIT 4
/* A part that fits no slot. */
#define LEFT_OUT (-5)
/* The same while slots are looked for: rather one too many, which is given up later. */
#define STRICT (-3)
/* A part that stands elsewhere than usual must look like the values of its slot. */
#define MOVES 3
#define NEVER (-1e9)

/* Of a slot, what does not hang on the part. */
struct prepared {
    const th__exalg_slot *slot;
    double with, without;            /* that it is there, that it is not */
    double unseen[TH__EXALG_TRAITS]; /* a trait that it never had */
};

/* Of a part: how common each of its traits is. */
struct seen {
    double common[TH__EXALG_TRAITS];
};

static double presence(const th__exalg_slot *slot, uint32_t times)
{
    return log((times + 0.5) / (slot->total + 1.0));
}

static struct prepared prepare(const th__exalg_slot *slot, bool strict)
{
    struct prepared out = {.slot = slot};
    out.with = strict ? 0 : presence(slot, slot->present);
    out.without = strict ? 0 : presence(slot, slot->total - slot->present);
    for (unsigned kind = 0; kind < TH__EXALG_TRAITS; kind++)
        if (slot->traits[kind].sum)
            out.unseen[kind] =
                weights[kind] * log((double)slot->traits[kind].types /
                                    (slot->traits[kind].sum + (double)slot->traits[kind].types));
    return out;
}

static void look_up(const th__exalg_background *b, const th__exalg_part *part, struct seen *out)
{
    for (unsigned kind = 0; kind < TH__EXALG_TRAITS; kind++) {
        uint64_t key = th__exalg_trait_key(kind, part->hashes[kind]);
        out->common[kind] = (th__key_map_get(&b->counts, key) + 0.5) / (b->totals[kind] + 1.0);
    }
}

/* Witten and Bell: a slot that had many different values expects new ones. */
static double trait_fit(const struct prepared *p, unsigned kind, uint64_t hash, double common)
{
    const th__exalg_slot *slot = p->slot;
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

static double fit(const struct prepared *p, const th__exalg_part *part, const struct seen *seen)
{
    if (part->set != p->slot->set || part->label != p->slot->label)
        return NEVER;
    double sum = part->label || part->set ? LABEL_FIT : 0;
    for (unsigned kind = 0; kind < TH__EXALG_TRAITS; kind++)
        sum += trait_fit(p, kind, part->hashes[kind], seen->common[kind]);
    return sum;
}

static bool is_empty(const th__exalg_part *part)
{
    return !part->set && part->span.start >= part->span.end && !part->label;
}

/* Parts in another order than usual: one that found no slot takes a free one that it fits well, by
 * its label or by what it looks like. */
static void move_parts(const th__exalg_background *background, const struct prepared *ready,
                       uint32_t slot_count, const th__exalg_part *parts, uint32_t count,
                       bool *taken, uint32_t *out)
{
    for (uint32_t i = 0; i < count; i++)
        if (out[i] != TH__EXALG_NO_SLOT)
            taken[out[i]] = true;
    for (uint32_t i = 0; i < count; i++) {
        struct seen seen;
        double best = MOVES;
        if (out[i] != TH__EXALG_NO_SLOT || is_empty(&parts[i]))
            continue;
        look_up(background, &parts[i], &seen);
        for (uint32_t j = 0; j < slot_count; j++) {
            double here = taken[j] ? NEVER : fit(&ready[j], &parts[i], &seen);
            if (here > best || (parts[i].label && here > NEVER / 2)) {
                best = here;
                out[i] = j;
            }
        }
        if (out[i] != TH__EXALG_NO_SLOT)
            taken[out[i]] = true;
    }
}

bool th__exalg_align(const th__exalg_background *background, th__exalg_slot *const *slots,
                     uint32_t slot_count, const th__exalg_part *parts, uint32_t count,
                     th__exalg_way how, th__arena *scratch, uint32_t *out, double *score)
{
    enum { SKIP, LEAVE, MATCH };
    bool strict = how == TH__EXALG_STRICTLY;
    size_t wide = slot_count + 1;
    double *best = th__arena_alloc(scratch, wide * (count + 1) * sizeof *best);
    uint8_t *way = th__arena_alloc(scratch, wide * (count + 1));
    struct prepared *ready = th__arena_alloc(scratch, wide * sizeof *ready);
    bool *taken = th__arena_zero(scratch, wide, sizeof *taken);
    struct seen seen;
    if (!best || !way || !ready || !taken)
        return false;
    best[0] = 0;
    for (uint32_t j = 1; j <= slot_count; j++) {
        ready[j - 1] = prepare(slots[j - 1], strict);
        best[j] = best[j - 1] + ready[j - 1].without;
        way[j] = SKIP;
    }
    for (uint32_t i = 1; i <= count; i++) {
        double left = is_empty(&parts[i - 1]) ? 0 : strict ? STRICT : LEFT_OUT;
        double *row = best + i * wide, *above = row - wide;
        look_up(background, &parts[i - 1], &seen);
        row[0] = above[0] + left;
        way[i * wide] = LEAVE;
        for (uint32_t j = 1; j <= slot_count; j++) {
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
    for (uint32_t i = count, j = slot_count; i;) {
        uint8_t here = way[i * wide + j];
        if (here == SKIP) {
            j--;
            continue;
        }
        out[--i] = here == MATCH ? --j : TH__EXALG_NO_SLOT;
    }
    if (how == TH__EXALG_FREELY)
        move_parts(background, ready, slot_count, parts, count, taken, out);
    return true;
}
