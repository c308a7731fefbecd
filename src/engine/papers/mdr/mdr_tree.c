/*
 * mdr_tree.c: the tag tree, classes of elements, which tag strings are similar, and how records lie
 * in generalized nodes: what both the search (mdr.c) and rules (mdr_rule.c) work with.
 *
 * The paper computes all distances first and looks them up later. Here a distance is computed when
 * it is first asked for and remembered: the answers are the same, and most are never asked for (a
 * list of similar siblings needs no pairs of two, three, ... ten nodes). What makes a comparison
 * cheap, in this order, none of which changes an answer:
 *
 *  - lengths whose ratio is above (2 + T) / (2 - T) cannot be similar;
 *  - equal strings have distance 0;
 *  - a pair of strings that was seen elsewhere on the page is remembered by its two hashes;
 *  - the edit distance looks only at the diagonals that T allows, 64 cells at a time.
 *
 * Time is the length times the band, and the band grows with the length. So that a page of two
 * enormous halves stays linear, strings above compare_limit are judged by how often each tag
 * occurs: a lower bound of the edit distance, found in one pass. That can call two long strings
 * similar that are not, never the other way round.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "engine/papers/mdr/mdr.h"
#include "page/tags.h"
#include "page/text.h"

/* ---- the tag tree ---------------------------------------------------------------------------- */

/* Returns true if an element is kept; *inside is true if its children may be. */
static bool keeps(const th_page *page, uint32_t node, bool *inside)
{
    uint16_t tag = page->tags[node];
    uint32_t flags = th__tag_flags(tag);
    *inside = false;
    /* The head itself stays: on broken pages it holds the body. */
    if (tag != TH_TAG_HEAD && flags & (TH_TAG_IS_HIDDEN | TH_TAG_IS_HEAD))
        return false;
    *inside = tag != TH_TAG_SVG && tag != TH_TAG_MATH;
    return true;
}

/* Returns true for tags of tables and forms, which form records in the paper. */
static bool is_table_tag(uint32_t tag)
{
    switch (tag) {
    case TH_TAG_TABLE:
    case TH_TAG_CAPTION:
    case TH_TAG_THEAD:
    case TH_TAG_TBODY:
    case TH_TAG_TFOOT:
    case TH_TAG_TR:
    case TH_TAG_TD:
    case TH_TAG_TH:
    case TH_TAG_FORM:
        return true;
    default:
        return false;
    }
}

static bool make_room(th__mdr_tree *tree, uint32_t count, th__arena *arena)
{
    tree->tags = th__arena_alloc(arena, count * sizeof *tree->tags);
    tree->node = th__arena_alloc(arena, count * sizeof *tree->node);
    tree->parent = th__arena_alloc(arena, count * sizeof *tree->parent);
    tree->end = th__arena_alloc(arena, count * sizeof *tree->end);
    tree->kids = th__arena_zero(arena, count, sizeof *tree->kids);
    tree->depth = th__arena_alloc(arena, count);
    return tree->tags && tree->node && tree->parent && tree->end && tree->kids && tree->depth;
}

/* Copies the kept nodes. `open` is the last kept node: parents are found by climbing from it, and
 * each node is climbed over once, when its subtree is left. */
static void copy_nodes(th__mdr_tree *tree)
{
    const th_page *page = tree->page;
    uint32_t count = 1, open = 0;
    tree->tags[0] = 0;
    tree->node[0] = tree->parent[0] = 0;
    for (uint32_t n = 1; n < page->node_count;) {
        bool inside;
        bool kept = keeps(page, n, &inside);
        while (open && n >= page->nodes[tree->node[open]].end) {
            tree->end[open] = count;
            open = tree->parent[open];
        }
        if (kept) {
            tree->tags[count] = page->tags[n];
            tree->node[count] = n;
            tree->parent[count] = open;
            tree->kids[open]++;
            open = count++;
        }
        n = inside ? n + 1 : page->nodes[n].end;
    }
    for (; open; open = tree->parent[open])
        tree->end[open] = count;
    tree->end[0] = tree->count = count;
}

/* Children come after their parents, so walking backwards sees them first. */
static void measure_depth(th__mdr_tree *tree)
{
    memset(tree->depth, 1, tree->count);
    for (uint32_t n = tree->count; n-- > 1;) {
        uint8_t above = (uint8_t)(tree->depth[n] + (tree->depth[n] < TH__MDR_DEEP));
        uint8_t *depth = &tree->depth[tree->parent[n]];
        *depth = above > *depth ? above : *depth;
    }
}

