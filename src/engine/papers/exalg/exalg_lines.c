/* exalg_lines.c: lines of text as parts, and what a part looks like; see exalg_lines.h. */
#include "engine/papers/exalg/exalg_lines.h"

#include <stdio.h>

#include "base/vec.h"
#include "page/lex.h"
#include "page/signs.h"
#include "page/tags.h"
#include "page/text.h"

const char *const th__exalg_trait_names[TH__EXALG_TRAITS + 1] = {
    "begins", "markup", "after", "shape", "first", "last", "size", "whole", NULL};

bool th__exalg_is_phrasing(uint16_t tag)
{
    return tag < TH_TAG_OTHER && !(th__tag_flags(tag) & TH_TAG_IS_BLOCK) && tag != TH_TAG_IMG &&
           tag != TH_TAG_INPUT && tag != TH_TAG_SELECT && tag != TH_TAG_TEXTAREA &&
           tag != TH_TAG_BUTTON && tag != TH_TAG_IFRAME && tag != TH_TAG_OBJECT;
}

/* ---- gaps and bullets ------------------------------------------------------------------------ */

static bool is_blank_between(th_str text, size_t at)
{
    return at >= text.len || th__is_blank((unsigned char)text.ptr[at]);
}

static size_t no_break_len(th_str text, size_t at)
{
    static const th_str forms[] = {{"&nbsp;", 6}, {"&#160;", 6}, {"\xC2\xA0", 2}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (text.len - at >= forms[i].len && !memcmp(text.ptr + at, forms[i].ptr, forms[i].len))
            return forms[i].len;
    return 0;
}

/* How many bytes of no-break blanks stand here, and how many blanks they are. */
static size_t no_break_run(th_str text, size_t at, unsigned *blanks)
{
    size_t start = at;
    *blanks = 0;
    for (size_t len; at < text.len && (len = no_break_len(text, at)); at += len)
        ++*blanks;
    return at - start;
}

/* How many bytes the gap takes here; 0: it does not stand here. Two no-break blanks are a gap, more
 * are an indent. */
static size_t gap_len(th_str text, size_t at, th_str gap)
{
    unsigned blanks;
    if (!gap.len || text.len - at < gap.len)
        return 0;
    if (no_break_len(gap, 0)) {
        size_t run = no_break_run(text, at, &blanks);
        return blanks == 2 ? run : 0;
    }
    bool there = !memcmp(text.ptr + at, gap.ptr, gap.len) &&
                 (!at || is_blank_between(text, at - 1)) && is_blank_between(text, at + gap.len);
    return there ? gap.len : 0;
}

uint32_t th__exalg_count_gaps(th_str text, th_str gap)
{
    uint32_t count = 0;
    unsigned blanks;
    for (size_t at = 0; at < text.len;) {
        size_t len = gap_len(text, at, gap);
        count += len > 0;
        if (!len && no_break_len(gap, 0))
            len = no_break_run(text, at, &blanks);
        at += len ? len : 1;
    }
    return count;
}

/* How many bytes of a bullet the beginning of a line is, blanks before it included. A sign that
 * parts values too is a bullet only where nothing stands before it. */
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
        if (th__signs[i].flags & TH__SIGN_BULLET && text.len - at > bullet.len && !memcmp(text.ptr + at, bullet.ptr, bullet.len) &&
            is_blank_between(text, at + bullet.len) && !(indented && th__str_eq(bullet, gap)))
            return at + bullet.len;
    }
    return 0;
}

/* ---- parts ----------------------------------------------------------------------------------- */

struct walker {
    const th__exalg_lines *lines;
    const th__exalg_outline *o;
    TH__VEC(th__exalg_part) parts;
    bool failed;
    uint32_t row;
    th__exalg_part now;
    uint32_t unit;        /* the first text that is not behind */
    uint32_t text_end;    /* of what stands in the first element of the part */
    uint32_t element_end; /* of the outermost element that is open */
    uint64_t after;
    uint32_t after_node;
    bool bare; /* nothing stands in the line yet */
    bool bullet;
};

