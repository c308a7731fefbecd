/*
 * schema_text.c: schemas in the papers' notation and as JSON.
 *
 *     {"kind": "list", "name": "books", "item":
 *         {"kind": "tuple", "members": [
 *             {"kind": "field", "name": "title", "note": "text"},
 *             {"kind": "optional", "item": {"kind": "field", "name": "price", "note": "price"}},
 *             {"kind": "choice", "name": "status", "alternatives": [...]}]}}
 */
#include "data/schema.h"

#include "base/error.h"
#include "base/mem.h"

/* Reuses the memory of the caller's text. */
static th__buf buf_of(th_text *text)
{
    return (th__buf){.data = text->ptr, .cap = text->cap};
}

static th_status give_text(th__buf *buf, th_text *out, th_error *err)
{
    bool ok = th__buf_add_byte(buf, '\0');
    *out = (th_text){buf->data, ok ? buf->len - 1 : 0, buf->cap};
    return ok ? TH_OK : th__fail_memory(err);
}

/* ---- notation ---- */

/* What stands before, between and after the children, by kind. */
static const struct {
    const char *before, *between, *after;
} marks[] = {
    [TH_TYPE_FIELD] = {"B", "", ""},  [TH_TYPE_TUPLE] = {"<", ",", ">"},
    [TH_TYPE_LIST] = {"{", "", "}"},  [TH_TYPE_OPTIONAL] = {"(", "", ")?"},
    [TH_TYPE_CHOICE] = {"", "|", ""},
};

static void print_type(const th_type *type, bool names, bool in_choice, th__buf *buf)
{
    bool bracket = type->kind == TH_TYPE_CHOICE && (in_choice || (names && type->name.len));
    if (names && type->name.len) {
        th__buf_add_str(buf, type->name);
        if (type->kind == TH_TYPE_FIELD)
            return;
        th__buf_add_byte(buf, ':');
    }
    th__buf_printf(buf, "%s%s", bracket ? "(" : "", marks[type->kind].before);
    for (uint32_t i = 0; i < type->count; i++) {
        if (i)
            th__buf_printf(buf, "%s", marks[type->kind].between);
        print_type(type->children[i], names, type->kind == TH_TYPE_CHOICE, buf);
    }
    th__buf_printf(buf, "%s%s", marks[type->kind].after, bracket ? ")" : "");
}

th_status th_schema_print(const th_schema *schema, bool names, th_text *out, th_error *err)
{
    th__buf buf = buf_of(out);
    print_type(schema->root, names, false, &buf);
    return give_text(&buf, out, err);
}

/* ---- JSON: writing ---- */

static const char *const child_keys[] = {
    [TH_TYPE_FIELD] = NULL,      [TH_TYPE_TUPLE] = "members",       [TH_TYPE_LIST] = "item",
    [TH_TYPE_OPTIONAL] = "item", [TH_TYPE_CHOICE] = "alternatives",
};

static bool has_many(unsigned kind)
{
    return kind == TH_TYPE_TUPLE || kind == TH_TYPE_CHOICE;
}

static void write_type(const th_type *type, th__json *json)
{
    th__json_begin_object(json);
    th__json_key(json, TH_STR("kind"));
    th__json_str(json, th_str_from(th_type_kind_name((th_type_kind)type->kind)));
    if (type->name.len) {
        th__json_key(json, TH_STR("name"));
        th__json_str(json, type->name);
    }
    if (type->kind == TH_TYPE_FIELD) {
        th__json_key(json, TH_STR("note"));
        th__json_str(json, th_str_from(th_note_name((th_note)type->note)));
    } else {
        th__json_key(json, th_str_from(child_keys[type->kind]));
        if (has_many(type->kind))
            th__json_begin_array(json);
        for (uint32_t i = 0; i < type->count; i++)
            write_type(type->children[i], json);
        if (has_many(type->kind))
            th__json_end_array(json);
    }
    th__json_end_object(json);
}

void th__schema_write(const th_schema *schema, th__json *json)
{
    write_type(schema->root, json);
}

th_status th_schema_to_json(const th_schema *schema, th_text *out, th_error *err)
{
    th__buf buf = buf_of(out);
    th__json json = {.buf = &buf};
    th__schema_write(schema, &json);
    return give_text(&buf, out, err);
}

/* ---- JSON: reading ---- */

typedef struct schema_reader {
    th_schema *schema;
    th__buf path; /* of the JSON value being read */
    unsigned depth;
    th_error *err;
} schema_reader;

static th_type *fault(schema_reader *r, const char *problem)
{
    if (r->path.failed) {
        th__fail_memory(r->err);
        return NULL;
    }
    th__fail(r->err, TH_ERR_FORMAT, "schema at %.*s: %s", TH_STR_ARG(th__buf_str(&r->path)),
             problem);
    th__fail_in(r->err, TH_ERR_FORMAT, 0, th__buf_str(&r->path));
    return NULL;
}

/* The number of a name in a table that a function gives, or -1. */
static int number_of(const char *text, size_t count, const char *(*name_of)(unsigned))
{
    for (unsigned i = 0; text && i < count; i++)
        if (!strcmp(text, name_of(i)))
            return (int)i;
    return -1;
}

static const char *kind_at(unsigned i)
{
    return th_type_kind_name((th_type_kind)i);
}

static const char *note_at(unsigned i)
{
    return th_note_name((th_note)i);
}

