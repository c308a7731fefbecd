/* stalker_items.c: where the items of a list stand. */
#include <stdlib.h>

#include "base/vec.h"
#include "engine/papers/stalker/stalker_run.h"
#include "page/page.h"
#include "page/text.h"

/* ---- structure ------------------------------------------------------------------------------- */

/* The part of an extent that lies between the texts that enclose the list. False when they are not
 * there. */
static bool narrow(const th__stalker_list *list, const th__stalker_map *map,
                   const th__stalker_extent *extent, th__stalker_extent *out)
{
    uint32_t first, end;
    *out = *extent;
    th__things_in(map, extent, TH__THING_UNIT, &first, &end);
    if (list->after.ptr) {
        while (first < end && map->units[first].hash != list->after_hash)
            first++;
        if (first == end)
            return false;
        out->token = map->units[first++].token + 1;
    }
    if (list->before.ptr) {
        while (first < end && map->units[first].hash != list->before_hash)
            first++;
        if (first < end)
            out->end = map->units[first].token;
    }
    return true;
}

/* Where a run that begins at a thing may reach at most: to the end of the parent of what begins it.
 */
static uint32_t run_limit(const th__stalker_map *map, uint32_t node, bool unit,
                          const th__stalker_extent *extent)
{
    uint32_t parent = unit ? node : map->page->nodes[node].parent;
    uint32_t end = map->page->nodes[parent].token_end;
    return parent <= extent->root || end > extent->end ? extent->end : end;
}

static bool add_item(const th__stalker_list *list, const th__stalker_map *map,
                     const th__stalker_extent *extent, uint32_t thing, th__extent_vec *out)
{
    const th_page *page = map->page;
    if (list->kind == TH__LIST_ELEMENTS)
        return th__vec_push(out, th__stalker_element(page, thing));
    if (list->kind == TH__LIST_UNITS) {
        const th__stalker_unit *unit = &map->units[thing];
        th__stalker_extent item =
            th__stalker_run_of(page, unit->node, unit->token, unit->token + 1);
        item.span = unit->span;
        return th__vec_push(out, item);
    }
    uint32_t node = list->start_is_unit ? map->units[thing].node : thing;
    uint32_t token = list->start_is_unit ? map->units[thing].token : page->nodes[thing].token;
    uint32_t root = list->start_is_unit ? node : page->nodes[node].parent;
    uint32_t end = run_limit(map, node, list->start_is_unit, extent);
    if (out->len && out->data[out->len - 1].end > token) {
        th__stalker_extent *last = &out->data[out->len - 1];
        *last = th__stalker_run_of(page, last->root, last->token, token);
    }
    return end <= token || th__vec_push(out, th__stalker_run_of(page, root, token, end));
}

/* Whether a thing is no item by the labels on the page; nor are those behind it, up to the list's
 * own label. */
static bool is_shut(const th__stalker_list *list, const th__stalker_map *map,
                    const th__stalker_extent *extent, uint32_t unit, bool *shut)
{
    if (!list->told.own)
        return false;
    if (th__told_refuses(&list->told, map, extent, unit))
        *shut = true;
    else if (unit && map->units[unit - 1].hash == list->told.own)
        *shut = false;
    return *shut;
}

static bool items_by_structure(const th__stalker_list *list, const th__stalker_map *map,
                               const th__stalker_extent *whole, th__extent_vec *out)
{
    bool units =
        list->kind == TH__LIST_UNITS || (list->kind == TH__LIST_RUNS && list->start_is_unit);
    th__thing_kind kind = units ? TH__THING_UNIT : TH__THING_NODE;
    th__stalker_extent extent;
    uint32_t first, end, parent = TH__NO_THING;
    bool shut = false;
    if (!narrow(list, map, whole, &extent))
        return true;
    th__things_in(map, &extent, kind, &first, &end);
    for (uint32_t t = first; t < end; t++) {
        uint32_t node = th__thing_node(map, kind, t);
        if (!th__path_spec_matches(&list->at, map, extent.root, kind, t) ||
            (list->texts && !th__thing_has_text(map, kind, t)) ||
            is_shut(list, map, whole, th__thing_units_before(map, kind, t), &shut))
            continue;
        uint32_t above = map->page->nodes[node].parent;
        if (list->together && parent != TH__NO_THING && above != parent)
            continue;
        parent = above;
        if (!add_item(list, map, &extent, t, out))
            return false;
        /* Items do not stand inside each other. */
        if (list->kind == TH__LIST_ELEMENTS)
            t = map->page->nodes[t].end - 1;
    }
    return true;
}

