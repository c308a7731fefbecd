/*
 * test_exalg.c: the worked examples of Arasu and Garcia-Molina, "Extracting Structured Data from
 * Web Pages" (SIGMOD 2003): the running example (figures 3, 4 and 6), the examples of appendix A,
 * and the patterns of table 1.
 *
 * The running example is rebuilt from what the text says of it: the 13 and 12 tokens of its two
 * classes, the nine classes of plain tokens, all occurrence vectors, and the words of page 2. The
 * comments, which figure 3 does not show, are words of their own.
 */
#include "test.h"

#include <glob.h>
#include <stdlib.h>

#include "alloc_fail.h"
#include "base/str.h"
#include "data/record.h"
#include "engine/papers/exalg/exalg.h"

enum { MOST_PAGES = 12 };

/* Pages and what EXALG makes of them. */
typedef struct sample {
    th_page *pages[MOST_PAGES];
    const th__exalg_string *strings; /* those of e */
    uint32_t count;
    th__exalg_ecgm e;
} sample;

static void sample_init(sample *s, const char *const *html, bool paths, uint32_t size,
                        uint32_t support)
{
    th_parser *parser;
    *s = (sample){0};
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    for (; html[s->count]; s->count++) {
        assert_int_equal(
            th_parser_parse(parser, th_str_from(html[s->count]), NULL, &s->pages[s->count], NULL),
            TH_OK);
    }
    th_parser_free(parser);
    assert_true(th__exalg_ecgm_init(&s->e, (const th_page *const *)s->pages, s->count, paths, size,
                                    support));
    s->strings = s->e.strings;
}

static void sample_release(sample *s)
{
    th__exalg_ecgm_release(&s->e);
    for (uint32_t i = 0; i < s->count; i++)
        th_page_free(s->pages[i]);
}

static void add_vector(const sample *s, uint32_t dtoken, th__buf *out)
{
    th__buf_add_byte(out, '(');
    for (uint32_t p = 0; p < s->count; p++) {
        uint32_t count = 0;
        for (uint32_t t = 0; t < s->strings[p].tokens.len; t++)
            count += s->e.pages[p][t] == dtoken;
        th__buf_printf(out, "%s%u", p ? "," : "", count);
    }
    th__buf_add_byte(out, ')');
}

/* The classes, a line each: vector and tokens in order, dummies left out; sorted by vector. */
static void describe(const sample *s, bool vectors, th__buf *out)
{
    for (uint32_t c = 0; c < s->e.class_count; c++) {
        const th__exalg_class *cls = &s->e.classes[c];
        if (vectors) {
            add_vector(s, cls->tokens[0], out);
            th__buf_add_byte(out, ' ');
        }
        bool blank = false;
        for (uint32_t r = 0; r < cls->size; r++) {
            th__exalg_place place = s->e.dtokens[cls->tokens[r]].place;
            const th__exalg_string *string = &s->strings[place.page];
            if (string->tokens.data[place.token].kind == TH__EXALG_DUMMY)
                continue;
            if (blank)
                th__buf_add_byte(out, ' ');
            blank = true;
            th__exalg_token_write(string, place.token, out);
        }
        th__buf_add_byte(out, '\n');
    }
    th__buf_add_byte(out, '\0');
}

static void check_classes(const sample *s, bool vectors, const char *expected)
{
    th__buf out = {0};
    describe(s, vectors, &out);
    assert_string_equal(out.data, expected);
    th__buf_release(&out);
}

/* ---- the running example ---- */

#define PAGE(title, reviews)                                                                       \
    "<html><body><b>Book Name</b> " title " <b>Reviews</b><ol>" reviews "</ol></body></html>"
#define REVIEW(name, rating, text)                                                                 \
    "<li><b>Reviewer Name</b> " name " <b>Rating</b> " rating " <b>Text</b> " text "</li>"

static const char *const figure_3[] = {
    PAGE("Databases", REVIEW("John", "7", "fine")),
    PAGE("Data Mining", REVIEW("Jeff", "2", "dull") REVIEW("Jane", "6", "nice")),
    PAGE("Query Optimization", REVIEW("John", "8", "deep")),
    PAGE("Transactions", ""),
    NULL,
};

