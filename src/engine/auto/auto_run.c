/*
 * auto_run.c: a rule of the auto engine on a page.
 *
 * Records stand where the rule says. Where nothing stands there, the page differs in a class
 * further up, or in an element around the list; so it is asked, until something is found, for
 * elements
 *
 *  1. with a path of the rule (or, besides these, with its tags, their own signature and most of
 * the core: the same list goes on elsewhere),
 *  2. with its tags and their own signature,
 *  3. with their own signature anywhere, and most of the core,
 *  4. with its tags, and most of the core.
 *
 * Siblings with most of the core are records too, and elements with next to none of it are not: see
 * auto_records.h.
 */
#include "base/error.h"
#include "engine/auto/auto_cut.h"
#include "engine/auto/auto_rule.h"
#include "wrapper/lists.h"

enum { BY_PATH, BY_TAGS_AND_SIGNATURE, BY_SIGNATURE, BY_TAGS, WAYS };

struct finder {
    const th__auto_rule *rule;
    const th__view *view;
    th__key_map paths, tags, both, signatures; /* place + 1; both: tags and signature */
    th__key_vec keys;
    size_t budget; /* leaves that may still be looked at */
    bool failed;
};

enum { LOOKS = 8 }; /* at each leaf, on average: elements inside each other cannot cost more */

static uint64_t both_of(uint64_t tags, uint32_t signature)
{
    return th__hash_mix(tags, signature);
}

static void put_first(th__key_map *map, uint64_t key, uint32_t place)
{
    if (!th__key_map_get(map, key))
        th__key_map_put(map, key, place + 1);
}

static bool finder_init(struct finder *f, th__arena *arena)
{
    const th__auto_rule *rule = f->rule;
    if (!th__key_map_init(&f->paths, arena, rule->count) ||
        !th__key_map_init(&f->tags, arena, rule->count) ||
        !th__key_map_init(&f->both, arena, rule->count) ||
        !th__key_map_init(&f->signatures, arena, rule->count))
        return false;
    for (uint32_t i = 0; i < rule->count; i++) {
        const th__auto_place *place = &rule->places[i];
        put_first(&f->paths, place->key, i);
        put_first(&f->tags, place->tags, i);
        put_first(&f->both, both_of(place->tags, place->signature), i);
        put_first(&f->signatures, place->signature, i);
    }
    return true;
}

/* Whether an element has most of the core. */
static bool has_core(struct finder *f, uint32_t node)
{
    const th__key_vec *core = &f->rule->fields.core;
    const th_node *n = &f->view->page->nodes[node];
    size_t leaves = f->view->leaves.before[n->token_end] - f->view->leaves.before[n->token];
    if (core->len < 2 || leaves > f->budget)
        return false;
    f->budget -= leaves;
    f->keys.len = 0;
    th__extent record = th__extent_of(f->view->page, node, node);
    if (!th__extent_add_keys(f->view, &record, &f->keys)) {
        f->failed = true;
        return false;
    }
    th__key_vec_sort(&f->keys);
    return 5 * th__key_vec_common(core, &f->keys) >= 3 * core->len;
}

/* The place of the rule that an element stands at, looked for in one way; or 0. */
static uint32_t place_of(struct finder *f, int way, uint32_t node)
{
    const th_page *page = f->view->page;
    uint64_t tags = page->paths[page->nodes[node].path].hash;
    uint32_t signature = f->view->signature[node], place;
    switch (way) {
    case BY_PATH:
        place = th__key_map_get(&f->paths, f->view->sum[node]);
        if (place || f->rule->fields.several)
            return place;
        place = th__key_map_get(&f->both, both_of(tags, signature));
        return place && has_core(f, node) ? place : 0;
    case BY_TAGS_AND_SIGNATURE:
        return th__key_map_get(&f->both, both_of(tags, signature));
    case BY_SIGNATURE:
        place = th__key_map_get(&f->signatures, signature);
        return place && has_core(f, node) ? place : 0;
    default:
        place = th__key_map_get(&f->tags, tags);
        return place && has_core(f, node) ? place : 0;
    }
}

/* ---- records of one element ------------------------------------------------------------------ */

/* Collects the elements that are found in one way. They are not looked into, so that each text is
 * met once. */
static bool collect(struct finder *f, int way, th__auto_nodes *nodes)
{
    const th_page *page = f->view->page;
    f->budget = (size_t)LOOKS * f->view->leaves.count;
    nodes->len = 0;
    for (uint32_t n = 1, next; n < page->node_count; n = next) {
        bool found = place_of(f, way, n);
        if (f->failed || (found && !th__vec_push(nodes, n)))
            return false;
        next = found ? page->nodes[n].end : n + 1;
    }
    return true;
}

