/*
 * softmealy_choose.c: how much of a row makes a rule.
 *
 * A rule is a row cut to `l` tokens on the left and `r` on the right. On labelled pages each (l, r)
 * is judged by where it fires: a wrong place, before the right one, rules it out. Those left vote
 * on the unlabelled pages, by where they fire first: the (l, r) that agrees with the others most
 * often is taken, and of several the shortest.
 *
 * Cost: for each row that is judged one walk along the tokens that equal its innermost item, for
 * all (l, r). How many rows are judged does not grow with the page: see add_instance.
 */
#include "engine/papers/softmealy/softmealy_finder.h"

#include "base/cancel.h"
#include "page/lex.h"

/* ---- tokens by what they are ----------------------------------------------------------------- */

enum { BUCKETS = 4096 };

static uint32_t token_bucket(const th_page *page, const th__sm_token *token)
{
    if (token->tag)
        return (token->tag * 2u + (token->cls == TH_CLASS_TAG_END)) % BUCKETS;
    return (uint32_t)(th__hash(page->text.ptr + token->start, token->end - token->start) % BUCKETS);
}

static uint32_t item_bucket(const th__sm_item *item)
{
    if (item->tag)
        return (item->tag * 2u + (item->cls == TH_CLASS_TAG_END)) % BUCKETS;
    return (uint32_t)(th__hash(item->text.ptr, item->text.len) % BUCKETS);
}

static bool index_page(struct finder *f, uint32_t number)
{
    const th__sm_page *page = &f->samples->pages[number];
    uint32_t len = (uint32_t)page->tokens.len;
    uint32_t *places = th__arena_alloc(&f->samples->scratch, (len + (size_t)1) * sizeof *places);
    uint32_t *first = th__arena_zero(&f->samples->scratch, BUCKETS + 2, sizeof *first);
    if (!places || !first)
        return false;
    for (uint32_t i = 0; i < len; i++)
        first[token_bucket(page->page, &page->tokens.data[i]) + 1]++;
    for (uint32_t b = 0; b < BUCKETS; b++)
        first[b + 1] += first[b];
    for (uint32_t i = len; i-- > 0;) /* from the ends of the buckets, which become their begins */
        places[--first[token_bucket(page->page, &page->tokens.data[i]) + 1]] = i;
    first[BUCKETS + 1] = len;
    f->places[number] = places;
    f->first[number] = first + 1;
    return true;
}

bool th__sm_finder_index(struct finder *f)
{
    th__sm_samples *s = f->samples;
    f->places = th__arena_zero(&s->scratch, s->page_count + 1, sizeof *f->places);
    f->first = th__arena_zero(&s->scratch, s->page_count + 1, sizeof *f->first);
    if (!f->places || !f->first)
        return false;
    for (uint32_t p = 0; p < s->page_count; p++)
        if (!index_page(f, p))
            return false;
    return true;
}

/* ---- where rows fire ------------------------------------------------------------------------- */

static uint32_t fit_left(const struct row *row, const th__sm_page *page, uint32_t at)
{
    uint32_t n = 0;
    while (n < row->left_count && n < at &&
           th__sm_item_matches(&row->left[n], page->page, &page->tokens.data[at - 1 - n]))
        n++;
    return n;
}

static uint32_t fit_right(const struct row *row, const th__sm_page *page, uint32_t at)
{
    uint32_t n = 0;
    while (n < row->right_count && at + n < page->tokens.len &&
           th__sm_item_matches(&row->right[n], page->page, &page->tokens.data[at + n]))
        n++;
    return n;
}

/* Keeps a place, unless the innermost item outside of the value does not fit there. */
static bool push_fire(struct finder *f, const struct row *row, const th__sm_page *page, uint32_t at)
{
    struct fire fire = {at, (uint8_t)fit_left(row, page, at), (uint8_t)fit_right(row, page, at)};
    return (f->start ? fire.left : fire.right) == 0 || th__vec_push(&f->found, fire);
}

