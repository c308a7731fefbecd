/*
 * iepad_run.c: the extractor (section 3.2 of the paper).
 *
 * The page is encoded by the rule's first scheme; the record patterns are looked for from left to
 * right, the longest match at each place; each record is laid onto its pattern, and each text that
 * has a lower-level pattern is encoded by the next scheme and laid onto that one. The paper aligns
 * the texts of every page anew, so that slots may shift from page to page; here they are laid onto
 * the patterns of the rule.
 *
 * The last record. What separates records belongs to the pattern but may be missing behind the last
 * one. So where a record is followed by the beginning of another that breaks off, at least half of
 * the pattern's columns and of the shortest match long, that too is a record (switch: last_record).
 *
 * Whole elements. Patterns of lists that the tree shows (iepad_tree.c) may have many options, and
 * would find pieces of records that are written otherwise: such a match counts when it is an
 * element.
 *
 * Time: tokens x columns of all patterns of the rule at worst, tokens x patterns as a rule.
 */
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "engine/papers/iepad/iepad_rule.h"
#include "page/page.h"
#include "page/tags.h"

/* A run in progress. */
typedef struct run {
    const th__iepad_rule *rule;
    const th_page *page;
    th__iepad_table *out;
    th__matcher *matchers;                          /* by record pattern */
    th__iepad_string strings[TH__IEPAD_MAX_LEVELS]; /* by level */
    uint32_t *columns;                              /* working memory */
    size_t column_cap;
} run;

/* A match: where, by which pattern, and how many of its columns. */
typedef struct match {
    uint32_t at, len, pattern, end;
} match;

void th__iepad_table_release(th__iepad_table *table)
{
    th__mem_free(table->records);
    th__mem_free(table->cells);
    *table = (th__iepad_table){0};
}

/* ---- values ------------------------------------------------------------------------------- */

static th_span text_span(const th_page *page, uint32_t first, uint32_t last)
{
    uint32_t start = page->tokens[first].start, end = page->tokens[last + 1].start;
    th_str text = th__str_trim(th__page_slice(page, start, end));
    start = (uint32_t)(text.ptr - page->text.ptr);
    return (th_span){start, start + (uint32_t)text.len};
}

static th_span attribute_span(const th_page *page, uint32_t token, const char *name)
{
    th_str value;
    if (!th_attr_get(page, token, name, &value) || !value.ptr || value.len == 0)
        return (th_span){0, 0};
    uint32_t start = (uint32_t)(value.ptr - page->text.ptr);
    return (th_span){start, start + (uint32_t)value.len};
}

/* The value of one symbol for a field of that kind; {0, 0} when it holds none. */
static th_span value_of(const th_page *page, const th__iepad_string *s, uint32_t at, uint8_t kind)
{
    if (kind == TH__IEPAD_VALUE_TEXT && s->symbols[at] == TH__IEPAD_TEXT)
        return text_span(page, s->first[at], s->last[at]);
    if (kind == TH__IEPAD_VALUE_LINK && s->symbols[at] == th__iepad_symbol(TH_TAG_A, false))
        return attribute_span(page, s->first[at], "href");
    if (kind == TH__IEPAD_VALUE_IMAGE && s->symbols[at] == th__iepad_symbol(TH_TAG_IMG, false))
        return attribute_span(page, s->first[at], "src");
    return (th_span){0, 0};
}

/* ---- division ----------------------------------------------------------------------------- */

/* Room for `count` more columns; where they begin stays valid until the next call. */
static bool reserve_columns(run *r, size_t need)
{
    return need <= r->column_cap ||
           th__vec_grow((void **)&r->columns, &r->column_cap, need, sizeof *r->columns);
}

static th_status divide_block(run *r, const th__iepad_division *division, uint32_t level,
                              uint32_t first, uint32_t last, size_t base, th__iepad_cell *cells,
                              th_error *err);

/* Whether a symbol is text that a value was taken of. */
static bool is_taken(const th__iepad_string *s, const uint32_t *columns, uint32_t at)
{
    return s->symbols[at] == TH__IEPAD_TEXT && columns[at] != TH__NO_COLUMN;
}

