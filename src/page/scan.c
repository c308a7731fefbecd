/*
 * scan.c: UTF-8 text becomes coarse tokens.
 *
 * One pass, no allocation but the growing token array. The states of the standard that matter for
 * where a token ends:
 *
 *     data ──"<a"──▶ tag ──">"──▶ data                       scan_tag, tag_end
 *       │                └─ script ─▶ script data ─┐         script_end
 *       │                └─ style … ─▶ rawtext ────┤         raw_end
 *       │                └─ title … ─▶ rcdata ─────┴▶ data   raw_end
 *       ├─"<!--" ─▶ comment ─"-->" or "--!>"─▶ data          comment_end
 *       ├─"<!doctype" ─▶ doctype ─">"─▶ data
 *       ├─"<![CDATA[" inside svg or math ─"]]>"─▶ data
 *       └─"<!", "<?", "</" + no letter ─▶ bogus comment ─">"─▶ data
 *
 * The one thing a scanner needs from the tree is whether it stands in svg or math, where style and
 * title are ordinary and CDATA exists. It keeps a stack of bits for that: see struct foreign.
 *
 * Cost: linear. Every search ends where its token ends, at the end of the text at the latest.
 */
#include "page/scan.h"

#include <stddef.h>

#include "base/mem.h"
#include "base/str.h"
#include "page/bytes.h"
#include "page/tags.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "tag keys are little-endian words");

/*
 * Where we stand in svg and math. Each open svg, math or integration point (an element of theirs
 * that holds HTML again) is one bit, newest lowest: 1 foreign, 0 HTML. 64 levels are kept; deeper
 * ones are taken as the 64th. Elements in between do not matter to the scanner.
 */
struct foreign {
    uint64_t bits;
    uint16_t tags[64];
    unsigned depth;
};

struct scanner {
    th__scan *scan;
    const char *text, *at, *end;
    struct foreign foreign;
};

void th__scan_release(th__scan *scan)
{
    th__mem_free(scan->tokens);
    *scan = (th__scan){0};
}

static bool in_foreign(const struct scanner *s)
{
    return s->foreign.depth && (s->foreign.bits & 1);
}

static void foreign_push(struct foreign *f, uint16_t tag, bool is_foreign)
{
    if (f->depth == 64)
        return;
    f->bits = f->bits << 1 | is_foreign;
    f->tags[f->depth++] = tag;
}

static void foreign_pop_to(struct foreign *f, unsigned depth)
{
    f->bits = depth ? f->bits >> (f->depth - depth) : 0;
    f->depth = depth;
}

/* Follows a start tag; tells whether the element itself is foreign. */
static bool foreign_start(struct foreign *f, uint16_t tag, uint32_t flags, bool self_closing)
{
    bool inside = f->depth && (f->bits & 1);
    if (tag == TH_TAG_SVG || tag == TH_TAG_MATH) {
        if (!self_closing)
            foreign_push(f, tag, true);
        return true;
    }
    if (!inside)
        return false;
    if (flags & TH_TAG_IS_BREAKOUT) {
        unsigned depth = f->depth;
        while (depth && (f->bits >> (f->depth - depth) & 1))
            depth--;
        foreign_pop_to(f, depth);
        return false;
    }
    if ((flags & TH_TAG_IS_INTEGRATION) && !self_closing)
        foreign_push(f, tag, false);
    return true;
}

static void foreign_end(struct foreign *f, uint16_t tag, uint32_t flags)
{
    for (unsigned depth = f->depth; depth; depth--)
        if (f->tags[depth - 1] == tag) {
            foreign_pop_to(f, depth - 1);
            return;
        }
    /* </div> inside an svg that nobody closed: the svg is over. */
    if ((f->bits & 1) &&
        (flags & (TH_TAG_IS_BREAKOUT | TH_TAG_IS_BLOCK_END | TH_TAG_IS_TABLE_PART)))
        foreign_pop_to(f, 0);
}

