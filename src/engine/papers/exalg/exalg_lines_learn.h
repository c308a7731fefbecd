/* exalg_lines_learn.h: what the two halves of learning lines share: reading them
 * (exalg_lines_learn.c) and finding the slots of what was read (exalg_lines_slots.c). */
#ifndef TH_EXALG_LINES_LEARN_H
#define TH_EXALG_LINES_LEARN_H

#include "engine/papers/exalg/exalg_draft.h"
#include "engine/papers/exalg/exalg_slots_learn.h"

/* Slots are learnt from so many elements at most: more say the same. */
enum { TH__EXALG_MOST_RUNS = 64 };

/* The lines of one element. */
typedef struct th__exalg_run {
    th__exalg_part *parts; /* as read */
    uint32_t count;
    th__exalg_part *folded; /* rows of a set as one part */
    uint32_t folded_count;
} th__exalg_run;

/* The work on the lines of one role. */
typedef struct th__exalg_line_finder {
    th__exalg_learner *l;
    uint32_t index; /* the draft */
    th__arena arena;
    th__exalg_lines lines;
    th__exalg_run *runs; /* by instance */
    th__exalg_slots slots;
} th__exalg_line_finder;

static inline const th__exalg_draft *th__exalg_draft_of(const th__exalg_line_finder *f)
{
    return &f->l->drafts.data[f->index];
}

/* Finds slots for runs whose labels are told, and adds their drafts. *found: there are any. */
bool th__exalg_find_line_slots(th__exalg_line_finder *f, bool *found);

#endif
