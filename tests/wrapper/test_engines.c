/* Wrapper files of MDR and IEPAD: what is refused, and memory. What they find is in
 * tests/cases/engines.case. */
#include "wrapper_test.h"

#include "alloc_fail.h"

/* Each record is a cell of one row and the cell below it. */
#define TITLE(name, text)  "<td><h3>" name "</h3><p>" text "</p>"
#define PRICE(price, link) "<td><a href=" link ">" price "</a>"

static const char intertwined[] =
    "<table><tr>" TITLE("Oak table", "solid") TITLE("Elm chair", "old") "<tr>" PRICE("120", "/1")
        PRICE("45", "/2") "<tr>" TITLE("Ash bench", "new") TITLE("Fir shelf", "low") /**/
    "<tr>" PRICE("80", "/3") PRICE("60", "/4") "</table>";

static const char books[] =
    "<ul><li><b>Walden</b><p>$7.50</p><li><b>Emma</b><p>$6.00</p><li><b>Hard Times</b><p>$5.25</p>"
    "<li><b>Dune</b><p>$4.00</p><li><b>Ivanhoe</b><p>$3.50</p></ul>";

struct lesson {
    const char *engine, *page, *more; /* a second page, or NULL: the same again */
};

#define SCHEMA                                                                                     \
    "\"schema\":{\"kind\":\"list\",\"item\":{\"kind\":\"tuple\",\"members\":[{\"kind\":\"field\"," \
    "\"name\":\"a\"}]}}"
#define WRAPPER(engine, rules)                                                                     \
    "{\"thresh_wrapper\":1,\"engine\":\"" engine "\"," SCHEMA ",\"rules\":" rules "}"
#define IEPAD(name)                                                                                \
    "{\"levels\":[\"block-level\"],\"skip_hidden\":true,\"media_as_text\":true,\"last_record\":"   \
    "true,\"fields\":[{\"name\":\"" name "\",\"kind\":\"text\",\"chosen\":true}],\"patterns\":"    \
    "[{\"pattern\":\"<li><TEXT>\",\"columns\":[{\"column\":1,\"field\":0}]}]}"
#define REGION                                                                                     \
    "{\"cut\":\"whole\",\"threshold\":0.3,\"class_threshold\":0.8,\"parts\":[{\"parent\":{"        \
    "\"path\":"                                                                                    \
    "\"ul\"},\"nodes\":[{\"tag\":\"li\"}],\"prototypes\":[\"li b\"],\"records\":[]}],\"seen\":"    \
    "{\"generalized_nodes\":2,\"records\":2}}"

static void faults_are_named_with_their_place(void **state)
{
    static const struct {
        const char *json, *message;
    } cases[] = {
        {WRAPPER("mdr", "{}"), "w.json: rules.region: is missing"},
        {WRAPPER("mdr", "{\"region\":{\"cut\":\"odd\"}}"),
         "w.json: rules.region.cut: must be one of"},
        {WRAPPER("mdr", "{\"region\":" REGION "}"), "w.json: rules.fields: must be an array"},
        {WRAPPER("mdr", "{\"region\":" REGION ",\"fields\":[{\"name\":\"z\",\"path\":\"b\"}]}"),
         "w.json: rules.fields[0]: the schema has no member \"z\""},
        {WRAPPER("iepad", "{}"), "w.json: rules.levels"},
        {WRAPPER("iepad", IEPAD("b")), "w.json: rules.fields: the chosen fields"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        th_wrapper *wrapper = NULL;
        th_error err = {0};
        assert_int_equal(th_wrapper_read(th_str_from(cases[i].json), "w.json", &wrapper, &err),
                         TH_ERR_FORMAT);
        assert_null(wrapper);
        if (!strstr(err.message, cases[i].message))
            fail_msg("\"%s\" is not in \"%s\"", cases[i].message, err.message);
    }
    /* The same without the fault. */
    static const char *const good[] = {
        WRAPPER("iepad", IEPAD("a")),
        WRAPPER("mdr", "{\"region\":" REGION ",\"fields\":[{\"name\":\"a\",\"path\":\"b\"}]}")};
    for (size_t i = 0; i < 2; i++) {
        th_wrapper *wrapper = NULL;
        th_error err = {0};
        if (th_wrapper_read(th_str_from(good[i]), "w.json", &wrapper, &err))
            fail_msg("%s", err.message);
        th_wrapper_free(wrapper);
    }
}

static th_status learn_and_run(void *context)
{
    const struct lesson *lesson = context;
    const char *const pages[] = {lesson->page, lesson->more ? lesson->more : lesson->page};
    th_wrapper *wrapper = NULL, *again = NULL;
    th_text text = {0}, text_again = {0};
    th__buf out = {0};
    th_status status = learn_by(lesson->engine, pages, 2, 1, &wrapper, NULL);
    if (!status)
        status = th_wrapper_write(wrapper, &text, NULL);
    if (!status)
        status = th_wrapper_read((th_str){text.ptr, text.len}, "w", &again, NULL);
    if (!status)
        status = th_wrapper_write(again, &text_again, NULL);
    if (!status)
        assert_string_equal(text.ptr, text_again.ptr);
    if (!status)
        status = run_on(again, lesson->page, &out, NULL);
    th__buf_release(&out);
    th_text_release(&text);
    th_text_release(&text_again);
    th_wrapper_free(wrapper);
    th_wrapper_free(again);
    return status;
}

static void running_out_of_memory_leaks_nothing(void **state)
{
#define PLAIN "<li><b>title</b><p>by</p></li>"
#define NOTED "<li><p>new</p><b>title</b><p>by</p></li>"
    struct lesson mdr = {"mdr", intertwined, NULL}, iepad = {"iepad", books, NULL};
    struct lesson joined = {"iepad", "<ul>" PLAIN PLAIN PLAIN PLAIN PLAIN "</ul>",
                            "<ul>" PLAIN NOTED PLAIN NOTED PLAIN NOTED "</ul>"};
    th_test_each_allocation_fails(learn_and_run, &mdr);
    th_test_each_allocation_fails(learn_and_run, &iepad);
    th_test_each_allocation_fails(learn_and_run, &joined);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_named_with_their_place),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
