/*
 * write_table.c: records as a table for people at a terminal.
 *
 *     title           price  authors
 *     ──────────────  ─────  ─────────────
 *     Snow Country    9.50   Kawabata
 *     The Master an…  12.00  Bulgakov | P…
 *
 * Columns are as wide as what is in them. When that is more than the terminal has, the widest are
 * narrowed to one common width, and columns that would become too narrow to read are left out and
 * named below the table. Widths are those of the terminal: what a reader sees as one character
 * takes the columns of its widest code point, so that combining marks take none. The first rows
 * decide; past ROWS_TO_MEASURE the rest is written as it comes. Pages with other columns begin a
 * new table.
 *
 * Page text must not steer the terminal: control characters are made visible, and characters that
 * would turn the writing direction of what follows are dropped.
 */
#include "data/writer.h"

#include <utf8proc.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/utf8.h"

enum { ROWS_TO_MEASURE = 500, LEAST_WIDTH = 8, GAP = 2 };

typedef struct cell {
    th_str text;    /* safe to print */
    uint32_t width; /* in columns of the terminal */
} cell;

typedef struct column {
    uint32_t natural; /* what it would need */
    uint32_t width;   /* what it gets */
} column;

/* Where the values of the current schema go. */
typedef struct plan {
    th__arena arena;
    th__layout layout;
} plan;

typedef struct table {
    th__arena heads;   /* header and columns of the section */
    th__arena rows;    /* that wait */
    th__arena scratch; /* of one row */
    plan *plan;
    cell *header; /* of the section; NULL before it has one */
    column *columns;
    uint32_t count;    /* of columns in the section */
    uint32_t shown;    /* of these; the rest does not fit */
    bool head_printed; /* widths are decided */
    bool any_printed;  /* something is above */
    TH__VEC(cell *) waiting;
} table;

static void plan_free(plan *old)
{
    if (!old)
        return;
    th__layout_release(&old->layout);
    th__arena_release(&old->arena);
    th__mem_free(old);
}

static plan *plan_new(const th_schema *schema, const th_str *reserved, size_t count)
{
    plan *fresh = TH__NEW(plan);
    if (!fresh)
        return NULL;
    th__arena_init(&fresh->arena);
    if (th__layout_init(&fresh->layout, &fresh->arena, th_schema_record_type(schema), (th_str){0},
                        reserved, count))
        return fresh;
    plan_free(fresh);
    return NULL;
}

static th_status table_open(th_writer *writer, th_error *err)
{
    table *state = TH__NEW(table);
    if (!state)
        return th__fail_memory(err);
    th__arena_init(&state->heads);
    th__arena_init(&state->rows);
    th__arena_init(&state->scratch);
    writer->state = state;
    return TH_OK;
}

