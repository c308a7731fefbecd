/*
 * stalker_run.c: the records of a page, down the catalog tree.
 *
 * Recursion goes as deep as the schema, which has a limit. Every node looks through its parent's
 * extent once a rule, and the extents of a list's items do not overlap: the cost is page size times
 * rules times depth.
 */
#include "engine/papers/stalker/stalker_run.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "data/record.h"
#include "page/charref.h"
#include "page/page.h"
#include "page/text.h"
#include "page/url.h"

/* ---- the tree -------------------------------------------------------------------------------- */

bool th__stalker_node_make(th__arena *arena, const th_type *type, th__stalker_node *out)
{
    type = th__type_strip(type);
    *out = (th__stalker_node){.type = type};
    if (type->kind == TH_TYPE_FIELD) {
        out->field = th__arena_zero(arena, 1, sizeof *out->field);
        return out->field;
    }
    if (type->kind == TH_TYPE_LIST) {
        out->list = th__arena_zero(arena, 1, sizeof *out->list);
        if (!out->list)
            return false;
    }
    out->children = th__arena_zero(arena, type->count + (size_t)1, sizeof *out->children);
    if (!out->children)
        return false;
    for (; out->count < type->count; out->count++)
        if (!th__stalker_node_make(arena, type->children[out->count], &out->children[out->count]))
            return false;
    if (out->list)
        out->list->texts = out->children[0].field;
    return true;
}

/* The fields that a member is sought by: its own, or those of a list of texts. */
static void tell_member(th__stalker_node *node, th__told told)
{
    th__stalker_list *list = node->list;
    if (node->field)
        node->field->told = told;
    if (!list)
        return;
    if (list->span)
        list->span->told = told;
    if (node->children[0].field)
        node->children[0].field->told = list->told = told;
    for (uint32_t i = 0; i < list->part_count; i++)
        tell_member(&list->parts[i], told); /* parts have none of their own */
}

const th__label_set *th__stalker_labels(th__arena *arena, const th__stalker_node *tuple)
{
    th__label_set *labels = th__arena_zero(arena, 1, sizeof *labels);
    uint64_t *hashes = th__arena_alloc(arena, (tuple->count + (size_t)1) * sizeof *hashes);
    if (!labels || !hashes)
        return NULL;
    labels->hashes = hashes;
    for (uint32_t i = 0; i < tuple->count; i++)
        if (tuple->children[i].label_hash)
            hashes[labels->count++] = tuple->children[i].label_hash;
    return labels;
}

bool th__stalker_tell(th__arena *arena, th__stalker_node *tuple)
{
    const th__label_set *labels = th__stalker_labels(arena, tuple);
    if (!labels)
        return false;
    for (uint32_t i = 0; i < tuple->count; i++)
        tell_member(&tuple->children[i], (th__told){labels, tuple->children[i].label_hash});
    return true;
}

bool th__stalker_rules_make(th__arena *arena, const th_schema *schema, th__stalker_rules *out)
{
    *out = (th__stalker_rules){0};
    return th__stalker_node_make(arena, th_schema_root(schema), &out->root);
}

/* ---- running --------------------------------------------------------------------------------- */

struct runner {
    th__stalker_page page;
    th__arena arena;
    th_records *records;
    th__buf text, link;
    bool failed;
};

static bool read_value(struct runner *r, const th__stalker_field *field, th_span span)
{
    const th_page *page = r->page.page;
    th__buf_clear(&r->text);
    if (!th__attribute_is_link(field->attribute))
        return th__span_text(page, span, &r->text);
    th__buf_clear(&r->link);
    return th__decode_refs(th__page_slice(page, span.start, span.end), true, &r->link) &&
           th__url_resolve(page->base.ptr ? page->base : page->url, th__buf_str(&r->link),
                           &r->text);
}

/* Sets a field's value; tells whether there is one. */
static bool fill_text(struct runner *r, const th__stalker_field *field, th_span span,
                      th_value *slot)
{
    if (!span.end)
        return false;
    if (!read_value(r, field, span)) {
        r->failed = true;
        return false;
    }
    if (!r->text.len)
        return false;
    th_records_set_text(r->records, slot, th__buf_str(&r->text), span);
    return true;
}

