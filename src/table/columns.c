/* columns.c: records aligned into columns. Linear in the items: everything goes through hash
 * tables. */
#include "table/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "base/key_map.h"
#include "page/tags.h"
#include "index/view.h"

/* ---- counting by key ------------------------------------------------------------------------- */

/* What is known of a key or text over all records. */
struct tally {
    uint32_t records;  /* that have it */
    uint32_t last;     /* the record that had it last */
    uint32_t here;     /* how often in that record */
    uint32_t most;     /* the most in one record */
    uint32_t usual;    /* a count that may be that of most records */
    uint32_t agreeing; /* how sure that is, then the records with the usual count */
    uint32_t column;   /* of the items that only the key identifies */
};

struct tallies {
    TH__VEC(struct tally) list; /* in the order of arrival */
    th__key_map numbers;        /* by key: index + 1 */
    bool failed;                /* no memory: */
    struct tally spare;         /* what is given then */
};

/* For other keys. */
static void tallies_clear(struct tallies *t)
{
    th__key_map_clear(&t->numbers);
    t->list.len = 0;
}

static void tallies_release(struct tallies *t)
{
    th__key_map_release(&t->numbers);
    th__vec_release(&t->list);
}

/* Which of the list a key's is: it may be a new one. */
static uint32_t tally_number(struct tallies *t, uint64_t key)
{
    uint32_t number = th__key_map_number(&t->numbers, key);
    if (!number ||
        (number > t->list.len && !th__vec_push(&t->list, (struct tally){.last = UINT32_MAX})))
        t->failed = true;
    return t->failed ? 0 : number - 1;
}

static struct tally *tally_of(struct tallies *t, uint64_t key)
{
    uint32_t number = tally_number(t, key);
    return t->failed ? &t->spare : &t->list.data[number];
}

/* How many there were in a record before this one. */
static uint32_t tally_here(struct tally *t, uint32_t record)
{
    if (t->last != record)
        t->here = 0;
    t->last = record;
    return t->here++;
}

/* The same, counting records and the most in one of them as well. */
static uint32_t tally_add(struct tally *t, uint32_t record)
{
    uint32_t before = tally_here(t, record);
    t->records += before == 0;
    t->most = t->here > t->most ? t->here : t->most;
    return before;
}

struct aligner {
    const th__view *view;
    uint32_t count; /* of records */
    th__item_vec items;
    uint32_t *first;
    uint32_t *of; /* by item: the number of its key */
    bool line;    /* only a colon makes a label */
    bool told;    /* labels have become part of keys */
    bool labels;  /* there are some */
};

/* ---- what distinguishes items with the same key ---------------------------------------------- */

/* Returns the number of a key after counting it. */
static uint32_t count_key(struct tallies *keys, uint64_t key, uint32_t record)
{
    uint32_t number = tally_number(keys, key);
    tally_add(keys->failed ? &keys->spare : &keys->list.data[number], record);
    return number;
}

static struct tally *tally_at(struct tallies *t, uint32_t number)
{
    return t->failed ? &t->spare : &t->list.data[number];
}

static void count_keys(struct aligner *a, struct tallies *keys)
{
    for (size_t i = 0; i < a->items.len; i++)
        a->of[i] = count_key(keys, a->items.data[i].key, a->items.data[i].record);
}

/*
 * Finds the labels of items. A text that is in many records is a label of what follows it when
 * it ends with a colon, or when keys repeat and nothing else distinguishes the fields. Items whose
 * key repeats get their label as part of their key, and labels their own text.
 */
static void find_labels(struct aligner *a, struct tallies *keys, uint32_t *text_of,
                        struct tallies *texts)
{
    for (size_t i = 0; i < a->items.len; i++)
        if (a->items.data[i].kind == TH__ITEM_TEXT)
            text_of[i] = count_key(texts, a->items.data[i].hash, a->items.data[i].record);
    /* Three in ten records: fewer would make labels of values that happen to repeat. */
    uint32_t enough = a->count * 3 / 10 + 2, label = TH__NO_ITEM, record = UINT32_MAX;
    uint64_t labelled = 0; /* the key that the label speaks of: that of what follows it */
    for (size_t i = 0; i < a->items.len; i++) {
        th__item *item = &a->items.data[i];
        if (item->record != record)
            label = TH__NO_ITEM, record = item->record;
        if (item->kind != TH__ITEM_TEXT || item->heading)
            continue;
        bool repeats = tally_at(keys, a->of[i])->most > 1;
        if (tally_at(texts, text_of[i])->records >= enough &&
            (!a->line || th__item_ends_with_colon(a->view, item))) {
            label = (uint32_t)i;
            labelled = 0;
            a->told |= repeats;
            if (repeats)
                th__item_tell(item, TH__TOLD_BY_ITSELF, item->hash);
            continue;
        }
        if (label == TH__NO_ITEM || (labelled && labelled != item->key)) {
            label = TH__NO_ITEM;
            continue;
        }
        bool next = label + 1 == i;
        labelled = item->key;
        a->told |= repeats;
        if (repeats || (next && th__item_ends_with_colon(a->view, &a->items.data[label])))
            item->label = label;
        if (repeats)
            th__item_tell(item, TH__TOLD_BY_LABEL, a->items.data[label].hash);
    }
}

