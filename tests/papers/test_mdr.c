/*
 * test_mdr.c: the worked examples of Liu, Grossman and Zhai, "Mining Data Records in Web Pages"
 * (KDD 2003), figure by figure; the errata; and odd pages.
 *
 * A case is a page and what is expected of it: the regions in the paper's notation (see
 * mdr_notation.h) and below each its records, texts in brackets, pieces of a record parted by " /
 * ".
 */
#include "test.h"

#include <malloc.h>
#include <time.h>

#include "alloc_fail.h"
#include "base/str.h"
#include "base/vec.h"
#include "engine/papers/mdr/mdr.h"
#include "mdr_notation.h"

/* ---- looking at pages ---- */

static void add_range_text(const th_page *page, th__mdr_range range, th__buf *out)
{
    th__mdr_range tokens = th__mdr_range_tokens(page, range);
    th_text text = {0};
    th_span span = {page->tokens[tokens.first].start, page->tokens[tokens.end].start};
    assert_int_equal(th_page_span_text(page, span, &text, NULL), TH_OK);
    th__buf_add(out, text.ptr, text.len);
    th_text_release(&text);
}

static void describe(const th_page *page, const th__mdr_result *result, th__buf *out)
{
    th__buf lines = {0};
    assert_true(print_regions(page, result, &lines));
    th_str rest = th__buf_str(&lines);
    for (uint32_t i = 0; i < result->region_count; i++) {
        size_t len = th__str_find(rest, TH_STR("\n")) + 1;
        th__buf_add(out, rest.ptr, len);
        rest = (th_str){rest.ptr + len, rest.len - len};
        const th__mdr_region *region = &result->regions[i];
        for (uint32_t r = 0; r < region->record_count; r++) {
            for (uint32_t p = 0; p < region->records[r].range_count; p++) {
                th__buf_add_str(out, p ? TH_STR(" / ") : TH_STR("["));
                add_range_text(page, region->records[r].ranges[p], out);
            }
            th__buf_add_str(out, r + 1 < region->record_count ? TH_STR("] ") : TH_STR("]\n"));
        }
    }
    th__buf_add_byte(out, '\0');
    th__buf_release(&lines);
}

static void check(const th__mdr_options *options, const char *html, const char *expected)
{
    th_page *page = parse_page(html);
    th__mdr_result *result;
    assert_int_equal(th__mdr_find(page, options, &result, NULL), TH_OK);
    th__buf text = {0};
    describe(page, result, &text);
    assert_string_equal(text.data, expected);
    th__buf_release(&text);
    th__mdr_result_free(result);
    th_page_free(page);
}

static th__mdr_options paper(void)
{
    th__mdr_options options;
    options = th__mdr_paper;
    return options;
}

/* As published, but for any tag: for the figures' trees of numbered nodes. */
static th__mdr_options paper_every_tag(void)
{
    th__mdr_options options = paper();
    options.every_tag = true;
    return options;
}

/* ---- IdentDRs against figure 9 as printed, with its errata mended ---- */

typedef struct table {
    uint32_t n;
    uint8_t similar[40][40]; /* by size and child from 1 */
    unsigned looks;
} table;

static bool look_up(void *context, uint32_t size, uint32_t child)
{
    table *t = context;
    assert_true(child + 2 * size <= t->n);
    t->looks++;
    return t->similar[size][child + 1];
}

static void ident_printed(const table *t, uint32_t start, uint32_t k, th__mdr_triples *out)
{
    uint32_t max[4] = {0};
    for (uint32_t i = 1; i <= k; i++)
        for (uint32_t f = start; f <= start + i; f++) {
            bool flag = true;
            uint32_t cur[4] = {0};
            for (uint32_t j = f; j + 2 * i - 1 <= t->n; j += i) {
                if (t->similar[i][j]) {
                    if (flag) {
                        cur[1] = i, cur[2] = j, cur[3] = 2 * i;
                        flag = false;
                    } else {
                        cur[3] += i;
                    }
                } else if (!flag) {
                    break;
                }
            }
            if (max[3] < cur[3] && (max[2] == 0 || cur[2] <= max[2]))
                memcpy(max, cur, sizeof max);
        }
    if (!max[3])
        return;
    assert_true(th__vec_push(out, (th__mdr_triple){max[1], max[2] - 1, max[3]}));
    if (max[2] + max[3] - 1 != t->n)
        ident_printed(t, max[2] + max[3], k, out);
}

