/*
 * stalker_induce.c: landmark rules from examples: STALKER's sequential covering.
 *
 * LEARN-RULE takes the examples that no disjunct is right on yet, learns the disjunct that is right
 * on most of them and wrong on none (a perfect disjunct), and goes on with the rest.
 *
 * LEARN-DISJUNCT takes one example, the seed, to guide it. It begins with landmarks of one token
 * that end where the seed's item begins, and refines the most promising rule again and again:
 *
 *     landmark refinement    SkipTo(<i>)  ->  SkipTo(: <i>)
 *     topology refinement    SkipTo(<i>)  ->  SkipTo(Address) SkipTo(<i>)
 *
 * A match is correct, early (a further landmark can mend it), late (nothing can) or failed. Which
 * rule is refined next: more correct matches, more early ones, fewer failed, fewer wildcards,
 * shorter unconsumed prefix, longer end landmark.
 *
 * Everything here looks at examples in the direction of the rule: of a backward rule, position 0 is
 * the end of the range.
 *
 * Cost: the tokens of all examples once per seed to find where the candidates' tokens are; then
 * each candidate costs a binary search per landmark and example. The number of refinements has a
 * limit; at it the best imperfect disjunct is taken, and reported as imperfect.
 */
#include <stdlib.h>

#include "base/cancel.h"
#include "base/mem.h"
#include "base/vec.h"
#include "engine/papers/stalker/stalker.h"
#include "index/view.h"
#include "page/page.h"
#include "page/text.h"

enum {
    ENDS = 8,     /* tokens at which an item may begin that are tried as ends of landmarks */
    LONGEST = 6,  /* tokens of a landmark that is learnt */
    DEEPEST = 4,  /* landmarks of a disjunct that is learnt */
    SLOTS = 4096, /* of the table of symbols: at least four a symbol */
    SYMBOLS = SLOTS / 4,
    NO_SYMBOL = 0,
    TOKEN_SYMBOLS = TH__WILDCARDS + 2, /* that a token can be */
    WINDOW = 160, /* tokens before the seed's item that landmarks are made of: nearer ones are part
                     of the item's surroundings, farther ones of other items' */
    ROUNDS = 6,   /* of refinement */
    BEAM = 3      /* candidates refined in a round */
};

/* A token that a landmark may be made of. Wildcards come first. */
struct symbol {
    th__mark mark;
    bool outside; /* also occurs in the seed outside of the item */
};

struct places {
    const uint32_t *at;
    uint32_t count;
};

/* A landmark, its marks in the direction of the rule. */
struct candidate_mark {
    uint16_t ids[LONGEST];
    uint8_t count;
    bool until;
    const struct places *places; /* by example: where it begins */
};

struct disjunct_candidate {
    struct candidate_mark marks[DEEPEST];
    uint8_t count;
    bool refined;
    uint8_t wildcards, last_len;
    bool inner; /* goes by what the item itself begins with */
    uint32_t correct, early, failed, wrong;
    uint32_t skipped; /* tokens of the seed between the landmarks */
    uint32_t order;   /* of making: the last word between equals */
};

/* An example that no disjunct is right on yet, in the direction of the rule. */
struct open_example {
    uint32_t example, low, high;
    bool must_fail;
};

struct inducer {
    const th__stalker_task *task;
    th__arena *arena;  /* of the result */
    th__arena scratch; /* of a disjunct */
    bool *covered;     /* by example */
    struct open_example *open;
    uint32_t open_count, positives; /* of which so many have an item */
    uint32_t seed;
    bool inner[2]; /* a landmark that ends, or begins, at the seed's item is part of it */
    struct symbol *symbols;
    uint32_t symbol_count;
    uint32_t *table;        /* from hash to symbol, SLOTS of them */
    TH__VEC(uint32_t) ids;  /* by token of an example: how many symbols it is, and which */
    struct places **places; /* by symbol, by example */
    TH__VEC(struct disjunct_candidate) candidates;
    uint32_t wilds[TH_CLASS_COUNT]
                  [TH__WILDCARDS]; /* by class of a token: the wildcards that it is */
    uint32_t wild_counts[TH_CLASS_COUNT];
    uint32_t made; /* candidates so far */
    uint32_t most; /* examples that the best perfect one of them is right on */
    bool failed;   /* no memory */
};

