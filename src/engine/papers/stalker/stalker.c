/*
 * stalker.c: STALKER: wrappers from labelled pages.
 *
 * The paper: C. Knoblock, K. Lerman, S. Minton, I. Muslea, "Accurately and Reliably Extracting Data
 * from the Web: A Machine Learning Approach", 2000, sections 2 and 3; the order of refinements is
 * from I. Muslea, S. Minton, C. Knoblock, "Hierarchical Wrapper Induction for Semistructured
 * Information Sources", 2001.
 *
 * The idea
 *   A person marks the items on a few pages. The pages of a site are made from a template, so an
 *   item is found by what the template puts around it: landmarks, groups of consecutive tokens. The
 *   schema is a tree (the embedded catalog), and every node is found inside its parent: first the
 *   list, then each item of it, then the fields of an item. Each is a small problem of its own, so
 *   that few examples are enough.
 *
 * An example: the start of the address
 *     E1  Cuisine:<i>Seafood</i><p>Address:<i> 12 Pico St. </i><p>Phone:<i>...
 *     E4  Cuisine:<i>Pizza</i><p>Address:<b> 97 Adams Blvd. </b><p>Phone:<i>...
 *     SkipTo(<b>) is right on E4 alone, SkipTo(_HtmlTag_) stops early on both; refined it becomes
 *     SkipTo(Address) SkipTo(_HtmlTag_), which is right on both. BackTo(Phone) BackTo(_Number_)
 *     finds the same place from the other side.
 *
 * Co-testing
 *   Forward and backward rules go by different tokens. Where they disagree on a page without
 *   labels, one of them is wrong: that page is worth a label (`thresh suggest`).
 *
 * Words: landmark, wildcard, disjunct, perfect disjunct, seed, landmark and topology refinement:
 * see stalker.h and stalker_induce.c. View: one of the ways to find an item.
 *
 * Ours (all off with `paper`)
 *   structure  a third view, by path, order and constant text near by: stalker_field.c
 *   unlabelled pages without labels weigh the rules that are right on all labels
 *   classes    landmarks may name a tag's class: <div.price>
 *   until      SkipUntil for starts, which the fuller papers have
 *
 * Cost: learning is linear in the pages for what is read of them, times the number of fields;
 * searches among candidates have limits. Running: page size times rules.
 */
#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/key_map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "data/record.h"
#include "engine/papers/stalker/stalker.h"
#include "index/view.h"
#include "page/page.h"
#include "page/text.h"

/* ---- labels ------------------------------------------------------------------------------------
 *
 * Which text is the label of a member. It is right before the member on every labelled page that
 * has it, two at least, and is not a value itself: what is there once may be any text. */

/* The unit right before a member, or TH__NO_THING. */
static uint32_t unit_before(const th__page_map *map, const th__stalker_instance *in, th_span hull)
{
    uint32_t token = th__token_at(map->page, hull.start);
    uint32_t unit = th__map_unit_at(map, hull.start);
    bool text = map->page->tokens[token].kind != TH_TOKEN_START;
    if (unit <= map->before[in->scope.token] || unit > map->before[in->scope.end] ||
        (text && (unit >= map->count || map->units[unit].span.start != hull.start)))
        return TH__NO_THING;
    return unit - 1;
}

