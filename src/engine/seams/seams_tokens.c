/*
 * seams_tokens.c: a page as words, signs and tags.
 *
 * Blanks are no tokens, but they tell signs apart: the hyphen of "Fair - 2024" parts values, that
 * of "2024-02-12" is inside one. Several no-break spaces are a sign: pages of old part values by
 * them. Scripts and comments are left out.
 */
#include "engine/seams/seams.h"

#include "index/view.h"
#include "page/attrs.h"
#include "page/lex.h"
#include "page/tags.h"

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
static uint32_t word_shape(const th_page *page, const th_fine *fine)
{
    th_str text = th__page_slice(page, fine->start, fine->end);
    uint32_t detail = 0;
    if (fine->cls == TH_CLASS_NUMBER)
        detail = number_detail(text);
    else if (fine->cls == TH_CLASS_ALLCAPS)
        detail = text.len > 1;
    return fold(th__hash_mix(fine->cls, detail));
}

/* What has no end tag is in a value only where it was seen in one. */
static th__seam_what what_tag(uint16_t tag)
{
    if (tag == TH_TAG_BR)
        return TH__SEAM_BREAK;
    bool phrase = th__tag_flows(tag) && tag != TH_TAG_IMG && !(th__tag_flags(tag) & TH_TAG_IS_VOID);
    return phrase ? TH__SEAM_PHRASE : TH__SEAM_BLOCK;
}

/* Attributes, beside the class, by which a template tells one field from another. */
static const th_str telling[] = {{"itemprop", 8}, {"property", 8}, {"color", 5}};
enum { TELLING = sizeof telling / sizeof *telling };

static uint32_t tag_key(const th_page *page, const th_fine *fine, uint32_t token)
{
    th_str classes = {0}, values[TELLING] = {{0}};
    bool classed = false, told[TELLING] = {0};
    th_attr attr;
    if (!(page->tokens[token].flags & TH_TOKEN_HAS_ATTRS))
        return fold(th__element_hash(fine->tag, classes));
    for (th__attr_walk walk = th__attrs(page, token); th__attr_next(&walk, &attr);) {
        if (!classed && th__attr_is(&attr, TH_STR("class"))) {
            classed = true;
            classes = attr.value;
        }
        for (size_t i = 0; i < TELLING; i++)
            if (!told[i] && th__attr_is(&attr, telling[i])) {
                told[i] = true;
                values[i] = attr.value;
            }
    }
    uint64_t hash = th__element_hash(fine->tag, classes);
    for (size_t i = 0; i < TELLING; i++)
        if (told[i])
            hash = th__hash_mix(hash + i, th__hash(values[i].ptr, values[i].len));
    return fold(hash);
}

struct seam_reader {
    const th_page *page;
    TH__VEC(th__seam_token) tokens;
    th__buf scratch;
    const uint32_t *paths; /* by node */
    uint32_t token;        /* the coarse token of the fine one at hand */
    uint32_t node, next;   /* the element around it; the next that begins */
};

/* Goes on to where a fine token is. */
static void follow(struct seam_reader *r, uint32_t start)
{
    const th_node *nodes = r->page->nodes;
    while (r->page->tokens[r->token + 1].start <= start)
        r->token++;
    while (r->next < r->page->node_count && nodes[r->next].token <= r->token)
        r->node = r->next++;
    while (r->node && nodes[r->node].token_end <= r->token)
        r->node = nodes[r->node].parent;
}

static bool set_text(struct seam_reader *r, const th_fine *fine, th__seam_token *token)
{
    th_str text = th__fine_text(r->page, fine, &r->scratch);
    if (!text.ptr)
        return false;
    token->key = fold(th__hash(text.ptr, text.len));
    token->what = th__class_is(fine->cls, TH_CLASS_WORD) ? TH__SEAM_WORD : TH__SEAM_SIGN;
    token->shape = token->what == TH__SEAM_WORD ? word_shape(r->page, fine) : token->key;
    return true;
}

static bool add(struct seam_reader *r, const th_fine *fine)
{
    th__seam_token token = {.start = fine->start, .end = fine->end, .tag = fine->tag};
    follow(r, fine->start);
    if (fine->cls == TH_CLASS_TAG_START) {
        token.key = token.shape = tag_key(r->page, fine, r->token);
        token.what = what_tag(fine->tag);
    } else if (fine->cls == TH_CLASS_TAG_END) {
        token.key = token.shape = ~fold(th__element_hash(fine->tag, (th_str){0}));
        token.what = TH__SEAM_END;
    } else if (fine->cls == TH_CLASS_MARKUP) {
        return true;
    } else if (th__class_is(fine->cls, TH_CLASS_BLANK)) {
        if (!th__fine_is_gap(r->page, fine))
            return true;
        token.key = token.shape = 1;
        token.what = TH__SEAM_GAP;
    } else if (!set_text(r, fine, &token)) {
        return false;
    }
    token.path = r->paths[r->node];
    return th__vec_push(&r->tokens, token);
}

/* A sign that touches text on both sides is another sign. */
static void tell_signs(const struct seam_reader *r)
{
    for (size_t i = 1; i + 1 < r->tokens.len; i++) {
        th__seam_token *t = &r->tokens.data[i];
        if (t->what == TH__SEAM_SIGN && t[-1].end == t->start && t[1].start == t->end &&
            th__seam_is_text(&t[-1]) && th__seam_is_text(&t[1]))
            t->key = t->shape = t->key + 1;
    }
}

/* By node of an element: the hash of what is around its texts. */
static uint32_t *find_paths(th__arena *arena, const th_page *page, uint32_t node)
{
    uint32_t *paths = th__arena_zero(arena, page->node_count + (size_t)1, sizeof *paths);
    for (uint32_t n = node ? node : 1; paths && n < page->nodes[node].end; n++) {
        uint32_t above = n == node ? 0 : paths[page->nodes[n].parent];
        paths[n] = th__tag_flows(page->tags[n]) ? above : fold(th__hash_mix(above, page->tags[n]));
    }
    return paths;
}

bool th__seam_tokens_make(th__arena *arena, const th_page *page, uint32_t node,
                          th__seam_tokens *out)
{
    const th_node *region = &page->nodes[node];
    th_span span = {page->tokens[region->token].start, page->tokens[region->token_end].start};
    struct seam_reader r = {.page = page,
                            .paths = find_paths(arena, page, node),
                            .token = region->token,
                            .node = node,
                            .next = node + 1};
    th_lex lex;
    th_fine fine;
    bool ok = r.paths;
    *out = (th__seam_tokens){0};
    th_lex_init(&lex, page, span);
    while (ok && th_lex_next(&lex, &fine))
        ok = add(&r, &fine);
    out->data = ok ? th__arena_alloc(arena, (r.tokens.len + 1) * sizeof *out->data) : NULL;
    out->count = (uint32_t)r.tokens.len;
    tell_signs(&r);
    if (out->data && r.tokens.len)
        memcpy(out->data, r.tokens.data, r.tokens.len * sizeof *out->data);
    th__vec_release(&r.tokens);
    th__buf_release(&r.scratch);
    return out->data;
}

uint32_t th__seam_text_on(const th__seam_tokens *tokens, uint32_t at)
{
    uint32_t on = at;
    while (on < tokens->count && tokens->data[on].what == TH__SEAM_END &&
           th__tag_flows(tokens->data[on].tag))
        on++;
    return on > at && on < tokens->count && th__seam_is_text(&tokens->data[on]) ? on : at;
}
