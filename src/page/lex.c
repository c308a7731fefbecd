/*
 * lex.c: fine tokens, on demand and without an array of their own.
 *
 * What a word is had to be decided; the papers show "ASU", "Professor", "and" and "123" only.
 *
 *  - Letters and digits that touch are one word: H2O, 512a, 3D, mp3, 10kg are MIXED. Cut apart they
 *    would look like a number beside a word, which is what a field of two values looks like.
 *  - The first letter decides: iPhone is LOWER ("a lowercase letter, followed by zero or more
 *    characters", SoftMealy 2.2), McCoy is INITCAP; one capital alone is ALLCAPS, so that initials
 *    are distinguished from names.
 *  - An apostrophe (also the curly one) between two letters belongs to the word: O'Neil, don't. As
 *    signs they would be landmarks that only some values have. A hyphen separates: it joins whole
 *    words and numbers (555-1212, Jean-Pierre).
 *  - Digits joined by "." or "," are one number where they can be one: 3.50, 1,200, 1.234,56. So a
 *    price has the same class whatever its size. 12.03.2004, 192.168.1.1 and 1,2,3 are not numbers:
 *    all their digits stay apart. A number with letters after it is MIXED as a whole: 3.5kg.
 *  - Marks (accents that combine, variation selectors, joiners) belong to what is before them.
 *  - Chinese, Japanese and Korean letters make words of their own without digits or other letters:
 *    a date reads NUMBER UNCASED NUMBER UNCASED. A run is one word: without a dictionary there is
 * no better border, and labels and values are runs.
 *  - Every other sign is one PUNCT by itself.
 *  - A reference counts as the character it means: Caf&eacute; is one word, &amp; one sign, &nbsp;
 * a blank. Half a character at the border of a span is a sign.
 *  - A script or style is one MARKUP token, as are comments and doctypes, unless the span begins
 *    inside: then it is read as text.
 *
 * Letters, digits and case are Unicode's, from utf8proc; ASCII, and the ranges that most other
 * text is in, are decided here.
 */
#include "page/lex.h"

#include <utf8proc.h>

#include "base/error.h"
#include "base/utf8.h"
#include "page/charref.h"
#include "page/parse.h"
#include "page/tags.h"
#include "page/text.h"

/* --- the classes ------------------------------------------------------------------------------ */

#define BIT(c)      (1u << TH_CLASS_##c)
#define WORD        (BIT(ANY) | BIT(WORD))
#define ALPHA       (WORD | BIT(ALPHA))
#define CAPITALIZED (ALPHA | BIT(CAPITALIZED))
#define NONWORD     (BIT(ANY) | BIT(NONWORD))
#define HTML        (NONWORD | BIT(HTML))
#define BLANK       (NONWORD | BIT(BLANK))

const uint32_t th__class_masks[TH_CLASS_COUNT] = {
    [TH_CLASS_ANY] = BIT(ANY),
    [TH_CLASS_WORD] = WORD,
    [TH_CLASS_ALPHA] = ALPHA,
    [TH_CLASS_CAPITALIZED] = CAPITALIZED,
    [TH_CLASS_ALLCAPS] = CAPITALIZED | BIT(ALLCAPS),
    [TH_CLASS_INITCAP] = CAPITALIZED | BIT(INITCAP),
    [TH_CLASS_LOWER] = ALPHA | BIT(LOWER),
    [TH_CLASS_UNCASED] = ALPHA | BIT(UNCASED),
    [TH_CLASS_NUMBER] = WORD | BIT(NUMBER),
    [TH_CLASS_MIXED] = WORD | BIT(MIXED),
    [TH_CLASS_NONWORD] = NONWORD,
    [TH_CLASS_HTML] = HTML,
    [TH_CLASS_TAG_START] = HTML | BIT(TAG_START),
    [TH_CLASS_TAG_END] = HTML | BIT(TAG_END),
    [TH_CLASS_MARKUP] = HTML | BIT(MARKUP),
    [TH_CLASS_PUNCT] = NONWORD | BIT(PUNCT),
    [TH_CLASS_BLANK] = BLANK,
    [TH_CLASS_NEWLINE] = BLANK | BIT(NEWLINE),
    [TH_CLASS_TAB] = BLANK | BIT(TAB),
    [TH_CLASS_SPACE] = BLANK | BIT(SPACE),
};

static const char *const class_names[TH_CLASS_COUNT] = {
    "any",     "word",   "alpha", "capitalized", "allcaps", "initcap", "lower",
    "uncased", "number", "mixed", "nonword",     "html",    "tag",     "endtag",
    "markup",  "punct",  "blank", "newline",     "tab",     "space"};