static bool grow(th__scan *scan)
{
    uint32_t cap = scan->cap < 4096 ? 4096 : scan->cap * 2;
    if (scan->cap > UINT32_MAX / 2)
        return false;
    th_token *tokens = th__mem_resize(scan->tokens, cap, sizeof *tokens);
    if (!tokens)
        return false;
    scan->tokens = tokens;
    scan->cap = cap;
    return true;
}

static inline bool emit(struct scanner *s, const char *start, uint16_t tag, th_token_kind kind,
                        unsigned flags)
{
    th__scan *scan = s->scan;
    if (scan->count == scan->cap && !grow(scan))
        return false;
    scan->tokens[scan->count++] =
        (th_token){(uint32_t)(start - s->text), tag, (uint8_t)kind, (uint8_t)flags};
    return true;
}

static inline bool emit_text(struct scanner *s, const char *start, const char *end)
{
    bool blank = th__all_blank(start, end, s->end);
    return emit(s, start, 0, TH_TOKEN_TEXT, blank ? TH_TOKEN_BLANK : 0);
}

/* ---- tags ------------------------------------------------------------------------------------ */

/* Returns true if the "=" at `eq` ends an attribute's name. It does unless no name stands before
 * it: then it is the first letter of one. Nothing before `from` belongs to a name. */
static inline bool ends_attr_name(const char *eq, const char *from)
{
    if (eq > from && (unsigned char)eq[-1] > '/')
        return true; /* the usual case: a letter */
    while (eq > from && th__is_blank((unsigned char)eq[-1]))
        eq--;
    return eq > from && eq[-1] != '/';
}

/*
 * Outside of quoted values every ">" ends the tag, and a quote opens a value only right after an
 * "=" that ends a name; an unquoted value runs to a blank or ">". So we hop from one of > and = to
 * the next; `from` is the end of the last value, before which no name can reach.
 */
static const char *tag_end(const char *at, const char *end, bool *self_closing)
{
    const char *from = at;
    *self_closing = false;
    for (;;) {
        at = th__find_either(at, end, '>', '=');
        if (at == end)
            return NULL;
        if (*at == '>') {
            *self_closing = at > from && at[-1] == '/';
            return at + 1;
        }
        if (!ends_attr_name(at++, from))
            continue;
        if (at < end && *at != '"') /* most values follow at once */
            while (at < end && th__is_blank((unsigned char)*at))
                at++;
        if (at == end)
            return NULL;
        if (*at == '"' || *at == '\'') {
            at = th__find_byte(at + 1, end, *at);
            if (at == end)
                return NULL;
            at++;
        } else {
            while (at < end && *at != '>' && !th__is_blank((unsigned char)*at))
                at++;
        }
        if (at < end && *at == '>')
            return at + 1; /* most tags end with a value */
        from = at;
    }
}

/* One past a tag's name. */
static const char *name_end(const char *at, const char *end)
{
    while (at < end && !th__ends_tag_name((unsigned char)*at))
        at++;
    return at;
}

/* Reads a tag's name. Nearly all have up to 8 letters and digits: those are cut and lower-cased in
 * a register (bit 5 turns upper case to lower and is set in digits already). */
static inline uint16_t read_name(const char *name, const char *end, const char **after)
{
    if (end - name > 8) {
        unsigned len = th__count_alnum8(name);
        if (th__ends_tag_name((unsigned char)name[len])) {
            uint64_t word, kept = len < 8 ? (UINT64_C(1) << 8 * len) - 1 : UINT64_MAX;
            memcpy(&word, name, 8);
            uint16_t tag = th__tag_find_standard((word | UINT64_C(0x2020202020202020)) & kept, 0);
            if (tag) {
                *after = name + len;
                return tag;
            }
        }
    }
    *after = name_end(name, end);
    return th__tag_find(name, (size_t)(*after - name));
}

