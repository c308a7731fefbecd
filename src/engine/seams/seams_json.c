/*
 * seams_json.c: the rules as JSON: where records stand, and the samples. What is counted over them
 * is counted anew when they are read.
 */
#include "base/error.h"
#include "engine/seams/seams.h"
#include "wrapper/rule_table.h"

enum { MAX_PLACES = 1 << 16 }; /* of a sample: none has more bytes than twice as many */

/* The sample that is being read. */
static const th__seam_sample *sample_of(const th__rule_reader *reader)
{
    const th__seam_rules *rules = reader->root;
    return &rules->samples[rules->sample_count];
}

/* ---- values ---------------------------------------------------------------------------------- */

static th_status read_slot(th__rule_reader *reader, json_t *json, void *object)
{
    const th__seam_slots *slots = &((const th__seam_rules *)reader->root)->slots;
    uint32_t *out = &((th__seam_place *)object)->slot;
    th_str name = {0};
    th_status status = th__rule_text(reader, json, "field", true, reader->arena, &name);
    for (*out = 0; !status && *out < slots->count; ++*out)
        if (th__str_eq(slots->data[*out].name, name))
            return TH_OK;
    return status ? status
                  : th__rule_fault(reader, "the schema has no field \"%.*s\"",
                                   (int)(name.len < 100 ? name.len : 100), name.ptr);
}

static void write_slot(const void *root, const void *object, th__json *json)
{
    const th__seam_rules *rules = root;
    th__json_put_text(json, "field",
                      rules->slots.data[((const th__seam_place *)object)->slot].name);
}

static uint64_t bytes_of_sample(const th__rule_reader *reader, const void *object)
{
    return sample_of(reader)->html.len;
}

static uint64_t depth_of_slot(const th__rule_reader *reader, const void *object)
{
    const th__seam_rules *rules = reader->root;
    return rules->slots.data[((const th__seam_place *)object)->slot].depth;
}

/* Places rise and do not overlap. */
static th_status check_place(th__rule_reader *reader, void *object)
{
    const th__seam_sample *sample = sample_of(reader);
    const th__seam_place *place = object;
    uint32_t least = sample->count ? sample->places[sample->count - 1].end : 0;
    return place->start >= least && place->end > place->start
               ? TH_OK
               : th__rule_fault(
                     reader, "must begin after the value before it, and end after its beginning");
}

static const th__rule_member place_members[] = {
    {TH__OWN("field", read_slot, write_slot)},
    {TH__UINT("start", th__seam_place, start, 0, 0), .limit = bytes_of_sample, .flags = TH__NEEDED},
    {TH__UINT("end", th__seam_place, end, 0, 0), .limit = bytes_of_sample, .flags = TH__NEEDED},
    {TH__UINT("open", th__seam_place, open, 0, 0), .limit = depth_of_slot},
};
static const th__rule_shape place_shape =
    TH__CHECKED_SHAPE(th__seam_place, place_members, check_place);

/* ---- samples --------------------------------------------------------------------------------- */

static th_status check_html(th__rule_reader *reader, void *object)
{
    return ((th__seam_sample *)object)->html.len <= TH__SEAMS_MAX_BYTES
               ? TH_OK
               : th__rule_fault(reader, "a sample has at most %d bytes", TH__SEAMS_MAX_BYTES);
}

static const th__rule_member sample_members[] = {
    {TH__TEXT("html", th__seam_sample, html), .flags = TH__NEEDED, .check = check_html},
    {TH__LIST("values", th__seam_sample, places, count, place_shape, 1, MAX_PLACES),
     .flags = TH__NEEDED},
};
static const th__rule_shape sample_shape = TH__SHAPE(th__seam_sample, sample_members);

/* ---- all ------------------------------------------------------------------------------------- */

static th_status begin_rules(th__rule_reader *reader, void *object)
{
    bool fits;
    th__seam_rules *rules = object;
    if (!th__seam_slots_make(reader->schema, reader->arena, &rules->slots, &fits))
        return th__fail_memory(reader->err);
    return fits ? TH_OK
                : th__rule_fault(
                      reader,
                      "the schema must have one record without choices and at most %d fields",
                      TH__SEAMS_MAX_SLOTS);
}

static th_status check_region(th__rule_reader *reader, void *rules)
{
    bool failed;
    if (th__seam_region_prepare(rules, reader->arena, &failed))
        return TH_OK;
    return failed ? th__fail_memory(reader->err)
                  : th__rule_fault(reader, "must be a path as \"html > body > div.main\"");
}

/* The attributes that fields are values of, by the names of the fields. */
static th_status read_attributes(th__rule_reader *reader, json_t *json, void *object)
{
    th__seam_slots *slots = &((th__seam_rules *)object)->slots;
    json_t *attributes = NULL;
    th_status status = th__rule_object(reader, json, "attributes", false, &attributes);
    size_t mark = th__rule_enter(reader, "attributes");
    for (uint32_t i = 0; !status && attributes && i < slots->count; i++)
        status = th__rule_text(reader, attributes, slots->data[i].name.ptr, false, reader->arena,
                               &slots->data[i].attribute);
    th__rule_leave(reader, mark);
    return status;
}

static void write_attributes(const void *root, const void *object, th__json *json)
{
    const th__seam_slots *slots = &((const th__seam_rules *)object)->slots;
    th__json_key(json, TH_STR("attributes"));
    th__json_begin_object(json);
    for (uint32_t i = 0; i < slots->count; i++)
        if (slots->data[i].attribute.ptr) {
            th__json_key(json, slots->data[i].name);
            th__json_str(json, slots->data[i].attribute);
        }
    th__json_end_object(json);
}

static th_status make_model(th__rule_reader *reader, void *rules)
{
    return th__seam_model_make(rules, reader->arena, reader->err);
}

static const th__rule_member rules_members[] = {
    {TH__TEXT("region", th__seam_rules, region), .flags = TH__NEEDED, .check = check_region},
    {TH__OWN("attributes", read_attributes, write_attributes)},
    {TH__LIST("samples", th__seam_rules, samples, sample_count, sample_shape, 1,
              TH__SEAMS_MAX_SAMPLES),
     .flags = TH__NEEDED},
};
static const th__rule_shape rules_shape = {.members = rules_members,
                                           .count = 3,
                                           .size = sizeof(th__seam_rules),
                                           .begin = begin_rules,
                                           .check = make_model};

void th__seams_write(const void *rules, th__json *json)
{
    th__rule_table_write(&rules_shape, rules, json);
}

th_status th__seams_read(th__rule_reader *reader, json_t *json, const th_schema *schema,
                         th__arena *arena, void **out)
{
    return th__rule_table_read(reader, json, &rules_shape, out);
}

bool th__seams_rename(void *data, th__rename_fn rename, void *context)
{
    th__seam_slots *slots = &((th__seam_rules *)data)->slots;
    for (uint32_t i = 0; i < slots->count; i++) {
        th_str to = rename(context, (th_str){0}, slots->data[i].name);
        if (to.len)
            slots->data[i].name = to;
    }
    return true;
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
    th__buf_printf(out, "in %.*s, by the text before values in %u sample%s:\n",
                   TH_STR_ARG(rules->region.len ? rules->region : TH_STR("the page")),
                   rules->sample_count, rules->sample_count == 1 ? "" : "s");
    for (uint32_t i = 0; i < rules->sample_count; i++)
        explain_sample(rules, &rules->samples[i], out);
}
