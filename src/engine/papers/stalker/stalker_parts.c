/*
 * stalker_parts.c: lists of texts that stand in several kinds of places.
 *
 * A title in the heading and once more in the breadcrumb; a street, a town and a postcode. Such a
 * list is no row of alike items but has parts, each of them a list or a single text. Which texts
 * belong to one part: those at the same path, or, where that does not do, those at the same path
 * with the same text before them (a label), or the first of each list, the second of each list, and
 * so on.
 */
#include <stdlib.h>

#include "base/vec.h"
#include "data/record.h"
#include "engine/papers/stalker/stalker_learn.h"
#include "page/page.h"
#include "page/text.h"

/* How well a way to learn the list does on the labelled instances. */
struct result {
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
    const th__stalker_map *map = th__stalker_page_map(&p->l->pages[in->page]);
    th_span span = th__stalker_value_span(th_value_item(in->value, index));
    if (p->by == BY_ORDER)
        return index;
    uint32_t node = th_page_node_at(map->page, span.start);
    uint32_t token = th__token_at(map->page, span.start);
    uint64_t key = th__stalker_key(map, false, in->extent.root, node);
    uint32_t unit = th__stalker_unit_at(map, span.start);
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
struct labelled {
    th_span *spans;
    uint64_t *hashes;
    size_t count;
};

static int by_span(const void *left, const void *right)
{
    const th_span *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

static bool list_labelled(struct parter *p, const th__stalker_instance *in, struct labelled *out)
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
    out->hashes =
        th__stalker_text_hashes(&p->l->scratch, p->l->pages[in->page].page, out->spans, out->count);
    return out->hashes;
}

/* How much of what a node finds in an instance is what is labelled: 1 when it is just that. Texts
 * besides that read as a labelled one do not count: labels name a value once that stands there
 * twice. Of a sample, what is found besides is no fault. */
static bool likeness(struct parter *p, const th__stalker_instance *in, const th__list_texts *texts,
                     double *out)
{
    struct labelled labelled = {0};
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
        others += !th__stalker_is_among(labelled.hashes, labelled.count, th__buf_str(&text));
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
static bool count_right(struct parter *p, const th__stalker_node *node, struct result *out)
{
    th__list_texts texts = {0};
    bool ok = true;
    *out = (struct result){0};
    for (size_t i = 0; ok && i < p->instances->len; i++) {
        const th__stalker_instance *in = &p->instances->data[i];
        if (!in->labelled)
            continue;
        texts.len = 0;
        ok = th__stalker_texts(node, &p->l->pages[in->page], &in->extent, &texts);
        double alike = 0;
        ok = ok && likeness(p, in, &texts, &alike);
        out->alike += alike;
        out->right += alike >= 1;
    }
    th__vec_release(&texts);
    return ok;
}

/* Whether there are words before each text of an instance. */
static bool labels_hold(struct parter *p, const th__stalker_instance *in)
{
    const th__stalker_map *map = th__stalker_page_map(&p->l->pages[in->page]);
    for (size_t n = 0; n < th_value_count(in->value); n++) {
        th_span span = th__stalker_value_span(th_value_item(in->value, n));
        uint32_t unit = span.end ? th__stalker_unit_at(map, span.start) : 0;
        if (unit && !map->units[unit - 1].hash)
            return false;
    }
    return true;
}

/* Whether every part is on two labelled pages at least, has one text on a page, and a label: a sign
 * is none. */
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
static bool try_parts(struct parter *p, struct result *best)
{
    th__stalker_list list = {.kind = TH__LIST_PARTS};
    struct result result;
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
    if (!count_right(p, &whole, &result))
        return false;
    if (result.alike > best->alike + 1e-9) {
        *best = result;
        *p->node->list = list;
    }
    return true;
}

bool th__stalker_learn_parts(th__stalker_learner *l, th__stalker_node *node,
                             const th__instances *instances, const th__instances *given)
{
    struct parter p = {.l = l, .node = node, .instances = instances};
    bool quiet = l->quiet;
    struct result best = {0};
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
        struct result result;
        ok = th__stalker_node_make(l->arena, node->type, &plain) &&
             th__stalker_learn_list(l, &plain, instances) && count_right(&p, &plain, &result);
        if (ok && (result.alike > best.alike + 1e-9 || best.alike <= 0)) {
            best = result;
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
