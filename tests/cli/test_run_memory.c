/*
 * A whole run, as the program does it, with every allocation failing in turn: files, a folder and
 * an archive come in, pages are parsed, decoded, read as text and as fine tokens, labelled values
 * are found on them, and records go out in each form. The status is TH_ERR_MEMORY, nothing crashes,
 * nothing leaks, and nothing stands where the output would have been.
 */
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "alloc_fail.h"

static const char page_a[] =
    "<!doctype html><title>Caf&eacute;</title><base href=/x/><script>a<b</script>"
    "<ul><li><a href=1>Salt &amp; Road</a> 9.50<li><a href=2>Boats</a> 12<p>a<svg><g/></svg></ul>";
static const char page_b[] = "<meta charset=windows-1252><p>Boats caf\xe9 <b>12</b>";
static const char archive[] =
    "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/c\r\n"
    "Content-Type: application/http\r\nContent-Length: 105\r\n\r\n"
    "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nTransfer-Encoding: "
    "chunked\r\n\r\n"
    "8\r\n<p>Boats\r\n0\r\n\r\n\r\n\r\n";
static const char label_lines[] =
    "{\"records\": [{\"title\": \"Salt & Road\", \"price\": \"9.50\", \"to\": [\"1\", null]},"
    "{\"title\": \"Boats\"}], \"page\": \"%s/a.html\"}\n"
    "{\"page\": \"%s/folder/b.html\", \"records\": [{\"title\": \"Boots\", \"price\": \"12\"}]}\n"
    "{\"page\": \"http://a.example/c\", \"records\": [{\"title\": {\"start\": 3, \"end\": 8}}]}\n";

typedef struct world {
    char folder[64], labels_text[1024], file[96], list[96], inside[96], warc[96], out[96];
    unsigned jobs;
    th_format format;
    bool to_file;
    th_labels *labels;
    th_schema *schema;
    th_writer *writer;
    size_t pages;
} world;

static th_status ignore(void *context, const char *bytes, size_t len, th_error *err)
{
    return TH_OK;
}

/* Text and fine tokens of the whole page, and its links. */
static th_status read_page(const th_page *page, th_error *err)
{
    th_text text = {0}, url = {0};
    th_lex lex;
    th_fine fine;
    th_status status = th_page_node_text(page, 0, &text, err);
    th_lex_init(&lex, page, (th_span){0, (uint32_t)th_page_text(page).len});
    while (!status && th_lex_next(&lex, &fine))
        status = th_fine_text(page, &fine, &text, err);
    for (uint32_t n = 1; !status && n < th_page_node_count(page); n++) {
        th_str value;
        if (th_attr_get(page, th_page_node(page, n)->token, "href", &value))
            status = th_attr_text(value, &text, err);
        if (!status && text.ptr)
            status = th_page_resolve(page, (th_str){text.ptr, text.len}, &url, err);
    }
    th_text_release(&text);
    th_text_release(&url);
    return status;
}

typedef struct outcome {
    th_page *page;
    th_located *located;
} outcome;

static void discard(void *context, void *result)
{
    outcome *done = result;
    th_located_free(done->located);
    th_page_free(done->page);
    free(done);
}

static th_status work(void *context, th_parser *parser, const th_input *input, void **result,
                      th_error *err)
{
    const world *w = context;
    outcome *done = calloc(1, sizeof *done);
    th_page_source source;
    size_t index;
    if (!done)
        abort();
    th_input_source(input, &source);
    th_status status = th_parser_parse(parser, th_input_bytes(input), &source, &done->page, err);
    if (!status)
        status = read_page(done->page, err);
    if (!status && th_labels_find(w->labels, th_input_name(input), &index))
        status = th_labels_locate(w->labels, index, w->schema, done->page, &done->located, err);
    if (status)
        discard(NULL, done);
    else
        *result = done;
    return status;
}

static th_status emit(void *context, const th_input *input, th_status status, void *result,
                      const th_error *err)
{
    world *w = context;
    outcome *done = result;
    if (status)
        return status;
    if (done->located)
        status = th_writer_add(w->writer, th_located_records(done->located), NULL);
    w->pages += done->located != NULL;
    discard(NULL, done);
    return status;
}

