/* fields.c: items find their field by key, label and position. */
#include "wrapper/fields.h"

#include "wrapper/lists.h"

/* ---- what follows from the rules ------------------------------------------------------------- */

static bool find_core(th__fields *fields, th__arena *arena)
{
    th__key_vec *core = &fields->core;
    core->data = th__arena_alloc(arena, (fields->count + 1) * sizeof *core->data);
    core->len = 0;
    core->cap = fields->count;
    for (uint32_t i = 0; core->data && i < fields->count; i++)
        if (fields->rules[i].core && fields->rules[i].kind == TH__ITEM_TEXT)
            core->data[core->len++] = fields->rules[i].base;
    if (core->data)
        th__key_vec_sort(core);
    return core->data;
}

bool th__fields_prepare(th__fields *fields, th__arena *arena)
{
    if (!th__key_map_init(&fields->members, arena, fields->count) ||
        !th__key_map_init(&fields->told, arena, fields->count) ||
        !th__key_map_init(&fields->labels, arena, fields->count) ||
        !th__key_map_init(&fields->positions, arena, fields->count))
        return false;
    fields->rest = TH__NO_MEMBER;
    for (uint32_t i = 0; i < fields->count; i++) {
        th__field_rule *rule = &fields->rules[i];
        if (rule->kind == TH__FIELD_REST) {
            fields->rest = rule->member;
            continue;
        }
        th__item_place_of place = th__field_place(rule, fields->several);
        th__item_base(&place, (th__item_kind)rule->kind, &rule->base);
        rule->key = rule->base;
        if (rule->told != TH__TOLD_BY_PLACE) {
            rule->key = th__key_told(rule->key, (th__told)rule->told, rule->telling);
            th__key_map_put(&fields->told, rule->base, 1);
            th__key_map_put(&fields->labels, rule->telling, 1);
        }
        if (rule->position != TH__NO_POSITION) {
            if (th__key_map_get(&fields->positions, rule->key) <= rule->position)
                th__key_map_put(&fields->positions, rule->key, rule->position + 1);
            rule->key = th__key_placed(rule->key, rule->position);
        }
        if (!th__key_map_get(&fields->members, rule->key))
            th__key_map_put(&fields->members, rule->key,
                            rule->member == TH__NO_MEMBER ? 1 : rule->member + 2);
    }
    return find_core(fields, arena);
}

/* ---- items to members ------------------------------------------------------------------------ */

/* How many items with a key there were in the record at hand. */
struct counter {
    uint32_t record, here;
};

struct assigner {
    const th__fields *fields;
    const th__view *view;
    struct counter *counters; /* by slot of fields->positions */
    uint64_t label;           /* the text last seen that tells fields apart */
    bool has_label;
};

/* As columns.c tells items apart, with the labels that were learnt. A new one, which a colon gives
 * away, keeps what follows it out of other fields. */
static void tell_apart(struct assigner *a, th__item *item)
{
    const th__fields *fields = a->fields;
    if (item->kind != TH__ITEM_TEXT)
        return;
    bool told = th__key_map_get(&fields->told, item->base);
    if (th__key_map_get(&fields->labels, item->hash) ||
        (told && th__item_ends_with_colon(a->view, item))) {
        a->label = item->hash;
        a->has_label = true;
        if (told)
            th__item_tell(item, TH__TOLD_BY_ITSELF, item->hash);
    } else if (a->has_label && told) {
        th__item_tell(item, TH__TOLD_BY_LABEL, a->label);
    } else {
        a->has_label = false;
    }
}

static void find_member(struct assigner *a, th__item *item)
{
    const th__fields *fields = a->fields;
    uint32_t slot = th__key_map_slot(&fields->positions, item->key);
    uint32_t places = fields->positions.slots[slot].value;
    if (places) {
        struct counter *counter = &a->counters[slot];
        if (counter->record != item->record)
            *counter = (struct counter){item->record, 0};
        if (counter->here < places)
            th__item_place(item, counter->here++);
    }
    uint32_t found = th__key_map_get(&fields->members, item->key);
    if (found)
        item->column = found == 1 ? TH__NO_MEMBER : found - 2;
    else
        item->column = item->kind == TH__ITEM_TEXT ? fields->rest : TH__NO_MEMBER;
}

bool th__fields_assign(const th__fields *fields, const th__view *view, const th__extents *records,
                       th__arena *arena, th__item_vec *items, uint32_t **first)
{
    uint32_t count = records->count;
    struct assigner a = {.fields = fields, .view = view};
    size_t slots = (size_t)fields->positions.mask + 1;
    a.counters = th__arena_alloc(arena, slots * sizeof *a.counters);
    *first = th__arena_alloc(arena, ((size_t)count + 1) * sizeof **first);
    if (!a.counters || !*first)
        return false;
    for (size_t i = 0; i < slots; i++)
        a.counters[i] = (struct counter){UINT32_MAX, 0};
    for (uint32_t r = 0; r < count; r++) {
        size_t at = items->len;
        (*first)[r] = (uint32_t)at;
        if (!th__items_add(view, records, r, items))
            return false;
        a.has_label = false;
        for (; at < items->len; at++) {
            tell_apart(&a, &items->data[at]);
            find_member(&a, &items->data[at]);
        }
    }
    (*first)[count] = (uint32_t)items->len;
    return true;
}