static void ident_as_printed(void **state)
{
    uint32_t seed = 1;
    unsigned regions = 0;
    for (unsigned round = 0; round < 3000; round++) {
        table t = {.n = 2 + round % 30};
        uint32_t k = 1 + round % 10, dense = 1 + round % 7;
        for (uint32_t i = 1; i <= k; i++)
            for (uint32_t j = 1; j <= t.n; j++) {
                seed = seed * 1664525 + 1013904223;
                t.similar[i][j] = (seed >> 16) % 8 < dense;
            }
        th__mdr_triples found = {0}, printed = {0};
        ident_printed(&t, 1, k, &printed);
        assert_true(th__mdr_ident(&(th__mdr_distances){t.n, look_up, &t}, k, &found));
        assert_int_equal(found.len, printed.len);
        if (found.len)
            assert_memory_equal(found.data, printed.data, found.len * sizeof *found.data);
        regions += (unsigned)found.len;
        th__vec_release(&found);
        th__vec_release(&printed);
    }
    assert_true(regions > 3000);
}

/* ---- figures 1 and 2: two notebooks, five rows each ---- */

static void figures_1_and_2(void **state)
{
#define NOTEBOOK(n, rating)                                                                        \
    "<tr><td><img><td>" n "<tr><td><td><b>Buy new</b><i>price</i>" rating                          \
    "<tr><td><td><p>ships<tr><td><td><a>what</a><u>best use</u><s>x</s><tr><td><td>"
    th__mdr_options options = paper();
    check(&options,
          "<body><div><table><tbody>" NOTEBOOK("600 MHz", "<em>stars</em>")
              NOTEBOOK("667 MHz", "") "</tbody></table></div></body>",
          "(5, 1, 10) below /body/div/table/tbody: 2 records, whole\n"
          "[600 MHz Buy newpricestars ships whatbest usex] [667 MHz Buy newprice ships whatbest "
          "usex]\n");
#undef NOTEBOOK
}

/* ---- figure 3: regions of one and two nodes, and nodes in none ---- */

static void figure_3(void **state)
{
    th__mdr_options options = paper_every_tag();
    check(&options,
          "<main>"
          "<div><ul><li><a>5</a></ul><ul><li><a>6</a></ul><hr>" /* node 2: 5, 6, (7) */
          "<p><b>8</b><i>x</i></p><p><b>9</b><i>y</i></p><p><b>10</b><i>z</i></p></div>"
          "<section><h1>11</h1><nav><em>12</em></nav></section>" /* node 3: 11, 12 */
          "<article><img>"                                       /* node 4: 13, 14 ... 20 */
          "<h2>14</h2><p><b><i>15</i></b></p><h2>16</h2><p><b><i>17</i></b></p>"
          "<h2>18</h2><p><b><i>19</i></b></p><pre><q><s>20</s></q></pre></article>"
          "</main>",
          "(1, 1, 2) below /main/div: 2 records, whole\n[5] [6]\n"
          "(1, 4, 3) below /main/div: 3 records, whole\n[8x] [9y] [10z]\n"
          "(2, 2, 6) below /main/article: 3 records, whole\n[14 15] [16 17] [18 19]\n");
}

/* ---- figures 7 and 11 to 14: records in generalized nodes of one node ---- */

#define OBJECT(x) "<td><b>" x "</b><p>text</p></td>"

static void figure_7(void **state)
{
    th__mdr_options options = paper();
    check(&options,
          "<table><tr>" OBJECT("1") OBJECT("2") "<tr>" OBJECT("3") OBJECT("4") /**/
          "<tr>" OBJECT("5") OBJECT("6") "<tr>" OBJECT("7") OBJECT("8") "</table>",
          "(1, 1, 4) below /table: 8 records, children\n"
          "[1 text] [2 text] [3 text] [4 text] [5 text] [6 text] [7 text] [8 text]\n");
}

static void figure_11(void **state)
{
    th__mdr_options options = paper();
    check(&options, "<table><tr>" OBJECT("1") OBJECT("2") "<tr>" OBJECT("3") OBJECT("4") "</table>",
          "(1, 1, 2) below /table: 4 records, children\n[1 text] [2 text] [3 text] [4 text]\n");
}

