/* SoftMealy's worked examples: Hsu, Dung: Generating finite-state transducers for semi-structured
 * data extraction from the Web, Information Systems 23(8), 1998. Figure, example and section
 * numbers are the paper's. The page is figure 2 with what example 5 tells of its surroundings; tags
 * are written in lower case. */
#include "test.h"

#include "base/str.h"
#include "engine/papers/softmealy/softmealy.h"

#define PAGE(fifth)                                                                                \
    "<HTML><HEAD><TITLE>Computer Science Faculty</TITLE></HEAD>\n"                                 \
    "<BODY>\n"                                                                                     \
    "<H2>Faculty and Staff</H2>\n<HR>\n<UL>"                                                       \
    "<LI> <A HREF=\"http://www.cs.caltech.edu/people/mani.html\">\n"                               \
    "     Mani Chandy</A>, <I>Professor of Computer Science</I> and\n"                             \
    "     <I>Executive Officer for Computer Science</I>\n"                                         \
    "<LI> <A HREF=\"http://www.cs.caltech.edu/~arvo/home.html\">\n"                                \
    "     Jim Arvo</A>, <I>Associate Professor of Computer Science</I>\n"                          \
    "<LI> <A HREF=\"http://www.gg.caltech.edu/~david/\">\n"                                        \
    "     David E. Breen</A>, <I>Assistant Director of Computer\n"                                 \
    "     Graphics Laboratory</I>\n"                                                               \
    "<LI> John Tanner,\n"                                                                          \
    "     <I>Visiting Associate of Computer Science</I>\n"                                         \
    "<LI> " fifth "</I>\n"                                                                         \
    "</UL>\n<HR>\n<ADDRESS>\n<I>Please send comments to the webmaster.</I></ADDRESS>\n"            \
    "</BODY></HTML>\n"

#define THOMPSON_TITLE "Professor Emeritus of Applied Philosophy\n     and Computer Science"
/* Example 3 has another fifth tuple than figure 2, and example 6 names its professor. */
#define BRUCK_TITLE "Gordon and Betty Moore Professor of Electrical Engineering"

static const char figure_2[] = PAGE("Fred Thompson, <I>" THOMPSON_TITLE);
static const char example_3[] = PAGE("Jehoshua Bruck, <I>" BRUCK_TITLE);

enum { U, N, A, M, NONE };

/* The texts of a tuple in the order of the page; a newline of the page is a newline here. */
typedef struct value {
    int attribute;
    const char *text;
} value;

enum { BRUCK = 6 };

static const value tuples[6][5] = {
    {{U, "http://www.cs.caltech.edu/people/mani.html"},
     {N, "Mani Chandy"},
     {A, "Professor of Computer Science"},
     {M, "Executive Officer for Computer Science"},
     {NONE, NULL}},
    {{U, "http://www.cs.caltech.edu/~arvo/home.html"},
     {N, "Jim Arvo"},
     {A, "Associate Professor of Computer Science"},
     {NONE, NULL}},
    {{U, "http://www.gg.caltech.edu/~david/"},
     {N, "David E. Breen"},
     {M, "Assistant Director of Computer\n     Graphics Laboratory"},
     {NONE, NULL}},
    {{N, "John Tanner"}, {A, "Visiting Associate of Computer Science"}, {NONE, NULL}},
    {{N, "Fred Thompson"}, {A, THOMPSON_TITLE}, {NONE, NULL}},
    {{N, "Jehoshua Bruck"}, {A, BRUCK_TITLE}, {NONE, NULL}},
};

/* ---- a labelled page ------------------------------------------------------------------------- */

typedef struct lesson {
    th_parser *parser;
    th_page *page;
    th_schema *schema;
    th_records *labels;
    th__corpus_page corpus_page;
    th__corpus corpus;
    th__notes notes;
    th__arena arena;
} lesson;

static th_schema *faculty_schema(void)
{
    static const char *const names[] = {"U", "N", "A", "M"};
    th_schema *schema;
    th_type *members[4];
    assert_int_equal(th_schema_new(&schema, NULL), TH_OK);
    for (int i = 0; i < 4; i++)
        members[i] = th_schema_optional(
            schema, th_schema_field(schema, th_str_from(names[i]), TH_NOTE_TEXT));
    th_type *tuple = th_schema_tuple(schema, th_str_from("faculty"), members, 4);
    assert_int_equal(th_schema_finish(schema, th_schema_list(schema, (th_str){0}, tuple), NULL),
                     TH_OK);
    return schema;
}

