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
#include "engine/lists/auto_grid.h"
#include "engine/lists/auto_rule.h"
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

/* NULL where no rule names parts: also while learning, when there are no rules yet. */
static const th__key_map *core_parts(const struct finder *f)
{
    return f->rule->fields.cuts ? &f->rule->fields.core_parts : NULL;
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
    if (!th__extent_add_keys(f->view, &record, &f->keys) ||
        !th__auto_add_wholes(core, core_parts(f), &f->keys)) {
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
        if (place || f->rule->fields.several || f->rule->parts)
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

/* Keeps the nodes of the parent that has the most of them. */
static void keep_together(const th_page *page, th__auto_nodes *nodes)
{
    size_t best = 0, most = 0, kept = 0;
    for (size_t i = 0, end; i < nodes->len; i = end) {
        uint32_t parent = page->nodes[nodes->data[i]].parent;
        for (end = i + 1; end < nodes->len && page->nodes[nodes->data[end]].parent == parent;)
            end++;
        if (end - i > most) {
            best = i;
            most = end - i;
        }
    }
    for (; kept < most; kept++)
        nodes->data[kept] = nodes->data[best + kept];
    nodes->len = kept;
}

static bool find_elements(struct finder *f, th__arena *arena, th__auto_nodes *nodes)
{
    const th__key_vec *core = &f->rule->fields.core;
    for (int way = 0; way < WAYS && !nodes->len; way++)
        if (!collect(f, way, nodes) ||
            (way >= BY_SIGNATURE && nodes->len && !collect_their_paths(f, arena, nodes)))
            return false;
    const th__key_map *parts = core_parts(f);
    if (!th__auto_drop_strangers(f->view, core, parts, 1, nodes) ||
        !th__auto_join_siblings(f->view, core, parts, nodes))
        return false;
    th__auto_drop_header_rows(f->view, nodes);
    th__auto_drop_inner(f->view->page, nodes);
    if (f->rule->together)
        keep_together(f->view->page, nodes);
    return true;
}

/* ---- records of several elements ------------------------------------------------------------- */

/* Whether a record has something of the core, and any text at all. */
static bool is_record(struct finder *f, const th__extents *record)
{
    const th__key_vec *core = &f->rule->fields.core;
    uint32_t end = th__extents_first(record, 1);
    f->keys.len = 0;
    for (uint32_t i = 0; i < end; i++)
        f->failed |= !th__extent_add_keys(f->view, &record->data[i], &f->keys);
    f->failed |= !th__auto_add_wholes(core, core_parts(f), &f->keys);
    if (!f->keys.len || core->len < 2)
        return f->keys.len;
    th__key_vec_sort(&f->keys);
    return 5 * th__key_vec_common(core, &f->keys) >= core->len;
}

static bool cut_parent(struct finder *f, uint32_t parent, const th__auto_head *head,
                       th__extent_vec *runs)
{
    th__auto_child_vec children = {0}, shapes = {0};
    size_t kept = runs->len;
    bool ok = th__auto_children(f->view, parent, head->fine, &children) && children.len
                  ? th__auto_count_shapes(&children, &shapes) &&
                        th__auto_cut(f->view, parent, &children, head->shape, head->separator, runs)
                  : !children.len;
    for (size_t i = kept; ok && i < runs->len; i++)
        if (is_record(f, &(th__extents){runs->data + i, NULL, 1}))
            runs->data[kept++] = runs->data[i];
    if (ok)
        runs->len = kept;
    th__vec_release(&children);
    th__vec_release(&shapes);
    return ok && !f->failed;
}

/* Keeps the records of a grid that have something of the core. */
static bool cut_grid(struct finder *f, uint32_t parent, th__extent_vec *runs)
{
    uint32_t parts = f->rule->parts;
    size_t kept = runs->len;
    bool ok = th__auto_grid_cut(f->view, parent, parts, runs);
    for (size_t i = kept; ok && i < runs->len; i += parts) {
        const th__extents record = {runs->data + i, (uint32_t[]){0, parts}, 1};
        if (!is_record(f, &record))
            continue;
        for (uint32_t p = 0; p < parts; p++)
            runs->data[kept++] = runs->data[i + p];
    }
    if (ok)
        runs->len = kept;
    return ok && !f->failed;
}

static bool cut_place(struct finder *f, uint32_t parent, uint32_t place, th__extent_vec *runs)
{
    if (f->rule->parts)
        return cut_grid(f, parent, runs);
    return cut_parent(f, parent, &f->rule->places[place].head, runs);
}

/* Records that stand in an element which the rule names: runs, or those of a grid. */
static bool find_runs(struct finder *f, th__extent_vec *runs)
{
    const th_page *page = f->view->page;
    for (int way = 0; way <= BY_TAGS_AND_SIGNATURE && !runs->len; way++)
        for (uint32_t n = 1, next; n < page->node_count; n = next) {
            uint32_t place = place_of(f, way, n);
            size_t before = runs->len;
            if (place && !cut_place(f, n, place - 1, runs))
                return false;
            next = runs->len > before ? page->nodes[n].end : n + 1;
        }
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Copies what was found into the arena. */
static bool copy_found(th__arena *arena, const th__extent_vec *found, uint32_t parts,
                       th__extents *out)
{
    th__extent *data = th__arena_alloc(arena, (found->len + 1) * sizeof *data);
    uint32_t *first = NULL, count = (uint32_t)(parts ? found->len / parts : found->len);
    if (parts)
        first = th__arena_alloc(arena, ((size_t)count + 1) * sizeof *first);
    if (!data || (parts && !first))
        return false;
    for (size_t i = 0; i < found->len; i++)
        data[i] = found->data[i];
    for (uint32_t i = 0; first && i <= count; i++)
        first[i] = i * parts;
    *out = (th__extents){data, first, count};
    return true;
}

bool th__auto_run_find(const th__auto_rule *rule, const th__view *view, th__arena *arena,
                       th__extents *out)
{
    struct finder f = {.rule = rule, .view = view};
    th__extent_vec found = {0};
    th__auto_nodes nodes = {0};
    bool single = !rule->fields.several && !rule->parts;
    bool ok = finder_init(&f, arena) &&
              (single ? find_elements(&f, arena, &nodes) : find_runs(&f, &found));
    for (size_t i = 0; ok && i < nodes.len; i++)
        ok = th__vec_push(&found, th__extent_of(view->page, nodes.data[i], nodes.data[i]));
    ok = ok && copy_found(arena, &found, rule->parts, out);
    th__vec_release(&f.keys);
    th__vec_release(&found);
    th__vec_release(&nodes);
    return ok;
}

th_status th__auto_run_known(const void *rules, const th__known_fields *known,
                             const th_schema *schema, const th_page *page,
                             const th_records_source *source, th_records **out, th_error *err)
{
    const th__auto_rule *rule = rules;
    th__arena arena, seen; /* `seen` is the view's */
    th__view view;
    th__item_vec items = {0};
    th__list_items list = {0};
    uint32_t *first;
    th_status status = TH_OK;
    th__arena_init(&arena);
    th__arena_init(&seen);
    if (!th__view_make(&seen, page, &view) ||
        !th__auto_run_find(rule, &view, &arena, &list.records))
        status = th__fail_memory(err);
    if (!status &&
        (!th__fields_assign(&rule->fields, &view, &list.records, &arena, &items, &first) ||
         !th__fields_adapt(&rule->fields, known, &view, &list.records, &arena, &items, first)))
        status = th__fail_memory(err);
    th__arena_release(&seen); /* to read items needs no more than the page */
    view = (th__view){.page = page};
    th__list_item *taken = status ? NULL : th__list_items_of(items.data, items.len);
    if (!status && !taken)
        status = th__fail_memory(err);
    th__vec_release(&items); /* before records are made: both are large */
    if (!status) {
        list = (th__list_items){list.records, taken, first, rule->fields.rest};
        status = th__list_fill(&view, &list, schema, source, out, err);
    }
    th__mem_free(taken);
    th__arena_release(&arena);
    return status;
}

th_status th__auto_run(const void *rules, const th_schema *schema, const th_page *page,
                       const th_records_source *source, th_records **out, th_error *err)
{
    return th__auto_run_known(rules, NULL, schema, page, source, out, err);
}
