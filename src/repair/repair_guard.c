/*
 * repair_guard.c: a repair must not lose what the old wrapper still extracts.
 *
 * Both wrappers run on the new pages, and their records are compared page by page. The old output
 * includes fields that are found by their looks (fields_adapt.h), as users get them; the new
 * wrapper must match it by its rules alone, since its profile, which describes looks, is learnt
 * from them.
 *
 *   - Fields: values of an unbroken field must be in it again. A value that is not like the field,
 *     or that is now in a field that it is more like, was wrong and may be lost.
 *   - Texts: all old output that looks like a value of some field must be in the new records, in
 *     any column, unless the old wrapper no longer reads records.
 *   - Nothing else: if the old wrapper still has all records, an unbroken field keeps exactly its
 *     values, and no headings or notes become new records.
 *   - Halves: if the old wrapper still has the records, a field that it lost completely must be in
 *     most of its places again, or absent: a few texts are most likely something else.
 *   - Records: there must be as many as the old ones with values like before, and not more of them
 *     with only some of the fields each: these are pieces of records.
 *
 * A large gain excuses some losses: a broken wrapper reads parts of values, texts of other fields
 * and several records as one. So two gained values, texts or records make up for a lost one; a
 * known value of the field counts twice. Fields that the old wrapper hardly finds, and labels, are
 * no loss. But if it still has all records, with all of their text, nothing makes up for a loss.
 *
 * Fields of wrappers that were learnt from labels were named by a user: there nothing makes up for
 * a lost value, unless the field is broken and gets many more (lost_much).
 */
#include "repair/repair_guard.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/stats.h"

/* A value less like a field than this is not its value. */
#define LEAST_VALUE 0.5
/* A record with a smaller share of fields like before is wrong. */
#define LEAST_RECORD 0.5

enum {
    THIN = 3,          /* see count_records */
    LIST_RECORDS = 3,  /* a page with fewer is not a list */
    MAKE_UP = 2,       /* so many gains make up for one loss */
    CHECKED = 4000,    /* texts of a page that are searched for */
    SEARCHED = 1 << 28 /* bytes that are searched for them on a page */
};

/* A usual field: at least this share of records had it. */
#define USUAL 0.5
/* The share of a list's text that must be kept. */
#define ITEMS_PART 0.95
/* A new field must be in this share of its usual places. */
#define HALF 0.5
/* The least share of the text in a record's list: of two texts the longer may be lost, of more not
 * all but one. */
#define LIST_PART 0.33
/* As many records as before: pages of a site have similar numbers. */
#define SAME_COUNT 0.75
/* A field less important than this is minor: see loses_values. */
#define MINOR 0.3
/* A broken field may lose one value for so many gained. */
#define GAIN 5
/* A record with a smaller share of its fields is a piece: cut in two, it has half of them. */
#define PIECE 0.67

/* ---- sides: what a wrapper gives ---------------------------------------------------------------
 */

static bool is_target(const th__side *side, const th__given *leaf)
{
    return side->tally->fields[leaf->at].target;
}

/* Finds the field of each leaf. In the repair's arena. False if out of memory. */
static bool init_side(th__side *s, th_repair *repair)
{
    s->field_of = th__arena_zero(&repair->arena, s->tally->count + 1, sizeof *s->field_of);
    s->with = th__arena_zero(&repair->arena, (size_t)repair->profile->count + 1, sizeof *s->with);
    s->last = th__arena_zero(&repair->arena, (size_t)repair->profile->count + 1, sizeof *s->last);
    for (uint32_t i = 0; s->field_of && i < s->tally->count; i++) {
        const th__field_profile *field =
            th__profile_of(repair->profile, i, s->tally->fields[i].path);
        s->field_of[i] = field ? (uint32_t)(field - repair->profile->fields) : TH__NO_COLUMN;
    }
    return s->field_of && s->with && s->last;
}

/* The record whose leaves are added. */
typedef struct taking {
    const th_repair *repair;
    th__side *side;
    uint32_t record;
    bool ok;
} taking;

