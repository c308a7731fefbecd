/* What kind of value a text looks like. */
#include "test.h"

#include "data/value_types.h"

static const struct {
    const char *text;
    th_note note;
} cases[] = {
    {"12", TH_NOTE_NUMBER},
    {"1,234,567", TH_NOTE_NUMBER},
    {"-3.5", TH_NOTE_NUMBER},
    {"87%", TH_NOTE_NUMBER},
    {"(42)", TH_NOTE_NUMBER},
    {"$12.50", TH_NOTE_PRICE},
    {"from $12", TH_NOTE_PRICE},
    {"US$ 1,200", TH_NOTE_PRICE},
    {"12,50 €", TH_NOTE_PRICE},
    {"£5 - £9", TH_NOTE_PRICE},
    {"won $12 on a bet", TH_NOTE_TEXT},
    {"2017-02-04", TH_NOTE_DATE},
    {"4/2/2017", TH_NOTE_DATE},
    {"Feb 4, 2017", TH_NOTE_DATE},
    {"Saturday, February 4, 2017", TH_NOTE_DATE},
    {"4 February 2017", TH_NOTE_DATE},
    {"3 days ago", TH_NOTE_DATE},
    {"an hour ago", TH_NOTE_DATE},
    {"May", TH_NOTE_TEXT},
    {"10:45", TH_NOTE_TIME},
    {"1:27:21", TH_NOTE_TIME},
    {"9:30 pm", TH_NOTE_TIME},
    {"+1 (555) 123-4567", TH_NOTE_PHONE},
    {"555-123-4567", TH_NOTE_PHONE},
    {"12 34", TH_NOTE_TEXT},
    {"17.03.2016", TH_NOTE_DATE},
    {"17. März 2016", TH_NOTE_DATE},
    {"60,– €", TH_NOTE_PRICE},
    {"1.080 €", TH_NOTE_PRICE},
    {"https://example.org/a?b=c", TH_NOTE_URL},
    {"https://example.org is down", TH_NOTE_TEXT},
    {"mary@example.org", TH_NOTE_EMAIL},
    {"@mary", TH_NOTE_TEXT},
    {"The Old Man", TH_NOTE_TEXT},
    {"", TH_NOTE_TEXT},
    {"   ", TH_NOTE_TEXT},
};

static void notes(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        th_note note = th__note_of(th_str_from(cases[i].text));
        if (note != cases[i].note)
            fail_msg("\"%s\" is noted as %s, not as %s", cases[i].text, th_note_name(note),
                     th_note_name(cases[i].note));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(notes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
