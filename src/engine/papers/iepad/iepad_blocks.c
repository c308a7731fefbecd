/*
 * iepad_blocks.c: the rule generator: block division and multi-level alignment (section 3.1 and
 * figures 7 and 8 of the paper).
 *
 * The records of a pattern are a matrix: a row for each record, a column for each <TEXT>, <a> or
 * <img> of the pattern. A text of the first level may hold tags that were skipped; so the texts of
 * one column are encoded by a lower-level scheme, aligned, and divided by the pattern that comes
 * out, and so on down the levels. The patterns go into the rule.
 */
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "engine/papers/iepad/iepad.h"

/* A rule being made. */
typedef struct generator {
    const th_page *page;
    const th__iepad_options *options;
    th__iepad_rule *rule;
    uint32_t named[3]; /* fields so far, by kind */
} generator;

/* Blocks of one column, one for each record that has it, as ranges of tokens. */
typedef struct blocks {
    th__iepad_range *list;
    size_t len, cap;
} blocks;

static bool push_block(blocks *b, uint32_t first, uint32_t last)
{
    if (b->len == b->cap && !th__vec_grow((void **)&b->list, &b->cap, b->len + 1, sizeof *b->list))
        return false;
    b->list[b->len++] = (th__iepad_range){first, last};
    return true;
}

static void release_columns(blocks *columns, uint32_t count)
{
    for (uint32_t i = 0; columns && i < count; i++)
        th__mem_free(columns[i].list);
    th__mem_free(columns);
}

/* Names the slot of a column text_1, text_2, link_1, ... */
static th_status name_slot(generator *g, th__iepad_kind kind, uint32_t *field, th_error *err)
{
    th__buf name = {0};
    th__buf_printf(&name, "%s_%u", th__iepad_kind_names[kind], ++g->named[kind]);
    th_status status = name.failed
                           ? th__fail_memory(err)
                           : th__iepad_rule_field(g->rule, th__buf_str(&name), kind, field, err);
    th__buf_release(&name);
    return status;
}

/* The token strings of the blocks of a column at the next level. */
typedef struct encoded {
    th__arena arena;
    th__symbols *strings;
    uint32_t **first, **last; /* by string */
} encoded;

static bool keep_string(encoded *e, const th__iepad_string *s, size_t at)
{
    size_t size = s->len * sizeof *s->symbols;
    uint32_t *copy = th__arena_alloc(&e->arena, 3 * size + 1);
    if (!copy)
        return false;
    if (size) {
        memcpy(copy, s->symbols, size);
        memcpy(copy + s->len, s->first, size);
        memcpy(copy + 2 * (size_t)s->len, s->last, size);
    }
    e->strings[at] = th__symbols32(copy, s->len);
    e->first[at] = copy + s->len;
    e->last[at] = copy + 2 * (size_t)s->len;
    return true;
}

static th_status encode_blocks(const generator *g, const blocks *b, uint32_t level, encoded *e,
                               th_error *err)
{
    th__iepad_encoding encoding = g->rule->encoding;
    th__iepad_string s = {0};
    encoding.scheme = g->rule->schemes[level];
    th__arena_init(&e->arena);
    e->strings = th__arena_alloc(&e->arena, b->len * sizeof *e->strings);
    e->first = th__arena_alloc(&e->arena, b->len * sizeof *e->first);
    e->last = th__arena_alloc(&e->arena, b->len * sizeof *e->last);
    th_status status = e->strings && e->first && e->last ? TH_OK : th__fail_memory(err);
    for (size_t i = 0; !status && i < b->len; i++) {
        status =
            th__iepad_encode(g->page, &encoding, b->list[i].first, b->list[i].last + 1, &s, err);
        if (!status && !keep_string(e, &s, i))
            status = th__fail_memory(err);
    }
    th__iepad_string_release(&s);
    return status;
}

static th_status divide(generator *g, th__iepad_division *division, uint32_t level, blocks *columns,
                        th_error *err);

