/* record.c: building records, walking and copying them. */
#include "data/record.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "page/data_page.h"

th_status th_records_new(const th_schema *schema, const th_records_source *source, th_records **out,
                         th_error *err)
{
    *out = NULL;
    if (!schema || !schema->root)
        return th__fail(err, TH_ERR_ARGUMENT, "records need a finished schema");
    th_records *records = TH__NEW(th_records);
    if (!records)
        return th__fail_memory(err);
    th__arena_init(&records->arena);
    records->explained = -1;
    records->schema = th_schema_retain(schema);
    if (source && source->page.ptr)
        records->page = th__arena_copy(&records->arena, source->page);
    if (source && source->url.ptr)
        records->url = th__arena_copy(&records->arena, source->url);
    if (source &&
        ((source->page.ptr && !records->page.ptr) || (source->url.ptr && !records->url.ptr))) {
        th_records_free(records);
        return th__fail_memory(err);
    }
    *out = records;
    return TH_OK;
}

void th_records_free(th_records *records)
{
    if (!records)
        return;
    th__vec_release(&records->values);
    th__arena_release(&records->arena);
    th_schema_free(records->schema);
    th__mem_free(records);
}

const th_schema *th_records_schema(const th_records *records)
{
    return records->schema;
}

th_str th_records_page(const th_records *records)
{
    return records->page;
}

th_str th_records_url(const th_records *records)
{
    return records->url;
}

double th_records_explained(const th_records *records)
{
    return records->explained;
}

size_t th_records_count(const th_records *records)
{
    return records->values.len;
}

const th_value *th_records_get(const th_records *records, size_t index)
{
    return index < records->values.len ? records->values.data[index] : NULL;
}

th_status th_records_status(const th_records *records, th_error *err)
{
    if (records->failure.status && err)
        *err = records->failure;
    return records->failure.status;
}

/* ---- building -------------------------------------------------------------------------------- */

static void *no_memory(th_records *records)
{
    if (!records->failure.status)
        th__fail_memory(&records->failure);
    return NULL;
}

/* Returns true if a slot can become a value of a kind of type. A slot that is missing has failed
 * before. */
static bool fits(th_records *records, const th_value *slot, th_type_kind kind)
{
    if (!slot) {
        if (!records->failure.status)
            th__fail(&records->failure, TH_ERR_ARGUMENT,
                     "a value was set in a slot that is missing");
        return false;
    }
    if (slot->type->kind == kind && (slot->kind == TH_VALUE_NULL || kind == TH_TYPE_FIELD))
        return true;
    if (!records->failure.status)
        th__fail(&records->failure, TH_ERR_ARGUMENT,
                 "a value of kind %s was set in a slot of kind %s, or twice",
                 th_type_kind_name(kind), th_type_kind_name((th_type_kind)slot->type->kind));
    return false;
}

/* A slot for a new item: tuples are opened at once, since they have nothing to decide. */
static th_value *new_item(th_records *records, const th_type *type)
{
    th_value *slot = th__arena_zero(&records->arena, 1, sizeof *slot);
    if (!slot)
        return no_memory(records);
    slot->type = th__type_strip(type);
    return slot->type->kind == TH_TYPE_TUPLE ? th_records_set_tuple(records, slot) : slot;
}

th_value *th_records_add(th_records *records)
{
    th_value *slot = new_item(records, th_schema_record_type(records->schema));
    if (slot && !th__vec_push(&records->values, slot))
        return no_memory(records);
    return slot;
}

void th_records_set_text(th_records *records, th_value *slot, th_str text, th_span span)
{
    if (!fits(records, slot, TH_TYPE_FIELD))
        return;
    th_str copy = text.len <= UINT32_MAX ? th__arena_copy(&records->arena, text) : (th_str){0};
    if (!copy.ptr) {
        no_memory(records);
        return;
    }
    slot->kind = TH_VALUE_TEXT;
    slot->bytes = copy.ptr;
    slot->count = (uint32_t)copy.len;
    slot->span = span;
}

void th_records_set_number(th_records *records, th_value *slot, double number, int decimals)
{
    char text[400]; /* a double has up to 309 digits before the point */
    int len = snprintf(text, sizeof text, "%.*f", decimals < 16 ? decimals : 16, number);
    th_records_set_text(records, slot, (th_str){text, (size_t)len}, (th_span){0, 0});
    if (slot && slot->kind == TH_VALUE_TEXT)
        slot->number = true;
}

