/*
 * corpus.c: the pages that are looked at together, and their clusters: pages of one template.
 *
 * A page is stored as a copy that owns its bytes; whoever keeps it after that (repair, an engine)
 * holds the same copy. Sketches are made when clusters are asked for, and stay when pages go.
 */
#include "learn/learn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "index/view.h"

/* ---- sketches: what a page is built of, in a few kilobytes
 * ---------------------------------------
 *
 * A sketch is the set of shapes of markup on a page. A shape is an element with the three above it,
 * each by its signature (view.h):
 *
 *     ul.cards > li.card > h3 > a
 *
 * Pages of one template have most of their shapes in common whatever they say, pages of different
 * sites hardly any. Four levels separate sites (two do not), and stay the same where something
 * further up changes, an element around the page or a class of its body, which would make all
 * longer paths different.
 *
 * Shapes are hashes. Of a page with very many the smallest are kept, those up to a bound: the same
 * ones on all pages, so that any two sketches can be compared below the lower of their bounds, and
 * shares that are counted there are fair estimates.
 */

enum {
    SKETCH_LEVELS = 4,
    /* Most pages have 100 to 450 shapes and are kept whole. For larger ones 512 shapes estimate a
     * share to within 0.02. */
    SKETCH_MOST = 512
};

/* The hashes of the elements are hashed on along the chain; the document counts as an element, so
 * that an element at the top differs from one further down. */
static uint64_t shape_of(const th_page *page, const uint64_t *hashes, uint32_t node)
{
    uint64_t shape = 0;
    for (int level = 0; level < SKETCH_LEVELS; level++) {
        shape = th__hash_mix(shape, hashes[node]);
        node = page->nodes[node].parent;
    }
    return shape;
}

/* Keeps the smallest of them. `shapes` is a set, rising. */
static bool keep_smallest(th__arena *arena, const th__key_vec *shapes, th__sketch *out)
{
    bool whole = shapes->len <= SKETCH_MOST;
    size_t count = whole ? shapes->len : SKETCH_MOST;
    uint64_t *kept = th__arena_alloc(arena, (count + 1) * sizeof *kept);
    if (!kept)
        return false;
    if (count)
        memcpy(kept, shapes->data, count * sizeof *kept);
    *out = (th__sketch){kept, (uint32_t)count, whole ? UINT64_MAX : kept[count - 1]};
    return true;
}

/* Twice the number that is kept is sorted at a time, so that a page of millions of elements costs
 * no more an element than a small one. */
static bool add_shape(th__key_vec *shapes, uint64_t shape)
{
    if (shapes->len == 2 * SKETCH_MOST) {
        th__key_vec_sort(shapes);
        if (shapes->len > SKETCH_MOST + 1)
            shapes->len = SKETCH_MOST + 1; /* one more tells that there are more */
    }
    return th__vec_push(shapes, shape);
}

/* The shapes are in the arena. Linear in the page. False if out of memory. */
static bool make_sketch(th__arena *arena, const th_page *page, th__sketch *out)
{
    th__key_vec shapes = {0};
    uint64_t *hashes = th__mem_alloc(page->node_count * sizeof *hashes);
    bool ok = hashes && th__vec_reserve(&shapes, 2 * SKETCH_MOST);
    if (ok)
        hashes[0] = 0;
    for (uint32_t n = 1; ok && n < page->node_count; n++) {
        hashes[n] = th__node_hash(page, n);
        ok = add_shape(&shapes, shape_of(page, hashes, n));
    }
    th__key_vec_sort(&shapes);
    ok = ok && keep_smallest(arena, &shapes, out);
    th__vec_release(&shapes);
    th__mem_free(hashes);
    return ok;
}

