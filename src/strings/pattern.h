/*
 * pattern.h: patterns with options and alternatives over strings of numbers.
 *
 * IEPAD's generalized patterns, a subclass of regular expressions without repetition: a row of
 * columns, each a set of symbols, one of which stands there; an optional column may be left out.
 *
 *     adc[x|-]b[d|-]      matches adcb, adcxb, adcbd and adcxbd
 */
#ifndef TH_PATTERN_H
#define TH_PATTERN_H

#include <thresh.h>

#include "base/arena.h"
#include "base/str.h"
#include "strings/edit.h"

enum {
    TH__PATTERN_MAX = 4095, /* columns */
    TH__COLUMN_MAX = 256,   /* alternatives in one column */
};

typedef struct th__pattern_column {
    uint32_t first, count; /* its symbols are pattern->symbols[first ..], rising */
    bool optional;
} th__pattern_column;

typedef struct th__pattern {
    th__arena *arena; /* of all it has */
    th__pattern_column *columns;
    uint32_t *symbols;
    uint32_t len, symbol_count, column_cap, symbol_cap;
} th__pattern;

/* One without columns. */
static inline th__pattern th__pattern_in(th__arena *arena)
{
    return (th__pattern){.arena = arena};
}

/* One more column at the end. The symbols need not be in order; doubles are dropped. */
th_status th__pattern_add(th__pattern *pattern, const uint32_t *symbols, uint32_t count,
                          bool optional, th_error *err);
/* Appends columns that match one string alone. */
th_status th__pattern_add_string(th__pattern *pattern, const uint32_t *symbols, uint32_t count,
                                 th_error *err);

/* A copy in which column `by` is the first: c1 .. cn become c(by+1) .. cn c1 .. c(by). False
 * if out of memory. */
bool th__pattern_turned(const th__pattern *pattern, uint32_t by, th__arena *arena,
                        th__pattern *out);

/* Makes abab into ab: a pattern that is the power of a shorter one becomes that one. */
void th__pattern_cut_power(th__pattern *pattern);
/* Returns true if the column is one symbol that is always there; gives it. */
bool th__column_fixed(const th__pattern *pattern, uint32_t column, uint32_t *symbol);
bool th__column_has(const th__pattern *pattern, uint32_t column, uint32_t symbol);
/* How many columns are not fixed. */
uint32_t th__pattern_loose(const th__pattern *pattern);

/* Appends the pattern as the paper writes it; `name` appends one symbol. */
typedef void (*th__symbol_name)(const void *context, uint32_t symbol, th__buf *out);
void th__pattern_print(const th__pattern *pattern, th__symbol_name name, const void *context,
                       th__buf *out);

/* ---- matching ----------------------------------------------------------------------------- */

/* A pattern made ready to be looked for. Immutable, but for its working memory: one thread. */
typedef struct th__matcher {
    th__arena *arena;
    uint32_t len, words;  /* columns; words of a set of states 0 .. len */
    uint64_t *block_from; /* states before a run of optional columns, */
    uint64_t *block_in;   /* those inside and behind it, */
    uint64_t *block_end;  /* and the one behind it */
    uint64_t *start;      /* states before the first symbol */
    uint32_t *keys;       /* open addressing: symbol, or none */
    uint64_t *masks;      /* by slot: columns that have the symbol */
    uint32_t slot_count;
    uint64_t *sets; /* working memory: sets of states */
    size_t set_cap;
} th__matcher;

/* In the arena. False if out of memory. */
bool th__matcher_init(th__matcher *matcher, const th__pattern *pattern, th__arena *arena);

/* The length of the longest match that starts at `at`; 0 for none (an empty match is none). */
uint32_t th__matcher_longest(th__matcher *matcher, const uint32_t *symbols, size_t len, size_t at);

/*
 * The first match at or after `from`, the longest of those that start there: false for none. Going
 * on behind each match takes time in the order of len x columns x columns / 64 at worst, and of len
 * where matches are rarely begun in vain.
 */
bool th__matcher_next(th__matcher *matcher, const uint32_t *symbols, size_t len, size_t from,
                      size_t *start, uint32_t *match_len);

/* How many symbols from `at` on can be the beginning of a match, and in *columns how many columns
 * they take at least. */
uint32_t th__matcher_prefix(th__matcher *matcher, const uint32_t *symbols, size_t len, size_t at,
                            uint32_t *columns);

/* Which column each of the `len` symbols of a match stands for: the leftmost that leads to the end.
 * `end` is the number of columns that are matched: all, or what th__matcher_prefix gave.
 * TH_ERR_ARGUMENT when the symbols do not match. */
th_status th__matcher_columns(th__matcher *matcher, const uint32_t *symbols, uint32_t len,
                              uint32_t end, uint32_t *columns, th_error *err);

/* ---- alignment ---------------------------------------------------------------------------- */

#define TH__NO_COLUMN UINT32_MAX

enum { TH__PATTERN_MAX_CELLS = 1 << 24 }; /* of the table of one alignment */

/*
 * The same for symbols that need not match: as few symbols without a column, and columns that must
 * be there without a symbol, as can be; the leftmost columns among equals. A symbol that has none
 * gets TH__NO_COLUMN. Of a string so long that the table would be too large the rest gets none.
 * Time is len x columns.
 */
th_status th__pattern_align(const th__pattern *pattern, const uint32_t *symbols, uint32_t len,
                            uint32_t *columns, th_error *err);

/* ---- many strings aligned into columns (center_star.c) -------------------------------------- */

#define TH__STAR_GAP UINT32_MAX

enum { TH__STAR_MAX_CELLS = 1 << 24 }; /* rows x columns */

typedef struct th__star {
    uint32_t *cells;     /* rows x width: a position in the row's string, or GAP */
    uint32_t width;      /* columns */
    uint32_t rows;       /* equal strings share a row */
    uint32_t *row_of;    /* by string */
    uint32_t *string_of; /* by row: the first string that has it */
    uint32_t *weight;    /* by row: how many strings have it */
    uint32_t count;      /* strings */
    uint32_t center;     /* row of the center */
} th__star;

typedef struct th__star_options {
    /* The center is sought among so many different strings, the most frequent ones (0: all). All
     * pairs of them are compared, so without a limit the time is quadratic in their number. */
    uint32_t candidates;
    /* Strings farther than this from the center are an error, TH_ERR_LIMIT (0: no bound). */
    uint32_t max_distance;
} th__star_options;

/* Aligns strings, in the arena. */
th_status th__star_align(th__star *out, const th__symbols *strings, uint32_t count,
                         const th__star_options *options, th__arena *arena, th_error *err);

/* The pattern that matches every aligned string: a column has the symbols of its rows, and is
 * optional where a row has a gap. Appended to *out. */
th_status th__star_pattern(const th__star *star, const th__symbols *strings, th__pattern *out,
                           th_error *err);

#endif
