/* paths_run.c: the record of a page. */
#include "base/error.h"
#include "data/record.h"
#include "engine/paths/paths_rule.h"

struct runner {
    th__units units;
    th__folded scratch;
    th__path_values found;
    th__buf text;
    th_records *records;
};

static bool met_before(const struct runner *r, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (r->found.data[i].span.start == r->found.data[index].span.start &&
            r->found.data[i].span.end == r->found.data[index].span.end)
            return true;
    return false;
}

/* A text said twice is one value of a list: rules that join speak of one thing. */
static bool said_before(const th_value *list, th_str text)
{
    for (uint32_t i = 0; list->kind == TH_VALUE_LIST && i < list->count; i++)
        if (th__str_eq(th__value_text(th__value_item(list, i)), text))
            return true;
    return false;
}

/* The text of a value; links are made absolute. */
static bool read_value(struct runner *r, const th__path_value *value)
{
    const th__unit *unit = &r->units.data[value->unit];
    r->text.len = 0;
    if (!th__span_text(r->units.page, value->span, &r->text))
        return false;
    if (unit->kind != TH__UNIT_ATTRIBUTE || unit->attribute > TH__UNIT_LAST_LINK ||
        unit->span.start != value->span.start || unit->span.end != value->span.end)
        return true;
    th_text link = {0};
    bool ok = !th_page_resolve(r->units.page, th__buf_str(&r->text), &link, NULL);
    r->text.len = 0;
    ok = ok && th__buf_add(&r->text, link.ptr, link.len);
    th_text_release(&link);
    return ok;
}

static bool put_values(struct runner *r, const th__path_field *field, th_value *slot)
{
    enum { MOST_COMPARED = 256 }; /* values of a list that are held against each other */
    for (size_t i = 0; i < r->found.len && (field->list || i == 0); i++) {
        if (i < MOST_COMPARED && met_before(r, i))
            continue;
        if (!read_value(r, &r->found.data[i]))
            return false;
        if (i < MOST_COMPARED && field->count > 1 && said_before(slot, th__buf_str(&r->text)))
            continue;
        th_value *to = field->list ? th_records_append(r->records, slot) : slot;
        if (!to)
            return false;
        th_records_set_text(r->records, to, th__buf_str(&r->text), r->found.data[i].span);
    }
    return true;
}

static bool fill(struct runner *r, const th__path_rules *rules)
{
    th_value *record = NULL;
    for (uint32_t i = 0; i < rules->count; i++) {
        const th__path_field *field = &rules->fields[i];
        if (!th__path_find_field(field, 0, NULL, &r->units, &r->scratch, &r->found))
            return false;
        if (!r->found.len)
            continue;
        if (!record)
            record = th_records_add(r->records);
        if (!record || !put_values(r, field, th_value_slot(record, field->member)))
            return false;
    }
    return true;
}

th_status th__paths_run(const void *context, const th_schema *schema, const th_page *page,
                        const th_records_source *source, th_records **out, th_error *err)
{
    const th__path_rules *rules = context;
    struct runner r = {0};
    th__arena arena;
    bool attributes = false, elements = false;
    for (uint32_t i = 0; i < rules->count; i++)
        for (uint32_t j = 0; j < rules->fields[i].count; j++) {
            attributes |= rules->fields[i].rules[j].kind == TH__UNIT_ATTRIBUTE;
            elements |= rules->fields[i].rules[j].kind == TH__UNIT_ELEMENT;
        }
    th__arena_init(&arena);
    th_status status = th_records_new(schema, source, &r.records, err);
    if (!status &&
        (!th__units_make(&arena, page, attributes, elements, &r.units) || !fill(&r, rules)))
        status = th__fail_memory(err);
    if (!status)
        status = th_records_status(r.records, err);
    if (status) {
        th_records_free(r.records);
        r.records = NULL;
    }
    *out = r.records;
    th__vec_release(&r.found);
    th__folded_release(&r.scratch);
    th__buf_release(&r.text);
    th__arena_release(&arena);
    return status;
}