/* The same for what all views together say, with how far they agree. */
static bool fill_field(struct runner *r, const th__stalker_field *field,
                       const th__stalker_answer *answer, th_value *slot)
{
    if (!slot || !fill_text(r, field, answer->span, slot))
        return false;
    slot->agreement = answer->agreement > 0 ? (uint8_t)(100 * answer->agreement + 1.5) : 0;
    return true;
}

static bool fill(struct runner *r, const th__stalker_node *node, const th__stalker_extent *extent,
                 th_value *slot);

bool th__stalker_overlaps(const th_value *value, th_span span)
{
    if (th_value_get_kind(value) == TH_VALUE_TEXT) {
        th_span own = th_value_span(value);
        return own.end && own.start < span.end && span.start < own.end;
    }
    bool any = false;
    for (size_t i = 0; i < th_value_count(value) && !any; i++)
        any = th__stalker_overlaps(th_value_item(value, i), span);
    return any;
}

/* Whether what a field finds is all that another one finds and more, or the same with less support.
 */
static bool holds_other(const th__stalker_answer *own, const th__stalker_answer *other)
{
    uint32_t len = own->span.end - own->span.start, less = other->span.end - other->span.start;
    double more = own->support - other->support;
    return other->span.end && own->span.start <= other->span.start &&
           own->span.end >= other->span.end &&
           (len > less || more < -1e-9 || (more < 1e-9 && own->node < other->node));
}

/* Whether a field has taken what is another member's: where labelled pages keep them apart, a field
 * that holds another is none. Of two fields the longer one is wrong, or the one that fewer rules
 * are for; against a list, the field. */
static bool is_taken(const th__stalker_node *node, const th__stalker_answer *answers,
                     const th_value *tuple, uint32_t i)
{
    th_span own = answers[i].span;
    for (uint32_t j = 0; j < node->count; j++) {
        if (j == i || (node->children[j].field && node->children[j].field->attribute.ptr))
            continue;
        if (!node->children[j].field ? th__stalker_overlaps(th_value_item(tuple, j), own)
                                     : holds_other(&answers[i], &answers[j]))
            return true;
    }
    return false;
}

/* Lists first: then it is known what is theirs. */
static bool fill_members(struct runner *r, const th__stalker_node *node,
                         const th__stalker_extent *extent, th_value *tuple)
{
    bool any = false;
    th__stalker_answer *answers = th__arena_zero(&r->arena, node->count + 1, sizeof *answers);
    r->failed |= !answers;
    for (uint32_t i = 0; i < node->count && tuple && !r->failed; i++) {
        const th__stalker_node *member = &node->children[i];
        if (member->field) {
            th__stalker_extent own = th__stalker_member_extent(node, member, &r->page, extent);
            answers[i] = th__stalker_decide(member->field, &r->page, &own);
        } else
            any |= fill(r, member, extent, th_value_slot(tuple, i));
    }
    for (uint32_t i = 0; i < node->count && tuple && !r->failed; i++) {
        const th__stalker_field *field = node->children[i].field;
        if (field && answers[i].span.end && !(field->apart && is_taken(node, answers, tuple, i)))
            any |= fill_field(r, field, &answers[i], th_value_slot(tuple, i));
    }
    return any;
}

/* Whether there is anything of a node in an extent: what a choice goes by. */
static bool finds(struct runner *r, const th__stalker_node *node, const th__stalker_extent *extent)
{
    if (node->field)
        return th__stalker_decide(node->field, &r->page, extent).span.end;
    if (node->list && node->children[0].field) {
        th__list_texts texts = {0};
        r->failed |= !th__stalker_texts(node, &r->page, extent, &texts);
        bool any = texts.len;
        th__vec_release(&texts);
        return any;
    }
    if (node->list) {
        th__extent_vec items = {0};
        r->failed |= !th__stalker_items(node->list, &r->page, extent, &items);
        bool any = items.len;
        th__vec_release(&items);
        return any;
    }
    bool any = false;
    for (uint32_t i = 0; i < node->count && !any; i++)
        any = finds(r, &node->children[i], extent);
    return any;
}

