/* softmealy_fields.c: the fields of a schema, flat: what attributes can be. */
#include "engine/papers/softmealy/softmealy.h"

#include "base/error.h"

/* As deep as a schema is. */
static bool list_fields(const th_type *type, bool many, th__buf *path, th__arena *arena,
                        th__sm_fields *out)
{
    size_t mark = path->len;
    bool ok = true;
    if (th_type_get_kind(type) == TH_TYPE_FIELD) {
        th__sm_field field = {th__arena_copy(arena, th__buf_str(path)), many};
        return field.path.ptr && th__vec_push(out, field);
    }
    many |= th_type_get_kind(type) == TH_TYPE_LIST;
    for (size_t i = 0; ok && i < th_type_count(type); i++) {
        const th_type *child = th_type_child(type, i);
        if (th_type_get_kind(type) == TH_TYPE_TUPLE) {
            th_str name = th_type_name(child);
            th__buf_printf(path, "%s%.*s", mark ? "." : "", TH_STR_ARG(name));
        }
        ok = list_fields(child, many, path, arena, out);
        path->len = mark;
    }
    return ok && !path->failed;
}

bool th__sm_fields_list(const th_schema *schema, th__arena *arena, th__sm_fields *out)
{
    th__buf path = {0};
    bool ok = list_fields(th_schema_record_type(schema), false, &path, arena, out);
    th__buf_release(&path);
    return ok;
}

uint32_t th__sm_fields_find(const th__sm_fields *fields, th_str path)
{
    uint32_t leaf = 0;
    while (leaf < fields->len && !th__str_eq(fields->data[leaf].path, path))
        leaf++;
    return leaf;
}
