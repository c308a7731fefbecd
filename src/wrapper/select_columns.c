/*
 * select_columns.c: columns as people write them: which, in which order, renamed, merged, typed.
 *
 *     title=bike,price:number,city+street=place,*
 *
 * Each item names columns of what the wrapper gives now. A wrapper that is a selection already
 * keeps its cuts: a column that is part of a text stays that part, also when it is merged.
 */
#include "base/error.h"
#include "data/schema.h"
#include "wrapper/wrapper.h"

enum { MOST_NAMES = TH__SELECT_MAX_PARTS };

/* One item as it was written; names are in the arena. */
struct item {
    th_str names[MOST_NAMES];
    uint32_t count;
    th_str as; /* absent: as the first name */
    th_str type;
};

/* Reads up to one of the signs that have a meaning; a backslash before a sign takes that away. */
static bool read_name(const char **at, const char *ends, th__arena *arena, th_str *out)
{
    th__buf name = {0};
    for (; **at && !strchr(ends, **at); ++*at) {
        if (**at == '\\' && (*at)[1])
            ++*at;
        th__buf_add_byte(&name, **at);
    }
    *out = name.failed ? (th_str){0} : th__arena_copy(arena, th__str_trim(th__buf_str(&name)));
    th__buf_release(&name);
    return out->ptr;
}

static th_status read_item(const char **at, th__arena *arena, struct item *out, th_error *err)
{
    bool ok = true, more = true;
    *out = (struct item){0};
    while (ok && more) {
        if (out->count == MOST_NAMES)
            return th__fail(err, TH_ERR_ARGUMENT, "at most %d columns can be merged", MOST_NAMES);
        ok = read_name(at, "+=:,", arena, &out->names[out->count++]);
        more = **at == '+';
        *at += more;
    }
    if (ok && **at == '=') {
        ++*at;
        ok = read_name(at, ":,", arena, &out->as);
    }
    if (ok && **at == ':') {
        ++*at;
        ok = read_name(at, ",", arena, &out->type);
    }
    *at += **at == ',';
    return ok ? TH_OK : th__fail_memory(err);
}

struct chooser {
    th_wrapper *wrapper;
    const th_type *tuple; /* of the wrapper's present output */
    th__select *out;
    bool *used; /* by member of the tuple */
    th_str between;
};

static th_status find_column(struct chooser *c, th_str name, uint32_t *out, th_error *err)
{
    for (*out = 0; *out < c->tuple->count; ++*out)
        if (th__str_eq(th_type_name(c->tuple->children[*out]), name))
            return TH_OK;
    th__buf known = {0};
    for (uint32_t i = 0; i < c->tuple->count && known.len < 300; i++)
        th__buf_printf(&known, "%s%.*s", i ? ", " : "",
                       TH_STR_ARG(th_type_name(c->tuple->children[i])));
    th_status status = known.failed
                           ? th__fail_memory(err)
                           : th__fail(err, TH_ERR_ARGUMENT, "no column \"%.*s\": there are %.*s",
                                      TH_STR_ARG(name), TH_STR_ARG(th__buf_str(&known)));
    th__buf_release(&known);
    return status;
}

/* The field that gives a column now. */
static bool field_of(const struct chooser *c, uint32_t column, th__select_field *out)
{
    if (c->wrapper->select) {
        *out = c->wrapper->select->fields[column];
        return true;
    }
    const th_type *type = th__type_strip(c->tuple->children[column]);
    *out = (th__select_field){.name = th_type_name(type), .from_count = 1};
    out->list =
        type->kind == TH_TYPE_LIST && th__type_strip(type->children[0])->kind == TH_TYPE_FIELD;
    out->from = th__arena_zero(&c->wrapper->arena, 1, sizeof *out->from);
    if (out->from)
        *out->from = th__arena_copy(&c->wrapper->arena, out->name);
    return out->from && out->from->ptr;
}

/* Several columns as one. */
static th_status merge(struct chooser *c, const uint32_t *columns, uint32_t count,
                       th__select_field *out, th_error *err)
{
    *out = (th__select_field){.join = true, .between = c->between};
    out->parts = th__arena_zero(&c->wrapper->arena, count, sizeof *out->parts);
    if (!out->parts)
        return th__fail_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        th__select_field *part = &out->parts[out->part_count++];
        if (!field_of(c, columns[i], part))
            return th__fail_memory(err);
        if (part->rest || part->part_count)
            return th__fail(err, TH_ERR_ARGUMENT, "column \"%.*s\" cannot be merged: %s",
                            TH_STR_ARG(part->name),
                            part->rest ? "it is what no other column takes"
                                       : "it is merged already");
        part->name = (th_str){0};
        part->type = TH__SELECT_AS_IT_LOOKS;
    }
    return TH_OK;
}

