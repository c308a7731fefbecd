/* rule_json.c: reading the JSON of rules. */
#include "wrapper/rule_json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

size_t th__rule_enter(th__rule_reader *reader, const char *key)
{
    size_t mark = reader->path.len;
    th__buf_printf(&reader->path, "%s%s", mark ? "." : "", key);
    return mark;
}

size_t th__rule_enter_item(th__rule_reader *reader, size_t index)
{
    size_t mark = reader->path.len;
    th__buf_printf(&reader->path, "[%zu]", index);
    return mark;
}

void th__rule_leave(th__rule_reader *reader, size_t mark)
{
    reader->path.len = mark;
}

th_status th__rule_fault(th__rule_reader *reader, const char *format, ...)
{
    char problem[512];
    va_list args;
    va_start(args, format);
    vsnprintf(problem, sizeof problem, format, args);
    va_end(args);
    if (reader->path.failed)
        return th__fail_memory(reader->err);
    th__fail(reader->err, TH_ERR_FORMAT, "%.200s: %.*s: %s", reader->file,
             TH_STR_ARG(th__buf_str(&reader->path)), problem);
    return th__fail_in(reader->err, TH_ERR_FORMAT, 0, th__buf_str(&reader->path));
}

/* A fault of a member. */
static th_status fault_in(th__rule_reader *reader, const char *key, const char *problem)
{
    size_t mark = th__rule_enter(reader, key);
    th_status status = th__rule_fault(reader, "%s", problem);
    th__rule_leave(reader, mark);
    return status;
}

/* The member, or NULL for one that is absent or null. */
static json_t *member_of(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

th_status th__rule_text(th__rule_reader *reader, json_t *object, const char *key, bool needed,
                        th__arena *arena, th_str *out)
{
    json_t *value = member_of(object, key);
    if (!value && !needed)
        return TH_OK;
    if (!json_is_string(value))
        return fault_in(reader, key, value ? "must be a text" : "is missing: a text");
    *out = th__arena_copy(arena, (th_str){json_string_value(value), json_string_length(value)});
    return out->ptr ? TH_OK : th__fail_memory(reader->err);
}

th_status th__rule_number(th__rule_reader *reader, json_t *object, const char *key, bool needed,
                          uint64_t most, uint64_t *out)
{
    json_t *value = member_of(object, key);
    char problem[80];
    if (!value && !needed)
        return TH_OK;
    snprintf(problem, sizeof problem, "must be a whole number from 0 to %llu",
             (unsigned long long)most);
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (uint64_t)json_integer_value(value) > most)
        return fault_in(reader, key, problem);
    *out = (uint64_t)json_integer_value(value);
    return TH_OK;
}

th_status th__rule_real(th__rule_reader *reader, json_t *object, const char *key, bool needed,
                        double least, double most, double *out)
{
    json_t *value = member_of(object, key);
    char problem[80];
    if (!value && !needed)
        return TH_OK;
    double number = json_number_value(value);
    snprintf(problem, sizeof problem, "must be a number from %g to %g", least, most);
    if (!json_is_number(value) || !(number >= least && number <= most))
        return fault_in(reader, key, problem);
    *out = number;
    return TH_OK;
}

th_status th__rule_bool(th__rule_reader *reader, json_t *object, const char *key, bool *out)
{
    json_t *value = member_of(object, key);
    if (!value)
        return TH_OK;
    if (!json_is_boolean(value))
        return fault_in(reader, key, "must be true or false");
    *out = json_is_true(value);
    return TH_OK;
}

th_status th__rule_hash(th__rule_reader *reader, json_t *object, const char *key, uint64_t *out)
{
    const char *text = json_string_value(member_of(object, key));
    if (!text || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
        return fault_in(reader, key, "must be 16 hexadecimal digits, such as \"00c0ffee00c0ffee\"");
    *out = strtoull(text, NULL, 16);
    return TH_OK;
}

th_status th__rule_word(th__rule_reader *reader, json_t *object, const char *key,
                        const char *const *words, unsigned *out)
{
    json_t *value = member_of(object, key);
    const char *text = json_string_value(value);
    char problem[200] = "must be one of";
    if (!value)
        return TH_OK;
    for (unsigned i = 0; words[i]; i++) {
        if (text && !strcmp(text, words[i])) {
            *out = i;
            return TH_OK;
        }
        size_t len = strlen(problem);
        snprintf(problem + len, sizeof problem - len, "%s %s", i ? "," : "", words[i]);
    }
    return fault_in(reader, key, problem);
}

th_status th__rule_array(th__rule_reader *reader, json_t *object, const char *key, size_t least,
                         size_t most, json_t **out)
{
    char problem[80];
    *out = json_object_get(object, key);
    snprintf(problem, sizeof problem, "must be an array of %zu to %zu items", least, most);
    if (!json_is_array(*out) || json_array_size(*out) < least || json_array_size(*out) > most)
        return fault_in(reader, key, problem);
    return TH_OK;
}

th_status th__rule_object(th__rule_reader *reader, json_t *object, const char *key, bool needed,
                          json_t **out)
{
    *out = member_of(object, key);
    if (!*out && !needed)
        return TH_OK;
    if (!json_is_object(*out))
        return fault_in(reader, key, *out ? "must be an object" : "is missing: an object");
    return TH_OK;
}
