/*
 * learner.c: learning from pages that are looked at together.
 *
 * Pages are kept as copies, so that a caller need not keep them; copying costs a fraction of what
 * parsing does. Labels are located as pages come, and settled once all pages are there.
 */
#include "learn/learner.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "data/labels.h"
#include "data/locate.h"
#include "learn/front.h"
#include "engine/papers/stalker/stalker.h"
#include "page/page.h"

static bool copy_text(th__arena *arena, th_str in, th_str *out)
{
    *out = in.ptr ? th__arena_copy(arena, in) : (th_str){0};
    return out->ptr || !in.ptr;
}

/* Labels are known by the page's name or by its URL; examples (*any) belong to the pages on which
 * all of them stand. */
static bool find_labels(const th_labels *labels, const th_records_source *source, size_t *index,
                        bool *any)
{
    *any = false;
    if (!labels)
        return false;
    if ((source->page.len && th_labels_find(labels, source->page, index)) ||
        (source->url.len && th_labels_find(labels, source->url, index)))
        return true;
    *any = true;
    return th_labels_find(labels, TH_STR(""), index);
}

static size_t count_missing(const th_located *located)
{
    size_t missing = 0;
    for (size_t i = 0; i < th_located_count(located); i++)
        missing += th_located_get(located, i)->found == TH_FOUND_NOT;
    return missing;
}

/* A value that stands nowhere cannot be learnt from. */
static th_status fail_missing(const th_located *located, th_str page, th_error *err)
{
    size_t i = 0;
    while (th_located_get(located, i)->found != TH_FOUND_NOT)
        i++;
    const th_finding *f = th_located_get(located, i);
    th_str near = f->nearest.ptr ? f->nearest : TH_STR("");
    return th__fail(
        err, TH_ERR_FORMAT, "%.*s: the value \"%.*s\" of %.*s is not on the page%s%.*s%s",
        TH_STR_ARG(page), TH_STR_ARG(f->value), TH_STR_ARG(f->path),
        near.len ? "; the most similar text is \"" : "", TH_STR_ARG(near), near.len ? "\"" : "");
}

/* A page on which not all examples stand is not labelled; the first with the fewest missing is
 * remembered, to tell of it when there is no better one. */
static void leave_unlabelled(th_learner *learner, th__kept_page *kept, size_t missing)
{
    if (!learner->nearest_miss || missing < learner->least_missing) {
        learner->least_missing = missing;
        learner->nearest_miss = true;
        th_error ignored;
        fail_missing(kept->located, kept->provenance.name, &ignored);
        learner->miss = ignored;
    }
    th_located_free(kept->located);
    kept->located = NULL;
}

static th_status locate(th_learner *learner, th__kept_page *kept, const th_records_source *source,
                        th_error *err)
{
    const th_labels *labels = learner->options.labels;
    size_t index;
    bool any;
    if (!find_labels(labels, source, &index, &any))
        return TH_OK;
    th_status status =
        learner->label_schema ? TH_OK : th_labels_schema(labels, &learner->label_schema, err);
    if (!status)
        status =
            th_labels_locate(labels, index, learner->label_schema, kept->page, &kept->located, err);
    size_t missing = status ? 0 : count_missing(kept->located);
    if (missing && !any)
        return fail_missing(kept->located, kept->provenance.name, err);
    if (missing)
        leave_unlabelled(learner, kept, missing);
    kept->label_page = index;
    learner->labelled += kept->located != NULL;
    kept->sample = any;
    return status;
}

th_status th__learner_keep(th_learner *learner, const th_page *page,
                           const th_records_source *source, size_t *records, th_error *err)
{
    th__kept_page kept = {.provenance.digest = th__wrapper_digest(th_page_text(page))};
    th_str name = source->page.ptr ? source->page : th_str_from("");
    th_status status = th_page_copy(page, &kept.page, err);
    if (!status && (!copy_text(&learner->arena, name, &kept.provenance.name) ||
                    !copy_text(&learner->arena, source->url, &kept.url)))
        status = th__fail_memory(err);
    if (!status)
        status = locate(learner, &kept, source, err);
    if (!status && !th__vec_push(&learner->kept, kept))
        status = th__fail_memory(err);
    if (status) {
        th_located_free(kept.located);
        th_page_free(kept.page);
        return status;
    }
    *records = kept.located ? th_records_count(th_located_records(kept.located))
                            : learner->options.labels == NULL;
    return TH_OK;
}

th__corpus_page *th__learner_corpus(const th_learner *learner, th__arena *arena)
{
    th__corpus_page *pages = th__arena_zero(arena, learner->kept.len + 1, sizeof *pages);
    for (size_t i = 0; pages && i < learner->kept.len; i++) {
        const th__kept_page *kept = &learner->kept.data[i];
        pages[i] =
            (th__corpus_page){.page = kept->page, .source = {kept->provenance.name, kept->url}};
        if (!kept->located)
            continue;
        const th__label_page *given = &learner->options.labels->pages.data[kept->label_page];
        pages[i].labels = th_located_records(kept->located);
        pages[i].body = given->body;
        pages[i].nothing = given->nothing;
        pages[i].nothing_count = given->nothing_count;
        pages[i].sample = kept->sample;
    }
    return pages;
}

/* Labels without any value would give a wrapper without fields. A wrapper that is corrected has its
 * fields: its labels may only say where nothing is. */
static th_status check_values(const th_learner *learner, th_error *err)
{
    const th__kept_page *first = NULL;
    for (size_t i = 0; i < learner->kept.len; i++) {
        const th__kept_page *kept = &learner->kept.data[i];
        if (kept->located && th_located_count(kept->located))
            return TH_OK;
        first = first || !kept->located ? first : kept;
    }
    if (learner->options.correct)
        return TH_OK;
    return th__fail(
        err, TH_ERR_ARGUMENT,
        "%.*s: the labels have no value, so there is nothing to learn: give at least one, as in "
        "\"records\": [{\"title\": \"a text of the page\"}]",
        TH_STR_ARG(first->provenance.name));
}

