/* verify_tests.c: the tests of a field. verify.c opens with the list. */
#include "check/verify_tests.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/stats.h"
#include "check/strays.h"

/* A field that was there in a share of its places has to fall below this part of that share. */
#define MISSING_PART 0.35
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

void th__found(th__finding *out, const char *test, double p, bool large, const char *format, ...)
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

void th__tell_more(th__finding *out, const char *words)
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
                      th__seen *out)
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
static bool copy_glances(const th__field_tally *now, th__arena *arena, th__seen *out)
{
    size_t bytes = now->glance_count * sizeof *now->glances;
    out->glances = th__arena_alloc(arena, bytes);
    if (out->glances && bytes)
        memcpy(out->glances, now->glances, bytes);
    return out->glances != NULL;
}

double th__mean_length(const th__tally *tally, uint32_t field)
{
    const th__field_tally *now = &tally->fields[field];
    size_t count = tally->light ? now->glance_count : now->sample.len;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += tally->light ? th__log_length(now->glances[i].bytes) : now->sample.data[i].length;
    return count ? sum / (double)count : 0;
}

bool th__see_field(const th__tally *tally, uint32_t field, const th__profile *profile,
                   const th__field_profile *old, th__arena *arena, th__glance **kept, th__seen *out)
{
    const th__field_tally *now = &tally->fields[field];
    *out = (th__seen){old,
                      now,
                      *kept,
                      tally->light ? now->glance_count : now->sample.len,
                      th__mean_length(tally, field),
                      th__presence_of(profile, old, tally, now)};
    bool ok =
        *kept || (tally->light ? copy_glances(now, arena, out) : glance_at(old, now, arena, out));
    *kept = out->glances;
    return ok;
}

