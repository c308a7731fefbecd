/* Files, folders, lists, standard input, gzipped pages, and what is refused. */
#include "feed_test.h"

#include "feed/http_message.h"

static void files_come_in_order_with_name_and_bytes(void **state)
{
    folder *f = *state;
    const char *in[] = {put_text(f, "b.html", "<p>b"), put_text(f, "a.html", "<p>a"),
                        put_text(f, "empty.html", "")};
    run r = run_feed(in, 3, NULL);
    assert_int_equal(r.pages, 3);
    expect_page(&r, 0, in[0], "<p>b");
    expect_page(&r, 1, in[1], "<p>a");
    expect_page(&r, 2, in[2], "");
    assert_string_equal(r.events[0].origin, in[0]);
    assert_string_equal(r.events[0].url, "");
    assert_int_equal(r.bytes_read, 8);
    assert_int_equal(r.bytes_total, 8);
    end_run(&r);
}

static void bad_files_are_named_and_the_rest_goes_on(void **state)
{
    folder *f = *state;
    const char *in[] = {at(f, "missing.html"),
                        put_bytes(f, "x.html", "%PDF-1.4 \0\1\2", 12),
                        put_bytes(f, "y", "\x89PNG\r\n\x1a\n\0\0\0", 11),
                        put_bytes(f, "z", "PK\3\4....", 8),
                        put_bytes(f, "n", "a\0\0b\0\0c\0\0d\0\0e", 13),
                        "",
                        put_text(f, "good.html", "<p>good")};
    run r = run_feed(in, 7, NULL);
    assert_int_equal(r.count, 7);
    expect_error(&r, 0, TH_ERR_IO, "missing.html|cannot be opened|No such file");
    expect_error(&r, 1, TH_ERR_FORMAT, "x.html|looks like a PDF file, not a web page");
    expect_error(&r, 2, TH_ERR_FORMAT, "a PNG image");
    expect_error(&r, 3, TH_ERR_FORMAT, "a ZIP file");
    expect_error(&r, 4, TH_ERR_FORMAT, "a binary file");
    expect_error(&r, 5, TH_ERR_ARGUMENT, "empty");
    expect_page(&r, 6, in[6], "<p>good");
    end_run(&r);
}

static void unreadable_file_is_an_error(void **state)
{
    folder *f = *state;
    const char *path = put_text(f, "secret.html", "<p>");
    if (geteuid() == 0)
        skip(); /* root reads everything */
    assert_int_equal(chmod(path, 0), 0);
    run r = run_one(path);
    expect_error(&r, 0, TH_ERR_IO, "secret.html|Permission denied");
    end_run(&r);
}

static void failing_read_is_an_error_with_its_place(void **state)
{
    if (access("/proc/self/mem", R_OK) != 0)
        skip(); /* a file that opens but cannot be read at its start */
    run r = run_one("/proc/self/mem");
    assert_int_equal(r.count, 1);
    expect_error(&r, 0, TH_ERR_IO, "/proc/self/mem|reading failed at byte 0");
    end_run(&r);
}

static void stray_nul_bytes_and_utf16_are_pages(void **state)
{
    folder *f = *state;
    const char *in[] = {put_bytes(f, "nul.html", "<p>one\0 stray NUL in a longer text", 34),
                        put_bytes(f, "wide.html", "\xFF\xFE<\0p\0>\0a\0b\0", 12),
                        put_bytes(f, "bare.html", "<\0p\0>\0a\0b\0", 10),
                        put_text(f, "plain", "words without any tag")};
    run r = run_feed(in, 4, NULL);
    assert_int_equal(r.pages, 4);
    assert_int_equal(r.events[0].len, 34);
    end_run(&r);
}