/* Lays the strings onto their pattern and divides its columns further. */
static th_status divide_strings(generator *g, th__iepad_division *division, uint32_t level,
                                const encoded *e, size_t count, th_error *err)
{
    uint32_t width = division->pattern.len, *where = NULL;
    size_t cap = 0;
    blocks *columns = th__mem_zero(width, sizeof *columns);
    th_status status = columns ? TH_OK : th__fail_memory(err);
    for (size_t i = 0; !status && i < count; i++) {
        const uint32_t *symbols = e->strings[i].ptr;
        uint32_t len = e->strings[i].len;
        if (len > cap && !th__vec_grow((void **)&where, &cap, len, sizeof *where))
            status = th__fail_memory(err);
        else
            status = th__pattern_align(&division->pattern, symbols, len, where, err);
        for (uint32_t k = 0; !status && k < len; k++)
            if (where[k] != TH__NO_COLUMN && symbols[k] == TH__IEPAD_TEXT &&
                !push_block(&columns[where[k]], e->first[i][k], e->last[i][k]))
                status = th__fail_memory(err);
    }
    if (!status)
        status = divide(g, division, level, columns, err);
    release_columns(columns, width);
    th__mem_free(where);
    return status;
}

/* The pattern of the blocks of one column at the next level; none when they are all one text, or
 * when they have too little in common to be divided alike. */
static th_status align_blocks(const generator *g, const encoded *e, size_t count, th__pattern *out,
                              bool *found, th_error *err)
{
    th_error own;
    th__star star;
    th__star_options bound = {.candidates = 32, .max_distance = g->options->max_length};
    *found = false;
    th__pattern_init(out);
    th__symbols sample[TH__IEPAD_MAX_STRINGS];
    uint32_t taken = 0;
    for (size_t i = 0; i < count; i += (count - 1) / TH__IEPAD_MAX_STRINGS + 1)
        sample[taken++] = e->strings[i];
    th_status status = th__star_align(&star, sample, taken, &bound, &own);
    if (!status) {
        status = th__star_pattern(&star, sample, out, &own);
        th__star_release(&star);
    }
    if (status)
        return status == TH_ERR_MEMORY ? th__fail_memory(err) : TH_OK;
    uint32_t symbol;
    bool plain = out->len == 0 || (out->len == 1 && th__column_fixed(out, 0, &symbol));
    *found = !plain && out->len <= g->options->max_length &&
             th__pattern_loose(out) <= g->options->max_mismatch * out->len;
    if (!*found)
        th__pattern_release(out);
    return TH_OK;
}

/* Divides one column of texts by the next level's scheme. *below stays NULL when there is nothing
 * to divide. */
static th_status divide_column(generator *g, const blocks *b, uint32_t level,
                               th__iepad_division **below, th_error *err)
{
    encoded e = {0};
    th__pattern pattern;
    bool found = false;
    th_status status = encode_blocks(g, b, level, &e, err);
    if (!status)
        status = align_blocks(g, &e, b->len, &pattern, &found, err);
    if (!status && found) {
        uint32_t fields = g->rule->field_count;
        th__iepad_division *division = th__iepad_division_new(&pattern);
        status =
            division ? divide_strings(g, division, level, &e, b->len, err) : th__fail_memory(err);
        if (!status && g->rule->field_count > fields)
            *below = division;
        else /* a text that is only media, for one, has no slot below */
            th__iepad_division_free(division);
    }
    th__arena_release(&e.arena);
    return status;
}

/* Gives every column that holds something a slot, or divides it further. Recursion no deeper than
 * TH__IEPAD_MAX_LEVELS. */
static th_status divide(generator *g, th__iepad_division *division, uint32_t level, blocks *columns,
                        th_error *err)
{
    th_status status = TH_OK;
    for (uint32_t c = 0; !status && c < division->pattern.len; c++) {
        th__iepad_kind kind;
        if (!th__iepad_column_kind(&division->pattern, c, &kind))
            continue;
        if (kind == TH__IEPAD_VALUE_TEXT && level + 1 < g->rule->levels && columns[c].len)
            status = divide_column(g, &columns[c], level + 1, &division->parts[c].below, err);
        if (!status && !division->parts[c].below && g->rule->field_count < TH__IEPAD_MAX_FIELDS)
            status = name_slot(g, kind, &division->parts[c].field, err);
    }
    return status;
}

