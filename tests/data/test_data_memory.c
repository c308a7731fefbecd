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

static th_status write_sample(th_format format, const char *path, bool known, th_error *err)
{
    size_t written = 0;
    th_writer_options options;
    th_writer_options_init(&options);
    options.sink = (th_sink){ignore, &written};
    options.path = path;
    options.page_key = "page";
    options.width = 60;
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
        th_status status = write_sample(format, path, known, &err);
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
}

static void files(void **state)
{
    char folder[] = "/tmp/thresh-memory-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    fail_each(TH_FORMAT_CSV, path, false);
    unlink(path);
    fail_each(TH_FORMAT_SQLITE, path, true);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

static th_status read_sample(th_error *err)
{
    th_schema *schema = NULL, *again = NULL;
    char *json = NULL, *text = NULL;
    schema = sample_schema(err);
    th_status status = schema ? th_schema_to_json(schema, &json, err) : err->status;
    if (!status)
        status = th_schema_from_json(th_str_from(json), &again, err);
    if (!status)
        status = th_schema_print(again, true, &text, err);
    th_string_free(json);
    th_string_free(text);
    th_schema_free(schema);
    th_schema_free(again);
    return status;
}

static void schemas(void **state)
{
    failing f = {.fail_at = 1};
    th_set_allocator(resize, &f);
    for (;; f.fail_at++) {
        th_error err = {0};
        f.calls = 0;
        th_status status = read_sample(&err);
        assert_int_equal(f.live, 0);
        if (f.calls < f.fail_at) {
            assert_int_equal(status, TH_OK);
            break;
        }
        assert_int_equal(status, TH_ERR_MEMORY);
    }
    th_set_allocator(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemas),
        cmocka_unit_test(sinks),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
