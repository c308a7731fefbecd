/*
 * column_parts.c: texts are cut into parts, and columns of such texts into columns of parts: see
 * column_parts.h. First one text, then the judgement over all texts of a column, then the columns.
 *
 * A column is cut when its texts are a line of fields rather than a sentence. With the parts of all
 * texts aligned,
 *
 *  1. there are two fields or more, one of them an element, and not all the same: a row of equal
 *     links ("Mary, Percy") is one value. A field is a part that most texts have, and neither a
 *     label nor words that go with another part;
 *  2. four in five texts have two of them, or one with a label: the fifth has lost a field or won
 *     one;
 *  3. what is between elements is in step: texts that come here and there are prose;
 *  4. no element is a word of a sentence. It is one with text that differs on both sides, when that
 *     is long or the element is bold; and with such text on one side, when it says the same again
 *     and again, a highlight, or when the two are all there is ("Oak table");
 *  5. parts are not glued together: "$5" with a small "99" behind it is one price.
 *
 * Words between values that are the same nearly everywhere ("by", "reviews") are no field. They go
 * with the value beside them, "by Ines Vale": what a page shows is not lost. Signs are.
 *
 * Linear in the texts: each part is looked at a few times, at TH__PARTS_DEEPEST levels.
 */
#include "table/column_parts.h"

#include <string.h>

#include "page/signs.h"
#include "page/tags.h"
#include "page/text.h"

/* A salt apart from those of positions, labels, attributes and parts of records: see items.c. */
uint64_t th__part_base(uint64_t whole, uint8_t kind, uint32_t step)
{
    return th__hash_mix(th__hash_mix(whole, UINT64_C(5) << 60 | kind), step);
}

/* What a character is at the edge of a text between values. A colon is kept at
 * the end: it shows that a text is a label. */
enum {
    WORD = 0,
    BLANK = TH__SIGN_BLANK,
    OPENS = TH__SIGN_OPENS,
    CLOSES = TH__SIGN_CLOSES,
    TIES = TH__SIGN_TIES,
    WEAK = TH__SIGN_WEAK
};

/* ---- one text: signs at its ends ------------------------------------------------------------- */

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
    if (text.ptr[e->from] != open && text.ptr[e->to - 1] != close)
        return;
    for (size_t i = e->from; i < e->to; i++) {
        opened += text.ptr[i] == open;
        closed += text.ptr[i] == close;
    }
    if (opened > closed && text.ptr[e->from] == open)
        e->from++;
    else if (closed > opened && text.ptr[e->to - 1] == close)
        e->to--;
}

/* How many letters and digits come next. */
static size_t count_word(th_str text, size_t at)
{
    size_t end = at;
    while (end < text.len && (th__is_alpha((unsigned char)text.ptr[end]) ||
                              th__is_digit((unsigned char)text.ptr[end])))
        end++;
    return end - at;
}

/* Where the last word of a text ends; 0 where references make that hard to say. */
static size_t last_word_end(th_str text)
{
    size_t end = text.len;
    if (memchr(text.ptr, '&', text.len))
        return 0;
    while (end && !th__is_alpha((unsigned char)text.ptr[end - 1]) &&
           !th__is_digit((unsigned char)text.ptr[end - 1]))
        end--;
    return end;
}