/* Elements found by what they hold stand for their paths: others there are records too. */
static bool collect_their_paths(struct finder *f, th__arena *arena, th__auto_nodes *nodes)
{
    if (!th__key_map_init(&f->paths, arena, nodes->len))
        return false;
    for (size_t i = 0; i < nodes->len; i++)
        th__key_map_put(&f->paths, f->view->sum[nodes->data[i]], 1);
    return collect(f, BY_PATH, nodes);
}

static bool find_elements(struct finder *f, th__arena *arena, th__auto_nodes *nodes)
{
    const th__key_vec *core = &f->rule->fields.core;
    for (int way = 0; way < WAYS && !nodes->len; way++)
        if (!collect(f, way, nodes) ||
            (way >= BY_SIGNATURE && nodes->len && !collect_their_paths(f, arena, nodes)))
            return false;
    if (!th__auto_drop_strangers(f->view, core, nodes) ||
        !th__auto_join_siblings(f->view, core, nodes))
        return false;
    th__auto_drop_header_rows(f->view->page, nodes);
    th__auto_drop_inner(f->view->page, nodes);
    return true;
}

/* ---- records of several elements ------------------------------------------------------------- */

/* Whether a run has something of the core, and any text at all. */
static bool is_record(struct finder *f, const th__extent *run)
{
    const th__key_vec *core = &f->rule->fields.core;
    const uint32_t *before = f->view->leaves.before;
    bool text = before[run->token] < before[run->token_end];
    if (!text || core->len < 2)
        return text;
    f->keys.len = 0;
    f->failed |= !th__extent_add_keys(f->view, run, &f->keys);
    th__key_vec_sort(&f->keys);
    return 5 * th__key_vec_common(core, &f->keys) >= core->len;
}

static bool cut_parent(struct finder *f, uint32_t parent, const th__auto_head *head,
                       th__extent_vec *runs)
{
    th__auto_child_vec children = {0}, shapes = {0};
    size_t kept = runs->len;
    bool ok = th__auto_children(f->view, parent, &children) && children.len
                  ? th__auto_count_shapes(&children, &shapes) &&
                        th__auto_cut(f->view, parent, &children, head->shape, head->separator, runs)
                  : !children.len;
    for (size_t i = kept; ok && i < runs->len; i++)
        if (is_record(f, &runs->data[i]))
            runs->data[kept++] = runs->data[i];
    if (ok)
        runs->len = kept;
    th__vec_release(&children);
    th__vec_release(&shapes);
    return ok && !f->failed;
}

static bool find_runs(struct finder *f, th__extent_vec *runs)
{
    const th_page *page = f->view->page;
    for (int way = 0; way <= BY_TAGS_AND_SIGNATURE && !runs->len; way++)
        for (uint32_t n = 1, next; n < page->node_count; n = next) {
            uint32_t place = place_of(f, way, n);
            size_t before = runs->len;
            if (place && !cut_parent(f, n, &f->rule->places[place - 1].head, runs))
                return false;
            next = runs->len > before ? page->nodes[n].end : n + 1;
        }
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

bool th__auto_run_find(const th__auto_rule *rule, const th__view *view, th__auto_nodes *nodes,
                       th__extent **records, uint32_t *count, th__arena *arena)
{
    struct finder f = {.rule = rule, .view = view};
    th__extent_vec runs = {0};
    bool ok = finder_init(&f, arena) &&
              (rule->fields.several ? find_runs(&f, &runs) : find_elements(&f, arena, nodes));
    *count = (uint32_t)(rule->fields.several ? runs.len : nodes->len);
    if (ok) {
        *records = th__arena_alloc(arena, ((size_t)*count + 1) * sizeof **records);
        ok = *records;
    }
    for (uint32_t i = 0; ok && i < *count; i++)
        (*records)[i] = rule->fields.several
                            ? runs.data[i]
                            : th__extent_of(view->page, nodes->data[i], nodes->data[i]);
    th__vec_release(&f.keys);
    th__vec_release(&runs);
    return ok;
}

th_status th__auto_run(const void *rules, const th_schema *schema, const th_page *page,
                       const th_records_source *source, th_records **out, th_error *err)
{
    const th__auto_rule *rule = rules;
    th__arena arena;
    th__view view;
    th__auto_nodes nodes = {0};
    th__item_vec items = {0};
    th__list_items list = {0};
    th__extent *records = NULL;
    uint32_t *first;
    th_status status = TH_OK;
    th__arena_init(&arena);
    if (!th__view_make(&arena, page, &view) ||
        !th__auto_run_find(rule, &view, &nodes, &records, &list.records.count, &arena))
        status = th__fail_memory(err);
    list.records.data = records;
    if (!status && !th__fields_assign(&rule->fields, &view, &list.records, &arena, &items, &first))
        status = th__fail_memory(err);
    if (!status) {
        list = (th__list_items){list.records, items.data, first, rule->fields.rest};
        status = th__list_fill(&view, &list, schema, source, out, err);
    }
    th__vec_release(&nodes);
    th__vec_release(&items);
    th__arena_release(&arena);
    return status;
}
