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
 *     repeated   values that used to differ are all the same: their old share
 *     records    pages without any: binomial
 *     moved      rules do not find the field, its looks do: fields_adapt.h
 *     agreement  rules that find a field in several ways agree no more: Fisher
 *     left       a page has far fewer records, and what they are made of stands outside of them
 *     flooded    records have many times as many texts in a list as before: binomial
 *
 * Each threshold of size is a named constant with its reason.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/stats.h"
#include "check/match.h"
#include "check/strays.h"
#include "check/verdict.h"

/* A field that was there in a share of its places has to fall below this part of that share. */
#define MISSING_PART 0.35
/* Below this part of it the values that are there are looked at, too: those that are less like the
 * old ones than this do not count. */
#define MANY_PART 0.7
#define UNLIKE    0.3
/* Most of all values have to have changed their shape. */
#define SHAPE_DISTANCE 0.7
/* Twice as long or half as long on the average (ln 2), and two deviations of single values. */
#define LENGTH_DISTANCE   0.7
#define LENGTH_DEVIATIONS 2.0
#define USUAL_SD          0.5
/* As good as the same: half of the above. */
#define LENGTH_SAME 0.35
/* The part of their common words that values have to keep: a third when that is two words or more,
 * and they are about as long as before. */
#define HALF  0.5
#define THIRD 0.33
/* Rules that agreed on nearly all values have to disagree on half of them. */
#define AGREEMENT_FALL 0.5
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

enum { WORDS = 400 };

typedef struct finding {
    bool told; /* words are wanted, and p is known */
    const char *test;
    double p;
    bool large;
    bool mild; /* the records are right for all that is known */
    bool part; /* values begin or end as they did, but do not do both: a part is gone or new */
    char words[WORDS];
} finding;

static void TH_PRINTF(5, 6)
    found(finding *out, const char *test, double p, bool large, const char *format, ...)
{
    va_list args;
    out->test = test;
    out->p = isnan(p) ? 1 : p;
    out->large = large;
    out->mild = out->part = false;
    out->words[0] = '\0';
    if (!out->told)
        return;
    va_start(args, format);
    vsnprintf(out->words, sizeof out->words, format, args);
    va_end(args);
}