/* The value of a text of a block, with what stands beside it and has no column. Between two values
 * it is the first one's. */
static th_span widen(const run *r, const th__iepad_string *s, const uint32_t *columns, uint32_t at)
{
    uint32_t left = at, right = at, end = at;
    while (end + 1 < s->len && columns[end + 1] == TH__NO_COLUMN)
        if (s->symbols[++end] == TH__IEPAD_TEXT)
            right = end;
    end = at;
    while (end && columns[end - 1] == TH__NO_COLUMN)
        if (s->symbols[--end] == TH__IEPAD_TEXT)
            left = end;
    if (end && is_taken(s, columns, end - 1))
        left = at;
    return text_span(r->page, s->first[left], s->last[right]);
}

/* Takes the values of symbols from..to of a level, whose columns are r->columns[base ..]. */
static th_status take_values(run *r, const th__iepad_division *division, uint32_t level,
                             uint32_t from, uint32_t to, size_t base, th__iepad_cell *cells,
                             th_error *err)
{
    th_status status = TH_OK;
    const th__iepad_string *s = &r->strings[level];
    for (uint32_t i = from; !status && i < to; i++) {
        uint32_t column = r->columns[base + i - from];
        if (column == TH__NO_COLUMN)
            continue;
        const struct th__iepad_part *part = &division->parts[column];
        if (part->below && s->symbols[i] == TH__IEPAD_TEXT)
            status = divide_block(r, part->below, level + 1, s->first[i], s->last[i],
                                  base + to - from, cells, err);
        else if (part->field != TH__IEPAD_NO_FIELD && level && r->rule->stray_text &&
                 s->symbols[i] == TH__IEPAD_TEXT &&
                 r->rule->fields[part->field].kind == TH__IEPAD_VALUE_TEXT)
            cells[part->field].span = widen(r, s, r->columns + base, i);
        else if (part->field != TH__IEPAD_NO_FIELD)
            cells[part->field].span = value_of(r->page, s, i, r->rule->fields[part->field].kind);
    }
    return status;
}

/* Divides the block of tokens first..last by a lower-level pattern. Recursion no deeper than
 * TH__IEPAD_MAX_LEVELS. */
static th_status divide_block(run *r, const th__iepad_division *division, uint32_t level,
                              uint32_t first, uint32_t last, size_t base, th__iepad_cell *cells,
                              th_error *err)
{
    th__iepad_encoding encoding = r->rule->encoding;
    encoding.scheme = r->rule->schemes[level];
    th__iepad_string *s = &r->strings[level];
    th_status status = th__iepad_encode(r->page, &encoding, first, last + 1, s, err);
    if (status)
        return status;
    if (!reserve_columns(r, base + s->len))
        return th__fail_memory(err);
    status = th__pattern_align(&division->pattern, s->symbols, s->len, r->columns + base, err);
    return status ? status : take_values(r, division, level, 0, s->len, base, cells, err);
}

static th_status add_record(run *r, const match *m, th_error *err)
{
    th__iepad_table *out = r->out;
    const th__iepad_string *s = &r->strings[0];
    size_t used = (size_t)out->count * out->fields;
    if ((out->count == out->record_cap && !th__vec_grow((void **)&out->records, &out->record_cap,
                                                        out->count + 1, sizeof *out->records)) ||
        (used + out->fields > out->cell_cap &&
         !th__vec_grow((void **)&out->cells, &out->cell_cap, used + out->fields,
                       sizeof *out->cells)) ||
        !reserve_columns(r, m->len))
        return th__fail_memory(err);
    th__iepad_cell *cells = out->cells + used;
    if (out->fields)
        memset(cells, 0, out->fields * sizeof *cells);
    th_status status = th__matcher_columns(&r->matchers[m->pattern], s->symbols + m->at, m->len,
                                           m->end, r->columns, err);
    if (status)
        return status;
    out->records[out->count++] =
        (th__iepad_record){s->first[m->at], s->last[m->at + m->len - 1], m->pattern};
    return take_values(r, r->rule->records[m->pattern], 0, m->at, m->at + m->len, 0, cells, err);
}

