/*
 * mdr_run.c: runs a rule on a page, without searching.
 *
 * 1. Parents: the nodes with the rule's tag path, or, when none of them has a record, nodes with
 *    the parent's tag that share its id or class wherever they are.
 * 2. Generalized nodes of a parent, from left to right: as many children as the rule's combination
 *    has nodes, with their tags and classes, and a tag string within the threshold of a prototype.
 * 3. The parent whose attributes agree best, and among those the one with the most generalized
 *    nodes, has the records.
 *
 * Cost: each child of a parent is compared with at most TH__MDR_RULE_MAX_PROTOTYPES strings of at
 * most TH__MDR_RULE_MAX_STRING tags: linear in the page.
 */
#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "engine/papers/mdr/mdr_compare.h"
#include "engine/papers/mdr/mdr_judge.h"
#include "engine/papers/mdr/mdr_rule.h"

typedef struct runner {
    const th__mdr_rule *rule;
    const th_page *page;
    th__mdr_options options;
    th__mdr_tree tree;
    th__mdr_compare compare;
    th__arena scratch;
    TH__VEC(th__mdr_range) ranges; /* of the records, nodes of the tree */
    TH__VEC(uint32_t) counts;      /* by record: its ranges */
    TH__VEC(uint16_t) pieces;
} runner;

static bool within(runner *r, th__symbols a, th__symbols b, bool named)
{
    double threshold = named ? r->rule->class_threshold : r->rule->threshold;
    uint32_t bound = th__edit_bound(a.len, b.len, threshold);
    if ((a.len > b.len ? a.len - b.len : b.len - a.len) > bound)
        return false;
    uint32_t distance = th__edit_distance(&r->compare.edit, a, b, bound);
    r->compare.no_memory = r->compare.no_memory || distance == TH__EDIT_NO_MEMORY;
    return distance <= bound;
}

static bool matches(runner *r, th__symbols string, const th__mdr_string *prototypes, uint32_t count,
                    bool named)
{
    if (string.len > 4 * TH__MDR_RULE_MAX_STRING)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (within(r, th__symbols16(prototypes[i].tags, prototypes[i].len), string, named))
            return true;
    return false;
}

/* Whether a generalized node starts at a child; `parent_end` is one past the parent's subtree. */
static bool is_node(runner *r, const th__mdr_rule_part *part, uint32_t child, uint32_t parent_end)
{
    uint32_t node = child;
    bool named = false;
    for (uint32_t i = 0; i < part->node_count; i++, node = r->tree.end[node]) {
        const th__mdr_rule_node *want = &part->nodes[i];
        if (node >= parent_end || (want->tag_id && want->tag_id != r->tree.tags[node]) ||
            (r->rule->table_tags && !th__mdr_is_table_tag(r->tree.tags[node])))
            return false;
        if (!want->classes.len)
            continue;
        th__mdr_classes wanted = th__mdr_words(want->classes);
        th__mdr_classes there = th__mdr_classes_of(r->page, r->tree.node[node]);
        if (th__mdr_classes_shared(&wanted, &there) < wanted.count)
            return false;
        named = true;
    }
    return matches(r, th__symbols16(r->tree.tags + child, node - child), part->prototypes,
                   part->prototype_count, named);
}

/* ---- records ---- */

static bool add_piece(runner *r, uint32_t first, uint32_t end)
{
    return th__vec_push(&r->ranges, (th__mdr_range){first, end});
}

static bool add_record(runner *r, uint32_t first, uint32_t end)
{
    return add_piece(r, first, end) && th__vec_push(&r->counts, 1);
}

/* The children of a node: all of them, or those that match a record. */
static bool add_children(runner *r, const th__mdr_rule_part *part, uint32_t node, bool all)
{
    const th__mdr_tree *tree = &r->tree;
    for (uint32_t child = node + 1; child < tree->end[node]; child = tree->end[child]) {
        th__symbols string = th__symbols16(tree->tags + child, tree->end[child] - child);
        if ((all || matches(r, string, part->records, part->record_count, false)) &&
            !add_record(r, child, tree->end[child]))
            return false;
    }
    return true;
}

