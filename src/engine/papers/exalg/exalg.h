/*
 * exalg.h: the steps of EXALG, in the paper's order: strings of tokens, classes of dtokens,
 * the template, the values of a page. exalg.c explains the paper.
 */
#ifndef TH_EXALG_H
#define TH_EXALG_H

#include "base/arena.h"
#include "base/json_out.h"
#include "base/key_map.h"
#include "base/str.h"
#include "base/trace.h"
#include "base/vec.h"
#include "page/page.h"
#include "wrapper/engine.h"
#include "wrapper/rule_table.h"

/* ---- strings of tokens (DIFFFORM) --------------------------------------------------------------
 *
 * A token is a word or a tag, with its occurrence path. A word is what is between blanks; a tag
 * is identified by its name. Scripts, styles and comments are left out. The key of a
 * token is the same on all pages for the same token at the same occurrence path (observation 4.4),
 * so DIFFFORM is done when the string has been read. */

typedef enum th__exalg_kind {
    TH__EXALG_WORD,
    TH__EXALG_START,
    TH__EXALG_END,
    TH__EXALG_DUMMY /* one before and one after each page: they guarantee the root class */
} th__exalg_kind;

typedef struct th__exalg_token {
    uint64_t key;
    uint32_t start, end; /* bytes of the page */
    uint32_t node;       /* the element of its occurrence path */
    uint8_t kind;        /* th__exalg_kind */
} th__exalg_token;

typedef struct th__exalg_string {
    const th_page *page;
    TH__VEC(th__exalg_token) tokens;
} th__exalg_string;

/* Reads the string of a page, dummies included; `paths` is false for plain tokens, without
 * DIFFFORM. The page must outlive it. False if out of memory; the caller frees the tokens in any
 * case. */
bool th__exalg_string_read(const th_page *page, bool paths, th__exalg_string *out);

/* The key of a token from what is written down of it: its source ("<b>", "</b>", "Name") and its
 * path ("html body b"); an absent path is for tokens without one. Returns false if the text is not
 * one token. */
bool th__exalg_token_key(th_str token, th_str path, uint64_t *out);
/* Appends a token as it is written down, and its path. */
void th__exalg_token_write(const th__exalg_string *string, uint32_t token, th__buf *out);
void th__exalg_path_write(const th__exalg_string *string, uint32_t token, th__buf *out);

/* ---- classes (ECGM: FINDEQ, HANDINV, DIFFEQ) ---------------------------------------------------
 *
 * Pages are strings of dtokens, which are numbers. What a dtoken's context is need not be kept: it
 * is in its occurrences. DIFFEQ gives occurrences in other contexts new numbers; the first context
 * keeps the old one, so that numbers never outgrow the tokens and only what was split is counted
 * again. Tokens too rare for any class leave the strings that the loop goes over (they stay in the
 * pages, for the values). */

#define TH__EXALG_NONE UINT32_MAX

enum {
    /* LFEQs that are looked at together: HANDINV compares pairs. Beyond it the largest count. */
    TH__EXALG_MAX_CLASSES = 1024,
    /* The paper saw fewer than ten rounds; every round refines the dtokens, so that it ends. */
    TH__EXALG_MAX_ROUNDS = 64
};

typedef struct th__exalg_class {
    uint32_t *tokens; /* dtokens, in their order */
    uint32_t size;
    uint32_t support; /* pages that have it */
    bool root;        /* the class of the dummies: once on every page */
} th__exalg_class;

/* An occurrence of a dtoken. */
typedef struct th__exalg_place {
    uint32_t page, token;
} th__exalg_place;

typedef struct th__exalg_dtoken {
    uint64_t vector;       /* hash of its occurrence vector */
    uint64_t name;         /* its key and the contexts that distinguish it, mixed */
    uint32_t support;      /* pages that have it */
    uint32_t cls, rank;    /* its class or TH__EXALG_NONE, and its place there */
    th__exalg_place place; /* the first occurrence */
} th__exalg_dtoken;

/* What DIFFEQ did in a round, for the same on other pages: see th__exalg_round. */
typedef struct th__exalg_named {
    uint64_t name, parent; /* of a dtoken; of the one that was split, or 0: a token of a class */
    uint32_t round;
    uint32_t cls; /* of a token of a class */
    th__exalg_place place;
} th__exalg_named;

typedef struct th__exalg_ecgm {
    th__arena arena;
    th__exalg_string *strings; /* by page */
    uint32_t page_count;
    uint32_t size_threshold, support_threshold; /* SIZETHRES, SUPTHRES: at least so much */
    uint32_t **pages;                           /* by page and token: dtokens */
    uint32_t **active; /* by page: tokens that may be of a class, in order */
    uint32_t *active_count;
    th__exalg_dtoken *dtokens;
    uint32_t dtoken_count;
    th__exalg_class *classes; /* the root class is the first */
    uint32_t class_count;
    uint32_t rounds;                  /* that the loop took */
    TH__VEC(th__exalg_named) history; /* by round: the tokens of its classes, then its splits */
    th_trace *trace;                  /* or NULL */
} th__exalg_ecgm;

/* Reads the strings of the pages, which must outlive it, and numbers their tokens: the dtokens of
 * DIFFFORM, or plain tokens if `paths` is false. False if out of memory; release it in any case. */
