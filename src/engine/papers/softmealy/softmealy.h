/*
 * softmealy.h: SoftMealy, a finite-state transducer that reads a page once.
 *
 * Hsu, Dung: Generating finite-state transducers for semi-structured data extraction from the Web,
 * Information Systems 23(8), 1998.
 *
 * The idea
 *  - A page is a row of tokens. Between two tokens lies a separator, known by its context: tokens
 *    to its left and to its right.
 *  - A wrapper is a transducer. It has a state for each attribute (what is read there is the
 *    value), one for what follows each attribute (its dummy: what is read there is skipped), and b
 *    and e for the begin and the end of a tuple. Separators move it from state to state.
 *  - Which separators do, contextual rules say: s<i,j>^L and s<i,j>^R, alternatives of tokens that
 *    may be ground, Html(<i>), or any of a class, Html(_). Each order of attributes is a path
 *    through the transducer, and paths nobody has labelled come for free.
 *  - Rules are learnt from labelled tuples: their separators' contexts, no longer than a few signs
 *    and one word, are laid into columns, and each column climbs a tree of classes as far as it
 *    must (Algorithm 1).
 *  - What goes wrong is mended by a corrected label: it adds a rule, or memorizes a string.
 *
 *     <LI> <A HREF="..mani.html"> Mani Chandy</A>, <I>Professor of Computer Science</I>
 *          |                     |           |       |                             |
 *        s<b,U>      s<U,-U>,s<-U,N>      s<N,-N>  s<-N,A>                       s<A,e>
 *
 *     s<-N,A>^L ::= Html(</a>) Punc(,) Spc(_) Html(<i>) | Punc(_) NL(_) Spc(_) Html(<i>)
 *     s<-N,A>^R ::= C1Alph(_)
 *
 * Glossary
 *  separator     the borderline between two tokens, here the number of the token after it
 *  context       the tokens beside a separator, counted outwards from it
 *  contextual rule  one alternative of left and one of right contexts
 *  dummy         what is skipped after an attribute: written -N
 *  body          the part of a page that holds the tuples; rules h^L and t^R find it
 *  string rule   a memorized value in place of a pattern; goes before all patterns
 *
 * Ours, each a switch of th__sm_options; `paper` turns all off
 *  - ground_html: with a single example the paper makes Html(_) even of <i>; we keep tags as they
 *    are. A tag's ground form lists the attributes that are no data, and two tags of one name have
 *    those in common as their ancestor: <td class=a> and <td class=b> meet in <td>, not in Html(_).
 *  - no_blanks: white space is no token, since pages are indented by programs. Only where far
 *    fewer rules are enough that way are ends of lines tokens: in lists made by hand they may be
 *    all that tells one attribute from the next.
 *  - check: a rule that fires at a wrong place of the labelled tuples is taken apart again, and its
 *    contexts are lengthened beyond the bias.
 *  - free_order: rules s<*,k> and s<k,*> for orders that nobody has labelled, made of all
 *    separators before (after) an attribute, as short as the labelled pages and the agreement over
 *    the unlabelled ones allow. Where a page is one record they carry most of the work.
 *  - resync: a tuple's start ends a tuple that has not come to its end.
 *
 * Cost: extraction looks at each separator once, and there at the rules of one state that can fit
 * the two tokens beside it: linear in the page, times the rules. It needs a page's tokens around
 * the current value alone, so that it can run on a stream: see softmealy_stream.c. Learning is
 * linear in the pages, times the labelled separators.
 */
#ifndef TH_SOFTMEALY_H
#define TH_SOFTMEALY_H

#include <thresh.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "page/page.h"

enum {
    TH__SM_MAX_ATTRIBUTES = 1000,
    TH__SM_MAX_CONTEXT = 32,   /* tokens of a pattern's context, each side */
    TH__SM_MAX_STRING = 1024,  /* tokens of a string rule's context */
    TH__SM_MAX_RULES = 65536,  /* pairs of left and right alternatives of a wrapper */
    TH__SM_MAX_VALUE = 1 << 20 /* bytes from the begin to the end of a value */
};

/* ---- tokens ---------------------------------------------------------------------------------- */

typedef struct th__sm_token {
    uint32_t start, end; /* bytes of the page */
    uint32_t coarse;     /* of a tag: its coarse token; of a blank: its length */
    uint16_t tag;        /* of a tag: its id */
    uint8_t cls;         /* th_class */
    uint8_t flags;       /* TH_FINE_... */
} th__sm_token;

typedef TH__VEC(th__sm_token) th__sm_tokens;

