/*
 * datapro.h: DataPro, which learns what the values of a field look like (Lerman and Minton; see
 * Knoblock, Lerman, Minton and Muslea, "Accurately and Reliably Extracting Data from the Web",
 * section 4).
 *
 * The idea. A field is told by how its values begin and end: sequences of tokens and of classes of
 * tokens that are there more often than chance would have it.
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
#include "wrapper/value_forms.h"

enum { TH__DP_PATTERNS_MAX = TH__FORMS_MAX }; /* those with the highest counts are kept */

#define TH__DP_ALPHA 0.05

/* The chance of a class in the text of pages. */
double th__dp_chance(unsigned cls);

/* The significant beginnings (or endings) of values, in the arena. False if out of memory. */
bool th__datapro(const th__dp_value *values, size_t count, bool endings, th__arena *arena,
                 th__forms *out);

#endif
