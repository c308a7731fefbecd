/* exalg_roles_show.c: roles as a template in the paper's notation. */
#include "engine/exalg/exalg_roles.h"

static void print_step(const th__exalg_role *role, th__buf *out)
{
    th__buf_add_byte(out, '<');
    th__buf_add_str(out, role->tag);
    if (role->cls.ptr)
        th__buf_printf(out, " .%.*s", (int)role->cls.len, role->cls.ptr);
    if (role->id.ptr)
        th__buf_printf(out, " #%.*s", (int)role->id.len, role->id.ptr);
    th__buf_add_byte(out, '>');
}

void th__exalg_roles_print(const th__exalg_roles *roles, th__buf *out)
{
    for (uint32_t i = 1; i < roles->count; i++) {
        const th__exalg_role *role = &roles->roles[i];
        unsigned depth = 1;
        for (uint32_t up = role->parent; up; up = roles->roles[up].parent)
            depth++;
        th__buf_printf(out, "%*s", (int)(2 * depth), "");
        if (role->list)
            th__buf_add_byte(out, '{');
        if (role->kind == TH__EXALG_ELEMENT)
            print_step(role, out);
        if (role->use == TH__EXALG_TEMPLATE)
            th__buf_printf(out, " %.*s", (int)role->text.len, role->text.ptr);
        if (role->use == TH__EXALG_DATA)
            th__buf_printf(out, " *%.*s", (int)role->name.len, role->name.ptr);
        if (role->list)
            th__buf_add_byte(out, '}');
        th__buf_add_byte(out, '\n');
    }
}
