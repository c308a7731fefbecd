/*
 * repair_guard.c: no repair takes away what the old wrapper still gives.
 *
 * Both wrappers are run on the new pages, and what they give is held against each other, page by
 * page. The old one gives what its users get, fields that are
 * found by their looks (fields_adapt.h) included; the new one has to give as much by its rules
 * alone: its profile, and with it what it knows of looks, is learnt from what these find.
 *
 *   - Fields: values of a field that is not broken have to be values of it again. A value that is
 *     not like the field, or that is now in a field that it is more like, was wrong: it may go.
 *   - Texts: whatever the old wrapper gives that looks like a value of some field has to be in the
 *     new records as well, in whatever column, unless what it reads are no records any more.
 *   - Nothing else: where the old wrapper still has all records, a field that is not broken has the
 *     values that it had, and no others, and no headings or notes are new records.
 *   - Lines: what is on the page as lines of one element, one below the other, and is given one
 *     after the other, is not torn apart: a line must not end up in a column that was no field
 *     with others in between. Often these are lines of one value.
 *   - Halves: where the old wrapper still has the records, a field that it does not give at all is
 *     given wherever it used to be, or not at all: what is in a few of its places is most
 *     likely something else.
 *   - Records: as many of them as the old one has with values like those they had, and values of
 *     fields that are not broken together as they were.
 *   - Cuts: records are not cut in places where the page does not part them (repair_guard.h),
 * unless the old wrapper's are cut so as well.
 *
 * Where much is gained, some of what the old wrapper gives may go: it reads parts of values, texts
 * of other fields and records that are several. So values, texts and records that are lost are held
 * against those that are gained, two for one; a value that the field is known to have had counts
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
#include "index/view.h"
#include "page/page.h"
#include "page/tags.h"
#include "page/text.h"

/* A value that is less like a field than this is none of it. */
#define LEAST_VALUE 0.5
/* A record with less than this of its fields like they were is none. */
#define LEAST_RECORD 0.5

enum {
    THIN = 3,           /* see thin_records */
    SIGN_RECORDS = 3,   /* a page with fewer does not tell what is between records */
    MAKE_UP = 2,        /* what is lost is made up for by so many that are gained */
    DEEP = UINT16_MAX,  /* no element is as deep */
    RULE_REACH = 64,    /* tokens behind a text among which a rule is looked for */
    REPEAT_FIELDS = 64, /* that are looked at for repetition, */
    REPEAT_LEAST = 3,   /* of so many at least: two that are like the next two are no records */
    SELDOM = 4,         /* a field that fewer than one record in so many has */
    CHECKED = 4000,     /* texts of a page that are looked for */
    SEARCHED = 1 << 28, /* bytes that are searched for them on a page */
    PARTED = 4,         /* one record in so many may be parted, whatever is gained */
    CUT_PART = 4,       /* one record in so many that has a sign of a wrong cut is no exception */
    FEW_PART = 10       /* one record in so many that the old wrapper still gives is hardly any */
};

/* Most records had a field, from here on. */
#define USUAL 0.5
/* So many of the fields are like those of the period before: some are of their own. */
#define REPEAT_PART 0.8
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
    for (uint32_t i = 0; s->field_of && i < s->tally->count; i++) {
        const th__field_profile *field =
            th__profile_of(repair->profile, i, s->tally->fields[i].path);
        s->field_of[i] = field ? (uint32_t)(field - repair->profile->fields) : TH__NO_COLUMN;
    }
    return s->field_of != NULL;
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
                   .order = s->texts,
                   .span = value->span,
                   .found = value->by_looks,
                   .sample = sample_of(th__value_text(value))};
    s->texts += !target;
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
        for (size_t j = i; j < end; j++) {
            const th__given *l = &s->leaves.data[j];
            if (is_target(s, l))
                continue;
            texts++;
            like += l->like;
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
    s->leaves.len = s->texts = 0;
    s->records = records;
    for (; in.ok && in.record < th_records_count(records); in.record++)
        th__each_value(type, th_records_get(records, in.record), 0, add_leaf, &in);
    if (in.ok)
        count_records(s);
    return in.ok;
}

/* Leaves are sorted by text and record; then the first of those with a text is found, or the place
 * where it would be; and the one in a record, or NULL. */
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

