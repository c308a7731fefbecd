/* SQLite output, read back: tables and keys, adding to a file, replacing it, refusals. */
#include "samples.h"
#include "test_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static th_status try_write(const char *name, bool replace, const char *table, th_records *records,
                           th_error *err)
{
    th_writer_options options;
    th_writer_options_init(&options);
    options.path = path_of(name);
    options.replace = replace;
    if (table)
        options.table = table;
    th_writer *writer;
    th_status status = th_writer_new(TH_FORMAT_SQLITE, &options, &writer, err);
    if (!status)
        status = th_writer_add(writer, records, err);
    if (!status)
        status = th_writer_finish(writer, err);
    th_writer_free(writer);
    return status;
}

static void write_records(const char *name, bool replace, const char *table, th_records *records)
{
    th_error err;
    if (try_write(name, replace, table, records, &err))
        fail_msg("%s", err.message);
}

/* The rows of a query, cells with "|" between, null as "~", a newline after each row. */
static void check_query(const char *name, const char *sql, const char *expected)
{
    sqlite3 *db;
    sqlite3_stmt *query;
    th__buf buf = {0};
    assert_int_equal(sqlite3_open_v2(path_of(name), &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &query, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(db));
    while (sqlite3_step(query) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(query); i++) {
            const char *text = (const char *)sqlite3_column_text(query, i);
            th__buf_printf(&buf, "%s%s", i ? "|" : "", text ? text : "~");
        }
        th__buf_add_byte(&buf, '\n');
    }
    sqlite3_finalize(query);
    sqlite3_close(db);
    th__buf_add_byte(&buf, '\0');
    assert_string_equal(buf.data, expected);
    th__buf_release(&buf);
}