/* The k-th children of the nodes from `first` on. */
static bool add_columns(runner *r, const th__mdr_rule_part *part, uint32_t first, uint32_t after,
                        bool all)
{
    const th__mdr_tree *tree = &r->tree;
    uint32_t nodes[TH__MDR_MAX_COMBINATION], columns = UINT32_MAX, count = part->node_count;
    for (uint32_t i = 0, node = first; i < count; i++, node = tree->end[node]) {
        if (node >= after)
            return true;
        nodes[i] = node + 1;
        columns = tree->kids[node] < columns ? tree->kids[node] : columns;
    }
    for (uint32_t k = 0; k < columns; k++) {
        r->pieces.len = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t len = tree->end[nodes[i]] - nodes[i];
            if (!th__vec_reserve(&r->pieces, len))
                return false;
            memcpy(r->pieces.data + r->pieces.len, tree->tags + nodes[i],
                   len * sizeof *r->pieces.data);
            r->pieces.len += len;
        }
        th__symbols string = th__symbols16(r->pieces.data, (uint32_t)r->pieces.len);
        bool take = all || matches(r, string, part->records, part->record_count, false);
        for (uint32_t i = 0; i < count; i++) {
            if (take && !add_piece(r, nodes[i], tree->end[nodes[i]]))
                return false;
            nodes[i] = tree->end[nodes[i]];
        }
        if (take && !th__vec_push(&r->counts, count))
            return false;
    }
    return true;
}

/* What is no generalized node may still hold records (section 3.4). */
static bool add_orphans(runner *r, const th__mdr_rule_part *part, uint32_t child, uint32_t end)
{
    th__mdr_cut cut = r->rule->cut;
    if (cut == TH__MDR_MIXED)
        cut = part->node_count == 1 ? TH__MDR_CHILDREN : TH__MDR_COLUMNS;
    if (cut == TH__MDR_CHILDREN)
        return add_children(r, part, child, false);
    if (cut == TH__MDR_COLUMNS)
        return add_columns(r, part, child, end, false);
    return true;
}

static uint32_t after_node(const runner *r, const th__mdr_rule_part *part, uint32_t child)
{
    for (uint32_t i = 0; i < part->node_count; i++)
        child = r->tree.end[child];
    return child;
}

/* The records of a generalized node. */
static bool add_node(runner *r, const th__mdr_rule_part *part, uint32_t first, uint32_t after)
{
    th__mdr_cut cut = r->rule->cut;
    bool plain;
    if (cut == TH__MDR_MIXED)
        cut = th__mdr_judge(&r->compare, first, part->node_count, &plain);
    if (cut == TH__MDR_CHILDREN)
        return add_children(r, part, first, true);
    if (cut == TH__MDR_COLUMNS)
        return add_columns(r, part, first, after, true);
    return add_record(r, first, after);
}

/* The records below one parent. */
static bool add_records(runner *r, const th__mdr_rule_part *part, uint32_t parent)
{
    uint32_t end = r->tree.end[parent];
    for (uint32_t child = parent + 1; child < end;) {
        size_t before = r->counts.len;
        bool whole = is_node(r, part, child, end);
        uint32_t after = whole ? after_node(r, part, child) : r->tree.end[child];
        if (!(whole ? add_node(r, part, child, after) : add_orphans(r, part, child, end)))
            return false;
        if (!whole && r->counts.len > before && part->node_count > 1)
            after = after_node(r, part, child);
        child = after;
    }
    return true;
}

