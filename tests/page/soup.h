/* soup.h: bad pages, random and fixed. */
#ifndef TH_SOUP_H
#define TH_SOUP_H

#include "base/str.h"

/* Appends `pieces` random tags, texts and odd bits of markup; the same for the same seed. */
void soup_make(th__buf *out, uint64_t seed, size_t pieces);

/* A page with a bit of everything that is hard. */
extern const char soup_nasty[];

#endif
