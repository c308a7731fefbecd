/*
 * exalg_wrapper.c: EXALG as an engine of wrappers.
 *
 * Pages that are of another kind than most (an error page among the sample) are found by how little
 * of them the first template explains; they are named and left out, and the template is learnt anew
 * without them. From the rest follows the floor below which a page that the wrapper meets later is
 * taken for one of another template.
 */
#include <math.h>
#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "data/record.h"
#include "engine/papers/exalg/exalg.h"
#include "engine/papers/exalg/exalg_construct.h"
#include "engine/papers/exalg/exalg_names.h"
#include "engine/papers/exalg/exalg_roles_learn.h"

struct rules {
    bool paper;   /* a template of strings, else roles */
    double floor; /* pages of which less is explained are of another template */
    th__exalg_template template;
    th__exalg_roles roles;
};

/* ---- learning -------------------------------------------------------------------------------- */

/* What is learnt from: the pages of the corpus that are not left out. */
struct sample {
    const th__exalg_options *options;
    const th_page **pages;
    double *explained; /* by page */
    uint32_t count;
    th__arena *arena; /* of the rules */
};

static th_status learn_template(struct sample *s, struct rules *rules, th_schema **schema,
                                th_error *err)
{
    th__exalg_string *strings = th__mem_zero(s->count + 1, sizeof *strings);
    th__exalg_ecgm e = {0};
    uint32_t count = 0, support = (uint32_t)ceil(s->options->support * s->count);
    bool ok = strings;
    for (; ok && count < s->count; count++)
        ok = !th__cancelled(s->options->cancel) &&
             th__exalg_string_read(s->pages[count], true, &strings[count]);
    ok = ok &&
         th__exalg_ecgm_init(&e, strings, count, s->options->size_threshold,
                             support > 1 ? support : 2) &&
         th__exalg_ecgm_run(&e) && th__exalg_construct(&e, true, s->arena, &rules->template);
    th__exalg_ecgm_release(&e);
    while (strings && count--)
        th__exalg_string_release(&strings[count]);
    th__mem_free(strings);
    th_status status =
        ok ? th__exalg_template_schema(&rules->template, schema, err) : th__fail_memory(err);
    for (uint32_t i = 0; !status && i < s->count; i++)
        status = th__exalg_template_explain(&rules->template, *schema, s->pages[i],
                                            &s->explained[i], err);
    return status;
}

static th_status prune_roles(struct sample *s, struct rules *rules, th_schema **schema,
                             th_error *err)
{
    bool any;
    th_status status = th__exalg_roles_prune(&rules->roles, *schema, s->pages, s->count, &any, err);
    if (status || !any)
        return status;
    th_schema_free(*schema);
    *schema = NULL;
    return th__exalg_roles_schema(&rules->roles, schema, err);
}

static th_status learn_roles(struct sample *s, struct rules *rules, th_schema **schema,
                             th_error *err)
{
    th__arena scratch, one;
    th__arena_init(&scratch);
    th__arena_init(&one);
    th__exalg_outline *outlines = th__arena_zero(&scratch, s->count + 1, sizeof *outlines);
    bool ok = outlines;
    for (uint32_t i = 0; ok && i < s->count; i++)
        ok = !th__cancelled(s->options->cancel) &&
             th__exalg_outline_make(&scratch, s->pages[i], NULL, &outlines[i]);
    ok = ok && th__exalg_roles_learn(s->options, outlines, s->count, s->arena, &rules->roles) &&
         th__exalg_roles_name(&rules->roles, s->options->names, s->arena);
    for (uint32_t i = 0; ok && i < s->count; i++) {
        th__exalg_reading reading;
        th__arena_clear(&one);
        ok = !th__cancelled(s->options->cancel) &&
             th__exalg_roles_apply(&rules->roles, &outlines[i], &one, &reading);
        s->explained[i] = ok ? reading.explained : 0;
    }
    th__arena_release(&one);
    th__arena_release(&scratch);
    th_status status =
        ok ? th__exalg_roles_schema(&rules->roles, schema, err) : th__fail_memory(err);
    return status || !s->options->drop_mirrored ? status : prune_roles(s, rules, schema, err);
}

