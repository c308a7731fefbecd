/* select.c: selects which parts of an engine's records a wrapper outputs. */
#include "wrapper/select.h"

#include "base/error.h"
#include "base/mem.h"
#include "page/text.h"

/* ---- what follows from the fields ------------------------------------------------------------ */

/* The type of a text, or of the items of a list of texts; NULL for others. */
static const th_type *text_type(const th_type *type)
{
    type = th__type_strip(type);
    if (type->kind == TH_TYPE_LIST)
        type = th__type_strip(type->children[0]);
    return type->kind == TH_TYPE_FIELD ? type : NULL;
}

static bool has_item(const th__select_field *field)
{
    return field->begins.len || field->item;
}

uint32_t th__select_item(const th__select_field *field, const th_value *list)
{
    uint32_t i = 0;
    if (field->item)
        return field->item > list->count ? list->count
               : field->from_end         ? list->count - field->item
                                         : field->item - 1;
    while (i < list->count &&
           !th__str_starts(th__value_text(th__value_item(list, i)), field->begins))
        i++;
    return i;
}

static bool is_whole(const th__select_field *field)
{
    return th__cut_is_whole(&field->cut) && !has_item(field);
}

/* Returns true if a field takes its one member as it is, whatever that is. */
static bool takes_any(const th__select_field *field)
{
    return field->name.len && field->from_count == 1 && is_whole(field) && !field->join &&
           !field->part_count && !field->type;
}

/* Parts have no parts. */
static th_status find_members(th__select *select, th__select_field *field, const th_type *tuple,
                              th__arena *arena, th_error *err)
{
    th_status status = TH_OK;
    for (uint32_t i = 0; !status && i < field->part_count; i++)
        status = find_members(select, &field->parts[i], tuple, arena, err);
    if (status)
        return status;
    field->members = th__arena_zero(arena, field->from_count + 1, sizeof *field->members);
    if (!field->members)
        return th__fail_memory(err);
    for (uint32_t i = 0; i < field->from_count; i++) {
        uint32_t m = 0;
        while (m < tuple->count && !th__str_eq(th_type_name(tuple->children[m]), field->from[i]))
            m++;
        field->nested = m < tuple->count && !text_type(tuple->children[m]);
        if (m == tuple->count || (field->nested && !takes_any(field)))
            return th__fail(err, TH_ERR_FORMAT,
                            "the schema has no text or list of texts named \"%.*s\"",
                            TH_STR_ARG(field->from[i]));
        field->members[i] = m;
        select->taken[m] |= is_whole(field);
    }
    return TH_OK;
}

/* The type that a user has set, or else the type of all members if they agree. */
static th_note note_of(const th__select_field *field, const th_type *tuple)
{
    static const th_note said[] = {[TH__SELECT_TEXT] = TH_NOTE_TEXT,
                                   [TH__SELECT_NUMBER] = TH_NOTE_NUMBER,
                                   [TH__SELECT_PRICE] = TH_NOTE_PRICE,
                                   [TH__SELECT_DATE] = TH_NOTE_DATE};
    th_note note = TH_NOTE_TEXT;
    if (field->type)
        return said[field->type];
    for (uint32_t i = 0; i < field->from_count; i++) {
        th_note other = (th_note)text_type(tuple->children[field->members[i]])->note;
        if (i && other != note)
            return TH_NOTE_TEXT;
        note = other;
    }
    return th__cut_is_whole(&field->cut) ? note : TH_NOTE_TEXT;
}

