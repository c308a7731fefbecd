/*
 * stalker_doubts.c: co-testing.
 *
 * The paper compares a forward and a backward rule; the structural view joins them, and the rules
 * of which it is made are views as well: how far they agree is its support. The contention of a
 * field is the weight of all that speaks against the answer that extraction would take. A field
 * that every labelled page had and that is not found here is contended, too: views that were
 * learnt from the same few pages can miss a new layout together. So is one whose place was taken by
 * one thing on every labelled page and is taken by several here: it may have several values.
 */
#include "engine/papers/stalker/stalker_doubts.h"

#include "base/error.h"
#include "base/vec.h"
#include "engine/papers/stalker/stalker_unshown.h"
#include "engine/papers/stalker/stalker_walk.h"
#include "page/text.h"

#define MISSING                                                                                    \
    0.6 /* the contention of a value that should be there: more than one view's dissent */

#define SEVERAL 0.5 /* of a value whose place has more of its kind than ever */

/* Of text at a place where no labelled page has any: it may be a new field, which no rule can find;
 * a value that is missing is most often just that. */
#define UNSHOWN 0.7

static const char *const view_names[TH__VIEWS] = {"structure", "forward", "backward"};

struct doubter {
    th_doubts *out;
    th__stalker_walk walk;
    th__buf text;
    double most;             /* contention of the field at hand, over its instances */
    TH__VEC(th_span) values; /* what the fields find */
};

static bool same(th_span a, th_span b)
{
    return a.start == b.start && a.end == b.end;
}

static th_str text_of(struct doubter *d, th_span span)
{
    th__buf_clear(&d->text);
    if (!span.end)
        return (th_str){0};
    if (!th__span_text(d->walk.page.page, span, &d->text))
        d->walk.failed = true;
    th_str text = th__arena_copy(&d->out->arena, th__buf_str(&d->text));
    d->walk.failed |= !text.ptr;
    return text;
}

static void add_doubt(struct doubter *d, const th__stalker_answer *answers, th_span chosen,
                      double contention, const char *why, uint32_t place)
{
    th_doubt doubt = {.contention = contention, .why = why, .place = place};
    doubt.field = th__arena_copy(&d->out->arena, th__buf_str(&d->walk.name));
    d->walk.failed |= !doubt.field.ptr;
    for (int v = 0; v < TH__VIEWS; v++) {
        if (answers[v].support <= 0)
            continue;
        if (same(answers[v].span, chosen))
            doubt.chosen = doubt.answer_count;
        doubt.answers[doubt.answer_count++] =
            (th_answer){view_names[v], text_of(d, answers[v].span), answers[v].span};
    }
    d->walk.failed |= !th__vec_push(&d->out->items, doubt);
}

/* Whether more stands at the place of a field than on any labelled page. */
static bool is_crowded(struct doubter *d, const th__stalker_field *field,
                       const th__stalker_extent *extent)
{
    const th__stalker_map *map = th__stalker_page_map(&d->walk.page);
    for (uint32_t i = 0; map && i < field->place_count; i++)
        if (field->places[i].alone &&
            th__things_count(&field->places[i].at, map, extent, (th__thing_kind)field->thing) > 1)
            return true;
    return false;
}

/* Whether a list that had one text at most may have several here. */
static bool is_parted(struct doubter *d, const th__stalker_field *field, th_span span)
{
    const th__stalker_map *map =
        d->walk.single && field->simple ? th__stalker_page_map(&d->walk.page) : NULL;
    return map && !th__stalker_is_simple(map, span);
}

