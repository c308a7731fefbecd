/*
 * test_label_order.c: the order of labels does not matter, whatever the engine, and odd labels harm
 * nobody: records that overlap, come twice, are empty, or have spans anywhere on the page.
 */
#include "test.h"

#include "base/str.h"

enum { RECORDS = 5, SHUFFLES = 12, HOSTILE = 300 };

/* NULL: what `thresh learn` takes by itself. */
static const struct way {
    const char *engine;
    bool paper;
} ways[] = {{NULL, false},       {"stalker", false}, {"stalker", true}, {"softmealy", false},
            {"softmealy", true}, {"seams", false},   {"paths", false}};

static unsigned draw(unsigned *state, unsigned below)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 16) % below;
}

static void shuffle(unsigned *order, unsigned count, unsigned *state)
{
    for (unsigned i = 0; i < count; i++)
        order[i] = i;
    for (unsigned i = count; state && i > 1; i--) {
        unsigned other = draw(state, i), kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
}

/* The wrapper's file, released by the caller; empty when the labels are refused. */
static th_text learn(const struct way *way, const char *html, const char *lines)
{
    th_labels *labels = NULL;
    th_corpus *corpus = NULL;
    th_parser *parser = NULL;
    th_page *page = NULL;
    th_wrapper *wrapper = NULL;
    th_learn_options options;
    th_records_source source = {.page = TH_STR("p")};
    th_text out = {0};
    th_error err = {0};
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = way->engine;
    options.paper.published = way->paper;
    options.date = "x";
    th_status status = th_labels_read(th_str_from(lines), "labels", &labels, &err);
    if (!status)
        status = th_corpus_new(&corpus, &err);
    if (!status)
        th_corpus_set_labels(corpus, labels);
    if (!status)
        status = th_parser_new(NULL, &parser, &err);
    if (!status)
        status = th_parser_parse(parser, th_str_from(html), NULL, &page, &err);
    if (!status)
        status = th_corpus_add(corpus, page, &source, &err);
    if (!status)
        status = th_learn(corpus, &options, &wrapper, NULL, &err);
    if (!status) {
        th_records *records = NULL;
        assert_int_equal(th_wrapper_extract(wrapper, page, NULL, &records, &err), TH_OK);
        th_records_free(records);
        assert_int_equal(th_wrapper_write(wrapper, &out, &err), TH_OK);
    }
    assert_true(!status || err.message[0]);
    assert_true(status != TH_ERR_MEMORY);
    th_wrapper_free(wrapper);
    th_corpus_free(corpus);
    th_page_free(page);
    th_parser_free(parser);
    th_labels_free(labels);
    return out;
}

/* ---- order ----------------------------------------------------------------------------------- */

static const char books[] =
    "<h1>Shelf</h1><ul>"
    "<li><b>Kokoro</b>, <i>11 kg</i><p><u>Ann Aal</u> <s>x1</s></p><p><u>Bo Berg</u> <s>x2</s></p>"
    "<li><b>Naomi</b>, <i>12 kg</i><p><u>Cy Cole</u> <s>x3</s></p><p><u>Di Dahl</u> <s>x4</s></p>"
    "<li><b>Botchan</b>, <i>13 kg</i><p><u>Ed Esch</u> <s>x5</s></p><p><u>Fi Falk</u> <s>x6</s></p>"
    "<li><b>Sanshiro</b>, <i>14 kg</i><p><u>Gus Gad</u> <s>x7</s></p><p><u>Hal Holm</u> "
    "<s>x8</s></p>"
    "<li><b>Makioka</b>, <i>15 kg</i><p><u>Ida Ibel</u> <s>x9</s></p><p><u>Jo Juul</u> "
    "<s>y1</s></p>"
    "</ul><p>End</p>";
static const char *const titles[] = {"Kokoro", "Naomi", "Botchan", "Sanshiro", "Makioka"};
static const char *const people[] = {"Ann Aal", "Bo Berg", "Cy Cole",  "Di Dahl",  "Ed Esch",
                                     "Fi Falk", "Gus Gad", "Hal Holm", "Ida Ibel", "Jo Juul"};
static const char *const signs[] = {"x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "y1"};

/* Records with lists of tuples; a list of texts; one record with a list of tuples. */
enum form { PLAIN, NESTED, TEXTS, ONE, FORMS };

static void add_people(th__buf *out, unsigned first, bool texts, unsigned *state)
{
    unsigned order[2];
    shuffle(order, 2, state);
    for (unsigned k = 0; k < 2; k++) {
        unsigned i = first + order[k];
        th__buf_printf(out, texts ? "%s\"%s\"" : "%s{\"who\":\"%s\",\"sign\":\"%s\"}", k ? "," : "",
                       people[i], signs[i]);
    }
}

static void write_labels(th__buf *out, enum form form, unsigned *state)
{
    unsigned order[RECORDS];
    shuffle(order, RECORDS, state);
    out->len = 0;
    th__buf_printf(out, "{\"page\":\"p\",\"records\":[%s",
                   form == ONE ? "{\"shelf\":\"Shelf\",\"books\":[" : "");
    for (unsigned k = 0; k < RECORDS; k++) {
        unsigned i = order[k];
        th__buf_printf(out, "%s{\"title\":\"%s\",\"weight\":\"%u kg\"", k ? "," : "", titles[i],
                       11 + i);
        if (form == NESTED || form == TEXTS) {
            th__buf_printf(out, ",\"by\":[");
            add_people(out, 2 * i, form == TEXTS, state);
            th__buf_printf(out, "]");
        }
        th__buf_printf(out, "}");
    }
    th__buf_printf(out, form == ONE ? "]}]}" : "]}");
    assert_true(th__buf_add_byte(out, '\0'));
}

static void the_order_of_labels_does_not_matter(void **test)
{
    th__buf labels = {0};
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (int form = 0; form < FORMS; form++) {
            unsigned state = 7;
            write_labels(&labels, form, NULL);
            th_text sorted = learn(&ways[w], books, labels.data);
            for (int n = 0; n < SHUFFLES; n++) {
                write_labels(&labels, form, &state);
                th_text other = learn(&ways[w], books, labels.data);
                if (other.len != sorted.len ||
                    (sorted.len && memcmp(other.ptr, sorted.ptr, sorted.len) != 0))
                    fail_msg("%s, form %d: other rules for %s",
                             ways[w].engine ? ways[w].engine : "-", form, labels.data);
                th_text_release(&other);
            }
            th_text_release(&sorted);
        }
    th__buf_release(&labels);
}

/* ---- odd labels ------------------------------------------------------------------------------ */

static void add_odd_value(th__buf *out, unsigned *state)
{
    unsigned len = sizeof books - 1, start = draw(state, len), kind = draw(state, 32);
    unsigned end = start + 12 + draw(state, draw(state, 8) ? 40 : len);
    if (kind < 8)
        th__buf_printf(out, "\"%s\"", titles[draw(state, RECORDS)]);
    else if (kind < 16)
        th__buf_printf(out, "\"%s\"", people[draw(state, 10)]);
    else if (kind < 18)
        th__buf_printf(out, "null");
    else if (kind < 19)
        th__buf_printf(out, "\"\"");
    else /* a span that ends outside of the page now and then */
        th__buf_printf(out, "{\"start\":%u,\"end\":%u}", start, kind > 19 && end > len ? len : end);
}

static void write_odd_labels(th__buf *out, unsigned *state)
{
    unsigned count = 1 + draw(state, 4);
    bool nested = draw(state, 2);
    out->len = 0;
    th__buf_printf(out, "{\"page\":\"p\",\"records\":[");
    for (unsigned i = 0; i < count; i++) {
        th__buf_printf(out, "%s{\"title\":", i ? "," : "");
        add_odd_value(out, state);
        th__buf_printf(out, ",\"weight\":");
        add_odd_value(out, state);
        th__buf_printf(out, ",\"by\":[");
        for (unsigned k = 0, items = draw(state, 4); k < items; k++) {
            th__buf_printf(out, nested ? "%s{\"who\":" : "%s", k ? "," : "");
            add_odd_value(out, state);
            th__buf_printf(out, nested ? "}" : "");
        }
        th__buf_printf(out, "]}");
    }
    th__buf_printf(out, "]}");
    assert_true(th__buf_add_byte(out, '\0'));
}

/* Whatever labels say, they are learnt from or refused with a message. */
static void odd_labels_do_no_harm(void **test)
{
    th__buf labels = {0};
    unsigned state = 11, learnt = 0;
    for (int n = 0; n < HOSTILE; n++) {
        write_odd_labels(&labels, &state);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            th_text file = learn(&ways[w], books, labels.data);
            learnt += file.len > 0;
            th_text_release(&file);
        }
    }
    assert_true(learnt > HOSTILE); /* or all are refused, and nothing was tried */
    th__buf_release(&labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_labels_does_not_matter),
        cmocka_unit_test(odd_labels_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
