/*
 * label_lists.c: which list of a page the labels mean, and which of its columns.
 *
 * Labels on list pages are a sample: two records of twenty must give all twenty.
 *
 * The engines for lists find their regions without labels. That region is taken whose records hold
 * the labelled records, each in one of its own; labels then merely pick columns and name them:
 *
 *     labelled     {title: Snow Country, price: 12.50}    {title: Thousand Cranes, price: 9.00}
 *     region 3     [Snow Country | $12.50 | In stock]     [Thousand Cranes | $9.00 | Sold]  [...]
 *     columns      title = column 1, price = column 2 from behind "$"
 */
#include "learn/learn.h"

#include "base/error.h"
#include "base/key_map.h"
#include "data/labels.h"
#include "data/record.h"
#include "engine/lists/lists_rule.h"
#include "engine/papers/iepad/iepad.h"
#include "engine/papers/mdr/mdr.h"
#include "page/page.h"

enum {
    LOOKED_AT = 32, /* labelled records of a page: enough to recognise a list */
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
    uint64_t holders;  /* hash of where the records are that hold the labelled ones */
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

/* ---- which records hold the labelled ones ---------------------------------------------------- */

/* The records of a list. Mostly they are apart and in the order of the page. Those of a table with
 * names in one row and prices in the next are not: there a record is where its texts are. */
struct holders {
    const th_records *records;
    bool apart;
    th__stretch_vec texts; /* by place; records as a whole where they are apart */
};

/* The caller releases the texts in any case. False if out of memory. */
static bool holders_init(struct holders *h, const th_records *records)
{
    size_t count = th_records_count(records);
    *h = (struct holders){.records = records, .apart = true};
    for (size_t r = 0; h->apart && r < count; r++) {
        th_span span = th_value_span(th_records_get(records, r));
        h->apart = !r || h->texts.data[r - 1].span.end <= span.start;
        if (!th__vec_push(&h->texts, (th__stretch){span, (uint32_t)r, 0}))
            return false;
    }
    if (h->apart)
        return true;
    h->texts.len = 0;
    return th__stretches_add(records, &h->texts);
}

/* The record that holds a span, or UINT32_MAX. */
static uint32_t record_around(const struct holders *h, th_span span)
{
    size_t low = th__count_first(i, h->texts.len, h->texts.data[i].span.start <= span.start);
    if (!low)
        return UINT32_MAX;
    /* In a text of the record, or between two of them. */
    const th__stretch *text = &h->texts.data[low - 1];
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
        /* Places are in the order of the page, texts before attributes: a record that is met
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
    options.most = TH__LISTS_SOUGHT;
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
    enum {
        WHOLE = 4,
        PART = 1
    }; /* a whole text that is the value counts more than one with it inside */
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

/* A name without the number that makes it differ from others: price_2 gives price. */
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

/* The part of the fields of labelled records that is filled, over all records. */
static double fill_of(const th_records *records, const th_type *fields)
{
    size_t cells = 0;
    for (uint32_t f = 0; f < fields->count; f++)
        cells += fields->children[f]->kind != TH_TYPE_OPTIONAL ? th_records_count(records) : 0;
    return cells ? (double)th__judge_filled(records, fields) / cells : 0;
}

/* How a list does on the labelled records of its page. */
static th_status measure(struct list_search *f, const th_wrapper *wrapper, th__list_fit *fit,
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
                               th_wrapper *wrapper, th__list_fit *fit, th_error *err)
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

/* The best so far. */
struct best {
    th_wrapper *wrapper;
    double worth;
    th__list_fit fit;
};

/* Learns a candidate, and keeps it when it is better than those before it. */
static th_status weigh_candidate(struct list_search *f, const struct candidate *c,
                                 struct best *best, bool *apart, th_error *err)
{
    th__list_fit fit = {.held = c->coverage};
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
        th__wrapper_swap(best->wrapper, tried);
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

th_status th__label_lists_choose(th__learner *learner, const th__engine *only, th_wrapper *wrapper,
                                 th__list_fit *fit, th_error *err)
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
