/* column_names.c: what a column is called. */
#include "table/column_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"
#include "page/data_page.h"
#include "page/signs.h"
#include "page/tags.h"
#include "page/text.h"
#include "index/view.h"
#include "base/key_map.h"

enum { LONGEST = 40 };

struct namer {
    const th__view *view;
    const th__extent *extents;
    const th__columns *columns;
    const th__column_look *looks;
    th__column_name *names;
    uint32_t *last; /* by column: its last item */
    th__buf text;   /* a name in the making */
};

bool th__name_tidy(th__buf *name)
{
    char out[LONGEST + 3];
    size_t len = 0;
    for (size_t i = 0; i < name->len && len <= LONGEST; i++) {
        unsigned char c = (unsigned char)name->data[i];
        if (th__is_alpha(c) || th__is_digit(c) || c >= 0x80) {
            if (c >= 'A' && c <= 'Z' && i && name->data[i - 1] >= 'a' && name->data[i - 1] <= 'z')
                out[len++] = '_'; /* numberOfPages */
            out[len++] = (char)th__lower(c);
        } else if (len && out[len - 1] != '_') {
            out[len++] = '_';
        }
    }
    while (len && out[len - 1] == '_')
        len--;
    if (len < 2 || len > LONGEST || th__is_digit((unsigned char)out[0]))
        return false;
    name->len = 0;
    return th__buf_add(name, out, len);
}

static bool tidy(struct namer *n)
{
    return th__name_tidy(&n->text);
}

static bool set_text(struct namer *n, th_str text)
{
    n->text.len = 0;
    return th__buf_add_str(&n->text, text);
}

static bool name_by_tag(struct namer *n, uint16_t tag)
{
    if (th__tag_flags(tag) & TH_TAG_IS_HEADING)
        return set_text(n, TH_STR("title"));
    if (tag == TH_TAG_TIME)
        return set_text(n, TH_STR("date"));
    if (tag == TH_TAG_ADDRESS)
        return set_text(n, TH_STR("address"));
    return false;
}

static bool name_by_itemprop(struct namer *n, uint32_t token)
{
    th_str value;
    return th_attr_get(n->view->page, token, "itemprop", &value) && set_text(n, value) && tidy(n);
}

/* Appends the texts of the header cells above a cell, a blank between them; nothing where there are
 * none. False if out of memory. */
static bool write_header(const th__view *view, const th__table_cell *cell, th__buf *out)
{
    const th__tables *t = view->tables;
    const th__table *table = &t->tables[cell->table];
    uint32_t last = 0, r = table->first;
    while (r < table->end && !t->rows[r].header)
        r++; /* a row with a pager may be the first */
    for (; r < table->end && t->rows[r].header && t->rows[r].node < cell->node; r++)
        for (uint32_t c = t->rows[r].first; c < t->rows[r].end; c++) {
            const th__table_cell *head = &t->cells[c];
            if (cell->column < head->column || cell->column >= head->end || head->node == last)
                continue;
            last = head->node;
            if (out->len)
                th__buf_add_byte(out, ' ');
            if (!th__span_text(view->page, th_page_node_span(view->page, head->node), out))
                return false;
        }
    return !out->failed;
}

/* The header above a cell. */
static bool name_by_header(struct namer *n, const th__item *item)
{
    const th__table_cell *cell = item->cell ? th__table_cell_of(n->view, item->cell) : NULL;
    n->text.len = 0;
    return cell && write_header(n->view, cell, &n->text) && tidy(n);
}

static bool set_item_text(struct namer *n, const th__item *item)
{
    n->text.len = 0;
    return th__span_text(n->view->page, item->span, &n->text);
}

static bool name_by_label(struct namer *n, const th__column *column)
{
    return column->label != TH__NO_ITEM && set_item_text(n, &n->columns->items[column->label]) &&
           tidy(n);
}

/* The element so many levels above that of an item, inside its record; 0 when there is none. */
static uint32_t element_above(const struct namer *n, const th__item *item, uint32_t levels)
{
    const th_page *page = n->view->page;
    const th__extent *record = &n->extents[item->extent];
    uint32_t node = item->node;
    for (; levels && node > record->first; levels--)
        node = page->nodes[node].parent;
    return node > record->first ? node : 0;
}

/* An attribute that has the same words in elements of the first and the last record (0: there is
 * none) names the column; else it is a value. */