static void begin_part(struct walker *w, bool line, uint32_t at)
{
    w->row += line;
    w->bare |= line;
    w->bullet &= !line;
    w->now = (th__exalg_part){.span = {UINT32_MAX, at},
                              .unit = UINT32_MAX,
                              .row = w->row,
                              .line = line,
                              .after = w->after,
                              .after_node = w->after_node};
    w->text_end = 0;
}

static uint32_t skip_blanks(const th_page *page, uint32_t at, uint32_t end)
{
    th_str text = {page->text.ptr, end};
    while (at < end) {
        size_t len = th__is_blank((unsigned char)text.ptr[at]) ? 1 : no_break_len(text, at);
        if (!len)
            break;
        at += (uint32_t)len;
    }
    return at;
}

/* What stands before the value and may be a label: the first element, or a text up to a colon. */
static void find_label(const struct walker *w, th__exalg_part *part)
{
    const th_page *page = w->o->page;
    bool readable = false;
    if (part->tags[0] && part->elements[0] <= part->span.start) {
        part->maybe = (th_span){part->span.start, w->text_end};
        part->maybe_tag = part->tags[0];
        part->behind = skip_blanks(page, part->elements[1], part->span.end);
        while (part->behind < part->span.end && page->text.ptr[part->behind] == ':')
            part->behind = skip_blanks(page, part->behind + 1, part->span.end);
        part->followed = part->behind < part->span.end;
    } else {
        uint32_t end = part->tags[0] ? part->elements[0] : part->span.end;
        th_str text = th__str_trim(th__page_slice(page, part->span.start, end));
        th_str prefix = th__exalg_prefix(text);
        bool whole = !prefix.ptr && text.len && text.len <= 40 && text.ptr[text.len - 1] == ':';
        if (!prefix.ptr && !whole)
            return;
        uint32_t len = (uint32_t)(whole ? text.len : (size_t)(prefix.ptr + prefix.len - text.ptr));
        part->maybe = (th_span){part->span.start, part->span.start + len};
        part->behind = skip_blanks(page, part->maybe.end, part->span.end);
        part->followed = part->behind < part->span.end;
    }
    if (part->maybe.end > part->maybe.start)
        part->maybe_hash = th__exalg_text_hash(
            th__page_slice(page, part->maybe.start, part->maybe.end), &readable);
    if (!readable)
        part->maybe_hash = 0;
}

/* A line with nothing in it is no part; between two gaps a value is missing. */
static void end_part(struct walker *w)
{
    th__exalg_part *part = &w->now;
    bool empty = part->span.start == UINT32_MAX;
    if ((empty && part->line) || w->parts.len == TH__EXALG_MAX_PARTS)
        return;
    if (empty)
        part->span.start = part->span.end;
    else
        find_label(w, part);
    part->bullet = w->bullet;
    w->failed |= !th__vec_push(&w->parts, *part);
}

static void add_text(struct walker *w, uint32_t start, uint32_t end, bool readable)
{
    const th_page *page = w->o->page;
    start = skip_blanks(page, start, end);
    while (end > start && th__is_blank((unsigned char)page->text.ptr[end - 1]))
        end--;
    if (start >= end)
        return;
    th__exalg_part *part = &w->now;
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

/* A dash or slash inside of an element is part of what stands in it. */
static bool may_part(const struct walker *w, uint32_t at)
{
    char sign = w->lines->gap.len == 1 ? w->lines->gap.ptr[0] : 0;
    return at >= w->element_end || (sign != '-' && sign != '/');
}

static void read_text(struct walker *w, uint32_t token)
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
    unsigned blanks;
    for (uint32_t at = from; at < text.len;) {
        size_t gap = may_part(w, base + at) ? gap_len(text, at, w->lines->gap) : 0;
        if (gap) {
            add_text(w, base + from, base + at, readable);
            end_part(w);
            begin_part(w, false, base + at + (uint32_t)gap);
            from = at + (uint32_t)gap;
        } else if (no_break_len(w->lines->gap, 0)) {
            gap = no_break_run(text, at, &blanks);
        }
        at += gap ? (uint32_t)gap : 1;
    }
    add_text(w, base + from, base + (uint32_t)text.len, readable);
}

