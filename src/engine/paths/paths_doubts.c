/*
 * paths_doubts.c: where the rules of a page of one record may be wrong.
 *
 * A field is in doubt on a page
 *
 *  1. where rules that were as right as its own on labelled pages find something else: the weight
 *     of those is the contention;
 *  2. where a rule that found one text at its place on every labelled page finds several: the field
 *     may have several values, which no label has shown yet;
 *  3. where it finds nothing, or fewer values than any labelled page has: another layout;
 *  4. where it finds more values than any labelled page has, or more texts are beside a value
 *     than ever: a layout with a line more.
 *
 * Reasons join as independent ones do: 1 - (1 - a)(1 - b).
 */
#include "base/error.h"
#include "engine/paths/paths.h"
#include "page/text.h"

/* What reasons other than views weigh. A value that is missing, or that is several, is nearly
 * always a layout that no label has shown; a list that is longer than others is most often just
 * that. */
#define MISSING 0.6
#define SEVERAL 0.5
#define FEWER   0.4
#define MORE    0.2
#define BESIDE  0.3

/* A view that finds nothing says less than one that finds something else. */
#define SILENT 0.3

enum { COMPARED = 64 }; /* values of a list: more are not held against each other */

struct found_values {
    th__path_values values;
    uint64_t hashes[COMPARED];
    uint32_t count; /* of different texts */
};

struct path_doubter {
    th_doubts *out;
    th__path_page page;
    th__buf text;
    struct found_values own, other;
};

/* ---- what a field is by its rules, or with one of them replaced -------------------------------
 */

static bool has_hash(const struct found_values *found, uint64_t hash)
{
    for (uint32_t i = 0; i < found->count; i++)
        if (found->hashes[i] == hash)
            return true;
    return false;
}

/* Texts as they are read: cuts count. */
static bool hash_values(struct path_doubter *d, bool list, struct found_values *found)
{
    found->count = 0;
    for (size_t i = 0; i < found->values.len && (list || !i) && found->count < COMPARED; i++) {
        d->text.len = 0;
        if (!th__span_text(d->page.units.page, found->values.data[i].span, &d->text))
            return false;
        uint64_t hash = th__text_hash(th__buf_str(&d->text));
        if (!has_hash(found, hash))
            found->hashes[found->count++] = hash;
    }
    return true;
}

static bool find(struct path_doubter *d, const th__path_field *field, uint32_t of,
                 const th__path_rule *instead, struct found_values *out)
{
    return th__path_find_field(field, of, instead, &d->page, &out->values) &&
           hash_values(d, field->list, out);
}

static bool same(const struct found_values *a, const struct found_values *b)
{
    bool equal = a->count == b->count;
    for (uint32_t i = 0; equal && i < a->count; i++)
        equal = has_hash(b, a->hashes[i]);
    return equal;
}

/* Returns true if what a rule found alone has other texts behind the first. */
static bool has_others(struct path_doubter *d, const struct found_values *found, bool *out)
{
    enum { LOOKED_AT = 8 };
    *out = false;
    for (size_t i = 1; i < found->values.len && i <= LOOKED_AT && !*out; i++) {
        d->text.len = 0;
        if (!th__span_text(d->page.units.page, found->values.data[i].span, &d->text))
            return false;
        *out = th__text_hash(th__buf_str(&d->text)) != found->hashes[0];
    }
    return true;
}

/* ---- telling --------------------------------------------------------------------------------- */

/* Each of the values that were found, a place once, as extraction gives them. */
static bool list_values(struct path_doubter *d, const struct found_values *found, th_answer *out)
{
    const th__path_value *in = found->values.data;
    size_t len = found->values.len;
    th_answer_value *values = th__arena_zero(&d->out->arena, len, sizeof *values);
    for (size_t i = 0; values && i < len; i++) {
        bool met = false;
        for (uint32_t j = 0; !met && j < out->count && j < COMPARED; j++)
            met = values[j].span.start == in[i].span.start && values[j].span.end == in[i].span.end;
        if (met)
            continue;
        d->text.len = 0;
        if (!th__span_text(d->page.units.page, in[i].span, &d->text))
            return false;
        values[out->count] =
            (th_answer_value){th__arena_copy(&d->out->arena, th__buf_str(&d->text)), in[i].span};
        if (!values[out->count++].text.ptr)
            return false;
    }
    out->values = values;
    return values;
}

/* The texts of what was found, as people read them; absent when there is nothing. */
static bool tell(struct path_doubter *d, const struct found_values *found, bool all, th_answer *out)
{
    enum { TOLD = 8 };
    if (!found->values.len)
        return true;
    d->text.len = 0;
    for (size_t i = 0; i < found->values.len && i < TOLD && (all || !i); i++) {
        if ((i && !th__buf_add(&d->text, " | ", 3)) ||
            !th__span_text(d->page.units.page, found->values.data[i].span, &d->text))
            return false;
        out->more = (uint32_t)i;
    }
    out->span = found->values.data[0].span;
    out->text = th__arena_copy(&d->out->arena, th__buf_str(&d->text));
    return out->text.ptr && (!all || list_values(d, found, out));
}

