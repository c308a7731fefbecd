/* doubts.c: where the views of a wrapper disagree on a page. */
#include "wrapper/doubts.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"

th_doubts *th__doubts_new(void)
{
    th_doubts *doubts = TH__NEW(th_doubts);
    if (doubts)
        th__arena_init(&doubts->arena);
    return doubts;
}

void th_doubts_free(th_doubts *doubts)
{
    if (!doubts)
        return;
    th__vec_release(&doubts->items);
    th__arena_release(&doubts->arena);
    th__mem_free(doubts);
}

bool th__doubts_complete(th_doubts *doubts)
{
    for (size_t i = 0; i < doubts->items.len; i++) {
        th_doubt *doubt = &doubts->items.data[i];
        for (uint32_t a = 0; a < doubt->answer_count; a++) {
            th_answer *answer = &doubt->answers[a];
            if (!answer->text.ptr || answer->values)
                continue;
            th_answer_value *value = th__arena_zero(&doubts->arena, 1, sizeof *value);
            if (!value)
                return false;
            *value = (th_answer_value){answer->text, answer->span};
            answer->values = value;
            answer->count = 1;
        }
    }
    return true;
}

static int by_contention(const void *left, const void *right)
{
    const th_doubt *a = left, *b = right;
    if (a->contention != b->contention)
        return a->contention > b->contention ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

void th__doubts_sort(th_doubts *doubts)
{
    if (doubts->items.len)
        qsort(doubts->items.data, doubts->items.len, sizeof *doubts->items.data, by_contention);
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

/* ---- which page to label next -----------------------------------------------------------------
 */

/* Pages that are put apart; those behind them come as they are contended. */
enum { DIVERSE = 32 };

/* How much of a doubt is left when a page with the same doubt is labelled: the same question, most
 * often, and the same answer. */
#define LEFT 0.5

typedef struct label_worth {
    const th_doubts *doubts;
    size_t page;  /* as given: the last word between equals */
    double worth; /* of its label when those before it are labelled too */
} label_worth;

static int by_worth(const void *left, const void *right)
{
    const label_worth *a = left, *b = right;
    if (a->worth != b->worth)
        return a->worth > b->worth ? -1 : 1;
    return a->page < b->page ? -1 : a->page > b->page;
}

static bool same_question(const th_doubt *a, const th_doubt *b)
{
    return a->why == b->why && th__str_eq(a->field, b->field);
}

/* What a page's label is worth behind those that come before it: a doubt counts less with each page
 * that has it too. */
static double worth_behind(const th_doubts *page, const label_worth *before, size_t count)
{
    double worth = th_doubts_contention(page);
    for (size_t i = 0; i < page->items.len; i++) {
        const th_doubt *own = &page->items.data[i];
        double left = own->contention;
        bool first = true; /* of its field: further ones do not count for the page */
        for (size_t j = 0; j < i; j++)
            first &= !same_question(&page->items.data[j], own);
        for (size_t b = 0; first && b < count; b++)
            for (size_t j = 0; j < before[b].doubts->items.len; j++)
                if (same_question(&before[b].doubts->items.data[j], own)) {
                    left *= LEFT;
                    break;
                }
        worth -= own->contention - left;
    }
    return worth;
}

th_status th_doubts_rank(const th_doubts *const *pages, size_t count, size_t most, size_t *order,
                         th_error *err)
{
    label_worth *worths = TH__NEW_ARRAY(label_worth, count + 1);
    if (!worths)
        return th__fail_memory(err);
    for (size_t i = 0; i < count; i++)
        worths[i] = (label_worth){pages[i], i, th_doubts_contention(pages[i])};
    if (count)
        qsort(worths, count, sizeof *worths, by_worth);
    for (size_t next = 1; next < count && next < most && next < DIVERSE; next++) {
        size_t best = next;
        for (size_t i = next; i < count; i++) {
            worths[i].worth = worth_behind(worths[i].doubts, worths, next);
            if (by_worth(&worths[i], &worths[best]) < 0)
                best = i;
        }
        label_worth page = worths[best];
        memmove(&worths[next + 1], &worths[next], (best - next) * sizeof page);
        worths[next] = page;
    }
    for (size_t i = 0; i < count; i++)
        order[i] = worths[i].page;
    th__mem_free(worths);
    return TH_OK;
}