static th_status learn_sample(struct sample *s, struct rules *rules, th_schema **schema,
                              th_error *err)
{
    th_schema_free(*schema);
    *schema = NULL;
    return rules->paper ? learn_template(s, rules, schema, err)
                        : learn_roles(s, rules, schema, err);
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

static bool median(const double *values, uint32_t count, double *out)
{
    double *sorted = TH__NEW_ARRAY(double, count);
    if (!sorted)
        return false;
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    *out = sorted[count / 2];
    th__mem_free(sorted);
    return true;
}

/* Leaves out pages of which less than this part of what is explained of the middle page is
 * explained. Pages of one template vary by optional parts, which is far less. */
#define OUTLIER 0.5

static th_status leave_out(struct sample *s, const th__corpus *corpus, double middle, bool *any,
                           th_error *err)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->explained[i] >= OUTLIER * middle) {
            s->pages[kept++] = s->pages[i];
            continue;
        }
        *any = true;
        corpus->pages[i].left_out = true;
        if (!th__notes_add(corpus->notes,
                           "%.*s: left out: the template of the other pages explains %.0f%% of it, "
                           "and %.0f%% of them",
                           TH_STR_ARG(corpus->pages[i].source.page), 100 * s->explained[i],
                           100 * middle))
            return th__fail_memory(err);
    }
    s->count = kept;
    return TH_OK;
}

/* Less than this part of what is explained of the worst page learnt from: another template. Unseen
 * pages have optional parts that the sample did not show; pages of other sites come out near 0. */
#define FLOOR 0.4

static void set_floor(const struct sample *s, struct rules *rules)
{
    double least = 1;
    for (uint32_t i = 0; i < s->count; i++)
        least = s->explained[i] < least ? s->explained[i] : least;
    rules->floor = FLOOR * least;
}

static th_status no_template(size_t pages, th_error *err)
{
    return th__fail(err, TH_ERR_ARGUMENT,
                    "the %zu pages have next to nothing in common: they are of no one template; "
                    "engine exalg needs pages of one kind from one site",
                    pages);
}

/* A field for the rest is no data yet. */
static bool has_data(const struct rules *rules, const th_schema *schema)
{
    size_t members = th_type_count(th_schema_root(schema));
    return members > (!rules->paper && rules->roles.other != TH__EXALG_NO_ROLE);
}

static th_status check(const struct sample *s, const struct rules *rules, const th_schema *schema,
                       double middle, th_error *err)
{
    /* What any two pages share: a title, a word in the footer. */
    const double nothing = 0.1;
    if (middle < nothing)
        return no_template(s->count, err);
    if (!has_data(rules, schema))
        return th__fail(err, TH_ERR_ARGUMENT,
                        "the %u pages say the same: there is no data to tell from the template",
                        s->count);
    return TH_OK;
}

static th_status learn_pages(struct sample *s, const th__corpus *corpus, struct rules *rules,
                             th_schema **schema, th_error *err)
{
    bool left = false;
    double middle = 0;
    th_status status = learn_sample(s, rules, schema, err);
    if (!status && !median(s->explained, s->count, &middle))
        status = th__fail_memory(err);
    if (!status)
        status = check(s, rules, *schema, middle, err);
    if (!status)
        status = leave_out(s, corpus, middle, &left, err);
    if (!status && left)
        status =
            s->count < 2 ? no_template(corpus->count, err) : learn_sample(s, rules, schema, err);
    if (!status && left)
        status = check(s, rules, *schema, 1, err);
    if (!status)
        set_floor(s, rules);
    return status;
}

th_status th__exalg_learn(const th__exalg_options *options, const th__corpus *corpus,
                          th__arena *arena, th_schema **schema, void **out, th_error *err)
{
    if (corpus->count < 2)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "engine exalg compares pages and needs two or more of one template; for a "
                        "single page there are the engines auto, mdr and iepad");
    struct rules *rules = th__arena_zero(arena, 1, sizeof *rules);
    struct sample s = {.options = options, .count = (uint32_t)corpus->count, .arena = arena};
    s.pages = th__mem_zero(corpus->count, sizeof *s.pages);
    s.explained = th__mem_zero(corpus->count, sizeof *s.explained);
    th_status status = rules && s.pages && s.explained ? TH_OK : th__fail_memory(err);
    for (size_t i = 0; !status && i < corpus->count; i++)
        s.pages[i] = corpus->pages[i].page;
    if (!status) {
        rules->paper = !options->roles;
        status = learn_pages(&s, corpus, rules, schema, err);
    }
    for (size_t i = 0; !status && i < corpus->count; i++)
        corpus->pages[i].learnt = !corpus->pages[i].left_out;
    th__mem_free(s.pages);
    th__mem_free(s.explained);
    *out = rules;
    return status;
}

