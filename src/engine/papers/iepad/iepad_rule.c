/*
 * iepad_rule.c: the extraction rule: making one of a pattern, joining those of further pages,
 * running one on a page, its records, and IEPAD as an engine of wrappers.
 */
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "data/schema.h"
#include "engine/papers/iepad/iepad.h"
#include "page/tags.h"
#include "page/text.h"
#include "wrapper/rule_table.h"

/* What slots are called, by kind. */
static const char *const kind_names[] = {"text", "link", "image", NULL};

/* What becomes of a column, or NULL. */
static const th__iepad_part *part_of(const th__iepad_division *division, uint32_t column)
{
    for (uint32_t i = 0; i < division->part_count; i++)
        if (division->parts[i].column == column)
            return &division->parts[i];
    return NULL;
}

/* ---- the rule generator: block division and multi-level alignment ------------------------------
 *
 * Section 3.1, figures 7 and 8. The records of a pattern are a matrix: a row for each record, a
 * column for each <TEXT>, <a> or <img> of the pattern. A text of the first level may hold tags that
 * were skipped; so the texts of one column are encoded by a lower-level scheme, aligned, and
 * divided by the pattern that comes out. The patterns go into the rule. */

/* A rule being made. */
typedef struct generator {
    const th_page *page;
    const th__iepad_string *string; /* of the page, at the first level */
    const th__iepad_options *options;
    th__iepad_rule *rule;
    th__arena *arena; /* of the rule */
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

/* One more field, text_1, text_2, link_1, ... There is room for it. False if out of memory. */
static bool name_slot(th__iepad_rule *rule, th__iepad_kind kind, uint32_t number, th__arena *arena)
{
    char name[32];
    int len = snprintf(name, sizeof name, "%s_%u", kind_names[kind], number);
    th_str own = th__arena_copy(arena, (th_str){name, (size_t)len});
    rule->fields[rule->field_count++] = (th__iepad_field){own, (uint8_t)kind, true};
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
    th__iepad_options options = *g->options;
    uint32_t taken = 0, symbol;
    options.firm = true; /* looser ones part the words of one value */
    for (size_t i = 0; i < count; i += (count - 1) / TH__IEPAD_MAX_STRINGS + 1)
        sample[taken++] = (th__symbols){strings[i].symbols, strings[i].len};
    th_status status =
        th__iepad_align(sample, taken, TH__IEPAD_BLOCKS, &options, &g->scratch, out, found, err);
    *found = *found && out->len && !(out->len == 1 && th__column_fixed(out, 0, &symbol));
    return status;
}

/* A division for a pattern, in the rule's arena; NULL if out of memory. */
static th__iepad_division *make_division(generator *g, const th__pattern *pattern)
{
    th__iepad_division *division = th__arena_zero(g->arena, 1, sizeof *division);
    if (division)
        division->parts = th__arena_zero(g->arena, pattern->len, sizeof *division->parts);
    return division && division->parts &&
                   th__pattern_turned(pattern, 0, g->arena, &division->pattern)
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
    /* What this level leaves whole, such as a link where it skips <a>, may be for the next. */
    uint32_t symbol, fields = g->rule->field_count;
    bool whole = !status && pattern.len == 1 && th__column_fixed(&pattern, 0, &symbol) &&
                 symbol == TH__IEPAD_TEXT;
    if (status || (!found && (!whole || level + 1 == g->rule->levels)))
        return status;
    th__iepad_division *division = make_division(g, &pattern);
    status =
        division ? divide_strings(g, division, level, strings, b->len, err) : th__fail_memory(err);
    if (whole && !status && division->part_count && !division->parts[0].below) {
        g->named[TH__IEPAD_VALUE_TEXT] -= g->rule->field_count - fields;
        g->rule->field_count = fields;
    }
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
        if (!status && !part.below && g->rule->field_count < TH__IEPAD_MAX_FIELDS) {
            part.field = g->rule->field_count;
            if (!name_slot(g->rule, kind, ++g->named[kind], g->arena))
                status = th__fail_memory(err);
        }
        if (part.below || part.field != TH__IEPAD_NO_FIELD)
            division->parts[division->part_count++] = part;
    }
    if (!status && !th__iepad_names_of(g->page, &division->pattern, g->arena, &g->rule->names))
        status = th__fail_memory(err);
    return status;
}

