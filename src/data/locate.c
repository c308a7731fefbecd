/*
 * locate.c: finds labelled values on their page.
 *
 * Each distinct value is looked for once (places.h), and only the best tier of places that has any
 * counts; when there is none, the value is looked for by its letters and digits.
 */
#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "data/labels.h"
#include "data/locate.h"
#include "data/loose.h"
#include "data/nearest.h"
#include "data/places.h"
#include "data/record.h"
#include "page/charref.h"
#include "page/page.h"
#include "page/text.h"

enum { NEAREST_SEARCHES = 64 };

struct th_located {
    th__arena arena;
    TH__VEC(th_finding) findings;
    TH__VEC(th_value *) values; /* of each finding: its text in the records, or NULL */
    th_records *records;
};

typedef struct search {
    const th_labels *labels;
    const th__label_page *entry;
    const th_page *page;
    th_located *out;
    th__places places;
    th__loose loose;         /* of the page's text; made when it is needed */
    th__intern values;       /* that were looked for, */
    TH__VEC(uint32_t) first; /* and the finding of each */
    unsigned nearest_left;
    th__buf path;
    th_error *err;
} search;

/* ---- findings ---- */

static bool keep_places(search *s, th_finding *f)
{
    unsigned tier = s->places.totals[0] ? 0 : 1;
    size_t count = s->places.tiers[tier].len;
    th_place *places = th__arena_alloc(&s->out->arena, count * sizeof *places);
    if (!places)
        return false;
    if (count)
        memcpy(places, s->places.tiers[tier].data, count * sizeof *places);
    f->places = places;
    f->place_count = (uint32_t)count;
    f->total = s->places.totals[tier];
    f->found = f->total == 0 ? TH_FOUND_NOT : f->total == 1 ? TH_FOUND_ONCE : TH_FOUND_MANY;
    return true;
}

static bool find_nearest(search *s, th_finding *f)
{
    size_t start, end;
    th_str text = th__buf_str(&s->places.text.text);
    if (!s->nearest_left)
        return true;
    s->nearest_left--;
    if (!th__nearest(text, f->value, &start, &end))
        return true;
    f->nearest = th__arena_copy(&s->out->arena, (th_str){text.ptr + start, end - start});
    f->nearest_span = (th_span){s->places.text.start[start], s->places.text.end[end - 1]};
    return f->nearest.ptr != NULL;
}

/* A value copied from the source has references where the text has characters: it is looked for as
 * what they mean first. */
static bool find_meant(search *s, th_finding *f)
{
    th__buf text = {0};
    th_str decoded = {0};
    if (!memchr(f->value.ptr, '&', f->value.len))
        return th__places_find(&s->places, f->value);
    bool ok = th__decode_refs(f->value, false, &text) &&
              th__fold_blanks(th__buf_str(&text), &s->out->arena, &decoded);
    th__buf_release(&text);
    if (!ok || (decoded.len && !th__places_find(&s->places, decoded)))
        return false;
    if (decoded.len && th__places_any(&s->places)) {
        f->value = decoded;
        return true;
    }
    if (!th__places_find(&s->places, f->value))
        return false;
    if (decoded.len && !th__places_any(&s->places))
        f->value = decoded;
    return true;
}

/* A value that stands nowhere as written is looked for by its letters and digits. What stands there
 * first is then the value. */
static bool find_loosely(search *s, th_finding *f)
{
    th_str text = th__buf_str(&s->places.text.text);
    th__loose value = {0};
    size_t from = 0, start, end;
    if (th__places_any(&s->places))
        return true;
    bool ok = th__loose_make(f->value, &value);
    if (ok && value.text.len >= TH__LOOSE_LEAST && (ok = th__loose_make(text, &s->loose)) &&
        th__loose_find(&s->loose, text, &value, &from, &start, &end)) {
        th_str found = th__arena_copy(&s->out->arena, (th_str){text.ptr + start, end - start});
        ok = found.ptr && th__places_find(&s->places, found);
        if (th__places_any(&s->places))
            f->value = found;
    }
    th__loose_release(&value);
    return ok;
}

/* Looks for a value, unless the same one was looked for before. */
static bool find_value(search *s, th_finding *f)
{
    uint32_t before = s->values.len, id = th__intern_add(&s->values, f->value);
    if (id == TH__INTERN_NONE)
        return false;
    if (s->values.len == before) {
        th_str path = f->path;
        *f = s->out->findings.data[s->first.data[id]];
        f->path = path;
        return true;
    }
    return th__vec_push(&s->first, (uint32_t)s->out->findings.len) && find_meant(s, f) &&
           find_loosely(s, f) && keep_places(s, f) &&
           (f->found != TH_FOUND_NOT || find_nearest(s, f));
}