static void add_leaf(void *context, uint32_t at, const th_value *value)
{
    taking *in = context;
    th__side *s = in->side;
    const th__profile *profile = in->repair->profile;
    uint32_t field = s->field_of[at];
    bool target = s->tally->fields[at].target;
    if (!value || value->kind != TH_VALUE_TEXT || !th__value_text(value).len)
        return;
    th__given l = {.at = at,
                   .record = in->record,
                   .span = value->span,
                   .found = value->by_looks,
                   .sample = th__sample_of(th__value_text(value))};
    if (field != TH__NO_COLUMN)
        l.own = th__value_likeness(&profile->fields[field], &l.sample);
    l.like = l.own >= LEAST_VALUE;
    for (uint32_t f = 0; !l.like && !target && f < profile->count; f++)
        l.like = !in->repair->targets[f] &&
                 th__value_likeness(&profile->fields[f], &l.sample) >= LEAST_VALUE;
    in->ok = in->ok && th__vec_push(&s->leaves, l);
}

/* The index after the last leaf of the record of leaf `at`, before they are sorted. */
static size_t record_end(const th__side *s, size_t at)
{
    uint32_t record = s->leaves.data[at].record;
    while (at < s->leaves.len && s->leaves.data[at].record == record)
        at++;
    return at;
}

/* Counts the records of the page: right ones, most texts of which are like values of fields; and
 * thin ones with less than a third of the usual number of texts: headings and notes among them. */
static void count_records(th__side *s)
{
    size_t records = th_records_count(s->records);
    for (size_t i = 0, end; i < s->leaves.len; i = end) {
        size_t texts = 0, like = 0;
        end = record_end(s, i);
        s->filled++;
        for (size_t j = i; j < end; j++) {
            const th__given *l = &s->leaves.data[j];
            if (is_target(s, l))
                continue;
            texts++;
            like += l->like;
            uint32_t field = s->field_of[l->at];
            if (field != TH__NO_COLUMN) {
                s->with[field] += s->last[field] != s->filled;
                s->last[field] = s->filled;
            }
            s->bytes += l->sample.text.len;
        }
        s->right += texts && (double)like >= LEAST_RECORD * (double)texts;
        s->thin += THIN * texts * records < s->leaves.len;
    }
    s->count += records;
}

/* Loads the wrapper's output on a page, in place of the page before. False if out of memory. */
static bool take_page(th__side *s, const th_repair *repair, const th_records *records)
{
    const th_type *type = th_schema_record_type(records->schema);
    taking in = {repair, s, 0, true};
    s->leaves.len = 0;
    s->records = records;
    for (; in.ok && in.record < th_records_count(records); in.record++)
        th__each_value(type, th_records_get(records, in.record), 0, add_leaf, &in);
    if (in.ok)
        count_records(s);
    return in.ok;
}

/* Leaves are sorted by text and record; a search finds the first with a text, or its insertion
 * point. */
static int by_hash(const void *a, const void *b)
{
    const th__given *x = a, *y = b;
    return th__order(x->sample.hash, y->sample.hash) ?: th__order(x->record, y->record);
}

static void sort_leaves(th__side *s)
{
    if (s->leaves.len)
        qsort(s->leaves.data, s->leaves.len, sizeof *s->leaves.data, by_hash);
}

static size_t find_leaf(const th__side *s, uint64_t hash)
{
    return th__count_first(i, s->leaves.len, s->leaves.data[i].sample.hash < hash);
}

/* ---- comparing ---------------------------------------------------------------------------------
 */

/* Returns true if the wrapper was learnt from labels: its fields were named by a user, and no gain
 * makes up for a loss in one of them. */
static bool has_labels(const th__comparison *c)
{
    return c->repair->wrapper->engine->needs_labels;
}

/* Returns true if a field has changed. */
static bool has_changed(const th__comparison *c, uint32_t field)
{
    return has_labels(c) ? c->repair->broken[field] : c->repair->drifting[field];
}

/* Returns true if a value is again in its field, or in one that it is more like. With labels only
 * the former: of some fields few values are known, and anything is like them. */
static bool is_kept(th__comparison *c, const th__given *old, uint32_t field)
{
    const th__side *now = &c->now;
    bool labels = has_labels(c);
    for (size_t i = find_leaf(now, old->sample.hash);
         i < now->leaves.len && now->leaves.data[i].sample.hash == old->sample.hash; i++) {
        uint32_t other = now->field_of[now->leaves.data[i].at];
        bool better = other != TH__NO_COLUMN && now->leaves.data[i].own > old->own;
        if (other == field || (better && !labels))
            return true;
    }
    return false;
}

