/* items.c: what a record holds. */
#include "table/items.h"

#include "page/signs.h"
#include "page/tags.h"
#include "index/view.h"
#include "table/sections.h"
#include "page/text.h"

uint64_t th__heading_key(uint64_t key)
{
    return th__hash_mix(key, UINT64_C(4) << 60 | 1);
}

/* A salt apart from positions and labels, which are mixed in as well; then the name, if any, in
 * small letters. */
static uint64_t attribute_key(uint64_t key, th__item_kind kind, th_str name)
{
    if (kind != TH__ITEM_TEXT)
        key = th__hash_mix(key, UINT64_C(7) << 60 | kind);
    for (size_t i = 0; kind == TH__ITEM_ATTRIBUTE && i < name.len; i++)
        key = th__hash_mix(key, th__lower((unsigned char)name.ptr[i]));
    return key;
}

/* The first part has the key of the path alone. Salts as above. */
static uint64_t part_key(uint64_t key, uint32_t part)
{
    return part ? th__hash_mix(key, UINT64_C(6) << 60 | part) : key;
}

/* The row of a data table that a record is, or NULL. */
static const th__table_row *row_of(const th__view *view, const th__extent *record)
{
    return record->first == record->last && !record->run ? th__table_row_of(view, record->first)
                                                         : NULL;
}

/* The key of an element in a cell, seen from the row. */
static uint64_t table_key(const th__view *view, const th__table_cell *cell, uint32_t node)
{
    uint32_t row = view->page->nodes[cell->node].parent;
    return th__view_key_apart(view, row, node) - th__view_key_apart(view, row, cell->node) +
           th__table_cell_key(view, cell);
}

uint64_t th__extent_key(const th__view *view, const th__extent *record, uint32_t node,
                        uint32_t *top)
{
    const th__table_cell *cell = row_of(view, record) ? th__table_cell_of(view, node) : NULL;
    if (cell)
        return part_key(table_key(view, cell, node), record->part);
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
    bool row = row_of(view, record), single = !record->run && record->first == record->last;
    if (!th__vec_reserve(keys, (row ? 2 : 1) * (size_t)(end - leaf)))
        return false;
    for (; leaf < end; leaf++) {
        uint32_t node = leaves->data[leaf].node;
        if (single && node < record->first)
            continue; /* text of an element around the record that begins here */
        bool plain = single && !row && !record->part; /* the most frequent case */
        keys->data[keys->len++] =
            plain ? th__view_key_apart(view, top, node) : th__extent_key(view, record, node, &top);
        /* A field may be what is in a cell, whatever it is made of. */
        const th__table_cell *cell = row ? th__table_cell_of(view, node) : NULL;
        if (cell && cell->node != node)
            keys->data[keys->len++] = th__table_cell_key(view, cell);
    }
    return true;
}

bool th__item_base(const th__item_place_of *place, th__item_kind kind, uint64_t *base)
{
    th_str path = place->path, top = {0};
    uint64_t key, tags;
    uint16_t tag;
    bool bad = false, has_top = place->several && path.len;
    if (th__path_is_heading(path)) {
        bool ok = th__path_keys((th_str){path.ptr + 1, path.len - 1}, &key, &tags);
        *base = th__heading_key(ok ? key : 0);
        return ok;
    }
    if (has_top)
        th__path_next(&path, &top, &bad);
    if (bad || !th__path_keys(path, &key, &tags))
        return false;
    if (has_top)
        key = th__hash_mix(key, th__step_signature(th__step_hash(top, &tag)));
    *base = attribute_key(part_key(key, place->part), kind, place->attribute);
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
    return item->kind == TH__ITEM_TEXT &&
           th__ends_with_colon(th__page_slice(view->page, item->span.start, item->span.end));
}

struct gatherer {
    const th__view *view;
    const th__extent *at;
    uint32_t record, extent;
    uint32_t top;  /* the element of the record that is being gathered */
    uint32_t cell; /* of a table of data; else 0 */
    th__item_vec *items;
    const th__attribute_names *attributes; /* or NULL */
    bool unhashed;                         /* see th__extents */
};

static bool add_item(struct gatherer *g, th__item item, th_str attribute)
{
    uint64_t key = th__extent_key(g->view, g->at, item.node, &g->top);
    item.base = attribute_key(key, (th__item_kind)item.kind, attribute);
    item.key = item.base;
    item.cell = g->cell;
    item.record = g->record;
    item.extent = g->extent;
    item.label = TH__NO_ITEM;
    item.position = TH__NO_POSITION;
    item.by_path = true;
    return th__vec_push(g->items, item);
}

/* Returns true if a target is a script that names no address. One that opens a page in a window of
 * its own has it in quotes: javascript:open('/case/7'). */
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

