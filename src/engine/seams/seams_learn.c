/*
 * seams_learn.c: from labelled pages to samples.
 *
 * The region of a record is the innermost element that holds all its labelled values. Its path must
 * be the same on all labelled pages: where it is not (one page has a value less), the regions of
 * all are widened to the next elements that have the same path.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "data/record.h"
#include "engine/seams/seams.h"
#include "page/page.h"
#include "page/text.h"
#include "index/view.h"

/* A labelled value: its slot, and which item of each list around it. */
struct found {
    uint32_t slot;
    th_span span;
    uint32_t items[TH__SEAMS_MAX_DEPTH];
};

typedef TH__VEC(struct found) found_vec;

/* A labelled page. */
struct labelled {
    th__corpus_page *page;
    uint32_t node; /* the region */
    found_vec found;
};

struct learner {
    th__seam_rules *rules;
    th__arena *arena;
    TH__VEC(struct labelled) pages;
};

/* Goes down to a slot's values, as deep as it has steps. */
static bool gather(const th__seam_slot *slot, uint32_t step, const th_value *value,
                   struct found *at, uint32_t depth, found_vec *out)
{
    if (!value || value->kind == TH_VALUE_NULL)
        return true;
    if (step == slot->step_count) {
        at->span = value->span;
        return value->kind != TH_VALUE_TEXT || value->span.end <= value->span.start ||
               th__vec_push(out, *at);
    }
    if (slot->steps[step] != TH__SEAMS_ITEM)
        return gather(slot, step + 1, th_value_item(value, (size_t)slot->steps[step]), at, depth,
                      out);
    bool ok = true;
    for (uint32_t i = 0; ok && i < th_value_count(value); i++) {
        at->items[depth] = i;
        ok = gather(slot, step + 1, th_value_item(value, i), at, depth + 1, out);
    }
    return ok;
}

static int by_place(const void *a, const void *b)
{
    const struct found *left = a, *right = b;
    if (left->span.start != right->span.start)
        return left->span.start < right->span.start ? -1 : 1;
    return left->slot < right->slot ? -1 : left->slot > right->slot;
}

/* The name of the attribute that a value stands in. */
static bool take_attribute(struct learner *l, const th_page *page, const struct found *found)
{
    th__seam_slot *slot = &l->rules->slots.data[found->slot];
    th_str name = th__attribute_at(page, found->span).name;
    if (slot->attribute.ptr || !name.ptr)
        return true;
    slot->attribute = th__arena_copy(l->arena, name);
    return slot->attribute.ptr;
}

static bool add_page(struct learner *l, th__corpus_page *page)
{
    struct labelled labelled = {.page = page};
    const th_value *record = th_records_get(page->labels, 0);
    const th__seam_slots *slots = &l->rules->slots;
    bool ok = true;
    for (uint32_t s = 0; ok && s < slots->count; s++) {
        struct found at = {.slot = s};
        ok = gather(&slots->data[s], 0, record, &at, 0, &labelled.found);
    }
    if (!ok || !labelled.found.len) {
        th__vec_release(&labelled.found);
        return ok;
    }
    found_vec *found = &labelled.found;
    qsort(found->data, found->len, sizeof *found->data, by_place);
    uint32_t last = 0;
    for (size_t i = 0; i < found->len; i++)
        last = last > found->data[i].span.end ? last : found->data[i].span.end;
    const th_page *source = page->page;
    labelled.node = th__page_node_around(source, th__token_at(source, found->data[0].span.start),
                                         th__token_at(source, last - 1));
    for (size_t i = 0; ok && i < found->len; i++)
        ok = take_attribute(l, source, &found->data[i]);
    ok = ok && th__vec_push(&l->pages, labelled);
    if (!ok)
        th__vec_release(found);
    return ok;
}

/* ---- the region ------------------------------------------------------------------------------ */

static uint32_t depth_of(const struct labelled *page)
{
    const th_page *source = page->page->page;
    return source->paths[source->nodes[page->node].path].depth;
}

static void widen(struct labelled *page)
{
    page->node = page->page->page->nodes[page->node].parent;
}

/* Whether two regions, which are equally deep, have the same path. */
static bool is_same(const struct labelled *a, const struct labelled *b)
{
    const th_page *left = a->page->page, *right = b->page->page;
    for (uint32_t x = a->node, y = b->node; x && y;
         x = left->nodes[x].parent, y = right->nodes[y].parent)
        if (th__node_hash(left, x) != th__node_hash(right, y))
            return false;
    return true;
}

