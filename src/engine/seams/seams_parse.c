/*
 * seams_parse.c: what values cost, and the likeliest reading of a region.
 *
 * How likely a stretch of tokens is as a value of a slot: three ways, the best of which counts. It
 * is one of the values seen; it has the form of one (number, full stop, number, full stop, number),
 * with words of its own; or it is made of the kinds of tokens that values have, begins and ends as
 * they do, and is not much longer. How much a new value or a new form costs depends on how many
 * there were: where twenty dates have one form, a text of another form is no date; where twenty
 * titles have eighteen forms, a new one is no surprise (Witten and Bell's estimate). Tags in a
 * value must be closed in it, and tags of blocks must have been seen in one.
 *
 * A reading is a sequence of slots, each with its seam and its value, over all tokens. Readings are
 * made from left to right; at each token the best KEPT of them go on, of those with the same last
 * slot and the same used slots the best one:
 *
 *     token   0   1   2   3   4   5 ...
 *             <br> Tel : 555 &middot; $20 <br>
 *     states  ●───────────▶●─────────▶●          one seam and one value an arrow
 *
 * A value ends only where a seam may begin, or where a tag ends or parts it, so that the arrows are
 * few.
 */
#include "engine/seams/seams.h"

#include <math.h>

/* ---- values ---------------------------------------------------------------------------------- */

/* One past the last token of a value, and what it costs. */
struct value_end {
    uint32_t at;
    float cost;
};

/* A token is one of the slot's own with this share, else any of its kind. */
#define OWN_WORDS 0.5
/* How many words there are to choose from when it is none of the slot's: with fewer, new names
 * would pass for words of any slot; with many more, one new word would outweigh a wrong seam. */
#define WORDS 200.0
/* A sign that the slot's values have, and one that they do not have. */
#define KNOWN_SIGN 0.5
#define NEW_SIGN   0.02
/* Markup inside a value, seen or not. */
#define KNOWN_MARKUP 0.5
#define NEW_MARKUP   2.0
/* A break that no value of the slot has: most values are of one line, and where seams have breaks
 * it is all but certain to be one of theirs. */
#define NEW_BREAK   5.0
#define SEAMS_BREAK 20.0
/* What is added to counts, and how many kinds of tokens that makes room for. */
#define KINDS_OF_TOKENS 12.0
#define EDGES_ADDED     0.3
#define SHAPES_ADDED    0.2
/* What it costs not to be a value that was seen, so that one of them is preferred. */
#define NOT_SEEN 1.0
/* The elements around a value: how often others of which there may be some are held to be seen. A
 * tag that is left out changes them, so that they speak, but do not decide. */
#define PATHS_ADDED    0.2
#define KINDS_OF_PATHS 6.0
/* An empty value between its seams: rarer than one in ten. */
#define EMPTY 2.5f
/* Each time that a value is longer than the longest by half its length. */
#define TOO_LONG 4.0

/* Breaks of that kind in one value: so many never win, and without an end to it each line of a long
 * page would be tried with all that follow. */
enum { MAX_BREAKS = 3, MAX_OPEN = 16, LEAST_TRIED = 40, MOST_TRIED = 2048 };

/* The longest value that is tried. */
static uint32_t longest_tried(const th__seam_slot *slot)
{
    if (slot->attribute.ptr)
        return 1;
    uint32_t longest = slot->longest < MOST_TRIED / 3 ? 3 * slot->longest : MOST_TRIED;
    return longest > LEAST_TRIED ? longest : LEAST_TRIED;
}

/* What it costs that something of a value was seen so often: natural logarithms. */
static double cost_of_count(const th__seam_slot *slot, th__seam_cost what, uint32_t seen)
{
    switch (what) {
    case TH__COST_WORD:
        return -log(OWN_WORDS * seen / slot->tokens + (1 - OWN_WORDS) / WORDS);
    case TH__COST_SIGN:
        return -log(OWN_WORDS * seen / slot->tokens +
                    (1 - OWN_WORDS) * (seen ? KNOWN_SIGN : NEW_SIGN));
    case TH__COST_SHAPE:
        return -log((seen + SHAPES_ADDED) / (slot->tokens + SHAPES_ADDED * KINDS_OF_TOKENS));
    case TH__COST_EDGE:
        return -log((seen + EDGES_ADDED) / (slot->values + EDGES_ADDED * KINDS_OF_TOKENS));
    default:
        return -log((seen + PATHS_ADDED) / (slot->values + PATHS_ADDED * KINDS_OF_PATHS));
    }
}

