/*
 * decode.c: the encodings and their conversion; what a page declares; which declaration is
 * believed. decode.h has the order and the rules.
 */
#include "page/decode.h"

#include <errno.h>
#include <iconv.h>

#include "base/error.h"
#include "base/utf8.h"
#include "page/uchardet_library.h"

/* ---- encodings and their conversion -----------------------------------------------------------
 *
 * UTF-8 and UTF-16 are converted by hand. A single-byte encoding becomes a table of its upper 128
 * characters, asked of iconv one byte at a time, with the standard's own values where the two
 * differ: that is ten times as fast as iconv, and avoids glibc's combining of Hebrew and Vietnamese
 * marks, which the standard does not do. Only the multi-byte encodings go through iconv. */

static const th__encoding encodings[] = {
    {"utf-8", NULL, TH__ENC_UTF8,
     "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8"},
    {"ibm866", "IBM866", TH__ENC_SINGLE, "866 cp866 csibm866 ibm866"},
    {"iso-8859-2", "ISO-8859-2", TH__ENC_SINGLE,
     "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2"},
    {"iso-8859-3", "ISO-8859-3", TH__ENC_SINGLE,
     "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3"},
    {"iso-8859-4", "ISO-8859-4", TH__ENC_SINGLE,
     "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4"},
    {"iso-8859-5", "ISO-8859-5", TH__ENC_SINGLE,
     "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 "
     "iso_8859-5:1988"},
    {"iso-8859-6", "ISO-8859-6", TH__ENC_SINGLE,
     "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e "
     "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987"},
    {"iso-8859-7", "ISO-8859-7", TH__ENC_SINGLE,
     "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 "
     "iso_8859-7 iso_8859-7:1987 sun_eu_greek"},
    {"iso-8859-8", "ISO-8859-8", TH__ENC_SINGLE,
     "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 "
     "iso_8859-8 iso_8859-8:1988 visual"},
    {"iso-8859-8-i", "ISO-8859-8", TH__ENC_SINGLE, "csiso88598i iso-8859-8-i logical"},
    {"iso-8859-10", "ISO-8859-10", TH__ENC_SINGLE,
     "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6"},
    {"iso-8859-13", "ISO-8859-13", TH__ENC_SINGLE, "iso-8859-13 iso8859-13 iso885913"},
    {"iso-8859-14", "ISO-8859-14", TH__ENC_SINGLE, "iso-8859-14 iso8859-14 iso885914"},
    {"iso-8859-15", "ISO-8859-15", TH__ENC_SINGLE,
     "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9"},
    {"iso-8859-16", "ISO-8859-16", TH__ENC_SINGLE, "iso-8859-16"},
    {"koi8-r", "KOI8-R", TH__ENC_SINGLE, "cskoi8r koi koi8 koi8-r koi8_r"},
    {"koi8-u", "KOI8-U", TH__ENC_SINGLE, "koi8-ru koi8-u"},
    {"macintosh", "MACINTOSH", TH__ENC_SINGLE, "csmacintosh mac macintosh x-mac-roman"},
    {"windows-874", "CP874", TH__ENC_SINGLE,
     "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"},
    {"windows-1250", "CP1250", TH__ENC_SINGLE, "cp1250 windows-1250 x-cp1250"},
    {"windows-1251", "CP1251", TH__ENC_SINGLE, "cp1251 windows-1251 x-cp1251"},
    {"windows-1252", NULL, TH__ENC_SINGLE,
     "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 "
     "iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252"},
    {"windows-1253", "CP1253", TH__ENC_SINGLE, "cp1253 windows-1253 x-cp1253"},
    {"windows-1254", "CP1254", TH__ENC_SINGLE,
     "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 "
     "latin5 windows-1254 x-cp1254"},
    {"windows-1255", "CP1255", TH__ENC_SINGLE, "cp1255 windows-1255 x-cp1255"},
    {"windows-1256", "CP1256", TH__ENC_SINGLE, "cp1256 windows-1256 x-cp1256"},
    {"windows-1257", "CP1257", TH__ENC_SINGLE, "cp1257 windows-1257 x-cp1257"},
    {"windows-1258", "CP1258", TH__ENC_SINGLE, "cp1258 windows-1258 x-cp1258"},
    {"x-mac-cyrillic", "MAC-CYRILLIC", TH__ENC_SINGLE, "x-mac-cyrillic x-mac-ukrainian"},
    {"gbk", "GB18030", TH__ENC_MULTI,
     "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk"},
    {"gb18030", "GB18030", TH__ENC_MULTI, "gb18030"},
    {"big5", "BIG5-HKSCS", TH__ENC_MULTI, "big5 big5-hkscs cn-big5 csbig5 x-x-big5"},
    {"euc-jp", "EUC-JP-MS", TH__ENC_MULTI, "cseucpkdfmtjapanese euc-jp x-euc-jp"},
    {"iso-2022-jp", "ISO-2022-JP-3", TH__ENC_MULTI, "csiso2022jp iso-2022-jp"},
    {"shift_jis", "CP932", TH__ENC_MULTI,
     "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis"},
    {"euc-kr", "UHC", TH__ENC_MULTI,
     "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 "
     "ksc_5601 windows-949"},
    {"replacement", NULL, TH__ENC_REPLACEMENT,
     "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement"},
    {"utf-16be", NULL, TH__ENC_UTF16, "unicodefffe utf-16be"},
    {"utf-16le", NULL, TH__ENC_UTF16,
     "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le"},
    {"x-user-defined", NULL, TH__ENC_SINGLE, "x-user-defined"},
};

