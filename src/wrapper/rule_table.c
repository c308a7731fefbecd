/* rule_table.c: reading, writing and renaming rules by their descriptions. */
#include "wrapper/rule_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

/* ---- where the reader is --------------------------------------------------------------------- */

size_t th__rule_enter(th__rule_reader *reader, const char *key)
{
    if (reader->depth < TH__RULE_DEPTH)
        reader->path[reader->depth].key = key;
    return reader->depth++;
}

size_t th__rule_enter_item(th__rule_reader *reader, size_t index)
{
    if (reader->depth < TH__RULE_DEPTH) {
        reader->path[reader->depth].key = NULL;
        reader->path[reader->depth].index = index;
    }
    return reader->depth++;
}

void th__rule_leave(th__rule_reader *reader, size_t mark)
{
    reader->depth = mark;
}

th_status th__rule_fault(th__rule_reader *reader, const char *format, ...)
{
    char problem[512];
    th__buf path = {0};
    va_list args;
    va_start(args, format);
    vsnprintf(problem, sizeof problem, format, args);
    va_end(args);
    for (size_t i = 0; i < reader->depth && i < TH__RULE_DEPTH; i++)
        if (reader->path[i].key)
            th__buf_printf(&path, "%s%s", i ? "." : "", reader->path[i].key);
        else
            th__buf_printf(&path, "[%zu]", reader->path[i].index);
    th_status status = path.failed
                           ? th__fail_memory(reader->err)
                           : th__fail(reader->err, TH_ERR_FORMAT, "%.200s: %.*s: %s", reader->file,
                                      TH_STR_ARG(th__buf_str(&path)), problem);
    if (!path.failed)
        th__fail_in(reader->err, status, 0, th__buf_str(&path));
    th__buf_release(&path);
    return status;
}

th_status th__rule_fault_in(th__rule_reader *reader, const char *key, const char *problem)
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

/* ---- numbers of any size --------------------------------------------------------------------- */

static uint64_t load(const void *at, size_t size)
{
    switch (size) {
    case 1:
        return *(const uint8_t *)at;
    case 2:
        return *(const uint16_t *)at;
    case 4:
        return *(const uint32_t *)at;
    default:
        return *(const uint64_t *)at;
    }
}

static void store(void *at, size_t size, uint64_t value)
{
    switch (size) {
    case 1:
        *(uint8_t *)at = (uint8_t)value;
        break;
    case 2:
        *(uint16_t *)at = (uint16_t)value;
        break;
    case 4:
        *(uint32_t *)at = (uint32_t)value;
        break;
    default:
        *(uint64_t *)at = value;
    }
}

/* Returns true if a struct has a member at all. */
static bool exists(const th__rule_member *member, const char *object)
{
    uint64_t number = member->only ? load(object + member->only_at, member->only_size) : 0;
    return !member->only || member->only >> (number < 31 ? number : 31) & 1;
}

/* ---- reading values: that at the reader's path, or NULL -------------------------------------- */

static th_status read_text(th__rule_reader *reader, json_t *value, th_str *out)
{
    if (!json_is_string(value))
        return th__rule_fault(reader, value ? "must be a text" : "is missing: a text");
    *out = th__arena_copy(reader->arena,
                          (th_str){json_string_value(value), json_string_length(value)});
    return out->ptr ? TH_OK : th__fail_memory(reader->err);
}

static th_status read_uint(th__rule_reader *reader, json_t *value, uint64_t least, uint64_t most,
                           uint64_t *out)
{
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || (uint64_t)number < least ||
        (uint64_t)number > most)
        return th__rule_fault(reader, "must be a whole number from %llu to %llu",
                              (unsigned long long)least, (unsigned long long)most);
    *out = (uint64_t)number;
    return TH_OK;
}

static th_status read_member_uint(th__rule_reader *reader, json_t *value,
                                  const th__rule_member *member, char *object)
{
    unsigned first = member->flags & TH__COUNTED ? 1 : 0;
    uint64_t number = 0, least = (uint64_t)member->least;
    uint64_t most = member->limit ? member->limit(reader, object) : (uint64_t)member->most;
    th_status status = read_uint(reader, value, least < first ? first : least, most, &number);
    store(object + member->at, member->size, number - first);
    return status;
}

