/* Signs of records that are cut in wrong places: how they are counted, and what the guard makes of
 * them. */
#include "guard_test.h"

#include "base/mem.h"

enum { COLUMNS = 6 };

/* What a wrapper gives of a page: records, each with texts of columns a, b, c as `a:text|b:text`.
 */
typedef struct scene {
    th_repair repair;
    th__profile profile;
    th__field_profile fields[COLUMNS];
    bool targets[COLUMNS];
    th__tally tally;
    th__field_tally columns[COLUMNS];
    uint32_t field_of[COLUMNS];
    th__side side;
    th__signs signs;
} scene;

static void open_scene(scene *s)
{
    *s = (scene){0};
    th__arena_init(&s->repair.arena);
    s->profile = (th__profile){.fields = s->fields, .count = COLUMNS, .pages = 1, .records = 10};
    s->repair.profile = &s->profile;
    s->repair.targets = s->targets;
    s->tally.fields = s->columns;
    s->tally.count = COLUMNS;
    for (uint32_t i = 0; i < COLUMNS; i++) {
        s->field_of[i] = i;
        s->fields[i] = (th__field_profile){.path = TH_STR("f"), .chances = 10, .values = 10};
    }
    s->side = (th__side){.tally = &s->tally, .field_of = s->field_of};
    assert_true(th__signs_init(&s->signs, &s->repair));
}

/* Takes the records of a page. A text is found where it stands first. */
static void take(scene *s, const char *html, const char *const *records, size_t count)
{
    th_page *page = parse_page(html);
    for (size_t i = 0; i < count; i++) {
        char copy[200], *rest = NULL;
        assert_true(strlen(records[i]) < sizeof copy);
        strcpy(copy, records[i]);
        for (char *part = strtok_r(copy, "|", &rest); part; part = strtok_r(NULL, "|", &rest)) {
            const char *place = strstr(html, part + 2);
            size_t len = strlen(part + 2);
            assert_non_null(place);
            uint32_t start = (uint32_t)(place - html);
            th__given leaf = {.at = (uint32_t)(part[0] - 'a'),
                              .record = (uint32_t)i,
                              .span = {start, start + (uint32_t)len},
                              .sample.hash = th__hash(place, len)};
            assert_true(th__vec_push(&s->side.leaves, leaf));
        }
    }
    assert_true(th__signs_take(&s->signs, &s->side, page));
    th_page_free(page);
}

static void close_scene(scene *s)
{
    th__signs_release(&s->signs);
    th__vec_release(&s->side.leaves);
    th__arena_release(&s->repair.arena);
}

/* ---- counting ---- */

static const char ruled[] = "<body><h2>News</h2><hr><big>t1</big><br>d1<hr><big>t2</big><br>d2"
                            "<hr><big>t3</big><br>d3<hr><big>t4</big><br>d4</body>";

/* A rule parts records: one that has it inside, and none beside it, is two halves. */
static void test_rules_between(void **state)
{
    static const char *const right[] = {"a:t1|b:d1", "a:t2|b:d2", "a:t3|b:d3", "a:t4|b:d4"};
    static const char *const wrong[] = {"b:d1|a:t2", "b:d2|a:t3", "b:d3|a:t4"};
    scene s;
    open_scene(&s);
    take(&s, ruled, right, 4);
    assert_int_equal(s.signs.inverted, 0);
    assert_int_equal(s.signs.spanning, 0);
    close_scene(&s);
    open_scene(&s);
    take(&s, ruled, wrong, 3);
    assert_int_equal(s.signs.inverted, 3);
    assert_int_equal(s.signs.spanning, 3);
    close_scene(&s);
}

