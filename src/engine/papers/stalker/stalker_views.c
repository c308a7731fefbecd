/* stalker_views.c: what each view says of a field, and who is believed. */
#include "engine/papers/stalker/stalker_run.h"

#include "page/page.h"
#include "page/text.h"

const th__stalker_map *th__stalker_page_map(th__stalker_page *page)
{
    if (!page->mapped && !page->failed) {
        page->failed |= !th__stalker_map_make(page->arena, page->page, !page->unparted, &page->map);
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

/* ---- structure ------------------------------------------------------------------------------- */

/* From the first unit of an element to its last. */
static bool node_span(const th__stalker_map *map, uint32_t node, th_span *out)
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

bool th__stalker_begins_line(const th__stalker_field *field, const th__stalker_map *map,
                             uint32_t unit)
{
    return !unit || !th__stalker_flows(map, unit - 1) ||
           (field->told.own && map->units[unit - 1].hash == field->told.own);
}

/* A unit, with what flows before and behind it where that belongs to the value. */
static th_span unit_span(const th__stalker_field *field, const th__stalker_map *map, uint32_t unit)
{
    uint32_t first = unit, last = unit;
    if (field->full) {
        const th_node *node = &map->page->nodes[map->units[unit].node];
        first = map->before[node->token];
        last = map->before[node->token_end] - 1;
    }
    while (field->from_start && !th__stalker_begins_line(field, map, first))
        first--;
    while (field->to_end && th__stalker_flows(map, last))
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
    const th__stalker_map *map = th__stalker_page_map(page);
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
                                        const th__stalker_extent *extent)
{
    const th__stalker_map *map = th__stalker_page_map(page);
    th__stalker_answer answer = {0};
    if (!map || !field->place_count)
        return answer;
    uint32_t thing =
        th__places_vote(field->places, field->place_count, &field->told, map, extent,
                        (th__thing_kind)field->thing, !field->attribute.ptr, &answer.support);
    if (thing != TH__NO_THING && !th__stalker_thing_span(field, page, thing, &answer.span))
        answer.span = (th_span){0};
    if (answer.span.end)
        answer.node = th__thing_node(map, (th__thing_kind)field->thing, thing);
    answer.agreement = field->place_count > 1 ? answer.support : 0;
    answer.support *= field->weight / 1000.0;
    return answer;
}

/* ---- landmarks ------------------------------------------------------------------------------- */

/* What does not belong to a value that it stands at an end of: tags and blanks. */
static bool is_edge(const th__stalker_token *token)
{
    return th__class_is(token->cls, TH_CLASS_HTML) || th__class_is(token->cls, TH_CLASS_BLANK);
}

/* Whether what begins at a byte is none of a field's, by the labels on the page. */
static bool is_refused(const th__stalker_field *field, th__stalker_page *page,
                       const th__stalker_extent *extent, uint32_t start)
{
    const th__stalker_map *map = field->told.labels ? th__stalker_page_map(page) : NULL;
    return map && th__told_refuses(&field->told, map, extent, th__stalker_unit_at(map, start));
}

static th__stalker_answer ask_landmarks(const th__stalker_field *field,
                                        const th__landmark_view *view, th__stalker_page *page,
                                        const th__stalker_extent *extent)
{
    th__stalker_answer answer = {.support = view->weight / 1000.0};
    const th__stalker_seq *seq = view->weight ? th__stalker_page_seq(page) : NULL;
    if (!seq)
        return (th__stalker_answer){0};
    uint32_t first = th__stalker_seq_at(seq, extent->span.start);
    uint32_t last = th__stalker_seq_at(seq, extent->span.end);
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
    while (start < end && is_edge(&seq->tokens[start]))
        start++;
    while (end > start && is_edge(&seq->tokens[end - 1]))
        end--;
    if (end == start || is_refused(field, page, extent, seq->tokens[start].start))
        return answer;
    th_span span = {th__stalker_start_of(seq, start), th__stalker_end_of(seq, end)};
    if (is_value(field, page->page, span))
        answer.span = span;
    return answer;
}

/* ---- all together ---------------------------------------------------------------------------- */

th__stalker_answer th__stalker_ask(const th__stalker_field *field, th__stalker_view view,
                                   th__stalker_page *page, const th__stalker_extent *extent)
{
    switch (view) {
    case TH__VIEW_STRUCTURE:
        return ask_structure(field, page, extent);
    case TH__VIEW_FORWARD:
        return ask_landmarks(field, &field->forward, page, extent);
    default:
        return ask_landmarks(field, &field->backward, page, extent);
    }
}

static bool agree(th_span a, th_span b)
{
    return a.start == b.start && a.end == b.end;
}

th__stalker_answer th__stalker_decide(const th__stalker_field *field, th__stalker_page *page,
                                      const th__stalker_extent *extent)
{
    th__stalker_answer answers[TH__VIEWS], best = {0};
    double most = -1, all = 0;
    if (field->whole) {
        th_span span = th__stalker_trim(page->page, extent->span);
        return (th__stalker_answer){is_value(field, page->page, span) ? span : (th_span){0}, 1, 0,
                                    0};
    }
    for (int v = 0; v < TH__VIEWS; v++) {
        answers[v] = th__stalker_ask(field, (th__stalker_view)v, page, extent);
        /* Nobody can outvote it: the others need not be asked. */
        if (v == TH__VIEW_STRUCTURE &&
            answers[v].support > (field->forward.weight + field->backward.weight) / 1000.0)
            return answers[v];
    }
    for (int v = 0; v < TH__VIEWS; v++) {
        double votes = 0;
        for (int w = 0; w < TH__VIEWS; w++)
            votes += agree(answers[v].span, answers[w].span) ? answers[w].support : 0;
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
