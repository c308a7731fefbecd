/*
 * parse.c: bytes become a page.
 *
 *     bytes ─th__decode─▶ UTF-8 ─th__scan_text─▶ tokens ─th__tree_build─▶ nodes, paths
 *
 * Between the first two, a page that is JSON becomes HTML (data_page.h). The scanner's and the
 * tree's working memory belong to the parser; what a page keeps is copied into one block of exactly
 * the right size.
 */
#include "page/parse.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/key_map.h"
#include "base/mem.h"
#include "base/str.h"
#include "page/bytes.h"
#include "page/data_page.h"
#include "page/decode.h"
#include "page/tags.h"
#include "page/url.h"

/* ---- the inside of comments, doctypes and CDATA sections ------------------------------------- */

static th_str skip(th_str text, size_t count)
{
    return (th_str){text.ptr + count, text.len - count};
}

static th_str skip_blanks(th_str text)
{
    while (text.len && th__is_blank((unsigned char)text.ptr[0]))
        text = skip(text, 1);
    return text;
}

static bool ends_with(th_str text, th_str end)
{
    return text.len >= end.len && !memcmp(text.ptr + text.len - end.len, end.ptr, end.len);
}

/* Reads a quoted identifier at the start of *rest. False when there is none, or when it is cut. */
static bool read_quoted(th_str *rest, th_str *out)
{
    if (!rest->len || (rest->ptr[0] != '"' && rest->ptr[0] != '\''))
        return false;
    const char *start = rest->ptr + 1, *end = rest->ptr + rest->len;
    const char *quote = th__find_byte(start, end, rest->ptr[0]);
    *out = (th_str){start, (size_t)(quote - start)};
    if (quote == end)
        return false;
    *rest = skip_blanks((th_str){quote + 1, (size_t)(end - quote - 1)});
    return true;
}

th__doctype th__doctype_read(th_str token)
{
    th__doctype doctype = {.force_quirks = true};
    bool whole = ends_with(token, TH_STR(">"));
    th_str rest = skip(token, sizeof "<!doctype" - 1);
    rest.len -= whole;
    rest = skip_blanks(rest);
    if (!rest.len)
        return doctype;
    size_t len = 0;
    while (len < rest.len && !th__is_blank((unsigned char)rest.ptr[len]))
        len++;
    doctype.name = (th_str){rest.ptr, len};
    rest = skip_blanks(skip(rest, len));
    if (th__str_starts_nocase(rest, TH_STR("public"))) {
        rest = skip_blanks(skip(rest, 6));
        if (!read_quoted(&rest, &doctype.public_id))
            return doctype;
        if (rest.len && !read_quoted(&rest, &doctype.system_id))
            return doctype;
    } else if (th__str_starts_nocase(rest, TH_STR("system"))) {
        rest = skip_blanks(skip(rest, 6));
        if (!read_quoted(&rest, &doctype.system_id))
            return doctype;
    } else if (rest.len) {
        return doctype;
    }
    /* What follows a system identifier is ignored, even when the text ends in it. */
    doctype.force_quirks = !whole && !rest.len;
    return doctype;
}

th_str th__comment_text(th_str token)
{
    bool whole = ends_with(token, TH_STR(">"));
    if (!th__str_starts(token, TH_STR("<!--"))) {
        th_str text = skip(token, token.ptr[1] == '?' ? 1 : 2);
        text.len -= whole;
        return text;
    }
    th_str text = skip(token, 4);
    static const th_str ends[] = {{"-->", 3}, {"--!>", 4}, {"--!", 3}, {"--", 2}, {"-", 1}};
    if (th__str_eq(text, TH_STR(">")) || th__str_eq(text, TH_STR("->")))
        return (th_str){text.ptr, 0};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(text, ends[i]))
            return (th_str){text.ptr, text.len - ends[i].len};
    return text;
}

th_str th__cdata_text(th_str token)
{
    if (th__str_starts(token, TH_STR("<![CDATA[")))
        token = skip(token, 9);
    if (ends_with(token, TH_STR("]]>")))
        token.len -= 3;
    return token;
}

/* Prefixes of the public identifiers that mean quirks mode, without "-//" (HTML standard,
 * 13.2.6.4.1). */
static const char *const quirky[] = {
    "+//Silmaril//dtd html Pro v0r11 19970101//",
    "-//AS//DTD HTML 3.0 asWedit + extensions//",
    "-//AdvaSoft Ltd//DTD HTML 3.0 asWedit + extensions//",
    "-//IETF//DTD HTML ",
    "-//IETF//DTD HTML//",
    "-//Metrius//DTD Metrius Presentational//",
    "-//Microsoft//DTD Internet Explorer ",
    "-//Netscape Comm. Corp.//DTD ",
    "-//O'Reilly and Associates//DTD HTML ",
    "-//SQ//DTD HTML 2.0 HoTMetaL + extensions//",
    "-//SoftQuad Software//DTD HoTMetaL PRO ",
    "-//SoftQuad//DTD HoTMetaL PRO ",
    "-//Spyglass//DTD HTML 2.0 Extended//",
    "-//Sun Microsystems Corp.//DTD HotJava ",
    "-//W3C//DTD HTML 3 1995-03-24//",
    "-//W3C//DTD HTML 3.2 Draft//",
    "-//W3C//DTD HTML 3.2 Final//",
    "-//W3C//DTD HTML 3.2//",
    "-//W3C//DTD HTML 3.2S Draft//",
    "-//W3C//DTD HTML 4.0 Frameset//",
    "-//W3C//DTD HTML 4.0 Transitional//",
    "-//W3C//DTD HTML Experimental ",
    "-//W3C//DTD W3 HTML ",
    "-//W3O//DTD W3 HTML 3.0//",
    "-//WebTechs//DTD Mozilla HTML ",
};

bool th__doctype_is_quirky(th_str token)
{
    th__doctype d = th__doctype_read(token);
    if (d.force_quirks || !th__str_eq_nocase(d.name, TH_STR("html")))
        return true;
    if (th__str_eq_nocase(d.system_id,
                          TH_STR("http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd")))
        return true;
    if (!d.public_id.ptr)
        return false;
    for (size_t i = 0; i < sizeof quirky / sizeof *quirky; i++)
        if (th__str_starts_nocase(d.public_id, th_str_from(quirky[i])))
            return true;
    if (!d.system_id.ptr &&
        (th__str_starts_nocase(d.public_id, TH_STR("-//W3C//DTD HTML 4.01 Frameset//")) ||
         th__str_starts_nocase(d.public_id, TH_STR("-//W3C//DTD HTML 4.01 Transitional//"))))
        return true;
    return th__str_eq_nocase(d.public_id, TH_STR("-//W3O//DTD W3 HTML Strict 3.0//EN//")) ||
           th__str_eq_nocase(d.public_id, TH_STR("-/W3C/DTD HTML 4.0 Transitional/EN")) ||
           th__str_eq_nocase(d.public_id, TH_STR("HTML"));
}

