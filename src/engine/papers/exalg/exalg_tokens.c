/* exalg_tokens.c: pages as strings of tokens (DIFFFORM), tokens in writing, and the context of a
 * token. */
#include "engine/papers/exalg/exalg.h"
#include "page/tags.h"
#include "page/text.h"

/* Keys of the dummies: nothing else is made of these words. */
enum { KEY_BEGIN = 0x42, KEY_FINISH = 0x46 };

struct string_reader {
    const th_page *page;
    th__exalg_string *out;
    bool paths;
    uint32_t node, next; /* the innermost open element; the next in preorder */
};

static uint64_t word_hash(th_str word)
{
    return th__hash_mix(TH__EXALG_WORD + 1, th__hash(word.ptr, word.len));
}

static uint64_t tag_hash(th__exalg_kind kind, uint16_t tag)
{
    return th__hash_mix(kind + 1, tag);
}

static bool add(struct string_reader *r, th__exalg_kind kind, uint64_t token, th_span span,
                uint64_t path)
{
    uint64_t key = r->paths ? th__hash_mix(token, path) : token;
    return th__vec_push(&r->out->tokens,
                        (th__exalg_token){key, span.start, span.end, r->node, (uint8_t)kind});
}

static uint64_t node_path(const th_page *page, uint32_t node)
{
    return page->paths[page->nodes[node].path].hash;
}

static void follow(struct string_reader *r, uint32_t token)
{
    const th_node *nodes = r->page->nodes;
    while (r->node && nodes[r->node].token_end <= token)
        r->node = nodes[r->node].parent;
    if (r->next < r->page->node_count && nodes[r->next].token == token)
        r->node = r->next++;
}

/* An end tag belongs to the element that it closes; one that closes nothing is as if its element
 * were where it is. */
static bool add_tag(struct string_reader *r, uint32_t token)
{
    const th_page *page = r->page;
    const th_token *t = &page->tokens[token];
    th_span span = {t->start, t[1].start};
    uint64_t path = node_path(page, r->node);
    if (t->kind == TH_TOKEN_START)
        return add(r, TH__EXALG_START, tag_hash(TH__EXALG_START, t->tag), span, path);
    bool closes =
        r->node && page->nodes[r->node].token_end == token + 1 && page->tags[r->node] == t->tag;
    if (!closes)
        path = th__hash_mix(path, t->tag);
    return add(r, TH__EXALG_END, tag_hash(TH__EXALG_END, t->tag), span, path);
}

static bool add_words(struct string_reader *r, uint32_t token)
{
    th_str text = th__token_text(r->page, token);
    uint32_t first = r->page->tokens[token].start;
    uint64_t path = node_path(r->page, r->node);
    size_t at = 0;
    for (th_str word; (word = th__str_word(text, &at)).len;)
        if (!add(r, TH__EXALG_WORD, word_hash(word),
                 (th_span){first + (uint32_t)(at - word.len), first + (uint32_t)at}, path))
            return false;
    return true;
}

static bool read_token(struct string_reader *r, uint32_t token, uint32_t *hidden)
{
    const th_token *t = &r->page->tokens[token];
    bool tag = t->kind == TH_TOKEN_START || t->kind == TH_TOKEN_END;
    bool text = t->kind == TH_TOKEN_TEXT || t->kind == TH_TOKEN_RCDATA || t->kind == TH_TOKEN_CDATA;
    if (!tag && !text)
        return true;
    follow(r, token);
    if (token < *hidden)
        return true;
    if (t->kind == TH_TOKEN_START)
        *hidden = th__hidden_end(r->page, token);
    return tag ? add_tag(r, token) : t->flags & TH_TOKEN_BLANK || add_words(r, token);
}

bool th__exalg_string_read(const th_page *page, bool paths, th__exalg_string *out)
{
    struct string_reader r = {page, out, paths, 0, 1};
    uint32_t hidden = 0, end = (uint32_t)page->text.len;
    *out = (th__exalg_string){.page = page};
    bool ok = th__vec_push(&out->tokens, (th__exalg_token){KEY_BEGIN, 0, 0, 0, TH__EXALG_DUMMY});
    for (uint32_t token = 0; ok && token < page->token_count; token++)
        ok = read_token(&r, token, &hidden);
    return ok &&
           th__vec_push(&out->tokens, (th__exalg_token){KEY_FINISH, end, end, 0, TH__EXALG_DUMMY});
}

/* ---- tokens in writing ----------------------------------------------------------------------- */

/* Text in a title or a text area may look like a tag: such a word is written with a backslash
 * before it, and so is one that begins with a backslash. A dummy is a backslash and a sign. */
#define WORD_MARK '\\'
static const th_str dummies[] = {{"\\^", 2}, {"\\$", 2}};

