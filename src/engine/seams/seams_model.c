/*
 * seams_model.c: a page as words, signs and tags.
 *
 * Blanks are no tokens, but they tell signs apart: the hyphen of "Fair - 2024" parts values, that
 * of "2024-02-12" is inside one. Several no-break spaces are a sign: pages of old part values by
 * them. Scripts and comments are left out.
 */
#include <math.h>

#include "base/error.h"
#include "engine/seams/seams.h"
#include "index/page_map.h"
#include "index/view.h"
#include "page/attrs.h"
#include "page/lex.h"
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
        if (!classed && th__str_eq_nocase(attr.name, TH_STR("class"))) {
            classed = true;
            classes = attr.value;
        }
        for (size_t i = 0; i < TELLING; i++)
            if (!told[i] && th__str_eq_nocase(attr.name, telling[i])) {
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
    th__node_walk walk;    /* the element around it */
};

/* Goes on to where a fine token is. */
static void follow(struct seam_reader *r, uint32_t start)
{
    while (r->page->tokens[r->token + 1].start <= start)
        r->token++;
    th__node_follow(&r->walk, r->page, r->token);
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
    token.path = r->paths[r->walk.node];
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
                            .walk = {node, node + 1}};
    th_lex lex;
    th_fine fine;
    bool ok = r.paths;
    *out = (th__seam_tokens){0};
    th_lex_init(&lex, page, span);
    while (ok && th_lex_next(&lex, &fine))
        ok = add(&r, &fine);
    tell_signs(&r);
    out->data = ok ? th__arena_keep(arena, r.tokens.data, r.tokens.len, sizeof *out->data) : NULL;
    out->count = (uint32_t)r.tokens.len;
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

/* ---- what is counted over the samples. ------------------------------------------------------
 *
 * The samples are all that a wrapper keeps: they are short, a person can read them, and what is
 * counted can change without a change of the file. They are gone
 * through three times: for the texts between values, for the asides among them, and for everything
 * else.
 *
 * Asides: a page has more on it than its labels name.
 *
 *     <br>Tel: 555-1212<br>Ref: 80-3342<br>Town: Ghent
 *                      └─────aside─────┘ └─seam──┘
 *
 * What varies from place to place would make a seam that no other page has: such a text, with the
 * tokens before it, is known as an aside, and the seam of the next value begins behind it. Which
 * texts vary is counted by what is before them, their context. Behind "Ref:" is another text each
 * time; behind "<br>" are the labels, each of which comes again on the next page. A context is
 * varied when most of its texts are different.
 */

/* ---- asides ---------------------------------------------------------------------------------- */

/* Text between values, as it is counted to find what varies. */
struct between_texts {
    th__key_map contexts, contents;
};

/* Where what is before an aside begins, and its text. */
struct seam_aside {
    uint32_t start, text, end;
};

enum { OCCURRENCES = 16 }; /* bits of a context's count, below those of the different texts */
/* Of the texts of a context, this part is different, and there are so many at least. With fewer,
 * labels that only some pages have would pass for text that varies. */
#define VARIED    0.7
#define DIFFERENT 2

/* What is before a text: the tokens back to the text or value before it. `exact`: with that,
 * which is a label, perhaps; else whatever it is. */
static uint64_t context_of(const th__seam_tokens *tokens, uint32_t from, uint32_t text,
                           uint32_t before, bool exact)
{
    uint64_t hash = 1 + exact;
    for (; text > from && !th__seam_is_text(&tokens->data[text - 1]); text--)
        hash = th__hash_mix(hash, tokens->data[text - 1].key);
    if (exact && text == from)
        return th__hash_mix(hash, before);
    for (; exact && text > from && th__seam_is_text(&tokens->data[text - 1]); text--)
        hash = th__hash_mix(hash, tokens->data[text - 1].key);
    return hash;
}

/* The hash of the tokens start..end, as they are. */
static uint64_t hash_of(const th__seam_tokens *tokens, uint32_t start, uint32_t end)
{
    uint64_t hash = 0;
    for (; start < end; start++)
        hash = th__hash_mix(hash, tokens->data[start].key);
    return hash;
}

