/*
 * test_learn_stalker.c: STALKER as an engine of wrappers: from labels to records, its file, its
 * doubts, and odd labels.
 */
#define ENGINE "stalker"
#include "site_test.h"

#include "alloc_fail.h"

/* ---- pages, labels, records ------------------------------------------------------------------ */

/* The notes of a site; the caller releases. */
static void expect_note(const struct site *site, const char *part)
{
    th_wrapper *wrapper;
    th__buf notes = {0};
    th_error err = {0};
    if (learn(site, &wrapper, &notes, &err))
        fail_msg("%s", err.message);
    assert_true(th__buf_add_byte(&notes, '\0'));
    if (!strstr(notes.data, part))
        fail_msg("no \"%s\" in the notes:\n%s", part, notes.data);
    th__buf_release(&notes);
    th_wrapper_free(wrapper);
}

/* ---- one record a page ----------------------------------------------------------------------- */

#define SHOP(title, rows) "<html><body><h1>" title "</h1><table>" rows "</table><p>Shop</p>"
#define ROW(label, value) "<tr><th>" label "</th><td>" value "</td></tr>"

static const char *const shop[] = {
    SHOP("Snow Country", ROW("Author:", "Kawabata") ROW("Price:", "$9.95")),
    SHOP("Kokoro", ROW("Author:", "Soseki") ROW("Pages:", "248") ROW("Price:", "$12.00")),
    SHOP("Quicksand", ROW("Author:", "Tanizaki") ROW("Price:", "$7.50")),
    NULL,
};
static const char shop_labels[] =
    "{\"page\":\"0\",\"record\":{\"title\":\"Snow "
    "Country\",\"author\":\"Kawabata\",\"price\":\"$9.95\",\"pages\":null}}\n"
    "{\"page\":\"1\",\"record\":{\"title\":\"Kokoro\",\"author\":\"Soseki\",\"price\":\"$12.00\","
    "\"pages\":\"248\"}}\n";

static void detail_pages(void **state)
{
    struct site site = {shop_labels, shop, false};
    for (int paper = 0; paper < 2; paper++) {
        site.paper = paper;
        expect(
            &site, SHOP("Naomi", ROW("Author:", "Tanizaki") ROW("Price:", "$8.00")),
            "{\"title\":\"Naomi\",\"author\":\"Tanizaki\",\"price\":\"$8.00\",\"pages\":null}\n");
        expect(
            &site,
            SHOP("The <i>Old</i> Capital",
                 ROW("Author:", "Kawabata") ROW("Pages:", "164") ROW("Price:", "$8.00")),
            "{\"title\":\"The Old Capital\",\"author\":\"Kawabata\",\"price\":\"$8.00\",\"pages\":"
            "\"164\"}\n");
    }
    site.paper = false;
    /* Rows in another order: labels tell, not places. */
    expect(&site, SHOP("Naomi", ROW("Price:", "$8.00") ROW("Author:", "Tanizaki")),
           "{\"title\":\"Naomi\",\"author\":\"Tanizaki\",\"price\":\"$8.00\",\"pages\":null}\n");
    expect(&site, "", "");
    expect(&site, "<p>Nothing here.</p>", "");
}

/* Labels and values in cells of one kind. */
/* As published: of two rules, the backward one matches nothing on the other page. */
static void a_rule_that_matches_nothing_abstains(void **state)
{
    static const char *const pages[] = {"<h1>Shop</h1><p>Name <b>Ann</b> here</p>", NULL};
    struct site site = {"{\"page\":\"0\",\"record\":{\"n\":\"Ann\"}}\n", pages, true};
    expect(&site, "<h1>shop</h1><p>name <b>bob</b></p>", "{\"n\":\"bob\"}\n");
}

static void cells(void **state)
{
    static const char *const pages[] = {
        "<table><tr><td>Author</td><td>Kawabata</td></tr><tr><td>Price</td><td>$9</td></tr></"
        "table>",
        "<table><tr><td>Author</td><td>Soseki</td></tr><tr><td>Price</td><td></td></tr></table>",
        NULL,
    };
    const struct site site = {
        "{\"page\":\"0\",\"record\":{\"author\":\"Kawabata\",\"price\":\"$9\"}}\n"
        "{\"page\":\"1\",\"record\":{\"author\":\"Soseki\",\"price\":null}}\n",
        pages, false};
    expect(
        &site,
        "<table><tr><td>Price</td><td>$7</td></tr><tr><td>Author</td><td>Dazai</td></tr></table>",
        "{\"author\":\"Dazai\",\"price\":\"$7\"}\n");
}

