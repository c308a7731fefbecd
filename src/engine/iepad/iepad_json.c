/* iepad_json.c: rules to JSON and back. A rule from outside is data: every number is checked. */
#include "engine/iepad/iepad_json.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"
#include "page/tags.h"

static const char *const kinds[] = {
    [TH__IEPAD_VALUE_TEXT] = "text",
    [TH__IEPAD_VALUE_LINK] = "link",
    [TH__IEPAD_VALUE_IMAGE] = "image",
};
enum { KINDS = sizeof kinds / sizeof *kinds, PATH = 160 };

/* ---- patterns in the paper's notation ----------------------------------------------------- */

void th__iepad_pattern_print(const th__pattern *pattern, const th__iepad_names *names, th__buf *out)
{
    th__pattern_print(pattern, th__iepad_symbol_print, names, out);
}

static th_status bad_pattern(size_t at, const char *path, const char *what, th_error *err)
{
    return th__fail(err, TH_ERR_FORMAT,
                    "%s: character %zu of the pattern: %s; a pattern is a row of <tag>, </tag> and "
                    "<TEXT>, and of sets such as [<b>|<i>|-]",
                    path, at + 1, what);
}

/* Reads <name> at *at. */
static th_status read_symbol(th_str text, size_t *at, const char *path, uint32_t *symbol,
                             th__iepad_names *names, th_error *err)
{
    size_t start = *at + 1, end = start;
    if (*at >= text.len || text.ptr[*at] != '<')
        return bad_pattern(*at, path, "expected <", err);
    while (end < text.len && text.ptr[end] != '>')
        end++;
    bool closes = start < end && text.ptr[start] == '/';
    th_str name = {text.ptr + start + closes, end - start - closes};
    if (end == text.len || name.len == 0)
        return bad_pattern(*at, path, "a tag without a name or an end", err);
    *at = end + 1;
    if (!closes && th__str_eq(name, TH_STR("TEXT"))) {
        *symbol = TH__IEPAD_TEXT;
        return TH_OK;
    }
    uint16_t tag = th_tag_id(name);
    *symbol = th__iepad_symbol(tag, closes);
    return th__iepad_names_add(names, tag, name) ? TH_OK : th__fail_memory(err);
}

/* Reads [<a>|<b>|-] at *at. */
static th_status read_set(th_str text, size_t *at, const char *path, th__pattern *out,
                          th__iepad_names *names, th_error *err)
{
    uint32_t set[TH__COLUMN_MAX], count = 0;
    bool optional = false;
    for (++*at;; ++*at) {
        if (*at < text.len && text.ptr[*at] == '-') {
            optional = true;
            ++*at;
        } else if (count == TH__COLUMN_MAX) {
            return bad_pattern(*at, path, "too many alternatives", err);
        } else {
            th_status status = read_symbol(text, at, path, &set[count], names, err);
            if (status)
                return status;
            count++;
        }
        if (*at < text.len && text.ptr[*at] == '|')
            continue;
        if (*at < text.len && text.ptr[*at] == ']')
            break;
        return bad_pattern(*at, path, "expected | or ]", err);
    }
    if (count == 0)
        return bad_pattern(*at, path, "a set without a token", err);
    ++*at;
    return th__pattern_add(out, set, count, optional, err);
}