static th_status make_schema(th__select *select, const th_schema *inner, th_error *err)
{
    const th_type *tuple = th__type_strip(th_schema_record_type(inner));
    bool many = th__type_strip(th_schema_root(inner))->kind == TH_TYPE_LIST;
    th_schema *schema;
    th_status status = th_schema_new(&schema, err);
    if (status)
        return status;
    th_type **members = TH__NEW_ARRAY(th_type *, select->count + 1);
    if (!members) {
        th_schema_free(schema);
        return th__fail_memory(err);
    }
    for (uint32_t i = 0; i < select->count; i++) {
        const th__select_field *field = &select->fields[i];
        th_type *type;
        if (field->nested)
            type = th__type_copy(schema, tuple->children[field->members[0]], field->name);
        else if (field->list || field->rest)
            type = th_schema_list(schema, field->name,
                                  th_schema_field(schema, (th_str){0}, note_of(field, tuple)));
        else
            type = th_schema_field(schema, field->name, note_of(field, tuple));
        if (type && field->type && type->kind == TH_TYPE_FIELD)
            type->typed = true;
        bool always = field->from_count == 1 && is_whole(field) &&
                      tuple->children[field->members[0]]->kind != TH_TYPE_OPTIONAL;
        members[i] = always ? type : th_schema_optional(schema, type);
    }
    th_type *record = th_schema_tuple(schema, (th_str){0}, members, select->count);
    status =
        th_schema_finish(schema, many ? th_schema_list(schema, (th_str){0}, record) : record, err);
    th__mem_free(members);
    if (status)
        th_schema_free(schema);
    else
        select->schema = schema;
    return status;
}

th_status th__select_prepare(th__select *select, const th_schema *inner, th__arena *arena,
                             th_error *err)
{
    const th_type *tuple = th__type_strip(th_schema_record_type(inner));
    if (tuple->kind != TH_TYPE_TUPLE)
        return th__fail(err, TH_ERR_FORMAT, "a selection needs a schema whose records are tuples");
    select->taken = th__arena_zero(arena, tuple->count + 1, sizeof *select->taken);
    th_status status = select->taken ? TH_OK : th__fail_memory(err);
    /* Links and pictures are not texts. */
    for (uint32_t m = 0; !status && m < tuple->count; m++) {
        const th_type *type = text_type(tuple->children[m]);
        select->taken[m] = type && (type->note == TH_NOTE_URL || type->note == TH_NOTE_IMAGE);
    }
    for (uint32_t i = 0; !status && i < select->count; i++)
        status = find_members(select, &select->fields[i], tuple, arena, err);
    return status ? status : make_schema(select, inner, err);
}

void th__select_release(th__select *select)
{
    th_schema_free(select->schema);
    select->schema = NULL;
}

/* ---- running --------------------------------------------------------------------------------- */

struct selector {
    const th_page *page;
    th_records *out;
    th__folded folded;
    /* The value of several texts that is being made: */
    const th__select_field *joining; /* or NULL */
    th__buf joined;
    th_span span;
    bool any;  /* some text is in it, */
    bool full; /* and the current part takes no more */
};

/* The part of a text that is wanted, with its place. */
static bool cut_value(struct selector *s, const th__cut *cut, const th_value *value, th_str *text,
                      th_span *span, bool *found)
{
    size_t from, to;
    *text = th__value_text(value);
    *span = value->span;
    *found = true;
    if (th__cut_is_whole(cut))
        return true;
    *found = th__cut_find(cut, th__value_text(value), &from, &to);
    if (!*found)
        return true;
    *text = (th_str){th__value_text(value).ptr + from, to - from};
    if (span->end <= span->start)
        return true;
    if (!th__page_fold(s->page, *span, &s->folded))
        return false;
    /* A link that was made absolute differs from the page's text: its place is the whole. */
    if (th__str_eq(th__buf_str(&s->folded.text), th__value_text(value)))
        *span = (th_span){s->folded.start[from], s->folded.end[to - 1]};
    return true;
}

/* Adds a text to the value that is being made of several. */
static bool join_text(struct selector *s, th_str text, th_span span)
{
    th_str between = s->joining->between.ptr ? s->joining->between : TH_STR(" ");
    if (!s->any || span.start < s->span.start)
        s->span.start = span.start;
    if (!s->any || span.end > s->span.end)
        s->span.end = span.end;
    if (s->any)
        th__buf_add_str(&s->joined, between);
    s->any = true;
    return th__buf_add_str(&s->joined, text);
}

