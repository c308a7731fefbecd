/*
 * choose.c: learning from labels without an engine named.
 *
 *     labels of                tried, from the cheapest on
 *     one record per page      paths; where it does not give all labelled values, or loses more
 *                              than a tenth of those held out, the other engines
 *     one record of all        the main list of the page when it holds the record; else as above
 *     lists of records         lists that hold the labelled records; then engines as above
 *     anything nested          all engines that learn from labels, those with several views first;
 *                              where they find little, a list without what is nested
 */
#include "learn/learn.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/key_map.h"
#include "base/mem.h"
#include "data/labels.h"
#include "data/record.h"
#include "engine/lists/lists_groups.h"
#include "engine/lists/lists_rule.h"
#include "engine/papers/iepad/iepad.h"
#include "engine/papers/mdr/mdr.h"
#include "index/view.h"
#include "page/page.h"
#include "page/text.h"

/*
 * Labels on list pages are a sample: two records of twenty must give all twenty.
 *
 * The engines for lists find their regions without labels. That region is taken whose records hold
 * the labelled records, each in one of its own; labels then merely pick columns and name them:
 *
 *     labelled     {title: Snow Country, price: 12.50}    {title: Thousand Cranes, price: 9.00}
 *     region 3     [Snow Country | $12.50 | In stock]     [Thousand Cranes | $9.00 | Sold]  [...]
 *     columns      title = column 1, price = column 2 from behind "$"
 */

enum {
    REGIONS = 30,   /* of an engine that are looked at */
    LOOKED_AT = 32, /* labelled records of a page: enough to tell a list by */
    TRIES = 4       /* regions that are learnt, until one gives all that is labelled */
};

/* Those that are tried where none is asked for, in this order. iepad is not one: of 180 real lists
 * one was read by it, with more errors than by the next best, and its search was a third of the
 * work. */
static const th__engine *const list_engines[] = {&th__lists_engine, &th__mdr_engine};
enum { ENGINES = sizeof list_engines / sizeof *list_engines };

struct candidate {
    const th__engine *engine;
    uint32_t pick;
    bool whole_lines;  /* see th_learn_options */
    double coverage;   /* of the labelled values; 0: tried, or not worth it */
    uint64_t holders;  /* hash of where the records stand that hold the labelled ones */
    th_span *headings; /* labelled values above the records that hold the others */
    size_t heading_count;
    size_t records;
};

/* The findings of a labelled record are among these. */
struct findings {
    size_t first, end;
};

struct list_search {
    th__learner *learner;
    th__arena arena;
    uint32_t page; /* the first labelled one that has records */
    th__finding_map map;
    struct findings *of; /* by labelled record */
    bool *own;           /* by finding: no other labelled record has the value */
    uint32_t
        step; /* of many labelled records each step-th is looked at: lists change further down */
    size_t values; /* of those that are looked at */
    size_t most;   /* how often records can hold these */
    TH__VEC(struct candidate) candidates;
    th__buf attributes; /* names of those that labelled values are in, with commas between */
};

/* How a list does on labelled records. */
struct list_fit {
    double share;  /* of the labelled values that come out of it, 0 to 1 */
    double like;   /* what it is worth (judge.c), 0 to 1, */
    double unseen; /* and by labelled records that its columns were not picked by */
    double held;   /* of those that are in the record that they should come out of */
    double fill;   /* of the fields that every labelled record has, over all its records */
    bool apart;    /* a labelled value is in none of its texts: lines may be cut wrongly */
};

/* ---- which records hold the labelled ones ---------------------------------------------------- */

/* A record on the page, or a text of it, which may be shorter than its span: that has tags in it.
 */
struct stretch {
    th_span span;
    uint32_t record;
    double len;
};

typedef TH__VEC(struct stretch) stretch_vec;

/* The records of a list. Mostly they are apart and in the order of the page. Those of a table with
 * names in one row and prices in the next are not: there a record is where its texts are. */
struct holders {
    const th_records *records;
    bool apart;
    stretch_vec texts; /* by place; records as a whole where they are apart */
};

static bool add_stretches(const th_value *value, uint32_t record, stretch_vec *out)
{
    if (value->kind == TH_VALUE_TEXT)
        return value->span.end <= value->span.start || !th_value_text(value).len ||
               th__vec_push(
                   out, (struct stretch){value->span, record, (double)th_value_text(value).len});
    for (uint32_t i = 0; value->kind != TH_VALUE_NULL && i < value->count; i++)
        if (!add_stretches(th__value_item(value, i), record, out)) /* as deep as schemas are */
            return false;
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct stretch *left = a, *right = b;
    return left->span.start < right->span.start ? -1 : left->span.start > right->span.start;
}

/* The caller releases the texts in any case. False if out of memory. */
static bool holders_init(struct holders *h, const th_records *records)
{
    size_t count = th_records_count(records);
    *h = (struct holders){.records = records, .apart = true};
    for (size_t r = 0; h->apart && r < count; r++) {
        th_span span = th_value_span(th_records_get(records, r));
        h->apart = !r || h->texts.data[r - 1].span.end <= span.start;
        if (!th__vec_push(&h->texts, (struct stretch){span, (uint32_t)r, 0}))
            return false;
    }
    if (h->apart)
        return true;
    h->texts.len = 0;
    for (size_t r = 0; r < count; r++)
        if (!add_stretches(th_records_get(records, r), (uint32_t)r, &h->texts))
            return false;
    if (h->texts.len)
        qsort(h->texts.data, h->texts.len, sizeof *h->texts.data, by_place);
    return true;
}

/* The record that holds a span, or UINT32_MAX. */
static uint32_t record_around(const struct holders *h, th_span span)
{
    size_t low = th__count_first(i, h->texts.len, h->texts.data[i].span.start <= span.start);
    if (!low)
        return UINT32_MAX;
    /* In a text of the record, or between two of them. */
    const struct stretch *text = &h->texts.data[low - 1];
    bool inside =
        span.end <= text->span.end || (low < h->texts.len && text[1].record == text->record);
    return inside ? text->record : UINT32_MAX;
}

/* For one labelled record: how many of its values each record holds; of those that no other
 * labelled record has, when `own`. */
static void count_values(const struct list_search *f, const th_located *located, uint32_t labelled,
                         bool own, const struct holders *h, uint32_t *counts)
{
    for (size_t i = f->of[labelled].first; i < f->of[labelled].end; i++) {
        const th_finding *finding = th_located_get(located, i);
        uint32_t last = UINT32_MAX;
        if (f->map.record[i] != labelled || (own && !f->own[i]))
            continue;
        /* Places stand in the order of the page, texts before attributes: a record that is met
         * twice is met in a row, but for those few that have the value in both. */
        for (uint32_t p = 0; p < finding->place_count; p++) {
            uint32_t record = record_around(h, finding->places[p].span);
            if (record == UINT32_MAX || record == last)
                continue;
            last = record;
            counts[record]++;
        }
    }
}

/* Returns true if a record holds most of what another labelled record near by alone has: then it is
 * no record but several. One that holds it by accident does not count: another record has that too,
 * and less of what belongs here. */
static bool holds_another(const struct list_search *f, const th_located *located,
                          const struct holders *h, uint32_t labelled, uint32_t own, uint32_t record,
                          uint32_t *own_counts, uint32_t *counts)
{
    enum { NEAR = 4 }; /* labelled records on either side */
    size_t count = th_records_count(h->records), size = count * sizeof *counts;
    memset(own_counts, 0, size);
    count_values(f, located, own, true, h, own_counts);
    for (uint32_t r = own > NEAR ? own - NEAR : 0; r < labelled && r <= own + NEAR; r++) {
        uint32_t values = 0;
        bool elsewhere = false;
        for (size_t i = f->of[r].first; i < f->of[r].end; i++)
            values += f->map.record[i] == r && f->own[i];
        if (r == own || !values)
            continue;
        memset(counts, 0, size);
        count_values(f, located, r, true, h, counts);
        for (size_t i = 0; i < count; i++)
            elsewhere |= counts[i] >= counts[record] && own_counts[i] < own_counts[record];
        if (2 * counts[record] > values && !elsewhere)
            return true;
    }
    return false;
}

/* Gives each labelled record the record that holds most of its values and no other labelled one.
 * `matched` is by labelled record. *held is how many values are held that way. */
static bool match_records(struct list_search *f, const th_located *located, const struct holders *h,
                          uint32_t *matched, size_t *held)
{
    uint32_t labelled = (uint32_t)th_records_count(th_located_records(located));
    size_t count = th_records_count(h->records);
    for (uint32_t r = 0; r < labelled; r++)
        matched[r] = UINT32_MAX;
    uint32_t *counts = th__arena_zero(&f->arena, count + 1, sizeof *counts);
    uint32_t *own = th__arena_zero(&f->arena, count + 1, sizeof *own);
    uint32_t *others = th__arena_zero(&f->arena, count + 1, sizeof *others);
    bool *taken = th__arena_zero(&f->arena, count + 1, sizeof *taken);
    if (!counts || !own || !others || !taken)
        return false;
    *held = 0;
    for (uint32_t r = 0; r < labelled; r += f->step) {
        uint32_t best = UINT32_MAX;
        memset(counts, 0, count * sizeof *counts);
        count_values(f, located, r, false, h, counts);
        for (uint32_t i = 0; i < count; i++)
            if (counts[i] && !taken[i] && (best == UINT32_MAX || counts[i] > counts[best]))
                best = i;
        matched[r] = best;
        if (best == UINT32_MAX)
            continue;
        taken[best] = true;
        if (!holds_another(f, located, h, labelled, r, best, own, others))
            *held += counts[best];
    }
    return true;
}