/* ---- raw text -------------------------------------------------------------------------------- */

/* Returns true if "</name" and what ends a name stand at `at`. No name is ended by none. */
static bool is_end_tag(const char *at, const char *end, th_str name)
{
    return name.len && (size_t)(end - at) > name.len + 2 && at[1] == '/' &&
           th__str_starts_nocase((th_str){at + 2, name.len}, name) &&
           th__ends_tag_name((unsigned char)at[name.len + 2]);
}

static bool is_script(const char *at, const char *end, size_t skip)
{
    return (size_t)(end - at) > skip + 6 &&
           th__str_starts_nocase((th_str){at + skip, 6}, TH_STR("script")) &&
           th__ends_tag_name((unsigned char)at[skip + 6]);
}

/* Where the content of a raw text or RCDATA element ends: at its end tag, or at the end. */
static const char *raw_end(const char *at, const char *end, th_str name)
{
    for (; (at = th__find_byte(at, end, '<')) < end; at++)
        if (is_end_tag(at, end, name))
            return at;
    return end;
}

/* The same for scripts, which may hide "</script>" in "<!-- <script> ... </script> ... -->". */
static const char *script_end(const char *at, const char *end)
{
    enum { PLAIN, ESCAPED, DOUBLE_ESCAPED } state = PLAIN;
    while (at < end) {
        at = state == PLAIN ? th__find_byte(at, end, '<') : th__find_either(at, end, '<', '-');
        if (at == end)
            break;
        if (*at == '-') {
            if (end - at >= 3 && at[1] == '-' && at[2] == '>')
                state = PLAIN;
        } else if (state == PLAIN && end - at >= 4 && !memcmp(at, "<!--", 4)) {
            state = ESCAPED;
            at += 1; /* the dashes may end it again: "<!-->" */
        } else if (end - at >= 2 && at[1] == '/' && is_script(at, end, 2)) {
            if (state != DOUBLE_ESCAPED)
                return at;
            state = ESCAPED;
        } else if (state == ESCAPED && is_script(at, end, 1)) {
            state = DOUBLE_ESCAPED;
        }
        at++;
    }
    return end;
}

/* Emits the content of an element without markup, where there is any. */
static bool emit_content(struct scanner *s, th__scan_state state, th_str name)
{
    const char *start = s->at;
    th_token_kind kind = state == TH__SCAN_RCDATA ? TH_TOKEN_RCDATA : TH_TOKEN_RAW;
    if (state == TH__SCAN_PLAINTEXT)
        s->at = s->end;
    else if (state == TH__SCAN_SCRIPT && th__str_eq_nocase(name, TH_STR("script")))
        s->at = script_end(start, s->end);
    else
        s->at = raw_end(start, s->end, name);
    return s->at == start || emit(s, start, 0, kind, 0);
}

/* Elements whose content is no markup. */
#define CONTENT_BITS (TH_TAG_IS_SCRIPT | TH_TAG_IS_RAWTEXT | TH_TAG_IS_RCDATA | TH_TAG_IS_PLAINTEXT)

static th__scan_state content_state(uint32_t flags)
{
    return flags & TH_TAG_IS_SCRIPT    ? TH__SCAN_SCRIPT
           : flags & TH_TAG_IS_RAWTEXT ? TH__SCAN_RAWTEXT
           : flags & TH_TAG_IS_RCDATA  ? TH__SCAN_RCDATA
                                       : TH__SCAN_PLAINTEXT;
}

/* ---- markup ---------------------------------------------------------------------------------- */

/* Follows svg and math through a tag; tells the token flags that it sets. */
static unsigned scan_foreign(struct scanner *s, uint16_t tag, bool closing, bool self_closing)
{
    uint32_t bits = th__tag_flags(tag);
    if (closing) {
        unsigned flags = in_foreign(s) ? TH_TOKEN_FOREIGN : 0;
        foreign_end(&s->foreign, tag, bits);
        return flags;
    }
    if (!foreign_start(&s->foreign, tag, bits, self_closing))
        return 0;
    return TH_TOKEN_FOREIGN | (self_closing ? TH_TOKEN_LEAF : 0);
}

