/* iepad.h: IEPAD: record patterns of a page, and rules made of them. iepad.c explains the paper. */
#ifndef TH_IEPAD_H
#define TH_IEPAD_H

#include <jansson.h>

#include "base/arena.h"
#include "base/json_out.h"
#include "base/key_map.h"
#include "base/str.h"
#include "base/trace.h"
#include "base/vec.h"
#include "engine/regions.h"
#include "page/page.h"
#include "strings/edit.h"
#include "wrapper/rule_table.h"

/* ---- patterns with options and alternatives (iepad_align.c) ------------------------------------
 *
 * The paper's generalized patterns, a subclass of regular expressions without repetition: a row of
 * columns, each a set of symbols, one of which occurs; an optional column may be left out.
 *
 *     adc[x|-]b[d|-]      matches adcb, adcxb, adcbd and adcxbd
 */
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

/* A copy in which column `by` is the first: c1 .. cn become c(by+1) .. cn c1 .. c(by). False
 * if out of memory. */
bool th__pattern_turned(const th__pattern *pattern, uint32_t by, th__arena *arena,
                        th__pattern *out);

/* Makes abab into ab: a pattern that is the power of a shorter one becomes that one. */
void th__pattern_cut_power(th__pattern *pattern);
/* Returns true if the column is one symbol that is always there; gives it. */
bool th__column_fixed(const th__pattern *pattern, uint32_t column, uint32_t *symbol);
bool th__column_has(const th__pattern *pattern, uint32_t column, uint32_t symbol);

/* Appends the pattern as the paper writes it; `name` appends one symbol. */
typedef void (*th__symbol_name)(const void *context, uint32_t symbol, th__buf *out);
void th__pattern_print(const th__pattern *pattern, th__symbol_name name, const void *context,
                       th__buf *out);

/* ---- matching ----------------------------------------------------------------------------- */

/* A pattern made ready to be looked for. Immutable, but for its working memory: one thread. */
typedef struct th__matcher {
    uint32_t len, words;  /* columns; words of a set of states 0 .. len */
    uint64_t *block_from; /* states before a run of optional columns, */
    uint64_t *block_in;   /* those inside and after it, */
    uint64_t *block_end;  /* and the one after it */
    uint64_t *start;      /* states before the first symbol */
    uint64_t firsts;      /* symbols that a match can begin with, by their number modulo 64 */
    th__key_map numbers;  /* of the pattern's symbols, from 1 */
    uint64_t *masks;      /* by number: columns that have the symbol */
    uint64_t *sets;       /* working memory: two sets of states */
} th__matcher;

/* In the arena. False if out of memory. */
bool th__matcher_init(th__matcher *matcher, const th__pattern *pattern, th__arena *arena);

/* The length of the longest match that starts at `at`; 0 for none (an empty match is none). */
uint32_t th__matcher_longest(th__matcher *matcher, const uint32_t *symbols, size_t len, size_t at);

/* How many symbols from `at` on can be the beginning of a match, and in *columns how many columns
 * they take at least. */
uint32_t th__matcher_prefix(th__matcher *matcher, const uint32_t *symbols, size_t len, size_t at,
                            uint32_t *columns);

/* ---- alignment ---------------------------------------------------------------------------- */

#define TH__NO_COLUMN UINT32_MAX

enum { TH__PATTERN_MAX_CELLS = 1 << 24 }; /* of the table of one alignment */

/*
 * Which column each of the `len` symbols belongs to: as few symbols without a column, and columns
 * that must be there without a symbol, as can be; the leftmost columns among equals. A symbol that
 * has none gets TH__NO_COLUMN. If the table would be too large, so does the end of the string.
 * Time is len x columns.
 */
th_status th__pattern_align(const th__pattern *pattern, const uint32_t *symbols, uint32_t len,
                            uint32_t *columns, th_error *err);

/* ---- strings aligned into columns ---------------------------------------------------------- */

/* One column of an alignment: positions in a and b, or NONE beside an inserted symbol. */
typedef struct th__edit_pair {
    uint32_t a, b;
} th__edit_pair;

