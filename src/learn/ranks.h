/* ranks.h: which engines are tried, and in which order. */
#ifndef TH_RANKS_H
#define TH_RANKS_H

typedef enum th__rank {
    TH__RANK_LISTS,  /* those that find lists, as they find records rightly without labels */
    TH__RANK_LABELS, /* those that learn to read the records of a list from labels */
} th__rank;

/* Their names, the best first, NULL at the end. Static. */
const char *const *th__engine_names(th__rank rank);

#endif
