/* mdr_class.h: the classes of an element. */
#ifndef TH_MDR_CLASS_H
#define TH_MDR_CLASS_H

#include "base/str.h"
#include "page/page.h"

enum { TH__MDR_MAX_CLASSES = 8 }; /* of one element; what is behind them is not looked at */

typedef struct th__mdr_classes {
    th_str word[TH__MDR_MAX_CLASSES];
    unsigned count;
} th__mdr_classes;

/* The words of a text, borrowed from it. */
th__mdr_classes th__mdr_words(th_str text);
/* The classes of a node, borrowed from the page. */
th__mdr_classes th__mdr_classes_of(const th_page *page, uint32_t node);

/* How many of a are in b. */
unsigned th__mdr_classes_shared(const th__mdr_classes *a, const th__mdr_classes *b);
/* Leaves in a what is in b as well. */
void th__mdr_classes_intersect(th__mdr_classes *a, const th__mdr_classes *b);

/* Whether at least half of the shorter list is in the longer, and neither is empty. */
bool th__mdr_classes_alike(const th__mdr_classes *a, const th__mdr_classes *b);

#endif