/* The next text between other tokens. */
static bool next_text(const th__seam_tokens *tokens, uint32_t at, uint32_t from, uint32_t to,
                      uint32_t *start, uint32_t *end)
{
    while (at < to && (at == from || !th__seam_is_text(&tokens->data[at]) ||
                       th__seam_is_text(&tokens->data[at - 1])))
        at++;
    *start = at;
    *end = th__seam_text_end(tokens, at);
    return at < to && *end < to;
}

static void count_text(struct between_texts *texts, uint64_t context, uint64_t content)
{
    enum { MOST = (1 << OCCURRENCES) - 1 };
    content = th__hash_mix(context, content);
    bool is_new = !th__key_map_get(&texts->contents, content);
    uint32_t seen = th__key_map_get(&texts->contexts, context);
    if (is_new)
        th__key_map_put(&texts->contents, content, 1);
    if ((seen & MOST) < MOST)
        th__key_map_put(&texts->contexts, context, seen + 1 + ((uint32_t)is_new << OCCURRENCES));
}

/* Texts of the tokens from..to, which are behind a value of the slot `before`. */
static void count_texts(struct between_texts *texts, const th__seam_tokens *tokens, uint32_t from,
                        uint32_t to, uint32_t before)
{
    uint32_t start, end;
    for (uint32_t at = from; next_text(tokens, at, from, to, &start, &end); at = end) {
        uint64_t content = hash_of(tokens, start, end);
        count_text(texts, context_of(tokens, from, start, before, true), content);
        count_text(texts, context_of(tokens, from, start, before, false), content);
    }
}

static bool is_varied(const struct between_texts *texts, uint64_t context)
{
    uint32_t seen = th__key_map_get(&texts->contexts, context);
    uint32_t all = seen & ((1u << OCCURRENCES) - 1), different = seen >> OCCURRENCES;
    return different >= DIFFERENT && different > VARIED * all;
}

/* The next aside between two values. A seam follows. False when there is none. */
static bool next_aside(const struct between_texts *texts, const th__seam_tokens *tokens,
                       uint32_t from, uint32_t to, uint32_t before, struct seam_aside *out)
{
    uint32_t start, end, first = th__seam_skip_ends(tokens, from, to);
    for (uint32_t at = first; next_text(tokens, at, from, to, &start, &end); at = end) {
        if (start <= first || start - first > TH__SEAMS_MAX_SEAM ||
            !(is_varied(texts, context_of(tokens, from, start, before, true)) ||
              is_varied(texts, context_of(tokens, from, start, before, false))))
            continue;
        for (uint32_t on; (on = th__seam_text_on(tokens, end)) > end && on < to;)
            end = th__seam_text_end(tokens, on);
        *out = (struct seam_aside){first, start, end};
        return th__seam_skip_ends(tokens, end, to) < to;
    }
    return false;
}

/* ---- counting -------------------------------------------------------------------------------- */

uint64_t th__seam_end_tag(uint64_t hash, const th__seam_token *token)
{
    return th__tag_flows(token->tag) ? hash : th__hash_mix(hash, token->key);
}

/* A move that was not seen: as if it had been seen one time in twenty, of all that were not seen
 * together. */
#define NEW_MOVE  0.05
#define NEW_MOVES 0.4

/* The tokens of a sample, and those of its values. */
struct read_sample {
    th__seam_tokens tokens;
    th__seam_place *values; /* starts and ends are tokens; those without any are left out */
    uint32_t count;
};

struct sample_counter {
    th__seam_rules *rules;
    th__arena *arena;
    const th__seam_tokens *tokens; /* of the sample at hand */
    const th__seam_tail *tails;
    TH__VEC(th__seam_lead) leads;
    struct between_texts texts; /* counted first, over all samples */
};

/* One more; gives how many there are now. */
static uint32_t count(struct sample_counter *c, th__seam_count what, uint32_t slot, uint64_t key)
{
    th__key_map *map = &c->rules->counts;
    key = th__seam_count_key(what, slot, key);
    uint32_t seen = th__key_map_get(map, key);
    th__key_map_put(map, key, seen + 1);
    return seen + 1;
}

