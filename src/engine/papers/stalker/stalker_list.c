/*
 * stalker_list.c: learning where the items of a list stand.
 *
 * Labels tell the texts of items, not where items begin and end. A rule is right on an instance
 * when it gives as many items as are labelled, and each holds the texts of one of them. Tried in
 * this order: an element (or, for texts, a unit) an item; a run from one element or unit to the
 * next; landmarks. Paths are tried whole, by tags and in part, first anywhere in the extent, then
 * between the constant texts before and behind the list.
 */
#include <stdlib.h>

#include "base/vec.h"
#include "data/record.h"
#include "engine/papers/stalker/stalker_induce.h"
#include "engine/papers/stalker/stalker_learn.h"
#include "page/page.h"
#include "page/text.h"
#include "index/view.h"

enum {
    EXEMPLARS = 6, /* labelled lists whose items give candidates */
    ITEMS = 4,     /* items of a list that give candidates */
    CLIMB = 12,    /* elements around an item that are tried */
    GAP = 24,      /* things between two items that runs may begin with */
    END_STEPS = 3, /* of the shortened paths */
    TRIED = 4000,  /* rules at most */
    AROUND = 4,    /* units before and behind a list that may enclose it */
    SHOWN = 200    /* items at either end of a list that landmarks are learnt from: each is followed
                      by the rest of the list, so that all of n would cost n times n */
};

/* The hulls of a labelled list: from the first text of an item to its last. */
struct hulls {
    th_span *data;
    uint32_t count;
    uint64_t *hashes; /* of their texts; made when they are asked for */
    uint32_t empty;   /* items besides, of which nothing is on the page */
};

struct list_learner {
    th__stalker_learner *l;
    th__stalker_list *list;
    const th__instances *instances;
    struct hulls *hulls; /* by instance */
    bool texts;          /* items are texts */
    uint32_t labelled, most;
    uint32_t filled; /* labelled lists with items */
    th__stalker_list best;
    double best_worth;
    uint32_t best_right;
    th__buf text;
    TH__VEC(uint64_t) tried; /* hashes of the rules that were */
    bool failed;
};

/* ---- labels ---------------------------------------------------------------------------------- */

/* Items stand one behind the other: one that reaches into the next ends where that begins, and two
 * that begin at one place are the same item, labelled twice. */
static void add_hull(struct hulls *hulls, th_span hull)
{
    th_span *last = hulls->count ? &hulls->data[hulls->count - 1] : NULL;
    if (last && last->start == hull.start) {
        *last = hull;
        return;
    }
    if (last && last->end > hull.start)
        last->end = hull.start;
    hulls->data[hulls->count++] = hull;
}

static bool find_hulls(struct list_learner *f)
{
    f->hulls = th__arena_zero(&f->l->scratch, f->instances->len + 1, sizeof *f->hulls);
    if (!f->hulls)
        return false;
    for (size_t i = 0; i < f->instances->len; i++) {
        const th__stalker_instance *in = &f->instances->data[i];
        struct hulls *hulls = &f->hulls[i];
        size_t count = th_value_count(in->value);
        hulls->data = th__arena_zero(&f->l->scratch, count + 1, sizeof *hulls->data);
        if (!hulls->data)
            return false;
        f->labelled += in->labelled;
        for (size_t n = 0; n < count; n++) {
            th_span hull = th__value_hull(th_value_item(in->value, n));
            if (hull.end)
                add_hull(hulls, hull);
            else
                hulls->empty++;
        }
        f->most = hulls->count > f->most ? hulls->count : f->most;
        f->filled += hulls->count > 0;
    }
    return true;
}

/* ---- trying ---------------------------------------------------------------------------------- */

static bool holds(th_span outer, th_span inner)
{
    return outer.start <= inner.start && outer.end >= inner.end;
}

