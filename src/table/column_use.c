/* column_use.c: which columns of a list are worth showing. */
#include "table/column_use.h"

#include <stdlib.h>
#include <string.h>

#include "base/key_map.h"

/* What the records have in a column. */
struct content {
    uint64_t row;     /* the hash of its items in the record at hand */
    uint64_t first;   /* of the first record that has it */
    uint64_t all;     /* of all records, with their numbers */
    uint32_t record;  /* at hand */
    uint32_t records; /* that have it, up to the one at hand */
    bool varied;
    /* The columns before and behind it that nearly all records have. */
    uint32_t before, behind;
    bool placed, astray; /* these are known; they are not always the same */
};

struct column_judge {
    const th__columns *columns;
    const th__column_look *looks;
    const th__column_name *names;
    struct content *contents;
    th__column_use *uses;
    uint64_t *bits; /* of merging: by column that may be merged, the records that have it */
    uint32_t words; /* of these, by column */
};

/* ---- what is in columns ---------------------------------------------------------------------- */

static void end_row(struct content *c)
{
    if (!c->records)
        return;
    c->all = th__hash_mix(c->all, th__hash_mix(c->row, c->record));
    if (c->records == 1)
        c->first = c->row;
    c->varied |= c->row != c->first;
}

static void read_rows(struct column_judge *j)
{
    const th__columns *columns = j->columns;
    for (uint32_t i = 0; i < columns->item_count; i++) {
        const th__item *item = &columns->items[i];
        struct content *c = &j->contents[item->column];
        if (!c->records || c->record != item->record) {
            end_row(c);
            c->records++;
            c->record = item->record;
            c->row = 0;
        }
        c->row = th__hash_mix(c->row, item->hash);
    }
    for (uint32_t c = 0; c < columns->column_count; c++)
        end_row(&j->contents[c]);
}

/* ---- one field, one column ------------------------------------------------------------------- */

/* Returns true if nearly all records have a column. */
static bool is_anchor(const struct column_judge *j, uint32_t c)
{
    return 10 * (uint64_t)j->columns->columns[c].filled >= 9 * (uint64_t)j->columns->record_count &&
           !j->columns->columns[c].list;
}

static bool may_merge(const struct column_judge *j, uint32_t c)
{
    const th__column *column = &j->columns->columns[c];
    const th__item *sample = &j->columns->items[column->sample];
    return !is_anchor(j, c) && !column->list && !column->is_label && !column->cut &&
           column->label == TH__NO_ITEM && !sample->heading && !sample->cell;
}

/* Notes between which anchors a column is. */
static void place_columns(struct column_judge *j)
{
    const th__columns *columns = j->columns;
    for (uint32_t r = 0; r < columns->record_count; r++) {
        uint32_t begin = columns->first[r], end = columns->first[r + 1], anchor = TH__NO_ITEM;
        for (uint32_t i = begin; i < end; i++) {
            uint32_t at = columns->items[i].column;
            struct content *c = &j->contents[at];
            c->astray |= c->placed && c->before != anchor;
            c->before = anchor;
            if (is_anchor(j, at))
                anchor = at;
        }
        anchor = TH__NO_ITEM;
        for (uint32_t i = end; i-- > begin;) {
            uint32_t at = columns->items[i].column;
            struct content *c = &j->contents[at];
            c->astray |= c->placed && c->behind != anchor;
            c->behind = anchor;
            c->placed = true;
            if (is_anchor(j, at))
                anchor = at;
        }
    }
}

static uint64_t *bits_of(const struct column_judge *j, uint32_t c)
{
    return &j->bits[(size_t)c * j->words];
}

/* Returns true if no record has both; then the first gets the records of the second as well. */
static bool join_bits(uint64_t *into, const uint64_t *from, uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        if (into[w] & from[w])
            return false;
    for (uint32_t w = 0; w < words; w++)
        into[w] |= from[w];
    return true;
}