static void run_sql(const char *name, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path_of(name), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static th_records *sample(const char *page)
{
    th_schema *schema = sample_schema(NULL);
    th_records *records = sample_records(schema, page, NULL);
    th_schema_free(schema);
    assert_non_null(records);
    return records;
}

/* <names...> of one record a page, every value "v" and its number. */
static th_records *fields(size_t count, const char *const *names)
{
    th_schema *s;
    th_type *members[16];
    th_error err;
    th_schema_new(&s, NULL);
    for (size_t i = 0; i < count; i++)
        members[i] = th_schema_field(s, NAME(names[i]), TH_NOTE_TEXT);
    if (th_schema_finish(s, th_schema_tuple(s, NAME(NULL), members, count), &err))
        fail_msg("%s", err.message);
    th_records *r;
    th_records_new(s, &(th_records_source){.page = NAME("p")}, &r, NULL);
    th_value *record = th_records_add(r);
    for (size_t i = 0; i < count; i++) {
        char text[8];
        snprintf(text, sizeof text, "v%zu", i);
        sample_text(r, th_value_slot(record, i), text, 1);
    }
    th_schema_free(s);
    return r;
}

static void lists_get_tables_with_keys(void **state)
{
    th_records *r = sample("shop/1.html");
    write_records("a.db", false, NULL, r);
    check_query(
        "a.db", "SELECT sql FROM sqlite_schema WHERE type='table'",
        "CREATE TABLE \"records\"(\"id\" INTEGER PRIMARY KEY,\"page\" TEXT,\"position\" INTEGER "
        "NOT NULL,\"title\" TEXT,\"price\" TEXT,\"maker.name\" TEXT,\"maker.town\" TEXT,"
        "\"in_stock\" TEXT,\"sold_out\" TEXT)\n"
        "CREATE TABLE \"records_author\"(\"id\" INTEGER PRIMARY KEY,\"parent\" INTEGER NOT NULL "
        "REFERENCES \"records\"(\"id\"),\"position\" INTEGER NOT NULL,\"author\" TEXT)\n"
        "CREATE TABLE \"records_files\"(\"id\" INTEGER PRIMARY KEY,\"parent\" INTEGER NOT NULL "
        "REFERENCES \"records\"(\"id\"),\"position\" INTEGER NOT NULL,\"url\" TEXT,\"size\" "
        "TEXT)\n");
    check_query("a.db", "SELECT * FROM records",
                "1|shop/1.html|1|Snow Country|$9.50|Knopf|New York|3|~\n"
                "2|shop/1.html|2|雪国 \"Yukiguni\", 😀\nשלום|~|\x1b[31mred\x07|~|~|2020-01-01\n"
                "3|shop/1.html|3|~|~|~|~|~|~\n");
    check_query("a.db", "SELECT * FROM records_author", "1|1|1|Kawabata\n2|1|2|Seidensticker\n");
    check_query("a.db", "SELECT * FROM records_files", "1|1|1|/a.pdf|12\n2|1|2|/b.pdf|~\n");
    check_query("a.db", "PRAGMA integrity_check", "ok\n");
    check_query("a.db", "PRAGMA foreign_key_check", "");
    th_records_free(r);
}

static void rows_are_added_with_new_columns(void **state)
{
    th_records *r = sample("shop/2.html");
    write_records("a.db", false, NULL, r);
    th_records_free(r);
    r = fields(2, (const char *const[]){"Title", "isbn"});
    write_records("a.db", false, NULL, r);
    check_query("a.db", "SELECT id, page, position, title, isbn, price FROM records WHERE id > 3",
                "4|shop/2.html|1|Snow Country|~|$9.50\n"
                "5|shop/2.html|2|雪国 \"Yukiguni\", 😀\nשלום|~|~\n"
                "6|shop/2.html|3|~|~|~\n"
                "7|p|1|v0|v1|~\n");
    check_query("a.db", "SELECT parent, author FROM records_author",
                "1|Kawabata\n1|Seidensticker\n4|Kawabata\n4|Seidensticker\n");
    write_records("a.db", true, "things", r);
    check_query("a.db", "SELECT name FROM sqlite_schema", "things\n");
    check_query("a.db", "SELECT * FROM things", "1|p|1|v0|v1\n");
    th_records_free(r);
}

static void write_run(const char *name, const char *date, th_records *records)
{
    th_writer_options options;
    th_writer *writer;
    th_writer_options_init(&options);
    options.path = path_of(name);
    options.date = date;
    assert_int_equal(th_writer_new(TH_FORMAT_SQLITE, &options, &writer, NULL), TH_OK);
    assert_int_equal(th_writer_add(writer, records, NULL), TH_OK);
    assert_int_equal(th_writer_finish(writer, NULL), TH_OK);
    th_writer_free(writer);
}

/* Rows of one run are told from those of another, also in a file from before there were runs. */
static void runs_are_numbered_and_dated(void **state)
{
    th_records *r = sample("s"), *own = fields(2, (const char *const[]){"run", "title"});
    write_records("runs.db", false, NULL, r);
    write_run("runs.db", "2026-01-02", r);
    write_run("runs.db", "2026-01-03", own);
    write_run("new.db", "2026-01-04", own);
    check_query("runs.db",
                "SELECT run, run_date, count(*), min(title), min(run_2) FROM records GROUP BY run",
                "~|~|3|Snow Country|~\n1|2026-01-02|3|Snow Country|~\n2|2026-01-03|1|v1|v0\n");
    check_query("runs.db", "SELECT typeof(run) FROM records WHERE run = 2", "integer\n");
    check_query("runs.db", "SELECT count(*) FROM records_author", "4\n");
    check_query("new.db", "SELECT * FROM records", "1|p|1|2026-01-04|1|v0|v1\n");
    th_records_free(r);
    th_records_free(own);
}

static void schemas_may_change_within_one_output(void **state)
{
    th_records *r[] = {fields(1, (const char *const[]){"a"}), fields(1, (const char *const[]){"b"}),
                       sample("s")};
    th_writer_options options;
    th_writer_options_init(&options);
    options.path = path_of("mixed.db");
    th_writer *writer;
    assert_int_equal(th_writer_new(TH_FORMAT_SQLITE, &options, &writer, NULL), TH_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(th_writer_add(writer, r[i], NULL), TH_OK);
        th_records_free(r[i]);
    }
    assert_int_equal(access(path_of("mixed.db"), F_OK), -1);
    assert_int_equal(th_writer_finish(writer, NULL), TH_OK);
    th_writer_free(writer);
    check_query("mixed.db", "SELECT a, b, title FROM records WHERE id < 4",
                "v0|~|~\n~|v0|~\n~|~|Snow Country\n");
}

static void names_are_quoted_and_unique(void **state)
{
    th_records *r = fields(8, (const char *const[]){"id", "PAGE", "a\"b", "select", "x", "X",
                                                    "drop table records; --", "position"});
    write_records("names.db", false, "my \"table\"", r);
    check_query("names.db", "SELECT name FROM pragma_table_info('my \"table\"')",
                "id\npage\nposition\nid_2\nPAGE_2\na\"b\nselect\nx\nX_2\ndrop table records; --\n"
                "position_2\n");
    check_query("names.db", "SELECT * FROM \"my \"\"table\"\"\"",
                "1|p|1|v0|v1|v2|v3|v4|v5|v6|v7\n");
    th_records_free(r);
}

/* {{<a, {{B}}>}}: lists right inside lists, and a choice between a text and a list. */
static void lists_of_lists_nest(void **state)
{
    th_schema *s;
    th_error err;
    th_schema_new(&s, NULL);
    th_type *either[] = {
        th_schema_field(s, NAME("x"), TH_NOTE_TEXT),
        th_schema_list(s, NAME("x"), th_schema_field(s, NAME(NULL), TH_NOTE_TEXT))};
    th_type *matrix = th_schema_list(
        s, NAME("m"), th_schema_list(s, NAME(NULL), th_schema_field(s, NAME(NULL), TH_NOTE_TEXT)));
    th_type *members[] = {matrix, th_schema_choice(s, NAME(NULL), either, 2)};
    if (th_schema_finish(s, th_schema_tuple(s, NAME(NULL), members, 2), &err))
        fail_msg("%s", err.message);
    th_records *r;
    th_records_new(s, NULL, &r, NULL);
    th_value *record = th_records_add(r);
    for (int row = 0; row < 2; row++) {
        th_value *line = th_records_append(r, th_value_slot(record, 0));
        for (int column = 0; column <= row; column++)
            sample_text(r, th_records_append(r, line), column ? "b" : "a", 1);
    }
    sample_text(r, th_records_choose(r, th_value_slot(record, 1), 0), "text", 1);
    record = th_records_add(r);
    sample_text(r, th_records_append(r, th_records_choose(r, th_value_slot(record, 1), 1)), "item",
                1);
    write_records("nest.db", false, NULL, r);
    check_query("nest.db", "SELECT * FROM records", "1|~|1|text\n2|~|2|~\n");
    check_query("nest.db", "SELECT * FROM records_m", "1|1|1\n2|1|2\n");
    check_query("nest.db", "SELECT * FROM records_m_value", "1|1|1|a\n2|2|1|a\n3|2|2|b\n");
    check_query("nest.db", "SELECT * FROM records_x", "1|2|1|item\n");
    th_records_free(r);
    th_schema_free(s);
}

static void check_fails(const char *name, bool replace, th_status status, const char *message)
{
    th_records *r = sample("s");
    th_error err = {0};
    assert_int_equal(try_write(name, replace, NULL, r, &err), status);
    if (!strstr(err.message, message))
        fail_msg("\"%s\" does not contain \"%s\"", err.message, message);
    th_records_free(r);
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void files_of_another_kind_are_refused(void **state)
{
    put("text.db", "title,price\nthis is no database at all, but a text that is long enough\n");
    check_fails("text.db", false, TH_ERR_FORMAT, "is not an SQLite file");
    run_sql("other.db", "CREATE TABLE records(title TEXT)");
    check_fails("other.db", false, TH_ERR_FORMAT,
                "\"records\" of another kind, without a column \"id\"");
    check_query("other.db", "SELECT name FROM pragma_table_info('records')", "title\n");
    put("live.db-wal", "something");
    put("live.db", "");
    check_fails("live.db", true, TH_ERR_IO, "is in use or was not closed");
    check_fails("../thresh-no-such-folder/x.db", false, TH_ERR_IO, "no such file or directory");
}

static void failed_rows_leave_the_file_as_it_was(void **state)
{
    th_records *r = sample("s");
    write_records("keep.db", false, NULL, r);
    th_writer_options options;
    th_writer_options_init(&options);
    options.path = path_of("keep.db");
    th_writer *writer;
    assert_int_equal(th_writer_new(TH_FORMAT_SQLITE, &options, &writer, NULL), TH_OK);
    assert_int_equal(th_writer_add(writer, r, NULL), TH_OK);
    th_writer_free(writer);
    check_query("keep.db", "SELECT count(*) FROM records", "3\n");

    size_t before = files_in_folder();
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 65536;
    signal(SIGXFSZ, SIG_IGN);
    for (int replace = 0; replace < 2; replace++) {
        setrlimit(RLIMIT_FSIZE, &small);
        th_error err = {0};
        options.replace = replace;
        th_status status = th_writer_new(TH_FORMAT_SQLITE, &options, &writer, &err);
        for (int i = 0; !status && i < 20000; i++)
            status = th_writer_add(writer, r, &err);
        if (!status)
            status = th_writer_finish(writer, &err);
        th_writer_free(writer);
        setrlimit(RLIMIT_FSIZE, &old);
        assert_int_equal(status, TH_ERR_IO);
        if (!strstr(err.message, "; nothing was changed"))
            fail_msg("%s", err.message);
        check_query("keep.db", "SELECT count(*) FROM records", "3\n");
        check_query("keep.db", "PRAGMA integrity_check", "ok\n");
        assert_int_equal(files_in_folder(), before);
    }
    th_records_free(r);
}

/* The record of a key is replaced with its lists, and keeps its id; the others stay. */
static void a_key_replaces_its_row(void **state)
{
    th_error err = {0};
    th_schema *schema = sample_schema(&err);
    th_writer_options options;
    th_writer_options_init(&options);
    options.path = path_of("upsert.db");
    options.upsert = "title";
    for (int round = 0; round < 3; round++) {
        th_records *records = sample_records(schema, round ? "b.html" : "a.html", &err);
        th_writer *writer;
        if (th_writer_new(TH_FORMAT_SQLITE, &options, &writer, &err) ||
            th_writer_add(writer, records, &err) || th_writer_finish(writer, &err))
            fail_msg("%s", err.message);
        th_writer_free(writer);
        th_records_free(records);
    }
    th_schema_free(schema);
    /* The third record of the sample has no title: it is added each time. */
    check_query("upsert.db", "SELECT id, page, title IS NULL FROM records",
                "1|b.html|0\n2|b.html|0\n3|a.html|1\n4|b.html|1\n5|b.html|1\n");
    check_query("upsert.db", "SELECT parent, position, author FROM records_author",
                "1|1|Kawabata\n1|2|Seidensticker\n");
    check_query("upsert.db", "SELECT parent, url FROM records_files", "1|/a.pdf\n1|/b.pdf\n");
}

/* Lists in lists whose tables have names as long as names may be: replacing a record removes the
 * items of all of them. */
static void lists_with_long_names_are_replaced(void **state)
{
    enum { DEPTH = 6, LONG = 1000 };
    th_error err = {0};
    th_schema *schema;
    char name[LONG];
    th_writer_options options;
    assert_int_equal(th_schema_new(&schema, &err), TH_OK);
    th_type *inner = th_schema_field(schema, TH_STR("v"), TH_NOTE_TEXT);
    for (int i = 0; i < DEPTH; i++) {
        memset(name, 'a' + i, sizeof name);
        th_type *members[] = {th_schema_field(schema, TH_STR("title"), TH_NOTE_TEXT), inner};
        inner = th_schema_list(schema, (th_str){name, sizeof name},
                               th_schema_tuple(schema, (th_str){0}, members, 2));
    }
    assert_int_equal(th_schema_finish(schema, inner, &err), TH_OK);
    th_writer_options_init(&options);
    options.path = path_of("long.db");
    options.upsert = "title";
    for (int round = 0; round < 2; round++) {
        th_records *records;
        th_writer *writer;
        assert_int_equal(th_records_new(schema, NULL, &records, &err), TH_OK);
        th_value *tuple = th_records_add(records);
        for (int i = 0; i < DEPTH; i++) {
            th_records_set_text(records, th_value_slot(tuple, 0), TH_STR("t"), (th_span){0});
            if (i + 1 < DEPTH)
                tuple = th_records_append(records, th_value_slot(tuple, 1));
        }
        if (th_writer_new(TH_FORMAT_SQLITE, &options, &writer, &err) ||
            th_writer_add(writer, records, &err) || th_writer_finish(writer, &err))
            fail_msg("%.300s", err.message);
        th_writer_free(writer);
        th_records_free(records);
    }
    th_schema_free(schema);
    check_query("long.db", "SELECT count(*) FROM records", "1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_with_long_names_are_replaced),
        cmocka_unit_test(lists_get_tables_with_keys),
        cmocka_unit_test(a_key_replaces_its_row),
        cmocka_unit_test(rows_are_added_with_new_columns),
        cmocka_unit_test(runs_are_numbered_and_dated),
        cmocka_unit_test(schemas_may_change_within_one_output),
        cmocka_unit_test(names_are_quoted_and_unique),
        cmocka_unit_test(lists_of_lists_nest),
        cmocka_unit_test(files_of_another_kind_are_refused),
        cmocka_unit_test(failed_rows_leave_the_file_as_it_was),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
