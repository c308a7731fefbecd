/*
 * writer.c: the common part of all forms of output, and columns with what texts mean beside the
 * texts:
 *
 *     price           price_value  price_currency
 *     "from $1,299"   1299         "$"
 *
 * Which fields get such columns follows from the notes of the schema alone, so that all pages of a
 * wrapper have the same columns; how values are read follows from all values of a field on the page
 * (see value_types.h). A field inside of a list gets none: which item a number belongs to would be
 * lost where some have none.
 *
 * Somebody who said what a field is (see wrapper/select.h) gets its columns always; those of other
 * fields are for who asks for them.
 */
#include "data/writer.h"

#include <strings.h>

#include "base/error.h"
#include "base/key_map.h"
#include "base/mem.h"
#include "data/value_types.h"

/* The columns that a note brings, by what is behind the field's name. */
enum { EXTRA_MOST = 2 };
static const char *const extras[][EXTRA_MOST] = {
    [TH_NOTE_TEXT] = {NULL},
    [TH_NOTE_NUMBER] = {"_value"},
    [TH_NOTE_PRICE] = {"_value", "_currency"},
    [TH_NOTE_DATE] = {"_iso"},
};

/* How many columns a member of a tuple brings; `all`: whether or not somebody said what it is. */
static uint32_t extra_count(const th_type *member, bool all)
{
    member = th__type_strip(member);
    uint32_t count = 0;
    if (member->kind != TH_TYPE_FIELD || member->note >= sizeof extras / sizeof *extras ||
        (!all && !member->typed))
        return 0;
    while (count < EXTRA_MOST && extras[member->note][count])
        count++;
    return count;
}

/* ---- typed columns: the schema --------------------------------------------------------------- */

/* A field for what a member means, with a name that the tuple does not have: price_value,
 * price_value_2. */
static th_type *make_extra(th_schema *to, const th_type *tuple, uint32_t member, uint32_t extra)
{
    const th_type *field = th__type_strip(tuple->children[member]);
    th_str key = tuple->keys[member].names[0];
    const char *ending = extras[field->note][extra];
    bool number = extra == 0 && field->note != TH_NOTE_DATE;
    th_str name = th__arena_print(&to->arena, "%.*s%s", TH_STR_ARG(key), ending);
    for (unsigned n = 2; name.ptr && th__type_find_key(tuple, name) < tuple->count; n++)
        name = th__arena_print(&to->arena, "%.*s%s_%u", TH_STR_ARG(key), ending, n);
    if (!name.ptr && !to->failure.status)
        th__fail_memory(&to->failure);
    th_type *made =
        name.ptr ? th_schema_field(to, name, number ? TH_NOTE_NUMBER : TH_NOTE_TEXT) : NULL;
    return made ? th_schema_optional(to, made) : NULL;
}

static th_type *make_typed(th_schema *to, const th_type *type, bool all)
{
    size_t most = type->count + 1, count = 0;
    for (uint32_t i = 0; type->kind == TH_TYPE_TUPLE && i < type->count; i++)
        most += extra_count(type->children[i], all);
    th_type **children = th__arena_zero(&to->arena, most, sizeof *children);
    if (!children) {
        if (!to->failure.status)
            th__fail_memory(&to->failure);
        return NULL;
    }
    for (uint32_t i = 0; i < type->count; i++) {
        children[count++] = make_typed(to, type->children[i], all); /* as deep as schemas are */
        for (uint32_t e = 0; type->kind == TH_TYPE_TUPLE && e < extra_count(type->children[i], all);
             e++)
            children[count++] = make_extra(to, type, i, e);
    }
    return th__type_like(to, type, children, count);
}

static th_status make_typed_schema(const th_schema *schema, bool all, th_schema **out,
                                   th_error *err)
{
    th_schema *typed;
    *out = NULL;
    th_status status = th_schema_new(&typed, err);
    if (status)
        return status;
    status = th_schema_finish(typed, make_typed(typed, schema->root, all), err);
    if (status)
        th_schema_free(typed);
    else
        *out = typed;
    return status;
}