/* ---- the scanner: text becomes tokens ---------------------------------------------------------
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
 * The one thing a scanner needs from the tree is whether it is in svg or math, where style and
 * title are ordinary and CDATA exists. It keeps a stack of bits for that: see struct foreign.
 *
 * Cost: linear. Every search ends where its token ends, at the end of the text at the latest. */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "tag keys are little-endian words");

/*
 * Where we are in svg and math. Each open svg, math or integration point (an element of theirs
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

/* Follows a start tag; returns true if the element itself is foreign. */
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

/* Returns true if the "=" at `eq` ends an attribute's name. It does unless no name is before
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

/* Returns true if "</name" and what ends a name are at `at`. A name of no bytes never ends. */
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

/* Elements whose content is not markup. */
#define CONTENT_BITS (TH_TAG_IS_SCRIPT | TH_TAG_IS_RAWTEXT | TH_TAG_IS_RCDATA | TH_TAG_IS_PLAINTEXT)

static th__scan_state content_state(uint32_t flags)
{
    return flags & TH_TAG_IS_SCRIPT    ? TH__SCAN_SCRIPT
           : flags & TH_TAG_IS_RAWTEXT ? TH__SCAN_RAWTEXT
           : flags & TH_TAG_IS_RCDATA  ? TH__SCAN_RCDATA
                                       : TH__SCAN_PLAINTEXT;
}

/* ---- markup ---------------------------------------------------------------------------------- */

/* Follows svg and math through a tag; returns the token flags that it sets. */
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

/* "<" or "</" and a letter are at s->at. Start and end tags come in no order that a processor
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

/* "<!" is at s->at. */
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
 * Where the next "<" is, is asked of 64 bytes at once, apart from what the tokens between turn
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

/* The long way, for whatever is at `at`; what is text after all stays for later. */
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

/* ---- the tree: tokens become nodes ------------------------------------------------------------
 *
 * The tree follows the standard's tree construction (section 13.2.6) as far as it can without
 * inventing or moving elements: implied end tags, scopes, the adoption agency with formatting
 * elements closed instead of cloned. What the standard would invent (html, head, tbody, copies of
 * formatting elements) is not there; what it would move out of a table stays where it is.
 *
 * First comes the stack of open elements, then the standard's decisions: what a start tag closes,
 * what an end tag ends; then the paths of the finished tree. The stack answers every question of
 * the standard in constant time:
 *
 *     open_at[tag]   the newest open element of that tag; each entry knows the one before (`same`)
 *     newest[class]  the newest open element of a barrier class; each entry keeps the values from
 *                    before it was pushed, so that a pop restores them
 *
 * "p in button scope" is open_at[p] > newest[SCOPE] and > open_at[button]: no walk, so hostile
 * pages cost the same as others. Index 0 is the document and means "none".
 *
 * Cost: linear in tokens. Each entry is pushed and popped once; the walks over dead entries in
 * `linked_same` and `adopt` pass each entry once as well. */

/* ---- the stack of open elements -------------------------------------------------------------- */

enum barrier {
    SCOPE,     /* what an end tag cannot reach through */
    SPECIAL,   /* what the end tag of an ordinary element cannot reach through */
    LIST_STOP, /* special but for address, div and p: where the search for an open li ends */
    MARKER,    /* where the search for an open formatting element ends */
    BARRIERS
};

struct entry {
    uint32_t node;
    uint32_t same;         /* the entry below with the same tag, or 0 */
    uint32_t next_special; /* of a special entry: the next special one above it, or 0 */
    uint32_t closed_below; /* of a special entry: from here to itself all others are closed */
    uint16_t tag;
    bool closed;               /* its end is known already: closed by the adoption agency */
    bool unlinked;             /* off the stack for the standard: open_at passes it */
    bool foreign;              /* of svg or math, and no place for HTML */
    uint32_t before[BARRIERS]; /* `newest` before it was pushed */
};

/* At the depth limit elements are not pushed; their end tags must not close others. A count is
 * valid for the epoch it was made in: a pop begins a new one. */
struct overflow {
    uint32_t epoch, count;
};

#define FORM_ELSEWHERE UINT32_MAX
enum { TAG_IDS = 65536 };

/* The different paths of a page; kept from page to page for its memory. */
struct paths {
    th_path *list;
    uint32_t *hints; /* by path: the child path met last */
    uint32_t cap;    /* of both */
    th__key_map ids; /* by (parent path, tag) */
};

struct th__tree {
    struct entry *stack; /* max_depth + 1 entries, [0] the document */
    uint32_t top;        /* the current element */
    uint32_t max_depth;
    uint32_t newest[BARRIERS];
    uint32_t *open_at;         /* by tag id: tag_ids of them */
    uint32_t tag_ids;          /* standard ones, from the first page on that has others all */
    struct overflow *overflow; /* by tag id, made when first needed */
    uint32_t epoch;

    th_page *page;
    uint32_t token; /* the one being looked at */
    bool html_seen, head_seen, head_closed, body_started, foreign_seen, quirks, failed;
    uint32_t unclosed; /* start tag of elements that are never closed, or 0 */
    uint32_t form;     /* entry of the open form, or 0; FORM_ELSEWHERE for one that holds nothing */

    struct paths paths;
};

