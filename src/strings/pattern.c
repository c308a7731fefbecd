/* pattern.c: patterns with options and alternatives: building, matching and aligning. */
#include "strings/pattern.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"

/* Makes an array in the arena hold `need` items; what it held stays behind. */
static bool grow(th__arena *arena, void **data, uint32_t *cap, uint32_t used, uint32_t need,
                 size_t size)
{
    if (need <= *cap)
        return true;
    uint32_t more = need < 2 * *cap ? 2 * *cap : need + 8;
    void *larger = th__arena_alloc(arena, more * size);
    if (!larger)
        return false;
    if (used)
        memcpy(larger, *data, used * size);
    *data = larger;
    *cap = more;
    return true;
}

static bool reserve(th__pattern *p, uint32_t columns, uint32_t symbols)
{
    return grow(p->arena, (void **)&p->columns, &p->column_cap, p->len, p->len + columns,
                sizeof *p->columns) &&
           grow(p->arena, (void **)&p->symbols, &p->symbol_cap, p->symbol_count,
                p->symbol_count + symbols, sizeof *p->symbols);
}

th_status th__pattern_add(th__pattern *pattern, const uint32_t *symbols, uint32_t count,
                          bool optional, th_error *err)
{
    if (pattern->len >= TH__PATTERN_MAX)
        return th__fail(err, TH_ERR_LIMIT, "a pattern of more than %d columns; the limit is %d",
                        TH__PATTERN_MAX, TH__PATTERN_MAX);
    if (count > TH__COLUMN_MAX)
        return th__fail(err, TH_ERR_LIMIT, "a column of %u alternatives; the limit is %d", count,
                        TH__COLUMN_MAX);
    if (!reserve(pattern, 1, count))
        return th__fail_memory(err);
    th__pattern_column column = {.first = pattern->symbol_count, .optional = optional};
    uint32_t *own = pattern->symbols + column.first;
    for (uint32_t i = 0; i < count; i++) { /* sets are small: insertion */
        uint32_t at = column.count;
        while (at > 0 && own[at - 1] > symbols[i])
            at--;
        if (at > 0 && own[at - 1] == symbols[i])
            continue;
        for (uint32_t k = column.count; k > at; k--)
            own[k] = own[k - 1];
        own[at] = symbols[i];
        column.count++;
    }
    pattern->symbol_count += column.count;
    pattern->columns[pattern->len++] = column;
    return TH_OK;
}

th_status th__pattern_add_string(th__pattern *pattern, const uint32_t *symbols, uint32_t count,
                                 th_error *err)
{
    th_status status = TH_OK;
    for (uint32_t i = 0; !status && i < count; i++)
        status = th__pattern_add(pattern, &symbols[i], 1, false, err);
    return status;
}

bool th__pattern_turned(const th__pattern *pattern, uint32_t by, th__arena *arena, th__pattern *out)
{
    *out = th__pattern_in(arena);
    if (!reserve(out, pattern->len, pattern->symbol_count))
        return false;
    for (uint32_t i = 0; i < pattern->len; i++)
        out->columns[i] = pattern->columns[(i + by) % pattern->len];
    if (pattern->symbol_count)
        memcpy(out->symbols, pattern->symbols, pattern->symbol_count * sizeof *out->symbols);
    out->len = pattern->len;
    out->symbol_count = pattern->symbol_count;
    return true;
}

static bool same_column(const th__pattern *p, uint32_t a, uint32_t b)
{
    const th__pattern_column *x = &p->columns[a], *y = &p->columns[b];
    return x->count == y->count && x->optional == y->optional &&
           !memcmp(p->symbols + x->first, p->symbols + y->first, x->count * sizeof *p->symbols);
}

void th__pattern_cut_power(th__pattern *pattern)
{
    for (uint32_t root = 1; root <= pattern->len / 2; root++) {
        uint32_t i = root;
        if (pattern->len % root != 0)
            continue;
        while (i < pattern->len && same_column(pattern, i, i - root))
            i++;
        if (i == pattern->len) {
            pattern->len = root;
            return;
        }
    }
}

