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

/* ---- which page to label next ---------------------------------------------------------------- */

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

/* Pages that are put apart; those behind them come as they are. */
enum { DIVERSE = 32 };

/* How much of a doubt is left when a page with the same doubt is labelled: the same question, most
 * often, and the same answer. */
#define LEFT 0.5

static uint64_t hash_text(uint64_t hash, th_str text)
{
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.ptr[i]) * 1099511628211u;
    return (hash ^ 0xff) * 1099511628211u;
}

/* What a doubt asks: of which field, why, and whether the view that disagrees finds anything. Pages
 * with the same question have the same layout, as a rule. */
static uint64_t question_of(const th_doubt *doubt)
{
    uint64_t hash = hash_text(hash_text(14695981039346656037u, doubt->field), doubt->spot);
    bool silent = doubt->answer_count < 2 || !doubt->answers[1].text.ptr;
    return hash_text(hash, th_str_from(doubt->why)) + silent;
}

static int by_number(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Sorts the questions of all pages; each is there once for each page that has it. False if out of
 * memory. */
static bool gather_questions(const label_worth *pages, size_t pages_count, uint64_t **out,
                             size_t *count)
{
    size_t room = 1;
    for (size_t i = 0; i < pages_count; i++)
        room += th_doubts_count(pages[i].doubts);
    uint64_t *all = TH__NEW_ARRAY(uint64_t, room);
    *out = all;
    *count = 0;
    for (size_t i = 0; all && i < pages_count; i++) {
        size_t from = *count, kept = *count;
        for (size_t j = 0; j < th_doubts_count(pages[i].doubts); j++)
            all[(*count)++] = question_of(th_doubts_get(pages[i].doubts, j));
        qsort(all + from, *count - from, sizeof *all, by_number);
        for (size_t j = from; j < *count; j++)
            if (j == from || all[j] != all[kept - 1])
                all[kept++] = all[j];
        *count = kept;
    }
    if (all)
        qsort(all, *count, sizeof *all, by_number);
    return all;
}

/* How many pages have a question. */
static size_t pages_with(const uint64_t *all, size_t count, uint64_t question)
{
    size_t bound[2];
    for (int end = 0; end < 2; end++) {
        size_t low = 0, high = count;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (all[middle] < question || (end && all[middle] == question))
                low = middle + 1;
            else
                high = middle;
        }
        bound[end] = low;
    }
    return bound[1] - bound[0];
}

static bool has_question(const th_doubts *doubts, size_t count, uint64_t question)
{
    for (size_t i = 0; i < count; i++)
        if (question_of(th_doubts_get(doubts, i)) == question)
            return true;
    return false;
}

/* The expected gain of a page's label behind those that come before it: each of its questions
 * counts as often as pages have it, and less with each page before it that has it too. */
static double worth_behind(const th_doubts *page, const label_worth *before, size_t count,
                           const uint64_t *all, size_t questions)
{
    double worth = 0, unnamed = 0;
    for (size_t i = 0; i < page->items.len; i++) {
        const th_doubt *own = &page->items.data[i];
        uint64_t question = question_of(own);
        if (has_question(page, i, question))
            continue; /* further ones do not count for the page */
        double left = own->contention * (double)pages_with(all, questions, question);
        for (size_t b = 0; b < count; b++)
            if (has_question(before[b].doubts, th_doubts_count(before[b].doubts), question))
                left *= LEFT;
        /* Texts that may be of new fields are many, and most are of none: they count once. */
        if (!own->field.len)
            unnamed = left > unnamed ? left : unnamed;
        else
            worth += left;
    }
    return worth + unnamed;
}

th_status th_doubts_rank(const th_doubts *const *pages, size_t count, size_t most, size_t *order,
                         th_error *err)
{
    label_worth *worths = TH__NEW_ARRAY(label_worth, count + 1);
    uint64_t *all = NULL;
    size_t questions = 0;
    for (size_t i = 0; worths && i < count; i++)
        worths[i] = (label_worth){pages[i], i, 0};
    if (!worths || !gather_questions(worths, count, &all, &questions)) {
        th__mem_free(worths);
        return th__fail_memory(err);
    }
    for (size_t i = 0; i < count; i++)
        worths[i].worth = worth_behind(pages[i], worths, 0, all, questions);
    if (count)
        qsort(worths, count, sizeof *worths, by_worth);
    for (size_t next = 1; next < count && next < most && next < DIVERSE; next++) {
        size_t best = next;
        for (size_t i = next; i < count; i++) {
            worths[i].worth = worth_behind(worths[i].doubts, worths, next, all, questions);
            if (by_worth(&worths[i], &worths[best]) < 0)
                best = i;
        }
        label_worth page = worths[best];
        memmove(&worths[next + 1], &worths[next], (best - next) * sizeof page);
        worths[next] = page;
    }
    for (size_t i = 0; i < count; i++)
        order[i] = worths[i].page;
    th__mem_free(all);
    th__mem_free(worths);
    return TH_OK;
}
