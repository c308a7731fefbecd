/*
 * edit_align.c: which symbol of one string stands for which of the other.
 *
 * The distance is known first (see edit.c), so that the table needs only the diagonals that a path
 * of that cost can touch: similar strings are aligned in almost linear time and memory. The table
 * is filled from the ends of the strings, so that the way back through it runs from left to right.
 */

#include "base/error.h"
#include "strings/edit.h"

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
    uint32_t symbol = th__symbol_at(t->b, t->b.len - j), corner = far, above = far;
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
            uint32_t pair = corner + (th__symbol_at(t->a, t->a.len - i) != symbol);
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

th_status th__edit_align(th__edit *edit, th__symbols a, th__symbols b, th__edit_pair *pairs,
                         uint32_t *count, th_error *err)
{
    uint32_t skipped = 0;
    while (skipped < a.len && skipped < b.len &&
           th__symbol_at(a, skipped) == th__symbol_at(b, skipped)) {
        pairs[skipped] = (th__edit_pair){skipped, skipped};
        skipped++;
    }
    band t = {.a = th__symbols_cut(a, skipped, a.len - skipped),
              .b = th__symbols_cut(b, skipped, b.len - skipped)};
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
    if (!th__edit_room((void **)&edit->moves, &edit->move_cap, cells) ||
        !th__edit_room(&edit->rows, &edit->row_cap, ((size_t)t.a.len + 1) * sizeof(uint32_t)))
        return th__fail_memory(err);
    t.moves = edit->moves;
    uint32_t *column = edit->rows;
    for (uint32_t i = 0; i <= t.a.len; i++)
        column[i] = i;
    for (uint32_t j = 1; j <= t.b.len; j++)
        fill_column(&t, j, column);
    *count = skipped + walk_back(&t, skipped, pairs + skipped);
    return TH_OK;
}