/* Section 3: nine equivalence classes of plain tokens, two of them large and frequent. */
static void classes_of_plain_tokens(void **state)
{
    sample s;
    sample_init(&s, figure_3, false, 1, 1);
    assert_true(th__exalg_findeq(&s.e));
    check_classes(&s, true,
                  "(1,1,1,1) <html> <body> Book Reviews <ol> </ol> </body> </html>\n"
                  "(1,2,1,0) <li> Reviewer Rating Text </li>\n"
                  "(5,8,5,2) <b> </b>\n"
                  "(0,1,0,0) Data Mining Jeff 2 dull Jane 6 nice\n"
                  "(2,3,2,1) Name\n"
                  "(0,0,1,0) Query Optimization 8 deep\n"
                  "(1,0,0,0) Databases 7 fine\n"
                  "(1,0,1,0) John\n"
                  "(0,0,0,1) Transactions\n");
    sample_release(&s);
    sample_init(&s, figure_3, false, 3, 3);
    assert_true(th__exalg_findeq(&s.e));
    check_classes(&s, true,
                  "(1,1,1,1) <html> <body> Book Reviews <ol> </ol> </body> </html>\n"
                  "(1,2,1,0) <li> Reviewer Rating Text </li>\n");
    sample_release(&s);
}

/* Section 4.3: <b> is two dtokens by its paths, and three by the positions of E_e1. */
static void differentiated_tokens(void **state)
{
    sample s;
    bool changed;
    sample_init(&s, figure_3, true, 1, 1);
    uint32_t kinds = 0, seen[8];
    for (uint32_t d = 0; d < s.e.dtoken_count; d++) {
        th__exalg_place place = s.e.dtokens[d].place;
        th__buf text = {0};
        th__exalg_token_write(&s.strings[place.page], place.token, &text);
        if (th__str_eq(th__buf_str(&text), TH_STR("<b>")))
            seen[kinds++] = d;
        th__buf_release(&text);
    }
    assert_int_equal(kinds, 2);
    assert_true(seen[0] != seen[1]);
    sample_release(&s);

    sample_init(&s, figure_3, false, 3, 4); /* a support that leaves E_e1 alone */
    assert_true(th__exalg_findeq(&s.e) && th__exalg_handinv(&s.e));
    assert_int_equal(s.e.class_count, 1);
    assert_true(th__exalg_diffeq(&s.e, &changed));
    assert_true(changed);
    uint32_t roles[16], count = 0;
    for (uint32_t t = 0; t < s.strings[0].tokens.len; t++) {
        th__buf text = {0};
        th__exalg_token_write(&s.strings[0], t, &text);
        bool is_b = th__str_eq(th__buf_str(&text), TH_STR("<b>"));
        th__buf_release(&text);
        bool known = !is_b;
        for (uint32_t i = 0; i < count; i++)
            known |= roles[i] == s.e.pages[0][t];
        if (!known)
            roles[count++] = s.e.pages[0][t];
    }
    assert_int_equal(count, 3);
    sample_release(&s);
}

/* Section 4.4 and figure 6: sizes 13 and 12. */
static void classes_at_the_fixed_point(void **state)
{
    sample s;
    sample_init(&s, figure_3, true, 3, 3);
    assert_true(th__exalg_ecgm_run(&s.e));
    assert_int_equal(s.e.class_count, 2);
    assert_int_equal(s.e.classes[0].size - 2, 13); /* without the dummies */
    assert_int_equal(s.e.classes[1].size, 12);
    check_classes(&s, true,
                  "(1,1,1,1) <html> <body> <b> Book Name </b> <b> Reviews </b> <ol> </ol> </body> "
                  "</html>\n"
                  "(1,2,1,0) <li> <b> Reviewer Name </b> <b> Rating </b> <b> Text </b> </li>\n");
    /* Section 4.4: two iterations. */
    assert_int_equal(s.e.rounds, 2);
    sample_release(&s);
}