static const th__given *find_leaf_in(const th__side *s, uint32_t record, uint64_t hash)
{
    th__given wanted = {.record = record, .sample.hash = hash};
    return s->leaves.len ? bsearch(&wanted, s->leaves.data, s->leaves.len, sizeof wanted, by_hash)
                         : NULL;
}

/* ---- signs of wrong cuts ----------------------------------------------------------------------
 *
 * How much two texts are parted is told by the innermost element that holds both, the further out
 * the more, and with the same element by a rule between them.
 *
 * Cost: linear in the leaves, but for the order of the texts of a record, and of its columns two by
 * two, of which a limited number is looked at. */

bool th__signs_init(th__signs *signs, th_repair *repair)
{
    size_t fields = (size_t)repair->profile->count + 1;
    *signs = (th__signs){0};
    signs->before = th__arena_zero(&repair->arena, TH__SIGN_COLUMNS, sizeof *signs->before);
    signs->with = th__arena_zero(&repair->arena, fields, sizeof *signs->with);
    signs->last = th__arena_zero(&repair->arena, fields, sizeof *signs->last);
    signs->listed = th__arena_zero(&repair->arena, fields, sizeof *signs->listed);
    signs->last_listed = th__arena_zero(&repair->arena, fields, sizeof *signs->last_listed);
    return signs->before && signs->with && signs->last && signs->listed && signs->last_listed;
}

void th__signs_release(th__signs *signs)
{
    th__vec_release(&signs->texts);
    th__vec_release(&signs->on_page);
}

