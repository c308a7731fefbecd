/* paths_weigh.c: the best of many rules. */
#include "engine/paths/paths_weigh.h"

#include <stdlib.h>

#include "base/mem.h"

/*
 * What each reason is worth. Being right on one labelled page of several must outweigh all that
 * speaks for a rule besides, hence the first. The others are in the order in which they were found
 * to tell right rules from wrong ones on development pages; no single one decides much.
 */
#define WORTH_FIT       20.0
#define WORTH_AGREEMENT 2.0
#define WORTH_FILL      2.0
#define WORTH_SHAPE     3.0
#define COST_EXCESS     1.0
#define COST_CONSTANT   2.0

/* ---- what speaks for a kind of rule ---------------------------------------------------------- */

static const double address_worth[TH__ADDRESSES] = {
    [TH__BY_CLASSES] = 1.0,   [TH__BY_ID] = 1.0,    [TH__BY_END] = 0.8,
    [TH__BY_ELEMENT] = 0.5,   [TH__BY_TAGS] = 0.6,  [TH__BY_ID_POSITIONS] = 0.4,
    [TH__BY_POSITIONS] = 0.2, [TH__ANYWHERE] = 0.5,
};

static const double teller_worth[TH__TELLERS] = {
    [TH__TOLD_BY_NOTHING] = 0.5, [TH__TOLD_BY_BEFORE] = 0.4, [TH__TOLD_BY_CAPTION] = 0.4,
    [TH__TOLD_BY_HEADING] = 0.3, [TH__TOLD_BY_AFTER] = 0.1,  [TH__TOLD_BY_START] = 0.5,
};

bool th__path_sensible(const th__path_rule *rule)
{
    if (rule->address != TH__ANYWHERE)
        return true;
    return rule->teller == TH__TOLD_BY_BEFORE || rule->teller == TH__TOLD_BY_START ||
           rule->teller == TH__TOLD_BY_CAPTION;
}

/* A part is less certain than a whole, and words or numbers behind it are more often data than
 * template. */
static double cut_cost(const th__cut *cut)
{
    bool digits = false, letters = false;
    for (size_t i = 0; i < cut->before.len; i++) {
        digits |= th__is_digit((unsigned char)cut->before.ptr[i]);
        letters |= th__is_alpha((unsigned char)cut->before.ptr[i]);
    }
    return th__cut_is_whole(cut) ? 0 : 1.0 + (digits ? 0.5 : 0) + (letters ? 0.2 : 0);
}

bool th__path_trusted(const th__path_rule *rule, const th__path_hints *hints)
{
    if (hints->caption[rule->teller] || hints->named[rule->teller])
        return true;
    return !rule->teller && rule->address <= TH__BY_END && !rule->pick;
}

double th__path_prior(const th__path_rule *rule, const th__unit *unit, const th__path_hints *hints,
                      bool list)
{
    double worth = address_worth[rule->address] + teller_worth[rule->teller];
    bool near = hints->named[TH__TOLD_BY_BEFORE] || hints->named[TH__TOLD_BY_CAPTION] ||
                hints->named[TH__TOLD_BY_START];
    worth += hints->named[rule->teller] ? 0.6 : 0;
    worth += hints->caption[rule->teller] ? 0.2 : 0;
    /* All values of a list stand under one caption, one behind it. */
    worth += list && hints->caption[rule->teller] && rule->teller == TH__TOLD_BY_CAPTION ? 0.2 : 0;
    worth += near ? 0.6 : 0;
    worth += hints->path ? 0.4 : 0;
    worth -= unit->in_title ? 1.5 : 0;
    worth -= unit->kind == TH__UNIT_ATTRIBUTE ? 1.0 : 0;
    worth -= unit->kind == TH__UNIT_ELEMENT ? 0.3 : 0;
    worth -= cut_cost(&rule->cut);
    return worth;
}

double th__path_pick_cost(size_t at)
{
    return at < 2 ? 0.4 : at < 6 ? 0.6 : 0.9;
}

