/*
 * fuzz_survey.c: the bytes are pages, a form feed between two. They are put into clusters, twice,
 * and those of a cluster are measured as lists and records.
 */
#include "fuzz.h"

#include <math.h>
#include <string.h>
#include <thresh.h>

#include "learn/learn.h"

enum { PAGES = 64 };

static size_t parse(const uint8_t *data, size_t size, th_page **pages)
{
    th_parser *parser;
    th_error err;
    size_t count = 0;
    CHECK(th_parser_new(NULL, &parser, &err) == TH_OK);
    for (size_t at = 0; at <= size && count < PAGES; count++) {
        const uint8_t *end = at < size ? memchr(data + at, '\f', size - at) : NULL;
        size_t to = end ? (size_t)(end - data) : size;
        th_str bytes = {(const char *)data + at, to - at};
        CHECK(th_parser_parse(parser, bytes, NULL, &pages[count], &err) == TH_OK);
        at = to + 1;
    }
    th_parser_free(parser);
    return count;
}

static void check_clusters(const th_corpus *corpus, th_page *const *pages, size_t count)
{
    size_t clusters = th_corpus_cluster_count(corpus), inside = 0, last = count;
    for (size_t c = 0; c < clusters; c++) {
        size_t size = th_corpus_cluster_size(corpus, c);
        CHECK(size >= 2 && size <= last);
        inside += last = size;
    }
    for (size_t i = 0; i < count; i++) {
        size_t cluster = th_corpus_cluster(corpus, i), place;
        th_error err;
        CHECK(cluster == TH_NO_CLUSTER || cluster < clusters);
        CHECK(th_corpus_place(corpus, pages[i], &place, &err) == TH_OK);
        CHECK(place == TH_NO_CLUSTER || place < clusters);
        inside += cluster == TH_NO_CLUSTER;
    }
    CHECK(inside == count);
}

static void check_kinds(const th_corpus *corpus, th_page *const *pages, size_t count)
{
    for (size_t c = 0; c < th_corpus_cluster_count(corpus); c++) {
        const th_page *some[PAGES];
        size_t size = 0;
        th_kind kind;
        th_error err;
        for (size_t i = 0; i < count; i++)
            if (th_corpus_cluster(corpus, i) == c)
                some[size++] = pages[i];
        CHECK(th__pages_kind(some, size, &(th_cancel){0}, &kind, &err) == TH_OK);
        CHECK(isfinite(kind.list_bits) && isfinite(kind.page_bits));
        CHECK(kind.linked >= 0 && kind.linked <= 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    th_page *pages[PAGES];
    th_corpus *corpus;
    th_error err;
    size_t count = parse(data, size, pages);
    CHECK(th_corpus_new(&corpus, &err) == TH_OK);
    for (size_t i = 0; i < count; i++)
        CHECK(th_corpus_look(corpus, pages[i], NULL, &err) == TH_OK);
    for (int again = 0; again < 2; again++) {
        CHECK(th_corpus_find_clusters(corpus, &err) == TH_OK);
        check_clusters(corpus, pages, count);
    }
    check_kinds(corpus, pages, count);
    th_corpus_free(corpus);
    for (size_t i = 0; i < count; i++)
        th_page_free(pages[i]);
    return 0;
}