static bool build_tree(th__mdr_tree *tree, const th_page *page, th__arena *arena)
{
    *tree = (th__mdr_tree){.page = page};
    if (!make_room(tree, page->node_count, arena))
        return false;
    copy_nodes(tree);
    measure_depth(tree);
    return true;
}

uint32_t th__mdr_after(const th__mdr_tree *tree, uint32_t first, uint32_t size)
{
    while (size--)
        first = tree->end[first];
    return first;
}

bool th__mdr_pieces(const th__mdr_tree *tree, const th__mdr_range *ranges, uint32_t count,
                    th__mdr_tag_vec *memory, th__symbols *out)
{
    memory->len = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t len = ranges[i].end - ranges[i].first;
        if (!th__vec_reserve(memory, len))
            return false;
        memcpy(memory->data + memory->len, tree->tags + ranges[i].first, len * sizeof *tree->tags);
        memory->len += len;
    }
    *out = (th__symbols){memory->data, (uint32_t)memory->len};
    return true;
}

uint32_t th__mdr_last_node(const th_page *page, th__mdr_range range)
{
    uint32_t last = range.first;
    while (page->nodes[last].end < range.end)
        last = page->nodes[last].end;
    return last;
}

/* ---- classes --------------------------------------------------------------------------------- */

th__mdr_classes th__mdr_words(th_str text)
{
    th__mdr_classes out = {.count = 0};
    size_t at = 0;
    for (th_str word; out.count < TH__MDR_MAX_CLASSES && (word = th__str_word(text, &at)).len;)
        out.word[out.count++] = word;
    return out;
}

th__mdr_classes th__mdr_classes_of(const th_page *page, uint32_t node)
{
    th_str value = {0};
    if (node)
        th_attr_get(page, page->nodes[node].token, "class", &value);
    return th__mdr_words(value);
}

bool th__mdr_classes_share(th__mdr_classes *a, const th__mdr_classes *b)
{
    unsigned kept = 0, fewer = a->count < b->count ? a->count : b->count;
    for (unsigned i = 0; i < a->count; i++) {
        unsigned k = 0;
        while (k < b->count && !th__str_eq(a->word[i], b->word[k]))
            k++;
        if (k < b->count)
            a->word[kept++] = a->word[i];
    }
    a->count = kept;
    return fewer && 2 * kept >= fewer;
}

/* ---- similar --------------------------------------------------------------------------------- */

bool th__mdr_compare_init(th__mdr_compare *compare, const th_page *page,
                          const th__mdr_options *options, th__arena *arena)
{
    *compare = (th__mdr_compare){.options = options};
    th__edit_init(&compare->edit);
    if (!build_tree(&compare->tree, page, arena))
        return false;
    compare->memo = th__arena_zero(arena, TH__MDR_MEMO_SLOTS, sizeof *compare->memo);
    return compare->memo;
}

void th__mdr_compare_release(th__mdr_compare *compare)
{
    th__edit_release(&compare->edit);
    th__mem_free(compare->counts);
}

/* max(|A \ B|, |B \ A|) of the bags of tags: a lower bound of the edit distance. */
static uint32_t bag_distance(th__mdr_compare *compare, th__symbols a, th__symbols b)
{
    if (!compare->counts)
        compare->counts = th__mem_zero(UINT16_MAX + 1, sizeof *compare->counts);
    if (!compare->counts)
        return TH__EDIT_NO_MEMORY;
    uint32_t only_a = 0, only_b = 0;
    for (uint32_t i = 0; i < a.len; i++)
        compare->counts[a.at[i]]++;
    for (uint32_t i = 0; i < b.len; i++)
        compare->counts[b.at[i]]--;
    for (uint32_t i = 0; i < a.len; i++) {
        int32_t *count = &compare->counts[a.at[i]];
        only_a += *count > 0 ? (uint32_t)*count : 0;
        *count = *count > 0 ? 0 : *count;
    }
    for (uint32_t i = 0; i < b.len; i++) {
        int32_t *count = &compare->counts[b.at[i]];
        only_b += *count < 0 ? (uint32_t) - *count : 0;
        *count = 0;
    }
    return only_a > only_b ? only_a : only_b;
}