static int by_place(const void *a, const void *b)
{
    const th__placed *x = a, *y = b;
    if (x->span.start != y->span.start)
        return x->span.start < y->span.start ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Takes the texts of the record whose leaves are from `from` to `to`, as they are on the page. */
static bool take_texts(th__signs *signs, const th__side *side, size_t from, size_t to)
{
    bool ok = true;
    signs->texts.len = 0;
    for (size_t i = from; ok && i < to; i++) {
        const th__given *leaf = &side->leaves.data[i];
        if (!is_target(side, leaf))
            ok = th__vec_push(&signs->texts, (th__placed){leaf->span, leaf->at, leaf->sample.hash});
    }
    if (ok && signs->texts.len)
        qsort(signs->texts.data, signs->texts.len, sizeof *signs->texts.data, by_place);
    return ok;
}

static void count_fields(th__signs *signs, const th__side *side)
{
    for (size_t i = 0; i < signs->texts.len; i++) {
        uint32_t field = side->field_of[signs->texts.data[i].at];
        if (field == TH__NO_COLUMN)
            continue;
        if (signs->last[field] != signs->records)
            signs->with[field]++;
        else if (signs->last_listed[field] != signs->records) {
            signs->listed[field]++;
            signs->last_listed[field] = signs->records;
        }
        signs->last[field] = signs->records;
    }
}

/* Counts which column is before which; of a list the first text counts. */
static void count_order(th__signs *signs)
{
    uint32_t columns[TH__SIGN_COLUMNS], count = 0;
    uint64_t seen = 0;
    for (size_t i = 0; i < signs->texts.len; i++) {
        uint32_t at = signs->texts.data[i].at;
        if (at >= TH__SIGN_COLUMNS || seen >> at & 1)
            continue;
        seen |= UINT64_C(1) << at;
        for (uint32_t j = 0; j < count; j++)
            signs->before[columns[j]][at]++;
        columns[count++] = at;
    }
}

/* In how many columns a text of the page is, at most. */
static uint32_t count_copies(const th__signs *signs)
{
    uint32_t most = 0, copies = 0;
    for (size_t i = 0; i < signs->texts.len; i++) {
        const th__placed *own = &signs->texts.data[i], *before = own - !!i;
        bool same = own->span.start == before->span.start && own->hash == before->hash;
        copies = !same ? 1 : copies + (!i || own->at != before->at);
        most = copies > most ? copies : most;
    }
    return most;
}

/* How much two places are parted by what is between them; 0 when they are not apart. */
static uint32_t parting(const th_page *page, th_span left, th_span right)
{
    if (!left.end || left.end > right.start || right.start >= page->text.len)
        return 0;
    uint32_t from = th__token_at(page, left.end - 1), to = th__token_at(page, right.start);
    uint32_t node = th__page_node_around(page, from, to);
    bool rule = false;
    for (uint32_t i = from + 1; !rule && i < to && i - from <= RULE_REACH; i++)
        rule = page->tokens[i].kind == TH_TOKEN_START && page->tokens[i].tag == TH_TAG_HR;
    return 2 * ((uint32_t)DEEP - page->paths[page->nodes[node].path].depth) + rule;
}

static bool take_place(th__signs *signs, const th_page *page)
{
    const th__placed *texts = signs->texts.data;
    th__cut_record record = {.span = texts[0].span};
    for (size_t i = 1; i < signs->texts.len; i++) {
        uint32_t inside = parting(page, record.span, texts[i].span);
        record.inside = inside > record.inside ? inside : record.inside;
        if (texts[i].span.end > record.span.end)
            record.span.end = texts[i].span.end;
    }
    return th__vec_push(&signs->on_page, record);
}

/* Holds what is inside records against what is between them and their neighbours. */
static void count_inverted(th__signs *signs, const th_page *page)
{
    const th__cut_record *records = signs->on_page.data;
    size_t count = signs->on_page.len;
    uint32_t above = 0;
    for (size_t i = 0; i < count && count >= SIGN_RECORDS; i++) {
        uint32_t below = i + 1 < count ? parting(page, records[i].span, records[i + 1].span) : 0;
        uint32_t most = above > below ? above : below;
        signs->inverted += most && records[i].inside > most;
        signs->spanning += most && records[i].inside >= most;
        above = below;
    }
}

bool th__signs_take(th__signs *signs, const th__side *side, const th_page *page)
{
    bool ok = true;
    signs->on_page.len = 0;
    for (size_t i = 0, end; ok && i < side->leaves.len; i = end) {
        end = record_end(side, i);
        ok = take_texts(signs, side, i, end);
        signs->records++;
        if (!ok || !signs->texts.len)
            continue;
        count_fields(signs, side);
        count_order(signs);
        uint32_t copies = count_copies(signs);
        signs->doubled += copies > 1;
        signs->trebled += copies > 2;
        ok = take_place(signs, page);
    }
    if (ok)
        count_inverted(signs, page);
    return ok;
}

uint64_t th__signs_swapped(const th__signs *signs)
{
    uint64_t most = 0;
    for (uint32_t a = 1; a < TH__SIGN_COLUMNS; a++)
        for (uint32_t b = 0; b < a; b++) {
            uint32_t one = signs->before[a][b], other = signs->before[b][a];
            uint32_t less = one < other ? one : other;
            most = less > most ? less : most;
        }
    return most;
}

double th__signs_fullness(const th__signs *signs, const th_repair *repair)
{
    const th__profile *profile = repair->profile;
    double was = 0, is = 0;
    for (uint32_t f = 0; f < profile->count && profile->records && signs->records; f++) {
        const th__field_profile *field = &profile->fields[f];
        /* A list that is empty is one place without a value. */
        double without = (double)field->chances - (double)field->values;
        double share = 1 - without / (double)profile->records;
        if (repair->targets[f] || share < USUAL || !signs->with[f])
            continue;
        was += fmin(1, share);
        is += (double)signs->with[f] / (double)signs->records;
    }
    return was > 0 ? is / was : 1;
}

/* Returns true if most examples of a field are like values of another. */
static bool is_like(const th__field_profile *one, const th__field_profile *other)
{
    uint32_t like = 0;
    for (uint32_t i = 0; i < one->example_count; i++) {
        th__sample sample = sample_of(one->examples[i]);
        like += th__value_likeness(other, &sample) >= LEAST_VALUE;
    }
    return 2 * like > one->example_count;
}

bool th__signs_repeat(const th_repair *repair)
{
    const th__field_profile *fields[REPEAT_FIELDS];
    uint32_t count = 0;
    for (uint32_t f = 0; f < repair->profile->count && count < REPEAT_FIELDS; f++) {
        const th__field_profile *field = &repair->profile->fields[f];
        /* Of the records in a row the last ones may be missing; headings are seldom. */
        if (!repair->targets[f] && field->example_count && SELDOM * field->values >= field->chances)
            fields[count++] = field;
    }
    for (uint32_t period = REPEAT_LEAST; 2 * period <= count; period++) {
        uint32_t like = 0, all = count - period;
        for (uint32_t i = 0; i < all; i++)
            like += is_like(fields[i + period], fields[i]);
        if (like >= REPEAT_PART * all)
            return true;
    }
    return false;
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

/* Returns true if a value of a field was a part of what is one of it now, and no more like it than
 * that. */
static bool is_completed(th__comparison *c, const th__given *old, uint32_t field)
{
    const th__side *now = &c->now;
    for (size_t i = 0; i < now->leaves.len && c->searched <= SEARCHED; i++) {
        const th__given *l = &now->leaves.data[i];
        c->searched++;
        if (now->field_of[l->at] != field || l->own < old->own)
            continue;
        c->searched += l->sample.text.len;
        if (th__find_words(l->sample.text, old->sample.text, 0) != SIZE_MAX)
            return true;
    }
    return false;
}

/* Returns true if a field of labels has a value that is more like it in place of one: a part of one
 * that was too long; or, on a page of one record, another for one that is not like it. */
static bool is_replaced(const th__comparison *c, const th__given *old, uint32_t field)
{
    if (!has_labels(c))
        return false;
    bool one = th_records_count(c->now.records) == 1 &&
               th__str_find(c->repair->profile->fields[field].path, TH_STR("[]")) == SIZE_MAX;
    for (size_t i = 0; i < c->now.leaves.len; i++) {
        const th__given *l = &c->now.leaves.data[i];
        if (c->now.field_of[l->at] != field || l->own < LEAST_VALUE || l->own <= old->own)
            continue;
        if ((one && old->own < LEAST_VALUE) ||
            (l->span.start >= old->span.start && l->span.end <= old->span.end))
            return true;
    }
    return false;
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
    return labels ? is_replaced(c, old, field) : is_completed(c, old, field);
}

static bool is_given_now(const th__comparison *c, const th__given *l)
{
    size_t i = find_leaf(&c->now, l->sample.hash);
    return i < c->now.leaves.len && c->now.leaves.data[i].sample.hash == l->sample.hash;
}

/* A text is there that is given, also when its label is not. */
static bool is_there(th__comparison *c, const th__given *old)
{
    th_str text = old->sample.text;
    size_t colon = th__str_find(text, TH_STR(": "));
    th__given value = {0};
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

/* Returns true if a leaf's value is one of a field that is not broken, and is given again: or,
 * where labels say that it has to be, not replaced by a better one. */
static bool is_sound(const th__comparison *c, const th__given *l)
{
    uint32_t field = c->old.field_of[l->at];
    if (field == TH__NO_COLUMN || has_changed(c, field))
        return false;
    return is_given_now(c, l) || (has_labels(c) && !is_replaced(c, l, field));
}

/* Returns true if the values of an old record, from leaf `from` to `to`, are together in a new one:
 * in one of those that hold the first of them. Values that are not given any more do not count
 * here.
 */
static bool is_together(const th__comparison *c, size_t from, size_t to)
{
    const th__side *now = &c->now;
    size_t first = from;
    while (first < to && !is_sound(c, &c->old.leaves.data[first]))
        first++;
    if (first == to)
        return true;
    uint64_t hash = c->old.leaves.data[first].sample.hash;
    for (size_t i = find_leaf(now, hash);
         i < now->leaves.len && now->leaves.data[i].sample.hash == hash; i++) {
        bool all = true;
        for (size_t j = first + 1; all && j < to; j++) {
            const th__given *l = &c->old.leaves.data[j];
            all = !is_sound(c, l) || find_leaf_in(now, now->leaves.data[i].record, l->sample.hash);
        }
        if (all)
            return true;
    }
    return false;
}

/* Counts old records that are parted. */
static void count_parted(th__comparison *c)
{
    enum { LEAVES = 200 }; /* of a record: a value may be in many of the new ones */
    for (size_t i = 0, end; i < c->old.leaves.len; i = end) {
        end = record_end(&c->old, i);
        c->parted += end - i <= LEAVES && !is_together(c, i, end);
    }
}

/* Returns true if nothing but line breaks is between two places. */
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

/* Returns true if two lines are given in one new record, but apart, and one of them is in no field.
 */
static bool are_torn(const th__comparison *c, const th__given *above, const th__given *below)
{
    const th__side *now = &c->now;
    bool torn = false;
    for (size_t i = find_leaf(now, above->sample.hash);
         i < now->leaves.len && now->leaves.data[i].sample.hash == above->sample.hash; i++) {
        const th__given *a = &now->leaves.data[i];
        const th__given *b = find_leaf_in(now, a->record, below->sample.hash);
        if (!b)
            continue;
        if (b->order == a->order + 1)
            return false;
        torn |= now->field_of[a->at] == TH__NO_COLUMN || now->field_of[b->at] == TH__NO_COLUMN;
    }
    return torn;
}

static void count_torn(th__comparison *c, const th_page *page)
{
    const th__given *above = NULL;
    for (size_t i = 0; i < c->old.leaves.len; i++) {
        const th__given *below = &c->old.leaves.data[i];
        if (is_target(&c->old, below))
            continue;
        if (above && above->record == below->record && are_lines(page, above->span, below->span))
            c->torn += are_torn(c, above, below);
        above = below;
    }
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

static int by_start(const void *a, const void *b)
{
    const th_span *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* The places of the values that the old wrapper gives and that are like their field, in order. */
static bool take_places(th__comparison *c)
{
    bool ok = true;
    c->places.len = 0;
    for (size_t i = 0; ok && i < c->old.leaves.len; i++) {
        const th__given *l = &c->old.leaves.data[i];
        if (l->own >= LEAST_VALUE && !is_target(&c->old, l))
            ok = th__vec_push(&c->places, l->span);
    }
    if (ok && c->places.len)
        qsort(c->places.data, c->places.len, sizeof *c->places.data, by_start);
    return ok;
}

/* Returns true if a text is a part of such a value: it does not make up for that one. */
static bool is_piece(const th__comparison *c, th_span span)
{
    size_t from = 0, to = c->places.len;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (c->places.data[middle].start <= span.start)
            from = middle + 1;
        else
            to = middle;
    }
    th_span old = from ? c->places.data[from - 1] : (th_span){0};
    return old.end >= span.end && old.end - old.start > span.end - span.start;
}

/* Counts a value that the new wrapper gives; is_new: the old one does not give its text, in_field:
 * it does so, in its field. False if out of memory. */
static bool count_value(th__comparison *c, const th__given *l, bool is_new, bool in_field)
{
    uint32_t field = c->now.field_of[l->at];
    bool target = is_target(&c->now, l), ok = true;
    if (is_new && l->like && !target && !is_piece(c, l->span))
        ok = th__vec_push(&c->gained_texts, l->sample.hash);
    if (field == TH__NO_COLUMN) {
        c->strange += is_new && !target;
        return ok;
    }
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
    bool ok = take_places(c);
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
 * are what their user has named: what a broken one gives that is not like it, or that is the same
 * on all pages where its values differed, is none of it, whatever else it is like. */
static bool is_wanted(const th__comparison *c, const th__given *l)
{
    uint32_t field = c->old.field_of[l->at];
    if (!l->like || is_target(&c->old, l))
        return false;
    if (!has_labels(c))
        return !th__is_label(l->sample.text);
    if (field == TH__NO_COLUMN || !c->repair->broken[field])
        return true;
    const th__field_profile *old = &c->repair->profile->fields[field];
    const th__field_tally *now = &c->old.tally->fields[l->at];
    bool same = now->sample.len > 2 && th__is_varied(old);
    for (size_t i = 1; same && i < now->sample.len; i++)
        same = now->sample.data[i].hash == now->sample.data[0].hash;
    return l->own >= LEAST_VALUE && !same;
}

/* Returns true if a text that is not there any more is replaced by a better one, or counted as a
 * value that a broken field of labels had left. */
static bool is_missed(th__comparison *c, const th__given *l, uint32_t field)
{
    if (field == TH__NO_COLUMN || !has_labels(c))
        return false;
    if (is_replaced(c, l, field))
        return true;
    /* Where a broken field has left its place, what it gives is something else. */
    c->missed[field] += c->repair->broken[field] && !th__repair_is_displaced(c->repair, field);
    return c->repair->broken[field];
}

static bool compare(th__comparison *c, const th_page *page)
{
    if (!th__signs_take(&c->old_signs, &c->old, page) ||
        !th__signs_take(&c->now_signs, &c->now, page))
        return false;
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
    count_parted(c);
    count_torn(c, page);
    size_t step = c->old.leaves.len / CHECKED + 1;
    for (size_t i = 0; i < c->old.leaves.len; i += step) {
        const th__given *l = &c->old.leaves.data[i];
        uint32_t field = c->old.field_of[l->at];
        if (field != TH__NO_COLUMN)
            c->given[field]++;
        if (field != TH__NO_COLUMN && !has_changed(c, field))
            c->lost[field] += is_kept(c, l, field) ? 0 : worth_of(c, field, l->sample.hash);
        bool target = is_target(&c->old, l);
        bool lost = is_wanted(c, l) && !is_there(c, l) && !is_missed(c, l, field);
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

bool th__compare_init(th__comparison *c, th_repair *repair, const th_wrapper *now,
                      const th__tally *tally)
{
    uint64_t **const counts[] = {&c->lost, &c->added, &c->given, &c->gained, &c->again, &c->missed};
    *c = (th__comparison){.repair = repair,
                          .wrapper = now,
                          .old = {.tally = &repair->tally},
                          .now = {.tally = tally}};
    bool ok = init_side(&c->old, repair) && init_side(&c->now, repair) &&
              th__signs_init(&c->old_signs, repair) && th__signs_init(&c->now_signs, repair);
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
    th__signs_release(&c->old_signs);
    th__signs_release(&c->now_signs);
    th__vec_release(&c->lost_texts);
    th__vec_release(&c->gained_texts);
    th__vec_release(&c->places);
    th__buf_release(&c->text);
}

th_status th__compare_page(th__comparison *c, uint32_t page, const th_records *now, th_error *err)
{
    const th_records *old;
    th_status status = th__repair_given(c->repair, page, &old, err);
    if (!status && (!take_page(&c->old, c->repair, old) || !take_page(&c->now, c->repair, now) ||
                    !compare(c, c->repair->pages[page].page)))
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

/* Returns true if the old wrapper gives less than half of the values of a field that the records
 * should have, as many as there are now and not more than there were: the field is broken, too few
 * as it has to show it. */
static bool is_scarce(const th__comparison *c, uint32_t field)
{
    const th__profile *profile = c->repair->profile;
    const th__field_profile *old = &profile->fields[field];
    double before = profile->pages ? (double)profile->records / (double)profile->pages : 0;
    double records = fmin((double)c->now.right, before * (double)c->repair->page_count);
    double usual = old->chances ? fmin(1, (double)old->values / (double)old->chances) : 0;
    return (double)c->given[field] < HALF * usual * records;
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
    return !makes_up(c, gained, c->lost[field]) && (has_labels(c) || !is_scarce(c, field));
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

/* ---- wrong cuts ------------------------------------------------------------------------------ */

/* Returns true if so many of the new records have a sign that they are cut wrongly that it is not
 * chance, and far more of them than of the old ones. */
static bool is_more(const th__comparison *c, uint64_t now, uint64_t old)
{
    return CUT_PART * now >= c->now.count && now * c->old.count > 2 * old * c->now.count;
}

/* Records of a side without those that are cut wrongly. */
static uint64_t right_without(const th__side *side, uint64_t wrong)
{
    return side->right > wrong ? side->right - wrong : 0;
}

/* Returns true if most new records hold several of the page's elements: parts of neighbours may be
 * among them. */
static bool are_several_elements(const th__comparison *c)
{
    return 2 * c->now_signs.spanning >= c->now.count;
}

/* Returns true if columns are now in this order, now in that. Which is the wrong one is not known:
 * there may be more than those with the less frequent one, so twice as many as the old wrapper has
 * are to be beyond doubt. */
static bool is_swapped(const th__comparison *c)
{
    uint64_t now = th__signs_swapped(&c->now_signs), old = th__signs_swapped(&c->old_signs);
    return are_several_elements(c) && is_more(c, now, old) &&
           right_without(&c->now, now) < 2 * right_without(&c->old, old);
}

/* Returns true if records are parted more inside than from each other: parts of neighbours are
 * together. In the others that hold several elements they are likely to be as well, and again twice
 * as many are to be beyond doubt. Where the old wrapper gives hardly any, it may well have cut them
 * like this.
 */
static bool is_inverted(const th__comparison *c)
{
    return FEW_PART * c->old.right >= c->now.right &&
           is_more(c, c->now_signs.inverted, c->old_signs.inverted) &&
           right_without(&c->now, c->now_signs.spanning) <
               2 * right_without(&c->old, c->old_signs.inverted);
}

/* Returns true if records reach over several of the page's elements, where those of the old
 * wrapper, which are as many, are one each: it reads one in two, and that is no reason to put both
 * into one. */
static bool is_spanning(const th__comparison *c)
{
    return has_all(c) && are_several_elements(c) &&
           is_more(c, c->now_signs.spanning, c->old_signs.spanning);
}

/* Returns true if records are more than before, and have just some of the fields each that they
 * had: these are pieces of records. */
static bool is_in_pieces(const th__comparison *c)
{
    const th__profile *profile = c->repair->profile;
    return !is_as_before(c, &c->now) &&
           c->now.tally->records * profile->pages > profile->records * c->now.tally->pages &&
           th__signs_fullness(&c->now_signs, c->repair) < PIECE;
}

/* Returns true if a text of every second record is given in several columns: fields that were not
 * found have another's. Where records are gained, that makes up for two. */
static bool is_doubled(const th__comparison *c)
{
    bool all = has_all(c);
    uint64_t now = all ? c->now_signs.doubled : c->now_signs.trebled;
    return 2 * now >= c->now.count &&
           is_more(c, now, all ? c->old_signs.doubled : c->old_signs.trebled);
}

/* Returns true if a field that is not broken, and that was one text, is a list now: others are
 * among its texts. */
static bool is_listed(const th__comparison *c)
{
    const th__signs *now = &c->now_signs;
    for (uint32_t f = 0; f < c->repair->profile->count; f++)
        if (!c->repair->targets[f] && !c->repair->drifting[f] && now->listed[f] &&
            !th__is_list_path(c->repair->profile->fields[f].path) &&
            CUT_PART * now->listed[f] >= now->with[f])
            return true;
    return false;
}

/* Returns true if records are cut in wrong places, where the old wrapper still gives some. Pages of
 * one record each are not cut. */
static bool is_cut_wrongly(const th__comparison *c)
{
    const th__profile *profile = c->repair->profile;
    if (!c->old.right || profile->records < SIGN_RECORDS * profile->pages)
        return false;
    if (is_swapped(c) || is_inverted(c) || is_in_pieces(c))
        return true;
    /* Where the old wrapper still has the records, there is more to lose. One whose records are
     * several of the page's each never read them: which are read, and how, is chance before and
     * after. */
    return 2 * c->old.right >= c->now.right && !has_labels(c) &&
           (is_spanning(c) || is_doubled(c) || is_listed(c) || th__signs_repeat(c->repair));
}

bool th__compare_is_worse(th__comparison *c)
{
    for (uint32_t f = 0; f < c->repair->profile->count; f++)
        if (loses_values(c, f))
            return true;
    if (is_cut_wrongly(c))
        return true;
    bool labels = has_labels(c);
    if (!labels && loses_anything(c))
        return true;
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
               2 * count_distinct(&c->lost_texts) >= c->old.right;
    if (lost_much(c) || is_half(c))
        return true;
    /* Where the old one still has all records, none is added that is hardly one, or none at all.
     * Labels say what is a record: where they are as many as before, none is added. */
    bool all = has_all(c);
    if (!labels && all && c->now.count - c->now.right > c->old.count - c->old.right)
        return true;
    /* Nor does another engine put more into them: that cuts otherwise, and may put two into one. */
    if (!labels && all && c->strange && c->wrapper->engine != c->repair->wrapper->engine)
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
    return (labels ? c->now.count < c->old.count : c->now.right < c->old.right) ||
           (parted && !makes_up(c, c->now.right - c->old.right, c->parted)) ||
           !makes_up(c, count_distinct(&c->gained_texts), count_distinct(&c->lost_texts)) ||
           lost_items(c);
}

th_status th__repair_guard(th_repair *repair, const th__run *now, bool *worse, th_error *err)
{
    th__comparison c;
    th_status status =
        th__compare_init(&c, repair, now->wrapper, &now->tally) ? TH_OK : th__fail_memory(err);
    for (uint32_t i = 0; !status && i < repair->page_count; i++) {
        status = th__repair_check(repair, err);
        if (!status)
            status = th__compare_page(&c, i, now->records[i], err);
    }
    *worse = !status && th__compare_is_worse(&c);
    th__compare_release(&c);
    return status;
}
