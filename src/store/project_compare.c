/*
 * project_compare.c: two runs beside each other.
 *
 * Of each record the values are kept as hashes, so that two runs of a hundred thousand records take
 * some megabytes: a field and a hash for each value, and a hash of the whole record.
 *
 *     before: A B B C        by key and number: A1 B1 B2 C1
 *     after:  B A D                             B1 A1 D1
 *
 * Removed: B2, C1. Added: D1. A and B are the same or changed.
 */
#include <jansson.h>
#include <string.h>

#include "base/error.h"
#include "base/key_map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "store/project.h"

enum {
    MOST_FIELDS = 500, /* that are compared one by one; others count as one */
    MOST_DEPTH = 64
};

typedef struct compared_cell {
    uint32_t field;
    uint64_t hash;
} compared_cell;

typedef struct compared_row {
    size_t start; /* of its cells */
    uint32_t count;
    uint64_t hash; /* of the whole */
} compared_row;

typedef struct compared_run {
    TH__VEC(compared_cell) cells;
    TH__VEC(compared_row) rows;
} compared_run;

typedef struct compared_field {
    char *name;
    size_t filled, links; /* of both runs: values, and values that are links */
} compared_field;

struct th_compare {
    compared_run sides[2];
    TH__VEC(compared_field) fields;
    size_t key; /* a field, or SIZE_MAX */
    TH__VEC(th_difference) differences;
    size_t counts[3], same;
};

/* ---- reading --------------------------------------------------------------------------------- */

static uint64_t hash_json(const json_t *value, unsigned depth)
{
    uint64_t hash = (uint64_t)json_typeof(value) + 1;
    const char *name;
    json_t *item;
    size_t i;
    if (json_is_string(value))
        return th__hash_mix(hash, th__hash(json_string_value(value), json_string_length(value)));
    if (json_is_number(value)) {
        double number = json_number_value(value);
        return th__hash_mix(1, th__hash(&number, sizeof number));
    }
    if (depth == MOST_DEPTH)
        return hash;
    json_array_foreach(value, i, item) hash = th__hash_mix(hash, hash_json(item, depth + 1));
    json_object_foreach((json_t *)value, name, item) hash +=
        th__hash_mix(th__hash(name, strlen(name)), hash_json(item, depth + 1));
    return hash;
}

/* The index of a field; fields.len if out of memory. */
static size_t field_of(th_compare *c, const char *name)
{
    size_t i = 0;
    while (i < c->fields.len && strcmp(c->fields.data[i].name, name))
        i++;
    if (i < c->fields.len)
        return i;
    if (i == MOST_FIELDS)
        return i - 1;
    compared_field fresh = {.name = th__mem_copy(name, strlen(name))};
    if (!fresh.name || !th__vec_push(&c->fields, fresh)) {
        th__mem_free(fresh.name);
        return c->fields.len;
    }
    return i;
}

typedef struct reading {
    th_compare *compare;
    compared_run *side;
} reading;

static bool add_cell(reading *r, const char *name, const json_t *value, compared_row *at)
{
    size_t number = field_of(r->compare, name);
    if (number == r->compare->fields.len)
        return false;
    compared_field *f = &r->compare->fields.data[number];
    const char *text = json_string_value(value);
    bool link = text && (!strncmp(text, "http://", 7) || !strncmp(text, "https://", 8) ||
                         (text[0] == '/' && text[1]));
    f->filled++;
    f->links += link;
    compared_cell one = {(uint32_t)number, hash_json(value, 0)};
    at->count++;
    at->hash += th__hash_mix(number + 1, one.hash);
    return th__vec_push(&r->side->cells, one);
}

