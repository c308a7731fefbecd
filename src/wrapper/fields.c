/* fields.c: items find their field by key, label and position. */
#include "wrapper/fields.h"

#include "page/signs.h"
#include "page/tags.h"
#include "index/tables.h"
#include "wrapper/list_records.h"

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

/* A walk from the key of a place down to that of a part. */
struct part_walk {
    th__fields *fields; /* to note what is met in, or NULL */
    const th__field_rule *rule;
    bool several, by_path;
    th__buf *path;
    uint64_t base, key;
};

/* Mixes what tells an item apart into its key. */
static void tell_key(struct part_walk *w, th__told told, uint64_t telling, uint32_t position)
{
    th__fields *fields = w->fields;
    w->key = w->base;
    if (told != TH__TOLD_BY_PLACE) {
        w->key = th__key_told(w->key, told, telling);
        if (fields) {
            th__key_map_put(&fields->told, w->base, 1);
            th__key_map_put(&fields->labels, telling, 1);
        }
    }
    if (position != TH__NO_POSITION) {
        if (fields && th__key_map_get(&fields->positions, w->key) <= position)
            th__key_map_put(&fields->positions, w->key, position + 1);
        w->key = th__key_placed(w->key, position);
    }
}

uint32_t th__part_rule_sign(const th__part_rule *part)
{
    uint32_t code = 0;
    if (part->between == TH__PART_SIGN && part->step.len)
        th__char_next(part->step, 0, &code);
    return th__part_sign(code);
}

/* Goes down to a part of what the walk is at. */
static bool enter_part(struct part_walk *w, const th__part_rule *part)
{
    uint16_t tag;
    if (part->between == TH__PART_SIGN) {
        w->by_path = false;
        w->base = th__part_base(w->key, TH__PART_SIGN, th__part_rule_sign(part));
        tell_key(w, TH__TOLD_BY_PLACE, 0, part->position);
        return true;
    }
    w->by_path &= !part->between && w->key == w->base;
    if (w->by_path) {
        if (w->path->len)
            th__buf_add_str(w->path, TH_STR(" > "));
        th__item_place_of place = {.several = w->several, .part = w->rule->part};
        if (!th__buf_add_str(w->path, part->step))
            return false;
        place.path = th__buf_str(w->path);
        if (!th__item_base(&place, TH__ITEM_TEXT, &w->base))
            return false;
    } else {
        uint32_t step = part->step.len ? th__step_signature(th__step_hash(part->step, &tag)) : 0;
        w->base = th__part_base(w->key, part->between, step);
    }
    tell_key(w, (th__told)part->told, part->telling, part->position);
    return true;
}

static struct part_walk begin_walk(const th__field_rule *rule, bool several, th__buf *path)
{
    th__item_place_of place = th__field_place(rule, several);
    struct part_walk w = {.rule = rule, .several = several, .by_path = true, .path = path};
    th__buf_clear(path);
    th__buf_add_str(path, rule->path);
    th__item_base(&place, (th__item_kind)rule->kind, &w.base);
    return w;
}

bool th__field_key(const th__field_rule *rule, bool several, th__buf *path, uint64_t *key)
{
    struct part_walk w = begin_walk(rule, several, path);
    tell_key(&w, (th__told)rule->told, rule->telling, rule->position);
    for (uint32_t i = 0; i < rule->depth; i++)
        if (!enter_part(&w, &rule->inside[i]))
            return false;
    *key = w.key;
    return !path->failed;
}

static bool prepare_rule(th__fields *fields, th__field_rule *rule, th__buf *path)
{
    struct part_walk w = begin_walk(rule, fields->several, path);
    w.fields = fields;
    rule->base = w.base;
    tell_key(&w, (th__told)rule->told, rule->telling, rule->position);
    for (uint32_t i = 0; i < rule->depth; i++) {
        uint32_t sign = th__part_rule_sign(&rule->inside[i]);
        th__key_map_put(&fields->wholes, w.key, sign ? sign : 1);
        fields->cuts = true;
        rule->wholes[i] = w.key;
        if (!enter_part(&w, &rule->inside[i]))
            return false;
        size_t core = th__key_vec_find(&fields->core, rule->base);
        if (rule->core && w.by_path && core != SIZE_MAX)
            th__key_map_put(&fields->core_parts, w.base, (uint32_t)core + 1);
    }
    rule->key = w.key;
    if (!th__key_map_get(&fields->members, w.key))
        th__key_map_put(&fields->members, w.key,
                        rule->member == TH__NO_MEMBER ? 1 : rule->member + 2);
    if (rule->joins)
        th__key_map_put(&fields->joins, w.key, rule->joins > 0 ? 1 : 2);
    return !path->failed;
}

