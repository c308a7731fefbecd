/* exalg_slots_learn.h: the slots of lines, from the lines of many pages. */
#ifndef TH_EXALG_SLOTS_LEARN_H
#define TH_EXALG_SLOTS_LEARN_H

#include "base/vec.h"
#include "engine/papers/exalg/exalg_lines.h"

/* The parts of one run of lines. */
typedef struct th__exalg_chain {
    th__exalg_part *parts;
    uint32_t count, number; /* parts; its place among the chains */
    th__exalg_slot **slots; /* by part: its slot, or NULL */
    double score;
} th__exalg_chain;

typedef struct th__exalg_slots {
    TH__VEC(th__exalg_slot *) list; /* in order */
    th__exalg_background background;
    double score; /* how well the chains fit, less what the slots cost */
} th__exalg_slots;

/* Slots for the chains, in the arena. False without memory; release in any case. */
bool th__exalg_slots_learn(th__exalg_chain *chains, uint32_t count, th__arena *arena,
                           th__exalg_slots *out);
void th__exalg_slots_release(th__exalg_slots *slots);

#endif