/* So does an element; two of them are as far apart inside of a record as records are. */
static void test_elements_between(void **state)
{
    static const char html[] = "<ul><li><b>t1</b><i>d1</i><li><b>t2</b><i>d2</i><li><b>t3</b>"
                               "<i>d3</i><li><b>t4</b><i>d4</i><li><b>t5</b><i>d5</i>"
                               "<li><b>t6</b><i>d6</i></ul>";
    static const char *const one[] = {"a:t1|b:d1", "a:t2|b:d2", "a:t3|b:d3"};
    static const char *const two[] = {"a:t1|b:d1|c:t2|d:d2", "a:t3|b:d3|c:t4|d:d4",
                                      "a:t5|b:d5|c:t6|d:d6"};
    static const char *const shifted[] = {"b:d1|a:t2", "b:d2|a:t3", "b:d3|a:t4"};
    scene s;
    open_scene(&s);
    take(&s, html, one, 3);
    assert_int_equal(s.signs.spanning, 0);
    close_scene(&s);
    open_scene(&s);
    take(&s, html, two, 3);
    assert_int_equal(s.signs.spanning, 3);
    assert_int_equal(s.signs.inverted, 0);
    close_scene(&s);
    open_scene(&s);
    take(&s, html, shifted, 3);
    assert_int_equal(s.signs.inverted, 3);
    close_scene(&s);
}

/* From the third record on, b is the neighbour's. Two records do not tell what is between them. */
static void test_order(void **state)
{
    static const char *const records[] = {"a:t1|b:d1", "a:t2", "a:t3|b:d2", "a:t4|b:d3"};
    scene s;
    open_scene(&s);
    take(&s, ruled, records, 1);
    assert_int_equal(th__signs_swapped(&s.signs), 0);
    close_scene(&s);
    open_scene(&s);
    take(&s, ruled, records, 4);
    assert_int_equal(th__signs_swapped(&s.signs), 1);
    close_scene(&s);
    open_scene(&s);
    take(&s, ruled, records, 2);
    assert_int_equal(s.signs.inverted + s.signs.spanning, 0);
    close_scene(&s);
}

static void test_doubled_and_listed(void **state)
{
    static const char *const records[] = {"a:t1|b:d1|c:t1", "a:t2|b:d2|c:d2|d:d2",
                                          "a:t3|a:d3|a:t4"};
    scene s;
    open_scene(&s);
    take(&s, ruled, records, 3);
    assert_int_equal(s.signs.doubled, 2);
    assert_int_equal(s.signs.trebled, 1);
    assert_int_equal(s.signs.listed[0], 1);
    assert_int_equal(s.signs.with[0], 3);
    assert_int_equal(s.signs.listed[1], 0);
    close_scene(&s);
}

/* Records with one of two fields each are halves; a field that nobody gives does not count, nor
 * does one that few records had. */
static void test_fullness(void **state)
{
    static const char *const whole[] = {"a:t1|b:d1", "a:t2|b:d2", "a:t3|b:d3"};
    static const char *const halves[] = {"a:t1", "b:d1", "a:t2", "b:d2"};
    scene s;
    open_scene(&s);
    take(&s, ruled, whole, 3);
    assert_float_equal(th__signs_fullness(&s.signs, &s.repair), 1, 1e-6);
    close_scene(&s);
    open_scene(&s);
    take(&s, ruled, halves, 4);
    assert_float_equal(th__signs_fullness(&s.signs, &s.repair), 0.5, 1e-6);
    s.fields[1].values = 3;
    assert_float_equal(th__signs_fullness(&s.signs, &s.repair), 0.5, 1e-6);
    s.targets[0] = true;
    assert_float_equal(th__signs_fullness(&s.signs, &s.repair), 1, 1e-6);
    close_scene(&s);
}

/* ---- judging ---- */

/* A comparison of a repair with what gives as much as the old wrapper, which is twenty records. */
static void compare_twenty(th__comparison *c, th_repair *repair)
{
    assert_true(th__compare_init(c, repair, repair->wrapper, &repair->tally));
    c->old.count = c->old.right = c->now.count = c->now.right = 20;
}

