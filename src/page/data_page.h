/*
 * data_page.h: data as HTML: a page that is JSON, and the data that a page carries beside its text.
 *
 * Sites whose lists are filled in by scripts give the records as JSON, with a little HTML in the
 * strings. Such a page is read as the page that a script would make of it:
 *
 *     [["May 2", "<a href='/7'>Roe</a>"], ...]    table: a row for each array, a cell for each
 *                                                 value
 *     [{"day": "May 2", "name": "Roe"}, ...]      ul: an li for each value; in it a div for each
 *                                                 member, whose class is its key
 *     "https://example.org/7"                     a link
 *     "<b>Roe</b>"                                as it is; other strings are text
 *
 * Pages say what they show once more for programs, or draw it from data when they are opened:
 *
 *     <script type="application/ld+json">{"@type": "ItemList", "itemListElement": [...]}</script>
 *     <script id="__NEXT_DATA__" type="application/json">{"props": {...}}</script>
 *     <script>window.__STATE__ = {"items": [...]};</script>
 *     <div itemscope itemtype="https://schema.org/Product"><meta itemprop="price" content="9.50">
 *
 * The data page has a section for each of these, named after the script or variable, in which
 * objects and arrays are elements as above, so that whatever finds lists, learns or extracts works
 * on it as on any page. A member has all keys that lead to it in its record as its itemprop; a
 * string that is an address is the href of an empty link, or the src of an image; others are text.
 * Each value knows where it is on the page.
 */
#ifndef TH_DATA_PAGE_H
#define TH_DATA_PAGE_H

#include <string.h>

#include "base/key_map.h"
#include "base/str.h"
#include "base/vec.h"
#include "page/page.h"

/* Where HTML that was made of something else comes from: its byte `at` is byte `from` of the page.
 */
typedef struct th__source_point {
    uint32_t at, from;
} th__source_point;

typedef TH__VEC(th__source_point) th__source_points;

/* Writes a document of JSON as HTML. False if it is not one, nests too deeply, or out of memory
 * (then out->failed is set). */
bool th__json_page_write(th_str text, th__buf *out);

static inline bool th__page_is_data(const th_page *page)
{
    return page->points != NULL;
}

enum { TH__TEXT_END = 8 }; /* bytes that the end of a text has */

/* What the end of a text hashes to: a link of a script ends like the absolute one. */
static inline uint64_t th__text_end(th_str text)
{
    uint64_t word = 0;
    size_t len = text.len < TH__TEXT_END ? text.len : TH__TEXT_END;
    if (len)
        memcpy(&word, text.ptr + text.len - len, len);
    return th__hash_mix(word, len);
}

/* How much of a list scripts must hold to be of interest: of the values of one kind `values`, of
 * which `known` end like a text of the list; or, if not, more text than the page shows. The list
 * and the page are looked at when scripts hold something: half of all pages have nothing there. */
typedef struct th__data_least {
    size_t values, known;
    /* Returns true if so many bytes of text are more than the page shows. */
    bool (*is_more)(const void *list, size_t bytes);
    /* th__text_end of the texts of the list; NULL if out of memory. */
    const th__key_map *(*ends)(void *list);
    void *list;
} th__data_least;

/* The data page of a page; *out is NULL if it carries no data, or if its scripts hold less than
 * `least` (may be NULL). A page without data costs a look at its scripts. Caller frees. */
th_status th__data_page_make(const th_page *page, const th__data_least *least, th_page **out,
                             th_error *err);
/* The same, with a data page without text where there is no data. Of a data page: itself, once
 * more. */
th_status th__data_page_of(const th_page *page, th_page **out, th_error *err);

/* Where a span of a data page comes from, on the page that it was made of. */
th_span th__data_span(const th_page *data, th_span span);

#endif
