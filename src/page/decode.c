/* decode.c: see decode.h, which tells the order and the rules. */
#include "page/decode.h"

#include <uchardet.h>

#include "base/error.h"
#include "base/utf8.h"
#include "page/encoding.h"
#include "page/prescan.h"

enum {
    LATE_META_BYTES = 64 << 10, /* how far a <meta> is looked for when nothing else helps */
    GUESS_SAMPLE = 64 << 10,    /* bytes that uchardet sees at most: it is slow */
    GUESS_PIECE = 64,           /* of them, around one place with bytes beyond ASCII */
    GUESS_LEAST = 4,         /* bytes beyond ASCII that a guess needs to be worth more than none */
    GOOD_PER_BAD = 4,        /* believed utf-8: good characters for each bad sequence */
    MULTI_BYTES_PER_BAD = 8, /* believed multi-byte: bytes beyond ASCII for each bad one */
    PROOF_SINGLE = 3,        /* valid characters that prove utf-8 against a declaration */
    PROOF_MULTI = 8
};

typedef struct decoder {
    th__arena *arena;
    th_str bytes;
    bool ascii, valid; /* all bytes are ASCII; are valid UTF-8 */
    bool surveyed;
    th__utf8_survey survey; /* see survey_of */

    const th__encoding *encoding; /* the answer, once there is one */
    th_str text;
    const char *reason;
    const char *refused; /* the declaration that the bytes contradict, said as a reason */
    th_error *err;
} decoder;

typedef struct declaration {
    const char *reason, *wrong, *missing;
} declaration;

static const declaration by_http = {"http", "http was wrong", "http is not available here"};
static const declaration by_meta = {"meta", "meta was wrong", "meta is not available here"};

static const th__utf8_survey *survey_of(decoder *d)
{
    if (!d->surveyed)
        d->survey = th__utf8_count(d->bytes.ptr, d->bytes.len);
    d->surveyed = true;
    return &d->survey;
}

static void take(decoder *d, const th__encoding *encoding, th_str text, const char *reason)
{
    d->encoding = encoding;
    d->text = text;
    d->reason = reason;
}

/* Converts and takes the result, whatever it is. */
static th_status convert(decoder *d, const th__encoding *encoding, const char *reason, size_t *bad,
                         bool *known)
{
    th_str text;
    if (encoding->kind == TH__ENC_UTF8 && d->valid) {
        *bad = 0;
        *known = true;
        take(d, encoding, d->bytes, reason);
        return TH_OK;
    }
    th_status status =
        th__encoding_convert(encoding, d->bytes, d->arena, &text, bad, known, d->err);
    if (!status && *known)
        take(d, encoding, text, reason);
    return status;
}

static bool believable(decoder *d, const th__encoding *encoding)
{
    switch (encoding->kind) {
    case TH__ENC_UTF8:
        return d->valid || survey_of(d)->bad * GOOD_PER_BAD <= survey_of(d)->good;
    case TH__ENC_UTF16:
        return !d->valid || memchr(d->bytes.ptr, '\0', d->bytes.len);
    case TH__ENC_SINGLE:
        return !d->valid || survey_of(d)->good < PROOF_SINGLE;
    case TH__ENC_MULTI:
        return !d->valid || survey_of(d)->good < PROOF_MULTI;
    default:
        return false;
    }
}

static size_t bytes_beyond_ascii(th_str bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes.len; i++)
        count += (unsigned char)bytes.ptr[i] >> 7;
    return count;
}

/* Takes a declared encoding, or notes why not. */
static th_status try_declared(decoder *d, const th__encoding *encoding, const declaration *by)
{
    if (!encoding || encoding->kind == TH__ENC_REPLACEMENT)
        return TH_OK;
    if (d->ascii && encoding->kind != TH__ENC_UTF16 && strcmp(encoding->name, "iso-2022-jp") != 0) {
        take(d, encoding, d->bytes, by->reason); /* the same text in all of them */
        return TH_OK;
    }
    if (!believable(d, encoding)) {
        d->refused = by->wrong;
        return TH_OK;
    }
    size_t bad;
    bool known;
    th_status status = convert(d, encoding, by->reason, &bad, &known);
    if (status)
        return status;
    if (!known)
        d->refused = by->missing;
    else if (encoding->kind == TH__ENC_MULTI && bad > 0 &&
             bad * MULTI_BYTES_PER_BAD > bytes_beyond_ascii(d->bytes)) {
        d->refused = by->wrong;
        d->encoding = NULL;
    }
    return TH_OK;
}

static th_status try_bom(decoder *d)
{
    static const struct {
        th_str mark;
        const char *name;
    } marks[] = {{{"\xEF\xBB\xBF", 3}, "utf-8"},
                 {{"\xFE\xFF", 2}, "utf-16be"},
                 {{"\xFF\xFE", 2}, "utf-16le"}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (!th__str_starts(d->bytes, marks[i].mark))
            continue;
        size_t bad;
        bool known;
        d->bytes.ptr += marks[i].mark.len;
        d->bytes.len -= marks[i].mark.len;
        d->valid = th__utf8_valid(d->bytes.ptr, d->bytes.len) == d->bytes.len;
        return convert(d, th__encoding_find(th_str_from(marks[i].name)), "bom", &bad, &known);
    }
    return TH_OK;
}

