/*
 * utf8.h: UTF-8 as the standards define it: no overlong forms, no surrogates, nothing above
 * U+10FFFF.
 *
 * Bad bytes are handled as the Encoding Standard asks: the longest part of a sequence that could
 * still have become a character (its "maximal subpart") is one error and gives one U+FFFD.
 */
#ifndef TH_UTF8_H
#define TH_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TH__REPLACEMENT 0xFFFDu /* U+FFFD: what could not be decoded */

/* Decodes the sequence at `at`, which must be before `end`: its length, 1 to 4, and its code point.
 * For a bad sequence the length of its maximal subpart (1 to 3), the code point U+FFFD and, when
 * `bad` is not NULL, true in *bad. */
unsigned th__utf8_decode(const char *at, const char *end, uint32_t *code, bool *bad);

/* The same for text known to be valid. */
static inline unsigned th__utf8_next(const char *at, uint32_t *code)
{
    const unsigned char *s = (const unsigned char *)at;
    if (s[0] < 0x80) {
        *code = s[0];
        return 1;
    }
    if (s[0] < 0xE0) {
        *code = (uint32_t)(s[0] & 0x1F) << 6 | (s[1] & 0x3F);
        return 2;
    }
    if (s[0] < 0xF0) {
        *code = (uint32_t)(s[0] & 0x0F) << 12 | (uint32_t)(s[1] & 0x3F) << 6 | (s[2] & 0x3F);
        return 3;
    }
    *code = (uint32_t)(s[0] & 0x07) << 18 | (uint32_t)(s[1] & 0x3F) << 12 |
            (uint32_t)(s[2] & 0x3F) << 6 | (s[3] & 0x3F);
    return 4;
}

/* Writes the code point, U+FFFD in place of one that is invalid. Returns the length, 1 to 4. */
unsigned th__utf8_encode(uint32_t code, char out[4]);

/* How many bytes of a text, at most so many, are whole characters. */
static inline size_t th__utf8_cut(const char *text, size_t len, size_t most)
{
    if (len <= most)
        return len;
    while (most && ((unsigned char)text[most] & 0xC0) == 0x80)
        most--;
    return most;
}

/* How many bytes at the start of text are ASCII. */
size_t th__utf8_ascii(const char *text, size_t len);

/* How many bytes at the start of text are valid UTF-8: len when all are. */
size_t th__utf8_valid(const char *text, size_t len);

/* What is in a text that claims to be UTF-8. */
typedef struct th__utf8_survey {
    size_t good; /* characters of two bytes and more */
    size_t bad;  /* bad sequences, a last one that is merely cut off not counted */
    size_t len;  /* of the text once each bad sequence is U+FFFD, the cut one included */
} th__utf8_survey;

th__utf8_survey th__utf8_count(const char *text, size_t len);

/* Copies text with every bad sequence replaced; out has room for th__utf8_count().len bytes, and
 * that is what is returned. */
size_t th__utf8_sanitize(const char *text, size_t len, char *out);

#endif
