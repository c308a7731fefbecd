/*
 * auto_runs.c: records of several neighbouring elements.
 *
 *     <dt>Walden <dd>Thoreau <dd>$7.50 <dt>Emma <dd>Austen <dd>$6.00
 *
 * Where the children of an element are of different shapes and one shape comes again and again, it
 * may be the head of records (auto_cut.h cuts them). What a run is worth is left to the scoring of
 * groups, where the right head gives the table that tells most.
 *
 * Cost: for each element, its children times HEADS.
 */
#include "engine/lists/auto_runs.h"

#include "engine/lists/auto_cut.h"
#include "page/tags.h"
#include "table/items.h"

enum {
    LEAST_HEADS = 3, /* two of a kind are no list */
    HEADS = 6,       /* shapes tried as heads, the most frequent */
    SAMPLE = 8
};

struct finder {
    const th__view *view;
    th__arena *arena;
    bool fine; /* try fine shapes too */
    th__auto_group_vec *groups;
    th__auto_child_vec children;
    th__auto_child_vec shapes; /* one child of each shape, the most frequent first */
};

/* Whether heads and others have most of their fields in common: then each child is a record of its
 * own, and the shapes differ by what is missing. */
static bool heads_are_like_others(struct finder *f, uint64_t head, bool *failed)
{
    th__key_vec heads = {0}, others = {0};
    uint32_t looked_heads = 0, looked_others = 0;
    for (size_t i = 0; i < f->children.len; i++) {
        bool is_head = f->children.data[i].shape == head;
        uint32_t *looked = is_head ? &looked_heads : &looked_others;
        if (f->children.data[i].count < LEAST_HEADS || *looked == SAMPLE)
            continue;
        ++*looked;
        uint32_t node = f->children.data[i].node;
        th__extent child = th__extent_of(f->view->page, node, node);
        if (!th__extent_add_keys(f->view, &child, is_head ? &heads : &others))
            *failed = true;
    }
    th__key_vec_sort(&heads);
    th__key_vec_sort(&others);
    size_t common = th__key_vec_common(&heads, &others);
    size_t fewer = heads.len < others.len ? heads.len : others.len;
    bool alike = heads.len >= 2 && 2 * common > fewer;
    th__vec_release(&heads);
    th__vec_release(&others);
    return alike;
}

/* Whether texts that stand before the first head are part of the list: then the head is one of the
 * later elements of a record, and the runs are out of step. */
static bool is_out_of_step(const struct finder *f, const th__auto_child *head)
{
    const th_node *nodes = f->view->page->nodes;
    const uint32_t *before = f->view->leaves.before;
    for (size_t i = 0; f->children.data[i].shape != head->shape; i++) {
        const th__auto_child *child = &f->children.data[i];
        bool text = before[nodes[child->node].token] < before[nodes[child->node].token_end];
        if (text && child->count >= LEAST_HEADS && 2 * child->count >= head->count)
            return true;
    }
    return false;
}

/* Whether at least four in five runs have the same number of elements, and not many. */
static bool is_regular(const th_page *page, const th__extent_vec *runs)
{
    enum { MANY = 8 }; /* more is a section rather than a record */
    uint32_t counts[MANY + 1] = {0}, most = 0;
    for (size_t i = 0; i < runs->len; i++) {
        uint32_t elements = 1;
        for (uint32_t n = runs->data[i].first; n < runs->data[i].last && elements < MANY + 1;
             n = page->nodes[n].end)
            elements++;
        if (elements <= MANY)
            counts[elements]++;
    }
    for (uint32_t i = 2; i <= MANY; i++)
        most = counts[i] > most ? counts[i] : most;
    return 5 * (size_t)most >= 4 * runs->len;
}

static bool add_runs(struct finder *f, uint32_t parent, const th__auto_child *head, bool fine)
{
    th__extent_vec runs = {0};
    th__auto_look_of look;
    th__auto_look(f->view, head->node, &look);
    bool separator = th__auto_is_separator(&look);
    if (!separator && is_out_of_step(f, head))
        return true;
    bool ok = th__auto_cut(f->view, parent, &f->children, head->shape, separator, &runs);
    th__auto_group group = {.count = (uint32_t)runs.len, .head = head->node, .fine = fine};
    group.regular = ok && is_regular(f->view->page, &runs);
    if (ok && fine && !group.regular) { /* values that differ rather than kinds of elements */
        th__vec_release(&runs);
        return true;
    }
    if (ok) {
        group.nodes = th__arena_alloc(f->arena, runs.len * sizeof *group.nodes);
        group.runs = th__arena_alloc(f->arena, runs.len * sizeof *group.runs);
        ok = group.nodes && group.runs;
    }
    for (size_t i = 0; ok && i < runs.len; i++) {
        group.runs[i] = runs.data[i];
        group.nodes[i] = runs.data[i].first;
    }
    th__vec_release(&runs);
    return ok && th__vec_push(f->groups, group);
}

static bool try_shapes(struct finder *f, uint32_t parent, bool fine)
{
    size_t tried = f->shapes.len < HEADS ? f->shapes.len : HEADS;
    for (size_t i = 0; i < tried && f->shapes.data[i].count >= LEAST_HEADS; i++) {
        const th__auto_child *head = &f->shapes.data[i];
        bool failed = false;
        /* A list of nearly nothing but heads has its records in single elements. */
        if (5 * (size_t)head->count > 4 * f->children.len)
            continue;
        if (heads_are_like_others(f, head->shape, &failed) || failed) {
            if (failed)
                return false;
            continue;
        }
        if (!add_runs(f, parent, head, fine))
            return false;
    }
    return true;
}

static bool try_parent(struct finder *f, uint32_t parent)
{
    if (!th__auto_children(f->view, parent, false, &f->children) ||
        f->children.len < 2 * LEAST_HEADS)
        return !f->children.len || f->children.data;
    if (!th__auto_count_shapes(&f->children, &f->shapes) || !try_shapes(f, parent, false))
        return false;
    /* Where one shape has half of the children it may be several that look alike. */
    size_t known = f->shapes.len;
    if (!f->fine || 2 * (size_t)f->shapes.data[0].count < f->children.len)
        return true;
    if (!th__auto_children(f->view, parent, true, &f->children) ||
        !th__auto_count_shapes(&f->children, &f->shapes))
        return false;
    return f->shapes.len == known || try_shapes(f, parent, true);
}

bool th__auto_runs_find(th__arena *arena, const th__view *view, bool fine,
                        th__auto_group_vec *groups)
{
    const th_page *page = view->page;
    struct finder f = {.view = view, .arena = arena, .fine = fine, .groups = groups};
    bool ok = true;
    for (uint32_t n = 0; ok && n < page->node_count; n++) {
        const th_node *node = &page->nodes[n];
        uint32_t leaves = view->leaves.before[node->token_end] - view->leaves.before[node->token];
        if (leaves >= 2 * LEAST_HEADS && page->tags[n] != TH_TAG_HTML &&
            page->tags[n] != TH_TAG_SELECT)
            ok = try_parent(&f, n);
    }
    th__vec_release(&f.children);
    th__vec_release(&f.shapes);
    return ok;
}