static th_status bad_span(search *s, th_span span, const char *problem)
{
    char where[256];
    th__label_where(s->labels, s->entry, where, sizeof where);
    return th__fail_at(s->err, TH_ERR_FORMAT, span.start, "%s: at $.%.*s: span %u to %u %s", where,
                       TH_STR_ARG(th__buf_str(&s->path)), span.start, span.end, problem);
}

/* The attribute in whose value a span lies, or absent. */
static th_str attr_around(const th_page *page, th_span span)
{
    uint32_t token = th__token_at(page, span.start);
    th_attr attr;
    if (page->tokens[token].kind != TH_TOKEN_START)
        return (th_str){0};
    for (th_attr_iter it = th_attrs(page, token); th_attr_next(&it, &attr);)
        if (attr.value.ptr && attr.value.ptr <= page->text.ptr + span.start &&
            page->text.ptr + span.end <= attr.value.ptr + attr.value.len)
            return attr.name;
    return (th_str){0};
}

static bool inside_char(const th_page *page, uint32_t at)
{
    return at < page->text.len && ((unsigned char)page->text.ptr[at] & 0xC0) == 0x80;
}

static th_status take_span(search *s, const th__label *label, th_finding *f)
{
    const th_page *page = s->page;
    th_span span = label->span;
    if (span.end > page->text.len)
        return bad_span(s, span, "ends past the page");
    if (inside_char(page, span.start) || inside_char(page, span.end))
        return bad_span(s, span, "cuts a character in two");
    if (!th__page_fold(page, span, &s->places.scratch))
        return th__fail_memory(s->err);
    if (!s->places.scratch.text.len)
        return bad_span(s, span, "holds no text");
    if (label->text.ptr && !th__str_eq(label->text, th__buf_str(&s->places.scratch.text)))
        return bad_span(s, span, "holds another text than its \"value\": is it the same page?");
    f->value = th__arena_copy(&s->out->arena, th__buf_str(&s->places.scratch.text));
    th_place *place = th__arena_alloc(&s->out->arena, sizeof *place);
    if (!f->value.ptr || !place)
        return th__fail_memory(s->err);
    *place = (th_place){span, th__node_around(page, span), attr_around(page, span)};
    f->places = place;
    f->place_count = f->total = 1;
    return TH_OK;
}

/* ---- the walk: findings in order, and records as the schema has them ---- */

/* The slot for a label of a kind: a choice is made, a value alone becomes a list's item. NULL when
 * the schema has no place for it. */
static th_value *fit(th_records *records, th_value *slot, th__label_kind kind)
{
    static const th_type_kind wanted[] = {[TH__LABEL_TEXT] = TH_TYPE_FIELD,
                                          [TH__LABEL_SPAN] = TH_TYPE_FIELD,
                                          [TH__LABEL_LIST] = TH_TYPE_LIST,
                                          [TH__LABEL_TUPLE] = TH_TYPE_TUPLE};
    while (slot && slot->type->kind != wanted[kind]) {
        const th_type *type = slot->type;
        if (type->kind == TH_TYPE_LIST) {
            slot = th_records_append(records, slot);
            continue;
        }
        uint32_t i = 0;
        while (type->kind == TH_TYPE_CHOICE && i < type->count &&
               th__type_strip(type->children[i])->kind != wanted[kind])
            i++;
        slot = type->kind == TH_TYPE_CHOICE && i < type->count ? th_records_choose(records, slot, i)
                                                               : NULL;
    }
    if (slot && kind == TH__LABEL_TUPLE && slot->kind == TH_VALUE_NULL)
        return th_records_set_tuple(records, slot);
    return slot;
}

static th_status walk(search *s, const th__label *label, th_value *slot);

static th_status walk_value(search *s, const th__label *label, th_value *slot)
{
    th_finding f = {.path = th__arena_copy(&s->out->arena, th__buf_str(&s->path)),
                    .value = label->text};
    if (!f.path.ptr)
        return th__fail_memory(s->err);
    th_status status = TH_OK;
    if (label->kind == TH__LABEL_SPAN)
        status = take_span(s, label, &f);
    else if (!find_value(s, &f))
        status = th__fail_memory(s->err);
    if (!status && label->kind == TH__LABEL_TEXT)
        status = th__label_picks_apply(&s->labels->picks, &f, s->err);
    if (!status && (!th__vec_push(&s->out->findings, f) || !th__vec_push(&s->out->values, slot)))
        status = th__fail_memory(s->err);
    if (!status && slot)
        th_records_set_text(s->out->records, slot, f.value,
                            f.found <= TH_FOUND_ONCE ? f.places[0].span : (th_span){0, 0});
    return status;
}

/* The member slot of a name; labels mostly keep the order of the schema, so the search starts
 * there. */