/* The texts of the first level, by column of the record pattern. */
static th_status first_blocks(const generator *g, const th__iepad_division *division,
                              blocks *columns, th_error *err)
{
    const th__pattern *pattern = &division->pattern;
    th__iepad_string s = {0};
    th__matcher m = {0};
    uint32_t len, *where = TH__NEW_ARRAY(uint32_t, pattern->len);
    th_status status = where ? TH_OK : th__fail_memory(err);
    if (!status)
        status = th__matcher_init(&m, pattern, err);
    if (!status)
        status = th__iepad_encode(g->page, &g->rule->encoding, 0, g->page->token_count, &s, err);
    for (size_t at = 0, start; !status && th__matcher_next(&m, s.symbols, s.len, at, &start, &len);
         at = start + len) {
        if (division->element &&
            !(len = th__iepad_match_element(g->page, &s, &m, (uint32_t)start, len))) {
            len = 1;
            continue;
        }
        status = th__matcher_columns(&m, s.symbols + start, len, m.len, where, err);
        for (uint32_t i = 0; !status && i < len; i++)
            if (s.symbols[start + i] == TH__IEPAD_TEXT &&
                !push_block(&columns[where[i]], s.first[start + i], s.last[start + i]))
                status = th__fail_memory(err);
    }
    th__matcher_release(&m);
    th__iepad_string_release(&s);
    th__mem_free(where);
    return status;
}

/* Sets up the rule as the options were when the pattern was found. */
static th_status begin_rule(generator *g, const th__iepad_result *result, th_error *err)
{
    g->rule = th__iepad_rule_new();
    if (!g->rule)
        return th__fail_memory(err);
    const th__iepad_options *o = g->options;
    g->rule->encoding = (th__iepad_encoding){o->scheme, o->skip_hidden, o->media_as_text};
    g->rule->levels = o->levels < 1                      ? 1
                      : o->levels > TH__IEPAD_MAX_LEVELS ? TH__IEPAD_MAX_LEVELS
                                                         : o->levels;
    g->rule->last_record = o->last_record;
    g->rule->stray_text = o->stray_text;
    g->rule->schemes[0] = o->scheme;
    for (uint32_t i = 1; i < g->rule->levels; i++)
        g->rule->schemes[i] = o->lower[i - 1];
    for (size_t i = 0; i < result->names.len; i++)
        if (!th__iepad_names_add(&g->rule->names, result->names.list[i].tag,
                                 result->names.list[i].name))
            return th__fail_memory(err);
    return TH_OK;
}

/* Enters the names of the lower levels' tags that are not in HTML. */
static th_status enter_names(generator *g, const th__iepad_division *division, th_error *err)
{
    th_status status = TH_OK;
    if (!th__iepad_names_of(g->page, &division->pattern, &g->rule->names))
        return th__fail_memory(err);
    for (uint32_t i = 0; !status && i < division->pattern.len; i++)
        if (division->parts[i].below)
            status = enter_names(g, division->parts[i].below, err);
    return status;
}

th_status th__iepad_learn(const th_page *page, const th__iepad_result *result, uint32_t pick,
                          th__iepad_rule **out, th_error *err)
{
    generator g = {.page = page, .options = &result->options};
    th__pattern pattern;
    blocks *columns = NULL;
    th__iepad_division *division = NULL;
    if (pick >= result->count)
        return th__fail(err, TH_ERR_ARGUMENT, "no pattern %u; %u were found", pick, result->count);
    uint32_t width = result->patterns[pick].pattern.len;
    th_status status = begin_rule(&g, result, err);
    if (!status)
        status = th__pattern_copy(&pattern, &result->patterns[pick].pattern, err);
    if (!status) {
        division = th__iepad_division_new(&pattern);
        columns = th__mem_zero(width, sizeof *columns);
        status = division && columns ? TH_OK : th__fail_memory(err);
    }
    if (!status)
        division->element = result->patterns[pick].element;
    if (!status)
        status = first_blocks(&g, division, columns, err);
    if (!status)
        status = divide(&g, division, 0, columns, err);
    if (!status)
        status = enter_names(&g, division, err);
    if (!status) {
        status = th__iepad_rule_add(g.rule, division, err);
        division = NULL;
    }
    release_columns(columns, width);
    th__iepad_division_free(division);
    if (status)
        th__iepad_rule_free(g.rule);
    else
        *out = g.rule;
    return status;
}
