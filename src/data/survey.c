/*
 * survey.c: what the columns of many records look like (th_survey).
 *
 * Records come as JSON, as runs keep them. Each text is stored once; a value is a number of a
 * record and a number of a text, so that a hundred thousand records are a few megabytes. What is
 * said of a column follows from all of its values together, when somebody asks for it:
 *
 *   the type     what four in five values look like (value_types.h), as for the notes of a schema;
 *   numbers      read in the style of the column (value_types.h), as --types does;
 *   outliers     values far from the quartiles, much longer than the others or not of the column's
 *                type; a value that is there twice, if all others are different; a value that is
 *                missing, if nearly all records have one.
 *
 * A field of a list in the record is a column of its own, "reviews.who", with all of its values.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/intern.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "data/value_types.h"

enum {
    MOST_FIELDS = 1000, /* further ones are ignored */
    MOST_DEPTH = 16,    /* of lists in lists */
    MOST_GROUPS = 200,  /* of pages, for the coverage */
    MOST_LISTED = 20,   /* outliers of a kind that are named */
    FREQUENT = 5,       /* values that are named */
    BINS = 12,          /* of a histogram */
    LEAST_VALUES = 8,   /* for quartiles to mean something */
    LEAST_KEYS = 10,    /* different values needed for a column to be a key */
    SHOWN = 120,        /* bytes of a value that are shown */
    LOOKED_AT = 4000,   /* different values that decide the type of a column */
};

typedef struct survey_value {
    uint32_t record, text;
} survey_value;

typedef struct survey_field {
    TH__VEC(survey_value) values; /* in order of the records */
    uint32_t filled;              /* records that have a value */
} survey_field;

struct th_survey {
    th__intern texts, names, page_names;
    TH__VEC(survey_field) fields; /* by the number of the name */
    TH__VEC(uint32_t) pages;      /* of each record */
    th__buf path;                 /* of the current field */
};

th_status th_survey_new(th_survey **out, th_error *err)
{
    th_survey *survey = th__mem_zero(1, sizeof *survey);
    *out = survey;
    if (!survey)
        return th__fail_memory(err);
    th__intern_init(&survey->texts);
    th__intern_init(&survey->names);
    th__intern_init(&survey->page_names);
    return TH_OK;
}

void th_survey_free(th_survey *survey)
{
    if (!survey)
        return;
    for (size_t i = 0; i < survey->fields.len; i++)
        th__vec_release(&survey->fields.data[i].values);
    th__vec_release(&survey->fields);
    th__vec_release(&survey->pages);
    th__buf_release(&survey->path);
    th__intern_release(&survey->texts);
    th__intern_release(&survey->names);
    th__intern_release(&survey->page_names);
    th__mem_free(survey);
}

/* ---- taking records in ----------------------------------------------------------------------- */

/* The field of the current path; NULL if out of memory, and for fields beyond the limit. */
static survey_field *field_at(th_survey *s, bool *ok)
{
    uint32_t id = th__intern_find(&s->names, th__buf_str(&s->path));
    if (id == TH__INTERN_NONE && s->fields.len < MOST_FIELDS) {
        *ok = th__vec_reserve(&s->fields, 1) &&
              (id = th__intern_add(&s->names, th__buf_str(&s->path))) != TH__INTERN_NONE;
        if (*ok)
            s->fields.data[s->fields.len++] = (survey_field){0};
    }
    return id == TH__INTERN_NONE ? NULL : &s->fields.data[id];
}

static bool add_text(th_survey *s, th_str text)
{
    bool ok = true;
    survey_field *field = field_at(s, &ok);
    if (!field || !text.ptr)
        return ok;
    uint32_t record = (uint32_t)s->pages.len - 1, id = th__intern_add(&s->texts, text);
    bool first = !field->values.len || field->values.data[field->values.len - 1].record != record;
    if (id == TH__INTERN_NONE || !th__vec_push(&field->values, (survey_value){record, id}))
        return false;
    field->filled += first;
    return true;
}

/* A value with its place is an object with "value" and "start": a text as well. */
static const json_t *text_of(const json_t *value)
{
    const json_t *text = json_object_get(value, "value");
    return text && json_object_get(value, "start") ? text : value;
}