/* Adds a text, unless its field is full. */
static bool put_text(struct selector *s, const th__select_field *field, const th_value *value,
                     th_value *slot)
{
    th_str text;
    th_span span;
    bool found;
    bool list = field->list || field->rest || field->join;
    bool full = s->joining ? s->full : slot->kind != TH_VALUE_NULL;
    if (value->kind != TH_VALUE_TEXT || (!list && full))
        return true;
    if (!cut_value(s, &field->cut, value, &text, &span, &found))
        return false;
    if (!found)
        return true;
    s->full = true;
    if (s->joining)
        return join_text(s, text, span);
    th_value *to = list ? th_records_append(s->out, slot) : slot;
    th_records_set_text(s->out, to, text, span);
    return to;
}

static bool put_member(struct selector *s, const th__select_field *field, const th_value *member,
                       th_value *slot)
{
    if (member->kind != TH_VALUE_LIST)
        return put_text(s, field, member, slot);
    if (has_item(field)) {
        uint32_t item = th__select_item(field, member);
        return item == member->count || put_text(s, field, th__value_item(member, item), slot);
    }
    for (uint32_t i = 0; i < member->count; i++)
        if (!put_text(s, field, th__value_item(member, i), slot))
            return false;
    return true;
}

static bool field_takes_item(const th__select_field *field, uint32_t m, const th_value *list,
                             uint32_t item)
{
    for (uint32_t i = 0; has_item(field) && i < field->from_count; i++)
        if (field->members[i] == m && th__select_item(field, list) == item)
            return true;
    return false;
}

/* Returns true if a field takes this one of the items of a member. */
static bool takes_item(const th__select *select, uint32_t m, const th_value *list, uint32_t item)
{
    for (uint32_t f = 0; f < select->count; f++) {
        bool taken = field_takes_item(&select->fields[f], m, list, item);
        for (uint32_t p = 0; !taken && p < select->fields[f].part_count; p++)
            taken = field_takes_item(&select->fields[f].parts[p], m, list, item);
        if (taken)
            return true;
    }
    return false;
}

/* Returns true if a value is that of an attribute. */
static bool is_attribute(const struct selector *s, const th_value *value)
{
    return value->span.end > value->span.start &&
           s->page->tokens[th__token_at(s->page, value->span.start)].kind == TH_TOKEN_START;
}

/* Adds the parts of a text member that no field takes. */
static bool put_rest(struct selector *s, const th__select *select, const th__select_field *rest,
                     uint32_t m, const th_value *member, th_value *slot)
{
    if (member->kind != TH_VALUE_LIST)
        return is_attribute(s, member) || put_text(s, rest, member, slot);
    for (uint32_t i = 0; i < member->count; i++)
        if (!takes_item(select, m, member, i) && !is_attribute(s, th__value_item(member, i)) &&
            !put_text(s, rest, th__value_item(member, i), slot))
            return false;
    return true;
}

static bool put_members(struct selector *s, const th__select_field *field, const th_value *record,
                        th_value *slot)
{
    s->full = false;
    for (uint32_t i = 0; i < field->from_count; i++)
        if (!put_member(s, field, th__value_item(record, field->members[i]), slot))
            return false;
    return true;
}

/* All texts of a field's members, or of its parts, as one value. */
static bool put_joined(struct selector *s, const th__select_field *field, const th_value *record,
                       th_value *slot)
{
    s->joined.len = 0;
    s->any = false;
    s->joining = field;
    bool ok = put_members(s, field, record, slot);
    for (uint32_t i = 0; ok && i < field->part_count; i++)
        ok = put_members(s, &field->parts[i], record, slot);
    s->joining = NULL;
    if (!ok || !s->any)
        return ok;
    th_value *to = field->list ? th_records_append(s->out, slot) : slot;
    th_records_set_text(s->out, to, th__buf_str(&s->joined), s->span);
    return to;
}

static bool put_record(struct selector *s, const th__select *select, const th_value *from)
{
    th_value *record = th_records_add(s->out);
    if (!record)
        return false;
    th_value_set_span(record, from->span);
    for (uint32_t f = 0; f < select->count; f++) {
        const th__select_field *field = &select->fields[f];
        th_value *slot = th_value_slot(record, f);
        if (field->nested) {
            th__value_copy(&(th__copying){.to = s->out, .places = true}, slot,
                           th__value_item(from, field->members[0]));
            continue;
        }
        if (!(field->join || field->part_count ? put_joined : put_members)(s, field, from, slot))
            return false;
        for (uint32_t m = 0; field->rest && m < from->count; m++)
            if (!select->taken[m] && !put_rest(s, select, field, m, th__value_item(from, m), slot))
                return false;
    }
    return true;
}