static void figure_13_data_table(void **state)
{
    th__mdr_options options = paper();
    check(&options, "<table><tr><td>a<td>b<td>c<td>d<tr><td>e<td>f<td>g<td>h</table>",
          "(1, 1, 2) below /table: 2 records, whole, data table\n[a b c d] [e f g h]\n");
    /* An inline tag around the one text is still one text. */
    check(&options, "<table><tr><td><b>a</b><td><b>b</b><tr><td><b>c</b><td><b>d</b></table>",
          "(1, 1, 2) below /table: 2 records, whole, data table\n[a b] [c d]\n");
}

/* A line break beside the text of a cell is no block: the rows are the records. */
static void data_table_with_line_breaks(void **state)
{
    th__mdr_options options = paper();
    check(&options,
          "<html><body><div><table><tr><td>Ann<br></td><td>31<br></td></tr>"
          "<tr><td>Bob<br></td><td>45<br></td></tr></table></div></body></html>",
          "(1, 1, 2) below /html/body/div/table: 2 records, whole, data table\n"
          "[Ann 31] [Bob 45]\n");
    check(&options,
          "<html><body><div><table><tr><td>Ann<br>Lee</td><td>31<br>Oslo</td></tr>"
          "<tr><td>Bob<br>Moe</td><td>45<br>Rome</td></tr></table></div></body></html>",
          "(1, 1, 2) below /html/body/div/table: 4 records, children\n"
          "[Ann Lee] [31 Oslo] [Bob Moe] [45 Rome]\n");
}

#define PICTURE_ROW(n) "<tr><td><a href=" n "><img src=" n ".png></a></td></tr>"

/* A gallery has no text: it is a region all the same, and its pictures are its records. */
static void pictures_alone(void **state)
{
    static const char html[] = "<html><body><div><table><tbody>" PICTURE_ROW("1") PICTURE_ROW("2")
        PICTURE_ROW("3") "</tbody></table></div></body></html>";
    th__mdr_options options = paper();
    check(&options, html,
          "(1, 1, 3) below /html/body/div/table/tbody: 3 records, whole\n[] [] []\n");
    th_page *page = parse_page(html);
    th_regions_options regions_options;
    th_regions *regions;
    th_regions_options_init(&regions_options);
    regions_options.engine = "mdr";
    assert_int_equal(th_regions_find(page, NULL, &regions_options, &regions, NULL), TH_OK);
    assert_int_equal(th_regions_count(regions), 1);
    assert_int_equal(th_records_count(th_regions_get(regions, 0)->records), 3);
    th_regions_free(regions);
    th_page_free(page);
}

static void figure_14(void **state)
{
    th__mdr_options options = paper();
    check(&options, "<table><tr><td><b>1</b><p>x<tr><td><b>2</b><p>y</table>",
          "(1, 1, 2) below /table: 2 records, whole\n[1 x] [2 y]\n");
}

/* ---- figures 16 to 18: generalized nodes of several nodes ---- */

static void figure_16(void **state)
{
    th__mdr_options options = paper();
    check(&options,
          "<table>"
          "<tr><td><img><td><b>1</b><i>x</i><u>y</u><tr><td><p>a<p>b<p>c<p>d<p>e"
          "<tr><td><img><td><b>2</b><i>x</i><u>y</u><tr><td><p>a<p>b<p>c<p>d<p>e</table>",
          "(2, 1, 4) below /table: 2 records, whole\n[1xy a b c d e] [2xy a b c d e]\n");
}

#define NAME(x)        "<td><b>name " x "</b><i>new</i></td>"
#define DESCRIPTION(x) "<td><p>about " x "<p>more<p>and<p>more</td>"

static void figures_17_and_18(void **state)
{
    th__mdr_options options = paper();
    check(&options,
          "<table><tr>" NAME("1") NAME("2") "<tr>" DESCRIPTION("1") DESCRIPTION("2") /**/
          "<tr>" NAME("3") NAME("4") "<tr>" DESCRIPTION("3") DESCRIPTION("4") "</table>",
          "(2, 1, 4) below /table: 4 records, columns\n"
          "[name 1new / about 1 more and more] [name 2new / about 2 more and more] "
          "[name 3new / about 3 more and more] [name 4new / about 4 more and more]\n");
}