/* Values that no other labelled record has. */
static bool find_own(struct list_search *f, const th_located *located)
{
    size_t count = th_located_count(located);
    th__key_map first;
    size_t records = th_records_count(th_located_records(located));
    f->own = th__arena_zero(&f->arena, count + 1, sizeof *f->own);
    f->of = th__arena_zero(&f->arena, records + 1, sizeof *f->of);
    if (!f->own || !f->of || !th__key_map_init(&first, &f->arena, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const th_finding *finding = th_located_get(located, i);
        if (f->map.record[i] != UINT32_MAX) {
            struct findings *of = &f->of[f->map.record[i]];
            of->first = of->end ? of->first : i;
            of->end = i + 1;
        }
        if (f->map.record[i] != UINT32_MAX && f->map.record[i] % f->step == 0) {
            f->values++;
            f->most += finding->place_count ? finding->place_count : 1;
        }
        th_str value = finding->value;
        uint64_t key = th__hash(value.ptr, value.len);
        uint32_t other = th__key_map_get(&first, key);
        if (!other)
            th__key_map_put(&first, key, (uint32_t)i + 1);
        f->own[i] = !other || f->map.record[other - 1] == f->map.record[i];
        if (!f->own[i])
            f->own[other - 1] = false;
    }
    return true;
}

/* The last place of a finding, outside of all records, before one; NULL: there is none. */
static const th_place *place_above(const th_finding *finding, const struct holders *h,
                                   uint32_t record)
{
    th_span around = th_value_span(th_records_get(h->records, record));
    const th_place *last = NULL;
    for (uint32_t p = 0; p < finding->place_count; p++) {
        const th_place *place = &finding->places[p];
        if (place->span.start >= around.start && place->span.end <= around.end)
            return NULL;
        if (!place->attribute.ptr && place->span.end <= around.start &&
            record_around(h, place->span) == UINT32_MAX &&
            (!last || place->span.start > last->span.start))
            last = place;
    }
    return last;
}

/* Finds labelled values that are above the records that hold the other values: headings. Those that
 * several labelled records have count as held. */
static bool find_headings(struct list_search *f, const th_located *located, const struct holders *h,
                          const uint32_t *matched, struct candidate *c, size_t *held)
{
    enum { HEADINGS = 256 };
    c->headings = th__arena_alloc(&f->arena, HEADINGS * sizeof *c->headings);
    for (size_t i = 0; c->headings && i < th_located_count(located); i++) {
        uint32_t r = f->map.record[i];
        const th_place *place = r == UINT32_MAX || matched[r] == UINT32_MAX
                                    ? NULL
                                    : place_above(th_located_get(located, i), h, matched[r]);
        if (!place)
            continue;
        *held += !f->own[i];
        th_span *last = c->heading_count ? &c->headings[c->heading_count - 1] : NULL;
        if (c->heading_count < HEADINGS && (!last || last->start != place->span.start))
            c->headings[c->heading_count++] = place->span;
    }
    return c->headings;
}

/* Returns true if a list has such a value without being asked: a link or the source of an image. */
static bool is_given(const th_page *page, const th_place *place)
{
    uint16_t tag = page->tags[place->node];
    return !place->attribute.ptr ||
           (tag == TH_TAG_A && th__str_eq_nocase(place->attribute, TH_STR("href"))) ||
           (tag == TH_TAG_IMG && th__str_eq_nocase(place->attribute, TH_STR("src")));
}

/* Names the attributes of labelled values that are in no text, link or image. */
static bool find_attributes(struct list_search *f, const th__kept_page *kept)
{
    enum { MOST = 1000 }; /* bytes of names */
    for (size_t i = 0; kept->located && i < th_located_count(kept->located); i++) {
        const th_finding *finding = th_located_get(kept->located, i);
        bool given = false;
        for (uint32_t p = 0; p < finding->place_count; p++)
            given |= is_given(kept->page, &finding->places[p]);
        for (uint32_t p = 0; !given && p < finding->place_count; p++) {
            th_str name = finding->places[p].attribute, known = th__buf_str(&f->attributes);
            size_t at = known.len ? th__str_find(known, name) : SIZE_MAX;
            bool whole = at != SIZE_MAX && known.ptr[at + name.len] == ',' &&
                         (!at || known.ptr[at - 1] == ',');
            if (whole || known.len > MOST)
                continue;
            if (!th__buf_add_str(&f->attributes, name) || !th__buf_add_byte(&f->attributes, ','))
                return false;
        }
    }
    return true;
}

/* Returns true if a record that holds no labelled one is where the labels say that none is: a list
 * with advertisements between its records, or one that goes on under the next heading. */
static bool holds_nothing(const struct list_search *f, const th__kept_page *kept,
                          const struct holders *h, const uint32_t *matched, size_t labelled)
{
    const th__label_page *given = &f->learner->labels->pages.data[kept->label_page];
    for (uint32_t i = 0; i < given->nothing_count; i++) {
        uint32_t record = record_around(h, given->nothing[i]);
        bool own = record == UINT32_MAX;
        for (size_t r = 0; !own && r < labelled; r++)
            own = matched[r] == record;
        if (!own)
            return true;
    }
    return false;
}

/* A list of the page becomes a candidate if it holds enough of the labelled records. `matched` has
 * room for them. False if out of memory. */
static bool add_candidate(struct list_search *f, struct candidate c, const th_records *records,
                          uint32_t *matched)
{
    const th__kept_page *kept = &f->learner->kept.data[f->page];
    size_t labelled = th_records_count(th_located_records(kept->located));
    size_t held = 0, holders = 0;
    struct holders h;
    c.records = th_records_count(records);
    bool ok = holders_init(&h, records) && match_records(f, kept->located, &h, matched, &held);
    bool wanted = ok && !holds_nothing(f, kept, &h, matched, labelled);
    ok = ok && (!wanted || find_headings(f, kept->located, &h, matched, &c, &held));
    c.coverage = f->values ? (double)held / (double)f->values : 0;
    for (size_t r = 0; wanted && ok && r < labelled; r++) {
        th_span span = {0, 0};
        if (matched[r] != UINT32_MAX)
            span = th_value_span(th_records_get(records, matched[r]));
        holders += matched[r] != UINT32_MAX;
        c.holders = th__hash_mix(c.holders, (uint64_t)span.start << 32 | span.end);
    }
    /* Less than half of the labelled records are found in many lists by accident. */
    if (ok && held && holders && 2 * holders >= labelled / f->step)
        ok = th__vec_push(&f->candidates, c);
    th__vec_release(&h.texts);
    return ok;
}

static th_status add_candidates(struct list_search *f, const th__engine *engine, th_error *err)
{
    const th__kept_page *kept = &f->learner->kept.data[f->page];
    size_t labelled = th_records_count(th_located_records(kept->located));
    uint32_t *matched = th__arena_zero(&f->arena, labelled + 1, sizeof *matched);
    th_regions_options options;
    th_regions *regions = NULL;
    if (!matched)
        return th__fail_memory(err);
    th_regions_options_init(&options);
    options.engine = engine->name;
    options.most = REGIONS;
    options.text_only = true;
    th_status status = th_regions_find(kept->page, NULL, &options, &regions, err);
    for (size_t i = 0; !status && i < th_regions_count(regions); i++)
        if (!add_candidate(f, (struct candidate){.engine = engine, .pick = (uint32_t)i + 1},
                           th_regions_get(regions, i)->records, matched))
            status = th__fail_memory(err);
    th_regions_free(regions);
    return status;
}

/* Of lists that have the labelled records in the same elements, a larger one that its engine ranks
 * higher is the whole list. */
static void drop_parts(struct list_search *f)
{
    for (size_t i = 0; i < f->candidates.len; i++)
        for (size_t j = 0; j < f->candidates.len; j++) {
            struct candidate *a = &f->candidates.data[i], *b = &f->candidates.data[j];
            if (a->engine == b->engine && a->holders == b->holders && a->records > b->records &&
                a->pick < b->pick && a->coverage >= b->coverage)
                b->coverage = 0;
        }
}

/* ---- which columns of a list are the labelled fields -------------------------------------------
 */

/* A labelled value that is a text, or a part of one, of the record that holds it. */
struct part_of_text {
    const th_finding *finding;
    uint32_t field, column;
    th_str text, value;
};

/* How labelled values of a field and columns of the list go together. */
struct column_map {
    const th_page *page;
    const th_type *inner, *fields; /* tuples */
    const th__finding_map *map;
    size_t labelled;           /* records of the page */
    const th_records *records; /* of the engine */
    const uint32_t *matched;   /* by labelled record: the record that holds it, or UINT32_MAX */
    /* By field and column: */
    double *votes;
    uint32_t *parts;  /* values that are parts of the text, */
    uint32_t *whole;  /* that are all of it, */
    uint32_t *inside; /* and of which the text is a part */
    TH__VEC(struct part_of_text) part_list;
    size_t apart; /* values that have no part there */
};

static size_t cell(const struct column_map *m, uint32_t field, uint32_t column)
{
    return (size_t)field * m->inner->count + column;
}

/* Returns true if one of the places of a finding lies inside a span. */
static bool stands_in(const th_finding *finding, th_span span)
{
    for (uint32_t p = 0; p < finding->place_count; p++)
        if (finding->places[p].span.start >= span.start && finding->places[p].span.end <= span.end)
            return true;
    return false;
}

/* Returns true if a span of text lies inside one of the places of a finding, in text. */
static bool holds(const th_page *page, const th_finding *finding, th_span span)
{
    if (page->tokens[th__token_at(page, span.start)].kind == TH_TOKEN_START)
        return false; /* a link */
    for (uint32_t p = 0; p < finding->place_count; p++)
        if (!finding->places[p].attribute.ptr && finding->places[p].span.start <= span.start &&
            span.end <= finding->places[p].span.end)
            return true;
    return false;
}

/* One labelled value against one text of the record that holds it. */
static bool compare(struct column_map *m, const th_finding *finding, uint32_t field,
                    uint32_t column, const th_value *value)
{
    enum { WHOLE = 4, PART = 1 }; /* a text that is the value tells more than one that has it */
    size_t at = cell(m, field, column);
    if (value->kind != TH_VALUE_TEXT)
        return true;
    if (!stands_in(finding, value->span)) {
        m->inside[at] += holds(m->page, finding, value->span);
        return true;
    }
    if (th__str_eq(th__value_text(value), finding->value)) {
        m->votes[at] += WHOLE;
        m->whole[at]++;
    } else if (th__str_find(th__value_text(value), finding->value) != SIZE_MAX) {
        m->votes[at] += PART;
        m->parts[at]++;
    } else {
        return true;
    }
    return th__vec_push(
        &m->part_list,
        (struct part_of_text){finding, field, column, th__value_text(value), finding->value});
}

static bool compare_record(struct column_map *m, const th_finding *finding, uint32_t field,
                           const th_value *record)
{
    for (uint32_t c = 0; c < record->count; c++) {
        const th_value *member = th__value_item(record, c);
        if (member->kind != TH_VALUE_LIST && !compare(m, finding, field, c, member))
            return false;
        for (uint32_t i = 0; member->kind == TH_VALUE_LIST && i < member->count; i++)
            if (!compare(m, finding, field, c, th__value_item(member, i)))
                return false;
    }
    return true;
}

static bool map_columns(const th_located *located, th__arena *scratch, struct column_map *m)
{
    size_t cells = (size_t)m->inner->count * m->fields->count;
    m->votes = th__arena_zero(scratch, cells + 1, sizeof *m->votes);
    m->parts = th__arena_zero(scratch, cells + 1, sizeof *m->parts);
    m->whole = th__arena_zero(scratch, cells + 1, sizeof *m->whole);
    m->inside = th__arena_zero(scratch, cells + 1, sizeof *m->inside);
    if (!m->votes || !m->parts || !m->whole || !m->inside)
        return false;
    m->apart = 0;
    for (size_t i = 0; i < th_located_count(located); i++) {
        uint32_t r = m->map->record[i];
        size_t parts = m->part_list.len;
        if (r == UINT32_MAX || m->matched[r] == UINT32_MAX)
            continue;
        if (!compare_record(m, th_located_get(located, i), m->map->member[i],
                            th_records_get(m->records, m->matched[r])))
            return false;
        m->apart += m->part_list.len == parts;
    }
    return true;
}

/* A name without the number that tells it from others of the same name. */
static th_str stem_of(th_str name)
{
    size_t len = name.len;
    while (len && th__is_digit((unsigned char)name.ptr[len - 1]))
        len--;
    return len > 1 && len < name.len && name.ptr[len - 1] == '_' ? (th_str){name.ptr, len - 1}
                                                                 : name;
}

/* Returns true if no record has both columns, and some have the second. */
static bool take_turns(const struct column_map *m, uint32_t a, uint32_t b)
{
    bool other = false;
    for (size_t r = 0; r < th_records_count(m->records); r++) {
        const th_value *record = th_records_get(m->records, r);
        bool has_a = th__value_item(record, a)->kind != TH_VALUE_NULL;
        bool has_b = th__value_item(record, b)->kind != TH_VALUE_NULL;
        if (has_a && has_b)
            return false;
        other |= has_b;
    }
    return other;
}

/* Where records come in two shapes, a field has a column in each: they have one name, and take
 * turns. A column that another field was seen in more often is its own. */
static bool add_twins(const struct column_map *m, uint32_t field, uint32_t column, bool part,
                      bool *used, th__arena *arena, th__select_field *out)
{
    th_str stem = stem_of(th_type_name(m->inner->children[column]));
    for (uint32_t c = 0; c < m->inner->count; c++) {
        th_str name = th_type_name(m->inner->children[c]);
        bool wanted = used[c];
        double own = part ? m->votes[cell(m, field, c)] : 0;
        for (uint32_t f = 0; f < m->fields->count; f++)
            wanted |= m->votes[cell(m, f, c)] > own;
        if (wanted || !th__str_eq(stem_of(name), stem) || !take_turns(m, column, c))
            continue;
        used[c] = true;
        out->from[out->from_count] = th__arena_copy(arena, name);
        if (!out->from[out->from_count++].ptr)
            return false;
    }
    return true;
}

/* A value that goes over several columns is all of them together. */
static bool join_columns(const struct column_map *m, uint32_t field, th__arena *arena,
                         th__select_field *out)
{
    for (uint32_t c = 0; c < m->inner->count; c++) {
        if (!m->inside[cell(m, field, c)])
            continue;
        out->from[out->from_count] = th__arena_copy(arena, th_type_name(m->inner->children[c]));
        if (!out->from[out->from_count++].ptr)
            return false;
    }
    out->join = out->from_count > 1;
    return true;
}

/* How many of the parts of a field a cut gives, in the columns that it has taken. */
static size_t count_cut(const struct column_map *m, uint32_t field, const bool *used,
                        const th__cut *cut)
{
    size_t right = 0, from, to;
    for (size_t i = 0; i < m->part_list.len; i++) {
        const struct part_of_text *part = &m->part_list.data[i];
        right += part->field == field && used[part->column] &&
                 th__cut_find(cut, part->text, &from, &to) &&
                 th__str_eq((th_str){part->text.ptr + from, to - from}, part->value);
    }
    return right;
}

/* Returns true if nearly all texts of the columns that values of the field were seen in can be cut
 * so. `both`: they must have the text behind the part, too. "by John Ford (1939)" is not to be cut
 * before " (1939)" when others end in other years. */
static bool fits_columns(const struct column_map *m, uint32_t field, const bool *used,
                         const th__cut *cut, bool both)
{
    size_t texts = 0, fit = 0, from, to;
    for (size_t r = 0; r < th_records_count(m->records); r++)
        for (uint32_t c = 0; c < m->inner->count; c++) {
            const th_value *value = th__value_item(th_records_get(m->records, r), c);
            if (!used[c] || m->votes[cell(m, field, c)] <= 0)
                continue;
            if (value->kind == TH_VALUE_LIST && value->count)
                value = th__value_item(value, 0);
            if (value->kind != TH_VALUE_TEXT)
                continue;
            th_str text = th__value_text(value);
            texts++;
            fit += th__cut_find(cut, text, &from, &to) &&
                   (!both || th__str_find((th_str){text.ptr + from, text.len - from},
                                          cut->before) != SIZE_MAX);
        }
    return 10 * fit >= 9 * texts;
}

/* The cut that gives most of the labelled values of a field: a few may be labelled otherwise, or be
 * of another form. One that gives nearly all of several is right; another must fit the other texts
 * of the columns too, and on both sides when a single record is labelled: part of one text was
 * selected, and the same part of all is wanted. Without one, texts are given whole. */
static bool take_cut(const struct column_map *m, uint32_t field, const bool *used, th__arena *arena,
                     th__cut *out)
{
    enum { LEAST_SEEN = 2, SEVERAL = 4, TAUGHT_BY = 8 }; /* values that bring cuts */
    size_t whole = 0, all = 0, taught = 0, least = m->labelled == 1 ? 1 : LEAST_SEEN;
    for (uint32_t c = 0; c < m->inner->count; c++)
        if (used[c]) {
            whole += m->whole[cell(m, field, c)];
            all += m->whole[cell(m, field, c)] + m->parts[cell(m, field, c)];
        }
    size_t best = whole;
    for (size_t i = 0; all - whole >= least && i < m->part_list.len && taught < TAUGHT_BY; i++) {
        const struct part_of_text *part = &m->part_list.data[i];
        th__cuts cuts;
        if (part->field != field || !used[part->column] || th__str_eq(part->text, part->value))
            continue;
        taught++;
        size_t from = th__str_find(part->text, part->value);
        th__cuts_of(part->text, from, from + part->value.len, &cuts);
        for (uint32_t c = 0; c < cuts.count && best < all; c++) {
            size_t right = count_cut(m, field, used, &cuts.data[c]);
            bool sure = right >= SEVERAL && 10 * right >= 9 * all;
            if (right > best && (sure || fits_columns(m, field, used, &cuts.data[c], least == 1))) {
                best = right;
                *out = cuts.data[c];
            }
        }
    }
    /* A few values are all right, or the cut fits them by chance. */
    if (best < all && (best < SEVERAL || 10 * best < 6 * all))
        *out = (th__cut){0};
    if (out->after.len)
        out->after = th__arena_copy(arena, out->after);
    if (out->before.len)
        out->before = th__arena_copy(arena, out->before);
    return (out->after.ptr || !out->after.len) && (out->before.ptr || !out->before.len);
}

/* Returns true if a column has a labelled value of a field that no column in use has. A title, and
 * the same title in a box that opens over it, are one value. Parts of one finding are in a row. */
static bool adds_value(const struct column_map *m, uint32_t field, const bool *used,
                       uint32_t column)
{
    bool here = false, taken = false;
    for (size_t i = 0; i < m->part_list.len; i++) {
        const struct part_of_text *part = &m->part_list.data[i];
        if (i && part->finding != m->part_list.data[i - 1].finding) {
            if (here && !taken)
                return true;
            here = taken = false;
        }
        here |= part->field == field && part->column == column;
        taken |= part->field == field && used[part->column];
    }
    return here && !taken;
}

/* Returns true if another field was seen in a column more often. Parts of one text may go to
 * several fields. */
static bool is_lost(const struct column_map *m, uint32_t field, uint32_t column)
{
    bool lost = false;
    for (uint32_t other = 0; other < m->fields->count; other++)
        lost |= m->votes[cell(m, other, column)] > m->votes[cell(m, field, column)];
    return lost && m->whole[cell(m, field, column)] > 0;
}

/* Items of a list may go to several fields: see choose_item. */
static bool take_shared_list(const struct column_map *m, uint32_t field, th__arena *arena,
                             th__select_field *out)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t c = 0; c < m->inner->count; c++)
        if (m->whole[cell(m, field, c)] &&
            th__type_strip(m->inner->children[c])->kind == TH_TYPE_LIST &&
            (best == UINT32_MAX || m->whole[cell(m, field, c)] > m->whole[cell(m, field, best)]))
            best = c;
    if (best == UINT32_MAX)
        return join_columns(m, field, arena, out);
    out->from[0] = th__arena_copy(arena, th_type_name(m->inner->children[best]));
    out->from_count = 1;
    return out->from[0].ptr;
}

