/* growth.h: what a byte costs in each stage of the page model, over inputs of any size. */
#ifndef TH_GROWTH_H
#define TH_GROWTH_H

#include "hostile.h"

enum { GROWTH_STAGES = 5, GROWTH_ALL = -1 };
/* scan, parse (decode, scan and tree), attributes, text of the document, fine tokens */
extern const char *const growth_stages[GROWTH_STAGES];

struct growth; /* working memory */
struct growth *growth_new(void);
void growth_free(struct growth *growth);

/*
 * Runs one stage, or all, `runs` times over `size` bytes of an input and lowers best[stage] to the
 * nanoseconds a byte that the fastest took; 0 in best stands for "not yet". Times are those of the
 * processor, so that other programs disturb little; a short run is repeated until `least` seconds
 * have passed. Each run finds the input out of the caches, as a large one always is. False without
 * memory.
 */
bool growth_measure(struct growth *growth, const struct hostile *input, size_t size, int stage,
                    int runs, double least, double best[GROWTH_STAGES]);

/* What it costs to read a byte of that many from memory; 0 without memory. */
double growth_read_cost(struct growth *growth, size_t size);

#endif
