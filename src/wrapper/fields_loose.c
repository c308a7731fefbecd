/*
 * fields_loose.c: which columns of changed records are loose.
 *
 * The records are aligned without regard to rules, since these do not find what has moved; a column
 * is nobody's when fields in their place have next to none of its items. Where it is cut, each part
 * has to stay with the item it came from: cuts that are of no use are taken back in the end.
 */
#include "wrapper/fields_adapter.h"

/* Values of a loose column that are looked at. */
enum { LOOKED_AT = 24 };

static bool is_stranger(const th__adapter *a, const th__item *item)
{
    if (item->column == TH__NO_MEMBER)
        return item->kind != TH__ITEM_TEXT;
    return item->column == a->fields->rest || a->members[item->column].astray;
}

/* Aligns the records anew. The aligned items are the same in the same order. */
static bool align(th__adapter *a, th__arena *scratch, const uint32_t *first)
{
    uint32_t count = a->records->count;
    th__item_vec items = {0};
    uint32_t *copy = th__arena_alloc(a->arena, ((size_t)count + 1) * sizeof *copy);
    bool ok = copy && th__vec_reserve(&items, a->item_count);
    for (uint32_t r = 0; ok && r <= count; r++)
        copy[r] = first[r];
    for (size_t i = 0; ok && i < a->item_count; i++) {
        th__item item = a->items[i];
        item.key = item.base;
        item.told = TH__TOLD_BY_PLACE;
        item.telling = 0;
        item.label = TH__NO_ITEM;
        item.position = TH__NO_POSITION;
        item.whole = 0;
        ok = th__vec_push(&items, item);
    }
    ok = ok && th__columns_align_items(a->arena, scratch, a->view, &items, copy, count, false,
                                       &a->list.columns);
    th__vec_release(&items);
    return ok;
}

/* Counts for each column whose its items are. */
static bool count_votes(th__adapter *a)
{
    const th__columns *columns = &a->list.columns;
    a->columns = th__arena_zero(a->arena, columns->column_count + 1, sizeof *a->columns);
    if (!a->columns)
        return false;
    for (uint32_t i = 0; i < columns->item_count; i++) {
        th__loose_column *column = &a->columns[columns->items[i].column];
        uint32_t home = a->items[i].column == TH__NO_MEMBER ? 0 : a->items[i].column + 1;
        column->votes += is_stranger(a, &a->items[i]);
        if (!column->majority)
            column->home = home;
        column->majority += column->home == home ? 1 : (uint32_t)-1;
    }
    return true;
}

static bool is_loose(const th__adapter *a, uint32_t column)
{
    return 5 * a->columns[column].votes >= 4 * a->list.columns.columns[column].items;
}

/* The items with the parts of those that were cut, each with the member of its whole. */
static bool follow_cuts(th__adapter *a, uint32_t *first)
{
    const th__columns *columns = &a->list.columns;
    th__item *now = th__arena_alloc(a->arena, ((size_t)columns->item_count + 1) * sizeof *now);
    a->origin = th__arena_alloc(a->arena, ((size_t)columns->item_count + 1) * sizeof *a->origin);
    if (!now || !a->origin)
        return false;
    for (uint32_t i = 0, old = 0; i < columns->item_count; i++) {
        const th__item *item = &columns->items[i];
        /* Parts of one text follow each other. */
        bool same = i && item->whole && item[-1].whole && item[-1].ref == item->ref;
        old += i && !same;
        while (old + 1 < a->item_count &&
               (a->items[old].kind != item->kind || a->items[old].ref != item->ref))
            old++;
        a->origin[i] = old;
        now[i] = item->whole ? *item : a->items[old];
        now[i].column = a->items[old].column;
        if (item->whole && columns->columns[item->column].is_label)
            now[i].column = TH__NO_MEMBER;
    }
    for (uint32_t r = 0; r <= columns->record_count; r++)
        first[r] = columns->first[r];
    a->items = now;
    a->item_count = columns->item_count;
    return true;
}

/* Cuts the columns that are loose, and are lines of values. */
static bool cut_loose(th__adapter *a, th__arena *scratch, uint32_t *first)
{
    th__columns *columns = &a->list.columns;
    th__key_map settled;
    if (!th__key_map_init(&settled, scratch, columns->column_count))
        return false;
    for (uint32_t c = 0; c < columns->column_count; c++)
        if (!is_loose(a, c))
            th__key_map_put(&settled, columns->columns[c].key, TH__CUT_NEVER);
    if (!th__columns_cut(a->arena, scratch, a->view, a->records, &settled, columns))
        return false;
    return !columns->whole_count || (follow_cuts(a, first) && count_votes(a));
}

/* Looks at the first values of loose columns. */
static bool sample_loose(th__adapter *a)
{
    const th__columns *columns = &a->list.columns;
    for (uint32_t c = 0; c < columns->column_count; c++) {
        const th__column *column = &columns->columns[c];
        bool label = column->is_label || (column->distinct == 1 && column->items > 2);
        a->columns[c].is = !label && is_loose(a, c);
        a->columns[c].found = column->filled;
        if (a->columns[c].is && !(a->columns[c].values = th__arena_alloc(
                                      a->arena, LOOKED_AT * sizeof *a->columns[c].values)))
            return false;
    }
    for (uint32_t i = 0; i < columns->item_count; i++) {
        th__loose_column *column = &a->columns[columns->items[i].column];
        if (column->is && column->count < LOOKED_AT &&
            !th__adapt_look(a, &columns->items[i], &column->values[column->count++]))
            return false;
    }
    return true;
}

bool th__adapt_loose(th__adapter *a, uint32_t *first)
{
    th__arena scratch;
    th__arena_init(&scratch);
    bool ok = align(a, &scratch, first) && count_votes(a) && cut_loose(a, &scratch, first) &&
              th__list_name(a->arena, &scratch, a->view, a->records, &a->list);
    th__arena_release(&scratch);
    return ok && sample_loose(a);
}