/* The first of sorted places that is not before `least`. */
static uint32_t lower_bound(const uint32_t *places, uint32_t low, uint32_t high, uint32_t least)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (places[middle] < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* All places from `low` to `high` where the innermost item outside of the value fits. */
static bool find_fires(struct finder *f, const struct row *row, uint32_t number, uint32_t low,
                       uint32_t high)
{
    const th__sm_page *page = &f->samples->pages[number];
    uint32_t count = f->start ? row->left_count : row->right_count;
    const th__sm_item *anchor = f->start ? &row->left[0] : &row->right[0];
    f->found.len = 0;
    if (!count)
        return true;
    if (!anchor->ground) {
        for (uint32_t at = low; at <= high && at <= page->tokens.len; at++)
            if (!push_fire(f, row, page, at))
                return false;
        return true;
    }
    const uint32_t *first = &f->first[number][item_bucket(anchor)], *places = f->places[number];
    uint32_t before = f->start; /* tokens from the anchor to the place */
    for (uint32_t i = lower_bound(places, first[0], first[1], low < before ? 0 : low - before);
         i < first[1] && places[i] + before <= high; i++)
        if (!push_fire(f, row, page, places[i] + before))
            return false;
    return true;
}

/* ---- judging --------------------------------------------------------------------------------- */

/* wrong[l][r]: a rule of that size fires where it must not. */
struct judgement {
    bool wrong[OUTER + 1][OUTER + 1];
};

static uint32_t strength(uint32_t ground, uint32_t length)
{
    return ground * 2 * TH__SM_MAX_CONTEXT + length;
}

uint32_t th__sm_row_strength(const struct row *row, uint32_t l, uint32_t r)
{
    th__sm_context left = {row->left, l}, right = {row->right, r};
    return strength(th__sm_context_ground(&left) + th__sm_context_ground(&right), l + r);
}

uint32_t th__sm_group_strength(const th__sm_group *group)
{
    return strength(th__sm_context_ground(group->lefts) + th__sm_context_ground(group->rights),
                    group->lefts->count + group->rights->count);
}

/* `stronger` is that of a rule that is right there: sizes below it do not get their way. */
static void condemn(struct judgement *j, const struct row *row, const struct fire *fire,
                    uint32_t stronger)
{
    for (uint32_t l = 0; l <= fire->left; l++)
        for (uint32_t r = 0; r <= fire->right; r++)
            j->wrong[l][r] |= !stronger || th__sm_row_strength(row, l, r) >= stronger;
}

/* The first label of a tuple that does not end (`start`: begin) before a separator: the labels are
 * one behind the other. */
static uint32_t label_from(const th__sm_samples *s, const th__sm_tuple *tuple, uint32_t at,
                           bool start)
{
    uint32_t low = tuple->label, high = tuple->label + tuple->label_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const th__sm_label *label = &s->labels.data[middle];
        if ((start ? label->begin : label->end) < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether `at` lies inside a value of the tuple, where no start is looked for. */
static bool inside_value(const th__sm_samples *s, const th__sm_tuple *tuple, uint32_t at)
{
    uint32_t i = label_from(s, tuple, at + 1, false);
    return i < tuple->label + tuple->label_count && at > s->labels.data[i].begin;
}

/* Whether a value of the attribute begins at a separator. */
static bool is_own(const th__sm_samples *s, const th__sm_tuple *tuple, uint32_t attribute,
                   uint32_t at)
{
    uint32_t i = label_from(s, tuple, at, true);
    return i < tuple->label + tuple->label_count && s->labels.data[i].begin == at &&
           s->attributes.data[s->labels.data[i].attribute].same_as == attribute;
}

/* The strongest rule s<*,j> that fits where a labelled value of j begins, and looks into it: what
 * stands before a value tells nothing in another order. 0: none does. */
static uint32_t strongest(const struct finder *f, const th__sm_tuple *tuple, uint32_t at)
{
    const th__sm_page *page = &f->samples->pages[tuple->page];
    uint32_t best = 0;
    for (size_t e = 0; e < f->edges.len; e++) {
        const th__sm_edge *edge = &f->edges.data[e];
        if (edge->from != TH__SM_ANY || !f->told[th__sm_attribute_of(edge->to)] ||
            !is_own(f->samples, tuple, th__sm_attribute_of(edge->to), at))
            continue;
        for (uint32_t g = 0; g < edge->group_count; g++) {
            const th__sm_context *left = edge->groups[g].lefts, *right = edge->groups[g].rights;
            uint32_t own = th__sm_group_strength(&edge->groups[g]);
            if (own > best && th__sm_left_fits(left, page->page, &page->tokens, at) &&
                th__sm_right_fits(right, page->page, &page->tokens, at))
                best = own;
        }
    }
    return best;
}

/* A start: everywhere in the tuple outside of values, until the attribute is there; to the end when
 * it may come again, or is missing. */
static bool judge_start(struct finder *f, const struct row *row, const th__sm_tuple *tuple,
                        struct judgement *j)
{
    const th__sm_samples *s = f->samples;
    const th__sm_label *labels = s->labels.data + tuple->label;
    uint32_t low = s->one_record ? 0 : labels[0].begin;
    uint32_t high = s->one_record ? (uint32_t)s->pages[tuple->page].tokens.len
                                  : labels[tuple->label_count - 1].end;
    for (uint32_t i = 0; i < tuple->label_count; i++)
        if (s->attributes.data[labels[i].attribute].same_as == f->attribute &&
            !s->attributes.data[f->attribute].many) {
            high = labels[i].begin;
            break;
        }
    if (!find_fires(f, row, tuple->page, low, high))
        return false;
    for (size_t i = 0; i < f->found.len; i++) {
        const struct fire *fire = &f->found.data[i];
        if (!is_own(s, tuple, f->attribute, fire->at) && !inside_value(s, tuple, fire->at))
            condemn(j, row, fire, f->last ? strongest(f, tuple, fire->at) : 0);
    }
    return true;
}

/* An end: nowhere inside a value of the attribute, nor where it begins. */
static bool judge_end(struct finder *f, const struct row *row, const th__sm_tuple *tuple,
                      struct judgement *j)
{
    const th__sm_samples *s = f->samples;
    for (uint32_t i = 0; i < tuple->label_count; i++) {
        const th__sm_label *label = &s->labels.data[tuple->label + i];
        if (s->attributes.data[label->attribute].same_as != f->attribute)
            continue;
        for (uint32_t at = label->begin; at < label->end; at++) {
            const th__sm_page *page = &s->pages[tuple->page];
            struct fire fire = {at, (uint8_t)fit_left(row, page, at),
                                (uint8_t)fit_right(row, page, at)};
            condemn(j, row, &fire, 0);
        }
    }
    return true;
}

static bool judge(struct finder *f, const struct row *row, struct judgement *j)
{
    *j = (struct judgement){0};
    for (size_t i = 0; i < f->samples->tuples.len; i++)
        if (!(f->start ? judge_start : judge_end)(f, row, &f->samples->tuples.data[i], j))
            return false;
    return true;
}

/* ---- voting ---------------------------------------------------------------------------------- */

/* Where each size fires first on a page: at most that many places are told apart. */
enum { PLACES = 64 };

struct poll {
    uint32_t agree[OUTER + 1][OUTER + 1]; /* on how many pages with the most */
};

static bool vote(struct finder *f, const struct row *row, const struct judgement *j, uint32_t page,
                 struct poll *poll)
{
    uint32_t first[OUTER + 1][OUTER + 1], places[PLACES], votes[PLACES], count = 0, best = 0;
    if (!find_fires(f, row, page, 0, (uint32_t)f->samples->pages[page].tokens.len))
        return false;
    memset(first, 0xFF, sizeof first);
    for (size_t i = 0; i < f->found.len; i++)
        for (uint32_t l = 0; l <= f->found.data[i].left; l++)
            for (uint32_t r = 0; r <= f->found.data[i].right; r++)
                if (f->found.data[i].at < first[l][r])
                    first[l][r] = f->found.data[i].at;
    for (uint32_t l = 1; l <= row->left_count; l++)
        for (uint32_t r = 0; r <= row->right_count; r++) {
            if (j->wrong[l][r] || first[l][r] == UINT32_MAX)
                continue;
            uint32_t p = 0;
            while (p < count && places[p] != first[l][r])
                p++;
            if (p == PLACES)
                continue;
            if (p == count) {
                places[count] = first[l][r];
                votes[count++] = 0;
            }
            if (++votes[p] > votes[best])
                best = p;
        }
    for (uint32_t l = 1; count && l <= row->left_count; l++)
        for (uint32_t r = 0; r <= row->right_count; r++)
            poll->agree[l][r] += first[l][r] == places[best];
    return true;
}

/* Whether the nearest `l` tokens outside of a value hold one that tells the place: a word of the
 * template, or a tag with a class, an id or the like. */
static bool tells_place(const struct row *row, uint32_t l)
{
    for (uint32_t i = 0; i < l; i++) {
        const th__sm_item *item = &row->left[i];
        if (item->ground && (item->mark_count || th__class_is(item->cls, TH_CLASS_WORD)))
            return true;
    }
    return false;
}

bool th__sm_row_choose(struct finder *f, struct row *row)
{
    struct judgement j;
    struct poll poll = {0};
    uint32_t least = f->start ? 1 : 0;
    row->chosen = false;
    if (th__cancelled(f->samples->cancel) || !judge(f, row, &j))
        return false;
    for (uint32_t p = 0; f->start && f->samples->one_record && p < f->samples->page_count; p++)
        if (!f->samples->pages[p].labelled && !vote(f, row, &j, p, &poll))
            return false;
    uint32_t best_score = 0;
    for (uint32_t sum = 1; sum <= row->left_count + row->right_count; sum++)
        for (uint32_t r = 0; r <= sum && r <= row->right_count; r++) {
            uint32_t l = sum - r;
            if (l > row->left_count || l < least || (!f->start && !r) || j.wrong[l][r])
                continue;
            bool told = f->start && f->samples->one_record && tells_place(row, l);
            uint32_t score = 2 * poll.agree[l][r] + told;
            if (!row->chosen || score > best_score) {
                row->chosen = true;
                best_score = score;
                row->l = l;
                row->r = r;
            }
        }
    return true;
}
