/*
 * text.c: see text.h for the rules.
 *
 * One walk over the tokens serves both forms of the result. Text is copied 16 bytes at a time up to
 * the next byte that is not plain (a blank, "&", or beyond ASCII); for that the output keeps 16
 * bytes of slack, and room for a token's text is made once: no reference grows by more than a fifth
 * (&nGt; is 5 bytes and means 6).
 */
#include "page/text.h"
#include "page/url.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "page/signs.h"
#include "page/bytes.h"
#include "page/charref.h"
#include "page/parse.h"
#include "page/tags.h"

typedef struct folder {
    const th_page *page;
    th__buf *out;
    th__folded *map; /* NULL when only the text is wanted */
    size_t first;    /* where our text begins in out */
    bool blank;      /* a blank is due before the next character */
    uint32_t blank_start;
    uint32_t token; /* a guess: the text begins near it */
} folder;

/* The same among tokens of which the first is at or before the byte. */
static uint32_t token_among(const th_page *page, uint32_t low, uint32_t count, uint32_t offset)
{
    for (uint32_t half; count > 1; count -= half) {
        half = count / 2;
        low += half * (page->tokens[low + half].start <= offset); /* no branch to be guessed */
    }
    return low;
}

uint32_t th__token_at(const th_page *page, uint32_t offset)
{
    return token_among(page, 0, page->token_count, offset);
}

/* The same for a byte that is likely right behind the beginning of a token. */
static uint32_t token_near(const th_page *page, uint32_t token, uint32_t offset)
{
    enum { NEAR = 8 };
    token = page->tokens[token].start <= offset ? token : 0;
    uint32_t left = page->token_count - token;
    bool near = left > NEAR && page->tokens[token + NEAR].start > offset;
    return token_among(page, token, near ? NEAR : left, offset);
}

/* --- the sink ------------------------------------------------------------------------------- */

static bool make_room(folder *f, size_t source_len)
{
    if (!th__buf_reserve(f->out, source_len + source_len / 4 + 32))
        return false;
    th__folded *map = f->map;
    if (!map || map->cap >= f->out->cap)
        return true;
    uint32_t *start = th__mem_resize(map->start, f->out->cap, sizeof *start);
    if (start)
        map->start = start;
    uint32_t *end = th__mem_resize(map->end, f->out->cap, sizeof *end);
    if (end)
        map->end = end;
    if (start && end)
        map->cap = f->out->cap;
    else
        f->out->failed = true;
    return start && end;
}

static inline void note_blank(folder *f, uint32_t at)
{
    if (!f->blank) {
        f->blank = true;
        f->blank_start = at;
    }
}

static inline void flush_blank(folder *f, uint32_t at)
{
    if (!f->blank)
        return;
    f->blank = false;
    if (f->out->len == f->first)
        return;
    if (f->map) {
        f->map->start[f->out->len] = f->blank_start;
        f->map->end[f->out->len] = at;
    }
    f->out->data[f->out->len++] = ' ';
}

/* Adds one character, which is at start..end of the source. */
static void put_char(folder *f, const char *bytes, size_t len, uint32_t start, uint32_t end)
{
    flush_blank(f, start);
    for (size_t i = 0; i < len; i++) {
        if (f->map) {
            f->map->start[f->out->len] = start;
            f->map->end[f->out->len] = end;
        }
        f->out->data[f->out->len++] = bytes[i];
    }
}

/* The first byte that is not printable ASCII or is "&". */
static inline const char *plain_end(const char *at, const char *end)
{
    while (at < end && (signed char)*at > ' ' && *at != '&')
        at++;
    return at;
}

/* Copies the bytes at `at` that stay as they are: plain ones, and single spaces between them.
 * Returns where they end. What is behind the text may be loaded with it, up to the page's end. */
static inline const char *put_plain(folder *f, const char *base, const char *at, const char *end)
{
    if ((signed char)*at <= ' ' || *at == '&')
        return at;
    flush_blank(f, (uint32_t)(at - base));
    const char *start = at;
    char *to = f->out->data + f->out->len;
#if TH__SIMD
    const __m128i blank = _mm_set1_epi8(' '), amp = _mm_set1_epi8('&');
    for (const char *last = base + f->page->text.len; last - at >= 16;) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)at);
        _mm_storeu_si128((__m128i *)to, bytes);
        unsigned plain = (unsigned)_mm_movemask_epi8(
            _mm_andnot_si128(_mm_cmpeq_epi8(bytes, amp), _mm_cmpgt_epi8(bytes, blank)));
        unsigned space = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, blank));
        if (end - at < 16)
            plain &= (1U << (end - at)) - 1;
        unsigned run = (unsigned)__builtin_ctz(~(plain | (space & plain << 1 & plain >> 1)));
        at += run;
        to += run;
        if (run < 16)
            goto done;
    }
