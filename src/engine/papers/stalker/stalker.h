/*
 * stalker.h: the rules of a STALKER wrapper, and what learning, running and looking at them share.
 *
 * The rules are an embedded catalog tree, as the schema is one:
 *
 *     page                                    tuple
 *      ├─ name           start, end           field
 *      └─ restaurants    list rule, item rule list
 *          └─ restaurant                      tuple
 *              ├─ address                     field
 *              └─ phones                      list of fields
 *
 * Each node is sought in the scope of its parent. A field has up to three views of its place:
 * forward rules, backward rules, and the structural one. Each finds it by itself;
 * where they disagree the one with most support decides. stalker.c has the idea.
 */
#ifndef TH_STALKER_H
#define TH_STALKER_H

#include "data/schema.h"
#include "index/view.h"
#include "page/lex.h"
#include "wrapper/corpus.h"
#include "wrapper/engine.h"
#include "wrapper/rule_table.h"

/* ---- the texts of a page ------------------------------------------------------------------------
 *
 * A unit is a run of text without a tag in it: what is in the source between two tags, or two
 * signs that separate the values of a line ("Bern | 4 stars"); such a sign is a unit of its own,
 * and ends lines. view.h says where the elements around them are.
 */

typedef struct th__text_unit {
    uint32_t token, node; /* coarse token; the innermost element */
    th_span span;         /* without blanks at either end */
    uint64_t hash;        /* of its text: see th__anchor_key */
    bool sign;            /* separates the values of a line */
} th__text_unit;

typedef struct th__page_map {
    const th_page *page;
    th__addresses at; /* of its elements */
    th__text_unit *units;
    uint32_t count;
    uint32_t *before;     /* by coarse token, and one more: how many units are before it */
    const uint8_t *holds; /* by node: th__content */
} th__page_map;

/* Returns true if a sign that separates values is in a stretch. */
bool th__span_has_sign(const th_page *page, th_span span);

/* A stretch of a page in which values are sought: an element, neighbours under one parent, or a
 * part of a text. */
typedef struct th__scope {
    uint32_t root;       /* paths begin below this node */
    uint32_t token, end; /* coarse tokens that begin in it */
    th_span span;
} th__scope;

typedef struct th__scopes {
    th__scope *data;
    size_t len, cap;
} th__scopes;

th__scope th__scope_page(const th_page *page);

/* The text of a span as people read it, in the arena; absent if out of memory. */
th_str th__span_copy(th__arena *arena, const th_page *page, th_span span);
/* The first unit from one on, up to another, whose text has a hash; or `end`. */
static inline uint32_t th__map_find(const th__page_map *map, uint32_t first, uint32_t end,
                                    uint64_t hash)
{
    while (first < end && map->units[first].hash != hash)
        first++;
    return first;
}

/* Returns true if they flow as one text: in one line, and no sign separates them. */
bool th__map_flows(const th__page_map *map, uint32_t unit);

/* How many units end at or before a byte, and how many begin before it. */
uint32_t th__map_unit_at(const th__page_map *map, uint32_t offset);
uint32_t th__map_units_to(const th__page_map *map, uint32_t offset);

/* ---- place rules: the structural view -----------------------------------------------------------
 *
 *     after "Address:", 1st text at "dl.info > dd"
 *
 * A place rule looks for things (units of text, or elements) whose path is known, from a piece of
 * constant text onwards (or back from it), and takes the n-th. Without such a text it counts from
 * the beginning or the end of its scope. Several rules vote.
 */

/* ---- labels -------------------------------------------------------------------------------------
 *
 * The text right before a member of a tuple on every page:
 *
 *     <dt>Type</dt><dd>Full time</dd>  <dt>Place</dt><dd>Berlin, Bern</dd>
 *
 * A reader who looks for a place takes nothing that is labelled as a type, and no label either. So
 * each field knows the labels of all members of its tuple, and which of them is its own. */

