/*
 * mdr.c: MDR, the main file.
 *
 * Paper
 *   Bing Liu, Robert Grossman, Yanhong Zhai: Mining Data Records in Web Pages. KDD 2003.
 *
 * The idea
 *   Records of one kind stand side by side below one parent, and their tags are alike. So compare
 *   neighbouring children of every node, and neighbouring pairs, triples, ... up to K of them, by
 *   the edit distance of their tag strings. A run of similar neighbours is a data region. A region
 *   within another is covered by it. Records are then the region's nodes, or their children.
 *
 * Worked example
 *   <table>                        node   children
 *     <tr><td><b>A</b><td>1        tr 1   td b td
 *     <tr><td><b>B</b><td>2        tr 2   td b td
 *     <tr><td colspan=2><hr>       tr 3   td hr
 *   Below the table: (tr 1, tr 2) have the tag strings "tr td b td" twice, distance 0; (tr 2, tr 3)
 *   "tr td b td" and "tr td hr", distance 2 / 3.5 = 0.57 > 0.3. IdentDRs gives the region
 *   (1, 1, 2): combinations of one node, from child 1 on, two nodes. FindRecords-1: the children of
 *   tr 1, "td b" and "td", are at 1 / 1.5: not similar. So each row is a record.
 *
 * Glossary
 *   tag string         the tags of a subtree in order; a slice of the tree's array
 *   generalized node   one or several adjacent siblings; a "node combination"
 *   data region        two or more adjacent generalized nodes of the same number of nodes, each
 *                      similar to the next; (nodes of one, first child, nodes in all)
 *   data record        what describes one object: a generalized node or a part of it; its pieces
 *                      need not be contiguous in the page
 *   to cover           a region covers those that lie inside its nodes
 *
 * Errata (mended in every mode)
 *   CombComp, line 5: k < Size loses the last pair; k <= Size. IdentDRs: curDR is fresh for each
 *   start, and a region that reaches the last child is returned too. TreeDepth leaves no distances
 *   below shallow nodes, though FindRecords wants them: distances are computed when asked for.
 *
 * Deviations, each a switch of th__mdr_options
 *   every_tag    the paper forms records of table and form tags alone and names the rest as future
 *                work. Off: a node of another tag is similar to nothing.
 *   table_in_n   alternating plain rows of a data table would become one record a column.
 *   cut_once     "children similar" is decided for a region by most of its generalized nodes, so
 *                that one odd row is not cut in another way than its neighbours.
 *   own_text     a generalized node with text of its own, outside its children, is not cut: the
 *                text would be lost. Rows of a table have none.
 *   join_split   a list that something else splits is one region: see mdr_join.c.
 *   same_class   siblings of one tag and class may differ more: see mdr_compare.h.
 *   true_period  the nodes of a combination that are like each other are taken one by one: see
 *                mdr_regions.c. On today's pages this is worth more than all the rest.
 *   nested       the paper drops covered regions. They are kept, marked as covered: layout tables
 *                are similar to each other too, and the list is inside one of them.
 *   In any mode tag strings above compare_limit are compared by tag counts (mdr_compare.h) and
 *   orphans are sought near their region (mdr_orphans.c): both keep hostile pages linear.
 *
 * Cost
 *   Comparisons: at most K for each node of the page, and on a list hardly more than one. One of
 *   strings of length n: n * (T n / 64) steps, with n at most compare_limit. All else is linear in
 *   the nodes, and so is memory: 21 bytes a node.
 */
#include "engine/papers/mdr/mdr.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "engine/papers/mdr/mdr_records.h"

const th__mdr_switch th__mdr_switches[] = {
    {"join_adjacent", offsetof(th__mdr_options, join_adjacent), true},
    {"orphans", offsetof(th__mdr_options, orphans), true},
    {"every_tag", offsetof(th__mdr_options, every_tag), false},
    {"table_in_n", offsetof(th__mdr_options, table_in_n), false},
    {"cut_once", offsetof(th__mdr_options, cut_once), false},
    {"own_text", offsetof(th__mdr_options, own_text), false},
    {"join_split", offsetof(th__mdr_options, join_split), false},
    {"same_class", offsetof(th__mdr_options, same_class), false},
    {"true_period", offsetof(th__mdr_options, true_period), false},
    {"nested", offsetof(th__mdr_options, nested), false},
};
const size_t th__mdr_switch_count = sizeof th__mdr_switches / sizeof *th__mdr_switches;