th_value *th_records_set_tuple(th_records *records, th_value *slot)
{
    if (!fits(records, slot, TH_TYPE_TUPLE))
        return NULL;
    uint32_t count = slot->type->count;
    slot->members = th__arena_zero(&records->arena, count, sizeof *slot->members);
    if (!slot->members)
        return no_memory(records);
    for (uint32_t i = 0; i < count; i++)
        slot->members[i].type = th__type_strip(slot->type->children[i]);
    slot->count = count;
    slot->kind = TH_VALUE_TUPLE;
    return slot;
}

th_value *th_records_set_list(th_records *records, th_value *slot)
{
    if (!fits(records, slot, TH_TYPE_LIST))
        return NULL;
    slot->list = NULL;
    slot->count = 0;
    slot->kind = TH_VALUE_LIST;
    return slot;
}

th_value *th_records_append(th_records *records, th_value *list)
{
    enum { FIRST_ROOM = 4 };
    if (!list || list->kind != TH_VALUE_LIST)
        list = th_records_set_list(records, list);
    if (!list)
        return NULL;
    uint32_t count = list->count;
    if (!count || (count >= FIRST_ROOM && !(count & (count - 1)))) {
        /* The old array stays in the arena: doubling keeps the loss below the list's own size. */
        uint32_t room = count ? count * 2 : FIRST_ROOM;
        th_value **grown =
            room > count ? th__arena_zero(&records->arena, room, sizeof *grown) : NULL;
        if (!grown)
            return no_memory(records);
        if (count)
            memcpy(grown, list->list, count * sizeof *grown);
        list->list = grown;
    }
    th_value *item = new_item(records, list->type->children[0]);
    if (item)
        list->list[list->count++] = item;
    return item;
}

th_value *th_records_choose(th_records *records, th_value *slot, size_t alternative)
{
    if (!fits(records, slot, TH_TYPE_CHOICE))
        return NULL;
    if (alternative >= slot->type->count) {
        if (!records->failure.status)
            th__fail(&records->failure, TH_ERR_ARGUMENT,
                     "alternative %zu was chosen of a choice with %u", alternative,
                     slot->type->count);
        return NULL;
    }
    th_value *item = new_item(records, slot->type->children[alternative]);
    if (!item)
        return NULL;
    slot->members = item;
    slot->count = 1;
    slot->which = (uint32_t)alternative;
    slot->kind = TH_VALUE_CHOICE;
    return item;
}

th_value *th_value_slot(th_value *value, size_t index)
{
    return (th_value *)th_value_item(value, index);
}

void th_value_set_span(th_value *value, th_span span)
{
    if (value)
        value->span = span;
}

/* ---- copying --------------------------------------------------------------------------------- */

/* As deep as schemas are. */
void th__value_copy(const th__copying *copying, th_value *slot, const th_value *from)
{
    th_records *to = copying->to;
    uint32_t at = 0;
    switch (th_value_get_kind(from)) {
    case TH_VALUE_NULL:
        return;
    case TH_VALUE_TEXT:
        th_records_set_text(to, slot, th__value_text(from), (th_span){0, 0});
        if (slot && slot->kind == TH_VALUE_TEXT)
            slot->number = from->number;
        if (slot && copying->places) {
            slot->by_looks = from->by_looks;
            slot->agreement = from->agreement;
        }
        break;
    case TH_VALUE_CHOICE:
        th__value_copy(copying, th_records_choose(to, slot, from->which), th__value_item(from, 0));
        break;
    case TH_VALUE_LIST:
        slot = th_records_set_list(to, slot);
        for (uint32_t i = 0; slot && i < from->count; i++)
            th__value_copy(copying, th_records_append(to, slot), th__value_item(from, i));
        break;
    case TH_VALUE_TUPLE:
        if (slot && slot->kind != TH_VALUE_TUPLE)
            slot = th_records_set_tuple(to, slot);
        for (uint32_t i = 0; slot && i < from->count; i++) {
            th__value_copy(copying, th_value_slot(slot, at++), th__value_item(from, i));
            if (copying->beside)
                at += copying->beside(copying->context, from, i, &slot->members[at]);
        }
    }
    if (slot && copying->places)
        slot->span = from->span;
}

/* ---- walking --------------------------------------------------------------------------------- */

th_value_kind th_value_get_kind(const th_value *value)
{
    return value ? (th_value_kind)value->kind : TH_VALUE_NULL;
}

