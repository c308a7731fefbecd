/*
 * softmealy_body.c: the rules that find the body of a page: h^L before it, t^R after it.
 *
 * Section 3.2: the context under the length bias, ground; as long as it fits at another place
 * first, one token more. Of several pages, these rows then go through Algorithm 1; as long as what
 * comes out fits a wrong place on one of the pages, all rows grow by a token.
 */
#include "engine/papers/softmealy/softmealy_learn.h"

#include "base/error.h"

/* Where the first of the contexts fits, at `from` at the earliest; UINT32_MAX: nowhere. */
static uint32_t first_fit(const th__sm_context *contexts, uint32_t count, const th__sm_page *page,
                          uint32_t from, bool left)
{
    for (uint32_t at = from; at <= page->tokens.len; at++)
        for (uint32_t i = 0; i < count; i++)
            if (left ? th__sm_left_fits(&contexts[i], page->page, &page->tokens, at)
                     : th__sm_right_fits(&contexts[i], page->page, &page->tokens, at))
                return at;
    return UINT32_MAX;
}

static bool finds_body(const th__sm_context *contexts, uint32_t count, const th__sm_page *page,
                       bool head)
{
    return head ? first_fit(contexts, count, page, 0, true) == page->body.start
                : first_fit(contexts, count, page, page->body.start, false) == page->body.end;
}

static bool context_at(const th__sm_samples *s, uint32_t page, bool head, uint32_t more,
                       th__sm_context *out)
{
    const th_span body = s->pages[page].body;
    th__sm_separator sep = {
        .page = page, .at = head ? body.start : body.end, .low = 0, .high = UINT32_MAX};
    return th__sm_context_of(s, &sep, head, more, out);
}

bool th__sm_body_context(const th__sm_samples *s, uint32_t page, bool head, th__sm_context *out)
{
    for (uint32_t more = 0; more < TH__SM_MAX_CONTEXT; more++) {
        if (!context_at(s, page, head, more, out))
            return false;
        if (finds_body(out, 1, &s->pages[page], head))
            return true;
    }
    return true;
}

static bool has_body(const th__sm_page *page)
{
    return page->body.end > 0;
}

/* Whether the contexts find the body of every page that tells it. */
static bool find_bodies(const th__sm_samples *s, const th__sm_context *contexts, uint32_t count,
                        bool head)
{
    for (uint32_t p = 0; p < s->page_count; p++)
        if (has_body(&s->pages[p]) && !finds_body(contexts, count, &s->pages[p], head))
            return false;
    return true;
}

/* The contexts of one end of the bodies of all pages. */
static bool learn_end(const th__sm_samples *s, bool head, th__sm_context **out, uint32_t *count,
                      bool *right)
{
    uint32_t bodies = 0;
    *count = 0;
    *right = true;
    for (uint32_t p = 0; p < s->page_count; p++)
        bodies += has_body(&s->pages[p]);
    *out = th__arena_zero(s->arena, bodies + 1, sizeof **out);
    if (!*out || !bodies)
        return *out != NULL;
    for (uint32_t p = 0; p < s->page_count; p++)
        if (has_body(&s->pages[p]) && !th__sm_body_context(s, p, head, &(*out)[(*count)++]))
            return false;
    if (bodies > 1 && !th__sm_generalize(*out, count, &s->options, s->arena))
        return false;
    for (uint32_t more = 1; more < TH__SM_MAX_CONTEXT; more++) {
        *right = find_bodies(s, *out, *count, head);
        if (*right)
            return true;
        *count = 0;
        for (uint32_t p = 0; p < s->page_count; p++)
            if (has_body(&s->pages[p]) && !context_at(s, p, head, more, &(*out)[(*count)++]))
                return false;
        if (bodies > 1 && !th__sm_generalize(*out, count, &s->options, s->arena))
            return false;
    }
    return true;
}

/* Whether the labelled tuples of a page that does not tell its body are inside the one found. */
static bool holds_tuples(const th__sm_samples *s, const th__sm_page *page,
                         const th__sm_rules *rules)
{
    const th__sm_tuple *first = &s->tuples.data[page->tuple];
    const th__sm_tuple *last = &first[page->tuple_count - 1];
    uint32_t begin = s->separators.data[first->separator].at;
    uint32_t end = s->separators.data[last->separator + last->separator_count - 1].at;
    uint32_t head = first_fit(rules->heads, rules->head_count, page, 0, true);
    return head <= begin && first_fit(rules->tails, rules->tail_count, page, head, false) >= end;
}

/* Bodies that other pages do not bear out are no rules: what is outside of them is a place where
 * nothing stands. */
static void drop_bodies(th__sm_samples *s, th__sm_rules *rules)
{
    for (uint32_t p = 0; p < s->page_count; p++) {
        th__sm_page *page = &s->pages[p];
        if (!has_body(page))
            continue;
        page->nothing[page->nothing_count++] = (th_span){0, page->body.start};
        page->nothing[page->nothing_count++] =
            (th_span){page->body.end, (uint32_t)page->tokens.len};
        page->body = (th_span){0, 0};
    }
    rules->head_count = rules->tail_count = 0;
}

th_status th__sm_body_learn(th__sm_samples *s, th__sm_rules *rules, th_error *err)
{
    bool head_right, tail_right;
    if (!learn_end(s, true, &rules->heads, &rules->head_count, &head_right) ||
        !learn_end(s, false, &rules->tails, &rules->tail_count, &tail_right))
        return th__fail_memory(err);
    if ((!head_right || !tail_right) &&
        !th__notes_add(s->notes,
                       "no context of %d tokens tells the %s of the body from other places: label "
                       "places without records as \"nothing\" instead",
                       TH__SM_MAX_CONTEXT, head_right ? "end" : "begin"))
        return th__fail_memory(err);
    for (uint32_t p = 0; rules->head_count && p < s->page_count; p++)
        if (s->pages[p].tuple_count && !has_body(&s->pages[p]) &&
            !holds_tuples(s, &s->pages[p], rules))
            drop_bodies(s, rules);
    return TH_OK;
}