static void check_template(const th__exalg_template *t, const char *schema, const char *expected)
{
    th_schema *made;
    th_text text = {0};
    th__buf out = {0};
    assert_int_equal(th__exalg_template_schema(t, &made, NULL), TH_OK);
    assert_int_equal(th_schema_print(made, false, &text, NULL), TH_OK);
    assert_string_equal(text.ptr, schema);
    th__exalg_template_print(t, NULL, 0, &out);
    th__buf_add_byte(&out, '\0');
    if (expected)
        assert_string_equal(out.data, expected);
    th__buf_release(&out);
    th_text_release(&text);
    th_schema_free(made);
}

static void check_values(const th__exalg_template *t, const th_page *page, const char *expected)
{
    th_schema *schema;
    th_records *records;
    th__buf out = {0};
    th__json json = {.buf = &out};
    assert_int_equal(th__exalg_template_schema(t, &schema, NULL), TH_OK);
    assert_int_equal(
        th__exalg_template_run(t, schema, page, &(th_records_source){0}, 0, &records, NULL), TH_OK);
    th__value_write(th_records_get(records, 0), false, &json);
    th__buf_add_byte(&out, '\0');
    assert_string_equal(out.data, expected);
    th__buf_release(&out);
    th_records_free(records);
    th_schema_free(schema);
}

/* Figure 4: schema, template and the values of the four pages. */
static void solution_of_the_running_example(void **state)
{
    sample s;
    th__arena arena;
    th__exalg_template t;
    sample_init(&s, figure_3, true, 3, 3);
    th__arena_init(&arena);
    assert_true(th__exalg_ecgm_run(&s.e));
    assert_true(th__exalg_construct(&s.e, true, &arena, &t));
    check_template(&t, "<B,{<B,B,B>}>",
                   "  < <html> <body> <b> Book Name </b>\n"
                   "    * <b> Reviews </b> <ol>\n"
                   "    {< <li> <b> Reviewer Name </b>\n"
                   "      * <b> Rating </b>\n"
                   "      * <b> Text </b>\n"
                   "      * </li> >} </ol> </body> </html> >\n");
    static const char *const values[] = {
        "{\"field_1\":\"Databases\",\"field_2\":[{\"field_1\":\"John\",\"field_2\":\"7\","
        "\"field_3\":\"fine\"}]}",
        "{\"field_1\":\"Data Mining\",\"field_2\":[{\"field_1\":\"Jeff\",\"field_2\":\"2\","
        "\"field_3\":\"dull\"},{\"field_1\":\"Jane\",\"field_2\":\"6\",\"field_3\":\"nice\"}]}",
        "{\"field_1\":\"Query Optimization\",\"field_2\":[{\"field_1\":\"John\",\"field_2\":\"8\","
        "\"field_3\":\"deep\"}]}",
        "{\"field_1\":\"Transactions\",\"field_2\":[]}",
    };
    for (uint32_t p = 0; p < s.count; p++)
        check_values(&t, s.pages[p], values[p]);
    th__arena_release(&arena);
    sample_release(&s);
}

/* ---- appendix A ---- */

/* A class of words, in this order. */
static void set_class(sample *s, uint32_t c, const char *words)
{
    th__exalg_class *cls = &s->e.classes[c];
    cls->tokens = th__arena_alloc(&s->e.arena, 16 * sizeof *cls->tokens);
    for (; *words; words++)
        for (uint32_t d = 0; d < s->e.dtoken_count; d++) {
            th__exalg_place place = s->e.dtokens[d].place;
            const th__exalg_token *token = &s->strings[place.page].tokens.data[place.token];
            if (token->kind == TH__EXALG_WORD &&
                s->pages[place.page]->text.ptr[token->start] == *words)
                cls->tokens[cls->size++] = d;
        }
    cls->support = s->count;
}

