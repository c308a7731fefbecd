/*
 * paths.c: the paths engine: pages of one record, by where values are in the tree.
 *
 * Not a published system, but what people do by hand: "the second cell after Price". Beside STALKER
 * and SoftMealy, which read the page as a string, it goes by the tree; it learns in a fraction of
 * the time, and can say why it took a place: paths_learn.c has the idea. It does not learn lists
 * of records inside a page.
 */
#include "engine/paths/paths.h"

#include "base/error.h"
#include "data/record.h"
#include "data/schema.h"
#include "page/text.h"
#include "wrapper/hits.h"

/* ---- what a rule finds among the units of a page --------------------------------------------- */

/* A page on which rules are run. */
struct path_page {
    th__arena arena;
    th__units units; /* those that the rules may find */
    th__folded scratch;
};

/* `views`: the rules for questions are run, too. To be closed in any case. */
static bool page_open(struct path_page *out, const th__path_rules *rules, bool views,
                      const th_page *page)
{
    unsigned kinds = 0;
    for (uint32_t i = 0; i < rules->count; i++) {
        const th__path_field *field = &rules->fields[i];
        for (uint32_t j = 0; j < field->count + (views ? field->view_count : 0); j++) {
            const th__path_rule *rule =
                j < field->count ? &field->rules[j] : &field->views[j - field->count].rule;
            kinds |= 1u << rule->kind;
            kinds |= rule->attribute == TH__UNIT_OTHER ? TH__UNITS_ALL_ATTRIBUTES : 0;
        }
    }
    *out = (struct path_page){0};
    th__arena_init(&out->arena);
    return th__units_find(&out->arena, page, kinds, false, &out->units);
}

static void page_close(struct path_page *page)
{
    th__folded_release(&page->scratch);
    th__arena_release(&page->arena);
}

/* What the rules of a field find, in their order; the rule at `of` is replaced by `instead`, unless
 * that is NULL. */
static bool find_field(const th__path_field *field, uint32_t of, const th__path_rule *instead,
                       struct path_page *page, th__path_values *out)
{
    out->len = 0;
    for (uint32_t i = 0; i < field->count; i++) {
        const th__path_rule *rule = instead && i == of ? instead : &field->rules[i];
        if (field->rules[i].otherwise && out->len)
            continue;
        if (!th__path_find(rule, &page->units, &page->scratch, out))
            return false;
    }
    return true;
}

/* ---- the record of a page -------------------------------------------------------------------- */

struct path_runner {
    struct path_page page;
    th__path_values found;
    th__buf text;
    th_records *records;
};

