/* Records and every textual form of output, byte by byte. */
#include "samples.h"
#include "test_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static th_status collect(void *context, const char *bytes, size_t len, th_error *err)
{
    return th__buf_add(context, bytes, len) ? TH_OK : TH_ERR_MEMORY;
}

static th_writer_options options_for(th__buf *buf)
{
    th_writer_options options;
    th_writer_options_init(&options);
    options.sink = (th_sink){collect, buf};
    return options;
}

static void check_text(th__buf *buf, const char *expected)
{
    th__buf_add_byte(buf, '\0');
    assert_string_equal(buf->data, expected);
    th__buf_release(buf);
}

/* Writes the sample and checks what comes out. */
static void check_form(th_format format, const th_writer_options *options, th__buf *buf,
                       const char *expected)
{
    th_error err = {0};
    th_schema *schema = sample_schema(&err);
    th_records *records = sample_records(schema, "shop/1.html", &err);
    assert_non_null(records);
    th_writer *writer;
    assert_int_equal(th_writer_new(format, options, &writer, &err), TH_OK);
    assert_int_equal(th_writer_add(writer, records, &err), TH_OK);
    th_records_free(records);
    th_schema_free(schema);
    assert_int_equal(th_writer_finish(writer, &err), TH_OK);
    assert_int_equal(th_writer_finish(writer, &err), TH_ERR_ARGUMENT);
    th_writer_free(writer);
    check_text(buf, expected);
}

#define FIRST                                                                                      \
    "\"title\":\"Snow Country\",\"price\":\"$9.50\",\"maker\":{\"name\":\"Knopf\",\"town\":\"New " \
    "York\"},"                                                                                     \
    "\"author\":[\"Kawabata\",\"Seidensticker\"],\"files\":[{\"url\":\"/a.pdf\",\"size\":\"12\"}," \
    "{\"url\":\"/b.pdf\",\"size\":null}],\"in_stock\":\"3\",\"sold_out\":null}"
#define SECOND                                                                                     \
    "\"title\":\"雪国 \\\"Yukiguni\\\", 😀\\nשלום\",\"price\":null,\"maker\":{\"name\":"   \
    "\"\\u001b[31mred\\u0007\",\"town\":null},\"author\":[],\"files\":null,\"in_stock\":null,"     \
    "\"sold_out\":\"2020-01-01\"}"
#define THIRD                                                                                      \
    "\"title\":null,\"price\":null,\"maker\":null,\"author\":null,\"files\":null,\"in_stock\":"    \
    "null,"                                                                                        \
    "\"sold_out\":null}"

static void ndjson_has_a_record_a_line(void **state)
{
    th__buf buf = {0};
    th_writer_options options = options_for(&buf);
    check_form(TH_FORMAT_NDJSON, &options, &buf, "{" FIRST "\n{" SECOND "\n{" THIRD "\n");
    options.page_key = "page";
    check_form(TH_FORMAT_NDJSON, &options, &buf,
               "{\"page\":\"shop/1.html\"," FIRST "\n{\"page\":\"shop/1.html\"," SECOND
               "\n{\"page\":\"shop/1.html\"," THIRD "\n");
}

static void page_key_gives_way_to_a_field(void **state)
{
    th__buf buf = {0};
    th_writer_options options = options_for(&buf);
    options.page_key = "title";
    check_form(TH_FORMAT_NDJSON, &options, &buf,
               "{\"title_2\":\"shop/1.html\"," FIRST "\n{\"title_2\":\"shop/1.html\"," SECOND
               "\n{\"title_2\":\"shop/1.html\"," THIRD "\n");
}

static void json_is_one_array(void **state)
{
    th__buf buf = {0};
    th_writer_options options = options_for(&buf);
    check_form(TH_FORMAT_JSON, &options, &buf, "[\n{" FIRST ",\n{" SECOND ",\n{" THIRD "\n]\n");
    th_writer *writer;
    assert_int_equal(th_writer_new(TH_FORMAT_JSON, &options, &writer, NULL), TH_OK);
    assert_int_equal(th_writer_finish(writer, NULL), TH_OK);
    th_writer_free(writer);
    check_text(&buf, "[]\n");
}

