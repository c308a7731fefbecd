/*
 * repair_label.c: changed pages labelled anew, for engines that learn from labels.
 *
 * Pages of one record are labelled by the places that repair_places.c chooses for the broken fields
 * and for those that have hardly any values left; what the old wrapper still reads keeps the places
 * where it reads it. Values of a list, in the order of the page, make tuples, and a value of a
 * field that the tuple has already begins the next one. Where that does not do, or all fields
 * together are found better, all are looked for.
 *
 * Pages of many records are labelled in the same way, record by record: in the records that the old
 * wrapper still finds, and in those of the lists that the auto engine finds there, of which columns
 * matched by profile as in repair_find.c are tried too. Candidates are ranked by how much of the
 * fields they give, and how many records.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json_out.h"
#include "check/repair_json.h"
#include "check/repair_places.h"
#include "page/page.h"
#include "page/text.h"

/* Of a field that every record has. */
#define CLEARLY 0.1

enum {
    UNITS_ENOUGH = 120, /* records that are labelled, and what else is on the page of the last */
    UNITS_MAX = 1000    /* more than these are too many to look at */
};

/* ---- spans as JSON --------------------------------------------------------------------------- */

static void write_span(th_span span, th__json *json)
{
    th__json_begin_object(json);
    th__json_put_uint(json, "start", span.start);
    th__json_put_uint(json, "end", span.end);
    th__json_end_object(json);
}

/* A value that the old wrapper reads: its places. Depth is that of the schema. */
static void write_old(const th_value *value, th__json *json)
{
    value = value ? th__value_chosen(value) : NULL;
    if (!value || value->kind == TH_VALUE_NULL ||
        (value->kind == TH_VALUE_TEXT && value->span.end <= value->span.start)) {
        th__json_null(json);
    } else if (value->kind == TH_VALUE_TEXT) {
        write_span(value->span, json);
    } else if (value->kind == TH_VALUE_LIST) {
        th__json_begin_array(json);
        for (uint32_t i = 0; i < value->count; i++)
            write_old(value->items[i], json);
        th__json_end_array(json);
    } else {
        th__json_begin_object(json);
        for (uint32_t i = 0; i < value->count; i++) {
            th__json_key(json, th__value_key(value->items[i]));
            write_old(value->items[i], json);
        }
        th__json_end_object(json);
    }
}

/* ---- pages of one record --------------------------------------------------------------------- */

typedef struct labelling {
    th_repair *repair;
    uint32_t pages;
    bool *wanted; /* by field: it is looked for */
    bool *doubt;  /* by field: it is looked for, and stays as it is where nothing is found */
    bool *held;   /* by field: it stays as it is in a list that others of are looked for */
    th__places places;
} labelling;

/* The name of the list that a field is in, as "reviews" of reviews[].stars; else absent. */
static th_str list_of(th_str path)
{
    size_t at = th__str_find(path, TH_STR("[]."));
    return at == SIZE_MAX ? (th_str){0} : (th_str){path.ptr, at};
}

static th_str member_of(th_str path)
{
    size_t at = th__str_find(path, TH_STR("[]."));
    return at == SIZE_MAX ? th__field_name(path) : (th_str){path.ptr + at + 3, path.len - at - 3};
}

/* One list of tuples of texts is as deep as it goes. */
static bool can_label(th_str path)
{
    th_str member = member_of(path);
    return !memchr(member.ptr, '.', member.len) && (!list_of(path).ptr || !th__is_list_path(path));
}

static bool same_list(th_str a, th_str b)
{
    return list_of(a).ptr && list_of(b).ptr && th__str_eq(list_of(a), list_of(b));
}

/* Whether a field has less than half of the values that it should have: where the wrapper is broken
 * that is most likely why, though few pages do not prove it of a field that was often missing. */
