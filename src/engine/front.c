/*
 * front.c: learning from labels without an engine named.
 *
 *     labels of                     tried, from the cheapest on
 *     one record a page, plain      paths; where it is not right on all labelled pages, the others
 *     lists of records              lists that hold the labelled records; then the others
 *     anything nested               all engines that learn from labels
 */
#include "engine/front.h"

#include "base/error.h"
#include "data/locate.h"

/* Of engines that are equally right the simplest is taken: the others must be better by this. */
#define BETTER 0.02

struct choice {
    th_wrapper *best;
    double worth;
    th__buf tried; /* "paths 0.98, stalker 0.91" */
};

/* Moves what a wrapper has into another. */
static void move(th_wrapper *from, th_wrapper *to)
{
    th_wrapper kept = *to;
    *to = *from;
    *from = kept;
    th_wrapper_free(from);
}

static void consider(struct choice *choice, th_wrapper *wrapper, double worth)
{
    th__buf_printf(&choice->tried, "%s%s %.2f", choice->tried.len ? ", " : "",
                   wrapper->engine->name, worth);
    if (choice->best && worth <= choice->worth + BETTER) {
        th_wrapper_free(wrapper);
        return;
    }
    th_wrapper_free(choice->best);
    choice->best = wrapper;
    choice->worth = worth;
}

/* Engines that learn from labels, one after the other, until one is right. */
static th_status try_engines(th_learner *learner, struct choice *choice, th_error *err)
{
    th_status status = TH_OK, failed = TH_OK;
    const th__engine *const *engines = th__engine_list();
    for (size_t i = 0; engines[i] && !status && choice->worth < 1; i++) {
        th_wrapper *wrapper = NULL;
        double worth;
        if (!engines[i]->learn_corpus || !engines[i]->needs_labels ||
            engines[i] == &th__paths_engine)
            continue;
        th_error own;
        status = th__front_try(learner, engines[i], &wrapper, &worth, &own);
        if (!status) {
            consider(choice, wrapper, worth);
            continue;
        }
        if (err && !failed)
            *err = own;
        failed = status;
        if (status != TH_ERR_MEMORY)
            status = TH_OK; /* it cannot learn this: the next */
    }
    return status ? status : choice->best ? TH_OK : failed;
}

static bool note_choice(th_learner *learner, const struct choice *choice)
{
    return th__notes_add(&learner->notes,
                         "engine %s taken: right on labelled pages kept back: %.*s",
                         choice->best->engine->name, TH_STR_ARG(th__buf_str(&choice->tried)));
}

/* ---- pages of one record ----------------------------------------------------------------------
 */

/* Takes the rules that settled the labels. */
static th_status take_settled(th_learner *learner, th__settled *settled, th_wrapper **out,
                              th_error *err)
{
    th_wrapper *wrapper = th__wrapper_new(&th__paths_engine);
    th__path_rules *rules = th__arena_zero(&settled->arena, 1, sizeof *rules);
    if (!wrapper || !rules) {
        th_wrapper_free(wrapper);
        return th__fail_memory(err);
    }
    *rules = settled->rules;
    /* The rules live in the arena of what was settled: the wrapper takes it over. */
    wrapper->arena = settled->arena;
    th__arena_init(&settled->arena);
    wrapper->rules = rules;
    wrapper->schema = th_schema_retain(learner->label_schema);
    for (size_t i = 0; i < learner->kept.len; i++)
        learner->kept.data[i].provenance.records = learner->kept.data[i].located != NULL;
    *out = wrapper;
    return TH_OK;
}

static bool all_right(const th__settled *settled)
{
    for (uint32_t f = 0; f < settled->rules.count; f++)
        if (settled->fits[f].right < settled->fits[f].pages)
            return false;
    return true;
}

