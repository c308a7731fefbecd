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
 *    and e for the beginning and the end of a tuple. Separators move it from state to state.
 *  - Contextual rules decide which separators do: s<i,j>^L and s<i,j>^R, alternatives of tokens
 * that may be ground, Html(<i>), or any of a class, Html(_). Each order of attributes is a path
 *    through the transducer, and it has paths that were never labelled.
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
 *    are. A tag's ground form lists the attributes that are not data, and two tags of one name have
 *    those in common as their ancestor: <td class=a> and <td class=b> meet in <td>, not in Html(_).
 *  - no_blanks: white space is not a token, since pages are indented by programs. Only where far
 *    fewer rules are enough that way are ends of lines tokens: in lists made by hand they may be
 *    all that separates one attribute from the next.
 *  - check: a rule that fires at a wrong place of the labelled tuples is taken apart again, and its
 *    contexts are lengthened beyond the bias.
 *  - free_order: rules s<*,k> and s<k,*> for orders that were never labelled, made of all
 *    separators before (after) an attribute, as short as the labelled pages allow. Where a page is
 *    one record they do most of the work.
 *  - resync: a tuple's start ends a tuple that has not come to its end.
 *
 * The files, in the order of the paper
 *
 *     softmealy_tokens.c      tokens, items, contexts
 *     softmealy_learn.c       labelled pages become tuples and separators; contexts under the
 *                             length bias; Algorithm 1; the body, and the edges of the transducer,
 *                             with their rules; error recovery
 *     softmealy_free.c        s<*,k> and s<k,*>
 *     softmealy.c             the transducer, streams, the notation of contexts, rules for people
 *                             and in wrapper files, the engine's table
 *
 * Cost: extraction looks at each separator once, and there at the rules of one state that can fit
 * the two tokens beside it: linear in the page, times the rules. It needs a page's tokens around
 * the current value alone, so that it can run on a stream. Learning is linear in the pages, times
 * the labelled separators.
 */
#ifndef TH_SOFTMEALY_H
#define TH_SOFTMEALY_H

#include <thresh.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "page/page.h"
#include "wrapper/engine.h"

enum {
    TH__SM_MAX_ATTRIBUTES = 1000,
    TH__SM_MAX_CONTEXT = 32,         /* tokens of a pattern's context, each side */
    TH__SM_MAX_STRING = 1024,        /* tokens of a string rule's context */
    TH__SM_MAX_RULES = 65536,        /* pairs of left and right alternatives of a wrapper */
    TH__SM_MAX_VALUE = 1 << 20,      /* bytes of a value */
    TH__SM_STREAM_CHUNK = 256 << 10, /* bytes of a stream that are read at once: the tokens of more
                                        would leave the processor's cache */
    TH__SM_STREAM_TOKEN = 64 << 20   /* a tag, script or comment that is longer is refused */
};

extern const th__engine th__softmealy_engine;

/* ---- tokens ---------------------------------------------------------------------------------- */

typedef struct th__sm_token {
    uint32_t start, end; /* bytes of the page */
    uint32_t coarse;     /* of a tag: its coarse token; of a blank: its length */
    uint16_t tag;        /* of a tag: its id */
    uint8_t cls;         /* th_class */
} th__sm_token;

/* The tokens of a page: a vector that knows its page. */
typedef struct th__sm_tokens {
    th__sm_token *data;
    size_t len, cap;
    const th_page *page;
} th__sm_tokens;

/* Which white space counts: all; runs that hold the end of a line, each as NL(1); none. */
typedef enum th__sm_blanks { TH__SM_ALL_BLANKS, TH__SM_LINES, TH__SM_NO_BLANKS } th__sm_blanks;

/* How a page is cut into tokens. */
typedef struct th__sm_lexing {
    uint8_t blanks; /* th__sm_blanks */
    bool split;     /* letters and digits that touch are tokens of their own: CA90210 */
} th__sm_lexing;

/* The tokens of the page up to a byte replace those that are there. False if out of memory. */
bool th__sm_lex(const th_page *page, size_t end, th__sm_lexing how, th__sm_tokens *out);

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

bool th__sm_context_equal(const th__sm_context *a, const th__sm_context *b);
/* How many tokens a context wants ground. */
uint32_t th__sm_context_ground(const th__sm_context *context);

/* The token at a distance from a separator, on its left or its right. */
static inline uint32_t th__sm_beside(uint32_t at, bool left, uint32_t distance)
{
    return left ? at - 1 - distance : at + distance;
}
/* How many tokens there are on one side of a separator. */
static inline uint32_t th__sm_room(const th__sm_tokens *tokens, uint32_t at, bool left)
{
    return left ? at : (uint32_t)tokens->len - at;
}
/* How many items, outwards from a separator, fit the tokens before (after) it. */
uint32_t th__sm_fit(const th__sm_context *context, const th__sm_tokens *tokens, uint32_t at,
                    bool left);
