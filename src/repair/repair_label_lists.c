/*
 * repair_label_lists.c: pages of many records labelled.
 *
 * By places, record by record: in the records that the old wrapper still finds, or in those of
 * another list; or by the columns of such a list, matched by profile as in repair_find.c.
 */
#include "base/error.h"
#include "repair/repair_labelling.h"
#include "page/page.h"
#include "page/text.h"

enum {
    UNITS_ENOUGH = 120, /* records that are labelled, and what else is on the page of the last */
    UNITS_MAX = 1000,   /* more than these are too many to look at */
    EXCERPT_FROM = 2 * UNITS_ENOUGH, /* of a page of more records an excerpt is labelled */
    THIN_PART = 3 /* a record has a third of the fields that most have, at least */
};

/* ---- excerpts of pages of very many records ---------------------------------------------------
 */

/* The tag path of what is at a place: texts between places of one path have matching tags. */
static uint32_t path_at(const th_page *page, uint32_t at)
{
    uint32_t token = th__token_at(page, at);
    return page->nodes[th__page_node_around(page, token, token)].path;
}

/* Adds the text of a page without most of its records: some of the first, the middle and the last
 * stay. False if tags would not match, or without memory. */
static bool cut_records(const th_page *page, const th_records *records, th__buf *out)
{
    enum { STAY = UNITS_ENOUGH / 2 };
    size_t count = th_records_count(records), middle = count / 2;
    size_t from[] = {STAY, middle + STAY / 2}, to[] = {middle - STAY / 2, count - STAY};
    uint32_t at = 0;
    bool ok = true;
    for (int i = 0; ok && i < 2; i++) {
        th_span first = th_records_get(records, from[i])->span;
        th_span last = th_records_get(records, to[i])->span;
        ok = at <= first.start && first.start < last.start && last.start <= page->text.len &&
             path_at(page, first.start) == path_at(page, last.start) &&
             th__buf_add_str(out, (th_str){page->text.ptr + at, first.start - at});
        at = last.start;
    }
    return ok && th__buf_add_str(out, (th_str){page->text.ptr + at, page->text.len - at});
}

static th_status make_excerpt(th__repair_page *page, const th_wrapper *list, th_parser *parser,
                              th_error *err)
{
    th_records *records = NULL;
    th__buf text = {0};
    th_page_source source = {th_page_url(page->page), TH_STR("utf-8")};
    th_page_free(page->part);
    page->part = NULL;
    th_status status = th_wrapper_extract(list, page->page, NULL, &records, err);
    if (!status && th_records_count(records) > EXCERPT_FROM &&
        cut_records(page->page, records, &text)) {
        th_page *part = NULL;
        status = th_parser_parse(parser, th__buf_str(&text), &source, &part, err);
        if (!status) /* the parser borrows its text */
            status = th_page_copy(part, &page->part, err);
        th_page_free(part);
    }
    th__buf_release(&text);
    th_records_free(records);
    return status;
}

th_status th__label_excerpts(th_repair *repair, const th_wrapper *list, uint32_t pages,
                             th_error *err)
{
    th_parser *parser;
    th_status status = th_parser_new(NULL, &parser, err);
    for (uint32_t i = 0; !status && i < pages; i++)
        status = make_excerpt(&repair->pages[i], list, parser, err);
    if (parser)
        th_parser_free(parser);
    return status;
}

/* The fields that a selection of a list gives, of those that the wrapper has. */
static void write_list_record(const th_repair *repair, const th_value *record, th__json *json)
{
    th__json_begin_object(json);
    for (uint32_t i = 0; record->kind == TH_VALUE_TUPLE && i < repair->profile->count; i++)
        th__label_kept(record, th__field_name(repair->profile->fields[i].path), json);
    th__json_end_object(json);
}

static th_status label_list(th_repair *repair, const th_wrapper *list, uint32_t pages, th__buf *out,
                            th_error *err)
{
    th__json json = {.buf = out};
    th_status status = TH_OK;
    for (uint32_t i = 0; !status && i < pages; i++) {
        th_records *records;
        status = th_wrapper_extract(list, th__repair_part(repair, i), NULL, &records, err);
        if (status)
            break;
        th__label_begin_page(i, "records", &json);
        th__json_begin_array(&json);
        for (size_t j = 0; j < th_records_count(records); j++)
            write_list_record(repair, th_records_get(records, j), &json);
        th__json_end_array(&json);
        th__label_end_page(&json);
        th_records_free(records);
    }
    return status;
}

