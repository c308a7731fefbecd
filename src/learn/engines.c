/* engines.c: the list of engines, and learning and running by name. */
#include <stdio.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "data/labels.h"
#include "learn/plain_doubts.h"
#include "engine/lists/lists_rule.h"
#include "engine/papers/exalg/exalg.h"
#include "engine/papers/iepad/iepad.h"
#include "learn/learner.h"
#include "engine/papers/mdr/mdr.h"
#include "engine/paths/paths.h"
#include "engine/seams/seams.h"
#include "engine/papers/softmealy/softmealy.h"
#include "engine/papers/stalker/stalker.h"
#include "engine/regions.h"
#include "engine/template/template.h"
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
    name = name ? name : "auto";
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

/* ---- learning -------------------------------------------------------------------------------- */

void th_learn_options_init(th_learn_options *options)
{
    *options = (th_learn_options){.pick = 1};
    th_paper_options_init(&options->paper);
}

/* What a corrected wrapper was learnt from stays with it. */
static th_status keep_provenance(th_learner *learner, const th_wrapper *wrapper, th_error *err)
{
    for (uint32_t i = 0; i < wrapper->page_count; i++) {
        th__learnt_page page = wrapper->pages[i];
        page.name = th__arena_copy(&learner->arena, page.name);
        if (!page.name.ptr || !th__vec_push(&learner->pages, page))
            return th__fail_memory(err);
    }
    return TH_OK;
}

th_status th_learner_new(const th_learn_options *options, th_learner **out, th_error *err)
{
    th_learn_options defaults;
    th_learn_options_init(&defaults);
    if (!options)
        options = &defaults;
    *out = NULL;
    const th__engine *engine = options->correct ? options->correct->engine : NULL;
    th_status status = engine ? TH_OK : th__engine_find(options->engine, false, &engine, err);
    if (!status)
        status = th__engine_check(engine, &options->paper, err);
    if (status)
        return status;
    if (options->correct && !engine->correct)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "a wrapper of engine %s cannot be corrected, only learnt again; only "
                        "softmealy's can be corrected",
                        engine->name);
    if (options->correct && options->engine && strcmp(options->engine, engine->name) != 0)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "the wrapper to correct uses engine %s: leave the engine out",
                        engine->name);
    if (!options->pick)
        return th__fail(err, TH_ERR_ARGUMENT, "regions are counted from 1");
    if (options->labels && !th_labels_count(options->labels))
        return th__fail(
            err, TH_ERR_ARGUMENT,
            "%.*s has no labels: write one line per labelled page, {\"page\": NAME, "
            "\"records\": [{FIELD: VALUE}]}, or learn without labels",
            TH_STR_ARG(options->labels->name.len ? options->labels->name : TH_STR("the caller")));
    th_learner *learner = TH__NEW(th_learner);
    if (!learner)
        return th__fail_memory(err);
    th__arena_init(&learner->arena);
    th__notes_init(&learner->notes);
    learner->engine = engine;
    learner->asked = options->engine != NULL;
    learner->options = *options;
    learner->front =
        options->labels && !options->correct && (!options->engine || !engine->learn_corpus);
    learner->options.engine = engine->name;
    if (!th__paper_options_copy(&learner->arena, &options->paper, &learner->options.paper))
        status = th__fail_memory(err);
    if (!status && options->date) {
        learner->date = th__arena_copy(&learner->arena, th_str_from(options->date));
        status = learner->date.ptr ? TH_OK : th__fail_memory(err);
        learner->options.date = learner->date.ptr;
    }
    if (!status && options->without) {
        th_str copy = th__arena_copy(&learner->arena, th_str_from(options->without));
        status = copy.ptr ? TH_OK : th__fail_memory(err);
        learner->options.without = copy.ptr;
    }
    if (!status && options->correct)
        status = keep_provenance(learner, options->correct, err);
    if (!status && engine->learn_begin && !learner->front)
        status = engine->learn_begin(options, &learner->state, err);
    if (status)
        th_learner_free(learner);
    else
        *out = learner;
    return status;
}

th_status th_learner_add(th_learner *learner, const th_page *page, const th_records_source *source,
                         size_t *records, th_error *err)
{
    th_records_source none = {0};
    size_t count = 0;
    if (learner->finished)
        return th__fail(err, TH_ERR_ARGUMENT, "a learner that has finished takes no more pages");
    if (!source)
        source = &none;
    bool keeps = learner->front || learner->engine->learn_corpus;
    th_status status = th__cancel_check(&learner->options.cancel, err);
    if (!status)
        status = keeps ? th__learner_keep(learner, page, source, &count, err)
                       : learner->engine->learn_page(learner->state, page, source, &count, err);
    if (records)
        *records = status ? 0 : count;
    if (status || !count || keeps || learner->pages.len == TH__WRAPPER_MAX_PAGES)
        return status;
    th__learnt_page entry = {.digest = th__wrapper_digest(th_page_text(page)), .records = count};
    th_str name = source->page.ptr ? source->page : th_str_from("");
    entry.name = th__arena_copy(&learner->arena, name);
    if (!entry.name.ptr || !th__vec_push(&learner->pages, entry))
        return th__fail_memory(err);
    return TH_OK;
}

