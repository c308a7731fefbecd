/*
 * tags.h: tag names become numbers.
 *
 * A standard tag has a fixed id below TH_TAG_OTHER; any other name is hashed onto the ids above it.
 * So an id needs no table, means the same on every page, and two unknown names share one with a
 * chance of 1 in 65,000: harmless, since an id only says that two tags look alike. Of an endless
 * name the beginning counts, so that rules need keep no more of it.
 */
#ifndef TH_TAGS_H
#define TH_TAGS_H

#include <stdint.h>
#include <thresh.h>

#define TAG_WANT_ENUM
#include "page/tags_table.inc"
#undef TAG_WANT_ENUM

enum { TH_TAG_NONE = 0, TH_TAG_OTHER = 256 };
/* Bytes of a name that count, and a little less where they would end inside of a character. */
enum { TH__TAG_LONGEST = 256 };

/* By tag id: the name as two little-endian words, the same of a name of up to 8 letters as one (all
 * ones for a longer name, and for none), and TH_TAG_IS_... By hash: tag id, or 0. */
extern const uint64_t th__tag_keys[TAG_COUNT][2];
extern const uint64_t th__tag_short[TAG_COUNT];
extern const uint32_t th__tag_bits[TAG_COUNT];
extern const uint8_t th__tag_slots[1 << TAG_SLOTS_LOG2];

/* What is known of a tag id: TH_TAG_IS_... */
static inline uint32_t th__tag_flags(uint16_t tag)
{
    return th__tag_bits[tag < TAG_COUNT ? tag : TH_TAG_NONE];
}

/* Returns true if an element is phrasing: it flows in the text of its parent, as images do as far
 * as text is concerned, and as browsers show a name that is not a standard one. */
static inline bool th__tag_is_phrasing(uint16_t tag)
{
    return tag == TH_TAG_IMG || !(th__tag_flags(tag) & TH_TAG_IS_BLOCK);
}

/* The cells of a row of a table. */
static inline bool th__tag_is_cell(uint16_t tag)
{
    return tag == TH_TAG_TD || tag == TH_TAG_TH;
}

/* Phrasing, and a line break flows too: for those who read a text over several lines. */
static inline bool th__tag_flows(uint16_t tag)
{
    return tag == TH_TAG_BR || th__tag_is_phrasing(tag);
}

/* The same, and it holds nothing but words: neither an image, a field nor another page. */
static inline bool th__tag_is_wording(uint16_t tag)
{
    return th__tag_is_phrasing(tag) && tag != TH_TAG_IMG && tag != TH_TAG_INPUT &&
           tag != TH_TAG_SELECT && tag != TH_TAG_TEXTAREA && tag != TH_TAG_BUTTON &&
           tag != TH_TAG_IFRAME && tag != TH_TAG_OBJECT;
}

/* The id of a name of any case. */
uint16_t th__tag_find(const char *name, size_t len);
/* What of a name counts: it has the same id. */
th_str th__tag_counted(th_str name);

/* Where a name of two words may be in the table. */
static inline uint16_t th__tag_slot(uint64_t first, uint64_t second)
{
    return th__tag_slots[(first + second * 31) * TAG_MULTIPLIER >> (64 - TAG_SLOTS_LOG2)];
}

/* The id of a standard tag, given its name in lower case as two little-endian words; else NONE. */
static inline uint16_t th__tag_find_standard(uint64_t first, uint64_t second)
{
    uint16_t tag = th__tag_slot(first, second);
    return th__tag_keys[tag][0] == first && th__tag_keys[tag][1] == second ? tag : TH_TAG_NONE;
}

#endif