const char *th_class_name(th_class cls)
{
    return (unsigned)cls < TH_CLASS_COUNT ? class_names[cls] : "unknown";
}

bool th_class_find(th_str name, th_class *out)
{
    for (unsigned i = 0; i < TH_CLASS_COUNT; i++)
        if (th__str_eq(name, th_str_from(class_names[i]))) {
            *out = (th_class)i;
            return true;
        }
    return false;
}

bool th_class_is(th_class cls, th_class ancestor)
{
    return (unsigned)cls < TH_CLASS_COUNT && (unsigned)ancestor < TH_CLASS_COUNT &&
           th__class_is(cls, ancestor);
}

th_class th_class_join(th_class a, th_class b)
{
    if ((unsigned)a >= TH_CLASS_COUNT || (unsigned)b >= TH_CLASS_COUNT)
        return TH_CLASS_ANY;
    return th__class_join(a, b);
}

/* --- characters ------------------------------------------------------------------------------- */

enum {
    K_PUNCT,
    K_UPPER,
    K_LOWER,
    K_LETTER, /* without case */
    K_EAST,   /* Chinese, Japanese, Korean */
    K_DIGIT,
    K_MARK,
    K_NEWLINE,
    K_TAB,
    K_SPACE,
    K_AMP, /* the first byte of a reference, perhaps */
    K_WIDE /* the first byte of a character beyond ASCII */
};

#define P K_PUNCT
#define U K_UPPER
#define L K_LOWER
#define D K_DIGIT
#define N K_NEWLINE
#define S K_SPACE
#define W16                                                                                        \
    K_WIDE, K_WIDE, K_WIDE, K_WIDE, K_WIDE, K_WIDE, K_WIDE, K_WIDE, K_WIDE, K_WIDE, K_WIDE,        \
        K_WIDE, K_WIDE, K_WIDE, K_WIDE, K_WIDE
/* clang-format off */
static const uint8_t byte_kinds[256] = {
    P, P, P, P, P, P, P, P, P, K_TAB, N, S, S, N, P, P,
    P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P,
    S, P, P, P, P, P, K_AMP, P, P, P, P, P, P, P, P, P,
    D, D, D, D, D, D, D, D, D, D, P, P, P, P, P, P,
    P, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U,
    U, U, U, U, U, U, U, U, U, U, U, P, P, P, P, P,
    P, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
    L, L, L, L, L, L, L, L, L, L, L, P, P, P, P, P,
    W16, W16, W16, W16, W16, W16, W16, W16,
};
/* clang-format on */
#undef P
#undef U
#undef L
#undef D
#undef N
#undef S

bool th__is_east(uint32_t code)
{
    return (code >= 0x1100 && code <= 0x11FF) || (code >= 0x2E80 && code <= 0xA4CF) ||
           (code >= 0xA960 && code <= 0xA97F) || (code >= 0xAC00 && code <= 0xD7FF) ||
           (code >= 0xF900 && code <= 0xFAFF) || (code >= 0xFF66 && code <= 0xFFDC) ||
           (code >= 0x1B000 && code <= 0x1B2FF) || (code >= 0x20000 && code <= 0x3FFFF);
}