static bool is_thin(const th_repair *repair, uint32_t field)
{
    const th__field_profile *old = &repair->profile->fields[field];
    for (uint32_t i = 0; i < repair->tally.count; i++)
        if (th__same_path(repair->tally.fields[i].path, old->path))
            return repair->profile->records &&
                   2 * (double)repair->tally.fields[i].values * (double)repair->profile->records <
                       (double)old->values * (double)repair->tally.records;
    return true;
}

/* Broken fields, and those that may be; or all. */
static bool want_fields(labelling *l, bool all)
{
    const th_repair *repair = l->repair;
    const th__profile *profile = repair->profile;
    l->wanted = th__arena_zero(&l->repair->arena, profile->count + 1, sizeof *l->wanted);
    l->doubt = th__arena_zero(&l->repair->arena, profile->count + 1, sizeof *l->doubt);
    l->held = th__arena_zero(&l->repair->arena, profile->count + 1, sizeof *l->held);
    for (uint32_t i = 0; l->wanted && l->doubt && l->held && i < profile->count; i++) {
        bool own = all || repair->broken[i] || is_thin(repair, i), listed = false;
        if (!can_label(profile->fields[i].path) || !profile->fields[i].values)
            continue;
        for (uint32_t j = 0; !own && j < profile->count; j++)
            listed = listed || ((repair->broken[j] || is_thin(repair, j)) &&
                                same_list(profile->fields[i].path, profile->fields[j].path));
        l->wanted[i] = own;
        l->held[i] = listed;
        l->doubt[i] = own && !repair->broken[i];
    }
    return l->wanted && l->doubt && l->held;
}

/* The value or values of a chosen field on a page. */
static void write_chosen(const labelling *l, uint32_t unit, uint32_t field, th__json *json)
{
    bool list = th__is_list_path(l->repair->profile->fields[field].path), some = false;
    if (list)
        th__json_begin_array(json);
    for (size_t i = 0; i < l->places.data.len && (list || !some); i++) {
        const th__spotted *s = &l->places.data.data[i];
        if (s->field != field || s->unit != unit)
            continue;
        write_span(s->span, json);
        some = true;
    }
    if (list)
        th__json_end_array(json);
    else if (!some)
        th__json_null(json);
}

static int by_start(const void *a, const void *b)
{
    const th__spotted *x = a, *y = b;
    return x->span.start < y->span.start ? -1 : x->span.start > y->span.start;
}

/* The tuples of a list on a page: fields of it that were chosen. */
static bool write_tuples(const labelling *l, uint32_t unit, uint32_t first, th__json *json)
{
    const th__profile *profile = l->repair->profile;
    TH__VEC(th__spotted) spots = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < l->places.data.len; i++) {
        const th__spotted *s = &l->places.data.data[i];
        if (s->unit == unit &&
            same_list(profile->fields[s->field].path, profile->fields[first].path))
            ok = th__vec_push(&spots, *s);
    }
    if (ok && spots.len)
        qsort(spots.data, spots.len, sizeof *spots.data, by_start);
    th__json_begin_array(json);
    size_t begin = 0;
    for (size_t i = 0; ok && i < spots.len; i++) {
        bool again = false;
        for (size_t j = begin; j < i; j++)
            again = again || spots.data[j].field == spots.data[i].field;
        /* The field that heads the page's first tuple heads all of them. */
        if (!i || again || spots.data[i].field == spots.data[0].field) {
            if (i)
                th__json_end_object(json);
            th__json_begin_object(json);
            begin = i;
        }
        th__json_key(json, member_of(profile->fields[spots.data[i].field].path));
        write_span(spots.data[i].span, json);
    }
    if (spots.len)
        th__json_end_object(json);
    th__json_end_array(json);
    th__vec_release(&spots);
    return ok;
}

static void write_kept(const th_value *old, th_str name, th__json *json)
{
    for (uint32_t j = 0; old && old->kind == TH_VALUE_TUPLE && j < old->count; j++)
        if (th__str_eq(th__value_key(old->items[j]), name)) {
            th__json_key(json, name);
            write_old(old->items[j], json);
        }
}

