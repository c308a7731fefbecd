/*
 * cluster_split.c: two templates of one site among the pages of a cluster.
 *
 * Shapes that stand on exactly the same pages belong together: they are a part of some template,
 * and the pages that have them are a group. Two groups that have no page in common are of two
 * templates when each has much of its own:
 *
 *     group A    frame, frame, frame,  list, card, card's title
 *     group B    frame, frame, frame,  heading, facts, gallery
 *
 *     own(A) = shapes that nearly all pages of A have and hardly any of B; own(B) likewise
 *     parted when min(own(A), own(B)) is a tenth of the shapes that nearly all of A or of B have
 *
 * The smaller side counts, so that optional parts, which only one side has, part nothing. Then
 * every page of the cluster goes to the side of which it has more.
 *
 * Candidates are the groups with most shapes times pages; a bounded number of them, so that the
 * cost is linear in the pages.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "learn/clusters.h"

/* Real sites of one template have up to 0.067, those with variants of their own making; a list and
 * a detail page of one site of the generator have 0.15 in the middle. */
#define PARTED     0.1
#define NEARLY_ALL 0.9
#define HARDLY_ANY 0.1

enum {
    GROUPS = 24,
    LEAST_PAGES = 3,  /* of a group: what two pages share by chance is no template */
    LEAST_SHAPES = 3, /* of a group */
    NOT_HERE = 0
};

/* A shape of the cluster: how many of its pages have it, and which, as a sum of their hashes. */
typedef struct shape {
    uint64_t pages_hash;
    uint32_t id, pages;
} shape;

typedef struct shape_group {
    uint32_t shape; /* one of them */
    uint32_t shapes, pages;
} shape_group;

typedef struct split {
    const th__clusters *clusters;
    const uint32_t *pages; /* of the cluster */
    uint32_t page_count, whole;
    th__arena arena;
    uint32_t *local; /* by id: its place in shapes + 1, or NOT_HERE */
    shape *shapes;
    uint32_t shape_count;
    shape_group groups[GROUPS];
    uint32_t group_count;
    uint32_t (*counts)[GROUPS]; /* by shape: pages of each group that have it */
    uint32_t apart[GROUPS];     /* by group: bits of the groups that share a page with it */
} split;

static const th__cluster_page *page_at(const split *s, uint32_t i)
{
    return &s->clusters->pages.data[s->pages[i]];
}

/* Sketches that are cut off cannot tell what is missing: those pages are only sorted in, at the
 * end. */
static bool is_whole(const th__cluster_page *page)
{
    return page->sketch.bound == UINT64_MAX;
}

static bool gather(split *s)
{
    size_t most = 0, ids = s->clusters->shapes.len;
    for (uint32_t i = 0; i < s->page_count; i++)
        most += page_at(s, i)->sketch.count;
    most = most < ids ? most : ids;
    s->local = th__arena_zero(&s->arena, ids + 1, sizeof *s->local);
    s->shapes = th__arena_zero(&s->arena, most + 1, sizeof *s->shapes);
    if (!s->local || !s->shapes)
        return false;
    for (uint32_t i = 0; i < s->page_count; i++) {
        const th__cluster_page *page = page_at(s, i);
        uint64_t hash = th__hash_mix(0, i + 1);
        s->whole += is_whole(page);
        for (uint32_t k = 0; is_whole(page) && k < page->sketch.count; k++) {
            uint32_t *place = &s->local[page->ids[k]];
            if (*place == NOT_HERE) {
                *place = ++s->shape_count;
                s->shapes[*place - 1].id = page->ids[k];
            }
            s->shapes[*place - 1].pages++;
            s->shapes[*place - 1].pages_hash += hash;
        }
    }
    return true;
}

static int by_pages(const void *a, const void *b)
{
    const shape *x = *(shape *const *)a, *y = *(shape *const *)b;
    if (x->pages_hash != y->pages_hash)
        return x->pages_hash < y->pages_hash ? -1 : 1;
    return x < y ? -1 : x > y;
}

static uint64_t worth(const shape_group *group)
{
    return (uint64_t)group->shapes * group->pages;
}

/* Keeps the best groups, best first. */
static void offer(split *s, shape_group group)
{
    uint32_t at = s->group_count;
    while (at > 0 && worth(&s->groups[at - 1]) < worth(&group))
        at--;
    if (at == GROUPS)
        return;
    s->group_count += s->group_count < GROUPS;
    memmove(&s->groups[at + 1], &s->groups[at], (s->group_count - at - 1) * sizeof group);
    s->groups[at] = group;
}