static th_status read_real(th__rule_reader *reader, json_t *value, double least, double most,
                           double *out)
{
    double number = json_number_value(value);
    if (!json_is_number(value) || !(number >= least && number <= most))
        return th__rule_fault(reader, "must be a number from %g to %g", least, most);
    *out = number;
    return TH_OK;
}

static th_status read_flag(th__rule_reader *reader, json_t *value, bool *out)
{
    if (!json_is_boolean(value))
        return th__rule_fault(reader,
                              value ? "must be true or false" : "is missing: true or false");
    *out = json_is_true(value);
    return TH_OK;
}

static th_status read_hash(th__rule_reader *reader, json_t *value, uint64_t *out)
{
    const char *text = json_string_value(value);
    if (!text || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
        return th__rule_fault(reader,
                              "must be 16 hexadecimal digits, such as \"00c0ffee00c0ffee\"");
    *out = strtoull(text, NULL, 16);
    return TH_OK;
}

static th_status read_word(th__rule_reader *reader, json_t *value, const th__rule_member *member,
                           char *object)
{
    const char *text = json_string_value(value);
    char problem[200];
    snprintf(problem, sizeof problem, value ? "must be one of" : "is missing: one of");
    for (unsigned i = 0; member->words[i]; i++) {
        if (text && !strcmp(text, member->words[i])) {
            store(object + member->at, member->size, i);
            return TH_OK;
        }
        size_t len = strlen(problem);
        snprintf(problem + len, sizeof problem - len, "%s %s", i ? "," : "", member->words[i]);
    }
    return th__rule_fault(reader, "%s", problem);
}

static th_status read_array(th__rule_reader *reader, json_t *value, size_t least, size_t most)
{
    if (json_is_array(value) && json_array_size(value) >= least && json_array_size(value) <= most)
        return TH_OK;
    return th__rule_fault(reader, "must be an array of %zu to %zu items", least, most);
}

/* While items are read, the struct has those before. */
static th_status read_list(th__rule_reader *reader, json_t *value, const th__rule_member *member,
                           char *object)
{
    size_t size = member->of->size;
    char *items = object + member->at;
    th_status status = read_array(reader, value, (size_t)member->least, (size_t)member->most);
    if (status)
        return status;
    size_t count = json_array_size(value);
    if (member->type == TH__RULE_LIST) {
        items = th__arena_zero(reader->arena, count + 1, size);
        if (!items)
            return th__fail_memory(reader->err);
        memcpy(object + member->at, &items, sizeof items);
    }
    for (size_t i = 0; !status && i < count; i++) {
        size_t mark = th__rule_enter_item(reader, i);
        store(object + member->count_at, member->count_size, i);
        status =
            th__rule_read_inner(reader, json_array_get(value, i), member->of, items + i * size);
        th__rule_leave(reader, mark);
    }
    store(object + member->count_at, member->count_size, count);
    return status;
}

static th_status read_pointer(th__rule_reader *reader, json_t *value, const th__rule_member *member,
                              char *object)
{
    void *inner = th__arena_zero(reader->arena, 1, member->of->size);
    if (!inner)
        return th__fail_memory(reader->err);
    memcpy(object + member->at, &inner, sizeof inner);
    return th__rule_read_inner(reader, value, member->of, inner);
}

static th_status read_parsed(th__rule_reader *reader, json_t *value, const th__rule_member *member,
                             void *at)
{
    th_str text;
    th_status status = read_text(reader, value, &text);
    return status ? status : member->parse(reader, text, member->way, at);
}

static th_status read_chars(th__rule_reader *reader, json_t *value, const char **out)
{
    th_str text = {0};
    th_status status = read_text(reader, value, &text);
    *out = text.ptr;
    return status;
}

static th_status read_value(th__rule_reader *reader, json_t *value, const th__rule_member *member,
                            char *object)
{
    void *at = object + member->at;
    switch (member->type) {
    case TH__RULE_TEXT:
        return read_text(reader, value, at);
    case TH__RULE_CHARS:
        return read_chars(reader, value, at);
    case TH__RULE_UINT:
        return read_member_uint(reader, value, member, object);
    case TH__RULE_REAL:
        return read_real(reader, value, member->least, member->most, at);
    case TH__RULE_FLAG:
        return read_flag(reader, value, at);
    case TH__RULE_HASH:
        return read_hash(reader, value, at);
    case TH__RULE_WORD:
        return read_word(reader, value, member, object);
    case TH__RULE_OBJECT:
        return th__rule_read_inner(reader, value, member->of, at);
    case TH__RULE_POINTER:
        return read_pointer(reader, value, member, object);
    case TH__RULE_LIST:
    case TH__RULE_ARRAY:
        return read_list(reader, value, member, object);
    case TH__RULE_PARSED:
        return read_parsed(reader, value, member, at);
    case TH__RULE_OWN:
        return member->read(reader, value, object);
    }
    return TH_OK;
}

/* ---- reading structs ------------------------------------------------------------------------- */

static th_status read_members(th__rule_reader *reader, json_t *json, const th__rule_shape *shape,
                              char *object);

/* Notes which of several members a struct has; false if it has another one. */
static bool set_tag(const th__rule_member *member, char *object)
{
    if (!member->tag_size || !member->tag)
        return true;
    uint64_t tag = load(object + member->tag_at, member->tag_size);
    store(object + member->tag_at, member->tag_size, member->tag);
    return !tag || tag == member->tag;
}

static th_status read_member(th__rule_reader *reader, json_t *json, const th__rule_member *member,
                             char *object)
{
    if (member->type == TH__RULE_OBJECT && !member->key)
        return read_members(reader, json, member->of, object + member->at);
    if (member->type == TH__RULE_OWN)
        return member->read(reader, json, object);
    json_t *value = member_of(json, member->key);
    if (!value && !(member->flags & TH__NEEDED)) {
        if (member->none)
            store(object + member->at, member->size, member->none);
        if (member->usual != 0)
            *(double *)(object + member->at) = member->usual;
        return TH_OK;
    }
    size_t mark = th__rule_enter(reader, member->key);
    th_status status = set_tag(member, object)
                           ? read_value(reader, value, member, object)
                           : th__rule_fault(reader, "contradicts what is given beside it");
    if (!status && member->check)
        status = member->check(reader, object);
    th__rule_leave(reader, mark);
    return status;
}

static th_status read_members(th__rule_reader *reader, json_t *json, const th__rule_shape *shape,
                              char *object)
{
    th_status status = shape->begin ? shape->begin(reader, object) : TH_OK;
    for (size_t i = 0; !status && i < shape->count; i++)
        if (exists(&shape->members[i], object))
            status = read_member(reader, json, &shape->members[i], object);
    return !status && shape->check ? shape->check(reader, object) : status;
}

static bool is_bare(const th__rule_shape *shape)
{
    return shape->count == 1 && !shape->members->key && shape->members->type != TH__RULE_OBJECT;
}

th_status th__rule_read_inner(th__rule_reader *reader, json_t *json, const th__rule_shape *shape,
                              void *object)
{
    if (is_bare(shape)) {
        th_status status = read_value(reader, json, shape->members, object);
        return !status && shape->check ? shape->check(reader, object) : status;
    }
    if (!json_is_object(json))
        return th__rule_fault(reader, json ? "must be an object" : "is missing: an object");
    return read_members(reader, json, shape, object);
}

th_status th__rule_table_fill(th__rule_reader *reader, json_t *json, const th__rule_shape *shape,
                              void *object)
{
    void *root = reader->root;
    reader->root = object;
    th_status status = th__rule_read_inner(reader, json, shape, object);
    reader->root = root;
    return status;
}

th_status th__rule_table_read(th__rule_reader *reader, json_t *json, const th__rule_shape *shape,
                              void **out)
{
    *out = th__arena_zero(reader->arena, 1, shape->size);
    return *out ? th__rule_table_fill(reader, json, shape, *out) : th__fail_memory(reader->err);
}

/* ---- reading single members ------------------------------------------------------------------ */

th_status th__rule_member_read(th__rule_reader *reader, json_t *object,
                               const th__rule_member *member, void *out)
{
    return read_member(reader, object, member, out);
}

th_status th__rule_text(th__rule_reader *reader, json_t *object, const char *key, bool needed,
                        th__arena *arena, th_str *out)
{
    th__arena *own = reader->arena;
    reader->arena = arena;
    th_status status = read_member(
        reader, object,
        &(th__rule_member){.key = key, .type = TH__RULE_TEXT, .flags = needed ? TH__NEEDED : 0},
        (char *)out);
    reader->arena = own;
    return status;
}

th_status th__rule_number(th__rule_reader *reader, json_t *object, const char *key, bool needed,
                          uint64_t most, uint64_t *out)
{
    json_t *value = member_of(object, key);
    if (!value && !needed)
        return TH_OK;
    size_t mark = th__rule_enter(reader, key);
    th_status status = read_uint(reader, value, 0, most, out);
    th__rule_leave(reader, mark);
    return status;
}

th_status th__rule_array(th__rule_reader *reader, json_t *object, const char *key, size_t least,
                         size_t most, json_t **out)
{
    size_t mark = th__rule_enter(reader, key);
    *out = json_object_get(object, key);
    th_status status = read_array(reader, *out, least, most);
    th__rule_leave(reader, mark);
    return status;
}

th_status th__rule_object(th__rule_reader *reader, json_t *object, const char *key, bool needed,
                          json_t **out)
{
    *out = member_of(object, key);
    if (json_is_object(*out) || (!*out && !needed))
        return TH_OK;
    return th__rule_fault_in(reader, key, *out ? "must be an object" : "is missing: an object");
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The structs of a list, and how many there are. */
static const char *items_of(const th__rule_member *member, const char *object, uint64_t *count)
{
    const char *items = object + member->at;
    *count = load(object + member->count_at, member->count_size);
    if (member->type == TH__RULE_LIST)
        memcpy(&items, object + member->at, sizeof items);
    return items;
}

static const void *pointer_at(const char *at)
{
    const void *pointer;
    memcpy(&pointer, at, sizeof pointer);
    return pointer;
}

/* Returns true if a struct that was read or learnt has a member. */
static bool is_there(const th__rule_member *member, const char *object)
{
    return exists(member, object) &&
           (!member->tag_size || load(object + member->tag_at, member->tag_size) == member->tag);
}

/* A real number as it is written. */
static double real_of(const th__rule_member *member, const char *at)
{
    double real = *(const double *)at;
    return member->flags & TH__ROUNDED ? round(real * 1e4) / 1e4 : real;
}

/* Returns true if a member is not what it would be without being in the file. */
static bool has_value(const th__rule_member *member, const char *object)
{
    const char *at = object + member->at;
    switch (member->type) {
    case TH__RULE_TEXT:
        return ((const th_str *)at)->len ||
               (member->flags & TH__EMPTY && ((const th_str *)at)->ptr);
    case TH__RULE_REAL:
        return real_of(member, at) != member->usual;
    case TH__RULE_FLAG:
        return *(const bool *)at;
    case TH__RULE_LIST:
    case TH__RULE_ARRAY:
        return load(object + member->count_at, member->count_size) > 0;
    case TH__RULE_POINTER:
        return pointer_at(at);
    case TH__RULE_CHARS:
        return pointer_at(at) && *(const char *)pointer_at(at);
    case TH__RULE_OBJECT:
        for (size_t i = 0; i < member->of->count; i++)
            if (is_there(&member->of->members[i], at) && has_value(&member->of->members[i], at))
                return true;
        return false;
    case TH__RULE_PARSED:
        return true;
    case TH__RULE_OWN:
        return false;
    default:
        return load(at, member->size) != member->none;
    }
}

static void write_struct(const th__rule_shape *shape, const void *root, const void *object,
                         th__json *json);

static void write_list(const th__rule_member *member, const void *root, const char *object,
                       th__json *json)
{
    uint64_t count;
    const char *items = items_of(member, object, &count);
    th__json_begin_array(json);
    for (uint64_t i = 0; i < count; i++)
        write_struct(member->of, root, items + i * member->of->size, json);
    th__json_end_array(json);
}

static void write_hash(uint64_t hash, th__json *json)
{
    char digits[17];
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)hash);
    th__json_str(json, th_str_from(digits));
}