/* As of texts: an address or a date may be on the page as a text too. */
static uint64_t value_hash(const struct gatherer *g, th_str value)
{
    uint64_t hash = 0;
    uint32_t len = 0;
    if (!g->unhashed)
        th__text_measure(value, &hash, &len);
    return hash;
}

static bool add_address(struct gatherer *g, uint32_t node, th__item_kind kind)
{
    const th_page *page = g->view->page;
    uint32_t token = page->nodes[node].token;
    th_span span;
    if (kind == TH__ITEM_LINK ? !th__attribute_span(page, token, TH_STR("href"), &span)
                              : !th__image_span(page, token, &span))
        return true;
    th_str value = th__page_slice(page, span.start, span.end);
    if (value.ptr[0] == '#' || is_script(value))
        return true;
    return add_item(
        g,
        (th__item){.node = node, .ref = token, .hash = value_hash(g, value), .kind = (uint8_t)kind},
        (th_str){0});
}

static bool add_attribute(struct gatherer *g, uint32_t node, th_attr attr)
{
    const th_page *page = g->view->page;
    th_str value = th__attribute_value(attr);
    uint32_t start = (uint32_t)(value.ptr - page->text.ptr);
    if (!value.len)
        return true;
    return add_item(g,
                    (th__item){.node = node,
                               .ref = page->nodes[node].token,
                               .hash = value_hash(g, value),
                               .span = {start, start + (uint32_t)value.len},
                               .kind = TH__ITEM_ATTRIBUTE},
                    attr.name);
}

const char *th__known_attribute(uint16_t tag)
{
    return tag == TH_TAG_TIME   ? "datetime"
           : tag == TH_TAG_META ? "content"
           : tag == TH_TAG_DATA ? "value"
                                : NULL;
}

static bool is_wanted(const th__attribute_names *names, th_str name)
{
    for (uint32_t i = 0; names && i < names->count; i++)
        if (th__str_eq_nocase(names->data[i], name))
            return true;
    return false;
}

enum { OWN_ATTRIBUTES = 4 }; /* of the element of a record, that hold data */

/* Returns true if an attribute of a record's own element says what programs need: data-price. */
static bool is_telling(th_str name)
{
    static const char *const words[] = {"price", "sku",  "gtin", "ean", "brand",    "rating",
                                        "stock", "date", "lat",  "lng", "latitude", "longitude"};
    if (!th__str_starts_nocase(name, TH_STR("data-")))
        return false;
    size_t at = name.len;
    while (name.ptr[at - 1] != '-')
        at--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (th__str_eq_nocase((th_str){name.ptr + at, name.len - at}, th_str_from(words[i])))
            return true;
    return false;
}

/* The attributes of an element that are known to hold data, or asked for; each name once. */
static bool add_attributes(struct gatherer *g, uint32_t node)
{
    const th_page *page = g->view->page;
    uint32_t token = page->nodes[node].token;
    const char *known = th__known_attribute(page->tags[node]);
    th_attr attr;
    bool ok = true, done = false;
    uint32_t left = g->attributes ? g->attributes->count : 0;
    uint32_t own = node == g->at->first ? OWN_ATTRIBUTES : 0;
    for (th_attr_iter it = th_attrs(page, token); ok && th_attr_next(&it, &attr);) {
        if (!done && known && th__str_eq_nocase(attr.name, th_str_from(known))) {
            ok = add_attribute(g, node, attr);
            done = true;
        } else if (left && is_wanted(g->attributes, attr.name)) {
            ok = add_attribute(g, node, attr);
            left--;
        } else if (own && is_telling(attr.name)) {
            ok = add_attribute(g, node, attr);
            own--;
        }
    }
    return ok;
}

/* Adds what is in some elements, from a node and a token to before others. */
static bool add_range(struct gatherer *g, uint32_t node, uint32_t node_end, uint32_t token,
                      uint32_t token_end)
{
    const th_page *page = g->view->page;
    const th__leaves *leaves = &g->view->leaves;
    uint32_t leaf = leaves->before[token], leaf_end = leaves->before[token_end];
    bool ok = true;
    while (ok && (leaf < leaf_end || node < node_end)) {
        if (leaf == leaf_end ||
            (node < node_end && page->nodes[node].token < leaves->data[leaf].token)) {
            if (page->tags[node] == TH_TAG_A)
                ok = add_address(g, node, TH__ITEM_LINK);
            else if (page->tags[node] == TH_TAG_IMG)
                ok = add_address(g, node, TH__ITEM_IMAGE);
            if (ok &&
                (g->attributes || node == g->at->first || th__known_attribute(page->tags[node])))
                ok = add_attributes(g, node);
            node++;
        } else if (!g->at->run && g->at->first == g->at->last &&
                   leaves->data[leaf].node < (g->cell ? g->cell : g->at->first)) {
            leaf++; /* text of an element around the record that begins here */
        } else {
            const th__leaf *text = &leaves->data[leaf];
            ok = add_item(g,
                          (th__item){.node = text->node,
                                     .ref = leaf,
                                     .hash = g->unhashed ? 0 : th__leaf_measured(page, text).hash,
                                     .span = th__leaf_span(page, text)},
                          (th_str){0});
            leaf++;
        }
    }
    return ok;
}