/* HANDINV alone, on classes of single letters. */
static void check_handinv(const char *const *pages, uint32_t size, const char *const *classes,
                          const char *expected)
{
    sample s;
    sample_init(&s, pages, true, size, 1);
    s.e.classes = th__arena_zero(&s.e.arena, 8, sizeof *s.e.classes);
    for (; classes[s.e.class_count]; s.e.class_count++)
        set_class(&s, s.e.class_count, classes[s.e.class_count]);
    th__exalg_assign(&s.e);
    assert_true(th__exalg_handinv(&s.e));
    check_classes(&s, false, expected);
    sample_release(&s);
}

/* Almost ordered: {A, B, C, D} is split into {A, B} and {C, D}. */
static void example_a_1(void **state)
{
    check_handinv((const char *[]){"A B A B C D", "A B C D", "A B A B A B C D", NULL}, 2,
                  (const char *[]){"ABCD", NULL}, "A B\nC D\n");
    /* Nothing to hold on to: not almost ordered. */
    check_handinv((const char *[]){"A B C", "B C A", "C A B", NULL}, 3,
                  (const char *[]){"ABC", NULL}, "");
    /* In order as it stands. */
    check_handinv((const char *[]){"A B C A B C", "A B C", NULL}, 3, (const char *[]){"ABC", NULL},
                  "A B C\n");
}

static const char *const example_a_2_pages[] = {"A B C D A E F B C G H D", "A E F B C G H D",
                                                "E F G H", NULL};

/* Nearly nested, and so neither is removed; example A.4 tells what becomes of them. */
static void example_a_2(void **state)
{
    check_handinv(example_a_2_pages, 2, (const char *[]){"ABCD", "EFGH", NULL}, "B C\nE F\nG H\n");
    /* Badly nested: E stands in two positions of {A, B, C}. One of the two must go. */
    check_handinv((const char *[]){"A E B C E F F", "A E F B E F C", NULL}, 2,
                  (const char *[]){"ABC", "EF", NULL}, "A B C\n");
}

/* Definition 4.4: nested is within one occurrence. E is in another occurrence of {A, B, C} than F
 * and G, though in the same position. */
static void different_occurrences(void **state)
{
    check_handinv((const char *[]){"A E B C A F G B C", "A E B C A F G B C A B C", NULL}, 2,
                  (const char *[]){"ABC", "EFG", NULL}, "A B C\nF G\n");
    check_handinv((const char *[]){"A E F G B C A B C", "A B C A E F G B C", NULL}, 2,
                  (const char *[]){"ABC", "EFG", NULL}, "A B C\nE F G\n");
}

/* With a size threshold of 2 {<b>, </b>} is a class, which quarrels with both others. */
static void example_a_3(void **state)
{
    sample s;
    sample_init(&s, figure_3, false, 2, 2);
    assert_true(th__exalg_findeq(&s.e));
    check_classes(&s, true,
                  "(1,1,1,1) <html> <body> Book Reviews <ol> </ol> </body> </html>\n"
                  "(1,2,1,0) <li> Reviewer Rating Text </li>\n"
                  "(5,8,5,2) <b> </b>\n");
    assert_true(th__exalg_handinv(&s.e));
    check_classes(&s, true,
                  "(1,1,1,1) <html> <body> Book Reviews <ol> </ol> </body> </html>\n"
                  "(1,2,1,0) <li> Reviewer Rating Text </li>\n");
    sample_release(&s);
}

static void example_a_4(void **state)
{
    check_handinv(example_a_2_pages, 1, (const char *[]){"ABCD", "EFGH", NULL},
                  "A\nB C\nD\nE F\nG H\n");
    check_handinv((const char *[]){"A B C D A E F B C G H D", "A E F B C G H D", "A B C D", NULL},
                  1, (const char *[]){"ABCD", "EFGH", NULL}, "A B C D\nE F\nG H\n");
}

/* ---- table 1 ---- */

static void check_pages(const char *const *pages, uint32_t support, const char *schema,
                        const char *const *values)
{
    sample s;
    th__arena arena;
    th__exalg_template t;
    sample_init(&s, pages, true, 3, support);
    th__arena_init(&arena);
    assert_true(th__exalg_ecgm_run(&s.e));
    assert_true(th__exalg_construct(&s.e, true, &arena, &t));
    check_template(&t, schema, NULL);
    for (uint32_t p = 0; values && p < s.count; p++)
        check_values(&t, s.pages[p], values[p]);
    th__arena_release(&arena);
    sample_release(&s);
}