static bool find_groups(split *s)
{
    shape **order = th__arena_alloc(&s->arena, (s->shape_count + 1) * sizeof *order);
    if (!order)
        return false;
    for (uint32_t i = 0; i < s->shape_count; i++)
        order[i] = &s->shapes[i];
    qsort(order, s->shape_count, sizeof *order, by_pages);
    for (uint32_t i = 0, to; i < s->shape_count; i = to) {
        for (to = i; to < s->shape_count && order[to]->pages_hash == order[i]->pages_hash;)
            to++;
        uint32_t pages = order[i]->pages;
        if (to - i >= LEAST_SHAPES && pages >= LEAST_PAGES && pages + LEAST_PAGES <= s->whole)
            offer(s, (shape_group){(uint32_t)(order[i] - s->shapes), to - i, pages});
    }
    return true;
}

/* Which groups a page belongs to, as bits. */
static uint32_t groups_of(const split *s, const uint8_t *group_at, const th__cluster_page *page)
{
    uint32_t bits = 0;
    for (uint32_t k = 0; k < page->sketch.count; k++) {
        uint32_t place = s->local[page->ids[k]];
        if (place != NOT_HERE && group_at[place - 1])
            bits |= 1u << (group_at[place - 1] - 1);
    }
    return bits;
}

static bool count_in_groups(split *s)
{
    uint8_t *group_at = th__arena_zero(&s->arena, s->shape_count + 1, 1);
    s->counts = th__arena_zero(&s->arena, s->shape_count + 1, sizeof *s->counts);
    if (!group_at || !s->counts)
        return false;
    for (uint32_t g = 0; g < s->group_count; g++)
        group_at[s->groups[g].shape] = (uint8_t)(g + 1);
    for (uint32_t i = 0; i < s->page_count; i++) {
        const th__cluster_page *page = page_at(s, i);
        uint32_t bits = is_whole(page) ? groups_of(s, group_at, page) : 0;
        for (uint32_t g = 0; g < s->group_count; g++) {
            if (!(bits >> g & 1))
                continue;
            s->apart[g] |= bits;
            for (uint32_t k = 0; k < page->sketch.count; k++)
                s->counts[s->local[page->ids[k]] - 1][g]++;
        }
    }
    return true;
}

/* Whose own a shape is: 1 of a, 2 of b, 3 of both, 0 of neither. */
static unsigned owner(const split *s, uint32_t place, uint32_t a, uint32_t b)
{
    double of_a = (double)s->counts[place][a] / s->groups[a].pages,
           of_b = (double)s->counts[place][b] / s->groups[b].pages;
    if (of_a >= NEARLY_ALL)
        return of_b <= HARDLY_ANY ? 1 : 3;
    if (of_b >= NEARLY_ALL)
        return of_a <= HARDLY_ANY ? 2 : 3;
    return 0;
}

static double parted(const split *s, uint32_t a, uint32_t b)
{
    uint32_t owned[4] = {0};
    for (uint32_t i = 0; i < s->shape_count; i++)
        owned[owner(s, i, a, b)]++;
    uint32_t less = owned[1] < owned[2] ? owned[1] : owned[2];
    return (double)less / (owned[1] + owned[2] + owned[3] + 1e-9);
}

static bool find_pair(const split *s, uint32_t *a, uint32_t *b)
{
    double best = PARTED;
    bool found = false;
    for (uint32_t i = 0; i < s->group_count; i++)
        for (uint32_t j = i + 1; j < s->group_count; j++) {
            double score = s->apart[i] >> j & 1 ? 0 : parted(s, i, j);
            if (score >= best) {
                best = score;
                *a = i;
                *b = j;
                found = true;
            }
        }
    return found;
}

/* Of two groups' own shapes, of which a page has more. */
static void choose_sides(const split *s, uint32_t a, uint32_t b, uint8_t *side)
{
    double own[3] = {0};
    for (uint32_t i = 0; i < s->shape_count; i++)
        if (owner(s, i, a, b) % 3)
            own[owner(s, i, a, b)]++;
    for (uint32_t i = 0; i < s->page_count; i++) {
        const th__cluster_page *page = page_at(s, i);
        double has[4] = {0};
        for (uint32_t k = 0; k < page->sketch.count; k++) {
            uint32_t place = s->local[page->ids[k]];
            if (place != NOT_HERE)
                has[owner(s, place - 1, a, b)]++;
        }
        side[i] = has[2] / own[2] > has[1] / own[1];
    }
}

bool th__cluster_split(const th__clusters *clusters, const uint32_t *pages, uint32_t count,
                       uint8_t *side, bool *failed)
{
    split s = {.clusters = clusters, .pages = pages, .page_count = count};
    uint32_t a, b;
    bool found = false;
    if (count < 2 * LEAST_PAGES)
        return false;
    th__arena_init(&s.arena);
    bool ok = gather(&s) && find_groups(&s) && count_in_groups(&s);
    if (ok && find_pair(&s, &a, &b)) {
        choose_sides(&s, a, b, side);
        found = true;
    }
    th__arena_release(&s.arena);
    *failed = !ok;
    return found;
}
