/*
 * signs.h: signs between values, before them and around them: "Ann | 1900 | Leeds".
 *
 * One table for all: what is a sign, how sources spell it, and what it may mean. A sign with blanks
 * around it separates values; a comma, semicolon or colon has one behind it alone. Whether a text
 * is cut at a sign is for an engine to find out: by whether its parts line up over many texts.
 */
#ifndef TH_SIGNS_H
#define TH_SIGNS_H

#include <thresh.h>

enum {
    TH__SIGN_OPENS = 1,   /* comes before a value: left out at the end of what is before it */
    TH__SIGN_CLOSES = 2,  /* comes behind one */
    TH__SIGN_TIES = 4,    /* without blanks it ties words together: "e-mail", "km/h" */
    TH__SIGN_TIGHT = 8,   /* right behind a value, with a blank behind it alone */
    TH__SIGN_PARTS = 16,  /* separates values */
    TH__SIGN_ITEMS = 32,  /* separates the items of a list: "red, blue" */
    TH__SIGN_BULLET = 64, /* before an item of a list, with a blank behind it */
    TH__SIGN_BLANK = 128, /* a blank, not a sign */
    TH__SIGN_WEAK = 256,  /* appears in sentences and rates as well: "$40 / piece" */
    TH__SIGN_BETWEEN = TH__SIGN_OPENS | TH__SIGN_CLOSES
};

typedef struct th__sign {
    uint32_t code;
    unsigned flags;
    th_str text; /* a spelling in sources: characters and references */
} th__sign;

/* The spellings, the usual ones first, each of a sign with PARTS, ITEMS or BULLET. */
extern const th__sign th__signs[];
extern const size_t th__sign_count;

/* The character at a place of a source, a reference decoded; returns its bytes there. */
size_t th__char_next(th_str text, size_t at, uint32_t *code);
/* The flags of a character; 0: it is part of a word. */
unsigned th__sign_kind(uint32_t code);
/* Returns true if a sign is common inside of values, too: dashes, slashes, commas. */
static inline bool th__sign_is_common(const th__sign *sign)
{
    return sign->flags & (TH__SIGN_TIES | TH__SIGN_TIGHT);
}
/* In texts without references. The bytes of a sign with one of the flags that begins a text,
 * together with the blanks that it needs; 0: none does. A bullet has no blank before it. */
size_t th__sign_length(th_str text, unsigned flags);
/* A text without blanks and signs at its ends; a minus before a digit stays. */
th_str th__sign_trim(th_str text);
/* Returns true if a byte is a sign that separates items. */
bool th__sign_is_item(char byte);

#endif
