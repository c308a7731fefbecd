/* doubts.c: where the views of a wrapper disagree on a page. */
#include "wrapper/doubts.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/key_map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "base/str.h"

void th_doubts_free(th_doubts *doubts)
{
    if (!doubts)
        return;
    th__vec_release(&doubts->items);
    th__arena_release(&doubts->arena);
    th__mem_free(doubts);
}

size_t th_doubts_count(const th_doubts *doubts)
{
    return doubts->items.len;
}

const th_doubt *th_doubts_get(const th_doubts *doubts, size_t index)
{
    return index < doubts->items.len ? &doubts->items.data[index] : NULL;
}

double th_doubts_contention(const th_doubts *doubts)
{
    return doubts->contention;
}

/* ---- which page to label next ---------------------------------------------------------------- */

/* What a page asks, once each. */
typedef struct page_question {
    uint64_t what;
    double contention;
    bool named; /* of a field; else it may be of a new one */
} page_question;

typedef struct label_worth {
    const page_question *questions;
    size_t count;
    size_t page;  /* as given: the last word between equals */
    double worth; /* of its label when those before it are labelled too */
} label_worth;

static int by_worth(const void *left, const void *right)
{
    const label_worth *a = left, *b = right;
    return th__order(b->worth, a->worth) ?: th__order(a->page, b->page);
}

/* Pages that are put apart; those behind them come as they are. */
enum { DIVERSE = 32 };

/* How much of a doubt is left when a page with the same doubt is labelled: the same question, most
 * often, and the same answer. */
#define LEFT 0.5

/* What a doubt asks: of which field, why, and whether the view that disagrees finds anything. Pages
 * with the same question have the same layout, as a rule. */
static uint64_t question_of(const th_doubt *doubt)
{
    bool silent = doubt->answer_count < 2 || !doubt->answers[1].text.ptr;
    uint64_t where = th__hash_mix(th__hash(doubt->field.ptr, doubt->field.len),
                                  th__hash(doubt->spot.ptr, doubt->spot.len));
    return th__hash_mix(th__hash_mix(where, th__hash(doubt->why, strlen(doubt->why))), silent);
}

/* Lists what a page asks, and counts the pages that ask it. */
static bool list_questions(const th_doubts *doubts, th__arena *arena, th__key_map *pages,
                           label_worth *out)
{
    page_question *list = th__arena_alloc(arena, (doubts->items.len + 1) * sizeof *list);
    th__key_map own = {0};
    bool ok = list;
    out->questions = list;
    for (size_t i = 0; ok && i < doubts->items.len; i++) {
        const th_doubt *doubt = &doubts->items.data[i];
        uint64_t what = question_of(doubt);
        if (th__key_map_get(&own, what))
            continue; /* further ones do not count for the page */
        ok = th__key_map_put(&own, what, 1) &&
             th__key_map_put(pages, what, th__key_map_get(pages, what) + 1);
        list[out->count++] = (page_question){what, doubt->contention, doubt->field.len > 0};
    }
    th__key_map_release(&own);
    return ok;
}

/* The expected gain of a page's label behind those that come before it: each of its questions
 * counts as often as pages have it, and less with each page before it that has it too. */
static double worth_of(const label_worth *page, const th__key_map *pages, const th__key_map *asked)
{
    double worth = 0, unnamed = 0;
    for (size_t i = 0; i < page->count; i++) {
        const page_question *q = &page->questions[i];
        double left = q->contention * th__key_map_get(pages, q->what) *
                      pow(LEFT, th__key_map_get(asked, q->what));
        /* Texts that may be of new fields are many, and most are of none: they count once. */
        if (q->named)
            worth += left;
        else
            unnamed = fmax(unnamed, left);
    }
    return worth + unnamed;
}

/* Puts the page whose label is worth most behind those before `next` there. */
static bool take_next(label_worth *all, size_t count, size_t next, const th__key_map *pages,
                      th__key_map *asked)
{
    size_t best = next;
    bool ok = true;
    for (size_t i = next; i < count; i++) {
        all[i].worth = worth_of(&all[i], pages, asked);
        if (by_worth(&all[i], &all[best]) < 0)
            best = i;
    }
    label_worth page = all[best];
    memmove(&all[next + 1], &all[next], (best - next) * sizeof page);
    all[next] = page;
    for (size_t i = 0; ok && i < page.count; i++)
        ok = th__key_map_put(asked, page.questions[i].what,
                             th__key_map_get(asked, page.questions[i].what) + 1);
    return ok;
}

th_status th_doubts_rank(const th_doubts *const *pages, size_t count, size_t most, size_t *order,
                         th_error *err)
{
    th__arena arena;
    th__key_map having = {0}, asked = {0}; /* by question: pages that have it, and taken ones */
    th__arena_init(&arena);
    label_worth *all = th__arena_zero(&arena, count + 1, sizeof *all);
    bool ok = all;
    for (size_t i = 0; ok && i < count; i++) {
        all[i].page = i;
        ok = list_questions(pages[i], &arena, &having, &all[i]);
    }
    for (size_t i = 0; ok && i < count; i++)
        all[i].worth = worth_of(&all[i], &having, &asked);
    if (ok && count)
        qsort(all, count, sizeof *all, by_worth);
    for (size_t next = 0; ok && next < count && next < most && next < DIVERSE; next++)
        ok = take_next(all, count, next, &having, &asked);
    for (size_t i = 0; ok && i < count; i++)
        order[i] = all[i].page;
    th__key_map_release(&having);
    th__key_map_release(&asked);
    th__arena_release(&arena);
    return ok ? TH_OK : th__fail_memory(err);
}
