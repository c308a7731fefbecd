/* items.c: what a record holds, and the headings above it. */
#include "table/items.h"

#include <string.h>

#include "base/key_map.h"
#include "page/attrs.h"
#include "page/charref.h"
#include "page/signs.h"
#include "page/tags.h"
#include "page/text.h"
#include "page/url.h"

/* The base key of headings of a kind, from the key of its path. */
static uint64_t heading_key(uint64_t key)
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
        *base = heading_key(ok ? key : 0);
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
    return add_item(g,
                    (th__item){.node = node,
                               .ref = token,
                               .hash = value_hash(g, value),
                               .span = span,
                               .kind = (uint8_t)kind},
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

/* ==== headings above groups of records ==== */

enum {
    STEPS = 8,     /* from the scope of a heading down to it: more is another part of the page */
    NEAR = 8,      /* a heading of all records is among the last texts before the first one */
    SHORT = 80,    /* bytes of such a heading, blanks aside */
    WORDS = 30,    /* bytes of headings of several groups that nothing says are some, */
    PHRASE = 100,  /* and of others, on average */
    LONGEST = 200, /* bytes of a heading, blanks aside */
};

typedef TH__VEC(th__heading) heading_vec;

static bool holds(const th_page *page, uint32_t node, uint32_t other)
{
    return node <= other && other < page->nodes[node].end;
}

#define BOLD "b" /* the step for <b> and <strong> */

/* Returns true if a text begins in bold type inside of an element that is not a heading anyway. */
static bool is_bold(const th__view *view, uint32_t leaf, uint32_t node)
{
    const th_page *page = view->page;
    if (th__tag_is_cell(page->tags[node]) || th__tag_flags(page->tags[node]) & TH_TAG_IS_HEADING)
        return false;
    for (uint32_t n = th__page_node_around(page, view->leaves.data[leaf].token,
                                           view->leaves.data[leaf].token);
         n > node; n = page->nodes[n].parent)
        if (page->tags[n] == TH_TAG_B || page->tags[n] == TH_TAG_STRONG)
            return true;
    return false;
}

bool th__heading_make(const th__view *view, uint32_t leaf, const th__extent *record,
                      th__heading *out)
{
    const th_page *page = view->page;
    const th__leaf *l = &view->leaves.data[leaf];
    uint32_t scope = l->node;
    for (uint32_t steps = 0; !holds(page, scope, record->first); steps++) {
        if (steps == STEPS)
            return false;
        scope = page->nodes[scope].parent;
    }
    uint32_t node = th__page_node_around(page, l->token, l->token_end - 1), block = node;
    while (block > scope && th__tag_is_phrasing(page->tags[block]))
        block = page->nodes[block].parent;
    uint32_t cell = block;
    while (cell > scope && !th__tag_is_cell(page->tags[cell]))
        cell = page->nodes[cell].parent;
    if (cell > scope && th__leaves_in(view, cell) == 1)
        block = cell; /* whatever markup is in some of them */
    node = block > scope ? block : node;
    uint64_t key = th__view_key_apart(view, scope, node), bold = 0, tags;
    if (is_bold(view, leaf, node) && th__path_keys(TH_STR(BOLD), &bold, &tags))
        for (uint32_t d = th__view_depth(view, scope); d < th__view_depth(view, node); d++)
            bold *= TH__KEY_BASE;
    key = heading_key(key + bold);
    *out = (th__heading){.key = key, .leaf = leaf, .node = node, .scope = scope};
    return node != scope && l->len <= LONGEST;
}

/* Appends the path of a heading's kind, seen from a record. */
static bool write_section_path(const th__view *view, const th__extent *record, const th__item *item,
                               th__buf *out)
{
    uint32_t scope = record->first;
    while (scope && !holds(view->page, scope, item->node))
        scope = view->page->nodes[scope].parent;
    return th__buf_add_byte(out, TH__HEADING_SIGN) &&
           th__path_write(view->page, scope, item->node, out) &&
           (!is_bold(view, item->ref, item->node) || th__buf_add_str(out, TH_STR(" > " BOLD)));
}

bool th__item_path_write(const th__view *view, const th__extent *record, const th__item *item,
                         th__buf *out)
{
    const th_page *page = view->page;
    uint32_t top = record->first, node = item->node;
    if (item->heading)
        return write_section_path(view, record, item, out);
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

bool th__item_read(const th_page *page, th__item_kind kind, uint32_t node, th_span span,
                   th__buf *text, th__buf *link)
{
    th__buf_clear(text);
    if (kind == TH__ITEM_TEXT)
        return th__node_span_text(page, node, span, text);
    if (kind == TH__ITEM_ATTRIBUTE)
        return th__page_value(page, th__attribute_at(page, span).name, span, text);
    th__buf_clear(link);
    return th__decode_refs(th__page_slice(page, span.start, span.end), true, link) &&
           th__url_resolve(page->base.ptr ? page->base : page->url, th__buf_str(link), text);
}

/* Returns true if a text is in a row that names the columns of a table. */
static bool is_column_name(const th__view *view, uint32_t leaf)
{
    const th__table_cell *cell = th__table_cell_of(view, view->leaves.data[leaf].node);
    uint32_t row = cell ? view->page->nodes[cell->node].parent : 0;
    return row && th__table_row_of(view, row) && th__table_row_of(view, row)->header;
}

/* Returns the first text that may be a heading. Records with nothing between them can only have
 * one that is common to all: it is one of the last texts before the first record. */
static uint32_t nearest_texts(const th__view *view, const th__extents *records)
{
    const uint32_t *before = view->leaves.before;
    const th__extent *record = records->data;
    if (records->first || !records->count)
        return 0;
    for (uint32_t r = 1; r < records->count; r++)
        if (before[record[r - 1].token_end] < before[record[r].token])
            return 0;
    uint32_t leaf = before[record->token];
    for (uint32_t found = 0; leaf && found < NEAR;) {
        th__heading heading;
        leaf--;
        found += !is_column_name(view, leaf) && th__heading_make(view, leaf, record, &heading);
    }
    return leaf;
}

/* All texts from one on that may be headings: those outside of records. */
static bool gather(const th__view *view, const th__extents *records, uint32_t leaf,
                   heading_vec *headings)
{
    const uint32_t *before = view->leaves.before;
    for (uint32_t r = 0; r < records->count && !records->first; r++) {
        const th__extent *record = &records->data[r];
        for (; leaf < before[record->token]; leaf++) {
            th__heading heading;
            if (is_column_name(view, leaf) || !th__heading_make(view, leaf, record, &heading))
                continue;
            heading.next = r;
            if (!th__vec_push(headings, heading))
                return false;
        }
        if (leaf < before[record->token_end])
            leaf = before[record->token_end];
    }
    return true;
}

/* The first record, from `low` on, that begins behind a node. */
static uint32_t record_behind(const th_page *page, const th__extents *records, uint32_t low,
                              uint32_t node)
{
    uint32_t end = page->nodes[node].end;
    return low +
           (uint32_t)th__count_first(i, records->count - low, records->data[low + i].first < end);
}

/* ---- kinds ----------------------------------------------------------------------------------- */

struct kind {
    uint64_t hash;        /* of the text of the last heading */
    uint32_t first, last; /* headings, by number */
    uint32_t count;       /* of headings */
    uint32_t groups;      /* of records that one is above */
    uint32_t changes;     /* from one to the next of these */
    uint32_t records;     /* that have one */
    uint32_t bytes;
    bool dated;   /* its text names a year */
    bool classed; /* its element, or one around it, has a class */
    bool marked;  /* its element is for headings: h3, caption, dt, th, b */
};

static bool is_marked(const th__view *view, const th__heading *heading)
{
    const th_page *page = view->page;
    if (is_bold(view, heading->leaf, heading->node) ||
        (th__tag_is_cell(page->tags[heading->node]) &&
         th__leaves_in(view, page->nodes[heading->node].parent) == 1))
        return true;
    for (uint32_t node = heading->node; node != heading->scope; node = page->nodes[node].parent) {
        uint16_t tag = page->tags[node];
        if (th__tag_flags(tag) & TH_TAG_IS_HEADING || tag == TH_TAG_CAPTION || tag == TH_TAG_DT ||
            tag == TH_TAG_LEGEND || tag == TH_TAG_SUMMARY || tag == TH_TAG_B ||
            tag == TH_TAG_STRONG)
            return true;
    }
    return false;
}

static bool has_class(const th_page *page, const th__heading *heading)
{
    th_str value;
    for (uint32_t node = heading->node; node != heading->scope; node = page->nodes[node].parent)
        if (th__attr_get(page, page->nodes[node].token, TH_STR("class"), &value))
            return true;
    return false;
}

/* Returns true if a text has a number from 1900 to 2099. */
static bool names_year(const th__view *view, uint32_t leaf)
{
    th_span span = th__leaf_span(view->page, &view->leaves.data[leaf]);
    th_str text = th__page_slice(view->page, span.start, span.end);
    uint32_t digits = 0;
    for (size_t i = 0; i <= text.len; i++) {
        if (i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9') {
            digits++;
            continue;
        }
        bool count = digits == 4 && i > 4 && text.ptr[i - 5] == '('; /* "Shoes (1936)" */
        if (digits == 4 && !count &&
            (!memcmp(text.ptr + i - 4, "19", 2) || !memcmp(text.ptr + i - 4, "20", 2)))
            return true;
        digits = 0;
    }
    return false;
}

/* How far each heading speaks, and what there is of its kind, number `of` - 1. */
static void measure(const th__view *view, const th__extents *records, heading_vec *headings,
                    const uint32_t *of, struct kind *kinds)
{
    for (uint32_t h = 0; h < headings->len; h++) {
        th__heading *heading = &headings->data[h];
        struct kind *kind = &kinds[of[h] - 1];
        th__heading *last = kind->count ? &headings->data[kind->last] : NULL;
        th__leaf leaf = th__leaf_measured(view->page, &view->leaves.data[heading->leaf]);
        heading->end = record_behind(view->page, records, heading->next, heading->scope);
        if (last && last->end > heading->next) {
            kind->records -= last->end - heading->next;
            last->end = heading->next;
        }
        if (!last)
            *kind = (struct kind){.first = h, .dated = names_year(view, heading->leaf)};
        if (!last || last->next != heading->next) {
            kind->groups++;
            kind->changes += last && kind->hash != leaf.hash;
        }
        kind->marked |= is_marked(view, heading);
        kind->classed |= has_class(view->page, heading);
        kind->records += heading->end - heading->next;
        kind->bytes += leaf.len;
        kind->hash = leaf.hash;
        kind->count++;
        kind->last = h;
    }
}

/* Returns true if the texts of a kind are headings of groups of records. */
static bool is_section(const th__extents *records, const heading_vec *headings,
                       const struct kind *kind)
{
    const th__heading *first = &headings->data[kind->first];
    if (kind->groups == 1) /* the day of all records */
        return kind->count == 1 && kind->dated && kind->marked && first->next == 0 &&
               first->end == records->count && kind->bytes <= SHORT &&
               headings->len - kind->first <= NEAR;
    /* Sentences between records are remarks and adverts. */
    uint32_t longest = kind->marked || kind->dated || kind->classed ? PHRASE : WORDS;
    if (kind->bytes > longest * kind->count)
        return false;
    return 10 * (uint64_t)kind->records >= 9 * (uint64_t)records->count &&
           2 * kind->changes >= kind->groups - 1 && kind->count <= 2 * kind->groups &&
           (kind->groups < records->count || kind->marked) && headings->data[kind->first].next == 0;
}

/* Numbers the kinds of headings, from 1; 0 where `keys` has others. */
static bool number_kinds(th__arena *arena, const heading_vec *headings, uint32_t **of,
                         uint32_t *count)
{
    th__key_map map;
    *of = th__arena_alloc(arena, (headings->len + 1) * sizeof **of);
    if (!*of || !th__key_map_init(&map, arena, headings->len))
        return false;
    for (size_t i = 0; i < headings->len; i++)
        (*of)[i] = th__key_map_number(&map, headings->data[i].key);
    *count = map.count;
    return true;
}

/* Gives records the headings of a kind. */
static void give(const heading_vec *headings, uint64_t key, uint32_t kind, th__sections *out)
{
    for (uint32_t h = 0; h < headings->len; h++) {
        const th__heading *heading = &headings->data[h];
        for (uint32_t r = heading->next; heading->key == key && r < heading->end; r++)
            out->at[(size_t)r * out->kinds + kind] = h + 1;
    }
}

static bool fill(th__arena *arena, const th__extents *records, const heading_vec *headings,
                 const uint64_t *keys, uint32_t count, th__sections *out)
{
    *out = (th__sections){.kinds = count};
    out->headings = th__arena_keep(arena, headings->data, headings->len, sizeof *headings->data);
    out->at = th__arena_zero(arena, (size_t)records->count * count + 1, sizeof *out->at);
    if (!out->headings || !out->at)
        return false;
    for (uint32_t k = 0; k < count; k++) {
        out->keys[k] = keys[k];
        give(headings, keys[k], k, out);
    }
    return true;
}

/* Adds a key to those that are chosen, unless it is there or there are too many. */
static void add_key(uint64_t key, uint64_t *keys, uint32_t *count, uint32_t most)
{
    for (uint32_t k = 0; k < *count; k++)
        if (keys[k] == key)
            return;
    if (*count < most)
        keys[(*count)++] = key;
}

static th_span heading_span(const th__view *view, const th__heading *heading)
{
    return th__leaf_span(view->page, &view->leaves.data[heading->leaf]);
}

/* Adds the kinds of headings that are at places of the page. Places are in no order. */
static void add_kinds_at(const th__view *view, const heading_vec *headings,
                         const th__sections_wanted *wanted, uint64_t *keys, uint32_t *count)
{
    for (size_t t = 0; t < wanted->text_count; t++) {
        /* Those that begin before the end of the text: the last may be it. */
        size_t before = th__count_first(
            i, headings->len, heading_span(view, &headings->data[i]).start < wanted->texts[t].end);
        const th__heading *last = before ? &headings->data[before - 1] : NULL;
        if (last && heading_span(view, last).end > wanted->texts[t].start)
            add_key(last->key, keys, count, TH__SECTIONS_LIMIT);
    }
}

/* The base key of TH__HEADING_ANY. */
static uint64_t any_key(void)
{
    const th__item_place_of place = {.path = TH_STR(TH__HEADING_ANY)};
    uint64_t key = 0;
    th__item_base(&place, TH__ITEM_TEXT, &key);
    return key;
}

/* The sections whose headings are among the texts from one on. False if out of memory. */
static bool find_sections(th__arena *arena, const th__view *view, const th__extents *records,
                          const th__sections_wanted *wanted, uint32_t leaf, th__sections *out)
{
    heading_vec headings = {0};
    th__arena own;
    uint64_t keys[TH__SECTIONS_LIMIT], any = 0;
    uint32_t *of, count = 0, chosen = 0;
    struct kind *kinds = NULL;
    *out = (th__sections){0};
    th__arena_init(&own);
    bool ok = gather(view, records, leaf, &headings) &&
              number_kinds(&own, &headings, &of, &count) &&
              (kinds = th__arena_zero(&own, count + 1, sizeof *kinds));
    if (ok)
        measure(view, records, &headings, of, kinds);
    for (uint32_t k = 0; wanted && k < wanted->key_count; k++)
        add_key(wanted->keys[k], keys, &chosen, TH__SECTIONS_LIMIT);
    if (ok && wanted)
        add_kinds_at(view, &headings, wanted, keys, &chosen);
    uint32_t others = chosen, most = chosen + TH__SECTIONS_MOST;
    for (uint32_t k = 0, last = 0; ok && k < count; k++) /* the nearest, if there is none such */
        if (kinds[k].marked && !headings.data[kinds[k].last].next && kinds[k].last >= last) {
            any = headings.data[kinds[k].last].key;
            last = kinds[k].last;
        }
    for (uint32_t k = 0; ok && k < count; k++)
        if (is_section(records, &headings, &kinds[k])) {
            any = headings.data[kinds[k].first].key;
            add_key(any, keys, &others, most < TH__SECTIONS_LIMIT ? most : TH__SECTIONS_LIMIT);
        }
    if (!wanted || !wanted->no_others)
        chosen = others;
    ok = ok && fill(arena, records, &headings, keys, chosen, out);
    for (uint32_t k = 0; ok && any && k < chosen; k++)
        if (keys[k] == any_key())
            give(&headings, any, k, out);
    th__vec_release(&headings);
    th__arena_release(&own);
    return ok;
}

bool th__sections_find(th__arena *arena, const th__view *view, const th__extents *records,
                       const th__sections_wanted *wanted, th__sections *out)
{
    uint32_t leaf = wanted ? 0 : nearest_texts(view, records);
    if (!find_sections(arena, view, records, wanted, leaf, out))
        return false;
    /* A heading of all records is none when others of its kind are further up. */
    return !leaf || !out->kinds || find_sections(arena, view, records, wanted, 0, out);
}

bool th__section_item(const th__view *view, const th__sections *sections,
                      const th__extents *records, uint32_t record, uint32_t kind, th__item *item)
{
    uint32_t at = sections->at[(size_t)record * sections->kinds + kind];
    if (!at)
        return false;
    const th__heading *heading = &sections->headings[at - 1];
    const th__leaf *leaf = &view->leaves.data[heading->leaf];
    *item = (th__item){.base = sections->keys[kind],
                       .key = sections->keys[kind],
                       .hash = th__leaf_measured(view->page, leaf).hash,
                       .record = record,
                       .extent = th__extents_first(records, record),
                       .node = heading->node,
                       .ref = heading->leaf,
                       .label = TH__NO_ITEM,
                       .position = TH__NO_POSITION,
                       .span = th__leaf_span(view->page, leaf),
                       .heading = true};
    return true;
}
