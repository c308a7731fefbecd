/*
 * stalker_run.c: running the rules: what each view says of a field and who is believed, where the
 * items of a list are, and the records of a page, down the catalog tree.
 *
 * Recursion goes as deep as the schema, which has a limit. Every node looks through its parent's
 * scope once per rule, and the scopes of a list's items do not overlap: the cost is page size times
 * rules times depth.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "data/record.h"
#include "engine/papers/stalker/stalker.h"
#include "page/page.h"
#include "page/signs.h"
#include "page/tags.h"
#include "page/text.h"

const th__page_map *th__stalker_page_map(th__stalker_page *page)
{
    if (!page->mapped && !page->failed) {
        page->failed |= !th__page_map_make(page->arena, page->page, !page->unparted, &page->map);
        page->mapped = true;
    }
    return page->failed ? NULL : &page->map;
}

const th__stalker_seq *th__stalker_page_seq(th__stalker_page *page)
{
    if (!page->lexed && !page->failed) {
        th_span whole = {0, (uint32_t)page->page->text.len};
        page->failed |= !th__stalker_seq_make(page->arena, page->page, whole, &page->seq);
        page->lexed = true;
    }
    return page->failed ? NULL : &page->seq;
}

/* ---- the structural view --------------------------------------------------------------------- */

/* From the first unit of an element to its last. */
static bool node_span(const th__page_map *map, uint32_t node, th_span *out)
{
    const th_node *n = &map->page->nodes[node];
    uint32_t first = map->before[n->token], end = map->before[n->token_end];
    if (first == end)
        return false;
    *out = (th_span){map->units[first].span.start, map->units[end - 1].span.end};
    return true;
}

static bool is_value(const th__stalker_field *field, const th_page *page, th_span span)
{
    return field->literal || !th__says_nothing(th__page_slice(page, span.start, span.end));
}

bool th__stalker_begins_line(const th__stalker_field *field, const th__page_map *map, uint32_t unit)
{
    return !unit || !th__map_flows(map, unit - 1) ||
           (field->identified_by.own && map->units[unit - 1].hash == field->identified_by.own);
}

/* A unit, with what flows before and behind it where that belongs to the value. */
static th_span unit_span(const th__stalker_field *field, const th__page_map *map, uint32_t unit)
{
    uint32_t first = unit, last = unit;
    if (field->full) {
        const th_node *node = &map->page->nodes[map->units[unit].node];
        first = map->before[node->token];
        last = map->before[node->token_end] - 1;
    }
    while (field->from_start && !th__stalker_begins_line(field, map, first))
        first--;
    while (field->to_end && th__map_flows(map, last))
        last++;
    return (th_span){map->units[first].span.start, map->units[last].span.end};
}

/* The tokens of a stretch alone. */
static const th__stalker_seq *seq_of(th__stalker_page *page, th_span span)
{
    th__stalker_seq *own = th__arena_zero(page->arena, 1, sizeof *own);
    if (own && th__stalker_seq_make(page->arena, page->page, span, own))
        return own;
    page->failed = true;
    return NULL;
}

const th__stalker_seq *th__stalker_cut_seq(const th__stalker_field *field, th__stalker_page *page,
                                           th_span span)
{
    return field->attribute.ptr ? seq_of(page, span) : th__stalker_page_seq(page);
}

/* The tokens of a value that is to be cut. Those of all of the page are the same there: they are
 * made only where other rules need them, or where the pieces come to as much. */
static const th__stalker_seq *seq_to_cut(const th__stalker_field *field, th__stalker_page *page,
                                         th_span span)
{
    enum { PART = 4 }; /* of the page: pieces are lexed twice, to look whether they are there */
    uint32_t len = span.end - span.start, most = (uint32_t)page->page->text.len / PART;
    if (field->attribute.ptr || page->lexed || len > most - page->pieces)
        return th__stalker_cut_seq(field, page, span);
    page->pieces += len;
    return seq_of(page, span);
}

static bool cut(const th__stalker_field *field, th__stalker_page *page, th_span *span)
{
    const th__stalker_seq *seq = seq_to_cut(field, page, *span);
    if (!seq)
        return false;
    uint32_t first = th__stalker_seq_at(seq, span->start),
             last = th__stalker_seq_at(seq, span->end);
    uint32_t start = th__rule_run(&field->cut_start, seq, first, last, NULL);
    if (start == TH__NO_MATCH)
        return false;
    uint32_t end = th__rule_run(&field->cut_end, seq, start, last, NULL);
    if (end == TH__NO_MATCH || end <= start)
        return false;
    *span = (th_span){th__stalker_start_of(seq, start), th__stalker_end_of(seq, end)};
    return true;
}

