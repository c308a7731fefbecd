/*
 * center_star.c: many strings aligned into columns (Gusfield, Algorithms on Strings, Trees, and
 * Sequences, 1997, section 14.6.2).
 *
 *     adcbd       adc-bd      The center is the string with the least sum of distances to the
 *     adcxb   ->  adcxb-      others. Each string is aligned to it; a gap that one of them needs in
 *     adcxbd      adcxbd      the center is a gap for all the rest. At most twice the cost of the
 *                             best alignment.
 *
 * Equal strings are found first and aligned once: the records of a page have few forms.
 */

#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "strings/pattern.h"

static uint64_t hash_symbols(th__symbols s)
{
    uint64_t hash = s.len;
    for (uint32_t i = 0; i < s.len; i++)
        hash = th__hash_mix(hash, th__symbol_at(s, i));
    return hash;
}

/* Gives equal strings the same row. */
static bool find_rows(th__star *star, const th__symbols *strings, th__arena *arena)
{
    uint32_t slots = 16;
    while (slots / 2 < star->count)
        slots *= 2;
    star->row_of = th__arena_alloc(arena, star->count * sizeof *star->row_of);
    star->string_of = th__arena_alloc(arena, star->count * sizeof *star->string_of);
    star->weight = th__arena_zero(arena, star->count, sizeof *star->weight);
    uint32_t *table = th__arena_zero(arena, slots, sizeof *table); /* row + 1 */
    bool ok = star->row_of && star->string_of && star->weight && table;
    for (uint32_t i = 0; ok && i < star->count; i++) {
        uint32_t slot = (uint32_t)hash_symbols(strings[i]) & (slots - 1);
        while (table[slot] &&
               !th__symbols_eq(strings[star->string_of[table[slot] - 1]], strings[i]))
            slot = (slot + 1) & (slots - 1);
        if (!table[slot]) {
            star->string_of[star->rows] = i;
            table[slot] = ++star->rows;
        }
        star->row_of[i] = table[slot] - 1;
        star->weight[table[slot] - 1]++;
    }
    return ok;
}

/* The rows among which the center is sought: the heaviest, earlier ones first among equals. Gives
 * how many. */
static uint32_t pick_candidates(const th__star *star, uint32_t most, uint32_t *picked)
{
    uint32_t count = 0;
    for (uint32_t row = 0; row < star->rows; row++) {
        if (count == most && star->weight[picked[count - 1]] >= star->weight[row])
            continue;
        uint32_t at = count < most ? count++ : count - 1;
        while (at > 0 && star->weight[picked[at - 1]] < star->weight[row]) {
            picked[at] = picked[at - 1];
            at--;
        }
        picked[at] = row;
    }
    return count;
}

static th_status find_center(th__star *star, const th__symbols *strings, th__edit *edit,
                             uint32_t most, th__arena *arena, th_error *err)
{
    most = most == 0 || most > star->rows ? star->rows : most;
    uint32_t *picked = th__arena_alloc(arena, most * sizeof *picked);
    uint64_t *sums = th__arena_zero(arena, most, sizeof *sums);
    th_status status = picked && sums ? TH_OK : th__fail_memory(err);
    uint32_t count = status ? 0 : pick_candidates(star, most, picked), best = 0;
    for (uint32_t i = 0; !status && i < count; i++) {
        for (uint32_t k = i + 1; !status && k < count; k++) {
            uint32_t distance =
                th__edit_distance(edit, strings[star->string_of[picked[i]]],
                                  strings[star->string_of[picked[k]]], TH__EDIT_ANY);
            if (distance == TH__EDIT_NO_MEMORY)
                status = th__fail_memory(err);
            sums[i] += (uint64_t)distance * star->weight[picked[k]];
            sums[k] += (uint64_t)distance * star->weight[picked[i]];
        }
        /* Equal sums: the longer string, so that differences show as gaps; then the earlier. */
        if (sums[i] < sums[best] ||
            (sums[i] == sums[best] &&
             strings[star->string_of[picked[i]]].len > strings[star->string_of[picked[best]]].len))
            best = i;
    }
    if (!status)
        star->center = picked[best];
    return status;
}

/* Columns of the center's symbols once every row's insertions have room: start[i] is the first
 * column of the gap before center symbol i, or behind the last. */
typedef struct gaps {
    uint32_t *start; /* center length + 2 */
    th__edit_pair *pairs;
} gaps;

/* Aligns a row to the center. */
static th_status align_row(th__star *star, const th__symbols *strings, uint32_t row, th__edit *edit,
                           gaps *g, uint32_t *count, th_error *err)
{
    return th__edit_align(edit, strings[star->string_of[star->center]],
                          strings[star->string_of[row]], g->pairs, count, err);
}

