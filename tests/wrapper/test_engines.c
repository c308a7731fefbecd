/* Wrappers of MDR, IEPAD and EXALG as published: learnt, written, read, run on other pages; and
 * what is refused. */
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

static void mdr_runs_on_other_pages(void **state)
{
    expect_run_by("mdr", intertwined,
                  "<table><tr>" TITLE("Box bed", "wide") TITLE("Yew stool", "high") /**/
                  "<tr>" PRICE("300", "/7") PRICE("25", "/8") "</table>",
                  "{\"title\":\"Box bed\",\"text_1\":\"wide\",\"text_2\":\"300\",\"other\":null,"
                  "\"link\":\"/7\"}\n"
                  "{\"title\":\"Yew stool\",\"text_1\":\"high\",\"text_2\":\"25\",\"other\":null,"
                  "\"link\":\"/8\"}\n");
    expect_run_by("mdr", intertwined, "<p>Nothing found.", "");
    expect_run_by("mdr", intertwined, "", "");
}

static void iepad_runs_on_other_pages(void **state)
{
    expect_run_by("iepad", books,
                  "<ul><li><b>Ulysses</b><p>$9.00</p><li><b>Dracula</b><p>$2</p></ul>",
                  "{\"text_1\":\"Ulysses\",\"text_2\":\"$9.00\"}\n"
                  "{\"text_1\":\"Dracula\",\"text_2\":\"$2\"}\n");
    expect_run_by("iepad", books, "<p>Nothing found.", "");
    expect_run_by("iepad", books, "", "");
}

/* Words of a title that look like tags are words, in the file too. */
static void exalg_tells_words_from_tags(void **state)
{
    static const char *const pages[] = {
        "<title>The <b> tag of \\one: Ann</title><p>Ann</p><i>by</i>",
        "<title>The <b> tag of \\one: Bob Li</title><p>Bob Li</p><i>by</i>",
        "<title>The <b> tag of \\one: Cleo</title><p>Cleo</p><i>by</i>",
    };
    th_learn_options options;
    th_corpus *corpus;
    th_wrapper *wrapper;
    th_error err = {0};
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = "exalg";
    options.pick = 1; /* not in clusters */
    options.paper.published = true;
    assert_int_equal(th_corpus_new(&corpus, NULL), TH_OK);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        th_page *page = parse_page(pages[i]);
        assert_int_equal(th_corpus_add(corpus, page, NULL, NULL), TH_OK);
        th_page_free(page);
    }
    if (th_learn(corpus, &options, &wrapper, NULL, &err))
        fail_msg("%s", err.message);
    th_corpus_free(corpus);
    expect_records(wrapper, "<title>The <b> tag of \\one: Dora</title><p>Dora</p><i>by</i>",
                   "{\"field_1\":\"Dora\",\"field_2\":\"Dora\"}\n");
}

static void check_words(const char *engine, const char *page, const char *words)
{
    th_wrapper *wrapper;
    th_text text = {0};
    assert_int_equal(learn_by(engine, &page, 1, 1, &wrapper, NULL), TH_OK);
    assert_string_equal(th_wrapper_engine(wrapper), engine);
    assert_int_equal(th_wrapper_explain(wrapper, &text, NULL), TH_OK);
    if (!strstr(text.ptr, words))
        fail_msg("\"%s\" is not in \"%s\"", words, text.ptr);
    th_text_release(&text);
    th_wrapper_free(wrapper);
}

static void rules_are_shown_as_the_papers_write_them(void **state)
{
    check_words("mdr", intertwined,
                "region of 2-node combinations below /table\n  generalized node: tr tr\n");
    check_words("iepad", books,
                "  <li><TEXT><p><TEXT></p>    text_2\n    <b><TEXT></b>    text_1\n");
}

static void lists_that_are_not_there_are_refused(void **state)
{
    static const struct lesson lessons[] = {{"mdr", intertwined, NULL}, {"iepad", books, NULL}};
    for (size_t i = 0; i < 2; i++) {
        th_wrapper *wrapper;
        th_error err = {0};
        assert_int_equal(learn_by(lessons[i].engine, &lessons[i].page, 1, 9, &wrapper, &err),
                         TH_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, "so there is no number 9"));
    }
}

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
    th_text text = {0};
    th__buf out = {0};
    th_status status = learn_by(lesson->engine, pages, 2, 1, &wrapper, NULL);
    if (!status)
        status = th_wrapper_write(wrapper, &text, NULL);
    if (!status)
        status = th_wrapper_read((th_str){text.ptr, text.len}, "w", &again, NULL);
    if (!status)
        status = run_on(again, lesson->page, &out, NULL);
    th__buf_release(&out);
    th_text_release(&text);
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
        cmocka_unit_test(mdr_runs_on_other_pages),
        cmocka_unit_test(iepad_runs_on_other_pages),
        cmocka_unit_test(exalg_tells_words_from_tags),
        cmocka_unit_test(rules_are_shown_as_the_papers_write_them),
        cmocka_unit_test(lists_that_are_not_there_are_refused),
        cmocka_unit_test(faults_are_named_with_their_place),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
