/* iepad_json.c: rules to JSON and back. A rule from outside is data: every number is checked. */
#include "engine/papers/iepad/iepad.h"

#include "base/error.h"
#include "base/mem.h"
#include "page/tags.h"
#include "wrapper/rule_table.h"

static const char *const kinds[] = {
    [TH__IEPAD_VALUE_TEXT] = "text",
    [TH__IEPAD_VALUE_LINK] = "link",
    [TH__IEPAD_VALUE_IMAGE] = "image",
    NULL,
};

/* ---- patterns in the paper's notation ----------------------------------------------------- */

void th__iepad_pattern_print(const th__pattern *pattern, const th__iepad_names *names, th__buf *out)
{
    th__pattern_print(pattern, th__iepad_symbol_print, names, out);
}

static th_status bad_pattern(th__rule_reader *reader, size_t at, const char *what)
{
    return th__rule_fault(reader,
                          "character %zu: %s; a pattern is a row of <tag>, </tag> and <TEXT>, and "
                          "of sets such as [<b>|<i>|-]",
                          at + 1, what);
}

/* Reads <name> at *at. */
static th_status read_symbol(th__rule_reader *reader, th_str text, size_t *at, uint32_t *symbol,
                             th__iepad_names *names)
{
    size_t start = *at + 1, end = start;
    if (*at >= text.len || text.ptr[*at] != '<')
        return bad_pattern(reader, *at, "expected <");
    while (end < text.len && text.ptr[end] != '>')
        end++;
    bool closes = start < end && text.ptr[start] == '/';
    th_str name = {text.ptr + start + closes, end - start - closes};
    if (end == text.len || name.len == 0)
        return bad_pattern(reader, *at, "a tag without a name or an end");
    *at = end + 1;
    if (!closes && th__str_eq(name, TH_STR("TEXT"))) {
        *symbol = TH__IEPAD_TEXT;
        return TH_OK;
    }
    uint16_t tag = th_tag_id(name);
    *symbol = th__iepad_symbol(tag, closes);
    return th__iepad_names_add(names, tag, name) ? TH_OK : th__fail_memory(reader->err);
}

/* Reads [<a>|<b>|-] at *at. */
static th_status read_set(th__rule_reader *reader, th_str text, size_t *at, th__pattern *out,
                          th__iepad_names *names)
{
    uint32_t set[TH__COLUMN_MAX], count = 0;
    bool optional = false;
    for (++*at;; ++*at) {
        if (*at < text.len && text.ptr[*at] == '-') {
            optional = true;
            ++*at;
        } else if (count == TH__COLUMN_MAX) {
            return bad_pattern(reader, *at, "too many alternatives");
        } else {
            th_status status = read_symbol(reader, text, at, &set[count], names);
            if (status)
                return status;
            count++;
        }
        if (*at < text.len && text.ptr[*at] == '|')
            continue;
        if (*at < text.len && text.ptr[*at] == ']')
            break;
        return bad_pattern(reader, *at, "expected | or ]");
    }
    if (count == 0)
        return bad_pattern(reader, *at, "a set without a token");
    ++*at;
    return th__pattern_add(out, set, count, optional, reader->err);
}

