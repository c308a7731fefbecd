/* doubts.c: where the views of a wrapper disagree on a page. */
#include "wrapper/doubts.h"

#include <stdlib.h>

#include "base/mem.h"

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