void th__mdr_options_init(th__mdr_options *options)
{
    *options = (th__mdr_options){.combination = 10,
                                 .threshold = 0.3,
                                 .class_threshold = 0.8,
                                 .tree_depth = 3,
                                 .compare_limit = TH__MDR_COMPARE_LIMIT};
    for (size_t i = 0; i < th__mdr_switch_count; i++)
        *(bool *)((char *)options + th__mdr_switches[i].offset) = true;
}

void th__mdr_options_paper(th__mdr_options *options)
{
    th__mdr_options_init(options);
    options->compare_limit = TH__MDR_COMPARE_LIMIT_PAPER;
    for (size_t i = 0; i < th__mdr_switch_count; i++)
        *(bool *)((char *)options + th__mdr_switches[i].offset) = th__mdr_switches[i].paper;
}

void th__mdr_options_from(const th_paper_options *paper, th__mdr_options *options)
{
    if (paper->published)
        th__mdr_options_paper(options);
    else
        th__mdr_options_init(options);
    options->combination = paper->combination;
    options->threshold = paper->threshold;
    if (options->class_threshold < paper->threshold) /* where classes agree more is allowed */
        options->class_threshold = paper->threshold;
    if (paper->table_tags)
        options->every_tag = false;
}

bool th__mdr_options_set(th__mdr_options *options, th_str name, bool value)
{
    for (size_t i = 0; i < th__mdr_switch_count; i++)
        if (th__str_eq(name, th_str_from(th__mdr_switches[i].name))) {
            *(bool *)((char *)options + th__mdr_switches[i].offset) = value;
            return true;
        }
    return false;
}

const char *const th__mdr_cut_names[] = {"whole", "children", "columns", "mixed", NULL};

th__mdr_range th__mdr_range_tokens(const th_page *page, th__mdr_range range)
{
    uint32_t last = range.first;
    for (uint32_t n = range.first; n < range.end; n = page->nodes[n].end)
        last = n;
    return (th__mdr_range){page->nodes[range.first].token, page->nodes[last].token_end};
}

/* ---- the result: nodes of the page ---- */

/* The page's nodes of a range of the tree's: up to the end of its last sibling. */
static th__mdr_range to_page(const th__mdr_tree *tree, th__mdr_range range)
{
    uint32_t last = range.first;
    for (uint32_t n = range.first; n < range.end; n = tree->end[n])
        last = n;
    return (th__mdr_range){tree->node[range.first], tree->page->nodes[tree->node[last]].end};
}

static int by_place(const void *a, const void *b)
{
    uint32_t left = ((const th__mdr_record *)a)->ranges[0].first;
    uint32_t right = ((const th__mdr_record *)b)->ranges[0].first;
    return left < right ? -1 : left > right;
}

static bool copy_region(const th__mdr_work *work, const th__mdr_draft *draft,
                        const th__mdr_range *ranges, th__arena *arena, th__mdr_region *out)
{
    th__mdr_part *parts = th__arena_alloc(arena, draft->parts * sizeof *parts);
    th__mdr_record *records = th__arena_alloc(arena, draft->record_count * sizeof *records);
    if (!parts || !records)
        return false;
    uint32_t part = 0;
    for (uint32_t c = draft->head; c != TH__MDR_NONE; c = work->next[c]) {
        const th__mdr_candidate *from = &work->candidates.data[c];
        parts[part++] =
            (th__mdr_part){work->tree->node[from->parent], from->triple.combination,
                           from->triple.start, from->triple.count, work->tree->node[from->first]};
    }
    for (uint32_t i = 0; i < draft->record_count; i++) {
        const th__mdr_rough *rough = &work->records.data[draft->first_record + i];
        records[i] = (th__mdr_record){ranges + rough->range, rough->range_count, rough->orphan};
    }
    if (draft->orphan_count)
        qsort(records, draft->record_count, sizeof *records, by_place);
    *out = (th__mdr_region){.parts = parts,
                            .part_count = draft->parts,
                            .zipped = draft->zipped,
                            .data_table = draft->data_table,
                            .cut = draft->cut,
                            .records = records,
                            .record_count = draft->record_count,
                            .orphan_count = draft->orphan_count,
                            .covering = TH__MDR_NONE};
    return true;
}

/* The region that covers a draft; a dropped one hands on what covers it. */
static uint32_t covering_region(const th__mdr_work *work, const uint32_t *region_of, uint32_t draft)
{
    for (;;) {
        uint32_t above = work->candidates.data[work->drafts.data[draft].head].covering;
        if (above == TH__MDR_NONE)
            return TH__MDR_NONE;
        draft = work->draft[above];
        if (!work->drafts.data[draft].dropped)
            return region_of[draft];
    }
}

