/*
 * repair_anchors.c: where records stand that no engine cuts rightly: by the field that tells them.
 *
 * A field that every record has, with another value each, is found on whole pages as lists are: the
 * place with about as many values as there are records. Each of its values is in a record of its
 * own: the largest element that holds it and no other begins the record, which goes on to the next.
 */
#include <math.h>

#include "base/error.h"
#include "repair/repair_labelling.h"
#include "page/page.h"
#include "page/text.h"

/* Whether a field has another value in every record. */
static bool tells_apart(const th_repair *repair, uint32_t field)
{
    const th__field_profile *p = &repair->profile->fields[field];
    return !repair->targets[field] && p->values && 2 * p->distinct > p->sampled &&
           10 * p->values >= 9 * p->chances && th__str_find(p->path, TH_STR("[]")) == SIZE_MAX;
}

/* How far the number of a field's values is from that of the records that pages had. */
static double count_apart(const th_repair *repair, const th__places *places, uint32_t field,
                          uint32_t pages, uint32_t *first)
{
    double wanted = (double)repair->profile->records * pages / (double)repair->profile->pages;
    size_t count = 0;
    for (size_t i = 0; i < places->data.len; i++) {
        const th__spotted *s = &places->data.data[i];
        if (s->field != field)
            continue;
        *first = count ? *first : s->span.start;
        count++;
    }
    return count && wanted > 0 ? fabs(log((double)count / wanted)) : HUGE_VAL;
}

/* The field that has as many values as there should be; of several the first of the page; or the
 * number of fields. */
static uint32_t find_anchor(const th_repair *repair, const th__places *places, uint32_t pages)
{
    const double about = 0.1; /* a record in ten may have a heading like it */
    uint32_t best = repair->profile->count, best_first = 0;
    double least = log(2); /* twice as many or half of them are others */
    for (uint32_t i = 0; i < repair->profile->count && repair->profile->pages; i++) {
        uint32_t first = 0;
        double apart = places->chosen[i] ? count_apart(repair, places, i, pages, &first) : HUGE_VAL;
        if (apart >= least + about ||
            (best < repair->profile->count && apart > least - about && first >= best_first))
            continue;
        best = i;
        best_first = first;
        least = apart;
    }
    return best;
}

/* The largest element that holds a span, and nothing before or behind these bytes. */
static uint32_t element_of(const th_page *page, th_span span, uint32_t before, uint32_t after)
{
    uint32_t own = 0;
    uint32_t node = th__page_node_around(page, th__token_at(page, span.start),
                                         th__token_at(page, span.end - 1));
    for (; node; node = page->nodes[node].parent) {
        uint32_t token_end = page->nodes[node].token_end;
        if (page->tokens[page->nodes[node].token].start < before ||
            (token_end < page->token_count ? page->tokens[token_end].start : page->text.len) >
                after)
            break;
        own = node;
    }
    return own;
}

/* Cuts a page at values of the anchor, which rise. */
static bool cut_page(const th_page *page, uint32_t number, const th__spotted *spots, size_t count,
                     th__unit_list *out)
{
    uint32_t size = (uint32_t)page->text.len, last = 0;
    size_t first = out->len;
    for (size_t i = 0; i < count; i++) {
        th_span span = spots[i].span;
        last = element_of(page, span, i ? spots[i - 1].span.end : 0,
                          i + 1 < count ? spots[i + 1].span.start : size);
        uint32_t start = last ? page->tokens[page->nodes[last].token].start : span.start;
        if (out->len > first)
            out->data[out->len - 1].span.end = start;
        if (!th__vec_push(out, ((th__unit){number, {start, size}})))
            return false;
    }
    /* The last one ends where the list does. */
    uint32_t token_end = page->nodes[page->nodes[last].parent].token_end;
    if (last && token_end < page->token_count)
        out->data[out->len - 1].span.end = page->tokens[token_end].start;
    return true;
}

static bool cut_pages(const th_repair *repair, const th__places *places, uint32_t anchor,
                      th__unit_list *out)
{
    const th__spotted *data = places->data.data;
    size_t count = places->data.len;
    bool ok = true;
    for (size_t i = 0, end; ok && i < count; i = end) {
        for (end = i;
             end < count && data[end].field == data[i].field && data[end].unit == data[i].unit;)
            end++;
        /* One is no list: nothing tells where it begins. */
        if (data[i].field == anchor && end > i + 1)
            ok = cut_page(th__repair_part(repair, data[i].unit), data[i].unit, data + i, end - i,
                          out);
    }
    return ok;
}

th_status th__anchored_units(th_repair *repair, uint32_t pages, th__unit_list *out, th_error *err)
{
    th__unit whole[TH__REPAIR_LEARN];
    th__places places = {0}, kept = {0};
    bool *wanted = th__arena_zero(&repair->arena, repair->profile->count + 1, sizeof *wanted);
    if (!wanted)
        return th__fail_memory(err);
    for (uint32_t i = 0; i < pages; i++)
        whole[i] = (th__unit){i, {0, (uint32_t)th__repair_part(repair, i)->text.len}};
    for (uint32_t i = 0; i < repair->profile->count; i++)
        wanted[i] = tells_apart(repair, i);
    th_status status = th__places_choose(repair, whole, pages, true, wanted, &kept, &places, err);
    if (!status && !cut_pages(repair, &places, find_anchor(repair, &places, pages), out))
        status = th__fail_memory(err);
    th__vec_release(&places.data);
    return status;
}
