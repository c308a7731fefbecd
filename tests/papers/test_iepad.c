/* IEPAD's worked examples: Chang, Hsu, Lui: Automatic information extraction from semi-structured
 * Web pages by pattern discovery, Decision Support Systems 35 (2003). Figure and section numbers
 * are the paper's. Where the figures are lost the pages are made from the text around them. */
#include "test.h"

#include <math.h>
#include <time.h>

#include "alloc_fail.h"
#include "engine/papers/iepad/iepad.h"

/* ---- helpers ------------------------------------------------------------------------------ */

static th__arena rules; /* of the rules that tests make */

typedef struct site {
    th_parser *parser;
    th_page *page;
} site;

static site open_site(const char *html)
{
    site s;
    assert_int_equal(th_parser_new(NULL, &s.parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(s.parser, th_str_from(html), NULL, &s.page, NULL), TH_OK);
    return s;
}

static void close_site(site *s)
{
    th_page_free(s->page);
    th_parser_free(s->parser);
}

static void expect_encoding(const char *html, th__iepad_scheme scheme, bool ours,
                            const char *wanted)
{
    site s = open_site(html);
    th__iepad_string string;
    th__iepad_encoding encoding = {scheme, ours, ours};
    th__buf text = {0};
    th__arena arena;
    th__arena_init(&arena);
    assert_true(
        th__iepad_encode(s.page, &encoding, 0, th_page_token_count(s.page), &arena, &string));
    for (uint32_t i = 0; i < string.len; i++)
        th__iepad_symbol_print(NULL, string.symbols[i], &text);
    th__buf_add_byte(&text, 0);
    assert_string_equal(text.data, wanted);
    th__arena_release(&arena);
    th__buf_release(&text);
    close_site(&s);
}

static uint32_t letters(const char *text, uint32_t *out)
{
    uint32_t n = 0;
    for (; text[n]; n++)
        out[n] = (unsigned char)text[n];
    return n;
}

static void letter_name(const void *context, uint32_t symbol, th__buf *out)
{
    (void)context;
    th__buf_add_byte(out, (char)symbol);
}

static void expect_letters(const th__pattern *pattern, const char *wanted)
{
    th__buf text = {0};
    th__pattern_print(pattern, letter_name, NULL, &text);
    th__buf_add_byte(&text, 0);
    assert_string_equal(text.data, wanted);
    th__buf_release(&text);
}

static void expect_cell(const th_records *records, size_t record, const char *name,
                        const char *wanted)
{
    const th_value *tuple = th_records_get(records, record);
    assert_non_null(tuple);
    const th_type *type = th_value_type(tuple);
    for (size_t i = 0; i < th_type_count(type); i++) {
        th_str own = th_type_name(th_type_child(type, i));
        if (own.len != strlen(name) || memcmp(own.ptr, name, own.len) != 0)
            continue;
        th_str text = th_value_text(th_value_item(tuple, i));
        if (!wanted) {
            assert_int_equal(th_value_get_kind(th_value_item(tuple, i)), TH_VALUE_NULL);
            return;
        }
        if (text.len != strlen(wanted) || memcmp(text.ptr, wanted, text.len) != 0)
            fail_msg("record %zu, %s: \"%.*s\" is not \"%s\"", record, name, (int)text.len,
                     text.ptr ? text.ptr : "", wanted);
        return;
    }
    fail_msg("no field %s", name);
}

/* A rule that stands at w.json: rules. */
static th_status read_json(json_t *json, th__iepad_rule **rule, th_error *err)
{
    th__rule_reader reader = {.file = "w.json", .arena = &rules, .err = err};
    void *read = NULL;
    th__rule_enter(&reader, "rules");
    th_status status = th__rule_table_read(&reader, json, &th__iepad_rule_shape, &read);
    *rule = read;
    return status;
}

static void write_rule(const th__iepad_rule *rule, th__buf *out)
{
    th__rule_table_write(&th__iepad_rule_shape, rule, &(th__json){.buf = out});
}

static th_status learn_rule(const th_page *page, const th__iepad_result *result, uint32_t pick,
                            th__iepad_rule **out, th_error *err)
{
    *out = th__arena_alloc(&rules, sizeof **out);
    return *out ? th__iepad_learn(page, result, pick, &rules, *out, err) : TH_ERR_MEMORY;
}

static th__iepad_rule *read_rule(const char *text)
{
    th_error err;
    th__iepad_rule *rule = NULL;
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    if (read_json(json, &rule, &err))
        fail_msg("%s", err.message);
    json_decref(json);
    return rule;
}

static th_records *run_rule(const th__iepad_rule *rule, const th_page *page)
{
    th_error err;
    th_records *records = NULL;
    th_records_source source = {{"p", 1}, {NULL, 0}};
    if (th__iepad_records(rule, page, NULL, &source, &records, &err))
        fail_msg("%s", err.message);
    return records;
}

/* ---- 2.1: encoding ------------------------------------------------------------------------ */

static const char congo[] = "<h1>Some Country Codes</h1>\n<ul>\n"
                            "<li><b>Congo</b> <i>242</i>\n<li><b>Egypt</b> <i>20</i>\n"
                            "<li><b>Belize</b> <i>501</i>\n<li><b>Spain</b> <i>34</i>\n</ul>";

/* Figure 5: 13 tokens of six kinds. In the order of their codes 100 110 101 000 010 110 ... */
static void test_congo_tokens(void **state)
{
    (void)state;
    expect_encoding(congo, TH__IEPAD_BLOCK_LEVEL, false,
                    "<h1><TEXT></h1><ul><li><TEXT><li><TEXT><li><TEXT><li><TEXT></ul>");
}

static void test_schemes(void **state)
{
    (void)state;
    const char *html = "<li><b>Congo</b> <em>242</em> <a href=x>more</a><br></li>";
    expect_encoding(html, TH__IEPAD_ALL_TAG, false,
                    "<li><b><TEXT></b><em><TEXT></em><a><TEXT></a><br></li>");
    expect_encoding(html, TH__IEPAD_NO_PHYSICAL, false,
                    "<li><TEXT><em><TEXT></em><a><TEXT></a><br></li>");
    expect_encoding(html, TH__IEPAD_NO_LOGICAL, false,
                    "<li><b><TEXT></b><TEXT><a><TEXT></a><br></li>");
    expect_encoding(html, TH__IEPAD_NO_SPECIAL, false,
                    "<li><b><TEXT></b><em><TEXT></em><TEXT><br></li>");
    expect_encoding(html, TH__IEPAD_BLOCK_LEVEL, false, "<li><TEXT><br></li>");
}

static void test_hidden_and_media(void **state)
{
    (void)state;
    const char *html = "<head><title>T</title><style>a{}</style></head><td><img src=a></td>"
                       "<td>&nbsp;</td><script>x</script><!-- c --><td>b<!-- c -->c</td>";
    expect_encoding(html, TH__IEPAD_BLOCK_LEVEL, true, "<td><TEXT></td><td></td><td><TEXT></td>");
    expect_encoding(html, TH__IEPAD_BLOCK_LEVEL, false,
                    "<head><title><TEXT></title></head><td></td><td></td><td><TEXT></td>");
}

/* A text keeps what it stands for: the skipped tags too. */
static void test_token_ranges(void **state)
{
    (void)state;
    site s = open_site("<li><b>Congo</b> <i>242</i><br></li>");
    th__iepad_string string;
    th__iepad_encoding encoding = {TH__IEPAD_BLOCK_LEVEL, true, true};
    th__arena arena;
    th__arena_init(&arena);
    assert_true(
        th__iepad_encode(s.page, &encoding, 0, th_page_token_count(s.page), &arena, &string));
    assert_int_equal(string.len, 4);
    assert_int_equal(string.first[1], 1);
    assert_int_equal(string.last[1], 7);
    th__arena_release(&arena);
    close_site(&s);
}

/* ---- 2.2: the PAT tree of figure 5 -------------------------------------------------------- */

typedef struct met {
    const uint32_t *symbols;
    const th__suffixes *suffixes;
    char found[16][16];
    uint32_t counts[16], len;
} met;

static bool meet(void *context, const th__repeat *repeat)
{
    met *m = context;
    for (uint32_t i = 0; i < repeat->len; i++)
        m->found[m->len][i] = (char)m->symbols[m->suffixes->sa[repeat->first] + i];
    m->found[m->len][repeat->len] = 0;
    m->counts[m->len++] = th__repeat_count(repeat);
    return true;
}

static uint32_t count_of(const met *m, const char *text)
{
    for (uint32_t i = 0; i < m->len; i++)
        if (strcmp(m->found[i], text) == 0)
            return m->counts[i];
    return 0;
}

static void test_congo_repeats(void **state)
{
    (void)state;
    uint32_t s[16], n = letters("HThULTLTLTLTu", s);
    th__suffixes suffixes;
    assert_int_equal(n, 13);
    assert_int_equal(th__suffixes_init(&suffixes, s, n, &rules, NULL), TH_OK);
    met all = {s, &suffixes}, maximal = {s, &suffixes};
    th__repeats_options options = {.with_not_left = true};
    assert_true(th__repeats_walk(&suffixes, s, &options, meet, &all));
    assert_true(th__repeats_walk(&suffixes, s, NULL, meet, &maximal));
    assert_int_equal(maximal.len, 4);
    assert_int_equal(count_of(&maximal, "T"), 5);
    assert_int_equal(count_of(&maximal, "LT"), 4);
    assert_int_equal(count_of(&maximal, "LTLT"), 3);
    assert_int_equal(count_of(&maximal, "LTLTLT"), 2);
    /* nodes such as i: right maximal, but every suffix has <li> to its left */
    assert_int_equal(all.len, 7 - 1);
    assert_int_equal(count_of(&all, "TLT"), 3);
    assert_int_equal(count_of(&all, "TLTLT"), 2);
}

/* The first bit, from 1 on, in which two suffixes of the binary string differ: what the figure
 * writes into the circles. */
static uint32_t different_bit(const uint32_t *codes, uint32_t a, uint32_t b)
{
    uint32_t bit = 0;
    for (;; a++, b++)
        for (int i = 2; i >= 0; i--) {
            bit++;
            if ((codes[a] >> i & 1) != (codes[b] >> i & 1))
                return bit;
        }
}

/* Figure 5 (b): 13 suffixes of 3 bits a token, 12 inner nodes; the one above suffixes 5 and 9 has
 * bit 14. The suffix array of the codes is the row of the leaves, and its lcp values are the inner
 * nodes, each cut back to whole tokens: nothing else is lost. */
static void test_congo_pat_tree(void **state)
{
    (void)state;
    enum { H1 = 4, TEXT = 6, END_H1 = 5, UL = 0, LI = 2, END_UL = 1 };
    static const uint32_t codes[] = {H1,   TEXT, END_H1, UL, LI,   TEXT,  LI,
                                     TEXT, LI,   TEXT,   LI, TEXT, END_UL};
    static const char binary[] = "100110101000010110010110010110010110001";
    for (uint32_t i = 0; i < 39; i++)
        assert_int_equal(codes[i / 3] >> (2 - i % 3) & 1, binary[i] - '0');
    th__suffixes suffixes;
    assert_int_equal(th__suffixes_init(&suffixes, codes, 13, &rules, NULL), TH_OK);
    uint32_t nodes = 0;
    for (uint32_t i = 1; i < suffixes.len; i++, nodes++)
        assert_int_equal(suffixes.lcp[i],
                         (different_bit(codes, suffixes.sa[i - 1], suffixes.sa[i]) - 1) / 3);
    assert_int_equal(nodes, 12);
    assert_int_equal(different_bit(codes, 5 - 1, 9 - 1), 14);
    /* The leaves from left to right, counted from 1, in the order of the bits. */
    static const uint32_t leaves[] = {4, 13, 11, 9, 7, 5, 1, 3, 12, 10, 8, 6, 2};
    for (uint32_t i = 0; i < 13; i++)
        assert_int_equal(suffixes.sa[i] + 1, leaves[i]);
}

/* ---- 2.3: variance, density, clustering --------------------------------------------------- */

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

static void test_variance_density(void **state)
{
    (void)state;
    uint32_t even[] = {4, 6, 8, 10}, uneven[] = {0, 10, 20, 35}, two[] = {3, 90};
    assert_true(near(th__iepad_variance(even, 4), 0));
    assert_true(near(th__iepad_density(even, 4, 2), 1));
    /* distances 10, 10, 15: mean 35/3, population sigma sqrt(50/9) */
    assert_true(near(th__iepad_variance(uneven, 4), sqrt(50.0 / 9) / (35.0 / 3)));
    assert_true(near(th__iepad_density(uneven, 4, 5), 15.0 / 35));
    assert_true(near(th__iepad_variance(two, 2), 0)); /* two always score 0 */
    assert_true(near(th__iepad_density(two, 2, 3), 3.0 / 87));
}

/* Replaces the repeats that are there. */
static void discover(const char *text, const th__iepad_options *options, uint32_t *symbols,
                     th__arena *arena, th__iepad_repeats *repeats)
{
    uint32_t n = letters(text, symbols);
    repeats->len = 0;
    assert_int_equal(th__iepad_discover(symbols, n, options, arena, repeats, NULL), TH_OK);
}

static void test_powers(void **state)
{
    (void)state;
    uint32_t s[64];
    th__iepad_options options;
    th__iepad_options_init(&options, true);
    th__iepad_repeats r = {0};
    th__arena arena;
    th__arena_init(&arena);
    discover("xabcabcabcabcabcabcabcabcabcabcy", &options, s, &arena, &r);
    assert_int_equal(r.len, 1); /* of the six maximal repeats, abc alone */
    assert_int_equal(r.data[0].len, 3);
    assert_int_equal(r.data[0].count, 10);
    assert_int_equal(r.data[0].at[0], 1);
    assert_true(near(r.data[0].density, 1) && near(r.data[0].variance, 0));

    /* a root shorter than min_length, whose powers are not */
    discover("xababababababababy", &options, s, &arena, &r);
    assert_int_equal(r.len, 1);
    assert_int_equal(r.data[0].len, 2);
    assert_int_equal(r.data[0].count, 8);
    th__vec_release(&r);
    th__arena_release(&arena);
}

/* Lycos (2.3.1): banners part the records into groups. */
static void test_clustering(void **state)
{
    (void)state;
    uint32_t s[256];
    th__iepad_options options;
    th__iepad_options_init(&options, true);
    const char *page = "abcabcabcabcabc0123456789!$%&/()=ghijklmnopqrstuvwxyzACDEFGHIJKL"
                       "abcabcabcabcabcabcMNOPQRSTUVWXYZ@+-*#~<>{}[]^_'`|?;:,.abcabc";
    th__iepad_repeats r = {0};
    th__arena arena;
    th__arena_init(&arena);
    discover(page, &options, s, &arena, &r);
    uint32_t fives = 0, sixes = 0;
    for (size_t i = 0; i < r.len; i++)
        if (r.data[i].len == 3) {
            fives += r.data[i].count == 5;
            sixes += r.data[i].count == 6;
            assert_true(r.data[i].count >= 5); /* the two at the end are too few */
            assert_true(r.data[i].variance < 0.1);
        }
    assert_int_equal(fives, 1);
    assert_int_equal(sixes, 1);

    options.largest_cluster = true; /* both give the pattern abc: the larger stays */
    discover(page, &options, s, &arena, &r);
    for (size_t i = 0; i < r.len; i++)
        if (r.data[i].len == 3)
            assert_int_equal(r.data[i].count, 6);
    assert_true(r.len > 0);
    th__vec_release(&r);
    th__arena_release(&arena);
}

/* ---- 2.4: alignment and rotation ---------------------------------------------------------- */

static void test_alignment(void **state)
{
    (void)state;
    th__arena arena;
    th__arena_init(&arena);
    uint32_t s[32], at[] = {0, 5, 10, 16};
    letters("adcbdadcxbadcxbdadc", s);
    th__iepad_repeat repeat = {.len = 3, .at = at, .count = 4};
    repeat.density = th__iepad_density(at, 4, 3);
    th__iepad_options options;
    th__iepad_options_init(&options, true);
    th__pattern pattern;
    bool found;
    assert_int_equal(th__iepad_compose(s, &repeat, &options, &arena, &pattern, &found, NULL),
                     TH_OK);
    assert_true(found);
    expect_letters(&pattern, "adc[x|-]b[d|-]");

    options.paper.max_mismatch = 0.2; /* two of six columns are too many */
    assert_int_equal(th__iepad_compose(s, &repeat, &options, &arena, &pattern, &found, NULL),
                     TH_OK);
    assert_false(found);
    th__arena_release(&arena);
}

/* [U|-]N[A|-][M|-] covers four permutations of attributes; and of several ways to match a token
 * string the longest is taken (3.2). */
static void test_missing_attributes(void **state)
{
    (void)state;
    th__arena arena;
    th__arena_init(&arena);
    static const struct {
        uint32_t symbol;
        bool optional;
    } columns[] = {{'U', true}, {'N', false}, {'A', true}, {'M', true}};
    th__pattern pattern = th__pattern_in(&arena);
    th__matcher m;
    for (int i = 0; i < 4; i++)
        assert_int_equal(
            th__pattern_add(&pattern, &columns[i].symbol, 1, columns[i].optional, NULL), TH_OK);
    expect_letters(&pattern, "[U|-]N[A|-][M|-]");
    assert_true(th__matcher_init(&m, &pattern, &arena));
    uint32_t s[32], n = letters("xNAUNAMNUNMUNAx", s), len;
    static const uint32_t starts[] = {1, 3, 7, 8, 11}, lengths[] = {2, 4, 1, 3, 3};
    int found = 0;
    for (uint32_t at = 0; at < n; at += len ? len : 1) {
        len = th__matcher_longest(&m, s, n, at);
        if (!len)
            continue;
        assert_true(found < 5);
        assert_int_equal(at, starts[found]);
        assert_int_equal(len, lengths[found++]);
    }
    assert_int_equal(found, 5);
    th__arena_release(&arena);
}

static void test_outliers(void **state)
{
    (void)state;
    th__arena arena;
    th__arena_init(&arena);
    uint32_t s[64], at[] = {0, 4, 8, 20, 24};
    letters("abcxabcxabcx01234567abcxabcx", s);
    th__iepad_repeat repeat = {.len = 3, .at = at, .count = 5, .density = 0.5};
    th__iepad_options options;
    th__iepad_options_init(&options, true);
    th__pattern pattern;
    bool found;
    assert_int_equal(th__iepad_compose(s, &repeat, &options, &arena, &pattern, &found, NULL),
                     TH_OK);
    assert_true(found); /* eight of twelve columns are optional */
    options.firm = true;
    assert_int_equal(th__iepad_compose(s, &repeat, &options, &arena, &pattern, &found, NULL),
                     TH_OK);
    assert_false(found);
    options.drop_outliers = true;
    assert_int_equal(th__iepad_compose(s, &repeat, &options, &arena, &pattern, &found, NULL),
                     TH_OK);
    assert_true(found);
    expect_letters(&pattern, "abcx");
    th__arena_release(&arena);
}

/* Appends columns that match one string alone. */
static th_status add_string(th__pattern *pattern, const uint32_t *symbols, uint32_t count,
                            th_error *err)
{
    th_status status = TH_OK;
    for (uint32_t i = 0; !status && i < count; i++)
        status = th__pattern_add(pattern, &symbols[i], 1, false, err);
    return status;
}

static void test_rotation(void **state)
{
    (void)state;
    th__arena arena;
    th__arena_init(&arena);
    uint32_t s[32], n = letters("xcabcabcabcabz", s);
    th__pattern p = th__pattern_in(&arena), turned;
    assert_int_equal(add_string(&p, s + 2, 3, NULL), TH_OK); /* abc at 2, 5, 8 */
    /* right: c stands before the first occurrence, then x: cab */
    assert_int_equal(th__iepad_turn_right(&p, s, 2), 2);
    /* left: ab stands behind the last one, then z: cab again */
    assert_int_equal(th__iepad_turn_left(&p, s, n, 11), 2);
    assert_true(th__pattern_turned(&p, 2, &arena, &turned));
    expect_letters(&turned, "cab");
    /* bounded by the pattern's length, and at the ends of the string */
    n = letters("aaaaaaaa", s);
    p = th__pattern_in(&arena);
    assert_int_equal(add_string(&p, s, 2, NULL), TH_OK);
    assert_int_equal(th__iepad_turn_right(&p, s, 4), 0);
    assert_int_equal(th__iepad_turn_left(&p, s, n, 7), 1);
    assert_int_equal(th__iepad_turn_right(&p, s, 0), 0);

    /* stops at a column with an option */
    uint32_t c = 'c';
    letters("abab", s);
    p = th__pattern_in(&arena);
    assert_int_equal(add_string(&p, s, 2, NULL), TH_OK);
    assert_int_equal(th__pattern_add(&p, &c, 1, true, NULL), TH_OK);
    s[1] = 'c';
    assert_int_equal(th__iepad_turn_right(&p, s, 2), 0);

    /* unless one without follows that the page has: Nx[A|-]h[U|-] of "hUNAhNhU..." */
    static const struct {
        uint32_t symbol;
        bool optional;
    } columns[] = {{'N', false}, {'A', true}, {'h', false}, {'U', true}};
    p = th__pattern_in(&arena);
    for (int i = 0; i < 4; i++)
        assert_int_equal(th__pattern_add(&p, &columns[i].symbol, 1, columns[i].optional, NULL),
                         TH_OK);
    letters("zhUNAhN", s);
    assert_int_equal(th__iepad_turn_right(&p, s, 3), 2); /* with U before the first N */
    letters("zhNAhUN", s);
    assert_int_equal(th__iepad_turn_right(&p, s, 2), 2); /* and without */
    assert_true(th__pattern_turned(&p, 2, &arena, &turned));
    expect_letters(&turned, "h[U|-]N[A|-]");
    n = letters("hNAhUNz", s);
    assert_int_equal(th__iepad_turn_left(&p, s, n, 1), 3);
    th__arena_release(&arena);
}

/* ---- 1.2 and 3: rules --------------------------------------------------------------------- */

static const char pattern_1[] =
    "{\"levels\": [\"all-tag\"], \"skip_hidden\": false, \"media_as_text\": false, "
    "\"last_record\": false, \"fields\": ["
    "{\"name\": \"url\", \"kind\": \"link\", \"chosen\": true}, "
    "{\"name\": \"short\", \"kind\": \"text\", \"chosen\": true}, "
    "{\"name\": \"name\", \"kind\": \"text\", \"chosen\": true}, "
    "{\"name\": \"town\", \"kind\": \"text\", \"chosen\": true}, "
    "{\"name\": \"country\", \"kind\": \"text\", \"chosen\": true}], "
    "\"patterns\": [{\"pattern\": \"<p><a><TEXT></a><br>[<TEXT>|-]<br><TEXT><br><TEXT>\", "
    "\"columns\": [{\"column\": 1, \"field\": 0}, {\"column\": 2, \"field\": 1}, "
    "{\"column\": 5, \"field\": 2}, {\"column\": 7, \"field\": 3}, {\"column\": 9, \"field\": "
    "4}]}]}";

/* Pattern (1) and string (2). */
static void test_example_pattern(void **state)
{
    (void)state;
    site s = open_site("<h1>x</h1><p><a href=\"http://www.csie.ncu.edu.tw\">NCU</a><br>National "
                       "Central University<br>Chung-Li<br>Taiwan"
                       "<p><a href=/b>Other</a><br><br>Taipei<br>Taiwan<hr>");
    th__iepad_rule *rule = read_rule(pattern_1);
    th_records *records = run_rule(rule, s.page);
    assert_int_equal(th_records_count(records), 2);
    expect_cell(records, 0, "url", "http://www.csie.ncu.edu.tw");
    expect_cell(records, 0, "short", "NCU");
    expect_cell(records, 0, "name", "National Central University");
    expect_cell(records, 0, "town", "Chung-Li");
    expect_cell(records, 0, "country", "Taiwan");
    expect_cell(records, 1, "name", NULL);
    expect_cell(records, 1, "town", "Taipei");
    th_records_free(records);
    close_site(&s);
}

/* Records such as those of figure 6: <p><TEXT><br>[<TEXT>|-]<br><TEXT><br><TEXT>, the third text
 * with a score, a date and a size in tags of their own. */
static void infoseek(th__buf *out, uint32_t count, bool skip_some)
{
    th__buf_add_str(out, TH_STR("<h2>Results</h2>"));
    for (uint32_t i = 0; i < count; i++) {
        th__buf_printf(out, "<p><a href=\"/r%u\">Title %u</a><br>", i, i);
        if (!skip_some || i % 3 != 1)
            th__buf_printf(out, "Description %u", i);
        th__buf_printf(out, "<br>%s%u%% <b>Date: %u Jun 1999</b>, Size %u.1K%s<br>More %u\n",
                       i % 2 ? "<font size=1>" : "", 90 - i, i + 1, i, i % 2 ? "</font>" : "", i);
    }
    th__buf_add_str(out, TH_STR("<hr><h3>About</h3>"));
    th__buf_add_byte(out, 0);
}

static uint32_t find_text(const th__iepad_result *result, const char *text)
{
    for (uint32_t i = 0; i < result->count; i++)
        if (strcmp(result->patterns[i].text.ptr, text) == 0)
            return i;
    for (uint32_t i = 0; i < result->count; i++)
        print_message("found: %s\n", result->patterns[i].text.ptr);
    fail_msg("no pattern %s", text);
    return 0;
}

static const char block_pattern[] = "<p><TEXT><br>[<TEXT>|-]<br><TEXT><br><TEXT>";

/* Figures 6 to 8: four blocks, the third divided into three by the second level. */
static void test_blocks_and_levels(void **state)
{
    (void)state;
    th__buf html = {0};
    infoseek(&html, 10, true);
    site s = open_site(html.data);
    th__iepad_result result;
    th__iepad_options options;
    th__iepad_options_init(&options, true);
    assert_int_equal(th__iepad_find(s.page, &options, &result, NULL), TH_OK);
    uint32_t pick = find_text(&result, block_pattern);
    assert_int_equal(result.patterns[pick].count, 10); /* the last one too */
    th__iepad_rule *rule;

    result.options.levels = 1;
    assert_int_equal(learn_rule(s.page, &result, pick, &rule, NULL), TH_OK);
    assert_int_equal(rule->field_count, 4);
    th_records *records = run_rule(rule, s.page);
    expect_cell(records, 0, "text_1", "Title 0");
    expect_cell(records, 1, "text_2", NULL);
    expect_cell(records, 9, "text_3", "81% Date: 10 Jun 1999, Size 9.1K");
    th_records_free(records);

    result.options.levels = 2;
    assert_int_equal(learn_rule(s.page, &result, pick, &rule, NULL), TH_OK);
    const th__iepad_division *first = &rule->records[0];
    const th__iepad_part *fifth = first->parts;
    while (fifth->column != 5)
        fifth++;
    const th__iepad_division *third = fifth->below;
    th__buf text = {0};
    th__pattern_print(&third->pattern, th__iepad_symbol_print, rule->names, &text);
    th__buf_add_byte(&text, 0);
    assert_string_equal(text.data, "[<font>|-]<TEXT><b><TEXT></b><TEXT>[</font>|-]");
    th__buf_release(&text);
    assert_int_equal(rule->field_count, 7); /* link, title, description, score, date, size, more */
    records = run_rule(rule, s.page);
    assert_int_equal(th_records_count(records), 10);
    expect_cell(records, 9, "link_1", "/r9");
    expect_cell(records, 9, "text_1", "Title 9");
    expect_cell(records, 9, "text_2", "Description 9");
    expect_cell(records, 7, "text_2", NULL);
    expect_cell(records, 9, "text_3", "81%");
    expect_cell(records, 9, "text_4", "Date: 10 Jun 1999");
    expect_cell(records, 8, "text_5", ", Size 8.1K");
    expect_cell(records, 9, "text_6", "More 9");
    th_records_free(records);

    /* a third level: the second leaves links to it, and what it divided */
    th__iepad_rule *deep;
    result.options.levels = 3;
    result.options.lower = TH__IEPAD_NO_SPECIAL;
    assert_int_equal(learn_rule(s.page, &result, pick, &deep, NULL), TH_OK);
    records = run_rule(deep, s.page);
    expect_cell(records, 9, "link_1", "/r9");
    expect_cell(records, 9, "text_3", "81%");
    expect_cell(records, 8, "text_5", ", Size 8.1K");
    th_records_free(records);

    /* the user leaves a slot out */
    rule->fields[0].chosen = false;
    records = run_rule(rule, s.page);
    assert_int_equal(th_value_count(th_records_get(records, 0)), 6);
    th_records_free(records);
    th__iepad_result_release(&result);
    th__buf_release(&html);
    close_site(&s);
}

/* Figure 6 ranks first, though turned it covers as much; and its records are regular. */
static void test_ranking(void **state)
{
    (void)state;
    th__buf html = {0};
    infoseek(&html, 10, true);
    site s = open_site(html.data);
    th__iepad_result result;
    assert_int_equal(th__iepad_find(s.page, NULL, &result, NULL), TH_OK);
    assert_int_equal(find_text(&result, block_pattern), 0);
    assert_true(result.patterns[0].regularity > 0.9 && result.patterns[0].regularity < 1);
    assert_true(result.count > 1);
    th__iepad_result_release(&result);
    th__buf_release(&html);
    close_site(&s);
}

/* 4.2: a rule that misses records of a second page is joined with the one found there. */
static void test_unseen_pages(void **state)
{
    (void)state;
    th__buf first = {0}, second = {0};
    infoseek(&first, 8, false);
    infoseek(&second, 9, true);
    site a = open_site(first.data), b = open_site(second.data);
    th__iepad_result ra, rb;
    th__iepad_options options;
    th__iepad_options_init(&options, true);
    th__iepad_rule *rule, *more;
    assert_int_equal(th__iepad_find(a.page, &options, &ra, NULL), TH_OK);
    assert_int_equal(th__iepad_find(b.page, &options, &rb, NULL), TH_OK);
    uint32_t pick = find_text(&ra, "<p><TEXT><br><TEXT><br><TEXT><br><TEXT>");
    assert_int_equal(learn_rule(a.page, &ra, pick, &rule, NULL), TH_OK);
    assert_int_equal(learn_rule(b.page, &rb, find_text(&rb, block_pattern), &more, NULL), TH_OK);

    th_records *records = run_rule(rule, b.page);
    assert_int_equal(th_records_count(records), 6); /* those with a description */
    th_records_free(records);
    assert_int_equal(th__iepad_rule_join(rule, more, &rules, NULL), TH_OK);
    assert_int_equal(rule->record_count, 2);
    assert_int_equal(rule->field_count, 7);
    records = run_rule(rule, b.page);
    assert_int_equal(th_records_count(records), 9);
    expect_cell(records, 4, "text_2", NULL);
    expect_cell(records, 4, "text_4", "Date: 5 Jun 1999");
    th_records_free(records);

    /* a page without the list: no records, no error */
    site none = open_site("<p>Nothing was found.");
    records = run_rule(rule, none.page);
    assert_int_equal(th_records_count(records), 0);
    th_records_free(records);
    close_site(&none);
    th__iepad_result_release(&ra);
    th__iepad_result_release(&rb);
    th__buf_release(&first);
    th__buf_release(&second);
    close_site(&a);
    close_site(&b);
}

static void make_page(th__buf *html, const char *const *items)
{
    th__buf_add_str(html, TH_STR("<html><body><div>"));
    for (; *items; items++)
        th__buf_add_str(html, th_str_from(*items));
    th__buf_add(html, "</div>", 7);
}

/* 4.2 without a user: the list is known by its place; what the rule of the first page does not find
 * on a second is added, and its slots keep their names wherever they stand. */
static void test_further_pages(void **state)
{
    (void)state;
#define PLAIN(n) "<li><a href=/" n ">title " n "</a><p>by " n "</p></li>"
#define NOTED(n) "<li><p>new</p><a href=/" n ">title " n "</a><p>by " n "</p></li>"
    static const char *const first[] = {PLAIN("1"), PLAIN("2"), PLAIN("3"),
                                        PLAIN("4"), PLAIN("5"), NULL};
    static const char *const second[] = {PLAIN("1"), NOTED("2"), PLAIN("3"), NOTED("4"),
                                         PLAIN("5"), NOTED("6"), PLAIN("7"), NULL};
    th__buf one = {0}, two = {0};
    make_page(&one, first);
    make_page(&two, second);
    site a = open_site(one.data), b = open_site(two.data);
    th__iepad_options options;
    th__iepad_result result;
    th__iepad_rule *rule;
    size_t records;
    th__iepad_options_init(&options, false);
    assert_int_equal(th__iepad_find(a.page, &options, &result, NULL), TH_OK);
    assert_int_equal(learn_rule(a.page, &result, 0, &rule, NULL), TH_OK);
    uint64_t home = result.patterns[0].home;
    th_records *found = run_rule(rule, b.page);
    size_t before = th_records_count(found);
    assert_true(before < 7);
    expect_cell(found, 0, "text_2", "by 1");
    th_records_free(found);

    /* a list that stands elsewhere is another list */
    assert_int_equal(th__iepad_learn_more(b.page, &options, home + 1, &rules, rule, &records, NULL),
                     TH_OK);
    assert_int_equal(records, before);
    assert_int_equal(rule->record_count, 1);

    assert_int_equal(th__iepad_learn_more(b.page, &options, home, &rules, rule, &records, NULL),
                     TH_OK);
    assert_int_equal(records, 7);
    assert_int_equal(rule->record_count, 2);
    found = run_rule(rule, b.page);
    assert_int_equal(th_records_count(found), 7);
    expect_cell(found, 0, "text_1", "title 1");
    expect_cell(found, 0, "text_2", "by 1");
    expect_cell(found, 0, "text_3", NULL);
    expect_cell(found, 1, "text_1", "title 2");
    expect_cell(found, 1, "text_2", "by 2");
    expect_cell(found, 1, "text_3", "new");
    expect_cell(found, 1, "link_1", "/2");
    th_records_free(found);

    /* nothing is missing any more */
    assert_int_equal(th__iepad_learn_more(b.page, &options, home, &rules, rule, &records, NULL),
                     TH_OK);
    assert_int_equal(rule->record_count, 2);
    assert_int_equal(records, 7);
    th__iepad_result_release(&result);
    close_site(&a);
    close_site(&b);
    th__buf_release(&one);
    th__buf_release(&two);
#undef PLAIN
#undef NOTED
}

/* The last record lacks the separator. */
static void test_last_record(void **state)
{
    (void)state;
    site s =
        open_site("<div><p>a1</p><p>a2</p><hr><p>b1</p><p>b2</p><hr><p>c1</p><p>c2</p><hr>"
                  "<p>d1</p><p>d2</p><hr><p>e1</p><p>e2</p><hr><p>f1</p><p>f2</p></div><b>x</b>");
    th__iepad_result result;
    th__iepad_rule *rule;
    assert_int_equal(th__iepad_find(s.page, NULL, &result, NULL), TH_OK);
    uint32_t pick = find_text(&result, "<p><TEXT></p><p><TEXT></p><hr>");
    assert_int_equal(learn_rule(s.page, &result, pick, &rule, NULL), TH_OK);
    th_records *records = run_rule(rule, s.page);
    assert_int_equal(th_records_count(records), 6);
    expect_cell(records, 5, "text_2", "f2");
    th_records_free(records);
    rule->last_record = false;
    records = run_rule(rule, s.page);
    assert_int_equal(th_records_count(records), 5);
    th_records_free(records);
    th__iepad_result_release(&result);
    close_site(&s);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void test_json(void **state)
{
    (void)state;
    th__buf html = {0}, one = {0}, two = {0};
    infoseek(&html, 10, true);
    site s = open_site(html.data);
    th__iepad_result result;
    th__iepad_rule *rule;
    assert_int_equal(th__iepad_find(s.page, NULL, &result, NULL), TH_OK);
    assert_int_equal(learn_rule(s.page, &result, 0, &rule, NULL), TH_OK);
    write_rule(rule, &one);
    th__buf_add_byte(&one, 0);
    th__iepad_rule *again = read_rule(one.data);
    write_rule(again, &two);
    th__buf_add_byte(&two, 0);
    assert_string_equal(one.data, two.data);
    th_records *a = run_rule(rule, s.page), *b = run_rule(again, s.page);
    assert_int_equal(th_records_count(a), th_records_count(b));
    th_records_free(a);
    th_records_free(b);
    th__iepad_result_release(&result);
    th__buf_release(&html);
    th__buf_release(&one);
    th__buf_release(&two);
    close_site(&s);
}

/* Replaces one word of pattern_1 and expects the message to name the place. */
static void expect_bad(const char *old, const char *new, const char *path)
{
    char text[4096];
    const char *at = strstr(pattern_1, old);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - pattern_1), pattern_1, new,
             at + strlen(old));
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    th__iepad_rule *rule;
    th_error err;
    assert_int_equal(read_json(json, &rule, &err), TH_ERR_FORMAT);
    size_t file = strlen("w.json: ");
    if (strncmp(err.message, "w.json: ", file) || strncmp(err.message + file, path, strlen(path)))
        fail_msg("%s is not about %s", err.message, path);
    json_decref(json);
}

