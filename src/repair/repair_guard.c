/*
 * repair_guard.c: no repair takes away what the old wrapper still gives.
 *
 * Both wrappers are run on the new pages, and their records are compared page by page. The old one
 * gives what its users get, fields that are found by their looks (fields_adapt.h) included; the new
 * one has to give as much by its rules alone, since its profile, and with it what it knows of
 * looks, is learnt from what these find.
 *
 *   - Fields: values of a field that is not broken have to be values of it again. A value that is
 *     not like the field, or that is now in a field that it is more like, was wrong: it may go.
 *   - Texts: whatever the old wrapper gives that looks like a value of some field has to be in the
 *     new records as well, in whatever column, unless what it reads are no records any more.
 *   - Nothing else: where the old wrapper still has all records, a field that is not broken has the
 *     values that it had, and no others, and no headings or notes are new records.
 *   - Halves: where the old wrapper still has the records, a field that it does not give at all is
 *     given wherever it used to be, or not at all: what is in a few of its places is most
 *     likely something else.
 *   - Records: as many of them as the old one has with values like those they had, and not more of
 *     them that have just some of the fields each: these are pieces of records.
 *
 * Where much is gained, some of what the old wrapper gives may go: it reads parts of values, texts
 * of other fields and records that are several. So values, texts and records that are gained make
 * up for those that are lost, two for one; a value that the field is known to have had counts
 * twice. Fields that the old wrapper hardly gives any more, and labels, are nothing to lose. But
 * where it still has all records, with all of their text, nothing makes up for a loss.
 *
 * Wrappers that were learnt from labels have fields that somebody has named: there nothing makes up
 * for a value, unless the field is broken and gets many more (lost_much).
 */
#include "repair/repair_guard.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/stats.h"

/* A value that is less like a field than this is none of it. */
#define LEAST_VALUE 0.5
/* A record with less than this of its fields like they were is none. */
#define LEAST_RECORD 0.5

enum {
    THIN = 3,          /* see count_records */
    LIST_RECORDS = 3,  /* a page with fewer is not a list */
    MAKE_UP = 2,       /* what is lost is made up for by so many that are gained */
    CHECKED = 4000,    /* texts of a page that are looked for */
    SEARCHED = 1 << 28 /* bytes that are searched for them on a page */
};

/* Most records had a field, from here on. */
#define USUAL 0.5
/* Of the text of a list so much has to be there. */
#define ITEMS_PART 0.95
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
/* A record with less than this of its fields is a piece of one: cut in two, it has a half. */
#define PIECE 0.67

/* ---- sides: what a wrapper gives ---------------------------------------------------------------
 */

static bool is_target(const th__side *side, const th__given *leaf)
{
    return side->tally->fields[leaf->at].target;
}

/* Says which field a leaf belongs to. In the repair's arena. False if out of memory. */
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

static th__sample sample_of(th_str text)
{
    th__sample sample = {
        .text = text, .hash = th__hash(text.ptr, text.len), .length = th__log_length(text.len)};
    th__dp_split(text, &sample.value);
    return sample;
}

/* The record whose leaves are taken in. */
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
                   .sample = sample_of(th__value_text(value))};
    if (field != TH__NO_COLUMN)
        l.own = th__value_likeness(&profile->fields[field], &l.sample);
    l.like = l.own >= LEAST_VALUE;
    for (uint32_t f = 0; !l.like && !target && f < profile->count; f++)
        l.like = !in->repair->targets[f] &&
                 th__value_likeness(&profile->fields[f], &l.sample) >= LEAST_VALUE;
    in->ok = in->ok && th__vec_push(&s->leaves, l);
}

/* Behind the last leaf of the record of leaf `at`, while they are not sorted. */
static size_t record_end(const th__side *s, size_t at)
{
    uint32_t record = s->leaves.data[at].record;
    while (at < s->leaves.len && s->leaves.data[at].record == record)
        at++;
    return at;
}

/* Counts the records of the page: those most texts of which are like values of fields; and those
 * that have less than a third of the texts that a record of their page has: headings and notes that
 * are among them. */
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

/* Takes in what the wrapper gives on a page, in place of the page before. False if out of memory.
 */
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

/* Leaves are sorted by text and record; then the first of those with a text is found, or the place
 * where it would be. */