/* The columns of a field, best first: those in which its values were seen, unless another field was
 * seen there more often. */
static bool take_columns(th__arena *scratch, const struct column_map *m, uint32_t field,
                         th__arena *arena, th__select_field *out)
{
    out->from = th__arena_zero(arena, m->inner->count + 1, sizeof *out->from);
    bool *used = th__arena_zero(scratch, m->inner->count + 1, sizeof *used);
    if (!out->from || !used)
        return false;
    for (;;) {
        uint32_t best = UINT32_MAX;
        for (uint32_t c = 0; c < m->inner->count; c++) {
            double votes = m->votes[cell(m, field, c)];
            if (votes > 0 && !is_lost(m, field, c) && !used[c] &&
                (best == UINT32_MAX || votes > m->votes[cell(m, field, best)]))
                best = c;
        }
        if (best == UINT32_MAX)
            return out->from_count || take_shared_list(m, field, arena, out);
        size_t at = cell(m, field, best);
        bool part = m->parts[at] > m->whole[at];
        /* A column that has the value whole leaves no room for one that has it among others. */
        bool more = !out->from_count || (!part && adds_value(m, field, used, best));
        used[best] = true;
        if (!more)
            continue;
        out->from[out->from_count] = th__arena_copy(arena, th_type_name(m->inner->children[best]));
        if (!out->from[out->from_count++].ptr || !add_twins(m, field, best, part, used, arena, out))
            return false;
        if (part)
            return take_cut(m, field, used, arena, &out->cut);
    }
}

