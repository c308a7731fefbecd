/*
 * iepad_align.c: patterns with options and alternatives (section 2.4 of the paper): building them,
 * finding their matches, laying strings onto them, and making one of many strings.
 */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "engine/papers/iepad/iepad.h"

/* Makes an array in the arena hold `need` items; what it held is copied. */
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

/* ---- finding the places of a pattern ---------------------------------------------------------
 *
 * State i means that the first i columns have been matched. A set of states is a row of bits; a
 * symbol moves all states at once (Shift-And), and runs of optional columns are stepped over with
 * one subtraction (Navarro and Raffinot, Flexible Pattern Matching in Strings, 2002, section 4.3):
 * with a bit set after every run, taking away a bit at the run's front turns over the bits up to
 * the lowest state in the run, so that those above it, all reachable without a symbol, show as
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

/* The columns that have the symbol, or NULL. */
static const uint64_t *mask_of(const th__matcher *m, uint32_t symbol)
{
    uint32_t number = th__key_map_get(&m->numbers, symbol);
    return number ? m->masks + (size_t)(number - 1) * m->words : NULL;
}

static void enter_columns(th__matcher *m, const th__pattern *pattern)
{
    for (uint32_t i = 0; i < pattern->len; i++) {
        const th__pattern_column *c = &pattern->columns[i];
        for (uint32_t k = 0; k < c->count; k++) {
            uint32_t number = th__key_map_number(&m->numbers, pattern->symbols[c->first + k]);
            set_bit(m->masks + (size_t)(number - 1) * m->words, i);
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
    for (uint32_t i = 0; i < pattern->len && has_bit(m->start, i); i++)
        for (uint32_t k = 0; k < pattern->columns[i].count; k++)
            set_bit(&m->firsts, pattern->symbols[pattern->columns[i].first + k] % WORD);
}

bool th__matcher_init(th__matcher *m, const th__pattern *pattern, th__arena *arena)
{
    size_t symbols = pattern->symbol_count; /* at most so many are different */
    *m = (th__matcher){.len = pattern->len, .words = pattern->len / WORD + 1};
    m->block_from = th__arena_zero(arena, 4 * (size_t)m->words, sizeof *m->block_from);
    m->masks = th__arena_zero(arena, symbols * m->words, sizeof *m->masks);
    m->sets = th__arena_alloc(arena, 2 * (size_t)m->words * sizeof *m->sets);
    if (!m->block_from || !m->masks || !m->sets ||
        !th__key_map_init(&m->numbers, arena, symbols + 1))
        return false;
    m->block_in = m->block_from + m->words;
    m->block_end = m->block_in + m->words;
    m->start = m->block_end + m->words;
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
    if (at >= len || !has_bit(&m->firsts, symbols[at] % WORD))
        return 0; /* so at most places of a page */
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

/* ---- a string laid onto a pattern, as well as possible where it does not match --------------- */

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

/* Lays a string that matches onto its leftmost columns, where that takes no looking ahead: nearly
 * always, and without a table. False if it does, or if the string does not match. */
static bool lay_match(const th__pattern *pattern, const uint32_t *symbols, uint32_t len,
                      uint32_t *columns)
{
    uint32_t c = 0;
    for (uint32_t i = 0; i < len; i++) {
        while (c < pattern->len && !th__column_has(pattern, c, symbols[i]))
            if (!pattern->columns[c++].optional)
                return false;
        if (c == pattern->len)
            return false;
        columns[i] = c++;
    }
    while (c < pattern->len && pattern->columns[c].optional)
        c++;
    return c == pattern->len;
}

th_status th__pattern_align(const th__pattern *pattern, const uint32_t *symbols, uint32_t len,
                            uint32_t *columns, th_error *err)
{
    if (lay_match(pattern, symbols, len, columns))
        return TH_OK;
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

/* ---- two strings aligned: which symbol of one belongs to which of the other ------------------
 *
 * The distance is known first, so that the table needs only the diagonals that a path of that cost
 * can touch: similar strings are aligned in almost linear time and memory. The table is filled from
 * the ends of the strings, so that the way back through it runs from left to right.
 */
enum { PAIR, A_ALONE, B_ALONE };

/* The band of the table: row i (of a) and column j (of b) with j - i <= up and i - j <= down. */
typedef struct band {
    th__symbols a, b;
    uint32_t up, down, width;
    uint8_t *moves;
} band;

static uint8_t *move_at(const band *t, uint32_t i, uint32_t j)
{
    return &t->moves[(size_t)j * t->width + (i + t->up - j)];
}

/* Computes column j from the one before; column[i] is the cost of the last i symbols of a and the
 * last j of b. */
static void fill_column(const band *t, uint32_t j, uint32_t *column)
{
    const uint32_t far = UINT32_MAX / 2;
    uint32_t low = j > t->up ? j - t->up : 0;
    uint32_t high = t->a.len < j + t->down ? t->a.len : j + t->down;
    uint32_t symbol = t->b.at[t->b.len - j], corner = far, above = far;
    if (low > 0)
        corner = column[low - 1];
    for (uint32_t i = low; i <= high; i++) {
        uint32_t before = i == j + t->down ? far : column[i]; /* off the band a column ago */
        uint32_t cost = before + 1;
        uint8_t move = B_ALONE;
        if (above + 1 <= cost) {
            cost = above + 1;
            move = A_ALONE;
        }
        if (i > 0) {
            uint32_t pair = corner + (t->a.at[t->a.len - i] != symbol);
            if (pair <= cost) {
                cost = pair;
                move = PAIR;
            }
        }
        *move_at(t, i, j) = move;
        corner = column[i];
        column[i] = above = cost;
    }
}

static uint32_t walk_back(const band *t, uint32_t skipped, th__edit_pair *pairs)
{
    uint32_t i = t->a.len, j = t->b.len, count = 0;
    while (i > 0 || j > 0) {
        uint8_t move = i == 0 ? B_ALONE : j == 0 ? A_ALONE : *move_at(t, i, j);
        th__edit_pair pair = {TH__EDIT_NONE, TH__EDIT_NONE};
        if (move != B_ALONE)
            pair.a = skipped + t->a.len - i--;
        if (move != A_ALONE)
            pair.b = skipped + t->b.len - j--;
        pairs[count++] = pair;
    }
    return count;
}

th_status th__pair_align(th__edit *edit, th__symbols a, th__symbols b, th__edit_pair *pairs,
                         uint32_t *count, th_error *err)
{
    uint32_t skipped = 0;
    while (skipped < a.len && skipped < b.len && a.at[skipped] == b.at[skipped]) {
        pairs[skipped] = (th__edit_pair){skipped, skipped};
        skipped++;
    }
    band t = {.a = {a.at + skipped, a.len - skipped}, .b = {b.at + skipped, b.len - skipped}};
    uint32_t distance = th__edit_distance(edit, t.a, t.b, TH__EDIT_ANY);
    if (distance == TH__EDIT_NO_MEMORY)
        return th__fail_memory(err);
    uint32_t a_more = t.a.len > t.b.len ? t.a.len - t.b.len : 0;
    uint32_t b_more = t.b.len > t.a.len ? t.b.len - t.a.len : 0;
    uint32_t slack = (distance - a_more - b_more) / 2;
    t.up = b_more + slack;
    t.down = a_more + slack;
    t.width = t.up + t.down + 1;
    uint64_t cells = ((uint64_t)t.b.len + 1) * t.width;
    if (cells > TH__EDIT_MAX_CELLS)
        return th__fail(err, TH_ERR_LIMIT,
                        "strings of %u and %u symbols with %u differences are too long to align; "
                        "the limit is a table of %d cells",
                        a.len, b.len, distance, TH__EDIT_MAX_CELLS);
    uint32_t *column = TH__NEW_ARRAY(uint32_t, (size_t)t.a.len + 1);
    t.moves = TH__NEW_ARRAY(uint8_t, cells);
    bool ok = column && t.moves;
    for (uint32_t i = 0; ok && i <= t.a.len; i++)
        column[i] = i;
    for (uint32_t j = 1; ok && j <= t.b.len; j++)
        fill_column(&t, j, column);
    if (ok)
        *count = skipped + walk_back(&t, skipped, pairs + skipped);
    th__mem_free(column);
    th__mem_free(t.moves);
    return ok ? TH_OK : th__fail_memory(err);
}

/* ---- many strings aligned into columns (center star) ------------------------------------------
 *
 * Gusfield, Algorithms on Strings, Trees, and
 * Sequences, 1997, section 14.6.2:
 *
 *     adcbd       adc-bd      The center is the string with the least sum of distances to the
 *     adcxb   ->  adcxb-      others. Each string is aligned to it; a gap that one of them needs in
 *     adcxbd      adcxbd      the center is a gap for all the rest. At most twice the cost of the
 *                             best alignment.
 *
 * Equal strings are found first and aligned once: the records of a page have few forms.
 */

static uint64_t hash_symbols(th__symbols s)
{
    uint64_t hash = s.len;
    for (uint32_t i = 0; i < s.len; i++)
        hash = th__hash_mix(hash, s.at[i]);
    return hash;
}

/* Gives equal strings the same row. */
static bool find_rows(th__star *star, const th__symbols *strings, th__arena *arena)
{
    th__key_map rows;
    star->row_of = th__arena_alloc(arena, star->count * sizeof *star->row_of);
    star->string_of = th__arena_alloc(arena, star->count * sizeof *star->string_of);
    star->weight = th__arena_zero(arena, star->count, sizeof *star->weight);
    if (!star->row_of || !star->string_of || !star->weight ||
        !th__key_map_init(&rows, arena, (size_t)star->count + 1))
        return false;
    for (uint32_t i = 0; i < star->count; i++) {
        uint32_t row = th__key_map_number(&rows, hash_symbols(strings[i])) - 1;
        if (row == star->rows)
            star->string_of[star->rows++] = i;
        star->row_of[i] = row;
        star->weight[row]++;
    }
    return true;
}

/* The rows among which the center is sought: the heaviest, earlier ones first among equals. Gives
 * how many. */
static uint32_t pick_candidates(const th__star *star, uint32_t most, uint32_t *picked)
{
    uint32_t count = 0;
    for (uint32_t row = 0; row < star->rows; row++) {
        if (count == most && star->weight[picked[count - 1]] >= star->weight[row])
            continue;
        uint32_t at = count < most ? count++ : count - 1;
        while (at > 0 && star->weight[picked[at - 1]] < star->weight[row]) {
            picked[at] = picked[at - 1];
            at--;
        }
        picked[at] = row;
    }
    return count;
}

static th_status find_center(th__star *star, const th__symbols *strings, th__edit *edit,
                             uint32_t most, th__arena *arena, th_error *err)
{
    most = most == 0 || most > star->rows ? star->rows : most;
    uint32_t *picked = th__arena_alloc(arena, most * sizeof *picked);
    uint64_t *sums = th__arena_zero(arena, most, sizeof *sums);
    th_status status = picked && sums ? TH_OK : th__fail_memory(err);
    uint32_t count = status ? 0 : pick_candidates(star, most, picked), best = 0;
    for (uint32_t i = 0; !status && i < count; i++) {
        for (uint32_t k = i + 1; !status && k < count; k++) {
            uint32_t distance =
                th__edit_distance(edit, strings[star->string_of[picked[i]]],
                                  strings[star->string_of[picked[k]]], TH__EDIT_ANY);
            if (distance == TH__EDIT_NO_MEMORY)
                status = th__fail_memory(err);
            sums[i] += (uint64_t)distance * star->weight[picked[k]];
            sums[k] += (uint64_t)distance * star->weight[picked[i]];
        }
        /* Equal sums: the longer string, so that differences show as gaps; then the earlier. */
        if (sums[i] < sums[best] ||
            (sums[i] == sums[best] &&
             strings[star->string_of[picked[i]]].len > strings[star->string_of[picked[best]]].len))
            best = i;
    }
    if (!status)
        star->center = picked[best];
    return status;
}

/* Columns of the center's symbols once every row's insertions have room: start[i] is the first
 * column of the gap before center symbol i, or after the last. */
typedef struct gaps {
    uint32_t *start; /* center length + 2 */
    th__edit_pair *pairs;
} gaps;

/* Aligns a row to the center. */
static th_status align_row(th__star *star, const th__symbols *strings, uint32_t row, th__edit *edit,
                           gaps *g, uint32_t *count, th_error *err)
{
    return th__pair_align(edit, strings[star->string_of[star->center]],
                          strings[star->string_of[row]], g->pairs, count, err);
}

/* Finds how many symbols must fit between the center's, and turns that into columns. */
static th_status lay_out(th__star *star, const th__symbols *strings, th__edit *edit, gaps *g,
                         uint32_t max_distance, th_error *err)
{
    uint32_t center_len = strings[star->string_of[star->center]].len;
    th_status status = TH_OK;
    for (uint32_t row = 0; !status && row < star->rows; row++) {
        uint32_t count, at = 0, inserted = 0, distance = 0;
        status = align_row(star, strings, row, edit, g, &count, err);
        for (uint32_t p = 0; !status && p < count; p++) {
            th__edit_pair pair = g->pairs[p];
            if (pair.a == TH__EDIT_NONE) {
                inserted++;
                distance++;
                if (inserted > g->start[at])
                    g->start[at] = inserted;
                continue;
            }
            distance +=
                pair.b == TH__EDIT_NONE || strings[star->string_of[star->center]].at[pair.a] !=
                                               strings[star->string_of[row]].at[pair.b];
            at++;
            inserted = 0;
        }
        if (!status && max_distance && distance > max_distance)
            status = th__fail(err, TH_ERR_LIMIT,
                              "string %u differs from the center in %u places; the bound is %u",
                              star->string_of[row], distance, max_distance);
    }
    uint64_t width = 0;
    for (uint32_t i = 0; i <= center_len; i++) {
        uint32_t room = g->start[i];
        g->start[i] = (uint32_t)width;
        width += (uint64_t)room + (i < center_len);
    }
    if (!status && width * star->rows > TH__STAR_MAX_CELLS)
        status = th__fail(err, TH_ERR_LIMIT,
                          "%u different strings need %llu columns to be aligned; the limit is a "
                          "table of %d cells",
                          star->rows, (unsigned long long)width, TH__STAR_MAX_CELLS);
    star->width = (uint32_t)width;
    g->start[center_len + 1] = star->width;
    return status;
}

static th_status fill_cells(th__star *star, const th__symbols *strings, th__edit *edit, gaps *g,
                            th__arena *arena, th_error *err)
{
    star->cells = th__arena_alloc(arena, (size_t)star->rows * star->width * sizeof *star->cells);
    if (!star->cells)
        return th__fail_memory(err);
    memset(star->cells, 0xFF, (size_t)star->rows * star->width * sizeof *star->cells);
    for (uint32_t row = 0; row < star->rows; row++) {
        uint32_t count, at = 0, column = g->start[0];
        uint32_t *cells = star->cells + (size_t)row * star->width;
        th_status status = align_row(star, strings, row, edit, g, &count, err);
        if (status)
            return status;
        for (uint32_t p = 0; p < count; p++) {
            th__edit_pair pair = g->pairs[p];
            if (pair.a == TH__EDIT_NONE) {
                cells[column++] = pair.b;
                continue;
            }
            /* The center's symbol is in the last column before the next gap. */
            column = g->start[++at];
            if (pair.b != TH__EDIT_NONE)
                cells[column - 1] = pair.b;
        }
    }
    return TH_OK;
}

th_status th__star_align(th__star *out, const th__symbols *strings, uint32_t count,
                         const th__star_options *options, th__arena *arena, th_error *err)
{
    th__edit edit;
    uint32_t longest = 0;
    *out = (th__star){.count = count};
    if (count == 0)
        return TH_OK;
    for (uint32_t i = 0; i < count; i++)
        longest = strings[i].len > longest ? strings[i].len : longest;
    gaps g = {th__arena_zero(arena, (size_t)longest + 2, sizeof *g.start),
              th__arena_alloc(arena, ((size_t)longest * 2 + 1) * sizeof *g.pairs)};
    if (!g.start || !g.pairs || !find_rows(out, strings, arena))
        return th__fail_memory(err);
    th__edit_init(&edit);
    th_status status = find_center(out, strings, &edit, options->candidates, arena, err);
    if (!status)
        status = lay_out(out, strings, &edit, &g, options->max_distance, err);
    if (!status)
        status = fill_cells(out, strings, &edit, &g, arena, err);
    th__edit_release(&edit);
    return status;
}

/* What a row of an alignment has in a column; TH__STAR_GAP where it has nothing. */
static uint32_t symbol_at(const th__star *star, const th__symbols *strings, uint32_t row,
                          uint32_t column)
{
    uint32_t at = star->cells[(size_t)row * star->width + column];
    return at == TH__STAR_GAP ? TH__STAR_GAP : strings[star->string_of[row]].at[at];
}

th_status th__star_pattern(const th__star *star, const th__symbols *strings, th__pattern *out,
                           th_error *err)
{
    th_status status = TH_OK;
    uint32_t *column = th__arena_alloc(out->arena, star->rows * sizeof *column);
    if (!column)
        return th__fail_memory(err);
    for (uint32_t c = 0; !status && c < star->width; c++) {
        uint32_t count = 0;
        bool optional = false;
        for (uint32_t row = 0; row < star->rows; row++) {
            uint32_t symbol = symbol_at(star, strings, row, c), k = 0;
            optional |= symbol == TH__STAR_GAP;
            while (k < count && column[k] != symbol)
                k++;
            if (k == count && symbol != TH__STAR_GAP &&
                count <= TH__COLUMN_MAX) /* one too many is refused below */
                column[count++] = symbol;
        }
        status = th__pattern_add(out, column, count, optional, err);
    }
    return status;
}

/* ---- exceptions ------------------------------------------------------------------------------ */

/* Counts, for each row, the columns in which it has what few others have. False if out of memory.
 */
static bool count_odd(const th__star *star, const th__symbols *strings, th__arena *arena,
                      uint32_t *odd)
{
    /* One in so many; and the comparisons that are made: of lists of many forms nothing is left
     * out. */
    enum { FEW = 5, MOST_WORK = 1 << 24 };
    if ((uint64_t)star->rows * star->rows * star->width > MOST_WORK)
        return true;
    uint32_t *symbols = th__arena_alloc(arena, star->rows * sizeof *symbols);
    for (uint32_t c = 0; symbols && c < star->width; c++) {
        for (uint32_t r = 0; r < star->rows; r++)
            symbols[r] = symbol_at(star, strings, r, c);
        for (uint32_t r = 0; r < star->rows; r++) {
            uint32_t same = 0;
            for (uint32_t other = 0; other < star->rows && FEW * same <= star->count; other++)
                same += symbols[other] == symbols[r] ? star->weight[other] : 0;
            odd[r] += FEW * same <= star->count;
        }
    }
    return symbols;
}

/* Leaves out the strings that are of another kind than most: headings and advertisements.
 * TH_ERR_LIMIT if there are none, or if too few would be left. */
static th_status keep_most(th__star *star, th__symbols *strings, uint32_t *count, th__arena *arena)
{
    uint32_t *odd = th__arena_zero(arena, (size_t)star->rows + 1, sizeof *odd), kept = 0;
    if (!odd || !count_odd(star, strings, arena, odd))
        return TH_ERR_MEMORY;
    uint32_t usual = star->rows ? strings[star->string_of[star->center]].len : 0;
    for (uint32_t i = 0; i < star->count; i++)
        if (3 * odd[star->row_of[i]] <= usual)
            strings[kept++] = strings[i];
    bool some = kept > 1 && kept < *count;
    *count = kept;
    return some ? TH_OK : TH_ERR_LIMIT;
}

th_status th__iepad_align(th__symbols *strings, uint32_t count, th__iepad_aligned what,
                          const th__iepad_options *options, th__arena *arena, th__pattern *out,
                          bool *found, th_error *err)
{
    static const th__star_options bound = {.candidates = 32, .max_distance = TH__IEPAD_MAX_LENGTH};
    th__star star;
    th_error own;
    *out = th__pattern_in(arena);
    th_status status = th__star_align(&star, strings, count, &bound, arena, &own);
    if (!status && what == TH__IEPAD_MOST_RECORDS) {
        status = keep_most(&star, strings, &count, arena);
        if (!status)
            status = th__star_align(&star, strings, count, &bound, arena, &own);
    }
    if (!status)
        status = star.width <= TH__IEPAD_MAX_LENGTH ? th__star_pattern(&star, strings, out, &own)
                                                    : TH_ERR_LIMIT;
    double most = options->firm ? 0.5 : options->paper.max_mismatch;
    uint32_t loose = 0, symbol;
    for (uint32_t i = 0; i < out->len; i++)
        loose += !th__column_fixed(out, i, &symbol);
    *found = !status && loose <= most * out->len;
    if (*found && what != TH__IEPAD_BLOCKS)
        th__pattern_cut_power(out); /* several records may be between occurrences */
    return status == TH_ERR_MEMORY ? th__fail_memory(err) : TH_OK;
}