#define TH__EDIT_NONE UINT32_MAX

enum { TH__EDIT_MAX_CELLS = 1 << 26 }; /* of the table of one alignment, one byte each */

/*
 * A cheapest alignment of a and b: *count pairs into `pairs`, which has room for a.len + b.len.
 * Among the cheapest it prefers, from the left, pairs to symbols of `a` alone, and those to symbols
 * of `b` alone: gaps move to the right, and the answer is the same everywhere.
 */
th_status th__pair_align(th__edit *edit, th__symbols a, th__symbols b, th__edit_pair *pairs,
                         uint32_t *count, th_error *err);

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

/* ---- a page as a token string (iepad_tokens.c) -----------------------------------------------
 */

/*
 * Every tag is a token of its own name, start and end apart; the text between two tags is the token
 * <TEXT>. The schemes differ in which tags they skip; what is between two tags that are kept is
 * then one <TEXT>, with the skipped tags in it.
 *
 *     page         <li><b>Congo</b> 242<br></li>
 *     all-tag      <li> <b> <TEXT> </b> <TEXT> <br> </li>
 *     block-level  <li> <TEXT> <br> </li>               <TEXT> is <b>Congo</b> 242
 *
 * The paper's figure 4, which lists the tags of each class, is lost; the classes are reconstructed
 * from the reference it cites (Wilbur, HTML 3.2), with these decisions: <br> is a block-level tag,
 * since figure 6 has it in block-level patterns; fields of forms are special; tags that HTML has
 * got since are block-level when browsers give them lines of their own, else special, or logical or
 * physical where they took the place of one that was.
 */
typedef enum th__iepad_scheme {
    TH__IEPAD_ALL_TAG,     /* skips no tag */
    TH__IEPAD_NO_PHYSICAL, /* skips <b>, <i>, <tt>, ... */
    TH__IEPAD_NO_SPECIAL,  /* skips <a>, <img>, <font>, <span>, ... */
    TH__IEPAD_NO_LOGICAL,  /* skips <em>, <strong>, <cite>, ... */
    TH__IEPAD_BLOCK_LEVEL, /* skips all three */
    TH__IEPAD_SCHEME_COUNT
} th__iepad_scheme;

/* How a page is encoded; a rule keeps it. */
typedef struct th__iepad_encoding {
    th__iepad_scheme scheme;
    /* Leaves out what no reader sees: head, scripts, styles, templates. */
    bool skip_hidden;
    /* Text-level tags that show something without a text (images, fields, frames) are text: a
     * record keeps its form whether its picture has a caption or not. */
    bool media_as_text;
} th__iepad_encoding;

/* "all-tag", "no-physical", ...; NULL at the end. */
extern const char *const th__iepad_scheme_names[];

/* Tokens as numbers: <TEXT> is 0, a start tag twice its tag id, an end tag one more. */
#define TH__IEPAD_TEXT 0u

static inline uint32_t th__iepad_symbol(uint16_t tag, bool end)
{
    return (uint32_t)tag * 2 + end;
}

static inline uint16_t th__iepad_symbol_tag(uint32_t symbol)
{
    return (uint16_t)(symbol / 2);
}

typedef struct th__iepad_string {
    uint32_t *symbols;
    uint32_t *first, *last; /* the page's tokens of a symbol, both included */
    uint32_t len;
} th__iepad_string;

/* Encodes the page's tokens from..to (not included), in the arena. False if out of memory. */
bool th__iepad_encode(const th_page *page, const th__iepad_encoding *encoding, uint32_t from,
                      uint32_t to, th__arena *arena, th__iepad_string *out);
/* Names of tags that are not in HTML, so that a pattern with them can be written: a chain. */
typedef struct th__iepad_name {
    const struct th__iepad_name *next;
    uint16_t tag;
    th_str name;
} th__iepad_name;

/* Enters a tag's name, in lower case. False if out of memory. */
bool th__iepad_names_add(th__arena *arena, const th__iepad_name **names, uint16_t tag, th_str name);
/* Enters the names of a pattern's tags as the page has them. False if out of memory. */
bool th__iepad_names_of(const th_page *page, const th__pattern *pattern, th__arena *arena,
                        const th__iepad_name **names);