/* Where the places of rules are. */
static void find_bases(th__fields *fields)
{
    for (uint32_t i = 0; i < fields->count; i++) {
        th__field_rule *rule = &fields->rules[i];
        th__item_place_of place = th__field_place(rule, fields->several);
        if (rule->kind != TH__FIELD_REST)
            th__item_base(&place, (th__item_kind)rule->kind, &rule->base);
    }
}

/* Kinds of items in one cell are kept apart. */
static uint64_t cell_key(uint64_t cell, uint8_t kind)
{
    return th__hash_mix(cell, kind);
}

bool th__fields_cells(const th__field_rule *rules, size_t count, th__arena *arena, th__key_map *out)
{
    enum { SEVERAL = UINT32_MAX };
    if (!th__key_map_init(out, arena, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const th__field_rule *rule = &rules[i];
        th_str rest = rule->path, step;
        uint64_t key, tags;
        uint16_t tag = 0;
        bool bad;
        if (rule->kind >= TH__ITEM_ATTRIBUTE || !th__path_next(&rest, &step, &bad))
            continue;
        th__step_hash(step, &tag);
        if ((tag != TH_TAG_TD && tag != TH_TAG_TH) || !th__path_keys(step, &key, &tags))
            continue;
        key = cell_key(key, rule->kind);
        bool alone = !rule->depth && !rule->list && rule->told == TH__TOLD_BY_PLACE &&
                     rule->position == TH__NO_POSITION && !th__key_map_get(out, key);
        th__key_map_put(out, key, alone ? (uint32_t)i + 1 : SEVERAL);
    }
    return true;
}

uint32_t th__fields_cell_rule(const th__key_map *cells, const th__view *view, const th__item *item)
{
    if (!item->cell)
        return 0;
    uint64_t key = th__table_cell_key(view, th__table_cell_of(view, item->cell));
    uint32_t rule = th__key_map_get(cells, cell_key(key, item->kind));
    return rule == UINT32_MAX ? 0 : rule;
}

/* Returns true if what a rule reads is an item whatever the rules. */
static bool is_known(const th__field_rule *rule)
{
    th_str rest = rule->path, step = {0};
    uint16_t tag = 0;
    bool bad;
    while (th__path_next(&rest, &step, &bad))
        ;
    th__step_hash(step, &tag);
    const char *known = step.len ? th__known_attribute(tag) : NULL;
    return known && th__str_eq_nocase(rule->attribute, th_str_from(known));
}

/* The names of the attributes that rules read. */
static bool find_attributes(th__fields *fields, th__arena *arena)
{
    th_str *names = th__arena_alloc(arena, (fields->count + (size_t)1) * sizeof *names);
    uint32_t count = 0;
    for (uint32_t i = 0; names && i < fields->count; i++) {
        const th__field_rule *rule = &fields->rules[i];
        bool known = rule->kind != TH__ITEM_ATTRIBUTE || is_known(rule);
        for (uint32_t k = 0; k < count && !known; k++)
            known = th__str_eq_nocase(names[k], rule->attribute);
        if (!known)
            names[count++] = rule->attribute;
    }
    fields->attributes = (th__attribute_names){names, count};
    return names;
}

bool th__fields_prepare(th__fields *fields, th__arena *arena)
{
    size_t keys = 0;
    for (uint32_t i = 0; i < fields->count; i++)
        keys += 1 + (size_t)fields->rules[i].depth;
    if (!th__key_map_init(&fields->members, arena, fields->count) ||
        !th__key_map_init(&fields->wholes, arena, keys) ||
        !th__key_map_init(&fields->joins, arena, fields->count) ||
        !th__key_map_init(&fields->told, arena, keys) ||
        !th__key_map_init(&fields->labels, arena, keys) ||
        !th__key_map_init(&fields->core_parts, arena, keys) ||
        !th__key_map_init(&fields->positions, arena, keys) ||
        !th__fields_cells(fields->rules, fields->count, arena, &fields->cells) ||
        !find_attributes(fields, arena))
        return false;
    find_bases(fields);
    if (!find_core(fields, arena))
        return false;
    fields->rest = TH__NO_MEMBER;
    fields->cuts = false;
    th__buf path = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < fields->count; i++)
        if (fields->rules[i].kind == TH__FIELD_REST)
            fields->rest = fields->rules[i].member;
        else
            ok = prepare_rule(fields, &fields->rules[i], &path);
    th__buf_release(&path);
    return ok;
}

