/* line_judge.c: see line_judge.h. Linear in the parts. */
#include "table/line_judge.h"

#include "page/tags.h"

enum {
    SENTENCE_WORDS = 8, /* around an element: a phrase such as "posted on 3 May in" is shorter */
    SOON = 8,           /* bytes before the first digit of "Sept. 27" or "EUR 14" */
    FEW = 4             /* as many texts to a different one: words rather than values */
};

/* ---- parts ----------------------------------------------------------------------------------- */

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

/* Whether a text between elements stands with what follows it, rather than with what is before. */
static bool goes_on(const th__columns *parts, uint32_t item)
{
    const th__item *at = &parts->items[item];
    if (item == parts->first[at->record] || item + 1 == parts->first[at->record + 1])
        return item == parts->first[at->record];
    return at->apart != TH__APART_AFTER;
}

/* Whether signs, or an end of the line, set a text apart from all others. */
static bool is_apart(const th__columns *parts, uint32_t item)
{
    const th__item *at = &parts->items[item];
    bool first = item == parts->first[at->record], last = item + 1 == parts->first[at->record + 1];
    return (first || at->apart & TH__APART_BEFORE) && (last || at->apart & TH__APART_AFTER);
}

/* Whether a number stands right before a part, with no sign between them. */
static bool is_behind_number(const th__view *view, const th__columns *parts, uint32_t item)
{
    const th__item *at = &parts->items[item];
    if (item == parts->first[at->record] || (at->between && at->apart & TH__APART_BEFORE))
        return false;
    return !(at[-1].between && at[-1].apart & TH__APART_AFTER) &&
           th__is_digit(first_sign(part_text(view, at - 1)));
}

static bool is_label(const th__columns *parts, const th__part_column *of, uint32_t p)
{
    return parts->columns[p].is_label || 5 * of[p].colons >= 4 * parts->columns[p].items;
}

/* A part that most texts have, and no words, label or unit ("12 reviews"). */
static bool is_field(const th__columns *parts, const th__part_column *of, uint32_t p)
{
    const th__column *column = &parts->columns[p];
    bool unit = FEW * column->distinct <= column->items && 5 * of[p].units >= 4 * column->items;
    return of[p].major && !of[p].words && !is_label(parts, of, p) && !unit;
}

bool th__line_describe(th__arena *scratch, const th__view *view, th__columns *parts, th__line *line)
{
    th__part_column *out = th__arena_zero(scratch, parts->column_count + 1, sizeof *out);
    for (uint32_t i = 0; out && i < parts->item_count; i++) {
        const th__item *item = &parts->items[i];
        th__part_column *column = &out[item->column];
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
    *line = (th__line){.view = view, .parts = parts, .of = out};
    for (uint32_t p = 0; out && p < parts->column_count; p++)
        line->fields += is_field(parts, out, p);
    return out;
}

/* ---- judging --------------------------------------------------------------------------------- */

static const th__item *sample_of(const th__columns *parts, uint32_t column)
{
    return &parts->items[parts->columns[column].sample];
}

/* Whether the values of two columns have different forms: four in five of one begin with a number
 * or so (a price, a date), and of the other at most two. */
static bool forms_differ(const th__columns *parts, const th__part_column *of, uint32_t a,
                         uint32_t b)
{
    uint32_t all_a = parts->columns[a].items, all_b = parts->columns[b].items;
    return (5 * of[a].soon >= 4 * all_a && 5 * of[b].soon <= 2 * all_b) ||
           (5 * of[b].soon >= 4 * all_b && 5 * of[a].soon <= 2 * all_a);
}

/* Rule 1. */
static bool has_fields(const th__columns *parts, const th__part_column *of)
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
static bool is_regular(const th__columns *parts, const th__part_column *of)
{
    uint32_t whole = 0, loose = 0, glued = 0;
    for (uint32_t r = 0; r < parts->record_count; r++) {
        uint32_t majors = 0;
        bool one_word = false;
        for (uint32_t i = parts->first[r]; i < parts->first[r + 1]; i++) {
            const th__item *item = &parts->items[i];
            const th__part_column *p = &of[item->column];
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

/* Whether beside an element stands text between elements that differs from record to record, with
 * no sign between them. `side`: 1 behind it, -1 before it. */
static bool runs_on(const th__columns *parts, const th__part_column *of, uint32_t item, int side)
{
    const th__item *at = &parts->items[item], *text = at + side;
    uint32_t end = side < 0 ? parts->first[at->record] : parts->first[at->record + 1] - 1;
    if (item == end || !text->between || of[text->column].words)
        return false;
    return !(text->apart & (side < 0 ? TH__APART_AFTER : TH__APART_BEFORE));
}

/* A link that says the same everywhere is something to click; what is always the same at one end of
 * its text is a mark on it; and beside a number a word is a value. */
static bool is_highlight(const th__view *view, const th__columns *parts, const th__part_column *of,
                         uint32_t item, int side)
{
    const th__item *at = &parts->items[item];
    const th__column *column = &parts->columns[at->column];
    bool mark = column->distinct == 1 && of[at->column].edges == column->items;
    return view->page->tags[at->node] != TH_TAG_A && !mark &&
           2 * column->distinct <= column->items &&
           !forms_differ(parts, of, at->column, at[side].column);
}

static uint32_t mean_words(const th__columns *parts, const th__part_column *of, uint32_t p)
{
    return of[p].count / parts->columns[p].items;
}

/* Whether an element is a word of a sentence. */
static bool is_word(const th__view *view, const th__columns *parts, const th__part_column *of,
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
static bool is_phrase(const th__view *view, const th__columns *parts, const th__part_column *of,
                      uint32_t item, int side)
{
    const th__item *at = &parts->items[item];
    if (at->between || is_label(parts, of, at->column) || !runs_on(parts, of, item, side))
        return false;
    return view->page->tags[at->node] != TH_TAG_A && parts->columns[at->column].distinct > 1 &&
           !forms_differ(parts, of, at->column, at[side].column);
}

/* Rule 4. */
static bool is_prose(const th__line *line)
{
    const th__view *view = line->view;
    const th__columns *parts = line->parts;
    const th__part_column *of = line->of;
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

bool th__line_has_fields(const th__line *line)
{
    return has_fields(line->parts, line->of) && is_regular(line->parts, line->of) &&
           !is_prose(line);
}

/* ---- words ------------------------------------------------------------------------------------
 */

/* Whether words at the end of a line begin with a capital, and have nothing to do with what is
 * before them: "<b>267</b> Updated". */
static bool begins_anew(const th__view *view, const th__columns *parts, const th__item *item)
{
    unsigned char first =
        first_sign(part_text(view, &parts->items[parts->columns[item->column].sample]));
    return first >= 'A' && first <= 'Z';
}

/* Whether words are the name of what follows them, and end with a colon. */
static bool is_name(const th__columns *parts, const th__part_column *of, uint32_t p)
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
void th__line_join(th__line *line)
{
    const th__view *view = line->view;
    th__columns *parts = line->parts;
    const th__part_column *of = line->of;
    uint32_t names = 0;
    for (uint32_t p = 0; p < parts->column_count; p++)
        names += is_name(parts, of, p);
    for (uint32_t i = 0; i < parts->item_count; i++) {
        th__item *item = &parts->items[i];
        const th__part_column *words = &of[item->column];
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