/* Where the standard and glibc map a byte differently: the standard's character. */
static const struct {
    const char *name;
    uint8_t byte;
    uint16_t code;
} corrections[] = {
    {"koi8-u", 0xAE, 0x045E},         {"koi8-u", 0xBE, 0x040E},
    {"macintosh", 0xBD, 0x03A9},      {"macintosh", 0xC6, 0x2206},
    {"macintosh", 0xDB, 0x20AC},      {"macintosh", 0xF0, 0xF8FF},
    {"x-mac-cyrillic", 0xA2, 0x0490}, {"x-mac-cyrillic", 0xB6, 0x0491},
    {"x-mac-cyrillic", 0xFF, 0x20AC}, {"windows-1255", 0xCA, 0x05BA},
};

/* The C1 range of windows-1252; the rest of it is Latin-1. */
static const uint16_t windows_1252_c1[32] = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

const th__encoding *th__encoding_find(th_str label)
{
    label = th__str_trim(label);
    if (label.len == 0)
        return NULL;
    for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++) {
        const char *at = encodings[i].labels;
        while (*at) {
            size_t len = strcspn(at, " ");
            if (th__str_eq_nocase(label, (th_str){at, len}))
                return &encodings[i];
            at += len + (at[len] == ' ');
        }
    }
    return NULL;
}

static th_status too_long(th_error *err)
{
    return th__fail(err, TH_ERR_LIMIT,
                    "the page is longer than the 4 GiB - 16 that offsets of 32 bits can address "
                    "once it is UTF-8; split it");
}

/* An arena's room for the text, or NULL with *status set. */
static char *room_for(th__arena *arena, uint64_t len, th_status *status, th_error *err)
{
    *status = TH_OK;
    if (len > TH__MAX_TEXT) {
        *status = too_long(err);
        return NULL;
    }
    char *out = th__arena_alloc(arena, len + 1);
    if (!out)
        *status = th__fail_memory(err);
    else
        out[len] = '\0';
    return out;
}

/* The upper half of a single-byte encoding. */
typedef struct single_table {
    char bytes[128][4]; /* UTF-8 of the bytes from 80 on */
    uint8_t len[128];
    bool none[128]; /* means nothing: U+FFFD */
} single_table;

static uint32_t single_code(const th__encoding *encoding, unsigned byte, iconv_t converter)
{
    if (strcmp(encoding->name, "x-user-defined") == 0)
        return 0xF700 + byte;
    if (!encoding->iconv)
        return byte < 0xA0 ? windows_1252_c1[byte - 0x80] : byte;
    for (size_t i = 0; i < sizeof corrections / sizeof *corrections; i++)
        if (corrections[i].byte == byte && strcmp(corrections[i].name, encoding->name) == 0)
            return corrections[i].code;
    char in = (char)byte, out[16], *from = &in, *to = out;
    size_t in_left = 1, out_left = sizeof out;
    iconv(converter, NULL, NULL, NULL, NULL);
    uint32_t code = byte < 0xA0 ? byte : TH__REPLACEMENT; /* as the standard maps the gaps of C1 */
    if (iconv(converter, &from, &in_left, &to, &out_left) != (size_t)-1) {
        iconv(converter, NULL, NULL, &to, &out_left); /* a character held back for combining */
        if (to > out)
            th__utf8_decode(out, to, &code, NULL);
    }
    return code;
}

