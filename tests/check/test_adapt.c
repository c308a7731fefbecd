/* Pages that changed inside their records: what is found by its looks, and what the verdict says.
 */
#include "alloc_fail.h"
#include "wrapper_test.h"

typedef struct shop {
    const char *price; /* the price, with its element; %d is the number of the record */
    const char *note;  /* the same for a text behind it; or NULL */
    int records;
    bool row;     /* cells of a table: title, price, place */
    bool swapped; /* place before price */
} shop;

static const char *const names[] = {"Quiet River", "Stone Lamp",  "Amber Night", "Copper Kettle",
                                    "Winter Coat", "Paper Crane", "Salt Cellar", "Linen Chest"};
static const char *const places[] = {"Bath", "Lyon", "Ghent", "Porto"};

static void add_record(th__buf *out, const shop *form, int n)
{
    th__buf_printf(out, form->row ? "<tr><td><b>%s %d</b>" : "<li class=item><h3>%s %d</h3>",
                   names[n % 8], n);
    if (form->row && form->swapped)
        th__buf_printf(out, "<td>%s", places[n * 7 % 4]);
    th__buf_printf(out, form->price, n);
    if (form->row && !form->swapped)
        th__buf_printf(out, "<td>%s", places[n * 7 % 4]);
    th__buf_add_str(out, TH_STR("<p class=about>Sent within two days, packed with care</p>"));
    if (form->note)
        th__buf_printf(out, form->note, n);
}

static bool make(th__buf *out, shop form, int first)
{
    th__buf_clear(out);
    th__buf_add_str(out, TH_STR("<html><body><p>Welcome to the shop</p>"));
    th__buf_add_str(out, form.row ? TH_STR("<table class=list>") : TH_STR("<ul class=list>"));
    for (int i = 0; i < form.records; i++)
        add_record(out, &form, first + i);
    th__buf_add_str(out, form.row ? TH_STR("</table>") : TH_STR("</ul>"));
    return th__buf_add_byte(out, '\0');
}

static th_status parse(const char *html, th_page **out)
{
    th_parser *parser = NULL;
    th_status status = th_parser_new(NULL, &parser, NULL);
    if (!status)
        status = th_parser_parse(parser, th_str_from(html), NULL, out, NULL);
    th_parser_free(parser);
    return status;
}

/* Adds what a wrapper gives for a page to a check. */
static th_status add_page(th_check *check, const th_wrapper *wrapper, const char *html)
{
    th_page *page = NULL;
    th_records *records = NULL;
    th_status status = parse(html, &page);
    if (!status)
        status = th_wrapper_extract(wrapper, page, NULL, &records, NULL);
    if (!status)
        status = th_check_add(check, page, records, NULL);
    th_records_free(records);
    th_page_free(page);
    return status;
}

/* Learns from three pages, with a profile. */
static th_status learn_shop(shop form, th_wrapper **out)
{
    th__buf html[3] = {0};
    const char *pages[3];
    th_check *check = NULL;
    bool ok = true;
    *out = NULL;
    for (int i = 0; i < 3; i++) {
        ok = ok && make(&html[i], form, 100 * (i + 1));
        pages[i] = html[i].data;
    }
    th_status status = ok ? learn_from(pages, 3, 1, out, NULL) : TH_ERR_MEMORY;
    if (!status)
        status = th_check_new(*out, true, &check, NULL);
    for (int i = 0; !status && i < 3; i++)
        status = add_page(check, *out, pages[i]);
    if (!status)
        status = th_check_profile(check, *out, NULL);
    th_check_free(check);
    for (int i = 0; i < 3; i++)
        th__buf_release(&html[i]);
    return status;
}

