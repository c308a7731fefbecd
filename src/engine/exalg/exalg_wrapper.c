/* exalg_wrapper.c: EXALG as an engine of wrappers. */
#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "data/record.h"
#include "engine/exalg/exalg.h"
#include "engine/exalg/exalg_construct.h"
#include "engine/exalg/exalg_names.h"
#include "engine/exalg/exalg_roles_learn.h"

struct rules {
    bool paper; /* a template of strings, else roles */
    th__exalg_template template;
    th__exalg_roles roles;
};

/* ---- learning -------------------------------------------------------------------------------- */

static th_status learn_template(const th__exalg_options *options, const th__corpus *corpus,
                                th__arena *arena, struct rules *rules, th_error *err)
{
    th__exalg_string *strings = th__mem_zero(corpus->count + 1, sizeof *strings);
    th__exalg_ecgm e = {0};
    uint32_t count = 0, support = (uint32_t)ceil(options->support * (double)corpus->count);
    bool ok = strings;
    for (; ok && count < corpus->count; count++)
        ok = th__exalg_string_read(corpus->pages[count].page, true, &strings[count]);
    ok = ok &&
         th__exalg_ecgm_init(&e, strings, count, options->size_threshold,
                             support > 1 ? support : 2) &&
         th__exalg_ecgm_run(&e) && th__exalg_construct(&e, true, arena, &rules->template);
    th__exalg_ecgm_release(&e);
    while (strings && count--)
        th__exalg_string_release(&strings[count]);
    th__mem_free(strings);
    return ok ? TH_OK : th__fail_memory(err);
}

static th_status learn_roles(const th__exalg_options *options, const th__corpus *corpus,
                             th__arena *arena, struct rules *rules, th_error *err)
{
    th__arena scratch;
    th__arena_init(&scratch);
    th__exalg_outline *outlines = th__arena_zero(&scratch, corpus->count + 1, sizeof *outlines);
    bool ok = outlines;
    for (size_t i = 0; ok && i < corpus->count; i++)
        ok = th__exalg_outline_make(&scratch, corpus->pages[i].page, &outlines[i]);
    ok = ok &&
         th__exalg_roles_learn(options, outlines, (uint32_t)corpus->count, arena, &rules->roles) &&
         th__exalg_roles_name(&rules->roles, arena);
    th__arena_release(&scratch);
    return ok ? TH_OK : th__fail_memory(err);
}

static th_status learn_corpus(const th_learn_options *options, const th__corpus *corpus,
                              th__arena *arena, th_schema **schema, void **out, th_error *err)
{
    th__exalg_options own;
    if (corpus->count < 2)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "engine exalg compares pages and needs two or more of one template; for a "
                        "single page use --engine auto, mdr or iepad");
    if (options->paper)
        th__exalg_options_paper(&own);
    else
        th__exalg_options_init(&own);
    struct rules *rules = th__arena_zero(arena, 1, sizeof *rules);
    if (!rules)
        return th__fail_memory(err);
    rules->paper = !own.roles;
    th_status status = own.roles ? learn_roles(&own, corpus, arena, rules, err)
                                 : learn_template(&own, corpus, arena, rules, err);
    if (!status)
        status = rules->paper ? th__exalg_template_schema(&rules->template, schema, err)
                              : th__exalg_roles_schema(&rules->roles, schema, err);
    for (size_t i = 0; !status && i < corpus->count; i++)
        corpus->pages[i].learnt = 1;
    *out = rules;
    return status;
}

/* ---- running --------------------------------------------------------------------------------- */

static th_status run(const void *context, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err)
{
    const struct rules *rules = context;
    double explained;
    return rules->paper
               ? th__exalg_template_run(&rules->template, schema, page, source, &explained, out,
                                        err)
               : th__exalg_roles_run(&rules->roles, schema, page, source, &explained, out, err);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void write_rules(const void *context, th__json *json)
{
    const struct rules *rules = context;
    th__json_begin_object(json);
    th__json_key(json, rules->paper ? TH_STR("template") : TH_STR("page"));
    if (rules->paper)
        th__exalg_template_write(&rules->template, json);
    else
        th__exalg_roles_write(&rules->roles, json);
    th__json_end_object(json);
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
    th_status status = th__rule_object(reader, json, key, true, &inside);
    if (status)
        return status;
    size_t mark = th__rule_enter(reader, key);
    status = rules->paper ? th__exalg_template_read(reader, inside, schema, arena, &rules->template)
                          : th__exalg_roles_read(reader, inside, schema, arena, &rules->roles);
    th__rule_leave(reader, mark);
    return status;
}

static void explain(const void *context, th__buf *out)
{
    const struct rules *rules = context;
    th__buf_printf(out, "template\n");
    if (rules->paper)
        th__exalg_template_print(&rules->template, out);
    else
        th__exalg_roles_print(&rules->roles, out);
}

const th__engine th__exalg_engine = {
    .name = "exalg",
    .learn_corpus = learn_corpus,
    .run = run,
    .write = write_rules,
    .read = read_rules,
    .explain = explain,
};
