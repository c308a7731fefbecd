/*
 * verify.c: has the site changed? Compares records of new pages with the profile of the old ones.
 *
 * The paper compares the distribution of DataPro's patterns and reports every significant
 * difference: it found 35 of 37 changes, with 40 false alarms in 406 comparisons without a change.
 * The cause of false alarms: values of one page resemble each other (results of one query, offers
 * of one week), but the tests assume independence, so that chance differences become significant.
 * Real changes are large as well: a field is empty, or dates replace names. So evidence counts only
 * if it is both significant (after correction for the number of tests and, by Holm's method, of
 * fields) and large:
 *
 *     missing    values are missing where they were hardly ever missing: binomial
 *     begin,end  values begin or end differently (shapes, profile_learn.c): chi-square, Fisher
 *     length     values are much longer or shorter: normal tail
 *     words      values have lost all words that DataPro learnt: Fisher, by pages
 *     repeated   values that used to differ are all the same: their old share
 *     records    pages without any: binomial
 *     moved      rules do not find the field, its looks do: fields_adapt.h
 *     agreement  rules that find a field in several ways no longer agree: Fisher
 *     left       a page has far fewer records, and texts like their values are outside of them
 *     flooded    records have many times as many texts in a list as before: binomial
 *
 * Each threshold of size is a named constant with its reason.
 *
 * As published (th_check_verdict_published), the patterns themselves are compared, words included,
 * and every significant difference is a change; so is a field that is missing more often, and pages
 * without records.
 *
 * Most fields are unchanged, and their evidence is never read. So a few tests on a few values first
 * decide if any finding can be significant; the rest is computed only then, or if the evidence is
 * read.
 */
#include "check/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/stats.h"
#include "check/words.h"
#include "check/neighbours.h"
#include "wrapper/profile.h"

/* A field counts as missing if its share of places falls below this part of the former share. */
#define MISSING_PART 0.35
/* Below this part, the present values are compared with the former ones, too. */
#define MANY_PART 0.7
/* The same for a field that was always present: pages of another layout may still have it. */
#define ALWAYS_PART 0.6
/* Values less like the old ones than this do not count. */
#define UNLIKE 0.3
/* Most of all values have to have changed their shape. */
#define SHAPE_DISTANCE 0.7
/* Twice as long or half as long on average (ln 2), and two deviations of single values. */
#define LENGTH_DISTANCE   0.7
#define LENGTH_DEVIATIONS 2.0
#define USUAL_SD          0.5
/* About equal: half of the above. */
#define LENGTH_SAME 0.35
/* The part of their common words that values must keep: a third if that is two words or more, and
 * they are about as long as before. */
#define HALF  0.5
#define THIRD 0.33
/* Rules that agreed on nearly all values must disagree on half of them. */
#define AGREEMENT_FALL 0.5

/* A page in three without records, if hardly any was before. */
#define EMPTY_SHARE 0.34

/* Several pages, all with an eighth of the former number of records or less: the last page of a
 * list may be short, but not all are last pages. */
enum { FEW_PAGES = 3, FEW_PART = 8 };

/* A list is the same, judging by numbers, with half to twice as many records per page; and its
 * records are complete if they contain nine tenths of their former share of the pages' text. */
#define LIST_PART 0.5
#define WHOLE     0.9
/* As much text as before: the mean lengths of values are uncertain. */
#define TEXT_PART 0.75

/* So many times the former texts per record, plus one. */
#define FLOOD 8
/* A dropped field has a neighbour on either side. */
#define NEIGHBOURS 2

/* Some of the many things on a page, such as links to other pages and remarks, come and go
 * together, and each looks like drift: one in so many is not a change of the page. */
enum { PLACES = 15 };

/* A field of the profile and its present state, from a sample of its values. */
typedef struct seen_field {
    const th__field_profile *old;
    const th__field_tally *now;
    th__glance *glances;
    size_t count;
    double mean; /* of their lengths */
    th__presence there;
    bool always; /* a field that a user has named, and that all pages of one record had */
} seen_field;

static void TH_PRINTF(5, 6)
    found(th__finding *out, const char *test, double p, bool large, const char *format, ...)
{
    va_list args;
    out->test = test;
    out->p = isnan(p) ? 1 : p;
    out->large = large;
    out->mild = out->part = false;
    if (out->asked != TH__ASK_WORDS)
        return;
    va_start(args, format);
    vsnprintf(out->words, TH__WORDS_ROOM, format, args);
    va_end(args);
}