th_status th_schema_typed(const th_schema *schema, th_schema **out, th_error *err)
{
    return make_typed_schema(schema, true, out, err);
}

/* Returns true if a field in it always gets the columns of --types. */
static bool has_typed(const th_type *type)
{
    bool has = type->typed;
    for (uint32_t i = 0; !has && i < type->count; i++)
        has = has_typed(type->children[i]);
    return has;
}

/* ---- typed columns: the records -------------------------------------------------------------- */

/* What is known of fields while records are read. */
struct typer {
    th_records *to;
    bool all;
    th__key_map numbers; /* by the address of a field's type: 1 + its style */
    TH__VEC(th__value_style) styles;
    th__buf text;
    bool failed;
};

static th__value_style *style_of(struct typer *t, const th_type *type)
{
    uint32_t number = th__key_map_number(&t->numbers, (uint64_t)(uintptr_t)type);
    if (!number || (number > t->styles.len && !th__vec_push(&t->styles, (th__value_style){0}))) {
        t->failed = true;
        return NULL;
    }
    return &t->styles.data[number - 1];
}

static void learn_styles(struct typer *t, const th_value *value)
{
    uint32_t items =
        value->kind == TH_VALUE_TEXT || value->kind == TH_VALUE_NULL ? 0 : value->count;
    if (value->kind == TH_VALUE_TEXT && extra_count(value->type, t->all)) {
        th__value_style *style = style_of(t, value->type);
        if (style)
            th__value_style_learn(style, th__value_text(value));
    }
    for (uint32_t i = 0; i < items; i++)
        learn_styles(t, th__value_item(value, i));
}

static void set_extra(struct typer *t, th_value *slot, th_str text, bool number)
{
    if (!slot || !text.len)
        return;
    th_records_set_text(t->to, slot, text, (th_span){0, 0});
    slot->number = number && slot->kind == TH_VALUE_TEXT;
}

/* Fills the slots behind that of a text. */
static uint32_t add_meaning(void *context, const th_value *tuple, uint32_t member, th_value *slots)
{
    struct typer *t = context;
    const th_value *from = &tuple->members[member];
    uint32_t count = extra_count(tuple->type->children[member], t->all);
    bool text = count && from->kind == TH_VALUE_TEXT;
    th__value_style *style = text ? style_of(t, from->type) : NULL;
    th_str currency = {0};
    th__buf_clear(&t->text);
    if (!style)
        return count;
    if (from->type->note == TH_NOTE_DATE) {
        if (th__date_read(style, th__value_text(from), &t->text) == TH__DATE_READ)
            set_extra(t, &slots[0], th__buf_str(&t->text), false);
    } else if (th__number_read(style, th__value_text(from), &t->text, &currency)) {
        set_extra(t, &slots[0], th__buf_str(&t->text), true);
        if (from->type->note == TH_NOTE_PRICE)
            set_extra(t, &slots[1], currency, false);
    }
    t->failed |= t->text.failed;
    return count;
}

static th_status make_typed_records(const th_records *records, const th_schema *schema, bool all,
                                    th_records **out, th_error *err)
{
    th_records_source source = {records->page, records->url};
    struct typer t = {.all = all};
    th_schema *own = NULL;
    *out = NULL;
    th_status status = schema ? TH_OK : make_typed_schema(records->schema, all, &own, err);
    if (!status)
        status = th_records_new(schema ? schema : own, &source, &t.to, err);
    for (size_t i = 0; !status && i < records->values.len; i++)
        learn_styles(&t, records->values.data[i]);
    th__copying copying = {t.to, true, add_meaning, &t};
    for (size_t i = 0; !status && i < records->values.len; i++)
        th__value_copy(&copying, th_records_add(t.to), records->values.data[i]);
    if (!status)
        status = t.failed ? th__fail_memory(err) : th_records_status(t.to, err);
    if (!status)
        t.to->explained = records->explained;
    if (status)
        th_records_free(t.to);
    else
        *out = t.to;
    th__key_map_release(&t.numbers);
    th__vec_release(&t.styles);
    th__buf_release(&t.text);
    th_schema_free(own);
    return status;
}

