/* hits.c: what of a page a wrapper's rules go by. */
#include "wrapper/hits.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "page/page.h"
#include "page/text.h"
#include "wrapper/wrapper.h"

void th_hits_free(th_hits *hits)
{
    if (!hits)
        return;
    th__vec_release(&hits->items);
    th__arena_release(&hits->arena);
    th__mem_free(hits);
}

static th_str keep(th_hits *hits, th_str text)
{
    if (!text.ptr)
        return text;
    th_str copy = th__arena_copy(&hits->arena, text);
    hits->failed |= !copy.ptr;
    return copy;
}

void th__hits_add(th_hits *hits, th_span span, th_str field, const char *part, th_str rule)
{
    if (span.end <= span.start || hits->failed || hits->items.len >= TH__HITS_MOST)
        return;
    th_hit hit = {span, keep(hits, field), part, keep(hits, rule)};
    hits->failed |= !th__vec_push(&hits->items, hit);
}

void th__hits_add_tag(th_hits *hits, const th_page *page, uint32_t node, th_str field,
                      const char *part, th_str rule)
{
    if (node)
        th__hits_add(hits, th_page_token_span(page, page->nodes[node].token), field, part, rule);
}

/* The innermost element around a span; 0 for the document. */
static uint32_t node_around(const th_page *page, th_span span)
{
    return th__page_node_around(page, th__token_at(page, span.start),
                                th__token_at(page, span.end - 1));
}

static void add_value(th_hits *hits, const th_page *page, const th_value *value, th__buf *name)
{
    th_value_kind kind = th_value_get_kind(value);
    th_span span = th_value_span(value);
    if (kind == TH_VALUE_TEXT && span.end > span.start)
        th__hits_add_tag(hits, page, node_around(page, span), th__buf_str(name), "element",
                         (th_str){0});
    if (kind == TH_VALUE_TEXT || kind == TH_VALUE_NULL)
        return;
    for (size_t i = 0; i < th_value_count(value);
         i++) { /* as deep as the schema, which is limited */
        const th_value *item = th_value_item(value, i);
        th_str own = th_type_name(th_value_type(item));
        size_t mark = name->len;
        if (own.len && kind != TH_VALUE_LIST)
            th__buf_printf(name, "%s%.*s", mark ? "." : "", TH_STR_ARG(own));
        add_value(hits, page, item, name);
        name->len = mark;
    }
}

/* The elements around the records and their values. */
static void add_records(th_hits *hits, const th_page *page, const th_records *records)
{
    th__buf name = {0};
    for (size_t i = 0; i < th_records_count(records); i++) {
        const th_value *record = th_records_get(records, i);
        th_span span = th_value_span(record);
        if (span.end > span.start)
            th__hits_add_tag(hits, page, node_around(page, span), (th_str){0}, "record",
                             (th_str){0});
        add_value(hits, page, record, &name);
    }
    hits->failed |= name.failed;
    th__buf_release(&name);
}

static int by_place(const void *left, const void *right)
{
    const th_hit *a = left, *b = right;
    if (a->span.start != b->span.start)
        return a->span.start < b->span.start ? -1 : 1;
    return a->span.end < b->span.end ? -1 : a->span.end > b->span.end;
}

th_status th_wrapper_hits(const th_wrapper *wrapper, const th_page *page, th_hits **out,
                          th_error *err)
{
    th_records *records = NULL;
    th_status status = TH_OK;
    *out = NULL;
    th_hits *hits = TH__NEW(th_hits);
    if (!hits)
        return th__fail_memory(err);
    th__arena_init(&hits->arena);
    if (wrapper->engine->hits && !th__wrapper_is_for_data_of(wrapper, page)) {
        status = wrapper->engine->hits(wrapper->rules, wrapper->schema, page, hits, err);
    } else {
        status = th_wrapper_extract(wrapper, page, NULL, &records, err);
        if (!status)
            add_records(hits, page, records);
        th_records_free(records);
    }
    if (!status && hits->failed)
        status = th__fail_memory(err);
    if (status) {
        th_hits_free(hits);
        return status;
    }
    if (hits->items.len)
        qsort(hits->items.data, hits->items.len, sizeof *hits->items.data, by_place);
    *out = hits;
    return TH_OK;
}

size_t th_hits_count(const th_hits *hits)
{
    return hits->items.len;
}

const th_hit *th_hits_get(const th_hits *hits, size_t index)
{
    return index < hits->items.len ? &hits->items.data[index] : NULL;
}
