/* column_names.c: what a column is called. */
#include "table/column_names.h"

#include <string.h>

#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"
#include "page/data_page.h"
#include "page/tags.h"
#include "page/text.h"
#include "index/tables.h"

enum { LONGEST = 40 };

struct namer {
    const th__view *view;
    const th__extent *extents;
    const th__columns *columns;
    th__buf text; /* a name in the making */
};

bool th__name_tidy(th__buf *name)
{
    if (!th__buf_reserve(name, name->len + 1)) /* a capital may need one byte more than it has */
        return false;
    char *data = name->data;
    size_t len = 0;
    for (size_t i = 0; i < name->len; i++) {
        unsigned char c = (unsigned char)data[i];
        if (th__is_alpha(c) || th__is_digit(c) || c >= 0x80) {
            bool capital =
                c >= 'A' && c <= 'Z' && i && len && data[len - 1] >= 'a' && data[len - 1] <= 'z';
            if (capital && len < i)
                data[len++] = '_';
            data[len++] = (char)th__lower(c);
        } else if (len && data[len - 1] != '_') {
            data[len++] = '_';
        }
    }
    while (len && data[len - 1] == '_')
        len--;
    name->len = len;
    return len >= 2 && len <= LONGEST && !th__is_digit((unsigned char)data[0]);
}

static bool set_name(th__buf *name, th_str text)
{
    name->len = 0;
    return th__buf_add_str(name, text);
}

static bool tidy(struct namer *n)
{
    return th__name_tidy(&n->text);
}

static bool set_text(struct namer *n, th_str text)
{
    return set_name(&n->text, text);
}

/* A class that a person wrote to say what the thing is: letters, vowels among them. */
static bool is_telling(th_str word)
{
    static const char *const vague[] = {
        "row",     "col",    "column",  "item",   "clearfix", "inner", "wrapper", "container",
        "content", "left",   "right",   "first",  "last",     "block", "text",    "small",
        "bold",    "hidden", "visible", "active", "media",    "flex",  "grid",    "box",
        "field",   "value",  "data",    "info",   "item"};
    bool vowel = false;
    if (word.len < 3 || word.len > 24)
        return false;
    for (size_t i = 0; i < word.len; i++) {
        unsigned char c = th__lower((unsigned char)word.ptr[i]);
        if (!th__is_alpha(c) && c != '-' && c != '_')
            return false;
        vowel |= c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y';
    }
    for (size_t i = 0; i < sizeof vague / sizeof *vague; i++)
        if (th__str_eq_nocase(word, th_str_from(vague[i])))
            return false;
    return vowel;
}

/* The part of a class behind the block it belongs to: "card__price" and "result-price" are prices.
 */
static th_str last_part(th_str word)
{
    for (size_t i = word.len; i > 0; i--)
        if (word.ptr[i - 1] == '-' || word.ptr[i - 1] == '_') {
            th_str part = {word.ptr + i, word.len - i};
            return is_telling(part) ? part : word;
        }
    return word;
}

bool th__name_of_class(th_str classes, th__buf *name)
{
    for (size_t i = 0; i < classes.len;) {
        size_t end = i;
        while (end < classes.len && !th__is_blank((unsigned char)classes.ptr[end]))
            end++;
        th_str word = {classes.ptr + i, end - i};
        if (is_telling(word))
            return set_name(name, last_part(word)) && th__name_tidy(name);
        i = end + 1;
    }
    return false;
}

static bool name_by_class(struct namer *n, uint32_t token)
{
    th_str classes;
    return th_attr_get(n->view->page, token, "class", &classes) &&
           th__name_of_class(classes, &n->text);
}

static bool name_by_tag(struct namer *n, uint16_t tag)
{
    if (th__tag_flags(tag) & TH_TAG_IS_HEADING)
        return set_text(n, TH_STR("title"));
    if (tag == TH_TAG_TIME)
        return set_text(n, TH_STR("date"));
    return false;
}

static bool name_by_itemprop(struct namer *n, uint32_t token)
{
    th_str value;
    return th_attr_get(n->view->page, token, "itemprop", &value) && set_text(n, value) && tidy(n);
}

/* The header above a cell. */
static bool name_by_header(struct namer *n, const th__item *item)
{
    const th__table_cell *cell = item->cell ? th__table_cell_of(n->view, item->cell) : NULL;
    n->text.len = 0;
    return cell && item->kind == TH__ITEM_TEXT && th__table_header_write(n->view, cell, &n->text) &&
           tidy(n);
}

static bool name_by_label(struct namer *n, const th__column *column)
{
    if (column->label == TH__NO_ITEM)
        return false;
    const th__item *label = &n->columns->items[column->label];
    n->text.len = 0;
    return th__span_text(n->view->page, label->span, &n->text) && tidy(n);
}

/* Asks the element of an item and those above it inside the record, `most` of them. */
static bool name_by_elements(struct namer *n, const th__item *item, int most)
{
    const th_page *page = n->view->page;
    const th__extent *record = &n->extents[item->extent];
    uint32_t node = item->node;
    for (int up = 0; up < most && node > record->first; up++, node = page->nodes[node].parent)
        if (name_by_itemprop(n, page->nodes[node].token) || name_by_tag(n, page->tags[node]) ||
            name_by_class(n, page->nodes[node].token))
            return true;
    return false;
}

