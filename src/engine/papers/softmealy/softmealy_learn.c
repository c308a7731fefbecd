/* softmealy_learn.c: the order in which a wrapper is learnt. */
#include "engine/papers/softmealy/softmealy_learn.h"

#include <stddef.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "data/record.h"

/* ---- switches -------------------------------------------------------------------------------- */

th__sm_options th__sm_options_ours(void)
{
    return (th__sm_options){true, true, true, true, true};
}

th__sm_options th__sm_options_paper(void)
{
    return (th__sm_options){0};
}

th_status th__sm_options_without(th__sm_options *options, const char *names, th_error *err)
{
    static const struct {
        const char *name;
        size_t place;
    } switches[] = {{"ground-html", offsetof(th__sm_options, ground_html)},
                    {"no-blanks", offsetof(th__sm_options, no_blanks)},
                    {"check", offsetof(th__sm_options, check)},
                    {"free-order", offsetof(th__sm_options, free_order)},
                    {"resync", offsetof(th__sm_options, resync)}};
    enum { SWITCHES = sizeof switches / sizeof *switches };
    while (names && *names) {
        size_t len = strcspn(names, ","), i = 0;
        while (i < SWITCHES && !th__str_eq(th_str_from(switches[i].name), (th_str){names, len}))
            i++;
        if (i == SWITCHES)
            return th__fail(err, TH_ERR_ARGUMENT,
                            "softmealy has no switch \"%.*s\": ground-html, no-blanks, check, "
                            "free-order and resync are there",
                            (int)(len < 100 ? len : 100), names);
        *(bool *)((char *)options + switches[i].place) = false;
        names += len + (names[len] == ',');
    }
    return TH_OK;
}

/* ---- learning -------------------------------------------------------------------------------- */

static bool take_attributes(th__sm_samples *s, th__sm_rules *rules)
{
    rules->attribute_count = (uint32_t)s->attributes.len;
    rules->attributes =
        th__arena_alloc(s->arena, (s->attributes.len + 1) * sizeof *rules->attributes);
    if (!rules->attributes)
        return false;
    memcpy(rules->attributes, s->attributes.data, s->attributes.len * sizeof *rules->attributes);
    return true;
}

/* Whether the members of all tuples in the lists of a value stand in the schema's order. The depth
 * is the schema's. */
static bool is_in_order(const th_value *value, bool in_list, uint32_t *pairs)
{
    bool list = th_value_get_kind(value) == TH_VALUE_LIST;
    uint32_t last = 0;
    for (size_t i = 0; i < th_value_count(value); i++) {
        const th_value *member = th_value_item(value, i);
        th_span hull = th__value_hull(member);
        if (!is_in_order(member, in_list || list, pairs) ||
            (in_list && !list && hull.end && hull.start < last))
            return false;
        *pairs += in_list && !list && hull.end && last;
        last = hull.end ? hull.start : last;
    }
    return true;
}

/* Whether labels show items with several members, and all in that order. */
static bool labels_in_order(const th__corpus *corpus)
{
    uint32_t pairs = 0;
    for (size_t p = 0; p < corpus->count; p++)
        for (size_t r = 0; corpus->pages[p].labels && r < th_records_count(corpus->pages[p].labels);
             r++)
            if (!is_in_order(th_records_get(corpus->pages[p].labels, r), false, &pairs))
                return false;
    return pairs;
}

static th_status learn(const th__sm_options *options, th__sm_blanks blanks,
                       const th__corpus *corpus, th__arena *arena, const th_schema *schema,
                       th__sm_rules **out, th_error *err)
{
    th__sm_samples s = {.options = *options, .lexing.blanks = (uint8_t)blanks, .arena = arena};
    th__sm_rules *rules = th__arena_zero(arena, 1, sizeof *rules);
    th_status status =
        rules ? th__sm_samples_make(&s, corpus, schema, NULL, err) : th__fail_memory(err);
    if (!status) {
        rules->lexing = s.lexing;
        rules->resync = options->resync;
        rules->ground_html = options->ground_html;
        rules->one_record = s.one_record;
        rules->in_order = options->free_order && labels_in_order(corpus);
        status = take_attributes(&s, rules) ? TH_OK : th__fail_memory(err);
    }
    if (!status)
        status = th__cancel_check(corpus->cancel, err);
    if (!status)
        status = th__sm_body_learn(&s, rules, err);
    if (!status)
        status = th__sm_edges_learn(&s, rules, err);
    if (!status)
        status = th__cancel_check(corpus->cancel, err);
    if (!status && options->free_order)
        status = th__sm_free_learn(&s, rules, err);
    if (!status)
        status = th__cancel_check(corpus->cancel, err);
    if (!status && options->check && !th__sm_mend(&s, rules))
        status = th__fail_memory(err);
    for (uint32_t i = 0; !status && i < s.page_count; i++)
        corpus->pages[i].learnt = s.pages[i].tuple_count;
    th__sm_samples_release(&s);
    *out = rules;
    return status;
}

/* Learns a second time with the ends of lines, and takes what has far fewer rules: what tells two
 * attributes apart makes many rules needless, what does not makes more of them. */
static th_status try_lines(const th__sm_options *options, const th__corpus *corpus,
                           th__arena *arena, const th_schema *schema, th__sm_rules **rules,
                           th_error *err)
{
    th__sm_rules *other = NULL;
    th__notes notes;
    th__corpus again = *corpus;
    th__notes_init(&notes); /* what there is to tell was told the first time */
    again.notes = &notes;
    th_status status = learn(options, TH__SM_LINES, &again, arena, schema, &other, err);
    th__notes_release(&notes);
    if (!status && th__sm_rules_count(other) * 5 < th__sm_rules_count(*rules) * 4)
        *rules = other;
    return status;
}

th_status th__sm_learn(const th__sm_options *options, const th__corpus *corpus, th__arena *arena,
                       const th_schema *schema, th__sm_rules **out, th_error *err)
{
    th__sm_blanks blanks = options->no_blanks ? TH__SM_NO_BLANKS : TH__SM_ALL_BLANKS;
    th_status status = learn(options, blanks, corpus, arena, schema, out, err);
    if (!status && options->no_blanks && !(*out)->one_record)
        status = try_lines(options, corpus, arena, schema, out, err);
    return status;
}
