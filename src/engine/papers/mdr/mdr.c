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
 *   cut_once     "children similar" is decided for a region by most of its generalized nodes, so
 *                that one odd row is not cut in another way than its neighbours.
 *   join_split   a list that something else splits is one region: see mdr_regions.c.
 *   same_class   siblings of one tag and class may differ more: see mdr.h.
 *   true_period  the nodes of a combination that are like each other are taken one by one: see
 *                mdr_regions.c. On today's pages this is worth more than all the rest.
 *   nested       the paper drops covered regions. They are kept, marked as covered: layout tables
 *                are similar to each other too, and the list is inside one of them.
 *   In any mode tag strings above compare_limit are compared by tag counts (mdr_compare.c) and
 *   orphans are sought near their region (mdr_regions.c): both keep hostile pages linear.
 *
 * Cost
 *   Comparisons: at most K for each node of the page, and on a list hardly more than one. One of
 *   strings of length n: n * (T n / 64) steps, with n at most compare_limit. All else is linear in
 *   the nodes, and so is memory: 21 bytes a node.
 */
#include "engine/papers/mdr/mdr.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "page/tags.h"
#include "page/text.h"
#include "wrapper/list_records.h"

const th__mdr_switch th__mdr_switches[] = {
    {"join_adjacent", offsetof(th__mdr_options, join_adjacent), true},
    {"orphans", offsetof(th__mdr_options, orphans), true},
    {"every_tag", offsetof(th__mdr_options, every_tag), false},
    {"cut_once", offsetof(th__mdr_options, cut_once), false},
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

static uint32_t last_node(const th_page *page, th__mdr_range range)
{
    uint32_t last = range.first;
    while (page->nodes[last].end < range.end)
        last = page->nodes[last].end;
    return last;
}

th__mdr_range th__mdr_range_tokens(const th_page *page, th__mdr_range range)
{
    return (th__mdr_range){page->nodes[range.first].token,
                           page->nodes[last_node(page, range)].token_end};
}

th_status th__mdr_find(const th_page *page, const th__mdr_options *options, th__mdr_result **out,
                       th_error *err)
{
    th__mdr_options defaults;
    th__mdr_options_init(&defaults);
    options = options ? options : &defaults;
    *out = NULL;
    th__mdr_result *result = TH__NEW(th__mdr_result);
    if (!result)
        return th__fail_memory(err);
    th__arena_init(&result->arena);
    th__arena scratch;
    th__arena_init(&scratch);
    th__mdr_tree tree = {0};
    th__mdr_compare compare = {0};
    bool ok = th__mdr_tree_build(&tree, page, &scratch) &&
              th__mdr_compare_init(&compare, &tree, options, &scratch) &&
              th__mdr_search(&compare, &scratch, result);
    result->comparisons = compare.computed;
    th__mdr_compare_release(&compare);
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

/* ---- ranking (ours: the paper reports all regions) ------------------------------------------- */

static bool says_something(const th_page *page, uint32_t t)
{
    th_str text = th__token_text(page, t);
    if (page->tokens[t].flags & TH_TOKEN_BLANK)
        return false;
    if (t && page->tokens[t - 1].kind == TH_TOKEN_START &&
        th__tag_flags(page->tokens[t - 1].tag) & TH_TAG_IS_BLOCK &&
        page->tokens[t + 1].kind == TH_TOKEN_END &&
        page->tokens[t + 1].tag == page->tokens[t - 1].tag)
        return true;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c >= 0x80 || th__is_alpha(c) || th__is_digit(c))
            return true;
    }
    return false;
}

void th__mdr_each_text(const th_page *page, const th__mdr_record *record,
                       void (*visit)(void *context, th_str text), void *context)
{
    for (uint32_t i = 0; i < record->range_count; i++) {
        th__mdr_range tokens = th__mdr_range_tokens(page, record->ranges[i]);
        for (uint32_t t = tokens.first; t < tokens.end;) {
            const th_token *token = &page->tokens[t];
            if (token->kind == TH_TOKEN_TEXT && says_something(page, t))
                visit(context, th__token_text(page, t));
            t = token->kind == TH_TOKEN_START ? th__hidden_end(page, t) : t + 1;
        }
    }
}

static void count_text(void *context, th_str text)
{
    *(size_t *)context += th__str_trim(text).len;
}