/* Labels the tuples whose numbers are given, counted from 1, 0 at the end. */
static void begin_lesson(lesson *l, const char *caltech, const int *numbers)
{
    assert_int_equal(th_parser_new(NULL, &l->parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(l->parser, th_str_from(caltech), NULL, &l->page, NULL), TH_OK);
    l->schema = faculty_schema();
    assert_int_equal(th_records_new(l->schema, NULL, &l->labels, NULL), TH_OK);
    for (; *numbers; numbers++) {
        th_value *record = th_records_add(l->labels);
        const char *at = caltech;
        for (const value *v = tuples[*numbers - 1]; v->text; v++) {
            at = strstr(at, v->text);
            assert_non_null(at);
            uint32_t start = (uint32_t)(at - caltech), end = start + (uint32_t)strlen(v->text);
            th_records_set_text(l->labels, th_value_slot(record, (size_t)v->attribute),
                                th_str_from(v->text), (th_span){start, end});
            at += strlen(v->text);
        }
    }
    assert_int_equal(th_records_status(l->labels, NULL), TH_OK);
    th__notes_init(&l->notes);
    th__arena_init(&l->arena);
    l->corpus_page = (th__corpus_page){
        .page = l->page, .source.page = th_str_from("faculty.html"), .labels = l->labels};
    l->corpus = (th__corpus){&l->corpus_page, 1, l->schema, &l->notes};
}

static void end_lesson(lesson *l)
{
    th__notes_release(&l->notes);
    th__arena_release(&l->arena);
    th_records_free(l->labels);
    th_schema_free(l->schema);
    th_page_free(l->page);
    th_parser_free(l->parser);
}

static th__sm_rules *learn(lesson *l, th__sm_options options)
{
    th__sm_rules *rules = NULL;
    th_error err;
    if (th__sm_learn(&options, &l->corpus, &l->arena, l->schema, &rules, &err))
        fail_msg("%s", err.message);
    return rules;
}

/* ---- expectations ---------------------------------------------------------------------------- */

static th__sm_state state_named(const th__sm_rules *rules, const char *name)
{
    uint32_t dummy = *name == '-';
    if (!strcmp(name, "b") || !strcmp(name, "e"))
        return *name == 'b' ? TH__SM_BEGIN : TH__SM_END;
    for (uint32_t k = 0; k < rules->attribute_count; k++)
        if (th__str_eq(rules->attributes[k].path, th_str_from(name + dummy)))
            return (th__sm_state)(th__sm_attribute_state(k) + dummy);
    fail_msg("no state %s", name);
    return 0;
}

static const th__sm_edge *edge_between(const th__sm_rules *rules, const char *from, const char *to)
{
    th__sm_state f = state_named(rules, from), t = state_named(rules, to);
    for (uint32_t i = 0; i < rules->edge_count; i++)
        if (rules->edges[i].from == f && rules->edges[i].to == t)
            return &rules->edges[i];
    return NULL;
}

/* All alternatives of one side, in the paper's notation. */
static void expect_side(const th__sm_rules *rules, const char *from, const char *to, bool left,
                        const char *wanted)
{
    const th__sm_edge *edge = edge_between(rules, from, to);
    th__buf text = {0};
    assert_non_null(edge);
    assert_int_equal(edge->group_count, 1);
    const th__sm_group *group = &edge->groups[0];
    for (uint32_t i = 0; i < (left ? group->left_count : group->right_count); i++) {
        if (i)
            th__buf_add_str(&text, TH_STR(" | "));
        th__sm_context_print(left ? &group->lefts[i] : &group->rights[i], left, &text);
    }
    th__buf_add_byte(&text, '\0');
    assert_string_equal(text.data, wanted);
    th__buf_release(&text);
}

static th__sm_samples samples_of(lesson *l)
{
    th__sm_samples s = {.options = th__sm_paper, .arena = &l->arena};
    th_error err;
    if (th__sm_samples_make(&s, &l->corpus, l->schema, NULL, &err))
        fail_msg("%s", err.message);
    return s;
}

/* The ground context of the separator between two states of a labelled tuple. */
static void expect_instance(const th__sm_samples *s, uint32_t tuple, const char *from,
                            const char *to, bool left, const char *wanted)
{
    th__sm_rules names = {.attributes = s->attributes.data,
                          .attribute_count = (uint32_t)s->attributes.len};
    th__sm_state f = state_named(&names, from), t = state_named(&names, to);
    const th__sm_tuple *labelled = &s->tuples.data[tuple];
    th__buf text = {0};
    for (uint32_t i = 0; i < labelled->separator_count; i++) {
        const th__sm_separator *sep = &s->separators.data[labelled->separator + i];
        th__sm_context context;
        if (sep->from != f || sep->to != t)
            continue;
        assert_true(th__sm_context_of(s, sep, left, 0, &context));
        th__sm_context_print(&context, left, &text);
        th__buf_add_byte(&text, '\0');
        assert_string_equal(text.data, wanted);
        th__buf_release(&text);
        return;
    }
    fail_msg("no separator from %s to %s", from, to);
}

static void expect_tuple(const th_records *records, size_t index, int number)
{
    const th_value *record = th_records_get(records, index);
    assert_non_null(record);
    for (int k = U; k <= M; k++) {
        char wanted[100] = "";
        for (const value *v = tuples[number - 1]; v->text; v++)
            if (v->attribute == k)
                for (const char *c = v->text; *c; c++) /* blanks are folded */
                    if (*c != '\n' && !(c[0] == ' ' && c[1] == ' '))
                        strncat(wanted, c, 1);
        th_str text = th_value_text(th_value_item(record, (size_t)k));
        if (text.len != strlen(wanted) || memcmp(text.ptr ? text.ptr : "", wanted, text.len))
            fail_msg("tuple %d, %c: \"%.*s\" is not \"%s\"", number, "UNAM"[k], (int)text.len,
                     text.ptr ? text.ptr : "", wanted);
    }
}

static th_records *run(lesson *l, const th__sm_rules *rules)
{
    th_records *records;
    th_records_source source = {0};
    assert_int_equal(th__sm_run(rules, l->schema, l->page, &source, &records, NULL), TH_OK);
    return records;
}

/* ---- section 2 ------------------------------------------------------------------------------- */

/* Section 2.2: the classes of tokens. */
static void tokens_have_the_paper_classes(void **state)
{
    static const char html[] = "ASU Professor and 123<I>,\n\t\t\t\t   x";
    static const char *const wanted[] = {
        "CAlph(ASU)", "Spc(1)",    "C1Alph(Professor)", "Spc(1)", "0Alph(and)", "Spc(1)",
        "Num(123)",   "Html(<i>)", "Punc(,)",           "NL(1)",  "Tab(4)",     "Spc(3)"};
    th_parser *parser;
    th_page *page;
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, th_str_from(html), NULL, &page, NULL), TH_OK);
    th__arena arena;
    th__arena_init(&arena);
    th__sm_page sample = {0};
    th__sm_samples s = {.pages = &sample, .page_count = 1, .arena = &arena};
    assert_true(th__sm_lex(page, sizeof html - 1, s.lexing, &sample.tokens));
    for (uint32_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        th__sm_item item;
        th__buf text = {0};
        assert_true(th__sm_item_of(&s, 0, i, &item));
        th__sm_context_print(&(th__sm_context){&item, 1}, false, &text);
        th__buf_add_byte(&text, '\0');
        assert_string_equal(text.data, wanted[i]);
        th__buf_release(&text);
    }
    th__vec_release(&sample.tokens);
    th__arena_release(&arena);
    th_page_free(page);
    th_parser_free(parser);
}

