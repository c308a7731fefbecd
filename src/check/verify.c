/*
 * verify.c: has the site changed? The records of new pages against the profile of the old ones.
 *
 * The paper compares the distribution of DataPro's patterns and calls every significant difference
 * a change: 35 of 37 changes were found, with 40 false alarms in 406 comparisons without a change.
 * False alarms have a cause: values of one page resemble each other (results of one query, offers
 * of one week), so that tests which take them for independent find chance differences significant.
 * Changes that matter are large as well: a field is empty, dates are where names were. So
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
 *     left       a page gives far less, and what records are made of is outside of them
 *     flooded    records have many times as many texts in a list as before: binomial
 *
 * Each threshold of size is a named constant with its reason.
 *
 * As published (th_check_verdict_published), the patterns themselves are compared, words included,
 * and every significant difference is a change; so is a field that is missing more often, and pages
 * without records.
 *
 * Most fields of most pages are as they were, and nobody reads what is to be seen of them. So a
 * field is asked first whether it may speak at all, for which few of its tests are made, and few of
 * its values read; the rest is worked out where one may, or where somebody reads the evidence.
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
#include "check/match.h"
#include "check/neighbours.h"
#include "wrapper/profile.h"

/* A field that was there in a share of its places has to fall below this part of that share. */
#define MISSING_PART 0.35
/* Below this part of it, the values that are there are looked at, too: whether they are like those
 * before. */
#define MANY_PART 0.7
/* The same of a field that was always there: pages of another layout may still have it. */
#define ALWAYS_PART 0.6
/* Those that are less like the old ones than this do not count as values. */
#define UNLIKE 0.3
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
/* A field that is dropped has a neighbour on either side. */
#define NEIGHBOURS 2

/* Of the many things on a page, lists of other pages and remarks among them, some come and go
 * together and look like drift, each for itself: one in so many is not the page. */
enum { PLACES = 15 };