static bool name_by_attribute(struct namer *n, uint32_t first, uint32_t last, const char *attribute)
{
    const th_page *page = n->view->page;
    th_str one, other;
    return first && last && first != last &&
           th_attr_get(page, page->nodes[first].token, attribute, &one) &&
           th_attr_get(page, page->nodes[last].token, attribute, &other) &&
           th__str_eq(one, other) && set_text(n, one) && tidy(n);
}

static bool name_by_attributes(struct namer *n, uint32_t first, uint32_t last)
{
    static const char *const attributes[] = {"data-label", "data-th", "data-title", "data-header",
                                             "aria-label"};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (name_by_attribute(n, first, last, attributes[i]))
            return true;
    return false;
}

/* Classes, and what testers call an element: that is a class of theirs. */
static th__name_worth name_by_class(struct namer *n, uint32_t token)
{
    static const char *const attributes[] = {"class", "data-testid", "data-test", "data-qa",
                                             "data-hook"};
    th__name_worth best = TH__NAME_NONE;
    th_str value;
    for (size_t i = 0; best < TH__NAME_WORD && i < sizeof attributes / sizeof *attributes; i++)
        if (th_attr_get(n->view->page, token, attributes[i], &value))
            best = th__name_of_class(value, &n->text);
    return best;
}

enum { CLOSE = 3 }; /* elements that are asked: what is further up speaks of more than this value */

/* Asks the element of an item and those above it inside the record, `most` of them. */
static th__name_worth name_by_elements(struct namer *n, uint32_t column, uint32_t most)
{
    const th_page *page = n->view->page;
    const th__item *first = &n->columns->items[n->columns->columns[column].sample];
    const th__item *last = &n->columns->items[n->last[column]];
    for (uint32_t up = 0; up < most; up++) {
        uint32_t node = element_above(n, first, up);
        if (!node)
            break;
        if (name_by_itemprop(n, page->nodes[node].token) ||
            name_by_attributes(n, node, element_above(n, last, up)))
            return TH__NAME_SAID;
        th__name_worth worth = name_by_class(n, page->nodes[node].token);
        if (worth == TH__NAME_MEANS)
            return worth;
        if (name_by_tag(n, page->tags[node])) /* it says more than some word */
            return TH__NAME_MEANS;
        if (worth)
            return worth;
    }
    return TH__NAME_NONE;
}

/* On a data page: the keys that lead to a column's items. */
static bool name_by_key(struct namer *n, uint32_t column)
{
    const th_page *page = n->view->page;
    const th__item *item = &n->columns->items[n->columns->columns[column].sample];
    const th__extent *record = &n->extents[item->extent];
    if (!th__page_is_data(page))
        return false;
    for (uint32_t node = item->node; node > record->first; node = page->nodes[node].parent)
        if (name_by_itemprop(n, page->nodes[node].token))
            return true;
    return false;
}

/* What the values look like. */
static bool name_by_look(struct namer *n, th_note note)
{
    static const char *const names[] = {
        [TH_NOTE_PRICE] = "price", [TH_NOTE_DATE] = "date",   [TH_NOTE_NUMBER] = "number",
        [TH_NOTE_TIME] = "time",   [TH_NOTE_EMAIL] = "email", [TH_NOTE_PHONE] = "phone"};
    return note < sizeof names / sizeof *names && names[note] &&
           set_text(n, th_str_from(names[note]));
}

static th__name_worth name_text(struct namer *n, uint32_t c)
{
    const th__column *column = &n->columns->columns[c];
    const th__item *sample = &n->columns->items[column->sample];
    th_note note = n->looks[c].note;
    if (sample->heading)
        return set_text(n, TH_STR("heading")) ? TH__NAME_MEANS : TH__NAME_NONE;
    if (name_by_key(n, c) || (!column->hint && name_by_label(n, column)))
        return TH__NAME_SAID;
    /* The elements above a part speak of all parts; a word before it speaks of it. */
    th__name_worth own =
        column->hint && !sample->between ? name_by_elements(n, c, 1) : TH__NAME_NONE;
    if (own || (column->hint && name_by_label(n, column)))
        return own ? own : TH__NAME_MEANS;
    if (name_by_header(n, sample))
        return TH__NAME_SAID;
    if (n->looks[c].label.ptr && set_text(n, n->looks[c].label) && tidy(n))
        return TH__NAME_SAID;
    th__name_worth worth = name_by_elements(n, c, CLOSE);
    if (worth >= TH__NAME_MEANS)
        return worth;
    /* Words of classes are for numbers what units are: "comments", "votes". */
    if ((note != TH_NOTE_NUMBER && note != TH_NOTE_TIME) || !worth)
        if (name_by_look(n, note))
            return TH__NAME_LOOKS;
    return worth;
}

