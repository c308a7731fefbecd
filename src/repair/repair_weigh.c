/*
 * repair_weigh.c: what a proposal makes of the old fields, and whether that is good enough. See
 * repair.c for the rules.
 */
#include <math.h>

#include "base/error.h"
#include "page/page.h"
#include "repair/repair.h"

/* A column that is like a field is it; with this much likeness only values that it had before, or
 * the same forms and name, leave no doubt. */
#define LIKE_NOT          0.25
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

/* ---- known values -----------------------------------------------------------------------------
 *
 * A site that changes its layout mostly still shows some of what it showed. Where values that the
 * profile has as examples are on the new pages, they tell which list is the right one even when its
 * columns are others than before: its records hold them, and none holds two values of a field that
 * has one.
 *
 * Cost: text of the records times examples of the fields, of which there are few.
 */

/* All texts of a value, a line each. Depth is that of the schema. */
static bool gather(const th_value *value, th__buf *out)
{
    if (!value || value->kind == TH_VALUE_NULL)
        return true;
    if (value->kind == TH_VALUE_TEXT) {
        bool target = value->type->note == TH_NOTE_URL || value->type->note == TH_NOTE_IMAGE;
        return target ||
               (th__buf_add_str(out, th__value_text(value)) && th__buf_add_byte(out, '\n'));
    }
    for (uint32_t i = 0; i < value->count; i++)
        if (!gather(th__value_item(value, i), out))
            return false;
    return true;
}

static uint8_t *marks_of(uint8_t *marks, uint32_t field)
{
    return marks + (size_t)field * TH__EXAMPLES_MAX;
}

/* Which examples of a field a text has; gives how many. */
static uint32_t mark(const th__field_profile *field, th_str text, uint8_t *marks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < field->example_count; i++) {
        if (!th__telling(field->examples[i]) ||
            th__find_words(text, field->examples[i], 0) == SIZE_MAX)
            continue;
        marks[i] = 1;
        count++;
    }
    return count;
}

static uint8_t *new_marks(th_repair *repair)
{
    return th__arena_zero(&repair->arena, (size_t)repair->profile->count * TH__EXAMPLES_MAX + 1, 1);
}

th_status th__repair_look(th_repair *repair, th_error *err)
{
    th_text text = {0};
    th_status status = TH_OK;
    repair->on_pages = new_marks(repair);
    if (!repair->on_pages)
        return th__fail_memory(err);
    for (uint32_t i = 0; !status && i < repair->page_count; i++) {
        const th_page *page = repair->pages[i].page;
        status = th__repair_check(repair, err);
        if (!status)
            status = th_page_span_text(page, (th_span){0, (uint32_t)page->text.len}, &text, err);
        for (uint32_t f = 0; !status && f < repair->profile->count; f++)
            if (!repair->targets[f])
                mark(&repair->profile->fields[f], (th_str){text.ptr, text.len},
                     marks_of(repair->on_pages, f));
    }
    th_text_release(&text);
    return status;
}

/* Two values of such a field are two records'. */
static bool is_of_one(const th__field_profile *field)
{
    return th__is_varied(field) && !th__is_list_path(field->path);
}

/* What a tally has of the examples of a field, and how many values. */
static th__shown shown_by(const th_repair *repair, const th__tally *tally, uint32_t field,
                          uint64_t *values)
{
    const th__field_profile *own = &repair->profile->fields[field];
    const th__field_tally *now = th__tally_find(tally, own->path);
    *values = now ? now->values : 0;
    return now ? th__examples_shown(own, marks_of(repair->on_pages, field), now) : (th__shown){0};
}

bool th__repair_is_elsewhere(const th_repair *repair, uint32_t field)
{
    uint64_t values;
    th__shown shown = shown_by(repair, &repair->tally, field, &values);
    return values && is_of_one(&repair->profile->fields[field]) && th__is_elsewhere(shown);
}

