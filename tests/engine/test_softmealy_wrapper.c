/* SoftMealy as an engine: its file, switches, streams, memory. What it learns is in
 * tests/cases/softmealy.case; the paper's own examples are in tests/papers. */
#include "test.h"

#include "alloc_fail.h"
#include "base/str.h"
#include "engine/papers/softmealy/softmealy.h"
#include "wrapper/wrapper.h"

/* ---- helpers --------------------------------------------------------------------------------- */

typedef struct lesson {
    const char *html, *labels; /* the page is called "p" */
    bool paper;
    const th_wrapper *correct;
    const char *without;
} lesson;

static th_status teach(const lesson *l, th_wrapper **out, th_error *err)
{
    th_parser *parser = NULL;
    th_corpus *corpus = NULL;
    th_labels *labels = NULL;
    th_page *page = NULL;
    th_learn_options options;
    th_learn_options_init(&options);
    options.no_profile = true;
    *out = NULL;
    th_status status = th_labels_read(th_str_from(l->labels), "labels", &labels, err);
    options.engine = l->correct ? NULL : "softmealy";
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
        status = th_parser_parse(parser, th_str_from(l->html), NULL, &page, err);
    if (!status)
        status = th_corpus_add(corpus, page, &(th_records_source){.page = th_str_from("p")}, err);
    th_page_free(page);
    if (!status)
        status = th_learn(corpus, &options, out, NULL, err);
    th_corpus_free(corpus);
    th_parser_free(parser);
    th_labels_free(labels);
    return status;
}

static th_wrapper *learn(const char *html, const char *labels)
{
    th_wrapper *wrapper;
    th_error err;
    if (teach(&(lesson){.html = html, .labels = labels}, &wrapper, &err))
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
    if (teach(l, &wrapper, &err) == TH_OK)
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

/* ---- the file -------------------------------------------------------------------------------- */

static void what_is_written_reads_back_the_same(void **state)
{
    for (int paper = 0; paper < 2; paper++) {
        th_wrapper *wrapper, *again;
        th_text text = {0}, text_again = {0}, words = {0}, graph = {0};
        th_error err;
        lesson l = {bikes, bike_labels, .paper = paper};
        if (teach(&l, &wrapper, &err))
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
        assert_int_equal(teach(&l, &wrapper, &err), TH_OK);
        l = (lesson){html, labels, .correct = wrapper, .without = switches[i][1]};
        if (teach(&l, &mended, &err))
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

/* ---- many labels ----------------------------------------------------------------------------- */

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
    th_status status = teach(&(lesson){bikes, bike_labels}, &wrapper, &err);
    if (!status)
        status = extract(wrapper, th_str_from(bikes), &out, &err);
    if (!status)
        status = stream(wrapper, th_str_from(bikes), 64, 32, &out, &err);
    lesson l = {bikes, "{\"page\":\"p\",\"record\":{\"name\":\"City\",\"maker\":[\"180\"]}}",
                .correct = wrapper};
    if (!status)
        status = teach(&l, &mended, &err);
    th_text rules[2] = {{0}, {0}};
    if (!status)
        status = th_wrapper_explain(wrapper, &rules[0], &err);
    if (!status)
        status = th_wrapper_explain(mended, &rules[1], &err);
    for (int i = 0; !status && i < 2; i++)
        th__buf_add(&out, rules[i].ptr, rules[i].len);
    if (out.failed)
        status = TH_ERR_MEMORY;
    if (!status)
        status = th_test_same_answer(out.data, out.len, context);
    th_text_release(&rules[0]);
    th_text_release(&rules[1]);
    th__buf_release(&out);
    th_wrapper_free(wrapper);
    th_wrapper_free(mended);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    uint64_t answer = 0;
    assert_int_equal(learn_and_run(&answer), TH_OK);
    th_test_some_allocations_fail(learn_and_run, &answer, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back_the_same),
        cmocka_unit_test(files_that_make_no_sense_are_refused),
        cmocka_unit_test(a_file_written_by_hand_runs),
        cmocka_unit_test(a_correction_keeps_the_switches),
        cmocka_unit_test(a_thousand_labels_are_learnt_from),
        cmocka_unit_test(a_stream_gives_what_the_page_gives),
        cmocka_unit_test(records_come_before_the_page_ends),
        cmocka_unit_test(memory_does_not_grow_with_the_page),
        cmocka_unit_test(a_value_without_end_is_given_up),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
