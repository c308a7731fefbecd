/* match.c: columns to fields, by likeness. */
#include "check/match.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "data/note.h"

/* A column of dates is as like a field of dates as this, whatever they look like. */
#define DATE_WORTH 0.55
/* Below this a column has nothing of a field but chance. */
#define LEAST_LIKENESS 0.35
/* Targets of links look otherwise after most changes: what is left over is put together anyway. */
#define LEAST_TARGET 0.05
/* A value that is as like a field as this may be one of it. */
#define LEAST_DOUBLE 0.6
/* The part of what is missing to full likeness that the same name makes up for. */
#define NAME_WORTH 0.4

bool th__same_path(th_str a, th_str b)
{
    size_t i = 0, j = 0;
    for (;;) {
        while (i + 1 < a.len && a.ptr[i] == '[' && a.ptr[i + 1] == ']')
            i += 2;
        while (j + 1 < b.len && b.ptr[j] == '[' && b.ptr[j + 1] == ']')
            j += 2;
        if (i == a.len || j == b.len)
            return i == a.len && j == b.len;
        if (a.ptr[i++] != b.ptr[j++])
            return false;
    }
}

const th__field_profile *th__profile_of(const th__profile *profile, uint32_t at, th_str path)
{
    if (at < profile->count && th__str_eq(profile->fields[at].path, path))
        return &profile->fields[at];
    for (uint32_t i = 0; i < profile->count; i++)
        if (th__same_path(profile->fields[i].path, path))
            return &profile->fields[i];
    return NULL;
}

/* ---- likeness -------------------------------------------------------------------------------- */

static double rate(uint64_t values, uint64_t chances)
{
    return chances ? fmin(1, (double)values / (double)chances) : 0;
}

/* Names that columns get when nothing else tells: a word, and perhaps a number. */
static bool is_telling_name(th_str path)
{
    static const char *const plain[] = {"text", "link",  "image", "title",
                                        "date", "price", "url",   "other"};
    size_t len = 0;
    while (len < path.len && th__is_alpha((unsigned char)path.ptr[len]))
        len++;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (th__str_eq((th_str){path.ptr, len}, th_str_from(plain[i])))
            return false;
    return true;
}

bool th__are_dates(const th__field_profile *field, const th__field_tally *column)
{
    enum { LOOKED = 12 };
    size_t n = column->sample.len < LOOKED ? column->sample.len : LOOKED, old = 0, now = 0;
    for (uint32_t i = 0; i < field->example_count; i++)
        old += th__note_of(field->examples[i]) == TH_NOTE_DATE;
    if (!old || 10 * old < 9 * field->example_count)
        return false;
    for (size_t i = 0; i < n; i++)
        now += th__note_of(column->sample.data[i].text) == TH_NOTE_DATE;
    return 10 * now >= 9 * n;
}

double th__likeness(const th__field_profile *field, bool target, const th__field_tally *column)
{
    size_t n = column->sample.len;
    if (!n || column->target != target)
        return 0;
    double there =
        1 - fabs(rate(field->values, field->chances) - rate(column->values, column->chances));
    double likeness = th__look_likeness(field, column->sample.data, n) * (0.7 + 0.3 * there);
    /* A name that was made of a class or a label and is the same again is no chance. */
    if (th__same_path(field->path, column->path) && is_telling_name(field->path))
        likeness += (1 - likeness) * NAME_WORTH;
    if (!target && likeness < DATE_WORTH && th__are_dates(field, column))
        likeness = DATE_WORTH * (0.7 + 0.3 * there);
    /* Values that the field had before say more than any form: a few are enough. */
    return likeness + (1 - likeness) * fmin(1, 2 * th__known_values(field, column->sample.data, n));
}

double th__field_weight(const th__field_profile *field, bool target)
{
    return rate(field->values, field->chances) * (target ? 0.4 : 1) *
           (th__is_list_path(field->path) ? 0.5 : 1);
}

/* ---- words of examples ------------------------------------------------------------------------
 */

/* Shorter texts stand anywhere. */
enum { TELLING_BYTES = 4 };

static bool is_word(unsigned char c)
{
    return th__is_alpha(c) || th__is_digit(c) || c >= 0x80;
}

size_t th__find_words(th_str text, th_str words, size_t from)
{
    while (words.len && from + words.len <= text.len) {
        size_t at = th__str_find((th_str){text.ptr + from, text.len - from}, words);
        if (at == SIZE_MAX)
            return SIZE_MAX;
        size_t start = from + at, end = start + words.len;
        bool left = !start || !is_word((unsigned char)text.ptr[start - 1]) ||
                    !is_word((unsigned char)text.ptr[start]);
        bool right = end == text.len || !is_word((unsigned char)text.ptr[end]) ||
                     !is_word((unsigned char)text.ptr[end - 1]);
        if (left && right)
            return start;
        from = start + 1;
    }
    return SIZE_MAX;
}

bool th__is_list_path(th_str path)
{
    return path.len > 2 && path.ptr[path.len - 1] == ']';
}

bool th__telling(th_str example)
{
    return example.len >= TELLING_BYTES;
}

/* ---- matching -------------------------------------------------------------------------------- */

typedef struct pair {
    double likeness;
    uint32_t field, column;
} pair;