/* Appends a symbol as the paper writes it: <TEXT>, <li>, </li>. `names` may be NULL. The type is
 * th__symbol_name's, so that it serves th__pattern_print. */
void th__iepad_symbol_print(const void *names, uint32_t symbol, th__buf *out);

/* ---- the extraction rule, and what it gives on a page (iepad_rule.c) ------------------------- */

/*
 * A rule is one or more record patterns (several when pages of one site needed several, section 4.2
 * of the paper), each with the patterns of the lower levels that divide its blocks, and the slots
 * that come out of the division:
 *
 *     block-level   <li> <TEXT> <br> [<TEXT>|-] </li>
 *                        |           |
 *     all-tag            |           [<font>|-]<TEXT>[</font>|-]
 *                        <a><TEXT></a>     slot 3: text
 *                        |  |
 *                 slot 1: link  slot 2: text
 *
 * Values of the same field in different records are in the same column whatever is missing.
 */
enum {
    TH__IEPAD_MAX_LEVELS = 3,
    TH__IEPAD_MAX_RULES = 64,   /* record patterns joined into one rule */
    TH__IEPAD_MAX_FIELDS = 512, /* of one rule */
};

typedef enum th__iepad_kind {                       /* what a slot holds */
                              TH__IEPAD_VALUE_TEXT, /* a <TEXT> token */
                              TH__IEPAD_VALUE_LINK, /* the href of an <a> */
                              TH__IEPAD_VALUE_IMAGE /* the src of an <img> */
} th__iepad_kind;

typedef struct th__iepad_division th__iepad_division;

/* What becomes of a column: one of the two. */
typedef struct th__iepad_part {
    uint32_t column;
    uint32_t field;            /* where its value goes, or TH__IEPAD_NO_FIELD */
    th__iepad_division *below; /* divides the column's text further, or NULL */
} th__iepad_part;

/* A pattern that divides a record, or a block of it, into blocks. */
struct th__iepad_division {
    th__pattern pattern;
    th__iepad_part *parts;
    uint32_t part_count;
    bool element; /* of records: each is a whole element */
};

#define TH__IEPAD_NO_FIELD UINT32_MAX

typedef struct th__iepad_field {
    th_str name;
    uint8_t kind; /* th__iepad_kind */
    bool chosen;  /* the user wants it */
} th__iepad_field;

typedef struct th__iepad_rule {
    th__iepad_encoding encoding;                    /* of the first level */
    th__iepad_scheme schemes[TH__IEPAD_MAX_LEVELS]; /* by level; the first is encoding's */
    uint32_t levels;
    /* Takes a last record that lacks what is between records: see iepad_rule.c. */
    bool last_record;
    /* Text of a block for which its pattern has no column goes to the value beside it. */
    bool stray_text;
    th__iepad_division *records; /* record patterns */
    uint32_t record_count;
    th__iepad_field *fields;
    uint32_t field_count;
    const th__iepad_name *names;
} th__iepad_rule;

/*
 * Joins `more`, learnt with the same options from another page, to the rule: its record pattern is
 * tried beside the rule's own. The pattern is aligned with the rule's: a slot that meets one of the
 * same kind has that one's field; the others are new fields. Slots are numbered on every page from
 * 1, so text_2 of two pages need not be the same field. Both live in the arena; if it fails, the
 * rule is of no use.
 */
th_status th__iepad_rule_join(th__iepad_rule *rule, th__iepad_rule *more, th__arena *arena,
                              th_error *err);

/* The length of the longest match at `at`, or 0. `element`: it must be all of the element that
 * begins there. */
uint32_t th__iepad_match(const th_page *page, const th__iepad_string *string, th__matcher *matcher,
                         bool element, uint32_t at);

/* What a symbol's column holds, if anything: text, link or image. */
bool th__iepad_column_kind(const th__pattern *pattern, uint32_t column, th__iepad_kind *kind);

