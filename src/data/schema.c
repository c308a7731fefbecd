/* schema.c: building and looking at schemas; schemas in the papers' notation and as JSON. */
#include "data/schema.h"

#include <stdio.h>

#include "base/error.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/utf8.h"

const char *th_note_name(th_note note)
{
    static const char *const names[] = {
        [TH_NOTE_TEXT] = "text",   [TH_NOTE_NUMBER] = "number", [TH_NOTE_PRICE] = "price",
        [TH_NOTE_DATE] = "date",   [TH_NOTE_TIME] = "time",     [TH_NOTE_URL] = "url",
        [TH_NOTE_IMAGE] = "image", [TH_NOTE_EMAIL] = "email",   [TH_NOTE_PHONE] = "phone",
    };
    return (unsigned)note < sizeof names / sizeof *names ? names[note] : NULL;
}

const char *th_type_kind_name(th_type_kind kind)
{
    static const char *const names[] = {
        [TH_TYPE_FIELD] = "field",       [TH_TYPE_TUPLE] = "tuple",   [TH_TYPE_LIST] = "list",
        [TH_TYPE_OPTIONAL] = "optional", [TH_TYPE_CHOICE] = "choice",
    };
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

th_status th_schema_new(th_schema **out, th_error *err)
{
    *out = NULL;
    th_schema *schema = TH__NEW(th_schema);
    if (!schema)
        return th__fail_memory(err);
    th__arena_init(&schema->arena);
    atomic_init(&schema->owners, 1);
    *out = schema;
    return TH_OK;
}

th_schema *th_schema_retain(const th_schema *schema)
{
    th_schema *shared = (th_schema *)schema; /* the count is not part of what is const */
    if (shared)
        atomic_fetch_add(&shared->owners, 1);
    return shared;
}

void th_schema_free(th_schema *schema)
{
    if (!schema || atomic_fetch_sub(&schema->owners, 1) > 1)
        return;
    th__arena_release(&schema->arena);
    th__mem_free(schema);
}

/* ---- building -------------------------------------------------------------------------------- */

static th_type *no_memory(th_schema *schema)
{
    if (!schema->failure.status)
        th__fail_memory(&schema->failure);
    return NULL;
}

static th_type *refuse(th_schema *schema, th_status status, const char *message)
{
    if (!schema->failure.status)
        th__fail(&schema->failure, status, "%s", message);
    return NULL;
}

/* A type with its name and room for `count` children. */
static th_type *new_type(th_schema *schema, th_type_kind kind, th_str name, size_t count)
{
    if (schema->failure.status)
        return NULL;
    if (schema->root)
        return refuse(schema, TH_ERR_ARGUMENT, "a finished schema cannot be added to");
    if (count >= TH_SCHEMA_MAX_TYPES || schema->type_count >= TH_SCHEMA_MAX_TYPES)
        return refuse(schema, TH_ERR_LIMIT, "a schema has at most 65536 types");
    if (name.len > TH_SCHEMA_MAX_NAME)
        return refuse(schema, TH_ERR_LIMIT, "a name in a schema has at most 1024 bytes");
    if (name.len && memchr(name.ptr, '\0', name.len))
        return refuse(schema, TH_ERR_ARGUMENT, "a name in a schema contains a NUL byte");
    if (name.len && th__utf8_valid(name.ptr, name.len) < name.len)
        return refuse(schema, TH_ERR_ARGUMENT, "a name in a schema is not UTF-8");
    th_type *type = th__arena_zero(&schema->arena, 1, sizeof *type);
    th_type **children = th__arena_zero(&schema->arena, count ? count : 1, sizeof *children);
    th_str copy = th__arena_copy(&schema->arena, name);
    if (!type || !children || !copy.ptr)
        return no_memory(schema);
    *type = (th_type){.kind = (uint8_t)kind, .depth = 1, .name = copy, .children = children};
    schema->type_count++;
    return type;
}

static bool adopt(th_schema *schema, th_type *parent, th_type *child)
{
    if (!child)
        return refuse(schema, TH_ERR_ARGUMENT, "a type in a schema has a child that is missing");
    if (child->used)
        return refuse(schema, TH_ERR_ARGUMENT, "a type appears twice in a schema");
    if (child->depth >= TH_SCHEMA_MAX_DEPTH)
        return refuse(schema, TH_ERR_LIMIT, "a schema is at most 64 types deep");
    child->used = true;
    if (parent->depth <= child->depth)
        parent->depth = child->depth + 1;
    parent->children[parent->count++] = child;
    return true;
}

static th_type *new_parent(th_schema *schema, th_type_kind kind, th_str name,
                           th_type *const *children, size_t count)
{
    th_type *type = new_type(schema, kind, name, count);
    for (size_t i = 0; type && i < count; i++)
        if (!adopt(schema, type, children[i]))
            return NULL;
    return type;
}

th_type *th_schema_field(th_schema *schema, th_str name, th_note note)
{
    if (!th_note_name(note))
        return refuse(schema, TH_ERR_ARGUMENT, "a field has a note that does not exist");
    th_type *type = new_type(schema, TH_TYPE_FIELD, name, 0);
    if (type)
        type->note = (uint8_t)note;
    return type;
}

th_type *th_schema_list(th_schema *schema, th_str name, th_type *item)
{
    return new_parent(schema, TH_TYPE_LIST, name, &item, 1);
}

th_type *th_schema_optional(th_schema *schema, th_type *item)
{
    return new_parent(schema, TH_TYPE_OPTIONAL, (th_str){0}, &item, 1);
}

th_type *th_schema_choice(th_schema *schema, th_str name, th_type *const *alternatives,
                          size_t count)
{
    if (count == 0)
        return refuse(schema, TH_ERR_ARGUMENT, "a choice in a schema has no alternatives");
    return new_parent(schema, TH_TYPE_CHOICE, name, alternatives, count);
}

/* ---- keys of a tuple ------------------------------------------------------------------------- */

/* Adds the keys of a member to keys->names when that is given, and counts them in any case. False
 * when one is missing: the member or an alternative of it has no name. */
static bool collect_keys(const th_type *member, th_str inherited, th__keys *keys)
{
    member = th__type_strip(member);
    th_str name = th_type_name(member);
    if (!name.len)
        name = inherited;
    if (member->kind != TH_TYPE_CHOICE) {
        if (name.len && keys->names)
            keys->names[keys->count] = name;
        keys->count++;
        return name.len > 0;
    }
    bool all = true;
    for (uint32_t i = 0; i < member->count; i++)
        all &= collect_keys(member->children[i], name, keys);
    return all;
}

/* Leaves each key once: alternatives may share one. */
static bool drop_repeated_keys(th__keys *keys)
{
    if (keys->count < 2)
        return true;
    th__intern seen;
    th__intern_init(&seen);
    uint32_t kept = 0;
    bool ok = true;
    for (uint32_t i = 0; ok && i < keys->count; i++) {
        uint32_t before = seen.len;
        ok = th__intern_add(&seen, keys->names[i]) != TH__INTERN_NONE;
        if (seen.len > before)
            keys->names[kept++] = keys->names[i];
    }
    keys->count = kept;
    th__intern_release(&seen);
    return ok;
}

static bool fill_keys(th_schema *schema, const th_type *member, th__keys *keys)
{
    *keys = (th__keys){0};
    collect_keys(member, (th_str){0}, keys);
    keys->names = th__arena_zero(&schema->arena, keys->count, sizeof *keys->names);
    if (!keys->names)
        return false;
    keys->count = 0;
    collect_keys(member, (th_str){0}, keys);
    return drop_repeated_keys(keys);
}

/* Gives an unnamed member a name that no other key of its tuple has. */
static bool name_member(th_schema *schema, th_type *member, size_t position, th__intern *seen)
{
    char name[64];
    size_t len = (size_t)snprintf(name, sizeof name, "field_%zu", position);
    for (unsigned i = 2; th__intern_find(seen, (th_str){name, len}) != TH__INTERN_NONE; i++)
        len = (size_t)snprintf(name, sizeof name, "field_%zu_%u", position, i);
    while (member->kind == TH_TYPE_OPTIONAL)
        member = member->children[0];
    member->name = th__arena_copy(&schema->arena, (th_str){name, len});
    return member->name.ptr != NULL;
}

/* Adds the keys of member i to `seen`; the second pass names the members that have none. */
static bool add_member_keys(th_schema *schema, th_type *tuple, uint32_t i, bool naming,
                            th__intern *seen)
{
    th__keys none = {0};
    bool named = collect_keys(tuple->children[i], (th_str){0}, &none);
    if (named == naming)
        return true;
    if (naming && !name_member(schema, tuple->children[i], i + 1, seen))
        return no_memory(schema);
    if (!fill_keys(schema, tuple->children[i], &tuple->keys[i]))
        return no_memory(schema);
    for (uint32_t k = 0; k < tuple->keys[i].count; k++) {
        th_str key = tuple->keys[i].names[k];
        uint32_t before = seen->len;
        if (th__intern_add(seen, key) == TH__INTERN_NONE)
            return no_memory(schema);
        if (seen->len == before) {
            th__fail(&schema->failure, TH_ERR_ARGUMENT,
                     "a tuple has two members named \"%.*s\": give them different names",
                     TH_STR_ARG(key));
            return false;
        }
    }
    return true;
}

th_type *th_schema_tuple(th_schema *schema, th_str name, th_type *const *members, size_t count)
{
    th_type *tuple = new_parent(schema, TH_TYPE_TUPLE, name, members, count);
    if (!tuple)
        return NULL;
    tuple->keys = th__arena_zero(&schema->arena, count ? count : 1, sizeof *tuple->keys);
    if (!tuple->keys)
        return no_memory(schema);
    th__intern seen;
    th__intern_init(&seen);
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++)
        ok = add_member_keys(schema, tuple, i, false, &seen);
    /* A member named in the second pass has keys by then: the test there is on what it lacked. */
    for (uint32_t i = 0; ok && i < count; i++)
        if (!tuple->keys[i].names)
            ok = add_member_keys(schema, tuple, i, true, &seen);
    th__intern_release(&seen);
    return ok ? tuple : NULL;
}

