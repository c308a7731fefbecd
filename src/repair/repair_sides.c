/* repair_sides.c: what a wrapper gives on the pages of a repair. */
#include "repair/repair_sides.h"

#include <stdlib.h>

#include "base/error.h"

/* A record with less than this of its fields like they were is none. */
#define LEAST_RECORD 0.5

enum {
    THIN = 3 /* see thin_records */
};

bool th__side_init(th__side *s, th_repair *repair)
{
    s->field_of = th__arena_zero(&repair->arena, s->tally->count + 1, sizeof *s->field_of);
    for (uint32_t i = 0; s->field_of && i < s->tally->count; i++) {
        const th__field_profile *field =
            th__profile_of(repair->profile, i, s->tally->fields[i].path);
        s->field_of[i] = field ? (uint32_t)(field - repair->profile->fields) : TH__NO_COLUMN;
    }
    return s->field_of != NULL;
}

void th__side_release(th__side *s)
{
    th__vec_release(&s->leaves);
    th_records_free(s->records);
    s->records = NULL;
}

/* ---- leaves ---------------------------------------------------------------------------------- */

static bool add_leaf(const th_repair *repair, th__side *s, const th_value *value, uint32_t at,
                     uint32_t record)
{
    const th__profile *profile = repair->profile;
    uint32_t field = s->field_of[at];
    th__given l = {.at = at,
                   .record = record,
                   .order = s->texts,
                   .span = value->span,
                   .found = value->by_looks};
    s->texts += !s->tally->fields[at].target;
    l.sample.text = th__value_text(value);
    l.sample.hash = th__hash(th__value_text(value).ptr, th__value_text(value).len);
    l.sample.length = th__log_length(th__value_text(value).len);
    th__dp_split(th__value_text(value), &l.sample.value);
    if (field != TH__NO_COLUMN)
        l.own = th__value_likeness(&profile->fields[field], &l.sample);
    l.like = l.own >= TH__LEAST_VALUE;
    for (uint32_t f = 0; !l.like && !s->tally->fields[at].target && f < profile->count; f++)
        l.like = !repair->targets[f] &&
                 th__value_likeness(&profile->fields[f], &l.sample) >= TH__LEAST_VALUE;
    return th__vec_push(&s->leaves, l);
}

/* Takes the texts of a value; `at` is the number of its first leaf. Depth is the schema's. */
static bool take(const th_repair *repair, th__side *s, const th_type *type, const th_value *value,
                 uint32_t at, uint32_t record)
{
    bool ok = true;
    if (!value || value->kind == TH_VALUE_NULL)
        return true;
    switch (type->kind) {
    case TH_TYPE_FIELD:
        return value->kind != TH_VALUE_TEXT || !th__value_text(value).len ||
               add_leaf(repair, s, value, at, record);
    case TH_TYPE_OPTIONAL:
        return take(repair, s, type->children[0], value, at, record);
    case TH_TYPE_LIST:
        for (uint32_t i = 0; ok && i < value->count; i++)
            ok = take(repair, s, type->children[0], th__value_item(value, i), at, record);
        return ok;
    case TH_TYPE_CHOICE:
        for (uint32_t i = 0; ok && i < type->count; i++) {
            if (value->which == i && value->count)
                ok = take(repair, s, type->children[i], th__value_item(value, 0), at, record);
            at += th__type_leaves(type->children[i]);
        }
        return ok;
    default:
        for (uint32_t i = 0; ok && i < type->count && i < value->count; i++) {
            ok = take(repair, s, type->children[i], th__value_item(value, i), at, record);
            at += th__type_leaves(type->children[i]);
        }
        return ok;
    }
}

size_t th__side_record_end(const th__side *s, size_t at)
{
    uint32_t record = s->leaves.data[at].record;
    while (at < s->leaves.len && s->leaves.data[at].record == record)
        at++;
    return at;
}

/* Records most texts of which are like values of fields. */
static uint64_t right_records(const th__side *s)
{
    uint64_t count = 0;
    for (size_t i = 0, end; i < s->leaves.len; i = end) {
        double like = 0, all = 0;
        end = th__side_record_end(s, i);
        for (size_t j = i; j < end; j++) {
            if (th__given_is_target(s, &s->leaves.data[j]))
                continue;
            like += s->leaves.data[j].like;
            all++;
        }
        count += all && like >= LEAST_RECORD * all;
    }
    return count;
}

static uint64_t text_bytes(const th__side *s)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < s->leaves.len; i++)
        if (!th__given_is_target(s, &s->leaves.data[i]))
            bytes += s->leaves.data[i].sample.text.len;
    return bytes;
}

/* Records that have less than a third of the texts that a record of their page has: headings and
 * notes that stand among them. */
static uint64_t thin_records(const th__side *s)
{
    size_t records = th_records_count(s->records);
    uint64_t count = 0;
    for (size_t i = 0, end; i < s->leaves.len; i = end) {
        size_t texts = 0;
        end = th__side_record_end(s, i);
        for (size_t j = i; j < end; j++)
            texts += !th__given_is_target(s, &s->leaves.data[j]);
        count += THIN * texts * records < s->leaves.len;
    }
    return count;
}

th_status th__side_take(th__side *s, const th_repair *repair, const th__repair_page *page,
                        th_error *err)
{
    s->leaves.len = s->texts = 0;
    th_records_free(s->records);
    s->records = NULL;
    th_status status =
        s->by_rules
            ? th__wrapper_extract_by_rules(s->wrapper, page->page, &page->source, &s->records, err)
            : th_wrapper_extract(s->wrapper, page->page, &page->source, &s->records, err);
    if (status)
        return status;
    const th_type *type = th_schema_record_type(s->records->schema);
    bool ok = true;
    for (size_t i = 0; ok && i < th_records_count(s->records); i++)
        ok = take(repair, s, type, th_records_get(s->records, i), 0, (uint32_t)i);
    if (!ok)
        return th__fail_memory(err);
    s->count += th_records_count(s->records);
    s->right += right_records(s);
    s->bytes += text_bytes(s);
    s->thin += thin_records(s);
    return TH_OK;
}

/* ---- finding them ---------------------------------------------------------------------------- */

static int by_hash(const void *a, const void *b)
{
    const th__given *x = a, *y = b;
    if (x->sample.hash != y->sample.hash)
        return x->sample.hash < y->sample.hash ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

void th__side_sort(th__side *s)
{
    if (s->leaves.len)
        qsort(s->leaves.data, s->leaves.len, sizeof *s->leaves.data, by_hash);
}

size_t th__side_find(const th__side *s, uint64_t hash)
{
    size_t from = 0, to = s->leaves.len;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (s->leaves.data[middle].sample.hash < hash)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

const th__given *th__side_find_in(const th__side *s, uint32_t record, uint64_t hash)
{
    th__given wanted = {.record = record, .sample.hash = hash};
    return s->leaves.len ? bsearch(&wanted, s->leaves.data, s->leaves.len, sizeof wanted, by_hash)
                         : NULL;
}