static uint32_t compute(th__mdr_compare *compare, th__symbols a, th__symbols b, uint32_t bound)
{
    uint32_t limit = compare->options->compare_limit;
    uint32_t distance = a.len > limit || b.len > limit
                            ? bag_distance(compare, a, b)
                            : th__edit_distance(&compare->edit, a, b, bound);
    if (distance == TH__EDIT_NO_MEMORY)
        compare->no_memory = true;
    return distance;
}

uint32_t th__mdr_bound(uint32_t a_len, uint32_t b_len, double threshold)
{
    double most = threshold * ((double)a_len + b_len) / 2;
    if (!(most > 0))
        return 0;
    most = floor(most * (1 + 1e-12)); /* 0.3 * 20 / 2 must give 3 despite rounding */
    return most < TH__EDIT_ANY ? (uint32_t)most : TH__EDIT_ANY;
}

bool th__mdr_within(th__mdr_compare *compare, th__symbols a, th__symbols b, double threshold,
                    double *distance)
{
    uint32_t bound = th__mdr_bound(a.len, b.len, threshold);
    uint32_t edits = compute(compare, a, b, bound);
    if (distance)
        *distance = 2.0 * edits / ((double)a.len + b.len);
    return edits <= bound;
}

bool th__mdr_similar(th__mdr_compare *compare, th__symbols a, th__symbols b)
{
    uint32_t bound = th__mdr_bound(a.len, b.len, compare->options->threshold);
    if ((a.len > b.len ? a.len - b.len : b.len - a.len) > bound)
        return false;
    if (a.len == b.len && !memcmp(a.at, b.at, a.len * sizeof *a.at))
        return true;
    uint64_t hash_a = th__hash(a.at, a.len * sizeof *a.at);
    uint64_t hash_b = th__hash(b.at, b.len * sizeof *b.at);
    th__mdr_memo *memo = &compare->memo[th__hash_mix(hash_a, hash_b) % TH__MDR_MEMO_SLOTS];
    if (memo->a != hash_a || memo->b != hash_b)
        *memo = (th__mdr_memo){hash_a, hash_b, compute(compare, a, b, bound) <= bound};
    return memo->similar;
}

bool th__mdr_combination(const th__mdr_compare *compare, uint32_t first, uint32_t size,
                         th__symbols *out)
{
    const th__mdr_tree *tree = &compare->tree;
    uint32_t node = first;
    for (uint32_t i = 0; i < size; i++) {
        if (!compare->options->every_tag && !is_table_tag(tree->tags[node]))
            return false;
        node = tree->end[node];
    }
    *out = (th__symbols){tree->tags + first, node - first};
    return true;
}

/* True if all children of a node are similar: two or more, each adjacent pair within T. */
static bool children_similar(th__mdr_compare *compare, uint32_t node)
{
    const th__mdr_tree *tree = &compare->tree;
    th__symbols left, right;
    uint32_t child = node + 1;
    if (tree->kids[node] < 2 || !th__mdr_combination(compare, child, 1, &left))
        return false;
    for (child = tree->end[child]; child < tree->end[node]; child = tree->end[child], left = right)
        if (!th__mdr_combination(compare, child, 1, &right) ||
            !th__mdr_similar(compare, left, right))
            return false;
    return true;
}

/* ---- FindRecords-1 and FindRecords-n -----------------------------------------------------------
 *
 * A generalized node is a record, or holds several: one level down, the children of its one node
 * (FindRecords-1), or the k-th children of each of its nodes, which are one record in several
 * pieces (FindRecords-n). The children must be similar, and must not be the cells of a data table,
 * where the row is the record.
 */

/* True if a cell is one of a data table: at most one text run, no block inside. A line break beside
 * its text is not a block: <td>Ann<br></td>. */
static bool is_plain_cell(const th_page *page, uint32_t node)
{
    const th_node *cell = &page->nodes[node];
    unsigned runs = 0;
    for (uint32_t t = cell->token + 1; t < cell->token_end;) {
        const th_token *token = &page->tokens[t];
        if (token->kind == TH_TOKEN_START && token->tag != TH_TAG_BR &&
            th__tag_flags(token->tag) & TH_TAG_IS_BLOCK)
            return false;
        if (token->kind == TH_TOKEN_TEXT && !(token->flags & TH_TOKEN_BLANK) && ++runs > 1)
            return false;
        t = token->kind == TH_TOKEN_START ? th__hidden_end(page, t) : t + 1;
    }
    return true;
}