/* A value as its field sees it. */
static const th__glance *value_at(const th__seen *seen, size_t i)
{
    th__glance_read(&seen->glances[i], seen->old);
    return &seen->glances[i];
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* How many of some values are like those of before, as far as they were looked at. */
static uint64_t like_before(const th__seen *seen, uint64_t values)
{
    size_t like = 0;
    for (size_t i = 0; i < seen->count; i++)
        like += th__is_likely(seen->old, value_at(seen, i), UNLIKE);
    return seen->count ? values * like / seen->count : values;
}

static void test_missing(const th__seen *seen, th__finding *out)
{
    const th__presence *in = &seen->there;
    const th__field_tally *now = seen->now;
    uint64_t there = in->is;
    double before = share(in->was, in->was_all), after = share(there, in->is_all), p = out->p;
    /* Where many are missing, what is there may be something else. */
    if (after < TH__MANY_PART * before && !now->target)
        there = like_before(seen, there);
    bool large = in->is_all && share(there, in->is_all) < MISSING_PART * before;
    if (out->asked == TH__ASK_LARGE) {
        out->large = large;
        return;
    }
    if (out->asked == TH__ASK_CHANCE)
        p = th__missing_chance(in, there);
    th__found(out, "missing", p, large,
              in->is_all == now->chances
                  ? "%llu of %llu values are there (%ld%%), and %ld%% were before"
                  : "%llu of %llu pages have values (%ld%%), and %ld%% had before",
              (unsigned long long)in->is, (unsigned long long)in->is_all, percent(after),
              percent(before));
    out->mild = th__is_gone(in, now);
    if (out->asked != TH__ASK_WORDS || !out->large)
        return;
    if (there < in->is)
        th__tell_more(out, "; most of these are not like those before");
    if (now->looked)
        th__tell_more(out, out->mild ? "; nothing where the records are looks like them"
                                     : "; texts that look like them are still there");
}

/* Counts of the shapes, those that none has last. */
typedef struct bins {
    uint64_t old[TH__FORMS_MAX + 1], now[TH__FORMS_MAX + 1];
    size_t count;
} bins;

static void count_shapes(const th__seen *seen, int end, bins *out)
{
    const th__forms *shapes = &seen->old->shapes[end];
    uint64_t left = seen->old->sampled;
    out->count = shapes->count + 1;
    for (uint32_t i = 0; i < shapes->count; i++) {
        out->old[i] = shapes->data[i].count < left ? shapes->data[i].count : left;
        left -= out->old[i];
        out->now[i] = 0;
    }
    out->old[shapes->count] = left;
    out->now[shapes->count] = 0;
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

/* Whether shapes are apart by less than it takes, which the first values show as a rule: what old
 * and new ones have in common can only grow with those to come. */
static bool have_same_shapes(const th__seen *seen, int end)
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

static void test_shapes_of(const th__seen *seen, int end, th__finding *out)
{
    if (out->asked == TH__ASK_LARGE) {
        out->large =
            seen->old->sampled && seen->old->shapes[end].count && !have_same_shapes(seen, end);
        return;
    }
    bins b;
    th__buf common = {0};
    uint64_t n = seen->count, old = seen->old->sampled;
    const char *test = end == TH__START ? "begin" : "end";
    count_shapes(seen, end, &b);
    double apart = distance(&b, old, n), p = out->p;
    double kept = share(n - b.now[b.count - 1], n), was = 1 - share(b.old[b.count - 1], old);
    bool compared = b.count > 1 && n && old;
    if (out->asked == TH__ASK_CHANCE)
        p = compared ? shapes_chance(&b, old, n) : 1;
    if (out->asked == TH__ASK_WORDS)
        name_shape(seen->old, end, &common);
    th__found(out, test, p, compared && apart >= SHAPE_DISTANCE,
              "%ld%% of the values %s in a known way, and %ld%% did before (often \"%.*s\"); the "
              "distributions are %ld%% apart",
              percent(kept), test, percent(was), TH_STR_ARG(th__buf_str(&common)), percent(apart));
    th__buf_release(&common);
}

static void test_begin(const th__seen *seen, th__finding *out)
{
    test_shapes_of(seen, TH__START, out);
}

static void test_end(const th__seen *seen, th__finding *out)
{
    test_shapes_of(seen, TH__END, out);
}

static void test_length(const th__seen *seen, th__finding *out)
{
    const th__field_profile *old = seen->old;
    size_t n = seen->count;
    double apart = fabs(seen->mean - old->length), p = out->p;
    /* Few values tell little of how much lengths differ: the usual deviation of texts stands in
     * for four more. */
    double sampled = (double)old->sampled;
    double sd =
        sqrt((sampled * old->length_sd * old->length_sd + 4 * USUAL_SD * USUAL_SD) / (sampled + 4));
    bool compared = n > 1 && old->sampled > 1;
    bool large = compared && apart >= LENGTH_DISTANCE && apart >= LENGTH_DEVIATIONS * sd;
    if (out->asked == TH__ASK_LARGE) {
        out->large = large;
        return;
    }
    if (out->asked == TH__ASK_CHANCE) {
        double error = n && old->sampled ? sd * sqrt(1 / (double)n + 1 / sampled) : 1;
        p = compared ? erfc(apart / error / sqrt(2)) : 1;
    }
    th__found(out, "length", p, large, "values have about %ld bytes, and had %ld before",
              out->asked == TH__ASK_WORDS ? lrint(expm1(seen->mean)) : 0,
              out->asked == TH__ASK_WORDS ? lrint(expm1(old->length)) : 0);
}

static bool are_same(const th__glance *a, const th__glance *b)
{
    return a->bytes == b->bytes && th__str_eq(a->text, b->text) &&
           (a->bytes <= TH__DP_LONG || a->hash == b->hash);
}

static void test_repeated(const th__seen *seen, th__finding *out)
{
    const th__field_profile *old = seen->old;
    size_t n = seen->count, same = n > 0;
    while (same < n && are_same(&seen->glances[same], &seen->glances[0]))
        same++;
    /* The most that one value can have had of the old ones. */
    double most = share(old->sampled - old->distinct + 1, old->sampled), p = out->p;
    bool compared = n > 1 && same == n && old->sampled > 1 && old->distinct <= old->sampled;
    if (out->asked == TH__ASK_LARGE) {
        out->large = compared && most <= 0.5;
        return;
    }
    if (out->asked == TH__ASK_CHANCE)
        p = compared ? pow(most, (double)(n - 1)) : 1;
    th__found(out, "repeated", p, compared && most <= 0.5,
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
static bool keeps_words(const th__seen *seen)
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

/* Whether at least half of the values still begin, or still end, as they did, and are longer or
 * shorter: a line that lost or got a part has kept the other. */
static bool keeps_part(const th__seen *seen)
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

static double words_now(const th__seen *seen, const th__form_words *words)
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
static void test_words(const th__seen *seen, th__finding *out)
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
    th__found(out, "words", fmin(1, p), p < 1,
              "%ld%% of the values have words that were known, and %ld%% had before", percent(left),
              percent(was));
}

/* ---- all of them ----------------------------------------------------------------------------- */

typedef void (*field_test)(const th__seen *seen, th__finding *out);

/* The first two are all there is to say about targets of links, which are made of names and numbers
 * as they come, and about fields without values. */
static const field_test tests[] = {test_missing, test_repeated, test_begin,
                                   test_end,     test_length,   test_words};
enum { TESTS = sizeof tests / sizeof *tests, PLAIN_TESTS = 2 };

/* Most fields are not told by their words, and few pages tell nothing of them. */
static size_t test_count(const th__seen *seen)
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
static void test_agreement(const th__seen *seen, bool differs, th__finding *out)
{
    const th__field_profile *old = seen->old;
    const th__field_tally *now = seen->now;
    if (!disagree(old, now) || (out->large && !out->mild))
        return;
    th__found(
        out, "agreement",
        th__fisher(old->agreed, old->told - old->agreed, now->agreed, now->told - now->agreed),
        true, "the rules agree on %llu of %llu values (%.0f%%), and agreed on %.0f%% before",
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
    th__found(out, "moved", 0, true,
              "%llu of %llu values stand elsewhere and were found by what they look like; "
              "`thresh repair` makes rules for them",
              (unsigned long long)now->by_looks, (unsigned long long)now->values);
    out->mild = true;
}

static bool speaks(field_test test, const th__seen *seen, double bar)
{
    th__finding f = {.asked = TH__ASK_LARGE};
    test(seen, &f);
    if (!f.large)
        return false;
    f.asked = TH__ASK_CHANCE;
    test(seen, &f);
    return f.large && f.p <= bar;
}

bool th__field_may_speak(const th__seen *seen, double bar)
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

void th__test_field(const th__seen *seen, th__finding *out)
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
    if (tests[best] == test_words)
        out->mild = false; /* other words are another thing, however they begin and end */
    else if (out->large && best >= PLAIN_TESTS && !out->mild && keeps_words(seen)) {
        out->mild = true;
        th__tell_more(out, "; most of the words that they had in common are still in them");
    } else if (out->large && best >= PLAIN_TESTS && !out->mild) {
        out->part = keeps_part(seen);
    }
    test_agreement(seen, least * (double)count <= TH_ALPHA, out);
    test_moved(seen->now, out);
}