static uint8_t kind_by_category(uint32_t code)
{
    switch (utf8proc_category((int32_t)code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT:
        return K_UPPER;
    case UTF8PROC_CATEGORY_LL:
        return K_LOWER;
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
        return th__is_east(code) ? K_EAST : K_LETTER;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
        return K_DIGIT;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
        return K_MARK;
    default:
        return K_PUNCT;
    }
}

static uint8_t kind_of(uint32_t code)
{
    if (code < 0x80)
        return code == '&' ? K_PUNCT : byte_kinds[code];
    if (th__is_blank_char(code))
        return K_SPACE;
    if (code >= 0xC0 && code <= 0xFF)
        return code == 0xD7 || code == 0xF7 ? K_PUNCT : code <= 0xDE ? K_UPPER : K_LOWER;
    if (code >= 0x0400 && code <= 0x045F)
        return code < 0x0430 ? K_UPPER : K_LOWER;
    if ((code >= 0x4E00 && code <= 0x9FFF) || (code >= 0x3041 && code <= 0x3096) ||
        (code >= 0x30A1 && code <= 0x30FA) || (code >= 0xAC00 && code <= 0xD7A3))
        return K_EAST;
    return kind_by_category(code);
}

enum { MODE_TEXT, MODE_ATTRIBUTE, MODE_RAW };

typedef struct lex_char {
    uint32_t code;
    uint32_t len; /* bytes of source */
    uint8_t kind;
    bool ref;
} lex_char;

/* The character at `at`, which is before end. */
static inline lex_char char_at(const char *at, const char *end, unsigned mode)
{
    unsigned char byte = (unsigned char)*at;
    lex_char c = {byte, 1, byte_kinds[byte], false};
    if (c.kind < K_AMP)
        return c;
    if (c.kind == K_AMP) {
        char chars[TH__CHARREF_MAX];
        size_t len, used = 0;
        c.kind = K_PUNCT;
        if (mode != MODE_RAW)
            used = th__charref(at, end, mode == MODE_ATTRIBUTE, chars, &len);
        if (used) {
            th__utf8_next(chars, &c.code);
            c = (lex_char){c.code, (uint32_t)used, kind_of(c.code), true};
        }
        return c;
    }
    bool cut;
    c.len = th__utf8_decode(at, end, &c.code, &cut);
    c.kind = cut ? K_PUNCT : kind_of(c.code);
    return c;
}

static bool is_letter(uint8_t kind)
{
    return kind == K_UPPER || kind == K_LOWER || kind == K_LETTER;
}

/* --- words ------------------------------------------------------------------------------------ */

/* What was seen in a word: a bit for each kind. */
typedef unsigned lex_seen;
#define SEEN(kind) (1u << (kind))

static th_class word_class(uint8_t first, lex_seen seen)
{
    bool letters = seen & (SEEN(K_UPPER) | SEEN(K_LOWER) | SEEN(K_LETTER));
    if (seen & SEEN(K_DIGIT))
        return letters ? TH_CLASS_MIXED : TH_CLASS_NUMBER;
    if (first == K_UPPER)
        return seen & SEEN(K_LOWER) ? TH_CLASS_INITCAP : TH_CLASS_ALLCAPS;
    return first == K_LOWER ? TH_CLASS_LOWER : TH_CLASS_UNCASED;
}

static const char *digits_end(const char *at, const char *end)
{
    while (at < end && th__is_digit((unsigned char)*at))
        at++;
    return at;
}

static bool joins_digits(const char *at, const char *end)
{
    return end - at >= 2 && (*at == '.' || *at == ',') && th__is_digit((unsigned char)at[1]);
}

/* The end of a number that begins with a digit. *refused is set when what follows shows that its
 * parts are no number: then only the first digits are taken. */
static const char *number_end(const char *start, const char *end, bool *refused)
{
    const char *first = digits_end(start, end), *at = first;
    char group = '\0';
    while (first - start <= 3 && joins_digits(at, end) && (!group || *at == group) &&
           digits_end(at + 1, end - at > 5 ? at + 5 : end) - at == 4) {
        group = *at;
        at += 4;
    }
    if (joins_digits(at, end) && *at != group) {
        const char *fraction = digits_end(at + 1, end);
        if (*at == '.' || fraction - at <= 3) /* one or two digits after a decimal comma */
            at = fraction;
    }
    *refused = joins_digits(at, end);
    return *refused ? first : at;
}

/* Reads on in a word after its first character or number. */
static const char *word_end(th_lex *lex, const char *at, const char *end, lex_seen *seen,
                            uint8_t last, uint8_t *flags)
{
    while (at < end) {
        uint8_t fast = byte_kinds[(unsigned char)*at];
        if (fast == K_LOWER || fast == K_UPPER || fast == K_DIGIT) {
            *seen |= SEEN(fast);
            last = fast;
            at++;
            continue;
        }
        if (fast < K_AMP && *at != '\'')
            break;
        lex_char c = char_at(at, end, lex->mode);
        bool apostrophe = (c.code == '\'' || c.code == 0x2019) && is_letter(last);
        if (apostrophe) {
            const char *after = at + c.len;
            if (after == end)
                break;
            lex_char next = char_at(after, end, lex->mode);
            if (!is_letter(next.kind))
                break;
            *seen |= SEEN(next.kind);
            *flags |= c.ref || next.ref ? TH_FINE_REFS : 0;
            last = next.kind;
            at = after + next.len;
            continue;
        }
        if (!is_letter(c.kind) && c.kind != K_DIGIT && c.kind != K_MARK)
            break;
        if (c.kind != K_MARK) {
            *seen |= SEEN(c.kind);
            last = c.kind;
        }
        *flags |= c.ref ? TH_FINE_REFS : 0;
        at += c.len;
    }
    return at;
}

/* Characters of one kind, and marks. */
static const char *run_end(th_lex *lex, const char *at, const char *end, uint8_t kind,
                           bool take_marks, uint32_t *count, uint8_t *flags)
{
    while (at < end) {
        lex_char c = char_at(at, end, lex->mode);
        if (c.kind != kind && !(take_marks && c.kind == K_MARK))
            break;
        if (kind == K_NEWLINE && !c.ref && *at == '\n' && at[-1] == '\r')
            (*count)--; /* the LF of a CRLF */
        (*count)++;
        *flags |= c.ref ? TH_FINE_REFS : 0;
        at += c.len;
    }
    return at;
}

static const char *marks_end(th_lex *lex, const char *at, const char *end, uint8_t *flags)
{
    uint32_t count = 0;
    if (at < end && byte_kinds[(unsigned char)*at] < K_AMP)
        return at;
    return run_end(lex, at, end, K_MARK, false, &count, flags);
}

static const char *lex_word(th_lex *lex, const char *at, const char *end, lex_char first,
                            th_fine *out)
{
    lex_seen seen = SEEN(first.kind);
    const char *next = at + first.len;
    if (first.kind == K_DIGIT && first.code < 0x80 && !first.ref) {
        bool refused = false;
        next = lex->no_joining ? digits_end(at, end) : number_end(at, end, &refused);
        lex->no_joining |= refused;
    }
    next = word_end(lex, next, end, &seen, first.kind, &out->flags);
    out->cls = (uint8_t)word_class(first.kind, seen);
    if (out->cls != TH_CLASS_NUMBER)
        lex->no_joining = false;
    return next;
}

static void lex_text(th_lex *lex, th_fine *out)
{
    const char *base = lex->page->text.ptr, *at = base + lex->at, *end = base + lex->text_end;
    lex_char first = char_at(at, end, lex->mode);
    const char *next = at + first.len;
    *out = (th_fine){.start = lex->at,
                     .count = 1,
                     .flags = (uint8_t)((first.ref ? TH_FINE_REFS : 0) |
                                        (lex->mode == MODE_ATTRIBUTE ? TH_FINE_ATTRIBUTE : 0))};
    switch (first.kind) {
    case K_UPPER:
    case K_LOWER:
    case K_LETTER:
    case K_DIGIT:
        next = lex_word(lex, at, end, first, out);
        break;
    case K_EAST: {
        uint32_t count = 1;
        next = run_end(lex, next, end, K_EAST, true, &count, &out->flags);
        out->cls = TH_CLASS_UNCASED;
        lex->no_joining = false;
        break;
    }
    case K_NEWLINE:
    case K_TAB:
    case K_SPACE:
        next = run_end(lex, next, end, first.kind, false, &out->count, &out->flags);
        out->cls = (uint8_t)(TH_CLASS_NEWLINE + (first.kind - K_NEWLINE));
        lex->no_joining = false;
        break;
    default:
        out->cls = TH_CLASS_PUNCT;
        lex->no_joining &= first.code == '.' || first.code == ',';
        next = marks_end(lex, next, end, &out->flags);
        break;
    }
    out->end = lex->at = (uint32_t)(next - base);
}

/* --- the walk --------------------------------------------------------------------------------- */

void th_lex_init(th_lex *lex, const th_page *page, th_span span)
{
    uint32_t len = (uint32_t)page->text.len;
    *lex = (th_lex){.page = page, .at = span.start, .end = span.end < len ? span.end : len};
    if (lex->at >= lex->end)
        return;
    lex->token = th__token_at(page, span.start);
    lex->text_end = lex->at;
    const th_token *t = &page->tokens[lex->token];
    /* Where the span lies inside one token, or begins in a script, it is text. */
    bool inside = span.start > t->start && lex->end <= t[1].start;
    bool tag = t->kind == TH_TOKEN_START || t->kind == TH_TOKEN_END;
    if (t->kind == TH_TOKEN_RAW ||
        (inside && (tag || t->kind == TH_TOKEN_COMMENT || t->kind == TH_TOKEN_DOCTYPE))) {
        lex->mode = tag ? MODE_ATTRIBUTE : MODE_RAW;
        lex->text_end = t[1].start < lex->end ? t[1].start : lex->end;
        lex->token++;
    }
}

void th__lex_token(th_lex *lex, const th_page *page, uint32_t token)
{
    const th_token *t = &page->tokens[token];
    bool text = t->kind == TH_TOKEN_TEXT || t->kind == TH_TOKEN_RCDATA;
    *lex = (th_lex){.page = page, .at = t->start, .end = t[1].start, .token = token};
    lex->text_end = text ? lex->end : lex->at;
    lex->mode = MODE_TEXT;
}

void th__lex_plain(th_lex *lex, th_page *shell, th_str text)
{
    uint32_t len = text.len < UINT32_MAX ? (uint32_t)text.len : UINT32_MAX;
    *shell = (th_page){.text = {text.ptr, len}};
    *lex = (th_lex){.page = shell, .end = len, .text_end = len, .mode = MODE_RAW};
}

static void emit_markup(th_lex *lex, th_fine *out, th_class cls, uint16_t tag, uint32_t end)
{
    *out = (th_fine){.start = lex->at, .end = end, .count = 1, .tag = tag, .cls = (uint8_t)cls};
    lex->at = end;
    lex->no_joining = false;
}

/* A CDATA section is its opening, its text and its closing. */
static bool enter_cdata(th_lex *lex, uint32_t end, th_fine *out)
{
    th_str inner = th__cdata_text(th__token_text(lex->page, lex->token));
    uint32_t start = (uint32_t)(inner.ptr - lex->page->text.ptr);
    uint32_t stop = start + (uint32_t)inner.len;
    if (lex->at < start) {
        emit_markup(lex, out, TH_CLASS_MARKUP, 0, start < end ? start : end);
        return false;
    }
    if (lex->at >= stop) {
        emit_markup(lex, out, TH_CLASS_MARKUP, 0, end);
        return false;
    }
    lex->mode = MODE_RAW;
    lex->text_end = stop < end ? stop : end;
    return true;
}

/* Takes the coarse token at lex->at: true when it is text to be read, else *out is made. */
static bool enter_token(th_lex *lex, th_fine *out)
{
    const th_page *page = lex->page;
    while (page->tokens[lex->token + 1].start <= lex->at)
        lex->token++;
    const th_token *t = &page->tokens[lex->token];
    uint32_t end = t[1].start < lex->end ? t[1].start : lex->end;
    bool cut = lex->at > t->start;
    switch (t->kind) {
    case TH_TOKEN_TEXT:
    case TH_TOKEN_RCDATA:
        lex->mode = MODE_TEXT;
        lex->text_end = end;
        return true;
    case TH_TOKEN_CDATA:
        return enter_cdata(lex, end, out);
    case TH_TOKEN_RAW:
        if (lex->token == 0 || !(th__tag_flags(t[-1].tag) & TH_TAG_IS_HIDDEN)) {
            lex->mode = MODE_RAW;
            lex->text_end = end;
            return true;
        }
        emit_markup(lex, out, TH_CLASS_MARKUP, 0, end);
        return false;
    case TH_TOKEN_START:
    case TH_TOKEN_END:
        emit_markup(lex, out,
                    cut                         ? TH_CLASS_MARKUP
                    : t->kind == TH_TOKEN_START ? TH_CLASS_TAG_START
                                                : TH_CLASS_TAG_END,
                    t->tag, end);
        return false;
    default:
        emit_markup(lex, out, TH_CLASS_MARKUP, 0, end);
        return false;
    }
}

bool th_lex_next(th_lex *lex, th_fine *out)
{
    if (lex->at >= lex->end)
        return false;
    if (lex->at < lex->text_end || enter_token(lex, out))
        lex_text(lex, out);
    return true;
}

/* --- text ------------------------------------------------------------------------------------- */

bool th__fine_is_gap(const th_page *page, const th_fine *fine)
{
    const char *at = page->text.ptr + fine->start, *end = page->text.ptr + fine->end;
    if (fine->count <= 1)
        return false;
    while (at < end && th__is_blank((unsigned char)*at))
        at++; /* nearly always to the end: a page's indentation */
    th_str rest = {at, (size_t)(end - at)};
    return th__has_no_break(rest);
}

th_str th__fine_text(const th_page *page, const th_fine *fine, th__buf *scratch)
{
    th_str source = th__page_slice(page, fine->start, fine->end);
    if (!(fine->flags & TH_FINE_REFS))
        return source;
    th__buf_clear(scratch);
    if (!th__decode_refs(source, fine->flags & TH_FINE_ATTRIBUTE, scratch))
        return (th_str){0};
    return th__buf_str(scratch);
}

th_status th_fine_text(const th_page *page, const th_fine *fine, th_text *out, th_error *err)
{
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    th_str source = th__page_slice(page, fine->start, fine->end);
    if (fine->flags & TH_FINE_REFS)
        th__decode_refs(source, fine->flags & TH_FINE_ATTRIBUTE, &buf);
    else
        th__buf_add_str(&buf, source);
    bool ok = th__buf_add_byte(&buf, '\0');
    *out = (th_text){buf.data, ok ? buf.len - 1 : 0, buf.cap};
    return ok ? TH_OK : th__fail_memory(err);
}
