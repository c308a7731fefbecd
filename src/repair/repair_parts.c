/*
 * repair_parts.c: fields that are no column of the new records.
 *
 * Layouts differ in what is a text of its own. What was a column may be a part of a text now
 * ("Votes: 13"), and the items of a list may be columns. Both are found by values that the field
 * had; parts also by a label before a colon, when what stands behind it is like the field:
 *
 *     Size: 299 kg / Gallo, Anna        after "Size: ", before " /"        known: 299 kg
 *     ─────
 *
 * Of all cuts that give back a known value the one is taken whose values are most like the field.
 */
#include <stdlib.h>

#include "base/error.h"
#include "repair/repair.h"

/* Less is no likeness for a part, of which there are many: with known values, and without. */
#define LEAST_PART  0.5
#define LEAST_LABEL 0.7

enum {
    SAMPLES = 64,  /* texts of a column that are looked at */
    TRIED = 24,    /* cuts of a field in a column */
    LABEL_MAX = 40 /* bytes before a colon */
};

typedef struct seeker {
    th_repair *repair;
    th__candidate *candidate;
    const th__tally *tally;
    bool *whole; /* by column: it is a field */
} seeker;

static bool is_flat(th_str path)
{
    return !memchr(path.ptr, '.', path.len);
}

static size_t samples_of(const th__field_tally *column)
{
    return column->sample.len < SAMPLES ? column->sample.len : SAMPLES;
}

/* ---- parts of texts -------------------------------------------------------------------------- */

/* How like the field the parts are that a cut gives of a column. False without memory. */
static bool judge_cut(const seeker *s, uint32_t field, const th__field_tally *column,
                      const th__cut *cut, double *likeness)
{
    th__field_tally parts = {.stride = 1};
    size_t seen = samples_of(column);
    bool ok = true;
    *likeness = 0;
    for (size_t i = 0; ok && i < seen; i++) {
        size_t from, to;
        th_str text = column->sample.data[i].text;
        if (!th__cut_find(cut, text, &from, &to))
            continue;
        th__sample sample = {.text = {text.ptr + from, to - from}};
        sample.hash = th__hash(sample.text.ptr, sample.text.len);
        sample.length = th__log_length(sample.text.len);
        th__dp_split(sample.text, &sample.value);
        ok = th__vec_push(&parts.sample, sample);
    }
    if (ok && parts.sample.len) {
        /* Texts of a list are several of a record: what counts is how many records have one. */
        parts.values = parts.sample.len * column->values / (seen ? seen : 1);
        parts.chances = s->tally->records;
        *likeness = th__likeness(&s->repair->profile->fields[field], false, &parts);
    }
    th__vec_release(&parts.sample);
    return ok;
}

typedef struct best_cut {
    th__cut cut;
    uint32_t column;
    double likeness;
} best_cut;

static bool try_cut(const seeker *s, uint32_t field, uint32_t column, const th__cut *cut,
                    double least, best_cut *best)
{
    double likeness;
    if (!judge_cut(s, field, &s->tally->fields[column], cut, &likeness))
        return false;
    if (likeness >= least && likeness > best->likeness + 1e-9)
        *best = (best_cut){*cut, column, likeness};
    return true;
}

/* Cuts around known values. */
static bool try_known(const seeker *s, uint32_t field, uint32_t column, best_cut *best)
{
    const th__field_profile *profile = &s->repair->profile->fields[field];
    const th__field_tally *tally = &s->tally->fields[column];
    uint32_t tried = 0;
    for (size_t i = 0; i < samples_of(tally); i++) {
        th_str text = tally->sample.data[i].text;
        for (uint32_t e = 0; e < profile->example_count && tried < TRIED; e++) {
            th_str example = profile->examples[e];
            size_t at = example.len < text.len ? th__find_words(text, example, 0) : SIZE_MAX;
            if (at == SIZE_MAX)
                continue;
            th__cuts cuts;
            th__cuts_of(text, at, at + example.len, &cuts);
            for (uint32_t c = 0; c < cuts.count; c++, tried++)
                if (!try_cut(s, field, column, &cuts.data[c], LEAST_PART, best))
                    return false;
        }
    }
    return true;
}

/* What stands behind a label that several texts of the column begin with. */
static bool try_labels(const seeker *s, uint32_t field, uint32_t column, best_cut *best)
{
    const th__field_tally *tally = &s->tally->fields[column];
    th_str seen[TRIED];
    uint32_t count = 0;
    for (size_t i = 0; i < samples_of(tally) && count < TRIED; i++) {
        th_str text = tally->sample.data[i].text;
        size_t colon = th__str_find(text, TH_STR(": "));
        if (colon == SIZE_MAX || colon > LABEL_MAX)
            continue;
        th_str label = {text.ptr, colon + 2};
        uint32_t j = 0;
        while (j < count && !th__str_eq(seen[j], label))
            j++;
        if (j < count)
            continue;
        seen[count++] = label;
        th__cut cut = {.after = label};
        if (!try_cut(s, field, column, &cut, LEAST_LABEL, best))
            return false;
    }
    return true;
}

