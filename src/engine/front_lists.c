/*
 * front_lists.c: labels on list pages are a sample: two records of twenty must give all twenty.
 *
 * The engines for lists find their regions without labels. That region is taken whose records hold
 * the labelled records, each in one of its own; labels then merely pick columns and name them:
 *
 *     labelled     {title: Snow Country, price: 12.50}    {title: Thousand Cranes, price: 9.00}
 *     region 3     [Snow Country | $12.50 | In stock]     [Thousand Cranes | $9.00 | Sold]  [...]
 *     columns      title = column 1, price = column 2 from behind "$"
 */

#include "base/error.h"
#include "base/key_map.h"
#include "data/locate.h"
#include "data/record.h"
#include "engine/auto/auto_rule.h"
#include "engine/front.h"
#include "engine/iepad/iepad_wrapper.h"
#include "engine/mdr/mdr_wrapper.h"

enum {
    REGIONS = 30, /* of an engine that are looked at */
    TRIES = 4     /* regions that are learnt, until one gives all that is labelled */
};

/* In the order in which they are tried. */
static const th__engine *const list_engines[] = {&th__auto_engine, &th__mdr_engine,
                                                 &th__iepad_engine};
enum { ENGINES = sizeof list_engines / sizeof *list_engines };

struct candidate {
    const th__engine *engine;
    uint32_t pick;
    double coverage; /* of the labelled values */
    double size;     /* bytes of a record that holds labels, for choosing between equals */
};

struct front {
    th_learner *learner;
    th__arena arena;
    uint32_t page; /* the first labelled one that has records */
    th__finding_map map;
    bool *own; /* by finding: no other labelled record has the value */
    TH__VEC(struct candidate) candidates;
};

/* ---- which records hold the labelled ones ---------------------------------------------------- */

/* The record that holds a span, or UINT32_MAX. Records stand in the order of the page and apart. */
static uint32_t record_around(const th_records *records, th_span span)
{
    size_t low = 0, high = th_records_count(records);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (th_value_span(th_records_get(records, middle)).start <= span.start)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return UINT32_MAX;
    th_span around = th_value_span(th_records_get(records, low - 1));
    return around.start <= span.start && span.end <= around.end ? (uint32_t)low - 1 : UINT32_MAX;
}

/* For one labelled record: how many of its values each record holds; of those that no other
 * labelled record has, when `own`. */
static void count_values(const struct front *f, const th_located *located, uint32_t labelled,
                         bool own, const th_records *records, uint32_t *counts)
{
    for (size_t i = 0; i < th_located_count(located); i++) {
        const th_finding *finding = th_located_get(located, i);
        uint32_t last = UINT32_MAX;
        if (f->map.record[i] != labelled || (own && !f->own[i]))
            continue;
        /* Places stand in the order of the page, texts before attributes: a record that is met
         * twice is met in a row, but for those few that have the value in both. */
        for (uint32_t p = 0; p < finding->place_count; p++) {
            uint32_t record = record_around(records, finding->places[p].span);
            if (record == UINT32_MAX || record == last)
                continue;
            last = record;
            counts[record]++;
        }
    }
}

/* Whether a record holds most of what another labelled record alone has: then it is no record but
 * several. */
static bool holds_another(const struct front *f, const th_located *located,
                          const th_records *records, uint32_t labelled, uint32_t own,
                          uint32_t record, uint32_t *scratch)
{
    for (uint32_t r = 0; r < labelled; r++) {
        uint32_t values = 0;
        for (size_t i = 0; i < th_located_count(located); i++)
            values += f->map.record[i] == r && f->own[i];
        if (r == own || !values)
            continue;
        memset(scratch, 0, th_records_count(records) * sizeof *scratch);
        count_values(f, located, r, true, records, scratch);
        if (2 * scratch[record] > values)
            return true;
    }
    return false;
}

/* Gives each labelled record the record that holds most of its values and no other labelled one.
 * `matched` is by labelled record. *held is how many values are held that way. */
