/* test_seams.c: the file of the seams engine, endless pages, memory. What it learns is in
 * tests/cases/seams.case. */
#define ENGINE "seams"
#include "site_test.h"

#include "alloc_fail.h"

static const char *const shops[] = {
    "<body><h1>Home</h1><div><h3>Ink House</h3><br><b>Tel:</b> 555-1212 - Ghent<br>"
    "<b>Owner:</b> Ada Quill - 2014-02-11</div><p>more</p>",
    "<body><h1>Home</h1><div><h3>Paper Mill</h3><br><b>Tel:</b> 555-3434 - Leeds<br>"
    "<b>Owner:</b> Ida Holm - 2019-11-30</div><p>more</p>",
    NULL};
static const struct site shop = {
    "{\"page\": \"0\", \"record\": {\"name\": \"Ink House\", \"tel\": \"555-1212\", "
    "\"town\": \"Ghent\", \"owner\": \"Ada Quill\", \"since\": \"2014-02-11\"}}\n"
    "{\"page\": \"1\", \"record\": {\"name\": \"Paper Mill\", \"tel\": \"555-3434\", "
    "\"town\": \"Leeds\", \"owner\": \"Ida Holm\", \"since\": \"2019-11-30\"}}\n",
    shops};

static const char *const fairs[] = {
    "<body><p>Skip</p><div><h3>Fairs</h3><br>- Book Fair | 12 May<br>Halls<blockquote>"
    "North Hall | 40<br>South Hall | 25</blockquote><br>- Ink Fair | 3 June</div>",
    "<body><p>Skip</p><div><h3>Markets</h3><br>- Toy Market | 7 July<br>Halls<blockquote>"
    "East Hall | 30</blockquote></div>",
    NULL};
static const struct site fair = {
    "{\"page\": \"0\", \"record\": {\"title\": \"Fairs\", \"events\": [{\"name\": \"Book Fair\", "
    "\"day\": \"12 May\", \"halls\": [{\"hall\": \"North Hall\", \"seats\": \"40\"}, "
    "{\"hall\": \"South Hall\", \"seats\": \"25\"}]}, {\"name\": \"Ink Fair\", "
    "\"day\": \"3 June\"}]}}\n"
    "{\"page\": \"1\", \"record\": {\"title\": \"Markets\", \"events\": [{\"name\": \"Toy "
    "Market\", "
    "\"day\": \"7 July\", \"halls\": [{\"hall\": \"East Hall\", \"seats\": \"30\"}]}]}}\n",
    fairs};

/* The reference and who wrote stand between labelled values and are not asked for: they differ on
 * every page, have markup in them, or are not there. */
static const char *const letters[] = {
    "<body><div><h2>Ink</h2><br><b>Ref:</b> 80-3342<br><b>Tel:</b> 12-40<ul><li>Ada Quill wrote"
    "<br><i>1 May</i><li>Ben Ash wrote<br><i>2 May</i></ul><p>Mail: ink@a.org</div>",
    "<body><div><h2>Glue</h2><br><b>Ref:</b> 11-9<br><b>Tel:</b> 31-77<ul><li>Carl Orr wrote"
    "<br><i>7 July</i></ul><p>Mail: glue@b.org</div>",
    "<body><div><h2>Pens</h2><br><b>Ref:</b> 5-20414<br><b>Tel:</b> 55-19<ul><li>Dora Lee wrote"
    "<br><i>9 June</i><li>Ed Nash wrote<br><i>3 May</i></ul><p>Mail: pens@c.org</div>",
    NULL};
static const struct site letter = {
    "{\"page\": \"0\", \"record\": {\"name\": \"Ink\", \"tel\": \"12-40\", \"notes\": "
    "[{\"day\": \"1 May\"}, {\"day\": \"2 May\"}], \"mail\": \"ink@a.org\"}}\n"
    "{\"page\": \"1\", \"record\": {\"name\": \"Glue\", \"tel\": \"31-77\", \"notes\": "
    "[{\"day\": \"7 July\"}], \"mail\": \"glue@b.org\"}}\n"
    "{\"page\": \"2\", \"record\": {\"name\": \"Pens\", \"tel\": \"55-19\", \"notes\": "
    "[{\"day\": \"9 June\"}, {\"day\": \"3 May\"}], \"mail\": \"pens@c.org\"}}\n",
    letters};