static bool fill_result(const th__mdr_work *work, th__arena *scratch, th__mdr_result *result)
{
    th__arena *arena = &result->arena;
    th__mdr_range *ranges = th__arena_alloc(arena, work->ranges.len * sizeof *ranges);
    uint32_t *region_of = th__arena_alloc(scratch, work->drafts.len * sizeof *region_of);
    result->regions = th__arena_alloc(arena, work->drafts.len * sizeof *result->regions);
    if (!ranges || !region_of || !result->regions)
        return false;
    for (size_t i = 0; i < work->ranges.len; i++)
        ranges[i] = to_page(work->tree, work->ranges.data[i]);
    for (uint32_t i = 0; i < work->drafts.len; i++) {
        const th__mdr_draft *draft = &work->drafts.data[i];
        if (draft->dropped)
            continue;
        th__mdr_region *region = &result->regions[result->region_count];
        if (!copy_region(work, draft, ranges, arena, region))
            return false;
        region->covering = covering_region(work, region_of, i);
        region_of[i] = result->region_count++;
    }
    result->comparisons = work->compare.computed;
    return true;
}

static bool prepare(th__mdr_work *work, th__arena *scratch)
{
    size_t count = work->candidates.len;
    work->next = th__arena_alloc(scratch, count * sizeof *work->next);
    work->draft = th__arena_alloc(scratch, count * sizeof *work->draft);
    work->taken = th__arena_zero(scratch, work->tree->count, 1);
    if (!work->next || !work->draft || !work->taken)
        return false;
    for (size_t i = 0; i < count; i++) {
        const th__mdr_candidate *c = &work->candidates.data[i];
        for (uint32_t node = c->first; node < c->after; node = work->tree->end[node])
            work->taken[node] = 1;
    }
    return true;
}

static th_status check_options(const th__mdr_options *options, th_error *err)
{
    if (options->combination < 1 || options->combination > TH__MDR_MAX_COMBINATION)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "mdr: combination (K) is %u; give a number from 1 to %d",
                        options->combination, TH__MDR_MAX_COMBINATION);
    if (!(options->threshold >= 0 && options->threshold <= 2))
        return th__fail(err, TH_ERR_ARGUMENT, "mdr: threshold (T) is %g; give a number from 0 to 2",
                        options->threshold);
    if (!(options->class_threshold >= 0 && options->class_threshold <= 2))
        return th__fail(err, TH_ERR_ARGUMENT,
                        "mdr: class_threshold is %g; give a number from 0 to 2",
                        options->class_threshold);
    return TH_OK;
}

static bool find(th__mdr_work *work, const th_page *page, th__mdr_tree *tree, th__arena *scratch,
                 th__mdr_result *result)
{
    const th__mdr_options *options = work->options;
    work->tree = tree;
    return th__mdr_tree_build(tree, page, scratch) &&
           th__mdr_compare_init(&work->compare, tree, options, scratch) &&
           th__mdr_find_regions(&work->compare, options, &work->candidates) &&
           prepare(work, scratch) && th__mdr_join(work) && th__mdr_cut_records(work) &&
           fill_result(work, scratch, result);
}

th_status th__mdr_find(const th_page *page, const th__mdr_options *options, th__mdr_result **out,
                       th_error *err)
{
    th__mdr_options defaults;
    th__mdr_options_init(&defaults);
    options = options ? options : &defaults;
    *out = NULL;
    th_status status = check_options(options, err);
    if (status)
        return status;
    th__mdr_result *result = TH__NEW(th__mdr_result);
    if (!result)
        return th__fail_memory(err);
    th__arena_init(&result->arena);
    th__arena scratch;
    th__arena_init(&scratch);
    th__mdr_tree tree = {0};
    th__mdr_work work = {.options = options};
    bool ok = find(&work, page, &tree, &scratch, result);
    th__mdr_compare_release(&work.compare);
    th__vec_release(&work.candidates);
    th__vec_release(&work.drafts);
    th__vec_release(&work.ranges);
    th__vec_release(&work.records);
    th__vec_release(&work.children);
    th__vec_release(&work.text[0]);
    th__vec_release(&work.text[1]);
    th__arena_release(&scratch);
    if (!ok) {
        th__mdr_result_free(result);
        return th__fail_memory(err);
    }
    *out = result;
    return TH_OK;
}

void th__mdr_result_free(th__mdr_result *result)
{
    if (!result)
        return;
    th__arena_release(&result->arena);
    th__mem_free(result);
}