static void page_over_max_bytes_is_refused_by_name(void **state)
{
    folder *f = *state;
    th_feed_options options;
    th_feed_options_init(&options);
    options.max_bytes = 10;
    th__buf gz = {0};
    add_gzip(&gz, TH_STR("<p>123456789"));
    const char *in[] = {put_text(f, "ten.html", "<p>4567890"),
                        put_text(f, "eleven.html", "<p>45678901"), put_buf(f, "z.html.gz", &gz)};
    run r = run_feed(in, 3, &options);
    expect_page(&r, 0, in[0], "<p>4567890");
    expect_error(&r, 1, TH_ERR_LIMIT, "eleven.html|max_bytes|--max-bytes|10");
    expect_error(&r, 2, TH_ERR_LIMIT, "z.html.gz|max_bytes");
    end_run(&r);
}

static void no_limit_is_a_limit_too(void **state)
{
    folder *f = *state;
    th_feed_options options;
    th_feed_options_init(&options);
    options.max_bytes = UINT64_MAX;
    th__buf gz = {0};
    add_gzip(&gz, TH_STR("<p>packed"));
    const char *in[] = {put_text(f, "a.html", "<p>plain"), put_buf(f, "z.html.gz", &gz)};
    run r = run_feed(in, 2, &options);
    expect_page(&r, 0, in[0], "<p>plain");
    expect_page(&r, 1, in[1], "<p>packed");
    end_run(&r);
}

static void gzipped_page_is_inflated(void **state)
{
    folder *f = *state;
    th__buf gz = {0}, empty = {0}, cut = {0};
    add_gzip(&gz, TH_STR("<p>one "));
    add_gzip(&gz, TH_STR("two"));
    add_gzip(&empty, TH_STR(""));
    add_gzip(&cut, TH_STR("<p>a page that is cut off in its compressed form, so that it breaks"));
    cut.len -= 20;
    const char *in[] = {put_buf(f, "a.html.gz", &gz), put_buf(f, "e.html.gz", &empty),
                        put_buf(f, "c.html.gz", &cut)};
    run r = run_feed(in, 3, NULL);
    expect_page(&r, 0, in[0], "<p>one two");
    expect_page(&r, 1, in[1], "");
    expect_error(&r, 2, TH_ERR_FORMAT, "c.html.gz|damaged at byte|ends in the middle");
    end_run(&r);
}

static void folders_are_walked_in_name_order(void **state)
{
    folder *f = *state;
    make_folder(f, "d");
    make_folder(f, "d/sub");
    make_folder(f, "d/sub/deep");
    make_folder(f, "d/.hidden");
    put_text(f, "d/z.htm", "<p>z");
    put_text(f, "d/a.HTML", "<p>a");
    put_text(f, "d/notes.txt", "no page");
    put_text(f, "d/style.css", "p { color: red }");
    put_text(f, "d/data.xml", "<?xml version='1.0'?><rss><title>x</title></rss>");
    put_text(f, "d/noext", "  <!DOCTYPE html><title>n</title>");
    put_text(f, "d/.dot.html", "<p>hidden");
    put_text(f, "d/.hidden/h.html", "<p>hidden");
    put_text(f, "d/sub/m.xhtml", "<p>m");
    put_text(f, "d/sub/deep/x.php", "<p>x");
    put_bytes(f, "d/sub/pic.png", "\x89PNG\r\n\x1a\n", 8);
    const char *root = at(f, "d");
    run r = run_one(root);
    static const char *const names[] = {"a.HTML", "noext", "sub/deep/x.php", "sub/m.xhtml",
                                        "z.htm"};
    assert_int_equal(r.count, 5);
    for (size_t i = 0; i < 5; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", root, names[i]);
        expect_page(&r, i, path, NULL);
    }
    end_run(&r);
}

static void links_that_loop_end(void **state)
{
    folder *f = *state;
    make_folder(f, "d");
    make_folder(f, "d/e");
    put_text(f, "d/e/p.html", "<p>once");
    assert_int_equal(symlink("..", at(f, "d/e/up")), 0);
    assert_int_equal(symlink("../..", at(f, "d/e/upper")), 0);
    assert_int_equal(symlink("self", at(f, "d/self")), 0);
    assert_int_equal(symlink("nowhere.html", at(f, "d/gone.html")), 0);
    run r = run_one(at(f, "d"));
    /* upper leads to the folder above, in which d was already seen. */
    assert_int_equal(r.pages, 1);
    assert_int_equal(r.errors, 1);
    expect_error(&r, 1, TH_ERR_IO, "gone.html");
    end_run(&r);
}

