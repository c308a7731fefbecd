/*
 * lists_weights.h: the weights of the model that ranks lists: see lists_model.h.
 *
 * Made by bench/fit_lists.py; do not edit. Fitted on 781 pages of 435 sites.
 */
#ifndef TH_LISTS_WEIGHTS_H
#define TH_LISTS_WEIGHTS_H

/* X(evidence, weight) */
#define TH__LISTS_WEIGHTS(X)                                                                       \
    X(one, -8.452F)                                                                                \
    X(tells, 0.6531F)                                                                              \
    X(count, 0.8058F)                                                                              \
    X(few, -0.2512F)                                                                               \
    X(link, 0.7771F)                                                                               \
    X(linked, 0.5866F)                                                                             \
    X(link_text, -0.4814F)                                                                         \
    X(date, 1.08F)                                                                                 \
    X(price, 0.4663F)                                                                              \
    X(number, 0.5644F)                                                                             \
    X(heading, 0.5674F)                                                                            \
    X(control, -0.3607F)                                                                           \
    X(leaves, -0.2893F)                                                                            \
    X(many, -1.34F)                                                                                \
    X(fields, 1.051F)                                                                              \
    X(text, 0.3162F)                                                                               \
    X(longest, 0.4309F)                                                                            \
    X(uneven, -2.076F)                                                                             \
    X(differ, -2.008F)                                                                             \
    X(like, 1.995F)                                                                                \
    X(self, -1.098F)                                                                               \
    X(gap, -0.3577F)                                                                               \
    X(cover, 3.28F)                                                                                \
    X(start, -0.8159F)                                                                             \
    X(aside, -2.988F)                                                                              \
    X(aside_tag, -0.8527F)                                                                         \
    X(hidden, -5.207F)                                                                             \
    X(main, 1.098F)                                                                                \
    X(aside_some, -0.5477F)                                                                        \
    X(runs, -0.1673F)                                                                              \
    X(regular, -0.5799F)                                                                           \
    X(grid, 2.347F)                                                                                \
    X(row, 0.7517F)                                                                                \
    X(data_row, 0.9518F)                                                                           \
    X(item, 0.4046F)                                                                               \
    X(phrase, 0.4749F)                                                                             \
    X(parents, 0.199F)                                                                             \
    X(outer, 0.5016F)                                                                              \
    X(outer_link, -1.654F)                                                                         \
    X(outer_fields, -0.2008F)                                                                      \
    X(outer_own, -0.1223F)                                                                         \
    X(outer_same, 0.3866F)                                                                         \
    X(inner, 0.3597F)                                                                              \
    X(inner_count, -0.2294F)                                                                       \
    X(inner_link, 0.742F)                                                                          \
    X(inner_same, -0.886F)                                                                         \
    X(inner_records, -0.1583F)

/* Bias, slope and least of th__confidence. */
#define TH__LISTS_CONFIDENCE                                                                       \
    {                                                                                              \
        0.332, 1.04, 0.5                                                                           \
    }

#endif