/* Whether a field is the first of its list that is labelled. */
static bool is_first_of_list(const labelling *l, uint32_t field)
{
    const th__profile *profile = l->repair->profile;
    for (uint32_t i = 0; i < field; i++)
        if (same_list(profile->fields[i].path, profile->fields[field].path))
            return false;
    return true;
}

static bool list_chosen(const labelling *l, uint32_t field)
{
    const th__profile *profile = l->repair->profile;
    for (uint32_t i = 0; i < profile->count; i++)
        if (l->places.chosen[i] && same_list(profile->fields[i].path, profile->fields[field].path))
            return true;
    return false;
}

static bool write_record(const labelling *l, uint32_t unit, const th_value *old, th__json *json)
{
    const th__profile *profile = l->repair->profile;
    bool ok = true;
    th__json_begin_object(json);
    for (uint32_t i = 0; ok && i < profile->count; i++) {
        th_str path = profile->fields[i].path, list = list_of(path);
        if (list.ptr) {
            if (!is_first_of_list(l, i))
                continue;
            if (list_chosen(l, i)) {
                th__json_key(json, list);
                ok = write_tuples(l, unit, i, json);
            } else if (!l->wanted[i] || l->doubt[i]) {
                write_kept(old, list, json);
            }
        } else if (l->places.chosen[i]) {
            th__json_key(json, th__field_name(path));
            write_chosen(l, unit, i, json);
        } else if (!l->wanted[i] || l->doubt[i]) {
            write_kept(old, th__field_name(path), json);
        }
    }
    th__json_end_object(json);
    return ok;
}

static void begin_page(uint32_t page, const char *key, th__json *json)
{
    char name[32];
    snprintf(name, sizeof name, "page-%u", page);
    json->comma = false; /* a line of its own */
    th__json_begin_object(json);
    th__json_key(json, TH_STR("page"));
    th__json_str(json, th_str_from(name));
    th__json_key(json, th_str_from(key));
}

static void end_page(th__json *json)
{
    th__json_end_object(json);
    th__buf_add_byte(json->buf, '\n');
}

static th_status label_page(const labelling *l, uint32_t page, th__json *json, th_error *err)
{
    const th__repair_page *p = &l->repair->pages[page];
    th_records *records;
    th_status status = th__repair_check(l->repair, err);
    if (!status)
        status = th_wrapper_extract(l->repair->wrapper, p->page, &p->source, &records, err);
    if (status)
        return status;
    begin_page(page, "record", json);
    bool ok = write_record(l, page, th_records_get(records, 0), json);
    end_page(json);
    th_records_free(records);
    return ok ? TH_OK : th__fail_memory(err);
}

/* The field of a name, in a list or not (absent), or the number of fields. */
static uint32_t field_named(const th__profile *profile, th_str list, th_str name)
{
    uint32_t i = 0;
    for (; i < profile->count; i++) {
        th_str path = profile->fields[i].path;
        bool same =
            list.ptr ? list_of(path).ptr && th__str_eq(list_of(path), list) : !list_of(path).ptr;
        if (same && th__str_eq(member_of(path), name))
            break;
    }
    return i;
}

/* Keeps where a value stands, and what it holds, but for fields that are looked for. `list` is the
 * name of the list of tuples that it is in, or absent. Depth is that of the schema. */
static bool keep_spans(const labelling *l, const th_value *value, th_str list, uint32_t page,
                       th__places *kept)
{
    const th__profile *profile = l->repair->profile;
    bool ok = true;
    th_str name = value ? th__value_key(value) : (th_str){0};
    value = value ? th__value_chosen(value) : NULL;
    if (!value || value->kind == TH_VALUE_NULL)
        return true;
    uint32_t field = name.ptr ? field_named(profile, list, name) : profile->count;
    if (field < profile->count && l->wanted[field])
        return true;
    if (value->kind == TH_VALUE_TEXT)
        return th__vec_push(&kept->data, ((th__spotted){field, page, value->span}));
    for (uint32_t i = 0; ok && i < value->count; i++) {
        const th_value *item = value->items[i];
        ok =
            keep_spans(l, item, value->kind == TH_VALUE_LIST && name.ptr ? name : list, page, kept);
    }
    return ok;
}