static void test_cuts_are_judged(void **state)
{
    th_wrapper *wrapper = learn_shelf(plain);
    th_repair *repair = judged(wrapper, plain);
    th__comparison c;
    compare_twenty(&c, repair);
    assert_false(th__compare_is_worse(&c));
    /* Inverted: a few are no sign, nor is it one that the old wrapper has as well. */
    c.now_signs.inverted = c.now_signs.spanning = 4;
    assert_false(th__compare_is_worse(&c));
    c.now_signs.inverted = c.now_signs.spanning = c.old_signs.spanning = 15;
    assert_true(th__compare_is_worse(&c));
    c.old_signs.inverted = 15;
    assert_false(th__compare_is_worse(&c));
    c.old_signs.inverted = c.old_signs.spanning = 0;
    c.old.count = c.old.right = 2;
    c.now_signs.inverted = c.now_signs.spanning = 20;
    assert_true(th__compare_is_worse(&c));
    c.old.count = c.old.right = 1;
    assert_false(th__compare_is_worse(&c));
    c.old.count = c.old.right = 20;
    c.now_signs.inverted = c.old_signs.inverted = c.old_signs.spanning = 0;
    /* Spanning: unless records are gained. */
    c.now_signs.spanning = 20;
    assert_true(th__compare_is_worse(&c));
    c.old.right = c.old.count = 17;
    assert_false(th__compare_is_worse(&c));
    c.old.right = c.old.count = 20;
    c.now_signs.spanning = 0;
    /* The same text in two columns. */
    c.now_signs.doubled = 9;
    assert_false(th__compare_is_worse(&c));
    c.now_signs.doubled = 10;
    assert_true(th__compare_is_worse(&c));
    c.old_signs.doubled = 10;
    assert_false(th__compare_is_worse(&c));
    /* With more records than before, three of a text are too many. */
    c.old_signs.doubled = 0;
    c.now.count = c.now.right = c.now_signs.doubled = 30;
    assert_false(th__compare_is_worse(&c));
    c.now_signs.trebled = 15;
    assert_true(th__compare_is_worse(&c));
    th__compare_release(&c);
    th_repair_free(repair);
    th_wrapper_free(wrapper);
}

/* Columns that change their order, in records without an element of their own: twice as many
 * records beyond doubt make up for them. */
static void test_order_is_judged(void **state)
{
    th_wrapper *wrapper = learn_shelf(plain);
    th_repair *repair = judged(wrapper, plain);
    th__comparison c;
    compare_twenty(&c, repair);
    c.now.count = c.now.right = c.now_signs.spanning = 40;
    c.old_signs.spanning = 20;
    c.now_signs.before[0][1] = 30;
    c.now_signs.before[1][0] = 9;
    assert_false(th__compare_is_worse(&c));
    c.now_signs.before[1][0] = 10;
    assert_true(th__compare_is_worse(&c));
    c.now_signs.spanning = 0;
    assert_false(th__compare_is_worse(&c));
    c.now_signs.spanning = 40;
    c.old.count = c.old.right = 15;
    assert_false(th__compare_is_worse(&c));
    c.old.count = c.old.right = 20;
    c.old_signs.before[1][0] = c.old_signs.before[0][1] = 5;
    assert_false(th__compare_is_worse(&c));
    th__compare_release(&c);
    th_repair_free(repair);
    th_wrapper_free(wrapper);
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
    c.now.count = c.now.right = c.now_signs.records = 41;
    for (uint32_t f = 0; f < repair->profile->count; f++)
        c.now_signs.with[f] = 40;
    assert_false(th__compare_is_worse(&c));
    for (uint32_t f = 0; f < repair->profile->count; f++)
        c.now_signs.with[f] = 20;
    assert_true(th__compare_is_worse(&c));
    /* Nothing is lost where the old wrapper gives nothing. */
    c.old.count = c.old.right = 0;
    assert_false(th__compare_is_worse(&c));
    th__compare_release(&c);
    th_repair_free(repair);
    th_wrapper_free(wrapper);
}

