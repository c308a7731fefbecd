/*
 * cases.h: tests written as text.
 *
 * A file of cases is a list of
 *
 *     === title | option=value ...
 *     source
 *     ---
 *     what is expected
 *
 * In the source \xHH stands for a byte, so that NUL and trailing blanks can be written; the newline
 * before "---" does not belong to it. Blank lines and lines that begin with "#" before the first
 * case and after what is expected are passed over.
 */
#ifndef TH_CASES_H
#define TH_CASES_H

#include <thresh.h>

#include "base/str.h"

struct page_case {
    th_str title;
    th_str options; /* "state=rcdata last=title", or empty */
    th_str
        source; /* escapes read; in a block of its own size, so that reading past it is noticed */
};

/* Appends what the code under test makes of the case. */
typedef void (*case_render)(const struct page_case *test, th__buf *out);

/* The value of an option, or absent. */
th_str case_option(const struct page_case *test, const char *name);

/* Appends text as it is written in expectations: with \xHH for what cannot be seen; and quoted. */
void case_escape(th__buf *out, th_str text);
void case_quote(th__buf *out, th_str text);

/* Runs the cases of a file and prints those that differ; with `update` writes what came out into
 * the file instead. Gives the number of cases that differ, and adds their number to *count. */
size_t cases_run(const char *path, case_render render, bool update, size_t *count);

#endif