static void write_print(const th__rule_member *member, const void *root, const void *at,
                        th__json *json)
{
    th__buf text = {0};
    member->print(root, at, member->way, &text);
    json->buf->failed |= text.failed;
    th__json_str(json, th__buf_str(&text));
    th__buf_release(&text);
}

static void write_value(const th__rule_member *member, const void *root, const char *object,
                        th__json *json)
{
    const char *at = object + member->at;
    switch (member->type) {
    case TH__RULE_TEXT:
        th__json_str(json, *(const th_str *)at);
        break;
    case TH__RULE_CHARS:
        th__json_str(json, th_str_from(pointer_at(at)));
        break;
    case TH__RULE_UINT:
        th__json_uint(json, load(at, member->size) + (member->flags & TH__COUNTED ? 1 : 0));
        break;
    case TH__RULE_REAL:
        th__json_double(json, real_of(member, at));
        break;
    case TH__RULE_FLAG:
        th__json_bool(json, *(const bool *)at);
        break;
    case TH__RULE_HASH:
        write_hash(load(at, member->size), json);
        break;
    case TH__RULE_WORD:
        th__json_str(json, th_str_from(member->words[load(at, member->size)]));
        break;
    case TH__RULE_OBJECT:
        write_struct(member->of, root, at, json);
        break;
    case TH__RULE_POINTER:
        write_struct(member->of, root, pointer_at(at), json);
        break;
    case TH__RULE_LIST:
    case TH__RULE_ARRAY:
        write_list(member, root, object, json);
        break;
    case TH__RULE_PARSED:
        write_print(member, root, at, json);
        break;
    case TH__RULE_OWN:
        member->write(root, object, json);
        break;
    }
}