static th_status set_type(th__select_field *field, th_str type, th_error *err)
{
    for (unsigned i = 0; th__select_types[i]; i++)
        if (th__str_eq(type, th_str_from(th__select_types[i]))) {
            field->type = (uint8_t)i;
            return TH_OK;
        }
    return th__fail(err, TH_ERR_ARGUMENT,
                    "unknown type \"%.*s\" of a column (any, text, number, price or date)",
                    TH_STR_ARG(type));
}

static th_status add_item(struct chooser *c, const struct item *item, th_error *err)
{
    uint32_t columns[MOST_NAMES];
    th__select_field *field = &c->out->fields[c->out->count];
    th_status status = TH_OK;
    for (uint32_t i = 0; !status && i < item->count; i++) {
        status = find_column(c, item->names[i], &columns[i], err);
        if (!status)
            c->used[columns[i]] = true;
    }
    if (status)
        return status;
    if (c->out->count == TH__SELECT_MAX_FIELDS)
        return th__fail(err, TH_ERR_LIMIT, "a wrapper has at most %d columns",
                        TH__SELECT_MAX_FIELDS);
    if (item->count > 1)
        status = merge(c, columns, item->count, field, err);
    else if (!field_of(c, columns[0], field))
        status = th__fail_memory(err);
    field->name = item->as.len ? item->as : item->names[0];
    if (!status && item->type.len)
        status = set_type(field, item->type, err);
    c->out->count++;
    return status;
}

/* All columns that no item names, in their order. */
static th_status add_others(struct chooser *c, th_error *err)
{
    th_status status = TH_OK;
    for (uint32_t i = 0; !status && i < c->tuple->count; i++) {
        struct item item = {.names = {th_type_name(c->tuple->children[i])}, .count = 1};
        if (!c->used[i])
            status = add_item(c, &item, err);
    }
    return status;
}

static bool is_others(const struct item *item)
{
    return item->count == 1 && th__str_eq(item->names[0], TH_STR("*")) && !item->as.ptr &&
           !item->type.ptr;
}

/* Adds the items in order; the meaning of "*" is known only after all are read. */
static th_status add_items(struct chooser *c, const char *text, th_error *err)
{
    struct item item;
    th_status status = TH_OK;
    uint32_t column;
    for (const char *at = text; !status && *at;) {
        status = read_item(&at, &c->wrapper->arena, &item, err);
        for (uint32_t i = 0; !status && !is_others(&item) && i < item.count; i++) {
            status = find_column(c, item.names[i], &column, err);
            if (!status)
                c->used[column] = true;
        }
    }
    for (const char *at = text; !status && *at;) {
        status = read_item(&at, &c->wrapper->arena, &item, err);
        if (!status)
            status = is_others(&item) ? add_others(c, err) : add_item(c, &item, err);
    }
    return status;
}

th_status th_wrapper_set_columns(th_wrapper *wrapper, const char *columns, const char *join,
                                 th_error *err)
{
    const th_schema *given = th_wrapper_schema(wrapper);
    struct chooser c = {.wrapper = wrapper, .tuple = th__type_strip(th_schema_record_type(given))};
    size_t most = c.tuple->count + 2;
    th_error own;
    for (const char *at = columns; *at; at++)
        most += *at == ',';
    if (c.tuple->kind != TH_TYPE_TUPLE)
        return th__fail(err, TH_ERR_ARGUMENT, "records of this wrapper have no columns");
    c.out = th__arena_zero(&wrapper->arena, 1, sizeof *c.out);
    c.used = th__arena_zero(&wrapper->arena, c.tuple->count + 1, sizeof *c.used);
    if (c.out)
        c.out->fields = th__arena_zero(&wrapper->arena, most, sizeof *c.out->fields);
    if (join)
        c.between = th__arena_copy(&wrapper->arena, th_str_from(join));
    if (!c.used || !c.out || !c.out->fields || (join && !c.between.ptr))
        return th__fail_memory(err);
    th_status status = add_items(&c, columns, err);
    if (!status && !c.out->count)
        status = th__fail(err, TH_ERR_ARGUMENT, "no column is named");
    if (!status) {
        status = th__select_prepare(c.out, wrapper->schema, &wrapper->arena, &own);
        if (status == TH_ERR_MEMORY)
            th__fail_memory(err);
        else if (status)
            status = th__fail(err, TH_ERR_ARGUMENT, "columns: %.700s", own.message);
    }
    if (status) {
        th__select_release(c.out);
        return status;
    }
    if (wrapper->select)
        th__select_release(wrapper->select);
    wrapper->select = c.out;
    wrapper->profile = NULL; /* it was of other fields */
    return TH_OK;
}
