/* writer.c: the common part of all forms of output. */
#include "data/writer.h"

#include <strings.h>

#include "base/error.h"
#include "base/mem.h"

static const struct {
    const char *name;
    const th__format_ops *form;
} formats[] = {
    [TH_FORMAT_TABLE] = {"table", &th__form_table},
    [TH_FORMAT_CSV] = {"csv", &th__form_csv},
    [TH_FORMAT_NDJSON] = {"ndjson", &th__form_ndjson},
    [TH_FORMAT_JSON] = {"json", &th__form_json},
    [TH_FORMAT_PAGES] = {"pages", &th__form_pages},
    [TH_FORMAT_SQLITE] = {"sqlite", THRESH_STORE ? &th__form_sqlite : NULL},
    [TH_FORMAT_TSV] = {"tsv", &th__form_tsv},
    [TH_FORMAT_MARKDOWN] = {"markdown", &th__form_markdown},
    [TH_FORMAT_HTML] = {"html", &th__form_html},
    [TH_FORMAT_XLSX] = {"xlsx", THRESH_XLSX ? &th__form_xlsx : NULL},
};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const char *th_format_name(th_format format)
{
    return (unsigned)format < FORMAT_COUNT ? formats[format].name : NULL;
}

bool th_format_find(th_str name, th_format *out)
{
    for (unsigned i = 0; i < FORMAT_COUNT; i++) {
        if (th__str_eq(name, th_str_from(formats[i].name))) {
            *out = (th_format)i;
            return true;
        }
    }
    return false;
}

static const struct {
    const char *ending;
    th_format format;
} endings[] = {
    {".csv", TH_FORMAT_CSV},       {".tsv", TH_FORMAT_TSV},        {".ndjson", TH_FORMAT_NDJSON},
    {".jsonl", TH_FORMAT_NDJSON},  {".json", TH_FORMAT_JSON},      {".txt", TH_FORMAT_TABLE},
    {".sqlite", TH_FORMAT_SQLITE}, {".sqlite3", TH_FORMAT_SQLITE}, {".db", TH_FORMAT_SQLITE},
    {".md", TH_FORMAT_MARKDOWN},   {".html", TH_FORMAT_HTML},      {".htm", TH_FORMAT_HTML},
    {".xlsx", TH_FORMAT_XLSX},
};

const char *th_format_ending(size_t index, th_format *format)
{
    if (index >= sizeof endings / sizeof *endings)
        return NULL;
    *format = endings[index].format;
    return endings[index].ending;
}

bool th_format_of_path(const char *path, th_format *out)
{
    size_t len = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t tail = strlen(endings[i].ending);
        if (len > tail && !strcasecmp(path + len - tail, endings[i].ending)) {
            *out = endings[i].format;
            return true;
        }
    }
    return false;
}

static const th_writer_options writer_defaults = {.table = "records", .separator = " | "};

void th_writer_options_defaults(th_writer_options *options, size_t size)
{
    th__options_give(options, size, &writer_defaults, sizeof writer_defaults);
}

/* Returns true if records of a schema get columns with what texts mean. */
static bool gets_columns(bool types, const th_schema *schema)
{
    return types || th__type_has_typed(schema->root);
}

/* Copies the strings of the options into the writer. */
static th_status copy_options(th_writer *writer, const th_writer_options *given, th_error *err)
{
    th_writer_options *options = &writer->options;
    *options = *given;
    options->schema = NULL;
    if (given->schema && gets_columns(given->types, given->schema)) {
        th_schema *typed;
        th_status status = th__schema_typed(given->schema, given->types, &typed, err);
        if (status)
            return status;
        options->schema = typed;
    } else {
        options->schema = th_schema_retain(given->schema);
    }
    const char **strings[] = {&options->path,      &options->page_key, &options->table,
                              &options->separator, &options->date,     &options->upsert};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        if (!*strings[i])
            continue;
        *strings[i] = th__arena_copy(&writer->arena, th_str_from(*strings[i])).ptr;
        if (!*strings[i])
            return th__fail_memory(err);
    }
    return TH_OK;
}

