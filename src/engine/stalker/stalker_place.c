/* stalker_place.c: running place rules. */
#include "engine/stalker/stalker_place.h"

#include "page/page.h"
#include "seq/view.h"

bool th__path_spec_prepare(th__path_spec *spec)
{
    uint64_t tags;
    if (spec->mark.ptr) {
        const char *equals = memchr(spec->mark.ptr, '=', spec->mark.len);
        if (!equals)
            return false;
        size_t len = (size_t)(equals - spec->mark.ptr);
        spec->marked = th__mark_hash((th_str){spec->mark.ptr, len},
                                     (th_str){equals + 1, spec->mark.len - len - 1});
    }
    return th__path_keys(spec->path, &spec->key, &tags);
}

bool th__path_spec_equal(const th__path_spec *a, const th__path_spec *b)
{
    return a->key == b->key && a->steps == b->steps && a->tags == b->tags &&
           a->marked == b->marked && a->plain == b->plain && a->begins == b->begins;
}

static bool path_matches(const th__path_spec *spec, const th__stalker_map *map, uint32_t root,
                         uint32_t node)
{
    if (node < root)
        return false;
    if (spec->marked) {
        uint32_t top = map->marked[node];
        return top && top >= root && map->mark[top] == spec->marked &&
               th__stalker_key(map, spec->tags, top, node) == spec->key;
    }
    if (!spec->steps)
        return th__stalker_key(map, spec->tags, root, node) == spec->key;
    return th__stalker_end_key(map, spec->tags, spec->steps, root, node) == spec->key;
}

bool th__path_spec_matches(const th__path_spec *spec, const th__stalker_map *map, uint32_t root,
                           th__thing_kind kind, uint32_t thing)
{
    uint32_t node = th__thing_node(map, kind, thing);
    if (!path_matches(spec, map, root, node) ||
        (spec->plain && kind == TH__THING_NODE && !map->plain[node]))
        return false;
    if (spec->begins == TH_CLASS_ANY)
        return true;
    return th__thing_has_text(map, kind, thing) &&
           th_class_is(th__unit_begins(map, th__thing_units_before(map, kind, thing)),
                       (th_class)spec->begins);
}

/* The first node at or behind a token. */
static uint32_t node_from(const th_page *page, uint32_t token)
{
    uint32_t low = 1, high = page->node_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (page->nodes[middle].token < token)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void th__things_in(const th__stalker_map *map, const th__stalker_extent *extent,
                   th__thing_kind kind, uint32_t *first, uint32_t *end)
{
    if (kind == TH__THING_UNIT) {
        *first = map->before[extent->token];
        *end = map->before[extent->end];
    } else {
        *first = node_from(map->page, extent->token);
        *end = node_from(map->page, extent->end);
    }
}

uint32_t th__thing_node(const th__stalker_map *map, th__thing_kind kind, uint32_t thing)
{
    return kind == TH__THING_UNIT ? map->units[thing].node : thing;
}

uint32_t th__thing_units_before(const th__stalker_map *map, th__thing_kind kind, uint32_t thing)
{
    return kind == TH__THING_UNIT ? thing : map->before[map->page->nodes[thing].token];
}

bool th__thing_has_text(const th__stalker_map *map, th__thing_kind kind, uint32_t thing)
{
    const th_node *node = &map->page->nodes[thing];
    return kind == TH__THING_UNIT || map->before[node->token] < map->before[node->token_end];
}

/* The first (or last) unit with the text of the anchor. */
static uint32_t find_anchor(const th__place_rule *rule, const th__stalker_map *map,
                            const th__stalker_extent *extent)
{
    uint32_t first, end;
    th__things_in(map, extent, TH__THING_UNIT, &first, &end);
    if (rule->side == TH__ANCHOR_AFTER) {
        for (uint32_t u = first; u < end; u++)
            if (map->units[u].hash == rule->hash)
                return u;
    } else {
        for (uint32_t u = end; u-- > first;)
            if (map->units[u].hash == rule->hash)
                return u;
    }
    return TH__NO_THING;
}

/* Things from one to another, up or down, until the n-th that matches. */
static uint32_t count_up(const th__place_rule *rule, const th__stalker_map *map, uint32_t root,
                         th__thing_kind kind, uint32_t first, uint32_t end)
{
    int32_t left = rule->nth;
    for (uint32_t t = first; t < end; t++)
        if (th__path_spec_matches(&rule->at, map, root, kind, t) && !left--)
            return t;
    return TH__NO_THING;
}

static uint32_t count_down(const th__place_rule *rule, const th__stalker_map *map, uint32_t root,
                           th__thing_kind kind, uint32_t first, uint32_t end)
{
    int32_t left = -1 - rule->nth;
    for (uint32_t t = end; t-- > first;)
        if (th__path_spec_matches(&rule->at, map, root, kind, t) && !left--)
            return t;
    return TH__NO_THING;
}

uint32_t th__place_find(const th__place_rule *rule, const th__stalker_map *map,
                        const th__stalker_extent *extent, th__thing_kind kind)
{
    uint32_t first, end, anchor = 0;
    th__things_in(map, extent, kind, &first, &end);
    if (rule->side != TH__ANCHOR_NONE) {
        anchor = find_anchor(rule, map, extent);
        if (anchor == TH__NO_THING)
            return TH__NO_THING;
        uint32_t token = map->units[anchor].token;
        uint32_t border = kind == TH__THING_UNIT ? anchor : node_from(map->page, token);
        if (rule->side == TH__ANCHOR_AFTER)
            first = kind == TH__THING_UNIT ? border + 1 : border;
        else
            end = border;
    }
    uint32_t found = rule->nth >= 0 ? count_up(rule, map, extent->root, kind, first, end)
                                    : count_down(rule, map, extent->root, kind, first, end);
    if (found == TH__NO_THING || rule->side == TH__ANCHOR_NONE || rule->reach == TH__ANY_REACH)
        return found;
    uint32_t before = th__thing_units_before(map, kind, found);
    uint32_t distance = before > anchor ? before - anchor : anchor - before;
    return distance <= rule->reach ? found : TH__NO_THING;
}

uint32_t th__places_vote(const th__place_rule *rules, uint32_t count, const th__stalker_map *map,
                         const th__stalker_extent *extent, th__thing_kind kind, bool texts,
                         double *support)
{
    uint32_t things[TH__PLACES_MOST], votes[TH__PLACES_MOST], different = 0, against = 0, best = 0;
    for (uint32_t i = 0; i < count && i < TH__PLACES_MOST; i++) {
        uint32_t thing = th__place_find(&rules[i], map, extent, kind), at = 0;
        if (thing == TH__NO_THING || (texts && !th__thing_has_text(map, kind, thing))) {
            against += rules[i].against;
            continue;
        }
        while (at < different && things[at] != thing)
            at++;
        if (at == different) {
            things[different] = thing;
            votes[different++] = 0;
        }
        votes[at] += rules[i].weight;
    }
    uint32_t all = against;
    for (uint32_t i = 0; i < different; i++) {
        all += votes[i];
        if (votes[i] > votes[best])
            best = i;
    }
    bool found = different && votes[best] >= against;
    if (support)
        *support = all ? (double)(found ? votes[best] : against) / all : 0;
    return found ? things[best] : TH__NO_THING;
}
