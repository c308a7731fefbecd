/* mdr_wrapper.c: MDR as an engine of wrappers. */
#include "engine/papers/mdr/mdr_wrapper.h"

#include "base/error.h"
#include "base/mem.h"
#include "engine/papers/mdr/mdr_learn.h"
#include "engine/papers/mdr/mdr_lists.h"
#include "engine/regions.h"
#include "wrapper/fields_learn.h"

struct learner {
    uint32_t pick;
    th__mdr_options options;
    th__mdr_rule *region; /* NULL until a page had one */
    th__fields_learner fields;
};

struct rules {
    th__mdr_rule *region;
    th__fields fields;
};

/* ---- learning -------------------------------------------------------------------------------- */

static th_status learn_begin(const th_learn_options *options, void **state, th_error *err)
{
    struct learner *l = TH__NEW(struct learner);
    if (!l)
        return th__fail_memory(err);
    l->pick = options->pick;
    th__mdr_options_from(&options->paper, &l->options);
    th__fields_learner_init(&l->fields);
    l->fields.whole_lines = options->whole_lines;
    *state = l;
    return TH_OK;
}

static void learn_free(void *state)
{
    struct learner *l = state;
    th__mdr_rule_free(l->region);
    th__fields_learner_release(&l->fields);
    th__mem_free(l);
}

static th_status learn_fields(struct learner *l, const th__view *view, const th__extents *list,
                              size_t *records, th_error *err)
{
    th__key_vec core = {0}; /* the region's rule finds the records */
    if (!list->count)
        return TH_OK;
    *records = list->count;
    return th__fields_learn(&l->fields, view, list, &core) ? TH_OK : th__fail_memory(err);
}

/* The region that was asked for, by the ranks that `thresh regions` shows. */
static th_status learn_region(struct learner *l, const th__view *view,
                              const th_records_source *source, size_t *records, th_error *err)
{
    const th_page *page = view->page;
    th__mdr_result *result;
    th__extents list = {0};
    th_status status = th__mdr_find(page, &l->options, &result, err);
    if (status)
        return status;
    const th__mdr_ranked *ranked = th__mdr_rank(page, result);
    uint32_t at = 0, shown = 0;
    bool ok = ranked;
    for (; ok && (ok = th__mdr_next(view, result, ranked, &at, &list)); at++)
        if (at == result->region_count || ++shown == l->pick)
            break;
    if (!ok)
        status = th__fail_memory(err);
    else if (shown && shown < l->pick)
        status = th__fail(err, TH_ERR_ARGUMENT,
                          "%.*s%shas %u list%s of records, and number %u was asked for: `thresh "
                          "regions --engine mdr` shows them",
                          TH_STR_ARG(source->page), source->page.len ? ": " : "", shown,
                          shown == 1 ? "" : "s", l->pick);
    else if (shown)
        status =
            th__mdr_learn(page, &result->regions[ranked[at].region], &l->options, &l->region, err);
    if (!status && shown) {
        l->fields.several = list.data[0].run;
        status = learn_fields(l, view, &list, records, err);
    }
    th__mdr_result_free(result);
    return status;
}

/* Further pages: what the rule finds there adds its fields. */
static th_status learn_more(struct learner *l, const th__view *view, th__arena *arena,
                            size_t *records, th_error *err)
{
    th__mdr_found *found;
    th__extents list;
    th_status status = th__mdr_run(l->region, view->page, &found, err);
    if (status)
        return status;
    if (th__mdr_extents(arena, view->page, found->records, found->record_count, l->fields.several,
                        &list))
        status = learn_fields(l, view, &list, records, err);
    else
        status = th__fail_memory(err);
    th__mdr_found_free(found);
    return status;
}

static th_status learn_page(void *state, const th_page *page, const th_records_source *source,
                            size_t *records, th_error *err)
{
    struct learner *l = state;
    th__arena arena;
    th__view view;
    *records = 0;
    th__arena_init(&arena);
    th_status status;
    if (!th__view_make(&arena, page, &view))
        status = th__fail_memory(err);
    else if (l->region)
        status = learn_more(l, &view, &arena, records, err);
    else
        status = learn_region(l, &view, source, records, err);
    th__arena_release(&arena);
    return status;
}

