/*
 * page_kind.h: are pages of one template lists of records, or one record each?
 *
 * Each is an explanation of the same pages. Both know the template: its paths, and the texts that
 * most pages have at the same place, which cost nothing more. What differs between the pages is
 * data, and it is told in bits: log2(1 + n) for a text of n letters. An explanation is as good as
 * the bits are few that it has no place for:
 *
 *     lists of records    has a place for what stands in the rows of the page's main list
 *     one record a page   has a place for what stands at a place of the page
 *
 * Rows that are told by a text that each page has once ("Publisher", "ISBN") are places of a page,
 * however much their markup looks like that of a list. Texts in other lists (facets, what others
 * bought) speak for neither. Rows that lead nowhere count for a quarter: they are mostly parts of
 * one thing, paragraphs and features, where records of a list lead to pages of their own. Rows of a
 * short list count for a third: pages mention a handful of others beside what they are about.
 *
 * With three pages of a site, 87 of 90 with lists and 38 of 40 with details are told right, and
 * with twelve of a site 39 of 40 (bench/kinds.py). What goes wrong are details with more links than
 * data, and lists with half of their data outside rows.
 */
#ifndef TH_PAGE_KIND_H
#define TH_PAGE_KIND_H

#include <thresh.h>

enum {
    TH__KIND_PAGES = 32, /* looked at; more would not tell more */
    TH__KIND_LISTS = 10, /* of a page */
    TH__KIND_ROWS = 5    /* a list with fewer is short */
};

/* A text that more than this share of the pages have at the same place is the template's. */
#define TH__KIND_TEMPLATE 0.5
/* The main list is the first of a page with so much data in it: one without is a menu. */
#define TH__KIND_DATA 0.1
/* A row with so much text that each page has once is a place of the page. */
#define TH__KIND_TIED 0.15
/* What rows of short lists count. */
#define TH__KIND_SHORT (1 / 3.0)
/* What rows count that lead nowhere. */
#define TH__KIND_UNLINKED 0.25
/* Lists are believed when they leave so much less unexplained: rows in a record lose nothing,
 * while a list loses what stands around it. The more pages of one template somebody has, the more
 * likely they are details, of which a site has many where it has few lists: beyond three pages the
 * margin grows with their number. */
#define TH__KIND_MARGIN 1.25
#define TH__KIND_FEW    3.0

#endif