static bool is_given_now(const th__comparison *c, const th__given *l)
{
    size_t i = find_leaf(&c->now, l->sample.hash);
    return i < c->now.leaves.len && c->now.leaves.data[i].sample.hash == l->sample.hash;
}

/* Returns true if a text is in the output, alone or in a longer one. */
static bool is_there(th__comparison *c, const th__given *old)
{
    if (is_given_now(c, old))
        return true;
    if (c->searched > SEARCHED)
        return true; /* too large a page to be sure */
    c->searched += c->text.len;
    return th__str_find(th__buf_str(&c->text), old->sample.text) != SIZE_MAX;
}

/* The weight of a value: a known value of the field counts more than a similar one. */
static uint64_t worth_of(const th__comparison *c, uint32_t field, uint64_t hash)
{
    const th__field_profile *own = &c->repair->profile->fields[field];
    for (uint32_t i = 0; i < own->example_count; i++)
        if (th__hash(own->examples[i].ptr, own->examples[i].len) == hash)
            return MAKE_UP;
    return 1;
}

/* Counts a value of the new wrapper; is_new: the old one does not have its text, in_field: it has
 * it in the same field. False if out of memory. */
static bool count_value(th__comparison *c, const th__given *l, bool is_new, bool in_field)
{
    uint32_t field = c->now.field_of[l->at];
    bool target = is_target(&c->now, l), ok = true;
    if (is_new && l->like && !target)
        ok = th__vec_push(&c->gained_texts, l->sample.hash);
    if (field == TH__NO_COLUMN)
        return ok;
    c->again[field] += l->own >= LEAST_VALUE;
    if (l->own < LEAST_VALUE)
        c->added[field] += is_new && !has_changed(c, field);
    else if (!in_field)
        c->gained[field] += worth_of(c, field, l->sample.hash);
    return ok;
}

/* Counts values that the old wrapper lacks: those like their field or any other, and unlike ones in
 * unbroken fields. A value that was in another field is a gain, too. False if out of memory. */
static bool count_added(th__comparison *c)
{
    th__key_vec anywhere = {0}, in_field = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < c->old.leaves.len; i++) {
        const th__given *l = &c->old.leaves.data[i];
        ok = th__vec_push(&anywhere, l->sample.hash) &&
             th__vec_push(&in_field, th__hash_mix(l->sample.hash, c->old.field_of[l->at]));
    }
    th__key_vec_sort(&anywhere);
    th__key_vec_sort(&in_field);
    for (size_t i = 0; ok && i < c->now.leaves.len; i++) {
        const th__given *l = &c->now.leaves.data[i];
        uint64_t own = th__hash_mix(l->sample.hash, c->now.field_of[l->at]);
        ok = count_value(c, l, th__key_vec_find(&anywhere, l->sample.hash) == SIZE_MAX,
                         th__key_vec_find(&in_field, own) != SIZE_MAX);
    }
    th__vec_release(&anywhere);
    th__vec_release(&in_field);
    return ok;
}

/* Returns true if the new records must contain a text of the old wrapper. With labels, a text in a
 * broken field that is unlike it was wrong, whatever else it is like. */
static bool is_wanted(const th__comparison *c, const th__given *l)
{
    uint32_t field = c->old.field_of[l->at];
    if (!l->like || is_target(&c->old, l))
        return false;
    if (!has_labels(c))
        return !th__ends_with_colon(l->sample.text);
    if (field == TH__NO_COLUMN || !c->repair->broken[field])
        return true;
    return l->own >= LEAST_VALUE;
}