/* The texts of the first level, by column of the record pattern. */
static th_status first_blocks(generator *g, const th__iepad_division *division, blocks *columns,
                              th_error *err)
{
    const th__pattern *pattern = &division->pattern;
    const th__iepad_string *s = g->string;
    th__matcher m;
    uint32_t len, *where = th__arena_alloc(&g->scratch, pattern->len * sizeof *where);
    th_status status = TH_OK;
    if (!where || !th__matcher_init(&m, pattern, &g->scratch))
        return th__fail_memory(err);
    for (uint32_t at = 0; !status && at < s->len; at += len ? len : 1) {
        len = th__iepad_match(g->page, s, &m, division->element, at);
        if (len)
            status = th__pattern_align(pattern, s->symbols + at, len, where, err);
        for (uint32_t i = at; !status && i < at + len; i++)
            if (s->symbols[i] == TH__IEPAD_TEXT &&
                !th__vec_push(&columns[where[i - at]],
                              ((th__iepad_range){s->first[i], s->last[i]})))
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
    rule->schemes[1] = o->lower;
    rule->schemes[2] = TH__IEPAD_ALL_TAG;
    rule->last_record = o->last_record;
    rule->stray_text = o->stray_text;
    rule->fields = th__arena_alloc(g->arena, TH__IEPAD_MAX_FIELDS * sizeof *rule->fields);
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
                          th__arena *arena, th__iepad_rule *out, th_error *err)
{
    generator g = {.page = page,
                   .string = &result->string,
                   .options = &result->options,
                   .rule = out,
                   .arena = arena};
    *out = (th__iepad_rule){0};
    if (pick >= result->count)
        return th__fail(err, TH_ERR_ARGUMENT, "no pattern %u; %u were found", pick, result->count);
    th__arena_init(&g.scratch);
    th_status status = learn(&g, &result->patterns[pick], err);
    th__arena_release(&g.scratch);
    return status;
}

/* ---- rules of further pages ------------------------------------------------------------------ */

/* Two rules, and by field of `more` the field of `rule` that it lies on, or NO_FIELD. */
typedef struct likeness {
    const th__iepad_rule *more, *rule;
    uint32_t field[TH__IEPAD_MAX_FIELDS];
    uint32_t found;
} likeness;

static void liken_fields(likeness *l, uint32_t mine, uint32_t theirs)
{
    if (mine == TH__IEPAD_NO_FIELD || theirs == TH__IEPAD_NO_FIELD ||
        l->more->fields[mine].kind != l->rule->fields[theirs].kind)
        return;
    l->field[mine] = theirs;
    l->found++;
}

/* Counts the texts of a division and of those below it; *only is the last of them. Recursion no
 * deeper than TH__IEPAD_MAX_LEVELS. */
static uint32_t count_texts(const th__iepad_rule *rule, const th__iepad_division *division,
                            uint32_t *only)
{
    uint32_t texts = 0;
    for (uint32_t i = 0; i < division->part_count; i++) {
        const th__iepad_part *part = &division->parts[i];
        if (part->below) {
            texts += count_texts(rule, part->below, only);
        } else if (rule->fields[part->field].kind == TH__IEPAD_VALUE_TEXT) {
            *only = part->field;
            texts++;
        }
    }
    return texts;
}

/* The field of a part, or the one text of the division below it; NO_FIELD when there are none or
 * several. */
static uint32_t only_text(const th__iepad_rule *rule, const th__iepad_part *part)
{
    uint32_t only = part->field;
    return part->below && count_texts(rule, part->below, &only) > 1 ? TH__IEPAD_NO_FIELD : only;
}

/* Lays a pattern of `more` onto one of `rule`, column by column. Recursion no deeper than
 * TH__IEPAD_MAX_LEVELS. */
static th_status liken_division(likeness *l, const th__iepad_division *mine,
                                const th__iepad_division *theirs, th_error *err)
{
    uint32_t len = mine->pattern.len;
    uint32_t *symbols = TH__NEW_ARRAY(uint32_t, (size_t)len * 2), *columns = symbols + len;
    if (!symbols)
        return th__fail_memory(err);
    for (uint32_t i = 0; i < len; i++)
        symbols[i] = th__column_has(&mine->pattern, i, TH__IEPAD_TEXT)
                         ? TH__IEPAD_TEXT
                         : mine->pattern.symbols[mine->pattern.columns[i].first];
    th_status status = th__pattern_align(&theirs->pattern, symbols, len, columns, err);
    for (uint32_t i = 0; !status && i < len; i++) {
        const th__iepad_part *a = part_of(mine, i);
        const th__iepad_part *b = columns[i] == TH__NO_COLUMN ? NULL : part_of(theirs, columns[i]);
        if (a && b && a->below && b->below)
            status = liken_division(l, a->below, b->below, err);
        else if (a && b)
            liken_fields(l, only_text(l->more, a), only_text(l->rule, b));
    }
    th__mem_free(symbols);
    return status;
}

/* Lays the pattern of `more` onto each of the rule's; the best is kept. */
static th_status liken(likeness *best, th_error *err)
{
    likeness now = *best;
    th_status status = TH_OK;
    memset(best->field, 0xff, sizeof best->field);
    for (uint32_t k = 0; !status && k < best->rule->record_count; k++) {
        now.found = 0;
        memset(now.field, 0xff, sizeof now.field);
        status = liken_division(&now, best->more->records, &best->rule->records[k], err);
        if (now.found > best->found)
            *best = now;
    }
    return status;
}

/* Enters those fields of `more` that lie on none. */
static th_status add_fields(th__iepad_rule *rule, likeness *l, th__arena *arena, th_error *err)
{
    uint32_t named[] = {0, 0, 0}; /* by kind: the last number given, as none has got a name yet */
    th__iepad_field *fields = th__arena_alloc(arena, TH__IEPAD_MAX_FIELDS * sizeof *fields);
    if (!fields)
        return th__fail_memory(err);
    for (uint32_t i = 0; i < rule->field_count; i++) {
        fields[i] = rule->fields[i];
        named[fields[i].kind]++;
    }
    rule->fields = fields;
    for (uint32_t i = 0; i < l->more->field_count; i++) {
        uint8_t kind = l->more->fields[i].kind;
        if (l->field[i] != TH__IEPAD_NO_FIELD)
            continue;
        if (rule->field_count == TH__IEPAD_MAX_FIELDS)
            return th__fail(err, TH_ERR_LIMIT, "a rule of more than %d fields",
                            TH__IEPAD_MAX_FIELDS);
        l->field[i] = rule->field_count;
        if (!name_slot(rule, (th__iepad_kind)kind, ++named[kind], arena))
            return th__fail_memory(err);
    }
    return TH_OK;
}

static void set_fields(th__iepad_division *division, const uint32_t *fields)
{
    for (uint32_t i = 0; i < division->part_count; i++) {
        th__iepad_part *part = &division->parts[i];
        if (part->below)
            set_fields(part->below, fields);
        else
            part->field = fields[part->field];
    }
}

th_status th__iepad_rule_join(th__iepad_rule *rule, th__iepad_rule *more, th__arena *arena,
                              th_error *err)
{
    likeness l = {.more = more, .rule = rule};
    if (rule->record_count == TH__IEPAD_MAX_RULES)
        return th__fail(err, TH_ERR_LIMIT,
                        "more than %d record patterns in a rule: learn from fewer pages",
                        TH__IEPAD_MAX_RULES);
    th__iepad_division *records =
        th__arena_keep(arena, rule->records, rule->record_count, sizeof *records);
    th_status status = records ? liken(&l, err) : th__fail_memory(err);
    if (!status)
        status = add_fields(rule, &l, arena, err);
    for (const th__iepad_name *n = more->names; !status && n; n = n->next)
        if (!th__iepad_names_add(arena, &rule->names, n->tag, n->name))
            status = th__fail_memory(err);
    if (status)
        return status;
    set_fields(more->records, l.field);
    records[rule->record_count++] = *more->records;
    rule->records = records;
    return TH_OK;
}

/* ---- the extractor, section 3.2 -------------------------------------------------------------- */

/*
 * The page is encoded by the rule's first scheme; the record patterns are looked for from left to
 * right, the longest match at each place; each record is laid onto its pattern, and each text that
 * has a lower-level pattern is encoded by the next scheme and laid onto that one. The paper aligns
 * the texts of every page again, so that slots may shift from page to page; here they are laid onto
 * the patterns of the rule.
 *
 * The last record. What separates records belongs to the pattern but may be missing after the last
 * one. So where a record is followed by the beginning of another that breaks off, at least half of
 * the pattern's columns and of the shortest match long, that too is a record (switch: last_record).
 *
 * Whole elements. Patterns of lists that the tree shows (iepad.c) may have many options,
 * and would find pieces of records that are written otherwise: such a match counts when it is an
 * element.
 *
 * Time: tokens x columns of all patterns of the rule at worst, tokens x patterns as a rule.
 */
/* A run in progress. */
typedef struct iepad_run {
    const th__iepad_rule *rule;
    const th_page *page;
    th__iepad_table *out;
    th__arena arena;
    th__matcher *matchers;                          /* by record pattern */
    th__iepad_string strings[TH__IEPAD_MAX_LEVELS]; /* by level */
    TH__VEC(uint32_t) columns;                      /* working memory */
} iepad_run;

/* A match: where, by which pattern, and how many of its columns. */
typedef struct record_match {
    uint32_t at, len, pattern, end;
} record_match;

void th__iepad_table_release(th__iepad_table *table)
{
    th__vec_release(&table->records);
    th__vec_release(&table->cells);
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

static th_status divide_block(iepad_run *r, const th__iepad_division *division, uint32_t level,
                              uint32_t first, uint32_t last, size_t base, th_span *cells,
                              th_error *err);

/* True if a symbol is text that a value was taken of. */
static bool is_taken(const th__iepad_string *s, const uint32_t *columns, uint32_t at)
{
    return s->symbols[at] == TH__IEPAD_TEXT && columns[at] != TH__NO_COLUMN;
}

/* The value of a text of a block, with what is beside it and has no column. Between two values
 * it is the first one's. */
static th_span widen(const iepad_run *r, const th__iepad_string *s, const uint32_t *columns,
                     uint32_t at)
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
static th_status take_values(iepad_run *r, const th__iepad_division *division, uint32_t level,
                             uint32_t from, uint32_t to, size_t base, th_span *cells, th_error *err)
{
    th_status status = TH_OK;
    const th__iepad_string *s = &r->strings[level];
    for (uint32_t i = from; !status && i < to; i++) {
        uint32_t column = r->columns.data[base + i - from];
        const th__iepad_part *part = column == TH__NO_COLUMN ? NULL : part_of(division, column);
        if (!part || (part->below && s->symbols[i] != TH__IEPAD_TEXT))
            continue;
        if (part->below)
            status = divide_block(r, part->below, level + 1, s->first[i], s->last[i],
                                  base + to - from, cells, err);
        else if (level && r->rule->stray_text && s->symbols[i] == TH__IEPAD_TEXT &&
                 r->rule->fields[part->field].kind == TH__IEPAD_VALUE_TEXT)
            cells[part->field] = widen(r, s, r->columns.data + base, i);
        else
            cells[part->field] = value_of(r->page, s, i, r->rule->fields[part->field].kind);
    }
    return status;
}

/* Divides the block of tokens first..last by a lower-level pattern. Recursion no deeper than
 * TH__IEPAD_MAX_LEVELS. */
static th_status divide_block(iepad_run *r, const th__iepad_division *division, uint32_t level,
                              uint32_t first, uint32_t last, size_t base, th_span *cells,
                              th_error *err)
{
    th__iepad_encoding encoding = r->rule->encoding;
    encoding.scheme = r->rule->schemes[level];
    th__iepad_string *s = &r->strings[level];
    if (!th__iepad_encode(r->page, &encoding, first, last + 1, &r->arena, s) ||
        !th__vec_reserve(&r->columns, base + s->len))
        return th__fail_memory(err);
    th_status status =
        th__pattern_align(&division->pattern, s->symbols, s->len, r->columns.data + base, err);
    return status ? status : take_values(r, division, level, 0, s->len, base, cells, err);
}

static th_status add_record(iepad_run *r, const record_match *m, th_error *err)
{
    th__iepad_table *out = r->out;
    const th__iepad_string *s = &r->strings[0];
    uint32_t fields = r->rule->field_count;
    th__iepad_record record = {s->first[m->at], s->last[m->at + m->len - 1], m->pattern};
    if (!th__vec_reserve(&out->cells, fields) || !th__vec_reserve(&r->columns, m->len) ||
        !th__vec_push(&out->records, record))
        return th__fail_memory(err);
    th_span *cells = out->cells.data + out->cells.len;
    if (fields)
        memset(cells, 0, fields * sizeof *cells);
    out->cells.len += fields;
    const th__iepad_division *division = &r->rule->records[m->pattern];
    th__pattern pattern = division->pattern;
    pattern.len = m->end;
    th_status status =
        th__pattern_align(&pattern, s->symbols + m->at, m->len, r->columns.data, err);
    return status ? status : take_values(r, division, 0, m->at, m->at + m->len, 0, cells, err);
}

/* ---- matching ----------------------------------------------------------------------------- */

static bool match_at(iepad_run *r, uint32_t at, record_match *m)
{
    const th__iepad_string *s = &r->strings[0];
    *m = (record_match){.at = at};
    for (uint32_t p = 0; p < r->rule->record_count; p++) {
        bool element = r->rule->records[p].element;
        uint32_t len = th__iepad_match(r->page, s, &r->matchers[p], element, at);
        if (len > m->len)
            *m = (record_match){at, len, p, r->matchers[p].len};
    }
    return m->len > 0;
}

/* A record that breaks off after one of the same pattern, where no whole one begins. */
static bool match_last(iepad_run *r, const record_match *before, uint32_t shortest, record_match *m)
{
    const th__iepad_string *s = &r->strings[0];
    uint32_t at = before->at + before->len, end;
    uint32_t len = th__matcher_prefix(&r->matchers[before->pattern], s->symbols, s->len, at, &end);
    *m = (record_match){at, len, before->pattern, end};
    return 2 * end >= r->matchers[before->pattern].len && 2 * len >= shortest && len > 0;
}

static th_status find_records(iepad_run *r, th_error *err)
{
    th_status status = TH_OK;
    uint32_t len = r->strings[0].len, shortest = UINT32_MAX;
    record_match before = {0}, m;
    for (uint32_t at = 0; !status && at < len;) {
        bool found = match_at(r, at, &m);
        if (found)
            shortest = m.len < shortest ? m.len : shortest;
        else if (r->rule->last_record && before.len && before.at + before.len == at &&
                 !r->rule->records[before.pattern].element) {
            found = match_last(r, &before, shortest, &m);
            before.len = 0;
        }
        if (!found) {
            at++;
            continue;
        }
        status = add_record(r, &m, err);
        before = m.end == r->matchers[m.pattern].len ? m : (record_match){0};
        at += m.len;
    }
    return status;
}

th_status th__iepad_run(const th__iepad_rule *rule, const th_page *page,
                        const th__iepad_string *string, th__iepad_table *out, th_error *err)
{
    iepad_run r = {.rule = rule, .page = page, .out = out};
    th__arena_init(&r.arena);
    r.matchers = th__arena_zero(&r.arena, rule->record_count, sizeof *r.matchers);
    bool ok = r.matchers;
    for (uint32_t i = 0; ok && i < rule->record_count; i++)
        ok = th__matcher_init(&r.matchers[i], &rule->records[i].pattern, &r.arena);
    if (string)
        r.strings[0] = *string;
    else
        ok = ok &&
             th__iepad_encode(page, &rule->encoding, 0, page->token_count, &r.arena, r.strings);
    th_status status = ok ? find_records(&r, err) : th__fail_memory(err);
    th__vec_release(&r.columns);
    th__arena_release(&r.arena);
    return status;
}

/* ---- what a rule found, as records with texts and spans -------------------------------------- */

static const th_note notes[] = {
    [TH__IEPAD_VALUE_TEXT] = TH_NOTE_TEXT,
    [TH__IEPAD_VALUE_LINK] = TH_NOTE_URL,
    [TH__IEPAD_VALUE_IMAGE] = TH_NOTE_IMAGE,
};

/* The chosen fields in the order of the tuple: texts, then links and images, so that readable text
 * stays together. Returns their number. */
static uint32_t order_fields(const th__iepad_rule *rule, uint32_t fields[TH__IEPAD_MAX_FIELDS])
{
    uint32_t count = 0;
    for (int links = 0; links < 2; links++)
        for (uint32_t i = 0; i < rule->field_count; i++)
            if (rule->fields[i].chosen &&
                (rule->fields[i].kind != TH__IEPAD_VALUE_TEXT) == (links > 0))
                fields[count++] = i;
    return count;
}

/* The schema of a rule's records. Caller frees. */
static th_status make_schema(const th__iepad_rule *rule, th_schema **out, th_error *err)
{
    uint32_t fields[TH__IEPAD_MAX_FIELDS], count = order_fields(rule, fields);
    th_type *members[TH__IEPAD_MAX_FIELDS];
    th_str none = {NULL, 0};
    th_schema *schema;
    if (count == 0)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "the rule has no field to extract; choose at least one of its slots");
    th_status status = th_schema_new(&schema, err);
    if (status)
        return status;
    for (uint32_t i = 0; i < count; i++) {
        const th__iepad_field *field = &rule->fields[fields[i]];
        members[i] =
            th_schema_optional(schema, th_schema_field(schema, field->name, notes[field->kind]));
    }
    status = th_schema_finish(
        schema, th_schema_list(schema, none, th_schema_tuple(schema, none, members, count)), err);
    if (status)
        th_schema_free(schema);
    else
        *out = schema;
    return status;
}

static th_status fill_records(const th__iepad_rule *rule, const th_page *page,
                              const th__iepad_table *table, th_records *records, th_error *err)
{
    static const th_str attributes[] = {{0}, {"href", 4}, {"src", 3}}; /* by kind */
    th__buf text = {0};
    uint32_t fields[TH__IEPAD_MAX_FIELDS], members = order_fields(rule, fields);
    bool ok = true;
    for (size_t i = 0; ok && i < table->records.len; i++) {
        th_value *tuple = th_records_add(records);
        const th__iepad_record *record = &table->records.data[i];
        th_span whole = {page->tokens[record->first].start, page->tokens[record->last + 1].start};
        if (tuple)
            th_value_set_span(tuple, whole);
        for (uint32_t m = 0; ok && tuple && m < members; m++) {
            th_span span = table->cells.data[i * rule->field_count + fields[m]];
            if (span.end <= span.start)
                continue;
            th__buf_clear(&text);
            ok = th__page_value(page, attributes[rule->fields[fields[m]].kind], span, &text);
            if (ok && text.len > 0)
                th_records_set_text(records, th_value_slot(tuple, m), th__buf_str(&text), span);
        }
    }
    th__buf_release(&text);
    return ok ? th_records_status(records, err) : th__fail_memory(err);
}

/* The records of a page by a schema that fits; `string` as for th__iepad_run. */
static th_status extract_on(const th__iepad_rule *rule, const th_schema *schema,
                            const th_page *page, const th__iepad_string *string,
                            const th_records_source *source, th_records **out, th_error *err)
{
    th__iepad_table table = {0};
    th_records *records = NULL;
    th_status status = th__iepad_run(rule, page, string, &table, err);
    if (!status)
        status = th_records_new(schema, source, &records, err);
    if (!status)
        status = fill_records(rule, page, &table, records, err);
    th__iepad_table_release(&table);
    if (status)
        th_records_free(records);
    else
        *out = records;
    return status;
}

/* `run` of the engine's table. */
static th_status extract(const void *rule, const th_schema *schema, const th_page *page,
                         const th_records_source *source, th_records **out, th_error *err)
{
    return extract_on(rule, schema, page, NULL, source, out, err);
}

th_status th__iepad_records(const th__iepad_rule *rule, const th_page *page,
                            const th__iepad_string *string, const th_records_source *source,
                            th_records **out, th_error *err)
{
    th_schema *schema;
    th_status status = make_schema(rule, &schema, err);
    if (status)
        return status;
    status = extract_on(rule, schema, page, string, source, out, err);
    th_schema_free(schema);
    return status;
}

/* ---- options of the user ------------------------------------------------------------------ */

/* Returns true if both define repeats in the same way. */
static bool same_repeats(const th_paper_options *a, const th_paper_options *b)
{
    return a->min_length == b->min_length && a->min_count == b->min_count &&
           a->max_variance == b->max_variance && a->min_density == b->min_density &&
           a->cluster_variance == b->cluster_variance && a->max_mismatch == b->max_mismatch;
}

/* The scheme of a name; without a name *out stays as it is. */
static th_status find_scheme(const char *name, th__iepad_scheme *out, th_error *err)
{
    for (unsigned i = 0; name && i < TH__IEPAD_SCHEME_COUNT; i++)
        if (!strcmp(name, th__iepad_scheme_names[i])) {
            *out = (th__iepad_scheme)i;
            return TH_OK;
        }
    return name ? th__fail(err, TH_ERR_ARGUMENT,
                           "unknown encoding \"%.100s\" (available: all-tag, no-physical, "
                           "no-special, no-logical, block-level)",
                           name)
                : TH_OK;
}

/* The paper's settings or ours, with what the user has set. */
static th_status read_options(const th_paper_options *paper, th__iepad_options *options,
                              th_error *err)
{
    th__iepad_options_init(options, paper->published);
    /* A user who defines repeats gets lists of repeats alone, not those of the tree. */
    bool same = same_repeats(&options->paper, paper);
    options->siblings = options->siblings && same;
    options->firm = options->firm && same;
    options->paper = *paper;
    options->levels = paper->levels;
    th_status status = find_scheme(paper->encoding, &options->scheme, err);
    return status ? status : find_scheme(paper->lower_encoding, &options->lower, err);
}

/* ---- patterns as lists of records ------------------------------------------------------------ */

/* Each pattern becomes a rule, which is run on the page it is from. */
static th_status add_region(const th_page *page, const th_records_source *source,
                            const th__iepad_result *result, uint32_t pick, th__region_vec *out,
                            th_error *err)
{
    const th__iepad_pattern *pattern = &result->patterns[pick];
    th__iepad_rule rule;
    th_records *records;
    th__arena arena;
    th__arena_init(&arena);
    th_status status = th__iepad_learn(page, result, pick, &arena, &rule, err);
    bool any = !status && rule.field_count;
    if (any)
        status = th__iepad_records(&rule, page, &result->string, source, &records, err);
    th__arena_release(&arena);
    if (!any || status)
        return status;
    status = th__region_add(out, "iepad", pattern->score, records, err);
    if (status)
        return status;
    th_region *region = &out->data[out->len - 1];
    region->pattern =
        (th_str){th__mem_copy(pattern->text.ptr, pattern->text.len), pattern->text.len};
    region->variance = pattern->variance;
    region->density = pattern->density;
    region->regularity = pattern->regularity;
    return region->pattern.ptr ? TH_OK : th__fail_memory(err);
}

static th_status iepad_regions(const th_page *page, const th_records_source *source,
                               const th_regions_options *options, th__region_vec *out,
                               th_error *err)
{
    th__iepad_options iepad;
    th__iepad_result result;
    th_status status = read_options(&options->paper, &iepad, err);
    iepad.trace = options->trace;
    if (!status)
        status = th__iepad_find(page, &iepad, &result, err);
    if (status)
        return status;
    out->found = result.count;
    for (uint32_t i = 0; !status && i < result.count && out->len < options->most; i++)
        status = add_region(page, source, &result, i, out, err);
    th__iepad_result_release(&result);
    return status;
}

/* ---- further pages of a site, section 4.2 ---------------------------------------------------- */

/*
 * The paper's user looks at what the rule extracts from a further page; if records are missing, the
 * page is searched for patterns, the user chooses one, and its rule is appended to the one there
 * is. Here no user looks. The list is known again by its place (the tags from the root down to
 * its records); a pattern there is taken when, beside the rule, it finds records that the rule
 * alone does not, and these are not much shorter: else it is about headings, or cuts records into
 * pieces.
 */
static double bytes_of(const th_page *page, const th__iepad_table *table)
{
    double bytes = 0;
    for (size_t i = 0; i < table->records.len; i++)
        bytes += page->tokens[table->records.data[i].last + 1].start -
                 page->tokens[table->records.data[i].first].start;
    return bytes;
}

/* True if what is found besides is about as long as the records that were found: at least half.
 * What is much shorter is a heading, or a part of something. */
static bool adds_records(const th_page *page, const th__iepad_table *before,
                         const th__iepad_table *after)
{
    double were = bytes_of(page, before), are = bytes_of(page, after);
    double count = (double)before->records.len, more = (double)after->records.len - count;
    return more > 0 && (!count || 2 * count * (are - were) >= were * more);
}

/* Joins the rule of a pattern to the rule, unless it finds no more. */
static th_status try_pattern(const th_page *page, const th__iepad_result *result, uint32_t pick,
                             th__arena *arena, th__iepad_rule *rule, const th__iepad_table *before,
                             size_t *records, th_error *err)
{
    th__iepad_rule more, old = *rule;
    th__iepad_table after = {0};
    th_status status = th__iepad_learn(page, result, pick, arena, &more, err);
    if (status)
        return status;
    status = th__iepad_rule_join(rule, &more, arena, err);
    bool full = status == TH_ERR_LIMIT; /* the rule has all the patterns or fields it may have */
    if (!status)                        /* of the same options, hence of the same encoding */
        status = th__iepad_run(rule, page, &result->string, &after, err);
    if (!status && more.field_count && adds_records(page, before, &after))
        *records = after.records.len;
    else
        *rule = old;
    th__iepad_table_release(&after);
    return full ? TH_OK : status;
}

th_status th__iepad_learn_more(const th_page *page, const th__iepad_options *options, uint64_t home,
                               th__arena *arena, th__iepad_rule *rule, size_t *records,
                               th_error *err)
{
    th__iepad_table before = {0};
    th__iepad_result result = {0};
    th_status status = th__iepad_run(rule, page, NULL, &before, err);
    size_t count = *records = before.records.len;
    if (!status)
        status = th__iepad_find(page, options, &result, err);
    for (uint32_t i = 0; !status && *records == count && i < result.count; i++)
        if (result.patterns[i].count > count && result.patterns[i].home == home)
            status = try_pattern(page, &result, i, arena, rule, &before, records, err);
    if (status)
        *records = 0;
    th__iepad_result_release(&result);
    th__iepad_table_release(&before);
    return status;
}

struct iepad_learner {
    uint32_t pick;
    th__iepad_options options;
    th__arena *arena;     /* of the wrapper */
    th__iepad_rule *rule; /* there; without record patterns until a page had one */
    uint64_t home;        /* of its records, see th__iepad_pattern */
    const char *slots;    /* to keep: see th_learn_options */
};

/* ---- wrappers: learning ---------------------------------------------------------------------- */

static th_status learn_begin(const th_learn_options *options, th__arena *arena, void **state,
                             th_error *err)
{
    th__iepad_rule *rule = th__arena_zero(arena, 1, sizeof *rule);
    struct iepad_learner *l = rule ? TH__NEW(struct iepad_learner) : NULL;
    if (!l)
        return th__fail_memory(err);
    l->pick = options->pick;
    l->slots = options->slots;
    l->arena = arena;
    l->rule = rule;
    *state = l;
    return read_options(&options->paper, &l->options, err);
}

/* The rule of the requested pattern, by the rank that `thresh regions` shows. */
static th_status learn_pattern(struct iepad_learner *l, const th_page *page,
                               const th_records_source *source, size_t *records, th_error *err)
{
    th__iepad_result result;
    th__iepad_table table = {0};
    uint32_t shown = 0;
    th_status status = th__iepad_find(page, &l->options, &result, err);
    if (status)
        return status;
    for (uint32_t i = 0; !status && shown < l->pick && i < result.count; i++) {
        th__iepad_rule rule;
        status = th__iepad_learn(page, &result, i, l->arena, &rule, err);
        if (!status && rule.field_count && ++shown == l->pick) {
            *l->rule = rule;
            l->home = result.patterns[i].home;
            status = th__iepad_run(&rule, page, &result.string, &table, err);
            *records = table.records.len;
        }
    }
    if (!status && shown && shown < l->pick)
        status = th__fail_no_pick(source, "iepad", shown, l->pick, err);
    th__iepad_table_release(&table);
    th__iepad_result_release(&result);
    return status;
}

static th_status learn_page(void *state, const th_page *page, const th_records_source *source,
                            size_t *records, th_error *err)
{
    struct iepad_learner *l = state;
    *records = 0;
    return l->rule->record_count
               ? th__iepad_learn_more(page, &l->options, l->home, l->arena, l->rule, records, err)
               : learn_pattern(l, page, source, records, err);
}

static th_status no_slot(const th_str *names, uint32_t count, th_str name, th_error *err)
{
    char known[256];
    size_t len = 0;
    for (uint32_t i = 0; i < count && len < sizeof known; i++)
        len += (size_t)snprintf(known + len, sizeof known - len, "%s%.*s", i ? ", " : "",
                                TH_STR_ARG(names[i]));
    return th__fail(err, TH_ERR_ARGUMENT, "the pattern has no slot \"%.*s\" (available: %s%s)",
                    TH_STR_ARG(name), known, len < sizeof known ? "" : ", ...");
}

/* One slot that is to be kept, "text_1" or "text_1=title". */
static th_status choose_slot(th__iepad_rule *rule, const th_str *names, th_str slot,
                             th__arena *arena, th_error *err)
{
    const char *equals = memchr(slot.ptr, '=', slot.len);
    size_t len = equals ? (size_t)(equals - slot.ptr) : slot.len;
    th_str old = th__str_trim((th_str){slot.ptr, len}), name = old;
    uint32_t field = 0;
    if (equals)
        name = th__str_trim((th_str){equals + 1, slot.len - len - 1});
    while (field < rule->field_count && !th__str_eq(names[field], old))
        field++;
    if (field == rule->field_count)
        return no_slot(names, rule->field_count, old, err);
    for (uint32_t i = 0; i < rule->field_count; i++)
        if (rule->fields[i].chosen && (i == field || th__str_eq(rule->fields[i].name, name)))
            return th__fail(err, TH_ERR_ARGUMENT, "slots: \"%.*s\" appears twice",
                            TH_STR_ARG(i == field ? old : name));
    if (!name.len)
        return th__fail(err, TH_ERR_ARGUMENT, "slots: \"%.*s\" has an empty name", TH_STR_ARG(old));
    rule->fields[field].chosen = true;
    rule->fields[field].name = th__arena_copy(arena, name);
    return rule->fields[field].name.ptr ? TH_OK : th__fail_memory(err);
}

/* Section 3: the user selects slots and names their attributes. */
static th_status choose_slots(th__iepad_rule *rule, const char *slots, th__arena *arena,
                              th_error *err)
{
    th_str names[TH__IEPAD_MAX_FIELDS];
    th_status status = TH_OK;
    for (uint32_t i = 0; i < rule->field_count; i++) {
        names[i] = rule->fields[i].name;
        rule->fields[i].chosen = false;
    }
    while (!status && *slots) {
        size_t len = strcspn(slots, ",");
        status = choose_slot(rule, names, (th_str){slots, len}, arena, err);
        slots += len + (slots[len] == ',');
    }
    return status;
}

static th_status learn_end(void *state, th_schema **schema, void **rules, th_error *err)
{
    struct iepad_learner *l = state;
    th_status status = l->slots ? choose_slots(l->rule, l->slots, l->arena, err) : TH_OK;
    *rules = l->rule;
    return status ? status : make_schema(l->rule, schema, err);
}

/* ---- rules as JSON: patterns in the paper's notation ------------------------------------------
 */

static th_status bad_pattern(th__rule_reader *reader, size_t at, const char *what)
{
    return th__rule_fault(reader,
                          "character %zu: %s; a pattern is a row of <tag>, </tag> and <TEXT>, and "
                          "of sets such as [<b>|<i>|-]",
                          at + 1, what);
}

/* Reads <name> at *at. */
static th_status read_symbol(th__rule_reader *reader, th_str text, size_t *at, uint32_t *symbol)
{
    th__iepad_rule *rule = reader->root;
    size_t start = *at + 1, end = start;
    if (*at >= text.len || text.ptr[*at] != '<')
        return bad_pattern(reader, *at, "expected <");
    while (end < text.len && text.ptr[end] != '>')
        end++;
    bool closes = start < end && text.ptr[start] == '/';
    th_str name = {text.ptr + start + closes, end - start - closes};
    if (end == text.len || name.len == 0)
        return bad_pattern(reader, *at, "a tag without a name or an end");
    *at = end + 1;
    if (!closes && th__str_eq(name, TH_STR("TEXT"))) {
        *symbol = TH__IEPAD_TEXT;
        return TH_OK;
    }
    uint16_t tag = th_tag_id(name);
    *symbol = th__iepad_symbol(tag, closes);
    return th__iepad_names_add(reader->arena, &rule->names, tag, name)
               ? TH_OK
               : th__fail_memory(reader->err);
}

/* Reads [<a>|<b>|-] at *at. */
static th_status read_set(th__rule_reader *reader, th_str text, size_t *at, th__pattern *out)
{
    uint32_t set[TH__COLUMN_MAX], count = 0;
    bool optional = false;
    for (++*at;; ++*at) {
        if (*at < text.len && text.ptr[*at] == '-') {
            optional = true;
            ++*at;
        } else if (count == TH__COLUMN_MAX) {
            return bad_pattern(reader, *at, "too many alternatives");
        } else {
            th_status status = read_symbol(reader, text, at, &set[count]);
            if (status)
                return status;
            count++;
        }
        if (*at < text.len && text.ptr[*at] == '|')
            continue;
        if (*at < text.len && text.ptr[*at] == ']')
            break;
        return bad_pattern(reader, *at, "expected | or ]");
    }
    if (count == 0)
        return bad_pattern(reader, *at, "a set without a token");
    ++*at;
    return th__pattern_add(out, set, count, optional, reader->err);
}

static th_status parse_pattern(th__rule_reader *reader, th_str text, int way, void *pattern)
{
    th__pattern *out = pattern;
    th_status status = TH_OK;
    *out = th__pattern_in(reader->arena);
    for (size_t at = 0; !status && at < text.len;) {
        uint32_t symbol;
        if (text.ptr[at] == '[') {
            status = read_set(reader, text, &at, out);
            continue;
        }
        status = read_symbol(reader, text, &at, &symbol);
        if (!status)
            status = th__pattern_add(out, &symbol, 1, false, reader->err);
    }
    return !status && out->len == 0 ? th__rule_fault(reader, "is empty") : status;
}

static void print_pattern(const void *root, const void *pattern, int way, th__buf *out)
{
    th__pattern_print(pattern, th__iepad_symbol_print, ((const th__iepad_rule *)root)->names, out);
}

/* ---- divisions ---------------------------------------------------------------------------- */

/* How many levels a division has. */
static uint32_t depth_of(const th__iepad_division *division)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < division->part_count; i++) {
        uint32_t below = division->parts[i].below ? depth_of(division->parts[i].below) : 0;
        deepest = below > deepest ? below : deepest;
    }
    return deepest + 1;
}