static th_status run_once(void *context)
{
    world *w = context;
    const char *inputs[] = {w->file, w->list, w->warc};
    th_writer_options options;
    th_feed *feed = NULL;
    w->labels = NULL;
    w->schema = NULL;
    w->writer = NULL;
    w->pages = 0;
    th_status status = th_labels_read(th_str_from(w->labels_text), "labels", &w->labels, NULL);
    if (!status)
        status = th_labels_schema(w->labels, &w->schema, NULL);
    th_writer_options_init(&options);
    options.sink.write = ignore;
    options.path = w->to_file ? w->out : NULL;
    options.page_key = "page";
    options.spans = true;
    options.schema = w->schema;
    if (!status)
        status = th_writer_new(w->format, &options, &w->writer, NULL);
    if (!status)
        status = th_feed_new(inputs, 3, NULL, &feed, NULL);
    th_feed_job job = {work, emit, discard, w};
    if (!status)
        status = th_feed_map(feed, w->jobs, NULL, &job, NULL);
    if (!status && w->pages != 3)
        status = TH_ERR_FORMAT; /* a page got lost without a word */
    if (!status)
        status = th_writer_finish(w->writer, NULL);
    th_writer_free(w->writer);
    th_feed_free(feed);
    th_schema_free(w->schema);
    th_labels_free(w->labels);
    if (status && access(w->out, F_OK) == 0)
        status = TH_ERR_IO; /* something half-written is left */
    unlink(w->out);
    return status;
}

static void put_file(const char *path, const char *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static int make_world(void **state)
{
    static world w;
    char list[128];
    strcpy(w.folder, "/tmp/thresh-run-XXXXXX");
    if (!mkdtemp(w.folder))
        return -1;
    snprintf(w.labels_text, sizeof w.labels_text, label_lines, w.folder, w.folder);
    snprintf(w.file, sizeof w.file, "%s/a.html", w.folder);
    snprintf(w.list, sizeof w.list, "@%s/list", w.folder);
    snprintf(w.warc, sizeof w.warc, "%s/c.warc", w.folder);
    snprintf(w.out, sizeof w.out, "%s/out", w.folder);
    snprintf(w.inside, sizeof w.inside, "%s/folder", w.folder);
    assert_int_equal(mkdir(w.inside, 0700), 0);
    put_file(w.file, page_a, sizeof page_a - 1);
    put_file(w.warc, archive, sizeof archive - 1);
    snprintf(list, sizeof list, "%s/folder\n", w.folder);
    put_file(w.list + 1, list, strlen(list));
    snprintf(w.inside, sizeof w.inside, "%s/folder/b.html", w.folder);
    put_file(w.inside, page_b, sizeof page_b - 1);
    *state = &w;
    return 0;
}

static int remove_world(void **state)
{
    world *w = *state;
    unlink(w->file);
    unlink(w->list + 1);
    unlink(w->warc);
    unlink(w->inside);
    *strrchr(w->inside, '/') = '\0';
    return rmdir(w->inside) || rmdir(w->folder);
}

static void every_form_alone(void **state)
{
    world *w = *state;
    w->jobs = 1;
    w->to_file = false;
    for (w->format = TH_FORMAT_TABLE; w->format <= TH_FORMAT_PAGES; w->format++)
        th_test_each_allocation_fails(run_once, w);
}

static void files(void **state)
{
    world *w = *state;
    w->jobs = 1;
    w->to_file = true;
    w->format = TH_FORMAT_CSV;
    th_test_each_allocation_fails(run_once, w);
    w->format = TH_FORMAT_SQLITE;
    if (THRESH_STORE)
        th_test_some_allocations_fail(run_once, w, 60);
}

static void threads(void **state)
{
    world *w = *state;
    w->jobs = 3;
    w->to_file = false;
    w->format = TH_FORMAT_NDJSON;
    th_test_each_allocation_fails(run_once, w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_alone),
        cmocka_unit_test(files),
        cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, make_world, remove_world);
}
