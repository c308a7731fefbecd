/*
 * front_engines.c: engines that learn from labels, held against each other.
 *
 * An engine that has seen a page can say what stands on it: that proves little. So, where several
 * pages are labelled, each is kept back once, and what the engine says of it after learning from
 * the others counts.
 */
#include <stdlib.h>

#include "base/error.h"
#include "data/record.h"
#include "learn/front.h"

enum { KEPT_BACK = 5, LEAVES = 65536 };
#define ALL SIZE_MAX

#define UNKNOWN (-1.0) /* the engine has not kept pages back itself */

/* ---- how like two sets of records are ---------------------------------------------------------
 */

typedef TH__VEC(uint64_t) hash_vec;

/* A value of a record with its place in the schema: all that is compared. */
static bool add_leaves(const th_value *value, uint64_t place, hash_vec *out)
{
    if (value->kind == TH_VALUE_TEXT)
        return out->len >= LEAVES ||
               th__vec_push(out, th__hash_mix(place, th__text_hash(th__value_text(value))));
    bool tuple = value->kind == TH_VALUE_TUPLE;
    for (uint32_t i = 0;
         value->kind != TH_VALUE_NULL && value->kind != TH_VALUE_TEXT && i < value->count; i++)
        /* Schemas are at most 64 deep, and so is this. */
        if (!add_leaves(th__value_item(value, i), tuple ? th__hash_mix(place, i + 1) : place, out))
            return false;
    return true;
}

