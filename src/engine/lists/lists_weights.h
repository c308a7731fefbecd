/*
 * lists_weights.h: the weights of the model that ranks lists: see lists_model.h.
 *
 * Made by bench/fit_lists.py; do not edit. Fitted on 781 pages of 435 sites.
 */
#ifndef TH_LISTS_WEIGHTS_H
#define TH_LISTS_WEIGHTS_H

/* X(evidence, weight) */
#define TH__LISTS_WEIGHTS(X)                                                                       \
    X(one, -8.403F)                                                                                \
    X(tells, 0.6772F)                                                                              \
    X(count, 0.7923F)                                                                              \
    X(few, -0.2323F)                                                                               \
    X(link, 0.7454F)                                                                               \
    X(linked, 0.5511F)                                                                             \
    X(link_text, -0.8447F)                                                                         \
    X(only_link, 0.7695F)                                                                          \
    X(date, 1.197F)                                                                                \
    X(price, 0.6578F)                                                                              \
    X(number, 0.8396F)                                                                             \
    X(heading, 0.6334F)                                                                            \
    X(image, 0.1182F)                                                                              \
    X(control, -0.4379F)                                                                           \
    X(leaves, -0.2953F)                                                                            \
    X(many, -1.474F)                                                                               \
    X(fields, 1.115F)                                                                              \
    X(text, 0.2858F)                                                                               \
    X(longest, 0.525F)                                                                             \
    X(uneven, -2.096F)                                                                             \
    X(differ, -2.223F)                                                                             \
    X(repeat, 0.521F)                                                                              \
    X(like, 2.693F)                                                                                \
    X(like_tags, -0.4142F)                                                                         \
    X(other_like, 0.1415F)                                                                         \
    X(self, 0.395F)                                                                                \
    X(self_rich, -1.495F)                                                                          \
    X(gap, -0.4408F)                                                                               \
    X(cover, 3.287F)                                                                               \
    X(start, -0.9865F)                                                                             \
    X(aside, -2.967F)                                                                              \
    X(aside_tag, -1.158F)                                                                          \
    X(hidden, -5.217F)                                                                             \
    X(aside_some, -0.4911F)                                                                        \
    X(runs, -0.175F)                                                                               \
    X(regular, -0.5625F)                                                                           \
    X(grid, 2.44F)                                                                                 \
    X(row, 0.7698F)                                                                                \
    X(data_row, 1.092F)                                                                            \
    X(cell, 0.092F)                                                                                \
    X(item, 0.3797F)                                                                               \
    X(phrase, 0.4157F)                                                                             \
    X(block, -0.1252F)                                                                             \
    X(empty, 2.662F)                                                                               \
    X(parents, 0.1802F)                                                                            \
    X(outer, 0.4445F)                                                                              \
    X(outer_count, -0.0358F)                                                                       \
    X(outer_link, -1.54F)                                                                          \
    X(outer_like, 0.08088F)                                                                        \
    X(outer_fields, -0.2043F)                                                                      \
    X(outer_own, -0.1721F)                                                                         \
    X(outer_same, 0.3178F)                                                                         \
    X(outer_sections, -0.08147F)                                                                   \
    X(inner, 0.5247F)                                                                              \
    X(inner_count, -0.2359F)                                                                       \
    X(inner_link, 0.6465F)                                                                         \
    X(inner_like, -0.2563F)                                                                        \
    X(inner_fields, 0.05275F)                                                                      \
    X(inner_own, 0.01643F)                                                                         \
    X(inner_same, -0.9084F)                                                                        \
    X(inner_sections, -0.1854F)                                                                    \
    X(inner_records, -0.1307F)

/* Bias, slope and least of th__confidence. */
#define TH__LISTS_CONFIDENCE                                                                       \
    {                                                                                              \
        0.301, 1.03, 0.5                                                                           \
    }

#endif