static th_status check_part(th__rule_reader *reader, const th__iepad_division *division, uint32_t i)
{
    const th__iepad_rule *rule = reader->root;
    const th__iepad_part *part = &division->parts[i];
    th__iepad_kind kind = TH__IEPAD_VALUE_TEXT;
    if (part->column >= division->pattern.len)
        return th__rule_fault_in(reader, "column", "the pattern has no such column");
    for (uint32_t k = 0; k < i; k++)
        if (division->parts[k].column == part->column)
            return th__rule_fault_in(reader, "column", "the column appears twice");
    if (!th__iepad_column_kind(&division->pattern, part->column, &kind))
        return th__rule_fault_in(reader, "column", "the column contains no <TEXT>, <a> or <img>");
    if (part->below && kind != TH__IEPAD_VALUE_TEXT)
        return th__rule_fault_in(reader, "below", "only a <TEXT> column can be divided");
    if (part->below && depth_of(part->below) >= rule->levels)
        return th__rule_fault_in(reader, "below", "is deeper than the rule has levels");
    if (!part->below && part->field >= rule->field_count)
        return th__rule_fault_in(reader, "field", "must be the number of a field");
    return TH_OK;
}

static th_status check_division(th__rule_reader *reader, void *object)
{
    th__iepad_division *division = object;
    th_status status = TH_OK;
    size_t mark = th__rule_enter(reader, "columns");
    for (uint32_t i = 0; !status && i < division->part_count; i++) {
        size_t item = th__rule_enter_item(reader, i);
        status = check_part(reader, division, i);
        th__rule_leave(reader, item);
    }
    th__rule_leave(reader, mark);
    return status;
}

