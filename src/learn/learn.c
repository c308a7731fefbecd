/*
 * learn.c: th_learn: what the pages of a corpus are, and a wrapper that reads them.
 *
 *     labels, a wrapper to correct,      all pages, in their order          ──┐
 *     `pick`, an engine for lists                                             ├──▶ learn_pages
 *     none of these                      the largest cluster, or each: ──┐    │    and a profile
 *                                        lists or one record per page? ──┴────┘
 *
 * Labels say which pages belong together, and engines for lists look at one page after the other; a
 * template can only be learnt from pages that are built alike. The report says what was done.
 */
#include "learn/learn.h"

#include "base/cancel.h"
#include "base/error.h"
#include "base/key_map.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/trace.h"
#include "base/vec.h"
#include "data/labels.h"
#include "data/value_types.h"
#include "engine/papers/stalker/stalker.h"
#include "engine/regions.h"
#include "page/data_page.h"

enum {
    LEAST_FOR_KIND = 3, /* what two pages differ in may be chance */
    OUTLIERS_TOLD = 5,
    /* A profile is settled by far fewer values than these pages have. */
    PROFILE_PAGES = 64,
    NEXT_PAGES = 64, /* that are looked at for links to the next page */
    PROFILE_BYTES = 64 << 20
};

/* The engines for what pages are. */
#define LISTS_ENGINE   "lists"
#define RECORDS_ENGINE "template"

struct th_report {
    th__notes notes;
    TH__VEC(th_lesson) lessons;
};

void th_learn_options_defaults(th_learn_options *options, size_t size)
{
    th_learn_options defaults = {0};
    th_paper_options_init(&defaults.paper);
    th__options_give(options, size, &defaults, sizeof defaults);
}

/* ---- the report ------------------------------------------------------------------------------ */

static th_report *report_new(void)
{
    th_report *report = TH__NEW(th_report);
    if (report)
        th__notes_init(&report->notes);
    return report;
}

void th_report_free(th_report *report)
{
    if (!report)
        return;
    for (size_t i = 0; i < report->lessons.len; i++)
        th_wrapper_free((th_wrapper *)report->lessons.data[i].wrapper);
    th__vec_release(&report->lessons);
    th__notes_release(&report->notes);
    th__mem_free(report);
}

size_t th_report_count(const th_report *report)
{
    return report->lessons.len;
}

const th_lesson *th_report_lesson(const th_report *report, size_t index)
{
    return index < report->lessons.len ? &report->lessons.data[index] : NULL;
}

th_wrapper *th_report_take(th_report *report, size_t index)
{
    if (index >= report->lessons.len)
        return NULL;
    th_wrapper *wrapper = (th_wrapper *)report->lessons.data[index].wrapper;
    report->lessons.data[index].wrapper = NULL;
    return wrapper;
}

size_t th_report_remark_count(const th_report *report)
{
    return report->notes.lines.len;
}

const th_remark *th_report_remark(const th_report *report, size_t index)
{
    return index < report->notes.lines.len ? &report->notes.lines.data[index] : NULL;
}

/* ---- some pages, one wrapper --------------------------------------------------------------------
 *
 *  1. The engine is the one that was named, else "lists"; with labels that it does not take, or
 *     without a name, th__choose tries several.
 *  2. Engines for lists see one page after the other. For all others, labels are located on the
 *     pages and resolved: if a value is on a page more than once, which of its places is meant.
 *  3. The records of the wrapper are compared with the labels, and the wrapper notes the pages that
 *     it was learnt from.
 */

/* ---- options --------------------------------------------------------------------------------- */

