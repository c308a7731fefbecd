/*
 * stalker_list.c: learning where the items of a list are.
 *
 * Labels give the texts of items, not where items begin and end. A rule is right on an instance
 * when it gives as many items as are labelled, and each holds the texts of one of them. Tried in
 * this order: texts with a sign between them; an element (or, for texts, a unit) an item; a line an
 * item; a run from one element or unit to the next; landmarks. Paths are tried whole, by tags and
 * in part, first anywhere in the scope, then between the constant texts before and behind the list.
 * A list of texts may also have parts, each a list of its own: the end of this file.
 */
#include <stdlib.h>

#include "base/vec.h"
#include "data/record.h"
#include "engine/papers/stalker/stalker.h"
#include "index/view.h"
#include "page/page.h"
#include "page/text.h"

/* ---- signs -------------------------------------------------------------------------------------
 *
 * Lists of texts with a sign between them:
 *
 *     <dd>red, natural oak, , blue</dd>        " / ", " | ", " and "
 *
 * The sign is what all labelled texts have between them. With it the list is split as a reader
 * splits it: there may be more texts than on any labelled page, and where two signs are side by
 * side there is nothing between them. */

static bool begins_blank(const th_page *page, uint32_t start, uint32_t end)
{
    return start < end && th__span_trim(page, (th_span){start, end}).start > start;
}

static bool ends_blank(const th_page *page, uint32_t start, uint32_t end)
{
    th_span bare = th__span_trim(page, (th_span){start, end});
    return start < end && (bare.start == bare.end || bare.end < end);
}

/* A sign without the blanks at its ends, and whether it wants them. */
struct sign {
    th_str text;
    bool before, behind;
};

static struct sign read_sign(th_str sign)
{
    bool any = sign.len > 0;
    return (struct sign){.text = th__str_trim(sign),
                         .before = any && sign.ptr[0] == ' ',
                         .behind = any && sign.ptr[sign.len - 1] == ' '};
}

enum { NEAR_BLANK = 6 }; /* bytes of the longest blank: &nbsp; */

/* Returns true if a sign is at a byte of a text; either end of the list is as good as a blank. */
static bool is_sign(const th_page *page, const struct sign *sign, th_span text, th_span list,
                    uint32_t at)
{
    uint32_t end = at + (uint32_t)sign->text.len;
    if (end > text.end || memcmp(page->text.ptr + at, sign->text.ptr, sign->text.len) != 0)
        return false;
    uint32_t from = at - text.start > NEAR_BLANK ? at - NEAR_BLANK : text.start;
    uint32_t to = text.end - end > NEAR_BLANK ? end + NEAR_BLANK : text.end;
    return (!sign->before || at == list.start || ends_blank(page, from, at)) &&
           (!sign->behind || end == list.end || begins_blank(page, end, to));
}

static bool is_tag(const th_page *page, uint32_t token)
{
    return page->tokens[token].kind == TH_TOKEN_START || page->tokens[token].kind == TH_TOKEN_END;
}

/* A text without the tags and blanks at its ends. */
static th_span trim(const th_page *page, th_span span)
{
    for (th_span last = {0}; last.start != span.start || last.end != span.end;) {
        last = span = th__span_trim(page, span);
        uint32_t token = th__token_at(page, span.start);
        if (span.start < span.end && is_tag(page, token))
            span.start = page->tokens[token + 1].start;
        token = span.start < span.end ? th__token_at(page, span.end - 1) : 0;
        if (span.start < span.end && is_tag(page, token) && page->tokens[token].start >= span.start)
            span.end = page->tokens[token].start;
    }
    return span;
}

static bool add_text(const th_page *page, uint32_t start, uint32_t end, th__scopes *out)
{
    th_span span = trim(page, (th_span){start, end});
    return span.start >= span.end || th__vec_push(out, th__scope_span(page, span));
}

bool th__stalker_split(const th_page *page, th_str sign_text, th_span span, th__scopes *out)
{
    struct sign sign = read_sign(sign_text);
    uint32_t start = span.start;
    if (!sign.text.len)
        return true;
    for (uint32_t t = th__token_at(page, span.start);
         t < page->token_count && page->tokens[t].start < span.end; t++) {
        if (page->tokens[t].kind != TH_TOKEN_TEXT)
            continue;
        th_span text = {page->tokens[t].start, page->tokens[t + 1].start};
        text.start = text.start > span.start ? text.start : span.start;
        text.end = text.end < span.end ? text.end : span.end;
        for (uint32_t at = text.start; at < text.end; at++) {
            if (page->text.ptr[at] != sign.text.ptr[0] || !is_sign(page, &sign, text, span, at))
                continue;
            if (!add_text(page, start, at, out))
                return false;
            start = at + (uint32_t)sign.text.len;
            at = start - 1;
        }
    }
    return add_text(page, start, span.end, out);
}

