/* nearest.h: the part of a text that is most like another. */
#ifndef TH_NEAREST_H
#define TH_NEAREST_H

#include <thresh.h>

enum {
    TH__NEAREST_PATTERN = 64,   /* bytes of the value that are compared: the bits of a word */
    TH__NEAREST_TEXT = 1 << 20, /* bytes of the text that are searched */
};

/* Where in text the part most like `value` starts and ends, in whole words; false when nothing is
 * even half like it. Time: the length of the text, whatever the value. */
bool th__nearest(th_str text, th_str value, size_t *start, size_t *end);

#endif