/* Labels that were given must be of some page, and hold values. */
static th_status check_labelled(const th_learner *learner, th_error *err)
{
    if (learner->labelled)
        return check_values(learner, err);
    if (learner->nearest_miss) {
        if (err)
            *err = learner->miss;
        return learner->miss.status;
    }
    if (learner->options.labels && th_labels_count(learner->options.labels))
        return th__fail(err, TH_ERR_ARGUMENT,
                        "no labels for any of these pages; they name %.*s%s, which must be a page "
                        "as given, or its URL",
                        TH_STR_ARG(th_labels_page(learner->options.labels, 0)),
                        th_labels_count(learner->options.labels) > 1 ? ", ..." : "");
    if (!learner->engine->needs_labels)
        return TH_OK;
    return th__fail(err, TH_ERR_ARGUMENT,
                    "engine %s learns from labels, and none of the pages has any: give --labels "
                    "or --example",
                    learner->engine->name);
}

/* Pages that were learnt from, for the wrapper's provenance. */
static bool list_pages(th_learner *learner, const th__corpus *corpus)
{
    for (size_t i = 0; corpus && i < learner->kept.len; i++)
        learner->left_out += corpus->pages[i].left_out;
    for (size_t i = 0; i < learner->kept.len && learner->pages.len < TH__WRAPPER_MAX_PAGES; i++) {
        th__learnt_page entry = learner->kept.data[i].provenance;
        if (corpus)
            entry.records = corpus->pages[i].learnt;
        if ((!corpus || !corpus->pages[i].left_out) && !th__vec_push(&learner->pages, entry))
            return false;
    }
    return true;
}

/* The engine that was asked for, on all pages together. */
static th_status learn_corpus(th_learner *learner, th_wrapper *wrapper, th_error *err)
{
    th__corpus corpus = {.pages = th__learner_corpus(learner, &learner->arena),
                         .count = learner->kept.len,
                         .schema = learner->label_schema,
                         .notes = &learner->notes,
                         .cancel = &learner->options.cancel};
    if (!corpus.pages)
        return th__fail_memory(err);
    const th_wrapper *old = learner->options.correct;
    th_status status =
        old ? learner->engine->correct(&learner->options, old->schema, old->rules, &corpus,
                                       &wrapper->arena, &wrapper->schema, &wrapper->rules, err)
            : learner->engine->learn_corpus(&learner->options, &corpus, &wrapper->arena,
                                            &wrapper->schema, &wrapper->rules, err);
    if (!status && !list_pages(learner, &corpus))
        status = th__fail_memory(err);
    return status;
}

/* The same, and labels that have nothing in common; stalker tells that by itself. */
static th_status learn_named(th_learner *learner, const th__settled *settled, th_wrapper *wrapper,
                             th_error *err)
{
    bool told =
        learner->engine == &th__stalker_engine || !learner->engine->needs_labels || !settled->ruled;
    bool right = true;
    th_status status = learn_corpus(learner, wrapper, err);
    for (uint32_t f = 0; !told && f < settled->rules.count; f++)
        right &= settled->fits[f].right == settled->fits[f].pages;
    if (!status && !told && !right && !learner->options.correct)
        status = th__front_note_apart(learner, wrapper, settled->fits, err);
    return status;
}

/* What is not as it is labelled comes before all other notes. An engine that was asked for by name
 * may have told it better. */
static th_status check_labels(th_learner *learner, const th_wrapper *wrapper, th_error *err)
{
    bool told = !learner->front && learner->engine == &th__stalker_engine;
    th__notes notes;
    th__notes_init(&notes);
    th_status status =
        th__front_check(learner, wrapper, told ? NULL : &notes, &learner->wrong, err);
    for (size_t i = 0; !status && i < learner->notes.lines.len; i++) {
        const th__note *note = &learner->notes.lines.data[i];
        if (!th__notes_copy(&notes, note->text, note->detail))
            status = th__fail_memory(err);
    }
    if (!status) {
        th__notes kept = learner->notes;
        learner->notes = notes;
        notes = kept;
    }
    th__notes_release(&notes);
    return status;
}

/* Labels may be given in any order; engines read them in that of the page. */
static bool sort_labels(th_learner *learner)
{
    bool ok = true;
    for (size_t i = 0; ok && i < learner->kept.len; i++)
        ok = !learner->kept.data[i].located || th__located_sort(learner->kept.data[i].located);
    return ok;
}

th_status th__learner_learn(th_learner *learner, th_wrapper *wrapper, th_error *err)
{
    th__settled settled;
    th_status status = check_labelled(learner, err);
    if (status)
        return status;
    if (!th__settle(learner, &settled) || !sort_labels(learner))
        status = th__fail_memory(err);
    else if (!learner->front)
        status = learn_named(learner, &settled, wrapper, err);
    else
        status = th__front_learn(learner, &settled, learner->asked ? learner->engine : NULL,
                                 wrapper, err);
    if (!status && learner->front && !list_pages(learner, NULL))
        status = th__fail_memory(err);
    if (!status && learner->labelled)
        status = check_labels(learner, wrapper, err);
    th__settled_release(&settled);
    return status;
}

void th__learner_release_kept(th_learner *learner)
{
    for (size_t i = 0; i < learner->kept.len; i++) {
        th_located_free(learner->kept.data[i].located);
        th_page_free(learner->kept.data[i].page);
    }
    th__vec_release(&learner->kept);
    th_schema_free(learner->label_schema);
    th__notes_release(&learner->notes);
}
