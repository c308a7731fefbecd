/* stalker_symbols.c: the tokens that landmarks may be made of, and where they stand. */
#include "base/cancel.h"
#include "engine/papers/stalker/stalker_inducer.h"
#include "page/page.h"
#include "page/text.h"
#include "index/view.h"

enum {
    WINDOW = 160 /* tokens before the seed's item that landmarks are made of: nearer ones are part
                    of the item's surroundings, farther ones of other items' */
};

void th__inducer_find_wilds(struct inducer *in)
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
void th__inducer_gather(struct inducer *in, uint32_t open)
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
        if (!token->sym || (open < 2 && !tag && th__class_is(token->cls, TH_CLASS_WORD) &&
                            is_content(in, seed, at)))
            continue;
        add_symbol(in, at, token->sym, tag ? TH__MARK_TAG : TH__MARK_TEXT);
        if (token->step && in->task->classes)
            add_symbol(in, at, token->step, TH__MARK_STEP);
    }
}

uint32_t th__inducer_symbols_of(const struct inducer *in, const th__stalker_token *token,
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

/* Where every symbol stands in an example: counted first, then laid side by side. */
static bool find_places(struct inducer *in, uint32_t e)
{
    const th__stalker_example *example = &in->task->examples[e];
    uint32_t len = length_of(example), total = 0, ids[TOKEN_SYMBOLS];
    uint32_t *counts = th__arena_zero(&in->scratch, in->symbol_count + 1, sizeof *counts);
    if (!counts)
        return false;
    for (uint32_t at = 0; at < len; at++) {
        uint32_t count = th__inducer_symbols_of(in, token_of(in, example, at), ids);
        for (uint32_t i = 0; i < count; i++)
            counts[ids[i]]++;
        total += count;
    }
    uint32_t *all = th__arena_alloc(&in->scratch, (total + 1) * sizeof *all);
    if (!all)
        return false;
    for (uint32_t id = 1, next = 0; id < in->symbol_count; id++) {
        in->places[id][e] = (struct places){all + next, 0};
        next += counts[id];
    }
    for (uint32_t at = 0; at < len; at++) {
        uint32_t count = th__inducer_symbols_of(in, token_of(in, example, at), ids);
        for (uint32_t i = 0; i < count; i++) {
            struct places *places = &in->places[ids[i]][e];
            all[places->at - all + places->count++] = at;
        }
    }
    return true;
}

bool th__inducer_index(struct inducer *in)
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