/* The labels of the members of a tuple: see th__anchor_key. */
typedef struct th__label_set {
    const uint64_t *hashes;
    uint32_t count;
} th__label_set;

/* What is known of labels where a field is sought. */
typedef struct th__label_rule {
    const th__label_set *labels; /* NULL: nothing */
    uint64_t own;                /* 0: it has none, or several */
} th__label_rule;

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

/* The things of a scope: first to one past the last. */
void th__things_in(const th__page_map *map, const th__scope *scope, th__thing_kind kind,
                   uint32_t *first, uint32_t *end);
/* The element of a thing, and the number of units that are before it. */
uint32_t th__thing_node(const th__page_map *map, th__thing_kind kind, uint32_t thing);
uint32_t th__thing_units_before(const th__page_map *map, th__thing_kind kind, uint32_t thing);

/* The class of the token that a thing's text begins with; TH_CLASS_ANY: it has no text. */
th_class th__thing_begins(const th__page_map *map, th__thing_kind kind, uint32_t thing);
/* Returns true if a thing may be a field's value: it has text, which with `texts` it must, and is
 * neither a label nor labelled as another member of the tuple. */
bool th__thing_may_be(const th__label_rule *identified_by, const th__page_map *map,
                      const th__scope *scope, th__thing_kind kind, bool texts, uint32_t thing);

enum {
    TH__PLACES_MOST = 8,   /* rules for one place */
    TH__ANCHORS_TRIED = 64 /* places of an anchor's text: keeps a search linear */
};

typedef struct th__place_vote {
    double support;  /* the share of votes for what was found */
    uint32_t voters; /* bit i: the i-th rule found it */
} th__place_vote;

/* What rules say of a scope: the thing with most votes, or none. With `texts`, an element without
 * text counts as none, and so does what `identified_by` refuses. `vote` may be NULL. */
uint32_t th__place_rules_vote(const th__place_rule *rules, uint32_t count,
                              const th__label_rule *identified_by, const th__page_map *map,
                              const th__scope *scope, th__thing_kind kind, bool texts,
                              th__place_vote *vote);

/* ---- landmark rules: stalker_induce.c --------------------------------------------------------
 *
 * The tokens they match, how they are written, where they lead, and how they are learnt.
 *
 *     either SkipTo(Address : <b>)
 *     or     SkipTo(Address) SkipTo(<i>)
 *
 * A rule is an ordered list of disjuncts; the first that matches decides. A disjunct is a list of
 * landmarks, each sought from where the one before it ended. A landmark is a group of consecutive
 * tokens: words and signs as they are, tags by name (<i>, </i>), tags by name and class
 * (<div.price>, see view.h; ours, not the paper's), and wildcards (_Number_, _HtmlTag_, ...).
 *
 * SkipTo stops behind its landmark, SkipUntil before it. A backward rule (BackTo, BackUntil) goes
 * from the end of its range towards the beginning; its landmarks are written in reading order all
 * the same, and BackTo stops before its landmark. */

/* ---- tokens ------------------------------------------------------------------------------------
 *
 * A page is a sequence of words, numbers, signs and tags. Blanks are not tokens: a rule that held
 * on one page must not fail on the next because somebody indented it. Only several no-break spaces
 * are one, which is written &nbsp; in rules. A position is the number of tokens before it, 0 to
 * count. */

#define TH__STALKER_GAP "&nbsp;"

typedef struct th__stalker_token {
    uint32_t start, end; /* source bytes */
    uint32_t sym;        /* hash of its text; of a tag: of its name */
    uint32_t step;       /* of a start tag with a class: hash of both; else 0 */
    uint16_t tag;        /* tag id of a tag, else 0 */
    uint8_t cls;         /* th_class, a leaf of the tree of classes */
} th__stalker_token;

typedef struct th__stalker_seq {
    const th_page *page;
    th__stalker_token *tokens;
    uint32_t count;
} th__stalker_seq;