/* Finds how many symbols must fit between the center's, and turns that into columns. */
static th_status lay_out(th__star *star, const th__symbols *strings, th__edit *edit, gaps *g,
                         uint32_t max_distance, th_error *err)
{
    uint32_t center_len = strings[star->string_of[star->center]].len;
    th_status status = TH_OK;
    for (uint32_t row = 0; !status && row < star->rows; row++) {
        uint32_t count, at = 0, inserted = 0, distance = 0;
        status = align_row(star, strings, row, edit, g, &count, err);
        for (uint32_t p = 0; !status && p < count; p++) {
            th__edit_pair pair = g->pairs[p];
            if (pair.a == TH__EDIT_NONE) {
                inserted++;
                distance++;
                if (inserted > g->start[at])
                    g->start[at] = inserted;
                continue;
            }
            distance += pair.b == TH__EDIT_NONE ||
                        th__symbol_at(strings[star->string_of[star->center]], pair.a) !=
                            th__symbol_at(strings[star->string_of[row]], pair.b);
            at++;
            inserted = 0;
        }
        if (!status && max_distance && distance > max_distance)
            status = th__fail(err, TH_ERR_LIMIT,
                              "string %u differs from the center in %u places; the bound is %u",
                              star->string_of[row], distance, max_distance);
    }
    uint64_t width = 0;
    for (uint32_t i = 0; i <= center_len; i++) {
        uint32_t room = g->start[i];
        g->start[i] = (uint32_t)width;
        width += (uint64_t)room + (i < center_len);
    }
    if (!status && width * star->rows > TH__STAR_MAX_CELLS)
        status = th__fail(err, TH_ERR_LIMIT,
                          "%u different strings need %llu columns to be aligned; the limit is a "
                          "table of %d cells",
                          star->rows, (unsigned long long)width, TH__STAR_MAX_CELLS);
    star->width = (uint32_t)width;
    g->start[center_len + 1] = star->width;
    return status;
}

static th_status fill_cells(th__star *star, const th__symbols *strings, th__edit *edit, gaps *g,
                            th__arena *arena, th_error *err)
{
    star->cells = th__arena_alloc(arena, (size_t)star->rows * star->width * sizeof *star->cells);
    if (!star->cells)
        return th__fail_memory(err);
    memset(star->cells, 0xFF, (size_t)star->rows * star->width * sizeof *star->cells);
    for (uint32_t row = 0; row < star->rows; row++) {
        uint32_t count, at = 0, column = g->start[0];
        uint32_t *cells = star->cells + (size_t)row * star->width;
        th_status status = align_row(star, strings, row, edit, g, &count, err);
        if (status)
            return status;
        for (uint32_t p = 0; p < count; p++) {
            th__edit_pair pair = g->pairs[p];
            if (pair.a == TH__EDIT_NONE) {
                cells[column++] = pair.b;
                continue;
            }
            /* The center's symbol stands in the last column before the next gap. */
            column = g->start[++at];
            if (pair.b != TH__EDIT_NONE)
                cells[column - 1] = pair.b;
        }
    }
    return TH_OK;
}

th_status th__star_align(th__star *out, const th__symbols *strings, uint32_t count,
                         const th__star_options *options, th__arena *arena, th_error *err)
{
    th__edit edit;
    uint32_t longest = 0;
    *out = (th__star){.count = count};
    if (count == 0)
        return TH_OK;
    for (uint32_t i = 0; i < count; i++)
        longest = strings[i].len > longest ? strings[i].len : longest;
    gaps g = {th__arena_zero(arena, (size_t)longest + 2, sizeof *g.start),
              th__arena_alloc(arena, ((size_t)longest * 2 + 1) * sizeof *g.pairs)};
    if (!g.start || !g.pairs || !find_rows(out, strings, arena))
        return th__fail_memory(err);
    th__edit_init(&edit);
    th_status status = find_center(out, strings, &edit, options->candidates, arena, err);
    if (!status)
        status = lay_out(out, strings, &edit, &g, options->max_distance, err);
    if (!status)
        status = fill_cells(out, strings, &edit, &g, arena, err);
    th__edit_release(&edit);
    return status;
}

th_status th__star_pattern(const th__star *star, const th__symbols *strings, th__pattern *out,
                           th_error *err)
{
    th_status status = TH_OK;
    uint32_t *column = th__arena_alloc(out->arena, star->rows * sizeof *column);
    if (!column)
        return th__fail_memory(err);
    for (uint32_t c = 0; !status && c < star->width; c++) {
        uint32_t count = 0;
        bool optional = false;
        for (uint32_t row = 0; row < star->rows; row++) {
            uint32_t at = star->cells[(size_t)row * star->width + c];
            if (at == TH__STAR_GAP)
                optional = true;
            else {
                uint32_t symbol = th__symbol_at(strings[star->string_of[row]], at), k = 0;
                while (k < count && column[k] != symbol)
                    k++;
                if (k == count && count <= TH__COLUMN_MAX) /* one too many is refused below */
                    column[count++] = symbol;
            }
        }
        status = th__pattern_add(out, column, count, optional, err);
    }
    return status;
}
