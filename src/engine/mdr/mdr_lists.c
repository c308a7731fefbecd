/* mdr_lists.c: MDR's regions as lists of records in columns. */
#include "engine/mdr/mdr_lists.h"

#include "base/error.h"
#include "engine/mdr/mdr_rank.h"
#include "engine/regions.h"
#include "wrapper/lists.h"

bool th__mdr_extents(th__arena *arena, const th_page *page, const th__mdr_record *records,
                     uint32_t count, th__extents *out)
{
    size_t total = 0;
    for (uint32_t r = 0; r < count; r++)
        total += records[r].range_count;
    th__extent *extents = th__arena_alloc(arena, (total + 1) * sizeof *extents);
    uint32_t *first = th__arena_alloc(arena, ((size_t)count + 1) * sizeof *first);
    if (!extents || !first)
        return false;
    uint32_t used = 0, several = 0;
    for (uint32_t r = 0; r < count; r++) {
        first[r] = used;
        several |= records[r].range_count > 1;
        for (uint32_t i = 0; i < records[r].range_count; i++) {
            th__mdr_range range = records[r].ranges[i];
            uint32_t last = range.first;
            while (page->nodes[last].end < range.end)
                last = page->nodes[last].end;
            several |= last != range.first;
            extents[used++] = th__extent_of(page, range.first, last);
        }
    }
    first[count] = used;
    for (uint32_t i = 0; i < used; i++)
        extents[i].run = several;
    *out = (th__extents){extents, first, count};
    return true;
}

static th_status add_regions(const th_page *page, const th_records_source *source, uint32_t most,
                             th__mdr_result *result, th__region_vec *out, th_error *err)
{
    const th__mdr_ranked *ranked = th__mdr_rank(page, result);
    th__view view;
    if (!ranked || !th__view_make(&result->arena, page, &view))
        return th__fail_memory(err);
    for (uint32_t i = 0; i < result->region_count && out->len < most && ranked[i].score > 0; i++) {
        const th__mdr_region *region = &result->regions[ranked[i].region];
        th__extents list;
        th_records *records;
        if (!th__mdr_extents(&result->arena, page, region->records, region->record_count, &list))
            return th__fail_memory(err);
        th_status status = th__list_records(&view, &list, source, &records, err);
        if (!status && records)
            status = th__region_add(out, "mdr", ranked[i].score, records, err);
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
    th__mdr_options_init(&mdr);
    if (options->paper)
        th__mdr_options_paper(&mdr);
    th_status status = th__mdr_find(page, &mdr, &result, err);
    if (status)
        return status;
    status = add_regions(page, source, options->most, result, out, err);
    th__mdr_result_free(result);
    return status;
}