static bool compare(th__comparison *c)
{
    th__buf_clear(&c->text);
    c->searched = 0;
    for (size_t i = 0; i < c->now.leaves.len; i++) {
        const th__given *l = &c->now.leaves.data[i];
        if (!is_target(&c->now, l))
            th__buf_printf(&c->text, "%.*s\n", TH_STR_ARG(l->sample.text));
    }
    if (c->text.failed)
        return false;
    sort_leaves(&c->now);
    if (!count_added(c))
        return false;
    size_t step = c->old.leaves.len / CHECKED + 1;
    for (size_t i = 0; i < c->old.leaves.len; i += step) {
        const th__given *l = &c->old.leaves.data[i];
        uint32_t field = c->old.field_of[l->at];
        if (field != TH__NO_COLUMN)
            c->given[field]++;
        if (field != TH__NO_COLUMN && !has_changed(c, field))
            c->lost[field] += is_kept(c, l, field) ? 0 : worth_of(c, field, l->sample.hash);
        bool target = is_target(&c->old, l);
        bool lost = is_wanted(c, l) && !is_there(c, l);
        /* A remaining value of a broken field of labels: see lost_much. */
        if (lost && field != TH__NO_COLUMN && has_labels(c) && c->repair->broken[field]) {
            c->missed[field]++;
            lost = false;
        }
        /* A link found together with its text is only kept if it stays in its column. */
        lost = lost || (l->found && target && field != TH__NO_COLUMN && !is_kept(c, l, field));
        if (lost && !th__vec_push(&c->lost_texts, l->sample.hash))
            return false;
    }
    return true;
}

/* Counts different texts of a list: one on many pages is a label and counts once. */
static uint64_t count_distinct(th__key_vec *all)
{
    th__key_vec_sort(all);
    return all->len;
}

bool th__compare_init(th__comparison *c, th_repair *repair, const th__tally *tally)
{
    uint64_t **const counts[] = {&c->lost, &c->added, &c->given, &c->gained, &c->again, &c->missed};
    *c = (th__comparison){
        .repair = repair, .old = {.tally = &repair->tally}, .now = {.tally = tally}};
    bool ok = init_side(&c->old, repair) && init_side(&c->now, repair);
    for (size_t i = 0; ok && i < sizeof counts / sizeof *counts; i++) {
        *counts[i] =
            th__arena_zero(&repair->arena, (size_t)repair->profile->count + 1, sizeof **counts[i]);
        ok = *counts[i] != NULL;
    }
    return ok;
}

void th__compare_release(th__comparison *c)
{
    th__vec_release(&c->old.leaves);
    th__vec_release(&c->now.leaves);
    th__vec_release(&c->lost_texts);
    th__vec_release(&c->gained_texts);
    th__buf_release(&c->text);
}

th_status th__compare_page(th__comparison *c, uint32_t page, const th_records *now, th_error *err)
{
    const th_records *old;
    th_status status = th__repair_given(c->repair, page, &old, err);
    if (!status &&
        (!take_page(&c->old, c->repair, old) || !take_page(&c->now, c->repair, now) || !compare(c)))
        status = th__fail_memory(err);
    return status;
}

/* ---- judging -----------------------------------------------------------------------------------
 */

/* Returns true if a broken field of labels lost more than a few of its remaining values, relative
 * to those it gained. */
static bool lost_much(const th__comparison *c)
{
    for (uint32_t f = 0; f < c->repair->profile->count; f++)
        if (c->missed[f] && c->again[f] < c->given[f] + GAIN * c->missed[f])
            return true;
    return false;
}

/* Returns true if records have too little of a list's usual text: if every second one loses a text
 * as well, it may be their main content, whatever they gain. */
static bool lacks_items(const th__comparison *c)
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

/* Returns true if a list lost some of its text: it must not become one of its items. */
static bool lost_items(const th__comparison *c)
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

/* Returns true if a new field has significantly less than half of its places. */
static bool is_half(const th__comparison *c)
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

/* Returns true if gains make up for losses: the few lost values were wrong, or are in records that
 * are now cut differently. */
static bool makes_up(const th__comparison *c, uint64_t gained, uint64_t lost)
{
    return !lost || (!has_labels(c) && gained >= MAKE_UP * lost);
}

/* Returns true if there are about as many records per page as before. */
static bool is_as_before(const th__comparison *c, const th__side *s)
{
    const th__profile *profile = c->repair->profile;
    double before = profile->pages ? (double)profile->records / (double)profile->pages : 0;
    double now = s->tally->pages ? (double)s->tally->records / (double)s->tally->pages : 0;
    return fmin(before, now) >= SAME_COUNT * fmax(before, now);
}

/* Returns true if a field loses too many values. For optional fields and links of texts, gains of
 * other fields make up for it. */
