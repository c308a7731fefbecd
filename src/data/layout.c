/* layout.c: a nested schema laid out flat. */
#include "data/layout.h"

#include <stdio.h>

#include "base/error.h"
#include "base/json_out.h"
#include "base/utf8.h"

typedef struct compiler {
    th__layout *layout;
    th__buf dotted; /* the name that the column would have */
    uint32_t path;  /* the key path */
} compiler;

static bool compile(compiler *c, const th_type *type, th__slot *slot);

/* ---- names ----------------------------------------------------------------------------------- */

static bool add_lowered(th__intern *in_use, const char *name, size_t len, bool *fresh)
{
    char lowered[TH__COLUMN_NAME_MAX + 32];
    for (size_t i = 0; i < len; i++)
        lowered[i] = (char)th__lower((unsigned char)name[i]);
    uint32_t before = in_use->len;
    if (th__intern_add(in_use, (th_str){lowered, len}) == TH__INTERN_NONE)
        return false;
    *fresh = in_use->len > before;
    return true;
}

/* `wanted`, or wanted_2, wanted_3 ...: the first that is not in use (without case); adds it. Absent
 * if out of memory. */
static th_str unique_name(th__intern *in_use, th__arena *arena, th_str wanted)
{
    char name[TH__COLUMN_NAME_MAX + 32];
    size_t stem = th__utf8_cut(wanted.ptr, wanted.len, TH__COLUMN_NAME_MAX);
    if (stem)
        memcpy(name, wanted.ptr, stem);
    size_t len = stem;
    for (unsigned n = 2;; n++) {
        bool fresh;
        if (!add_lowered(in_use, name, len, &fresh))
            return (th_str){0};
        if (fresh)
            return th__arena_copy(arena, (th_str){name, len});
        /* Past a few tries the count of names is a better guess than the next number. */
        unsigned suffix = n < 16 ? n : in_use->len + n;
        len = stem + (size_t)snprintf(name + stem, sizeof name - stem, "_%u", suffix);
    }
}

/* ---- compiling ------------------------------------------------------------------------------- */

/* The id of the path one key below. */
static bool enter(compiler *c, th_str key, uint32_t *outer, size_t *outer_len)
{
    char local[sizeof(uint32_t) + TH_SCHEMA_MAX_NAME];
    memcpy(local, &c->path, sizeof c->path);
    memcpy(local + sizeof c->path, key.ptr, key.len);
    uint32_t path = th__intern_add(&c->layout->paths, (th_str){local, sizeof c->path + key.len});
    if (path == TH__INTERN_NONE)
        return false;
    if (c->layout->places.len < c->layout->paths.len &&
        !th__vec_push(&c->layout->places, (th__place){.column = TH__NO_COLUMN}))
        return false;
    *outer = c->path;
    *outer_len = c->dotted.len;
    c->path = path;
    if (c->dotted.len)
        th__buf_add_byte(&c->dotted, '.');
    return th__buf_add_str(&c->dotted, key);
}

static void leave(compiler *c, uint32_t outer, size_t outer_len)
{
    c->path = outer;
    c->dotted.len = outer_len;
}

static th_str name_here(const compiler *c, const th_type *type)
{
    if (c->dotted.len)
        return th__buf_str(&c->dotted);
    th_str name = th_type_name(type);
    return name.len ? name : TH_STR("value");
}

static bool compile_column(compiler *c, const th_type *type, th__slot *slot)
{
    int32_t *known = &c->layout->places.data[c->path].column;
    if (*known == TH__NO_COLUMN) {
        th_str name = unique_name(&c->layout->names, c->layout->arena, name_here(c, type));
        if (!name.ptr || !th__vec_push(&c->layout->columns, name))
            return false;
        *known = (int32_t)c->layout->columns.len - 1;
    }
    slot->column = *known;
    return true;
}

static bool init_empty(th__layout *layout, th__layout *top, th__arena *arena,
                       const th_str *reserved, size_t count)
{
    *layout =
        (th__layout){.arena = arena, .top = top, .reserved = reserved, .reserved_count = count};
    th__intern_init(&layout->table_names);
    th__intern_init(&layout->names);
    th__intern_init(&layout->paths);
    bool ok = true, fresh;
    for (size_t i = 0; ok && i < count; i++)
        ok = add_lowered(&layout->names, reserved[i].ptr, reserved[i].len, &fresh);
    /* Path 0 is the record itself. */
    return ok && th__intern_add(&layout->paths, TH_STR("")) == 0 &&
           th__vec_push(&layout->places, (th__place){.column = TH__NO_COLUMN});
}

static bool compile_into(th__layout *layout, const th_type *type, th__slot *slot)
{
    compiler c = {.layout = layout};
    bool ok = compile(&c, type, slot);
    th__buf_release(&c.dotted);
    return ok;
}

/* The table of the items of a list: records_authors. */
static bool name_table(th__layout *child, th_str parent, th_str list)
{
    th_str name = th__arena_print(child->arena, "%.*s_%.*s", TH_STR_ARG(parent), TH_STR_ARG(list));
    if (name.ptr)
        child->table = unique_name(&child->top->table_names, child->arena, name);
    return child->table.ptr;
}

