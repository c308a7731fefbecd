/*
 * learner.c: some pages of a corpus give one wrapper.
 *
 *     1. The engine: the one that was named, else "lists"; with labels that it does not take, or
 *        without a name, th__choose tries several.
 *     2. Engines for lists see page after page. For all others, labels are located on the pages and
 *        resolved: which of its places is meant by a value that is on a page more than once.
 *     3. What the wrapper gives is held against the labels, and it is written down what it was
 *        learnt from.
 */
#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "data/labels.h"
#include "data/locate.h"
#include "engine/papers/stalker/stalker.h"
#include "engine/regions.h"
#include "learn/learn.h"

/* ---- options --------------------------------------------------------------------------------- */

th_status th__learn_engine(const th_learn_options *options, const th_labels *labels,
                           const th__engine **out, th_error *err)
{
    const th_wrapper *old = options->correct;
    const th__engine *engine = old ? old->engine : NULL;
    th_status status = engine ? TH_OK : th__engine_find(options->engine, false, &engine, err);
    if (!status)
        status = th__engine_check(engine, &options->paper, err);
    if (status)
        return status;
    *out = engine;
    if (old && !engine->correct)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "a wrapper of engine %s cannot be corrected, only learnt again; only "
                        "softmealy's can be corrected",
                        engine->name);
    if (old && options->engine && strcmp(options->engine, engine->name) != 0)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "the wrapper to correct uses engine %s: leave the engine out",
                        engine->name);
    if (options->slots && !th__engine_is(engine, "iepad"))
        return th__fail(err, TH_ERR_ARGUMENT, "slots can be chosen with engine iepad alone");
    if (labels && !th_labels_count(labels))
        return th__fail(err, TH_ERR_ARGUMENT,
                        "%.*s has no labels: write one line per labelled page, {\"page\": NAME, "
                        "\"records\": [{FIELD: VALUE}]}, or learn without labels",
                        TH_STR_ARG(labels->name.len ? labels->name : TH_STR("the caller")));
    return TH_OK;
}

/* ---- pages and labels ------------------------------------------------------------------------ */

