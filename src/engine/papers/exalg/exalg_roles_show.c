/*
 * exalg_roles_show.c: roles as a template: what the paper writes as <A * B {<E * F>} C * D> as a
 * tree, a role a line.
 *
 *     <table .facts>
 *       <tr> Maker:                   a row known by its label
 *         <td> *maker = Hallam | -
 *       {<li>}                        items of a set
 *         *tags = city, used | -
 *
 * An optional role has a question mark behind it.
 */
#include "base/error.h"
#include "engine/papers/exalg/exalg_roles.h"
#include "engine/papers/exalg/exalg_show.h"

static void print_step(const th__exalg_role *role, th__buf *out)
{
    th__buf_printf(out, "<%.*s", TH_STR_ARG(role->tag));
    if (role->cls.ptr)
        th__buf_printf(out, " .%.*s", TH_STR_ARG(role->cls));
    if (role->id.ptr)
        th__buf_printf(out, " #%.*s", TH_STR_ARG(role->id));
    th__buf_add_byte(out, '>');
}

/* A text of the page on one line. */
static void print_text(th_str text, th__buf *out)
{
    if (!text.ptr)
        return;
    th__buf_add_byte(out, ' ');
    for (size_t i = 0; i < text.len; i++)
        th__buf_add_byte(out, (unsigned char)text.ptr[i] < ' ' ? ' ' : text.ptr[i]);
}

/* What the role is, without its value. */
static void print_role(const th__exalg_roles *roles, const th__exalg_role *role, th__buf *out)
{
    bool optional = role->support && role->support < roles->pages;
    if (role->list)
        th__buf_add_byte(out, '{');
    if (role->kind == TH__EXALG_ELEMENT)
        print_step(role, out);
    if (role->kind == TH__EXALG_ATTRIBUTE)
        th__buf_printf(out, "@%.*s", TH_STR_ARG(role->tag));
    if (role->told == TH__EXALG_BY_INSIDE || role->told == TH__EXALG_BY_SECTION ||
        role->told == TH__EXALG_BY_PREFIX || role->told == TH__EXALG_BY_AFTER ||
        role->kind == TH__EXALG_PIECE || role->kind == TH__EXALG_SLOT)
        print_text(role->label, out);
    if (role->gap.ptr && role->ordinal != TH__EXALG_NO_ROLE)
        th__buf_printf(out, "%u of %.*s", role->ordinal + 1, TH_STR_ARG(role->gap));
    else if (role->gap.ptr)
        th__buf_printf(out, "all of %.*s", TH_STR_ARG(role->gap));
    if (role->use == TH__EXALG_TEMPLATE)
        print_text(role->text, out);
    if (role->list)
        th__buf_add_byte(out, '}');
    if (optional)
        th__buf_add_byte(out, '?');
}

/* The way from the record to the field of a role: the sets around it, outermost first. */
static size_t find_way(const th__exalg_roles *roles, uint32_t role, uint32_t *way)
{
    size_t depth = 0;
    for (uint32_t r = role; r != TH__EXALG_NO_ROLE; r = roles->roles[r].set) {
        if (depth == TH_SCHEMA_MAX_DEPTH)
            return 0;
        memmove(way + 1, way, depth * sizeof *way);
        way[0] = roles->roles[r].member;
        depth++;
    }
    return depth;
}

void th__exalg_roles_print(const th__exalg_roles *roles, const th_records *const *pages,
                           size_t count, th__buf *out)
{
    uint32_t way[TH_SCHEMA_MAX_DEPTH + 1];
    for (uint32_t i = 1; i < roles->count; i++) {
        const th__exalg_role *role = &roles->roles[i];
        unsigned depth = 1;
        for (uint32_t up = role->parent; up; up = roles->roles[up].parent)
            depth++;
        bool part = role->kind == TH__EXALG_ATTRIBUTE || role->kind == TH__EXALG_PIECE;
        if (role->inner || (part && !role->name.ptr))
            continue;
        th__buf_printf(out, "%*s", (int)(2 * depth), "");
        size_t start = out->len;
        print_role(roles, role, out);
        if (role->use == TH__EXALG_DATA && role->name.ptr) {
            th__buf_printf(out, "%s*%.*s", out->len > start ? " " : "", TH_STR_ARG(role->name));
            th__exalg_show_values(pages, count, way, find_way(roles, i, way), out);
        }
        th__buf_add_byte(out, '\n');
    }
}