#endif
    {
        const char *stop = plain_end(at, end);
        memcpy(to, at, (size_t)(stop - at));
        at = stop;
    }
#if TH__SIMD
done:
#endif
    if (f->map)
        for (const char *c = start; c < at; c++) {
            f->map->start[f->out->len + (size_t)(c - start)] = (uint32_t)(c - base);
            f->map->end[f->out->len + (size_t)(c - start)] = (uint32_t)(c - base) + 1;
        }
    f->out->len += (size_t)(at - start);
    return at;
}

/* Adds one or two characters that may be blanks. */
static void put_decoded(folder *f, const char *bytes, size_t len, uint32_t start, uint32_t end)
{
    for (size_t i = 0; i < len;) {
        uint32_t code;
        unsigned step = th__utf8_next(bytes + i, &code);
        if (th__is_blank_char(code))
            note_blank(f, start);
        else if (code)
            put_char(f, bytes + i, step, start, end);
        i += step;
    }
}

enum { REFS = 1, IN_ATTRIBUTE = 2 };

static bool fold_text(folder *f, uint32_t from, uint32_t to, unsigned flags)
{
    const char *base = f->page->text.ptr, *at = base + from, *end = base + to;
    if (!make_room(f, to - from))
        return false;
    while (at < end) {
        at = put_plain(f, base, at, end);
        if (at == end)
            break;
        uint32_t offset = (uint32_t)(at - base);
        if (*at == ' ' || *at == '\n') { /* the commonest by far */
            note_blank(f, offset);
            at++;
            continue;
        }
        char chars[TH__CHARREF_MAX];
        size_t len, used = 0;
        if (*at == '&' && flags & REFS)
            used = th__charref(at, end, flags & IN_ATTRIBUTE, chars, &len);
        if (used) {
            put_decoded(f, chars, len, offset, offset + (uint32_t)used);
        } else if (*at == '&') {
            put_char(f, at, 1, offset, offset + 1);
            used = 1;
        } else {
            uint32_t code;
            bool cut; /* by the border of the span: left out */
            used = th__utf8_decode(at, end, &code, &cut);
            if (!cut)
                put_decoded(f, at, used, offset, offset + (uint32_t)used);
        }
        at += used;
    }
    return true;
}

/* --- blanks --------------------------------------------------------------------------------- */

size_t th__no_break_at(th_str source, size_t at)
{
    static const th_str spellings[] = {
        {"&nbsp;", 6}, {"\xC2\xA0", 2}, {"&#160;", 6}, {"&#xA0;", 6}, {"&#xa0;", 6}};
    th_str rest = {source.ptr + at, source.len - at};
    if (*rest.ptr != '&' && *rest.ptr != '\xC2')
        return 0;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (th__str_starts(rest, spellings[i]))
            return spellings[i].len;
    return 0;
}

bool th__has_no_break(th_str source)
{
    bool found = false;
    for (size_t at = 0; at < source.len && !found; at++)
        found = th__no_break_at(source, at);
    return found;
}

/* How many bytes of a blank end a source. */
static size_t blank_before(th_str source)
{
    unsigned char last = (unsigned char)source.ptr[source.len - 1];
    size_t len = last == ';' ? 6 : last == 0xA0 ? 2 : 0;
    if (!len)
        return th__is_blank(last);
    return source.len >= len && th__no_break_at(source, source.len - len) == len ? len : 0;
}

th_str th__blank_trim(th_str source)
{
    for (size_t len; source.len && (len = th__blank_at(source, 0));)
        source = (th_str){source.ptr + len, source.len - len};
    for (size_t len; source.len && (len = blank_before(source));)
        source.len -= len;
    return source;
}

th_span th__span_trim(const th_page *page, th_span span)
{
    th_str text = th__blank_trim(th__page_slice(page, span.start, span.end));
    uint32_t start = (uint32_t)(text.ptr - page->text.ptr);
    return (th_span){start, start + (uint32_t)text.len};
}

bool th__ends_with_colon(th_str source)
{
    source = th__str_trim(source);
    return source.len && source.ptr[source.len - 1] == ':';
}

