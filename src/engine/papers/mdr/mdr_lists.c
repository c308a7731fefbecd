/* mdr_lists.c: MDR's regions as lists of records in columns. */
#include "engine/papers/mdr/mdr_lists.h"

#include "base/error.h"
#include "engine/regions.h"
#include "wrapper/list_records.h"

static uint32_t last_node(const th_page *page, th__mdr_range range)
{
    uint32_t last = range.first;
    while (page->nodes[last].end < range.end)
        last = page->nodes[last].end;
    return last;
}

bool th__mdr_several(const th_page *page, const th__mdr_record *records, uint32_t count)
{
    for (uint32_t r = 0; r < count; r++)
        if (records[r].range_count > 1 ||
            last_node(page, records[r].ranges[0]) != records[r].ranges[0].first)
            return true;
    return false;
}

bool th__mdr_extents(th__arena *arena, const th_page *page, const th__mdr_record *records,
                     uint32_t count, bool several, th__extents *out)
{
    size_t total = 0;
    for (uint32_t r = 0; r < count; r++)
        total += records[r].range_count;
    th__extent *extents = th__arena_alloc(arena, (total + 1) * sizeof *extents);
    uint32_t *first = th__arena_alloc(arena, ((size_t)count + 1) * sizeof *first);
    if (!extents || !first)
        return false;
    uint32_t used = 0;
    for (uint32_t r = 0; r < count; r++) {
        first[r] = used;
        for (uint32_t i = 0; i < records[r].range_count; i++) {
            th__mdr_range range = records[r].ranges[i];
            extents[used] = th__extent_of(page, range.first, last_node(page, range));
            extents[used++].run = several;
        }
    }
    first[count] = used;
    *out = (th__extents){extents, first, count};
    return true;
}

/* Whether there is anything in the records that columns are made of. */
static bool has_items(const th__view *view, const th__extents *list, bool *has)
{
    th__item_vec items = {0};
    bool ok = true;
    for (uint32_t r = 0; ok && r < list->count && !items.len; r++)
        ok = th__items_add(view, list, r, &items);
    *has = items.len > 0;
    th__vec_release(&items);
    return ok;
}

bool th__mdr_next(const th__view *view, th__mdr_result *result, const th__mdr_ranked *ranked,
                  uint32_t *at, th__extents *out)
{
    for (; *at < result->region_count; ++*at) {
        const th__mdr_region *region = &result->regions[ranked[*at].region];
        bool has = false;
        if (ranked[*at].score <= 0)
            continue;
        if (!th__mdr_extents(&result->arena, view->page, region->records, region->record_count,
                             th__mdr_several(view->page, region->records, region->record_count),
                             out) ||
            !has_items(view, out, &has))
            return false;
        if (has)
            break;
    }
    return true;
}

static th_status add_regions(const th_page *page, const th_records_source *source, uint32_t most,
                             th__mdr_result *result, th__region_vec *out, th_error *err)
{
    const th__mdr_ranked *ranked = th__mdr_rank(page, result);
    th__view view;
    if (!ranked || !th__view_make(&result->arena, page, &view))
        return th__fail_memory(err);
    for (uint32_t at = 0; out->len < most; at++) {
        th__extents list;
        th_records *records;
        if (!th__mdr_next(&view, result, ranked, &at, &list))
            return th__fail_memory(err);
        if (at >= result->region_count)
            break;
        th_status status = th__list_records(&view, &list, source, &records, err);
        if (!status && records)
            status = th__region_add(out, "mdr", ranked[at].score, records, err);
        if (status)
            return status;
    }
    return TH_OK;
}

th_status th__mdr_regions(const th_page *page, const th_records_source *source,
                          const th_regions_options *options, th__region_vec *out, th_error *err)
{
    th__mdr_options mdr;
    th__mdr_result *result;
    th__mdr_options_from(&options->paper, &mdr);
    th_status status = th__mdr_find(page, &mdr, &result, err);
    if (status)
        return status;
    status = add_regions(page, source, options->most, result, out, err);
    th__mdr_result_free(result);
    return status;
}