static th_status check_options(th_format format, const th_writer_options *options, th_error *err)
{
    if ((unsigned)format >= FORMAT_COUNT)
        return th__fail(err, TH_ERR_ARGUMENT, "unknown output format number %d", (int)format);
    if (!formats[format].form)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "cannot write %s: this library was built without %s. Choose another format",
                        formats[format].name,
                        format == TH_FORMAT_SQLITE ? "SQLite" : "libxlsxwriter");
    if (options->schema && !options->schema->root)
        return th__fail(err, TH_ERR_ARGUMENT, "a writer needs a finished schema, or none");
    if (!options->path && formats[format].form->own_file)
        return th__fail(err, TH_ERR_ARGUMENT, "%s needs a file to write to: name one",
                        formats[format].name);
    if (!options->path && !options->sink.write)
        return th__fail(err, TH_ERR_ARGUMENT, "a writer needs a file or a sink to write to");
    bool adds = options->append || options->upsert;
    const th__row_ops *rows = formats[format].form->rows;
    if (adds && format != TH_FORMAT_SQLITE && !(rows && rows->read && options->path))
        return th__fail(err, TH_ERR_ARGUMENT,
                        "rows can be added to files of csv, tsv and sqlite, not to %s%s",
                        rows && rows->read ? "an output without a name" : formats[format].name,
                        format == TH_FORMAT_NDJSON ? " (with a shell, use >>)" : "");
    if (options->path && !*options->path)
        return th__fail(err, TH_ERR_ARGUMENT, "the name of the output file is empty");
    return TH_OK;
}

th_status th_writer_new(th_format format, const th_writer_options *options, th_writer **out,
                        th_error *err)
{
    th_writer_options own = writer_defaults;
    *out = NULL;
    th__options_take(&own, sizeof own, options);
    th_status status = check_options(format, &own, err);
    if (status)
        return status;
    th_writer *writer = TH__NEW(th_writer);
    if (!writer)
        return th__fail_memory(err);
    writer->form = formats[format].form;
    writer->format = format;
    th__arena_init(&writer->arena);
    status = copy_options(writer, &own, err);
    writer->sink = writer->options.sink;
    if (!status && !writer->form->own_file && writer->options.path) {
        status = th_file_new(writer->options.path, &writer->file, err);
        writer->sink = th_file_sink(writer->file);
    }
    if (!status && writer->form->open)
        status = writer->form->open(writer, err);
    if (!status && writer->options.schema)
        status = th__writer_set_schema(writer, writer->options.schema, err);
    if (status) {
        th_writer_free(writer);
        return status;
    }
    *out = writer;
    return TH_OK;
}

void th_writer_free(th_writer *writer)
{
    if (!writer)
        return;
    if (writer->form->release)
        writer->form->release(writer);
    th_file_free(writer->file);
    th__buf_release(&writer->buf);
    th_schema_free(writer->current);
    th_schema_free((th_schema *)writer->options.schema);
    th__arena_release(&writer->arena);
    th__mem_free(writer);
}

/* ---- the page's key ---- */

static bool has_key(const th_type *type, th_str key)
{
    type = th__type_strip(type);
    for (uint32_t i = 0; i < type->count; i++) {
        if (type->kind == TH_TYPE_CHOICE && has_key(type->children[i], key))
            return true;
        for (uint32_t k = 0; type->kind == TH_TYPE_TUPLE && k < type->keys[i].count; k++)
            if (th__str_eq(type->keys[i].names[k], key))
                return true;
    }
    return false;
}

/* The page's key as the user wants it, or with a number when the record has one of that name. */
static th_status choose_page_key(th_writer *writer, const th_type *record, th_error *err)
{
    if (!writer->options.page_key)
        return TH_OK;
    th_str wanted = th_str_from(writer->options.page_key);
    writer->page_key = wanted;
    for (unsigned n = 2; has_key(record, writer->page_key); n++) {
        th__buf name = {0};
        th__buf_printf(&name, "%s_%u", wanted.ptr, n);
        writer->page_key =
            name.failed ? (th_str){0} : th__arena_copy(&writer->arena, th__buf_str(&name));
        th__buf_release(&name);
        if (!writer->page_key.ptr)
            return th__fail_memory(err);
    }
    return TH_OK;
}

th_status th__writer_set_schema(th_writer *writer, const th_schema *schema, th_error *err)
{
    if (writer->current && th_schema_equal(writer->current, schema))
        return TH_OK;
    th_schema_free(writer->current);
    writer->current = th_schema_retain(schema);
    th_status status = choose_page_key(writer, th_schema_record_type(schema), err);
    if (!status && writer->form->schema)
        status = writer->form->schema(writer, schema, err);
    return status;
}

/* ---- adding ---- */

