/*
 * mdr_notation.h: regions in the paper's notation, a line each.
 *
 *     (2, 1, 4) below /html/body/table: 4 records, columns
 *
 * are the three members of maxDR: two nodes a generalized node, from child 1 on, four nodes; then
 * where they are and what came of them. Parts of a joined region are joined with " + ", those of
 * adjacent regions with " & ". A covered region is indented below the one that covers it.
 */
#ifndef TH_MDR_NOTATION_H
#define TH_MDR_NOTATION_H

#include "engine/papers/mdr/mdr.h"

static void print_path(const th_page *page, uint32_t node, th__buf *out)
{
    uint32_t above[1024];
    unsigned depth = 0;
    for (; node && depth < sizeof above / sizeof *above; node = page->nodes[node].parent)
        above[depth++] = node;
    if (node)
        th__buf_add_str(out, TH_STR("/..."));
    if (!depth)
        th__buf_add_byte(out, '/');
    while (depth--) {
        th_str name = th_token_name(page, page->nodes[above[depth]].token);
        th__buf_add_byte(out, '/');
        for (size_t i = 0; i < name.len; i++)
            th__buf_add_byte(out, (char)th__lower((unsigned char)name.ptr[i]));
    }
}

/* True if a node is inside the generalized nodes of a region. */
static bool covers(const th_page *page, const th__mdr_region *region, uint32_t node)
{
    for (uint32_t p = 0; p < region->part_count; p++) {
        uint32_t end = region->parts[p].first;
        for (uint32_t child = 0; child < region->parts[p].count; child++)
            end = page->nodes[end].end;
        if (region->parts[p].first <= node && node < end)
            return true;
    }
    return false;
}

static bool print_regions(const th_page *page, const th__mdr_result *result, th__buf *out)
{
    for (uint32_t i = 0; i < result->region_count; i++) {
        const th__mdr_region *region = &result->regions[i];
        for (uint32_t above = 0; above < i; above++)
            if (covers(page, &result->regions[above], region->parts[0].parent))
                th__buf_add_str(out, TH_STR("  "));
        for (uint32_t p = 0; p < region->part_count; p++) {
            const th__mdr_part *part = &region->parts[p];
            th__buf_printf(out, "%s(%u, %u, %u)",
                           !p               ? ""
                           : region->zipped ? " & "
                                            : " + ",
                           part->combination, part->start + 1, part->count);
        }
        th__buf_add_str(out, TH_STR(" below "));
        print_path(page, region->parts[0].parent, out);
        th__buf_printf(out, ": %u records, %s%s", region->record_count,
                       region->zipped ? "adjacent regions" : th__mdr_cut_names[region->cut],
                       region->data_table ? ", data table" : "");
        if (region->orphan_count)
            th__buf_printf(out, ", %u outside the region", region->orphan_count);
        th__buf_add_byte(out, '\n');
    }
    return !out->failed;
}

#endif
