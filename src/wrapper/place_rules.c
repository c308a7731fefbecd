/*
 * place_rules.c: running place rules.
 */
#include "wrapper/place_rules.h"

#include "index/view.h"
#include "page/page.h"
#include "page/tags.h"

static bool is_label(const th__label_set *labels, uint64_t hash)
{
    for (uint32_t i = 0; hash && i < labels->count; i++)
        if (labels->hashes[i] == hash)
            return true;
    return false;
}

bool th__label_refuses(const th__label_rule *identified_by, const th__page_map *map,
                       const th__scope *scope, uint32_t unit)
{
    if (!identified_by->labels || !identified_by->own || unit >= map->count)
        return false;
    /* What is before the scope labels nothing in it. */
    uint64_t before = unit > map->before[scope->token] ? map->units[unit - 1].hash : 0;
    return before != identified_by->own && (is_label(identified_by->labels, before) ||
                                            is_label(identified_by->labels, map->units[unit].hash));
}

bool th__path_spec_name(th__path_spec *spec, const th__page_map *map, uint32_t root, uint32_t node,
                        unsigned way, uint32_t *top)
{
    *top = root;
    spec->tags = way == TH__PATH_BY_TAGS;
    spec->steps = 0;
    if (way == TH__PATH_BY_MARK)
        *top = th__mark_above(&map->at, node);
    else if (way >= TH__PATH_BY_END)
        for (*top = node; spec->steps <= way - TH__PATH_BY_END && *top > root; spec->steps++)
            *top = map->page->nodes[*top].parent;
    spec->marked = way == TH__PATH_BY_MARK ? th__mark_of(&map->at, *top) : 0;
    spec->key = th__address_key(&map->at, spec->tags, *top, node);
    /* A whole path is there already. */
    return way == TH__PATH_BY_MARK ? *top && *top >= root : way < TH__PATH_BY_END || *top > root;
}

bool th__path_spec_write(th__path_spec *spec, const th_page *page, uint32_t top, uint32_t node,
                         th__arena *arena)
{
    th__buf text = {0};
    bool ok = spec->tags ? th__tag_path_write(page, top, node, &text)
                         : th__class_path_write(page, top, node, &text);
    if (ok)
        spec->path = th__arena_copy(arena, th__buf_str(&text));
    text.len = 0;
    if (spec->marked && th__mark_write(page, top, &text))
        spec->mark = th__arena_copy(arena, th__buf_str(&text));
    th__buf_release(&text);
    return spec->path.ptr && (!spec->marked || spec->mark.ptr);
}

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
           a->marked == b->marked && a->plain == b->plain && a->bare == b->bare &&
           a->begins == b->begins && a->cell == b->cell;
}

static bool is_cell(uint16_t tag)
{
    return tag == TH_TAG_TD || tag == TH_TAG_TH;
}

uint32_t th__cell_of(const th_page *page, uint32_t root, uint32_t node)
{
    enum { MOST = 1000 }; /* cells that are counted: keeps hostile rows cheap */
    while (node > root && !is_cell(page->tags[node]))
        node = page->nodes[node].parent;
    if (node <= root)
        return 0;
    uint32_t count = 1;
    for (uint32_t n = page->nodes[node].parent + 1; n < node && count < MOST;
         n = page->nodes[n].end)
        count += is_cell(page->tags[n]);
    return count;
}

/* Returns true if the path to a node is the one that is meant, seen from a root. */
static inline bool path_matches(const th__path_spec *spec, const th__page_map *map, uint32_t root,
                                uint32_t node)
{
    if (node < root)
        return false;
    if (spec->marked) {
        uint32_t top = th__mark_above(&map->at, node);
        return top && top >= root && th__mark_of(&map->at, top) == spec->marked &&
               th__address_key(&map->at, spec->tags, top, node) == spec->key;
    }
    if (!spec->steps)
        return th__address_key(&map->at, spec->tags, root, node) == spec->key;
    uint32_t top = node;
    for (uint32_t up = 0; up < spec->steps; up++) {
        if (top <= root)
            return !spec->key; /* there are not so many */
        top = map->page->nodes[top].parent;
    }
    return th__address_key(&map->at, spec->tags, top, node) == spec->key;
}