/* ---- clusters -----------------------------------------------------------------------------------
 *
 *  1. Pages of different sites. A page joins the cluster that it has most in common with, and
 *     begins one of its own where that is little. Clusters that turn out to be alike are joined.
 *  2. Templates of one site. They share the frame of the page and differ inside it, both ways: each
 *     has shapes that all its pages have and none of the other's. Where optional parts are there or
 *     not, only one side has something of its own: that does not divide a cluster.
 *  3. What is left: a single page joins a cluster whose core it has (a page may be a hundred times
 *     larger than the others). A page without the core of its cluster, such as an error page,
 *     leaves it. Both are outliers when no cluster takes them.
 *
 * Linear in the pages: each is compared with the clusters, not with other pages, and clusters are
 * found through the shapes that they share with it. The number of clusters is limited.
 *
 * The thresholds were chosen on 40 real sites of 24 pages, and on sites of the generator whose
 * lists and details were mixed.
 */

enum {
    CLUSTERS_MOST = 1024, /* further pages that are unlike all others are outliers */
    CLUSTER_LEAST = 2     /* pages: one page does not show its template */
};

/* What a page and its site have in common, of all that either has: 0.44 at least (two thin pages
 * of a site of 24), mostly above 0.8. Pages of two sites: 0.15 at most. */
#define CLUSTER_JOIN 0.3
/* The core of a cluster: shapes that so many of its pages have. */
#define CLUSTER_CORE 0.8
/* A page of the cluster has so much of its core: 0.51 at least, mostly above 0.9. */
#define CLUSTER_HAS 0.4

static void clusters_init(th__clusters *clusters)
{
    *clusters = (th__clusters){0};
    th__arena_init(&clusters->arena);
    th__intern_init(&clusters->shapes);
}

static void clusters_release(th__clusters *clusters)
{
    th__vec_release(&clusters->pages);
    th__intern_release(&clusters->shapes);
    th__arena_release(&clusters->arena);
}

static bool clusters_add(th__clusters *clusters, const th_page *page)
{
    th__cluster_page entry = {.cluster = TH__NO_CLUSTER};
    if (!make_sketch(&clusters->arena, page, &entry.sketch))
        return false;
    entry.ids = th__arena_alloc(&clusters->arena, (entry.sketch.count + 1) * sizeof *entry.ids);
    for (uint32_t i = 0; entry.ids && i < entry.sketch.count; i++) {
        th_str name = {(const char *)&entry.sketch.shapes[i], sizeof *entry.sketch.shapes};
        entry.ids[i] = th__intern_add(&clusters->shapes, name);
        if (entry.ids[i] == TH__INTERN_NONE)
            return false;
    }
    return entry.ids && th__vec_push(&clusters->pages, entry);
}

/* ---- clusters while they grow ----------------------------------------------------------------
 *
 * A cluster is known by how many of its pages have each shape. From a shape a chain of postings
 * leads to the clusters that have it:
 *
 *     head[shape] ──▶ {cluster 0, 24 pages} ──▶ {cluster 2, 1 page}
 */

#define NO_POSTING UINT32_MAX

typedef struct posting {
    uint32_t cluster, count, next;
} posting;

typedef struct leader {
    uint32_t pages;
    double shapes;  /* sum over its pages of their shapes below the bound */
    uint64_t bound; /* the lowest of its pages */
    uint32_t into;  /* the cluster that took it over, or itself */
} leader;

typedef struct growing {
    th__clusters *clusters;
    leader leaders[CLUSTERS_MOST];
    uint32_t count;
    uint32_t *head; /* by shape */
    TH__VEC(posting) postings;
    double shared[CLUSTERS_MOST]; /* of a page with each cluster */
} growing;

/* Shapes are hashes: that part of them is below a bound. */
static double part_below(uint64_t bound)
{
    return bound == UINT64_MAX ? 1 : (double)bound / 0x1p64;
}

/* How much of what either has do both have. */
static double likeness(const growing *g, uint32_t cluster, const th__sketch *sketch)
{
    const leader *l = &g->leaders[cluster];
    double both = g->shared[cluster] / l->pages, of_page = sketch->count,
           of_cluster = l->shapes / l->pages;
    if (sketch->bound < l->bound)
        of_cluster *= part_below(sketch->bound) / part_below(l->bound);
    else if (l->bound < sketch->bound)
        of_page *= part_below(l->bound) / part_below(sketch->bound);
    return both / fmax(of_cluster + of_page - both, 1);
}

