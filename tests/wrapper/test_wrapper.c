/* Wrappers: written, read, and what is refused. What they find on other pages is in
 * tests/cases/other_pages.case. */
#include "wrapper_test.h"

#include "alloc_fail.h"
#include "base/json_out.h"

#define HIT(n, title, author)                                                                      \
    "<div class='hit n" #n "'><h3><a href=/b/" #n ">" title "</a></h3><p class=author>" author     \
    "</p></div>"

static const char results[] =
    "<html><body class=p1><ul class=nav><li><a href=/>Home</a><li><a href=/help>Help</a></ul>"
    "<div id=hits>" HIT(1, "Walden", "Henry Thoreau") HIT(2, "Emma", "Jane Austen")
        HIT(3, "Hard Times", "Charles Dickens") "</div></body></html>";

static void learning_says_what_is_missing(void **state)
{
    const char *const page = results, *const none = "<p>none</p>";
    th_wrapper *wrapper;
    th_error err;
    assert_int_equal(learn_from(&none, 1, 1, &wrapper, &err), TH_ERR_ARGUMENT);
    assert_null(wrapper);
    assert_int_equal(learn_from(&page, 1, 99, &wrapper, &err), TH_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "number 99"));
    th_learn_options options;
    th_corpus *corpus;
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = "none";
    assert_int_equal(th_corpus_new(&corpus, &err), TH_OK);
    assert_int_equal(th_learn_check(corpus, &options, &err), TH_ERR_ARGUMENT);
    assert_int_equal(th_learn(corpus, &options, &wrapper, NULL, &err), TH_ERR_ARGUMENT);
    assert_null(wrapper);
    th_corpus_free(corpus);
}

/* ---- the file -------------------------------------------------------------------------------- */

#define SCHEMA                                                                                     \
    "\"schema\":{\"kind\":\"list\",\"item\":{\"kind\":\"tuple\",\"members\":["                     \
    "{\"kind\":\"field\",\"name\":\"a\"},"                                                         \
    "{\"kind\":\"list\",\"item\":{\"kind\":\"field\",\"name\":\"b\"}}]}}"
#define WRAPPER(rules) "{\"thresh_wrapper\":1,\"engine\":\"auto\"," SCHEMA ",\"rules\":" rules "}"
#define SELECT(select)                                                                             \
    "{\"thresh_wrapper\":1,\"engine\":\"auto\"," SCHEMA                                            \
    ",\"rules\":{\"records\":[{\"path\":\"html > "                                                 \
    "li\"}],\"fields\":[{\"name\":\"a\",\"path\":\"b\"}]}"                                         \
    ",\"select\":" select "}"
#define PLACE "\"records\":[{\"path\":\"html > li\"}]"

static void expect_fault(const char *json, th_status status, const char *message)
{
    th_wrapper *wrapper = NULL;
    th_error err = {0};
    assert_int_equal(th_wrapper_read(th_str_from(json), "w.json", &wrapper, &err), status);
    assert_null(wrapper);
    if (!strstr(err.message, message))
        fail_msg("\"%s\" is not in \"%s\"", message, err.message);
}