/* The tokens of a span. In the arena. False if out of memory. */
bool th__stalker_seq_make(th__arena *arena, const th_page *page, th_span span,
                          th__stalker_seq *out);

/* How many tokens begin before a byte. */
uint32_t th__stalker_seq_at(const th__stalker_seq *seq, uint32_t offset);

/* ---- landmarks ------------------------------------------------------------------------------- */

enum {
    TH__STALKER_MAX_TOKENS = 32,   /* of a landmark */
    TH__STALKER_MAX_LANDMARKS = 8, /* of a disjunct */
    TH__STALKER_MAX_DISJUNCTS = 64 /* of a rule */
};

typedef enum th__mark_kind {
    TH__MARK_TEXT, /* a word, a number, a sign */
    TH__MARK_TAG,  /* a tag by its name */
    TH__MARK_STEP, /* a start tag by name and class */
    TH__MARK_WILD  /* any token of a class */
} th__mark_kind;

typedef struct th__mark {
    uint8_t kind; /* th__mark_kind */
    uint8_t cls;  /* th_class of a wildcard */
    uint32_t sym; /* of anything else */
    th_str text;  /* as written in a rule, before escaping */
} th__mark;

typedef struct th__landmark {
    th__mark *marks; /* in reading order, whatever the direction */
    uint32_t count;
    bool until; /* SkipUntil, BackUntil */
} th__landmark;

typedef struct th__disjunct {
    th__landmark *landmarks; /* in the order in which they are sought; none: stays where it is */
    uint32_t count;
} th__disjunct;

typedef struct th__landmark_rule {
    th__disjunct *disjuncts; /* tried in this order */
    uint32_t count;
    bool backward;
    bool to_end; /* where no disjunct matches it leads to the other end of its range */
} th__landmark_rule;

#define TH__NO_MATCH UINT32_MAX

/* The wildcards, most specific first, in the paper's notation. */
typedef struct th__wildcard {
    const char *name;
    uint8_t cls;
} th__wildcard;
enum { TH__WILDCARDS = 7 };
extern const th__wildcard th__wildcards[TH__WILDCARDS];

/* Where a disjunct or a rule leads from the beginning (a backward one: from the end) of the tokens
 * first to last, or TH__NO_MATCH. *which (may be NULL) is the disjunct that matched. Linear in the
 * tokens times the length of landmarks. */
uint32_t th__disjunct_run(const th__disjunct *disjunct, bool backward, const th__stalker_seq *seq,
                          uint32_t first, uint32_t last);
uint32_t th__rule_run(const th__landmark_rule *rule, const th__stalker_seq *seq, uint32_t first,
                      uint32_t last, uint32_t *which);

/* What a mark means whose text was written, with a backslash before it if `escaped`. What is wrong
 * with it (static), or NULL. */
const char *th__mark_read(bool escaped, th__mark *mark);

/* In the paper's notation. */
void th__disjunct_write(const th__disjunct *disjunct, bool backward, th__buf *out);
/* Back from it, in the arena. On failure *problem (static) says what is wrong, NULL: no memory. */
bool th__disjunct_read(th_str text, th__arena *arena, bool backward, th__disjunct *out,
                       const char **problem);

static inline bool th__mark_matches(const th__mark *mark, const th__stalker_token *token)
{
    if (mark->kind == TH__MARK_WILD)
        return th__class_is(token->cls, mark->cls);
    return mark->sym == (mark->kind == TH__MARK_STEP ? token->step : token->sym);
}

/* ---- induction: see stalker_induce.c ---------------------------------------------------------
 */

/* Where the item of an example is. A position anywhere from low to high is right. */
typedef struct th__stalker_example {
    const th__stalker_seq *seq;
    uint32_t first, last; /* the tokens in which the rule is run */
    uint32_t low, high;
    uint32_t item_first, item_last; /* tokens of the item itself: its words say little of others */
    bool none;                      /* the item is missing: a rule must not match */
} th__stalker_example;