bool th__exalg_ecgm_init(th__exalg_ecgm *e, const th_page *const *pages, uint32_t page_count,
                         bool paths, uint32_t size_threshold, uint32_t support_threshold);
void th__exalg_ecgm_release(th__exalg_ecgm *e);

/* The loop to its fixed point. */
bool th__exalg_ecgm_run(th__exalg_ecgm *e);
/* Its steps. DIFFEQ sets *changed if there are new dtokens. */
bool th__exalg_findeq(th__exalg_ecgm *e);
bool th__exalg_handinv(th__exalg_ecgm *e);
bool th__exalg_diffeq(th__exalg_ecgm *e, bool *changed);
/* Writes the classes into the dtokens, for the steps. */
void th__exalg_assign(th__exalg_ecgm *e);

/* The context of a token: its position in each class that is open where it is (observation 4.5), as
 * a hash. Tokens are given one after the other. */
typedef struct th__exalg_contexts {
    struct class_position {
        uint32_t cls;
        uint64_t around, inside; /* the context of its tokens, and of what is in this position */
    } * open;                    /* innermost last */
    uint32_t *where;             /* by class: in `open`, counted from 1; 0: not open */
    uint32_t depth;
} th__exalg_contexts;

/* For so many classes and one page, in the arena. False if out of memory. */
bool th__exalg_contexts_init(th__exalg_contexts *c, uint32_t classes, th__arena *arena);
/* The context of the next token: one of no class (TH__EXALG_NONE), or the one with this rank of a
 * class of `size` tokens. */
uint64_t th__exalg_context(th__exalg_contexts *c, uint32_t cls, uint32_t rank, uint32_t size,
                           uint64_t name);

/* ---- the template (CONSTTEMP) ------------------------------------------------------------------
 *
 * How values are encoded into pages (definition 2.1):
 *
 *     <A * B {<E * F * G>}_H C * D>       a tuple of two texts and, between them, a set of tuples
 *
 * A tuple of order n has n + 1 strings of tokens, the first before its first member, the last
 * after its last. A set has one string, its separator. Optionals and disjunctions have none. */

enum {
    TH__EXALG_MAX_DEPTH = 24,       /* of types; what is nested deeper is one text */
    TH__EXALG_MAX_SYMBOLS = 1 << 20 /* tokens of a template */
};

typedef enum th__exalg_type {
    TH__EXALG_BASIC,
    TH__EXALG_TUPLE,
    TH__EXALG_SET,
    TH__EXALG_OPTIONAL,
    TH__EXALG_CHOICE
} th__exalg_type;

/* A dtoken of the template's strings. */
typedef struct th__exalg_symbol {
    th_str token;   /* "<b>", "</b>", "Name" */
    th_str path;    /* "html body b"; absent without DIFFFORM */
    uint64_t key;   /* the name of the dtoken */
    uint32_t plain; /* the symbol of its token, which has its token and path; or its own */
} th__exalg_symbol;

typedef struct th__exalg_text {
    uint32_t *symbols;
    uint32_t count;
} th__exalg_text;

typedef struct th__exalg_node {
    uint8_t type; /* th__exalg_type */
    uint32_t count;
    struct th__exalg_node **children;
    th__exalg_text *strings; /* of a tuple: count + 1; of a set: 1 */
} th__exalg_node;

/* A round of the loop, as it goes on over other pages: dtokens of `split` get a new name from their
 * context, which is where they are in the round's classes. So a token of a page learnt from gets
 * the role that it had, and one of another page that of its like. */
typedef struct th__exalg_round {
    th__exalg_text *classes;
    uint32_t class_count;
    th__exalg_text split;
    /* See prepare_template in exalg.c: */
    th__key_map at; /* by symbol + 1: its place + 1 */
    struct symbol_place {
        uint32_t cls, rank; /* TH__EXALG_NONE: of no class */
        bool split;
    } * places;
} th__exalg_round;

typedef struct th__exalg_template {
    th__exalg_symbol *symbols;
    uint32_t symbol_count;
    bool paths;              /* tokens are distinguished by their occurrence paths */
    th__exalg_round *rounds; /* those that split dtokens */
    uint32_t round_count;
    th__exalg_node *root;
    th__key_map ids; /* by key: symbol + 1; see prepare_template in exalg.c */
} th__exalg_template;

/* CONSTTEMP. Everything is in the arena, nothing of the pages. False if out of memory. */
bool th__exalg_construct(const th__exalg_ecgm *e, bool paths, th__arena *arena,
                         th__exalg_template *out);
/* The schema of its values. Caller frees. */
th_status th__exalg_template_schema(const th__exalg_template *t, th_schema **out, th_error *err);
/* The paper's infix notation, a member a line, nested ones indented; the values of pages beside the
 * texts. */
void th__exalg_template_print(const th__exalg_template *t, const th_records *const *pages,
                              size_t count, th__buf *out);
/* ---- values (EXVAL) -------------------------------------------------------------------------- */

/* The values of a page, if at least `floor` of it is explained: how much of the template's strings
 * is on it, 0 to 1, tokens found among those that the values ask for. Linear in the page but for a
 * logarithm. Caller frees. */
th_status th__exalg_template_run(const th__exalg_template *t, const th_schema *schema,
                                 const th_page *page, const th_records_source *source, double floor,
                                 th_records **out, th_error *err);

/* exalg.c: the steps as an engine of wrappers. */
extern const th__engine th__exalg_engine;

#endif
