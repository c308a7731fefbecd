/*
 * stalker_hits.c: which tokens and texts of a page the rules hit.
 *
 * The tree is gone down as extraction does it. A landmark rule is run once more, landmark by
 * landmark, and each token of a landmark is a hit; of the structural view it is the text that it
 * counts from, and the element that it comes to.
 */
#include "engine/papers/stalker/stalker_hits.h"

#include "base/error.h"
#include "engine/papers/stalker/stalker_walk.h"
#include "page/page.h"

struct hitter {
    th_hits *out;
    th__stalker_walk walk;
    th__buf rule;
};

/* ---- landmarks ------------------------------------------------------------------------------- */

static void hit_landmark(struct hitter *h, const th__landmark *landmark, bool backward,
                         uint32_t stop, const char *part)
{
    const th__stalker_seq *seq = th__stalker_page_seq(&h->walk.page);
    /* SkipTo stops behind its landmark, and BackUntil does. */
    uint32_t first = backward == landmark->until ? stop - landmark->count : stop;
    for (uint32_t i = first; i < first + landmark->count && i < seq->count; i++)
        th__hits_add(h->out, (th_span){seq->tokens[i].start, seq->tokens[i].end},
                     th__buf_str(&h->walk.name), part, th__buf_str(&h->rule));
}

/* Runs a rule and marks what it hits; where it leads, as th__rule_run. */
static uint32_t hit_rule(struct hitter *h, const th__landmark_rule *rule, uint32_t first,
                         uint32_t last, const char *part)
{
    const th__stalker_seq *seq = th__stalker_page_seq(&h->walk.page);
    uint32_t which = 0, at = th__rule_run(rule, seq, first, last, &which);
    if (at == TH__NO_MATCH || which >= rule->count)
        return at;
    const th__disjunct *disjunct = &rule->disjuncts[which];
    uint32_t step = rule->backward ? last : first;
    th__buf_clear(&h->rule);
    th__disjunct_write(disjunct, rule->backward, &h->rule);
    for (uint32_t i = 0; i < disjunct->count; i++) {
        const th__disjunct one = {&disjunct->landmarks[i], 1};
        step = rule->backward ? th__disjunct_run(&one, true, seq, first, step)
                              : th__disjunct_run(&one, false, seq, step, last);
        if (step == TH__NO_MATCH)
            break; /* no disjunct matched, and the rule led to the end */
        hit_landmark(h, &disjunct->landmarks[i], rule->backward, step, part);
    }
    return at;
}

static void hit_view(struct hitter *h, const th__landmark_view *view,
                     const th__stalker_extent *extent, const char *start_part, const char *end_part)
{
    const th__stalker_seq *seq = view->weight ? th__stalker_page_seq(&h->walk.page) : NULL;
    if (!seq)
        return;
    uint32_t first = th__stalker_seq_at(seq, extent->span.start);
    uint32_t last = th__stalker_seq_at(seq, extent->span.end);
    uint32_t start = hit_rule(h, &view->start, first, last, start_part);
    if (start != TH__NO_MATCH && start < last)
        hit_rule(h, &view->end, view->end.backward ? first : start, last, end_part);
}

/* ---- structure ------------------------------------------------------------------------------- */

/* The text that a place is counted from: the nearest on its side. */
static void hit_anchor(struct hitter *h, const th__stalker_map *map, const th__place_rule *place,
                       uint32_t unit, const th__stalker_extent *extent)
{
    uint32_t first, end;
    th__things_in(map, extent, TH__THING_UNIT, &first, &end);
    th__buf_clear(&h->rule);
    th__buf_printf(&h->rule, "%s \"%.*s\"", place->side == TH__ANCHOR_AFTER ? "after" : "before",
                   TH_STR_ARG(place->anchor));
    for (uint32_t step = 0; step < end - first; step++) {
        uint32_t at = place->side == TH__ANCHOR_AFTER ? unit - 1 - step : unit + step;
        if (at < first || at >= end)
            return;
        if (map->units[at].hash == place->hash) {
            th__hits_add(h->out, map->units[at].span, th__buf_str(&h->walk.name), "anchor",
                         th__buf_str(&h->rule));
            return;
        }
    }
}