/* The attribute of a start tag, or what its cut rules leave of it. */
static bool read_attribute(const th__stalker_field *field, th__stalker_page *page, uint32_t token,
                           th_span *out)
{
    return th__attribute_span(page->page, token, field->attribute, out) &&
           (!field->cut || cut(field, page, out));
}

bool th__stalker_thing_span(const th__stalker_field *field, th__stalker_page *page, uint32_t thing,
                            th_span *out)
{
    const th__page_map *map = th__stalker_page_map(page);
    if (!map)
        return false;
    if (field->attribute.ptr)
        return read_attribute(field, page, page->page->nodes[thing].token, out);
    if (field->thing == TH__THING_UNIT)
        *out = unit_span(field, map, thing);
    else if (!node_span(map, thing, out))
        return false;
    return (!field->cut || cut(field, page, out)) && is_value(field, page->page, *out);
}

static th__stalker_answer ask_structure(const th__stalker_field *field, th__stalker_page *page,
                                        const th__scope *scope)
{
    const th__page_map *map = th__stalker_page_map(page);
    th__stalker_answer answer = {0};
    if (!map || !field->place_count)
        return answer;
    uint32_t thing =
        th__place_rules_vote(field->places, field->place_count, &field->identified_by, map, scope,
                             (th__thing_kind)field->thing, !field->attribute.ptr, &answer.support);
    if (thing != TH__NO_THING && !th__stalker_thing_span(field, page, thing, &answer.span))
        answer.span = (th_span){0};
    if (answer.span.end)
        answer.node = th__thing_node(map, (th__thing_kind)field->thing, thing);
    answer.agreement = field->place_count > 1 ? answer.support : 0;
    answer.support *= field->weight / 1000.0;
    return answer;
}

/* ---- the landmark views ---------------------------------------------------------------------- */

/* What does not belong to a value that it is at an end of: tags and blanks. */
static bool is_edge(const th__stalker_token *token)
{
    return th__class_is(token->cls, TH_CLASS_HTML) || th__class_is(token->cls, TH_CLASS_BLANK);
}

/* Returns true if what begins at a byte cannot be a field's value, by the labels on the page. */
static bool is_refused(const th__stalker_field *field, th__stalker_page *page,
                       const th__scope *scope, uint32_t start)
{
    const th__page_map *map = field->identified_by.labels ? th__stalker_page_map(page) : NULL;
    return map && th__label_refuses(&field->identified_by, map, scope, th__map_unit_at(map, start));
}

static th__stalker_answer ask_landmarks(const th__stalker_field *field,
                                        const th__landmark_view *view, th__stalker_page *page,
                                        const th__scope *scope)
{
    th__stalker_answer answer = {.support = view->weight / 1000.0};
    const th__stalker_seq *seq = view->weight ? th__stalker_page_seq(page) : NULL;
    if (!seq)
        return (th__stalker_answer){0};
    uint32_t first = th__stalker_seq_at(seq, scope->span.start);
    uint32_t last = th__stalker_seq_at(seq, scope->span.end);
    uint32_t start = th__rule_run(&view->start, seq, first, last, NULL);
    if (start == TH__NO_MATCH || start >= last)
        return answer;
    if (field->attribute.ptr) {
        const th__stalker_token *tag = &seq->tokens[start];
        if (tag->cls != TH_CLASS_TAG_START ||
            !read_attribute(field, page, th__token_at(page->page, tag->start), &answer.span))
            answer.span = (th_span){0};
        return answer;
    }
    uint32_t end = th__rule_run(&view->end, seq, view->end.backward ? first : start, last, NULL);
    if (end == TH__NO_MATCH)
        return answer;
    while (!field->extent && start < end && is_edge(&seq->tokens[start]))
        start++;
    while (!field->extent && end > start && is_edge(&seq->tokens[end - 1]))
        end--;
    if (end <= start || is_refused(field, page, scope, seq->tokens[start].start))
        return answer;
    th_span span = {th__stalker_start_of(seq, start), th__stalker_end_of(seq, end)};
    if (is_value(field, page->page, span))
        answer.span = span;
    return answer;
}

