/*
 * datapro.h: DataPro, which learns what the values of a field look like (Lerman and Minton; see
 * Knoblock, Lerman, Minton and Muslea, "Accurately and Reliably Extracting Data from the Web",
 * section 4).
 *
 * The idea. A field is told by how its values begin and end: sequences of tokens and of classes of
 * tokens that stand there more often than chance would have it.
 *
 *     12 Pico St.    512 Oak Blvd.    416 Main St.    97 Adams Blvd.
 *
 *     begin with  _Number_ _Capitalized_          end with  Blvd.  or  St.
 *
 * A prefix tree grows from the root, which is all values. A child is one more token, or one more
 * class; it is kept when so many of its parent's values go on that way that chance explains it with
 * a probability of at most alpha: the exact tail of a binomial. Children are looked at from the
 * specific to the general, each on the values that none before it has taken: "New _Capitalized_" is
 * kept beside "New York" and "New Haven" only when significantly more values have it than these
 * two. When the tree is grown, a node is a pattern if the values that stop at it are still
 * significantly many.
 *
 * What the paper leaves open, and how we decide it:
 *
 *  - The chance of a class is what it is in the visible text of web pages at large, a fixed table
 *    (measured on 48,000 tokens of 30 pages). The share among the field's own tokens would hold
 *    every field of one class ("John Smith") for chance.
 *  - The chance of a token is its share among the field's tokens elsewhere than at this place, with
 *    Laplace's correction, and at most half of its class's.
 *  - A value goes on into one child, the most specific one, so that the patterns part the values:
 *    their counts are the distribution that verification compares.
 *  - Values of more than three tokens are described by their first half and their last half: no
 *    token is told twice. At most TH__DP_DEPTH tokens at each end count.
 *  - What a single value does is no pattern.
 *
 * Cost: values x depth x log values (each level sorts the values of a node).
 */
#ifndef TH_DATAPRO_H
#define TH_DATAPRO_H

#include <thresh.h>

#include "base/arena.h"
#include "base/str.h"
#include "wrapper/profile.h"

enum {
    TH__DP_DEPTH = TH__FORM_DEPTH,      /* tokens of a pattern at most */
    TH__DP_WINDOW = 48,                 /* bytes at each end of a long value that are looked at */
    TH__DP_PATTERNS_MAX = TH__FORMS_MAX /* those with the highest counts are kept */
};

#define TH__DP_ALPHA 0.05

/* A token of a value. */
typedef struct th__dp_token {
    uint64_t hash; /* of its text */
    th_str text;
    uint8_t cls; /* one of DataPro's classes: see th__dp_class */
} th__dp_token;

/* What of a value counts: its first tokens, and its last ones from the end backwards. */
typedef struct th__dp_value {
    th__dp_token head[TH__DP_DEPTH], tail[TH__DP_DEPTH];
    uint8_t heads, tails;
    uint32_t tokens; /* that it has; of a long value those that were looked at */
} th__dp_value;

/* Reads a value; its tokens are views of text. */
void th__dp_split(th_str text, th__dp_value *out);

/* The class that DataPro takes a leaf of the lattice for: words with a capital are CAPITALIZED
 * unless they are ALLCAPS, as in the paper. */
uint8_t th__dp_class(unsigned leaf);
/* The chance of a class in the text of pages. */
double th__dp_chance(unsigned cls);

/* The significant beginnings (or endings) of values, in the arena. False without memory. */
bool th__datapro(const th__dp_value *values, size_t count, bool endings, th__arena *arena,
                 th__forms *out);

/* Whether a value has a pattern. */
bool th__dp_has(const th__dp_value *value, const th__form *pattern, bool endings);

#endif