/* Which white space counts: all; runs that hold the end of a line, each as NL(1); none. */
typedef enum th__sm_blanks { TH__SM_ALL_BLANKS, TH__SM_LINES, TH__SM_NO_BLANKS } th__sm_blanks;

/* How a page is cut into tokens. */
typedef struct th__sm_lexing {
    uint8_t blanks; /* th__sm_blanks */
    bool split;     /* letters and digits that touch are tokens of their own: CA90210 */
} th__sm_lexing;

/* Appends the tokens of a stretch of a page. False without memory. */
bool th__sm_lex(const th_page *page, th_span span, th__sm_lexing how, th__sm_tokens *out);

/* ---- items: what a context is made of -------------------------------------------------------- */

/* An attribute that a ground tag must have. */
typedef struct th__sm_mark {
    th_str name, value;
    bool words; /* of class: all words of value, among others */
} th__sm_mark;

/* A token, t(v), or any of a class, t(_). */
typedef struct th__sm_item {
    uint8_t cls; /* th_class; a token is of it or of one below it */
    bool ground;
    uint16_t tag; /* of a ground tag */
    uint16_t mark_count;
    uint32_t count; /* of a ground blank */
    th_str text;    /* of a ground word, sign or comment; a ground tag's name */
    const th__sm_mark *marks;
} th__sm_item;

/* The items of a context, outwards from the separator: items[0] is next to it. */
typedef struct th__sm_context {
    const th__sm_item *items;
    uint32_t count;
} th__sm_context;

bool th__sm_item_matches(const th__sm_item *item, const th_page *page, const th__sm_token *token);
bool th__sm_item_equal(const th__sm_item *a, const th__sm_item *b);
/* The same for equal items. */
uint64_t th__sm_item_hash(const th__sm_item *item);
bool th__sm_context_equal(const th__sm_context *a, const th__sm_context *b);
/* Of how many tokens a context must match ground. */
uint32_t th__sm_context_ground(const th__sm_context *context);

/* Whether the tokens before (after) the separator `at` fit. */
bool th__sm_left_fits(const th__sm_context *context, const th_page *page,
                      const th__sm_tokens *tokens, uint32_t at);
bool th__sm_right_fits(const th__sm_context *context, const th_page *page,
                       const th__sm_tokens *tokens, uint32_t at);

/* The paper's notation: "Html(</a>) Punc(,) Spc(_)", in the order of the page. An empty context,
 * which fits everywhere, is "-". */
void th__sm_context_print(const th__sm_context *context, bool left, th__buf *out);
/* Reads it. On a fault *fault says what is wrong and *where at which byte. Items are in the arena;
 * false, with *fault NULL, without memory. */
bool th__sm_context_parse(th_str text, bool left, th__arena *arena, th__sm_context *out,
                          const char **fault, size_t *where);
/* SoftMealy's name of a class: "C1Alph". Static. */
const char *th__sm_class_name(unsigned cls);

/* ---- rules ----------------------------------------------------------------------------------- */

typedef uint16_t th__sm_state;

enum {
    TH__SM_BEGIN = 0,
    TH__SM_END = 1,
    TH__SM_ANY = UINT16_MAX /* as a source: b and all dummies; as a target: the attribute's dummy */
};

static inline th__sm_state th__sm_attribute_state(uint32_t attribute)
{
    return (th__sm_state)(2 + 2 * attribute);
}
static inline th__sm_state th__sm_dummy_state(uint32_t attribute)
{
    return (th__sm_state)(3 + 2 * attribute);
}
static inline bool th__sm_is_attribute(th__sm_state state)
{
    return state >= 2 && state != TH__SM_ANY && state % 2 == 0;
}
static inline uint32_t th__sm_attribute_of(th__sm_state state)
{
    return (state - 2u) / 2;
}

/* Every left alternative with every right one. */
typedef struct th__sm_group {
    th__sm_context *lefts, *rights;
    uint32_t left_count, right_count;
    bool string; /* memorized by error recovery */
} th__sm_group;

/* s<from,to>. */
typedef struct th__sm_edge {
    th__sm_state from, to;
    uint32_t group_count;
    th__sm_group *groups;
    bool apart; /* while learning: what it generalized to was wrong, and was taken apart again */
} th__sm_edge;

typedef struct th__sm_attribute {
    th_str path;      /* of the field in a record: "reviews.author" */
    uint32_t leaf;    /* which of the schema's fields in preorder */
    th_str source;    /* the attribute of the tag whose value it is; absent: text */
    uint32_t same_as; /* stands at the same place as this attribute, which has a state for both;
                         itself otherwise */
    bool many;        /* may come again in a tuple */
} th__sm_attribute;

