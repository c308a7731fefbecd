/* Verdicts: what is a change and what is not. */
#include "alloc_fail.h"
#include "check_test.h"

#include "base/str.h"
#include "check/check.h"

static const page_form books = {"Book %d of Many", "$ %d.50", "tag%d", "/b/%d", 10, 2};

/* The tests that speak for a change, as "path:test ...", with "drift" in front when the wrapper
 * drifts. */
static th_status tell(const th__tally *now, const th__profile *profile, th__buf *out)
{
    th_verdict *verdict = NULL;
    th_status status = th__verify(now, profile, TH_ALPHA, false, &verdict, NULL);
    if (!status && th_verdict_drift(verdict))
        th__buf_add_str(out, TH_STR("drift"));
    for (size_t i = 0; !status && i < th_verdict_count(verdict); i++) {
        const th_evidence *e = th_verdict_get(verdict, i);
        if (e->drift)
            th__buf_printf(out, " %.*s:%s", (int)e->path.len, e->path.ptr ? e->path.ptr : "",
                           e->test);
    }
    th__buf_add_byte(out, '\0');
    th_verdict_free(verdict);
    return status;
}

typedef enum how { THOROUGH, LIGHT, MERGED } how;

/* Each page is tallied by itself, and all tallies are merged. */
static bool tally_merged(th_check *now, const th_schema *schema, page_form form, int pages,
                         const th__profile *profile)
{
    bool ok = tally_pages_light(&now->tally, schema, form, 0, profile);
    for (int i = 0; ok && i < pages; i++) {
        th_check one = {0};
        th_text text = {0};
        th_error err;
        ok = tally_pages_light(&one.tally, schema, form, 0, profile) &&
             tally_page(&one.tally, schema, form, i + 1) && !th_check_to_json(&one, &text, &err) &&
             !th_check_merge(now, (th_str){text.ptr, text.len}, &err);
        th_text_release(&text);
        th__tally_release(&one.tally);
    }
    return ok;
}

/* Profiles `was` on some pages, verifies `is` on others. */
static th_status verify(page_form was, int was_pages, page_form is, int is_pages, bool many,
                        how light, th__buf *out)
{
    th_schema *schema = book_schema(many);
    th__tally before = {0};
    th_check now = {0};
    th__arena arena;
    th__profile *profile;
    th__arena_init(&arena);
    bool ok = schema && tally_pages(&before, schema, was, was_pages) &&
              th__profile_learn(&before, &arena, &profile) &&
              (light == MERGED
                   ? tally_merged(&now, schema, is, is_pages, profile)
                   : tally_pages_light(&now.tally, schema, is, is_pages, light ? profile : NULL));
    th_status status = ok ? tell(&now.tally, profile, out) : TH_ERR_MEMORY;
    th__tally_release(&before);
    th__tally_release(&now.tally);
    th__arena_release(&arena);
    th_schema_free(schema);
    return !status && out->failed ? TH_ERR_MEMORY : status;
}

/* A light tally, of which little is read, says the same as a thorough one, and so do light ones of
 * each page that are merged. */
static void expect(page_form was, int was_pages, page_form is, int is_pages, bool many,
                   const char *evidence)
{
    for (how light = THOROUGH; light <= MERGED; light++) {
        th__buf out = {0};
        assert_int_equal(verify(was, was_pages, is, is_pages, many, light, &out), TH_OK);
        assert_string_equal(out.data, evidence);
        th__buf_release(&out);
    }
}

static page_form with_title(const char *title)
{
    page_form form = books;
    form.title = title;
    return form;
}

