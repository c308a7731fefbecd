/*
 * learn.h: what the files of learn/ share.
 *
 *     th_learn (learn.c)   corpus ──▶ clusters ──▶ list or record ──▶ for each set of pages:
 *                          labels located ──▶ resolved ──▶ an engine, or th__choose ──▶ wrapper,
 *                          which is compared with the labels (judge.c)
 *
 * Nothing outside of this folder chooses an engine by what it can do.
 */
#ifndef TH_LEARN_H
#define TH_LEARN_H

#include "base/intern.h"
#include "engine/paths/paths.h"
#include "wrapper/corpus.h"
#include "wrapper/wrapper.h"

/* ---- corpus.c: pages, and their clusters ----------------------------------------------------- */

#define TH__NO_CLUSTER UINT32_MAX

/* The shapes of markup on a page. */
typedef struct th__sketch {
    const uint64_t *shapes; /* rising, none twice, none above the bound */
    uint32_t count;
    uint64_t bound; /* UINT64_MAX: all shapes are there */
} th__sketch;

typedef struct th__cluster_page {
    th__sketch sketch;
    uint32_t *ids;    /* of its shapes, in their order */
    uint32_t cluster; /* or TH__NO_CLUSTER: an outlier */
    float core;       /* how much of its cluster's core it has */
} th__cluster_page;

/* The shapes that nearly all pages of a cluster have. */
typedef struct th__cluster_core {
    uint64_t *shapes; /* rising */
    uint32_t count;
    uint32_t pages; /* of the cluster */
} th__cluster_core;

typedef struct th__clusters {
    th__arena arena;                 /* sketches and ids */
    th__intern shapes;               /* hashes become small numbers */
    TH__VEC(th__cluster_page) pages; /* in the order in which they came */
    uint32_t count;                  /* of clusters, the largest first */
    th__cluster_core *cores;         /* by cluster */
} th__clusters;

typedef struct th__stored_page {
    th_page *page; /* NULL: only its sketch was kept, or it was dropped */
    th_str name, url;
    size_t sketch; /* its place in the clusters; SIZE_MAX: not yet there */
} th__stored_page;

struct th_corpus {
    th__arena arena; /* names and URLs */
    th_parser *parser;
    TH__VEC(th__stored_page) pages;
    size_t *by_name;         /* pages by name, once they are in clusters */
    const th_labels *labels; /* the caller's, or NULL */
    th__clusters clusters;
    bool clustered;          /* `clusters` is of all pages */
    const th_cancel *cancel; /* while clusters are found; or NULL */
};

/* ---- learn.c --------------------------------------------------------------------------------- */

/* A page that is learnt from. */
typedef struct th__kept_page {
    const th_page *page;
    th_located *located; /* its labels, or NULL */
    size_t label_page;   /* which of the labels' pages it is, where it has labels */
    bool sample;         /* the labels are examples: its lists may have more */
    th_str name;
    th_str url;   /* or absent */
    size_t found; /* records: labelled ones where there are labels */
    bool unused;  /* the engine did not learn from it */
} th__kept_page;

typedef struct th__learner {
    const th__engine *engine;
    bool chooses; /* labels without an engine, or with one that takes none: see choose.c */
    bool asked;   /* the engine was named */
    th_learn_options options;
    const th_labels *labels; /* or NULL */
    TH__VEC(th__kept_page) kept;
    th_schema *label_schema;
    size_t labelled; /* pages */
    th__notes *notes;
    size_t wrong;    /* labelled fields of records that the wrapper does not give as labelled */
    size_t left_out; /* pages that the engine did not learn from */
    th__arena arena;
} th__learner;

/* The pages with their resolved labels as engines see them, in the arena; NULL if out of memory. */
th__corpus_page *th__learner_corpus(const th__learner *learner, th__arena *arena);
/* Gives a wrapper that is being learnt its pages: as many as are kept, each with the records that
 * the engine learnt from it; `corpus` may be NULL: the caller counts. Each wrapper that is tried
 * has counts of its own, so that one which is not taken changes nothing. False if out of memory. */