#define HEAD "<h1>Pub</h1>"
#define FOOT "<hr><i>bye</i>"

/* Pattern 2: a list whose separator is the same everywhere. */
static void separated_list(void **state)
{
    check_pages((const char *[]){HEAD "<p>pint<b>a</b></p> and <p>pint<b>b</b></p>" FOOT,
                                 HEAD "<p>pint<b>c</b></p>" FOOT,
                                 HEAD "<p>pint<b>d</b></p> and <p>pint<b>e</b></p> and "
                                      "<p>pint<b>f</b></p>" FOOT,
                                 NULL},
                3, "<{<B>}>",
                (const char *[]){"{\"field_1\":[{\"field_1\":\"a\"},{\"field_1\":\"b\"}]}",
                                 "{\"field_1\":[{\"field_1\":\"c\"}]}",
                                 "{\"field_1\":[{\"field_1\":\"d\"},{\"field_1\":\"e\"},"
                                 "{\"field_1\":\"f\"}]}"});
}

/* Patterns 3 and 4: one of several, and now and then. */
static void disjunction_and_optional(void **state)
{
    check_pages((const char *[]){HEAD "<p>pint<b>a</b></p>" FOOT, HEAD "<s>half<u>b</u></s>" FOOT,
                                 HEAD "<p>pint<b>c</b></p>" FOOT, HEAD "<s>half<u>d</u></s>" FOOT,
                                 NULL},
                2, "<<B>|<B>>", NULL);
    check_pages((const char *[]){HEAD "<p>pint<b>a</b></p>" FOOT, HEAD "<s>half<u>b</u></s>" FOOT,
                                 HEAD "<q>tot<em>c</em></q>" FOOT, HEAD "<p>pint<b>d</b></p>" FOOT,
                                 HEAD "<s>half<u>e</u></s>" FOOT, HEAD "<q>tot<em>f</em></q>" FOOT,
                                 NULL},
                2, "<<B>|<B>|<B>>", NULL);
    check_pages((const char *[]){HEAD "<p>pint<b>a</b></p>" FOOT, HEAD FOOT,
                                 HEAD "<p>pint<b>c</b></p>" FOOT, NULL},
                2, "<(<B>)?>",
                (const char *[]){"{\"field_1\":{\"field_1\":\"a\"}}", "{\"field_1\":null}",
                                 "{\"field_1\":{\"field_1\":\"c\"}}"});
}

/* Pattern 5, and 6: what is unknown is one text. Text before a list is a value of its own. */
static void texts(void **state)
{
    check_pages((const char *[]){HEAD "one two" FOOT, HEAD "three" FOOT, HEAD FOOT, NULL}, 3, "<B>",
                (const char *[]){"{\"field_1\":\"one two\"}", "{\"field_1\":\"three\"}",
                                 "{\"field_1\":null}"});
    check_pages((const char *[]){HEAD "x <p>pint<b>a</b></p><p>pint<b>b</b></p>" FOOT,
                                 HEAD "y <p>pint<b>c</b></p>" FOOT,
                                 HEAD "z z <p>pint<b>d</b></p><p>pint<b>e</b></p>" FOOT, NULL},
                3, "<B,{<B>}>",
                (const char *[]){
                    "{\"field_1\":\"x\",\"field_2\":[{\"field_1\":\"a\"},{\"field_1\":\"b\"}]}",
                    "{\"field_1\":\"y\",\"field_2\":[{\"field_1\":\"c\"}]}",
                    "{\"field_1\":\"z z\",\"field_2\":[{\"field_1\":\"d\"},{\"field_1\":\"e\"}]}"});
    check_pages((const char *[]){HEAD "<p>pint<b>a</b></p> x <p>pint<b>b</b></p>" FOOT,
                                 HEAD "<p>pint<b>c</b></p>" FOOT,
                                 HEAD "<p>pint<b>d</b></p> y <p>pint<b>e</b></p>" FOOT, NULL},
                3, "<B>", NULL);
}