#define COLUMN                                                                                     \
    {                                                                                              \
        TH__UINT("column", th__iepad_part, column, 0, TH__PATTERN_MAX), .flags = TH__NEEDED        \
    }
#define FIELD                                                                                      \
    {                                                                                              \
        TH__UINT("field", th__iepad_part, field, 0, TH__IEPAD_MAX_FIELDS),                         \
            .none = TH__IEPAD_NO_FIELD                                                             \
    }
#define DIVISION(part_shape_)                                                                      \
    {TH__PARSED("pattern", th__iepad_division, pattern, parse_pattern, print_pattern),             \
     .flags = TH__NEEDED},                                                                         \
        {TH__FLAG("element", th__iepad_division, element)},                                        \
    {                                                                                              \
        TH__LIST("columns", th__iepad_division, parts, part_count, part_shape_, 0,                 \
                 TH__PATTERN_MAX),                                                                 \
            .flags = TH__NEEDED                                                                    \
    }

/* Three levels: what divides a block of the second is not divided itself. */
static const th__rule_member lowest_part[] = {COLUMN, FIELD};
static const th__rule_shape lowest_part_shape = TH__SHAPE(th__iepad_part, lowest_part);
static const th__rule_member lowest_members[] = {DIVISION(lowest_part_shape)};
static const th__rule_shape lowest_shape =
    TH__CHECKED_SHAPE(th__iepad_division, lowest_members, check_division);