static inline bool th__sm_fits(const th__sm_context *context, const th__sm_tokens *tokens,
                               uint32_t at, bool left)
{
    return th__sm_fit(context, tokens, at, left) == context->count;
}

/* The paper's notation: "Html(</a>) Punc(,) Spc(_)", in the order of the page. An empty context,
 * which fits everywhere, is "-". */
void th__sm_context_print(const th__sm_context *context, bool left, th__buf *out);
/* Reads it. On a fault *fault is what is wrong and *where at which byte. Items are in the arena;
 * false, with *fault NULL, if out of memory. */
bool th__sm_context_parse(th_str text, bool left, th__arena *arena, th__sm_context *out,
                          const char **fault, size_t *where);

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
} th__sm_edge;

typedef struct th__sm_attribute {
    th_str path;      /* of the field in a record: "reviews.author" */
    uint32_t leaf;    /* which of the schema's fields in preorder */
    th_str source;    /* the attribute of the tag whose value it is; absent: text */
    uint32_t same_as; /* is at the same place as this attribute, which has a state for both;
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
    bool in_order;   /* in every item of a list the members are in the order of the schema */
    th__sm_attribute *attributes;
    uint32_t attribute_count;
    th__sm_edge *edges;
    uint32_t edge_count;
    th__sm_context *heads, *tails; /* h^L and t^R: alternatives; none: the body is the page */
    uint32_t head_count, tail_count;

    /* compiled */
    th__sm_node *nodes; /* by state */
    uint32_t reach;     /* the longest context */
    uint64_t pairs;     /* of alternatives, in all edges */
} th__sm_rules;

/* A field of a schema, by its path in a record; in preorder. */
typedef struct th__sm_field {
    th_str path;
    bool many; /* is in a list */
} th__sm_field;

typedef TH__VEC(th__sm_field) th__sm_fields;

bool th__sm_fields_list(const th_schema *schema, th__arena *arena, th__sm_fields *out);

/* Sorts the rules into states. Called once, when all else is there. False if out of memory. */
bool th__sm_rules_compile(th__sm_rules *rules, th__arena *arena);
/* The best rule of a state that fits a separator, or NULL. `taken` (which may be NULL) has a bit
 * for each attribute that the tuple has already: those that come once are not entered again. */
const th__sm_rule *th__sm_rules_match(const th__sm_rules *rules, th__sm_state state,
                                      const th__sm_tokens *tokens, uint32_t at,
                                      const uint8_t *taken);

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

/* How far the transducer has come. */
typedef struct th__sm_position {
    th__sm_state state;
    bool inside;                              /* in the body */
    uint32_t at;                              /* the separator to look at next */
    uint32_t begin;                           /* of the value that is being read: its first token */
    uint8_t taken[TH__SM_MAX_ATTRIBUTES / 8]; /* a bit for each attribute of the tuple */
} th__sm_position;

/* The transducer at work, on a page or on a window of a stream. */
typedef struct th__sm_machine {
    const th__sm_rules *rules;
    th_records *records;          /* where finished tuples go; NULL: nowhere */
    th__sm_moves *moves;          /* where moves are written down; NULL: nowhere */
    uint64_t base;                /* the byte of the whole page at which the window's text begins */
    th__sm_position now;          /* begins as th__sm_begin */
    TH__VEC(th__sm_value) values; /* of the tuple that is being read */
    th__buf texts;                /* theirs */
} th__sm_machine;

/* Where a page begins. */
static inline th__sm_position th__sm_begin(const th__sm_rules *rules)
{
    return (th__sm_position){.state = TH__SM_BEGIN, .inside = rules->head_count == 0};
}
/* Reads on, up to but not at a separator. False if out of memory. */
bool th__sm_machine_read(th__sm_machine *machine, const th__sm_tokens *tokens, uint32_t stop);

th_status th__sm_run(const void *rules, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err);

/* Extraction from a page that comes piece by piece. `chunk` is how many bytes are read at once;
 * tests take a few. Caller frees. */
th_status th__sm_stream_new(const th__sm_rules *rules, const th_schema *schema,
                            const th_records_source *source, size_t chunk, void **out,
                            th_error *err);
/* The next bytes; `last` if no more follow. *out are the tuples that are complete since the
 * last call, NULL when there are none; caller frees. */
