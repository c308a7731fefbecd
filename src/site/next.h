/*
 * next.h: which link of a page leads to the next page of the same list.
 *
 * The evidence of a link is in the link itself (its words, arrows, classes, rel), in its place (a
 * pager, a run of numbers in which one is the current page) and in its URL (a counter that is one
 * higher than that of the page). All links that lead to one URL are one target, which
 * has the evidence of all of them; a linear model, fitted by bench/fit_next.py, weighs the targets
 * against each other and against there being no next page.
 *
 *     <span class=current>1</span> <a href="?p=2">2</a> <a href="?p=3">3</a> <a href="?p=2">›</a>
 *
 * has two targets: "?p=2" (the number behind the current one, an arrow, the second page) and
 * "?p=3".
 */
#ifndef TH_NEXT_H
#define TH_NEXT_H

#include "base/arena.h"
#include "page/page.h"
#include "wrapper/wrapper.h"

/* X(name, weight): the evidence, in the order of th__next_weights. */
#include "site/next_weights.inc"

#define TH__NEXT_NAME(name, weight) TH__NEXT_##name,
typedef enum th__next_evidence {
    TH__NEXT_WEIGHTS(TH__NEXT_NAME) TH__NEXT_EVIDENCE
} th__next_evidence;
#undef TH__NEXT_NAME

/* A link to another page. */
typedef struct th__next_link {
    uint32_t node;
    uint32_t target;  /* which one */
    th_str href, url; /* as written with references decoded; absolute without its fragment */
    bool blank;       /* it has neither text nor hint: an icon */
    float evidence[TH__NEXT_EVIDENCE];
} th__next_link;

/* A URL that links of a page lead to. */
typedef struct th__next_target {
    uint32_t link; /* the best of its links */
    bool weighed;  /* it has some evidence */
    float evidence[TH__NEXT_EVIDENCE];
    float score;
} th__next_target;

typedef struct th__next_page {
    th__next_link *links;
    th__next_target *targets;
    uint32_t link_count, target_count;
} th__next_page;

/* The links of a page with some evidence, and their targets. Everything is in the arena. */
th_status th__next_look(const th_page *page, th__arena *arena, th__next_page *out, th_error *err);
/* The link of a target that shows best why: a visible one, then the strongest. */
const th__next_link *th__next_best_link(const th_page *page, const th__next_page *found,
                                        uint32_t target);

#endif
