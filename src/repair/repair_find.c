/*
 * repair_find.c: candidates of engines that need no labels.
 *
 * Each list that the engine sees on the new pages becomes a wrapper, is run, and has its columns
 * matched with the old fields. An engine for templates has one candidate. Where lines of values are
 * cut into fields, old fields may be whole lines, or other parts of them: the list is learnt with
 * whole lines as well, and the one that has more of the old fields is taken.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "repair/repair.h"

/* So many known values on the pages are no chance. */
enum { KNOWN_ENOUGH = 4 };
/* Candidates that differ by less stay in the order in which their engine names them. */
#define SAME_SCORE 0.01
/* An engine names its best list first: of those that are about as like the old one a later one is
 * less likely, by this part a place. */
#define LATER 0.01
/* Records hardly any of which has two known values of a field are not two each. */
#define ALL_PURE 0.95
/* A list of another engine has to be so much more like the old one: with the own one, rules of
 * fields that are not broken may stay. Of the engine that puts all others together, less. */
#define OTHER_WORTH 0.15
#define AUTO_WORTH  0.05

/* Learns the pick-th list of the pages; *out stays NULL when there is none. */
static th_status learn(const th_repair *repair, const char *engine, uint32_t pick, bool whole_lines,
                       th_wrapper **out, th_error *err)
{
    th_learner *learner;
    th_learn_options options;
    size_t learnt = 0;
    th_learn_options_init(&options);
    options.engine = engine;
    options.pick = pick;
    options.whole_lines = whole_lines;
    options.date = repair->date.ptr;
    options.cancel = repair->cancel;
    *out = NULL;
    th_status status = th_learner_new(&options, &learner, err);
    if (status)
        return status;
    for (uint32_t i = 0; !status && i < repair->page_count && i < TH__REPAIR_LEARN; i++) {
        size_t records = 0;
        status =
            th_learner_add(learner, repair->pages[i].page, &repair->pages[i].source, &records, err);
        learnt += records;
    }
    if (!status && learnt)
        status = th_learner_finish(learner, out, err);
    th_learner_free(learner);
    /* Pages that an engine can make nothing of are no failure of the repair. */
    return th__repair_learnt(status);
}

/* Columns of texts that no rule takes are nobody's. */
static th_status mark_rest(const th_wrapper *wrapper, const th__tally *tally, th__arena *arena,
                           bool *skip, th_error *err)
{
    th_str rest;
    th_status status = th__repair_rest(wrapper, arena, &rest, err);
    for (uint32_t i = 0; !status && rest.ptr && i < tally->count; i++)
        skip[i] = th__same_path(tally->fields[i].path, rest);
    return status;
}

/* Records a page, now and before, in the narrow sense: where pages show what they showed, their
 * records are as many. More count less against a list: the old wrapper may have left some out. */
static double same_count(const th__profile *profile, const th__tally *tally)
{
    double old = (double)(profile->pages - profile->empty_pages);
    double now = (double)(tally->pages - tally->empty_pages);
    if (old <= 0 || now <= 0 || !profile->records || !tally->records)
        return 0;
    double ratio = (double)tally->records / now / ((double)profile->records / old);
    return ratio < 1 ? ratio : 1 / sqrt(ratio);
}

/* What the best of all candidates has. */
typedef struct best {
    double count, together;
} best;

/* Known values in the records tell more than the likeness of columns, when there are some. Of lists
 * that all are far shorter or longer than the old one the nearest counts in full: the page has as
 * many records as it has. Those that have known values of a record in several records are cut in
 * the wrong places, if another has them together; those that have two of a field, and columns that
 * say so, too, are two each. */
static void score_candidate(th__candidate *c, const best *of)
{
    c->score = c->match.score;
    if (c->known.values >= KNOWN_ENOUGH && of->count > 0) {
        double known = c->known.share * c->known.pure * c->count / of->count;
        if (c->known.pairs >= TH__REPAIR_PAIRS && of->together > 0)
            known *= c->known.together / of->together;
        if (c->known.pure < ALL_PURE)
            known /= 1 + c->match.doubled;
        c->score = (c->match.score + known) / 2;
    }
    if (c->pick)
        c->score *= 1 - LATER * (c->pick - 1);
    if (c->other)
        c->score -= strcmp(c->wrapper->engine->name, "lists") ? OTHER_WORTH : AUTO_WORTH;
}

/* Best first; those that are as good stay in their order. There are few. */
void th__repair_rank(th__candidate *candidates, size_t count)
{
    best of = {0};
    for (size_t i = 0; i < count; i++) {
        of.count = fmax(of.count, candidates[i].count);
        of.together = fmax(of.together, candidates[i].known.together);
    }
    for (size_t i = 0; i < count; i++) {
        th__candidate own = candidates[i];
        size_t at = i;
        score_candidate(&own, &of);
        for (; at && candidates[at - 1].score < own.score - SAME_SCORE; at--)
            candidates[at] = candidates[at - 1];
        candidates[at] = own;
    }
}

