/*
 * exalg.c: Arasu, Garcia-Molina, "Extracting Structured Data from Web Pages" (SIGMOD 2003, with the
 * appendix of the long version): the template behind pages, and the data that it was filled with,
 * without any labels.
 *
 * The idea
 * --------
 * A page is made of a value and a template: strings around the members of tuples, separators
 * between the items of sets. Tokens (words and tags) that come of one string of the template occur
 * equally often on every page: their occurrence vectors are the same. Sets of tokens with the same
 * vector that are large and on many pages are hardly ever formed by chance. So:
 *
 *   DIFFFORM    tokens at different paths of the tree have different roles: they become dtokens
 *   FINDEQ      equivalence classes: dtokens with one occurrence vector; large and frequent ones
 *               (LFEQs) have at least SIZETHRES dtokens and are on at least SUPTHRES pages
 *   HANDINV     throws out or cuts classes that are not ordered, or not nested with the others
 *   DIFFEQ      a dtoken inside of an LFEQ, between its third and fourth token, has another role
 *               than one elsewhere; new dtokens, and again from FINDEQ until there are none
 *   CONSTTEMP   what is between the tokens of a class: nothing, a text, other classes: text,
 *               list, list with separator, one of several, optional
 *   EXVAL       the values of a page
 *
 * An example
 * ----------
 * Pages <h1>Ulysses</h1><ul><li>by Joyce</ul>, <h1>Emma</h1><ul><li>by Austen<li>by Anon</ul>, ...:
 * <h1>, </h1>, <ul>, </ul> occur once on each: the root class, with a text in its first position
 * and occurrences of the class <li>, by, which occurs 1, 2, ... times, in its third. The template
 * is < <h1> * </h1> <ul> {< <li> by * >} </ul> >, the schema <B,{<B>}>. (Two tokens are too few for
 * an LFEQ; real items have more.)
 *
 * Words of the paper in the code: token, dtoken, role, occurrence path, equivalence class, LFEQ,
 * position, PosString; basic type, tuple, set, optional, disjunction.
 *
 * The files
 * ---------
 * exalg_classes.c makes strings of tokens and has DIFFFORM, FINDEQ, HANDINV, DIFFEQ and the loop,
 * exalg_template.c CONSTTEMP, exalg_values.c EXVAL and the template in a wrapper file. Here they
 * are joined to an engine. The engine template looks for the same in the tree of elements, which
 * mends what counting gets wrong.
 *
 * Cost
 * ----
 * Learning: linear in the tokens of all pages in each round of the loop (two or three on most
 * sites, 64 at most) but for HANDINV, see there. Running: linear in the page, a logarithm aside.
 *
 * What the paper leaves open is settled in the heads of the files; thresholds are "at least".
 */

#include <math.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "data/record.h"
#include "engine/one_template.h"
#include "engine/papers/exalg/exalg_steps.h"

struct exalg_rules {
    double floor;            /* pages of which less is explained are of another template */
    uint32_t size_threshold; /* SIZETHRES, while learning */
    th__exalg_template template;
};

static th_status learn_sample(th__page_sample *s, th_schema **schema, th_error *err)
{
    struct exalg_rules *rules = s->rules;
    th__exalg_string *strings = th__mem_zero(s->count + 1, sizeof *strings);
    th__exalg_ecgm e = {0};
    uint32_t count = 0, support = (uint32_t)ceil(s->support * s->count);
    bool ok = strings;
    for (; ok && count < s->count; count++)
        ok = !th__cancelled(s->cancel) &&
             th__exalg_string_read(s->pages[count], true, &strings[count]);
    ok =
        ok &&
        th__exalg_ecgm_init(&e, strings, count, rules->size_threshold, support > 1 ? support : 2) &&
        th__exalg_ecgm_run(&e) && th__exalg_construct(&e, true, s->arena, &rules->template);
    th__exalg_ecgm_release(&e);
    while (strings && count--)
        th__exalg_string_release(&strings[count]);
    th__mem_free(strings);
    th_status status =
        ok ? th__exalg_template_schema(&rules->template, schema, err) : th__fail_memory(err);
    for (uint32_t i = 0; !status && i < s->count; i++) {
        th_records *records = NULL;
        status = th__exalg_template_run(&rules->template, *schema, s->pages[i],
                                        &(th_records_source){0}, 0, &records, err);
        s->explained[i] = status ? 0 : records->explained;
        th_records_free(records);
    }
    if (!status)
        s->fields = (uint32_t)th_type_count(th_schema_root(*schema));
    return status;
}

static th_status learn_corpus(const th_learn_options *options, const th__corpus *corpus,
                              th__arena *arena, th_schema **schema, void **out, th_error *err)
{
    struct exalg_rules *rules = *out = th__arena_zero(arena, 1, sizeof *rules);
    if (!rules)
        return th__fail_memory(err);
    rules->size_threshold = options->paper.size_threshold;
    return th__one_template_learn("exalg", learn_sample, options, corpus, rules, arena,
                                  &rules->floor, schema, err);
}

static th_status run(const void *context, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err)
{
    const struct exalg_rules *rules = context;
    return th__exalg_template_run(&rules->template, schema, page, source, rules->floor, out, err);
}

static void write_rules(const void *context, th__json *json)
{
    const struct exalg_rules *rules = context;
    th__json_begin_object(json);
    th__floor_write(rules->floor, json);
    th__json_key(json, TH_STR("template"));
    th__exalg_template_write(&rules->template, json);
    th__json_end_object(json);
}

static th_status read_rules(th__rule_reader *reader, json_t *json, const th_schema *schema,
                            th__arena *arena, void **out)
{
    json_t *inside = NULL;
    struct exalg_rules *rules = *out = th__arena_zero(arena, 1, sizeof *rules);
    if (!rules)
        return th__fail_memory(reader->err);
    th_status status = th__floor_read(reader, json, &rules->floor);
    if (!status)
        status = th__rule_object(reader, json, "template", true, &inside);
    if (status)
        return status;
    size_t mark = th__rule_enter(reader, "template");
    status = th__exalg_template_read(reader, inside, schema, arena, &rules->template);
    th__rule_leave(reader, mark);
    return status;
}

static void show_template(const void *context, const th_records *const *pages, size_t count,
                          th__buf *out)
{
    const struct exalg_rules *rules = context;
    th__exalg_template_print(&rules->template, pages, count, out);
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
    .show_template = show_template,
};