/* ---- which item of a list is a field ------------------------------------------------------------
 */

/* A list inside a record, and which of its items a labelled value is. */
struct item_of_list {
    const th_value *list;
    uint32_t item;
};
typedef TH__VEC(struct item_of_list) item_vec;

/* How the labelled values of a field and the items of a column go together. */
struct items_seen {
    item_vec items;
    TH__VEC(const th_value *) without; /* lists of labelled records that do not have the field */
    size_t others;                     /* values that are not an item */
};

/* Returns true if a rule gives all labelled items; `strictly`: and nothing where none is labelled.
 */
static bool gives_items(const struct items_seen *seen, const th__select_field *field, bool strictly)
{
    for (size_t i = 0; i < seen->items.len; i++)
        if (th__select_item(field, seen->items.data[i].list) != seen->items.data[i].item)
            return false;
    for (size_t i = 0; strictly && i < seen->without.len; i++)
        if (th__select_item(field, seen->without.data[i]) < seen->without.data[i]->count)
            return false;
    return true;
}

/* The label with a colon that all items begin with; empty: there is none. */
static th_str shared_label(const item_vec *items)
{
    th_str first = {0};
    for (size_t i = 0; i < items->len; i++) {
        th_str text = th__value_text(th__value_item(items->data[i].list, items->data[i].item));
        size_t colon = th__str_find(text, TH_STR(":"));
        th_str label = {text.ptr, colon == SIZE_MAX ? 0 : colon + 1};
        if (!label.len || (i && !th__str_eq(label, first)))
            return (th_str){0};
        first = label;
    }
    return first;
}

/* A field that is one item of a list in each record: the first, the one with a label, or the one
 * with a number, from either end. Better one that leaves out the records that do not have the
 * field: the third item from the end where an optional one comes first. */
static bool take_item(const struct items_seen *seen, th__arena *arena, th__select_field *out,
                      bool *strictly)
{
    const struct item_of_list *one = seen->items.data;
    th__select_field tried[] = {{.item = 1},
                                {.begins = shared_label(&seen->items)},
                                {.item = one->item + 1},
                                {.item = one->list->count - one->item, .from_end = true}};
    enum { RULES = sizeof tried / sizeof *tried };
    for (size_t i = 0; i < (size_t)2 * RULES; i++) {
        size_t t = i % RULES;
        *strictly = i < RULES;
        if ((!tried[t].item && !tried[t].begins.len) || !gives_items(seen, &tried[t], *strictly))
            continue;
        if (tried[t].begins.len)
            tried[t].begins = th__arena_copy(arena, tried[t].begins);
        out->begins = tried[t].begins;
        out->item = t || out->list ? tried[t].item : 0; /* the first is taken anyway */
        out->from_end = tried[t].from_end;
        return !out->begins.len || out->begins.ptr;
    }
    return true;
}

/* Which items of the column the labelled values of a field are. */
static bool find_items(const th_located *located, const struct column_map *m, uint32_t field,
                       uint32_t column, struct items_seen *out)
{
    const th_records *labels = th_located_records(located);
    for (size_t i = 0; i < th_located_count(located); i++) {
        uint32_t r = m->map->record[i];
        if (r == UINT32_MAX || m->matched[r] == UINT32_MAX || m->map->member[i] != field)
            continue;
        const th_value *list = th__value_item(th_records_get(m->records, m->matched[r]), column);
        uint32_t count = list->kind == TH_VALUE_LIST ? list->count : 0, k = 0;
        while (k < count && !th__str_eq(th__value_text(th__value_item(list, k)),
                                        th_located_get(located, i)->value))
            k++;
        out->others += k == count;
        if (k < count && !th__vec_push(&out->items, ((struct item_of_list){list, k})))
            return false;
    }
    for (size_t r = 0; r < th_records_count(labels); r++) {
        const th_value *list =
            m->matched[r] == UINT32_MAX
                ? NULL
                : th__value_item(th_records_get(m->records, m->matched[r]), column);
        if (list && list->kind == TH_VALUE_LIST &&
            th__value_item(th_records_get(labels, r), field)->kind == TH_VALUE_NULL &&
            !th__vec_push(&out->without, list))
            return false;
    }
    return true;
}

/* Returns true if lists have one labelled item each, and some have others too. */
static bool one_of_several(const item_vec *items)
{
    bool several = false;
    for (size_t i = 0; i < items->len; i++) {
        several |= items->data[i].list->count > 1;
        if (i && items->data[i].list == items->data[i - 1].list)
            return false;
    }
    return several;
}

/* A field that was seen in a list as one of its items: which it is. Where the list is rather
 * another field's, only an item that is certain is taken. */
static bool choose_item(const th_located *located, const struct column_map *m, uint32_t field,
                        th__arena *arena, th__select_field *out)
{
    struct items_seen seen = {0};
    bool ok = true, lost = false, strictly = false;
    for (uint32_t c = 0; ok && c < m->inner->count; c++)
        if (th__str_eq(th_type_name(m->inner->children[c]), out->from[0])) {
            lost = is_lost(m, field, c);
            ok = find_items(located, m, field, c, &seen);
        }
    if (ok && one_of_several(&seen.items) && (!(out->list || lost) || !seen.others))
        ok = take_item(&seen, arena, out, &strictly);
    if (lost && !strictly)
        *out = (th__select_field){.name = out->name, .list = out->list, .from = out->from};
    th__vec_release(&seen.items);
    th__vec_release(&seen.without);
    return ok;
}

static bool has_member(const th_type *tuple, th_str name)
{
    for (uint32_t i = 0; i < tuple->count; i++)
        if (th__str_eq(th_type_name(tuple->children[i]), name))
            return true;
    return false;
}

/* Makes the wrapper's selection: the labelled fields, each from the columns in which its values
 * are, and one for all other texts. */
static th_status select_columns(const th_located *located, struct column_map *m, th__arena *scratch,
                                const th_schema *schema, th__arena *arena, th__select **out,
                                th_error *err)
{
    th__select *select = *out = th__arena_zero(arena, 1, sizeof *select);
    if (select)
        select->fields = th__arena_zero(arena, m->fields->count + 2, sizeof *select->fields);
    m->part_list.len = 0;
    if (!select || !select->fields || !map_columns(located, scratch, m))
        return th__fail_memory(err);
    for (uint32_t i = 0; i < m->fields->count; i++) {
        const th_type *type = th__type_strip(m->fields->children[i]);
        bool list = type->kind == TH_TYPE_LIST;
        if ((list ? th__type_strip(type->children[0]) : type)->kind != TH_TYPE_FIELD)
            continue; /* a column has no records */
        th__select_field *field = &select->fields[select->count++];
        field->name = th__arena_copy(arena, th_type_name(m->fields->children[i]));
        field->list = list;
        if (!field->name.ptr || !take_columns(scratch, m, i, arena, field))
            return th__fail_memory(err);
        if (field->from_count == 1 && th__cut_is_whole(&field->cut) &&
            !choose_item(located, m, i, arena, field))
            return th__fail_memory(err);
    }
    if (!has_member(m->fields, TH_STR("other")))
        select->fields[select->count++] = (th__select_field){.name = TH_STR("other"), .rest = true};
    return th__select_prepare(select, schema, arena, err);
}

/* ---- learning a candidate -------------------------------------------------------------------- */

/* Learns the list of the labelled page, and what the other pages add to it. */
static th_status learn_list(struct list_search *f, const struct candidate *c, th_wrapper *wrapper,
                            th_error *err)
{
    th_learn_options options = f->learner->options;
    void *state = NULL;
    size_t records = 0;
    options.pick = c->pick;
    options.whole_lines |= c->whole_lines;
    options.tidy = false; /* any column may be labelled */
    options.headings = c->headings;
    options.heading_count = c->heading_count;
    options.attributes = f->attributes.data;
    th_status status = th__learner_count(f->learner, NULL, wrapper)
                           ? c->engine->learn_begin(&options, &wrapper->arena, &state, err)
                           : th__fail_memory(err);
    for (size_t i = 0; !status && i <= f->learner->kept.len; i++) {
        size_t page = i ? i - 1 : f->page;
        if (i && page == f->page)
            continue;
        th__kept_page *kept = &f->learner->kept.data[page];
        th_records_source source = {kept->name, kept->url};
        status = c->engine->learn_page(state, kept->page, &source, &records, err);
        wrapper->pages[page].records = records;
        if (!status && i == 0 && !records)
            break;
    }
    if (!status)
        status = c->engine->learn_end(state, &wrapper->schema, &wrapper->rules, err);
    if (state)
        c->engine->learn_free(state);
    wrapper->engine = c->engine;
    wrapper->pick = c->pick;
    return status;
}