/* The rest, of a thing whose path is the one that is meant. */
static bool rest_matches(const th__path_spec *spec, const th__page_map *map, uint32_t root,
                         th__thing_kind kind, uint32_t thing)
{
    uint32_t node = th__thing_node(map, kind, thing);
    if (kind == TH__THING_NODE &&
        ((spec->plain && !map->plain[node]) || (spec->bare && !map->bare[node])))
        return false;
    if (spec->cell && th__cell_of(map->page, root, node) != spec->cell)
        return false;
    if (spec->begins == TH_CLASS_ANY)
        return true;
    return th__thing_has_text(map, kind, thing) &&
           th_class_is(th__map_begins(map, th__thing_units_before(map, kind, thing)),
                       (th_class)spec->begins);
}

bool th__path_spec_matches(const th__path_spec *spec, const th__page_map *map, uint32_t root,
                           th__thing_kind kind, uint32_t thing)
{
    return path_matches(spec, map, root, th__thing_node(map, kind, thing)) &&
           rest_matches(spec, map, root, kind, thing);
}

void th__things_in(const th__page_map *map, const th__scope *scope, th__thing_kind kind,
                   uint32_t *first, uint32_t *end)
{
    if (kind == TH__THING_UNIT) {
        *first = map->before[scope->token];
        *end = map->before[scope->end];
    } else {
        *first = th__page_node_from(map->page, scope->token);
        *end = th__page_node_from(map->page, scope->end);
    }
}

uint32_t th__thing_node(const th__page_map *map, th__thing_kind kind, uint32_t thing)
{
    return kind == TH__THING_UNIT ? map->units[thing].node : thing;
}

uint32_t th__thing_units_before(const th__page_map *map, th__thing_kind kind, uint32_t thing)
{
    return kind == TH__THING_UNIT ? thing : map->before[map->page->nodes[thing].token];
}

bool th__thing_has_text(const th__page_map *map, th__thing_kind kind, uint32_t thing)
{
    const th_node *node = &map->page->nodes[thing];
    return kind == TH__THING_UNIT || map->before[node->token] < map->before[node->token_end];
}

uint32_t th__things_count(const th__path_spec *spec, const th__page_map *map,
                          const th__scope *scope, th__thing_kind kind)
{
    uint32_t first, end, count = 0;
    th__things_in(map, scope, kind, &first, &end);
    for (uint32_t t = first; t < end; t++)
        count += th__path_spec_matches(spec, map, scope->root, kind, t);
    return count;
}

/* The next thing from one on, up to another, whose path is the one that is meant: what nearly all
 * of the time of place rules goes into. */
static uint32_t next_up(const th__path_spec *spec, const th__page_map *map, uint32_t root,
                        th__thing_kind kind, uint32_t first, uint32_t end)
{
    uint32_t t = first;
    if (kind == TH__THING_UNIT)
        while (t < end && !path_matches(spec, map, root, map->units[t].node))
            t++;
    else
        while (t < end && !path_matches(spec, map, root, t))
            t++;
    return t;
}

/* Things from one to another, up or down, until the n-th that matches. */
static uint32_t count_up(const th__place_rule *rule, const th__page_map *map, uint32_t root,
                         th__thing_kind kind, uint32_t first, uint32_t end)
{
    int32_t left = rule->nth;
    for (uint32_t t = first; (t = next_up(&rule->at, map, root, kind, t, end)) < end; t++)
        if (rest_matches(&rule->at, map, root, kind, t) && !left--)
            return t;
    return TH__NO_THING;
}

static uint32_t count_down(const th__place_rule *rule, const th__page_map *map, uint32_t root,
                           th__thing_kind kind, uint32_t first, uint32_t end)
{
    int32_t left = -1 - rule->nth;
    for (uint32_t t = end; t-- > first;)
        if (th__path_spec_matches(&rule->at, map, root, kind, t) && !left--)
            return t;
    return TH__NO_THING;
}

