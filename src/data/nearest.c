/*
 * nearest.c: approximate search after G. Myers, "A fast bit-vector algorithm for approximate string
 * matching based on dynamic programming", JACM 46(3), 1999.
 *
 * The column of the dynamic program for edit distance is kept as two words of +1 and -1 steps, so
 * that a byte of text costs a dozen operations for a pattern of up to 64 bytes. The lowest score
 * tells where the best match ends; the same search backwards from there tells where it starts. Case
 * does not count.
 */
#include "data/nearest.h"

#include <string.h>

#include "base/str.h"

typedef struct matcher {
    uint64_t equal[256]; /* by byte: where the pattern has it */
    uint64_t top;        /* the bit of the pattern's last byte */
    uint64_t plus, minus;
    unsigned score;
} matcher;

static void start_matcher(matcher *m, th_str pattern, bool backwards)
{
    memset(m->equal, 0, sizeof m->equal);
    for (size_t i = 0; i < pattern.len; i++) {
        unsigned char c = (unsigned char)pattern.ptr[backwards ? pattern.len - 1 - i : i];
        m->equal[th__lower(c)] |= (uint64_t)1 << i;
    }
    m->top = (uint64_t)1 << (pattern.len - 1);
    m->plus = UINT64_MAX;
    m->minus = 0;
    m->score = (unsigned)pattern.len;
}

/* Takes one byte of text. Anchored: skipping text before the match costs, too. */
static inline void step(matcher *m, unsigned char c, bool anchored)
{
    uint64_t equal = m->equal[th__lower(c)];
    uint64_t vertical = equal | m->minus;
    uint64_t horizontal = (((equal & m->plus) + m->plus) ^ m->plus) | equal;
    uint64_t plus = m->minus | ~(horizontal | m->plus);
    uint64_t minus = m->plus & horizontal;
    m->score += (plus & m->top) != 0;
    m->score -= (minus & m->top) != 0;
    plus = plus << 1 | anchored;
    minus <<= 1;
    m->plus = minus | ~(vertical | plus);
    m->minus = plus & vertical;
}

static bool is_cut(th_str text, size_t at)
{
    return at > 0 && at < text.len && ((unsigned char)text.ptr[at] & 0xC0) == 0x80;
}

bool th__nearest(th_str text, th_str value, size_t *start, size_t *end)
{
    th_str pattern = value;
    if (pattern.len > TH__NEAREST_PATTERN)
        pattern.len = TH__NEAREST_PATTERN;
    if (!pattern.len)
        return false;
    matcher m;
    size_t searched = text.len < TH__NEAREST_TEXT ? text.len : TH__NEAREST_TEXT, best_end = 0;
    start_matcher(&m, pattern, false);
    unsigned best = m.score;
    for (size_t i = 0; i < searched; i++) {
        step(&m, (unsigned char)text.ptr[i], false);
        if (m.score < best) {
            best = m.score;
            best_end = i + 1;
        }
    }
    if (best * 2 > pattern.len || !best_end)
        return false;
    start_matcher(&m, pattern, true);
    size_t reach = best_end < 2 * pattern.len ? best_end : 2 * pattern.len, best_start = best_end;
    unsigned lowest = m.score;
    for (size_t i = 0; i < reach; i++) {
        step(&m, (unsigned char)text.ptr[best_end - 1 - i], true);
        if (m.score < lowest) {
            lowest = m.score;
            best_start = best_end - 1 - i;
        }
    }
    /* The rest of a long value, then to the ends of the words. */
    best_end += value.len - pattern.len;
    if (best_end > text.len)
        best_end = text.len;
    for (int i = 0; i < 64 && best_end < text.len && text.ptr[best_end] != ' '; i++)
        best_end++;
    for (int i = 0; i < 64 && best_start && text.ptr[best_start - 1] != ' '; i++)
        best_start--;
    while (is_cut(text, best_start))
        best_start--;
    while (is_cut(text, best_end))
        best_end--;
    *start = best_start;
    *end = best_end;
    return *start < *end;
}