/* "<" or "</" and a letter stand at s->at. Start and end tags come in no order that a processor
 * could guess, so they share one way with as few branches as may be. */
static bool scan_tag(struct scanner *s, bool closing)
{
    const char *start = s->at, *name = start + 1 + closing, *after, *stop;
    bool self_closing = false;
    uint16_t tag = read_name(name, s->end, &after);
    uint32_t bits = th__tag_flags(tag) & (uint32_t)(closing - 1); /* none for an end tag */
    unsigned flags = bits & TH_TAG_IS_VOID ? TH_TOKEN_LEAF : 0;
    if (after < s->end && *after == '>') {
        stop = after + 1;
    } else if ((stop = tag_end(after, s->end, &self_closing)) == NULL) {
        s->at = s->end;
        return emit(s, start, 0, TH_TOKEN_DROPPED, 0);
    } else if (!closing) {
        flags |= self_closing ? TH_TOKEN_SELF_CLOSING : 0;
        flags |= stop - after > 1 + self_closing ? TH_TOKEN_HAS_ATTRS : 0;
    }
    if (s->foreign.depth || tag == TH_TAG_SVG || tag == TH_TAG_MATH) {
        unsigned foreign = scan_foreign(s, tag, closing, self_closing);
        if (foreign & TH_TOKEN_FOREIGN)
            flags &= ~(unsigned)TH_TOKEN_LEAF, bits = 0;
        flags |= foreign;
    }
    s->at = stop;
    s->scan->start_tags += !closing || tag == TH_TAG_TR;
    s->scan->other_tags |= tag >= TH_TAG_OTHER;
    if (!emit(s, start, tag, closing ? TH_TOKEN_END : TH_TOKEN_START, flags))
        return false;
    if (!(bits & CONTENT_BITS))
        return true;
    return emit_content(s, content_state(bits), (th_str){name, (size_t)(after - name)});
}

/* One past the comment whose "<!--" ends at `at`. */
static const char *comment_end(const char *at, const char *end)
{
    if (at < end && *at == '>')
        return at + 1;
    if (end - at >= 2 && at[0] == '-' && at[1] == '>')
        return at + 2;
    for (; (at = th__find_byte(at, end, '-')) < end; at++) {
        if (end - at >= 3 && at[1] == '-' && at[2] == '>')
            return at + 3;
        if (end - at >= 4 && at[1] == '-' && at[2] == '!' && at[3] == '>')
            return at + 4;
    }
    return end;
}

/* One past the next `last`, or the end. */
static const char *past_byte(const char *at, const char *end, char last)
{
    at = th__find_byte(at, end, last);
    return at < end ? at + 1 : end;
}

/* "]]>" is searched from `at`. */
static const char *cdata_end(const char *at, const char *end)
{
    for (; (at = th__find_byte(at, end, ']')) < end; at++)
        if (end - at >= 3 && at[1] == ']' && at[2] == '>')
            return at + 3;
    return end;
}

/* "<!" stands at s->at. */
static bool scan_declaration(struct scanner *s)
{
    const char *start = s->at, *at = start + 2;
    th_str rest = {at, (size_t)(s->end - at)};
    if (th__str_starts(rest, TH_STR("--"))) {
        s->at = comment_end(at + 2, s->end);
        return emit(s, start, 0, TH_TOKEN_COMMENT, 0);
    }
    if (th__str_starts_nocase(rest, TH_STR("doctype"))) {
        s->at = past_byte(at + 7, s->end, '>');
        return emit(s, start, 0, TH_TOKEN_DOCTYPE, 0);
    }
    if (in_foreign(s) && th__str_starts(rest, TH_STR("[CDATA["))) {
        s->at = cdata_end(at + 7, s->end);
        return emit(s, start, 0, TH_TOKEN_CDATA, 0);
    }
    s->at = past_byte(at, s->end, '>');
    return emit(s, start, 0, TH_TOKEN_COMMENT, 0);
}

