/*
 * column_signs.c: texts with a sign between values.
 *
 *     LOT 20150 - Amber Kettle        LOT 20150   Amber Kettle
 *     LOT 20187 - Birch Stool         LOT 20187   Birch Stool
 *
 * A column whose texts nearly all have the same number of signs gets its parts as columns beside
 * it. The parts must look different (a number and words, a date and a place): a list of authors or
 * tags, and a title with a dash in it, stay as they are.
 *
 * Linear in the texts.
 */
#include "table/column_parts.h"

#include <string.h>

#include "page/signs.h"
#include "page/text.h"

enum {
    LEAST_TEXTS = 3,
    MOST_PARTS = 5,
    MEAN_BYTES = 160 /* of a text: more is prose */
};

/* The signs that count, dashes and dots as one each; 0 for others. */
static const uint32_t signs[] = {'|', 0xB7, '-'};
enum { SIGNS = sizeof signs / sizeof *signs };

uint32_t th__part_sign(uint32_t code)
{
    if (code == '|')
        return '|';
    if (code == 0xB7 || code == 0x2022 || code == 0x22C5)
        return 0xB7;
    return code == '-' || (code >= 0x2012 && code <= 0x2015) ? '-' : 0;
}

/* Gives the part of a whole from one byte to another, blanks aside. */
static bool add_part(const th__view *view, const th__item *whole, th_span span, uint32_t sign,
                     uint32_t number, th__item_vec *parts, bool *empty)
{
    const th_page *page = view->page;
    th__item part = *whole;
    uint32_t len = 0;
    th_str bare = th__str_trim(th__page_slice(page, span.start, span.end));
    span.start = (uint32_t)(bare.ptr - page->text.ptr);
    span.end = span.start + (uint32_t)bare.len;
    part.span = span;
    part.hash = 0;
    for (uint32_t t = th__token_at(page, span.start); t < page->token_count; t++) {
        uint32_t from = page->tokens[t].start, to = page->tokens[t + 1].start;
        if (from >= span.end)
            break;
        from = from < span.start ? span.start : from;
        to = to > span.end ? span.end : to;
        if (page->tokens[t].kind == TH_TOKEN_TEXT)
            th__text_measure(th__page_slice(page, from, to), &part.hash, &len);
    }
    part.by_path = part.between = part.glued = part.whole_cell = false;
    part.sign = (uint8_t)sign;
    part.base = part.key = th__part_base(whole->key, TH__PART_SIGN, sign);
    part.told = TH__TOLD_BY_PLACE;
    part.telling = 0;
    part.position = TH__NO_POSITION;
    part.label = TH__NO_ITEM;
    part.whole = number;
    part.joins = 0;
    part.after = 0;
    *empty |= !len;
    return th__vec_push(parts, part);
}

/* Most characters are ASCII and no references. */
static uint32_t next_char(th_str text, uint32_t at, uint32_t *code)
{
    *code = (unsigned char)text.ptr[at];
    return *code < 0x80 && *code != '&' ? 1 : (uint32_t)th__char_next(text, at, code);
}

/* Returns true if a sign may be in a source: itself, a reference, or a character of several bytes.
 * Most texts have none of them, and all of their bytes are compared at once. */
static bool may_hold(th_str source, uint32_t sign)
{
    unsigned char byte = sign < 0x80 ? (unsigned char)sign : '&', any = 0;
    for (size_t i = 0; i < source.len; i++) {
        unsigned char c = (unsigned char)source.ptr[i];
        any |= (unsigned char)((c == byte) | (c == '&') | (c >> 7));
    }
    return any;
}

/* Where the next sign with blanks around it is; false when there is none. */
static bool next_sign(const th_page *page, uint32_t *at, uint32_t end, uint32_t sign, th_span *out)
{
    bool blank = false;
    if (!may_hold(th__page_slice(page, *at, end), sign))
        return false;
    for (uint32_t t = th__token_at(page, *at); *at < end; t++) {
        uint32_t to = page->tokens[t + 1].start < end ? page->tokens[t + 1].start : end;
        if (page->tokens[t].kind != TH_TOKEN_TEXT)
            *at = to;
        th_str text = th__page_slice(page, 0, to);
        while (*at < to) {
            uint32_t code = 0, next = 0, from = *at;
            *at += next_char(text, from, &code);
            if (blank && th__part_sign(code) == sign && *at < to) {
                next_char(text, *at, &next);
                *out = (th_span){from, *at};
                if (th__is_blank_char(next))
                    return true;
            }
            blank = th__is_blank_char(code);
        }
    }
    return false;
}

bool th__parts_split(const th__view *view, const th__item *whole, uint32_t sign, uint32_t most,
                     uint32_t number, th__item_vec *parts)
{
    bool empty = false;
    uint32_t at = whole->span.start, from = at;
    size_t before = parts->len;
    th_span found;
    while (parts->len - before + 1 < most &&
           next_sign(view->page, &at, whole->span.end, sign, &found)) {
        if (!add_part(view, whole, (th_span){from, found.start}, sign, number, parts, &empty))
            return false;
        from = found.end;
    }
    if (parts->len > before &&
        !add_part(view, whole, (th_span){from, whole->span.end}, sign, number, parts, &empty))
        return false;
    parts->len = empty ? before : parts->len; /* a sign at an end is no sign between values */
    return true;
}

