/*
 * column_parts.c: see column_parts.h.
 *
 * line_judge.h says which columns are cut.
 *
 * Linear in the texts: each part is looked at a few times, at TH__PARTS_DEEPEST levels.
 */
#include "table/column_parts.h"

#include <string.h>

#include "table/line_judge.h"

enum { LEAST_CELLS = 2 }; /* one text repeats nothing */

/* The texts of a column, cut. */
struct cut {
    bool is;
    th__columns parts; /* a record is a text */
};

struct cutting {
    th__arena *arena, *scratch;
    const th__view *view;
    const th__extents *records;
    const th__key_map *settled;
    th__columns *columns;
    struct cut *cuts;     /* by column */
    uint32_t *cell_first; /* by column, and one more: its first cell */
    uint32_t *cells;      /* items, column by column */
    bool *labels;         /* by column: its texts tell others apart */
    th__key_map by_key;   /* 1 + the number of a column */
    uint32_t known;       /* wholes so far */
};

/* Whether most texts of a column have tags inside: without, there is nothing to cut, and most
 * columns are so. */
static bool have_tags(const struct cutting *c, uint32_t column)
{
    uint32_t from = c->cell_first[column], to = c->cell_first[column + 1], count = 0;
    for (uint32_t i = from; i < to; i++) {
        const th__item *item = &c->columns->items[c->cells[i]];
        const th__leaf *leaf = &c->view->leaves.data[item->ref];
        count += item->whole || leaf->token_end - leaf->token > 1;
    }
    return 2 * count > to - from;
}

static bool may_be_cut(const struct cutting *c, uint32_t column, uint32_t settled)
{
    const th__column *at = &c->columns->columns[column];
    const th__item *sample = &c->columns->items[at->sample];
    if (at->kind != TH__ITEM_TEXT || sample->between || sample->whole < c->known ||
        sample->whole_cell || sample->heading)
        return false;
    if (settled)
        return settled == TH__CUT_ALWAYS && !at->list;
    return !at->list && !at->is_label && !c->labels[column] && at->filled >= LEAST_CELLS &&
           have_tags(c, column);
}

/* Whether lines are a rare form of what is mostly an element alone, and that element is not what
 * they begin with: "<a>Ada Reed</a>", and now and then "Bo Lund, <a>Harbour Press</a>". Then it may
 * well be another value. */
static bool is_variant(const struct cutting *c, const th__column *whole, const th__columns *parts)
{
    for (uint32_t p = 0; p < parts->column_count; p++) {
        uint32_t sample = parts->columns[p].sample;
        uint32_t alone = th__key_map_get(&c->by_key, parts->columns[p].key);
        if (alone && parts->items[sample].by_path &&
            sample != parts->first[parts->items[sample].record] &&
            c->columns->columns[alone - 1].filled > whole->filled)
            return true;
    }
    return false;
}

/* Cuts the texts of a column and aligns the parts. */
static bool cut_column(struct cutting *c, uint32_t column, uint32_t number)
{
    uint32_t from = c->cell_first[column], count = c->cell_first[column + 1] - from;
    const th__column *at = &c->columns->columns[column];
    uint32_t settled = c->settled ? th__key_map_get(c->settled, at->key) : 0;
    struct cut *cut = &c->cuts[column];
    th__item_vec items = {0};
    if (!may_be_cut(c, column, settled))
        return true;
    uint32_t *first = th__arena_alloc(c->scratch, ((size_t)count + 1) * sizeof *first);
    bool ok = first;
    for (uint32_t cell = 0; ok && cell < count; cell++) {
        first[cell] = (uint32_t)items.len;
        ok = th__parts_add(c->view, c->records->data, &c->columns->items[c->cells[from + cell]],
                           number, &items);
        for (size_t i = first[cell]; ok && i < items.len; i++)
            items.data[i].record = cell;
    }
    if (ok)
        first[count] = (uint32_t)items.len;
    /* One part each: nothing to cut. */
    if (ok && (settled || items.len > count)) {
        th__line line;
        ok = th__columns_align_items(c->scratch, c->scratch, c->view, &items, first, count, true,
                                     &cut->parts) &&
             th__line_describe(c->scratch, c->view, &cut->parts, &line);
        if (ok)
            cut->is = settled || (th__line_has_fields(&line) && !is_variant(c, at, &cut->parts));
        if (ok && cut->is)
            th__line_join(&line);
    }
    th__vec_release(&items);
    return ok;
}

/* ---- putting parts in the place of their wholes ---------------------------------------------- */