/* Where the values of a record stand that are not looked for. */
static bool keep_record(const labelling *l, const th_value *old, uint32_t unit, th__places *kept)
{
    bool ok = true;
    for (uint32_t i = 0; ok && old && old->kind == TH_VALUE_TUPLE && i < old->count; i++)
        ok = keep_spans(l, old->items[i], (th_str){0}, unit, kept);
    return ok;
}

static th_status keep_page(const labelling *l, uint32_t page, th__places *kept, th_error *err)
{
    const th__repair_page *p = &l->repair->pages[page];
    th_records *records;
    th_status status = th__repair_check(l->repair, err);
    if (!status)
        status = th_wrapper_extract(l->repair->wrapper, p->page, &p->source, &records, err);
    if (status)
        return status;
    bool ok = keep_record(l, th_records_get(records, 0), page, kept);
    th_records_free(records);
    return ok ? TH_OK : th__fail_memory(err);
}

/* Puts what is held of a list beside what was chosen of it. */
static bool add_held(labelling *l, const th__places *kept)
{
    bool ok = true;
    for (size_t i = 0; ok && i < kept->data.len; i++) {
        const th__spotted *s = &kept->data.data[i];
        if (s->field == l->repair->profile->count || !l->held[s->field] ||
            !list_chosen(l, s->field))
            continue;
        ok = th__vec_push(&l->places.data, *s);
    }
    return ok;
}

static th_status label_details(th_repair *repair, uint32_t pages, bool all, th__buf *out,
                               th_error *err)
{
    labelling l = {.repair = repair, .pages = pages};
    th__json json = {.buf = out};
    th__places kept = {0};
    th__unit units[TH__REPAIR_LEARN];
    th_status status = want_fields(&l, all) ? TH_OK : th__fail_memory(err);
    for (uint32_t i = 0; i < pages; i++)
        units[i] = (th__unit){i, {0, (uint32_t)repair->pages[i].page->text.len}};
    for (uint32_t i = 0; !status && i < pages; i++)
        status = keep_page(&l, i, &kept, err);
    if (!status)
        status = th__places_choose(repair, units, pages, l.wanted, &kept, &l.places, err);
    if (!status && !add_held(&l, &kept))
        status = th__fail_memory(err);
    th__vec_release(&kept.data);
    for (uint32_t i = 0; !status && i < pages; i++)
        status = label_page(&l, i, &json, err);
    th__vec_release(&l.places.data);
    return status;
}

/* ---- pages of many records ------------------------------------------------------------------- */

/* The fields that a selection of a list gives, of those that the wrapper has. */
static void write_list_record(const th_repair *repair, const th_value *record, th__json *json)
{
    th__json_begin_object(json);
    for (uint32_t i = 0; record->kind == TH_VALUE_TUPLE && i < repair->profile->count; i++)
        write_kept(record, th__field_name(repair->profile->fields[i].path), json);
    th__json_end_object(json);
}

static th_status label_list(th_repair *repair, const th_wrapper *list, uint32_t pages, th__buf *out,
                            th_error *err)
{
    th__json json = {.buf = out};
    th_status status = TH_OK;
    for (uint32_t i = 0; !status && i < pages; i++) {
        th_records *records;
        status = th_wrapper_extract(list, repair->pages[i].page, NULL, &records, err);
        if (status)
            break;
        begin_page(i, "records", &json);
        th__json_begin_array(&json);
        for (size_t j = 0; j < th_records_count(records); j++)
            write_list_record(repair, th_records_get(records, j), &json);
        th__json_end_array(&json);
        end_page(&json);
        th_records_free(records);
    }
    return status;
}

