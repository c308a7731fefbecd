/*
 * verify.c: has the site changed? The records of new pages against the profile of the old ones.
 *
 * The paper compares the distribution of DataPro's patterns and calls every significant difference
 * a change: 35 of 37 changes were found, with 40 false alarms in 406 comparisons without a change.
 * False alarms have a cause: values of one page resemble each other (results of one query, offers
 * of one week), so that tests which take them for independent find chance differences significant.
 * Changes that matter are large as well: a field is empty, dates stand where names stood. So
 * evidence counts only when it is both, significant (after correction for the number of tests and,
 * by Holm's method, of fields) and large:
 *
 *     missing    values are missing where they were hardly ever missing: binomial
 *     begin,end  values begin or end otherwise (shapes, see profile_learn.c): chi-square, Fisher
 *     length     values are much longer or shorter: normal tail
 *     words      values have none of the words any more that DataPro learnt: Fisher, by pages
 *     repeated   values that used to differ are all the same: their old share
 *     records    pages without any: binomial
 *     moved      rules do not find the field, its looks do: fields_adapt.h
 *     agreement  rules that find a field in several ways agree no more: Fisher
 *     left       a page gives far less, and what records are made of stands outside of them
 *     flooded    records have many times as many texts in a list as before: binomial
 *
 * Each threshold of size is a named constant with its reason. verify_tests.c has the tests of
 * single fields.
 *
 * Most fields of most pages are as they were, and nobody reads what is to be seen of them. So a
 * field is asked first whether it may speak at all, for which few of its tests are made, and few of
 * its values read; the rest is worked out where one may, or where somebody reads the evidence.
 */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/stats.h"
#include "check/match.h"
#include "check/strays.h"
#include "check/verdict.h"
#include "check/verify_tests.h"

/* A page in three without records where there was hardly ever one. */
#define EMPTY_SHARE 0.34

/* Hardly any record on any of several pages, where so many pages had so many times as many each:
 * the last page of a list may be short, but not all are last pages. */
enum { FEW_PAGES = 3, FEW_PART = 8 };

/* Records of a list are the same ones, as far as numbers tell: from half as many a page to twice as
 * many; and they are whole when nine tenths of their share of the pages' text is still in them. */
#define LIST_PART 0.5
#define WHOLE     0.9
/* Of as much text: what lengths of single values leave uncertain. */
#define TEXT_PART 0.75

/* So many times the texts that a record had, and one more. */
#define FLOOD 8
/* A field that is dropped has a neighbour on either side. */
#define NEIGHBOURS 2

/* Of the many things on a page, lists of other pages and remarks among them, some come and go
 * together and look like drift, each for itself: one in so many is not the page. */
enum { PLACES = 15 };

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

/* ---- tests of all records -------------------------------------------------------------------- */

static void test_records(const th__profile *old, const th__tally *now, th__finding *out)
{
    bool few = now->pages > 1 && old->pages >= FEW_PAGES && FEW_PART * now->most <= old->least;
    bool large = few || share(now->empty_pages, now->pages) >= EMPTY_SHARE;
    double p = 1;
    /* Nothing on most pages where there was always something speaks for itself, on one page too. */
    if (few || (2 * now->empty_pages > now->pages && !old->empty_pages))
        p = 0;
    else if (large)
        p = th__binomial_upper(now->empty_pages, now->pages,
                               (double)(old->empty_pages + 1) / ((double)old->pages + 2));
    th__found(out, "records", p, large,
              "%llu records; %llu of %llu pages have none, and %llu of %llu had none before",
              (unsigned long long)now->records, (unsigned long long)now->empty_pages,
              (unsigned long long)now->pages, (unsigned long long)old->empty_pages,
              (unsigned long long)old->pages);
}

/* A page gives much less than pages did, and what records are made of stands there as often
 * outside of them: those of another kind are not found. */