static void hit_structure(struct hitter *h, const th__stalker_field *field,
                          const th__stalker_extent *extent)
{
    th__thing_kind kind = (th__thing_kind)field->thing;
    const th__stalker_map *map = field->place_count ? th__stalker_page_map(&h->walk.page) : NULL;
    if (!map)
        return;
    uint32_t thing = th__places_vote(field->places, field->place_count, &field->told, map, extent,
                                     kind, !field->attribute.ptr, NULL);
    if (thing == TH__NO_THING)
        return;
    bool told = false;
    for (uint32_t i = 0; i < field->place_count; i++) {
        const th__place_rule *place = &field->places[i];
        if (th__place_find(place, map, extent, kind) != thing)
            continue;
        if (place->side != TH__ANCHOR_NONE)
            hit_anchor(h, map, place, th__thing_units_before(map, kind, thing), extent);
        if (told)
            continue;
        told = true;
        th__hits_add_tag(h->out, map->page, th__thing_node(map, kind, thing),
                         th__buf_str(&h->walk.name), "element", place->at.path);
    }
}

static void hit_field(struct hitter *h, const th__stalker_field *field,
                      const th__stalker_extent *extent)
{
    if (field->whole)
        return;
    hit_structure(h, field, extent);
    hit_view(h, &field->forward, extent, "start, forward", "end, forward");
    hit_view(h, &field->backward, extent, "start, backward", "end, backward");
}

static void hit_values(void *context, const th__stalker_field *field, const th__extent_vec *extents)
{
    struct hitter *h = context;
    for (size_t i = 0; i < extents->len; i++)
        hit_field(h, field, &extents->data[i]);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void hit_text(struct hitter *h, const th__stalker_map *map, const th__stalker_extent *extent,
                     uint64_t hash, const char *part, th_str text)
{
    uint32_t first, end;
    th__things_in(map, extent, TH__THING_UNIT, &first, &end);
    while (first < end && map->units[first].hash != hash)
        first++;
    if (text.ptr && first < end)
        th__hits_add(h->out, map->units[first].span, th__buf_str(&h->walk.name), part, text);
}

/* What the items of a list are found by: landmarks, or the elements that they are. */
static void hit_items(void *context, const th__stalker_list *list, const th__stalker_extent *extent,
                      const th__extent_vec *items, size_t from)
{
    struct hitter *h = context;
    if (list->kind < TH__LIST_ELEMENTS) {
        const th__stalker_seq *seq = items->len > from ? th__stalker_page_seq(&h->walk.page) : NULL;
        if (list->span)
            hit_field(h, list->span, extent);
        for (size_t i = from; seq && i + 1 < items->len; i++)
            hit_rule(h, &list->item.start, th__stalker_seq_at(seq, items->data[i].span.start) + 1,
                     th__stalker_seq_at(seq, extent->span.end), "item");
        return;
    }
    const th__stalker_map *map = th__stalker_page_map(&h->walk.page);
    if (!map)
        return;
    hit_text(h, map, extent, list->after_hash, "list after", list->after);
    hit_text(h, map, extent, list->before_hash, "list before", list->before);
    for (size_t i = from; i < items->len; i++)
        if (list->kind == TH__LIST_ELEMENTS)
            th__hits_add_tag(h->out, map->page, items->data[i].root, th__buf_str(&h->walk.name),
                             "item", list->at.path);
        else
            th__hits_add(h->out, th_page_token_span(map->page, items->data[i].token),
                         th__buf_str(&h->walk.name), "item", list->at.path);
}

th_status th__stalker_hits(const void *rules, const th_schema *schema, const th_page *page,
                           th_hits *out, th_error *err)
{
    struct hitter h = {.out = out, .walk = {.on_field = hit_values, .on_items = hit_items}};
    h.walk.context = &h;
    th_status status = th__stalker_walk_run(&h.walk, rules, schema, page, err);
    bool failed = h.rule.failed;
    th__buf_release(&h.rule);
    return !status && failed ? th__fail_memory(err) : status;
}