static void folder_without_pages_says_so(void **state)
{
    folder *f = *state;
    make_folder(f, "d");
    make_folder(f, "d/e");
    put_text(f, "d/e/readme.txt", "nothing here");
    const char *in[] = {at(f, "d"), put_text(f, "p.html", "<p>p")};
    run r = run_feed(in, 2, NULL);
    assert_int_equal(r.count, 2);
    expect_error(&r, 0, TH_ERR_FORMAT, in[0]);
    expect_error(&r, 0, TH_ERR_FORMAT, "has no pages|.html");
    expect_page(&r, 1, in[1], "<p>p");
    end_run(&r);
}

/* A database that is in use lies among the pages: it and its log are not opened, whatever is in
 * them; without a log beside it the same file is as good as any. */
static void open_databases_are_left_alone(void **state)
{
    folder *f = *state;
    make_folder(f, "d");
    put_text(f, "d/1.html", "<p>1");
    const char *database = put_text(f, "d/p.thresh", "<!doctype html><p>p");
    const char *log = put_text(f, "d/p.thresh-wal", "<!doctype html><p>w");
    put_text(f, "d/p.thresh-shm", "<!doctype html><p>s");
    const char *in[] = {at(f, "d"), database, log};
    run r = run_feed(in, 3, NULL);
    assert_int_equal(r.count, 3);
    expect_page(&r, 0, at(f, "d/1.html"), "<p>1");
    expect_error(&r, 1, TH_ERR_FORMAT, "p.thresh|is a SQLite database");
    expect_error(&r, 2, TH_ERR_FORMAT, "p.thresh-wal|is a SQLite database");
    end_run(&r);
    assert_int_equal(unlink(log) | unlink(at(f, "d/p.thresh-shm")), 0);
    r = run_one(database);
    expect_page(&r, 0, database, "<!doctype html><p>p");
    end_run(&r);
}

static void folder_finds_archives_by_content(void **state)
{
    folder *f = *state;
    th__buf warc = {0}, gz = {0};
    make_folder(f, "d");
    add_page(&warc, "http://x/1", "<p>1");
    add_gzip(&gz, th__buf_str(&warc));
    put_buf(f, "d/one", &gz);
    put_buf(f, "d/two.data", &warc);
    run r = run_one(at(f, "d"));
    assert_int_equal(r.pages, 2);
    expect_page(&r, 0, "http://x/1", "<p>1");
    expect_page(&r, 1, "http://x/1", "<p>1");
    end_run(&r);
}

static void lists_name_inputs_relative_to_themselves(void **state)
{
    folder *f = *state;
    char list[700];
    make_folder(f, "l");
    make_folder(f, "l/sub");
    put_text(f, "l/a.html", "<p>a");
    put_text(f, "l/sub/b.html", "<p>b");
    const char *absolute = put_text(f, "c.html", "<p>c");
    put_text(f, "l/sub/inner.txt", "b.html\n");
    snprintf(list, sizeof list,
             "\xEF\xBB\xBF# pages\r\n\r\n a.html \r\nmissing.html\n@sub/inner.txt\n%s\nsub",
             absolute);
    put_text(f, "l/list.txt", list);
    char input[300];
    snprintf(input, sizeof input, "@%s", at(f, "l/list.txt"));
    run r = run_one(input);
    assert_int_equal(r.count, 5);
    expect_page(&r, 0, at(f, "l/a.html"), "<p>a");
    expect_error(&r, 1, TH_ERR_IO, "l/missing.html");
    expect_page(&r, 2, at(f, "l/sub/b.html"), "<p>b");
    expect_page(&r, 3, absolute, "<p>c");
    expect_page(&r, 4, at(f, "l/sub/b.html"), "<p>b");
    assert_int_equal(r.bytes_total, 0);
    end_run(&r);
}

