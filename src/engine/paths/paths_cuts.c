/*
 * paths_cuts.c: the texts on either side of a value, from all of them to the last sign:
 *
 *     Directed by John Ford (1939)        after "Directed by ", "by " or " "
 *                 ─────────               before " (1939)", " (1939)" or " ("
 */
#include "engine/paths/paths_cuts.h"

enum { SIDES = 3, LONGEST = 80 };

static bool is_word(unsigned char c)
{
    return th__is_alpha(c) || th__is_digit(c) || c >= 0x80;
}

static void add_side(th_str *sides, uint32_t *count, th_str text)
{
    for (uint32_t i = 0; i < *count; i++)
        if (th__str_eq(sides[i], text))
            return;
    if (text.len && text.len <= LONGEST)
        sides[(*count)++] = text;
}

/* All of it, its last word with what follows, its last signs. */
static uint32_t sides_before(th_str text, th_str *sides)
{
    uint32_t count = 0;
    size_t at = text.len;
    add_side(sides, &count, text);
    while (at && !is_word((unsigned char)text.ptr[at - 1]))
        at--;
    size_t signs = at;
    while (at && is_word((unsigned char)text.ptr[at - 1]))
        at--;
    add_side(sides, &count, (th_str){text.ptr + at, text.len - at});
    if (signs < text.len)
        add_side(sides, &count, (th_str){text.ptr + signs, text.len - signs});
    return count;
}

static uint32_t sides_after(th_str text, th_str *sides)
{
    uint32_t count = 0;
    size_t at = 0;
    add_side(sides, &count, text);
    while (at < text.len && !is_word((unsigned char)text.ptr[at]))
        at++;
    size_t signs = at;
    while (at < text.len && is_word((unsigned char)text.ptr[at]))
        at++;
    add_side(sides, &count, (th_str){text.ptr, at});
    if (signs)
        add_side(sides, &count, (th_str){text.ptr, signs});
    return count;
}

bool th__path_cuts_of(const th__units *units, uint32_t unit, th_span span, th__folded *scratch,
                      th__arena *arena, th__path_cuts *out)
{
    th_str before[SIDES] = {{0}}, after[SIDES] = {{0}};
    out->count = 0;
    if (!th__page_fold(units->page, units->data[unit].span, scratch))
        return false;
    th_str text = th__buf_str(&scratch->text);
    size_t from = 0, to = text.len;
    while (from < text.len && scratch->start[from] < span.start)
        from++;
    while (to > from && scratch->end[to - 1] > span.end)
        to--;
    if (from >= to)
        return true;
    text = th__arena_copy(arena, text);
    if (!text.ptr)
        return false;
    uint32_t left = sides_before((th_str){text.ptr, from}, before);
    uint32_t right = sides_after((th_str){text.ptr + to, text.len - to}, after);
    if ((!left && from) || (!right && to < text.len))
        return true; /* too much text around it */
    for (uint32_t i = 0; i < (left ? left : 1); i++)
        for (uint32_t j = 0; j < (right ? right : 1); j++) {
            th__path_rule rule = {.after = before[i], .before = after[j]};
            size_t cut_from, cut_to;
            if (th__path_cut(&rule, text, &cut_from, &cut_to) && cut_from == from && cut_to == to)
                out->data[out->count++] = (th__path_cut_pair){before[i], after[j]};
        }
    return true;
}
