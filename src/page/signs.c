/* signs.c: one table of signs. */
#include "page/signs.h"

#include "base/str.h"
#include "base/utf8.h"
#include "page/charref.h"
#include "page/text.h"

enum {
    BETWEEN = TH__SIGN_BETWEEN,
    PARTS = BETWEEN | TH__SIGN_PARTS,
    DASH = PARTS | TH__SIGN_TIES,
    DOT = PARTS | TH__SIGN_BULLET,
    LIST = PARTS | TH__SIGN_TIGHT | TH__SIGN_WEAK | TH__SIGN_ITEMS
};

#define SIGN(code, flags, text)                                                                    \
    {                                                                                              \
        code, flags,                                                                               \
        {                                                                                          \
            text, sizeof(text) - 1                                                                 \
        }                                                                                          \
    }

const th__sign th__signs[] = {
    SIGN('|', PARTS | TH__SIGN_ITEMS, "|"),
    SIGN(0xB7, DOT, "&middot;"),
    SIGN(0xB7, DOT, "\xC2\xB7"),
    SIGN(0xB7, DOT, "&#183;"),
    SIGN(0xB7, DOT, "&#xB7;"),
    SIGN(0x2022, DOT, "&bull;"),
    SIGN(0x2022, DOT, "&#8226;"),
    SIGN(0x2022, DOT, "\xE2\x80\xA2"),
    SIGN(';', LIST, ";"),
    SIGN(',', LIST, ","),
    SIGN('&', TH__SIGN_ITEMS, "&amp;"),
    SIGN('/', DASH | TH__SIGN_WEAK | TH__SIGN_ITEMS, "/"),
    SIGN('-', DASH | TH__SIGN_BULLET, "-"),
    SIGN(0x2013, DASH | TH__SIGN_BULLET, "\xE2\x80\x93"),
    SIGN(0x2013, DASH | TH__SIGN_BULLET, "&ndash;"),
    SIGN(0x2013, DASH | TH__SIGN_BULLET, "&#8211;"),
    SIGN(0x2014, DASH | TH__SIGN_BULLET, "\xE2\x80\x94"),
    SIGN(0x2014, DASH | TH__SIGN_BULLET, "&mdash;"),
    SIGN(0x2014, DASH | TH__SIGN_BULLET, "&#8212;"),
    SIGN(0xA0, PARTS, "&nbsp;&nbsp;"), /* old pages separate values so */
    SIGN(':', TH__SIGN_CLOSES | TH__SIGN_TIES | TH__SIGN_TIGHT | TH__SIGN_PARTS, ":"),
    SIGN('(', TH__SIGN_OPENS | TH__SIGN_PARTS, "("),
    SIGN(')', TH__SIGN_CLOSES | TH__SIGN_PARTS, ")"),
    SIGN('*', BETWEEN | TH__SIGN_TIES | TH__SIGN_BULLET, "*"),
    SIGN('>', BETWEEN | TH__SIGN_BULLET, ">"),
    SIGN(0xBB, BETWEEN | TH__SIGN_BULLET, "\xC2\xBB"),
    SIGN(0xBB, BETWEEN | TH__SIGN_BULLET, "&raquo;"),
    SIGN(0x2023, BETWEEN | TH__SIGN_BULLET, "\xE2\x80\xA3"),
    SIGN(0x25AA, BETWEEN | TH__SIGN_BULLET, "\xE2\x96\xAA"),
    SIGN(0x25A0, BETWEEN | TH__SIGN_BULLET, "\xE2\x96\xA0"),
};
const size_t th__sign_count = sizeof th__signs / sizeof *th__signs;

size_t th__char_next(th_str text, size_t at, uint32_t *code)
{
    const char *end = text.ptr + text.len;
    if (text.ptr[at] == '&') {
        char out[TH__CHARREF_MAX];
        size_t len = 0, used = th__charref(text.ptr + at, end, false, out, &len);
        if (used && len) {
            th__utf8_next(out, code);
            return used;
        }
    }
    return th__utf8_decode(text.ptr + at, end, code, NULL);
}

unsigned th__sign_kind(uint32_t code)
{
    /* Signs between values that are neither searched for nor bullets. */
    static const uint16_t others[] = {'<',    0xA6,   0xAB,   0x2039, 0x203A,
                                      0x2043, 0x2192, 0x2219, 0x22C5, 0x2502,
                                      0x25B8, 0x25BA, 0x25CF, 0x30FB, 0xFF5C};
    if (code < 0x80 && (th__is_alpha((unsigned char)code) || th__is_digit((unsigned char)code)))
        return 0;
    if (th__is_blank_char(code))
        return TH__SIGN_BLANK;
    for (size_t i = 0; i < th__sign_count; i++)
        if (th__signs[i].code == code)
            return th__signs[i].flags & BETWEEN ? th__signs[i].flags : 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i] == code)
            return BETWEEN;
    if (code == '[')
        return TH__SIGN_OPENS;
    if (code == ']')
        return TH__SIGN_CLOSES;
    return code == '~' || (code >= 0x2010 && code <= 0x2015) ? BETWEEN | TH__SIGN_TIES : 0;
}

size_t th__sign_length(th_str text, unsigned flags)
{
    bool bullet = flags & TH__SIGN_BULLET;
    bool blank = text.len && text.ptr[0] == ' ' && !bullet;
    for (size_t i = 0; text.len && i < th__sign_count; i++) {
        const th__sign *sign = &th__signs[i];
        unsigned edges = sign->flags & BETWEEN;
        /* "(" comes behind a blank, ")" needs none, and a comma one behind it. */
        bool before = !bullet && edges != TH__SIGN_CLOSES && !(sign->flags & TH__SIGN_TIGHT);
        bool behind = edges == BETWEEN || sign->flags & TH__SIGN_TIGHT || bullet || !edges;
        th_str rest = {text.ptr + (before && blank), text.len - (before && blank)};
        th_str spelling = sign->code == '&' ? TH_STR("&") : sign->text;
        if (!(sign->flags & flags) || before != (before && blank) ||
            !th__str_starts(rest, spelling))
            continue;
        size_t len = before + spelling.len;
        if (behind && (len >= text.len || text.ptr[len] != ' '))
            continue;
        return len + behind;
    }
    return 0;
}

/* The bytes of a blank or sign at a place; 0: a word is there. */
static size_t edge_length(th_str text, size_t at)
{
    uint32_t code;
    size_t len = th__utf8_decode(text.ptr + at, text.ptr + text.len, &code, NULL);
    bool minus = code == '-' && at + 1 < text.len && th__is_digit((unsigned char)text.ptr[at + 1]);
    unsigned kind = th__sign_kind(code);
    bool edge = kind & TH__SIGN_BLANK || (kind & TH__SIGN_PARTS && code != '(' && code != ')');
    return edge && !minus ? len : 0;
}

th_str th__sign_trim(th_str text)
{
    for (size_t len; text.len && (len = edge_length(text, 0)) > 0;)
        text = (th_str){text.ptr + len, text.len - len};
    while (text.len) {
        size_t at = text.len - 1;
        while (at && ((unsigned char)text.ptr[at] & 0xC0) == 0x80)
            at--;
        if (!edge_length(text, at))
            break;
        text.len = at;
    }
    return text;
}

bool th__sign_is_item(char byte)
{
    return byte == '|' || byte == '/' || byte == ';' || byte == ',';
}
