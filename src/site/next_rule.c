/*
 * next_rule.c: where the link to the next page is, learnt from some pages of a site.
 *
 * A rule is what the links of all pages have in common: the last steps of their paths, their text,
 * rel=next, or that they are the number after the current one. It is kept only if it finds on each
 * of the pages the link that was found there, and none where there was none.
 */
#include "base/error.h"
#include "base/str.h"
#include "index/view.h"
#include "page/text.h"
#include "site/next.h"

enum {
    MOST_STEPS = 3,  /* of the path: more would be the page's layout */
    MOST_TEXT = 60,  /* bytes of a text that says where a link leads */
    LEAST_UNSURE = 2 /* pages with links that are not sure */
};

/* What is known of a link. */
typedef struct traits {
    th__buf path; /* up to MOST_STEPS steps */
    th__buf text;
    bool rel, number;
} traits;

static void traits_release(traits *t)
{
    th__buf_release(&t->path);
    th__buf_release(&t->text);
}

static bool has_digit(th_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (th__is_digit((unsigned char)text.ptr[i]))
            return true;
    return false;
}

/* Writes the last steps of the path to a node, from the outermost of them on. */
static bool write_path(const th_page *page, uint32_t node, th__buf *out)
{
    uint32_t above[MOST_STEPS], count = 0;
    for (; node && count < MOST_STEPS; node = page->nodes[node].parent)
        above[count++] = node;
    while (count--) {
        if (!th__class_step_write(page, above[count], out) ||
            (count && !th__buf_add_str(out, TH_STR(" > "))))
            return false;
    }
    return true;
}

/* False if out of memory. */
static bool read_traits(const th_page *page, const th__next_link *link, traits *out)
{
    const th_node *node = &page->nodes[link->node];
    th__buf_clear(&out->path);
    th__buf_clear(&out->text);
    out->rel = link->evidence[TH__NEXT_REL_A] || link->evidence[TH__NEXT_REL_LINK];
    if (!write_path(page, link->node, &out->path))
        return false;
    if (node->token_end - node->token <= MOST_TEXT &&
        !th__span_text(page, th_page_node_span(page, link->node), &out->text))
        return false;
    out->number = link->evidence[TH__NEXT_NUMBER] && has_digit(th__buf_str(&out->text));
    return true;
}

/* Cuts the first step off a path. False if it is the only one. */
static bool cut_step(th_str *path)
{
    size_t at = th__str_find(*path, TH_STR(" > "));
    if (at == SIZE_MAX)
        return false;
    *path = (th_str){path->ptr + at + 3, path->len - at - 3};
    return true;
}

/* Returns true if a path ends with the steps of another. */
static bool ends_with(th_str path, th_str steps)
{
    do {
        if (th__str_eq(path, steps))
            return true;
    } while (cut_step(&path));
    return false;
}

static bool fits(const th__next_rule *rule, const traits *t)
{
    return (!rule->rel || t->rel) && rule->number == t->number &&
           (!rule->text.ptr || th__str_eq(rule->text, th__buf_str(&t->text))) &&
           ends_with(th__buf_str(&t->path), rule->path);
}

th_status th__next_run(const th_page *page, const th__next_page *found, const th__next_rule *rule,
                       const th__next_link **out, th_error *err)
{
    traits t = {0};
    float most = 0;
    bool ok = true;
    *out = NULL;
    for (uint32_t i = 0; ok && i < found->link_count; i++) {
        const th__next_link *link = &found->links[i];
        if (link->evidence[TH__NEXT_LOWER] || link->evidence[TH__NEXT_SELF])
            continue;
        float score = th__next_score(link->evidence);
        if (*out && score <= most)
            continue;
        ok = read_traits(page, link, &t);
        if (ok && fits(rule, &t)) {
            *out = link;
            most = score;
        }
    }
    traits_release(&t);
    return ok ? TH_OK : th__fail_memory(err);
}

/* ---- learning ---- */

