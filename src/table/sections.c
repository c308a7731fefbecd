/* sections.c: headings above groups of records. */
#include "table/sections.h"

#include <string.h>

#include "base/key_map.h"
#include "index/view.h"
#include "page/attrs.h"
#include "page/tags.h"

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

static bool is_cell(const th_page *page, uint32_t node)
{
    return page->tags[node] == TH_TAG_TD || page->tags[node] == TH_TAG_TH;
}

#define BOLD "b" /* the step for <b> and <strong> */

/* Returns true if a text begins in bold type inside of an element that is not a heading anyway. */
static bool is_bold(const th__view *view, uint32_t leaf, uint32_t node)
{
    const th_page *page = view->page;
    if (is_cell(page, node) || th__tag_flags(page->tags[node]) & TH_TAG_IS_HEADING)
        return false;
    for (uint32_t n = th__page_node_around(page, view->leaves.data[leaf].token,
                                           view->leaves.data[leaf].token);
         n > node; n = page->nodes[n].parent)
        if (page->tags[n] == TH_TAG_B || page->tags[n] == TH_TAG_STRONG)
            return true;
    return false;
}

/* A leaf before a record as its heading. False when it is too far away to be one. */
static bool make_heading(const th__view *view, uint32_t leaf, const th__extent *record,
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
    while (cell > scope && !is_cell(page, cell))
        cell = page->nodes[cell].parent;
    if (cell > scope && th__leaves_in(view, cell) == 1)
        block = cell; /* whatever markup is in some of them */
    node = block > scope ? block : node;
    uint64_t key = th__view_key_apart(view, scope, node), bold = 0, tags;
    if (is_bold(view, leaf, node) && th__path_keys(TH_STR(BOLD), &bold, &tags))
        for (uint32_t d = th__view_depth(view, scope); d < th__view_depth(view, node); d++)
            bold *= TH__KEY_BASE;
    key = th__heading_key(key + bold);
    *out = (th__heading){.key = key, .leaf = leaf, .node = node, .scope = scope};
    return node != scope && l->len <= LONGEST;
}

bool th__section_path_write(const th__view *view, const th__extent *record, const th__item *item,
                            th__buf *out)
{
    uint32_t scope = record->first;
    while (scope && !holds(view->page, scope, item->node))
        scope = view->page->nodes[scope].parent;
    return th__buf_add_byte(out, TH__HEADING_SIGN) &&
           th__path_write(view->page, scope, item->node, out) &&
           (!is_bold(view, item->ref, item->node) || th__buf_add_str(out, TH_STR(" > " BOLD)));
}

/* Returns true if a text is in a row that names the columns of a table. */
static bool is_column_name(const th__view *view, uint32_t leaf)
{
    const th__table_cell *cell = th__table_cell_of(view, view->leaves.data[leaf].node);
    uint32_t row = cell ? view->page->nodes[cell->node].parent : 0;
    return row && th__table_row_of(view, row) && th__table_row_of(view, row)->header;
}