/* The generalized nodes of a further part, from a child on: the next piece of each record. */
static void list_pieces(runner *r, const th__mdr_rule_part *part, uint32_t child, uint32_t end,
                        th__mdr_range *out, uint32_t stride, uint32_t count)
{
    uint32_t found = 0;
    while (child < end && found < count) {
        bool whole = is_node(r, part, child, end);
        uint32_t after = whole ? after_node(r, part, child) : r->tree.end[child];
        if (whole)
            out[(size_t)stride * found++] = (th__mdr_range){child, after};
        else if (found)
            break; /* pieces are contiguous */
        child = after;
    }
}

/*
 * Adjacent regions: the first part tells how many records there are; each further part is below the
 * same parent, behind the part before it, or below the parent's next sibling, if its tag says so.
 */
static bool zip_parts(runner *r, uint32_t parent)
{
    const th__mdr_tree *tree = &r->tree;
    const th__mdr_rule *rule = r->rule;
    uint32_t count = (uint32_t)r->counts.len, parts = rule->part_count;
    th__mdr_range *zipped = th__arena_zero(&r->scratch, (size_t)count * parts, sizeof *zipped);
    if (!zipped)
        return false;
    for (uint32_t k = 0; k < count; k++)
        zipped[(size_t)k * parts] = r->ranges.data[k];
    uint32_t from = r->ranges.data[count - 1].end;
    for (uint32_t p = 1; p < parts; p++) {
        if (from >= tree->end[parent]) { /* nothing is left below this parent */
            uint32_t next = tree->end[parent];
            if (next >= tree->count || tree->parent[next] != tree->parent[parent])
                break;
            parent = next;
            from = parent + 1;
        }
        list_pieces(r, &rule->parts[p], from, tree->end[parent], zipped + p, parts, count);
        for (uint32_t k = 0; k < count; k++)
            from =
                zipped[(size_t)k * parts + p].end > from ? zipped[(size_t)k * parts + p].end : from;
    }
    r->ranges.len = r->counts.len = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t pieces = 0;
        for (uint32_t p = 0; p < parts; p++) {
            th__mdr_range piece = zipped[(size_t)k * parts + p];
            if (piece.end && !th__vec_push(&r->ranges, piece))
                return false;
            pieces += piece.end != 0;
        }
        if (!th__vec_push(&r->counts, pieces))
            return false;
    }
    return true;
}

/* ---- parents ---- */

static bool has_path(const th_page *page, const th__mdr_string *path, uint32_t id)
{
    if (page->paths[id].depth != path->len)
        return false;
    for (uint32_t i = path->len; i-- > 0; id = page->paths[id].parent)
        if (page->paths[id].tag != path->tags[i])
            return false;
    return true;
}

/* How well a node's attributes agree with the parent's: id counts more than class. */
static int agreement(const runner *r, const th__mdr_rule_part *part, uint32_t node)
{
    th_str id = {0};
    if (!node)
        return 0;
    th_attr_get(r->page, r->page->nodes[node].token, "id", &id);
    th__mdr_classes wanted = th__mdr_words(part->classes);
    th__mdr_classes there = th__mdr_classes_of(r->page, node);
    bool classes = wanted.count || there.count ? th__mdr_classes_alike(&wanted, &there) : false;
    return (part->id.len && th__str_eq(part->id, id) ? 2 : 0) + classes;
}

static uint32_t count_nodes(runner *r, const th__mdr_rule_part *part, uint32_t parent)
{
    uint32_t count = 0, end = r->tree.end[parent];
    for (uint32_t child = parent + 1; child < end;) {
        bool whole = is_node(r, part, child, end);
        count += whole;
        child = whole ? after_node(r, part, child) : r->tree.end[child];
    }
    return count;
}

typedef struct choice {
    uint32_t parent, count;
    int agreement;
} choice;

static void consider(runner *r, uint32_t node, int agrees, choice *best)
{
    if (best->count && agrees < best->agreement)
        return;
    uint32_t count = count_nodes(r, &r->rule->parts[0], node);
    if (count && (agrees > best->agreement || !best->count || count > best->count))
        *best = (choice){node, count, agrees};
}

