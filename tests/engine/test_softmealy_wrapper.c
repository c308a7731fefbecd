/* SoftMealy as an engine: from labels to a wrapper, on pages and on streams, mended, and what is
 * refused. The paper's own examples are in tests/papers. */
#include "test.h"

#include "alloc_fail.h"
#include "base/str.h"
#include "engine/papers/softmealy/softmealy.h"
#include "wrapper/wrapper.h"

/* ---- helpers --------------------------------------------------------------------------------- */

typedef struct lesson {
    const char *html, *labels; /* the page is called "p" */
    const char *more;          /* another page without labels, or NULL */
    const char *engine;        /* NULL: softmealy */
    bool paper;
    const th_wrapper *correct;
    const char *without;
} lesson;

static th_status teach_page(th_parser *parser, th_corpus *corpus, const char *html,
                            const char *name, th_error *err)
{
    th_page *page = NULL;
    th_records_source source = {.page = th_str_from(name)};
    th_status status = th_parser_parse(parser, th_str_from(html), NULL, &page, err);
    if (!status)
        status = th_corpus_add(corpus, page, &source, err);
    th_page_free(page);
    return status;
}

static th_status teach(const lesson *l, th_wrapper **out, char *note, size_t size, th_error *err)
{
    th_parser *parser = NULL;
    th_corpus *corpus = NULL;
    th_report *report = NULL;
    th_labels *labels = NULL;
    th_learn_options options;
    th_learn_options_init(&options);
    options.no_profile = true;
    *out = NULL;
    th_status status = th_labels_read(th_str_from(l->labels), "labels", &labels, err);
    options.engine = l->correct ? NULL : l->engine ? l->engine : "softmealy";
    options.paper.published = l->paper;
    options.correct = l->correct;
    options.without = l->without;
    if (!status)
        status = th_parser_new(NULL, &parser, err);
    if (!status)
        status = th_corpus_new(&corpus, err);
    if (!status)
        th_corpus_set_labels(corpus, labels);
    if (!status)
        status = teach_page(parser, corpus, l->html, "p", err);
    if (!status && l->more)
        status = teach_page(parser, corpus, l->more, "q", err);
    if (!status)
        status = th_learn(corpus, &options, out, &report, err);
    if (note && report && th_report_remark_count(report)) {
        th_str text = th_report_remark(report, 0)->text;
        snprintf(note, size, "%.*s", (int)text.len, text.ptr);
    }
    th_report_free(report);
    th_corpus_free(corpus);
    th_parser_free(parser);
    th_labels_free(labels);
    return status;
}

static th_wrapper *learn(const char *html, const char *labels)
{
    th_wrapper *wrapper;
    th_error err;
    if (teach(&(lesson){.html = html, .labels = labels}, &wrapper, NULL, 0, &err))
        fail_msg("%s", err.message);
    return wrapper;
}

static th_status collect(void *context, const char *bytes, size_t len, th_error *err)
{
    return th__buf_add(context, bytes, len) ? TH_OK : TH_ERR_MEMORY;
}

static th_status write_records(const th_records *records, th__buf *out, th_error *err)
{
    th_writer *writer = NULL;
    th_writer_options options;
    th_writer_options_init(&options);
    options.sink = (th_sink){collect, out};
    options.spans = false;
    th_status status = th_writer_new(TH_FORMAT_NDJSON, &options, &writer, err);
    if (!status)
        status = th_writer_add(writer, records, err);
    if (!status)
        status = th_writer_finish(writer, err);
    th_writer_free(writer);
    return status;
}

static th_status extract(const th_wrapper *wrapper, th_str html, th__buf *out, th_error *err)
{
    th_parser *parser = NULL;
    th_page *page = NULL;
    th_records *records = NULL;
    th_status status = th_parser_new(NULL, &parser, err);
    if (!status)
        status = th_parser_parse(parser, html, NULL, &page, err);
    if (!status)
        status = th_wrapper_extract(wrapper, page, NULL, &records, err);
    if (!status)
        status = write_records(records, out, err);
    th_records_free(records);
    th_page_free(page);
    th_parser_free(parser);
    return status;
}

static void expect(const th_wrapper *wrapper, const char *html, const char *records)
{
    th__buf out = {0};
    assert_int_equal(extract(wrapper, th_str_from(html), &out, NULL), TH_OK);
    assert_true(th__buf_add_byte(&out, '\0'));
    assert_string_equal(out.data, records);
    th__buf_release(&out);
}

static void expect_refused(const lesson *l, const char *words)
{
    th_wrapper *wrapper;
    th_error err = {0};
    if (teach(l, &wrapper, NULL, 0, &err) == TH_OK)
        fail_msg("learnt, and should not: %s", words);
    if (!strstr(err.message, words))
        fail_msg("\"%s\" is not in \"%s\"", words, err.message);
}

/* ---- lists ----------------------------------------------------------------------------------- */

#define ITEM(name, rest) "<li><b>" name "</b>" rest "</li>\n"
#define MAKER(text)      ", <i>" text "</i>"
#define PRICE(text)      " for <em>" text "</em>"