/* Finds for each key the count that most of its records have (majority vote, then a recount). */
static void find_usual_counts(struct aligner *a, struct tallies *keys)
{
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < keys->list.len; i++)
            keys->list.data[i].last = UINT32_MAX,
            keys->list.data[i].here = keys->list.data[i].agreeing = 0;
        for (uint32_t r = 0; r < a->count; r++) {
            for (uint32_t i = a->first[r]; i < a->first[r + 1]; i++)
                tally_here(tally_at(keys, a->of[i]), r);
            for (uint32_t i = a->first[r]; i < a->first[r + 1]; i++) {
                struct tally *t = tally_at(keys, a->of[i]);
                if (t->last != r)
                    continue; /* done */
                t->last = UINT32_MAX;
                if (round == 1)
                    t->agreeing += t->here == t->usual;
                else if (t->agreeing == 0)
                    t->usual = t->here, t->agreeing = 1;
                else
                    t->agreeing += t->here == t->usual ? 1 : (uint32_t)-1;
            }
        }
    }
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Gives every item its column by key and, where that distinguishes fields, by position. */
static void number_columns(struct aligner *a, struct tallies *keys, struct tallies *columns)
{
    for (size_t i = 0; i < keys->list.len; i++)
        keys->list.data[i].last = keys->list.data[i].column = UINT32_MAX;
    for (size_t i = 0; i < a->items.len; i++) {
        th__item *item = &a->items.data[i];
        struct tally *t = tally_at(keys, a->of[i]);
        uint32_t repeat = tally_here(t, item->record);
        /* Four in five: the fifth has lost a field or won one. */
        bool by_position = t->most > 1 && 5 * t->agreeing >= 4 * t->records;
        if (by_position && repeat < t->usual) {
            th__item_place(item, repeat);
            item->column = tally_number(columns, item->key);
            continue;
        }
        if (t->column == UINT32_MAX)
            t->column = tally_number(columns, item->key);
        item->column = t->column;
    }
}

/* Counts by base key the texts there, as `most`, and those that are the label of the next text, as
 * `agreeing`. */
static void count_labels(struct aligner *a, struct tallies *bases)
{
    uint32_t last = TH__NO_ITEM;
    for (size_t i = 0; i < a->items.len; i++) {
        const th__item *item = &a->items.data[i];
        if (item->kind != TH__ITEM_TEXT)
            continue;
        tally_of(bases, item->base)->most++;
        if (last != TH__NO_ITEM && item->label == last)
            tally_of(bases, a->items.data[last].base)->agreeing++;
        last = (uint32_t)i;
    }
}

/* Returns true if a column is nothing but the label of another: it ends with a colon, or what is at
 * its place is the label of the next text in nine of ten cases: <dt>Member<dd>13000
 * <dt>Name<dd>Ito.
 */
static bool is_label(struct aligner *a, struct tallies *bases, const th__column *labels,
                     const th__item *label)
{
    const struct tally *base = tally_of(bases, label->base);
    bool always = label->told == TH__TOLD_BY_ITSELF && 10 * base->agreeing >= 9 * base->most;
    return labels->distinct == 1 && !labels->list &&
           (always || th__item_ends_with_colon(a->view, label));
}

static void describe_columns(struct aligner *a, struct tallies *columns, th__key_map *values,
                             uint32_t count, th__column *out)
{
    for (size_t i = 0; i < a->items.len; i++) {
        const th__item *item = &a->items.data[i];
        th__column *column = &out[item->column];
        struct tally *t = tally_at(columns, item->column);
        if (!column->items++)
            *column = (th__column){.key = item->key,
                                   .items = 1,
                                   .sample = (uint32_t)i,
                                   .label = item->label,
                                   .kind = item->kind};
        if (column->label == TH__NO_ITEM)
            column->label = item->label;
        a->labels |= item->label != TH__NO_ITEM;
        column->list |= tally_add(t, item->record) > 0;
        column->filled = t->records;
        uint32_t before = values->count;
        columns->failed |= !th__key_map_number(values, th__hash_mix(item->key, item->hash));
        column->distinct += values->count > before;
    }
    tallies_clear(columns);
    if (a->labels)
        count_labels(a, columns);
    for (uint32_t c = 0; a->labels && c < count; c++) {
        if (out[c].label == TH__NO_ITEM)
            continue;
        const th__item *label = &a->items.data[out[c].label];
        th__column *labels = &out[label->column];
        labels->is_label = is_label(a, columns, labels, label);
    }
}