/* Returns true if a name says what the record is about. That of a person or place in it does not.
 */
static bool is_title(th_str name)
{
    static const char *const titles[] = {"title",   "name",         "headline",  "subject",
                                         "product", "product_name", "item_name", "full_name"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (th__str_eq(name, th_str_from(titles[i])))
            return true;
    return th__str_ends_nocase(name, TH_STR("_title"));
}

/* The text inside of the links of a column that says most of them, as a column: TH__NO_ITEM when
 * there is none. A badge that some links have says nothing of the others. */
static uint32_t text_inside(const struct namer *n, const th__column *column,
                            const th__column_name *names)
{
    const th__columns *columns = n->columns;
    const th__item *link = &columns->items[column->sample];
    uint32_t end = n->view->page->nodes[link->node].end, best = TH__NO_ITEM;
    for (uint32_t i = column->sample + 1; i < columns->first[link->record + 1]; i++) {
        const th__item *item = &columns->items[i];
        const th__column *text = &columns->columns[item->column];
        if (item->node >= end)
            break;
        if (item->kind != TH__ITEM_TEXT || item->node < link->node || item->heading ||
            text->is_label || 5 * (uint64_t)text->filled < 4 * (uint64_t)column->filled)
            continue;
        if (best == TH__NO_ITEM ||
            (names[item->column].worth > names[best].worth && is_title(names[item->column].text)))
            best = item->column;
    }
    return best;
}

static th__name_worth name_link(struct namer *n, uint32_t c, const th__column_name *names)
{
    if (name_by_key(n, c))
        return TH__NAME_SAID;
    uint32_t text = text_inside(n, &n->columns->columns[c], names);
    const th__column *inside = text == TH__NO_ITEM ? NULL : &n->columns->columns[text];
    th__name_worth worth;
    if (inside && inside->distinct == 1 && inside->items > 2 &&
        names[text].worth < TH__NAME_MEANS &&
        set_item_text(n, &n->columns->items[inside->sample]) && tidy(n)) {
        worth = TH__NAME_LOOKS; /* "Agenda", "Read more": links to what they say */
    } else if (inside) {
        worth = names[text].worth;
        if (worth)
            set_text(n, names[text].text);
    } else {
        worth = name_by_header(n, &n->columns->items[n->columns->columns[c].sample])
                    ? TH__NAME_SAID
                    : name_by_elements(n, c, CLOSE);
        worth = worth >= TH__NAME_MEANS ? worth : TH__NAME_NONE;
    }
    if (worth && !th__str_ends_nocase(th__buf_str(&n->text), TH_STR("url")))
        th__buf_add_str(&n->text, TH_STR("_url"));
    if (!worth)
        set_text(n, TH_STR("link"));
    return worth;
}

/* Images are called after what they show, when that is said. */
static th__name_worth name_image(struct namer *n, uint32_t c)
{
    static const char *const pictures[] = {"avatar", "cover",     "flag",  "logo", "photo",
                                           "poster", "thumbnail", "thumb", "icon", "picture"};
    uint32_t first = element_above(n, &n->columns->items[n->columns->columns[c].sample], 0);
    uint32_t last = element_above(n, &n->columns->items[n->last[c]], 0);
    if (name_by_key(n, c))
        return TH__NAME_SAID;
    if (name_by_elements(n, c, 2) >= TH__NAME_MEANS || name_by_attribute(n, first, last, "alt"))
        for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
            if (th__str_eq(th__buf_str(&n->text), th_str_from(pictures[i])))
                return TH__NAME_MEANS;
    set_text(n, TH_STR("image"));
    return TH__NAME_NONE;
}

/* The property that an attribute is the value of, or its own name: data-price is the price. */
static th__name_worth name_attribute(struct namer *n, uint32_t c)
{
    const th__item *item = &n->columns->items[n->columns->columns[c].sample];
    th_str name = th__attribute_at(n->view->page, item->span).name;
    if (name_by_itemprop(n, n->view->page->nodes[item->node].token))
        return TH__NAME_SAID;
    if (th__str_starts_nocase(name, TH_STR("data-")))
        name = (th_str){name.ptr + 5, name.len - 5};
    return set_text(n, name) && tidy(n) ? TH__NAME_MEANS : TH__NAME_NONE;
}

/* ---- the title ------------------------------------------------------------------------------- */

/* Returns true if an item is in an element of one of two tags, inside its record. A text has the
 * element of its line, and begins in others: <li><b>Walden</b>. */
static bool is_inside(const struct namer *n, const th__item *item, uint16_t tag, uint16_t other)
{
    enum { HIGHEST = 8, MOST = 64 };
    const th_page *page = n->view->page;
    for (uint32_t up = 0, node; up < HIGHEST && (node = element_above(n, item, up)); up++)
        if (page->tags[node] == tag || page->tags[node] == other)
            return true;
    if (page->tags[n->extents[item->extent].first] == tag)
        return true;
    if (item->kind != TH__ITEM_TEXT || item->whole)
        return false;
    uint32_t token = n->view->leaves.data[item->ref].token, end = page->nodes[item->node].end;
    for (uint32_t node = item->node + 1, seen = 0;
         node < end && page->nodes[node].token <= token && seen < MOST; node++, seen++)
        if (page->nodes[node].token_end > token &&
            (page->tags[node] == tag || page->tags[node] == other))
            return true;
    return false;
}

/* How much a column is like a title; 0: it is none. */
static double title_worth(const struct namer *n, uint32_t c, const th__column_name *name)
{
    enum { SHORTEST = 3, LONGEST_TITLE = 160, LONG_ENOUGH = 30 };
    const th__column *column = &n->columns->columns[c];
    const th__item *sample = &n->columns->items[column->sample];
    const th__column_look *look = &n->looks[c];
    if (column->kind != TH__ITEM_TEXT || column->is_label || sample->heading || column->list ||
        name->worth > TH__NAME_WORD || look->note != TH_NOTE_TEXT)
        return 0;
    if (5 * column->filled < 3 * n->columns->record_count ||
        2 * column->distinct < column->filled || look->lettered < 80 || look->length < SHORTEST ||
        look->length > LONGEST_TITLE)
        return 0;
    bool link = is_inside(n, sample, TH_TAG_A, TH_TAG_A);
    bool bold = is_inside(n, sample, TH_TAG_B, TH_TAG_STRONG);
    if (!link && !bold)
        return 0;
    double length = look->length < LONG_ENOUGH ? (double)look->length / LONG_ENOUGH : 1;
    return (link ? 2 : 0) + (bold ? 1 : 0) + 2 * length +
           2 * (double)column->distinct / column->filled +
           (double)column->filled / n->columns->record_count;
}

/* Calls the text that is most like a title so, where no column is. */
static void name_title(struct namer *n, th__column_name *names)
{
    double best = 0;
    uint32_t title = TH__NO_ITEM;
    for (uint32_t c = 0; c < n->columns->column_count; c++) {
        const th__column *column = &n->columns->columns[c];
        if (column->kind == TH__ITEM_TEXT && !column->is_label && is_title(names[c].text) &&
            2 * column->filled > n->columns->record_count)
            return;
        double worth = title_worth(n, c, &names[c]);
        if (worth > best + 0.5) /* the first of those that are alike */
            title = c;
        best = worth > best ? worth : best;
    }
    if (title != TH__NO_ITEM)
        names[title] = (th__column_name){TH_STR("title"), TH__NAME_MEANS};
}

/* ---- constants before values ----------------------------------------------------------------- */

/* Returns true if a column is the same in all records that have it, and these are the records that
 * have the one behind it, which varies. What all records have may be a value: all are by one
 * author. Then it is a label only with a colon. */
static bool is_constant_label(const struct namer *n, uint32_t label, uint32_t behind)
{
    const th__column *of = &n->columns->columns[label], *at = &n->columns->columns[behind];
    const th__item *sample = &n->columns->items[of->sample];
    return of->distinct == 1 && !of->list && of->filled >= 2 && of->filled >= at->filled &&
           at->distinct > 1 && !at->cut && !sample->whole && !sample->cell && !sample->heading &&
           !is_inside(n, sample, TH_TAG_A, TH_TAG_BUTTON); /* "Contact us" is for a click */
}

/* Names columns after a text that is the same in all records and always comes right before them,
 * and nothing else does: <div>Summary</div><p>...</p>. It is a label without a colon. */
static bool name_by_constants(struct namer *n, th__arena *arena)
{
    const th__columns *columns = n->columns;
    enum { MANY = UINT32_MAX - 1 };
    uint32_t count = columns->column_count, *before, *behind;
    before = th__arena_alloc(arena, (count + (size_t)1) * sizeof *before);
    behind = th__arena_alloc(arena, (count + (size_t)1) * sizeof *behind);
    if (!before || !behind)
        return false;
    for (uint32_t c = 0; c < count; c++)
        before[c] = behind[c] = TH__NO_ITEM;
    for (uint32_t i = 0, last = TH__NO_ITEM, record = UINT32_MAX; i < columns->item_count; i++) {
        const th__item *item = &columns->items[i];
        if (item->kind != TH__ITEM_TEXT)
            continue;
        last = item->record == record ? last : MANY;
        record = item->record;
        uint32_t *own = &before[item->column];
        *own = *own == TH__NO_ITEM || *own == last ? last : MANY;
        if (last != MANY) {
            own = &behind[last];
            *own = *own == TH__NO_ITEM || *own == item->column ? item->column : MANY;
        }
        last = item->column;
    }
    for (uint32_t c = 0; c < count; c++) {
        uint32_t label = before[c];
        if (label >= MANY || behind[label] != c || !is_constant_label(n, label, c) ||
            !set_item_text(n, &columns->items[columns->columns[label].sample]))
            continue;
        bool says_so = th__ends_with_colon(th__buf_str(&n->text));
        if (!tidy(n))
            continue;
        if (!says_so && columns->columns[label].filled == columns->record_count)
            continue;
        bool better = n->names[c].worth < TH__NAME_MEANS;
        n->names[label].is_label =
            better || says_so || th__str_eq(th__buf_str(&n->text), n->names[c].text);
        if (!better)
            continue;
        n->names[c].text = th__arena_copy(arena, th__buf_str(&n->text));
        n->names[c].worth = TH__NAME_SAID;
        if (!n->names[c].text.ptr)
            return false;
    }
    return true;
}

static bool keep_name(struct namer *n, th__arena *arena, th__name_worth worth, th__column_name *out)
{
    static const char *const kinds[] = {"text", "link", "image", "attribute"};
    const th__column *column = &n->columns->columns[out - n->names];
    out->worth = worth;
    out->text =
        worth ? th__arena_copy(arena, th__buf_str(&n->text)) : th_str_from(kinds[column->kind]);
    return !n->text.failed && out->text.ptr;
}

static bool find_names(th__arena *arena, const th__view *view, const th__extent *extents,
                       const th__columns *columns, const th__column_look *looks,
                       th__column_name **out)
{
    uint32_t count = columns->column_count;
    struct namer n = {.view = view, .extents = extents, .columns = columns, .looks = looks};
    n.names = *out = th__arena_zero(arena, count + 1, sizeof **out);
    n.last = th__arena_zero(arena, count + 1, sizeof *n.last);
    bool ok = n.names && n.last;
    for (uint32_t i = 0; ok && i < columns->item_count; i++)
        n.last[columns->items[i].column] = i;
    for (uint32_t c = 0; ok && c < count; c++)
        if (columns->columns[c].kind == TH__ITEM_TEXT)
            ok = keep_name(&n, arena, name_text(&n, c), &n.names[c]);
    ok = ok && name_by_constants(&n, arena);
    if (ok)
        name_title(&n, n.names);
    for (uint32_t c = 0; ok && c < count; c++)
        if (columns->columns[c].kind == TH__ITEM_LINK)
            ok = keep_name(&n, arena, name_link(&n, c, n.names), &n.names[c]);
        else if (columns->columns[c].kind == TH__ITEM_IMAGE)
            ok = keep_name(&n, arena, name_image(&n, c), &n.names[c]);
        else if (columns->columns[c].kind == TH__ITEM_ATTRIBUTE)
            ok = keep_name(&n, arena, name_attribute(&n, c), &n.names[c]);
    th__buf_release(&n.text);
    return ok;
}

/* The names given so far: how often each was asked for, so that the next is numbered at once. */
struct taken {
    th__intern names;
    TH__VEC(uint32_t) asked; /* by id */
};

/* How often a name was asked for before this time; UINT32_MAX if out of memory. */
static uint32_t ask_for(struct taken *taken, th_str name)
{
    uint32_t id = th__intern_add(&taken->names, name);
    if (id == TH__INTERN_NONE || (id == taken->asked.len && !th__vec_push(&taken->asked, 0)))
        return UINT32_MAX;
    return taken->asked.data[id]++;
}

/* Numbers a name when it is taken, or when it only says the kind. One link or image needs none. */
static bool take_name(struct taken *taken, th__arena *arena, th__buf *text, uint8_t kind,
                      th__column_name *name)
{
    text->len = 0;
    if (!th__buf_add_str(text, name->text))
        return false;
    size_t len = text->len;
    uint32_t asked = ask_for(taken, name->text);
    bool plain = name->worth || kind != TH__ITEM_TEXT;
    while (asked != UINT32_MAX && (asked > 0 || !plain)) {
        text->len = len;
        if (!th__buf_printf(text, "_%u", asked + 1))
            return false;
        /* A name with a number may be taken by one that had it from the page. */
        uint32_t again = ask_for(taken, th__buf_str(text));
        if (again == UINT32_MAX)
            return false;
        if (again == 0)
            break;
        asked++;
        plain = false;
    }
    name->text = th__arena_copy(arena, th__buf_str(text));
    return asked != UINT32_MAX && name->text.ptr;
}

static bool number_names(th__arena *arena, const th__columns *columns, const bool *left_out,
                         th__column_name *names)
{
    struct taken taken = {0};
    th__buf text = {0};
    bool ok = true;
    th__intern_init(&taken.names);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t c = 0; ok && c < columns->column_count; c++) {
            const th__column *column = &columns->columns[c];
            if ((left_out[c] || column->is_label) != pass)
                continue;
            if (column->is_label && columns->items[column->sample].whole)
                names[c].text = TH_STR("-"); /* words between parts are never shown */
            else
                ok = take_name(&taken, arena, &text, column->kind, &names[c]);
        }
    th__buf_release(&text);
    th__intern_release(&taken.names);
    th__vec_release(&taken.asked);
    return ok;
}