static void attributes_and_parts(void **state)
{
    static const char *const pages[] = {
        "<div><img src='/a.png' alt=x><a href='/buy?id=1'>Buy</a><p>Only $5 each</p></div>",
        "<div><img src='/b.png' alt=x><a href='/buy?id=2'>Buy</a><p>Only $17 each</p></div>",
        NULL,
    };
    const struct site site = {
        "{\"page\":\"0\",\"record\":{\"image\":\"/a.png\",\"link\":\"/buy?id=1\","
        "\"price\":\"$5\"}}\n"
        "{\"page\":\"1\",\"record\":{\"image\":\"/b.png\",\"link\":\"/buy?id=2\","
        "\"price\":\"$17\"}}\n",
        pages, false};
    expect(&site,
           "<div><img src='/c.png' alt=x><a href='/buy?id=3'>Buy</a><p>Only $8 each</p></div>",
           "{\"image\":\"/c.png\",\"link\":\"/buy?id=3\",\"price\":\"$8\"}\n");
}

/* Texts of one field in several kinds of places. */
static void parts_of_a_list(void **state)
{
    static const char *const pages[] = {
        "<h1>Kokoro</h1><p>by</p><b>Soseki</b><div class=f>Kokoro (1914)</div>",
        "<h1>Naomi</h1><p>by</p><b>Tanizaki</b><div class=f>Naomi (1924)</div>",
        NULL,
    };
    const struct site site = {
        "{\"page\":\"0\",\"record\":{\"title\":[\"Kokoro\",\"Kokoro (1914)\"]}}\n"
        "{\"page\":\"1\",\"record\":{\"title\":[\"Naomi\",\"Naomi (1924)\"]}}\n",
        pages, false};
    expect(&site, "<h1>Sanshiro</h1><p>by</p><b>Soseki</b><div class=f>Sanshiro (1908)</div>",
           "{\"title\":[\"Sanshiro\",\"Sanshiro (1908)\"]}\n");
}

/* As published there are no rules for parts of a text: the attribute is given whole, from the file
 * as well. */
