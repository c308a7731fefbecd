/*
 * clusters.h: pages of several templates, told apart by their structure.
 *
 * What is compared are sketches (index/sketch.h): the shapes of markup that stand on a page.
 *
 *   1. Pages of different sites. A page joins the cluster that it has most in common with, and
 *      begins one of its own where that is little. Clusters that turn out to be alike are joined.
 *   2. Templates of one site. They share the frame of the page and differ inside it, both ways:
 *      each has shapes that all its pages have and none of the other's. Where optional parts are
 *      there or not, only one side has something of its own: that does not part a cluster.
 *   3. What is left: a page alone joins a cluster whose core it has (a page may be a hundred times
 *      larger than the others). A page without the core of its cluster, an error page say, leaves
 *      it. Both are outliers when no cluster wants them.
 *
 * Linear in the pages: each is compared with the clusters, not with other pages, and clusters are
 * found through the shapes that they share with it. The number of clusters is limited.
 *
 * The figures below were seen on 40 real sites of 24 pages, and on sites of the generator whose
 * lists and details were mixed.
 */
#ifndef TH_CLUSTERS_H
#define TH_CLUSTERS_H

#include "base/arena.h"
#include "base/intern.h"
#include "base/vec.h"
#include "index/sketch.h"

enum {
    TH__CLUSTERS_MOST = 1024, /* further pages that are unlike all others are outliers */
    TH__CLUSTER_LEAST = 2     /* pages: of one page no template can be told */
};

/* What a page and its site have in common, of all that either has: 0.44 at least (two thin pages
 * of a site of 24), mostly above 0.8. Pages of two sites: 0.15 at most. */
#define TH__CLUSTER_JOIN 0.3
/* The core of a cluster: shapes that so many of its pages have. */
#define TH__CLUSTER_CORE 0.8
/* A page of the cluster has so much of its core: 0.51 at least, mostly above 0.9. */
#define TH__CLUSTER_HAS 0.4

#define TH__NO_CLUSTER UINT32_MAX

typedef struct th__cluster_page {
    th__sketch sketch;
    uint32_t *ids;    /* of its shapes, in their order */
    uint32_t cluster; /* or TH__NO_CLUSTER: an outlier */
    float core;       /* how much of its cluster's core it has */
} th__cluster_page;

/* The shapes that nearly all pages of a cluster have. */
typedef struct th__cluster_core {
    uint64_t *shapes; /* rising */
    uint32_t count;
    uint32_t pages; /* of the cluster */
} th__cluster_core;

typedef struct th__clusters {
    th__arena arena;                 /* sketches and ids */
    th__intern shapes;               /* hashes become small numbers */
    TH__VEC(th__cluster_page) pages; /* in the order in which they came */
    uint32_t count;                  /* of clusters, the largest first */
    th__cluster_core *cores;         /* by cluster */
} th__clusters;

void th__clusters_init(th__clusters *clusters);
void th__clusters_release(th__clusters *clusters);
/* Takes the sketch of a page; the page itself is not kept. False without memory. */
bool th__clusters_add(th__clusters *clusters, const th_page *page);
/* Finds the clusters of the pages so far. False without memory. */
bool th__clusters_find(th__clusters *clusters);

/* Where a further page belongs, by the core that it has; TH__NO_CLUSTER when it has none. Changes
 * nothing: many threads may ask. False without memory. */
bool th__clusters_place(const th__clusters *clusters, const th_page *page, uint32_t *cluster);

#endif