uint64_t *th__stalker_text_hashes(th__arena *arena, const th_page *page, const th_span *spans,
                                  size_t count)
{
    uint64_t *hashes = th__arena_alloc(arena, (count + 1) * sizeof *hashes);
    th__buf text = {0};
    bool ok = hashes;
    for (size_t i = 0; ok && i < count; i++) {
        text.len = 0;
        ok = th__span_text(page, spans[i], &text);
        hashes[i] = ok ? th__hash(text.data, text.len) : 0;
    }
    if (ok)
        qsort(hashes, count, sizeof *hashes, th__by_number);
    th__buf_release(&text);
    return ok ? hashes : NULL;
}

bool th__stalker_is_among(const uint64_t *hashes, size_t count, th_str text)
{
    uint64_t hash = th__hash(text.ptr, text.len);
    return bsearch(&hash, hashes, count, sizeof hash, th__by_number);
}

/* Whether a text is that of a labelled one: labels name a value once that stands there twice. */
static bool is_repeated(struct list_learner *f, const th_page *page, th_span span,
                        struct hulls *hulls)
{
    f->text.len = 0;
    if (!hulls->hashes)
        hulls->hashes = th__stalker_text_hashes(&f->l->scratch, page, hulls->data, hulls->count);
    f->failed |= !hulls->hashes || !th__span_text(page, span, &f->text);
    return !f->failed && th__stalker_is_among(hulls->hashes, hulls->count, th__buf_str(&f->text));
}

static bool is_right(struct list_learner *f, const th__stalker_list *list, size_t i,
                     th__extent_vec *items)
{
    const th__stalker_instance *in = &f->instances->data[i];
    struct hulls *hulls = &f->hulls[i];
    items->len = 0;
    if (!th__stalker_items(list, &f->l->pages[in->page], &in->extent, items)) {
        f->failed = true;
        return false;
    }
    /* Of a sample, items without labels are no fault. */
    uint32_t n = 0, empty = 0;
    for (size_t item = 0; item < items->len; item++) {
        th_span span = items->data[item].span;
        if (n < hulls->count && holds(span, hulls->data[n]))
            n++;
        else if (empty < hulls->empty)
            empty++;
        else if (!in->sample && !(f->texts && is_repeated(f, f->l->pages[in->page].page, span, hulls)))
            return false;
    }
    return n == hulls->count;
}

/* Whether a rule was tried before: the items of one list, and the lists of one site, give the same
 * rules again and again. */
static bool is_known(struct list_learner *f, const th__stalker_list *list)
{
    uint64_t hash = th__hash_mix(list->at.key, list->at.marked);
    hash = th__hash_mix(hash, list->after.ptr ? list->after_hash : 0);
    hash = th__hash_mix(hash, list->before.ptr ? list->before_hash : 0);
    hash = th__hash_mix(hash, (uint64_t)list->at.steps << 8 | list->at.tags << 7 |
                                  list->together << 6 | list->start_is_unit << 5 | list->kind);
    for (size_t i = 0; i < f->tried.len; i++)
        if (f->tried.data[i] == hash)
            return true;
    f->failed |= !th__vec_push(&f->tried, hash);
    return f->tried.len > TRIED;
}

/* Disjuncts more than one a rule. */
static uint32_t excess(const th__stalker_list *list)
{
    uint32_t next = list->item.start.count, end = list->item.end.count;
    return (next > 1 ? next - 1 : 0) + (end > 1 ? end - 1 : 0);
}

