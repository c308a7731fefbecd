/*
 * repair_weigh.c: what a candidate makes of the old fields, and whether that is good enough. See
 * repair.c for the rules.
 */
#include <math.h>

#include "base/error.h"
#include "repair/repair.h"

/* A column that is like a field is it; with this much likeness only values that it had before, or
 * the same forms and name, leave no doubt. */
#define LIKE_SOMEWHAT     0.4
#define LIKE_ENOUGH       0.5
#define LIKE_BEYOND_DOUBT 0.6
#define LIKE_KNOWN        0.95
/* Records that hold so much of what was known, each for itself, are the old ones, whatever their
 * columns. */
#define KNOWN_SHARE 0.7
#define KNOWN_COUNT 0.6
/* The part of the fields that is found and the likeness of the list add up to two for the old list.
 * Lists of other sites have a title, a link and a date as well, and stay below this, mostly; where
 * values are known, less will do. */
#define SAME_LIST       0.9
#define SAME_LIST_KNOWN 0.6
/* A field that all records had, and what most of them have: see are_whole. */
#define ALWAYS 0.95
#define MOSTLY 0.6

const th_evidence *th__evidence_of(const th_verdict *verdict, th_str path)
{
    for (uint32_t i = 1; verdict && i < verdict->count; i++)
        if (th__same_path(verdict->evidence[i].path, path))
            return &verdict->evidence[i];
    return NULL;
}

static const th__field_tally *tally_field(const th__tally *tally, th_str path)
{
    for (uint32_t i = 0; i < tally->count; i++)
        if (th__same_path(tally->fields[i].path, path))
            return &tally->fields[i];
    return NULL;
}

/* A value of the field now: the first of its sample. */
static th_str example_of(th_repair *repair, const th__tally *tally, th_str path)
{
    const th__field_tally *field = tally_field(tally, path);
    return field && field->sample.len ? th__arena_copy(&repair->arena, field->sample.data[0].text)
                                      : (th_str){0};
}

bool th__candidate_has(const th__candidate *candidate, uint32_t field)
{
    return candidate->match.column[field] != TH__NO_COLUMN ||
           (candidate->parts && candidate->parts[field].count);
}

/* Whether a field has dates that are written otherwise than they were: that is no drift of what the
 * wrapper reads. */
static bool is_rewritten(const th_repair *repair, const th__candidate *candidate,
                         const th__tally *tally, uint32_t field)
{
    const th__field_profile *old = &repair->profile->fields[field];
    const th__field_tally *now = tally_field(tally, old->path);
    return now && now->values && candidate->match.likeness[field] < LIKE_BEYOND_DOUBT &&
           th__are_dates(old, now);
}

/* Whether a field of a template has the values that it had, with a sign before or behind them: that
 * is no drift either. */
static bool got_signs(const th_repair *repair, const th__candidate *candidate,
                      const th__tally *tally, uint32_t field)
{
    const th__field_tally *now = tally_field(tally, repair->profile->fields[field].path);
    return now && candidate->wrapper->engine->learn_corpus &&
           th__repair_has_signs(repair, field, now);
}

/* The profile without the fields that a candidate does not find. */
th_status th__repair_verify(th_repair *repair, const th__candidate *candidate,
                            const th__tally *tally, th_verdict **out, th_error *err)
{
    th__profile found = *repair->profile;
    found.count = 0;
    found.fields = th__arena_zero(&repair->arena, repair->profile->count + 1, sizeof *found.fields);
    if (!found.fields)
        return th__fail_memory(err);
    for (uint32_t i = 0; i < repair->profile->count; i++)
        if (th__candidate_has(candidate, i) && !is_rewritten(repair, candidate, tally, i) &&
            !got_signs(repair, candidate, tally, i))
            found.fields[found.count++] = repair->profile->fields[i];
    return th__verify(tally, &found, repair->alpha, out, err);
}

/* Whether a candidate has a field: matched, and not to be told from what it was. A profile of one
 * or two pages is no judge of single fields: then likeness is enough. */
static bool has_field(const th_repair *repair, const th__candidate *candidate, uint32_t field)
{
    const th_evidence *e = th__evidence_of(repair->after, repair->profile->fields[field].path);
    if (!th__candidate_has(candidate, field) || !e)
        return false;
    return !e->drift ||
           (repair->profile->pages < 3 && candidate->match.likeness[field] >= LIKE_ENOUGH);
}

