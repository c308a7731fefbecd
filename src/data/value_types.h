/*
 * value_types.h: texts read as numbers, prices and dates, and what kind of value a text looks like.
 *
 * One text is often not enough: 1.234 is a thousand and more in one country and a little over one
 * in another, 3/4/2016 is in March or April. So a style is learnt from all values of a column
 * before any is read. What stays ambiguous is not read: a wrong value is worse than none. Dates
 * that depend on today ("yesterday", "3 days ago") are not read either.
 */
#ifndef TH_VALUE_TYPES_H
#define TH_VALUE_TYPES_H

#include <thresh.h>

#include "base/key_map.h"
#include "base/str.h"
#include "base/vec.h"

/* How the values of a column write numbers and dates. */
typedef struct th__value_style {
    uint32_t points, commas; /* numbers that certainly have this decimal sign */
    uint32_t whole;          /* short numbers without a sign: the column has no decimals of three */
    uint32_t day_first, month_first; /* dates that certainly have this order */
} th__value_style;

void th__value_style_learn(th__value_style *style, th_str text);

/* Reads a number, with or without a currency, as JSON writes one. `currency` is a code of ISO 4217
 * or, when the sign has several, the sign; absent when there is none; static, or a part of the
 * text. False if the text is not one number, or an ambiguous one; then out is unchanged. `out`
 * may be NULL. */
bool th__number_read(const th__value_style *style, th_str text, th__buf *out, th_str *currency);

typedef enum th__date_reading {
    TH__DATE_NONE,
    TH__DATE_AMBIGUOUS, /* a date whose day and month are ambiguous */
    TH__DATE_READ
} th__date_reading;

/* Reads a date as ISO 8601: 2016-03-17, with a time 2016-03-17T17:30, without a day 2016-03.
 * `style` and `out` may be NULL: only to test if a text is a date. */
th__date_reading th__date_read(const th__value_style *style, th_str text, th__buf *out);

/* ---- notes: what kind of value a text looks like. A hint that never alters the value. -------- */

/* The note of one text: TH_NOTE_TEXT unless the whole text has the form of something else. */
th_note th__note_of(th_str text);
/* The same where a short link of a page may be: "/item/3", "../next.html". */
th_note th__link_note_of(th_str text);

/* Returns true for words that change with time: names of months and weekdays, "ago", "hours". */
bool th__is_time_word(th_str word);

#endif