/* Returns true if a gap is a sign, once or several times, with blanks. */
static bool is_repeat(const th_page *page, const struct sign *sign, th_span gap)
{
    gap = th__span_trim(page, gap);
    while (gap.start < gap.end) {
        if (gap.end - gap.start < sign->text.len ||
            memcmp(page->text.ptr + gap.start, sign->text.ptr, sign->text.len) != 0)
            return false;
        gap.start += (uint32_t)sign->text.len;
        gap = th__span_trim(page, gap);
    }
    return true;
}

/* What is between a text and the next, tags left out at its ends. */
static th_span gap_of(const th_page *page, const th_value *list, size_t n, bool *tags)
{
    th_span gap = {th__stalker_value_span(th_value_item(list, n)).end,
                   th__stalker_value_span(th_value_item(list, n + 1)).start};
    if (gap.start >= gap.end)
        return (th_span){0};
    uint32_t first = th__token_at(page, gap.start), last = th__token_at(page, gap.end - 1);
    *tags = first != last;
    for (; first < last && is_tag(page, first); first++)
        gap.start = page->tokens[first + 1].start;
    for (; first < last && is_tag(page, last); last--)
        gap.end = page->tokens[last].start;
    return first == last && page->tokens[first].kind == TH_TOKEN_TEXT ? gap : (th_span){0};
}

/* The shortest gap is the sign; whether texts with no tag between them have it at all. */
static bool find_sign(const th__stalker_learner *l, const th__instances *instances,
                      struct sign *sign)
{
    bool flat = false, tags;
    *sign = (struct sign){.before = true, .behind = true};
    for (size_t i = 0; i < instances->len; i++) {
        const th__stalker_instance *in = &instances->data[i];
        const th_page *page = l->pages[in->page].page;
        for (size_t n = 0; n + 1 < th_value_count(in->value); n++) {
            th_span gap = gap_of(page, in->value, n, &tags), bare = th__span_trim(page, gap);
            if (bare.start == bare.end)
                return false;
            flat |= !tags;
            sign->before &= bare.start > gap.start;
            sign->behind &= bare.end < gap.end;
            if (!sign->text.ptr || bare.end - bare.start < sign->text.len)
                sign->text = th__page_slice(page, bare.start, bare.end);
        }
    }
    return flat;
}

static bool all_have(const th__stalker_learner *l, const th__instances *instances,
                     const struct sign *sign)
{
    bool tags;
    for (size_t i = 0; i < instances->len; i++) {
        const th__stalker_instance *in = &instances->data[i];
        const th_page *page = l->pages[in->page].page;
        for (size_t n = 0; n + 1 < th_value_count(in->value); n++)
            if (!is_repeat(page, sign, gap_of(page, in->value, n, &tags)))
                return false;
    }
    return true;
}

static bool learn_sign(th__stalker_learner *l, const th__instances *instances, th_str *out)
{
    struct sign sign;
    enum { LONGEST = 16 };
    *out = (th_str){0};
    if (!find_sign(l, instances, &sign) || sign.text.len > LONGEST ||
        !all_have(l, instances, &sign))
        return true;
    char *text = th__arena_alloc(l->arena, LONGEST + 2);
    size_t len = 0;
    if (!text)
        return false;
    if (sign.before)
        text[len++] = ' ';
    memcpy(text + len, sign.text.ptr, sign.text.len);
    len += sign.text.len;
    if (sign.behind)
        text[len++] = ' ';
    *out = (th_str){text, len};
    return true;
}

static th_span with_signs(const th__page_map *map, th_str sign_text, th_span span)
{
    struct sign sign = read_sign(sign_text);
    const th_page *page = map->page;
    uint32_t first = th__map_unit_at(map, span.start);
    uint32_t last = th__map_units_to(map, span.end);
    if (first >= map->count || !last)
        return span;
    th_span from = map->units[first].span, to = map->units[last - 1].span;
    if (from.start < span.start && is_repeat(page, &sign, (th_span){from.start, span.start}))
        span.start = from.start;
    if (to.end > span.end && is_repeat(page, &sign, (th_span){span.end, to.end}))
        span.end = to.end;
    return span;
}