/* ---- is it right ------------------------------------------------------------------------------
 */

/* How many of the fields that every labelled record has are filled, over all records. */
static size_t count_filled(const th_records *records, const th_type *fields)
{
    size_t filled = 0;
    for (size_t r = 0; r < th_records_count(records); r++)
        for (uint32_t f = 0; f < fields->count; f++)
            filled += fields->children[f]->kind != TH_TYPE_OPTIONAL &&
                      th__value_item(th_records_get(records, r), f)->kind != TH_VALUE_NULL;
    return filled;
}

/* The part of them that is. */
static double fill_of(const th_records *records, const th_type *fields)
{
    size_t cells = 0;
    for (uint32_t f = 0; f < fields->count; f++)
        cells += fields->children[f]->kind != TH_TYPE_OPTIONAL ? th_records_count(records) : 0;
    return cells ? (double)count_filled(records, fields) / cells : 0;
}

/* How a list does on the labelled records of its page. */
static th_status measure(struct list_search *f, const th_wrapper *wrapper, struct list_fit *fit,
                         th_error *err)
{
    const th__kept_page *kept = &f->learner->kept.data[f->page];
    th_records *found = NULL;
    th__judged judged = {0};
    th_status status = th_wrapper_extract(wrapper, kept->page, NULL, &found, err);
    if (!status && !th__judge_records(found, th_located_records(kept->located), TH__LABELS_ALL,
                                      kept->sample, NULL, NULL, &judged))
        status = th__fail_memory(err);
    fit->share = judged.wanted ? (double)judged.common / (double)judged.wanted : 0;
    fit->like = judged.wanted ? th__judged_worth(&judged) : 0;
    if (!status && th__judge_unwanted(f->learner, kept, found))
        status = th__fail(err, TH_ERR_FORMAT, "the list has records where the labels say none are");
    if (!status)
        fit->fill = fill_of(found, th__type_strip(th_schema_record_type(f->learner->label_schema)));
    th_records_free(found);
    return status;
}

/* What columns are worth that were picked without the labels that they are judged by: of several
 * labelled records each part is held out once. */
static th_status judge_columns(struct list_search *f, struct column_map *m, const th_schema *schema,
                               double *out, th_error *err)
{
    enum { PARTS = 5 };
    const th__kept_page *kept = &f->learner->kept.data[f->page];
    const uint32_t *matched = m->matched;
    uint32_t *kept_in = th__arena_zero(&f->arena, m->labelled + 1, sizeof *kept_in);
    th__judged judged = {0};
    th_status status = kept_in ? TH_OK : th__fail_memory(err);
    m->matched = kept_in;
    for (size_t part = 0; !status && part < PARTS && part < m->labelled; part++) {
        th__select *select = NULL;
        th_records *found = NULL;
        th__arena arena;
        th__arena_init(&arena);
        for (size_t r = 0; r < m->labelled; r++)
            kept_in[r] = r % PARTS == part ? UINT32_MAX : matched[r];
        status = select_columns(kept->located, m, &arena, schema, &arena, &select, err);
        if (!status)
            status = th__select_run(select, m->records, kept->page, &found, err);
        if (!status &&
            !th__judge_records(found, th_located_records(kept->located),
                               (th__label_part){part, PARTS}, kept->sample, NULL, NULL, &judged))
            status = th__fail_memory(err);
        th_records_free(found);
        if (select)
            th__select_release(select);
        th__arena_release(&arena);
    }
    m->matched = matched;
    *out = judged.wanted ? th__judged_worth(&judged) : 0;
    return status;
}

/*
 * What a list is worth: above all its records must hold the labelled ones, then its columns must
 * give the labelled values, and other records should have the same fields.
 */
static double worth_of(const struct candidate *c, double share, double fill)
{
    /* mdr finds fewer records rightly without labels: by how much it must be better than lists was
     * found on development pages. */
    double doubt = c->engine == &th__mdr_engine ? 0.1 : 0;
    return c->coverage + 0.5 * share + 0.3 * fill - doubt;
}

static th_status try_candidate(struct list_search *f, const struct candidate *c, double least,
                               th_wrapper *wrapper, struct list_fit *fit, th_error *err)
{
    const th__kept_page *kept = &f->learner->kept.data[f->page];
    struct column_map m = {.page = kept->page,
                           .fields =
                               th__type_strip(th_schema_record_type(f->learner->label_schema)),
                           .map = &f->map,
                           .labelled = th_records_count(th_located_records(kept->located))};
    uint32_t *matched = th__arena_zero(&f->arena, m.labelled + 1, sizeof *matched);
    th_records *records = NULL;
    struct holders h = {0};
    size_t held;
    th_status status = matched ? learn_list(f, c, wrapper, err) : th__fail_memory(err);
    if (!status)
        status = c->engine->run(wrapper->rules, wrapper->schema, kept->page,
                                &(th_records_source){0}, &records, err);
    if (!status &&
        !(holders_init(&h, records) && match_records(f, kept->located, &h, matched, &held)))
        status = th__fail_memory(err);
    if (!status) {
        m.inner = th__type_strip(th_schema_record_type(wrapper->schema));
        m.records = records;
        m.matched = matched;
        status = select_columns(kept->located, &m, &f->arena, wrapper->schema, &wrapper->arena,
                                &wrapper->select, err);
    }
    fit->apart = m.apart > 0;
    if (!status)
        status = measure(f, wrapper, fit, err);
    fit->unseen = fit->like;
    /* Nobody asks that of a list that is right, or that is not taken. */
    if (!status && m.labelled >= TH__JUDGE_RECORDS && fit->like > 0 && fit->like < 1 &&
        worth_of(c, fit->share, fit->fill) > least)
        status = judge_columns(f, &m, wrapper->schema, &fit->unseen, err);
    th__vec_release(&m.part_list);
    th__vec_release(&h.texts);
    th_records_free(records);
    return status;
}

/* ---- all ---------------------------------------------------------------------------------------
 */

/* The candidate with the best coverage that was not tried; of equals the first. */
static struct candidate *next_candidate(struct list_search *f)
{
    struct candidate *best = NULL;
    for (size_t i = 0; i < f->candidates.len; i++) {
        struct candidate *c = &f->candidates.data[i];
        if (c->coverage > 0 && (!best || c->coverage > best->coverage))
            best = c;
    }
    return best;
}

static void swap(th_wrapper *a, th_wrapper *b)
{
    th_wrapper kept = *a;
    *a = *b;
    *b = kept;
}

/* The best so far. */
struct best {
    th_wrapper *wrapper;
    double worth;
    struct list_fit fit;
};

/* Learns a candidate, and keeps it when it is better than those before it. */
static th_status weigh_candidate(struct list_search *f, const struct candidate *c,
                                 struct best *best, bool *apart, th_error *err)
{
    struct list_fit fit = {.held = c->coverage};
    th_wrapper *tried = th__wrapper_new(c->engine);
    if (!tried)
        return th__fail_memory(err);
    th_status status = try_candidate(f, c, best->worth, tried, &fit, err);
    *apart = fit.apart;
    if (status == TH_ERR_FORMAT || status == TH_ERR_LIMIT || status == TH_ERR_ARGUMENT)
        status = TH_OK; /* a list that cannot be learnt: the next */
    else if (!status && worth_of(c, fit.share, fit.fill) > best->worth) {
        best->worth = worth_of(c, fit.share, fit.fill);
        best->fit = fit;
        swap(best->wrapper, tried);
    }
    th_wrapper_free(tried);
    return status;
}

/* Where labelled values go over several parts of a line, lines may be what is labelled. */
static th_status try_candidates(struct list_search *f, struct best *best, th_error *err)
{
    th_status status = TH_OK;
    for (int i = 0; !status && i < TRIES && best->fit.share < 1; i++) {
        struct candidate *c = next_candidate(f);
        bool apart = false;
        if (!c || worth_of(c, 1, 1) <= best->worth)
            break;
        status = weigh_candidate(f, c, best, &apart, err);
        c->whole_lines = true;
        if (!status && apart && c->engine != &th__iepad_engine)
            status = weigh_candidate(f, c, best, &apart, err);
        c->coverage = 0;
    }
    return status;
}

/* Returns true if a list of an engine, or one that was found before, may be better than the best so
 * far: if it held all labelled values, as often as they are there. */
static bool may_be_better(const struct list_search *f, const th__engine *engine,
                          const struct best *best)
{
    struct candidate most = {.engine = engine, .coverage = (double)f->most / (double)f->values};
    bool may = !f->values || worth_of(&most, 1, 1) > best->worth;
    for (size_t i = 0; !may && i < f->candidates.len; i++)
        may = f->candidates.data[i].coverage > 0 &&
              worth_of(&f->candidates.data[i], 1, 1) > best->worth;
    return may;
}

/* An engine for lists whose records are those that are labelled, and whose columns
 * are their fields. No list at all is no error and leaves wrapper->rules NULL. */