static void test_left(const th__tally *now, th__finding *out)
{
    uint64_t left = th__left_out(now);
    if (left)
        th__found(out, "left", 0, true,
                  "pages give much less than they did, and texts like those of %llu records are "
                  "outside of all records",
                  (unsigned long long)left);
}

/* Values of a list in records that hold several of the old ones, or much besides them. A page that
 * is one record is no other for its lists: some are long. */
static void test_flooded(const th__profile *old, const th__tally *now, th__finding *out)
{
    bool lists = old->records > old->pages && now->records;
    for (uint32_t i = 0; i < now->count && lists; i++) {
        const th__field_tally *field = &now->fields[i];
        const th__field_profile *was =
            th__is_list_path(field->path) ? th__known_field(now, i, old) : NULL;
        if (!was || was->values > TH__STATS_MAX_COUNT / 2)
            continue;
        double before = share(was->values, old->records),
               after = share(field->values, now->records);
        if (after < FLOOD * (before + 1))
            continue;
        double p = th__binomial_upper(field->values, was->values + field->values,
                                      share(now->records, now->records + old->records));
        if (out->large && p >= out->p)
            continue;
        th__found(out, "flooded", p, true,
                  "a record has %.0f texts in %.*s on the average, and had %.1f before", after,
                  TH_STR_ARG(field->path), before);
    }
}