static void table_release(th_writer *writer)
{
    table *state = writer->state;
    if (!state)
        return;
    plan_free(state->plan);
    th__vec_release(&state->waiting);
    th__arena_release(&state->heads);
    th__arena_release(&state->rows);
    th__arena_release(&state->scratch);
    th__mem_free(state);
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* What is printed for a character of page text, or 0 for nothing. */
static uint32_t safe_char(uint32_t c)
{
    if (c == '\t' || c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029)
        return ' ';
    if (c < 0x20)
        return 0x2400 + c; /* the picture of the control character */
    if (c == 0x7F)
        return 0x2421;
    if (c >= 0x80 && c < 0xA0)
        return 0xFFFD;
    bool turns = c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
                 (c >= 0x2066 && c <= 0x2069);
    return turns || c == 0xFEFF ? 0 : c;
}

/* Measures text code point by code point. All zeros at first. */
struct ruler {
    uint32_t last;    /* code point; 0: none */
    int32_t state;    /* utf8proc's: what characters of several code points need */
    uint32_t before;  /* columns of the characters before the current one */
    uint32_t current; /* columns of the current one */
};

static uint32_t ruler_width(const struct ruler *ruler)
{
    return ruler->before + ruler->current;
}

/* Adds a code point. Returns true if a character begins with it. */
static bool ruler_add(struct ruler *ruler, uint32_t code)
{
    uint32_t columns = (uint32_t)utf8proc_charwidth((int32_t)code);
    bool begins = !ruler->last || utf8proc_grapheme_break_stateful((int32_t)ruler->last,
                                                                   (int32_t)code, &ruler->state);
    if (begins) {
        ruler->before += ruler->current;
        ruler->current = columns;
    } else if (columns > ruler->current) {
        ruler->current = columns;
    }
    ruler->last = code;
    return begins;
}

/* Makes text safe and measures it; past `limit` columns nothing can be shown, so that it stops. */
static bool make_cell(th__arena *arena, th_str text, uint32_t limit, cell *out)
{
    th__buf buf = {0};
    struct ruler ruler = {0};
    for (size_t at = 0; at < text.len && ruler_width(&ruler) <= limit;) {
        uint32_t code;
        char bytes[4];
        at += th__utf8_decode(text.ptr + at, text.ptr + text.len, &code, NULL);
        code = safe_char(code);
        if (!code)
            continue;
        th__buf_add(&buf, bytes, th__utf8_encode(code, bytes));
        ruler_add(&ruler, code);
    }
    out->width = ruler_width(&ruler);
    out->text = buf.failed ? (th_str){0} : th__arena_copy(arena, th__buf_str(&buf));
    th__buf_release(&buf);
    return out->text.ptr != NULL;
}

static uint32_t width_of(th_str text)
{
    struct ruler ruler = {0};
    uint32_t code;
    for (size_t at = 0; at < text.len;) {
        at += th__utf8_next(text.ptr + at, &code);
        ruler_add(&ruler, code);
    }
    return ruler_width(&ruler);
}

/* Prints the whole characters that fit beside an ellipsis; returns the columns taken. */
static uint32_t print_cut(th__buf *buf, th_str text, uint32_t width)
{
    struct ruler ruler = {0};
    size_t fits = 0; /* bytes of the characters that fit */
    uint32_t taken = 0;
    for (size_t at = 0, next; at < text.len; at = next) {
        uint32_t code;
        next = at + th__utf8_next(text.ptr + at, &code);
        if (ruler_add(&ruler, code)) {
            fits = at;
            taken = ruler.before;
        }
        if (ruler_width(&ruler) + 1 > width)
            break;
    }
    th__buf_add(buf, text.ptr, fits);
    th__buf_add_str(buf, TH_STR("…"));
    return taken + 1;
}

static void print_repeated(th__buf *buf, th_str text, uint32_t times)
{
    while (times--)
        th__buf_add_str(buf, text);
}

static void print_row(th_writer *writer, const table *state, const cell *cells)
{
    th__buf *buf = &writer->buf;
    size_t end = buf->len;
    for (uint32_t i = 0; i < state->shown; i++) {
        uint32_t width = state->columns[i].width, taken = cells[i].width;
        if (cells[i].width <= width)
            th__buf_add_str(buf, cells[i].text);
        else
            taken = print_cut(buf, cells[i].text, width);
        if (cells[i].width)
            end = buf->len; /* blanks at the end of a line are not kept */
        print_repeated(buf, TH_STR(" "), width - taken + GAP);
    }
    if (!buf->failed)
        buf->len = end;
    th__buf_add_byte(buf, '\n');
}

/* ---- widths ---------------------------------------------------------------------------------- */

static uint64_t total_at(const table *state, uint32_t most)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < state->shown; i++)
        total += state->columns[i].natural < most ? state->columns[i].natural : most;
    return total;
}

/* The largest common width that the wide columns can have. */
static void narrow(table *state, uint32_t room)
{
    uint32_t low = 1, high = room;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (total_at(state, middle) <= room)
            low = middle;
        else
            high = middle - 1;
    }
    uint64_t total = total_at(state, low);
    uint32_t left = total < room ? (uint32_t)(room - total) : 0;
    for (uint32_t i = 0; i < state->shown; i++) {
        column *c = &state->columns[i];
        c->width = c->natural < low ? c->natural : low;
        if (c->natural > low && left) {
            c->width++; /* what the division left over */
            left--;
        }
    }
}

static void decide_widths(th_writer *writer, table *state)
{
    for (uint32_t i = 0; i < state->count; i++) {
        column *c = &state->columns[i];
        c->natural = state->header[i].width ? state->header[i].width : 1;
        for (size_t row = 0; row < state->waiting.len; row++)
            if (state->waiting.data[row][i].width > c->natural)
                c->natural = state->waiting.data[row][i].width;
        c->width = c->natural;
    }
    uint32_t width = writer->options.width;
    state->shown = state->count;
    if (!width)
        return;
    uint64_t least = 0;
    for (uint32_t i = 0; i < state->count; i++) {
        least += state->columns[i].natural < LEAST_WIDTH ? state->columns[i].natural : LEAST_WIDTH;
        if (least > width && i) {
            state->shown = i;
            break;
        }
        least += GAP;
    }
    uint32_t gaps = GAP * (state->shown - 1);
    if (state->shown && total_at(state, UINT32_MAX) + gaps > width)
        narrow(state, width > gaps ? width - gaps : 1);
}

