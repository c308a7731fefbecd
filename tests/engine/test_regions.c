/* The lists of a page by the engine that was asked for: what is refused, and memory. The records
 * are in tests/cases/engines.case. */
#include "test.h"

#include <malloc.h>
#include <string.h>

#include "alloc_fail.h"
#include "base/str.h"

static th_status collect(void *context, const char *bytes, size_t len, th_error *err)
{
    return th__buf_add(context, bytes, len) ? TH_OK : TH_ERR_MEMORY;
}

struct question {
    const char *html, *engine;
    bool paper;
};

/* All regions of a page, their records as NDJSON. */
static th_status ask(const struct question *q, th__buf *out, th_error *err)
{
    th_parser *parser = NULL;
    th_page *page = NULL;
    th_regions *regions = NULL;
    th_writer *writer = NULL;
    th_regions_options options;
    th_writer_options writing;
    th_regions_options_init(&options);
    options.engine = q->engine;
    options.paper.published = q->paper;
    th_writer_options_init(&writing);
    writing.sink = (th_sink){collect, out};
    th_status status = th_parser_new(NULL, &parser, err);
    if (!status)
        status = th_parser_parse(parser, th_str_from(q->html), NULL, &page, err);
    if (!status)
        status = th_regions_find(page, NULL, &options, &regions, err);
    if (!status)
        status = th_writer_new(TH_FORMAT_NDJSON, &writing, &writer, err);
    for (size_t i = 0; !status && i < th_regions_count(regions); i++) {
        const th_region *region = th_regions_get(regions, i);
        assert_string_equal(region->engine,
                            q->engine && strcmp(q->engine, "auto") ? q->engine : "lists");
        status = th_writer_add(writer, region->records, err);
    }
    if (!status)
        status = th_writer_finish(writer, err);
    th_writer_free(writer);
    th_regions_free(regions);
    th_page_free(page);
    th_parser_free(parser);
    return status;
}

static void expect_refused(const char *engine, bool paper, const char *message)
{
    th__buf out = {0};
    th_error err;
    struct question q = {"<ul><li>a<li>b</ul>", engine, paper};
    assert_int_equal(ask(&q, &out, &err), TH_ERR_ARGUMENT);
    assert_string_equal(err.message, message);
    th__buf_release(&out);
}

/* Each record is a cell of one row and the cell below it. */
static const char intertwined[] =
    "<table><tr><td><h3>Oak table</h3><p>solid<td><h3>Elm chair</h3><p>old"
    "<tr><td><a href=/1>€ 120</a><td><a href=/2>€ 45</a>"
    "<tr><td><h3>Ash bench</h3><p>new<td><h3>Fir shelf</h3><p>"
    "<tr><td><a href=/3>€ 80</a><td><a href=/4>€ 60</a></table>";

#define LINES                                                                                      \
    "<ul><li><b>Walden</b><p>$7.50</p><li><b>Emma</b><p>$6.00</p><li><b>Hard "                     \
    "Times</b><p>$5.25</p>"                                                                        \
    "<li><b>Dune</b><p>$4.00</p><li><b>Ivanhoe</b><p>$3.50</p></ul>"

static void unknown_engines_are_refused(void **state)
{
    expect_refused("mda", false,
                   "there is no engine \"mda\" for lists: lists, mdr and iepad are there");
    expect_refused("auto", true, "the engine \"lists\" has no published form: mdr and iepad have");
}

static th_status ask_again(void *context)
{
    th__buf out = {0};
    th_status status = ask(context, &out, NULL);
    th__buf_release(&out);
    return status;
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    struct question mdr = {intertwined, "mdr", false}, iepad = {LINES, "iepad", false};
    th_test_each_allocation_fails(ask_again, &mdr);
    th_test_each_allocation_fails(ask_again, &iepad);
}

/* Memory as it comes after other pages: full of the byte that context points at. */
static void *used_memory(void *context, void *memory, size_t size)
{
    char *fresh = size ? malloc(size) : NULL;
    size_t old = memory ? malloc_usable_size(memory) : 0;
    if (fresh) {
        memset(fresh, *(const unsigned char *)context, size);
        memcpy(fresh, memory ? memory : "", old < size ? old : size);
    }
    if (fresh || !size)
        free(memory);
    return fresh;
}

static void memory_of_earlier_pages_changes_nothing(void **state)
{
    static const char *const engines[] = {"lists", "mdr", "iepad"};
    th__buf html = {0}, out[2] = {{0}};
    for (int i = 0; i < 30; i++) /* rows, some of them of another kind */
        if (i % 9 == 4)
            th__buf_printf(&html, "<tr><td><h3>Heading %d</h3><hr><img src=x><p>ad ad<p>more", i);
        else
            th__buf_printf(&html, "<tr><td><a href=%d>Item %d</a><br><i>by %d</i><td>%d.50%s", i, i,
                           7 * i, i, i % 5 ? "" : "<br>new");
    assert_true(th__buf_add_byte(&html, '\0'));
    for (size_t e = 0; e < sizeof engines / sizeof *engines; e++) {
        struct question q = {html.data, engines[e], false};
        for (int i = 0; i < 2; i++) {
            unsigned char byte = i ? 0xA5 : 0;
            th__buf_clear(&out[i]);
            assert_true(th__buf_reserve(&out[i], 1 << 20)); /* of the usual memory */
            th_set_allocator(used_memory, &byte);
            th_status status = ask(&q, &out[i], NULL);
            th_set_allocator(NULL, NULL);
            assert_int_equal(status, TH_OK);
        }
        assert_true(out[0].len > 0 && th__str_eq(th__buf_str(&out[0]), th__buf_str(&out[1])));
    }
    th__buf_release(&html);
    th__buf_release(&out[0]);
    th__buf_release(&out[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_engines_are_refused),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
        cmocka_unit_test(memory_of_earlier_pages_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
