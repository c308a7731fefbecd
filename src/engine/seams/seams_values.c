/*
 * seams_values.c: how likely a stretch of tokens is as a value of a slot.
 *
 * Three ways to be likely, the best of which counts: it is one of the values seen; it has the form
 * of one (number, full stop, number, full stop, number), with words of its own; or it is made of
 * the kinds of tokens that values have, begins and ends as they do, and is not much longer. How
 * much a new value or a new form costs depends on how many there were: where twenty dates have one
 * form, a text of another form is no date; where twenty titles have eighteen forms, a new one is no
 * surprise (Witten and Bell's estimate).
 *
 * Tags in a value must be closed in it, and tags of blocks must have been seen in one.
 */
#include <math.h>

#include "engine/seams/seams.h"

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
#define ENDS_ADDED      0.3
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

uint32_t th__seam_longest(const th__seam_slot *slot)
{
    if (slot->attribute.ptr)
        return 1;
    uint32_t longest = slot->longest < MOST_TRIED / 3 ? 3 * slot->longest : MOST_TRIED;
    return longest > LEAST_TRIED ? longest : LEAST_TRIED;
}

/* ---- costs by count ---- */

static double word_cost(const th__seam_slot *slot, uint32_t seen)
{
    return -log(OWN_WORDS * seen / slot->tokens + (1 - OWN_WORDS) / WORDS);
}

static double sign_cost(const th__seam_slot *slot, uint32_t seen)
{
    return -log(OWN_WORDS * seen / slot->tokens + (1 - OWN_WORDS) * (seen ? KNOWN_SIGN : NEW_SIGN));
}

static double shape_cost(const th__seam_slot *slot, uint32_t seen)
{
    return -log((seen + SHAPES_ADDED) / (slot->tokens + SHAPES_ADDED * KINDS_OF_TOKENS));
}

static double end_cost(const th__seam_slot *slot, uint32_t seen)
{
    return -log((seen + ENDS_ADDED) / (slot->values + ENDS_ADDED * KINDS_OF_TOKENS));
}

static double path_cost(const th__seam_slot *slot, uint32_t seen)
{
    return -log((seen + PATHS_ADDED) / (slot->values + PATHS_ADDED * KINDS_OF_PATHS));
}

bool th__seam_value_logs(th__seam_slot *slot, th__arena *arena)
{
    th__seam_logs *logs = th__arena_zero(arena, 1, sizeof *logs);
    slot->logs = logs;
    if (!logs || !slot->values)
        return logs;
    for (uint32_t seen = 0; seen < TH__SEAM_LOGS; seen++) {
        logs->word[seen] = word_cost(slot, seen);
        logs->sign[seen] = sign_cost(slot, seen);
        logs->shape[seen] = shape_cost(slot, seen);
        logs->end[seen] = end_cost(slot, seen);
        logs->path[seen] = path_cost(slot, seen);
    }
    logs->new_form = -log((slot->shapes + 0.5) / (slot->values + slot->shapes + 0.5));
    return true;
}

/* One of these, kept or made anew. */
#define COST(slot, what, seen)                                                                     \
    ((seen) < TH__SEAM_LOGS ? (slot)->logs->what[seen] : what##_cost(slot, seen))

/* ---- values ---- */

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

/* Whether a tag may stand in a value here; keeps what is open. */
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
static bool add(struct gauge *g, const th__seam_token *token)
{
    uint32_t seen = counted(g, TH__COUNT_WORD, token->key);
    g->whole = th__seam_hash(g->whole, token->key);
    g->form = th__seam_hash(g->form, token->shape);
    if (token->what > TH__SEAM_GAP) {
        g->words += markup_cost(g, token, seen);
        return pass_tag(g, token);
    }
    uint32_t alike = counted(g, TH__COUNT_SHAPE, token->shape);
    g->words +=
        token->what == TH__SEAM_WORD ? COST(g->slot, word, seen) : COST(g->slot, sign, seen);
    g->shapes += COST(g->slot, shape, alike);
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
    double made =
        NOT_SEEN + g->words + g->shapes + slot->logs->new_form + first + COST(slot, end, last);
    if (end - start > slot->longest)
        made += TOO_LONG * (end - start - slot->longest) / (slot->longest + 1.0);
    return fmin(best, made);
}

uint32_t th__seam_value_ends(const th__seam_rules *rules, uint32_t number,
                             const th__seam_tokens *tokens, uint32_t start, const bool *may_end,
                             th__seam_end *out, uint32_t most)
{
    struct gauge g = {.rules = rules,
                      .slot = &rules->slots.data[number],
                      .number = number,
                      .tokens = tokens->data};
    uint32_t count = 0, longest = th__seam_longest(g.slot);
    double path = 0, first = 0;
    if (!g.slot->values)
        return 0;
    if (start < tokens->count) {
        uint32_t seen = counted(&g, TH__COUNT_PATH, tokens->data[start].path);
        path = COST(g.slot, path, seen);
    }
    if (g.slot->attribute.ptr) {
        if (start == tokens->count || tokens->data[start].key != g.slot->tag)
            return 0;
        out[0] = (th__seam_end){start + 1, (float)path};
        return 1;
    }
    if (start < tokens->count) {
        uint32_t seen = counted(&g, TH__COUNT_FIRST, tokens->data[start].shape);
        first = COST(g.slot, end, seen);
    }
    if (may_end[start])
        out[count++] = (th__seam_end){start, EMPTY};
    for (uint32_t at = start; at < tokens->count && at - start < longest; at++) {
        if (!add(&g, &tokens->data[at]) || count == most)
            break;
        if (!g.opened && may_end[at + 1])
            out[count++] =
                (th__seam_end){at + 1, (float)(path + cost_of(&g, first, start, at + 1))};
    }
    return count;
}
