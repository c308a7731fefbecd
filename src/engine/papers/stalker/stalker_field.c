/*
 * stalker_field.c: learning the three views of a field.
 *
 * The structural view points at a thing: a unit of text, or an element whose text the value is. A
 * value that is part of its thing's text is cut out of it by landmark rules of its own. The forward
 * and backward views are landmark rules over the whole scope.
 */
#include "base/cancel.h"
#include "base/error.h"
#include "base/vec.h"
#include "engine/papers/stalker/stalker.h"
#include "page/page.h"
#include "page/text.h"

/* ---- shapes ------------------------------------------------------------------------------------
 *
 * How long values are, what they begin and end with, which classes of tokens they are made of. */

enum { SHAPES_MOST = 32 }; /* values that are remembered: more look like these */

struct value_shape {
    uint32_t classes;    /* bit c: a token of class c is in it */
    uint8_t first, last; /* classes */
    uint16_t tokens;     /* how many, blanks not counted */
};

struct value_shapes {
    struct value_shape values[SHAPES_MOST];
    uint32_t count;
    uint32_t first_classes; /* bit c: a value begins with a token of class c */
};

static struct value_shape shape_of(const th_page *page, th_span span)
{
    enum { LOOKED_AT = 200 }; /* tokens: a long text is a long text */
    struct value_shape shape = {0};
    th_lex lex;
    th_fine fine;
    th_lex_init(&lex, page, span);
    while (shape.tokens < LOOKED_AT && th_lex_next(&lex, &fine)) {
        if (th__class_is(fine.cls, TH_CLASS_BLANK) || th__class_is(fine.cls, TH_CLASS_HTML))
            continue;
        shape.first = shape.tokens ? shape.first : fine.cls;
        shape.last = fine.cls;
        shape.classes |= 1u << fine.cls;
        shape.tokens++;
    }
    return shape;
}

static void add_shape(struct value_shapes *shapes, const th_page *page, th_span span)
{
    struct value_shape shape = shape_of(page, span);
    shapes->first_classes |= 1u << shape.first;
    if (shapes->count < SHAPES_MOST)
        shapes->values[shapes->count++] = shape;
}

/* The share of classes that two values have in common, how near their lengths are, and whether they
 * begin and end alike: in equal parts. */
static double shape_likeness(const struct value_shape *a, const struct value_shape *b)
{
    uint32_t both = a->classes & b->classes, any = a->classes | b->classes;
    if (!any || !a->tokens || !b->tokens)
        return 0;
    double classes = (double)__builtin_popcount(both) / __builtin_popcount(any);
    double lengths =
        a->tokens < b->tokens ? (double)a->tokens / b->tokens : (double)b->tokens / a->tokens;
    double ends = 0.5 * (th__class_join(a->first, b->first) > TH_CLASS_WORD) +
                  0.5 * (th__class_join(a->last, b->last) > TH_CLASS_WORD);
    return (classes + lengths + ends) / 3;
}

static double likeness_to(const struct value_shapes *shapes, const th_page *page, th_span span)
{
    struct value_shape shape = shape_of(page, span);
    double most = 0;
    for (uint32_t i = 0; i < shapes->count; i++) {
        double like = shape_likeness(&shape, &shapes->values[i]);
        most = like > most ? like : most;
    }
    return most;
}

/* The thing of a labelled instance, and how the value lies in it. */
struct target {
    bool usable;          /* where values of this field can be sought */
    uint32_t unit, node;  /* TH__NO_THING: no such thing */
    bool part;            /* of the unit */
    uint32_t first, last; /* units of a value that markup parts: `unit` is the one outside of it */
    bool part_of_node;
};

struct field_learner {
    th__stalker_learner *l;
    th__stalker_field *field;
    const th__instances *instances;
    struct target *targets;     /* by instance */
    struct value_shapes shapes; /* of the labelled values */
    uint32_t positives, negatives;
    uint32_t ends_right[2]; /* labelled values whose end the forward, the backward rule finds */
};