/* Returns true if a column has nearly all values that a field had and that are on the pages,
 * several which differ, some of them with a sign more or less. */
static bool has_signs(const th_repair *repair, uint32_t field, const th__field_tally *now)
{
    enum { ENOUGH = 3 };
    th__shown shown =
        th__examples_shown(&repair->profile->fields[field], marks_of(repair->on_pages, field), now);
    return th__is_varied(&repair->profile->fields[field]) && shown.on_pages >= ENOUGH &&
           10 * shown.given >= 9 * shown.on_pages && shown.signs;
}

bool th__repair_knows_more(const th_repair *repair, const th__tally *now)
{
    enum { TELLING = 2, FIELDS = 2, TENTHS = 9 };
    double all = 0, had = 0, has = 0;
    uint32_t fields = 0;
    for (uint32_t f = 0; f < repair->profile->count; f++) {
        uint64_t before, after;
        th__shown old = shown_by(repair, &repair->tally, f, &before);
        th__shown own = shown_by(repair, now, f, &after);
        uint32_t on_pages = old.on_pages > own.on_pages ? old.on_pages : own.on_pages;
        double weight = th__field_weight(&repair->profile->fields[f], repair->targets[f]);
        if (on_pages < TELLING ? after < before : own.given < old.given)
            return false;
        fields += on_pages >= TELLING;
        all += weight * on_pages;
        had += weight * old.given;
        has += weight * own.given;
    }
    return fields >= FIELDS && has > had && 10 * has >= TENTHS * all;
}

/* Examples are from all over a sample: those of fields that every record has are of the same
 * records, in their order. Whether a field is such a one; the first is what others are held
 * against. */
static bool is_in_row(const th_repair *repair, uint32_t field, const th__field_profile **first)
{
    const th__field_profile *own = &repair->profile->fields[field];
    bool whole = !repair->targets[field] && is_of_one(own) && own->values == own->chances;
    if (whole && !*first)
        *first = own;
    return whole && own->values == (*first)->values && own->sampled == (*first)->sampled &&
           own->example_count == (*first)->example_count;
}

/* Pairs of examples of the same record among those that are marked. */
static uint32_t count_pairs(const th_repair *repair, const uint8_t *marks)
{
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < TH__EXAMPLES_MAX; i++) {
        const th__field_profile *first = NULL;
        uint32_t count = 0;
        for (uint32_t f = 0; f < repair->profile->count; f++)
            count += is_in_row(repair, f, &first) && marks[(size_t)f * TH__EXAMPLES_MAX + i];
        pairs += count ? count * (count - 1) / 2 : 0;
    }
    return pairs;
}

typedef struct known_search {
    uint8_t *in_records, *in_one;
    uint64_t hit, merged; /* records with a value of a field that has one; with several */
    uint64_t pairs;       /* of known values of a record in one record */
} known_search;

static void look_at_record(const th_repair *repair, th_str text, known_search *l)
{
    bool hit = false, merged = false;
    size_t size = (size_t)repair->profile->count * TH__EXAMPLES_MAX;
    memset(l->in_one, 0, size);
    for (uint32_t f = 0; f < repair->profile->count; f++) {
        const th__field_profile *field = &repair->profile->fields[f];
        if (repair->targets[f])
            continue;
        uint32_t found = mark(field, text, marks_of(l->in_one, f));
        hit = hit || (found && is_of_one(field));
        merged = merged || (found > 1 && is_of_one(field));
    }
    for (size_t i = 0; i < size; i++)
        l->in_records[i] |= l->in_one[i];
    l->hit += hit;
    l->merged += merged;
    l->pairs += hit ? count_pairs(repair, l->in_one) : 0;
}