/* Whether a text has the words of a name: "date_posted" stands in "Date Posted:". */
static bool has_name(th_str text, th_str name)
{
    bool any = false;
    for (size_t at = 0; at < name.len;) {
        size_t end = at;
        while (end < name.len && th__is_alpha((unsigned char)name.ptr[end]))
            end++;
        if (end - at >= 3) {
            bool found = false;
            for (size_t i = 0; !found && i + (end - at) <= text.len; i++) {
                size_t j = 0;
                while (j < end - at && th__lower((unsigned char)text.ptr[i + j]) ==
                                           th__lower((unsigned char)name.ptr[at + j]))
                    j++;
                found = j == end - at;
            }
            if (!found)
                return false;
            any = true;
        }
        at = end + 1;
    }
    return any;
}

bool th__path_hints_of(const th__units *units, uint32_t unit, th_str name, th__buf *scratch,
                       th__path_hints *out)
{
    enum { LONGEST = 60, NEAR = 3 }; /* a longer text is no caption */
    const th_page *page = units->page;
    *out = (th__path_hints){0};
    for (unsigned t = 1; t < TH__TELLERS; t++) {
        if (!units->data[unit].tellers[t])
            continue;
        scratch->len = 0;
        if (!th__unit_teller_text(units, unit, (th__teller)t, scratch))
            return false;
        /* A caption further off belongs to something else, more often than not. */
        bool near = t != TH__TOLD_BY_CAPTION ||
                    units->data[unit].tellers[TH__TOLD_BY_BEFORE] == units->data[unit].tellers[t];
        out->caption[t] = near && scratch->len && scratch->data[scratch->len - 1] == ':';
        out->named[t] = scratch->len <= LONGEST && has_name(th__buf_str(scratch), name);
    }
    uint32_t node = units->data[unit].node;
    for (int i = 0; i < NEAR && node; i++, node = page->nodes[node].parent) {
        th_str text = {0};
        if (th_attr_get(page, page->nodes[node].token, "class", &text))
            out->path |= has_name(text, name);
        if (th_attr_get(page, page->nodes[node].token, "id", &text))
            out->path |= has_name(text, name);
    }
    return true;
}

/* ---- labelled values and outcomes ------------------------------------------------------------ */

bool th__path_choice_begin(th__path_choice *choice)
{
    choice->truth = th__arena_zero(choice->arena, choice->page_count + 1, sizeof *choice->truth);
    choice->shortest = UINT32_MAX;
    return choice->truth;
}

bool th__path_choice_want(th__path_choice *choice, uint32_t page, th_str value)
{
    th__path_truth *truth = &choice->truth[page];
    uint64_t hash = th__text_hash(value);
    uint32_t len = 0;
    bool digits = false;
    for (size_t i = 0; i < value.len; i++) {
        len += !th__is_blank((unsigned char)value.ptr[i]);
        digits |= th__is_digit((unsigned char)value.ptr[i]);
    }
    choice->shortest = len < choice->shortest ? len : choice->shortest;
    choice->longest = len > choice->longest ? len : choice->longest;
    choice->digits |= digits;
    choice->no_digits |= !digits;
    if (truth->count == truth->cap) {
        uint32_t cap = truth->cap ? 2 * truth->cap : 8;
        th__key_map old = truth->numbers;
        if (!th__key_map_init(&truth->numbers, choice->arena, cap))
            return false;
        for (uint32_t i = 0; truth->cap && i <= old.mask; i++)
            if (old.slots[i].value)
                th__key_map_put(&truth->numbers, old.slots[i].key, old.slots[i].value);
        truth->cap = cap;
    }
    if (!th__key_map_get(&truth->numbers, hash))
        th__key_map_put(&truth->numbers, hash, ++truth->count);
    return true;
}

static uint32_t words_of(const th__path_truth *truth)
{
    return (truth->count + 63) / 64;
}