static th_status learn_end(void *state, th__arena *arena, th_schema **schema, void **out,
                           th_error *err)
{
    struct learner *l = state;
    struct rules *rules = th__arena_zero(arena, 1, sizeof *rules);
    if (!rules)
        return th__fail_memory(err);
    rules->region = l->region;
    l->region = NULL;
    *out = rules;
    return th__fields_learnt(&l->fields, arena, &rules->fields, schema, err);
}

/* ---- running --------------------------------------------------------------------------------- */

static th_status run(const void *context, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err)
{
    const struct rules *rules = context;
    th__mdr_found *found;
    th__arena arena;
    th__view view;
    th__item_vec items = {0};
    th__list_items list = {.rest = rules->fields.rest};
    uint32_t *first;
    th_status status = th__mdr_run(rules->region, page, &found, err);
    if (status)
        return status;
    th__arena_init(&arena);
    if (!th__view_make(&arena, page, &view) ||
        !th__mdr_extents(&arena, page, found->records, found->record_count, rules->fields.several,
                         &list.records) ||
        !th__fields_assign(&rules->fields, &view, &list.records, &arena, &items, &first))
        status = th__fail_memory(err);
    th__list_item *taken = status ? NULL : th__list_items_of(items.data, items.len);
    if (!status && !taken)
        status = th__fail_memory(err);
    th__vec_release(&items);
    if (!status) {
        list.items = taken;
        list.first = first;
        status = th__list_fill(&view, &list, schema, source, out, err);
    }
    th__mem_free(taken);
    th__arena_release(&arena);
    th__mdr_found_free(found);
    return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

static th_status read_region(th__rule_reader *reader, json_t *json, void *object)
{
    json_t *region;
    th_status status = th__rule_object(reader, json, "region", true, &region);
    size_t mark = th__rule_enter(reader, "region");
    if (!status)
        status = th__mdr_rule_read(reader, region, &((struct rules *)object)->region);
    th__rule_leave(reader, mark);
    return status;
}

static void write_region(const void *root, const void *object, th__json *json)
{
    th__json_key(json, TH_STR("region"));
    th__mdr_rule_write(((const struct rules *)object)->region, json);
}

static const th__rule_member rules_members[] = {
    {TH__FLAG("several", struct rules, fields.several), .flags = TH__ALWAYS},
    {TH__OWN("region", read_region, write_region)},
    {TH__INLINE(struct rules, fields, th__fields_shape)},
};
static const th__rule_shape rules_shape = TH__SHAPE(struct rules, rules_members);

static void write_rules(const void *rules, th__json *json)
{
    th__rule_table_write(&rules_shape, rules, json);
}

static th_status read_rules(th__rule_reader *reader, json_t *json, const th_schema *schema,
                            th__arena *arena, void **out)
{
    return th__rule_table_read(reader, json, &rules_shape, out);
}

static th__fields *fields_of(void *rules)
{
    return &((struct rules *)rules)->fields;
}

static void explain(const void *context, th__buf *out)
{
    const struct rules *rules = context;
    th__mdr_rule_print(rules->region, out);
    th__buf_printf(out, "fields\n");
    th__fields_explain(&rules->fields, out);
}

static void release(void *context)
{
    struct rules *rules = context;
    th__mdr_rule_free(rules->region);
}

const th__engine th__mdr_engine = {
    .name = "mdr",
    .published = true,
    .regions = th__mdr_regions,
    .confidence = {-0.85, 1.6, 800},
    .learn_begin = learn_begin,
    .learn_page = learn_page,
    .learn_end = learn_end,
    .learn_free = learn_free,
    .run = run,
    .write = write_rules,
    .read = read_rules,
    .explain = explain,
    .fields = fields_of,
    .release = release,
};