static const th__rule_member lower_part[] = {
    COLUMN, FIELD, {TH__POINTER("below", th__iepad_part, below, lowest_shape)}};
static const th__rule_shape lower_part_shape = TH__SHAPE(th__iepad_part, lower_part);
static const th__rule_member lower_members[] = {DIVISION(lower_part_shape)};
static const th__rule_shape lower_shape =
    TH__CHECKED_SHAPE(th__iepad_division, lower_members, check_division);
static const th__rule_member part_members[] = {
    COLUMN, FIELD, {TH__POINTER("below", th__iepad_part, below, lower_shape)}};
static const th__rule_shape part_shape = TH__SHAPE(th__iepad_part, part_members);
static const th__rule_member division_members[] = {DIVISION(part_shape)};
static const th__rule_shape division_shape =
    TH__CHECKED_SHAPE(th__iepad_division, division_members, check_division);

/* ---- all ---------------------------------------------------------------------------------- */

static th_status check_field(th__rule_reader *reader, void *object)
{
    const th__iepad_rule *rule = reader->root;
    const th__iepad_field *field = object;
    for (uint32_t i = 0; i < rule->field_count; i++)
        if (rule->fields[i].kind == field->kind && th__str_eq(rule->fields[i].name, field->name))
            return th__rule_fault_in(reader, "name", "another field has the same name and kind");
    return TH_OK;
}

