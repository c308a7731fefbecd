/*
 * tags.h: tag names become numbers.
 *
 * A standard tag has a fixed id below TH_TAG_OTHER; any other name is hashed onto the ids above it.
 * So an id needs no table, means the same on every page, and two unknown names share one with a
 * chance of 1 in 65,000: harmless, since an id only says that two tags look alike.
 */
#ifndef TH_TAGS_H
#define TH_TAGS_H

#include <stdint.h>
#include <thresh.h>

#define TAG_WANT_ENUM
#include "page/tags_table.inc"
#undef TAG_WANT_ENUM

enum { TH_TAG_NONE = 0, TH_TAG_OTHER = 256 };

/* What is known of a tag id: TH_TAG_IS_... */
uint32_t th__tag_flags(uint16_t tag);
/* The id of a name of any case. */
uint16_t th__tag_find(const char *name, size_t len);
/* The same, given the name in lower case as two little-endian words: for the scanner. */
uint16_t th__tag_find_keys(uint64_t first, uint64_t second, const char *name, size_t len);

#endif