/* Whether the old wrapper gives values of a field that is not broken, and they are like it: one
 * that the pages have no more is nothing to lose, and few old values tell little of what became of
 * them: where they are twice as many, they are others. */
static bool is_given(const th_repair *repair, uint32_t field)
{
    const th__field_profile *old = &repair->profile->fields[field];
    const th__field_tally *now = tally_field(&repair->tally, old->path);
    return now && now->values && now->values * old->chances <= 2 * old->values * now->chances &&
           th__likeness(old, repair->targets[field], now) >= LIKE_SOMEWHAT;
}

/* Whether a list is another one than that of the wrapper: little of what was broken is found, and
 * the columns are hardly like the fields. */
static bool is_other_list(const th_repair *repair, const th__candidate *candidate, double found,
                          bool known)
{
    known = known || (candidate->known.values && candidate->known.share > 0);
    return th__finds_lists(repair->wrapper->engine) &&
           found + candidate->score < (known ? SAME_LIST_KNOWN : SAME_LIST);
}

/* Whether records are whole: where all of them had a field, such a one is in most of them again. A
 * list that has none of these in two records of three is cut inside of records. */
bool th__repair_is_whole(const th_repair *repair, const th__candidate *candidate,
                         const th__tally *tally)
{
    bool always = false;
    for (uint32_t i = 0; i < repair->profile->count; i++) {
        const th__field_profile *old = &repair->profile->fields[i];
        const th__field_tally *now = tally_field(tally, old->path);
        if (!th__candidate_has(candidate, i) || !now || th__is_list_path(now->path) ||
            (double)old->values < ALWAYS * (double)old->chances)
            continue;
        always = true;
        if ((double)now->values >= MOSTLY * (double)tally->records)
            return true;
    }
    return !always;
}

/* What became of each field, and whether it is good enough. */
th_status th__repair_weigh(th_repair *repair, const th__candidate *candidate,
                           const th__tally *tally, bool *good, th_error *err)
{
    uint32_t count = repair->profile->count;
    double broken = 0, mended = 0;
    bool sure = false, known = false;
    th_field_repair *fields = th__arena_zero(&repair->arena, count + 1, sizeof *fields);
    if (!fields)
        return th__fail_memory(err);
    *good = !repair->after->drift && th__repair_is_whole(repair, candidate, tally);
    for (uint32_t i = 0; i < count; i++) {
        const th__field_profile *field = &repair->profile->fields[i];
        bool found = has_field(repair, candidate, i);
        double weight = th__field_weight(field, repair->targets[i]);
        fields[i] = (th_field_repair){.path = field->path,
                                      .outcome = !field->values      ? TH_FIELD_KEPT
                                                 : !found            ? TH_FIELD_LOST
                                                 : repair->broken[i] ? TH_FIELD_REPAIRED
                                                                     : TH_FIELD_KEPT,
                                      .likeness = candidate->match.likeness[i]};
        if (found)
            fields[i].example = example_of(repair, tally, field->path);
        sure = sure ||
               (found && !repair->targets[i] && candidate->match.likeness[i] >= LIKE_BEYOND_DOUBT);
        /* A word that all records had may stand anywhere. */
        known = known || (found && !repair->targets[i] && weight >= TH__WEIGHT_TO_MISS &&
                          2 * field->distinct > field->sampled &&
                          candidate->match.likeness[i] >= LIKE_KNOWN);
        if (repair->broken[i]) {
            broken += weight;
            mended += found ? weight : 0;
        } else if (!found && weight >= TH__WEIGHT_TO_MISS && is_given(repair, i)) {
            *good = false;
        }
    }
    const th__known *k = &candidate->known;
    known = known ||
            (k->fields && k->share * k->pure >= KNOWN_SHARE && candidate->count >= KNOWN_COUNT);
    *good = *good && (known || (sure && 3 * mended >= broken)) && mended > 0 &&
            !is_other_list(repair, candidate, mended / fmax(broken, mended), known);
    repair->fields = fields;
    repair->field_count = count;
    return TH_OK;
}
