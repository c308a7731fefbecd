/*
 * test_stalker.c: the worked examples of "Accurately and Reliably Extracting Data from the Web"
 * (Knoblock, Lerman, Minton, Muslea 2000), sections 2 and 3.
 *
 * Figure 3 as printed has lost the <b> of E4; the text says that it is there. Its "..." at the end
 * is a phone number, or backward rules would have nothing to skip.
 */
#include "test.h"

#include "alloc_fail.h"
#include "base/str.h"
#include "engine/papers/stalker/stalker.h"

#define REST "<p>Phone:<i> (310) 555-1212</i>"
static const char *const figure3[] = {
    "Cuisine:<i>Seafood</i><p>Address:<i> 12 Pico St. </i>" REST,
    "Cuisine:<i>Thai </i><p>Address:<i> 512 Oak Blvd.</i>" REST,
    "Cuisine:<i>Burgers</i><p>Address:<i> 416 Main St. </i>" REST,
    "Cuisine:<i>Pizza</i><p>Address:<b> 97 Adams Blvd. </b>" REST,
};
static const char *const address[] = {"12 Pico St.", "512 Oak Blvd.", "416 Main St.",
                                      "97 Adams Blvd."};
enum { E = sizeof figure3 / sizeof *figure3 };

struct figure {
    th__arena arena;
    th_page *pages[E];
    th__stalker_seq seqs[E];
    th__stalker_example starts[E];
};

static int setup(void **state)
{
    struct figure *f = calloc(1, sizeof *f);
    th_parser *parser;
    assert_non_null(f);
    th__arena_init(&f->arena);
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    for (int i = 0; i < E; i++) {
        th_str html = th_str_from(figure3[i]);
        assert_int_equal(th_parser_parse(parser, html, NULL, &f->pages[i], NULL), TH_OK);
        th_span whole = {0, (uint32_t)html.len};
        assert_true(th__stalker_seq_make(&f->arena, f->pages[i], whole, &f->seqs[i]));
        uint32_t start = (uint32_t)(strstr(figure3[i], address[i]) - figure3[i]);
        uint32_t at = th__stalker_seq_at(&f->seqs[i], start);
        uint32_t end = th__stalker_seq_at(&f->seqs[i], start + (uint32_t)strlen(address[i]));
        f->starts[i] = (th__stalker_example){.seq = &f->seqs[i],
                                             .last = f->seqs[i].count,
                                             .low = at,
                                             .high = at,
                                             .item_first = at,
                                             .item_last = end};
    }
    th_parser_free(parser);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct figure *f = *state;
    for (int i = 0; i < E; i++)
        th_page_free(f->pages[i]);
    th__arena_release(&f->arena);
    free(f);
    return 0;
}

static th__landmark_rule rule_of(struct figure *f, const char *const *texts, bool backward)
{
    th__landmark_rule rule = {.backward = backward};
    const char *problem = NULL;
    rule.disjuncts = th__arena_zero(&f->arena, 8, sizeof *rule.disjuncts);
    for (; texts[rule.count]; rule.count++)
        if (!th__disjunct_read(th_str_from(texts[rule.count]), &f->arena, backward,
                               &rule.disjuncts[rule.count], &problem))
            fail_msg("%s: %s", texts[rule.count], problem ? problem : "no memory");
    return rule;
}

/* On which examples a rule is right, is early, matches late, or fails: one letter each. */
static void expect_outcome(struct figure *f, const th__landmark_rule *rule, const char *expected)
{
    char outcome[E + 1] = {0};
    for (int i = 0; i < E; i++) {
        const th__stalker_example *e = &f->starts[i];
        uint32_t at = th__rule_run(rule, e->seq, e->first, e->last, NULL);
        bool before = rule->backward ? at > e->high : at < e->low;
        outcome[i] = at == TH__NO_MATCH           ? 'f'
                     : th__stalker_right(rule, e) ? 'r'
                     : before                     ? 'e'
                                                  : 'l';
    }
    assert_string_equal(outcome, expected);
}

static void expect_rule(struct figure *f, const char *text, const char *expected)
{
    const char *const texts[] = {text, NULL};
    th__landmark_rule rule = rule_of(f, texts, text[0] == 'B');
    expect_outcome(f, &rule, expected);
}

/* ---- section 2 ------------------------------------------------------------------------------- */

