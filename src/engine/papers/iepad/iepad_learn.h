/* iepad_learn.h: IEPAD's pattern discoverer and rule generator. See iepad.c for the paper. */
#ifndef TH_IEPAD_LEARN_H
#define TH_IEPAD_LEARN_H

#include "engine/papers/iepad/iepad_rule.h"
#include "strings/pattern.h"

/* The paper's parameters and our switches. What is marked (ours) is off in paper mode. */
typedef struct th__iepad_options {
    th__iepad_scheme scheme;                          /* of the first level: block-level */
    th__iepad_scheme lower[TH__IEPAD_MAX_LEVELS - 1]; /* of the levels below: all-tag */
    uint32_t levels;                                  /* 2 */
    uint32_t min_length;                              /* of a maximal repeat, in tokens: 3 */
    uint32_t min_count;                               /* of its occurrences: 5 */
    double max_variance;                              /* 0.36 */
    double min_density;                               /* 0.20 */
    double cluster_variance; /* below which occurrences are clustered together: 0.1 */
    double max_mismatch;     /* share of a pattern's columns that may have options or
                                alternatives: 0.5. The paper has a bound but does not give it */
    uint32_t max_length;     /* of a pattern, in tokens: 512 */
    uint32_t max_repeats;    /* that are aligned, those that cover most first: 512 */
    uint32_t max_patterns;   /* in the answer: 64 */

    bool skip_hidden;     /* (ours) no scripts, styles, heads: see th__iepad_encoding */
    bool media_as_text;   /* (ours) see th__iepad_encoding */
    bool short_roots;     /* (ours) a repeat shorter than min_length counts when it stands several
                             times in a row: <li><TEXT><li><TEXT>... */
    bool cluster_restart; /* (ours) a cluster of two, which is accepted whatever its distance, gives
                             its second occurrence to the next one */
    bool largest_cluster; /* (ours) of clusters without gaps only the largest is kept */
    bool drop_outliers;   /* (ours) strings between occurrences that are twice as long as the middle
                             one are not aligned: they hold something besides a record */
    bool balance;         /* (ours) patterns are also turned so that end tags follow their start
                             tags */
    bool last_record;     /* (ours) see th__iepad_rule */
    bool stray_text;      /* (ours) see th__iepad_rule */
    bool siblings;        /* (ours) see iepad_tree.c */
    bool rank;            /* (ours) best first; else in the order of the first occurrence */
} th__iepad_options;

/* Our switches by name, for measuring each. */
typedef struct th__iepad_switch {
    const char *name;
    size_t offset; /* of a bool in th__iepad_options */
} th__iepad_switch;

extern const th__iepad_switch th__iepad_switches[];
extern const size_t th__iepad_switch_count;
/* Sets a switch by its name; false when there is none. */
bool th__iepad_options_set(th__iepad_options *options, th_str name, bool value);

void th__iepad_options_init(th__iepad_options *options);
/* As published: our switches off. */
void th__iepad_options_paper(th__iepad_options *options);
/* Those, or the defaults, with what a user has said. */
th_status th__iepad_options_from(const th_paper_options *paper, th__iepad_options *options,
                                 th_error *err);

/* ---- maximal repeats (iepad_patterns.c) --------------------------------------------------- */

/* A candidate: a repeat and a group of its occurrences that is regular and dense. */
typedef struct th__iepad_repeat {
    uint32_t len; /* tokens */
    uint32_t *at; /* occurrences in the token string, rising, without overlap */
    uint32_t count;
    uint32_t end; /* of the last one's string; 0 when it is not known, and left out */
    bool tree;    /* found in the tree: iepad_tree.c */
    double variance, density;
} th__iepad_repeat;

typedef struct th__iepad_repeats {
    th__iepad_repeat *list;
    size_t len, cap;
    th__arena arena; /* the occurrences */
} th__iepad_repeats;

/* The sifted maximal repeats of a token string. */
th_status th__iepad_discover(const uint32_t *symbols, uint32_t len,
                             const th__iepad_options *options, th__iepad_repeats *out,
                             th_error *err);
void th__iepad_repeats_release(th__iepad_repeats *repeats);

/* Tags that stand side by side in an element, as repeats (iepad_tree.c). */
th_status th__iepad_siblings(const th_page *page, const th__iepad_string *string,
                             const th__iepad_options *options, th__iepad_repeats *out,
                             th_error *err);

