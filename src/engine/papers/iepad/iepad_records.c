/* iepad_records.c: what a rule found, as records with texts and spans. */
#include "base/error.h"
#include "base/mem.h"
#include "data/schema.h"
#include "engine/papers/iepad/iepad_rule.h"

static const th_note notes[] = {
    [TH__IEPAD_VALUE_TEXT] = TH_NOTE_TEXT,
    [TH__IEPAD_VALUE_LINK] = TH_NOTE_URL,
    [TH__IEPAD_VALUE_IMAGE] = TH_NOTE_IMAGE,
};

/* The chosen fields as the tuple has them: texts, then links and images, so that what a reader
 * reads stays together. Gives how many; NULL in *fields without memory. The caller frees. */
static size_t order_fields(const th__iepad_rule *rule, uint32_t **fields)
{
    size_t count = 0;
    *fields = TH__NEW_ARRAY(uint32_t, (size_t)rule->field_count + 1);
    for (int links = 0; *fields && links < 2; links++)
        for (uint32_t i = 0; i < rule->field_count; i++)
            if (rule->fields[i].chosen &&
                (rule->fields[i].kind != TH__IEPAD_VALUE_TEXT) == (links > 0))
                (*fields)[count++] = i;
    return count;
}

th_status th__iepad_schema(const th__iepad_rule *rule, th_schema **out, th_error *err)
{
    th_schema *schema;
    th_status status = th_schema_new(&schema, err);
    if (status)
        return status;
    uint32_t *fields;
    size_t count = order_fields(rule, &fields);
    th_type **members = TH__NEW_ARRAY(th_type *, count + 1);
    if (!members || !fields) {
        th__mem_free(members);
        th__mem_free(fields);
        th_schema_free(schema);
        return th__fail_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        const th__iepad_field *field = &rule->fields[fields[i]];
        members[i] = th_schema_optional(
            schema, th_schema_field(schema, th_str_from(field->name), notes[field->kind]));
    }
    th_str none = {NULL, 0};
    if (count == 0)
        status = th__fail(err, TH_ERR_ARGUMENT,
                          "the rule has no field to extract; choose at least one of its slots");
    else
        status = th_schema_finish(
            schema, th_schema_list(schema, none, th_schema_tuple(schema, none, members, count)),
            err);
    th__mem_free(members);
    th__mem_free(fields);
    if (status)
        th_schema_free(schema);
    else
        *out = schema;
    return status;
}

/* The text of a cell as a reader, or a browser, takes it. */
static th_status cell_text(const th_page *page, th_span span, uint8_t kind, th_text *text,
                           th_text *spare, th_error *err)
{
    if (kind == TH__IEPAD_VALUE_TEXT)
        return th_page_span_text(page, span, text, err);
    th_status status = th_attr_text(th__page_slice(page, span.start, span.end), spare, err);
    return status ? status : th_page_resolve(page, (th_str){spare->ptr, spare->len}, text, err);
}

static th_status fill(const th__iepad_rule *rule, const th_page *page, const th__iepad_table *table,
                      th_records *records, th_error *err)
{
    th_text text = {0}, spare = {0};
    uint32_t *fields;
    size_t members = order_fields(rule, &fields);
    th_status status = fields ? TH_OK : th__fail_memory(err);
    for (uint32_t i = 0; !status && i < table->count; i++) {
        th_value *tuple = th_records_add(records);
        const th__iepad_record *record = &table->records[i];
        th_span whole = {page->tokens[record->first].start, page->tokens[record->last + 1].start};
        if (tuple)
            th_value_set_span(tuple, whole);
        for (size_t member = 0; !status && member < members; member++) {
            th_span span = table->cells[(size_t)i * table->fields + fields[member]].span;
            if (span.end <= span.start)
                continue;
            status = cell_text(page, span, rule->fields[fields[member]].kind, &text, &spare, err);
            if (!status && tuple && text.len > 0)
                th_records_set_text(records, th_value_slot(tuple, member),
                                    (th_str){text.ptr, text.len}, span);
        }
    }
    th_text_release(&text);
    th_text_release(&spare);
    th__mem_free(fields);
    return status ? status : th_records_status(records, err);
}

th_status th__iepad_records(const th__iepad_rule *rule, const th_page *page,
                            const th_records_source *source, th_records **out, th_error *err)
{
    th_schema *schema;
    th_status status = th__iepad_schema(rule, &schema, err);
    if (status)
        return status;
    status = th__iepad_extract(rule, schema, page, source, out, err);
    th_schema_free(schema);
    return status;
}

th_status th__iepad_extract(const th__iepad_rule *rule, const th_schema *schema,
                            const th_page *page, const th_records_source *source, th_records **out,
                            th_error *err)
{
    th__iepad_table table = {0};
    th_records *records = NULL;
    th_status status = th__iepad_run(rule, page, &table, err);
    if (!status)
        status = th_records_new(schema, source, &records, err);
    if (!status)
        status = fill(rule, page, &table, records, err);
    th__iepad_table_release(&table);
    if (status)
        th_records_free(records);
    else
        *out = records;
    return status;
}

bool th__iepad_schema_fits(const th__iepad_rule *rule, const th_schema *schema, bool *fits)
{
    const th_type *tuple = th_schema_record_type(schema);
    uint32_t *fields;
    size_t count = order_fields(rule, &fields);
    *fits = tuple->kind == TH_TYPE_TUPLE && count == tuple->count && count > 0;
    for (size_t i = 0; fields && *fits && i < count; i++) {
        const th_type *type = th__type_strip(tuple->children[i]);
        *fits = type->kind == TH_TYPE_FIELD &&
                th__str_eq(th_type_name(type), th_str_from(rule->fields[fields[i]].name));
    }
    bool ok = fields;
    th__mem_free(fields);
    return ok;
}