/* The engine that options ask for. Fails for options that make no sense whatever the pages are. */
static th_status find_learning_engine(const th_learn_options *options, const th_labels *labels,
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

/* Finds the labels of a page by its name or its URL. Examples (*any) belong to the pages that have
 * all of them. */
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
    th_str page = kept->name;
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

/* Labels that were located before anything was learnt, to decide what to learn from. */
struct early_places {
    th_schema *schema;
    th_located **located; /* by page of the corpus; NULL: not yet */
    size_t count;
};

static void early_release(struct early_places *early)
{
    for (size_t i = 0; early->located && i < early->count; i++)
        th_located_free(early->located[i]);
    th__mem_free(early->located);
    th_schema_free(early->schema);
}

static th_status locate(th__learner *learner, th__kept_page *kept, th_located **early,
                        struct near_miss *miss, th_error *err)
{
    const th_records_source source = {kept->name, kept->url};
    size_t index;
    bool any;
    if (!find_labels(learner->labels, &source, &index, &any))
        return TH_OK;
    th_status status = learner->label_schema
                           ? TH_OK
                           : th_labels_schema(learner->labels, &learner->label_schema, err);
    if (!status && early && *early) {
        kept->located = *early;
        *early = NULL;
    } else if (!status) {
        status = th_labels_locate(learner->labels, index, learner->label_schema, kept->page,
                                  &kept->located, err);
    }
    if (!status && !leave_out_missing(learner, kept, any, miss))
        status = th__fail_memory(err);
    kept->label_page = index;
    kept->sample = any && !learner->labels->pages.data[kept->label_page].told_missing;
    learner->labelled += kept->located != NULL;
    return status;
}

static th_status keep_page(th__learner *learner, const th__stored_page *stored, th_located **early,
                           struct near_miss *miss, th_error *err)
{
    th__kept_page kept = {.page = stored->page, .url = stored->url};
    if (!stored->page)
        return th__fail(err, TH_ERR_ARGUMENT, "%.*s was only looked at, or dropped: add it again",
                        TH_STR_ARG(stored->name));
    kept.name = stored->name;
    th_status status = th__cancel_check(&learner->options.cancel, err);
    if (!status)
        status = locate(learner, &kept, early, miss, err);
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
        pages[i] = (th__corpus_page){.page = kept->page, .source = {kept->name, kept->url}};
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
        TH_STR_ARG(first->name));
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

bool th__learner_count(const th__learner *learner, const th__corpus *corpus, th_wrapper *wrapper)
{
    wrapper->pages = th__arena_zero(&wrapper->arena, learner->kept.len + 1, sizeof *wrapper->pages);
    for (size_t i = 0; wrapper->pages && corpus && i < corpus->count; i++)
        wrapper->pages[i].records = corpus->pages[i].learnt;
    return wrapper->pages;
}

/* Engines for lists: page after page. */
static th_status learn_lists(th__learner *learner, th_wrapper *wrapper, th_error *err)
{
    const th__engine *engine = learner->engine;
    void *state = NULL;
    bool any = false;
    th_status status = th__learner_count(learner, NULL, wrapper)
                           ? engine->learn_begin(&learner->options, &wrapper->arena, &state, err)
                           : th__fail_memory(err);
    for (size_t i = 0; !status && i < learner->kept.len; i++) {
        th__kept_page *kept = &learner->kept.data[i];
        th_records_source source = {kept->name, kept->url};
        status = th__cancel_check(&learner->options.cancel, err);
        if (!status)
            status = engine->learn_page(state, kept->page, &source, &kept->found, err);
        wrapper->pages[i].records = kept->found;
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
        status = engine->learn_end(state, &wrapper->schema, &wrapper->rules, err);
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
        learner->kept.data[i].unused = corpus.pages[i].left_out;
        learner->left_out += corpus.pages[i].left_out;
    }
    if (!status && !th__learner_count(learner, &corpus, wrapper))
        status = th__fail_memory(err);
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

/* Sorts the lists of tuples in a value. Texts of a list keep their given order: the first may be a
 * street and the second a town, wherever they are. The depth is the schema's. */
static bool sort_lists(th_value *value)
{
    bool ok = true;
    for (size_t i = 0; ok && i < th_value_count(value); i++)
        ok = sort_lists(th__value_item(value, i));
    return ok && (th_value_get_kind(value) != TH_VALUE_LIST || !th_value_count(value) ||
                  th_value_get_kind(th__value_item(value, 0)) == TH_VALUE_TEXT ||
                  th__values_sort(value->list, value->count));
}

/* Labels may be given in any order; engines read them in that of the page. */
static bool sort_labels(th__learner *learner)
{
    bool ok = true;
    for (size_t i = 0; ok && i < learner->kept.len; i++) {
        const th_located *located = learner->kept.data[i].located;
        const th_records *records = located ? th_located_records(located) : NULL;
        for (size_t k = 0; ok && records && k < records->values.len; k++)
            ok = sort_lists(records->values.data[k]);
        ok = ok && (!records || th__values_sort(records->values.data, records->values.len));
    }
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
    th__arena_release(&resolved.arena);
    return status;
}

/* The text that an option borrows becomes the wrapper's. */
static bool keep_option(th_wrapper *wrapper, const char **text)
{
    if (!*text)
        return true;
    *text = th__arena_copy(&wrapper->arena, th_str_from(*text)).ptr;
    return *text;
}

/* Writes down what a wrapper was learnt from; what a corrected one was learnt from stays with it.
 */
static bool write_provenance(th__learner *learner, th_wrapper *wrapper)
{
    const th_wrapper *old = learner->options.correct;
    const th__learnt_page *learnt = wrapper->pages;
    const char *date = learner->options.date;
    size_t count = learner->kept.len + (old ? old->page_count : 0);
    if (!wrapper->pick)
        wrapper->pick = learner->options.pick;
    wrapper->pages = th__arena_zero(&wrapper->arena, count + 1, sizeof *wrapper->pages);
    wrapper->paper = learner->options.paper;
    if (!wrapper->pages || !keep_option(wrapper, &wrapper->paper.encoding) ||
        !keep_option(wrapper, &wrapper->paper.lower_encoding))
        return false;
    for (uint32_t i = 0; old && i < old->page_count; i++)
        wrapper->pages[wrapper->page_count++] = old->pages[i];
    th_str *texts = th__arena_zero(&learner->arena, learner->kept.len + 1, sizeof *texts);
    uint64_t *digests = th__arena_zero(&learner->arena, learner->kept.len + 1, sizeof *digests);
    if (!texts || !digests)
        return false;
    uint32_t first = wrapper->page_count;
    for (size_t i = 0; i < learner->kept.len; i++)
        if (!learner->kept.data[i].unused && wrapper->page_count < TH__WRAPPER_MAX_PAGES) {
            texts[wrapper->page_count - first] = th_page_text(learner->kept.data[i].page);
            wrapper->pages[wrapper->page_count++] =
                (th__learnt_page){.name = learner->kept.data[i].name, .records = learnt[i].records};
        }
    th__wrapper_digests(texts, wrapper->page_count - first, digests);
    for (uint32_t i = first; i < wrapper->page_count; i++)
        wrapper->pages[i].digest = digests[i - first];
    for (uint32_t i = 0; i < wrapper->page_count; i++) {
        wrapper->pages[i].name = th__arena_copy(&wrapper->arena, wrapper->pages[i].name);
        if (!wrapper->pages[i].name.ptr)
            return false;
    }
    if (date)
        wrapper->date = th__arena_copy(&wrapper->arena, th_str_from(date));
    return wrapper->date.ptr || !date;
}

static th_status learn_kept(th__learner *learner, const struct near_miss *miss, th_wrapper *wrapper,
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

/* Learns from pages of a corpus, by number and in this order. The caller releases the learner,
 * which holds how it went, also after a failure. */
static th_status learn_pages(const th_corpus *corpus, const size_t *pages, size_t count,
                             const th_learn_options *options, struct early_places *early,
                             th__notes *notes, th__learner *learner, th_wrapper **out,
                             th_error *err)
{
    struct near_miss miss = {0};
    *out = NULL;
    *learner = (th__learner){.options = *options,
                             .asked = options->engine != NULL,
                             .labels = corpus->labels,
                             .label_schema = th_schema_retain(early->schema),
                             .notes = notes};
    learner->options.pick += !options->pick;
    th__arena_init(&learner->arena);
    th_status status = find_learning_engine(options, corpus->labels, &learner->engine, err);
    learner->chooses = !status && corpus->labels && !options->correct &&
                       (!options->engine || !learner->engine->learn_corpus);
    for (size_t i = 0; !status && i < count; i++)
        status = keep_page(learner, &corpus->pages.data[pages[i]],
                           early->located ? &early->located[pages[i]] : NULL, &miss, err);
    th_wrapper *wrapper = status ? NULL : th__wrapper_new(learner->engine);
    if (!status)
        status = wrapper ? learn_kept(learner, &miss, wrapper, err) : th__fail_memory(err);
    if (status)
        th_wrapper_free(wrapper);
    else
        *out = wrapper;
    return status;
}

static void release_learner(th__learner *learner)
{
    for (size_t i = 0; i < learner->kept.len; i++)
        th_located_free(learner->kept.data[i].located);
    th__vec_release(&learner->kept);
    th_schema_free(learner->label_schema);
    th__arena_release(&learner->arena);
}

/* ---- some pages of the corpus ---------------------------------------------------------------- */

/* One thing to learn: some pages of a corpus, what is asked for, and what comes of it. */
struct task {
    const th_corpus *corpus;
    th_learn_options options;
    bool decide; /* what the pages are decides the engine, unless one is named */
    const size_t *pages;
    size_t count, used; /* of which so many are learnt from */
    struct early_places early;
    th_report *report;
    th_lesson lesson;
};

static th_str first_name(const th_corpus *corpus, size_t cluster)
{
    size_t i = 0;
    while (cluster != TH_NO_CLUSTER && th_corpus_cluster(corpus, i) != cluster)
        i++;
    return th_corpus_name(corpus, i);
}

static bool note_kind(struct task *t)
{
    const th_kind *kind = &t->lesson.kind;
    double all = kind->list_bits + kind->page_bits;
    th_str first = first_name(t->corpus, t->lesson.cluster), none = {0};
    if (all == 0)
        return th__notes_add_of(
            &t->report->notes, none, true,
            "%zu pages like %.*s: treated as lists, since their texts do not differ", kind->pages,
            TH_STR_ARG(first));
    return th__notes_add_of(
        &t->report->notes, none, true,
        "%zu pages like %.*s: %s: of %.0f bits that differ, %.0f are in %zu rows of lists "
        "(%.0f%% of which have links) and %.0f in single places",
        kind->pages, TH_STR_ARG(first), kind->lists ? "lists of records" : "one record per page",
        all, kind->list_bits, kind->rows, 100 * kind->linked, kind->page_bits);
}

/* Lists of records, or one record per page: what explains more of what the pages differ in. */
static th_status find_engine(struct task *t, th_error *err)
{
    th_kind *kind = &t->lesson.kind;
    th_status status = TH_OK;
    kind->lists = !t->options.one_record;
    if (kind->lists && t->used >= LEAST_FOR_KIND) {
        const th_page **pages = TH__NEW_ARRAY(const th_page *, t->used);
        if (!pages)
            return th__fail_memory(err);
        for (size_t i = 0; i < t->used; i++)
            pages[i] = t->corpus->pages.data[t->pages[i]].page;
        status = th__pages_kind(pages, t->used, &t->options.cancel, kind, err);
        th__mem_free(pages);
        if (!status && !note_kind(t))
            status = th__fail_memory(err);
    }
    t->options.engine = kind->lists ? LISTS_ENGINE : RECORDS_ENGINE;
    return status;
}

/* Values of one field, by what they look like. */
typedef struct note_count {
    th_type *type;
    uint32_t values, numbers, prices, dates;
} note_count;

/* The same of all fields that have no note yet. */
typedef struct note_counts {
    th__key_map numbers; /* by the address of a field's type: 1 + its place in the list */
    TH__VEC(note_count) list;
} note_counts;

static bool count_value(note_counts *counts, const th_value *value)
{
    bool ok = true;
    if (value->kind != TH_VALUE_TEXT && value->kind != TH_VALUE_NULL)
        for (uint32_t i = 0; ok && i < value->count; i++)
            ok = count_value(counts, th__value_item(value, i)); /* as deep as schemas are */
    if (value->kind != TH_VALUE_TEXT || value->type->note != TH_NOTE_TEXT)
        return ok;
    uint32_t number = th__key_map_number(&counts->numbers, (uint64_t)(uintptr_t)value->type);
    note_count fresh = {.type = (th_type *)value->type};
    if (!number || (number > counts->list.len && !th__vec_push(&counts->list, fresh)))
        return false;
    note_count *count = &counts->list.data[number - 1];
    th_note note = th__note_of(th__value_text(value));
    count->values++;
    count->numbers += note == TH_NOTE_NUMBER;
    count->prices += note == TH_NOTE_PRICE;
    count->dates += note == TH_NOTE_DATE;
    return true;
}

/* Counts the values of records. False if out of memory. */
static bool count_notes(note_counts *counts, const th_records *records)
{
    bool ok = true;
    for (size_t i = 0; ok && i < records->values.len; i++)
        ok = count_value(counts, records->values.data[i]);
    return ok;
}

/* Notes fields of which four in five values are numbers, prices or dates: the schema must not be in
 * use elsewhere yet. Releases the counts. */
static void settle_notes(note_counts *counts)
{
    for (size_t i = 0; i < counts->list.len; i++) {
        const note_count *count = &counts->list.data[i];
        uint32_t enough = (4 * count->values + 4) / 5;
        if (count->values < 2)
            continue;
        count->type->note = count->numbers >= enough  ? TH_NOTE_NUMBER
                            : count->prices >= enough ? TH_NOTE_PRICE
                            : count->dates >= enough  ? TH_NOTE_DATE
                                                      : TH_NOTE_TEXT;
    }
    th__key_map_release(&counts->numbers);
    th__vec_release(&counts->list);
}

/* Gives the wrapper a profile of the values that it finds on the pages that have records, or on all
 * pages of a cluster. A wrapper that finds nothing gets none. */
static th_status profile(struct task *t, const th__learner *learner, th_wrapper *wrapper,
                         th_error *err)
{
    th_check *check = NULL;
    note_counts counts = {0};
    size_t kept = 0, bytes = 0;
    th_status status = th_check_new(wrapper, true, &check, err);
    for (size_t i = 0; !status && i < t->count && kept < PROFILE_PAGES; i++) {
        const th_page *page = t->corpus->pages.data[t->pages[i]].page;
        size_t size = th_page_text(page).len;
        th_records *records = NULL;
        if ((!t->decide && !learner->kept.data[i].found) || size > PROFILE_BYTES - bytes)
            continue;
        kept++;
        bytes += size;
        status = th__cancel_check(&t->options.cancel, err);
        if (!status)
            status = th_wrapper_extract(wrapper, page, NULL, &records, err);
        if (!status)
            status = th_check_add(check, page, records, err);
        if (!status && records && !count_notes(&counts, records))
            status = th__fail_memory(err);
        th_records_free(records);
    }
    settle_notes(&counts);
    th_error own;
    if (!status) {
        status = th_check_profile(check, wrapper, &own);
        if (status == TH_ERR_ARGUMENT)
            status =
                th__notes_add(&t->report->notes, "no profile for `thresh verify`: %s", own.message)
                    ? TH_OK
                    : th__fail_memory(err);
        else if (status && err)
            *err = own;
    }
    th_check_free(check);
    return status;
}

/* Gives a wrapper for lists the place of the link to the next page, if the pages have one. */
static th_status find_next(struct task *t, const th__learner *learner, th_wrapper *wrapper,
                           th_error *err)
{
    size_t count = 0;
    if (th_type_get_kind(th_schema_root(th_wrapper_schema(wrapper))) != TH_TYPE_LIST)
        return TH_OK;
    const th_page **pages = TH__NEW_ARRAY(const th_page *, t->count + 1);
    if (!pages)
        return th__fail_memory(err);
    for (size_t i = 0; i < t->count && count < NEXT_PAGES; i++)
        if (i >= learner->kept.len || learner->kept.data[i].found)
            pages[count++] = t->corpus->pages.data[t->pages[i]].page;
    th_status status = th_wrapper_learn_next(wrapper, pages, count, err);
    th__mem_free(pages);
    return status;
}

static void count_learnt(const th__learner *learner, th_lesson *out)
{
    for (size_t i = 0; i < learner->kept.len; i++) {
        size_t found = learner->kept.data[i].found;
        out->records += found;
        out->pages += found > 0;
        out->others += learner->labels && !found;
    }
    /* only engines with one record a page leave any out */
    out->pages -= learner->left_out;
    out->records -= learner->left_out;
    out->wrong = learner->wrong;
}

static th_status learn(struct task *t, th_error *err)
{
    th__learner learner;
    th_wrapper *wrapper = NULL;
    th__notes unheard;
    t->used = t->options.most && t->options.most < t->count ? t->options.most : t->count;
    th_status status = t->decide && !t->options.engine ? find_engine(t, err) : TH_OK;
    if (status || (t->options.records_only && t->lesson.kind.lists))
        return status;
    th__notes_init(&unheard);
    status = learn_pages(t->corpus, t->pages, t->used, &t->options, &t->early,
                         t->options.records_only ? &unheard : &t->report->notes, &learner, &wrapper,
                         err);
    th__notes_release(&unheard);
    count_learnt(&learner, &t->lesson);
    if (!status && t->options.columns)
        status = th_wrapper_set_columns(wrapper, t->options.columns, t->options.join, err);
    if (!status && !t->options.no_profile)
        status = profile(t, &learner, wrapper, err);
    if (!status && !t->options.no_profile)
        status = find_next(t, &learner, wrapper, err);
    release_learner(&learner);
    t->lesson.wrapper = wrapper;
    return status;
}

/* ---- clusters -------------------------------------------------------------------------------- */

static bool note_outliers(const th_corpus *corpus, th__notes *notes)
{
    size_t outliers = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < corpus->pages.len; i++)
        if (th_corpus_cluster(corpus, i) == TH_NO_CLUSTER && outliers++ < OUTLIERS_TOLD)
            ok = th__notes_add_of(notes, th_corpus_name(corpus, i), false,
                                  "left out: its structure differs from the others");
    return ok && (outliers <= OUTLIERS_TOLD ||
                  th__notes_add(notes, "%zu more pages are left out", outliers - OUTLIERS_TOLD));
}

static bool note_clusters(const th_corpus *corpus, size_t chosen, th__notes *notes)
{
    size_t clusters = th_corpus_cluster_count(corpus);
    if (clusters < 2)
        return true;
    bool ok =
        th__notes_add(notes, "the pages have %zu templates, and a wrapper is for one", clusters);
    for (size_t c = 0; ok && c < clusters; c++)
        ok = th__notes_add(notes, "cluster %zu, %zu pages like %.*s: %s", c + 1,
                           th_corpus_cluster_size(corpus, c), TH_STR_ARG(first_name(corpus, c)),
                           c == chosen ? "learnt from" : "left out");
    return ok;
}

/* The pages of a cluster in the order of their names; TH_NO_CLUSTER: all. In the memory of the
 * caller. */
static size_t list_pages(const th_corpus *corpus, size_t cluster, bool by_name, size_t *out)
{
    size_t count = 0;
    for (size_t i = 0; i < corpus->pages.len; i++) {
        size_t page = by_name ? corpus->by_name[i] : i;
        if (cluster == TH_NO_CLUSTER || th_corpus_cluster(corpus, page) == cluster)
            out[count++] = page;
    }
    return count;
}

/* Each cluster. What cannot be learnt from one of them is told in its lesson; it is an error if all
 * fail. */
static th_status learn_each(struct task *t, size_t *pages, th_error *err)
{
    size_t clusters = th_corpus_cluster_count(t->corpus), failed = 0;
    for (size_t c = 0; c < clusters; c++) {
        struct task one = *t;
        th_error own = {0};
        one.lesson = (th_lesson){.clustered = true, .cluster = c};
        one.count = list_pages(t->corpus, c, true, pages);
        th_status status = learn(&one, &own);
        if (status) {
            if (!failed++ && err)
                *err = own;
            th_wrapper_free((th_wrapper *)one.lesson.wrapper);
            one.lesson.wrapper = NULL;
            one.lesson.failure = th__arena_copy(&t->report->notes.arena, th_str_from(own.message));
        }
        if (status == TH_ERR_MEMORY || status == TH_ERR_CANCELLED)
            return th__fail(err, status, "%s", own.message);
        if (!th__vec_push(&t->report->lessons, one.lesson)) {
            th_wrapper_free((th_wrapper *)one.lesson.wrapper);
            return th__fail_memory(err);
        }
    }
    return failed && failed == clusters && !t->options.records_only ? TH_ERR_ARGUMENT : TH_OK;
}

static th_status learn_clusters(th_corpus *corpus, struct task *t, size_t *pages, th_error *err)
{
    const th_learn_options *options = &t->options;
    corpus->cancel = &options->cancel;
    th_status status = th_corpus_find_clusters(corpus, err);
    corpus->cancel = NULL;
    size_t clusters = th_corpus_cluster_count(corpus);
    size_t chosen = options->cluster ? options->cluster - 1 : 0;
    if (status)
        return status;
    if (options->cluster > clusters)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "the pages have %zu template%s, so there is no cluster %u", clusters,
                        clusters == 1 ? "" : "s", options->cluster);
    if (options->records_only)
        return learn_each(t, pages, err);
    if (!clusters && corpus->pages.len > 1 && options->engine)
        return th__fail(
            err, TH_ERR_ARGUMENT,
            "no two pages have the same structure: a template needs two or more pages of one kind");
    if (clusters && (!note_outliers(corpus, &t->report->notes) ||
                     (!options->all_clusters && !note_clusters(corpus, chosen, &t->report->notes))))
        return th__fail_memory(err);
    if (clusters && options->all_clusters)
        return learn_each(t, pages, err);
    /* An engine for lists takes what is alike, and says of the rest that it is not. */
    t->lesson.cluster = clusters ? chosen : TH_NO_CLUSTER;
    t->count = list_pages(corpus, t->lesson.cluster, true, pages);
    return learn(t, err);
}

/* ---- data that pages carry beside their text ----------------------------------------------------
 *
 * Pages are learnt from by their data (data_page.h) if
 *  - without labels, a list of the data is what `thresh PAGE` would give for most pages, or the
 * list that was picked, or
 *  - the data has labelled values that the text and the attributes of the page lack.
 *
 * Then the data pages are learnt from like any pages, and th_wrapper.data is set: extraction makes
 * the data page of a page first.
 */

enum { LOOKED_AT = 4 }; /* pages that tell what the others are like */

/* Says whether list number `pick`, counted from 1, is one of the data; *among is its number among
 * those of the data. */
static th_status look_at_lists(const th_page *page, uint32_t pick, bool *data, uint32_t *among,
                               th_error *err)
{
    th_regions *regions = NULL;
    th_regions_options options;
    th_regions_options_init(&options);
    options.most = pick; /* lists behind it say nothing about its place */
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

static bool has_labels(const th_labels *labels, const th__stored_page *stored, size_t *index)
{
    bool any;
    const th_records_source source = {stored->name, stored->url};
    return find_labels(labels, &source, index, &any);
}

static th_status look_at_labels(const th_labels *labels, const th__stored_page *stored,
                                const th_page *own, const th_schema *schema, th_located **in_text,
                                bool *data, th_error *err)
{
    size_t index;
    th_located *in_data = NULL;
    *data = false;
    if (!has_labels(labels, stored, &index))
        return TH_OK;
    th_status status = th_labels_locate(labels, index, schema, stored->page, in_text, err);
    if (!status && count_missing(*in_text)) {
        status = th_labels_locate(labels, index, schema, own, &in_data, err);
        *data = !status && count_missing(in_data) < count_missing(*in_text);
    }
    th_located_free(in_data);
    return status;
}

static bool may_want(const th_corpus *corpus, const th_learn_options *options,
                     const th__engine *engine)
{
    if (options->text_only || options->cluster || options->all_clusters || options->records_only ||
        options->paper.published || options->heading_count)
        return false;
    return corpus->labels ? th_labels_count(corpus->labels) > 0 : !options->engine || engine->data;
}

/* How many pages may be looked at: with labels, those up to the last that has any. */
static size_t count_to_look_at(const th_corpus *corpus)
{
    size_t count = corpus->pages.len, index;
    while (corpus->labels && count &&
           !has_labels(corpus->labels, &corpus->pages.data[count - 1], &index))
        count--;
    return count;
}

/* Decides whether the pages are learnt from by their data; then options->pick becomes the number
 * among the lists of the data. */
static th_status wants_data(const th_corpus *corpus, th_learn_options *options,
                            struct early_places *early, bool *out, th_error *err)
{
    const th__engine *engine;
    uint32_t looked = 0, votes = 0, pick = options->pick ? options->pick : 1, among = 0;
    bool data, labelled = corpus->labels != NULL;
    th_status status = TH_OK;
    *out = options->correct && options->correct->data;
    if (options->correct || find_learning_engine(options, corpus->labels, &engine, NULL) ||
        !may_want(corpus, options, engine))
        return TH_OK; /* options that make no sense are told of later */
    early->count = count_to_look_at(corpus);
    early->located = th__mem_zero(corpus->pages.len + 1, sizeof *early->located);
    if (!early->located)
        return th__fail_memory(err);
    for (size_t i = 0; !status && looked < LOOKED_AT && i < early->count; i++) {
        const th__stored_page *stored = &corpus->pages.data[i];
        th_page *own = NULL;
        uint32_t place = 0;
        data = false;
        if (!stored->page)
            continue;
        status = th__cancel_check(&options->cancel, err);
        if (!status)
            status = th__data_page_make(stored->page, NULL, &own, err);
        looked += !labelled || own;
        if (!status && own && labelled && !early->schema)
            status = th_labels_schema(corpus->labels, &early->schema, err);
        if (!status && own)
            status = labelled ? look_at_labels(corpus->labels, stored, own, early->schema,
                                               &early->located[i], &data, err)
                              : look_at_lists(stored->page, pick, &data, &place, err);
        th_page_free(own);
        if (!status && data) {
            votes++;
            among = among ? among : place;
        }
        if (labelled ? data : options->pick || (looked == 1 && !data))
            break; /* one page tells */
    }
    *out = !status && (labelled ? votes > 0 : 2 * votes > looked);
    if (*out && options->pick)
        options->pick = among;
    return status;
}

/* A corpus of the data pages, with the same names and labels. Caller frees. */
static th_status make_data_corpus(const th_corpus *corpus, th_corpus **out, th_error *err)
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

/* ---- the whole ------------------------------------------------------------------------------- */

/* Returns true if pages are put into clusters first: an engine that needs no labels and looks at
 * all pages together learns a template. As published it takes the pages that it is given, unless a
 * cluster is asked for. */
static bool wants_clusters(const th_corpus *corpus, const th_learn_options *options,
                           const th__engine *engine)
{
    bool asked = options->cluster || options->all_clusters || options->records_only;
    return !corpus->labels && !options->correct && !options->pick &&
           (!options->paper.published || asked) &&
           (!options->engine || (engine->learn_corpus && !engine->needs_labels));
}

static th_status check(const th_corpus *corpus, const th_learn_options *options, bool *clusters,
                       th_error *err)
{
    const th__engine *engine;
    th_status status = find_learning_engine(options, corpus->labels, &engine, err);
    *clusters = !status && wants_clusters(corpus, options, engine);
    if (!status && !*clusters &&
        (options->cluster || options->all_clusters || options->records_only))
        return th__fail(err, TH_ERR_ARGUMENT,
                        "clusters cannot be used with labels, with a picked list or with a list "
                        "engine");
    return status;
}

/* The options as given; an engine "auto" is one that is not named. */
static th_learn_options options_of(const th_learn_options *given)
{
    th_learn_options own;
    th_learn_options_init(&own);
    th__options_take(&own, sizeof own, given);
    if (own.engine && !strcmp(own.engine, "auto"))
        own.engine = NULL;
    return own;
}

th_status th_learn_check(const th_corpus *corpus, const th_learn_options *options, th_error *err)
{
    bool clusters;
    const th_learn_options own = options_of(options);
    return check(corpus, &own, &clusters, err);
}

/* Says of a wrapper that it reads the data of pages; the pages that it names, which are in the
 * order of the corpus, are those that have the data. */
static void mark_data(th_wrapper *wrapper, const th_corpus *corpus)
{
    wrapper->data = 1;
    for (size_t i = 0, at = 0; i < wrapper->page_count; i++) {
        th__learnt_page *page = &wrapper->pages[i];
        while (at < corpus->pages.len && !th__str_eq(corpus->pages.data[at].name, page->name))
            at++;
        if (at < corpus->pages.len) {
            th_str text = th_page_text(corpus->pages.data[at++].page);
            th__wrapper_digests(&text, 1, &page->digest);
        }
    }
}

/* Learns from the data of the pages: as from any pages, and then the wrapper says so. */
static th_status learn_from_data(const th_corpus *corpus, th_learn_options *options,
                                 th_wrapper **out, th_report **report, th_error *err)
{
    th_corpus *data = NULL;
    th_report *own = NULL;
    if (!corpus->labels && !options->engine)
        options->engine = LISTS_ENGINE;
    th_status status = make_data_corpus(corpus, &data, err);
    if (!status)
        status = th_learn(data, options, NULL, &own, err);
    th_corpus_free(data);
    for (size_t i = 0; own && i < own->lessons.len; i++)
        if (own->lessons.data[i].wrapper)
            mark_data((th_wrapper *)own->lessons.data[i].wrapper, corpus);
    if (!status &&
        !th__notes_add(&own->notes, "the records are in data that the pages carry beside "
                                    "their text: JSON in scripts, or microdata"))
        status = th__fail_memory(err);
    if (!status && out)
        *out = th_report_take(own, 0);
    if (report && own && status != TH_ERR_MEMORY)
        *report = own;
    else
        th_report_free(own);
    return status;
}

th_status th_learn(th_corpus *corpus, const th_learn_options *options, th_wrapper **out,
                   th_report **report, th_error *err)
{
    th_learn_options given = options_of(options);
    bool data;
    if (out)
        *out = NULL;
    if (report)
        *report = NULL;
    struct early_places early = {0};
    th_status wanted = wants_data(corpus, &given, &early, &data, err);
    if (wanted || data) {
        early_release(&early);
        return wanted ? wanted : learn_from_data(corpus, &given, out, report, err);
    }
    struct task t = {.corpus = corpus,
                     .options = given,
                     .early = early,
                     .lesson.cluster = TH_NO_CLUSTER,
                     .report = report_new()};
    size_t *pages = TH__NEW_ARRAY(size_t, corpus->pages.len + 1);
    t.pages = pages;
    th_status status =
        pages && t.report ? check(corpus, &t.options, &t.decide, err) : th__fail_memory(err);
    if (!status && t.decide) {
        status = learn_clusters(corpus, &t, pages, err);
    } else if (!status) {
        t.count = list_pages(corpus, TH_NO_CLUSTER, false, pages);
        status = learn(&t, err);
    }
    th__mem_free(pages);
    early_release(&t.early);
    status = th__trace_status(t.options.trace, status, err);
    t.lesson.clustered = t.decide;
    if (status) {
        th_wrapper_free((th_wrapper *)t.lesson.wrapper);
        t.lesson.wrapper = NULL;
    }
    if (t.report && !t.report->lessons.len && !t.options.records_only &&
        !th__vec_push(&t.report->lessons, t.lesson)) {
        th_wrapper_free((th_wrapper *)t.lesson.wrapper);
        status = th__fail_memory(err);
    }
    if (!status && out && !t.options.all_clusters)
        *out = th_report_take(t.report, 0);
    if (report && t.report && status != TH_ERR_MEMORY)
        *report = t.report;
    else
        th_report_free(t.report);
    return status;
}