th_status th_schema_finish(th_schema *schema, th_type *root, th_error *err)
{
    if (!schema->failure.status && schema->root)
        refuse(schema, TH_ERR_ARGUMENT, "a schema is finished only once");
    if (!schema->failure.status && (!root || root->used))
        refuse(schema, TH_ERR_ARGUMENT, "a schema has no root, or its root is inside it");
    if (schema->failure.status) {
        if (err)
            *err = schema->failure;
        return schema->failure.status;
    }
    root->used = true;
    schema->root = root;
    return TH_OK;
}

/* ---- looking --------------------------------------------------------------------------------- */

const th_type *th__type_strip(const th_type *type)
{
    while (type->kind == TH_TYPE_OPTIONAL)
        type = type->children[0];
    return type;
}

uint32_t th__type_find_key(const th_type *tuple, th_str key)
{
    for (uint32_t i = 0; i < tuple->count; i++)
        for (uint32_t k = 0; k < tuple->keys[i].count; k++)
            if (th__str_eq(tuple->keys[i].names[k], key))
                return i;
    return tuple->count;
}

/* Recursion is bounded by TH_SCHEMA_MAX_DEPTH. */
uint32_t th__type_leaves(const th_type *type)
{
    uint32_t count = type->kind == TH_TYPE_FIELD;
    for (uint32_t i = 0; i < type->count; i++)
        count += th__type_leaves(type->children[i]);
    return count;
}

