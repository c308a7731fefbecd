/*
 * lists_weights.h: the weights of the model that ranks lists: see lists_model.h.
 *
 * Made by bench/fit_lists.py; do not edit. Fitted on 834 pages of 488 sites.
 */
#ifndef TH_LISTS_WEIGHTS_H
#define TH_LISTS_WEIGHTS_H

/* X(evidence, weight) */
#define TH__LISTS_WEIGHTS(X)                                                                       \
    X(one, -7.395F)                                                                                \
    X(tells, 0.7581F)                                                                              \
    X(count, 0.7956F)                                                                              \
    X(few, -0.1673F)                                                                               \
    X(link, 0.9233F)                                                                               \
    X(linked, 0.5778F)                                                                             \
    X(link_text, -0.5637F)                                                                         \
    X(date, 1.254F)                                                                                \
    X(price, 0.9051F)                                                                              \
    X(number, 0.2609F)                                                                             \
    X(heading, 0.7834F)                                                                            \
    X(control, -1.081F)                                                                            \
    X(leaves, -0.2038F)                                                                            \
    X(many, -1.39F)                                                                                \
    X(fields, 0.9188F)                                                                             \
    X(text, 0.2794F)                                                                               \
    X(longest, 0.3099F)                                                                            \
    X(uneven, -2.163F)                                                                             \
    X(differ, -1.703F)                                                                             \
    X(like, 1.848F)                                                                                \
    X(self, -1.111F)                                                                               \
    X(gap, -0.1649F)                                                                               \
    X(cover, 3.138F)                                                                               \
    X(start, -0.5384F)                                                                             \
    X(aside, -3.093F)                                                                              \
    X(aside_tag, -0.3756F)                                                                         \
    X(hidden, -5.019F)                                                                             \
    X(main, 2.081F)                                                                                \
    X(hidden_some, -3.564F)                                                                        \
    X(runs, -0.122F)                                                                               \
    X(regular, -0.3711F)                                                                           \
    X(grid, 1.701F)                                                                                \
    X(row, 0.5193F)                                                                                \
    X(data_row, 1.564F)                                                                            \
    X(item, 0.5805F)                                                                               \
    X(phrase, 0.3501F)                                                                             \
    X(parents, 0.2698F)                                                                            \
    X(outer, 0.6132F)                                                                              \
    X(outer_link, -2.265F)                                                                         \
    X(outer_fields, -0.002999F)                                                                    \
    X(outer_own, -0.1055F)                                                                         \
    X(outer_same, 0.5619F)                                                                         \
    X(inner, 0.306F)                                                                               \
    X(inner_count, -0.2592F)                                                                       \
    X(inner_link, 1.133F)                                                                          \
    X(inner_same, -0.9203F)                                                                        \
    X(inner_records, -0.2478F)

/* Bias, slope and least of th__confidence. */
#define TH__LISTS_CONFIDENCE                                                                       \
    {                                                                                              \
        0.612, 1.07, 0.5                                                                           \
    }

#endif
