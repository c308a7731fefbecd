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
/* The part of what is missing to full likeness that being in the title of the page makes up for,
 * where the field did, and the part of all that not being there costs: lists of other things
 * look like titles, and are not in the page's. */
#define HEADED_WORTH 0.4
/* What being there costs where the field did not. */
#define HEADED_COST 0.25
/* The part of what is missing to full likeness that the same name makes up for. */
#define NAME_WORTH 0.4

enum {
    MOST_HEADED = 5, /* all values but one in five, or one in five */
    FEW_HEADED = 4   /* values that tell that they are not in the title */
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
    size_t n = column->sample.len < LOOKED ? column->sample.len : LOOKED, others = 0;
    for (uint32_t i = 0; i < field->example_count && 10 * others <= field->example_count; i++)
        others += th__note_of(field->examples[i]) != TH_NOTE_DATE;
    if (!field->example_count || 10 * others > field->example_count)
        return false;
    others = 0;
    for (size_t i = 0; i < n && 10 * others <= n; i++)
        others += th__note_of(column->sample.data[i].text) != TH_NOTE_DATE;
    return 10 * others <= n;
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
    if (!target)
        likeness = th__headed_likeness(field, likeness, rate(column->headed, column->values));
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

/* Shorter texts may be anywhere. */
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

/* ---- matching -------------------------------------------------------------------------------- */

typedef struct field_pair {
    double likeness;
    uint32_t given; /* examples of the field that are on the pages: in the column */
    uint32_t field, column;
} field_pair;

static int by_likeness(const void *a, const void *b)
{
    const field_pair *x = a, *y = b;
    if (x->likeness != y->likeness)
        return x->likeness > y->likeness ? -1 : 1;
    if (x->given != y->given)
        return x->given > y->given ? -1 : 1;
    if (x->field != y->field)
        return x->field < y->field ? -1 : 1;
    return x->column < y->column ? -1 : x->column > y->column;
}

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

/* Returns true if a value is an example, but for a sign beside one of them. */
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
        uint64_t hash = th__hash(example.ptr, example.len);
        bool same = false, nearly = false;
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

/* What of the examples that are on the pages a column has, where that is to be looked at. */
static th__shown shown_by(const th__profile *profile, const th__matching *how, uint32_t field,
                          const th__field_tally *column)
{
    if (!how->there || how->targets[field])
        return (th__shown){0};
    return th__examples_shown(&profile->fields[field],
                              how->there + (size_t)field * TH__EXAMPLES_MAX, column);
}

static bool make_pairs(const th__profile *profile, const th__matching *how, const th__tally *tally,
                       th__arena *arena, field_pair **out, size_t *count)
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
            const th__field_profile *field = &profile->fields[f];
            if (how->skip && how->skip[c])
                continue;
            double likeness = th__likeness(field, how->targets[f], &tally->fields[c]);
            if (likeness < (how->targets[f] ? LEAST_TARGET : LEAST_LIKENESS))
                continue;
            th__shown shown = shown_by(profile, how, f, &tally->fields[c]);
            /* Values that tell records apart are on the pages, and none of them is here. */
            if (!th__is_varied(field) || !th__is_elsewhere(shown))
                (*out)[(*count)++] = (field_pair){likeness, shown.given, f, c};
        }
    return true;
}

/* ---- lists in records ---- */

#define NO_LIST UINT32_MAX

/* The lists of tuples that some fields are in. */
typedef struct lists {
    th_str *names;
    uint32_t *of;    /* by field: number of its list, or NO_LIST */
    uint32_t *other; /* by list: which of the other side it is, or NO_LIST */
    bool *used;      /* by field: see list_worth */
    uint32_t count;
} lists;

th_str th__list_of(th_str path)
{
    size_t at = th__str_find(path, TH_STR("[]."));
    return at == SIZE_MAX ? (th_str){0} : (th_str){path.ptr, at};
}

static bool lists_init(lists *l, uint32_t fields, th__arena *arena)
{
    *l = (lists){.names = th__arena_zero(arena, fields + 1, sizeof *l->names),
                 .of = th__arena_zero(arena, fields + 1, sizeof *l->of),
                 .other = th__arena_zero(arena, fields + 1, sizeof *l->other),
                 .used = th__arena_zero(arena, fields + 1, sizeof *l->used)};
    return l->names && l->of && l->other && l->used;
}

/* Fields of a list are one after the other. */
static void lists_add(lists *l, uint32_t field, th_str path)
{
    th_str name = th__list_of(path);
    l->of[field] = NO_LIST;
    if (!name.ptr)
        return;
    if (!l->count || !th__str_eq(l->names[l->count - 1], name)) {
        l->names[l->count] = name;
        l->other[l->count++] = NO_LIST;
    }
    l->of[field] = l->count - 1;
}