/* ---- examples in the direction of the rule --------------------------------------------------- */

static inline uint32_t length_of(const th__stalker_example *e)
{
    return e->last - e->first;
}

static inline const th__stalker_token *token_of(const struct inducer *in,
                                                const th__stalker_example *e, uint32_t at)
{
    return &e->seq->tokens[in->task->backward ? e->last - 1 - at : e->first + at];
}

static inline uint32_t low_of(const struct inducer *in, const th__stalker_example *e)
{
    return in->task->backward ? e->last - e->high : e->low - e->first;
}

static inline uint32_t high_of(const struct inducer *in, const th__stalker_example *e)
{
    return in->task->backward ? e->last - e->low : e->high - e->first;
}

/* Returns true if a token is one of the item. */
static inline bool is_content(const struct inducer *in, const th__stalker_example *e, uint32_t at)
{
    uint32_t token = in->task->backward ? e->last - 1 - at : e->first + at;
    return token >= e->item_first && token < e->item_last;
}

/* Returns true if an item reaches to the end of its range: what no disjunct may match. */
static inline bool is_at_end(const struct inducer *in, const th__stalker_example *e)
{
    return in->task->to_end && !e->none && high_of(in, e) >= length_of(e);
}

/* Returns true if a disjunct must not match. */
static inline bool must_fail(const struct inducer *in, const th__stalker_example *e)
{
    return e->none || is_at_end(in, e);
}

/* ---- symbols: the tokens that landmarks may be made of --------------------------------------- */

static void find_wilds(struct inducer *in)
{
    for (uint32_t cls = 0; cls < TH_CLASS_COUNT; cls++)
        for (uint32_t i = 0; i < TH__WILDCARDS; i++)
            if (th__class_is(cls, th__wildcards[i].cls))
                in->wilds[cls][in->wild_counts[cls]++] = 1 + i;
}

static uint32_t find_symbol(const struct inducer *in, uint32_t sym)
{
    uint32_t slot = sym % SLOTS;
    while (in->table[slot] && in->symbols[in->table[slot]].mark.sym != sym)
        slot = (slot + 1) % SLOTS;
    return slot;
}

static th_str tag_text(struct inducer *in, const th__stalker_seq *seq, const th__stalker_token *t,
                       bool step)
{
    th__buf text = {0};
    const th_page *page = seq->page;
    th_str out = {0};
    if (step) {
        th__buf_add_byte(&text, '<');
        th__class_step_write(page, th_page_node_at(page, t->start), &text);
    } else {
        th__buf_add_str(&text, t->cls == TH_CLASS_TAG_END ? TH_STR("</") : TH_STR("<"));
        th__tag_write(page, th__token_at(page, t->start), &text);
    }
    th__buf_add_byte(&text, '>');
    if (!text.failed)
        out = th__arena_copy(in->arena, th__buf_str(&text));
    th__buf_release(&text);
    return out;
}

static th_str mark_text(struct inducer *in, const th__stalker_seq *seq, const th__stalker_token *t,
                        th__mark_kind kind)
{
    if (kind != TH__MARK_TEXT)
        return tag_text(in, seq, t, kind == TH__MARK_STEP);
    if (th__class_is(t->cls, TH_CLASS_BLANK))
        return TH_STR(TH__STALKER_GAP);
    th__buf scratch = {0};
    th_fine fine = {.start = t->start, .end = t->end, .flags = TH_FINE_REFS};
    th_str text = th__fine_text(seq->page, &fine, &scratch);
    text = text.ptr ? th__arena_copy(in->arena, text) : text;
    th__buf_release(&scratch);
    return text;
}

static void add_symbol(struct inducer *in, uint32_t at, uint32_t sym, th__mark_kind kind)
{
    const th__stalker_example *seed = &in->task->examples[in->seed];
    uint32_t slot = find_symbol(in, sym);
    if (!in->table[slot]) {
        if (in->symbol_count == SYMBOLS)
            return;
        th_str text = mark_text(in, seed->seq, token_of(in, seed, at), kind);
        in->failed |= !text.ptr;
        in->symbols[in->symbol_count] =
            (struct symbol){.mark = {.kind = (uint8_t)kind, .sym = sym, .text = text}};
        in->table[slot] = in->symbol_count++;
    }
    in->symbols[in->table[slot]].outside |= !is_content(in, seed, at);
}

