/*
 * repair_relabel.c: labels changed pages again, for engines that learn from labels.
 *
 * Pages of one record are labelled by the places that repair_places.c chooses for the broken fields
 * and for those that have hardly any values left; values that the old wrapper still reads keep
 * their places. If that fails, or gives worse results, all fields are searched for.
 *
 * Pages of many records are labelled in the same way, record by record: in the records that the old
 * wrapper still finds, and in those of the lists that the auto engine finds there, of which columns
 * matched by profile as in repair_find.c are tried too. Proposals are ranked by how much of the
 * fields they give, and how many records.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/json_out.h"
#include "page/page.h"
#include "page/text.h"
#include "learn/learn.h"
#include "repair/repair.h"

/* Clearly better: by this part of a field that every record has. */
#define CLEARLY 0.1
/* A proposal with this share of the full score reads the pages. New values and rare fields cost a
 * little even if all is right. */
#define ENOUGH 0.9
enum {
    EXTENTS_ENOUGH = 120, /* records that are labelled, plus the rest of the last page */
    EXTENTS_MAX = 1000,   /* more are too many to examine */
    EXCERPT_FROM = 2 * EXTENTS_ENOUGH, /* of a page with more records an excerpt is labelled */
    THIN_PART = 3                      /* a record has at least a third of the usual fields */
};

/* The output of a wrapper on the labelled part of each page. */
typedef struct listing {
    const th_wrapper *wrapper;
    const th_records *records[TH__REPAIR_LEARN];
    th_records *own[TH__REPAIR_LEARN]; /* those that the repair does not own */
} listing;

typedef struct labelling {
    th_repair *repair;
    uint32_t pages;
    bool *wanted; /* by field: it is searched for */
    bool *doubt;  /* by field: it is searched for, and stays as it is if not found */
    bool *held;   /* by field: it stays as it is in a list with fields that are searched for */
    th__spots spots;
} labelling;

/* ---- fields that are looked for -------------------------------------------------------------- */

static th_str member_of(th_str path)
{
    size_t at = th__str_find(path, TH_STR("[]."));
    return at == SIZE_MAX ? th__field_name(path) : (th_str){path.ptr + at + 3, path.len - at - 3};
}

/* One list of tuples of texts is the deepest that labels allow. */
static bool can_label(th_str path)
{
    th_str member = member_of(path);
    return !memchr(member.ptr, '.', member.len) &&
           (!th__list_of(path).ptr || !th__is_list_path(path));
}

static bool same_list(th_str a, th_str b)
{
    return th__list_of(a).ptr && th__list_of(b).ptr && th__str_eq(th__list_of(a), th__list_of(b));
}

/* Returns true if a field has less than half of its expected values: if the wrapper is broken that
 * is the likely cause, though few pages do not prove it for an optional field. */
static bool is_thin(const th_repair *repair, uint32_t field)
{
    const th__field_profile *old = &repair->profile->fields[field];
    const th__field_tally *now = th__column_of(repair, &repair->tally, field);
    return !now ||
           (repair->profile->records && 2 * (double)now->values * (double)repair->profile->records <
                                            (double)old->values * (double)repair->tally.records);
}

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

/* ---- labels ---------------------------------------------------------------------------------- */

/* Writes the value or values of a chosen field on a page. */
static void write_chosen(const labelling *l, uint32_t extent, uint32_t field, th__json *json)
{
    bool list = th__is_list_path(l->repair->profile->fields[field].path), some = false;
    if (list)
        th__json_begin_array(json);
    for (size_t i = 0; i < l->spots.data.len && (list || !some); i++) {
        const th__spot *s = &l->spots.data.data[i];
        if (s->field != field || s->extent != extent)
            continue;
        th__repair_write_span(s->span, json);
        some = true;
    }
    if (list)
        th__json_end_array(json);
    else if (!some)
        th__json_null(json);
}

