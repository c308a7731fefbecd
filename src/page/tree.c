/*
 * tree.c: coarse tokens become a light tree.
 *
 * The tree follows the standard's tree construction (section 13.2.6) as far as it can without
 * inventing or moving elements: implied end tags, scopes, the adoption agency with formatting
 * elements closed instead of cloned. What the standard would invent (html, head, tbody, copies of
 * formatting elements) is not there; what it would move out of a table stays where it is.
 *
 * First comes the stack of open elements, then the standard's decisions: what a start tag closes,
 * what an end tag ends; then the paths of the finished tree. The stack answers every question of
 * the standard in constant time:
 *
 *     open_at[tag]   the newest open element of that tag; each entry knows the one before (`same`)
 *     newest[class]  the newest open element of a barrier class; each entry keeps the values from
 *                    before it was pushed, so that a pop restores them
 *
 * "p in button scope" is open_at[p] > newest[SCOPE] and > open_at[button]: no walk, so hostile
 * pages cost the same as others. Index 0 is the document and means "none".
 *
 * Cost: linear in tokens. Each entry is pushed and popped once; the walks over dead entries in
 * `linked_same` and `adopt` pass each entry once as well.
 */
#include "page/tree.h"

#include <string.h>

#include "base/key_map.h"
#include "base/mem.h"
#include "base/str.h"
#include "page/markup.h"
#include "page/tags.h"

/* ---- the stack of open elements -------------------------------------------------------------- */

enum barrier {
    SCOPE,     /* what an end tag cannot reach through */
    SPECIAL,   /* what the end tag of an ordinary element cannot reach through */
    LIST_STOP, /* special but for address, div and p: where the search for an open li ends */
    MARKER,    /* where the search for an open formatting element ends */
    BARRIERS
};

struct entry {
    uint32_t node;
    uint32_t same;         /* the entry below with the same tag, or 0 */
    uint32_t next_special; /* of a special entry: the next special one above it, or 0 */
    uint32_t closed_below; /* of a special entry: from here to itself all others are closed */
    uint16_t tag;
    bool closed;               /* its end is known already: closed by the adoption agency */
    bool unlinked;             /* off the stack for the standard: open_at passes it */
    bool foreign;              /* of svg or math, and no place for HTML */
    uint32_t before[BARRIERS]; /* `newest` before it was pushed */
};

/* At the depth limit elements are not pushed; their end tags must not close others. A count is
 * valid for the epoch it was made in: a pop begins a new one. */
struct overflow {
    uint32_t epoch, count;
};

#define FORM_ELSEWHERE UINT32_MAX
enum { TAG_IDS = 65536 };

/* The different paths of a page; kept from page to page for its memory. */
struct paths {
    th_path *list;
    uint32_t *hints; /* by path: the child path met last */
    uint32_t cap;    /* of both */
    th__key_map ids; /* by (parent path, tag) */
};

struct th__tree {
    struct entry *stack; /* max_depth + 1 entries, [0] the document */
    uint32_t top;        /* the current element */
    uint32_t max_depth;
    uint32_t newest[BARRIERS];
    uint32_t *open_at;         /* by tag id: tag_ids of them */
    uint32_t tag_ids;          /* standard ones, from the first page on that has others all */
    struct overflow *overflow; /* by tag id, made when first needed */
    uint32_t epoch;

    th_page *page;
    uint32_t token; /* the one being looked at */
    bool html_seen, head_seen, head_closed, body_started, foreign_seen, quirks, failed;
    uint32_t unclosed; /* start tag of elements that are never closed, or 0 */
    uint32_t form;     /* entry of the open form, or 0; FORM_ELSEWHERE for one that holds nothing */

    struct paths paths;
};

