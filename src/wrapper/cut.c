/*
 * cut.c: the texts on either side of a part, from all of them to the last sign:
 *
 *     Directed by John Ford (1939)        after "Directed by ", "by " or " "
 *                 ─────────               before " (1939)" or " ("
 */
#include "wrapper/cut.h"

#include "wrapper/rule_table.h"

#include "base/utf8.h"
#include "page/lex.h"

enum { SIDES = 3, LONGEST = 80 };

static bool is_word(unsigned char c)
{
    return th__is_alpha(c) || th__is_digit(c) || c >= 0x80;
}

static bool is_east(th_str text, size_t at)
{
    uint32_t code;
    th__utf8_decode(text.ptr + at, text.ptr + text.len, &code, NULL);
    return th__is_east(code);
}

/* Where the word begins that ends at a byte. Scripts without blanks have words of one letter. */
static size_t word_start(th_str text, size_t end)
{
    size_t at = end;
    while (at && is_word((unsigned char)text.ptr[at - 1])) {
        size_t start = at - 1;
        while (start && ((unsigned char)text.ptr[start] & 0xC0) == 0x80)
            start--;
        if (is_east(text, start))
            return at == end ? start : at;
        at = start;
    }
    return at;
}

static size_t word_end(th_str text, size_t at)
{
    size_t start = at;
    while (at < text.len && is_word((unsigned char)text.ptr[at])) {
        bool east = is_east(text, at);
        if (east && at > start)
            break;
        for (at++; at < text.len && ((unsigned char)text.ptr[at] & 0xC0) == 0x80; at++)
            ;
        if (east)
            break;
    }
    return at;
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
    at = word_start(text, signs);
    add_side(sides, &count, (th_str){text.ptr + at, text.len - at});
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
    at = word_end(text, signs);
    add_side(sides, &count, (th_str){text.ptr, at});
    add_side(sides, &count, (th_str){text.ptr, signs});
    return count;
}

/* Keeps a cut that gives back the part. */
static void try_cut(th_str text, th__cut cut, size_t from, size_t to, th__cuts *out)
{
    size_t cut_from, cut_to;
    if (out->count < TH__CUTS && th__cut_find(&cut, text, &cut_from, &cut_to) && cut_from == from &&
        cut_to == to)
        out->data[out->count++] = cut;
}

void th__cuts_of(th_str text, size_t from, size_t to, th__cuts *out)
{
    th_str before[SIDES] = {{0}}, after[SIDES] = {{0}};
    out->count = 0;
    uint32_t left = sides_before((th_str){text.ptr, from}, before);
    uint32_t right = sides_after((th_str){text.ptr + to, text.len - to}, after);
    if ((!left && from) || (!right && to < text.len))
        return; /* too much text around it */
    for (uint32_t i = 0; i < (left ? left : 1); i++)
        for (uint32_t j = 0; j < (right ? right : 1); j++)
            try_cut(text, (th__cut){before[i], false, after[j]}, from, to, out);
    /* The last sign, when the first does not do: the end of a row of values. */
    if (left)
        for (uint32_t j = 0; j < (right ? right : 1); j++)
            try_cut(text, (th__cut){before[left - 1], true, after[j]}, from, to, out);
}

static const th__rule_member cut_members[] = {
    {TH__TEXT("after", th__cut, after), TH__TAG(th__cut, last, false)},
    {TH__TEXT("after_last", th__cut, after), TH__TAG(th__cut, last, true)},
    {TH__TEXT("before", th__cut, before)},
};
const th__rule_shape th__cut_shape = TH__SHAPE(th__cut, cut_members);