/* By the columns of a list. */
static th_status label_columns(th_repair *repair, th__candidate *list, uint32_t pages, th__buf *out,
                               th_error *err)
{
    th_wrapper *named = NULL;
    th_status status = th__repair_parts(repair, list, err);
    if (!status)
        status = th__repair_select(repair, list, &named, err);
    if (!status && named)
        status = label_list(repair, named, pages, out, err);
    th_wrapper_free(named);
    return status;
}

typedef TH__VEC(th__unit) unit_list;

static bool is_unit(const th_value *record)
{
    return record->span.end > record->span.start;
}

/* Widens records to the elements that hold them and nothing of another one: of broken fields none
 * tells how far a record goes. They are in the order of the page. */
static void widen(const th_page *page, th__unit *units, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        th_span span = units[i].span;
        uint32_t before = i ? units[i - 1].span.end : 0;
        uint32_t after = i + 1 < count ? units[i + 1].span.start : (uint32_t)page->text.len;
        uint32_t node = th__page_node_around(page, th__token_at(page, span.start),
                                             th__token_at(page, span.end - 1));
        for (; node; node = page->nodes[node].parent) {
            uint32_t start = page->tokens[page->nodes[node].token].start;
            uint32_t token_end = page->nodes[node].token_end;
            uint32_t end = token_end < page->token_count ? page->tokens[token_end].start
                                                         : (uint32_t)page->text.len;
            if (start < before || end > after || count < 2)
                break;
            units[i].span =
                (th_span){start < span.start ? start : span.start, end > span.end ? end : span.end};
        }
    }
}

/* The records of a list as units, whole pages of them; and where they hold what is not looked for,
 * unless kept is NULL. */
static th_status find_units(const labelling *l, const th_wrapper *list, th__places *kept,
                            unit_list *out, th_error *err)
{
    th_status status = TH_OK;
    for (uint32_t i = 0; !status && i < l->pages && out->len < UNITS_ENOUGH; i++) {
        th_records *records;
        size_t first = out->len;
        status = th_wrapper_extract(list, l->repair->pages[i].page, NULL, &records, err);
        for (size_t j = 0; !status && j < th_records_count(records); j++) {
            const th_value *record = th_records_get(records, j);
            if (!is_unit(record))
                continue;
            uint32_t unit = (uint32_t)out->len;
            if (!th__vec_push(out, ((th__unit){i, record->span})) ||
                (kept && !keep_record(l, record, unit, kept)))
                status = th__fail_memory(err);
        }
        if (kept && out->len > first)
            widen(l->repair->pages[i].page, out->data + first, out->len - first);
        th_records_free(records);
    }
    return status;
}

/* Labels the units of a page, from `unit` on; *unit is then one past the last. With `own` they are
 * the records that the old wrapper finds there. */
static th_status label_unit_page(const labelling *l, const unit_list *units, uint32_t count,
                                 bool own, uint32_t *unit, th__json *json, th_error *err)
{
    uint32_t page = units->data[*unit].page, i = *unit;
    th_records *records = NULL;
    size_t at = 0;
    th_status status = own ? th_wrapper_extract(l->repair->wrapper, l->repair->pages[page].page,
                                                NULL, &records, err)
                           : TH_OK;
    begin_page(page, "records", json);
    th__json_begin_array(json);
    for (; !status && i < count && units->data[i].page == page; i++) {
        const th_value *old = NULL;
        while (records && at < th_records_count(records) && !old) {
            const th_value *record = th_records_get(records, at++);
            old = is_unit(record) ? record : NULL;
        }
        status = write_record(l, i, old, json) ? TH_OK : th__fail_memory(err);
    }
    th__json_end_array(json);
    end_page(json);
    th_records_free(records);
    *unit = i;
    return status;
}