static void tell_more(th__finding *out, const char *words)
{
    size_t len = out->asked == TH__ASK_WORDS ? strlen(out->words) : TH__WORDS_ROOM;
    if (len < TH__WORDS_ROOM)
        snprintf(out->words + len, TH__WORDS_ROOM - len, "%s", words);
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

/* For messages: printing a whole number costs a tenth of printing a fraction. */
static long percent(double part)
{
    return lrint(100 * part);
}

/* ---- what was seen --------------------------------------------------------------------------- */

static bool glance_at(const th__field_profile *old, const th__field_tally *now, th__arena *arena,
                      seen_field *out)
{
    size_t count = now->sample.len;
    th__glance *glances = th__arena_zero(arena, count + 1, sizeof *glances);
    if (!glances)
        return false;
    for (size_t i = 0; i < count; i++) {
        const th__sample *s = &now->sample.data[i];
        glances[i] = (th__glance){.text = s->text,
                                  .bytes = (size_t)lrint(expm1(s->length)),
                                  .hash = s->hash,
                                  .length = s->length,
                                  .read = true};
        for (int end = 0; end < TH__ENDS; end++)
            glances[i].shape[end] = (uint8_t)th__shape_of(&old->shapes[end], &s->value, end);
    }
    out->glances = glances;
    out->count = count;
    return true;
}

/* The verdict owns what it computes about them. */
static bool copy_glances(const th__field_tally *now, th__arena *arena, seen_field *out)
{
    size_t bytes = now->glance_count * sizeof *now->glances;
    out->glances = th__arena_alloc(arena, bytes);
    if (out->glances && bytes)
        memcpy(out->glances, now->glances, bytes);
    return out->glances != NULL;
}

static double mean_length(const th__tally *tally, uint32_t field)
{
    const th__field_tally *now = &tally->fields[field];
    size_t count = tally->light ? now->glance_count : now->sample.len;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += tally->light ? th__log_length(now->glances[i].bytes) : now->sample.data[i].length;
    return count ? sum / (double)count : 0;
}

static bool see_field(const th__tally *tally, uint32_t field, const th__profile *profile,
                      const th__field_profile *old, th__arena *arena, th__glance **kept,
                      seen_field *out)
{
    const th__field_tally *now = &tally->fields[field];
    *out = (seen_field){old,
                        now,
                        *kept,
                        tally->light ? now->glance_count : now->sample.len,
                        mean_length(tally, field),
                        th__presence_of(profile, old, tally, now),
                        tally->named && profile->records <= profile->pages};
    out->always = out->always && out->there.was == out->there.was_all;
    bool ok =
        *kept || (tally->light ? copy_glances(now, arena, out) : glance_at(old, now, arena, out));
    *kept = out->glances;
    return ok;
}

/* A value as it looks to its field. */
static const th__glance *value_at(const seen_field *seen, size_t i)
{
    th__glance_read(&seen->glances[i], seen->old);
    return &seen->glances[i];
}

/* ---- presence -------------------------------------------------------------------------------- */

/* Returns true if a field is gone from the pages: it was searched for wherever it is missing, and
 * hardly found. */
static bool is_gone(const th__presence *presence, const th__field_tally *now)
{
    uint64_t missing = presence->is_all > presence->is ? presence->is_all - presence->is : 0;
    double share = presence->was_all ? (double)presence->was / (double)presence->was_all : 0;
    /* Half of the missing ones: a search does not recognise all values. */
    return now->looked && 10 * (now->looked + now->passed) >= 9 * missing &&
           (double)now->strays < 0.5 * (share < 1 ? share : 1) * (double)now->looked;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* How many of some values are like the former ones, judging by the examined ones. */
static uint64_t like_before(const seen_field *seen, uint64_t values)
{
    size_t like = 0;
    for (size_t i = 0; i < seen->count; i++)
        like += th__is_likely(seen->old, value_at(seen, i), UNLIKE);
    return seen->count ? values * like / seen->count : values;
}

static void test_missing(const seen_field *seen, th__finding *out)
{
    const th__presence *in = &seen->there;
    const th__field_tally *now = seen->now;
    uint64_t there = in->is;
    double before = share(in->was, in->was_all), after = share(there, in->is_all), p = out->p;
    /* If many are missing, the present ones may be something else. */
    if (after < MANY_PART * before && !now->target)
        there = like_before(seen, there);
    double part = seen->always ? ALWAYS_PART : MISSING_PART;
    bool large = in->is_all && share(there, in->is_all) < part * before;
    if (out->asked == TH__ASK_CHANCE)
        p = th__missing_chance(in, there);
    found(out, "missing", p, large,
          in->is_all == now->chances ? "%llu of %llu values are present (%ld%%), before: %ld%%"
                                     : "%llu of %llu pages have values (%ld%%), before: %ld%%",
          (unsigned long long)in->is, (unsigned long long)in->is_all, percent(after),
          percent(before));
    out->mild = is_gone(in, now);
    if (out->asked != TH__ASK_WORDS || !out->large)
        return;
    if (there < in->is)
        tell_more(out, "; most of these differ from earlier values");
    if (now->looked)
        tell_more(out, out->mild ? "; no text near the records looks like them"
                                 : "; similar texts are still on the page");
}

/* Counts of the shapes; the last is for values without any. */
typedef struct bins {
    uint64_t old[TH__FORMS_MAX + 1], now[TH__FORMS_MAX + 1];
    size_t count;
} bins;

static void count_old(const th__forms *forms, uint64_t sampled, bins *out)
{
    uint64_t left = sampled;
    *out = (bins){.count = forms->count + 1};
    for (uint32_t i = 0; i < forms->count; i++) {
        out->old[i] = forms->data[i].count < left ? forms->data[i].count : left;
        left -= out->old[i];
    }
    out->old[forms->count] = left;
}

static void count_shapes(const seen_field *seen, int end, bins *out)
{
    count_old(&seen->old->shapes[end], seen->old->sampled, out);
    for (size_t i = 0; i < seen->count; i++)
        out->now[value_at(seen, i)->shape[end]]++;
}

/* Merges bins, rarest first, until all expected counts are at least 5 or two bins are left.
 * Quadratic, but there are few bins. */
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

/* The chance that a part of some and a part of others differ so much. */
static double parts_chance(uint64_t had, uint64_t were, uint64_t have, uint64_t are)
{
    return th__homogeneity((uint64_t[]){had, were - had}, (uint64_t[]){have, are - have}, 2);
}

/* Describes the shape of most of the old values. */
static void name_shape(const th__field_profile *old, int end, th__buf *out)
{
    const th__forms *patterns = &old->patterns[end];
    if (patterns->count)
        th__form_print(&patterns->data[0], end == TH__END, out);
}

static double shapes_chance(bins *b, uint64_t old, uint64_t now)
{
    pool_bins(b, share(now, now + old));
    return th__homogeneity(b->old, b->now, b->count);
}

/* Returns true if the shapes certainly differ too little, which the first values usually show: the
 * overlap of old and new ones can only grow with the others. */
static bool have_same_shapes(const seen_field *seen, int end)
{
    const th__forms *shapes = &seen->old->shapes[end];
    uint32_t now[TH__FORMS_MAX + 1] = {0};
    double n = (double)seen->count, old = (double)seen->old->sampled, common = 0, others = 1;
    for (uint32_t i = 0; i < shapes->count; i++)
        others -= shapes->data[i].count / old;
    for (size_t i = 0; i < seen->count && common <= 1 - SHAPE_DISTANCE; i++) {
        uint8_t shape = value_at(seen, i)->shape[end];
        double was = shape < shapes->count ? shapes->data[shape].count / old : fmax(0, others);
        common += fmin(was, (now[shape] + 1) / n) - fmin(was, now[shape] / n);
        now[shape]++;
    }
    return common > 1 - SHAPE_DISTANCE;
}

/* Computes how far apart the distributions are. */
static void compare_bins(const seen_field *seen, int end, bins *b, double least, th__finding *out)
{
    th__buf common = {0};
    uint64_t n = seen->count, old = seen->old->sampled;
    const char *test = end == TH__START ? "begin" : "end";
    double apart = distance(b, old, n), p = out->p;
    double kept = share(n - b->now[b->count - 1], n), was = 1 - share(b->old[b->count - 1], old);
    bool compared = b->count > 1 && n && old;
    if (out->asked == TH__ASK_CHANCE)
        p = compared ? shapes_chance(b, old, n) : 1;
    if (out->asked == TH__ASK_WORDS)
        name_shape(seen->old, end, &common);
    found(out, test, p, compared && apart >= least,
          "%ld%% of the values %s in a known way, before: %ld%% (often \"%.*s\"); the "
          "distributions differ by %ld%%",
          percent(kept), test, percent(was), TH_STR_ARG(th__buf_str(&common)), percent(apart));
    th__buf_release(&common);
}

static void test_shapes(const seen_field *seen, int end, th__finding *out)
{
    bins b;
    if (out->asked == TH__ASK_LARGE) {
        out->large =
            seen->old->sampled && seen->old->shapes[end].count && !have_same_shapes(seen, end);
        return;
    }
    count_shapes(seen, end, &b);
    compare_bins(seen, end, &b, SHAPE_DISTANCE, out);
}

static void test_begin(const seen_field *seen, th__finding *out)
{
    test_shapes(seen, TH__START, out);
}

static void test_end(const seen_field *seen, th__finding *out)
{
    test_shapes(seen, TH__END, out);
}

static void test_length(const seen_field *seen, th__finding *out)
{
    const th__field_profile *old = seen->old;
    size_t n = seen->count;
    double apart = fabs(seen->mean - old->length), p = out->p;
    /* A few values are a poor estimate of the deviation of lengths: the usual deviation of texts
     * counts as four more. */
    double sampled = (double)old->sampled;
    double sd =
        sqrt((sampled * old->length_sd * old->length_sd + 4 * USUAL_SD * USUAL_SD) / (sampled + 4));
    bool compared = n > 1 && old->sampled > 1;
    bool large = compared && apart >= LENGTH_DISTANCE && apart >= LENGTH_DEVIATIONS * sd;
    if (out->asked == TH__ASK_CHANCE) {
        double error = n && old->sampled ? sd * sqrt(1 / (double)n + 1 / sampled) : 1;
        p = compared ? erfc(apart / error / sqrt(2)) : 1;
    }
    found(out, "length", p, large, "values have about %ld bytes, before: %ld",
          out->asked == TH__ASK_WORDS ? lrint(expm1(seen->mean)) : 0,
          out->asked == TH__ASK_WORDS ? lrint(expm1(old->length)) : 0);
}

static bool are_same(const th__glance *a, const th__glance *b)
{
    return a->bytes == b->bytes && th__str_eq(a->text, b->text) &&
           (a->bytes <= TH__DP_LONG || a->hash == b->hash);
}

static void test_repeated(const seen_field *seen, th__finding *out)
{
    const th__field_profile *old = seen->old;
    size_t n = seen->count, same = n > 0;
    while (same < n && are_same(&seen->glances[same], &seen->glances[0]))
        same++;
    /* The largest possible former share of one value. */
    double most = share(old->sampled - old->distinct + 1, old->sampled), p = out->p;
    bool compared = n > 1 && same == n && old->sampled > 1 && old->distinct <= old->sampled;
    if (out->asked == TH__ASK_CHANCE)
        p = compared ? pow(most, (double)(n - 1)) : 1;
    found(out, "repeated", p, compared && most <= 0.5,
          "all %zu sampled values are the same, before: %llu of %llu differed", n,
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

/* Returns true if values keep most of their common words: a line whose parts are reordered or fewer
 * is still that line. A longer one has taken in something else. */
static bool keeps_words(const seen_field *seen)
{
    const th__field_profile *old = seen->old;
    uint64_t hashes[TH__WORDS_MAX];
    size_t n = seen->count, found = 0;
    uint32_t count = old->word_count < TH__WORDS_MAX ? old->word_count : TH__WORDS_MAX;
    for (uint32_t i = 0; i < count; i++)
        hashes[i] = th__hash(old->words[i].ptr, old->words[i].len) | 1;
    for (size_t i = 0; i < n; i++) {
        kept_words k = {.hashes = hashes, .count = count};
        th__words_of(seen->glances[i].text, see_word, &k);
        found += k.found;
    }
    bool several = found >= 2 * n && seen->mean >= old->length - LENGTH_DISTANCE;
    return n && count && seen->mean <= old->length + LENGTH_SAME &&
           (double)found >= (several ? THIRD : HALF) * (double)count * (double)n;
}

/* Returns true if at least half of the values still begin, or still end, as before, with another
 * length: a line that lost or got a part. */
static bool keeps_part(const seen_field *seen)
{
    bool kept = false;
    if (fabs(seen->mean - seen->old->length) < LENGTH_SAME)
        return false;
    for (int end = 0; end < 2 && !kept; end++) {
        bins b;
        count_shapes(seen, end, &b);
        kept = distance(&b, seen->old->sampled, seen->count) <= HALF;
    }
    return kept;
}

/* A lower bound of the p-value if all present values are unlike all former ones: one in all the
 * ways to choose them. Stops at a bar. */
static double least_chance(uint64_t before, uint64_t now, double bar)
{
    double chance = 1;
    for (uint64_t k = 1; k <= now && chance > bar; k++)
        chance *= (double)k / (double)(before + k);
    return chance;
}

/* ---- words that go ---- */

/* The least share of values with a known word: nearly all; less if values are of a few kinds
 * (Small, Medium, Large), since DataPro learns only frequent ones. And the part of it that may be
 * left. */
#define WORDED        0.8
#define WORDED_CLOSED 0.3
#define WORDS_LEFT    0.1
enum { CLOSED = 4 }; /* values of each kind, on average */

static double worded_share(const th__field_profile *old, int end)
{
    return fmin(1, share(old->worded[end], old->sampled));
}

/* Gets the words of a field at an end, if words characterise it. */
static bool has_words(const th__field_profile *old, int end, th__form_words *out)
{
    double was = worded_share(old, end);
    bool closed = old->distinct > 1 && CLOSED * old->distinct <= old->sampled;
    if (was < (closed ? WORDED_CLOSED : WORDED))
        return false;
    th__form_words_of(&old->patterns[end], out);
    return out->count;
}

static double words_now(const seen_field *seen, const th__form_words *words)
{
    size_t known = 0;
    for (size_t i = 0; i < seen->count; i++) {
        th__dp_value value;
        th__dp_split(seen->glances[i].text, &value);
        known += th__form_word_in(words, &value) < words->count;
    }
    return share(known, seen->count);
}

/* Tests if values have lost all words that DataPro learnt: others replaced a few kinds, or "St."
 * and "Blvd.". Counts pages, since all values of a page may have one topic. */
static void test_words(const seen_field *seen, th__finding *out)
{
    const th__field_profile *old = seen->old;
    th__form_words words;
    double was = 0, left = 0, p = 1;
    for (int end = 0; end < TH__ENDS && p > 0; end++) {
        if (!has_words(old, end, &words))
            continue;
        double before = worded_share(old, end), now = words_now(seen, &words);
        uint64_t had = (uint64_t)lrint(before * (double)old->pages);
        uint64_t have = (uint64_t)lrint(now * (double)seen->now->pages);
        double chance = TH__ENDS * parts_chance(had, old->pages, have, seen->now->pages);
        if (now > WORDS_LEFT * before || chance >= p)
            continue;
        p = chance;
        was = before;
        left = now;
    }
    found(out, "words", fmin(1, p), p < 1, "%ld%% of the values have known words, before: %ld%%",
          percent(left), percent(was));
}

/* ---- places ---- */

/* Fewer than this share of the values are where the field's values were. */
#define PLACED_PART 0.5

/* Tests if values have lost their neighbours. Captions change, so that means little on its own; but
 * if the caption is still on the page, next to another value, the field has the wrong values. */
static void test_place(const seen_field *seen, th__finding *out)
{
    const th__field_profile *old = seen->old;
    const th__field_tally *now = seen->now;
    double before = fmax(th__neighbours_next(old, TH__START), th__neighbours_next(old, TH__END));
    uint64_t had = (uint64_t)lrint(before * (double)old->sampled);
    double left = share(now->placed, now->placed_of);
    /* Records of a list are close together: a new order changes the neighbours of all values. */
    bool records = old->values > old->pages && th__str_find(old->path, TH_STR("[]")) == SIZE_MAX;
    bool large = now->placed_of && !records && left < PLACED_PART * before &&
                 2 * now->place_stays > now->place_looks;
    double p = out->p;
    if (out->asked == TH__ASK_CHANCE)
        p = large ? parts_chance(had, old->sampled, now->placed, now->placed_of) : 1;
    found(out, "place", p, large,
          "%ld%% of the values are next to the same texts, before: %ld%%; these texts are still on "
          "the page",
          percent(left), percent(before));
}

/* ---- all of them ----------------------------------------------------------------------------- */

typedef void (*field_test)(const seen_field *seen, th__finding *out);

/* Only the first two apply to link targets, whose words are arbitrary, and to fields without
 * values. */
static const field_test tests[] = {test_missing, test_repeated, test_begin, test_end,
                                   test_length,  test_place,    test_words};
enum { TESTS = sizeof tests / sizeof *tests, PLAIN_TESTS = 2 };

/* Words characterise few fields, and a few pages are not enough to test them. */
static size_t test_count(const seen_field *seen)
{
    th__form_words words;
    bool worded =
        least_chance(seen->old->pages, seen->now->pages, TH_ALPHA) <= TH_ALPHA &&
        (has_words(seen->old, TH__START, &words) || has_words(seen->old, TH__END, &words));
    return seen->now->target || !seen->count ? PLAIN_TESTS : worded ? TESTS : TESTS - 1;
}

/* Returns true if rules that used to agree on a field now differ. */
static bool disagree(const th__field_profile *old, const th__field_tally *now)
{
    return old->told && now->told && old->agreed <= old->told && now->agreed <= now->told &&
           share(old->agreed, old->told) - share(now->agreed, now->told) >= AGREEMENT_FALL;
}

/* The values may still be right: it is reported, but indicates drift only if these differ
 * significantly, too. */
static void test_agreement(const seen_field *seen, bool differs, th__finding *out)
{
    const th__field_profile *old = seen->old;
    const th__field_tally *now = seen->now;
    if (!disagree(old, now) || (out->large && !out->mild))
        return;
    found(out, "agreement", parts_chance(old->agreed, old->told, now->agreed, now->told), true,
          "the rules agree on %llu of %llu values (%.0f%%), before: %.0f%%",
          (unsigned long long)now->agreed, (unsigned long long)now->told,
          100 * share(now->agreed, now->told), 100 * share(old->agreed, old->told));
    out->mild = !differs;
}

static bool is_moved(const th__field_tally *now)
{
    return 2 * now->by_looks > now->values;
}

/* The rules do not find the field, but its looks do: the values seem right. */
static void test_moved(const th__field_tally *now, th__finding *out)
{
    if (!is_moved(now) || (out->large && !out->mild))
        return;
    found(out, "moved", 0, true,
          "%llu of %llu values have moved and were found by their appearance; `thresh repair` "
          "makes rules for them",
          (unsigned long long)now->by_looks, (unsigned long long)now->values);
    out->mild = true;
}

static bool speaks(field_test test, const seen_field *seen, double bar)
{
    th__finding f = {.asked = TH__ASK_LARGE};
    test(seen, &f);
    if (!f.large)
        return false;
    f.asked = TH__ASK_CHANCE;
    test(seen, &f);
    return f.large && f.p <= bar;
}

static bool field_may_speak(const seen_field *seen, double bar)
{
    const th__field_profile *old = seen->old;
    const th__field_tally *now = seen->now;
    size_t count = test_count(seen);
    bar /= (double)count;
    /* Chi-square may give less, but needs more values. */
    bool shapes = least_chance(old->sampled, seen->count, bar) <= bar;
    for (size_t i = 0; i < count; i++)
        if ((shapes || !(tests[i] == test_begin || tests[i] == test_end)) &&
            speaks(tests[i], seen, bar))
            return true;
    return is_moved(now) || disagree(old, now);
}

static void test_field(const seen_field *seen, th__finding *out)
{
    size_t count = test_count(seen), best = 0;
    double least = 1;
    th__finding f = {.asked = TH__ASK_CHANCE}, most = f;
    for (size_t i = 0; i < count; i++) {
        tests[i](seen, &f);
        least = fmin(least, f.p);
        if (i && (f.large < most.large || (f.large == most.large && f.p >= most.p)))
            continue;
        most = f;
        best = i;
    }
    out->p = most.p;
    out->test = most.test;
    out->large = most.large;
    out->mild = most.mild;
    out->part = false;
    if (out->asked == TH__ASK_WORDS)
        tests[best](seen, out);
    out->p = fmin(1, out->p * (double)count);
    if (tests[best] == test_words || tests[best] == test_place)
        out->mild = false; /* other words are another thing, however they begin and end */
    else if (out->large && best >= PLAIN_TESTS && !out->mild && keeps_words(seen)) {
        out->mild = true;
        tell_more(out, "; they still have most of their common words");
    } else if (out->large && best >= PLAIN_TESTS && !out->mild) {
        out->part = keeps_part(seen);
    }
    test_agreement(seen, least * (double)count <= TH_ALPHA, out);
    test_moved(seen->now, out);
}

/* ---- as published ---------------------------------------------------------------------------- */

/* One of three tests: the distribution of DataPro's patterns at either end, words included, or
 * missing values. */
static void test_published_one(const seen_field *seen, int which, th__finding *out)
{
    bins b;
    if (which == TH__ENDS) {
        test_missing(seen, out);
        return;
    }
    const th__forms *patterns = &seen->old->patterns[which];
    count_old(patterns, seen->old->sampled, &b);
    for (size_t i = 0; i < seen->count; i++)
        b.now[th__pattern_of(patterns, &seen->now->sample.data[i].value, which)]++;
    compare_bins(seen, which, &b, 0, out);
}

/* The lowest p-value of the three, corrected for their number. */
static void test_published(const seen_field *seen, th__finding *out)
{
    enum { PUBLISHED = TH__ENDS + 1 };
    double least = 2;
    int best = 0;
    for (int i = 0; i < PUBLISHED; i++) {
        th__finding f = {.asked = TH__ASK_CHANCE};
        test_published_one(seen, i, &f);
        best = f.p < least ? i : best;
        least = fmin(least, f.p);
    }
    test_published_one(seen, best, out);
    out->large = true;
    out->mild = false;
    out->p = fmin(1, PUBLISHED * least);
}

/* ---- tests of all records -------------------------------------------------------------------- */

/* The profile of a field of a tally, or NULL. */
static const th__field_profile *known_field(const th__tally *tally, uint32_t field,
                                            const th__profile *profile)
{
    const th__field_tally *now = &tally->fields[field];
    return tally->profile == profile ? now->known : th__profile_of(profile, field, now->path);
}

static void test_records(const th__profile *old, const th__tally *now, th__finding *out)
{
    bool few = now->pages > 1 && old->pages >= FEW_PAGES && FEW_PART * now->most <= old->least;
    bool large = few || share(now->empty_pages, now->pages) >= EMPTY_SHARE;
    double p = 1;
    /* No records on most pages, if none was empty before, is enough evidence, even for one page. */
    if (few || (2 * now->empty_pages > now->pages && !old->empty_pages))
        p = 0;
    else if (large)
        p = th__binomial_upper(now->empty_pages, now->pages,
                               (double)(old->empty_pages + 1) / ((double)old->pages + 2));
    found(out, "records", p, large,
          "%llu records; pages without records: %llu of %llu, before: %llu of %llu",
          (unsigned long long)now->records, (unsigned long long)now->empty_pages,
          (unsigned long long)now->pages, (unsigned long long)old->empty_pages,
          (unsigned long long)old->pages);
}

/* Tests for records that are left out: a page has much less than earlier pages, and as many values
 * again are outside of its records. */
static void test_left(const th__tally *now, th__finding *out)
{
    uint64_t left = th__left_out(now);
    if (left)
        found(out, "left", 0, true,
              "pages give much less than before, and texts like those of %llu records are outside "
              "all records",
              (unsigned long long)left);
}

/* Tests for records that contain several of the old ones, or much besides them. Not for pages that
 * are one record: some of their lists are long. */
static void test_flooded(const th__profile *old, const th__tally *now, th__finding *out)
{
    bool lists = old->records > old->pages && now->records;
    for (uint32_t i = 0; i < now->count && lists; i++) {
        const th__field_tally *field = &now->fields[i];
        const th__field_profile *was =
            th__is_list_path(field->path) ? known_field(now, i, old) : NULL;
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
        found(out, "flooded", p, true, "a record has on average %.0f texts in %.*s, before: %.1f",
              after, TH_STR_ARG(field->path), before);
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

static bool is_significant(const th_verdict *verdict, uint32_t index)
{
    const th__finding *f = &verdict->findings[index];
    return f->large && f->p <= verdict->alpha;
}

static bool is_drift(const th_verdict *verdict, uint32_t index)
{
    return is_significant(verdict, index) && !verdict->findings[index].mild;
}

static double mean_explained(const th__tally *tally)
{
    return tally->explained_pages ? tally->explained / (double)tally->explained_pages : 0;
}

/* The list that a field is in, or the field: its values come and go together. */
static th_str place_of(th_str path)
{
    th_str list = th__list_of(path);
    return list.ptr ? list : path;
}

/* Returns true if enough fields drift for a verdict. Optional fields come and go; a profile of one
 * or two pages may contain accidents of these pages, so that several fields must agree, and some of
 * them if there are very many. */
static bool enough_fields(const th_verdict *verdict)
{
    const th__profile *profile = verdict->profile;
    uint64_t core = 0, drifting = 0, places = 0, drifting_places = 0;
    th_str place = {0};
    bool counted = false; /* the current place, among those that drift */
    for (uint32_t i = 0; i < verdict->tally.count; i++) {
        const th__field_profile *old = known_field(&verdict->tally, i, profile);
        if (!old || 2 * old->values < old->chances)
            continue;
        th_str own = place_of(verdict->tally.fields[i].path);
        bool drift = is_drift(verdict, i + 1), same = place.ptr && th__str_eq(own, place);
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

/* Returns true if these are lists with about as many records per page as before. */
static bool is_same_list(const th__profile *old, const th__tally *now)
{
    double before = share(old->records, old->pages), after = share(now->records, now->pages);
    return before >= 2 && after >= LIST_PART * before && LIST_PART * after <= before;
}

/* Returns true if a record has about as much text as before, by its fields' mean lengths. */
static bool has_same_text(const th__profile *old, const th__tally *now)
{
    double before = 0, after = 0;
    for (uint32_t i = 0; i < now->count; i++) {
        const th__field_tally *field = &now->fields[i];
        const th__field_profile *was = known_field(now, i, old);
        if (!was || field->target)
            continue;
        before += expm1(was->length) * (double)was->values;
        after += expm1(mean_length(now, i)) * (double)field->values;
    }
    before /= (double)(old->records ? old->records : 1);
    after /= (double)(now->records ? now->records : 1);
    return after >= TEXT_PART * before && TEXT_PART * after <= before;
}

/* Accepts lines that are joined or split differently: the records of a list are complete if they
 * have as much text, and as much of the pages' text, as before, no usual field is missing that is
 * still on the pages, and each that differs begins or ends as before. */
static void allow_parts(const th__profile *profile, const th__tally *tally, double alpha,
                        th__finding *findings)
{
    bool whole = is_same_list(profile, tally) &&
                 mean_explained(tally) >= WHOLE * profile->explained &&
                 has_same_text(profile, tally);
    for (uint32_t i = 0; i < tally->count && whole; i++) {
        const th__finding *f = &findings[i + 1];
        whole = !f->large || f->mild || f->part || f->p > alpha ||
                !is_usual(known_field(tally, i, profile), &tally->fields[i]);
    }
    for (uint32_t i = 1; i <= tally->count && whole; i++)
        if (findings[i].part)
            findings[i].mild = findings[i].whole = true;
}

/* Returns true if a field that identifies records is unchanged. */
static bool has_known_field(const th__profile *profile, const th__tally *tally,
                            const th__finding *findings)
{
    for (uint32_t i = 0; i < tally->count; i++) {
        const th__field_profile *old = known_field(tally, i, profile);
        if (is_usual(old, &tally->fields[i]) && th__is_varied(old) && tally->fields[i].values &&
            !findings[i + 1].large)
            return true;
    }
    return false;
}

/* Returns true if a field has hardly any of its possible values. */
static bool is_none(const th__field_tally *field)
{
    enum { HARDLY = 20 }; /* one in so many */
    return HARDLY * field->values < field->chances;
}

/* Limits which missing fields count as dropped by the site. Pages without most of their usual
 * fields are of another kind, except for lists with as many records and a field that identifies
 * them. If other fields changed, too, or rules disagree on them, the missing ones were not just
 * dropped; except for rules of neighbours, one of which ends at the missing field. */
static void limit_gone(const th__profile *profile, const th__tally *tally, double alpha,
                       th__finding *findings)
{
    uint32_t core = 0, gone = 0, apart = 0;
    bool others = false;
    for (uint32_t i = 0; i < tally->count; i++) {
        const th__field_profile *old = known_field(tally, i, profile);
        const th__finding *f = &findings[i + 1];
        if (!is_usual(old, &tally->fields[i]))
            continue;
        bool there = f->large && f->p <= alpha && tally->fields[i].values;
        others |= there && !f->mild;
        apart += there && f->mild && !strcmp(f->test, "agreement");
        core++;
        gone += f->mild && is_none(&tally->fields[i]);
    }
    /* Except for named fields of the same list: several rules end where records do. */
    others |= apart > NEIGHBOURS * gone && !(tally->named && is_same_list(profile, tally));
    if (2 * gone > core && !others)
        others = !is_same_list(profile, tally) || !has_known_field(profile, tally, findings);
    for (uint32_t i = 0; i < tally->count && others; i++)
        findings[i + 1].mild &= !is_none(&tally->fields[i]);
}

/* Corrects for the number of fields; fields without a profile are not tested and do not count. A
 * small difference is not evidence, whatever its p-value. */
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

/* Runs the test of finding i, on all records or a field, as far as `asked`. */
static bool test(th_verdict *verdict, uint32_t i, th__finding *f)
{
    const th__tally *tally = &verdict->tally;
    seen_field seen;
    if (!i) {
        if (verdict->published)
            test_records(verdict->profile, tally, f);
        else
            test_all(verdict, f);
        return true;
    }
    const th__field_profile *old = known_field(tally, i - 1, verdict->profile);
    f->none = !old || !old->values || !tally->fields[i - 1].chances;
    if (f->none) {
        found(f, "none", 1, false, "%s",
              !old           ? "is not in the profile"
              : !old->values ? "had no values before"
                             : "no records to check");
        return true;
    }
    if (!see_field(tally, i - 1, verdict->profile, old, &verdict->arena, &verdict->glances[i - 1],
                   &seen))
        return false;
    /* Most fields are unchanged. */
    if (verdict->published)
        test_published(&seen, f);
    else if (f->asked == TH__ASK_WORDS || field_may_speak(&seen, 1))
        test_field(&seen, f);
    return true;
}

/* Corrects all findings for their number. */
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
    if (!verdict->published) {
        allow_parts(verdict->profile, tally, verdict->alpha, verdict->findings);
        limit_gone(verdict->profile, tally, verdict->alpha, verdict->findings);
    }
    verdict->settled = correct(verdict->findings, verdict->count);
    return verdict->settled;
}

/* Returns true if a field has had one place for a value so far: none of 5 tests of a single value
 * can be significant at 1 in 50. */
static bool is_hopeless(const th__field_tally *now, double bar)
{
    return bar < 5.0 / (TH__TALLY_FEW + 1) && now->chances == 1 && now->few && !now->told &&
           !now->by_looks;
}

/* Returns true if a finding of a light tally may be significant after correction: by Holm's method
 * none is unless the lowest p-value is, multiplied by their number. False if out of memory. */
static bool may_be_significant(th_verdict *verdict, bool *out)
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
        seen_field seen;
        if (!now->compared || !now->chances || is_hopeless(now, bar))
            continue;
        if (!see_field(tally, i, verdict->profile, now->known, &verdict->arena,
                       &verdict->glances[i], &seen))
            return false;
        *out = field_may_speak(&seen, bar);
    }
    return true;
}

static bool judge(th_verdict *verdict)
{
    bool any = true;
    if (verdict->tally.light && !may_be_significant(verdict, &any))
        return false;
    if (!any)
        return true;
    if (!settle(verdict))
        return false;
    verdict->drift = is_drift(verdict, 0) || enough_fields(verdict);
    for (uint32_t i = 0; i < verdict->count; i++)
        verdict->changed |= is_significant(verdict, i);
    if (verdict->published)
        verdict->drift = verdict->changed;
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

static bool tell(th_verdict *verdict, uint32_t i)
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
        tell_more(&told, "; the records have as much text as before");
    if (i) {
        out->path = th__arena_copy(&verdict->arena, verdict->tally.fields[i - 1].path);
        if (!out->path.ptr || !give_examples(verdict, i - 1, out))
            return false;
    }
    out->test = told.test;
    out->p = f->large ? f->p : 1;
    out->drift = is_drift(verdict, i);
    out->changed = is_significant(verdict, i) && f->mild;
    out->words = th_str_from(told.words);
    return true;
}

static bool tell_all(th_verdict *verdict)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < verdict->count; i++)
        ok = tell(verdict, i);
    return ok;
}

void th_verdict_free(th_verdict *verdict)
{
    if (!verdict)
        return;
    th_check_free(verdict->check);
    th__arena_release(&verdict->arena);
    th__mem_free(verdict);
}

static th_verdict *new_verdict(const th__tally *tally, const th__profile *profile, double alpha,
                               bool published)
{
    th_verdict *verdict = TH__NEW(th_verdict);
    if (!verdict)
        return NULL;
    th__arena_init(&verdict->arena);
    verdict->tally = *tally;
    verdict->profile = profile;
    verdict->alpha = alpha;
    verdict->published = published;
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
                     bool published, th_verdict **out, th_error *err)
{
    *out = new_verdict(tally, profile, alpha, published);
    if (*out && tell_all(*out))
        return TH_OK;
    th_verdict_free(*out);
    *out = NULL;
    return th__fail_memory(err);
}

/* Checks the link to the next page. A last page has none, so that one page without it means little:
 * it is broken if another link leads there, or if too many pages lack it for chance. The records
 * are still right. False if out of memory. */
static bool report_next(th_verdict *verdict, const th__next_rule *rule)
{
    const th__tally *tally = &verdict->tally;
    th_evidence *out = &verdict->next;
    char words[TH__WORDS_ROOM];
    if (!rule || !tally->next_pages)
        return true;
    double without = (rule->pages - (double)rule->found + 1) / (rule->pages + 2.0);
    bool found = tally->next_found > 0;
    *out = (th_evidence){.path = TH_STR("next page"), .test = "next", .p = 1};
    if (!found && tally->next_elsewhere)
        out->p = 0;
    else if (!found)
        out->p = pow(without < 1 ? without : 1, (double)tally->next_pages);
    out->changed = !found && out->p <= verdict->alpha;
    verdict->changed |= out->changed;
    if (found)
        snprintf(words, sizeof words, "its link is where it was");
    else
        snprintf(words, sizeof words, "no link where it was on %llu page%s, before: on %u of %u%s",
                 (unsigned long long)tally->next_pages, tally->next_pages == 1 ? "" : "s",
                 rule->found, rule->pages, tally->next_elsewhere ? "; another link leads on" : "");
    out->words = th__arena_copy(&verdict->arena, th_str_from(words));
    return out->words.ptr != NULL;
}

/* Returns the same check with one more reference. Its fields are shared from now on. */
static th_check *hold_check(const th_check *check)
{
    th_check *own = (th_check *)check; /* logically const */
    own->holders++;
    own->shared = true;
    return own;
}

static th_status check_verdict(const th_check *check, double alpha, bool published,
                               th_verdict **out, th_error *err)
{
    const th__profile *profile =
        check->tally.light ? check->tally.profile : check->wrapper->profile;
    *out = NULL;
    if (!profile)
        return th__fail(err, TH_ERR_ARGUMENT, "the wrapper " TH__NO_PROFILE);
    if (!check->tally.pages)
        return th__fail(err, TH_ERR_ARGUMENT, "no pages to verify the wrapper on");
    if (!(alpha >= 0 && alpha < 1))
        return th__fail(err, TH_ERR_ARGUMENT, "alpha must be a probability from 0 to 1");
    if (published && check->tally.light)
        return th__fail(err, TH_ERR_ARGUMENT, "the published test needs a thorough check");
    alpha = alpha > 0 ? alpha : TH_ALPHA;
    /* The samples of a thorough check change with the next page. */
    th_status status = TH_OK;
    if (!check->tally.light) {
        status = th__verify(&check->tally, profile, alpha, published, out, err);
    } else {
        *out = new_verdict(&check->tally, profile, alpha, false);
        if (*out)
            (*out)->check = hold_check(check);
        else
            status = th__fail_memory(err);
    }
    if (status || published || report_next(*out, check->wrapper->next))
        return status;
    th_verdict_free(*out);
    *out = NULL;
    return th__fail_memory(err);
}

th_status th_check_verdict(const th_check *check, double alpha, th_verdict **out, th_error *err)
{
    return check_verdict(check, alpha, false, out, err);
}

th_status th_check_verdict_published(const th_check *check, double alpha, th_verdict **out,
                                     th_error *err)
{
    return check_verdict(check, alpha, true, out, err);
}

/* ---- verdicts as JSON and in words -------------------------------------------------------------
 */

bool th_verdict_drift(const th_verdict *verdict)
{
    return verdict->drift;
}

const char *th_verdict_word(const th_verdict *verdict)
{
    return verdict->drift ? "drift" : verdict->changed ? "changed" : "fine";
}

size_t th_verdict_count(const th_verdict *verdict)
{
    return verdict->count + (verdict->next.test != NULL);
}

/* Casts away const: a verdict's content is fixed when it is made, even if computed later. A handle
 * belongs to one thread at a time. */
static th_verdict *own(const th_verdict *verdict)
{
    return (th_verdict *)verdict;
}

const th_evidence *th_verdict_get(const th_verdict *verdict, size_t index)
{
    if (index >= verdict->count)
        return index == verdict->count && verdict->next.test ? &verdict->next : NULL;
    tell(own(verdict), (uint32_t)index);
    return &verdict->evidence[index];
}

th_status th__text_give(th__buf *buf, th_text *out, th_error *err)
{
    bool ok = th__buf_add_byte(buf, '\0');
    *out = (th_text){buf->data, ok ? buf->len - 1 : 0, buf->cap};
    return ok ? TH_OK : th__fail_memory(err);
}

th_status th_verdict_to_json(const th_verdict *verdict, th_text *out, th_error *err)
{
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    th__json json = {.buf = &buf};
    if (!tell_all(own(verdict)))
        return th__fail_memory(err);
    th__json_begin_object(&json);
    th__json_put_text(&json, "verdict", th_str_from(th_verdict_word(verdict)));
    th__json_key(&json, TH_STR("drift"));
    th__json_bool(&json, verdict->drift);
    th__json_put_uint(&json, "pages", verdict->tally.pages);
    th__json_put_uint(&json, "records", verdict->tally.records);
    th__json_key(&json, TH_STR("explained"));
    th__json_double(&json, round(verdict->explained * 1e4) / 1e4);
    th__json_key(&json, TH_STR("explained_before"));
    th__json_double(&json, round(verdict->explained_before * 1e4) / 1e4);
    th__json_key(&json, TH_STR("alpha"));
    th__json_double(&json, verdict->alpha);
    th__json_key(&json, TH_STR("evidence"));
    th__json_begin_array(&json);
    for (size_t i = 0; i < th_verdict_count(verdict); i++)
        th__evidence_write(th_verdict_get(verdict, i), (th_str){0}, &json);
    th__json_end_array(&json);
    th__json_end_object(&json);
    return th__text_give(&buf, out, err);
}

static void explain_evidence(const th_evidence *evidence, th__buf *out)
{
    th_str name = evidence->path.ptr ? evidence->path : TH_STR("records");
    th__buf_printf(out, "  %-6s %.*s: %.*s",
                   evidence->drift                   ? "DRIFT"
                   : evidence->changed               ? "note"
                   : !strcmp(evidence->test, "none") ? "n/a"
                                                     : "ok",
                   TH_STR_ARG(name), TH_STR_ARG(evidence->words));
    bool shown = evidence->drift || evidence->changed;
    if (shown && evidence->p > 0)
        th__buf_printf(out, " (p = %.2g)", evidence->p);
    th__buf_add_byte(out, '\n');
    for (uint32_t i = 0; shown && i < evidence->example_count; i++)
        th__buf_printf(out, "           now: %.*s\n", TH_STR_ARG(evidence->examples[i]));
}

th_status th_verdict_explain(const th_verdict *verdict, th_text *out, th_error *err)
{
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    if (!tell_all(own(verdict)))
        return th__fail_memory(err);
    th__buf_printf(
        &buf, "%s: %llu page%s, %llu record%s\n",
        verdict->drift     ? "drift: the pages no longer match the profile"
        : verdict->changed ? "changed: the pages have changed, but the records look correct"
                           : "fine: the pages match the profile",
        (unsigned long long)verdict->tally.pages, verdict->tally.pages == 1 ? "" : "s",
        (unsigned long long)verdict->tally.records, verdict->tally.records == 1 ? "" : "s");
    for (size_t i = 0; i < th_verdict_count(verdict); i++)
        explain_evidence(th_verdict_get(verdict, i), &buf);
    return th__text_give(&buf, out, err);
}
