/* mdr_judge.c: see mdr_judge.h. */
#include "engine/papers/mdr/mdr_judge.h"

#include "page/tags.h"
#include "page/text.h"

/* Whether a cell is what a data table is made of: at most one text run, no block inside. */
static bool is_plain_cell(const th_page *page, uint32_t node)
{
    const th_node *cell = &page->nodes[node];
    unsigned runs = 0;
    for (uint32_t t = cell->token + 1; t < cell->token_end;) {
        const th_token *token = &page->tokens[t];
        if (token->kind == TH_TOKEN_START && th__tag_flags(token->tag) & TH_TAG_IS_BLOCK)
            return false;
        if (token->kind == TH_TOKEN_TEXT && !(token->flags & TH_TOKEN_BLANK) && ++runs > 1)
            return false;
        t = token->kind == TH_TOKEN_START ? th__hidden_end(page, t) : t + 1;
    }
    return true;
}

static bool is_table_row(const th__mdr_tree *tree, uint32_t node)
{
    for (uint32_t child = node + 1; child < tree->end[node]; child = tree->end[child])
        if (!is_plain_cell(tree->page, tree->node[child]))
            return false;
    return true;
}

/* Whether text stands in a node itself, outside its children: cutting would lose it. */
static bool has_own_text(const th_page *page, uint32_t node)
{
    uint32_t child = node + 1, end = page->nodes[node].end;
    for (uint32_t t = page->nodes[node].token + 1; t < page->nodes[node].token_end;) {
        if (child < end && t == page->nodes[child].token) {
            t = page->nodes[child].token_end;
            child = page->nodes[child].end;
            continue;
        }
        if (page->tokens[t].kind == TH_TOKEN_TEXT && !(page->tokens[t].flags & TH_TOKEN_BLANK))
            return true;
        t++;
    }
    return false;
}

th__mdr_cut th__mdr_judge(th__mdr_compare *compare, uint32_t first, uint32_t size, bool *plain)
{
    const th__mdr_tree *tree = compare->tree;
    uint32_t kids = tree->kids[first];
    *plain = true;
    for (uint32_t i = 0, node = first; i < size; i++, node = tree->end[node])
        if (tree->kids[node] != kids || !th__mdr_children_similar(compare, node)) {
            *plain = false;
            return TH__MDR_WHOLE;
        }
    bool test = size == 1 || compare->options->table_in_n;
    for (uint32_t i = 0, node = first; i < size && *plain; i++, node = tree->end[node])
        *plain = is_table_row(tree, node);
    if (*plain && test)
        return TH__MDR_WHOLE;
    for (uint32_t i = 0, node = first; i < size && compare->options->own_text; i++) {
        if (has_own_text(tree->page, tree->node[node]))
            return TH__MDR_WHOLE;
        node = tree->end[node];
    }
    return size == 1 ? TH__MDR_CHILDREN : TH__MDR_COLUMNS;
}