static void rules_of_the_paper(void **state)
{
    struct figure *f = *state;
    expect_rule(f, "SkipTo(Address) SkipTo(<i>)", "rrrl");                                /* R1 */
    expect_rule(f, "SkipTo(Address : <i>)", "rrrf");                                      /* R2 */
    expect_rule(f, "SkipTo(Cuisine : <i>) SkipTo(Address : <i>)", "rrrf");                /* R3 */
    expect_rule(f, "SkipTo(Cuisine : <i> _Capitalized_ </i> <p> Address : <i>)", "rrrf"); /* R4 */
    expect_rule(f, "SkipTo(<b>)", "fffr");                                                /* R5 */
    expect_rule(f, "SkipTo(_HtmlTag_)", "eeee");                                          /* R6 */
    expect_rule(f, "SkipTo(: _HtmlTag_)", "eeee");                                        /* R7 */
    expect_rule(f, "SkipTo(_Punctuation_ _HtmlTag_)", "eeee");                            /* R8 */
    expect_rule(f, "SkipTo(:) SkipTo(_HtmlTag_)", "eeee");                                /* R9 */
    expect_rule(f, "SkipTo(Address) SkipTo(_HtmlTag_)", "rrrr");                          /* R10 */
    expect_rule(f, "BackTo(Phone) BackTo(_Number_)", "rrrr");                             /* R11 */
    expect_rule(f, "BackTo(Phone : <i>) BackTo(_Number_)", "rrrr");                       /* R12 */
    expect_rule(f, "SkipTo(Address : _HtmlTag_)", "rrrr"); /* the nondisjunctive one */
}

/* The disjunctive rule of the paper reads SkipTo(Address:) first, which would stop before the <b>;
 * with the tag it is what the text says. The first disjunct that matches decides. */
static void disjunctive_rule(void **state)
{
    struct figure *f = *state;
    const char *const either[] = {"SkipTo(Address : <b>)", "SkipTo(Address) SkipTo(<i>)", NULL};
    th__landmark_rule rule = rule_of(f, either, false);
    expect_outcome(f, &rule, "rrrr");
    const char *const other[] = {"SkipTo(Address) SkipTo(<i>)", "SkipTo(Address : <b>)", NULL};
    rule = rule_of(f, other, false);
    expect_outcome(f, &rule, "rrrl");
}

static void skip_until(void **state)
{
    struct figure *f = *state;
    expect_rule(f, "SkipTo(Address) SkipUntil(_Number_)", "rrrr");
    expect_rule(f, "BackTo(Phone) BackUntil(Address : _HtmlTag_)", "rrrr");
    expect_rule(f, "SkipUntil(Fax)", "ffff");
}

static th__stalker_learnt induce(struct figure *f, uint32_t count, bool backward)
{
    th__stalker_learnt learnt;
    th__stalker_task task = {
        .examples = f->starts, .count = count, .backward = backward, .published = true};
    assert_true(th__stalker_induce(&task, &f->arena, &learnt));
    return learnt;
}

static void learning_from_four(void **state)
{
    struct figure *f = *state;
    for (int backward = 0; backward < 2; backward++) {
        th__stalker_learnt learnt = induce(f, E, backward);
        expect_outcome(f, &learnt.rule, "rrrr");
        assert_int_equal(learnt.rule.count, 1);
        assert_int_equal(learnt.right, E);
        assert_int_equal(learnt.imperfect, 0);
    }
    /* The forward one is the paper's. */
    th__stalker_learnt learnt = induce(f, E, false);
    th__buf text = {0};
    th__disjunct_write(&learnt.rule.disjuncts[0], false, &text);
    assert_true(th__buf_add_byte(&text, '\0'));
    assert_string_equal(text.data, "SkipTo(Address) SkipTo(_HtmlTag_)");
    th__buf_release(&text);
}

/* The seed is the example with the shortest prefix: here E4, whose <b> no other example has. R5,
 * SkipTo(<b>), is right on it and fails on the others; R6, SkipTo(_HtmlTag_), is early on all, and
 * is the one that is refined. */
static void the_seed(void **state)
{
    struct figure *f = *state;
    th__stalker_example examples[E];
    memcpy(examples, f->starts, sizeof examples);
    examples[3].first = 1; /* its prefix is one token shorter */
    th__stalker_task task = {.examples = examples, .count = E, .published = true};
    th__stalker_learnt learnt;
    assert_true(th__stalker_induce(&task, &f->arena, &learnt));
    th__buf text = {0};
    th__disjunct_write(&learnt.rule.disjuncts[0], false, &text);
    assert_true(th__buf_add_byte(&text, '\0'));
    assert_string_equal(text.data, "SkipTo(Address) SkipTo(_HtmlTag_)"); /* R10 */
    assert_int_equal(learnt.rule.count, 1);
    th__buf_release(&text);
}

/* A page without an address: a rule must not find one. */
static void missing_item(void **state)
{
    struct figure *f = *state;
    th__stalker_example examples[E];
    memcpy(examples, f->starts, sizeof examples);
    examples[3].none = true;
    th__stalker_task task = {.examples = examples, .count = E};
    th__stalker_learnt learnt;
    assert_true(th__stalker_induce(&task, &f->arena, &learnt));
    assert_int_equal(learnt.right, E);
    expect_outcome(f, &learnt.rule, "rrrf");
}