static bool fill_texts(struct runner *r, const th__stalker_node *node,
                       const th__stalker_extent *extent, th_value *slot)
{
    th__list_texts texts = {0};
    r->failed |= !th__stalker_texts(node, &r->page, extent, &texts);
    for (size_t i = 0; i < texts.len && !r->failed; i++)
        fill_text(r, texts.data[i].field, texts.data[i].span, th_records_append(r->records, slot));
    bool any = texts.len;
    th__vec_release(&texts);
    return any;
}

static bool fill_list(struct runner *r, const th__stalker_node *node,
                      const th__stalker_extent *extent, th_value *slot)
{
    th__extent_vec items = {0};
    if (node->children[0].field)
        return fill_texts(r, node, extent, slot);
    r->failed |= !th__stalker_items(node->list, &r->page, extent, &items);
    for (size_t i = 0; i < items.len && !r->failed; i++) {
        th_value *item = th_records_append(r->records, slot);
        fill(r, &node->children[0], &items.data[i], item);
        th_value_set_span(item, items.data[i].span);
    }
    bool any = items.len;
    th__vec_release(&items);
    return any;
}

static bool fill(struct runner *r, const th__stalker_node *node, const th__stalker_extent *extent,
                 th_value *slot)
{
    if (r->failed || !slot)
        return false;
    switch (node->type->kind) {
    case TH_TYPE_FIELD: {
        th__stalker_answer answer = th__stalker_decide(node->field, &r->page, extent);
        return fill_field(r, node->field, &answer, slot);
    }
    case TH_TYPE_LIST:
        return fill_list(r, node, extent, slot);
    case TH_TYPE_TUPLE:
        if (th_value_get_kind(slot) == TH_VALUE_NULL) {
            if (!finds(r, node, extent))
                return false;
            slot = th_records_set_tuple(r->records, slot);
        }
        return fill_members(r, node, extent, slot);
    default:
        for (uint32_t i = 0; i < node->count; i++)
            if (finds(r, &node->children[i], extent))
                return fill(r, &node->children[i], extent, th_records_choose(r->records, slot, i));
        return false;
    }
}

/* The records: items of the root, or the one that the page is. */
static void fill_records(struct runner *r, const th__stalker_rules *rules)
{
    th__stalker_extent whole = th__stalker_whole(r->page.page);
    th__extent_vec items = {0};
    const th__stalker_node *record = &rules->root;
    if (record->list) {
        record = &record->children[0];
        r->failed |= !th__stalker_items(rules->root.list, &r->page, &whole, &items);
    } else if (finds(r, record, &whole)) {
        r->failed |= !th__vec_push(&items, whole);
    }
    for (size_t i = 0; i < items.len && !r->failed; i++) {
        th_value *slot = th_records_add(r->records);
        fill(r, record, &items.data[i], slot);
        if (slot && th_value_get_kind(slot) != TH_VALUE_TEXT)
            th_value_set_span(slot, items.data[i].span);
    }
    th__vec_release(&items);
}

th_status th__stalker_run(const th__stalker_rules *rules, const th_schema *schema,
                          const th_page *page, const th_records_source *source, th_records **out,
                          th_error *err)
{
    struct runner r = {.page = {.page = page, .unparted = rules->unparted}};
    th_status status = th_records_new(schema, source, &r.records, err);
    if (status)
        return status;
    th__arena_init(&r.arena);
    r.page.arena = &r.arena;
    fill_records(&r, rules);
    status = r.failed || r.page.failed ? th__fail_memory(err) : th_records_status(r.records, err);
    th__buf_release(&r.text);
    th__buf_release(&r.link);
    th__arena_release(&r.arena);
    if (status)
        th_records_free(r.records);
    else
        *out = r.records;
    return status;
}