static bool add_value(th_survey *s, const json_t *given, unsigned depth)
{
    const json_t *value = text_of(given), *item;
    const char *key;
    char number[40];
    size_t i;
    bool ok = true;
    if (json_is_string(value))
        return !json_string_length(value) ||
               add_text(s, (th_str){json_string_value(value), json_string_length(value)});
    if (json_is_number(value)) {
        snprintf(number, sizeof number, "%.15g", json_number_value(value));
        return add_text(s, th_str_from(number));
    }
    if (json_is_null(value))
        return add_text(s, (th_str){0}); /* the column exists nevertheless */
    if (json_is_array(value) && depth < MOST_DEPTH) {
        json_array_foreach((json_t *)value, i, item) ok = ok && add_value(s, item, depth + 1);
    } else if (json_is_object(value) && depth < MOST_DEPTH) {
        size_t len = s->path.len;
        json_object_foreach((json_t *)value, key, item)
        {
            if (len)
                th__buf_add_byte(&s->path, '.');
            th__buf_add_str(&s->path, th_str_from(key));
            ok = ok && !s->path.failed && add_value(s, item, depth + 1);
            s->path.len = len;
        }
    }
    return ok;
}

th_status th_survey_add(th_survey *survey, th_str page, th_str json, th_error *err)
{
    json_error_t problem;
    json_t *record =
        json_loadb(json.ptr ? json.ptr : "", json.len, JSON_ALLOW_NUL | JSON_DECODE_ANY, &problem);
    if (!record)
        return th__fail(err, TH_ERR_FORMAT, "a record is not valid JSON: %s", problem.text);
    uint32_t id = th__intern_add(&survey->page_names, page.ptr ? page : TH_STR(""));
    bool ok = id != TH__INTERN_NONE && th__vec_push(&survey->pages, id);
    th__buf_clear(&survey->path);
    ok = ok && add_value(survey, record, 0);
    json_decref(record);
    return ok ? TH_OK : th__fail_memory(err);
}

/* ---- what values look like ------------------------------------------------------------------- */

/* Of one column. Arrays are as long as its values. */
typedef struct column_look {
    th_survey *s;
    const survey_field *field;
    const survey_value *values;
    size_t count;
    uint64_t *times; /* how often each different text occurs << 32 | the text, most first */
    size_t different;
    double *numbers; /* each value as a number; NaN if it is not of the type */
    double *sorted;  /* valid ones, or the lengths of texts, in order */
    size_t sorted_len;
    double low, high; /* beyond these a value is far from the others */
    const char *type;
    th_note note;
    th_str currency;
    th__value_style style;
} column_look;

static th_str value_text(const column_look *c, size_t i)
{
    return th__intern_name(&c->s->texts, c->values[i].text);
}

static int by_double(const void *a, const void *b)
{
    return th__order(*(const double *)a, *(const double *)b);
}

static int most_first(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return -th__order(x >> 32, y >> 32) ?: th__order((uint32_t)x, (uint32_t)y);
}

/* Counts equal texts: sorted by text, then by how often. */
static void count_texts(column_look *c)
{
    uint64_t *times = c->times;
    for (size_t i = 0; i < c->count; i++)
        times[i] = c->values[i].text;
    qsort(times, c->count, sizeof *times, th__by_number);
    c->different = 0;
    for (size_t i = 0, next; i < c->count; i = next) {
        for (next = i + 1; next < c->count && times[next] == times[i]; next++)
            ;
        times[c->different++] = (uint64_t)(next - i) << 32 | times[i];
    }
    qsort(times, c->different, sizeof *times, most_first);
}

/* Characters of a text. */
static double length_of(th_str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
    return (double)count;
}

/* The type of four in five values. Numbers among prices are prices without their currency. Of many
 * different values every n-th is examined. */
static th_note note_of(const column_look *c)
{
    size_t votes[TH_NOTE_PHONE + 1] = {0}, step = c->different / LOOKED_AT + 1, all = 0;
    for (size_t i = 0; i < c->different; i += step) {
        size_t times = c->times[i] >> 32;
        votes[th__link_note_of(th__intern_name(&c->s->texts, (uint32_t)c->times[i]))] += times;
        all += times;
    }
    size_t numbers = votes[TH_NOTE_NUMBER] + votes[TH_NOTE_PRICE];
    if (5 * numbers >= 4 * all)
        return 2 * votes[TH_NOTE_PRICE] >= numbers ? TH_NOTE_PRICE : TH_NOTE_NUMBER;
    for (th_note note = TH_NOTE_DATE; note <= TH_NOTE_PHONE; note++)
        if (5 * votes[note] >= 4 * all)
            return note;
    return TH_NOTE_TEXT;
}

/* The days of a date in ISO 8601, exact enough to sort and bin dates. */
static double days_of(const char *iso)
{
    unsigned year = 0, month = 1, day = 1;
    if (sscanf(iso, "%4u-%2u-%2u", &year, &month, &day) < 1)
        return NAN;
    return 365.25 * year + 30.4375 * (month - 1) + day;
}

