/*
 * exalg_tokens.h: a page as a string of tokens: words and tags, each with its occurrence path.
 *
 * A word is what stands between blanks; a tag counts by its name alone. Scripts, styles and
 * comments are no part of the string. The key of a token is the same on all pages for the same
 * token at the same occurrence path (observation 4.4), so DIFFFORM is done when the string has been
 * read.
 */
#ifndef TH_EXALG_TOKENS_H
#define TH_EXALG_TOKENS_H

#include "base/str.h"
#include "base/vec.h"
#include "page/page.h"

typedef enum th__exalg_kind {
    TH__EXALG_WORD,
    TH__EXALG_START,
    TH__EXALG_END,
    TH__EXALG_DUMMY /* one before and one behind each page: they make sure of the root class */
} th__exalg_kind;

typedef struct th__exalg_token {
    uint64_t key;
    uint32_t start, end; /* bytes of the page */
    uint32_t node;       /* the element of its occurrence path */
    uint8_t kind;        /* th__exalg_kind */
} th__exalg_token;

typedef struct th__exalg_string {
    const th_page *page;
    TH__VEC(th__exalg_token) tokens;
} th__exalg_string;

/* Reads the string of a page, dummies included; `paths` is false for plain tokens, without
 * DIFFFORM. The page must outlive it. False without memory; release it in any case. */
bool th__exalg_string_read(const th_page *page, bool paths, th__exalg_string *out);
void th__exalg_string_release(th__exalg_string *string);

/* The key of a token from what is written down of it: its source ("<b>", "</b>", "Name") and its
 * path ("html body b"); an absent path is for tokens without one. */
uint64_t th__exalg_token_key(th_str token, th_str path);
/* Whether a text can be written as one token. */
bool th__exalg_token_valid(th_str token);
/* Appends a token as it is written down, and its path. */
void th__exalg_token_write(const th__exalg_string *string, uint32_t token, th__buf *out);
void th__exalg_path_write(const th__exalg_string *string, uint32_t token, th__buf *out);

#endif
