/*
 * stalker_notes.c: what a person should know of a field that was learnt: where its rules are not
 * right, what was tried, and which label would help.
 */
#include "base/error.h"
#include "engine/papers/stalker/stalker_learn.h"
#include "page/text.h"

static bool same(th_span a, th_span b)
{
    return a.start == b.start && a.end == b.end;
}

/* How many labelled instances each view is right on. */
struct tally {
    uint32_t labelled, positives, right, views[TH__VIEWS];
    const th__stalker_instance *wrong; /* the first */
    th_span found;                     /* there */
};

/* Spans may differ by a bracket or a tag and give the same text. */
static bool same_text(th__stalker_learner *l, const th_page *page, th_span a, th_span b)
{
    th__buf left = {0}, right = {0};
    if (same(a, b))
        return true;
    if (!a.end || !b.end)
        return false;
    bool equal = th__span_text(page, a, &left) && th__span_text(page, b, &right) &&
                 th__str_eq(th__buf_str(&left), th__buf_str(&right));
    th__buf_release(&left);
    th__buf_release(&right);
    return equal;
}

static struct tally count(th__stalker_learner *l, const th__stalker_field *field,
                          const th__instances *instances)
{
    struct tally t = {0};
    for (size_t i = 0; i < instances->len; i++) {
        const th__stalker_instance *in = &instances->data[i];
        th__stalker_page *page = &l->pages[in->page];
        if (!in->labelled)
            continue;
        th_span span = in->value ? th__stalker_value_span(in->value) : (th_span){0};
        th_span found = th__stalker_decide(field, page, &in->extent).span;
        t.labelled++;
        t.positives += span.end > 0;
        for (int v = 0; v < TH__VIEWS && !field->whole; v++)
            t.views[v] +=
                same(th__stalker_ask(field, (th__stalker_view)v, page, &in->extent).span, span);
        if (same_text(l, page->page, found, span)) {
            t.right++;
        } else if (!t.wrong) {
            t.wrong = in;
            t.found = found;
        }
    }
    return t;
}

/* "a value" or nothing, as a reader reads it. */
static bool put_value(th__buf *out, const th_page *page, th_span span)
{
    enum { LONGEST = 60 };
    th__buf text = {0};
    if (!span.end)
        return th__buf_add_str(out, TH_STR("nothing"));
    bool ok = th__span_text(page, span, &text);
    bool cut = text.len > LONGEST;
    size_t len = cut ? LONGEST : text.len;
    while (cut && len && (text.data[len] & 0xC0) == 0x80)
        len--;
    th__buf_printf(out, "\"%.*s%s\" (bytes %u-%u)", (int)len, text.data ? text.data : "",
                   cut ? "..." : "", span.start, span.end);
    th__buf_release(&text);
    return ok && !out->failed;
}

static bool note_wrong(th__stalker_learner *l, th_str name, const struct tally *t)
{
    const th__corpus_page *page = &l->corpus->pages[t->wrong->page];
    th_span span = t->wrong->value ? th__stalker_value_span(t->wrong->value) : (th_span){0};
    th__buf labelled = {0}, found = {0};
    bool ok =
        put_value(&labelled, page->page, span) && put_value(&found, page->page, t->found) &&
        th__notes_add(
            l->corpus->notes,
            "%.*s: %.*s is labelled %.*s, and the rules find %.*s; of %u labelled places the "
            "structure is right on %u, forward rules on %u, backward rules on %u, together "
            "on %u. If the label is as it should be, label one more page like this one",
            TH_STR_ARG(page->source.page), TH_STR_ARG(name), TH_STR_ARG(th__buf_str(&labelled)),
            TH_STR_ARG(th__buf_str(&found)), t->labelled, t->views[TH__VIEW_STRUCTURE],
            t->views[TH__VIEW_FORWARD], t->views[TH__VIEW_BACKWARD], t->right);
    th__buf_release(&labelled);
    th__buf_release(&found);
    return ok;
}

bool th__stalker_note_field(th__stalker_learner *l, const th__stalker_field *field,
                            const th__instances *instances)
{
    th_str name = l->name.len ? th__buf_str(&l->name) : TH_STR("the value");
    if (l->quiet)
        return true;
    struct tally t = count(l, field, instances);
    if (!t.labelled)
        return th__notes_add(l->corpus->notes,
                             "%.*s: the items of its list were not found as labelled, and nothing "
                             "is learnt of it; label one more page with several items",
                             TH_STR_ARG(name));
    if (!t.positives)
        return th__notes_add(l->corpus->notes,
                             "%.*s: no labelled page has a value of it, and nothing is learnt; "
                             "label a page that has one",
                             TH_STR_ARG(name));
    return !t.wrong || note_wrong(l, name, &t);
}

bool th__stalker_note_list(th__stalker_learner *l, uint32_t right, uint32_t labelled)
{
    th_str name = l->name.len ? th__buf_str(&l->name) : TH_STR("the records");
    if (right == labelled || l->quiet)
        return true;
    return th__notes_add(l->corpus->notes,
                         "%.*s: a list whose items are found as labelled on %u of %u labelled "
                         "pages; tried were elements, runs of elements, and landmarks. Check that "
                         "all items are labelled, and label one more page with several items",
                         TH_STR_ARG(name), right, labelled);
}