/* The second case: no rows 3 and 4. */
static void adjacent_regions(void **state)
{
    static const char page[] =
        "<table><tr>" NAME("1") NAME("2") "<tr>" DESCRIPTION("1") DESCRIPTION("2") "</table>";
    th__mdr_options options = paper();
    check(&options, page,
          "(1, 1, 2) & (1, 1, 2) below /table/tr: 2 records, adjacent regions\n"
          "[name 1new / about 1 more and more] [name 2new / about 2 more and more]\n");
    options.join_adjacent = false;
    check(&options, page,
          "(1, 1, 2) below /table/tr: 2 records, whole\n[name 1new] [name 2new]\n"
          "(1, 1, 2) below /table/tr: 2 records, whole\n"
          "[about 1 more and more] [about 2 more and more]\n");
    /* A separator between them, or another number of nodes: not joined. */
    options.join_adjacent = true;
    check(&options,
          "<table><tr>" NAME("1") NAME("2") "<tr><td>-<tr>" DESCRIPTION("1")
              DESCRIPTION("2") "</table>",
          "(1, 1, 2) below /table/tr: 2 records, whole\n[name 1new] [name 2new]\n"
          "(1, 1, 2) below /table/tr: 2 records, whole\n"
          "[about 1 more and more] [about 2 more and more]\n");
    check(&options,
          "<table><tr>" NAME("1") NAME("2") NAME("3") "<tr>" DESCRIPTION("1")
              DESCRIPTION("2") "</table>",
          "(1, 1, 3) below /table/tr: 3 records, whole\n[name 1new] [name 2new] [name 3new]\n"
          "(1, 1, 2) below /table/tr: 2 records, whole\n"
          "[about 1 more and more] [about 2 more and more]\n");
}

/* Alternating plain rows of a data table are columns: the paper tests for data tables in
 * FindRecords-1 alone. */
static void data_table_in_pairs(void **state)
{
    static const char page[] = "<table>"
                               "<tr><td>a<td>b<tr><th><b><i>c</i></b><th><b><i>d</i></b>"
                               "<tr><td>e<td>f<tr><th><b><i>g</i></b><th><b><i>h</i></b></table>";
    th__mdr_options options = paper();
    check(&options, page,
          "(2, 1, 4) below /table: 4 records, columns, data table\n"
          "[a / c] [b / d] [e / g] [f / h]\n");
}

/* ---- figures 19 and 20: records outside regions ---- */

static void figures_19_and_20(void **state)
{
    static const char page[] =
        "<table><tr>" OBJECT("1") OBJECT("2") "<tr>" OBJECT("3") OBJECT("4") /**/
        "<tr>" OBJECT("5") "</table>";
    th__mdr_options options = paper();
    check(&options, page,
          "(1, 1, 2) below /table: 5 records, children, 1 outside the region\n"
          "[1 text] [2 text] [3 text] [4 text] [5 text]\n");
    options.orphans = false;
    check(&options, page,
          "(1, 1, 2) below /table: 4 records, children\n[1 text] [2 text] [3 text] [4 text]\n");
}

static void orphans_of_other_kinds(void **state)
{
    th__mdr_options options = paper();
    /* Before the region; and a row that holds nothing like a record. */
    check(&options,
          "<table><tr>" OBJECT("0") "<tr>" OBJECT("1") OBJECT("2") "<tr>" OBJECT("3")
              OBJECT("4") "<tr><td><hr><hr><hr><hr></table>",
          "(1, 2, 2) below /table: 5 records, children, 1 outside the region\n"
          "[0 text] [1 text] [2 text] [3 text] [4 text]\n");
    /* A last pair of rows with one column. */
    check(&options,
          "<table><tr>" NAME("1") NAME("2") "<tr>" DESCRIPTION("1") DESCRIPTION("2") /**/
          "<tr>" NAME("3") NAME("4") "<tr>" DESCRIPTION("3") DESCRIPTION("4")        /**/
          "<tr>" NAME("5") "<tr>" DESCRIPTION("5") "</table>",
          "(2, 1, 4) below /table: 5 records, columns, 1 outside the region\n"
          "[name 1new / about 1 more and more] [name 2new / about 2 more and more] "
          "[name 3new / about 3 more and more] [name 4new / about 4 more and more] "
          "[name 5new / about 5 more and more]\n");
    /* Beyond something else: the same record, but no neighbour of the region's. */
    check(&options,
          "<table><tr><td><b>1</b><p>x<tr><td><b>2</b><p>y<tr><td><hr><hr><hr><hr><hr>"
          "<tr><td><b>3</b><p>z</table>",
          "(1, 1, 2) below /table: 3 records, whole, 1 outside the region\n"
          "[1 x] [2 y] [3 z]\n");
}

