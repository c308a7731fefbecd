/*
 * repair_guard.c: no repair takes away what the old wrapper still gives.
 *
 * Both wrappers are run on the new pages, and what they give is held against each other, page by
 * page. The old one gives what its users get, fields that are found by their looks (fields_adapt.h)
 * included; the new one has to give as much by its rules alone: its profile, and with it what it
 * knows of looks, is learnt from what these find.
 *
 *   - Fields: values of a field that is not broken have to be values of it again. A value that is
 *     not like the field, or that is now in a field that it is more like, was wrong: it may go.
 *   - Texts: whatever the old wrapper gives that looks like a value of some field has to be in the
 *     new records as well, in whatever column, unless what it reads are no records any more.
 *   - Nothing else: where the old wrapper still has all records, a field that is not broken has the
 *     values that it had, and no others, and no headings or notes are new records.
 *   - Lines: what stands on the page as lines of one element, one below the other, and is given one
 *     after the other, is not torn apart: a line must not end up in a column that was no field,
 * with others in between. Often these are lines of one value.
 *   - Halves: where the old wrapper still has the records, a field that it does not give at all is
 *     given wherever it used to be, or not at all: what stands in a few of its places is most
 * likely something else.
 *   - Records: as many of them as the old one has with values like those they had, and values of
 *     fields that are not broken together as they were.
 *
 * Where much is gained, some of what the old wrapper gives may go: it reads parts of values, texts
 * of other fields and records that are several. So values, texts and records that are lost are held
 * against those that are gained, two for one; a value that the field is known to have had counts
 * twice. Fields that the old wrapper hardly gives any more, and labels, are nothing to lose.
 *
 * Wrappers that were learnt from labels have fields that somebody has named: there nothing makes up
 * for a value, unless the field is broken and gets many more (lost_much).
 */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/stats.h"
#include "check/repair.h"
#include "check/strays.h"
#include "page/tags.h"
#include "page/text.h"

/* Of the text of a list so much has to be there. */
#define ITEMS_PART 0.95
/* A value that is less like a field than this is none of it. */
#define LEAST_VALUE 0.5
/* A field has to be in so much of the places where it used to be. */
#define HALF 0.5
/* Of the text in a list of a record: of two texts the longer may be gone, of more not all but one.
 */
#define LIST_PART 0.33
/* As many records as before: pages of a site have about as many. */
#define SAME_COUNT 0.75
/* A field that matters less than this: see loses_values. */
#define MINOR 0.3
/* A broken field may lose one value where it gains so many. */
#define GAIN 5
/* A record with less than this of its fields like they were is none. */
#define LEAST_RECORD 0.5

enum {
    CHECKED = 4000,     /* texts of a page that are looked for */
    SEARCHED = 1 << 28, /* bytes that are searched for them on a page */
    THIN = 3,           /* see thin_records */
    MAKE_UP = 2,        /* see makes_up */
    PARTED = 4          /* one record in so many may be parted, whatever is gained */
};

typedef struct leaf {
    uint32_t at; /* number of the leaf in the schema */
    uint32_t record;
    uint32_t order; /* among the texts of the page, targets aside */
    th_span span;
    bool like;  /* like a value of some field */
    bool found; /* by its looks */
    double own; /* how like its own field */
    th__sample sample;
} leaf;

typedef struct side {
    const th_wrapper *wrapper;
    bool by_rules; /* what rules find, without what looks do */
    const th__tally *tally;
    uint32_t *field_of; /* by leaf of the schema: of the profile, or TH__NO_COLUMN */
    th_records *records;
    TH__VEC(leaf) leaves; /* of the page at hand */
    uint32_t texts;       /* among them */
    uint64_t count;       /* records on all pages */
    uint64_t right;       /* those with values like they had */
    uint64_t bytes;       /* of the texts on all pages */
    uint64_t thin;        /* those with hardly any text */
} side;

typedef TH__VEC(uint64_t) hash_list;

