/* test_hits.c: what of a page the rules of each engine go by. */
#include "../wrapper/wrapper_test.h"

#include <string.h>

#include "alloc_fail.h"

static const char *const pages[] = {
    "<h1>Ash</h1><p>Price: <b>4.50</b> EUR</p><ul><li><a href=/1>Leaf one</a><li><a href=/2>Leaf "
    "two</a><li><a href=/3>Leaf three</a></ul>",
    "<h1>Birch</h1><p>Old: <i>7.00</i></p><p>Price: <b>6.50</b> EUR</p><ul><li><a href=/4>Leaf "
    "four</a><li><a href=/5>Leaf five</a></ul>",
};
static const char labels_text[] =
    "{\"page\":\"0\",\"records\":[{\"name\":\"Ash\",\"price\":\"4.50\",\"leaves\":[{\"leaf\":"
    "\"Leaf one\"},{\"leaf\":\"Leaf two\"},{\"leaf\":\"Leaf three\"}]}]}\n"
    "{\"page\":\"1\",\"records\":[{\"name\":\"Birch\",\"price\":\"6.50\",\"leaves\":[{\"leaf\":"
    "\"Leaf four\"},{\"leaf\":\"Leaf five\"}]}]}\n";
static const char plain_text[] =
    "{\"page\":\"0\",\"records\":[{\"name\":\"Ash\",\"price\":\"4.50\"}]}\n"
    "{\"page\":\"1\",\"records\":[{\"name\":\"Birch\",\"price\":\"6.50\"}]}\n";

typedef struct bench {
    th_parser *parser;
    th_page *pages[2];
    th_wrapper *wrapper;
} bench;

static void start(bench *b, const char *engine, const char *text, bool paper)
{
    th_learn_options options;
    th_corpus *corpus;
    th_labels *labels = NULL;
    th_error err = {0};
    assert_int_equal(th_parser_new(NULL, &b->parser, &err), TH_OK);
    if (text)
        assert_int_equal(th_labels_read(th_str_from(text), "labels", &labels, &err), TH_OK);
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = engine;
    options.pick = 1; /* not in clusters */
    options.paper.published = paper;
    assert_int_equal(th_corpus_new(&corpus, &err), TH_OK);
    th_corpus_set_labels(corpus, labels);
    for (int i = 0; i < 2; i++) {
        th_records_source source = {th_str_from(i ? "1" : "0"), {0}};
        assert_int_equal(
            th_parser_parse(b->parser, th_str_from(pages[i]), NULL, &b->pages[i], &err), TH_OK);
        assert_int_equal(th_corpus_add(corpus, b->pages[i], &source, &err), TH_OK);
    }
    assert_int_equal(th_learn(corpus, &options, &b->wrapper, NULL, &err), TH_OK);
    th_corpus_free(corpus);
    th_labels_free(labels);
}

static void stop(bench *b)
{
    th_wrapper_free(b->wrapper);
    for (int i = 0; i < 2; i++)
        th_page_free(b->pages[i]);
    th_parser_free(b->parser);
}

/* Whether a text was hit by the rules of a field. Hits are in order and stand on the page. */
static bool is_hit(const bench *b, const char *field, const char *text)
{
    th_hits *hits;
    th_error err = {0};
    bool found = false;
    uint32_t last = 0;
    assert_int_equal(th_wrapper_hits(b->wrapper, b->pages[1], &hits, &err), TH_OK);
    assert_null(th_hits_get(hits, th_hits_count(hits)));
    for (size_t i = 0; i < th_hits_count(hits); i++) {
        const th_hit *hit = th_hits_get(hits, i);
        size_t len = hit->span.end - hit->span.start;
        assert_true(hit->span.start >= last && hit->span.end > hit->span.start);
        assert_true(hit->span.end <= strlen(pages[1]) && hit->part);
        last = hit->span.start;
        found |= len == strlen(text) && !memcmp(pages[1] + hit->span.start, text, len) &&
                 hit->field.len == strlen(field) && !memcmp(hit->field.ptr, field, strlen(field));
    }
    th_hits_free(hits);
    return found;
}

static void landmarks_are_hit(void **state)
{
    bench b = {0};
    start(&b, "stalker", labels_text, true);
    assert_true(is_hit(&b, "price", "<b>"));
    assert_true(is_hit(&b, "price", "</b>"));
    assert_false(is_hit(&b, "price", "<i>"));
    stop(&b);
    start(&b, "stalker", labels_text, false);
    assert_true(is_hit(&b, "name", "<h1>"));
    assert_true(is_hit(&b, "price", "Price:"));
    assert_true(is_hit(&b, "leaves", "<li>"));
    stop(&b);
}

static void contexts_are_hit(void **state)
{
    bench b = {0};
    start(&b, "softmealy", plain_text, false);
    assert_true(is_hit(&b, "price", "<b>"));
    assert_true(is_hit(&b, "price", "</b>"));
    stop(&b);
}

static void elements_and_captions_are_hit(void **state)
{
    bench b = {0};
    start(&b, "paths", plain_text, false);
    assert_true(is_hit(&b, "price", "<b>"));
    assert_true(is_hit(&b, "name", "<h1>"));
    stop(&b);
}

/* Engines that do not tell: the elements around what they find. */
static void elements_of_records_are_hit(void **state)
{
    bench b = {0};
    start(&b, "auto", NULL, false);
    assert_true(is_hit(&b, "title", "<a href=/4>") || is_hit(&b, "title_url", "<a href=/4>"));
    stop(&b);
}

static th_status hits_once(void *context)
{
    const bench *b = context;
    th_hits *hits = NULL;
    th_error err = {0};
    th_status status = th_wrapper_hits(b->wrapper, b->pages[1], &hits, &err);
    th_hits_free(hits);
    return status;
}

static void memory_may_run_out(void **state)
{
    static const struct {
        const char *engine, *labels;
    } cases[] = {
        {"stalker", labels_text}, {"softmealy", plain_text}, {"paths", plain_text}, {"auto", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench b = {0};
        start(&b, cases[i].engine, cases[i].labels, false);
        th_test_some_allocations_fail(hits_once, &b, 60);
        stop(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(landmarks_are_hit),
        cmocka_unit_test(contexts_are_hit),
        cmocka_unit_test(elements_and_captions_are_hit),
        cmocka_unit_test(elements_of_records_are_hit),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