/* ==== which columns are worth showing ==== */

/* What the records have in a column. */
struct content {
    uint64_t row;     /* the hash of its items in the record at hand */
    uint64_t first;   /* of the first record that has it */
    uint64_t all;     /* of all records, with their numbers */
    uint32_t record;  /* at hand */
    uint32_t records; /* that have it, up to the one at hand */
    bool varied;
    /* The columns before and behind it that nearly all records have. */
    uint32_t before, behind;
    bool placed, astray; /* these are known; they are not always the same */
};

struct column_judge {
    const th__columns *columns;
    const th__column_look *looks;
    const th__column_name *names;
    struct content *contents;
    th__column_use *uses;
    uint64_t *bits; /* of merging: by column that may be merged, the records that have it */
    uint32_t words; /* of these, by column */
};

/* ---- what is in columns ---------------------------------------------------------------------- */

static void end_row(struct content *c)
{
    if (!c->records)
        return;
    c->all = th__hash_mix(c->all, th__hash_mix(c->row, c->record));
    if (c->records == 1)
        c->first = c->row;
    c->varied |= c->row != c->first;
}

static void read_rows(struct column_judge *j)
{
    const th__columns *columns = j->columns;
    for (uint32_t i = 0; i < columns->item_count; i++) {
        const th__item *item = &columns->items[i];
        struct content *c = &j->contents[item->column];
        if (!c->records || c->record != item->record) {
            end_row(c);
            c->records++;
            c->record = item->record;
            c->row = 0;
        }
        c->row = th__hash_mix(c->row, item->hash);
    }
    for (uint32_t c = 0; c < columns->column_count; c++)
        end_row(&j->contents[c]);
}