/* The markup that begins at s->at with a "<", other than a tag: comments, declarations, "</>". */
static bool scan_other(struct scanner *s)
{
    const char *start = s->at;
    if (start[1] == '!')
        return scan_declaration(s);
    if (start[1] == '/' && start[2] == '>') {
        s->at = start + 3;
        return emit(s, start, 0, TH_TOKEN_DROPPED, 0);
    }
    s->at = past_byte(start + (start[1] == '/' ? 2 : 1), s->end, '>');
    return emit(s, start, 0, TH_TOKEN_COMMENT, 0);
}

/* What the "<" at `at` begins. */
enum opening { PLAIN_TEXT, TAG, OTHER_MARKUP };

static inline enum opening opening_at(const char *at, const char *end, bool *closing)
{
    *closing = false;
    if (end - at < 2)
        return PLAIN_TEXT;
    *closing = at[1] == '/';
    if (end - at < 3 && *closing)
        return PLAIN_TEXT;
    if (th__is_alpha((unsigned char)at[1 + *closing]))
        return TAG;
    return *closing || at[1] == '!' || at[1] == '?' ? OTHER_MARKUP : PLAIN_TEXT;
}

/*
 * Where the next "<" stands is asked of 64 bytes at once, apart from what the tokens between turn
 * out to be: so the processor can work on several tags at a time instead of waiting for where one
 * ends.
 */
struct angles {
    const char *block; /* 64 bytes */
    uint64_t mask;     /* a bit for each "<" in them that was not given yet */
};

static inline const char *next_angle(struct angles *angles, const char *end)
{
    while (!angles->mask) {
        if (end - angles->block <= 64)
            return end;
        angles->block += 64;
        angles->mask = th__match64(angles->block, end, '<');
    }
    const char *at = angles->block + __builtin_ctzll(angles->mask);
    angles->mask &= angles->mask - 1;
    return at;
}

/* A token as one word: its fields from the lowest byte up. */
static inline uint64_t token_word(uint32_t start, uint64_t tag, uint64_t kind, uint64_t flags)
{
    return start | tag << 32 | kind << 48 | flags << 56;
}
_Static_assert(offsetof(th_token, tag) == 4 && offsetof(th_token, kind) == 6 &&
                   offsetof(th_token, flags) == 7 && sizeof(th_token) == 8,
               "token_word lays a token out");

enum { PLAIN_TAG_READS = 16 }; /* bytes that plain_tag reads without asking */

/*
 * The short way, which nine of ten tags take: a standard name of up to 8 letters whose content is
 * markup, outside of svg and math. Gives the end of the tag at `at` and sets *word to its token at
 * offset 0; or gives NULL when the tag, or whatever it is, has to go the long way.
 */
static inline const char *plain_tag(const char *at, const char *end, uint64_t *word)
{
    static const uint64_t kept[] = {
        0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, ~0ull >> 16, ~0ull >> 8, ~0ull};
    bool closing = at[1] == '/', self_closing;
    const char *name = at + 1 + closing;
    unsigned len = th__count_alnum8(name);
    uint64_t key;
    memcpy(&key, name, 8);
    key = (key | UINT64_C(0x2020202020202020)) & kept[len];
    uint16_t tag = th__tag_slot(key, 0);
    uint32_t bits = th__tag_bits[tag];
    const char *after = name + len;
    if (th__tag_short[tag] != key || (!closing && (bits & (CONTENT_BITS | TH_TAG_IS_FOREIGN_ROOT))))
        return NULL;
    *word = closing ? token_word(0, tag, TH_TOKEN_END, 0)
                    : token_word(0, tag, TH_TOKEN_START, bits & TH_TAG_IS_VOID ? TH_TOKEN_LEAF : 0);
    if (*after == '>')
        return after + 1;
    if (!th__ends_tag_name((unsigned char)*after))
        return NULL;
    const char *stop = tag_end(after, end, &self_closing);
    if (stop && !closing)
        *word |= token_word(0, 0, 0,
                            (self_closing ? TH_TOKEN_SELF_CLOSING : 0) |
                                (stop - after > 1 + self_closing ? TH_TOKEN_HAS_ATTRS : 0));
    return stop;
}