static int by_likeness(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    if (x->likeness != y->likeness)
        return x->likeness > y->likeness ? -1 : 1;
    if (x->field != y->field)
        return x->field < y->field ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

static bool make_pairs(const th__profile *profile, const bool *targets, const th__tally *tally,
                       const bool *skip, th__arena *arena, pair **out, size_t *count)
{
    /* Records of thousands of columns are no records: the product is bounded. */
    enum { MOST = 1 << 22 };
    size_t room = (size_t)profile->count * tally->count;
    *count = 0;
    *out = room <= MOST ? th__arena_zero(arena, room + 1, sizeof **out) : NULL;
    if (room > MOST)
        return true;
    if (!*out)
        return false;
    for (uint32_t f = 0; f < profile->count; f++)
        for (uint32_t c = 0; c < tally->count; c++) {
            if (skip && skip[c])
                continue;
            double likeness = th__likeness(&profile->fields[f], targets[f], &tally->fields[c]);
            if (likeness >= (targets[f] ? LEAST_TARGET : LEAST_LIKENESS))
                (*out)[(*count)++] = (pair){likeness, f, c};
        }
    return true;
}

/* The part of the text in the records that is in matched columns. Where a whole page is taken for a
 * record, every field finds something that is like it, and most of the text is nobody's. */
static double known_text(const th__tally *tally, const bool *taken)
{
    double all = 0, known = 0;
    for (uint32_t i = 0; i < tally->count; i++) {
        double bytes = tally->fields[i].target ? 0 : (double)tally->fields[i].bytes;
        all += bytes;
        known += taken[i] ? bytes : 0;
    }
    return all > 0 ? known / all : 0;
}

/* The part of a column's values that are like a field's. */
static double like_part(const th__field_profile *field, const th__field_tally *column)
{
    enum { LOOKED = 24 };
    size_t n = column->sample.len < LOOKED ? column->sample.len : LOOKED, like = 0;
    for (size_t i = 0; i < n; i++)
        like += th__value_likeness(field, &column->sample.data[i]) >= LEAST_DOUBLE;
    return n ? (double)like / (double)n : 0;
}

/* How many more values a record has that are like those of a field, besides its own: the mean over
 * the fields that tell records apart. A record that has them all twice is two. */
static double doubled(const th__profile *profile, const bool *targets, const th__tally *tally,
                      const bool *taken, const th__match *match)
{
    double sum = 0, fields = 0;
    for (uint32_t f = 0; f < profile->count && tally->records; f++) {
        const th__field_profile *field = &profile->fields[f];
        double more = 0;
        if (targets[f] || match->column[f] == TH__NO_COLUMN ||
            2 * field->distinct <= field->sampled || 2 * field->values < field->chances)
            continue;
        for (uint32_t c = 0; c < tally->count; c++)
            if (!taken[c] && !tally->fields[c].target)
                more += like_part(field, &tally->fields[c]) * (double)tally->fields[c].values;
        sum += fmin(1, more / (double)tally->records);
        fields++;
    }
    return fields > 0 ? sum / fields : 0;
}

/* Records a page, now and before: twice as many or few are no sign of anything. */
static double count_likeness(const th__profile *profile, const th__tally *tally)
{
    double old = (double)(profile->pages - profile->empty_pages);
    double now = (double)(tally->pages - tally->empty_pages);
    if (old <= 0 || now <= 0 || !profile->records || !tally->records)
        return 0;
    double apart = fabs(log((double)tally->records / now) - log((double)profile->records / old));
    return 1 / (1 + fmax(0, apart - log(2)));
}

bool th__match_fields(const th__profile *profile, const bool *targets, const th__tally *tally,
                      const bool *skip, th__arena *arena, th__match *out)
{
    pair *pairs;
    size_t count;
    double sum = 0;
    bool *taken = th__arena_zero(arena, tally->count + 1, sizeof *taken);
    out->column = th__arena_zero(arena, profile->count + 1, sizeof *out->column);
    out->likeness = th__arena_zero(arena, profile->count + 1, sizeof *out->likeness);
    out->score = 0;
    if (!taken || !out->column || !out->likeness ||
        !make_pairs(profile, targets, tally, skip, arena, &pairs, &count))
        return false;
    if (count)
        qsort(pairs, count, sizeof *pairs, by_likeness);
    for (uint32_t f = 0; f < profile->count; f++)
        out->column[f] = TH__NO_COLUMN;
    for (size_t i = 0; i < count; i++) {
        if (taken[pairs[i].column] || out->column[pairs[i].field] != TH__NO_COLUMN)
            continue;
        taken[pairs[i].column] = true;
        out->column[pairs[i].field] = pairs[i].column;
        out->likeness[pairs[i].field] = pairs[i].likeness;
    }
    for (uint32_t f = 0; f < profile->count; f++) {
        double weight = th__field_weight(&profile->fields[f], targets[f]);
        sum += weight;
        out->score += weight * out->likeness[f];
    }
    out->score = sum > 0 ? out->score / sum : 0;
    out->score *= sqrt(known_text(tally, taken) * count_likeness(profile, tally));
    out->doubled = doubled(profile, targets, tally, taken, out);
    out->score /= 1 + out->doubled;
    return true;
}