/* --- the same text -------------------------------------------------------------------------- */

/* Returns true if the bytes of a character are a letter, a digit or a picture rather than a mark:
 * neither U+00A0..U+00BF nor U+2000..U+25FF (quotes, dashes, arrows, lines). */
static bool is_readable(const char *at, size_t len)
{
    unsigned char c = (unsigned char)at[0];
    if (c < 0x80)
        return th__is_alpha(c) || th__is_digit(c);
    if (c < 0xC0)
        return false; /* not its first byte */
    return c != 0xC2 && !(c == 0xE2 && len > 1 && (unsigned char)at[1] < 0x98);
}

/* Steps over a character reference: how many bytes it has, none if it is not a reference; and
 * whether it means something readable. A space that does not break is a blank. */
static size_t skip_reference(th_str text, size_t at, bool *readable, bool *blank)
{
    char out[TH__CHARREF_MAX];
    size_t len = 0;
    size_t used = th__charref(text.ptr + at, text.ptr + text.len, false, out, &len);
    *readable |= used && len && is_readable(out, len);
    *blank = len == 2 && !memcmp(out, "\xC2\xA0", 2);
    return used;
}

/* Eight bytes as a word, the first byte lowest. */
static inline uint64_t load8(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* How many of the next eight bytes come before a blank, a control character or a reference. */
static inline unsigned count_plain8(uint64_t eight)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t reference = eight ^ ones * '&';
    uint64_t found = ((eight - ones * 0x21) & ~eight) | ((reference - ones) & ~reference);
    return found & tops ? (unsigned)__builtin_ctzll(found & tops) / 8 : 8;
}

/* The next bytes of a text, zeros behind its end. */
static inline uint64_t word_at(th_str text, size_t at)
{
    uint64_t word = 0;
    if (text.len - at >= 8) {
        word = load8(text.ptr + at);
    } else if (text.len >= 8) {
        word = load8(text.ptr + text.len - 8);
        word >>= 8 * (8 - (text.len - at));
    } else {
        for (size_t i = text.len; i-- > at;)
            word = word << 8 | (unsigned char)text.ptr[i];
    }
    return word;
}

/* A text hashes to its bytes, eight at a time, the first byte highest. Hashes all whole words and
 * moves the other bytes to their place: how many there are. */
static size_t hash_words(char *bytes, size_t count, uint64_t *hash)
{
    size_t at = 0;
    for (; count - at >= 8; at += 8)
        *hash = th__hash_mix(*hash, __builtin_bswap64(load8(bytes + at)));
    memmove(bytes, bytes + at, count - at);
    return count - at;
}

/* Fewer than eight bytes as a word. */
static uint64_t last_word(const char *bytes, size_t count)
{
    return count ? __builtin_bswap64(load8(bytes)) >> 8 * (8 - count) : 0;
}

bool th__text_measure(th_str text, uint64_t *hash, uint32_t *len)
{
    enum { ROOM = 128 };
    char bytes[ROOM + 8]; /* that count, eight copied at once */
    bool readable = false, blank = false;
    size_t signs = 0; /* bytes before this one are part of a reference */
    size_t count = 0;
    for (size_t i = 0; i < text.len;) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (th__is_blank(c)) {
            i++;
            continue;
        }
        if (count >= ROOM) {
            *len += (uint32_t)count;
            count = hash_words(bytes, count, hash);
            *len -= (uint32_t)count;
        }
        if (i >= signs) {
            uint64_t eight = word_at(text, i);
            unsigned plain = count_plain8(eight);
            memcpy(bytes + count, &eight, sizeof eight);
            for (unsigned k = 0; k < plain && !readable; k++)
                readable = is_readable(text.ptr + i + k, text.len - i - k);
            count += plain;
            i += plain;
            if (plain)
                continue;
        }
        if (c == '&' && i >= signs) {
            signs = i + skip_reference(text, i, &readable, &blank);
            if (signs > i && blank) {
                i = signs;
                continue;
            }
        }
        readable |= i >= signs && is_readable(text.ptr + i, text.len - i);
        bytes[count++] = (char)c;
        i++;
    }
    *len += (uint32_t)count;
    count = hash_words(bytes, count, hash);
    if (count)
        *hash = th__hash_mix(*hash, last_word(bytes, count));
    return readable;
}