static void published_attributes(void **state)
{
    static const char *const pages[] = {
        "<p>Portrait</p><img alt='Photo of Ann'><b>1</b>",
        "<p>Portrait</p><img alt='Photo of Bob'><b>2</b>",
        NULL,
    };
    const struct site site = {"{\"page\":\"0\",\"record\":{\"name\":\"Ann\"}}\n"
                              "{\"page\":\"1\",\"record\":{\"name\":\"Bob\"}}\n",
                              pages, true};
    expect(&site, "<p>Portrait</p><img alt='Photo of Cleo'><b>3</b>",
           "{\"name\":\"Photo of Cleo\"}\n");
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Items that begin with an attribute begin with its tag, and so does their list. */
static void lists_of_links(void **state)
{
    static const char *const pages[] = {
        "<h1>People</h1><p><a href='/p/1'>Ann</a> (room 7)<br><a href='/p/2'>Bob</a> (room 8)"
        "<p>end",
        "<h1>People</h1><p><a href='/p/3'>Cleo</a> (room 3)<p>end",
        NULL,
    };
    struct site site = {
        "{\"page\":\"0\",\"records\":[{\"link\":\"/p/1\",\"name\":\"Ann\"},{\"link\":\"/p/2\","
        "\"name\":\"Bob\"}]}\n"
        "{\"page\":\"1\",\"records\":[{\"link\":\"/p/3\",\"name\":\"Cleo\"}]}\n",
        pages, false};
    for (int paper = 0; paper < 2; paper++) {
        site.paper = paper;
        expect(&site,
               "<h1>People</h1><p><a href='/p/4'>Dora</a> (room 1)<br><a href='/p/5'>Egon</a> "
               "(room 2)<br><a href='/p/6'>Fay</a> (room 5)<p>end",
               "{\"link\":\"/p/4\",\"name\":\"Dora\"}\n{\"link\":\"/p/5\",\"name\":\"Egon\"}\n"
               "{\"link\":\"/p/6\",\"name\":\"Fay\"}\n");
    }
}

#define PLACE(name, phones) "<li><b>" name "</b><ul>" phones "</ul></li>"
#define PHONE(x)            "<li>" x "</li>"

static const char *const places[] = {
    "<h1>Guide</h1><ul class=places>" PLACE("Yala", PHONE("1-11") PHONE("1-12"))
        PLACE("Oki", PHONE("2-22")) PLACE("Ume", "") "</ul><p>End</p>",
    "<h1>Guide</h1><ul class=places>" PLACE("Aoi", PHONE("3-33"))
        PLACE("Eki", PHONE("4-44") PHONE("4-45") PHONE("4-46")) "</ul><p>End</p>",
    NULL,
};
static const char place_labels[] =
    "{\"page\":\"0\",\"records\":[{\"name\":\"Yala\",\"phones\":[\"1-11\",\"1-12\"]},"
    "{\"name\":\"Oki\",\"phones\":[\"2-22\"]},{\"name\":\"Ume\",\"phones\":[]}]}\n"
    "{\"page\":\"1\",\"records\":[{\"name\":\"Aoi\",\"phones\":[\"3-33\"]},"
    "{\"name\":\"Eki\",\"phones\":[\"4-44\",\"4-45\",\"4-46\"]}]}\n";

static void nested_lists(void **state)
{
    const struct site site = {place_labels, places, false};
    expect(&site,
           "<h1>Guide</h1><ul class=places>" PLACE("Kai", PHONE("5-55") PHONE("5-56"))
               PLACE("Sora", "") PLACE("Mio", PHONE("6-66")) "</ul><p>End</p>",
           "{\"name\":\"Kai\",\"phones\":[\"5-55\",\"5-56\"]}\n"
           "{\"name\":\"Sora\",\"phones\":null}\n"
           "{\"name\":\"Mio\",\"phones\":[\"6-66\"]}\n");
}

/* Records without an element of their own. */
static void runs(void **state)
{
    static const char *const pages[] = {
        "<dl><dt>Yala<dd>Thai<dd>$5<dt>Oki<dd>Sushi<dt>Ume<dd>Tea<dd>$2</dl>",
        "<dl><dt>Aoi<dd>Ramen<dd>$7<dt>Eki<dd>Bento</dl>",
        NULL,
    };
    const struct site site = {
        "{\"page\":\"0\",\"records\":[{\"name\":\"Yala\",\"food\":\"Thai\",\"price\":\"$5\"},"
        "{\"name\":\"Oki\",\"food\":\"Sushi\"},"
        "{\"name\":\"Ume\",\"food\":\"Tea\",\"price\":\"$2\"}]}\n"
        "{\"page\":\"1\",\"records\":[{\"name\":\"Aoi\",\"food\":\"Ramen\",\"price\":\"$7\"},"
        "{\"name\":\"Eki\",\"food\":\"Bento\"}]}\n",
        pages, false};
    expect(&site, "<dl><dt>Kai<dd>Soba<dt>Mio<dd>Udon<dd>$4</dl>",
           "{\"name\":\"Kai\",\"food\":\"Soba\",\"price\":null}\n"
           "{\"name\":\"Mio\",\"food\":\"Udon\",\"price\":\"$4\"}\n");
}

/* Items inside one text. */
static void separated_texts(void **state)
{
    static const char *const pages[] = {
        "<p>Tags: red, green, blue</p><p>End</p>",
        "<p>Tags: black, white</p><p>End</p>",
        NULL,
    };
    struct site site = {"{\"page\":\"0\",\"record\":{\"tags\":[\"red\",\"green\",\"blue\"]}}\n"
                        "{\"page\":\"1\",\"record\":{\"tags\":[\"black\",\"white\"]}}\n",
                        pages, false};
    for (int paper = 0; paper < 2; paper++) {
        site.paper = paper;
        expect(&site, "<p>Tags: pink, grey, brown, gold</p><p>End</p>",
               "{\"tags\":[\"pink\",\"grey\",\"brown\",\"gold\"]}\n");
    }
}

/* More texts than on any labelled page, one between signs that is empty, a sign inside a text. */
static void signs(void **state)
{
    static const char *const pages[] = {"<p>Tags</p><p>red and blue / 1/2 green</p>",
                                        "<p>Tags</p><p>pink</p>", NULL};
    const struct site site = {
        "{\"page\":\"0\",\"record\":{\"tags\":[\"red and blue\",\"1/2 green\"]}}\n"
        "{\"page\":\"1\",\"record\":{\"tags\":[\"pink\"]}}\n",
        pages, false};
    expect(&site, "<p>Tags</p><p>a / b/c / / <b>d</b> e /</p>",
           "{\"tags\":[\"a\",\"b/c\",\"d e\"]}\n");
    expect(&site, "<p>Tags</p><p>/ /</p>", "");
}

/* Items that are lines, with lines below them that begin further in. */
static void lines(void **state)
{
#define SHOPS(text) "<table><tr><td>Shops<td>" text "</table>"
#define IN          "<br>&nbsp;&nbsp;"
    static const char *const pages[] = {
        SHOPS("<b>Old Mill</b> | Bern" IN "<b>Paul</b> | 4" IN "<b>Anna</b> | 5<br><b>Hut</b>"),
        SHOPS("<b>Inn</b>" IN "<b>Rosa</b><br><b>Oak</b> | Rome"), NULL};
    const struct site site = {
        "{\"page\":\"0\",\"record\":{\"shops\":[{\"name\":\"Old Mill\",\"town\":\"Bern\","
        "\"by\":[{\"who\":\"Paul\",\"stars\":\"4\"},{\"who\":\"Anna\",\"stars\":\"5\"}]},"
        "{\"name\":\"Hut\"}]}}\n"
        "{\"page\":\"1\",\"record\":{\"shops\":[{\"name\":\"Inn\",\"by\":[{\"who\":\"Rosa\"}]},"
        "{\"name\":\"Oak\",\"town\":\"Rome\"}]}}\n",
        pages, false};
    expect(
        &site,
        SHOPS("<b>Elm</b>" IN "<b>Max</b> | 3<br><b>Fir</b> | Oslo" IN "<b>Lea</b>" IN
              "<b>Tom</b> | 2"),
        "{\"shops\":[{\"name\":\"Elm\",\"town\":null,\"by\":[{\"who\":\"Max\",\"stars\":\"3\"}]},"
        "{\"name\":\"Fir\",\"town\":\"Oslo\",\"by\":[{\"who\":\"Lea\",\"stars\":null},"
        "{\"who\":\"Tom\",\"stars\":\"2\"}]}]}\n");
#undef IN
#undef SHOPS
}

/* A list is missing, and what stands in its place is labelled as something else. */
static void labels_of_others(void **state)
{
#define ITEM(label, value) "<dt>" label "</dt><dd>" value "</dd>"
    static const char *const pages[] = {
        "<dl>" ITEM("Type", "New") ITEM("Place", "Bern, Rome") "</dl><h2>More</h2>",
        "<dl>" ITEM("Type", "Used") ITEM("Place", "Oslo") "</dl><h2>More</h2>", NULL};
    const struct site site = {
        "{\"page\":\"0\",\"record\":{\"type\":\"New\",\"place\":[\"Bern\",\"Rome\"]}}\n"
        "{\"page\":\"1\",\"record\":{\"type\":\"Used\",\"place\":[\"Oslo\"]}}\n",
        pages, false};
    expect(&site, "<dl>" ITEM("Type", "Old") "</dl><h2>More</h2>",
           "{\"type\":\"Old\",\"place\":null}\n");
    expect(&site, "<dl>" ITEM("Place", "Graz") "</dl><h2>More</h2>",
           "{\"type\":null,\"place\":[\"Graz\"]}\n");
    /* A sign that there is no value. */
    expect(&site, "<dl>" ITEM("Type", "n/a") ITEM("Place", "Graz") "</dl><h2>More</h2>",
           "{\"type\":null,\"place\":[\"Graz\"]}\n");
#undef ITEM
}

/* Separators with nothing between them: texts that are empty. */
static void empty_texts(void **state)
{
    static const char *const pages[] = {
        "<dl><dt>Tags<dd>red, green, blue, </dd><dt>End</dl>",
        "<dl><dt>Tags<dd>black, white</dd><dt>End</dl>",
        "<dl><dt>Tags<dd>pink</dd><dt>End</dl>",
        NULL,
    };
    const struct site site = {
        "{\"page\":\"0\",\"record\":{\"tags\":[\"red\",\"green\",\"blue\"]}}\n"
        "{\"page\":\"1\",\"record\":{\"tags\":[\"black\",\"white\"]}}\n"
        "{\"page\":\"2\",\"record\":{\"tags\":[\"pink\"]}}\n",
        pages, false};
    expect(&site, "<dl><dt>Tags<dd>, grey, brown, , gold, </dd><dt>End</dl>",
           "{\"tags\":[\"grey\",\"brown\",\"gold\"]}\n");
}

/* A text that is there with nothing of the value in it. */
static void empty_cuts(void **state)
{
    static const char *const pages[] = {
        "<ul><li>Oak Lane - York<ul><li>1</ul><li>Elm Row - <ul><li>2</ul></ul>",
        "<ul><li>Ash Road - Bath<ul><li>3</ul><li> - Rome<ul><li>4</ul></ul>",
        NULL,
    };
    const struct site site = {
        "{\"page\":\"0\",\"record\":{\"p\":[{\"street\":\"Oak Lane\",\"town\":\"York\"},"
        "{\"street\":\"Elm Row\"}]}}\n"
        "{\"page\":\"1\",\"record\":{\"p\":[{\"street\":\"Ash Road\",\"town\":\"Bath\"},"
        "{\"town\":\"Rome\"}]}}\n",
        pages, false};
    expect(&site,
           "<ul><li> - Nice<ul><li>5</ul><li>de la Mare Close - Graz<ul><li>6</ul>"
           "<li>Fir Way - </ul>",
           "{\"p\":[{\"street\":null,\"town\":\"Nice\"},"
           "{\"street\":\"de la Mare Close\",\"town\":\"Graz\"},"
           "{\"street\":\"Fir Way\",\"town\":null}]}\n");
}

/* A field does not take what is an item of a list beside it. */
static void members_apart(void **state)
{
#define EVENT(name, guests) "<li>" name guests "</li>"
    static const char *const pages[] = {
        "<ul>" EVENT("Big <b>Fair</b>", "<ol><li>Ann</li><li>Bob</li></ol>")
            EVENT("Ball", "") "</ul>",
        "<ul>" EVENT("Play", "<ol><li>Dan</li></ol>") EVENT("<b>Old</b> Game", "") "</ul>",
        NULL,
    };
    const struct site site = {
        "{\"page\":\"0\",\"record\":{\"e\":[{\"name\":\"Big Fair\",\"guests\":[\"Ann\",\"Bob\"]},"
        "{\"name\":\"Ball\"}]}}\n"
        "{\"page\":\"1\",\"record\":{\"e\":[{\"name\":\"Play\",\"guests\":[\"Dan\"]},"
        "{\"name\":\"Old Game\"}]}}\n",
        pages, false};
    expect(&site,
           "<ul>" EVENT("", "<ol><li>Gus</li><li>Hal</li></ol>")
               EVENT("Race", "<ol><li>Ida</li></ol>") "</ul>",
           "{\"e\":[{\"name\":null,\"guests\":[\"Gus\",\"Hal\"]},"
           "{\"name\":\"Race\",\"guests\":[\"Ida\"]}]}\n");
#undef EVENT
}

/* An item of which nothing is on the page is one all the same. */
static void empty_items(void **state)
{
    static const char *const pages[] = {
        "<ul><li><b></b></li><li><b>Ann</b> <i>4</i></li></ul><ul><li><b>x</b></li></ul>",
        "<ul><li><b>Bob</b> <i>5</i></li><li><b>Cy</b></li></ul><ul><li><b>y</b></li></ul>",
        NULL,
    };
    const struct site site = {
        "{\"page\":\"0\",\"record\":{\"r\":[{\"name\":null},{\"name\":\"Ann\",\"stars\":\"4\"}]}}\n"
        "{\"page\":\"1\",\"record\":{\"r\":[{\"name\":\"Bob\",\"stars\":\"5\"},{\"name\":\"Cy\"}]}}"
        "\n",
        pages, false};
    expect(&site,
           "<ul><li><b>Dan</b></li><li><b>Eve</b> <i>3</i></li></ul><ul><li><b>z</b></li></ul>",
           "{\"r\":[{\"name\":\"Dan\",\"stars\":null},{\"name\":\"Eve\",\"stars\":\"3\"}]}\n");
}

/* ---- co-testing ------------------------------------------------------------------------------ */

#define REST "<p>Phone:<i> (310) 555-1212</i>"
static const char *const figure3[] = {
    "Cuisine:<i>Seafood</i><p>Address:<i> 12 Pico St. </i>" REST,
    "Cuisine:<i>Thai </i><p>Address:<i> 512 Oak Blvd.</i>" REST,
    "Cuisine:<i>Burgers</i><p>Address:<i> 416 Main St. </i>" REST,
    "Cuisine:<i>Pizza</i><p>Address:<b> 97 Adams Blvd. </b>" REST,
    NULL,
};

static th_doubts *doubts_of(const th_wrapper *wrapper, const char *html)
{
    th_parser *parser;
    th_page *page;
    th_doubts *doubts;
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, th_str_from(html), NULL, &page, NULL), TH_OK);
    assert_int_equal(th_wrapper_doubts(wrapper, page, &doubts, NULL), TH_OK);
    th_page_free(page);
    th_parser_free(parser);
    return doubts;
}