typedef struct th__iepad_record {
    uint32_t first, last; /* tokens of the page, both included */
    uint32_t pattern;     /* which of the rule's record patterns */
} th__iepad_record;

/* What a rule found. */
typedef struct th__iepad_table {
    TH__VEC(th__iepad_record) records;
    TH__VEC(th_span)
    cells; /* records x fields of the rule. {0, 0}: missing. Of a link or image:
              the attribute's value */
} th__iepad_table;

/* Finds the rule's records on a page: from left to right, the longest match at each place, the
 * first pattern among equals. `string` is the page in the rule's first encoding; NULL: not known.
 * Finding no record is not an error. Fills *out, which starts as {0}. */
th_status th__iepad_run(const th__iepad_rule *rule, const th_page *page,
                        const th__iepad_string *string, th__iepad_table *out, th_error *err);
void th__iepad_table_release(th__iepad_table *table);

/* The records as the rest of the library knows them: a list of tuples of optional texts, in the
 * order of the chosen fields, texts before links and images. Links and images are absolute where
 * the page's URL is known. `string` as above. Caller frees with th_records_free. */
th_status th__iepad_records(const th__iepad_rule *rule, const th_page *page,
                            const th__iepad_string *string, const th_records_source *source,
                            th_records **out, th_error *err);

extern const th__engine th__iepad_engine;

/* ---- rules as JSON (iepad_rule.c) ------------------------------------------------------------ */

/*
 *     {"levels": ["block-level", "all-tag"], "skip_hidden": true, "media_as_text": true,
 *      "last_record": true,
 *      "fields": [{"name": "text_1", "kind": "text", "chosen": true}, ...],
 *      "patterns": [{"pattern": "<li><TEXT>[<br>|-]", "element": true,
 *                    "columns": [{"column": 1, "field": 0},
 *                                {"column": 1, "below": {"pattern": ..., "columns": ...}}]}]}
 */

extern const th__rule_shape th__iepad_rule_shape;

/* ---- the pattern discoverer ------------------------------------------------------------------ */

/* The paper's parameters and our switches. What is marked (ours) is off in paper mode. */
typedef struct th__iepad_options {
    th__iepad_scheme scheme; /* of the first level: block-level */
    th__iepad_scheme lower;  /* of the second: all-tag; the third's is all-tag */
    uint32_t levels;         /* 2 */
    th_paper_options paper;  /* min_length, min_count, max_variance, min_density,
                                cluster_variance, max_mismatch: the paper has a bound on the share
                                of columns with options or alternatives but does not give it; its
                                own [U|-]N[A|-][M|-] needs 0.75 */

    bool skip_hidden;     /* (ours) no scripts, styles, heads: see th__iepad_encoding */
    bool media_as_text;   /* (ours) see th__iepad_encoding */
    bool largest_cluster; /* (ours) of clusters without gaps only the largest is kept */
    bool drop_outliers;   /* (ours) strings between occurrences that are twice as long as the middle
                             one are not aligned: they hold something besides a record */
    bool balance;         /* (ours) patterns are also turned so that end tags follow their start
                             tags */
    bool last_record;     /* (ours) see th__iepad_rule */
    bool stray_text;      /* (ours) see th__iepad_rule */
    bool siblings;        /* (ours) see iepad.c */
    bool firm;            /* (ours) patterns of the records, too, have options or alternatives in
                             half of their columns at most; those of lower levels always do */
    bool rank;            /* (ours) best first; else in the order of the first occurrence */

    th_trace *trace;             /* receives the steps; NULL for none */
    const th__iepad_name *names; /* of the page's tags, for the steps */
} th__iepad_options;

/* Our switches by name, for measuring each. */
typedef struct th__iepad_switch {
    const char *name;
    size_t offset; /* of a bool in th__iepad_options */
} th__iepad_switch;

extern const th__iepad_switch th__iepad_switches[];
extern const size_t th__iepad_switch_count;
/* All switches on; `paper`: those of ours off. */
void th__iepad_options_init(th__iepad_options *options, bool paper);