/* Makes the costs that a slot keeps, once all is counted. False if out of memory. */
static bool keep_logs(th__seam_slot *slot, th__arena *arena)
{
    th__seam_logs *logs = th__arena_zero(arena, 1, sizeof *logs);
    slot->logs = logs;
    if (!logs || !slot->values)
        return logs;
    for (int what = 0; what < TH__COSTS; what++)
        for (uint32_t seen = 0; seen < TH__SEAM_LOGS; seen++)
            logs->costs[what][seen] = cost_of_count(slot, (th__seam_cost)what, seen);
    logs->new_form = -log((slot->shapes + 0.5) / (slot->values + slot->shapes + 0.5));
    return true;
}

/* One of these, kept or made anew. */
static inline double cost(const th__seam_slot *slot, th__seam_cost what, uint32_t seen)
{
    return seen < TH__SEAM_LOGS ? slot->logs->costs[what][seen] : cost_of_count(slot, what, seen);
}

struct gauge {
    const th__seam_rules *rules;
    const th__seam_slot *slot;
    uint32_t number;
    const th__seam_token *tokens;
    /* Of the value so far: */
    uint64_t whole, form;
    double words, shapes;
    uint16_t open[MAX_OPEN];
    uint32_t opened, breaks;
};

static uint32_t counted(const struct gauge *g, th__seam_count what, uint64_t key)
{
    return th__seam_counted(g->rules, what, g->number, key);
}

/* Returns true if a tag may be in a value here; keeps what is open. */
static bool pass_tag(struct gauge *g, const th__seam_token *token)
{
    if (token->what == TH__SEAM_BLOCK)
        return counted(g, TH__COUNT_WORD, token->key);
    if (token->what == TH__SEAM_BREAK)
        return !g->rules->breaks || counted(g, TH__COUNT_WORD, token->key) ||
               ++g->breaks <= MAX_BREAKS;
    if (token->what == TH__SEAM_PHRASE) {
        if (g->opened == MAX_OPEN)
            return false;
        g->open[g->opened++] = token->tag;
        return true;
    }
    return g->opened && g->open[--g->opened] == token->tag;
}

static double markup_cost(const struct gauge *g, const th__seam_token *token, uint32_t seen)
{
    if (seen)
        return KNOWN_MARKUP;
    if (token->what != TH__SEAM_BREAK)
        return NEW_MARKUP;
    return g->rules->breaks ? SEAMS_BREAK : NEW_BREAK;
}

/* One more token; false when no value goes on with it. */
static bool add_token(struct gauge *g, const th__seam_token *token)
{
    uint32_t seen = counted(g, TH__COUNT_WORD, token->key);
    g->whole = th__hash_mix(g->whole, token->key);
    g->form = th__hash_mix(g->form, token->shape);
    if (token->what > TH__SEAM_GAP) {
        g->words += markup_cost(g, token, seen);
        return pass_tag(g, token);
    }
    uint32_t alike = counted(g, TH__COUNT_SHAPE, token->shape);
    g->words += cost(g->slot, token->what == TH__SEAM_WORD ? TH__COST_WORD : TH__COST_SIGN, seen);
    g->shapes += cost(g->slot, TH__COST_SHAPE, alike);
    return true;
}

static double cost_of(const struct gauge *g, double first, uint32_t start, uint32_t end)
{
    const th__seam_slot *slot = g->slot;
    double best = TH__SEAM_NEVER, values = slot->values;
    bool may_be_one = end - start <= slot->longest;
    uint32_t whole = may_be_one ? counted(g, TH__COUNT_WHOLE, g->whole) : 0;
    uint32_t form = may_be_one ? counted(g, TH__COUNT_FORM, g->form) : 0;
    if (whole)
        best = -log(whole / (values + slot->wholes));
    if (form)
        best = fmin(best, NOT_SEEN + g->words - log(form / (values + slot->shapes)));
    uint32_t last = counted(g, TH__COUNT_LAST, g->tokens[end - 1].shape);
    double made = NOT_SEEN + g->words + g->shapes + slot->logs->new_form + first +
                  cost(slot, TH__COST_EDGE, last);
    if (end - start > slot->longest)
        made += TOO_LONG * (end - start - slot->longest) / (slot->longest + 1.0);
    return fmin(best, made);
}