static void tell_more(finding *out, const char *words)
{
    size_t len = strlen(out->words);
    snprintf(out->words + len, sizeof out->words - len, "%s", words);
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

/* For words: printing a whole number costs a tenth of printing a fraction. */
static long percent(double part)
{
    return lrint(100 * part);
}

/* ---- tests of a field ------------------------------------------------------------------------ */

/* How many values are there and are like those of before, as far as they were looked at. */
static uint64_t like_before(const th__field_profile *old, const th__field_tally *now)
{
    size_t n = now->sample.len, like = 0;
    for (size_t i = 0; i < n; i++)
        like += th__value_likeness(old, &now->sample.data[i]) >= UNLIKE;
    return n ? now->values * like / n : now->values;
}

static void test_missing(const th__field_profile *old, const th__field_tally *now, finding *out)
{
    uint64_t values = old->values < old->chances ? old->values : old->chances, there = now->values;
    double before = share(values, old->chances), after = share(there, now->chances);
    /* Where many are missing, what is there may be something else. */
    if (after < MANY_PART * before && !now->target)
        there = like_before(old, now);
    /* Jeffreys' estimate of how often it is there; one page in twenty may lack anything. */
    double usual = fmin(0.95, ((double)values + 0.5) / ((double)old->chances + 1));
    double p = out->told ? out->p : th__binomial_lower(there, now->chances, usual);
    found(out, "missing", p, now->chances && share(there, now->chances) < MISSING_PART * before,
          "%llu of %llu values are there (%ld%%), and %ld%% were before",
          (unsigned long long)now->values, (unsigned long long)now->chances, percent(after),
          percent(before));
    out->mild = th__is_gone(old, now);
    if (out->told && out->large && there < now->values)
        tell_more(out, "; most of these are not like those before");
    if (out->told && out->large && now->looked)
        tell_more(out, out->mild ? "; nothing where the records are looks like them"
                                 : "; texts that look like them are still there");
}

/* Counts of the shapes, those that none has last. */
typedef struct bins {
    uint64_t old[TH__FORMS_MAX + 1], now[TH__FORMS_MAX + 1];
    size_t count;
} bins;

static void count_shapes(const th__field_profile *old, const th__field_tally *now, int end,
                         bins *out)
{
    const th__forms *shapes = &old->shapes[end];
    uint64_t left = old->sampled;
    *out = (bins){.count = shapes->count + 1};
    for (uint32_t i = 0; i < shapes->count; i++) {
        out->old[i] = shapes->data[i].count < left ? shapes->data[i].count : left;
        left -= out->old[i];
    }
    out->old[shapes->count] = left;
    for (size_t i = 0; i < now->sample.len; i++)
        out->now[th__shape_of(shapes, &now->sample.data[i].value, end)]++;
}

/* Puts bins together, rarest first, until the expected counts of all are at least 5 or two bins are
 * left. Bins are few: the square of their number is no cost. */
static void pool_bins(bins *b, double now_share)
{
    while (b->count > 2) {
        size_t least = 0, second = 1;
        for (size_t i = 0; i < b->count; i++) {
            uint64_t sum = b->old[i] + b->now[i];
            if (sum < b->old[least] + b->now[least]) {
                second = least;
                least = i;
            } else if (i != least && (second == least || sum < b->old[second] + b->now[second])) {
                second = i;
            }
        }
        double smaller = now_share < 0.5 ? now_share : 1 - now_share;
        if ((double)(b->old[least] + b->now[least]) * smaller >= 5)
            return;
        b->old[second] += b->old[least];
        b->now[second] += b->now[least];
        b->count--;
        b->old[least] = b->old[b->count];
        b->now[least] = b->now[b->count];
    }
}

static double distance(const bins *b, uint64_t old, uint64_t now)
{
    double sum = 0;
    for (size_t i = 0; i < b->count; i++)
        sum += fabs(share(b->old[i], old) - share(b->now[i], now));
    return sum / 2;
}

/* The shape that most of the old values have, as words. */
static void name_shape(const th__field_profile *old, int end, th__buf *out)
{
    const th__forms *patterns = &old->patterns[end];
    if (patterns->count)
        th__form_print(&patterns->data[0], end == TH__END, out);
}

static double mean_length(const th__field_tally *now)
{
    double sum = 0;
    for (size_t i = 0; i < now->sample.len; i++)
        sum += now->sample.data[i].length;
    return now->sample.len ? sum / (double)now->sample.len : 0;
}

static void test_shapes_of(const th__field_profile *old, const th__field_tally *now, int end,
                           finding *out)
{
    bins b;
    th__buf common = {0};
    uint64_t n = now->sample.len;
    const char *test = end == TH__START ? "begin" : "end";
    count_shapes(old, now, end, &b);
    double apart = distance(&b, old->sampled, n);
    double kept = share(n - b.now[b.count - 1], n),
           was = 1 - share(b.old[b.count - 1], old->sampled);
    bool compared = b.count > 1 && n && old->sampled;
    pool_bins(&b, share(n, n + old->sampled));
    double p = out->told      ? out->p
               : !compared    ? 1
               : b.count == 2 ? th__fisher(b.old[0], b.old[1], b.now[0], b.now[1])
                              : th__chi_square_homogeneity(b.old, b.now, b.count);
    if (out->told)
        name_shape(old, end, &common);
    found(out, test, p, compared && apart >= SHAPE_DISTANCE,
          "%ld%% of the values %s in a known way, and %ld%% did before (often \"%.*s\"); the "
          "distributions are %ld%% apart",
          percent(kept), test, percent(was), TH_STR_ARG(th__buf_str(&common)), percent(apart));
    th__buf_release(&common);
}

static void test_begin(const th__field_profile *old, const th__field_tally *now, finding *out)
{
    test_shapes_of(old, now, TH__START, out);
}

static void test_end(const th__field_profile *old, const th__field_tally *now, finding *out)
{
    test_shapes_of(old, now, TH__END, out);
}

static void test_length(const th__field_profile *old, const th__field_tally *now, finding *out)
{
    size_t n = now->sample.len;
    double mean = mean_length(now), apart = fabs(mean - old->length);
    /* Few values tell little of how much lengths differ: the usual deviation of texts stands in
     * for four more. */
    double seen = (double)old->sampled;
    double sd =
        sqrt((seen * old->length_sd * old->length_sd + 4 * USUAL_SD * USUAL_SD) / (seen + 4));
    double error = n && old->sampled ? sd * sqrt(1 / (double)n + 1 / (double)old->sampled) : 1;
    bool compared = n > 1 && old->sampled > 1;
    found(out, "length", compared ? erfc(apart / error / sqrt(2)) : 1,
          compared && apart >= LENGTH_DISTANCE && apart >= LENGTH_DEVIATIONS * sd,
          "values have about %ld bytes, and had %ld before", lrint(expm1(mean)),
          lrint(expm1(old->length)));
}

static void test_repeated(const th__field_profile *old, const th__field_tally *now, finding *out)
{
    size_t n = now->sample.len, same = n > 0;
    while (same < n && now->sample.data[same].hash == now->sample.data[0].hash)
        same++;
    /* The most that one value can have had of the old ones. */
    double most = share(old->sampled - old->distinct + 1, old->sampled);
    bool compared = n > 1 && same == n && old->sampled > 1 && old->distinct <= old->sampled;
    found(out, "repeated", compared ? pow(most, (double)(n - 1)) : 1, compared && most <= 0.5,
          "all %zu values looked at are the same, and %llu of %llu differed before", n,
          (unsigned long long)old->distinct, (unsigned long long)old->sampled);
}

/* ---- words that stay ---- */

typedef struct kept_words {
    const uint64_t *hashes;
    bool seen[TH__WORDS_MAX];
    uint32_t count, found;
} kept_words;

static void see_word(void *context, th_str word, uint64_t hash)
{
    kept_words *k = context;
    (void)word;
    for (uint32_t i = 0; i < k->count; i++)
        if (k->hashes[i] == hash && !k->seen[i]) {
            k->seen[i] = true;
            k->found++;
        }
}

/* Whether values still have most of the words that most of them had: a line of several parts that
 * stand in another order, or are fewer, is still that line. One that is longer has taken in
 * something else. */
static bool keeps_words(const th__field_profile *old, const th__field_tally *now)
{
    uint64_t hashes[TH__WORDS_MAX];
    size_t n = now->sample.len, found = 0;
    uint32_t count = old->word_count < TH__WORDS_MAX ? old->word_count : TH__WORDS_MAX;
    for (uint32_t i = 0; i < count; i++)
        hashes[i] = th__hash(old->words[i].ptr, old->words[i].len) | 1;
    for (size_t i = 0; i < n; i++) {
        kept_words k = {.hashes = hashes, .count = count};
        th__words_of(now->sample.data[i].text, see_word, &k);
        found += k.found;
    }
    bool several = found >= 2 * n && mean_length(now) >= old->length - LENGTH_DISTANCE;
    return n && count && mean_length(now) <= old->length + LENGTH_SAME &&
           (double)found >= (several ? THIRD : HALF) * (double)count * (double)n;
}

/* Whether at least half of the values still begin, or still end, as they did, and are longer or
 * shorter: a line that lost or got a part has kept the other. */
static bool keeps_part(const th__field_profile *old, const th__field_tally *now)
{
    bool kept = false;
    if (fabs(mean_length(now) - old->length) < LENGTH_SAME)
        return false;
    for (int end = 0; end < 2 && !kept; end++) {
        bins b;
        count_shapes(old, now, end, &b);
        kept = distance(&b, old->sampled, now->sample.len) <= HALF;
    }
    return kept;
}

typedef void (*field_test)(const th__field_profile *old, const th__field_tally *now, finding *out);

/* The first two are all there is to say about targets of links, which are made of names and numbers
 * as they come, and about fields without values. */
static const field_test tests[] = {test_missing, test_repeated, test_begin, test_end, test_length};
enum { TESTS = sizeof tests / sizeof *tests, PLAIN_TESTS = 2 };

/* Rules that find a field in several ways used to agree and do so no more. The values may be right
 * nevertheless: it is told, and speaks for drift where these differ significantly, too. */
static void test_agreement(const th__field_profile *old, const th__field_tally *now, bool differs,
                           finding *out)
{
    double before = share(old->agreed, old->told), after = share(now->agreed, now->told);
    finding f = {.told = true};
    if (!old->told || !now->told || old->agreed > old->told || now->agreed > now->told)
        return;
    found(&f, "agreement",
          th__fisher(old->agreed, old->told - old->agreed, now->agreed, now->told - now->agreed),
          before - after >= AGREEMENT_FALL,
          "the rules agree on %llu of %llu values (%.0f%%), and agreed on %.0f%% before",
          (unsigned long long)now->agreed, (unsigned long long)now->told, 100 * after,
          100 * before);
    f.mild = !differs;
    if (f.large && (!out->large || out->mild))
        *out = f;
}

/* Rules do not find the field any more, and its looks did: the values are right as far as these
 * tell. */
static void test_moved(const th__field_tally *now, finding *out)
{
    if (2 * now->by_looks <= now->values || (out->large && !out->mild))
        return;
    found(out, "moved", 0, true,
          "%llu of %llu values stand elsewhere and were found by what they look like; "
          "`thresh repair` makes rules for them",
          (unsigned long long)now->by_looks, (unsigned long long)now->values);
    out->mild = true;
}

/* The most telling of the tests: of those that are large the least likely. */
static void test_field(const th__field_profile *old, const th__field_tally *now, finding *out)
{
    size_t count = now->target || !now->sample.len ? PLAIN_TESTS : TESTS, best = 0;
    double least = 1;
    for (size_t i = 0; i < count; i++) {
        finding f;
        f.told = false;
        tests[i](old, now, &f);
        least = fmin(least, f.p);
        if (i && (f.large < out->large || (f.large == out->large && f.p >= out->p)))
            continue;
        out->p = f.p;
        out->large = f.large;
        best = i;
    }
    out->told = true;
    tests[best](old, now, out);
    out->p = fmin(1, out->p * (double)count);
    if (out->large && best >= PLAIN_TESTS && !out->mild && keeps_words(old, now)) {
        out->mild = true;
        tell_more(out, "; most of the words that they had in common are still in them");
    } else if (out->large && best >= PLAIN_TESTS && !out->mild) {
        out->part = keeps_part(old, now);
    }
    test_agreement(old, now, least * (double)count <= TH_ALPHA, out);
    test_moved(now, out);
}

/* ---- tests of all records -------------------------------------------------------------------- */

static void test_records(const th__profile *old, const th__tally *now, finding *out)
{
    double before = (double)(old->empty_pages + 1) / ((double)old->pages + 2);
    double p = th__binomial_upper(now->empty_pages, now->pages, before);
    /* Nothing on most pages where there was always something speaks for itself, on one page too. */
    if (2 * now->empty_pages > now->pages && !old->empty_pages)
        p = 0;
    bool few = now->pages > 1 && old->pages >= FEW_PAGES && FEW_PART * now->most <= old->least;
    if (few)
        p = 0;
    found(out, "records", p, few || share(now->empty_pages, now->pages) >= EMPTY_SHARE,
          "%llu records; %llu of %llu pages have none, and %llu of %llu had none before",
          (unsigned long long)now->records, (unsigned long long)now->empty_pages,
          (unsigned long long)now->pages, (unsigned long long)old->empty_pages,
          (unsigned long long)old->pages);
}

/* A page gives much less than pages did, and what records are made of stands there as often
 * outside of them: those of another kind are not found. */
static void test_left(const th__tally *now, finding *out)
{
    uint64_t left = th__left_out(now);
    if (left)
        found(out, "left", 0, true,
              "%llu records on pages that had many more, and %llu more times texts like theirs are "
              "outside of all records",
              (unsigned long long)now->short_records, (unsigned long long)left);
}

/* Values of a list in records that hold several of the old ones, or much besides them. */
static void test_flooded(const th__profile *old, const th__tally *now, finding *out)
{
    for (uint32_t i = 0; i < now->count && old->records && now->records; i++) {
        const th__field_tally *field = &now->fields[i];
        const th__field_profile *was = th__profile_of(old, i, field->path);
        bool list = field->path.len > 2 && field->path.ptr[field->path.len - 1] == ']';
        if (!was || !list || was->values > TH__STATS_MAX_COUNT / 2)
            continue;
        double before = share(was->values, old->records),
               after = share(field->values, now->records);
        double p = th__binomial_upper(field->values, was->values + field->values,
                                      share(now->records, now->records + old->records));
        if (after < FLOOD * (before + 1) || (out->large && p >= out->p))
            continue;
        found(out, "flooded", p, true,
              "a record has %.0f texts in %.*s on the average, and had %.1f before", after,
              TH_STR_ARG(field->path), before);
    }
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static bool give_examples(th_verdict *verdict, const th__field_tally *now, th_evidence *out)
{
    enum { MOST = 3 };
    size_t n = now->sample.len, count = n < MOST ? n : MOST;
    th_str *examples = th__arena_zero(&verdict->arena, count + 1, sizeof *examples);
    if (!examples)
        return false;
    for (size_t i = 0; i < count; i++) {
        examples[i] = th__arena_copy(&verdict->arena, now->sample.data[i * n / count].text);
        if (!examples[i].ptr)
            return false;
    }
    out->examples = examples;
    out->example_count = (uint32_t)count;
    return true;
}

static bool put_evidence(th_verdict *verdict, const finding *f, th_str path, double p,
                         th_evidence *out)
{
    out->path = path.ptr ? th__arena_copy(&verdict->arena, path) : (th_str){0};
    out->words = th__arena_copy(&verdict->arena, th_str_from(f->words));
    out->test = f->test;
    out->p = p;
    bool speaks = f->large && p <= verdict->alpha;
    out->drift = speaks && !f->mild;
    out->changed = speaks && f->mild;
    return out->words.ptr && (out->path.ptr || !path.ptr);
}

/* Whether the fields that drift are enough for a verdict. Fields that only some records have come
 * and go; and a profile of one or two pages may hold for a field what is of those pages alone, so
 * that then several fields have to agree. */
static bool enough_fields(const th_verdict *verdict, const th__profile *profile)
{
    uint64_t core = 0, drifting = 0;
    for (uint32_t i = 1; i < verdict->count; i++) {
        const th__field_profile *old = th__profile_of(profile, i - 1, verdict->evidence[i].path);
        if (!old || 2 * old->values < old->chances)
            continue;
        core++;
        drifting += verdict->evidence[i].drift;
    }
    return drifting && drifting * (profile->pages + 1) >= (profile->pages < 3 ? core : 0);
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
        const th__field_profile *was = th__profile_of(old, i, field->path);
        if (!was || field->target)
            continue;
        before += expm1(was->length) * (double)was->values;
        after += expm1(mean_length(field)) * (double)field->values;
    }
    before /= (double)(old->records ? old->records : 1);
    after /= (double)(now->records ? now->records : 1);
    return after >= TEXT_PART * before && TEXT_PART * after <= before;
}

/* Lines that are joined or parted otherwise: the records of a list are still whole when they have
 * as much text, and as much of the pages' text, as before, no usual field is missing that is still
 * on the pages, and each that differs begins or ends as it did. Its parts are in other columns. */
static void allow_parts(const th__profile *profile, const th__tally *tally, double alpha,
                        finding *findings)
{
    double explained =
        tally->explained_pages ? tally->explained / (double)tally->explained_pages : 0;
    bool whole = is_same_list(profile, tally) && explained >= WHOLE * profile->explained &&
                 has_same_text(profile, tally);
    for (uint32_t i = 0; i < tally->count && whole; i++) {
        const finding *f = &findings[i + 1];
        whole = !f->large || f->mild || f->part || f->p > alpha ||
                !is_usual(th__profile_of(profile, i, tally->fields[i].path), &tally->fields[i]);
    }
    for (uint32_t i = 1; i <= tally->count && whole; i++)
        if (findings[i].part) {
            findings[i].mild = true;
            tell_more(&findings[i], "; the records have as much text as before");
        }
}

/* Whether a field that tells records apart is as it was. */
static bool has_known_field(const th__profile *profile, const th__tally *tally,
                            const finding *findings)
{
    for (uint32_t i = 0; i < tally->count; i++) {
        const th__field_profile *old = th__profile_of(profile, i, tally->fields[i].path);
        if (is_usual(old, &tally->fields[i]) && 2 * old->distinct > old->sampled &&
            tally->fields[i].values && !findings[i + 1].large)
            return true;
    }
    return false;
}

/* Pages without most of their usual fields are others, whatever became of these, but for lists with
 * as many records that have a field that tells them apart; and where fields have changed that are
 * still there, or rules disagree on them, those that are missing have not just been dropped. */
static void limit_gone(const th__profile *profile, const th__tally *tally, double alpha,
                       finding *findings)
{
    uint32_t core = 0, gone = 0;
    bool others = false;
    for (uint32_t i = 0; i < tally->count; i++) {
        const th__field_profile *old = th__profile_of(profile, i, tally->fields[i].path);
        const finding *f = &findings[i + 1];
        if (!is_usual(old, &tally->fields[i]))
            continue;
        others |= f->large && f->p <= alpha && tally->fields[i].values &&
                  (!f->mild || !strcmp(f->test, "agreement"));
        core++;
        gone += findings[i + 1].mild && !tally->fields[i].values;
    }
    if (2 * gone > core && !others)
        others = !is_same_list(profile, tally) || !has_known_field(profile, tally, findings);
    for (uint32_t i = 0; i < tally->count && others; i++)
        findings[i + 1].mild &= tally->fields[i].values > 0;
}

/* Corrects for the number of fields; those of which nothing is known are not tested and do not
 * count. */
static bool correct(double *p, const finding *findings, uint32_t count)
{
    double *tested = TH__NEW_ARRAY(double, count);
    uint32_t n = 0;
    if (!tested)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(findings[i].test, "none") != 0)
            tested[n++] = p[i];
    bool ok = th__adjust_holm(tested, n);
    n = 0;
    for (uint32_t i = 0; ok && i < count; i++)
        if (strcmp(findings[i].test, "none") != 0)
            p[i] = tested[n++];
    th__mem_free(tested);
    return ok;
}