static void count_shared(growing *g, const th__cluster_page *page)
{
    memset(g->shared, 0, g->count * sizeof *g->shared);
    for (uint32_t i = 0; i < page->sketch.count; i++)
        for (uint32_t p = g->head[page->ids[i]]; p != NO_POSTING; p = g->postings.data[p].next) {
            const posting *found = &g->postings.data[p];
            if (page->sketch.shapes[i] <= g->leaders[found->cluster].bound)
                g->shared[found->cluster] += found->count;
        }
}

/* The cluster that a page is most like. */
static uint32_t nearest(growing *g, const th__cluster_page *page, double *likest)
{
    uint32_t best = TH__NO_CLUSTER;
    *likest = 0;
    count_shared(g, page);
    for (uint32_t c = 0; c < g->count; c++) {
        double alike = likeness(g, c, &page->sketch);
        if (g->leaders[c].into == c && alike > *likest) {
            *likest = alike;
            best = c;
        }
    }
    return best;
}

static bool post(growing *g, uint32_t shape, uint32_t cluster)
{
    for (uint32_t p = g->head[shape]; p != NO_POSTING; p = g->postings.data[p].next)
        if (g->postings.data[p].cluster == cluster) {
            g->postings.data[p].count++;
            return true;
        }
    if (!th__vec_push(&g->postings, (posting){cluster, 1, g->head[shape]}))
        return false;
    g->head[shape] = (uint32_t)g->postings.len - 1;
    return true;
}

static bool join(growing *g, th__cluster_page *page, uint32_t cluster)
{
    leader *l = &g->leaders[cluster];
    double shapes = page->sketch.count;
    page->cluster = cluster;
    if (page->sketch.bound < l->bound) {
        l->shapes *= part_below(page->sketch.bound) / part_below(l->bound);
        l->bound = page->sketch.bound;
    } else if (l->bound < page->sketch.bound) {
        shapes *= part_below(l->bound) / part_below(page->sketch.bound);
    }
    l->pages++;
    l->shapes += shapes;
    for (uint32_t i = 0; i < page->sketch.count; i++)
        if (!post(g, page->ids[i], cluster))
            return false;
    return true;
}

static bool take_page(growing *g, th__cluster_page *page)
{
    double alike;
    uint32_t best = nearest(g, page, &alike);
    if (alike >= CLUSTER_JOIN)
        return join(g, page, best);
    if (g->count == CLUSTERS_MOST)
        return true; /* an outlier, for the time being */
    g->leaders[g->count] = (leader){.bound = page->sketch.bound, .into = g->count};
    return join(g, page, g->count++);
}

/* Which cluster came first is chance: a page in the middle joins two that began apart. Each page
 * is asked again, now that the clusters are complete, and a cluster whose pages mostly prefer
 * another goes over to it. */
static void join_alike(growing *g)
{
    th__clusters *clusters = g->clusters;
    uint32_t moved[CLUSTERS_MOST] = {0}, target[CLUSTERS_MOST] = {0};
    for (uint32_t i = 0; i < clusters->pages.len; i++) {
        const th__cluster_page *page = &clusters->pages.data[i];
        uint32_t own = page->cluster;
        if (own == TH__NO_CLUSTER)
            continue;
        count_shared(g, page);
        double best = CLUSTER_JOIN;
        uint32_t other = own;
        for (uint32_t c = 0; c < g->count; c++) {
            /* Only larger ones, or earlier of the same size: two cannot go over to each other. */
            bool before = g->leaders[c].pages > g->leaders[own].pages ||
                          (g->leaders[c].pages == g->leaders[own].pages && c < own);
            double alike = before ? likeness(g, c, &page->sketch) : 0;
            if (alike >= best) {
                best = alike;
                other = c;
            }
        }
        if (other != own) {
            moved[own]++;
            target[own] = other;
        }
    }
    for (uint32_t c = 0; c < g->count; c++)
        if (2 * moved[c] > g->leaders[c].pages)
            g->leaders[c].into = target[c];
    for (uint32_t i = 0; i < clusters->pages.len; i++) {
        uint32_t *c = &clusters->pages.data[i].cluster;
        while (*c != TH__NO_CLUSTER && g->leaders[*c].into != *c)
            *c = g->leaders[*c].into;
    }
}