th_status th__repair_known(th_repair *repair, const th__run *run, th__known *out, th_error *err)
{
    known_search l = {.in_records = new_marks(repair), .in_one = new_marks(repair)};
    th__buf text = {0};
    double there = 0, all = 0;
    th_status status = l.in_records && l.in_one ? TH_OK : th__fail_memory(err);
    *out = (th__known){0};
    for (uint32_t i = 0; !status && i < repair->page_count; i++) {
        const th_records *records = run->records[i];
        status = th__repair_check(repair, err);
        for (size_t j = 0; !status && j < th_records_count(records); j++) {
            th__buf_clear(&text);
            status = gather(th_records_get(records, j), &text) ? TH_OK : th__fail_memory(err);
            if (!status)
                look_at_record(repair, th__buf_str(&text), &l);
        }
    }
    th__buf_release(&text);
    for (uint32_t f = 0; !status && f < repair->profile->count; f++) {
        uint32_t own = 0, found = 0;
        for (uint32_t i = 0; i < TH__EXAMPLES_MAX; i++) {
            own += marks_of(repair->on_pages, f)[i];
            found += marks_of(repair->on_pages, f)[i] && marks_of(l.in_records, f)[i];
        }
        if (!th__is_varied(&repair->profile->fields[f]))
            continue;
        double weight = th__field_weight(&repair->profile->fields[f], false);
        out->fields += own > 1;
        out->values += own;
        there += weight * found;
        all += weight * own;
    }
    out->share = all > 0 ? there / all : 0;
    out->pure = l.hit ? 1 - (double)l.merged / (double)l.hit : 0;
    out->pairs = count_pairs(repair, repair->on_pages);
    out->together = out->pairs ? fmin(1, (double)l.pairs / out->pairs) : 0;
    return status;
}

/* ---- fields ------------------------------------------------------------------------------------
 */

const th_evidence *th__evidence_of(const th_verdict *verdict, th_str path)
{
    for (uint32_t i = 1; verdict && i < verdict->count; i++)
        if (th__same_path(verdict->evidence[i].path, path))
            return &verdict->evidence[i];
    return NULL;
}

/* A value of the field now: the first of its sample. */
static th_str example_of(th_repair *repair, const th__tally *tally, th_str path)
{
    const th__field_tally *field = th__tally_find(tally, path);
    return field && field->sample.len ? th__arena_copy(&repair->arena, field->sample.data[0].text)
                                      : (th_str){0};
}

bool th__proposal_has(const th__proposal *proposal, uint32_t field)
{
    return proposal->match.column[field] != TH__NO_COLUMN ||
           (proposal->parts && proposal->parts[field].count);
}

/* Returns true if a field has dates that are written otherwise than they were: that is no drift of
 * what the wrapper reads. */
static bool is_rewritten(const th_repair *repair, const th__proposal *proposal,
                         const th__tally *tally, uint32_t field)
{
    const th__field_profile *old = &repair->profile->fields[field];
    const th__field_tally *now = th__tally_find(tally, old->path);
    return now && now->values && proposal->match.likeness[field] < LIKE_BEYOND_DOUBT &&
           th__are_dates(old, now);
}

/* Returns true if a field of a template has the values that it had, with a sign before or behind
 * them: that is no drift either. */
static bool got_signs(const th_repair *repair, const th__proposal *proposal, const th__tally *tally,
                      uint32_t field)
{
    const th__field_tally *now = th__tally_find(tally, repair->profile->fields[field].path);
    return now && proposal->wrapper->engine->learn_corpus && has_signs(repair, field, now);
}

/* The profile without the fields that a proposal does not find. */
th_status th__repair_verify(th_repair *repair, const th__proposal *proposal, const th__tally *tally,
                            th_verdict **out, th_error *err)
{
    th__profile found = *repair->profile;
    found.count = 0;
    found.fields = th__arena_zero(&repair->arena, repair->profile->count + 1, sizeof *found.fields);
    if (!found.fields)
        return th__fail_memory(err);
    for (uint32_t i = 0; i < repair->profile->count; i++)
        if (th__proposal_has(proposal, i) && !is_rewritten(repair, proposal, tally, i) &&
            !got_signs(repair, proposal, tally, i))
            found.fields[found.count++] = repair->profile->fields[i];
    return th__verify(tally, &found, repair->alpha, false, out, err);
}

