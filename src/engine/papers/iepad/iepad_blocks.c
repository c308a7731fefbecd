/*
 * iepad_blocks.c: the rule generator: block division and multi-level alignment (section 3.1 and
 * figures 7 and 8 of the paper).
 *
 * The records of a pattern are a matrix: a row for each record, a column for each <TEXT>, <a> or
 * <img> of the pattern. A text of the first level may hold tags that were skipped; so the texts of
 * one column are encoded by a lower-level scheme, aligned, and divided by the pattern that comes
 * out. The patterns go into the rule.
 */
#include "base/error.h"
#include "engine/papers/iepad/iepad.h"

/* A rule being made. */
typedef struct generator {
    const th_page *page;
    const th__iepad_options *options;
    th__iepad_rule *rule;
    th__arena scratch;
    uint32_t named[3]; /* fields so far, by kind */
} generator;

/* Blocks of one column, one for each record that has it, as ranges of tokens. */
typedef TH__VEC(th__iepad_range) blocks;

static blocks *make_columns(generator *g, uint32_t count)
{
    return th__arena_zero(&g->scratch, count, sizeof(blocks));
}

static void release_columns(blocks *columns, uint32_t count)
{
    for (uint32_t i = 0; columns && i < count; i++)
        th__vec_release(&columns[i]);
}

/* Names the slot of a column text_1, text_2, link_1, ... There is room for it. */
static bool name_slot(generator *g, th__iepad_kind kind, uint32_t *field)
{
    th__iepad_rule *rule = g->rule;
    th__buf name = {0};
    th__buf_printf(&name, "%s_%u", th__iepad_kind_names[kind], ++g->named[kind]);
    th_str own = name.failed ? (th_str){0} : th__arena_copy(&rule->arena, th__buf_str(&name));
    th__buf_release(&name);
    *field = rule->field_count++;
    rule->fields[*field] = (th__iepad_field){own, (uint8_t)kind, true};
    return own.ptr;
}

static th_status divide(generator *g, th__iepad_division *division, uint32_t level,
                        const blocks *columns, th_error *err);

/* Lays the strings onto their pattern and divides its columns further. */
static th_status divide_strings(generator *g, th__iepad_division *division, uint32_t level,
                                const th__iepad_string *strings, size_t count, th_error *err)
{
    uint32_t width = division->pattern.len;
    blocks *columns = make_columns(g, width);
    th_status status = columns ? TH_OK : th__fail_memory(err);
    for (size_t i = 0; !status && i < count; i++) {
        const th__iepad_string *s = &strings[i];
        uint32_t *where = th__arena_alloc(&g->scratch, s->len * sizeof *where);
        status = where ? th__pattern_align(&division->pattern, s->symbols, s->len, where, err)
                       : th__fail_memory(err);
        for (uint32_t k = 0; !status && k < s->len; k++)
            if (where[k] != TH__NO_COLUMN && s->symbols[k] == TH__IEPAD_TEXT &&
                !th__vec_push(&columns[where[k]], ((th__iepad_range){s->first[k], s->last[k]})))
                status = th__fail_memory(err);
    }
    if (!status)
        status = divide(g, division, level, columns, err);
    release_columns(columns, width);
    return status;
}

/* The pattern of the blocks of one column at the next level; none when they are all one text, or
 * when they have too little in common to be divided alike. */
static th_status align_blocks(generator *g, const th__iepad_string *strings, size_t count,
                              th__pattern *out, bool *found, th_error *err)
{
    th__symbols sample[TH__IEPAD_MAX_STRINGS];
    uint32_t taken = 0, symbol;
    for (size_t i = 0; i < count; i += (count - 1) / TH__IEPAD_MAX_STRINGS + 1)
        sample[taken++] = th__symbols32(strings[i].symbols, strings[i].len);
    th_status status = th__iepad_align(sample, taken, g->options, &g->scratch, out, found, err);
    *found = *found && out->len && !(out->len == 1 && th__column_fixed(out, 0, &symbol));
    return status;
}

/* A division for a pattern, in the rule's arena; NULL without memory. */
static th__iepad_division *make_division(generator *g, const th__pattern *pattern)
{
    th__arena *arena = &g->rule->arena;
    th__iepad_division *division = th__arena_zero(arena, 1, sizeof *division);
    if (division)
        division->parts = th__arena_zero(arena, pattern->len, sizeof *division->parts);
    return division && division->parts && th__pattern_turned(pattern, 0, arena, &division->pattern)
               ? division
               : NULL;
}

/* Divides one column of texts by the next level's scheme. *below stays NULL when there is nothing
 * to divide. */
static th_status divide_column(generator *g, const blocks *b, uint32_t level,
                               th__iepad_division **below, th_error *err)
{
    th__pattern pattern;
    bool found = false;
    th__iepad_encoding encoding = g->rule->encoding;
    encoding.scheme = g->rule->schemes[level];
    th__iepad_string *strings = th__arena_alloc(&g->scratch, b->len * sizeof *strings);
    bool ok = strings;
    for (size_t i = 0; ok && i < b->len; i++)
        ok = th__iepad_encode(g->page, &encoding, b->data[i].first, b->data[i].last + 1,
                              &g->scratch, &strings[i]);
    th_status status =
        ok ? align_blocks(g, strings, b->len, &pattern, &found, err) : th__fail_memory(err);
    if (status || !found)
        return status;
    uint32_t fields = g->rule->field_count;
    th__iepad_division *division = make_division(g, &pattern);
    status =
        division ? divide_strings(g, division, level, strings, b->len, err) : th__fail_memory(err);
    if (g->rule->field_count > fields) /* a text that is only media, for one, has no slot below */
        *below = division;
    return status;
}