static int by_score(const void *a, const void *b)
{
    const th__mdr_ranked *left = a, *right = b;
    if (left->score != right->score)
        return left->score > right->score ? -1 : 1;
    return left->region < right->region ? -1 : left->region > right->region;
}

const th__mdr_ranked *th__mdr_rank(const th_page *page, th__mdr_result *result)
{
    size_t count = result->region_count;
    th__mdr_ranked *ranked = th__arena_alloc(&result->arena, (count + 1) * sizeof *ranked);
    if (!ranked)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        const th__mdr_region *region = &result->regions[i];
        size_t text = 0;
        for (uint32_t r = 0; r < region->record_count; r++)
            th__mdr_each_text(page, &region->records[r], count_text, &text);
        ranked[i] = (th__mdr_ranked){i, (double)text * log(1 + region->record_count)};
    }
    qsort(ranked, count, sizeof *ranked, by_score);
    return ranked;
}

/* ---- regions as lists of records in columns -------------------------------------------------- */

/* True if records have several elements. */
static bool are_several(const th_page *page, const th__mdr_record *records, uint32_t count)
{
    for (uint32_t r = 0; r < count; r++)
        if (records[r].range_count > 1 ||
            last_node(page, records[r].ranges[0]) != records[r].ranges[0].first)
            return true;
    return false;
}

bool th__mdr_extents(th__arena *arena, const th_page *page, const th__mdr_record *records,
                     uint32_t count, bool several, th__extents *out)
{
    size_t total = 0;
    for (uint32_t r = 0; r < count; r++)
        total += records[r].range_count;
    th__extent *extents = th__arena_alloc(arena, (total + 1) * sizeof *extents);
    uint32_t *first = th__arena_alloc(arena, ((size_t)count + 1) * sizeof *first);
    if (!extents || !first)
        return false;
    uint32_t used = 0;
    for (uint32_t r = 0; r < count; r++) {
        first[r] = used;
        for (uint32_t i = 0; i < records[r].range_count; i++) {
            th__mdr_range range = records[r].ranges[i];
            extents[used] = th__extent_of(page, range.first, last_node(page, range));
            extents[used++].run = several;
        }
    }
    first[count] = used;
    *out = (th__extents){extents, first, count};
    return true;
}

/* Tells if there is anything in the records that columns are made of. */
static bool has_items(const th__view *view, const th__extents *list, bool *has)
{
    th__item_vec items = {0};
    bool ok = true;
    for (uint32_t r = 0; ok && r < list->count && !items.len; r++)
        ok = th__items_add(view, list, r, &items);
    *has = items.len > 0;
    th__vec_release(&items);
    return ok;
}

bool th__mdr_next(const th__view *view, th__mdr_result *result, const th__mdr_ranked *ranked,
                  uint32_t *at, th__extents *out)
{
    for (; *at < result->region_count; ++*at) {
        const th__mdr_region *region = &result->regions[ranked[*at].region];
        bool has = false;
        if (ranked[*at].score <= 0)
            continue;
        if (!th__mdr_extents(&result->arena, view->page, region->records, region->record_count,
                             are_several(view->page, region->records, region->record_count), out) ||
            !has_items(view, out, &has))
            return false;
        if (has)
            break;
    }
    return true;
}

static th_status add_regions(const th_page *page, const th_records_source *source, uint32_t most,
                             th__mdr_result *result, th__region_vec *out, th_error *err)
{
    const th__mdr_ranked *ranked = th__mdr_rank(page, result);
    th__view view;
    if (!ranked || !th__view_make(&result->arena, page, &view))
        return th__fail_memory(err);
    for (uint32_t at = 0; out->len < most; at++) {
        th__extents list;
        th_records *records;
        if (!th__mdr_next(&view, result, ranked, &at, &list))
            return th__fail_memory(err);
        if (at >= result->region_count)
            break;
        th_status status = th__list_records(&view, &list, source, &records, err);
        if (!status && records)
            status = th__region_add(out, "mdr", ranked[at].score, records, err);
        if (status)
            return status;
    }
    return TH_OK;
}

th_status th__mdr_regions(const th_page *page, const th_records_source *source,
                          const th_regions_options *options, th__region_vec *out, th_error *err)
{
    th__mdr_options mdr;
    th__mdr_result *result;
    th__mdr_options_from(&options->paper, &mdr);
    th_status status = th__mdr_find(page, &mdr, &result, err);
    if (status)
        return status;
    status = add_regions(page, source, options->most, result, out, err);
    th__mdr_result_free(result);
    return status;
}
