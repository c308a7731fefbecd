/* template_page.c: reads a page: names, texts, pieces, lines; see template_page.h. */
#include "engine/template/template_page.h"

#include <math.h>
#include <stdio.h>

#include "index/view.h"
#include "page/lex.h"
#include "page/tags.h"
#include "page/text.h"
#include "page/charref.h"

/* ---- names ----------------------------------------------------------------------------------- */

/* The first word; all words if there are many, as in utility classes ("flex p-4 text-sm"), of which
 * no single one identifies an element. */
static th_str first_word(th_str text)
{
    enum { MANY_WORDS = 3 };
    size_t words = 0, end = 0;
    text = th__str_trim(text);
    for (size_t i = 0; i < text.len; i++) {
        bool blank = th__is_blank((unsigned char)text.ptr[i]) || !text.ptr[i];
        if (blank && !end)
            end = i;
        words += !blank && (!i || th__is_blank((unsigned char)text.ptr[i - 1]));
    }
    return (th_str){text.ptr, words < MANY_WORDS && end ? end : text.len};
}

/* The attributes that name elements, best first. Those from the second on count as ids: the names
 * that microdata or RDFa give are as good. */
static const th_str name_attributes[] = {
    {"class", 5}, {"id", 2}, {"itemprop", 8}, {"property", 8}, {"name", 4}};
enum { NAME_ATTRIBUTES = sizeof name_attributes / sizeof *name_attributes };

/* Reads the attributes that name an element; of a repeated attribute the first counts. */
static void find_names(const th_page *page, uint32_t node, th_str *found)
{
    th_attr attr;
    uint32_t token = page->nodes[node].token;
    if (!node || !(page->tokens[token].flags & TH_TOKEN_HAS_ATTRS))
        return;
    for (th_attr_iter it = th_attrs(page, token); th_attr_next(&it, &attr);)
        for (unsigned i = 0; i < NAME_ATTRIBUTES; i++)
            if (!found[i].ptr && attr.name.len == name_attributes[i].len &&
                th__str_eq_nocase(attr.name, name_attributes[i]))
                found[i] = attr.value;
}

bool th__template_name_get(const th_page *page, uint32_t node, bool id, th_str *name)
{
    th_str found[NAME_ATTRIBUTES] = {0};
    find_names(page, node, found);
    *name = (th_str){0};
    for (unsigned i = id; i < (id ? NAME_ATTRIBUTES : 1) && !name->len; i++)
        *name = first_word(found[i]);
    return name->len > 0;
}

static uint64_t if_known(const th__template_outline *o, th_str name)
{
    uint64_t hash = th__template_name_hash(name);
    return hash && (!o->known || th__key_map_get(o->known, hash)) ? hash : 0;
}