static th_span label_span(const th__stalker_instance *in)
{
    return in->value ? th__stalker_value_span(in->value) : (th_span){0};
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* The attribute that values are of: as the first that has a label says. */
static bool find_attribute(struct field_learner *f)
{
    for (size_t i = 0; i < f->instances->len; i++) {
        const th__stalker_instance *in = &f->instances->data[i];
        th_span span = label_span(in);
        if (!span.end)
            continue;
        th_str name = th__attribute_at(f->l->pages[in->page].page, span).name;
        if (!name.ptr)
            return true;
        f->field->attribute = th__arena_copy(f->l->arena, name);
        f->field->thing = TH__THING_NODE;
        return f->field->attribute.ptr;
    }
    return true;
}

/* ---- things ---------------------------------------------------------------------------------- */

static bool covers(th_span outer, th_span inner)
{
    return inner.start <= outer.start && inner.end >= outer.end;
}

/* Of units that flow in one line the first that no markup inside the line holds. */
static uint32_t unit_outside(const th__page_map *map, uint32_t holder, uint32_t first,
                             uint32_t last)
{
    uint32_t outside = TH__NO_THING;
    for (uint32_t u = first; u <= last; u++) {
        if (u < last && !th__map_flows(map, u))
            return TH__NO_THING;
        if (outside == TH__NO_THING && map->units[u].node == holder)
            outside = u;
    }
    return outside;
}

static struct target find_target(struct field_learner *f, const th__stalker_instance *in,
                                 th_span span)
{
    struct target target = {.unit = TH__NO_THING, .node = TH__NO_THING};
    const th__page_map *map = th__stalker_page_map(&f->l->pages[in->page]);
    const th_page *page = in->scope.root < map->page->node_count ? map->page : NULL;
    uint32_t token = th__token_at(page, span.start), end = th__token_at(page, span.end - 1) + 1;
    th_attr attr = th__attribute_at(page, span);
    bool attribute = attr.name.ptr;
    if (attribute != (f->field->attribute.ptr != NULL))
        return target;
    if (attribute) {
        target.node = th_page_node_at(page, span.start);
        target.part_of_node = th__str_trim(attr.value).len > span.end - span.start;
        target.usable = th__str_eq_nocase(attr.name, f->field->attribute);
        return target;
    }
    uint32_t first = th__map_unit_at(map, span.start);
    uint32_t last = th__map_units_to(map, span.end);
    target.usable = f->field->extent;
    if (first >= last)
        return target; /* in a script, or a comment */
    target.usable = true;
    target.node = th__map_holder(page, token, end);
    target.first = target.last = first;
    if (last - first == 1) {
        target.unit = first;
        target.part = !covers(map->units[first].span, span);
    } else if (covers((th_span){map->units[first].span.start, map->units[last - 1].span.end},
                      span)) {
        target.unit = unit_outside(map, target.node, first, last - 1);
        target.last = last - 1;
    }
    uint32_t from = map->before[page->nodes[target.node].token];
    uint32_t to = map->before[page->nodes[target.node].token_end];
    th_span all = {map->units[from].span.start, map->units[to - 1].span.end};
    target.part_of_node = !covers(all, span);
    if (target.node < in->scope.root || page->nodes[target.node].token < in->scope.token)
        target.node = TH__NO_THING;
    return target;
}

/* Returns true if units are all that is in the element of one of them, which is markup in a line.
 */
static bool is_full(const th__page_map *map, const struct target *target)
{
    uint32_t node = map->units[target->unit].node;
    return node && map->plain[node] && th__tag_flows(map->page->tags[node]) &&
           map->before[map->page->nodes[node].token] == target->first &&
           map->before[map->page->nodes[node].token_end] == target->last + 1;
}

/* Returns true if every value begins or ends a line of text (its own label does not count), or is
 * all of an element inside a line. Where markup parts a value and that does not tell where it ends,
 * it cannot be learnt from. */
static void find_lines(struct field_learner *f)
{
    th__stalker_field *field = f->field;
    field->from_start = field->to_end = field->full = true;
    for (size_t i = 0; i < f->instances->len; i++) {
        const th__page_map *map = &f->l->pages[f->instances->data[i].page].map;
        const struct target *target = &f->targets[i];
        if (!label_span(&f->instances->data[i]).end || !target->usable)
            continue;
        field->from_start &= th__stalker_begins_line(field, map, target->first);
        field->to_end &= !th__map_flows(map, target->last);
        field->full &= is_full(map, target);
    }
    for (size_t i = 0; i < f->instances->len; i++) {
        const th__page_map *map = &f->l->pages[f->instances->data[i].page].map;
        struct target *target = &f->targets[i];
        th_span found;
        if (!label_span(&f->instances->data[i]).end || !target->usable ||
            target->first == target->last)
            continue;
        target->usable = th__stalker_thing_span(field, &f->l->pages[f->instances->data[i].page],
                                                target->unit, &found) &&
                         found.start == map->units[target->first].span.start &&
                         found.end == map->units[target->last].span.end;
    }
}

/* The element around a target's that holds no other text and has a path, or the target's own. */
static uint32_t node_at_path(const th__page_map *map, const th__stalker_instance *in,
                             const struct target *target, uint64_t path)
{
    const th_page *page = map->page;
    uint32_t first = map->before[page->nodes[target->node].token];
    uint32_t end = map->before[page->nodes[target->node].token_end];
    for (uint32_t node = target->node; node > in->scope.root; node = page->nodes[node].parent) {
        if (page->nodes[node].token < in->scope.token ||
            map->before[page->nodes[node].token] != first ||
            map->before[page->nodes[node].token_end] != end)
            break;
        if (th__address_key(&map->at, true, in->scope.root, node) == path)
            return node;
    }
    return target->node;
}

/* A value may be all of several elements, one in the other, on some pages, and of the outer ones
 * alone on others: the outermost that every page has is meant. */
static void choose_level(struct field_learner *f)
{
    uint32_t least = UINT32_MAX;
    uint64_t path = 0;
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < f->instances->len; i++) {
            const th__stalker_instance *in = &f->instances->data[i];
            const th__page_map *map = &f->l->pages[in->page].map;
            struct target *target = &f->targets[i];
            if (!label_span(in).end || !target->usable || target->node == TH__NO_THING)
                continue;
            uint32_t depth = map->page->paths[map->page->nodes[target->node].path].depth -
                             map->page->paths[map->page->nodes[in->scope.root].path].depth;
            if (turn) {
                target->node = node_at_path(map, in, target, path);
            } else if (depth < least) {
                least = depth;
                path = th__address_key(&map->at, true, in->scope.root, target->node);
            }
        }
}

