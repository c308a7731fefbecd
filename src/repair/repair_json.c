/* repair_json.c: members and their names in wrappers as JSON. */
#include "repair/repair_json.h"

#include "base/error.h"

th_status th__wrapper_to_json(const th_wrapper *wrapper, json_t **out, th_error *err)
{
    th_text text = {0};
    th_status status = th_wrapper_write(wrapper, &text, err);
    *out = status ? NULL : json_loadb(text.ptr, text.len, JSON_ALLOW_NUL, NULL);
    th_text_release(&text);
    return status || *out ? status : th__fail_memory(err);
}

th_status th__wrapper_from_json(json_t *root, th_wrapper **out, th_error *err)
{
    char *text = json_dumps(root, JSON_COMPACT);
    if (!text)
        return th__fail_memory(err);
    th_status status = th_wrapper_read(th_str_from(text), "repaired wrapper", out, err);
    free(text);
    return status;
}

bool th__json_is_kind(json_t *type, const char *kind)
{
    const char *own = json_string_value(json_object_get(type, "kind"));
    return own && !strcmp(own, kind);
}

json_t *th__json_strip(json_t *type)
{
    while (th__json_is_kind(type, "optional"))
        type = json_object_get(type, "item");
    return type;
}

/* The members of the record's tuple, or NULL. */
json_t *th__json_members(json_t *root)
{
    json_t *type = th__json_strip(json_object_get(root, "schema"));
    if (th__json_is_kind(type, "list"))
        type = th__json_strip(json_object_get(type, "item"));
    return th__json_is_kind(type, "tuple") ? json_object_get(type, "members") : NULL;
}

/* The type that bears the name of a member: itself, or the item of a list without one. */
json_t *th__json_named_type(json_t *member)
{
    json_t *type = th__json_strip(member);
    while (th__json_is_kind(type, "list") && !json_object_get(type, "name"))
        type = th__json_strip(json_object_get(type, "item"));
    return type;
}

const char *th__json_member_name(json_t *member)
{
    return json_string_value(json_object_get(th__json_named_type(member), "name"));
}

/* Whether a member is a field or a list of fields, with a name. */
bool th__json_is_flat(json_t *member)
{
    json_t *type = th__json_strip(member);
    if (th__json_is_kind(type, "list"))
        type = th__json_strip(json_object_get(type, "item"));
    return th__json_is_kind(type, "field") && th__json_member_name(member);
}

/* How many fields there are in a type. Depth is bounded by TH_SCHEMA_MAX_DEPTH. */
uint32_t th__json_count_fields(json_t *type)
{
    json_t *inner;
    size_t i;
    uint32_t count =
        th__json_is_kind(type, "field") +
        (json_object_get(type, "item") ? th__json_count_fields(json_object_get(type, "item")) : 0);
    json_array_foreach(json_object_get(type, "members"), i, inner) count +=
        th__json_count_fields(inner);
    json_array_foreach(json_object_get(type, "alternatives"), i, inner) count +=
        th__json_count_fields(inner);
    return count;
}

json_t *th__json_find_member(json_t *members, const char *name, size_t len)
{
    size_t i;
    json_t *member;
    json_array_foreach(members, i, member)
    {
        const char *own = th__json_member_name(member);
        if (own && strlen(own) == len && !memcmp(own, name, len))
            return member;
    }
    return NULL;
}

/* The name of a field of flat records: its path without the brackets of a list. */
th_str th__field_name(th_str path)
{
    if (path.len > 2 && path.ptr[path.len - 1] == ']')
        path.len -= 2;
    return path;
}

bool th__json_is_list(json_t *member)
{
    return th__json_is_kind(th__json_strip(member), "list");
}
