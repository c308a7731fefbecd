/* mdr_rank.c: which region comes first. */
#include "engine/papers/mdr/mdr_rank.h"

#include <math.h>
#include <stdlib.h>

#include "page/tags.h"
#include "page/text.h"

static bool says_something(const th_page *page, uint32_t t)
{
    th_str text = th__token_text(page, t);
    if (page->tokens[t].flags & TH_TOKEN_BLANK)
        return false;
    if (t && page->tokens[t - 1].kind == TH_TOKEN_START &&
        th__tag_flags(page->tokens[t - 1].tag) & TH_TAG_IS_BLOCK &&
        page->tokens[t + 1].kind == TH_TOKEN_END &&
        page->tokens[t + 1].tag == page->tokens[t - 1].tag)
        return true;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c >= 0x80 || th__is_alpha(c) || th__is_digit(c))
            return true;
    }
    return false;
}

void th__mdr_each_text(const th_page *page, const th__mdr_record *record,
                       void (*visit)(void *context, th_str text), void *context)
{
    for (uint32_t i = 0; i < record->range_count; i++) {
        th__mdr_range tokens = th__mdr_range_tokens(page, record->ranges[i]);
        for (uint32_t t = tokens.first; t < tokens.end;) {
            const th_token *token = &page->tokens[t];
            if (token->kind == TH_TOKEN_TEXT && says_something(page, t))
                visit(context, th__token_text(page, t));
            t = token->kind == TH_TOKEN_START ? th__hidden_end(page, t) : t + 1;
        }
    }
}

static void count_text(void *context, th_str text)
{
    *(size_t *)context += th__str_trim(text).len;
}

static int by_score(const void *a, const void *b)
{
    const th__mdr_ranked *left = a, *right = b;
    if (left->score != right->score)
        return left->score > right->score ? -1 : 1;
    return left->region < right->region ? -1 : left->region > right->region;
}

const th__mdr_ranked *th__mdr_rank(const th_page *page, th__mdr_result *result)
{
    size_t count = result->region_count;
    th__mdr_ranked *ranked = th__arena_alloc(&result->arena, (count + 1) * sizeof *ranked);
    if (!ranked)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        const th__mdr_region *region = &result->regions[i];
        size_t text = 0;
        for (uint32_t r = 0; r < region->record_count; r++)
            th__mdr_each_text(page, &region->records[r], count_text, &text);
        ranked[i] = (th__mdr_ranked){i, (double)text * log(1 + region->record_count)};
    }
    qsort(ranked, count, sizeof *ranked, by_score);
    return ranked;
}
