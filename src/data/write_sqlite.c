/*
 * write_sqlite.c: records as tables of an SQLite file.
 *
 *     records          id  page  position  title  maker.name   one row per record
 *     records_authors  id  parent  position  value             one row per item of "authors"
 *
 * A file that is new or to be replaced is built beside and renamed, like all others. Rows for a
 * file that exists go into it directly, in one transaction: SQLite's journal already makes that all
 * or nothing, a copy would cost the size of the file, and rows that another program adds in the
 * meantime would be lost with the rename. Columns that the file lacks are added; a table of that
 * name that was not made here is refused.
 */
#include "data/writer.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/mem.h"

enum { BUSY_MS = 5000 };

/* The columns that are ours, by use; the last two only in the output of runs. */
static const th_str own_names[] = {
    {"id", 2}, {"page", 4}, {"parent", 6}, {"position", 8}, {"run", 3}, {"run_date", 8},
};
enum { OWN_NAMES = sizeof own_names / sizeof *own_names, RUN_NAMES = 2 };

/* A table of the current schema; hangs on its layout. */
typedef struct sql_table {
    sqlite3_stmt *insert; /* page or parent, position, of a run its number and date, columns */
    sqlite3_stmt *find;   /* with upsert: the row of a key, in the table of records */
    sqlite3_stmt *update; /* the same as insert, and the row */
    size_t key;           /* the key's column of the layout */
} sql_table;

typedef struct sqlite_state {
    th__replacement file; /* of a new file */
    const char *path;     /* what the messages name */
    char *real;           /* an existing file's path from the root; the C library's memory */
    bool fresh;           /* built beside */
    sqlite3 *db;
    th__arena layouts, scratch;
    th__layout layout;
    bool has_layout;
    const char *date;   /* of the run; NULL: rows do not say their run */
    int64_t run;        /* its number; 0 until the table is known */
    const char *upsert; /* the column by which rows are replaced, or NULL */
    bool key_seen;      /* some page has that column */
} sqlite_state;

/* ---- errors ---------------------------------------------------------------------------------- */

static th_status sql_fail(sqlite_state *state, th_error *err)
{
    return th__sqlite_fail(state->db, state->path, err);
}

static th_status run(sqlite_state *state, const char *sql, th_error *err)
{
    return sqlite3_exec(state->db, sql, NULL, NULL, NULL) == SQLITE_OK ? TH_OK
                                                                       : sql_fail(state, err);
}

/* Puts a statement together as sqlite3_mprintf does (%w is for a name in quotes), and runs it. */
static th_status run_format(sqlite_state *state, th_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *sql = sqlite3_vmprintf(format, args);
    va_end(args);
    th_status status = sql ? run(state, sql, err) : th__fail_memory(err);
    sqlite3_free(sql);
    return status;
}

/* The same for a statement that is used often. */
static th_status prepare_format(sqlite_state *state, sqlite3_stmt **out, th_error *err,
                                const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *sql = sqlite3_vmprintf(format, args);
    va_end(args);
    th_status status = sql ? TH_OK : th__fail_memory(err);
    if (!status &&
        sqlite3_prepare_v3(state->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL) != SQLITE_OK)
        status = sql_fail(state, err);
    sqlite3_free(sql);
    return status;
}

/* The columns of a layout for a statement, each as the format says: ",\"a\" TEXT,\"b\" TEXT". The
 * caller frees it with sqlite3_free; NULL if out of memory. */