static void test_all(const th_verdict *verdict, th__finding *out)
{
    test_records(verdict->profile, &verdict->tally, out);
    if (!out->large)
        test_flooded(verdict->profile, &verdict->tally, out);
    if (!out->large)
        test_left(&verdict->tally, out);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static double mean_explained(const th__tally *tally)
{
    return tally->explained_pages ? tally->explained / (double)tally->explained_pages : 0;
}

/* The list that a field is in, or the field: what comes and goes as one. */
static th_str place_of(th_str path)
{
    size_t at = th__str_find(path, TH_STR("[]."));
    return at == SIZE_MAX ? path : (th_str){path.ptr, at};
}

/* Whether the fields that drift are enough for a verdict. Fields that only some records have come
 * and go; a profile of one or two pages may hold for a field what is of those pages alone, so that
 * then several fields have to agree; and where there are very many, so have some of them. */
static bool enough_fields(const th_verdict *verdict)
{
    const th__profile *profile = verdict->profile;
    uint64_t core = 0, drifting = 0, places = 0, drifting_places = 0;
    th_str place = {0};
    bool counted = false; /* the place at hand, among those that drift */
    for (uint32_t i = 0; i < verdict->tally.count; i++) {
        const th__field_profile *old = th__known_field(&verdict->tally, i, profile);
        if (!old || 2 * old->values < old->chances)
            continue;
        th_str own = place_of(verdict->tally.fields[i].path);
        bool drift = th__is_drift(verdict, i + 1), same = place.ptr && th__str_eq(own, place);
        core++;
        drifting += drift;
        places += !same;
        counted = counted && same;
        drifting_places += drift && !counted;
        counted = counted || drift;
        place = own;
    }
    return drifting && drifting * (profile->pages + 1) >= (profile->pages < 3 ? core : 0) &&
           PLACES * drifting_places >= places;
}

static bool is_usual(const th__field_profile *old, const th__field_tally *now)
{
    return old && !now->target && 2 * old->values >= old->chances;
}

/* Whether these are lists of about as many records a page as before. */
static bool is_same_list(const th__profile *old, const th__tally *now)
{
    double before = share(old->records, old->pages), after = share(now->records, now->pages);
    return before >= 2 && after >= LIST_PART * before && LIST_PART * after <= before;
}

/* Whether a record has about as much text as before, by the mean lengths of its fields. */
static bool has_same_text(const th__profile *old, const th__tally *now)
{
    double before = 0, after = 0;
    for (uint32_t i = 0; i < now->count; i++) {
        const th__field_tally *field = &now->fields[i];
        const th__field_profile *was = th__known_field(now, i, old);
        if (!was || field->target)
            continue;
        before += expm1(was->length) * (double)was->values;
        after += expm1(th__mean_length(now, i)) * (double)field->values;
    }
    before /= (double)(old->records ? old->records : 1);
    after /= (double)(now->records ? now->records : 1);
    return after >= TEXT_PART * before && TEXT_PART * after <= before;
}

/* Lines that are joined or parted otherwise: the records of a list are still whole when they have
 * as much text, and as much of the pages' text, as before, no usual field is missing that is still
 * on the pages, and each that differs begins or ends as it did. Its parts are in other columns. */
static void allow_parts(const th__profile *profile, const th__tally *tally, double alpha,
                        th__finding *findings)
{
    bool whole = is_same_list(profile, tally) &&
                 mean_explained(tally) >= WHOLE * profile->explained &&
                 has_same_text(profile, tally);
    for (uint32_t i = 0; i < tally->count && whole; i++) {
        const th__finding *f = &findings[i + 1];
        whole = !f->large || f->mild || f->part || f->p > alpha ||
                !is_usual(th__known_field(tally, i, profile), &tally->fields[i]);
    }
    for (uint32_t i = 1; i <= tally->count && whole; i++)
        if (findings[i].part)
            findings[i].mild = findings[i].whole = true;
}

/* Whether a field that tells records apart is as it was. */
static bool has_known_field(const th__profile *profile, const th__tally *tally,
                            const th__finding *findings)
{
    for (uint32_t i = 0; i < tally->count; i++) {
        const th__field_profile *old = th__known_field(tally, i, profile);
        if (is_usual(old, &tally->fields[i]) && 2 * old->distinct > old->sampled &&
            tally->fields[i].values && !findings[i + 1].large)
            return true;
    }
    return false;
}

/* Whether hardly any of the values that a field could have is there. */
static bool is_none(const th__field_tally *field)
{
    enum { HARDLY = 20 }; /* one in so many */
    return HARDLY * field->values < field->chances;
}

/* Pages without most of their usual fields are others, whatever became of these, but for lists with
 * as many records that have a field that tells them apart; and where fields have changed that are
 * still there, those that are missing have not just been dropped. Nor have they where rules
 * disagree on others, but for neighbours: one of the rules of these ends at the field that is not
 * there any more. */
static void limit_gone(const th__profile *profile, const th__tally *tally, double alpha,
                       th__finding *findings)
{
    uint32_t core = 0, gone = 0, apart = 0;
    bool others = false;
    for (uint32_t i = 0; i < tally->count; i++) {
        const th__field_profile *old = th__known_field(tally, i, profile);
        const th__finding *f = &findings[i + 1];
        if (!is_usual(old, &tally->fields[i]))
            continue;
        bool there = f->large && f->p <= alpha && tally->fields[i].values;
        others |= there && !f->mild;
        apart += there && f->mild && !strcmp(f->test, "agreement");
        core++;
        gone += f->mild && is_none(&tally->fields[i]);
    }
    /* Nor there where fields were named, and looked for inside of texts: rules of several fields
     * end where records do. */
    others |= apart > NEIGHBOURS * gone && !(tally->named && is_same_list(profile, tally));
    if (2 * gone > core && !others)
        others = !is_same_list(profile, tally) || !has_known_field(profile, tally, findings);
    for (uint32_t i = 0; i < tally->count && others; i++)
        findings[i + 1].mild &= !is_none(&tally->fields[i]);
}

/* Corrects for the number of fields; those of which nothing is known are not tested and do not
 * count. What is not large is no evidence, whatever its chance. */
static bool correct(th__finding *findings, uint32_t count)
{
    uint32_t n = 0, large = 0;
    for (uint32_t i = 0; i < count; i++) {
        findings[i].p = findings[i].large ? findings[i].p : 1;
        large += findings[i].large;
    }
    double *p = large ? TH__NEW_ARRAY(double, count) : NULL;
    if (!p)
        return !large;
    for (uint32_t i = 0; i < count; i++)
        if (!findings[i].none)
            p[n++] = findings[i].p;
    bool ok = th__adjust_holm(p, n);
    n = 0;
    for (uint32_t i = 0; ok && i < count; i++)
        if (!findings[i].none)
            findings[i].p = p[n++];
    th__mem_free(p);
    return ok;
}

/* Tests what finding number i is about, all records or a field, for what is asked. */
static bool test(th_verdict *verdict, uint32_t i, th__finding *f)
{
    const th__tally *tally = &verdict->tally;
    th__seen seen;
    if (!i) {
        test_all(verdict, f);
        return true;
    }
    const th__field_profile *old = th__known_field(tally, i - 1, verdict->profile);
    f->none = !old || !old->values || !tally->fields[i - 1].chances;
    if (f->none) {
        th__found(f, "none", 1, false, "%s",
                  !old           ? "is not in the profile"
                  : !old->values ? "had no values before"
                                 : "there are no records to look at");
        return true;
    }
    if (!th__see_field(tally, i - 1, verdict->profile, old, &verdict->arena,
                       &verdict->glances[i - 1], &seen))
        return false;
    /* Most fields have nothing to tell. */
    if (f->asked == TH__ASK_WORDS || th__field_may_speak(&seen, 1))
        th__test_field(&seen, f);
    return true;
}

/* Works out what all findings are worth beside each other. */
static bool settle(th_verdict *verdict)
{
    const th__tally *tally = &verdict->tally;
    verdict->findings = th__arena_zero(&verdict->arena, verdict->count, sizeof *verdict->findings);
    for (uint32_t i = 0; verdict->findings && i < verdict->count; i++) {
        verdict->findings[i].asked = TH__ASK_CHANCE;
        if (!test(verdict, i, &verdict->findings[i]))
            return false;
    }
    if (!verdict->findings)
        return false;
    allow_parts(verdict->profile, tally, verdict->alpha, verdict->findings);
    limit_gone(verdict->profile, tally, verdict->alpha, verdict->findings);
    verdict->settled = correct(verdict->findings, verdict->count);
    return verdict->settled;
}

/* Whether a field has had one place for a value so far: of 5 tests of a single value none finds
 * what chance would not do one time in 50. */
static bool is_hopeless(const th__field_tally *now, double bar)
{
    return bar < 5.0 / (TH__TALLY_FEW + 1) && now->chances == 1 && now->few && !now->told &&
           !now->by_looks;
}

/* Whether a finding of a light tally may speak once all are corrected for their number: by Holm's
 * method none does unless the least likely would even after multiplication with it. False without
 * memory. */
static bool may_speak(th_verdict *verdict, bool *out)
{
    const th__tally *tally = &verdict->tally;
    th__finding all = {.asked = TH__ASK_CHANCE};
    uint32_t compared = 1;
    test_all(verdict, &all);
    for (uint32_t i = 0; i < tally->count; i++)
        compared += tally->fields[i].compared && tally->fields[i].chances;
    double bar = verdict->alpha / compared;
    *out = all.large && all.p <= bar;
    for (uint32_t i = 0; i < tally->count && !*out; i++) {
        const th__field_tally *now = &tally->fields[i];
        th__seen seen;
        if (!now->compared || !now->chances || is_hopeless(now, bar))
            continue;
        if (!th__see_field(tally, i, verdict->profile, now->known, &verdict->arena,
                           &verdict->glances[i], &seen))
            return false;
        *out = th__field_may_speak(&seen, bar);
    }
    return true;
}

static bool judge(th_verdict *verdict)
{
    bool any = true;
    if (verdict->tally.light && !may_speak(verdict, &any))
        return false;
    if (!any)
        return true;
    if (!settle(verdict))
        return false;
    verdict->drift = th__is_drift(verdict, 0) || enough_fields(verdict);
    for (uint32_t i = 0; i < verdict->count; i++)
        verdict->changed |= th__speaks(verdict, i);
    return true;
}

static bool give_examples(th_verdict *verdict, uint32_t field, th_evidence *out)
{
    enum { MOST = 3 };
    const th__field_tally *now = &verdict->tally.fields[field];
    bool light = verdict->tally.light;
    size_t n = light ? now->glance_count : now->sample.len, count = n < MOST ? n : MOST;
    th_str *examples = th__arena_zero(&verdict->arena, count + 1, sizeof *examples);
    if (!examples)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t at = i * n / count;
        examples[i] = th__arena_copy(&verdict->arena,
                                     light ? now->glances[at].text : now->sample.data[at].text);
        if (!examples[i].ptr)
            return false;
    }
    out->examples = examples;
    out->example_count = (uint32_t)count;
    return true;
}