/* Returns true if a text is a value on some labelled page. */
static bool is_value(th__stalker_learner *l, const th__instances *instances, uint64_t hash)
{
    for (size_t i = 0; i < instances->len; i++) {
        const th__stalker_instance *in = &instances->data[i];
        const th__page_map *map = in->value ? th__stalker_page_map(&l->pages[in->page]) : NULL;
        uint32_t first = 0, end = 0;
        if (map)
            th__things_in(map, &in->scope, TH__THING_UNIT, &first, &end);
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
    const th__page_map *map = NULL;
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
    if (positives < 2 || is_value(l, instances, hash))
        return true;
    member->label = th__span_copy(l->arena, map->page, map->units[unit].span);
    member->label_hash = hash;
    return member->label.ptr;
}

static bool learn_labels(th__stalker_learner *l, th__stalker_node *tuple,
                         const th__instances *instances)
{
    for (uint32_t m = 0; m < tuple->count; m++)
        if (!learn_label(l, &tuple->children[m], m, instances))
            return false;
    return true;
}

/* Notes where the rules of a list are not right. */
static bool note_list(th__stalker_learner *l, uint32_t right, uint32_t labelled)
{
    th_str name = l->name.len ? th__buf_str(&l->name) : TH_STR("the records");
    if (right == labelled || l->quiet)
        return true;
    return th__stalker_miss(l) &&
           th__notes_add(l->corpus->notes,
                         "%.*s: a list whose items are found as labelled on %u of %u labelled "
                         "pages; elements, runs of elements, and landmarks were tried. Check that "
                         "all items are labelled, and label one more page with several items",
                         TH_STR_ARG(name), right, labelled);
}

/* ---- where the items of a list are --------------------------------------------------------------
 *
 * Labels give the texts of items, not where items begin and end. A rule is right on an instance
 * when it gives as many items as are labelled, and each holds the texts of one of them. Tried in
 * this order: texts with a sign between them; an element (or, for texts, a unit) an item; a line an
 * item; a run from one element or unit to the next; landmarks. Paths are tried whole, by tags and
 * in part, first anywhere in the scope, then between the constant texts before and behind the list.
 * A list of texts may also have parts, each a list of its own: the end of this file.
 */

/* ---- signs -------------------------------------------------------------------------------------
 *
 * Lists of texts with a sign between them:
 *
 *     <dd>red, natural oak, , blue</dd>        " / ", " | ", " and "
 *
 * The sign is what all labelled texts have between them. With it the list is split as a reader
 * splits it: there may be more texts than on any labelled page, and where two signs are side by
 * side there is nothing between them. */

/* Returns true if a gap is a sign, once or several times, with blanks. */
static bool is_repeat(const th_page *page, th_str sign, th_span gap)
{
    gap = th__span_trim(page, gap);
    while (gap.start < gap.end) {
        if (!th__str_starts(th__page_slice(page, gap.start, gap.end), sign))
            return false;
        gap.start += (uint32_t)sign.len;
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
    for (; first < last && th__is_tag(&page->tokens[first]); first++)
        gap.start = page->tokens[first + 1].start;
    for (; first < last && th__is_tag(&page->tokens[last]); last--)
        gap.end = page->tokens[last].start;
    return first == last && page->tokens[first].kind == TH_TOKEN_TEXT ? gap : (th_span){0};
}

/* The shortest gap is the sign. Returns true if it is between texts without a tag. */
static bool find_sign(const th__stalker_learner *l, const th__instances *instances,
                      th__list_sign *sign)
{
    bool flat = false, tags;
    *sign = (th__list_sign){.before = true, .behind = true};
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
                     const th__list_sign *sign)
{
    bool tags;
    for (size_t i = 0; i < instances->len; i++) {
        const th__stalker_instance *in = &instances->data[i];
        const th_page *page = l->pages[in->page].page;
        for (size_t n = 0; n + 1 < th_value_count(in->value); n++)
            if (!is_repeat(page, sign->text, gap_of(page, in->value, n, &tags)))
                return false;
    }
    return true;
}

static bool learn_sign(th__stalker_learner *l, const th__instances *instances, th_str *out)
{
    th__list_sign sign;
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
    const th_page *page = map->page;
    th_str sign = th__str_trim(sign_text);
    uint32_t first = th__map_unit_at(map, span.start);
    uint32_t last = th__map_units_to(map, span.end);
    if (first >= map->count || !last)
        return span;
    th_span from = map->units[first].span, to = map->units[last - 1].span;
    if (from.start < span.start && is_repeat(page, sign, (th_span){from.start, span.start}))
        span.start = from.start;
    if (to.end > span.end && is_repeat(page, sign, (th_span){span.end, to.end}))
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
    SHOWN = 24     /* items at either end of a list that landmarks are learnt from: each is followed
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
    th__key_map tried; /* hashes of the rules that were */
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
        if (n < hulls->count && th__span_holds(span, hulls->data[n]))
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
    uint32_t known = f->tried.count, number = th__key_map_number(&f->tried, hash);
    f->failed |= !number;
    return number <= known || number > TRIED;
}

/* How many labelled instances a rule is right on; 0 as soon as others are right on more. */
static uint32_t right_lists(struct list_learner *f, const th__stalker_list *list, th__scopes *items)
{
    uint32_t right = 0, left = f->labelled;
    for (size_t i = 0; i < f->instances->len && !f->failed; i++) {
        if (!f->instances->data[i].labelled)
            continue;
        right += is_right(f, list, i, items);
        if (right + --left < f->best_right)
            return 0;
    }
    return right;
}

/* Takes a rule that is right on more labelled instances, or on as many and worth more. */
static void try_list(struct list_learner *f, const th__stalker_list *list, double worth)
{
    th__scopes items = {0};
    if (list->kind >= TH__LIST_ELEMENTS && is_known(f, list))
        return;
    uint32_t right = right_lists(f, list, &items);
    if (right > f->best_right || (right && worth > f->best_worth)) {
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
            /* A label of its own identifies a list better than a path does, when two pages show it:
             * what reads "Genres:" here may be "Genre:" there. */
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
    uint32_t node = th__page_node_around(page, th__token_at(page, hull.start),
                                         th__token_at(page, hull.end - 1));
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
                                    .low = stop,
                                    .high = next,
                                    .item_first = f->l->paper ? from : next,
                                    .item_last = f->l->paper ? stop : next,
                                    .none = last};
        th__stalker_example item = {.seq = seq,
                                    .first = from,
                                    .last = next,
                                    .low = stop,
                                    .high = next,
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
    if (ok && !f->l->quiet && learnt.right < task.count && !th__stalker_miss(f->l))
        return false;
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
 * Of a sample the list goes on to the end of the element that holds the labelled items: lines
 * between <br>, say. */
static th_span list_span(struct list_learner *f, const th__stalker_instance *in,
                         const struct hulls *hulls, th_str sign)
{
    th_span span = {hulls->data[0].start, hulls->data[hulls->count - 1].end};
    if (f->l->paper)
        return th_value_span(in->value).end ? th_value_span(in->value) : span;
    const th__page_map *map = f->l->pages[in->page].map;
    if (f->texts && sign.ptr)
        return with_signs(map, sign, span);
    if (!in->sample || f->texts || hulls->count < 2)
        return span;
    const th_node *holder = &map->page->nodes[th__page_node_around(
        map->page, th__token_at(map->page, span.start), th__token_at(map->page, span.end - 1))];
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
    ok = ok && th__stalker_learn_field(f->l, list->span, &own, false);
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
    uint32_t node = th__page_node_around(page, first, last);
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
    ok = ok && th__stalker_learn_field(f->l, node->children[0].field, &own, true);
    th__vec_release(&own);
    return ok;
}

static bool learn_items(th__stalker_learner *l, th__stalker_node *node,
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
              note_list(l, f.best_right, f.labelled);
    *node->list = f.best;
    th__buf_release(&f.text);
    th__key_map_release(&f.tried);
    return ok;
}

/* ---- parts -------------------------------------------------------------------------------------
 *
 * A title in the heading and once more in the breadcrumb; a street, a town and a postcode. Such a
 * list is not a row of alike items but has parts, each of them a list or a single text. Which texts
 * belong to one part: those at the same path, or, where that does not do, the first of each list,
 * the second of each list, and so on. */

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
    enum { BY_PATH, BY_ORDER } by;
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

static bool learn_list(th__stalker_learner *l, th__stalker_node *node,
                       const th__instances *instances);

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
    ok = ok && learn_list(p->l, part, &own);
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
 * twice. Of a sample, it may find more. */
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

static bool learn_parts(th__stalker_learner *l, th__stalker_node *node,
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
        return learn_list(l, node, instances);
    /* Texts at several paths are parts rather than one row. */
    l->quiet = true;
    p.by = BY_PATH;
    bool ok = try_parts(&p, &best);
    if (ok && best.right < p.labelled) {
        th__stalker_node plain;
        struct parts_result parts_result;
        ok = th__stalker_node_make(l->arena, node->type, &plain) &&
             learn_list(l, &plain, instances) && count_right(&p, &plain, &parts_result);
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
    return ok && note_list(l, best.right, p.labelled);
}

/* ---- down the catalog tree: each node is learnt in the scopes of its parent ------------------ */

static bool learn_node(th__stalker_learner *l, th__stalker_node *node,
                       const th__instances *instances);

static size_t enter(th__stalker_learner *l, th_str name)
{
    size_t mark = l->name.len;
    if (name.len)
        th__buf_printf(&l->name, "%s%.*s", mark ? "." : "", TH_STR_ARG(name));
    return mark;
}

/* Returns true if a text member shares nothing with the others of its tuple on any label. */
static bool is_apart(const th__instances *instances, uint32_t member, uint32_t count)
{
    for (size_t i = 0; i < instances->len; i++) {
        const th_value *tuple = instances->data[i].value;
        th_span own = th__stalker_value_span(th_value_item(tuple, member));
        for (uint32_t m = 0; own.end && m < count; m++)
            if (m != member && th__stalker_overlaps(th_value_item(tuple, m), own))
                return false;
    }
    return true;
}

/* Members are sought where their tuple is. */
static bool learn_members(th__stalker_learner *l, th__stalker_node *node,
                          const th__instances *instances)
{
    th__instances own = {0};
    th__label_rule identified_by = l->identified_by;
    const th__label_set *labels = NULL;
    bool ok =
        th__vec_reserve(&own, instances->len + 1) && (l->paper || learn_labels(l, node, instances));
    if (ok && !l->paper)
        ok = (labels = th__stalker_share_labels(l->arena, node));
    for (uint32_t m = 0; ok && m < node->count; m++) {
        size_t mark = enter(l, th_type_name(node->children[m].type));
        l->identified_by = (th__label_rule){labels, node->children[m].label_hash};
        own.len = 0;
        for (size_t i = 0; i < instances->len; i++) {
            th__stalker_instance instance = instances->data[i];
            const th_value *member = th_value_item(instance.value, m);
            if (member && member->unknown && member->kind == TH_VALUE_NULL)
                continue;
            instance.value = th_value_get_kind(member) == TH_VALUE_NULL ? NULL : member;
            instance.scope = th__stalker_member_scope(node, &node->children[m],
                                                      &l->pages[instance.page], &instance.scope);
            own.data[own.len++] = instance;
        }
        ok = learn_node(l, &node->children[m], &own);
        if (node->children[m].field)
            node->children[m].field->apart = !l->paper && is_apart(instances, m, node->count);
        l->name.len = mark;
    }
    l->identified_by = identified_by;
    th__vec_release(&own);
    return ok;
}

/* Of a choice, each alternative is learnt as something that may be missing. */
static bool learn_alternatives(th__stalker_learner *l, th__stalker_node *node,
                               const th__instances *instances)
{
    th__instances own = {0};
    bool ok = th__vec_reserve(&own, instances->len + 1);
    for (uint32_t m = 0; ok && m < node->count; m++) {
        own.len = 0;
        for (size_t i = 0; i < instances->len; i++) {
            th__stalker_instance instance = instances->data[i];
            bool chosen = th_value_get_kind(instance.value) == TH_VALUE_CHOICE &&
                          th_value_which(instance.value) == m;
            instance.value = chosen ? th_value_item(instance.value, 0) : NULL;
            own.data[own.len++] = instance;
        }
        ok = learn_node(l, &node->children[m], &own);
    }
    th__vec_release(&own);
    return ok;
}

/* The items of a list as its rule finds them, each with its label. A page whose list is not found
 * as labelled teaches nothing about items; of a page that is a sample, items without labels do not.
 */
static bool find_items(th__stalker_learner *l, const th__stalker_node *node,
                       const th__stalker_instance *in, th__instances *out)
{
    th__scopes items = {0};
    bool ok = th__stalker_items(node->list, &l->pages[in->page], &in->scope, &items);
    bool sample = in->labelled && in->sample;
    size_t labelled = 0, count = th_value_count(in->value);
    for (size_t i = 0; i < count; i++)
        labelled += th__value_hull(th_value_item(in->value, i)).end > 0;
    /* Items of which nothing is on the page may be found or not. */
    bool right = in->labelled && (sample || (items.len >= labelled && items.len <= count));
    for (size_t i = 0, at = 0; ok && i < items.len; i++) {
        th__stalker_instance item = {
            .page = in->page, .scope = items.data[i], .sample = l->corpus->pages[in->page].sample};
        th_span span = items.data[i].span, hull = {0};
        if (in->labelled && !right)
            break;
        while (right && at < count && !hull.end) {
            hull = th__value_hull(th_value_item(in->value, at));
            at += !hull.end;
        }
        item.labelled = right && hull.end && span.start <= hull.start && span.end >= hull.end;
        if (item.labelled)
            item.value = th_value_item(in->value, at++);
        else
            item.labelled = right && !sample && labelled < count;
        ok = th__vec_push(out, item);
    }
    th__vec_release(&items);
    return ok;
}

/* Returns true if tuples have lines below, and all labelled texts of theirs are before those. */
static bool have_own_lines(th__stalker_learner *l, th__stalker_node *tuple,
                           const th__instances *items)
{
    bool any = false;
    tuple->own_lines = true;
    for (size_t i = 0; i < items->len; i++)
        for (uint32_t m = 0; m < tuple->count; m++) {
            const th__stalker_instance *in = &items->data[i];
            th_span span = th__stalker_value_span(th_value_item(in->value, m));
            th__scope own = th__stalker_member_scope(tuple, &tuple->children[m],
                                                     &l->pages[in->page], &in->scope);
            if (span.end && tuple->children[m].field && span.end > own.span.end)
                return false;
            any |= in->labelled && own.end < in->scope.end;
        }
    return any;
}

static bool learn_list(th__stalker_learner *l, th__stalker_node *node,
                       const th__instances *instances)
{
    th__instances items = {0};
    if (!learn_items(l, node, instances))
        return false;
    if (node->list->kind == TH__LIST_SINGLE)
        return true; /* its field is learnt already */
    bool ok = true;
    for (size_t i = 0; ok && i < instances->len; i++)
        ok = find_items(l, node, &instances->data[i], &items);
    if (ok && !l->paper && !node->list->texts && !node->list->indented)
        node->children[0].own_lines = have_own_lines(l, &node->children[0], &items);
    ok = ok && learn_node(l, &node->children[0], &items);
    th__vec_release(&items);
    return ok;
}

/* The texts of a list are learnt in the order of the page, however they are labelled; only the
 * parts that they may be of go by the order of the labels. */
static bool learn_texts(th__stalker_learner *l, th__stalker_node *node,
                        const th__instances *instances)
{
    th__instances sorted = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < instances->len; i++) {
        th__stalker_instance in = instances->data[i];
        size_t count = th_value_count(in.value);
        if (count > 1) {
            th_value *list = th__arena_zero(&l->scratch, 1, sizeof *list);
            th_value **items = th__arena_alloc(&l->scratch, count * sizeof *items);
            if (!list || !items)
                break;
            for (size_t n = 0; n < count; n++)
                items[n] = th__value_item(in.value, n);
            *list = *in.value;
            list->list = items;
            in.value = list;
            ok = th__values_sort(items, count);
        }
        ok = ok && th__vec_push(&sorted, in);
    }
    ok = sorted.len == instances->len &&
         (l->paper ? learn_list(l, node, &sorted) : learn_parts(l, node, &sorted, instances));
    th__vec_release(&sorted);
    return ok;
}

static bool learn_node(th__stalker_learner *l, th__stalker_node *node,
                       const th__instances *instances)
{
    switch (node->type->kind) {
    case TH_TYPE_FIELD:
        return th__stalker_learn_field(l, node->field, instances, true);
    case TH_TYPE_LIST:
        return node->children[0].field ? learn_texts(l, node, instances)
                                       : learn_list(l, node, instances);
    case TH_TYPE_TUPLE:
        return learn_members(l, node, instances);
    default:
        return learn_alternatives(l, node, instances);
    }
}

/* ---- unlabelled spots --------------------------------------------------------------------------
 *
 * A field that is missing on every labelled page is in no rule, and no view can be in doubt about
 * it. But its text is on other pages at a place where labelled pages have nothing, or behind a
 * label that they do not have. Both are kept with the rules, so that `thresh suggest` can ask for
 * such a page. */

/* A unit of text of a page: where it is, and what it reads. */
struct sight {
    uint64_t place, text; /* text: 0 where places alone count */
    uint32_t page, unit;
    bool labelled;
};

typedef TH__VEC(struct sight) sight_vec;

/* The path of a node below the nearest mark, or below the root; labels and values may differ by the
 * cell of their row alone. */
static uint64_t place_of(const th__page_map *map, uint32_t node)
{
    uint32_t top = th__mark_above(&map->at, node);
    uint64_t place = th__hash_mix(top ? th__mark_of(&map->at, top) : 0,
                                  th__address_key(&map->at, false, top, node));
    return th__hash_mix(place, th__cell_of(map->page, 0, node));
}

static bool gather_sights(th__stalker_learner *l, uint32_t page, sight_vec *places,
                          sight_vec *texts)
{
    const th__page_map *map = th__stalker_page_map(&l->pages[page]);
    bool labelled = l->corpus->pages[page].labels;
    if (!map)
        return false;
    for (uint32_t u = 0; u < map->count; u++) {
        uint32_t node = map->units[u].node;
        struct sight sight = {place_of(map, th__stalker_text_block(map, node)), 0, page, u,
                              labelled};
        if (!th__vec_push(places, sight))
            return false;
        sight.place = place_of(map, node);
        sight.text = map->units[u].hash;
        if (sight.text && !th__vec_push(texts, sight))
            return false;
    }
    return true;
}

/* In the order of the pages. */
static int by_unit(const void *left, const void *right)
{
    const struct sight *a = left, *b = right;
    return th__order(a->page, b->page) ?: th__order(a->unit, b->unit);
}

static int by_sight(const void *left, const void *right)
{
    const struct sight *a = left, *b = right;
    return th__order(a->place, b->place) ?: th__order(a->text, b->text) ?: by_unit(a, b);
}

static bool add_spot(th__stalker_learner *l, th__stalker_rules *rules, const struct sight *sight)
{
    const th__page_map *map = th__stalker_page_map(&l->pages[sight->page]);
    const th__text_unit *unit = &map->units[sight->unit];
    th__unlabelled_spot *out = &rules->spots[rules->spot_count];
    uint32_t node = sight->text ? unit->node : th__stalker_text_block(map, unit->node),
             top = th__mark_above(&map->at, node);
    *out = (th__unlabelled_spot){
        .at = {.marked = th__mark_of(&map->at, top), .cell = th__cell_of(map->page, 0, node)}};
    if (!th__path_spec_write(&out->at, map->page, top, node, l->arena))
        return false;
    if (sight->text) {
        out->text = th__span_copy(l->arena, map->page, unit->span);
        out->hash = sight->text;
    }
    /* A path that cannot be read back is of no use. */
    rules->spot_count += th__path_spec_prepare(&out->at);
    return !sight->text || out->text.ptr;
}

/* Sights of one text at one place: where they end, on how many pages, and if a labelled one has it.
 */
static size_t read_text(const sight_vec *all, size_t from, uint32_t *pages, bool *labelled)
{
    size_t i = from;
    *pages = 0;
    *labelled = false;
    for (; i < all->len && !(all->data[i].place != all->data[from].place ||
                             all->data[i].text != all->data[from].text);
         i++) {
        *pages += i == from || all->data[i].page != all->data[i - 1].page;
        *labelled |= all->data[i].labelled;
    }
    return i;
}

/* Returns true if the texts at a place are the template's: what labelled pages have there other
 * pages have as well. */
static size_t read_place(const sight_vec *all, size_t from, bool *labelled, bool *constant)
{
    enum { FEW = 3 }; /* texts that can be alike by chance */
    uint32_t texts = 0, shared = 0, pages;
    bool shown;
    size_t i = from;
    *labelled = false;
    while (i < all->len && all->data[i].place == all->data[from].place) {
        i = read_text(all, i, &pages, &shown);
        *labelled |= shown;
        texts += shown;
        shared += shown && pages > 1;
    }
    *constant = texts >= FEW && shared == texts;
    return i;
}

enum { OFTEN = 5 }; /* what is on more than one page in five is a label, wherever it is */

/* Texts at places of the template where labelled pages have others; places that they lack. The
 * first of them by page are kept. */
static bool keep_spots(th__stalker_learner *l, th__stalker_rules *rules, sight_vec *all, bool texts)
{
    bool ok = true, labelled, constant, shown;
    uint32_t pages;
    size_t kept = 0;
    if (all->len)
        qsort(all->data, all->len, sizeof *all->data, by_sight);
    for (size_t i = 0, end; i < all->len; i = end) {
        end = read_place(all, i, &labelled, &constant);
        if (texts != labelled)
            continue;
        for (size_t next; i < end; i = next) {
            next = read_text(all, i, &pages, &shown);
            if (!shown && (!texts || constant || pages > l->corpus->count / OFTEN + 1))
                all->data[kept++] = all->data[i];
        }
    }
    if (kept)
        qsort(all->data, kept, sizeof *all->data, by_unit);
    for (size_t i = 0; ok && i < kept && rules->spot_count < TH__STALKER_MAX_SPOTS; i++)
        ok = add_spot(l, rules, &all->data[i]);
    return ok;
}

/* Places and labels of pages without labels that no labelled page has. */
static bool learn_spots(th__stalker_learner *l, th__stalker_rules *rules)
{
    sight_vec places = {0}, texts = {0};
    rules->spots = th__arena_zero(l->arena, TH__STALKER_MAX_SPOTS + 1, sizeof *rules->spots);
    bool ok = rules->spots;
    for (uint32_t i = 0; ok && i < l->corpus->count; i++)
        ok = !th__cancelled(l->corpus->cancel) && gather_sights(l, i, &places, &texts);
    ok = ok && keep_spots(l, rules, &texts, true) && keep_spots(l, rules, &places, false);
    th__vec_release(&places);
    th__vec_release(&texts);
    return ok;
}

/* The root's value on a page: its one record, or all of them as a list. */
static const th_value *root_value(th__stalker_learner *l, const th_records *records, bool list,
                                  th_span body)
{
    if (!list)
        return th_records_get(records, 0);
    th_value *all = th__arena_zero(&l->scratch, 1, sizeof *all);
    if (all)
        *all = (th_value){.kind = TH_VALUE_LIST,
                          .type = th_schema_root(th_records_schema(records)),
                          .list = records->values.data,
                          .span = body,
                          .count = (uint32_t)records->values.len};
    return all;
}

static bool learn_root(th__stalker_learner *l, th__stalker_node *root)
{
    const th__corpus *corpus = l->corpus;
    th__instances instances = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < corpus->count; i++) {
        th__corpus_page *page = &corpus->pages[i];
        th__stalker_instance instance = {
            .page = (uint32_t)i, .scope = th__scope_page(page->page), .labelled = page->labels};
        page->learnt = page->labels ? th_records_count(page->labels) : 0;
        /* Nobody labels all rows of a list; that a page has none is said in full. */
        instance.sample = page->sample || (root->list && !l->paper && page->learnt);
        if (page->labels) {
            instance.value = root_value(l, page->labels, root->list, page->body);
            ok = instance.value || !root->list;
        }
        ok = ok && th__vec_push(&instances, instance);
    }
    ok = ok && learn_node(l, root, &instances);
    th__vec_release(&instances);
    return ok;
}

static bool has_sign(const th_page *page, const th_value *value)
{
    bool any = false;
    if (th_value_get_kind(value) == TH_VALUE_TEXT) {
        th_span span = th_value_span(value);
        return span.end && th__span_has_sign(page, span);
    }
    for (size_t i = 0; i < th_value_count(value) && !any; i++)
        any = has_sign(page, th_value_item(value, i));
    return any;
}

/* Returns true if a sign that could separate texts is in a labelled value. Values are as deep as
 * schemas.
 */
static bool have_signs(const th__corpus_page *page)
{
    bool any = false;
    for (size_t i = 0; page->labels && i < th_records_count(page->labels) && !any; i++)
        any = has_sign(page->page, th_records_get(page->labels, i));
    return any;
}

th_status th__stalker_learn(const th_learn_options *options, const th__corpus *corpus,
                            th__arena *arena, th_schema **schema, void **rules, th_error *err)
{
    th__stalker_learner l = {.corpus = corpus, .arena = arena, .paper = options->paper.published};
    th__stalker_rules *out = th__arena_zero(arena, 1, sizeof *out);
    *schema = th_schema_retain(corpus->schema);
    th__arena_init(&l.scratch);
    l.pages = th__arena_zero(&l.scratch, corpus->count + 1, sizeof *l.pages);
    bool ok = out && l.pages && th__stalker_node_make(arena, th_schema_root(*schema), &out->root);
    uint32_t labelled = 0;
    for (size_t i = 0; ok && i < corpus->count; i++) {
        labelled += corpus->pages[i].labels != NULL;
        out->unparted |= !l.paper && have_signs(&corpus->pages[i]);
    }
    /* One labelled page shows too little of what is part of values. */
    if (ok)
        out->published = l.paper;
    if (ok)
        out->unparted |= !l.paper && labelled < 2;
    for (size_t i = 0; ok && i < corpus->count; i++)
        l.pages[i] = (th__stalker_page){
            .page = corpus->pages[i].page, .arena = &l.scratch, .unparted = out->unparted};
    ok = ok && learn_root(&l, &out->root) && !l.name.failed && (l.paper || learn_spots(&l, out));
    th__buf_release(&l.name);
    th__arena_release(&l.scratch);
    *rules = out;
    if (l.missed)
        return th__fail(err, TH_ERR_FORMAT, "no rules give all labelled values");
    return ok ? TH_OK : th__fail_memory(err);
}
