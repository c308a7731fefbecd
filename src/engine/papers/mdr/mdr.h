/*
 * mdr.h: MDR: data regions and data records of a page, and rules made of them. mdr.c explains the
 * paper.
 *
 *     th__mdr_options options = th__mdr_ours;    or th__mdr_paper
 *     th__mdr_result *result;
 *     if (th__mdr_find(page, &options, &result, &err)) ...
 *     for (i < result->region_count) result->regions[i] ...
 *     th__mdr_result_free(result);
 */
#ifndef TH_MDR_H
#define TH_MDR_H

#include <jansson.h>

#include "base/arena.h"
#include "base/json_out.h"
#include "base/trace.h"
#include "base/vec.h"
#include "engine/regions.h"
#include "page/page.h"
#include "strings/edit.h"
#include "table/items.h"
#include "wrapper/rule_table.h"

enum {
    TH__MDR_MAX_COMBINATION = 32,        /* the largest K that can be asked for */
    TH__MDR_COMPARE_LIMIT = 2048,        /* tags: the default of compare_limit */
    TH__MDR_COMPARE_LIMIT_PAPER = 16384, /* in paper mode */
    TH__MDR_ORPHAN_REACH = 64            /* siblings searched on each side of a region */
};

#define TH__MDR_NONE UINT32_MAX

typedef struct th__mdr_options {
    /* The paper's parameters, with its values. */
    uint32_t combination;   /* K, the most nodes of a generalized node: 10 */
    double threshold;       /* T, the largest normalized edit distance of similar strings: 0.3 */
    uint32_t tree_depth;    /* nodes whose subtree is less deep are not searched: 3 */
    double class_threshold; /* T where same_class applies: 0.8 */
    uint32_t compare_limit; /* longer tag strings are compared by their tag counts (mdr_tree.c) */

    /* Parts of the paper that can be left out to see what they are worth. */
    bool join_adjacent; /* section 3.3: adjacent dissimilar regions are non-contiguous records */
    bool orphans;       /* section 3.4: records outside regions */

    /* Our deviations: all off in paper mode, on by default. */
    bool every_tag;   /* any tag may form a record, not those of tables and forms alone */
    bool cut_once;    /* how records are cut is decided for a region, not for each node */
    bool join_split;  /* similar regions of one parent are one list, split by something else */
    bool same_class;  /* siblings of one tag and class may differ more: class_threshold */
    bool true_period; /* a combination of nodes that are like each other is taken apart */
    bool nested;      /* regions inside the nodes of other regions are reported too */

    th_trace *trace; /* receives the steps; NULL for none */
} th__mdr_options;

/* All switches on; and as published, except for the errata. */
extern const th__mdr_options th__mdr_ours, th__mdr_paper;

/* The switches by name, to measure each. */
typedef struct th__mdr_switch {
    const char *name;
    size_t offset; /* of a bool in th__mdr_options */
} th__mdr_switch;

extern const th__mdr_switch th__mdr_switches[];
extern const size_t th__mdr_switch_count;

/* Nodes first .. end of the page: sibling nodes with their subtrees. */
typedef struct th__mdr_range {
    uint32_t first, end;
} th__mdr_range;

typedef TH__VEC(th__mdr_range) th__mdr_range_vec;

/* The tokens of a range, from the first node's start tag to the last sibling's end. */
th__mdr_range th__mdr_range_tokens(const th_page *page, th__mdr_range range);

typedef struct th__mdr_record {
    const th__mdr_range *ranges; /* one; more for a non-contiguous record, in its reading order */
    uint32_t range_count;
} th__mdr_record;

/* The paper's triple below a parent. Children count from 0, without removed tags. */
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
} th__mdr_region;

typedef struct th__mdr_ranked {
    uint32_t region;
    double score; /* 0: neither text nor pictures */
} th__mdr_ranked;

typedef struct th__mdr_result {
    th__arena arena;
    th__mdr_region *regions; /* in preorder of their parents */
    uint32_t region_count;
    const th__mdr_ranked *ranked; /* all regions, best first */
} th__mdr_result;

/* Finds the regions and records of a page. The result refers to the page by numbers only. Caller
 * frees. NULL options mean the defaults. */
th_status th__mdr_find(const th_page *page, const th__mdr_options *options, th__mdr_result **out,
                       th_error *err);
void th__mdr_result_free(th__mdr_result *result);

/* Calls back for each text run of a record. */
void th__mdr_each_text(const th_page *page, const th__mdr_record *record,
                       void (*visit)(void *context, th_str text), void *context);

/* ---- the tag tree, section 3.1 (mdr_tree.c) -------------------------------------------------- */

/*
 * The page's elements without "useless or redundant tags": scripts, styles, templates and what else
 * shows nothing, what is in the head, and what is drawn inside svg and math. What is left is
 * renumbered, in preorder as before, so that the tag string of a subtree is again a slice.
 *
 *     page   0:document 1:ul 2:li 3:script 4:li 5:b
 *     tree   0:document 1:ul 2:li 3:li 4:b            tag string of 1: ul li li b
 */