static void pages_has_a_page_a_line(void **state)
{
    th__buf buf = {0};
    th_writer_options options = options_for(&buf);
    check_form(TH_FORMAT_PAGES, &options, &buf,
               "{\"page\":\"shop/1.html\",\"records\":[{" FIRST ",{" SECOND ",{" THIRD "]}\n");
}

/* A schema <name> of one record a page. */
static th_records *one_field_record(const char *field, const char *page, const char *value)
{
    th_schema *s;
    th_schema_new(&s, NULL);
    th_type *member = th_schema_field(s, NAME(field), TH_NOTE_TEXT);
    assert_int_equal(th_schema_finish(s, th_schema_tuple(s, NAME(NULL), &member, 1), NULL), TH_OK);
    th_records *r;
    th_records_new(s, &(th_records_source){.page = NAME(page)}, &r, NULL);
    th_schema_free(s);
    if (value)
        sample_text(r, th_value_slot(th_records_add(r), 0), value, 1);
    assert_int_equal(th_records_status(r, NULL), TH_OK);
    return r;
}

static void write_all(th_format format, const th_writer_options *options, th_records **records,
                      size_t count)
{
    th_writer *writer;
    th_error err;
    if (th_writer_new(format, options, &writer, &err))
        fail_msg("%s", err.message);
    for (size_t i = 0; i < count; i++)
        if (th_writer_add(writer, records[i], &err))
            fail_msg("%s", err.message);
    if (th_writer_finish(writer, &err))
        fail_msg("%s", err.message);
    th_writer_free(writer);
}

static void pages_of_one_record(void **state)
{
    th__buf buf = {0};
    th_writer_options options = options_for(&buf);
    th_records *r[] = {one_field_record("a", "p1", "x"), one_field_record("a", "p2", NULL)};
    options.spans = true;
    write_all(TH_FORMAT_PAGES, &options, r, 2);
    check_text(&buf,
               "{\"page\":\"p1\",\"record\":{\"a\":{\"value\":\"x\",\"start\":1,\"end\":2}}}\n"
               "{\"page\":\"p2\",\"record\":null}\n");
    th_records_free(r[0]);
    th_records_free(r[1]);
}