/* Where a value that begins at a token may end, of the ends that `may_end` allows; gives how many.
 */
static uint32_t find_value_ends(const th__seam_rules *rules, uint32_t number,
                                const th__seam_tokens *tokens, uint32_t start, const bool *may_end,
                                struct value_end *out, uint32_t most)
{
    struct gauge g = {.rules = rules,
                      .slot = &rules->slots.data[number],
                      .number = number,
                      .tokens = tokens->data};
    uint32_t count = 0, longest = longest_tried(g.slot);
    double path = 0, first = 0;
    if (!g.slot->values)
        return 0;
    if (start < tokens->count) {
        uint32_t seen = counted(&g, TH__COUNT_PATH, tokens->data[start].path);
        path = cost(g.slot, TH__COST_PATH, seen);
    }
    if (g.slot->attribute.ptr) {
        if (start == tokens->count || tokens->data[start].key != g.slot->tag)
            return 0;
        out[0] = (struct value_end){start + 1, (float)path};
        return 1;
    }
    if (start < tokens->count) {
        uint32_t seen = counted(&g, TH__COUNT_FIRST, tokens->data[start].shape);
        first = cost(g.slot, TH__COST_EDGE, seen);
    }
    if (may_end[start])
        out[count++] = (struct value_end){start, EMPTY};
    for (uint32_t at = start; at < tokens->count && at - start < longest; at++) {
        if (!add_token(&g, &tokens->data[at]) || count == most)
            break;
        if (!g.opened && may_end[at + 1])
            out[count++] =
                (struct value_end){at + 1, (float)(path + cost_of(&g, first, start, at + 1))};
    }
    return count;
}

/* ---- readings: what they cost beside their values ----------------------------------------------
 */

enum {
    KEPT = 8 /* readings that go on at a token: with half of it one page in thousands differs */
};

/* A token that nothing explains, by what it is. Dearer than a new word in a value that has the
 * wrong form, so that text is left over only where no slot can have it. */
static const float loose[] = {
    [TH__SEAM_WORD] = 14,  [TH__SEAM_SIGN] = 14, [TH__SEAM_GAP] = 14, [TH__SEAM_BREAK] = 8,
    [TH__SEAM_PHRASE] = 8, [TH__SEAM_BLOCK] = 8, [TH__SEAM_END] = 2};
/* The part of that before the first value, where samples have text there. About what a new word
 * costs in a value: cheaper, and a record would pass for a head; dearer, and a head for a record.
 */
#define HEAD 0.8f
/* An unknown tail, beside the tokens that it leaves unexplained. */
#define LOST_TAIL 1.0f
/* A seam that was seen, but not with that kind of beginning. */
#define OTHER_KIND 3.0
/* What is closed before a seam, when it was seen so often as added, of so many kinds. An end tag
 * may have been left out. */
#define ENDS_ADDED 0.2
#define ENDS_KINDS 4.0
/* An aside, and its text: about what new words cost in a value, so that text which can be one is
 * one.
 */
#define ASIDE 1.0f
static const float beside[] = {[TH__SEAM_WORD] = 7.5f, [TH__SEAM_SIGN] = 3};
/* A seam that is a part of one that was seen. */
#define PART 4.0f
/* What is added to how often a slot has seams of a kind. */
#define NEW_SEAM 0.5
/* A list that begins or goes on with a new item: of readings that are equally likely the one with
 * fewer items is taken. */
#define NEW_ITEM 0.005f
/* Readings that are so much dearer than the best at the same token never win. */
#define HOPELESS 30.0f

struct state {
    float cost;
    uint32_t slot; /* the last, or TH__SEAMS_NONE */
    uint64_t used;
    th__seam_step step; /* its value; `before` is the reading so far */
    uint32_t made;      /* the number of the step where it is kept already */
    uint64_t ends;      /* what was closed and passed since; 0: nothing */
};

typedef struct reading_bucket {
    struct state states[KEPT];
    uint32_t count, worst; /* worst: where the dearest is once it is full */
    float best;
    struct reading_bucket *next; /* of free ones */
} bucket;

/* The values of a slot that begin at a token. */
typedef struct slot_values {
    uint32_t slot, count;
    struct value_end *ends;
    struct slot_values *next;
} slot_values;