static bool grow(th__clusters *clusters, uint32_t *count)
{
    growing *g = TH__NEW(growing);
    size_t shapes = clusters->shapes.len;
    bool ok = g && (g->head = TH__NEW_ARRAY(uint32_t, shapes + 1));
    if (ok) {
        g->clusters = clusters;
        memset(g->head, 0xff, (shapes + 1) * sizeof *g->head);
    }
    for (size_t i = 0; ok && i < clusters->pages.len; i++)
        ok = take_page(g, &clusters->pages.data[i]);
    if (ok) {
        join_alike(g);
        *count = g->count;
    }
    if (g) {
        th__vec_release(&g->postings);
        th__mem_free(g->head);
    }
    th__mem_free(g);
    return ok;
}

/* ---- pages by cluster ------------------------------------------------------------------------ */

typedef struct grouped {
    uint32_t *pages; /* those of cluster 0, then of cluster 1, ... */
    uint32_t *first; /* by cluster, and one more */
} grouped;

static bool group(th__arena *arena, const th__clusters *clusters, uint32_t count, grouped *out)
{
    size_t pages = clusters->pages.len;
    out->pages = th__arena_alloc(arena, (pages + 1) * sizeof *out->pages);
    out->first = th__arena_zero(arena, count + 2, sizeof *out->first);
    uint32_t *at = th__arena_alloc(arena, (count + 1) * sizeof *at);
    if (!out->pages || !out->first || !at)
        return false;
    for (size_t i = 0; i < pages; i++)
        if (clusters->pages.data[i].cluster != TH__NO_CLUSTER)
            out->first[clusters->pages.data[i].cluster + 1]++;
    for (uint32_t c = 0; c < count; c++) {
        out->first[c + 1] += out->first[c];
        at[c] = out->first[c];
    }
    for (uint32_t i = 0; i < pages; i++)
        if (clusters->pages.data[i].cluster != TH__NO_CLUSTER)
            out->pages[at[clusters->pages.data[i].cluster]++] = i;
    return true;
}

/* ---- templates of one site --------------------------------------------------------------------
 *
 * Shapes that are on exactly the same pages belong together: they are a part of some template, and
 * the pages that have them are a group. Two groups that have no page in common are of two templates
 * when each has much of its own:
 *
 *     group A    frame, frame, frame,  list, card, card's title
 *     group B    frame, frame, frame,  heading, facts, gallery
 *
 *     own(A) = shapes that nearly all pages of A have and hardly any of B; own(B) likewise
 *     two templates when min(own(A), own(B)) is a tenth of the shapes that nearly all of A or B
 * have
 *
 * The smaller side counts, so that optional parts, which only one side has, separate nothing. Then
 * every page of the cluster goes to the side of which it has more. Candidates are the groups with
 * most shapes times pages; a bounded number of them, so that the cost is linear in the pages.
 */

/* Real sites of one template have up to 0.067, those with variants of their own making; a list and
 * a detail page of one site of the generator have 0.15 in the middle. */
#define PARTED     0.1
#define NEARLY_ALL 0.9
#define HARDLY_ANY 0.1

enum {
    GROUPS = 24,
    LEAST_PAGES = 2,  /* of a group: a list often has two pages beside its many details */
    LEAST_SHAPES = 3, /* of a group */
    NOT_HERE = 0
};

/* A shape of the cluster: how many of its pages have it, and which, as a sum of their hashes. */
typedef struct cluster_shape {
    uint64_t pages_hash;
    uint32_t id, pages;
} cluster_shape;

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
    cluster_shape *shapes;
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
    const cluster_shape *x = *(cluster_shape *const *)a, *y = *(cluster_shape *const *)b;
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
    cluster_shape **order = th__arena_alloc(&s->arena, (s->shape_count + 1) * sizeof *order);
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