static th_status learn_corpus(const th_learn_options *options, const th__corpus *corpus,
                              th__arena *arena, th_schema **schema, void **out, th_error *err)
{
    th__exalg_options own;
    const th_paper_options *paper = &options->paper;
    if (paper->published)
        th__exalg_options_paper(&own);
    else
        th__exalg_options_init(&own);
    if (!paper->published && paper->size_threshold != own.size_threshold &&
        !th__notes_add(corpus->notes, "the size threshold is for classes of tokens, which are "
                                      "made as published alone: here it does nothing"))
        return th__fail_memory(err);
    own.size_threshold = paper->size_threshold;
    own.support = paper->support_threshold;
    own.cancel = corpus->cancel;
    return th__exalg_learn(&own, corpus, arena, schema, out, err);
}

/* ---- running --------------------------------------------------------------------------------- */

static th_status run(const void *context, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err)
{
    const struct rules *rules = context;
    return rules->paper
               ? th__exalg_template_run(&rules->template, schema, page, source, rules->floor, out,
                                        err)
               : th__exalg_roles_run(&rules->roles, schema, page, source, rules->floor, out, err);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void write_rules(const void *context, th__json *json)
{
    const struct rules *rules = context;
    th__json_begin_object(json);
    th__json_key(json, TH_STR("floor"));
    th__json_double(json, rules->floor);
    th__json_key(json, rules->paper ? TH_STR("template") : TH_STR("page"));
    if (rules->paper)
        th__exalg_template_write(&rules->template, json);
    else
        th__exalg_roles_write(&rules->roles, json);
    th__json_end_object(json);
}

static th_status read_floor(th__rule_reader *reader, json_t *json, double *out)
{
    json_t *floor = json_object_get(json, "floor");
    size_t mark = th__rule_enter(reader, "floor");
    th_status status = TH_OK;
    *out = json_is_number(floor) ? json_number_value(floor) : 0;
    if (floor && !(json_is_number(floor) && *out >= 0 && *out <= 1))
        status = th__rule_fault(reader, "must be a number from 0 to 1");
    th__rule_leave(reader, mark);
    return status;
}

static th_status read_rules(th__rule_reader *reader, json_t *json, const th_schema *schema,
                            th__arena *arena, void **out)
{
    json_t *inside = NULL;
    struct rules *rules = th__arena_zero(arena, 1, sizeof *rules);
    if (!rules)
        return th__fail_memory(reader->err);
    *out = rules;
    rules->paper = json_object_get(json, "template");
    const char *key = rules->paper ? "template" : "page";
    th_status status = read_floor(reader, json, &rules->floor);
    if (!status)
        status = th__rule_object(reader, json, key, true, &inside);
    if (status)
        return status;
    size_t mark = th__rule_enter(reader, key);
    status = rules->paper ? th__exalg_template_read(reader, inside, schema, arena, &rules->template)
                          : th__exalg_roles_read(reader, inside, schema, arena, &rules->roles);
    th__rule_leave(reader, mark);
    return status;
}

static void show_template(const void *context, const th_records *const *pages, size_t count,
                          th__buf *out)
{
    const struct rules *rules = context;
    if (rules->paper)
        th__exalg_template_print(&rules->template, pages, count, out);
    else
        th__exalg_roles_print(&rules->roles, pages, count, out);
}

static bool may_drop(const void *context)
{
    return !((const struct rules *)context)->paper;
}

/* Sets come before their members: from the last role on, names of sets are the old ones. */
static bool rename_fields(void *context, th__rename_fn rename, void *names)
{
    struct rules *rules = context;
    for (uint32_t i = rules->roles.count; !rules->paper && i-- > 0;) {
        th__exalg_role *role = &rules->roles.roles[i];
        th_str list = {0};
        if (role->set != TH__EXALG_NO_ROLE)
            list = rules->roles.roles[role->set].name;
        th_str to = role->name.ptr ? rename(names, list, role->name) : (th_str){0};
        if (to.ptr)
            role->name = to.len ? to : (th_str){0};
    }
    return true;
}

static void explain(const void *context, th__buf *out)
{
    th__buf_printf(out, "template\n");
    show_template(context, NULL, 0, out);
}

const th__engine th__exalg_engine = {
    .name = "exalg",
    .published = true,
    .learn_corpus = learn_corpus,
    .run = run,
    .write = write_rules,
    .read = read_rules,
    .explain = explain,
    .rename = rename_fields,
    .may_drop = may_drop,
    .show_template = show_template,
};