/* Section 3: after E1 and E2 the views agree on E3 and not on E4, where the forward rule takes the
 * phone number for the address. (The backward rule finds the start of it; that its end does not
 * match is another matter: the paper speaks of starts alone.) */
static void figure_3_asks_for_e4(void **state)
{
    const struct site site = {"{\"page\":\"0\",\"record\":{\"address\":\"12 Pico St.\"}}\n"
                              "{\"page\":\"1\",\"record\":{\"address\":\"512 Oak Blvd.\"}}\n",
                              figure3, true};
    th_wrapper *wrapper = must_learn(&site);
    th_doubts *e3 = doubts_of(wrapper, figure3[2]), *e4 = doubts_of(wrapper, figure3[3]);
    assert_int_equal(th_doubts_count(e3), 0);
    assert_true(th_doubts_contention(e3) == 0);
    assert_int_equal(th_doubts_count(e4), 1);
    assert_true(th_doubts_contention(e4) > 0);
    const th_doubt *doubt = th_doubts_get(e4, 0);
    assert_true(th__str_eq(doubt->field, th_str_from("address")));
    assert_int_equal(doubt->answer_count, 2);
    assert_string_equal(doubt->answers[0].view, "forward");
    assert_true(th__str_eq(doubt->answers[0].text, th_str_from("(310) 555-1212")));
    assert_string_equal(doubt->answers[1].view, "backward");
    assert_false(th__str_eq(doubt->answers[1].text, doubt->answers[0].text));
    assert_null(th_doubts_get(e4, 1));
    th_doubts_free(e3);
    th_doubts_free(e4);
    th_wrapper_free(wrapper);
}

