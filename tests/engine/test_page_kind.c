/* Pages of one template: lists of records, or one record each. */
#include "test.h"

#include "alloc_fail.h"
#include "base/str.h"
#include "learn/learn.h"

enum { MOST = 8 };

typedef struct folder {
    th__buf html[MOST];
    size_t count;
} folder;

static const char *const words[] = {"amber",  "birch",  "copper", "dahlia",  "ember",  "fennel",
                                    "garnet", "hazel",  "indigo", "juniper", "kelp",   "lilac",
                                    "maple",  "nutmeg", "onyx",   "poppy",   "quartz", "rowan"};
enum { WORDS = sizeof words / sizeof *words };

/* A word that differs from page to page and from place to place. */
static const char *word(size_t page, size_t place)
{
    return words[(7 * page + 5 * place + page * place) % WORDS];
}

static void begin(folder *f)
{
    f->html[f->count] = (th__buf){0};
    th__buf_printf(&f->html[f->count],
                   "<html><body><ul class=nav><li><a href=/>Home</a><li><a href=/help>Help</a>"
                   "<li><a href=/about>About us</a></ul><h1>All about %s</h1>",
                   word(f->count, 1));
}

static void end(folder *f)
{
    th__buf_printf(&f->html[f->count++], "<p class=foot>Imprint</p></body></html>");
}

static void put_rows(folder *f, const char *list, int rows)
{
    th__buf *out = &f->html[f->count];
    th__buf_printf(out, "<div class=%s>", list);
    for (int i = 0; i < rows; i++)
        th__buf_printf(out,
                       "<div class=hit><h3><a href=/b/%zu%d>The %s %s</a></h3><p>By %s %s</p>"
                       "<b>Buy</b></div>",
                       f->count, i, word(f->count, 2 + i), word(f->count, 9 + i),
                       word(f->count, 4 + i), word(f->count, 12 + i));
    th__buf_printf(out, "</div>");
}

static void put_facts(folder *f)
{
    static const char *const labels[] = {"Publisher", "Pages", "Language", "Binding",
                                         "Series",    "Year",  "Edition",  "Translator"};
    th__buf *out = &f->html[f->count];
    th__buf_printf(out, "<p class=blurb>%s %s and %s: a book.</p><table class=facts>",
                   word(f->count, 3), word(f->count, 4), word(f->count, 5));
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        th__buf_printf(out, "<tr><th>%s<td>%s %s</tr>", labels[i], word(f->count, 20 + i),
                       word(f->count, 30 + i));
    th__buf_printf(out, "</table>");
}

static th_status kind_of(const folder *f, th_kind *out)
{
    th_parser *parser = NULL;
    th_page *pages[MOST] = {0};
    th_status status = th_parser_new(NULL, &parser, NULL);
    for (size_t i = 0; !status && i < f->count; i++)
        status = th_parser_parse(parser, th__buf_str(&f->html[i]), NULL, &pages[i], NULL);
    if (!status)
        status = th__pages_kind((const th_page *const *)pages, f->count, NULL, out, NULL);
    for (size_t i = 0; i < f->count; i++)
        th_page_free(pages[i]);
    th_parser_free(parser);
    return status;
}

static void expect(folder *f, bool lists)
{
    th_kind kind;
    assert_int_equal(kind_of(f, &kind), TH_OK);
    if (kind.lists != lists)
        print_error("%zu pages: %.0f bits in %zu rows, %.0f at places\n", kind.pages,
                    kind.list_bits, kind.rows, kind.page_bits);
    assert_int_equal(kind.lists, lists);
    assert_int_equal(kind.pages, f->count);
    for (size_t i = 0; i < f->count; i++)
        th__buf_release(&f->html[i]);
}

static void results_are_lists(void **state)
{
    folder f = {0};
    for (int i = 0; i < 4; i++) {
        begin(&f);
        put_rows(&f, "hits", 8 + i);
        end(&f);
    }
    expect(&f, true);
}

static void facts_are_a_record(void **state)
{
    folder f = {0};
    for (int i = 0; i < 4; i++) {
        begin(&f);
        put_facts(&f);
        end(&f);
    }
    expect(&f, false);
}

static void facts_with_a_list_beside_them_are_a_record(void **state)
{
    folder f = {0};
    for (int i = 0; i < 4; i++) {
        begin(&f);
        put_facts(&f);
        put_rows(&f, "related", 3);
        end(&f);
    }
    expect(&f, false);
}

static void pages_that_do_not_differ_are_lists(void **state)
{
    folder f = {0};
    for (int i = 0; i < 3; i++) {
        th__buf_printf(&f.html[f.count++], "<ul><li>One<li>Two<li>Three</ul>");
    }
    expect(&f, true);
}

static void empty_pages(void **state)
{
    folder f = {0};
    f.count = 3;
    expect(&f, true);
}

static th_status measure_once(void *context)
{
    th_kind kind;
    return kind_of(context, &kind);
}

static void memory_may_run_out(void **state)
{
    folder f = {0};
    for (int i = 0; i < 2; i++) {
        begin(&f);
        put_rows(&f, "hits", 3);
        end(&f);
    }
    th_test_some_allocations_fail(measure_once, &f, 200);
    expect(&f, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_lists),
        cmocka_unit_test(facts_are_a_record),
        cmocka_unit_test(facts_with_a_list_beside_them_are_a_record),
        cmocka_unit_test(pages_that_do_not_differ_are_lists),
        cmocka_unit_test(empty_pages),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
