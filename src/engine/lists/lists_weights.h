/*
 * lists_weights.h: the weights of the model that ranks lists: see lists_model.h.
 *
 * Made by bench/fit_lists.py; do not edit. Fitted on 781 pages of 435 sites.
 */
#ifndef TH_LISTS_WEIGHTS_H
#define TH_LISTS_WEIGHTS_H

/* X(evidence, weight) */
#define TH__LISTS_WEIGHTS(X)                                                                       \
    X(tells, 0.554F)                                                                               \
    X(count, 1.392F)                                                                               \
    X(few, -0.5154F)                                                                               \
    X(link, 1.576F)                                                                                \
    X(linked, 0.345F)                                                                              \
    X(link_text, -1.712F)                                                                          \
    X(only_link, 1.288F)                                                                           \
    X(date, 2.366F)                                                                                \
    X(price, 0.6599F)                                                                              \
    X(number, 0.9778F)                                                                             \
    X(heading, 0.3524F)                                                                            \
    X(image, -0.2235F)                                                                             \
    X(control, -0.2337F)                                                                           \
    X(leaves, -0.3567F)                                                                            \
    X(many, -1.733F)                                                                               \
    X(fields, 1.424F)                                                                              \
    X(text, 0.5111F)                                                                               \
    X(longest, 0.8571F)                                                                            \
    X(uneven, -2.891F)                                                                             \
    X(differ, -2.376F)                                                                             \
    X(repeat, -0.1393F)                                                                            \
    X(like, 2.392F)                                                                                \
    X(like_tags, -0.2283F)                                                                         \
    X(other_like, -0.335F)                                                                         \
    X(self, 1.464F)                                                                                \
    X(self_rich, -3.829F)                                                                          \
    X(gap, 0.147F)                                                                                 \
    X(cover, 2.827F)                                                                               \
    X(start, -1.195F)                                                                              \
    X(aside, -3.066F)                                                                              \
    X(aside_tag, -0.3781F)                                                                         \
    X(hidden, -5.622F)                                                                             \
    X(runs, -0.1021F)                                                                              \
    X(regular, -0.3347F)                                                                           \
    X(grid, 3.601F)                                                                                \
    X(row, 0.5193F)                                                                                \
    X(data_row, 1.335F)                                                                            \
    X(cell, -0.1407F)                                                                              \
    X(item, 0.1492F)                                                                               \
    X(phrase, 0.3847F)                                                                             \
    X(block, -0.2995F)                                                                             \
    X(empty, 10.07F)                                                                               \
    X(parents, 0.02419F)                                                                           \
    X(outer, 0.2838F)                                                                              \
    X(outer_count, 0.204F)                                                                         \
    X(outer_link, -1.745F)                                                                         \
    X(outer_like, -0.4765F)                                                                        \
    X(outer_fields, -0.04191F)                                                                     \
    X(outer_own, 0.009973F)                                                                        \
    X(inner, 1.648F)                                                                               \
    X(inner_count, -0.5457F)                                                                       \
    X(inner_link, 0.5228F)                                                                         \
    X(inner_like, -1.182F)                                                                         \
    X(inner_fields, 0.07586F)                                                                      \
    X(inner_own, 0.006047F)                                                                        \
    X(inner_records, -0.3993F)

/* Bias, slope and least of th__confidence. */
#define TH__LISTS_CONFIDENCE                                                                       \
    {                                                                                              \
        0.0183, 0.687, 1.62e+05                                                                    \
    }

#endif
