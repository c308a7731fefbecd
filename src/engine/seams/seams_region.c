/* seams_region.c: where the record stands: an element, by tags and classes from the root on. */
#include "engine/seams/seams.h"
#include "page/page.h"
#include "index/view.h"

bool th__seam_region_prepare(th__seam_rules *rules, th__arena *arena, bool *failed)
{
    th_str rest = rules->region, step;
    bool bad = false;
    uint32_t depth = 0;
    while (th__path_next(&rest, &step, &bad))
        depth++;
    rules->region_steps = th__arena_zero(arena, depth + (size_t)1, sizeof *rules->region_steps);
    *failed = !rules->region_steps;
    if (bad || *failed)
        return false;
    rules->region_depth = depth;
    for (rest = rules->region; th__path_next(&rest, &step, &bad);) {
        uint16_t tag;
        rules->region_steps[--depth] = th__step_hash(step, &tag);
    }
    return true;
}

bool th__seam_region_is(const th__seam_rules *rules, const th_page *page, uint32_t node)
{
    if (page->paths[page->nodes[node].path].depth != rules->region_depth)
        return false;
    for (uint32_t i = 0; i < rules->region_depth; i++, node = page->nodes[node].parent)
        if (th__node_hash(page, node) != rules->region_steps[i])
            return false;
    return true;
}
