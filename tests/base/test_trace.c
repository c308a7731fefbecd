/* The steps of engines as text and as JSON lines, and what happens when they cannot be written. */
#include "test.h"

#include "alloc_fail.h"
#include "base/trace.h"

static th_status keep(void *context, const char *bytes, size_t len, th_error *err)
{
    return th__buf_add(context, bytes, len) ? TH_OK : TH_ERR_MEMORY;
}

static void write_steps(th_trace *to)
{
    th__step step;
    th__step_begin(&step, to, "round", 0);
    th__step_uint(&step, "number", 1);
    th__step_end(&step);
    th__step_begin(&step, to, "class", 1);
    th__step_uints(&step, "vector", (const uint32_t[]){1, 2, 0}, 3);
    th__step_uints(&step, "roles", NULL, 0);
    th__step_real(&step, "distance", 0.567);
    th__step_text(&step, "tokens", TH_STR("<b> \"Name\""));
    th__step_end(&step);
    th__step_begin(&step, to, "template", 1);
    th__step_text(&step, "is", TH_STR("< A\n  * B >\n"));
    th__step_end(&step);
    th__step_begin(&step, to, "end", 0);
    th__step_end(&step);
}

static void check(bool json, const char *expected)
{
    th__buf out = {0};
    th_trace trace = {.sink = {keep, &out}, .json = json};
    write_steps(&trace);
    assert_int_equal(th__trace_status(&trace, TH_OK, NULL), TH_OK);
    th__buf_add_byte(&out, '\0');
    assert_string_equal(out.data, expected);
    th__buf_release(&out);
}

static void text_and_json(void **state)
{
    check(false, "round: number 1\n"
                 "  class: vector <1,2,0>, roles <>, distance 0.57, tokens <b> \"Name\"\n"
                 "  template: is\n"
                 "    < A\n"
                 "      * B >\n"
                 "end\n");
    check(true, "{\"step\":\"round\",\"depth\":0,\"number\":1}\n"
                "{\"step\":\"class\",\"depth\":1,\"vector\":[1,2,0],\"roles\":[],\"distance\":0.57,"
                "\"tokens\":\"<b> \\\"Name\\\"\"}\n"
                "{\"step\":\"template\",\"depth\":1,\"is\":\"< A\\n  * B >\\n\"}\n"
                "{\"step\":\"end\",\"depth\":0}\n");
}

static void nobody_asks(void **state)
{
    write_steps(NULL);
    assert_int_equal(th__trace_status(NULL, TH_OK, NULL), TH_OK);
    assert_int_equal(th__trace_status(NULL, TH_ERR_IO, NULL), TH_ERR_IO);
}

static th_status refuse(void *context, const char *bytes, size_t len, th_error *err)
{
    ++*(int *)context;
    *err = (th_error){.status = TH_ERR_IO, .message = "the disk is full"};
    return TH_ERR_IO;
}

/* Nothing is written behind the first failure, and whoever gave the trace is told. */
static void sink_fails(void **state)
{
    int calls = 0;
    th_error err;
    th_trace trace = {.sink = {refuse, &calls}};
    write_steps(&trace);
    assert_int_equal(calls, 1);
    assert_int_equal(th__trace_status(&trace, TH_OK, &err), TH_ERR_IO);
    assert_string_equal(err.message, "the disk is full");
}

static th_status write_once(void *context)
{
    th__buf out = {0};
    th_trace trace = {.sink = {keep, &out}, .json = *(bool *)context};
    write_steps(&trace);
    th__buf_release(&out);
    return trace.status;
}

static void memory_may_run_out(void **state)
{
    bool json = false;
    th_test_some_allocations_fail(write_once, &json, 100);
    json = true;
    th_test_some_allocations_fail(write_once, &json, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_and_json),
        cmocka_unit_test(nobody_asks),
        cmocka_unit_test(sink_fails),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