enum { TH__MDR_DEEP = 255 };

typedef struct th__mdr_tree {
    const th_page *page;
    uint32_t count;
    uint32_t *tags;   /* the tag string of the tree */
    uint32_t *node;   /* the node of the page */
    uint32_t *parent; /* the document is its own parent */
    uint32_t *end;    /* one past the last node of the subtree */
    uint32_t *kids;   /* number of children */
    uint8_t *depth;   /* TreeDepth: 1 for a leaf, TH__MDR_DEEP for that and more */
} th__mdr_tree;

/* One past the subtrees of `size` siblings from a node on. */
uint32_t th__mdr_after(const th__mdr_tree *tree, uint32_t first, uint32_t size);
/* The last of the siblings in a range of the page's nodes. */
uint32_t th__mdr_last_node(const th_page *page, th__mdr_range range);

/* The tag strings of some ranges of the tree, concatenated in `memory`. False if out of memory. */
typedef TH__VEC(uint32_t) th__mdr_tag_vec;
bool th__mdr_pieces(const th__mdr_tree *tree, const th__mdr_range *ranges, uint32_t count,
                    th__mdr_tag_vec *memory, th__symbols *out);

enum { TH__MDR_MAX_CLASSES = 8 }; /* of one element; further ones are ignored */

typedef struct th__mdr_classes {
    th_str word[TH__MDR_MAX_CLASSES];
    unsigned count;
} th__mdr_classes;

/* The words of a text, borrowed from it. */
th__mdr_classes th__mdr_words(th_str text);
/* The classes of a node, borrowed from the page. */
th__mdr_classes th__mdr_classes_of(const th_page *page, uint32_t node);
/* Removes from a what is not in b. Returns true if the two are alike: at least half of the shorter
 * list is in the longer, and neither is empty. */
bool th__mdr_classes_share(th__mdr_classes *a, const th__mdr_classes *b);

/* ---- which tag strings are similar, sections 3.2.1 and 3.2.2 (mdr_tree.c) -------------------- */

enum { TH__MDR_MEMO_SLOTS = 4096 };

typedef struct th__mdr_memo {
    uint64_t a, b; /* hashes of the strings, or 0, 0 */
    bool similar;
} th__mdr_memo;

typedef struct th__mdr_compare {
    th__mdr_tree tree;
    const th__mdr_options *options;
    bool no_memory; /* a comparison failed: its answer was false */
    th__edit edit;
    th__mdr_memo *memo; /* by hash of the pair */
    int32_t *counts;    /* by tag, all 0; made when first needed */
} th__mdr_compare;

/* The page's tree, and what comparing its strings needs. Memory comes from the arena, which must
 * outlive it; release frees the rest, after a failure too. False if out of memory. */
bool th__mdr_compare_init(th__mdr_compare *compare, const th_page *page,
                          const th__mdr_options *options, th__arena *arena);
void th__mdr_compare_release(th__mdr_compare *compare);

/* The largest edit distance of strings of these lengths whose normalized distance (divided by the
 * mean of the two lengths) is within the threshold. */
uint32_t th__mdr_bound(uint32_t a_len, uint32_t b_len, double threshold);
/* True if two strings of tags are within a threshold: any, or the one of the options. *distance
 * (may be NULL) is their normalized distance then. */
bool th__mdr_within(th__mdr_compare *compare, th__symbols a, th__symbols b, double threshold,
                    double *distance);
bool th__mdr_similar(th__mdr_compare *compare, th__symbols a, th__symbols b);
/* The tag string of `size` siblings. False if one of them has a tag that cannot form records. */
bool th__mdr_combination(const th__mdr_compare *compare, uint32_t first, uint32_t size,
                         th__symbols *out);

/* ---- how records lie in generalized nodes, section 3.3 (mdr_tree.c) -------------------------- */

/* FindRecords-1 and FindRecords-n: WHOLE, CHILDREN or COLUMNS for the `size` siblings from `first`
 * on; *plain is true if they are of a data table. */
th__mdr_cut th__mdr_judge(th__mdr_compare *compare, uint32_t first, uint32_t size, bool *plain);

/* Records in the making: ranges of nodes of the tree. */
typedef struct th__mdr_rough {
    uint32_t range, range_count; /* in the list's ranges */
} th__mdr_rough;

typedef struct th__mdr_list {
    th__mdr_range_vec ranges;
    TH__VEC(th__mdr_rough) records;
} th__mdr_list;

/* These append to the list; false if out of memory. The children of a node or, with `columns`, the
 * k-th children of `size` siblings as one record: */
bool th__mdr_cut_inside(const th__mdr_tree *tree, uint32_t first, uint32_t size, bool columns,
                        th__mdr_list *list);
/* The records of a generalized node, cut in a given way (MIXED: as th__mdr_judge decides): */
bool th__mdr_cut_node(th__mdr_compare *compare, uint32_t first, uint32_t size, th__mdr_cut cut,
                      th__mdr_list *list);