/* Returns true if two columns are at the same place and have values of one kind. */
static bool are_alike(const struct column_judge *j, uint32_t a, uint32_t b)
{
    const struct content *x = &j->contents[a], *y = &j->contents[b];
    return x->before == y->before && x->behind == y->behind &&
           j->columns->columns[a].kind == j->columns->columns[b].kind &&
           j->looks[a].note == j->looks[b].note;
}

/* Tries to make one field of a column and those behind it. Texts and links of no special form must
 * fill nearly all records together: what two columns do not share may be chance. */
static void merge_from(struct column_judge *j, uint32_t first, const uint32_t *candidates,
                       uint32_t count)
{
    uint64_t *bits = bits_of(j, j->columns->column_count);
    uint32_t filled = j->columns->columns[first].filled, merged = 0;
    th_note note = j->looks[first].note;
    bool special = note == TH_NOTE_PRICE || note == TH_NOTE_DATE || note == TH_NOTE_TIME;
    memcpy(bits, bits_of(j, first), j->words * sizeof *bits);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t c = candidates[i];
        if (j->uses[c].into != TH__NO_ITEM || !are_alike(j, first, c) ||
            !join_bits(bits, bits_of(j, c), j->words))
            continue;
        j->uses[c].into = first;
        filled += j->columns->columns[c].filled;
        merged++;
    }
    bool enough =
        merged && (special || 20 * (uint64_t)filled >= 19 * (uint64_t)j->columns->record_count);
    for (uint32_t i = 0; i < count; i++) {
        struct content *from = &j->contents[candidates[i]], *to = &j->contents[first];
        if (j->uses[candidates[i]].into != first)
            continue;
        if (!enough) {
            j->uses[candidates[i]].into = TH__NO_ITEM;
            continue;
        }
        to->records += from->records;
        to->varied |= from->varied || from->first != to->first;
        to->all = th__hash_mix(to->all, from->all);
    }
}

/* Pairs of columns are compared, of those that may be merged: so many, the first. */
enum { MERGED_MOST = 96 };

static bool merge_columns(struct column_judge *j, th__arena *arena)
{
    const th__columns *columns = j->columns;
    uint32_t candidates[MERGED_MOST], count = 0;
    place_columns(j);
    for (uint32_t c = 0; c < columns->column_count && count < MERGED_MOST; c++)
        if (may_merge(j, c) && !j->contents[c].astray)
            candidates[count++] = c;
    if (count < 2)
        return true;
    j->words = columns->record_count / 64 + 1;
    j->bits =
        th__arena_zero(arena, ((size_t)columns->column_count + 1) * j->words, sizeof *j->bits);
    if (!j->bits)
        return false;
    for (uint32_t i = 0; i < columns->item_count; i++) {
        const th__item *item = &columns->items[i];
        bits_of(j, item->column)[item->record / 64] |= UINT64_C(1) << item->record % 64;
    }
    for (uint32_t i = 0; i + 1 < count; i++)
        if (j->uses[candidates[i]].into == TH__NO_ITEM)
            merge_from(j, candidates[i], &candidates[i + 1], count - i - 1);
    return true;
}

/* ---- constants, duplicates, and too many ----------------------------------------------------- */

static bool is_open(const struct column_judge *j, uint32_t c)
{
    return !j->columns->columns[c].is_label && j->uses[c].into == TH__NO_ITEM &&
           j->uses[c].fate == TH__COLUMN_SHOWN;
}

static void leave_constants(struct column_judge *j)
{
    for (uint32_t c = 0; c < j->columns->column_count; c++) {
        const struct content *in = &j->contents[c];
        j->uses[c].value = in->varied ? 0 : in->first;
        if (!is_open(j, c) || in->varied || in->records < 2 ||
            j->columns->items[j->columns->columns[c].sample].heading) /* speaks of the page */
            continue;
        /* What not all records have is a mark on those that do: "Sold out". */
        bool mark = in->records < j->columns->record_count &&
                    j->columns->columns[c].kind == TH__ITEM_TEXT && !j->names[c].is_label;
        j->uses[c].fate = mark ? TH__COLUMN_OTHER : TH__COLUMN_LEFT_OUT;
    }
}