const th_type *th_schema_root(const th_schema *schema)
{
    return schema->root;
}

const th_type *th_schema_record_type(const th_schema *schema)
{
    const th_type *root = th__type_strip(schema->root);
    return root->kind == TH_TYPE_LIST ? th__type_strip(root->children[0]) : root;
}

static bool type_equal(const th_type *a, const th_type *b)
{
    if (a->kind != b->kind || a->note != b->note || a->count != b->count ||
        !th__str_eq(a->name, b->name))
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!type_equal(a->children[i], b->children[i]))
            return false;
    return true;
}

bool th_schema_equal(const th_schema *a, const th_schema *b)
{
    return a == b || type_equal(a->root, b->root);
}

th_type_kind th_type_get_kind(const th_type *type)
{
    return (th_type_kind)type->kind;
}

th_str th_type_name(const th_type *type)
{
    while (!type->name.len && (type->kind == TH_TYPE_OPTIONAL || type->kind == TH_TYPE_LIST))
        type = type->children[0];
    return type->name;
}

th_note th_type_note(const th_type *type)
{
    return (th_note)type->note;
}

size_t th_type_count(const th_type *type)
{
    return type->count;
}

const th_type *th_type_child(const th_type *type, size_t index)
{
    return index < type->count ? type->children[index] : NULL;
}