/* What is not right, where, and what would help. */
static bool note_wrong(th_learner *learner, const th__settled *settled)
{
    for (uint32_t f = 0; f < settled->rules.count; f++) {
        const th__path_fit *fit = &settled->fits[f];
        if (fit->right == fit->pages)
            continue;
        const th__kept_page *kept = &learner->kept.data[fit->wrong_page];
        if (!th__notes_add(
                &learner->notes, "%.*s: right on %u of %u labelled pages; not on %.*s: %s",
                TH_STR_ARG(settled->rules.fields[f].name), fit->right, fit->pages,
                TH_STR_ARG(kept->provenance.name),
                fit->pages == 1 ? "give its exact place with --at, or label one more page"
                                : "check its label there, or label one more page like it"))
            return false;
    }
    return true;
}

static th_status learn_record(th_learner *learner, th__settled *settled, th_wrapper *wrapper,
                              th_error *err)
{
    struct choice choice = {0};
    th_wrapper *paths = NULL;
    bool right = all_right(settled);
    bool noted = note_wrong(learner, settled);
    double worth = 1;
    th_status status = noted ? TH_OK : th__fail_memory(err);
    if (!status && !right) {
        status = th__front_try(learner, &th__paths_engine, &paths, &worth, err);
        th_wrapper_free(paths);
        paths = NULL;
    }
    if (!status)
        status = take_settled(learner, settled, &paths, err);
    if (!status)
        consider(&choice, paths, worth);
    if (!status && !right)
        status = try_engines(learner, &choice, err);
    if (!status && !right && !note_choice(learner, &choice))
        status = th__fail_memory(err);
    if (!status)
        move(choice.best, wrapper);
    else
        th_wrapper_free(choice.best);
    th__buf_release(&choice.tried);
    return status;
}

/* ---- lists, and what is nested -----------------------------------------------------------------
 */

/* Whether the records of labels have nothing but texts and lists of texts. */
static bool is_flat(const th_schema *schema)
{
    const th_type *tuple = th__type_strip(th_schema_record_type(schema));
    for (uint32_t i = 0; i < tuple->count; i++) {
        const th_type *type = th__type_strip(tuple->children[i]);
        if (type->kind == TH_TYPE_LIST)
            type = th__type_strip(type->children[0]);
        if (type->kind != TH_TYPE_FIELD)
            return false;
    }
    return true;
}

static th_status fail_lists(const th__engine *only, th_error *err)
{
    return th__fail(
        err, TH_ERR_FORMAT,
        "no list%s%s on the labelled page has the labelled records, each in a record of "
        "its own: label records of one list, and at least two of them, or give exact "
        "places",
        only ? " of engine " : "", only ? only->name : "");
}

static th_status learn_lists(th_learner *learner, const th__engine *only, th_wrapper *wrapper,
                             th_error *err)
{
    struct choice choice = {0};
    double share = 0;
    th_status status = TH_OK;
    if (is_flat(learner->label_schema)) {
        choice.best = th__wrapper_new(learner->engine);
        status = choice.best ? th__front_lists(learner, only, choice.best, &share, err)
                             : th__fail_memory(err);
        choice.worth = share;
        if (!status && choice.best->rules)
            th__buf_printf(&choice.tried, "%s %.2f", choice.best->engine->name, share);
        if (!status && !choice.best->rules) {
            th_wrapper_free(choice.best);
            choice.best = NULL;
        }
    }
    /* A list that holds the labelled records is worth more than rules that know two of them. */
    if (!status && !only && share < 0.5)
        status = try_engines(learner, &choice, err);
    if (!status && !choice.best)
        status = fail_lists(only, err);
    if (!status &&
        !th__notes_add(&learner->notes, "engine %s taken: labelled values that come out: %.*s",
                       choice.best->engine->name, TH_STR_ARG(th__buf_str(&choice.tried))))
        status = th__fail_memory(err);
    if (!status)
        move(choice.best, wrapper);
    else
        th_wrapper_free(choice.best);
    th__buf_release(&choice.tried);
    return status;
}

th_status th__front_learn(th_learner *learner, th__settled *settled, const th__engine *only,
                          th_wrapper *wrapper, th_error *err)
{
    return settled->ruled && !only ? learn_record(learner, settled, wrapper, err)
                                   : learn_lists(learner, only, wrapper, err);
}