bool th__text_is_readable(th_str text)
{
    bool readable = false, blank;
    for (size_t i = 0, used; i < text.len && !readable; i += used ? used : 1) {
        used = text.ptr[i] == '&' ? skip_reference(text, i, &readable, &blank) : 0;
        readable |= !used && is_readable(text.ptr + i, text.len - i);
    }
    return readable;
}

uint64_t th__anchor_key(th_str source, bool references, th__buf *scratch)
{
    th_str text = source;
    char bytes[2 * TH__ANCHOR_LONGEST + 8]; /* a decoded reference may be longer than its source */
    uint64_t hash = 0;
    size_t count = 0;
    bool letters = false;
    if (source.len > TH__ANCHOR_LONGEST)
        return 0;
    if (references &&
        th__find_byte(source.ptr, source.ptr + source.len, '&') < source.ptr + source.len) {
        th__buf_clear(scratch);
        if (th__decode_refs(source, false, scratch))
            text = th__buf_str(scratch);
    }
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (th__is_alpha(c)) { /* by far the most */
            uint64_t eight = word_at(text, i);
            unsigned alpha = th__count_alpha(eight);
            letters = true;
            memcpy(bytes + count, &eight, sizeof eight);
            count += alpha;
            i += alpha - 1;
            continue;
        }
        if (th__is_blank(c) || !c)
            continue;
        if (c >= 0x80) {
            uint32_t code;
            bool cut;
            size_t len = th__utf8_decode(text.ptr + i, text.ptr + text.len, &code, &cut);
            if (!cut && th__is_blank_char(code)) {
                i += len - 1;
                continue;
            }
        }
        if (th__is_digit(c)) {
            if (i && th__is_digit((unsigned char)text.ptr[i - 1]))
                continue;
            c = '#';
        }
        letters |= c >= 0x80;
        bytes[count++] = (char)c;
    }
    count = hash_words(bytes, count, &hash);
    return letters ? th__hash_mix(hash, last_word(bytes, count)) | 1 : 0;
}

/* --- the walk ------------------------------------------------------------------------------- */

static bool separates_words(const th_page *page, uint32_t token)
{
    const th_token *t = &page->tokens[token];
    if (th__tag_flags(t->tag) & TH_TAG_IS_BLOCK)
        return true;
    if (t->flags & TH_TOKEN_FOREIGN)
        return true;
    if (t->tag < TH_TAG_OTHER)
        return false;
    th_str name = th_token_name(page, token);
    return memchr(name.ptr, '-', name.len) != NULL;
}

uint32_t th__hidden_end(const th_page *page, uint32_t token)
{
    const th_token *t = &page->tokens[token];
    if (t->kind != TH_TOKEN_START || t->flags & TH_TOKEN_LEAF || token + 1 == page->token_count)
        return token + 1;
    if (!th__tag_hides(t->tag))
        return token + 1;
    if (t[1].kind == TH_TOKEN_RAW)
        return token + 2;
    if (t[1].kind == TH_TOKEN_END && t[1].tag == t->tag)
        return token + 1;
    uint32_t node = th__page_node_until(page, token), end = page->nodes[node].token_end;
    return node && page->nodes[node].token == token && end > token ? end : token + 1;
}

/* A span that lies inside one token of markup, not from its start. */
static bool fold_inside_markup(folder *f, uint32_t token, th_span span)
{
    uint8_t kind = f->page->tokens[token].kind;
    bool tag = kind == TH_TOKEN_START || kind == TH_TOKEN_END;
    return fold_text(f, span.start, span.end, tag ? REFS | IN_ATTRIBUTE : 0);
}

static bool fold_token(folder *f, uint32_t token, uint32_t from, uint32_t to)
{
    const th_token *t = &f->page->tokens[token];
    switch (t->kind) {
    case TH_TOKEN_TEXT:
        if (t->flags & TH_TOKEN_BLANK) {
            note_blank(f, from);
            return true;
        }
        return fold_text(f, from, to, REFS);
    case TH_TOKEN_RCDATA:
        return fold_text(f, from, to, REFS);
    case TH_TOKEN_RAW:
        return fold_text(f, from, to, 0);
    case TH_TOKEN_CDATA: {
        th_str inner = th__cdata_text(th__token_text(f->page, token));
        uint32_t start = (uint32_t)(inner.ptr - f->page->text.ptr),
                 end = start + (uint32_t)inner.len;
        from = from > start ? from : start;
        to = to < end ? to : end;
        return from >= to || fold_text(f, from, to, 0);
    }
    case TH_TOKEN_START:
    case TH_TOKEN_END:
        if (separates_words(f->page, token))
            note_blank(f, from);
        return true;
    default:
        return true;
    }
}