void th__template_read_names(const th__template_outline *o, uint32_t node)
{
    th_str found[NAME_ATTRIBUTES] = {0}, id = {0};
    uint32_t like = 0;
    o->cls[node] = o->id[node] = 0;
    if (node && o->page->tokens[o->page->nodes[node].token].flags & TH_TOKEN_HAS_ATTRS)
        like = th__tag_memo_find(o->memo, o->page, node);
    if (like) {
        o->cls[node] = o->cls[like];
        o->id[node] = o->id[like];
        return;
    }
    find_names(o->page, node, found);
    for (unsigned i = 1; i < NAME_ATTRIBUTES && !id.len; i++)
        id = first_word(found[i]);
    o->cls[node] = if_known(o, first_word(found[0]));
    o->id[node] = if_known(o, id);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Blanks around a text are ignored; those within it count as they are. */
uint64_t th__template_text_hash(th_str text, bool *readable)
{
    text = th__blank_trim(text);
    for (size_t i = 0; i < text.len && !*readable; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        *readable = th__is_alpha(c) || th__is_digit(c) || (c >= 0x80 && !th__blank_at(text, i));
    }
    return th__hash(text.ptr, text.len) | 1;
}

/* Finds the sign that ends a label: a colon, or an equals sign between blanks ("Brand = Canon"). */
static const char *find_label_end(th_str text)
{
    for (size_t i = 1; i < text.len; i++)
        if (text.ptr[i] == ':' || (text.ptr[i] == '=' && i + 1 < text.len &&
                                   text.ptr[i - 1] == ' ' && text.ptr[i + 1] == ' '))
            return text.ptr + i;
    return NULL;
}

th_str th__template_prefix(th_str text)
{
    enum { LONGEST = 40 }; /* bytes: longer text is a sentence */
    text = th__blank_trim(text);
    const char *end = find_label_end((th_str){text.ptr, text.len < LONGEST ? text.len : LONGEST});
    if (!end || th__is_digit((unsigned char)end[-1]))
        return (th_str){0};
    size_t len = (size_t)(end - text.ptr) + 1;
    th_str rest = th__blank_trim((th_str){end + 1, text.len - len});
    /* A time or a URL is not a label with a value. */
    return rest.len && rest.ptr[0] != '/' ? (th_str){text.ptr, len} : (th_str){0};
}

uint32_t th__template_attribute_node(const th_page *page, uint32_t node, uint16_t tag)
{
    enum { FAR = 8 }; /* elements of a leaf that are searched */
    uint32_t end = page->nodes[node].end;
    for (uint32_t n = node; n < end && n < node + FAR; n++)
        if (page->tags[n] == tag)
            return n;
    return 0;
}

/* ---- elements and texts of a page ------------------------------------------------------------ */

/* `before`: by token, the number of texts before it. */
static void find_units(th__template_outline *o, uint32_t *before)
{
    const th_page *page = o->page;
    uint32_t hidden = 0, node = 0, next = 1;
    for (uint32_t t = 0; t < page->token_count; t++) {
        const th_token *token = &page->tokens[t];
        before[t] = o->unit_count;
        if (token->kind == TH_TOKEN_START && th__tag_hides(token->tag) && t >= hidden)
            hidden = th__hidden_end(page, t);
        if (t < hidden || !th__is_text(token))
            continue;
        bool readable = false;
        uint64_t hash = th__template_text_hash(th__token_text(page, t), &readable);
        if (!readable)
            continue;
        while (next < page->node_count && page->nodes[next].token < t)
            node = next++;
        while (node && page->nodes[node].token_end <= t)
            node = page->nodes[node].parent;
        o->sums[o->unit_count + 1] = o->sums[o->unit_count] + hash;
        o->units[o->unit_count++] = (th__template_unit){hash, t, node, th__leaf_block(page, node)};
    }
    before[page->token_count] = o->unit_count;
}

bool th__template_outline_make(th__arena *arena, const th_page *page, const th__key_map *known,
                               th__template_outline *out)
{
    size_t nodes = page->node_count;
    uint32_t texts = 0;
    *out = (th__template_outline){.page = page, .known = known};
    for (uint32_t t = 0; t < page->token_count; t++)
        texts += th__is_text(&page->tokens[t]);
    uint32_t *before = th__arena_alloc(arena, ((size_t)page->token_count + 1) * sizeof *before);
    out->memo = th__arena_zero(arena, 1, sizeof *out->memo);
    out->cls = th__arena_alloc(arena, nodes * sizeof *out->cls);
    out->id = th__arena_alloc(arena, nodes * sizeof *out->id);
    out->first_unit = th__arena_alloc(arena, nodes * sizeof *out->first_unit);
    out->end_unit = th__arena_alloc(arena, nodes * sizeof *out->end_unit);
    out->units = th__arena_alloc(arena, (texts + 1) * sizeof *out->units);
    out->sums = th__arena_alloc(arena, (texts + 1) * sizeof *out->sums);
    if (!before || !out->memo || !out->cls || !out->id || !out->first_unit || !out->end_unit ||
        !out->units || !out->sums)
        return false;
    out->sums[0] = 0;
    find_units(out, before);
    for (uint32_t n = 0; n < nodes; n++) {
        out->first_unit[n] = before[page->nodes[n].token];
        out->end_unit[n] = before[page->nodes[n].token_end];
        if (known)
            out->cls[n] = TH__NAME_UNREAD;
        else
            th__template_read_names(out, n);
    }
    return true;
}

bool th__template_goes_on(const th__template_outline *o, uint32_t unit, uint16_t tag)
{
    th_str text = th__template_unit_text(o, unit);
    return tag == TH_TAG_BR && text.len && text.ptr[text.len - 1] == ',';
}

uint64_t th__template_shape(const th__template_outline *o, uint32_t node)
{
    uint64_t shape = 0, last = 0;
    const th_node *nodes = o->page->nodes;
    for (uint32_t c = node + 1; c < nodes[node].end; c = nodes[c].end) {
        uint64_t step = th__template_node_step(o, c);
        for (unsigned k = 0; step != last && k < 4; k++)
            shape |= UINT64_C(1) << (step >> 6 * k & 63); /* small filter: 4 bits per step */
        last = step;
    }
    return shape;
}

bool th__template_next(th__template_walk *w, th__template_child *out)
{
    const th_node *nodes = w->o->page->nodes;
    bool node = w->node < w->node_end, unit = w->unit < w->unit_end;
    if (!node && !unit)
        return false;
    if (unit && (!node || w->o->units[w->unit].token < nodes[w->node].token)) {
        *out = (th__template_child){TH__NO_CHILD, w->unit++};
        return true;
    }
    *out = (th__template_child){w->node, TH__NO_CHILD};
    w->unit = w->o->end_unit[w->node];
    w->node = nodes[w->node].end;
    return true;
}

/* ---- pieces of a text ------------------------------------------------------------------------ */

bool th__template_is_field_gap(const th__sign *sign)
{
    return sign->flags & TH__SIGN_PARTS && sign->flags & TH__SIGN_OPENS &&
           sign->flags & TH__SIGN_CLOSES && !(sign->flags & TH__SIGN_TIGHT);
}

static bool is_blank_at(const char *text, uint32_t at, th_span span)
{
    return at <= span.start || at >= span.end || th__is_blank((unsigned char)text[at]) ||
           text[at] == '<' || text[at - 1] == '>';
}

/* Returns true if the sign is a gap here: it has blanks on both sides, or only after it if that is
 * enough for this sign. */
static bool is_gap(const char *text, uint32_t at, th_span span, th_str gap)
{
    if (span.end - at < gap.len || memcmp(text + at, gap.ptr, gap.len) != 0)
        return false;
    if (gap.ptr[0] == ';' &&
        th__ends_reference((th_str){text + span.start, span.end - span.start}, at - span.start))
        return false;
    uint32_t behind = at + (uint32_t)gap.len;
    bool list = gap.ptr[0] == ',' || gap.ptr[0] == ';' || gap.len > 8;
    bool left = list || at == span.start || is_blank_at(text, at - 1, span);
    bool right = gap.len > 8 || behind >= span.end || is_blank_at(text, behind, span);
    return left && right;
}

/* Returns true if a place is inside a tag that begins in the span. */
static bool is_in_tag(const char *text, uint32_t at, th_span span)
{
    while (at > span.start && text[at - 1] != '<' && text[at - 1] != '>')
        at--;
    return at > span.start && text[at - 1] == '<';
}

/* The next place of a byte in a span, or its end. */
static uint32_t find_byte(const char *text, th_span span, char byte)
{
    const char *found = memchr(text + span.start, byte, span.end - span.start);
    return found ? (uint32_t)(found - text) : span.end;
}

bool th__template_next_piece(const th_page *page, th_span *rest, th_str gap, th_span *piece)
{
    const char *text = page->text.ptr;
    th_span left = *rest;
    if (rest->start >= rest->end)
        return false;
    *piece = *rest;
    rest->start = rest->end;
    while ((left.start = find_byte(text, left, gap.ptr[0])) < left.end) {
        if (!is_gap(text, left.start, *piece, gap)) {
            left.start++;
        } else if (is_in_tag(text, left.start, *piece)) {
            left.start = find_byte(text, left, '>');
        } else {
            piece->end = left.start;
            rest->start = left.start + (uint32_t)gap.len;
            break;
        }
    }
    return true;
}

uint32_t th__template_behind_label(const th_page *page, th_span span, th_str label)
{
    const char *text = page->text.ptr;
    uint32_t at = span.start;
    while (at < span.end && th__is_blank((unsigned char)text[at]))
        at++;
    for (size_t i = 0; i < label.len; i++) {
        unsigned char want = (unsigned char)label.ptr[i];
        if (th__is_blank(want)) {
            while (at < span.end && th__is_blank((unsigned char)text[at]))
                at++;
        } else if (at >= span.end || (unsigned char)text[at++] != want) {
            return span.end;
        }
    }
    return at;
}

/* ---- gaps and bullets in lines --------------------------------------------------------------- */

const char *const th__template_trait_names[TH__TRAITS + 1] = {
    "begins", "markup", "after", "shape", "first", "last", "size", "whole", NULL};

static bool is_blank_between(th_str text, size_t at)
{
    return at >= text.len || th__is_blank((unsigned char)text.ptr[at]);
}

/* The bytes of no-break spaces at a place, and how many spaces they are. */
static size_t no_break_run(th_str text, size_t at, unsigned *blanks)
{
    size_t start = at;
    *blanks = 0;
    for (size_t len; at < text.len && (len = th__no_break_at(text, at)); at += len)
        ++*blanks;
    return at - start;
}

/* Finds the next gap at or after a place: where it begins, or the end of the text if there is none,
 * and its length in bytes. Two no-break spaces are a gap, more are an indent. */
static size_t next_gap(th_str text, size_t at, th_str gap, size_t *len)
{
    const char *found;
    *len = gap.len;
    if (!gap.len)
        return text.len;
    if (th__no_break_at(gap, 0)) {
        unsigned blanks;
        for (; at < text.len && text.len - at >= gap.len; at += *len ? *len : 1) {
            *len = no_break_run(text, at, &blanks);
            if (blanks == 2)
                return at;
        }
        return text.len;
    }
    for (; at < text.len; at++) {
        if (!(found = memmem(text.ptr + at, text.len - at, gap.ptr, gap.len)))
            break;
        at = (size_t)(found - text.ptr);
        if ((!at || is_blank_between(text, at - 1)) && is_blank_between(text, at + gap.len))
            return at;
    }
    return text.len;
}

bool th__template_has_gap(th_str text, th_str gap)
{
    size_t len;
    return next_gap(text, 0, gap, &len) < text.len;
}

/* The length in bytes of the bullet at the start of a line, including blanks before it. A sign that
 * also separates values is a bullet only if nothing precedes it. */
static size_t bullet_len(th_str text, th_str gap)
{
    unsigned blanks;
    size_t at = 0;
    bool indented = false;
    for (; at < text.len && th__is_blank((unsigned char)text.ptr[at]); at++)
        indented = text.ptr[at] != '\n' && text.ptr[at] != '\r';
    size_t run = at < text.len ? no_break_run(text, at, &blanks) : 0;
    if (run && blanks > 2)
        return at + run;
    for (size_t i = 0; i < th__sign_count; i++) {
        th_str bullet = th__signs[i].text;
        if (th__signs[i].flags & TH__SIGN_BULLET && text.len - at > bullet.len &&
            !memcmp(text.ptr + at, bullet.ptr, bullet.len) &&
            is_blank_between(text, at + bullet.len) && !(indented && th__str_eq(bullet, gap)))
            return at + bullet.len;
    }
    return 0;
}

/* ---- parts ----------------------------------------------------------------------------------- */

struct line_walker {
    const th__template_lines *lines;
    const th__template_outline *o;
    TH__VEC(th__template_part) parts;
    bool failed;
    uint32_t row;
    th__template_part now;
    uint32_t unit;        /* the first text that is not passed yet */
    uint32_t text_end;    /* the end of the text in the part's first element */
    uint32_t element_end; /* the end of the outermost open element */
    uint32_t after_node;
    bool bare; /* the line is empty so far */
    bool bullet;
};

static void begin_part(struct line_walker *w, bool line, uint32_t at)
{
    w->row += line;
    w->bare |= line;
    w->bullet &= !line;
    w->now = (th__template_part){.span = {UINT32_MAX, at},
                                 .unit = UINT32_MAX,
                                 .row = w->row,
                                 .line = line,
                                 .after_node = w->after_node};
    w->text_end = 0;
}

static uint32_t skip_blanks(const th_page *page, uint32_t at, uint32_t end)
{
    th_str text = {page->text.ptr, end};
    for (size_t len; at < end && (len = th__blank_at(text, at));)
        at += (uint32_t)len;
    return at;
}

/* Finds what may be a label before the value: the first element, or a text up to a colon. */
static void find_label(const struct line_walker *w, th__template_part *part)
{
    const th_page *page = w->o->page;
    bool readable = false;
    if (part->tags[0] && part->elements[0] <= part->span.start) {
        part->maybe = (th_span){part->span.start, w->text_end};
        part->maybe_tag = part->tags[0];
        part->behind = skip_blanks(page, part->elements[1], part->span.end);
        while (part->behind < part->span.end && page->text.ptr[part->behind] == ':')
            part->behind = skip_blanks(page, part->behind + 1, part->span.end);
    } else {
        uint32_t end = part->tags[0] ? part->elements[0] : part->span.end;
        th_str text = th__str_trim(th__page_slice(page, part->span.start, end));
        th_str prefix = th__template_prefix(text);
        bool whole = !prefix.ptr && text.len <= 40 && th__ends_with_colon(text);
        if (!prefix.ptr && !whole)
            return;
        uint32_t len = (uint32_t)(whole ? text.len : (size_t)(prefix.ptr + prefix.len - text.ptr));
        part->maybe = (th_span){part->span.start, part->span.start + len};
        part->behind = skip_blanks(page, part->maybe.end, part->span.end);
    }
    part->followed = part->behind < part->span.end;
    if (part->maybe.end > part->maybe.start)
        part->maybe_hash = th__template_text_hash(
            th__page_slice(page, part->maybe.start, part->maybe.end), &readable);
    if (!readable)
        part->maybe_hash = 0;
}

/* An empty line is not a part; between two gaps, an empty part is a missing value. */
static void end_part(struct line_walker *w)
{
    th__template_part *part = &w->now;
    bool empty = part->span.start == UINT32_MAX;
    if ((empty && part->line) || w->parts.len == TH__MAX_PARTS)
        return;
    if (empty)
        part->span.start = part->span.end;
    else
        find_label(w, part);
    part->bullet = w->bullet;
    w->failed |= !th__vec_push(&w->parts, *part);
}

static void add_text(struct line_walker *w, uint32_t start, uint32_t end, bool readable)
{
    const th_page *page = w->o->page;
    start = skip_blanks(page, start, end);
    while (end > start && th__is_blank((unsigned char)page->text.ptr[end - 1]))
        end--;
    if (start >= end)
        return;
    th__template_part *part = &w->now;
    if (part->span.start == UINT32_MAX)
        part->span.start = start;
    part->span.end = end;
    if (part->tags[0] && start < part->elements[1])
        w->text_end = end;
    if (readable) {
        part->unit = part->unit == UINT32_MAX ? w->unit : part->unit;
        part->last = w->unit;
    }
    w->bare = false;
}

/* Returns true if a sign may separate parts: a dash or slash in an element belongs to its text. */
static bool may_part(const struct line_walker *w, uint32_t at)
{
    char sign = w->lines->gap.len == 1 ? w->lines->gap.ptr[0] : 0;
    return at >= w->element_end || (sign != '-' && sign != '/');
}

static void read_text(struct line_walker *w, uint32_t token)
{
    const th_page *page = w->o->page;
    uint32_t base = page->tokens[token].start, from = 0;
    th_str text = th__token_text(page, token);
    while (w->unit < w->o->unit_count && w->o->units[w->unit].token < token)
        w->unit++;
    bool readable = w->unit < w->o->unit_count && w->o->units[w->unit].token == token;
    size_t bullet = w->bare && w->now.line ? bullet_len(text, w->lines->gap) : 0;
    if (bullet) {
        w->bullet = true;
        w->bare = false;
        from = (uint32_t)bullet;
    }
    size_t len;
    for (size_t at = from; (at = next_gap(text, at, w->lines->gap, &len)) < text.len; at += len) {
        if (!may_part(w, base + (uint32_t)at))
            continue;
        add_text(w, base + from, base + (uint32_t)at, readable);
        end_part(w);
        begin_part(w, false, base + (uint32_t)(at + len));
        from = (uint32_t)(at + len);
    }
    add_text(w, base + from, base + (uint32_t)text.len, readable);
}

/* Returns true if the line continues: a line that ends with a comma does. */
static bool goes_on(const struct line_walker *w)
{
    const th__template_part *part = &w->now;
    return part->span.start < part->span.end && w->o->page->text.ptr[part->span.end - 1] == ',';
}

/* Reads an element in the lines; returns the token after it. */
static uint32_t read_element(struct line_walker *w, uint32_t node)
{
    const th__template_outline *o = w->o;
    const th_node *n = &o->page->nodes[node];
    uint16_t tag = o->page->tags[node];
    uint32_t start = o->page->tokens[n->token].start, end = o->page->tokens[n->token_end].start;
    if (tag == TH_TAG_BR) {
        if (!goes_on(w)) {
            end_part(w);
            begin_part(w, true, end);
        }
        return n->token_end;
    }
    bool other = !th__tag_is_wording(tag) ||
                 th__key_map_get(&w->lines->inside, th__template_node_step(o, node) | 1);
    if (other && tag != TH_TAG_IMG) {
        end_part(w);
        w->after_node = node;
        begin_part(w, true, end);
    }
    if (other)
        return n->token_end;
    w->element_end = end > w->element_end ? end : w->element_end;
    unsigned k = w->now.tags[0] ? 1 : 0;
    if (!w->now.tags[k] && (!k || start >= w->now.elements[1])) {
        w->now.tags[k] = tag;
        w->now.elements[2 * k] = start;
        w->now.elements[2 * k + 1] = end;
    }
    return n->token + 1;
}

bool th__template_lines_read(const th__template_lines *lines, const th__template_outline *o,
                             uint32_t node, th__arena *arena, th__template_part **out,
                             uint32_t *count)
{
    const th_page *page = o->page;
    const th_node *n = &page->nodes[node];
    struct line_walker w = {.lines = lines, .o = o, .unit = o->first_unit[node]};
    uint32_t next = node + 1, token = node ? n->token + 1 : 0;
    begin_part(&w, true, page->tokens[token].start);
    while (token < n->token_end) {
        const th_token *t = &page->tokens[token];
        while (next < n->end && page->nodes[next].token < token)
            next++;
        bool element = next < n->end && page->nodes[next].token == token;
        uint32_t hidden = t->kind == TH_TOKEN_START ? th__hidden_end(page, token) : token + 1;
        if (hidden > token + 1) {
            token = hidden;
        } else if (element) {
            token = read_element(&w, next);
        } else {
            if (t->kind == TH_TOKEN_TEXT)
                read_text(&w, token);
            token++;
        }
    }
    end_part(&w);
    *count = (uint32_t)w.parts.len;
    *out = w.failed ? NULL : th__arena_alloc(arena, (w.parts.len + 1) * sizeof **out);
    if (*out && w.parts.len)
        memcpy(*out, w.parts.data, w.parts.len * sizeof **out);
    th__vec_release(&w.parts);
    return *out;
}

/* ---- traits ---------------------------------------------------------------------------------- */

enum { TRAIT_LEN = 32 };

struct value_look {
    char texts[TH__TRAITS][TRAIT_LEN];
    unsigned words, digits;
};

static void append(char *text, th_str more)
{
    size_t len = strlen(text), room = TRAIT_LEN - 1 - len;
    if (more.len > room)
        more.len = room;
    memcpy(text + len, more.ptr, more.len);
    text[len + more.len] = 0;
}

static const char *const class_signs[TH_CLASS_COUNT] = {[TH_CLASS_NUMBER] = "0",
                                                        [TH_CLASS_INITCAP] = "Aa",
                                                        [TH_CLASS_ALLCAPS] = "AA",
                                                        [TH_CLASS_MIXED] = "a0"};

/* Reads the fine tokens of a value, one at a time. */
static void look_at(const th_page *page, const th_fine *fine, unsigned *before,
                    struct value_look *look)
{
    th_str source = th__page_slice(page, fine->start, fine->end);
    bool word = th__class_is(fine->cls, TH_CLASS_WORD), number = fine->cls == TH_CLASS_NUMBER;
    const char *known = class_signs[fine->cls];
    th_str sign = word ? th_str_from(known ? known : "a") : source;
    th_str text = number ? TH_STR("0") : source;
    look->words += word;
    look->digits += number ? (unsigned)source.len : 0;
    /* A name of two words looks like one of three, and signs between words mean little. */
    bool tells = word ? number || *before != fine->cls
                      : *before == TH_CLASS_NUMBER || !strchr("&.,;'()", source.ptr[0]);
    if (tells)
        append(look->texts[TH__TRAIT_SHAPE], sign);
    if (tells || word)
        *before = fine->cls;
    if (!look->texts[TH__TRAIT_FIRST][0])
        append(look->texts[TH__TRAIT_FIRST], text);
    look->texts[TH__TRAIT_LAST][0] = 0;
    append(look->texts[TH__TRAIT_LAST], text);
}

/* Gives similar sizes the same name. */
static void describe_size(struct value_look *look)
{
    static const uint8_t word_steps[] = {1, 2, 3, 5, 9}, digit_steps[] = {0, 1, 2, 3, 4, 6};
    unsigned words = 0, digits = 0;
    while (words < sizeof word_steps && look->words > word_steps[words])
        words++;
    while (digits < sizeof digit_steps && look->digits > digit_steps[digits])
        digits++;
    snprintf(look->texts[TH__TRAIT_SIZE], TRAIT_LEN, "%u words, %u digits",
             words < sizeof word_steps ? word_steps[words] : 10,
             digits < sizeof digit_steps ? digit_steps[digits] : 7);
}

static void describe_value(const th_page *page, th_span span, struct value_look *look)
{
    enum { FAR = 400 }; /* fine tokens: longer values are prose */
    th_lex lex;
    th_fine fine;
    unsigned before = TH_CLASS_COUNT, count = 0;
    th_lex_init(&lex, page, span);
    while (count < FAR && th_lex_next(&lex, &fine))
        if (!th__class_is(fine.cls, TH_CLASS_HTML) && !th__class_is(fine.cls, TH_CLASS_BLANK)) {
            look_at(page, &fine, &before, look);
            count++;
        }
    describe_size(look);
    if (span.end - span.start < TRAIT_LEN)
        append(look->texts[TH__TRAIT_WHOLE], th__page_slice(page, span.start, span.end));
}

/* Describes the element before a part by its tag and the class or id that identifies it. */
static void describe_after(const th__template_outline *o, const th__template_part *part, char *text)
{
    if (!part->after_node) {
        append(text, TH_STR("-"));
        return;
    }
    th_str name = {0};
    append(text, th_token_name(o->page, o->page->nodes[part->after_node].token));
    for (char *c = text; *c; c++)
        *c = (char)th__lower((unsigned char)*c);
    if (o->cls[part->after_node] &&
        th__template_name_get(o->page, part->after_node, false, &name)) {
        append(text, TH_STR("."));
        append(text, name);
    }
}

static bool find_traits(const th__template_outline *o, th__template_part *part, th__arena *arena,
                        bool keep)
{
    struct value_look look = {0};
    bool empty = part->span.start >= part->span.end;
    append(look.texts[TH__TRAIT_LINE], part->line ? TH_STR("line") : TH_STR("gap"));
    describe_after(o, part, look.texts[TH__TRAIT_AFTER]);
    if (!empty) {
        append(look.texts[TH__TRAIT_MARKUP],
               part->markup ? th_tag_name(part->markup) : TH_STR("-"));
        describe_value(o->page, part->span, &look);
    }
    part->texts = keep ? th__arena_zero(arena, TH__TRAITS, sizeof *part->texts) : NULL;
    if (keep && !part->texts)
        return false;
    for (unsigned kind = 0; kind < TH__TRAITS; kind++) {
        th_str text = th_str_from(look.texts[kind]);
        part->hashes[kind] = text.len ? th__hash(text.ptr, text.len) | 1 : 0;
        if (keep && text.len && !(part->texts[kind] = th__arena_copy(arena, text)).ptr)
            return false;
    }
    return true;
}

bool th__template_item_part(const th__template_outline *o, uint32_t node, th__arena *arena,
                            bool keep, th__template_part *out)
{
    const th_node *n = &o->page->nodes[node];
    bool any = th__template_units_in(o, node);
    *out = (th__template_part){.line = true, .unit = any ? o->first_unit[node] : UINT32_MAX};
    out->last = any ? o->end_unit[node] - 1 : 0;
    if (any)
        out->span =
            (th_span){o->page->tokens[n->token + 1].start, o->page->tokens[n->token_end].start};
    return find_traits(o, out, arena, keep);
}

uint32_t th__template_row_end(const th__template_part *parts, uint32_t from, uint32_t to)
{
    uint32_t at = from + 1;
    while (at < to && parts[at].row == parts[from].row)
        at++;
    return at;
}

/* ---- labels, prose --------------------------------------------------------------------------- */

static void tell_part(const th__template_lines *lines, th__template_part *part)
{
    if (part->maybe_hash && th__key_map_get(&lines->labels, part->maybe_hash)) {
        part->label = part->maybe_hash;
        part->span.start = part->behind < part->span.end ? part->behind : part->span.end;
    }
    for (unsigned k = 0; k < 2; k++)
        if (part->tags[k] && part->elements[2 * k] <= part->span.start &&
            part->elements[2 * k + 1] >= part->span.end)
            part->markup = part->tags[k];
}

/* Returns true if a text is at least a sentence. */
static bool is_prose(const th_page *page, th_span span)
{
    enum { SENTENCE = 20 }; /* bytes */
    static const th_str ends[] = {{".", 1}, {"!", 1}, {"?", 1}, {"\xE2\x80\xA6", 3}, {";", 1}};
    th_str text = th__page_slice(page, span.start, span.end);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (text.len >= SENTENCE &&
            !memcmp(text.ptr + text.len - ends[i].len, ends[i].ptr, ends[i].len))
            return true;
    return false;
}

/* Returns true if a part is only the end of the value before it. */
static bool is_tail(const th__template_lines *lines, const th_page *page,
                    const th__template_part *before, const th__template_part *part)
{
    return lines->tail.len && !part->line && before->span.start < before->span.end &&
           th__is_digit((unsigned char)page->text.ptr[before->span.end - 1]) &&
           th__str_eq(lines->tail, th__page_slice(page, part->span.start, part->span.end));
}

/* Returns true if a part continues the text before it: one sentence per line. */
static bool goes_on_with(const th_page *page, const th__template_part *before,
                         const th__template_part *part)
{
    enum { LONG = 60 }; /* bytes: longer than a field in a line */
    bool goes = is_prose(page, part->span) || part->span.end - part->span.start >= LONG;
    return part->line && !part->label && !part->bullet && before->after_node == part->after_node &&
           is_prose(page, before->span) && goes;
}

bool th__template_lines_tell(const th__template_lines *lines, const th__template_outline *o,
                             th__template_part *parts, uint32_t *count, th__arena *arena, bool keep)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++) {
        th__template_part part = parts[i], *before = kept ? &parts[kept - 1] : NULL;
        tell_part(lines, &part);
        bool tail = before && is_tail(lines, o->page, before, &part);
        if (tail || (before && goes_on_with(o->page, before, &part))) {
            before->joined |= !tail;
            before->span.end = part.span.end;
            before->last = part.unit == UINT32_MAX ? before->last : part.last;
            continue;
        }
        parts[kept++] = part;
    }
    *count = kept;
    for (uint32_t i = 0; i < kept; i++)
        if (!find_traits(o, &parts[i], arena, keep))
            return false;
    return true;
}

