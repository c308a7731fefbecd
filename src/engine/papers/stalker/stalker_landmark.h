/*
 * stalker_landmark.h: landmark rules: the tokens they match, how they are written, where they lead,
 * and how they are learnt.
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
 * the same, and BackTo stops before its landmark.
 */
#ifndef TH_STALKER_LANDMARK_H
#define TH_STALKER_LANDMARK_H

#include <thresh.h>

#include "base/arena.h"
#include "base/str.h"
#include "page/lex.h"

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

/* Where a position is on the page: the start of the token behind it, or the end of the one before
 * it. */
uint32_t th__stalker_start_of(const th__stalker_seq *seq, uint32_t position);
uint32_t th__stalker_end_of(const th__stalker_seq *seq, uint32_t position);

/* The position before the start tags right before one, and behind the end tags right behind one:
 * what begins or ends there has the same text. */
uint32_t th__stalker_before_tags(const th__stalker_seq *seq, uint32_t position);
uint32_t th__stalker_behind_tags(const th__stalker_seq *seq, uint32_t position);

/* ---- rules ----------------------------------------------------------------------------------- */

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

/* The same again and again, each time from farther on: a disjunct that matched nowhere once is not
 * tried any more (its bit in *spent), so that many runs cost no more than one for each disjunct and
 * what is skipped. */
uint32_t th__rule_next(const th__landmark_rule *rule, const th__stalker_seq *seq, uint32_t first,
                       uint32_t last, uint64_t *spent);

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

/* ---- induction: see stalker_landmark.c ---------------------------------------------------------
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
    bool until;   /* SkipUntil may be used too */
    bool classes; /* landmarks may name a tag's class: ours */
    bool to_end;  /* items may reach to the end of their range: then no disjunct may match */
    /* Chooses between disjuncts that are right on equally many examples; NULL: the order of
     * stalker_landmark.c. */
    double (*judge)(void *context, const th__disjunct *disjunct);
    void *context;
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

#endif
