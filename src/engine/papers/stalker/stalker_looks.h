/*
 * stalker_looks.h: what values look like: how long they are, what they begin and end with, which
 * classes of tokens they are made of.
 */
#ifndef TH_STALKER_LOOKS_H
#define TH_STALKER_LOOKS_H

#include <thresh.h>

enum { TH__LOOKS_MOST = 32 }; /* values that are remembered: more look like these */

typedef struct th__look {
    uint32_t classes;    /* bit c: a token of class c is in it */
    uint8_t first, last; /* classes */
    uint16_t tokens;     /* how many, blanks not counted */
} th__look;

typedef struct th__looks {
    th__look values[TH__LOOKS_MOST];
    uint32_t count;
    uint32_t first_classes; /* bit c: a value begins with a token of class c */
} th__looks;

th__look th__look_at(const th_page *page, th_span span);
void th__looks_add(th__looks *looks, const th_page *page, th_span span);
/* How much a text looks like the most like of them, 0 to 1. */
double th__looks_alike(const th__looks *looks, const th_page *page, th_span span);

#endif