/* ---- errata ---- */

static void region_reaches_last_child(void **state)
{
    /* The last pair alone is similar: line 5 of CombComp and lines 17 to 22 of IdentDRs in print
     * both lose it. */
    table t = {.n = 10};
    t.similar[1][9] = 1;
    th__mdr_triples found = {0};
    assert_true(th__mdr_ident(&(th__mdr_distances){t.n, look_up, &t}, 3, &found));
    assert_int_equal(found.len, 1);
    assert_int_equal(found.data[0].start, 8);
    assert_int_equal(found.data[0].count, 2);
    th__vec_release(&found);
    th__mdr_options options = paper();
    check(&options, "<table><tr><td><hr><hr><hr><tr><td><b>1</b><p>x<tr><td><b>2</b><p>y</table>",
          "(1, 2, 2) below /table: 2 records, whole\n[1 x] [2 y]\n");
}

/* A distance of exactly T is similar: 3 edits of 10 tags. */
static void threshold_is_inclusive(void **state)
{
    th__mdr_options options = paper();
    check(&options,
          "<table><tr><td><b></b><b></b><b></b><b></b><b></b><b></b><b></b>1<b></b>"
          "<tr><td><b></b><b></b><b></b><b></b><b></b><i></i><i></i>2<i></i></table>",
          "(1, 1, 2) below /table: 2 records, whole\n[1] [2]\n");
    options.threshold = 0.29;
    check(&options,
          "<table><tr><td><b></b><b></b><b></b><b></b><b></b><b></b><b></b>1<b></b>"
          "<tr><td><b></b><b></b><b></b><b></b><b></b><i></i><i></i>2<i></i></table>",
          "");
}

/* ---- our switches ---- */

static void only_table_tags_in_paper_mode(void **state)
{
    static const char page[] = "<div><p><b>1</b><i>x</i></p><p><b>2</b><i>y</i></p></div>";
    th__mdr_options options = paper();
    check(&options, page, "");
    check(NULL, page, "(1, 1, 2) below /div: 2 records, whole\n[1x] [2y]\n");
}

static void split_list_is_joined(void **state)
{
    static const char page[] =
        "<ul><li><b>1</b><p>x<li><b>2</b><p>y<li><h1>advert</h1><hr><hr><hr><hr>"
        "<li><b>3</b><p>z<li><b>4</b><p>w</ul>";
    check(NULL, page,
          "(1, 1, 2) + (1, 4, 2) below /ul: 4 records, whole\n[1 x] [2 y] [3 z] [4 w]\n");
    th__mdr_options options = paper_every_tag();
    check(&options, page,
          "(1, 1, 2) below /ul: 2 records, whole\n[1 x] [2 y]\n"
          "(1, 4, 2) below /ul: 2 records, whole\n[3 z] [4 w]\n");
}

#define B2 "<b></b><b></b>"

/* Single records that differ in length: four of them are similar to the next four. */
static void true_period_of_a_combination(void **state)
{
    static const char page[] =
        "<main><ul><li>1" B2 B2 B2 "<li>2" B2 B2 "<b></b><li>3" B2 "<li>4" B2 "<li>5" B2
        "<b></b><li>6" B2 B2 B2 "<li>7" B2 "<li>8" B2 B2 "</ul></main>";
    th__mdr_options options = paper_every_tag();
    check(&options, page, "(4, 1, 8) below /main/ul: 2 records, whole\n[1 2 3 4] [5 6 7 8]\n");
    options.true_period = true;
    check(&options, page,
          "(1, 1, 8) below /main/ul: 8 records, whole, data table\n"
          "[1] [2] [3] [4] [5] [6] [7] [8]\n");
    /* Records of two nodes that differ from each other stay together. */
    check(&options, "<main><dl><dt>1<dd>a" B2 "<dt>2<dd>b" B2 "<dt>3<dd>c" B2 "</dl></main>",
          "(2, 1, 6) below /main/dl: 3 records, whole\n[1 a] [2 b] [3 c]\n");
    /* So do two rows of a table, though an odd number of them is similar to the next. */
    check(&options,
          "<table>"
          "<tr><td>1<tr><td>a" B2 "<tr><td>2<tr><td>b" B2 B2 "<tr><td>3<tr><td>c" B2
          "<tr><td>4<tr><td>d" B2 B2 "</table>",
          "(2, 1, 8) below /table: 4 records, whole\n[1 a] [2 b] [3 c] [4 d]\n");
    /* What comes after every few records belongs to none of them. */
    check(&options,
          "<main><div><p>1" B2 "<p>2" B2 "<p>3" B2 "<p>4" B2 "<p>5" B2 "<p>6" B2 "<hr>"
          "<p>7" B2 "<p>8" B2 "<p>9" B2 "<p>a" B2 "<p>b" B2 "<p>c" B2 "<hr></div></main>",
          "(1, 1, 6) + (1, 8, 6) below /main/div: 12 records, whole, data table\n"
          "[1] [2] [3] [4] [5] [6] [7] [8] [9] [a] [b] [c]\n");
}

