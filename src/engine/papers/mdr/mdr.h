/*
 * mdr.h: data regions and data records of one page; mdr.c tells the paper.
 *
 *     th__mdr_options options;
 *     th__mdr_options_init(&options);            or th__mdr_options_paper
 *     th__mdr_result *result;
 *     if (th__mdr_find(page, &options, &result, &err)) ...
 *     for (i < result->region_count) result->regions[i] ...
 *     th__mdr_result_free(result);
 */
#ifndef TH_MDR_H
#define TH_MDR_H

#include "base/arena.h"
#include "base/str.h"
#include "page/page.h"

enum {
    TH__MDR_MAX_COMBINATION = 32,        /* the largest K that can be asked for */
    TH__MDR_COMPARE_LIMIT = 2048,        /* tags: the default of compare_limit */
    TH__MDR_COMPARE_LIMIT_PAPER = 16384, /* in paper mode */
    TH__MDR_ORPHAN_REACH = 64            /* siblings to each side of a region that are looked at */
};

#define TH__MDR_NONE UINT32_MAX

typedef struct th__mdr_options {
    /* The paper's parameters, with its values. */
    uint32_t combination;   /* K, the most nodes of a generalized node: 10 */
    double threshold;       /* T, the largest normalized edit distance of similar strings: 0.3 */
    uint32_t tree_depth;    /* nodes whose subtree is less deep are not searched: 3 */
    double class_threshold; /* T where same_class applies: 0.8 */
    uint32_t
        compare_limit; /* longer tag strings are compared by their tag counts (mdr_compare.h) */

    /* Parts of the paper that can be left out to see what they are worth. */
    bool join_adjacent; /* section 3.3: adjacent dissimilar regions are non-contiguous records */
    bool orphans;       /* section 3.4: records outside regions */

    /* Our deviations: all off in paper mode, on by default. */
    bool every_tag;   /* any tag may form a record, not those of tables and forms alone */
    bool table_in_n;  /* the data-table test in FindRecords-n as well */
    bool cut_once;    /* how records are cut is decided for a region, not for each node */
    bool own_text;    /* a node with text of its own is not cut into its children */
    bool join_split;  /* similar regions of one parent are one list, split by something else */
    bool same_class;  /* siblings of one tag and class may differ more: class_threshold */
    bool true_period; /* a combination of nodes that are like each other is taken apart */
    bool nested;      /* regions inside the nodes of other regions are reported too */
} th__mdr_options;

void th__mdr_options_init(th__mdr_options *options);
/* As published, with only the errata mended. */
void th__mdr_options_paper(th__mdr_options *options);

/* Those, or the defaults, with what a user has said. */
void th__mdr_options_from(const th_paper_options *paper, th__mdr_options *options);

/* The switches by name, for the command line and for measuring each. */
typedef struct th__mdr_switch {
    const char *name;
    size_t offset; /* of a bool in th__mdr_options */
    bool paper;    /* part of the paper */
} th__mdr_switch;

extern const th__mdr_switch th__mdr_switches[];
extern const size_t th__mdr_switch_count;
/* Sets a switch by its name; false when there is none. */
bool th__mdr_options_set(th__mdr_options *options, th_str name, bool value);

/* Nodes first .. end of the page: sibling nodes with their subtrees. */
typedef struct th__mdr_range {
    uint32_t first, end;
} th__mdr_range;

/* The tokens of a range, from the first node's start tag to the last sibling's end. */
th__mdr_range th__mdr_range_tokens(const th_page *page, th__mdr_range range);

typedef struct th__mdr_record {
    const th__mdr_range *ranges; /* one; more for a non-contiguous record, in its reading order */
    uint32_t range_count;
    bool orphan; /* found outside the region's generalized nodes */
} th__mdr_record;

/* The paper's triple below a parent. Children are counted from 0, removed tags left out. */
typedef struct th__mdr_part {
    uint32_t parent;      /* node of the page */
    uint32_t combination; /* nodes of a generalized node */
    uint32_t start;       /* the first child */
    uint32_t count;       /* children covered: a multiple of combination */
    uint32_t first;       /* the first child as a node of the page */
} th__mdr_part;

/* How records lie in generalized nodes. */
typedef enum th__mdr_cut {
    TH__MDR_WHOLE,    /* each generalized node is one */
    TH__MDR_CHILDREN, /* FindRecords-1: each child of its node is one */
    TH__MDR_COLUMNS,  /* FindRecords-n: the k-th children of its nodes are one */
    TH__MDR_MIXED,    /* decided for each generalized node (cut_once is off) */
    TH__MDR_CUT_COUNT
} th__mdr_cut;

/* "whole", "children", "columns", "mixed"; NULL at the end. */
extern const char *const th__mdr_cut_names[];

typedef struct th__mdr_region {
    const th__mdr_part *parts; /* in page order */
    uint32_t part_count;
    bool zipped; /* adjacent regions: record k is made of the k-th generalized node of each part */
    bool data_table; /* each cell of its rows is a single text */
    th__mdr_cut cut;
    const th__mdr_record *records; /* in page order */
    uint32_t record_count, orphan_count;
    uint32_t covering; /* index of the region in whose generalized node it lies, or NONE */
} th__mdr_region;

typedef struct th__mdr_result {
    th__arena arena;
    th__mdr_region *regions; /* in preorder of their parents: a covering one before the covered */
    uint32_t region_count;
    uint64_t comparisons; /* edit distances that were computed, for benches */
} th__mdr_result;

/* Finds the regions and records of a page. The result refers to the page by numbers only. Caller
 * frees. NULL options mean the defaults. */
th_status th__mdr_find(const th_page *page, const th__mdr_options *options, th__mdr_result **out,
                       th_error *err);
void th__mdr_result_free(th__mdr_result *result);

/* The regions as the paper writes them, a line each: "(1, 3, 8) /html/body/table: 8 records". */
bool th__mdr_print(const th_page *page, const th__mdr_result *result, th__buf *out);

#endif
