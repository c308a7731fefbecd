/*
 * seams_tokens.c: a page as words, signs and tags.
 *
 * Blanks are no tokens, but they tell signs apart: the hyphen of "Fair - 2024" parts values, that
 * of "2024-02-12" is inside one.
 */
#include "base/str.h"
#include "engine/seams/seams.h"
#include "engine/stalker/stalker_map.h"
#include "engine/stalker/stalker_tokens.h"
#include "page/lex.h"
#include "page/page.h"
#include "page/tags.h"
#include "page/text.h"

enum { LONG_NUMBER = 5 }; /* digits: longer ones are all alike */

static uint32_t fold(uint64_t hash)
{
    return (uint32_t)(hash ^ hash >> 32);
}

/* 4.5, 579,203 and 1987 are numbers of different kinds: by the signs in them, or their length. */
static uint32_t number_detail(th_str text)
{
    uint32_t signs = 0;
    for (size_t i = 0; i < text.len; i++)
        if (!th__is_digit((unsigned char)text.ptr[i]))
            signs = signs * 31 + (unsigned char)text.ptr[i];
    return signs ? signs + LONG_NUMBER : text.len < LONG_NUMBER ? (uint32_t)text.len : LONG_NUMBER;
}

/* Of a word: its class, with what tells initials from words and years from other numbers. */
static uint32_t word_shape(const th_page *page, const th__stalker_token *token)
{
    th_str text = th__page_slice(page, token->start, token->end);
    uint32_t detail = 0;
    if (token->cls == TH_CLASS_NUMBER)
        detail = number_detail(text);
    else if (token->cls == TH_CLASS_ALLCAPS)
        detail = text.len > 1;
    return fold(th__hash_mix(token->cls, detail));
}

static bool is_tag(const th__stalker_token *token)
{
    return th__class_is(token->cls, TH_CLASS_HTML);
}

/* Whether a sign touches text on both sides. */
static bool is_glued(const th__stalker_seq *seq, uint32_t i)
{
    const th__stalker_token *t = &seq->tokens[i];
    return t->cls == TH_CLASS_PUNCT && i && i + 1 < seq->count && t[-1].end == t->start &&
           t[1].start == t->end && !is_tag(&t[-1]) && !is_tag(&t[1]);
}

/* What has no end tag stands in a value only where it was seen in one. */
static bool is_phrase(uint16_t tag)
{
    return th__stalker_is_phrasing(tag) && tag != TH_TAG_BR && tag != TH_TAG_IMG &&
           !(th__tag_flags(tag) & TH_TAG_IS_VOID);
}

/* Attributes, beside the class, by which a template tells one field from another. */
static const char *const telling[] = {"itemprop", "property", "color"};

static uint32_t tag_key(const th_page *page, const th__stalker_token *token)
{
    uint32_t key = token->step ? token->step : token->sym, coarse;
    th_str value;
    coarse = th__token_at(page, token->start);
    if (!(page->tokens[coarse].flags & TH_TOKEN_HAS_ATTRS))
        return key;
    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
        if (th_attr_get(page, coarse, telling[i], &value))
            key = fold(th__hash_mix(key + i, th__hash(value.ptr, value.len)));
    return key;
}

static th__seam_token token_of(const th__stalker_seq *seq, uint32_t i)
{
    const th__stalker_token *from = &seq->tokens[i];
    th__seam_token token = {
        .start = from->start, .end = from->end, .key = from->sym, .tag = from->tag};
    if (from->cls == TH_CLASS_TAG_START) {
        token.key = token.shape = tag_key(seq->page, from);
        token.what = from->tag == TH_TAG_BR ? TH__SEAM_BREAK
                     : is_phrase(from->tag) ? TH__SEAM_PHRASE
                                            : TH__SEAM_BLOCK;
    } else if (from->cls == TH_CLASS_TAG_END) {
        token.shape = from->sym;
        token.what = TH__SEAM_END;
    } else if (th__class_is(from->cls, TH_CLASS_WORD)) {
        token.shape = word_shape(seq->page, from);
        token.what = TH__SEAM_WORD;
    } else {
        token.key = token.shape = from->sym + is_glued(seq, i);
        token.what = TH__SEAM_SIGN;
    }
    return token;
}

/* By node of an element: the hash of what is around its texts. */
static uint32_t *find_paths(th__arena *arena, const th_page *page, uint32_t node)
{
    uint32_t *paths = th__arena_zero(arena, page->node_count + (size_t)1, sizeof *paths);
    for (uint32_t n = node ? node : 1; paths && n < page->nodes[node].end; n++) {
        uint32_t above = n == node ? 0 : paths[page->nodes[n].parent];
        paths[n] = th__stalker_is_phrasing(page->tags[n])
                       ? above
                       : fold(th__hash_mix(above, page->tags[n]));
    }
    return paths;
}

bool th__seam_tokens_make(th__arena *arena, const th_page *page, uint32_t node,
                          th__seam_tokens *out)
{
    const th_node *region = &page->nodes[node];
    th_span span = {page->tokens[region->token].start, page->tokens[region->token_end].start};
    th__stalker_seq seq;
    uint32_t *paths = find_paths(arena, page, node);
    *out = (th__seam_tokens){0};
    if (!paths || !th__stalker_seq_make(arena, page, span, &seq))
        return false;
    out->data = th__arena_alloc(arena, (seq.count + (size_t)1) * sizeof *out->data);
    for (uint32_t i = 0; out->data && i < seq.count; i++) {
        if (seq.tokens[i].cls == TH_CLASS_MARKUP)
            continue;
        th__seam_token token = token_of(&seq, i);
        token.path = paths[th_page_node_at(page, token.start)];
        out->data[out->count++] = token;
    }
    return out->data;
}