/* A page, and the link that was found on it. */
typedef struct seen_page {
    const th_page *page;
    th__next_page found;
    const th__next_link *link; /* or NULL */
    bool sure;
} seen_page;

static th_status see_page(const th_page *page, th__arena *arena, seen_page *out, th_error *err)
{
    double chance;
    out->page = page;
    th_status status = th__next_look(page, arena, &out->found, err);
    if (status)
        return status;
    const th__next_target *best = th__next_weigh(&out->found, &chance, &out->sure);
    if (best)
        out->link = th__next_best_link(page, &out->found, (uint32_t)(best - out->found.targets));
    return TH_OK;
}

/* Narrows the rule down to what holds of one more link. False if nothing is left. */
static bool join(th__next_rule *rule, const traits *t)
{
    rule->rel = rule->rel && t->rel;
    if (rule->text.ptr && !th__str_eq(rule->text, th__buf_str(&t->text)))
        rule->text = (th_str){0};
    while (!ends_with(th__buf_str(&t->path), rule->path))
        if (!cut_step(&rule->path))
            return false;
    return rule->number == t->number;
}

static bool begin(th__next_rule *rule, const traits *t, th__arena *arena)
{
    th_str text = th__buf_str(&t->text);
    rule->rel = t->rel;
    rule->number = t->number;
    rule->path = th__arena_copy(arena, th__buf_str(&t->path));
    if (!t->number && text.len && text.len <= MOST_TEXT)
        rule->text = th__arena_copy(arena, text);
    return rule->path.ptr && (rule->text.ptr || t->number || !text.len || text.len > MOST_TEXT);
}

/* What the links of all pages have in common. *good is false if that is nothing. */
static th_status find_rule(seen_page *pages, size_t count, th__arena *arena, th__next_rule *rule,
                           bool *good, th_error *err)
{
    traits t = {0};
    bool ok = true;
    size_t sure = 0;
    *good = true;
    *rule = (th__next_rule){.pages = (uint32_t)count};
    for (size_t i = 0; ok && *good && i < count; i++) {
        if (!pages[i].link)
            continue;
        ok = read_traits(pages[i].page, pages[i].link, &t);
        sure += pages[i].sure;
        if (ok && !rule->found++)
            ok = begin(rule, &t, arena);
        else if (ok)
            *good = join(rule, &t);
    }
    *good = *good && (sure || rule->found >= LEAST_UNSURE);
    traits_release(&t);
    return ok ? TH_OK : th__fail_memory(err);
}

/* Returns true if the rule finds on each page what was found there. */
static th_status try_rule(const seen_page *pages, size_t count, const th__next_rule *rule,
                          bool *good, th_error *err)
{
    th_status status = TH_OK;
    for (size_t i = 0; !status && *good && i < count; i++) {
        const th__next_link *link;
        status = th__next_run(pages[i].page, &pages[i].found, rule, &link, err);
        *good = !link == !pages[i].link && (!link || link->target == pages[i].link->target);
    }
    return status;
}

th_status th_wrapper_learn_next(th_wrapper *wrapper, const th_page *const *pages, size_t count,
                                th_error *err)
{
    th__arena arena;
    th__next_rule rule;
    bool good = false;
    th_status status = TH_OK;
    wrapper->next = NULL;
    th__arena_init(&arena);
    seen_page *seen = th__arena_zero(&arena, count + 1, sizeof *seen);
    if (!seen)
        status = th__fail_memory(err);
    for (size_t i = 0; !status && i < count; i++)
        status = see_page(pages[i], &arena, &seen[i], err);
    if (!status)
        status = find_rule(seen, count, &wrapper->arena, &rule, &good, err);
    if (!status && good)
        status = try_rule(seen, count, &rule, &good, err);
    if (!status && good) {
        wrapper->next = th__arena_zero(&wrapper->arena, 1, sizeof rule);
        if (wrapper->next)
            *wrapper->next = rule;
        else
            status = th__fail_memory(err);
    }
    th__arena_release(&arena);
    return status;
}
