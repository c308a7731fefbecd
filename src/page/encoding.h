/* encoding.h: the encodings of the Encoding Standard, their labels, and conversion to UTF-8. */
#ifndef TH_ENCODING_H
#define TH_ENCODING_H

#include "base/arena.h"
#include "base/str.h"

typedef enum th__encoding_kind {
    TH__ENC_UTF8,
    TH__ENC_UTF16,       /* both byte orders */
    TH__ENC_SINGLE,      /* one byte a character */
    TH__ENC_MULTI,       /* lead bytes, trail bytes */
    TH__ENC_REPLACEMENT, /* what the standard refuses to decode */
} th__encoding_kind;

typedef struct th__encoding {
    const char *name;  /* lower case */
    const char *iconv; /* what glibc calls it; NULL when we convert it ourselves */
    uint8_t kind;
    const char *labels; /* separated by blanks */
} th__encoding;

/* No page may be longer: offsets are 32 bits wide, and a little room is left above. */
#define TH__MAX_TEXT (UINT32_MAX - 15u)

/* The encoding behind a label such as "Latin1" (blanks around it and case do not count), or NULL.
 */
const th__encoding *th__encoding_find(th_str label);

/*
 * Converts bytes to UTF-8 in the arena. Nothing is an error but memory and length: bytes that mean
 * nothing become U+FFFD and are counted in *bad. *known is false, and nothing done, when this
 * system's iconv lacks the encoding.
 */
th_status th__encoding_convert(const th__encoding *encoding, th_str bytes, th__arena *arena,
                               th_str *text, size_t *bad, bool *known, th_error *err);

#endif