/* The symbols around the seed's item, nearest last. Words of the item itself tell nothing when
 * there is one example only. */
static void gather_symbols(struct inducer *in)
{
    const th__stalker_example *seed = &in->task->examples[in->seed];
    uint32_t high = high_of(in, seed), end = high + ENDS;
    uint32_t at = high > WINDOW ? high - WINDOW : 0;
    end = end < length_of(seed) ? end : length_of(seed);
    memset(in->table, 0, SLOTS * sizeof *in->table);
    in->symbol_count = 1 + TH__WILDCARDS;
    for (uint32_t i = 0; i < TH__WILDCARDS; i++)
        in->symbols[1 + i] = (struct symbol){.mark = {.kind = TH__MARK_WILD,
                                                      .cls = th__wildcards[i].cls,
                                                      .text = th_str_from(th__wildcards[i].name)}};
    for (; at < end; at++) {
        const th__stalker_token *token = token_of(in, seed, at);
        bool tag = token->cls == TH_CLASS_TAG_START || token->cls == TH_CLASS_TAG_END;
        if (!token->sym || (in->positives < 2 && !tag && th__class_is(token->cls, TH_CLASS_WORD) &&
                            is_content(in, seed, at)))
            continue;
        add_symbol(in, at, token->sym, tag ? TH__MARK_TAG : TH__MARK_TEXT);
        if (token->step && in->task->classes)
            add_symbol(in, at, token->step, TH__MARK_STEP);
    }
}

static uint32_t symbols_of(const struct inducer *in, const th__stalker_token *token,
                           uint32_t ids[TOKEN_SYMBOLS])
{
    uint32_t count = in->wild_counts[token->cls];
    memcpy(ids, in->wilds[token->cls], count * sizeof *ids);
    uint32_t id = token->sym ? in->table[find_symbol(in, token->sym)] : NO_SYMBOL;
    if (id)
        ids[count++] = id;
    id = token->step ? in->table[find_symbol(in, token->step)] : NO_SYMBOL;
    if (id)
        ids[count++] = id;
    return count;
}

/* Where every symbol is in an example: counted first, then laid side by side. */
static bool find_places(struct inducer *in, uint32_t e)
{
    const th__stalker_example *example = &in->task->examples[e];
    uint32_t len = length_of(example), total = 0;
    uint32_t *counts = th__arena_zero(&in->scratch, in->symbol_count + 1, sizeof *counts);
    in->ids.len = 0;
    if (!counts || !th__vec_reserve(&in->ids, (size_t)len * (1 + TOKEN_SYMBOLS)))
        return false;
    uint32_t *ids = in->ids.data;
    for (uint32_t at = 0; at < len; at++) {
        uint32_t count = symbols_of(in, token_of(in, example, at), ids + 1);
        *ids++ = count;
        total += count;
        for (; count; count--)
            counts[*ids++]++;
    }
    uint32_t *all = th__arena_alloc(&in->scratch, (total + 1) * sizeof *all);
    if (!all)
        return false;
    for (uint32_t id = 1, next = 0; id < in->symbol_count; id++) {
        in->places[id][e] = (struct places){all + next, 0};
        next += counts[id];
    }
    ids = in->ids.data;
    for (uint32_t at = 0; at < len; at++)
        for (uint32_t count = *ids++; count; count--) {
            struct places *places = &in->places[*ids++][e];
            all[places->at - all + places->count++] = at;
        }
    return true;
}

static bool index_symbols(struct inducer *in)
{
    uint32_t count = in->task->count;
    in->places = th__arena_zero(&in->scratch, in->symbol_count, sizeof *in->places);
    struct places *all =
        th__arena_zero(&in->scratch, (size_t)in->symbol_count * count, sizeof *all);
    if (!in->places || !all)
        return false;
    for (uint32_t id = 0; id < in->symbol_count; id++)
        in->places[id] = all + (size_t)id * count;
    for (uint32_t e = 0; e < count; e++)
        if (!in->covered[e] && (th__cancelled(in->task->cancel) || !find_places(in, e)))
            return false;
    return true;
}

bool th__stalker_right(const th__landmark_rule *rule, const th__stalker_example *e)
{
    uint32_t at = th__rule_run(rule, e->seq, e->first, e->last, NULL);
    return e->none ? at == TH__NO_MATCH : at != TH__NO_MATCH && at >= e->low && at <= e->high;
}

