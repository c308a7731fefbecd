/* engines.c: the list of engines, and learning and running by name. */
#include <stdio.h>
#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "data/labels.h"
#include "data/record.h"
#include "engine/lists/lists_rule.h"
#include "engine/papers/exalg/exalg.h"
#include "engine/papers/iepad/iepad.h"
#include "learn/learn.h"
#include "engine/papers/mdr/mdr.h"
#include "engine/paths/paths.h"
#include "engine/papers/softmealy/softmealy.h"
#include "engine/papers/stalker/stalker.h"
#include "engine/regions.h"
#include "engine/template/template_roles.h"
#include "page/data_page.h"
#include "wrapper/paper_knobs.h"

static const th__engine *const engines[] = {&th__lists_engine,     &th__mdr_engine,
                                            &th__iepad_engine,     &th__template_engine,
                                            &th__exalg_engine,     &th__paths_engine,
                                            &th__softmealy_engine, &th__stalker_engine,
                                            &th__seams_engine,     NULL};

const th__engine *const *th__engine_list(void)
{
    return engines;
}

const char *const *th__engine_names(th__rank rank)
{
    static const char *const lists[] = {"lists", "mdr", "iepad", NULL};
    static const char *const labels[] = {"stalker", "softmealy", NULL};
    return rank == TH__RANK_LISTS ? lists : labels;
}

/* Those that look for lists, or that have a published form, or all, as "auto, mdr and iepad". */
static void name_engines(bool lists, bool published, char *out, size_t size)
{
    const char *names[sizeof engines / sizeof *engines];
    size_t count = 0, len = 0;
    for (size_t i = 0; engines[i]; i++)
        if ((!lists || engines[i]->regions) && (!published || engines[i]->published))
            names[count++] = engines[i]->name;
    for (size_t i = 0; i < count && len < size; i++)
        len += (size_t)snprintf(out + len, size - len, "%s%s",
                                !i               ? ""
                                : i + 1 == count ? " and "
                                                 : ", ",
                                names[i]);
}

th_status th__engine_find(const char *name, bool lists, const th__engine **out, th_error *err)
{
    char known[200] = "";
    name = name ? name : th__lists_engine.name;
    for (size_t i = 0; engines[i]; i++)
        if (th__engine_is(engines[i], name) && (!lists || engines[i]->regions)) {
            *out = engines[i];
            return TH_OK;
        }
    name_engines(lists, false, known, sizeof known);
    return th__fail(err, TH_ERR_ARGUMENT, "unknown engine \"%.100s\"%s (available: %s)", name,
                    lists ? " for lists" : "", known);
}

th_status th__engine_check(const th__engine *engine, const th_paper_options *paper, th_error *err)
{
    char known[200] = "";
    if (!paper->published || engine->published)
        return th__paper_options_check(paper, err);
    /* beside an engine for lists, those for lists */
    name_engines(engine->regions != NULL, true, known, sizeof known);
    return th__fail(err, TH_ERR_ARGUMENT,
                    "engine \"%s\" has no published form (those that have: %s)", engine->name,
                    known);
}

/* ---- running --------------------------------------------------------------------------------- */

th_status th_wrapper_read(th_str bytes, const char *name, th_wrapper **out, th_error *err)
{
    return th__wrapper_read(bytes, name, engines, out, err);
}

static th_status extract_from(const th_wrapper *wrapper, const th__profile *profile,
                              const th_page *page, const th_records_source *source,
                              th_records **out, th_error *err)
{
    th_records_source none = {0};
    const th__known_fields known = {profile, wrapper->select};
    const th__engine *engine = wrapper->engine;
    *out = NULL;
    source = source ? source : &none;
    th_status status =
        engine->run_known && profile
            ? engine->run_known(wrapper->rules, &known, wrapper->schema, page, source, out, err)
            : engine->run(wrapper->rules, wrapper->schema, page, source, out, err);
    if (status || !wrapper->select)
        return status;
    th_records *all = *out;
    *out = NULL;
    status = th__select_run(wrapper->select, all, page, out, err);
    th_records_free(all);
    return status;
}

/* Returns true if the rules are for the data page of a page rather than for the page. */
static bool is_for_data_of(const th_wrapper *wrapper, const th_page *page)
{
    return wrapper->data && !th__page_is_data(page);
}

static th_status extract(const th_wrapper *wrapper, const th__profile *profile, const th_page *page,
                         const th_records_source *source, th_records **out, th_error *err)
{
    th_page *data = NULL;
    *out = NULL;
    if (!is_for_data_of(wrapper, page))
        return extract_from(wrapper, profile, page, source, out, err);
    th_status status = th__data_page_of(page, &data, err);
    if (!status)
        status = extract_from(wrapper, profile, data, source, out, err);
    if (!status)
        th__records_move(*out, data);
    th_page_free(data);
    return status;
}

static th_hits *new_hits(void)
{
    th_hits *hits = TH__NEW(th_hits);
    if (hits)
        th__arena_init(&hits->arena);
    return hits;
}

/* The innermost element around a span; 0 for the document. */
static uint32_t node_around(const th_page *page, th_span span)
{
    return th__page_node_around(page, th__token_at(page, span.start),
                                th__token_at(page, span.end - 1));
}

