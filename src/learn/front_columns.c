/* front_columns.c: which columns of a list are the labelled fields. */
#include "base/error.h"
#include "data/record.h"
#include "learn/front.h"

/* How labelled values of a field and columns of the list go together. */
struct column_map {
    const th_type *inner, *fields; /* tuples */
    const th__front_sample *samples;
    size_t sample_count;
    double *votes;    /* by field and column */
    th__cuts *cuts;   /* by field and column: that give all values seen there */
    uint32_t *parts;  /* by field and column: values that are parts of the text, */
    uint32_t *inside; /* by field and column: values of which the text is a part */
    bool *whole;      /* and whether one is all of it */
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
static bool compare(th__arena *scratch, struct column_map *m, const th_finding *finding,
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
    if (th__str_eq(th__value_text(value), finding->value)) {
        m->votes[at] += WHOLE;
        m->whole[at] = true;
    } else if (th__str_find(th__value_text(value), finding->value) != SIZE_MAX) {
        m->votes[at] += PART;
        return learn_cuts(scratch, th__value_text(value), finding->value, !m->parts[at]++,
                          &m->cuts[at]);
    }
    return true;
}

static bool compare_record(th__arena *scratch, struct column_map *m, const th_finding *finding,
                           uint32_t field, const th_value *record)
{
    for (uint32_t c = 0; c < record->count; c++) {
        const th_value *member = th__value_item(record, c);
        if (member->kind != TH_VALUE_LIST && !compare(scratch, m, finding, field, c, member))
            return false;
        for (uint32_t i = 0; member->kind == TH_VALUE_LIST && i < member->count; i++)
            if (!compare(scratch, m, finding, field, c, th__value_item(member, i)))
                return false;
    }
    return true;
}

static bool map_sample(const th__front_sample *sample, th__arena *scratch, struct column_map *m)
{
    for (size_t i = 0; i < th_located_count(sample->located); i++) {
        uint32_t r = sample->map->record[i];
        if (r != UINT32_MAX && sample->matched[r] != UINT32_MAX &&
            !compare_record(scratch, m, th_located_get(sample->located, i), sample->map->member[i],
                            th_records_get(sample->records, sample->matched[r])))
            return false;
    }
    return true;
}

static bool map_columns(th__arena *scratch, struct column_map *m)
{
    size_t cells = (size_t)m->inner->count * m->fields->count;
    m->votes = th__arena_zero(scratch, cells + 1, sizeof *m->votes);
    m->cuts = th__arena_zero(scratch, cells + 1, sizeof *m->cuts);
    m->parts = th__arena_zero(scratch, cells + 1, sizeof *m->parts);
    m->whole = th__arena_zero(scratch, cells + 1, sizeof *m->whole);
    m->inside = th__arena_zero(scratch, cells + 1, sizeof *m->inside);
    if (!m->votes || !m->cuts || !m->parts || !m->whole || !m->inside)
        return false;
    for (size_t i = 0; i < m->sample_count; i++)
        if (!map_sample(&m->samples[i], scratch, m))
            return false;
    return true;
}

/* The records of all samples, one after the other; NULL behind the last. */
static const th_value *record_at(const struct column_map *m, size_t index)
{
    for (size_t i = 0; i < m->sample_count; i++) {
        size_t count = th_records_count(m->samples[i].records);
        if (index < count)
            return th_records_get(m->samples[i].records, index);
        index -= count;
    }
    return NULL;
}

/* Where all labelled values are cut out of a column in one way, and nearly all others of the column
 * can be, it is cut; else its text is given whole. */
static bool take_cut(const struct column_map *m, uint32_t field, uint32_t column, th__arena *arena,
                     th__cut *out)
{
    enum { LEAST_SEEN = 2 };
    size_t at = cell(m, field, column);
    const th__cuts *cuts = &m->cuts[at];
    for (uint32_t i = 0; m->parts[at] >= LEAST_SEEN && i < cuts->count; i++) {
        size_t texts = 0, cut = 0, from, to;
        const th_value *record;
        for (size_t r = 0; (record = record_at(m, r)); r++) {
            const th_value *value = th__value_item(record, column);
            if (value->kind == TH_VALUE_LIST && value->count)
                value = th__value_item(value, 0);
            if (value->kind != TH_VALUE_TEXT)
                continue;
            texts++;
            cut += th__cut_find(&cuts->data[i], th__value_text(value), &from, &to);
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

/* A name without the number that tells it from others of the same name. */
static th_str stem_of(th_str name)
{
    size_t len = name.len;
    while (len && th__is_digit((unsigned char)name.ptr[len - 1]))
        len--;
    return len > 1 && len < name.len && name.ptr[len - 1] == '_' ? (th_str){name.ptr, len - 1}
                                                                 : name;
}

/* Whether no record has both columns, and some have the second. */
static bool take_turns(const struct column_map *m, uint32_t a, uint32_t b)
{
    bool other = false;
    const th_value *record;
    for (size_t r = 0; (record = record_at(m, r)); r++) {
        bool has_a = th__value_item(record, a)->kind != TH_VALUE_NULL;
        bool has_b = th__value_item(record, b)->kind != TH_VALUE_NULL;
        if (has_a && has_b)
            return false;
        other |= has_b;
    }
    return other;
}

/* Where records come in two shapes, a field has a column in each: they have one name, and take
 * turns. */
static bool add_twins(const struct column_map *m, uint32_t column, bool *used, th__arena *arena,
                      th__select_field *out)
{
    th_str stem = stem_of(th_type_name(m->inner->children[column]));
    for (uint32_t c = 0; c < m->inner->count; c++) {
        th_str name = th_type_name(m->inner->children[c]);
        bool wanted = used[c];
        for (uint32_t f = 0; f < m->fields->count; f++)
            wanted |= m->votes[cell(m, f, c)] > 0;
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
        if (!m->whole[at] && !take_cut(m, field, best, arena, &out->cut))
            return false;
        out->from[out->from_count] = th__arena_copy(arena, th_type_name(m->inner->children[best]));
        if (!out->from[out->from_count++].ptr || !add_twins(m, best, used, arena, out))
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

th_status th__front_columns(const th__front_sample *samples, size_t count, const th_schema *labels,
                            bool rest, th__arena *scratch, th_wrapper *wrapper, th_error *err)
{
    struct column_map m = {.inner = th__type_strip(th_schema_record_type(wrapper->schema)),
                           .fields = th__type_strip(th_schema_record_type(labels)),
                           .samples = samples,
                           .sample_count = count};
    th__select *select = th__arena_zero(&wrapper->arena, 1, sizeof *select);
    if (select)
        select->fields =
            th__arena_zero(&wrapper->arena, m.fields->count + 2, sizeof *select->fields);
    if (!select || !select->fields || !map_columns(scratch, &m))
        return th__fail_memory(err);
    for (uint32_t i = 0; i < m.fields->count; i++) {
        th__select_field *field = &select->fields[select->count++];
        field->name = th__arena_copy(&wrapper->arena, th_type_name(m.fields->children[i]));
        field->list = th__type_strip(m.fields->children[i])->kind == TH_TYPE_LIST;
        if (!field->name.ptr || !take_columns(scratch, &m, i, &wrapper->arena, field))
            return th__fail_memory(err);
    }
    if (rest && !has_member(m.fields, TH_STR("other")))
        select->fields[select->count++] = (th__select_field){.name = TH_STR("other"), .rest = true};
    wrapper->select = select;
    return th__select_prepare(select, wrapper->schema, &wrapper->arena, err);
}