/* The first record of a changed page, and the word of the verdict on it. */
static th_status look(shop was, shop is, th__buf *first, const char **word)
{
    th_wrapper *wrapper = NULL;
    th_check *check = NULL;
    th_verdict *verdict = NULL;
    th__buf html = {0};
    th_status status = make(&html, is, 500) ? learn_shop(was, &wrapper) : TH_ERR_MEMORY;
    if (!status)
        status = run_on(wrapper, html.data, first, NULL);
    if (!status)
        status = th_check_new(wrapper, false, &check, NULL);
    if (!status)
        status = add_page(check, wrapper, html.data);
    if (!status)
        status = th_check_verdict(check, 0, &verdict, NULL);
    *word = status ? "" : th_verdict_word(verdict);
    char *end = first->len ? memchr(first->data, '\n', first->len) : NULL;
    if (end)
        *end = '\0';
    th_verdict_free(verdict);
    th_check_free(check);
    th_wrapper_free(wrapper);
    th__buf_release(&html);
    return status;
}

static void expect(shop was, shop is, const char *word, const char *record)
{
    th__buf first = {0};
    const char *got;
    assert_int_equal(look(was, is, &first, &got), TH_OK);
    assert_string_equal(first.data, record);
    assert_string_equal(got, word);
    th__buf_release(&first);
}

static const shop list = {"<p class=price>$ %d.50</p>", NULL, 10, false, false};

#define ABOUT "\"about\":\"Sent within two days, packed with care\""

static void test_same(void **state)
{
    expect(list, list, "fine",
           "{\"title\":\"Winter Coat 500\",\"price\":\"$ 500.50\"," ABOUT ",\"other\":null}");
}

static th_status look_quietly(void *context)
{
    th__buf first = {0};
    const char *word;
    shop is = list;
    is.price = "<div class=cost><i>$ %d.50</i></div>";
    (void)context;
    th_status status = look(list, is, &first, &word);
    th__buf_release(&first);
    return status;
}

static void test_memory(void **state)
{
    th_test_some_allocations_fail(look_quietly, NULL, 150);
}

/* One more element, another class; links and texts that nobody knew are left alone. */
static void test_moved(void **state)
{
    shop is = list;
    is.price = "<div class=cost><i>$ %d.50</i></div>";
    expect(list, is, "changed",
           "{\"title\":\"Winter Coat 500\",\"price\":\"$ 500.50\"," ABOUT ",\"other\":null}");
    is.note = "<em>Only few are left of these</em>";
    expect(list, is, "changed",
           "{\"title\":\"Winter Coat 500\",\"price\":\"$ 500.50\"," ABOUT
           ",\"other\":[\"Only few are left of these\"]}");
}

/* Something else in its place is not taken for it. */
static void test_another(void **state)
{
    shop is = list;
    is.price = "<p class=call>Call us for the price of this one, any day from nine to five</p>";
    expect(list, is, "changed",
           "{\"title\":\"Winter Coat 500\",\"price\":null," ABOUT
           ",\"other\":[\"Call us for the price of this one, any day from nine to five\"]}");
}

/* A field that the site has dropped; one that is there and not found; too few records to tell. */
static void test_gone(void **state)
{
    shop is = list;
    is.price = "";
    expect(list, is, "changed",
           "{\"title\":\"Winter Coat 500\",\"price\":null," ABOUT ",\"other\":null}");
    is.price = "<p class=cost>$ %d.50</p>";
    is.records = 2;
    expect(list, is, "fine",
           "{\"title\":\"Winter Coat 500\",\"price\":null," ABOUT ",\"other\":[\"$ 500.50\"]}");
}

/* Cells that changed places. */
static void test_order(void **state)
{
    shop was = {"<td>$ %d.50", NULL, 10, true, false}, is = was;
    is.swapped = true;
    expect(was, is, "changed",
           "{\"title\":\"Winter Coat 500\",\"price\":\"$ 500.50\",\"text_1\":\"Bath\"," ABOUT
           ",\"other\":null}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same), cmocka_unit_test(test_moved), cmocka_unit_test(test_another),
        cmocka_unit_test(test_gone), cmocka_unit_test(test_order), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