/* Reads a pattern, entering unknown tags into names. */
static th_status parse_pattern(th__rule_reader *reader, th_str text, th__pattern *out,
                               th__iepad_names *names)
{
    th_status status = TH_OK;
    th__pattern_init(out);
    for (size_t at = 0; !status && at < text.len;) {
        uint32_t symbol;
        if (text.ptr[at] == '[') {
            status = read_set(reader, text, &at, out, names);
            continue;
        }
        status = read_symbol(reader, text, &at, &symbol, names);
        if (!status)
            status = th__pattern_add(out, &symbol, 1, false, reader->err);
    }
    if (!status && out->len == 0)
        status = th__rule_fault(reader, "is empty");
    if (status)
        th__pattern_release(out);
    return status;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Recursion no deeper than TH__IEPAD_MAX_LEVELS. */
static void write_division(const th__iepad_rule *rule, const th__iepad_division *division,
                           th__json *json)
{
    th__buf text = {0};
    th__iepad_pattern_print(&division->pattern, &rule->names, &text);
    json->buf->failed |= text.failed;
    th__json_begin_object(json);
    th__json_key(json, TH_STR("pattern"));
    th__json_str(json, th__buf_str(&text));
    if (division->element) {
        th__json_key(json, TH_STR("element"));
        th__json_bool(json, true);
    }
    th__json_key(json, TH_STR("columns"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < division->pattern.len; i++) {
        const struct th__iepad_part *part = &division->parts[i];
        if (!part->below && part->field == TH__IEPAD_NO_FIELD)
            continue;
        th__json_begin_object(json);
        th__json_put_uint(json, "column", i);
        th__json_key(json, part->below ? TH_STR("below") : TH_STR("field"));
        if (part->below)
            write_division(rule, part->below, json);
        else
            th__json_uint(json, part->field);
        th__json_end_object(json);
    }
    th__json_end_array(json);
    th__json_end_object(json);
    th__buf_release(&text);
}

/* ---- fields ------------------------------------------------------------------------------- */

/* A field as it is in the file. */
struct field_entry {
    th_str name;
    uint8_t kind;
    bool chosen;
};

static const th__rule_member entry_members[] = {
    {TH__TEXT("name", struct field_entry, name), .flags = TH__NEEDED},
    {TH__WORD("kind", struct field_entry, kind, kinds), .flags = TH__NEEDED},
    {TH__FLAG("chosen", struct field_entry, chosen), .flags = TH__NEEDED},
};
static const th__rule_shape entry_shape = TH__SHAPE(struct field_entry, entry_members);

static th_status read_field(th__rule_reader *reader, json_t *json, th__iepad_rule *rule)
{
    struct field_entry entry = {.kind = 0};
    uint32_t field, next = rule->field_count;
    th_status status = th__rule_read_inner(reader, json, &entry_shape, &entry);
    if (!status)
        status =
            th__iepad_rule_field(rule, entry.name, (th__iepad_kind)entry.kind, &field, reader->err);
    if (status)
        return status;
    rule->fields[field].chosen = entry.chosen;
    return field == next
               ? TH_OK
               : th__rule_fault_in(reader, "name", "another field has the same name and kind");
}

static th_status read_fields(th__rule_reader *reader, json_t *json, void *rule)
{
    json_t *fields;
    th_status status = th__rule_array(reader, json, "fields", 0, TH__IEPAD_MAX_FIELDS, &fields);
    size_t mark = th__rule_enter(reader, "fields");
    for (size_t i = 0; !status && i < json_array_size(fields); i++) {
        size_t item = th__rule_enter_item(reader, i);
        status = read_field(reader, json_array_get(fields, i), rule);
        th__rule_leave(reader, item);
    }
    th__rule_leave(reader, mark);
    return status;
}

static void write_fields(const void *root, const void *object, th__json *json)
{
    const th__iepad_rule *rule = object;
    th__json_key(json, TH_STR("fields"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < rule->field_count; i++) {
        const th__iepad_field *field = &rule->fields[i];
        th__rule_table_write(
            &entry_shape,
            &(struct field_entry){th_str_from(field->name), field->kind, field->chosen}, json);
    }
    th__json_end_array(json);
}

static th_status read_division(th__rule_reader *reader, json_t *json, uint32_t level,
                               th__iepad_rule *rule, th__iepad_division **out);

/* Whether a column can have what is said of it. */
static th_status check_column(th__rule_reader *reader, const th__iepad_division *division,
                              uint32_t column, th__iepad_kind *kind)
{
    const struct th__iepad_part *part = &division->parts[column];
    if (part->below || part->field != TH__IEPAD_NO_FIELD)
        return th__rule_fault_in(reader, "column", "the column appears twice");
    return th__iepad_column_kind(&division->pattern, column, kind)
               ? TH_OK
               : th__rule_fault_in(reader, "column", "the column contains no <TEXT>, <a> or <img>");
}

static th_status read_part(th__rule_reader *reader, json_t *json, uint32_t level,
                           th__iepad_rule *rule, th__iepad_division *division)
{
    uint64_t column = 0, field = 0;
    th__iepad_kind kind = TH__IEPAD_VALUE_TEXT;
    if (!json_is_object(json))
        return th__rule_fault(reader, "must be an object");
    th_status status =
        th__rule_number(reader, json, "column", true, division->pattern.len - 1, &column);
    if (!status)
        status = check_column(reader, division, (uint32_t)column, &kind);
    if (status)
        return status;
    struct th__iepad_part *part = &division->parts[column];
    json_t *below = json_object_get(json, "below");
    size_t mark = th__rule_enter(reader, "below");
    if (below && kind != TH__IEPAD_VALUE_TEXT)
        status = th__rule_fault(reader, "only a <TEXT> column can be divided");
    else if (below && level + 1 >= rule->levels)
        status = th__rule_fault(reader, "is deeper than the rule has levels");
    else if (below)
        status = read_division(reader, below, level + 1, rule, &part->below);
    th__rule_leave(reader, mark);
    if (below || status)
        return status;
    if (!rule->field_count)
        return th__rule_fault(reader, "the rule has no fields");
    status = th__rule_number(reader, json, "field", true, rule->field_count - 1, &field);
    if (!status)
        part->field = (uint32_t)field;
    return status;
}

static th_status read_pattern(th__rule_reader *reader, json_t *json, th__iepad_rule *rule,
                              th__pattern *out)
{
    json_t *text = json_object_get(json, "pattern");
    size_t mark = th__rule_enter(reader, "pattern");
    th_status status =
        json_is_string(text)
            ? parse_pattern(reader, (th_str){json_string_value(text), json_string_length(text)},
                            out, &rule->names)
            : th__rule_fault(reader, text ? "must be a text" : "is missing: a text");
    th__rule_leave(reader, mark);
    return status;
}

/* Recursion no deeper than the rule's levels. */
static th_status read_division(th__rule_reader *reader, json_t *json, uint32_t level,
                               th__iepad_rule *rule, th__iepad_division **out)
{
    th__pattern pattern;
    json_t *columns;
    th_status status = read_pattern(reader, json, rule, &pattern);
    if (status)
        return status;
    th__iepad_division *division = th__iepad_division_new(&pattern);
    if (!division)
        return th__fail_memory(reader->err);
    status = th__rule_array(reader, json, "columns", 0, TH__PATTERN_MAX, &columns);
    if (!status && !level)
        status = th__rule_bool(reader, json, "element", &division->element);
    size_t mark = th__rule_enter(reader, "columns");
    for (size_t i = 0; !status && i < json_array_size(columns); i++) {
        size_t item = th__rule_enter_item(reader, i);
        status = read_part(reader, json_array_get(columns, i), level, rule, division);
        th__rule_leave(reader, item);
    }
    th__rule_leave(reader, mark);
    if (status)
        th__iepad_division_free(division);
    else
        *out = division;
    return status;
}

static th_status read_patterns(th__rule_reader *reader, json_t *json, void *rule)
{
    json_t *patterns;
    th_status status = th__rule_array(reader, json, "patterns", 1, TH__IEPAD_MAX_RULES, &patterns);
    size_t mark = th__rule_enter(reader, "patterns");
    for (size_t i = 0; !status && i < json_array_size(patterns); i++) {
        th__iepad_division *division = NULL;
        size_t item = th__rule_enter_item(reader, i);
        status = read_division(reader, json_array_get(patterns, i), 0, rule, &division);
        th__rule_leave(reader, item);
        if (!status)
            status = th__iepad_rule_add(rule, division, reader->err);
    }
    th__rule_leave(reader, mark);
    return status;
}

static void write_patterns(const void *root, const void *object, th__json *json)
{
    const th__iepad_rule *rule = object;
    th__json_key(json, TH_STR("patterns"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < rule->record_count; i++)
        write_division(rule, rule->records[i], json);
    th__json_end_array(json);
}

/* ---- all ---------------------------------------------------------------------------------- */

static th_status parse_scheme(th__rule_reader *reader, th_str text, int way, void *scheme)
{
    return th__iepad_scheme_find(text, scheme)
               ? TH_OK
               : th__rule_fault(reader, "must be one of all-tag, no-physical, no-special, "
                                        "no-logical, block-level");
}

static void print_scheme(const void *root, const void *scheme, int way, th__buf *out)
{
    th__buf_add_str(out, th_str_from(th__iepad_scheme_name(*(const th__iepad_scheme *)scheme)));
}

static const th__rule_member scheme_items[] = {
    {.type = TH__RULE_PARSED, .parse = parse_scheme, .print = print_scheme}};
static const th__rule_shape scheme_shape = TH__SHAPE(th__iepad_scheme, scheme_items);

static th_status check_levels(th__rule_reader *reader, void *object)
{
    th__iepad_rule *rule = object;
    rule->encoding.scheme = rule->schemes[0];
    return TH_OK;
}

static const th__rule_member rule_members[] = {
    {TH__ARRAY("levels", th__iepad_rule, schemes, levels, scheme_shape, 1, TH__IEPAD_MAX_LEVELS),
     .flags = TH__NEEDED, .check = check_levels},
    {TH__FLAG("skip_hidden", th__iepad_rule, encoding.skip_hidden), .flags = TH__NEEDED},
    {TH__FLAG("media_as_text", th__iepad_rule, encoding.media_as_text), .flags = TH__NEEDED},
    {TH__FLAG("last_record", th__iepad_rule, last_record), .flags = TH__NEEDED},
    {TH__FLAG("stray_text", th__iepad_rule, stray_text)},
    {TH__OWN("fields", read_fields, write_fields)},
    {TH__OWN("patterns", read_patterns, write_patterns)},
};
static const th__rule_shape rule_shape = TH__SHAPE(th__iepad_rule, rule_members);

void th__iepad_rule_write(const th__iepad_rule *rule, th__json *json)
{
    th__rule_table_write(&rule_shape, rule, json);
}

th_status th__iepad_rule_read(th__rule_reader *reader, json_t *json, th__iepad_rule **out)
{
    th__iepad_rule *rule = th__iepad_rule_new();
    th__arena *callers = reader->arena, scratch;
    if (!rule)
        return th__fail_memory(reader->err);
    th__arena_init(&scratch);
    reader->arena = &scratch;
    th_status status = th__rule_table_fill(reader, json, &rule_shape, rule);
    reader->arena = callers;
    th__arena_release(&scratch);
    if (status)
        th__iepad_rule_free(rule);
    else
        *out = rule;
    return status;
}
