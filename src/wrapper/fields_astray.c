/*
 * fields_astray.c: which fields of changed records are astray.
 *
 * This is all that pages cost which are as they were, so it counts and looks at a few values only;
 * what is done about a field that is astray is dearer, and stands elsewhere.
 */
#include <math.h>

#include "base/stats.h"
#include "wrapper/fields_adapter.h"

/* Values of a field that position tells that are looked at. */
enum { GLANCED_AT = 6 };

/* Fields that fewer than six in ten records had may be missing from a page. */
#define LEAST_SHARE 0.6
/* Less than this part of its share: verification would call it missing. */
#define ASTRAY_PART 0.35
/* And chance hardly explains it. */
#define ASTRAY_CHANCE 0.001
/* Values that are so much like those of their field stand well, whatever else they are like. */
#define WELL_PLACED 0.55
/* Others are misplaced when they are so much like those of another. */
#define BETTER_PLACED 0.8
/* Or when they are next to nothing like their own, and so much more like those of another. */
#define ILL_PLACED 0.25
#define FAR_BETTER 0.35
/* Once something is astray, others are looked for, too, that are less like themselves than this. */
#define AT_HOME 0.3

/* ---- members --------------------------------------------------------------------------------- */

double th__adapt_share(const th__field_profile *field)
{
    return field->chances ? fmin(1, (double)field->values / (double)field->chances) : 0;
}

/* The profile of a member: that of the field which takes it as it is. */
static const th__field_profile *profile_of(const th__known_fields *known, uint32_t member)
{
    const th__select *select = known->select;
    const th__profile *profile = known->profile;
    if (!select)
        return member < profile->count ? &profile->fields[member] : NULL;
    for (uint32_t i = 0; i < select->count && i < profile->count; i++) {
        const th__select_field *field = &select->fields[i];
        if (!field->rest && !field->join && field->from_count == 1 && field->members[0] == member &&
            th__cut_is_whole(&field->cut))
            return &profile->fields[i];
    }
    return NULL;
}

/* Whether a path goes through a cell of a row, which its number tells from the others. */
static bool in_row(th_str path)
{
    th_str step;
    bool bad;
    while (th__path_next(&path, &step, &bad))
        if (step.len >= 2 && (step.ptr[0] == 't') && (step.ptr[1] == 'd' || step.ptr[1] == 'h') &&
            (step.len == 2 || step.ptr[2] == '[' || step.ptr[2] == '.'))
            return true;
    return false;
}

static bool describe_members(th__adapter *a, const th__known_fields *known)
{
    const th__fields *fields = a->fields;
    for (uint32_t i = 0; i < fields->count; i++)
        if (fields->rules[i].member != TH__NO_MEMBER && fields->rules[i].member >= a->member_count)
            a->member_count = fields->rules[i].member + 1;
    a->members = th__arena_zero(a->arena, a->member_count + 1, sizeof *a->members);
    if (!a->members)
        return false;
    for (uint32_t i = 0; i < fields->count; i++) {
        const th__field_rule *rule = &fields->rules[i];
        if (rule->member == TH__NO_MEMBER || rule->kind == TH__FIELD_REST)
            continue;
        th__adapt_member *member = &a->members[rule->member];
        a->lists |= rule->list && rule->kind == TH__ITEM_TEXT;
        member->placed |= rule->kind == TH__ITEM_TEXT &&
                          (rule->position != TH__NO_POSITION || in_row(rule->path));
        if (member->rule)
            continue;
        member->rule = rule;
        member->known = profile_of(known, rule->member);
    }
    return true;
}

/* Counts the records that have each member; gives how many items no rule takes. */
static size_t count_members(th__adapter *a)
{
    size_t strangers = 0;
    for (size_t i = 0; i < a->item_count; i++) {
        const th__item *item = &a->items[i];
        if (item->column == TH__NO_MEMBER) {
            strangers += item->kind != TH__ITEM_TEXT;
            continue;
        }
        th__adapt_member *member = &a->members[item->column];
        strangers += item->column == a->fields->rest;
        member->filled += member->last != item->record + 1;
        member->last = item->record + 1;
    }
    return strangers;
}

