/* candidates.c: the lists of MDR and IEPAD, for the engine that weighs them all. */
#include "engine/candidates.h"

#include <stdlib.h>

#include "engine/papers/iepad/iepad.h"
#include "engine/papers/mdr/mdr_rank.h"

enum { MOST = 10 }; /* of each engine: further down its ranking the main list is hardly ever */

static int by_node(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

/* Puts the nodes in order and leaves out those inside others. */
static bool add_candidate(const th_page *page, uint32_t *nodes, uint32_t count,
                          th__candidate_vec *out)
{
    uint32_t kept = 0, end = 0;
    if (count)
        qsort(nodes, count, sizeof *nodes, by_node);
    for (uint32_t i = 0; i < count; i++)
        if (nodes[i] >= end) {
            end = page->nodes[nodes[i]].end;
            nodes[kept++] = nodes[i];
        }
    return kept < 2 || th__vec_push(out, (th__candidate){nodes, kept});
}

static bool gather_mdr(th__arena *arena, const th_page *page, th__candidate_vec *out)
{
    th__mdr_options options;
    th__mdr_result *result;
    th__mdr_options_init(&options);
    if (th__mdr_find(page, &options, &result, NULL))
        return false;
    const th__mdr_ranked *ranked = th__mdr_rank(page, result);
    bool ok = ranked;
    for (uint32_t i = 0; ok && i < result->region_count && i < MOST && ranked[i].score > 0; i++) {
        const th__mdr_region *region = &result->regions[ranked[i].region];
        uint32_t *nodes = th__arena_alloc(arena, region->record_count * sizeof *nodes);
        ok = nodes;
        for (uint32_t r = 0; ok && r < region->record_count; r++)
            nodes[r] = region->records[r].ranges[0].first;
        ok = ok && add_candidate(page, nodes, region->record_count, out);
    }
    th__mdr_result_free(result);
    return ok;
}

static bool gather_iepad(th__arena *arena, const th_page *page, th__candidate_vec *out)
{
    th__iepad_result result;
    if (th__iepad_find(page, NULL, &result, NULL))
        return false;
    bool ok = true;
    for (uint32_t i = 0; ok && i < result.count && i < MOST; i++) {
        const th__iepad_pattern *pattern = &result.patterns[i];
        uint32_t *nodes = th__arena_alloc(arena, (pattern->count + 1) * sizeof *nodes);
        uint32_t count = 0;
        ok = nodes;
        for (uint32_t r = 0; ok && r < pattern->count; r++) {
            uint32_t node = th__page_node_from(page, pattern->records[r].first);
            if (node < page->node_count && page->nodes[node].token <= pattern->records[r].last)
                nodes[count++] = node;
        }
        ok = ok && add_candidate(page, nodes, count, out);
    }
    th__iepad_result_release(&result);
    return ok;
}

bool th__candidates_gather(th__arena *arena, const th_page *page, th__candidates_of engine,
                           th__candidate_vec *out)
{
    return (engine == TH__CANDIDATES_MDR ? gather_mdr : gather_iepad)(arena, page, out);
}
