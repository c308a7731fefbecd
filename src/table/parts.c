/* parts.c: one walk over the tokens of a text, beside the elements right inside its own. */
#include "table/parts.h"

#include "page/signs.h"
#include "page/tags.h"
#include "page/text.h"

/* A salt apart from those of positions, labels, attributes and parts of records: see items.c. */
uint64_t th__part_base(uint64_t whole, bool between, uint32_t step)
{
    return th__hash_mix(th__hash_mix(whole, UINT64_C(5) << 60 | between), step);
}

/* What a character is at the edge of a text between values. A colon is kept at
 * the end: it tells that a text is a label. */
enum {
    WORD = 0,
    BLANK = TH__SIGN_BLANK,
    OPENS = TH__SIGN_OPENS,
    CLOSES = TH__SIGN_CLOSES,
    TIES = TH__SIGN_TIES,
    WEAK = TH__SIGN_WEAK
};

/* ---- signs ----------------------------------------------------------------------------------- */

/* The edges of a text. */
struct edges {
    size_t from, to;    /* what is left without signs */
    unsigned kinds[2];  /* of its first and last character */
    bool before, after; /* signs are left out there, and not just commas */
};

/* The same in its text: a minus and a decimal point belong to the number behind them, and a full
 * stop ends what is before it. */
static unsigned kind_at(th_str text, size_t at, uint32_t code)
{
    if (code < 0x80 && (th__is_alpha((unsigned char)code) || th__is_digit((unsigned char)code)))
        return WORD; /* nearly all are */
    bool number = at + 1 < text.len && th__is_digit((unsigned char)text.ptr[at + 1]);
    if (number && (code == '.' || code == '-'))
        return WORD;
    return code == '.' ? CLOSES | TIES : th__sign_kind(code);
}

/* Leaves out a bracket whose other half is not in the text. */
static void drop_bracket(th_str text, struct edges *e, char open, char close)
{
    size_t opened = 0, closed = 0;
    for (size_t i = e->from; i < e->to; i++) {
        opened += text.ptr[i] == open;
        closed += text.ptr[i] == close;
    }
    if (opened > closed && text.ptr[e->from] == open)
        e->from++;
    else if (closed > opened && text.ptr[e->to - 1] == close)
        e->to--;
}

static struct edges find_edges(th_str text)
{
    struct edges e = {.from = text.len, .kinds = {BLANK, BLANK}};
    for (size_t at = 0; at < text.len;) {
        uint32_t code = 0;
        size_t used = th__char_next(text, at, &code);
        unsigned kind = kind_at(text, at, code);
        if (!at)
            e.kinds[0] = kind;
        e.kinds[1] = kind;
        if (!(kind & (BLANK | CLOSES)) && at < e.from)
            e.from = at;
        e.before |= e.from == text.len && !(kind & (BLANK | WEAK));
        e.after |= !(kind & (BLANK | WEAK));
        if (!(kind & (BLANK | OPENS))) {
            e.to = at + used;
            e.after = false;
        }
        at += used;
    }
    if (e.from < e.to)
        drop_bracket(text, &e, '(', ')');
    if (e.from < e.to)
        drop_bracket(text, &e, '[', ']');
    return e;
}

/* Whether a character at an edge goes on in the next word. */
static bool ties(unsigned kind)
{
    return kind == WORD || kind & TIES;
}

/* ---- parts ----------------------------------------------------------------------------------- */

struct cutter {
    const th__view *view;
    const th__extent *record;
    const th__item *whole;
    uint32_t number;
    th__item_vec *parts;
    uint32_t child; /* the last element right inside the whole's that begins before the token */
    uint32_t after; /* the same, line breaks aside; 0: none */
    /* The part in the making: */
    bool open, between;
    bool blank, gap;           /* a blank stands before it, and before what follows */
    uint32_t node, from, step; /* from: the element that `step` is the signature of */
    uint32_t first, last;      /* text tokens */
    unsigned edge;             /* of the part before: the kind of its last character */
    bool any;                  /* there is one */
};

static bool is_break(uint16_t tag)
{
    return tag == TH_TAG_BR || tag == TH_TAG_WBR;
}

/* Finds the element before the first token, without a walk over all that are before it. */
static void begin(struct cutter *c, uint32_t token)
{
    const th_page *page = c->view->page;
    uint32_t node = th__page_node_until(page, token), holder = c->whole->node;
    while (node > holder && page->nodes[node].parent != holder)
        node = page->nodes[node].parent;
    c->child = node > holder ? node : 0;
    /* Behind a line break, or a box, nothing of this line stands before. */
    bool flows = c->child && page->tags[node] < TH_TAG_OTHER &&
                 !(th__tag_flags(page->tags[node]) & TH_TAG_IS_BLOCK) &&
                 !is_break(page->tags[node]);
    c->after = flows ? node : 0;
}