static th_status choose_list(th__learner *learner, const th__engine *only, th_wrapper *wrapper,
                             struct list_fit *fit, th_error *err)
{
    struct list_search f = {.learner = learner};
    th_status status = TH_OK;
    struct best best = {.wrapper = wrapper};
    th__arena_init(&f.arena);
    bool ok = true;
    for (size_t i = 0; ok && i < learner->kept.len; i++)
        ok = find_attributes(&f, &learner->kept.data[i]);
    if (!ok || (f.attributes.len && !th__buf_add_byte(&f.attributes, '\0')))
        status = th__fail_memory(err);
    while (f.page < learner->kept.len && (!learner->kept.data[f.page].located ||
                                          !th_located_count(learner->kept.data[f.page].located)))
        f.page++;
    f.step = 1;
    if (f.page < learner->kept.len)
        f.step +=
            (uint32_t)(th_records_count(th_located_records(learner->kept.data[f.page].located))) /
            LOOKED_AT;
    if (!status && f.page < learner->kept.len &&
        (!th__finding_map_make(learner->kept.data[f.page].located, &f.arena, &f.map) ||
         !find_own(&f, learner->kept.data[f.page].located)))
        status = th__fail_memory(err);
    const th__engine *const *engines = only ? &only : list_engines;
    size_t count = only ? 1 : ENGINES;
    for (size_t e = 0; !status && f.page < learner->kept.len && e < count && best.fit.share < 1;
         e++) {
        if (!may_be_better(&f, engines[e], &best))
            continue;
        status = add_candidates(&f, engines[e], err);
        drop_parts(&f);
        if (!status)
            status = try_candidates(&f, &best, err);
    }
    *fit = best.fit;
    th__vec_release(&f.candidates);
    th__buf_release(&f.attributes);
    th__arena_release(&f.arena);
    return status;
}

/* ---- the best of several ------------------------------------------------------------------------
 */

/* Of engines that are equally right the simplest is taken: the others must be better by this. */
#define BETTER 0.02

struct choice {
    th_wrapper *best;
    double worth;
    th__buf tried;   /* "paths 0.98, stalker 0.91" */
    th__notes notes; /* of the best */
};

static void choice_init(struct choice *choice)
{
    *choice = (struct choice){0};
    th__notes_init(&choice->notes);
}

/* Moves what a wrapper has into another. */
static void move(th_wrapper *from, th_wrapper *to)
{
    swap(from, to);
    th_wrapper_free(from);
}

/* The end of a choice: its wrapper, and what there is to tell of it. */
static th_status choice_end(struct choice *choice, th_status status, th__learner *learner,
                            th_wrapper *wrapper, th_error *err)
{
    for (size_t i = 0; !status && i < choice->notes.lines.len; i++) {
        if (!th__notes_copy(learner->notes, &choice->notes.lines.data[i]))
            status = th__fail_memory(err);
    }
    if (!status)
        move(choice->best, wrapper);
    else
        th_wrapper_free(choice->best);
    th__buf_release(&choice->tried);
    th__notes_release(&choice->notes);
    return status;
}

static void note_tried(struct choice *choice, const th__engine *engine, const char *how,
                       double worth)
{
    th__buf_printf(&choice->tried, "%s%s %s%.2f", choice->tried.len ? ", " : "", engine->name, how,
                   worth);
}

/* More than an engine must be worth to be taken; below 0: whatever it is worth. */
static double least_worth(const struct choice *choice)
{
    return choice->best ? choice->worth + BETTER : -1;
}

/* Takes a wrapper, and the notes of its engine, when it is better. */
static void consider(struct choice *choice, th_wrapper *wrapper, double worth, th__notes *notes)
{
    note_tried(choice, wrapper->engine, "", worth);
    if (worth <= least_worth(choice)) {
        th_wrapper_free(wrapper);
        return;
    }
    th_wrapper_free(choice->best);
    choice->best = wrapper;
    choice->worth = worth;
    if (notes) {
        th__notes kept = choice->notes;
        choice->notes = *notes;
        *notes = kept;
    }
}

/* Returns true if the records of labels have nothing but texts and lists of texts. */
static bool is_flat(const th_schema *schema)
{
    const th_type *tuple = th__type_strip(th_schema_record_type(schema));
    for (uint32_t i = 0; i < tuple->count; i++) {
        const th_type *type = th__type_strip(tuple->children[i]);
        if (type->kind == TH_TYPE_LIST)
            type = th__type_strip(type->children[0]);
        if (type->kind != TH_TYPE_FIELD)
            return false;
    }
    return true;
}

/* Tries one engine. That it cannot learn this is no failure, but kept in *failed. */
static th_status try_engine(th__learner *learner, const th__engine *engine, struct choice *choice,
                            th_status *failed, th_error *err)
{
    th_wrapper *wrapper = NULL;
    double worth;
    th_error own;
    th__notes notes;
    th__notes_init(&notes);
    th_status status =
        th__judge_engine(learner, engine, least_worth(choice), &notes, &wrapper, &worth, &own);
    if (!status && wrapper) {
        consider(choice, wrapper, worth, &notes);
    } else if (!status) {
        if (worth > 0)
            note_tried(choice, engine, "at most ", worth);
    } else {
        if (err && !*failed)
            *err = own;
        *failed = status;
        if (status != TH_ERR_MEMORY)
            status = TH_OK;
    }
    th__notes_release(&notes);
    return status;
}

/* When an engine's turn is. Of nested records a few labelled pages show little of what there is:
 * engines that are made for them come first, then those that have several views of a field. One
 * page cannot be kept back, so that the first engine is taken: several views err less where texts
 * between the values differ. */
static int turn_of(const th__engine *engine, bool flat, bool several)
{
    return flat || (engine->nested && several) ? 0 : engine->doubts ? 1 : 2;
}

/* Engines that learn from labels, one after the other, until one is right. */
static th_status try_engines(th__learner *learner, struct choice *choice, th_error *err)
{
    enum { TURNS = 3 };
    th_status status = TH_OK, failed = TH_OK;
    const th__engine *const *engines = th__engine_list();
    bool flat = is_flat(learner->label_schema), several = learner->labelled > 1;
    for (int turn = 0; turn < TURNS; turn++)
        for (size_t i = 0; engines[i] && !status && least_worth(choice) < 1; i++)
            if (engines[i]->learn_corpus && engines[i]->needs_labels &&
                engines[i] != &th__paths_engine && turn_of(engines[i], flat, several) == turn)
                status = try_engine(learner, engines[i], choice, &failed, err);
    return status ? status : choice->best ? TH_OK : failed;
}

/* ---- pages of one record ----------------------------------------------------------------------
 */

/* Takes the rules that resolved the labels. */
static th_status take_resolved(th__learner *learner, th__resolved *resolved, th_wrapper **out,
                               th_error *err)
{
    th_wrapper *wrapper = th__wrapper_new(&th__paths_engine);
    th__path_rules *rules = th__arena_zero(&resolved->arena, 1, sizeof *rules);
    if (!wrapper || !rules) {
        th_wrapper_free(wrapper);
        return th__fail_memory(err);
    }
    *rules = resolved->rules;
    /* The rules live in the arena of what was resolved: the wrapper takes it over. */
    wrapper->arena = resolved->arena;
    th__arena_init(&resolved->arena);
    wrapper->rules = rules;
    wrapper->schema = th_schema_retain(learner->label_schema);
    if (!th__learner_count(learner, NULL, wrapper)) {
        th_wrapper_free(wrapper);
        return th__fail_memory(err);
    }
    for (size_t i = 0; i < learner->kept.len; i++)
        wrapper->pages[i].records = learner->kept.data[i].located != NULL;
    *out = wrapper;
    return TH_OK;
}

/* Returns true if each field is right on all its labelled pages. */
static bool is_right(const th__resolved *resolved)
{
    for (uint32_t f = 0; f < resolved->rules.count; f++)
        if (resolved->fits[f].right < resolved->fits[f].pages)
            return false;
    return true;
}

/* Which engine was taken, and why; a detail when all is well. */
static bool note_choice(struct choice *choice, const char *why, bool detail)
{
    return !choice->tried.failed &&
           th__notes_add_of(&choice->notes, (th_str){0}, detail, "using engine %s; %s: %.*s",
                            choice->best->engine->name, why,
                            TH_STR_ARG(th__buf_str(&choice->tried)));
}

/* What place rules that give all labels must be worth by labels held out to be taken at once. What
 * they lose then is mostly a value that no other labelled page has, which other engines lose too:
 * on real detail pages those gave the same records, for many times the work. */
#define GOOD_PATHS 0.9

/* The rules that resolved the labels are judged as all others are: by labels held out. A single
 * label cannot be: then rules that give it are taken, since pages without labels agree on them. */
static th_status learn_record(th__learner *learner, th__resolved *resolved, th_wrapper *wrapper,
                              th_error *err)
{
    struct choice choice;
    th_wrapper *paths = NULL;
    bool right = is_right(resolved);
    double worth = 1;
    /* What was resolved goes into the wrapper, which another engine's may replace. */
    th__path_fit *fits = TH__NEW_ARRAY(th__path_fit, resolved->rules.count + 1);
    th_status status = fits ? TH_OK : th__fail_memory(err);
    choice_init(&choice);
    if (fits)
        memcpy(fits, resolved->fits, resolved->rules.count * sizeof *fits);
    if (!status)
        status = take_resolved(learner, resolved, &paths, err);
    if (!status && (!right || resolved->without))
        status = th__judge_paths(learner, resolved->without, paths, &worth, err);
    if (!status)
        consider(&choice, paths, worth, NULL);
    else
        th_wrapper_free(paths);
    if (!status && worth < (right ? GOOD_PATHS : 1))
        status = try_engines(learner, &choice, err);
    if (!status && !right)
        status = th__judge_tell_apart(learner, choice.best, fits, err);
    th__mem_free(fits);
    if (!status && !note_choice(&choice,
                                worth < 1 ? "correct on labelled pages, each held out once"
                                          : "correct on all labelled pages",
                                right))
        status = th__fail_memory(err);
    return choice_end(&choice, status, learner, wrapper, err);
}

/* ---- lists, and what is nested -----------------------------------------------------------------
 */

static th_status fail_lists(const th__engine *only, th_error *err)
{
    return th__fail(
        err, TH_ERR_FORMAT,
        "no list%s%s on the labelled page contains the labelled records, each in a record of its "
        "own: label at least two records of one list, or give exact places",
        only ? " of engine " : "", only ? only->name : "");
}

/* What a list must give, or at least hold in the right records, to be believed. Of the values that
 * a record holds a few may be written otherwise than they are labelled. */