static int by_start(const void *a, const void *b)
{
    const th__spot *x = a, *y = b;
    return th__order(x->span.start, y->span.start);
}

/* Writes the tuples of a list on a page: its chosen fields. */
static bool write_tuples(const labelling *l, uint32_t extent, uint32_t first, th__json *json)
{
    const th__profile *profile = l->repair->profile;
    TH__VEC(th__spot) spots = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < l->spots.data.len; i++) {
        const th__spot *s = &l->spots.data.data[i];
        if (s->extent == extent &&
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
        /* The field that starts the page's first tuple starts all of them. */
        if (!i || again || spots.data[i].field == spots.data[0].field) {
            if (i)
                th__json_end_object(json);
            th__json_begin_object(json);
            begin = i;
        }
        th__json_key(json, member_of(profile->fields[spots.data[i].field].path));
        th__repair_write_span(spots.data[i].span, json);
    }
    if (spots.len)
        th__json_end_object(json);
    th__json_end_array(json);
    th__vec_release(&spots);
    return ok;
}

static void label_kept(const th_value *old, th_str name, th__json *json)
{
    for (uint32_t j = 0; old && old->kind == TH_VALUE_TUPLE && j < old->count; j++)
        if (th__str_eq(th__value_key(th__value_item(old, j)), name)) {
            th__json_key(json, name);
            th__repair_write_value(th__value_item(old, j), json);
        }
}

/* Returns true if a field is the first of its list that is labelled. */
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
        if (l->spots.chosen[i] && same_list(profile->fields[i].path, profile->fields[field].path))
            return true;
    return false;
}

static bool label_record(const labelling *l, uint32_t extent, const th_value *old, th__json *json)
{
    const th__profile *profile = l->repair->profile;
    bool ok = true;
    th__json_begin_object(json);
    for (uint32_t i = 0; ok && i < profile->count; i++) {
        th_str path = profile->fields[i].path, list = th__list_of(path);
        if (list.ptr) {
            if (!is_first_of_list(l, i))
                continue;
            if (list_chosen(l, i)) {
                th__json_key(json, list);
                ok = write_tuples(l, extent, i, json);
            } else if (!l->wanted[i] || l->doubt[i]) {
                label_kept(old, list, json);
            }
        } else if (l->spots.chosen[i]) {
            th__json_key(json, th__field_name(path));
            write_chosen(l, extent, i, json);
        } else if (!l->wanted[i] || l->doubt[i]) {
            label_kept(old, th__field_name(path), json);
        }
    }
    th__json_end_object(json);
    return ok;
}

static void begin_page(uint32_t page, const char *key, th__json *json)
{
    char name[TH__REPAIR_NAME];
    json->comma = false; /* a line of its own */
    th__json_begin_object(json);
    th__json_put_text(json, "page", th__repair_name(page, name));
    th__json_key(json, th_str_from(key));
}

static void end_page(th__json *json)
{
    th__json_end_object(json);
    th__buf_add_byte(json->buf, '\n');
}

/* ---- what is kept ---------------------------------------------------------------------------- */

/* The index of the field with a name, in a list or not (absent), or the number of fields. */
static uint32_t field_named(const th__profile *profile, th_str list, th_str name)
{
    uint32_t i = 0;
    for (; i < profile->count; i++) {
        th_str path = profile->fields[i].path;
        bool same = list.ptr ? th__list_of(path).ptr && th__str_eq(th__list_of(path), list)
                             : !th__list_of(path).ptr;
        if (same && th__str_eq(member_of(path), name))
            break;
    }
    return i;
}

/* Keeps the place and content of a value, except for fields that are searched for. `list` is the
 * name of its list of tuples, or absent. Depth is that of the schema. */