/* ---- candidates ------------------------------------------------------------------------------ */

/* The first place at or behind a position: mostly one of the first, else by halves. */
static inline uint32_t next_place(const struct places *places, uint32_t from)
{
    enum { FEW = 6 };
    uint32_t at = 0, few = places->count < FEW ? places->count : FEW;
    while (at < few && places->at[at] < from)
        at++;
    if (at == FEW)
        at += (uint32_t)th__count_first(i, places->count - FEW, places->at[FEW + i] < from);
    return at < places->count ? places->at[at] : TH__NO_MATCH;
}

/* Where a disjunct_candidate leads in an example; *skipped (may be NULL): tokens between its
 * landmarks. */
static uint32_t lead(const struct disjunct_candidate *c, uint32_t e, uint32_t *skipped)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct candidate_mark *mark = &c->marks[i];
        uint32_t found = next_place(&mark->places[e], at);
        if (found == TH__NO_MATCH)
            return TH__NO_MATCH;
        if (skipped && i)
            *skipped += found - at;
        at = mark->until ? found : found + mark->count;
    }
    return at;
}

static bool is_perfect(const struct disjunct_candidate *c)
{
    return c->correct && !c->early && !c->wrong;
}

/* Counts what a candidate is right on. False as soon as it can become right on fewer examples than
 * a perfect one is: it is neither refined nor taken. */
static bool evaluate(const struct inducer *in, struct disjunct_candidate *c)
{
    uint32_t missed = 0;
    c->correct = c->early = c->failed = c->wrong = c->skipped = 0;
    for (uint32_t i = 0; i < in->open_count; i++) {
        const struct open_example *open = &in->open[i];
        uint32_t at = lead(c, open->example, open->example == in->seed ? &c->skipped : NULL);
        if (open->must_fail) {
            c->wrong += at != TH__NO_MATCH;
            continue;
        }
        c->failed += at == TH__NO_MATCH;
        c->early += at < open->low;
        c->correct += at >= open->low && at <= open->high;
        c->wrong += at > open->high && at != TH__NO_MATCH;
        missed += at > open->high;
        if (missed > in->positives - in->most)
            return false;
    }
    return missed < in->positives;
}

static bool keep(struct inducer *in, struct disjunct_candidate *c)
{
    c->refined = false;
    c->order = in->made++;
    if (!evaluate(in, c))
        return true;
    c->last_len = c->count ? c->marks[c->count - 1].count : 0;
    c->inner = c->count && in->inner[c->marks[c->count - 1].until];
    if (is_perfect(c) && c->correct > in->most)
        in->most = c->correct;
    return th__vec_push(&in->candidates, *c);
}

static bool is_wildcard(uint32_t id)
{
    return id <= TH__WILDCARDS;
}

/* A landmark of one symbol. */
static struct candidate_mark mark_of(const struct inducer *in, uint32_t id, bool until)
{
    return (struct candidate_mark){
        .ids = {(uint16_t)id}, .count = 1, .until = until, .places = in->places[id]};
}

/* Landmarks of one token that end (or, with SkipUntil, begin) where the seed's item may begin. */
static bool add_initial(struct inducer *in)
{
    const th__stalker_example *seed = &in->task->examples[in->seed];
    uint32_t low = low_of(in, seed), high = high_of(in, seed);
    uint32_t from = high - low < ENDS ? low : high - ENDS;
    struct disjunct_candidate c = {.count = 0};
    if (low == 0 && !keep(in, &c))
        return false;
    c.count = 1;
    for (uint32_t at = from; at <= high; at++) {
        for (int until = 0; until <= in->task->until; until++) {
            if ((!until && !at) || (until && at >= length_of(seed)))
                continue;
            uint32_t ids[TOKEN_SYMBOLS];
            uint32_t count = symbols_of(in, token_of(in, seed, until ? at : at - 1), ids);
            for (uint32_t i = 0; i < count; i++) {
                c.marks[0] = mark_of(in, ids[i], until);
                c.wildcards = is_wildcard(ids[i]);
                if (!keep(in, &c))
                    return false;
            }
        }
    }
    return true;
}

/* ---- refinement ------------------------------------------------------------------------------ */