/* ---- a schema for several -------------------------------------------------------------------- */

static th_type *copy_type(th_schema *to, const th_type *type);

th_type *th__type_like(th_schema *to, const th_type *like, th_type **children, size_t count)
{
    switch ((th_type_kind)like->kind) {
    case TH_TYPE_FIELD: {
        th_type *field = th_schema_field(to, like->name, like->note);
        if (field)
            field->typed = like->typed;
        return field;
    }
    case TH_TYPE_TUPLE:
        return th_schema_tuple(to, like->name, children, count);
    case TH_TYPE_LIST:
        return th_schema_list(to, like->name, children[0]);
    case TH_TYPE_OPTIONAL:
        return th_schema_optional(to, children[0]);
    case TH_TYPE_CHOICE:
        break;
    }
    return th_schema_choice(to, like->name, children, count);
}

static th_type *copy_type(th_schema *to, const th_type *type)
{
    th_type **children = th__arena_zero(&to->arena, type->count + 1, sizeof *children);
    for (uint32_t i = 0; children && i < type->count; i++)
        children[i] = copy_type(to, type->children[i]); /* as deep as schemas are */
    return children ? th__type_like(to, type, children, type->count) : no_memory(to);
}

th_type *th__type_copy(th_schema *to, const th_type *type, th_str name)
{
    th_type *copy = copy_type(to, th__type_strip(type));
    if (!copy)
        return NULL;
    copy->name = th__arena_copy(&to->arena, name);
    return copy->name.ptr ? copy : no_memory(to);
}

static th_type *optional(th_schema *to, th_type *type, bool wanted)
{
    return wanted && type && type->kind != TH_TYPE_OPTIONAL ? th_schema_optional(to, type) : type;
}

/* The member of a tuple that goes by the same name; one without a name by its position. */
static const th_type *member_like(const th_type *tuple, const th_type *member, uint32_t position)
{
    th_str name = th_type_name(member);
    for (uint32_t i = 0; i < tuple->count; i++) {
        th_str other = th_type_name(tuple->children[i]);
        if (name.len ? th__str_eq(other, name) : !other.len && i == position)
            return tuple->children[i];
    }
    return NULL;
}

static th_type *join_types(th_schema *to, const th_type *a, const th_type *b);

static th_type *join_tuples(th_schema *to, const th_type *a, const th_type *b)
{
    th_type **members = th__arena_zero(&to->arena, a->count + b->count + 1, sizeof *members);
    size_t count = 0;
    for (uint32_t i = 0; members && i < a->count; i++) {
        const th_type *other = member_like(b, a->children[i], i);
        members[count++] = other ? join_types(to, a->children[i], other)
                                 : optional(to, copy_type(to, a->children[i]), true);
    }
    for (uint32_t i = 0; members && i < b->count; i++)
        if (!member_like(a, b->children[i], i))
            members[count++] = optional(to, copy_type(to, b->children[i]), true);
    return members ? th__type_like(to, a, members, count) : NULL;
}