static void test_merging_many(void **state)
{
    /* More values than a sample has: those of both tallies are thinned alike. */
    page_form many = books;
    many.records = 8;
    th_schema *schema = book_schema(true);
    th__tally before = {0};
    th__arena arena;
    th__profile *profile;
    th__arena_init(&arena);
    assert_true(tally_pages(&before, schema, books, 3));
    assert_true(th__profile_learn(&before, &arena, &profile));
    th_check whole = {0}, sum = {0};
    enum { PARTS = 3, EACH = 200 };
    assert_true(tally_pages_light(&whole.tally, schema, many, PARTS * EACH, profile));
    assert_true(tally_pages_light(&sum.tally, schema, many, 0, profile));
    for (int i = 0; i < PARTS; i++) {
        th_check part = {0};
        th_text text = {0};
        assert_true(tally_pages_light(&part.tally, schema, many, 0, profile));
        for (int k = 0; k < EACH; k++)
            assert_true(tally_page(&part.tally, schema, many, i * EACH + k + 1));
        assert_int_equal(th_check_to_json(&part, &text, NULL), TH_OK);
        assert_int_equal(th_check_merge(&sum, (th_str){text.ptr, text.len}, NULL), TH_OK);
        th_text_release(&text);
        th__tally_release(&part.tally);
    }
    const th__tally *a = &whole.tally, *b = &sum.tally;
    assert_int_equal(a->pages, b->pages);
    assert_int_equal(a->records, b->records);
    assert_int_equal(a->least, b->least);
    assert_int_equal(a->most, b->most);
    for (uint32_t i = 0; i < a->count; i++) {
        assert_int_equal(a->fields[i].values, b->fields[i].values);
        assert_int_equal(a->fields[i].bytes, b->fields[i].bytes);
        assert_int_equal(a->fields[i].stride, b->fields[i].stride);
        assert_in_range(b->fields[i].glance_count, a->fields[i].glance_count * 3 / 4,
                        TH__TALLY_SAMPLE);
    }
    /* Of another wrapper, damaged, and not a light one. */
    th_error err;
    th_check other = {0};
    static const char *const bad[] = {"",
                                      "{}",
                                      "[]",
                                      "null",
                                      "{\"fields\": 3}",
                                      "{\"sums\":[1,2,3,4,5,6,7],\"fields\":[{},{},{},{}]}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(th_check_merge(&sum, th_str_from(bad[i]), &err), TH_ERR_FORMAT);
    assert_int_equal(b->pages, a->pages); /* nothing of them was added */
    assert_true(tally_pages(&other.tally, schema, books, 1));
    assert_int_equal(th_check_merge(&other, TH_STR("{}"), &err), TH_ERR_ARGUMENT);
    th__tally_release(&other.tally);
    th__tally_release(&whole.tally);
    th__tally_release(&sum.tally);
    th__tally_release(&before);
    th__arena_release(&arena);
    th_schema_free(schema);
}

static void test_same(void **state)
{
    expect(books, 3, books, 3, true, "");
    expect(books, 3, books, 1, true, "");
    /* other words of the same classes are other books */
    expect(books, 3, with_title("Tale %d about Few"), 3, true, "");
    /* more records and fewer */
    page_form more = books;
    more.records = 40;
    expect(books, 3, more, 1, true, "");
    expect(more, 3, books, 1, true, "");
}

static void test_changes(void **state)
{
    page_form form = books;
    form.price = NULL;
    expect(books, 3, form, 3, true, "drift price:missing");
    expect(books, 3, with_title("99 %d 88 7777"), 3, true, "drift title:begin");
    expect(books, 3, with_title("Add to the basket"), 3, true, "drift title:repeated");
    expect(books, 3, with_title("Book %d of Many, and this is what one reader said about it once"),
           3, true, "drift title:length");
    expect(books, 3, with_title("Book %d by 1.99"), 3, true, "drift title:end");
    form = books;
    form.tags = 60;
    expect(books, 3, form, 3, true, "drift :flooded");
    form = (page_form){.records = 0};
    expect(books, 3, form, 1, true, "drift :records");
    form.records = 1;
    expect(books, 3, form, 1, true, "drift :records");
}

/* A profile of one page wants half of the fields to agree. */
static void test_one_page(void **state)
{
    page_form form = books;
    form.price = NULL;
    expect(books, 1, form, 1, true, " price:missing");
    form.title = "99 %d 88 7777";
    expect(books, 1, form, 1, true, "drift title:begin price:missing");
}

/* One record a page: eight pages before, eight now. */
static void test_details(void **state)
{
    page_form one = books, form;
    one.records = 1;
    expect(one, 8, one, 8, false, "");
    form = one;
    form.price = NULL;
    expect(one, 8, form, 8, false, "drift price:missing");
    /* one page alone that lacks a field is no change; one without anything is */
    expect(one, 8, form, 1, false, "");
}

/* A page that is one record has long lists now and then. */
static void test_long_lists(void **state)
{
    page_form one = books, form;
    one.records = 1;
    form = one;
    form.tags = 60;
    expect(one, 8, form, 8, false, "");
}

/* A page of many fields, each a title, and a list of three fields: those from `lost` to `end` have
 * no values. */
static void tally_many(th__tally *tally, const th_schema *schema, int page, int lost, int end)
{
    th_records *records;
    assert_int_equal(th_records_new(schema, NULL, &records, NULL), TH_OK);
    th_value *tuple = th_records_add(records);
    for (int f = 0; f < 23; f++) {
        char text[64];
        th_value *slot = th_value_slot(tuple, f < 20 ? (size_t)f : 20);
        if (f == 20)
            th_records_append(records, slot);
        if (f >= 20)
            slot = th_value_slot(th__value_item(slot, 0), (size_t)f - 20);
        snprintf(text, sizeof text, "Field %d of Page %d", f, page);
        if (f < lost || f >= end)
            th_records_set_text(records, slot, th_str_from(text), (th_span){1, 2});
    }
    assert_int_equal(th_records_status(records, NULL), TH_OK);
    assert_true(th__tally_add(tally, NULL, records));
    th_records_free(records);
}

static th_schema *many_schema(void)
{
    th_schema *schema;
    th_type *members[21], *inner[3];
    assert_int_equal(th_schema_new(&schema, NULL), TH_OK);
    for (int f = 0; f < 23; f++) {
        char name[16];
        snprintf(name, sizeof name, "f%d", f);
        th_type *field = th_schema_field(schema, th_str_from(name), TH_NOTE_TEXT);
        *(f < 20 ? &members[f] : &inner[f - 20]) = th_schema_optional(schema, field);
    }
    members[20] = th_schema_list(schema, th_str_from("more"),
                                 th_schema_tuple(schema, th_str_from(""), inner, 3));
    th_type *root = th_schema_tuple(schema, th_str_from(""), members, 21);
    assert_int_equal(th_schema_finish(schema, root, NULL), TH_OK);
    return schema;
}

/* How many fields drift, and whether the page does. */
static size_t verify_many(int lost, int end, bool *drift)
{
    th_schema *schema = many_schema();
    th__tally before, now;
    th__arena arena;
    th__profile *profile;
    th_verdict *verdict;
    size_t drifting = 0;
    th__arena_init(&arena);
    assert_true(th__tally_init(&before, schema) && th__tally_init(&now, schema));
    for (int page = 0; page < 8; page++) {
        tally_many(&before, schema, page, 23, 23);
        tally_many(&now, schema, 20 + page, lost, end);
    }
    assert_true(th__profile_learn(&before, &arena, &profile));
    assert_int_equal(th__verify(&now, profile, TH_ALPHA, false, &verdict, NULL), TH_OK);
    for (size_t i = 0; i < th_verdict_count(verdict); i++)
        drifting += th_verdict_get(verdict, i)->drift;
    *drift = th_verdict_drift(verdict);
    th_verdict_free(verdict);
    th__tally_release(&before);
    th__tally_release(&now);
    th__arena_release(&arena);
    th_schema_free(schema);
    return drifting;
}

/* Of 21 things on a page one is not the page, though it be a list of three fields; two are. */
static void test_many_fields(void **state)
{
    bool drift;
    assert_int_equal(verify_many(7, 8, &drift), 1);
    assert_false(drift);
    assert_int_equal(verify_many(20, 23, &drift), 3);
    assert_false(drift);
    assert_int_equal(verify_many(7, 9, &drift), 2);
    assert_true(drift);
    assert_int_equal(verify_many(19, 21, &drift), 2);
    assert_true(drift);
}

/* Rules that agreed and do so no more: told by itself, drift where the values differ as well. */
static void test_agreement(void **state)
{
    page_form was = books, is = books;
    was.agreement = 101;
    is.agreement = 51;
    expect(was, 3, was, 3, true, "");
    expect(was, 3, is, 3, true, "");
    expect(books, 3, is, 3, true, ""); /* a profile that does not tell */
    /* a third of the prices is missing: significant, and not large by itself */
    th_schema *schema = book_schema(true);
    th__tally before, now;
    th__arena arena;
    th__profile *profile;
    th_verdict *verdict;
    page_form bare = is;
    bare.price = NULL;
    th__arena_init(&arena);
    assert_true(tally_pages(&before, schema, was, 3));
    assert_true(tally_pages(&now, schema, is, 4) && tally_page(&now, schema, bare, 5) &&
                tally_page(&now, schema, bare, 6));
    assert_true(th__profile_learn(&before, &arena, &profile));
    assert_int_equal(th__verify(&now, profile, TH_ALPHA, false, &verdict, NULL), TH_OK);
    assert_string_equal(th_verdict_get(verdict, 1)->test, "agreement");
    assert_true(th_verdict_get(verdict, 1)->changed);
    assert_string_equal(th_verdict_get(verdict, 2)->test, "agreement");
    assert_true(th_verdict_get(verdict, 2)->drift);
    assert_string_equal(th_verdict_word(verdict), "drift");
    th_verdict_free(verdict);
    th__tally_release(&before);
    th__tally_release(&now);
    th__arena_release(&arena);
    th_schema_free(schema);
}

/* A line of several parts that stand in another order is still that line; a value that has taken in
 * something else is not. */
static void test_words(void **state)
{
    page_form was = with_title("Posted by Ann | Rating: %d of 5 | News"), is = was;
    is.title = "News | Rating: %d of 5 | Posted by Ann";
    expect(was, 3, is, 3, true, "");
    is.title = "99 %d | 88 | 7777 | 12 | 4 5 6 7";
    expect(was, 3, is, 3, true, "drift title:begin");
}

/* A line that is parted elsewhere: both fields differ, and the records have what they had. Where
 * the rest of it is gone, or a field is missing as well, they are not whole. */
static void test_parts(void **state)
{
    page_form was = books, is;
    was.title = "Report %d";
    was.tag = "Station Road 12, Berlin West";
    was.tags = 1;
    is = was;
    is.title = "Report %d Station Road 12";
    is.tag = "Berlin West";
    expect(was, 3, is, 3, true, "");
    is.tag = was.tag;
    is.title = "Report %d Station Road 12, Berlin West, and all that there is to say about it";
    expect(was, 3, is, 3, true, "drift title:length");
    is.title = "Report %d Station Road 12";
    is.tag = "Berlin West";
    is.price = NULL;
    expect(was, 3, is, 3, true, "drift title:length price:missing");
}

/* Fields that most records lack decide nothing. */
static void test_seldom(void **state)
{
    th_schema *schema = book_schema(true);
    th__tally before, now;
    th__arena arena;
    th__profile *profile;
    th_verdict *verdict;
    page_form bare = books;
    bare.price = NULL;
    th__arena_init(&arena);
    assert_true(tally_pages(&before, schema, bare, 2) && tally_page(&before, schema, books, 3));
    assert_true(tally_pages(&now, schema, bare, 20));
    assert_true(th__profile_learn(&before, &arena, &profile));
    assert_int_equal(th__verify(&now, profile, TH_ALPHA, false, &verdict, NULL), TH_OK);
    assert_true(th_verdict_get(verdict, 2)->drift);
    assert_false(th_verdict_drift(verdict));
    th_verdict_free(verdict);
    th__tally_release(&before);
    th__tally_release(&now);
    th__arena_release(&arena);
    th_schema_free(schema);
}

/* A profile of one value says next to nothing, and does not alarm. */
static void test_one_value(void **state)
{
    page_form one = {.title = "Book %d", .records = 1};
    expect(one, 1, with_title("7"), 1, true, "");
}

/* ---- records of many fields, and of lists ---------------------------------------------------- */

enum { FIELDS = 60, PAGES = 8, ITEMS = 6 };

/* Records of FIELDS texts, or of a list of ITEMS pairs. */
static th_schema *wide_schema(bool nested)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    th_schema *schema;
    th_type *members[FIELDS];
    uint32_t count = nested ? 2 : FIELDS;
    assert_int_equal(th_schema_new(&schema, NULL), TH_OK);
    for (uint32_t i = 0; i < count; i++) {
        char name[] = {letters[i / 26], letters[i % 26], '\0'};
        members[i] = th_schema_field(schema, th_str_from(name), TH_NOTE_TEXT);
    }
    th_type *root = th_schema_tuple(schema, th_str_from(""), members, count);
    if (nested) {
        th_type *list = th_schema_list(schema, th_str_from("items"), root);
        root = th_schema_tuple(schema, th_str_from(""), &list, 1);
    }
    assert_int_equal(th_schema_finish(schema, root, NULL), TH_OK);
    return schema;
}

