/* iepad_wrapper.c: IEPAD as an engine of wrappers. */
#include "engine/papers/iepad/iepad_wrapper.h"

#include "base/error.h"
#include "base/mem.h"
#include "engine/papers/iepad/iepad.h"
#include "engine/regions.h"

struct learner {
    uint32_t pick;
    th__iepad_options options;
    th__iepad_rule *rule; /* NULL until a page had a pattern */
    uint64_t home;        /* of its records, see th__iepad_home */
};

/* ---- learning -------------------------------------------------------------------------------- */

static th_status learn_begin(const th_learn_options *options, void **state, th_error *err)
{
    struct learner *l = TH__NEW(struct learner);
    if (!l)
        return th__fail_memory(err);
    l->pick = options->pick;
    *state = l;
    return th__iepad_options_from(&options->paper, &l->options, err);
}

static void learn_free(void *state)
{
    struct learner *l = state;
    th__iepad_rule_free(l->rule);
    th__mem_free(l);
}

/* The rule of the pattern that was asked for, by the ranks that `thresh regions` shows. */
static th_status learn_pattern(struct learner *l, const th_page *page,
                               const th_records_source *source, th_error *err)
{
    th__iepad_result result;
    uint32_t shown = 0;
    th_status status = th__iepad_find(page, &l->options, &result, err);
    if (status)
        return status;
    for (uint32_t i = 0; !status && !l->rule && i < result.count; i++) {
        th__iepad_rule *rule;
        status = th__iepad_learn(page, &result, i, &rule, err);
        if (status == TH_ERR_LIMIT) { /* no list to `thresh regions` either */
            status = TH_OK;
            continue;
        }
        if (status)
            break;
        if (rule->field_count && ++shown == l->pick) {
            l->rule = rule;
            l->home = th__iepad_home(page, &result.patterns[i]);
        } else
            th__iepad_rule_free(rule);
    }
    if (!status && !l->rule && shown)
        status = th__fail(err, TH_ERR_ARGUMENT,
                          "%.*s%shas %u list%s of records, and number %u was asked for: `thresh "
                          "regions --engine iepad` shows them",
                          TH_STR_ARG(source->page), source->page.len ? ": " : "", shown,
                          shown == 1 ? "" : "s", l->pick);
    th__iepad_result_release(&result);
    return status;
}

static th_status learn_page(void *state, const th_page *page, const th_records_source *source,
                            size_t *records, th_error *err)
{
    struct learner *l = state;
    th__iepad_table table = {0};
    if (l->rule)
        return th__iepad_learn_more(page, &l->options, l->home, &l->rule, records, err);
    th_status status = learn_pattern(l, page, source, err);
    *records = 0;
    if (status || !l->rule)
        return status;
    status = th__iepad_run(l->rule, page, &table, err);
    *records = status ? 0 : table.count;
    th__iepad_table_release(&table);
    return status;
}

static th_status learn_end(void *state, th__arena *arena, th_schema **schema, void **rules,
                           th_error *err)
{
    struct learner *l = state;
    *rules = l->rule;
    l->rule = NULL;
    return th__iepad_schema(*rules, schema, err);
}

/* ---- running --------------------------------------------------------------------------------- */

static th_status run(const void *rules, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err)
{
    return th__iepad_extract(rules, schema, page, source, out, err);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void write_rules(const void *rules, th__json *json)
{
    th__iepad_rule_write(rules, json);
}

static th_status read_rules(th__rule_reader *reader, json_t *json, const th_schema *schema,
                            th__arena *arena, void **rules)
{
    th__iepad_rule *rule = NULL;
    bool fits;
    th_status status = th__iepad_rule_read(reader, json, &rule);
    if (status)
        return status;
    *rules = rule;
    if (!th__iepad_schema_fits(rule, schema, &fits))
        return th__fail_memory(reader->err);
    size_t mark = th__rule_enter(reader, "fields");
    if (!fits)
        status = th__rule_fault(reader, "the chosen fields, texts before links and images, must be "
                                        "the members of the schema's records");
    th__rule_leave(reader, mark);
    return status;
}

/* A pattern, and below it those that divide its blocks: as deep as a rule has levels. */
static void explain_division(const th__iepad_rule *rule, const th__iepad_division *division,
                             unsigned level, th__buf *out)
{
    th__buf_printf(out, "%*s", (int)(2 + 2 * level), "");
    th__iepad_pattern_print(&division->pattern, &rule->names, out);
    const char *before = "    ";
    for (uint32_t i = 0; i < division->pattern.len; i++)
        if (division->parts[i].field != TH__IEPAD_NO_FIELD) {
            th__buf_printf(out, "%s%s", before, rule->fields[division->parts[i].field].name);
            before = ", ";
        }
    th__buf_add_byte(out, '\n');
    for (uint32_t i = 0; level + 1 < TH__IEPAD_MAX_LEVELS && i < division->pattern.len; i++)
        if (division->parts[i].below)
            explain_division(rule, division->parts[i].below, level + 1, out);
}

static void explain(const void *rules, th__buf *out)
{
    const th__iepad_rule *rule = rules;
    th__buf_printf(out, "records: what matches, with the fields of each pattern\n");
    for (uint32_t i = 0; i < rule->record_count; i++)
        explain_division(rule, rule->records[i], 0, out);
}

static bool rename_fields(void *rules, th__rename_fn rename, void *context)
{
    th__iepad_rule *rule = rules;
    for (uint32_t i = 0; i < rule->field_count; i++) {
        th_str to = rename(context, (th_str){0}, th_str_from(rule->fields[i].name));
        char *copy = to.len ? th__mem_copy(to.ptr, to.len) : NULL;
        if (!to.len)
            continue;
        if (!copy)
            return false;
        th__mem_free(rule->fields[i].name);
        rule->fields[i].name = copy;
    }
    return true;
}

static void release(void *rules)
{
    th__iepad_rule_free(rules);
}

const th__engine th__iepad_engine = {
    .name = "iepad",
    .published = true,
    .regions = th__iepad_regions,
    .confidence = {0.8, 1.1, 0.005},
    .learn_begin = learn_begin,
    .learn_page = learn_page,
    .learn_end = learn_end,
    .learn_free = learn_free,
    .run = run,
    .write = write_rules,
    .read = read_rules,
    .explain = explain,
    .rename = rename_fields,
    .release = release,
};