static bool met_before(const struct path_runner *r, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (th__same_span(r->found.data[i].span, r->found.data[index].span))
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
static bool read_value(struct path_runner *r, const th__path_value *value)
{
    const th__unit *unit = &r->page.units.data[value->unit];
    r->text.len = 0;
    if (!th__span_text(r->page.units.page, value->span, &r->text))
        return false;
    if (unit->kind != TH__UNIT_ATTRIBUTE ||
        !th__attribute_is_link(th__attribute_at(r->page.units.page, unit->span).name) ||
        !th__same_span(unit->span, value->span))
        return true;
    th_text link = {0};
    bool ok = !th_page_resolve(r->page.units.page, th__buf_str(&r->text), &link, NULL);
    r->text.len = 0;
    ok = ok && th__buf_add(&r->text, link.ptr, link.len);
    th_text_release(&link);
    return ok;
}

static bool put_values(struct path_runner *r, const th__path_field *field, th_value *slot)
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

static bool fill(struct path_runner *r, const th__path_rules *rules)
{
    th_value *record = NULL;
    for (uint32_t i = 0; i < rules->count; i++) {
        const th__path_field *field = &rules->fields[i];
        if (!find_field(field, 0, NULL, &r->page, &r->found))
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

static th_status run(const void *context, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err)
{
    const th__path_rules *rules = context;
    struct path_runner r = {0};
    bool ok = page_open(&r.page, rules, false, page);
    th_status status = th_records_new(schema, source, &r.records, err);
    if (!status && (!ok || !fill(&r, rules)))
        status = th__fail_memory(err);
    if (!status)
        status = th_records_status(r.records, err);
    if (status) {
        th_records_free(r.records);
        r.records = NULL;
    }
    *out = r.records;
    th__vec_release(&r.found);
    th__buf_release(&r.text);
    page_close(&r.page);
    return status;
}

/* ---- hits: the elements that an address leads to, and the texts that identify them ----------- */

static void hit_value(th_hits *out, const th__units *units, const th__path_field *field,
                      const th__path_rule *rule, const th__path_value *value)
{
    static const char *const parts[TH__TELLERS] = {"",        "text before", "caption",
                                                   "heading", "text after",  "own beginning"};
    const th__unit *unit = &units->data[value->unit];
    th__hits_add_tag(out, units->page, unit->node, field->name, "element", rule->path);
    if (!rule->teller)
        return;
    uint32_t teller = rule->teller == TH__TOLD_BY_START
                          ? value->unit
                          : th__unit_teller(units, value->unit, (th__teller)rule->teller);
    if (teller != TH__NO_UNIT)
        th__hits_add(out, units->data[teller].span, field->name, parts[rule->teller], rule->told);
}

static bool hit_field(th_hits *out, struct path_page *page, const th__path_field *field,
                      th__path_values *found)
{
    found->len = 0;
    for (uint32_t i = 0; i < field->count; i++) {
        size_t from = found->len;
        if (field->rules[i].otherwise && found->len)
            continue;
        if (!th__path_find(&field->rules[i], &page->units, &page->scratch, found))
            return false;
        size_t end = field->list || from ? found->len : from + (found->len > from);
        for (size_t v = from; v < end; v++)
            hit_value(out, &page->units, field, &field->rules[i], &found->data[v]);
    }
    return true;
}

static th_status find_hits(const void *context, const th_schema *schema, const th_page *page,
                           th_hits *out, th_error *err)
{
    const th__path_rules *rules = context;
    struct path_page open;
    th__path_values found = {0};
    bool ok = page_open(&open, rules, false, page);
    for (uint32_t i = 0; ok && i < rules->count; i++)
        ok = hit_field(out, &open, &rules->fields[i], &found);
    th__vec_release(&found);
    page_close(&open);
    return ok ? TH_OK : th__fail_memory(err);
}

/* ---- doubts: where the rules may be wrong -------------------------------------------------------
 *
 * A field is in doubt on a page
 *
 *  1. if rules that were as right as its own on labelled pages find something else: their weight
 *     is the contention;
 *  2. if a rule that found one text at its place on every labelled page finds several: the field
 *     may have several values, which no label has shown yet;
 *  3. if it finds nothing, or fewer values than any labelled page has: another layout;
 *  4. if it finds more values than any labelled page has, or there are more texts beside a value
 *     than ever: a layout with one more line.
 *
 * Reasons join as independent ones do: 1 - (1 - a)(1 - b).
 */

/* What reasons other than views weigh. A value that is missing, or that is several, is nearly
 * always a layout that no label has shown; a list that is longer than others is most often just
 * that. */
#define MISSING 0.6
#define SEVERAL 0.5
#define FEWER   0.4
#define MORE    0.2
#define BESIDE  0.3

/* A view that finds nothing says less than one that finds something else. */
#define SILENT 0.3

enum { COMPARED = 64 }; /* values of a list: more are not held against each other */

struct found_values {
    th__path_values values;
    uint64_t hashes[COMPARED];
    uint32_t count; /* of different texts */
};

struct path_doubter {
    th_doubts *out;
    struct path_page page;
    th__buf text;
    struct found_values own, other;
};

/* ---- what a field is by its rules, or with one of them replaced -------------------------------
 */

static bool has_hash(const struct found_values *found, uint64_t hash)
{
    for (uint32_t i = 0; i < found->count; i++)
        if (found->hashes[i] == hash)
            return true;
    return false;
}

/* Texts as they are read: cuts count. */
static bool hash_values(struct path_doubter *d, bool list, struct found_values *found)
{
    found->count = 0;
    for (size_t i = 0; i < found->values.len && (list || !i) && found->count < COMPARED; i++) {
        d->text.len = 0;
        if (!th__span_text(d->page.units.page, found->values.data[i].span, &d->text))
            return false;
        uint64_t hash = th__text_key(th__buf_str(&d->text));
        if (!has_hash(found, hash))
            found->hashes[found->count++] = hash;
    }
    return true;
}

static bool find(struct path_doubter *d, const th__path_field *field, uint32_t of,
                 const th__path_rule *instead, struct found_values *out)
{
    return find_field(field, of, instead, &d->page, &out->values) &&
           hash_values(d, field->list, out);
}

static bool same(const struct found_values *a, const struct found_values *b)
{
    bool equal = a->count == b->count;
    for (uint32_t i = 0; equal && i < a->count; i++)
        equal = has_hash(b, a->hashes[i]);
    return equal;
}

/* Returns true if what a rule found alone has other texts behind the first. */
static bool has_others(struct path_doubter *d, const struct found_values *found, bool *out)
{
    enum { LOOKED_AT = 8 };
    *out = false;
    for (size_t i = 1; i < found->values.len && i <= LOOKED_AT && !*out; i++) {
        d->text.len = 0;
        if (!th__span_text(d->page.units.page, found->values.data[i].span, &d->text))
            return false;
        *out = th__text_key(th__buf_str(&d->text)) != found->hashes[0];
    }
    return true;
}

/* ---- telling --------------------------------------------------------------------------------- */

/* Each of the values that were found, a place once, as extraction gives them. */
static bool list_values(struct path_doubter *d, const struct found_values *found, th_answer *out)
{
    const th__path_value *in = found->values.data;
    size_t len = found->values.len;
    th_answer_value *values = th__arena_zero(&d->out->arena, len, sizeof *values);
    for (size_t i = 0; values && i < len; i++) {
        bool met = false;
        for (uint32_t j = 0; !met && j < out->count && j < COMPARED; j++)
            met = th__same_span(values[j].span, in[i].span);
        if (met)
            continue;
        d->text.len = 0;
        if (!th__span_text(d->page.units.page, in[i].span, &d->text))
            return false;
        values[out->count] =
            (th_answer_value){th__arena_copy(&d->out->arena, th__buf_str(&d->text)), in[i].span};
        if (!values[out->count++].text.ptr)
            return false;
    }
    out->values = values;
    return values;
}

/* The texts of what was found, as people read them; absent when there is nothing. */
static bool tell(struct path_doubter *d, const struct found_values *found, bool all, th_answer *out)
{
    enum { TOLD = 8 };
    if (!found->values.len)
        return true;
    d->text.len = 0;
    for (size_t i = 0; i < found->values.len && i < TOLD && (all || !i); i++) {
        if ((i && !th__buf_add(&d->text, " | ", 3)) ||
            !th__span_text(d->page.units.page, found->values.data[i].span, &d->text))
            return false;
        out->more = (uint32_t)i;
    }
    out->span = found->values.data[0].span;
    out->text = th__arena_copy(&d->out->arena, th__buf_str(&d->text));
    return out->text.ptr && (!all || list_values(d, found, out));
}

struct reason {
    double contention;
    const char *why; /* the weightiest */
    double weightiest;
    const th__path_view *dissent; /* the likeliest view that finds something else, or NULL */
    bool several;                 /* shown with all of its texts */
};

static void add_reason(struct reason *reason, double weight, const char *why)
{
    reason->contention = 1 - (1 - reason->contention) * (1 - weight);
    if (weight > reason->weightiest) {
        reason->weightiest = weight;
        reason->why = why;
    }
}

static bool add_doubt(struct path_doubter *d, const th__path_field *field,
                      const struct reason *reason)
{
    th_doubt doubt = {.contention = reason->contention,
                      .why = reason->why,
                      .place = d->own.values.len ? d->own.values.data[0].span.start : 0,
                      .answer_count = 1};
    doubt.field = th__arena_copy(&d->out->arena, field->name);
    doubt.answers[0].view = "structure";
    if (!doubt.field.ptr || !tell(d, &d->own, field->list || reason->several, &doubt.answers[0]))
        return false;
    if (reason->dissent) {
        doubt.answers[doubt.answer_count].view = "other";
        if (!find(d, field, reason->dissent->of, &reason->dissent->rule, &d->other) ||
            !tell(d, &d->other, field->list || reason->several,
                  &doubt.answers[doubt.answer_count++]))
            return false;
    }
    d->out->contention += doubt.contention;
    return th__vec_push(&d->out->items, doubt);
}

/* ---- reasons --------------------------------------------------------------------------------- */

/* Views that find something else, or several things. */
static bool ask_views(struct path_doubter *d, const th__path_field *field, struct reason *reason)
{
    double against = 0;
    bool several = false;
    for (uint32_t i = 0; i < field->view_count; i++) {
        const th__path_view *view = &field->views[i];
        bool others = false;
        if (!find(d, field, view->of, &view->rule, &d->other) ||
            (view->rule.alone && !has_others(d, &d->other, &others)))
            return false;
        bool differs = !same(&d->own, &d->other);
        against += !differs ? 0 : d->other.count ? view->weight : SILENT * view->weight;
        several |= others && !differs;
        if ((differs || others) && !reason->dissent)
            reason->dissent = view;
    }
    if (against > 0)
        add_reason(reason, against < 1 ? against : 1, "other rules find something else");
    if (several)
        reason->several = true;
    return true;
}

static bool is_crowded(const struct path_doubter *d, const th__path_field *field)
{
    for (size_t i = 0; i < d->own.values.len && i < COMPARED; i++)
        if (d->page.units.data[d->own.values.data[i].unit].kind != TH__UNIT_WHOLE &&
            th__path_beside(&d->page.units, d->own.values.data[i].unit) > field->seen.beside)
            return true;
    return false;
}

static bool doubt_field(struct path_doubter *d, const th__path_field *field)
{
    struct reason reason = {0};
    const th__path_seen *seen = &field->seen;
    bool others = false;
    if (!find(d, field, 0, NULL, &d->own) || !ask_views(d, field, &reason))
        return false;
    if (field->count && field->rules[0].alone && !has_others(d, &d->own, &others))
        return false;
    reason.several |= others;
    if (reason.several)
        add_reason(&reason, SEVERAL, "several texts where there was one");
    if (seen->pages && seen->least && !d->own.count)
        add_reason(&reason, MISSING, "nothing where there was always something");
    else if (seen->pages && d->own.count && d->own.count < seen->least)
        add_reason(&reason, FEWER, "fewer values than ever");
    if (seen->pages && d->own.count > seen->most && seen->most)
        add_reason(&reason, MORE, "more values than ever");
    if (seen->pages && seen->beside && is_crowded(d, field))
        add_reason(&reason, BESIDE, "more texts beside it than ever");
    return reason.contention < 1e-6 || add_doubt(d, field, &reason);
}

static th_status find_doubts(const void *context, const th_schema *schema, const th_page *page,
                             th_doubts *out, th_error *err)
{
    const th__path_rules *rules = context;
    struct path_doubter d = {.out = out};
    bool ok = page_open(&d.page, rules, true, page);
    for (uint32_t i = 0; ok && i < rules->count; i++)
        ok = doubt_field(&d, &rules->fields[i]);
    th__vec_release(&d.own.values);
    th__vec_release(&d.other.values);
    th__buf_release(&d.text);
    page_close(&d.page);
    return ok ? TH_OK : th__fail_memory(err);
}

/* ---- rules as JSON ------------------------------------------------------------------------------
 *
 *     {"fields": [{"name": "price", "rules": [
 *         {"by": "id", "path": "#facts > td", "told": "before", "text": "Price:"},
 *         {"by": "end", "path": "div > p.price > b", "pick": 1, "otherwise": true}]}]}
 */

/* By th__address, th__teller and th__unit_kind. */
static const char *const addresses[] = {"classes",   "id",       "end",  "property",
                                        "cells",     "element",  "tags", "id positions",
                                        "positions", "anywhere", NULL};
static const char *const tellers[] = {"nothing", "before", "caption", "heading",
                                      "after",   "start",  NULL};
static const char *const kinds[] = {"text", "element", "attribute", "whole", NULL};

/* ---- rules ----------------------------------------------------------------------------------- */

/* "pick" counts from the first, "pick_from_end" from the last. */
static th_status read_pick(th__rule_reader *reader, json_t *json, void *object)
{
    uint64_t pick = 0, from_end = 0;
    th_status status = th__rule_number(reader, json, "pick", false, TH__PATHS_MAX_PICK, &pick);
    if (!status)
        status =
            th__rule_number(reader, json, "pick_from_end", false, TH__PATHS_MAX_PICK, &from_end);
    if (!status && pick && from_end)
        status = th__rule_fault(reader, "has both pick and pick_from_end");
    ((th__path_rule *)object)->pick = pick ? (int32_t)pick : -(int32_t)from_end;
    return status;
}

static void write_pick(const void *root, const void *object, th__json *json)
{
    int32_t pick = ((const th__path_rule *)object)->pick;
    if (pick)
        th__json_put_uint(json, pick > 0 ? "pick" : "pick_from_end",
                          (uint64_t)(pick > 0 ? pick : -pick));
}

/* Attributes by their names. */
static th_status read_attribute(th__rule_reader *reader, json_t *json, void *object)
{
    th__path_rule *rule = object;
    if (rule->kind != TH__UNIT_ATTRIBUTE)
        return TH_OK;
    th_status status = th__rule_text(reader, json, "attribute", false, reader->arena, &rule->name);
    if (status || !rule->name.ptr)
        return status;
    while (rule->attribute < TH__UNIT_OTHER &&
           !th__str_eq(rule->name, th_str_from(th__unit_attributes[rule->attribute])))
        rule->attribute++;
    return TH_OK;
}

static void write_attribute(const void *root, const void *object, th__json *json)
{
    const th__path_rule *rule = object;
    if (rule->kind == TH__UNIT_ATTRIBUTE)
        th__json_put_text(json, "attribute",
                          rule->attribute == TH__UNIT_OTHER
                              ? rule->name
                              : th_str_from(th__unit_attributes[rule->attribute]));
}

static th_status check_rule(th__rule_reader *reader, void *object)
{
    th__path_rule *rule = object;
    return th__path_rule_prepare(rule)
               ? TH_OK
               : th__rule_fault(reader, "path is not an address by %s", addresses[rule->address]);
}

static const th__rule_member rule_members[] = {
    {TH__WORD("by", th__path_rule, address, addresses), .flags = TH__ALWAYS},
    {TH__TEXT("path", th__path_rule, path)},
    {TH__WORD("kind", th__path_rule, kind, kinds)},
    {TH__OWN("attribute", read_attribute, write_attribute)},
    {TH__UINT("slot", th__path_rule, slot, 1, UINT32_MAX), .flags = TH__COUNTED,
     TH__ONLY_IF(th__path_rule, kind, ~(1u << TH__UNIT_ATTRIBUTE))},
    {TH__WORD("told", th__path_rule, teller, tellers)},
    {TH__TEXT("text", th__path_rule, told), .flags = TH__NEEDED,
     TH__ONLY_IF(th__path_rule, teller, ~(1u << TH__TOLD_BY_NOTHING))},
    {TH__OWN("pick", read_pick, write_pick)},
    {TH__INLINE(th__path_rule, cut, th__cut_shape)},
    {TH__FLAG("otherwise", th__path_rule, otherwise)},
    {TH__FLAG("alone", th__path_rule, alone)},
};
static const th__rule_shape rule_shape = TH__CHECKED_SHAPE(th__path_rule, rule_members, check_rule);

/* ---- views: what is for questions ------------------------------------------------------------ */

/* A view is one of a rule of its field, which is the one that is being read. */
static uint64_t rules_of_field(const th__rule_reader *reader, const void *object)
{
    const th__path_rules *rules = reader->root;
    return rules->fields[rules->count].count;
}

static th_status read_weight(th__rule_reader *reader, json_t *json, void *object)
{
    uint64_t weight = 0;
    th_status status = th__rule_number(reader, json, "weight", true, 1000, &weight);
    ((th__path_view *)object)->weight = (double)weight / 1000;
    return status;
}

static void write_weight(const void *root, const void *object, th__json *json)
{
    th__json_put_uint(json, "weight",
                      (uint64_t)(1000 * ((const th__path_view *)object)->weight + 0.5));
}

static const th__rule_member view_members[] = {
    {TH__INLINE(th__path_view, rule, rule_shape)},
    {TH__UINT("of", th__path_view, of, 1, 0), .flags = TH__COUNTED | TH__NEEDED,
     .limit = rules_of_field},
    {TH__OWN("weight", read_weight, write_weight)},
};
static const th__rule_shape view_shape = TH__SHAPE(th__path_view, view_members);

static const th__rule_member seen_members[] = {
    {TH__UINT("pages", th__path_seen, pages, 0, UINT32_MAX), .flags = TH__NEEDED},
    {TH__UINT("least", th__path_seen, least, 0, UINT32_MAX), .flags = TH__NEEDED},
    {TH__UINT("most", th__path_seen, most, 0, UINT32_MAX), .flags = TH__NEEDED},
    {TH__UINT("beside", th__path_seen, beside, 0, UINT32_MAX), .flags = TH__NEEDED},
};
static const th__rule_shape seen_shape = TH__SHAPE(th__path_seen, seen_members);

/* ---- fields ---------------------------------------------------------------------------------- */

/* Which member of the record a field is, and whether it is a list. */
static th_status find_member(th__rule_reader *reader, void *object)
{
    th__path_field *field = object;
    const th_type *tuple = th__type_strip(th_schema_record_type(reader->schema));
    for (uint32_t i = 0; i < tuple->count; i++) {
        if (!th__str_eq(th_type_name(tuple->children[i]), field->name))
            continue;
        const th_type *type = th__type_strip(tuple->children[i]);
        field->member = i;
        field->list = type->kind == TH_TYPE_LIST;
        if (field->list)
            type = th__type_strip(type->children[0]);
        return type->kind == TH_TYPE_FIELD
                   ? TH_OK
                   : th__rule_fault(reader, "\"%.*s\" must be a field or a list of fields",
                                    TH_STR_ARG(field->name));
    }
    return th__rule_fault(reader, "the schema has no member \"%.*s\"", TH_STR_ARG(field->name));
}

static const th__rule_member field_members[] = {
    {TH__TEXT("name", th__path_field, name), .flags = TH__NEEDED | TH__FIELD_NAME,
     .check = find_member},
    {TH__LIST("rules", th__path_field, rules, count, rule_shape, 0, TH__PATHS_MAX_RULES),
     .flags = TH__NEEDED},
    {TH__LIST("views", th__path_field, views, view_count, view_shape, 0, TH__PATHS_MAX_VIEWS)},
    {TH__OBJECT("seen", th__path_field, seen, seen_shape)},
};
static const th__rule_shape field_shape = TH__SHAPE(th__path_field, field_members);

static th_status begin_rules(th__rule_reader *reader, void *object)
{
    return th__type_strip(th_schema_root(reader->schema))->kind == TH_TYPE_TUPLE
               ? TH_OK
               : th__rule_fault(reader, "the schema must be of one record per page, a tuple");
}

static const th__rule_member rules_members[] = {
    {TH__LIST("fields", th__path_rules, fields, count, field_shape, 0, TH__PATHS_MAX_FIELDS),
     .flags = TH__NEEDED},
};
static const th__rule_shape rules_shape = {
    .members = rules_members, .count = 1, .size = sizeof(th__path_rules), .begin = begin_rules};

/* ---- in words -------------------------------------------------------------------------------- */

static void explain_rule(const th__path_rule *rule, bool first, th__buf *out)
{
    static const char *const told[] = {
        NULL, "after", "under the caption", "under the heading", "before", "beginning with"};
    th__buf_printf(out, "%s", first ? "" : rule->otherwise ? "; otherwise " : "; and ");
    if (rule->pick < 0)
        th__buf_printf(out, "number %d from the end of ", -rule->pick);
    else if (rule->pick)
        th__buf_printf(out, "number %d of ", rule->pick);
    if (rule->kind == TH__UNIT_ATTRIBUTE)
        th__buf_printf(out, "the attribute %.*s of ",
                       TH_STR_ARG(rule->attribute == TH__UNIT_OTHER
                                      ? rule->name
                                      : th_str_from(th__unit_attributes[rule->attribute])));
    else if (rule->kind == TH__UNIT_ELEMENT)
        th__buf_printf(out, "all text of ");
    else if (rule->kind == TH__UNIT_TEXT && rule->path.len)
        th__buf_printf(out, "text %u of ", rule->slot + 1);
    if (rule->path.len)
        th__buf_printf(out, "%.*s", TH_STR_ARG(rule->path));
    else
        th__buf_printf(out, "any text");
    if (rule->teller)
        th__buf_printf(out, " %s \"%.*s\"", told[rule->teller], TH_STR_ARG(rule->told));
    if (rule->cut.after.len)
        th__buf_printf(out, ", after %s\"%.*s\"", rule->cut.last ? "the last " : "",
                       TH_STR_ARG(rule->cut.after));
    if (rule->cut.before.len)
        th__buf_printf(out, ", up to \"%.*s\"", TH_STR_ARG(rule->cut.before));
}

static void explain(const void *context, th__buf *out)
{
    const th__path_rules *rules = context;
    th__buf_printf(out, "fields:\n");
    for (uint32_t i = 0; i < rules->count; i++) {
        const th__path_field *field = &rules->fields[i];
        th__buf_printf(out, "  %.*s: ", TH_STR_ARG(field->name));
        for (uint32_t j = 0; j < field->count; j++)
            explain_rule(&field->rules[j], j == 0, out);
        th__buf_printf(out, field->count ? "\n" : "never there\n");
    }
}

/* ---- learning from labels -------------------------------------------------------------------- */

struct sample_gatherer {
    TH__VEC(th__path_sample) samples;
    th__arena *arena;
};

static bool add_sample(struct sample_gatherer *g, const th_page *page, uint32_t index,
                       uint32_t field, const th_value *value)
{
    if (value->kind != TH_VALUE_TEXT || value->span.end <= value->span.start)
        return true;
    th_place *place = th__arena_zero(g->arena, 1, sizeof *place);
    if (!place)
        return false;
    uint32_t token = th__token_at(page, value->span.start);
    *place = (th_place){.span = value->span, .node = th_page_node_at(page, value->span.start)};
    if (page->tokens[token].kind == TH_TOKEN_START &&
        value->span.end <= page->tokens[token + 1].start)
        place->attribute = TH_STR("");
    return th__vec_push(
        &g->samples, (th__path_sample){index, field, th__value_text(value), place, 1, TH__NO_UNIT});
}

static bool gather(struct sample_gatherer *g, const th__corpus *corpus, uint32_t fields)
{
    for (uint32_t f = 0; f < fields; f++)
        for (uint32_t p = 0; p < corpus->count; p++) {
            const th_records *labels = corpus->pages[p].labels;
            const th_value *record = labels ? th_records_get(labels, 0) : NULL;
            const th_value *member = record ? th_value_item(record, f) : NULL;
            if (!member)
                continue;
            if (member->kind != TH_VALUE_LIST &&
                !add_sample(g, corpus->pages[p].page, p, f, member))
                return false;
            for (uint32_t i = 0; member->kind == TH_VALUE_LIST && i < member->count; i++)
                if (!add_sample(g, corpus->pages[p].page, p, f, th__value_item(member, i)))
                    return false;
        }
    return true;
}

static bool learn(const th__corpus *corpus, th__arena *arena, th__path_rules *rules,
                  th__arena *scratch)
{
    struct sample_gatherer g = {.arena = scratch};
    const th_page **pages = th__arena_zero(scratch, corpus->count + 1, sizeof *pages);
    size_t cells = corpus->count * rules->count;
    bool *labelled = th__arena_zero(scratch, cells + 1, sizeof *labelled);
    bool *sample = th__arena_zero(scratch, cells + 1, sizeof *sample);
    th__path_fit *fits = th__arena_zero(scratch, rules->count + 1, sizeof *fits);
    bool ok = pages && labelled && sample && fits && gather(&g, corpus, rules->count);
    for (size_t p = 0; ok && p < corpus->count; p++) {
        pages[p] = corpus->pages[p].page;
        corpus->pages[p].learnt = corpus->pages[p].labels != NULL;
        if (corpus->pages[p].labels)
            th__paths_known(corpus->pages[p].labels, corpus->pages[p].sample,
                            labelled + p * rules->count, sample + p * rules->count);
    }
    th__paths_input input = {.pages = pages,
                             .labelled = labelled,
                             .sample = sample,
                             .page_count = (uint32_t)corpus->count,
                             .samples = g.samples.data,
                             .sample_count = g.samples.len,
                             .field_count = rules->count,
                             .cancel = corpus->cancel};
    ok = ok && th__paths_learn(&input, arena, rules, fits);
    th__vec_release(&g.samples);
    return ok;
}

static th_status learn_corpus(const th_learn_options *options, const th__corpus *corpus,
                              th__arena *arena, th_schema **schema, void **out, th_error *err)
{
    if (!th__paths_fit_schema(corpus->schema))
        return th__fail(err, TH_ERR_ARGUMENT,
                        "engine paths learns only pages of one record whose fields are texts or "
                        "lists of texts: leave --engine out");
    th__arena scratch;
    th__arena_init(&scratch);
    th__path_rules *rules = th__arena_zero(arena, 1, sizeof *rules);
    bool ok = rules && th__paths_fields(corpus->schema, arena, rules) &&
              learn(corpus, arena, rules, &scratch);
    th__arena_release(&scratch);
    if (!ok)
        return th__fail_memory(err);
    *schema = th_schema_retain(corpus->schema);
    *out = rules;
    return TH_OK;
}

static void adopt(void *rules, const void *others, th_str field)
{
    th__path_rules *own = rules;
    const th__path_rules *from = others;
    for (uint32_t i = 0; i < own->count; i++)
        for (uint32_t j = 0; j < from->count; j++) {
            const th__path_field *other = &from->fields[j];
            if (!th__str_eq(own->fields[i].name, field) || !th__str_eq(other->name, field) ||
                own->fields[i].list != other->list)
                continue;
            uint32_t member = own->fields[i].member;
            own->fields[i] = *other;
            own->fields[i].member = member;
        }
}

const th__engine th__paths_engine = {
    .name = "paths",
    .learn_corpus = learn_corpus,
    .needs_labels = true,
    .run = run,
    .doubts = find_doubts,
    .hits = find_hits,
    .shape = &rules_shape,
    .explain = explain,
    .adopt = adopt,
};