/* The list's records with ranges of nodes of the page, in the arena. NULL if out of memory. */
th__mdr_record *th__mdr_list_on_page(const th__mdr_tree *tree, const th__mdr_list *list,
                                     th__arena *arena);

/* ---- FindDRs, IdentDRs and UnCoveredDRs, section 3.2.3 (mdr.c) ------------------------------- */

/* The paper's triple. Children count from 0. */
typedef struct th__mdr_triple {
    uint32_t combination; /* nodes of a generalized node */
    uint32_t start;       /* the first child */
    uint32_t count;       /* children covered */
} th__mdr_triple;

typedef TH__VEC(th__mdr_triple) th__mdr_triples;

/* The distances below one node: `similar` returns true if the combination of `size` children from
 * `child` on is similar to the next one. Called only if both exist. */
typedef struct th__mdr_distances {
    uint32_t children;
    bool (*similar)(void *context, uint32_t size, uint32_t child);
    void *context;
} th__mdr_distances;

/* IdentDRs: appends the data regions of a node's children to *out, in order. k is at most
 * TH__MDR_MAX_COMBINATION. False if out of memory. */
bool th__mdr_ident(const th__mdr_distances *distances, uint32_t k, th__mdr_triples *out);

/* ---- a region as a rule for other pages (mdr_rule.c) ------------------------------------- */

/*
 * The paper searches every page and keeps nothing. A rule keeps what the search found: where
 * the parent is, what a generalized node looks like, and how records lie in it. Running it compares
 * the children of that parent with the remembered tag strings; nothing is searched for.
 *
 *     {"cut": "whole", "threshold": 0.3, "class_threshold": 0.8,
 *      "parts": [{"parent": {"path": "html body ul", "id": "hits", "class": "list"},
 *                 "nodes": [{"tag": "li", "class": "hit"}],
 *                 "prototypes": ["li a b", "li a"],
 *                 "records": []}],
 *      "seen": {"generalized_nodes": 10, "records": 10}}
 *
 * A part is one parent; adjacent regions (record k is the k-th node of each) have several parts.
 * `nodes` are the nodes of a generalized node, with the tag and the classes that all of them had;
 * `prototypes` are tag strings, each unlike those before it; `records` are those of single records
 * where a generalized node holds several. A rule learnt as published has the cut "mixed" where
 * generalized nodes were cut in different ways, and "table_tags": true.
 */
enum {
    TH__MDR_RULE_MAX_PARTS = 16,
    TH__MDR_RULE_MAX_PATH = 1024,     /* tags above a parent */
    TH__MDR_RULE_MAX_PROTOTYPES = 16, /* of a part, of each kind */
    TH__MDR_RULE_MAX_STRING = 4096,   /* tags of a prototype */
    TH__MDR_RULE_MAX_NAME = 256       /* bytes of a tag's name: all that count */
};

/* A tag string: the names as written, and as numbers. */
typedef struct th__mdr_string {
    th_str names; /* "li a b" */
    const uint32_t *tags;
    uint32_t len;
} th__mdr_string;

/* A node of a generalized node. */
typedef struct th__mdr_rule_node {
    th_str tag;      /* absent: any */
    th_str classes;  /* those it must have, separated by blanks; may be empty */
    uint16_t tag_id; /* 0: any */
} th__mdr_rule_node;

typedef struct th__mdr_rule_part {
    th__mdr_string path; /* tags from the root to the parent */
    th_str id, classes;  /* the parent's attributes; absent or empty where it had none */
    const th__mdr_rule_node *nodes;
    uint32_t node_count; /* the combination */
    const th__mdr_string *prototypes, *records;
    uint32_t prototype_count, record_count;
} th__mdr_rule_part;

typedef struct th__mdr_rule {
    th__mdr_cut cut; /* MIXED: FindRecords, as published, judges each generalized node */
    double threshold, class_threshold;
    bool table_tags; /* only nodes of table and form tags are parts of records */
    const th__mdr_rule_part *parts;
    uint32_t part_count;
    uint32_t seen_nodes, seen_records; /* generalized nodes and records on the page it is from */
} th__mdr_rule;

extern const th__rule_shape th__mdr_rule_shape;

/* The records of a page, as a rule finds them, in page order. */
typedef struct th__mdr_found {
    const th__mdr_record *records;
    uint32_t record_count;
} th__mdr_found;

/* Runs a rule on a page; the records are in the arena, none if the page has none. False if out of
 * memory. */
bool th__mdr_run(const th__mdr_rule *rule, const th_page *page, th__arena *arena,
                 th__mdr_found *out);

/* The rule of a region that th__mdr_find found on the page with these options, in the arena. */
th_status th__mdr_learn(const th_page *page, const th__mdr_region *region,
                        const th__mdr_options *options, th__arena *arena, th__mdr_rule *out,
                        th_error *err);

extern const th__engine th__mdr_engine;

/* Appends the rule for people to read. */
void th__mdr_rule_print(const th__mdr_rule *rule, th__buf *out);

#endif
