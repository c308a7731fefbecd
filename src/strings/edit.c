/*
 * edit.c: bounded edit distance.
 *
 * The table of the dynamic program has the pattern (the shorter string) downwards and the text to
 * the right. Neighbouring cells differ by -1, 0 or 1, so that a column of 64 cells fits into two
 * words of differences and is computed in some fifteen operations (Myers: A fast bit-vector
 * algorithm for approximate string matching, 1999; blocks and carries after Hyyro). Only blocks
 * that a path within the bound can touch are computed (Ukkonen 1985):
 *
 *           text ->
 *     p   \ \ . . .      cells on diagonals more than `bound` away from the corners
 *     a   \ \ \ . .      cost more than the bound by themselves; a block that is left above
 *     t   . \ \ \ .      is taken to rise by 1 a column, one that is entered below to fall
 *     |   . . \ \ \      by 1 a row: never less than the truth, and exact where it matters
 */
#include "strings/edit.h"

#include <string.h>

#include "base/mem.h"

enum { WORD = 64 };
enum { MAX_MASKS = 1 << 20 }; /* words of masks: beyond, the plain table is cheaper */

void th__edit_init(th__edit *edit)
{
    *edit = (th__edit){0};
}

void th__edit_release(th__edit *edit)
{
    th__key_map_release(&edit->numbers);
    th__mem_free(edit->codes);
    th__mem_free(edit->masks);
    th__mem_free(edit->rows);
    *edit = (th__edit){0};
}

/* Makes *memory hold size bytes, contents lost. */
static bool make_room(void **memory, size_t *cap, size_t size)
{
    if (size <= *cap)
        return true;
    size += size / 2;
    void *larger = th__mem_alloc(size);
    if (!larger)
        return false;
    th__mem_free(*memory);
    *memory = larger;
    *cap = size;
    return true;
}

/* ---- strings become numbers --------------------------------------------------------------- */

/* A question after its equal ends are cut off: numbers instead of symbols. */
typedef struct question {
    const uint32_t *pattern, *text; /* the shorter and the longer; symbols 0 .. sigma */
    uint32_t m, n, sigma, bound;    /* sigma itself: in the text alone */
} question;

static bool encode(th__edit *edit, th__symbols pattern, th__symbols text, question *q)
{
    size_t total = ((size_t)pattern.len + text.len) * sizeof(uint32_t);
    if (!make_room((void **)&edit->codes, &edit->code_cap, total))
        return false;
    uint32_t *codes = edit->codes;
    th__key_map_clear(&edit->numbers);
    for (uint32_t i = 0; i < pattern.len; i++) {
        uint32_t number = th__key_map_number(&edit->numbers, pattern.at[i]);
        if (!number)
            return false;
        codes[i] = number - 1;
    }
    uint32_t sigma = edit->numbers.count;
    for (uint32_t i = 0; i < text.len; i++) {
        uint32_t number = th__key_map_get(&edit->numbers, text.at[i]);
        codes[pattern.len + i] = number ? number - 1 : sigma;
    }
    q->pattern = codes;
    q->text = codes + pattern.len;
    q->m = pattern.len;
    q->n = text.len;
    q->sigma = sigma;
    return true;
}

/* ---- 64 cells at a time ------------------------------------------------------------------- */

/* A block of a column: bit i of plus (minus): cell i is one more (less) than the one above it. */
typedef struct block {
    uint64_t plus, minus;
    uint32_t score; /* of the last cell */
} block;

/* Moves a block one column on. `in` and the result are the differences, -1 .. 1, between the two
 * columns above and in the cell `last` of the block. */
static inline int advance(block *b, uint64_t match, int in, unsigned last)
{
    uint64_t negative = in < 0;
    uint64_t vertical = match | b->minus;
    match |= negative;
    uint64_t across = (((match & b->plus) + b->plus) ^ b->plus) | match;
    uint64_t up = b->minus | ~(across | b->plus);
    uint64_t down = b->plus & across;
    int out = (int)(up >> last & 1) - (int)(down >> last & 1);
    up = up << 1 | (in > 0);
    down = down << 1 | negative;
    b->plus = down | ~(vertical | up);
    b->minus = up & vertical;
    return out;
}

static uint32_t distance_one_word(const question *q, const uint64_t *masks)
{
    block b = {~UINT64_C(0), 0, q->m};
    for (uint32_t j = 0; j < q->n; j++) {
        b.score += (uint32_t)advance(&b, masks[q->text[j]], 1, q->m - 1);
        if (b.score > q->bound + (q->n - 1 - j)) /* falls by at most 1 a column */
            return q->bound + 1;
    }
    return b.score <= q->bound ? b.score : q->bound + 1;
}