/* At most so many items come of a range of nodes and tokens. */
static size_t most_of_range(const th__view *view, uint32_t names, uint32_t node, uint32_t end,
                            uint32_t token, uint32_t token_end)
{
    const uint16_t *tags = view->page->tags;
    size_t most = view->leaves.before[token_end] - view->leaves.before[token];
    for (uint32_t n = node; n < end; n++)
        most +=
            (tags[n] == TH_TAG_A || tags[n] == TH_TAG_IMG || th__known_attribute(tags[n])) + names;
    return most;
}

/* A cell that spans rows counts in each of them, as in add_extent. */
size_t th__items_most(const th__view *view, const th__extents *list)
{
    const th_node *nodes = view->page->nodes;
    uint32_t names = list->attributes ? list->attributes->count : 0;
    size_t most = 0;
    for (uint32_t e = 0; e < th__extents_first(list, list->count); e++) {
        const th__extent *at = &list->data[e];
        const th__table_row *row = row_of(view, at);
        most += OWN_ATTRIBUTES;
        if (!row)
            most += most_of_range(view, names, at->first, nodes[at->last].end, at->token,
                                  at->token_end);
        for (uint32_t c = row ? row->first : 0; row && c < row->end; c++) {
            const th_node *cell = &nodes[view->tables->cells[c].node];
            most += most_of_range(view, names, view->tables->cells[c].node, cell->end, cell->token,
                                  cell->token_end);
        }
    }
    return most;
}

static bool add_extent(const th__view *view, const th__extents *list, uint32_t record,
                       uint32_t extent, th__item_vec *items)
{
    const th__extent *at = &list->data[extent];
    const th_node *nodes = view->page->nodes;
    struct gatherer g = {view, at,    record,           extent,        at->first,
                         0,    items, list->attributes, list->unhashed};
    const th__table_row *row = row_of(view, at);
    bool ok = true;
    if (!row)
        return add_range(&g, at->first, nodes[at->last].end, at->token, at->token_end);
    for (uint32_t c = row->first; ok && c < row->end; c++) {
        uint32_t cell = view->tables->cells[c].node;
        g.cell = th__table_cell_of(view, cell) ? cell : 0;
        if (g.cell || cell > at->first) /* beyond the columns: where the page has it */
            ok = add_range(&g, cell, nodes[cell].end, nodes[cell].token, nodes[cell].token_end);
    }
    return ok;
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

/* ---- data tables ----------------------------------------------------------------------------- */

void th__item_be_cell(const th__view *view, th__item *item)
{
    uint64_t key = th__table_cell_key(view, th__table_cell_of(view, item->cell));
    item->whole_cell = true;
    item->base = item->key = attribute_key(key, (th__item_kind)item->kind, (th_str){0});
}

uint32_t th__items_of_cell(const th__item *items, uint32_t at, uint32_t end)
{
    uint32_t cell = items[at].cell;
    while (at < end && items[at].cell == cell)
        at++;
    return at;
}

uint32_t th__items_join(th__item *items, uint32_t at, uint32_t end)
{
    uint32_t kept = at, text = TH__NO_ITEM;
    for (uint32_t i = at; i < end; i++) {
        if (items[i].kind == TH__ITEM_TEXT && text != TH__NO_ITEM) {
            items[text].span.end = items[i].span.end;
            items[text].hash = th__hash_mix(items[text].hash, items[i].hash);
            continue;
        }
        if (items[i].kind == TH__ITEM_TEXT)
            text = kept;
        items[kept++] = items[i];
    }
    return kept - at;
}

bool th__item_path_write(const th__view *view, const th__extent *record, const th__item *item,
                         th__buf *out)
{
    const th_page *page = view->page;
    uint32_t top = record->first, node = item->node;
    if (item->heading)
        return th__section_path_write(view, record, item, out);
    if (item->cell) {
        if (!th__table_step_write(view, th__table_cell_of(view, item->cell), out))
            return false;
        if (item->whole_cell || node == item->cell)
            return true;
        return th__buf_add_str(out, TH_STR(" > ")) && th__path_write(page, item->cell, node, out);
    }
    th__extent_follow(page, record, node, &top);
    return node < top ||
           th__path_write(page, record->run ? page->nodes[top].parent : top, node, out);
}