/* How much a new list has of the fields of an old one. */
static double list_worth(const th__profile *profile, const bool *targets, const field_pair *pairs,
                         size_t count, lists *old, lists *now, uint32_t was, uint32_t is)
{
    double sum = 0;
    memset(old->used, 0, profile->count * sizeof *old->used);
    for (size_t i = 0; i < count; i++)
        if (now->of[pairs[i].column] == is)
            now->used[pairs[i].column] = false;
    for (size_t i = 0; i < count; i++) {
        uint32_t f = pairs[i].field, c = pairs[i].column;
        if (old->of[f] != was || now->of[c] != is || old->used[f] || now->used[c])
            continue;
        old->used[f] = now->used[c] = true;
        sum += pairs[i].likeness * th__field_weight(&profile->fields[f], targets[f]);
    }
    return sum;
}

/* Finds which new list is which old one, best first. */
static void pair_lists(const th__profile *profile, const bool *targets, const field_pair *pairs,
                       size_t count, lists *old, lists *now)
{
    enum { MOST = 32 }; /* lists: more are not told apart */
    double worth[MOST][MOST];
    uint32_t was = old->count < MOST ? old->count : MOST;
    uint32_t is = now->count < MOST ? now->count : MOST;
    for (uint32_t i = 0; i < was; i++)
        for (uint32_t j = 0; j < is; j++)
            worth[i][j] = list_worth(profile, targets, pairs, count, old, now, i, j);
    for (;;) {
        uint32_t list = NO_LIST, other = NO_LIST;
        double most = 0;
        for (uint32_t i = 0; i < was; i++)
            for (uint32_t j = 0; j < is; j++)
                if (old->other[i] == NO_LIST && now->other[j] == NO_LIST && worth[i][j] > most) {
                    most = worth[i][j];
                    list = i;
                    other = j;
                }
        if (list == NO_LIST)
            return;
        old->other[list] = other;
        now->other[other] = list;
    }
}

/* Fields of a list are columns of one list, and others are none of any: names of others could not
 * be given. Drops all other pairs; these are the best first. */
static bool keep_lists(const th__profile *profile, const bool *targets, const th__tally *tally,
                       th__arena *arena, field_pair *pairs, size_t *count)
{
    lists old, now;
    size_t kept = 0;
    if (!lists_init(&old, profile->count, arena) || !lists_init(&now, tally->count, arena))
        return false;
    for (uint32_t i = 0; i < profile->count; i++)
        lists_add(&old, i, profile->fields[i].path);
    for (uint32_t i = 0; i < tally->count; i++)
        lists_add(&now, i, tally->fields[i].path);
    pair_lists(profile, targets, pairs, *count, &old, &now);
    for (size_t i = 0; i < *count; i++) {
        uint32_t was = old.of[pairs[i].field], is = now.of[pairs[i].column];
        if (was == NO_LIST ? is == NO_LIST : is != NO_LIST && old.other[was] == is)
            pairs[kept++] = pairs[i];
    }
    *count = kept;
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
        if (targets[f] || match->column[f] == TH__NO_COLUMN || !th__is_varied(field) ||
            2 * field->values < field->chances)
            continue;
        for (uint32_t c = 0; c < tally->count; c++)
            if (!taken[c] && !tally->fields[c].target)
                more += like_part(field, &tally->fields[c]) * (double)tally->fields[c].values;
        more /= (double)tally->records;
        /* Items of a list that are columns now are no second record. */
        if (th__is_list_path(field->path) && profile->records) {
            double before = (double)field->values / (double)profile->records;
            double own = (double)tally->fields[match->column[f]].values / (double)tally->records;
            more = fmax(0, (own + more) / before - 1);
        }
        sum += fmin(1, more);
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

bool th__match_fields(const th__profile *profile, const th__matching *how, const th__tally *tally,
                      th__arena *arena, th__match *out)
{
    field_pair *pairs;
    size_t count;
    double sum = 0;
    bool *taken = th__arena_zero(arena, tally->count + 1, sizeof *taken);
    out->column = th__arena_zero(arena, profile->count + 1, sizeof *out->column);
    out->likeness = th__arena_zero(arena, profile->count + 1, sizeof *out->likeness);
    out->score = 0;
    if (!taken || !out->column || !out->likeness ||
        !make_pairs(profile, how, tally, arena, &pairs, &count))
        return false;
    if (count)
        qsort(pairs, count, sizeof *pairs, by_likeness);
    if (how->nested && !keep_lists(profile, how->targets, tally, arena, pairs, &count))
        return false;
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
        double weight = th__field_weight(&profile->fields[f], how->targets[f]);
        sum += weight;
        out->score += weight * out->likeness[f];
    }
    out->score = sum > 0 ? out->score / sum : 0;
    out->score *= sqrt(known_text(tally, taken) * count_likeness(profile, tally));
    out->doubled = doubled(profile, how->targets, tally, taken, out);
    out->score /= 1 + out->doubled;
    return true;
}