/* A seam on the page, or an aside. */
typedef struct seam_match {
    uint32_t end, lead; /* lead: TH__SEAMS_NONE of an aside */
    float cost;         /* of an aside, */
    uint64_t hash;      /* and what is before its text */
} seam_match;

struct seam_parser {
    const th__seam_rules *rules;
    const th__seam_tokens *tokens;
    th__arena *arena;
    bucket **at; /* by position */
    bucket *free;
    slot_values **known;       /* by position */
    uint32_t *matches;         /* by position, and one more: where its seams begin in */
    TH__VEC(seam_match) seams; /* these */
    bool *may_end;
    th__seam_tail *tails;
    uint32_t *left;         /* by position: tokens from there on that are no end tags */
    struct value_end *ends; /* room */
    TH__VEC(th__seam_step) steps;
    float end_cost;
    uint32_t end_step;
    bool failed;
};

/* ---- what is on the page ----------------------------------------------------------------------
 */

/* An aside whose text begins at a token, and as many more as its text may go on. */
static bool add_asides(struct seam_parser *p, uint32_t text, uint64_t hash)
{
    enum { MOST = 4 }; /* of them: pieces of a line with markup in it */
    seam_match aside = {text, TH__SEAMS_NONE, ASIDE, hash};
    for (int i = 0; i < MOST; i++) {
        for (; aside.end < p->tokens->count && th__seam_is_text(&p->tokens->data[aside.end]);
             aside.end++)
            aside.cost += beside[p->tokens->data[aside.end].what];
        if (!th__vec_push(&p->seams, aside))
            return false;
        uint32_t on = th__seam_text_on(p->tokens, aside.end);
        if (on == aside.end)
            break;
        aside.end = on;
    }
    return true;
}

static bool find_seams(struct seam_parser *p)
{
    const th__seam_tokens *t = p->tokens;
    for (uint32_t i = 0; i <= t->count; i++) {
        uint64_t hash = 0;
        p->matches[i] = (uint32_t)p->seams.len;
        uint32_t longest =
            i < t->count ? th__key_map_get(&p->rules->first, th__hash_mix(0, t->data[i].key)) : 0;
        for (uint32_t len = 0; len <= longest; len++) {
            uint32_t lead = p->rules->lengths[len] ? th__key_map_get(&p->rules->seams, hash) : 0;
            if (lead && !th__vec_push(&p->seams, (seam_match){i + len, lead - 1, 0, 0}))
                return false;
            if (th__seam_is_aside(p->rules, t, i, i + len, hash) && !add_asides(p, i + len, hash))
                return false;
            if (i + len == t->count)
                break;
            hash = th__hash_mix(hash, t->data[i + len].key);
        }
    }
    p->matches[t->count + 1] = (uint32_t)p->seams.len;
    return true;
}

static void find_ends(struct seam_parser *p)
{
    uint32_t n = p->tokens->count;
    p->may_end[n] = true;
    p->left[n] = 0;
    for (uint32_t i = n; i-- > 0;) {
        uint8_t what = p->tokens->data[i].what;
        p->may_end[i] = what == TH__SEAM_END || what == TH__SEAM_BLOCK || what == TH__SEAM_BREAK ||
                        p->matches[i] < p->matches[i + 1];
        p->left[i] = p->left[i + 1] + (what != TH__SEAM_END);
    }
}

/* ---- costs ------------------------------------------------------------------------------------
 */

static float seam_cost(const th__seam_slot *slot, const th__seam_lead *lead, th__seam_kind kind)
{
    uint32_t all = 0, seen = 0;
    if (lead->counts[kind])
        return (float)-log(lead->counts[kind] / (slot->seams[kind] + NEW_SEAM));
    for (int k = 0; k < TH__SEAM_KINDS; k++) {
        all += slot->seams[k];
        seen = seen > lead->counts[k] ? seen : lead->counts[k];
    }
    return seen ? (float)(OTHER_KIND - log(seen / (all + NEW_SEAM))) : PART;
}

/* By how often an end was seen: never more often than the slot has seams of that kind. */
static bool weigh_ends(th__seam_slot *slot, th__arena *arena)
{
    for (int kind = 0; kind < TH__SEAM_KINDS; kind++) {
        double all = slot->seams[kind];
        float *costs = th__arena_alloc(arena, (slot->seams[kind] + (size_t)1) * sizeof *costs);
        if (!costs)
            return false;
        for (uint32_t seen = 0; seen <= slot->seams[kind]; seen++)
            costs[seen] = (float)-log((seen + ENDS_ADDED) / (all + ENDS_ADDED * ENDS_KINDS));
        slot->ends[kind] = costs;
    }
    return true;
}