static void doubt_field(struct doubter *d, const th__stalker_field *field,
                        const th__stalker_extent *extent)
{
    th__stalker_answer answers[TH__VIEWS];
    double all = 0, with = 0;
    th_span chosen = th__stalker_decide(field, &d->walk.page, extent).span;
    d->walk.failed |= chosen.end && !th__vec_push(&d->values, chosen);
    if (field->whole)
        return;
    for (int v = 0; v < TH__VIEWS; v++) {
        answers[v] = th__stalker_ask(field, (th__stalker_view)v, &d->walk.page, extent);
        double weight = v == TH__VIEW_STRUCTURE ? field->place_count ? field->weight / 1000.0 : 0
                                                : answers[v].support;
        all += weight;
        with += same(answers[v].span, chosen) ? answers[v].support : 0;
    }
    double contention = all > 0 ? 1 - with / all : 0;
    const char *why = "the views differ";
    if (!chosen.end && field->always && all > 0 && contention < MISSING) {
        contention = MISSING;
        why = "nothing where there was always something";
    }
    if (chosen.end && contention < SEVERAL &&
        (is_crowded(d, field, extent) || is_parted(d, field, chosen))) {
        contention = SEVERAL;
        why = "several texts where there was one";
    }
    if (contention < 1e-6)
        return;
    d->most = contention > d->most ? contention : d->most;
    add_doubt(d, answers, chosen, contention, why, chosen.end ? chosen.start : extent->span.start);
}

static bool is_value(const struct doubter *d, th_span span)
{
    for (size_t i = 0; i < d->values.len; i++)
        if (d->values.data[i].start < span.end && span.start < d->values.data[i].end)
            return true;
    return false;
}

/* What tells such a place, for people and to know it again on other pages. */
static th_str spot_of(struct doubter *d, const th__stalker_unshown *unshown)
{
    th__buf_clear(&d->text);
    th__buf_printf(&d->text, "%.*s%s%.*s", TH_STR_ARG(unshown->at.mark),
                   unshown->at.mark.len ? " " : "", TH_STR_ARG(unshown->at.path));
    if (unshown->text.ptr)
        th__buf_printf(&d->text, " \"%.*s\"", TH_STR_ARG(unshown->text));
    th_str spot = th__arena_copy(&d->out->arena, th__buf_str(&d->text));
    d->walk.failed |= d->text.failed || !spot.ptr;
    return spot;
}

/* Texts at places that no labelled page has, where no field finds them: the first of each. */
static void doubt_unshown(void *context, const th__stalker_rules *rules)
{
    struct doubter *d = context;
    const th__stalker_map *map = rules->unshown_count ? th__stalker_page_map(&d->walk.page) : NULL;
    bool seen[TH__STALKER_MAX_UNSHOWN + 1] = {false};
    for (uint32_t u = 0; map && u < map->count && !d->walk.failed; u++) {
        uint32_t which = th__stalker_is_unshown(rules, map, u);
        th_span span = map->units[u].span;
        if (which == rules->unshown_count || seen[which])
            continue;
        seen[which] = true;
        if (is_value(d, span))
            continue;
        th_doubt doubt = {.field = {"", 0},
                          .spot = spot_of(d, &rules->unshown[which]),
                          .contention = UNSHOWN,
                          .why = "text where no labelled page has any",
                          .place = span.start,
                          .answer_count = 1};
        doubt.answers[0] = (th_answer){"other", text_of(d, span), span};
        d->walk.failed |= !th__vec_push(&d->out->items, doubt);
        d->out->contention += UNSHOWN;
    }
}

/* A field counts as much as its most contended value. */
static void doubt_values(void *context, const th__stalker_field *field,
                         const th__extent_vec *extents)
{
    struct doubter *d = context;
    d->most = 0;
    for (size_t i = 0; i < extents->len && !d->walk.failed; i++)
        doubt_field(d, field, &extents->data[i]);
    d->out->contention += d->most;
}

th_status th__stalker_doubts(const void *rules, const th_schema *schema, const th_page *page,
                             th_doubts *out, th_error *err)
{
    struct doubter d = {.out = out, .walk = {.on_field = doubt_values, .on_end = doubt_unshown}};
    d.walk.context = &d;
    th_status status = th__stalker_walk_run(&d.walk, rules, schema, page, err);
    th__vec_release(&d.values);
    th__buf_release(&d.text);
    return status;
}
