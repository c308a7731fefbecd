/* pattern_align.c: a string that may not match, laid onto a pattern as well as can be. */
#include "base/error.h"
#include "base/mem.h"
#include "strings/pattern.h"

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