static th_type *join_kinds(th_schema *to, const th_type *a, const th_type *b)
{
    if (b->kind == TH_TYPE_LIST && a->kind != TH_TYPE_LIST)
        return join_kinds(to, b, a);
    if (a->kind == TH_TYPE_LIST)
        return th_schema_list(
            to, a->name, join_types(to, a->children[0], b->kind == a->kind ? b->children[0] : b));
    if (a->kind == TH_TYPE_TUPLE && b->kind == TH_TYPE_TUPLE)
        return join_tuples(to, a, b);
    if (a->kind == TH_TYPE_FIELD && b->kind == TH_TYPE_FIELD) {
        th_type *field = th_schema_field(to, a->name, a->note == b->note ? a->note : TH_NOTE_TEXT);
        if (field)
            field->typed = a->typed || b->typed;
        return field;
    }
    if (type_equal(a, b))
        return copy_type(to, a);
    th_type *both[] = {copy_type(to, a), copy_type(to, b)};
    return th_schema_choice(to, th_type_name(a), both, 2);
}

static th_type *join_types(th_schema *to, const th_type *a, const th_type *b)
{
    bool missing = a->kind == TH_TYPE_OPTIONAL || b->kind == TH_TYPE_OPTIONAL;
    return optional(to, join_kinds(to, th__type_strip(a), th__type_strip(b)), missing);
}

th_status th_schema_union(const th_schema *const *schemas, size_t count, th_schema **out,
                          th_error *err)
{
    th_schema *all = NULL;
    th_status status = TH_OK;
    *out = NULL;
    if (!count)
        return th__fail(err, TH_ERR_ARGUMENT, "a union needs a schema");
    for (size_t i = 0; !status && i < count; i++) {
        th_schema *next;
        status = th_schema_new(&next, err);
        if (status)
            break;
        th_type *root =
            all ? join_types(next, all->root, schemas[i]->root) : copy_type(next, schemas[i]->root);
        status = th_schema_finish(next, root, err);
        th_schema_free(all);
        all = next;
    }
    if (status)
        th_schema_free(all);
    else
        *out = all;
    return status;
}

/* ---- two schemas side by side ---------------------------------------------------------------- */

/* `prefix` and `name` in one. Absent if out of memory. */
static th_str prefixed(th_schema *to, th_str prefix, th_str name)
{
    return th__arena_print(&to->arena, "%.*s%.*s", TH_STR_ARG(prefix), TH_STR_ARG(name));
}

/* A copy with `prefix` before each name that makes a key. */
static th_type *copy_prefixed(th_schema *to, const th_type *type, th_str prefix)
{
    th_type **children = th__arena_zero(&to->arena, type->count + 1, sizeof *children);
    th_type like = *type;
    bool down = type->kind == TH_TYPE_OPTIONAL || type->kind == TH_TYPE_CHOICE;
    if (prefix.len && type->kind != TH_TYPE_OPTIONAL)
        like.name = prefixed(to, prefix, th_type_name(type));
    if (!children || (prefix.len && !like.name.ptr))
        return no_memory(to);
    for (uint32_t i = 0; i < type->count; i++)
        children[i] =
            down ? copy_prefixed(to, type->children[i], prefix) : copy_type(to, type->children[i]);
    return th__type_like(to, &like, children, type->count);
}

/* Adds the keys of a member with `prefix` before them to those that are taken; *clash says if one
 * of them was. */
static bool take_keys(th_schema *to, const th__keys *keys, th_str prefix, th__intern *taken,
                      bool *clash)
{
    bool ok = true;
    *clash = false;
    for (uint32_t i = 0; ok && i < keys->count; i++)
        if (keys->names[i].len) {
            th_str key = prefixed(to, prefix, keys->names[i]);
            ok = key.ptr;
            *clash |= ok && th__intern_find(taken, key) != TH__INTERN_NONE;
        }
    for (uint32_t i = 0; ok && !*clash && i < keys->count; i++)
        if (keys->names[i].len) {
            th_str key = prefixed(to, prefix, keys->names[i]);
            ok = key.ptr && th__intern_add(taken, key) != TH__INTERN_NONE;
        }
    return ok;
}