bool th__path_outcome_make(th__path_choice *choice, uint32_t page, const uint64_t *values,
                           uint32_t count, const th__unit *first, th__path_outcome *out)
{
    const th__path_truth *truth = &choice->truth[page];
    *out = (th__path_outcome){.count = count};
    if (first) {
        out->len = first->len;
        out->digits = first->digits;
    }
    for (uint32_t i = 0; i < count; i++)
        out->set += th__hash_mix(values[i], 1) | 1;
    if (!choice->labelled[page])
        return true;
    out->hits = th__arena_zero(choice->arena, words_of(truth) + 1, sizeof *out->hits);
    if (!out->hits)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = truth->count ? th__key_map_get(&truth->numbers, values[i]) : 0;
        if (number)
            out->hits[(number - 1) / 64] |= UINT64_C(1) << (number - 1) % 64;
        else
            out->wrong++;
    }
    return true;
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* What the rules chosen so far find. */
struct cover {
    uint64_t **hits; /* by page */
    uint32_t *wrong, *count;
    uint32_t labelled, unlabelled; /* pages */
};

static uint32_t count_bits(const uint64_t *words, const uint64_t *more, uint32_t count)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i++)
        bits += (uint32_t)__builtin_popcountll(words[i] | (more ? more[i] : 0));
    return bits;
}

/* How near two sets of values are: 1 when they are the same, 0 when they have nothing in common. Of
 * a list that is labelled in part, further values say little against a rule. */
static double likeness(uint32_t right, uint32_t wrong, uint32_t wanted, bool part)
{
    double others = part && wanted ? 0.02 * wrong : wrong;
    return wanted + others > 0 ? right / (wanted + others) : 1.0;
}

/* The fit when a candidate is added to what is chosen. */
static double fit_with(const th__path_choice *choice, const struct cover *cover,
                       const th__path_candidate *candidate, bool otherwise)
{
    double sum = 0;
    for (uint32_t p = 0; p < choice->page_count; p++) {
        if (!choice->labelled[p])
            continue;
        const th__path_truth *truth = &choice->truth[p];
        const th__path_outcome *o =
            !candidate || (otherwise && cover->count[p]) ? NULL : &candidate->outcomes[p];
        uint32_t right = count_bits(cover->hits[p], o ? o->hits : NULL, words_of(truth));
        sum += likeness(right, cover->wrong[p] + (o ? o->wrong : 0), truth->count,
                        choice->list && choice->sample[p]);
    }
    return cover->labelled ? sum / cover->labelled : 0;
}

static void add_to_cover(const th__path_choice *choice, struct cover *cover,
                         const th__path_candidate *candidate, bool otherwise)
{
    for (uint32_t p = 0; p < choice->page_count; p++) {
        const th__path_outcome *o = &candidate->outcomes[p];
        if (otherwise && cover->count[p])
            continue;
        for (uint32_t i = 0; choice->labelled[p] && i < words_of(&choice->truth[p]); i++)
            cover->hits[p][i] |= o->hits[i];
        cover->wrong[p] += o->wrong;
        cover->count[p] += o->count;
    }
}

static bool cover_init(const th__path_choice *choice, struct cover *cover)
{
    uint32_t pages = choice->page_count;
    *cover = (struct cover){0};
    cover->hits = th__arena_zero(choice->arena, pages + 1, sizeof *cover->hits);
    cover->wrong = th__arena_zero(choice->arena, pages + 1, sizeof *cover->wrong);
    cover->count = th__arena_zero(choice->arena, pages + 1, sizeof *cover->count);
    if (!cover->hits || !cover->wrong || !cover->count)
        return false;
    for (uint32_t p = 0; p < pages; p++) {
        cover->labelled += choice->labelled[p];
        cover->unlabelled += choice->used[p] && !choice->labelled[p];
        cover->hits[p] =
            th__arena_zero(choice->arena, words_of(&choice->truth[p]) + 1, sizeof **cover->hits);
        if (!cover->hits[p])
            return false;
    }
    return true;
}

/* Whether a value looks like those that are labelled. */
static bool has_shape(const th__path_choice *choice, const th__path_outcome *o)
{
    if (!o->len)
        return true; /* a part of a text: not looked at */
    bool digits = o->digits > 0;
    return (digits ? choice->digits : choice->no_digits) && 3 * o->len >= choice->shortest &&
           o->len <= 3 * choice->longest;
}

