/*
 * json_page.h: a page that is JSON, as HTML.
 *
 * Sites whose lists are filled in by scripts give the records as JSON, with a little HTML in the
 * strings. Such a page is read as the page that a script would make of it:
 *
 *     [["May 2", "<a href='/7'>Roe</a>"], ...]    table: a row for each array, a cell for each
 * value
 *     [{"day": "May 2", "name": "Roe"}, ...]      ul: an li for each value; in it a div for each
 *                                                 member, whose class is its key
 *     "https://example.org/7"                     a link
 *     "<b>Roe</b>"                                as it is; other strings are text
 */
#ifndef TH_JSON_PAGE_H
#define TH_JSON_PAGE_H

#include "base/str.h"
#include "base/vec.h"

/* Returns true if a text may be a document of JSON: an array or object from end to end. Looks at
 * both ends only. */
bool th__json_page_may_be(th_str text);
/* Writes a document of JSON as HTML. False when it is none, is nested too deeply, or without memory
 * (then out->failed is set). */
bool th__json_page_write(th_str text, th__buf *out);

/* Where HTML that was made of something else comes from: its byte `at` is byte `from` of the page.
 */
typedef struct th__source_point {
    uint32_t at, from;
} th__source_point;

typedef TH__VEC(th__source_point) th__source_points;

/* What th__json_value_write needs, and what it says. */
typedef struct th__json_value {
    th_str text;   /* the value and whatever follows it */
    uint32_t from; /* where that is on its page */
    size_t used;   /* set: bytes of the value */
} th__json_value;

/* Writes the value that a text begins with, for data_page.h: a member's element has its key as a
 * class and all keys that lead to it in its record as itemprop; a string that is an address is the
 * href of an empty link, or the src of an image; others are text, whatever is in them. False when
 * it is not a strict value, is nested too deeply, or without memory (then out->failed is set):
 * what was written has to be taken back. */
bool th__json_value_write(th__json_value *value, th__buf *out, th__source_points *points);

#endif
