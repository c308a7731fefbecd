/*
 * iepad_align.c: composing extraction patterns (section 2.4 of the paper).
 *
 * The strings from one occurrence to the next are the records, exceptions and all; the last
 * occurrence has no known end and is left out. Their multiple alignment gives the pattern:
 *
 *     adcbd adcxb adcxbd adc...      adc-bd
 *                                    adcxb-      adc[x|-]b[d|-]
 *                                    adcxbd
 */
#include "base/error.h"
#include "base/mem.h"
#include "engine/papers/iepad/iepad_learn.h"
#include "strings/suffix_array.h"

/* The middle one of the lengths of the strings between occurrences. */
static bool middle_length(const th__iepad_repeat *repeat, uint32_t *out)
{
    uint32_t count = repeat->count - 1;
    uint32_t *lengths = TH__NEW_ARRAY(uint32_t, (size_t)count * 2);
    if (!lengths)
        return false;
    for (uint32_t i = 0; i < count; i++)
        lengths[i] = repeat->at[i + 1] - repeat->at[i];
    th__sort_numbers(lengths, lengths + count, count);
    *out = lengths[count / 2];
    th__mem_free(lengths);
    return true;
}

/* The strings to align: gives how many. */
static uint32_t list_strings(const uint32_t *symbols, const th__iepad_repeat *repeat,
                             uint64_t longest, th__symbols *strings)
{
    uint32_t count = 0, step = (repeat->count - 1) / TH__IEPAD_MAX_STRINGS + 1;
    for (uint32_t i = 0; i + 1 < repeat->count; i += step) {
        uint32_t len = repeat->at[i + 1] - repeat->at[i];
        if (len <= longest)
            strings[count++] = th__symbols32(symbols + repeat->at[i], len);
    }
    uint32_t last = repeat->at[repeat->count - 1];
    if (repeat->end > last && repeat->end - last <= longest)
        strings[count++] = th__symbols32(symbols + last, repeat->end - last);
    return count;
}

/* ---- exceptions ------------------------------------------------------------------------------ */

/* What a row of an alignment has in a column; TH__STAR_GAP where it has nothing. */
static uint32_t symbol_at(const th__star *star, const th__symbols *strings, uint32_t row,
                          uint32_t column)
{
    uint32_t at = star->cells[(size_t)row * star->width + column];
    return at == TH__STAR_GAP ? TH__STAR_GAP : th__symbol_at(strings[star->string_of[row]], at);
}

/* Counts, for each row, the columns in which it has what few others have. False without memory. */
static bool count_odd(const th__star *star, const th__symbols *strings, uint32_t *odd)
{
    /* One in so many; and the comparisons that are made: of lists of many forms nothing is left
     * out. */
    enum { FEW = 5, MOST_WORK = 1 << 24 };
    if ((uint64_t)star->rows * star->rows * star->width > MOST_WORK)
        return true;
    uint32_t *symbols = TH__NEW_ARRAY(uint32_t, star->rows);
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
    bool ok = symbols;
    th__mem_free(symbols);
    return ok;
}

/* Leaves out the strings that are of another kind than most: headings and advertisements. Gives how
 * many stay. */
static uint32_t drop_exceptions(const th__star *star, th__symbols *strings, const uint32_t *odd)
{
    uint32_t kept = 0;
    uint32_t usual = strings[star->string_of[star->center]].len;
    for (uint32_t i = 0; i < star->count; i++)
        if (3 * odd[star->row_of[i]] <= usual)
            strings[kept++] = strings[i];
    return kept;
}

/* Aligns the strings. Too long, too many columns, too different: not an error but no pattern. */
static th_status align_strings(const th__symbols *strings, uint32_t count,
                               const th__iepad_options *options, th__pattern *out, bool *found,
                               th_error *err)
{
    th__star star;
    th_error own;
    th__star_options bound = {.candidates = 32, .max_distance = options->max_length};
    th_status status = th__star_align(&star, strings, count, &bound, &own);
    if (!status) {
        if (star.width <= options->max_length)
            status = th__star_pattern(&star, strings, out, &own);
        else
            status = TH_ERR_LIMIT;
        th__star_release(&star);
    }
    if (status == TH_OK)
        th__pattern_cut_power(out); /* several records may stand between occurrences */
    *found = status == TH_OK && th__pattern_loose(out) <= options->max_mismatch * out->len;
    if (status == TH_OK && !*found)
        th__pattern_release(out);
    if (status == TH_ERR_MEMORY)
        return th__fail_memory(err);
    return TH_OK;
}

th_status th__iepad_compose(const uint32_t *symbols, const th__iepad_repeat *repeat,
                            const th__iepad_options *options, th__pattern *out, bool *found,
                            th_error *err)
{
    uint32_t middle = 0;
    *found = false;
    th__pattern_init(out);
    if (repeat->density >= 1 || repeat->count < 2) {
        th_status status = th__pattern_from(out, symbols + repeat->at[0], repeat->len, err);
        *found = status == TH_OK;
        return status;
    }
    th__symbols *strings = TH__NEW_ARRAY(th__symbols, (size_t)repeat->count + 1);
    if (!strings || (options->drop_outliers && !middle_length(repeat, &middle))) {
        th__mem_free(strings);
        return th__fail_memory(err);
    }
    uint64_t longest = options->drop_outliers ? 2 * (uint64_t)middle : UINT64_MAX;
    uint32_t count = list_strings(symbols, repeat, longest, strings);
    th_status status = align_strings(strings, count, options, out, found, err);
    th__mem_free(strings);
    return status;
}

th_status th__iepad_compose_most(const uint32_t *symbols, const th__iepad_repeat *repeat,
                                 const th__iepad_options *options, th__pattern *out, bool *found,
                                 th_error *err)
{
    th__star star = {0};
    th_error own;
    *found = false;
    th__pattern_init(out);
    th__symbols *strings = TH__NEW_ARRAY(th__symbols, (size_t)repeat->count + 1);
    if (!strings)
        return th__fail_memory(err);
    uint32_t count = list_strings(symbols, repeat, UINT64_MAX, strings), kept = count;
    th__star_options bound = {.candidates = 32, .max_distance = options->max_length};
    th_status status = th__star_align(&star, strings, count, &bound, &own);
    uint32_t *odd = status ? NULL : th__mem_zero((size_t)star.rows + 1, sizeof *odd);
    if (!status && (!odd || !count_odd(&star, strings, odd)))
        status = th__fail_memory(err);
    if (!status)
        kept = drop_exceptions(&star, strings, odd);
    if (!status && kept < count && kept > 1)
        status = align_strings(strings, kept, options, out, found, err);
    th__mem_free(odd);
    th__star_release(&star);
    th__mem_free(strings);
    return status == TH_ERR_MEMORY ? th__fail_memory(err) : TH_OK;
}

uint32_t th__iepad_turn_right(const th__pattern *pattern, const uint32_t *symbols, uint32_t start)
{
    uint32_t turned = 0, symbol;
    while (turned < pattern->len && turned < start &&
           th__column_fixed(pattern, pattern->len - 1 - turned, &symbol) &&
           symbols[start - 1 - turned] == symbol)
        turned++;
    return (pattern->len - turned) % pattern->len;
}

uint32_t th__iepad_turn_left(const th__pattern *pattern, const uint32_t *symbols, uint32_t len,
                             uint32_t end)
{
    uint32_t turned = 0, symbol;
    while (turned < pattern->len && end + turned < len &&
           th__column_fixed(pattern, turned, &symbol) && symbols[end + turned] == symbol)
        turned++;
    return turned % pattern->len;
}