/* Text at a place, or behind a label, that no labelled page has may be a field. */
static void unshown_fields(void **state)
{
#define LINE(label, value) "<tr><td><b>" label "</b><td>" value
    static const char *const pages[] = {
        "<table>" LINE("Name", "Oak") LINE("Size", "1 m") LINE("Age", "7") "</table>",
        "<table>" LINE("Name", "Elm") LINE("Size", "2 m") LINE("Age", "8") "</table>",
        "<table>" LINE("Name", "Fir") LINE("Size", "3 m") LINE("Age", "9")
            LINE("Fruit", "cone") "</table>",
        "<table>" LINE("Name", "Ash") LINE("Size", "4 m")
            LINE("Age", "6") "</table><p class=tip>Tall",
        NULL,
    };
    const struct site site = {"{\"page\":\"0\",\"record\":{\"name\":\"Oak\"}}\n", pages, false};
    static const char *const texts[] = {NULL, "Fruit", "Tall"};
    th_wrapper *wrapper = must_learn(&site);
    for (size_t i = 0; i < 3; i++) {
        th_doubts *doubts = doubts_of(wrapper, pages[i + 1]);
        bool found = false;
        for (size_t d = 0; d < th_doubts_count(doubts); d++) {
            const th_doubt *doubt = th_doubts_get(doubts, d);
            if (doubt->field.len)
                continue;
            assert_non_null(texts[i]);
            found |= th__str_eq(doubt->answers[0].text, th_str_from(texts[i]));
        }
        assert_int_equal(found, texts[i] != NULL);
        th_doubts_free(doubts);
    }
    th_wrapper_free(wrapper);
    expect(&site, pages[1], "{\"name\":\"Elm\"}\n");
#undef LINE
}