static void test_bad_json(void **state)
{
    (void)state;
    expect_bad("\"all-tag\"", "\"some-tag\"", "rules.levels[0]:");
    expect_bad("[\"all-tag\"]", "[]", "rules.levels:");
    expect_bad("[\"all-tag\"]", "7", "rules.levels:");
    expect_bad("\"skip_hidden\": false", "\"skip_hidden\": 0", "rules.skip_hidden:");
    expect_bad("\"kind\": \"link\"", "\"kind\": \"video\"", "rules.fields[0].kind:");
    expect_bad("\"name\": \"town\"", "\"name\": \"name\"", "rules.fields[3].name:");
    expect_bad("\"name\": \"town\"", "\"name\": null", "rules.fields[3].name:");
    expect_bad("[<TEXT>|-]", "[<TEXT>|", "rules.patterns[0].pattern:");
    expect_bad("<p>", "p", "rules.patterns[0].pattern:");
    expect_bad("<p>", "[-]", "rules.patterns[0].pattern:");
    expect_bad("<p>", "<>", "rules.patterns[0].pattern:");
    expect_bad("\"column\": 9", "\"column\": 10", "rules.patterns[0].columns[4].column:");
    expect_bad("\"column\": 9", "\"column\": -1", "rules.patterns[0].columns[4].column:");
    expect_bad("\"column\": 9", "\"column\": 7", "rules.patterns[0].columns[4].column:");
    expect_bad("\"column\": 9", "\"column\": 8", "rules.patterns[0].columns[4].column:");
    expect_bad("\"field\": 4", "\"field\": 5", "rules.patterns[0].columns[4].field:");
    expect_bad("\"field\": 4", "\"below\": {}", "rules.patterns[0].columns[4].below.pattern:");
    expect_bad("\"patterns\": [{", "\"patterns\": [3, {", "rules.patterns[0]:");
    json_t *json = json_integer(3);
    th__iepad_rule *rule;
    th_error err;
    assert_int_equal(read_json(json, &rule, &err), TH_ERR_FORMAT);
    json_decref(json);
}