/* A region of more tokens than are read gives no record, and does not take long. */
static void endless(void **state)
{
    enum { LINES = 400000 };
    th__buf page = {0}, out = {0};
    th_wrapper *wrapper = must_learn(&shop);
    th__buf_printf(&page, "<body><h1>Home</h1><div><h3>Pen</h3>");
    for (int i = 0; i < LINES; i++)
        th__buf_printf(&page, "<br>word - word");
    th__buf_add(&page, "</div>", 7);
    assert_false(page.failed);
    assert_int_equal(run_on(wrapper, page.data, &out, NULL), TH_OK);
    assert_int_equal(out.len, 0);
    th__buf_release(&page);
    th__buf_release(&out);
    th_wrapper_free(wrapper);
}

static void expect_fault(const char *from, const char *to, const char *message)
{
    th_wrapper *wrapper = must_learn(&shop), *again = NULL;
    th_text text = {0};
    th__buf damaged = {0};
    th_error err = {0};
    assert_int_equal(th_wrapper_write(wrapper, &text, NULL), TH_OK);
    const char *at = strstr(text.ptr, from);
    assert_non_null(at);
    th__buf_add(&damaged, text.ptr, (size_t)(at - text.ptr));
    th__buf_add_str(&damaged, th_str_from(to));
    th__buf_add_str(&damaged, th_str_from(at + strlen(from)));
    th_status status = th_wrapper_read(th__buf_str(&damaged), "w.json", &again, &err);
    if (status != TH_ERR_FORMAT || !strstr(err.message, message))
        fail_msg("%s -> %s: status %d, %s", from, to, status, err.message);
    th_wrapper_free(wrapper);
    th_text_release(&text);
    th__buf_release(&damaged);
}

static void damaged_files(void **state)
{
    expect_fault("\"region\": \"body", "\"region\": \"?body", "rules.region: ");
    expect_fault("\"region\"", "\"regoin\"", "rules.region: ");
    expect_fault("\"samples\"", "\"simples\"", "rules.samples: ");
    expect_fault("\"html\"", "\"lmth\"", "rules.samples[0].html: ");
    expect_fault("\"field\": \"tel\"", "\"field\": \"tal\"", "rules.samples[0].values[1]");
    expect_fault("\"start\": 9", "\"start\": 9000", "rules.samples[0].values[0].start: ");
}

static th_status learn_and_run(void *context)
{
    const struct site *site = context;
    th_wrapper *wrapper = NULL, *again = NULL;
    th_text text = {0}, text_again = {0};
    th__buf out = {0};
    th_status status = learn(site, &wrapper, NULL, NULL);
    if (!status)
        status = th_wrapper_write(wrapper, &text, NULL);
    if (!status)
        status = th_wrapper_read((th_str){text.ptr, text.len}, "w", &again, NULL);
    if (!status)
        status = th_wrapper_write(again, &text_again, NULL);
    if (!status)
        assert_string_equal(text.ptr, text_again.ptr);
    if (!status)
        status = run_on(again, site->pages[0], &out, NULL);
    th_text_release(&text);
    th_text_release(&text_again);
    th__buf_release(&out);
    th_wrapper_free(again);
    th_wrapper_free(wrapper);
    return status;
}

static void memory(void **state)
{
    struct site lined = shop, listed = fair, beside = letter;
    th_test_some_allocations_fail(learn_and_run, &beside, 150);
    th_test_some_allocations_fail(learn_and_run, &lined, 150);
    th_test_some_allocations_fail(learn_and_run, &listed, 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(endless), cmocka_unit_test(damaged_files),
                                       cmocka_unit_test(memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
