/* The archives of other projects, good and deliberately broken; needs THRESH_DATA. */
#include "feed_test.h"

static const struct {
    const char *path;
    size_t pages, errors, skipped;
} FILES[] = {
    {"sample_archive/warcs/iana.warc.gz", 16, 0, 327},
    {"sample_archive/warcs/dupes.warc.gz", 1, 0, 24},
    {"sample_archive/warcs/example.arc", 1, 0, 1},
    {"sample_archive/warcs/example.arc.gz", 1, 0, 1},
    {"sample_archive/warcs/example.warc.gz", 1, 0, 5},
    {"sample_archive/warcs/example-wget-1-14.warc.gz", 1, 0, 5},
    {"sample_archive/warcs/example-wpull.warc.gz", 1, 0, 3},
    {"sample_archive/warcs/missing-status-text.warc", 0, 0, 1},
    /* A request is seven bytes longer than it says. */
    {"sample_archive/warcs/example.warc", 1, 1, 5},
    /* One member for all records, which others refuse. */
    {"sample_archive/warcs/example-bad.warc.gz.bad", 1, 0, 5},
    /* Three lengths that are no numbers. */
    {"test/data/bad.arc", 0, 3, 1},
    {"test/data/example-bad-non-chunked.warc.gz", 1, 0, 5},
    {"test/data/example-wrong-chunks.warc.gz", 1, 0, 1},
    {"test/data/example-iana.org-chunked.warc", 1, 0, 2},
    {"test/data/example-resource.warc.gz", 1, 0, 2},
    {"test/data/example-space-in-target-uri.warc.gz", 0, 0, 2},
    /* Line ends were changed behind the header's back: shorter than it says, but the page is whole.
     */
    {"test/data/example-space-in-url.arc", 1, 1, 1},
    {"test/data/example-trunc.warc", 1, 1, 3},
    {"test/data/example-wget-bad-target-uri.warc.gz", 1, 0, 5},
    {"specifications/warc-deduplication/samples/20130729-heritrix-original.warc.gz", 1, 0, 0},
    {"specifications/warc-deduplication/samples/"
     "20130729-heritrix-revisit-with-http-headers.warc.gz",
     0, 0, 1},
};

static void archives_give_what_they_hold(void **state)
{
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/warc/%s", getenv("THRESH_DATA"), FILES[i].path);
        run r = run_one(path);
        for (size_t e = 0; e < r.count; e++)
            if (r.events[e].status)
                print_message("%s\n", r.events[e].error.message);
        if (r.pages != FILES[i].pages || r.errors != FILES[i].errors ||
            r.skipped != FILES[i].skipped)
            fail_msg("%s: %zu pages, %zu errors, %llu skipped", path, r.pages, r.errors,
                     (unsigned long long)r.skipped);
        end_run(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(archives_give_what_they_hold)};
    if (!getenv("THRESH_DATA")) {
        puts("skipped: THRESH_DATA does not name a folder with the archives");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