static bool is_symbol(const struct inducer *in, const th__stalker_token *token, uint32_t id)
{
    return th__mark_matches(&in->symbols[id].mark, token);
}

/* The places of a landmark with one symbol more, before or behind it. */
static const struct places *narrow(struct inducer *in, const struct candidate_mark *mark,
                                   uint32_t id, bool before)
{
    uint32_t count = in->task->count;
    struct places *out = th__arena_zero(&in->scratch, count, sizeof *out);
    for (uint32_t o = 0; out && o < in->open_count; o++) {
        uint32_t e = in->open[o].example;
        const th__stalker_example *example = &in->task->examples[e];
        const struct places *old = &mark->places[e];
        uint32_t len = length_of(example), used = 0;
        uint32_t *at = th__arena_alloc(&in->scratch, (old->count + 1) * sizeof *at);
        if (!at)
            return NULL;
        for (uint32_t i = 0; i < old->count; i++) {
            uint32_t place = old->at[i], look = before ? place - 1 : place + mark->count;
            if ((before && !place) || look >= len)
                continue;
            if (is_symbol(in, token_of(in, example, look), id))
                at[used++] = before ? place - 1 : place;
        }
        out[e] = (struct places){at, used};
    }
    return out;
}

/* Landmark refinement: one more token, as it is beside the landmark in the seed. */
static bool lengthen(struct inducer *in, struct disjunct_candidate base, uint32_t which,
                     uint32_t place)
{
    const th__stalker_example *seed = &in->task->examples[in->seed];
    struct candidate_mark mark = base.marks[which];
    if (mark.count == LONGEST)
        return true;
    for (int before = 0; before < 2; before++) {
        uint32_t look = before ? place - 1 : place + mark.count;
        bool last = which + 1u == base.count;
        /* What a landmark gains behind its end moves the end of the rule; with SkipUntil, what it
         * gains before its beginning does. */
        if ((before && !place) || look >= length_of(seed) ||
            (last && (mark.until ? before : !before)))
            continue;
        uint32_t ids[TOKEN_SYMBOLS], count = symbols_of(in, token_of(in, seed, look), ids);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t id = ids[i];
            struct disjunct_candidate c = base;
            struct candidate_mark *m = &c.marks[which];
            m->places = narrow(in, &mark, id, before);
            if (!m->places)
                return false;
            if (before)
                memmove(m->ids + 1, m->ids, mark.count * sizeof *m->ids);
            m->ids[before ? 0 : mark.count] = (uint16_t)id;
            m->count++;
            c.wildcards += is_wildcard(id);
            if (!keep(in, &c))
                return false;
        }
    }
    return true;
}

/* Topology refinement: one more landmark, of one token, before another. */
static bool add_landmark(struct inducer *in, struct disjunct_candidate base, uint32_t which)
{
    const th__stalker_example *seed = &in->task->examples[in->seed];
    if (base.count == DEEPEST)
        return true;
    for (uint32_t id = 1; id < in->symbol_count; id++) {
        struct disjunct_candidate c = base;
        const struct symbol *symbol = &in->symbols[id];
        if (!in->places[id][in->seed].count ||
            in->places[id][in->seed].at[0] >= high_of(in, seed) ||
            (symbol->mark.kind == TH__MARK_TEXT && !symbol->outside))
            continue;
        memmove(c.marks + which + 1, c.marks + which, (base.count - which) * sizeof *c.marks);
        c.marks[which] = mark_of(in, id, false);
        c.count++;
        c.wildcards += is_wildcard(id);
        if (!keep(in, &c))
            return false;
    }
    return true;
}

static bool refine(struct inducer *in, uint32_t index)
{
    struct disjunct_candidate base = in->candidates.data[index];
    uint32_t at = 0;
    in->candidates.data[index].refined = true;
    for (uint32_t i = 0; i < base.count; i++) {
        uint32_t place = next_place(&base.marks[i].places[in->seed], at);
        if (place == TH__NO_MATCH)
            break;
        /* Where the landmark should be: the last one ends at the item. */
        uint32_t goal = place;
        if (i + 1u == base.count) {
            uint32_t high = high_of(in, &in->task->examples[in->seed]);
            const struct places *places = &base.marks[i].places[in->seed];
            for (uint32_t p = 0; p < places->count; p++) {
                uint32_t end = places->at[p] + (base.marks[i].until ? 0 : base.marks[i].count);
                if (end <= high)
                    goal = places->at[p];
            }
        }
        if (!lengthen(in, base, i, goal) || !add_landmark(in, base, i))
            return false;
        at = place + base.marks[i].count;
    }
    return true;
}