/* ASCII in UTF-16 is valid UTF-8 as well: every other byte is NUL. Looked at in the first bytes. */
static const th__encoding *utf16_without_mark(th_str bytes)
{
    size_t zeros[2] = {0, 0}, len = bytes.len < 512 ? bytes.len & ~(size_t)1 : 512;
    for (size_t i = 0; i < len; i++)
        zeros[i & 1] += bytes.ptr[i] == '\0';
    if (len < 8)
        return NULL;
    if (zeros[1] * 4 >= len && zeros[0] * 16 <= len)
        return th__encoding_find(TH_STR("utf-16le"));
    if (zeros[0] * 4 >= len && zeros[1] * 16 <= len)
        return th__encoding_find(TH_STR("utf-16be"));
    return NULL;
}

/* Feeds uchardet the places that tell: those with bytes beyond ASCII and a little around them. */
static const th__encoding *guess(th_str bytes)
{
    uchardet_t detector = uchardet_new();
    if (!detector)
        return NULL;
    size_t fed = 0, wide = 0, at = 0;
    while (at < bytes.len && fed < GUESS_SAMPLE) {
        size_t first = at + th__utf8_ascii(bytes.ptr + at, bytes.len - at);
        if (first == bytes.len)
            break;
        size_t start = first - at > 8 ? first - 8 : at;
        size_t end = first + GUESS_PIECE < bytes.len ? first + GUESS_PIECE : bytes.len;
        while (end < bytes.len && (unsigned char)bytes.ptr[end] >= 0x80 && end - start < 4096)
            end++; /* not inside a character */
        for (size_t i = first; i < end; i++)
            wide += (unsigned char)bytes.ptr[i] >> 7;
        if (uchardet_handle_data(detector, bytes.ptr + start, end - start) != 0)
            break;
        fed += end - start;
        at = end;
    }
    uchardet_data_end(detector);
    const th__encoding *found = th__encoding_find(th_str_from(uchardet_get_charset(detector)));
    uchardet_delete(detector);
    return wide >= GUESS_LEAST ? found : NULL;
}

/* No declaration holds: validity, a late meta, the guess. */
static th_status undeclared(decoder *d)
{
    const th__encoding *utf16 = utf16_without_mark(d->bytes);
    size_t bad;
    bool known;
    if (utf16)
        return convert(d, utf16, d->refused ? d->refused : "guess", &bad, &known);
    if (d->valid) {
        take(d, th__encoding_find(TH_STR("utf-8")), d->bytes,
             d->refused ? d->refused : "valid utf-8");
        return TH_OK;
    }
    if (!d->refused && d->bytes.len > TH__PRESCAN_BYTES) {
        size_t len = d->bytes.len < LATE_META_BYTES ? d->bytes.len : LATE_META_BYTES;
        th_status status = try_declared(d, th__prescan((th_str){d->bytes.ptr, len}), &by_meta);
        if (status || d->encoding)
            return status;
    }
    const th__encoding *found = guess(d->bytes);
    if (found && (found->kind == TH__ENC_SINGLE || believable(d, found))) {
        th_status status = convert(d, found, d->refused ? d->refused : "guess", &bad, &known);
        if (status || d->encoding)
            return status;
    }
    return convert(d, th__encoding_find(TH_STR("windows-1252")),
                   d->refused ? d->refused : "default", &bad, &known);
}

static th_str without_quotes(th_str label)
{
    label = th__str_trim(label);
    while (label.len && (*label.ptr == '"' || *label.ptr == '\'')) {
        label.ptr++;
        label.len--;
    }
    while (label.len && (label.ptr[label.len - 1] == '"' || label.ptr[label.len - 1] == '\''))
        label.len--;
    return label;
}

static th_status run(decoder *d, th_str http_charset)
{
    th_status status = try_bom(d);
    if (status || d->encoding)
        return status;
    size_t prefix = th__utf8_ascii(d->bytes.ptr, d->bytes.len);
    d->ascii = prefix == d->bytes.len;
    d->valid = d->ascii || th__utf8_valid(d->bytes.ptr + prefix, d->bytes.len - prefix) ==
                               d->bytes.len - prefix;
    status = try_declared(d, th__encoding_find(without_quotes(http_charset)), &by_http);
    if (status || d->encoding)
        return status;
    size_t len = d->bytes.len < TH__PRESCAN_BYTES ? d->bytes.len : TH__PRESCAN_BYTES;
    status = try_declared(d, th__prescan((th_str){d->bytes.ptr, len}), &by_meta);
    if (status || d->encoding)
        return status;
    return undeclared(d);
}

th_status th__decode(th__arena *arena, th_str bytes, th_str http_charset, th_str *text,
                     const char **encoding, const char **reason, th_error *err)
{
    if (!bytes.ptr)
        bytes = TH_STR("");
    decoder d = {.arena = arena, .bytes = bytes, .err = err};
    th_status status = run(&d, http_charset);
    if (status)
        return status;
    if (d.text.len > TH__MAX_TEXT)
        return th__fail(err, TH_ERR_LIMIT,
                        "the page has %zu bytes, more than the %u that offsets of 32 bits can "
                        "address; split it",
                        d.text.len, TH__MAX_TEXT);
    *text = d.text;
    *encoding = d.encoding->name;
    *reason = d.reason;
    return TH_OK;
}