static bool tag_name(th_str token, th_str *name, bool *end)
{
    if (token.len < 3 || token.ptr[0] != '<' || token.ptr[token.len - 1] != '>')
        return false;
    *end = token.ptr[1] == '/';
    *name = (th_str){token.ptr + 1 + *end, token.len - 2 - *end};
    return name->len > 0;
}

bool th__exalg_token_key(th_str token, th_str path, uint64_t *out)
{
    th_str name;
    bool end;
    for (size_t i = 0; i < token.len; i++)
        if (th__is_blank((unsigned char)token.ptr[i]))
            return false;
    if (token.len <= (token.len && token.ptr[0] == WORD_MARK))
        return false;
    for (int i = 0; i < 2; i++)
        if (th__str_eq(token, dummies[i])) {
            *out = i ? KEY_FINISH : KEY_BEGIN;
            return true;
        }
    if (token.ptr[0] == WORD_MARK)
        *out = word_hash((th_str){token.ptr + 1, token.len - 1});
    else if (tag_name(token, &name, &end))
        *out = tag_hash(end ? TH__EXALG_END : TH__EXALG_START, th_tag_id(name));
    else
        *out = word_hash(token);
    if (!path.ptr)
        return true;
    uint64_t hash = 0;
    size_t at = 0;
    for (th_str step; (step = th__str_word(path, &at)).len;)
        hash = th__hash_mix(hash, th_tag_id(step));
    *out = th__hash_mix(*out, hash);
    return true;
}

static void write_word(th_str word, th__buf *out)
{
    th_str name;
    bool end;
    if (word.ptr[0] == WORD_MARK || tag_name(word, &name, &end))
        th__buf_add_byte(out, WORD_MARK);
    th__buf_add_str(out, word);
}

static void write_name(const th_page *page, uint32_t token, th__buf *out)
{
    th_str name = th_token_name(page, token);
    for (size_t i = 0; i < name.len; i++)
        th__buf_add_byte(out, (char)th__lower((unsigned char)name.ptr[i]));
}

void th__exalg_token_write(const th__exalg_string *string, uint32_t token, th__buf *out)
{
    const th__exalg_token *t = &string->tokens.data[token];
    const th_page *page = string->page;
    if (t->kind == TH__EXALG_WORD) {
        write_word(th__page_slice(page, t->start, t->end), out);
    } else if (t->kind == TH__EXALG_DUMMY) {
        th__buf_add_str(out, dummies[t->key == KEY_FINISH]);
    } else {
        th__buf_add_str(out, t->kind == TH__EXALG_END ? TH_STR("</") : TH_STR("<"));
        write_name(page, th__token_at(page, t->start), out);
        th__buf_add_byte(out, '>');
    }
}

void th__exalg_path_write(const th__exalg_string *string, uint32_t token, th__buf *out)
{
    const th__exalg_token *t = &string->tokens.data[token];
    const th_page *page = string->page;
    TH__VEC(uint32_t) steps = {0};
    for (uint32_t node = t->node; node; node = page->nodes[node].parent)
        if (!th__vec_push(&steps, node))
            out->failed = true;
    bool blank = false;
    while (steps.len--) {
        if (blank)
            th__buf_add_byte(out, ' ');
        blank = true;
        write_name(page, page->nodes[steps.data[steps.len]].token, out);
    }
    uint32_t coarse = th__token_at(page, t->start);
    bool closes = page->nodes[t->node].token_end == coarse + 1 &&
                  page->tags[t->node] == page->tokens[coarse].tag;
    if (t->kind == TH__EXALG_END && !(t->node && closes)) {
        if (blank)
            th__buf_add_byte(out, ' ');
        write_name(page, coarse, out);
    }
    th__vec_release(&steps);
}

/* ---- contexts -------------------------------------------------------------------------------- */

bool th__exalg_contexts_init(th__exalg_contexts *c, uint32_t classes, th__arena *arena)
{
    *c = (th__exalg_contexts){
        .open = th__arena_alloc(arena, (classes + 1) * sizeof *c->open),
        .where = th__arena_zero(arena, classes + 1, sizeof *c->where),
    };
    return c->open && c->where;
}

/* On pages that were not learnt from, a class may begin again before it has ended, or lack its
 * first token: then what is open inside it ends, and it opens there. */
uint64_t th__exalg_context(th__exalg_contexts *c, uint32_t cls, uint32_t rank, uint32_t size,
                           uint64_t name)
{
    uint32_t keep = cls == TH__EXALG_NONE || !c->where[cls] ? c->depth : c->where[cls] - 1;
    uint64_t own = keep < c->depth ? c->open[keep].around : keep ? c->open[keep - 1].inside : 0;
    if (cls == TH__EXALG_NONE)
        return own;
    while (c->depth > keep)
        c->where[c->open[--c->depth].cls] = 0;
    if (rank + 1 < size) {
        c->open[c->depth++] = (struct class_position){cls, own, th__hash_mix(own, name)};
        c->where[cls] = c->depth;
    }
    return own;
}