/* A line that ends with a comma goes on in the next. */
static bool goes_on(const struct walker *w)
{
    const th__exalg_part *part = &w->now;
    return part->span.start < part->span.end && w->o->page->text.ptr[part->span.end - 1] == ',';
}

/* An element in the lines: its next token. */
static uint32_t read_element(struct walker *w, uint32_t node)
{
    const th__exalg_outline *o = w->o;
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
    bool other = !th__exalg_is_phrasing(tag) ||
                 th__key_map_get(&w->lines->inside, th__exalg_node_step(o, node) | 1);
    if (other && tag != TH_TAG_IMG) {
        end_part(w);
        w->after = th__exalg_node_step(o, node);
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

bool th__exalg_lines_read(const th__exalg_lines *lines, const th__exalg_outline *o, uint32_t node,
                          th__arena *arena, th__exalg_part **out, uint32_t *count)
{
    const th_page *page = o->page;
    const th_node *n = &page->nodes[node];
    struct walker w = {.lines = lines, .o = o, .unit = o->first_unit[node]};
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

struct look {
    char texts[TH__EXALG_TRAITS][TRAIT_LEN];
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

static const char *class_sign(unsigned cls)
{
    switch (cls) {
    case TH_CLASS_NUMBER:
        return "0";
    case TH_CLASS_INITCAP:
        return "Aa";
    case TH_CLASS_ALLCAPS:
        return "AA";
    case TH_CLASS_MIXED:
        return "a0";
    default:
        return "a";
    }
}

/* The fine tokens of a value, one after the other. */
static void look_at(const th_page *page, const th_fine *fine, unsigned *before, struct look *look)
{
    th_str source = th__page_slice(page, fine->start, fine->end);
    bool word = th__class_is(fine->cls, TH_CLASS_WORD), number = fine->cls == TH_CLASS_NUMBER;
    th_str sign = word ? th_str_from(class_sign(fine->cls)) : source;
    th_str text = number ? TH_STR("0") : source;
    look->words += word;
    look->digits += number ? (unsigned)source.len : 0;
    /* A name of two words looks like one of three, and signs between words tell little. */
    bool tells = word ? number || *before != fine->cls
                      : *before == TH_CLASS_NUMBER || !strchr("&.,;'()", source.ptr[0]);
    if (tells)
        append(look->texts[TH__EXALG_TRAIT_SHAPE], sign);
    if (tells || word)
        *before = fine->cls;
    if (!look->texts[TH__EXALG_TRAIT_FIRST][0])
        append(look->texts[TH__EXALG_TRAIT_FIRST], text);
    look->texts[TH__EXALG_TRAIT_LAST][0] = 0;
    append(look->texts[TH__EXALG_TRAIT_LAST], text);
}

/* Sizes that are alike have one name. */
static void describe_size(struct look *look)
{
    static const uint8_t word_steps[] = {1, 2, 3, 5, 9}, digit_steps[] = {0, 1, 2, 3, 4, 6};
    unsigned words = 0, digits = 0;
    while (words < sizeof word_steps && look->words > word_steps[words])
        words++;
    while (digits < sizeof digit_steps && look->digits > digit_steps[digits])
        digits++;
    snprintf(look->texts[TH__EXALG_TRAIT_SIZE], TRAIT_LEN, "%u words, %u digits",
             words < sizeof word_steps ? word_steps[words] : 10,
             digits < sizeof digit_steps ? digit_steps[digits] : 7);
}

static void describe_value(const th_page *page, th_span span, struct look *look)
{
    enum { FAR = 400 }; /* fine tokens: a longer value is prose by then */
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
        append(look->texts[TH__EXALG_TRAIT_WHOLE], th__page_slice(page, span.start, span.end));
}

/* The element before a part as its tag, with the class or id that tells it apart. */
static void describe_after(const th__exalg_outline *o, const th__exalg_part *part, char *text)
{
    if (!part->after_node) {
        append(text, TH_STR("-"));
        return;
    }
    th_str name = {0};
    append(text, th_token_name(o->page, o->page->nodes[part->after_node].token));
    for (char *c = text; *c; c++)
        *c = (char)th__lower((unsigned char)*c);
    if (o->cls[part->after_node] && th__exalg_name_get(o->page, part->after_node, "class", &name)) {
        append(text, TH_STR("."));
        append(text, name);
    }
}

static bool find_traits(const th__exalg_outline *o, th__exalg_part *part, th__arena *arena,
                        bool keep)
{
    struct look look = {0};
    bool empty = part->span.start >= part->span.end;
    append(look.texts[TH__EXALG_TRAIT_LINE], part->line ? TH_STR("line") : TH_STR("gap"));
    describe_after(o, part, look.texts[TH__EXALG_TRAIT_AFTER]);
    if (!empty) {
        append(look.texts[TH__EXALG_TRAIT_MARKUP],
               part->markup ? th_tag_name(part->markup) : TH_STR("-"));
        describe_value(o->page, part->span, &look);
    }
    part->texts = keep ? th__arena_zero(arena, TH__EXALG_TRAITS, sizeof *part->texts) : NULL;
    if (keep && !part->texts)
        return false;
    for (unsigned kind = 0; kind < TH__EXALG_TRAITS; kind++) {
        th_str text = th_str_from(look.texts[kind]);
        part->hashes[kind] = text.len ? th__hash(text.ptr, text.len) | 1 : 0;
        if (keep && text.len && !(part->texts[kind] = th__arena_copy(arena, text)).ptr)
            return false;
    }
    return true;
}

bool th__exalg_item_part(const th__exalg_outline *o, uint32_t node, th__arena *arena, bool keep,
                         th__exalg_part *out)
{
    const th_node *n = &o->page->nodes[node];
    bool any = th__exalg_units_in(o, node);
    *out = (th__exalg_part){.line = true, .unit = any ? o->first_unit[node] : UINT32_MAX};
    out->last = any ? o->end_unit[node] - 1 : 0;
    if (any)
        out->span =
            (th_span){o->page->tokens[n->token + 1].start, o->page->tokens[n->token_end].start};
    return find_traits(o, out, arena, keep);
}

/* ---- labels, prose --------------------------------------------------------------------------- */

static void tell_part(const th__exalg_lines *lines, th__exalg_part *part)
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

/* Whether a text is longer than fields of a line are. */
static bool is_long(th_span span)
{
    enum { LONG = 60 }; /* bytes */
    return span.end - span.start >= LONG;
}

/* Whether a text is a sentence or more. */
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

/* Whether a part is but the end of the value before it. */
static bool is_tail(const th__exalg_lines *lines, const th_page *page, const th__exalg_part *before,
                    const th__exalg_part *part)
{
    return lines->tail.len && !part->line && before->span.start < before->span.end &&
           th__is_digit((unsigned char)page->text.ptr[before->span.end - 1]) &&
           th__str_eq(lines->tail, th__page_slice(page, part->span.start, part->span.end));
}

/* Whether a part goes on with the text before it: sentences in lines of their own, one after the
 * other. */
static bool goes_on_with(const th_page *page, const th__exalg_part *before,
                         const th__exalg_part *part)
{
    return part->line && !part->label && !part->bullet && before->after_node == part->after_node &&
           is_prose(page, before->span) && (is_prose(page, part->span) || is_long(part->span));
}

bool th__exalg_lines_tell(const th__exalg_lines *lines, const th__exalg_outline *o,
                          th__exalg_part *parts, uint32_t *count, th__arena *arena, bool keep)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++) {
        th__exalg_part part = parts[i], *before = kept ? &parts[kept - 1] : NULL;
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

uint32_t th__exalg_lines_fold(const th__exalg_lines *lines, const th__exalg_part *parts,
                              uint32_t count, th__exalg_part *out)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count;) {
        if (!parts[i].bullet && !lines->rows) {
            out[kept++] = parts[i++];
            continue;
        }
        th__exalg_part set = {.set = true, .from = i, .unit = parts[i].unit, .line = true};
        while (i < count && (lines->rows || parts[i].bullet))
            i++;
        set.to = i;
        out[kept++] = set;
    }
    return kept;
}