uint32_t th__template_lines_fold(const th__template_lines *lines, const th__template_part *parts,
                                 uint32_t count, th__template_part *out)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count;) {
        if (!parts[i].bullet && !lines->rows) {
            out[kept++] = parts[i++];
            continue;
        }
        th__template_part set = {.set = true, .from = i, .unit = parts[i].unit, .line = true};
        while (i < count && (lines->rows || parts[i].bullet))
            i++;
        set.to = i;
        out[kept++] = set;
    }
    return kept;
}

/* ---- slots: aligning ---------------------------------------------------------------------------
 *
 * Parts are aligned with slots in order, by how well they fit (see template_page.h); what found no
 * slot may then take a free one that it fits well. */

/* The weight of each trait. Traits of one value depend on each other, so they weigh less than
 * they would alone; a part after a line end hardly ever follows a gap instead. */
static const double weights[TH__TRAITS] = {
    [TH__TRAIT_LINE] = 1.5,  [TH__TRAIT_MARKUP] = 1,  [TH__TRAIT_AFTER] = 0.7,
    [TH__TRAIT_SHAPE] = 0.8, [TH__TRAIT_FIRST] = 0.4, [TH__TRAIT_LAST] = 0.6,
    [TH__TRAIT_SIZE] = 0.5,  [TH__TRAIT_WHOLE] = 0.3,
};