/* Right on how many labelled instances, and how many of the others have items at all. */
static void try_list(struct list_learner *f, const th__stalker_list *list, double prior)
{
    th__extent_vec items = {0};
    if (list->kind >= TH__LIST_ELEMENTS && is_known(f, list))
        return;
    uint32_t right = 0, filled = 0, others = 0;
    for (size_t i = 0; i < f->instances->len && !f->failed; i++) {
        if (f->instances->data[i].labelled) {
            right += is_right(f, list, i, &items);
            continue;
        }
        others++;
        items.len = 0;
        f->failed |= !th__stalker_items(list, &f->l->pages[f->instances->data[i].page],
                                        &f->instances->data[i].extent, &items);
        filled += items.len > 0;
    }
    double worth = prior + (others ? 0.5 * filled / others : 0);
    /* Landmarks that need many disjuncts have learnt the lists by heart. */
    uint32_t heart = excess(list) / 2;
    right = right > heart ? right - heart : 0;
    if (right > f->best_right || (right == f->best_right && right && worth > f->best_worth)) {
        f->best = *list;
        f->best_right = right;
        f->best_worth = worth;
    }
    th__vec_release(&items);
}

/* The texts right before and behind a list that may enclose it. */
static bool text_of(struct list_learner *f, const th__stalker_map *map, uint32_t unit, th_str *text,
                    uint64_t *hash)
{
    f->text.len = 0;
    if (!th__span_text(map->page, map->units[unit].span, &f->text))
        return false;
    *text = th__arena_copy(f->l->arena, th__buf_str(&f->text));
    *hash = map->units[unit].hash;
    return text->ptr;
}

/* Tries a path alone, then between texts that stand around the list of an instance. */
static void try_enclosed(struct list_learner *f, size_t i, th__stalker_list list, double prior)
{
    const th__stalker_instance *in = &f->instances->data[i];
    const th__stalker_map *map = th__stalker_page_map(&f->l->pages[in->page]);
    const struct hulls *hulls = &f->hulls[i];
    uint32_t before = th__stalker_unit_at(map, hulls->data[0].start);
    uint32_t behind = th__stalker_units_to(map, hulls->data[hulls->count - 1].end);
    uint32_t first, end;
    try_list(f, &list, prior + 0.3);
    list.together = true;
    try_list(f, &list, prior + 0.2);
    if (f->best_right == f->labelled && f->best_worth >= prior + 0.2 && !list.told.own)
        return; /* texts around it would add nothing */
    th__things_in(map, &in->extent, TH__THING_UNIT, &first, &end);
    for (uint32_t a = 0; a <= AROUND && !f->failed; a++)
        for (uint32_t b = 0; b <= AROUND && !f->failed; b++) {
            th__stalker_list enclosed = list;
            enclosed.together = false;
            if ((a && (before < first + a || !map->units[before - a].hash)) ||
                (b && (behind + b > end || !map->units[behind + b - 1].hash)) || (!a && !b))
                continue;
            if ((a && !text_of(f, map, before - a, &enclosed.after, &enclosed.after_hash)) ||
                (b && !text_of(f, map, behind + b - 1, &enclosed.before, &enclosed.before_hash))) {
                f->failed = true;
                return;
            }
            /* A label of its own tells a list better than a path does, when two pages show it: what
             * reads "Genres:" here may be "Genre:" there. */
            bool own = a && !b && enclosed.after_hash == list.told.own && f->filled > 1;
            try_list(f, &enclosed, prior - 0.02 * (a + b) + (own ? 0.4 : 0));
            enclosed.together = true;
            if (own)
                try_list(f, &enclosed, prior + 0.5);
        }
}

/* Ways to name a path. */
enum way { BY_CLASSES, BY_MARK, BY_TAGS, BY_END /* and the next ones: one more step each */ };

static bool write_spec(struct list_learner *f, const th_page *page, uint32_t top, uint32_t node,
                       th__path_spec *spec)
{
    f->text.len = 0;
    bool ok = spec->tags ? th__tag_path_write(page, top, node, &f->text)
                         : th__class_path_write(page, top, node, &f->text);
    spec->path = ok ? th__arena_copy(f->l->arena, th__buf_str(&f->text)) : (th_str){0};
    if (!spec->path.ptr || !spec->marked)
        return spec->path.ptr;
    f->text.len = 0;
    ok = th__mark_write(page, top, &f->text);
    spec->mark = ok ? th__arena_copy(f->l->arena, th__buf_str(&f->text)) : (th_str){0};
    return spec->mark.ptr;
}

