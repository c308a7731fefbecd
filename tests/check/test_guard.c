/* The guard of repairs: one test a rule, with a wrapper that breaks it and one that does not. */
#include "guard_test.h"

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

/* What the guard says of a wrapper by its file. */
static bool is_worse(th_repair *repair, const th__buf *file)
{
    th_wrapper *now;
    th__run run;
    bool worse;
    assert_int_equal(th_wrapper_read(th_str_from(file->data), "now", &now, NULL), TH_OK);
    assert_int_equal(th__repair_run(repair, now, true, &run, NULL), TH_OK);
    assert_int_equal(th__repair_guard(repair, &run, &worse, NULL), TH_OK);
    th__run_release(&run);
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
    set_drifting(repair, "kept");
    assert_false(is_worse(repair, &file));
    th__buf_release(&file);
    th_repair_free(repair);
    th_wrapper_free(wrapper);
}

/* A shelf with two tales in a note: "Silver Quiet Tale Golden Stone Tale". */
static void make_pairs(th__buf *out, int first)
{
    static const char *const words[] = {"Quiet",  "Stone",  "River", "Amber", "Night",
                                        "Copper", "Winter", "Paper", "Salt",  "Linen"};
    static const char *const more[] = {"Silver", "Golden",  "Broken", "Hidden", "Lost",
                                       "Early",  "Distant", "Green",  "Secret", "Royal"};
    th__buf_clear(out);
    th__buf_add_str(out, TH_STR("<html><body><ul class=books>"));
    for (int i = 0; i < 10; i++) {
        int n = first + i;
        th__buf_printf(out,
                       "<li class=book><h3><a href=/b/%d>%s %s Tale</a></h3><p class=price>$ %d.50"
                       "</p><p class=note><b>%s %s Tale</b> <i>%s %s Tale</i></p>",
                       n, words[n % 10], words[(first / 100 * 3 + i * 7) % 10], n, more[i],
                       words[(n + first / 100) % 10], more[(i + 4) % 10], words[(n + 1) % 10]);
    }
    th__buf_add_str(out, TH_STR("</ul></body></html>"));
    assert_true(th__buf_add_byte(out, '\0'));
}

/* A value in two pieces is two texts more and one less: they do not make up for it. */
static void test_pieces(void **state)
{
    th__buf html[3] = {0};
    const char *pages[3];
    th_wrapper *whole, *mended;
    th_check *check;
    th_repair *repair;
    for (int i = 0; i < 3; i++) {
        make_pairs(&html[i], 100 * (i + 1));
        pages[i] = html[i].data;
    }
    th_wrapper *parts = learn_pages(pages, 3);
    th__buf parts_file = written(parts), whole_file = written(parts);
    replace(&whole_file, "\"path\": \"p.note\", \"inside\": [{\"element\": \"b\"}]",
            "\"path\": \"p.note\"", NULL);
    replace(&whole_file,
            "{\"name\": \"note_2\", \"kind\": \"text\", \"path\": \"p.note\", \"inside\": "
            "[{\"element\": \"i\"}], \"core\": true},",
            "", NULL);
    replace(&parts_file, "\"note_2\"", "\"more\"", NULL);
    assert_int_equal(th_wrapper_read(th_str_from(whole_file.data), "whole", &whole, NULL), TH_OK);
    assert_int_equal(th_check_new(whole, true, &check, NULL), TH_OK);
    for (int i = 0; i < 3; i++)
        add_to_check(check, whole, pages[i]);
    assert_int_equal(th_check_profile(check, whole, NULL), TH_OK);
    assert_int_equal(th_repair_new(whole, NULL, &repair, NULL), TH_OK);
    th_page *page = parse_page(pages[0]);
    assert_int_equal(th_repair_add(repair, page, NULL, NULL), TH_OK);
    assert_int_equal(th_repair_finish(repair, &mended, NULL), TH_OK);
    set_drifting(repair, "note");
    assert_false(is_worse(repair, &whole_file));
    assert_true(is_worse(repair, &parts_file));
    th_page_free(page);
    th_wrapper_free(mended);
    th_repair_free(repair);
    th_check_free(check);
    th_wrapper_free(whole);
    th_wrapper_free(parts);
    th__buf_release(&parts_file);
    th__buf_release(&whole_file);
    for (int i = 0; i < 3; i++)
        th__buf_release(&html[i]);
}

/* Where the old wrapper has all records with all of their text, nothing makes up for a text that is
 * lost; where it has not, two do. */
static void test_nothing_to_gain(void **state)
{
    th_wrapper *wrapper = learn_shelf(plain);
    th_repair *repair = judged(wrapper, plain);
    th__run run;
    th__comparison c;
    assert_int_equal(th__repair_run(repair, wrapper, true, &run, NULL), TH_OK);
    assert_true(th__compare_init(&c, repair, &run.tally));
    assert_int_equal(th__compare_page(&c, 0, run.records[0], NULL), TH_OK);
    assert_false(th__compare_is_worse(&c));
    assert_true(th__vec_push(&c.lost_texts, 1));
    for (uint64_t i = 2; i < 6; i++)
        assert_true(th__vec_push(&c.gained_texts, i));
    assert_true(th__compare_is_worse(&c));
    c.old.right -= c.old.right / 5;
    assert_false(th__compare_is_worse(&c));
    c.old.right = c.now.right;
    c.old.bytes -= c.old.bytes / 5;
    assert_false(th__compare_is_worse(&c));
    th__compare_release(&c);
    th__run_release(&run);
    th_repair_free(repair);
    th_wrapper_free(wrapper);
}

/* A comparison of a repair with what gives as much as the old wrapper, which is twenty records. */
static void compare_twenty(th__comparison *c, th_repair *repair)
{
    assert_true(th__compare_init(c, repair, &repair->tally));
    c->old.count = c->old.right = c->now.count = c->now.right = 20;
}

/* Twice as many records with half of their fields each, in place of whole ones. */
static void test_pieces_are_judged(void **state)
{
    th_wrapper *wrapper = learn_shelf(plain);
    th_repair *repair = judged(wrapper, plain);
    th__tally many = repair->tally;
    th__comparison c;
    compare_twenty(&c, repair);
    many.records *= 2;
    c.now.tally = &many;
    c.now.count = c.now.right = c.now.filled = 41;
    for (uint32_t f = 0; f < repair->profile->count; f++)
        c.now.with[f] = 40;
    assert_false(th__compare_is_worse(&c));
    for (uint32_t f = 0; f < repair->profile->count; f++)
        c.now.with[f] = 20;
    assert_true(th__compare_is_worse(&c));
    /* Nothing is lost where the old wrapper gives nothing. */
    c.old.count = c.old.right = 0;
    assert_false(th__compare_is_worse(&c));
    th__compare_release(&c);
    th_repair_free(repair);
    th_wrapper_free(wrapper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_to_gain), cmocka_unit_test(test_pieces_are_judged),
        cmocka_unit_test(test_thin_records),    cmocka_unit_test(test_links_stay),
        cmocka_unit_test(test_halves),          cmocka_unit_test(test_labels),
        cmocka_unit_test(test_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