static void siblings_of_one_class(void **state)
{
    static const char page[] = "<main><ul><li class='item odd'>1" B2 "<li class='item even'>2" B2 B2
                               "<li class='item odd last'>3" B2 "</ul></main>";
    th__mdr_options options = paper_every_tag();
    check(&options, page, "");
    options.same_class = true;
    check(&options, page, "(1, 1, 3) below /main/ul: 3 records, whole, data table\n[1] [2] [3]\n");
    /* Another class, or none at all, is no reason. */
    check(&options,
          "<main><ul><li class=item>1" B2 "<li class=other>2" B2 B2 "<li class=item>3" B2
          "</ul></main>",
          "");
    check(&options, "<main><ul><li>1" B2 "<li>2" B2 B2 "<li>3" B2 "</ul></main>", "");
}

static void nested_regions_are_kept(void **state)
{
    static const char page[] =
        "<main><section><h2>A</h2><ul><li><b>1</b>x<li><b>2</b>y</ul></section>"
        "<section><h2>B</h2><ul><li><b>3</b>z<li><b>4</b>w</ul></section></main>";
    check(NULL, page,
          "(1, 1, 2) below /main: 2 records, whole\n[A 1x 2y] [B 3z 4w]\n"
          "  (1, 1, 2) below /main/section/ul: 2 records, whole\n[1x] [2y]\n"
          "  (1, 1, 2) below /main/section/ul: 2 records, whole\n[3z] [4w]\n");
    th__mdr_options options = paper_every_tag();
    check(&options, page, "(1, 1, 2) below /main: 2 records, whole\n[A 1x 2y] [B 3z 4w]\n");
}

/* One row of three is cut as the others are, or by itself. */
static void one_cut_for_a_region(void **state)
{
    static const char page[] = "<table><tr><td><b>1</b><p>x</td><td><b>2</b><p>x</td>"
                               "<tr><td><b>3</b><p>x</td><td><b>4</b><p>x</td>"
                               "<tr><td><b>5</b></td><td><b>6</b><p>x</td></table>";
    th__mdr_options options = paper();
    check(&options, page,
          "(1, 1, 3) below /table: 5 records, mixed\n[1 x] [2 x] [3 x] [4 x] [5 6 x]\n");
    options.cut_once = true;
    check(&options, page,
          "(1, 1, 3) below /table: 6 records, children\n[1 x] [2 x] [3 x] [4 x] [5] [6 x]\n");
}

static void options_have_names(void **state)
{
    th__mdr_options options = paper();
    assert_false(options.every_tag);
    assert_true(options.orphans);
    for (size_t i = 0; i < th__mdr_switch_count; i++)
        if (!strcmp(th__mdr_switches[i].name, "every_tag"))
            *(bool *)((char *)&options + th__mdr_switches[i].offset) = true;
    assert_true(options.every_tag);
}

/* ---- odd pages ---- */

static void pages_without_lists(void **state)
{
    check(NULL, "", "");
    check(NULL, "just text", "");
    check(NULL, "<html><head><title>t</title></head><body><h1>One</h1><p>text</body></html>", "");
    check(NULL, "<ul><li><a>only one</a></ul>", "");
    check(NULL, "<script>a</script><script>b</script><style></style><style></style>", "");
}

static void scripts_do_not_count(void **state)
{
    check(NULL, "<ul><li><b>1</b>x<script>s</script><li><b>2</b>y<script>s</script></ul>",
          "(1, 1, 2) below /ul: 2 records, whole\n[1x] [2y]\n");
    /* Nor do those between the nodes of a generalized node. */
    check(NULL,
          "<dl><dt>1<script></script><dd><b><i>x</i></b><script></script>"
          "<dt>2<dd><b><i>y</i></b></dl>",
          "(2, 1, 4) below /dl: 2 records, whole\n[1 x] [2 y]\n");
}