#define ENOUGH_VALUES 0.5
#define ENOUGH_HELD   0.75
/* An engine that reads so much of the other records is right. */
#define NEARLY_ALL 0.95
/* A list with so many labelled records is labelled as a whole: those held out decide. */
#define MOST_LABELLED 0.9

/* How many records are labelled. */
static size_t count_labelled(const th__learner *learner)
{
    size_t count = 0;
    for (size_t p = 0; p < learner->kept.len; p++)
        if (learner->kept.data[p].located)
            count += th_records_count(th_located_records(learner->kept.data[p].located));
    return count;
}

/* ---- what an engine reads of records that are not labelled ------------------------------------
 */

enum { READ_PAGES = 8 };

/* Where the texts of records are, in the order of the page; texts that overlap are one, and *twice
 * is how many there were besides. */
static bool texts_of(const th_records *records, stretch_vec *out, size_t *twice)
{
    size_t kept = 0;
    for (size_t r = 0; records && r < th_records_count(records); r++)
        if (!add_stretches(th_records_get(records, r), (uint32_t)r, out))
            return false;
    if (out->len)
        qsort(out->data, out->len, sizeof *out->data, by_place);
    for (size_t i = 0; i < out->len; i++) {
        struct stretch *last = kept ? &out->data[kept - 1] : NULL, *text = &out->data[i];
        if (!last || text->span.start >= last->span.end) {
            out->data[kept++] = *text;
        } else if (text->span.end > last->span.end) {
            last->len += text->len;
            last->span.end = text->span.end;
        }
    }
    *twice = out->len - kept;
    out->len = kept;
    return true;
}

/* The part of a text that others cover, which are apart and in order. *next is the first that does
 * not end before it. */
static double covered(struct stretch text, const stretch_vec *others, size_t *next)
{
    double len = 0;
    while (*next < others->len && others->data[*next].span.end <= text.span.start)
        ++*next;
    for (size_t i = *next; i < others->len && others->data[i].span.start < text.span.end; i++) {
        th_span span = others->data[i].span;
        uint32_t start = span.start > text.span.start ? span.start : text.span.start;
        uint32_t end = span.end < text.span.end ? span.end : text.span.end;
        len += others->data[i].len * (end - start) / (span.end - span.start);
    }
    return len < text.len ? len / text.len : 1;
}

/* How much of the texts of a list an engine reads. */
struct texts_read {
    double of[2]; /* in records without and with labels */
    size_t texts[2];
    size_t own;                   /* texts of the engine */
    size_t beside;                /* of them: those that no text of the list has */
    size_t twice;                 /* and those that it gives twice */
    size_t cells, list_cells;     /* of fields that every labelled record has, filled by each */
    size_t records, list_records; /* of each */
};

static bool add_reading(const th_records *list, const th_records *own, const th_records *labels,
                        const th_type *fields, struct texts_read *out)
{
    stretch_vec texts = {0}, found = {0}, given = {0};
    size_t next = 0, at = 0, label = 0, twice = 0, any;
    bool labelled = false;
    struct stretch around = {.len = 1};
    bool ok = texts_of(list, &texts, &any) && texts_of(labels, &given, &any) &&
              texts_of(own, &found, &twice);
    for (size_t i = 0; ok && i < texts.len; i++) {
        while (at < th_records_count(list) && around.span.end <= texts.data[i].span.start) {
            around.span = th_value_span(th_records_get(list, at++));
            labelled = covered(around, &given, &label) > 0;
        }
        out->of[labelled] += covered(texts.data[i], &found, &next);
        out->texts[labelled]++;
    }
    next = 0;
    for (size_t i = 0; ok && i < found.len; i++)
        out->beside += covered(found.data[i], &texts, &next) <= 0;
    out->twice += twice;
    out->own += found.len + twice;
    out->cells += count_filled(own, fields);
    out->list_cells += count_filled(list, fields);
    out->records += th_records_count(own);
    out->list_records += th_records_count(list);
    th__vec_release(&texts);
    th__vec_release(&found);
    th__vec_release(&given);
    return ok;
}

/* Holds an engine against a list whose columns do not give what is labelled. That its rules give
 * all of it says little, as they may know the labelled records alone. The list was found without
 * labels: rules that hold for its other records read as much of the texts of those as of the
 * labelled ones, and no texts beside. A list that is not `sure`, since its columns give too little
 * of what is labelled, may be a part of the whole: texts beside it do not count against rules whose
 * records are as full as those of the list. *out is how much they read of that, and *fill how many
 * of the fields that the list fills, 0 to 1. */
static th_status weigh_reading(th__learner *learner, const th_wrapper *wrapper,
                               th_records *const *list, bool sure, double *out, double *fill,
                               th_error *err)
{
    const th_type *fields = th__type_strip(th_schema_record_type(learner->label_schema));
    struct texts_read all = {0};
    th_status status = TH_OK;
    for (size_t p = 0; !status && p < learner->kept.len && p < READ_PAGES; p++) {
        const th__kept_page *kept = &learner->kept.data[p];
        const th_records *labels = kept->located ? th_located_records(kept->located) : NULL;
        th_records *own = NULL;
        status = th_wrapper_extract(wrapper, kept->page, NULL, &own, err);
        if (!status && !add_reading(list[p], own, labels, fields, &all))
            status = th__fail_memory(err);
        th_records_free(own);
    }
    double expected = all.texts[1] ? all.of[1] / (double)all.texts[1] * (double)all.texts[0]
                                   : (double)all.texts[0];
    *out = expected > all.of[0] ? all.of[0] / expected : 1;
    *fill = all.cells < all.list_cells ? (double)all.cells / (double)all.list_cells : 1;
    bool part = !sure && all.cells * all.list_records >= all.list_cells * all.records;
    if (all.own && all.texts[0])
        *out *= 1 - (double)(all.twice + (part ? 0 : all.beside)) / (double)all.own;
    return status;
}

/* A list whose columns do not give all that is labelled, and what an engine is held against. */
struct list_rival {
    th_records *pages[READ_PAGES]; /* its records */
    double like, unseen;           /* what it is worth: see struct list_fit */
    double least;                  /* how much an engine must read of it */
    bool several;                  /* records are labelled: some were held out, */
    bool judged;                   /* and they are nearly all of its records */
};

/* Takes an engine that gives all that is labelled where it reads enough of the other records, and
 * more than the best so far. Less is enough where it is better on labelled records that it has not
 * seen than the list is on those that its columns were not picked by. Fill does not tell engines
 * apart: a field that two labelled records have may be missing in others. */
static th_status try_exact(th__learner *learner, const th__engine *engine,
                           const struct list_rival *list, struct choice *choice, th_error *err)
{
    th_wrapper *wrapper = NULL;
    double held_out = 0, reading = 0, fill = 0;
    size_t wrong = 1;
    th__notes notes;
    th__notes_init(&notes);
    th_status status = th__judge_learn(learner, engine, true, &notes, &wrapper, err);
    if (status && status != TH_ERR_MEMORY) {
        th__notes_release(&notes);
        return TH_OK; /* it cannot learn this */
    }
    if (!status)
        status = th__judge_tell(learner, wrapper, NULL, &wrong, err);
    if (!status && !wrong)
        status = weigh_reading(learner, wrapper, list->pages, list->like >= NEARLY_ALL, &reading,
                               &fill, err);
    bool enough = reading * fill >= list->least;
    /* Records are held out, which is most of the work, only where that can decide. */
    bool may = list->judged || (list->several && reading >= list->like && fill >= NEARLY_ALL);
    if (!status && !wrong && (list->judged || (!enough && may)))
        status = th__judge_engine(learner, engine, -1, &notes, &wrapper, &held_out, err);
    enough |= may && held_out > (list->judged ? list->unseen : list->like);
    if (!status && !wrong && enough)
        consider(choice, wrapper, list->judged ? (reading + held_out) / 2 : reading, &notes);
    else
        th_wrapper_free(wrapper);
    th__notes_release(&notes);
    return status;
}

/* How much an engine must read of the other records for a list to be left. The list was found
 * without labels, so that it does as well on other records as on the labelled ones; an engine that
 * knows little more than two labelled records is believed when it halves what the list gets wrong,
 * and sooner when it gives more records as they are labelled. */
static double least_reading(size_t labelled, double like)
{
    double least = like + (1 - like) / (double)(labelled ? labelled : 1);
    return least < NEARLY_ALL ? least : NEARLY_ALL;
}

static th_status try_exact_engines(th__learner *learner, const struct list_fit *fit,
                                   struct choice *choice, th_error *err)
{
    const th__engine *const *engines = th__engine_list();
    size_t labelled = count_labelled(learner), all = 0;
    struct list_rival list = {
        .like = fit->like, .unseen = fit->unseen, .least = least_reading(labelled, fit->like)};
    th_status status = TH_OK;
    for (size_t p = 0; !status && p < learner->kept.len && p < READ_PAGES; p++) {
        status =
            th_wrapper_extract(choice->best, learner->kept.data[p].page, NULL, &list.pages[p], err);
        all += status || !learner->kept.data[p].located ? 0 : th_records_count(list.pages[p]);
    }
    list.several = labelled >= TH__JUDGE_RECORDS;
    list.judged = list.several && (double)labelled >= MOST_LABELLED * (double)all;
    choice->worth = -1; /* an engine that reads enough is taken whatever the list gives */
    for (size_t i = 0; engines[i] && !status && choice->worth < 1; i++)
        if (engines[i]->learn_corpus && engines[i]->needs_labels && engines[i] != &th__paths_engine)
            status = try_exact(learner, engines[i], &list, choice, err);
    for (size_t p = 0; p < READ_PAGES; p++)
        th_records_free(list.pages[p]);
    return status;
}

/* Says in *out if the labelled records of each page are one behind the other: engines read them so,
 * and none gives all of two that reach into each other. False if out of memory. */