static const th__rule_member field_members[] = {
    {TH__TEXT("name", th__iepad_field, name), .flags = TH__NEEDED | TH__FIELD_NAME},
    {TH__WORD("kind", th__iepad_field, kind, kind_names), .flags = TH__NEEDED},
    {TH__FLAG("chosen", th__iepad_field, chosen), .flags = TH__NEEDED},
};
static const th__rule_shape field_shape =
    TH__CHECKED_SHAPE(th__iepad_field, field_members, check_field);

/* The schema has the chosen fields; a rule that is read alone has none. */
static th_status check_fields(th__rule_reader *reader, void *object)
{
    const th__iepad_rule *rule = object;
    uint32_t fields[TH__IEPAD_MAX_FIELDS], count = order_fields(rule, fields);
    const th_type *tuple = reader->schema ? th_schema_record_type(reader->schema) : NULL;
    bool fits = !tuple || (tuple->kind == TH_TYPE_TUPLE && count == tuple->count && count > 0);
    for (uint32_t i = 0; tuple && fits && i < count; i++) {
        const th_type *type = th__type_strip(tuple->children[i]);
        fits = type->kind == TH_TYPE_FIELD &&
               th__str_eq(th_type_name(type), rule->fields[fields[i]].name);
    }
    return fits ? TH_OK
                : th__rule_fault(reader, "the chosen fields, texts before links and images, must "
                                         "be the members of the schema's records");
}

