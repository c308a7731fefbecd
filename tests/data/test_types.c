/* Texts read as numbers, prices and dates, and records with types beside their texts. */
#include "test.h"

#include "base/error.h"
#include "data/value_types.h"

/* A column, and what becomes of its values: separated by "|"; "-" for nothing. */
static const struct column_case {
    const char *values, *wanted;
} number_columns[] = {
    {"12|7|1500", "12|7|1500"},
    {"1,234.50|99.00|3,000", "1234.50|99.00|3000"},
    {"1.234,50|99,00|3.000", "1234.50|99.00|3000"},
    {"1.234|5.678", "-|-"},         /* nothing tells */
    {"1.234|12", "1234|12"},        /* no decimals of three */
    {"1,234|0.5", "1234|0.5"},      /* the other value does */
    {"1,234|0,5", "1.234|0.5"},     /* and here */
    {"1,5|2.5|1,234", "1.5|2.5|-"}, /* they contradict each other */
    {"0.125", "0.125"},
    {"1,234,567|12,34,567", "1234567|1234567"},
    {"1 234 567|1'234'567", "1234567|1234567"},
    {"1\u00a0234,5", "1234.5"},
    {"-3.5|\u22124|(42)|87%|007", "-3.5|-4|42|87|7"},
    {"1.234.56|1,2,3|12 34|3-5|2 of 3|v1.2.3|12 apples and 3", "-|-|-|-|-|-|-"},
    {"123456789012345678901234567890123456789012", "-"},
};

static const struct price_case {
    const char *text, *value, *currency;
} prices[] = {
    {"$12.50", "12.50", "$"},
    {"from $1,299", "1299", "$"},
    {"US$ 1,200", "1200", "USD"},
    {"US $36", "36", "USD"},
    {"12,50 €", "12.50", "EUR"},
    {"EUR 5", "5", "EUR"},
    {"£5", "5", "GBP"},
    {"1 299 kr", "1299", "kr"},
    {"60,– €", "60", "EUR"},
    {"60,-", "60", NULL},
    {"1 500 руб.", "1500", "RUB"},
    {"R$ 10,00", "10.00", "BRL"},
    {"49,99 zł", "49.99", "PLN"},
    {"CHF 1'299.50", "1299.50", "CHF"},
    {"$ 5 USD", "5", "USD"},
    {"£5 - £9", NULL, NULL},
    {"$", NULL, NULL},
    {"two for $5 today", NULL, NULL},
    {"¥1,200", "-", NULL},
};

static const struct date_case {
    const char *text, *iso;
} dates[] = {
    {"2016-03-17", "2016-03-17"},
    {"2016-03-17T10:20:30Z", "2016-03-17T10:20:30Z"},
    {"2016/3/7 9:05", "2016-03-07T09:05"},
    {"17.3.2016", "2016-03-17"},
    {"3.4.16", "2016-04-03"},
    {"1.2.98", "1998-02-01"},
    {"13/4/2016", "2016-04-13"},
    {"4/13/2016", "2016-04-13"},
    {"4/4/2016", "2016-04-04"},
    {"March 17, 2016", "2016-03-17"},
    {"Thu, 17 Mar 2016", "2016-03-17"},
    {"Tuesday, October 4, 2022 at 5:30 PM", "2022-10-04T17:30"},
    {"Oct 4, 2022, 12:05 AM", "2022-10-04T00:05"},
    {"17th March 2016", "2016-03-17"},
    {"Published: 3 May 2016", "2016-05-03"},
    {"17. März 2016, 17:30 Uhr", "2016-03-17T17:30"},
    {"1er août 2016", "2016-08-01"},
    {"17 de marzo de 2016", "2016-03-17"},
    {"3 de Dezembro de 2019", "2019-12-03"},
    {"21 settembre 2020", "2020-09-21"},
    {"5 мая 2019 г.", "2019-05-05"},
    {"5 Мая 2019", "2019-05-05"},
    {"12 października 2018", "2018-10-12"},
    {"2016年3月17日", "2016-03-17"},
    {"March 2016", "2016-03"},
    {"29 February 2016", "2016-02-29"},
    {"29 February 2015", NULL},
    {"31.4.2016", NULL},
    {"3/4/2016", "?"},
    {"3 May", NULL},
    {"3 days ago", NULL},
    {"yesterday", NULL},
    {"won on 3 May 2016", NULL},
    {"2016", NULL},
    {"17:30", NULL},
    {"1.2.3.4", NULL},
    {"555-12-2016", NULL},
    {"99/99/9999", NULL},
};

static th_str next_value(const char **at)
{
    size_t len = strcspn(*at, "|");
    th_str value = {*at, len};
    *at += len + ((*at)[len] == '|');
    return value;
}

static void read_columns(void **state)
{
    for (size_t i = 0; i < sizeof number_columns / sizeof *number_columns; i++) {
        th__value_style style = {0};
        for (const char *at = number_columns[i].values; *at;)
            th__value_style_learn(&style, next_value(&at));
        const char *wanted = number_columns[i].wanted;
        for (const char *at = number_columns[i].values; *at;) {
            th_str text = next_value(&at), value = next_value(&wanted), currency;
            th__buf out = {0};
            bool is = th__number_read(&style, text, &out, &currency);
            th_str got = is ? th__buf_str(&out) : TH_STR("-");
            if (!th__str_eq(got, value))
                fail_msg("%.*s of %s is %.*s, not %.*s", TH_STR_ARG(text), number_columns[i].values,
                         TH_STR_ARG(got), TH_STR_ARG(value));
            th__buf_release(&out);
        }
    }
}