/* Gathers the items of each column. */
static bool find_cells(struct cutting *c)
{
    const th__columns *columns = c->columns;
    c->cuts = th__arena_zero(c->scratch, columns->column_count + 1, sizeof *c->cuts);
    c->labels = th__arena_zero(c->scratch, columns->column_count + 1, sizeof *c->labels);
    c->cell_first = th__arena_zero(c->scratch, columns->column_count + 2, sizeof *c->cell_first);
    c->cells = th__arena_alloc(c->scratch, (columns->item_count + 1) * sizeof *c->cells);
    if (!c->cuts || !c->labels || !c->cell_first || !c->cells ||
        !th__key_map_init(&c->by_key, c->scratch, columns->column_count))
        return false;
    for (uint32_t k = 0; k < columns->column_count; k++)
        th__key_map_put(&c->by_key, columns->columns[k].key, k + 1);
    for (uint32_t i = 0; i < columns->item_count; i++) {
        c->cell_first[columns->items[i].column + 2]++;
        if (columns->items[i].label != TH__NO_ITEM)
            c->labels[columns->items[columns->items[i].label].column] = true;
    }
    for (uint32_t k = 2; k < columns->column_count + 2; k++)
        c->cell_first[k] += c->cell_first[k - 1];
    for (uint32_t i = 0; i < columns->item_count; i++)
        c->cells[c->cell_first[columns->items[i].column + 1]++] = i;
    return true;
}

/* The columns with parts in the place of wholes; `to` has the new number of each, or of its first
 * part. */
static bool place_columns(struct cutting *c, th__columns *out, uint32_t *to)
{
    const th__columns *old = c->columns;
    uint32_t count = 0, wholes = old->whole_count;
    for (uint32_t k = 0; k < old->column_count; k++) {
        to[k] = count;
        count += c->cuts[k].is ? c->cuts[k].parts.column_count : 1;
        wholes += c->cuts[k].is;
    }
    out->column_count = count;
    out->columns = th__arena_alloc(c->arena, (count + 1) * sizeof *out->columns);
    out->wholes = th__arena_alloc(c->arena, (wholes + 1) * sizeof *out->wholes);
    if (!out->columns || !out->wholes)
        return false;
    if (old->whole_count)
        memcpy(out->wholes, old->wholes, old->whole_count * sizeof *out->wholes);
    out->whole_count = old->whole_count;
    for (uint32_t k = 0; k < old->column_count; k++) {
        const struct cut *cut = &c->cuts[k];
        if (cut->is) {
            memcpy(&out->columns[to[k]], cut->parts.columns,
                   cut->parts.column_count * sizeof *out->columns);
            out->wholes[out->whole_count++] = old->items[old->columns[k].sample];
        } else {
            out->columns[to[k]] = old->columns[k];
        }
    }
    return true;
}

/* Where the first of the items that an item became stands; *shift: what to add to the numbers of
 * parts of its text. */
struct moved {
    uint32_t at, cell;
};

static bool place_items(struct cutting *c, th__columns *out, const uint32_t *to,
                        struct moved *moved)
{
    const th__columns *old = c->columns;
    uint32_t *seen = th__arena_zero(c->scratch, old->column_count + 1, sizeof *seen), count = 0;
    if (!seen)
        return false;
    for (uint32_t i = 0; i < old->item_count; i++) {
        const struct cut *cut = &c->cuts[old->items[i].column];
        uint32_t cell = seen[old->items[i].column]++;
        moved[i] = (struct moved){count, cell};
        count += cut->is ? cut->parts.first[cell + 1] - cut->parts.first[cell] : 1;
    }
    moved[old->item_count] = (struct moved){count, 0};
    out->item_count = count;
    out->items = th__arena_alloc(c->arena, ((size_t)count + 1) * sizeof *out->items);
    out->first = th__arena_alloc(c->arena, (old->record_count + 1) * sizeof *out->first);
    if (!out->items || !out->first)
        return false;
    for (uint32_t r = 0; r <= old->record_count; r++)
        out->first[r] = moved[old->first[r]].at;
    for (uint32_t i = 0; i < old->item_count; i++) {
        const th__item *item = &old->items[i];
        const struct cut *cut = &c->cuts[item->column];
        th__item *now = &out->items[moved[i].at];
        uint32_t from = cut->is ? cut->parts.first[moved[i].cell] : 0;
        uint32_t parts = moved[i + 1].at - moved[i].at;
        for (uint32_t p = 0; p < parts; p++) {
            now[p] = cut->is ? cut->parts.items[from + p] : *item;
            now[p].record = item->record;
            now[p].column = to[item->column] + (cut->is ? now[p].column : 0);
            if (now[p].label != TH__NO_ITEM)
                now[p].label = cut->is ? moved[i].at + now[p].label - from : moved[now[p].label].at;
        }
    }
    return true;
}