static void lists_that_name_themselves_end(void **state)
{
    folder *f = *state;
    char input[300];
    put_text(f, "a.txt", "@b.txt\n@b.txt\n");
    put_text(f, "b.txt", "@a.txt\n");
    snprintf(input, sizeof input, "@%s", at(f, "a.txt"));
    run r = run_one(input);
    assert_int_equal(r.count, 2);
    expect_error(&r, 0, TH_ERR_FORMAT, "a.txt|names itself");
    expect_error(&r, 1, TH_ERR_FORMAT, "a.txt|names itself");
    end_run(&r);
    run missing = run_one("@/nonexistent/list");
    expect_error(&missing, 0, TH_ERR_IO, "/nonexistent/list");
    end_run(&missing);
}

/* Feeds bytes to standard input through a pipe. */
static run run_stdin(th_str bytes, const char *const *inputs, size_t count,
                     const th_feed_options *options)
{
    int ends[2], saved = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], bytes.ptr, bytes.len), bytes.len);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    run r = run_feed(inputs, count, options);
    dup2(saved, STDIN_FILENO);
    close(saved);
    return r;
}

static void stdin_is_a_page_or_an_archive(void **state)
{
    th_feed_options options;
    th_feed_options_init(&options);
    options.stdin_name = "standard input";
    const char *in[] = {"-", "-"};
    run r = run_stdin(TH_STR("<p>piped"), in, 2, &options);
    expect_page(&r, 0, "standard input", "<p>piped");
    expect_error(&r, 1, TH_ERR_ARGUMENT, "standard input can be read only once");
    end_run(&r);

    th__buf warc = {0}, gz = {0};
    add_page(&warc, "http://x/1", "<p>1");
    add_page(&warc, "http://x/2", "<p>2");
    r = run_stdin(th__buf_str(&warc), in, 1, NULL);
    assert_int_equal(r.pages, 2);
    expect_page(&r, 1, "http://x/2", "<p>2");
    end_run(&r);
    add_member(&gz, &warc);
    r = run_stdin(th__buf_str(&gz), in, 1, NULL);
    assert_int_equal(r.pages, 2);
    expect_page(&r, 0, "http://x/1", "<p>1");
    end_run(&r);
    th__buf_release(&gz);

    r = run_stdin(TH_STR(""), in, 1, NULL);
    expect_page(&r, 0, "-", "");
    end_run(&r);
}

static void list_may_come_from_stdin(void **state)
{
    folder *f = *state;
    const char *in[] = {"@-"};
    char text[600];
    snprintf(text, sizeof text, "%s\n", put_text(f, "p.html", "<p>p"));
    run r = run_stdin(th_str_from(text), in, 1, NULL);
    expect_page(&r, 0, at(f, "p.html"), "<p>p");
    end_run(&r);
}

static void files_alone_are_read(void **state)
{
    folder *f = *state;
    th_feed_options options;
    char pipe[512], list[600];
    const char *in[] = {pipe, list, "-", "@-", "/dev/zero", put_text(f, "p.html", "<p>p")};
    snprintf(pipe, sizeof pipe, "%s", at(f, "pipe.html"));
    snprintf(list, sizeof list, "@%s", pipe);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    th_feed_options_init(&options);
    options.files_only = true;
    run r = run_feed(in, 6, &options);
    expect_error(&r, 0, TH_ERR_ARGUMENT, "pipe.html|is not a regular file");
    expect_error(&r, 1, TH_ERR_ARGUMENT, "pipe.html|is not a regular file");
    expect_error(&r, 2, TH_ERR_ARGUMENT, "standard input cannot be read");
    expect_error(&r, 3, TH_ERR_ARGUMENT, "standard input cannot be read");
    expect_error(&r, 4, TH_ERR_ARGUMENT, "/dev/zero|is not a regular file");
    expect_page(&r, 5, at(f, "p.html"), "<p>p");
    end_run(&r);
}