/* ---- sections -------------------------------------------------------------------------------- */

static void bold(th_writer *writer, bool on)
{
    if (writer->options.color)
        th__buf_add_str(&writer->buf, on ? TH_STR("\033[1m") : TH_STR("\033[0m"));
}

static th_status print_head(th_writer *writer, table *state, th_error *err)
{
    th__buf *buf = &writer->buf;
    decide_widths(writer, state);
    if (state->any_printed)
        th__buf_add_byte(buf, '\n');
    bold(writer, true);
    print_row(writer, state, state->header);
    if (writer->options.color && !buf->failed)
        buf->len--; /* the end of the line goes after the end of bold */
    bold(writer, false);
    if (writer->options.color)
        th__buf_add_byte(buf, '\n');
    for (uint32_t i = 0; i < state->shown; i++) {
        print_repeated(buf, TH_STR("─"), state->columns[i].width);
        th__buf_add_str(buf, i + 1 < state->shown ? TH_STR("  ") : TH_STR("\n"));
    }
    state->head_printed = state->any_printed = true;
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < state->waiting.len; i++) {
        print_row(writer, state, state->waiting.data[i]);
        status = th__writer_flush(writer, err);
    }
    state->waiting.len = 0;
    th__arena_clear(&state->rows);
    return status;
}

/* Names the columns that had no room. */
static void print_left_out(th_writer *writer, const table *state)
{
    th__buf line = {0};
    th__buf_printf(&line, "(%u more column%s:", state->count - state->shown,
                   state->count - state->shown == 1 ? "" : "s");
    for (uint32_t i = state->shown; i < state->count; i++) {
        th__buf_add_byte(&line, ' ');
        th__buf_add_str(&line, state->header[i].text);
        th__buf_add_byte(&line, i + 1 < state->count ? ',' : ')');
    }
    th_str text = th__buf_str(&line);
    if (line.failed)
        writer->buf.failed = true;
    else if (width_of(text) <= writer->options.width)
        th__buf_add_str(&writer->buf, text);
    else
        print_cut(&writer->buf, text, writer->options.width);
    th__buf_add_byte(&writer->buf, '\n');
    th__buf_release(&line);
}

/* Prints what waits; what comes next begins a new table. */
static th_status end_section(th_writer *writer, table *state, th_error *err)
{
    th_status status = TH_OK;
    if (state->waiting.len && !state->head_printed)
        status = print_head(writer, state, err);
    if (!status && state->head_printed && state->shown < state->count)
        print_left_out(writer, state);
    state->head_printed = false;
    return status;
}

static bool same_columns(const th__layout *a, const th__layout *b)
{
    if (a->columns.len != b->columns.len)
        return false;
    for (size_t i = 0; i < a->columns.len; i++)
        if (!th__str_eq(a->columns.data[i], b->columns.data[i]))
            return false;
    return true;
}

/* The cell limit: one column more than can be shown. */
static uint32_t limit_of(const th_writer *writer)
{
    return writer->options.width ? writer->options.width : UINT32_MAX - 8;
}

static bool make_header(th_writer *writer, table *state)
{
    bool paged = writer->options.page_key != NULL, ok;
    state->count = (uint32_t)state->plan->layout.columns.len + paged;
    state->header = th__arena_zero(&state->heads, state->count, sizeof *state->header);
    state->columns = th__arena_zero(&state->heads, state->count, sizeof *state->columns);
    ok = state->header && state->columns;
    for (uint32_t i = 0; ok && i < state->count; i++) {
        th_str name =
            paged && i == 0 ? writer->page_key : state->plan->layout.columns.data[i - paged];
        ok = make_cell(&state->heads, name, limit_of(writer), &state->header[i]);
    }
    return ok;
}