static bool find_parent(runner *r, choice *best)
{
    const th__mdr_rule_part *part = &r->rule->parts[0];
    const th_page *page = r->page;
    bool *paths = th__arena_zero(&r->scratch, page->path_count, sizeof *paths);
    if (!paths)
        return false;
    for (uint32_t i = 0; i < page->path_count; i++)
        paths[i] = has_path(page, &part->path, i);
    for (uint32_t n = 0; n < r->tree.count; n++)
        if (paths[page->nodes[r->tree.node[n]].path])
            consider(r, n, agreement(r, part, r->tree.node[n]), best);
    uint16_t tag = part->path.len ? part->path.tags[part->path.len - 1] : 0;
    bool elsewhere = !best->count;
    for (uint32_t n = 1; elsewhere && n < r->tree.count; n++)
        if (r->tree.tags[n] == tag) {
            int agrees = agreement(r, part, r->tree.node[n]);
            if (agrees)
                consider(r, n, agrees, best);
        }
    return true;
}

/* ---- the answer ---- */

static bool fill(const runner *r, uint32_t parent, th__mdr_found *found)
{
    th__mdr_range *ranges = th__arena_alloc(&found->arena, r->ranges.len * sizeof *ranges);
    th__mdr_record *records = th__arena_alloc(&found->arena, r->counts.len * sizeof *records);
    if (!ranges || !records)
        return false;
    for (size_t i = 0; i < r->ranges.len; i++) {
        uint32_t last = r->ranges.data[i].first;
        for (uint32_t n = last; n < r->ranges.data[i].end; n = r->tree.end[n])
            last = n;
        ranges[i] = (th__mdr_range){r->tree.node[r->ranges.data[i].first],
                                    r->page->nodes[r->tree.node[last]].end};
    }
    for (size_t i = 0; i < r->counts.len; i++) {
        records[i] = (th__mdr_record){ranges, r->counts.data[i], false};
        ranges += r->counts.data[i];
    }
    found->records = records;
    found->record_count = (uint32_t)r->counts.len;
    found->parent = r->tree.node[parent];
    return true;
}

static bool run(runner *r, th__mdr_found *found)
{
    r->options.threshold = r->rule->threshold;
    r->options.class_threshold = r->rule->class_threshold;
    r->options.every_tag = !r->rule->table_tags;
    if (!th__mdr_tree_build(&r->tree, r->page, &r->scratch) ||
        !th__mdr_compare_init(&r->compare, &r->tree, &r->options, &r->scratch))
        return false;
    choice best = {0};
    if (!find_parent(r, &best) || r->compare.no_memory)
        return false;
    if (!best.count)
        return true;
    if (!add_records(r, &r->rule->parts[0], best.parent))
        return false;
    if (r->rule->part_count > 1 && r->counts.len && !zip_parts(r, best.parent))
        return false;
    return !r->compare.no_memory && fill(r, best.parent, found);
}

th_status th__mdr_run(const th__mdr_rule *rule, const th_page *page, th__mdr_found **out,
                      th_error *err)
{
    *out = NULL;
    th__mdr_found *found = TH__NEW(th__mdr_found);
    if (!found)
        return th__fail_memory(err);
    th__arena_init(&found->arena);
    runner r = {.rule = rule, .page = page};
    th__mdr_options_paper(&r.options);
    th__arena_init(&r.scratch);
    bool ok = run(&r, found);
    th__mdr_compare_release(&r.compare);
    th__vec_release(&r.ranges);
    th__vec_release(&r.counts);
    th__vec_release(&r.pieces);
    th__arena_release(&r.scratch);
    if (!ok) {
        th__mdr_found_free(found);
        return th__fail_memory(err);
    }
    *out = found;
    return TH_OK;
}

void th__mdr_found_free(th__mdr_found *found)
{
    if (!found)
        return;
    th__arena_release(&found->arena);
    th__mem_free(found);
}
