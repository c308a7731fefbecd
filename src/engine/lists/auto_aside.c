/* auto_aside.c: which parts of a page call themselves navigation, footer, filter, ..., or hide. */
#include "engine/lists/auto_aside.h"

#include <stddef.h>

#include "base/str.h"
#include "page/tags.h"

/*
 * Words by which sites of all kinds name what is not the main list. They are words of the trade,
 * not of a site; a class or id is cut into words at anything but letters and at capitals.
 */
static const char *const aside_words[] = {
    "ad",          "ads",       "advert",          "advertisement", "autocomplete", "breadcrumb",
    "breadcrumbs", "carousel",  "country",         "dropdown",      "facet",        "facets",
    "filter",      "filters",   "flyout",          "footer",        "header",       "lang",
    "language",    "languages", "login",           "masthead",      "megamenu",     "menu",
    "modal",       "nav",       "navbar",          "navigation",    "pager",        "pagination",
    "popup",       "promo",     "recommendations", "recommended",   "refine",       "refinements",
    "related",     "share",     "sidebar",         "social",        "sponsored",    "submenu",
    "suggestions", "toolbar",   "tooltip",         "topnav",
};

static int compare_word(const char *word, size_t len, const char *entry)
{
    for (size_t i = 0; i < len; i++) {
        int diff = th__lower((unsigned char)word[i]) - (unsigned char)entry[i];
        if (diff || !entry[i])
            return diff;
    }
    return -(unsigned char)entry[len];
}

static bool is_aside_word(const char *word, size_t len)
{
    size_t low = 0, high = sizeof aside_words / sizeof *aside_words;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int diff = compare_word(word, len, aside_words[middle]);
        if (!diff)
            return true;
        if (diff < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

/* Whether one of the first names is made of such a word; those behind them tell of states. */
static bool has_aside_word(th_str names)
{
    enum { NAMES = 4 };
    size_t start = 0, blanks = 0;
    names = th__str_trim(names);
    for (size_t i = 0; i <= names.len && blanks < NAMES; i++) {
        unsigned char c = i < names.len ? (unsigned char)names.ptr[i] : ' ';
        blanks += c == ' ';
        bool letter = th__is_alpha(c);
        bool capital = letter && c < 'a' && i && (unsigned char)names.ptr[i - 1] >= 'a' &&
                       th__is_alpha((unsigned char)names.ptr[i - 1]);
        if (letter && !capital)
            continue;
        if (i > start && is_aside_word(names.ptr + start, i - start))
            return true;
        start = letter ? i : i + 1;
    }
    return false;
}

/* What an element says of itself. */
struct words {
    th_str classes, id, style;
    bool hidden;
};

static void read_words(const th_page *page, uint32_t token, struct words *out)
{
    static const struct {
        const char *name;
        size_t offset;
    } wanted[] = {{"class", offsetof(struct words, classes)},
                  {"id", offsetof(struct words, id)},
                  {"style", offsetof(struct words, style)}};
    th_attr attr;
    *out = (struct words){0};
    if (!(page->tokens[token].flags & TH_TOKEN_HAS_ATTRS))
        return;
    for (th_attr_iter it = th_attrs(page, token); th_attr_next(&it, &attr);) {
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            if (th__str_eq_nocase(attr.name, th_str_from(wanted[i].name)))
                *(th_str *)((char *)out + wanted[i].offset) = attr.value;
        out->hidden |= th__str_eq_nocase(attr.name, TH_STR("hidden"));
    }
}

/* Whether a style says that an element is not shown. */
static bool is_hidden(th_str style)
{
    const th_str display = TH_STR("display");
    for (size_t at = 0; at + display.len < style.len; at++) {
        th_str rest = {style.ptr + at, style.len - at};
        if (!th__str_starts_nocase(rest, display))
            continue;
        rest = th__str_trim((th_str){rest.ptr + display.len, rest.len - display.len});
        if (rest.len && rest.ptr[0] == ':')
            return th__str_starts_nocase(th__str_trim((th_str){rest.ptr + 1, rest.len - 1}),
                                         TH_STR("none"));
    }
    return false;
}

static bool is_aside(const th_page *page, uint32_t node)
{
    struct words words;
    switch (page->tags[node]) {
    case TH_TAG_HTML:
    case TH_TAG_BODY:
        return false; /* their classes speak of the whole page */
    case TH_TAG_NAV:
    case TH_TAG_FOOTER:
    case TH_TAG_HEADER:
    case TH_TAG_ASIDE:
    case TH_TAG_SELECT:
        return true;
    default:
        read_words(page, page->nodes[node].token, &words);
        return words.hidden || has_aside_word(words.classes) || has_aside_word(words.id) ||
               is_hidden(words.style);
    }
}

/* Whether an element has nearly all of the page's texts: whatever it calls itself, it is not aside.
 */
static bool is_nearly_all(const th__view *view, uint32_t node)
{
    const th_node *n = &view->page->nodes[node];
    uint64_t leaves = view->leaves.before[n->token_end] - view->leaves.before[n->token];
    return 10 * leaves > 9 * (uint64_t)view->leaves.count;
}

bool *th__auto_aside_find(th__arena *arena, const th__view *view)
{
    const th_page *page = view->page;
    bool *aside = th__arena_zero(arena, page->node_count, sizeof *aside);
    for (uint32_t n = 1; aside && n < page->node_count; n++)
        aside[n] = aside[page->nodes[n].parent] || (!is_nearly_all(view, n) && is_aside(page, n));
    return aside;
}