/* ---- odd pages, size, memory -------------------------------------------------------------- */

static void test_odd_pages(void **state)
{
    (void)state;
    const char *const pages[] = {"",
                                 "text",
                                 "<",
                                 "<p>",
                                 "</p></p></p></p></p></p>",
                                 "<x-a><x-a><x-a><x-a><x-a><x-a>",
                                 "<li>a<li>a<li>a<li>a<li>a<li>a",
                                 "<x-card>a</x-card><x-card>b</x-card><x-card>c</x-card>"
                                 "<x-card>d</x-card><x-card>e</x-card><x-card>f</x-card>"};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        for (int scheme = 0; scheme < TH__IEPAD_SCHEME_COUNT; scheme++) {
            site s = open_site(pages[i]);
            th__iepad_result result;
            th__iepad_options options;
            th__iepad_options_init(&options, false);
            options.scheme = (th__iepad_scheme)scheme;
            assert_int_equal(th__iepad_find(s.page, &options, &result, NULL), TH_OK);
            if (i == 6)
                assert_string_equal(result.patterns[0].text.ptr, "<li><TEXT>");
            if (i == 7 && scheme == TH__IEPAD_ALL_TAG)
                assert_string_equal(result.patterns[0].text.ptr, "<x-card><TEXT></x-card>");
            th__iepad_rule *rule;
            for (uint32_t k = 0; k < result.count; k++) {
                assert_int_equal(learn_rule(s.page, &result, k, &rule, NULL), TH_OK);
                th_records_free(run_rule(rule, s.page));
            }
            th_error err;
            assert_int_equal(learn_rule(s.page, &result, result.count, &rule, &err),
                             TH_ERR_ARGUMENT);
            th__iepad_result_release(&result);
            close_site(&s);
        }
}