static void other_engines_have_no_doubts(void **state)
{
    static const char list[] = "<ul><li>A one<li>B two<li>C three<li>D four</ul>";
    th_parser *parser;
    th_page *page;
    th_corpus *corpus;
    th_wrapper *wrapper;
    th_doubts *doubts;
    th_error err = {0};
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, th_str_from(list), NULL, &page, NULL), TH_OK);
    th_learn_options options;
    th_learn_options_init(&options);
    options.engine = "auto";
    options.no_profile = true;
    assert_int_equal(th_corpus_new(&corpus, NULL), TH_OK);
    assert_int_equal(th_corpus_add(corpus, page, NULL, NULL), TH_OK);
    assert_int_equal(th_learn(corpus, &options, &wrapper, NULL, NULL), TH_OK);
    assert_int_equal(th_wrapper_doubts(wrapper, page, &doubts, &err), TH_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "lists"));
    th_wrapper_free(wrapper);
    th_corpus_free(corpus);
    th_page_free(page);
    th_parser_free(parser);
}

/* ---- odd labels ------------------------------------------------------------------------------ */

static void contradictory_labels(void **state)
{
    static const char *const pages[] = {"<p>A</p><p>B</p>", "<p>C</p><p>D</p>", NULL};
    const struct site site = {
        "{\"page\":\"0\",\"record\":{\"x\":\"A\"}}\n{\"page\":\"1\",\"record\":{\"x\":\"D\"}}\n",
        pages, true};
    /* Both places and both answers are told. */
    expect_note(&site, "x is labelled \"");
    expect_note(&site, "and the rules find ");
}