bool th__seam_weigh(th__seam_rules *rules, th__arena *arena)
{
    for (uint32_t i = 0; i < rules->lead_count; i++)
        for (int kind = 0; kind < TH__SEAM_KINDS; kind++)
            rules->leads[i].costs[kind] = seam_cost(&rules->slots.data[rules->leads[i].slot],
                                                    &rules->leads[i], (th__seam_kind)kind);
    for (uint32_t i = 0; i < rules->slots.count; i++)
        if (!weigh_ends(&rules->slots.data[i], arena) || !keep_logs(&rules->slots.data[i], arena))
            return false;
    return true;
}

/* Returns true if a seam is at a position, or behind the end tags there. */
static bool has_seam(const struct seam_parser *p, uint32_t at)
{
    at = th__seam_skip_ends(p->tokens, at, p->tokens->count);
    return p->matches[at] < p->matches[at + 1];
}

static float ends_cost(const struct seam_parser *p, uint32_t slot, th__seam_kind kind,
                       uint64_t ends)
{
    uint32_t seen = th__seam_counted(p->rules, TH__COUNT_ENDS, slot, th__seam_ends_key(ends, kind));
    return p->rules->slots.data[slot].ends[kind][seen];
}

/* What it costs that the last value ended here. What begins with a seam is a tail only when all of
 * it was one: the last value of some sample was empty. */
static float tail_cost(const struct seam_parser *p, uint32_t from)
{
    if (th__seam_counted(p->rules, TH__COUNT_TAIL, 1, p->tails[from].whole))
        return 0;
    if (!has_seam(p, from) && th__seam_counted(p->rules, TH__COUNT_TAIL, 0, p->tails[from].first))
        return 0;
    return LOST_TAIL + loose[TH__SEAM_WORD] * (float)p->left[from];
}

/* ---- readings ---------------------------------------------------------------------------------
 */

static bucket *new_bucket(struct seam_parser *p, uint32_t at)
{
    bucket *b = p->free;
    if (b)
        p->free = b->next;
    else
        b = th__arena_alloc(p->arena, sizeof *b);
    if (!b) {
        p->failed = true;
        return NULL;
    }
    b->count = 0;
    b->best = TH__SEAM_NEVER;
    return p->at[at] = b;
}

static inline bucket *bucket_at(struct seam_parser *p, uint32_t at)
{
    return p->at[at] ? p->at[at] : new_bucket(p, at);
}

static void find_worst(bucket *b)
{
    b->worst = 0;
    for (uint32_t i = 1; i < b->count; i++)
        if (b->states[i].cost > b->states[b->worst].cost)
            b->worst = i;
}

/* Keeps a state: the better one of two that are alike, the worst gives way when there is no room.
 * Those that are there get no dearer, so that what has no room now would not go on later. */
static void keep(bucket *b, const struct state *state)
{
    uint32_t at = 0;
    if (b->count == KEPT && state->cost >= b->states[b->worst].cost)
        return;
    while (at < b->count &&
           (b->states[at].slot != state->slot || b->states[at].used != state->used))
        at++;
    if (at < b->count && b->states[at].cost <= state->cost)
        return;
    if (at == KEPT)
        at = b->worst;
    b->count += at == b->count;
    b->states[at] = *state;
    if (b->count == KEPT)
        find_worst(b);
    if (state->cost < b->best)
        b->best = state->cost;
}

static const slot_values *values_at(struct seam_parser *p, uint32_t slot, uint32_t at)
{
    slot_values *v = p->known[at];
    while (v && v->slot != slot)
        v = v->next;
    if (v)
        return v;
    v = th__arena_zero(p->arena, 1, sizeof *v);
    if (!v)
        return NULL;
    v->slot = slot;
    v->next = p->known[at];
    p->known[at] = v;
    v->count =
        find_value_ends(p->rules, slot, p->tokens, at, p->may_end, p->ends, p->tokens->count + 1);
    v->ends = th__arena_alloc(p->arena, (v->count + (size_t)1) * sizeof *v->ends);
    if (v->ends && v->count)
        memcpy(v->ends, p->ends, v->count * sizeof *v->ends);
    return v->ends ? v : NULL;
}

