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
#include "data/record.h"

/* Of engines that are equally right the simplest is taken: the others must be better by this. */
#define BETTER 0.02

struct choice {
    th_wrapper *best;
    double worth;
    th__buf tried;   /* "paths 0.98, stalker 0.91" */
    th__notes notes; /* of the best */
};

static void choice_init(struct choice *choice)
{
    *choice = (struct choice){0};
    th__notes_init(&choice->notes);
}

/* Moves what a wrapper has into another. */
static void move(th_wrapper *from, th_wrapper *to)
{
    th_wrapper kept = *to;
    *to = *from;
    *from = kept;
    th_wrapper_free(from);
}

/* The end of a choice: its wrapper, and what there is to tell of it. */
static th_status choice_end(struct choice *choice, th_status status, th_learner *learner,
                            th_wrapper *wrapper, th_error *err)
{
    for (size_t i = 0; !status && i < choice->notes.lines.len; i++) {
        const th__note *note = &choice->notes.lines.data[i];
        if (!th__notes_copy(&learner->notes, note->text, note->detail))
            status = th__fail_memory(err);
    }
    if (!status)
        move(choice->best, wrapper);
    else
        th_wrapper_free(choice->best);
    th__buf_release(&choice->tried);
    th__notes_release(&choice->notes);
    return status;
}

/* Takes a wrapper, and the notes of its engine, when it is better. */
static void consider(struct choice *choice, th_wrapper *wrapper, double worth, th__notes *notes)
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
    if (notes) {
        th__notes kept = choice->notes;
        choice->notes = *notes;
        *notes = kept;
    }
}

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

/* Tries one engine. That it cannot learn this is no failure, but kept in *failed. */
static th_status try_engine(th_learner *learner, const th__engine *engine, struct choice *choice,
                            th_status *failed, th_error *err)
{
    th_wrapper *wrapper = NULL;
    double worth;
    th_error own;
    th__notes notes;
    th__notes_init(&notes);
    th_status status = th__front_try(learner, engine, &notes, &wrapper, &worth, &own);
    if (!status) {
        consider(choice, wrapper, worth, &notes);
    } else {
        if (err && !*failed)
            *err = own;
        *failed = status;
        if (status != TH_ERR_MEMORY)
            status = TH_OK;
    }
    th__notes_release(&notes);
    return status;
}

/* Engines that learn from labels, one after the other, until one is right. Of nested records a few
 * labelled pages show little of what there is: an engine that has several views of a field comes
 * first then. */
