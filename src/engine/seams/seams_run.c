/* seams_run.c: the record of a page. */
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "data/record.h"
#include "engine/seams/seams.h"
#include "page/charref.h"
#include "page/page.h"
#include "page/text.h"
#include "page/url.h"

/* Elements with the path of the region that are read: the one where most values are is taken. */
enum { MAX_REGIONS = 16 };

struct runner {
    const th__seam_rules *rules;
    const th_page *page;
    th__arena arena;
    th_records *records;
    th__buf text, link;
    th__seam_tokens tokens; /* of the best region */
    th__seam_reading reading;
};

static bool read_region(struct runner *r, uint32_t node)
{
    th__seam_tokens tokens;
    th__seam_reading reading;
    if (!th__seam_tokens_make(&r->arena, r->page, node, &tokens) ||
        !th__seam_parse(r->rules, &tokens, &r->arena, &reading))
        return false;
    if (reading.values > r->reading.values ||
        (reading.values == r->reading.values && reading.cost < r->reading.cost)) {
        r->reading = reading;
        r->tokens = tokens;
    }
    return true;
}

static bool read_page(struct runner *r)
{
    uint32_t read = 0;
    for (uint32_t n = 0; n < r->page->node_count && read < MAX_REGIONS; n++)
        if (th__seam_region_is(r->rules, r->page, n)) {
            if (!read_region(r, n))
                return false;
            read++;
        }
    return true;
}

/* ---- the record ------------------------------------------------------------------------------ */

static bool read_text(struct runner *r, const th__seam_slot *slot, th_span span)
{
    const th_page *page = r->page;
    th__buf_clear(&r->text);
    if (!th__attribute_is_link(slot->attribute))
        return th__span_text(page, span, &r->text);
    th__buf_clear(&r->link);
    return th__decode_refs(th__page_slice(page, span.start, span.end), true, &r->link) &&
           th__url_resolve(page->base.ptr ? page->base : page->url, th__buf_str(&r->link),
                           &r->text);
}

static bool span_of(const struct runner *r, const th__seam_slot *slot, const th__seam_step *step,
                    th_span *out)
{
    if (step->start == step->end)
        return false;
    *out = (th_span){r->tokens.data[step->start].start, r->tokens.data[step->end - 1].end};
    return !slot->attribute.ptr ||
           th__attribute_span(r->page, th__token_at(r->page, out->start), slot->attribute, out);
}

/* The place of a value in the record; items that begin with it are made. */
static th_value *place_of(struct runner *r, const th__seam_slot *slot, const th__seam_step *step,
                          th_value *record)
{
    th_value *value = record;
    uint32_t depth = 0;
    for (uint32_t i = 0; value && i < slot->step_count; i++) {
        if (slot->steps[i] == TH__SEAMS_ITEM) {
            bool same = depth++ < step->open && th_value_count(value);
            value = same ? th_value_slot(value, th_value_count(value) - 1)
                         : th_records_append(r->records, value);
            continue;
        }
        if (th_value_get_kind(value) == TH_VALUE_NULL)
            value = th_records_set_tuple(r->records, value);
        value = th_value_slot(value, (size_t)slot->steps[i]);
    }
    return value;
}

static bool write_record(struct runner *r)
{
    if (!r->reading.values)
        return true;
    th_value *record = th_records_add(r->records);
    for (uint32_t i = 0; record && i < r->reading.count; i++) {
        const th__seam_step *step = &r->reading.steps[i];
        const th__seam_slot *slot = &r->rules->slots.data[step->slot];
        th_span span;
        bool there = span_of(r, slot, step, &span);
        if (!there && slot->item)
            continue;
        th_value *value = place_of(r, slot, step, record);
        if (!value || !there)
            continue;
        if (!read_text(r, slot, span))
            return false;
        if (r->text.len && (slot->literal || !th__says_nothing(th__buf_str(&r->text))))
            th_records_set_text(r->records, value, th__buf_str(&r->text), span);
    }
    return true;
}

th_status th__seams_run(const void *rules, const th_schema *schema, const th_page *page,
                        const th_records_source *source, th_records **out, th_error *err)
{
    struct runner r = {.rules = rules, .page = page, .reading.cost = TH__SEAM_NEVER};
    th_status status = th_records_new(schema, source, &r.records, err);
    if (status)
        return status;
    th__arena_init(&r.arena);
    status = read_page(&r) && write_record(&r) ? th_records_status(r.records, err)
                                               : th__fail_memory(err);
    th__buf_release(&r.text);
    th__buf_release(&r.link);
    th__arena_release(&r.arena);
    if (status)
        th_records_free(r.records);
    else
        *out = r.records;
    return status;
}