/* In how many ways (which lists go on with the same item) a slot may follow, `used` being those
 * that the items at hand have; at most TH__SEAMS_MAX_DEPTH + 1. */
static uint32_t find_ways(const th__seam_slots *slots, uint32_t from, uint64_t used, uint32_t to,
                          uint32_t *open)
{
    const th__seam_slot *slot = &slots->data[to];
    uint32_t common = th__seam_common(slots, from, to), count = 0;
    bool is_used = used >> to & 1;
    if (!slot->depth) {
        open[0] = 0;
        return !is_used;
    }
    if (common == slot->depth) {
        /* Fields of an item keep their order: one that belongs before the last begins the next
         * item. */
        bool later = slots->later[from] >> to & 1, earlier = slots->later[to] >> from & 1;
        if (!slot->item && !is_used && (later || !earlier))
            open[count++] = slot->depth;
    } else if (!(used & slots->in_list[slot->lists[common]])) {
        open[count++] = common; /* a list begins, once in its item */
    }
    for (uint32_t i = common; i > 0; i--)
        open[count++] = i - 1;
    return count;
}

/* All values of a slot behind a seam. */
static void go_on(struct seam_parser *p, const struct state *from, uint32_t at,
                  const seam_match *seam, const th__seam_lead *lead, uint64_t ends)
{
    uint32_t ways[TH__SEAMS_MAX_DEPTH + 2];
    const th__seam_slots *slots = &p->rules->slots;
    uint32_t count = find_ways(slots, from->slot, from->used, lead->slot, ways);
    const slot_values *v = count ? values_at(p, lead->slot, seam->end) : NULL;
    p->failed |= count && !v;
    for (uint32_t w = 0; v && w < count; w++) {
        th__seam_kind kind = th__seam_kind_of(slots, from->slot, lead->slot, ways[w]);
        float cost = from->cost + lead->costs[kind] +
                     p->rules->move_costs[th__seam_move(p->rules, from->slot, lead->slot, kind)];
        if (kind > TH__SEAM_IN)
            cost += NEW_ITEM * (float)(slots->data[lead->slot].depth - ways[w]);
        if (from->slot != TH__SEAMS_NONE)
            cost += ends_cost(p, lead->slot, kind, ends);
        struct state next = {.slot = lead->slot,
                             .used = th__seam_use(slots, from->used, lead->slot, ways[w]),
                             .made = TH__SEAMS_NONE};
        for (uint32_t i = 0; i < v->count; i++) {
            if (v->ends[i].at <= at)
                continue; /* nothing read: no seam, no value */
            next.cost = cost + v->ends[i].cost;
            bucket *b = bucket_at(p, v->ends[i].at);
            if (!b || next.cost > b->best + HOPELESS)
                continue;
            next.step = (th__seam_step){lead->slot, ways[w], seam->end, v->ends[i].at, from->made};
            keep(b, &next);
        }
    }
}

static void follow_seam(struct seam_parser *p, const struct state *state, uint32_t at,
                        const seam_match *seam, uint64_t ends)
{
    for (uint32_t l = seam->lead; l != TH__SEAMS_NONE; l = p->rules->leads[l].next)
        go_on(p, state, at, seam, &p->rules->leads[l], ends);
}

/* Before the first value there are none. */
static void pass_aside(struct seam_parser *p, const struct state *state, const seam_match *aside,
                       uint64_t ends)
{
    struct state next = *state;
    if (state->slot == TH__SEAMS_NONE)
        return;
    next.cost += aside->cost;
    next.ends = th__hash_mix(ends, aside->hash);
    bucket *b = bucket_at(p, aside->end);
    if (b && next.cost <= b->best + HOPELESS)
        keep(b, &next);
}