/* ---- all views together ---------------------------------------------------------------------- */

th__stalker_answer th__stalker_ask(const th__stalker_field *field, th__stalker_view view,
                                   th__stalker_page *page, const th__scope *scope)
{
    switch (view) {
    case TH__VIEW_STRUCTURE:
        return ask_structure(field, page, scope);
    case TH__VIEW_FORWARD:
        return ask_landmarks(field, &field->forward, page, scope);
    default:
        return ask_landmarks(field, &field->backward, page, scope);
    }
}

th__stalker_answer th__stalker_decide(const th__stalker_field *field, th__stalker_page *page,
                                      const th__scope *scope)
{
    th__stalker_answer answers[TH__VIEWS], best = {0};
    double most = -1, all = 0;
    if (field->whole) {
        th_span span = th__span_trim(page->page, scope->span);
        return (th__stalker_answer){is_value(field, page->page, span) ? span : (th_span){0}, 1, 0,
                                    0};
    }
    for (int v = 0; v < TH__VIEWS; v++) {
        answers[v] = th__stalker_ask(field, (th__stalker_view)v, page, scope);
        /* Nobody can outvote it: the others need not be asked. */
        if (v == TH__VIEW_STRUCTURE &&
            answers[v].support > (field->forward.weight + field->backward.weight) / 1000.0)
            return answers[v];
    }
    for (int v = 0; v < TH__VIEWS; v++) {
        double votes = 0;
        for (int w = 0; w < TH__VIEWS; w++)
            votes += th__same_span(answers[v].span, answers[w].span) ? answers[w].support : 0;
        all += answers[v].support;
        /* Landmarks alone: a rule that matches nothing abstains, and so does the view that was not
         * learnt. Else "nothing" would win whenever one of two rules finds a value. */
        if (!field->place_count && !answers[v].span.end)
            continue;
        if (votes > most) {
            most = votes;
            best = answers[v];
        }
    }
    if (most < 0)
        most = all; /* all say nothing */
    best.support = all > 0 ? most / all : 0;
    best.agreement = best.support;
    return best;
}

/* ---- lines -------------------------------------------------------------------------------------
 *
 * Lists whose items are lines of text:
 *
 *     <td><b>Old Mill</b> | Bern<br>
 *     &nbsp;&nbsp;<i>Paul Price</i> | 4 stars<br>
 *     &nbsp;&nbsp;<i>Anna Field</i><br>
 *     <b>New Mill</b></td>
 *
 * A line ends at a <br> or at the edge of a block. Lines that begin further in belong to the line
 * above them: they are the items of a list in its item. */

/* Returns true if a token is markup or blanks inside a line. */
static bool is_inside(const th_page *page, uint32_t token)
{
    const th_token *t = &page->tokens[token];
    if (t->kind == TH_TOKEN_TEXT)
        return th__span_trim(page, (th_span){t->start, t[1].start}).start == t[1].start;
    return t->kind == TH_TOKEN_COMMENT || ((t->kind == TH_TOKEN_START || t->kind == TH_TOKEN_END) &&
                                           t->tag != TH_TAG_BR && th__tag_flows(t->tag));
}

/* Returns true if blanks that show are in a stretch: a run of no-break spaces. */
static bool is_wide(const th_page *page, uint32_t start, uint32_t end)
{
    for (uint32_t i = start; i < end; i++)
        if (!th__is_blank((unsigned char)page->text.ptr[i]))
            return true;
    return false;
}

/* The first token of the line that begins with a unit; *indented: it begins further in. */
static uint32_t line_start(const th__page_map *map, const th__scope *scope, uint32_t unit,
                           bool *indented)
{
    const th_page *page = map->page;
    uint32_t token = map->units[unit].token;
    *indented = is_wide(page, page->tokens[token].start, map->units[unit].span.start);
    while (token > scope->token && is_inside(page, token - 1)) {
        token--;
        *indented |= page->tokens[token].kind == TH_TOKEN_TEXT &&
                     is_wide(page, page->tokens[token].start, page->tokens[token + 1].start);
    }
    return token;
}

/* The block that a unit is in. */
static uint32_t block_of(const th__page_map *map, uint32_t root, uint32_t unit)
{
    uint32_t node = map->units[unit].node;
    while (node > root && th__tag_flows(map->page->tags[node]))
        node = map->page->nodes[node].parent;
    return node;
}