/* Two examples with nothing in common want two disjuncts. */
static void covering(void **state)
{
    struct figure *f = *state;
    th__stalker_example examples[2] = {f->starts[0], f->starts[3]};
    uint32_t cuisine = th__stalker_seq_at(&f->seqs[3], 11); /* Pizza, for the address */
    examples[1].low = examples[1].high = examples[1].item_first = cuisine;
    examples[1].item_last = cuisine + 1;
    th__stalker_task task = {.examples = examples, .count = 2};
    th__stalker_learnt learnt;
    assert_true(th__stalker_induce(&task, &f->arena, &learnt));
    /* Forward, both have the same words before them: no rule can be right on both. */
    assert_int_equal(learnt.right, 1);
    assert_int_equal(learnt.imperfect, 1);
    task.until = true; /* what the item begins with tells them apart */
    assert_true(th__stalker_induce(&task, &f->arena, &learnt));
    assert_int_equal(learnt.right, 2);
    assert_int_equal(learnt.imperfect, 0);
}

/* ---- section 3 ------------------------------------------------------------------------------- */

/* Learnt from E1 and E2, forward and backward rules agree on E3 and disagree on E4 alone. */
static void co_testing(void **state)
{
    struct figure *f = *state;
    th__stalker_learnt forward = induce(f, 2, false), backward = induce(f, 2, true);
    th__landmark_rule *rules[] = {&forward.rule, &backward.rule};
    th__buf text = {0};
    th__disjunct_write(&forward.rule.disjuncts[0], false, &text);
    assert_true(th__buf_add_byte(&text, '\0'));
    assert_string_equal(text.data, "SkipTo(Address) SkipTo(<i>)"); /* Fwd-R1 */
    th__buf_release(&text);
    expect_outcome(f, &forward.rule, "rrrl");
    expect_outcome(f, &backward.rule, "rrrr"); /* as Bwd-R1 */
    for (int i = 0; i < E; i++) {
        uint32_t a = th__rule_run(rules[0], &f->seqs[i], 0, f->seqs[i].count, NULL);
        uint32_t b = th__rule_run(rules[1], &f->seqs[i], 0, f->seqs[i].count, NULL);
        assert_int_equal(a != b, i == 3);
    }
}

/* ---- notation -------------------------------------------------------------------------------- */

static void notation(void **state)
{
    struct figure *f = *state;
    static const char *const good[] = {
        "",
        "SkipTo(Address) SkipTo(_HtmlTag_)",
        "SkipTo(\\() SkipUntil(\\_ \\< \\\\ \\))",
        "SkipTo(<div.price> </div> <x-y>)",
        "SkipTo(_Number_ _AllCaps_ _Capitalized_ _Alphabetic_ _AlphaNum_ _Punctuation_)",
    };
    static const char *const bad[] = {
        "SkipTo",       "SkipTo()",           "SkipTo(a",       "SkipTo(a ",
        "SkipTo(a  b)", "BackTo(a)",          "SkipTo(_Word_)", "SkipTo(<i)",
        "SkipTo(<>)",   "SkipTo(a)SkipTo(b)", "SkipTo(a\\",     "SkipTo(a(b))",
        "SkipTo(a)  b", "SkipTo(</>)",        "SkipTo(<1>)",    "SkipTo(a b) ",
    };
    th__disjunct disjunct;
    const char *problem;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        th__buf text = {0};
        assert_true(th__disjunct_read(th_str_from(good[i]), &f->arena, false, &disjunct, &problem));
        th__disjunct_write(&disjunct, false, &text);
        assert_true(th__buf_add_byte(&text, '\0'));
        assert_string_equal(text.data, good[i]);
        th__buf_release(&text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        problem = NULL;
        if (th__disjunct_read(th_str_from(bad[i]), &f->arena, false, &disjunct, &problem))
            fail_msg("%s was read", bad[i]);
        assert_non_null(problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rules_of_the_paper, setup, teardown),
        cmocka_unit_test_setup_teardown(disjunctive_rule, setup, teardown),
        cmocka_unit_test_setup_teardown(skip_until, setup, teardown),
        cmocka_unit_test_setup_teardown(learning_from_four, setup, teardown),
        cmocka_unit_test_setup_teardown(the_seed, setup, teardown),
        cmocka_unit_test_setup_teardown(missing_item, setup, teardown),
        cmocka_unit_test_setup_teardown(covering, setup, teardown),
        cmocka_unit_test_setup_teardown(co_testing, setup, teardown),
        cmocka_unit_test_setup_teardown(notation, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