static void count_value(struct sample_counter *c, uint32_t number, uint32_t start, uint32_t end)
{
    th__seam_slot *slot = &c->rules->slots.data[number];
    const th__seam_token *tokens = c->tokens->data;
    uint64_t whole = 0, form = 0;
    for (uint32_t i = start; i < end; i++) {
        whole = th__hash_mix(whole, tokens[i].key);
        form = th__hash_mix(form, tokens[i].shape);
        count(c, TH__COUNT_WORD, number, tokens[i].key);
        count(c, TH__COUNT_SHAPE, number, tokens[i].shape);
    }
    slot->values++;
    slot->tokens += end - start;
    slot->longest = slot->longest > end - start ? slot->longest : end - start;
    slot->wholes += count(c, TH__COUNT_WHOLE, number, whole) == 1;
    slot->shapes += count(c, TH__COUNT_FORM, number, form) == 1;
    count(c, TH__COUNT_PATH, number, tokens[start].path);
    count(c, TH__COUNT_FIRST, number, tokens[start].shape);
    count(c, TH__COUNT_LAST, number, tokens[end - 1].shape);
    if (slot->attribute.ptr)
        slot->tag = tokens[start].key;
}

/* The seams that begin with a token are no longer than the longest. */
static void keep_first(th__seam_rules *rules, uint32_t key, uint32_t length)
{
    uint64_t hash = th__hash_mix(0, key);
    if (th__key_map_get(&rules->first, hash) < length)
        th__key_map_put(&rules->first, hash, length);
}

/* The lead of a seam to a slot, made where there is none. TH__SEAMS_NONE if out of memory. */
static uint32_t find_lead(struct sample_counter *c, uint32_t start, uint32_t end, uint32_t slot)
{
    th__seam_rules *rules = c->rules;
    uint64_t hash = hash_of(c->tokens, start, end);
    for (uint32_t i = start; i < end; i++)
        rules->breaks |= c->tokens->data[i].what == TH__SEAM_BREAK;
    uint32_t first = th__key_map_get(&rules->seams, hash), at = first ? first - 1 : TH__SEAMS_NONE;
    while (at != TH__SEAMS_NONE && c->leads.data[at].slot != slot)
        at = c->leads.data[at].next;
    if (at == TH__SEAMS_NONE) {
        th__seam_lead lead = {.slot = slot, .next = first ? first - 1 : TH__SEAMS_NONE};
        at = (uint32_t)c->leads.len;
        if (!th__vec_push(&c->leads, lead))
            return TH__SEAMS_NONE;
        th__key_map_put(&rules->seams, hash, at + 1);
    }
    rules->lengths[end - start] = true;
    if (end > start)
        keep_first(rules, c->tokens->data[start].key, end - start);
    return at;
}

/* Returns true if there is a word among tokens. */
static bool has_word(const struct sample_counter *c, uint32_t start, uint32_t end)
{
    while (start < end && c->tokens->data[start].what != TH__SEAM_WORD)
        start++;
    return start < end;
}

/* Parts of a seam that may lead to its slot on other pages, seen no time. Where the seam has a
 * label, start tags before that may be those of what holds several fields, of which this one need
 * not be the first. The first item of a list has the list's beginning before it, the others have
 * not: if samples show none of them, they begin with the last tag that parts lines or blocks. */
static bool add_parts(struct sample_counter *c, uint32_t start, uint32_t end, uint32_t slot,
                      th__seam_kind kind)
{
    const th__seam_token *tokens = c->tokens->data;
    for (uint32_t i = start; i < end && tokens[i].what == TH__SEAM_BLOCK; i++)
        if (has_word(c, i + 1, end) && find_lead(c, i + 1, end, slot) == TH__SEAMS_NONE)
            return false;
    uint32_t last = end;
    while (last > start && tokens[last - 1].what != TH__SEAM_BLOCK &&
           tokens[last - 1].what != TH__SEAM_BREAK)
        last--;
    return kind != TH__SEAM_FIRST || last <= start + 1 ||
           find_lead(c, last - 1, end, slot) != TH__SEAMS_NONE;
}

/* Before the first value of a record is whatever the page begins with: the tags behind its last
 * word are a seam as well. */
