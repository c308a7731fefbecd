/*
 * choose.c: learning from labels without an engine named.
 *
 *     labels of                tried, from the cheapest on
 *     one record per page      paths; where it does not give all labelled values, or loses more
 *                              than a tenth of those held out, the other engines
 *     one record of all        the main list of the page when it holds the record; else as above
 *     lists of records         lists that hold the labelled records; then engines as above
 *     anything nested          all engines that learn from labels, those with several views first;
 *                              where they find little, a list without what is nested
 */
#include "learn/learn.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "data/labels.h"
#include "data/record.h"
#include "engine/lists/lists_groups.h"
#include "engine/lists/lists_rule.h"
#include "index/view.h"
#include "page/page.h"

/* ---- the best of several ------------------------------------------------------------------------
 */

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
    th__wrapper_swap(from, to);
    th_wrapper_free(from);
}

/* The end of a choice: its wrapper, and what there is to tell of it. */
static th_status choice_end(struct choice *choice, th_status status, th__learner *learner,
                            th_wrapper *wrapper, th_error *err)
{
    for (size_t i = 0; !status && i < choice->notes.lines.len; i++) {
        if (!th__notes_copy(learner->notes, &choice->notes.lines.data[i]))
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

static void note_tried(struct choice *choice, const th__engine *engine, const char *how,
                       double worth)
{
    th__buf_printf(&choice->tried, "%s%s %s%.2f", choice->tried.len ? ", " : "", engine->name, how,
                   worth);
}

/* More than an engine must be worth to be taken; below 0: whatever it is worth. */
static double least_worth(const struct choice *choice)
{
    return choice->best ? choice->worth + BETTER : -1;
}

/* Takes a wrapper, and the notes of its engine, when it is better. */
static void consider(struct choice *choice, th_wrapper *wrapper, double worth, th__notes *notes)
{
    note_tried(choice, wrapper->engine, "", worth);
    if (worth <= least_worth(choice)) {
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

/* Returns true if the records of labels have nothing but texts and lists of texts. */
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
static th_status try_engine(th__learner *learner, const th__engine *engine, struct choice *choice,
                            th_status *failed, th_error *err)
{
    th_wrapper *wrapper = NULL;
    double worth;
    th_error own;
    th__notes notes;
    th__notes_init(&notes);
    th_status status =
        th__judge_engine(learner, engine, least_worth(choice), &notes, &wrapper, &worth, &own);
    if (!status && wrapper) {
        consider(choice, wrapper, worth, &notes);
    } else if (!status) {
        if (worth > 0)
            note_tried(choice, engine, "at most ", worth);
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

/* When an engine's turn is. Of nested records a few labelled pages show little of what there is:
 * engines that are made for them come first, then those that have several views of a field. One
 * page cannot be kept back, so that the first engine is taken: several views err less where texts
 * between the values differ. */
static int turn_of(const th__engine *engine, bool flat, bool several)
{
    return flat || (engine->nested && several) ? 0 : engine->doubts ? 1 : 2;
}

/* Engines that learn from labels, one after the other, until one is right. */
static th_status try_engines(th__learner *learner, struct choice *choice, th_error *err)
{
    enum { TURNS = 3 };
    th_status status = TH_OK, failed = TH_OK;
    const th__engine *const *engines = th__engine_list();
    bool flat = is_flat(learner->label_schema), several = learner->labelled > 1;
    for (int turn = 0; turn < TURNS; turn++)
        for (size_t i = 0; engines[i] && !status && least_worth(choice) < 1; i++)
            if (engines[i]->learn_corpus && engines[i]->needs_labels &&
                engines[i] != &th__paths_engine && turn_of(engines[i], flat, several) == turn)
                status = try_engine(learner, engines[i], choice, &failed, err);
    return status ? status : choice->best ? TH_OK : failed;
}

/* ---- pages of one record ----------------------------------------------------------------------
 */

/* Takes the rules that resolved the labels. */
static th_status take_resolved(th__learner *learner, th__resolved *resolved, th_wrapper **out,
                               th_error *err)
{
    th_wrapper *wrapper = th__wrapper_new(&th__paths_engine);
    th__path_rules *rules = th__arena_zero(&resolved->arena, 1, sizeof *rules);
    if (!wrapper || !rules) {
        th_wrapper_free(wrapper);
        return th__fail_memory(err);
    }
    *rules = resolved->rules;
    /* The rules live in the arena of what was resolved: the wrapper takes it over. */
    wrapper->arena = resolved->arena;
    th__arena_init(&resolved->arena);
    wrapper->rules = rules;
    wrapper->schema = th_schema_retain(learner->label_schema);
    if (!th__learner_count(learner, NULL, wrapper)) {
        th_wrapper_free(wrapper);
        return th__fail_memory(err);
    }
    for (size_t i = 0; i < learner->kept.len; i++)
        wrapper->pages[i].records = learner->kept.data[i].located != NULL;
    *out = wrapper;
    return TH_OK;
}

/* Returns true if each field is right on all its labelled pages. */
static bool is_right(const th__resolved *resolved)
{
    for (uint32_t f = 0; f < resolved->rules.count; f++)
        if (resolved->fits[f].right < resolved->fits[f].pages)
            return false;
    return true;
}

/* Which engine was taken, and why; a detail when all is well. */
static bool note_choice(struct choice *choice, const char *why, bool detail)
{
    return !choice->tried.failed &&
           th__notes_add_of(&choice->notes, (th_str){0}, detail, "using engine %s; %s: %.*s",
                            choice->best->engine->name, why,
                            TH_STR_ARG(th__buf_str(&choice->tried)));
}

/* What place rules that give all labels must be worth by labels held out to be taken at once. What
 * they lose then is mostly a value that no other labelled page has, which other engines lose too:
 * on real detail pages those gave the same records, for many times the work. */
#define GOOD_PATHS 0.9

/* The rules that resolved the labels are judged as all others are: by labels held out. A single
 * label cannot be: then rules that give it are taken, since pages without labels agree on them. */
static th_status learn_record(th__learner *learner, th__resolved *resolved, th_wrapper *wrapper,
                              th_error *err)
{
    struct choice choice;
    th_wrapper *paths = NULL;
    bool right = is_right(resolved);
    double worth = 1;
    /* What was resolved goes into the wrapper, which another engine's may replace. */
    th__path_fit *fits = TH__NEW_ARRAY(th__path_fit, resolved->rules.count + 1);
    th_status status = fits ? TH_OK : th__fail_memory(err);
    choice_init(&choice);
    if (fits)
        memcpy(fits, resolved->fits, resolved->rules.count * sizeof *fits);
    if (!status)
        status = take_resolved(learner, resolved, &paths, err);
    if (!status && (!right || resolved->without))
        status = th__judge_paths(learner, resolved->without, paths, &worth, err);
    if (!status)
        consider(&choice, paths, worth, NULL);
    else
        th_wrapper_free(paths);
    if (!status && worth < (right ? GOOD_PATHS : 1))
        status = try_engines(learner, &choice, err);
    if (!status && !right)
        status = th__judge_tell_apart(learner, choice.best, fits, err);
    th__mem_free(fits);
    if (!status && !note_choice(&choice,
                                worth < 1 ? "correct on labelled pages, each held out once"
                                          : "correct on all labelled pages",
                                right))
        status = th__fail_memory(err);
    return choice_end(&choice, status, learner, wrapper, err);
}

/* ---- lists, and what is nested -----------------------------------------------------------------
 */

static th_status fail_lists(const th__engine *only, th_error *err)
{
    return th__fail(
        err, TH_ERR_FORMAT,
        "no list%s%s on the labelled page contains the labelled records, each in a record of its "
        "own: label at least two records of one list, or give exact places",
        only ? " of engine " : "", only ? only->name : "");
}

/* What a list must give, or at least hold in the right records, to be believed. Of the values that
 * a record holds a few may be written otherwise than they are labelled. */
#define ENOUGH_VALUES 0.5
#define ENOUGH_HELD   0.75
/* An engine that reads so much of the other records is right. */
#define NEARLY_ALL 0.95
/* A list with so many labelled records is labelled as a whole: those held out decide. */
#define MOST_LABELLED 0.9

/* How many records are labelled. */
static size_t count_labelled(const th__learner *learner)
{
    size_t count = 0;
    for (size_t p = 0; p < learner->kept.len; p++)
        if (learner->kept.data[p].located)
            count += th_records_count(th_located_records(learner->kept.data[p].located));
    return count;
}

/* ---- what an engine reads of records that are not labelled ------------------------------------
 */

enum { READ_PAGES = 8 };

/* Where the texts of records are, in the order of the page; texts that overlap are one, and *twice
 * is how many there were besides. */
static bool texts_of(const th_records *records, th__stretch_vec *out, size_t *twice)
{
    size_t kept = 0;
    if (!th__stretches_add(records, out))
        return false;
    for (size_t i = 0; i < out->len; i++) {
        th__stretch *last = kept ? &out->data[kept - 1] : NULL, *text = &out->data[i];
        if (!last || text->span.start >= last->span.end) {
            out->data[kept++] = *text;
        } else if (text->span.end > last->span.end) {
            last->len += text->len;
            last->span.end = text->span.end;
        }
    }
    *twice = out->len - kept;
    out->len = kept;
    return true;
}

/* The part of a text that others cover, which are apart and in order. *next is the first that does
 * not end before it. */
static double covered(th__stretch text, const th__stretch_vec *others, size_t *next)
{
    double len = 0;
    while (*next < others->len && others->data[*next].span.end <= text.span.start)
        ++*next;
    for (size_t i = *next; i < others->len && others->data[i].span.start < text.span.end; i++) {
        th_span span = others->data[i].span;
        uint32_t start = span.start > text.span.start ? span.start : text.span.start;
        uint32_t end = span.end < text.span.end ? span.end : text.span.end;
        len += others->data[i].len * (end - start) / (span.end - span.start);
    }
    return len < text.len ? len / text.len : 1;
}

/* How much of the texts of a list an engine reads. */
struct texts_read {
    double of[2]; /* in records without and with labels */
    size_t texts[2];
    size_t own;                   /* texts of the engine */
    size_t beside;                /* of them: those that no text of the list has */
    size_t twice;                 /* and those that it gives twice */
    size_t cells, list_cells;     /* of fields that every labelled record has, filled by each */
    size_t records, list_records; /* of each */
};

static bool add_reading(const th_records *list, const th_records *own, const th_records *labels,
                        const th_type *fields, struct texts_read *out)
{
    th__stretch_vec texts = {0}, found = {0}, given = {0};
    size_t next = 0, at = 0, label = 0, twice = 0, any;
    bool labelled = false;
    th__stretch around = {.len = 1};
    bool ok = texts_of(list, &texts, &any) && texts_of(labels, &given, &any) &&
              texts_of(own, &found, &twice);
    for (size_t i = 0; ok && i < texts.len; i++) {
        while (at < th_records_count(list) && around.span.end <= texts.data[i].span.start) {
            around.span = th_value_span(th_records_get(list, at++));
            labelled = covered(around, &given, &label) > 0;
        }
        out->of[labelled] += covered(texts.data[i], &found, &next);
        out->texts[labelled]++;
    }
    next = 0;
    for (size_t i = 0; ok && i < found.len; i++)
        out->beside += covered(found.data[i], &texts, &next) <= 0;
    out->twice += twice;
    out->own += found.len + twice;
    out->cells += th__judge_filled(own, fields);
    out->list_cells += th__judge_filled(list, fields);
    out->records += th_records_count(own);
    out->list_records += th_records_count(list);
    th__vec_release(&texts);
    th__vec_release(&found);
    th__vec_release(&given);
    return ok;
}

/* Holds an engine against a list whose columns do not give what is labelled. That its rules give
 * all of it says little, as they may know the labelled records alone. The list was found without
 * labels: rules that hold for its other records read as much of the texts of those as of the
 * labelled ones, and no texts beside. A list that is not `sure`, since its columns give too little
 * of what is labelled, may be a part of the whole: texts beside it do not count against rules whose
 * records are as full as those of the list. *out is how much they read of that, and *fill how many
 * of the fields that the list fills, 0 to 1. */
static th_status weigh_reading(th__learner *learner, const th_wrapper *wrapper,
                               th_records *const *list, bool sure, double *out, double *fill,
                               th_error *err)
{
    const th_type *fields = th__type_strip(th_schema_record_type(learner->label_schema));
    struct texts_read all = {0};
    th_status status = TH_OK;
    for (size_t p = 0; !status && p < learner->kept.len && p < READ_PAGES; p++) {
        const th__kept_page *kept = &learner->kept.data[p];
        const th_records *labels = kept->located ? th_located_records(kept->located) : NULL;
        th_records *own = NULL;
        status = th_wrapper_extract(wrapper, kept->page, NULL, &own, err);
        if (!status && !add_reading(list[p], own, labels, fields, &all))
            status = th__fail_memory(err);
        th_records_free(own);
    }
    double expected = all.texts[1] ? all.of[1] / (double)all.texts[1] * (double)all.texts[0]
                                   : (double)all.texts[0];
    *out = expected > all.of[0] ? all.of[0] / expected : 1;
    *fill = all.cells < all.list_cells ? (double)all.cells / (double)all.list_cells : 1;
    bool part = !sure && all.cells * all.list_records >= all.list_cells * all.records;
    if (all.own && all.texts[0])
        *out *= 1 - (double)(all.twice + (part ? 0 : all.beside)) / (double)all.own;
    return status;
}

/* A list whose columns do not give all that is labelled, and what an engine is held against. */
struct list_rival {
    th_records *pages[READ_PAGES]; /* its records */
    double like, unseen;           /* what it is worth: see th__list_fit */
    double least;                  /* how much an engine must read of it */
    bool several;                  /* records are labelled: some were held out, */
    bool judged;                   /* and they are nearly all of its records */
};

/* Takes an engine that gives all that is labelled where it reads enough of the other records, and
 * more than the best so far. Less is enough where it is better on labelled records that it has not
 * seen than the list is on those that its columns were not picked by. Fill does not tell engines
 * apart: a field that two labelled records have may be missing in others. */
static th_status try_exact(th__learner *learner, const th__engine *engine,
                           const struct list_rival *list, struct choice *choice, th_error *err)
{
    th_wrapper *wrapper = NULL;
    double held_out = 0, reading = 0, fill = 0;
    size_t wrong = 1;
    th__notes notes;
    th__notes_init(&notes);
    th_status status = th__judge_learn(learner, engine, true, &notes, &wrapper, err);
    if (status && status != TH_ERR_MEMORY) {
        th__notes_release(&notes);
        return TH_OK; /* it cannot learn this */
    }
    if (!status)
        status = th__judge_tell(learner, wrapper, NULL, &wrong, err);
    if (!status && !wrong)
        status = weigh_reading(learner, wrapper, list->pages, list->like >= NEARLY_ALL, &reading,
                               &fill, err);
    bool enough = reading * fill >= list->least;
    /* Records are held out, which is most of the work, only where that can decide. */
    bool may = list->judged || (list->several && reading >= list->like && fill >= NEARLY_ALL);
    if (!status && !wrong && (list->judged || (!enough && may)))
        status = th__judge_engine(learner, engine, -1, &notes, &wrapper, &held_out, err);
    enough |= may && held_out > (list->judged ? list->unseen : list->like);
    if (!status && !wrong && enough)
        consider(choice, wrapper, list->judged ? (reading + held_out) / 2 : reading, &notes);
    else
        th_wrapper_free(wrapper);
    th__notes_release(&notes);
    return status;
}

/* How much an engine must read of the other records for a list to be left. The list was found
 * without labels, so that it does as well on other records as on the labelled ones; an engine that
 * knows little more than two labelled records is believed when it halves what the list gets wrong,
 * and sooner when it gives more records as they are labelled. */
static double least_reading(size_t labelled, double like)
{
    double least = like + (1 - like) / (double)(labelled ? labelled : 1);
    return least < NEARLY_ALL ? least : NEARLY_ALL;
}

static th_status try_exact_engines(th__learner *learner, const th__list_fit *fit,
                                   struct choice *choice, th_error *err)
{
    const th__engine *const *engines = th__engine_list();
    size_t labelled = count_labelled(learner), all = 0;
    struct list_rival list = {
        .like = fit->like, .unseen = fit->unseen, .least = least_reading(labelled, fit->like)};
    th_status status = TH_OK;
    for (size_t p = 0; !status && p < learner->kept.len && p < READ_PAGES; p++) {
        status =
            th_wrapper_extract(choice->best, learner->kept.data[p].page, NULL, &list.pages[p], err);
        all += status || !learner->kept.data[p].located ? 0 : th_records_count(list.pages[p]);
    }
    list.several = labelled >= TH__JUDGE_RECORDS;
    list.judged = list.several && (double)labelled >= MOST_LABELLED * (double)all;
    choice->worth = -1; /* an engine that reads enough is taken whatever the list gives */
    for (size_t i = 0; engines[i] && !status && choice->worth < 1; i++)
        if (engines[i]->learn_corpus && engines[i]->needs_labels && engines[i] != &th__paths_engine)
            status = try_exact(learner, engines[i], &list, choice, err);
    for (size_t p = 0; p < READ_PAGES; p++)
        th_records_free(list.pages[p]);
    return status;
}

/* Says in *out if the labelled records of each page are one behind the other: engines read them so,
 * and none gives all of two that reach into each other. False if out of memory. */
static bool are_apart(const th__learner *learner, bool *out)
{
    th__stretch_vec hulls = {0};
    bool ok = true;
    *out = true;
    for (size_t p = 0; ok && *out && p < learner->kept.len; p++) {
        const th_located *located = learner->kept.data[p].located;
        const th_records *labels = located ? th_located_records(located) : NULL;
        hulls.len = 0;
        for (size_t r = 0; labels && ok && r < th_records_count(labels); r++) {
            th_span hull = th__value_hull(th_records_get(labels, r));
            ok = !hull.end || th__vec_push(&hulls, (th__stretch){.span = hull});
        }
        if (hulls.len)
            qsort(hulls.data, hulls.len, sizeof *hulls.data, th__stretch_order);
        for (size_t r = 1; r < hulls.len; r++)
            *out &= hulls.data[r - 1].span.end <= hulls.data[r].span.start;
    }
    th__vec_release(&hulls);
    return ok;
}

/* Returns true if labels say where no record is: then a list that has records besides the labelled
 * ones is no measure for other engines. */
static bool leaves_out(const th__learner *learner)
{
    for (size_t p = 0; p < learner->kept.len; p++)
        if (learner->kept.data[p].located &&
            learner->labels->pages.data[learner->kept.data[p].label_page].nothing_count)
            return true;
    return false;
}

/* Tries the list that holds the labelled records best. */
static th_status try_list(th__learner *learner, const th__engine *only, th__list_fit *fit,
                          struct choice *choice, th_error *err)
{
    th_wrapper *list = th__wrapper_new(learner->engine);
    th_status status =
        list ? th__label_lists_choose(learner, only, list, fit, err) : th__fail_memory(err);
    if (!status && list->rules)
        consider(choice, list, fit->share, NULL);
    else
        th_wrapper_free(list);
    return status;
}

/* Records that are not apart (a table with names in one row and prices in the next) are read by
 * lists alone, which leave out what is nested in them. */
static th_status learn_nested(th__learner *learner, struct choice *choice, th_error *err)
{
    th__list_fit fit = {0};
    th_error own;
    th_status failed = try_engines(learner, choice, &own);
    th_status status = failed == TH_ERR_MEMORY ? failed : TH_OK;
    if (!status && choice->worth < ENOUGH_VALUES)
        status = try_list(learner, NULL, &fit, choice, err);
    if (failed && (status || !choice->best)) {
        status = failed;
        if (err)
            *err = own;
    }
    return status;
}

static th_status learn_lists(th__learner *learner, const th__engine *only, th_wrapper *wrapper,
                             th_error *err)
{
    struct choice choice;
    th__list_fit fit = {0};
    const char *why = learner->labelled == 1 && count_labelled(learner) >= TH__JUDGE_RECORDS
                          ? "labelled values that it finds, some records held out"
                          : "labelled values that it finds";
    bool flat = is_flat(learner->label_schema);
    th_status status = TH_OK;
    choice_init(&choice);
    if (flat)
        status = try_list(learner, only, &fit, &choice, err);
    else if (!only)
        status = learn_nested(learner, &choice, err);
    bool other = flat && !status && !only; /* engines are tried too */
    bool apart = true;
    if (other && ((fit.share < ENOUGH_VALUES && fit.held < ENOUGH_HELD) ||
                  (fit.like < 1 && leaves_out(learner)))) {
        status = try_engines(learner, &choice, err);
    } else if (other && fit.like < 1 && fit.held >= ENOUGH_HELD) {
        status = are_apart(learner, &apart) ? TH_OK : th__fail_memory(err);
        if (!status && apart)
            status = try_exact_engines(learner, &fit, &choice, err);
        if (apart && choice.worth >= 0)
            why = "finds all that is labelled; share of the list that it reads";
    }
    if (!status && !choice.best)
        status = fail_lists(only, err);
    if (!status && !note_choice(&choice, why, fit.share == 1))
        status = th__fail_memory(err);
    return choice_end(&choice, status, learner, wrapper, err);
}

/* ---- one record of a list ---------------------------------------------------------------------
 */

/* Returns true if a single record is labelled that may be one of many: it was not given as the one
 * "record" of its page. */
static bool may_be_of_list(const th__learner *learner)
{
    bool may = learner->labelled == 1;
    for (size_t p = 0; may && p < learner->kept.len; p++) {
        const th__kept_page *kept = &learner->kept.data[p];
        if (kept->located) {
            const th__label_page *given = &learner->labels->pages.data[kept->label_page];
            may = !given->line || !given->single;
        }
    }
    return may;
}

/* Returns true if a span is around all places that the labelled values were resolved in. */
static bool holds_values(th_span around, const th_located *located)
{
    for (size_t i = 0; i < th_located_count(located); i++) {
        const th_value *value = th__located_value(located, i);
        th_span span = value ? th_value_span(value) : (th_span){0};
        if (span.start < around.start || around.end < span.end)
            return false;
    }
    return true;
}

/* The only labelled page. */
static const th__kept_page *labelled_page(const th__learner *learner)
{
    size_t p = 0;
    while (!learner->kept.data[p].located)
        p++;
    return &learner->kept.data[p];
}

/* Says in *out if a record of a list on the labelled page holds all labelled values. False if out
 * of memory. */
static bool find_holder(const th__learner *learner, bool *out)
{
    const th__kept_page *kept = labelled_page(learner);
    th__arena arena;
    th__view view;
    th__lists_region *lists = NULL;
    uint32_t count = 0;
    th__arena_init(&arena);
    bool ok = th__view_make(&arena, kept->page, &view) &&
              th__lists_regions_find(&arena, &view, TH__LISTS_SOUGHT, &lists, &count);
    *out = false;
    for (uint32_t i = 0; ok && i < count; i++)
        for (uint32_t r = 0; !*out && r < lists[i].list.count; r++) {
            const th__extents *records = &lists[i].list;
            const th__extent *first = &records->data[th__extents_first(records, r)];
            const th__extent *last = &records->data[th__extents_first(records, r + 1) - 1];
            th_span span = {kept->page->tokens[first->token].start,
                            kept->page->tokens[last->token_end].start};
            *out = holds_values(span, kept->located);
        }
    th__arena_release(&arena);
    return ok;
}

/* Says in *out if the pages are lists, as far as they show it: a single page may be one. */
static th_status are_lists(const th__learner *learner, bool *out, th_error *err)
{
    enum { PAGES = 32 };
    const th_page *pages[PAGES];
    size_t count = 0;
    th_kind kind = {.lists = true};
    th_status status = TH_OK;
    while (count < PAGES && count < learner->kept.len) {
        pages[count] = learner->kept.data[count].page;
        count++;
    }
    if (count > 1)
        status = th__pages_kind(pages, count, &learner->options.cancel, &kind, err);
    *out = kind.lists;
    return status;
}

/* Returns true if a record is one text and the value behind it: "Publisher", "Knopf". */
static bool is_pair(const th_value *record)
{
    const th_value *value = th__value_item(record, 0),
                   *other = th__value_item(record, record->count - 1);
    return record->count == 2 && value->kind == TH_VALUE_TEXT && other->kind == TH_VALUE_LIST &&
           other->count == 1 && th_value_span(other).start < value->span.start;
}

/* How many records a list has on the labelled page; 0 when none of them is around all places that
 * the labelled values were resolved in. */
static th_status count_around(th__learner *learner, const th_wrapper *list, size_t *out,
                              bool *pairs, th_error *err)
{
    const th__kept_page *kept = labelled_page(learner);
    size_t paired = 0;
    th_records *found = NULL;
    th_status status = th_wrapper_extract(list, kept->page, NULL, &found, err);
    bool around = false;
    for (size_t r = 0; !status && r < th_records_count(found); r++) {
        around |= holds_values(th_value_span(th_records_get(found, r)), kept->located);
        paired += is_pair(th_records_get(found, r));
    }
    *pairs = !status && 2 * paired > th_records_count(found);
    *out = around ? th_records_count(found) : 0;
    th_records_free(found);
    return status;
}

#define ENOUGH_FILLED 0.8

/* Who shows one record of a list mostly wants the list; with whole_list always. */
static th_status learn_whole_list(th__learner *learner, th_wrapper *wrapper, bool *taken,
                                  th_error *err)
{
    bool wanted = learner->options.whole_list;
    size_t least = wanted ? 2 : 3;
    th__list_fit fit = {0};
    size_t records = 0;
    bool pairs = false;
    th_wrapper *list = NULL;
    *taken = false;
    if (!may_be_of_list(learner))
        return TH_OK;
    /* The cheapest question first: most examples are of pages of one record each. */
    *taken = wanted;
    th_status status = wanted || find_holder(learner, taken) ? TH_OK : th__fail_memory(err);
    if (!status && *taken && !wanted)
        status = are_lists(learner, taken, err);
    if (status || !*taken)
        return status;
    list = th__wrapper_new(&th__lists_engine);
    status =
        list ? th__label_lists_choose(learner, wanted ? NULL : &th__lists_engine, list, &fit, err)
             : th__fail_memory(err);
    if (!status && list->rules && fit.share == 1)
        status = count_around(learner, list, &records, &pairs, err);
    /* The first list is what the page is about, unless it is the captions and values of one thing,
     * or sections of which few have such a value. */
    *taken = !status && records >= least &&
             (wanted || (list->pick == 1 && !pairs && fit.fill >= ENOUGH_FILLED));
    if (!status && records >= least && !wanted &&
        !th__notes_add(
            learner->notes,
            *taken ? "the example is one of %zu records of a list, and all of them are "
                     "learnt. To learn a single record per page, use --engine paths"
                   : "the example is one of %zu records of a list, and only it is "
                     "learnt. To learn the whole list, give a second record of it, or use --list",
            records))
        status = th__fail_memory(err);
    if (*taken && !status)
        move(list, wrapper);
    else
        th_wrapper_free(list);
    return status;
}

th_status th__choose(th__learner *learner, th__resolved *resolved, const th__engine *only,
                     th_wrapper *wrapper, th_error *err)
{
    bool taken = false;
    if (!resolved->ruled || only)
        return learn_lists(learner, only, wrapper, err);
    th_status status = learn_whole_list(learner, wrapper, &taken, err);
    return status || taken ? status : learn_record(learner, resolved, wrapper, err);
}