static int by_hash(const void *a, const void *b)
{
    const th__given *x = a, *y = b;
    if (x->sample.hash != y->sample.hash)
        return x->sample.hash < y->sample.hash ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

static void sort_leaves(th__side *s)
{
    if (s->leaves.len)
        qsort(s->leaves.data, s->leaves.len, sizeof *s->leaves.data, by_hash);
}

static size_t find_leaf(const th__side *s, uint64_t hash)
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

/* ---- comparing ---------------------------------------------------------------------------------
 */

/* Returns true if the wrapper was learnt from labels: fields are what somebody has named, and
 * nothing that is gained makes up for what one of them loses. */
static bool has_labels(const th__comparison *c)
{
    return c->repair->wrapper->engine->needs_labels;
}

/* Returns true if a field is not what it was. */
static bool has_changed(const th__comparison *c, uint32_t field)
{
    return has_labels(c) ? c->repair->broken[field] : c->repair->drifting[field];
}

/* Returns true if a value of a field is one of it again, or of one that it is more like. Fields of
 * labels do not change places by likeness: few values are known of some, and all sorts are like
 * them. */
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

/* A text is there that is given, alone or in a longer one. */
static bool is_there(th__comparison *c, const th__given *old)
{
    if (is_given_now(c, old))
        return true;
    if (c->searched > SEARCHED)
        return true; /* too large a page to be sure */
    c->searched += c->text.len;
    return th__str_find(th__buf_str(&c->text), old->sample.text) != SIZE_MAX;
}

/* A value that the field had before is worth more than one that is like it. */
static uint64_t worth_of(const th__comparison *c, uint32_t field, uint64_t hash)
{
    const th__field_profile *own = &c->repair->profile->fields[field];
    for (uint32_t i = 0; i < own->example_count; i++)
        if (th__hash(own->examples[i].ptr, own->examples[i].len) == hash)
            return MAKE_UP;
    return 1;
}

/* Counts a value that the new wrapper gives; is_new: the old one does not give its text, in_field:
 * it does so, in its field. False if out of memory. */
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

/* Counts values that the old wrapper does not give: those that are like their field or any, and
 * those of fields that are not broken that are not. One that was in another field is gained, too.
 * False if out of memory. */
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

/* Returns true if a text that the old wrapper gives has to be among the new ones. Fields of labels
 * are what their user has named: what a broken one gives that is not like it is none of it,
 * whatever else it is like. */
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
        /* A value that a broken field of labels had left: see lost_much. */
        if (lost && field != TH__NO_COLUMN && has_labels(c) && c->repair->broken[field]) {
            c->missed[field]++;
            lost = false;
        }
        /* A link that was found with its text is still given: it stays in its column. */
        lost = lost || (l->found && target && field != TH__NO_COLUMN && !is_kept(c, l, field));
        if (lost && !th__vec_push(&c->lost_texts, l->sample.hash))
            return false;
    }
    return true;
}

/* How many texts of a list there are. Those that are on many pages count once: these are labels. */
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

/* Returns true if a broken field of labels lost more than a few of the values that it had left, for
 * the many that it has again. */
static bool lost_much(const th__comparison *c)
{
    for (uint32_t f = 0; f < c->repair->profile->count; f++)
        if (c->missed[f] && c->again[f] < c->given[f] + GAIN * c->missed[f])
            return true;
    return false;
}

/* Returns true if records have so little of the text that they used to have in a list: where a text
 * of every second one is lost as well, it may be what they are about, whatever else they have
 * again.
 */
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

/* A list must not become one of its items, broken or not. */
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

/* Returns true if a field that was not given is given in less than half of its places, and that is
 * no chance. */
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

/* Returns true if what is gained makes up for what is lost: a few values are lost that were wrong,
 * or that are in records which are cut otherwise. */
static bool makes_up(const th__comparison *c, uint64_t gained, uint64_t lost)
{
    return !lost || (!has_labels(c) && gained >= MAKE_UP * lost);
}

/* Returns true if records are about as many a page as before. */
static bool is_as_before(const th__comparison *c, const th__side *s)
{
    const th__profile *profile = c->repair->profile;
    double before = profile->pages ? (double)profile->records / (double)profile->pages : 0;
    double now = s->tally->pages ? (double)s->tally->records / (double)s->tally->pages : 0;
    return fmin(before, now) >= SAME_COUNT * fmax(before, now);
}

/* What few records have, or what goes with a text, is not what they are: then values of other
 * fields make up for it. */
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

/* Returns true if anything is lost where the old wrapper still has all records, and all of their
 * text: then nothing that is gained is worth it. */
static bool loses_anything(th__comparison *c)
{
    bool lost = count_distinct(&c->lost_texts) > 0;
    for (uint32_t f = 0; !lost && f < c->repair->profile->count; f++)
        lost = c->lost[f] && !c->repair->targets[f];
    return lost && has_all(c) && 10 * c->old.bytes >= 9 * c->now.bytes;
}

/* How many of the fields a record has that it should have, by the profile: 1 where it has them all,
 * a half where every record is cut in two. Of fields that most records had, and that are given. */
static double fullness(const th__side *side, const th_repair *repair)
{
    const th__profile *profile = repair->profile;
    double was = 0, is = 0;
    for (uint32_t f = 0; f < profile->count && profile->records && side->filled; f++) {
        const th__field_profile *field = &profile->fields[f];
        /* A list that is empty is one place without a value. */
        double without = (double)field->chances - (double)field->values;
        double share = 1 - without / (double)profile->records;
        if (repair->targets[f] || share < USUAL || !side->with[f])
            continue;
        was += fmin(1, share);
        is += (double)side->with[f] / (double)side->filled;
    }
    return was > 0 ? is / was : 1;
}

/* Returns true if records are more than before, and have just some of the fields each that they
 * had: these are pieces of records. */
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
    /* Pages of one record each are not cut. */
    const th__profile *profile = c->repair->profile;
    if (c->old.right && profile->records >= LIST_RECORDS * profile->pages && is_in_pieces(c))
        return true;
    bool labels = has_labels(c);
    if (!labels && loses_anything(c))
        return true;
    /* What has less than half as many records as there are, or half of their text, is not the
     * list any more. */
    if (2 * c->old.right < c->now.right || (!labels && 2 * c->old.bytes < c->now.bytes))
        return !labels && c->old.right && lacks_items(c) &&
               2 * count_distinct(&c->lost_texts) >= c->old.right;
    if (lost_much(c) || is_half(c))
        return true;
    /* Where the old one still has all records, none is added that has hardly any text. Labels say
     * what is a record: where they are as many as before, none is added. */
    bool all = has_all(c);
    bool added = !labels || c->now.tally->records > c->old.tally->records;
    if (added && c->now.thin > c->old.thin &&
        10 * c->old.right + 9 * c->now.thin >= 9 * c->now.right)
        return true;
    /* Where the old one still has all records, fields that are not broken get nothing new. */
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
