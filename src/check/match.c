/* match.c: matches columns to fields by likeness. */
#include "check/match.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "data/value_types.h"

/* The least likeness of a column of dates to a field of dates, in whatever format. */
#define DATE_WORTH 0.55
/* If the field's values used to appear in the page's title: a column whose values do closes this
 * part of the gap to full likeness, and one whose values do not loses this part of its likeness.
 * Lists of other things look like titles, but do not appear in the page's title. */
#define HEADED_WORTH 0.4
/* The loss if the column's values appear in the title and the field's did not. */
#define HEADED_COST 0.25
/* The part of the gap to full likeness that an equal name closes. */
#define NAME_WORTH 0.4

enum {
    MOST_HEADED = 5, /* all values but one in five, or one in five */
    FEW_HEADED = 4   /* values that suffice to show that they are not in the title */
};

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

/* Returns false for the default names of columns: a word, and perhaps a number. */
static bool is_descriptive_name(th_str path)
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

bool th__has_dates(const th__field_profile *field)
{
    uint32_t others = 0;
    for (uint32_t i = 0; i < field->example_count && 10 * others <= field->example_count; i++)
        others += th__note_of(field->examples[i]) != TH_NOTE_DATE;
    return field->example_count && 10 * others <= field->example_count;
}

bool th__column_has_dates(const th__field_tally *column)
{
    enum { LOOKED = 12 };
    size_t n = column->sample.len < LOOKED ? column->sample.len : LOOKED, others = 0;
    for (size_t i = 0; i < n && 10 * others <= n; i++)
        others += th__note_of(column->sample.data[i].text) != TH_NOTE_DATE;
    return 10 * others <= n;
}

double th__likeness(const th__field_profile *field, bool target, bool dated,
                    const th__field_tally *column)
{
    size_t n = column->sample.len;
    if (!n || column->target != target)
        return 0;
    double there =
        1 - fabs(rate(field->values, field->chances) - rate(column->values, column->chances));
    double likeness = th__look_likeness(field, column->sample.data, n) * (0.7 + 0.3 * there);
    /* An equal name that was made of a class or a label is not a coincidence. */
    if (th__same_path(field->path, column->path) && is_descriptive_name(field->path))
        likeness += (1 - likeness) * NAME_WORTH;
    if (!target && dated && likeness < DATE_WORTH && th__column_has_dates(column))
        likeness = DATE_WORTH * (0.7 + 0.3 * there);
    if (!target)
        likeness = th__headed_likeness(field, likeness, rate(column->headed, column->values));
    /* Known values are better evidence than any form: a few are enough. */
    return likeness + (1 - likeness) * fmin(1, 2 * th__known_values(field, column->sample.data, n));
}

double th__field_weight(const th__field_profile *field, bool target)
{
    return rate(field->values, field->chances) * (target ? 0.4 : 1) *
           (th__is_list_path(field->path) ? 0.5 : 1);
}

/* ---- words of examples ------------------------------------------------------------------------
 */

/* Shorter texts may appear anywhere by chance. */
enum { TELLING_BYTES = 4 };

th_str th__next_word(th_str text, size_t at, size_t *end)
{
    while (at < text.len && !th__is_word_part((unsigned char)text.ptr[at]))
        at++;
    for (*end = at; *end < text.len && th__is_word_part((unsigned char)text.ptr[*end]);)
        ++*end;
    return (th_str){text.ptr + at, *end - at};
}

size_t th__find_words(th_str text, th_str words, size_t from)
{
    while (words.len && from + words.len <= text.len) {
        size_t at = th__str_find((th_str){text.ptr + from, text.len - from}, words);
        if (at == SIZE_MAX)
            return SIZE_MAX;
        size_t start = from + at, end = start + words.len;
        bool left = !start || !th__is_word_part((unsigned char)text.ptr[start - 1]) ||
                    !th__is_word_part((unsigned char)text.ptr[start]);
        bool right = end == text.len || !th__is_word_part((unsigned char)text.ptr[end]) ||
                     !th__is_word_part((unsigned char)text.ptr[end - 1]);
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

th_str th__list_of(th_str path)
{
    size_t at = th__str_find(path, TH_STR("[]."));
    return at == SIZE_MAX ? (th_str){0} : (th_str){path.ptr, at};
}

bool th__telling(th_str example)
{
    return example.len >= TELLING_BYTES;
}

bool th__is_headed(th_str title, th_str value)
{
    return th__telling(value) && th__find_words(title, value, 0) != SIZE_MAX;
}

double th__headed_likeness(const th__field_profile *field, double likeness, double headed)
{
    if (field->values >= FEW_HEADED && MOST_HEADED * field->headed <= field->values)
        return likeness * (1 - HEADED_COST * headed);
    if (field->values < 2 || MOST_HEADED * field->headed < (MOST_HEADED - 1) * field->values)
        return likeness;
    return likeness * (1 - HEADED_WORTH * (1 - headed)) + (1 - likeness) * HEADED_WORTH * headed;
}

/* ---- examples on the pages --------------------------------------------------------------------
 */

/* Returns true if a text is a shorter one with a sign beside it. */
static bool has_sign(th_str text, th_str shorter)
{
    enum { SIGN = 6 }; /* bytes, with a blank or two */
    size_t at = text.len > shorter.len && text.len <= shorter.len + SIGN
                    ? th__find_words(text, shorter, 0)
                    : SIZE_MAX;
    for (size_t i = 0; at != SIZE_MAX && i < text.len; i++)
        if ((i < at || i >= at + shorter.len) &&
            (th__is_alpha((unsigned char)text.ptr[i]) || th__is_digit((unsigned char)text.ptr[i])))
            return false;
    return at != SIZE_MAX;
}

/* Returns true if a value equals an example, except for a sign beside one of them. */
static bool is_nearly(th_str value, th_str example)
{
    return has_sign(value, example) || has_sign(example, value);
}

th__shown th__examples_shown(const th__field_profile *field, const uint8_t *there,
                             const th__field_tally *column)
{
    th__shown out = {0};
    for (uint32_t e = 0; column->stride == 1 && e < field->example_count; e++) {
        th_str example = field->examples[e];
        bool same = false, nearly = false;
        uint64_t hash = there[e] ? th__hash(example.ptr, example.len) : 0;
        for (size_t j = 0; there[e] && !same && j < column->sample.len; j++) {
            same = column->sample.data[j].hash == hash;
            nearly = nearly || (!same && is_nearly(column->sample.data[j].text, example));
        }
        out.on_pages += there[e];
        out.given += same || nearly;
        out.signs += !same && nearly;
    }
    return out;
}