/* The record with the most columns. `seen`: scratch, by column. */
static uint32_t fullest_record(const struct aligner *a, uint32_t *seen, uint32_t count)
{
    uint32_t fullest = 0, most = 0;
    for (uint32_t c = 0; c < count; c++)
        seen[c] = UINT32_MAX;
    for (uint32_t r = 0; r < a->count; r++) {
        uint32_t here = 0;
        for (uint32_t i = a->first[r]; i < a->first[r + 1]; i++) {
            here += seen[a->items.data[i].column] != r;
            seen[a->items.data[i].column] = r;
        }
        if (here > most) {
            fullest = r;
            most = here;
        }
    }
    return fullest;
}

/*
 * Puts the columns into the order of the page: those of the record that has most of them as they
 * are there; each other column behind the one that it follows where it is first seen. Mean
 * positions would not do: a column that only long records have would move behind what follows it.
 */
static bool order_columns(struct aligner *a, th__arena *scratch, th__column *columns,
                          uint32_t count)
{
    uint32_t *next = th__arena_alloc(scratch, ((size_t)count + 1) * sizeof *next);
    uint32_t *to = th__arena_alloc(scratch, ((size_t)count + 1) * sizeof *to);
    th__column *ordered = th__arena_alloc(scratch, ((size_t)count + 1) * sizeof *ordered);
    if (!next || !to || !ordered)
        return false;
    enum { UNKNOWN = UINT32_MAX };
    for (uint32_t c = 0; c <= count; c++)
        next[c] = UNKNOWN;
    next[count] = count; /* a ring; `count` is before the first */
    uint32_t fullest = fullest_record(a, to, count);
    for (uint32_t r = 0; r <= a->count; r++) {
        uint32_t record = r ? r - 1 : fullest, before = count;
        for (uint32_t i = a->first[record]; i < a->first[record + 1]; i++) {
            uint32_t column = a->items.data[i].column;
            if (next[column] == UNKNOWN) {
                next[column] = next[before];
                next[before] = column;
            }
            before = column;
        }
        if (!a->count)
            break;
    }
    uint32_t placed = 0;
    for (uint32_t c = next[count]; c != count; c = next[c]) {
        to[c] = placed;
        ordered[placed++] = columns[c];
    }
    memcpy(columns, ordered, placed * sizeof *columns);
    for (size_t i = 0; i < a->items.len; i++)
        a->items.data[i].column = to[a->items.data[i].column];
    return true;
}

/* Aligns items that live in the arena. */
static bool align(th__arena *arena, th__arena *scratch, const th__view *view,
                  const th__item_vec *items, uint32_t *first, uint32_t count, bool line,
                  th__columns *out)
{
    struct aligner a = {
        .view = view, .count = count, .items = *items, .first = first, .line = line};
    struct tallies keys = {0}, others = {0}; /* of texts, then of columns */
    *out = (th__columns){.items = a.items.data,
                         .first = first,
                         .record_count = count,
                         .item_count = (uint32_t)a.items.len};
    a.of = th__arena_alloc(scratch, (a.items.len + 1) * sizeof *a.of);
    uint32_t *text_of = th__arena_alloc(scratch, (a.items.len + 1) * sizeof *text_of);
    if (!a.of || !text_of)
        return false;
    count_keys(&a, &keys);
    find_labels(&a, &keys, text_of, &others);
    if (a.told) {
        tallies_clear(&keys);
        count_keys(&a, &keys);
    }
    find_usual_counts(&a, &keys);
    tallies_clear(&others);
    number_columns(&a, &keys, &others);
    out->column_count = (uint32_t)others.list.len;
    out->columns = th__arena_zero(arena, others.list.len + 1, sizeof *out->columns);
    bool ok = out->columns && !keys.failed && !others.failed;
    if (ok) {
        th__key_map values = {0};
        tallies_release(&keys);
        for (size_t i = 0; i < others.list.len; i++)
            others.list.data[i] = (struct tally){.last = UINT32_MAX};
        describe_columns(&a, &others, &values, out->column_count, out->columns);
        th__key_map_release(&values);
        ok = !others.failed;
    }
    tallies_release(&keys);
    tallies_release(&others);
    return ok && order_columns(&a, scratch, out->columns, out->column_count);
}