/* By set of values, on one page: the weight of the rules that find it. */
struct vote {
    uint64_t set;
    double weight;
};

static double weight_of(const th__path_candidate *candidate)
{
    return candidate->prior > 0.1 ? candidate->prior : 0.1;
}

static int by_set(const void *a, const void *b)
{
    const struct vote *left = a, *right = b;
    return left->set < right->set ? -1 : left->set > right->set;
}

/* On a page without labels, each rule that fits as well as the best votes for what it finds. A set
 * that nobody else finds has the weight of its own rule. */
static bool vote_on_page(th__path_choice *choice, uint32_t page, double least)
{
    size_t count = choice->candidates.len, voters = 0, kept = 0;
    struct vote *votes = th__mem_alloc((count + 1) * sizeof *votes);
    double total = 0;
    if (!votes)
        return false;
    for (size_t i = 0; i < count; i++) {
        const th__path_candidate *c = &choice->candidates.data[i];
        if (c->fit < least)
            continue;
        votes[voters++] = (struct vote){c->outcomes[page].set, weight_of(c)};
        total += weight_of(c);
    }
    if (voters)
        qsort(votes, voters, sizeof *votes, by_set);
    for (size_t i = 0; i < voters; i++) {
        if (kept && votes[kept - 1].set == votes[i].set)
            votes[kept - 1].weight += votes[i].weight;
        else
            votes[kept++] = votes[i];
    }
    for (size_t i = 0; i < count; i++) {
        th__path_candidate *c = &choice->candidates.data[i];
        struct vote key = {c->outcomes[page].set, 0};
        const struct vote *found = kept ? bsearch(&key, votes, kept, sizeof *votes, by_set) : NULL;
        /* Nothing is what all wrong rules find. */
        double share = found ? found->weight / total : 0;
        c->agreement += key.set ? share : share / 2;
    }
    th__mem_free(votes);
    return true;
}

static void weigh(const th__path_choice *choice, const struct cover *cover, th__path_candidate *c)
{
    uint32_t filled = 0, shaped = 0, excess = 0, most = 1, expected = 0, same = 0;
    for (uint32_t p = 0; p < choice->page_count; p++)
        if (choice->labelled[p]) {
            most = choice->truth[p].count > most ? choice->truth[p].count : most;
            expected += choice->truth[p].count > 0;
        }
    for (uint32_t p = 0; p < choice->page_count; p++) {
        const th__path_outcome *o = &c->outcomes[p];
        if (choice->labelled[p] || !choice->used[p] || !o->count)
            continue;
        filled++;
        shaped += has_shape(choice, o);
        excess += o->count > 2 * most;
        same += o->set == c->outcomes[c->page].set;
    }
    double pages = cover->unlabelled ? cover->unlabelled : 1;
    c->score = c->prior;
    if (!cover->unlabelled)
        return;
    double share = cover->labelled ? (double)expected / cover->labelled : 1;
    double fill = filled / pages;
    c->score += WORTH_FILL * (share > 0 && fill < share ? fill / share : 1);
    c->score += WORTH_SHAPE * (filled ? (double)shaped / filled : 0);
    c->score -= COST_EXCESS * excess / pages;
    /* What is the same on all pages is the template's. */
    c->score -= filled >= 3 && same == filled ? COST_CONSTANT : 0;
    c->score += WORTH_AGREEMENT * c->agreement / pages;
}

static bool weigh_all(th__path_choice *choice, const struct cover *cover)
{
    double best = 0;
    for (size_t i = 0; i < choice->candidates.len; i++) {
        th__path_candidate *c = &choice->candidates.data[i];
        c->fit = fit_with(choice, cover, c, false);
        c->agreement = 0;
        best = c->fit > best ? c->fit : best;
    }
    for (uint32_t p = 0; p < choice->page_count; p++)
        if (choice->used[p] && !choice->labelled[p] && !vote_on_page(choice, p, best - 1e-9))
            return false;
    for (size_t i = 0; i < choice->candidates.len; i++)
        weigh(choice, cover, &choice->candidates.data[i]);
    return true;
}