/* Tries all ways to name the path of a thing. */
static void try_paths(struct list_learner *f, size_t i, uint32_t node, th__stalker_list list,
                      double prior)
{
    const th__stalker_instance *in = &f->instances->data[i];
    const th__stalker_map *map = th__stalker_page_map(&f->l->pages[in->page]);
    uint32_t root = in->extent.root, marked = map->marked[node];
    list.texts = f->texts;
    if (f->texts)
        list.told = f->l->told;
    for (uint32_t way = 0; way < BY_END + END_STEPS && !f->failed; way++) {
        uint32_t top = root;
        list.at = (th__path_spec){.tags = way == BY_TAGS};
        if (way == BY_MARK) {
            if (!marked || marked <= root)
                continue;
            top = marked;
            list.at.marked = map->mark[top];
        }
        for (uint32_t steps = BY_END; steps <= way; steps++, list.at.steps++)
            top = steps == BY_END ? map->page->nodes[node].parent : map->page->nodes[top].parent;
        if (way >= BY_END && top <= root)
            break;
        list.at.key = th__stalker_key(map, list.at.tags, top, node);
        if (!write_spec(f, map->page, top, node, &list.at))
            f->failed = true;
        else
            /* What an item calls itself tells it better than its path. */
            try_enclosed(f, i, list,
                         prior - 0.05 * way + (way == BY_MARK && top == node ? 0.1 : 0));
    }
}

/* ---- candidates ------------------------------------------------------------------------------ */

/* Elements around an item that hold no other item. */
static void try_elements(struct list_learner *f, size_t i, uint32_t n)
{
    const th__stalker_instance *in = &f->instances->data[i];
    const struct hulls *hulls = &f->hulls[i];
    const th_page *page = f->l->pages[in->page].page;
    th_span hull = hulls->data[n];
    uint32_t node = th__stalker_holder(page, th__token_at(page, hull.start),
                                       th__token_at(page, hull.end - 1) + 1);
    for (uint32_t up = 0; up < CLIMB && node > in->extent.root; up++) {
        th_span span = th_page_node_span(page, node);
        bool others = (n > 0 && span.start < hulls->data[n - 1].end) ||
                      (n + 1 < hulls->count && span.end > hulls->data[n + 1].start);
        if (others || f->failed)
            return;
        /* Outer elements hold more of the item; but where no list has two items nothing tells how
         * far out an item reaches. */
        try_paths(f, i, node, (th__stalker_list){.kind = TH__LIST_ELEMENTS},
                  f->most > 1 && !f->texts ? 1 + 0.01 * up : 1 - 0.01 * up);
        node = page->nodes[node].parent;
    }
}

static void try_units(struct list_learner *f, size_t i, uint32_t n)
{
    const th__stalker_instance *in = &f->instances->data[i];
    const th__stalker_map *map = th__stalker_page_map(&f->l->pages[in->page]);
    th_span hull = f->hulls[i].data[n];
    uint32_t unit = th__stalker_unit_at(map, hull.start);
    if (unit >= map->count || map->units[unit].span.start != hull.start ||
        map->units[unit].span.end != hull.end)
        return;
    /* Where it is all of an element, the element holds it when markup parts it, too. */
    const th_node *node = &map->page->nodes[map->units[unit].node];
    bool all = map->before[node->token] == unit && map->before[node->token_end] == unit + 1;
    try_paths(f, i, map->units[unit].node, (th__stalker_list){.kind = TH__LIST_UNITS},
              all ? 0.9 : 1.1);
}

