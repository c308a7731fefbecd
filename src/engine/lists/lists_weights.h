/*
 * lists_weights.h: the weights of the model that ranks lists: see lists_model.h.
 *
 * Made by bench/fit_lists.py; do not edit. Fitted on 781 pages of 435 sites.
 */
#ifndef TH_LISTS_WEIGHTS_H
#define TH_LISTS_WEIGHTS_H

/* X(evidence, weight) */
#define TH__LISTS_WEIGHTS(X)                                                                       \
    X(one, -12.14F)                                                                                \
    X(tells, 0.3576F)                                                                              \
    X(count, 1.11F)                                                                                \
    X(few, -0.8231F)                                                                               \
    X(link, 1.289F)                                                                                \
    X(linked, 0.186F)                                                                              \
    X(link_text, -1.495F)                                                                          \
    X(only_link, 1.641F)                                                                           \
    X(date, 1.695F)                                                                                \
    X(price, 0.583F)                                                                               \
    X(number, 0.8838F)                                                                             \
    X(heading, 0.8494F)                                                                            \
    X(image, 0.01753F)                                                                             \
    X(control, -0.8709F)                                                                           \
    X(leaves, -0.4557F)                                                                            \
    X(many, -1.943F)                                                                               \
    X(fields, 1.618F)                                                                              \
    X(text, 0.5654F)                                                                               \
    X(longest, 0.8102F)                                                                            \
    X(uneven, -3.451F)                                                                             \
    X(differ, -2.377F)                                                                             \
    X(repeat, 0.07062F)                                                                            \
    X(like, 3.242F)                                                                                \
    X(like_tags, -1.165F)                                                                          \
    X(other_like, -0.7425F)                                                                        \
    X(self, 1.447F)                                                                                \
    X(self_rich, -3.505F)                                                                          \
    X(gap, -0.3692F)                                                                               \
    X(cover, 3.371F)                                                                               \
    X(start, -1.693F)                                                                              \
    X(aside, -3.866F)                                                                              \
    X(aside_tag, -0.6535F)                                                                         \
    X(hidden, -5.938F)                                                                             \
    X(runs, -0.1156F)                                                                              \
    X(regular, -0.6848F)                                                                           \
    X(grid, 3.448F)                                                                                \
    X(row, 0.5612F)                                                                                \
    X(data_row, 2.292F)                                                                            \
    X(cell, 0.06791F)                                                                              \
    X(item, 0.4197F)                                                                               \
    X(phrase, 0.6491F)                                                                             \
    X(block, -0.1822F)                                                                             \
    X(empty, 3.732F)                                                                               \
    X(parents, 0.1196F)                                                                            \
    X(outer, 0.271F)                                                                               \
    X(outer_count, 0.2712F)                                                                        \
    X(outer_link, -2.273F)                                                                         \
    X(outer_like, -0.1635F)                                                                        \
    X(outer_fields, 0.09852F)                                                                      \
    X(outer_own, -0.1784F)                                                                         \
    X(outer_same, 0.2242F)                                                                         \
    X(inner, 1.579F)                                                                               \
    X(inner_count, -0.5119F)                                                                       \
    X(inner_link, 0.9578F)                                                                         \
    X(inner_like, -0.6922F)                                                                        \
    X(inner_fields, 0.06579F)                                                                      \
    X(inner_own, 0.07576F)                                                                         \
    X(inner_same, -1.505F)                                                                         \
    X(inner_records, -0.2007F)

/* Bias, slope and least of th__confidence. */
#define TH__LISTS_CONFIDENCE                                                                       \
    {                                                                                              \
        0.267, 0.766, 0.5                                                                          \
    }

#endif
