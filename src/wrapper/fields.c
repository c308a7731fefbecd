/* fields.c: aligned columns become records; items find their field by key, label and position. */
#include "wrapper/fields.h"

#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "data/value_types.h"
#include "index/view.h"
#include "page/signs.h"
#include "page/tags.h"
#include "page/text.h"
#include "wrapper/corpus.h"
#include "wrapper/rule_table.h"

/* ==== aligned columns become records ==== */

struct lister {
    const th__view *view;
    th__buf text, link;
};

static bool read_item(struct lister *l, uint8_t kind, uint32_t node, th_span span)
{
    return th__item_read(l->view->page, (th__item_kind)kind, node, span, &l->text, &l->link);
}

/* ---- what columns look like ------------------------------------------------------------------ */

enum { LOOKED_AT = 32, KINDS = TH_NOTE_PHONE + 1 };

struct column_sight {
    uint32_t items; /* of the column that are examined, at most */
    uint32_t looked, kinds[KINDS], lettered, labelled;
    uint64_t bytes;
    th_str label;
};

/* The words before a colon, with which a text begins: "Price: 5". */
static th_str leading_label(th_str text)
{
    enum { LONGEST = 30 };
    for (size_t i = 1; i < text.len && i < LONGEST; i++) {
        if (th__is_digit((unsigned char)text.ptr[i]))
            break;
        if (text.ptr[i] == ':')
            return i + 2 < text.len && text.ptr[i + 1] == ' ' ? (th_str){text.ptr, i} : (th_str){0};
    }
    return (th_str){0};
}

static bool has_letter(th_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (th__is_alpha((unsigned char)text.ptr[i]) || (unsigned char)text.ptr[i] >= 0x80)
            return true;
    return false;
}

static bool look_at(struct column_sight *sight, th__arena *scratch, th_str text)
{
    th_str label = leading_label(text);
    sight->looked++;
    sight->bytes += text.len;
    sight->lettered += has_letter(text);
    /* With one plain text in five no kind is that of four in five. */
    if (5 * sight->kinds[TH_NOTE_TEXT] <= sight->items)
        sight->kinds[th__note_of(text)]++;
    if (label.len && !sight->label.ptr && !(sight->label = th__arena_copy(scratch, label)).ptr)
        return false;
    sight->labelled += label.len && th__str_eq(label, sight->label);
    return true;
}

static th__column_look look_of(const struct column_sight *sight, uint8_t kind)
{
    th__column_look look = {.note = kind == TH__ITEM_LINK    ? TH_NOTE_URL
                                    : kind == TH__ITEM_IMAGE ? TH_NOTE_IMAGE
                                                             : TH_NOTE_TEXT};
    if (!sight->looked)
        return look;
    for (unsigned note = 1; note < KINDS; note++)
        if (5 * sight->kinds[note] >= 4 * sight->looked)
            look.note = (th_note)note;
    look.length = (uint32_t)(sight->bytes / sight->looked);
    look.lettered = 100 * sight->lettered / sight->looked;
    if (sight->looked > 1 && 5 * sight->labelled >= 4 * sight->looked)
        look.label = sight->label;
    return look;
}

static bool is_read(const th__item *item)
{
    return item->kind == TH__ITEM_TEXT || item->kind == TH__ITEM_ATTRIBUTE;
}

/* The type of most values of each column, judged by the first ones. In the arena `scratch`; NULL if
 * out of memory. */