/* What stands between the item before and the texts of an item, and its first text. */
static void try_runs(struct list_learner *f, size_t i, uint32_t n)
{
    const th__stalker_instance *in = &f->instances->data[i];
    const th__stalker_map *map = th__stalker_page_map(&f->l->pages[in->page]);
    const th_page *page = map->page;
    const struct hulls *hulls = &f->hulls[i];
    uint32_t to = th__token_at(page, hulls->data[n].start);
    uint32_t from = n ? th__token_at(page, hulls->data[n - 1].end - 1) + 1 : in->extent.token;
    th__stalker_extent gap = {in->extent.root, from > to ? to : from, to + 1, {0}};
    for (int unit = 1; unit >= 0; unit--) {
        uint32_t first, end;
        th__things_in(map, &gap, unit ? TH__THING_UNIT : TH__THING_NODE, &first, &end);
        for (uint32_t t = end; t-- > first && end - t <= GAP && !f->failed;)
            try_paths(f, i, unit ? map->units[t].node : t,
                      (th__stalker_list){.kind = TH__LIST_RUNS, .start_is_unit = unit},
                      0.5 - 0.01 * (end - t));
    }
}

static void try_all(struct list_learner *f,
                    void (*attempt)(struct list_learner *f, size_t i, uint32_t n))
{
    uint32_t lists = 0;
    /* Lists with several items say more than those with one. */
    for (int several = 1; several >= 0; several--)
        for (size_t i = 0; i < f->instances->len && lists < EXEMPLARS; i++) {
            uint32_t count = f->hulls[i].count;
            if (!count || (count > 1) != several)
                continue;
            lists++;
            for (uint32_t n = count > 1; n < count && n <= ITEMS && !f->failed; n++)
                attempt(f, i, n);
        }
}

/* ---- landmarks ------------------------------------------------------------------------------- */

typedef TH__VEC(th__stalker_example) example_vec;

struct list_examples {
    example_vec next, end;
};

static bool add_examples(struct list_learner *f, size_t i, struct list_examples *out)
{
    const th__stalker_instance *in = &f->instances->data[i];
    const struct hulls *hulls = &f->hulls[i];
    const th__stalker_seq *seq = th__stalker_page_seq(&f->l->pages[in->page]);
    if (!seq)
        return false;
    if (!hulls->count)
        return true;
    uint32_t end = th__stalker_seq_at(seq, hulls->data[hulls->count - 1].end);
    bool ok = true;
    for (uint32_t n = 0; ok && n < hulls->count; n++) {
        bool last = n + 1 == hulls->count;
        if (n >= SHOWN && n + SHOWN < hulls->count)
            continue;
        uint32_t from = th__stalker_seq_at(seq, hulls->data[n].start);
        uint32_t next = last ? end : th__stalker_seq_at(seq, hulls->data[n + 1].start);
        uint32_t stop = th__stalker_seq_at(seq, hulls->data[n].end);
        th__stalker_example step = {.seq = seq,
                                    .first = from + 1 < end ? from + 1 : end,
                                    .last = end,
                                    .low = f->l->paper ? next
                                           : f->texts  ? th__stalker_before_tags(seq, next)
                                                       : stop,
                                    .high = next,
                                    .item_first = next,
                                    .item_last = next,
                                    .none = last};
        th__stalker_example item = {.seq = seq,
                                    .first = from,
                                    .last = next,
                                    .low = stop,
                                    .high = f->l->paper ? stop
                                            : f->texts  ? th__stalker_behind_tags(seq, stop)
                                                        : next,
                                    .item_first = from,
                                    .item_last = stop};
        ok = th__vec_push(&out->next, step) && th__vec_push(&out->end, item);
    }
    return ok;
}

static bool learn_rule(struct list_learner *f, const example_vec *examples, bool to_end,
                       th__landmark_rule *out)
{
    th__stalker_learnt learnt;
    th__stalker_task task = {.examples = examples->data,
                             .count = (uint32_t)examples->len,
                             .until = true,
                             .classes = !f->l->paper,
                             .to_end = to_end,
                             .cancel = f->l->corpus->cancel};
    bool ok = th__stalker_induce(&task, f->l->arena, &learnt);
    *out = learnt.rule;
    return ok;
}