/* ---- which is better ------------------------------------------------------------------------- */

/* More comes first. */
static int more(uint32_t a, uint32_t b)
{
    return th__order(b, a);
}

/* The order of refiners. Ours: what is late or missing stays so, a rule can become right only on
 * what it is right or early on, and that counts before all. */
static int by_promise(const struct disjunct_candidate *a, const struct disjunct_candidate *b,
                      bool published)
{
    return (published ? 0 : more(a->correct + a->early, b->correct + b->early))
           ?: more(a->correct, b->correct) ?: more(a->early, b->early)
           ?: more(b->failed, a->failed) ?: more(b->wildcards, a->wildcards)
           ?: more(b->skipped, a->skipped) ?: more(a->last_len, b->last_len);
}

static int by_solution(const struct disjunct_candidate *a, const struct disjunct_candidate *b)
{
    bool perfect = is_perfect(a);
    return more(perfect, is_perfect(b))
           ?: (perfect ? 0 : more(b->wrong + b->early, a->wrong + a->early))
           ?: more(a->correct, b->correct) ?: more(b->inner, a->inner)
           ?: more(b->wildcards, a->wildcards) ?: more(b->skipped, a->skipped)
           ?: more(b->count, a->count) ?: more(a->last_len, b->last_len)
           ?: more(b->order, a->order);
}

/* The most promising of the first candidates that is neither refined nor perfect, or TH__NO_MATCH.
 * One that can become right on no more than `most` examples is not worth it. */
static uint32_t best_refiner(const struct inducer *in, size_t first, uint32_t most)
{
    uint32_t best = TH__NO_MATCH;
    for (uint32_t i = 0; i < first; i++) {
        const struct disjunct_candidate *c = &in->candidates.data[i];
        if (c->refined || is_perfect(c) || c->correct + c->early <= most)
            continue;
        if (best == TH__NO_MATCH ||
            by_promise(c, &in->candidates.data[best], in->task->published) < 0)
            best = i;
    }
    return best;
}

/* ---- the result ------------------------------------------------------------------------------ */

static bool make_disjunct(struct inducer *in, const struct disjunct_candidate *c, th__disjunct *out)
{
    *out = (th__disjunct){.count = c->count};
    out->landmarks = th__arena_zero(in->arena, c->count + 1u, sizeof *out->landmarks);
    if (!out->landmarks)
        return false;
    for (uint32_t i = 0; i < c->count; i++) {
        th__landmark *landmark = &out->landmarks[i];
        landmark->count = c->marks[i].count;
        landmark->until = c->marks[i].until;
        landmark->marks = th__arena_zero(in->arena, landmark->count, sizeof *landmark->marks);
        if (!landmark->marks)
            return false;
        for (uint32_t m = 0; m < landmark->count; m++) {
            uint32_t to = in->task->backward ? landmark->count - 1 - m : m;
            landmark->marks[to] = in->symbols[c->marks[i].ids[m]].mark;
        }
    }
    return true;
}

/* The best solution: a perfect one that is right on most examples, or the least imperfect. */
static void choose_solution(const struct inducer *in, struct disjunct_candidate *best)
{
    *best = (struct disjunct_candidate){0};
    for (uint32_t i = 0; i < in->candidates.len; i++)
        if (!i || by_solution(&in->candidates.data[i], best) < 0)
            *best = in->candidates.data[i];
}

/* What candidates are held against. */
static void list_open(struct inducer *in)
{
    const th__stalker_example *seed = &in->task->examples[in->seed];
    uint32_t low = low_of(in, seed), high = high_of(in, seed);
    in->open_count = in->positives = in->most = 0;
    for (uint32_t e = 0; e < in->task->count; e++) {
        const th__stalker_example *example = &in->task->examples[e];
        if (in->covered[e])
            continue;
        in->open[in->open_count++] = (struct open_example){
            e, low_of(in, example), high_of(in, example), must_fail(in, example)};
        in->positives += !must_fail(in, example);
    }
    in->inner[false] = low > 0 && is_content(in, seed, low - 1);
    in->inner[true] = high < length_of(seed) && is_content(in, seed, high);
}