static uint32_t distance_blocks(const question *q, const uint64_t *masks, block *blocks)
{
    uint32_t count = (q->m + WORD - 1) / WORD;
    /* A path through cell (i, j) costs at least |i - j| + |(m - i) - (n - j)|; with n >= m that
     * leaves diagonals i - j between -(slack + n - m) and slack. */
    uint32_t slack = (q->bound - (q->n - q->m)) / 2, reach = slack + q->n - q->m;
    uint32_t first = 0, last = 0; /* blocks in use, both included */
    blocks[0] = (block){~UINT64_C(0), 0, WORD};
    for (uint32_t j = 0; j < q->n; j++) {
        uint64_t lowest = (uint64_t)j + 1 + slack; /* row, counted from 1 */
        while (last + 1 < count && (uint64_t)(last + 1) * WORD < lowest) {
            blocks[last + 1] = (block){~UINT64_C(0), 0, blocks[last].score + WORD};
            last++;
        }
        while (first < last && (uint64_t)(first + 1) * WORD + reach < (uint64_t)j + 1)
            first++;
        const uint64_t *match = masks + (size_t)q->text[j] * count;
        int carry = 1;
        for (uint32_t i = first; i <= last; i++) {
            carry = advance(&blocks[i], match[i], carry, WORD - 1);
            blocks[i].score += (uint32_t)carry;
        }
    }
    /* The last block's score is that of its last cell, below the pattern's end: go up to it. */
    block *end = &blocks[count - 1];
    uint32_t score = end->score;
    for (unsigned bit = WORD - 1; last == count - 1 && (count - 1) * WORD + bit >= q->m; bit--)
        score = score - (uint32_t)(end->plus >> bit & 1) + (uint32_t)(end->minus >> bit & 1);
    return last == count - 1 && score <= q->bound ? score : q->bound + 1;
}

static uint32_t distance_bits(th__edit *edit, const question *q)
{
    size_t count = (q->m + WORD - 1) / WORD, words = (q->sigma + 1) * count;
    if (!make_room((void **)&edit->masks, &edit->mask_cap, words * sizeof(uint64_t)) ||
        !make_room(&edit->rows, &edit->row_cap, count * sizeof(block)))
        return TH__EDIT_NO_MEMORY;
    memset(edit->masks, 0, words * sizeof *edit->masks);
    for (uint32_t i = 0; i < q->m; i++)
        edit->masks[q->pattern[i] * count + i / WORD] |= UINT64_C(1) << i % WORD;
    if (count == 1)
        return distance_one_word(q, edit->masks);
    return distance_blocks(q, edit->masks, edit->rows);
}

/* ---- cell by cell, for alphabets so large that masks do not pay ---------------------------- */

static uint32_t distance_cells(th__edit *edit, const question *q)
{
    if (!make_room(&edit->rows, &edit->row_cap, ((size_t)q->m + 1) * sizeof(uint32_t)))
        return TH__EDIT_NO_MEMORY;
    uint32_t *column = edit->rows, slack = (q->bound - (q->n - q->m)) / 2;
    uint32_t reach = slack + q->n - q->m, over = q->bound + 1;
    for (uint32_t i = 0; i <= q->m; i++)
        column[i] = i < over ? i : over;
    for (uint32_t j = 1; j <= q->n; j++) {
        uint32_t low = j > reach ? j - reach : 1, high = j + slack < q->m ? j + slack : q->m;
        uint32_t corner = column[low - 1], best = over;
        column[low - 1] = low == 1 && j < over ? j : over;
        for (uint32_t i = low; i <= high; i++) {
            /* A cell that enters the band still holds i, which is never less than the truth. */
            uint32_t before = column[i], cost = corner + (q->pattern[i - 1] != q->text[j - 1]);
            cost = cost < before + 1 ? cost : before + 1;
            cost = cost < column[i - 1] + 1 ? cost : column[i - 1] + 1;
            corner = before;
            column[i] = cost < over ? cost : over;
            best = column[i] < best ? column[i] : best;
        }
        if (best == over)
            return over;
    }
    return column[q->m];
}

/* ---- questions ---------------------------------------------------------------------------- */

static void cut_equal_ends(th__symbols *a, th__symbols *b)
{
    uint32_t most = a->len < b->len ? a->len : b->len, head = 0, tail = 0;
    while (head < most && a->at[head] == b->at[head])
        head++;
    while (tail < most - head && a->at[a->len - 1 - tail] == b->at[b->len - 1 - tail])
        tail++;
    *a = (th__symbols){a->at + head, a->len - head - tail};
    *b = (th__symbols){b->at + head, b->len - head - tail};
}

uint32_t th__edit_distance(th__edit *edit, th__symbols a, th__symbols b, uint32_t bound)
{
    question q;
    if (a.len > b.len) {
        th__symbols swap = a;
        a = b;
        b = swap;
    }
    bound = bound < b.len ? bound : b.len; /* nothing is farther */
    if (b.len - a.len > bound)
        return bound + 1;
    if (a.len)
        cut_equal_ends(&a, &b);
    if (a.len == 0)
        return b.len <= bound ? b.len : bound + 1;
    if (bound == 0)
        return 1;
    if (!encode(edit, a, b, &q))
        return TH__EDIT_NO_MEMORY;
    q.bound = bound < q.n ? bound : q.n;
    size_t masks = ((size_t)q.sigma + 1) * ((q.m + WORD - 1) / WORD);
    return masks > MAX_MASKS ? distance_cells(edit, &q) : distance_bits(edit, &q);
}
