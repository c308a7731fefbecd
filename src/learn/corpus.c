/*
 * corpus.c: the pages that are looked at together.
 *
 * A page is stored as a copy that owns its bytes; whoever keeps it after that (repair, an engine)
 * holds the same copy. Sketches are made when clusters are asked for, and stay when pages go.
 */
#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "learn/learn.h"

th_status th_corpus_new(th_corpus **out, th_error *err)
{
    *out = TH__NEW(th_corpus);
    if (!*out)
        return th__fail_memory(err);
    th__arena_init(&(*out)->arena);
    th__clusters_init(&(*out)->clusters);
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
    th__clusters_release(&corpus->clusters);
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
    if (!th__clusters_add(&corpus->clusters, page))
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

/* ---- clusters -------------------------------------------------------------------------------- */

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
        if (!th__clusters_add(&corpus->clusters, page->page))
            return th__fail_memory(err);
        page->sketch = corpus->clusters.pages.len - 1;
    }
    corpus->clustered = sort_sketches(corpus) && th__clusters_find(&corpus->clusters);
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
    if (corpus->clustered && !th__clusters_place(&corpus->clusters, page, &found))
        return th__fail_memory(err);
    *cluster = found == TH__NO_CLUSTER ? TH_NO_CLUSTER : found;
    return TH_OK;
}
