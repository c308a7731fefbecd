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

/* Returns true if a text may be a document of JSON: an array or object from end to end. Looks at
 * both ends only. */
bool th__json_page_may_be(th_str text);
/* Writes a document of JSON as HTML. False when it is none, is nested too deeply, or without memory
 * (then out->failed is set). */
bool th__json_page_write(th_str text, th__buf *out);

#endif