static bool fold_span(folder *f, th_span span)
{
    const th_page *page = f->page;
    if (span.end > page->text.len)
        span.end = (uint32_t)page->text.len;
    if (span.start >= span.end)
        return true;
    uint32_t token = token_near(page, f->token, span.start);
    const th_token *t = &page->tokens[token];
    bool markup = t->kind != TH_TOKEN_TEXT && t->kind != TH_TOKEN_RCDATA &&
                  t->kind != TH_TOKEN_RAW && t->kind != TH_TOKEN_CDATA;
    if (markup && span.start > t->start) {
        if (span.end <= t[1].start)
            return fold_inside_markup(f, token, span);
        token++;
    }
    while (token < page->token_count && page->tokens[token].start < span.end) {
        uint32_t from = page->tokens[token].start, to = page->tokens[token + 1].start;
        if (!fold_token(f, token, from > span.start ? from : span.start,
                        to < span.end ? to : span.end))
            return false;
        token = th__hidden_end(page, token);
    }
    return true;
}

bool th__node_span_text(const th_page *page, uint32_t node, th_span span, th__buf *out)
{
    folder f = {.page = page, .out = out, .first = out->len, .token = page->nodes[node].token};
    return fold_span(&f, span) && !out->failed;
}

bool th__page_fold(const th_page *page, th_span span, th__folded *out)
{
    th__buf_clear(&out->text);
    folder f = {.page = page, .out = &out->text, .map = out};
    return fold_span(&f, span) && !out->text.failed;
}

void th__folded_release(th__folded *folded)
{
    th__buf_release(&folded->text);
    th__mem_free(folded->start);
    th__mem_free(folded->end);
    *folded = (th__folded){0};
}

/* --- public --------------------------------------------------------------------------------- */

static th__buf buf_of(th_text *text)
{
    return (th__buf){.data = text->ptr, .cap = text->cap};
}

static th_status finish(th_text *text, th__buf *buf, th_error *err)
{
    bool ok = th__buf_add_byte(buf, '\0');
    *text = (th_text){buf->data, ok ? buf->len - 1 : 0, buf->cap};
    return ok ? TH_OK : th__fail_memory(err);
}

bool th__page_value(const th_page *page, th_str attribute, th_span span, th__buf *out)
{
    if (!th__attribute_is_link(attribute))
        return th__span_text(page, span, out);
    th_str source = th__page_slice(page, span.start, span.end);
    th__buf link = {0};
    bool plain = !source.len || !memchr(source.ptr, '&', source.len);
    bool ok = (plain || th__decode_refs(source, true, &link)) &&
              th__url_resolve(page->base.ptr ? page->base : page->url,
                              plain ? source : th__buf_str(&link), out);
    th__buf_release(&link);
    return ok;
}

bool th__page_title(const th_page *page, th__buf *out)
{
    for (uint32_t i = 1; i < page->node_count; i++)
        if (page->tags[i] == TH_TAG_TITLE)
            return th__span_text(page, th_page_node_span(page, i), out);
    return true;
}

th_status th_page_span_text(const th_page *page, th_span span, th_text *out, th_error *err)
{
    th__buf buf = buf_of(out);
    th__span_text(page, span, &buf);
    return finish(out, &buf, err);
}

th_status th_page_node_text(const th_page *page, uint32_t node, th_text *out, th_error *err)
{
    return th_page_span_text(page, th_page_node_span(page, node), out, err);
}

th_status th_attr_text(th_str value, th_text *out, th_error *err)
{
    th__buf buf = buf_of(out);
    th__decode_refs(value, true, &buf);
    return finish(out, &buf, err);
}

void th_text_release(th_text *text)
{
    th__mem_free(text->ptr);
    *text = (th_text){0};
}

bool th__says_nothing(th_str text)
{
    enum { LONGEST = 16 };
    if (text.len > LONGEST)
        return false;
    for (size_t at = 0; at < text.len;) {
        uint32_t code = 0;
        at += th__char_next(text, at, &code);
        unsigned kind = th__sign_kind(code), between = kind & TH__SIGN_BETWEEN;
        if (!(kind & TH__SIGN_BLANK) && (between != TH__SIGN_BETWEEN || !(kind & TH__SIGN_PARTS)))
            return th__str_eq_nocase(text, TH_STR("n/a"));
    }
    return true;
}