static th__column_look *find_looks(struct lister *l, th__arena *scratch, const th__columns *columns)
{
    struct column_sight *sights =
        th__arena_zero(scratch, columns->column_count + 1, sizeof *sights);
    th__column_look *looks = th__arena_zero(scratch, columns->column_count + 1, sizeof *looks);
    if (!sights || !looks)
        return NULL;
    for (uint32_t i = 0; i < columns->item_count; i++) {
        const th__item *item = &columns->items[i];
        sights[item->column].items += is_read(item) && sights[item->column].items < LOOKED_AT;
    }
    for (uint32_t i = 0; i < columns->item_count; i++) {
        const th__item *item = &columns->items[i];
        if (!is_read(item) || sights[item->column].looked == LOOKED_AT)
            continue;
        if (!read_item(l, item->kind, item->node, item->span) ||
            !look_at(&sights[item->column], scratch, th__buf_str(&l->text)))
            return NULL;
    }
    for (uint32_t c = 0; c < columns->column_count; c++)
        looks[c] = look_of(&sights[c], columns->columns[c].kind);
    return looks;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* The name of the rest: `other`, or `other_2` where a column of the page is called that. */
static th_str name_rest(th__arena *arena, const th__list *list)
{
    char name[24] = "other";
    for (uint32_t n = 2, c = 0; c < list->field_count;)
        if (th__str_eq(list->fields[c].name, th_str_from(name))) {
            snprintf(name, sizeof name, "other_%u", n++);
            c = 0;
        } else
            c++;
    return th__arena_copy(arena, th_str_from(name));
}

bool th__list_name(th__arena *arena, th__arena *scratch, const th__view *view,
                   const th__extents *records, th__columns_wanted wanted, th__list *list)
{
    struct lister l = {.view = view};
    const th__columns *columns = &list->columns;
    th__column_look *looks;
    th__column_name *names;
    th__column_use *uses;
    bool other = false;
    list->field_count = columns->column_count;
    list->fields = th__arena_zero(arena, (size_t)columns->column_count + 1, sizeof *list->fields);
    bool ok = list->fields && (looks = find_looks(&l, scratch, columns)) &&
              th__columns_name(scratch, view, records->data, columns, looks, wanted, &names, &uses);
    for (uint32_t c = 0; ok && c < columns->column_count; c++) {
        const th__column *column = &columns->columns[c];
        th__list_field *field = &list->fields[c];
        *field = (th__list_field){.name = th__arena_copy(arena, names[c].text),
                                  .note = looks[c].note,
                                  .list = column->list,
                                  .optional = column->filled < records->count,
                                  .attribute = column->kind != TH__ITEM_TEXT,
                                  .hidden = column->is_label,
                                  .use = uses[c]};
        other |= uses[c].fate == TH__COLUMN_OTHER && !field->hidden;
        ok = field->name.ptr;
    }
    if (ok && other) {
        th__list_field rest = {.name = name_rest(arena, list),
                               .use = {.into = TH__NO_ITEM},
                               .list = true,
                               .optional = true,
                               .rest = true};
        ok = rest.name.ptr;
        list->fields[list->field_count++] = rest;
    }
    th__buf_release(&l.text);
    th__buf_release(&l.link);
    return ok;
}

/* How columns are cut into parts, and which are shown. */
struct list_cuts {
    bool none;                         /* not at all */
    const th__key_map *settled;        /* or NULL: as for th__columns_cut */
    const th__sections_wanted *wanted; /* or NULL: as for th__columns_align */
    th__columns_wanted columns;        /* which are shown: see table/column_names.h */
};

/* Aligns and names the columns of records, cut into parts where they are lines of values. All in
 * the arena. False if out of memory. */
static bool describe_list(th__arena *arena, const th__view *view, const th__extents *records,
                          struct list_cuts cuts, th__list *out)
{
    th__arena scratch;
    th__arena_init(&scratch);
    bool ok = th__columns_align(arena, &scratch, view, records, cuts.wanted, &out->columns) &&
              (cuts.none ||
               (th__columns_cut(arena, &scratch, view, records, cuts.settled, &out->columns) &&
                th__columns_split(arena, &scratch, view, &out->columns))) &&
              th__list_name(arena, &scratch, view, records, cuts.columns, out);
    th__arena_release(&scratch);
    return ok;
}

/* A list of one tuple; texts first, then links and images: visible texts stay together. Caller
 * frees. */
static th_status make_schema(th__list_field *fields, size_t count, th_schema **out, th_error *err)
{
    th_schema *schema;
    th_type **members = TH__NEW_ARRAY(th_type *, count + 1);
    th_status status = members ? th_schema_new(&schema, err) : th__fail_memory(err);
    if (status) {
        th__mem_free(members);
        return status;
    }
    uint32_t used = 0, rest = TH__NO_MEMBER;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++) {
            th__list_field *field = &fields[i];
            if (!pass)
                field->member = TH__NO_MEMBER;
            if (field->hidden || field->attribute != pass || field->use.into != TH__NO_ITEM ||
                field->use.fate != TH__COLUMN_SHOWN)
                continue;
            field->member = used;
            th_type *type = th_schema_field(schema, field->name, field->note);
            if (field->list)
                type = th_schema_list(schema, (th_str){0}, type);
            if (field->optional)
                type = th_schema_optional(schema, type);
            members[used++] = type;
            rest = field->rest ? field->member : rest;
        }
    for (size_t i = 0; i < count; i++) {
        th__list_field *field = &fields[i];
        if (field->hidden || field->use.fate == TH__COLUMN_LEFT_OUT)
            continue;
        if (field->use.fate == TH__COLUMN_OTHER)
            field->member = rest;
        else if (field->use.into != TH__NO_ITEM)
            field->member = fields[field->use.into].member;
    }
    th_type *tuple = th_schema_tuple(schema, (th_str){0}, members, used);
    status = th_schema_finish(schema, th_schema_list(schema, (th_str){0}, tuple), err);
    th__mem_free(members);
    if (status)
        th_schema_free(schema);
    else
        *out = schema;
    return status;
}

th__list_item *th__list_items_of(const th__item *items, size_t count)
{
    th__list_item *out = TH__NEW_ARRAY(th__list_item, count);
    for (size_t i = 0; out && i < count; i++)
        out[i] = (th__list_item){.key = items[i].key,
                                 .span = items[i].span,
                                 .node = items[i].node,
                                 .member = items[i].column,
                                 .kind = items[i].kind,
                                 .is_part = items[i].whole != 0,
                                 .by_looks = items[i].by_looks,
                                 .ruled = items[i].ruled};
    return out;
}

/* The last item of an element's text that continues after a line break or a picture: of the same
 * element and field, with no other text between them. */
static uint32_t last_part(const th__list_items *list, uint32_t item, uint32_t end)
{
    uint32_t last = item;
    for (uint32_t i = item + 1; i < end && !list->items[item].is_part; i++) {
        if (list->items[i].kind != TH__ITEM_TEXT)
            continue;
        if (list->items[i].key != list->items[item].key ||
            list->items[i].node != list->items[item].node)
            break;
        last = i;
    }
    return last;
}

static bool is_list(const th_value *slot)
{
    return slot && th_type_get_kind(th_value_type(slot)) == TH_TYPE_LIST;
}

/* From the start of a record to its end, whatever is between its extents. */
static th_span record_span(const th_page *page, const th__extents *list, uint32_t record)
{
    uint32_t extent = th__extents_first(list, record), end = th__extents_first(list, record + 1);
    th_span span = {UINT32_MAX, 0};
    for (; extent < end; extent++) {
        uint32_t start = page->tokens[list->data[extent].token].start;
        uint32_t stop = page->tokens[list->data[extent].token_end].start;
        span.start = start < span.start ? start : span.start;
        span.end = stop > span.end ? stop : span.end;
    }
    return span;
}

/* The next text of the record; `end` when there is none. */
static uint32_t next_text(const th__list_items *list, uint32_t item, uint32_t end)
{
    do
        item++;
    while (item < end && list->items[item].kind != TH__ITEM_TEXT);
    return item;
}

/* Returns true if a text without a field is in one line or box with a text that has one: then it is
 * a part of that value ("[PDF]" before a title). In a line of parts it is a new one. */
static bool is_beside(const struct lister *l, const th__list_items *list, uint32_t stray,
                      uint32_t other)
{
    const th__list_item *a = &list->items[stray], *b = &list->items[other];
    return list->rest != TH__NO_MEMBER && !a->is_part && a->member == list->rest && !a->ruled &&
           b->member != list->rest && b->member != TH__NO_MEMBER &&
           th__leaf_block(l->view->page, a->node) == th__leaf_block(l->view->page, b->node);
}

/* The last text of a value that begins with `item`: the continuation of its element, and texts
 * beside it. */
static uint32_t last_of_value(const struct lister *l, const th__list_items *list, uint32_t item,
                              uint32_t end)
{
    uint32_t last = last_part(list, item, end);
    for (uint32_t next = next_text(list, last, end); next < end && is_beside(l, list, next, item);
         next = next_text(list, next, end))
        last = next;
    return last;
}

