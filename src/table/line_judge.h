/*
 * line_judge.h: whether texts are lines of values, and which of their parts are words.
 *
 * A column is cut when its texts are a line of fields rather than a sentence. With the parts of all
 * texts aligned,
 *
 *  1. there are two fields or more, one of them an element, and not all the same: a row of equal
 *     links ("Mary, Percy") is one value. A field is a part that most texts have, and neither a
 *     label nor words that go with another part;
 *  2. four in five texts have two of them, or one with a label: the fifth has lost a field or won
 *     one;
 *  3. what stands between elements is in step: texts that come here and there are prose;
 *  4. no element is a word of a sentence. It is one with text that differs on both sides, when that
 *     is long or the element is bold; and with such text on one side, when it says the same again
 *     and again, a highlight, or when the two are all there is ("Oak table");
 *  5. parts are not glued together: "$5" with a small "99" behind it is one price.
 *
 * Words between values that are the same nearly everywhere ("by", "reviews") are no field. They go
 * with the value that they stand with, "by Ines Vale": what a page shows is not lost. Signs are.
 */
#ifndef TH_LINE_JUDGE_H
#define TH_LINE_JUDGE_H

#include "table/columns.h"
#include "table/parts.h"

/* What is known of a column of parts. */
typedef struct th__part_column {
    bool major;      /* most texts have it */
    bool words;      /* no values: they go with another part */
    uint32_t count;  /* of words in all its texts */
    uint32_t any;    /* texts with a digit in them */
    uint32_t soon;   /* texts with a digit near their beginning: numbers, prices, dates */
    uint32_t next;   /* texts that stand with what follows */
    uint32_t own;    /* texts with signs on either side, or the end of the line */
    uint32_t edges;  /* texts at the beginning or end of their line */
    uint32_t colons; /* texts that end with a colon: labels, whatever they label */
    uint32_t units;  /* texts right behind a number */
    uint64_t led;    /* hash of the words before its first text that go with it, or 0 */
} th__part_column;

/* The texts of a column, cut and aligned. */
typedef struct th__line {
    const th__view *view;
    th__columns *parts;  /* a record is a text */
    th__part_column *of; /* by column */
    uint32_t fields;     /* of the columns */
} th__line;

/* Looks at the parts; what is found lives in the arena. False without memory. */
bool th__line_describe(th__arena *arena, const th__view *view, th__columns *parts, th__line *line);
/* Whether the texts are to be cut. */
bool th__line_has_fields(const th__line *line);
/* Lets words go with values, and makes labels of names. */
void th__line_join(th__line *line);

#endif