/* By places in the records of a list: of all fields, or, in the records that the old wrapper finds
 * (`own`), of those that are broken. */
static th_status label_units(th_repair *repair, const th_wrapper *list, bool own, uint32_t pages,
                             th__buf *out, th_error *err)
{
    labelling l = {.repair = repair, .pages = pages};
    th__places kept = {0};
    th__json json = {.buf = out};
    unit_list units = {0};
    th_status status = want_fields(&l, !own) ? TH_OK : th__fail_memory(err);
    if (!status)
        status = find_units(&l, list, own ? &kept : NULL, &units, err);
    uint32_t count = units.len < UNITS_MAX ? (uint32_t)units.len : 0;
    if (!status && count)
        status = th__places_choose(repair, units.data, count, l.wanted, &kept, &l.places, err);
    if (!status && count && !add_held(&l, &kept))
        status = th__fail_memory(err);
    for (uint32_t i = 0; !status && i < count;)
        status = label_unit_page(&l, &units, count, own, &i, &json, err);
    th__vec_release(&kept.data);
    th__vec_release(&l.places.data);
    th__vec_release(&units);
    return status;
}

/* ---- learning -------------------------------------------------------------------------------- */

static th_status learn(const th_repair *repair, const th_labels *labels, uint32_t pages,
                       th_wrapper **out, th_error *err)
{
    th_learner *learner;
    th_learn_options options;
    th_learn_options_init(&options);
    options.engine = repair->wrapper->engine->name;
    options.date = repair->date.ptr;
    options.labels = labels;
    options.cancel = repair->cancel;
    th_status status = th_learner_new(&options, &learner, err);
    for (uint32_t i = 0; !status && i < pages; i++) {
        char name[32];
        snprintf(name, sizeof name, "page-%u", i);
        th_records_source source = {th_str_from(name), repair->pages[i].source.url};
        status = th_learner_add(learner, repair->pages[i].page, &source, NULL, err);
    }
    if (!status)
        status = th_learner_finish(learner, out, err);
    th_learner_free(learner);
    return th__repair_learnt(status);
}

static th_status learn_labels(const th_repair *repair, const th__buf *lines, uint32_t pages,
                              th_wrapper **out, th_error *err)
{
    th_labels *labels = NULL;
    if (lines->failed)
        return th__fail_memory(err);
    th_status status = th_labels_read(th__buf_str(lines), "labels", &labels, err);
    if (!status)
        status = learn(repair, labels, pages, out, err);
    th_labels_free(labels);
    return th__repair_learnt(status);
}

/* How near the number of a field's values is to what it should be: 0 to 1. */
static double presence(const th__profile *profile, uint32_t field, const th__tally *tally,
                       const th__field_tally *now)
{
    double wanted = profile->records ? (double)profile->fields[field].values *
                                           (double)tally->records / (double)profile->records
                                     : 0;
    double values = (double)now->values;
    return wanted > 0 && values > 0 ? fmin(values / wanted, wanted / values) : wanted <= 0;
}

/* The same of records. */
static double record_count(const th__profile *profile, const th__tally *tally)
{
    double wanted = profile->pages
                        ? (double)profile->records * (double)tally->pages / (double)profile->pages
                        : 0;
    double records = (double)tally->records;
    return wanted > 0 && records > 0 ? sqrt(fmin(records / wanted, wanted / records)) : 0;
}