static bool learn_disjunct(struct inducer *in, struct disjunct_candidate *best)
{
    in->candidates.len = 0;
    list_open(in);
    gather_symbols(in);
    if (in->failed || !index_symbols(in) || !add_initial(in))
        return false;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t most = in->most, refined = 0;
        size_t known = in->candidates.len;
        for (; refined < BEAM; refined++) {
            uint32_t refiner = best_refiner(in, known, most);
            if (refiner == TH__NO_MATCH)
                break;
            if (th__cancelled(in->task->cancel) || !refine(in, refiner))
                return false;
        }
        if (!refined)
            break;
    }
    choose_solution(in, best);
    return true;
}

/* The example whose item is nearest to where the rule begins: its prefix has the fewest tokens that
 * mean nothing. */
static bool choose_seed(struct inducer *in)
{
    uint32_t best = TH__NO_MATCH;
    for (uint32_t e = 0; e < in->task->count; e++) {
        const th__stalker_example *example = &in->task->examples[e];
        if (in->covered[e] || must_fail(in, example))
            continue;
        if (best == TH__NO_MATCH || high_of(in, example) < best) {
            best = high_of(in, example);
            in->seed = e;
        }
    }
    return best != TH__NO_MATCH;
}

/* Takes a disjunct into the rule and the examples that it is right on out of the rest. When it is
 * right on none the seed is given up. */
static bool take(struct inducer *in, const struct disjunct_candidate *best, th__stalker_learnt *out)
{
    th__landmark_rule *rule = &out->rule;
    if (!best->correct) {
        in->covered[in->seed] = true;
        return true;
    }
    if (!make_disjunct(in, best, &rule->disjuncts[rule->count]))
        return false;
    rule->count++;
    out->imperfect += !is_perfect(best);
    for (uint32_t e = 0; e < in->task->count; e++) {
        const th__stalker_example *example = &in->task->examples[e];
        if (in->covered[e] || must_fail(in, example))
            continue;
        uint32_t at = lead(best, e, NULL);
        if (at != TH__NO_MATCH && at >= low_of(in, example) && at <= high_of(in, example))
            in->covered[e] = true;
    }
    return true;
}

bool th__stalker_induce(const th__stalker_task *task, th__arena *arena, th__stalker_learnt *out)
{
    struct inducer in = {.task = task, .arena = arena};
    *out = (th__stalker_learnt){.rule.backward = task->backward};
    th__arena_init(&in.scratch);
    find_wilds(&in);
    in.covered = th__mem_zero(task->count + 1u, sizeof *in.covered);
    in.open = TH__NEW_ARRAY(struct open_example, task->count + 1u);
    in.symbols = TH__NEW_ARRAY(struct symbol, SYMBOLS);
    in.table = TH__NEW_ARRAY(uint32_t, SLOTS);
    out->rule.disjuncts =
        th__arena_zero(arena, TH__STALKER_MAX_DISJUNCTS, sizeof *out->rule.disjuncts);
    /* An item that does not lie in its range teaches nothing. */
    for (uint32_t e = 0; in.covered && e < task->count; e++) {
        const th__stalker_example *x = &task->examples[e];
        in.covered[e] =
            x->first > x->last || (!x->none && (x->low < x->first || x->high > x->last));
        out->rule.to_end |= !in.covered[e] && is_at_end(&in, x);
    }
    bool ok = in.covered && in.open && in.symbols && in.table && out->rule.disjuncts;
    /* Seeds that no rule is right on count too: of thousands of labels at odd places each would
     * cost a look at all others. */
    for (int tried = 0; ok && tried < TH__STALKER_MAX_DISJUNCTS && choose_seed(&in); tried++) {
        struct disjunct_candidate best;
        ok = learn_disjunct(&in, &best) && take(&in, &best, out);
        th__arena_clear(&in.scratch);
    }
    for (uint32_t e = 0; ok && e < task->count; e++)
        out->right += th__stalker_right(&out->rule, &task->examples[e]);
    th__vec_release(&in.candidates);
    th__vec_release(&in.ids);
    th__mem_free(in.covered);
    th__mem_free(in.open);
    th__mem_free(in.symbols);
    th__mem_free(in.table);
    th__arena_release(&in.scratch);
    return ok;
}