/* Values of field `odd` are missing, or begin otherwise where there is a text. */
static void add_wide(th__tally *tally, const th_schema *schema, bool nested, int pages, int odd,
                     const char *other)
{
    for (int page = 0; page < pages; page++) {
        th_records *records;
        assert_int_equal(th_records_new(schema, NULL, &records, NULL), TH_OK);
        th_value *record = th_records_add(records);
        for (int item = 0; item < (nested ? ITEMS : 1); item++) {
            th_value *tuple =
                nested ? th_records_append(records, th_value_slot(record, 0)) : record;
            for (int i = 0; i < (nested ? 2 : FIELDS); i++) {
                char text[64];
                if (i == odd && !other)
                    continue;
                snprintf(text, sizeof text, "%s %d-%d-%d",
                         i == odd            ? other
                         : (page + item) % 2 ? "Some"
                                             : "Other",
                         page, item, i);
                th_records_set_text(records, th_value_slot(tuple, (size_t)i), th_str_from(text),
                                    (th_span){1, 2});
            }
        }
        assert_int_equal(th_records_status(records, NULL), TH_OK);
        assert_true(th__tally_add(tally, NULL, records));
        th_records_free(records);
    }
}

/* What a light tally says of `pages` pages with an odd field. */
static void expect_wide(bool nested, int pages, int odd, const char *other, const char *evidence)
{
    th_schema *schema = wide_schema(nested);
    th__tally before, now;
    th__arena arena;
    th__profile *profile;
    th__buf out = {0};
    uint32_t looked_at = 0;
    th__arena_init(&arena);
    assert_true(th__tally_init(&before, schema));
    add_wide(&before, schema, nested, PAGES, -1, NULL);
    assert_true(th__profile_learn(&before, &arena, &profile));
    assert_true(th__tally_init(&now, schema));
    th__tally_lighten(&now, profile);
    add_wide(&now, schema, nested, pages, odd, other);
    assert_int_equal(tell(&now, profile, &out), TH_OK);
    assert_string_equal(out.data, evidence);
    for (uint32_t i = 0; i < now.count; i++)
        looked_at += now.fields[i].glance_count > 0;
    assert_true(looked_at <= TH__TALLY_CLOSE);
    th__buf_release(&out);
    th__tally_release(&before);
    th__tally_release(&now);
    th__arena_release(&arena);
    th_schema_free(schema);
}