static void regions_come_best_first(void **state)
{
    th__buf buf = {0};
    th_writer_options options = options_for(&buf);
    th_records *a = one_field_record("a", "p1", "x"), *b = one_field_record("b", "p1", "y");
    const th_region regions[] = {{"mdr", 0.5, 0.8, a}, {"iepad", 0.25, 0.125, b}};
    static const struct {
        th_format format;
        const char *expected;
    } cases[] = {
        {TH_FORMAT_PAGES,
         "{\"page\":\"p1\",\"regions\":[{\"engine\":\"mdr\",\"score\":0.5,\"confidence\":0.8,"
         "\"records\":"
         "[{\"a\":\"x\"}]},{\"engine\":\"iepad\",\"score\":0.25,\"confidence\":0.125,\"records\":"
         "[{\"b\":\"y\"}]}]}\n"},
        {TH_FORMAT_NDJSON, "{\"page\":\"p1\",\"engine\":\"mdr\",\"score\":0.5,\"confidence\":0.8,"
                           "\"records\":[{\"a\":\"x\"}]}\n"
                           "{\"page\":\"p1\",\"engine\":\"iepad\",\"score\":0.25,\"confidence\":0."
                           "125,\"records\":[{\"b\":\"y\"}]}\n"},
        {TH_FORMAT_JSON, "[\n{\"page\":\"p1\",\"engine\":\"mdr\",\"score\":0.5,\"confidence\":0.8,"
                         "\"records\":[{\"a\":\"x\"}]},\n"
                         "{\"page\":\"p1\",\"engine\":\"iepad\",\"score\":0.25,\"confidence\":0."
                         "125,\"records\":[{\"b\":\"y\"}]}\n]\n"},
        {TH_FORMAT_TABLE, "p1, region 1: mdr, score 0.5, confidence 0.80, 1 record\na\n─\nx\n\n"
                          "p1, region 2: iepad, score 0.25, confidence 0.12, 1 record\nb\n─\ny\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        th_writer *writer;
        assert_int_equal(th_writer_new(cases[i].format, &options, &writer, NULL), TH_OK);
        assert_int_equal(th_writer_add_regions(writer, NAME("p1"), regions, 2, NULL), TH_OK);
        assert_int_equal(th_writer_finish(writer, NULL), TH_OK);
        th_writer_free(writer);
        check_text(&buf, cases[i].expected);
    }
    th_writer *writer;
    th_error err;
    th_writer_new(TH_FORMAT_CSV, &options, &writer, NULL);
    assert_int_equal(th_writer_add_regions(writer, NAME("p1"), regions, 2, &err), TH_ERR_ARGUMENT);
    th_writer_free(writer);
    th_records_free(a);
    th_records_free(b);
}

/* ---- csv ---- */

static void csv_quotes_and_flattens(void **state)
{
    th__buf buf = {0};
    th_writer_options options = options_for(&buf);
    const char *expected =
        "title,price,maker.name,maker.town,author,files,in_stock,sold_out\r\n"
        "Snow Country,$9.50,Knopf,New York,Kawabata | Seidensticker,"
        "\"[{\"\"url\"\":\"\"/a.pdf\"\",\"\"size\"\":\"\"12\"\"},"
        "{\"\"url\"\":\"\"/b.pdf\"\",\"\"size\"\":null}]\",3,\r\n"
        "\"雪国 \"\"Yukiguni\"\", 😀\nשלום\",,\x1b[31mred\x07,,\"\",,,2020-01-01\r\n"
        ",,,,,,,\r\n";
    check_form(TH_FORMAT_CSV, &options, &buf, expected);
    th_schema *schema = sample_schema(NULL);
    options.schema = schema;
    check_form(TH_FORMAT_CSV, &options, &buf, expected);
    th_schema_free(schema);
}

static void tsv_keeps_rows_and_columns(void **state)
{
    th__buf buf = {0};
    th_writer_options options = options_for(&buf);
    const char *expected =
        "title\tprice\tmaker.name\tmaker.town\tauthor\tfiles\tin_stock\tsold_out\n"
        "Snow Country\t$9.50\tKnopf\tNew York\tKawabata | Seidensticker\t"
        "[{\"url\":\"/a.pdf\",\"size\":\"12\"},{\"url\":\"/b.pdf\",\"size\":null}]"
        "\t3\t\n"
        "雪国 \"Yukiguni\", 😀 שלום\t\t\x1b[31mred\x07\t\t\t\t\t2020-01-01\n"
        "\t\t\t\t\t\t\t\n";
    check_form(TH_FORMAT_TSV, &options, &buf, expected);
    th_records *r = one_field_record("a\tb", "p", "x\ty\r\nz");
    options.page_key = "page";
    write_all(TH_FORMAT_TSV, &options, &r, 1);
    check_text(&buf, "page\ta b\np\tx y  z\n");
    th_records_free(r);
}

static void csv_for_excel_runs_nothing(void **state)
{
    static const char *const cells[][2] = {
        {"=1+1", "'=1+1"},
        {"+49 30", "'+49 30"},
        {"-5", "'-5"},
        {"@SUM(A1)", "'@SUM(A1)"},
        {"\tx", "'\tx"},
        {"\r=x", "\"'\r=x\""},
        {"=\"a\",b", "\"'=\"\"a\"\",b\""},
        {"a=1", "a=1"},
        {"’s, -1", "\"’s, -1\""},
    };
    th__buf buf = {0};
    th_writer_options options = options_for(&buf);
    options.excel = true;
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        char expected[64];
        th_records *r = one_field_record("=field", "p", cells[i][0]);
        write_all(TH_FORMAT_CSV, &options, &r, 1);
        snprintf(expected, sizeof expected, "\xEF\xBB\xBF'=field\r\n%s\r\n", cells[i][1]);
        check_text(&buf, expected);
        th_records_free(r);
        buf = (th__buf){0};
    }
}