static bool single_table_init(single_table *table, const th__encoding *encoding)
{
    iconv_t converter = (iconv_t)-1;
    if (encoding->iconv) {
        converter = iconv_open("UTF-8", encoding->iconv);
        if (converter == (iconv_t)-1)
            return false;
    }
    for (unsigned i = 0; i < 128; i++) {
        uint32_t code = single_code(encoding, 0x80 + i, converter);
        table->none[i] = code == TH__REPLACEMENT;
        table->len[i] = (uint8_t)th__utf8_encode(code, table->bytes[i]);
    }
    if (encoding->iconv)
        iconv_close(converter);
    return true;
}

static th_status convert_single(const th__encoding *encoding, th_str bytes, th__arena *arena,
                                th_str *text, size_t *bad, bool *known, th_error *err)
{
    single_table table;
    *known = single_table_init(&table, encoding);
    if (!*known)
        return TH_OK;
    size_t counts[256] = {0};
    for (size_t i = 0; i < bytes.len; i++)
        counts[(unsigned char)bytes.ptr[i]]++;
    uint64_t len = bytes.len;
    for (unsigned i = 0; i < 128; i++) {
        len += (uint64_t)(table.len[i] - 1) * counts[0x80 + i];
        *bad += table.none[i] ? counts[0x80 + i] : 0;
    }
    th_status status;
    char *out = room_for(arena, len, &status, err), *to = out;
    if (!out)
        return status;
    for (size_t i = 0; i < bytes.len;) {
        size_t ascii = th__utf8_ascii(bytes.ptr + i, bytes.len - i);
        memcpy(to, bytes.ptr + i, ascii);
        to += ascii;
        for (i += ascii; i < bytes.len && (unsigned char)bytes.ptr[i] >= 0x80; i++) {
            unsigned high = (unsigned char)bytes.ptr[i] - 0x80u;
            for (unsigned k = 0; k < table.len[high]; k++)
                *to++ = table.bytes[high][k];
        }
    }
    *text = (th_str){out, len};
    return TH_OK;
}

/* The character at byte i and the bytes it takes. */
static size_t utf16_next(th_str bytes, size_t i, bool big, uint32_t *code)
{
    const unsigned char *s = (const unsigned char *)bytes.ptr + i;
    size_t left = bytes.len - i;
    *code = TH__REPLACEMENT;
    if (left < 2)
        return left;
    uint32_t unit = big ? (uint32_t)s[0] << 8 | s[1] : (uint32_t)s[1] << 8 | s[0];
    if (unit < 0xD800 || unit > 0xDFFF) {
        *code = unit;
        return 2;
    }
    if (unit > 0xDBFF || left < 4)
        return 2;
    uint32_t low = big ? (uint32_t)s[2] << 8 | s[3] : (uint32_t)s[3] << 8 | s[2];
    if (low < 0xDC00 || low > 0xDFFF)
        return 2;
    *code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    return 4;
}

static th_status convert_utf16(const th__encoding *encoding, th_str bytes, th__arena *arena,
                               th_str *text, size_t *bad, th_error *err)
{
    bool big = strcmp(encoding->name, "utf-16be") == 0;
    uint64_t len = 0;
    uint32_t code;
    for (size_t i = 0; i < bytes.len; i += utf16_next(bytes, i, big, &code)) {
        utf16_next(bytes, i, big, &code);
        len += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        *bad += code == TH__REPLACEMENT;
    }
    th_status status;
    char *out = room_for(arena, len, &status, err), *to = out;
    if (!out)
        return status;
    for (size_t i = 0; i < bytes.len;) {
        char wide[4];
        i += utf16_next(bytes, i, big, &code);
        unsigned n = th__utf8_encode(code, wide);
        for (unsigned k = 0; k < n; k++)
            *to++ = wide[k];
    }
    *text = (th_str){out, len};
    return TH_OK;
}

/*
 * How many bytes a fault of a multi-byte encoding takes. As in the standard's decoders a trail byte
 * goes with its lead byte unless it is ASCII, which could be the "<" of a tag; a byte that can
 * never lead goes alone.
 */
