/* Field rules: what is told apart by labels and positions where it was learnt, is told apart on
 * other pages. */
#include "wrapper_test.h"

static const char people[] =
    "<div><div "
    "class=x><b>Ada</b><div>Born:</div><div>1815</div><div>Died:</div><div>1852</div></div>"
    "<div class=x><b>Alan</b><div>Died:</div><div>1954</div></div>"
    "<div class=x><b>Grace</b><div>Born:</div><div>1906</div><div>Died:</div><div>1992</div></div>"
    "</div>";

static void labels_tell_fields_apart(void **state)
{
    expect_run(people,
               "<div><div class=x><b>Kurt</b><div>Died:</div><div>1978</div><div>Born:</div>"
               "<div>1906</div></div><div class=x><b>Edsger</b></div></div>",
               "{\"text_1\":\"Kurt\",\"born\":\"1906\",\"died\":\"1978\",\"other\":null}\n"
               "{\"text_1\":\"Edsger\",\"born\":null,\"died\":null,\"other\":null}\n");
}

/* A label that was not there keeps its value out of the field before it. */
static void new_labels_do_not_mislead(void **state)
{
    expect_run(
        people,
        "<div><div class=x><b>Kurt</b><div>Born:</div><div>1906</div><div>City:</div>"
        "<div>Brno</div></div></div>",
        "{\"text_1\":\"Kurt\",\"born\":\"1906\",\"died\":null,\"other\":[\"City:\",\"Brno\"]}"
        "\n");
}

static void cells_tell_fields_apart(void **state)
{
    expect_run("<table><tr><th>Name<th>Born<th>City<tr><td>Ada<td>1815<td>London"
               "<tr><td>Alan<td>1912<td>Maida Vale<tr><td>Grace<td>1906<td>New York</table>",
               "<table><tr><th>Name<th>Born<th>City<tr><td>Kurt<td><td>Brno<td>extra</table>",
               "{\"name\":\"Kurt\",\"born\":null,\"city\":\"Brno\",\"other\":[\"extra\"]}\n");
}

static void lists_stay_lists(void **state)
{
    expect_run("<ol><li><h2>One</h2><span class=tag>red</span>"
               "<li><h2>Two</h2><span class=tag>blue</span><span class=tag>green</span>"
               "<span class=tag>white</span><li><h2>Three</h2></ol>",
               "<ol><li><h2>Four</h2><h2>Five</h2><span class=tag>grey</span></ol>",
               "{\"title\":\"Four\",\"tag\":[\"grey\"],\"other\":[\"Five\"]}\n");
}

/* Page 1 had no line break in any note. */
static void text_that_goes_on_is_one_value(void **state)
{
    expect_run("<ol><li><h2>One</h2><p class=note>red<li><h2>Two</h2><p class=note>blue"
               "<li><h2>Three</h2><p class=note>grey</ol>",
               "<ol><li><h2>Four</h2><p class=note>one line<br><a href=/>two</a> lines<br>three"
               "<p class=note>more</ol>",
               "{\"title\":\"Four\",\"note\":\"one line two lines three\",\"other\":[\"more\"]}\n");
}

/* A mark that page 1 did not have stands in the line of a field. */
static void text_beside_a_field_is_part_of_it(void **state)
{
    expect_run("<ol><li><h2><a href=/1>One</a></h2><p>red<li><h2><a href=/2>Two</a></h2><p>blue"
               "<li><h2><a href=/3>Three</a></h2><p>grey</ol>",
               "<ol><li><h2><span class=mark>[PDF]</span> <a href=/4>Four</a></h2><p>white"
               "<div class=more>and more</div></ol>",
               "{\"title\":\"[PDF] Four\",\"text_1\":\"white\",\"other\":[\"and "
               "more\"],\"title_url\":\"/4\"}\n");
}

static void records_of_a_grid(void **state)
{
    expect_run(
        "<table><tr><td><a href=/1>Walden</a><td><a href=/2>Emma</a><td><a href=/3>Ulysses</a>"
        "<tr><td><i>Thoreau</i><br>$7.50<td><i>Austen</i><br>$6.00<td><i>Joyce</i><br>$9.25"
        "</table>",
        "<table><tr><td><a href=/8>Dubliners</a><td><a href=/9>Persuasion</a>"
        "<tr><td><i>Joyce</i><br>$5.00<td><i>Austen</i><br>$4.75</table>",
        "{\"text_1\":\"Dubliners\",\"text_2\":\"Joyce\",\"text_3\":\"$5.00\",\"other\":null,"
        "\"link\":\"/8\"}\n"
        "{\"text_1\":\"Persuasion\",\"text_2\":\"Austen\",\"text_3\":\"$4.75\",\"other\":null,"
        "\"link\":\"/9\"}\n");
}

static void records_of_rows_that_look_alike(void **state)
{
    expect_run("<table><tr><td><b>Walden</b><tr><td>Thoreau, $7.50<br>in stock"
               "<tr><td><b>Emma</b><tr><td>Austen, $6.00<br>two left"
               "<tr><td><b>Ulysses</b><tr><td>Joyce, $9.25<br>one left</table>",
               "<table><tr><td><b>Dubliners</b><tr><td>Joyce, $5.00<br>sold out</table>",
               "{\"text_1\":\"Dubliners\",\"text_2\":\"Joyce, $5.00\",\"text_3\":\"sold "
               "out\",\"other\":null}\n");
}

/* Text around the elements of a record, and a head whose own text flows in its parent. */
static void records_of_text_and_elements(void **state)
{
    expect_run(
        "<div><big><a href=/1>One</a></big> first of all<br>red<br><br>"
        "<big><a href=/2>Two</a></big> second to none<br>blue<br><br>"
        "<big><a href=/3>Three</a></big> third time lucky<br>green<br><br>"
        "<big><a href=/4>Four</a></big> fourth estate<br>grey<br><br></div>",
        "<div><big><a href=/5>Five</a></big> fifth wheel<br>white<br><br></div>",
        "{\"text_1\":\"Five fifth wheel\",\"text_2\":\"white\",\"other\":null,\"link\":\"/5\"}\n");
}

static void label_columns_are_no_values(void **state)
{
    expect_run("<div class=x><h4>Ada</h4><p class=l>Born:<p class=v>1815</div>"
               "<div class=x><h4>Alan</h4><p class=l>Born:<p class=v>1912</div>"
               "<div class=x><h4>Grace</h4><p class=l>Born:<p class=v>1906</div>",
               "<div class=x><h4>Kurt</h4><p class=l>Born:<p class=v>1906</div>",
               "{\"title\":\"Kurt\",\"born\":\"1906\",\"other\":null}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_tell_fields_apart),
        cmocka_unit_test(new_labels_do_not_mislead),
        cmocka_unit_test(cells_tell_fields_apart),
        cmocka_unit_test(lists_stay_lists),
        cmocka_unit_test(label_columns_are_no_values),
        cmocka_unit_test(text_that_goes_on_is_one_value),
        cmocka_unit_test(text_beside_a_field_is_part_of_it),
        cmocka_unit_test(records_of_a_grid),
        cmocka_unit_test(records_of_rows_that_look_alike),
        cmocka_unit_test(records_of_text_and_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