static th_status try_engines(th_learner *learner, struct choice *choice, th_error *err)
{
    th_status status = TH_OK, failed = TH_OK;
    const th__engine *const *engines = th__engine_list();
    bool flat = is_flat(learner->label_schema);
    for (int turn = flat; turn < 2; turn++)
        for (size_t i = 0; engines[i] && !status && choice->worth < 1; i++)
            if (engines[i]->learn_corpus && engines[i]->needs_labels &&
                engines[i] != &th__paths_engine && (flat || (engines[i]->doubts ? 0 : 1) == turn))
                status = try_engine(learner, engines[i], choice, &failed, err);
    return status ? status : choice->best ? TH_OK : failed;
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

/* Whether each field is right on at least a share of its labelled pages. */
static bool is_right(const th__settled *settled, double share)
{
    for (uint32_t f = 0; f < settled->rules.count; f++)
        if (settled->fits[f].right < share * settled->fits[f].pages)
            return false;
    return true;
}

/* The first text of a member. */
static const th_value *first_text(const th_records *records, uint32_t member)
{
    const th_value *record = records ? th_records_get(records, 0) : NULL;
    const th_value *value = record ? th_value_item(record, member) : NULL;
    if (value && value->kind == TH_VALUE_LIST)
        value = value->count ? value->items[0] : NULL;
    return value && value->kind == TH_VALUE_TEXT ? value : NULL;
}

static void put_text(th__buf *out, const th_value *value)
{
    if (value)
        th__buf_printf(out, "\"%.*s\" (bytes %u-%u)", TH_STR_ARG(value->text), value->span.start,
                       value->span.end);
    else
        th__buf_printf(out, "nothing");
}

/* What is not right, where, and what would help. */
static th_status note_field(th_learner *learner, const th__settled *settled, uint32_t field,
                            th_error *err)
{
    const th__path_fit *fit = &settled->fits[field];
    const th__kept_page *kept = &learner->kept.data[fit->wrong_page];
    th_records *found = NULL;
    th__buf line = {0};
    th_status status = th__paths_run(&settled->rules, learner->label_schema, kept->page,
                                     &(th_records_source){0}, &found, err);
    if (status)
        return status;
    th__buf_printf(&line, "%.*s: right on %u of %u labelled pages. On %.*s the label is ",
                   TH_STR_ARG(settled->rules.fields[field].name), fit->right, fit->pages,
                   TH_STR_ARG(kept->provenance.name));
    put_text(&line, first_text(th_located_records(kept->located), field));
    th__buf_printf(&line, " and the rules give ");
    put_text(&line, first_text(found, field));
    th__buf_printf(&line, ". %s",
                   fit->pages == 1 ? "Say which place is meant with --at, or label one more page"
                   : fit->right    ? "Check that label, or label one more page like this one"
                                   : "No rule holds for two of these labels: check them");
    if (line.failed || !th__notes_copy(&learner->notes, th__buf_str(&line), false))
        status = th__fail_memory(err);
    th__buf_release(&line);
    th_records_free(found);
    return status;
}

static th_status note_wrong(th_learner *learner, const th__settled *settled, th_error *err)
{
    th_status status = TH_OK;
    for (uint32_t f = 0; !status && f < settled->rules.count; f++)
        if (settled->fits[f].right < settled->fits[f].pages)
            status = note_field(learner, settled, f, err);
    return status;
}

/* Which engine was taken, and why; a detail when all is well. */
static bool note_choice(struct choice *choice, const char *why, bool detail)
{
    th__buf line = {0};
    th__buf_printf(&line, "engine %s taken; %s: %.*s", choice->best->engine->name, why,
                   TH_STR_ARG(th__buf_str(&choice->tried)));
    bool ok = !line.failed && th__notes_copy(&choice->notes, th__buf_str(&line), detail);
    th__buf_release(&line);
    return ok;
}

/* Where most labels bear the rules out, the rest are odd pages or wrong labels, and rules that bend
 * to them are no better: other engines, which cost more, are asked only below this. */
#define ENOUGH 0.75

static th_status learn_record(th_learner *learner, th__settled *settled, th_wrapper *wrapper,
                              th_error *err)
{
    struct choice choice;
    th_wrapper *paths = NULL;
    bool right = is_right(settled, 1), enough = is_right(settled, ENOUGH);
    double worth = 1;
    th_status status = right ? TH_OK : note_wrong(learner, settled, err);
    choice_init(&choice);
    if (!status && !enough) {
        th__notes notes;
        th__notes_init(&notes);
        status = th__front_try(learner, &th__paths_engine, &notes, &paths, &worth, err);
        th_wrapper_free(paths);
        th__notes_release(&notes);
    }
    if (!status)
        status = take_settled(learner, settled, &paths, err);
    if (!status)
        consider(&choice, paths, worth, NULL);
    if (!status && !enough)
        status = try_engines(learner, &choice, err);
    if (!status && !note_choice(&choice,
                                enough ? "right on most labelled pages"
                                       : "right on labelled pages, each kept back once",
                                enough))
        status = th__fail_memory(err);
    return choice_end(&choice, status, learner, wrapper, err);
}

/* ---- lists, and what is nested -----------------------------------------------------------------
 */

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
    struct choice choice;
    double share = 0;
    th_status status = TH_OK;
    choice_init(&choice);
    if (is_flat(learner->label_schema)) {
        th_wrapper *list = th__wrapper_new(learner->engine);
        status = list ? th__front_lists(learner, only, list, &share, err) : th__fail_memory(err);
        if (!status && list->rules)
            consider(&choice, list, share, NULL);
        else
            th_wrapper_free(list);
    }
    /* A list that holds the labelled records is worth more than rules that know two of them. */
    if (!status && !only && share < 0.5)
        status = try_engines(learner, &choice, err);
    if (!status && !choice.best)
        status = fail_lists(only, err);
    if (!status && !note_choice(&choice, "labelled values that come out of it", share == 1))
        status = th__fail_memory(err);
    return choice_end(&choice, status, learner, wrapper, err);
}

th_status th__front_learn(th_learner *learner, th__settled *settled, const th__engine *only,
                          th_wrapper *wrapper, th_error *err)
{
    return settled->ruled && !only ? learn_record(learner, settled, wrapper, err)
                                   : learn_lists(learner, only, wrapper, err);
}