static void overlapping_labels(void **state)
{
    static const char *const pages[] = {"<p>Tel <b>1-800-55</b></p>", "<p>Tel <b>1-900-66</b></p>",
                                        NULL};
    const struct site site = {
        "{\"page\":\"0\",\"record\":{\"all\":\"1-800-55\",\"code\":{\"start\":9,"
        "\"end\":12}}}\n"
        "{\"page\":\"1\",\"record\":{\"all\":\"1-900-66\",\"code\":{\"start\":12,"
        "\"end\":15}}}\n",
        pages, false};
    th_wrapper *wrapper = must_learn(&site);
    th_wrapper_free(wrapper);
}

static void field_on_no_page(void **state)
{
    static const char *const pages[] = {"<p>A</p><p>B</p>", "<p>C</p>", NULL};
    const struct site nothing = {"{\"page\":\"0\",\"record\":{\"x\":\"A\",\"y\":null}}\n", pages,
                                 false};
    expect_note(&nothing, "y: no labelled page has a value of it");
    const struct site empty = {"{\"page\":\"0\",\"record\":{\"x\":\"A\",\"y\":[]}}\n", pages,
                               false};
    expect_note(&empty, "y: no labelled page has a value of it");
    /* On one page only: it is learnt, and missing elsewhere. */
    const struct site once = {"{\"page\":\"0\",\"record\":{\"x\":\"A\",\"y\":\"B\"}}\n"
                              "{\"page\":\"1\",\"record\":{\"x\":\"C\",\"y\":null}}\n",
                              pages, false};
    expect(&once, "<p>E</p><p>F</p>", "{\"x\":\"E\",\"y\":\"F\"}\n");
    expect(&once, "<p>G</p>", "{\"x\":\"G\",\"y\":null}\n");
}