/* Elements where every value is all that is in one, else units where every value is in one:
 * an element holds what markup parts. */
static void choose_thing(struct field_learner *f)
{
    bool units = true, nodes = true, part = false, part_of_node = false;
    for (size_t i = 0; i < f->instances->len; i++) {
        if (!label_span(&f->instances->data[i]).end || !f->targets[i].usable)
            continue;
        units &= f->targets[i].unit != TH__NO_THING;
        nodes &= f->targets[i].node != TH__NO_THING;
        part |= f->targets[i].part;
        part_of_node |= f->targets[i].part_of_node;
    }
    if (f->field->attribute.ptr) {
        f->field->cut = part_of_node;
        return;
    }
    bool unit = units && (part_of_node || !nodes);
    f->field->thing = unit ? TH__THING_UNIT : TH__THING_NODE;
    f->field->cut = unit ? part : part_of_node;
    if (unit && !part)
        find_lines(f);
    else if (!unit && !part_of_node && nodes)
        choose_level(f);
}

static uint32_t thing_of(const struct field_learner *f, size_t i)
{
    if (!f->targets[i].usable)
        return TH__NO_THING;
    return f->field->thing == TH__THING_UNIT ? f->targets[i].unit : f->targets[i].node;
}

/* ---- the structural view --------------------------------------------------------------------- */

static double alike(void *context, uint32_t instance, uint32_t thing)
{
    struct field_learner *f = context;
    th__stalker_page *page = &f->l->pages[f->instances->data[instance].page];
    th_span span;
    if (!th__stalker_thing_span(f->field, page, thing, &span))
        return 0;
    return likeness_to(&f->shapes, page->page, span);
}

/* Returns true if there is nothing in a thing: the cut rules leave nothing ("Name - " has no town),
 * or it says so ("n/a"). */
static bool is_empty(void *context, uint32_t instance, uint32_t thing)
{
    struct field_learner *f = context;
    th_span span;
    return (f->field->cut || !f->field->attribute.ptr) &&
           !th__stalker_thing_span(f->field, &f->l->pages[f->instances->data[instance].page], thing,
                                   &span);
}

