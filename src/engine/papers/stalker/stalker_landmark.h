/*
 * stalker_landmark.h: landmark rules: what they are, how they are written, where they lead.
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
#include "engine/papers/stalker/stalker_tokens.h"
#include "page/lex.h"

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
 * first to last, or TH__NO_MATCH. *which (may be NULL) tells the disjunct. Linear in the tokens
 * times the length of landmarks. */
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

#endif