static void a_thousand_labels(void **state)
{
    enum { N = 1000 };
    th__buf labels = {0};
    static const char *pages[N + 1];
    static char texts[N][160];
    for (int i = 0; i < N; i++) {
        snprintf(texts[i], sizeof texts[i],
                 "<h1>Item %d</h1><p>Price: <b>$%d.00</b> <i>each</i></p>", i, 7 * i);
        pages[i] = texts[i];
        th__buf_printf(&labels,
                       "{\"page\":\"%d\",\"record\":{\"name\":\"Item %d\",\"price\":\"$%d.00\"}}\n",
                       i, i, 7 * i);
    }
    assert_true(th__buf_add_byte(&labels, '\0'));
    const struct site site = {labels.data, pages, false};
    expect(&site, "<h1>Thing</h1><p>Price: <b>$3.50</b> <i>each</i></p>",
           "{\"name\":\"Thing\",\"price\":\"$3.50\"}\n");
    th__buf_release(&labels);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Exchanges the first `from` of a wrapper for `to` and reads it; gives the message. */
static void expect_fault(const char *from, const char *to, const char *message)
{
    static const char *const tags[] = {"<p>Tags: red, green</p><p>By <a href=/x>X</a></p>",
                                       "<p>Tags: blue, pink</p><p>By <a href=/y>Y</a></p>", NULL};
    const struct site site = {
        "{\"page\":\"0\",\"record\":{\"tags\":[\"red\",\"green\"],\"who\":\"X\",\"link\":\"/x\"}}\n"
        "{\"page\":\"1\",\"record\":{\"tags\":[\"blue\",\"pink\"],\"who\":\"Y\",\"link\":\"/"
        "y\"}}\n",
        tags, false};
    th_wrapper *wrapper = must_learn(&site), *again = NULL;
    th_text text = {0};
    th__buf damaged = {0};
    th_error err = {0};
    assert_int_equal(th_wrapper_write(wrapper, &text, NULL), TH_OK);
    const char *rules = strstr(text.ptr, "\"rules\"");
    const char *at = rules ? strstr(rules, from) : NULL;
    if (!at)
        fail_msg("no %s in\n%s", from, text.ptr);
    th__buf_add(&damaged, text.ptr, (size_t)(at - text.ptr));
    th__buf_add_str(&damaged, th_str_from(to));
    th__buf_add_str(&damaged, th_str_from(at + strlen(from)));
    th_status status = th_wrapper_read(th__buf_str(&damaged), "w.json", &again, &err);
    if (status != TH_ERR_FORMAT || !strstr(err.message, message))
        fail_msg("%s -> %s: status %d, %s", from, to, status, err.message);
    th_wrapper_free(again);
    th_wrapper_free(wrapper);
    th_text_release(&text);
    th__buf_release(&damaged);
}

static void damaged_files(void **state)
{
    expect_fault("\"members\"", "\"membres\"", "rules.members: ");
    expect_fault("\"kind\": \"signs\"", "\"kind\": \"trees\"", "rules.members[0].items.kind: ");
    expect_fault("\"sign\": \", \"", "\"sign\": \" \"", "rules.members[0].items.sign: ");
    expect_fault("\"label\": \"By\"", "\"label\": \"1\"", "rules.members[1].label: ");
    expect_fault("\"SkipTo(", "\"SkipOver(", "SkipTo(...) and SkipUntil(...)");
    expect_fault("\"SkipTo(", "\"SkipTo(_Word_ ", "wildcard");
    expect_fault("\"path\": \"", "\"path\": \" > ", ".path: ");
    expect_fault("\"nth\": 1", "\"nth\": 0", ".nth: ");
    expect_fault("\"weight\": ", "\"weight\": -", ".weight: ");
    expect_fault("\"places\": [", "\"places\": [7, ", "places[0]: must be an object");
    expect_fault("\"attribute\": \"href\"", "\"attribute\": 7", "attribute: must be a text");
    expect_fault("\"of\": \"", "\"of\": \"x", ".of: ");
}

/* ---- memory ---------------------------------------------------------------------------------- */

static th_status learn_and_run(void *context)
{
    const struct site *site = context;
    th_wrapper *wrapper = NULL, *again = NULL;
    th_doubts *doubts = NULL;
    th_parser *parser = NULL;
    th_page *page = NULL;
    th_text text = {0};
    th__buf out = {0};
    th_status status = learn(site, &wrapper, NULL, NULL);
    if (!status)
        status = th_wrapper_write(wrapper, &text, NULL);
    if (!status)
        status = th_wrapper_read((th_str){text.ptr, text.len}, "w", &again, NULL);
    if (!status)
        status = run_on(again, site->pages[0], &out, NULL);
    if (!status)
        status = th_parser_new(NULL, &parser, NULL);
    if (!status)
        status = th_parser_parse(parser, th_str_from(site->pages[1]), NULL, &page, NULL);
    if (!status)
        status = th_wrapper_doubts(again, page, &doubts, NULL);
    th_doubts_free(doubts);
    th_page_free(page);
    th_parser_free(parser);
    th_text_release(&text);
    th__buf_release(&out);
    th_wrapper_free(again);
    th_wrapper_free(wrapper);
    return status;
}

static void memory(void **state)
{
    struct site details = {shop_labels, shop, false}, lists = {place_labels, places, false};
    th_test_some_allocations_fail(learn_and_run, &details, 150);
    th_test_some_allocations_fail(learn_and_run, &lists, 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(detail_pages),
        cmocka_unit_test(a_rule_that_matches_nothing_abstains),
        cmocka_unit_test(cells),
        cmocka_unit_test(attributes_and_parts),
        cmocka_unit_test(parts_of_a_list),
        cmocka_unit_test(published_attributes),
        cmocka_unit_test(lists_of_links),
        cmocka_unit_test(nested_lists),
        cmocka_unit_test(runs),
        cmocka_unit_test(separated_texts),
        cmocka_unit_test(empty_texts),
        cmocka_unit_test(empty_cuts),
        cmocka_unit_test(members_apart),
        cmocka_unit_test(empty_items),
        cmocka_unit_test(unshown_fields),
        cmocka_unit_test(figure_3_asks_for_e4),
        cmocka_unit_test(other_engines_have_no_doubts),
        cmocka_unit_test(contradictory_labels),
        cmocka_unit_test(overlapping_labels),
        cmocka_unit_test(field_on_no_page),
        cmocka_unit_test(a_thousand_labels),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(memory),
        cmocka_unit_test(signs),
        cmocka_unit_test(labels_of_others),
        cmocka_unit_test(lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