static bool are_apart(const th__learner *learner, bool *out)
{
    stretch_vec hulls = {0};
    bool ok = true;
    *out = true;
    for (size_t p = 0; ok && *out && p < learner->kept.len; p++) {
        const th_located *located = learner->kept.data[p].located;
        const th_records *labels = located ? th_located_records(located) : NULL;
        hulls.len = 0;
        for (size_t r = 0; labels && ok && r < th_records_count(labels); r++) {
            th_span hull = th__value_hull(th_records_get(labels, r));
            ok = !hull.end || th__vec_push(&hulls, (struct stretch){.span = hull});
        }
        if (hulls.len)
            qsort(hulls.data, hulls.len, sizeof *hulls.data, by_place);
        for (size_t r = 1; r < hulls.len; r++)
            *out &= hulls.data[r - 1].span.end <= hulls.data[r].span.start;
    }
    th__vec_release(&hulls);
    return ok;
}

/* Returns true if labels say where no record is: then a list that has records besides the labelled
 * ones is no measure for other engines. */
static bool leaves_out(const th__learner *learner)
{
    for (size_t p = 0; p < learner->kept.len; p++)
        if (learner->kept.data[p].located &&
            learner->labels->pages.data[learner->kept.data[p].label_page].nothing_count)
            return true;
    return false;
}

/* Tries the list that holds the labelled records best. */
static th_status try_list(th__learner *learner, const th__engine *only, struct list_fit *fit,
                          struct choice *choice, th_error *err)
{
    th_wrapper *list = th__wrapper_new(learner->engine);
    th_status status = list ? choose_list(learner, only, list, fit, err) : th__fail_memory(err);
    if (!status && list->rules)
        consider(choice, list, fit->share, NULL);
    else
        th_wrapper_free(list);
    return status;
}

/* Records that are not apart (a table with names in one row and prices in the next) are read by
 * lists alone, which leave out what is nested in them. */
static th_status learn_nested(th__learner *learner, struct choice *choice, th_error *err)
{
    struct list_fit fit = {0};
    th_error own;
    th_status failed = try_engines(learner, choice, &own);
    th_status status = failed == TH_ERR_MEMORY ? failed : TH_OK;
    if (!status && choice->worth < ENOUGH_VALUES)
        status = try_list(learner, NULL, &fit, choice, err);
    if (failed && (status || !choice->best)) {
        status = failed;
        if (err)
            *err = own;
    }
    return status;
}

static th_status learn_lists(th__learner *learner, const th__engine *only, th_wrapper *wrapper,
                             th_error *err)
{
    struct choice choice;
    struct list_fit fit = {0};
    const char *why = learner->labelled == 1 && count_labelled(learner) >= TH__JUDGE_RECORDS
                          ? "labelled values that it finds, some records held out"
                          : "labelled values that it finds";
    bool flat = is_flat(learner->label_schema);
    th_status status = TH_OK;
    choice_init(&choice);
    if (flat)
        status = try_list(learner, only, &fit, &choice, err);
    else if (!only)
        status = learn_nested(learner, &choice, err);
    bool other = flat && !status && !only; /* engines are tried too */
    bool apart = true;
    if (other && ((fit.share < ENOUGH_VALUES && fit.held < ENOUGH_HELD) ||
                  (fit.like < 1 && leaves_out(learner)))) {
        status = try_engines(learner, &choice, err);
    } else if (other && fit.like < 1 && fit.held >= ENOUGH_HELD) {
        status = are_apart(learner, &apart) ? TH_OK : th__fail_memory(err);
        if (!status && apart)
            status = try_exact_engines(learner, &fit, &choice, err);
        if (apart && choice.worth >= 0)
            why = "finds all that is labelled; share of the list that it reads";
    }
    if (!status && !choice.best)
        status = fail_lists(only, err);
    if (!status && !note_choice(&choice, why, fit.share == 1))
        status = th__fail_memory(err);
    return choice_end(&choice, status, learner, wrapper, err);
}

/* ---- one record of a list ---------------------------------------------------------------------
 */

/* Returns true if a single record is labelled that may be one of many: it was not given as the one
 * "record" of its page. */
static bool may_be_of_list(const th__learner *learner)
{
    bool may = learner->labelled == 1;
    for (size_t p = 0; may && p < learner->kept.len; p++) {
        const th__kept_page *kept = &learner->kept.data[p];
        if (kept->located) {
            const th__label_page *given = &learner->labels->pages.data[kept->label_page];
            may = !given->line || !given->single;
        }
    }
    return may;
}

/* Returns true if a span is around all places that the labelled values were resolved in. */
static bool holds_values(th_span around, const th_located *located)
{
    for (size_t i = 0; i < th_located_count(located); i++) {
        const th_value *value = th__located_value(located, i);
        th_span span = value ? th_value_span(value) : (th_span){0};
        if (span.start < around.start || around.end < span.end)
            return false;
    }
    return true;
}

/* The only labelled page. */
static const th__kept_page *labelled_page(const th__learner *learner)
{
    size_t p = 0;
    while (!learner->kept.data[p].located)
        p++;
    return &learner->kept.data[p];
}

/* Says in *out if a record of a list on the labelled page holds all labelled values. False if out
 * of memory. */
static bool find_holder(const th__learner *learner, bool *out)
{
    const th__kept_page *kept = labelled_page(learner);
    th__arena arena;
    th__view view;
    th__lists_region *lists = NULL;
    uint32_t count = 0;
    th__arena_init(&arena);
    bool ok = th__view_make(&arena, kept->page, &view) &&
              th__lists_regions_find(&arena, &view, REGIONS, &lists, &count);
    *out = false;
    for (uint32_t i = 0; ok && i < count; i++)
        for (uint32_t r = 0; !*out && r < lists[i].list.count; r++) {
            const th__extents *records = &lists[i].list;
            const th__extent *first = &records->data[th__extents_first(records, r)];
            const th__extent *last = &records->data[th__extents_first(records, r + 1) - 1];
            th_span span = {kept->page->tokens[first->token].start,
                            kept->page->tokens[last->token_end].start};
            *out = holds_values(span, kept->located);
        }
    th__arena_release(&arena);
    return ok;
}

/* Says in *out if the pages are lists, as far as they show it: a single page may be one. */
static th_status are_lists(const th__learner *learner, bool *out, th_error *err)
{
    enum { PAGES = 32 };
    const th_page *pages[PAGES];
    size_t count = 0;
    th_kind kind = {.lists = true};
    th_status status = TH_OK;
    while (count < PAGES && count < learner->kept.len) {
        pages[count] = learner->kept.data[count].page;
        count++;
    }
    if (count > 1)
        status = th__pages_kind(pages, count, &learner->options.cancel, &kind, err);
    *out = kind.lists;
    return status;
}

/* Returns true if a record is one text and the value behind it: "Publisher", "Knopf". */
static bool is_pair(const th_value *record)
{
    const th_value *value = th__value_item(record, 0),
                   *other = th__value_item(record, record->count - 1);
    return record->count == 2 && value->kind == TH_VALUE_TEXT && other->kind == TH_VALUE_LIST &&
           other->count == 1 && th_value_span(other).start < value->span.start;
}

/* How many records a list has on the labelled page; 0 when none of them is around all places that
 * the labelled values were resolved in. */
static th_status count_around(th__learner *learner, const th_wrapper *list, size_t *out,
                              bool *pairs, th_error *err)
{
    const th__kept_page *kept = labelled_page(learner);
    size_t paired = 0;
    th_records *found = NULL;
    th_status status = th_wrapper_extract(list, kept->page, NULL, &found, err);
    bool around = false;
    for (size_t r = 0; !status && r < th_records_count(found); r++) {
        around |= holds_values(th_value_span(th_records_get(found, r)), kept->located);
        paired += is_pair(th_records_get(found, r));
    }
    *pairs = !status && 2 * paired > th_records_count(found);
    *out = around ? th_records_count(found) : 0;
    th_records_free(found);
    return status;
}

#define ENOUGH_FILLED 0.8

/* Who shows one record of a list mostly wants the list; with whole_list always. */
static th_status learn_whole_list(th__learner *learner, th_wrapper *wrapper, bool *taken,
                                  th_error *err)
{
    bool wanted = learner->options.whole_list;
    size_t least = wanted ? 2 : 3;
    struct list_fit fit = {0};
    size_t records = 0;
    bool pairs = false;
    th_wrapper *list = NULL;
    *taken = false;
    if (!may_be_of_list(learner))
        return TH_OK;
    /* The cheapest question first: most examples are of pages of one record each. */
    *taken = wanted;
    th_status status = wanted || find_holder(learner, taken) ? TH_OK : th__fail_memory(err);
    if (!status && *taken && !wanted)
        status = are_lists(learner, taken, err);
    if (status || !*taken)
        return status;
    list = th__wrapper_new(&th__lists_engine);
    status = list ? choose_list(learner, wanted ? NULL : &th__lists_engine, list, &fit, err)
                  : th__fail_memory(err);
    if (!status && list->rules && fit.share == 1)
        status = count_around(learner, list, &records, &pairs, err);
    /* The first list is what the page is about, unless it is the captions and values of one thing,
     * or sections of which few have such a value. */
    *taken = !status && records >= least &&
             (wanted || (list->pick == 1 && !pairs && fit.fill >= ENOUGH_FILLED));
    if (!status && records >= least && !wanted &&
        !th__notes_add(
            learner->notes,
            *taken ? "the example is one of %zu records of a list, and all of them are "
                     "learnt. To learn a single record per page, use --engine paths"
                   : "the example is one of %zu records of a list, and only it is "
                     "learnt. To learn the whole list, give a second record of it, or use --list",
            records))
        status = th__fail_memory(err);
    if (*taken && !status)
        move(list, wrapper);
    else
        th_wrapper_free(list);
    return status;
}

th_status th__choose(th__learner *learner, th__resolved *resolved, const th__engine *only,
                     th_wrapper *wrapper, th_error *err)
{
    bool taken = false;
    if (!resolved->ruled || only)
        return learn_lists(learner, only, wrapper, err);
    th_status status = learn_whole_list(learner, wrapper, &taken, err);
    return status || taken ? status : learn_record(learner, resolved, wrapper, err);
}