/* ---- which columns --------------------------------------------------------------------------- */

/* What the texts at a place look like. */
struct part_looks {
    uint32_t count[3]; /* without letters, with both, without digits */
};

static uint32_t look_of(th_str text)
{
    bool digit = false, letter = false;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        digit |= th__is_digit(c);
        letter |= th__is_alpha(c) || c >= 0x80;
    }
    return digit && letter ? 1 : digit ? 0 : 2;
}

/* The look of seven in ten texts, or 3. */
static uint32_t usual_look(const struct part_looks *looks, uint32_t texts)
{
    for (uint32_t i = 0; i < 3; i++)
        if (10 * looks->count[i] >= 7 * texts)
            return i;
    return 3;
}

struct splitter {
    const th__view *view;
    th__columns *columns;
    const uint32_t *cells; /* items of the column at hand */
    uint32_t count;
    uint32_t sign, most; /* what it is cut at, and into how many; 0: not at all */
};

static th_str text_of(const th__view *view, const th__item *item)
{
    return th__page_slice(view->page, item->span.start, item->span.end);
}

/* How many parts the texts have: the number that four in five of them have, or 0. */
static uint32_t usual_parts(const struct splitter *s, uint32_t sign)
{
    uint32_t counts[MOST_PARTS + 1] = {0};
    /* Most columns have none, which the first texts show. */
    for (uint32_t i = 0; i < s->count && 5 * (counts[0] + counts[1]) <= s->count; i++) {
        const th__item *item = &s->columns->items[s->cells[i]];
        uint32_t parts = 1, at = item->span.start;
        th_span found;
        while (parts <= MOST_PARTS && next_sign(s->view->page, &at, item->span.end, sign, &found))
            parts++;
        counts[parts <= MOST_PARTS ? parts : 0]++;
        if (5 * (counts[0] + counts[1]) > s->count)
            return 0; /* most texts are not looked at in most columns */
    }
    for (uint32_t parts = 2; parts <= MOST_PARTS; parts++)
        if (5 * counts[parts] >= 4 * s->count)
            return parts;
    return 0;
}

/* Returns true if the parts look different, and none is the same everywhere. */
static bool parts_differ(const struct splitter *s, uint32_t sign, uint32_t most, bool *failed)
{
    struct part_looks looks[MOST_PARTS] = {0};
    uint64_t first[MOST_PARTS] = {0};
    bool varied[MOST_PARTS] = {0}, differ = false;
    uint32_t texts = 0;
    th__item_vec parts = {0};
    for (uint32_t i = 0; i < s->count && !*failed; i++) {
        parts.len = 0;
        *failed = !th__parts_split(s->view, &s->columns->items[s->cells[i]], sign, most, 1, &parts);
        if (parts.len != most)
            continue;
        for (uint32_t p = 0; p < most; p++) {
            looks[p].count[look_of(text_of(s->view, &parts.data[p]))]++;
            varied[p] |= texts && parts.data[p].hash != first[p];
            first[p] = parts.data[p].hash;
        }
        texts++;
    }
    th__vec_release(&parts);
    bool all = texts >= LEAST_TEXTS;
    for (uint32_t p = 0; p < most; p++) {
        uint32_t look = usual_look(&looks[p], texts);
        all &= varied[p] && look < 3;
        differ |= look != usual_look(&looks[0], texts);
    }
    return all && differ;
}

/* Decides about a column. */
static bool judge(struct splitter *s, const th__column *column)
{
    const th__item *sample = &s->columns->items[column->sample];
    uint64_t bytes = 0;
    bool failed = false;
    s->sign = s->most = 0;
    if (column->kind != TH__ITEM_TEXT || column->list || column->is_label || column->cut ||
        sample->heading || s->count < LEAST_TEXTS)
        return true;
    for (uint32_t i = 0; i < s->count; i++)
        bytes += text_of(s->view, &s->columns->items[s->cells[i]]).len;
    for (uint32_t i = 0; i < SIGNS && !s->sign && bytes <= MEAN_BYTES * (uint64_t)s->count; i++) {
        uint32_t most = usual_parts(s, signs[i]);
        if (most && parts_differ(s, signs[i], most, &failed)) {
            s->sign = signs[i];
            s->most = most;
        }
    }
    return !failed;
}

/* ---- the columns of parts -------------------------------------------------------------------- */

/* How a column is split, and where it and its items are then. */
struct column_split {
    uint32_t sign, most, column;
    uint32_t number; /* of its whole, from 1 */
};

