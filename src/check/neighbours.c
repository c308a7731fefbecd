/* neighbours.c: the texts around values. */
#include "check/neighbours.h"

#include <math.h>

#include "check/words.h"
#include "index/view.h"
#include "page/page.h"
#include "page/text.h"

/* The weight of a neighbour at another distance than before, per text of difference. */
#define SHIFTED 0.5
/* The weight of one further away, or on the other side: the value has moved a little. */
#define NEARBY 0.25
/* New layouts move everything a little: this part of the page plus two deviations is near. */
#define LEAST_SHIFT 0.1

enum {
    TEXT_BYTES = 96, /* longer texts are prose: they count for distances, but are not neighbours */
    FAR = 2          /* texts by which a neighbour may have moved */
};

/* ---- finding --------------------------------------------------------------------------------- */

bool th__flow_make(th__arena *arena, const th_page *page, th__flow *out)
{
    *out = (th__flow){.page = page};
    out->before = th__arena_zero(arena, (size_t)page->token_count + 2, sizeof *out->before);
    out->token = th__arena_zero(arena, (size_t)page->token_count + 1, sizeof *out->token);
    out->hash = th__arena_zero(arena, (size_t)page->token_count + 1, sizeof *out->hash);
    if (!out->before || !out->token || !out->hash)
        return false;
    for (uint32_t t = 0; t < page->token_count; t++) {
        const th_token *token = &page->tokens[t];
        bool text = token->kind == TH_TOKEN_TEXT && !(token->flags & TH_TOKEN_BLANK);
        uint64_t hash = text ? th__leaf_hash(th__token_text(page, t)) : 0;
        out->before[t] = out->count;
        out->token[out->count] = t;
        out->hash[out->count] = hash;
        out->count += hash != 0;
    }
    out->before[page->token_count] = out->before[page->token_count + 1] = out->count;
    return true;
}

/* A text, and the part of it that is in the page. */
typedef struct near_text {
    uint64_t hash;
    th_str text;
} near_text;

typedef struct near_texts {
    near_text data[TH__ENDS][TH__NEIGHBOURS_REACH];
    uint32_t count[TH__ENDS];
    uint32_t node; /* the element that contains only the value; 0: none */
    double position;
} near_texts;

static void add_text(near_texts *out, int side, uint64_t hash, th_str text)
{
    if (hash && out->count[side] < TH__NEIGHBOURS_REACH)
        out->data[side][out->count[side]++] = (near_text){hash, text};
}

static void find_texts(const th__flow *flow, th_span span, near_texts *out)
{
    const th_page *page = flow->page;
    uint32_t first = th__token_at(page, span.start);
    uint32_t last = th__token_at(page, span.end > span.start ? span.end - 1 : span.start);
    out->count[TH__START] = out->count[TH__END] = 0;
    /* The rest of the texts in which the value begins and ends. */
    if (page->tokens[first].kind == TH_TOKEN_TEXT) {
        th_str rest = th__page_slice(page, page->tokens[first].start, span.start);
        add_text(out, TH__START, th__leaf_hash(rest), rest);
    }
    if (page->tokens[last].kind == TH_TOKEN_TEXT && span.end < page->tokens[last + 1].start) {
        th_str rest = th__page_slice(page, span.end, page->tokens[last + 1].start);
        add_text(out, TH__END, th__leaf_hash(rest), rest);
    }
    /* An element with as many texts as the value, and no rest of one, contains only the value. */
    uint32_t node = th__page_node_around(page, first, last);
    bool own = node && !out->count[TH__START] && !out->count[TH__END] &&
               flow->before[page->nodes[node].token_end] - flow->before[page->nodes[node].token] ==
                   flow->before[last + 1] - flow->before[first];
    out->node = own ? node : 0;
    /* A picture may come after all texts. */
    out->position = flow->count ? fmin(1, (flow->before[first] + 0.5) / flow->count) : 0;
    for (uint32_t i = flow->before[first]; i && out->count[TH__START] < TH__NEIGHBOURS_REACH; i--)
        add_text(out, TH__START, flow->hash[i - 1], th__token_text(page, flow->token[i - 1]));
    for (uint32_t i = flow->before[last + 1];
         i < flow->count && out->count[TH__END] < TH__NEIGHBOURS_REACH; i++)
        add_text(out, TH__END, flow->hash[i], th__token_text(page, flow->token[i]));
}

/* A text with single blanks, in an arena; absent if out of memory. */
static th_str squeeze(th__arena *arena, th_str text)
{
    char *out = th__arena_alloc(arena, text.len + 1);
    size_t len = 0;
    text = th__str_trim(text);
    for (size_t i = 0; out && i < text.len; i++) {
        bool blank = th__is_blank((unsigned char)text.ptr[i]);
        if (!blank || !th__is_blank((unsigned char)text.ptr[i - 1]))
            out[len++] = blank ? ' ' : text.ptr[i];
    }
    return out ? (th_str){out, len} : (th_str){0};
}