/* Returns true if most texts of a column are also another field's, in the same records, which the
 * two did not share before. */
static bool is_another(const th_repair *repair, const th__proposal *proposal,
                       const th__tally *tally, uint32_t field, const th__field_tally *own)
{
    enum { LOOKED = 64 };
    const th__field_profile *old = &repair->profile->fields[field];
    size_t n = own->sample.len < LOOKED ? own->sample.len : LOOKED;
    for (uint32_t g = 0; g < repair->profile->count; g++) {
        const th__field_profile *other = &repair->profile->fields[g];
        const th__field_tally *its = th__tally_find(tally, other->path);
        size_t same = 0;
        bool shared = g == field || !its || its == own || its->target != own->target ||
                      !th__proposal_has(proposal, g);
        for (uint32_t e = 0; !shared && e < old->example_count; e++)
            for (uint32_t i = 0; !shared && i < other->example_count; i++)
                shared = th__str_eq(old->examples[e], other->examples[i]);
        for (size_t i = 0; !shared && i < n; i++)
            for (size_t j = 0; j < its->sample.len && j < LOOKED; j++)
                if (own->sample.data[i].hash == its->sample.data[j].hash &&
                    own->sample.data[i].page == its->sample.data[j].page) {
                    same++;
                    break;
                }
        if (2 * same > n)
            return true;
    }
    return false;
}

/* Returns true if what a proposal gives for a broken field is something else: captions, one text
 * for all records where values differed, or another field; or, of labels, if one value in three is:
 * rules that the engine could not learn from the right places. */
static bool is_foreign(const th_repair *repair, const th__proposal *proposal,
                       const th__tally *tally, uint32_t field)
{
    enum { FEW = 3 };
    const th__field_profile *old = &repair->profile->fields[field];
    const th__field_tally *own = th__tally_find(tally, old->path);
    size_t n = own ? own->sample.len : 0, labels = 0, same = 0, were = 0, unlike = 0;
    if (!repair->broken[field] || repair->targets[field] || n < FEW || old->sampled < FEW)
        return false;
    for (size_t i = 0; i < n; i++) {
        labels += th__is_label(own->sample.data[i].text);
        same += own->sample.data[i].hash == own->sample.data[0].hash;
        unlike += th__value_likeness(old, &own->sample.data[i]) < LIKE_NOT;
    }
    for (uint32_t e = 0; e < old->example_count; e++)
        were += th__is_label(old->examples[e]);
    return (2 * labels > n && 2 * were <= old->example_count) ||
           (same == n && th__is_varied(old)) ||
           (repair->wrapper->engine->needs_labels && 3 * unlike > n) ||
           is_another(repair, proposal, tally, field, own);
}

/* Returns true if a proposal has a field: matched, and not to be told from what it was. A profile
 * of one or two pages is no judge of single fields: then likeness is enough. */
static bool has_field(const th_repair *repair, const th__proposal *proposal, uint32_t field)
{
    const th_evidence *e = th__evidence_of(repair->after, repair->profile->fields[field].path);
    if (!th__proposal_has(proposal, field) || !e || repair->foreign[field])
        return false;
    return !e->drift ||
           (repair->profile->pages < 3 && proposal->match.likeness[field] >= LIKE_ENOUGH);
}

/* Returns true if the old wrapper gives values of a field that is not broken, and they are like it:
 * one that the pages have no more is nothing to lose, and few old values tell little of what became
 * of them: where they are twice as many, they are others. */
