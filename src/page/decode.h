/*
 * decode.h: bytes of unknown encoding become UTF-8.
 *
 * Who is asked, in this order; the first answer that the bytes do not contradict is taken:
 *
 *     what                                                            reason
 *     a byte order mark                                               "bom"
 *     the charset of the HTTP header                                  "http"
 *     the standard's prescan of the first 1,024 bytes                 "meta"
 *     the bytes themselves: all of them valid UTF-8                   "valid utf-8"
 *     the same prescan of the first 64 KiB                            "meta"
 *     uchardet, on a sample                                           "guess"
 *     nobody: windows-1252                                            "default"
 *
 * Pages are mislabelled daily, so a declaration is checked against the bytes:
 *
 *  - Declared utf-8 is believed while at most one bad sequence comes with four good characters
 *    beyond ASCII (a template in UTF-8 with some mangled data: the rest is worth more than the
 *    faults, which become U+FFFD). Above that the declaration is wrong: in Latin-1 text nearly
 * every accented letter is a bad sequence, and next to none is good. A last character that was cut
 * off is not a fault.
 *  - Declared utf-16 is wrong when the bytes are valid UTF-8 without a single NUL.
 *  - Any other declaration is wrong when all bytes are valid UTF-8 and at least 3 characters (8
 * when the declared encoding has multi-byte characters itself) are beyond ASCII: text in another
 *    encoding does not look like that by chance.
 *  - A declared multi-byte encoding is wrong when more than one in eight bytes beyond ASCII is bad.
 *
 * When the guess, the default or validity then takes the place of a declaration, the reason is
 * "http was wrong" or "meta was wrong"; "... is not available here" when iconv lacks the encoding.
 * The standard's "replacement" encodings (hz-gb-2312, iso-2022-kr, ...) count as undeclared.
 */
#ifndef TH_DECODE_H
#define TH_DECODE_H

#include "base/arena.h"
#include "base/str.h"

typedef enum th__encoding_kind {
    TH__ENC_UTF8,
    TH__ENC_UTF16,       /* both byte orders */
    TH__ENC_SINGLE,      /* one byte per character */
    TH__ENC_MULTI,       /* lead bytes, trail bytes */
    TH__ENC_REPLACEMENT, /* what the standard refuses to decode */
} th__encoding_kind;

/* An encoding of the Encoding Standard. */
typedef struct th__encoding {
    const char *name;  /* lower case */
    const char *iconv; /* what glibc calls it; NULL when we convert it ourselves */
    uint8_t kind;
    const char *labels; /* separated by blanks */
} th__encoding;

/* No page may be longer: offsets are 32 bits wide, and a little room is left above. */
#define TH__MAX_TEXT      (UINT32_MAX - 15u)
#define TH__PRESCAN_BYTES 1024u

/* The encoding behind a label such as "Latin1" (blanks around it and case do not count), or NULL.
 */
const th__encoding *th__encoding_find(th_str label);

/*
 * Converts bytes to UTF-8 in the arena. Only memory and length can fail: bytes that mean nothing
 * become U+FFFD and are counted in *bad. *known is false, and nothing is done, if this system's
 * iconv lacks the encoding.
 */
th_status th__encoding_convert(const th__encoding *encoding, th_str bytes, th__arena *arena,
                               th_str *text, size_t *bad, bool *known, th_error *err);

/* The encoding that the start of a page declares in <meta> or an XML declaration, or NULL. */
const th__encoding *th__prescan(th_str start);

/*
 * *text is `bytes` without their mark when they are valid UTF-8 (borrowed, no copy), else a copy in
 * the arena. *encoding and *reason are static. Fails for memory and for text above 4 GiB - 16 only.
 */
th_status th__decode(th__arena *arena, th_str bytes, th_str http_charset, th_str *text,
                     const char **encoding, const char **reason, th_error *err);

#endif