static void test_large(void **state)
{
    (void)state;
    double before = 0;
    for (uint32_t count = 1000; count <= 100000; count *= 10) {
        th__buf html = {0};
        infoseek(&html, count, true);
        site s = open_site(html.data);
        clock_t begin = clock();
        th__iepad_result result;
        th__iepad_rule *rule;
        th__iepad_table table = {0};
        assert_int_equal(th__iepad_find(s.page, NULL, &result, NULL), TH_OK);
        uint32_t pick = find_text(&result, block_pattern);
        assert_int_equal(result.patterns[pick].count, count);
        double found = (double)(clock() - begin) / CLOCKS_PER_SEC;
        assert_int_equal(learn_rule(s.page, &result, pick, &rule, NULL), TH_OK);
        double learnt = (double)(clock() - begin) / CLOCKS_PER_SEC;
        assert_int_equal(th__iepad_run(rule, s.page, NULL, &table, NULL), TH_OK);
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        assert_int_equal(table.records.len, count);
        print_message("%u records: found %.4f s, learnt %.4f s, run %.4f s\n", count, found,
                      learnt - found, seconds - learnt);
        /* ten times the page: quadratic would be a hundred times the time */
        if (before > 0.01)
            assert_true(seconds < 40 * before);
        before = seconds;
        th__iepad_table_release(&table);
        th__iepad_result_release(&result);
        th__buf_release(&html);
        close_site(&s);
    }
}