enum {
    EXEMPLARS = 6, /* labelled lists whose items give candidates */
    ITEMS = 4,     /* items of a list that give candidates */
    CLIMB = 12,    /* elements around an item that are tried */
    GAP = 24,      /* things between two items that runs may begin with */
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
    struct hulls *hulls;   /* by instance */
    struct hulls *extents; /* by instance, where items begin and end; of learning by landmarks */
    bool texts;            /* items are texts */
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

/* Items are one behind the other: one that reaches into the next ends where that begins, and two
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

static uint64_t *text_hashes(th__arena *arena, const th_page *page, const th_span *spans,
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

static bool is_among(const uint64_t *hashes, size_t count, th_str text)
{
    uint64_t hash = th__hash(text.ptr, text.len);
    return bsearch(&hash, hashes, count, sizeof hash, th__by_number);
}

/* Returns true if a text is that of a labelled one: labels name a value once that is there twice.
 */
static bool is_repeated(struct list_learner *f, const th_page *page, th_span span,
                        struct hulls *hulls)
{
    f->text.len = 0;
    if (!hulls->hashes)
        hulls->hashes = text_hashes(&f->l->scratch, page, hulls->data, hulls->count);
    f->failed |= !hulls->hashes || !th__span_text(page, span, &f->text);
    return !f->failed && is_among(hulls->hashes, hulls->count, th__buf_str(&f->text));
}

static bool is_right(struct list_learner *f, const th__stalker_list *list, size_t i,
                     th__scopes *items)
{
    const th__stalker_instance *in = &f->instances->data[i];
    struct hulls *hulls = &f->hulls[i];
    items->len = 0;
    if (!th__stalker_items(list, &f->l->pages[in->page], &in->scope, items)) {
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
        else if (!in->sample &&
                 !(f->texts && is_repeated(f, f->l->pages[in->page].page, span, hulls)))
            return false;
    }
    return n == hulls->count;
}

/* Returns true if a rule was tried before: the items of one list, and the lists of one site, give
 * the same rules again and again. */
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

/* Right on how many labelled instances, and how many of the others have items at all. */
static void try_list(struct list_learner *f, const th__stalker_list *list, double prior)
{
    th__scopes items = {0};
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
                                        &f->instances->data[i].scope, &items);
        filled += items.len > 0;
    }
    double worth = prior + (others ? 0.5 * filled / others : 0);
    if (right > f->best_right || (right == f->best_right && right && worth > f->best_worth)) {
        f->best = *list;
        f->best_right = right;
        f->best_worth = worth;
    }
    th__vec_release(&items);
}

/* The texts right before and behind a list that may enclose it. */
static bool text_of(struct list_learner *f, const th__page_map *map, uint32_t unit, th_str *text,
                    uint64_t *hash)
{
    *text = th__span_copy(f->l->arena, map->page, map->units[unit].span);
    *hash = map->units[unit].hash;
    return text->ptr;
}

/* Tries a path alone, then between texts that are around the list of an instance. */
static void try_enclosed(struct list_learner *f, size_t i, th__stalker_list list, double prior)
{
    const th__stalker_instance *in = &f->instances->data[i];
    const th__page_map *map = th__stalker_page_map(&f->l->pages[in->page]);
    const struct hulls *hulls = &f->hulls[i];
    uint32_t before = th__map_unit_at(map, hulls->data[0].start);
    uint32_t behind = th__map_units_to(map, hulls->data[hulls->count - 1].end);
    uint32_t first, end;
    try_list(f, &list, prior + 0.3);
    list.together = true;
    try_list(f, &list, prior + 0.2);
    if (f->best_right == f->labelled && f->best_worth >= prior + 0.2 && !list.identified_by.own)
        return; /* texts around it would add nothing */
    th__things_in(map, &in->scope, TH__THING_UNIT, &first, &end);
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
            bool own = a && !b && enclosed.after_hash == list.identified_by.own && f->filled > 1;
            try_list(f, &enclosed, prior - 0.02 * (a + b) + (own ? 0.4 : 0));
            enclosed.together = true;
            if (own)
                try_list(f, &enclosed, prior + 0.5);
        }
}