const th_type *th_value_type(const th_value *value)
{
    return value->type;
}

th_str th_value_text(const th_value *value)
{
    return th_value_get_kind(value) == TH_VALUE_TEXT ? th__value_text(value) : (th_str){0};
}

th_span th_value_span(const th_value *value)
{
    return value ? value->span : (th_span){0};
}

size_t th_value_count(const th_value *value)
{
    return th_value_get_kind(value) > TH_VALUE_TEXT ? value->count : 0;
}

const th_value *th_value_item(const th_value *value, size_t index)
{
    return index < th_value_count(value) ? th__value_item(value, index) : NULL;
}

size_t th_value_which(const th_value *value)
{
    return th_value_get_kind(value) == TH_VALUE_CHOICE ? value->which : 0;
}

const th_value *th__value_chosen(const th_value *value)
{
    while (value && value->kind == TH_VALUE_CHOICE)
        value = th__value_item(value, 0);
    return value && value->type->kind == TH_TYPE_CHOICE ? NULL : value;
}

uint32_t th__each_value(const th_type *type, const th_value *value, uint32_t at, th__see_value see,
                        void *context)
{
    uint32_t next = at, items = 1;
    if (value && value->kind == TH_VALUE_NULL)
        value = NULL;
    switch (type->kind) {
    case TH_TYPE_FIELD:
        see(context, at, value);
        return at + 1;
    case TH_TYPE_OPTIONAL:
        return th__each_value(type->children[0], value, at, see, context);
    case TH_TYPE_LIST:
        items = value && value->count ? value->count : 1;
        for (uint32_t i = 0; i < items; i++)
            next = th__each_value(type->children[0],
                                  value && value->count ? th__value_item(value, i) : NULL, at, see,
                                  context);
        return next;
    default:
        for (uint32_t i = 0; i < type->count; i++) {
            bool choice = type->kind == TH_TYPE_CHOICE;
            bool there = value && (choice ? value->which == i && value->count : i < value->count);
            next = th__each_value(type->children[i],
                                  there ? th__value_item(value, choice ? 0 : i) : NULL, next, see,
                                  context);
        }
        return next;
    }
}

th_str th__value_key(const th_value *value)
{
    th_str key = th_type_name(value->type);
    while (value->kind == TH_VALUE_CHOICE) {
        value = th__value_item(value, 0);
        th_str name = th_type_name(value->type);
        if (name.len)
            key = name;
    }
    return key;
}

/* ---- order ----------------------------------------------------------------------------------- */

th_span th__value_hull(const th_value *value)
{
    if (th_value_get_kind(value) == TH_VALUE_TEXT)
        return value->span;
    th_span hull = {0};
    for (size_t i = 0; i < th_value_count(value); i++) {
        th_span span = th__value_hull(th_value_item(value, i));
        if (!span.end)
            continue;
        hull.start = hull.end && hull.start < span.start ? hull.start : span.start;
        hull.end = hull.end > span.end ? hull.end : span.end;
    }
    return hull;
}

struct placed {
    th_value *value;
    th_span hull;
    size_t number;
};

static int by_hull(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (!a->hull.end != !b->hull.end)
        return a->hull.end ? -1 : 1;
    if (a->hull.start != b->hull.start)
        return a->hull.start < b->hull.start ? -1 : 1;
    if (a->hull.end != b->hull.end)
        return a->hull.end < b->hull.end ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

bool th__values_sort(th_value **values, size_t count)
{
    struct placed *placed = count > 1 ? th__mem_zero(count, sizeof *placed) : NULL;
    if (!placed)
        return count < 2;
    for (size_t i = 0; i < count; i++)
        placed[i] = (struct placed){values[i], th__value_hull(values[i]), i};
    qsort(placed, count, sizeof *placed, by_hull);
    for (size_t i = 0; i < count; i++)
        values[i] = placed[i].value;
    th__mem_free(placed);
    return true;
}

/* ---- moving ---------------------------------------------------------------------------------- */

/* As deep as the schema, which is limited. */
static void move_value(th_value *value, const th_page *data)
{
    value->span = th__data_span(data, value->span);
    if (value->kind == TH_VALUE_TEXT || value->kind == TH_VALUE_NULL)
        return;
    for (uint32_t i = 0; i < value->count; i++)
        move_value(th__value_item(value, i), data);
}

void th__records_move(th_records *records, const th_page *data)
{
    for (size_t i = 0; i < records->values.len; i++)
        move_value(records->values.data[i], data);
}
