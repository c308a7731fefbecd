/* The guard of repairs: one test a rule, with a wrapper that breaks it and one that does not. */
#include "wrapper_test.h"

#include "check/repair.h"

/* A shelf of books: how a title stands in its record, and what follows the last paragraph. */
typedef struct shelf {
    const char *open, *close, *more;
    const char *heading; /* stands after every fifth book; or NULL */
    const char *item;    /* the tag of a book */
    int sales;           /* no book has a price, so many have words in its place; 0: all have it */
    const char *note;    /* what stands in the note, before and behind the year; or NULL */
    const char *behind;
} shelf;

static const shelf plain = {"<h3>", "</h3>", "", NULL, "<li class=book>", 0};
static const shelf lines = {.open = "<h3>",
                            .close = "</h3>",
                            .more = "<br>packed with care and sent by post",
                            .item = "<li class=book>"};

static void make_shelf(th__buf *out, shelf form, int first)
{
    static const char *const words[] = {"Quiet",  "Stone",  "River", "Amber", "Night",
                                        "Copper", "Winter", "Paper", "Salt",  "Linen"};
    th__buf_clear(out);
    th__buf_add_str(out, TH_STR("<html><body><ul class=menu><li><a href=/>Home</a>"
                                "<li><a href=/x>Shop</a></ul><ul class=books>"));
    for (int i = 0; i < 10; i++) {
        int n = first + i;
        th__buf_printf(out, "%s%s<a href=/b/%d>%s %s Tale</a>%s", form.item, form.open, n,
                       words[n % 10], words[(first * 3 + i * 7) % 10], form.close);
        if (!form.sales)
            th__buf_printf(out, "<p class=price>$ %d.50</p>", n);
        else if (i < form.sales)
            th__buf_add_str(out, TH_STR("<p class=sale>ask at the desk</p>"));
        th__buf_printf(out, "<p class=note>%s %d%s%s</p>", form.note ? form.note : "in stock since",
                       1990 + i, form.behind ? form.behind : ", ships soon", form.more);
        if (form.heading && i % 5 == 4)
            th__buf_add_str(out, th_str_from(form.heading));
    }
    th__buf_add_str(out, TH_STR("</ul></body></html>"));
    assert_true(th__buf_add_byte(out, '\0'));
}

/* ---- wrappers ---- */

static void add_to_check(th_check *check, const th_wrapper *wrapper, const char *html)
{
    th_page *page = parse_page(html);
    th_records *records;
    assert_int_equal(th_wrapper_extract(wrapper, page, NULL, &records, NULL), TH_OK);
    assert_int_equal(th_check_add(check, page, records, NULL), TH_OK);
    th_records_free(records);
    th_page_free(page);
}

/* Learns from three pages, with a profile. */
static th_wrapper *learn_shelf(shelf form)
{
    th__buf html[3] = {0};
    const char *pages[3];
    th_check *check;
    th_wrapper *wrapper;
    for (int i = 0; i < 3; i++) {
        make_shelf(&html[i], form, 100 * (i + 1));
        pages[i] = html[i].data;
    }
    assert_int_equal(learn_from(pages, 3, 1, &wrapper, NULL), TH_OK);
    assert_int_equal(th_check_new(wrapper, true, &check, NULL), TH_OK);
    for (int i = 0; i < 3; i++)
        add_to_check(check, wrapper, pages[i]);
    assert_int_equal(th_check_profile(check, wrapper, NULL), TH_OK);
    th_check_free(check);
    for (int i = 0; i < 3; i++)
        th__buf_release(&html[i]);
    return wrapper;
}

/* Puts `to` where `from` stands, before `end`; fails when it stands nowhere. */
static void replace(th__buf *text, const char *from, const char *to, const char *end)
{
    th__buf out = {0};
    const char *at = text->data, *stop = end ? strstr(at, end) : at + text->len, *hit;
    assert_non_null(stop);
    assert_true((hit = strstr(at, from)) && hit < stop);
    for (; (hit = strstr(at, from)) && hit < stop; at = hit + strlen(from)) {
        th__buf_add_str(&out, (th_str){at, (size_t)(hit - at)});
        th__buf_add_str(&out, th_str_from(to));
    }
    th__buf_add_str(&out, th_str_from(at));
    assert_true(th__buf_add_byte(&out, '\0'));
    th__buf_release(text);
    *text = out;
}

static th__buf written(const th_wrapper *wrapper)
{
    th_text file = {0};
    th__buf text = {0};
    assert_int_equal(th_wrapper_write(wrapper, &file, NULL), TH_OK);
    th__buf_add_str(&text, (th_str){file.ptr, file.len});
    assert_true(th__buf_add_byte(&text, '\0'));
    th_text_release(&file);
    return text;
}

/* A repair of a page that has been judged, but for what it may have found. */
static th_repair *judged(const th_wrapper *wrapper, shelf form)
{
    th_repair *repair;
    th_wrapper *mended;
    th__buf html = {0};
    make_shelf(&html, form, 700);
    th_page *page = parse_page(html.data);
    assert_int_equal(th_repair_new(wrapper, NULL, &repair, NULL), TH_OK);
    assert_int_equal(th_repair_add(repair, page, NULL, NULL), TH_OK);
    assert_int_equal(th_repair_finish(repair, &mended, NULL), TH_OK);
    th_wrapper_free(mended);
    th_page_free(page);
    th__buf_release(&html);
    return repair;
}

/* What the guard says of a wrapper by its file. */
static bool is_worse(th_repair *repair, const th__buf *file)
{
    th_wrapper *now;
    th__tally tally;
    bool worse;
    assert_int_equal(th_wrapper_read(th_str_from(file->data), "now", &now, NULL), TH_OK);
    assert_int_equal(th__repair_run(repair, now, &tally, NULL), TH_OK);
    assert_int_equal(th__repair_guard(repair, now, &tally, &worse, NULL), TH_OK);
    th__tally_release(&tally);
    th_wrapper_free(now);
    return worse;
}

