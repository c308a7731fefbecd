/*
 * front_template.c: labels that merely pick columns of the template behind all pages.
 *
 * The engine template finds the template of pages of one kind without labels, the unlabelled ones among them. Its
 * fields know things that a place does not say: the label beside a value wherever both stand, parts
 * of a text, sets. Where labelled values are such fields, naming them is all that is left to do.
 *
 * What it is worth is told as of other engines: each labelled page is kept back once and the
 * columns are picked by the others. Columns that are there on labelled pages and not on others are
 * an accident: what they are worth falls with what is missing there.
 */
#include "base/error.h"
#include "data/record.h"
#include "engine/template/template.h"
#include "learn/front.h"

enum {
    LEAST_PAGES = 4, /* fewer tell too little of what is template and what is data */
    MOST_PAGES = 24, /* that are learnt from: those with labels, and others */
    KEPT_BACK = 5,
    HELD_TO = 8 /* pages without labels that are looked at in the end */
};

struct columns {
    th_learner *learner;
    th_wrapper *wrapper;
    th__arena arena;
    uint32_t *pages; /* of the learner, that are learnt from */
    size_t page_count;
    th_records **records;      /* by labelled page: what the template gives */
    th__front_sample *samples; /* of labelled pages */
    th__finding_map *maps;
    uint32_t *sample_pages;
    size_t sample_count;
};

/* ---- the template ---------------------------------------------------------------------------- */

/* All labelled pages, as far as there is room, and then others. */
static void choose_pages(struct columns *t)
{
    for (int labelled = 1; labelled >= 0; labelled--)
        for (uint32_t p = 0; p < t->learner->kept.len && t->page_count < MOST_PAGES; p++)
            if ((t->learner->kept.data[p].located != NULL) == labelled)
                t->pages[t->page_count++] = p;
}

static th_status learn(struct columns *t, th__notes *notes, th_error *err)
{
    th_learn_options options;
    th_learn_options_init(&options);
    th__corpus_page *all = th__learner_corpus(t->learner, &t->arena);
    th__corpus_page *pages = th__arena_zero(&t->arena, t->page_count + 1, sizeof *pages);
    if (!all || !pages)
        return th__fail_memory(err);
    for (size_t i = 0; i < t->page_count; i++)
        pages[i] =
            (th__corpus_page){.page = all[t->pages[i]].page, .source = all[t->pages[i]].source};
    th__corpus corpus = {.pages = pages, .count = t->page_count, .notes = notes};
    return th__template_engine.learn_corpus(&options, &corpus, &t->wrapper->arena, &t->wrapper->schema,
                                         &t->wrapper->rules, err);
}

/* ---- columns --------------------------------------------------------------------------------- */

/* What the template gives for the labelled pages. */
static th_status make_samples(struct columns *t, th_error *err)
{
    for (size_t i = 0; i < t->page_count; i++) {
        const th__kept_page *kept = &t->learner->kept.data[t->pages[i]];
        if (!kept->located)
            continue;
        th_records **records = &t->records[t->sample_count];
        th__finding_map *map = &t->maps[t->sample_count];
        th_status status = th__template_engine.run(t->wrapper->rules, t->wrapper->schema, kept->page,
                                                &(th_records_source){0}, records, err);
        if (status)
            return status;
        uint32_t *matched = th__arena_alloc(&t->arena, sizeof *matched);
        if (!matched || !th__finding_map_make(kept->located, &t->arena, map))
            return th__fail_memory(err);
        *matched = th_records_count(*records) ? 0 : UINT32_MAX;
        t->samples[t->sample_count] = (th__front_sample){kept->located, map, *records, matched};
        t->sample_pages[t->sample_count++] = t->pages[i];
    }
    return TH_OK;
}

/* Picks columns by all labelled pages but one. */
static th_status pick(struct columns *t, size_t without, th_error *err)
{
    th__front_sample *samples = th__arena_zero(&t->arena, t->sample_count + 1, sizeof *samples);
    size_t count = 0;
    if (!samples)
        return th__fail_memory(err);
    for (size_t i = 0; i < t->sample_count; i++)
        if (i != without)
            samples[count++] = t->samples[i];
    return th__front_columns(samples, count, t->learner->label_schema, false, &t->arena, t->wrapper,
                             err);
}