/* Of columns with the same values the one with the best name stays, of these the first. */
static bool leave_duplicates(struct column_judge *j)
{
    th__key_map seen = {0};
    bool ok = true;
    for (uint32_t c = 0; ok && c < j->columns->column_count; c++) {
        if (!is_open(j, c))
            continue;
        uint32_t other = th__key_map_get(&seen, j->contents[c].all);
        bool better = other && j->names[c].worth > j->names[other - 1].worth;
        if (other)
            j->uses[better ? other - 1 : c].fate = TH__COLUMN_LEFT_OUT;
        if (!other || better)
            ok = th__key_map_put(&seen, j->contents[c].all, c + 1);
    }
    th__key_map_release(&seen);
    return ok;
}

static int by_records(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x > y ? -1 : x < y;
}

/* Leaves room for `other`. */
static bool leave_rare(struct column_judge *j, th__arena *arena)
{
    uint32_t count = j->columns->column_count, open = 0, room = TH__COLUMNS_SHOWN_MOST - 1;
    uint32_t *records = th__arena_alloc(arena, ((size_t)count + 1) * sizeof *records);
    if (!records)
        return false;
    for (uint32_t c = 0; c < count; c++)
        if (is_open(j, c))
            records[open++] = j->contents[c].records;
    if (open <= room)
        return true;
    qsort(records, open, sizeof *records, by_records);
    uint32_t least = records[room - 1], ties = 0;
    for (uint32_t i = 0; i < room; i++)
        ties += records[i] == least;
    for (uint32_t c = 0; c < count; c++) {
        uint32_t has = j->contents[c].records;
        if (!is_open(j, c) || has > least || (has == least && ties))
            ties -= is_open(j, c) && has == least;
        else
            j->uses[c].fate = j->columns->columns[c].kind == TH__ITEM_TEXT ? TH__COLUMN_OTHER
                                                                           : TH__COLUMN_LEFT_OUT;
    }
    return true;
}

bool th__columns_judge(th__arena *arena, const th__columns *columns, const th__column_look *looks,
                       const th__column_name *names, th__columns_wanted wanted,
                       th__column_use **out)
{
    struct column_judge j = {.columns = columns, .looks = looks, .names = names};
    uint32_t count = columns->column_count;
    j.contents = th__arena_zero(arena, (size_t)count + 1, sizeof *j.contents);
    *out = j.uses = th__arena_zero(arena, (size_t)count + 1, sizeof *j.uses);
    if (!j.contents || !j.uses)
        return false;
    for (uint32_t c = 0; c < count; c++)
        j.uses[c].into = TH__NO_ITEM;
    read_rows(&j);
    bool judged = columns->record_count >= TH__COLUMNS_JUDGED_FROM;
    if (judged && !merge_columns(&j, arena))
        return false;
    if (judged && wanted == TH__COLUMNS_WORTHY) {
        leave_constants(&j);
        if (!leave_duplicates(&j))
            return false;
    }
    if (wanted != TH__COLUMNS_EVERY && !leave_rare(&j, arena))
        return false;
    /* Records that are all the same are shown as they are. */
    bool any = false;
    for (uint32_t c = 0; c < count; c++)
        any |= is_open(&j, c);
    for (uint32_t c = 0; c < count && !any; c++)
        j.uses[c].fate = TH__COLUMN_SHOWN;
    /* What goes with a column goes where it goes. */
    for (uint32_t c = 0; c < count; c++)
        if (j.uses[c].into != TH__NO_ITEM) {
            j.uses[c].fate = j.uses[j.uses[c].into].fate;
            j.uses[c].value = j.uses[j.uses[c].into].value;
        }
    return true;
}