static bool copy_provenance(const th_learner *learner, th_wrapper *wrapper)
{
    size_t count = learner->pages.len;
    if (!wrapper->pick)
        wrapper->pick = learner->options.pick;
    if (!th__paper_options_copy(&wrapper->arena, &learner->options.paper, &wrapper->paper))
        return false;
    wrapper->page_count = (uint32_t)count;
    wrapper->pages = th__arena_zero(&wrapper->arena, count + 1, sizeof *wrapper->pages);
    if (!wrapper->pages)
        return false;
    for (size_t i = 0; i < count; i++) {
        wrapper->pages[i] = learner->pages.data[i];
        wrapper->pages[i].name = th__arena_copy(&wrapper->arena, learner->pages.data[i].name);
        if (!wrapper->pages[i].name.ptr)
            return false;
    }
    if (learner->date.ptr)
        wrapper->date = th__arena_copy(&wrapper->arena, learner->date);
    return wrapper->date.ptr || !learner->date.ptr;
}

th_status th_learner_finish(th_learner *learner, th_wrapper **out, th_error *err)
{
    *out = NULL;
    if (learner->finished)
        return th__fail(err, TH_ERR_ARGUMENT, "a learner returns one wrapper");
    if (!learner->pages.len && !learner->kept.len)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "no list of records on the pages: there is nothing to learn from");
    learner->finished = true;
    th_status status = th__cancel_check(&learner->options.cancel, err);
    if (status)
        return status;
    th_wrapper *wrapper = th__wrapper_new(learner->engine);
    if (!wrapper)
        return th__fail_memory(err);
    status = learner->front || learner->engine->learn_corpus
                 ? th__learner_learn(learner, wrapper, err)
                 : learner->engine->learn_end(learner->state, &wrapper->arena, &wrapper->schema,
                                              &wrapper->rules, err);
    if (!status && !copy_provenance(learner, wrapper))
        status = th__fail_memory(err);
    status = th__cancel_status(&learner->options.cancel, status, err);
    if (status)
        th_wrapper_free(wrapper);
    else
        *out = wrapper;
    return status;
}

size_t th_learner_note_count(const th_learner *learner)
{
    return learner->notes.lines.len;
}

th_str th_learner_note(const th_learner *learner, size_t index)
{
    return index < learner->notes.lines.len ? learner->notes.lines.data[index].text : (th_str){0};
}

size_t th_learner_left_out(const th_learner *learner)
{
    return learner->left_out;
}

size_t th_learner_wrong(const th_learner *learner)
{
    return learner->wrong;
}

bool th_learner_note_is_detail(const th_learner *learner, size_t index)
{
    return index < learner->notes.lines.len && learner->notes.lines.data[index].detail;
}

void th_learner_free(th_learner *learner)
{
    if (!learner)
        return;
    th__learner_release_kept(learner);
    if (learner->state)
        learner->engine->learn_free(learner->state);
    th__vec_release(&learner->pages);
    th__arena_release(&learner->arena);
    th__mem_free(learner);
}

/* ---- running --------------------------------------------------------------------------------- */

th_status th_wrapper_read(th_str bytes, const char *name, th_wrapper **out, th_error *err)
{
    return th__wrapper_read(bytes, name, engines, out, err);
}

static th_status extract(const th_wrapper *wrapper, const th__profile *profile, const th_page *page,
                         const th_records_source *source, th_records **out, th_error *err)
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

th_status th_wrapper_hits(const th_wrapper *wrapper, const th_page *page, th_hits **out,
                          th_error *err)
{
    th_records *records = NULL;
    th_status status = TH_OK;
    *out = NULL;
    th_hits *hits = th__hits_new();
    if (!hits)
        return th__fail_memory(err);
    if (wrapper->engine->hits) {
        status = wrapper->engine->hits(wrapper->rules, wrapper->schema, page, hits, err);
    } else {
        status = th_wrapper_extract(wrapper, page, NULL, &records, err);
        if (!status)
            th__hits_of_records(hits, page, records);
        th_records_free(records);
    }
    if (!status && hits->failed)
        status = th__fail_memory(err);
    if (status) {
        th_hits_free(hits);
        return status;
    }
    th__hits_sort(hits);
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
    th_doubts *doubts = th__doubts_new();
    if (!doubts)
        return th__fail_memory(err);
    th_status status = engine->doubts
                           ? engine->doubts(wrapper->rules, wrapper->schema, page, doubts, err)
                           : th__plain_doubts(wrapper, page, doubts, err);
    if (!status && !th__doubts_complete(doubts))
        status = th__fail_memory(err);
    if (status) {
        th_doubts_free(doubts);
        return status;
    }
    th__doubts_sort(doubts);
    *out = doubts;
    return TH_OK;
}