static bool add_head(struct sample_counter *c, uint32_t start, uint32_t end, uint32_t slot)
{
    const th__seam_token *tokens = c->tokens->data;
    uint32_t from = end;
    while (from > start && tokens[from - 1].what != TH__SEAM_WORD)
        from--;
    while (from < end && tokens[from].what != TH__SEAM_BLOCK)
        from++;
    c->rules->head |= from > start;
    return from == start || from == end || find_lead(c, from, end, slot) != TH__SEAMS_NONE;
}

/* A seam that leads to a slot. */
static bool count_seam(struct sample_counter *c, uint32_t start, uint32_t end, uint32_t slot,
                       th__seam_kind kind)
{
    uint32_t lead = find_lead(c, start, end, slot);
    if (lead == TH__SEAMS_NONE)
        return false;
    c->leads.data[lead].counts[kind]++;
    c->rules->slots.data[slot].seams[kind]++;
    return add_parts(c, start, end, slot, kind);
}

/* Where the seam of a value begins: behind the end tags of what came before. Of the first value
 * only what no end tag parts from it counts: who knows what is before a record. */
static uint32_t seam_start(struct sample_counter *c, uint32_t from, uint32_t to, bool first)
{
    uint32_t start = th__seam_skip_ends(c->tokens, from, to);
    const th__seam_token *tokens = c->tokens->data;
    for (uint32_t i = to; first && i > start; i--)
        if (tokens[i - 1].what == TH__SEAM_END)
            start = i;
    if (to - start > TH__SEAMS_MAX_SEAM)
        start = to - TH__SEAMS_MAX_SEAM;
    c->rules->head |= first && start > 0;
    return start;
}

th__seam_tail *th__seam_tails_make(const th__seam_tokens *tokens, th__arena *arena)
{
    th__seam_tail *tails = th__arena_alloc(arena, (tokens->count + (size_t)1) * sizeof *tails);
    uint32_t next[TH__SEAM_TAIL] = {0};
    uint64_t whole = 0;
    if (!tails)
        return NULL;
    tails[tokens->count] = (th__seam_tail){th__hash(next, sizeof next), whole};
    for (uint32_t i = tokens->count; i-- > 0;) {
        const th__seam_token *token = &tokens->data[i];
        if (token->what != TH__SEAM_END) {
            memmove(next + 1, next, sizeof next - sizeof *next);
            next[0] = token->key;
            whole = th__hash_mix(whole, token->key);
        }
        tails[i] = (th__seam_tail){th__hash(next, sizeof next), whole};
    }
    return tails;
}

/* Which slots an item has before a value; with the value they are given back. */
static uint64_t keep_order(th__seam_slots *slots, uint64_t used, const th__seam_place *place)
{
    const th__seam_slot *slot = &slots->data[place->slot];
    used = th__seam_use(slots, used, place->slot, place->open);
    uint64_t item = slot->depth ? used & slots->in_list[slot->lists[0]] : 0;
    for (uint32_t s = 0; s < slots->count; s++)
        if (s != place->slot && item >> s & 1)
            slots->later[s] |= UINT64_C(1) << place->slot;
    return used;
}

/* Passes the asides behind a value; gives where the seam of the next begins. *ends: what is closed
 * and passed before it. */
static uint32_t pass_asides(struct sample_counter *c, uint32_t from, uint32_t to, uint32_t before,
                            uint64_t *ends)
{
    struct seam_aside aside;
    th__seam_rules *rules = c->rules;
    const th__seam_token *tokens = c->tokens->data;
    for (bool more = true; more;) {
        more =
            before != TH__SEAMS_NONE && next_aside(&c->texts, c->tokens, from, to, before, &aside);
        for (; from < to && tokens[from].what == TH__SEAM_END; from++)
            *ends = th__seam_end_tag(*ends, &tokens[from]);
        if (!more)
            break;
        uint64_t hash = hash_of(c->tokens, aside.start, aside.text);
        th__key_map_put(&rules->asides, hash, 1);
        rules->any_asides = true;
        keep_first(rules, tokens[aside.start].key, aside.text - aside.start);
        *ends = th__hash_mix(*ends, hash);
        from = aside.end;
    }
    return from;
}