/* The members of a record: those of a tuple, else the record itself. */
static const th_type *const *record_members(const th_schema *schema, const th_type **own,
                                            uint32_t *count)
{
    *own = th__type_strip(th_schema_record_type(schema));
    bool tuple = (*own)->kind == TH_TYPE_TUPLE;
    *count = tuple ? (*own)->count : 1;
    return tuple ? (const th_type *const *)(*own)->children : own;
}

static bool add_members(th_schema *to, const th_schema *from, th_str prefix, th__intern *taken,
                        th_type **members, size_t *count)
{
    const th_type *own;
    uint32_t more;
    const th_type *const *children = record_members(from, &own, &more);
    for (uint32_t i = 0; i < more; i++) {
        th__keys keys;
        th_str before = TH_STR("");
        bool clash,
            ok = fill_keys(to, children[i], &keys) && take_keys(to, &keys, before, taken, &clash);
        while (ok && clash && prefix.len) {
            before = prefixed(to, prefix, before);
            ok = before.ptr && take_keys(to, &keys, before, taken, &clash);
        }
        members[(*count)++] = ok ? copy_prefixed(to, children[i], before) : NULL;
        if (!members[*count - 1])
            return false;
    }
    return true;
}

th_status th__schema_pair(const th_schema *left, const th_schema *right, th_str prefix,
                          th_schema **out, th_error *err)
{
    th_schema *pair;
    const th_type *a, *b;
    uint32_t left_count, right_count;
    th__intern taken;
    size_t count = 0;
    *out = NULL;
    th_status status = th_schema_new(&pair, err);
    if (status)
        return status;
    record_members(left, &a, &left_count);
    record_members(right, &b, &right_count);
    th__intern_init(&taken);
    th_type **members = th__arena_zero(&pair->arena, left_count + right_count + 1, sizeof *members),
            *root = NULL;
    if (members && add_members(pair, left, (th_str){0}, &taken, members, &count) &&
        add_members(pair, right, prefix, &taken, members, &count))
        root = th_schema_list(pair, (th_str){0}, th_schema_tuple(pair, a->name, members, count));
    th__intern_release(&taken);
    status =
        root || pair->failure.status ? th_schema_finish(pair, root, err) : th__fail_memory(err);
    if (status)
        th_schema_free(pair);
    else
        *out = pair;
    return status;
}

/* ---- as text -----------------------------------------------------------------------------------
 *
 *     {"kind": "list", "name": "books", "item":
 *         {"kind": "tuple", "members": [
 *             {"kind": "field", "name": "title", "note": "text"},
 *             {"kind": "optional", "item": {"kind": "field", "name": "price", "note": "price"}},
 *             {"kind": "choice", "name": "status", "alternatives": [...]}]}}
 */

/* ---- notation -------------------------------------------------------------------------------- */

/* What comes before, between and after the children, by kind. */
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
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    print_type(schema->root, names, false, &buf);
    return th__buf_give(&buf, out, err);
}

/* ---- JSON: writing --------------------------------------------------------------------------- */

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
    th__json_put_text(json, "kind", th_str_from(th_type_kind_name((th_type_kind)type->kind)));
    if (type->name.len) {
        th__json_put_text(json, "name", type->name);
    }
    if (type->kind == TH_TYPE_FIELD) {
        th__json_put_text(json, "note", th_str_from(th_note_name((th_note)type->note)));
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
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    th__json json = {.buf = &buf};
    th__schema_write(schema, &json);
    return th__buf_give(&buf, out, err);
}

/* ---- JSON: reading --------------------------------------------------------------------------- */

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
    th_type like = {.kind = (uint8_t)kind, .note = (uint8_t)note, .name = name};
    th_type *type = th__type_like(r->schema, &like, children, count);
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