static bool judge_columns(th__arena *scratch, const th__view *view, th__columns *columns,
                          struct column_split *splits, uint32_t *added)
{
    uint32_t count = columns->column_count;
    uint32_t *first = th__arena_zero(scratch, (size_t)count + 2, sizeof *first);
    uint32_t *cells = th__arena_alloc(scratch, ((size_t)columns->item_count + 1) * sizeof *cells);
    if (!first || !cells)
        return false;
    for (uint32_t i = 0; i < columns->item_count; i++)
        first[columns->items[i].column + 2]++;
    for (uint32_t k = 2; k < count + 2; k++)
        first[k] += first[k - 1];
    for (uint32_t i = 0; i < columns->item_count; i++)
        cells[first[columns->items[i].column + 1]++] = i;
    struct splitter s = {.view = view, .columns = columns};
    for (uint32_t k = 0; k < count; k++) {
        s.cells = cells + first[k];
        s.count = first[k + 1] - first[k];
        if (!judge(&s, &columns->columns[k]))
            return false;
        splits[k] = (struct column_split){s.sign, s.most, k + *added, 0};
        *added += s.most;
    }
    return true;
}

/* Notes what is in a column of parts. */
static void count_part(th__column *column, const th__item *item, uint32_t at)
{
    if (!column->items++)
        *column = (th__column){.key = item->key,
                               .items = 1,
                               .sample = at,
                               .label = TH__NO_ITEM,
                               .kind = TH__ITEM_TEXT};
    column->filled++;
    column->distinct++;
}

static bool add_items(th__arena *scratch, const th__view *view, const th__columns *old,
                      const struct column_split *splits, th__columns *out, th__item_vec *items)
{
    uint32_t *moved = th__arena_alloc(scratch, ((size_t)old->item_count + 1) * sizeof *moved);
    bool ok = moved;
    for (uint32_t i = 0, r = 0; ok && i < old->item_count; i++) {
        const struct column_split *split = &splits[old->items[i].column];
        for (; r < old->record_count && old->first[r] <= i; r++)
            out->first[r] = (uint32_t)items->len;
        moved[i] = (uint32_t)items->len;
        ok = th__vec_push(items, old->items[i]);
        if (ok)
            items->data[moved[i]].column = split->column;
        ok = ok && (!split->sign || th__parts_split(view, &old->items[i], split->sign, split->most,
                                                    split->number, items));
        for (size_t p = moved[i] + (size_t)1; ok && p < items->len; p++) {
            th__item *part = &items->data[p];
            uint32_t place = (uint32_t)(p - moved[i] - 1);
            th__item_place(part, place);
            part->column = split->column + 1 + place;
            count_part(&out->columns[part->column], part, (uint32_t)p);
        }
    }
    for (uint32_t r = old->record_count + 1; ok && r-- > 0 && old->first[r] == old->item_count;)
        out->first[r] = (uint32_t)items->len;
    for (size_t i = 0; ok && i < items->len; i++)
        if (items->data[i].label != TH__NO_ITEM)
            items->data[i].label = moved[items->data[i].label];
    for (uint32_t k = 0; ok && k < old->column_count; k++) {
        th__column *column = &out->columns[splits[k].column];
        *column = old->columns[k];
        column->sample = moved[column->sample];
        column->label = column->label == TH__NO_ITEM ? TH__NO_ITEM : moved[column->label];
    }
    for (uint32_t w = 0; ok && w < old->whole_count; w++)
        if (out->wholes[w].label != TH__NO_ITEM)
            out->wholes[w].label = moved[out->wholes[w].label];
    return ok;
}

bool th__columns_split(th__arena *arena, th__arena *scratch, const th__view *view,
                       th__columns *columns)
{
    th__columns out = *columns;
    uint32_t count = columns->column_count, added = 0;
    struct column_split *splits = th__arena_zero(scratch, (size_t)count + 1, sizeof *splits);
    if (!splits || !judge_columns(scratch, view, columns, splits, &added))
        return false;
    if (!added)
        return true;
    out.column_count = count + added;
    out.columns = th__arena_zero(arena, (size_t)out.column_count + 1, sizeof *out.columns);
    out.wholes =
        th__arena_alloc(arena, ((size_t)columns->whole_count + count) * sizeof *out.wholes);
    out.first = th__arena_alloc(arena, ((size_t)columns->record_count + 1) * sizeof *out.first);
    if (!out.columns || !out.wholes || !out.first)
        return false;
    if (columns->whole_count)
        memcpy(out.wholes, columns->wholes, columns->whole_count * sizeof *out.wholes);
    for (uint32_t k = 0; k < count; k++)
        if (splits[k].sign) {
            out.wholes[out.whole_count++] = columns->items[columns->columns[k].sample];
            splits[k].number = out.whole_count;
        }
    th__item_vec items = {0};
    bool ok = add_items(scratch, view, columns, splits, &out, &items);
    out.item_count = (uint32_t)items.len;
    out.items = ok ? th__arena_alloc(arena, (items.len + 1) * sizeof *out.items) : NULL;
    ok = out.items;
    if (ok && items.len)
        memcpy(out.items, items.data, items.len * sizeof *out.items);
    th__vec_release(&items);
    if (ok)
        *columns = out;
    return ok;
}