/* ---- landmarks ------------------------------------------------------------------------------- */

static bool is_start_tag(const th__stalker_seq *seq, uint32_t position)
{
    return seq->tokens[position].cls == TH_CLASS_TAG_START;
}

/* Where an item begins: with the elements around its first text that end in it, so that it is made
 * of whole ones, as the next items are. */
static uint32_t element_start(const th_page *page, th_span item, const th__stalker_extent *extent)
{
    uint32_t start = item.start;
    for (uint32_t token = th__token_at(page, start); token > extent->token; token--) {
        uint32_t tag = token - 1, node = th__page_node_from(page, tag);
        if (page->tokens[tag].kind != TH_TOKEN_START || node >= page->node_count ||
            page->nodes[node].token != tag)
            break;
        uint32_t last = page->nodes[node].token_end;
        if (page->tokens[last - 1].kind == TH_TOKEN_END)
            last--;
        if (page->tokens[last].start > item.end)
            break;
        start = page->tokens[tag].start;
    }
    return start;
}

static bool items_by_landmarks(const th__stalker_list *list, th__stalker_page *page,
                               const th__stalker_extent *extent, th__extent_vec *out)
{
    const th__stalker_seq *seq = th__stalker_page_seq(page);
    if (!seq)
        return false;
    th_span span = th__stalker_decide(list->span, page, extent).span;
    if (!span.end)
        return true;
    uint32_t from = th__stalker_seq_at(seq, span.start), to = th__stalker_seq_at(seq, span.end);
    uint32_t first = th__stalker_seq_at(seq, extent->span.start);
    uint32_t last = th__stalker_seq_at(seq, extent->span.end);
    for (; list->with_tags && from > first && is_start_tag(seq, from - 1); from--)
        ;
    for (; list->with_tags && to < last && is_start_tag(seq, to); to++)
        ;
    uint64_t spent = 0;
    uint32_t start = from; /* where the list begins its first item does */
    while (start != TH__NO_MATCH && start < to) {
        uint32_t next = th__rule_next(&list->item.start, seq, start + 1, to, &spent);
        uint32_t border = next == TH__NO_MATCH || next >= to ? to : next;
        uint32_t end = th__rule_run(&list->item.end, seq, start, border, NULL);
        /* Where an item ends that has not begun, two separators stand side by side, or one stands
         * before the first item: there is none between. */
        uint32_t other =
            end == start ? th__rule_next(&list->item.start, seq, start, to, &spent) : TH__NO_MATCH;
        if (other != TH__NO_MATCH && other > start) {
            start = other;
            continue;
        }
        end = end == TH__NO_MATCH || end <= start ? border : end;
        th_span item = {th__stalker_start_of(seq, start), th__stalker_end_of(seq, end)};
        item.start = element_start(page->page, item, extent);
        if (!th__vec_push(out, th__stalker_stretch(page->page, item)))
            return false;
        start = next;
    }
    return true;
}

static bool items_by_lines(const th__stalker_list *list, th__stalker_page *page,
                           const th__stalker_extent *extent, th__extent_vec *out)
{
    const th__stalker_map *map = th__stalker_page_map(page);
    th__stalker_extent within = *extent;
    if (!map)
        return false;
    if (list->span) {
        th_span span = th__stalker_decide(list->span, page, extent).span;
        if (!span.end)
            return true;
        within.token = th__token_at(page->page, span.start);
        within.end = th__token_at(page->page, span.end - 1) + 1;
        within.token = within.token > extent->token ? within.token : extent->token;
        within.end = within.end < extent->end ? within.end : extent->end;
    }
    return th__stalker_line_items(list->indented, map, &within, out);
}

