/*
 * learn_data.c: are pages learnt from by their text, or by the data that they carry beside it?
 *
 * By their data (data_page.h) if
 *  - a list of the data is what `thresh PAGE` would give for most pages, or the one that was picked
 *    (no labels), or
 *  - the data has labelled values that the text and the attributes of the page lack.
 *
 * Then the data pages are learnt from as any pages are, and the wrapper says so: whoever runs it on
 * a page makes the data page first. See th_wrapper.data.
 */
#include "base/cancel.h"
#include "base/error.h"
#include "data/labels.h"
#include "learn/learn.h"
#include "page/data_page.h"

enum { LOOKED_AT = 4 }; /* pages that tell what the others are like */

/* ---- lists ----------------------------------------------------------------------------------- */

/* Is the list at a place, counted from 1, one of the data? *among: its place among these. */
static th_status look_at_lists(const th_page *page, uint32_t pick, bool *data, uint32_t *among,
                               th_error *err)
{
    th_regions *regions = NULL;
    th_regions_options options;
    th_regions_options_init(&options);
    options.most = pick > options.most ? pick : options.most;
    th_status status = th_regions_find(page, NULL, &options, &regions, err);
    if (status)
        return status;
    *among = 0;
    *data = pick <= th_regions_count(regions) && th_regions_get(regions, pick - 1)->data;
    for (uint32_t i = 0; *data && i < pick; i++)
        *among += th_regions_get(regions, i)->data;
    th_regions_free(regions);
    return TH_OK;
}

/* ---- labels ---------------------------------------------------------------------------------- */

static th_status count_missing(const th_labels *labels, size_t index, const th_schema *schema,
                               const th_page *page, size_t *missing, th_error *err)
{
    th_located *located = NULL;
    th_status status = th_labels_locate(labels, index, schema, page, &located, err);
    *missing = 0;
    for (size_t i = 0; !status && i < th_located_count(located); i++)
        *missing += th_located_get(located, i)->found == TH_FOUND_NOT;
    th_located_free(located);
    return status;
}

static th_status look_at_labels(const th_labels *labels, const th_schema *schema,
                                const th__stored_page *stored, const th_page *own, bool *data,
                                th_error *err)
{
    size_t index, in_text, in_data;
    bool any;
    const th_records_source source = {stored->name, stored->url};
    *data = false;
    if (!th__learn_find_labels(labels, &source, &index, &any))
        return TH_OK;
    th_status status = count_missing(labels, index, schema, stored->page, &in_text, err);
    if (!status && in_text) {
        status = count_missing(labels, index, schema, own, &in_data, err);
        *data = !status && in_data < in_text;
    }
    return status;
}

/* ---- both ------------------------------------------------------------------------------------ */

static bool may_want(const th_corpus *corpus, const th_learn_options *options,
                     const th__engine *engine)
{
    if (options->text_only || options->cluster || options->all_clusters || options->records_only ||
        options->paper.published || options->heading_count)
        return false;
    return corpus->labels ? th_labels_count(corpus->labels) > 0 : !options->engine || engine->data;
}

th_status th__learn_wants_data(const th_corpus *corpus, th_learn_options *options, bool *out,
                               th_error *err)
{
    const th__engine *engine;
    th_schema *schema = NULL;
    uint32_t looked = 0, votes = 0, pick = options->pick ? options->pick : 1, among = 0;
    bool data, labelled = corpus->labels != NULL;
    th_status status = TH_OK;
    *out = options->correct && options->correct->data;
    if (options->correct || th__learn_engine(options, corpus->labels, &engine, NULL) ||
        !may_want(corpus, options, engine))
        return TH_OK; /* options that make no sense are told of later */
    for (size_t i = 0; !status && looked < LOOKED_AT && i < corpus->pages.len; i++) {
        const th__stored_page *stored = &corpus->pages.data[i];
        th_page *own = NULL;
        uint32_t place = 0;
        data = false;
        if (!stored->page)
            continue;
        status = th__cancel_check(&options->cancel, err);
        if (!status)
            status = th__data_page_make(stored->page, &own, err);
        looked += !labelled || own;
        if (!status && own && labelled && !schema)
            status = th_labels_schema(corpus->labels, &schema, err);
        if (!status && own)
            status = labelled ? look_at_labels(corpus->labels, schema, stored, own, &data, err)
                              : look_at_lists(stored->page, pick, &data, &place, err);
        th_page_free(own);
        if (!status && data) {
            votes++;
            among = among ? among : place;
        }
        if (labelled ? data : options->pick || (looked == 1 && !data))
            break; /* one page tells */
    }
    th_schema_free(schema);
    *out = !status && (labelled ? votes > 0 : 2 * votes > looked);
    if (*out && options->pick)
        options->pick = among;
    return status;
}

th_status th__learn_data_corpus(const th_corpus *corpus, th_corpus **out, th_error *err)
{
    th_corpus *data = NULL;
    th_status status = th_corpus_new(&data, err);
    if (!status)
        th_corpus_set_labels(data, corpus->labels);
    for (size_t i = 0; !status && i < corpus->pages.len; i++) {
        const th__stored_page *stored = &corpus->pages.data[i];
        const th_records_source source = {stored->name, stored->url};
        th_page *own = NULL;
        if (!stored->page)
            status =
                th__fail(err, TH_ERR_ARGUMENT, "%.*s was only looked at, or dropped: add it again",
                         TH_STR_ARG(stored->name));
        if (!status)
            status = th__data_page_of(stored->page, &own, err);
        if (!status)
            status = th_corpus_add(data, own, &source, err);
        th_page_free(own);
    }
    if (status) {
        th_corpus_free(data);
        data = NULL;
    }
    *out = data;
    return status;
}