bool th__columns_align_items(th__arena *arena, th__arena *scratch, const th__view *view,
                             const th__item_vec *items, uint32_t *first, uint32_t count, bool line,
                             th__columns *out)
{
    th__item_vec copy = *items;
    copy.data = th__arena_keep(arena, items->data, items->len, sizeof *copy.data);
    return copy.data && align(arena, scratch, view, &copy, first, count, line, out);
}

/* ---- too many columns ------------------------------------------------------------------------ */

static int by_filled(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x > y ? -1 : x < y;
}

/* Numbers the columns that stay, TH__NO_ITEM for the rest; those that as few records have as the
 * last one stay in the order of the page. */
static uint32_t number_kept(const th__columns *columns, uint32_t most, uint32_t *to)
{
    uint32_t count = columns->column_count, least, room = 0, kept = 0;
    for (uint32_t c = 0; c < count; c++)
        to[c] = columns->columns[c].filled;
    qsort(to, count, sizeof *to, by_filled);
    least = to[most - 1];
    for (uint32_t i = 0; i < most; i++)
        room += to[i] == least;
    for (uint32_t c = 0; c < count; c++) {
        uint32_t filled = columns->columns[c].filled;
        bool stays = filled > least || (filled == least && room);
        room -= stays && filled == least;
        to[c] = stays ? kept++ : TH__NO_ITEM;
    }
    return kept;
}

/*
 * Drops the columns that the fewest records have, with their items, where there are too many for a
 * table: a record has a cell for each column. Lists in lists without end tags have a column for
 * each level and place, hundreds of thousands of them, and each but for one record.
 */
static bool drop_rare(th__arena *scratch, th__columns *columns)
{
    enum { MOST = 2048, CELLS = 1 << 18, CELLS_PER_ITEM = 3 };
    uint64_t cells = CELLS_PER_ITEM * (uint64_t)columns->item_count + CELLS;
    uint64_t most = cells / (columns->record_count + (uint64_t)1) + 1;
    most = most < MOST ? most : MOST;
    if (columns->column_count <= most)
        return true;
    uint32_t *to = th__arena_alloc(scratch, columns->column_count * sizeof *to);
    uint32_t *moved = th__arena_alloc(scratch, ((size_t)columns->item_count + 1) * sizeof *moved);
    if (!to || !moved)
        return false;
    uint32_t kept = number_kept(columns, (uint32_t)most, to), count = 0;
    for (uint32_t i = 0, r = 0; i < columns->item_count; i++) {
        th__item *item = &columns->items[i];
        for (; r < columns->record_count && columns->first[r] <= i; r++)
            columns->first[r] = count;
        moved[i] = to[item->column] == TH__NO_ITEM ? TH__NO_ITEM : count++;
        if (moved[i] == TH__NO_ITEM)
            continue;
        item->column = to[item->column];
        item->label = item->label == TH__NO_ITEM ? TH__NO_ITEM : moved[item->label];
        columns->items[moved[i]] = *item;
    }
    for (uint32_t r = columns->record_count + 1; r && columns->first[r - 1] > count; r--)
        columns->first[r - 1] = count;
    for (uint32_t c = 0; c < columns->column_count; c++) {
        th__column column = columns->columns[c];
        if (to[c] == TH__NO_ITEM)
            continue;
        column.sample = moved[column.sample];
        column.label = column.label == TH__NO_ITEM ? TH__NO_ITEM : moved[column.label];
        columns->columns[to[c]] = column;
    }
    columns->column_count = kept;
    columns->item_count = count;
    return true;
}

/* ---- data tables ----------------------------------------------------------------------------- */

/* What is known of a column of a table, over all records: of its texts, and of its links. */
struct cells {
    uint32_t count;  /* cells that have one */
    uint32_t single; /* have just one */
    uint64_t key;    /* of the first that is alone */
    bool varied;     /* others differ */
};

enum { CELL_KINDS = TH__ITEM_IMAGE + 1 };

struct cell_counts {
    const th__view *view;
    th__key_map columns; /* by the key of a column: 1 + its number */
    struct cells (*cells)[CELL_KINDS];
    uint32_t count;
};