/* ---- one field, one column ------------------------------------------------------------------- */

/* Returns true if nearly all records have a column. */
static bool is_anchor(const struct column_judge *j, uint32_t c)
{
    return 10 * (uint64_t)j->columns->columns[c].filled >= 9 * (uint64_t)j->columns->record_count &&
           !j->columns->columns[c].list;
}

static bool may_merge(const struct column_judge *j, uint32_t c)
{
    const th__column *column = &j->columns->columns[c];
    const th__item *sample = &j->columns->items[column->sample];
    return !is_anchor(j, c) && !column->list && !column->is_label && !column->cut &&
           column->label == TH__NO_ITEM && !sample->heading && !sample->cell;
}

/* Notes between which anchors a column is. */
static void place_columns(struct column_judge *j)
{
    const th__columns *columns = j->columns;
    for (uint32_t r = 0; r < columns->record_count; r++) {
        uint32_t begin = columns->first[r], end = columns->first[r + 1], anchor = TH__NO_ITEM;
        for (uint32_t i = begin; i < end; i++) {
            uint32_t at = columns->items[i].column;
            struct content *c = &j->contents[at];
            c->astray |= c->placed && c->before != anchor;
            c->before = anchor;
            if (is_anchor(j, at))
                anchor = at;
        }
        anchor = TH__NO_ITEM;
        for (uint32_t i = end; i-- > begin;) {
            uint32_t at = columns->items[i].column;
            struct content *c = &j->contents[at];
            c->astray |= c->placed && c->behind != anchor;
            c->behind = anchor;
            c->placed = true;
            if (is_anchor(j, at))
                anchor = at;
        }
    }
}