static th_value *member_slot(th_value *tuple, th_str name, uint32_t *from)
{
    const th_type *type = tuple->type;
    for (uint32_t tried = 0; tried < type->count; tried++) {
        uint32_t i = (*from + tried) % type->count;
        if (!th__str_eq(th_type_name(type->children[i]), name))
            continue;
        *from = i + 1;
        return th__value_item(tuple, i);
    }
    return NULL;
}

static th_status walk_children(search *s, const th__label *label, th_value *slot)
{
    th_records *records = s->out->records;
    size_t kept = s->path.len, index = 0;
    uint32_t from = 0;
    th_status status = TH_OK;
    if (slot && label->kind == TH__LABEL_LIST && slot->kind == TH_VALUE_NULL)
        th_records_set_list(records, slot);
    for (const th__label *child = label->first; !status && child; child = child->next, index++) {
        th_value *inner = NULL;
        if (label->kind == TH__LABEL_TUPLE) {
            th__buf_printf(&s->path, "%s%.*s", kept ? "." : "", TH_STR_ARG(child->name));
            inner = slot ? member_slot(slot, child->name, &from) : NULL;
        } else {
            th__buf_printf(&s->path, "[%zu]", index);
            inner = slot ? th_records_append(records, slot) : NULL;
        }
        status = walk(s, child, inner);
        s->path.len = kept;
    }
    return status;
}

static th_status walk(search *s, const th__label *label, th_value *slot)
{
    if (label->kind == TH__LABEL_NULL)
        return TH_OK;
    slot = fit(s->out->records, slot, (th__label_kind)label->kind);
    if (label->kind == TH__LABEL_TEXT || label->kind == TH__LABEL_SPAN)
        return walk_value(s, label, slot);
    return walk_children(s, label, slot);
}

static th_status walk_records(search *s)
{
    th_status status = TH_OK;
    size_t index = 0;
    const th__label *record = s->entry->records ? s->entry->records->first : NULL;
    for (; !status && record; record = record->next, index++) {
        s->path.len = 0;
        if (s->entry->single)
            th__buf_printf(&s->path, "record");
        else
            th__buf_printf(&s->path, "records[%zu]", index);
        status = walk(s, record, th_records_add(s->out->records));
    }
    if (!status && s->path.failed)
        status = th__fail_memory(s->err);
    return status ? status : th_records_status(s->out->records, s->err);
}

/* ---- public ---- */

static th_status open_located(search *s, const th_schema *schema, th_error *err)
{
    th_schema *made = NULL;
    th_status status = schema ? TH_OK : th_labels_schema(s->labels, &made, err);
    s->out = status ? NULL : TH__NEW(th_located);
    if (!status && !s->out)
        status = th__fail_memory(err);
    if (!status) {
        th__arena_init(&s->out->arena);
        th_records_source source = {s->entry->page, th_page_url(s->page)};
        status = th_records_new(schema ? schema : made, &source, &s->out->records, err);
    }
    th_schema_free(made);
    return status;
}

static void release_search(search *s)
{
    th__places_release(&s->places);
    th__loose_release(&s->loose);
    th__buf_release(&s->path);
    th__vec_release(&s->first);
    th__intern_release(&s->values);
}

th_status th_labels_locate(const th_labels *labels, size_t index, const th_schema *schema,
                           const th_page *page, th_located **out, th_error *err)
{
    *out = NULL;
    if (index >= labels->pages.len)
        return th__fail(err, TH_ERR_ARGUMENT, "there are labels of %zu pages, none of number %zu",
                        labels->pages.len, index);
    search s = {.labels = labels,
                .entry = &labels->pages.data[index],
                .page = page,
                .nearest_left = NEAREST_SEARCHES,
                .err = err};
    th__intern_init(&s.values);
    th_status status = open_located(&s, schema, err);
    if (!status && !th__places_open(&s.places, page))
        status = th__fail_memory(err);
    if (!status)
        status = walk_records(&s);
    release_search(&s);
    if (status)
        th_located_free(s.out);
    else
        *out = s.out;
    return status;
}

void th_located_free(th_located *located)
{
    if (!located)
        return;
    th_records_free(located->records);
    th__vec_release(&located->findings);
    th__vec_release(&located->values);
    th__arena_release(&located->arena);
    th__mem_free(located);
}

size_t th_located_count(const th_located *located)
{
    return located->findings.len;
}

const th_finding *th_located_get(const th_located *located, size_t index)
{
    return index < located->findings.len ? &located->findings.data[index] : NULL;
}

const th_records *th_located_records(const th_located *located)
{
    return located->records;
}

th_value *th__located_value(const th_located *located, size_t finding)
{
    return located->values.data[finding];
}

void th__located_settle(th_located *located, size_t finding, size_t place)
{
    th_value *value = located->values.data[finding];
    if (value)
        th_value_set_span(value, located->findings.data[finding].places[place].span);
}

bool th__located_sort(th_located *located)
{
    return th__records_sort(located->records);
}