static bool match_records(struct front *f, const th_located *located, const th_records *records,
                          uint32_t *matched, size_t *held)
{
    enum { COMPARED = 8 }; /* labelled records that are held against each other */
    uint32_t labelled = (uint32_t)th_records_count(th_located_records(located));
    size_t count = th_records_count(records);
    uint32_t *counts = th__arena_zero(&f->arena, count + 1, sizeof *counts);
    uint32_t *scratch = th__arena_zero(&f->arena, count + 1, sizeof *scratch);
    bool *taken = th__arena_zero(&f->arena, count + 1, sizeof *taken);
    if (!counts || !scratch || !taken)
        return false;
    *held = 0;
    for (uint32_t r = 0; r < labelled; r++) {
        uint32_t best = UINT32_MAX;
        memset(counts, 0, count * sizeof *counts);
        count_values(f, located, r, false, records, counts);
        for (uint32_t i = 0; i < count; i++)
            if (counts[i] && !taken[i] && (best == UINT32_MAX || counts[i] > counts[best]))
                best = i;
        matched[r] = best;
        if (best == UINT32_MAX)
            continue;
        taken[best] = true;
        if (!holds_another(f, located, records, labelled < COMPARED ? labelled : COMPARED, r, best,
                           scratch))
            *held += counts[best];
    }
    return true;
}