bool th__learner_count(const th__learner *learner, const th__corpus *corpus, th_wrapper *wrapper);

/* ---- engines.c ------------------------------------------------------------------------------- */

/* All engines, NULL at the end. */
const th__engine *const *th__engine_list(void);

/* Which engines are tried, and in which order. */
typedef enum th__rank {
    TH__RANK_LISTS,  /* those that find lists, as they find records rightly without labels */
    TH__RANK_LABELS, /* those that learn to read the records of a list from labels */
} th__rank;

/* Their names, the best first, NULL at the end. Static. */
const char *const *th__engine_names(th__rank rank);

/* ---- page_kind.c ----------------------------------------------------------------------------- */

/* Decides whether pages of one cluster, two or more, are lists of records or one record each: by
 * the explanation that leaves fewer bits unexplained. */
th_status th__pages_kind(const th_page *const *pages, size_t count, const th_cancel *cancel,
                         th_kind *out, th_error *err);

/* ---- resolve.c: which place of a labelled value is meant ------------------------------------- */

typedef struct th__resolved {
    th__arena arena;
    bool ruled;           /* the rules of the places: */
    th__path_rules rules; /* in the arena */
    th__path_fit *fits;
    th__path_rules *without; /* by labelled page, the first TH__JUDGE_PAGES: the rules without its
                              * labels; NULL where nothing is to be judged */
} th__resolved;

/* Resolves the labels of all pages of the learner, and notes what was not plain. False if out of
 * memory; the caller releases the arena in any case. */
bool th__resolve(th__learner *learner, th__resolved *out);

/* ---- judge.c ---------------------------------------------------------------------------------
 *
 * How good a proposal (an engine with its rules) is, given labels.
 *
 * One definition for all choices. Each labelled record is held against the record that has most of
 * it, field by field, by names. A text is right if it is the labelled text or stands at its place;
 * of one that overlaps it, the part that they share counts. What is unknown (th_value.unknown) does
 * not count. A proposal is worth what is right of all that is labelled or found: 0 to 1.
 *
 * An engine is not judged by labels that it learnt from: each labelled page is held out once, or of
 * a single page some labelled records of a list, as long as two are left to learn from. Fewer
 * cannot be held out: then only a rule that gives them is considered, and structure decides.
 */

enum {
    TH__JUDGE_PAGES = 5,  /* that are held out, one after the other; or about so many records */
    TH__JUDGE_RECORDS = 3 /* of a single labelled page are held out when so many are labelled */
};

typedef struct th__judged {
    size_t wanted; /* labelled texts */
    size_t common; /* of them: found where they belong */
    size_t extra;  /* texts beside them, in fields that are known */
    double near;   /* common, and the parts that others share with what was found */
    size_t wrong;  /* fields of records that are labelled and not as labelled */
} th__judged;

static inline double th__judged_worth(const th__judged *judged)
{
    size_t all = judged->wanted + judged->extra;
    return all ? judged->near / (double)all : 1;
}

/* One field of a labelled record. */
typedef struct th__judged_field {
    uint32_t field;
    const th_value *label, *found; /* found is NULL where there is no such record or field */
    uint32_t texts;                /* labelled */
    bool right;
} th__judged_field;

typedef bool (*th__judge_visit)(const th__judged_field *field, void *context);

/* Some of the labelled records of a page: the first, and each `step`-th from there on. */
typedef struct th__label_part {
    size_t first, step;
} th__label_part;

#define TH__LABELS_ALL                                                                             \
    (th__label_part)                                                                               \
    {                                                                                              \
        0, 1                                                                                       \
    }

/* Adds what records are worth to *out, by a part of the labels. `sample`: lists may have more than
 * is labelled. `visit`, or NULL, sees each field. False if out of memory, or if `visit` says so. */