th_status th__sm_stream_feed(void *stream, th_str bytes, bool last, th_records **out,
                             th_error *err);
void th__sm_stream_free(void *stream);

/* ---- learning ---------------------------------------------------------------------------------
 *
 *     corpus ──samples──▶ tuples, separators ──generalize──▶ edges ──check──▶ rules
 *                                            ──free────────▶ s<*,k>, s<k,*>
 *                                            ──body────────▶ h^L, t^R
 *     wrapper + corrected tuple ──correct──▶ wrapper
 */

/* The switches: see above. */
typedef struct th__sm_options {
    bool ground_html, no_blanks, check, free_order, resync;
} th__sm_options;

extern const th__sm_options th__sm_ours, th__sm_paper;

/* The separator between two states of a labelled tuple. */
typedef struct th__sm_separator {
    th__sm_state from, to;
    uint32_t page;
    uint32_t at;
    uint32_t since, high; /* the separators beside it: its contexts do not reach beyond */
} th__sm_separator;

/* A labelled value. */
typedef struct th__sm_label {
    uint32_t attribute;
    uint32_t begin, end; /* tokens */
    th_span span;
} th__sm_label;

typedef struct th__sm_tuple {
    uint32_t page;
    uint32_t begin;              /* its first token */
    uint32_t label, label_count; /* in labels, in order of the page */
    uint32_t separator, separator_count;
} th__sm_tuple;

typedef struct th__sm_page {
    th_str name;
    th__sm_tokens tokens;
    bool labelled;
    bool sample; /* its tuples may have more than is labelled */
    uint32_t tuple, tuple_count;
    th_span body;     /* separators; {0, 0}: not known */
    th_span *nothing; /* separators between which there is no tuple */
    uint32_t nothing_count;
} th__sm_page;

/* All that is learnt from. */
typedef struct th__sm_samples {
    th__sm_options options;
    th__sm_lexing lexing;
    bool one_record;
    th__sm_page *pages;
    uint32_t page_count;
    TH__VEC(th__sm_attribute) attributes;
    TH__VEC(th__sm_label) labels;
    TH__VEC(th__sm_tuple) tuples;
    TH__VEC(th__sm_separator) separators;
    const th__sm_fields *fields; /* of the wrapper that is corrected; else NULL */
    th__notes *notes;
    const th_cancel *cancel; /* or NULL */
    th__arena *arena;        /* of the wrapper: what rules are made of lives there */
    th__arena scratch;
} th__sm_samples;

/* Fills samples, which the caller releases also after a failure. `known` (which may be NULL) are
 * rules whose attributes come first; samples->fields are those of their schema then. */
th_status th__sm_samples_make(th__sm_samples *samples, const th__corpus *corpus,
                              const th_schema *schema, const th__sm_rules *known, th_error *err);
void th__sm_samples_release(th__sm_samples *samples);

/* A token as an item, ground. False if out of memory. */
bool th__sm_item_of(const th__sm_samples *samples, uint32_t page, uint32_t token, th__sm_item *out);
/* The context of a separator under the length bias, or `more` tokens longer, ground. */
bool th__sm_context_of(const th__sm_samples *samples, const th__sm_separator *separator, bool left,
                       uint32_t more, th__sm_context *out);
/* The least common ancestor of two items: false when they are of different trees, or with *failed
 * set if out of memory. */
bool th__sm_item_join(const th__sm_item *a, const th__sm_item *b, bool paper, th__arena *arena,
                      th__sm_item *out, bool *failed);

/* Algorithm 1 on contexts of one side: `rows` are generalized in place, and *count is how many
 * remain without duplicates. */
bool th__sm_generalize(th__sm_context *rows, uint32_t *count, const th__sm_options *options,
                       th__arena *arena);

/* The ground context of one end of a page's body, specialized until it finds it. */
bool th__sm_body_context(const th__sm_samples *samples, uint32_t page, bool head,
                         th__sm_context *out);
/* s<*,k> and s<k,*>. */
th_status th__sm_free_learn(th__sm_samples *samples, th__sm_rules *rules, th_error *err);

/* What a correction does: adds rules until the labelled tuples are read as labelled. `rules`, whose
 * schema has these fields, are changed and compiled again. */
th_status th__sm_correct(const th__sm_options *options, const th__sm_fields *fields,
                         const th__corpus *corpus, th__sm_rules *rules, th__arena *arena,
                         th_error *err);

/* The whole of it. */
th_status th__sm_learn(const th__sm_options *options, const th__corpus *corpus, th__arena *arena,
                       const th_schema *schema, th__sm_rules **out, th_error *err);

#endif