static uint32_t max2(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static bool is_full(const th__tree *t)
{
    return t->top + 1 >= t->max_depth;
}

static uint32_t newest_of(const th__tree *t, const uint16_t *tags, size_t count)
{
    uint32_t newest = 0;
    for (size_t i = 0; i < count; i++)
        newest = max2(newest, t->open_at[tags[i]]);
    return newest;
}

#define NEWEST_OF(t, ...)                                                                          \
    newest_of(t, (const uint16_t[]){__VA_ARGS__},                                                  \
              sizeof(uint16_t[]){__VA_ARGS__} / sizeof(uint16_t))

/* The next entry below with the same tag that is still linked. What was passed over once is not
 * met again. */
static uint32_t linked_same(th__tree *t, uint32_t entry)
{
    uint32_t same = t->stack[entry].same;
    while (same && t->stack[same].unlinked)
        same = t->stack[same].same;
    t->stack[entry].same = same;
    return same;
}

/* Takes an entry out of open_at; its place on the stack stays. */
static void unlink_entry(th__tree *t, uint32_t entry)
{
    struct entry *e = &t->stack[entry];
    if (t->open_at[e->tag] == entry)
        t->open_at[e->tag] = linked_same(t, entry);
    e->unlinked = true;
}

static void set_end(th__tree *t, const struct entry *e, uint32_t node_end, uint32_t token_end)
{
    th_node *node = &t->page->nodes[e->node];
    node->end = node_end;
    node->token_end = token_end;
}

static inline void pop_one(th__tree *t, uint32_t token_end)
{
    struct entry *e = &t->stack[t->top];
    if (!e->closed)
        set_end(t, e, t->page->node_count, token_end);
    if (!e->unlinked)
        unlink_entry(t, t->top);
    if (t->newest[SPECIAL] == t->top)
        t->stack[e->before[SPECIAL]].next_special = 0;
    memcpy(t->newest, e->before, sizeof t->newest);
    t->top--;
}

/* Closes the current element, and those below it that an end tag had taken off the stack already.
 */
static inline void pop(th__tree *t, uint32_t token_end)
{
    do
        pop_one(t, token_end);
    while (t->stack[t->top].unlinked);
    t->epoch++;
}

/* Closes everything above `entry`, before the current token. */
static void pop_above(th__tree *t, uint32_t entry)
{
    while (t->top > entry)
        pop(t, t->token);
}

/* Closes `entry` and all above it. Past its end tag when the current token is that. */
static void pop_to(th__tree *t, uint32_t entry, bool at_end_tag)
{
    pop_above(t, entry);
    pop(t, t->token + at_end_tag);
}

/* Makes the current token a node under the current element. */
static uint32_t add_node(th__tree *t, uint16_t tag)
{
    th_page *page = t->page;
    uint32_t node = page->node_count++;
    th_node *made = &page->nodes[node];
    made->token = t->token;
    made->token_end = t->token + 1;
    made->parent = t->stack[t->top].node;
    made->end = node + 1; /* its path is found at the end: an adoption may change it */
    page->tags[node] = tag;
    return node;
}

/* Counts an element that the depth limit keeps off the stack: what it holds becomes its sibling.
 * Its end tag is counted in advance. */
static void count_overflow(th__tree *t, uint16_t tag)
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

/* Swallows the end tag of such an element; asked when the stack is full. */
static bool ends_overflow(th__tree *t, uint16_t tag)
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

static inline void push(th__tree *t, uint16_t tag, uint32_t flags, bool foreign)
{
    uint32_t node = add_node(t, tag);
    if (is_full(t)) {
        count_overflow(t, tag);
        return;
    }
    uint32_t top = ++t->top;
    struct entry *e = &t->stack[top];
    e->node = node;
    e->same = t->open_at[tag];
    e->next_special = 0;
    e->tag = tag;
    e->closed = e->unlinked = false;
    e->foreign = foreign;
    memcpy(e->before, t->newest, sizeof e->before);
    t->open_at[tag] = top;
    if (flags & TH_TAG_IS_SPECIAL) {
        t->stack[t->newest[SPECIAL]].next_special = top;
        t->newest[SPECIAL] = top;
        e->closed_below = top;
        if (tag != TH_TAG_ADDRESS && tag != TH_TAG_DIV && tag != TH_TAG_P)
            t->newest[LIST_STOP] = top;
        if (flags & TH_TAG_IS_SCOPE)
            t->newest[SCOPE] = top;
        if (flags & TH_TAG_IS_MARKER)
            t->newest[MARKER] = top;
    }
}

/*
 * The standard's adoption agency, without copies. Above the formatting element `entry` stands a
 * special one (else a plain pop does): it and what it holds leave the formatting element, which
 * ends where the special one begins.
 *
 *     <b>1<p>2</b>3   b holds 1; p, now beside b, holds 2 and 3
 */
static void adopt(th__tree *t, uint32_t entry)
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

th__tree *th__tree_new(uint32_t max_depth)
{
    th__tree *t = TH__NEW(th__tree);
    if (!t)
        return NULL;
    t->max_depth = max_depth;
    t->stack = TH__NEW_ARRAY(struct entry, (size_t)max_depth + 1);
    t->tag_ids = TH_TAG_OTHER;
    t->open_at = th__mem_zero(t->tag_ids, sizeof *t->open_at);
    if (!t->stack || !t->open_at) {
        th__tree_free(t);
        return NULL;
    }
    return t;
}

/* Makes room for tags that are no standard ones. Nothing is open. Most pages have none, and a
 * parser that is made for one page would spend more on the room than on the page. */
static bool take_others(th__tree *t)
{
    uint32_t *open_at = th__mem_zero(TAG_IDS, sizeof *open_at);
    if (!open_at)
        return false;
    th__mem_free(t->open_at);
    t->open_at = open_at;
    t->tag_ids = TAG_IDS;
    return true;
}

void th__tree_free(th__tree *t)
{
    if (!t)
        return;
    th__mem_free(t->stack);
    th__mem_free(t->open_at);
    th__mem_free(t->overflow);
    th__mem_free(t->paths.list);
    th__mem_free(t->paths.hints);
    th__key_map_release(&t->paths.ids);
    th__mem_free(t);
}

const th_path *th__tree_paths(const th__tree *t)
{
    return t->paths.list;
}

/* ---- what start tags close ------------------------------------------------------------------- */

static bool p_in_button_scope(const th__tree *t)
{
    return t->open_at[TH_TAG_P] > max2(t->newest[SCOPE], t->open_at[TH_TAG_BUTTON]);
}

/* In the table's own context: nothing but table parts open above the newest table. */
static bool in_table_context(const th__tree *t)
{
    uint32_t table = t->open_at[TH_TAG_TABLE];
    return table && table > t->open_at[TH_TAG_TEMPLATE] &&
           NEWEST_OF(t, TH_TAG_TD, TH_TAG_TH, TH_TAG_CAPTION) < table;
}

/* The end tag of a row right before the current token, blanks and comments aside; or 0. */
static uint32_t row_end_before(const th_page *page, uint32_t token)
{
    while (token-- > 1) {
        const th_token *t = &page->tokens[token];
        if (t->kind == TH_TOKEN_END && t->tag == TH_TAG_TR)
            return token;
        if (t->kind != TH_TOKEN_COMMENT &&
            (t->kind != TH_TOKEN_TEXT || !(t->flags & TH_TOKEN_BLANK)))
            return 0;
    }
    return 0;
}

/*
 * A cell behind the end of a row begins another one: </tr><td>. Nothing is invented: the end tag is
 * taken for the start tag of the new row, which ends the old one just as well.
 */
static void open_row(th__tree *t)
{
    th_page *page = t->page;
    uint32_t row_end = row_end_before(page, t->token), token = t->token;
    uint32_t row = page->node_count - 1;
    if (!row_end || is_full(t))
        return;
    while (row && page->tags[row] != TH_TAG_TR)
        row = page->nodes[row].parent;
    if (!row || page->nodes[row].token_end != row_end + 1)
        return;
    page->nodes[row].token_end = row_end;
    page->tokens[row_end].kind = TH_TOKEN_START;
    t->token = row_end;
    push(t, TH_TAG_TR, th__tag_flags(TH_TAG_TR), false);
    t->token = token;
}

/* Closes what is open in the table down to the part that may hold `tag`. */
static void close_for_table_part(th__tree *t, uint16_t tag)
{
    uint32_t base = max2(t->open_at[TH_TAG_TABLE], t->open_at[TH_TAG_TEMPLATE]), holder = base;
    bool cell = tag == TH_TAG_TD || tag == TH_TAG_TH;
    if (cell || tag == TH_TAG_TR)
        holder = max2(holder, NEWEST_OF(t, TH_TAG_TBODY, TH_TAG_THEAD, TH_TAG_TFOOT));
    if (cell)
        holder = max2(holder, t->open_at[TH_TAG_TR]);
    if (tag == TH_TAG_COL)
        holder = max2(holder, t->open_at[TH_TAG_COLGROUP]);
    if (base && base == t->open_at[TH_TAG_TABLE]) {
        pop_above(t, holder);
        if (cell && t->stack[holder].tag != TH_TAG_TR)
            open_row(t);
        return;
    }
    /* Parts without a table: a fragment, or a template. The same tag ends its like, and a row or
     * section the cell as well, which else nothing leaves. */
    uint32_t like = cell ? NEWEST_OF(t, TH_TAG_TD, TH_TAG_TH) : t->open_at[tag];
    uint32_t wall = t->newest[SCOPE];
    if (t->stack[wall].tag == TH_TAG_TD || t->stack[wall].tag == TH_TAG_TH)
        wall = t->stack[wall].before[SCOPE];
    if (like > base && like > wall && (!cell || like > t->open_at[TH_TAG_TR]))
        pop_to(t, like, false);
}

static void close_for_select(th__tree *t, uint16_t tag)
{
    uint32_t select = t->open_at[TH_TAG_SELECT];
    if (select == 0 || select < t->open_at[TH_TAG_TEMPLATE])
        select = 0;
    if (tag == TH_TAG_OPTION || tag == TH_TAG_OPTGROUP) {
        uint32_t option = t->open_at[TH_TAG_OPTION];
        if (option > select && (select || option == t->top))
            pop_to(t, option, false);
        uint32_t group = t->open_at[TH_TAG_OPTGROUP];
        if (tag == TH_TAG_OPTGROUP && select && group > select)
            pop_to(t, group, false);
    } else if (select && select >= t->newest[SCOPE]) {
        pop_to(t, select, false); /* input, textarea or another select */
    }
}

/* Closes what is like the start tag, or cannot hold it: TH_TAG_IS_CLOSES_LIKE. */
static void close_like(th__tree *t, uint16_t tag)
{
    uint32_t open = 0;
    switch (tag) {
    case TH_TAG_LI:
        open = t->open_at[TH_TAG_LI];
        if (open && open >= t->newest[LIST_STOP])
            pop_to(t, open, false);
        break;
    case TH_TAG_DD:
    case TH_TAG_DT:
        open = NEWEST_OF(t, TH_TAG_DD, TH_TAG_DT);
        if (open && open >= t->newest[LIST_STOP])
            pop_to(t, open, false);
        break;
    case TH_TAG_A:
        if (t->open_at[TH_TAG_A] > t->newest[MARKER])
            adopt(t, t->open_at[TH_TAG_A]);
        break;
    case TH_TAG_NOBR:
        if (t->open_at[TH_TAG_NOBR] > t->newest[SCOPE])
            adopt(t, t->open_at[TH_TAG_NOBR]);
        break;
    case TH_TAG_BUTTON:
        if (t->open_at[TH_TAG_BUTTON] > t->newest[SCOPE])
            pop_to(t, t->open_at[TH_TAG_BUTTON], false);
        break;
    case TH_TAG_OPTION:
    case TH_TAG_OPTGROUP:
    case TH_TAG_SELECT:
    case TH_TAG_INPUT:
    case TH_TAG_KEYGEN:
    case TH_TAG_TEXTAREA:
        close_for_select(t, tag);
        break;
    case TH_TAG_TABLE:
        if (in_table_context(t))
            pop_to(t, t->open_at[TH_TAG_TABLE], false);
        break;
    case TH_TAG_RB:
    case TH_TAG_RP:
    case TH_TAG_RT:
    case TH_TAG_RTC:
        open = NEWEST_OF(t, TH_TAG_RB, TH_TAG_RP, TH_TAG_RT);
        if (open && open == t->top && t->open_at[TH_TAG_RUBY])
            pop_to(t, open, false);
        break;
    default:
        break;
    }
}

/* Closes what may not be open around a start tag. */
static void close_for_start(th__tree *t, uint16_t tag, uint32_t flags)
{
    if (flags & TH_TAG_IS_TABLE_PART) {
        close_for_table_part(t, tag);
        return;
    }
    if (flags & TH_TAG_IS_CLOSES_LIKE)
        close_like(t, tag);
    if (((flags & TH_TAG_IS_CLOSES_P) || (tag == TH_TAG_TABLE && !t->quirks)) &&
        p_in_button_scope(t))
        pop_to(t, t->open_at[TH_TAG_P], false);
    if ((flags & TH_TAG_IS_HEADING) && (th__tag_flags(t->stack[t->top].tag) & TH_TAG_IS_HEADING))
        pop(t, t->token);
}

/* ---- html, head and body --------------------------------------------------------------------- */

/* The body begins here, with a tag or without: the head is over. */
static void start_body(th__tree *t)
{
    if (t->open_at[TH_TAG_HEAD])
        pop_to(t, t->open_at[TH_TAG_HEAD], false);
    t->body_started = true;
}

/* Something that belongs in the body has come, or a start tag that may belong in the head. The head
 * stays open past its end tag until then, as the standard puts stray metadata into it. */
static void before_body(th__tree *t, uint16_t tag, uint32_t flags)
{
    uint32_t noscript = t->open_at[TH_TAG_NOSCRIPT];
    if (t->open_at[TH_TAG_TEMPLATE])
        return;
    bool metadata = flags & TH_TAG_IS_HEAD;
    if (metadata && noscript && noscript == t->top && tag != TH_TAG_LINK && tag != TH_TAG_META &&
        tag != TH_TAG_STYLE && tag != TH_TAG_NOFRAMES && tag != TH_TAG_BASEFONT &&
        tag != TH_TAG_BGSOUND)
        pop(t, t->token);
    if (!metadata || (tag == TH_TAG_NOSCRIPT && t->head_closed))
        start_body(t);
}

/* html, head, body and frameset open once; a second tag is a leaf. */
static void start_document_part(th__tree *t, uint16_t tag, uint32_t flags)
{
    bool *seen;
    bool again;
    if (tag == TH_TAG_HTML) {
        seen = &t->html_seen;
        again = t->html_seen || t->head_seen || t->body_started;
    } else if (tag == TH_TAG_HEAD) {
        seen = &t->head_seen;
        again = t->head_seen || t->body_started;
    } else {
        seen = &t->body_started;
        again = t->body_started;
        if (!again)
            start_body(t);
    }
    if (again)
        add_node(t, tag);
    else
        push(t, tag, flags, false);
    *seen = true;
}

/* ---- start and end tags ---------------------------------------------------------------------- */

static void start_form(th__tree *t, uint32_t flags)
{
    bool in_template = t->open_at[TH_TAG_TEMPLATE];
    if (t->form && !in_template) {
        add_node(t, TH_TAG_FORM); /* a form in a form is ignored */
        return;
    }
    if (in_table_context(t)) {
        add_node(t, TH_TAG_FORM); /* between a table and its rows a form holds nothing */
        t->form = FORM_ELSEWHERE;
        return;
    }
    push(t, TH_TAG_FORM, flags, false);
    if (!in_template)
        t->form = t->open_at[TH_TAG_FORM];
}

/* A form's end tag takes the form off the stack and leaves open what it holds. */
static void end_form(th__tree *t)
{
    if (t->open_at[TH_TAG_TEMPLATE]) {
        if (t->open_at[TH_TAG_FORM] > t->newest[SCOPE])
            pop_to(t, t->open_at[TH_TAG_FORM], true);
        return;
    }
    uint32_t form = t->form;
    t->form = 0;
    if (form == 0 || form > t->top || t->stack[form].tag != TH_TAG_FORM || form < t->newest[SCOPE])
        return;
    uint32_t current = t->top;
    while (current > form &&
           (t->stack[current].tag == TH_TAG_P || t->stack[current].tag == TH_TAG_LI ||
            t->stack[current].tag == TH_TAG_DD || t->stack[current].tag == TH_TAG_DT ||
            t->stack[current].tag == TH_TAG_OPTION || t->stack[current].unlinked))
        current--;
    if (current == form)
        pop_to(t, form, true);
    else
        unlink_entry(t, form);
}

/*
 * Feeds are XML: <item><title>..</title><link>http://..</link>. In the body a title is text that
 * readers see, and a link that an end tag follows holds text.
 */
static void start_in_feed(th__tree *t, th_token *token)
{
    th_token *next = token + 1, *end = t->page->tokens + t->page->token_count;
    if (token->tag == TH_TAG_TITLE && next < end && next->kind == TH_TOKEN_RCDATA)
        next->kind = TH_TOKEN_TEXT;
    if (token->tag == TH_TAG_LINK && next + 1 < end && next->kind == TH_TOKEN_TEXT &&
        next[1].kind == TH_TOKEN_END && next[1].tag == TH_TAG_LINK)
        token->flags &= (uint8_t)~TH_TOKEN_LEAF;
}

/* Returns true if two start tags are the same text. */
static bool same_tags(const th_page *page, uint32_t a, uint32_t b)
{
    th_str left = th__token_text(page, a), right = th__token_text(page, b);
    return left.len == right.len && !memcmp(left.ptr, right.ptr, left.len);
}

/*
 * Items whose end tags are missing would be nested in each other, <div id=item>..<div id=item>..:
 * an id is there once, so that three of them, each right inside the last, are siblings.
 */
static void close_unclosed(th__tree *t)
{
    th_page *page = t->page;
    uint32_t inner = t->top, outer = inner - 1;
    th_str id;
    if (inner < 2 || t->stack[inner].unlinked || t->stack[outer].unlinked)
        return;
    uint32_t open = page->nodes[t->stack[inner].node].token;
    if (!same_tags(page, open, t->token) || !th_attr_get(page, open, "id", &id))
        return;
    if (t->unclosed && same_tags(page, t->unclosed, open)) {
        pop(t, t->token);
        return;
    }
    if (t->stack[outer].tag != TH_TAG_DIV || t->stack[inner].closed || t->stack[outer].closed ||
        !same_tags(page, page->nodes[t->stack[outer].node].token, open))
        return;
    t->unclosed = open;
    page->nodes[t->stack[inner].node].parent = page->nodes[t->stack[outer].node].parent;
    set_end(t, &t->stack[outer], t->stack[inner].node, open);
    t->stack[outer].closed = true;
    pop_to(t, outer, false);
}

static void start_tag(th__tree *t, th_token *token)
{
    uint16_t tag = token->tag;
    if (t->body_started && (tag == TH_TAG_TITLE || tag == TH_TAG_LINK))
        start_in_feed(t, token);
    bool leaf = token->flags & TH_TOKEN_LEAF;
    uint32_t flags = th__tag_flags(tag);
    if (token->flags & TH_TOKEN_FOREIGN) {
        bool holds_html = flags & TH_TAG_IS_INTEGRATION;
        if (!t->body_started)
            before_body(t, tag, 0);
        if (leaf)
            add_node(t, tag);
        else
            push(t, tag, holds_html ? TH_TAG_IS_SPECIAL | TH_TAG_IS_SCOPE : 0, !holds_html);
        t->foreign_seen = true;
        return;
    }
    while (t->foreign_seen && t->stack[t->top].foreign)
        pop(t, t->token); /* HTML has broken out of svg or math */
    if (flags & TH_TAG_IS_DOCUMENT) {
        start_document_part(t, tag, flags);
        return;
    }
    if (!t->body_started)
        before_body(t, tag, flags);
    bool nested_select = false;
    if (flags & (TH_TAG_IS_CLOSES_LIKE | TH_TAG_IS_CLOSES_P | TH_TAG_IS_TABLE_PART)) {
        nested_select = tag == TH_TAG_SELECT && t->open_at[TH_TAG_SELECT] &&
                        t->open_at[TH_TAG_SELECT] == t->newest[SCOPE];
        close_for_start(t, tag, flags);
    }
    if (tag == TH_TAG_DIV && token->flags & TH_TOKEN_HAS_ATTRS && t->stack[t->top].tag == tag)
        close_unclosed(t);
    if (leaf || nested_select)
        add_node(t, tag);
    else if (tag == TH_TAG_FORM)
        start_form(t, flags);
    else
        push(t, tag, flags, false);
}

static void end_table_part(th__tree *t, uint16_t tag)
{
    uint32_t open = t->open_at[tag];
    uint32_t base =
        max2(tag == TH_TAG_TABLE ? 0 : t->open_at[TH_TAG_TABLE], t->open_at[TH_TAG_TEMPLATE]);
    if (open > base)
        pop_to(t, open, true);
}

/* The entry that an end tag of this tag closes, or 0. */
static uint32_t closed_by(const th__tree *t, uint16_t tag, uint32_t flags)
{
    uint32_t open = t->open_at[tag], scope = t->newest[SCOPE];
    if (flags & TH_TAG_IS_HEADING)
        open = NEWEST_OF(t, TH_TAG_H1, TH_TAG_H2, TH_TAG_H3, TH_TAG_H4, TH_TAG_H5, TH_TAG_H6);
    if (tag == TH_TAG_P)
        scope = max2(scope, t->open_at[TH_TAG_BUTTON]);
    else if (tag == TH_TAG_LI)
        scope = max2(scope, NEWEST_OF(t, TH_TAG_OL, TH_TAG_UL));
    else if (tag == TH_TAG_TEMPLATE)
        scope = 0;
    else if (tag == TH_TAG_SELECT)
        scope = max2(t->open_at[TH_TAG_TABLE], t->open_at[TH_TAG_TEMPLATE]);
    else if (tag == TH_TAG_OPTION || tag == TH_TAG_OPTGROUP)
        scope = max2(scope, t->open_at[TH_TAG_SELECT]);
    else if (!(flags & (TH_TAG_IS_BLOCK_END | TH_TAG_IS_HEADING)))
        scope = t->newest[SPECIAL];
    return open >= scope ? open : 0;
}

static void end_tag(th__tree *t, const th_token *token)
{
    uint16_t tag = token->tag;
    uint32_t flags = th__tag_flags(tag);
    if (is_full(t) && ends_overflow(t, tag))
        return;
    if (tag == TH_TAG_HEAD) {
        t->head_closed = true;
    } else if (tag == TH_TAG_HTML || tag == TH_TAG_BODY) {
        if (!t->body_started)
            start_body(t); /* what follows still goes into the body */
    } else if (tag == TH_TAG_FORM) {
        end_form(t);
    } else if (tag == TH_TAG_TABLE || (flags & TH_TAG_IS_TABLE_PART)) {
        end_table_part(t, tag);
    } else if (flags & TH_TAG_IS_FORMATTING) {
        uint32_t open = t->open_at[tag];
        if (open > t->newest[MARKER] && open > t->newest[SCOPE])
            adopt(t, open);
    } else {
        uint32_t open = closed_by(t, tag, flags);
        if (open)
            pop_to(t, open, true);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void begin(th__tree *t, th_page *page)
{
    t->page = page;
    t->token = 0;
    t->top = 0;
    t->epoch++;
    memset(t->newest, 0, sizeof t->newest);
    t->stack[0] = (struct entry){0};
    t->html_seen = t->head_seen = t->head_closed = t->body_started = t->foreign_seen = t->failed =
        false;
    t->quirks = true;
    t->unclosed = 0;
    t->form = 0;
    page->node_count = 1;
    page->flattened = 0;
    page->nodes[0] = (th_node){.token_end = page->token_count};
    page->tags[0] = 0;
}

/* A token that is no tag: text begins the body, the doctype tells the mode. */
static void other_token(th__tree *t, const th_token *token)
{
    if (token->kind == TH_TOKEN_TEXT && !t->body_started && !(token->flags & TH_TOKEN_BLANK))
        before_body(t, 0, 0);
    if (token->kind == TH_TOKEN_DOCTYPE && t->page->node_count == 1)
        t->quirks = th__doctype_is_quirky(th__token_text(t->page, t->token));
}

/* ---- the paths of the finished tree ---------------------------------------------------------- */

/* Makes room for the path `path`. */
static bool paths_room(struct paths *p, uint32_t path)
{
    if (path < p->cap)
        return true;
    uint32_t cap = p->cap ? p->cap * 2 : 256;
    th_path *list = th__mem_resize(p->list, cap, sizeof *list);
    p->list = list ? list : p->list;
    uint32_t *hints = list ? th__mem_resize(p->hints, cap, sizeof *hints) : NULL;
    p->hints = hints ? hints : p->hints;
    p->cap = hints ? cap : p->cap;
    return hints;
}

/* The path of a tag under a path, or 0 without memory. The child met last is tried first, for
 * siblings are mostly alike. */
static uint32_t child_path(struct paths *p, uint32_t parent, uint16_t tag)
{
    uint32_t hint = p->hints[parent];
    if (hint && p->list[hint].tag == tag)
        return hint;
    uint32_t known = p->ids.count;
    uint32_t path = th__key_map_number(&p->ids, (uint64_t)parent << 16 | tag);
    if (!path || !paths_room(p, path))
        return 0;
    if (path > known) {
        p->list[path] = (th_path){th__hash_mix(p->list[parent].hash, tag), parent, tag,
                                  (uint16_t)(p->list[parent].depth + 1)};
        p->hints[path] = 0;
    }
    return p->hints[parent] = path;
}

/* Sets the path of every node, and path_count: a pass of its own, since the adoption agency moves
 * nodes while the tree is built. A parent is before its children. */
static bool find_paths(struct paths *p, th_page *page)
{
    if (!paths_room(p, 0))
        return false;
    th__key_map_clear(&p->ids);
    p->list[0] = (th_path){0};
    p->hints[0] = 0;
    page->nodes[0].path = 0;
    for (uint32_t n = 1; n < page->node_count; n++) {
        th_node *node = &page->nodes[n];
        node->path = child_path(p, page->nodes[node->parent].path, page->tags[n]);
        if (!node->path)
            return false;
    }
    page->path_count = p->ids.count + 1;
    return true;
}

bool th__tree_build(th__tree *t, th_page *page, bool other_tags)
{
    if (other_tags && t->tag_ids < TAG_IDS && !take_others(t))
        return false;
    begin(t, page);
    th_token *tokens = page->tokens;
    for (uint32_t i = 0, count = page->token_count; i < count; i++) {
        if (tokens[i].kind == TH_TOKEN_TEXT && t->body_started)
            continue;
        t->token = i;
        if (tokens[i].kind == TH_TOKEN_START)
            start_tag(t, &tokens[i]);
        else if (tokens[i].kind == TH_TOKEN_END)
            end_tag(t, &tokens[i]);
        else
            other_token(t, &tokens[i]);
    }
    t->token = page->token_count;
    pop_above(t, 0);
    page->nodes[0].end = page->node_count;
    return !t->failed && find_paths(&t->paths, page);
}