bool th__column_fixed(const th__pattern *pattern, uint32_t column, uint32_t *symbol)
{
    const th__pattern_column *c = &pattern->columns[column];
    if (c->optional || c->count != 1)
        return false;
    *symbol = pattern->symbols[c->first];
    return true;
}

bool th__column_has(const th__pattern *pattern, uint32_t column, uint32_t symbol)
{
    const th__pattern_column *c = &pattern->columns[column];
    for (uint32_t k = 0; k < c->count; k++)
        if (pattern->symbols[c->first + k] == symbol)
            return true;
    return false;
}

uint32_t th__pattern_loose(const th__pattern *pattern)
{
    uint32_t loose = 0, symbol;
    for (uint32_t i = 0; i < pattern->len; i++)
        loose += !th__column_fixed(pattern, i, &symbol);
    return loose;
}

void th__pattern_print(const th__pattern *pattern, th__symbol_name name, const void *context,
                       th__buf *out)
{
    for (uint32_t i = 0; i < pattern->len; i++) {
        const th__pattern_column *c = &pattern->columns[i];
        bool set = c->optional || c->count != 1;
        if (set)
            th__buf_add_byte(out, '[');
        for (uint32_t k = 0; k < c->count; k++) {
            if (k > 0)
                th__buf_add_byte(out, '|');
            name(context, pattern->symbols[c->first + k], out);
        }
        if (c->optional)
            th__buf_add_str(out, TH_STR("|-"));
        if (set)
            th__buf_add_byte(out, ']');
    }
}

/*
 * ---- finding the places of a pattern ----
 *
 * State i means that the first i columns are behind us. A set of states is a row of bits; a symbol
 * moves all states at once (Shift-And), and runs of optional columns are stepped over with one
 * subtraction (Navarro and Raffinot, Flexible Pattern Matching in Strings, 2002, section 4.3): with
 * a bit set behind every run, taking away a bit at the run's front turns over the bits up to the
 * lowest state in the run, so that those above it, all reachable without a symbol, show as
 * unturned.
 *
 *     columns   a [x|-] [y|-] b        block_from  bit 1    block_in  bits 2, 3    block_end  bit 3
 *     states   0 1     2     3 4
 */
enum { WORD = 64 };

static void set_bit(uint64_t *set, uint32_t bit)
{
    set[bit / WORD] |= UINT64_C(1) << bit % WORD;
}

static bool has_bit(const uint64_t *set, uint32_t bit)
{
    return set[bit / WORD] >> bit % WORD & 1;
}

/* Adds to a set the states that its states reach without a symbol. */
static void close_set(const th__matcher *m, uint64_t *set)
{
    uint64_t borrow = 0;
    for (uint32_t w = 0; w < m->words; w++) {
        uint64_t marked = set[w] | m->block_end[w], less = m->block_from[w];
        uint64_t left = marked - less - borrow;
        borrow = marked < less || (borrow && marked == less);
        set[w] |= m->block_in[w] & (~left ^ marked);
    }
}

static uint32_t find_slot(const th__matcher *m, uint32_t symbol)
{
    uint32_t slot = (uint32_t)((uint64_t)symbol * UINT64_C(0x9E3779B97F4A7C15) >> 32);
    slot &= m->slot_count - 1;
    while (m->keys[slot] != UINT32_MAX && m->keys[slot] != symbol)
        slot = (slot + 1) & (m->slot_count - 1);
    return slot;
}

/* The columns that have the symbol, or NULL. UINT32_MAX is no symbol. */
static const uint64_t *mask_of(const th__matcher *m, uint32_t symbol)
{
    uint32_t slot = find_slot(m, symbol);
    return m->keys[slot] == symbol && symbol != UINT32_MAX ? m->masks + (size_t)slot * m->words
                                                           : NULL;
}