struct reason {
    double contention;
    const char *why; /* the weightiest */
    double weightiest;
    const th__path_view *dissent; /* the likeliest view that finds something else, or NULL */
    bool several;                 /* shown with all of its texts */
};

static void add_reason(struct reason *reason, double weight, const char *why)
{
    reason->contention = 1 - (1 - reason->contention) * (1 - weight);
    if (weight > reason->weightiest) {
        reason->weightiest = weight;
        reason->why = why;
    }
}

static bool add_doubt(struct path_doubter *d, const th__path_field *field,
                      const struct reason *reason)
{
    th_doubt doubt = {.contention = reason->contention,
                      .why = reason->why,
                      .place = d->own.values.len ? d->own.values.data[0].span.start : 0,
                      .answer_count = 1};
    doubt.field = th__arena_copy(&d->out->arena, field->name);
    doubt.answers[0].view = "structure";
    if (!doubt.field.ptr || !tell(d, &d->own, field->list || reason->several, &doubt.answers[0]))
        return false;
    if (reason->dissent) {
        doubt.answers[doubt.answer_count].view = "other";
        if (!find(d, field, reason->dissent->of, &reason->dissent->rule, &d->other) ||
            !tell(d, &d->other, field->list || reason->several,
                  &doubt.answers[doubt.answer_count++]))
            return false;
    }
    d->out->contention += doubt.contention;
    return th__vec_push(&d->out->items, doubt);
}

/* ---- reasons --------------------------------------------------------------------------------- */

/* Views that find something else, or several things. */
static bool ask_views(struct path_doubter *d, const th__path_field *field, struct reason *reason)
{
    double against = 0;
    bool several = false;
    for (uint32_t i = 0; i < field->view_count; i++) {
        const th__path_view *view = &field->views[i];
        bool others = false;
        if (!find(d, field, view->of, &view->rule, &d->other) ||
            (view->rule.alone && !has_others(d, &d->other, &others)))
            return false;
        bool differs = !same(&d->own, &d->other);
        against += !differs ? 0 : d->other.count ? view->weight : SILENT * view->weight;
        several |= others && !differs;
        if ((differs || others) && !reason->dissent)
            reason->dissent = view;
    }
    if (against > 0)
        add_reason(reason, against < 1 ? against : 1, "other rules find something else");
    if (several)
        reason->several = true;
    return true;
}

static bool is_crowded(const struct path_doubter *d, const th__path_field *field)
{
    for (size_t i = 0; i < d->own.values.len && i < COMPARED; i++)
        if (d->page.units.data[d->own.values.data[i].unit].kind != TH__UNIT_WHOLE &&
            th__path_beside(&d->page.units, d->own.values.data[i].unit) > field->seen.beside)
            return true;
    return false;
}

static bool doubt_field(struct path_doubter *d, const th__path_field *field)
{
    struct reason reason = {0};
    const th__path_seen *seen = &field->seen;
    bool others = false;
    if (!find(d, field, 0, NULL, &d->own) || !ask_views(d, field, &reason))
        return false;
    if (field->count && field->rules[0].alone && !has_others(d, &d->own, &others))
        return false;
    reason.several |= others;
    if (reason.several)
        add_reason(&reason, SEVERAL, "several texts where there was one");
    if (seen->pages && seen->least && !d->own.count)
        add_reason(&reason, MISSING, "nothing where there was always something");
    else if (seen->pages && d->own.count && d->own.count < seen->least)
        add_reason(&reason, FEWER, "fewer values than ever");
    if (seen->pages && d->own.count > seen->most && seen->most)
        add_reason(&reason, MORE, "more values than ever");
    if (seen->pages && seen->beside && is_crowded(d, field))
        add_reason(&reason, BESIDE, "more texts beside it than ever");
    return reason.contention < 1e-6 || add_doubt(d, field, &reason);
}

th_status th__paths_doubts(const void *context, const th_schema *schema, const th_page *page,
                           th_doubts *out, th_error *err)
{
    const th__path_rules *rules = context;
    struct path_doubter d = {.out = out};
    bool ok = th__path_page_open(&d.page, rules, true, page);
    for (uint32_t i = 0; ok && i < rules->count; i++)
        ok = doubt_field(&d, &rules->fields[i]);
    th__vec_release(&d.own.values);
    th__vec_release(&d.other.values);
    th__buf_release(&d.text);
    th__path_page_close(&d.page);
    return ok ? TH_OK : th__fail_memory(err);
}