/* A label identifies a slot better than any trait. */
#define LABEL_FIT 4
/* The score of a part that fits no slot. */
#define LEFT_OUT (-5)
/* The same while slots are being found: an extra slot is better, as it can be dropped later. */
#define STRICT (-3)
/* A part outside its usual place must look like the values of its slot. */
#define MOVES 3
#define NEVER (-1e9)

/* What is known of a slot before a part is compared with it. */
struct prepared {
    const th__template_slot *slot;
    double with, without;      /* scores if it has a part and if it has none */
    double unseen[TH__TRAITS]; /* a trait that it never had */
};

/* For a part: how common each of its traits is. */
struct seen {
    double common[TH__TRAITS];
};

static double presence(const th__template_slot *slot, uint32_t times)
{
    return log((times + 0.5) / (slot->total + 1.0));
}

static struct prepared prepare(const th__template_slot *slot, bool strict)
{
    struct prepared out = {.slot = slot};
    out.with = strict ? 0 : presence(slot, slot->present);
    out.without = strict ? 0 : presence(slot, slot->total - slot->present);
    for (unsigned kind = 0; kind < TH__TRAITS; kind++)
        if (slot->traits[kind].sum)
            out.unseen[kind] =
                weights[kind] * log((double)slot->traits[kind].types /
                                    (slot->traits[kind].sum + (double)slot->traits[kind].types));
    return out;
}

