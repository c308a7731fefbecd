/* note.h: what kind of value a text looks like. A light hint: it never alters the value. */
#ifndef TH_NOTE_H
#define TH_NOTE_H

#include <thresh.h>

#include "base/key_map.h"
#include "base/vec.h"

/* The note of one text: TH_NOTE_TEXT unless the whole text has the form of something else. */
th_note th__note_of(th_str text);

/* Returns true for words that change with time: names of months and weekdays, "ago", "hours". */
bool th__is_time_word(th_str word);

/* Of one field. */
typedef struct th__note_count {
    th_type *type;
    uint32_t values, numbers, prices, dates;
} th__note_count;

/* What the values of fields look like that have no note yet. Begin with {0}. */
typedef struct th__note_counts {
    th__key_map numbers; /* by the address of a field's type: 1 + its place in the list */
    TH__VEC(th__note_count) list;
} th__note_counts;

/* Counts the values of records. False if out of memory. */
bool th__notes_count(th__note_counts *counts, const th_records *records);
/* Notes fields of which four in five values are numbers, prices or dates: the schema must not be in
 * use elsewhere yet. Releases the counts. */
void th__notes_settle(th__note_counts *counts);

#endif