/* Runs a wrapper and matches its columns with the old fields. */
static th_status make_candidate(th_repair *repair, th_wrapper *wrapper, th__candidate *out,
                                th_error *err)
{
    th__tally tally;
    *out = (th__candidate){.wrapper = wrapper};
    th_status status = th__repair_run(repair, wrapper, &tally, err);
    bool *skip = th__arena_zero(&repair->arena, tally.count + 1, sizeof *skip);
    if (!status && skip)
        status = mark_rest(wrapper, &tally, &repair->arena, skip, err);
    bool whole = wrapper->engine->learn_corpus != NULL;
    th__matching how = {repair->targets, skip, whole, whole ? repair->on_pages : NULL};
    if (!status &&
        (!skip || !th__match_fields(repair->profile, &how, &tally, &repair->arena, &out->match)))
        status = th__fail_memory(err);
    if (!status)
        out->count = same_count(repair->profile, &tally);
    th__tally_release(&tally);
    if (!status)
        status = th__repair_known(repair, wrapper, &out->known, err);
    score_candidate(out, &(best){1, 1});
    return status;
}

/* How much of the old fields a candidate has, those included that are parts of its columns. */
static th_status find_fields(th_repair *repair, const th__candidate *candidate, double *sum,
                             th_error *err)
{
    th__candidate trial = *candidate;
    uint32_t count = repair->profile->count;
    double *likeness = th__arena_zero(&repair->arena, count + 1, sizeof *likeness);
    *sum = 0;
    if (!likeness)
        return th__fail_memory(err);
    memcpy(likeness, candidate->match.likeness, count * sizeof *likeness);
    trial.match.likeness = likeness;
    th_status status = th__repair_parts(repair, &trial, err);
    for (uint32_t f = 0; !status && f < count; f++)
        *sum += th__candidate_has(&trial, f) ? likeness[f] : 0;
    return status;
}

static uint32_t member_count(const th_wrapper *wrapper)
{
    return th_schema_record_type(wrapper->schema)->count;
}

/* Takes the list with whole lines in place of a candidate, when that has more of the old fields. */
static th_status try_whole_lines(th_repair *repair, const char *engine, uint32_t pick,
                                 th__candidate *candidate, th_error *err)
{
    th_wrapper *wrapper;
    th__candidate whole = {0};
    double cut_fields = 0, whole_fields = 0;
    th_status status = learn(repair, engine, pick, true, &wrapper, err);
    if (status || !wrapper)
        return status;
    bool same = member_count(wrapper) == member_count(candidate->wrapper);
    if (!same)
        status = make_candidate(repair, wrapper, &whole, err);
    if (!status && !same)
        status = find_fields(repair, candidate, &cut_fields, err);
    if (!status && !same)
        status = find_fields(repair, &whole, &whole_fields, err);
    if (status || same || whole_fields <= cut_fields) {
        th_wrapper_free(wrapper);
        return status;
    }
    th_wrapper_free(candidate->wrapper);
    whole.pick = candidate->pick;
    *candidate = whole;
    return TH_OK;
}

/* Puts a candidate among the others, best first. Takes its wrapper. */
static void add_candidate(const th__candidate *candidate, th__candidate *out, size_t *count)
{
    if (!(candidate->score > 0)) {
        th_wrapper_free(candidate->wrapper);
        return;
    }
    out[(*count)++] = *candidate;
}

th_status th__repair_find_by(th_repair *repair, const char *engine, th__candidate *out,
                             size_t *count, th_error *err)
{
    uint32_t picks = TH__REPAIR_PICKS;
    th_status status = TH_OK;
    *count = 0;
    for (uint32_t pick = 1; !status && pick <= picks; pick++) {
        th_wrapper *wrapper;
        th__candidate candidate;
        status = learn(repair, engine, pick, false, &wrapper, err);
        if (status || !wrapper)
            break;
        /* An engine that looks at all pages together gives the same whatever is picked. */
        picks = wrapper->engine->learn_corpus ? 1 : picks;
        status = make_candidate(repair, wrapper, &candidate, err);
        candidate.pick = pick;
        if (!status && !wrapper->engine->learn_corpus)
            status = try_whole_lines(repair, engine, pick, &candidate, err);
        if (status)
            th_wrapper_free(candidate.wrapper);
        else
            add_candidate(&candidate, out, count);
    }
    th__repair_rank(out, *count);
    return status;
}

th_status th__repair_find(th_repair *repair, th__candidate *out, size_t *count, th_error *err)
{
    return th__repair_find_by(repair, repair->wrapper->engine->name, out, count, err);
}