static void look_up(const th__template_slots *slots, const th__template_part *part,
                    struct seen *out)
{
    for (unsigned kind = 0; kind < TH__TRAITS; kind++) {
        uint64_t key = th__template_trait_key(kind, part->hashes[kind]);
        out->common[kind] =
            (th__key_map_get(&slots->common, key) + 0.5) / (slots->totals[kind] + 1.0);
    }
}

/* Witten and Bell smoothing: a slot that had many different values expects new ones. */
static double trait_fit(const struct prepared *p, unsigned kind, uint64_t hash, double common)
{
    const th__template_slot *slot = p->slot;
    uint32_t seen = 0, types = slot->traits[kind].types, sum = slot->traits[kind].sum;
    if (!hash || !sum)
        return 0;
    for (uint32_t i = 0; i < slot->traits[kind].count && !seen; i++)
        if (slot->traits[kind].items[i].hash == hash)
            seen = slot->traits[kind].items[i].count;
    if (!seen)
        return p->unseen[kind];
    double here = (seen + types * common) / (sum + (double)types);
    return weights[kind] * log(here / common);
}

static double fit(const struct prepared *p, const th__template_part *part, const struct seen *seen)
{
    if (part->set != p->slot->set || part->label != p->slot->label)
        return NEVER;
    double sum = part->label || part->set ? LABEL_FIT : 0;
    for (unsigned kind = 0; kind < TH__TRAITS; kind++)
        sum += trait_fit(p, kind, part->hashes[kind], seen->common[kind]);
    return sum;
}