static const th__rule_member scheme_items[] = {
    {.type = TH__RULE_WORD, .size = sizeof(th__iepad_scheme), .words = th__iepad_scheme_names}};
static const th__rule_shape scheme_shape = TH__SHAPE(th__iepad_scheme, scheme_items);

static th_status check_levels(th__rule_reader *reader, void *object)
{
    th__iepad_rule *rule = object;
    rule->encoding.scheme = rule->schemes[0];
    return TH_OK;
}

static const th__rule_member rule_members[] = {
    {TH__ARRAY("levels", th__iepad_rule, schemes, levels, scheme_shape, 1, TH__IEPAD_MAX_LEVELS),
     .flags = TH__NEEDED, .check = check_levels},
    {TH__FLAG("skip_hidden", th__iepad_rule, encoding.skip_hidden), .flags = TH__NEEDED},
    {TH__FLAG("media_as_text", th__iepad_rule, encoding.media_as_text), .flags = TH__NEEDED},
    {TH__FLAG("last_record", th__iepad_rule, last_record), .flags = TH__NEEDED},
    {TH__FLAG("stray_text", th__iepad_rule, stray_text)},
    {TH__LIST("fields", th__iepad_rule, fields, field_count, field_shape, 0, TH__IEPAD_MAX_FIELDS),
     .flags = TH__NEEDED, .check = check_fields},
    {TH__LIST("patterns", th__iepad_rule, records, record_count, division_shape, 1,
              TH__IEPAD_MAX_RULES),
     .flags = TH__NEEDED},
};
const th__rule_shape th__iepad_rule_shape = TH__SHAPE(th__iepad_rule, rule_members);