static bool is_measured(th_note note)
{
    return note == TH_NOTE_NUMBER || note == TH_NOTE_PRICE || note == TH_NOTE_DATE;
}

/* Reads all values; those that are not of the type are NaN. Of texts, their lengths. */
static bool read_values(column_look *c)
{
    th__buf text = {0};
    for (size_t i = 0; i < c->count; i++)
        if (is_measured(c->note))
            th__value_style_learn(&c->style, value_text(c, i));
    for (size_t i = 0; i < c->count; i++) {
        th_str value = value_text(c, i), currency = {0};
        double number = NAN;
        th__buf_clear(&text);
        if (c->note == TH_NOTE_DATE) {
            if (th__date_read(&c->style, value, &text) == TH__DATE_READ &&
                th__buf_add_byte(&text, '\0'))
                number = days_of(text.data);
        } else if (is_measured(c->note)) {
            if (th__number_read(&c->style, value, &text, &currency) &&
                th__buf_add_byte(&text, '\0'))
                number = strtod(text.data, NULL);
            if (currency.ptr && !c->currency.ptr)
                c->currency = currency;
        } else {
            number = length_of(value);
        }
        c->numbers[i] = number;
        if (!isnan(number))
            c->sorted[c->sorted_len++] = number;
    }
    qsort(c->sorted, c->sorted_len, sizeof *c->sorted, by_double);
    bool ok = !text.failed;
    th__buf_release(&text);
    return ok;
}

static double quantile(const column_look *c, double share)
{
    return c->sorted_len ? c->sorted[(size_t)(share * (double)(c->sorted_len - 1) + 0.5)] : NAN;
}

/* Three quartile distances beyond the quartiles, on a log scale if all numbers are positive, and at
 * least a factor of three, as prices vary that much. Texts can only be too long. */
static void set_limits(column_look *c)
{
    double first = quantile(c, 0.25), third = quantile(c, 0.75);
    c->low = -INFINITY;
    c->high = INFINITY;
    if (c->sorted_len < LEAST_VALUES)
        return;
    if (!is_measured(c->note)) {
        c->high = fmax(4 * third, third + 60);
    } else if (c->note != TH_NOTE_DATE && first > 0) {
        double factor = fmax(pow(third / first, 3), 3);
        c->low = c->sorted[0] > 0 ? first / factor : 0;
        c->high = third * factor;
    } else if (third > first) {
        double reach = fmax(3 * (third - first), c->note == TH_NOTE_DATE ? 366 : 0);
        c->low = first - reach;
        c->high = third + reach;
    }
}

/* Returns true for a column with a different value in each record, except for mistakes. */
static bool is_key(const column_look *c)
{
    return !is_measured(c->note) && c->field->filled == c->count && c->different >= LEAST_KEYS &&
           20 * c->different >= 19 * c->count && 20 * c->count >= 19 * c->s->pages.len;
}

/* ---- what is said of them -------------------------------------------------------------------- */

static th_str shown(th_str text)
{
    return (th_str){text.ptr, th__utf8_cut(text.ptr, text.len, SHOWN)};
}

static void put_spread(th__json *json, const column_look *c)
{
    bool numbers = c->note == TH_NOTE_NUMBER || c->note == TH_NOTE_PRICE;
    if (!c->sorted_len || (!numbers && is_measured(c->note)))
        return;
    th__json_open_object(json, numbers ? "numbers" : "lengths");
    th__json_put_double(json, "least", c->sorted[0]);
    th__json_put_double(json, "median", quantile(c, 0.5));
    th__json_put_double(json, "most", c->sorted[c->sorted_len - 1]);
    if (numbers)
        th__json_put_text(json, "currency", c->currency);
    th__json_end_object(json);
}

/* Writes the first and the last date, as the column spells them. */
static void put_dates(th__json *json, const column_look *c)
{
    size_t first = SIZE_MAX, last = SIZE_MAX;
    if (c->note != TH_NOTE_DATE)
        return;
    for (size_t i = 0; i < c->count; i++) {
        if (isnan(c->numbers[i]))
            continue;
        first = first == SIZE_MAX || c->numbers[i] < c->numbers[first] ? i : first;
        last = last == SIZE_MAX || c->numbers[i] > c->numbers[last] ? i : last;
    }
    if (first == SIZE_MAX)
        return;
    th__json_open_object(json, "dates");
    th__json_put_text(json, "first", shown(value_text(c, first)));
    th__json_put_text(json, "last", shown(value_text(c, last)));
    th__json_end_object(json);
}

