/* exalg_slots.c: which part of some lines fits which slot; see exalg_lines.h. */
#include <math.h>

#include "engine/exalg/exalg_lines.h"

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
#define NEVER  (-1e9)

static double trait_fit(const th__exalg_background *b, const th__exalg_slot *slot, unsigned kind,
                        uint64_t hash)
{
    uint32_t types = slot->traits[kind].types, seen = 0, sum = slot->traits[kind].sum;
    if (!hash || !sum)
        return 0;
    for (uint32_t i = 0; i < slot->traits[kind].count; i++)
        if (slot->traits[kind].items[i].hash == hash)
            seen = slot->traits[kind].items[i].count;
    double common = (th__key_map_get(&b->counts, th__exalg_trait_key(kind, hash)) + 0.5) /
                    (b->totals[kind] + 1.0);
    /* Witten and Bell: a slot that had many different ones expects new ones. */
    double here = (seen + types * common) / (sum + types);
    return weights[kind] * log(here / common);
}

static double fit(const th__exalg_background *b, const th__exalg_slot *slot,
                  const th__exalg_part *part)
{
    if (part->set != slot->set || part->label != slot->label)
        return NEVER;
    double sum = part->label || part->set ? LABEL_FIT : 0;
    for (unsigned kind = 0; kind < TH__EXALG_TRAITS; kind++)
        sum += trait_fit(b, slot, kind, part->hashes[kind]);
    return sum;
}

static double present(const th__exalg_slot *slot, bool is, bool strict)
{
    if (strict)
        return 0;
    uint32_t with = is ? slot->present : slot->total - slot->present;
    return log((with + 0.5) / (slot->total + 1.0));
}

static bool is_empty(const th__exalg_part *part)
{
    return !part->set && part->span.start >= part->span.end && !part->label;
}

bool th__exalg_align(const th__exalg_background *background, th__exalg_slot *const *slots,
                     uint32_t slot_count, const th__exalg_part *parts, uint32_t count, bool strict,
                     th__arena *scratch, uint32_t *out, double *score)
{
    enum { SKIP, LEAVE, MATCH };
    size_t wide = slot_count + 1;
    double *best = th__arena_alloc(scratch, wide * (count + 1) * sizeof *best);
    uint8_t *way = th__arena_alloc(scratch, wide * (count + 1));
    if (!best || !way)
        return false;
    best[0] = 0;
    for (uint32_t j = 1; j <= slot_count; j++) {
        best[j] = best[j - 1] + present(slots[j - 1], false, strict);
        way[j] = SKIP;
    }
    for (uint32_t i = 1; i <= count; i++) {
        double left = is_empty(&parts[i - 1]) ? 0
                      : strict                ? STRICT
                                              : LEFT_OUT,
               *row = best + i * wide;
        row[0] = row[-(ptrdiff_t)wide] + left;
        way[i * wide] = LEAVE;
        for (uint32_t j = 1; j <= slot_count; j++) {
            double match = row[(ptrdiff_t)j - 1 - (ptrdiff_t)wide] +
                           present(slots[j - 1], true, strict) +
                           fit(background, slots[j - 1], &parts[i - 1]);
            double skip = row[j - 1] + present(slots[j - 1], false, strict);
            double leave = row[(ptrdiff_t)j - (ptrdiff_t)wide] + left;
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
    return true;
}
