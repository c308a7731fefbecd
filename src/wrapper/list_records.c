/* list_records.c: aligned columns become records. */
#include "wrapper/list_records.h"

#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"
#include "data/value_types.h"
#include "page/charref.h"
#include "page/text.h"
#include "page/url.h"

struct lister {
    const th__view *view;
    th__buf text, link;
};

bool th__item_read(const th_page *page, th__item_kind kind, uint32_t ref, th__buf *text,
                   th__buf *link, th_span *span)
{
    th__buf_clear(text);
    if (kind == TH__ITEM_TEXT)
        return th__span_text(page, *span, text);
    if (kind == TH__ITEM_ATTRIBUTE)
        return th__page_value(page, th__attribute_at(page, *span).name, *span, text);
    *span = (th_span){0};
    if (kind == TH__ITEM_LINK)
        th__attribute_span(page, ref, TH_STR("href"), span);
    else
        th__image_span(page, ref, span);
    th__buf_clear(link);
    return th__decode_refs(th__page_slice(page, span->start, span->end), true, link) &&
           th__url_resolve(page->base.ptr ? page->base : page->url, th__buf_str(link), text);
}

static bool read_item(struct lister *l, th__item_kind kind, uint32_t ref, th_span *span)
{
    return th__item_read(l->view->page, kind, ref, &l->text, &l->link, span);
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
        th_span span = item->span;
        if (!is_read(item) || sights[item->column].looked == LOOKED_AT)
            continue;
        if (!read_item(l, (th__item_kind)item->kind, item->ref, &span) ||
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

bool th__list_describe(th__arena *arena, const th__view *view, const th__extents *records,
                       th__list_cuts cuts, th__list *out)
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

th_status th__list_schema(th__list_field *fields, size_t count, th_schema **out, th_error *err)
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
                                 .ref = items[i].ref,
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
    if (!read_item(l, (th__item_kind)list->items[first].kind, list->items[first].ref, &span))
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
    if (!th__list_describe(
            &arena, view, records,
            (th__list_cuts){.columns = all ? TH__COLUMNS_BOUNDED : TH__COLUMNS_WORTHY}, &list))
        status = th__fail_memory(err);
    for (uint32_t c = 0; !status && c < list.columns.column_count; c++)
        any |= !list.fields[c].hidden;
    if (any)
        status = th__list_schema(list.fields, list.field_count, &schema, err);
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