uint32_t th__fields_kinds(const th__field_rule *rules, size_t count, uint64_t *keys)
{
    uint32_t kinds = 0;
    for (size_t i = 0; i < count; i++) {
        bool known = !th__path_is_heading(rules[i].path) || kinds == TH__SECTIONS_LIMIT;
        for (uint32_t k = 0; k < kinds && !known; k++)
            known = keys[k] == rules[i].base;
        if (!known)
            keys[kinds++] = rules[i].base;
    }
    return kinds;
}

bool th__fields_settled(const th__field_rule *rules, size_t count, th__arena *arena,
                        th__key_map *out)
{
    if (!th__key_map_init(out, arena, count * (1 + TH__PARTS_DEEPEST)))
        return false;
    for (size_t i = 0; i < count; i++)
        if (rules[i].kind == TH__ITEM_TEXT)
            th__key_map_put(out, rules[i].key, TH__CUT_NEVER);
    for (size_t i = 0; i < count; i++)
        for (uint32_t level = 0; level < rules[i].depth; level++)
            if (!th__part_rule_sign(&rules[i].inside[level]))
                th__key_map_put(out, rules[i].wholes[level], TH__CUT_ALWAYS);
    return true;
}

/* ---- items to members ------------------------------------------------------------------------ */

/* How many items with a key there were in the record at hand. */
struct position_counter {
    uint32_t record, here;
};

struct assigner {
    const th__fields *fields;
    const th__view *view;
    const th__extents *records;
    th__sections sections;
    struct position_counter *counters; /* by slot of fields->positions */
    uint64_t label;                    /* the text last seen that tells fields apart */
    bool has_label;
    /* By level: the items of a record, and the parts of a text. */
    th__item_vec rows[TH__PARTS_DEEPEST + 1];
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
        struct position_counter *counter = &a->counters[slot];
        if (counter->record != item->record)
            *counter = (struct position_counter){item->record, 0};
        if (counter->here < places)
            th__item_place(item, counter->here++);
    }
    uint32_t found = th__key_map_get(&fields->members, item->key);
    item->ruled = found;
    if (found)
        item->column = found == 1 ? TH__NO_MEMBER : found - 2;
    else
        item->column = item->kind == TH__ITEM_TEXT ? fields->rest : TH__NO_MEMBER;
}

/* Tells the items of a level apart and gives each its member. */
static void assign_row(struct assigner *a, th__item *items, size_t count)
{
    a->has_label = false;
    for (size_t i = 0; i < count; i++) {
        tell_apart(a, &items[i]);
        find_member(a, &items[i]);
    }
}

/* Gives out the items of a level, and in place of texts that are cut their parts. Recursion no
 * deeper than TH__PARTS_DEEPEST. */
static bool give_row(struct assigner *a, uint32_t level, th__item_vec *out)
{
    const th__fields *fields = a->fields;
    for (size_t i = 0; i < a->rows[level].len; i++) {
        th__item *item = &a->rows[level].data[i];
        bool cut = level < TH__PARTS_DEEPEST && item->kind == TH__ITEM_TEXT &&
                   th__key_map_get(&fields->wholes, item->key);
        /* A text that is cut may be a field as well. */
        if ((!cut || th__key_map_get(&fields->members, item->key)) && !th__vec_push(out, *item))
            return false;
        if (!cut)
            continue;
        th__item_vec *parts = &a->rows[level + 1];
        parts->len = 0;
        uint32_t sign = th__key_map_get(&fields->wholes, item->key);
        uint64_t base = th__part_base(item->key, TH__PART_SIGN, sign);
        uint32_t most = th__key_map_get(&fields->positions, base);
        if (sign > 1 ? !th__parts_split(a->view, item, sign, most, 1, parts)
                     : !th__parts_add(a->view, a->records->data, item, 1, parts))
            return false;
        assign_row(a, parts->data, parts->len);
        for (size_t p = 0; p < parts->len; p++) {
            uint32_t joins = th__key_map_get(&fields->joins, parts->data[p].key);
            parts->data[p].joins = joins ? (joins == 1 ? 1 : -1) : 0;
        }
        th__parts_join(parts->data, (uint32_t)parts->len);
        if (!give_row(a, level + 1, out))
            return false;
    }
    return true;
}

