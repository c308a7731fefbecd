/* next.c: the link to the next page: see next.h. */
#include "site/next.h"

#include <math.h>

#include "base/error.h"
#include "base/str.h"
#include "page/tags.h"
#include "page/text.h"

/* What is said of a link that was found, the strongest first. */
static const struct {
    th__next_evidence evidence;
    const char *words;
} reasons[] = {
    {TH__NEXT_REL_A, "rel=next"},
    {TH__NEXT_REL_LINK, "link rel=next in the head"},
    {TH__NEXT_WORD, "its text says next"},
    {TH__NEXT_WORD_IN, "its text says next"},
    {TH__NEXT_OLDER, "its text says older"},
    {TH__NEXT_ARROW, "an arrow to the right"},
    {TH__NEXT_FAR, "a double arrow to the right"},
    {TH__NEXT_CLASS_NEXT, "its class says next"},
    {TH__NEXT_NUMBER, "the number after the current one"},
    {TH__NEXT_PLUS, "the next number in the URL"},
    {TH__NEXT_NEAREST, "the nearest higher number in the URL"},
    {TH__NEXT_PAGER, "part of a pager"},
    {TH__NEXT_MORE, "its text says more"},
};

float th__next_score(const float *evidence)
{
#define WEIGHT(name, weight) weight,
    static const float weights[] = {TH__NEXT_WEIGHTS(WEIGHT)};
#undef WEIGHT
    float sum = 0;
    for (size_t e = 0; e < TH__NEXT_EVIDENCE; e++)
        sum += weights[e] * evidence[e];
    return sum;
}

/* A target that nobody calls the next page, but that may well be: a number in a pager, "← Older
 * posts", rel=next in the page's head. */
static bool is_likely(const th__next_target *target)
{
    const float *e = target->evidence;
    return target->weighed && !e[TH__NEXT_SELF] && !e[TH__NEXT_OTHER] &&
           (e[TH__NEXT_NUMBER] || e[TH__NEXT_REL_LINK] || e[TH__NEXT_OLDER] ||
            (e[TH__NEXT_PLUS] && e[TH__NEXT_COUNTER]));
}

const th__next_target *th__next_weigh(th__next_page *found, double *chance, bool *sure)
{
    const th__next_target *best = NULL, *likely = NULL;
    double total = 1; /* no next page: a score of 0 */
    for (uint32_t t = 0; t < found->target_count; t++) {
        th__next_target *target = &found->targets[t];
        if (!target->weighed)
            continue;
        target->score = th__next_score(target->evidence);
        total += exp(target->score);
        if (!best || target->score > best->score)
            best = target;
        if (is_likely(target) && (!likely || target->score > likely->score))
            likely = target;
    }
    *sure = best && exp(best->score) / total >= 0.5;
    best = *sure ? best : likely;
    *chance = best ? exp(best->score) / total : 0;
    return best;
}

/* The link of a target that shows best why: what is visible, then the strongest. */
const th__next_link *th__next_best_link(const th_page *page, const th__next_page *found,
                                        uint32_t target)
{
    const th__next_link *best = NULL;
    float most = 0;
    for (uint32_t i = 0; i < found->link_count; i++) {
        const th__next_link *link = &found->links[i];
        float score =
            th__next_score(link->evidence) + (page->tags[link->node] == TH_TAG_A ? 100 : 0);
        if (link->target == target && (!best || score > most)) {
            best = link;
            most = score;
        }
    }
    return best;
}

static th_status put(th_text *out, th_str text, th_error *err)
{
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    bool ok = th__buf_add_str(&buf, text) && th__buf_add_byte(&buf, '\0');
    *out = (th_text){buf.data, ok ? buf.len - 1 : 0, buf.cap};
    return ok ? TH_OK : th__fail_memory(err);
}

/* The text of the link, and what speaks for it. */
static th_status put_why(th_text *out, const th_page *page, const th__next_link *link,
                         const th__next_target *target, th_error *err)
{
    enum { MOST_TEXT = 60 };
    th__buf why = {0};
    const th_node *node = &page->nodes[link->node];
    const char *last = NULL;
    th__buf_add_byte(&why, '"');
    if (node->token_end - node->token <= MOST_TEXT)
        th__span_text(page, th_page_node_span(page, link->node), &why);
    if (why.len == 1 || why.len > MOST_TEXT)
        why.len = 0;
    else
        th__buf_add_str(&why, TH_STR("\": "));
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        th__next_evidence e = reasons[i].evidence;
        bool told = (last && !strcmp(last, reasons[i].words)) ||
                    (e == TH__NEXT_NEAREST && target->evidence[TH__NEXT_PLUS]);
        if (!target->evidence[e] || told)
            continue;
        th__buf_printf(&why, "%s%s", last ? ", " : "", reasons[i].words);
        last = reasons[i].words;
    }
    th_status status = why.failed ? th__fail_memory(err) : put(out, th__buf_str(&why), err);
    th__buf_release(&why);
    return status;
}

/* What the model finds. */
static th_status find_best(const th_page *page, th__next_page *found, th_next *out, th_error *err)
{
    const th__next_target *best = th__next_weigh(found, &out->confidence, &out->sure);
    if (!best)
        return put(&out->why, TH_STR("no link looks like one to the next page"), err);
    const th__next_link *link = th__next_best_link(page, found, (uint32_t)(best - found->targets));
    th_status status = put(&out->href, link->href, err);
    if (!status)
        status = put_why(&out->why, page, link, best, err);
    out->node = link->node;
    return status;
}

/* What the rule of a wrapper finds; nothing if it has none. */
static th_status find_by_rule(const th_page *page, const th_wrapper *wrapper,
                              const th__next_page *found, th_next *out, th_error *err)
{
    const th__next_link *link = NULL;
    th_status status =
        wrapper && wrapper->next ? th__next_run(page, found, wrapper->next, &link, err) : TH_OK;
    if (status || !link)
        return status;
    out->by_rule = out->sure = true;
    out->confidence = 1;
    out->node = link->node;
    status = put(&out->href, link->href, err);
    return status ? status : put(&out->why, TH_STR("the rule of the wrapper"), err);
}

th_status th_next_find(const th_page *page, const th_wrapper *wrapper, th_next *out, th_error *err)
{
    th__arena arena;
    th__next_page found;
    th__arena_init(&arena);
    out->url.len = out->href.len = out->why.len = 0;
    out->node = 0;
    out->by_rule = out->sure = false;
    out->confidence = 0;
    th_status status = th__next_look(page, &arena, &found, err);
    if (!status)
        status = find_by_rule(page, wrapper, &found, out, err);
    if (!status && !out->by_rule)
        status = find_best(page, &found, out, err);
    if (!status && out->node)
        status = th_page_resolve(page, (th_str){out->href.ptr, out->href.len}, &out->url, err);
    th__arena_release(&arena);
    return status;
}

void th_next_release(th_next *next)
{
    th_text_release(&next->url);
    th_text_release(&next->href);
    th_text_release(&next->why);
    *next = (th_next){0};
}