/* All texts that may be headings: those outside of records. */
static bool gather(const th__view *view, const th__extents *records, heading_vec *headings)
{
    const uint32_t *before = view->leaves.before;
    uint32_t leaf = 0;
    for (uint32_t r = 0; r < records->count && !records->first; r++) {
        const th__extent *record = &records->data[r];
        for (; leaf < before[record->token]; leaf++) {
            th__heading heading;
            if (is_column_name(view, leaf) || !make_heading(view, leaf, record, &heading))
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
        (is_cell(page, heading->node) &&
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
    size_t size = headings->len * sizeof *out->headings;
    th__heading *copy = th__arena_alloc(arena, size + 1);
    *out = (th__sections){.headings = copy, .kinds = count};
    out->at = th__arena_zero(arena, (size_t)records->count * count + 1, sizeof *out->at);
    if (!copy || !out->at)
        return false;
    if (size)
        memcpy(copy, headings->data, size);
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

/* Adds the kinds of headings that are at places of the page. Places are in no order. */
static void add_kinds_at(const th__view *view, const heading_vec *headings,
                         const th__sections_wanted *wanted, uint64_t *keys, uint32_t *count)
{
    for (size_t t = 0; t < wanted->text_count; t++) {
        size_t low = 0, high = headings->len;
        while (low < high) { /* the last heading that begins before the end of the text */
            size_t middle = low + (high - low) / 2;
            const th__leaf *leaf = &view->leaves.data[headings->data[middle].leaf];
            if (th__leaf_span(view->page, leaf).start < wanted->texts[t].end)
                low = middle + 1;
            else
                high = middle;
        }
        if (low-- == 0)
            continue;
        const th__leaf *leaf = &view->leaves.data[headings->data[low].leaf];
        if (th__leaf_span(view->page, leaf).end > wanted->texts[t].start)
            add_key(headings->data[low].key, keys, count, TH__SECTIONS_LIMIT);
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

bool th__sections_find(th__arena *arena, const th__view *view, const th__extents *records,
                       const th__sections_wanted *wanted, th__sections *out)
{
    heading_vec headings = {0};
    th__arena own;
    uint64_t keys[TH__SECTIONS_LIMIT], any = 0;
    uint32_t *of, count = 0, chosen = 0;
    struct kind *kinds = NULL;
    *out = (th__sections){0};
    th__arena_init(&own);
    bool ok = gather(view, records, &headings) && number_kinds(&own, &headings, &of, &count) &&
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

/* ---- headings among records ------------------------------------------------------------------ */

static bool has_link(const th_page *page, uint32_t node)
{
    for (uint32_t n = node; n < page->nodes[node].end; n++)
        if (page->tags[n] == TH_TAG_A)
            return true;
    return false;
}

/* A single text without a link, as headings are. */
static bool is_bare(const th__view *view, uint32_t node)
{
    return th__leaves_in(view, node) == 1 && !has_link(view->page, node);
}

void th__sections_drop_known(const th__view *view, const uint64_t *keys, uint32_t count,
                             uint32_t *nodes, size_t *node_count)
{
    size_t kept = 0;
    for (size_t i = 0; i < *node_count; i++) {
        bool known = false;
        if (i + 1 < *node_count && is_bare(view, nodes[i])) {
            uint32_t leaf = view->leaves.before[view->page->nodes[nodes[i]].token];
            th__extent next = th__extent_of(view->page, nodes[i + 1], nodes[i + 1]);
            th__heading heading;
            bool is = make_heading(view, leaf, &next, &heading);
            for (uint32_t k = 0; k < count && is; k++)
                known |= keys[k] == heading.key;
        }
        if (!known)
            nodes[kept++] = nodes[i];
    }
    *node_count = kept;
}

void th__sections_drop_headings(const th__view *view, uint32_t *nodes, size_t *count)
{
    size_t rich = 0, linked = 0, bare = 0, kept = 0;
    for (size_t i = 0; i < *count; i++) {
        rich += th__leaves_in(view, nodes[i]) > 1;
        linked += has_link(view->page, nodes[i]);
        bare += is_bare(view, nodes[i]);
    }
    if (bare < 2 || 2 * bare > *count || 3 * linked < 2 * (*count - bare) ||
        10 * rich < 9 * (*count - bare) || !is_bare(view, nodes[0]))
        return;
    for (size_t i = 0; i < *count; i++)
        if (!is_bare(view, nodes[i]))
            nodes[kept++] = nodes[i];
    *count = kept;
}

/* The elements of a run, and the last but one of them; 0 when there is one. */
static uint32_t run_length(const th_page *page, const th__extent *run, uint32_t *before_last)
{
    uint32_t length = 1;
    *before_last = 0;
    for (uint32_t n = run->first; n < run->last; n = page->nodes[n].end, length++)
        *before_last = n;
    return length;
}

/* The element before another one in its parent; 0 when it is the first. */
static uint32_t sibling_before(const th_page *page, uint32_t node)
{
    uint32_t before = 0;
    for (uint32_t n = page->nodes[node].parent + 1; n < node; n = page->nodes[n].end)
        before = n;
    return before;
}

void th__sections_trim_runs(const th__view *view, th__extent *runs, uint32_t count)
{
    enum { LENGTHS = 16 };
    const th_page *page = view->page;
    uint32_t lengths[LENGTHS + 1] = {0}, usual = 1, tails = 0, before, above;
    if (!count || !(above = sibling_before(page, runs[0].first)) || !is_bare(view, above))
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length = run_length(page, &runs[i], &before);
        lengths[length < LENGTHS ? length : LENGTHS]++;
        tails += before && view->signature[runs[i].last] == view->signature[above] &&
                 is_bare(view, runs[i].last);
    }
    for (uint32_t l = 1; l < LENGTHS; l++)
        usual = lengths[l] > lengths[usual] ? l : usual;
    for (uint32_t i = 0; i < count && 5 * tails <= 3 * count; i++)
        for (int k = 0; k < TH__SECTIONS_MOST && run_length(page, &runs[i], &before) > usual &&
                        before && is_bare(view, runs[i].last);
             k++) {
            runs[i].last = before;
            runs[i].token_end = page->nodes[before].token_end;
        }
}