/* ---- section 3.1 ----------------------------------------------------------------------------- */

/* Example 2: the instances of the first tuple's separators (and example 1's separator). */
static void example_2_instances_under_the_length_bias(void **state)
{
    lesson l;
    begin_lesson(&l, figure_2, (const int[]){1, 0});
    th__sm_samples s = samples_of(&l);
    static const char *const states[] = {"b", "U", "-U", "N", "-N", "A", "-A", "M", "e"};
    th__sm_rules names = {.attributes = s.attributes.data, .attribute_count = 4};
    assert_int_equal(s.separators.len, 8); /* (b, U, -U, N, -N, A, -A, M, e) */
    for (int i = 0; i < 8; i++) {
        assert_int_equal(s.separators.data[i].from, state_named(&names, states[i]));
        assert_int_equal(s.separators.data[i].to, state_named(&names, states[i + 1]));
    }
    expect_instance(&s, 0, "-N", "A", true, "Html(</a>) Punc(,) Spc(1) Html(<i>)");
    expect_instance(&s, 0, "-N", "A", false, "C1Alph(Professor)");
    expect_instance(&s, 0, "A", "-A", true, "C1Alph(Science)");
    expect_instance(&s, 0, "A", "-A", false, "Html(</i>) Spc(1) 0Alph(and)");
    expect_instance(&s, 0, "-A", "M", true, "0Alph(and) NL(1) Spc(5) Html(<i>)");
    expect_instance(&s, 0, "-A", "M", false, "C1Alph(Executive)");
    th__sm_samples_release(&s);
    end_lesson(&l);
}

