/* note.h: what kind of value a text looks like. A light hint: it never alters the value. */
#ifndef TH_NOTE_H
#define TH_NOTE_H

#include <thresh.h>

/* The note of one text: TH_NOTE_TEXT unless the whole text has the form of something else. */
th_note th__note_of(th_str text);

/* Returns true for words that change with time: names of months and weekdays, "ago", "hours". */
bool th__is_time_word(th_str word);

#endif