/* A list in tables: the child layout of its path, made on first sight. */
static bool compile_child(compiler *c, const th_type *type, th__slot *slot)
{
    th__layout *layout = c->layout, *child = layout->places.data[c->path].child;
    if (!child) {
        child = th__arena_zero(layout->arena, 1, sizeof *child);
        if (!child || !th__vec_push(&layout->children, child))
            return false;
        layout->places.data[c->path].child = child;
        if (!init_empty(child, layout->top, layout->arena, layout->reserved,
                        layout->reserved_count) ||
            !name_table(child, layout->table, name_here(c, type)))
            return false;
    }
    slot->child = child;
    slot->children = th__arena_zero(layout->arena, 1, sizeof *slot->children);
    return slot->children && compile_into(child, type->children[0], slot->children);
}

/* A member of a tuple goes under its key; a choice hands the keys down to its alternatives. */
static bool compile_keyed(compiler *c, const th_type *type, th_str inherited, th__slot *slot)
{
    type = th__type_strip(type);
    th_str key = th_type_name(type);
    if (!key.len)
        key = inherited;
    if (type->kind == TH_TYPE_CHOICE) {
        slot->children = th__arena_zero(c->layout->arena, type->count, sizeof *slot->children);
        bool ok = slot->children != NULL;
        for (uint32_t i = 0; ok && i < type->count; i++)
            ok = compile_keyed(c, type->children[i], key, &slot->children[i]);
        return ok;
    }
    uint32_t outer;
    size_t outer_len;
    if (!enter(c, key, &outer, &outer_len) || !compile(c, type, slot))
        return false;
    leave(c, outer, outer_len);
    return true;
}

static bool compile(compiler *c, const th_type *type, th__slot *slot)
{
    type = th__type_strip(type);
    *slot = (th__slot){.column = TH__NO_COLUMN};
    if (type->kind == TH_TYPE_FIELD || (type->kind == TH_TYPE_LIST && !c->layout->table.ptr))
        return compile_column(c, type, slot);
    if (type->kind == TH_TYPE_LIST)
        return compile_child(c, type, slot);
    slot->children = th__arena_zero(c->layout->arena, type->count ? type->count : 1, sizeof *slot);
    bool ok = slot->children != NULL;
    for (uint32_t i = 0; ok && i < type->count; i++)
        ok = type->kind == TH_TYPE_TUPLE
                 ? compile_keyed(c, type->children[i], (th_str){0}, &slot->children[i])
                 : compile(c, type->children[i], &slot->children[i]);
    return ok;
}

bool th__layout_init(th__layout *layout, th__arena *arena, const th_type *type, th_str table,
                     const th_str *reserved, size_t count)
{
    bool ok = init_empty(layout, layout, arena, reserved, count);
    if (ok && table.ptr) {
        layout->table = unique_name(&layout->table_names, arena, table);
        ok = layout->table.ptr;
    }
    layout->root = ok ? th__arena_zero(arena, 1, sizeof *layout->root) : NULL;
    return layout->root && compile_into(layout, type, layout->root);
}

void th__layout_release(th__layout *layout)
{
    for (size_t i = 0; i < layout->children.len; i++)
        th__layout_release(layout->children.data[i]);
    th__intern_release(&layout->table_names);
    th__intern_release(&layout->names);
    th__intern_release(&layout->paths);
    th__vec_release(&layout->columns);
    th__vec_release(&layout->children);
    th__vec_release(&layout->places);
}

/* ---- filling --------------------------------------------------------------------------------- */

typedef struct filler {
    th_str separator;
    th__arena *arena;
    th_str *cells;
    th__buf buf;
    bool ok;
} filler;

/* Returns true if the items of a list are texts, so that they can be joined. */
static bool is_text_type(const th_type *type)
{
    type = th__type_strip(type);
    if (type->kind != TH_TYPE_CHOICE)
        return type->kind == TH_TYPE_FIELD;
    for (uint32_t i = 0; i < type->count; i++)
        if (!is_text_type(type->children[i]))
            return false;
    return true;
}

static void fill_list(filler *f, const th_value *list, th_str *cell)
{
    th__buf_clear(&f->buf);
    if (is_text_type(list->type->children[0])) {
        for (uint32_t i = 0; i < list->count; i++) {
            if (i)
                th__buf_add_str(&f->buf, f->separator);
            th__buf_add_str(&f->buf, th_value_text(th__value_chosen(th__value_item(list, i))));
        }
    } else {
        th__json json = {.buf = &f->buf};
        th__value_write(list, false, &json);
    }
    *cell = f->buf.failed ? (th_str){0} : th__arena_copy(f->arena, th__buf_str(&f->buf));
    f->ok &= cell->ptr != NULL;
}

static void fill(filler *f, const th__slot *slot, const th_value *value)
{
    switch ((th_value_kind)value->kind) {
    case TH_VALUE_NULL:
        return;
    case TH_VALUE_TEXT:
        f->cells[slot->column] = th__value_text(value);
        return;
    case TH_VALUE_LIST:
        if (slot->column != TH__NO_COLUMN)
            fill_list(f, value, &f->cells[slot->column]);
        return;
    case TH_VALUE_CHOICE:
        fill(f, &slot->children[value->which], th__value_item(value, 0));
        return;
    case TH_VALUE_TUPLE:
        for (uint32_t i = 0; i < value->count; i++)
            fill(f, &slot->children[i], th__value_item(value, i));
    }
}

bool th__layout_fill(const th__layout *layout, const th__slot *slot, const th_value *value,
                     th_str separator, th__arena *arena, th_str *cells)
{
    filler f = {.separator = separator, .arena = arena, .cells = cells, .ok = true};
    for (size_t i = 0; i < layout->columns.len; i++)
        cells[i] = (th_str){0};
    fill(&f, slot, value);
    th__buf_release(&f.buf);
    return f.ok;
}