th_status th__select_run(const th__select *select, const th_records *records, const th_page *page,
                         th_records **out, th_error *err)
{
    struct selector s = {.page = page};
    th_records_source source = {th_records_page(records), th_records_url(records)};
    th_status status = th_records_new(select->schema, &source, &s.out, err);
    for (size_t i = 0; !status && i < th_records_count(records); i++) {
        const th_value *record = th_records_get(records, i);
        if (record->kind == TH_VALUE_TUPLE && !put_record(&s, select, record) &&
            !th_records_status(s.out, err))
            status = th__fail_memory(err);
    }
    if (!status)
        status = th_records_status(s.out, err);
    if (status)
        th_records_free(s.out);
    else
        *out = s.out;
    th__folded_release(&s.folded);
    th__buf_release(&s.joined);
    return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* "join": true, or the text between the values. */
static th_status read_join(th__rule_reader *reader, json_t *json, void *object)
{
    th__select_field *field = object;
    json_t *join = json_object_get(json, "join");
    static const th__rule_member text = {TH__TEXT("join", th__select_field, between),
                                         .flags = TH__EMPTY};
    static const th__rule_member flag = {TH__FLAG("join", th__select_field, join)};
    if (!json_is_string(join))
        return th__rule_member_read(reader, json, &flag, object);
    field->join = true;
    return th__rule_member_read(reader, json, &text, object);
}

static void write_join(const void *root, const void *object, th__json *json)
{
    const th__select_field *field = object;
    if (!field->join)
        return;
    th__json_key(json, TH_STR("join"));
    if (field->between.ptr)
        th__json_str(json, field->between);
    else
        th__json_bool(json, true);
}

const char *const th__select_types[] = {
    [TH__SELECT_AS_IT_LOOKS] = "any", [TH__SELECT_TEXT] = "text", [TH__SELECT_NUMBER] = "number",
    [TH__SELECT_PRICE] = "price",     [TH__SELECT_DATE] = "date", NULL};

/* What a part has, too. */
static const th__rule_member part_members[] = {
    {TH__LIST("from", th__select_field, from, from_count, th__texts_shape, 0,
              TH__SELECT_MAX_FIELDS)},
    {TH__FLAG("list", th__select_field, list)},
    {TH__OWN("join", read_join, write_join)},
    {TH__INLINE(th__select_field, cut, th__cut_shape)},
    {TH__TEXT("begins", th__select_field, begins)},
    {TH__UINT("item", th__select_field, item, 0, UINT32_MAX)},
    {TH__FLAG("from_end", th__select_field, from_end)},
};
static const th__rule_shape part_shape = TH__SHAPE(th__select_field, part_members);

static const th__rule_member field_members[] = {
    {TH__TEXT("name", th__select_field, name), .flags = TH__NEEDED},
    {TH__GROUP(NULL, part_shape)},
    {TH__LIST("parts", th__select_field, parts, part_count, part_shape, 0, TH__SELECT_MAX_PARTS)},
    {TH__FLAG("rest", th__select_field, rest)},
    {TH__WORD("type", th__select_field, type, th__select_types)},
};
static const th__rule_shape field_shape = TH__SHAPE(th__select_field, field_members);

static th_status check_select(th__rule_reader *reader, void *select)
{
    th_error err;
    th_status status = th__select_prepare(select, reader->schema, reader->arena, &err);
    return status == TH_ERR_MEMORY ? th__fail_memory(reader->err)
           : status                ? th__rule_fault(reader, "%.700s", err.message)
                                   : TH_OK;
}

static const th__rule_member select_members[] = {
    {TH__LIST(NULL, th__select, fields, count, field_shape, 1, TH__SELECT_MAX_FIELDS)},
};
const th__rule_shape th__select_shape = TH__CHECKED_SHAPE(th__select, select_members, check_select);