/* Few whole numbers get a bin each. */
static size_t bin_count(const double *numbers, size_t count, double range)
{
    bool whole = range < BINS;
    for (size_t i = 0; whole && i < count; i++)
        whole = numbers[i] == floor(numbers[i]);
    return whole ? (size_t)range + 1 : BINS;
}

/* Omits outliers: one price of a million would leave the others a single bar. */
static void put_bins(th__json *json, const column_look *c)
{
    uint64_t counts[BINS] = {0};
    size_t from = 0, to = c->sorted_len;
    while (from < to && c->sorted[from] < c->low)
        from++;
    while (to > from && c->sorted[to - 1] > c->high)
        to--;
    if (to - from < 2 || c->sorted[from] == c->sorted[to - 1])
        return;
    double least = c->sorted[from], range = c->sorted[to - 1] - least;
    size_t bins = bin_count(c->sorted + from, to - from, range);
    double width = bins < BINS ? 1 : range / BINS;
    for (size_t i = from; i < to; i++) {
        size_t bin = (size_t)((c->sorted[i] - least) / width);
        counts[bin < bins ? bin : bins - 1]++;
    }
    th__json_open_object(json, "bins");
    th__json_put_double(json, "from", least);
    th__json_put_double(json, "to", c->sorted[to - 1]);
    th__json_open_array(json, "counts");
    for (size_t i = 0; i < bins; i++)
        th__json_uint(json, counts[i]);
    th__json_end_array(json);
    th__json_end_object(json);
}

static void put_frequent(th__json *json, const column_look *c)
{
    th__json_open_array(json, "frequent");
    for (size_t i = 0; i < c->different && i < FREQUENT && c->times[i] >> 32 > 1; i++) {
        th__json_begin_object(json);
        th__json_put_text(json, "value",
                          shown(th__intern_name(&c->s->texts, (uint32_t)c->times[i])));
        th__json_put_uint(json, "count", c->times[i] >> 32);
        th__json_end_object(json);
    }
    th__json_end_array(json);
}

/* One kind of outlier, written when the first is found. */
typedef struct outlier_kind {
    th__json *json;
    const char *why;
    uint64_t count;
} outlier_kind;

static void put_outlier(outlier_kind *kind, const th_survey *s, uint32_t record, th_str text)
{
    if (!kind->count++) {
        th__json_begin_object(kind->json);
        th__json_put_text(kind->json, "why", th_str_from(kind->why));
        th__json_open_array(kind->json, "records");
    }
    if (kind->count > MOST_LISTED)
        return;
    th__json_begin_object(kind->json);
    th__json_put_uint(kind->json, "record", record);
    th__json_put_text(kind->json, "page", th__intern_name(&s->page_names, s->pages.data[record]));
    th__json_put_text(kind->json, "value", text);
    th__json_end_object(kind->json);
}

static void end_outliers(outlier_kind *kind)
{
    if (!kind->count)
        return;
    th__json_end_array(kind->json);
    th__json_put_uint(kind->json, "count", kind->count);
    th__json_end_object(kind->json);
}

/* Records without a value, where four in five have one. */
static void put_missing(th__json *json, const column_look *c)
{
    outlier_kind kind = {json, "missing", 0};
    size_t at = 0, records = c->s->pages.len;
    if (5 * (uint64_t)c->field->filled < 4 * (uint64_t)records)
        return;
    for (uint32_t record = 0; record < records; record++) {
        if (at == c->count || c->values[at].record != record)
            put_outlier(&kind, c->s, record, (th_str){0});
        while (at < c->count && c->values[at].record == record)
            at++;
    }
    end_outliers(&kind);
}

/* Values of a key that occur again, all records of the same value together. */
static void put_twice(th__json *json, const column_look *c)
{
    outlier_kind kind = {json, "twice", 0};
    uint64_t all = 0;
    if (!is_key(c))
        return;
    for (size_t d = 0; d < c->different && c->times[d] >> 32 > 1; d++) {
        all += c->times[d] >> 32;
        for (size_t i = 0; i < c->count && kind.count < MOST_LISTED; i++)
            if (c->values[i].text == (uint32_t)c->times[d])
                put_outlier(&kind, c->s, c->values[i].record, shown(value_text(c, i)));
    }
    kind.count = all;
    end_outliers(&kind);
}