static void tables_ten_deep(void **state)
{
    th__buf html = {0};
    for (int i = 0; i < 10; i++)
        th__buf_add_str(&html, TH_STR("<table><tr><td>"));
    th__buf_add_str(&html, TH_STR("<ul><li><b>1</b>x<li><b>2</b>y</ul>"));
    for (int i = 0; i < 10; i++)
        th__buf_add_str(&html, TH_STR("</table>"));
    th__buf_add_byte(&html, '\0');
    th_page *page = parse_page(html.data);
    th__mdr_result *result;
    assert_int_equal(th__mdr_find(page, NULL, &result, NULL), TH_OK);
    assert_int_equal(result->region_count, 1);
    assert_int_equal(result->regions[0].record_count, 2);
    th__mdr_result_free(result);
    th_page_free(page);
    th__buf_release(&html);
}

/* The records of a page's largest region, and the time it took to read the page and find them. */
static uint32_t largest(const th__buf *html, double *seconds)
{
    th_parser *parser;
    th_page *page;
    th__mdr_result *result;
    struct timespec from, to;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    assert_int_equal(th_parser_new(NULL, &parser, NULL), TH_OK);
    assert_int_equal(th_parser_parse(parser, th__buf_str(html), NULL, &page, NULL), TH_OK);
    assert_int_equal(th__mdr_find(page, NULL, &result, NULL), TH_OK);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    *seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    uint32_t most = 0;
    for (uint32_t i = 0; i < result->region_count; i++)
        most = result->regions[i].record_count > most ? result->regions[i].record_count : most;
    th__mdr_result_free(result);
    th_page_free(page);
    th_parser_free(parser);
    return most;
}

static double best_of(const th__buf *html, int rounds)
{
    double best = 1e9, seconds;
    for (int i = 0; i < rounds; i++) {
        largest(html, &seconds);
        best = seconds < best ? seconds : best;
    }
    return best;
}

/* Ten times the page takes far less than a hundred times as long, which is what a quadratic step
 * would take. How near to ten it is, on a machine that does nothing else, is for benches. */
static void expect_no_quadratic_step(void (*make)(th__buf *html, unsigned size), unsigned size)
{
    th__buf html = {0};
    make(&html, size / 10);
    double few = best_of(&html, 3);
    th__buf_clear(&html);
    make(&html, size);
    double many = best_of(&html, 2);
    assert_true(many < 40 * few);
    th__buf_release(&html);
}

static void identical_records(th__buf *html, unsigned count)
{
    th__buf_add_str(html, TH_STR("<ul>"));
    for (unsigned i = 0; i < count; i++)
        th__buf_add_str(html, TH_STR("<li><a>name</a><p>text <b>price</b></p></li>"));
}

static void many_identical_records(void **state)
{
    th__buf html = {0};
    double seconds;
    identical_records(&html, 100000);
    assert_int_equal(largest(&html, &seconds), 100000);
    th__buf_release(&html);
    expect_no_quadratic_step(identical_records, 100000);
}

static uint32_t draw(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

/* Siblings of 40 tags, one in ten of them by chance: all slightly different. `period` kinds take
 * turns. */
static void slightly_different(th__buf *html, unsigned count, unsigned period)
{
    static const char *const tags[] = {"<b>x</b>", "<i>x</i>",  "<u>x</u>",      "<s>x</s>",
                                       "<q>x</q>", "<em></em>", "<code></code>", "<kbd></kbd>"};
    uint32_t seed = 7;
    th__buf_clear(html);
    th__buf_add_str(html, TH_STR("<div>"));
    for (unsigned i = 0; i < count; i++) {
        th__buf_add_str(html, TH_STR("<section>"));
        for (unsigned j = 0; j < 40; j++) {
            unsigned tag = draw(&seed) % 10 ? (j + j * (i % period)) % 8 : draw(&seed) % 8;
            th__buf_add_str(html, th_str_from(tags[tag]));
        }
        th__buf_add_str(html, TH_STR("</section>"));
    }
}

static void of_one_kind(th__buf *html, unsigned count)
{
    slightly_different(html, count, 1);
}

/* The number of kinds that take turns is the length of the generalized node. */
static void of_three_kinds(th__buf *html, unsigned count)
{
    slightly_different(html, count, 3);
}

static void growth_is_linear(void **state)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 17); /* large blocks are fresh from the system in every run */
    expect_no_quadratic_step(of_one_kind, 50000);
    expect_no_quadratic_step(of_three_kinds, 50000);
}