/* The long way, for whatever stands at `at`; what is text after all stays for later. */
static bool scan_markup(struct scanner *s, const char *at)
{
    bool closing;
    enum opening opening = opening_at(at, s->end, &closing);
    if (opening == PLAIN_TEXT)
        return true;
    if (at > s->at && !emit_text(s, s->at, at))
        return false;
    s->at = at;
    return opening == TAG ? scan_tag(s, closing) : scan_other(s);
}

/* Makes room for the two tokens that a turn of scan_data adds by itself; *full is where that ends.
 */
static bool make_room(th__scan *scan, th_token **out, th_token **full)
{
    if (scan->cap - scan->count < 2 && !grow(scan))
        return false;
    *out = scan->tokens + scan->count;
    *full = scan->tokens + scan->cap - 1;
    return true;
}

static bool scan_data(struct scanner *s)
{
    th__scan *scan = s->scan;
    const char *from = s->at, *end = s->end, *at; /* from: where the last token ended */
    struct angles angles = {from, th__match64(from, end, '<')};
    th_token *out, *full;
    uint32_t start_tags = 0;
    if (!make_room(scan, &out, &full))
        return false;
    while ((at = next_angle(&angles, end)) < end) {
        uint64_t word;
        const char *stop = NULL;
        if (at < from) { /* inside the token before */
            if (from - angles.block >= 64)
                angles = (struct angles){from, th__match64(from, end, '<')};
            continue;
        }
        if (end - at > PLAIN_TAG_READS && !s->foreign.depth)
            stop = plain_tag(at, end, &word);
        if (stop) {
            bool blank = th__all_blank(from, at, end);
            uint64_t text = token_word((uint32_t)(from - s->text), 0, TH_TOKEN_TEXT,
                                       blank ? TH_TOKEN_BLANK : 0);
            memcpy(out, &text, sizeof text);
            out += at > from; /* no text, no token */
            word |= (uint32_t)(at - s->text);
            memcpy(out++, &word, sizeof word);
            start_tags +=
                (uint8_t)(word >> 48) == TH_TOKEN_START || (uint16_t)(word >> 32) == TH_TAG_TR;
            from = stop;
            if (out < full)
                continue;
        }
        s->at = from;
        scan->count = (uint32_t)(out - scan->tokens);
        if ((!stop && !scan_markup(s, at)) || !make_room(scan, &out, &full))
            return false;
        from = s->at;
    }
    s->at = from;
    scan->start_tags += start_tags;
    scan->count = (uint32_t)(out - scan->tokens);
    return from >= end || emit_text(s, from, end);
}

bool th__scan_text(th__scan *scan, th_str text, th__scan_state state, th_str last_start_tag)
{
    struct scanner s = {scan, text.ptr, text.ptr, text.ptr + text.len, {0}};
    scan->count = scan->start_tags = 0;
    scan->other_tags = false;
    bool ok = true;
    if (state == TH__SCAN_CDATA) {
        s.at = cdata_end(s.at, s.end);
        ok = text.len == 0 || emit(&s, text.ptr, 0, TH_TOKEN_CDATA, 0);
    } else if (state != TH__SCAN_DATA) {
        ok = emit_content(&s, state, last_start_tag);
    }
    return ok && scan_data(&s) && emit(&s, s.end, 0, TH_TOKEN_TEXT, 0);
}