/* Of many fields some are looked at; all are counted. */
static void test_wide(void **state)
{
    expect_wide(false, PAGES, -1, NULL, "");
    expect_wide(false, 1, 3, NULL, "");
    expect_wide(false, PAGES, 3, NULL, " ad:missing");
    expect_wide(false, PAGES, FIELDS - 1, NULL, " ch:missing");
    /* eight values against eight are too few for one of sixty fields */
    expect_wide(false, PAGES, 3, "99, 98 and 97:", "");
    expect_wide(false, 2 * PAGES, 3, "99, 98 and 97:", " ad:begin");
}

/* Items of a list on a page that is one record come and go together: a page is one chance, however
 * many they are. */
static void test_items(void **state)
{
    expect_wide(true, PAGES, -1, NULL, "");
    expect_wide(true, 1, 1, NULL, "");
    expect_wide(true, PAGES, 1, NULL, "drift items[].ab:missing");
}

static th_status verify_small(void *context)
{
    th__buf out = {0};
    page_form few = books;
    few.records = 2;
    th_status status = verify(few, 1, few, 1, true, true, &out);
    th__buf_release(&out);
    return status;
}

static void test_memory(void **state)
{
    th_test_some_allocations_fail(verify_small, NULL, 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),       cmocka_unit_test(test_merging_many),
        cmocka_unit_test(test_changes),    cmocka_unit_test(test_one_page),
        cmocka_unit_test(test_details),    cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_words),      cmocka_unit_test(test_parts),
        cmocka_unit_test(test_seldom),     cmocka_unit_test(test_one_value),
        cmocka_unit_test(test_long_lists), cmocka_unit_test(test_many_fields),
        cmocka_unit_test(test_wide),       cmocka_unit_test(test_items),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
