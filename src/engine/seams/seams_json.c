/*
 * seams_json.c: the rules as JSON: where records stand, and the samples. What is counted over them
 * is counted anew when they are read.
 */
#include "base/error.h"
#include "engine/seams/seams.h"

enum { MAX_PLACES = 1 << 16 }; /* of a sample: none has more bytes than twice as many */

/* ---- writing --------------------------------------------------------------------------------- */

static void write_sample(const th__seam_rules *rules, const th__seam_sample *sample, th__json *json)
{
    th__json_begin_object(json);
    th__json_key(json, TH_STR("html"));
    th__json_str(json, sample->html);
    th__json_key(json, TH_STR("values"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < sample->count; i++) {
        const th__seam_place *place = &sample->places[i];
        th__json_begin_object(json);
        th__json_key(json, TH_STR("field"));
        th__json_str(json, rules->slots.data[place->slot].name);
        th__json_put_uint(json, "start", place->start);
        th__json_put_uint(json, "end", place->end);
        if (place->open)
            th__json_put_uint(json, "open", place->open);
        th__json_end_object(json);
    }
    th__json_end_array(json);
    th__json_end_object(json);
}

static void write_attributes(const th__seam_rules *rules, th__json *json)
{
    th__json_key(json, TH_STR("attributes"));
    th__json_begin_object(json);
    for (uint32_t i = 0; i < rules->slots.count; i++)
        if (rules->slots.data[i].attribute.ptr) {
            th__json_key(json, rules->slots.data[i].name);
            th__json_str(json, rules->slots.data[i].attribute);
        }
    th__json_end_object(json);
}

void th__seams_write(const void *data, th__json *json)
{
    const th__seam_rules *rules = data;
    th__json_begin_object(json);
    th__json_put_text(json, "region", rules->region);
    write_attributes(rules, json);
    th__json_key(json, TH_STR("samples"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < rules->sample_count; i++)
        write_sample(rules, &rules->samples[i], json);
    th__json_end_array(json);
    th__json_end_object(json);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
    th__rule_reader *reader;
    th__arena *arena;
    th__seam_rules *rules;
};

static th_status read_slot(struct reading *r, json_t *json, uint32_t *out)
{
    th_str name = {0};
    th_status status = th__rule_text(r->reader, json, "field", true, r->arena, &name);
    for (*out = 0; !status && *out < r->rules->slots.count; ++*out)
        if (th__str_eq(r->rules->slots.data[*out].name, name))
            return TH_OK;
    return status ? status
                  : th__rule_fault(r->reader, "there is no field \"%.*s\" in the schema",
                                   (int)(name.len < 100 ? name.len : 100), name.ptr);
}

/* Places rise and do not overlap. */
static th_status read_place(struct reading *r, json_t *json, const th__seam_sample *sample,
                            th__seam_place *out)
{
    uint64_t start = 0, end = 0, open = 0;
    uint32_t least = sample->count ? sample->places[sample->count - 1].end : 0;
    if (!json_is_object(json))
        return th__rule_fault(r->reader, "must be an object");
    th_status status = read_slot(r, json, &out->slot);
    if (!status)
        status = th__rule_number(r->reader, json, "start", true, sample->html.len, &start);
    if (!status)
        status = th__rule_number(r->reader, json, "end", true, sample->html.len, &end);
    if (!status)
        status = th__rule_number(r->reader, json, "open", false,
                                 r->rules->slots.data[out->slot].depth, &open);
    if (!status && (start < least || end <= start))
        status = th__rule_fault(r->reader, "must begin behind the value before it, and end behind "
                                           "its beginning");
    out->start = (uint32_t)start;
    out->end = (uint32_t)end;
    out->open = (uint32_t)open;
    return status;
}

static th_status read_sample(struct reading *r, json_t *json, th__seam_sample *out)
{
    json_t *values = NULL;
    if (!json_is_object(json))
        return th__rule_fault(r->reader, "must be an object");
    th_status status = th__rule_text(r->reader, json, "html", true, r->arena, &out->html);
    if (!status && out->html.len > TH__SEAMS_MAX_BYTES)
        status = th__rule_fault(r->reader, "a sample has at most %d bytes", TH__SEAMS_MAX_BYTES);
    if (!status)
        status = th__rule_array(r->reader, json, "values", 1, MAX_PLACES, &values);
    if (status)
        return status;
    out->places = th__arena_alloc(r->arena, json_array_size(values) * sizeof *out->places);
    if (!out->places)
        return th__fail_memory(r->reader->err);
    size_t mark = th__rule_enter(r->reader, "values");
    for (size_t i = 0; !status && i < json_array_size(values); i++) {
        size_t item = th__rule_enter_item(r->reader, i);
        status = read_place(r, json_array_get(values, i), out, &out->places[out->count]);
        out->count += !status;
        if (!status)
            th__rule_leave(r->reader, item);
    }
    if (!status)
        th__rule_leave(r->reader, mark);
    return status;
}

static th_status read_attributes(struct reading *r, json_t *json)
{
    json_t *attributes = NULL;
    th_status status = th__rule_object(r->reader, json, "attributes", false, &attributes);
    for (uint32_t i = 0; !status && attributes && i < r->rules->slots.count; i++) {
        th__seam_slot *slot = &r->rules->slots.data[i];
        status =
            th__rule_text(r->reader, attributes, slot->name.ptr, false, r->arena, &slot->attribute);
    }
    return status;
}

static th_status read_region(struct reading *r, json_t *json)
{
    bool failed;
    th_status status = th__rule_text(r->reader, json, "region", true, r->arena, &r->rules->region);
    if (status || th__seam_region_prepare(r->rules, r->arena, &failed))
        return status;
    if (failed)
        return th__fail_memory(r->reader->err);
    size_t mark = th__rule_enter(r->reader, "region");
    status = th__rule_fault(r->reader, "must be a path as \"html > body > div.main\"");
    th__rule_leave(r->reader, mark);
    return status;
}

th_status th__seams_read(th__rule_reader *reader, json_t *json, const th_schema *schema,
                         th__arena *arena, void **out)
{
    bool fits;
    json_t *samples = NULL;
    struct reading r = {reader, arena, th__arena_zero(arena, 1, sizeof *r.rules)};
    if (!r.rules || !th__seam_slots_make(schema, arena, &r.rules->slots, &fits))
        return th__fail_memory(reader->err);
    if (!fits)
        return th__rule_fault(reader,
                              "the schema is not of one record without choices, of at most "
                              "%d fields",
                              TH__SEAMS_MAX_SLOTS);
    th_status status = read_region(&r, json);
    if (!status)
        status = read_attributes(&r, json);
    if (!status)
        status = th__rule_array(reader, json, "samples", 1, TH__SEAMS_MAX_SAMPLES, &samples);
    if (status)
        return status;
    r.rules->samples = th__arena_zero(arena, json_array_size(samples), sizeof *r.rules->samples);
    if (!r.rules->samples)
        return th__fail_memory(reader->err);
    size_t mark = th__rule_enter(reader, "samples");
    for (size_t i = 0; !status && i < json_array_size(samples); i++) {
        size_t item = th__rule_enter_item(reader, i);
        status = read_sample(&r, json_array_get(samples, i), &r.rules->samples[i]);
        r.rules->sample_count += !status;
        if (!status)
            th__rule_leave(reader, item);
    }
    if (status)
        return status;
    th__rule_leave(reader, mark);
    *out = r.rules;
    return th__seam_model_make(r.rules, arena, reader->err);
}

/* ---- for people ------------------------------------------------------------------------------ */

/* The first sample, with the names of fields in place of values. */
static void explain_sample(const th__seam_rules *rules, const th__seam_sample *sample, th__buf *out)
{
    uint32_t at = 0;
    th__buf_add(out, "  ", 2);
    for (uint32_t i = 0; i <= sample->count; i++) {
        uint32_t end = i < sample->count ? sample->places[i].start : (uint32_t)sample->html.len;
        for (bool blank = false; at < end; at++) {
            bool is_blank = th__is_blank((unsigned char)sample->html.ptr[at]);
            if (!is_blank || !blank)
                th__buf_add_byte(out, is_blank ? ' ' : sample->html.ptr[at]);
            blank = is_blank;
        }
        if (i == sample->count)
            break;
        th__buf_printf(out, "{%.*s}", TH_STR_ARG(rules->slots.data[sample->places[i].slot].name));
        at = sample->places[i].end;
    }
    th__buf_add_byte(out, '\n');
}

void th__seams_explain(const void *data, th__buf *out)
{
    const th__seam_rules *rules = data;
    th__buf_printf(out, "in %.*s, by what stands before values in %u sample%s:\n",
                   TH_STR_ARG(rules->region.len ? rules->region : TH_STR("the page")),
                   rules->sample_count, rules->sample_count == 1 ? "" : "s");
    for (uint32_t i = 0; i < rules->sample_count; i++)
        explain_sample(rules, &rules->samples[i], out);
}