typedef struct th__stalker_task {
    const th__stalker_example *examples;
    uint32_t count;
    bool backward;
    bool until;     /* SkipUntil may be used too */
    bool classes;   /* landmarks may name a tag's class: ours */
    bool to_end;    /* items may reach to the end of their range: then no disjunct may match */
    bool published; /* the paper's order of refiners */
    const th_cancel *cancel; /* or NULL */
} th__stalker_task;

typedef struct th__stalker_learnt {
    th__landmark_rule rule;
    uint32_t right;     /* examples that the rule is right on, missing ones included */
    uint32_t imperfect; /* disjuncts that are wrong on some example */
} th__stalker_learnt;

/* In the arena. False if out of memory. */
bool th__stalker_induce(const th__stalker_task *task, th__arena *arena, th__stalker_learnt *out);

/* Returns true if a rule is right on an example. */
bool th__stalker_right(const th__landmark_rule *rule, const th__stalker_example *example);

/* ---- rules ----------------------------------------------------------------------------------- */

typedef enum th__stalker_view {
    TH__VIEW_STRUCTURE,
    TH__VIEW_FORWARD,
    TH__VIEW_BACKWARD,
    TH__VIEWS
} th__stalker_view;

/* Start and end by landmarks. Forward, the end is sought from the start on; backward, both are
 * sought from the end of the scope. */
typedef struct th__landmark_view {
    th__landmark_rule start, end;
    uint32_t weight; /* 0: not learnt */
} th__landmark_view;

typedef struct th__stalker_field {
    bool whole;       /* the value is all of the scope: an item of a list */
    bool extent;      /* it is where a list is: tags at its ends belong to it */
    bool always;      /* it was missing nowhere where it was learnt */
    bool apart;       /* no other member of its tuple was ever inside it, or it inside one */
    bool simple;      /* labelled values are one line each, without a sign that separates texts */
    bool literal;     /* "n/a" and the like are values: a labelled one is */
    th_str attribute; /* the value is that of an attribute; absent: it is text */
    th__label_rule identified_by; /* labels of its tuple */
    /* The structural view. */
    uint8_t thing; /* th__thing_kind */
    th__place_rule *places;
    uint32_t place_count;
    uint32_t weight;
    bool full; /* of units: the value is all of its element, whatever markup is inside */
    bool from_start, to_end; /* of units: the value is all from the beginning, or to the end, of its
                                line, whatever markup is inside */
    bool cut; /* the value is part of the thing's text: from cut_start on, up to cut_end */
    th__landmark_rule cut_start, cut_end;
    /* The paper's. */
    th__landmark_view forward, backward;
} th__stalker_field;

typedef enum th__list_kind {
    TH__LIST_LANDMARKS, /* items are found by landmarks alone */
    TH__LIST_SIGNS,     /* texts with a sign between them */
    TH__LIST_LINES,     /* an item is a line of text, with the lines below it */
    TH__LIST_SINGLE,    /* one text at most, found as a field is */
    TH__LIST_PARTS,     /* texts of several kinds of places: what all parts find */
    TH__LIST_ELEMENTS,  /* an item is an element */
    TH__LIST_UNITS,     /* an item is a unit of text */
    TH__LIST_RUNS       /* an item reaches from one element or unit to the next such */
} th__list_kind;

/* A sign without the blanks at its ends; before, behind: a blank is always there. */
typedef struct th__list_sign {
    th_str text;
    bool before, behind;
} th__list_sign;