static void faults_are_named_with_their_place(void **state)
{
    static const struct {
        const char *json, *message;
    } cases[] = {
        {"", "w.json: is not valid JSON"},
        {"{\"thresh_wrapper\":2}", "w.json: thresh_wrapper: the wrapper has format version 2"},
        {"{\"thresh_wrapper\":0}", "w.json: thresh_wrapper: must be"},
        {"{\"thresh_wrapper\":1}", "w.json: engine: must be the name of an engine: lists"},
        {"{\"thresh_wrapper\":1,\"engine\":\"auto\"}", "w.json: schema: is missing"},
        {"{\"thresh_wrapper\":1,\"engine\":\"auto\"," SCHEMA "}", "w.json: rules: is missing"},
        {WRAPPER("7"), "w.json: rules: must be an object"},
        {WRAPPER("{}"), "w.json: rules.records: must be an array of 1 to 1000"},
        {WRAPPER("{\"records\":[3]}"), "w.json: rules.records[0]: must be an object"},
        {WRAPPER("{\"records\":[{\"path\":\"a\"},{\"path\":\"\"}]}"),
         "rules.records[1].path: is no"},
        {WRAPPER("{\"records\":[{\"path\":\"a\"},{\"grid\":\"a\"}]}"),
         "rules.records: must all have a path"},
        {WRAPPER("{\"records\":[{\"parent\":\"a\"}]}"), "rules.records[0].head: is missing"},
        {WRAPPER("{\"records\":[{\"parent\":\"a\",\"head\":{\"element\":\"a > b\"}}]}"),
         "rules.records[0].head: element must be one step"},
        {WRAPPER("{\"records\":[{\"parent\":\"a\",\"head\":{\"element\":\"a\",\"cells\":-1}}]}"),
         "rules.records[0].head.cells: must be a whole number"},
        {WRAPPER("{" PLACE "}"), "rules.fields: must be an array"},
        {SELECT("[{\"from\":[\"a\"]}]"), "select[0].name: is missing"},
        {SELECT("[{\"name\":\"x\",\"from\":[\"y\"]}]"), "select: the schema has no text"},
        {SELECT("[{\"name\":\"x\",\"from\":[\"a\"],\"type\":\"x\"}]"),
         "select[0].type: must be one of any, text, number, price, date"},
        {SELECT("[{\"name\":\"x\",\"from\":[\"a\"],\"join\":3}]"),
         "select[0].join: must be true or false"},
        {SELECT("[{\"name\":\"x\",\"parts\":[{\"from\":[\"a\"]},{\"from\":[7]}]}]"),
         "select[0].parts[1].from[0]: must be a text"},
        {WRAPPER("{" PLACE ",\"fields\":[{\"name\":\"a\"}]}"), "rules.fields[0].path: is missing"},
        {WRAPPER("{" PLACE ",\"fields\":[{\"name\":\"z\",\"path\":\"b\"}]}"),
         "rules.fields[0]: the schema has no member \"z\""},
        {WRAPPER("{" PLACE ",\"fields\":[{\"name\":\"b\",\"path\":\"b\"}]}"),
         "rules.fields[0]: \"b\" is a list in the schema but one value here"},
        {WRAPPER("{" PLACE ",\"fields\":[{\"name\":\"a\",\"path\":\"b\",\"position\":0}]}"),
         "rules.fields[0].position: must be a whole number from 1"},
        {WRAPPER("{" PLACE ",\"fields\":[{\"name\":\"a\",\"path\":\"b\",\"core\":1}]}"),
         "rules.fields[0].core: must be true or false"},
        {WRAPPER("{" PLACE ",\"fields\":[{\"path\":\"b\",\"kind\":\"link\"}]}"),
         "rules.fields[0].name: is missing"},
        {WRAPPER("{" PLACE ",\"fields\":[{\"name\":\"a\",\"path\":\"b\",\"label\":{\"text\":\"x\","
                 "\"hash\":\"12\"}}]}"),
         "rules.fields[0].label.hash: must be 16"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_fault(cases[i].json, TH_ERR_FORMAT, cases[i].message);
}

static void what_is_too_large_is_refused(void **state)
{
    size_t len = (16 << 20) + 1;
    char *bytes = malloc(len + 1);
    assert_non_null(bytes);
    memset(bytes, ' ', len);
    bytes[len] = '\0';
    expect_fault(bytes, TH_ERR_LIMIT, "w.json: has 16777217 bytes");
    memset(bytes, '[', len);
    bytes[100000] = '\0';
    expect_fault(bytes, TH_ERR_FORMAT, "w.json: is not valid JSON");
    free(bytes);
}

static void wrappers_are_told_by_what_is_in_them(void **state)
{
    assert_true(th_wrapper_is(th_str_from("{\"thresh_wrapper\": 1")));
    assert_true(
        th_wrapper_is(th_str_from("\xEF\xBB\xBF\n { \"engine\": 1, \"thresh_wrapper\": 1")));
    assert_false(th_wrapper_is(th_str_from("")));
    assert_false(th_wrapper_is(th_str_from("{\"page\": 1}")));
    assert_false(th_wrapper_is(th_str_from("<html>{\"thresh_wrapper\": 1}")));
}

static void json_is_laid_out(void **state)
{
    th__buf out = {0};
    assert_true(
        th__json_pretty(TH_STR("{\"a\":[],\"b\":\"x,{\\\"\",\"c\":[1,{\"d\":null}]}"), &out));
    assert_true(th__buf_add_byte(&out, '\0'));
    assert_string_equal(out.data, "{\"a\": [], \"b\": \"x,{\\\"\", \"c\": [1, {\"d\": null}]}\n");
    th__buf_release(&out);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static th_status all_of_it(void *context)
{
    const char *const *pages = context;
    th_wrapper *wrapper = NULL, *again = NULL;
    th_text text = {0}, text_again = {0}, words = {0};
    th__buf out = {0};
    th_status status = learn_from(pages, 2, 1, &wrapper, NULL);
    if (!status)
        status = th_wrapper_write(wrapper, &text, NULL);
    if (!status)
        status = th_wrapper_read((th_str){text.ptr, text.len}, "w", &again, NULL);
    if (!status)
        status = th_wrapper_write(again, &text_again, NULL);
    if (!status)
        assert_string_equal(text.ptr, text_again.ptr);
    if (!status)
        status = th_wrapper_explain(again, &words, NULL);
    if (!status)
        status = run_on(again, pages[1], &out, NULL);
    th__buf_release(&out);
    th_text_release(&text);
    th_text_release(&words);
    th_text_release(&text_again);
    th_wrapper_free(wrapper);
    th_wrapper_free(again);
    return status;
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    const char *pages[] = {results, results};
    th_test_some_allocations_fail(all_of_it, pages, 400);
    const char *runs[] = {"<dl><dt>Ada<dd>1815<dd>x<dt>Alan<dd>1912<dd>y<dt>Grace<dd>1906<dd>z<dt>"
                          "Kurt<dd>1906<dd>w</dl>",
                          "<dl><dt>Edsger<dd>1930<dd>v</dl>"};
    th_test_some_allocations_fail(all_of_it, runs, 400);
}

/* A wrapper with columns of all kinds, written, read and run; the columns of a selection again. */
static th_status with_columns(void *context)
{
    const char *const *pages = context;
    th_wrapper *wrapper = NULL, *again = NULL;
    th_text text = {0}, words = {0};
    th__buf out = {0};
    th_status status = learn_from(pages, 1, 1, &wrapper, NULL);
    if (!status)
        status = th_wrapper_set_columns(wrapper, "number:number,text_1+text_2=both,*", ", ", NULL);
    if (!status)
        status = th_wrapper_set_columns(wrapper, "number:date=x", NULL, NULL);
    if (status == TH_ERR_ARGUMENT) /* : comes last */
        status = th_wrapper_set_columns(wrapper, "both,number=year:date", NULL, NULL);
    if (!status)
        status = th_wrapper_write(wrapper, &text, NULL);
    if (!status)
        status = th_wrapper_read((th_str){text.ptr, text.len}, "w", &again, NULL);
    if (!status)
        status = th_wrapper_explain(again, &words, NULL);
    if (!status)
        status = run_on(again, pages[0], &out, NULL);
    if (!status)
        assert_non_null(strstr(words.ptr, "year  number, as a date"));
    th__buf_release(&out);
    th_text_release(&text);
    th_text_release(&words);
    th_wrapper_free(wrapper);
    th_wrapper_free(again);
    return status;
}

static void columns_can_be_chosen(void **state)
{
    const char *pages[] = {"<table><tr><td>Ada<td>1815<td>x<tr><td>Alan<td>1912<td>y"
                           "<tr><td>Grace<td>1906<td>z<tr><td>Kurt<td>1907<td>w</table>"};
    assert_int_equal(with_columns(pages), TH_OK);
    th_test_some_allocations_fail(with_columns, pages, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learning_says_what_is_missing),
        cmocka_unit_test(faults_are_named_with_their_place),
        cmocka_unit_test(what_is_too_large_is_refused),
        cmocka_unit_test(wrappers_are_told_by_what_is_in_them),
        cmocka_unit_test(json_is_laid_out),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
        cmocka_unit_test(columns_can_be_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