static uint64_t *bits_of(const struct column_judge *j, uint32_t c)
{
    return &j->bits[(size_t)c * j->words];
}

/* Returns true if no record has both; then the first gets the records of the second as well. */
static bool join_bits(uint64_t *into, const uint64_t *from, uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        if (into[w] & from[w])
            return false;
    for (uint32_t w = 0; w < words; w++)
        into[w] |= from[w];
    return true;
}

/* Returns true if two columns are at the same place and have values of one kind. */
static bool are_alike(const struct column_judge *j, uint32_t a, uint32_t b)
{
    const struct content *x = &j->contents[a], *y = &j->contents[b];
    return x->before == y->before && x->behind == y->behind &&
           j->columns->columns[a].kind == j->columns->columns[b].kind &&
           j->looks[a].note == j->looks[b].note;
}

/* Tries to make one field of a column and those behind it. Texts and links of no special form must
 * fill nearly all records together: what two columns do not share may be chance. */
static void merge_from(struct column_judge *j, uint32_t first, const uint32_t *candidates,
                       uint32_t count)
{
    uint64_t *bits = bits_of(j, j->columns->column_count);
    uint32_t filled = j->columns->columns[first].filled, merged = 0;
    th_note note = j->looks[first].note;
    bool special = note == TH_NOTE_PRICE || note == TH_NOTE_DATE || note == TH_NOTE_TIME;
    memcpy(bits, bits_of(j, first), j->words * sizeof *bits);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t c = candidates[i];
        if (j->uses[c].into != TH__NO_ITEM || !are_alike(j, first, c) ||
            !join_bits(bits, bits_of(j, c), j->words))
            continue;
        j->uses[c].into = first;
        filled += j->columns->columns[c].filled;
        merged++;
    }
    bool enough =
        merged && (special || 20 * (uint64_t)filled >= 19 * (uint64_t)j->columns->record_count);
    for (uint32_t i = 0; i < count; i++) {
        struct content *from = &j->contents[candidates[i]], *to = &j->contents[first];
        if (j->uses[candidates[i]].into != first)
            continue;
        if (!enough) {
            j->uses[candidates[i]].into = TH__NO_ITEM;
            continue;
        }
        to->records += from->records;
        to->varied |= from->varied || from->first != to->first;
        to->all = th__hash_mix(to->all, from->all);
    }
}