/* For parts in an unusual order: a part without a slot takes a free one that it fits well, by its
 * label or its looks. */
static void move_parts(const th__template_slots *slots, const struct prepared *ready,
                       const th__template_part *parts, uint32_t count, bool *taken, uint32_t *out)
{
    for (uint32_t i = 0; i < count; i++)
        if (out[i] != TH__NO_SLOT)
            taken[out[i]] = true;
    for (uint32_t i = 0; i < count; i++) {
        struct seen seen;
        double best = MOVES;
        if (out[i] != TH__NO_SLOT || th__template_part_is_empty(&parts[i]))
            continue;
        look_up(slots, &parts[i], &seen);
        for (uint32_t j = 0; j < slots->count; j++) {
            double here = taken[j] ? NEVER : fit(&ready[j], &parts[i], &seen);
            if (here > best || (parts[i].label && here > NEVER / 2)) {
                best = here;
                out[i] = j;
            }
        }
        if (out[i] != TH__NO_SLOT)
            taken[out[i]] = true;
    }
}

bool th__template_align(const th__template_slots *slots, const th__template_part *parts,
                        uint32_t count, th__template_way how, th__arena *scratch, uint32_t *out,
                        double *score)
{
    enum { SKIP, LEAVE, MATCH };
    th__arena own;
    if (!scratch) {
        th__arena_init(&own);
        bool ok = th__template_align(slots, parts, count, how, &own, out, score);
        th__arena_release(&own);
        return ok;
    }
    bool strict = how == TH__ALIGN_STRICTLY;
    size_t wide = slots->count + 1;
    double *best = th__arena_alloc(scratch, wide * (count + 1) * sizeof *best);
    uint8_t *way = th__arena_alloc(scratch, wide * (count + 1));
    struct prepared *ready = th__arena_alloc(scratch, wide * sizeof *ready);
    bool *taken = th__arena_zero(scratch, wide, sizeof *taken);
    struct seen seen;
    if (!best || !way || !ready || !taken)
        return false;
    best[0] = 0;
    for (uint32_t j = 1; j <= slots->count; j++) {
        ready[j - 1] = prepare(slots->list[j - 1], strict);
        best[j] = best[j - 1] + ready[j - 1].without;
        way[j] = SKIP;
    }
    for (uint32_t i = 1; i <= count; i++) {
        double left = th__template_part_is_empty(&parts[i - 1]) ? 0 : strict ? STRICT : LEFT_OUT;
        double *row = best + i * wide, *above = row - wide;
        look_up(slots, &parts[i - 1], &seen);
        row[0] = above[0] + left;
        way[i * wide] = LEAVE;
        for (uint32_t j = 1; j <= slots->count; j++) {
            const struct prepared *p = &ready[j - 1];
            double match = above[j - 1] + p->with + fit(p, &parts[i - 1], &seen);
            double skip = row[j - 1] + p->without, leave = above[j] + left;
            way[i * wide + j] = match >= skip && match >= leave ? MATCH
                                : skip >= leave                 ? SKIP
                                                                : LEAVE;
            row[j] = match >= skip && match >= leave ? match : skip >= leave ? skip : leave;
        }
    }
    if (score)
        *score = best[wide * (count + 1) - 1];
    for (uint32_t i = count, j = slots->count; i;) {
        uint8_t here = way[i * wide + j];
        if (here == SKIP) {
            j--;
            continue;
        }
        out[--i] = here == MATCH ? --j : TH__NO_SLOT;
    }
    if (how == TH__ALIGN_FREELY)
        move_parts(slots, ready, parts, count, taken, out);
    return true;
}