/* The token behind a <br> of a block, when one is between a unit and the one before it; or 0.
 */
static uint32_t behind_break(const th__page_map *map, uint32_t block, uint32_t unit)
{
    const th_page *page = map->page;
    for (uint32_t t = map->units[unit].token; unit && t-- > map->units[unit - 1].token;) {
        if (page->tokens[t].kind != TH_TOKEN_START || page->tokens[t].tag != TH_TAG_BR)
            continue;
        uint32_t node = th_page_node_at(page, page->tokens[t].start);
        while (node > block && th__tag_flows(page->tags[node]))
            node = page->nodes[node].parent;
        if (node == block)
            return t + 1;
    }
    return 0;
}

bool th__stalker_is_simple(const th__page_map *map, th_span span)
{
    uint32_t first = th__map_unit_at(map, span.start);
    uint32_t end = th__map_units_to(map, span.end);
    for (uint32_t u = first; u < end; u++) {
        if (u + 1 < end && !th__map_flows(map, u))
            return false;
        uint32_t to = map->units[u].span.end < span.end ? map->units[u].span.end : span.end;
        for (uint32_t i = map->units[u].span.start; i < to; i++)
            if (th__sign_is_item(map->page->text.ptr[i]) && i >= span.start &&
                !(map->page->text.ptr[i] == ';' && i > span.start &&
                  th__is_alpha((unsigned char)map->page->text.ptr[i - 1])))
                return false;
    }
    return true;
}

static bool line_items(bool indented, const th__page_map *map, const th__scope *scope,
                       th__scopes *out)
{
    const th_page *page = map->page;
    uint32_t first, end, top = 0;
    bool open = false; /* the last item may reach on */
    th__things_in(map, scope, TH__THING_UNIT, &first, &end);
    for (uint32_t u = first; u < end; u++) {
        bool in;
        uint32_t block = block_of(map, scope->root, u);
        top = u == first ? block : top;
        /* Lines of a block inside are part of the line that it is below, which may be empty. */
        uint32_t token = block != top ? behind_break(map, top, u) : 0;
        if (block != top ? !token : u > first && th__map_in_line(map, u - 1))
            continue;
        if (block == top)
            token = line_start(map, scope, u, &in);
        else
            in = false;
        block = top;
        if (open && in && !indented)
            continue; /* a line below the item's */
        if (open) {
            th__scope *last = &out->data[out->len - 1];
            *last = th__scope_run(page, last->root, last->token, token);
        }
        open = in == indented;
        if (!open)
            continue;
        uint32_t stop = page->nodes[block].token_end;
        stop = stop < scope->end && block > scope->root ? stop : scope->end;
        if (!th__vec_push(out, th__scope_run(page, block, token, stop)))
            return false;
    }
    return true;
}

th__scope th__stalker_member_scope(const th__stalker_node *tuple, const th__stalker_node *member,
                                   th__stalker_page *page, const th__scope *scope)
{
    th__scope own = *scope;
    uint32_t first, end;
    bool indented = false;
    const th__page_map *map = tuple->own_lines && member->field ? th__stalker_page_map(page) : NULL;
    if (!map)
        return own;
    th__things_in(map, scope, TH__THING_UNIT, &first, &end);
    for (uint32_t u = first + 1; u < end && !indented; u++)
        if (!th__map_in_line(map, u - 1))
            own.end = line_start(map, scope, u, &indented);
    if (!indented)
        return *scope;
    own.span.end = page->page->tokens[own.end].start;
    return own;
}

/* ---- items by structure ---------------------------------------------------------------------- */

/* The part of a scope that lies between the texts that enclose the list. False when they are not
 * there. */
static bool narrow(const th__stalker_list *list, const th__page_map *map, const th__scope *scope,
                   th__scope *out)
{
    uint32_t first, end;
    *out = *scope;
    th__things_in(map, scope, TH__THING_UNIT, &first, &end);
    if (list->after.ptr) {
        first = th__map_find(map, first, end, list->after_hash);
        if (first == end)
            return false;
        out->token = map->units[first++].token + 1;
    }
    if (list->before.ptr) {
        first = th__map_find(map, first, end, list->before_hash);
        if (first < end)
            out->end = map->units[first].token;
    }
    return true;
}

/* Where a run that begins at a thing may reach at most: to the end of the parent of what begins it.
 */