/* One pair of alternatives, as it runs. */
typedef struct th__sm_rule {
    const th__sm_context *left, *right;
    th__sm_state to;
    bool string, borrowed;
    bool restart; /* begins a new tuple where the last has not come to its end */
    uint32_t ground, length, order;
} th__sm_rule;

/* The rules of a state, best first, and which tokens beside a separator can fit any of them: a bit
 * for each class, and of tags one for each remainder of their ids. */
typedef struct th__sm_node {
    const th__sm_rule *rules;
    uint32_t count;
    uint32_t left_classes, right_classes;
    uint64_t left_tags, right_tags;
} th__sm_node;

typedef struct th__sm_rules {
    th__sm_lexing lexing;
    bool resync, ground_html;
    bool one_record; /* a page is a tuple: e is the end of the page */
    bool in_order;   /* in every item of a list the members stand as the schema has them */
    th__sm_attribute *attributes;
    uint32_t attribute_count;
    th__sm_edge *edges;
    uint32_t edge_count;
    th__sm_context *heads, *tails; /* h^L and t^R: alternatives; none: the body is the page */
    uint32_t head_count, tail_count;

    /* compiled */
    th__sm_node *nodes; /* by state */
    uint32_t reach;     /* the longest context */
} th__sm_rules;

/* A field of a schema, by its path in a record; in preorder. */
typedef struct th__sm_field {
    th_str path;
    bool many; /* stands in a list */
} th__sm_field;

typedef TH__VEC(th__sm_field) th__sm_fields;

bool th__sm_fields_list(const th_schema *schema, th__arena *arena, th__sm_fields *out);
/* The number of the field with that path; how many there are when there is none. */
uint32_t th__sm_fields_find(const th__sm_fields *fields, th_str path);

/* Sorts the rules into states. Called once, when all else is there. False without memory. */
bool th__sm_rules_compile(th__sm_rules *rules, th__arena *arena);
/* The best rule of a state that fits a separator, or NULL. `taken` (which may be NULL) has a bit
 * for each attribute that the tuple has already: those that come once are not entered again. */
const th__sm_rule *th__sm_rules_match(const th__sm_rules *rules, th__sm_state state,
                                      const th_page *page, const th__sm_tokens *tokens, uint32_t at,
                                      const uint8_t *taken);
/* How many pairs of alternatives there are, and how many rules all states have together. */
uint64_t th__sm_rules_count(const th__sm_rules *rules);
uint64_t th__sm_rules_size(const th__sm_rules *rules);
void th__sm_state_print(const th__sm_rules *rules, th__sm_state state, th__buf *out);

/* ---- running --------------------------------------------------------------------------------- */

/* A value that was read: `text` is in the machine's buffer. */
typedef struct th__sm_value {
    uint32_t attribute;
    uint64_t start, end; /* bytes of the whole page */
    size_t text, len;
} th__sm_value;

/* A move of the transducer. */
typedef struct th__sm_move {
    th__sm_state from, to;
    uint32_t at;
    bool restart; /* of the next tuple */
    const th__sm_rule *rule;
} th__sm_move;

typedef TH__VEC(th__sm_move) th__sm_moves;

/* The transducer at work, on a page or on a window of a stream. */
typedef struct th__sm_machine {
    const th__sm_rules *rules;
    th_records *records; /* where finished tuples go; NULL: nowhere */
    th__sm_moves *moves; /* where moves are written down; NULL: nowhere */
    th__sm_state state;
    bool inside;                  /* in the body */
    uint64_t base;                /* the byte of the whole page at which the window's text begins */
    uint32_t at;                  /* the separator to look at next */
    uint32_t begin;               /* of the value that is being read: its first token */
    TH__VEC(th__sm_value) values; /* of the tuple that is being read */
    th__buf texts;                /* theirs */
    uint8_t *taken;               /* a bit for each attribute of the tuple */
    th__buf scratch;
} th__sm_machine;

bool th__sm_machine_init(th__sm_machine *machine, const th__sm_rules *rules);
void th__sm_machine_release(th__sm_machine *machine);
/* Reads on, up to but not at a separator. Fails without memory only. */
bool th__sm_machine_read(th__sm_machine *machine, const th_page *page, const th__sm_tokens *tokens,
                         uint32_t stop);
/* Reads on, up to the last separator whose contexts are known: `last` says that no tokens follow
 * these. Fails without memory only. */
bool th__sm_machine_run(th__sm_machine *machine, const th_page *page, const th__sm_tokens *tokens,
                        bool last);

th_status th__sm_run(const th__sm_rules *rules, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err);
/* Which tokens the rules hit: softmealy_hits.c. */
th_status th__sm_hits(const void *rules, const th_schema *schema, const th_page *page, th_hits *out,
                      th_error *err);

#endif