static void add_value(th_hits *hits, const th_page *page, const th_value *value, th__buf *name)
{
    th_value_kind kind = th_value_get_kind(value);
    th_span span = th_value_span(value);
    if (kind == TH_VALUE_TEXT && span.end > span.start)
        th__hits_add_tag(hits, page, node_around(page, span), th__buf_str(name), "element",
                         (th_str){0});
    if (kind == TH_VALUE_TEXT || kind == TH_VALUE_NULL)
        return;
    for (size_t i = 0; i < th_value_count(value);
         i++) { /* as deep as the schema, which is limited */
        const th_value *item = th_value_item(value, i);
        th_str own = th_type_name(th_value_type(item));
        size_t mark = name->len;
        if (own.len && kind != TH_VALUE_LIST)
            th__buf_printf(name, "%s%.*s", mark ? "." : "", TH_STR_ARG(own));
        add_value(hits, page, item, name);
        name->len = mark;
    }
}

/* The elements around the records and their values. */
static void add_elements(th_hits *hits, const th_page *page, const th_records *records)
{
    th__buf name = {0};
    for (size_t i = 0; i < th_records_count(records); i++) {
        const th_value *record = th_records_get(records, i);
        th_span span = th_value_span(record);
        if (span.end > span.start)
            th__hits_add_tag(hits, page, node_around(page, span), (th_str){0}, "record",
                             (th_str){0});
        add_value(hits, page, record, &name);
    }
    hits->failed |= name.failed;
    th__buf_release(&name);
}

static int by_place(const void *left, const void *right)
{
    const th_hit *a = left, *b = right;
    if (a->span.start != b->span.start)
        return a->span.start < b->span.start ? -1 : 1;
    return a->span.end < b->span.end ? -1 : a->span.end > b->span.end;
}

/* In the order of the page. */
static void sort_hits(th_hits *hits)
{
    if (hits->items.len)
        qsort(hits->items.data, hits->items.len, sizeof *hits->items.data, by_place);
}

th_status th_wrapper_hits(const th_wrapper *wrapper, const th_page *page, th_hits **out,
                          th_error *err)
{
    th_records *records = NULL;
    th_status status = TH_OK;
    *out = NULL;
    th_hits *hits = new_hits();
    if (!hits)
        return th__fail_memory(err);
    if (wrapper->engine->hits && !is_for_data_of(wrapper, page)) {
        status = wrapper->engine->hits(wrapper->rules, wrapper->schema, page, hits, err);
    } else {
        status = th_wrapper_extract(wrapper, page, NULL, &records, err);
        if (!status)
            add_elements(hits, page, records);
        th_records_free(records);
    }
    if (!status && hits->failed)
        status = th__fail_memory(err);
    if (status) {
        th_hits_free(hits);
        return status;
    }
    sort_hits(hits);
    *out = hits;
    return TH_OK;
}

th_status th_wrapper_extract(const th_wrapper *wrapper, const th_page *page,
                             const th_records_source *source, th_records **out, th_error *err)
{
    return extract(wrapper, wrapper->profile, page, source, out, err);
}

th_status th__wrapper_extract_by_rules(const th_wrapper *wrapper, const th_page *page,
                                       const th_records_source *source, th_records **out,
                                       th_error *err)
{
    return extract(wrapper, NULL, page, source, out, err);
}

/* ---- doubts -----------------------------------------------------------------------------------
 *
 * An engine that has one way to find a value cannot hold it against another. Two things tell all
 * the same: a page without any record, and a field that every labelled record had and that is
 * missing.
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

/* Every record is looked at; a field that is missing on many counts once for the page. */
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

static th_doubts *new_doubts(void)
{
    th_doubts *doubts = TH__NEW(th_doubts);
    if (doubts)
        th__arena_init(&doubts->arena);
    return doubts;
}

/* Gives answers of one value their list, where an engine did not. False if out of memory. */
static bool complete_doubts(th_doubts *doubts)
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

/* Of doubts about a data page: their places become those of the page that it was made of. */
static void move_doubts(th_doubts *doubts, const th_page *data)
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

static int by_contention(const void *left, const void *right)
{
    const th_doubt *a = left, *b = right;
    if (a->contention != b->contention)
        return a->contention > b->contention ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Most contended first, and for equals in the order of the page. */
static void sort_doubts(th_doubts *doubts)
{
    if (doubts->items.len)
        qsort(doubts->items.data, doubts->items.len, sizeof *doubts->items.data, by_contention);
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
    th_doubts *doubts = new_doubts();
    if (!doubts)
        return th__fail_memory(err);
    th_page *data = NULL;
    th_status status = engine->doubts && is_for_data_of(wrapper, page)
                           ? th__data_page_of(page, &data, err)
                           : TH_OK;
    if (!status)
        status = engine->doubts ? engine->doubts(wrapper->rules, wrapper->schema,
                                                 data ? data : page, doubts, err)
                                : plain_doubts(wrapper, page, doubts, err);
    if (!status && data)
        move_doubts(doubts, data);
    th_page_free(data);
    if (!status && !complete_doubts(doubts))
        status = th__fail_memory(err);
    if (status) {
        th_doubts_free(doubts);
        return status;
    }
    sort_doubts(doubts);
    *out = doubts;
    return TH_OK;
}