th_status th_records_typed(const th_records *records, const th_schema *schema, th_records **out,
                           th_error *err)
{
    return make_typed_records(records, schema, true, out, err);
}

/* Returns true if records of a schema get columns with what texts mean. */
static bool gets_columns(bool types, const th_schema *schema)
{
    return types || has_typed(schema->root);
}

th_status th__records_typed(const th_records *records, bool all, th_records **out, th_error *err)
{
    *out = NULL;
    return gets_columns(all, records->schema) ? make_typed_records(records, NULL, all, out, err)
                                              : TH_OK;
}

/* ---- formats --------------------------------------------------------------------------------- */

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

/* Copies the strings of the options into the writer. */
static th_status copy_options(th_writer *writer, const th_writer_options *given, th_error *err)
{
    th_writer_options *options = &writer->options;
    *options = *given;
    options->schema = NULL;
    if (given->schema && gets_columns(given->types, given->schema)) {
        th_schema *typed;
        th_status status = make_typed_schema(given->schema, given->types, &typed, err);
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

/* ---- the page's key -------------------------------------------------------------------------- */

static bool has_key(const th_type *type, th_str key)
{
    type = th__type_strip(type);
    if (type->kind == TH_TYPE_TUPLE)
        return th__type_find_key(type, key) < type->count;
    for (uint32_t i = 0; type->kind == TH_TYPE_CHOICE && i < type->count; i++)
        if (has_key(type->children[i], key))
            return true;
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
        writer->page_key = th__arena_print(&writer->arena, "%s_%u", wanted.ptr, n);
        if (!writer->page_key.ptr)
            return th__fail_memory(err);
    }
    return TH_OK;
}

/* Makes records' schema the current one, calling the form's `schema` when it differs. */
static th_status set_schema(th_writer *writer, const th_schema *schema, th_error *err)
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

/* ---- opening and closing --------------------------------------------------------------------- */

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
        status = set_schema(writer, writer->options.schema, err);
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

/* ---- adding ---------------------------------------------------------------------------------- */

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
    status = th__records_typed(records, writer->options.types, &typed, &failure);
    records = typed ? typed : records;
    if (!status)
        status = set_schema(writer, records->schema, &failure);
    if (!status)
        status = writer->form->add(writer, records, &failure);
    if (!status)
        status = th__writer_flush(writer, &failure);
    th_records_free(typed);
    return settle(writer, status, &failure, err);
}

/* Adds a region, with types beside its texts if they are wanted. */
static th_status add_region(th_writer *writer, th_str page, const th_region *region, size_t number,
                            th_error *err)
{
    th_records *typed = NULL;
    th_region own = *region;
    th_status status = TH_OK;
    if (writer->options.types)
        status = th_records_typed(region->records, NULL, &typed, err);
    own.records = typed ? typed : region->records;
    if (!status)
        status = set_schema(writer, own.records->schema, err);
    if (!status)
        status = writer->form->region(writer, page, &own, number, err);
    if (!status)
        status = th__writer_flush(writer, err);
    th_records_free(typed);
    return status;
}

th_status th_writer_add_regions(th_writer *writer, th_str page, const th_region *regions,
                                size_t count, th_error *err)
{
    const th__format_ops *form = writer->form;
    th_error failure = {0};
    th_status status = refuse_broken(writer, err);
    for (size_t i = 0; !status && i < count; i++)
        status = th_records_status(regions[i].records, err);
    if (status)
        return status;
    if (!form->region)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "%s contains one list, not several regions: use table, pages, ndjson or "
                        "json",
                        th_format_name(writer->format));
    if (form->begin_regions)
        status = form->begin_regions(writer, page, &failure);
    for (size_t i = 0; !status && i < count; i++)
        status = add_region(writer, page, &regions[i], i + 1, &failure);
    if (!status && form->end_regions)
        status = form->end_regions(writer, &failure);
    if (!status)
        status = th__writer_flush(writer, &failure);
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