/* Looks for two templates among the pages of a cluster. True with *side (by page of the list: 0 or
 * 1) when there are. False with *failed set if out of memory. */
static bool find_sides(const th__clusters *clusters, const uint32_t *pages, uint32_t count,
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

/* Parts a cluster in two, the second under the number `other`, where it can be. */
static bool split_one(th__clusters *clusters, uint32_t cluster, uint32_t other, bool *done)
{
    uint32_t size = 0, n = 0;
    for (size_t i = 0; i < clusters->pages.len; i++)
        size += clusters->pages.data[i].cluster == cluster;
    uint32_t *pages = TH__NEW_ARRAY(uint32_t, size);
    uint8_t *side = TH__NEW_ARRAY(uint8_t, size);
    bool failed = !pages || !side;
    for (uint32_t i = 0; !failed && i < clusters->pages.len; i++)
        if (clusters->pages.data[i].cluster == cluster)
            pages[n++] = i;
    *done = !failed && find_sides(clusters, pages, size, side, &failed);
    for (uint32_t i = 0; *done && i < size; i++)
        if (side[i])
            clusters->pages.data[pages[i]].cluster = other;
    th__mem_free(side);
    th__mem_free(pages);
    return !failed;
}

/* Until none can be parted or there are too many: new ones stand behind the others and are looked
 * at in their turn. */
static bool split_all(th__clusters *clusters, uint32_t *count)
{
    for (uint32_t c = 0; c < *count; c++)
        for (bool done = true; done && *count < CLUSTERS_MOST; *count += done)
            if (!split_one(clusters, c, *count, &done))
                return false;
    return true;
}

/* ---- cores and outliers ---------------------------------------------------------------------- */

static bool is_counted(const th__cluster_page *page, uint32_t whole)
{
    return !whole || page->sketch.bound == UINT64_MAX;
}

/* The core of a cluster: counted over its whole sketches, or over all when none is. `counter`, by
 * shape, is clear before and after. */
static bool find_core(th__arena *arena, const th__clusters *clusters, const grouped *by,
                      uint32_t cluster, uint32_t *counter, th__cluster_core *out)
{
    uint32_t from = by->first[cluster], to = by->first[cluster + 1], whole = 0, most = 0;
    for (uint32_t i = from; i < to; i++)
        whole += clusters->pages.data[by->pages[i]].sketch.bound == UINT64_MAX;
    for (uint32_t i = from; i < to; i++) {
        const th__cluster_page *page = &clusters->pages.data[by->pages[i]];
        for (uint32_t k = 0; is_counted(page, whole) && k < page->sketch.count; k++)
            most += counter[page->ids[k]]++ == 0;
    }
    *out =
        (th__cluster_core){th__arena_alloc(arena, (most + 1) * sizeof *out->shapes), 0, to - from};
    for (uint32_t i = from; i < to; i++) {
        const th__cluster_page *page = &clusters->pages.data[by->pages[i]];
        for (uint32_t k = 0; is_counted(page, whole) && k < page->sketch.count; k++) {
            uint32_t *count = &counter[page->ids[k]];
            if (out->shapes && *count && *count >= CLUSTER_CORE * (whole ? whole : to - from))
                out->shapes[out->count++] = page->sketch.shapes[k];
            *count = 0;
        }
    }
    if (out->shapes)
        qsort(out->shapes, out->count, sizeof *out->shapes, th__by_number);
    return out->shapes != NULL;
}

static bool find_cores(th__arena *arena, const th__clusters *clusters, uint32_t count,
                       th__cluster_core **out)
{
    grouped by;
    uint32_t *counter = TH__NEW_ARRAY(uint32_t, clusters->shapes.len + 1);
    *out = th__arena_zero(arena, count + 1, sizeof **out);
    bool ok = *out && counter && group(arena, clusters, count, &by);
    if (ok)
        memset(counter, 0, (clusters->shapes.len + 1) * sizeof *counter);
    for (uint32_t c = 0; ok && c < count; c++)
        ok = find_core(arena, clusters, &by, c, counter, &(*out)[c]);
    th__mem_free(counter);
    return ok;
}

/* How much of a core a page has, below the page's bound. */
static float core_share(const th__cluster_core *core, const th__sketch *sketch)
{
    uint32_t has = 0, of = 0;
    for (uint32_t i = 0, k = 0; i < core->count && core->shapes[i] <= sketch->bound; i++, of++) {
        while (k < sketch->count && sketch->shapes[k] < core->shapes[i])
            k++;
        has += k < sketch->count && sketch->shapes[k] == core->shapes[i];
    }
    return of ? (float)has / (float)of : 0;
}

/* Pages of a cluster that can judge others: of two or three nobody can tell who is the stranger. */
enum { LEAST_TO_JUDGE = 4 };

/* The cluster of whose core a page has most. */
static uint32_t most_core(const th__cluster_core *cores, uint32_t count, uint32_t least,
                          const th__sketch *sketch, float *share)
{
    uint32_t best = TH__NO_CLUSTER;
    *share = 0;
    for (uint32_t c = 0; c < count; c++) {
        float has = cores[c].pages >= least ? core_share(&cores[c], sketch) : 0;
        if (has >= CLUSTER_HAS && has > *share) {
            *share = has;
            best = c;
        }
    }
    return best;
}

/* A page without the core of its cluster leaves it; a page alone looks for a core that it has. */
static bool settle_pages(th__clusters *clusters, uint32_t count)
{
    th__arena arena;
    th__cluster_core *cores;
    th__arena_init(&arena);
    bool ok = find_cores(&arena, clusters, count, &cores);
    for (size_t i = 0; ok && i < clusters->pages.len; i++) {
        th__cluster_page *page = &clusters->pages.data[i];
        const th__cluster_core *own =
            page->cluster == TH__NO_CLUSTER ? NULL : &cores[page->cluster];
        page->core = own ? core_share(own, &page->sketch) : 0;
        if (!own || own->pages < CLUSTER_LEAST ||
            (own->pages >= LEAST_TO_JUDGE && page->core < CLUSTER_HAS))
            page->cluster = most_core(cores, count, LEAST_TO_JUDGE, &page->sketch, &page->core);
    }
    th__arena_release(&arena);
    return ok;
}

/* ---- the largest first ----------------------------------------------------------------------- */

typedef struct sized {
    uint32_t cluster, pages;
} sized;

static int larger(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    if (x->pages != y->pages)
        return x->pages > y->pages ? -1 : 1;
    return x->cluster < y->cluster ? -1 : 1; /* the earlier first */
}

/* Clusters that the judging left with a single page are none. */
static void number(th__clusters *clusters, uint32_t count)
{
    sized order[CLUSTERS_MOST];
    uint32_t to[CLUSTERS_MOST];
    for (uint32_t c = 0; c < count; c++)
        order[c] = (sized){c, 0};
    for (size_t i = 0; i < clusters->pages.len; i++)
        if (clusters->pages.data[i].cluster != TH__NO_CLUSTER)
            order[clusters->pages.data[i].cluster].pages++;
    qsort(order, count, sizeof *order, larger);
    clusters->count = 0;
    for (uint32_t c = 0; c < count; c++)
        to[order[c].cluster] = order[c].pages >= CLUSTER_LEAST ? clusters->count++ : TH__NO_CLUSTER;
    for (size_t i = 0; i < clusters->pages.len; i++) {
        th__cluster_page *page = &clusters->pages.data[i];
        if (page->cluster != TH__NO_CLUSTER)
            page->cluster = to[page->cluster];
    }
}

static bool clusters_find(th__clusters *clusters)
{
    uint32_t count = 0;
    for (size_t i = 0; i < clusters->pages.len; i++)
        clusters->pages.data[i].cluster = TH__NO_CLUSTER;
    if (!grow(clusters, &count) || !split_all(clusters, &count) || !settle_pages(clusters, count))
        return false;
    number(clusters, count);
    return find_cores(&clusters->arena, clusters, clusters->count, &clusters->cores);
}

static bool clusters_place(const th__clusters *clusters, const th_page *page, uint32_t *cluster)
{
    th__arena arena;
    th__sketch sketch;
    float share;
    th__arena_init(&arena);
    bool ok = make_sketch(&arena, page, &sketch);
    if (ok)
        *cluster = most_core(clusters->cores, clusters->count, 0, &sketch, &share);
    th__arena_release(&arena);
    return ok;
}

/* ---- pages ----------------------------------------------------------------------------------- */

th_status th_corpus_new(th_corpus **out, th_error *err)
{
    *out = TH__NEW(th_corpus);
    if (!*out)
        return th__fail_memory(err);
    th__arena_init(&(*out)->arena);
    clusters_init(&(*out)->clusters);
    return TH_OK;
}

void th_corpus_drop_pages(th_corpus *corpus)
{
    for (size_t i = 0; i < corpus->pages.len; i++) {
        th_page_free(corpus->pages.data[i].page);
        corpus->pages.data[i].page = NULL;
    }
}

void th_corpus_free(th_corpus *corpus)
{
    if (!corpus)
        return;
    th_corpus_drop_pages(corpus);
    th__vec_release(&corpus->pages);
    th__mem_free(corpus->by_name);
    th_parser_free(corpus->parser);
    clusters_release(&corpus->clusters);
    th__arena_release(&corpus->arena);
    th__mem_free(corpus);
}

/* ---- adding ---------------------------------------------------------------------------------- */

static bool copy_text(th__arena *arena, th_str in, th_str *out)
{
    *out = in.ptr ? th__arena_copy(arena, in) : (th_str){0};
    return out->ptr || !in.ptr;
}

/* Takes the page over, also when it fails. */
static th_status store(th_corpus *corpus, th_page *page, size_t sketch, th_str name, th_str url,
                       th_error *err)
{
    th__stored_page stored = {.page = page, .sketch = sketch};
    corpus->clustered = false;
    if (copy_text(&corpus->arena, name.ptr ? name : th_str_from(""), &stored.name) &&
        copy_text(&corpus->arena, url, &stored.url) && th__vec_push(&corpus->pages, stored))
        return TH_OK;
    th_page_free(page);
    return th__fail_memory(err);
}

th_status th_corpus_add(th_corpus *corpus, const th_page *page, const th_records_source *source,
                        th_error *err)
{
    th_page *copy = NULL;
    th_records_source own = source ? *source : (th_records_source){.url = th_page_url(page)};
    th_status status = th_page_copy(page, &copy, err);
    return status ? status : store(corpus, copy, SIZE_MAX, own.page, own.url, err);
}

th_status th_corpus_add_bytes(th_corpus *corpus, th_str name, th_str bytes,
                              const th_page_source *source, th_error *err)
{
    th_page *page = NULL;
    th_status status = corpus->parser ? TH_OK : th_parser_new(NULL, &corpus->parser, err);
    if (!status)
        status = th_parser_parse_copy(corpus->parser, bytes, source, &page, err);
    return status ? status : store(corpus, page, SIZE_MAX, name, th_page_url(page), err);
}

th_status th_corpus_look(th_corpus *corpus, const th_page *page, const th_records_source *source,
                         th_error *err)
{
    th_records_source own = source ? *source : (th_records_source){.url = th_page_url(page)};
    if (!clusters_add(&corpus->clusters, page))
        return th__fail_memory(err);
    return store(corpus, NULL, corpus->clusters.pages.len - 1, own.page, own.url, err);
}

void th_corpus_set_labels(th_corpus *corpus, const th_labels *labels)
{
    corpus->labels = labels;
}

size_t th_corpus_count(const th_corpus *corpus)
{
    return corpus->pages.len;
}

const th_page *th_corpus_page(const th_corpus *corpus, size_t index)
{
    return index < corpus->pages.len ? corpus->pages.data[index].page : NULL;
}

th_str th_corpus_name(const th_corpus *corpus, size_t index)
{
    return index < corpus->pages.len ? corpus->pages.data[index].name : (th_str){0};
}

/* ---- clusters of a corpus ----------------------------------------------------------------------
 */

struct named {
    th_str name;
    size_t page;
    th__cluster_page sketch;
};

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    size_t shorter = x->name.len < y->name.len ? x->name.len : y->name.len;
    int order = shorter ? memcmp(x->name.ptr, y->name.ptr, shorter) : 0;
    if (order || x->name.len != y->name.len)
        return order ? order : x->name.len < y->name.len ? -1 : 1;
    return x->page < y->page ? -1 : x->page > y->page;
}