/* Keeps a text, once. False if out of memory. */
static bool keep_text(th__tally *tally, const near_text *own)
{
    uint32_t known = tally->near_texts.count;
    if (own->text.len > TEXT_BYTES)
        return true;
    uint32_t number = th__key_map_number(&tally->near_texts, own->hash);
    if (!number || number <= known)
        return number != 0;
    th_str kept = squeeze(&tally->arena, own->text);
    return kept.ptr && th__vec_push(&tally->near, kept);
}

/* Keeps the step of an element, once. False if out of memory. */
static bool keep_element(th__tally *tally, const th_page *page, uint32_t node, uint64_t hash)
{
    uint32_t known = tally->near_texts.count;
    uint32_t number = th__key_map_number(&tally->near_texts, hash);
    if (!number || number <= known)
        return number != 0;
    th__buf step = {0};
    th__class_step_write(page, node, &step);
    th_str kept = step.failed ? (th_str){0} : th__arena_copy(&tally->arena, th__buf_str(&step));
    th__buf_release(&step);
    return kept.ptr && th__vec_push(&tally->near, kept);
}

bool th__around_find(const th__flow *flow, th_span span, th__tally *keeper, th__around *out)
{
    near_texts texts;
    bool ok = true;
    *out = (th__around){0};
    find_texts(flow, span, &texts);
    out->position = texts.position;
    if (texts.node)
        out->element = th__node_hash(flow->page, texts.node);
    if (texts.node && keeper)
        ok = keep_element(keeper, flow->page, texts.node, out->element);
    for (int side = 0; side < TH__ENDS; side++)
        for (uint32_t i = 0; ok && i < texts.count[side]; i++) {
            out->hash[side][i] = texts.data[side][i].hash;
            ok = !keeper || keep_text(keeper, &texts.data[side][i]);
        }
    return ok;
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* How much of a neighbour is around a value: 1 where it was. */
static double find_neighbour(const th__neighbour *own, int side, const th__around *around)
{
    double best = 0;
    for (int s = 0; s < TH__ENDS; s++)
        for (uint32_t i = 0; i < TH__NEIGHBOURS_REACH && around->hash[s][i]; i++) {
            uint32_t shift = i + 1 > own->at ? i + 1 - own->at : own->at - i - 1;
            if (around->hash[s][i] == own->hash)
                best = fmax(best, s == side && shift <= FAR ? pow(SHIFTED, shift) : NEARBY);
        }
    return best;
}

double th__neighbours_share(const th__field_profile *field, const th__around *around,
                            const bool (*counts)[TH__NEIGHBOURS_MAX])
{
    double all = 0, there = 0;
    for (int side = 0; side < TH__ENDS; side++)
        for (uint32_t i = 0; i < field->around[side].count; i++) {
            const th__neighbour *own = &field->around[side].data[i];
            double weight = (double)own->count / own->at;
            if (counts && !counts[side][i])
                continue;
            all += weight;
            there += weight * find_neighbour(own, side, around);
        }
    return all > 0 ? there / all : -1;
}

double th__position_likeness(const th__field_profile *field, const th__around *around)
{
    double usual = LEAST_SHIFT + 2 * field->position_sd;
    if (field->position <= 0)
        return 1;
    return fmin(1, exp((usual - fabs(around->position - field->position)) / usual));
}

/* ---- next to values -------------------------------------------------------------------------- */

double th__neighbours_next(const th__field_profile *field, int side)
{
    const th__neighbours *near = &field->around[side];
    uint64_t count = 0;
    for (uint32_t i = 0; i < near->count && near->data[i].at == 1; i++)
        count += near->data[i].count;
    return field->sampled ? fmin(1, (double)count / (double)field->sampled) : 0;
}

/* The hash of the text before or after a span; 0 if there is none. */
static uint64_t next_text(const th_page *page, th_span span, int side)
{
    uint32_t at =
        th__token_at(page, side == TH__START || span.end <= span.start ? span.start : span.end - 1);
    th_str rest = side == TH__START ? th__page_slice(page, page->tokens[at].start, span.start)
                                    : th__page_slice(page, span.end, page->tokens[at + 1].start);
    bool inside = page->tokens[at].kind == TH_TOKEN_TEXT;
    uint64_t hash = inside ? th__leaf_hash(rest) : 0;
    while (!hash) {
        if (side == TH__START ? !at : at + 1 >= page->token_count)
            return 0;
        at = side == TH__START ? at - 1 : at + 1;
        if (page->tokens[at].kind == TH_TOKEN_TEXT && !(page->tokens[at].flags & TH_TOKEN_BLANK))
            hash = th__leaf_hash(th__token_text(page, at));
    }
    return hash;
}

bool th__is_placed(const th__field_profile *field, const th_page *page, th_span span)
{
    bool some = false;
    for (int side = 0; side < TH__ENDS; side++) {
        if (th__neighbours_next(field, side) < TH__PLACED)
            continue;
        if (th__is_next(field, side, next_text(page, span, side)))
            return true;
        some = true;
    }
    return !some;
}
