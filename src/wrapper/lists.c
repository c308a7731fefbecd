/* lists.c: aligned columns become records. */
#include "wrapper/lists.h"

#include "base/error.h"
#include "base/mem.h"
#include "data/note.h"
#include "page/charref.h"
#include "page/text.h"
#include "page/url.h"
#include "seq/column_names.h"

struct lister {
    const th__view *view;
    const th__extent *extents;
    th__arena arena, scratch;
    th__columns columns;
    th_str *names;
    uint32_t *member; /* by column: its place in the tuple, or NONE */
    th_schema *schema;
    th_records *records;
    th__buf text, link;
};

#define NONE UINT32_MAX

/* The text of an item, or its URL made absolute; and where it stands. */
static bool read_item(struct lister *l, const th__item *item, th_span *span)
{
    const th_page *page = l->view->page;
    th__buf_clear(&l->text);
    if (item->kind == TH__ITEM_TEXT) {
        *span = th__leaf_span(page, &l->view->leaves.data[item->ref]);
        return th__span_text(page, *span, &l->text);
    }
    th_str value = {0};
    th_attr_get(page, item->ref, item->kind == TH__ITEM_LINK ? "href" : "src", &value);
    value = th__str_trim(value);
    *span = (th_span){(uint32_t)(value.ptr - page->text.ptr),
                      (uint32_t)(value.ptr - page->text.ptr + value.len)};
    th__buf_clear(&l->link);
    return th__decode_refs(value, true, &l->link) &&
           th__url_resolve(page->base.ptr ? page->base : page->url, th__buf_str(&l->link),
                           &l->text);
}

/* What most of the values of a column look like, judged by the first of them. */
static bool find_notes(struct lister *l, th_note *notes)
{
    enum { LOOKED_AT = 32, KINDS = TH_NOTE_PHONE + 1 };
    const th__columns *columns = &l->columns;
    uint32_t(*counts)[KINDS] =
        th__arena_zero(&l->scratch, columns->column_count + 1, sizeof *counts);
    uint32_t *looked = th__arena_zero(&l->scratch, columns->column_count + 1, sizeof *looked);
    if (!counts || !looked)
        return false;
    for (uint32_t i = 0; i < columns->item_count; i++) {
        const th__item *item = &columns->items[i];
        th_span span;
        if (item->kind != TH__ITEM_TEXT || looked[item->column] == LOOKED_AT)
            continue;
        if (!read_item(l, item, &span))
            return false;
        looked[item->column]++;
        counts[item->column][th__note_of(th__buf_str(&l->text))]++;
    }
    for (uint32_t c = 0; c < columns->column_count; c++) {
        notes[c] = columns->columns[c].kind == TH__ITEM_LINK    ? TH_NOTE_URL
                   : columns->columns[c].kind == TH__ITEM_IMAGE ? TH_NOTE_IMAGE
                                                                : TH_NOTE_TEXT;
        for (unsigned kind = 1; kind < KINDS && looked[c]; kind++)
            if (5 * counts[c][kind] >= 4 * looked[c])
                notes[c] = (th_note)kind;
    }
    return true;
}

/* Texts first, then links and images: what a reader reads stays together. */
static th_status make_schema(struct lister *l, th_error *err)
{
    const th__columns *columns = &l->columns;
    size_t most = (size_t)columns->column_count + 1;
    th_note *notes = th__arena_alloc(&l->scratch, most * sizeof *notes);
    th_type **members = th__arena_alloc(&l->scratch, most * sizeof *members);
    l->member = th__arena_alloc(&l->arena, most * sizeof *l->member);
    if (!notes || !members || !l->member || !find_notes(l, notes))
        return th__fail_memory(err);
    th_status status = th_schema_new(&l->schema, err);
    if (status)
        return status;
    uint32_t count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t c = 0; c < columns->column_count; c++) {
            const th__column *column = &columns->columns[c];
            if ((column->kind != TH__ITEM_TEXT) != pass)
                continue;
            l->member[c] = column->is_label ? NONE : count;
            if (column->is_label)
                continue;
            th_type *field = th_schema_field(l->schema, l->names[c], notes[c]);
            if (column->list)
                field = th_schema_list(l->schema, (th_str){0}, field);
            if (column->filled < columns->record_count)
                field = th_schema_optional(l->schema, field);
            members[count++] = field;
        }
    th_type *tuple = th_schema_tuple(l->schema, (th_str){0}, members, count);
    return th_schema_finish(l->schema, th_schema_list(l->schema, (th_str){0}, tuple), err);
}

static th_status fill_records(struct lister *l, const th_records_source *source, th_error *err)
{
    const th__columns *columns = &l->columns;
    const th_page *page = l->view->page;
    th_status status = th_records_new(l->schema, source, &l->records, err);
    for (uint32_t r = 0; !status && r < columns->record_count; r++) {
        th_value *record = th_records_add(l->records);
        th_value_set_span(record, (th_span){page->tokens[l->extents[r].token].start,
                                            page->tokens[l->extents[r].token_end].start});
        for (uint32_t i = columns->first[r]; i < columns->first[r + 1]; i++) {
            const th__item *item = &columns->items[i];
            th_span span;
            if (l->member[item->column] == NONE)
                continue;
            if (!read_item(l, item, &span))
                return th__fail_memory(err);
            th_value *slot = th_value_slot(record, l->member[item->column]);
            if (columns->columns[item->column].list)
                slot = th_records_append(l->records, slot);
            th_records_set_text(l->records, slot, th__buf_str(&l->text), span);
        }
    }
    return status ? status : th_records_status(l->records, err);
}

th_status th__list_records(const th__view *view, const th__extent *records, uint32_t count,
                           const th_records_source *source, th_records **out, th_error *err)
{
    struct lister l = {.view = view, .extents = records};
    th__arena_init(&l.arena);
    th__arena_init(&l.scratch);
    th_status status = TH_OK;
    if (!th__columns_align(&l.arena, &l.scratch, view, records, count, &l.columns) ||
        !th__column_names_find(&l.arena, view, records, &l.columns, &l.names))
        status = th__fail_memory(err);
    if (!status)
        status = make_schema(&l, err);
    if (!status)
        status = fill_records(&l, source, err);
    if (status)
        th_records_free(l.records);
    else
        *out = l.records;
    th_schema_free(l.schema);
    th__buf_release(&l.text);
    th__buf_release(&l.link);
    th__arena_release(&l.arena);
    th__arena_release(&l.scratch);
    return status;
}