/* Tries all ways to name the path of a thing. */
static void try_paths(struct list_learner *f, size_t i, uint32_t node, th__stalker_list list,
                      double prior)
{
    static const uint8_t ways[] = {TH__PATH_BY_CLASSES, TH__PATH_BY_MARK,    TH__PATH_BY_TAGS,
                                   TH__PATH_BY_END,     TH__PATH_BY_END + 1, TH__PATH_BY_END + 2};
    const th__stalker_instance *in = &f->instances->data[i];
    const th__page_map *map = th__stalker_page_map(&f->l->pages[in->page]);
    list.texts = f->texts;
    if (f->texts)
        list.identified_by = f->l->identified_by;
    for (uint32_t w = 0; w < sizeof ways && !f->failed; w++) {
        uint32_t top;
        bool mark = ways[w] == TH__PATH_BY_MARK;
        list.at = (th__path_spec){0};
        if (!th__path_spec_name(&list.at, map, in->scope.root, node, ways[w], &top) ||
            (mark && top == in->scope.root))
            continue;
        f->failed = !th__path_spec_write(&list.at, map->page, top, node, f->l->arena);
        /* What an item calls itself identifies it better than its path. */
        if (!f->failed)
            try_enclosed(f, i, list, prior - 0.05 * w + (mark && top == node ? 0.1 : 0));
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
    uint32_t node =
        th__map_holder(page, th__token_at(page, hull.start), th__token_at(page, hull.end - 1) + 1);
    for (uint32_t up = 0; up < CLIMB && node > in->scope.root; up++) {
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
    const th__page_map *map = th__stalker_page_map(&f->l->pages[in->page]);
    th_span hull = f->hulls[i].data[n];
    uint32_t unit = th__map_unit_at(map, hull.start);
    if (unit >= map->count || map->units[unit].span.start != hull.start ||
        map->units[unit].span.end != hull.end)
        return;
    /* Where it is all of an element, the element holds it when markup parts it, too. */
    const th_node *node = &map->page->nodes[map->units[unit].node];
    bool all = map->before[node->token] == unit && map->before[node->token_end] == unit + 1;
    try_paths(f, i, map->units[unit].node, (th__stalker_list){.kind = TH__LIST_UNITS},
              all ? 0.9 : 1.1);
}

/* What is between the item before and the texts of an item, and its first text. */
static void try_runs(struct list_learner *f, size_t i, uint32_t n)
{
    const th__stalker_instance *in = &f->instances->data[i];
    const th__page_map *map = th__stalker_page_map(&f->l->pages[in->page]);
    const th_page *page = map->page;
    const struct hulls *hulls = &f->hulls[i];
    uint32_t to = th__token_at(page, hulls->data[n].start);
    uint32_t from = n ? th__token_at(page, hulls->data[n - 1].end - 1) + 1 : in->scope.token;
    th__scope gap = {in->scope.root, from > to ? to : from, to + 1, {0}};
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
    const struct hulls *hulls = &f->extents[i];
    const th__stalker_seq *seq = th__stalker_page_seq(&f->l->pages[in->page]);
    if (!seq)
        return false;
    if (!hulls->count)
        return true;
    th_span told = f->l->paper ? th_value_span(in->value) : (th_span){0};
    uint32_t end = th__stalker_seq_at(seq, told.end ? told.end : hulls->data[hulls->count - 1].end);
    bool tags = f->texts && !f->l->paper; /* a text may have the tags around it */
    bool ok = true;
    for (uint32_t n = 0; ok && n < hulls->count; n++) {
        bool last = n + 1 == hulls->count;
        if (n >= SHOWN && n + SHOWN < hulls->count)
            continue;
        uint32_t from = th__stalker_seq_at(seq, !n && told.end ? told.start : hulls->data[n].start);
        uint32_t next = last ? end : th__stalker_seq_at(seq, hulls->data[n + 1].start);
        uint32_t stop = th__stalker_seq_at(seq, hulls->data[n].end);
        th__stalker_example step = {.seq = seq,
                                    .first = from + 1 < end ? from + 1 : end,
                                    .last = end,
                                    .low = tags ? th__stalker_before_tags(seq, next) : stop,
                                    .high = next,
                                    .item_first = f->l->paper ? from : next,
                                    .item_last = f->l->paper ? stop : next,
                                    .none = last};
        th__stalker_example item = {.seq = seq,
                                    .first = from,
                                    .last = next,
                                    .low = stop,
                                    .high = tags ? th__stalker_behind_tags(seq, stop) : next,
                                    .item_first = from,
                                    .item_last = stop};
        ok = th__vec_push(&out->next, step) && th__vec_push(&out->end, item);
    }
    return ok;
}

/* As published, where an item begins and ends is labelled. Of extents that labels do not tell it is
 * known only that the markup between two items is neither's: a rule that stops anywhere there is
 * taken where it is right more often than one for the very edge, or does with fewer of several
 * disjuncts. */
static bool learn_rule(struct list_learner *f, example_vec *examples, bool ends,
                       th__landmark_rule *out)
{
    th__stalker_learnt learnt, edge;
    th__stalker_task task = {.examples = examples->data,
                             .count = (uint32_t)examples->len,
                             .until = true,
                             .classes = !f->l->paper,
                             .to_end = ends,
                             .published = f->l->paper,
                             .cancel = f->l->corpus->cancel};
    bool ok = th__stalker_induce(&task, f->l->arena, &learnt);
    *out = learnt.rule;
    if (!ok || !f->l->paper)
        return ok;
    for (size_t i = 0; i < examples->len; i++) {
        th__stalker_example *e = &examples->data[i];
        if (ends)
            e->high = e->low;
        else
            e->low = e->high;
    }
    ok = th__stalker_induce(&task, f->l->arena, &edge);
    if (ok && edge.right >= learnt.right &&
        (edge.rule.count <= 1 || edge.rule.count <= learnt.rule.count))
        *out = edge.rule;
    return ok;
}

/* From the first item to the last, and signs before and behind them, between which a text is empty.
 * Of a sample the list goes on to the end of the element that
 * holds the labelled items: lines between <br>, say. */
static th_span list_span(struct list_learner *f, const th__stalker_instance *in,
                         const struct hulls *hulls, th_str sign)
{
    th_span span = {hulls->data[0].start, hulls->data[hulls->count - 1].end};
    const th__page_map *map = &f->l->pages[in->page].map;
    if (f->l->paper)
        return th_value_span(in->value).end ? th_value_span(in->value) : span;
    if (f->texts && sign.ptr)
        return with_signs(map, sign, span);
    if (!in->sample || f->texts || hulls->count < 2)
        return span;
    const th_node *holder = &map->page->nodes[th__map_holder(
        map->page, th__token_at(map->page, span.start), th__token_at(map->page, span.end - 1) + 1)];
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
    if (ok)
        list->span->extent = f->extents && f->l->paper;
    for (size_t i = 0; ok && i < f->instances->len; i++) {
        th__stalker_instance in = f->instances->data[i];
        const struct hulls *hulls = f->extents ? &f->extents[i] : &f->hulls[i];
        th_value *text = th__arena_zero(&f->l->scratch, 1, sizeof *text);
        ok = text;
        if (ok && hulls->count) {
            *text = (th_value){.kind = TH_VALUE_TEXT, .span = list_span(f, &in, hulls, list->sign)};
            in.value = text;
        } else {
            in.value = NULL;
        }
        ok = ok && th__vec_push(&own, in);
    }
    ok = ok && th__stalker_learn_field(f->l, list->span, &own);
    th__vec_release(&own);
    return ok;
}

/* Landmark rules see a tag as one token: an item that begins or ends with an attribute has the
 * whole tag. Returns true if there is one. */
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

/* ---- extents -----------------------------------------------------------------------------------
 *
 * The paper's users mark a list as a whole, and then its items. Labels name values; where they do
 * not tell the extent of a list, it is what a person would mark: items are whole children of the
 * element that holds the list, from the one with the item's first value to the one with its last.
 * The rules of list and items then go by the markup between them, and not by their first and last
 * words.
 *
 *     <ul> <li><b>Thai</b> <i>12</i></li> <li><b>Rice</b></li> </ul>
 *          |------- an item ------------| |----- the next ---|
 */

/* The child of an element that holds a byte, or the element itself. */
static uint32_t child_at(const th_page *page, uint32_t container, uint32_t offset)
{
    uint32_t node = th_page_node_at(page, offset);
    while (node > container && page->nodes[node].parent > container)
        node = page->nodes[node].parent;
    return node > container && page->nodes[node].parent == container ? node : container;
}

static uint32_t depth_of(const th_page *page, uint32_t node)
{
    return page->paths[page->nodes[node].path].depth;
}

/* The element that holds the items of a labelled list. Of a list of one item it is the element at
 * the same depth as in other lists, or the one around the item's own. */
static uint32_t container_of(struct list_learner *f, size_t i, uint32_t depth)
{
    const th__stalker_instance *in = &f->instances->data[i];
    const th_page *page = f->l->pages[in->page].page;
    const struct hulls *hulls = &f->hulls[i];
    uint32_t first = th__token_at(page, hulls->data[0].start);
    uint32_t last = th__token_at(page, hulls->data[hulls->count - 1].end - 1);
    uint32_t node = th__map_holder(page, first, last + 1);
    if (hulls->count > 1)
        return node;
    uint32_t parent = page->nodes[node].parent;
    if (depth == UINT32_MAX)
        return node && page->nodes[parent].token >= in->scope.token ? parent : node;
    while (node && depth_of(page, node) > depth)
        node = page->nodes[node].parent;
    return node;
}

static bool find_extents(struct list_learner *f)
{
    uint32_t depth = UINT32_MAX;
    f->extents = th__arena_zero(&f->l->scratch, f->instances->len + 1, sizeof *f->extents);
    if (!f->extents)
        return false;
    for (size_t i = 0; i < f->instances->len; i++)
        if (f->hulls[i].count > 1) {
            const th_page *page = f->l->pages[f->instances->data[i].page].page;
            uint32_t own = depth_of(page, container_of(f, i, 0));
            depth = own < depth ? own : depth;
        }
    for (size_t i = 0; i < f->instances->len; i++) {
        const struct hulls *hulls = &f->hulls[i];
        const th__stalker_instance *in = &f->instances->data[i];
        const th_page *page = f->l->pages[in->page].page;
        f->extents[i] = *hulls;
        th_span *spans = th__arena_keep(&f->l->scratch, hulls->data, hulls->count, sizeof *spans);
        uint32_t container = hulls->count ? container_of(f, i, depth) : 0;
        bool apart = spans;
        for (uint32_t n = 0; spans && n < hulls->count; n++) {
            uint32_t first = child_at(page, container, spans[n].start);
            uint32_t last = child_at(page, container, spans[n].end - 1);
            if (first != container)
                spans[n].start = page->tokens[page->nodes[first].token].start;
            if (last != container)
                spans[n].end = page->tokens[page->nodes[last].token_end].start;
            if (spans[n].start < in->scope.span.start)
                spans[n].start = in->scope.span.start;
            if (spans[n].end > in->scope.span.end)
                spans[n].end = in->scope.span.end;
            apart &= !n || spans[n - 1].end <= spans[n].start;
        }
        if (!spans && hulls->count)
            return false;
        if (apart)
            f->extents[i].data = spans;
    }
    return true;
}

static bool learn_list_landmarks(struct list_learner *f)
{
    struct list_examples examples = {0};
    th__stalker_list list = {.kind = TH__LIST_LANDMARKS};
    bool ok = true;
    f->extents = f->hulls;
    if (f->l->paper)
        ok = find_extents(f);
    for (size_t i = 0; ok && i < f->instances->len; i++)
        if (f->instances->data[i].labelled) {
            if (!f->l->paper)
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
    bool ok = learn_sign(f->l, f->instances, &list.sign);
    if (!ok || !list.sign.ptr)
        return ok;
    ok = learn_span(f, &list);
    if (ok)
        try_list(f, &list, 0);
    return ok;
}

/* Items that are lines of text: all in the scope, or those where the list is. */
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
    bool ok = !f.failed && (f.best_right == f.labelled || learn_list_landmarks(&f)) &&
              th__stalker_note_list(l, f.best_right, f.labelled);
    *node->list = f.best;
    th__buf_release(&f.text);
    th__vec_release(&f.tried);
    return ok;
}

/* ---- parts -------------------------------------------------------------------------------------
 *
 * A title in the heading and once more in the breadcrumb; a street, a town and a postcode. Such a
 * list is not a row of alike items but has parts, each of them a list or a single text. Which texts
 * belong to one part: those at the same path, or, where that does not do, those at the same path
 * with the same text before them (a label), or the first of each list, the second of each list, and
 * so on. */

/* How well a way to learn the list does on the labelled instances. */
struct parts_result {
    double alike;
    uint32_t right;
};

struct parter {
    th__stalker_learner *l;
    th__stalker_node *node;
    const th__instances *instances;
    TH__VEC(uint64_t) keys; /* of the parts */
    uint32_t labelled;
    enum { BY_PATH, BY_LABEL, BY_ORDER } by;
};

/* The part a text belongs to. */
static uint64_t key_of(struct parter *p, const th__stalker_instance *in, size_t index)
{
    const th__page_map *map = th__stalker_page_map(&p->l->pages[in->page]);
    th_span span = th__stalker_value_span(th_value_item(in->value, index));
    if (p->by == BY_ORDER)
        return index;
    uint32_t node = th_page_node_at(map->page, span.start);
    uint32_t token = th__token_at(map->page, span.start);
    uint64_t key = th__address_key(&map->at, false, in->scope.root, node);
    uint32_t unit = th__map_unit_at(map, span.start);
    if (p->by == BY_LABEL && unit)
        key = th__hash_mix(key, map->units[unit - 1].hash);
    return th__hash_mix(key, map->page->tokens[token].kind == TH_TOKEN_START);
}

static bool find_parts(struct parter *p)
{
    p->keys.len = 0;
    for (size_t i = 0; i < p->instances->len; i++) {
        const th__stalker_instance *in = &p->instances->data[i];
        for (size_t n = 0; n < th_value_count(in->value); n++) {
            if (!th__stalker_value_span(th_value_item(in->value, n)).end)
                continue;
            uint64_t key = key_of(p, in, n);
            size_t k = 0;
            while (k < p->keys.len && p->keys.data[k] != key)
                k++;
            if (k == p->keys.len && !th__vec_push(&p->keys, key))
                return false;
        }
    }
    return true;
}

/* The list of an instance with the texts of one part alone. */
static const th_value *part_of(struct parter *p, const th__stalker_instance *in, uint64_t key)
{
    size_t count = th_value_count(in->value);
    th_value *list = th__arena_zero(&p->l->scratch, 1, sizeof *list);
    th_value **items = th__arena_zero(&p->l->scratch, count + 1, sizeof *items);
    if (!list || !items)
        return NULL;
    *list = (th_value){.kind = TH_VALUE_LIST, .type = p->node->type};
    for (size_t n = 0; n < count; n++)
        if (th__stalker_value_span(th_value_item(in->value, n)).end && key_of(p, in, n) == key)
            items[list->count++] = th__value_item(in->value, n);
    list->list = items;
    return list;
}

static bool learn_part(struct parter *p, uint64_t key, th__stalker_node *part)
{
    th__instances own = {0};
    bool ok = th__stalker_node_make(p->l->arena, p->node->type, part);
    for (size_t i = 0; ok && i < p->instances->len; i++) {
        th__stalker_instance in = p->instances->data[i];
        if (in.labelled) {
            in.value = part_of(p, &p->instances->data[i], key);
            ok = in.value;
        }
        ok = ok && th__vec_push(&own, in);
    }
    ok = ok && th__stalker_learn_list(p->l, part, &own);
    th__vec_release(&own);
    return ok;
}

/* Where the labelled texts of an instance are, in order, and the hashes of what they say, in order.
 */
struct labelled_texts {
    th_span *spans;
    uint64_t *hashes;
    size_t count;
};

static int by_span(const void *left, const void *right)
{
    const th_span *a = left, *b = right;
    return th__order(a->start, b->start) ?: th__order(a->end, b->end);
}

static bool list_labelled(struct parter *p, const th__stalker_instance *in,
                          struct labelled_texts *out)
{
    size_t count = th_value_count(in->value);
    out->spans = th__arena_alloc(&p->l->scratch, (count + 1) * sizeof *out->spans);
    for (size_t n = 0; out->spans && n < count; n++) {
        th_span span = th__stalker_value_span(th_value_item(in->value, n));
        if (span.end)
            out->spans[out->count++] = span;
    }
    if (!out->spans)
        return false;
    qsort(out->spans, out->count, sizeof *out->spans, by_span);
    out->hashes = text_hashes(&p->l->scratch, p->l->pages[in->page].page, out->spans, out->count);
    return out->hashes;
}

/* How much of what a node finds in an instance is what is labelled: 1 when it is just that. Texts
 * besides that read as a labelled one do not count: labels name a value once that is there
 * twice. Of a sample, what is found besides is no fault. */
static bool likeness(struct parter *p, const th__stalker_instance *in, const th__list_texts *texts,
                     double *out)
{
    struct labelled_texts labelled = {0};
    th__buf text = {0};
    size_t common = 0, others = 0;
    bool ok = list_labelled(p, in, &labelled);
    th_span *found = th__arena_alloc(&p->l->scratch, (texts->len + 1) * sizeof *found);
    for (size_t t = 0; (ok = ok && found) && t < texts->len; t++) {
        found[t] = texts->data[t].span;
        if (in->sample ||
            bsearch(&found[t], labelled.spans, labelled.count, sizeof *found, by_span))
            continue;
        text.len = 0;
        ok = th__span_text(p->l->pages[in->page].page, found[t], &text);
        others += !is_among(labelled.hashes, labelled.count, th__buf_str(&text));
    }
    if (ok)
        qsort(found, texts->len, sizeof *found, by_span);
    for (size_t n = 0; ok && n < labelled.count; n++)
        common += bsearch(&labelled.spans[n], found, texts->len, sizeof *found, by_span) != NULL;
    size_t all = labelled.count + others;
    *out = all ? (double)common / (double)all : 1;
    th__buf_release(&text);
    return ok;
}

/* The sum of that over the labelled instances, and on how many of them it is 1. */
static bool count_right(struct parter *p, const th__stalker_node *node, struct parts_result *out)
{
    th__list_texts texts = {0};
    bool ok = true;
    *out = (struct parts_result){0};
    for (size_t i = 0; ok && i < p->instances->len; i++) {
        const th__stalker_instance *in = &p->instances->data[i];
        if (!in->labelled)
            continue;
        texts.len = 0;
        ok = th__stalker_texts(node, &p->l->pages[in->page], &in->scope, &texts);
        double alike = 0;
        ok = ok && likeness(p, in, &texts, &alike);
        out->alike += alike;
        out->right += alike >= 1;
    }
    th__vec_release(&texts);
    return ok;
}

/* Returns true if there are words before each text of an instance. */
static bool labels_hold(struct parter *p, const th__stalker_instance *in)
{
    const th__page_map *map = th__stalker_page_map(&p->l->pages[in->page]);
    for (size_t n = 0; n < th_value_count(in->value); n++) {
        th_span span = th__stalker_value_span(th_value_item(in->value, n));
        uint32_t unit = span.end ? th__map_unit_at(map, span.start) : 0;
        if (unit && !map->units[unit - 1].hash)
            return false;
    }
    return true;
}

/* Returns true if every part is on two labelled pages at least, has one text on a page, and a
 * label: a sign is none. */
static bool parts_hold(struct parter *p, bool *held)
{
    uint32_t *seen = th__arena_zero(&p->l->scratch, p->keys.len + 1, sizeof *seen);
    *held = seen && p->keys.len > 1;
    for (size_t i = 0; *held && i < p->instances->len; i++) {
        const th__stalker_instance *in = &p->instances->data[i];
        for (size_t k = 0; *held && k < p->keys.len; k++) {
            uint32_t here = 0;
            for (size_t n = 0; n < th_value_count(in->value); n++)
                here += th__stalker_value_span(th_value_item(in->value, n)).end &&
                        key_of(p, in, n) == p->keys.data[k];
            *held = here <= 1 && labels_hold(p, in);
            seen[k] += here;
        }
    }
    for (size_t k = 0; *held && k < p->keys.len; k++)
        *held = seen[k] > 1;
    return seen;
}

/* One way to make parts; kept when it is right on more instances than what there is. */
static bool try_parts(struct parter *p, struct parts_result *best)
{
    th__stalker_list list = {.kind = TH__LIST_PARTS};
    struct parts_result parts_result;
    if (!find_parts(p))
        return false;
    if (p->keys.len < 2 || p->keys.len > TH__STALKER_MAX_PARTS)
        return true;
    list.parts = th__arena_zero(p->l->arena, p->keys.len, sizeof *list.parts);
    if (!list.parts)
        return false;
    for (; list.part_count < p->keys.len; list.part_count++)
        if (!learn_part(p, p->keys.data[list.part_count], &list.parts[list.part_count]))
            return false;
    th__stalker_node whole = {.type = p->node->type,
                              .list = &list,
                              .children = p->node->children,
                              .count = p->node->count};
    if (!count_right(p, &whole, &parts_result))
        return false;
    if (parts_result.alike > best->alike + 1e-9) {
        *best = parts_result;
        *p->node->list = list;
    }
    return true;
}

bool th__stalker_learn_parts(th__stalker_learner *l, th__stalker_node *node,
                             const th__instances *instances, const th__instances *given)
{
    struct parter p = {.l = l, .node = node, .instances = instances};
    bool quiet = l->quiet;
    struct parts_result best = {0};
    size_t most = 0;
    for (size_t i = 0; i < instances->len; i++) {
        const th__stalker_instance *in = &instances->data[i];
        size_t count = th_value_count(in->value);
        most = count > most ? count : most;
        p.labelled += in->labelled;
        if (!th__stalker_page_map(&l->pages[in->page]))
            return false;
    }
    if (most < 2)
        return th__stalker_learn_list(l, node, instances);
    /* Labels that come back tell parts best; then texts at several paths are parts rather than one
     * row. */
    l->quiet = true;
    bool held = false;
    p.by = BY_LABEL;
    bool ok = find_parts(&p) && parts_hold(&p, &held);
    if (ok && held)
        ok = try_parts(&p, &best);
    p.by = BY_PATH;
    if (ok && best.right < p.labelled)
        ok = try_parts(&p, &best);
    if (ok && best.right < p.labelled) {
        th__stalker_node plain;
        struct parts_result parts_result;
        ok = th__stalker_node_make(l->arena, node->type, &plain) &&
             th__stalker_learn_list(l, &plain, instances) && count_right(&p, &plain, &parts_result);
        if (ok && (parts_result.alike > best.alike + 1e-9 || best.alike <= 0)) {
            best = parts_result;
            *node->list = *plain.list;
            node->children[0] = plain.children[0];
        }
    }
    p.by = BY_ORDER;
    p.instances = given;
    if (ok && best.right < p.labelled)
        ok = try_parts(&p, &best);
    th__vec_release(&p.keys);
    l->quiet = quiet;
    return ok && th__stalker_note_list(l, best.right, p.labelled);
}
