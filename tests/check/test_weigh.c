/* Whether what a proposal of a repair gives is good enough. */
#include "check_test.h"

#include "check/check.h"
#include "repair/repair.h"

enum { FIELDS = 4 };

/* Of a shelf of books: titles and prices on all pages before. */
typedef struct shelf {
    th_schema *schema;
    th__arena arena;
    th__profile *profile;
    th_repair repair;
    uint32_t column[FIELDS];
    th__proposal proposal;
} shelf;

static void set_up(shelf *s)
{
    th__tally old;
    *s = (shelf){.schema = book_schema(true)};
    th__arena_init(&s->arena);
    page_form form = {.title = "The Book %d", .price = "%d EUR", .records = 10};
    assert_true(tally_pages(&old, s->schema, form, 3));
    assert_true(th__profile_learn(&old, &s->arena, &s->profile));
    th__tally_release(&old);
    s->repair.profile = s->profile;
    for (uint32_t i = 0; i < FIELDS; i++)
        s->column[i] = i < 2 ? i : TH__NO_COLUMN;
    s->proposal.match.column = s->column;
}

static void release(shelf *s)
{
    th__arena_release(&s->arena);
    th_schema_free(s->schema);
}

/* Pages with `whole` records, and as many more with a title or a price each as `titles` and
 * `prices` say. */
static bool is_whole(const shelf *s, int whole, int titles, int prices)
{
    th__tally now;
    page_form all = {.title = "The Book %d", .price = "%d EUR", .records = whole};
    page_form title = {.title = "The Book %d", .records = titles};
    page_form price = {.price = "%d EUR", .records = prices};
    assert_true(th__tally_init(&now, s->schema));
    assert_true(tally_page(&now, s->schema, all, 1) && tally_page(&now, s->schema, title, 2) &&
                tally_page(&now, s->schema, price, 3));
    bool good = th__repair_is_whole(&s->repair, &s->proposal, &now);
    th__tally_release(&now);
    return good;
}

/* A title here and its price there are halves of a record; where the price of some is missing, the
 * titles are still there. */
static void test_halves(void **state)
{
    shelf s;
    set_up(&s);
    assert_true(is_whole(&s, 20, 0, 0));
    assert_true(is_whole(&s, 10, 10, 0));
    assert_false(is_whole(&s, 0, 10, 10));
    assert_false(is_whole(&s, 2, 10, 10));
    /* A field that is not found tells nothing. */
    s.column[0] = s.column[1] = TH__NO_COLUMN;
    assert_true(is_whole(&s, 0, 10, 10));
    release(&s);
}

/* What only some records had may be missing in most. */
static void test_seldom(void **state)
{
    shelf s;
    set_up(&s);
    for (uint32_t i = 0; i < 2; i++)
        s.profile->fields[i].values /= 2;
    assert_true(is_whole(&s, 0, 10, 10));
    release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_halves),
                                       cmocka_unit_test(test_seldom)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