static struct cells *cells_of(struct cell_counts *c, const th__item *item)
{
    uint64_t key = th__table_cell_key(c->view, th__table_cell_of(c->view, item->cell));
    uint32_t number = th__key_map_get(&c->columns, key);
    if (!number)
        th__key_map_put(&c->columns, key, number = ++c->count);
    return c->cells[number - 1];
}

static void count_cell(struct cell_counts *c, const th__item *items, uint32_t at, uint32_t end)
{
    struct cells *cells = cells_of(c, &items[at]);
    for (uint8_t kind = 0; kind < CELL_KINDS; kind++) {
        struct cells *of = &cells[kind];
        uint32_t count = 0;
        uint64_t key = 0;
        for (uint32_t i = at; i < end; i++) {
            if (items[i].kind != kind)
                continue;
            key = items[i].key;
            of->varied |= of->key && key != of->key;
            count++;
        }
        of->count += count > 0;
        of->single += count == 1;
        if (count == 1 && !of->key)
            of->key = key;
    }
}

/* Returns true if a column is told by its cells rather than by what they are made of: four in five
 * have one text (or link), and it is not the same markup everywhere: <td>Acme, <td><p>Bolt</p>. */
static bool is_by_cell(const struct cells *cells)
{
    return cells->varied && 5 * cells->single >= 4 * cells->count;
}

/* The items of a cell, in place; how many are left. */
static uint32_t merge_cell(struct cell_counts *c, th__item *items, uint32_t at, uint32_t end)
{
    const struct cells *cells = cells_of(c, &items[at]);
    bool seen[CELL_KINDS] = {0};
    if (is_by_cell(&cells[TH__ITEM_TEXT]))
        end = at + th__items_join(items, at, end);
    for (uint32_t i = at; i < end; i++) {
        if (items[i].kind >= CELL_KINDS)
            continue;
        if (is_by_cell(&cells[items[i].kind]) && !seen[items[i].kind])
            th__item_be_cell(c->view, &items[i]);
        seen[items[i].kind] = true;
    }
    return end - at;
}

/* Lets the cells of data tables say what is a column. */
static bool merge_cells(th__arena *scratch, const th__view *view, th__item_vec *items,
                        uint32_t *first, uint32_t count)
{
    struct cell_counts c = {.view = view};
    uint32_t kept = 0, from = 0, tables = 0;
    for (size_t i = 0; i < items->len; i++)
        tables += items->data[i].cell != 0;
    if (!tables)
        return true;
    c.cells = th__arena_zero(scratch, tables, sizeof *c.cells);
    if (!c.cells || !th__key_map_init(&c.columns, scratch, tables))
        return false;
    for (int round = 0; round < 2; round++, from = 0)
        for (uint32_t r = 0; r < count; r++) {
            uint32_t to = first[r + 1], end;
            if (round)
                first[r] = kept;
            for (uint32_t i = from; i < to; i = end) {
                end = items->data[i].cell ? th__items_of_cell(items->data, i, to) : i + 1;
                uint32_t left = end - i;
                if (items->data[i].cell && !round)
                    count_cell(&c, items->data, i, end);
                else if (items->data[i].cell)
                    left = merge_cell(&c, items->data, i, end);
                for (uint32_t k = 0; round && k < left; k++)
                    items->data[kept++] = items->data[i + k];
            }
            from = to;
        }
    first[count] = kept;
    items->len = kept;
    return true;
}

bool th__columns_align(th__arena *arena, th__arena *scratch, const th__view *view,
                       const th__extents *records, const th__sections_wanted *wanted,
                       th__columns *out)
{
    uint32_t count = records->count;
    uint32_t *first = th__arena_alloc(arena, ((size_t)count + 1) * sizeof *first);
    th__sections sections;
    bool ok = th__sections_find(scratch, view, records, wanted, &sections);
    size_t most = th__items_most(view, records) + (ok ? (size_t)sections.kinds * count : 0);
    th__item_vec items = {.data = th__arena_alloc(arena, (most + 1) * sizeof *items.data),
                          .cap = most + 1};
    ok = ok && first && items.data;
    for (uint32_t r = 0; ok && r < count; r++) {
        th__item heading;
        first[r] = (uint32_t)items.len;
        for (uint32_t k = 0; ok && k < sections.kinds; k++)
            if (th__section_item(view, &sections, records, r, k, &heading))
                ok = th__vec_push(&items, heading);
        ok = ok && th__items_add(view, records, r, &items);
    }
    if (ok)
        first[count] = (uint32_t)items.len;
    return ok && merge_cells(scratch, view, &items, first, count) &&
           align(arena, scratch, view, &items, first, count, false, out) && drop_rare(scratch, out);
}