void th__rule_write_members(const th__rule_shape *shape, const void *root, const void *object,
                            th__json *json)
{
    for (size_t i = 0; i < shape->count; i++) {
        const th__rule_member *member = &shape->members[i];
        if (!is_there(member, object))
            continue;
        if (member->type == TH__RULE_OWN) {
            member->write(root, object, json);
        } else if (member->type == TH__RULE_OBJECT && !member->key) {
            th__rule_write_members(member->of, root, (const char *)object + member->at, json);
        } else if (member->flags & (TH__NEEDED | TH__ALWAYS) || has_value(member, object)) {
            th__json_key(json, th_str_from(member->key));
            write_value(member, root, object, json);
        }
    }
}

static void write_struct(const th__rule_shape *shape, const void *root, const void *object,
                         th__json *json)
{
    if (is_bare(shape)) {
        write_value(shape->members, root, object, json);
        return;
    }
    th__json_begin_object(json);
    th__rule_write_members(shape, root, object, json);
    th__json_end_object(json);
}

void th__rule_table_write(const th__rule_shape *shape, const void *object, th__json *json)
{
    write_struct(shape, object, object, json);
}

static const th__rule_member text_items[] = {{.type = TH__RULE_TEXT}};
const th__rule_shape th__texts_shape = TH__SHAPE(th_str, text_items);

/* ---- renaming -------------------------------------------------------------------------------- */

typedef th_str (*rename_fn)(void *context, th_str list, th_str name);

static void rename_text(th_str *name, rename_fn rename, void *context)
{
    th_str to = rename(context, (th_str){0}, *name);
    if (to.len)
        *name = to;
}

void th__rule_table_rename(const th__rule_shape *shape, void *object, rename_fn rename,
                           void *context)
{
    for (size_t i = 0; i < shape->count; i++) {
        const th__rule_member *member = &shape->members[i];
        char *at = (char *)object + member->at;
        uint64_t count = 1;
        const char *inner = at;
        if (!exists(member, object))
            continue;
        if (member->flags & TH__FIELD_NAME && member->type == TH__RULE_TEXT)
            rename_text((th_str *)at, rename, context);
        if (!member->of)
            continue;
        if (member->type == TH__RULE_POINTER)
            inner = pointer_at(at);
        else if (member->type != TH__RULE_OBJECT)
            inner = items_of(member, object, &count);
        for (uint64_t n = 0; inner && n < count; n++)
            th__rule_table_rename(member->of, (char *)inner + n * member->of->size, rename,
                                  context);
    }
}