typedef struct comparison {
    const th_repair *repair;
    side old, now;
    th__buf text;     /* of the new records */
    uint64_t *lost;   /* values, by field of the profile */
    uint64_t *added;  /* the same: values that the old wrapper does not give */
    uint64_t *given;  /* the same: values that the old wrapper gives */
    uint64_t *gained; /* the same: values like those of the field that it does not give */
    uint64_t *again;  /* the same: values that the new one gives and that are like the field */
    uint64_t *missed; /* the same: of broken fields of labels, values that are gone */
    hash_list lost_texts, gained_texts; /* of all pages */
    uint64_t parted, torn;
    uint64_t strange; /* texts in columns that nobody knew that the old wrapper does not give */
    size_t searched;
} comparison;

/* Whether the wrapper was learnt from labels: fields are what somebody has named, and nothing that
 * is gained makes up for what one of them loses. */
static bool has_labels(const comparison *c)
{
    return c->repair->wrapper->engine->needs_labels;
}

/* Whether a field is not what it was. */
static bool has_changed(const comparison *c, uint32_t field)
{
    return has_labels(c) ? c->repair->broken[field] : c->repair->drifting[field];
}

/* ---- leaves ---------------------------------------------------------------------------------- */

static bool add_leaf(const comparison *c, side *s, const th_value *value, uint32_t at,
                     uint32_t record)
{
    const th__profile *profile = c->repair->profile;
    uint32_t field = s->field_of[at];
    leaf l = {.at = at,
              .record = record,
              .order = s->texts,
              .span = value->span,
              .found = value->by_looks};
    s->texts += !s->tally->fields[at].target;
    l.sample.text = value->text;
    l.sample.hash = th__hash(value->text.ptr, value->text.len);
    l.sample.length = th__log_length(value->text.len);
    th__dp_split(value->text, &l.sample.value);
    if (field != TH__NO_COLUMN)
        l.own = th__value_likeness(&profile->fields[field], &l.sample);
    l.like = l.own >= LEAST_VALUE;
    for (uint32_t f = 0; !l.like && !s->tally->fields[at].target && f < profile->count; f++)
        l.like = !c->repair->targets[f] &&
                 th__value_likeness(&profile->fields[f], &l.sample) >= LEAST_VALUE;
    return th__vec_push(&s->leaves, l);
}

static uint32_t count_leaves(const th_type *type)
{
    uint32_t count = type->kind == TH_TYPE_FIELD;
    for (uint32_t i = 0; i < type->count; i++)
        count += count_leaves(type->children[i]);
    return count;
}

/* Takes the texts of a value; `at` is the number of its first leaf. Depth is the schema's. */
static bool take(const comparison *c, side *s, const th_type *type, const th_value *value,
                 uint32_t at, uint32_t record)
{
    bool ok = true;
    if (!value || value->kind == TH_VALUE_NULL)
        return true;
    switch (type->kind) {
    case TH_TYPE_FIELD:
        return value->kind != TH_VALUE_TEXT || !value->text.len ||
               add_leaf(c, s, value, at, record);
    case TH_TYPE_OPTIONAL:
        return take(c, s, type->children[0], value, at, record);
    case TH_TYPE_LIST:
        for (uint32_t i = 0; ok && i < value->count; i++)
            ok = take(c, s, type->children[0], value->items[i], at, record);
        return ok;
    case TH_TYPE_CHOICE:
        for (uint32_t i = 0; ok && i < type->count; i++) {
            if (value->which == i && value->count)
                ok = take(c, s, type->children[i], value->items[0], at, record);
            at += count_leaves(type->children[i]);
        }
        return ok;
    default:
        for (uint32_t i = 0; ok && i < type->count && i < value->count; i++) {
            ok = take(c, s, type->children[i], value->items[i], at, record);
            at += count_leaves(type->children[i]);
        }
        return ok;
    }
}

static th_status take_page(const comparison *c, side *s, const th__repair_page *page, th_error *err)
{
    s->leaves.len = s->texts = 0;
    th_status status =
        s->by_rules
            ? th__wrapper_extract_by_rules(s->wrapper, page->page, &page->source, &s->records, err)
            : th_wrapper_extract(s->wrapper, page->page, &page->source, &s->records, err);
    if (status)
        return status;
    const th_type *type = th_schema_record_type(s->records->schema);
    bool ok = true;
    for (size_t i = 0; ok && i < th_records_count(s->records); i++)
        ok = take(c, s, type, th_records_get(s->records, i), 0, (uint32_t)i);
    return ok ? TH_OK : th__fail_memory(err);
}