/* ---- real pages ---- */

/* The tokens that values hold. */
static void mark_value(const th_value *value, const th__exalg_string *string, uint8_t *held)
{
    th_span span = th_value_span(value);
    if (th_value_get_kind(value) == TH_VALUE_TEXT)
        for (uint32_t t = 0; t < string->tokens.len; t++)
            held[t] |= string->tokens.data[t].start >= span.start &&
                       string->tokens.data[t].end <= span.end;
    for (size_t i = 0; i < th_value_count(value); i++)
        mark_value(th_value_item(value, i), string, held);
}

/* Returns true if a token is of a class that has something between its tokens somewhere. */
static bool in_class(const th__exalg_ecgm *e, const bool *filled, uint32_t p, uint32_t t)
{
    uint32_t cls = e->dtokens[e->pages[p][t]].cls;
    return cls != TH__EXALG_NONE && filled[cls];
}

static bool *filled_classes(const th__exalg_ecgm *e)
{
    bool *filled = calloc(e->class_count + 1, sizeof *filled);
    uint32_t *last = calloc(e->class_count + 1, sizeof *last);
    for (uint32_t p = 0; p < e->page_count; p++)
        for (uint32_t t = 0; t < e->strings[p].tokens.len; t++) {
            const th__exalg_dtoken *d = &e->dtokens[e->pages[p][t]];
            if (d->cls == TH__EXALG_NONE)
                continue;
            filled[d->cls] |= d->rank && last[d->cls] + 1 != t;
            last[d->cls] = t;
        }
    free(last);
    return filled;
}

/* A word that is between two occurrences of one class may be the separator of a list. */
static bool is_separator(const th__exalg_ecgm *e, const bool *filled, uint32_t p, uint32_t t)
{
    uint32_t count = (uint32_t)e->strings[p].tokens.len, before = t, behind = t;
    while (before && !in_class(e, filled, p, before))
        before--;
    while (behind + 1 < count && !in_class(e, filled, p, behind))
        behind++;
    const th__exalg_dtoken *left = &e->dtokens[e->pages[p][before]];
    const th__exalg_dtoken *right = &e->dtokens[e->pages[p][behind]];
    return left->cls == right->cls && left->rank + 1 == e->classes[left->cls].size && !right->rank;
}

/* Returns true if a token is a word that a reader sees: "&nbsp;" is none. */
static bool is_seen(const sample *s, uint32_t p, uint32_t t)
{
    const th__exalg_token *token = &s->strings[p].tokens.data[t];
    th_text text = {0};
    if (token->kind != TH__EXALG_WORD)
        return false;
    assert_int_equal(
        th_page_span_text(s->pages[p], (th_span){token->start, token->end}, &text, NULL), TH_OK);
    bool seen = text.len > 0;
    th_text_release(&text);
    return seen;
}

/* Words of pages learnt from that are no tokens of classes are data: each is in some value, but for
 * separators. Counts those that are not. */
static uint32_t lost_words(const sample *s, uint32_t *pages)
{
    th__arena arena;
    th__exalg_template t;
    th_schema *schema;
    uint32_t lost = 0;
    bool *filled = filled_classes(&s->e);
    th__arena_init(&arena);
    assert_true(th__exalg_construct(&s->e, true, &arena, &t));
    assert_int_equal(th__exalg_template_schema(&t, &schema, NULL), TH_OK);
    for (uint32_t p = 0; p < s->count; p++) {
        th_records *records;
        uint32_t before = lost;
        uint8_t *held = calloc(s->strings[p].tokens.len, 1);
        assert_int_equal(th__exalg_template_run(&t, schema, s->pages[p], &(th_records_source){0}, 0,
                                                &records, NULL),
                         TH_OK);
        mark_value(th_records_get(records, 0), &s->strings[p], held);
        for (uint32_t i = 0; i < s->strings[p].tokens.len; i++)
            lost += !held[i] && is_seen(s, p, i) && !in_class(&s->e, filled, p, i) &&
                    !is_separator(&s->e, filled, p, i);
        assert_float_equal(th_records_explained(records), 1, 0);
        *pages += lost > before;
        free(held);
        th_records_free(records);
    }
    free(filled);
    th_schema_free(schema);
    th__arena_release(&arena);
    return lost;
}