/* Whether a stretch has no letter, digit or reference in it. */
static bool is_bare(const th_page *page, uint32_t start, uint32_t end)
{
    for (uint32_t i = start; i < end; i++) {
        unsigned char c = (unsigned char)page->text.ptr[i];
        if (th__is_alpha(c) || th__is_digit(c) || c >= 0x80 || c == '&')
            return false;
    }
    return true;
}

/* Separators before the first text and behind the last stand where a text is empty: they belong to
 * the list, and all of its unit does. */
static th_span with_separators(struct list_learner *f, const th__stalker_instance *in, th_span span,
                               th_str sign)
{
    if (f->l->paper || !f->texts)
        return span;
    const th__stalker_map *map = &f->l->pages[in->page].map;
    if (sign.ptr)
        return th__stalker_with_signs(map, sign, span);
    uint32_t unit = th__stalker_unit_at(map, span.start);
    if (unit >= map->count)
        return span;
    th_span whole = map->units[unit].span;
    return whole.start <= span.start && whole.end >= span.end &&
                   is_bare(map->page, whole.start, span.start) &&
                   is_bare(map->page, span.end, whole.end)
               ? whole
               : span;
}

/* From the first item to the last. Of a sample the list goes on to the end of the element that holds
 * the labelled items: lines between <br>, say. */
static th_span list_span(struct list_learner *f, const th__stalker_instance *in,
                         const struct hulls *hulls, th_str sign)
{
    th_span span = {hulls->data[0].start, hulls->data[hulls->count - 1].end};
    if (!in->sample || f->l->paper || f->texts || hulls->count < 2)
        return with_separators(f, in, span, sign);
    const th__stalker_map *map = &f->l->pages[in->page].map;
    const th_node *holder =
        &map->page->nodes[th__stalker_holder(map->page, th__token_at(map->page, span.start),
                                             th__token_at(map->page, span.end - 1) + 1)];
    uint32_t units = map->before[holder->token_end];
    if (units && map->units[units - 1].span.end > span.end)
        span.end = map->units[units - 1].span.end;
    return span;
}

/* All of a list is found as a field is. */
static bool learn_span(struct list_learner *f, th__stalker_list *list)
{
    th__instances own = {0};
    list->span = th__arena_zero(f->l->arena, 1, sizeof *list->span);
    bool ok = list->span;
    for (size_t i = 0; ok && i < f->instances->len; i++) {
        th__stalker_instance in = f->instances->data[i];
        const struct hulls *hulls = &f->hulls[i];
        th_value *text = th__arena_zero(&f->l->scratch, 1, sizeof *text);
        ok = text;
        in.value = NULL;
        if (ok && hulls->count) {
            *text = (th_value){.kind = TH_VALUE_TEXT,
                               .span = list_span(f, &in, hulls, list->sign)};
            in.value = text;
        }
        ok = ok && th__vec_push(&own, in);
    }
    ok = ok && th__stalker_learn_field(f->l, list->span, &own);
    th__vec_release(&own);
    return ok;
}

/* Landmark rules see a tag as one token: an item that begins or ends with an attribute has the
 * whole tag. Whether there is one. */
static bool widen_to_tags(struct list_learner *f, size_t i)
{
    bool any = false;
    const th_page *page = f->l->pages[f->instances->data[i].page].page;
    for (uint32_t n = 0; n < f->hulls[i].count; n++) {
        th_span *hull = &f->hulls[i].data[n];
        uint32_t first = th__token_at(page, hull->start), last = th__token_at(page, hull->end - 1);
        if (page->tokens[first].kind == TH_TOKEN_START)
            hull->start = page->tokens[first].start;
        if (page->tokens[last].kind == TH_TOKEN_START)
            hull->end = th_page_token_span(page, last).end;
        any |=
            page->tokens[first].kind == TH_TOKEN_START || page->tokens[last].kind == TH_TOKEN_START;
    }
    return any;
}