static void read_on(struct seam_parser *p, struct state *state, uint32_t at, float tail)
{
    const th__seam_tokens *tokens = p->tokens;
    if (state->slot != TH__SEAMS_NONE && state->made == TH__SEAMS_NONE) {
        state->made = (uint32_t)p->steps.len;
        if (!th__vec_push(&p->steps, state->step)) {
            p->failed = true;
            return;
        }
    }
    if (state->slot != TH__SEAMS_NONE) {
        float cost =
            state->cost + tail +
            p->rules
                ->move_costs[th__seam_move(p->rules, state->slot, TH__SEAMS_NONE, TH__SEAM_TOP)];
        if (cost < p->end_cost) {
            p->end_cost = cost;
            p->end_step = state->made;
        }
    }
    uint64_t ends = state->ends;
    for (uint32_t from = at; from <= tokens->count; from++) {
        for (uint32_t m = p->matches[from]; m < p->matches[from + 1]; m++)
            if (p->seams.data[m].lead == TH__SEAMS_NONE)
                pass_aside(p, state, &p->seams.data[m], ends);
            else
                follow_seam(p, state, at, &p->seams.data[m], ends);
        if (from == tokens->count || tokens->data[from].what != TH__SEAM_END)
            break;
        ends = th__seam_end_tag(ends, &tokens->data[from]);
    }
    if (at < tokens->count) {
        struct state next = *state;
        bool head = state->slot == TH__SEAMS_NONE && p->rules->head;
        next.cost += (head ? HEAD : 1) * loose[tokens->data[at].what];
        bucket *b = bucket_at(p, at + 1);
        if (b && next.cost <= b->best + HOPELESS)
            keep(b, &next);
    }
}

/* The numbers of states, the cheapest first, of equal ones the first. */
static void sort_states(const bucket *b, uint8_t *order)
{
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t to = i;
        for (; to > 0 && b->states[i].cost < b->states[order[to - 1]].cost; to--)
            order[to] = order[to - 1];
        order[to] = (uint8_t)i;
    }
}

static void read_all(struct seam_parser *p)
{
    const struct state start = {.slot = TH__SEAMS_NONE, .made = TH__SEAMS_NONE};
    bucket *first = bucket_at(p, 0);
    if (first)
        keep(first, &start);
    for (uint32_t at = 0; at <= p->tokens->count && !p->failed; at++) {
        bucket *b = p->at[at];
        uint8_t order[KEPT];
        if (!b)
            continue;
        float tail = b->best < p->end_cost ? tail_cost(p, at) : 0;
        sort_states(b, order);
        for (uint32_t i = 0; i < b->count && !p->failed; i++) {
            struct state *state = &b->states[order[i]];
            if (state->cost < p->end_cost && state->cost <= b->best + HOPELESS)
                read_on(p, state, at, tail);
        }
        b->next = p->free;
        p->free = b;
        p->at[at] = NULL;
    }
}

static bool write_reading(const struct seam_parser *p, th__seam_reading *out)
{
    for (uint32_t s = p->end_step; s != TH__SEAMS_NONE; s = p->steps.data[s].before)
        out->count++;
    out->cost = p->end_cost;
    out->steps = th__arena_alloc(p->arena, (out->count + (size_t)1) * sizeof *out->steps);
    if (!out->steps)
        return false;
    for (uint32_t s = p->end_step, i = out->count; i-- > 0; s = p->steps.data[s].before) {
        out->steps[i] = p->steps.data[s];
        out->values += out->steps[i].end > out->steps[i].start;
    }
    return true;
}

bool th__seam_parse(const th__seam_rules *rules, const th__seam_tokens *tokens, th__arena *arena,
                    th__seam_reading *out)
{
    size_t n = tokens->count + (size_t)2;
    struct seam_parser p = {.rules = rules,
                            .tokens = tokens,
                            .arena = arena,
                            .end_cost = TH__SEAM_NEVER,
                            .end_step = TH__SEAMS_NONE};
    *out = (th__seam_reading){0};
    if (tokens->count > TH__SEAMS_MAX_TOKENS)
        return true;
    p.at = th__arena_zero(arena, n, sizeof *p.at);
    p.known = th__arena_zero(arena, n, sizeof *p.known);
    p.matches = th__arena_zero(arena, n, sizeof *p.matches);
    p.may_end = th__arena_zero(arena, n, sizeof *p.may_end);
    p.left = th__arena_zero(arena, n, sizeof *p.left);
    p.tails = th__seam_tails_make(tokens, arena);
    p.ends = th__arena_alloc(arena, n * sizeof *p.ends);
    bool ok =
        p.at && p.known && p.matches && p.may_end && p.left && p.tails && p.ends && find_seams(&p);
    if (ok) {
        find_ends(&p);
        read_all(&p);
        ok = !p.failed && write_reading(&p, out);
    }
    th__vec_release(&p.seams);
    th__vec_release(&p.steps);
    return ok;
}