/* Example 3: tuples 1, 2, 4 and 5. */
static void example_3_instances_of_four_tuples(void **state)
{
    static const char *const lefts[] = {
        "Html(</a>) Punc(,) Spc(1) Html(<i>)", "Html(</a>) Punc(,) Spc(1) Html(<i>)",
        "Punc(,) NL(1) Spc(5) Html(<i>)", "Punc(,) Spc(1) Html(<i>)"};
    static const char *const rights[] = {"C1Alph(Professor)", "C1Alph(Associate)",
                                         "C1Alph(Visiting)", "C1Alph(Gordon)"};
    lesson l;
    begin_lesson(&l, example_3, (const int[]){1, 2, 4, BRUCK, 0});
    th__sm_samples s = samples_of(&l);
    for (uint32_t i = 0; i < 4; i++) {
        expect_instance(&s, i, "-N", "A", true, lefts[i]);
        expect_instance(&s, i, "-N", "A", false, rights[i]);
    }
    th__sm_samples_release(&s);
    end_lesson(&l);
}

static void expect_generalized(const char *const *rows, uint32_t count, bool left,
                               const char *wanted)
{
    th__arena arena;
    th__sm_context contexts[8];
    th__buf text = {0};
    const char *fault;
    size_t where;
    th__sm_options paper = th__sm_paper;
    th__arena_init(&arena);
    for (uint32_t i = 0; i < count; i++)
        assert_true(
            th__sm_context_parse(th_str_from(rows[i]), left, &arena, &contexts[i], &fault, &where));
    assert_true(th__sm_generalize(contexts, &count, &paper, &arena));
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            th__buf_add_str(&text, TH_STR(" | "));
        th__sm_context_print(&contexts[i], left, &text);
    }
    th__buf_add_byte(&text, '\0');
    assert_string_equal(text.data, wanted);
    th__buf_release(&text);
    th__arena_release(&arena);
}

/* Example 3, second part: words are aligned with words, the rest to the right. */
static void example_3_words_share_a_column(void **state)
{
    static const char *const rows[] = {"0Alph(and) NL(1) Spc(5) Html(<i>)",
                                       "0Alph(and) Spc(1) Html(<i>)"};
    expect_generalized(rows, 2, true,
                       "0Alph(and) NL(_) Spc(_) Html(<i>) | 0Alph(and) Spc(_) Html(<i>)");
}

/* Figure 5 and the heuristics of section 3.1. */
static void columns_climb_the_taxonomy(void **state)
{
    static const char *const words[] = {"CAlph(ASU)", "C1Alph(Arizona)", "0Alph(and)"};
    static const char *const tags[] = {"Html(<i>) Num(1)", "Html(<b>) Num(1)"};
    static const char *const alone[] = {"Html(<i>) Punc(,)"};
    expect_generalized(words, 3, false, "CnAlph(_) | 0Alph(_)");
    expect_generalized(tags, 2, false, "Html(_) Num(1)");
    expect_generalized(alone, 1, true, "Html(_) Punc(_)");
}

