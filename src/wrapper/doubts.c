/* doubts.c: where the views of a wrapper disagree on a page. */
#include "wrapper/doubts.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/key_map.h"
#include "base/mem.h"
#include "data/record.h"
#include "page/data_page.h"
#include "wrapper/wrapper.h"

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

/* ---- doubts of a page --------------------------------------------------------------------------
 *
 * An engine that has one way to find a value cannot compare it with another. Two things raise a
 * doubt all the same: a page without any record, and a missing field that every labelled record
 * had.
 */

#define NO_RECORD 1.0
#define MISSING   0.6 /* as for engines with views */

static bool add(th_doubts *out, th_str field, double contention, const char *why, uint32_t place)
{
    th_doubt doubt = {.contention = contention,
                      .why = why,
                      .place = place,
                      .answers = {{.view = "structure"}},
                      .answer_count = 1};
    doubt.field = th__arena_copy(&out->arena, field);
    return doubt.field.ptr && th__vec_push(&out->items, doubt);
}

static bool is_empty(const th_value *value)
{
    return !value || value->kind == TH_VALUE_NULL ||
           (value->kind == TH_VALUE_LIST && !value->count) ||
           (value->kind == TH_VALUE_TEXT && !th__value_text(value).len);
}

/* The first byte of a record's texts, for order on the page. */
static uint32_t place_of(const th_value *record)
{
    for (uint32_t i = 0; i < record->count; i++)
        if (th__value_item(record, i)->kind == TH_VALUE_TEXT)
            return th__value_item(record, i)->span.start;
    return 0;
}

/* Examines every record; a field that is missing in many counts once per page. */
static bool doubt_records(const th_records *records, const th_type *tuple, th_doubts *out)
{
    enum { TOLD = 16 }; /* records of a page in which a field is missing */
    for (uint32_t m = 0; m < tuple->count; m++) {
        size_t told = 0;
        if (tuple->children[m]->kind == TH_TYPE_OPTIONAL)
            continue;
        for (size_t r = 0; r < th_records_count(records) && told < TOLD; r++) {
            const th_value *record = th_records_get(records, r);
            if (record->kind != TH_VALUE_TUPLE || !is_empty(th_value_item(record, m)))
                continue;
            told++;
            if (!add(out, th_type_name(tuple->children[m]), MISSING,
                     "nothing where there was always something", place_of(record)))
                return false;
        }
        out->contention += told ? MISSING : 0;
    }
    return true;
}

static th_status plain_doubts(const th_wrapper *wrapper, const th_page *page, th_doubts *out,
                              th_error *err)
{
    th_records *records = NULL;
    th_status status = th_wrapper_extract(wrapper, page, NULL, &records, err);
    if (status)
        return status;
    const th_type *tuple = th__type_strip(th_schema_record_type(th_records_schema(records)));
    bool ok = true;
    if (!th_records_count(records)) {
        ok = add(out, TH_STR("record"), NO_RECORD, "no record is found", 0);
        out->contention = NO_RECORD;
    } else if (tuple->kind == TH_TYPE_TUPLE) {
        ok = doubt_records(records, tuple, out);
    }
    th_records_free(records);
    return ok ? TH_OK : th__fail_memory(err);
}

/* Gives answers of one value their list, where an engine did not. False if out of memory. */
static bool complete(th_doubts *doubts)
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

/* Of doubts about a data page: their places become those of the page that it was made from. */
static void move_to_page(th_doubts *doubts, const th_page *data)
{
    for (size_t i = 0; i < doubts->items.len; i++) {
        th_doubt *doubt = &doubts->items.data[i];
        doubt->place = th__data_span(data, (th_span){doubt->place, doubt->place + 1}).start;
        for (uint32_t a = 0; a < doubt->answer_count; a++) {
            th_answer *answer = &doubt->answers[a];
            answer->span = th__data_span(data, answer->span);
            for (uint32_t v = 0; v < answer->count; v++) {
                th_answer_value *value = (th_answer_value *)&answer->values[v];
                value->span = th__data_span(data, value->span);
            }
        }
    }
}

th_status th_wrapper_doubts(const th_wrapper *wrapper, const th_page *page, th_doubts **out,
                            th_error *err)
{
    *out = NULL;
    const th__engine *engine = wrapper->engine;
    if (!engine->doubts && !engine->needs_labels && !wrapper->select)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "this wrapper of engine %s was learnt without labels, so there is nothing "
                        "to suggest; learn one from labels: thresh learn --labels or --example",
                        engine->name);
    th_doubts *doubts = TH__NEW(th_doubts);
    if (!doubts)
        return th__fail_memory(err);
    th__arena_init(&doubts->arena);
    th_page *data = NULL;
    th_status status = engine->doubts && th__wrapper_is_for_data_of(wrapper, page)
                           ? th__data_page_of(page, &data, err)
                           : TH_OK;
    if (!status)
        status = engine->doubts ? engine->doubts(wrapper->rules, wrapper->schema,
                                                 data ? data : page, doubts, err)
                                : plain_doubts(wrapper, page, doubts, err);
    if (!status && data)
        move_to_page(doubts, data);
    th_page_free(data);
    if (!status && !complete(doubts))
        status = th__fail_memory(err);
    if (status) {
        th_doubts_free(doubts);
        return status;
    }
    if (doubts->items.len) /* most contended first, and for equals in the order of the page */
        qsort(doubts->items.data, doubts->items.len, sizeof *doubts->items.data, by_contention);
    *out = doubts;
    return TH_OK;
}

/* ---- which page to label next ---------------------------------------------------------------- */

/* The questions of a page, once each. */
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

/* Pages that are diversified; later ones keep their order. */
enum { DIVERSE = 32 };

/* How much of a doubt is left when a page with the same doubt is labelled: the same question, most
 * often, and the same answer. */
#define LEFT 0.5

/* The question of a doubt: its field, the reason, and if the disagreeing view finds anything. Pages
 * with the same question usually have the same layout. */
static uint64_t question_of(const th_doubt *doubt)
{
    bool silent = doubt->answer_count < 2 || !doubt->answers[1].text.ptr;
    uint64_t where = th__hash_mix(th__hash(doubt->field.ptr, doubt->field.len),
                                  th__hash(doubt->spot.ptr, doubt->spot.len));
    return th__hash_mix(th__hash_mix(where, th__hash(doubt->why, strlen(doubt->why))), silent);
}

/* Lists the questions of a page, and counts the pages that share them. */
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

/* The expected gain of labelling a page after those before it: each of its questions counts as
 * often as pages have it, and less with each earlier page that has it, too. */
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

/* Moves the page with the most valuable label to `next`, after those already chosen. */
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
