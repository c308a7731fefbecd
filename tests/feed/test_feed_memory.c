/* Every allocation of a feed run fails in turn: an answer each time, and nothing leaked. */
#include "feed_test.h"

typedef struct heap {
    size_t allocations; /* so far */
    size_t fail_at;     /* this one fails; 0 for none */
    size_t live;        /* blocks not yet freed */
} heap;

static void *counted_resize(void *context, void *memory, size_t size)
{
    heap *h = context;
    if (size == 0) {
        h->live -= memory != NULL;
        free(memory);
        return NULL;
    }
    if (++h->allocations == h->fail_at)
        return NULL;
    void *moved = realloc(memory, size);
    h->live += moved && !memory;
    return moved;
}

/* Runs the feed with the allocation `fail_at` failing; false when it was never reached. */
static bool run_failing(const char *const *inputs, size_t count, size_t fail_at, size_t *pages)
{
    heap h = {.fail_at = fail_at};
    th_feed *feed = NULL;
    th_error err;
    th_set_allocator(counted_resize, &h);
    th_status status = th_feed_new(inputs, count, NULL, &feed, &err);
    assert_true(status == TH_OK || status == TH_ERR_MEMORY);
    *pages = 0;
    for (size_t steps = 0; status != TH_ERR_MEMORY || feed; steps++) {
        th_input *input = NULL;
        assert_true(steps < 1000);
        status = th_feed_next(feed, &input, &err);
        if (status == TH_DONE)
            break;
        /* The inputs themselves are all good. */
        assert_true(status == TH_OK || status == TH_ERR_MEMORY);
        *pages += status == TH_OK;
        assert_true((status == TH_OK) == (input != NULL));
        th_input_free(input);
    }
    th_feed_free(feed);
    th_set_allocator(NULL, NULL);
    assert_int_equal(h.live, 0);
    return fail_at && h.allocations >= fail_at;
}

static void every_allocation_may_fail(void **state)
{
    folder *f = *state;
    th__buf warc = {0}, gz = {0}, one = {0}, body = {0}, deflated = {0};
    th__buf brotli = {0};
#if THRESH_BROTLI_TESTS
    add_brotli(&brotli, TH_STR("<p>Brotli body"));
#endif
    char list[700];
    make_folder(f, "d");
    make_folder(f, "d/e");
    put_text(f, "d/a.html", "<p>a");
    put_text(f, "d/e/b.html", "<p>b");
    put_text(f, "d/sniffed", "<html>c");
    add_gzip(&body, TH_STR("<p>gzip body"));
    add_deflated(&deflated, TH_STR("<p>zlib body"), 15);
    for (int i = 0; i < 3; i++) {
        add_page(&warc, "http://x/1", "<p>1");
        add_response(&warc, "http://x/2", "200 OK",
                     "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", th__buf_str(&body));
        add_response(&warc, "http://x/3", "200 OK",
                     "Content-Type: text/html\r\nContent-Encoding: deflate\r\n",
                     th__buf_str(&deflated));
#if THRESH_BROTLI_TESTS
        add_response(&warc, "http://x/4", "200 OK",
                     "Content-Type: text/html\r\nContent-Encoding: br\r\n", th__buf_str(&brotli));
#endif
        add_gzip(&gz, th__buf_str(&warc));
    }
    add_gzip(&one, TH_STR("<p>zipped page"));
    put_buf(f, "a.warc", &warc);
    put_buf(f, "b.warc.gz", &gz);
    put_buf(f, "c.html.gz", &one);
    snprintf(list, sizeof list, "a.warc\nb.warc.gz\nc.html.gz\n");
    put_text(f, "list", list);
    th__buf_release(&body);
    th__buf_release(&deflated);
    th__buf_release(&brotli);
    char list_input[600];
    snprintf(list_input, sizeof list_input, "@%s", at(f, "list"));
    const char *in[] = {at(f, "d"), list_input};
    size_t all, some, fail_at = 1;
    run_failing(in, 2, 0, &all);
    assert_int_equal(all, 3 + 9 + 18 + 1 + 9 * THRESH_BROTLI_TESTS);
    while (run_failing(in, 2, fail_at, &some)) {
        assert_true(some <= all);
        fail_at++;
    }
    assert_true(fail_at > 40);
    assert_int_equal(some, all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, folder_setup, folder_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