/* Pairs of columns are compared, of those that may be merged: so many, the first. */
enum { MERGED_MOST = 96 };

static bool merge_columns(struct column_judge *j, th__arena *arena)
{
    const th__columns *columns = j->columns;
    uint32_t candidates[MERGED_MOST], count = 0;
    place_columns(j);
    for (uint32_t c = 0; c < columns->column_count && count < MERGED_MOST; c++)
        if (may_merge(j, c) && !j->contents[c].astray)
            candidates[count++] = c;
    if (count < 2)
        return true;
    j->words = columns->record_count / 64 + 1;
    j->bits =
        th__arena_zero(arena, ((size_t)columns->column_count + 1) * j->words, sizeof *j->bits);
    if (!j->bits)
        return false;
    for (uint32_t i = 0; i < columns->item_count; i++) {
        const th__item *item = &columns->items[i];
        bits_of(j, item->column)[item->record / 64] |= UINT64_C(1) << item->record % 64;
    }
    for (uint32_t i = 0; i + 1 < count; i++)
        if (j->uses[candidates[i]].into == TH__NO_ITEM)
            merge_from(j, candidates[i], &candidates[i + 1], count - i - 1);
    return true;
}

/* ---- constants, duplicates, and too many ----------------------------------------------------- */

static bool is_open(const struct column_judge *j, uint32_t c)
{
    return !j->columns->columns[c].is_label && j->uses[c].into == TH__NO_ITEM &&
           j->uses[c].fate == TH__COLUMN_SHOWN;
}

static void leave_constants(struct column_judge *j)
{
    for (uint32_t c = 0; c < j->columns->column_count; c++) {
        const struct content *in = &j->contents[c];
        j->uses[c].value = in->varied ? 0 : in->first;
        if (!is_open(j, c) || in->varied || in->records < 2 ||
            j->columns->items[j->columns->columns[c].sample].heading) /* speaks of the page */
            continue;
        /* What not all records have is a mark on those that do: "Sold out". */
        bool mark = in->records < j->columns->record_count &&
                    j->columns->columns[c].kind == TH__ITEM_TEXT && !j->names[c].is_label;
        j->uses[c].fate = mark ? TH__COLUMN_OTHER : TH__COLUMN_LEFT_OUT;
    }
}