/* Puts the sketches in the order of the pages' names: how clusters grow depends on it. */
static bool sort_sketches(th_corpus *corpus)
{
    size_t count = corpus->pages.len;
    th__cluster_page *sketches = corpus->clusters.pages.data;
    struct named *order = TH__NEW_ARRAY(struct named, count + 1);
    size_t *sorted = TH__NEW_ARRAY(size_t, count + 1);
    bool ok = order && sorted;
    for (size_t i = 0; ok && i < count; i++) {
        const th__stored_page *page = &corpus->pages.data[i];
        order[i] = (struct named){page->name, i, sketches[page->sketch]};
    }
    if (ok && count)
        qsort(order, count, sizeof *order, by_name);
    for (size_t i = 0; ok && i < count; i++) {
        sketches[i] = order[i].sketch;
        sorted[i] = order[i].page;
        corpus->pages.data[sorted[i]].sketch = i;
    }
    th__mem_free(order);
    if (!ok) {
        th__mem_free(sorted);
        return false;
    }
    th__mem_free(corpus->by_name);
    corpus->by_name = sorted;
    return true;
}

th_status th_corpus_find_clusters(th_corpus *corpus, th_error *err)
{
    if (corpus->clustered)
        return TH_OK;
    for (size_t i = 0; i < corpus->pages.len; i++) {
        th__stored_page *page = &corpus->pages.data[i];
        if (page->sketch != SIZE_MAX)
            continue;
        if (!page->page)
            return th__fail(err, TH_ERR_ARGUMENT, "find clusters before the pages are dropped");
        th_status status = th__cancel_check(corpus->cancel, err);
        if (status)
            return status;
        if (!clusters_add(&corpus->clusters, page->page))
            return th__fail_memory(err);
        page->sketch = corpus->clusters.pages.len - 1;
    }
    corpus->clustered = sort_sketches(corpus) && clusters_find(&corpus->clusters);
    return corpus->clustered ? TH_OK : th__fail_memory(err);
}

size_t th_corpus_cluster_count(const th_corpus *corpus)
{
    return corpus->clustered ? corpus->clusters.count : 0;
}

size_t th_corpus_cluster(const th_corpus *corpus, size_t index)
{
    if (!corpus->clustered || index >= corpus->pages.len)
        return TH_NO_CLUSTER;
    uint32_t cluster = corpus->clusters.pages.data[corpus->pages.data[index].sketch].cluster;
    return cluster == TH__NO_CLUSTER ? TH_NO_CLUSTER : cluster;
}

size_t th_corpus_cluster_size(const th_corpus *corpus, size_t cluster)
{
    size_t pages = 0;
    for (size_t i = 0; i < corpus->pages.len; i++)
        pages += th_corpus_cluster(corpus, i) == cluster;
    return pages;
}

th_status th_corpus_place(const th_corpus *corpus, const th_page *page, size_t *cluster,
                          th_error *err)
{
    uint32_t found = TH__NO_CLUSTER;
    if (corpus->clustered && !clusters_place(&corpus->clusters, page, &found))
        return th__fail_memory(err);
    *cluster = found == TH__NO_CLUSTER ? TH_NO_CLUSTER : found;
    return TH_OK;
}