/* ---- values ---------------------------------------------------------------------------------- */

bool th__adapt_look(th__adapter *a, const th__item *item, th__sample *out)
{
    th_span span = item->span;
    if (!th__item_read(a->view->page, (th__item_kind)item->kind, item->ref, &a->text, &a->link,
                       &span))
        return false;
    th_str text = th__arena_copy(a->arena, th__buf_str(&a->text));
    if (!text.ptr)
        return false;
    *out = (th__sample){
        .text = text, .hash = th__hash(text.ptr, text.len), .length = th__log_length(text.len)};
    th__dp_split(text, &out->value);
    return true;
}

/* The mean of how much some values are like those of a field. */
static double mean_likeness(const th__field_profile *field, const th__sample *values,
                            uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += th__value_likeness(field, &values[i]);
    return sum / count;
}

/* Whether values stand in the wrong place: they are not much like those of their field, and more
 * like those of another one. */
static bool is_misplaced(const th__adapter *a, uint32_t m, const th__sample *values)
{
    double own = mean_likeness(a->members[m].known, values, GLANCED_AT);
    for (uint32_t other = 0; own < WELL_PLACED && other < a->member_count; other++) {
        const th__adapt_member *o = &a->members[other];
        if (other == m || !o->placed || !o->known)
            continue;
        double like = mean_likeness(o->known, values, GLANCED_AT);
        if (like >= BETTER_PLACED || (own < ILL_PLACED && like >= own + FAR_BETTER))
            return true;
    }
    return false;
}

/* Looks at the first values of each member. */
static bool glance(th__adapter *a, bool all)
{
    for (size_t i = 0; i < a->item_count; i++) {
        uint32_t m = a->items[i].column;
        if (m == TH__NO_MEMBER || !a->members[m].known || a->items[i].kind != TH__ITEM_TEXT ||
            a->members[m].placed == all || a->members[m].seen == GLANCED_AT)
            continue;
        th__adapt_member *member = &a->members[m];
        if (!member->values)
            member->values = th__arena_alloc(a->arena, GLANCED_AT * sizeof *member->values);
        if (!member->values || !th__adapt_look(a, &a->items[i], &member->values[member->seen++]))
            return false;
    }
    return true;
}

/* Fields that their place in an order tells, and that stand in that of others. */
static bool find_misplaced(th__adapter *a)
{
    if (!glance(a, false))
        return false;
    for (uint32_t m = 0; m < a->member_count; m++)
        a->members[m].astray = a->members[m].placed && a->members[m].seen == GLANCED_AT &&
                               is_misplaced(a, m, a->members[m].values);
    return true;
}

/* Where something is astray, an order means nothing, and values that are not like their field are
 * another's. */
static bool loosen_others(th__adapter *a)
{
    if (!glance(a, true))
        return false;
    for (uint32_t m = 0; m < a->member_count; m++) {
        th__adapt_member *member = &a->members[m];
        bool strange =
            member->seen && mean_likeness(member->known, member->values, member->seen) < AT_HOME;
        member->astray |= member->known && (member->placed || strange);
    }
    return true;
}

bool th__adapt_astray(th__adapter *a, const th__known_fields *known, bool *any)
{
    *any = false;
    if (!describe_members(a, known))
        return false;
    size_t strangers = count_members(a);
    uint32_t placed = 0;
    for (uint32_t m = 0; m < a->member_count; m++)
        placed += a->members[m].placed;
    if (placed > 1 && !find_misplaced(a))
        return false;
    for (uint32_t m = 0; m < a->member_count; m++) {
        th__adapt_member *member = &a->members[m];
        double share = member->known ? th__adapt_share(member->known) : 0;
        member->missing = share >= LEAST_SHARE &&
                          member->filled < ASTRAY_PART * share * a->records->count &&
                          th__binomial_lower(member->filled, a->records->count,
                                             fmin(share, 0.95)) <= ASTRAY_CHANCE;
        *any |= member->astray || (member->missing && (strangers || a->lists));
    }
    for (uint32_t m = 0; *any && m < a->member_count; m++)
        a->members[m].astray |= a->members[m].missing;
    return !*any || loosen_others(a);
}