static bool loses_values(const th__comparison *c, uint32_t field)
{
    bool minor =
        th__field_weight(&c->repair->profile->fields[field], c->repair->targets[field]) < MINOR;
    uint64_t gained = c->gained[field];
    for (uint32_t f = 0; minor && f < c->repair->profile->count; f++)
        gained += f == field ? 0 : c->gained[f];
    return !makes_up(c, gained, c->lost[field]);
}

/* Returns true if the old wrapper still has all records. */
static bool has_all(const th__comparison *c)
{
    return 10 * c->old.right >= 9 * c->now.right;
}

/* Returns true if anything is lost although the old wrapper still has all records with all of their
 * text: then no gain is worth it. */
static bool loses_anything(th__comparison *c)
{
    bool lost = count_distinct(&c->lost_texts) > 0;
    for (uint32_t f = 0; !lost && f < c->repair->profile->count; f++)
        lost = c->lost[f] && !c->repair->targets[f];
    return lost && has_all(c) && 10 * c->old.bytes >= 9 * c->now.bytes;
}

/* The share of its expected fields that a record has, by the profile: 1 if it has all, a half if
 * every record is cut in two. Counts usual fields with values. */
static double fullness(const th__side *side, const th_repair *repair)
{
    const th__profile *profile = repair->profile;
    double was = 0, is = 0;
    for (uint32_t f = 0; f < profile->count && profile->records && side->filled; f++) {
        const th__field_profile *field = &profile->fields[f];
        /* An empty list is one place without a value. */
        double without = (double)field->chances - (double)field->values;
        double share = 1 - without / (double)profile->records;
        if (repair->targets[f] || share < USUAL || !side->with[f])
            continue;
        was += fmin(1, share);
        is += (double)side->with[f] / (double)side->filled;
    }
    return was > 0 ? is / was : 1;
}

/* Returns true if there are more records than before with only some of their fields each: pieces of
 * records. */
static bool is_in_pieces(const th__comparison *c)
{
    const th__profile *profile = c->repair->profile;
    return !is_as_before(c, &c->now) &&
           c->now.tally->records * profile->pages > profile->records * c->now.tally->pages &&
           fullness(&c->now, c->repair) < PIECE;
}

bool th__compare_is_worse(th__comparison *c)
{
    for (uint32_t f = 0; f < c->repair->profile->count; f++)
        if (loses_values(c, f))
            return true;
    /* Pages of one record each cannot be cut. */
    const th__profile *profile = c->repair->profile;
    if (c->old.right && profile->records >= LIST_RECORDS * profile->pages && is_in_pieces(c))
        return true;
    bool labels = has_labels(c);
    if (!labels && loses_anything(c))
        return true;
    /* An old output with less than half of the records, or half of their text, is no longer the
     * list. */
    if (2 * c->old.right < c->now.right || (!labels && 2 * c->old.bytes < c->now.bytes))
        return !labels && c->old.right && lacks_items(c) &&
               2 * count_distinct(&c->lost_texts) >= c->old.right;
    if (lost_much(c) || is_half(c))
        return true;
    /* If the old wrapper still has all records, no new ones with hardly any text may appear. Labels
     * define records: if there are as many as before, none may be added. */
    bool all = has_all(c);
    bool added = !labels || c->now.tally->records > c->old.tally->records;
    if (added && c->now.thin > c->old.thin &&
        10 * c->old.right + 9 * c->now.thin >= 9 * c->now.right)
        return true;
    /* If the old wrapper still has all records, unbroken fields must get nothing new. */
    for (uint32_t f = 0; all && f < c->repair->profile->count; f++)
        if (c->added[f])
            return true;
    return (labels ? c->now.count < c->old.count : c->now.right < c->old.right) ||
           !makes_up(c, count_distinct(&c->gained_texts), count_distinct(&c->lost_texts)) ||
           lost_items(c);
}

th_status th__repair_guard(th_repair *repair, const th__run *now, bool *worse, th_error *err)
{
    th__comparison c;
    th_status status = th__compare_init(&c, repair, &now->tally) ? TH_OK : th__fail_memory(err);
    for (uint32_t i = 0; !status && i < repair->page_count; i++) {
        status = th__repair_check(repair, err);
        if (!status)
            status = th__compare_page(&c, i, now->records[i], err);
    }
    *worse = !status && th__compare_is_worse(&c);
    th__compare_release(&c);
    return status;
}