static bool keep_spans(const labelling *l, const th_value *value, th_str list, uint32_t page,
                       th__spots *kept)
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
        return th__vec_push(&kept->data, ((th__spot){field, page, value->span}));
    for (uint32_t i = 0; ok && i < value->count; i++) {
        const th_value *item = th__value_item(value, i);
        ok =
            keep_spans(l, item, value->kind == TH_VALUE_LIST && name.ptr ? name : list, page, kept);
    }
    return ok;
}

static bool keep_record(const labelling *l, const th_value *old, uint32_t extent, th__spots *kept)
{
    bool ok = true;
    for (uint32_t i = 0; ok && old && old->kind == TH_VALUE_TUPLE && i < old->count; i++)
        ok = keep_spans(l, th__value_item(old, i), (th_str){0}, extent, kept);
    return ok;
}

static bool hold_kept(labelling *l, const th__spots *kept)
{
    bool ok = true;
    for (size_t i = 0; ok && i < kept->data.len; i++) {
        const th__spot *s = &kept->data.data[i];
        if (s->field == l->repair->profile->count || !l->held[s->field] ||
            !list_chosen(l, s->field))
            continue;
        ok = th__vec_push(&l->spots.data, *s);
    }
    return ok;
}

/* ---- pages of one record --------------------------------------------------------------------- */

static th_status label_page(const labelling *l, uint32_t page, th__json *json, th_error *err)
{
    const th_records *records;
    th_status status = th__repair_given(l->repair, page, &records, err);
    if (status)
        return status;
    begin_page(page, "record", json);
    bool ok = label_record(l, page, th_records_get(records, 0), json);
    end_page(json);
    return ok ? TH_OK : th__fail_memory(err);
}

static th_status keep_page(const labelling *l, uint32_t page, th__spots *kept, th_error *err)
{
    const th_records *records;
    th_status status = th__repair_check(l->repair, err);
    if (!status)
        status = th__repair_given(l->repair, page, &records, err);
    if (!status && !keep_record(l, th_records_get(records, 0), page, kept))
        status = th__fail_memory(err);
    return status;
}

static th_status label_details(th_repair *repair, uint32_t pages, bool all, th__buf *out,
                               th_error *err)
{
    labelling l = {.repair = repair, .pages = pages};
    th__json json = {.buf = out};
    th__spots kept = {0};
    th__record_extent extents[TH__REPAIR_LEARN];
    th_status status = want_fields(&l, all) ? TH_OK : th__fail_memory(err);
    for (uint32_t i = 0; i < pages; i++)
        extents[i] = (th__record_extent){i, {0, (uint32_t)repair->pages[i].page->text.len}};
    for (uint32_t i = 0; !status && i < pages; i++)
        status = keep_page(&l, i, &kept, err);
    if (!status)
        status = th__spots_choose(repair, extents, pages, l.wanted, &kept, &l.spots, err);
    if (!status && !hold_kept(&l, &kept))
        status = th__fail_memory(err);
    th__vec_release(&kept.data);
    for (uint32_t i = 0; !status && i < pages; i++)
        status = label_page(&l, i, &json, err);
    th__vec_release(&l.spots.data);
    return status;
}

/* ---- excerpts of pages of very many records ---------------------------------------------------
 */

/* The tag path at a place: texts between places of one path have balanced tags. */
static uint32_t path_at(const th_page *page, uint32_t at)
{
    uint32_t token = th__token_at(page, at);
    return page->nodes[th__page_node_around(page, token, token)].path;
}

/* Adds the text of a page without most of its records: some of the first, the middle and the last
 * stay. False if tags would not balance, or if out of memory. */
