/*
 * seams_model.c: what is counted over the samples.
 *
 * The samples are all that a wrapper keeps: they are short, a person can read them, and what is
 * counted can change without a change of the file.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "engine/seams/seams.h"
#include "page/page.h"
#include "page/text.h"

uint64_t th__seam_end_tag(uint64_t hash, const th__seam_token *token)
{
    return th__seam_is_phrasing(token->tag) ? hash : th__seam_hash(hash, token->key);
}

/* A move that was not seen: as if it had been seen one time in twenty, of all that were not seen
 * together. */
#define NEW_MOVE  0.05
#define NEW_MOVES 0.4

struct counter {
    th__seam_rules *rules;
    th__arena *arena;
    const th__seam_tokens *tokens;
    const th__seam_tail *tails;
    TH__VEC(th__seam_lead) leads;
    th__seam_texts texts; /* counted first, over all samples */
};

/* One more; gives how many there are now. */
static uint32_t count(struct counter *c, th__seam_count what, uint32_t slot, uint64_t key)
{
    th__key_map *map = &c->rules->counts;
    key = th__seam_count_key(what, slot, key);
    uint32_t seen = th__key_map_get(map, key);
    th__key_map_put(map, key, seen + 1);
    return seen + 1;
}

static void count_value(struct counter *c, uint32_t number, uint32_t start, uint32_t end)
{
    th__seam_slot *slot = &c->rules->slots.data[number];
    const th__seam_token *tokens = c->tokens->data;
    uint64_t whole = 0, form = 0;
    for (uint32_t i = start; i < end; i++) {
        whole = th__seam_hash(whole, tokens[i].key);
        form = th__seam_hash(form, tokens[i].shape);
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
    uint64_t hash = th__seam_hash(0, key);
    if (th__key_map_get(&rules->first, hash) < length)
        th__key_map_put(&rules->first, hash, length);
}

/* The lead of a seam to a slot, made where there is none. Without memory TH__SEAMS_NONE. */
static uint32_t find_lead(struct counter *c, uint32_t start, uint32_t end, uint32_t slot)
{
    th__seam_rules *rules = c->rules;
    uint64_t hash = 0;
    for (uint32_t i = start; i < end; i++) {
        hash = th__seam_hash(hash, c->tokens->data[i].key);
        rules->breaks |= c->tokens->data[i].what == TH__SEAM_BREAK;
    }
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

/* Whether there is a word among tokens. */
static bool has_word(const struct counter *c, uint32_t start, uint32_t end)
{
    while (start < end && c->tokens->data[start].what != TH__SEAM_WORD)
        start++;
    return start < end;
}

/* Parts of a seam that may lead to its slot on other pages, seen no time. Where the seam has a
 * label, start tags before that may be those of what holds several fields, of which this one need
 * not be the first. The first item of a list has the list's beginning before it, the others have
 * not: if samples show none of them, they begin with the last tag that parts lines or blocks. */
static bool add_parts(struct counter *c, uint32_t start, uint32_t end, uint32_t slot,
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

/* Before the first value of a record stands whatever the page begins with: the tags behind its last
 * word are a seam as well. */
static bool add_head(struct counter *c, uint32_t start, uint32_t end, uint32_t slot)
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
static bool count_seam(struct counter *c, uint32_t start, uint32_t end, uint32_t slot,
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
 * only what no end tag parts from it counts: who knows what stands before a record. */
static uint32_t seam_start(struct counter *c, uint32_t from, uint32_t to, bool first)
{
    uint32_t start = from;
    const th__seam_token *tokens = c->tokens->data;
    while (start < to && tokens[start].what == TH__SEAM_END)
        start++;
    for (uint32_t i = to; first && i > start; i--)
        if (tokens[i - 1].what == TH__SEAM_END)
            start = i;
    if (to - start > TH__SEAMS_MAX_SEAM)
        start = to - TH__SEAMS_MAX_SEAM;
    c->rules->head |= first && start > 0;
    return start;
}

/* The tokens of a place. */
static void tokens_at(const th__seam_tokens *tokens, const th__seam_place *place, uint32_t from,
                      uint32_t *start, uint32_t *end)
{
    *start = from;
    while (*start < tokens->count && tokens->data[*start].end <= place->start)
        ++*start;
    *end = *start;
    while (*end < tokens->count && tokens->data[*end].start < place->end)
        ++*end;
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
            whole = th__seam_hash(whole, token->key);
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
static uint32_t pass_asides(struct counter *c, uint32_t from, uint32_t to, uint32_t before,
                            uint64_t *ends)
{
    th__seam_aside aside;
    th__seam_rules *rules = c->rules;
    const th__seam_token *tokens = c->tokens->data;
    for (bool more = true; more;) {
        more = before != TH__SEAMS_NONE &&
               th__seam_aside_next(&c->texts, c->tokens, from, to, before, &aside);
        for (; from < to && tokens[from].what == TH__SEAM_END; from++)
            *ends = th__seam_end_tag(*ends, &tokens[from]);
        if (!more)
            break;
        uint64_t hash = 0;
        for (uint32_t i = aside.start; i < aside.text; i++)
            hash = th__seam_hash(hash, tokens[i].key);
        th__key_map_put(&rules->asides, hash, 1);
        rules->any_asides = true;
        keep_first(rules, tokens[aside.start].key, aside.text - aside.start);
        *ends = th__hash_mix(*ends, hash);
        from = aside.end;
    }
    return from;
}

/* What stands between values: its texts are counted, or asides found among them. */
static void look_between(struct counter *c, const th__seam_sample *sample, bool count_them)
{
    uint32_t at = 0, before = TH__SEAMS_NONE;
    uint64_t ends = 0;
    for (uint32_t i = 0; i < sample->count; i++) {
        uint32_t start, end;
        tokens_at(c->tokens, &sample->places[i], at, &start, &end);
        if (start == end)
            continue;
        if (before != TH__SEAMS_NONE && count_them)
            th__seam_texts_count(&c->texts, c->tokens, at, start, before);
        else if (before != TH__SEAMS_NONE)
            pass_asides(c, at, start, before, &ends);
        before = sample->places[i].slot;
        at = end;
    }
}

/* The end of the aside at a position; the position itself when there is none. */
static uint32_t aside_end(const struct counter *c, uint32_t at)
{
    const th__seam_tokens *tokens = c->tokens;
    uint64_t hash = 0;
    uint32_t from = at;
    while (from < tokens->count && tokens->data[from].what == TH__SEAM_END)
        from++;
    for (uint32_t i = from; i < tokens->count && i - from <= TH__SEAMS_MAX_SEAM; i++) {
        if (th__seam_is_aside(c->rules, tokens, from, i, hash))
            return th__seam_text_end(tokens, i);
        hash = th__seam_hash(hash, tokens->data[i].key);
    }
    return at;
}

/* What ends a record: what stands behind its last value, and behind the asides there. */
static void count_tail(struct counter *c, uint32_t at)
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

static bool count_sample(struct counter *c, const th__seam_sample *sample)
{
    th__seam_rules *rules = c->rules;
    uint32_t at = 0, before = TH__SEAMS_NONE;
    uint64_t used = 0;
    for (uint32_t i = 0; i < sample->count; i++) {
        const th__seam_place *place = &sample->places[i];
        uint32_t start, end;
        tokens_at(c->tokens, place, at, &start, &end);
        if (start == end)
            continue;
        th__seam_kind kind = th__seam_kind_of(&rules->slots, before, place->slot, place->open);
        uint64_t ends = 0;
        uint32_t behind = pass_asides(c, at, start, before, &ends);
        uint32_t seam = seam_start(c, behind, start, before == TH__SEAMS_NONE);
        if (!count_seam(c, seam, start, place->slot, kind) ||
            (before == TH__SEAMS_NONE && !add_head(c, seam, start, place->slot)))
            return false;
        count_value(c, place->slot, start, end);
        rules->slots.data[place->slot].literal |= th__says_nothing(
            th__str_trim((th_str){sample->html.ptr + place->start, place->end - place->start}));
        if (before != TH__SEAMS_NONE)
            count(c, TH__COUNT_ENDS, place->slot, th__seam_ends_key(ends, kind));
        used = keep_order(&rules->slots, used, place);
        rules->moves[th__seam_move(rules, before, place->slot, kind)]++;
        rules->moves_from[before < rules->slots.count ? before : rules->slots.count]++;
        before = place->slot;
        at = end;
    }
    if (before == TH__SEAMS_NONE)
        return true;
    rules->moves[th__seam_move(rules, before, TH__SEAMS_NONE, TH__SEAM_TOP)]++;
    rules->moves_from[before]++;
    count_tail(c, at);
    return true;
}

static bool make_room(struct counter *c, th__arena *scratch)
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

/* What samples are read for, one after the other. */
enum stage { TEXTS, ASIDES, ALL, STAGES };

static th_status read_sample(struct counter *c, th_parser *parser, const th__seam_sample *sample,
                             enum stage stage, th_error *err)
{
    th_page *page = NULL;
    th__arena scratch;
    th__seam_tokens tokens;
    const th_page_source source = {.charset = TH_STR("utf-8")};
    th_status status = th_parser_parse(parser, sample->html, &source, &page, err);
    if (status)
        return status;
    th__arena_init(&scratch);
    bool ok = th__seam_tokens_make(&scratch, page, 0, &tokens);
    c->tokens = &tokens;
    c->tails = ok ? th__seam_tails_make(&tokens, &scratch) : NULL;
    ok = c->tails;
    if (ok && stage == ALL)
        ok = count_sample(c, sample);
    else if (ok)
        look_between(c, sample, stage == TEXTS);
    th__arena_release(&scratch);
    th_page_free(page);
    return ok ? TH_OK : th__fail_memory(err);
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
    struct counter c = {.rules = rules, .arena = arena};
    th_parser *parser = NULL;
    th_parser_options options;
    th_parser_options_init(&options);
    th__arena scratch;
    th__arena_init(&scratch);
    th_status status = make_room(&c, &scratch) ? TH_OK : th__fail_memory(err);
    if (!status)
        status = th_parser_new(&options, &parser, err);
    for (int stage = TEXTS; stage < STAGES; stage++)
        for (uint32_t i = 0; !status && i < rules->sample_count; i++)
            status = read_sample(&c, parser, &rules->samples[i], (enum stage)stage, err);
    th_parser_free(parser);
    th__arena_release(&scratch);
    rules->lead_count = (uint32_t)c.leads.len;
    rules->leads = th__arena_alloc(arena, (c.leads.len + 1) * sizeof *rules->leads);
    if (!status && c.leads.len && rules->leads)
        memcpy(rules->leads, c.leads.data, c.leads.len * sizeof *rules->leads);
    if (!status && (!rules->leads || !weigh_moves(rules, arena) || !th__seam_weigh(rules, arena)))
        status = th__fail_memory(err);
    th__vec_release(&c.leads);
    return status;
}
