/*
 * loose.h: texts compared by their letters and digits alone, ASCII letters without case.
 *
 * Labels come from spreadsheets and other tools, which change blanks, quotes and capitals: a value
 * that stands nowhere as written may stand there all the same.
 */
#ifndef TH_LOOSE_H
#define TH_LOOSE_H

#include "base/str.h"

typedef struct th__loose {
    th__buf text;
    size_t *at; /* by byte of it: where it stands in the text that it was made from */
    bool made;
} th__loose;

enum { TH__LOOSE_LEAST = 4 }; /* letters and digits of a value: fewer stand anywhere */

/* False without memory. The caller releases in any case. */
bool th__loose_make(th_str text, th__loose *out);
void th__loose_release(th__loose *loose);
/* The next place of a value from byte *from of loose->text on, as bytes start to end of the text
 * that it was made from, where it stands alone; moves *from behind it. False when there is none. */
bool th__loose_find(const th__loose *loose, th_str text, const th__loose *value, size_t *from,
                    size_t *start, size_t *end);

#endif
