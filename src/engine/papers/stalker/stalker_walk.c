/* stalker_walk.c: going down the rules over a page, field by field. */
#include "engine/papers/stalker/stalker_walk.h"

#include "base/error.h"
#include "base/vec.h"

static void walk_node(th__stalker_walk *walk, const th__stalker_node *node, const th_type *type,
                      const th__extent_vec *extents);

static void walk_named(th__stalker_walk *walk, const th__stalker_node *child, const th_type *type,
                       const th__extent_vec *extents)
{
    size_t mark = walk->name.len;
    th_str name = th_type_name(type);
    if (name.len)
        th__buf_printf(&walk->name, "%s%.*s", mark ? "." : "", TH_STR_ARG(name));
    walk_node(walk, child, type, extents);
    walk->name.len = mark;
}

static void walk_list(th__stalker_walk *walk, const th__stalker_node *node, const th_type *type,
                      const th__extent_vec *extents)
{
    const th_type *item = th_type_child(type, 0);
    const th__stalker_list *list = node->list;
    th__extent_vec items = {0};
    for (uint32_t i = 0; i < list->part_count; i++)
        walk_list(walk, &list->parts[i], type, extents);
    if (list->kind == TH__LIST_PARTS)
        return;
    if (list->kind == TH__LIST_SINGLE) {
        walk->single = true;
        walk_node(walk, &node->children[0], item, extents);
        walk->single = false;
        return;
    }
    for (size_t i = 0; i < extents->len && !walk->failed; i++) {
        size_t from = items.len;
        walk->failed |= !th__stalker_items(list, &walk->page, &extents->data[i], &items);
        if (walk->on_items && !walk->failed)
            walk->on_items(walk->context, list, &extents->data[i], &items, from);
    }
    walk_named(walk, &node->children[0], item, &items);
    th__vec_release(&items);
}

/* A member is sought in its part of the tuple's extents. */
static void walk_member(th__stalker_walk *walk, const th__stalker_node *tuple, uint32_t i,
                        const th_type *type, const th__extent_vec *extents)
{
    const th__stalker_node *member = &tuple->children[i];
    th__extent_vec own = {0};
    for (size_t e = 0; e < extents->len && !walk->failed; e++)
        walk->failed |= !th__vec_push(
            &own, th__stalker_member_extent(tuple, member, &walk->page, &extents->data[e]));
    walk_named(walk, member, type, &own);
    th__vec_release(&own);
}

/* As deep as the schema, which has a limit. */
static void walk_node(th__stalker_walk *walk, const th__stalker_node *node, const th_type *type,
                      const th__extent_vec *extents)
{
    while (th_type_get_kind(type) == TH_TYPE_OPTIONAL)
        type = th_type_child(type, 0);
    if (walk->failed)
        return;
    if (node->field)
        walk->on_field(walk->context, node->field, extents);
    else if (node->list)
        walk_list(walk, node, type, extents);
    else
        for (uint32_t i = 0; i < node->count; i++)
            walk_member(walk, node, i, th_type_child(type, i), extents);
}

th_status th__stalker_walk_run(th__stalker_walk *walk, const th__stalker_rules *rules,
                               const th_schema *schema, const th_page *page, th_error *err)
{
    th__stalker_extent whole = th__stalker_whole(page);
    th__extent_vec extents = {&whole, 1, 1};
    th__arena_init(&walk->arena);
    walk->page =
        (th__stalker_page){.page = page, .arena = &walk->arena, .unparted = rules->unparted};
    walk_node(walk, &rules->root, th_schema_root(schema), &extents);
    if (walk->on_end && !walk->failed)
        walk->on_end(walk->context, rules);
    bool failed = walk->failed || walk->page.failed || walk->name.failed;
    th__buf_release(&walk->name);
    th__arena_release(&walk->arena);
    return failed ? th__fail_memory(err) : TH_OK;
}
