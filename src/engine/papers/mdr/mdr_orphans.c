/*
 * mdr_orphans.c: section 3.4: records outside regions.
 *
 *     row 1   Object 1  Object 2
 *     row 2   Object 3  Object 4      rows 1 and 2 are a region whose records are cells
 *     row 3   Object 5                row 3 is unlike row 2, but its cell is like Object 4
 *
 * The siblings of a region's nodes that are in no region, and their children, are matched with the
 * record nearest to them. The paper looks at all siblings; we look at no more than
 * TH__MDR_ORPHAN_REACH to each side, and at all those between the parts of a split list, so that a
 * page of many small regions stays linear.
 */
#include "engine/papers/mdr/mdr_records.h"

typedef struct search {
    th__mdr_work *work;
    const th__mdr_draft *draft;
    uint32_t combination;
    th__mdr_rough pattern; /* the record to match */
} search;

/* The tag string of a record's pieces: a slice where it is one, else copied together. */
static bool pieces_text(th__mdr_work *work, const th__mdr_range *pieces, uint32_t count,
                        unsigned which, th__symbols *out)
{
    const uint16_t *tags = work->tree->tags;
    work->text[which].len = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t len = pieces[i].end - pieces[i].first;
        if (!th__vec_reserve(&work->text[which], len))
            return false;
        memcpy(work->text[which].data + work->text[which].len, tags + pieces[i].first,
               len * sizeof *tags);
        work->text[which].len += len;
    }
    *out = th__symbols16(work->text[which].data, (uint32_t)work->text[which].len);
    return true;
}

/* The k-th children of `combination` rows, matched with the record. */
static bool match_columns(search *s, uint32_t first)
{
    th__mdr_work *work = s->work;
    uint32_t size = s->combination, nodes[TH__MDR_MAX_COMBINATION];
    th__symbols wanted, found;
    if (!pieces_text(work, work->ranges.data + s->pattern.range, s->pattern.range_count, 0,
                     &wanted))
        return false;
    uint32_t columns = th__mdr_columns(work->tree, first, size, nodes);
    for (uint32_t k = 0; k < columns; k++, th__mdr_next_column(work->tree, nodes, size)) {
        th__mdr_range pieces[TH__MDR_MAX_COMBINATION];
        for (uint32_t i = 0; i < size; i++)
            pieces[i] = (th__mdr_range){nodes[i], work->tree->end[nodes[i]]};
        if (!pieces_text(work, pieces, size, 1, &found))
            return false;
        if (th__mdr_similar(&work->compare, wanted, found) &&
            !th__mdr_add_pieces(work, nodes, size, true))
            return false;
    }
    return true;
}

/* The children of a sibling, matched with a record that is one node. */
static bool match_children(search *s, uint32_t node)
{
    const th__mdr_tree *tree = s->work->tree;
    uint32_t pattern = s->work->ranges.data[s->pattern.range].first;
    for (uint32_t child = node + 1; child < tree->end[node]; child = tree->end[child])
        if (th__mdr_combinations_alike(&s->work->compare, pattern, child, 1) &&
            !th__mdr_add_record(s->work, (th__mdr_range){child, tree->end[child]}, true))
            return false;
    return true;
}

/* Matches what starts at the child at an index; *used is the number of siblings taken. */
static bool match_at(search *s, const uint32_t *children, uint32_t count, uint32_t *used)
{
    th__mdr_work *work = s->work;
    size_t before = work->records.len;
    uint32_t size = s->combination;
    bool free = size <= count, ok = true;
    for (uint32_t i = 0; free && i < size; i++)
        free = !work->taken[children[i]];
    *used = 0;
    if (!free)
        return true;
    if (s->draft->cut == TH__MDR_COLUMNS) {
        ok = match_columns(s, children[0]);
    } else if (s->draft->cut != TH__MDR_CHILDREN &&
               th__mdr_combinations_alike(&work->compare, work->ranges.data[s->pattern.range].first,
                                          children[0], size)) {
        uint32_t after = th__mdr_after(work->tree, children[0], size);
        ok = th__mdr_add_record(work, (th__mdr_range){children[0], after}, true);
    } else if (size == 1) {
        ok = match_children(s, children[0]);
    }
    if (work->records.len > before)
        *used = size;
    for (uint32_t i = 0; i < *used; i++)
        work->taken[children[i]] = 1;
    return ok;
}

/* Looks at the children from .. to of the region's parent. */
static bool match_gap(search *s, uint32_t from, uint32_t to)
{
    const uint32_t *children = s->work->children.data;
    while (from < to) {
        uint32_t used;
        if (!match_at(s, children + from, to - from, &used))
            return false;
        from += used ? used : 1;
    }
    return true;
}

static bool list_children(th__mdr_work *work, uint32_t parent)
{
    const th__mdr_tree *tree = work->tree;
    if (work->children.len && tree->parent[work->children.data[0]] == parent)
        return true;
    work->children.len = 0;
    if (!th__vec_reserve(&work->children, tree->kids[parent]))
        return false;
    for (uint32_t child = parent + 1; child < tree->end[parent]; child = tree->end[child])
        work->children.data[work->children.len++] = child;
    return true;
}

bool th__mdr_find_orphans(th__mdr_work *work, th__mdr_draft *draft)
{
    const th__mdr_candidate *head = &work->candidates.data[draft->head];
    if (head->triple.count == work->tree->kids[head->parent])
        return true; /* no sibling is outside */
    if (!list_children(work, head->parent))
        return false;
    size_t records = work->records.len;
    search s = {work, draft, head->triple.combination, work->records.data[draft->first_record]};
    uint32_t at = head->triple.start;
    if (!match_gap(&s, at > TH__MDR_ORPHAN_REACH ? at - TH__MDR_ORPHAN_REACH : 0, at))
        return false;
    s.pattern = work->records.data[records - 1];
    for (uint32_t c = draft->head; c != TH__MDR_NONE; c = work->next[c]) {
        const th__mdr_triple *t = &work->candidates.data[c].triple;
        uint32_t from = t->start + t->count, to = (uint32_t)work->children.len;
        if (work->next[c] != TH__MDR_NONE)
            to = work->candidates.data[work->next[c]].triple.start;
        else if (to - from > TH__MDR_ORPHAN_REACH)
            to = from + TH__MDR_ORPHAN_REACH;
        if (!match_gap(&s, from, to))
            return false;
    }
    draft->orphan_count = (uint32_t)(work->records.len - records);
    return true;
}