static int by_hash(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

static bool leaves_of(const th_records *records, hash_vec *out)
{
    for (size_t i = 0; i < th_records_count(records); i++)
        if (!add_leaves(th_records_get(records, i), 1, out))
            return false;
    if (out->len)
        qsort(out->data, out->len, sizeof *out->data, by_hash);
    return true;
}

bool th__front_likeness(const th_records *found, const th_records *labels, double *out)
{
    hash_vec a = {0}, b = {0};
    bool sample = th__type_strip(th_schema_root(th_records_schema(labels)))->kind == TH_TYPE_LIST;
    bool ok = leaves_of(found, &a) && leaves_of(labels, &b);
    size_t common = 0;
    for (size_t i = 0, j = 0; i < a.len && j < b.len;) {
        common += a.data[i] == b.data[j];
        if (a.data[i] == b.data[j])
            i++, j++;
        else if (a.data[i] < b.data[j])
            i++;
        else
            j++;
    }
    size_t all = sample ? 2 * b.len : a.len + b.len;
    *out = all ? 2.0 * (double)common / (double)all : 1;
    th__vec_release(&a);
    th__vec_release(&b);
    return ok;
}

/* The first text of a value that is not among sorted leaves. */
static const th_value *first_missing(const th_value *value, uint64_t place, const hash_vec *leaves)
{
    if (value->kind == TH_VALUE_NULL)
        return NULL;
    if (value->kind == TH_VALUE_TEXT) {
        uint64_t hash = th__hash_mix(place, th__text_hash(th__value_text(value)));
        bool there = leaves->len && bsearch(&hash, leaves->data, leaves->len, sizeof hash, by_hash);
        return there ? NULL : value;
    }
    const th_value *found = NULL;
    bool tuple = value->kind == TH_VALUE_TUPLE;
    for (uint32_t i = 0; !found && i < value->count; i++) /* as deep as schemas are */
        found = first_missing(th__value_item(value, i), tuple ? th__hash_mix(place, i + 1) : place,
                              leaves);
    return found;
}

/* Which labelled value of a page an engine does not find when it has not seen the label. */
static bool note_missing(const th__engine *engine, const th__kept_page *kept,
                         const th_records *found, double like, th__notes *notes)
{
    const th_records *labels = th_located_records(kept->located);
    const th_type *tuple = th__type_strip(th_schema_record_type(th_records_schema(labels)));
    const th_value *missing = NULL;
    uint32_t member = 0;
    hash_vec leaves = {0};
    bool ok = leaves_of(found, &leaves);
    for (size_t r = 0; ok && !missing && r < th_records_count(labels); r++) {
        const th_value *record = th_records_get(labels, r);
        for (uint32_t m = 0; !missing && record->kind == TH_VALUE_TUPLE && m < record->count; m++) {
            missing = first_missing(th__value_item(record, m), th__hash_mix(1, m + 1), &leaves);
            member = m;
        }
    }
    th__vec_release(&leaves);
    if (!ok || !missing)
        return ok;
    return th__notes_add(notes,
                         "%.*s: when its label is held out, engine %s finds %.0f%% of it, but not "
                         "%.*s \"%.*s\" (bytes %u-%u). Check that label, or label one more "
                         "page like this one",
                         TH_STR_ARG(kept->provenance.name), engine->name, 100 * like,
                         TH_STR_ARG(th_type_name(tuple->children[member])),
                         TH_STR_ARG(th__value_text(missing)), missing->span.start,
                         missing->span.end);
}

/* ---- learning with some labels -----------------------------------------------------------------
 */

/* The labels of a page without one of their records. NULL if out of memory. */
static th_records *labels_without(const th_records *labels, size_t record, th__arena *arena)
{
    th_records *less = th__arena_zero(arena, 1, sizeof *less);
    th_value **values = th__arena_zero(arena, labels->values.len + 1, sizeof *values);
    if (!less || !values)
        return NULL;
    *less = *labels;
    less->values.data = values;
    less->values.len = 0;
    for (size_t i = 0; i < labels->values.len; i++)
        if (i != record)
            values[less->values.len++] = labels->values.data[i];
    return less;
}

/* Learns from all pages, the labels of page `without` left out, or one record of them (`record`;
 * ALL: all). *worth is what the engine says of itself, or below 0. */
static th_status learn(th_learner *learner, const th__engine *engine, size_t without, size_t record,
                       th__notes *notes, th_wrapper **out, double *worth, th_error *err)
{
    th__arena arena;
    th_wrapper *wrapper = th__wrapper_new(engine);
    *worth = UNKNOWN;
    th__arena_init(&arena);
    th__corpus corpus = {.pages = th__learner_corpus(learner, &arena),
                         .count = learner->kept.len,
                         .schema = learner->label_schema,
                         .notes = notes,
                         .worth = worth,
                         .cancel = &learner->options.cancel};
    th_status status = wrapper && corpus.pages ? TH_OK : th__fail_memory(err);
    if (!status && without < corpus.count)
        corpus.pages[without].labels =
            record == ALL ? NULL : labels_without(corpus.pages[without].labels, record, &arena);
    if (!status && record != ALL && !corpus.pages[without].labels)
        status = th__fail_memory(err);
    if (!status)
        status = engine->learn_corpus(&learner->options, &corpus, &wrapper->arena, &wrapper->schema,
                                      &wrapper->rules, err);
    for (size_t i = 0; !status && record == ALL && i < corpus.count; i++)
        learner->kept.data[i].provenance.records = corpus.pages[i].learnt;
    th__arena_release(&arena);
    if (status) {
        th_wrapper_free(wrapper);
        wrapper = NULL;
    }
    *out = wrapper;
    return status;
}

/* The first page that is not right is told of in the notes, unless they are NULL. */
static th_status judge(const th_wrapper *wrapper, const th__kept_page *kept, double *out,
                       th__notes **notes, th_error *err)
{
    th_records *records = NULL;
    th_status status = th_wrapper_extract(wrapper, kept->page, NULL, &records, err);
    if (!status && !th__front_likeness(records, th_located_records(kept->located), out))
        status = th__fail_memory(err);
    if (!status && *notes && *out < 1) {
        if (!note_missing(wrapper->engine, kept, records, *out, *notes))
            status = th__fail_memory(err);
        *notes = NULL;
    }
    th_records_free(records);
    return status;
}

/* How right an engine is on pages whose labels it has not seen; with one labelled page, on that. */
static th_status weigh(th_learner *learner, const th__engine *engine, const th_wrapper *whole,
                       th__notes *told, double *out, th_error *err)
{
    double sum = 0, one = 0;
    size_t judged = 0;
    th_status status = TH_OK;
    for (size_t p = 0; !status && p < learner->kept.len && judged < KEPT_BACK; p++) {
        const th__kept_page *kept = &learner->kept.data[p];
        if (!kept->located)
            continue;
        th__notes notes;
        th_wrapper *wrapper = NULL;
        th__notes_init(&notes);
        one = 0;
        if (learner->labelled > 1) {
            double own;
            status = learn(learner, engine, p, ALL, &notes, &wrapper, &own, err);
            if (!status)
                status = judge(wrapper, kept, &one, &told, err);
            else if (status != TH_ERR_MEMORY)
                status = TH_OK; /* too little is left to learn from */
        } else {
            th__notes *none = NULL;
            status = judge(whole, kept, &one, &none, err);
        }
        th_wrapper_free(wrapper);
        th__notes_release(&notes);
        sum += one;
        judged++;
    }
    *out = judged ? sum / (double)judged : 0;
    return status;
}

th_status th__front_try(th_learner *learner, const th__engine *engine, th__notes *notes,
                        th_wrapper **out, double *worth, th_error *err)
{
    th_status status = learn(learner, engine, ALL, ALL, notes, out, worth, err);
    if (!status && *worth < 0)
        status = weigh(learner, engine, *out, notes, worth, err);
    if (status) {
        th_wrapper_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- records kept back ------------------------------------------------------------------------
 */

/* How like a labelled record is to the most like of those that were found: F1 over values. */
static bool best_likeness(const th_records *found, const th_value *label, double *out)
{
    hash_vec want = {0}, have = {0};
    bool ok = add_leaves(label, 1, &want);
    if (want.len)
        qsort(want.data, want.len, sizeof *want.data, by_hash);
    *out = 0;
    for (size_t i = 0; ok && want.len && i < th_records_count(found); i++) {
        size_t common = 0;
        have.len = 0;
        ok = add_leaves(th_records_get(found, i), 1, &have);
        for (size_t k = 0; k < have.len; k++)
            common +=
                bsearch(&have.data[k], want.data, want.len, sizeof *want.data, by_hash) != NULL;
        double like = 2.0 * (double)common / (double)(have.len + want.len);
        *out = like > *out ? like : *out;
    }
    th__vec_release(&want);
    th__vec_release(&have);
    return ok;
}

static th_status judge_record(th_learner *learner, const th__engine *engine, size_t page,
                              size_t record, double *out, th_error *err)
{
    const th__kept_page *kept = &learner->kept.data[page];
    th_wrapper *wrapper = NULL;
    th_records *found = NULL;
    th__notes notes;
    double own;
    *out = 0;
    th__notes_init(&notes);
    th_status status = learn(learner, engine, page, record, &notes, &wrapper, &own, err);
    if (!status)
        status = th_wrapper_extract(wrapper, kept->page, NULL, &found, err);
    if (!status &&
        !best_likeness(found, th_records_get(th_located_records(kept->located), record), out))
        status = th__fail_memory(err);
    th_records_free(found);
    th_wrapper_free(wrapper);
    th__notes_release(&notes);
    return status == TH_ERR_MEMORY ? status : TH_OK; /* else too little is left to learn from */
}

th_status th__front_kept_back(th_learner *learner, const th__engine *engine, double *out,
                              th_error *err)
{
    double sum = 0, one = 0;
    size_t judged = 0;
    th_status status = TH_OK;
    for (size_t p = 0; !status && p < learner->kept.len; p++) {
        const th_located *located = learner->kept.data[p].located;
        size_t count = located ? th_records_count(th_located_records(located)) : 0;
        for (size_t r = 0; !status && r < count && judged < KEPT_BACK; r++, judged++) {
            status = judge_record(learner, engine, p, r, &one, err);
            sum += one;
        }
    }
    *out = judged ? sum / (double)judged : 0;
    return status;
}
