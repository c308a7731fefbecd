/* stalker_place_make.c: the ways to name the place of a labelled value. */
#include "engine/papers/stalker/stalker_placer.h"
#include "page/page.h"
#include "page/text.h"
#include "index/view.h"

enum {
    EXEMPLARS = 12,    /* labelled instances whose surroundings give candidates: more add nothing */
    BACK = 16,         /* units before a value that may be its label or heading */
    AHEAD = 6,         /* and behind it */
    END_STEPS = 4,     /* of the shortened paths */
    SLACK = 2,         /* units by which this may vary */
    FARTHEST_NTH = 40, /* counted from an anchor: farther is chance */
    ANCHOR_BYTES = 80, /* labels are short; what is longer is text */
};

/* ---- specs ----------------------------------------------------------------------------------- */

static bool list_things(struct placer *l, struct place_spec *spec)
{
    const th__place_task *task = l->task;
    spec->lists = th__arena_zero(&l->scratch, task->count, sizeof *spec->lists);
    spec->unique = true;
    if (!spec->lists)
        return false;
    for (uint32_t i = 0; i < task->count; i++) {
        const th__place_instance *in = &task->instances[i];
        uint32_t first, end, used = 0;
        th__things_in(in->map, &in->extent, task->kind, &first, &end);
        uint32_t *things = th__arena_alloc(&l->scratch, (end - first + (size_t)1) * sizeof *things);
        if (!things)
            return false;
        for (uint32_t t = first; t < end; t++)
            if (th__path_spec_matches(&spec->at, in->map, in->extent.root, task->kind, t))
                things[used++] = t;
        spec->lists[i] = (struct place_list){things, used};
        spec->unique &= used <= 1;
    }
    return true;
}

/* Ways to name a path. */
enum way { BY_CLASSES, BY_TAGS, BY_MARK, BY_END /* and the next ones: one more step each */ };

/* Where the path of a way begins; false when the node has no such path. */
static bool path_top(const th__place_instance *in, uint32_t node, unsigned way, uint32_t *top)
{
    *top = in->extent.root;
    if (way == BY_MARK) {
        *top = in->map->marked[node];
        return *top && *top >= in->extent.root;
    }
    if (way < BY_END)
        return true;
    *top = node;
    for (uint32_t i = BY_END; i <= way; i++) {
        if (*top <= in->extent.root)
            return false;
        *top = in->map->page->nodes[*top].parent;
    }
    return *top > in->extent.root; /* a whole path is there already */
}

static bool write_spec(struct placer *l, const th_page *page, uint32_t top, uint32_t node,
                       th__path_spec *spec)
{
    l->text.len = 0;
    bool ok = spec->tags ? th__tag_path_write(page, top, node, &l->text)
                         : th__class_path_write(page, top, node, &l->text);
    spec->path = ok ? th__arena_copy(l->arena, th__buf_str(&l->text)) : (th_str){0};
    if (!spec->path.ptr || !spec->marked)
        return spec->path.ptr;
    l->text.len = 0;
    ok = th__mark_write(page, top, &l->text);
    spec->mark = ok ? th__arena_copy(l->arena, th__buf_str(&l->text)) : (th_str){0};
    return spec->mark.ptr;
}

/* What else is asked of things at a path: nothing; to begin as all labelled ones do; to have
 * nothing with a class in them, as those have not. */
enum looks { ANY, ALIKE, BARE };

/* *index is UINT32_MAX when the node has no such path. False without memory. */
static bool add_spec(struct placer *l, const th__place_instance *in, uint32_t node, unsigned way,
                     enum looks looks, uint32_t *index)
{
    uint32_t top;
    struct place_spec spec = {.at = {.tags = way == BY_TAGS,
                                     .steps = way >= BY_END ? way - BY_END + 1 : 0,
                                     .plain = l->plain,
                                     .cell = l->cell,
                                     .bare = looks == BARE,
                                     .begins = looks == ALIKE ? (uint8_t)l->begins : TH_CLASS_ANY}};
    *index = UINT32_MAX;
    if (!path_top(in, node, way, &top))
        return true;
    spec.at.key = th__stalker_key(in->map, spec.at.tags, top, node);
    spec.at.marked = way == BY_MARK ? in->map->mark[top] : 0;
    for (uint32_t i = 0; i < l->specs.len; i++)
        if (th__path_spec_equal(&l->specs.data[i].at, &spec.at)) {
            *index = i;
            return true;
        }
    *index = (uint32_t)l->specs.len;
    return write_spec(l, in->map->page, top, node, &spec.at) && list_things(l, &spec) &&
           th__vec_push(&l->specs, spec);
}

/* ---- anchors --------------------------------------------------------------------------------- */