/* Where the value begins and ends in its thing. */
static bool learn_cut(struct field_learner *f)
{
    TH__VEC(th__stalker_example) starts = {0}, ends = {0};
    th__stalker_field *field = f->field;
    bool ok = true;
    field->cut = false; /* the thing whole */
    for (size_t i = 0; ok && i < f->instances->len; i++) {
        th_span span = label_span(&f->instances->data[i]), whole;
        th__stalker_page *page = &f->l->pages[f->instances->data[i].page];
        if (!span.end || thing_of(f, i) == TH__NO_THING ||
            !th__stalker_thing_span(field, page, thing_of(f, i), &whole))
            continue;
        const th__stalker_seq *seq = th__stalker_cut_seq(field, page, whole);
        if (!seq)
            return false;
        th__stalker_example e = {.seq = seq,
                                 .first = th__stalker_seq_at(seq, whole.start),
                                 .last = th__stalker_seq_at(seq, whole.end),
                                 .item_first = th__stalker_seq_at(seq, span.start),
                                 .item_last = th__stalker_seq_at(seq, span.end)};
        e.low = e.high = e.item_first;
        ok = th__vec_push(&starts, e);
        e.first = e.item_first;
        e.low = e.high = e.item_last;
        ok = ok && th__vec_push(&ends, e);
    }
    th__stalker_learnt start = {0}, end = {0};
    th__stalker_task task = {.examples = starts.data,
                             .count = (uint32_t)starts.len,
                             .until = true,
                             .classes = true,
                             .cancel = f->l->corpus->cancel};
    ok = ok && th__stalker_induce(&task, f->l->arena, &start);
    task.examples = ends.data;
    task.to_end = true;
    ok = ok && th__stalker_induce(&task, f->l->arena, &end);
    field->cut = true;
    field->cut_start = start.rule;
    field->cut_end = end.rule;
    th__vec_release(&starts);
    th__vec_release(&ends);
    return ok;
}

static bool learn_structure(struct field_learner *f)
{
    TH__VEC(th__place_instance) places = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < f->instances->len; i++) {
        const th__stalker_instance *in = &f->instances->data[i];
        const th__page_map *map = th__stalker_page_map(&f->l->pages[in->page]);
        uint32_t thing = !in->labelled                    ? TH__UNKNOWN_THING
                         : !label_span(in).end            ? TH__NO_THING
                         : thing_of(f, i) == TH__NO_THING ? TH__UNKNOWN_THING
                                                          : thing_of(f, i);
        ok = map && th__vec_push(&places, (th__place_instance){map, in->scope, thing});
    }
    th__place_task task = {.instances = places.data,
                           .count = (uint32_t)places.len,
                           .kind = (th__thing_kind)f->field->thing,
                           .texts = !f->field->attribute.ptr,
                           .identified_by = f->field->identified_by,
                           .alike = alike,
                           .empty = is_empty,
                           .context = f};
    th__place_rules learnt = {0};
    ok = ok && th__place_rules_learn(&task, f->l->arena, &learnt);
    f->field->places = learnt.rules;
    f->field->place_count = learnt.count;
    f->field->weight = 1000 * learnt.right / (f->positives + f->negatives);
    th__vec_release(&places);
    return ok;
}

/* ---- the landmark views ---------------------------------------------------------------------- */

enum {
    VIEW_WEIGHT = 300,
    AHEAD = 400 /* tokens behind an item that its end rules are tried on: what matches farther off
                   is as wrong as what matches there */
};

struct judged {
    struct field_learner *f;
    bool backward, end;
};

/* How well a rule for starts does on the instances without labels: it should match, before a token
 * of a class that values begin with. */
static double judge_start(void *context, const th__disjunct *disjunct)
{
    const struct judged *j = context;
    double worth = 0;
    for (size_t i = 0; i < j->f->instances->len; i++) {
        const th__stalker_instance *in = &j->f->instances->data[i];
        if (in->labelled)
            continue;
        const th__stalker_seq *seq = th__stalker_page_seq(&j->f->l->pages[in->page]);
        if (!seq)
            return 0;
        uint32_t first = th__stalker_seq_at(seq, in->scope.span.start);
        uint32_t last = th__stalker_seq_at(seq, in->scope.span.end);
        uint32_t at = th__disjunct_run(disjunct, j->backward, seq, first, last);
        if (at == TH__NO_MATCH || at >= last)
            continue;
        worth += 1 + (j->f->shapes.first_classes >> seq->tokens[at].cls & 1);
    }
    return worth;
}

typedef TH__VEC(th__stalker_example) example_vec;