/* Narrows things to those that a rule reaches from a unit. */
static void limit(const th__place_rule *rule, const th__page_map *map, th__thing_kind kind,
                  uint32_t anchor, uint32_t *first, uint32_t *end)
{
    bool nodes = kind == TH__THING_NODE;
    if (rule->side == TH__ANCHOR_AFTER && rule->reach < map->count - anchor) {
        uint32_t last = anchor + rule->reach;
        uint32_t most = nodes ? th__page_node_from(map->page, map->units[last].token) : last + 1;
        *end = most < *end ? most : *end;
    } else if (rule->side == TH__ANCHOR_BEFORE && rule->reach < anchor) {
        uint32_t from = anchor - rule->reach;
        uint32_t least =
            nodes ? th__page_node_from(map->page, map->units[from - 1].token + 1) : from;
        *first = least > *first ? least : *first;
    }
}

/* The thing that is told by one unit with the text of the anchor. */
static uint32_t find_from(const th__place_rule *rule, const th__page_map *map,
                          const th__scope *scope, th__thing_kind kind, uint32_t anchor)
{
    uint32_t first, end;
    th__things_in(map, scope, kind, &first, &end);
    uint32_t border = anchor;
    if (kind == TH__THING_NODE)
        border = th__page_node_from(map->page, map->units[anchor].token);
    if (rule->side == TH__ANCHOR_BEFORE)
        end = border;
    else
        first = kind == TH__THING_UNIT ? border + 1 : border;
    if (rule->reach != TH__ANY_REACH)
        limit(rule, map, kind, anchor, &first, &end);
    uint32_t found = rule->nth >= 0 ? count_up(rule, map, scope->root, kind, first, end)
                                    : count_down(rule, map, scope->root, kind, first, end);
    if (found == TH__NO_THING || rule->reach == TH__ANY_REACH)
        return found;
    uint32_t before = th__thing_units_before(map, kind, found);
    uint32_t distance = before > anchor ? before - anchor : anchor - before;
    return distance <= rule->reach ? found : TH__NO_THING;
}

/* With a limited reach, every place of the anchor's text is tried until one tells a thing; without
 * one, the first place (backwards: the last) decides. */
static uint32_t find_anchored(const th__place_rule *rule, const th__page_map *map,
                              const th__scope *scope, th__thing_kind kind)
{
    uint32_t first, end, tried = 0;
    th__things_in(map, scope, TH__THING_UNIT, &first, &end);
    for (uint32_t i = 0; i < end - first && tried < TH__ANCHORS_TRIED; i++) {
        uint32_t unit = rule->side == TH__ANCHOR_AFTER ? first + i : end - 1 - i;
        if (map->units[unit].hash != rule->hash)
            continue;
        uint32_t found = find_from(rule, map, scope, kind, unit);
        if (found != TH__NO_THING || rule->reach == TH__ANY_REACH)
            return found;
        tried++;
    }
    return TH__NO_THING;
}

uint32_t th__place_find(const th__place_rule *rule, const th__page_map *map, const th__scope *scope,
                        th__thing_kind kind)
{
    uint32_t first, end;
    if (rule->side != TH__ANCHOR_NONE)
        return find_anchored(rule, map, scope, kind);
    th__things_in(map, scope, kind, &first, &end);
    return rule->nth >= 0 ? count_up(rule, map, scope->root, kind, first, end)
                          : count_down(rule, map, scope->root, kind, first, end);
}

uint32_t th__place_rules_vote(const th__place_rule *rules, uint32_t count,
                              const th__label_rule *identified_by, const th__page_map *map,
                              const th__scope *scope, th__thing_kind kind, bool texts,
                              double *support)
{
    uint32_t things[TH__PLACES_MOST], votes[TH__PLACES_MOST], different = 0, against = 0, best = 0;
    for (uint32_t i = 0; i < count && i < TH__PLACES_MOST; i++) {
        uint32_t thing = th__place_find(&rules[i], map, scope, kind), at = 0;
        bool found =
            thing != TH__NO_THING &&
            !th__label_refuses(identified_by, map, scope, th__thing_units_before(map, kind, thing));
        if (!found || (texts && !th__thing_has_text(map, kind, thing))) {
            /* An empty element says more than none: it is the place, and nothing is in it. */
            against += found ? rules[i].weight : rules[i].against;
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
    bool taken = different && votes[best] >= against;
    if (support)
        *support = all ? (double)(taken ? votes[best] : against) / all : 0;
    return taken ? things[best] : TH__NO_THING;
}
