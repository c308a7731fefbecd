/* iepad_json.c: rules to JSON and back. A rule from outside is data: every number is checked. */
#include "engine/papers/iepad/iepad.h"

#include "base/error.h"
#include "base/mem.h"
#include "page/tags.h"
#include "wrapper/rule_table.h"

const char *const th__iepad_kind_names[] = {"text", "link", "image", NULL};

/* ---- patterns in the paper's notation ----------------------------------------------------- */

static th_status bad_pattern(th__rule_reader *reader, size_t at, const char *what)
{
    return th__rule_fault(reader,
                          "character %zu: %s; a pattern is a row of <tag>, </tag> and <TEXT>, and "
                          "of sets such as [<b>|<i>|-]",
                          at + 1, what);
}

/* Reads <name> at *at. */
static th_status read_symbol(th__rule_reader *reader, th_str text, size_t *at, uint32_t *symbol)
{
    th__iepad_rule *rule = reader->root;
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
    return th__iepad_names_add(reader->arena, &rule->names, tag, name)
               ? TH_OK
               : th__fail_memory(reader->err);
}

/* Reads [<a>|<b>|-] at *at. */
static th_status read_set(th__rule_reader *reader, th_str text, size_t *at, th__pattern *out)
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
            th_status status = read_symbol(reader, text, at, &set[count]);
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

static th_status parse_pattern(th__rule_reader *reader, th_str text, int way, void *pattern)
{
    th__pattern *out = pattern;
    th_status status = TH_OK;
    *out = th__pattern_in(reader->arena);
    for (size_t at = 0; !status && at < text.len;) {
        uint32_t symbol;
        if (text.ptr[at] == '[') {
            status = read_set(reader, text, &at, out);
            continue;
        }
        status = read_symbol(reader, text, &at, &symbol);
        if (!status)
            status = th__pattern_add(out, &symbol, 1, false, reader->err);
    }
    return !status && out->len == 0 ? th__rule_fault(reader, "is empty") : status;
}

static void print_pattern(const void *root, const void *pattern, int way, th__buf *out)
{
    th__pattern_print(pattern, th__iepad_symbol_print, ((const th__iepad_rule *)root)->names, out);
}

/* ---- divisions ---------------------------------------------------------------------------- */

static th_status check_part(th__rule_reader *reader, const th__iepad_division *division, uint32_t i)
{
    const th__iepad_rule *rule = reader->root;
    const th__iepad_part *part = &division->parts[i];
    th__iepad_kind kind = TH__IEPAD_VALUE_TEXT;
    if (part->column >= division->pattern.len)
        return th__rule_fault_in(reader, "column", "the pattern has no such column");
    for (uint32_t k = 0; k < i; k++)
        if (division->parts[k].column == part->column)
            return th__rule_fault_in(reader, "column", "the column appears twice");
    if (!th__iepad_column_kind(&division->pattern, part->column, &kind))
        return th__rule_fault_in(reader, "column", "the column contains no <TEXT>, <a> or <img>");
    if (part->below && kind != TH__IEPAD_VALUE_TEXT)
        return th__rule_fault_in(reader, "below", "only a <TEXT> column can be divided");
    if (part->below && rule->levels < TH__IEPAD_MAX_LEVELS)
        return th__rule_fault_in(reader, "below", "is deeper than the rule has levels");
    if (!part->below && part->field >= rule->field_count)
        return th__rule_fault_in(reader, "field", "must be the number of a field");
    return TH_OK;
}

static th_status check_division(th__rule_reader *reader, void *object)
{
    th__iepad_division *division = object;
    th_status status = TH_OK;
    size_t mark = th__rule_enter(reader, "columns");
    for (uint32_t i = 0; !status && i < division->part_count; i++) {
        size_t item = th__rule_enter_item(reader, i);
        status = check_part(reader, division, i);
        th__rule_leave(reader, item);
    }
    th__rule_leave(reader, mark);
    return status || th__iepad_division_index(division, reader->arena)
               ? status
               : th__fail_memory(reader->err);
}

#define COLUMN                                                                                     \
    {                                                                                              \
        TH__UINT("column", th__iepad_part, column, 0, TH__PATTERN_MAX), .flags = TH__NEEDED        \
    }