static bool cut_records(const th_page *page, const th_records *records, th__buf *out)
{
    enum { STAY = EXTENTS_ENOUGH / 2 };
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

/* Reads a page with a list, or an excerpt of it if the page has very many records. */
static th_status read_page(th_repair *repair, uint32_t number, th_parser *parser, listing *list,
                           th_error *err)
{
    th__repair_page *page = &repair->pages[number];
    th_records **own = &list->own[number];
    th__buf text = {0};
    th_page_source source = {th_page_url(page->page), TH_STR("utf-8")};
    th_page_free(page->part);
    page->part = NULL;
    th_status status = list->wrapper == repair->wrapper
                           ? th__repair_given(repair, number, &list->records[number], err)
                           : th_wrapper_extract(list->wrapper, page->page, NULL, own, err);
    const th_records *records = *own ? *own : list->records[number];
    if (!status && th_records_count(records) > EXCERPT_FROM &&
        cut_records(page->page, records, &text)) {
        th_page *part = NULL;
        status = th_parser_parse(parser, th__buf_str(&text), &source, &part, err);
        if (!status) /* the parser borrows its text */
            status = th_page_copy(part, &page->part, err);
        th_page_free(part);
        th_records_free(*own);
        *own = NULL;
        if (!status)
            status = th_wrapper_extract(list->wrapper, page->part, NULL, own, err);
    }
    if (*own)
        list->records[number] = *own;
    th__buf_release(&text);
    return status;
}

/* Caller releases, also after a failure. */
static th_status read_pages(th_repair *repair, const th_wrapper *wrapper, uint32_t pages,
                            listing *out, th_error *err)
{
    th_parser *parser;
    *out = (listing){.wrapper = wrapper};
    th_status status = th_parser_new(NULL, &parser, err);
    for (uint32_t i = 0; !status && i < pages; i++)
        status = read_page(repair, i, parser, out, err);
    if (parser)
        th_parser_free(parser);
    return status;
}

static void release_listing(listing *list)
{
    for (uint32_t i = 0; i < TH__REPAIR_LEARN; i++)
        th_records_free(list->own[i]);
}

/* Writes the fields of the wrapper that a selection of a list has. */
static void write_list_record(const th_repair *repair, const th_value *record, th__json *json)
{
    th__json_begin_object(json);
    for (uint32_t i = 0; record->kind == TH_VALUE_TUPLE && i < repair->profile->count; i++)
        label_kept(record, th__field_name(repair->profile->fields[i].path), json);
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

static th_status label_columns(th_repair *repair, th__proposal *list, uint32_t pages, th__buf *out,
                               th_error *err)
{
    th_wrapper *named = NULL;
    th_status status = th__repair_parts(repair, list, err);
    if (!status)
        status = th__repair_rewrite(repair, list, &named, err);
    if (!status && named)
        status = label_list(repair, named, pages, out, err);
    th_wrapper_free(named);
    return status;
}

static bool is_extent(const th_value *record)
{
    return record->span.end > record->span.start;
}

/* Widens records to the elements that contain only them: broken fields do not show how far a record
 * extends. They are in page order. */
static void widen(const th_page *page, th__record_extent *extents, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        th_span span = extents[i].span;
        uint32_t before = i ? extents[i - 1].span.end : 0;
        uint32_t after = i + 1 < count ? extents[i + 1].span.start : (uint32_t)page->text.len;
        uint32_t node = th__page_node_around(page, th__token_at(page, span.start),
                                             th__token_at(page, span.end - 1));
        for (; node; node = page->nodes[node].parent) {
            uint32_t start = page->tokens[page->nodes[node].token].start;
            uint32_t token_end = page->nodes[node].token_end;
            uint32_t end = token_end < page->token_count ? page->tokens[token_end].start
                                                         : (uint32_t)page->text.len;
            if (start < before || end > after || count < 2)
                break;
            extents[i].span =
                (th_span){start < span.start ? start : span.start, end > span.end ? end : span.end};
        }
    }
}

/* The records of a list as extents, of whole pages; and the places of values that are not searched
 * for, unless kept is NULL. False if out of memory. */
static bool find_extents(const labelling *l, const listing *list, th__spots *kept,
                         th__record_extents *out)
{
    for (uint32_t i = 0; i < l->pages && out->len < EXTENTS_ENOUGH; i++) {
        size_t first = out->len;
        for (size_t j = 0; j < th_records_count(list->records[i]); j++) {
            const th_value *record = th_records_get(list->records[i], j);
            if (!is_extent(record))
                continue;
            uint32_t extent = (uint32_t)out->len;
            if (!th__vec_push(out, ((th__record_extent){i, record->span})) ||
                (kept && !keep_record(l, record, extent, kept)))
                return false;
        }
        if (kept && out->len > first)
            widen(th__repair_part(l->repair, i), out->data + first, out->len - first);
    }
    return true;
}

/* Labels the extents of a page, from `extent` on; *extent is then the index after the last. `old`:
 * the records that the old wrapper finds there if they are the extents; or NULL. False if out of
 * memory. */
static bool label_extent_page(const labelling *l, const th__record_extents *extents,
                              const th_records *old, uint32_t *extent, th__json *json)
{
    uint32_t page = extents->data[*extent].page, i = *extent;
    size_t at = 0;
    bool ok = true;
    begin_page(page, "records", json);
    th__json_begin_array(json);
    for (; ok && i < extents->len && extents->data[i].page == page; i++) {
        const th_value *own = NULL;
        while (old && at < th_records_count(old) && !own) {
            const th_value *record = th_records_get(old, at++);
            own = is_extent(record) ? record : NULL;
        }
        ok = label_record(l, i, own, json);
    }
    th__json_end_array(json);
    end_page(json);
    *extent = i;
    return ok;
}

/* Returns true if most records should have a field. */
static bool is_usual(const th_repair *repair, uint32_t field)
{
    const th__field_profile *p = &repair->profile->fields[field];
    return !repair->targets[field] && 10 * p->values >= 8 * p->chances &&
           th__str_find(p->path, TH_STR("[]")) == SIZE_MAX;
}

/* Drops extents with hardly any of the usual fields: adverts and headings among the records. False
 * if out of memory. */
static bool drop_thin(labelling *l, th__record_extents *extents)
{
    const th_repair *repair = l->repair;
    uint32_t usual = 0, kept = 0, count = (uint32_t)extents->len;
    uint32_t *has = th__arena_zero(&l->repair->arena, count + 1, sizeof *has);
    uint32_t *moved = th__arena_zero(&l->repair->arena, count + 1, sizeof *moved);
    if (!has || !moved)
        return false;
    for (uint32_t i = 0; i < repair->profile->count; i++)
        usual += l->spots.chosen[i] && is_usual(repair, i);
    for (size_t i = 0; i < l->spots.data.len; i++)
        has[l->spots.data.data[i].extent] += is_usual(repair, l->spots.data.data[i].field);
    for (uint32_t i = 0; i < count; i++) {
        bool thin = THIN_PART * has[i] < usual;
        moved[i] = thin ? UINT32_MAX : kept;
        if (!thin)
            extents->data[kept++] = extents->data[i];
    }
    extents->len = kept;
    size_t left = 0;
    for (size_t i = 0; i < l->spots.data.len; i++) {
        th__spot s = l->spots.data.data[i];
        if (moved[s.extent] == UINT32_MAX)
            continue;
        s.extent = moved[s.extent];
        l->spots.data.data[left++] = s;
    }
    l->spots.data.len = left;
    return true;
}

/* Labels pages of many records by places in the records of a list: all fields, or, in records of
 * the old wrapper, the broken ones. */
static th_status label_extents(th_repair *repair, const listing *list, uint32_t pages, th__buf *out,
                               th_error *err)
{
    labelling l = {.repair = repair, .pages = pages};
    bool own = list->wrapper == repair->wrapper;
    th__spots kept = {0};
    th__json json = {.buf = out};
    th__record_extents extents = {0};
    th_status status = want_fields(&l, !own) ? TH_OK : th__fail_memory(err);
    if (!status && !find_extents(&l, list, own ? &kept : NULL, &extents))
        status = th__fail_memory(err);
    if (extents.len >= EXTENTS_MAX)
        extents.len = 0;
    if (!status && extents.len)
        status = th__spots_choose(repair, extents.data, (uint32_t)extents.len, l.wanted, &kept,
                                  &l.spots, err);
    if (!status && extents.len && (!hold_kept(&l, &kept) || (!own && !drop_thin(&l, &extents))))
        status = th__fail_memory(err);
    for (uint32_t i = 0; !status && i < extents.len;)
        if (!label_extent_page(&l, &extents, own ? list->records[extents.data[i].page] : NULL, &i,
                               &json))
            status = th__fail_memory(err);
    th__vec_release(&kept.data);
    th__vec_release(&l.spots.data);
    th__vec_release(&extents);
    return status;
}

/* ---- learning -------------------------------------------------------------------------------- */

/* How near the number of a field's values is to the expected one: 0 to 1. */
static double presence(const th__profile *profile, uint32_t field, const th__tally *tally,
                       const th__field_tally *now)
{
    double wanted = profile->records ? (double)profile->fields[field].values *
                                           (double)tally->records / (double)profile->records
                                     : 0;
    double values = (double)now->values;
    return wanted > 0 && values > 0 ? fmin(values / wanted, wanted / values) : wanted <= 0;
}

/* The same for records. */
static double record_count(const th__profile *profile, const th__tally *tally)
{
    double wanted = profile->pages
                        ? (double)profile->records * (double)tally->pages / (double)profile->pages
                        : 0;
    double records = (double)tally->records;
    return wanted > 0 && records > 0 ? sqrt(fmin(records / wanted, wanted / records)) : 0;
}

/* Fields have their names already. */
static th_status match_names(th_repair *repair, th__proposal *c, th_error *err)
{
    th__run run;
    const th__tally *tally = &run.tally;
    uint32_t count = repair->profile->count;
    th_status status = th__repair_run(repair, c->wrapper, false, &run, err);
    c->match.column = th__arena_zero(&repair->arena, count + 1, sizeof *c->match.column);
    c->match.likeness = th__arena_zero(&repair->arena, count + 1, sizeof *c->match.likeness);
    if (!status && (!c->match.column || !c->match.likeness))
        status = th__fail_memory(err);
    for (uint32_t i = 0; !status && i < count; i++) {
        c->match.column[i] = TH__NO_COLUMN;
        for (uint32_t j = 0; j < tally->count; j++) {
            if (!th__same_path(tally->fields[j].path, repair->profile->fields[i].path))
                continue;
            c->match.column[i] = j;
            c->match.likeness[i] =
                th__likeness(&repair->profile->fields[i], repair->targets[i],
                             th__has_dates(&repair->profile->fields[i]), &tally->fields[j]);
            c->score += th__field_weight(&repair->profile->fields[i], repair->targets[i]) *
                        c->match.likeness[i] *
                        presence(repair->profile, i, tally, &tally->fields[j]);
        }
    }
    c->score *= record_count(repair->profile, tally);
    th__run_release(&run);
    return status;
}

/* A proposal learnt from labels. */
static th_status add_learnt(th_repair *repair, const char *engine, const th__buf *lines,
                            th__proposal *out, size_t *count, th_error *err)
{
    th__proposal c = {.named = true, .other = strcmp(engine, repair->wrapper->engine->name)};
    th_status status =
        lines->len ? th__repair_learn_lines(repair, engine, lines, &c.wrapper, err) : TH_OK;
    if (!status && c.wrapper)
        status = match_names(repair, &c, err);
    if (!status && c.wrapper)
        out[(*count)++] = c;
    else
        th_wrapper_free(c.wrapper);
    return status;
}

/* The score of a proposal that has all fields as they were. */
static double full_score(const th_repair *repair)
{
    double score = 0;
    for (uint32_t i = 0; i < repair->profile->count; i++)
        score += th__field_weight(&repair->profile->fields[i], repair->targets[i]);
    return score;
}

/* Adds proposals of labelled lists: by the wrapper's engine, and if that does not learn to read the
 * pages, or may lose values that the old wrapper still reads, by another one. */
static th_status add_list(th_repair *repair, const th__buf *lines, th__proposal *out, size_t *count,
                          th_error *err)
{
    const char *const *engines = th__engine_names(TH__RANK_LABELS);
    const char *own = repair->wrapper->engine->name;
    size_t first = *count;
    th_status status = add_learnt(repair, own, lines, out, count, err);
    bool enough = *count > first && out[first].score >= ENOUGH * full_score(repair);
    if (status || (enough && !repair->tally.records))
        return status;
    for (size_t i = 0; !status && engines[i]; i++)
        if (strcmp(engines[i], own))
            status = add_learnt(repair, engines[i], lines, out, count, err);
    return status;
}

/* Adds proposals by places in the records of a list, and, unless it is the old wrapper's, by its
 * columns. */
static th_status add_labelled(th_repair *repair, const th_wrapper *wrapper, th__proposal *columns,
                              uint32_t pages, th__proposal *out, size_t *count, th_error *err)
{
    th__buf lines = {0};
    listing list = {0};
    th_status status = read_pages(repair, wrapper, pages, &list, err);
    if (!status)
        status = label_extents(repair, &list, pages, &lines, err);
    if (!status)
        status = add_list(repair, &lines, out, count, err);
    lines.len = 0;
    if (!status && columns)
        status = label_columns(repair, columns, pages, &lines, err);
    if (!status && columns)
        status = add_list(repair, &lines, out, count, err);
    th__buf_release(&lines);
    release_listing(&list);
    return status;
}

/* Labels pages of many records: by places in the records that the old wrapper finds, if any; in
 * those of the best lists; and by the columns of these. */
static th_status label_lists(th_repair *repair, uint32_t pages, th__proposal *out, size_t *count,
                             th_error *err)
{
    enum { LISTS = 2 };
    th__proposal found[TH__REPAIR_PICKS];
    size_t lists = 0;
    th_status status = TH_OK;
    if (!repair->before->evidence[0].drift)
        status = add_labelled(repair, repair->wrapper, NULL, pages, out, count, err);
    if (!status)
        status = th__repair_find(repair, th__engine_names(TH__RANK_LISTS)[0], found, &lists, err);
    for (size_t i = 0; !status && i < lists && i < LISTS; i++)
        status = add_labelled(repair, found[i].wrapper, &found[i], pages, out, count, err);
    th__proposals_release(found, lists);
    th__proposals_sort(out, *count, CLEARLY);
    return status;
}

th_status th__repair_label(th_repair *repair, th__proposal *out, size_t *count, th_error *err)
{
    uint32_t pages = repair->page_count < TH__REPAIR_LEARN ? repair->page_count : TH__REPAIR_LEARN;
    bool many =
        th__type_strip(th_schema_root(th_wrapper_schema(repair->wrapper)))->kind == TH_TYPE_LIST;
    th__buf lines = {0};
    *count = 0;
    if (many)
        return label_lists(repair, pages, out, count, err);
    th_status status = TH_OK;
    bool wants_all = true; /* then the first round already searches for all fields */
    for (uint32_t i = 0; i < repair->profile->count; i++)
        wants_all = wants_all && (repair->broken[i] || is_thin(repair, i) ||
                                  !can_label(repair->profile->fields[i].path) ||
                                  !repair->profile->fields[i].values);
    for (int all = wants_all; !status && all < 2; all++) {
        lines.len = 0;
        status = label_details(repair, pages, all, &lines, err);
        if (!status)
            status = add_learnt(repair, repair->wrapper->engine->name, &lines, out, count, err);
    }
    th__buf_release(&lines);
    /* A new search for all fields is preferred only if it finds clearly more. */
    th__proposals_sort(out, *count, CLEARLY);
    return status;
}