/* Twelve pages of each site of $THRESH_DATA/detail, read by the template that they gave. */
static void no_value_of_real_pages_is_lost(void **state)
{
    glob_t sites;
    char path[4096];
    uint32_t lost = 0, pages = 0, all = 0;
    if (!getenv("THRESH_DATA")) {
        print_message("THRESH_DATA is not set: real pages are not tried\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/detail/*/*/", getenv("THRESH_DATA"));
    assert_int_equal(glob(path, 0, NULL, &sites), 0);
    for (size_t i = 0; i < sites.gl_pathc; i++) {
        char *html[MOST_PAGES + 1] = {0};
        th_feed *feed;
        th_input *input;
        sample s;
        uint32_t count = 0;
        assert_int_equal(th_feed_new((const char *const *)&sites.gl_pathv[i], 1, NULL, &feed, NULL),
                         TH_OK);
        while (count < MOST_PAGES && th_feed_next(feed, &input, NULL) == TH_OK) {
            th_str bytes = th_input_bytes(input);
            html[count] = calloc(bytes.len + 1, 1);
            assert_non_null(html[count]);
            memcpy(html[count++], bytes.ptr, bytes.len);
            th_input_free(input);
        }
        sample_init(&s, (const char *const *)html, true, 3, 3);
        assert_true(th__exalg_ecgm_run(&s.e));
        uint32_t here = lost_words(&s, &pages);
        if (here)
            print_message("%s: %u words\n", sites.gl_pathv[i], here);
        lost += here;
        all += count;
        sample_release(&s);
        while (count--)
            free(html[count]);
        th_feed_free(feed);
    }
    globfree(&sites);
    print_message("%u words lost on %u of %u pages\n", lost, pages, all);
    assert_int_equal(lost, 0);
}

/* ---- memory ---- */

static th_status swallow(void *context, const char *bytes, size_t len, th_error *err)
{
    return TH_OK;
}

struct learnt {
    th_page **pages;
    uint64_t answer;
};

static th_status learn_once(void *context)
{
    struct learnt *learnt = context;
    th_trace trace = {.sink = {swallow, NULL}};
    th__exalg_ecgm e;
    th__arena arena;
    th__exalg_template t;
    th__arena_init(&arena);
    bool ok = th__exalg_ecgm_init(&e, (const th_page *const *)learnt->pages, 4, true, 3, 3);
    e.trace = &trace;
    ok = ok && th__exalg_ecgm_run(&e) && th__exalg_construct(&e, true, &arena, &t);
    th__exalg_ecgm_release(&e);
    th__buf out = {0};
    if (ok)
        th__exalg_template_print(&t, NULL, 0, &out);
    th_status status =
        !ok || out.failed ? TH_ERR_MEMORY : th_test_same_answer(out.data, out.len, &learnt->answer);
    th__buf_release(&out);
    th__arena_release(&arena);
    return th__trace_status(&trace, status, NULL);
}

static void memory_may_run_out(void **state)
{
    sample s;
    sample_init(&s, figure_3, true, 3, 3);
    struct learnt learnt = {s.pages, 0};
    assert_int_equal(learn_once(&learnt), TH_OK);
    th_test_some_allocations_fail(learn_once, &learnt, 200);
    sample_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_of_plain_tokens),
        cmocka_unit_test(differentiated_tokens),
        cmocka_unit_test(classes_at_the_fixed_point),
        cmocka_unit_test(solution_of_the_running_example),
        cmocka_unit_test(example_a_1),
        cmocka_unit_test(example_a_2),
        cmocka_unit_test(different_occurrences),
        cmocka_unit_test(example_a_3),
        cmocka_unit_test(example_a_4),
        cmocka_unit_test(separated_list),
        cmocka_unit_test(disjunction_and_optional),
        cmocka_unit_test(texts),
        cmocka_unit_test(no_value_of_real_pages_is_lost),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