static th_status take_record(void *context, const th_project_record *record, th_error *err)
{
    reading *r = context;
    compared_row at = {.start = r->side->cells.len};
    json_t *value =
        json_loadb(record->json.ptr, record->json.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    bool good = true;
    const char *name;
    json_t *member;
    if (json_is_object(value)) {
        json_object_foreach(value, name, member) if (good && !json_is_null(member)) good =
            add_cell(r, name, member, &at);
    } else {
        at.hash = th__hash(record->json.ptr, record->json.len);
    }
    json_decref(value);
    return good && th__vec_push(&r->side->rows, at) ? TH_OK : th__fail_memory(err);
}

/* ---- the key --------------------------------------------------------------------------------- */

static bool find_cell(const compared_run *s, const compared_row *at, size_t number, uint64_t *hash)
{
    for (size_t i = at->start; i < at->start + at->count; i++)
        if (s->cells.data[i].field == number) {
            *hash = s->cells.data[i].hash;
            return true;
        }
    return false;
}

/* How well a field identifies records and finds them again: 0 to 1. */
static bool weigh_field(const th_compare *c, size_t number, double *out)
{
    enum { FIRST = 1, SECOND = 2 };
    th__key_map seen = {0};
    size_t distinct[2] = {0, 0}, common = 0, most = 1;
    bool good = true;
    for (int s = 0; s < 2; s++) {
        const compared_run *one = &c->sides[s];
        uint32_t mark = s ? SECOND : FIRST;
        most = one->rows.len > most ? one->rows.len : most;
        for (size_t i = 0; good && i < one->rows.len; i++) {
            uint64_t hash;
            if (!find_cell(one, &one->rows.data[i], number, &hash))
                continue;
            uint32_t old = th__key_map_get(&seen, hash);
            distinct[s] += !(old & mark);
            common += s && (old & FIRST) && !(old & SECOND);
            good = th__key_map_put(&seen, hash, old | mark);
        }
    }
    th__key_map_release(&seen);
    size_t rows = c->sides[0].rows.len + c->sides[1].rows.len;
    double apart = rows ? (double)(distinct[0] + distinct[1]) / (double)rows : 0;
    *out = apart * apart * (double)common / (double)most;
    return good;
}

static bool has_word(const char *name, const char *const *words)
{
    for (; *words; words++)
        if (strstr(name, *words))
            return true;
    return false;
}

/* Links stay the same when a title is corrected; pictures change more often than titles. */
static bool guess_key(th_compare *c)
{
    static const char *const pictures[] = {"image", "img", "src", "photo", "picture", NULL};
    static const char *const titles[] = {"title", "name", "sku", "isbn", NULL};
    double best = 0;
    c->key = SIZE_MAX;
    for (size_t i = 0; i < c->fields.len; i++) {
        const compared_field *f = &c->fields.data[i];
        double weight = 0;
        if (!weigh_field(c, i, &weight))
            return false;
        bool picture = has_word(f->name, pictures);
        if (2 * f->links > f->filled && !picture)
            weight *= 1.2;
        else if (has_word(f->name, titles) && !picture)
            weight *= 1.1;
        else if (picture)
            weight *= 0.8;
        if (weight > best) {
            best = weight;
            c->key = i;
        }
    }
    return true;
}

/* ---- differences ----------------------------------------------------------------------------- */

/* Identifies each record: by its key, or all of it, plus the number of equal ones before. */
static bool name_rows(const th_compare *c, const compared_run *s, uint64_t *names)
{
    th__key_map counts = {0};
    bool good = true;
    for (size_t i = 0; good && i < s->rows.len; i++) {
        const compared_row *at = &s->rows.data[i];
        uint64_t key = at->hash;
        bool found = c->key != SIZE_MAX && find_cell(s, at, c->key, &key);
        key = th__hash_mix(key, found);
        uint32_t number = th__key_map_get(&counts, key) + 1;
        good = th__key_map_put(&counts, key, number);
        names[i] = th__hash_mix(key, number);
    }
    th__key_map_release(&counts);
    return good;
}

static bool put(th_compare *c, th_difference_kind kind, uint64_t before, uint64_t after)
{
    c->counts[kind]++;
    return th__vec_push(&c->differences, (th_difference){kind, before, after});
}

static bool match(th_compare *c, const uint64_t *before, const uint64_t *after)
{
    const compared_run *a = &c->sides[0], *b = &c->sides[1];
    th__key_map in_a = {0}, in_b = {0};
    bool good = true;
    for (size_t i = 0; good && i < a->rows.len; i++)
        good = th__key_map_put(&in_a, before[i], (uint32_t)i + 1);
    for (size_t i = 0; good && i < b->rows.len; i++)
        good = th__key_map_put(&in_b, after[i], (uint32_t)i + 1);
    for (size_t i = 0; good && i < a->rows.len; i++)
        if (!th__key_map_get(&in_b, before[i]))
            good = put(c, TH_RECORD_REMOVED, i, 0);
    for (size_t i = 0; good && i < b->rows.len; i++)
        if (!th__key_map_get(&in_a, after[i]))
            good = put(c, TH_RECORD_ADDED, 0, i);
    for (size_t i = 0; good && i < b->rows.len; i++) {
        uint32_t at = th__key_map_get(&in_a, after[i]);
        if (at && a->rows.data[at - 1].hash != b->rows.data[i].hash)
            good = put(c, TH_RECORD_CHANGED, at - 1, i);
        else
            c->same += at != 0;
    }
    th__key_map_release(&in_a);
    th__key_map_release(&in_b);
    return good;
}

static th_status find_differences(th_compare *c, th_error *err)
{
    size_t counts[] = {c->sides[0].rows.len, c->sides[1].rows.len};
    uint64_t *before = th__mem_alloc((counts[0] + 1) * sizeof *before);
    uint64_t *after = th__mem_alloc((counts[1] + 1) * sizeof *after);
    bool good = before && after && name_rows(c, &c->sides[0], before) &&
                name_rows(c, &c->sides[1], after) && match(c, before, after);
    th__mem_free(before);
    th__mem_free(after);
    return good ? TH_OK : th__fail_memory(err);
}

/* ---- from outside ---------------------------------------------------------------------------- */

static th_status choose_key(th_compare *c, th_str key, th_error *err)
{
    if (!key.ptr)
        return guess_key(c) ? TH_OK : th__fail_memory(err);
    for (size_t i = 0; i < c->fields.len; i++)
        if (th__str_eq(th_str_from(c->fields.data[i].name), key)) {
            c->key = i;
            return TH_OK;
        }
    return th__fail(err, TH_ERR_ARGUMENT, "the records have no field \"%.*s\"", TH_STR_ARG(key));
}

th_status th_compare_new(th_project *project, int64_t before, int64_t after, th_str key,
                         th_compare **out, th_error *err)
{
    th_compare *c = TH__NEW(th_compare);
    int64_t runs[] = {before, after};
    th_status status = c ? TH_OK : th__fail_memory(err);
    *out = NULL;
    for (int s = 0; !status && s < 2; s++) {
        reading r = {c, &c->sides[s]};
        status = th_project_records(project, runs[s], 0, UINT32_MAX - 1, take_record, &r, err);
    }
    if (!status)
        status = choose_key(c, key, err);
    if (!status)
        status = find_differences(c, err);
    if (status)
        th_compare_free(c);
    else
        *out = c;
    return status;
}

void th_compare_free(th_compare *c)
{
    if (!c)
        return;
    for (int s = 0; s < 2; s++) {
        th__vec_release(&c->sides[s].cells);
        th__vec_release(&c->sides[s].rows);
    }
    for (size_t i = 0; i < c->fields.len; i++)
        th__mem_free(c->fields.data[i].name);
    th__vec_release(&c->fields);
    th__vec_release(&c->differences);
    th__mem_free(c);
}

th_str th_compare_key(const th_compare *c)
{
    return c->key == SIZE_MAX ? (th_str){0} : th_str_from(c->fields.data[c->key].name);
}

size_t th_compare_field_count(const th_compare *c)
{
    return c->fields.len;
}

th_str th_compare_field(const th_compare *c, size_t index)
{
    return index < c->fields.len ? th_str_from(c->fields.data[index].name) : (th_str){0};
}

size_t th_compare_count(const th_compare *c, th_difference_kind kind)
{
    return (size_t)kind < 3 ? c->counts[kind] : 0;
}

size_t th_compare_same(const th_compare *c)
{
    return c->same;
}

const th_difference *th_compare_get(const th_compare *c, size_t index)
{
    return index < c->differences.len ? &c->differences.data[index] : NULL;
}