static bool copy_cut(th__arena *arena, th__cut *cut)
{
    if (cut->after.len)
        cut->after = th__arena_copy(arena, cut->after);
    if (cut->before.len)
        cut->before = th__arena_copy(arena, cut->before);
    return (!cut->after.len || cut->after.ptr) && (!cut->before.len || cut->before.ptr);
}

static bool set_part(const seeker *s, uint32_t field, const uint32_t *columns, uint32_t count,
                     const th__cut *cut)
{
    th__part *part = &s->candidate->parts[field];
    part->columns = th__arena_zero(&s->repair->arena, count, sizeof *part->columns);
    part->count = count;
    part->cut = *cut;
    if (!part->columns)
        return false;
    memcpy(part->columns, columns, count * sizeof *columns);
    return copy_cut(&s->repair->arena, &part->cut);
}

static bool find_cut(const seeker *s, uint32_t field)
{
    best_cut best = {.likeness = 0};
    for (uint32_t c = 0; c < s->tally->count; c++) {
        const th__field_tally *column = &s->tally->fields[c];
        if (column->target || !is_flat(column->path))
            continue;
        if (!try_known(s, field, c, &best) ||
            (best.likeness == 0 && !try_labels(s, field, c, &best)))
            return false;
    }
    if (best.likeness <= s->candidate->match.likeness[field])
        return true;
    s->candidate->match.likeness[field] = best.likeness;
    return set_part(s, field, &best.column, 1, &best.cut);
}

/* ---- lists of columns ------------------------------------------------------------------------ */

static bool holds_known(const th__field_profile *field, const th__field_tally *column)
{
    for (size_t i = 0; i < samples_of(column); i++)
        for (uint32_t e = 0; e < field->example_count; e++) {
            th_str text = field->examples[e];
            if (th__telling(text) && column->sample.data[i].hash == th__hash(text.ptr, text.len))
                return true;
        }
    return false;
}

/* Columns that are nobody's and hold values of the list. */
static bool find_items(const seeker *s, uint32_t field)
{
    uint32_t own = s->candidate->match.column[field], count = 0;
    uint32_t *columns = th__arena_zero(&s->repair->arena, s->tally->count + 1, sizeof *columns);
    if (!columns)
        return false;
    for (uint32_t c = 0; c < s->tally->count; c++) {
        const th__field_tally *column = &s->tally->fields[c];
        if (column->target || !is_flat(column->path) || (s->whole[c] && c != own))
            continue;
        if (c != own && !holds_known(&s->repair->profile->fields[field], column))
            continue;
        columns[count++] = c;
        s->whole[c] = true;
    }
    if (!count || (count == 1 && own != TH__NO_COLUMN))
        return true;
    if (own == TH__NO_COLUMN)
        s->candidate->match.likeness[field] =
            th__likeness(&s->repair->profile->fields[field], false, &s->tally->fields[columns[0]]);
    return set_part(s, field, columns, count, &(th__cut){0});
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool find_parts(seeker *s)
{
    const th__profile *profile = s->repair->profile;
    for (uint32_t f = 0; f < profile->count; f++) {
        uint32_t column = s->candidate->match.column[f];
        if (column != TH__NO_COLUMN)
            s->whole[column] = true;
    }
    for (uint32_t f = 0; f < profile->count; f++) {
        if (s->repair->targets[f] || !is_flat(profile->fields[f].path) ||
            !profile->fields[f].values)
            continue;
        bool list = th__is_list_path(profile->fields[f].path);
        if (list && !find_items(s, f))
            return false;
        if (!list && s->candidate->match.column[f] == TH__NO_COLUMN && !find_cut(s, f))
            return false;
    }
    return true;
}

th_status th__repair_parts(th_repair *repair, th__candidate *candidate, th_error *err)
{
    th__tally tally;
    uint32_t count = repair->profile->count;
    seeker s = {.repair = repair, .candidate = candidate, .tally = &tally};
    th_status status = th__repair_run(repair, candidate->wrapper, &tally, err);
    s.whole = th__arena_zero(&repair->arena, tally.count + 1, sizeof *s.whole);
    candidate->parts = th__arena_zero(&repair->arena, count + 1, sizeof *candidate->parts);
    if (!status && (!s.whole || !candidate->parts || !find_parts(&s)))
        status = th__fail_memory(err);
    th__tally_release(&tally);
    return status;
}