static bool learn_landmarks(struct list_learner *f)
{
    struct list_examples examples = {0};
    th__stalker_list list = {.kind = TH__LIST_LANDMARKS};
    bool ok = true;
    for (size_t i = 0; ok && i < f->instances->len; i++)
        if (f->instances->data[i].labelled) {
            list.with_tags |= widen_to_tags(f, i);
            ok = add_examples(f, i, &examples);
        }
    ok = ok && learn_span(f, &list) && learn_rule(f, &examples.next, false, &list.item.start) &&
         learn_rule(f, &examples.end, true, &list.item.end);
    list.item.weight = 1000;
    if (ok)
        try_list(f, &list, 0);
    th__vec_release(&examples.next);
    th__vec_release(&examples.end);
    return ok;
}

/* Texts with a sign between them: split at it. */
static bool learn_signs(struct list_learner *f)
{
    th__stalker_list list = {.kind = TH__LIST_SIGNS};
    bool ok = th__stalker_learn_sign(f->l, f->instances, &list.sign);
    if (!ok || !list.sign.ptr)
        return ok;
    ok = learn_span(f, &list);
    if (ok)
        try_list(f, &list, 0);
    return ok;
}

/* Items that are lines of text: all in the extent, or those where the list is. */
static bool learn_lines(struct list_learner *f)
{
    th__stalker_list list = {.kind = TH__LIST_LINES};
    bool ok = true;
    for (int span = 0; span < 2 && ok && f->best_right < f->labelled; span++) {
        ok = !span || learn_span(f, &list);
        for (int indented = 0; ok && indented < 2; indented++) {
            list.indented = indented;
            try_list(f, &list, 0.6);
        }
    }
    return ok;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* A list of texts that has never more than one is a field that may be missing. */
static bool learn_single(struct list_learner *f, th__stalker_node *node)
{
    th__instances own = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < f->instances->len; i++) {
        th__stalker_instance in = f->instances->data[i];
        in.value = th_value_count(in.value) ? th_value_item(in.value, 0) : NULL;
        ok = th__vec_push(&own, in);
    }
    node->list->kind = TH__LIST_SINGLE;
    ok = ok && th__stalker_learn_field(f->l, node->children[0].field, &own) &&
         th__stalker_note_field(f->l, node->children[0].field, &own);
    th__vec_release(&own);
    return ok;
}

bool th__stalker_learn_items(th__stalker_learner *l, th__stalker_node *node,
                             const th__instances *instances)
{
    struct list_learner f = {
        .l = l, .list = node->list, .instances = instances, .texts = node->children[0].field};
    if (!find_hulls(&f))
        return false;
    if (f.most <= 1 && f.texts)
        return learn_single(&f, node);
    if (!f.most)
        return true;
    if (!l->paper) {
        for (size_t i = 0; i < instances->len; i++)
            if (!th__stalker_page_map(&l->pages[instances->data[i].page]))
                return false;
        if (f.texts)
            f.failed |= !learn_signs(&f);
        if (f.texts && f.best_right < f.labelled)
            try_all(&f, try_units);
        if (f.best_right < f.labelled || !f.best.sign.ptr)
            try_all(&f, try_elements);
        if (f.best_right < f.labelled)
            f.failed |= !learn_lines(&f);
        if (f.best_right < f.labelled)
            try_all(&f, try_runs);
    }
    bool ok = !f.failed && (f.best_right == f.labelled || learn_landmarks(&f)) &&
              th__stalker_note_list(l, f.best_right, f.labelled);
    *node->list = f.best;
    th__buf_release(&f.text);
    th__vec_release(&f.tried);
    return ok;
}