/* A field that was one text has several: not where it is broken. */
static void test_lists_are_judged(void **state)
{
    th_wrapper *wrapper = learn_shelf(plain);
    th_repair *repair = judged(wrapper, plain);
    th__comparison c;
    uint32_t f = 0;
    while (repair->targets[f])
        f++;
    compare_twenty(&c, repair);
    c.now_signs.with[f] = 20;
    c.now_signs.listed[f] = 4;
    assert_false(th__compare_is_worse(&c));
    c.now_signs.listed[f] = 5;
    assert_true(th__compare_is_worse(&c));
    repair->drifting[f] = true;
    assert_false(th__compare_is_worse(&c));
    th__compare_release(&c);
    th_repair_free(repair);
    th_wrapper_free(wrapper);
}

/* A page of a table whose rows are two people each, or one with what they sell. */
static void make_rows(th__buf *out, int first, bool people)
{
    static const char *const names[] = {"Olga Winter", "Paul Stone", "Nina Reid", "Hugo Field",
                                        "Clara Weber", "Owen Lee",   "Ivana Ito"};
    static const char *const goods[] = {"a quiet lamp of copper", "two chairs for the garden",
                                        "paper by the pound", "a stone with a name on it"};
    th__buf_clear(out);
    th__buf_add_str(out, TH_STR("<html><body><table>"));
    for (int i = 0; i < 12; i++) {
        int n = first + i;
        th__buf_printf(out, "<tr><td>%s</td><td>Room %d</td><td>%d May %d</td>", names[n % 7],
                       100 + n, 1 + n % 28, 1990 + n % 30);
        if (people)
            th__buf_printf(out, "<td>%s</td><td>Room %d</td><td>%d May %d</td></tr>",
                           names[(n + 3) % 7], 400 + n, 2 + n % 27, 1991 + n % 28);
        else
            th__buf_printf(out, "<td>$ %d.50</td><td>%s</td><td>(0%d) %d-33</td></tr>", 3 * n,
                           goods[n % 4], 200 + n, 5000 + 7 * n);
    }
    th__buf_add_str(out, TH_STR("</table></body></html>"));
    assert_true(th__buf_add_byte(out, '\0'));
}

static bool is_several(bool people)
{
    th__buf html[3] = {0};
    const char *pages[3];
    th_repair *repair;
    for (int i = 0; i < 3; i++) {
        make_rows(&html[i], 20 * i, people);
        pages[i] = html[i].data;
    }
    th_wrapper *wrapper = learn_pages(pages, 3);
    assert_int_equal(th_repair_new(wrapper, NULL, &repair, NULL), TH_OK);
    bool several = th__signs_repeat(repair);
    th_repair_free(repair);
    th_wrapper_free(wrapper);
    for (int i = 0; i < 3; i++)
        th__buf_release(&html[i]);
    return several;
}

/* Two people a row, and a record for each row: such records are several. */
static void test_rows_are_several(void **state)
{
    assert_true(is_several(true));
    assert_false(is_several(false));
}

/* Where a wrapper's records are several, and it still gives them, there is nothing to repair. */
static void test_several_are_judged(void **state)
{
    th__buf html = {0};
    const char *page;
    th_repair *repair;
    th__comparison c;
    make_rows(&html, 0, true);
    page = html.data;
    th_wrapper *wrapper = learn_pages(&page, 1);
    assert_int_equal(th_repair_new(wrapper, NULL, &repair, NULL), TH_OK);
    compare_twenty(&c, repair);
    assert_true(th__compare_is_worse(&c));
    c.old.count = c.old.right = 9;
    assert_false(th__compare_is_worse(&c));
    th__compare_release(&c);
    th_repair_free(repair);
    th_wrapper_free(wrapper);
    th__buf_release(&html);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules_between),
        cmocka_unit_test(test_elements_between),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_doubled_and_listed),
        cmocka_unit_test(test_fullness),
        cmocka_unit_test(test_cuts_are_judged),
        cmocka_unit_test(test_order_is_judged),
        cmocka_unit_test(test_pieces_are_judged),
        cmocka_unit_test(test_lists_are_judged),
        cmocka_unit_test(test_rows_are_several),
        cmocka_unit_test(test_several_are_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