typedef struct th__stalker_list {
    uint8_t kind;                 /* th__list_kind */
    bool texts;                   /* items are texts: an element without text is not one */
    bool start_is_unit;           /* of runs: what they begin with */
    bool together;                /* only items under the same parent as the first */
    th__label_rule identified_by; /* of texts: labels of the tuple that the list is in */
    th__path_spec at;             /* of items, or of what runs begin with */
    th_str after, before;         /* texts between which the items are, or absent */
    uint64_t after_hash, before_hash;
    th__stalker_field
        *span; /* of landmarks, signs and lines: where the list is, as a field; NULL: anywhere */
    bool with_tags; /* of landmarks: the tags around the list's text belong to its items */
    bool indented;  /* of lines: items begin further in than other lines */
    th_str sign;    /* between texts; a blank at either end means any blanks */
    struct th__stalker_node *parts; /* lists or single texts, none with parts of its own */
    uint32_t part_count;
    th__landmark_view item; /* where the next item begins after the beginning of one, and where one
                               ends */
} th__stalker_list;

typedef struct th__stalker_node {
    const th_type *type; /* optionals looked through */
    bool own_lines;      /* of a tuple: its texts are before the lines that begin further in */
    th_str label;        /* the text right before it on every labelled page; or absent */
    uint64_t label_hash;
    th__stalker_field *field;
    th__stalker_list *list;
    struct th__stalker_node *children; /* members, alternatives, the item */
    uint32_t count;
} th__stalker_node;

/* A place where no labelled page has text, or a text at a place of labels that none of them has. */
typedef struct th__unlabelled_spot {
    th__path_spec at;
    th_str text; /* absent: any */
    uint64_t hash;
} th__unlabelled_spot;

typedef struct th__stalker_rules {
    th__stalker_node root; /* of the schema's root */
    th__unlabelled_spot *spots;
    uint32_t spot_count;
    bool unparted;  /* signs such as | are parts of values: they do not separate texts */
    bool published; /* as published: co-testing is naive */
} th__stalker_rules;

enum { TH__STALKER_MAX_PARTS = 32, TH__STALKER_MAX_SPOTS = 32 };

/* An empty node for a type, with all below it. False if out of memory. */
bool th__stalker_node_make(th__arena *arena, const th_type *type, th__stalker_node *out);
/* Lets the fields of a tuple's members know the labels of all of them. NULL if out of memory. */
const th__label_set *th__stalker_share_labels(th__arena *arena, th__stalker_node *tuple);
/* ---- running: stalker_run.c ------------------------------------------------------------------ */

/* A page with what the views need of it, made when it is first asked for. */
typedef struct th__stalker_page {
    const th_page *page;
    th__arena *arena;
    const th__page_map *map; /* NULL: not made yet, as the tokens are */
    const th__stalker_seq *seq;
    uint32_t pieces; /* bytes of values whose tokens were made piece by piece */
    bool unparted;   /* as the rules say */
    bool failed;     /* out of memory */
} th__stalker_page;

const th__page_map *th__stalker_page_map(th__stalker_page *page);
const th__stalker_seq *th__stalker_page_seq(th__stalker_page *page);

/* What a view says. A missing value has the span {0, 0}. */
typedef struct th__stalker_answer {
    th_span span;
    double support;   /* 0: the view was not learnt */
    uint32_t node;    /* of the structure: the element that it found */
    double agreement; /* of all together: the part of those asked that say so; 0: one alone */
} th__stalker_answer;

/* The answer of one view, and that of all together. */
th__stalker_answer th__stalker_ask(const th__stalker_field *field, th__stalker_view view,
                                   th__stalker_page *page, const th__scope *scope);
th__stalker_answer th__stalker_decide(const th__stalker_field *field, th__stalker_page *page,
                                      const th__scope *scope);

/* The part of a thing that a field's cut rules leave, or the thing whole. False when they do not
 * match, and when it says that there is no value. */
bool th__stalker_thing_span(const th__stalker_field *field, th__stalker_page *page, uint32_t thing,
                            th_span *out);