bool th__learn_find_labels(const th_labels *labels, const th_records_source *source, size_t *index,
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

/* What is said of a value that is nowhere on its page. */
static bool tell_missing(const th_finding *f, th__buf *out)
{
    th_str near = f->nearest.ptr ? f->nearest : TH_STR("");
    return th__buf_printf(out, "the value \"%.*s\" of %.*s is not on the page%s%.*s%s",
                          TH_STR_ARG(f->value), TH_STR_ARG(f->path),
                          near.len ? "; the most similar text is \"" : "", TH_STR_ARG(near),
                          near.len ? "\"" : "");
}

/* The labels of a page of which too many values are not on it, to tell of it if no page has more:
 * the first with the fewest missing. */
struct near_miss {
    bool any;
    size_t missing;
    th_error err;
};

static bool keep_miss(struct near_miss *miss, const th_located *located, size_t missing,
                      th_str page)
{
    th__buf text = {0};
    size_t i = 0;
    if (miss->any && missing >= miss->missing)
        return true;
    *miss = (struct near_miss){.any = true, .missing = missing};
    while (th_located_get(located, i)->found != TH_FOUND_NOT)
        i++;
    bool ok = tell_missing(th_located_get(located, i), &text);
    th__fail(&miss->err, TH_ERR_FORMAT, "%.*s: %.*s", TH_STR_ARG(page),
             TH_STR_ARG(th__buf_str(&text)));
    th__fail_in(&miss->err, TH_ERR_FORMAT, 0, th_located_get(located, i)->path);
    th__buf_release(&text);
    return ok;
}

/* Names the values of a page that are not on it; learning goes on without them. */
static bool note_missing(th__learner *learner, const th_located *located, size_t missing,
                         th_str page)
{
    enum { NAMED = 5 };
    size_t named = 0;
    bool ok = true;
    for (size_t i = 0; ok && named < NAMED && named < missing; i++) {
        th__buf text = {0};
        if (th_located_get(located, i)->found != TH_FOUND_NOT)
            continue;
        named++;
        ok = tell_missing(th_located_get(located, i), &text) &&
             th__notes_add_of(learner->notes, page, false, "%.*s. It is left out",
                              TH_STR_ARG(th__buf_str(&text)));
        th__buf_release(&text);
    }
    return ok && (missing <= NAMED ||
                  th__notes_add_of(learner->notes, page, false,
                                   "%zu more labelled values are not on the page and are left out; "
                                   "`thresh labels` names them",
                                   missing - NAMED));
}

/* Values that are not on their page are left out, where they are the smaller part of its labels.
 * Else the page is another one than that which was labelled, and none of its labels count. Examples
 * belong to pages that have all of them. */
static bool leave_out_missing(th__learner *learner, th__kept_page *kept, bool examples,
                              struct near_miss *miss)
{
    size_t missing = count_missing(kept->located), all = th_located_count(kept->located);
    th_str page = kept->provenance.name;
    bool ok = true;
    if (!missing)
        return true;
    if (!examples && 2 * missing <= all) {
        ok = note_missing(learner, kept->located, missing, page);
        th__located_leave_out(kept->located);
        return ok;
    }
    ok = keep_miss(miss, kept->located, missing, page) &&
         (examples || th__notes_add_of(learner->notes, page, false,
                                       "%zu of %zu labelled values are not on the page, so none of "
                                       "its labels are used: is it the page that was labelled?",
                                       missing, all));
    th_located_free(kept->located);
    kept->located = NULL;
    return ok;
}

static th_status locate(th__learner *learner, th__kept_page *kept, struct near_miss *miss,
                        th_error *err)
{
    const th_records_source source = {kept->provenance.name, kept->url};
    size_t index;
    bool any;
    if (!th__learn_find_labels(learner->labels, &source, &index, &any))
        return TH_OK;
    th_status status = learner->label_schema
                           ? TH_OK
                           : th_labels_schema(learner->labels, &learner->label_schema, err);
    if (!status)
        status = th_labels_locate(learner->labels, index, learner->label_schema, kept->page,
                                  &kept->located, err);
    if (!status && !leave_out_missing(learner, kept, any, miss))
        status = th__fail_memory(err);
    kept->label_page = index;
    kept->sample = any && !learner->labels->pages.data[kept->label_page].told_missing;
    learner->labelled += kept->located != NULL;
    return status;
}

static th_status keep_page(th__learner *learner, const th__stored_page *stored,
                           struct near_miss *miss, th_error *err)
{
    th__kept_page kept = {.page = stored->page, .url = stored->url};
    if (!stored->page)
        return th__fail(err, TH_ERR_ARGUMENT, "%.*s was only looked at, or dropped: add it again",
                        TH_STR_ARG(stored->name));
    kept.provenance =
        (th__learnt_page){stored->name, th__wrapper_digest(th_page_text(stored->page)), 0};
    th_status status = th__cancel_check(&learner->options.cancel, err);
    if (!status)
        status = locate(learner, &kept, miss, err);
    kept.found =
        kept.located ? th_records_count(th_located_records(kept.located)) : learner->labels == NULL;
    if (!status && !th__vec_push(&learner->kept, kept))
        status = th__fail_memory(err);
    if (status)
        th_located_free(kept.located);
    return status;
}

th__corpus_page *th__learner_corpus(const th__learner *learner, th__arena *arena)
{
    th__corpus_page *pages = th__arena_zero(arena, learner->kept.len + 1, sizeof *pages);
    for (size_t i = 0; pages && i < learner->kept.len; i++) {
        const th__kept_page *kept = &learner->kept.data[i];
        pages[i] =
            (th__corpus_page){.page = kept->page, .source = {kept->provenance.name, kept->url}};
        if (!kept->located)
            continue;
        const th__label_page *given = &learner->labels->pages.data[kept->label_page];
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
static th_status check_values(const th__learner *learner, th_error *err)
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
static th_status check_labelled(const th__learner *learner, const struct near_miss *miss,
                                th_error *err)
{
    if (learner->labelled)
        return check_values(learner, err);
    if (miss->any) {
        if (err)
            *err = miss->err;
        return miss->err.status;
    }
    if (learner->labels && th_labels_count(learner->labels))
        return th__fail(err, TH_ERR_ARGUMENT,
                        "no labels for any of these pages; they name %.*s%s, which must be a page "
                        "as given, or its URL",
                        TH_STR_ARG(th_labels_page(learner->labels, 0)),
                        th_labels_count(learner->labels) > 1 ? ", ..." : "");
    if (!learner->engine->needs_labels)
        return TH_OK;
    return th__fail(err, TH_ERR_ARGUMENT,
                    "engine %s learns from labels, and none of the pages has any: give --labels "
                    "or --example",
                    learner->engine->name);
}

/* ---- learning -------------------------------------------------------------------------------- */

/* Engines for lists: page after page. */
static th_status learn_lists(th__learner *learner, th_wrapper *wrapper, th_error *err)
{
    const th__engine *engine = learner->engine;
    void *state = NULL;
    bool any = false;
    th_status status = engine->learn_begin(&learner->options, &state, err);
    for (size_t i = 0; !status && i < learner->kept.len; i++) {
        th__kept_page *kept = &learner->kept.data[i];
        th_records_source source = {kept->provenance.name, kept->url};
        status = th__cancel_check(&learner->options.cancel, err);
        if (!status)
            status = engine->learn_page(state, kept->page, &source, &kept->found, err);
        kept->provenance.records = kept->found;
        kept->unused = !kept->found;
        if (!status && !kept->found &&
            !th__notes_add_of(learner->notes, source.page, false, "%s",
                              any ? "no matching list on this page"
                                  : "no list of records on this page"))
            status = th__fail_memory(err);
        any |= kept->found > 0;
    }
    if (!status && !any)
        status = th__fail_no_list(err);
    if (!status)
        status = engine->learn_end(state, &wrapper->arena, &wrapper->schema, &wrapper->rules, err);
    if (state)
        engine->learn_free(state);
    return status;
}

/* The engine that was asked for, on all pages together. */
static th_status learn_corpus(th__learner *learner, th_wrapper *wrapper, th_error *err)
{
    th__corpus corpus = {.pages = th__learner_corpus(learner, &learner->arena),
                         .count = learner->kept.len,
                         .schema = learner->label_schema,
                         .notes = learner->notes,
                         .cancel = &learner->options.cancel};
    if (!corpus.pages)
        return th__fail_memory(err);
    const th_wrapper *old = learner->options.correct;
    th_status status =
        old ? learner->engine->correct(&learner->options, old->schema, old->rules, &corpus,
                                       &wrapper->arena, &wrapper->schema, &wrapper->rules, err)
            : learner->engine->learn_corpus(&learner->options, &corpus, &wrapper->arena,
                                            &wrapper->schema, &wrapper->rules, err);
    for (size_t i = 0; !status && i < corpus.count; i++) {
        learner->kept.data[i].provenance.records = corpus.pages[i].learnt;
        learner->kept.data[i].unused = corpus.pages[i].left_out;
        learner->left_out += corpus.pages[i].left_out;
    }
    return status;
}

/* The same, and labels that have nothing in common; stalker tells that by itself. */
static th_status learn_named(th__learner *learner, const th__resolved *resolved,
                             th_wrapper *wrapper, th_error *err)
{
    bool told = learner->engine == &th__stalker_engine || !learner->engine->needs_labels ||
                !resolved->ruled;
    bool right = true;
    th_status status = learn_corpus(learner, wrapper, err);
    for (uint32_t f = 0; !told && f < resolved->rules.count; f++)
        right &= resolved->fits[f].right == resolved->fits[f].pages;
    if (!status && !told && !right && !learner->options.correct)
        status = th__judge_tell_apart(learner, wrapper, resolved->fits, err);
    return status;
}

/* What is not as it is labelled comes before all other notes. An engine that was asked for by name
 * may have told it better. */
static th_status check_labels(th__learner *learner, const th_wrapper *wrapper, th_error *err)
{
    bool told = !learner->chooses && learner->engine == &th__stalker_engine;
    th__notes notes;
    th__notes_init(&notes);
    th_status status = th__judge_tell(learner, wrapper, told ? NULL : &notes, &learner->wrong, err);
    for (size_t i = 0; !status && i < learner->notes->lines.len; i++) {
        if (!th__notes_copy(&notes, &learner->notes->lines.data[i]))
            status = th__fail_memory(err);
    }
    if (!status) {
        th__notes kept = *learner->notes;
        *learner->notes = notes;
        notes = kept;
    }
    th__notes_release(&notes);
    return status;
}

/* Labels may be given in any order; engines read them in that of the page. */
static bool sort_labels(th__learner *learner)
{
    bool ok = true;
    for (size_t i = 0; ok && i < learner->kept.len; i++)
        ok = !learner->kept.data[i].located || th__located_sort(learner->kept.data[i].located);
    return ok;
}

static th_status learn_together(th__learner *learner, th_wrapper *wrapper, th_error *err)
{
    th__resolved resolved;
    th_status status = TH_OK;
    if (!th__resolve(learner, &resolved) || !sort_labels(learner))
        status = th__fail_memory(err);
    else if (!learner->chooses)
        status = learn_named(learner, &resolved, wrapper, err);
    else
        status =
            th__choose(learner, &resolved, learner->asked ? learner->engine : NULL, wrapper, err);
    if (!status && learner->labelled)
        status = check_labels(learner, wrapper, err);
    th__resolved_release(&resolved);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Writes down what a wrapper was learnt from; what a corrected one was learnt from stays with it.
 */
static bool write_provenance(const th__learner *learner, th_wrapper *wrapper)
{
    const th_wrapper *old = learner->options.correct;
    const char *date = learner->options.date;
    size_t count = learner->kept.len + (old ? old->page_count : 0);
    if (!wrapper->pick)
        wrapper->pick = learner->options.pick;
    wrapper->pages = th__arena_zero(&wrapper->arena, count + 1, sizeof *wrapper->pages);
    if (!wrapper->pages ||
        !th__paper_options_copy(&wrapper->arena, &learner->options.paper, &wrapper->paper))
        return false;
    for (uint32_t i = 0; old && i < old->page_count; i++)
        wrapper->pages[wrapper->page_count++] = old->pages[i];
    for (size_t i = 0; i < learner->kept.len; i++)
        if (!learner->kept.data[i].unused && wrapper->page_count < TH__WRAPPER_MAX_PAGES)
            wrapper->pages[wrapper->page_count++] = learner->kept.data[i].provenance;
    for (uint32_t i = 0; i < wrapper->page_count; i++) {
        wrapper->pages[i].name = th__arena_copy(&wrapper->arena, wrapper->pages[i].name);
        if (!wrapper->pages[i].name.ptr)
            return false;
    }
    if (date)
        wrapper->date = th__arena_copy(&wrapper->arena, th_str_from(date));
    return wrapper->date.ptr || !date;
}

static th_status learn(th__learner *learner, const struct near_miss *miss, th_wrapper *wrapper,
                       th_error *err)
{
    th_status status;
    if (!learner->kept.len)
        status = th__fail_no_list(err);
    else if (!learner->chooses && !learner->engine->learn_corpus)
        status = learn_lists(learner, wrapper, err);
    else if (!(status = check_labelled(learner, miss, err)))
        status = learn_together(learner, wrapper, err);
    if (!status && !write_provenance(learner, wrapper))
        status = th__fail_memory(err);
    return th__cancel_status(&learner->options.cancel, status, err);
}

th_status th__learn_pages(const th_corpus *corpus, const size_t *pages, size_t count,
                          const th_learn_options *options, th__notes *notes, th__learner *learner,
                          th_wrapper **out, th_error *err)
{
    struct near_miss miss = {0};
    *out = NULL;
    *learner = (th__learner){.options = *options,
                             .asked = options->engine != NULL,
                             .labels = corpus->labels,
                             .notes = notes};
    learner->options.pick += !options->pick;
    th__arena_init(&learner->arena);
    th_status status = th__learn_engine(options, corpus->labels, &learner->engine, err);
    learner->chooses = !status && corpus->labels && !options->correct &&
                       (!options->engine || !learner->engine->learn_corpus);
    for (size_t i = 0; !status && i < count; i++)
        status = keep_page(learner, &corpus->pages.data[pages[i]], &miss, err);
    th_wrapper *wrapper = status ? NULL : th__wrapper_new(learner->engine);
    if (!status)
        status = wrapper ? learn(learner, &miss, wrapper, err) : th__fail_memory(err);
    if (status)
        th_wrapper_free(wrapper);
    else
        *out = wrapper;
    return status;
}

void th__learner_release(th__learner *learner)
{
    for (size_t i = 0; i < learner->kept.len; i++)
        th_located_free(learner->kept.data[i].located);
    th__vec_release(&learner->kept);
    th_schema_free(learner->label_schema);
    th__arena_release(&learner->arena);
}