th_status th__label_columns(th_repair *repair, th__candidate *list, uint32_t pages, th__buf *out,
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
static th_status find_units(const th__labelling *l, const th_wrapper *list, th__places *kept,
                            th__unit_list *out, th_error *err)
{
    th_status status = TH_OK;
    for (uint32_t i = 0; !status && i < l->pages && out->len < UNITS_ENOUGH; i++) {
        th_records *records;
        size_t first = out->len;
        status = th_wrapper_extract(list, th__repair_part(l->repair, i), NULL, &records, err);
        for (size_t j = 0; !status && j < th_records_count(records); j++) {
            const th_value *record = th_records_get(records, j);
            if (!is_unit(record))
                continue;
            uint32_t unit = (uint32_t)out->len;
            if (!th__vec_push(out, ((th__unit){i, record->span})) ||
                (kept && !th__labelling_keep(l, record, unit, kept)))
                status = th__fail_memory(err);
        }
        if (kept && out->len > first)
            widen(th__repair_part(l->repair, i), out->data + first, out->len - first);
        th_records_free(records);
    }
    return status;
}

/* Labels the units of a page, from `unit` on; *unit is then one past the last. With `own` they are
 * the records that the old wrapper finds there. */
static th_status label_unit_page(const th__labelling *l, const th__unit_list *units, uint32_t count,
                                 bool own, uint32_t *unit, th__json *json, th_error *err)
{
    uint32_t page = units->data[*unit].page, i = *unit;
    th_records *records = NULL;
    size_t at = 0;
    th_status status =
        own ? th_wrapper_extract(l->repair->wrapper, th__repair_part(l->repair, page), NULL,
                                 &records, err)
            : TH_OK;
    th__label_begin_page(page, "records", json);
    th__json_begin_array(json);
    for (; !status && i < count && units->data[i].page == page; i++) {
        const th_value *old = NULL;
        while (records && at < th_records_count(records) && !old) {
            const th_value *record = th_records_get(records, at++);
            old = is_unit(record) ? record : NULL;
        }
        status = th__label_record(l, i, old, json) ? TH_OK : th__fail_memory(err);
    }
    th__json_end_array(json);
    th__label_end_page(json);
    th_records_free(records);
    *unit = i;
    return status;
}

/* Whether most records should have a field. */
static bool is_usual(const th_repair *repair, uint32_t field)
{
    const th__field_profile *p = &repair->profile->fields[field];
    return !repair->targets[field] && 10 * p->values >= 8 * p->chances &&
           th__str_find(p->path, TH_STR("[]")) == SIZE_MAX;
}

/* Leaves out units that have hardly any of the fields that most have: adverts and headings among
 * the records. Those behind move up. False without memory. */
static bool drop_thin(th__labelling *l, th__unit_list *units)
{
    const th_repair *repair = l->repair;
    uint32_t usual = 0, kept = 0, count = (uint32_t)units->len;
    uint32_t *has = th__arena_zero(&l->repair->arena, count + 1, sizeof *has);
    uint32_t *moved = th__arena_zero(&l->repair->arena, count + 1, sizeof *moved);
    if (!has || !moved)
        return false;
    for (uint32_t i = 0; i < repair->profile->count; i++)
        usual += l->places.chosen[i] && is_usual(repair, i);
    for (size_t i = 0; i < l->places.data.len; i++)
        has[l->places.data.data[i].unit] += is_usual(repair, l->places.data.data[i].field);
    for (uint32_t i = 0; i < count; i++) {
        bool thin = THIN_PART * has[i] < usual;
        moved[i] = thin ? UINT32_MAX : kept;
        if (!thin)
            units->data[kept++] = units->data[i];
    }
    units->len = kept;
    size_t left = 0;
    for (size_t i = 0; i < l->places.data.len; i++) {
        th__spotted s = l->places.data.data[i];
        if (moved[s.unit] == UINT32_MAX)
            continue;
        s.unit = moved[s.unit];
        l->places.data.data[left++] = s;
    }
    l->places.data.len = left;
    return true;
}

th_status th__label_units(th_repair *repair, const th_wrapper *list, bool own, uint32_t pages,
                          th__buf *out, th_error *err)
{
    th__labelling l = {.repair = repair, .pages = pages};
    th__places kept = {0};
    th__json json = {.buf = out};
    th__unit_list units = {0};
    th_status status = th__labelling_want(&l, !own) ? TH_OK : th__fail_memory(err);
    if (!status)
        status = list ? find_units(&l, list, own ? &kept : NULL, &units, err)
                      : th__anchored_units(repair, pages, &units, err);
    uint32_t count = units.len < UNITS_MAX ? (uint32_t)units.len : 0;
    if (!status && count)
        status =
            th__places_choose(repair, units.data, count, false, l.wanted, &kept, &l.places, err);
    if (!status && count && !th__labelling_hold(&l, &kept))
        status = th__fail_memory(err);
    if (!status && count && !own) {
        status = drop_thin(&l, &units) ? TH_OK : th__fail_memory(err);
        count = (uint32_t)units.len;
    }
    for (uint32_t i = 0; !status && i < count;)
        status = label_unit_page(&l, &units, count, own, &i, &json, err);
    th__vec_release(&kept.data);
    th__vec_release(&l.places.data);
    th__vec_release(&units);
    return status;
}
