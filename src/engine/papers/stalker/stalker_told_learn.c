/*
 * stalker_told_learn.c: which text is the label of a member.
 *
 * It stands right before the member on every labelled page that has it, and is no value itself. Of
 * a member that one labelled page alone has, it stands on other pages, too: what is there once may
 * be any text.
 */
#include "data/record.h"
#include "engine/papers/stalker/stalker_learn.h"
#include "page/page.h"
#include "page/text.h"

/* The unit right before a member, or TH__NO_THING. */
static uint32_t unit_before(const th__stalker_map *map, const th__stalker_instance *in,
                            th_span hull)
{
    uint32_t token = th__token_at(map->page, hull.start);
    uint32_t unit = th__stalker_unit_at(map, hull.start);
    bool text = map->page->tokens[token].kind != TH_TOKEN_START;
    if (unit <= map->before[in->extent.token] || unit > map->before[in->extent.end] ||
        (text && (unit >= map->count || map->units[unit].span.start != hull.start)))
        return TH__NO_THING;
    return unit - 1;
}

/* On how many instances a text stands. */
static bool stands_elsewhere(th__stalker_learner *l, const th__instances *instances, uint64_t hash)
{
    uint32_t count = 0;
    for (size_t i = 0; i < instances->len && count < 2; i++) {
        const th__stalker_map *map = th__stalker_page_map(&l->pages[instances->data[i].page]);
        uint32_t first, end;
        if (!map)
            return false;
        th__things_in(map, &instances->data[i].extent, TH__THING_UNIT, &first, &end);
        while (first < end && map->units[first].hash != hash)
            first++;
        count += first < end;
    }
    return count > 1;
}

/* Whether a text is a value on some labelled page. */
static bool is_value(th__stalker_learner *l, const th__instances *instances, uint64_t hash)
{
    for (size_t i = 0; i < instances->len; i++) {
        const th__stalker_instance *in = &instances->data[i];
        const th__stalker_map *map = in->value ? th__stalker_page_map(&l->pages[in->page]) : NULL;
        uint32_t first = 0, end = 0;
        if (map)
            th__things_in(map, &in->extent, TH__THING_UNIT, &first, &end);
        for (; first < end; first++)
            if (map->units[first].hash == hash &&
                th__stalker_overlaps(in->value, map->units[first].span))
                return true;
    }
    return false;
}

static bool learn_label(th__stalker_learner *l, th__stalker_node *member, uint32_t index,
                        const th__instances *instances)
{
    const th__stalker_map *map = NULL;
    uint32_t unit = TH__NO_THING, positives = 0;
    uint64_t hash = 0;
    for (size_t i = 0; i < instances->len; i++) {
        const th__stalker_instance *in = &instances->data[i];
        th_span hull = th__value_hull(th_value_item(in->value, index));
        if (!hull.end)
            continue;
        map = th__stalker_page_map(&l->pages[in->page]);
        if (!map)
            return false;
        unit = unit_before(map, in, hull);
        uint64_t own = unit == TH__NO_THING ? 0 : map->units[unit].hash;
        if (!own || (positives && own != hash))
            return true;
        hash = own;
        positives++;
    }
    if (!hash || is_value(l, instances, hash) ||
        (positives == 1 && !stands_elsewhere(l, instances, hash)))
        return true;
    th__buf text = {0};
    bool ok = th__span_text(map->page, map->units[unit].span, &text);
    member->label = ok ? th__arena_copy(l->arena, th__buf_str(&text)) : (th_str){0};
    member->label_hash = hash;
    th__buf_release(&text);
    return member->label.ptr;
}

bool th__stalker_learn_labels(th__stalker_learner *l, th__stalker_node *tuple,
                              const th__instances *instances)
{
    size_t labelled = 0;
    for (size_t i = 0; i < instances->len; i++)
        labelled += instances->data[i].labelled;
    /* What stands before a value once may be any text. */
    for (uint32_t m = 0; m < tuple->count && labelled > 1; m++)
        if (!learn_label(l, &tuple->children[m], m, instances))
            return false;
    return true;
}