/* Tags at either end are as good inside as outside. */
static void widen(th__stalker_example *e, bool end)
{
    if (end)
        e->high = th__stalker_behind_tags(e->seq, e->high);
    else
        e->low = th__stalker_before_tags(e->seq, e->low);
    e->high = e->high < e->last ? e->high : e->last;
    e->low = e->low > e->first ? e->low : e->first;
}

/* The examples of starts, or of ends. */
static bool gather(struct field_learner *f, bool ends, bool from_start, example_vec *out)
{
    for (size_t i = 0; i < f->instances->len; i++) {
        const th__stalker_instance *in = &f->instances->data[i];
        th_span span = label_span(in);
        if (!in->labelled || (ends && !span.end) || (span.end && !f->targets[i].usable))
            continue;
        const th__stalker_seq *seq = th__stalker_page_seq(&f->l->pages[in->page]);
        if (!seq)
            return false;
        th__stalker_example e = {.seq = seq,
                                 .first = th__stalker_seq_at(seq, in->scope.span.start),
                                 .last = th__stalker_seq_at(seq, in->scope.span.end),
                                 .none = !span.end};
        if (span.end && f->field->attribute.ptr) {
            const th_page *page = f->l->pages[in->page].page;
            span.start = page->tokens[th__token_at(page, span.start)].start;
            span.end = span.start + 1;
        }
        if (span.end) {
            e.item_first = th__stalker_seq_at(seq, span.start);
            e.item_last = th__stalker_seq_at(seq, span.end);
            e.low = e.high = ends ? e.item_last : e.item_first;
            if (from_start) {
                e.first = e.item_first;
                e.last = e.last < e.item_last + AHEAD ? e.last : e.item_last + AHEAD;
            }
            if (!f->l->paper && !f->field->attribute.ptr)
                widen(&e, ends);
        }
        if (!th__vec_push(out, e))
            return false;
    }
    return true;
}

/* What a view's answer counts beside the structural one's thousand: the most that lets two views
 * together outvote it when it is unsure itself. A rule of many disjuncts has learnt its examples by
 * heart, and one that finds nothing on other pages, or something that shapes unlike a value, has
 * learnt too little: both count less. */
static uint32_t weigh_view(struct field_learner *f, bool backward, double right)
{
    th__landmark_view *view = backward ? &f->field->backward : &f->field->forward;
    double worth = right, found = 0, others = 0;
    if (view->start.count > 1)
        worth *= 1 - (view->start.count - 1.0) / f->positives;
    view->weight = 1;
    for (size_t i = 0; i < f->instances->len && !f->l->paper; i++) {
        const th__stalker_instance *in = &f->instances->data[i];
        th__stalker_page *page = &f->l->pages[in->page];
        if (in->labelled)
            continue;
        th__stalker_answer answer = th__stalker_ask(
            f->field, backward ? TH__VIEW_BACKWARD : TH__VIEW_FORWARD, page, &in->scope);
        others++;
        if (answer.span.end)
            found += likeness_to(&f->shapes, page->page, answer.span);
    }
    if (others > 0)
        worth *= found / others;
    uint32_t weight = (uint32_t)(VIEW_WEIGHT * worth);
    return weight ? weight : 1;
}

static bool learn_landmarks(struct field_learner *f, bool backward, th__landmark_view *view)
{
    example_vec starts = {0}, ends = {0};
    struct judged judged = {f, backward, false};
    /* As published, a backward view has an end rule of its own; ours takes the forward one, which
     * begins at the start that is found. */
    bool own_end = !backward || f->l->paper;
    bool ok = !th__cancelled(f->l->corpus->cancel) && gather(f, false, false, &starts) &&
              (!own_end || gather(f, true, !backward, &ends));
    th__stalker_learnt start = {0}, end = {0};
    th__stalker_task task = {.examples = starts.data,
                             .count = (uint32_t)starts.len,
                             .backward = backward,
                             .until = !backward && !f->l->paper,
                             .classes = !f->l->paper,
                             .published = f->l->paper,
                             .judge = f->l->paper ? NULL : judge_start,
                             .context = &judged,
                             .cancel = f->l->corpus->cancel};
    ok = ok && th__stalker_induce(&task, f->l->arena, &start);
    task.examples = ends.data;
    task.count = (uint32_t)ends.len;
    task.until = !backward;
    task.judge = NULL;
    if (!f->field->attribute.ptr && own_end)
        ok = ok && !th__cancelled(f->l->corpus->cancel) &&
             th__stalker_induce(&task, f->l->arena, &end);
    view->start = start.rule;
    view->end = own_end ? end.rule : f->field->forward.end;
    f->ends_right[backward] = end.right;
    if (ok && starts.len)
        view->weight = weigh_view(f, backward, start.right / (double)starts.len);
    th__vec_release(&starts);
    th__vec_release(&ends);
    return ok;
}