static struct edges find_edges(th_str text)
{
    struct edges e = {.from = text.len, .kinds = {BLANK, BLANK}};
    for (size_t at = 0, word; at < text.len;) {
        uint32_t code = 0;
        if ((word = count_word(text, at))) { /* what is between the first and the last is inside */
            size_t last = e.to ? 0 : last_word_end(text);
            e.kinds[0] = at ? e.kinds[0] : WORD;
            e.kinds[1] = WORD;
            e.from = at < e.from ? at : e.from;
            e.to = at = last ? last : at + word;
            e.after = false;
            continue;
        }
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

/* Returns true if a character at an edge goes on in the next word. */
static bool ties(unsigned kind)
{
    return kind == WORD || kind & TIES;
}

/* ---- one text: its parts --------------------------------------------------------------------- */

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
    bool blank, gap;           /* a blank is before it, and before what follows */
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
    /* Behind a line break, or a box, nothing of this line is before. */
    bool flows =
        c->child && th__tag_is_phrasing(page->tags[node]) && page->tags[node] != TH_TAG_WBR;
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
            readable |= th__text_measure(th__page_slice(page, from, to), &part.hash, &len);
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

/* The token behind one, and behind what it hides: as view.c has it. */
static uint32_t shown_from(const th_page *page, uint32_t token)
{
    const th_token *t = &page->tokens[token];
    if (t->kind != TH_TOKEN_START || !(t->flags & TH_TOKEN_FOREIGN))
        return th__hidden_end(page, token);
    uint32_t end = page->nodes[th__page_node_until(page, token)].token_end;
    return end > token ? end : token + 1;
}

/* Appends the elements of a text and what is between them, with `number` as their whole. False if
 * out of memory. */
static bool add_elements(const th__view *view, const th__extent *extents, const th__item *whole,
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

/* What is known of a column of parts. */
typedef struct part_column {
    bool major;      /* most texts have it */
    bool words;      /* no values: they go with another part */
    uint32_t count;  /* of words in all its texts */
    uint32_t any;    /* texts with a digit in them */
    uint32_t soon;   /* texts with a digit near their beginning: numbers, prices, dates */
    uint32_t next;   /* texts that belong to what follows */
    uint32_t own;    /* texts with signs on either side, or the end of the line */
    uint32_t edges;  /* texts at the beginning or end of their line */
    uint32_t colons; /* texts that end with a colon: labels, whatever they label */
    uint32_t units;  /* texts right behind a number */
    uint64_t led;    /* hash of the words before its first text that go with it, or 0 */
} part_column;

/* The texts of a column, cut and aligned. */
typedef struct line_of_parts {
    const th__view *view;
    th__columns *parts; /* a record is a text */
    part_column *of;    /* by column */
    uint32_t fields;    /* of the columns */
} line_of_parts;

enum {
    SENTENCE_WORDS = 8, /* around an element: a phrase such as "posted on 3 May in" is shorter */
    SOON = 8,           /* bytes before the first digit of "Sept. 27" or "EUR 14" */
    FEW = 4             /* as many texts to a different one: words rather than values */
};

/* ---- all texts of a column: what their parts are --------------------------------------------- */

static th_str part_text(const th__view *view, const th__item *item)
{
    return th__page_slice(view->page, item->span.start, item->span.end);
}

static uint32_t count_words(th_str text)
{
    uint32_t words = 0;
    bool in = false;
    for (size_t i = 0; i < text.len; i++) {
        bool blank = th__is_blank((unsigned char)text.ptr[i]);
        words += !blank && !in;
        in = !blank;
    }
    return words;
}

/* The first letter or digit; 0: none that is ASCII. */
static unsigned char first_sign(th_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if (th__is_digit(byte) || th__is_alpha(byte))
            return byte;
    }
    return 0;
}

static bool has_digit(th_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (th__is_digit((unsigned char)text.ptr[i]))
            return true;
    return false;
}

/* Returns true if a text between elements belongs to what follows it, rather than to what is
 * before. */
static bool goes_on(const th__columns *parts, uint32_t item)
{
    const th__item *at = &parts->items[item];
    if (item == parts->first[at->record] || item + 1 == parts->first[at->record + 1])
        return item == parts->first[at->record];
    return at->apart != TH__APART_AFTER;
}

/* Returns true if signs, or an end of the line, set a text apart from all others. */
static bool is_apart(const th__columns *parts, uint32_t item)
{
    const th__item *at = &parts->items[item];
    bool first = item == parts->first[at->record], last = item + 1 == parts->first[at->record + 1];
    return (first || at->apart & TH__APART_BEFORE) && (last || at->apart & TH__APART_AFTER);
}

/* Returns true if a number is right before a part, with no sign between them. */
static bool is_behind_number(const th__view *view, const th__columns *parts, uint32_t item)
{
    const th__item *at = &parts->items[item];
    if (item == parts->first[at->record] || (at->between && at->apart & TH__APART_BEFORE))
        return false;
    return !(at[-1].between && at[-1].apart & TH__APART_AFTER) &&
           th__is_digit(first_sign(part_text(view, at - 1)));
}

static bool is_label(const th__columns *parts, const part_column *of, uint32_t p)
{
    return parts->columns[p].is_label || 5 * of[p].colons >= 4 * parts->columns[p].items;
}

/* A part that most texts have, and no words, label or unit ("12 reviews"). */
static bool is_field(const th__columns *parts, const part_column *of, uint32_t p)
{
    const th__column *column = &parts->columns[p];
    bool unit = FEW * column->distinct <= column->items && 5 * of[p].units >= 4 * column->items;
    return of[p].major && !of[p].words && !is_label(parts, of, p) && !unit;
}

/* Looks at the parts; what is found is in the arena. False if out of memory. */
static bool describe_line(th__arena *scratch, const th__view *view, th__columns *parts,
                          line_of_parts *line)
{
    part_column *out = th__arena_zero(scratch, parts->column_count + 1, sizeof *out);
    for (uint32_t i = 0; out && i < parts->item_count; i++) {
        const th__item *item = &parts->items[i];
        part_column *column = &out[item->column];
        th_str text = part_text(view, item);
        column->count += count_words(text);
        column->any += has_digit(text);
        column->soon += has_digit((th_str){text.ptr, text.len < SOON ? text.len : SOON});
        column->next += goes_on(parts, i);
        column->colons += th__item_ends_with_colon(view, item);
        column->units += is_behind_number(view, parts, i);
        column->own += is_apart(parts, i);
        column->edges += i == parts->first[item->record] || i + 1 == parts->first[item->record + 1];
    }
    for (uint32_t p = 0; out && p < parts->column_count; p++) {
        const th__column *column = &parts->columns[p];
        bool few = column->distinct == 1 || FEW * column->distinct <= column->items;
        out[p].major = 2 * column->filled > parts->record_count;
        bool unit =
            5 * out[p].units >= 4 * column->items && 2 * column->distinct <= column->items + 1;
        out[p].words = parts->items[column->sample].between && (few || unit) && !column->list &&
                       !out[p].any && 2 * out[p].own <= column->items;
    }
    for (uint32_t p = 0; out && p < parts->column_count; p++) {
        uint32_t sample = parts->columns[p].sample;
        const th__item *before = &parts->items[sample] - 1;
        if (sample > parts->first[before[1].record] && out[before->column].words &&
            goes_on(parts, sample - 1))
            out[p].led = before->hash;
    }
    *line = (line_of_parts){.view = view, .parts = parts, .of = out};
    for (uint32_t p = 0; out && p < parts->column_count; p++)
        line->fields += is_field(parts, out, p);
    return out;
}

/* ---- judging --------------------------------------------------------------------------------- */

static const th__item *sample_of(const th__columns *parts, uint32_t column)
{
    return &parts->items[parts->columns[column].sample];
}

/* Returns true if the values of two columns have different forms: four in five of one begin with a
 * number or so (a price, a date), and of the other at most two. */
static bool forms_differ(const th__columns *parts, const part_column *of, uint32_t a, uint32_t b)
{
    uint32_t all_a = parts->columns[a].items, all_b = parts->columns[b].items;
    return (5 * of[a].soon >= 4 * all_a && 5 * of[b].soon <= 2 * all_b) ||
           (5 * of[b].soon >= 4 * all_b && 5 * of[a].soon <= 2 * all_a);
}

/* Rule 1. */
static bool has_fields(const th__columns *parts, const part_column *of)
{
    uint32_t fields = 0, first = 0;
    bool element = false, varies = false, differ = false;
    for (uint32_t p = 0; p < parts->column_count; p++) {
        const th__item *sample = sample_of(parts, p);
        if (!is_field(parts, of, p))
            continue;
        if (!fields++)
            first = p;
        element |= !sample->between || parts->columns[p].label != TH__NO_ITEM;
        varies |= parts->columns[p].distinct > 1;
        differ |= sample->base != sample_of(parts, first)->base ||
                  sample->telling != sample_of(parts, first)->telling ||
                  (of[p].led && of[first].led && of[p].led != of[first].led) ||
                  forms_differ(parts, of, first, p);
    }
    return fields > 1 && element && varies && differ;
}

/* Rules 2, 3 and 5. */
static bool is_regular(const th__columns *parts, const part_column *of)
{
    uint32_t whole = 0, loose = 0, glued = 0;
    for (uint32_t r = 0; r < parts->record_count; r++) {
        uint32_t majors = 0;
        bool one_word = false;
        for (uint32_t i = parts->first[r]; i < parts->first[r + 1]; i++) {
            const th__item *item = &parts->items[i];
            const part_column *p = &of[item->column];
            bool list = parts->columns[item->column].list;
            majors += p->major && !p->words;
            loose += item->between && !p->words && (list || !p->major);
            one_word |= item->glued;
        }
        whole += majors > 1;
        glued += one_word;
    }
    return 5 * whole >= 4 * parts->record_count && 5 * loose <= parts->item_count &&
           5 * glued <= parts->record_count;
}

/* Returns true if beside an element is text between elements that differs from record to
 * record, with no sign between them. `side`: 1 behind it, -1 before it. */
static bool runs_on(const th__columns *parts, const part_column *of, uint32_t item, int side)
{
    const th__item *at = &parts->items[item], *text = at + side;
    uint32_t end = side < 0 ? parts->first[at->record] : parts->first[at->record + 1] - 1;
    if (item == end || !text->between || of[text->column].words)
        return false;
    return !(text->apart & (side < 0 ? TH__APART_AFTER : TH__APART_BEFORE));
}

/* A link that says the same everywhere is something to click; what is always the same at one end of
 * its text is a mark on it; and beside a number a word is a value. */
static bool is_highlight(const th__view *view, const th__columns *parts, const part_column *of,
                         uint32_t item, int side)
{
    const th__item *at = &parts->items[item];
    const th__column *column = &parts->columns[at->column];
    bool mark = column->distinct == 1 && of[at->column].edges == column->items;
    return view->page->tags[at->node] != TH_TAG_A && !mark &&
           2 * column->distinct <= column->items &&
           !forms_differ(parts, of, at->column, at[side].column);
}

static uint32_t mean_words(const th__columns *parts, const part_column *of, uint32_t p)
{
    return of[p].count / parts->columns[p].items;
}

/* Returns true if an element is a word of a sentence. */
static bool is_word(const th__view *view, const th__columns *parts, const part_column *of,
                    uint32_t item)
{
    const th__item *at = &parts->items[item];
    bool left = runs_on(parts, of, item, -1), right = runs_on(parts, of, item, 1);
    if (at->between || (!left && !right) || is_label(parts, of, at->column))
        return false;
    if ((left && is_highlight(view, parts, of, item, -1)) ||
        (right && is_highlight(view, parts, of, item, 1)))
        return true;
    bool bold = th__tag_flags(view->page->tags[at->node]) & TH_TAG_IS_INLINE;
    return left && right &&
           (bold || mean_words(parts, of, at[-1].column) + mean_words(parts, of, at[1].column) >
                        SENTENCE_WORDS);
}

/* Two fields, an element and text that runs on from it: one phrase ("<b>Oak</b> table"), unless it
 * is a link, a mark, or one of them is a number. */
static bool is_phrase(const th__view *view, const th__columns *parts, const part_column *of,
                      uint32_t item, int side)
{
    const th__item *at = &parts->items[item];
    if (at->between || is_label(parts, of, at->column) || !runs_on(parts, of, item, side))
        return false;
    return view->page->tags[at->node] != TH_TAG_A && parts->columns[at->column].distinct > 1 &&
           !forms_differ(parts, of, at->column, at[side].column);
}

/* Rule 4. */
static bool is_prose(const line_of_parts *line)
{
    const th__view *view = line->view;
    const th__columns *parts = line->parts;
    const part_column *of = line->of;
    uint32_t sentences = 0;
    for (uint32_t r = 0; r < parts->record_count; r++) {
        bool word = false;
        for (uint32_t i = parts->first[r]; i < parts->first[r + 1]; i++)
            word |= is_word(view, parts, of, i) ||
                    (line->fields == 2 &&
                     (is_phrase(view, parts, of, i, -1) || is_phrase(view, parts, of, i, 1)));
        sentences += word;
    }
    return 5 * sentences > parts->record_count;
}

/* Returns true if the texts are to be cut. */
static bool line_has_fields(const line_of_parts *line)
{
    return has_fields(line->parts, line->of) && is_regular(line->parts, line->of) &&
           !is_prose(line);
}

/* ---- words ------------------------------------------------------------------------------------
 */

/* Returns true if words at the end of a line begin with a capital, and have nothing to do with what
 * is before them: "<b>267</b> Updated". */
static bool begins_anew(const th__view *view, const th__columns *parts, const th__item *item)
{
    unsigned char first =
        first_sign(part_text(view, &parts->items[parts->columns[item->column].sample]));
    return first >= 'A' && first <= 'Z';
}

/* Returns true if words are the name of what follows them, and end with a colon. */
static bool is_name(const th__columns *parts, const part_column *of, uint32_t p)
{
    const th__column *column = &parts->columns[p];
    return of[p].words && of[p].major && column->distinct == 1 && of[p].colons == column->items &&
           of[p].next == column->items;
}

/* The name is told by itself, so that another text in its place is seen. */
static void take_name(th__columns *parts, uint32_t i)
{
    th__item *item = &parts->items[i];
    th__column *column = &parts->columns[item->column];
    column->is_label = true;
    if (item->told == TH__TOLD_BY_PLACE && item->position == TH__NO_POSITION)
        th__item_tell(item, TH__TOLD_BY_ITSELF, item->hash);
    column->key = item->key;
    if (i + 1 < parts->first[item->record + 1] &&
        parts->columns[item[1].column].label == TH__NO_ITEM)
        parts->columns[item[1].column].label = i;
}

/* Words go with their values, which may be named after them. In a line of names with values
 * ("ISBN: 1022 | Pages: 96") names are no part of the values; a single one may well be. */
static void join_words(line_of_parts *line)
{
    const th__view *view = line->view;
    th__columns *parts = line->parts;
    const part_column *of = line->of;
    uint32_t names = 0;
    for (uint32_t p = 0; p < parts->column_count; p++)
        names += is_name(parts, of, p);
    for (uint32_t i = 0; i < parts->item_count; i++) {
        th__item *item = &parts->items[i];
        const part_column *words = &of[item->column];
        bool last = i + 1 == parts->first[item->record + 1];
        if (!words->words)
            continue;
        if (names > 1 && is_name(parts, of, item->column)) {
            take_name(parts, i);
            continue;
        }
        if (!words->next && begins_anew(view, parts, item))
            continue;
        item->joins = 2 * words->next > parts->columns[item->column].items ? 1 : -1;
        parts->columns[item->column].is_label = true;
        th__column *next = last ? NULL : &parts->columns[item[1].column];
        if (next && item->joins > 0 && next->label == TH__NO_ITEM) {
            next->label = i;
            next->hint = true;
        }
    }
    for (uint32_t r = 0; r < parts->record_count; r++)
        th__parts_join(&parts->items[parts->first[r]], parts->first[r + 1] - parts->first[r]);
}

/* Returns true if a line says more than its fields: it begins with words, "by Ines Vale on 3 May".
 */
static bool reads_as_whole(const line_of_parts *line)
{
    const th__columns *parts = line->parts;
    uint32_t phrases = 0;
    for (uint32_t r = 0; r < parts->record_count; r++)
        phrases += parts->first[r] < parts->first[r + 1] &&
                   line->of[parts->items[parts->first[r]].column].words;
    return 2 * phrases > parts->record_count;
}

/* ---- cutting columns ------------------------------------------------------------------------- */

enum { LEAST_CELLS = 2 }; /* one text repeats nothing */

/* The texts of a column, cut. */
struct cut {
    bool is, keep;     /* keep: the whole says more than its parts and stays beside them */
    bool by_sign;      /* at signs between values */
    th__columns parts; /* a record is a text; none when it is not cut */
};

struct cutting {
    th__arena *arena, *scratch;
    const th__view *view;
    const th__extents *records;
    const th__key_map *settled;
    th__columns *columns;
    struct cut *cuts;     /* by column */
    uint32_t *cell_first; /* by column, and one more: its first cell */
    uint32_t *cells;      /* items, column by column */
    bool *labels;         /* by column: its texts distinguish others */
    th__key_map by_key;   /* 1 + the number of a column */
    uint32_t known;       /* wholes so far */
};

/* Returns true if most texts of a column have tags inside: without, there is nothing to cut, and
 * most columns are so. */
static bool have_tags(const struct cutting *c, uint32_t column)
{
    uint32_t from = c->cell_first[column], to = c->cell_first[column + 1], count = 0;
    for (uint32_t i = from; i < to; i++) {
        const th__item *item = &c->columns->items[c->cells[i]];
        const th__leaf *leaf = &c->view->leaves.data[item->ref];
        count += item->whole || leaf->token_end - leaf->token > 1;
    }
    return 2 * count > to - from;
}

static bool may_be_cut(const struct cutting *c, uint32_t column, uint32_t settled)
{
    const th__column *at = &c->columns->columns[column];
    const th__item *sample = &c->columns->items[at->sample];
    if (at->kind != TH__ITEM_TEXT || sample->between || sample->whole < c->known ||
        sample->whole_cell || sample->heading)
        return false;
    if (settled)
        return settled == TH__CUT_ALWAYS && !at->list;
    return !at->list && !at->is_label && !c->labels[column] && at->filled >= LEAST_CELLS &&
           have_tags(c, column);
}

/* Returns true if lines are a rare form of what is mostly an element alone, and that element is not
 * what they begin with: "<a>Ada Reed</a>", and now and then "Bo Lund, <a>Harbour Press</a>". Then
 * it may well be another value. */
static bool is_variant(const struct cutting *c, const th__column *whole, const th__columns *parts)
{
    for (uint32_t p = 0; p < parts->column_count; p++) {
        uint32_t sample = parts->columns[p].sample;
        uint32_t alone = th__key_map_get(&c->by_key, parts->columns[p].key);
        if (alone && parts->items[sample].by_path &&
            sample != parts->first[parts->items[sample].record] &&
            c->columns->columns[alone - 1].filled > whole->filled)
            return true;
    }
    return false;
}

/* Cuts the texts of a column and aligns the parts. */
static bool cut_column(struct cutting *c, uint32_t column, uint32_t number)
{
    uint32_t from = c->cell_first[column], count = c->cell_first[column + 1] - from;
    const th__column *at = &c->columns->columns[column];
    uint32_t settled = c->settled ? th__key_map_get(c->settled, at->key) : 0;
    struct cut *cut = &c->cuts[column];
    th__item_vec items = {0};
    if (!may_be_cut(c, column, settled))
        return true;
    uint32_t *first = th__arena_alloc(c->scratch, ((size_t)count + 1) * sizeof *first);
    bool ok = first;
    for (uint32_t cell = 0; ok && cell < count; cell++) {
        first[cell] = (uint32_t)items.len;
        ok = add_elements(c->view, c->records->data, &c->columns->items[c->cells[from + cell]],
                          number, &items);
        for (size_t i = first[cell]; ok && i < items.len; i++)
            items.data[i].record = cell;
    }
    if (ok)
        first[count] = (uint32_t)items.len;
    /* One part each: nothing to cut. */
    if (ok && (settled || items.len > count)) {
        line_of_parts line;
        ok = th__columns_align_items(c->scratch, c->scratch, c->view, &items, first, count, true,
                                     &cut->parts) &&
             describe_line(c->scratch, c->view, &cut->parts, &line);
        if (ok)
            cut->is = settled || (line_has_fields(&line) && !is_variant(c, at, &cut->parts));
        if (ok && cut->is) {
            cut->keep = reads_as_whole(&line);
            join_words(&line);
        }
        if (!cut->is)
            cut->parts.column_count = 0;
    }
    th__vec_release(&items);
    return ok;
}

/* ---- putting parts in the place of their wholes ---------------------------------------------- */

/* Gathers the items of each column. */
static bool find_cells(struct cutting *c)
{
    const th__columns *columns = c->columns;
    c->cuts = th__arena_zero(c->scratch, columns->column_count + 1, sizeof *c->cuts);
    c->labels = th__arena_zero(c->scratch, columns->column_count + 1, sizeof *c->labels);
    c->cell_first = th__arena_zero(c->scratch, columns->column_count + 2, sizeof *c->cell_first);
    c->cells = th__arena_alloc(c->scratch, (columns->item_count + 1) * sizeof *c->cells);
    if (!c->cuts || !c->labels || !c->cell_first || !c->cells ||
        !th__key_map_init(&c->by_key, c->scratch, columns->column_count))
        return false;
    for (uint32_t k = 0; k < columns->column_count; k++)
        th__key_map_put(&c->by_key, columns->columns[k].key, k + 1);
    for (uint32_t i = 0; i < columns->item_count; i++) {
        c->cell_first[columns->items[i].column + 2]++;
        if (columns->items[i].label != TH__NO_ITEM)
            c->labels[columns->items[columns->items[i].label].column] = true;
    }
    for (uint32_t k = 2; k < columns->column_count + 2; k++)
        c->cell_first[k] += c->cell_first[k - 1];
    for (uint32_t i = 0; i < columns->item_count; i++)
        c->cells[c->cell_first[columns->items[i].column + 1]++] = i;
    return true;
}

/* The columns with parts in the place of wholes; `to` has the new number of each, or of its first
 * part. */
static bool place_columns(struct cutting *c, th__columns *out, uint32_t *to)
{
    const th__columns *old = c->columns;
    uint32_t count = 0, wholes = old->whole_count;
    for (uint32_t k = 0; k < old->column_count; k++) {
        to[k] = count;
        count += !c->cuts[k].is + c->cuts[k].keep + c->cuts[k].parts.column_count;
        wholes += c->cuts[k].is;
    }
    out->column_count = count;
    out->columns = th__arena_alloc(c->arena, (count + 1) * sizeof *out->columns);
    out->wholes = th__arena_alloc(c->arena, (wholes + 1) * sizeof *out->wholes);
    if (!out->columns || !out->wholes)
        return false;
    if (old->whole_count)
        memcpy(out->wholes, old->wholes, old->whole_count * sizeof *out->wholes);
    out->whole_count = old->whole_count;
    for (uint32_t k = 0; k < old->column_count; k++) {
        const struct cut *cut = &c->cuts[k];
        out->columns[to[k]] = old->columns[k];
        if (!cut->is)
            continue;
        out->columns[to[k]].cut = !cut->by_sign;
        memcpy(&out->columns[to[k] + cut->keep], cut->parts.columns,
               cut->parts.column_count * sizeof *out->columns);
        out->wholes[out->whole_count++] = old->items[old->columns[k].sample];
    }
    return true;
}

/* Where the first of the items that an item became is, and the number of its text in the column. */
struct moved {
    uint32_t at, cell;
};

static bool place_items(struct cutting *c, th__columns *out, const uint32_t *to,
                        struct moved *moved)
{
    const th__columns *old = c->columns;
    uint32_t *seen = th__arena_zero(c->scratch, old->column_count + 1, sizeof *seen), count = 0;
    if (!seen)
        return false;
    for (uint32_t i = 0; i < old->item_count; i++) {
        const struct cut *cut = &c->cuts[old->items[i].column];
        uint32_t cell = seen[old->items[i].column]++;
        moved[i] = (struct moved){count, cell};
        count += !cut->is + cut->keep;
        if (cut->is)
            count += cut->parts.first[cell + 1] - cut->parts.first[cell];
    }
    moved[old->item_count] = (struct moved){count, 0};
    out->item_count = count;
    out->items = th__arena_alloc(c->arena, ((size_t)count + 1) * sizeof *out->items);
    out->first = th__arena_alloc(c->arena, (old->record_count + 1) * sizeof *out->first);
    if (!out->items || !out->first)
        return false;
    for (uint32_t r = 0; r <= old->record_count; r++)
        out->first[r] = moved[old->first[r]].at;
    for (uint32_t i = 0; i < old->item_count; i++) {
        const th__item *item = &old->items[i];
        const struct cut *cut = &c->cuts[item->column];
        th__item *now = &out->items[moved[i].at];
        uint32_t from = cut->is ? cut->parts.first[moved[i].cell] : 0;
        uint32_t parts = moved[i + 1].at - moved[i].at;
        bool whole = !cut->is || cut->keep;
        if (whole) {
            now[0] = *item;
            now[0].column = to[item->column];
            if (now[0].label != TH__NO_ITEM)
                now[0].label = moved[now[0].label].at;
        }
        for (uint32_t p = whole; p < parts; p++) {
            now[p] = cut->parts.items[from + p - whole];
            now[p].record = item->record;
            now[p].column += to[item->column] + whole;
            if (now[p].label != TH__NO_ITEM)
                now[p].label += moved[i].at + whole - from;
        }
    }
    return true;
}

/* Samples and labels of columns are items, and items have moved. */
static void renumber(const struct cutting *c, th__columns *out, const uint32_t *to,
                     const struct moved *moved)
{
    const th__columns *old = c->columns;
    for (uint32_t w = 0; w < out->whole_count; w++)
        if (out->wholes[w].label != TH__NO_ITEM)
            out->wholes[w].label = moved[out->wholes[w].label].at;
    for (uint32_t k = 0; k < old->column_count; k++) {
        const struct cut *cut = &c->cuts[k];
        bool kept = !cut->is || cut->keep;
        uint32_t parts = kept + (cut->is ? cut->parts.column_count : 0);
        for (uint32_t p = 0; p < parts; p++) {
            th__column *column = &out->columns[to[k] + p];
            uint32_t *refs[] = {&column->sample, &column->label};
            for (size_t n = 0; n < 2; n++) {
                if (*refs[n] == TH__NO_ITEM)
                    continue;
                uint32_t whole = *refs[n], from = 0;
                if (p >= kept) {
                    uint32_t cell = cut->parts.items[*refs[n]].record;
                    whole = c->cells[c->cell_first[k] + cell];
                    from = *refs[n] + kept - cut->parts.first[cell];
                }
                *refs[n] = moved[whole].at + from;
            }
        }
    }
}

static bool put_in_place(struct cutting *c)
{
    th__columns *old = c->columns, out = *old;
    uint32_t *to = th__arena_alloc(c->scratch, (old->column_count + 1) * sizeof *to);
    struct moved *moved =
        th__arena_alloc(c->scratch, ((size_t)old->item_count + 1) * sizeof *moved);
    if (!to || !moved || !place_columns(c, &out, to) || !place_items(c, &out, to, moved))
        return false;
    renumber(c, &out, to, moved);
    *old = out;
    return true;
}

/* Puts columns with the same key together: a part, and the same element where it is alone. */
static bool merge_columns(struct cutting *c)
{
    th__columns *columns = c->columns;
    uint32_t *to = th__arena_alloc(c->scratch, (columns->column_count + 1) * sizeof *to), kept = 0;
    uint32_t *last = th__arena_zero(c->scratch, columns->column_count + 1, sizeof *last);
    th__key_map known;
    if (!to || !last || !th__key_map_init(&known, c->scratch, columns->column_count))
        return false;
    for (uint32_t k = 0; k < columns->column_count; k++) {
        const th__column *column = &columns->columns[k];
        uint32_t same = th__key_map_get(&known, column->key);
        to[k] = same ? same - 1 : kept;
        if (!same) {
            th__key_map_put(&known, column->key, kept + 1);
            columns->columns[kept++] = *column;
            continue;
        }
        th__column *into = &columns->columns[same - 1];
        into->items += column->items;
        into->distinct += column->distinct;
        into->list |= column->list;
        into->is_label &= column->is_label;
    }
    columns->column_count = kept;
    for (uint32_t k = 0; k < kept; k++)
        columns->columns[k].filled = 0;
    for (uint32_t i = 0; i < columns->item_count; i++) {
        th__item *item = &columns->items[i];
        th__column *column = &columns->columns[to[item->column]];
        item->column = to[item->column];
        column->list |= last[item->column] == item->record + 1;
        column->filled += last[item->column] != item->record + 1;
        last[item->column] = item->record + 1;
    }
    return true;
}

/* Cuts the cells of all columns, each in the way of `cut`, which is given the number of the next
 * whole; *any: some were cut. */
static bool cut_cells(struct cutting *c, bool (*cut)(struct cutting *, uint32_t, uint32_t),
                      bool *any)
{
    uint32_t number = c->columns->whole_count;
    if (!find_cells(c))
        return false;
    for (uint32_t k = 0; k < c->columns->column_count; k++) {
        if (!cut(c, k, number + 1))
            return false;
        number += c->cuts[k].is;
    }
    *any = number != c->columns->whole_count;
    return true;
}

bool th__columns_cut(th__arena *arena, th__arena *scratch, const th__view *view,
                     const th__extents *records, const th__key_map *settled, th__columns *columns)
{
    struct cutting c = {.arena = arena,
                        .scratch = scratch,
                        .view = view,
                        .records = records,
                        .settled = settled,
                        .columns = columns};
    bool any;
    for (int depth = 0; depth < TH__PARTS_DEEPEST; depth++) {
        if (!cut_cells(&c, cut_column, &any))
            return false;
        if (!any)
            break;
        c.known = columns->whole_count + 1; /* the next round looks at new parts alone */
        if (!put_in_place(&c))
            return false;
    }
    return !columns->whole_count || merge_columns(&c);
}

/*
 * ==== texts with a sign between values ====
 *
 *     LOT 20150 - Amber Kettle        LOT 20150   Amber Kettle
 *     LOT 20187 - Birch Stool         LOT 20187   Birch Stool
 *
 * A column whose texts nearly all have the same number of signs gets its parts as columns beside
 * it. The parts must look different (a number and words, a date and a place): a list of authors or
 * tags, and a title with a dash in it, stay as they are. Linear in the texts.
 */

enum {
    LEAST_TEXTS = 3,
    MOST_PARTS = 5,
    MEAN_BYTES = 160 /* of a text: more is prose */
};

/* The signs that count, dashes and dots as one each; 0 for others. */
static const uint32_t signs[] = {'|', 0xB7, '-'};
enum { SIGNS = sizeof signs / sizeof *signs };

/* Gives the part of a whole from one byte to another, blanks aside. */
static bool add_part(const th__view *view, const th__item *whole, th_span span, uint32_t sign,
                     uint32_t number, th__item_vec *parts, bool *empty)
{
    const th_page *page = view->page;
    th__item part = *whole;
    uint32_t len = 0;
    th_str bare = th__str_trim(th__page_slice(page, span.start, span.end));
    span.start = (uint32_t)(bare.ptr - page->text.ptr);
    span.end = span.start + (uint32_t)bare.len;
    part.span = span;
    part.hash = 0;
    for (uint32_t t = th__token_at(page, span.start); t < page->token_count; t++) {
        uint32_t from = page->tokens[t].start, to = page->tokens[t + 1].start;
        if (from >= span.end)
            break;
        from = from < span.start ? span.start : from;
        to = to > span.end ? span.end : to;
        if (page->tokens[t].kind == TH_TOKEN_TEXT)
            th__text_measure(th__page_slice(page, from, to), &part.hash, &len);
    }
    part.by_path = part.between = part.glued = part.whole_cell = false;
    part.sign = (uint8_t)sign;
    part.base = part.key = th__part_base(whole->key, TH__PART_SIGN, sign);
    part.told = TH__TOLD_BY_PLACE;
    part.telling = 0;
    part.position = TH__NO_POSITION;
    part.label = TH__NO_ITEM;
    part.whole = number;
    part.joins = 0;
    part.after = 0;
    *empty |= !len;
    return th__vec_push(parts, part);
}

/* Most characters are ASCII and no references. */
static uint32_t next_char(th_str text, uint32_t at, uint32_t *code)
{
    *code = (unsigned char)text.ptr[at];
    return *code < 0x80 && *code != '&' ? 1 : (uint32_t)th__char_next(text, at, code);
}

/* Returns true if a sign may be in a source: itself, a reference, or a character of several bytes.
 * Most texts have none of them, and all of their bytes are compared at once. */
static bool may_hold(th_str source, uint32_t sign)
{
    unsigned char byte = sign < 0x80 ? (unsigned char)sign : '&', any = 0;
    for (size_t i = 0; i < source.len; i++) {
        unsigned char c = (unsigned char)source.ptr[i];
        any |= (unsigned char)((c == byte) | (c == '&') | (c >> 7));
    }
    return any;
}

/* Where the next sign with blanks around it is; false when there is none. */
static bool next_sign(const th_page *page, uint32_t *at, uint32_t end, uint32_t sign, th_span *out)
{
    bool blank = false;
    if (!may_hold(th__page_slice(page, *at, end), sign))
        return false;
    for (uint32_t t = th__token_at(page, *at); *at < end; t++) {
        uint32_t to = page->tokens[t + 1].start < end ? page->tokens[t + 1].start : end;
        if (page->tokens[t].kind != TH_TOKEN_TEXT)
            *at = to;
        th_str text = th__page_slice(page, 0, to);
        while (*at < to) {
            uint32_t code = 0, next = 0, from = *at;
            *at += next_char(text, from, &code);
            if (blank && th__part_sign(code) == sign && *at < to) {
                next_char(text, *at, &next);
                *out = (th_span){from, *at};
                if (th__is_blank_char(next))
                    return true;
            }
            blank = th__is_blank_char(code);
        }
    }
    return false;
}

/* Appends the parts of a text between signs with blanks around them, at most so many: the last one
 * takes all the rest. A text without the sign has no parts. False if out of memory. */
static bool split_at_signs(const th__view *view, const th__item *whole, uint32_t sign,
                           uint32_t most, uint32_t number, th__item_vec *parts)
{
    bool empty = false;
    uint32_t at = whole->span.start, from = at;
    size_t before = parts->len;
    th_span found;
    while (parts->len - before + 1 < most &&
           next_sign(view->page, &at, whole->span.end, sign, &found)) {
        if (!add_part(view, whole, (th_span){from, found.start}, sign, number, parts, &empty))
            return false;
        from = found.end;
    }
    if (parts->len > before &&
        !add_part(view, whole, (th_span){from, whole->span.end}, sign, number, parts, &empty))
        return false;
    parts->len = empty ? before : parts->len; /* a sign at an end is not between values */
    return true;
}

bool th__parts_add(const th__view *view, const th__extent *extents, const th__item *whole,
                   uint32_t sign, uint32_t most, th__item_vec *parts)
{
    return sign ? split_at_signs(view, whole, sign, most, 1, parts)
                : add_elements(view, extents, whole, 1, parts);
}

/* ---- which columns --------------------------------------------------------------------------- */

/* What the texts at a place look like. */
struct part_looks {
    uint32_t count[3]; /* without letters, with both, without digits */
};

static uint32_t look_of(th_str text)
{
    bool digit = false, letter = false;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        digit |= th__is_digit(c);
        letter |= th__is_alpha(c) || c >= 0x80;
    }
    return digit && letter ? 1 : digit ? 0 : 2;
}

/* The look of seven in ten texts, or 3. */
static uint32_t usual_look(const struct part_looks *looks, uint32_t texts)
{
    for (uint32_t i = 0; i < 3; i++)
        if (10 * looks->count[i] >= 7 * texts)
            return i;
    return 3;
}

struct splitter {
    const th__view *view;
    const th__columns *columns;
    const uint32_t *cells; /* items of the column at hand */
    uint32_t count;
    uint32_t sign, most; /* what it is cut at, and into how many; 0: not at all */
};

/* How many parts the texts have: the number that four in five of them have, or 0. */
static uint32_t usual_parts(const struct splitter *s, uint32_t sign)
{
    uint32_t counts[MOST_PARTS + 1] = {0};
    /* Most columns have none, which the first texts show. */
    for (uint32_t i = 0; i < s->count && 5 * (counts[0] + counts[1]) <= s->count; i++) {
        const th__item *item = &s->columns->items[s->cells[i]];
        uint32_t parts = 1, at = item->span.start;
        th_span found;
        while (parts <= MOST_PARTS && next_sign(s->view->page, &at, item->span.end, sign, &found))
            parts++;
        counts[parts <= MOST_PARTS ? parts : 0]++;
        if (5 * (counts[0] + counts[1]) > s->count)
            return 0; /* most texts are not looked at in most columns */
    }
    for (uint32_t parts = 2; parts <= MOST_PARTS; parts++)
        if (5 * counts[parts] >= 4 * s->count)
            return parts;
    return 0;
}

/* Returns true if the parts look different, and none is the same everywhere. */
static bool parts_differ(const struct splitter *s, uint32_t sign, uint32_t most, bool *failed)
{
    struct part_looks looks[MOST_PARTS] = {0};
    uint64_t first[MOST_PARTS] = {0};
    bool varied[MOST_PARTS] = {0}, differ = false;
    uint32_t texts = 0;
    th__item_vec parts = {0};
    for (uint32_t i = 0; i < s->count && !*failed; i++) {
        parts.len = 0;
        *failed = !split_at_signs(s->view, &s->columns->items[s->cells[i]], sign, most, 1, &parts);
        if (parts.len != most)
            continue;
        for (uint32_t p = 0; p < most; p++) {
            looks[p].count[look_of(part_text(s->view, &parts.data[p]))]++;
            varied[p] |= texts && parts.data[p].hash != first[p];
            first[p] = parts.data[p].hash;
        }
        texts++;
    }
    th__vec_release(&parts);
    bool all = texts >= LEAST_TEXTS;
    for (uint32_t p = 0; p < most; p++) {
        uint32_t look = usual_look(&looks[p], texts);
        all &= varied[p] && look < 3;
        differ |= look != usual_look(&looks[0], texts);
    }
    return all && differ;
}

/* Decides about a column. */
static bool judge(struct splitter *s, const th__column *column)
{
    const th__item *sample = &s->columns->items[column->sample];
    uint64_t bytes = 0;
    bool failed = false;
    s->sign = s->most = 0;
    if (column->kind != TH__ITEM_TEXT || column->list || column->is_label || column->cut ||
        sample->heading || s->count < LEAST_TEXTS)
        return true;
    for (uint32_t i = 0; i < s->count; i++)
        bytes += part_text(s->view, &s->columns->items[s->cells[i]]).len;
    for (uint32_t i = 0; i < SIGNS && !s->sign && bytes <= MEAN_BYTES * (uint64_t)s->count; i++) {
        uint32_t most = usual_parts(s, signs[i]);
        if (most && parts_differ(s, signs[i], most, &failed)) {
            s->sign = signs[i];
            s->most = most;
        }
    }
    return !failed;
}

/* ---- the columns of parts -------------------------------------------------------------------- */

/* Notes what is in a column of parts. */
static void count_part(th__column *column, const th__item *item, uint32_t at)
{
    if (!column->items++)
        *column = (th__column){.key = item->key,
                               .items = 1,
                               .sample = at,
                               .label = TH__NO_ITEM,
                               .kind = TH__ITEM_TEXT};
    column->filled++;
    column->distinct++;
}

/* Cuts the texts of a column at a sign. Parts are columns by their place. */
static bool split_column(struct cutting *c, uint32_t column, uint32_t number)
{
    uint32_t *cells = c->cells + c->cell_first[column];
    struct splitter s = {c->view, c->columns, cells,
                         c->cell_first[column + 1] - c->cell_first[column]};
    th__columns *parts = &c->cuts[column].parts;
    th__item_vec items = {0};
    if (!judge(&s, &c->columns->columns[column]))
        return false;
    if (!s.sign)
        return true;
    c->cuts[column] = (struct cut){.is = true, .keep = true, .by_sign = true};
    parts->column_count = s.most;
    parts->columns = th__arena_zero(c->scratch, s.most, sizeof *parts->columns);
    parts->first = th__arena_alloc(c->scratch, ((size_t)s.count + 1) * sizeof *parts->first);
    bool ok = parts->columns && parts->first;
    for (uint32_t cell = 0; ok && cell < s.count; cell++) {
        parts->first[cell] = (uint32_t)items.len;
        ok = split_at_signs(c->view, &c->columns->items[cells[cell]], s.sign, s.most, number,
                            &items);
        for (uint32_t i = parts->first[cell]; ok && i < items.len; i++) {
            th__item *part = &items.data[i];
            th__item_place(part, part->column = i - parts->first[cell]);
            part->record = cell;
            count_part(&parts->columns[part->column], part, i);
        }
    }
    if (ok) {
        parts->first[s.count] = parts->item_count = (uint32_t)items.len;
        parts->items = th__arena_keep(c->scratch, items.data, items.len, sizeof *items.data);
    }
    th__vec_release(&items);
    return ok && parts->items;
}

bool th__columns_split(th__arena *arena, th__arena *scratch, const th__view *view,
                       th__columns *columns)
{
    struct cutting c = {.arena = arena, .scratch = scratch, .view = view, .columns = columns};
    bool any;
    return cut_cells(&c, split_column, &any) && (!any || put_in_place(&c));
}