static th_status table_schema(th_writer *writer, const th_schema *schema, th_error *err)
{
    table *state = writer->state;
    if (writer->options.page_key)
        writer->page_key = th_str_from(writer->options.page_key);
    plan *fresh = plan_new(schema, &writer->page_key, writer->options.page_key != NULL);
    if (!fresh)
        return th__fail_memory(err);
    bool same = state->plan && same_columns(&state->plan->layout, &fresh->layout);
    th_status status = same ? TH_OK : end_section(writer, state, err);
    plan_free(state->plan);
    state->plan = fresh;
    if (status || same)
        return status;
    th__arena_clear(&state->heads);
    return make_header(writer, state) ? TH_OK : th__fail_memory(err);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A row in the arena where rows wait, or in the scratch arena when it is printed at once. */
static cell *make_row(th_writer *writer, table *state, const th_records *records,
                      const th_value *record)
{
    const th__layout *layout = &state->plan->layout;
    th__arena *arena = state->head_printed ? &state->scratch : &state->rows;
    bool paged = writer->options.page_key != NULL;
    th__arena_clear(&state->scratch);
    th_str *texts = th__arena_zero(&state->scratch, layout->columns.len + 1, sizeof *texts);
    cell *cells = th__arena_zero(arena, state->count + (size_t)1, sizeof *cells);
    if (!texts || !cells ||
        !th__layout_fill(layout, layout->root, record, th_str_from(writer->options.separator),
                         &state->scratch, texts))
        return NULL;
    for (uint32_t i = 0; i < state->count; i++) {
        th_str text = paged && i == 0 ? records->page : texts[i - paged];
        if (!make_cell(arena, text, limit_of(writer), &cells[i]))
            return NULL;
    }
    return cells;
}

static th_status table_add(th_writer *writer, const th_records *records, th_error *err)
{
    table *state = writer->state;
    th_status status = TH_OK;
    for (size_t i = 0; !status && i < records->values.len; i++) {
        cell *row = make_row(writer, state, records, records->values.data[i]);
        if (!row)
            return th__fail_memory(err);
        if (state->head_printed) {
            print_row(writer, state, row);
            status = th__writer_flush(writer, err);
            continue;
        }
        if (!th__vec_push(&state->waiting, row))
            return th__fail_memory(err);
        if (state->waiting.len == ROWS_TO_MEASURE)
            status = print_head(writer, state, err);
    }
    return status;
}

/* ---- regions: a title and a table each ------------------------------------------------------- */

static th_status print_title(th_writer *writer, table *state, th_str page, const th_region *region,
                             size_t number, th_error *err)
{
    cell name;
    th__arena_clear(&state->scratch);
    if (!make_cell(&state->scratch, page, limit_of(writer), &name))
        return th__fail_memory(err);
    if (state->any_printed)
        th__buf_add_byte(&writer->buf, '\n');
    bold(writer, true);
    th__buf_printf(&writer->buf,
                   "%.*s, region %zu: %s%s, score %.3g, confidence %.2f, %zu record%s",
                   TH_STR_ARG(name.text), number, region->engine,
                   region->data ? " in the page's data" : "", region->score, region->confidence,
                   region->records->values.len, region->records->values.len == 1 ? "" : "s");
    bold(writer, false);
    if (region->pattern.ptr)
        th__buf_printf(&writer->buf, "\n%.*s\nvariance %.2f, density %.2f, regularity %.2f",
                       TH_STR_ARG(region->pattern), region->variance, region->density,
                       region->regularity);
    th__buf_add_byte(&writer->buf, '\n');
    state->any_printed = false; /* the table follows its title at once */
    return TH_OK;
}

static th_status table_begin_regions(th_writer *writer, th_str page, th_error *err)
{
    return end_section(writer, writer->state, err);
}

static th_status table_region(th_writer *writer, th_str page, const th_region *region,
                              size_t number, th_error *err)
{
    table *state = writer->state;
    th_status status = print_title(writer, state, page, region, number, err);
    if (!status)
        status = table_add(writer, region->records, err);
    if (!status)
        status = end_section(writer, state, err);
    state->any_printed = true;
    return status;
}

static th_status table_finish(th_writer *writer, th_error *err)
{
    return end_section(writer, writer->state, err);
}

const th__format_ops th__form_table = {.open = table_open,
                                       .schema = table_schema,
                                       .add = table_add,
                                       .begin_regions = table_begin_regions,
                                       .region = table_region,
                                       .finish = table_finish,
                                       .release = table_release};