static void follow(struct cutter *c, uint32_t token)
{
    const th_page *page = c->view->page;
    uint32_t holder = c->whole->node, end = page->nodes[holder].end;
    for (;;) {
        uint32_t next = c->child ? page->nodes[c->child].end : holder + 1;
        if (next >= end || page->nodes[next].token > token)
            return;
        c->child = next;
        c->after = is_break(page->tags[next]) ? c->after : next;
    }
}

/* The part in the making is done. */
static bool close(struct cutter *c)
{
    const th_page *page = c->view->page;
    const th__item *whole = c->whole;
    if (!c->open)
        return true;
    uint32_t start = page->tokens[c->first].start, end;
    struct edges head = find_edges(th__token_text(page, c->first)), tail = head;
    if (c->last != c->first)
        tail = find_edges(th__token_text(page, c->last));
    th__item part = *whole;
    part.glued = c->any && !c->blank && ties(c->edge) && ties(head.kinds[0]);
    c->open = false;
    c->any = true;
    c->edge = tail.kinds[1];
    end = page->tokens[c->last].start + (uint32_t)tail.to;
    start += (uint32_t)head.from;
    part.span = (th_span){start, end};
    part.node = c->node;
    part.between = c->between;
    part.after = c->between ? c->from : 0;
    part.apart =
        (uint8_t)((head.before ? TH__APART_BEFORE : 0) | (tail.after ? TH__APART_AFTER : 0));
    part.hash = 0;
    bool readable = false;
    uint32_t len = 0;
    for (uint32_t t = c->first; start < end && t <= c->last; t++) {
        uint32_t from = page->tokens[t].start, to = page->tokens[t + 1].start;
        from = from < start ? start : from;
        to = to > end ? end : to;
        if (page->tokens[t].kind == TH_TOKEN_TEXT && from < to)
            readable |= th__leaf_measure(th__page_slice(page, from, to), &part.hash, &len);
    }
    if (!readable)
        return true;
    part.by_path = !c->between && th__part_by_path(whole);
    uint32_t top = c->record->first;
    part.base = part.by_path ? th__extent_key(c->view, c->record, c->node, &top)
                             : th__part_base(whole->key, c->between, c->step);
    part.key = part.base;
    part.told = TH__TOLD_BY_PLACE;
    part.telling = 0;
    part.position = TH__NO_POSITION;
    part.label = TH__NO_ITEM;
    part.whole = c->number;
    return th__vec_push(c->parts, part);
}

/* A text goes on with the part in the making, or begins another. */
static bool add_text(struct cutter *c, uint32_t token)
{
    const th__view *view = c->view;
    follow(c, token);
    bool between = !c->child || view->page->nodes[c->child].token_end <= token;
    uint32_t node = between ? c->whole->node : c->child;
    uint32_t from = between ? c->after : c->child, step = from ? view->signature[from] : 0;
    if (c->open && (c->between != between || c->node != node || c->step != step) && !close(c))
        return false;
    if (!c->open) {
        c->first = token;
        c->blank = c->gap;
    }
    c->open = true;
    c->gap = false;
    c->between = between;
    c->node = node;
    c->from = from;
    c->step = step;
    c->last = token;
    return true;
}

/* The token behind one, and behind what it hides: as leaves.c has it. */
static uint32_t shown_from(const th_page *page, uint32_t token)
{
    const th_token *t = &page->tokens[token];
    if (t->kind != TH_TOKEN_START || !(t->flags & TH_TOKEN_FOREIGN))
        return th__hidden_end(page, token);
    uint32_t end = page->nodes[th__page_node_until(page, token)].token_end;
    return end > token ? end : token + 1;
}

bool th__parts_add(const th__view *view, const th__extent *extents, const th__item *whole,
                   uint32_t number, th__item_vec *parts)
{
    const th_page *page = view->page;
    struct cutter c = {.view = view,
                       .record = &extents[whole->extent],
                       .whole = whole,
                       .number = number,
                       .parts = parts};
    uint32_t token = th__token_at(page, whole->span.start);
    begin(&c, token);
    while (token < page->token_count && page->tokens[token].start < whole->span.end) {
        const th_token *t = &page->tokens[token];
        if (t->kind == TH_TOKEN_TEXT && t->flags & TH_TOKEN_BLANK)
            c.gap = true;
        else if (t->kind == TH_TOKEN_TEXT && !add_text(&c, token))
            return false;
        token = shown_from(page, token);
    }
    return close(&c);
}

void th__parts_join(th__item *parts, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++)
        if (parts[i].joins > 0 || (parts[i].joins < 0 && !i))
            parts[i + 1].span.start = parts[i].span.start;
    for (uint32_t i = count; i-- > 1;)
        if (parts[i].joins < 0 || (parts[i].joins > 0 && i + 1 == count))
            parts[i - 1].span.end = parts[i].span.end;
}