/* An address may hold a whole search or an image. */
static void markdown_keeps_long_addresses(void **state)
{
    enum { LONG = 10000 };
    th__buf buf = {0}, address = {0}, expected = {0};
    th_writer_options options = options_for(&buf);
    th__buf_printf(&address, "https://shop.example/?q=%0*d", LONG, 7);
    th_records *r = one_field_record("to", "p", address.data);
    write_all(TH_FORMAT_MARKDOWN, &options, &r, 1);
    th__buf_printf(&expected, "| to |\n|---|\n| <%s> |\n", address.data);
    check_text(&buf, expected.data);
    th__buf_release(&address);
    th__buf_release(&expected);
    th_records_free(r);
}

static void counts_are_numbers_in_json(void **state)
{
    th__buf buf = {0};
    th_writer_options options = options_for(&buf);
    th_records *r = one_field_record("a", "p", "007");
    th_records_set_number(r, th_value_slot(th_records_add(r), 0), 12, 0);
    th_records_set_number(r, th_value_slot(th_records_add(r), 0), 0.35, 3);
    write_all(TH_FORMAT_NDJSON, &options, &r, 1);
    check_text(&buf, "{\"a\":\"007\"}\n{\"a\":12}\n{\"a\":0.35}\n");
    th_records_free(r);
}

static void csv_header_is_the_union(void **state)
{
    th__buf buf = {0};
    th_writer_options options = options_for(&buf);
    th_records *r[] = {one_field_record("a", "p1", "x"), one_field_record("page", "p2", "y"),
                       one_field_record("a", "p3", "z"), one_field_record("c", "p4", NULL)};
    options.page_key = "page";
    write_all(TH_FORMAT_CSV, &options, r, 4);
    check_text(&buf, "page,a,page_2,c\r\np1,x,,\r\np2,,y,\r\np3,z,,\r\n");
    for (size_t i = 0; i < 4; i++)
        th_records_free(r[i]);
}

static void csv_with_a_schema_streams_and_loses_nothing(void **state)
{
    th__buf buf = {0};
    th_writer_options options = options_for(&buf);
    th_records *a = one_field_record("a", "p1", "x"), *b = one_field_record("b", "p2", "y"),
               *none = one_field_record("b", "p2", NULL);
    th_writer *writer;
    th_error err;
    options.schema = th_records_schema(a);
    assert_int_equal(th_writer_new(TH_FORMAT_CSV, &options, &writer, NULL), TH_OK);
    assert_int_equal(th_writer_add(writer, none, NULL), TH_OK);
    assert_int_equal(th_writer_add(writer, a, NULL), TH_OK);
    assert_int_equal(th_writer_flush(writer, NULL), TH_OK);
    assert_int_equal(buf.len, strlen("a\r\nx\r\n"));
    assert_int_equal(th_writer_add(writer, b, &err), TH_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "\"b\""));
    assert_int_equal(th_writer_add(writer, a, &err), TH_ERR_ARGUMENT);
    assert_int_equal(th_writer_finish(writer, &err), TH_ERR_ARGUMENT);
    th_writer_free(writer);
    th__buf_release(&buf);
    th_records_free(a);
    th_records_free(b);
    th_records_free(none);
}

/* ---- table ---- */