static bool is_caption(th_str text)
{
    return text.len && text.ptr[text.len - 1] == ':';
}

static bool place_anchor(struct placer *l, struct place_anchor *anchor)
{
    const th__place_task *task = l->task;
    uint32_t has = 0, with = 0, without = 0;
    anchor->first = th__arena_alloc(&l->scratch, task->count * sizeof *anchor->first);
    anchor->last = th__arena_alloc(&l->scratch, task->count * sizeof *anchor->last);
    anchor->units = th__arena_zero(&l->scratch, task->count, sizeof *anchor->units);
    anchor->unique = true;
    if (!anchor->first || !anchor->last || !anchor->units)
        return false;
    for (uint32_t i = 0; i < task->count; i++) {
        const th__place_instance *in = &task->instances[i];
        uint32_t first, end;
        th__things_in(in->map, &in->extent, TH__THING_UNIT, &first, &end);
        uint32_t places[TH__ANCHORS_TRIED], used = 0;
        anchor->first[i] = anchor->last[i] = TH__NO_THING;
        for (uint32_t u = first; u < end; u++) {
            if (in->map->units[u].hash != anchor->hash)
                continue;
            if (anchor->first[i] == TH__NO_THING)
                anchor->first[i] = u;
            anchor->last[i] = u;
            if (used < TH__ANCHORS_TRIED)
                places[used++] = u;
        }
        uint32_t *kept = th__arena_alloc(&l->scratch, (used + 1) * sizeof *kept);
        if (!kept)
            return false;
        memcpy(kept, places, used * sizeof *kept);
        anchor->units[i] = (struct place_list){kept, used};
        bool here = anchor->first[i] != TH__NO_THING;
        has += here;
        with += here && th__is_known_thing(in->thing);
        without += here && in->thing == TH__NO_THING;
        anchor->unique &= anchor->first[i] == anchor->last[i];
    }
    anchor->spread = (double)has / task->count;
    /* What stands on one page alone is a value more likely than a label. */
    bool label = has > 1 || is_caption(anchor->text);
    anchor->telling = l->negatives && label && with == l->positives && !without;
    if (!label && task->count > 1)
        anchor->spread *= 0.3;
    return true;
}

static bool add_anchor(struct placer *l, const th__place_instance *in, uint32_t unit,
                       uint32_t *index)
{
    const th__stalker_unit *u = &in->map->units[unit];
    for (*index = 0; *index < l->anchors.len; ++*index)
        if (l->anchors.data[*index].hash == u->hash)
            return true;
    struct place_anchor anchor = {.hash = u->hash};
    l->text.len = 0;
    if (!th__span_text(in->map->page, u->span, &l->text))
        return false;
    anchor.text = th__arena_copy(l->arena, th__buf_str(&l->text));
    return anchor.text.ptr && place_anchor(l, &anchor) && th__vec_push(&l->anchors, anchor);
}

/* ---- candidates ------------------------------------------------------------------------------ */