static bool judge(th_verdict *verdict, const th__tally *tally, const th__profile *profile,
                  finding *findings, double *p)
{
    uint32_t count = tally->count;
    for (uint32_t i = 0; i <= count; i++)
        findings[i].told = true;
    test_records(profile, tally, &findings[0]);
    if (!findings[0].large)
        test_flooded(profile, tally, &findings[0]);
    if (!findings[0].large)
        test_left(tally, &findings[0]);
    for (uint32_t i = 0; i < count; i++) {
        const th__field_profile *old = th__profile_of(profile, i, tally->fields[i].path);
        if (old && old->values && tally->fields[i].chances)
            test_field(old, &tally->fields[i], &findings[i + 1]);
        else
            found(&findings[i + 1], "none", 1, false,
                  !old           ? "is not in the profile"
                  : !old->values ? "had no values before"
                                 : "there are no records to look at");
    }
    allow_parts(profile, tally, verdict->alpha, findings);
    limit_gone(profile, tally, verdict->alpha, findings);
    /* What is not large is no evidence, whatever its chance. */
    for (uint32_t i = 0; i <= count; i++)
        p[i] = findings[i].large ? findings[i].p : 1;
    if (!correct(p, findings, count + 1) ||
        !put_evidence(verdict, &findings[0], (th_str){0}, p[0], &verdict->evidence[0]))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!put_evidence(verdict, &findings[i + 1], tally->fields[i].path, p[i + 1],
                          &verdict->evidence[i + 1]) ||
            !give_examples(verdict, &tally->fields[i], &verdict->evidence[i + 1]))
            return false;
    verdict->drift = verdict->evidence[0].drift || enough_fields(verdict, profile);
    return true;
}