static size_t fault_len(const char *at, size_t left)
{
    unsigned char lead = (unsigned char)at[0];
    bool alone = lead <= 0x80 || lead == 0xA0 || lead == 0xFF;
    return !alone && left > 1 && (unsigned char)at[1] >= 0x80 ? 2 : 1;
}

static bool add_fault(const th__encoding *encoding, char byte, th__buf *out, size_t *bad)
{
    bool euro = (unsigned char)byte == 0x80 && strcmp(encoding->name, "gbk") == 0;
    *bad += !euro;
    return th__buf_add(out, euro ? "\xE2\x82\xAC" : "\xEF\xBF\xBD", 3);
}

static th_status iconv_all(iconv_t converter, const th__encoding *encoding, th_str bytes,
                           th__buf *out, size_t *bad, th_error *err)
{
    char *from = (char *)bytes.ptr;
    size_t left = bytes.len;
    if (!th__buf_reserve(out, bytes.len + bytes.len / 2 + 64))
        return th__fail_memory(err);
    while (left > 0) {
        char *to = out->data + out->len;
        size_t room = out->cap - out->len;
        size_t result = iconv(converter, &from, &left, &to, &room);
        int error = errno;
        out->len = (size_t)(to - out->data);
        if (out->len > TH__MAX_TEXT)
            return too_long(err);
        if (result != (size_t)-1)
            break;
        bool ok;
        if (error == E2BIG) {
            ok = th__buf_reserve(out, left * 2 + 64);
        } else {
            size_t skip =
                error == EINVAL ? left : fault_len(from, left); /* EINVAL: cut at the end */
            ok = left == 0 || add_fault(encoding, *from, out, bad);
            from += skip;
            left -= skip;
        }
        if (!ok)
            return th__fail_memory(err);
    }
    th__buf_reserve(out, 16); /* what a stateful encoding has held back */
    char *to = out->data + out->len;
    size_t room = out->failed ? 0 : out->cap - out->len;
    iconv(converter, NULL, NULL, &to, &room);
    out->len = (size_t)(to - out->data);
    return out->failed ? th__fail_memory(err) : TH_OK;
}

static th_status convert_multi(const th__encoding *encoding, th_str bytes, th__arena *arena,
                               th_str *text, size_t *bad, bool *known, th_error *err)
{
    iconv_t converter = iconv_open("UTF-8", encoding->iconv);
    *known = converter != (iconv_t)-1;
    if (!*known)
        return errno == ENOMEM ? th__fail_memory(err) : TH_OK;
    th__buf out = {0};
    th_status status = iconv_all(converter, encoding, bytes, &out, bad, err);
    if (!status) {
        char *copy = room_for(arena, out.len, &status, err);
        if (copy) {
            memcpy(copy, out.data, out.len);
            *text = (th_str){copy, out.len};
        }
    }
    th__buf_release(&out);
    iconv_close(converter);
    return status;
}

static th_status convert_utf8(th_str bytes, th__arena *arena, th_str *text, size_t *bad,
                              th_error *err)
{
    th__utf8_survey survey = th__utf8_count(bytes.ptr, bytes.len);
    th_status status;
    char *out = room_for(arena, survey.len, &status, err);
    if (!out)
        return status;
    th__utf8_sanitize(bytes.ptr, bytes.len, out);
    *bad = survey.bad;
    *text = (th_str){out, survey.len};
    return TH_OK;
}

th_status th__encoding_convert(const th__encoding *encoding, th_str bytes, th__arena *arena,
                               th_str *text, size_t *bad, bool *known, th_error *err)
{
    *bad = 0;
    *known = true;
    switch (encoding->kind) {
    case TH__ENC_UTF8:
        return convert_utf8(bytes, arena, text, bad, err);
    case TH__ENC_UTF16:
        return convert_utf16(encoding, bytes, arena, text, bad, err);
    case TH__ENC_SINGLE:
        return convert_single(encoding, bytes, arena, text, bad, known, err);
    case TH__ENC_MULTI:
        return convert_multi(encoding, bytes, arena, text, bad, known, err);
    default:
        *known = false;
        return TH_OK;
    }
}

/* ---- what a page declares ---------------------------------------------------------------------
 *
 * The HTML standard's "prescan a byte stream to determine its encoding", step by step, because
 * pages are written against browsers. The reader is a cursor over the first bytes. Whenever it runs
 * out, inside whatever it was reading, the prescan is over and only an XML declaration can still
 * answer. */