/* The items of a cell, in place; how many are left. With one rule for the texts of a cell, it takes
 * them whatever they are made of. */
static uint32_t take_cell(const struct assigner *a, th__item *items, uint32_t at, uint32_t end)
{
    const th__fields *fields = a->fields;
    uint32_t seen = 0;
    for (uint32_t i = at; i < end; i++) {
        th__item *item = &items[i];
        uint32_t number = th__fields_cell_rule(&fields->cells, a->view, item);
        if (!number || seen & 1u << item->kind)
            continue;
        seen |= 1u << item->kind;
        th__item whole = *item;
        th__item_be_cell(a->view, &whole);
        uint64_t key = fields->rules[number - 1].key;
        if (whole.key == key) { /* the rule is for all of the cell */
            *item = whole;
            if (item->kind == TH__ITEM_TEXT)
                end = at + th__items_join(items, at, end);
            continue;
        }
        bool there = false;
        for (uint32_t k = at; k < end; k++)
            there |= items[k].kind == item->kind && items[k].key == key;
        if (!there)
            item->base = item->key = key;
    }
    return end - at;
}

/* Lets the cells of a table row find their rules; how many items are left. */
static size_t take_cells(const struct assigner *a, th__item *items, size_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0, end, left; i < count; i = end) {
        end = items[i].cell ? th__items_of_cell(items, i, (uint32_t)count) : i + 1;
        left = items[i].cell ? take_cell(a, items, i, end) : 1;
        for (uint32_t k = 0; k < left; k++)
            items[kept++] = items[i + k];
    }
    return kept;
}

/* The items of a record with their members. */
static bool assign_record(struct assigner *a, uint32_t record, th__item_vec *items)
{
    size_t at = items->len;
    th__item_vec *row = a->fields->cuts ? &a->rows[0] : items;
    if (a->fields->cuts)
        at = row->len = 0;
    th__item heading;
    for (uint32_t k = 0; k < a->sections.kinds; k++)
        if (th__section_item(a->view, &a->sections, a->records, record, k, &heading) &&
            !th__vec_push(row, heading))
            return false;
    if (!th__items_add(a->view, a->records, record, row))
        return false;
    if (a->view->tables && row->len > at)
        row->len = at + take_cells(a, row->data + at, row->len - at);
    if (row->len > at)
        assign_row(a, row->data + at, row->len - at);
    return !a->fields->cuts || give_row(a, 0, items);
}

/* The headings above the records that rules ask for. */
static bool find_sections(struct assigner *a, th__arena *arena)
{
    uint64_t keys[TH__SECTIONS_LIMIT];
    th__sections_wanted wanted = {.keys = keys, .no_others = true};
    wanted.key_count = th__fields_kinds(a->fields->rules, a->fields->count, keys);
    return !wanted.key_count ||
           th__sections_find(arena, a->view, a->records, &wanted, &a->sections);
}

bool th__fields_assign(const th__fields *fields, const th__view *view, const th__extents *records,
                       th__arena *arena, th__item_vec *items, uint32_t **first)
{
    uint32_t count = records->count;
    th__extents own = *records;
    own.attributes = fields->attributes.count ? &fields->attributes : NULL;
    own.unhashed =
        records->unhashed && !fields->cuts && !fields->labels.count && !fields->told.count;
    records = &own;
    struct assigner a = {.fields = fields, .view = view, .records = records};
    size_t slots = (size_t)fields->positions.mask + 1;
    a.counters = th__arena_alloc(arena, slots * sizeof *a.counters);
    *first = th__arena_alloc(arena, ((size_t)count + 1) * sizeof **first);
    bool ok = a.counters && *first && find_sections(&a, arena);
    size_t most = th__items_most(view, records) + (ok ? (size_t)a.sections.kinds * count : 0);
    ok = ok && (fields->cuts || th__vec_reserve(items, most));
    for (size_t i = 0; ok && i < slots; i++)
        a.counters[i] = (struct position_counter){UINT32_MAX, 0};
    for (uint32_t r = 0; ok && r < count; r++) {
        (*first)[r] = (uint32_t)items->len;
        ok = assign_record(&a, r, items);
    }
    if (ok)
        (*first)[count] = (uint32_t)items->len;
    for (size_t level = 0; level <= TH__PARTS_DEEPEST; level++)
        th__vec_release(&a.rows[level]);
    return ok;
}