/* Returns true if a text is one line, without a sign that separates texts. */
bool th__stalker_is_simple(const th__page_map *map, th_span span);
/* Returns true if a unit begins a line of text, or follows the field's label in one. */
static inline bool th__stalker_begins_line(const th__stalker_field *field, const th__page_map *map,
                                           uint32_t unit)
{
    return !unit || !th__map_flows(map, unit - 1) ||
           (field->identified_by.own && map->units[unit - 1].hash == field->identified_by.own);
}

/* The tokens that cut rules run over: the page's, or those of an attribute's value. */
const th__stalker_seq *th__stalker_cut_seq(const th__stalker_field *field, th__stalker_page *page,
                                           th_span span);

/* Where the items of a list are. Appends to the vector; false if out of memory. */
bool th__stalker_items(const th__stalker_list *list, th__stalker_page *page, const th__scope *scope,
                       th__scopes *out);
/* The part of a scope in which a member of a tuple is sought: texts of a tuple with lists in lines
 * below are before those. */
th__scope th__stalker_member_scope(const th__stalker_node *tuple, const th__stalker_node *member,
                                   th__stalker_page *page, const th__scope *scope);

/* A text of a list, and the field whose it is. */
typedef struct th__list_text {
    const th__stalker_field *field;
    th_span span;
} th__list_text;
typedef struct th__list_texts {
    th__list_text *data;
    size_t len, cap;
} th__list_texts;
/* The texts of a list of texts, in the order of the page. False if out of memory. */
bool th__stalker_texts(const th__stalker_node *node, th__stalker_page *page, const th__scope *scope,
                       th__list_texts *out);

/* The element whose text a unit of a node is, markup of single words left out. */
uint32_t th__stalker_text_block(const th__page_map *map, uint32_t node);
/* Returns true if a stretch has anything in common with the texts of a value. */
bool th__stalker_overlaps(const th_value *value, th_span span);

th_status th__stalker_run(const void *rules, const th_schema *schema, const th_page *page,
                          const th_records_source *source, th_records **out, th_error *err);

/* ---- learning: stalker.c, stalker_field.c, stalker.c -------------------------------------
 */

/* What the learner of one corpus has at hand. */
typedef struct th__stalker_learner {
    bool paper; /* landmark rules as published, and nothing else */
    const th__corpus *corpus;
    th__arena *arena;             /* of the rules */
    th__arena scratch;            /* freed at the end */
    th__stalker_page *pages;      /* by page of the corpus */
    bool quiet;                   /* this is an attempt: no notes of it */
    bool missed;                  /* a label that no rule gives: see th__corpus.exact */
    th__label_rule identified_by; /* labels that the member at hand goes by */
    th__buf name;                 /* of the node at hand: "restaurants.address" */
} th__stalker_learner;

/* A place where a node of the catalog is to be found: the page, or an item of the list above it. */
typedef struct th__stalker_instance {
    uint32_t page;
    th__scope scope;
    bool labelled;
    bool sample;           /* its list may have more items than are labelled */
    const th_value *value; /* NULL where it is missing, or not labelled */
} th__stalker_instance;

typedef struct th__instances {
    th__stalker_instance *data;
    size_t len, cap;
} th__instances;

/* Where the text of a value is; {0, 0} when it is missing or empty. */
th_span th__stalker_value_span(const th_value *value);

/* Learns nothing more if only rules that give all labels are wanted: returns false then. */
static inline bool th__stalker_miss(th__stalker_learner *l)
{
    l->missed = l->corpus->exact;
    return !l->missed;
}

/* Learns the rules of a field. `note`: notes where they are not right. False if out of memory. */
bool th__stalker_learn_field(th__stalker_learner *l, th__stalker_field *field,
                             const th__instances *instances, bool note);

th_status th__stalker_learn(const th_learn_options *options, const th__corpus *corpus,
                            th__arena *arena, th_schema **schema, void **rules, th_error *err);

extern const th__engine th__stalker_engine;

#endif