bool th__verdict_tell(th_verdict *verdict, uint32_t i)
{
    th__finding told = {.asked = TH__ASK_WORDS};
    if (!verdict->settled && !settle(verdict))
        return false;
    if (!verdict->evidence)
        verdict->evidence =
            th__arena_zero(&verdict->arena, verdict->count, sizeof *verdict->evidence);
    if (!verdict->evidence)
        return false;
    const th__finding *f = &verdict->findings[i];
    th_evidence *out = &verdict->evidence[i];
    if (out->words.ptr)
        return true;
    told.words = th__arena_zero(&verdict->arena, TH__WORDS_ROOM, 1);
    if (!told.words || !test(verdict, i, &told))
        return false;
    if (f->whole)
        th__tell_more(&told, "; the records have as much text as before");
    if (i) {
        out->path = th__arena_copy(&verdict->arena, verdict->tally.fields[i - 1].path);
        if (!out->path.ptr || !give_examples(verdict, i - 1, out))
            return false;
    }
    out->test = told.test;
    out->p = f->large ? f->p : 1;
    out->drift = th__is_drift(verdict, i);
    out->changed = th__speaks(verdict, i) && f->mild;
    out->words = th_str_from(told.words);
    return true;
}

static th_verdict *new_verdict(const th__tally *tally, const th__profile *profile, double alpha)
{
    th_verdict *verdict = TH__NEW(th_verdict);
    if (!verdict)
        return NULL;
    th__arena_init(&verdict->arena);
    verdict->tally = *tally;
    verdict->profile = profile;
    verdict->alpha = alpha;
    verdict->explained = mean_explained(tally);
    verdict->explained_before = profile->explained;
    verdict->count = tally->count + 1;
    verdict->glances = th__arena_zero(&verdict->arena, verdict->count, sizeof *verdict->glances);
    if (verdict->glances && judge(verdict))
        return verdict;
    th_verdict_free(verdict);
    return NULL;
}