/* Values that no other labelled record has. */
static bool find_own(struct front *f, const th_located *located)
{
    size_t count = th_located_count(located);
    th__key_map first;
    f->own = th__arena_zero(&f->arena, count + 1, sizeof *f->own);
    if (!f->own || !th__key_map_init(&first, &f->arena, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        th_str value = th_located_get(located, i)->value;
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

static th_status add_candidates(struct front *f, const th__engine *engine, th_error *err)
{
    const th__kept_page *kept = &f->learner->kept.data[f->page];
    size_t labelled = th_records_count(th_located_records(kept->located));
    size_t values = th_located_count(kept->located), held;
    uint32_t *matched = th__arena_zero(&f->arena, labelled + 1, sizeof *matched);
    th_regions_options options;
    th_regions *regions = NULL;
    if (!matched)
        return th__fail_memory(err);
    th_regions_options_init(&options);
    options.engine = engine->name;
    options.most = REGIONS;
    th_status status = th_regions_find(kept->page, NULL, &options, &regions, err);
    for (size_t i = 0; !status && i < th_regions_count(regions); i++) {
        const th_records *records = th_regions_get(regions, i)->records;
        if (!match_records(f, kept->located, records, matched, &held)) {
            status = th__fail_memory(err);
            break;
        }
        struct candidate c = {engine, (uint32_t)i + 1, values ? (double)held / values : 0, 0};
        for (size_t r = 0; r < labelled; r++)
            if (matched[r] != UINT32_MAX) {
                th_span span = th_value_span(th_records_get(records, matched[r]));
                c.size += span.end - span.start;
            }
            fprintf(stderr, "cand %s %u coverage %.3f records %zu\n", engine->name, c.pick,
        if (held && !th__vec_push(&f->candidates, c))
            status = th__fail_memory(err);
    }
    th_regions_free(regions);
    return status;
}

/* ---- learning a candidate -------------------------------------------------------------------- */

/* Learns the list of the labelled page, and what the other pages add to it. */
static th_status learn_list(struct front *f, const struct candidate *c, th_wrapper *wrapper,
                            th_error *err)
{
    th_learn_options options = f->learner->options;
    void *state = NULL;
    size_t records = 0;
    options.pick = c->pick;
    th_status status = c->engine->learn_begin(&options, &state, err);
    for (size_t i = 0; !status && i <= f->learner->kept.len; i++) {
        size_t page = i ? i - 1 : f->page;
        if (i && page == f->page)
            continue;
        th__kept_page *kept = &f->learner->kept.data[page];
        th_records_source source = {kept->provenance.name, kept->url};
        status = c->engine->learn_page(state, kept->page, &source, &records, err);
        kept->provenance.records = records;
        if (!status && i == 0 && !records)
            break;
    }
    if (!status)
        status =
            c->engine->learn_end(state, &wrapper->arena, &wrapper->schema, &wrapper->rules, err);
    if (state)
        c->engine->learn_free(state);
    wrapper->engine = c->engine;
    wrapper->pick = c->pick;
    return status;
}

/* ---- columns to fields ------------------------------------------------------------------------
 */

/* How labelled values of a field and columns of the list go together. */
struct column_map {
    const th_type *inner, *fields; /* tuples */
    double *votes;                 /* by field and column */
    th__cuts *cuts;                /* by field and column: that give all values seen there */
    uint32_t *parts;               /* by field and column: values that are parts of the text, */
    uint32_t *inside;              /* by field and column: values of which the text is a part */
    bool *whole;                   /* and whether one is all of it */
};

static size_t cell(const struct column_map *m, uint32_t field, uint32_t column)
{
    return (size_t)field * m->inner->count + column;
}

/* Whether one of the places of a finding lies inside a span. */
static bool stands_in(const th_finding *finding, th_span span)
{
    for (uint32_t p = 0; p < finding->place_count; p++)
        if (finding->places[p].span.start >= span.start && finding->places[p].span.end <= span.end)
            return true;
    return false;
}

/* Whether a span lies inside one of the places of a finding, in text. */
static bool holds(const th_finding *finding, th_span span)
{
    for (uint32_t p = 0; p < finding->place_count; p++)
        if (!finding->places[p].attribute.ptr && finding->places[p].span.start <= span.start &&
            span.end <= finding->places[p].span.end)
            return true;
    return false;
}

/* Keeps the cuts that give this value too; the first value brings them. */
static bool learn_cuts(th__arena *arena, th_str text, th_str value, bool first, th__cuts *cuts)
{
    uint32_t kept = 0;
    if (first) {
        text = th__arena_copy(arena, text);
        if (!text.ptr)
            return false;
        size_t from = th__str_find(text, value);
        th__cuts_of(text, from, from + value.len, cuts);
        return true;
    }
    for (uint32_t i = 0; i < cuts->count; i++) {
        size_t from, to;
        if (th__cut_find(&cuts->data[i], text, &from, &to) &&
            th__str_eq((th_str){text.ptr + from, to - from}, value))
            cuts->data[kept++] = cuts->data[i];
    }
    cuts->count = kept;
    return true;
}

/* One labelled value against one text of the record that holds it. */
static bool compare(struct front *f, struct column_map *m, const th_finding *finding,
                    uint32_t field, uint32_t column, const th_value *value)
{
    enum { WHOLE = 4, PART = 1 }; /* a text that is the value tells more than one that has it */
    size_t at = cell(m, field, column);
    if (value->kind != TH_VALUE_TEXT)
        return true;
    if (!stands_in(finding, value->span)) {
        m->inside[at] += holds(finding, value->span);
        return true;
    }
    if (th__str_eq(value->text, finding->value)) {
        m->votes[at] += WHOLE;
        m->whole[at] = true;
    } else if (th__str_find(value->text, finding->value) != SIZE_MAX) {
        m->votes[at] += PART;
        return learn_cuts(&f->arena, value->text, finding->value, !m->parts[at]++, &m->cuts[at]);
    }
    return true;
}

static bool compare_record(struct front *f, struct column_map *m, const th_finding *finding,
                           uint32_t field, const th_value *record)
{
    for (uint32_t c = 0; c < record->count; c++) {
        const th_value *member = record->items[c];
        if (member->kind != TH_VALUE_LIST && !compare(f, m, finding, field, c, member))
            return false;
        for (uint32_t i = 0; member->kind == TH_VALUE_LIST && i < member->count; i++)
            if (!compare(f, m, finding, field, c, member->items[i]))
                return false;
    }
    return true;
}

static bool map_columns(struct front *f, const th_located *located, const th_records *records,
                        struct column_map *m)
{
    size_t labelled = th_records_count(th_located_records(located)), held;
    size_t cells = (size_t)m->inner->count * m->fields->count;
    uint32_t *matched = th__arena_zero(&f->arena, labelled + 1, sizeof *matched);
    m->votes = th__arena_zero(&f->arena, cells + 1, sizeof *m->votes);
    m->cuts = th__arena_zero(&f->arena, cells + 1, sizeof *m->cuts);
    m->parts = th__arena_zero(&f->arena, cells + 1, sizeof *m->parts);
    m->whole = th__arena_zero(&f->arena, cells + 1, sizeof *m->whole);
    m->inside = th__arena_zero(&f->arena, cells + 1, sizeof *m->inside);
    if (!matched || !m->votes || !m->cuts || !m->parts || !m->whole || !m->inside ||
        !match_records(f, located, records, matched, &held))
        return false;
    for (size_t i = 0; i < th_located_count(located); i++) {
        uint32_t r = f->map.record[i];
        if (r < labelled && matched[r] != UINT32_MAX &&
            !compare_record(f, m, th_located_get(located, i), f->map.member[i],
                            th_records_get(records, matched[r])))
            return false;
    }
    return true;
}

/* Where all labelled values are cut out of a column in one way, and nearly all others of the column
 * can be, it is cut; else its text is given whole. */
static bool take_cut(const struct column_map *m, uint32_t field, uint32_t column,
                     const th_records *records, th__arena *arena, th__cut *out)
{
    enum { LEAST_SEEN = 2 };
    size_t at = cell(m, field, column);
    const th__cuts *cuts = &m->cuts[at];
    for (uint32_t i = 0; m->parts[at] >= LEAST_SEEN && i < cuts->count; i++) {
        size_t texts = 0, cut = 0, from, to;
        for (size_t r = 0; r < th_records_count(records); r++) {
            const th_value *value = th_records_get(records, r)->items[column];
            if (value->kind == TH_VALUE_LIST && value->count)
                value = value->items[0];
            if (value->kind != TH_VALUE_TEXT)
                continue;
            texts++;
            cut += th__cut_find(&cuts->data[i], value->text, &from, &to);
        }
        if (10 * cut < 9 * texts)
            continue;
        *out = cuts->data[i];
        if (out->after.len)
            out->after = th__arena_copy(arena, out->after);
        if (out->before.len)
            out->before = th__arena_copy(arena, out->before);
        return (out->after.ptr || !out->after.len) && (out->before.ptr || !out->before.len);
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

/* The columns of a field, best first: those in which its values were seen, unless another field was
 * seen there more often. */
static bool take_columns(struct front *f, const struct column_map *m, uint32_t field,
                         const th_records *records, th__arena *arena, th__select_field *out)
{
    out->from = th__arena_zero(arena, m->inner->count + 1, sizeof *out->from);
    bool *used = th__arena_zero(&f->arena, m->inner->count + 1, sizeof *used);
    if (!out->from || !used)
        return false;
    for (;;) {
        uint32_t best = UINT32_MAX;
        for (uint32_t c = 0; c < m->inner->count; c++) {
            double votes = m->votes[cell(m, field, c)];
            bool lost = false;
            for (uint32_t other = 0; other < m->fields->count; other++)
                lost |= other != field && m->votes[cell(m, other, c)] > votes;
            /* Parts of one text may go to several fields. */
            lost &= m->whole[cell(m, field, c)];
            if (votes > 0 && !lost && !used[c] &&
                (best == UINT32_MAX || votes > m->votes[cell(m, field, best)]))
                best = c;
        }
        if (best == UINT32_MAX)
            return out->from_count || join_columns(m, field, arena, out);
        size_t at = cell(m, field, best);
        used[best] = true;
        /* A column that has the value whole leaves no room for one that has it among others. */
        if (out->from_count && !m->whole[at])
            continue;
        if (!m->whole[at] && !take_cut(m, field, best, records, arena, &out->cut))
            return false;
        out->from[out->from_count] = th__arena_copy(arena, th_type_name(m->inner->children[best]));
        if (!out->from[out->from_count++].ptr)
            return false;
        if (!m->whole[at])
            return true;
    }
}

static bool has_member(const th_type *tuple, th_str name)
{
    for (uint32_t i = 0; i < tuple->count; i++)
        if (th__str_eq(th_type_name(tuple->children[i]), name))
            return true;
    return false;
}

static th_status select_fields(struct front *f, const struct column_map *m,
                               const th_records *records, th_wrapper *wrapper, th_error *err)
{
    th__select *select = th__arena_zero(&wrapper->arena, 1, sizeof *select);
    if (select)
        select->fields =
            th__arena_zero(&wrapper->arena, m->fields->count + 2, sizeof *select->fields);
    if (!select || !select->fields)
        return th__fail_memory(err);
    for (uint32_t i = 0; i < m->fields->count; i++) {
        th__select_field *field = &select->fields[select->count++];
        field->name = th__arena_copy(&wrapper->arena, th_type_name(m->fields->children[i]));
        field->list = th__type_strip(m->fields->children[i])->kind == TH_TYPE_LIST;
        if (!field->name.ptr || !take_columns(f, m, i, records, &wrapper->arena, field))
            return th__fail_memory(err);
    }
    if (!has_member(m->fields, TH_STR("other")))
        select->fields[select->count++] = (th__select_field){.name = TH_STR("other"), .rest = true};
    wrapper->select = select;
    return th__select_prepare(select, wrapper->schema, &wrapper->arena, err);
}

/* ---- is it right ------------------------------------------------------------------------------
 */

static bool has_text(const th_value *member, th_str text)
{
    if (member->kind == TH_VALUE_TEXT)
        return th__str_eq(member->text, text);
    for (uint32_t i = 0; member->kind == TH_VALUE_LIST && i < member->count; i++)
        if (member->items[i]->kind == TH_VALUE_TEXT && th__str_eq(member->items[i]->text, text))
            return true;
    return false;
}

/* How many of the fields that every labelled record has are there, over all records. */
static double fill_of(const th_records *records, const th_type *fields)
{
    size_t cells = 0, filled = 0;
    for (size_t r = 0; r < th_records_count(records); r++)
        for (uint32_t m = 0; m < fields->count; m++) {
            if (fields->children[m]->kind == TH_TYPE_OPTIONAL)
                continue;
            cells++;
            filled += th_records_get(records, r)->items[m]->kind != TH_VALUE_NULL;
        }
    return cells ? (double)filled / cells : 0;
}

/* How many of the labelled values come out in their field and record. */
static th_status count_right(struct front *f, const th_wrapper *wrapper, double *share,
                             double *fill, th_error *err)
{
    const th__kept_page *kept = &f->learner->kept.data[f->page];
    th_records *records = NULL;
    size_t values = th_located_count(kept->located), right = 0, held;
    uint32_t *matched = th__arena_zero(
        &f->arena, th_records_count(th_located_records(kept->located)) + 1, sizeof *matched);
    th_status status = matched ? th_wrapper_extract(wrapper, kept->page, NULL, &records, err)
                               : th__fail_memory(err);
    if (!status && !match_records(f, kept->located, records, matched, &held))
        status = th__fail_memory(err);
    for (size_t i = 0; !status && i < values; i++) {
        uint32_t r = f->map.record[i], member = f->map.member[i];
        if (r == UINT32_MAX || matched[r] == UINT32_MAX)
            continue;
        const th_value *record = th_records_get(records, matched[r]);
        right += has_text(record->items[member], th_located_get(kept->located, i)->value);
    }
    *share = values ? (double)right / values : 0;
    if (!status)
        *fill = fill_of(records, th__type_strip(th_schema_record_type(f->learner->label_schema)));
    th_records_free(records);
    return status;
}

static th_status try_candidate(struct front *f, const struct candidate *c, th_wrapper *wrapper,
                               double *share, double *fill, th_error *err)
{
    const th__kept_page *kept = &f->learner->kept.data[f->page];
    th_records *records = NULL;
    struct column_map m = {0};
    th_status status = learn_list(f, c, wrapper, err);
    if (!status)
        status = c->engine->run(wrapper->rules, wrapper->schema, kept->page,
                                &(th_records_source){0}, &records, err);
    if (!status) {
        m.inner = th__type_strip(th_schema_record_type(wrapper->schema));
        m.fields = th__type_strip(th_schema_record_type(f->learner->label_schema));
        status = map_columns(f, kept->located, records, &m) ? TH_OK : th__fail_memory(err);
    }
    if (!status)
        status = select_fields(f, &m, records, wrapper, err);
    th_records_free(records);
    if (!status)
        status = count_right(f, wrapper, share, fill, err);
    return status;
}

/* ---- all ---------------------------------------------------------------------------------------
 */

/* The candidate with the best coverage that was not tried; of equals the first. */
static struct candidate *next_candidate(struct front *f)
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

/*
 * What a list is worth: above all its records must hold the labelled ones, then its columns must
 * give the labelled values, and other records should have the same fields.
 */
static double worth_of(const struct candidate *c, double share, double fill)
{
    /* The engines in the order in which they find records rightly without labels: by how much one
     * must be better than those before it was found on development pages. */
    static const double doubt[ENGINES] = {0, 0.1, 0.25};
    size_t e = 0;
    while (list_engines[e] != c->engine)
        e++;
    return c->coverage + 0.5 * share + 0.3 * fill - doubt[e];
}

static th_status try_candidates(struct front *f, th_wrapper *wrapper, double *worth, double *share,
                                th_error *err)
{
    th_status status = TH_OK;
    for (int i = 0; !status && i < TRIES && *share < 1; i++) {
        struct candidate *c = next_candidate(f);
        double now = 0, fill = 0;
        if (!c || worth_of(c, 1, 1) <= *worth)
            break;
        th_wrapper *tried = th__wrapper_new(c->engine);
        if (!tried)
            return th__fail_memory(err);
        status = try_candidate(f, c, tried, &now, &fill, err);
            fprintf(stderr, "try %s %u coverage %.3f share %.3f fill %.3f status %d\n",
        if (status == TH_ERR_FORMAT || status == TH_ERR_LIMIT || status == TH_ERR_ARGUMENT)
            status = TH_OK; /* a list that cannot be learnt: the next */
        else if (!status && worth_of(c, now, fill) > *worth) {
            *worth = worth_of(c, now, fill);
            *share = now;
            swap(wrapper, tried);
        }
        c->coverage = 0;
        th_wrapper_free(tried);
    }
    return status;
}

th_status th__front_lists(th_learner *learner, const th__engine *only, th_wrapper *wrapper,
                          double *share, th_error *err)
{
    struct front f = {.learner = learner};
    th_status status = TH_OK;
    double worth = 0;
    *share = 0;
    th__arena_init(&f.arena);
    while (f.page < learner->kept.len && (!learner->kept.data[f.page].located ||
                                          !th_located_count(learner->kept.data[f.page].located)))
        f.page++;
    if (f.page < learner->kept.len &&
        (!th__finding_map_make(learner->kept.data[f.page].located, &f.arena, &f.map) ||
         !find_own(&f, learner->kept.data[f.page].located)))
        status = th__fail_memory(err);
    for (size_t e = 0; !status && f.page < learner->kept.len && e < ENGINES && *share < 1; e++) {
        if (only && only != list_engines[e])
            continue;
        status = add_candidates(&f, list_engines[e], err);
        if (!status)
            status = try_candidates(&f, wrapper, &worth, share, err);
    }
    th__vec_release(&f.candidates);
    th__arena_release(&f.arena);
    return status;
}
