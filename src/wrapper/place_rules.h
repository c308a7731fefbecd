/*
 * place_rules.h: where a value is on a page, by path, text near by, and order: the structural view.
 *
 *     after "Address:", 1st text at "dl.info > dd"
 *
 * A place rule looks for things (units of text, or elements) whose path is known, from a piece of
 * constant text onwards (or back from it), and takes the n-th. Without such a text it counts from
 * the beginning or the end of its scope. Several rules vote.
 */
#ifndef TH_PLACE_RULES_H
#define TH_PLACE_RULES_H

#include "index/page_map.h"

/* ---- labels
 * -----------------------------------------------------------------------------------------
 *
 * The text right before a member of a tuple on every page:
 *
 *     <dt>Type</dt><dd>Full time</dd>  <dt>Place</dt><dd>Berlin, Bern</dd>
 *
 * A reader who looks for a place takes nothing that is labelled as a type, and no label either. So
 * each field knows the labels of all members of its tuple, and which of them is its own. */

/* The labels of the members of a tuple: see th__anchor_hash. */
typedef struct th__label_set {
    const uint64_t *hashes;
    uint32_t count;
} th__label_set;

/* What is known of labels where a field is sought. */
typedef struct th__label_rule {
    const th__label_set *labels; /* NULL: nothing */
    uint64_t own;                /* 0: it has none, or several */
} th__label_rule;

/* Returns true if a text cannot be a field's value: it is a label, or is behind that of another
 * member. */
bool th__label_refuses(const th__label_rule *identified_by, const th__page_map *map,
                       const th__scope *scope, uint32_t unit);

/* ---- rules ----------------------------------------------------------------------------------- */

#define TH__NO_THING  UINT32_MAX
#define TH__ANY_REACH UINT32_MAX

typedef enum th__thing_kind {
    TH__THING_UNIT, /* a unit of text */
    TH__THING_NODE  /* an element */
} th__thing_kind;

typedef enum th__anchor_side {
    TH__ANCHOR_NONE,
    TH__ANCHOR_AFTER, /* what is sought is behind the text */
    TH__ANCHOR_BEFORE /* before it */
} th__anchor_side;

/* Which things are meant. */
typedef struct th__path_spec {
    th_str path;     /* steps as in view.h; empty: the element itself from which paths begin */
    uint64_t key;    /* its hash */
    uint32_t steps;  /* how many of the last steps count; 0: the path is whole, from the root */
    bool tags;       /* classes do not count, and the steps have none */
    th_str mark;     /* the path begins below the element with this mark; or absent */
    uint64_t marked; /* its hash */
    uint32_t cell;   /* only what is in the n-th cell of a row, from 1; 0: any */
    bool plain;      /* only elements with nothing but text and phrasing in them */
    bool bare;       /* nor anything with a class or a mark */
    uint8_t begins;  /* th_class of the token that its text begins with; TH_CLASS_ANY: any */
} th__path_spec;

typedef struct th__place_rule {
    th__path_spec at;
    uint8_t side;     /* th__anchor_side */
    th_str anchor;    /* the text, digits as written on the page it was learnt from */
    uint64_t hash;    /* of it */
    uint32_t reach;   /* units from the text to the thing at most, or TH__ANY_REACH */
    int32_t nth;      /* 0: the first; -1: the last before the anchor or the end */
    bool alone;       /* nothing else was at such a place on the labelled pages */
    uint32_t weight;  /* what its answer counts, */
    uint32_t against; /* and what counts against a value when it finds none */
} th__place_rule;

/* Ways to name the path of an element. */
enum {
    TH__PATH_BY_CLASSES,
    TH__PATH_BY_TAGS,
    TH__PATH_BY_MARK, /* from the nearest mark */
    TH__PATH_BY_END   /* its last step; and the next ones: one more step each */
};
/* Names the path of an element below `root`: fills in key, steps, tags and marked, and the element
 * where the path begins. False if it has no such path. */
bool th__path_spec_name(th__path_spec *spec, const th__page_map *map, uint32_t root, uint32_t node,
                        unsigned way, uint32_t *top);
/* Fills in the texts of such a spec, in the arena. False if out of memory. */
bool th__path_spec_write(th__path_spec *spec, const th_page *page, uint32_t top, uint32_t node,
                         th__arena *arena);
/* Fills in what follows from the texts of a rule. False when the path is none. */
bool th__path_spec_prepare(th__path_spec *spec);
bool th__path_spec_matches(const th__path_spec *spec, const th__page_map *map, uint32_t root,
                           th__thing_kind kind, uint32_t thing);
/* Which cell of its row a node is in, from 1; 0: in none below the root. */
uint32_t th__cell_of(const th_page *page, uint32_t root, uint32_t node);
bool th__path_spec_equal(const th__path_spec *a, const th__path_spec *b);

/* The things of a scope: first to one past the last. */
void th__things_in(const th__page_map *map, const th__scope *scope, th__thing_kind kind,
                   uint32_t *first, uint32_t *end);
/* The element of a thing, and the number of units that are before it. */
uint32_t th__thing_node(const th__page_map *map, th__thing_kind kind, uint32_t thing);
uint32_t th__thing_units_before(const th__page_map *map, th__thing_kind kind, uint32_t thing);

/* Returns true if there is text in a thing. */
bool th__thing_has_text(const th__page_map *map, th__thing_kind kind, uint32_t thing);

/* How many things of a scope a spec matches. */
uint32_t th__things_count(const th__path_spec *spec, const th__page_map *map,
                          const th__scope *scope, th__thing_kind kind);

/* The thing, or TH__NO_THING. Linear in the scope. */
uint32_t th__place_find(const th__place_rule *rule, const th__page_map *map, const th__scope *scope,
                        th__thing_kind kind);

enum {
    TH__PLACES_MOST = 8,   /* rules for one place */
    TH__ANCHORS_TRIED = 64 /* places of an anchor's text: keeps a search linear */
};

/* What rules say of a scope: the thing with most votes, or none. With `texts`, an element without
 * text counts as none. What `identified_by` refuses does, too. *support (may be NULL): the share of
 * votes for it. */
uint32_t th__place_rules_vote(const th__place_rule *rules, uint32_t count,
                              const th__label_rule *identified_by, const th__page_map *map,
                              const th__scope *scope, th__thing_kind kind, bool texts,
                              double *support);

/* ---- learning ----------------------------------------------------------------------------------
 *
 * Rules are learnt from examples, with the help of pages without labels: place_learn.c. */

#define TH__UNKNOWN_THING (UINT32_MAX - 1)

typedef struct th__place_instance {
    const th__page_map *map;
    th__scope scope;
    uint32_t thing; /* that is right; TH__NO_THING: missing; TH__UNKNOWN_THING: no label */
} th__place_instance;

typedef struct th__place_task {
    const th__place_instance *instances;
    uint32_t count;
    th__thing_kind kind;
    bool texts; /* an element without text counts as none */
    th__label_rule identified_by;
    /* How much a thing looks like those labelled, 0 to 1. */
    double (*alike)(void *context, uint32_t instance, uint32_t thing);
    /* Returns true if there is no value in a thing after all: it is found where the value is
     * missing, and rightly. */
    bool (*empty)(void *context, uint32_t instance, uint32_t thing);
    void *context;
} th__place_task;

typedef struct th__place_rules {
    th__place_rule *rules; /* best first; none when nothing is right on all labels */
    uint32_t count;
    uint32_t right; /* labelled instances that the rules together are right on */
} th__place_rules;

/* In the arena. False if out of memory. */
bool th__place_rules_learn(const th__place_task *task, th__arena *arena, th__place_rules *out);

#endif