typedef struct prescan_reader {
    const char *at, *end;
} prescan_reader;

typedef struct prescan_attr {
    th_str name, value;
} prescan_attr;

static bool starts(const prescan_reader *r, th_str prefix)
{
    return th__str_starts_nocase((th_str){r->at, (size_t)(r->end - r->at)}, prefix);
}

static void skip_blanks(prescan_reader *r)
{
    while (r->at < r->end && th__is_blank((unsigned char)*r->at))
        r->at++;
}

/* Moves to the first of the bytes, or to the end. */
static void skip_to(prescan_reader *r, const char *bytes)
{
    while (r->at < r->end && (*r->at == '\0' || !strchr(bytes, *r->at)))
        r->at++;
}

static void read_value(prescan_reader *r, th_str *value)
{
    skip_blanks(r);
    if (r->at == r->end)
        return;
    if (*r->at == '"' || *r->at == '\'') {
        char quote = *r->at++;
        const char *start = r->at, *close = memchr(start, quote, (size_t)(r->end - start));
        *value = (th_str){start, (size_t)((close ? close : r->end) - start)};
        r->at = close ? close + 1 : r->end;
        return;
    }
    const char *start = r->at;
    skip_to(r, "\t\n\f\r >");
    *value = (th_str){start, (size_t)(r->at - start)};
}

/* "Get an attribute". False at the end of the tag; the reader is at its end when bytes ran out. */
static bool read_attr(prescan_reader *r, prescan_attr *attr)
{
    while (r->at < r->end && (th__is_blank((unsigned char)*r->at) || *r->at == '/'))
        r->at++;
    if (r->at == r->end || *r->at == '>')
        return false;
    const char *start = r->at++; /* a "=" in the first place belongs to the name */
    skip_to(r, "\t\n\f\r />=");
    *attr = (prescan_attr){{start, (size_t)(r->at - start)}, {"", 0}};
    skip_blanks(r);
    if (r->at < r->end && *r->at == '=') {
        r->at++;
        read_value(r, &attr->value);
    }
    return r->at < r->end;
}

/* "Extracting a character encoding from a meta element": the label in `text/html; charset=x`. */
static th_str content_charset(th_str content)
{
    prescan_reader r = {content.ptr, content.ptr + content.len};
    for (; r.at < r.end; r.at++) {
        if (!starts(&r, TH_STR("charset")))
            continue;
        r.at += 7;
        skip_blanks(&r);
        if (r.at == r.end || *r.at != '=') {
            r.at--; /* the loop moves on to what stood there */
            continue;
        }
        r.at++;
        skip_blanks(&r);
        if (r.at == r.end)
            break;
        const char *start = r.at;
        if (*start == '"' || *start == '\'') {
            const char *close = memchr(start + 1, *start, (size_t)(r.end - start - 1));
            return close ? (th_str){start + 1, (size_t)(close - start - 1)} : (th_str){NULL, 0};
        }
        skip_to(&r, "\t\n\f\r ;");
        return (th_str){start, (size_t)(r.at - start)};
    }
    return (th_str){NULL, 0};
}

enum { SEEN_HTTP_EQUIV = 1, SEEN_CONTENT = 2, SEEN_CHARSET = 4 };

/* Reads the attributes of a meta element. NULL when it declares nothing. */
static const th__encoding *read_meta(prescan_reader *r)
{
    const th__encoding *charset = NULL;
    bool got_pragma = false, need_pragma = false, named = false;
    unsigned seen = 0;
    prescan_attr attr;
    while (read_attr(r, &attr)) {
        if (!(seen & SEEN_HTTP_EQUIV) && th__str_eq_nocase(attr.name, TH_STR("http-equiv"))) {
            seen |= SEEN_HTTP_EQUIV;
            got_pragma = th__str_eq_nocase(attr.value, TH_STR("content-type"));
        } else if (!(seen & SEEN_CONTENT) && th__str_eq_nocase(attr.name, TH_STR("content"))) {
            seen |= SEEN_CONTENT;
            const th__encoding *found = th__encoding_find(content_charset(attr.value));
            if (found && !named) {
                charset = found;
                need_pragma = named = true;
            }
        } else if (!(seen & SEEN_CHARSET) && th__str_eq_nocase(attr.name, TH_STR("charset"))) {
            seen |= SEEN_CHARSET;
            charset = th__encoding_find(attr.value);
            need_pragma = false;
            named = true;
        }
    }
    if (r->at == r->end || (need_pragma && !got_pragma))
        return NULL;
    return charset;
}