/* Ends at the document, whose path is the same everywhere. */
static bool find_region(struct learner *l)
{
    struct labelled *pages = l->pages.data;
    uint32_t depth = UINT32_MAX;
    for (size_t i = 0; i < l->pages.len; i++)
        depth = depth < depth_of(&pages[i]) ? depth : depth_of(&pages[i]);
    for (bool same = false; !same; depth--) {
        same = true;
        for (size_t i = 0; i < l->pages.len; i++) {
            while (pages[i].node && depth_of(&pages[i]) > depth)
                widen(&pages[i]);
            same = same && is_same(&pages[i], &pages[0]);
        }
        same = same || !depth;
    }
    th__buf path = {0};
    bool failed, ok = th__class_path_write(pages[0].page->page, 0, pages[0].node, &path);
    l->rules->region = th__arena_copy(l->arena, th__buf_str(&path));
    th__buf_release(&path);
    return ok && l->rules->region.ptr && th__seam_region_prepare(l->rules, l->arena, &failed);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* How many of the lists around a value go on with the same item as those of the one before. */
static uint32_t open_lists(const th__seam_slots *slots, const struct found *before,
                           const struct found *found)
{
    uint32_t common = before ? th__seam_common(slots, before->slot, found->slot) : 0, open = 0;
    while (open < common && before->items[open] == found->items[open])
        open++;
    /* An item of a list of texts is one value. */
    if (slots->data[found->slot].item && open == slots->data[found->slot].depth)
        open--;
    return open;
}

static bool add_sample(struct learner *l, const struct labelled *labelled)
{
    const th_page *page = labelled->page->page;
    const th_node *node = &page->nodes[labelled->node];
    uint32_t start = page->tokens[node->token].start, end = page->tokens[node->token_end].start;
    th__seam_rules *rules = l->rules;
    th_str html = th__page_slice(page, start, end);
    /* Texts in JSON have no NUL: a page with one is no sample. */
    if (html.len > TH__SEAMS_MAX_BYTES || rules->sample_count == TH__SEAMS_MAX_SAMPLES ||
        memchr(html.ptr, 0, html.len))
        return true;
    th__seam_sample *sample = &rules->samples[rules->sample_count];
    sample->html = th__arena_copy(l->arena, html);
    sample->places = th__arena_alloc(l->arena, labelled->found.len * sizeof *sample->places);
    if (!sample->html.ptr || !sample->places)
        return false;
    const struct found *before = NULL;
    for (size_t i = 0; i < labelled->found.len; i++) {
        const struct found *found = &labelled->found.data[i];
        if (before && found->span.start < before->span.end)
            continue; /* a value inside another has no seam */
        sample->places[sample->count++] =
            (th__seam_place){found->slot, open_lists(&rules->slots, before, found),
                             found->span.start - start, found->span.end - start};
        before = found;
    }
    rules->sample_count++;
    labelled->page->learnt = 1;
    return true;
}

static bool learn_samples(struct learner *l, const th__corpus *corpus)
{
    bool ok = true;
    for (size_t i = 0; ok && i < corpus->count; i++)
        if (corpus->pages[i].labels && th_records_count(corpus->pages[i].labels))
            ok = add_page(l, &corpus->pages[i]);
    if (!ok || !l->pages.len)
        return ok;
    if (!find_region(l))
        return false;
    l->rules->samples = th__arena_zero(l->arena, TH__SEAMS_MAX_SAMPLES, sizeof *l->rules->samples);
    ok = l->rules->samples;
    for (size_t i = 0; ok && i < l->pages.len; i++)
        ok = add_sample(l, &l->pages.data[i]);
    return ok;
}

th_status th__seams_learn(const th_learn_options *options, const th__corpus *corpus,
                          th__arena *arena, th_schema **schema, void **rules, th_error *err)
{
    bool fits;
    struct learner l = {.arena = arena, .rules = th__arena_zero(arena, 1, sizeof *l.rules)};
    (void)options;
    if (!l.rules || !th__seam_slots_make(corpus->schema, arena, &l.rules->slots, &fits))
        return th__fail_memory(err);
    if (!fits)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "engine seams learns pages of one record, without choices, of at most %d "
                        "fields, nested ones among them; these labels are not: leave --engine out",
                        TH__SEAMS_MAX_SLOTS);
    th_status status = learn_samples(&l, corpus) ? TH_OK : th__fail_memory(err);
    if (!status && !l.rules->sample_count)
        status = th__fail(err, TH_ERR_ARGUMENT,
                          "engine seams finds no labelled record of at most %d bytes: label values "
                          "that stand closer together, or leave --engine out",
                          TH__SEAMS_MAX_BYTES);
    if (!status)
        status = th__seam_model_make(l.rules, arena, err);
    for (size_t i = 0; i < l.pages.len; i++)
        th__vec_release(&l.pages.data[i].found);
    th__vec_release(&l.pages);
    if (!status) {
        *schema = th_schema_retain(corpus->schema);
        *rules = l.rules;
    }
    return status;
}
