/*
 * data_page.h: the data that a page carries beside its text, as a page of its own.
 *
 * Pages say what they show once more for programs, or draw it from data when they are opened:
 *
 *     <script type="application/ld+json">{"@type": "ItemList", "itemListElement": [...]}</script>
 *     <script id="__NEXT_DATA__" type="application/json">{"props": {...}}</script>
 *     <script>window.__STATE__ = {"items": [...]};</script>
 *     <div itemscope itemtype="https://schema.org/Product"><meta itemprop="price" content="9.50">
 *
 * The data page has a section for each of these, named after the script or variable, in which
 * objects and arrays are elements as json_page.h writes them, so that whatever finds lists, learns
 * or extracts works on it as on any page. Each of its values knows where it is on the page.
 */
#ifndef TH_DATA_PAGE_H
#define TH_DATA_PAGE_H

#include "page/page.h"

static inline bool th__page_is_data(const th_page *page)
{
    return page->points != NULL;
}

/* The data page of a page; *out is NULL if it carries no data. One that does not cost a look at its
 * scripts. Caller frees. */
th_status th__data_page_make(const th_page *page, th_page **out, th_error *err);
/* The same, with a data page without text where there is no data. Of a data page: itself, once
 * more. */
th_status th__data_page_of(const th_page *page, th_page **out, th_error *err);

/* Where a span of a data page comes from, on the page that it was made of. */
th_span th__data_span(const th_page *data, th_span span);

#endif