/* The candidate that adds most to what is chosen; false when none adds anything. */
static bool next_best(const th__path_choice *choice, const struct cover *cover, bool first,
                      uint32_t *out, bool *otherwise)
{
    double now = first ? 0 : fit_with(choice, cover, NULL, false), best = 0;
    bool found = false;
    for (size_t i = 0; i < choice->candidates.len; i++) {
        const th__path_candidate *c = &choice->candidates.data[i];
        for (int mode = 0; mode < 2; mode++) {
            bool instead = mode == 1;
            if ((first && instead) || (!first && !instead && !choice->list))
                continue;
            double gain = (first ? c->fit : fit_with(choice, cover, c, instead)) - now;
            double score = WORTH_FIT * gain + c->score + (instead ? 0.5 : 0);
            if (gain <= 1e-9 || (found && score <= best))
                continue;
            best = score;
            found = true;
            *out = (uint32_t)i;
            *otherwise = instead;
        }
    }
    return found;
}

/* A rule that says the same wherever both say something, and speaks on pages without labels where
 * those chosen are silent. */
static bool find_stand_in(const th__path_choice *choice, const struct cover *cover,
                          const th__path_candidate *first, uint32_t *out)
{
    double best = 0;
    for (size_t i = 0; i < choice->candidates.len; i++) {
        const th__path_candidate *c = &choice->candidates.data[i];
        uint32_t same = 0, other = 0, more = 0;
        if (c->fit < first->fit - 1e-9 || !c->trusted)
            continue;
        for (uint32_t p = 0; p < choice->page_count; p++) {
            if (!choice->used[p] || !c->outcomes[p].count)
                continue;
            if (!cover->count[p])
                has_shape(choice, &c->outcomes[p]) ? more++ : other++;
            else if (c->outcomes[p].set == first->outcomes[p].set)
                same++;
            else
                other++;
        }
        double score = c->score + more;
        if (other || !more || same < 2 || score <= best)
            continue;
        best = score;
        *out = (uint32_t)i;
    }
    return best > 0;
}

static void measure(const th__path_choice *choice, const struct cover *cover,
                    const th__path_candidate *first, th__path_fit *fit)
{
    *fit = (th__path_fit){.wrong_page = TH__NO_UNIT, .agreement = 1};
    for (uint32_t p = 0; p < choice->page_count; p++) {
        if (!choice->labelled[p])
            continue;
        const th__path_truth *truth = &choice->truth[p];
        bool part = choice->list && choice->sample[p] && truth->count;
        bool right = (part || !cover->wrong[p]) &&
                     count_bits(cover->hits[p], NULL, words_of(truth)) == truth->count;
        fit->pages++;
        fit->right += right;
        if (!right && fit->wrong_page == TH__NO_UNIT)
            fit->wrong_page = p;
    }
    if (first && cover->unlabelled)
        fit->agreement = first->agreement / cover->unlabelled;
}

bool th__path_choose(th__path_choice *choice, uint32_t *chosen, bool *otherwise, uint32_t most,
                     uint32_t *count, th__path_fit *fit)
{
    struct cover cover;
    uint32_t stand_ins = 0;
    *count = 0;
    if (!cover_init(choice, &cover) || !weigh_all(choice, &cover))
        return false;
    while (*count < most &&
           next_best(choice, &cover, *count == 0, &chosen[*count], &otherwise[*count])) {
        add_to_cover(choice, &cover, &choice->candidates.data[chosen[*count]], otherwise[*count]);
        ++*count;
    }
    const th__path_candidate *first = *count ? &choice->candidates.data[chosen[0]] : NULL;
    while (*count == 1 + stand_ins && *count < most && stand_ins < 2 &&
           find_stand_in(choice, &cover, first, &chosen[*count])) {
        otherwise[*count] = true;
        add_to_cover(choice, &cover, &choice->candidates.data[chosen[*count]], true);
        ++*count;
        stand_ins++;
    }
    measure(choice, &cover, first, fit);
    return true;
}
