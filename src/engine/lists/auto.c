/*
 * auto.c: what a user gets without asking.
 *
 * No paper: ours. A page is looked at as leaves of text with keys (index/view.h). Elements of one
 * kind are groups (auto_groups.c); a group scores by what a reader would learn from it as a table;
 * the best groups become regions of whole records (auto_regions.c), whose leaves are aligned into
 * columns (seq/columns.c) and named (seq/column_names.c).
 *
 *     <ul class=nav><li>Home<li>Help</ul>
 *     <div class=hit><a>One</a><p>first of all</p></div>
 *     <div class=hit><a>Two</a><p>second to none</p></div>
 *
 * The groups {li, li}, {div.hit, div.hit}, {a, a}, {p, p} score in this order: div.hit (two fields
 * that differ), p, a, li (one short field, in a navigation).
 *
 * Each improvement is a switch: auto_options.h.
 */
#include "base/error.h"
#include "engine/lists/auto_learn.h"
#include "engine/lists/auto_regions.h"
#include "engine/regions.h"
#include "wrapper/lists.h"

th_status th__auto_regions(const th_page *page, const th_records_source *source,
                           const th_regions_options *options, th__region_vec *out, th_error *err)
{
    th__arena arena;
    th__view view;
    th__auto_region *regions;
    uint32_t count;
    th_status status = TH_OK;
    th__arena_init(&arena);
    if (!th__view_make(&arena, page, &view) ||
        !th__auto_regions_find(&arena, &view, NULL, options->most, &regions, &count))
        status = th__fail_memory(err);
    for (uint32_t i = 0; !status && i < count; i++) {
        th_records *records;
        status = th__list_records(&view, &regions[i].list, source, &records, err);
        if (!status && records)
            status = th__region_add(out, "auto", regions[i].score, records, err);
    }
    th__arena_release(&arena);
    return status;
}

const th__engine th__auto_engine = {
    .name = "auto",
    .regions = th__auto_regions,
    .confidence = {0, 2.5, 5},
    .learn_begin = th__auto_learn_begin,
    .learn_page = th__auto_learn_page,
    .learn_end = th__auto_learn_end,
    .learn_free = th__auto_learn_free,
    .run = th__auto_run,
    .run_known = th__auto_run_known,
    .write = th__auto_write,
    .read = th__auto_read,
    .explain = th__auto_explain,
    .fields = th__auto_fields,
};