static bool name_by_element(struct namer *n, const th__item *item)
{
    enum { CLOSE = 3 }; /* what is further up speaks of more than this value */
    return name_by_elements(n, item, CLOSE);
}

/* The elements above a part speak of all parts; a word before it speaks of it. */
static bool name_by_hint(struct namer *n, const th__column *column, const th__item *sample)
{
    return column->hint &&
           ((!sample->between && name_by_elements(n, sample, 1)) || name_by_label(n, column));
}

/* The property that an attribute is the value of, or its own name: data-price is the price. */
static bool name_by_attribute(struct namer *n, const th__item *item)
{
    th_str name = th__attribute_at(n->view->page, item->span).name;
    if (name_by_itemprop(n, n->view->page->nodes[item->node].token))
        return true;
    if (th__str_starts_nocase(name, TH_STR("data-")))
        name = (th_str){name.ptr + 5, name.len - 5};
    return set_text(n, name) && tidy(n);
}

/* On a data page: the keys that lead to the item. */
static bool name_by_key(struct namer *n, const th__item *item)
{
    const th_page *page = n->view->page;
    const th__extent *record = &n->extents[item->extent];
    for (uint32_t node = item->node; node > record->first; node = page->nodes[node].parent)
        if (name_by_itemprop(n, page->nodes[node].token))
            return true;
    return false;
}

static bool find_name(struct namer *n, const th__column *column)
{
    const th__item *sample = &n->columns->items[column->sample];
    if (sample->heading)
        return set_text(n, TH_STR("heading"));
    if (th__page_is_data(n->view->page) && name_by_key(n, sample))
        return true;
    if (column->kind == TH__ITEM_ATTRIBUTE)
        return name_by_attribute(n, sample);
    if (column->kind == TH__ITEM_IMAGE)
        return set_text(n, TH_STR("image"));
    if (column->kind == TH__ITEM_LINK)
        return name_by_element(n, sample) ? th__buf_add_str(&n->text, TH_STR("_url"))
                                          : set_text(n, TH_STR("link"));
    return (!column->hint && name_by_label(n, column)) || name_by_hint(n, column, sample) ||
           name_by_header(n, sample) || name_by_element(n, sample);
}

/* The names given so far: how often each was asked for, so that the next is numbered at once. */
struct taken {
    th__intern names;
    TH__VEC(uint32_t) asked; /* by id */
};

/* How often a name was asked for before this time; UINT32_MAX without memory. */
static uint32_t ask_for(struct taken *taken, th_str name)
{
    uint32_t id = th__intern_add(&taken->names, name);
    if (id == TH__INTERN_NONE || (id == taken->asked.len && !th__vec_push(&taken->asked, 0)))
        return UINT32_MAX;
    return taken->asked.data[id]++;
}

/* Copies the name in the making: with a number when it is taken, or when it only tells the kind. */
static bool take_name(struct namer *n, th__arena *arena, struct taken *taken,
                      const th__column *column, bool found, th_str *out)
{
    static const char *const kinds[] = {"text", "link", "image", "attribute"};
    if (!found && !set_text(n, th_str_from(kinds[column->kind])))
        return false;
    size_t len = n->text.len;
    uint32_t asked = ask_for(taken, th__buf_str(&n->text));
    bool plain = found;
    while (asked != UINT32_MAX && (asked > 0 || !plain)) {
        n->text.len = len;
        if (!th__buf_printf(&n->text, "_%u", asked + 1))
            return false;
        /* A name with a number may be taken by one that had it from the page. */
        uint32_t again = ask_for(taken, th__buf_str(&n->text));
        if (again == UINT32_MAX)
            return false;
        if (again == 0)
            break;
        asked++;
        plain = false;
    }
    *out = th__arena_copy(arena, th__buf_str(&n->text));
    return asked != UINT32_MAX && out->ptr;
}

bool th__column_names_find(th__arena *arena, const th__view *view, const th__extent *extents,
                           const th__columns *columns, th_str **names)
{
    struct namer n = {.view = view, .extents = extents, .columns = columns};
    struct taken taken = {0};
    th__intern_init(&taken.names);
    *names = th__arena_alloc(arena, (columns->column_count + 1) * sizeof **names);
    bool ok = *names;
    for (uint32_t c = 0; ok && c < columns->column_count; c++) {
        const th__column *column = &columns->columns[c];
        if (column->is_label && columns->items[column->sample].whole) {
            (*names)[c] = TH_STR("-"); /* words between parts are never shown */
            continue;
        }
        bool found = find_name(&n, column);
        ok = !n.text.failed &&
             take_name(&n, arena, &taken, &columns->columns[c], found, &(*names)[c]);
    }
    th__buf_release(&n.text);
    th__intern_release(&taken.names);
    th__vec_release(&taken.asked);
    return ok;
}
