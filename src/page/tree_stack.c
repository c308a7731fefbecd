/* tree_stack.c: what seldom happens to the stack of open elements: its limit, and the adoption
 * agency. */
#include "page/tree_stack.h"

#include "base/mem.h"

/* Its end tag is counted in advance. */
void th__tree_count_overflow(th__tree *t, uint16_t tag)
{
    if (!t->overflow && !(t->overflow = th__mem_zero(TAG_IDS, sizeof *t->overflow))) {
        t->failed = true;
        return;
    }
    /* The count of all stands at TH_TAG_NONE. */
    struct overflow *all = &t->overflow[TH_TAG_NONE], *over = &t->overflow[tag];
    if (all->epoch != t->epoch)
        *all = (struct overflow){t->epoch, 0};
    if (over->epoch != t->epoch)
        *over = (struct overflow){t->epoch, 0};
    t->page->flattened += all->count > 0;
    all->count++;
    over->count++;
}

bool th__tree_ends_overflow(th__tree *t, uint16_t tag)
{
    if (!t->overflow)
        return false;
    struct overflow *over = &t->overflow[tag];
    if (over->epoch != t->epoch || over->count == 0)
        return false;
    over->count--;
    t->overflow[TH_TAG_NONE].count--;
    return true;
}

/*
 * The standard's adoption agency, without copies. Above the formatting element `entry` stands a
 * special one (else a plain pop does): it and what it holds leave the formatting element, which
 * ends where the special one begins.
 *
 *     <b>1<p>2</b>3   b holds 1; p, now beside b, holds 2 and 3
 */
void th__tree_adopt(th__tree *t, uint32_t entry)
{
    uint32_t below = t->stack[entry].before[SPECIAL];
    uint32_t block = t->stack[below].next_special;
    if (block == 0) {
        pop_to(t, entry, t->page->tokens[t->token].kind == TH_TOKEN_END);
        return;
    }
    th_node *nodes = t->page->nodes;
    uint32_t block_node = t->stack[block].node;
    nodes[block_node].parent = nodes[t->stack[entry].node].parent;
    uint32_t first_closed = t->stack[block].closed_below;
    if (entry < first_closed)
        t->stack[block].closed_below = entry;
    for (uint32_t i = first_closed - 1; i >= entry; i--) {
        struct entry *e = &t->stack[i];
        if (!e->closed)
            set_end(t, e, block_node, nodes[block_node].token);
        e->closed = true;
        if (!e->unlinked)
            unlink_entry(t, i);
    }
}