/* What is between values: its texts are counted, or asides found among them. */
static void look_between(struct sample_counter *c, const struct read_sample *sample, bool texts)
{
    uint64_t ends = 0;
    for (uint32_t i = 1; i < sample->count; i++) {
        const th__seam_place *before = &sample->values[i - 1], *value = before + 1;
        if (texts)
            count_texts(&c->texts, c->tokens, before->end, value->start, before->slot);
        else
            pass_asides(c, before->end, value->start, before->slot, &ends);
    }
}

/* The end of the aside at a position; the position itself when there is none. */
static uint32_t aside_end(const struct sample_counter *c, uint32_t at)
{
    const th__seam_tokens *tokens = c->tokens;
    uint64_t hash = 0;
    uint32_t from = th__seam_skip_ends(tokens, at, tokens->count);
    for (uint32_t i = from; i < tokens->count && i - from <= TH__SEAMS_MAX_SEAM; i++) {
        if (th__seam_is_aside(c->rules, tokens, from, i, hash))
            return th__seam_text_end(tokens, i);
        hash = th__hash_mix(hash, tokens->data[i].key);
    }
    return at;
}

/* What ends a record: what is behind its last value, and behind the asides there. */
static void count_tail(struct sample_counter *c, uint32_t at)
{
    count(c, TH__COUNT_TAIL, 0, c->tails[at].first);
    count(c, TH__COUNT_TAIL, 1, c->tails[at].whole);
    uint32_t behind = at;
    for (uint32_t end; (end = aside_end(c, behind)) > behind;)
        behind = end;
    if (behind > at) {
        count(c, TH__COUNT_TAIL, 0, c->tails[behind].first);
        count(c, TH__COUNT_TAIL, 1, c->tails[behind].whole);
    }
}

static bool count_sample(struct sample_counter *c, const struct read_sample *sample)
{
    th__seam_rules *rules = c->rules;
    uint32_t at = 0, before = TH__SEAMS_NONE, n = rules->slots.count;
    uint64_t used = 0;
    for (uint32_t i = 0; i < sample->count; i++) {
        const th__seam_place *value = &sample->values[i];
        uint32_t slot = value->slot;
        bool first = i == 0;
        th__seam_kind kind = th__seam_kind_of(&rules->slots, before, slot, value->open);
        uint64_t ends = 0;
        uint32_t behind = pass_asides(c, at, value->start, before, &ends);
        uint32_t seam = seam_start(c, behind, value->start, first);
        if (!count_seam(c, seam, value->start, slot, kind) ||
            (first && !add_head(c, seam, value->start, slot)))
            return false;
        count_value(c, slot, value->start, value->end);
        if (!first)
            count(c, TH__COUNT_ENDS, slot, th__seam_ends_key(ends, kind));
        used = keep_order(&rules->slots, used, value);
        rules->moves[th__seam_move(rules, before, slot, kind)]++;
        rules->moves_from[first ? n : before]++;
        before = slot;
        at = value->end;
    }
    if (before == TH__SEAMS_NONE)
        return true;
    rules->moves[th__seam_move(rules, before, TH__SEAMS_NONE, TH__SEAM_TOP)]++;
    rules->moves_from[before]++;
    count_tail(c, at);
    return true;
}

static bool make_room(struct sample_counter *c, th__arena *scratch)
{
    th__seam_rules *rules = c->rules;
    th__arena *arena = c->arena;
    size_t bytes = 0, places = 0, seams = 0, n = rules->slots.count + (size_t)1;
    for (uint32_t i = 0; i < rules->sample_count; i++) {
        bytes += rules->samples[i].html.len;
        places += rules->samples[i].count;
        seams = places * (TH__SEAMS_MAX_SEAM + 1) < bytes ? places * (TH__SEAMS_MAX_SEAM + 1)
                                                          : places + bytes;
    }
    rules->moves = th__arena_zero(arena, n * n * TH__SEAM_KINDS, sizeof *rules->moves);
    rules->moves_from = th__arena_zero(arena, n, sizeof *rules->moves_from);
    /* A text has a byte at least, and so has the tag before it. */
    if (!th__key_map_init(&c->texts.contexts, scratch, bytes / 2 + 1) ||
        !th__key_map_init(&c->texts.contents, scratch, bytes / 2 + 1))
        return false;
    /* A token has a byte at least, and is counted twice, a value six times. */
    return rules->moves && rules->moves_from &&
           th__key_map_init(&rules->counts, arena, 2 * bytes + 6 * places + 8) &&
           th__key_map_init(&rules->seams, arena, seams + 1) &&
           th__key_map_init(&rules->first, arena, seams + 1) &&
           th__key_map_init(&rules->asides, arena, seams + 1);
}