static void put_outliers(th__json *json, const column_look *c)
{
    bool measured = is_measured(c->note);
    outlier_kind other = {json, c->note == TH_NOTE_DATE ? "no date" : "no number", 0};
    outlier_kind far = {json, measured ? "far" : "long", 0};
    th__json_open_array(json, "outliers");
    for (size_t i = 0; measured && i < c->count; i++)
        if (isnan(c->numbers[i]))
            put_outlier(&other, c->s, c->values[i].record, shown(value_text(c, i)));
    end_outliers(&other);
    for (size_t i = 0; i < c->count; i++)
        if (c->numbers[i] < c->low || c->numbers[i] > c->high)
            put_outlier(&far, c->s, c->values[i].record, shown(value_text(c, i)));
    end_outliers(&far);
    put_twice(json, c);
    put_missing(json, c);
    th__json_end_array(json);
}

/* Groups pages if they are too many to show one by one. */
static uint32_t pages_per_group(const th_survey *s)
{
    return (uint32_t)((s->page_names.len + MOST_GROUPS - 1) / MOST_GROUPS);
}

/* In how many records of each group of pages the column has a value. `counts` has room for all. */
static void put_coverage(th__json *json, const column_look *c, uint32_t *counts)
{
    uint32_t per = pages_per_group(c->s);
    size_t groups = per ? (c->s->page_names.len + per - 1) / per : 0;
    memset(counts, 0, MOST_GROUPS * sizeof *counts);
    for (size_t i = 0; i < c->count; i++)
        if (!i || c->values[i].record != c->values[i - 1].record)
            counts[c->s->pages.data[c->values[i].record] / per]++;
    th__json_open_array(json, "coverage");
    for (size_t i = 0; i < groups; i++)
        th__json_uint(json, counts[i]);
    th__json_end_array(json);
}

static bool put_field(th__json *json, th_survey *s, uint32_t id)
{
    const survey_field *field = &s->fields.data[id];
    uint32_t counts[MOST_GROUPS];
    size_t count = field->values.len, room = count + 1;
    column_look c = {.s = s, .field = field, .values = field->values.data, .count = count};
    c.times = th__mem_zero(room, sizeof *c.times);
    c.numbers = th__mem_zero(room, sizeof *c.numbers);
    c.sorted = th__mem_zero(room, sizeof *c.sorted);
    bool ok = c.times && c.numbers && c.sorted;
    if (ok) {
        count_texts(&c);
        c.note = count ? note_of(&c) : TH_NOTE_TEXT;
        ok = read_values(&c);
    }
    if (ok) {
        set_limits(&c);
        th__json_begin_object(json);
        th__json_put_text(json, "field", th__intern_name(&s->names, id));
        th__json_put_text(json, "type", th_str_from(th_note_name(c.note)));
        th__json_put_uint(json, "filled", field->filled);
        th__json_put_uint(json, "values", count);
        th__json_put_uint(json, "different", c.different);
        put_spread(json, &c);
        put_dates(json, &c);
        put_bins(json, &c);
        put_frequent(json, &c);
        put_outliers(json, &c);
        put_coverage(json, &c, counts);
        th__json_end_object(json);
    }
    th__mem_free(c.times);
    th__mem_free(c.numbers);
    th__mem_free(c.sorted);
    return ok;
}

/* The groups of pages, each named by its first. */
static bool put_pages(th__json *json, const th_survey *s)
{
    uint32_t per = pages_per_group(s);
    uint32_t *records = th__mem_zero(s->page_names.len + 1, sizeof *records);
    if (!records)
        return false;
    for (size_t i = 0; i < s->pages.len; i++)
        records[s->pages.data[i] / per]++;
    th__json_open_array(json, "pages");
    for (uint32_t first = 0; first < s->page_names.len; first += per) {
        size_t left = s->page_names.len - first;
        th__json_begin_object(json);
        th__json_put_text(json, "page", th__intern_name(&s->page_names, first));
        th__json_put_uint(json, "pages", left < per ? left : per);
        th__json_put_uint(json, "records", records[first / per]);
        th__json_end_object(json);
    }
    th__json_end_array(json);
    th__mem_free(records);
    return true;
}

th_status th_survey_to_json(th_survey *survey, th_text *out, th_error *err)
{
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    th__json json = {.buf = &buf};
    th__json_begin_object(&json);
    th__json_put_uint(&json, "records", survey->pages.len);
    bool ok = put_pages(&json, survey);
    th__json_open_array(&json, "fields");
    for (uint32_t i = 0; ok && i < survey->fields.len; i++)
        ok = put_field(&json, survey, i);
    th__json_end_array(&json);
    th__json_end_object(&json);
    buf.failed |= !ok;
    return th__buf_give(&buf, out, err);
}