static void unpick(struct columns *t)
{
    if (t->wrapper->select)
        th__select_release(t->wrapper->select);
    t->wrapper->select = NULL;
}

/* ---- what it is worth ------------------------------------------------------------------------ */

static th_status judge(struct columns *t, size_t sample, double *out, th_error *err)
{
    th_records *found = NULL;
    const th__kept_page *kept = &t->learner->kept.data[t->sample_pages[sample]];
    th_status status =
        th__select_run(t->wrapper->select, t->samples[sample].records, kept->page, &found, err);
    if (!status && !th__front_likeness(found, th_located_records(kept->located), out))
        status = th__fail_memory(err);
    th_records_free(found);
    return status;
}

static th_status weigh(struct columns *t, double *out, th_error *err)
{
    double sum = 0;
    size_t judged = 0;
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < t->sample_count && judged < KEPT_BACK; i++, judged++) {
        double one = 0;
        status = pick(t, t->sample_count > 1 ? i : SIZE_MAX, err);
        if (!status)
            status = judge(t, i, &one, err);
        unpick(t);
        sum += one;
    }
    *out = judged ? sum / (double)judged : 0;
    return status;
}

/* How many of the fields that every label has are there on pages without labels. */
static th_status fill_of(struct columns *t, double *out, th_error *err)
{
    const th_type *fields = th__type_strip(th_schema_record_type(t->learner->label_schema));
    size_t cells = 0, filled = 0, looked = 0;
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < t->page_count && looked < HELD_TO; i++) {
        const th__kept_page *kept = &t->learner->kept.data[t->pages[i]];
        th_records *records = NULL;
        if (kept->located)
            continue;
        looked++;
        status = th_wrapper_extract(t->wrapper, kept->page, NULL, &records, err);
        const th_value *record =
            !status && th_records_count(records) ? th_records_get(records, 0) : NULL;
        for (uint32_t m = 0; !status && m < fields->count; m++) {
            if (fields->children[m]->kind == TH_TYPE_OPTIONAL)
                continue;
            const th_value *value = record ? th_value_item(record, m) : NULL;
            cells++;
            filled += value && value->kind != TH_VALUE_NULL &&
                      (value->kind != TH_VALUE_LIST || value->count);
        }
        th_records_free(records);
    }
    *out = cells ? (double)filled / (double)cells : 1;
    return status;
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool begin(struct columns *t)
{
    size_t most = MOST_PAGES;
    t->pages = th__arena_zero(&t->arena, most, sizeof *t->pages);
    t->records = th__arena_zero(&t->arena, most, sizeof *t->records);
    t->samples = th__arena_zero(&t->arena, most, sizeof *t->samples);
    t->maps = th__arena_zero(&t->arena, most, sizeof *t->maps);
    t->sample_pages = th__arena_zero(&t->arena, most, sizeof *t->sample_pages);
    t->wrapper = th__wrapper_new(&th__template_engine);
    return t->pages && t->records && t->samples && t->maps && t->sample_pages && t->wrapper;
}

th_status th__front_template(th_learner *learner, th__notes *notes, th_wrapper **out, double *worth,
                             th_error *err)
{
    struct columns t = {.learner = learner};
    double fill = 0;
    *out = NULL;
    *worth = 0;
    if (learner->kept.len < LEAST_PAGES || !th__paths_fit_schema(learner->label_schema))
        return TH_OK;
    th__arena_init(&t.arena);
    th_status status = begin(&t) ? TH_OK : th__fail_memory(err);
    if (!status) {
        choose_pages(&t);
        status = learn(&t, notes, err);
    }
    if (!status)
        status = make_samples(&t, err);
    if (!status)
        status = weigh(&t, worth, err);
    if (!status)
        status = pick(&t, SIZE_MAX, err);
    if (!status)
        status = fill_of(&t, &fill, err);
    *worth *= fill;
    for (size_t i = 0; t.records && i < MOST_PAGES; i++)
        th_records_free(t.records[i]);
    th__arena_release(&t.arena);
    if (!status) {
        *out = t.wrapper;
        return TH_OK;
    }
    th_wrapper_free(t.wrapper);
    return status == TH_ERR_MEMORY ? status : TH_OK; /* a template without such columns */
}
