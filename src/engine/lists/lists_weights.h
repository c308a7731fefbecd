/*
 * lists_weights.h: the weights of the model that ranks lists: see lists_model.h.
 *
 * Made by bench/fit_lists.py; do not edit. Fitted on 835 pages of 489 sites.
 */
#ifndef TH_LISTS_WEIGHTS_H
#define TH_LISTS_WEIGHTS_H

/* X(evidence, weight) */
#define TH__LISTS_WEIGHTS(X)                                                                       \
    X(one, -7.324F)                                                                                \
    X(tells, 0.7454F)                                                                              \
    X(count, 0.7795F)                                                                              \
    X(few, -0.256F)                                                                                \
    X(link, 0.9428F)                                                                               \
    X(linked, 0.6247F)                                                                             \
    X(link_text, -0.6744F)                                                                         \
    X(date, 1.329F)                                                                                \
    X(price, 0.9419F)                                                                              \
    X(number, 0.3414F)                                                                             \
    X(heading, 0.7627F)                                                                            \
    X(control, -0.9859F)                                                                           \
    X(leaves, -0.193F)                                                                             \
    X(many, -1.337F)                                                                               \
    X(fields, 0.9125F)                                                                             \
    X(text, 0.2625F)                                                                               \
    X(longest, 0.3011F)                                                                            \
    X(uneven, -2.15F)                                                                              \
    X(differ, -1.582F)                                                                             \
    X(like, 1.817F)                                                                                \
    X(self, -1.093F)                                                                               \
    X(gap, -0.2578F)                                                                               \
    X(cover, 3.214F)                                                                               \
    X(start, -0.5684F)                                                                             \
    X(aside, -3.019F)                                                                              \
    X(aside_tag, -0.4796F)                                                                         \
    X(hidden, -4.926F)                                                                             \
    X(main, 2.088F)                                                                                \
    X(hidden_some, -3.474F)                                                                        \
    X(runs, -0.3279F)                                                                              \
    X(regular, -0.2323F)                                                                           \
    X(grid, 1.759F)                                                                                \
    X(row, 0.731F)                                                                                 \
    X(data_row, 1.361F)                                                                            \
    X(item, 0.5414F)                                                                               \
    X(phrase, 0.5078F)                                                                             \
    X(parents, 0.2783F)                                                                            \
    X(outer, 0.7009F)                                                                              \
    X(outer_link, -2.086F)                                                                         \
    X(outer_fields, -0.07516F)                                                                     \
    X(outer_own, -0.1125F)                                                                         \
    X(outer_same, 0.4842F)                                                                         \
    X(inner, 0.1861F)                                                                              \
    X(inner_count, -0.247F)                                                                        \
    X(inner_link, 1.153F)                                                                          \
    X(inner_same, -0.9079F)                                                                        \
    X(inner_records, -0.2417F)

/* Bias, slope and least of th__confidence. */
#define TH__LISTS_CONFIDENCE                                                                       \
    {                                                                                              \
        0.415, 1.01, 0.5                                                                           \
    }

#endif