th_status th__verify(const th__tally *tally, const th__profile *profile, double alpha,
                     th_verdict **out, th_error *err)
{
    *out = NULL;
    uint32_t count = tally->count + 1;
    th_verdict *verdict = TH__NEW(th_verdict);
    finding *findings = TH__NEW_ARRAY(finding, count);
    double *p = TH__NEW_ARRAY(double, count);
    bool ok = verdict && findings && p;
    if (verdict) {
        th__arena_init(&verdict->arena);
        verdict->alpha = alpha;
        verdict->pages = tally->pages;
        verdict->records = tally->records;
        verdict->explained =
            tally->explained_pages ? tally->explained / (double)tally->explained_pages : 0;
        verdict->explained_before = profile->explained;
        verdict->count = count;
        verdict->evidence = th__arena_zero(&verdict->arena, count, sizeof *verdict->evidence);
        ok = ok && verdict->evidence && judge(verdict, tally, profile, findings, p);
    }
    th__mem_free(findings);
    th__mem_free(p);
    if (!ok) {
        th_verdict_free(verdict);
        return th__fail_memory(err);
    }
    *out = verdict;
    return TH_OK;
}

th_status th_check_verdict(const th_check *check, double alpha, th_verdict **out, th_error *err)
{
    *out = NULL;
    if (!check->wrapper->profile)
        return th__fail(err, TH_ERR_ARGUMENT, "the wrapper " TH__NO_PROFILE);
    if (!check->tally.pages)
        return th__fail(err, TH_ERR_ARGUMENT, "there are no pages to verify the wrapper on");
    if (!(alpha >= 0 && alpha < 1))
        return th__fail(err, TH_ERR_ARGUMENT, "alpha is a probability: from 0 to 1");
    return th__verify(&check->tally, check->wrapper->profile, alpha > 0 ? alpha : TH_ALPHA, out,
                      err);
}