struct column_filler {
    const th__list_items *list;
    th_records *records;
    th_value *record;
    uint32_t end;   /* of the record's items */
    uint32_t begin; /* start of the next value if a text is beside it; else NO_ITEM */
    uint32_t taken; /* texts before this one are */
};

/* A member that is not a list takes the first value; texts that follow go to the rest. */
static th_status fill_item(struct lister *l, struct column_filler *f, uint32_t index, th_error *err)
{
    const th__list_items *list = f->list;
    const th__list_item *item = &list->items[index];
    bool text = item->kind == TH__ITEM_TEXT;
    uint32_t first = index, last = index, next;
    th_span span;
    if (item->member == TH__NO_MEMBER || (text && index < f->taken))
        return TH_OK;
    th_value *slot = th_value_slot(f->record, item->member);
    if (text && item->member == list->rest && (next = next_text(list, index, f->end)) < f->end &&
        is_beside(l, list, index, next) &&
        !is_list(th_value_slot(f->record, list->items[next].member))) {
        f->begin = f->begin == TH__NO_ITEM ? index : f->begin;
        return TH_OK;
    }
    if (slot && !is_list(slot) && th_value_get_kind(slot) != TH_VALUE_NULL) {
        if (!text || list->rest == TH__NO_MEMBER)
            return TH_OK;
        slot = th_value_slot(f->record, list->rest);
    } else if (text && !is_list(slot)) {
        last = last_of_value(l, list, index, f->end);
    }
    if (text) {
        first = f->begin == TH__NO_ITEM ? first : f->begin;
        f->begin = TH__NO_ITEM;
        f->taken = last + 1;
    }
    span = (th_span){list->items[first].span.start, list->items[last].span.end};
    if (!read_item(l, list->items[first].kind, list->items[first].node, span))
        return th__fail_memory(err);
    if (is_list(slot))
        slot = th_records_append(f->records, slot);
    th_records_set_text(f->records, slot, th__buf_str(&l->text), span);
    if (slot)
        slot->by_looks = item->by_looks;
    return TH_OK;
}

static th_status fill_record(struct lister *l, const th__list_items *list, uint32_t index,
                             th_records *records, th_error *err)
{
    struct column_filler f = {.list = list,
                              .records = records,
                              .record = th_records_add(records),
                              .end = list->first[index + 1],
                              .begin = TH__NO_ITEM};
    th_status status = TH_OK;
    th_value_set_span(f.record, record_span(l->view->page, &list->records, index));
    for (uint32_t i = list->first[index]; f.record && !status && i < f.end; i++)
        status = fill_item(l, &f, i, err);
    return status;
}

th_status th__list_fill(const th__view *view, const th__list_items *list, const th_schema *schema,
                        const th_records_source *source, th_records **out, th_error *err)
{
    struct lister l = {.view = view};
    th_records *records = NULL;
    th_status status = th_records_new(schema, source, &records, err);
    for (uint32_t r = 0; !status && r < list->records.count; r++)
        status = fill_record(&l, list, r, records, err);
    if (!status)
        status = th_records_status(records, err);
    if (status)
        th_records_free(records);
    else
        *out = records;
    th__buf_release(&l.text);
    th__buf_release(&l.link);
    return status;
}

/* The items of a list for reading, with their members, and where each record begins: `list` may go.
 * False if out of memory. Caller frees. */
static bool take_items(const th__list *list, th__list_item **items, uint32_t **first)
{
    const th__columns *columns = &list->columns;
    size_t firsts = ((size_t)columns->record_count + 1) * sizeof **first;
    for (uint32_t i = 0; i < columns->item_count; i++)
        columns->items[i].column = list->fields[columns->items[i].column].member;
    *items = th__list_items_of(columns->items, columns->item_count);
    *first = th__mem_alloc(firsts);
    if (*first)
        memcpy(*first, columns->first, firsts);
    return *items && *first;
}

th_status th__list_records(const th__view *view, const th__extents *records, bool all,
                           const th_records_source *source, th_records **out, th_error *err)
{
    th__arena arena;
    th__list list;
    th_schema *schema = NULL;
    th__list_item *items = NULL;
    uint32_t *first = NULL;
    th_status status = TH_OK;
    th__arena_init(&arena);
    *out = NULL;
    bool any = false;
    if (!describe_list(
            &arena, view, records,
            (struct list_cuts){.columns = all ? TH__COLUMNS_BOUNDED : TH__COLUMNS_WORTHY}, &list))
        status = th__fail_memory(err);
    for (uint32_t c = 0; !status && c < list.columns.column_count; c++)
        any |= !list.fields[c].hidden;
    if (any)
        status = make_schema(list.fields, list.field_count, &schema, err);
    if (any && !status && !take_items(&list, &items, &first))
        status = th__fail_memory(err);
    th__arena_release(&arena); /* before records are made: both are large */
    if (any && !status) {
        th__list_items taken = {*records, items, first, TH__NO_MEMBER};
        status = th__list_fill(view, &taken, schema, source, out, err);
    }
    th__mem_free(items);
    th__mem_free(first);
    th_schema_free(schema);
    return status;
}

/* ==== rules ==== */

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

/* Mixes the distinguishing mark of an item into its key. */
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

static uint32_t sign_of_part(const th__part_rule *part)
{
    uint32_t code = 0;
    if (part->between == TH__PART_SIGN && part->step.len)
        th__char_next(part->step, 0, &code);
    return th__part_sign(code);
}