#define FIELD                                                                                      \
    {                                                                                              \
        TH__UINT("field", th__iepad_part, field, 0, TH__IEPAD_MAX_FIELDS),                         \
            .none = TH__IEPAD_NO_FIELD                                                             \
    }
#define DIVISION(part_shape_)                                                                      \
    {TH__PARSED("pattern", th__iepad_division, pattern, parse_pattern, print_pattern),             \
     .flags = TH__NEEDED},                                                                         \
        {TH__FLAG("element", th__iepad_division, element)},                                        \
    {                                                                                              \
        TH__LIST("columns", th__iepad_division, parts, part_count, part_shape_, 0,                 \
                 TH__PATTERN_MAX),                                                                 \
            .flags = TH__NEEDED                                                                    \
    }

/* Two levels: what divides a block is not divided itself. */
static const th__rule_member lower_part[] = {COLUMN, FIELD};
static const th__rule_shape lower_part_shape = TH__SHAPE(th__iepad_part, lower_part);
static const th__rule_member lower[] = {DIVISION(lower_part_shape)};
static const th__rule_shape lower_shape =
    TH__CHECKED_SHAPE(th__iepad_division, lower, check_division);
static const th__rule_member part[] = {
    COLUMN, FIELD, {TH__POINTER("below", th__iepad_part, below, lower_shape)}};
static const th__rule_shape part_shape = TH__SHAPE(th__iepad_part, part);
static const th__rule_member division[] = {DIVISION(part_shape)};
static const th__rule_shape division_shape =
    TH__CHECKED_SHAPE(th__iepad_division, division, check_division);

/* ---- all ---------------------------------------------------------------------------------- */

static th_status check_field(th__rule_reader *reader, void *object)
{
    const th__iepad_rule *rule = reader->root;
    const th__iepad_field *field = object;
    for (uint32_t i = 0; i < rule->field_count; i++)
        if (rule->fields[i].kind == field->kind && th__str_eq(rule->fields[i].name, field->name))
            return th__rule_fault_in(reader, "name", "another field has the same name and kind");
    return TH_OK;
}

static const th__rule_member field_members[] = {
    {TH__TEXT("name", th__iepad_field, name), .flags = TH__NEEDED | TH__FIELD_NAME},
    {TH__WORD("kind", th__iepad_field, kind, th__iepad_kind_names), .flags = TH__NEEDED},
    {TH__FLAG("chosen", th__iepad_field, chosen), .flags = TH__NEEDED},
};
static const th__rule_shape field_shape =
    TH__CHECKED_SHAPE(th__iepad_field, field_members, check_field);

static const th__rule_member scheme_items[] = {
    {.type = TH__RULE_WORD, .size = sizeof(th__iepad_scheme), .words = th__iepad_scheme_names}};
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
    {TH__LIST("fields", th__iepad_rule, fields, field_count, field_shape, 0, TH__IEPAD_MAX_FIELDS),
     .flags = TH__NEEDED},
    {TH__LIST("patterns", th__iepad_rule, records, record_count, division_shape, 1,
              TH__IEPAD_MAX_RULES),
     .flags = TH__NEEDED},
};
static const th__rule_shape rule_shape = TH__SHAPE(th__iepad_rule, rule_members);

void th__iepad_rule_write(const th__iepad_rule *rule, th__json *json)
{
    th__rule_table_write(&rule_shape, rule, json);
}

bool th__iepad_rule_rename(void *rule, th__rename_fn rename, void *context)
{
    th__rule_table_rename(&rule_shape, rule, rename, context);
    return true;
}

th_status th__iepad_rule_read(th__rule_reader *reader, json_t *json, th__iepad_rule **out)
{
    th__iepad_rule *rule = th__iepad_rule_new();
    th__arena *callers = reader->arena;
    if (!rule)
        return th__fail_memory(reader->err);
    reader->arena = &rule->arena;
    th_status status = th__rule_table_fill(reader, json, &rule_shape, rule);
    reader->arena = callers;
    if (status)
        th__iepad_rule_free(rule);
    else
        *out = rule;
    return status;
}