/* The paper's (3) and (4) for occurrences at p[0] < p[1] < ...; 0 and 1 for fewer than two. */
double th__iepad_variance(const uint32_t *at, uint32_t count);
double th__iepad_density(const uint32_t *at, uint32_t count, uint32_t len);

/* At most so many strings are aligned to make a pattern, evenly spread: with all of them the time
 * would not be linear in the page where records have many forms. */
enum { TH__IEPAD_MAX_STRINGS = 1024 };

/* ---- generalized patterns (iepad_align.c) ------------------------------------------------- */

/* The pattern of a candidate: the repeat itself when it is dense, else the alignment of what stands
 * between occurrences. *found is false, and *out empty, when there are too many mismatches. */
th_status th__iepad_compose(const uint32_t *symbols, const th__iepad_repeat *repeat,
                            const th__iepad_options *options, th__pattern *out, bool *found,
                            th_error *err);

/* The same without the strings that are of another kind than most; not found when there are none.
 */
th_status th__iepad_compose_most(const uint32_t *symbols, const th__iepad_repeat *repeat,
                                 const th__iepad_options *options, th__pattern *out, bool *found,
                                 th_error *err);

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
    char *text; /* in the paper's notation */
    double variance, density;
    double score;             /* 0 .. 1, for ranking; made of the following */
    double coverage;          /* share of the page's text that is in its records */
    double links;             /* share of the records' text that is in links */
    double siblings;          /* share of the records' neighbours in the tree that are records:
                                 of the children of the element that holds most of them */
    double loose;             /* share of the columns with options or alternatives */
    bool element;             /* its records are whole elements: see th__iepad_division */
    bool tree;                /* of a list that the tree shows: iepad_tree.c */
    bool balanced;            /* end tags follow their start tags */
    uint32_t tops;            /* elements at its top that have the tag of the first */
    uint32_t texts;           /* columns that hold text */
    uint32_t seed_len;        /* of the maximal repeat it came from */
    uint32_t seed_count;      /* of its occurrences */
    uint32_t count;           /* records that the pattern matches on the page */
    th__iepad_range *records; /* count of them */
} th__iepad_pattern;

typedef struct th__iepad_result {
    th__iepad_pattern *patterns; /* best first */
    uint32_t count;
    th__iepad_names names;
    th__iepad_options options;
} th__iepad_result;

/* Every record pattern of the page. None is no error. Fills *out, which th__iepad_result_release
 * frees. NULL options: the defaults. */
th_status th__iepad_find(const th_page *page, const th__iepad_options *options,
                         th__iepad_result *out, th_error *err);
void th__iepad_result_release(th__iepad_result *result);

/* ---- ranking (iepad_rank.c) --------------------------------------------------------------- */

/* The element that holds most of a pattern's records; 0 when it is the document. */
uint32_t th__iepad_parent(const th_page *page, const th__iepad_pattern *pattern);
/* Whether end tags follow their start tags, and how many elements of the first one's tag stand side
 * by side at the top. */
bool th__iepad_is_balanced(const th__pattern *pattern, uint32_t *tops);
/* Sets the score of a pattern whose records are known, and what it is made of: text in them, and in
 * links there, of a total on the page. */
void th__iepad_rate(const th_page *page, uint32_t total, uint64_t text, uint64_t linked,
                    th__iepad_pattern *pattern);
/* Puts the patterns in order: best first, or as they stand on the page. */
void th__iepad_order(th__iepad_result *result);

/* ---- the rule generator (iepad_blocks.c) -------------------------------------------------- */

/* Makes a rule of one of the patterns found on the page: its records are divided into blocks, level
 * by level, and every slot becomes a field text_1, link_1, image_1, ... Caller frees with
 * th__iepad_rule_free. */
th_status th__iepad_learn(const th_page *page, const th__iepad_result *result, uint32_t pick,
                          th__iepad_rule **out, th_error *err);

/* ---- further pages (iepad_more.c) --------------------------------------------------------- */

/* Where a pattern's records stand: by this a list is known again on another page. */
uint64_t th__iepad_home(const th_page *page, const th__iepad_pattern *pattern);

/* Learns from a further page: where a pattern of the page finds more of the list than the rule
 * does, its rule is joined to *rule. *records is how many the rule now finds there. */
th_status th__iepad_learn_more(const th_page *page, const th__iepad_options *options, uint64_t home,
                               th__iepad_rule **rule, size_t *records, th_error *err);

#endif