/* What a declaration in readable ASCII can mean: it is not UTF-16, and x-user-defined is a trick.
 */
static const th__encoding *as_declared(const th__encoding *encoding)
{
    if (encoding && encoding->kind == TH__ENC_UTF16)
        return th__encoding_find(TH_STR("utf-8"));
    if (encoding && strcmp(encoding->name, "x-user-defined") == 0)
        return th__encoding_find(TH_STR("windows-1252"));
    return encoding;
}

/* "Get an XML encoding". */
static const th__encoding *xml_encoding(th_str start)
{
    if (!th__str_starts(start, TH_STR("<?xml")))
        return NULL;
    const char *close = memchr(start.ptr, '>', start.len);
    if (!close)
        return NULL;
    th_str declaration = {start.ptr, (size_t)(close - start.ptr)};
    size_t at = th__str_find(declaration, TH_STR("encoding"));
    if (at == SIZE_MAX)
        return NULL;
    prescan_reader r = {declaration.ptr + at + 8, close};
    while (r.at < r.end && (unsigned char)*r.at <= 0x20)
        r.at++;
    if (r.at == r.end || *r.at++ != '=')
        return NULL;
    while (r.at < r.end && (unsigned char)*r.at <= 0x20)
        r.at++;
    if (r.at == r.end || (*r.at != '"' && *r.at != '\''))
        return NULL;
    char quote = *r.at++;
    const char *end = memchr(r.at, quote, (size_t)(r.end - r.at));
    if (!end)
        return NULL;
    for (const char *c = r.at; c < end; c++)
        if ((unsigned char)*c <= 0x20)
            return NULL;
    const th__encoding *found = th__encoding_find((th_str){r.at, (size_t)(end - r.at)});
    return found && found->kind == TH__ENC_UTF16 ? th__encoding_find(TH_STR("utf-8")) : found;
}

static bool is_name_after(const prescan_reader *r, ptrdiff_t offset)
{
    return r->end - r->at > offset && th__is_alpha((unsigned char)r->at[offset]);
}

/* One construct at the reader's place. The encoding when that was a meta element which has one. */
static const th__encoding *read_construct(prescan_reader *r)
{
    if (starts(r, TH_STR("<!--"))) {
        const char *text = r->at + 2; /* its dashes may be those of the end: <!--> */
        size_t close = th__str_find((th_str){text, (size_t)(r->end - text)}, TH_STR("-->"));
        r->at = close == SIZE_MAX ? r->end : text + close + 2;
    } else if (starts(r, TH_STR("<meta")) && r->end - r->at > 5 &&
               (th__is_blank((unsigned char)r->at[5]) || r->at[5] == '/')) {
        r->at += 5;
        return as_declared(read_meta(r));
    } else if (*r->at == '<' && (is_name_after(r, 1) ||
                                 (r->end - r->at > 1 && r->at[1] == '/' && is_name_after(r, 2)))) {
        prescan_attr attr;
        skip_to(r, "\t\n\f\r >");
        while (read_attr(r, &attr))
            ;
    } else if (starts(r, TH_STR("<!")) || starts(r, TH_STR("</")) || starts(r, TH_STR("<?"))) {
        skip_to(r, ">");
    }
    return NULL;
}

const th__encoding *th__prescan(th_str start)
{
    if (th__str_starts(start, TH_STR("<\0?\0x\0")))
        return th__encoding_find(TH_STR("utf-16le"));
    if (th__str_starts(start, TH_STR("\0<\0?\0x")))
        return th__encoding_find(TH_STR("utf-16be"));
    prescan_reader r = {start.ptr, start.ptr + start.len};
    for (; r.at < r.end; r.at++) {
        const char *open = memchr(r.at, '<', (size_t)(r.end - r.at));
        if (!open)
            break;
        r.at = open;
        const th__encoding *found = read_construct(&r);
        if (found)
            return found;
        if (r.at == r.end)
            break;
    }
    return xml_encoding(start);
}

/* ---- which declaration is believed ----------------------------------------------------------- */

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

/* Feeds uchardet the places that matter: those with bytes beyond ASCII and a little around them. */
static const th__encoding *guess(th_str bytes)
{
    uchardet_t detector = th__uchardet_load() ? NULL : uchardet_new();
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