static uint32_t run_limit(const th__page_map *map, uint32_t node, bool unit, const th__scope *scope)
{
    uint32_t parent = unit ? node : map->page->nodes[node].parent;
    uint32_t end = map->page->nodes[parent].token_end;
    return parent <= scope->root || end > scope->end ? scope->end : end;
}

static bool add_item(const th__stalker_list *list, const th__page_map *map, const th__scope *scope,
                     uint32_t thing, th__scopes *out)
{
    const th_page *page = map->page;
    if (list->kind == TH__LIST_ELEMENTS)
        return th__vec_push(out, th__scope_element(page, thing));
    if (list->kind == TH__LIST_UNITS) {
        const th__text_unit *unit = &map->units[thing];
        th__scope item = th__scope_run(page, unit->node, unit->token, unit->token + 1);
        item.span = unit->span;
        return th__vec_push(out, item);
    }
    uint32_t node = list->start_is_unit ? map->units[thing].node : thing;
    uint32_t token = list->start_is_unit ? map->units[thing].token : page->nodes[thing].token;
    uint32_t root = list->start_is_unit ? node : page->nodes[node].parent;
    uint32_t end = run_limit(map, node, list->start_is_unit, scope);
    if (out->len && out->data[out->len - 1].end > token) {
        th__scope *last = &out->data[out->len - 1];
        *last = th__scope_run(page, last->root, last->token, token);
    }
    return end <= token || th__vec_push(out, th__scope_run(page, root, token, end));
}

/* Returns true if a thing is no item by the labels on the page; nor are those behind it, up to the
 * list's own label. */
static bool is_shut(const th__stalker_list *list, const th__page_map *map, const th__scope *scope,
                    uint32_t unit, bool *shut)
{
    if (!list->identified_by.own)
        return false;
    if (th__label_refuses(&list->identified_by, map, scope, unit))
        *shut = true;
    else if (unit && map->units[unit - 1].hash == list->identified_by.own)
        *shut = false;
    return *shut;
}

static bool items_by_structure(const th__stalker_list *list, const th__page_map *map,
                               const th__scope *whole, th__scopes *out)
{
    bool units =
        list->kind == TH__LIST_UNITS || (list->kind == TH__LIST_RUNS && list->start_is_unit);
    th__thing_kind kind = units ? TH__THING_UNIT : TH__THING_NODE;
    th__scope scope;
    uint32_t first, end, parent = TH__NO_THING;
    bool shut = false;
    if (!narrow(list, map, whole, &scope))
        return true;
    th__things_in(map, &scope, kind, &first, &end);
    for (uint32_t t = first; t < end; t++) {
        uint32_t node = th__thing_node(map, kind, t);
        if (!th__path_spec_matches(&list->at, map, scope.root, kind, t) ||
            (list->texts && !th__thing_has_text(map, kind, t)) ||
            is_shut(list, map, whole, th__thing_units_before(map, kind, t), &shut))
            continue;
        uint32_t above = map->page->nodes[node].parent;
        if (list->together && parent != TH__NO_THING && above != parent)
            continue;
        parent = above;
        if (!add_item(list, map, &scope, t, out))
            return false;
        /* Items are not inside each other. */
        if (list->kind == TH__LIST_ELEMENTS)
            t = map->page->nodes[t].end - 1;
    }
    return true;
}

/* ---- items by landmarks ---------------------------------------------------------------------- */

static bool is_start_tag(const th__stalker_seq *seq, uint32_t position)
{
    return seq->tokens[position].cls == TH_CLASS_TAG_START;
}

/* Where an item begins: with the elements around its first text that end in it, so that it is made
 * of whole ones, as the next items are. */
static uint32_t element_start(const th_page *page, th_span item, const th__scope *scope)
{
    uint32_t start = item.start;
    for (uint32_t token = th__token_at(page, start); token > scope->token; token--) {
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
                               const th__scope *scope, th__scopes *out)
{
    const th__stalker_seq *seq = th__stalker_page_seq(page);
    if (!seq)
        return false;
    th_span span = th__stalker_decide(list->span, page, scope).span;
    if (!span.end)
        return true;
    uint32_t from = th__stalker_seq_at(seq, span.start), to = th__stalker_seq_at(seq, span.end);
    uint32_t first = th__stalker_seq_at(seq, scope->span.start);
    uint32_t last = th__stalker_seq_at(seq, scope->span.end);
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
        /* Where an item ends that has not begun, two separators are side by side, or one is
         * before the first item: there is none between. */
        uint32_t other =
            end == start ? th__rule_next(&list->item.start, seq, start, to, &spent) : TH__NO_MATCH;
        if (other != TH__NO_MATCH && other > start) {
            start = other;
            continue;
        }
        end = end == TH__NO_MATCH || end <= start ? border : end;
        th_span item = {th__stalker_start_of(seq, start), th__stalker_end_of(seq, end)};
        if (!list->span->extent)
            item.start = element_start(page->page, item, scope);
        if (!th__vec_push(out, th__scope_span(page->page, item)))
            return false;
        start = next;
    }
    return true;
}