static bool is_given(const th_repair *repair, uint32_t field)
{
    const th__field_profile *old = &repair->profile->fields[field];
    const th__field_tally *now = th__tally_find(&repair->tally, old->path);
    return now && now->values && now->values * old->chances <= 2 * old->values * now->chances &&
           th__likeness(old, repair->targets[field], now) >= LIKE_SOMEWHAT;
}

/* Returns true if a list is another one than that of the wrapper: little of what was broken is
 * found, and the columns are hardly like the fields. */
static bool is_other_list(const th_repair *repair, const th__proposal *proposal, double found,
                          bool known)
{
    known = known || (proposal->known.values && proposal->known.share > 0);
    return th__finds_lists(repair->wrapper->engine) &&
           found + proposal->score < (known ? SAME_LIST_KNOWN : SAME_LIST);
}

/* Returns true if records are whole: where all of them had a field, such a one is in most of them
 * again. A list that has none of these in two records of three is cut inside records. */
bool th__repair_is_whole(const th_repair *repair, const th__proposal *proposal,
                         const th__tally *tally)
{
    bool always = false;
    for (uint32_t i = 0; i < repair->profile->count; i++) {
        const th__field_profile *old = &repair->profile->fields[i];
        const th__field_tally *now = th__tally_find(tally, old->path);
        if (!th__proposal_has(proposal, i) || !now || th__is_list_path(now->path) ||
            (double)old->values < ALWAYS * (double)old->chances)
            continue;
        always = true;
        if ((double)now->values >= MOSTLY * (double)tally->records)
            return true;
    }
    return !always;
}

/* What became of each field, and whether it is good enough. */
th_status th__repair_weigh(th_repair *repair, const th__proposal *proposal, const th__tally *tally,
                           bool *good, th_error *err)
{
    uint32_t count = repair->profile->count;
    double broken = 0, mended = 0;
    bool sure = false, known = false;
    th_field_repair *fields = th__arena_zero(&repair->arena, count + 1, sizeof *fields);
    if (!fields)
        return th__fail_memory(err);
    *good = !repair->after->drift && th__repair_is_whole(repair, proposal, tally);
    for (uint32_t i = 0; i < count; i++) {
        const th__field_profile *field = &repair->profile->fields[i];
        repair->foreign[i] =
            th__proposal_has(proposal, i) && is_foreign(repair, proposal, tally, i);
        *good = *good && !repair->foreign[i];
        bool found = has_field(repair, proposal, i);
        double weight = th__field_weight(field, repair->targets[i]);
        fields[i] = (th_field_repair){.path = field->path,
                                      .outcome = !field->values      ? TH_FIELD_KEPT
                                                 : !found            ? TH_FIELD_LOST
                                                 : repair->broken[i] ? TH_FIELD_REPAIRED
                                                                     : TH_FIELD_KEPT,
                                      .likeness = proposal->match.likeness[i]};
        if (found)
            fields[i].example = example_of(repair, tally, field->path);
        sure = sure ||
               (found && !repair->targets[i] && proposal->match.likeness[i] >= LIKE_BEYOND_DOUBT);
        /* A word that all records had may be anywhere. */
        known = known || (found && !repair->targets[i] && weight >= TH__WEIGHT_TO_MISS &&
                          th__is_varied(field) && proposal->match.likeness[i] >= LIKE_KNOWN);
        if (repair->broken[i]) {
            broken += weight;
            mended += found ? weight : 0;
        } else if (!found && weight >= TH__WEIGHT_TO_MISS && is_given(repair, i)) {
            *good = false;
        }
    }
    const th__known *k = &proposal->known;
    known =
        known || (k->fields && k->share * k->pure >= KNOWN_SHARE && proposal->count >= KNOWN_COUNT);
    *good = *good && (known || (sure && 3 * mended >= broken)) && mended > 0 &&
            !is_other_list(repair, proposal, mended / fmax(broken, mended), known);
    repair->fields = fields;
    repair->field_count = count;
    return TH_OK;
}