static const char bikes[] =
    "<html><h1>Bikes</h1><ul>\n" ITEM("Courier", MAKER("Hallam") PRICE("420"))
        ITEM("Tourer", MAKER("Hallam") MAKER("Aal")) ITEM("City", PRICE("180")) "</ul></html>";
static const char bike_labels[] =
    "{\"page\":\"p\",\"records\":[{\"name\":\"Courier\",\"maker\":[\"Hallam\"],\"price\":\"420\"},"
    "{\"name\":\"Tourer\",\"maker\":[{\"start\":103,\"end\":109},\"Aal\"]}]}";

static void missing_repeated_and_permuted_attributes_are_read(void **state)
{
    th_wrapper *wrapper = learn(bikes, bike_labels);
    expect(wrapper, bikes,
           "{\"name\":\"Courier\",\"maker\":[\"Hallam\"],\"price\":\"420\"}\n"
           "{\"name\":\"Tourer\",\"maker\":[\"Hallam\",\"Aal\"],\"price\":null}\n"
           "{\"name\":\"City\",\"maker\":null,\"price\":\"180\"}\n");
    /* orders that nobody has labelled */
    expect(wrapper,
           "<ul>" ITEM("Track", PRICE("740") MAKER("Linden")) ITEM("Mixte", "")
               ITEM("Kids", MAKER("A") MAKER("B") PRICE("95")) "</ul>",
           "{\"name\":\"Track\",\"maker\":[\"Linden\"],\"price\":\"740\"}\n"
           "{\"name\":\"Mixte\",\"maker\":null,\"price\":null}\n"
           "{\"name\":\"Kids\",\"maker\":[\"A\",\"B\"],\"price\":\"95\"}\n");
    expect(wrapper, "", "");
    expect(wrapper, "<p>Nothing was found.</p>", "");
    th_wrapper_free(wrapper);
}

/* The first value of an item may be missing: a name behind stars begins the next item. */
static void items_begin_where_members_are_out_of_order(void **state)
{
#define NAME(text)  "<b>" text "</b>"
#define STARS(text) " has <i>" text "</i>"
    static const char page[] =
        "<h1>Inn</h1><p>" NAME("Ann") STARS("4") "<br>" STARS("5") "<br>" NAME("Bob")
            STARS("3") "<br>" NAME("Cy") STARS("2") "</p>";
    th_wrapper *wrapper = learn(
        page,
        "{\"page\":\"p\",\"record\":{\"title\":\"Inn\",\"r\":[{\"name\":\"Ann\",\"stars\":\"4\"},"
        "{\"stars\":\"5\"},{\"name\":\"Bob\",\"stars\":\"3\"},{\"name\":\"Cy\",\"stars\":\"2\"}]}"
        "}");
    expect(wrapper, page,
           "{\"title\":\"Inn\",\"r\":[{\"name\":\"Ann\",\"stars\":\"4\"},{\"name\":null,\"stars\":"
           "\"5\"},"
           "{\"name\":\"Bob\",\"stars\":\"3\"},{\"name\":\"Cy\",\"stars\":\"2\"}]}\n");
    expect(wrapper, "<h1>Bar</h1><p>" STARS("1") "<br>" NAME("Gus") "</p>",
           "{\"title\":\"Bar\",\"r\":[{\"name\":null,\"stars\":\"1\"},"
           "{\"name\":\"Gus\",\"stars\":null}]}\n");
    th_wrapper_free(wrapper);
#undef NAME
#undef STARS
}

static void a_tuple_that_goes_wrong_costs_no_other(void **state)
{
    th_wrapper *wrapper = learn(bikes, bike_labels);
    /* the second name has no end that was ever seen */
    expect(wrapper,
           "<ul>" ITEM("Track", PRICE("740")) "<li><b>Broken<u>" ITEM("Kids", PRICE("95")) "</ul>",
           "{\"name\":\"Track\",\"maker\":null,\"price\":\"740\"}\n"
           "{\"name\":\"Kids\",\"maker\":null,\"price\":\"95\"}\n");
    th_wrapper_free(wrapper);
}

static void links_and_letters_that_touch_digits_are_values(void **state)
{
    th_wrapper *wrapper =
        learn("<ul><li><a href=/1 title=First>One</a> CA90210<li><a href=/2 title=Second>Two</a> "
              "NY10001</ul>",
              "{\"page\":\"p\",\"records\":[{\"link\":\"/1\",\"tip\":\"First\",\"name\":\"One\","
              "\"state\":{\"start\":39,\"end\":41},\"zip\":{\"start\":41,\"end\":46}},"
              "{\"link\":\"/2\",\"tip\":\"Second\",\"name\":\"Two\","
              "\"state\":{\"start\":82,\"end\":84},\"zip\":{\"start\":84,\"end\":89}}]}");
    expect(wrapper, "<ul><li><a href=/3 title=Third>Three</a> TX73301</ul>",
           "{\"link\":\"/3\",\"tip\":\"Third\",\"name\":\"Three\",\"state\":\"TX\",\"zip\":"
           "\"73301\"}\n");
    th_wrapper_free(wrapper);
}