static void read_prices(void **state)
{
    for (size_t i = 0; i < sizeof prices / sizeof *prices; i++) {
        th__value_style style = {0};
        th__buf out = {0};
        th_str currency = {0}, text = th_str_from(prices[i].text);
        th__value_style_learn(&style, text);
        bool is = th__number_read(&style, text, &out, &currency);
        bool ambiguous = prices[i].value && !strcmp(prices[i].value, "-");
        if (is != (prices[i].value && !ambiguous) ||
            (is && (!th__str_eq(th__buf_str(&out), th_str_from(prices[i].value)) ||
                    !th__str_eq(currency, th_str_from(prices[i].currency)))))
            fail_msg("\"%s\" is %.*s %.*s", prices[i].text, TH_STR_ARG(th__buf_str(&out)),
                     TH_STR_ARG(currency));
        th__buf_release(&out);
    }
}

static void read_dates(void **state)
{
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        th__value_style style = {0};
        th__buf out = {0};
        th_str text = th_str_from(dates[i].text);
        th__value_style_learn(&style, text);
        th__date_reading reading = th__date_read(&style, text, &out);
        th_str got = reading == TH__DATE_AMBIGUOUS ? TH_STR("?") : th__buf_str(&out);
        if (!th__str_eq(got, th_str_from(dates[i].iso)))
            fail_msg("\"%s\" is %.*s", dates[i].text, TH_STR_ARG(got));
        th__buf_release(&out);
    }
}

/* One date of a column tells the order of all. */
static void order_of_dates(void **state)
{
    static const char *const first[] = {"13/4/2016", "4/13/2016"};
    static const char *const wanted[] = {"2016-04-03", "2016-03-04"};
    for (int i = 0; i < 2; i++) {
        th__value_style style = {0};
        th__buf out = {0};
        th__value_style_learn(&style, th_str_from(first[i]));
        assert_int_equal(th__date_read(&style, TH_STR("3/4/2016"), &out), TH__DATE_READ);
        assert_true(th__str_eq(th__buf_str(&out), th_str_from(wanted[i])));
        th__value_style_learn(&style, th_str_from(first[1 - i]));
        assert_int_equal(th__date_read(&style, TH_STR("3/4/2016"), NULL), TH__DATE_AMBIGUOUS);
        th__buf_release(&out);
    }
}

/* <name, price, {price}, <when>> with a field that is called like one that types bring. */
static void records(void **state)
{
    th_schema *schema, *typed;
    th_records *plain, *out;
    th_error err;
    th_text json = {0};
    th_str none = {0};
    assert_int_equal(th_schema_new(&schema, &err), TH_OK);
    th_type *inner[] = {th_schema_field(schema, TH_STR("when"), TH_NOTE_DATE)};
    th_type *members[] = {
        th_schema_field(schema, TH_STR("price_value"), TH_NOTE_TEXT),
        th_schema_optional(schema, th_schema_field(schema, TH_STR("price"), TH_NOTE_PRICE)),
        th_schema_list(schema, TH_STR("more"), th_schema_field(schema, none, TH_NOTE_PRICE)),
        th_schema_tuple(schema, TH_STR("at"), inner, 1)};
    th_type *root = th_schema_list(schema, none, th_schema_tuple(schema, none, members, 4));
    assert_int_equal(th_schema_finish(schema, root, &err), TH_OK);
    assert_int_equal(th_schema_typed(schema, &typed, &err), TH_OK);
    assert_int_equal(th_schema_print(typed, true, &json, &err), TH_OK);
    assert_string_equal(json.ptr, "{<price_value,(price)?,(price_value_2)?,(price_currency)?,more:"
                                  "{B},at:<when,(when_iso)?>>}");
    th_text_release(&json);

    assert_int_equal(th_records_new(schema, NULL, &plain, &err), TH_OK);
    th_value *record = th_records_add(plain);
    th_records_set_text(plain, th_value_slot(record, 1), TH_STR("1.299 €"), (th_span){3, 9});
    th_records_set_text(plain, th_records_append(plain, th_value_slot(record, 2)), TH_STR("5 €"),
                        (th_span){0, 0});
    th_value *at = th_records_set_tuple(plain, th_value_slot(record, 3));
    th_records_set_text(plain, th_value_slot(at, 0), TH_STR("3 May 2016"), (th_span){0, 0});
    record = th_records_add(plain);
    th_records_set_text(plain, th_value_slot(record, 1), TH_STR("19,50 €"), (th_span){0, 0});
    assert_int_equal(th_records_typed(plain, typed, &out, &err), TH_OK);
    assert_int_equal(th_records_to_json(out, false, &json, &err), TH_OK);
    assert_string_equal(
        json.ptr, "[{\"price_value\":null,\"price\":\"1.299 €\",\"price_value_2\":1299,"
                  "\"price_currency\":\"EUR\",\"more\":[\"5 €\"],\"at\":{\"when\":\"3 May 2016\","
                  "\"when_iso\":\"2016-05-03\"}},{\"price_value\":null,\"price\":\"19,50 €\","
                  "\"price_value_2\":19.5,\"price_currency\":\"EUR\",\"more\":null,\"at\":null}]");
    th_text_release(&json);
    th_records_free(out);
    th_records_free(plain);
    th_schema_free(typed);
    th_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_columns), cmocka_unit_test(read_prices),
        cmocka_unit_test(read_dates),   cmocka_unit_test(order_of_dates),
        cmocka_unit_test(records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