static void enter_columns(th__matcher *m, const th__pattern *pattern)
{
    for (uint32_t i = 0; i < pattern->len; i++) {
        const th__pattern_column *c = &pattern->columns[i];
        for (uint32_t k = 0; k < c->count; k++) {
            uint32_t symbol = pattern->symbols[c->first + k], slot = find_slot(m, symbol);
            m->keys[slot] = symbol;
            set_bit(m->masks + (size_t)slot * m->words, i);
        }
        if (!c->optional)
            continue;
        set_bit(m->block_in, i + 1);
        if (i == 0 || !pattern->columns[i - 1].optional)
            set_bit(m->block_from, i);
        if (i + 1 == pattern->len || !pattern->columns[i + 1].optional)
            set_bit(m->block_end, i + 1);
    }
    set_bit(m->start, 0);
    close_set(m, m->start);
}

bool th__matcher_init(th__matcher *m, const th__pattern *pattern, th__arena *arena)
{
    *m = (th__matcher){.arena = arena,
                       .len = pattern->len,
                       .words = pattern->len / WORD + 1,
                       .slot_count = 16,
                       .set_cap = 2};
    while (m->slot_count / 2 < pattern->symbol_count) /* at most so many are different */
        m->slot_count *= 2;
    m->block_from = th__arena_zero(arena, 4 * (size_t)m->words, sizeof *m->block_from);
    m->keys = th__arena_alloc(arena, m->slot_count * sizeof *m->keys);
    m->masks = th__arena_zero(arena, (size_t)m->slot_count * m->words, sizeof *m->masks);
    m->sets = th__arena_alloc(arena, m->set_cap * m->words * sizeof *m->sets);
    if (!m->block_from || !m->keys || !m->masks || !m->sets)
        return false;
    m->block_in = m->block_from + m->words;
    m->block_end = m->block_in + m->words;
    m->start = m->block_end + m->words;
    memset(m->keys, 0xFF, m->slot_count * sizeof *m->keys);
    enter_columns(m, pattern);
    return true;
}

/* Moves a set over a symbol; false when no state is left. */
static bool step(const th__matcher *m, uint64_t *set, const uint64_t *mask)
{
    uint64_t carry = 0, any = 0;
    for (uint32_t w = 0; w < m->words; w++) {
        uint64_t moved = set[w] & mask[w];
        set[w] = moved << 1 | carry;
        carry = moved >> (WORD - 1);
        any |= set[w];
    }
    if (any)
        close_set(m, set);
    return any != 0;
}

uint32_t th__matcher_longest(th__matcher *m, const uint32_t *symbols, size_t len, size_t at)
{
    uint64_t *set = m->sets;
    uint32_t longest = 0;
    memcpy(set, m->start, m->words * sizeof *set);
    for (uint32_t i = 0; at + i < len && i < m->len; i++) {
        const uint64_t *mask = mask_of(m, symbols[at + i]);
        if (!mask || !step(m, set, mask))
            break;
        if (has_bit(set, m->len))
            longest = i + 1;
    }
    return longest;
}

uint32_t th__matcher_prefix(th__matcher *m, const uint32_t *symbols, size_t len, size_t at,
                            uint32_t *columns)
{
    uint64_t *set = m->sets, *last = m->sets + m->words;
    uint32_t taken = 0;
    memcpy(last, m->start, m->words * sizeof *last);
    for (; at + taken < len && taken < m->len; taken++) {
        const uint64_t *mask = mask_of(m, symbols[at + taken]);
        memcpy(set, last, m->words * sizeof *set);
        if (!mask || !step(m, set, mask))
            break;
        memcpy(last, set, m->words * sizeof *last);
    }
    *columns = 0;
    while (!has_bit(last, *columns))
        ++*columns;
    return taken;
}

bool th__matcher_next(th__matcher *m, const uint32_t *symbols, size_t len, size_t from,
                      size_t *start, uint32_t *match_len)
{
    for (size_t at = from; at < len; at++) {
        uint32_t longest = th__matcher_longest(m, symbols, len, at);
        if (longest > 0) {
            *start = at;
            *match_len = longest;
            return true;
        }
    }
    return false;
}