/* Samples and labels of columns are items, and items have moved. */
static void renumber(const struct cutting *c, th__columns *out, const uint32_t *to,
                     const struct moved *moved)
{
    const th__columns *old = c->columns;
    for (uint32_t w = 0; w < out->whole_count; w++)
        if (out->wholes[w].label != TH__NO_ITEM)
            out->wholes[w].label = moved[out->wholes[w].label].at;
    for (uint32_t k = 0; k < old->column_count; k++) {
        const struct cut *cut = &c->cuts[k];
        uint32_t parts = cut->is ? cut->parts.column_count : 1;
        for (uint32_t p = 0; p < parts; p++) {
            th__column *column = &out->columns[to[k] + p];
            uint32_t *refs[] = {&column->sample, &column->label};
            for (size_t n = 0; n < 2; n++) {
                if (*refs[n] == TH__NO_ITEM)
                    continue;
                uint32_t whole = *refs[n], from = 0;
                if (cut->is) {
                    uint32_t cell = cut->parts.items[*refs[n]].record;
                    whole = c->cells[c->cell_first[k] + cell];
                    from = *refs[n] - cut->parts.first[cell];
                }
                *refs[n] = moved[whole].at + from;
            }
        }
    }
}

static bool put_in_place(struct cutting *c)
{
    th__columns *old = c->columns, out = *old;
    uint32_t *to = th__arena_alloc(c->scratch, (old->column_count + 1) * sizeof *to);
    struct moved *moved =
        th__arena_alloc(c->scratch, ((size_t)old->item_count + 1) * sizeof *moved);
    if (!to || !moved || !place_columns(c, &out, to) || !place_items(c, &out, to, moved))
        return false;
    renumber(c, &out, to, moved);
    *old = out;
    return true;
}

/* Puts columns with the same key together: a part, and the same element where it stands alone. */
static bool merge_columns(struct cutting *c)
{
    th__columns *columns = c->columns;
    uint32_t *to = th__arena_alloc(c->scratch, (columns->column_count + 1) * sizeof *to), kept = 0;
    uint32_t *last = th__arena_zero(c->scratch, columns->column_count + 1, sizeof *last);
    th__key_map known;
    if (!to || !last || !th__key_map_init(&known, c->scratch, columns->column_count))
        return false;
    for (uint32_t k = 0; k < columns->column_count; k++) {
        const th__column *column = &columns->columns[k];
        uint32_t same = th__key_map_get(&known, column->key);
        to[k] = same ? same - 1 : kept;
        if (!same) {
            th__key_map_put(&known, column->key, kept + 1);
            columns->columns[kept++] = *column;
            continue;
        }
        th__column *into = &columns->columns[same - 1];
        into->items += column->items;
        into->distinct += column->distinct;
        into->list |= column->list;
        into->is_label &= column->is_label;
    }
    columns->column_count = kept;
    for (uint32_t k = 0; k < kept; k++)
        columns->columns[k].filled = 0;
    for (uint32_t i = 0; i < columns->item_count; i++) {
        th__item *item = &columns->items[i];
        th__column *column = &columns->columns[to[item->column]];
        item->column = to[item->column];
        column->list |= last[item->column] == item->record + 1;
        column->filled += last[item->column] != item->record + 1;
        last[item->column] = item->record + 1;
    }
    return true;
}

bool th__columns_cut(th__arena *arena, th__arena *scratch, const th__view *view,
                     const th__extents *records, const th__key_map *settled, th__columns *columns)
{
    struct cutting c = {.arena = arena,
                        .scratch = scratch,
                        .view = view,
                        .records = records,
                        .settled = settled,
                        .columns = columns};
    for (int depth = 0; depth < TH__PARTS_DEEPEST; depth++) {
        uint32_t number = columns->whole_count;
        if (!find_cells(&c))
            return false;
        for (uint32_t k = 0; k < columns->column_count; k++) {
            if (!cut_column(&c, k, number + 1))
                return false;
            number += c.cuts[k].is;
        }
        if (number == columns->whole_count)
            break;
        c.known = columns->whole_count + 1; /* the next round looks at new parts alone */
        if (!put_in_place(&c))
            return false;
    }
    return !columns->whole_count || merge_columns(&c);
}