/* Descends to a part of the walk's current text. */
static bool enter_part(struct part_walk *w, const th__part_rule *part)
{
    uint16_t tag;
    if (part->between == TH__PART_SIGN) {
        w->by_path = false;
        w->base = th__part_base(w->key, TH__PART_SIGN, sign_of_part(part));
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

static bool find_key(const th__field_rule *rule, bool several, th__buf *path, uint64_t *key)
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
        uint32_t sign = sign_of_part(&rule->inside[i]);
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

/* Finds the places of rules. */
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

static bool find_cells(const th__field_rule *rules, size_t count, th__arena *arena,
                       th__key_map *out)
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

static uint32_t cell_rule(const th__key_map *cells, const th__view *view, const th__item *item)
{
    if (!item->cell)
        return 0;
    uint64_t key = th__table_cell_key(view, th__table_cell_of(view, item->cell));
    uint32_t rule = th__key_map_get(cells, cell_key(key, item->kind));
    return rule == UINT32_MAX ? 0 : rule;
}

/* Returns true if a rule reads something that is an item whatever the rules. */
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

static bool prepare_fields(th__fields *fields, th__arena *arena)
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
        !find_cells(fields->rules, fields->count, arena, &fields->cells) ||
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

static bool find_settled(const th__field_rule *rules, size_t count, th__arena *arena,
                         th__key_map *out)
{
    if (!th__key_map_init(out, arena, count * (1 + TH__PARTS_DEEPEST)))
        return false;
    for (size_t i = 0; i < count; i++)
        if (rules[i].kind == TH__ITEM_TEXT)
            th__key_map_put(out, rules[i].key, TH__CUT_NEVER);
    for (size_t i = 0; i < count; i++)
        for (uint32_t level = 0; level < rules[i].depth; level++)
            if (!sign_of_part(&rules[i].inside[level]))
                th__key_map_put(out, rules[i].wholes[level], TH__CUT_ALWAYS);
    return true;
}

/* ---- items to members ------------------------------------------------------------------------ */

/* Counts items by key in the current record. */
struct position_counter {
    uint32_t record, here;
};

struct assigner {
    const th__fields *fields;
    const th__view *view;
    const th__extents *records;
    th__sections sections;
    struct position_counter *counters; /* by slot of fields->positions */
    uint64_t label;                    /* the last text that distinguishes fields */
    bool has_label;
    /* By level: the items of a record, and the parts of a text. */
    th__item_vec rows[TH__PARTS_DEEPEST + 1];
};

/* Distinguishes items as columns.c does, with the labels that were learnt. A new label, recognised
 * by its colon, keeps the texts after it out of other fields. */
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
        if (!th__parts_add(a->view, a->records->data, item, sign > 1 ? sign : 0, most, parts))
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
        uint32_t number = cell_rule(&fields->cells, a->view, item);
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

/* ---- rules as JSON and in words ----------------------------------------------------------------
 *
 *     {"name": "born", "kind": "text", "path": "div.facts > span", "core": true,
 *      "label": {"text": "Born:", "hash": "8c1f06a1b2c3d4e5"}}
 *     {"name": "city", "path": "li", "position": 2}
 *     {"name": "year", "path": "td[3]"}
 *     {"name": "sold", "kind": "attribute", "path": "time", "attribute": "datetime"}
 *
 * Parts of a text have the place of the text and, from there down, which part it is: an element, or
 * what comes after one (an empty text: what comes first). Words that are not a value go with a
 * part:
 *
 *     {"name": "price", "path": "p", "inside": [{"element": "span.price"}]}
 *     {"name": "date", "path": "p", "inside": [{"element": "span.meta"}, {"after": "a"}]}
 *     {"path": "p", "inside": [{"after": "a"}], "joins": "next"}
 */

static const char *const kind_words[] = {"text", "link", "image", "attribute", "rest", NULL};
/* By what th__item calls joins: 0, 1, and -1 as 2. */
static const char *const joinings[] = {"none", "next", "last", NULL};

/* ---- what distinguishes items at one place ---- */

#define TELLING(struct_, shape)                                                                    \
    {TH__GROUP("label", shape), TH__TAG(struct_, told, TH__TOLD_BY_LABEL), .flags = TH__ALWAYS},   \
        {TH__GROUP("itself", shape), TH__TAG(struct_, told, TH__TOLD_BY_ITSELF),                   \
         .flags = TH__ALWAYS},                                                                     \
    {                                                                                              \
        TH__UINT("position", struct_, position, 1, TH__FIELDS_MAX_POSITION),                       \
            .flags = TH__COUNTED, .none = TH__NO_POSITION                                          \
    }
#define TELLING_TEXT(struct_)                                                                      \
    {TH__TEXT("text", struct_, text), .flags = TH__NEEDED},                                        \
    {                                                                                              \
        TH__HASH("hash", struct_, telling), .flags = TH__NEEDED                                    \
    }

static const th__rule_member part_telling[] = {TELLING_TEXT(th__part_rule)};
static const th__rule_shape part_telling_shape = TH__SHAPE(th__part_rule, part_telling);
static const th__rule_member field_telling[] = {TELLING_TEXT(th__field_rule)};
static const th__rule_shape field_telling_shape = TH__SHAPE(th__field_rule, field_telling);

/* ---- parts ---- */

/* An element is one step of a path; the first text has none before it. */
static th_status check_step(th__rule_reader *reader, void *object)
{
    const th__part_rule *part = object;
    th_str rest = part->step, step;
    bool bad = false;
    if (part->between == TH__PART_SIGN)
        return sign_of_part(part) ? TH_OK
                                  : th__rule_fault(reader, "must be \"|\", \"-\" or \"\xC2\xB7\"");
    if ((part->between && !part->step.len) ||
        (th__path_next(&rest, &step, &bad) && !bad && step.len == part->step.len))
        return TH_OK;
    return th__rule_fault(reader, "is not an element: a tag with or without a class, such as "
                                  "\"span.price\"");
}

static const th__rule_member part_members[] = {
    {TH__TEXT("sign", th__part_rule, step), TH__TAG(th__part_rule, between, TH__PART_SIGN),
     .flags = TH__ALWAYS, .check = check_step},
    {TH__TEXT("after", th__part_rule, step), TH__TAG(th__part_rule, between, TH__PART_BETWEEN),
     .flags = TH__ALWAYS, .check = check_step},
    {TH__TEXT("element", th__part_rule, step), TH__ONLY_IF(th__part_rule, between, 1),
     .flags = TH__NEEDED, .check = check_step},
    TELLING(th__part_rule, part_telling_shape),
};
static const th__rule_shape part_shape = TH__SHAPE(th__part_rule, part_members);

static th_status read_joins(th__rule_reader *reader, json_t *json, void *object)
{
    th__field_rule *rule = object;
    uint8_t joins = 0;
    th_status status = th__rule_member_read(
        reader, json,
        &(th__rule_member){.key = "joins", .type = TH__RULE_WORD, .size = 1, .words = joinings},
        &joins);
    rule->joins = joins == 2 ? -1 : (int8_t)joins;
    return status;
}

static void write_joins(const void *root, const void *object, th__json *json)
{
    const th__field_rule *rule = object;
    if (rule->joins && rule->depth)
        th__json_put_text(json, "joins", th_str_from(joinings[rule->joins > 0 ? 1 : 2]));
}

static th_status check_inside(th__rule_reader *reader, void *object)
{
    return ((th__field_rule *)object)->kind == TH__ITEM_TEXT
               ? TH_OK
               : th__rule_fault(reader, "only texts have parts");
}

/* ---- rules ---- */

/* While rules are read: the members of a record. */
struct members {
    const th_type *tuple;
    bool several;
    th__key_map by_name; /* by the hash of a name: 1 + its number */
};

/* The name must be as in the schema, and so must being a list. */
static th_status read_member(th__rule_reader *reader, th__field_rule *rule)
{
    const struct members *members = reader->context;
    const th_type *tuple = members->tuple;
    rule->member = TH__NO_MEMBER;
    if (!rule->name.ptr)
        return TH_OK;
    uint32_t found = th__key_map_get(&members->by_name, th__hash(rule->name.ptr, rule->name.len));
    rule->member = found - 1;
    if (!found || !th__str_eq(th_type_name(tuple->children[rule->member]), rule->name))
        return th__rule_fault(reader, "the schema has no member \"%.*s\"", TH_STR_ARG(rule->name));
    const th_type *type = th__type_strip(tuple->children[rule->member]);
    const th_type *item = type->kind == TH_TYPE_LIST ? th__type_strip(type->children[0]) : type;
    if (item->kind != TH_TYPE_FIELD)
        return th__rule_fault(reader, "\"%.*s\" must be a field or a list of fields in the schema",
                              TH_STR_ARG(rule->name));
    if (rule->list != (type->kind == TH_TYPE_LIST))
        return th__rule_fault(reader, "\"%.*s\" is %s in the schema but %s here",
                              TH_STR_ARG(rule->name), rule->list ? "one value" : "a list",
                              rule->list ? "a list" : "one value");
    return TH_OK;
}

static th_status check_rule(th__rule_reader *reader, void *object)
{
    th__field_rule *rule = object;
    th__item_place_of place = th__field_place(rule, ((struct members *)reader->context)->several);
    if (rule->kind != TH__ITEM_TEXT && !rule->name.ptr)
        return th__rule_fault_in(reader, "name", "is missing: a text");
    if (rule->kind != TH__FIELD_REST &&
        !th__item_base(&place, (th__item_kind)rule->kind, &rule->base))
        return th__rule_fault_in(reader, "path",
                                 "is not a path: steps are tags with or without a class, such as "
                                 "\"div.price > b\"");
    return read_member(reader, rule);
}

static const th__rule_member rule_members[] = {
    {TH__TEXT("name", th__field_rule, name), .flags = TH__EMPTY | TH__FIELD_NAME},
    {TH__WORD("kind", th__field_rule, kind, kind_words), .flags = TH__ALWAYS},
    {TH__TEXT("path", th__field_rule, path), .flags = TH__NEEDED,
     TH__ONLY_IF(th__field_rule, kind, ~(1u << TH__FIELD_REST))},
    {TH__TEXT("attribute", th__field_rule, attribute), .flags = TH__NEEDED,
     TH__ONLY_IF(th__field_rule, kind, 1u << TH__ITEM_ATTRIBUTE)},
    {TH__UINT("part", th__field_rule, part, 1, TH__FIELDS_MAX_POSITION), .flags = TH__COUNTED},
    TELLING(th__field_rule, field_telling_shape),
    {TH__ARRAY("inside", th__field_rule, inside, depth, part_shape, 1, TH__PARTS_DEEPEST),
     .check = check_inside},
    {TH__OWN("joins", read_joins, write_joins)},
    {TH__FLAG("list", th__field_rule, list)},
    {TH__FLAG("core", th__field_rule, core)},
};
static const th__rule_shape rule_shape =
    TH__CHECKED_SHAPE(th__field_rule, rule_members, check_rule);

static th_status begin_fields(th__rule_reader *reader, void *object)
{
    const th_type *tuple = th_schema_record_type(reader->schema);
    struct members *members = th__arena_zero(reader->arena, 1, sizeof *members);
    if (tuple->kind != TH_TYPE_TUPLE)
        return th__rule_fault_in(reader, "fields", "the records of the schema must be tuples");
    if (!members || !th__key_map_init(&members->by_name, reader->arena, tuple->count))
        return th__fail_memory(reader->err);
    members->tuple = tuple;
    members->several = ((th__fields *)object)->several;
    for (uint32_t i = 0; i < tuple->count; i++) {
        th_str name = th_type_name(tuple->children[i]);
        th__key_map_put(&members->by_name, th__hash(name.ptr, name.len), i + 1);
    }
    reader->context = members;
    return TH_OK;
}

static th_status end_fields(th__rule_reader *reader, void *object)
{
    return prepare_fields(object, reader->arena) ? TH_OK : th__fail_memory(reader->err);
}

static const th__rule_member fields_members[] = {
    {TH__LIST("fields", th__fields, rules, count, rule_shape, 0, TH__FIELDS_MAX),
     .flags = TH__NEEDED},
};
const th__rule_shape th__fields_shape = {.members = fields_members,
                                         .count = 1,
                                         .size = sizeof(th__fields),
                                         .begin = begin_fields,
                                         .check = end_fields};

/* ---- words ----------------------------------------------------------------------------------- */

static void explain_telling(uint8_t told, th_str text, uint32_t position, th__buf *out)
{
    if (told == TH__TOLD_BY_LABEL)
        th__buf_printf(out, ", after \"%.*s\"", TH_STR_ARG(text));
    if (told == TH__TOLD_BY_ITSELF)
        th__buf_printf(out, ", where it is \"%.*s\"", TH_STR_ARG(text));
    if (position != TH__NO_POSITION)
        th__buf_printf(out, ", number %u", position + 1);
}

/* Which part of a text, from the innermost up. */
static void explain_parts(const th__field_rule *rule, th__buf *out)
{
    for (uint32_t i = rule->depth; i-- > 0;) {
        const th__part_rule *part = &rule->inside[i];
        if (part->between == TH__PART_SIGN)
            th__buf_printf(out, " what is between \"%.*s\"", TH_STR_ARG(part->step));
        else if (!part->between)
            th__buf_printf(out, " %.*s", TH_STR_ARG(part->step));
        else if (part->step.len)
            th__buf_printf(out, " what follows %.*s", TH_STR_ARG(part->step));
        else
            th__buf_printf(out, " what comes first");
        explain_telling(part->told, part->text, part->position, out);
        th__buf_printf(out, ", in");
    }
}

static const char *ending_of(const th__field_rule *rule)
{
    if (rule->joins)
        return rule->joins > 0 ? ": part of the next" : ": part of the last";
    return rule->name.ptr ? "" : ": no value";
}

void th__fields_explain(const th__fields *fields, th__buf *out)
{
    static const char *const what[] = {"text of", "target of", "source of", "attribute",
                                       "all texts that no other field takes"};
    int width = 4;
    for (uint32_t i = 0; i < fields->count; i++)
        if ((int)fields->rules[i].name.len > width && fields->rules[i].name.len <= 24)
            width = (int)fields->rules[i].name.len;
    for (uint32_t i = 0; i < fields->count; i++) {
        const th__field_rule *rule = &fields->rules[i];
        th_str name = rule->name.ptr ? rule->name : TH_STR("-");
        th__buf_printf(out, "  %-*.*s  %s", width, TH_STR_ARG(name), what[rule->kind]);
        if (rule->kind == TH__FIELD_REST) {
            th__buf_add_byte(out, '\n');
            continue;
        }
        if (rule->kind == TH__ITEM_ATTRIBUTE)
            th__buf_printf(out, " %.*s of", TH_STR_ARG(rule->attribute));
        explain_parts(rule, out);
        bool heading = th__path_is_heading(rule->path);
        th__buf_printf(out, " %s%.*s", heading ? "the last heading above, " : "",
                       (int)rule->path.len - heading, rule->path.ptr + heading);
        if (!rule->path.len)
            th__buf_printf(out, "%s",
                           fields->several ? "the text between its elements" : "the record itself");
        if (rule->part)
            th__buf_printf(out, " of part %u", rule->part + 1);
        explain_telling(rule->told, rule->text, rule->position, out);
        th__buf_printf(out, "%s%s\n", rule->list ? ", all of them" : "", ending_of(rule));
    }
}

/* ---- rules from the columns of lists -----------------------------------------------------------
 */

void th__fields_learner_init(th__fields_learner *learner)
{
    *learner = (th__fields_learner){0};
    th__arena_init(&learner->arena);
    th__intern_init(&learner->keys);
    th__intern_init(&learner->names);
}

void th__fields_learner_release(th__fields_learner *learner)
{
    th__vec_release(&learner->rules);
    th__vec_release(&learner->fields);
    th__intern_release(&learner->keys);
    th__intern_release(&learner->names);
    th__buf_release(&learner->text);
    th__arena_release(&learner->arena);
}

bool th__fields_learner_take(th__fields_learner *l, const char *attributes)
{
    th_str rest = attributes ? th_str_from(attributes) : (th_str){0};
    th_str *names = th__arena_alloc(&l->arena, (rest.len / 2 + 1) * sizeof *names);
    l->attributes = (th__attribute_names){names, 0};
    while (names && rest.len) {
        const char *comma = memchr(rest.ptr, ',', rest.len);
        size_t len = comma ? (size_t)(comma - rest.ptr) : rest.len;
        th_str name = th__str_trim((th_str){rest.ptr, len});
        if (name.len) {
            names[l->attributes.count] = th__arena_copy(&l->arena, name);
            if (!names[l->attributes.count++].ptr)
                return false;
        }
        len += comma != NULL;
        rest = (th_str){rest.ptr + len, rest.len - len};
    }
    return names;
}

static th_str key_text(const uint64_t *key)
{
    return (th_str){(const char *)key, sizeof *key};
}

/* The place of an item in its record. */
static bool find_place(th__fields_learner *l, const th__view *view, const th__extent *record,
                       const th__item *item, th__field_rule *rule)
{
    l->text.len = 0;
    rule->part = record->part;
    if (!th__item_path_write(view, record, item, &l->text))
        return false;
    rule->path = th__arena_copy(&l->arena, th__buf_str(&l->text));
    if (item->kind != TH__ITEM_ATTRIBUTE || !rule->path.ptr)
        return rule->path.ptr;
    rule->attribute = th__arena_copy(&l->arena, th__attribute_at(view->page, item->span).name);
    return rule->attribute.ptr;
}

/* Writes the text that distinguishes a field: its label's, or its own. */
static bool write_teller(th__fields_learner *l, const th__view *view, const th__columns *columns,
                         const th__item *item)
{
    const th__item *teller = item->told == TH__TOLD_BY_LABEL ? &columns->items[item->label] : item;
    l->text.len = 0;
    return th__span_text(view->page, teller->span, &l->text);
}

/* A name that no field has yet. */
static bool take_name(th__fields_learner *l, th_str name, th_str *out)
{
    l->text.len = 0;
    th__buf_add_str(&l->text, name);
    for (unsigned i = 2; !l->text.failed; i++) {
        size_t before = l->names.len;
        uint32_t id = th__intern_add(&l->names, th__buf_str(&l->text));
        if (id == TH__INTERN_NONE)
            return false;
        if (l->names.len > before) {
            *out = th__arena_copy(&l->arena, th__buf_str(&l->text));
            return out->ptr;
        }
        l->text.len = name.len;
        th__buf_printf(&l->text, "_%u", i);
    }
    return false;
}

/* Copies the text that distinguishes an item, if there is one. */
static bool copy_teller(th__fields_learner *l, const th__view *view, const th__columns *columns,
                        const th__item *item, th_str *out)
{
    if (item->told == TH__TOLD_BY_PLACE)
        return true;
    if (!write_teller(l, view, columns, item))
        return false;
    *out = th__arena_copy(&l->arena, th__buf_str(&l->text));
    return out->ptr;
}

/* Which part of its whole an item is. */
static bool find_part(th__fields_learner *l, const th__view *view, const th__columns *columns,
                      const th__item *part, th__part_rule *out)
{
    *out = (th__part_rule){.between = part->between,
                           .told = part->told,
                           .telling = part->telling,
                           .position = part->position};
    uint32_t node = part->between ? part->after : part->node;
    l->text.len = 0;
    if (part->sign) {
        char text[4];
        out->between = TH__PART_SIGN;
        out->step = th__arena_copy(&l->arena, (th_str){text, th__utf8_encode(part->sign, text)});
        return out->step.ptr;
    }
    return (!node || th__class_step_write(view->page, node, &l->text)) &&
           (out->step = th__arena_copy(&l->arena, th__buf_str(&l->text))).ptr &&
           copy_teller(l, view, columns, part, &out->text);
}

/* The rule of an item: of the text that it is a part of, and which part. */
static bool find_rule(th__fields_learner *l, const th__view *view, const th__extent *extents,
                      const th__columns *columns, const th__item *item, th__field_rule *rule,
                      bool *fits)
{
    const th__item *chain[TH__PARTS_DEEPEST + 1] = {item};
    uint32_t depth = 0;
    uint64_t key = 0;
    for (; chain[depth]->whole && depth < TH__PARTS_DEEPEST; depth++)
        chain[depth + 1] = &columns->wholes[chain[depth]->whole - 1];
    const th__item *top = chain[depth];
    *rule = (th__field_rule){.kind = top->kind,
                             .told = top->told,
                             .telling = top->telling,
                             .position = top->position,
                             .depth = (uint8_t)depth,
                             .joins = item->joins,
                             .key = item->key};
    if (!find_place(l, view, &extents[top->extent], top, rule) ||
        !copy_teller(l, view, columns, top, &rule->text))
        return false;
    rule->base = top->base;
    for (uint32_t i = 0; i < depth; i++) {
        rule->wholes[i] = chain[depth - i]->key;
        if (!find_part(l, view, columns, chain[depth - i - 1], &rule->inside[i]))
            return false;
    }
    /* A tag that no step can name (its name holds odd bytes) gives no rule. */
    *fits = find_key(rule, l->several, &l->text, &key) && key == item->key;
    return !l->text.failed;
}

/* What is said of a column holds for the rule of its field: a column that goes with another one
 * goes with that one's rule. `rules` has the rules of the columns before it. */
static th__column_use use_of(const th__list *list, uint32_t column, const uint32_t *rules)
{
    th__column_use use = list->fields[column].use;
    if (use.into != TH__NO_ITEM)
        use.into = rules[use.into] == TH__INTERN_NONE ? TH__NO_ITEM : rules[use.into];
    return use;
}

static bool add_rule(th__fields_learner *l, const th__view *view, const th__extent *extents,
                     const th__list *list, uint32_t column, const th__key_vec *core,
                     uint32_t *rules)
{
    const th__columns *columns = &list->columns;
    const th__item *sample = &columns->items[columns->columns[column].sample];
    th__list_field field = list->fields[column];
    th__field_rule rule;
    bool fits;
    if (!find_rule(l, view, extents, columns, sample, &rule, &fits))
        return false;
    if (!fits)
        return true;
    rule.core = sample->kind == TH__ITEM_TEXT && th__key_vec_find(core, rule.base) != SIZE_MAX;
    field.use = use_of(list, column, rules);
    if (field.use.into != TH__NO_ITEM)
        rule.name = l->rules.data[field.use.into].name;
    else if (!field.hidden && field.use.fate != TH__COLUMN_OTHER &&
             !take_name(l, field.name, &rule.name))
        return false;
    field.name = rule.name;
    rules[column] = (uint32_t)l->rules.len;
    field.optional |= l->lists > 0;
    uint64_t key = columns->columns[column].key;
    return th__vec_reserve(&l->fields, 1) && th__vec_reserve(&l->rules, 1) &&
           th__intern_add(&l->keys, key_text(&key)) != TH__INTERN_NONE &&
           th__vec_push(&l->fields, field) && th__vec_push(&l->rules, rule);
}

/* The rule of a column among the first `known`; or NONE. */
static uint32_t known_rule(const th__fields_learner *l, size_t known, const th__key_map *cells,
                           const th__view *view, const th__item *sample, const th__column *column)
{
    uint32_t rule = th__intern_find(&l->keys, key_text(&column->key));
    if (rule != TH__INTERN_NONE)
        return rule;
    /* Told apart here, but not where it was first seen: it is one of several values there. */
    rule = th__intern_find(&l->keys, key_text(&sample->base));
    if (rule < known)
        return rule;
    /* Other markup in the same cell. */
    rule = sample->whole || column->list ? 0 : cell_rule(cells, view, sample);
    return rule ? rule - 1 : TH__INTERN_NONE;
}

/* A field that was left out is shown when another page has other values in it, or none of another
 * field. Few records say nothing. */
static bool review(th__fields_learner *l, uint32_t rule, const th__list *list, uint32_t column)
{
    th__column_use *was = &l->fields.data[rule].use;
    const th__column_use *now = &list->fields[column].use;
    bool differs = was->value ? now->value != was->value : now->fate == TH__COLUMN_SHOWN;
    if (was->fate == TH__COLUMN_SHOWN || was->into != TH__NO_ITEM || !differs ||
        list->columns.record_count < TH__COLUMNS_JUDGED_FROM)
        return true;
    bool named = was->fate == TH__COLUMN_LEFT_OUT;
    was->fate = TH__COLUMN_SHOWN;
    if (named || l->fields.data[rule].hidden)
        return true;
    bool ok = take_name(l, list->fields[column].name, &l->rules.data[rule].name);
    l->fields.data[rule].name = l->rules.data[rule].name;
    return ok;
}

bool th__fields_learn(th__fields_learner *l, const th__view *view, const th__extents *records,
                      const th__key_vec *core)
{
    th__arena arena;
    th__list list;
    th__arena_init(&arena);
    th__key_map settled, cells;
    uint64_t kinds[TH__SECTIONS_LIMIT];
    th__sections_wanted wanted = {.keys = kinds};
    wanted.key_count = th__fields_kinds(l->rules.data, l->rules.len, kinds);
    if (!l->lists) {
        wanted.texts = l->headings;
        wanted.text_count = l->heading_count;
    }
    struct list_cuts cuts = {l->whole_lines, &settled, &wanted,
                             l->all ? TH__COLUMNS_EVERY : TH__COLUMNS_WORTHY};
    th__extents own = *records;
    own.attributes = l->attributes.count ? &l->attributes : NULL;
    records = &own;
    bool ok = find_settled(l->rules.data, l->rules.len, &arena, &settled) &&
              find_cells(l->rules.data, l->rules.len, &arena, &cells) &&
              describe_list(&arena, view, records, cuts, &list);
    size_t known = l->rules.len;
    bool *met = th__arena_zero(&arena, known + 1, sizeof *met);
    uint32_t *rules =
        ok ? th__arena_alloc(&arena, (list.columns.column_count + (size_t)1) * sizeof *rules)
           : NULL;
    ok = ok && met && rules;
    for (uint32_t c = 0; ok && c < list.columns.column_count; c++) {
        const th__column *column = &list.columns.columns[c];
        const th__item *sample = &list.columns.items[column->sample];
        uint32_t rule = known_rule(l, known, &cells, view, sample, column);
        if (rule == TH__INTERN_NONE) {
            rules[c] = TH__INTERN_NONE;
            ok = add_rule(l, view, records->data, &list, c, core, rules);
        } else {
            rules[c] = rule;
            const th__field_rule *was = &l->rules.data[rule];
            uint8_t told = was->depth ? was->inside[was->depth - 1].told : was->told;
            uint32_t position = was->depth ? was->inside[was->depth - 1].position : was->position;
            bool several = column->list || told != sample->told || position != sample->position;
            l->fields.data[rule].list |= several;
            l->fields.data[rule].optional |= list.fields[c].optional;
            met[rule] = true;
            ok = review(l, rule, &list, c);
        }
    }
    for (size_t i = 0; ok && i < known; i++)
        l->fields.data[i].optional |= !met[i];
    l->lists++;
    th__arena_release(&arena);
    return ok;
}

/* An absent text stays absent. */
static bool copy_into(th__arena *arena, th_str *text)
{
    if (!text->ptr)
        return true;
    *text = th__arena_copy(arena, *text);
    return text->ptr;
}

/* Adds the rule for texts that no other rule takes. */
static bool add_rest(th__fields_learner *l)
{
    th__field_rule rule = {.kind = TH__FIELD_REST, .position = TH__NO_POSITION};
    th__list_field field = {
        .list = true, .optional = true, .rest = true, .use = {.into = TH__NO_ITEM}};
    if (!take_name(l, TH_STR("other"), &rule.name))
        return false;
    field.name = rule.name;
    return th__vec_push(&l->fields, field) && th__vec_push(&l->rules, rule);
}

/* Decides which fields are shown: omitted ones lose their name, some go to the rest, and those that
 * are one field get equal settings. The number of fields is bounded: the last ones are dropped. */
static void settle_uses(th__fields_learner *l)
{
    const th__field_rule *rest = &l->rules.data[l->rules.len - 1];
    uint32_t shown = 1;
    for (size_t i = 0; i + 1 < l->rules.len; i++) {
        th__list_field *field = &l->fields.data[i];
        if (field->use.into == TH__NO_ITEM || field->hidden)
            continue;
        l->fields.data[field->use.into].list |= field->list;
        l->fields.data[field->use.into].optional |= field->optional;
    }
    for (size_t i = 0; i + 1 < l->rules.len; i++) {
        th__list_field *field = &l->fields.data[i];
        bool own = field->use.into == TH__NO_ITEM;
        if (field->hidden)
            continue;
        if (!own) {
            field->use.fate = l->fields.data[field->use.into].use.fate;
            field->list = l->fields.data[field->use.into].list;
            l->rules.data[i].name = l->rules.data[field->use.into].name;
        } else if (field->use.fate == TH__COLUMN_SHOWN && shown++ >= TH__COLUMNS_SHOWN_MOST &&
                   !l->all) {
            field->use.fate = field->attribute ? TH__COLUMN_LEFT_OUT : TH__COLUMN_OTHER;
        }
        if (field->use.fate == TH__COLUMN_LEFT_OUT)
            l->rules.data[i].name = (th_str){0};
        if (field->use.fate != TH__COLUMN_OTHER)
            continue;
        l->rules.data[i].name = rest->name;
        field->list = true;
    }
}

th_status th__fields_learnt(th__fields_learner *l, th__arena *arena, th__fields *out,
                            th_schema **schema, th_error *err)
{
    bool any = false;
    for (size_t i = 0; i < l->rules.len; i++)
        any |= !l->fields.data[i].hidden;
    /* Lines of single letters between <br> look like records but have no column. */
    if (!any)
        return th__fail_no_list(err);
    if (!add_rest(l))
        return th__fail_memory(err);
    settle_uses(l);
    th_status status = make_schema(l->fields.data, l->fields.len, schema, err);
    if (status)
        return status;
    *out = (th__fields){.several = l->several};
    out->rules = th__arena_alloc(arena, (l->rules.len + 1) * sizeof *out->rules);
    bool ok = out->rules;
    for (size_t i = 0; ok && i < l->rules.len; i++) {
        th__field_rule *rule = &out->rules[out->count];
        *rule = l->rules.data[i];
        rule->member = l->fields.data[i].member;
        rule->list = l->fields.data[i].list;
        /* Links that no rule takes are left out anyway; texts would go to the rest. */
        if (!rule->name.ptr && rule->kind != TH__ITEM_TEXT)
            continue;
        out->count++;
        ok = copy_into(arena, &rule->name) && copy_into(arena, &rule->path) &&
             copy_into(arena, &rule->attribute) && copy_into(arena, &rule->text);
        for (uint32_t level = 0; ok && level < rule->depth; level++)
            ok = copy_into(arena, &rule->inside[level].step) &&
                 copy_into(arena, &rule->inside[level].text);
    }
    if (!ok || !prepare_fields(out, arena)) {
        th_schema_free(*schema);
        *schema = NULL;
        return th__fail_memory(err);
    }
    return TH_OK;
}