/* A field of old and what is known of it now. Of the values a sample was looked at. */
typedef struct seen_field {
    const th__field_profile *old;
    const th__field_tally *now;
    th__glance *glances;
    size_t count;
    double mean; /* of their lengths */
    th__presence there;
    bool always; /* a field that somebody has named, and that all pages of one record had */
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

/* For words: printing a whole number costs a tenth of printing a fraction. */
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

/* What is worked out of them is the verdict's own. */
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

/* A value as its field sees it. */
static const th__glance *value_at(const seen_field *seen, size_t i)
{
    th__glance_read(&seen->glances[i], seen->old);
    return &seen->glances[i];
}

/* ---- in how many of its places a field is
 * --------------------------------------------------------- */

th__presence th__presence_of(const th__profile *profile, const th__field_profile *old,
                             const th__tally *tally, const th__field_tally *now)
{
    bool single = profile->records <= profile->pages && old->pages <= profile->pages;
    bool whole = now->pages <= tally->pages && now->values <= now->chances &&
                 now->chances - now->values <= tally->pages - now->pages;
    uint64_t was = old->values < old->chances ? old->values : old->chances;
    th__presence each = {was, old->chances, now->values, now->chances, now->chances};
    if (!single || !now->list)
        return each;
    if (whole)
        return (th__presence){old->pages, profile->pages, now->pages, tally->pages, tally->pages};
    each.chances = tally->pages < each.chances ? tally->pages : each.chances;
    return each;
}

double th__usual_share(uint64_t values, uint64_t chances)
{
    return fmin(0.95, ((double)values + 0.5) / ((double)chances + 1));
}

double th__missing_chance(const th__presence *in, uint64_t there)
{
    double usual = th__usual_share(in->was, in->was_all);
    if (in->chances < in->is_all)
        there = (uint64_t)((double)there / (double)in->is_all * (double)in->chances);
    return there ? th__binomial_lower(there, in->chances, usual)
                 : pow(1 - usual, (double)in->chances);
}

/* Returns true if a field is gone from the pages: looked for where all of it is missing, and hardly
 * found. */
static bool is_gone(const th__presence *presence, const th__field_tally *now)
{
    uint64_t missing = presence->is_all > presence->is ? presence->is_all - presence->is : 0;
    double share = presence->was_all ? (double)presence->was / (double)presence->was_all : 0;
    /* Half of what is missing, were it there: values are not always seen for what they are. */
    return now->looked && 10 * (now->looked + now->passed) >= 9 * missing &&
           (double)now->strays < 0.5 * (share < 1 ? share : 1) * (double)now->looked;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* How many of some values are like those of before, as far as they were looked at. */
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
    /* Where many are missing, what is there may be something else. */
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

/* Counts of the shapes, those that none has last. */
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

static double shapes_chance(bins *b, uint64_t old, uint64_t now)
{
    pool_bins(b, share(now, now + old));
    return b->count == 2 ? th__fisher(b->old[0], b->old[1], b->now[0], b->now[1])
                         : th__chi_square_homogeneity(b->old, b->now, b->count);
}

/* Returns true if shapes are apart by less than it takes, which the first values show as a rule:
 * what old and new ones have in common can only grow with those to come. */
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

/* Tells how far the distributions are apart. */
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
    /* Few values tell little of how much lengths differ: the usual deviation of texts
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
    /* The most that one value can have had of the old ones. */
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

/* Returns true if values still have most of the words that most of them had: a line of several
 * parts that are in another order, or are fewer, is still that line. One that is longer has taken
 * in something else. */
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

/* Returns true if at least half of the values still begin, or still end, as they did, and are
 * longer or shorter: a line that lost or got a part has kept the other. */
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

/* How likely it is at least that so many, all unlike all of before, are so by chance: one in all
 * the ways to take them out of the lot. Not worked out further than down to a bar. */
static double least_chance(uint64_t before, uint64_t now, double bar)
{
    double chance = 1;
    for (uint64_t k = 1; k <= now && chance > bar; k++)
        chance *= (double)k / (double)(before + k);
    return chance;
}

/* ---- words that go ---- */

/* The least part of the values that had a known word: nearly all; less where values are of a few
 * kinds (Small, Medium, Large), of which DataPro learns those that are many.
 * And the part of it that may be left. */
#define WORDED        0.8
#define WORDED_CLOSED 0.3
#define WORDS_LEFT    0.1
enum { CLOSED = 4 }; /* values of each kind, on the average */

static double worded_share(const th__field_profile *old, int end)
{
    return fmin(1, share(old->worded[end], old->sampled));
}

/* The words of a field at an end, if it is one that can be told by its words. */
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

/* Values have none of the words any more that DataPro learnt: others took the place of a few kinds,
 * or of "St." and "Blvd.". Values of a page may all be about one thing: pages are what is counted.
 */
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
        double chance = TH__ENDS * th__fisher(had, old->pages - had, have, seen->now->pages - have);
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

/* Fewer than this part of the values are where the field's values were. */
#define PLACED_PART 0.5

/* Values are no longer next to the texts that were next to them. Captions change, so that says
 * little by itself; but where the caption is still on the page, next to something else, these are
 * values of something else. */
static void test_place(const seen_field *seen, th__finding *out)
{
    const th__field_profile *old = seen->old;
    const th__field_tally *now = seen->now;
    double before = fmax(th__neighbours_next(old, TH__START), th__neighbours_next(old, TH__END));
    uint64_t had = (uint64_t)lrint(before * (double)old->sampled);
    double left = share(now->placed, now->placed_of);
    /* Where a page has many records, their values are near each other: a new order moves them all.
     */
    bool records = old->values > old->pages && th__str_find(old->path, TH_STR("[]")) == SIZE_MAX;
    bool large = now->placed_of && !records && left < PLACED_PART * before &&
                 2 * now->place_stays > now->place_looks;
    double p = out->p;
    if (out->asked == TH__ASK_CHANCE)
        p = large ? th__fisher(had, old->sampled - had, now->placed, now->placed_of - now->placed)
                  : 1;
    found(out, "place", p, large,
          "%ld%% of the values are next to the same texts, before: %ld%%; these texts are still on "
          "the page",
          percent(left), percent(before));
}

/* ---- all of them ----------------------------------------------------------------------------- */

typedef void (*field_test)(const seen_field *seen, th__finding *out);

/* The first two are all there is to say about targets of links, which are made of names and numbers
 * as they come, and about fields without values. */
static const field_test tests[] = {test_missing, test_repeated, test_begin, test_end,
                                   test_length,  test_place,    test_words};
enum { TESTS = sizeof tests / sizeof *tests, PLAIN_TESTS = 2 };

/* Most fields are not told by their words, and few pages tell nothing of them. */
static size_t test_count(const seen_field *seen)
{
    th__form_words words;
    bool worded =
        least_chance(seen->old->pages, seen->now->pages, TH_ALPHA) <= TH_ALPHA &&
        (has_words(seen->old, TH__START, &words) || has_words(seen->old, TH__END, &words));
    return seen->now->target || !seen->count ? PLAIN_TESTS : worded ? TESTS : TESTS - 1;
}

/* Rules that find a field in several ways used to agree and do so no more. */
static bool disagree(const th__field_profile *old, const th__field_tally *now)
{
    return old->told && now->told && old->agreed <= old->told && now->agreed <= now->told &&
           share(old->agreed, old->told) - share(now->agreed, now->told) >= AGREEMENT_FALL;
}

/* The values may be right nevertheless: it is told, and speaks for drift where these differ
 * significantly, too. */
static void test_agreement(const seen_field *seen, bool differs, th__finding *out)
{
    const th__field_profile *old = seen->old;
    const th__field_tally *now = seen->now;
    if (!disagree(old, now) || (out->large && !out->mild))
        return;
    found(out, "agreement",
          th__fisher(old->agreed, old->told - old->agreed, now->agreed, now->told - now->agreed),
          true, "the rules agree on %llu of %llu values (%.0f%%), before: %.0f%%",
          (unsigned long long)now->agreed, (unsigned long long)now->told,
          100 * share(now->agreed, now->told), 100 * share(old->agreed, old->told));
    out->mild = !differs;
}

static bool is_moved(const th__field_tally *now)
{
    return 2 * now->by_looks > now->values;
}

/* Rules do not find the field any more, and its looks did: the values are right as far as these
 * tell. */
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
    /* Chi-square may give less, but is for more. */
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

/* Of the three tests one: the distribution of DataPro's patterns at an end, words included, or what
 * is missing. */
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

/* The least likely of the three, corrected for their number. */
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

/* What is known of a field of a tally, or NULL. */
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
    /* Nothing on most pages where there was always something speaks for itself, on one page too. */
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

/* A page gives much less than pages did, and what records are made of is there as often
 * outside of them: those of another kind are not found. */
static void test_left(const th__tally *now, th__finding *out)
{
    uint64_t left = th__left_out(now);
    if (left)
        found(out, "left", 0, true,
              "pages give much less than before, and texts like those of %llu records are outside "
              "all records",
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

/* The list that a field is in, or the field: what comes and goes as one. */
static th_str place_of(th_str path)
{
    th_str list = th__list_of(path);
    return list.ptr ? list : path;
}

/* Returns true if the fields that drift are enough for a verdict. Fields that only some records
 * have come and go; a profile of one or two pages may hold for a field what is of those pages
 * alone, so that then several fields have to agree; and where there are very many, so have some of
 * them. */
static bool enough_fields(const th_verdict *verdict)
{
    const th__profile *profile = verdict->profile;
    uint64_t core = 0, drifting = 0, places = 0, drifting_places = 0;
    th_str place = {0};
    bool counted = false; /* the place at hand, among those that drift */
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

/* Returns true if these are lists of about as many records a page as before. */
static bool is_same_list(const th__profile *old, const th__tally *now)
{
    double before = share(old->records, old->pages), after = share(now->records, now->pages);
    return before >= 2 && after >= LIST_PART * before && LIST_PART * after <= before;
}

/* Returns true if a record has about as much text as before, by the mean lengths of its fields. */
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
                !is_usual(known_field(tally, i, profile), &tally->fields[i]);
    }
    for (uint32_t i = 1; i <= tally->count && whole; i++)
        if (findings[i].part)
            findings[i].mild = findings[i].whole = true;
}

/* Returns true if a field that tells records apart is as it was. */
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

/* Returns true if hardly any of the values that a field could have is there. */
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
    /* Nor there where fields were named, and looked for inside texts: rules of several fields
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
    /* Most fields have nothing to tell. */
    if (verdict->published)
        test_published(&seen, f);
    else if (f->asked == TH__ASK_WORDS || field_may_speak(&seen, 1))
        test_field(&seen, f);
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
    if (!verdict->published) {
        allow_parts(verdict->profile, tally, verdict->alpha, verdict->findings);
        limit_gone(verdict->profile, tally, verdict->alpha, verdict->findings);
    }
    verdict->settled = correct(verdict->findings, verdict->count);
    return verdict->settled;
}

/* Returns true if a field has had one place for a value so far: of 5 tests of a single value none
 * finds what chance would not do one time in 50. */
static bool is_hopeless(const th__field_tally *now, double bar)
{
    return bar < 5.0 / (TH__TALLY_FEW + 1) && now->chances == 1 && now->few && !now->told &&
           !now->by_looks;
}

/* Returns true if a finding of a light tally may speak once all are corrected for their number: by
 * Holm's method none does unless the least likely would even after multiplication with it. False
 * if out of memory. */
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
    if (verdict->tally.light && !may_speak(verdict, &any))
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

/* What became of the link to the next page. A last page has none, so that one page without it says
 * little: it is broken where another link is the one, or where chance does not explain that none of
 * the pages has it. The records are right all the same. False if out of memory. */
static bool tell_next(th_verdict *verdict, const th__next_rule *rule)
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

/* The same check, to be freed once more. Its fields are shared from now on. */
static th_check *hold_check(const th_check *check)
{
    th_check *own = (th_check *)check; /* which is as it was for all that is to be seen */
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
    if (status || published || tell_next(*out, check->wrapper->next))
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

/* What a verdict says is settled when it is made: that it is worked out later changes nothing that
 * is to be seen. A handle belongs to one thread at a time. */
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