/* Small regions side by side, none like the next: what is quadratic in print. */
static void small_regions(th__buf *html, unsigned count)
{
    th__buf_add_str(html, TH_STR("<div>"));
    for (unsigned i = 0; i < count; i++)
        th__buf_printf(html, "<p>%s</p><p>%s</p>", i & 1 ? "<b><i>x</i></b>" : "<s></s><q></q>",
                       i & 1 ? "<b><i>x</i></b>" : "<s></s><q></q>");
}

/* Two enormous halves that differ everywhere. */
static void two_halves(th__buf *html, unsigned count)
{
    for (unsigned i = 0; i < 2; i++) {
        th__buf_add_str(html, TH_STR("<div>"));
        for (unsigned j = 0; j < count; j++)
            th__buf_add_str(html, (i ? j % 3 : j % 2) ? TH_STR("<p>x</p>") : TH_STR("<h1>y</h1>"));
        th__buf_add_str(html, TH_STR("</div>"));
    }
}

static void many_small_regions(void **state)
{
    expect_no_quadratic_step(small_regions, 20000);
    expect_no_quadratic_step(two_halves, 200000);
}

/* ---- memory ---- */

static th_status find_once(void *context)
{
    th__mdr_result *result;
    th_status status = th__mdr_find(context, NULL, &result, NULL);
    th__mdr_result_free(result);
    return status;
}

static void allocations_fail(void **state)
{
    th_page *page =
        parse_page("<table><tr>" NAME("1") NAME("2") "<tr>" DESCRIPTION("1") DESCRIPTION("2") /**/
                   "<tr>" NAME("3") NAME("4") "<tr>" DESCRIPTION("3") DESCRIPTION("4")        /**/
                   "<tr>" NAME("5") "<tr>" DESCRIPTION(
                       "5") "</table>"
                            "<ul><li><b>1</b><p>x<li><b>2</b><p>y<li><hr><hr><hr><hr><hr><li><b>3</"
                            "b><p>z<i>a</i></ul>");
    th_test_each_allocation_fails(find_once, page);
    th_page_free(page);
}

/* The largest distance that a threshold allows. */
static void largest_distance_within_threshold(void **state)
{
    (void)state;
    /* 3 / 10 is within a threshold of 0.3, whatever the rounding */
    assert_int_equal(th__mdr_bound(10, 10, 0.3), 3);
    assert_int_equal(th__mdr_bound(9, 10, 0.3), 2);
    assert_int_equal(th__mdr_bound(0, 0, 0.3), 0);
    assert_int_equal(th__mdr_bound(5, 5, -1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest_distance_within_threshold),
        cmocka_unit_test(ident_as_printed),
        cmocka_unit_test(figures_1_and_2),
        cmocka_unit_test(figure_3),
        cmocka_unit_test(figure_7),
        cmocka_unit_test(figure_11),
        cmocka_unit_test(figure_13_data_table),
        cmocka_unit_test(data_table_with_line_breaks),
        cmocka_unit_test(pictures_alone),
        cmocka_unit_test(figure_14),
        cmocka_unit_test(figure_16),
        cmocka_unit_test(figures_17_and_18),
        cmocka_unit_test(adjacent_regions),
        cmocka_unit_test(data_table_in_pairs),
        cmocka_unit_test(figures_19_and_20),
        cmocka_unit_test(orphans_of_other_kinds),
        cmocka_unit_test(region_reaches_last_child),
        cmocka_unit_test(threshold_is_inclusive),
        cmocka_unit_test(only_table_tags_in_paper_mode),
        cmocka_unit_test(split_list_is_joined),
        cmocka_unit_test(true_period_of_a_combination),
        cmocka_unit_test(siblings_of_one_class),
        cmocka_unit_test(nested_regions_are_kept),
        cmocka_unit_test(one_cut_for_a_region),
        cmocka_unit_test(options_have_names),
        cmocka_unit_test(pages_without_lists),
        cmocka_unit_test(scripts_do_not_count),
        cmocka_unit_test(tables_ten_deep),
        cmocka_unit_test(many_identical_records),
        cmocka_unit_test(growth_is_linear),
        cmocka_unit_test(many_small_regions),
        cmocka_unit_test(allocations_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