/* Of columns with the same values the one with the best name stays, of these the first. */
static bool leave_duplicates(struct column_judge *j)
{
    th__key_map seen = {0};
    bool ok = true;
    for (uint32_t c = 0; ok && c < j->columns->column_count; c++) {
        if (!is_open(j, c))
            continue;
        uint32_t other = th__key_map_get(&seen, j->contents[c].all);
        bool better = other && j->names[c].worth > j->names[other - 1].worth;
        if (other)
            j->uses[better ? other - 1 : c].fate = TH__COLUMN_LEFT_OUT;
        if (!other || better)
            ok = th__key_map_put(&seen, j->contents[c].all, c + 1);
    }
    th__key_map_release(&seen);
    return ok;
}

static int by_records(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x > y ? -1 : x < y;
}

/* Leaves room for `other`. */
static bool leave_rare(struct column_judge *j, th__arena *arena)
{
    uint32_t count = j->columns->column_count, open = 0, room = TH__COLUMNS_SHOWN_MOST - 1;
    uint32_t *records = th__arena_alloc(arena, ((size_t)count + 1) * sizeof *records);
    if (!records)
        return false;
    for (uint32_t c = 0; c < count; c++)
        if (is_open(j, c))
            records[open++] = j->contents[c].records;
    if (open <= room)
        return true;
    qsort(records, open, sizeof *records, by_records);
    uint32_t least = records[room - 1], ties = 0;
    for (uint32_t i = 0; i < room; i++)
        ties += records[i] == least;
    for (uint32_t c = 0; c < count; c++) {
        uint32_t has = j->contents[c].records;
        if (!is_open(j, c) || has > least || (has == least && ties))
            ties -= is_open(j, c) && has == least;
        else
            j->uses[c].fate = j->columns->columns[c].kind == TH__ITEM_TEXT ? TH__COLUMN_OTHER
                                                                           : TH__COLUMN_LEFT_OUT;
    }
    return true;
}

static bool judge_columns(th__arena *arena, const th__columns *columns,
                          const th__column_look *looks, const th__column_name *names,
                          th__columns_wanted wanted, th__column_use **out)
{
    struct column_judge j = {.columns = columns, .looks = looks, .names = names};
    uint32_t count = columns->column_count;
    j.contents = th__arena_zero(arena, (size_t)count + 1, sizeof *j.contents);
    *out = j.uses = th__arena_zero(arena, (size_t)count + 1, sizeof *j.uses);
    if (!j.contents || !j.uses)
        return false;
    for (uint32_t c = 0; c < count; c++)
        j.uses[c].into = TH__NO_ITEM;
    read_rows(&j);
    bool judged = columns->record_count >= TH__COLUMNS_JUDGED_FROM;
    if (judged && !merge_columns(&j, arena))
        return false;
    if (judged && wanted == TH__COLUMNS_WORTHY) {
        leave_constants(&j);
        if (!leave_duplicates(&j))
            return false;
    }
    if (wanted != TH__COLUMNS_EVERY && !leave_rare(&j, arena))
        return false;
    /* Records that are all the same are shown as they are. */
    bool any = false;
    for (uint32_t c = 0; c < count; c++)
        any |= is_open(&j, c);
    for (uint32_t c = 0; c < count && !any; c++)
        j.uses[c].fate = TH__COLUMN_SHOWN;
    /* What goes with a column goes where it goes. */
    for (uint32_t c = 0; c < count; c++)
        if (j.uses[c].into != TH__NO_ITEM) {
            j.uses[c].fate = j.uses[j.uses[c].into].fate;
            j.uses[c].value = j.uses[j.uses[c].into].value;
        }
    return true;
}

/* ---- both --------------------------------------------------------------------------------------
 */

bool th__columns_name(th__arena *arena, const th__view *view, const th__extent *extents,
                      const th__columns *columns, const th__column_look *looks,
                      th__columns_wanted wanted, th__column_name **names, th__column_use **uses)
{
    bool *left_out = th__arena_zero(arena, columns->column_count + 1, sizeof *left_out);
    if (!left_out || !find_names(arena, view, extents, columns, looks, names) ||
        !judge_columns(arena, columns, looks, *names, wanted, uses))
        return false;
    for (uint32_t c = 0; c < columns->column_count; c++)
        left_out[c] = (*uses)[c].fate != TH__COLUMN_SHOWN || (*uses)[c].into != TH__NO_ITEM;
    return number_names(arena, columns, left_out, *names);
}