/* ---- suffixes and maximal repeats (iepad.c) ----------------------------------------------------
 *
 * All suffixes of a string of numbers in order, how much neighbours share, and the maximal repeats
 * that follow from it.
 *
 *     string  b a n a n a        suffix  5:a  3:ana  1:anana  0:banana  4:na  2:nana
 *     sa      5 3 1 0 4 2
 *     lcp     0 1 3 0 0 2        lcp[i]: symbols that suffixes sa[i - 1] and sa[i] share
 *
 * A suffix array with its lcp values holds what a PAT or suffix tree holds: an inner node of the
 * tree is a run of neighbours that share a prefix (th__repeats_walk).
 */
enum { TH__SUFFIXES_MAX = 1 << 30 }; /* symbols of one string */

typedef struct th__suffixes {
    uint32_t *sa;  /* starts of the suffixes in rising order; a suffix that ends first is smaller */
    uint32_t *lcp; /* lcp[0] is 0 */
    uint32_t len;
} th__suffixes;

/* Sorts the suffixes of a string of any 32-bit symbols, in time len x log(longest repeat). Fills
 * *out in the arena. */
th_status th__suffixes_init(th__suffixes *out, const uint32_t *symbols, size_t len,
                            th__arena *arena, th_error *err);

/*
 * A repeat is a substring that occurs at least twice. It is right maximal when its occurrences are
 * not all followed by the same symbol, left maximal when they are not all preceded by the same one
 * (the string's end and start count as symbols of their own), maximal when both. Right maximal
 * repeats are the inner nodes of the suffix tree, here runs of the suffix array:
 *
 *     mississippi    i, issi, p, s     not ssi: always after i, hence not left maximal
 */
typedef struct th__repeat {
    uint32_t len;         /* symbols */
    uint32_t first, last; /* its occurrences are suffixes->sa[first .. last], not in text order */
} th__repeat;

static inline uint32_t th__repeat_count(const th__repeat *repeat)
{
    return repeat->last - repeat->first + 1;
}

typedef struct th__repeats_options {
    uint32_t min_len;   /* at least so many symbols; 0 is taken as 1 */
    uint32_t min_count; /* at least so many occurrences, overlaps counted; below 2: 2 */
    bool with_not_left; /* gives right maximal repeats that are not left maximal too */
} th__repeats_options;

/* Called for each repeat, longer ones before those that are their prefixes. False if out of memory.
 */
typedef bool (*th__repeat_visit)(void *context, const th__repeat *repeat);

/* Walks the repeats of the string that suffixes are of. Fewer than the string has symbols; the time
 * is linear. `symbols` is the string as given to th__suffixes_init. False if out of memory. */
bool th__repeats_walk(const th__suffixes *suffixes, const uint32_t *symbols,
                      const th__repeats_options *options, th__repeat_visit visit, void *context);

/* ---- which maximal repeats are regular and dense (iepad.c) ----------------------------------- */

/* A candidate: a repeat and a group of its occurrences that is regular and dense. */
typedef struct th__iepad_repeat {
    uint32_t len; /* tokens */
    uint32_t *at; /* occurrences in the token string, rising, without overlap */
    uint32_t count;
    uint32_t end; /* of the last one's string; 0 when it is not known, and left out */
    bool tree;    /* found in the tree */
    double variance, density;
} th__iepad_repeat;

typedef TH__VEC(th__iepad_repeat) th__iepad_repeats;

/* The regular and dense maximal repeats of a token string; their occurrences are in the arena. */
th_status th__iepad_discover(const uint32_t *symbols, uint32_t len,
                             const th__iepad_options *options, th__arena *arena,
                             th__iepad_repeats *out, th_error *err);

/* The paper's (3) and (4) for occurrences at p[0] < p[1] < ...; 0 and 1 for fewer than two. */
double th__iepad_variance(const uint32_t *at, uint32_t count);
double th__iepad_density(const uint32_t *at, uint32_t count, uint32_t len);

enum {
    TH__IEPAD_MAX_LENGTH = 512, /* of a pattern, in tokens */
    /* At most so many strings are aligned to make a pattern, evenly spread: with all of them the
     * time would not be linear in the page where records have many forms. */
    TH__IEPAD_MAX_STRINGS = 1024
};

