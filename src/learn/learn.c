/*
 * learn.c: th_learn: what the pages of a corpus are, and what is made of them.
 *
 *     labels, a wrapper to correct,      all pages, in their order          ──┐
 *     `pick`, an engine for lists                                             ├──▶ th__learn_pages
 *     none of these                      the largest cluster, or each: ──┐    │    and a profile
 *                                        lists or one record per page? ──┴────┘
 *
 * Labels say what belongs together, and engines for lists look at page after page; a template can
 * only be told from pages that are built alike. What was done is in the report.
 */
#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/trace.h"
#include "data/labels.h"
#include "learn/learn.h"
#include "data/note.h"

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

/* ---- some pages of the corpus ---------------------------------------------------------------- */

/* One thing to learn: some pages of a corpus, what is asked for, and what comes of it. */
struct task {
    const th_corpus *corpus;
    th_learn_options options;
    bool decide; /* what the pages are decides the engine, unless one is named */
    const size_t *pages;
    size_t count, used; /* of which so many are learnt from */
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

/* Gives the wrapper a profile of what it gives for the pages: for those that have records, and of a
 * cluster for all. A wrapper that finds nothing on them gets none. */
static th_status profile(struct task *t, const th__learner *learner, th_wrapper *wrapper,
                         th_error *err)
{
    th_check *check = NULL;
    th__note_counts counts = {0};
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
        if (!status && records && !th__notes_count(&counts, records))
            status = th__fail_memory(err);
        th_records_free(records);
    }
    th__notes_settle(&counts);
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
    status = th__learn_pages(t->corpus, t->pages, t->used, &t->options,
                             t->options.records_only ? &unheard : &t->report->notes, &learner,
                             &wrapper, err);
    th__notes_release(&unheard);
    count_learnt(&learner, &t->lesson);
    if (!status && t->options.columns)
        status = th_wrapper_set_columns(wrapper, t->options.columns, t->options.join, err);
    if (!status && !t->options.no_profile)
        status = profile(t, &learner, wrapper, err);
    if (!status && !t->options.no_profile)
        status = find_next(t, &learner, wrapper, err);
    th__learner_release(&learner);
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
    th_status status = th__learn_engine(options, corpus->labels, &engine, err);
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
        if (at < corpus->pages.len)
            page->digest = th__wrapper_digest(th_page_text(corpus->pages.data[at++].page));
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
    th_status status = th__learn_data_corpus(corpus, &data, err);
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
    th_status wanted = th__learn_wants_data(corpus, &given, &data, err);
    if (wanted || data)
        return wanted ? wanted : learn_from_data(corpus, &given, out, report, err);
    struct task t = {.corpus = corpus,
                     .options = given,
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