/* One past the symbols of the element that begins at `at`; 0 when none does. */
static uint32_t element_end(const th_page *page, const th__iepad_string *s, uint32_t at)
{
    uint32_t node = th__page_node_from(page, s->first[at]), low = at + 1, high = s->len;
    if (node == page->node_count || page->nodes[node].token != s->first[at])
        return 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->first[middle] < page->nodes[node].token_end)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t th__iepad_match_element(const th_page *page, const th__iepad_string *s,
                                 th__matcher *matcher, uint32_t at, uint32_t len)
{
    uint32_t end = len ? element_end(page, s, at) : 0;
    if (end <= at || len < end - at)
        return 0;
    if (len > end - at)
        len = th__matcher_longest(matcher, s->symbols, end, at);
    return len == end - at ? len : 0;
}

/* ---- matching ----------------------------------------------------------------------------- */

static bool match_at(run *r, uint32_t at, match *m)
{
    const th__iepad_string *s = &r->strings[0];
    *m = (match){.at = at};
    for (uint32_t p = 0; p < r->rule->record_count; p++) {
        uint32_t len = th__matcher_longest(&r->matchers[p], s->symbols, s->len, at);
        if (r->rule->records[p]->element)
            len = th__iepad_match_element(r->page, s, &r->matchers[p], at, len);
        if (len > m->len)
            *m = (match){at, len, p, r->matchers[p].len};
    }
    return m->len > 0;
}

/* A record that breaks off behind one of the same pattern, where no whole one begins. */
static bool match_last(run *r, const match *before, uint32_t shortest, match *m)
{
    const th__iepad_string *s = &r->strings[0];
    uint32_t at = before->at + before->len, end;
    uint32_t len = th__matcher_prefix(&r->matchers[before->pattern], s->symbols, s->len, at, &end);
    *m = (match){at, len, before->pattern, end};
    return 2 * end >= r->matchers[before->pattern].len && 2 * len >= shortest && len > 0;
}

static th_status find_records(run *r, th_error *err)
{
    th_status status = TH_OK;
    uint32_t len = r->strings[0].len, shortest = UINT32_MAX;
    match before = {0}, m;
    for (uint32_t at = 0; !status && at < len;) {
        bool found = match_at(r, at, &m);
        if (found)
            shortest = m.len < shortest ? m.len : shortest;
        else if (r->rule->last_record && before.len && before.at + before.len == at &&
                 !r->rule->records[before.pattern]->element) {
            found = match_last(r, &before, shortest, &m);
            before.len = 0;
        }
        if (!found) {
            at++;
            continue;
        }
        status = add_record(r, &m, err);
        before = m.end == r->matchers[m.pattern].len ? m : (match){0};
        at += m.len;
    }
    return status;
}

th_status th__iepad_run(const th__iepad_rule *rule, const th_page *page, th__iepad_table *out,
                        th_error *err)
{
    run r = {.rule = rule, .page = page, .out = out};
    th_status status = TH_OK;
    out->count = 0;
    out->fields = rule->field_count;
    r.matchers = th__mem_zero(rule->record_count, sizeof *r.matchers);
    if (!r.matchers)
        return th__fail_memory(err);
    for (uint32_t i = 0; !status && i < rule->record_count; i++)
        status = th__matcher_init(&r.matchers[i], &rule->records[i]->pattern, err);
    if (!status)
        status = th__iepad_encode(page, &rule->encoding, 0, page->token_count, &r.strings[0], err);
    if (!status)
        status = find_records(&r, err);
    for (uint32_t i = 0; i < rule->record_count; i++)
        th__matcher_release(&r.matchers[i]);
    for (uint32_t i = 0; i < TH__IEPAD_MAX_LEVELS; i++)
        th__iepad_string_release(&r.strings[i]);
    th__mem_free(r.matchers);
    th__mem_free(r.columns);
    return status;
}