/* As published, start rules consume what is before an item and end rules what is behind it, and
 * which of the two directions tells an end is not said: the rule that finds more of the labelled
 * ends is taken for both views, then the one of fewer disjuncts. What has many has learnt the last
 * words of its examples by heart. */
static void choose_end(struct field_learner *f)
{
    th__landmark_rule *forward = &f->field->forward.end, *backward = &f->field->backward.end;
    bool better = f->ends_right[true] != f->ends_right[false]
                      ? f->ends_right[true] > f->ends_right[false]
                      : backward->count < forward->count;
    if (better)
        *forward = *backward;
    else
        *backward = *forward;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool look_at_labels(struct field_learner *f)
{
    f->targets = th__arena_zero(&f->l->scratch, f->instances->len + 1, sizeof *f->targets);
    if (!f->targets || !find_attribute(f))
        return false;
    f->field->simple = !f->l->paper && !f->field->attribute.ptr;
    for (size_t i = 0; i < f->instances->len; i++) {
        const th__stalker_instance *in = &f->instances->data[i];
        th_span span = label_span(in);
        if (!in->labelled)
            continue;
        f->positives += span.end > 0;
        f->negatives += span.end == 0;
        if (!span.end)
            continue;
        if (!th__stalker_page_map(&f->l->pages[in->page]))
            return false;
        f->targets[i] = find_target(f, in, span);
        f->field->simple &= th__stalker_is_simple(&f->l->pages[in->page].map, span);
        f->field->literal |=
            th__says_nothing(th__page_slice(f->l->pages[in->page].page, span.start, span.end));
        add_shape(&f->shapes, f->l->pages[in->page].page, span);
    }
    /* One label tells too little of how a site writes that there is none to leave texts out. */
    f->field->literal |= f->positives + f->negatives < 2;
    choose_thing(f);
    return true;
}

/* Returns true if every value is all of its scope. */
static bool is_whole(const struct field_learner *f)
{
    for (size_t i = 0; i < f->instances->len; i++) {
        const th__stalker_instance *in = &f->instances->data[i];
        th_span span = label_span(in);
        const th_page *page = f->l->pages[in->page].page;
        if (in->labelled && (!span.end || !covers(th__span_trim(page, in->scope.span), span)))
            return false;
    }
    return !f->field->attribute.ptr;
}

bool th__stalker_learn_field(th__stalker_learner *l, th__stalker_field *field,
                             const th__instances *instances)
{
    struct field_learner f = {.l = l, .field = field, .instances = instances};
    field->identified_by = l->identified_by;
    if (th__cancelled(l->corpus->cancel) || !look_at_labels(&f))
        return false;
    if (!f.positives)
        return true;
    field->always = !f.negatives;
    field->whole = is_whole(&f);
    if (field->whole)
        return true;
    if (l->paper)
        field->cut = false; /* rules for parts of a text are not learnt */
    else if ((field->cut && !learn_cut(&f)) || !learn_structure(&f))
        return false;
    bool ok =
        learn_landmarks(&f, false, &field->forward) && learn_landmarks(&f, true, &field->backward);
    if (ok && l->paper && !field->attribute.ptr)
        choose_end(&f);
    return ok;
}

/* ---- notes: what a person should know of a field whose rules are not right ------------------- */
/* How many labelled instances each view is right on. */
struct view_tally {
    uint32_t labelled, positives, right, views[TH__VIEWS];
    const th__stalker_instance *wrong; /* the first */
    th_span found;                     /* there */
};

/* Spans may differ by a bracket or a tag and give the same text. */
static bool same_text(th__stalker_learner *l, const th_page *page, th_span a, th_span b)
{
    th__buf left = {0}, right = {0};
    if (th__same_span(a, b))
        return true;
    if (!a.end || !b.end)
        return false;
    bool equal = th__span_text(page, a, &left) && th__span_text(page, b, &right) &&
                 th__str_eq(th__buf_str(&left), th__buf_str(&right));
    th__buf_release(&left);
    th__buf_release(&right);
    return equal;
}

static struct view_tally count_right(th__stalker_learner *l, const th__stalker_field *field,
                                     const th__instances *instances)
{
    struct view_tally t = {0};
    for (size_t i = 0; i < instances->len; i++) {
        const th__stalker_instance *in = &instances->data[i];
        th__stalker_page *page = &l->pages[in->page];
        if (!in->labelled)
            continue;
        th_span span = in->value ? th__stalker_value_span(in->value) : (th_span){0};
        th_span found = th__stalker_decide(field, page, &in->scope).span;
        t.labelled++;
        t.positives += span.end > 0;
        for (int v = 0; v < TH__VIEWS && !field->whole; v++)
            t.views[v] += th__same_span(
                th__stalker_ask(field, (th__stalker_view)v, page, &in->scope).span, span);
        if (same_text(l, page->page, found, span)) {
            t.right++;
        } else if (!t.wrong) {
            t.wrong = in;
            t.found = found;
        }
    }
    return t;
}

/* "a value" or nothing, as a reader reads it. */
static bool put_value(th__buf *out, const th_page *page, th_span span)
{
    enum { LONGEST = 60 };
    th__buf text = {0};
    if (!span.end)
        return th__buf_add_str(out, TH_STR("nothing"));
    bool ok = th__span_text(page, span, &text);
    bool cut = text.len > LONGEST;
    size_t len = cut ? LONGEST : text.len;
    while (cut && len && (text.data[len] & 0xC0) == 0x80)
        len--;
    th__buf_printf(out, "\"%.*s%s\" (bytes %u-%u)", (int)len, text.data ? text.data : "",
                   cut ? "..." : "", span.start, span.end);
    th__buf_release(&text);
    return ok && !out->failed;
}

static bool note_wrong(th__stalker_learner *l, th_str name, const struct view_tally *t)
{
    const th__corpus_page *page = &l->corpus->pages[t->wrong->page];
    th_span span = t->wrong->value ? th__stalker_value_span(t->wrong->value) : (th_span){0};
    th__buf labelled = {0}, found = {0};
    bool ok =
        put_value(&labelled, page->page, span) && put_value(&found, page->page, t->found) &&
        th__notes_add(
            l->corpus->notes,
            "%.*s: %.*s is labelled %.*s, and the rules find %.*s; of %u labelled places the "
            "structure is right on %u, forward rules on %u, backward rules on %u, together "
            "on %u. If the label is right, label one more page like this one",
            TH_STR_ARG(page->source.page), TH_STR_ARG(name), TH_STR_ARG(th__buf_str(&labelled)),
            TH_STR_ARG(th__buf_str(&found)), t->labelled, t->views[TH__VIEW_STRUCTURE],
            t->views[TH__VIEW_FORWARD], t->views[TH__VIEW_BACKWARD], t->right);
    th__buf_release(&labelled);
    th__buf_release(&found);
    return ok;
}

bool th__stalker_note_field(th__stalker_learner *l, const th__stalker_field *field,
                            const th__instances *instances)
{
    th_str name = l->name.len ? th__buf_str(&l->name) : TH_STR("the value");
    if (l->quiet)
        return true;
    struct view_tally t = count_right(l, field, instances);
    if (!t.labelled)
        return th__notes_add(l->corpus->notes,
                             "%.*s: the items of its list were not found as labelled, so it was "
                             "not learnt; label one more page with several items",
                             TH_STR_ARG(name));
    if (!t.positives)
        return th__notes_add(l->corpus->notes,
                             "%.*s: no labelled page has a value of it, so it was not learnt; "
                             "label a page that has one",
                             TH_STR_ARG(name));
    return !t.wrong || note_wrong(l, name, &t);
}

bool th__stalker_note_list(th__stalker_learner *l, uint32_t right, uint32_t labelled)
{
    th_str name = l->name.len ? th__buf_str(&l->name) : TH_STR("the records");
    if (right == labelled || l->quiet)
        return true;
    return th__notes_add(l->corpus->notes,
                         "%.*s: a list whose items are found as labelled on %u of %u labelled "
                         "pages; elements, runs of elements, and landmarks were tried. Check that "
                         "all items are labelled, and label one more page with several items",
                         TH_STR_ARG(name), right, labelled);
}