/* How many things of a list stand before a unit (with `behind`: at or before it). */
static uint32_t count_before(const struct placer *l, const th__stalker_map *map,
                             const struct place_list *list, uint32_t unit, bool behind)
{
    uint32_t low = 0, high = list->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, thing = list->things[middle];
        bool units = l->task->kind == TH__THING_UNIT;
        uint32_t at = units ? thing : map->page->nodes[thing].token;
        uint32_t border = units ? unit : map->units[unit].token;
        bool before = at < border || (behind && at == border);
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t distance(const struct placer *l, uint32_t i, uint32_t thing, uint32_t unit)
{
    uint32_t before = th__thing_units_before(l->task->instances[i].map, l->task->kind, thing);
    return before > unit ? before - unit : unit - before;
}

/* The n-th of a list behind (or before) a unit; or of the whole list. */
static uint32_t nth_from(const struct placer *l, const struct place_candidate *c, uint32_t i,
                         uint32_t unit)
{
    const struct place_list *list = &l->specs.data[c->spec].lists[i];
    const th__stalker_map *map = l->task->instances[i].map;
    uint32_t from = 0, to = list->count;
    if (c->side == TH__ANCHOR_AFTER)
        from = count_before(l, map, list, unit, true);
    else if (c->side == TH__ANCHOR_BEFORE)
        to = count_before(l, map, list, unit, false);
    int64_t at = c->nth >= 0 ? (int64_t)from + c->nth : (int64_t)to + c->nth;
    return at < from || at >= to ? TH__NO_THING : list->things[at];
}

/* As th__place_find does it. */
static uint32_t place_of(const struct placer *l, const struct place_candidate *c, uint32_t i)
{
    if (c->side == TH__ANCHOR_NONE)
        return nth_from(l, c, i, 0);
    const struct place_anchor *anchor = &l->anchors.data[c->anchor];
    uint32_t unit = c->side == TH__ANCHOR_AFTER ? anchor->first[i] : anchor->last[i];
    if (unit == TH__NO_THING || c->reach == TH__ANY_REACH)
        return unit == TH__NO_THING ? unit : nth_from(l, c, i, unit);
    const struct place_list *units = &anchor->units[i];
    for (uint32_t u = 0; u < units->count; u++) {
        unit = units->things[c->side == TH__ANCHOR_AFTER ? u : units->count - 1 - u];
        uint32_t thing = nth_from(l, c, i, unit);
        if (thing != TH__NO_THING && distance(l, i, thing, unit) <= c->reach)
            return thing;
    }
    return TH__NO_THING;
}

uint32_t th__placer_answer(const struct placer *l, const struct place_candidate *c, uint32_t i)
{
    const th__place_instance *in = &l->task->instances[i];
    uint32_t thing = place_of(l, c, i);
    if (thing == TH__NO_THING ||
        (l->task->texts && !th__thing_has_text(in->map, l->task->kind, thing)) ||
        th__told_refuses(&l->task->told, in->map, &in->extent,
                         th__thing_units_before(in->map, l->task->kind, thing)))
        return TH__NO_THING;
    return thing;
}

bool th__placer_is_empty(const struct placer *l, uint32_t i, uint32_t found)
{
    return l->task->instances[i].thing == TH__NO_THING && found != TH__NO_THING && l->task->empty &&
           l->task->empty(l->task->context, i, found);
}

/* Counts what a candidate is right on; false when it is wrong anywhere. */
static bool check(const struct placer *l, struct place_candidate *c)
{
    c->right = c->missed = c->hollow = 0;
    for (uint32_t i = 0; i < l->task->count; i++) {
        uint32_t truth = l->task->instances[i].thing, found;
        if (truth == TH__UNKNOWN_THING)
            continue;
        found = th__placer_answer(l, c, i);
        if (th__placer_is_empty(l, i, found)) {
            c->hollow++;
            continue;
        }
        if (found != TH__NO_THING && found != truth)
            return false;
        c->right += found != TH__NO_THING;
        c->missed += found == TH__NO_THING && truth != TH__NO_THING;
    }
    return c->right > 0;
}

static bool is_same(const struct place_candidate *a, const struct place_candidate *b)
{
    return a->spec == b->spec && a->side == b->side && a->nth == b->nth && a->reach == b->reach &&
           (a->side == TH__ANCHOR_NONE || a->anchor == b->anchor);
}

static bool add_candidate(struct placer *l, struct place_candidate c)
{
    for (size_t i = 0; i < l->candidates.len; i++)
        if (is_same(&c, &l->candidates.data[i]))
            return true;
    return !check(l, &c) || th__vec_push(&l->candidates, c);
}

/* With an anchor: no farther than on the labelled instances, and without a limit. */
static bool add_anchored(struct placer *l, struct place_candidate c, uint32_t near)
{
    uint32_t farthest = near;
    for (uint32_t i = 0; i < l->task->count; i++) {
        uint32_t truth = l->task->instances[i].thing;
        const struct place_list *units = &l->anchors.data[c.anchor].units[i];
        uint32_t nearest = UINT32_MAX;
        for (uint32_t u = 0; th__is_known_thing(truth) && u < units->count; u++)
            if (nth_from(l, &c, i, units->things[u]) == truth) {
                uint32_t d = distance(l, i, truth, units->things[u]);
                nearest = d < nearest ? d : nearest;
            }
        /* Anchors that are mostly near may be farther off here and there, but not by much. */
        if (nearest != UINT32_MAX && nearest > farthest && nearest <= near + SLACK)
            farthest = nearest;
    }
    c.far = near;
    c.reach = TH__ANY_REACH;
    if (!add_candidate(l, c))
        return false;
    c.reach = farthest;
    return add_candidate(l, c);
}

static bool find_in(const struct place_list *list, uint32_t thing, uint32_t *at)
{
    for (*at = 0; *at < list->count; ++*at)
        if (list->things[*at] == thing)
            return true;
    return false;
}

static bool by_anchor(struct placer *l, uint32_t i, uint32_t spec, uint32_t unit, bool after)
{
    const th__place_instance *in = &l->task->instances[i];
    const th__stalker_unit *u = &in->map->units[unit];
    struct place_candidate c = {.spec = spec, .side = after ? TH__ANCHOR_AFTER : TH__ANCHOR_BEFORE};
    uint32_t at;
    if (!u->hash || u->span.end - u->span.start > ANCHOR_BYTES)
        return true;
    if (!add_anchor(l, in, unit, &c.anchor))
        return false;
    if (l->positives > 1 && l->anchors.data[c.anchor].spread * l->task->count < 1.5)
        return true; /* stands here alone: no text of the template */
    const struct place_list *list = &l->specs.data[spec].lists[i];
    if (!find_in(list, in->thing, &at))
        return true;
    c.nth = (int32_t)at - (int32_t)count_before(l, in->map, list, unit, after);
    if ((after && c.nth < 0) || (!after && c.nth >= 0) || c.nth > FARTHEST_NTH ||
        c.nth < -FARTHEST_NTH)
        return true;
    return add_anchored(l, c, distance(l, i, in->thing, unit));
}

static bool by_spec(struct placer *l, uint32_t i, uint32_t spec)
{
    const th__place_instance *in = &l->task->instances[i];
    const struct place_list *list = &l->specs.data[spec].lists[i];
    uint32_t at, first, end, unit = th__thing_units_before(in->map, l->task->kind, in->thing);
    if (!find_in(list, in->thing, &at))
        return true;
    struct place_candidate c = {.spec = spec, .nth = (int32_t)at, .reach = TH__ANY_REACH};
    if (!add_candidate(l, c))
        return false;
    c.nth = (int32_t)at - (int32_t)list->count;
    if (list->count > 1 && !add_candidate(l, c))
        return false;
    th__things_in(in->map, &in->extent, TH__THING_UNIT, &first, &end);
    for (uint32_t u = unit; u-- > first && unit - u <= BACK;)
        if (!by_anchor(l, i, spec, u, true))
            return false;
    for (uint32_t u = unit + 1; u < end && u - unit <= AHEAD; u++)
        if (!by_anchor(l, i, spec, u, false))
            return false;
    return true;
}

static bool add_exemplar(struct placer *l, uint32_t i)
{
    const th__place_instance *in = &l->task->instances[i];
    uint32_t node = th__thing_node(in->map, l->task->kind, in->thing), spec;
    bool unique = false;
    for (unsigned way = 0; way < BY_END + END_STEPS; way++)
        for (enum looks looks = ANY; looks <= BARE; looks++) {
            if ((looks == ALIKE && (l->begins == TH_CLASS_ANY || way == BY_TAGS)) ||
                (looks == BARE && (!l->bare || unique)))
                continue;
            if (!add_spec(l, in, node, way, looks, &spec) ||
                (spec != UINT32_MAX && !by_spec(l, i, spec)))
                return false;
            unique = looks == ANY ? spec == UINT32_MAX || l->specs.data[spec].unique : unique;
        }
    return true;
}

/* What all labelled things have in common. */
static void find_common(struct placer *l)
{
    int begins = -1;
    bool first = true;
    l->plain = l->bare = l->task->kind == TH__THING_NODE && l->task->texts;
    for (uint32_t i = 0; i < l->task->count; i++) {
        const th__place_instance *in = &l->task->instances[i];
        if (!th__is_known_thing(in->thing))
            continue;
        uint32_t node = th__thing_node(in->map, l->task->kind, in->thing);
        uint32_t cell = th__cell_of(in->map->page, in->extent.root, node);
        l->plain &= in->map->plain[node];
        l->bare &= in->map->bare[node];
        l->cell = first || l->cell == cell ? cell : 0;
        first = false;
        if (!l->task->texts || !th__thing_has_text(in->map, l->task->kind, in->thing))
            continue;
        th_class cls =
            th__stalker_begins(in->map, th__thing_units_before(in->map, l->task->kind, in->thing));
        begins = begins < 0 ? (int)cls : (int)th_class_join((th_class)begins, cls);
    }
    l->begins =
        begins > TH_CLASS_WORD && begins != TH_CLASS_NONWORD ? (th_class)begins : TH_CLASS_ANY;
    /* One way to write a word is as good as another. */
    if (th_class_is(l->begins, TH_CLASS_CAPITALIZED))
        l->begins = TH_CLASS_CAPITALIZED;
}

bool th__placer_make(struct placer *l)
{
    const th__place_task *task = l->task;
    uint32_t exemplars = 0;
    for (uint32_t i = 0; i < task->count; i++) {
        l->positives += th__is_known_thing(task->instances[i].thing);
        l->negatives += task->instances[i].thing == TH__NO_THING;
        l->unknown += task->instances[i].thing == TH__UNKNOWN_THING;
    }
    find_common(l);
    for (uint32_t i = 0; i < task->count && exemplars < EXEMPLARS; i++)
        if (th__is_known_thing(task->instances[i].thing)) {
            if (!add_exemplar(l, i))
                return false;
            exemplars++;
        }
    return true;
}