static bool items_by_lines(const th__stalker_list *list, th__stalker_page *page,
                           const th__scope *scope, th__scopes *out)
{
    const th__page_map *map = th__stalker_page_map(page);
    th__scope within = *scope;
    if (!map)
        return false;
    if (list->span) {
        th_span span = th__stalker_decide(list->span, page, scope).span;
        if (!span.end)
            return true;
        within.token = th__token_at(page->page, span.start);
        within.end = th__token_at(page->page, span.end - 1) + 1;
        within.token = within.token > scope->token ? within.token : scope->token;
        within.end = within.end < scope->end ? within.end : scope->end;
    }
    return line_items(list->indented, map, &within, out);
}

bool th__stalker_items(const th__stalker_list *list, th__stalker_page *page, const th__scope *scope,
                       th__scopes *out)
{
    if (list->kind == TH__LIST_SIGNS) {
        th_span span = th__stalker_decide(list->span, page, scope).span;
        return !span.end || th__stalker_split(page->page, list->sign, span, out);
    }
    if (list->kind == TH__LIST_LINES)
        return items_by_lines(list, page, scope, out);
    if (list->kind < TH__LIST_ELEMENTS)
        return !list->item.weight || !list->span || items_by_landmarks(list, page, scope, out);
    const th__page_map *map = th__stalker_page_map(page);
    return map && items_by_structure(list, map, scope, out);
}

/* ---- the texts of a list --------------------------------------------------------------------- */

static bool add_text(const th__stalker_field *field, th__stalker_page *page, const th__scope *scope,
                     th__list_texts *out)
{
    th_span span = th__stalker_decide(field, page, scope).span;
    return !span.end || th__vec_push(out, (th__list_text){field, span});
}

/* Labelled lists have one text at most; where there are several lines, each is one. */
static bool add_lines(const th__stalker_field *field, th__stalker_page *page,
                      const th__scope *scope, th__list_texts *out)
{
    th_span span = th__stalker_decide(field, page, scope).span;
    const th__page_map *map = field->simple && span.end ? th__stalker_page_map(page) : NULL;
    uint32_t first = map ? th__map_unit_at(map, span.start) : 0;
    uint32_t end = map ? th__map_units_to(map, span.end) : 0;
    if (first + 1 >= end)
        return !span.end || th__vec_push(out, (th__list_text){field, span});
    for (uint32_t u = first; u < end; u++) {
        th_span line = map->units[u].span;
        while (u + 1 < end && th__map_in_line(map, u))
            line.end = map->units[++u].span.end;
        if (!th__vec_push(out, (th__list_text){field, line}))
            return false;
    }
    return true;
}

static int by_place(const void *left, const void *right)
{
    const th__list_text *a = left, *b = right;
    return th__order(a->span.start, b->span.start) ?: th__order(a->span.end, b->span.end);
}

