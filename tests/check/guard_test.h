/* guard_test.h: shelves of books, wrappers that read them and repairs of these. */
#ifndef TH_GUARD_TEST_H
#define TH_GUARD_TEST_H

#include "wrapper_test.h"

#include "repair/repair_guard.h"

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

static inline void make_shelf(th__buf *out, shelf form, int first)
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

static inline void add_to_check(th_check *check, const th_wrapper *wrapper, const char *html)
{
    th_page *page = parse_page(html);
    th_records *records;
    assert_int_equal(th_wrapper_extract(wrapper, page, NULL, &records, NULL), TH_OK);
    assert_int_equal(th_check_add(check, page, records, NULL), TH_OK);
    th_records_free(records);
    th_page_free(page);
}

static inline th_wrapper *learn_pages(const char *const *pages, size_t count)
{
    th_check *check;
    th_wrapper *wrapper;
    assert_int_equal(learn_from(pages, count, 1, &wrapper, NULL), TH_OK);
    assert_int_equal(th_check_new(wrapper, true, &check, NULL), TH_OK);
    for (size_t i = 0; i < count; i++)
        add_to_check(check, wrapper, pages[i]);
    assert_int_equal(th_check_profile(check, wrapper, NULL), TH_OK);
    th_check_free(check);
    return wrapper;
}

/* Learns from three pages, with a profile. */
static inline th_wrapper *learn_shelf(shelf form)
{
    th__buf html[3] = {0};
    const char *pages[3];
    for (int i = 0; i < 3; i++) {
        make_shelf(&html[i], form, 100 * (i + 1));
        pages[i] = html[i].data;
    }
    th_wrapper *wrapper = learn_pages(pages, 3);
    for (int i = 0; i < 3; i++)
        th__buf_release(&html[i]);
    return wrapper;
}

/* A repair of a page that has been judged, but for what it may have found. */
static inline th_repair *judged(const th_wrapper *wrapper, shelf form)
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

#endif
