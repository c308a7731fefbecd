/* mdr_records.c: the records of regions: how each is cut is decided, and done. */
#include "engine/papers/mdr/mdr_records.h"

#include "engine/papers/mdr/mdr_judge.h"

uint32_t th__mdr_after(const th__mdr_tree *tree, uint32_t first, uint32_t size)
{
    while (size--)
        first = tree->end[first];
    return first;
}

bool th__mdr_add_record(th__mdr_work *work, th__mdr_range range, bool orphan)
{
    th__mdr_rough record = {(uint32_t)work->ranges.len, 1, orphan};
    return th__vec_push(&work->ranges, range) && th__vec_push(&work->records, record);
}

bool th__mdr_add_pieces(th__mdr_work *work, const uint32_t *nodes, uint32_t count, bool orphan)
{
    th__mdr_rough record = {(uint32_t)work->ranges.len, count, orphan};
    for (uint32_t i = 0; i < count; i++)
        if (!th__vec_push(&work->ranges, (th__mdr_range){nodes[i], work->tree->end[nodes[i]]}))
            return false;
    return th__vec_push(&work->records, record);
}

uint32_t th__mdr_columns(const th__mdr_tree *tree, uint32_t first, uint32_t size, uint32_t *nodes)
{
    uint32_t columns = UINT32_MAX;
    for (uint32_t i = 0; i < size; i++, first = tree->end[first]) {
        nodes[i] = first + 1;
        columns = tree->kids[first] < columns ? tree->kids[first] : columns;
    }
    return columns;
}

void th__mdr_next_column(const th__mdr_tree *tree, uint32_t *nodes, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        nodes[i] = tree->end[nodes[i]];
}

/* The records of one generalized node. */
static bool cut_node(th__mdr_work *work, uint32_t first, uint32_t size, th__mdr_cut cut)
{
    const th__mdr_tree *tree = work->tree;
    if (cut == TH__MDR_COLUMNS) { /* as many as the shortest row has */
        uint32_t nodes[TH__MDR_MAX_COMBINATION];
        uint32_t columns = th__mdr_columns(tree, first, size, nodes);
        for (uint32_t k = 0; k < columns; k++, th__mdr_next_column(tree, nodes, size))
            if (!th__mdr_add_pieces(work, nodes, size, false))
                return false;
        if (columns)
            return true;
    }
    if (cut == TH__MDR_CHILDREN && tree->kids[first]) {
        for (uint32_t child = first + 1; child < tree->end[first]; child = tree->end[child])
            if (!th__mdr_add_record(work, (th__mdr_range){child, tree->end[child]}, false))
                return false;
        return true;
    }
    return th__mdr_add_record(work, (th__mdr_range){first, th__mdr_after(tree, first, size)},
                              false);
}

/* Walks the generalized nodes of a draft; `visit` gets each. False when a visit says so. */
typedef bool visitor(th__mdr_work *work, uint32_t first, uint32_t size, void *context);

static bool each_node(th__mdr_work *work, const th__mdr_draft *draft, visitor *visit, void *context)
{
    for (uint32_t c = draft->head; c != TH__MDR_NONE; c = work->next[c]) {
        const th__mdr_candidate *part = &work->candidates.data[c];
        uint32_t size = part->triple.combination, node = part->first;
        while (node < part->after) {
            if (!visit(work, node, size, context))
                return false;
            node = th__mdr_after(work->tree, node, size);
        }
    }
    return true;
}

typedef struct votes {
    uint32_t by_cut[TH__MDR_CUT_COUNT], plain, all;
} votes;

static bool vote(th__mdr_work *work, uint32_t first, uint32_t size, void *context)
{
    votes *v = context;
    bool plain;
    v->by_cut[th__mdr_judge(&work->compare, first, size, &plain)]++;
    v->plain += plain;
    v->all++;
    return true;
}

static bool cut_as_decided(th__mdr_work *work, uint32_t first, uint32_t size, void *context)
{
    bool plain;
    th__mdr_cut cut = *(th__mdr_cut *)context;
    return cut_node(work, first, size,
                    cut == TH__MDR_MIXED ? th__mdr_judge(&work->compare, first, size, &plain)
                                         : cut);
}

/* One cut for the region where all its generalized nodes agree, or where most do (cut_once). */
static void decide(th__mdr_work *work, th__mdr_draft *draft)
{
    votes v = {0};
    each_node(work, draft, vote, &v);
    draft->data_table = 2 * v.plain > v.all;
    draft->cut = TH__MDR_WHOLE;
    for (int cut = 0; cut < TH__MDR_CUT_COUNT; cut++)
        if (v.by_cut[cut] == v.all || (work->options->cut_once && 2 * v.by_cut[cut] > v.all))
            draft->cut = (th__mdr_cut)cut;
    if (!work->options->cut_once && v.by_cut[draft->cut] != v.all)
        draft->cut = TH__MDR_MIXED;
}

/* Record k is the k-th generalized node of every part. */
static bool zip_records(th__mdr_work *work, const th__mdr_draft *draft)
{
    const th__mdr_candidate *head = &work->candidates.data[draft->head];
    uint32_t count = head->triple.count / head->triple.combination;
    size_t from = work->ranges.len;
    if (!th__vec_reserve(&work->ranges, (size_t)count * draft->parts) ||
        !th__vec_reserve(&work->records, count))
        return false;
    work->ranges.len += (size_t)count * draft->parts;
    uint32_t part = 0;
    for (uint32_t c = draft->head; c != TH__MDR_NONE; c = work->next[c], part++) {
        const th__mdr_candidate *candidate = &work->candidates.data[c];
        uint32_t node = candidate->first;
        for (uint32_t k = 0; k < count; k++) {
            uint32_t after = th__mdr_after(work->tree, node, candidate->triple.combination);
            work->ranges.data[from + (size_t)k * draft->parts + part] =
                (th__mdr_range){node, after};
            node = after;
        }
    }
    for (uint32_t k = 0; k < count; k++)
        work->records.data[work->records.len++] =
            (th__mdr_rough){(uint32_t)from + k * draft->parts, draft->parts, false};
    return true;
}

/* Whether a region's nodes are already records of the region that covers it. */
static bool is_repeated(const th__mdr_work *work, const th__mdr_draft *draft)
{
    const th__mdr_candidate *c = &work->candidates.data[draft->head];
    if (c->covering == TH__MDR_NONE)
        return false;
    const th__mdr_candidate *above = &work->candidates.data[c->covering];
    const th__mdr_draft *covering = &work->drafts.data[work->draft[c->covering]];
    return work->tree->parent[c->parent] == above->parent && covering->cut != TH__MDR_WHOLE &&
           c->triple.combination == 1;
}

bool th__mdr_cut_records(th__mdr_work *work)
{
    for (size_t i = 0; i < work->drafts.len; i++) {
        th__mdr_draft *draft = &work->drafts.data[i];
        draft->dropped = draft->dropped || is_repeated(work, draft);
        if (draft->dropped)
            continue;
        draft->first_record = (uint32_t)work->records.len;
        bool ok = true;
        if (draft->zipped) {
            ok = zip_records(work, draft);
        } else {
            decide(work, draft);
            th__mdr_cut cut = draft->cut;
            ok = each_node(work, draft, cut_as_decided, &cut);
            if (ok && work->options->orphans)
                ok = th__mdr_find_orphans(work, draft);
        }
        if (!ok || work->compare.no_memory)
            return false;
        draft->record_count = (uint32_t)work->records.len - draft->first_record;
    }
    return true;
}