/* Counts how often it was asked, and says so after the third time. */
static bool is_enough(void *context)
{
    return ++*(int *)context > 3;
}

static th_status do_nothing(void *context, th_parser *parser, const th_input *input, void **result,
                            th_error *err)
{
    return TH_OK;
}

static th_status go_on(void *context, const th_input *input, th_status status, void *result,
                       const th_error *err)
{
    return TH_OK;
}

static void feed_may_be_cancelled(void **state)
{
    folder *f = *state;
    int asked = 0;
    const char *in[] = {f->path};
    th_feed_options options;
    th_feed *feed;
    th_error err;
    th_input *input;
    char name[16];
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "%d.html", i);
        put_text(f, name, "<p>p");
    }
    th_feed_options_init(&options);
    options.cancel = (th_cancel){is_enough, &asked};
    assert_int_equal(th_feed_new(in, 1, &options, &feed, &err), TH_OK);
    th_status status = TH_OK;
    for (int i = 0; i < 40 && !status; i++) {
        status = th_feed_next(feed, &input, &err);
        if (!status)
            th_input_free(input);
    }
    assert_int_equal(status, TH_ERR_CANCELLED);
    assert_int_equal(th_feed_next(feed, &input, &err), TH_ERR_CANCELLED);
    th_feed_job job = {do_nothing, go_on, NULL, NULL};
    assert_int_equal(th_feed_map(feed, 2, NULL, &job, &err), TH_ERR_CANCELLED);
    th_feed_free(feed);
}

static void sniffing_tells_html_from_the_rest(void **state)
{
    static const char *const yes[] = {"<!DOCTYPE html>",    " \n<HTML>",
                                      "\xEF\xBB\xBF<html>", "<?xml version='1.0'?><!DOCTYPE html>",
                                      "<!-- x --><body>",   "<div>x</div>"};
    static const char *const no[] = {"",
                                     "plain",
                                     "{\"a\": \"<html>\"}",
                                     "<?xml?><svg><title>",
                                     "<rss>",
                                     "#!/bin/sh\necho '<html>'"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        assert_true(th__sniff_html(th_str_from(yes[i]), NULL));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(th__sniff_html(th_str_from(no[i]), NULL));
    const char *binary = "";
    assert_true(th__sniff_html(TH_STR("<html>"), &binary));
    assert_null(binary);
    assert_false(th__sniff_html(TH_STR("\x7F"
                                       "ELF...."),
                                &binary));
    assert_string_equal(binary, "an ELF program");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(files_come_in_order_with_name_and_bytes),
        IN_FOLDER(bad_files_are_named_and_the_rest_goes_on),
        IN_FOLDER(unreadable_file_is_an_error),
        cmocka_unit_test(failing_read_is_an_error_with_its_place),
        IN_FOLDER(stray_nul_bytes_and_utf16_are_pages),
        IN_FOLDER(page_over_max_bytes_is_refused_by_name),
        IN_FOLDER(no_limit_is_a_limit_too),
        IN_FOLDER(gzipped_page_is_inflated),
        IN_FOLDER(folders_are_walked_in_name_order),
        IN_FOLDER(links_that_loop_end),
        IN_FOLDER(folder_without_pages_says_so),
        IN_FOLDER(open_databases_are_left_alone),
        IN_FOLDER(folder_finds_archives_by_content),
        IN_FOLDER(lists_name_inputs_relative_to_themselves),
        IN_FOLDER(lists_that_name_themselves_end),
        IN_FOLDER(stdin_is_a_page_or_an_archive),
        IN_FOLDER(list_may_come_from_stdin),
        IN_FOLDER(files_alone_are_read),
        IN_FOLDER(feed_may_be_cancelled),
        cmocka_unit_test(sniffing_tells_html_from_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