struct searched {
    const th_page *page;
    uint64_t answer;
};

static th_status work(void *context)
{
    struct searched *searched = context;
    const th_page *page = searched->page;
    th__iepad_result result;
    th__iepad_rule *rule = NULL, *more = NULL;
    th_records *records = NULL;
    th_error err;
    th__buf text = {0};
    th_records_source source = {{"p", 1}, {NULL, 0}};
    th_status status = th__iepad_find(page, NULL, &result, &err);
    if (status)
        return status;
    th__arena_init(&rules);
    status = learn_rule(page, &result, 0, &rule, &err);
    if (!status && result.count > 1)
        status = learn_rule(page, &result, 1, &more, &err);
    if (!status && more)
        status = th__iepad_rule_join(rule, more, &rules, &err);
    if (!status)
        status = th__iepad_records(rule, page, NULL, &source, &records, &err);
    if (!status) {
        write_rule(rule, &text);
        for (uint32_t i = 0; i < result.count; i++)
            th__buf_add_str(&text, result.patterns[i].text);
        status = text.failed ? TH_ERR_MEMORY
                             : th_test_same_answer(text.data, text.len, &searched->answer);
    }
    th__buf_release(&text);
    th_records_free(records);
    th__iepad_result_release(&result);
    th__arena_release(&rules);
    return status;
}

