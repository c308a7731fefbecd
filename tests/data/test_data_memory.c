/* Every allocation failing in turn, over schema, records and each form of output: the status is
 * TH_ERR_MEMORY, nothing crashes, and nothing is leaked. */
#include "samples.h"

#include <sys/stat.h>
#include <unistd.h>

/* Counts live blocks itself, so that a leak shows without a sanitizer too. */
typedef struct failing {
    size_t calls, fail_at; /* the call that fails; 0: none */
    size_t live;
} failing;

static void *resize(void *context, void *memory, size_t size)
{
    failing *f = context;
    if (size == 0) {
        f->live -= memory != NULL;
        free(memory);
        return NULL;
    }
    if (++f->calls == f->fail_at)
        return NULL;
    f->live += memory == NULL;
    return realloc(memory, size);
}

static th_status ignore(void *context, const char *bytes, size_t len, th_error *err)
{
    *(size_t *)context += len;
    return TH_OK;
}

static th_status write_sample(th_format format, const char *path, bool known, const char *upsert,
                              th_error *err)
{
    size_t written = 0;
    th_writer_options options;
    th_writer_options_init(&options);
    options.sink = (th_sink){ignore, &written};
    options.path = path;
    options.page_key = "page";
    options.width = 60;
    options.excel = known;
    options.upsert = upsert;
    options.date = known ? "2026-01-02" : NULL;
    th_schema *schema = sample_schema(err);
    if (!schema)
        return err->status;
    th_writer *writer = NULL;
    th_records *records = sample_records(schema, "p", err);
    th_status status = records ? TH_OK : err->status;
    options.schema = known ? schema : NULL;
    if (!status)
        status = th_writer_new(format, &options, &writer, err);
    for (int i = 0; !status && i < 3; i++)
        status = th_writer_add(writer, records, err);
    if (!status)
        status = th_writer_finish(writer, err);
    th_writer_free(writer);
    th_records_free(records);
    th_schema_free(schema);
    return status;
}

/* Fails call after call until the work is done without reaching the one that would fail. */
static void fail_each(th_format format, const char *path, bool known)
{
    failing f = {.fail_at = 1};
    th_set_allocator(resize, &f);
    for (;; f.fail_at++) {
        th_error err = {0};
        f.calls = 0;
        th_status status = write_sample(format, path, known, NULL, &err);
        assert_int_equal(f.live, 0);
        if (f.calls < f.fail_at) {
            assert_int_equal(status, TH_OK);
            break;
        }
        if (status != TH_ERR_MEMORY)
            fail_msg("allocation %zu: %s: %s", f.fail_at, th_status_name(status), err.message);
        if (path)
            assert_int_equal(access(path, F_OK), -1);
    }
    th_set_allocator(NULL, NULL);
    assert_true(f.fail_at > 10);
}

static void sinks(void **state)
{
    for (th_format format = TH_FORMAT_TABLE; format <= TH_FORMAT_PAGES; format++)
        for (int known = 0; known < 2; known++)
            fail_each(format, NULL, known);
    fail_each(TH_FORMAT_TSV, NULL, false);
    fail_each(TH_FORMAT_MARKDOWN, NULL, true);
    fail_each(TH_FORMAT_HTML, NULL, false);
}

static void files(void **state)
{
    char folder[] = "/tmp/thresh-memory-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    fail_each(TH_FORMAT_CSV, path, false);
    unlink(path);
    if (THRESH_STORE)
        fail_each(TH_FORMAT_SQLITE, path, true);
    unlink(path);
    if (THRESH_XLSX)
        fail_each(TH_FORMAT_XLSX, path, false);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

static th_status read_sample(th_error *err, void *context)
{
    th_schema *schema = NULL, *again = NULL;
    th_text json = {0}, text = {0};
    schema = sample_schema(err);
    th_status status = schema ? th_schema_to_json(schema, &json, err) : err->status;
    if (!status)
        status = th_schema_from_json((th_str){json.ptr, json.len}, &again, err);
    if (!status)
        status = th_schema_print(again, true, &text, err);
    th_text_release(&json);
    th_text_release(&text);
    th_schema_free(schema);
    th_schema_free(again);
    return status;
}

/* Fails call after call of some work, until it is done without reaching the one that would fail. */
static void fail_each_of(th_status (*work)(th_error *err, void *context), void *context)
{
    failing f = {.fail_at = 1};
    th_set_allocator(resize, &f);
    for (;; f.fail_at++) {
        th_error err = {0};
        f.calls = 0;
        th_status status = work(&err, context);
        assert_int_equal(f.live, 0);
        if (f.calls < f.fail_at) {
            assert_int_equal(status, TH_OK);
            break;
        }
        if (status != TH_ERR_MEMORY)
            fail_msg("allocation %zu: %s: %s", f.fail_at, th_status_name(status), err.message);
    }
    th_set_allocator(NULL, NULL);
    assert_true(f.fail_at > 10);
}

static void schemas(void **state)
{
    fail_each_of(read_sample, NULL);
}

static th_status locate_sample(th_error *err, void *page)
{
    static const char lines[] =
        "{\"page\":\"p\",\"records\":[{\"t\":\"One\",\"l\":[\"a\",null,[\"b\"]]},"
        "{\"t\":{\"start\":3,\"end\":6},\"m\":{\"n\":1.5},\"u\":\"Onx Twq\"}]}\n";
    th_labels *labels = NULL, *again = NULL;
    th_located *located = NULL;
    th_status status = th_labels_read(th_str_from(lines), "l", &labels, err);
    if (!status)
        status = th_labels_locate(labels, 0, NULL, page, &located, err);
    th_located_free(located);
    th_labels_free(labels);
    if (!status)
        status = th_labels_new(&again, err);
    static const char *const examples[] = {"t=One", "l[]=a", "l[]=b", "f.u=/x", "f.u=/y"};
    for (size_t i = 0; !status && i < sizeof examples / sizeof *examples; i++)
        status = th_labels_add_example(again, th_str_from("p"), th_str_from(examples[i]), err);
    th_labels_free(again);
    return status;
}

static void labels(void **state)
{
    th_parser *parser;
    th_page *page;
    th_str html = th_str_from("<b>One</b> Two a <a href=/x title=b>1.5</a>");
    th_page_source source = {.url = th_str_from("http://h.example/")};
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, html, &source, &page, NULL), TH_OK);
    fail_each_of(locate_sample, page);
    th_page_free(page);
    th_parser_free(parser);
}

static th_status add_sample(th_error *err, void *path)
{
    return write_sample(TH_FORMAT_CSV, path, false, "title", err);
}

static void adding_to_a_file(void **state)
{
    char folder[] = "/tmp/thresh-memory-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("title,shelf\nSnow Country,4\n\"a \"\"b\"\"\",\n", file);
    fclose(file);
    fail_each_of(add_sample, path);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemas), cmocka_unit_test(labels),           cmocka_unit_test(sinks),
        cmocka_unit_test(files),   cmocka_unit_test(adding_to_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