/* ---- generalized patterns (iepad.c) -------------------------------------------------------- */

/* The pattern of a candidate, in the arena: the repeat itself when it is dense, else the alignment
 * of what is between occurrences. *found is false when there are too many mismatches. */
th_status th__iepad_compose(const uint32_t *symbols, const th__iepad_repeat *repeat,
                            const th__iepad_options *options, th__arena *arena, th__pattern *out,
                            bool *found, th_error *err);
/* What strings are: blocks of records; whole records, of which one string may hold several; or
 * records of which those of another kind than most (headings, advertisements) are left out. */
typedef enum th__iepad_aligned {
    TH__IEPAD_BLOCKS,
    TH__IEPAD_RECORDS,
    TH__IEPAD_MOST_RECORDS
} th__iepad_aligned;

/* Aligns strings to a pattern (iepad_align.c). *found is false, which is not an error, if they are
 * too long, too different, or if there is none to leave out; the strings may be reordered. */
th_status th__iepad_align(th__symbols *strings, uint32_t count, th__iepad_aligned what,
                          const th__iepad_options *options, th__arena *arena, th__pattern *out,
                          bool *found, th_error *err);

/* How far pattern rotation turns a pattern: to the right along the left string of the first
 * occurrence, or to the left along the right string of the last one (which ends at `end`). Both are
 * given as the column that becomes the first. */
uint32_t th__iepad_turn_right(const th__pattern *pattern, const uint32_t *symbols, uint32_t start);
uint32_t th__iepad_turn_left(const th__pattern *pattern, const uint32_t *symbols, uint32_t len,
                             uint32_t end);

/* ---- the answer (iepad.c) ----------------------------------------------------------------- */

typedef struct th__iepad_range {
    uint32_t first, last; /* tokens of the page, both included */
} th__iepad_range;

typedef struct th__iepad_pattern {
    th__pattern pattern;
    th_str text;   /* in the paper's notation */
    uint64_t home; /* where its records are: by this a list is known again on another page */
    double variance, density;
    double score;             /* 0 .. 1, for ranking */
    double coverage;          /* share of the page's text that is in its records */
    double loose;             /* share of the columns with options or alternatives */
    bool element;             /* its records are whole elements: see th__iepad_division */
    bool tree;                /* of a list that the tree shows */
    double regularity;        /* of its records: see th_region */
    uint32_t count;           /* records that the pattern matches on the page */
    th__iepad_range *records; /* count of them */
} th__iepad_pattern;

typedef struct th__iepad_result {
    th__arena arena;             /* of all it has */
    th__iepad_pattern *patterns; /* best first */
    uint32_t count;
    const th__iepad_name *names;
    th__iepad_options options;
    th__iepad_string string; /* the page in the first level's encoding */
} th__iepad_result;

/* Every record pattern of the page. Finding none is not an error. Fills *out, which
 * th__iepad_result_release frees. NULL options: the defaults. */
th_status th__iepad_find(const th_page *page, const th__iepad_options *options,
                         th__iepad_result *out, th_error *err);
void th__iepad_result_release(th__iepad_result *result);

/* ---- the rule generator (iepad_rule.c) -------------------------------------------------- */

/* Makes a rule of one of the patterns found on the page: its records are divided into blocks, level
 * by level, and every slot becomes a field text_1, link_1, image_1, ... It lives in the arena. */
th_status th__iepad_learn(const th_page *page, const th__iepad_result *result, uint32_t pick,
                          th__arena *arena, th__iepad_rule *out, th_error *err);

/* ---- further pages (iepad.c) --------------------------------------------------------------- */

/* Learns from a further page: where a pattern of the page finds more of the list than the rule
 * does, its rule is joined to the rule, in its arena. *records is how many the rule now finds
 * there. */
th_status th__iepad_learn_more(const th_page *page, const th__iepad_options *options, uint64_t home,
                               th__arena *arena, th__iepad_rule *rule, size_t *records,
                               th_error *err);

#endif