static char *list_columns(const th__layout *layout, const char *format)
{
    sqlite3_str *list = sqlite3_str_new(NULL);
    for (size_t i = 0; i < layout->columns.len; i++)
        sqlite3_str_appendf(list, format, layout->columns.data[i].ptr);
    int failed = sqlite3_str_errcode(list);
    char *text = sqlite3_str_finish(list);
    return text || failed ? text : sqlite3_mprintf("");
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Renaming onto a file with a live journal would have the journal played into the new file. */
static th_status refuse_journal(sqlite_state *state, const char *target, th_error *err)
{
    static const char *const suffixes[] = {"-wal", "-journal"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        th__buf name = {0};
        th__buf_printf(&name, "%s%s", target, suffixes[i]);
        th__buf_add_byte(&name, '\0');
        struct stat st;
        bool failed = name.failed, live = !failed && stat(name.data, &st) == 0 && st.st_size > 0;
        th__buf_release(&name);
        if (failed)
            return th__fail_memory(err);
        if (live)
            return th__fail(
                err, TH_ERR_IO,
                "cannot replace %s: it is in use or was not closed (%s%s exists); close "
                "the program that has it open, or remove both",
                state->path, target, suffixes[i]);
    }
    return TH_OK;
}

static th_status open_fresh(sqlite_state *state, th_error *err)
{
    state->fresh = true;
    th_status status = th__replacement_open(&state->file, state->path, err);
    if (!status && !state->file.temp)
        status = th__fail(err, TH_ERR_ARGUMENT, "sqlite needs a plain file, and %s is not one",
                          state->path);
    if (!status)
        status = refuse_journal(state, state->file.target, err);
    if (status)
        return status;
    /* Nobody else reads it, and it is locked already: see outfile.h. */
    if (sqlite3_open_v2(state->file.temp, &state->db, SQLITE_OPEN_READWRITE, "unix-none") !=
        SQLITE_OK)
        return state->db ? sql_fail(state, err) : th__fail_memory(err);
    /* The file is thrown away when anything fails, and synced before it is renamed. */
    return run(state, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN", err);
}

static th_status open_existing(sqlite_state *state, th_error *err)
{
    /* A name such as ":memory:" or "file:x" means something to SQLite unless it has a folder. */
    state->real = realpath(state->path, NULL);
    if (!state->real)
        return th__fail_memory(err);
    int opened = sqlite3_open_v2(state->real, &state->db, SQLITE_OPEN_READWRITE, NULL);
    if (opened != SQLITE_OK)
        return state->db ? sql_fail(state, err) : th__fail_memory(err);
    sqlite3_busy_timeout(state->db, BUSY_MS);
    return run(state, "BEGIN IMMEDIATE", err);
}

static th_status sqlite_open(th_writer *writer, th_error *err)
{
    sqlite_state *state = TH__NEW(sqlite_state);
    if (!state)
        return th__fail_memory(err);
    state->file.fd = -1;
    th__arena_init(&state->layouts);
    th__arena_init(&state->scratch);
    writer->state = state;
    state->path = writer->options.path;
    state->date = writer->options.date;
    state->upsert = writer->options.upsert;
    struct stat st;
    bool append = !writer->options.replace && stat(state->path, &st) == 0 && S_ISREG(st.st_mode) &&
                  st.st_size > 0;
    return append ? open_existing(state, err) : open_fresh(state, err);
}

static void drop_statements(th__layout *layout)
{
    sql_table *table = layout->form;
    if (table) {
        sqlite3_finalize(table->insert);
        sqlite3_finalize(table->find);
        sqlite3_finalize(table->update);
    }
    for (size_t i = 0; i < layout->children.len; i++)
        drop_statements(layout->children.data[i]);
}

static void drop_layout(sqlite_state *state)
{
    if (state->has_layout) {
        drop_statements(&state->layout);
        th__layout_release(&state->layout);
    }
    state->has_layout = false;
    th__arena_clear(&state->layouts);
}

/* Closing rolls back what is open, but not after an error of the disk: then SQLite leaves the
 * journal for the next one who opens the file. That had better be us, who may write to it. */
static void undo(sqlite_state *state)
{
    sqlite3 *db = NULL;
    if (sqlite3_open_v2(state->real, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK)
        sqlite3_exec(db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
    sqlite3_close(db);
}

static void sqlite_release(th_writer *writer)
{
    sqlite_state *state = writer->state;
    if (!state)
        return;
    drop_layout(state);
    sqlite3_close(state->db);
    if (state->db && !state->fresh)
        undo(state);
    free(state->real);
    th__replacement_release(&state->file);
    th__arena_release(&state->layouts);
    th__arena_release(&state->scratch);
    th__mem_free(state);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The lower-case names of the columns that a table of the file has; none when it does not exist. */
static th_status read_columns(sqlite_state *state, th_str table, th__intern *columns, th_error *err)
{
    sqlite3_stmt *query = NULL;
    th_status status = TH_OK;
    if (sqlite3_prepare_v2(state->db, "SELECT lower(name) FROM pragma_table_info(?)", -1, &query,
                           NULL) != SQLITE_OK ||
        sqlite3_bind_text64(query, 1, table.ptr, table.len, SQLITE_STATIC, SQLITE_UTF8) !=
            SQLITE_OK)
        status = sql_fail(state, err);
    int step = SQLITE_DONE;
    while (!status && (step = sqlite3_step(query)) == SQLITE_ROW) {
        th_str name = {(const char *)sqlite3_column_text(query, 0),
                       (size_t)sqlite3_column_bytes(query, 0)};
        if (!name.ptr || th__intern_add(columns, name) == TH__INTERN_NONE)
            status = th__fail_memory(err);
    }
    if (!status && step != SQLITE_DONE)
        status = sql_fail(state, err);
    sqlite3_finalize(query);
    return status;
}

static th_status create_table(sqlite_state *state, const th__layout *layout, th_str parent,
                              th_error *err)
{
    const char *name = layout->table.ptr;
    char *columns = list_columns(layout, ",\"%w\" TEXT");
    char *first =
        parent.ptr
            ? sqlite3_mprintf("\"parent\" INTEGER NOT NULL REFERENCES \"%w\"(\"id\")", parent.ptr)
            : sqlite3_mprintf("\"page\" TEXT%s",
                              state->date ? ",\"run\" INTEGER,\"run_date\" TEXT" : "");
    th_status status = columns && first
                           ? run_format(state, err,
                                        "CREATE TABLE \"%w\"(\"id\" INTEGER PRIMARY KEY,%s,"
                                        "\"position\" INTEGER NOT NULL%s)",
                                        name, first, columns)
                           : th__fail_memory(err);
    sqlite3_free(columns);
    sqlite3_free(first);
    if (!status && parent.ptr)
        status = run_format(state, err,
                            "CREATE INDEX IF NOT EXISTS \"%w_by_parent\" ON \"%w\"(\"parent\")",
                            name, name);
    return status;
}

static th_status add_column(sqlite_state *state, th_str table, th_str column, const char *type,
                            th_error *err)
{
    return run_format(state, err, "ALTER TABLE \"%w\" ADD COLUMN \"%w\" %s", table.ptr, column.ptr,
                      type);
}

/* Adds what a table of the file lacks. */
static th_status extend_table(sqlite_state *state, const th__layout *layout, bool child,
                              const th__intern *present, th_error *err)
{
    th_str name = layout->table;
    const th_str needed[] = {own_names[0], child ? own_names[2] : own_names[1], own_names[3]};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (th__intern_find(present, needed[i]) == TH__INTERN_NONE)
            return th__fail(err, TH_ERR_FORMAT,
                            "%s has a table \"%.*s\" of another kind, without a column \"%.*s\": "
                            "choose another table name or file, or replace the file",
                            state->path, TH_STR_ARG(name), TH_STR_ARG(needed[i]));
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < layout->columns.len; i++) {
        th_str column = layout->columns.data[i];
        char lowered[TH__COLUMN_NAME_MAX + 32];
        for (size_t c = 0; c < column.len; c++)
            lowered[c] = (char)th__lower((unsigned char)column.ptr[c]);
        if (th__intern_find(present, (th_str){lowered, column.len}) != TH__INTERN_NONE)
            continue;
        status = add_column(state, name, column, "TEXT", err);
    }
    for (size_t i = OWN_NAMES - RUN_NAMES; state->date && !child && !status && i < OWN_NAMES; i++)
        if (th__intern_find(present, own_names[i]) == TH__INTERN_NONE)
            status = add_column(state, name, own_names[i],
                                i == OWN_NAMES - RUN_NAMES ? "INTEGER" : "TEXT", err);
    return status;
}

/* The number of this run: one more than the last in the table. */
static th_status number_run(sqlite_state *state, th_str table, th_error *err)
{
    sqlite3_stmt *query = NULL;
    th_status status = prepare_format(
        state, &query, err, "SELECT coalesce(max(\"run\"), 0) + 1 FROM \"%w\"", table.ptr);
    if (!status && sqlite3_step(query) != SQLITE_ROW)
        status = sql_fail(state, err);
    if (!status)
        state->run = sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
    return status;
}

static th_status prepare_insert(sqlite_state *state, const th__layout *layout, bool child,
                                sql_table *table, th_error *err)
{
    char *columns = list_columns(layout, ",\"%w\""), *marks = list_columns(layout, ",?");
    bool of_run = state->date && !child;
    th_status status =
        columns && marks
            ? prepare_format(state, &table->insert, err,
                             "INSERT INTO \"%w\"(\"%s\",\"position\"%s%s) VALUES (?,?%s%s)",
                             layout->table.ptr, child ? "parent" : "page",
                             of_run ? ",\"run\",\"run_date\"" : "", columns, of_run ? ",?,?" : "",
                             marks)
            : th__fail_memory(err);
    sqlite3_free(columns);
    sqlite3_free(marks);
    return status;
}

/* What replacing the row of a key needs, an index on the key included. */
static th_status prepare_upsert(sqlite_state *state, const th__layout *layout, sql_table *table,
                                th_error *err)
{
    const char *key = state->upsert, *name = layout->table.ptr;
    while (table->key < layout->columns.len &&
           !th__str_eq(th_str_from(key), layout->columns.data[table->key]))
        table->key++;
    if (table->key == layout->columns.len)
        return TH_OK;
    state->key_seen = true;
    th_status status =
        run_format(state, err, "CREATE INDEX IF NOT EXISTS \"%w_by_%w\" ON \"%w\"(\"%w\")", name,
                   key, name, key);
    if (!status)
        status = prepare_format(state, &table->find, err,
                                "SELECT \"id\" FROM \"%w\" WHERE \"%w\"=? ORDER BY \"id\" LIMIT 1",
                                name, key);
    char *columns = status ? NULL : list_columns(layout, ",\"%w\"=?");
    if (!status)
        status =
            columns
                ? prepare_format(state, &table->update, err,
                                 "UPDATE \"%w\" SET \"page\"=?,\"position\"=?%s%s WHERE \"id\"=?",
                                 name, state->date ? ",\"run\"=?,\"run_date\"=?" : "", columns)
                : th__fail_memory(err);
    sqlite3_free(columns);
    return status;
}

/* Makes the table of a layout ready to take rows, and those below it. */
static th_status ready_table(sqlite_state *state, th__layout *layout, th_str parent, th_error *err)
{
    sql_table *table = th__arena_zero(&state->layouts, 1, sizeof *table);
    if (!table)
        return th__fail_memory(err);
    layout->form = table;
    th__intern present;
    th__intern_init(&present);
    th_status status = read_columns(state, layout->table, &present, err);
    if (!status)
        status = present.len ? extend_table(state, layout, parent.ptr, &present, err)
                             : create_table(state, layout, parent, err);
    th__intern_release(&present);
    if (!status && state->date && !state->run)
        status = number_run(state, layout->table, err);
    if (!status)
        status = prepare_insert(state, layout, parent.ptr, table, err);
    if (!status && state->upsert && !parent.ptr)
        status = prepare_upsert(state, layout, table, err);
    for (size_t i = 0; !status && i < layout->children.len; i++)
        status = ready_table(state, layout->children.data[i], layout->table, err);
    return status;
}

static th_status sqlite_schema(th_writer *writer, const th_schema *schema, th_error *err)
{
    sqlite_state *state = writer->state;
    drop_layout(state);
    state->has_layout = true;
    th_str name = th_str_from(writer->options.table);
    if (!th__layout_init(&state->layout, &state->layouts, th_schema_record_type(schema),
                         name.len ? name : TH_STR("records"), own_names,
                         state->date ? OWN_NAMES : OWN_NAMES - RUN_NAMES))
        return th__fail_memory(err);
    return ready_table(state, &state->layout, (th_str){0}, err);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int bind(sqlite3_stmt *insert, int at, th_str text)
{
    if (!text.ptr)
        return sqlite3_bind_null(insert, at);
    return sqlite3_bind_text64(insert, at, text.ptr, text.len, SQLITE_STATIC, SQLITE_UTF8);
}

/* The row of the table that has this record's key; 0: none. */
static th_status find_row(sqlite_state *state, const sql_table *table, const th_str *cells,
                          int64_t *row, th_error *err)
{
    *row = 0;
    if (!cells[table->key].ptr)
        return TH_OK;
    int code = bind(table->find, 1, cells[table->key]);
    if (code == SQLITE_OK)
        code = sqlite3_step(table->find);
    if (code == SQLITE_ROW)
        *row = sqlite3_column_int64(table->find, 0);
    th_status status = code == SQLITE_ROW || code == SQLITE_DONE ? TH_OK : sql_fail(state, err);
    sqlite3_reset(table->find);
    return status;
}

/* Removes the items of lists below the rows that `of`, a query or a number, names. */
static th_status delete_items(sqlite_state *state, const th__layout *layout, const char *of,
                              th_error *err)
{
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < layout->children.len; i++) {
        const th__layout *child = layout->children.data[i];
        char *rows = sqlite3_mprintf("FROM \"%w\" WHERE \"parent\" IN (%s)", child->table.ptr, of);
        char *items = rows ? sqlite3_mprintf("SELECT \"id\" %s", rows) : NULL;
        status = items ? delete_items(state, child, items, err) : th__fail_memory(err);
        if (!status)
            status = run_format(state, err, "DELETE %s", rows);
        sqlite3_free(rows);
        sqlite3_free(items);
    }
    return status;
}

/* Writes the lists inside a value as rows of their tables, under the row `parent`. */
static th_status insert_lists(sqlite_state *state, const th__slot *slot, const th_value *value,
                              int64_t parent, th_error *err);

static th_status insert_row(sqlite_state *state, const th__layout *layout, const th__slot *slot,
                            const th_value *value, th_str page, int64_t parent, size_t position,
                            th_error *err)
{
    const sql_table *table = layout->form;
    sqlite3_stmt *write = table->insert;
    size_t count = layout->columns.len;
    th__arena_clear(&state->scratch);
    th_str *cells = th__arena_zero(&state->scratch, count + 1, sizeof *cells);
    if (!cells || !th__layout_fill(layout, slot, value, (th_str){0}, &state->scratch, cells))
        return th__fail_memory(err);
    int64_t row = 0;
    th_status status = TH_OK;
    if (table->find)
        status = find_row(state, table, cells, &row, err);
    if (row) {
        char number[32];
        snprintf(number, sizeof number, "%lld", (long long)row);
        write = table->update;
        if (!status)
            status = delete_items(state, layout, number, err);
    }
    if (status)
        return status;
    int code = parent ? sqlite3_bind_int64(write, 1, parent) : bind(write, 1, page);
    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(write, 2, (int64_t)position);
    int first = state->date && !parent ? 5 : 3;
    if (code == SQLITE_OK && first == 5)
        code = sqlite3_bind_int64(write, 3, state->run);
    if (code == SQLITE_OK && first == 5)
        code = bind(write, 4, th_str_from(state->date));
    for (size_t i = 0; code == SQLITE_OK && i < count; i++)
        code = bind(write, (int)i + first, cells[i]);
    if (code == SQLITE_OK && row)
        code = sqlite3_bind_int64(write, (int)count + first, row);
    if (code == SQLITE_OK)
        code = sqlite3_step(write);
    status = code == SQLITE_DONE ? TH_OK : sql_fail(state, err);
    sqlite3_reset(write);
    sqlite3_clear_bindings(write);
    if (!row)
        row = sqlite3_last_insert_rowid(state->db);
    return status ? status : insert_lists(state, slot, value, row, err);
}

static th_status insert_lists(sqlite_state *state, const th__slot *slot, const th_value *value,
                              int64_t parent, th_error *err)
{
    th_status status = TH_OK;
    switch ((th_value_kind)value->kind) {
    case TH_VALUE_NULL:
    case TH_VALUE_TEXT:
        break;
    case TH_VALUE_LIST:
        for (uint32_t i = 0; !status && i < value->count; i++)
            status = insert_row(state, slot->child, slot->children, th__value_item(value, i),
                                (th_str){0}, parent, i + (size_t)1, err);
        break;
    case TH_VALUE_CHOICE:
        return insert_lists(state, &slot->children[value->which], th__value_item(value, 0), parent,
                            err);
    case TH_VALUE_TUPLE:
        for (uint32_t i = 0; !status && i < value->count; i++)
            status = insert_lists(state, &slot->children[i], th__value_item(value, i), parent, err);
    }
    return status;
}

static th_status sqlite_add(th_writer *writer, const th_records *records, th_error *err)
{
    sqlite_state *state = writer->state;
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < records->values.len; i++)
        status = insert_row(state, &state->layout, state->layout.root, records->values.data[i],
                            records->page, 0, i + 1, err);
    return status;
}

static th_status sqlite_finish(th_writer *writer, th_error *err)
{
    sqlite_state *state = writer->state;
    if (state->upsert && !state->key_seen)
        return th__fail(err, TH_ERR_ARGUMENT, TH__NO_KEY_COLUMN, state->upsert);
    drop_layout(state);
    th_status status = run(state, "COMMIT", err);
    if (status)
        return status;
    int code = sqlite3_close(state->db);
    state->db = NULL;
    if (code != SQLITE_OK)
        return th__fail(err, TH_ERR_IO, "cannot close %s: %s", state->path, sqlite3_errstr(code));
    return state->fresh ? th__replacement_commit(&state->file, err) : TH_OK;
}

const th__format_ops th__form_sqlite = {.own_file = true,
                                        .open = sqlite_open,
                                        .schema = sqlite_schema,
                                        .add = sqlite_add,
                                        .finish = sqlite_finish,
                                        .release = sqlite_release};