/* Records most texts of which are like values of fields. Leaves of a record stand together. */
static uint64_t right_records(const side *s)
{
    uint64_t count = 0;
    for (size_t i = 0, end; i < s->leaves.len; i = end) {
        double like = 0, all = 0;
        for (end = i; end < s->leaves.len && s->leaves.data[end].record == s->leaves.data[i].record;
             end++) {
            if (s->tally->fields[s->leaves.data[end].at].target)
                continue;
            like += s->leaves.data[end].like;
            all++;
        }
        count += all && like >= LEAST_RECORD * all;
    }
    return count;
}

static uint64_t text_bytes(const side *s)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < s->leaves.len; i++)
        if (!s->tally->fields[s->leaves.data[i].at].target)
            bytes += s->leaves.data[i].sample.text.len;
    return bytes;
}

/* Records that have less than a third of the texts that a record of their page has: headings and
 * notes that stand among them. */
static uint64_t thin_records(const side *s)
{
    size_t records = th_records_count(s->records);
    uint64_t count = 0;
    for (size_t i = 0, end; i < s->leaves.len; i = end) {
        size_t texts = 0;
        for (end = i; end < s->leaves.len && s->leaves.data[end].record == s->leaves.data[i].record;
             end++)
            texts += !s->tally->fields[s->leaves.data[end].at].target;
        count += THIN * texts * records < s->leaves.len;
    }
    return count;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static int by_hash(const void *a, const void *b)
{
    const leaf *x = a, *y = b;
    if (x->sample.hash != y->sample.hash)
        return x->sample.hash < y->sample.hash ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

/* The first of the new leaves with a text: they are sorted. */
static size_t find_hash(const side *s, uint64_t hash)
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

/* Whether a value of a field was a part of what is one of it now, and no more like it than that. */
static bool is_completed(comparison *c, const leaf *old, uint32_t field)
{
    const side *now = &c->now;
    for (size_t i = 0; i < now->leaves.len && c->searched <= SEARCHED; i++) {
        const leaf *l = &now->leaves.data[i];
        c->searched++;
        if (now->field_of[l->at] != field || l->own < old->own)
            continue;
        c->searched += l->sample.text.len;
        if (th__find_words(l->sample.text, old->sample.text, 0) != SIZE_MAX)
            return true;
    }
    return false;
}

/* Whether a field of labels has a value that is more like it in place of one: a part of one that
 * was too long; or, on a page of one record, another for one that is not like it. */
static bool is_replaced(const comparison *c, const leaf *old, uint32_t field)
{
    if (!has_labels(c))
        return false;
    bool one = th_records_count(c->now.records) == 1 &&
               th__str_find(c->repair->profile->fields[field].path, TH_STR("[]")) == SIZE_MAX;
    for (size_t i = 0; i < c->now.leaves.len; i++) {
        const leaf *l = &c->now.leaves.data[i];
        if (c->now.field_of[l->at] != field || l->own < LEAST_VALUE || l->own <= old->own)
            continue;
        if ((one && old->own < LEAST_VALUE) ||
            (l->span.start >= old->span.start && l->span.end <= old->span.end))
            return true;
    }
    return false;
}

/* Whether a value of a field is one of it again, or of one that it is more like. */
static bool is_kept(comparison *c, const leaf *old, uint32_t field)
{
    const side *now = &c->now;
    for (size_t i = find_hash(now, old->sample.hash);
         i < now->leaves.len && now->leaves.data[i].sample.hash == old->sample.hash; i++) {
        uint32_t other = now->field_of[now->leaves.data[i].at];
        if (other == field || (other != TH__NO_COLUMN && now->leaves.data[i].own > old->own))
            return true;
    }
    return has_labels(c) ? is_replaced(c, old, field) : is_completed(c, old, field);
}

static bool is_given_now(const comparison *c, const leaf *l)
{
    size_t i = find_hash(&c->now, l->sample.hash);
    return i < c->now.leaves.len && c->now.leaves.data[i].sample.hash == l->sample.hash;
}

/* A text is there that is given, also when its label is not. */
static bool is_there(comparison *c, const leaf *old)
{
    th_str text = old->sample.text;
    size_t colon = th__str_find(text, TH_STR(": "));
    leaf value = {0};
    if (is_given_now(c, old))
        return true;
    if (colon != SIZE_MAX) {
        value.sample.hash = th__hash(text.ptr + colon + 2, text.len - colon - 2);
        if (is_given_now(c, &value))
            return true;
    }
    if (c->searched > SEARCHED)
        return true; /* too large a page to be sure */
    c->searched += c->text.len;
    return th__str_find(th__buf_str(&c->text), old->sample.text) != SIZE_MAX;
}

/* Whether a leaf's value is one of a field that is not broken, and is given again: or, where labels
 * say that it has to be, not replaced by a better one. */
static bool is_sound(const comparison *c, const leaf *l)
{
    uint32_t field = c->old.field_of[l->at];
    if (field == TH__NO_COLUMN || has_changed(c, field))
        return false;
    return is_given_now(c, l) || (has_labels(c) && !is_replaced(c, l, field));
}

/* Whether the values of an old record, from leaf `from` to `to`, stand together in a new one: in
 * one of those that hold the first of them. Values that are not given any more do not count here.
 */
static bool is_together(const comparison *c, size_t from, size_t to)
{
    const side *now = &c->now;
    size_t first = from;
    while (first < to && !is_sound(c, &c->old.leaves.data[first]))
        first++;
    if (first == to)
        return true;
    uint64_t hash = c->old.leaves.data[first].sample.hash;
    for (size_t i = find_hash(now, hash);
         i < now->leaves.len && now->leaves.data[i].sample.hash == hash; i++) {
        bool all = true;
        for (size_t j = first + 1; all && j < to; j++) {
            leaf wanted = {.record = now->leaves.data[i].record,
                           .sample.hash = c->old.leaves.data[j].sample.hash};
            all = !is_sound(c, &c->old.leaves.data[j]) ||
                  bsearch(&wanted, now->leaves.data, now->leaves.len, sizeof wanted, by_hash);
        }
        if (all)
            return true;
    }
    return false;
}

/* Counts old records that are parted. Leaves of a record stand together. */
static void count_parted(comparison *c)
{
    enum { LEAVES = 200 }; /* of a record: a value may stand in many of the new ones */
    for (size_t i = 0, end; i < c->old.leaves.len; i = end) {
        for (end = i; end < c->old.leaves.len &&
                      c->old.leaves.data[end].record == c->old.leaves.data[i].record;)
            end++;
        c->parted += end - i <= LEAVES && !is_together(c, i, end);
    }
}

/* Whether nothing but line breaks stands between two places. */
static bool are_lines(const th_page *page, th_span above, th_span below)
{
    enum { MOST = 16 }; /* tokens */
    uint32_t breaks = 0;
    if (above.end > below.start || below.start >= page->text.len)
        return false;
    uint32_t token = th__token_at(page, above.end), end = th__token_at(page, below.start);
    /* A text may end before its token does. */
    if (token < end && page->tokens[token].start < above.end)
        token++;
    for (uint32_t i = token; i < end; i++) {
        const th_token *t = &page->tokens[i];
        bool line = t->kind == TH_TOKEN_START && t->tag == TH_TAG_BR;
        if (i - token >= MOST || (!line && !(t->flags & TH_TOKEN_BLANK)))
            return false;
        breaks += line;
    }
    return breaks > 0;
}

/* Whether two lines are given in one new record, but apart, and one of them is in no field. */
static bool are_torn(const comparison *c, const leaf *above, const leaf *below)
{
    const side *now = &c->now;
    bool torn = false;
    for (size_t i = find_hash(now, above->sample.hash);
         i < now->leaves.len && now->leaves.data[i].sample.hash == above->sample.hash; i++) {
        const leaf *a = &now->leaves.data[i];
        leaf wanted = {.record = a->record, .sample.hash = below->sample.hash};
        const leaf *b = bsearch(&wanted, now->leaves.data, now->leaves.len, sizeof wanted, by_hash);
        if (!b)
            continue;
        if (b->order == a->order + 1)
            return false;
        torn |= now->field_of[a->at] == TH__NO_COLUMN || now->field_of[b->at] == TH__NO_COLUMN;
    }
    return torn;
}

static void count_torn(comparison *c, const th_page *page)
{
    const leaf *above = NULL;
    for (size_t i = 0; i < c->old.leaves.len; i++) {
        const leaf *below = &c->old.leaves.data[i];
        if (c->old.tally->fields[below->at].target)
            continue;
        if (above && above->record == below->record && are_lines(page, above->span, below->span))
            c->torn += are_torn(c, above, below);
        above = below;
    }
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* A value that the field had before is worth more than one that is like it. */
static uint64_t worth_of(const comparison *c, uint32_t field, uint64_t hash)
{
    const th__field_profile *own = &c->repair->profile->fields[field];
    for (uint32_t i = 0; i < own->example_count; i++)
        if (th__hash(own->examples[i].ptr, own->examples[i].len) == hash)
            return MAKE_UP;
    return 1;
}

static bool is_among(const uint64_t *numbers, size_t count, uint64_t number)
{
    return count && bsearch(&number, numbers, count, sizeof *numbers, by_number);
}

/* Counts values that the old wrapper does not give: those that are like their field or any, and
 * those of fields that are not broken that are not. One that stood in another field is gained, too.
 * False without memory. */
static bool count_added(comparison *c)
{
    size_t count = c->old.leaves.len;
    uint64_t *anywhere = TH__NEW_ARRAY(uint64_t, count + 1);
    uint64_t *in_field = TH__NEW_ARRAY(uint64_t, count + 1);
    bool ok = anywhere && in_field;
    for (size_t i = 0; ok && i < count; i++) {
        const leaf *l = &c->old.leaves.data[i];
        anywhere[i] = l->sample.hash;
        in_field[i] = th__hash_mix(l->sample.hash, c->old.field_of[l->at]);
    }
    if (ok && count) {
        qsort(anywhere, count, sizeof *anywhere, by_number);
        qsort(in_field, count, sizeof *in_field, by_number);
    }
    for (size_t i = 0; ok && i < c->now.leaves.len; i++) {
        const leaf *l = &c->now.leaves.data[i];
        uint32_t field = c->now.field_of[l->at];
        bool is_new = !is_among(anywhere, count, l->sample.hash);
        if (is_new && l->like && !c->now.tally->fields[l->at].target)
            ok = th__vec_push(&c->gained_texts, l->sample.hash);
        if (field == TH__NO_COLUMN) {
            c->strange += is_new && !c->now.tally->fields[l->at].target;
            continue;
        }
        c->again[field] += l->own >= LEAST_VALUE;
        if (l->own < LEAST_VALUE)
            c->added[field] += is_new && !has_changed(c, field);
        else if (!is_among(in_field, count, th__hash_mix(l->sample.hash, field)))
            c->gained[field] += worth_of(c, field, l->sample.hash);
    }
    th__mem_free(anywhere);
    th__mem_free(in_field);
    return ok;
}

static bool is_label(th_str text)
{
    return text.len && text.ptr[text.len - 1] == ':';
}

/* Whether a text that the old wrapper gives has to be among the new ones. Fields of labels are what
 * their user has named: what a broken one gives that is not like it, or that is the same on all
 * pages where its values differed, is none of it, whatever else it is like. */
static bool is_wanted(const comparison *c, const leaf *l)
{
    uint32_t field = c->old.field_of[l->at];
    if (!l->like || c->old.tally->fields[l->at].target)
        return false;
    if (!has_labels(c))
        return !is_label(l->sample.text);
    if (field == TH__NO_COLUMN || !c->repair->broken[field])
        return true;
    const th__field_profile *old = &c->repair->profile->fields[field];
    const th__field_tally *now = &c->old.tally->fields[l->at];
    bool same = now->sample.len > 2 && 2 * old->distinct > old->sampled;
    for (size_t i = 1; same && i < now->sample.len; i++)
        same = now->sample.data[i].hash == now->sample.data[0].hash;
    return l->own >= LEAST_VALUE && !same;
}

/* Whether a text that is not there any more is replaced by a better one, or counted as a value that
 * a broken field of labels had left. */
static bool is_missed(comparison *c, const leaf *l, uint32_t field)
{
    if (field == TH__NO_COLUMN || !has_labels(c))
        return false;
    if (is_replaced(c, l, field))
        return true;
    c->missed[field] += c->repair->broken[field];
    return c->repair->broken[field];
}

/* Whether a broken field of labels lost more than a few of the values that it had left, for the
 * many that it has again. */
static bool lost_much(const comparison *c)
{
    for (uint32_t f = 0; f < c->repair->profile->count; f++)
        if (c->missed[f] && c->again[f] < c->given[f] + GAIN * c->missed[f])
            return true;
    return false;
}

static bool compare_page(comparison *c, const th_page *page)
{
    th__buf_clear(&c->text);
    c->searched = 0;
    for (size_t i = 0; i < c->now.leaves.len; i++) {
        const leaf *l = &c->now.leaves.data[i];
        if (!c->now.tally->fields[l->at].target)
            th__buf_printf(&c->text, "%.*s\n", TH_STR_ARG(l->sample.text));
    }
    if (c->text.failed)
        return false;
    c->old.count += th_records_count(c->old.records);
    c->now.count += th_records_count(c->now.records);
    c->old.right += right_records(&c->old);
    c->now.right += right_records(&c->now);
    c->old.bytes += text_bytes(&c->old);
    c->now.bytes += text_bytes(&c->now);
    c->old.thin += thin_records(&c->old);
    c->now.thin += thin_records(&c->now);
    if (c->now.leaves.len)
        qsort(c->now.leaves.data, c->now.leaves.len, sizeof *c->now.leaves.data, by_hash);
    if (!count_added(c))
        return false;
    count_parted(c);
    count_torn(c, page);
    size_t step = c->old.leaves.len / CHECKED + 1;
    for (size_t i = 0; i < c->old.leaves.len; i += step) {
        const leaf *l = &c->old.leaves.data[i];
        uint32_t field = c->old.field_of[l->at];
        if (field != TH__NO_COLUMN)
            c->given[field]++;
        if (field != TH__NO_COLUMN && !has_changed(c, field))
            c->lost[field] += is_kept(c, l, field) ? 0 : worth_of(c, field, l->sample.hash);
        bool target = c->old.tally->fields[l->at].target;
        bool lost = is_wanted(c, l) && !is_there(c, l) && !is_missed(c, l, field);
        /* A link that was found with its text is still given: it stays in its column. */
        lost = lost || (l->found && target && field != TH__NO_COLUMN && !is_kept(c, l, field));
        if (lost && !th__vec_push(&c->lost_texts, l->sample.hash))
            return false;
    }
    return true;
}

/* Whether records have so little of the text that they used to have in a list: where a text of
 * every second one is lost as well, it may be what they are about, whatever else they have again.
 */
static bool lacks_items(const comparison *c)
{
    const th__profile *profile = c->repair->profile;
    for (uint32_t i = 0; i < c->now.tally->count && profile->records; i++) {
        const th__field_tally *now = &c->now.tally->fields[i];
        if (!th__is_list_path(now->path) || now->target || c->now.field_of[i] == TH__NO_COLUMN)
            continue;
        const th__field_profile *old = &profile->fields[c->now.field_of[i]];
        double before = expm1(old->length) * (double)old->values / (double)profile->records;
        double after = (double)now->bytes / (double)(c->now.tally->records + 1);
        if (old->values > profile->records && after < LIST_PART * before)
            return true;
    }
    return false;
}

/* A list must not become one of its items, broken or not. */
static bool lost_items(const comparison *c)
{
    for (uint32_t i = 0; i < c->old.tally->count; i++) {
        const th__field_tally *old = &c->old.tally->fields[i];
        uint64_t bytes = 0;
        if (!th__is_list_path(old->path) || old->target || c->old.field_of[i] == TH__NO_COLUMN)
            continue;
        for (uint32_t j = 0; j < c->now.tally->count; j++)
            if (c->now.field_of[j] == c->old.field_of[i])
                bytes = c->now.tally->fields[j].bytes;
        if ((double)bytes < ITEMS_PART * (double)old->bytes)
            return true;
    }
    return false;
}

/* Whether a field that was not given is given in less than half of its places, and that is no
 * chance. */
static bool is_half(const comparison *c)
{
    for (uint32_t i = 0; i < c->now.tally->count; i++) {
        const th__field_tally *now = &c->now.tally->fields[i];
        uint32_t f = c->now.field_of[i];
        if (f == TH__NO_COLUMN || now->target || !now->values || c->given[f])
            continue;
        const th__field_profile *old = &c->repair->profile->fields[f];
        double usual = th__usual_share(old->values, old->chances);
        if ((double)now->values < HALF * usual * (double)now->chances &&
            th__binomial_lower(now->values, now->chances, usual) < c->repair->alpha)
            return true;
    }
    return false;
}

/* Whether what is gained makes up for what is lost: a few values are lost that were wrong, or that
 * stand in records which are cut otherwise. */
static bool makes_up(const comparison *c, uint64_t gained, uint64_t lost)
{
    return !lost || (!has_labels(c) && gained >= MAKE_UP * lost);
}

/* Whether the old wrapper gives less than half of the values of a field that the records should
 * have, as many as there are now and not more than there were: the field is broken, too few as it
 * has to show it. */
static bool is_scarce(const comparison *c, uint32_t field)
{
    const th__profile *profile = c->repair->profile;
    const th__field_profile *old = &profile->fields[field];
    double before = profile->pages ? (double)profile->records / (double)profile->pages : 0;
    double records = fmin((double)c->now.right, before * (double)c->repair->page_count);
    double usual = old->chances ? fmin(1, (double)old->values / (double)old->chances) : 0;
    return (double)c->given[field] < HALF * usual * records;
}

/* Whether records are about as many a page as before. */
static bool is_as_before(const comparison *c, const side *s)
{
    const th__profile *profile = c->repair->profile;
    double before = profile->pages ? (double)profile->records / (double)profile->pages : 0;
    double now = s->tally->pages ? (double)s->tally->records / (double)s->tally->pages : 0;
    return fmin(before, now) >= SAME_COUNT * fmax(before, now);
}

/* What few records have, or what goes with a text, is not what they are: then values of other
 * fields make up for it. */
static bool loses_values(const comparison *c, uint32_t field)
{
    bool minor =
        th__field_weight(&c->repair->profile->fields[field], c->repair->targets[field]) < MINOR;
    uint64_t gained = c->gained[field];
    for (uint32_t f = 0; minor && f < c->repair->profile->count; f++)
        gained += f == field ? 0 : c->gained[f];
    return !makes_up(c, gained, c->lost[field]) && (has_labels(c) || !is_scarce(c, field));
}

/* Texts that are on many pages count once: these are labels. */
static uint64_t distinct(hash_list *all)
{
    uint64_t count = 0;
    if (all->len)
        qsort(all->data, all->len, sizeof *all->data, by_number);
    for (size_t i = 0; i < all->len; i++)
        count += !i || all->data[i] != all->data[i - 1];
    return count;
}

static bool is_worse(comparison *c)
{
    for (uint32_t f = 0; f < c->repair->profile->count; f++)
        if (loses_values(c, f))
            return true;
    bool labels = has_labels(c);
    /* Records that were several each are parted: there are many more now, and as many as before.
     * Else, most of those that are found stay whole. */
    bool several = !labels && 2 * c->now.right >= 3 * c->old.right && is_as_before(c, &c->now) &&
                   !is_as_before(c, &c->old);
    if (!labels && !several && PARTED * c->parted > c->old.right)
        return true;
    /* What has less than half as many records as there are, or half of their text, is not the
     * list any more. */
    if (2 * c->old.right < c->now.right || (!labels && 2 * c->old.bytes < c->now.bytes))
        return !labels && c->old.right && lacks_items(c) &&
               2 * distinct(&c->lost_texts) >= c->old.right;
    if (lost_much(c) || is_half(c))
        return true;
    /* Where the old one still has all records, none is added that is hardly one, or none at all.
     * Labels say what is a record: where they are as many as before, none is added. */
    bool all = 10 * c->old.right >= 9 * c->now.right;
    if (!labels && all && c->now.count - c->now.right > c->old.count - c->old.right)
        return true;
    /* Nor does another engine put more into them: that cuts otherwise, and may put two into one. */
    if (!labels && all && c->strange && c->now.wrapper->engine != c->repair->wrapper->engine)
        return true;
    bool added = !labels || c->now.tally->records > c->old.tally->records;
    if (added && c->now.thin > c->old.thin &&
        10 * c->old.right + 9 * c->now.thin >= 9 * c->now.right)
        return true;
    /* Where the old one still has all records, fields that are not broken get nothing new. */
    for (uint32_t f = 0; all && f < c->repair->profile->count; f++)
        if (c->added[f])
            return true;
    /* A record that is gained makes up for one that is torn. */
    if (c->old.right + c->torn > c->now.right && c->torn)
        return true;
    bool parted = c->parted && !several;
    return c->now.right < c->old.right ||
           (parted && !makes_up(c, c->now.right - c->old.right, c->parted)) ||
           !makes_up(c, distinct(&c->gained_texts), distinct(&c->lost_texts)) || lost_items(c);
}

static bool map_fields(th_repair *repair, side *s)
{
    s->field_of = th__arena_zero(&repair->arena, s->tally->count + 1, sizeof *s->field_of);
    for (uint32_t i = 0; s->field_of && i < s->tally->count; i++) {
        const th__field_profile *field =
            th__profile_of(repair->profile, i, s->tally->fields[i].path);
        s->field_of[i] = field ? (uint32_t)(field - repair->profile->fields) : TH__NO_COLUMN;
    }
    return s->field_of != NULL;
}

th_status th__repair_guard(th_repair *repair, const th_wrapper *now, const th__tally *tally,
                           bool *worse, th_error *err)
{
    comparison c = {.repair = repair,
                    .old = {.wrapper = repair->wrapper, .tally = &repair->tally},
                    .now = {.wrapper = now, .by_rules = true, .tally = tally}};
    uint32_t count = repair->profile->count;
    c.lost = th__arena_zero(&repair->arena, count + 1, sizeof *c.lost);
    c.added = th__arena_zero(&repair->arena, count + 1, sizeof *c.added);
    c.given = th__arena_zero(&repair->arena, count + 1, sizeof *c.given);
    c.gained = th__arena_zero(&repair->arena, count + 1, sizeof *c.gained);
    c.again = th__arena_zero(&repair->arena, count + 1, sizeof *c.again);
    c.missed = th__arena_zero(&repair->arena, count + 1, sizeof *c.missed);
    bool ok = c.lost && c.added && c.given && c.gained && c.again && c.missed &&
              map_fields(repair, &c.old) && map_fields(repair, &c.now);
    th_status status = ok ? TH_OK : th__fail_memory(err);
    for (uint32_t i = 0; !status && i < repair->page_count; i++) {
        status = th__repair_check(repair, err);
        if (!status)
            status = take_page(&c, &c.old, &repair->pages[i], err);
        if (!status)
            status = take_page(&c, &c.now, &repair->pages[i], err);
        if (!status && !compare_page(&c, repair->pages[i].page))
            status = th__fail_memory(err);
        th_records_free(c.old.records);
        th_records_free(c.now.records);
        c.old.records = c.now.records = NULL;
    }
    *worse = !status && is_worse(&c);
    th__vec_release(&c.old.leaves);
    th__vec_release(&c.now.leaves);
    th__vec_release(&c.lost_texts);
    th__vec_release(&c.gained_texts);
    th__buf_release(&c.text);
    return status;
}