/* What is counted, one after the other. */
enum stage { TEXTS, ASIDES, ALL, STAGES };

/* Finds the tokens of a sample and of its values. */
static bool find_values(th__seam_rules *rules, const th__seam_sample *sample, const th_page *page,
                        th__arena *scratch, struct read_sample *out)
{
    out->values = th__arena_alloc(scratch, (sample->count + 1) * sizeof *out->values);
    if (!out->values || !th__seam_tokens_make(scratch, page, 0, &out->tokens))
        return false;
    const th__seam_token *tokens = out->tokens.data;
    uint32_t start = 0, end, last = out->tokens.count;
    for (uint32_t i = 0; i < sample->count; i++, start = end) {
        const th__seam_place *place = &sample->places[i];
        while (start < last && tokens[start].end <= place->start)
            start++;
        for (end = start; end < last && tokens[end].start < place->end;)
            end++;
        if (end == start)
            continue;
        out->values[out->count++] = (th__seam_place){place->slot, place->open, start, end};
        rules->slots.data[place->slot].literal |= th__says_nothing(
            th__str_trim((th_str){sample->html.ptr + place->start, place->end - place->start}));
    }
    return true;
}

static th_status read_sample(th__seam_rules *rules, const th__seam_sample *sample,
                             th_parser *parser, th__arena *scratch, struct read_sample *out,
                             th_error *err)
{
    th_page *page = NULL;
    const th_page_source source = {.charset = TH_STR("utf-8")};
    th_status status = th_parser_parse(parser, sample->html, &source, &page, err);
    if (!status && !find_values(rules, sample, page, scratch, out))
        status = th__fail_memory(err);
    th_page_free(page);
    return status;
}

static bool weigh_moves(th__seam_rules *rules, th__arena *arena)
{
    size_t n = rules->slots.count + (size_t)1, row = n * TH__SEAM_KINDS;
    rules->move_costs = th__arena_alloc(arena, n * row * sizeof *rules->move_costs);
    for (size_t i = 0; rules->move_costs && i < n * row; i++)
        rules->move_costs[i] =
            (float)-log((rules->moves[i] + NEW_MOVE) / (rules->moves_from[i / row] + NEW_MOVES));
    return rules->move_costs;
}

th_status th__seam_model_make(th__seam_rules *rules, th__arena *arena, th_error *err)
{
    th__arena scratch;
    th__arena_init(&scratch);
    struct sample_counter c = {.rules = rules, .arena = arena};
    struct read_sample *samples =
        th__arena_zero(&scratch, rules->sample_count + 1, sizeof *samples);
    th_parser *parser = NULL;
    bool ok = samples && make_room(&c, &scratch);
    th_status status = ok ? th_parser_new(NULL, &parser, err) : th__fail_memory(err);
    for (uint32_t i = 0; !status && i < rules->sample_count; i++)
        status = read_sample(rules, &rules->samples[i], parser, &scratch, &samples[i], err);
    th_parser_free(parser);
    ok = !status;
    for (enum stage stage = TEXTS; ok && stage < STAGES; stage++)
        for (uint32_t i = 0; ok && i < rules->sample_count; i++) {
            c.tokens = &samples[i].tokens;
            if (stage != ALL)
                look_between(&c, &samples[i], stage == TEXTS);
            else
                ok = (c.tails = th__seam_tails_make(c.tokens, &scratch)) &&
                     count_sample(&c, &samples[i]);
        }
    rules->lead_count = (uint32_t)c.leads.len;
    rules->leads = th__arena_keep(arena, c.leads.data, c.leads.len, sizeof *rules->leads);
    ok = ok && rules->leads && weigh_moves(rules, arena) && th__seam_weigh(rules, arena);
    th__vec_release(&c.leads);
    th__arena_release(&scratch);
    return status ? status : ok ? TH_OK : th__fail_memory(err);
}