/* Gives every column that holds something a slot, or divides it further. Recursion no deeper than
 * TH__IEPAD_MAX_LEVELS. */
static th_status divide(generator *g, th__iepad_division *division, uint32_t level,
                        const blocks *columns, th_error *err)
{
    th_status status = TH_OK;
    for (uint32_t c = 0; !status && c < division->pattern.len; c++) {
        th__iepad_kind kind;
        th__iepad_part part = {c, TH__IEPAD_NO_FIELD, NULL};
        if (!th__iepad_column_kind(&division->pattern, c, &kind))
            continue;
        if (kind == TH__IEPAD_VALUE_TEXT && level + 1 < g->rule->levels && columns[c].len)
            status = divide_column(g, &columns[c], level + 1, &part.below, err);
        if (!status && !part.below && g->rule->field_count < TH__IEPAD_MAX_FIELDS &&
            !name_slot(g, kind, &part.field))
            status = th__fail_memory(err);
        if (part.below || part.field != TH__IEPAD_NO_FIELD)
            division->parts[division->part_count++] = part;
    }
    if (!status &&
        (!th__iepad_division_index(division, &g->rule->arena) ||
         !th__iepad_names_of(g->page, &division->pattern, &g->rule->arena, &g->rule->names)))
        status = th__fail_memory(err);
    return status;
}

/* The texts of the first level, by column of the record pattern. */
static th_status first_blocks(generator *g, const th__iepad_division *division, blocks *columns,
                              th_error *err)
{
    const th__pattern *pattern = &division->pattern;
    th__iepad_string s;
    th__matcher m;
    uint32_t len, *where = th__arena_alloc(&g->scratch, pattern->len * sizeof *where);
    th_status status = TH_OK;
    if (!where || !th__matcher_init(&m, pattern, &g->scratch) ||
        !th__iepad_encode(g->page, &g->rule->encoding, 0, g->page->token_count, &g->scratch, &s))
        return th__fail_memory(err);
    for (size_t at = 0, start; !status && th__matcher_next(&m, s.symbols, s.len, at, &start, &len);
         at = start + len) {
        if (division->element &&
            !(len = th__iepad_match_element(g->page, &s, &m, (uint32_t)start, len))) {
            len = 1;
            continue;
        }
        status = th__matcher_columns(&m, s.symbols + start, len, m.len, where, err);
        for (size_t i = start; !status && i < start + len; i++)
            if (s.symbols[i] == TH__IEPAD_TEXT &&
                !th__vec_push(&columns[where[i - start]],
                              ((th__iepad_range){s.first[i], s.last[i]})))
                status = th__fail_memory(err);
    }
    return status;
}

/* The rule as the options were when the pattern was found. */
static bool begin_rule(generator *g)
{
    const th__iepad_options *o = g->options;
    th__iepad_rule *rule = g->rule;
    rule->encoding = (th__iepad_encoding){o->scheme, o->skip_hidden, o->media_as_text};
    rule->levels = o->levels;
    rule->schemes[0] = o->scheme;
    rule->schemes[1] = TH__IEPAD_ALL_TAG;
    rule->last_record = o->last_record;
    rule->stray_text = o->stray_text;
    rule->fields = th__arena_alloc(&rule->arena, TH__IEPAD_MAX_FIELDS * sizeof *rule->fields);
    return rule->fields;
}

static th_status learn(generator *g, const th__iepad_pattern *pattern, th_error *err)
{
    uint32_t width = pattern->pattern.len;
    blocks *columns = make_columns(g, width);
    if (!columns || !begin_rule(g) || !(g->rule->records = make_division(g, &pattern->pattern)))
        return th__fail_memory(err);
    g->rule->record_count = 1;
    g->rule->records->element = pattern->element;
    th_status status = first_blocks(g, g->rule->records, columns, err);
    if (!status)
        status = divide(g, g->rule->records, 0, columns, err);
    release_columns(columns, width);
    return status;
}

th_status th__iepad_learn(const th_page *page, const th__iepad_result *result, uint32_t pick,
                          th__iepad_rule **out, th_error *err)
{
    generator g = {.page = page, .options = &result->options};
    if (pick >= result->count)
        return th__fail(err, TH_ERR_ARGUMENT, "no pattern %u; %u were found", pick, result->count);
    g.rule = th__iepad_rule_new();
    if (!g.rule)
        return th__fail_memory(err);
    th__arena_init(&g.scratch);
    th_status status = learn(&g, &result->patterns[pick], err);
    th__arena_release(&g.scratch);
    if (status)
        th__iepad_rule_free(g.rule);
    else
        *out = g.rule;
    return status;
}