/* Examples 1 and 4: the rules. */
static void example_4_rules(void **state)
{
    lesson l;
    begin_lesson(&l, example_3, (const int[]){1, 2, 4, BRUCK, 0});
    th__sm_rules *rules = learn(&l, th__sm_paper);
    expect_side(rules, "-N", "A", true,
                "Html(</a>) Punc(,) Spc(_) Html(<i>) | Punc(_) NL(_) Spc(_) Html(<i>) | "
                "Punc(,) Spc(_) Html(<i>)");
    expect_side(rules, "-N", "A", false, "C1Alph(_)");
    end_lesson(&l);
}

/* Figure 4: with tuple 3 there are six paths, two of which nobody labelled: a name without a link
 * and an administrative title, with an academic title before it and without. */
static void figure_4_transducer(void **state)
{
    static const char *const edges[][2] = {{"b", "U"},  {"U", "-U"}, {"-U", "N"}, {"b", "N"},
                                           {"N", "-N"}, {"-N", "A"}, {"-N", "M"}, {"A", "-A"},
                                           {"-A", "M"}, {"A", "e"},  {"M", "e"}};
    lesson l;
    begin_lesson(&l, figure_2, (const int[]){1, 2, 3, 4, 0});
    th__sm_rules *rules = learn(&l, th__sm_paper);
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        assert_non_null(edge_between(rules, edges[i][0], edges[i][1]));
    assert_int_equal(rules->edge_count, sizeof edges / sizeof *edges);
    end_lesson(&l);
}

/* Tuples 1, 2, 4 and 5 are read as labelled; the third's title is taken for an academic one, which
 * is where example 6 begins. */
static void example_6_before_the_recovery(void **state)
{
    lesson l;
    begin_lesson(&l, example_3, (const int[]){1, 2, 4, BRUCK, 0});
    th__sm_rules *rules = learn(&l, th__sm_paper);
    th_records *records = run(&l, rules);
    assert_int_equal(th_records_count(records), 5);
    expect_tuple(records, 0, 1);
    expect_tuple(records, 1, 2);
    expect_tuple(records, 3, 4);
    expect_tuple(records, 4, BRUCK);
    th_str title = th_value_text(th_value_item(th_records_get(records, 2), A));
    assert_true(th__str_eq(title, TH_STR("Assistant Director of Computer Graphics Laboratory")));
    th_records_free(records);
    end_lesson(&l);
}

/* ---- section 3.2 ----------------------------------------------------------------------------- */

/* Example 5: the contexts under the length bias find the body, so that no token is added. */
static void example_5_body_rules(void **state)
{
    lesson l;
    begin_lesson(&l, figure_2, (const int[]){1, 0});
    l.corpus_page.body = (th_span){(uint32_t)(strstr(figure_2, "<UL>") - figure_2) + 4,
                                   (uint32_t)(strstr(figure_2, "</UL>") - figure_2)};
    th__sm_rules *rules = learn(&l, th__sm_paper);
    th__buf text = {0};
    assert_int_equal(rules->head_count, 1);
    assert_int_equal(rules->tail_count, 1);
    th__sm_context_print(&rules->heads[0], true, &text);
    th__buf_add_byte(&text, '\n');
    th__sm_context_print(&rules->tails[0], false, &text);
    th__buf_add_byte(&text, '\0');
    assert_string_equal(text.data,
                        "C1Alph(Staff) Html(</h2>) NL(1) Html(<hr>) NL(1) Html(<ul>)\n"
                        "Html(</ul>) NL(1) Html(<hr>) NL(1) Html(<address>) NL(1) Html(<i>) "
                        "C1Alph(Please)");
    th__buf_release(&text);
    end_lesson(&l);
}

/* A body whose context stands before as well: tokens are added until it does not. */
static void body_rules_are_specialized(void **state)
{
    static const char html[] = "<P>One</P><UL><LI>a</UL><P>Two</P><UL><LI>b</UL>";
    lesson l;
    begin_lesson(&l, figure_2, (const int[]){1, 0});
    th_page *page;
    assert_int_equal(th_parser_parse(l.parser, th_str_from(html), NULL, &page, NULL), TH_OK);
    th__sm_page sample = {0};
    th__sm_samples s = {.pages = &sample, .page_count = 1, .arena = &l.arena};
    assert_true(th__sm_lex(page, sizeof html - 1, s.lexing, &sample.tokens));
    th__sm_context context;
    th__buf text = {0};
    sample.body = (th_span){11, 14}; /* <LI>b: <UL> alone begins the first list too */
    assert_true(th__sm_body_context(&s, 0, true, &context));
    th__sm_context_print(&context, true, &text);
    th__buf_add_byte(&text, '\0');
    assert_string_equal(text.data, "C1Alph(Two) Html(</p>) Html(<ul>)");
    sample.body = (th_span){11, 12}; /* up to b, whose context on the right is </UL> alone */
    th__buf_release(&text);
    th__vec_release(&sample.tokens);
    th_page_free(page);
    end_lesson(&l);
}