/* ---- for people to read ---------------------------------------------------------------------- */

/* A pattern, and below it those that divide its blocks. */
static void explain_division(const th__iepad_rule *rule, const th__iepad_division *division,
                             int indent, th__buf *out)
{
    const char *before = "    ";
    th__buf_printf(out, "%*s", indent, "");
    th__pattern_print(&division->pattern, th__iepad_symbol_print, rule->names, out);
    for (uint32_t i = 0; i < division->part_count; i++)
        if (!division->parts[i].below && rule->fields[division->parts[i].field].chosen) {
            th_str name = rule->fields[division->parts[i].field].name;
            th__buf_printf(out, "%s%.*s", before, TH_STR_ARG(name));
            before = ", ";
        }
    th__buf_add_byte(out, '\n');
    for (uint32_t i = 0; i < division->part_count; i++)
        if (division->parts[i].below)
            explain_division(rule, division->parts[i].below, indent + 2, out);
}

static void explain(const void *rules, th__buf *out)
{
    const th__iepad_rule *rule = rules;
    th__buf_printf(out, "records: what matches, with the fields of each pattern\n");
    for (uint32_t i = 0; i < rule->record_count; i++)
        explain_division(rule, &rule->records[i], 2, out);
}

const th__engine th__iepad_engine = {
    .name = "iepad",
    .published = true,
    .regions = iepad_regions,
    .confidence = {0.8, 1.1, 0.005},
    .learn_begin = learn_begin,
    .learn_page = learn_page,
    .learn_end = learn_end,
    .learn_free = th__mem_free,
    .run = extract,
    .shape = &th__iepad_rule_shape,
    .explain = explain,
};