/* ---- pages of one record --------------------------------------------------------------------- */

#define BOOK(title, author, year)                                                                  \
    "<html><title>Shop</title><p>News: <b>sale</b></p><h1 class=t>" title "</h1><table><tr>"       \
    "<td>Author</td><td class=v>" author "</td></tr><tr><td>Year</td><td class=v>" year            \
    "</td></tr></table></html>"

static void pages_of_one_record_are_read_in_any_order(void **state)
{
    th_wrapper *wrapper;
    th_error err;
    lesson l = {BOOK("Snow Country", "Kawabata", "1948"),
                "{\"page\":\"p\",\"record\":{\"title\":\"Snow Country\",\"author\":\"Kawabata\","
                "\"year\":\"1948\"}}",
                .more = BOOK("Walden", "Thoreau", "1854")};
    if (teach(&l, &wrapper, NULL, 0, &err))
        fail_msg("%s", err.message);
    expect(wrapper, BOOK("Emma and others", "Jane Austen", "1815"),
           "{\"title\":\"Emma and others\",\"author\":\"Jane Austen\",\"year\":\"1815\"}\n");
    expect(wrapper,
           "<table><tr><td>Year</td><td class=v>1900</td></tr><tr><td>Author</td><td class=v>X"
           "</td></tr></table><h1 class=t>Late</h1>",
           "{\"title\":\"Late\",\"author\":\"X\",\"year\":\"1900\"}\n");
    expect(wrapper, "<h1 class=t>Alone</h1>",
           "{\"title\":\"Alone\",\"author\":null,\"year\":null}\n");
    th_wrapper_free(wrapper);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void what_is_written_reads_back_the_same(void **state)
{
    for (int paper = 0; paper < 2; paper++) {
        th_wrapper *wrapper, *again;
        th_text text = {0}, text_again = {0}, words = {0}, graph = {0};
        th_error err;
        lesson l = {bikes, bike_labels, .paper = paper};
        if (teach(&l, &wrapper, NULL, 0, &err))
            fail_msg("%s", err.message);
        assert_int_equal(th_wrapper_write(wrapper, &text, NULL), TH_OK);
        if (th_wrapper_read((th_str){text.ptr, text.len}, "w", &again, &err))
            fail_msg("%s", err.message);
        assert_int_equal(th_wrapper_write(again, &text_again, NULL), TH_OK);
        assert_string_equal(text.ptr, text_again.ptr);
        assert_int_equal(th_wrapper_explain(again, &words, NULL), TH_OK);
        assert_non_null(strstr(words.ptr, "s<n\xCC\x84"
                                          "a\xCC\x84"
                                          "m\xCC\x84"
                                          "e\xCC\x84,maker>^L ::= "));
        assert_int_equal(th_wrapper_graph(again, &graph, NULL), TH_OK);
        assert_non_null(strstr(graph.ptr, "digraph softmealy {\n"));
        assert_non_null(strstr(graph.ptr, "  \"b\" -> \"name\" ["));
        th_text_release(&text);
        th_text_release(&text_again);
        th_text_release(&words);
        th_text_release(&graph);
        th_wrapper_free(wrapper);
        th_wrapper_free(again);
    }
}

#define FILE_OF(rules)                                                                             \
    "{\"thresh_wrapper\":1,\"engine\":\"softmealy\",\"schema\":{\"kind\":\"list\",\"item\":{"      \
    "\"kind\":\"tuple\",\"members\":[{\"kind\":\"field\",\"name\":\"a\"}]}},\"rules\":{" rules     \
    "}}"
#define ATTRIBUTES  "\"attributes\":[{\"field\":\"a\"}],"
#define EDGES(edge) ATTRIBUTES "\"head\":[],\"tail\":[],\"edges\":[" edge "]"

static void files_that_make_no_sense_are_refused(void **state)
{
    static const struct {
        const char *file, *words;
    } cases[] = {
        {FILE_OF("\"blanks\":1"), "rules.blanks: must"},
        {FILE_OF("\"attributes\":[]"), "rules.attributes: must"},
        {FILE_OF("\"attributes\":[{\"field\":\"x\"}]"),
         "rules.attributes[0].field: the schema has no field \"x\""},
        {FILE_OF("\"attributes\":[{\"field\":\"a\"},{\"field\":\"a\"}]"),
         "rules.attributes[1].field: the field appears twice"},
        {FILE_OF("\"attributes\":[{\"field\":\"a\",\"same_as\":\"a\"}]"),
         "rules.attributes[0].same_as: must be the field of an attribute before"},
        {FILE_OF(ATTRIBUTES "\"head\":[7]"), "rules.head[0]: must be a text"},
        {FILE_OF(EDGES("7")), "rules.edges[0]: must be an object"},
        {FILE_OF(EDGES("{\"from\":\"x\",\"to\":\"=a\"}")), "rules.edges[0].from: must be a state"},
        {FILE_OF(EDGES("{\"from\":\"e\",\"to\":\"=a\"}")), "rules.edges[0].from: must be a state"},
        {FILE_OF(EDGES("{\"from\":\"b\",\"to\":\"e\"}")), "rules.edges[0].to: an edge leads"},
        {FILE_OF(EDGES("{\"from\":\"b\",\"to\":\"=a\",\"rules\":[]}")), "rules.edges[0].rules"},
        {FILE_OF(EDGES("{\"from\":\"b\",\"to\":\"=a\",\"rules\":[{\"left\":[\"Foo(_)\"]}]}")),
         "rules.edges[0].rules[0].left[0]: byte 0: expected a class"},
        {FILE_OF(EDGES("{\"from\":\"b\",\"to\":\"=a\",\"rules\":[{\"left\":[\"Html(<a\"]}]}")),
         "rules.edges[0].rules[0].left[0]: byte 7: expected >"},
        {FILE_OF(EDGES("{\"from\":\"b\",\"to\":\"=a\",\"rules\":[{\"left\":[\"Punc(,)\"],"
                       "\"right\":[\"Num(_)Num(_)\"]}]}")),
         "rules.edges[0].rules[0].right[0]: byte 6: expected a blank"},
        {FILE_OF(EDGES("{\"from\":\"b\",\"to\":\"=a\",\"rules\":[{\"left\":[\"Spc(x)\"]}]}")),
         "expected the length of a blank"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        th_wrapper *wrapper;
        th_error err = {0};
        assert_int_equal(th_wrapper_read(th_str_from(cases[i].file), "w", &wrapper, &err),
                         TH_ERR_FORMAT);
        assert_null(wrapper);
        if (!strstr(err.message, cases[i].words))
            fail_msg("\"%s\" is not in \"%s\"", cases[i].words, err.message);
    }
}

/* A wrapper by hand, with every kind of token in it. */
static void a_file_written_by_hand_runs(void **state)
{
    static const char file[] = FILE_OF(EDGES(
        "{\"from\":\"b\",\"to\":\"=a\",\"rules\":[{\"left\":[\"Html(<!-- a\\\\) -->) Html(<p "
        "class~=\\\"x \\\\\\\"y\\\" id=\\\"i\\\">)\",\"Punc(\\\\))\"],\"right\":[\"-\"]}]},"
        "{\"from\":\"=a\",\"to\":\"e\",\"rules\":[{\"left\":[\"-\"],\"right\":[\"Html(_)\"]}]}"));
    th_wrapper *wrapper;
    th_error err;
    if (th_wrapper_read(th_str_from(file), "w", &wrapper, &err))
        fail_msg("%s", err.message);
    expect(wrapper, "<!-- a) --><p id=i class='z \"y x'>One</p> (x)Two<br>",
           "{\"a\":\"One\"}\n{\"a\":\"Two\"}\n");
    expect(wrapper, "<!-- a) --><p id=j class='z \"y x'>One</p>", "");
    th_wrapper_free(wrapper);
}

/* ---- corrections ----------------------------------------------------------------------------- */

static void a_correction_adds_what_was_wrong_and_keeps_the_rest(void **state)
{
    static const char html[] =
        "<ul>" ITEM("Track", MAKER("Linden")) ITEM("Mixte", MAKER("Sale")) "</ul>";
    static const char right[] = "{\"name\":\"Track\",\"maker\":[\"Linden\"],\"price\":null}\n"
                                "{\"name\":\"Mixte\",\"maker\":null,\"price\":\"Sale\"}\n";
    th_wrapper *wrapper = learn(bikes, bike_labels), *mended;
    th_error err;
    lesson l = {html, "{\"page\":\"p\",\"record\":{\"name\":\"Mixte\",\"price\":\"Sale\"}}",
                .correct = wrapper};
    if (teach(&l, &mended, NULL, 0, &err))
        fail_msg("%s", err.message);
    expect(mended, html, right);
    expect(mended, bikes,
           "{\"name\":\"Courier\",\"maker\":[\"Hallam\"],\"price\":\"420\"}\n"
           "{\"name\":\"Tourer\",\"maker\":[\"Hallam\",\"Aal\"],\"price\":null}\n"
           "{\"name\":\"City\",\"maker\":null,\"price\":\"180\"}\n");
    th_wrapper_free(mended);
    th_wrapper_free(wrapper);
}

/* The record has its fields in an order that began a new record. */
static void a_correction_keeps_a_record_whole(void **state)
{
    static const char old[] = "<div><b>Ann</b> <i>11</i> <b>Bob</b> <i>12</i></div>";
    static const char html[] = "<div><i>14</i> <b>Di</b></div>";
    th_wrapper *wrapper = learn(old, "{\"page\":\"p\",\"records\":[{\"n\":\"Ann\",\"r\":\"11\"},"
                                     "{\"n\":\"Bob\",\"r\":\"12\"}]}");
    th_wrapper *mended;
    th_error err;
    lesson l = {html, "{\"page\":\"p\",\"record\":{\"n\":\"Di\",\"r\":\"14\"}}",
                .correct = wrapper};
    if (teach(&l, &mended, NULL, 0, &err))
        fail_msg("%s", err.message);
    expect(mended, html, "{\"n\":\"Di\",\"r\":\"14\"}\n");
    expect(mended, old, "{\"n\":\"Ann\",\"r\":\"11\"}\n{\"n\":\"Bob\",\"r\":\"12\"}\n");
    th_wrapper_free(mended);
    th_wrapper_free(wrapper);
}

/* Tags are ground in the rules that a correction adds, or are not, as in those that it had. */
static void a_correction_keeps_the_switches(void **state)
{
    static const char labels[] =
        "{\"page\":\"p\",\"record\":{\"name\":\"Tandem\",\"price\":\"900\"}}";
    static const char html[] = "<ul><li><em>Tandem</em> (<u>900</u>)</li></ul>";
    static const char *const switches[][2] = {
        {"ground-html", NULL}, {NULL, "ground-html"}, {NULL, NULL}};
    for (int i = 0; i < 3; i++) {
        lesson l = {bikes, bike_labels, .without = switches[i][0]};
        th_wrapper *wrapper, *mended;
        th_text text = {0};
        th_error err;
        assert_int_equal(teach(&l, &wrapper, NULL, 0, &err), TH_OK);
        l = (lesson){html, labels, .correct = wrapper, .without = switches[i][1]};
        if (teach(&l, &mended, NULL, 0, &err))
            fail_msg("%s", err.message);
        expect(mended, html, "{\"name\":\"Tandem\",\"maker\":null,\"price\":\"900\"}\n");
        assert_int_equal(th_wrapper_write(mended, &text, &err), TH_OK);
        bool free = i < 2;
        assert_int_equal(strstr(text.ptr, "Html(_) Punc(_) Html(_)") != NULL, free);
        assert_int_equal(strstr(text.ptr, "\"ground_html\": false") != NULL, free);
        th_text_release(&text);
        th_wrapper_free(mended);
        th_wrapper_free(wrapper);
    }
    th_wrapper *wrapper = learn(bikes, bike_labels);
    lesson l = {bikes, bike_labels, .correct = wrapper, .without = "no-blanks"};
    expect_refused(&l, "have no tokens of white space: learn it again without no-blanks");
    l.without = "grounds";
    expect_refused(&l, "unknown softmealy switch \"grounds\"");
    th_wrapper_free(wrapper);
}

/* The last value has no end that is like those of the others. */
static void the_last_value_ends_with_the_body(void **state)
{
    static const char html[] = "<h2>Shops</h2><ul>\n<li><b>Ann</b> 11\n<li><b>Bob</b> 12\n"
                               "<li><b>Di</b> <u>1</u>4\n</ul><hr>\n<p>Foot</p>";
    static const char right[] = "{\"n\":\"Ann\",\"r\":\"11\"}\n{\"n\":\"Bob\",\"r\":\"12\"}\n"
                                "{\"n\":\"Di\",\"r\":\"14\"}\n";
    char labels[300], body[60] = "";
    for (int told = 0; told < 2; told++) {
        snprintf(labels, sizeof labels,
                 "{\"page\":\"p\",%s\"records\":[{\"n\":\"Ann\",\"r\":\"11\"},{\"n\":\"Bob\","
                 "\"r\":\"12\"}]}",
                 body);
        th_wrapper *wrapper = learn(html, labels);
        expect(wrapper, html, right);
        th_wrapper_free(wrapper);
        snprintf(body, sizeof body, "\"body\":{\"start\":%d,\"end\":%d},",
                 (int)(strstr(html, "<ul>") - html) + 4, (int)(strstr(html, "</ul>") - html));
    }
}

static void places_without_records_are_learnt(void **state)
{
    static const char html[] = "<ul>" ITEM("Note", " of the shop") ITEM("Track", PRICE("740"))
        ITEM("Mixte", PRICE("260")) "</ul><ol>" ITEM("Imprint", "") "</ol>";
    static const char wanted[] = "{\"name\":\"Track\",\"price\":\"740\"}\n"
                                 "{\"name\":\"Mixte\",\"price\":\"260\"}\n";
    static const char records[] =
        "\"records\":[{\"name\":\"Track\",\"price\":\"740\"},{\"name\":\"Mixte\",\"price\":"
        "\"260\"}]";
    char labels[400];
    snprintf(labels, sizeof labels, "{\"page\":\"p\",%s,\"body\":{\"start\":%d,\"end\":%d}}",
             records, (int)(strstr(html, "<li><b>Track") - html),
             (int)(strstr(html, "</ul>") - html));
    th_wrapper *wrapper = learn(html, labels);
    expect(wrapper, html, wanted);
    th_wrapper_free(wrapper);
    snprintf(labels, sizeof labels,
             "{\"page\":\"p\",%s,\"nothing\":[{\"start\":4,\"end\":20},{\"start\":%d,\"end\":%d}]}",
             records, (int)(strstr(html, "<ol>") - html), (int)sizeof html - 1);
    wrapper = learn(html, labels);
    expect(wrapper, html, wanted);
    th_wrapper_free(wrapper);
}

static void corrections_that_cannot_be_are_refused(void **state)
{
    th_wrapper *wrapper = learn(bikes, bike_labels), *other;
    th_error err;
    lesson l = {bikes, "{\"page\":\"p\",\"record\":{\"size\":\"420\"}}", .correct = wrapper};
    expect_refused(&l, "the wrapper has no field \"size\": learn it again");
    l.labels = "{\"page\":\"p\",\"record\":{\"name\":[\"Courier\",\"City\"]}}";
    expect_refused(&l, "name is one value in the wrapper and several in the labels");
    static const char list[] = "<ul><li><b>A</b> 1<li><b>B</b> 2<li><b>C</b> 3</ul>";
    if (teach(&(lesson){list, "{\"page\":\"x\",\"records\":[]}", .engine = "mdr"}, &other, NULL, 0,
              &err) == TH_OK) {
        l.correct = other;
        expect_refused(&l, "a wrapper of engine mdr cannot be corrected");
        th_wrapper_free(other);
    }
    th_wrapper_free(wrapper);
}

/* ---- labels that are wrong ------------------------------------------------------------------- */

static void labels_that_overlap_are_shown_both(void **state)
{
    expect_refused(&(lesson){"<p>Van Aal City</p>",
                             "{\"page\":\"p\",\"record\":{\"maker\":{\"start\":3,\"end\":10},"
                             "\"name\":{\"start\":7,\"end\":15}}}"},
                   "p: labels overlap: maker at bytes 3 to 10 (\"Van Aal\") and name at bytes 7 to "
                   "15 (\"Aal City\")");
    /* two records that claim the same place for different fields */
    expect_refused(&(lesson){"<p>Aal</p><p>City</p>",
                             "{\"page\":\"p\",\"records\":[{\"maker\":{\"start\":3,\"end\":6}},"
                             "{\"name\":{\"start\":3,\"end\":6}}]}"},
                   "p: labels overlap: maker at bytes 3 to 6 (\"Aal\") and name at bytes 3 to 6 "
                   "(\"Aal\")");
    expect_refused(&(lesson){"<p>Aal</p>", "{\"page\":\"p\",\"record\":{\"maker\":{\"start\":3,"
                                           "\"end\":600}}}"},
                   "600");
    expect_refused(&(lesson){"<p>Aal</p>", "{\"page\":\"p\",\"records\":[{\"maker\":\"Aal\"}],"
                                           "\"nothing\":[{\"start\":3,\"end\":600}]}"},
                   "p: a place is at bytes 3 to 600, but the page has only 10");
    expect_refused(&(lesson){"<p>Aal</p>", "{\"page\":\"p\",\"records\":[{}]}"},
                   "nothing to learn");
}

/* The same context stands before two fields: what tells them apart is memorized. */
static void labels_that_contexts_cannot_tell_apart_are_memorized(void **state)
{
    static const char html[] =
        "<ul>" ITEM("Track", MAKER("Red")) ITEM("Mixte", MAKER("Aal")) "</ul>";
    th_wrapper *wrapper =
        learn(html, "{\"page\":\"p\",\"records\":[{\"name\":\"Track\",\"colour\":\"Red\"},"
                    "{\"name\":\"Mixte\",\"maker\":\"Aal\"}]}");
    expect(wrapper, html,
           "{\"name\":\"Track\",\"colour\":\"Red\",\"maker\":null}\n"
           "{\"name\":\"Mixte\",\"colour\":null,\"maker\":\"Aal\"}\n");
    th_wrapper_free(wrapper);
}

static void a_thousand_labels_are_learnt_from(void **state)
{
    enum { COUNT = 1000 };
    th__buf html = {0}, labels = {0}, out = {0};
    th__buf_printf(&html, "<ul>");
    th__buf_printf(&labels, "{\"page\":\"p\",\"records\":[");
    for (int i = 0; i < COUNT; i++) {
        th__buf_printf(&html, "<li><b>");
        size_t start = html.len;
        th__buf_printf(&html, "Name%c %d", 'a' + i % 26, i);
        size_t end = html.len;
        th__buf_printf(&html, "</b>, <i>");
        th__buf_printf(&labels, "%s{\"name\":{\"start\":%zu,\"end\":%zu},", i ? "," : "", start,
                       end);
        start = html.len;
        th__buf_printf(&html, "%d kg", i * 7);
        th__buf_printf(&labels, "\"weight\":{\"start\":%zu,\"end\":%zu}}", start, html.len);
        th__buf_printf(&html, "</i></li>\n");
    }
    th__buf_printf(&html, "</ul>");
    th__buf_printf(&labels, "]}");
    th__buf_add_byte(&html, '\0');
    th__buf_add_byte(&labels, '\0');
    th_wrapper *wrapper = learn(html.data, labels.data);
    assert_int_equal(extract(wrapper, th_str_from(html.data), &out, NULL), TH_OK);
    size_t lines = 0;
    for (size_t i = 0; i < out.len; i++)
        lines += out.data[i] == '\n';
    assert_int_equal(lines, COUNT);
    assert_true(th__buf_add_byte(&out, '\0'));
    assert_non_null(strstr(out.data, "{\"name\":\"Namel 999\",\"weight\":\"6993 kg\"}"));
    th_wrapper_free(wrapper);
    th__buf_release(&html);
    th__buf_release(&labels);
    th__buf_release(&out);
}

/* ---- streams --------------------------------------------------------------------------------- */

static th_status stream(const th_wrapper *wrapper, th_str html, size_t chunk, size_t step,
                        th__buf *out, th_error *err)
{
    void *s = NULL;
    th_records_source source = {.page = th_str_from("p")};
    th_status status = th__sm_stream_new(wrapper->rules, wrapper->schema, &source, chunk, &s, err);
    for (size_t at = 0; !status && at <= html.len; at += step) {
        th_records *records = NULL;
        size_t len = html.len - at < step ? html.len - at : step;
        status = th__sm_stream_feed(s, (th_str){html.ptr + at, len}, at + step > html.len, &records,
                                    err);
        if (!status && records)
            status = write_records(records, out, err);
        th_records_free(records);
    }
    th__sm_stream_free(s);
    return status;
}

static const char odd[] =
    "\xEF\xBB\xBF<html><base href='http://x.org/d/'><script>if (a < b) '<li><b>No</b>'</script>"
    "<!-- <li><b>No</b> --><svg><title><b>x</b></title><path d='M0'/></svg><style>b { "
    "}</style><ul>\n" ITEM("Caf\xC3\xA9 &amp; Co", MAKER("Hall&eacute;m") PRICE("1,420.50"))
        ITEM("\xE4\xB8\xAD\xE6\x96\x87 \xF0\x9F\x9A\xB2",
             PRICE("12.03.2004")) ITEM("A<script>'</b>'</script>B", MAKER("<title>T</title>"))
            ITEM("Long name of many many many many many many many many many many words", "")
                ITEM("Bad \xC3( bytes \xFF", PRICE("7")) "</ul><textarea><li><b>No</b></textarea>"
                                                         "<li><b>Cut \xE4\xB8";

static void a_stream_gives_what_the_page_gives(void **state)
{
    th_wrapper *wrapper = learn(bikes, bike_labels);
    th__buf whole = {0};
    th_str html = {odd, sizeof odd - 1};
    static const size_t steps[] = {1, 2, 3, 7, 64, 1000};
    assert_int_equal(extract(wrapper, html, &whole, NULL), TH_OK);
    assert_true(whole.len > 200);
    for (size_t chunk = 1; chunk <= sizeof odd + 1; chunk += 1 + chunk / 8)
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            th__buf out = {0};
            assert_int_equal(stream(wrapper, html, chunk, steps[i], &out, NULL), TH_OK);
            if (out.len != whole.len || memcmp(out.data, whole.data, out.len))
                fail_msg("chunk %zu, step %zu:\n%.*s\nis not\n%.*s", chunk, steps[i], (int)out.len,
                         out.data, (int)whole.len, whole.data);
            th__buf_release(&out);
        }
    th__buf_release(&whole);
    th_wrapper_free(wrapper);
}

static void records_come_before_the_page_ends(void **state)
{
    th_wrapper *wrapper = learn(bikes, bike_labels);
    th_stream *s;
    th_records *records;
    th_error err;
    size_t early = 0, late = 0;
    assert_true(th_wrapper_streams(wrapper));
    assert_int_equal(th_stream_new(wrapper, NULL, &s, NULL), TH_OK);
    for (int i = 0; i < 20000; i++) {
        th_str item = th_str_from(ITEM("Track", MAKER("Linden") PRICE("740")));
        assert_int_equal(th_stream_feed(s, item, &records, NULL), TH_OK);
        early += records ? th_records_count(records) : 0;
        th_records_free(records);
    }
    assert_int_equal(th_stream_finish(s, &records, NULL), TH_OK);
    late = th_records_count(records);
    th_records_free(records);
    assert_int_equal(early + late, 20000);
    assert_true(early > 10000);
    assert_int_equal(th_stream_feed(s, (th_str){0}, &records, &err), TH_ERR_ARGUMENT);
    th_stream_free(s);
    th_wrapper_free(wrapper);
}

/* An allocator that remembers the most that was in use. */
static struct {
    size_t now, most;
} memory;

static void *counting(void *context, void *old, size_t size)
{
    size_t *block = old ? (size_t *)old - 2 : NULL;
    size_t before = block ? block[0] : 0;
    if (!size) {
        memory.now -= before;
        free(block);
        return NULL;
    }
    size_t *fresh = realloc(block, size + 2 * sizeof *fresh);
    if (!fresh)
        return NULL;
    fresh[0] = size;
    memory.now += size - before;
    if (memory.now > memory.most)
        memory.most = memory.now;
    return fresh + 2;
}

/* The most memory that a page of so many items takes. */
static size_t memory_for(const char *file, size_t items)
{
    th_wrapper *wrapper;
    th_stream *s;
    size_t found = 0;
    memory.now = memory.most = 0;
    th_set_allocator(counting, NULL);
    assert_int_equal(th_wrapper_read(th_str_from(file), "w", &wrapper, NULL), TH_OK);
    assert_int_equal(th_stream_new(wrapper, NULL, &s, NULL), TH_OK);
    for (size_t i = 0; i <= items; i++) {
        static const char item[] = ITEM(
            "Track",
            MAKER("Linden")
                PRICE("740")) "<p>Some words between the items, which are read and forgotten.</p>";
        th_records *records = NULL;
        assert_int_equal(i < items ? th_stream_feed(s, th_str_from(item), &records, NULL)
                                   : th_stream_finish(s, &records, NULL),
                         TH_OK);
        found += records ? th_records_count(records) : 0;
        th_records_free(records);
    }
    th_stream_free(s);
    th_wrapper_free(wrapper);
    assert_int_equal(memory.now, 0);
    th_set_allocator(NULL, NULL);
    assert_int_equal(found, items);
    return memory.most;
}

static void memory_does_not_grow_with_the_page(void **state)
{
    th_wrapper *wrapper = learn(bikes, bike_labels);
    th_text text = {0};
    assert_int_equal(th_wrapper_write(wrapper, &text, NULL), TH_OK);
    size_t small = memory_for(text.ptr, 10000), large = memory_for(text.ptr, 160000);
    if (large > small + small / 4)
        fail_msg("a page sixteen times as long takes %zu bytes instead of %zu", large, small);
    th_text_release(&text);
    th_wrapper_free(wrapper);
}

/* A value without an end does not fill the memory either. */
static void a_value_without_end_is_given_up(void **state)
{
    th_wrapper *wrapper = learn(bikes, bike_labels);
    th__buf html = {0}, out = {0};
    th__buf_printf(&html, "<ul><li><b>");
    for (int i = 0; i < 300000; i++)
        th__buf_printf(&html, "word ");
    th__buf_printf(&html, "</ul>" ITEM("Track", PRICE("740")));
    assert_false(html.failed);
    assert_int_equal(stream(wrapper, th__buf_str(&html), 4096, 4096, &out, NULL), TH_OK);
    th__buf_add_byte(&out, '\0');
    assert_string_equal(out.data, "{\"name\":\"Track\",\"maker\":null,\"price\":\"740\"}\n");
    th__buf_release(&html);
    th__buf_release(&out);
    th_wrapper_free(wrapper);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static th_status learn_and_run(void *context)
{
    th_wrapper *wrapper = NULL, *mended = NULL;
    th__buf out = {0};
    th_error err;
    th_status status = teach(&(lesson){bikes, bike_labels}, &wrapper, NULL, 0, &err);
    if (!status)
        status = extract(wrapper, th_str_from(bikes), &out, &err);
    if (!status)
        status = stream(wrapper, th_str_from(bikes), 64, 32, &out, &err);
    lesson l = {bikes, "{\"page\":\"p\",\"record\":{\"name\":\"City\",\"maker\":[\"180\"]}}",
                .correct = wrapper};
    if (!status)
        status = teach(&l, &mended, NULL, 0, &err);
    if (out.failed)
        status = TH_ERR_MEMORY;
    th__buf_release(&out);
    th_wrapper_free(wrapper);
    th_wrapper_free(mended);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    th_test_some_allocations_fail(learn_and_run, NULL, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_repeated_and_permuted_attributes_are_read),
        cmocka_unit_test(items_begin_where_members_are_out_of_order),
        cmocka_unit_test(a_tuple_that_goes_wrong_costs_no_other),
        cmocka_unit_test(links_and_letters_that_touch_digits_are_values),
        cmocka_unit_test(pages_of_one_record_are_read_in_any_order),
        cmocka_unit_test(what_is_written_reads_back_the_same),
        cmocka_unit_test(files_that_make_no_sense_are_refused),
        cmocka_unit_test(a_file_written_by_hand_runs),
        cmocka_unit_test(a_correction_adds_what_was_wrong_and_keeps_the_rest),
        cmocka_unit_test(a_correction_keeps_a_record_whole),
        cmocka_unit_test(a_correction_keeps_the_switches),
        cmocka_unit_test(the_last_value_ends_with_the_body),
        cmocka_unit_test(places_without_records_are_learnt),
        cmocka_unit_test(corrections_that_cannot_be_are_refused),
        cmocka_unit_test(labels_that_overlap_are_shown_both),
        cmocka_unit_test(labels_that_contexts_cannot_tell_apart_are_memorized),
        cmocka_unit_test(a_thousand_labels_are_learnt_from),
        cmocka_unit_test(a_stream_gives_what_the_page_gives),
        cmocka_unit_test(records_come_before_the_page_ends),
        cmocka_unit_test(memory_does_not_grow_with_the_page),
        cmocka_unit_test(a_value_without_end_is_given_up),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