bool th__judge_records(const th_records *found, const th_records *labels, th__label_part part,
                       bool sample, th__judge_visit visit, void *context, th__judged *out);
/* How many of the records found on a page have a text where its labels say that there is none. */
size_t th__judge_unwanted(const th__learner *learner, const th__kept_page *kept,
                          const th_records *found);

/* A record on the page, or a text of it, which may be shorter than its span: that has tags in it.
 */
typedef struct th__stretch {
    th_span span;
    uint32_t record;
    double len;
} th__stretch;

typedef TH__VEC(th__stretch) th__stretch_vec;

/* For qsort: by place. */
int th__stretch_order(const void *a, const void *b);
/* Adds the texts of records (NULL: there are none) to others, and sorts all by place. False if out
 * of memory. */
bool th__stretches_add(const th_records *records, th__stretch_vec *out);

/* How many of the fields that every labelled record has are filled, over all records. */
size_t th__judge_filled(const th_records *records, const th_type *fields);

/* Learns from all labels. `exact`: only rules that give all of them are wanted. */
th_status th__judge_learn(th__learner *learner, const th__engine *engine, bool exact,
                          th__notes *notes, th_wrapper **out, th_error *err);

/* Judges by labels held out: *worth, 0 to 1. What is not found then is noted. Learns from all
 * labels, unless *out has been learnt from them, or is not worth more than `least`: then it stays
 * NULL, and *worth is what it is at most. */
th_status th__judge_engine(th__learner *learner, const th__engine *engine, double least,
                           th__notes *notes, th_wrapper **out, double *worth, th_error *err);
/* The same of place rules. `without`: those that th__resolve learnt without the labels of a page;
 * or NULL, of a single labelled page. */
th_status th__judge_paths(th__learner *learner, th__path_rules *without, const th_wrapper *paths,
                          double *worth, th_error *err);

/* Runs a wrapper on the labelled pages. *wrong is how many labelled fields of records it does not
 * give as they are labelled. Notes, unless NULL, get for each field the first such value, where it
 * is, what is found instead, and what would help. */
th_status th__judge_tell(th__learner *learner, const th_wrapper *wrapper, th__notes *notes,
                         size_t *wrong, th_error *err);
/* Of pages of one record, notes which labels the place rules cannot follow, where the wrapper can.
 * `path_fits` are those of the place rules, by field. */
th_status th__judge_tell_apart(th__learner *learner, const th_wrapper *wrapper,
                               const th__path_fit *path_fits, th_error *err);

/* ---- label_lists.c: which list the labels mean, and which of its columns --------------------- */

enum { TH__LISTS_SOUGHT = 30 }; /* lists of a page that are looked at */

/* How a list does on labelled records. */
typedef struct th__list_fit {
    double share;  /* of the labelled values that come out of it, 0 to 1 */
    double like;   /* what it is worth (judge.c), 0 to 1, */
    double unseen; /* and by labelled records that its columns were not picked by */
    double held;   /* of those that are in the record that they should come out of */
    double fill;   /* of the fields that every labelled record has, over all its records */
    bool apart;    /* a labelled value is in none of its texts: lines may be cut wrongly */
} th__list_fit;

/* Learns the list whose records hold the labelled ones, and the columns that are their fields; by
 * one engine only, unless that is NULL. No such list is not an error: wrapper->rules stays NULL. */
th_status th__label_lists_choose(th__learner *learner, const th__engine *only, th_wrapper *wrapper,
                                 th__list_fit *fit, th_error *err);

/* ---- choose.c: learning from labels without an engine named ---------------------------------- */

/* Learns a wrapper from the kept pages, whose labels are resolved. `only` is the engine that was
 * asked for, or NULL. */
th_status th__choose(th__learner *learner, th__resolved *resolved, const th__engine *only,
                     th_wrapper *wrapper, th_error *err);

#endif