static void table_fits_and_is_safe(void **state)
{
    th__buf buf = {0};
    th_writer_options options = options_for(&buf);
    options.width = 72;
    check_form(TH_FORMAT_TABLE, &options, &buf,
               "title       price  maker.name  maker.to…  author     files      in_stock\n"
               "──────────  ─────  ──────────  ─────────  ─────────  ─────────  ────────\n"
               "Snow Coun…  $9.50  Knopf       New York   Kawabata…  [{\"url\":…  3\n"
               "雪国 \"Yuk…         ␛[31mred␇\n"
               "\n"
               "(1 more column: sold_out)\n");
}

static void table_columns_are_as_wide_as_needed(void **state)
{
    th__buf buf = {0};
    th_writer_options options = options_for(&buf);
    th_records *r[] = {
        one_field_record("naïve", "p", "plain"),
        one_field_record("naïve", "p", "雪国"),
        one_field_record("naïve", "p", "e\xCC\x81t\xCC\x81"),
        one_field_record("naïve", "p", "😀"),
        one_field_record("naïve", "p", "שלום"),
        one_field_record("naïve", "p", "\x1b[2J\xC2\x9B\xE2\x80\xAE\x7Fx\ty"),
        one_field_record("naïve", "p", "bad\xFF"),
        one_field_record("naïve", "p", NULL),
    };
    options.page_key = "page";
    write_all(TH_FORMAT_TABLE, &options, r, 8);
    check_text(&buf, "page  naïve\n"
                     "────  ─────────\n"
                     "p     plain\n"
                     "p     雪国\n"
                     "p     e\xCC\x81t\xCC\x81\n"
                     "p     😀\n"
                     "p     שלום\n"
                     "p     ␛[2J\xEF\xBF\xBD␡x y\n"
                     "p     bad\xEF\xBF\xBD\n");
    for (size_t i = 0; i < 8; i++)
        th_records_free(r[i]);
}

static void table_cuts_wide_text_at_whole_characters(void **state)
{
    th__buf buf = {0};
    th_writer_options options = options_for(&buf);
    th_records *r[] = {
        one_field_record("a", "p", "雪国雪国雪国"),
        one_field_record("a", "p",
                         "e\xCC\x81"
                         "e\xCC\x81"
                         "e\xCC\x81"
                         "e\xCC\x81"
                         "e\xCC\x81"
                         "e\xCC\x81"),
        one_field_record("a", "p", "exact"),
    };
    options.width = 5;
    write_all(TH_FORMAT_TABLE, &options, r, 3);
    check_text(&buf, "a\n─────\n雪国…\ne\xCC\x81"
                     "e\xCC\x81"
                     "e\xCC\x81"
                     "e\xCC\x81…\nexact\n");
    options.width = 4;
    write_all(TH_FORMAT_TABLE, &options, r, 1);
    check_text(&buf, "a\n────\n雪…\n");
    for (size_t i = 0; i < 3; i++)
        th_records_free(r[i]);
}

static void table_begins_anew_for_other_columns(void **state)
{
    th__buf buf = {0};
    th_writer_options options = options_for(&buf);
    options.color = true;
    th_records *r[] = {one_field_record("a", "p", "x"), one_field_record("b", "p", "y")};
    write_all(TH_FORMAT_TABLE, &options, r, 2);
    check_text(&buf, "\033[1ma\033[0m\n─\nx\n\n\033[1mb\033[0m\n─\ny\n");
    th_records_free(r[0]);
    th_records_free(r[1]);
}

static void table_streams_after_the_first_rows(void **state)
{
    th__buf buf = {0};
    th_writer_options options = options_for(&buf);
    th_writer *writer;
    th_writer_new(TH_FORMAT_TABLE, &options, &writer, NULL);
    for (int i = 0; i < 1200; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", i * 10);
        th_records *r = one_field_record("number", "p", text);
        assert_int_equal(th_writer_add(writer, r, NULL), TH_OK);
        th_records_free(r);
    }
    assert_int_equal(th_writer_flush(writer, NULL), TH_OK);
    assert_non_null(memmem(buf.data, buf.len, "\n11990\n", 7));
    assert_int_equal(th_writer_finish(writer, NULL), TH_OK);
    th_writer_free(writer);
    th__buf_release(&buf);
}