bool th__stalker_items(const th__stalker_list *list, th__stalker_page *page,
                       const th__stalker_extent *extent, th__extent_vec *out)
{
    if (list->kind == TH__LIST_SIGNS) {
        th_span span = th__stalker_decide(list->span, page, extent).span;
        return !span.end || th__stalker_split(page->page, list->sign, span, out);
    }
    if (list->kind == TH__LIST_LINES)
        return items_by_lines(list, page, extent, out);
    if (list->kind < TH__LIST_ELEMENTS)
        return !list->item.weight || !list->span || items_by_landmarks(list, page, extent, out);
    const th__stalker_map *map = th__stalker_page_map(page);
    return map && items_by_structure(list, map, extent, out);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static bool add_text(const th__stalker_field *field, th__stalker_page *page,
                     const th__stalker_extent *extent, th__list_texts *out)
{
    th_span span = th__stalker_decide(field, page, extent).span;
    return !span.end || th__vec_push(out, (th__list_text){field, span});
}

/* Labelled lists have one text at most; where there are several lines, each is one. */
static bool add_lines(const th__stalker_field *field, th__stalker_page *page,
                      const th__stalker_extent *extent, th__list_texts *out)
{
    th_span span = th__stalker_decide(field, page, extent).span;
    const th__stalker_map *map = field->simple && span.end ? th__stalker_page_map(page) : NULL;
    uint32_t first = map ? th__stalker_unit_at(map, span.start) : 0;
    uint32_t end = map ? th__stalker_units_to(map, span.end) : 0;
    if (first + 1 >= end)
        return !span.end || th__vec_push(out, (th__list_text){field, span});
    for (uint32_t u = first; u < end; u++) {
        th_span line = map->units[u].span;
        while (u + 1 < end && th__stalker_in_line(map, u))
            line.end = map->units[++u].span.end;
        if (!th__vec_push(out, (th__list_text){field, line}))
            return false;
    }
    return true;
}

static int by_place(const void *left, const void *right)
{
    const th__list_text *a = left, *b = right;
    if (a->span.start != b->span.start)
        return a->span.start < b->span.start ? -1 : 1;
    return a->span.end < b->span.end ? -1 : a->span.end > b->span.end;
}

static bool parts_of(const th__stalker_node *node, th__stalker_page *page,
                     const th__stalker_extent *extent, th__list_texts *out)
{
    size_t begin = out->len, kept = begin;
    for (uint32_t i = 0; i < node->list->part_count; i++) {
        const th__stalker_node *part = &node->list->parts[i];
        bool ok = part->list->kind == TH__LIST_SINGLE
                      ? add_text(part->children[0].field, page, extent, out)
                      : th__stalker_texts(part, page, extent, out);
        if (!ok)
            return false;
    }
    if (out->len > begin)
        qsort(out->data + begin, out->len - begin, sizeof *out->data, by_place);
    for (size_t i = begin; i < out->len; i++)
        if (i == begin || by_place(&out->data[i], &out->data[kept - 1]))
            out->data[kept++] = out->data[i];
    out->len = kept;
    return true;
}

bool th__stalker_texts(const th__stalker_node *node, th__stalker_page *page,
                       const th__stalker_extent *extent, th__list_texts *out)
{
    const th__stalker_field *field = node->children[0].field;
    th__extent_vec items = {0};
    if (node->list->kind == TH__LIST_PARTS)
        return parts_of(node, page, extent, out);
    if (node->list->kind == TH__LIST_SINGLE)
        return add_lines(field, page, extent, out);
    bool ok = th__stalker_items(node->list, page, extent, &items);
    for (size_t i = 0; ok && i < items.len; i++)
        ok = add_text(field, page, &items.data[i], out);
    th__vec_release(&items);
    return ok;
}