/* ---- section 3.3 ----------------------------------------------------------------------------- */

/* Labels one tuple of the page and corrects the rules with it. */
static void correct(lesson *l, const char *html, int number, th__sm_rules *rules)
{
    lesson c;
    th_error err;
    th__sm_fields fields = {0};
    begin_lesson(&c, html, (const int[]){number, 0});
    assert_true(th__sm_fields_list(l->schema, &l->arena, &fields));
    if (th__sm_correct(&th__sm_paper, &fields, &c.corpus, rules, &l->arena, &err))
        fail_msg("%s", err.message);
    th__vec_release(&fields);
    if (c.notes.lines.len)
        fail_msg("%.*s", (int)c.notes.lines.data[0].text.len, c.notes.lines.data[0].text.ptr);
    end_lesson(&c);
}

/* Example 6: the title is not discernible by its context, so that it is memorized: a pattern on
 * the left, the whole string on the right. (The paper prints another tuple's left context.) */
static void example_6_recovery(void **state)
{
    lesson l;
    begin_lesson(&l, example_3, (const int[]){1, 2, 4, BRUCK, 0});
    th__sm_rules *rules = learn(&l, th__sm_paper);
    assert_null(edge_between(rules, "-N", "M"));
    correct(&l, example_3, 3, rules);
    expect_side(rules, "-N", "M", true, "Html(</a>) Punc(,) Spc(1) Html(<i>)");
    expect_side(rules, "-N", "M", false,
                "C1Alph(Assistant) Spc(1) C1Alph(Director) Spc(1) 0Alph(of) Spc(1) "
                "C1Alph(Computer) NL(1) Spc(5) C1Alph(Graphics) Spc(1) C1Alph(Laboratory)");
    assert_true(edge_between(rules, "-N", "M")->groups[0].string);
    th_records *records = run(&l, rules);
    assert_int_equal(th_records_count(records), 5);
    for (int i = 0; i < 4; i++)
        expect_tuple(records, (size_t)i, i + 1);
    expect_tuple(records, 4, BRUCK);
    th_records_free(records);
    end_lesson(&l);
}

/* All five tuples of figure 2 with four labels at most and the recoveries: whichever four. */
static void figure_2_is_wrapped_with_four_labels(void **state)
{
    for (int left_out = 1; left_out <= 5; left_out++)
        for (int paper = 0; paper < 2; paper++) {
            int numbers[5] = {0};
            for (int i = 1, n = 0; i <= 5; i++)
                if (i != left_out)
                    numbers[n++] = i;
            lesson l;
            begin_lesson(&l, figure_2, numbers);
            th__sm_rules *rules = learn(&l, paper ? th__sm_paper : th__sm_ours);
            for (int i = 1; i <= 5; i++) /* what is right already is left alone */
                correct(&l, figure_2, i, rules);
            th_records *records = run(&l, rules);
            assert_int_equal(th_records_count(records), 5);
            for (int i = 0; i < 5; i++)
                expect_tuple(records, (size_t)i, i + 1);
            th_records_free(records);
            end_lesson(&l);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_have_the_paper_classes),
        cmocka_unit_test(example_2_instances_under_the_length_bias),
        cmocka_unit_test(example_3_instances_of_four_tuples),
        cmocka_unit_test(example_3_words_share_a_column),
        cmocka_unit_test(columns_climb_the_taxonomy),
        cmocka_unit_test(example_4_rules),
        cmocka_unit_test(figure_4_transducer),
        cmocka_unit_test(example_6_before_the_recovery),
        cmocka_unit_test(example_5_body_rules),
        cmocka_unit_test(body_rules_are_specialized),
        cmocka_unit_test(example_6_recovery),
        cmocka_unit_test(figure_2_is_wrapped_with_four_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