/* ---- files ---- */

static void put(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void check_file(const char *name, const char *expected)
{
    char text[4096];
    FILE *file = fopen(path_of(name), "r");
    assert_non_null(file);
    size_t len = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[len] = '\0';
    assert_string_equal(text, expected);
}

static void file_is_replaced_with_its_mode(void **state)
{
    th_writer_options options;
    th_writer_options_init(&options);
    th_records *r = one_field_record("a", "p", "x");
    put("real", "old");
    chmod(path_of("real"), 0640);
    assert_int_equal(symlink("real", path_of("link")), 0);
    options.path = path_of("link");
    write_all(TH_FORMAT_CSV, &options, &r, 1);
    check_file("real", "a\r\nx\r\n");
    struct stat st;
    assert_int_equal(lstat(path_of("link"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat(path_of("real"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    mode_t mask = umask(027);
    options.path = path_of("new");
    write_all(TH_FORMAT_CSV, &options, &r, 1);
    umask(mask);
    assert_int_equal(stat(path_of("new"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    assert_int_equal(files_in_folder(), 3);
    th_records_free(r);
}

static void unfinished_file_leaves_the_old_one(void **state)
{
    th_writer_options options;
    th_writer_options_init(&options);
    th_records *r = one_field_record("a", "p", "x");
    put("kept", "old");
    size_t before = files_in_folder();
    options.path = path_of("kept");
    th_writer *writer;
    assert_int_equal(th_writer_new(TH_FORMAT_NDJSON, &options, &writer, NULL), TH_OK);
    assert_int_equal(th_writer_add(writer, r, NULL), TH_OK);
    assert_int_equal(th_writer_flush(writer, NULL), TH_OK);
    check_file("kept", "old");
    th_writer_free(writer);
    check_file("kept", "old");
    assert_int_equal(files_in_folder(), before);
    th_records_free(r);
}

/* What a process that was killed left behind goes with the next write of the same file. */
static void leftovers_are_removed(void **state)
{
    static const char *const stay[] = {".left.csv.0000000.tmp",      ".left.csv.00000000g.tmp",
                                       ".left.csv.00000000.tmp.bak", "left.csv.00000000.tmp",
                                       ".other.csv.00000000.tmp",    ".left.csv.11111111.tmp"};
    th_writer_options options;
    th_writer_options_init(&options);
    th_records *r = one_field_record("a", "p", "x");
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++)
        put(stay[i], "");
    put(".left.csv.0123abcd.tmp", "half");
    assert_int_equal(symlink("left.csv.00000000.tmp", path_of(".left.csv.22222222.tmp")), 0);
    /* The last of `stay` is being written by a process that is alive. */
    int alive = open(path_of(".left.csv.11111111.tmp"), O_RDONLY);
    assert_int_equal(flock(alive, LOCK_EX), 0);
    options.path = path_of("left.csv");
    write_all(TH_FORMAT_CSV, &options, &r, 1);
    check_file("left.csv", "a\r\nx\r\n");
    assert_int_not_equal(access(path_of(".left.csv.0123abcd.tmp"), F_OK), 0);
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++)
        assert_int_equal(access(path_of(stay[i]), F_OK), 0);
    assert_int_equal(access(path_of(".left.csv.22222222.tmp"), F_OK), 0);
    close(alive);
    options.path = path_of("left.csv");
    write_all(TH_FORMAT_CSV, &options, &r, 1);
    assert_int_not_equal(access(path_of(".left.csv.11111111.tmp"), F_OK), 0);
    /* Ours is locked as long as it is written. */
    th_writer *writer, *second;
    assert_int_equal(th_writer_new(TH_FORMAT_CSV, &options, &writer, NULL), TH_OK);
    assert_int_equal(th_writer_new(TH_FORMAT_CSV, &options, &second, NULL), TH_OK);
    assert_int_equal(th_writer_add(writer, r, NULL), TH_OK);
    assert_int_equal(th_writer_finish(writer, NULL), TH_OK);
    th_writer_free(writer);
    th_writer_free(second);
    th_records_free(r);
}

/* A limit on the size of files stands for a full disk. */
static void full_disk_is_told_and_changes_nothing(void **state)
{
    th_writer_options options;
    th_writer_options_init(&options);
    th_records *r = one_field_record("a", "p", "some text that is written many times over");
    put("full", "old");
    size_t before = files_in_folder();
    options.path = path_of("full");
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 100000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    th_writer *writer;
    th_error err = {0};
    th_status status = th_writer_new(TH_FORMAT_NDJSON, &options, &writer, &err);
    for (int i = 0; !status && i < 10000; i++)
        status = th_writer_add(writer, r, &err);
    th_status finish = th_writer_finish(writer, NULL);
    th_writer_free(writer);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(status, TH_ERR_IO);
    assert_int_equal(finish, TH_ERR_IO);
    char expected[512];
    snprintf(expected, sizeof expected, "cannot write %s: file too large; nothing was changed",
             path_of("full"));
    assert_string_equal(err.message, expected);
    check_file("full", "old");
    assert_int_equal(files_in_folder(), before);
    th_records_free(r);
}

static void devices_are_written_directly(void **state)
{
    th_writer_options options;
    th_writer_options_init(&options);
    th_records *r = one_field_record("a", "p", "x");
    options.path = "/dev/full";
    th_writer *writer;
    th_error err = {0};
    assert_int_equal(th_writer_new(TH_FORMAT_NDJSON, &options, &writer, &err), TH_OK);
    assert_int_equal(th_writer_add(writer, r, &err), TH_OK);
    assert_int_equal(th_writer_finish(writer, &err), TH_ERR_IO);
    assert_string_equal(err.message, "cannot write /dev/full: no space left on device");
    th_writer_free(writer);
    options.path = "/dev/null";
    write_all(TH_FORMAT_NDJSON, &options, &r, 1);
    th_records_free(r);
}

static th_status fail_with_enospc(void *context, const char *bytes, size_t len, th_error *err)
{
    int fd = open("/dev/full", O_WRONLY);
    ssize_t wrote = write(fd, bytes, len);
    int number = errno;
    close(fd);
    if (wrote >= 0 || number != ENOSPC)
        return TH_OK;
    if (err)
        snprintf(err->message, sizeof err->message, "sink is full");
    return TH_ERR_IO;
}

static void sink_failures_come_back(void **state)
{
    th_writer_options options;
    th_writer_options_init(&options);
    options.sink.write = fail_with_enospc;
    th_records *r = one_field_record("a", "p", "x");
    for (th_format format = TH_FORMAT_TABLE; format <= TH_FORMAT_PAGES; format++) {
        th_writer *writer;
        th_error err = {0};
        assert_int_equal(th_writer_new(format, &options, &writer, &err), TH_OK);
        assert_int_equal(th_writer_add(writer, r, &err), TH_OK);
        assert_int_equal(th_writer_finish(writer, &err), TH_ERR_IO);
        assert_string_equal(err.message, "sink is full");
        assert_int_equal(err.status, TH_ERR_IO);
        th_writer_free(writer);
    }
    th_records_free(r);
}

static void check_new_fails(th_format format, const char *path, th_status status,
                            const char *message)
{
    th_writer_options options;
    th_writer_options_init(&options);
    options.path = path;
    th_writer *writer;
    th_error err = {0};
    assert_int_equal(th_writer_new(format, &options, &writer, &err), status);
    assert_null(writer);
    if (!strstr(err.message, message))
        fail_msg("\"%s\" does not contain \"%s\"", err.message, message);
}

static void impossible_outputs_are_refused(void **state)
{
    check_new_fails(TH_FORMAT_CSV, NULL, TH_ERR_ARGUMENT, "a file or a sink");
    check_new_fails(TH_FORMAT_SQLITE, NULL, TH_ERR_ARGUMENT,
                    THRESH_STORE ? "sqlite needs a file" : "built without SQLite");
    check_new_fails((th_format)77, "x", TH_ERR_ARGUMENT, "unknown output format");
    check_new_fails(TH_FORMAT_CSV, "", TH_ERR_ARGUMENT, "empty");
    check_new_fails(TH_FORMAT_CSV, folder, TH_ERR_IO, "is a directory");
    check_new_fails(TH_FORMAT_CSV, "/no/such/folder/x", TH_ERR_IO,
                    "cannot write /no/such/folder/x: no such file or directory");
    th_format format;
    assert_true(th_format_find(TH_STR("pages"), &format));
    assert_int_equal(format, TH_FORMAT_PAGES);
    assert_false(th_format_find(TH_STR("xml"), &format));
    assert_null(th_format_name((th_format)(TH_FORMAT_XLSX + 1)));
}

static void misuse_of_records_is_told(void **state)
{
    th_error err;
    th_schema *schema = sample_schema(&err);
    th_records *r;
    assert_int_equal(th_records_new(schema, NULL, &r, &err), TH_OK);
    th_value *book = th_records_add(r);
    assert_null(th_value_slot(book, 6));
    assert_null(th_records_append(r, th_value_slot(book, 0)));
    assert_int_equal(th_records_status(r, &err), TH_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "list was set in a slot of kind field"));
    th__buf buf = {0};
    th_writer_options options = options_for(&buf);
    th_writer *writer;
    th_writer_new(TH_FORMAT_NDJSON, &options, &writer, NULL);
    assert_int_equal(th_writer_add(writer, r, &err), TH_ERR_ARGUMENT);
    th_writer_free(writer);
    th_records_free(r);
    th_records_new(schema, NULL, &r, &err);
    assert_null(th_records_choose(r, th_value_slot(th_records_add(r), 5), 2));
    assert_int_equal(th_records_status(r, &err), TH_ERR_ARGUMENT);
    th_records_free(r);
    th_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ndjson_has_a_record_a_line),
        cmocka_unit_test(page_key_gives_way_to_a_field),
        cmocka_unit_test(json_is_one_array),
        cmocka_unit_test(pages_has_a_page_a_line),
        cmocka_unit_test(pages_of_one_record),
        cmocka_unit_test(regions_come_best_first),
        cmocka_unit_test(csv_quotes_and_flattens),
        cmocka_unit_test(tsv_keeps_rows_and_columns),
        cmocka_unit_test(csv_for_excel_runs_nothing),
        cmocka_unit_test(markdown_keeps_long_addresses),
        cmocka_unit_test(counts_are_numbers_in_json),
        cmocka_unit_test(csv_header_is_the_union),
        cmocka_unit_test(csv_with_a_schema_streams_and_loses_nothing),
        cmocka_unit_test(table_fits_and_is_safe),
        cmocka_unit_test(table_columns_are_as_wide_as_needed),
        cmocka_unit_test(table_cuts_wide_text_at_whole_characters),
        cmocka_unit_test(table_begins_anew_for_other_columns),
        cmocka_unit_test(table_streams_after_the_first_rows),
        cmocka_unit_test(file_is_replaced_with_its_mode),
        cmocka_unit_test(unfinished_file_leaves_the_old_one),
        cmocka_unit_test(leftovers_are_removed),
        cmocka_unit_test(full_disk_is_told_and_changes_nothing),
        cmocka_unit_test(devices_are_written_directly),
        cmocka_unit_test(sink_failures_come_back),
        cmocka_unit_test(impossible_outputs_are_refused),
        cmocka_unit_test(misuse_of_records_is_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