/* ---- rules ---- */

/* Where all records are still found, headings among them are no records that were missed; what is
 * as rich as a record is one. */
static void test_thin_records(void **state)
{
    shelf thin = plain, rich = plain;
    thin.heading = "<li class=head><h3><a href=/b/801>Amber Stone Tale</a></h3>";
    rich.heading = "<li class=head><h3><a href=/b/801>Amber Stone Tale</a></h3>"
                   "<p class=price>$ 801.50</p><p class=note>in stock since 1994, ships soon</p>";
    th_wrapper *wrapper = learn_shelf(plain);
    th_repair *with_thin = judged(wrapper, thin), *with_rich = judged(wrapper, rich);
    th__buf file = written(wrapper);
    assert_false(is_worse(with_thin, &file));
    replace(&file, "> li.book\"}", "> li.book\"}, {\"path\": \"html > body > ul.books > li.head\"}",
            NULL);
    assert_true(is_worse(with_thin, &file));
    assert_false(is_worse(with_rich, &file));
    th__buf_release(&file);
    th_repair_free(with_thin);
    th_repair_free(with_rich);
    th_wrapper_free(wrapper);
}

/* The title stands elsewhere: it is found by its looks, and its link with it. A repair that finds
 * the title alone takes the link away. */
static void test_links_stay(void **state)
{
    shelf moved = plain;
    moved.open = "<div class=t>";
    moved.close = "</div>";
    th_wrapper *wrapper = learn_shelf(plain);
    th_repair *repair = judged(wrapper, moved);
    th__buf file = written(wrapper);
    replace(&file, "\"kind\": \"text\", \"path\": \"h3 > a\"",
            "\"kind\": \"text\", \"path\": \"div.t > a\"", NULL);
    assert_true(is_worse(repair, &file));
    replace(&file, "\"kind\": \"link\", \"path\": \"h3 > a\"",
            "\"kind\": \"link\", \"path\": \"div.t > a\"", NULL);
    assert_false(is_worse(repair, &file));
    th__buf_release(&file);
    th_repair_free(repair);
    th_wrapper_free(wrapper);
}

/* Lines of one element that are given one after the other: the second must not become a column of
 * its own behind another field. In front of it, it may. */
static void test_torn_lines(void **state)
{
    th_wrapper *wrapper = learn_shelf(lines);
    th_repair *repair = judged(wrapper, lines);
    const char *const rules = "\"rules\"";
    for (uint32_t i = 0; i < repair->profile->count; i++)
        repair->drifting[i] |= th__str_eq(repair->profile->fields[i].path, TH_STR("note_2"));
    th__buf file = written(wrapper);
    replace(&file, "\"note_2\"", "\"more\"", NULL);
    assert_false(is_worse(repair, &file));
    replace(&file, "\"name\": \"price\"", "\"name\": \"swap\"", rules);
    replace(&file, "\"name\": \"note\"", "\"name\": \"price\"", rules);
    replace(&file, "\"name\": \"swap\"", "\"name\": \"note\"", rules);
    assert_true(is_worse(repair, &file));
    th__buf_release(&file);
    th_repair_free(repair);
    th_wrapper_free(wrapper);
}

/* No price is left, and words that are none stand in its place in a few records: these are not
 * offered for it. In most of its places they are; and so they are where the old wrapper has no
 * records any more, and all that is found is a gain. */
static void test_halves(void **state)
{
    shelf few = plain, most = plain, moved = plain;
    few.sales = moved.sales = 2;
    most.sales = 6;
    moved.item = "<dd class=ware>";
    th_wrapper *wrapper = learn_shelf(plain);
    th_repair *in_few = judged(wrapper, few), *in_most = judged(wrapper, most);
    th_repair *in_moved = judged(wrapper, moved);
    th__buf file = written(wrapper);
    replace(&file, "p.price", "p.sale", NULL);
    assert_true(is_worse(in_few, &file));
    assert_false(is_worse(in_most, &file));
    replace(&file, "li.book", "dd.ware", NULL);
    assert_false(is_worse(in_moved, &file));
    th__buf_release(&file);
    th_repair_free(in_few);
    th_repair_free(in_most);
    th_repair_free(in_moved);
    th_wrapper_free(wrapper);
}

static void set_drifting(th_repair *repair, const char *path)
{
    bool found = false;
    for (uint32_t i = 0; i < repair->profile->count; i++)
        if (th__str_eq(repair->profile->fields[i].path, th_str_from(path)))
            found = repair->drifting[i] = true;
    assert_true(found);
}

/* A value of a broken field may lose its label; that of one that is not stays as it was. */
static void test_labels(void **state)
{
    shelf labelled = plain;
    labelled.note = "Kept: <b>since";
    labelled.behind = " on a shelf</b>";
    th_wrapper *wrapper = learn_shelf(labelled);
    th_repair *repair = judged(wrapper, labelled);
    th__buf file = written(wrapper);
    assert_false(is_worse(repair, &file));
    replace(&file, "\"path\": \"p.note\"", "\"path\": \"p.note > b\"", NULL);
    assert_true(is_worse(repair, &file));
    set_drifting(repair, "note");
    assert_false(is_worse(repair, &file));
    th__buf_release(&file);
    th_repair_free(repair);
    th_wrapper_free(wrapper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thin_records), cmocka_unit_test(test_links_stay),
        cmocka_unit_test(test_torn_lines),   cmocka_unit_test(test_halves),
        cmocka_unit_test(test_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