static uint32_t max2(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static bool is_full(const th__tree *t)
{
    return t->top + 1 >= t->max_depth;
}

static uint32_t newest_of(const th__tree *t, const uint16_t *tags, size_t count)
{
    uint32_t newest = 0;
    for (size_t i = 0; i < count; i++)
        newest = max2(newest, t->open_at[tags[i]]);
    return newest;
}

#define NEWEST_OF(t, ...)                                                                          \
    newest_of(t, (const uint16_t[]){__VA_ARGS__},                                                  \
              sizeof(uint16_t[]){__VA_ARGS__} / sizeof(uint16_t))

/* The next entry below with the same tag that is still linked. What was passed over once is not
 * met again. */
static uint32_t linked_same(th__tree *t, uint32_t entry)
{
    uint32_t same = t->stack[entry].same;
    while (same && t->stack[same].unlinked)
        same = t->stack[same].same;
    t->stack[entry].same = same;
    return same;
}

/* Takes an entry out of open_at; its place on the stack stays. */
static void unlink_entry(th__tree *t, uint32_t entry)
{
    struct entry *e = &t->stack[entry];
    if (t->open_at[e->tag] == entry)
        t->open_at[e->tag] = linked_same(t, entry);
    e->unlinked = true;
}

static void set_end(th__tree *t, const struct entry *e, uint32_t node_end, uint32_t token_end)
{
    th_node *node = &t->page->nodes[e->node];
    node->end = node_end;
    node->token_end = token_end;
}

static inline void pop_one(th__tree *t, uint32_t token_end)
{
    struct entry *e = &t->stack[t->top];
    if (!e->closed)
        set_end(t, e, t->page->node_count, token_end);
    if (!e->unlinked)
        unlink_entry(t, t->top);
    if (t->newest[SPECIAL] == t->top)
        t->stack[e->before[SPECIAL]].next_special = 0;
    memcpy(t->newest, e->before, sizeof t->newest);
    t->top--;
}

/* Closes the current element, and those below it that an end tag had taken off the stack already.
 */
static inline void pop(th__tree *t, uint32_t token_end)
{
    do
        pop_one(t, token_end);
    while (t->stack[t->top].unlinked);
    t->epoch++;
}

/* Closes everything above `entry`, before the current token. */
static void pop_above(th__tree *t, uint32_t entry)
{
    while (t->top > entry)
        pop(t, t->token);
}

/* Closes `entry` and all above it. Past its end tag when the current token is that. */
static void pop_to(th__tree *t, uint32_t entry, bool at_end_tag)
{
    pop_above(t, entry);
    pop(t, t->token + at_end_tag);
}

/* Makes the current token a node under the current element. */
static uint32_t add_node(th__tree *t, uint16_t tag)
{
    th_page *page = t->page;
    uint32_t node = page->node_count++;
    th_node *made = &page->nodes[node];
    made->token = t->token;
    made->token_end = t->token + 1;
    made->parent = t->stack[t->top].node;
    made->end = node + 1; /* its path is found at the end: an adoption may change it */
    page->tags[node] = tag;
    return node;
}

/* Counts an element that the depth limit keeps off the stack: what it holds becomes its sibling.
 * Its end tag is counted in advance. */
static void count_overflow(th__tree *t, uint16_t tag)
{
    if (!t->overflow && !(t->overflow = th__mem_zero(TAG_IDS, sizeof *t->overflow))) {
        t->failed = true;
        return;
    }
    /* The count of all is at TH_TAG_NONE. */
    struct overflow *all = &t->overflow[TH_TAG_NONE], *over = &t->overflow[tag];
    if (all->epoch != t->epoch)
        *all = (struct overflow){t->epoch, 0};
    if (over->epoch != t->epoch)
        *over = (struct overflow){t->epoch, 0};
    t->page->flattened += all->count > 0;
    all->count++;
    over->count++;
}

/* Swallows the end tag of such an element; asked when the stack is full. */
static bool ends_overflow(th__tree *t, uint16_t tag)
{
    if (!t->overflow)
        return false;
    struct overflow *over = &t->overflow[tag];
    if (over->epoch != t->epoch || over->count == 0)
        return false;
    over->count--;
    t->overflow[TH_TAG_NONE].count--;
    return true;
}

static inline void push(th__tree *t, uint16_t tag, uint32_t flags, bool foreign)
{
    uint32_t node = add_node(t, tag);
    if (is_full(t)) {
        count_overflow(t, tag);
        return;
    }
    uint32_t top = ++t->top;
    struct entry *e = &t->stack[top];
    e->node = node;
    e->same = t->open_at[tag];
    e->next_special = 0;
    e->tag = tag;
    e->closed = e->unlinked = false;
    e->foreign = foreign;
    memcpy(e->before, t->newest, sizeof e->before);
    t->open_at[tag] = top;
    if (flags & TH_TAG_IS_SPECIAL) {
        t->stack[t->newest[SPECIAL]].next_special = top;
        t->newest[SPECIAL] = top;
        e->closed_below = top;
        if (tag != TH_TAG_ADDRESS && tag != TH_TAG_DIV && tag != TH_TAG_P)
            t->newest[LIST_STOP] = top;
        if (flags & TH_TAG_IS_SCOPE)
            t->newest[SCOPE] = top;
        if (flags & TH_TAG_IS_MARKER)
            t->newest[MARKER] = top;
    }
}

/*
 * The standard's adoption agency, without copies. Above the formatting element `entry` is a
 * special one (else a plain pop does): it and what it holds leave the formatting element, which
 * ends where the special one begins.
 *
 *     <b>1<p>2</b>3   b holds 1; p, now beside b, holds 2 and 3
 */
static void adopt(th__tree *t, uint32_t entry)
{
    uint32_t below = t->stack[entry].before[SPECIAL];
    uint32_t block = t->stack[below].next_special;
    if (block == 0) {
        pop_to(t, entry, t->page->tokens[t->token].kind == TH_TOKEN_END);
        return;
    }
    th_node *nodes = t->page->nodes;
    uint32_t block_node = t->stack[block].node;
    nodes[block_node].parent = nodes[t->stack[entry].node].parent;
    uint32_t first_closed = t->stack[block].closed_below;
    if (entry < first_closed)
        t->stack[block].closed_below = entry;
    for (uint32_t i = first_closed - 1; i >= entry; i--) {
        struct entry *e = &t->stack[i];
        if (!e->closed)
            set_end(t, e, block_node, nodes[block_node].token);
        e->closed = true;
        if (!e->unlinked)
            unlink_entry(t, i);
    }
}

th__tree *th__tree_new(uint32_t max_depth)
{
    th__tree *t = TH__NEW(th__tree);
    if (!t)
        return NULL;
    t->max_depth = max_depth;
    t->stack = TH__NEW_ARRAY(struct entry, (size_t)max_depth + 1);
    t->tag_ids = TH_TAG_OTHER;
    t->open_at = th__mem_zero(t->tag_ids, sizeof *t->open_at);
    if (!t->stack || !t->open_at) {
        th__tree_free(t);
        return NULL;
    }
    return t;
}

/* Makes room for tags that are not standard. Nothing is open. Most pages have none, and a
 * parser that is made for one page would spend more on the room than on the page. */
static bool take_others(th__tree *t)
{
    uint32_t *open_at = th__mem_zero(TAG_IDS, sizeof *open_at);
    if (!open_at)
        return false;
    th__mem_free(t->open_at);
    t->open_at = open_at;
    t->tag_ids = TAG_IDS;
    return true;
}

void th__tree_free(th__tree *t)
{
    if (!t)
        return;
    th__mem_free(t->stack);
    th__mem_free(t->open_at);
    th__mem_free(t->overflow);
    th__mem_free(t->paths.list);
    th__mem_free(t->paths.hints);
    th__key_map_release(&t->paths.ids);
    th__mem_free(t);
}

/* ---- what start tags close ------------------------------------------------------------------- */

static bool p_in_button_scope(const th__tree *t)
{
    return t->open_at[TH_TAG_P] > max2(t->newest[SCOPE], t->open_at[TH_TAG_BUTTON]);
}

/* In the table's own context: nothing but table parts open above the newest table. */
static bool in_table_context(const th__tree *t)
{
    uint32_t table = t->open_at[TH_TAG_TABLE];
    return table && table > t->open_at[TH_TAG_TEMPLATE] &&
           NEWEST_OF(t, TH_TAG_TD, TH_TAG_TH, TH_TAG_CAPTION) < table;
}

/* The end tag of a row right before the current token, blanks and comments aside; or 0. */
static uint32_t row_end_before(const th_page *page, uint32_t token)
{
    while (token-- > 1) {
        const th_token *t = &page->tokens[token];
        if (t->kind == TH_TOKEN_END && t->tag == TH_TAG_TR)
            return token;
        if (t->kind != TH_TOKEN_COMMENT &&
            (t->kind != TH_TOKEN_TEXT || !(t->flags & TH_TOKEN_BLANK)))
            return 0;
    }
    return 0;
}

/*
 * A cell behind the end of a row begins another one: </tr><td>. Nothing is invented: the end tag is
 * taken for the start tag of the new row, which ends the old one just as well.
 */
static void open_row(th__tree *t)
{
    th_page *page = t->page;
    uint32_t row_end = row_end_before(page, t->token), token = t->token;
    uint32_t row = page->node_count - 1;
    if (!row_end || is_full(t))
        return;
    while (row && page->tags[row] != TH_TAG_TR)
        row = page->nodes[row].parent;
    if (!row || page->nodes[row].token_end != row_end + 1)
        return;
    page->nodes[row].token_end = row_end;
    page->tokens[row_end].kind = TH_TOKEN_START;
    t->token = row_end;
    push(t, TH_TAG_TR, th__tag_flags(TH_TAG_TR), false);
    t->token = token;
}

/* Closes what is open in the table down to the part that may hold `tag`. */
static void close_for_table_part(th__tree *t, uint16_t tag)
{
    uint32_t base = max2(t->open_at[TH_TAG_TABLE], t->open_at[TH_TAG_TEMPLATE]), holder = base;
    bool cell = tag == TH_TAG_TD || tag == TH_TAG_TH;
    if (cell || tag == TH_TAG_TR)
        holder = max2(holder, NEWEST_OF(t, TH_TAG_TBODY, TH_TAG_THEAD, TH_TAG_TFOOT));
    if (cell)
        holder = max2(holder, t->open_at[TH_TAG_TR]);
    if (tag == TH_TAG_COL)
        holder = max2(holder, t->open_at[TH_TAG_COLGROUP]);
    if (base && base == t->open_at[TH_TAG_TABLE]) {
        pop_above(t, holder);
        if (cell && t->stack[holder].tag != TH_TAG_TR)
            open_row(t);
        return;
    }
    /* Parts without a table: a fragment, or a template. The same tag ends its like, and a row or
     * section the cell as well, which else nothing leaves. */
    uint32_t like = cell ? NEWEST_OF(t, TH_TAG_TD, TH_TAG_TH) : t->open_at[tag];
    uint32_t wall = t->newest[SCOPE];
    if (t->stack[wall].tag == TH_TAG_TD || t->stack[wall].tag == TH_TAG_TH)
        wall = t->stack[wall].before[SCOPE];
    if (like > base && like > wall && (!cell || like > t->open_at[TH_TAG_TR]))
        pop_to(t, like, false);
}

static void close_for_select(th__tree *t, uint16_t tag)
{
    uint32_t select = t->open_at[TH_TAG_SELECT];
    if (select == 0 || select < t->open_at[TH_TAG_TEMPLATE])
        select = 0;
    if (tag == TH_TAG_OPTION || tag == TH_TAG_OPTGROUP) {
        uint32_t option = t->open_at[TH_TAG_OPTION];
        if (option > select && (select || option == t->top))
            pop_to(t, option, false);
        uint32_t group = t->open_at[TH_TAG_OPTGROUP];
        if (tag == TH_TAG_OPTGROUP && select && group > select)
            pop_to(t, group, false);
    } else if (select && select >= t->newest[SCOPE]) {
        pop_to(t, select, false); /* input, textarea or another select */
    }
}

/* Closes what is like the start tag, or cannot hold it: TH_TAG_IS_CLOSES_LIKE. */
static void close_like(th__tree *t, uint16_t tag)
{
    uint32_t open = 0;
    switch (tag) {
    case TH_TAG_LI:
        open = t->open_at[TH_TAG_LI];
        if (open && open >= t->newest[LIST_STOP])
            pop_to(t, open, false);
        break;
    case TH_TAG_DD:
    case TH_TAG_DT:
        open = NEWEST_OF(t, TH_TAG_DD, TH_TAG_DT);
        if (open && open >= t->newest[LIST_STOP])
            pop_to(t, open, false);
        break;
    case TH_TAG_A:
        if (t->open_at[TH_TAG_A] > t->newest[MARKER])
            adopt(t, t->open_at[TH_TAG_A]);
        break;
    case TH_TAG_NOBR:
        if (t->open_at[TH_TAG_NOBR] > t->newest[SCOPE])
            adopt(t, t->open_at[TH_TAG_NOBR]);
        break;
    case TH_TAG_BUTTON:
        if (t->open_at[TH_TAG_BUTTON] > t->newest[SCOPE])
            pop_to(t, t->open_at[TH_TAG_BUTTON], false);
        break;
    case TH_TAG_OPTION:
    case TH_TAG_OPTGROUP:
    case TH_TAG_SELECT:
    case TH_TAG_INPUT:
    case TH_TAG_KEYGEN:
    case TH_TAG_TEXTAREA:
        close_for_select(t, tag);
        break;
    case TH_TAG_TABLE:
        if (in_table_context(t))
            pop_to(t, t->open_at[TH_TAG_TABLE], false);
        break;
    case TH_TAG_RB:
    case TH_TAG_RP:
    case TH_TAG_RT:
    case TH_TAG_RTC:
        open = NEWEST_OF(t, TH_TAG_RB, TH_TAG_RP, TH_TAG_RT);
        if (open && open == t->top && t->open_at[TH_TAG_RUBY])
            pop_to(t, open, false);
        break;
    default:
        break;
    }
}

/* Closes what may not be open around a start tag. */
static void close_for_start(th__tree *t, uint16_t tag, uint32_t flags)
{
    if (flags & TH_TAG_IS_TABLE_PART) {
        close_for_table_part(t, tag);
        return;
    }
    if (flags & TH_TAG_IS_CLOSES_LIKE)
        close_like(t, tag);
    if (((flags & TH_TAG_IS_CLOSES_P) || (tag == TH_TAG_TABLE && !t->quirks)) &&
        p_in_button_scope(t))
        pop_to(t, t->open_at[TH_TAG_P], false);
    if ((flags & TH_TAG_IS_HEADING) && (th__tag_flags(t->stack[t->top].tag) & TH_TAG_IS_HEADING))
        pop(t, t->token);
}

/* ---- html, head and body --------------------------------------------------------------------- */

/* The body begins here, with a tag or without: the head is over. */
static void start_body(th__tree *t)
{
    if (t->open_at[TH_TAG_HEAD])
        pop_to(t, t->open_at[TH_TAG_HEAD], false);
    t->body_started = true;
}

/* Something that belongs in the body has come, or a start tag that may belong in the head. The head
 * stays open past its end tag until then, as the standard puts stray metadata into it. */
static void before_body(th__tree *t, uint16_t tag, uint32_t flags)
{
    uint32_t noscript = t->open_at[TH_TAG_NOSCRIPT];
    if (t->open_at[TH_TAG_TEMPLATE])
        return;
    bool metadata = flags & TH_TAG_IS_HEAD;
    if (metadata && noscript && noscript == t->top && tag != TH_TAG_LINK && tag != TH_TAG_META &&
        tag != TH_TAG_STYLE && tag != TH_TAG_NOFRAMES && tag != TH_TAG_BASEFONT &&
        tag != TH_TAG_BGSOUND)
        pop(t, t->token);
    if (!metadata || (tag == TH_TAG_NOSCRIPT && t->head_closed))
        start_body(t);
}

/* html, head, body and frameset open once; a second tag is a leaf. */
static void start_document_part(th__tree *t, uint16_t tag, uint32_t flags)
{
    bool *seen;
    bool again;
    if (tag == TH_TAG_HTML) {
        seen = &t->html_seen;
        again = t->html_seen || t->head_seen || t->body_started;
    } else if (tag == TH_TAG_HEAD) {
        seen = &t->head_seen;
        again = t->head_seen || t->body_started;
    } else {
        seen = &t->body_started;
        again = t->body_started;
        if (!again)
            start_body(t);
    }
    if (again)
        add_node(t, tag);
    else
        push(t, tag, flags, false);
    *seen = true;
}

/* ---- start and end tags ---------------------------------------------------------------------- */

static void start_form(th__tree *t, uint32_t flags)
{
    bool in_template = t->open_at[TH_TAG_TEMPLATE];
    if (t->form && !in_template) {
        add_node(t, TH_TAG_FORM); /* a form in a form is ignored */
        return;
    }
    if (in_table_context(t)) {
        add_node(t, TH_TAG_FORM); /* between a table and its rows a form holds nothing */
        t->form = FORM_ELSEWHERE;
        return;
    }
    push(t, TH_TAG_FORM, flags, false);
    if (!in_template)
        t->form = t->open_at[TH_TAG_FORM];
}

/* A form's end tag takes the form off the stack and leaves open what it holds. */
static void end_form(th__tree *t)
{
    if (t->open_at[TH_TAG_TEMPLATE]) {
        if (t->open_at[TH_TAG_FORM] > t->newest[SCOPE])
            pop_to(t, t->open_at[TH_TAG_FORM], true);
        return;
    }
    uint32_t form = t->form;
    t->form = 0;
    if (form == 0 || form > t->top || t->stack[form].tag != TH_TAG_FORM || form < t->newest[SCOPE])
        return;
    uint32_t current = t->top;
    while (current > form &&
           (t->stack[current].tag == TH_TAG_P || t->stack[current].tag == TH_TAG_LI ||
            t->stack[current].tag == TH_TAG_DD || t->stack[current].tag == TH_TAG_DT ||
            t->stack[current].tag == TH_TAG_OPTION || t->stack[current].unlinked))
        current--;
    if (current == form)
        pop_to(t, form, true);
    else
        unlink_entry(t, form);
}

/*
 * Feeds are XML: <item><title>..</title><link>http://..</link>. In the body a title is text that
 * readers see, and a link that an end tag follows holds text.
 */
static void start_in_feed(th__tree *t, th_token *token)
{
    th_token *next = token + 1, *end = t->page->tokens + t->page->token_count;
    if (token->tag == TH_TAG_TITLE && next < end && next->kind == TH_TOKEN_RCDATA)
        next->kind = TH_TOKEN_TEXT;
    if (token->tag == TH_TAG_LINK && next + 1 < end && next->kind == TH_TOKEN_TEXT &&
        next[1].kind == TH_TOKEN_END && next[1].tag == TH_TAG_LINK)
        token->flags &= (uint8_t)~TH_TOKEN_LEAF;
}

/* Returns true if two start tags are the same text. */
static bool same_tags(const th_page *page, uint32_t a, uint32_t b)
{
    th_str left = th__token_text(page, a), right = th__token_text(page, b);
    return left.len == right.len && !memcmp(left.ptr, right.ptr, left.len);
}

/*
 * Items whose end tags are missing would be nested in each other, <div id=item>..<div id=item>..:
 * an id is there once, so that three of them, each right inside the last, are siblings.
 */
static void close_unclosed(th__tree *t)
{
    th_page *page = t->page;
    uint32_t inner = t->top, outer = inner - 1;
    th_str id;
    if (inner < 2 || t->stack[inner].unlinked || t->stack[outer].unlinked)
        return;
    uint32_t open = page->nodes[t->stack[inner].node].token;
    if (!same_tags(page, open, t->token) || !th_attr_get(page, open, "id", &id))
        return;
    if (t->unclosed && same_tags(page, t->unclosed, open)) {
        pop(t, t->token);
        return;
    }
    if (t->stack[outer].tag != TH_TAG_DIV || t->stack[inner].closed || t->stack[outer].closed ||
        !same_tags(page, page->nodes[t->stack[outer].node].token, open))
        return;
    t->unclosed = open;
    page->nodes[t->stack[inner].node].parent = page->nodes[t->stack[outer].node].parent;
    set_end(t, &t->stack[outer], t->stack[inner].node, open);
    t->stack[outer].closed = true;
    pop_to(t, outer, false);
}

static void start_tag(th__tree *t, th_token *token)
{
    uint16_t tag = token->tag;
    if (t->body_started && (tag == TH_TAG_TITLE || tag == TH_TAG_LINK))
        start_in_feed(t, token);
    bool leaf = token->flags & TH_TOKEN_LEAF;
    uint32_t flags = th__tag_flags(tag);
    if (token->flags & TH_TOKEN_FOREIGN) {
        bool holds_html = flags & TH_TAG_IS_INTEGRATION;
        if (!t->body_started)
            before_body(t, tag, 0);
        if (leaf)
            add_node(t, tag);
        else
            push(t, tag, holds_html ? TH_TAG_IS_SPECIAL | TH_TAG_IS_SCOPE : 0, !holds_html);
        t->foreign_seen = true;
        return;
    }
    while (t->foreign_seen && t->stack[t->top].foreign)
        pop(t, t->token); /* HTML has broken out of svg or math */
    if (flags & TH_TAG_IS_DOCUMENT) {
        start_document_part(t, tag, flags);
        return;
    }
    if (!t->body_started)
        before_body(t, tag, flags);
    bool nested_select = false;
    if (flags & (TH_TAG_IS_CLOSES_LIKE | TH_TAG_IS_CLOSES_P | TH_TAG_IS_TABLE_PART)) {
        nested_select = tag == TH_TAG_SELECT && t->open_at[TH_TAG_SELECT] &&
                        t->open_at[TH_TAG_SELECT] == t->newest[SCOPE];
        close_for_start(t, tag, flags);
    }
    if (tag == TH_TAG_DIV && token->flags & TH_TOKEN_HAS_ATTRS && t->stack[t->top].tag == tag)
        close_unclosed(t);
    if (leaf || nested_select)
        add_node(t, tag);
    else if (tag == TH_TAG_FORM)
        start_form(t, flags);
    else
        push(t, tag, flags, false);
}

static void end_table_part(th__tree *t, uint16_t tag)
{
    uint32_t open = t->open_at[tag];
    uint32_t base =
        max2(tag == TH_TAG_TABLE ? 0 : t->open_at[TH_TAG_TABLE], t->open_at[TH_TAG_TEMPLATE]);
    if (open > base)
        pop_to(t, open, true);
}

/* The entry that an end tag of this tag closes, or 0. */
static uint32_t closed_by(const th__tree *t, uint16_t tag, uint32_t flags)
{
    uint32_t open = t->open_at[tag], scope = t->newest[SCOPE];
    if (flags & TH_TAG_IS_HEADING)
        open = NEWEST_OF(t, TH_TAG_H1, TH_TAG_H2, TH_TAG_H3, TH_TAG_H4, TH_TAG_H5, TH_TAG_H6);
    if (tag == TH_TAG_P)
        scope = max2(scope, t->open_at[TH_TAG_BUTTON]);
    else if (tag == TH_TAG_LI)
        scope = max2(scope, NEWEST_OF(t, TH_TAG_OL, TH_TAG_UL));
    else if (tag == TH_TAG_TEMPLATE)
        scope = 0;
    else if (tag == TH_TAG_SELECT)
        scope = max2(t->open_at[TH_TAG_TABLE], t->open_at[TH_TAG_TEMPLATE]);
    else if (tag == TH_TAG_OPTION || tag == TH_TAG_OPTGROUP)
        scope = max2(scope, t->open_at[TH_TAG_SELECT]);
    else if (!(flags & (TH_TAG_IS_BLOCK_END | TH_TAG_IS_HEADING)))
        scope = t->newest[SPECIAL];
    return open >= scope ? open : 0;
}

static void end_tag(th__tree *t, const th_token *token)
{
    uint16_t tag = token->tag;
    uint32_t flags = th__tag_flags(tag);
    if (is_full(t) && ends_overflow(t, tag))
        return;
    if (tag == TH_TAG_HEAD) {
        t->head_closed = true;
    } else if (tag == TH_TAG_HTML || tag == TH_TAG_BODY) {
        if (!t->body_started)
            start_body(t); /* what follows still goes into the body */
    } else if (tag == TH_TAG_FORM) {
        end_form(t);
    } else if (tag == TH_TAG_TABLE || (flags & TH_TAG_IS_TABLE_PART)) {
        end_table_part(t, tag);
    } else if (flags & TH_TAG_IS_FORMATTING) {
        uint32_t open = t->open_at[tag];
        if (open > t->newest[MARKER] && open > t->newest[SCOPE])
            adopt(t, open);
    } else {
        uint32_t open = closed_by(t, tag, flags);
        if (open)
            pop_to(t, open, true);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void begin(th__tree *t, th_page *page)
{
    t->page = page;
    t->token = 0;
    t->top = 0;
    t->epoch++;
    memset(t->newest, 0, sizeof t->newest);
    t->stack[0] = (struct entry){0};
    t->html_seen = t->head_seen = t->head_closed = t->body_started = t->foreign_seen = t->failed =
        false;
    t->quirks = true;
    t->unclosed = 0;
    t->form = 0;
    page->node_count = 1;
    page->flattened = 0;
    page->nodes[0] = (th_node){.token_end = page->token_count};
    page->tags[0] = 0;
}

/* A token that is not a tag: text begins the body, the doctype sets the mode. */
static void other_token(th__tree *t, const th_token *token)
{
    if (token->kind == TH_TOKEN_TEXT && !t->body_started && !(token->flags & TH_TOKEN_BLANK))
        before_body(t, 0, 0);
    if (token->kind == TH_TOKEN_DOCTYPE && t->page->node_count == 1)
        t->quirks = th__doctype_is_quirky(th__token_text(t->page, t->token));
}

/* ---- the paths of the finished tree ---------------------------------------------------------- */

/* Makes room for the path `path`. */
static bool paths_room(struct paths *p, uint32_t path)
{
    if (path < p->cap)
        return true;
    uint32_t cap = p->cap ? p->cap * 2 : 256;
    th_path *list = th__mem_resize(p->list, cap, sizeof *list);
    p->list = list ? list : p->list;
    uint32_t *hints = list ? th__mem_resize(p->hints, cap, sizeof *hints) : NULL;
    p->hints = hints ? hints : p->hints;
    p->cap = hints ? cap : p->cap;
    return hints;
}

/* The path of a tag under a path, or 0 if out of memory. The child met last is tried first, for
 * siblings are mostly alike. */
static uint32_t child_path(struct paths *p, uint32_t parent, uint16_t tag)
{
    uint32_t hint = p->hints[parent];
    if (hint && p->list[hint].tag == tag)
        return hint;
    uint32_t known = p->ids.count;
    uint32_t path = th__key_map_number(&p->ids, (uint64_t)parent << 16 | tag);
    if (!path || !paths_room(p, path))
        return 0;
    if (path > known) {
        p->list[path] = (th_path){th__hash_mix(p->list[parent].hash, tag), parent, tag,
                                  (uint16_t)(p->list[parent].depth + 1)};
        p->hints[path] = 0;
    }
    return p->hints[parent] = path;
}

/* Sets the path of every node, and path_count: a pass of its own, since the adoption agency moves
 * nodes while the tree is built. A parent is before its children. */
static bool find_paths(struct paths *p, th_page *page)
{
    if (!paths_room(p, 0))
        return false;
    th__key_map_clear(&p->ids);
    p->list[0] = (th_path){0};
    p->hints[0] = 0;
    page->nodes[0].path = 0;
    for (uint32_t n = 1; n < page->node_count; n++) {
        th_node *node = &page->nodes[n];
        node->path = child_path(p, page->nodes[node->parent].path, page->tags[n]);
        if (!node->path)
            return false;
    }
    page->path_count = p->ids.count + 1;
    return true;
}

bool th__tree_build(th__tree *t, th_page *page, bool other_tags)
{
    if (other_tags && t->tag_ids < TAG_IDS && !take_others(t))
        return false;
    begin(t, page);
    th_token *tokens = page->tokens;
    for (uint32_t i = 0, count = page->token_count; i < count; i++) {
        if (tokens[i].kind == TH_TOKEN_TEXT && t->body_started)
            continue;
        t->token = i;
        if (tokens[i].kind == TH_TOKEN_START)
            start_tag(t, &tokens[i]);
        else if (tokens[i].kind == TH_TOKEN_END)
            end_tag(t, &tokens[i]);
        else
            other_token(t, &tokens[i]);
    }
    t->token = page->token_count;
    pop_above(t, 0);
    page->nodes[0].end = page->node_count;
    return !t->failed && find_paths(&t->paths, page);
}

/* ---- the parser ------------------------------------------------------------------------------ */

struct th_parser {
    th_parser_options options;
    th__scan scan;
    th__tree *tree;
};

enum {
    LARGEST_DEPTH = 60000,
    LARGE_SCAN = 1 << 18 /* tokens that a parser does not keep room for */
};
#define LARGEST_TEXT (UINT32_MAX - 15u)

static const th_parser_options parser_defaults = {.max_bytes = UINT64_C(1) << 30, .max_depth = 512};

void th_parser_options_defaults(th_parser_options *options, size_t size)
{
    th__options_give(options, size, &parser_defaults, sizeof parser_defaults);
}

th_status th_parser_new(const th_parser_options *options, th_parser **out, th_error *err)
{
    th_parser_options own = parser_defaults;
    th__options_take(&own, sizeof own, options);
    if (own.max_depth < 1 || own.max_depth > LARGEST_DEPTH)
        return th__fail(err, TH_ERR_ARGUMENT, "max_depth must be from 1 to %d", LARGEST_DEPTH);
    if (own.max_bytes > LARGEST_TEXT)
        return th__fail(err, TH_ERR_ARGUMENT, "max_bytes must be at most %u", LARGEST_TEXT);
    th_parser *parser = TH__NEW(th_parser);
    if (!parser)
        return th__fail_memory(err);
    parser->options = own;
    parser->tree = th__tree_new(own.max_depth);
    if (!parser->tree) {
        th_parser_free(parser);
        return th__fail_memory(err);
    }
    *out = parser;
    return TH_OK;
}

void th_parser_free(th_parser *parser)
{
    if (!parser)
        return;
    th__scan_release(&parser->scan);
    th__tree_free(parser->tree);
    th__mem_free(parser);
}

/* Takes the arrays of the page out of its arena, nodes still empty. */
static bool lay_out(th_page *page, const th__scan *scan)
{
    size_t nodes = (size_t)scan->start_tags + 1;
    page->token_count = scan->count - 1;
    if (!th__arena_reserve(&page->arena, scan->count * sizeof(th_token) + nodes * sizeof(th_node) +
                                             nodes * sizeof(uint16_t) + 64))
        return false;
    page->tokens = th__arena_alloc(&page->arena, scan->count * sizeof(th_token));
    page->nodes = th__arena_alloc(&page->arena, nodes * sizeof(th_node));
    page->tags = th__arena_alloc(&page->arena, nodes * sizeof(uint16_t));
    if (!page->tokens || !page->nodes || !page->tags)
        return false;
    memcpy(page->tokens, scan->tokens, scan->count * sizeof(th_token));
    return true;
}

static bool build(th_parser *parser, th_page *page)
{
    if (!th__scan_text(&parser->scan, page->text, TH__SCAN_DATA, (th_str){0}) ||
        !lay_out(page, &parser->scan))
        return false;
    bool other_tags = parser->scan.other_tags;
    if (parser->scan.cap > LARGE_SCAN)
        th__scan_release(&parser->scan);
    if (!th__tree_build(parser->tree, page, other_tags) || !th__page_find_base(page))
        return false;
    page->paths = th__arena_alloc(&page->arena, page->path_count * sizeof(th_path));
    if (!page->paths)
        return false;
    memcpy(page->paths, parser->tree->paths.list, page->path_count * sizeof(th_path));
    return true;
}

/* A page that is JSON becomes the HTML that shows it; what only looks like JSON stays as it is. */
static th_status show_json(th_page *page, th_error *err)
{
    th__buf html = {0};
    th_status status = TH_OK;
    if (th__json_page_write(page->text, &html) && html.len <= LARGEST_TEXT) {
        th_str text = th__arena_copy(&page->arena, th__buf_str(&html));
        page->text = text.ptr ? text : page->text;
        status = text.ptr ? TH_OK : th__fail_memory(err);
    } else if (html.failed) {
        status = th__fail_memory(err);
    }
    th__buf_release(&html);
    return status;
}

/* Sets the page's text, encoding and URL. */
static th_status decode(th_page *page, th_str bytes, const th_page_source *source, th_error *err)
{
    th_str charset = source ? source->charset : (th_str){0};
    if (source && source->url.ptr) {
        page->url = th__arena_copy(&page->arena, source->url);
        if (!page->url.ptr)
            return th__fail_memory(err);
    }
    th_status status = th__decode(&page->arena, bytes, charset, &page->text, &page->encoding,
                                  &page->encoding_reason, err);
    return status ? status : show_json(page, err);
}

/* How much work was done on pages: for tests that hold how often a job may do it. */
static atomic_ullong parses, copies;

void th__page_work(uint64_t *parsed, uint64_t *copied)
{
    *parsed = atomic_load_explicit(&parses, memory_order_relaxed);
    *copied = atomic_load_explicit(&copies, memory_order_relaxed);
}

static th_status parse(th_parser *parser, th_str bytes, const th_page_source *source, bool own,
                       th_page **out, th_error *err)
{
    if (bytes.len > parser->options.max_bytes)
        return th__fail(
            err, TH_ERR_LIMIT,
            "the page has %zu bytes, more than the limit of %llu; raise max_bytes to take it",
            bytes.len, (unsigned long long)parser->options.max_bytes);
    if (!bytes.ptr)
        bytes = (th_str){"", 0};
    th_page *page = TH__NEW(th_page);
    if (!page)
        return th__fail_memory(err);
    th__arena_init(&page->arena);
    if (own) {
        page->holders = 1;
        bytes = th__arena_copy(&page->arena, bytes);
    }
    th_status status = bytes.ptr ? decode(page, bytes, source, err) : th__fail_memory(err);
    if (status == TH_OK && !build(parser, page))
        status = th__fail_memory(err);
    if (status != TH_OK) {
        th_page_free(page);
        return status;
    }
    atomic_fetch_add_explicit(&parses, 1, memory_order_relaxed);
    *out = page;
    return TH_OK;
}

th_status th_parser_parse(th_parser *parser, th_str bytes, const th_page_source *source,
                          th_page **out, th_error *err)
{
    return parse(parser, bytes, source, false, out, err);
}

th_status th_parser_parse_copy(th_parser *parser, th_str bytes, const th_page_source *source,
                               th_page **out, th_error *err)
{
    return parse(parser, bytes, source, true, out, err);
}

static void *copy_array(th__arena *arena, const void *array, size_t bytes)
{
    void *out = th__arena_alloc(arena, bytes);
    return out ? memcpy(out, array, bytes) : NULL;
}

/* A string that may lie in the page's text, as the base does. */
static bool copy_string(th_page *to, const th_page *from, th_str in, th_str *out)
{
    *out = in;
    if (!in.ptr)
        return true;
    if (in.ptr >= from->text.ptr && in.ptr + in.len <= from->text.ptr + from->text.len)
        out->ptr = to->text.ptr + (in.ptr - from->text.ptr);
    else
        *out = th__arena_copy(&to->arena, in);
    return out->ptr != NULL;
}

static bool copy_page(th_page *to, const th_page *from)
{
    th__arena *arena = &to->arena;
    to->text = th__arena_copy(arena, from->text);
    to->tokens =
        copy_array(arena, from->tokens, (from->token_count + (size_t)1) * sizeof *from->tokens);
    to->nodes = copy_array(arena, from->nodes, from->node_count * sizeof *from->nodes);
    to->tags = copy_array(arena, from->tags, from->node_count * sizeof *from->tags);
    to->paths = copy_array(arena, from->paths, from->path_count * sizeof *from->paths);
    return to->text.ptr && to->tokens && to->nodes && to->tags && to->paths &&
           copy_string(to, from, from->url, &to->url) &&
           copy_string(to, from, from->base, &to->base);
}

th_status th_page_copy(const th_page *page, th_page **out, th_error *err)
{
    if (page->holders) {
        *out = (th_page *)page;
        (*out)->holders++;
        return TH_OK;
    }
    th_page *copy = TH__NEW(th_page);
    *out = NULL;
    if (!copy)
        return th__fail_memory(err);
    *copy = *page;
    copy->holders = 1;
    for (int i = 0; i < TH__KEPT_SLOTS; i++)
        copy->kept[i] = NULL;
    th__arena_init(&copy->arena);
    if (!copy_page(copy, page)) {
        th_page_free(copy);
        return th__fail_memory(err);
    }
    atomic_fetch_add_explicit(&copies, 1, memory_order_relaxed);
    *out = copy;
    return TH_OK;
}

static void release_kept(th__page_kept *kept)
{
    if (kept)
        th__arena_release(&kept->arena);
    th__mem_free(kept);
}

const void *th__page_keep(const th_page *page, th__kept_slot slot, th__kept_make make,
                          const void *context)
{
    th_page *own = (th_page *)page; /* which is as it was for all that is to be seen */
    th__page_kept *kept = own->kept[slot], *first = NULL;
    if (kept || !make)
        return kept ? kept->thing : NULL;
    kept = TH__NEW(th__page_kept);
    if (!kept)
        return NULL;
    th__arena_init(&kept->arena);
    kept->thing = make(&kept->arena, page, context);
    if (!kept->thing) {
        release_kept(kept);
        return NULL;
    }
    if (!atomic_compare_exchange_strong(&own->kept[slot], &first, kept)) {
        release_kept(kept);
        kept = first;
    }
    return kept->thing;
}

void th_page_free(th_page *page)
{
    if (!page || (page->holders && --page->holders))
        return;
    for (int i = 0; i < TH__KEPT_SLOTS; i++)
        release_kept(page->kept[i]);
    th__arena_release(&page->arena);
    th__mem_free(page);
}
