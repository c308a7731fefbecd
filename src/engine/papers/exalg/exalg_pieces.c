/* exalg_pieces.c: see exalg_pieces.h. */
#include "engine/papers/exalg/exalg_pieces.h"

#include "base/str.h"
#include "page/tags.h"

bool th__exalg_is_field_gap(const th__sign *sign)
{
    return sign->flags & TH__SIGN_PARTS && sign->flags & TH__SIGN_OPENS &&
           sign->flags & TH__SIGN_CLOSES && !(sign->flags & TH__SIGN_TIGHT);
}

static bool is_blank_at(const char *text, uint32_t at, th_span span)
{
    return at <= span.start || at >= span.end || th__is_blank((unsigned char)text[at]) ||
           text[at] == '<' || text[at - 1] == '>';
}

/* Whether a semicolon ends a reference: "&hellip;". */
static bool ends_reference(const char *text, uint32_t at, th_span span)
{
    enum { LONGEST = 10 };
    for (uint32_t i = 1; i <= LONGEST && at >= span.start + i; i++) {
        unsigned char c = (unsigned char)text[at - i];
        if (c == '&' || !(th__is_alpha(c) || th__is_digit(c) || c == '#'))
            return c == '&' && i > 1;
    }
    return false;
}

/* Whether the sign stands at a place as a gap: with blanks on both sides, or only behind it for
 * those that stand so. */
static bool is_gap(const char *text, uint32_t at, th_span span, th_str gap)
{
    if (span.end - at < gap.len || memcmp(text + at, gap.ptr, gap.len) != 0)
        return false;
    if (gap.ptr[0] == ';' && ends_reference(text, at, span))
        return false;
    uint32_t behind = at + (uint32_t)gap.len;
    bool list = gap.ptr[0] == ',' || gap.ptr[0] == ';' || gap.len > 8;
    bool left = list || at == span.start || is_blank_at(text, at - 1, span);
    bool right = gap.len > 8 || behind >= span.end || is_blank_at(text, behind, span);
    return left && right;
}

bool th__exalg_next_piece(const th_page *page, th_span *rest, th_str gap, th_span *piece)
{
    const char *text = page->text.ptr;
    if (rest->start >= rest->end)
        return false;
    *piece = *rest;
    bool tag = false;
    for (uint32_t at = rest->start; at < rest->end; at++) {
        if (text[at] == '<')
            tag = true;
        if (!tag && text[at] == gap.ptr[0] && is_gap(text, at, *rest, gap)) {
            piece->end = at;
            rest->start = at + (uint32_t)gap.len;
            return true;
        }
        tag = tag && text[at] != '>';
    }
    rest->start = rest->end;
    return true;
}

uint32_t th__exalg_behind_label(const th_page *page, th_span span, th_str label)
{
    const char *text = page->text.ptr;
    uint32_t at = span.start;
    while (at < span.end && th__is_blank((unsigned char)text[at]))
        at++;
    for (size_t i = 0; i < label.len; i++) {
        unsigned char want = (unsigned char)label.ptr[i];
        if (th__is_blank(want)) {
            while (at < span.end && th__is_blank((unsigned char)text[at]))
                at++;
        } else if (at >= span.end || (unsigned char)text[at++] != want) {
            return span.end;
        }
    }
    return at;
}

static bool ends_with_gap(th_str text)
{
    text = th__str_trim(text);
    for (size_t i = 0; i < th__sign_count; i++) {
        size_t len = th__signs[i].text.len;
        if (th__exalg_is_field_gap(&th__signs[i]) && text.len >= len &&
            !memcmp(text.ptr + text.len - len, th__signs[i].text.ptr, len) &&
            (text.len == len || th__is_blank((unsigned char)text.ptr[text.len - len - 1])))
            return true;
    }
    return false;
}

bool th__exalg_gap_before(const th_page *page, uint32_t token)
{
    enum { FAR = 6 }; /* tags between a gap and what follows */
    for (uint32_t i = 1; i <= FAR && i <= token; i++) {
        const th_token *t = &page->tokens[token - i];
        if (t->kind == TH_TOKEN_TEXT && !(t->flags & TH_TOKEN_BLANK))
            return ends_with_gap(th__token_text(page, token - i));
        bool tag = t->kind == TH_TOKEN_START || t->kind == TH_TOKEN_END;
        if (tag && (t->tag == TH_TAG_BR || (th__tag_flags(t->tag) & TH_TAG_IS_BLOCK)))
            return false;
    }
    return false;
}
