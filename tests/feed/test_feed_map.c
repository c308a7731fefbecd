/* The parallel map: order, errors, stopping, bounded queue. */
#include "feed_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

typedef struct job {
    _Atomic int started, live; /* works begun; results neither emitted nor discarded */
    int most_ahead;            /* the most works begun before their turn */
    int emitted, errors, stop_after;
    th_status stop_with;
    bool in_order, same_thread;
    pthread_t caller;
    const char *folder;
} job;

static int number_of(th_str name)
{
    while (name.len && name.ptr[name.len - 1] != 'p')
        name.len--;
    return atoi(name.ptr + name.len);
}

static void jitter(int i)
{
    struct timespec t = {0, (i * 7919 % 5) * 300000L};
    nanosleep(&t, NULL);
}

static th_status work(void *context, th_parser *parser, const th_input *input, void **result,
                      th_error *err)
{
    job *j = context;
    atomic_fetch_add(&j->started, 1);
    int n = number_of(th_input_name(input));
    jitter(n);
    th_page *page;
    th_page_source source;
    th_input_source(input, &source);
    th_status status = th_parser_parse(parser, th_input_bytes(input), &source, &page, err);
    if (status)
        return status;
    th_page_free(page);
    int *box = malloc(sizeof *box);
    *box = n;
    *result = box;
    atomic_fetch_add(&j->live, 1);
    if (n % 10 == 3) {
        err->status = TH_ERR_FORMAT;
        err->offset = TH_NO_OFFSET;
        snprintf(err->message, sizeof err->message, "page %d is not wanted", n);
        return TH_ERR_FORMAT;
    }
    return TH_OK;
}

static th_status emit(void *context, const th_input *input, th_status status, void *result,
                      const th_error *err)
{
    job *j = context;
    int ahead = atomic_load(&j->started) - j->emitted;
    j->most_ahead = ahead > j->most_ahead ? ahead : j->most_ahead;
    j->same_thread &= pthread_equal(pthread_self(), j->caller) != 0;
    if (!input) {
        assert_int_equal(status, TH_ERR_IO);
        assert_null(result);
        assert_non_null(strstr(err->message, "missing"));
        j->errors++;
        return TH_OK;
    }
    int n = number_of(th_input_name(input));
    j->in_order &= n == j->emitted && *(int *)result == n;
    j->in_order &= (n % 10 == 3) == (status == TH_ERR_FORMAT);
    if (status)
        j->in_order &= atoi(err->message + 5) == n;
    j->emitted++;
    free(result);
    atomic_fetch_sub(&j->live, 1);
    return j->emitted == j->stop_after ? j->stop_with : TH_OK;
}

static void discard(void *context, void *result)
{
    job *j = context;
    free(result);
    atomic_fetch_sub(&j->live, 1);
}

enum { PAGES = 60 };

/* A list of pages p0, p1, ... with two missing files among them. */
static void make_pages(const folder *f, char *input, size_t room)
{
    th__buf list = {0};
    for (int i = 0; i < PAGES; i++) {
        char name[40], html[40];
        snprintf(name, sizeof name, "p%d", i);
        snprintf(html, sizeof html, "<html><p>page %d", i);
        put_text(f, name, html);
        th__buf_printf(&list, "%s\n%s", name, i % 25 == 20 ? "missing.html\n" : "");
    }
    put_buf(f, "list", &list);
    snprintf(input, room, "@%s", at(f, "list"));
}

static job run_map(const folder *f, unsigned jobs, int stop_after, th_status stop_with,
                   th_status expected, th_error *err)
{
    char input[600];
    const char *in[] = {input};
    job j = {.stop_after = stop_after,
             .stop_with = stop_with,
             .in_order = true,
             .same_thread = true,
             .caller = pthread_self()};
    th_feed_job calls = {work, emit, discard, &j};
    th_feed *feed;
    make_pages(f, input, sizeof input);
    assert_int_equal(th_feed_new(in, 1, NULL, &feed, err), TH_OK);
    assert_int_equal(th_feed_map(feed, jobs, NULL, &calls, err), expected);
    th_feed_free(feed);
    assert_true(j.in_order);
    assert_true(j.same_thread);
    assert_int_equal(j.live, 0);
    return j;
}

static void results_come_in_input_order(void **state)
{
    th_error err;
    static const unsigned jobs[] = {1, 2, 4, 0};
    for (size_t i = 0; i < 4; i++) {
        job j = run_map(*state, jobs[i], 0, TH_OK, TH_OK, &err);
        assert_int_equal(j.emitted, PAGES);
        assert_int_equal(j.errors, 2);
        if (jobs[i])
            assert_true(j.most_ahead <= (int)jobs[i] * 2 + 2); /* and two errors of the feed */
    }
}

static void emit_stops_the_run_without_leaks(void **state)
{
    th_error err;
    static const unsigned jobs[] = {1, 4};
    for (size_t i = 0; i < 2; i++) {
        job j = run_map(*state, jobs[i], 17, TH_ERR_CANCELLED, TH_ERR_CANCELLED, &err);
        assert_int_equal(j.emitted, 17);
        assert_int_equal(err.status, TH_ERR_CANCELLED);
        assert_non_null(strstr(err.message, "stopped"));
        j = run_map(*state, jobs[i], 1, TH_ERR_IO, TH_ERR_IO, &err);
        assert_int_equal(j.emitted, 1);
    }
}

static void empty_feed_maps_to_nothing(void **state)
{
    th_feed *feed;
    th_error err;
    job j = {.in_order = true};
    th_feed_job calls = {work, emit, NULL, &j};
    assert_int_equal(th_feed_new(NULL, 0, NULL, &feed, &err), TH_OK);
    assert_int_equal(th_feed_map(feed, 3, NULL, &calls, &err), TH_OK);
    assert_int_equal(j.emitted, 0);
    th_feed_free(feed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(results_come_in_input_order, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(emit_stops_the_run_without_leaks, folder_setup,
                                        folder_teardown),
        cmocka_unit_test(empty_feed_maps_to_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
