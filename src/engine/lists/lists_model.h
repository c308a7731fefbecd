/*
 * lists_model.h: which of a page's lists is the one that a reader came for.
 *
 * Each candidate is described by evidence, numbers that say what its records are like and what is
 * around them; a small model fitted on real pages (bench/fit_lists.py) makes a score of it. Nothing
 * else ranks lists.
 */
#ifndef TH_LISTS_MODEL_H
#define TH_LISTS_MODEL_H

#include "engine/lists/lists_groups.h"
#include "engine/lists/lists_weights.inc"

/* The evidence, X(name). The names are for the fitting script and for those who read its table. */
#define TH__LISTS_EVIDENCE(X)                                                                      \
    X(one)         /* 1: so that the poorest of main lists score 1 */                              \
    X(tells)       /* log of the score of its group, against the best group of the page */         \
    X(count)       /* log2(1 + records) */                                                         \
    X(few)         /* 1: two records, 2: one */                                                    \
    X(link)        /* share of records with a link that no other record has */                     \
    X(linked)      /* share of records with a link */                                              \
    X(link_text)   /* share of text in links */                                                    \
    X(date)        /* share of records with a date */                                              \
    X(price)       /* share of records with a price */                                             \
    X(number)      /* share of records with a number by itself */                                  \
    X(heading)     /* share of records with a heading */                                           \
    X(control)     /* share of records with a control of a form and without a link of their own */ \
    X(leaves)      /* log2(1 + texts per record) */                                                \
    X(many)        /* how far that is above 16 texts */                                            \
    X(fields)      /* log2(1 + keys that half of the records have) */                              \
    X(text)        /* log2(1 + bytes per record) */                                                \
    X(longest)     /* log2(1 + bytes of the longest text), mean */                                 \
    X(uneven)      /* standard deviation of bytes against the mean */                              \
    X(differ)      /* share of different values in common fields */                                \
    X(like)        /* likeness of neighbours by keys */                                            \
    X(self)        /* likeness of the parts of a record that have several texts */                 \
    X(gap)         /* share of texts between its records that are in none */                       \
    X(cover)       /* share of the page's text */                                                  \
    X(start)       /* share of the page's texts before it */                                       \
    X(aside)       /* records in what calls itself navigation, sidebar, ...: see aside_at */       \
    X(aside_tag)   /* share of records in nav, aside, footer, header */                            \
    X(hidden)      /* share of records in what is not shown */                                     \
    X(main)        /* share of records in main */                                                  \
    X(hidden_some) /* some records are, and some are not */                                        \
    X(runs)        /* records of several elements */                                               \
    X(regular)     /* the same number of elements each */                                          \
    X(grid)        /* records of a grid */                                                         \
    X(row)         /* records are tr */                                                            \
    X(data_row)    /* rows of data tables with a header */                                         \
    X(item)        /* records are li */                                                            \
    X(phrase)      /* records are p, h1, ..., a, span */                                           \
    X(parents)     /* log2 of parents of records */                                                \
    X(outer)       /* of a list in its records: share of their text */                             \
    X(outer_link)  /* its link */                                                                  \
    X(outer_fields)  /* its fields */                                                              \
    X(outer_own)     /* texts per record outside of it, log2(1 + .) */                             \
    X(outer_same)    /* share of its records that hold as many as the first one */                 \
    X(inner)         /* of a list whose records hold several: share of its text */                 \
    X(inner_count)   /* log2 of records per record of it */                                        \
    X(inner_link)    /* its link */                                                                \
    X(inner_same)    /* share of its records that hold as many as the first one */                 \
    X(inner_records) /* log2(1 + its records) */

#define TH__LISTS_COUNT(name) +1
enum { TH__LISTS_FEATURES = 0 TH__LISTS_EVIDENCE(TH__LISTS_COUNT) };

typedef struct th__lists_evidence {
#define TH__LISTS_MEMBER(name) float name;
    TH__LISTS_EVIDENCE(TH__LISTS_MEMBER)
} th__lists_evidence;

/* Finds the evidence of each region, whose score is that of its group, and scores it by that: exp
 * of the sum of evidence times weights. Weights that are NULL are those of lists_weights.inc. False
 * if out of memory. */
bool th__lists_score(const th__view *view, const th__lists_evidence *weights,
                     th__lists_region *regions, uint32_t count, th__lists_evidence *evidence);

#endif