/* Fields have their names already. */
static th_status match_names(th_repair *repair, th__candidate *c, th_error *err)
{
    th__tally tally;
    uint32_t count = repair->profile->count;
    th_status status = th__repair_run(repair, c->wrapper, &tally, err);
    c->match.column = th__arena_zero(&repair->arena, count + 1, sizeof *c->match.column);
    c->match.likeness = th__arena_zero(&repair->arena, count + 1, sizeof *c->match.likeness);
    if (!status && (!c->match.column || !c->match.likeness))
        status = th__fail_memory(err);
    for (uint32_t i = 0; !status && i < count; i++) {
        c->match.column[i] = TH__NO_COLUMN;
        for (uint32_t j = 0; j < tally.count; j++) {
            if (!th__same_path(tally.fields[j].path, repair->profile->fields[i].path))
                continue;
            c->match.column[i] = j;
            c->match.likeness[i] =
                th__likeness(&repair->profile->fields[i], repair->targets[i], &tally.fields[j]);
            c->score += th__field_weight(&repair->profile->fields[i], repair->targets[i]) *
                        c->match.likeness[i] *
                        presence(repair->profile, i, &tally, &tally.fields[j]);
        }
    }
    c->score *= record_count(repair->profile, &tally);
    th__tally_release(&tally);
    return status;
}

/* A candidate learnt from labels. */
static th_status add_learnt(th_repair *repair, const th__buf *lines, uint32_t pages,
                            th__candidate *out, size_t *count, th_error *err)
{
    th__candidate c = {.named = true};
    th_status status = lines->len ? learn_labels(repair, lines, pages, &c.wrapper, err) : TH_OK;
    if (!status && c.wrapper)
        status = match_names(repair, &c, err);
    if (!status && c.wrapper)
        out[(*count)++] = c;
    else
        th_wrapper_free(c.wrapper);
    return status;
}

/* Best first; those that are as good stay in their order. There are few. */
static void rank(th__candidate *candidates, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        th__candidate own = candidates[i];
        size_t at = i;
        for (; at && candidates[at - 1].score + CLEARLY < own.score; at--)
            candidates[at] = candidates[at - 1];
        candidates[at] = own;
    }
}

/* Pages of many records: by places in the records that the old wrapper finds, when it does; in
 * those of the best lists; and by the columns of these. */
static th_status label_lists(th_repair *repair, uint32_t pages, th__candidate *out, size_t *count,
                             th_error *err)
{
    enum { LISTS = 2 };
    th__candidate found[TH__REPAIR_PICKS];
    size_t lists = 0;
    th_status status = TH_OK;
    if (!repair->before->evidence[0].drift) {
        th__buf lines = {0};
        status = label_units(repair, repair->wrapper, true, pages, &lines, err);
        if (!status)
            status = add_learnt(repair, &lines, pages, out, count, err);
        th__buf_release(&lines);
    }
    if (!status)
        status = th__repair_find_by(repair, "auto", found, &lists, err);
    for (size_t i = 0; !status && i < lists && i < LISTS; i++) {
        th__buf lines = {0};
        status = label_units(repair, found[i].wrapper, false, pages, &lines, err);
        if (!status)
            status = add_learnt(repair, &lines, pages, out, count, err);
        lines.len = 0;
        if (!status)
            status = label_columns(repair, &found[i], pages, &lines, err);
        if (!status)
            status = add_learnt(repair, &lines, pages, out, count, err);
        th__buf_release(&lines);
    }
    for (size_t i = 0; i < lists; i++)
        th_wrapper_free(found[i].wrapper);
    rank(out, *count);
    return status;
}

th_status th__repair_label(th_repair *repair, th__candidate *out, size_t *count, th_error *err)
{
    uint32_t pages = repair->page_count < TH__REPAIR_LEARN ? repair->page_count : TH__REPAIR_LEARN;
    bool many =
        th__type_strip(th_schema_root(th_wrapper_schema(repair->wrapper)))->kind == TH_TYPE_LIST;
    th__buf lines = {0};
    *count = 0;
    if (many)
        return label_lists(repair, pages, out, count, err);
    th_status status = TH_OK;
    for (int all = 0; !status && all < 2; all++) {
        lines.len = 0;
        status = label_details(repair, pages, all, &lines, err);
        if (!status)
            status = add_learnt(repair, &lines, pages, out, count, err);
    }
    th__buf_release(&lines);
    /* What looks for all fields anew goes first only where it finds clearly more. */
    rank(out, *count);
    return status;
}
