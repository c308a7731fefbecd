/*
 * mdr_rule.h: a data region as a rule that can be run on other pages of the site.
 *
 * The paper searches every page anew and keeps nothing. A rule keeps what the search found: where
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
#ifndef TH_MDR_RULE_H
#define TH_MDR_RULE_H

#include <jansson.h>

#include "base/json_out.h"
#include "engine/papers/mdr/mdr.h"
#include "engine/papers/mdr/mdr_class.h"
#include "wrapper/rule_json.h"

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
    const uint16_t *tags;
    uint32_t len;
} th__mdr_string;

/* A node of a generalized node. */
typedef struct th__mdr_rule_node {
    th_str tag;      /* absent: any */
    th_str classes;  /* those it must have, parted by blanks; may be empty */
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
    th__arena arena;
    th__mdr_cut cut; /* MIXED: FindRecords, as published, judges each generalized node */
    double threshold, class_threshold;
    bool table_tags; /* nodes of other tags than those of tables and forms are none of records */
    const th__mdr_rule_part *parts;
    uint32_t part_count;
    uint32_t seen_nodes, seen_records; /* generalized nodes and records on the page it is from */
} th__mdr_rule;

void th__mdr_rule_free(th__mdr_rule *rule);

/* mdr_json.c */
void th__mdr_rule_write(const th__mdr_rule *rule, th__json *json);
/* Reads and checks everything. Caller frees the rule. */
th_status th__mdr_rule_read(th__rule_reader *rules, json_t *json, th__mdr_rule **out);
/* For those that make rules: a tag string of names; NULL names when there is no memory. */
th__mdr_string th__mdr_string_make(th__arena *arena, th_str names);

/* mdr_show.c: the rule for people. */
bool th__mdr_rule_print(const th__mdr_rule *rule, th__buf *out);

/* The records of a page, as a rule finds them. */
typedef struct th__mdr_found {
    th__arena arena;
    const th__mdr_record *records; /* in page order */
    uint32_t record_count;
    uint32_t parent; /* the node whose children they are made of; 0 when there are none */
} th__mdr_found;

/* mdr_run.c: runs a rule on a page. A page without such records gives none, which is no error.
 * Caller frees. */
th_status th__mdr_run(const th__mdr_rule *rule, const th_page *page, th__mdr_found **out,
                      th_error *err);
void th__mdr_found_free(th__mdr_found *found);

#endif