th_status th__verify(const th__tally *tally, const th__profile *profile, double alpha,
                     th_verdict **out, th_error *err)
{
    *out = new_verdict(tally, profile, alpha);
    if (*out && th__verdict_tell_all(*out))
        return TH_OK;
    th_verdict_free(*out);
    *out = NULL;
    return th__fail_memory(err);
}

th_status th_check_verdict(const th_check *check, double alpha, th_verdict **out, th_error *err)
{
    const th__profile *profile =
        check->tally.light ? check->tally.profile : check->wrapper->profile;
    *out = NULL;
    if (!profile)
        return th__fail(err, TH_ERR_ARGUMENT, "the wrapper " TH__NO_PROFILE);
    if (!check->tally.pages)
        return th__fail(err, TH_ERR_ARGUMENT, "there are no pages to verify the wrapper on");
    if (!(alpha >= 0 && alpha < 1))
        return th__fail(err, TH_ERR_ARGUMENT, "alpha is a probability: from 0 to 1");
    alpha = alpha > 0 ? alpha : TH_ALPHA;
    /* The samples of a thorough check change with the next page. */
    if (!check->tally.light)
        return th__verify(&check->tally, profile, alpha, out, err);
    *out = new_verdict(&check->tally, profile, alpha);
    if (!*out)
        return th__fail_memory(err);
    (*out)->check = th__check_hold(check);
    return TH_OK;
}