/* Writes the buffer if it has at least `least` bytes. */
static th_status flush(th_writer *writer, size_t least, th_error *err)
{
    if (writer->buf.failed)
        return th__fail_memory(err);
    if (writer->buf.len < least || !writer->buf.len)
        return TH_OK;
    th_status status =
        writer->sink.write(writer->sink.context, writer->buf.data, writer->buf.len, err);
    th__buf_clear(&writer->buf);
    return status;
}

th_status th__writer_flush(th_writer *writer, th_error *err)
{
    enum { CHUNK = 1 << 16 };
    return flush(writer, CHUNK, err);
}

/* Keeps the first failure: the output is broken from there on. */
static th_status settle(th_writer *writer, th_status status, const th_error *failure, th_error *err)
{
    if (!status)
        return TH_OK;
    writer->failure = *failure;
    writer->failure.status = status;
    if (err)
        *err = writer->failure;
    return status;
}

static th_status refuse_broken(const th_writer *writer, th_error *err)
{
    if (writer->failure.status && err)
        *err = writer->failure;
    if (writer->failure.status)
        return writer->failure.status;
    return writer->finished ? th__fail(err, TH_ERR_ARGUMENT, "the output is already finished")
                            : TH_OK;
}

th_status th_writer_add(th_writer *writer, const th_records *records, th_error *err)
{
    th_error failure = {0};
    th_records *typed = NULL;
    th_status status = refuse_broken(writer, err);
    if (!status)
        status = th_records_status(records, err);
    if (status)
        return status;
    if (gets_columns(writer->options.types, records->schema))
        status = th__records_typed(records, NULL, writer->options.types, &typed, &failure);
    records = typed ? typed : records;
    if (!status)
        status = th__writer_set_schema(writer, records->schema, &failure);
    if (!status)
        status = writer->form->add(writer, records, &failure);
    if (!status)
        status = th__writer_flush(writer, &failure);
    th_records_free(typed);
    return settle(writer, status, &failure, err);
}

/* Regions with types beside their texts, and records of their own. NULL if something failed. */
static th_region *type_regions(const th_region *regions, size_t count, th_error *err)
{
    th_region *typed = TH__NEW_ARRAY(th_region, count + 1);
    th_status status = typed ? TH_OK : th__fail_memory(err);
    for (size_t i = 0; !status && i < count; i++) {
        th_records *records;
        typed[i] = regions[i];
        status = th_records_typed(regions[i].records, NULL, &records, err);
        typed[i].records = records;
    }
    if (!status)
        return typed;
    for (size_t i = 0; typed && i < count && typed[i].records; i++)
        th_records_free((th_records *)typed[i].records);
    th__mem_free(typed);
    return NULL;
}

th_status th_writer_add_regions(th_writer *writer, th_str page, const th_region *regions,
                                size_t count, th_error *err)
{
    th_error failure = {0};
    th_status status = refuse_broken(writer, err);
    for (size_t i = 0; !status && i < count; i++)
        status = th_records_status(regions[i].records, err);
    if (status)
        return status;
    if (!writer->form->add_regions)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "%s contains one list, not several regions: use table, pages, ndjson or "
                        "json",
                        th_format_name(writer->format));
    th_region *typed = writer->options.types ? type_regions(regions, count, &failure) : NULL;
    if (writer->options.types && !typed)
        status = failure.status;
    if (!status)
        status = writer->form->add_regions(writer, page, typed ? typed : regions, count, &failure);
    if (!status)
        status = th__writer_flush(writer, &failure);
    for (size_t i = 0; typed && i < count; i++)
        th_records_free((th_records *)typed[i].records);
    th__mem_free(typed);
    return settle(writer, status, &failure, err);
}

th_status th_writer_flush(th_writer *writer, th_error *err)
{
    th_error failure = {0};
    th_status status = refuse_broken(writer, err);
    if (status)
        return status;
    return settle(writer, flush(writer, 0, &failure), &failure, err);
}

th_status th_writer_finish(th_writer *writer, th_error *err)
{
    th_error failure = {0};
    th_status status = refuse_broken(writer, err);
    if (status)
        return status;
    if (writer->form->finish)
        status = writer->form->finish(writer, &failure);
    if (!status)
        status = flush(writer, 0, &failure);
    if (!status && writer->file)
        status = th_file_finish(writer->file, &failure);
    writer->finished = !status;
    return settle(writer, status, &failure, err);
}