static bool parts_of(const th__stalker_node *node, th__stalker_page *page, const th__scope *scope,
                     th__list_texts *out)
{
    size_t begin = out->len, kept = begin;
    for (uint32_t i = 0; i < node->list->part_count; i++) {
        const th__stalker_node *part = &node->list->parts[i];
        bool ok = part->list->kind == TH__LIST_SINGLE
                      ? add_text(part->children[0].field, page, scope, out)
                      : th__stalker_texts(part, page, scope, out);
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

bool th__stalker_texts(const th__stalker_node *node, th__stalker_page *page, const th__scope *scope,
                       th__list_texts *out)
{
    const th__stalker_field *field = node->children[0].field;
    th__scopes items = {0};
    if (node->list->kind == TH__LIST_PARTS)
        return parts_of(node, page, scope, out);
    if (node->list->kind == TH__LIST_SINGLE)
        return add_lines(field, page, scope, out);
    bool ok = th__stalker_items(node->list, page, scope, &items);
    for (size_t i = 0; ok && i < items.len; i++)
        ok = add_text(field, page, &items.data[i], out);
    th__vec_release(&items);
    return ok;
}

/* ---- records --------------------------------------------------------------------------------- */

struct stalker_runner {
    th__stalker_page page;
    th__arena arena;
    th_records *records;
    th__buf text;
    bool failed;
};

/* Sets a field's value; tells whether there is one. */
static bool fill_text(struct stalker_runner *r, const th__stalker_field *field, th_span span,
                      th_value *slot)
{
    if (!span.end)
        return false;
    th__buf_clear(&r->text);
    if (!th__page_value(r->page.page, field->attribute, span, &r->text)) {
        r->failed = true;
        return false;
    }
    if (!r->text.len)
        return false;
    th_records_set_text(r->records, slot, th__buf_str(&r->text), span);
    return true;
}

/* The same for what all views together say, with how far they agree. */
static bool fill_field(struct stalker_runner *r, const th__stalker_field *field,
                       const th__stalker_answer *answer, th_value *slot)
{
    if (!slot || !fill_text(r, field, answer->span, slot))
        return false;
    slot->agreement = answer->agreement > 0 ? (uint8_t)(100 * answer->agreement + 1.5) : 0;
    return true;
}

static bool fill(struct stalker_runner *r, const th__stalker_node *node, const th__scope *scope,
                 th_value *slot);

bool th__stalker_overlaps(const th_value *value, th_span span)
{
    if (th_value_get_kind(value) == TH_VALUE_TEXT) {
        th_span own = th_value_span(value);
        return own.end && own.start < span.end && span.start < own.end;
    }
    bool any = false;
    for (size_t i = 0; i < th_value_count(value) && !any; i++)
        any = th__stalker_overlaps(th_value_item(value, i), span);
    return any;
}

/* Returns true if what a field finds is all that another one finds and more, or the same with less
 * support.
 */
static bool holds_other(const th__stalker_answer *own, const th__stalker_answer *other)
{
    uint32_t len = own->span.end - own->span.start, less = other->span.end - other->span.start;
    double more = own->support - other->support;
    return other->span.end && own->span.start <= other->span.start &&
           own->span.end >= other->span.end &&
           (len > less || more < -1e-9 || (more < 1e-9 && own->node < other->node));
}

/* Returns true if a field has taken what is another member's: where labelled pages keep them apart,
 * a field that holds another is none. Of two fields the longer one is wrong, or the one that fewer
 * rules are for; against a list, the field. */
static bool is_taken(const th__stalker_node *node, const th__stalker_answer *answers,
                     const th_value *tuple, uint32_t i)
{
    th_span own = answers[i].span;
    for (uint32_t j = 0; j < node->count; j++) {
        if (j == i || (node->children[j].field && node->children[j].field->attribute.ptr))
            continue;
        if (!node->children[j].field ? th__stalker_overlaps(th_value_item(tuple, j), own)
                                     : holds_other(&answers[i], &answers[j]))
            return true;
    }
    return false;
}

/* Lists first: then it is known what is theirs. */
static bool fill_members(struct stalker_runner *r, const th__stalker_node *node,
                         const th__scope *scope, th_value *tuple)
{
    bool any = false;
    th__stalker_answer *answers = th__arena_zero(&r->arena, node->count + 1, sizeof *answers);
    r->failed |= !answers;
    for (uint32_t i = 0; i < node->count && tuple && !r->failed; i++) {
        const th__stalker_node *member = &node->children[i];
        if (member->field) {
            th__scope own = th__stalker_member_scope(node, member, &r->page, scope);
            answers[i] = th__stalker_decide(member->field, &r->page, &own);
        } else
            any |= fill(r, member, scope, th_value_slot(tuple, i));
    }
    for (uint32_t i = 0; i < node->count && tuple && !r->failed; i++) {
        const th__stalker_field *field = node->children[i].field;
        if (field && answers[i].span.end && !(field->apart && is_taken(node, answers, tuple, i)))
            any |= fill_field(r, field, &answers[i], th_value_slot(tuple, i));
    }
    return any;
}

/* Returns true if there is anything of a node in a scope: what a choice goes by. */
static bool finds(struct stalker_runner *r, const th__stalker_node *node, const th__scope *scope)
{
    if (node->field)
        return th__stalker_decide(node->field, &r->page, scope).span.end;
    bool any = false;
    if (node->list) {
        th__list_texts texts = {0};
        th__scopes items = {0};
        r->failed |= node->children[0].field
                         ? !th__stalker_texts(node, &r->page, scope, &texts)
                         : !th__stalker_items(node->list, &r->page, scope, &items);
        any = texts.len + items.len;
        th__vec_release(&texts);
        th__vec_release(&items);
        return any;
    }
    for (uint32_t i = 0; i < node->count && !any; i++)
        any = finds(r, &node->children[i], scope);
    return any;
}

static bool fill_texts(struct stalker_runner *r, const th__stalker_node *node,
                       const th__scope *scope, th_value *slot)
{
    th__list_texts texts = {0};
    r->failed |= !th__stalker_texts(node, &r->page, scope, &texts);
    for (size_t i = 0; i < texts.len && !r->failed; i++)
        fill_text(r, texts.data[i].field, texts.data[i].span, th_records_append(r->records, slot));
    bool any = texts.len;
    th__vec_release(&texts);
    return any;
}

static bool fill_list(struct stalker_runner *r, const th__stalker_node *node,
                      const th__scope *scope, th_value *slot)
{
    th__scopes items = {0};
    if (node->children[0].field)
        return fill_texts(r, node, scope, slot);
    r->failed |= !th__stalker_items(node->list, &r->page, scope, &items);
    for (size_t i = 0; i < items.len && !r->failed; i++) {
        th_value *item = th_records_append(r->records, slot);
        fill(r, &node->children[0], &items.data[i], item);
        th_value_set_span(item, items.data[i].span);
    }
    bool any = items.len;
    th__vec_release(&items);
    return any;
}

static bool fill(struct stalker_runner *r, const th__stalker_node *node, const th__scope *scope,
                 th_value *slot)
{
    if (r->failed || !slot)
        return false;
    switch (node->type->kind) {
    case TH_TYPE_FIELD: {
        th__stalker_answer answer = th__stalker_decide(node->field, &r->page, scope);
        return fill_field(r, node->field, &answer, slot);
    }
    case TH_TYPE_LIST:
        return fill_list(r, node, scope, slot);
    case TH_TYPE_TUPLE:
        if (th_value_get_kind(slot) == TH_VALUE_NULL) {
            if (!finds(r, node, scope))
                return false;
            slot = th_records_set_tuple(r->records, slot);
        }
        return fill_members(r, node, scope, slot);
    default:
        for (uint32_t i = 0; i < node->count; i++)
            if (finds(r, &node->children[i], scope))
                return fill(r, &node->children[i], scope, th_records_choose(r->records, slot, i));
        return false;
    }
}

/* The records: items of the root, or the one that the page is. */
static void fill_records(struct stalker_runner *r, const th__stalker_rules *rules)
{
    th__scope whole = th__scope_page(r->page.page);
    th__scopes items = {0};
    const th__stalker_node *record = &rules->root;
    if (record->list) {
        record = &record->children[0];
        r->failed |= !th__stalker_items(rules->root.list, &r->page, &whole, &items);
    } else if (finds(r, record, &whole)) {
        r->failed |= !th__vec_push(&items, whole);
    }
    for (size_t i = 0; i < items.len && !r->failed; i++) {
        th_value *slot = th_records_add(r->records);
        fill(r, record, &items.data[i], slot);
        if (slot && th_value_get_kind(slot) != TH_VALUE_TEXT)
            th_value_set_span(slot, items.data[i].span);
    }
    th__vec_release(&items);
}

th_status th__stalker_run(const void *context, const th_schema *schema, const th_page *page,
                          const th_records_source *source, th_records **out, th_error *err)
{
    const th__stalker_rules *rules = context;
    struct stalker_runner r = {.page = {.page = page, .unparted = rules->unparted}};
    th_status status = th_records_new(schema, source, &r.records, err);
    if (status)
        return status;
    th__arena_init(&r.arena);
    r.page.arena = &r.arena;
    fill_records(&r, rules);
    status = r.failed || r.page.failed ? th__fail_memory(err) : th_records_status(r.records, err);
    th__buf_release(&r.text);
    th__arena_release(&r.arena);
    if (status)
        th_records_free(r.records);
    else
        *out = r.records;
    return status;
}