static bool check_keys(schema_reader *r, json_t *json, int kind)
{
    const char *key;
    json_t *value;
    json_object_foreach(json, key, value)
    {
        bool known = !strcmp(key, "kind") || (!strcmp(key, "name") && kind != TH_TYPE_OPTIONAL) ||
                     (!strcmp(key, "note") && kind == TH_TYPE_FIELD) ||
                     (child_keys[kind] && !strcmp(key, child_keys[kind]));
        if (known)
            continue;
        char problem[200];
        snprintf(problem, sizeof problem, "unknown key \"%.100s\" in a %s", key,
                 kind_at((unsigned)kind));
        return fault(r, problem);
    }
    return true;
}

static th_type *read_type(schema_reader *r, json_t *json);

/* Reads the children into an array that the caller frees; false after a fault. */
static bool read_children(schema_reader *r, json_t *json, int kind, th_type ***out, size_t *count)
{
    json_t *inner = json_object_get(json, child_keys[kind]);
    bool many = has_many((unsigned)kind);
    char problem[80];
    snprintf(problem, sizeof problem, "a %s needs \"%s\", %s", kind_at((unsigned)kind),
             child_keys[kind], many ? "an array of types" : "a type");
    if (!inner || (many && !json_is_array(inner)))
        return fault(r, problem);
    *count = many ? json_array_size(inner) : 1;
    if (*count > TH_SCHEMA_MAX_TYPES)
        return fault(r, "a schema has at most 65536 types");
    *out = TH__NEW_ARRAY(th_type *, *count);
    if (!*out) {
        th__fail_memory(r->err);
        return false;
    }
    size_t kept = r->path.len;
    for (size_t i = 0; i < *count; i++) {
        th__buf_printf(&r->path, ".%s", child_keys[kind]);
        if (many)
            th__buf_printf(&r->path, "[%zu]", i);
        (*out)[i] = read_type(r, many ? json_array_get(inner, i) : inner);
        if (!(*out)[i])
            return false;
        r->path.len = kept;
    }
    return true;
}

/* Hands what was read to the building functions; their refusal gets the path. */
static th_type *build_type(schema_reader *r, int kind, th_str name, int note, th_type **children,
                           size_t count)
{
    th_type *type = NULL;
    switch ((th_type_kind)kind) {
    case TH_TYPE_FIELD:
        type = th_schema_field(r->schema, name, (th_note)note);
        break;
    case TH_TYPE_TUPLE:
        type = th_schema_tuple(r->schema, name, children, count);
        break;
    case TH_TYPE_LIST:
        type = th_schema_list(r->schema, name, children[0]);
        break;
    case TH_TYPE_OPTIONAL:
        type = th_schema_optional(r->schema, children[0]);
        break;
    case TH_TYPE_CHOICE:
        type = th_schema_choice(r->schema, name, children, count);
        break;
    }
    if (!type && r->schema->failure.status == TH_ERR_MEMORY)
        th__fail_memory(r->err);
    else if (!type)
        fault(r, r->schema->failure.message);
    return type;
}

static th_type *read_fields(schema_reader *r, json_t *json)
{
    if (!json_is_object(json))
        return fault(r, "expected an object with a \"kind\"");
    int kind =
        number_of(json_string_value(json_object_get(json, "kind")), TH_TYPE_CHOICE + 1, kind_at);
    if (kind < 0)
        return fault(r, "\"kind\" must be field, tuple, list, optional or choice");
    if (!check_keys(r, json, kind))
        return NULL;
    json_t *name = json_object_get(json, "name"), *note = json_object_get(json, "note");
    if (name && !json_is_string(name))
        return fault(r, "\"name\" must be a string");
    int note_number =
        note ? number_of(json_string_value(note), TH_NOTE_PHONE + 1, note_at) : TH_NOTE_TEXT;
    if (note_number < 0)
        return fault(
            r, "\"note\" must be text, number, price, date, time, url, image, email or phone");
    th_str name_text = {json_string_value(name), json_string_length(name)};
    th_type **children = NULL, *type = NULL;
    size_t count = 0;
    if (kind == TH_TYPE_FIELD || read_children(r, json, kind, &children, &count))
        type = build_type(r, kind, name_text, note_number, children, count);
    th__mem_free(children);
    return type;
}

static th_type *read_type(schema_reader *r, json_t *json)
{
    if (r->depth >= TH_SCHEMA_MAX_DEPTH)
        return fault(r, "a schema is at most 64 types deep");
    r->depth++;
    th_type *type = read_fields(r, json);
    r->depth--;
    return type;
}

th_status th__schema_read(json_t *json, const char *path, th_schema **out, th_error *err)
{
    th_error local;
    schema_reader r = {.err = err ? err : &local};
    *out = NULL;
    th_status status = th_schema_new(&r.schema, r.err);
    if (status)
        return status;
    th__buf_printf(&r.path, "%s", path);
    th_type *root = read_type(&r, json);
    status = root ? th_schema_finish(r.schema, root, r.err) : r.err->status;
    if (r.path.failed)
        status = th__fail_memory(r.err);
    th__buf_release(&r.path);
    if (status) {
        th_schema_free(r.schema);
        return status;
    }
    *out = r.schema;
    return TH_OK;
}

th_status th_schema_from_json(th_str json, th_schema **out, th_error *err)
{
    *out = NULL;
    json_error_t error;
    json_t *root = json_loadb(json.ptr ? json.ptr : "", json.len, JSON_REJECT_DUPLICATES, &error);
    if (!root && json_error_code(&error) == json_error_out_of_memory)
        return th__fail_memory(err);
    if (!root)
        return th__fail_at(err, TH_ERR_FORMAT, (uint64_t)error.position,
                           "schema is not JSON: line %d, column %d: %s", error.line, error.column,
                           error.text);
    th_status status = th__schema_read(root, "$", out, err);
    json_decref(root);
    return status;
}