th_status th__iepad_pattern_read(th_str text, const char *path, th__pattern *out,
                                 th__iepad_names *names, th_error *err)
{
    th_status status = TH_OK;
    th__pattern_init(out);
    for (size_t at = 0; !status && at < text.len;) {
        uint32_t symbol;
        if (text.ptr[at] == '[') {
            status = read_set(text, &at, path, out, names, err);
            continue;
        }
        status = read_symbol(text, &at, path, &symbol, names, err);
        if (!status)
            status = th__pattern_add(out, &symbol, 1, false, err);
    }
    if (!status && out->len == 0)
        status = th__fail(err, TH_ERR_FORMAT, "%s: the pattern is empty", path);
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
    th__json_key(json, TH_STR("columns"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < division->pattern.len; i++) {
        const struct th__iepad_part *part = &division->parts[i];
        if (!part->below && part->field == TH__IEPAD_NO_FIELD)
            continue;
        th__json_begin_object(json);
        th__json_key(json, TH_STR("column"));
        th__json_uint(json, i);
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

void th__iepad_rule_write(const th__iepad_rule *rule, th__json *json)
{
    th__json_begin_object(json);
    th__json_key(json, TH_STR("levels"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < rule->levels; i++)
        th__json_str(json, th_str_from(th__iepad_scheme_name(rule->schemes[i])));
    th__json_end_array(json);
    th__json_key(json, TH_STR("skip_hidden"));
    th__json_bool(json, rule->encoding.skip_hidden);
    th__json_key(json, TH_STR("media_as_text"));
    th__json_bool(json, rule->encoding.media_as_text);
    th__json_key(json, TH_STR("last_record"));
    th__json_bool(json, rule->last_record);
    th__json_key(json, TH_STR("fields"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < rule->field_count; i++) {
        th__json_begin_object(json);
        th__json_key(json, TH_STR("name"));
        th__json_str(json, th_str_from(rule->fields[i].name));
        th__json_key(json, TH_STR("kind"));
        th__json_str(json, th_str_from(kinds[rule->fields[i].kind]));
        th__json_key(json, TH_STR("chosen"));
        th__json_bool(json, rule->fields[i].chosen);
        th__json_end_object(json);
    }
    th__json_end_array(json);
    th__json_key(json, TH_STR("patterns"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < rule->record_count; i++)
        write_division(rule, rule->records[i], json);
    th__json_end_array(json);
    th__json_end_object(json);
}

/* ---- reading ------------------------------------------------------------------------------ */

static th_status bad(const char *path, const char *what, th_error *err)
{
    return th__fail(err, TH_ERR_FORMAT, "%s: %s", path, what);
}

/* A path too long for its buffer is cut: it still names the place roughly. */
static void path_print(char out[PATH], const char *format, ...) TH_PRINTF(2, 3);

static void path_print(char out[PATH], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(out, PATH, format, args);
    va_end(args);
}

static void path_key(char out[PATH], const char *path, const char *key)
{
    path_print(out, "%s.%s", path, key);
}

static void path_item(char out[PATH], const char *path, const char *key, size_t index)
{
    path_print(out, "%s.%s[%zu]", path, key, index);
}

static th_status get_array(json_t *json, const char *path, const char *key, size_t most,
                           json_t **out, th_error *err)
{
    char where[PATH];
    path_key(where, path, key);
    *out = json_object_get(json, key);
    if (!json_is_array(*out))
        return bad(where, "expected a list", err);
    if (json_array_size(*out) > most)
        return th__fail(err, TH_ERR_FORMAT, "%s: a list of %zu; at most %zu are allowed", where,
                        json_array_size(*out), most);
    return TH_OK;
}

static th_status get_bool(json_t *json, const char *path, const char *key, bool *out, th_error *err)
{
    char where[PATH];
    json_t *value = json_object_get(json, key);
    path_key(where, path, key);
    if (!json_is_boolean(value))
        return bad(where, "expected true or false", err);
    *out = json_is_true(value);
    return TH_OK;
}

static th_status get_string(json_t *json, const char *path, const char *key, th_str *out,
                            th_error *err)
{
    char where[PATH];
    json_t *value = json_object_get(json, key);
    path_key(where, path, key);
    if (!json_is_string(value))
        return bad(where, "expected a string", err);
    *out = (th_str){json_string_value(value), json_string_length(value)};
    return TH_OK;
}

static th_status get_number(json_t *json, const char *path, const char *key, size_t below,
                            uint32_t *out, th_error *err)
{
    char where[PATH];
    json_t *value = json_object_get(json, key);
    path_key(where, path, key);
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (uint64_t)json_integer_value(value) >= below)
        return th__fail(err, TH_ERR_FORMAT, "%s: expected a whole number from 0 to %zu", where,
                        below ? below - 1 : 0);
    *out = (uint32_t)json_integer_value(value);
    return TH_OK;
}

static th_status read_levels(json_t *json, const char *path, th__iepad_rule *rule, th_error *err)
{
    json_t *levels;
    th_status status = get_array(json, path, "levels", TH__IEPAD_MAX_LEVELS, &levels, err);
    if (status)
        return status;
    rule->levels = (uint32_t)json_array_size(levels);
    for (size_t i = 0; i < rule->levels; i++) {
        char where[PATH];
        json_t *item = json_array_get(levels, i);
        path_item(where, path, "levels", i);
        if (!json_is_string(item) ||
            !th__iepad_scheme_find(th_str_from(json_string_value(item)), &rule->schemes[i]))
            return bad(where,
                       "expected an encoding scheme: all-tag, no-physical, no-special, no-logical "
                       "or block-level",
                       err);
    }
    if (rule->levels == 0)
        return th__fail(err, TH_ERR_FORMAT, "%s.levels: at least one level is needed", path);
    rule->encoding.scheme = rule->schemes[0];
    return TH_OK;
}

static th_status read_fields(json_t *json, const char *path, th__iepad_rule *rule, th_error *err)
{
    json_t *fields;
    th_status status = get_array(json, path, "fields", TH__IEPAD_MAX_FIELDS, &fields, err);
    for (size_t i = 0; !status && i < json_array_size(fields); i++) {
        char where[PATH], at[PATH];
        th_str name = {0}, kind_name = {0};
        bool chosen = false;
        uint32_t field, kind = 0;
        json_t *item = json_array_get(fields, i);
        path_item(where, path, "fields", i);
        status = get_string(item, where, "name", &name, err);
        if (!status)
            status = get_string(item, where, "kind", &kind_name, err);
        if (!status)
            status = get_bool(item, where, "chosen", &chosen, err);
        if (status)
            break;
        while (kind < KINDS && !th__str_eq(kind_name, th_str_from(kinds[kind])))
            kind++;
        path_key(at, where, "kind");
        if (kind == KINDS)
            return bad(at, "expected text, link or image", err);
        status = th__iepad_rule_field(rule, name, (th__iepad_kind)kind, &field, err);
        path_key(at, where, "name");
        if (!status && field != i)
            return bad(at, "another field has the same name and kind", err);
        if (!status)
            rule->fields[field].chosen = chosen;
    }
    return status;
}

static th_status read_division(json_t *json, const char *path, uint32_t level, th__iepad_rule *rule,
                               th__iepad_division **out, th_error *err);

static th_status read_part(json_t *json, const char *path, uint32_t level, th__iepad_rule *rule,
                           th__iepad_division *division, th_error *err)
{
    char where[PATH];
    uint32_t column;
    th__iepad_kind kind;
    th_status status = get_number(json, path, "column", division->pattern.len, &column, err);
    if (status)
        return status;
    struct th__iepad_part *part = &division->parts[column];
    path_key(where, path, "column");
    if (part->below || part->field != TH__IEPAD_NO_FIELD)
        return bad(where, "the column was given before", err);
    if (!th__iepad_column_kind(&division->pattern, column, &kind))
        return bad(where, "the column holds no <TEXT>, <a> or <img>", err);
    path_key(where, path, "below");
    json_t *below = json_object_get(json, "below");
    if (!below)
        return get_number(json, path, "field", rule->field_count, &part->field, err);
    if (kind != TH__IEPAD_VALUE_TEXT)
        return bad(where, "only a <TEXT> column can be divided", err);
    if (level + 1 >= rule->levels)
        return bad(where, "deeper than the rule has levels", err);
    return read_division(below, where, level + 1, rule, &part->below, err);
}

/* Recursion no deeper than the rule's levels. */
static th_status read_division(json_t *json, const char *path, uint32_t level, th__iepad_rule *rule,
                               th__iepad_division **out, th_error *err)
{
    char where[PATH];
    th_str text;
    th__pattern pattern;
    json_t *columns;
    th_status status = get_string(json, path, "pattern", &text, err);
    if (!status)
        status = get_array(json, path, "columns", TH__PATTERN_MAX, &columns, err);
    path_key(where, path, "pattern");
    if (!status)
        status = th__iepad_pattern_read(text, where, &pattern, &rule->names, err);
    if (status)
        return status;
    th__iepad_division *division = th__iepad_division_new(&pattern);
    if (!division)
        return th__fail_memory(err);
    for (size_t i = 0; !status && i < json_array_size(columns); i++) {
        path_item(where, path, "columns", i);
        status = read_part(json_array_get(columns, i), where, level, rule, division, err);
    }
    if (status)
        th__iepad_division_free(division);
    else
        *out = division;
    return status;
}

th_status th__iepad_rule_read(json_t *json, const char *path, th__iepad_rule **out, th_error *err)
{
    if (!json_is_object(json))
        return bad(path, "expected an object", err);
    th__iepad_rule *rule = th__iepad_rule_new();
    if (!rule)
        return th__fail_memory(err);
    json_t *patterns;
    th_status status = read_levels(json, path, rule, err);
    if (!status)
        status = get_bool(json, path, "skip_hidden", &rule->encoding.skip_hidden, err);
    if (!status)
        status = get_bool(json, path, "media_as_text", &rule->encoding.media_as_text, err);
    if (!status)
        status = get_bool(json, path, "last_record", &rule->last_record, err);
    if (!status)
        status = read_fields(json, path, rule, err);
    if (!status)
        status = get_array(json, path, "patterns", TH__IEPAD_MAX_RULES, &patterns, err);
    for (size_t i = 0; !status && i < json_array_size(patterns); i++) {
        char where[PATH];
        th__iepad_division *division;
        path_item(where, path, "patterns", i);
        status = read_division(json_array_get(patterns, i), where, 0, rule, &division, err);
        if (!status)
            status = th__iepad_rule_add(rule, division, err);
    }
    if (status)
        th__iepad_rule_free(rule);
    else
        *out = rule;
    return status;
}