static th_status read_once(void *context)
{
    th__iepad_rule *rule;
    th_error err;
    th__arena_init(&rules);
    th_status status = read_json(context, &rule, &err);
    th__arena_release(&rules);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    th__buf html = {0};
    infoseek(&html, 7, true);
    site s = open_site(html.data);
    struct searched searched = {s.page, 0};
    th__arena_release(&rules);
    assert_int_equal(work(&searched), TH_OK);
    th_test_some_allocations_fail(work, &searched, 300);
    close_site(&s);
    th__buf_release(&html);
    json_t *json = json_loads(pattern_1, 0, NULL);
    th_test_each_allocation_fails(read_once, json);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_congo_tokens),
        cmocka_unit_test(test_schemes),
        cmocka_unit_test(test_hidden_and_media),
        cmocka_unit_test(test_token_ranges),
        cmocka_unit_test(test_congo_repeats),
        cmocka_unit_test(test_congo_pat_tree),
        cmocka_unit_test(test_variance_density),
        cmocka_unit_test(test_powers),
        cmocka_unit_test(test_clustering),
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_missing_attributes),
        cmocka_unit_test(test_outliers),
        cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_example_pattern),
        cmocka_unit_test(test_blocks_and_levels),
        cmocka_unit_test(test_ranking),
        cmocka_unit_test(test_unseen_pages),
        cmocka_unit_test(test_further_pages),
        cmocka_unit_test(test_last_record),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_bad_json),
        cmocka_unit_test(test_odd_pages),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_memory),
    };
    th__arena_init(&rules);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    th__arena_release(&rules);
    return failed;
}