static bool is_table_row(const th__mdr_tree *tree, uint32_t node)
{
    for (uint32_t child = node + 1; child < tree->end[node]; child = tree->end[child])
        if (!is_plain_cell(tree->page, tree->node[child]))
            return false;
    return true;
}

th__mdr_cut th__mdr_judge(th__mdr_compare *compare, uint32_t first, uint32_t size, bool *plain)
{
    const th__mdr_tree *tree = &compare->tree;
    uint32_t kids = tree->kids[first];
    *plain = true;
    for (uint32_t i = 0, node = first; i < size; i++, node = tree->end[node])
        if (tree->kids[node] != kids || !children_similar(compare, node)) {
            *plain = false;
            return TH__MDR_WHOLE;
        }
    for (uint32_t i = 0, node = first; i < size && *plain; i++, node = tree->end[node])
        *plain = is_table_row(tree, node);
    if (size > 1)
        return TH__MDR_COLUMNS;
    return *plain ? TH__MDR_WHOLE : TH__MDR_CHILDREN;
}

static bool add_record(th__mdr_list *list, th__mdr_range range)
{
    th__mdr_rough record = {(uint32_t)list->ranges.len, 1};
    return th__vec_push(&list->ranges, range) && th__vec_push(&list->records, record);
}

/* The k-th children of `size` rows: as many records as the shortest row has children. */
static bool cut_columns(const th__mdr_tree *tree, uint32_t first, uint32_t size, th__mdr_list *list)
{
    uint32_t nodes[TH__MDR_MAX_COMBINATION], columns = UINT32_MAX;
    for (uint32_t i = 0; i < size; i++, first = tree->end[first]) {
        nodes[i] = first + 1;
        columns = tree->kids[first] < columns ? tree->kids[first] : columns;
    }
    for (uint32_t k = 0; k < columns; k++) {
        th__mdr_rough record = {(uint32_t)list->ranges.len, size};
        for (uint32_t i = 0; i < size; i++) {
            if (!th__vec_push(&list->ranges, ((th__mdr_range){nodes[i], tree->end[nodes[i]]})))
                return false;
            nodes[i] = tree->end[nodes[i]]; /* the next column, if there is one */
        }
        if (!th__vec_push(&list->records, record))
            return false;
    }
    return true;
}

bool th__mdr_cut_inside(const th__mdr_tree *tree, uint32_t first, uint32_t size, bool columns,
                        th__mdr_list *list)
{
    if (columns)
        return cut_columns(tree, first, size, list);
    for (uint32_t child = first + 1; child < tree->end[first]; child = tree->end[child])
        if (!add_record(list, (th__mdr_range){child, tree->end[child]}))
            return false;
    return true;
}

bool th__mdr_cut_node(th__mdr_compare *compare, uint32_t first, uint32_t size, th__mdr_cut cut,
                      th__mdr_list *list)
{
    const th__mdr_tree *tree = &compare->tree;
    size_t before = list->records.len;
    bool plain;
    if (cut == TH__MDR_MIXED)
        cut = th__mdr_judge(compare, first, size, &plain);
    if (cut != TH__MDR_WHOLE &&
        !th__mdr_cut_inside(tree, first, size, cut == TH__MDR_COLUMNS, list))
        return false;
    return list->records.len > before ||
           add_record(list, (th__mdr_range){first, th__mdr_after(tree, first, size)});
}

th__mdr_record *th__mdr_list_on_page(const th__mdr_tree *tree, const th__mdr_list *list,
                                     th__arena *arena)
{
    th__mdr_range *ranges = th__arena_alloc(arena, list->ranges.len * sizeof *ranges);
    th__mdr_record *out = th__arena_alloc(arena, list->records.len * sizeof *out);
    if (!ranges || !out)
        return NULL;
    for (size_t i = 0; i < list->ranges.len; i++) {
        th__mdr_range range = list->ranges.data[i];
        uint32_t last = range.first;
        while (tree->end[last] < range.end)
            last = tree->end[last];
        ranges[i].first = tree->node[range.first];
        ranges[i].end = tree->page->nodes[tree->node[last]].end;
    }
    for (size_t i = 0; i < list->records.len; i++) {
        const th__mdr_rough *rough = &list->records.data[i];
        out[i] = (th__mdr_record){ranges + rough->range, rough->range_count};
    }
    return out;
}