th_status th__matcher_columns(th__matcher *m, const uint32_t *symbols, uint32_t len, uint32_t end,
                              uint32_t *columns, th_error *err)
{
    /* Sets of states after 0 .. len symbols, one after the other. */
    const size_t words = m->words;
    if (len >= m->set_cap) {
        m->set_cap = 2 * ((size_t)len + 1);
        m->sets = th__arena_alloc(m->arena, m->set_cap * words * sizeof *m->sets);
        if (!m->sets) {
            m->set_cap = 0;
            return th__fail_memory(err);
        }
    }
    memcpy(m->sets, m->start, words * sizeof *m->sets);
    for (uint32_t i = 0; i < len; i++) {
        uint64_t *set = m->sets + (i + 1) * words;
        const uint64_t *mask = mask_of(m, symbols[i]);
        memcpy(set, set - words, words * sizeof *set);
        if (!mask || !step(m, set, mask))
            return th__fail(err, TH_ERR_ARGUMENT, "symbol %u does not match the pattern", i);
    }
    if (!has_bit(m->sets + (size_t)len * words, end))
        return th__fail(err, TH_ERR_ARGUMENT, "%u symbols end before the pattern does", len);
    /* From the end, leaving out optional columns wherever that is still reached: so every symbol
     * gets its leftmost column. What is not reached by leaving out was reached by the symbol. */
    uint32_t state = end;
    for (uint32_t i = len; i-- > 0;) {
        const uint64_t *set = m->sets + (i + 1) * words;
        while (has_bit(m->block_in, state) && has_bit(set, state - 1))
            state--;
        columns[i] = --state;
    }
    return TH_OK;
}

/* ---- a string that may not match, laid onto a pattern as well as can be ---- */

enum { TAKE, SKIP_COLUMN, SKIP_SYMBOL };

/* Row i of the table: the first i symbols; best[c]: the least cost of laying them onto the first c
 * columns. From right to left it is walked back, columns left out first: so columns are leftmost.
 */
static void fill_row(const th__pattern *pattern, uint32_t i, uint32_t symbol, uint32_t *best,
                     uint8_t *moves)
{
    uint32_t corner = best[0];
    best[0] = i;
    moves[0] = SKIP_SYMBOL;
    for (uint32_t c = 1; c <= pattern->len; c++) {
        uint32_t cost = best[c] + 1, over = best[c - 1] + !pattern->columns[c - 1].optional;
        uint8_t move = SKIP_SYMBOL;
        if (th__column_has(pattern, c - 1, symbol) && corner <= cost) {
            cost = corner;
            move = TAKE;
        }
        if (over <= cost) {
            cost = over;
            move = SKIP_COLUMN;
        }
        corner = best[c];
        best[c] = cost;
        moves[c] = move;
    }
}

th_status th__pattern_align(const th__pattern *pattern, const uint32_t *symbols, uint32_t len,
                            uint32_t *columns, th_error *err)
{
    size_t width = (size_t)pattern->len + 1;
    uint32_t rows =
        len < TH__PATTERN_MAX_CELLS / width ? len : (uint32_t)(TH__PATTERN_MAX_CELLS / width);
    uint32_t *best = TH__NEW_ARRAY(uint32_t, width);
    uint8_t *moves = TH__NEW_ARRAY(uint8_t, width * rows);
    if (!best || !moves) {
        th__mem_free(best);
        th__mem_free(moves);
        return th__fail_memory(err);
    }
    best[0] = 0;
    for (uint32_t c = 1; c < width; c++)
        best[c] = best[c - 1] + !pattern->columns[c - 1].optional;
    for (uint32_t i = 0; i < rows; i++)
        fill_row(pattern, i + 1, symbols[i], best, moves + i * width);
    uint32_t c = pattern->len;
    for (uint32_t i = len; i-- > 0;) {
        columns[i] = TH__NO_COLUMN;
        if (i >= rows)
            continue;
        while (moves[i * width + c] == SKIP_COLUMN)
            c--;
        if (moves[i * width + c] == TAKE)
            columns[i] = --c;
    }
    th__mem_free(best);
    th__mem_free(moves);
    return TH_OK;
}
