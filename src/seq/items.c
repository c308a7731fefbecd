/* items.c: what a record holds. */
#include "seq/items.h"

#include "page/tags.h"

/* A salt apart from positions and labels, which are mixed in as well. */
static uint64_t attribute_key(uint64_t key, th__item_kind kind)
{
    return kind == TH__ITEM_TEXT ? key : th__hash_mix(key, UINT64_C(7) << 60 | kind);
}

/* The first part has the key of the path alone. Salts as above. */
static uint64_t part_key(uint64_t key, uint32_t part)
{
    return part ? th__hash_mix(key, UINT64_C(6) << 60 | part) : key;
}

uint64_t th__extent_key(const th__view *view, const th__extent *record, uint32_t node,
                        uint32_t *top)
{
    th__extent_follow(view->page, record, node, top);
    uint64_t key = 0; /* of text between the elements of a record */
    if (node >= *top) {
        key = th__view_key(view, *top, node);
        if (record->run)
            key = th__hash_mix(key, view->signature[*top]);
    }
    return part_key(key, record->part);
}

bool th__extent_add_keys(const th__view *view, const th__extent *record, th__key_vec *keys)
{
    const th__leaves *leaves = &view->leaves;
    uint32_t leaf = leaves->before[record->token], end = leaves->before[record->token_end];
    uint32_t top = record->first;
    for (; leaf < end; leaf++) {
        uint32_t node = leaves->data[leaf].node;
        if (record->first == record->last && node < record->first)
            continue; /* text of an element around the record that begins here */
        if (!th__vec_push(keys, th__extent_key(view, record, node, &top)))
            return false;
    }
    return true;
}

bool th__item_base(const th__item_place_of *place, th__item_kind kind, uint64_t *base)
{
    th_str path = place->path, top = {0};
    uint64_t key, tags;
    uint16_t tag;
    bool bad = false, has_top = place->several && path.len;
    if (has_top)
        th__path_next(&path, &top, &bad);
    if (bad || !th__path_keys(path, &key, &tags))
        return false;
    if (has_top)
        key = th__hash_mix(key, th__step_signature(th__step_hash(top, &tag)));
    *base = attribute_key(part_key(key, place->part), kind);
    return true;
}

uint64_t th__key_told(uint64_t key, th__told told, uint64_t hash)
{
    return told == TH__TOLD_BY_PLACE ? key
                                     : th__hash_mix(key, told == TH__TOLD_BY_LABEL ? ~hash : hash);
}

uint64_t th__key_placed(uint64_t key, uint32_t position)
{
    return th__hash_mix(key, position);
}

bool th__item_ends_with_colon(const th__view *view, const th__item *item)
{
    if (item->kind != TH__ITEM_TEXT)
        return false;
    th_str text = th__str_trim(th__page_slice(view->page, item->span.start, item->span.end));
    return text.len && text.ptr[text.len - 1] == ':';
}

struct gatherer {
    const th__view *view;
    const th__extent *at;
    uint32_t record, extent;
    uint32_t top; /* the element of the record that is being gathered */
    th__item_vec *items;
};

static bool add_item(struct gatherer *g, th__item item)
{
    uint64_t key = th__extent_key(g->view, g->at, item.node, &g->top);
    item.base = attribute_key(key, (th__item_kind)item.kind);
    item.key = item.base;
    item.record = g->record;
    item.extent = g->extent;
    item.label = TH__NO_ITEM;
    item.position = TH__NO_POSITION;
    item.by_path = true;
    return th__vec_push(g->items, item);
}

/* Whether a target is a script that names no address. One that opens a page in a window of its own
 * has it in quotes: javascript:open('/case/7'). */
static bool is_script(th_str target)
{
    char quote = 0;
    if (!th__str_starts_nocase(target, TH_STR("javascript:")))
        return false;
    for (size_t i = 0; i < target.len; i++) {
        char c = target.ptr[i];
        if (c == '\'' || c == '"')
            quote = !quote ? c : quote == c ? 0 : quote;
        else if (quote && (c == '/' || c == '?'))
            return false;
    }
    return true;
}

static bool add_attribute(struct gatherer *g, uint32_t node, th__item_kind kind)
{
    const th_page *page = g->view->page;
    uint32_t token = page->nodes[node].token;
    th_str value;
    if (!th_attr_get(page, token, kind == TH__ITEM_LINK ? "href" : "src", &value))
        return true;
    value = th__str_trim(value);
    if (!value.len || value.ptr[0] == '#' || is_script(value))
        return true;
    uint64_t hash = th__hash(value.ptr, value.len);
    return add_item(g, (th__item){.node = node, .ref = token, .hash = hash, .kind = (uint8_t)kind});
}

static bool add_extent(const th__view *view, const th__extents *list, uint32_t record,
                       uint32_t extent, th__item_vec *items)
{
    const th__extent *at = &list->data[extent];
    const th_page *page = view->page;
    const th__leaves *leaves = &view->leaves;
    struct gatherer g = {view, at, record, extent, at->first, items};
    uint32_t leaf = leaves->before[at->token], leaf_end = leaves->before[at->token_end];
    uint32_t node = at->first, node_end = page->nodes[at->last].end;
    bool ok = true;
    while (ok && (leaf < leaf_end || node < node_end)) {
        if (leaf == leaf_end ||
            (node < node_end && page->nodes[node].token < leaves->data[leaf].token)) {
            if (page->tags[node] == TH_TAG_A)
                ok = add_attribute(&g, node, TH__ITEM_LINK);
            else if (page->tags[node] == TH_TAG_IMG)
                ok = add_attribute(&g, node, TH__ITEM_IMAGE);
            node++;
        } else if (at->first == at->last && leaves->data[leaf].node < at->first) {
            leaf++; /* text of an element around the record that begins here */
        } else {
            const th__leaf *text = &leaves->data[leaf];
            ok = add_item(&g, (th__item){.node = text->node,
                                         .ref = leaf,
                                         .hash = text->hash,
                                         .span = th__leaf_span(page, text)});
            leaf++;
        }
    }
    return ok;
}

size_t th__items_most(const th__view *view, const th__extents *list)
{
    const th_page *page = view->page;
    size_t most = 0;
    for (uint32_t e = 0; e < th__extents_first(list, list->count); e++) {
        const th__extent *at = &list->data[e];
        most += view->leaves.before[at->token_end] - view->leaves.before[at->token];
        for (uint32_t n = at->first; n < page->nodes[at->last].end; n++)
            most += page->tags[n] == TH_TAG_A || page->tags[n] == TH_TAG_IMG;
    }
    return most;
}

bool th__items_add(const th__view *view, const th__extents *list, uint32_t record,
                   th__item_vec *items)
{
    uint32_t end = th__extents_first(list, record + 1);
    for (uint32_t extent = th__extents_first(list, record); extent < end; extent++)
        if (!add_extent(view, list, record, extent, items))
            return false;
    return true;
}
