/*
 * seams_asides.c: text between values that nobody asked for.
 *
 *     <br>Tel: 555-1212<br>Ref: 80-3342<br>Town: Ghent
 *                      └─────aside─────┘ └─seam──┘
 *
 * A page has more on it than its labels name. What varies from place to place would make a seam
 * that no other page has: such a text, with the tokens before it, is known as an aside, and the
 * seam of the next value begins behind it.
 *
 * Which texts vary is counted by what stands before them, their context. Behind "Ref:" stands
 * another text each time; behind "<br>" stand the labels, each of which comes again on the next
 * page. A context is varied when most of its texts are different.
 */
#include "engine/seams/seams.h"

enum { OCCURRENCES = 16 }; /* bits of a context's count, below those of the different texts */
/* Of the texts of a context, this part is different, and there are so many at least. With fewer,
 * labels that only some pages have would pass for text that varies. */
#define VARIED    0.7
#define DIFFERENT 2

/* What stands before a text: the tokens back to the text or value before it. `exact`: with that,
 * which is a label, perhaps; else whatever it is. */
static uint64_t context_of(const th__seam_tokens *tokens, uint32_t from, uint32_t text,
                           uint32_t before, bool exact)
{
    uint64_t hash = 1 + exact;
    for (; text > from && !th__seam_is_text(&tokens->data[text - 1]); text--)
        hash = th__seam_hash(hash, tokens->data[text - 1].key);
    if (exact && text == from)
        return th__hash_mix(hash, before);
    for (; exact && text > from && th__seam_is_text(&tokens->data[text - 1]); text--)
        hash = th__seam_hash(hash, tokens->data[text - 1].key);
    return hash;
}

static uint64_t content_of(const th__seam_tokens *tokens, uint32_t start, uint32_t end)
{
    uint64_t hash = 2;
    for (; start < end; start++)
        hash = th__seam_hash(hash, tokens->data[start].key);
    return hash;
}

uint32_t th__seam_text_on(const th__seam_tokens *tokens, uint32_t at)
{
    uint32_t on = at;
    while (on < tokens->count && tokens->data[on].what == TH__SEAM_END &&
           th__seam_is_phrasing(tokens->data[on].tag))
        on++;
    return on > at && on < tokens->count && th__seam_is_text(&tokens->data[on]) ? on : at;
}

/* The next text that stands between other tokens. */
static bool next_text(const th__seam_tokens *tokens, uint32_t at, uint32_t from, uint32_t to,
                      uint32_t *start, uint32_t *end)
{
    while (at < to && (at == from || !th__seam_is_text(&tokens->data[at]) ||
                       th__seam_is_text(&tokens->data[at - 1])))
        at++;
    *start = at;
    *end = th__seam_text_end(tokens, at);
    return at < to && *end < to;
}

static void count_text(th__seam_texts *texts, uint64_t context, uint64_t content)
{
    enum { MOST = (1 << OCCURRENCES) - 1 };
    content = th__hash_mix(context, content);
    bool is_new = !th__key_map_get(&texts->contents, content);
    uint32_t seen = th__key_map_get(&texts->contexts, context);
    if (is_new)
        th__key_map_put(&texts->contents, content, 1);
    if ((seen & MOST) < MOST)
        th__key_map_put(&texts->contexts, context, seen + 1 + ((uint32_t)is_new << OCCURRENCES));
}

void th__seam_texts_count(th__seam_texts *texts, const th__seam_tokens *tokens, uint32_t from,
                          uint32_t to, uint32_t before)
{
    uint32_t start, end;
    for (uint32_t at = from; next_text(tokens, at, from, to, &start, &end); at = end) {
        uint64_t content = content_of(tokens, start, end);
        count_text(texts, context_of(tokens, from, start, before, true), content);
        count_text(texts, context_of(tokens, from, start, before, false), content);
    }
}

static bool is_varied(const th__seam_texts *texts, uint64_t context)
{
    uint32_t seen = th__key_map_get(&texts->contexts, context);
    uint32_t all = seen & ((1u << OCCURRENCES) - 1), different = seen >> OCCURRENCES;
    return different >= DIFFERENT && different > VARIED * all;
}

/* Whether anything but end tags stands among tokens: else there is no seam. */
static bool has_seam(const th__seam_tokens *tokens, uint32_t from, uint32_t to)
{
    while (from < to && tokens->data[from].what == TH__SEAM_END)
        from++;
    return from < to;
}

bool th__seam_aside_next(const th__seam_texts *texts, const th__seam_tokens *tokens, uint32_t from,
                         uint32_t to, uint32_t before, th__seam_aside *out)
{
    uint32_t start, end, first = from;
    while (first < to && tokens->data[first].what == TH__SEAM_END)
        first++;
    for (uint32_t at = first; next_text(tokens, at, from, to, &start, &end); at = end) {
        if (start <= first || start - first > TH__SEAMS_MAX_SEAM ||
            !(is_varied(texts, context_of(tokens, from, start, before, true)) ||
              is_varied(texts, context_of(tokens, from, start, before, false))))
            continue;
        for (uint32_t on; (on = th__seam_text_on(tokens, end)) > end && on < to;)
            end = th__seam_text_end(tokens, on);
        *out = (th__seam_aside){first, start, end};
        return has_seam(tokens, end, to);
    }
    return false;
}
