/*
 * repair_find.c: proposals of engines that need no labels.
 *
 * Each list that the engine sees on the new pages becomes a wrapper, is run, and has its columns
 * matched with the old fields. An engine for templates has one proposal.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "data/value_types.h"
#include "learn/learn.h"
#include "repair/repair.h"

/* So many known values on the pages are not a coincidence. */
enum { KNOWN_ENOUGH = 4 };
/* Proposals that differ by less keep their engine's order. */
#define SAME_SCORE 0.01
/* An engine names its best list first: of similar lists a later one is less likely, by this part
 * per place. */
#define LATER 0.01
/* A list of another engine must be so much more like the old one, since with the wrapper's own
 * engine rules of unbroken fields may stay. Less for the engine that combines all others. */
#define OTHER_WORTH 0.15
#define BEST_WORTH  0.05
/* The least likeness of a part, since there are many parts. */
#define LEAST_PART 0.5

/* The least likeness of a column of dates to a field of dates, in whatever format. */
#define DATE_WORTH 0.55
/* The part of the gap to full likeness that an equal name closes. */
#define NAME_WORTH 0.4

/* Below this, a column resembles a field only by chance. */
#define LEAST_LIKENESS 0.35
/* Link targets look different after most changes: the remaining ones are matched anyway. */
#define LEAST_TARGET 0.05
/* Lists of several engines offer many accidental matches: one of another engine than the wrapper's
 * must be this like the old one. */
#define OTHER_SCORE 0.4

enum {
    SAMPLES = 64, /* texts of a column that are examined */
    TRIED = 24    /* cuts of a field in a column */
};

/* ---- fields that are no column ----------------------------------------------------------------
 *
 * Layouts differ in what is a text of its own. What was a column may be a part of a text now
 * ("Votes: 13"), and the items of a list may be columns. Both are found by values that the field
 * had:
 *
 *     Size: 299 kg / Gallo, Anna        after "Size: ", before " /"        known: 299 kg
 *     ─────
 *
 * Of all cuts that give back a known value the one is taken whose values are most like the field.
 */

typedef struct seeker {
    th_repair *repair;
    th__proposal *proposal;
    const th__tally *tally;
    bool *whole; /* by column: it is a field */
    bool dated;  /* the field that is searched for contains dates */
} seeker;

static bool is_flat(th_str path)
{
    return !memchr(path.ptr, '.', path.len);
}

static size_t samples_of(const th__field_tally *column)
{
    return column->sample.len < SAMPLES ? column->sample.len : SAMPLES;
}

/* ---- parts of texts -------------------------------------------------------------------------- */

/* Computes how like the field the parts of a column are after a cut. False if out of memory. */
static bool judge_cut(const seeker *s, uint32_t field, const th__field_tally *column,
                      const th__cut *cut, double *likeness)
{
    th__field_tally parts = {.stride = 1};
    size_t seen = samples_of(column);
    bool ok = true;
    *likeness = 0;
    for (size_t i = 0; ok && i < seen; i++) {
        size_t from, to;
        th_str text = column->sample.data[i].text;
        if (!th__cut_find(cut, text, &from, &to))
            continue;
        ok = th__vec_push(&parts.sample, th__sample_of((th_str){text.ptr + from, to - from}));
    }
    if (ok && parts.sample.len) {
        /* A record may have several texts of a list: count the records that have one. */
        parts.values = parts.sample.len * column->values / (seen ? seen : 1);
        parts.chances = s->tally->records;
        *likeness = th__likeness(&s->repair->profile->fields[field], false, s->dated, &parts);
    }
    th__vec_release(&parts.sample);
    return ok;
}

typedef struct best_cut {
    th__cut cut;
    uint32_t column;
    double likeness;
} best_cut;

static bool try_cut(const seeker *s, uint32_t field, uint32_t column, const th__cut *cut,
                    double least, best_cut *best)
{
    double likeness;
    if (!judge_cut(s, field, &s->tally->fields[column], cut, &likeness))
        return false;
    if (likeness >= least && likeness > best->likeness + 1e-9)
        *best = (best_cut){*cut, column, likeness};
    return true;
}

/* Cuts around known values. */
static bool try_known(const seeker *s, uint32_t field, uint32_t column, best_cut *best)
{
    const th__field_profile *profile = &s->repair->profile->fields[field];
    const th__field_tally *tally = &s->tally->fields[column];
    uint32_t tried = 0;
    for (size_t i = 0; i < samples_of(tally); i++) {
        th_str text = tally->sample.data[i].text;
        for (uint32_t e = 0; e < profile->example_count && tried < TRIED; e++) {
            th_str example = profile->examples[e];
            size_t at = example.len < text.len ? th__find_words(text, example, 0) : SIZE_MAX;
            if (at == SIZE_MAX)
                continue;
            th__cuts cuts;
            th__cuts_of(text, at, at + example.len, &cuts);
            for (uint32_t c = 0; c < cuts.count; c++, tried++)
                if (!try_cut(s, field, column, &cuts.data[c], LEAST_PART, best))
                    return false;
        }
    }
    return true;
}

static bool copy_cut(th__arena *arena, th__cut *cut)
{
    if (cut->after.len)
        cut->after = th__arena_copy(arena, cut->after);
    if (cut->before.len)
        cut->before = th__arena_copy(arena, cut->before);
    return (!cut->after.len || cut->after.ptr) && (!cut->before.len || cut->before.ptr);
}

static bool set_part(const seeker *s, uint32_t field, const uint32_t *columns, uint32_t count,
                     const th__cut *cut)
{
    th__part *part = &s->proposal->parts[field];
    part->columns = th__arena_zero(&s->repair->arena, count, sizeof *part->columns);
    part->count = count;
    part->cut = *cut;
    if (!part->columns)
        return false;
    memcpy(part->columns, columns, count * sizeof *columns);
    return copy_cut(&s->repair->arena, &part->cut);
}

static bool find_cut(const seeker *s, uint32_t field)
{
    best_cut best = {.likeness = 0};
    for (uint32_t c = 0; c < s->tally->count; c++) {
        const th__field_tally *column = &s->tally->fields[c];
        if (column->target || !is_flat(column->path))
            continue;
        if (!try_known(s, field, c, &best))
            return false;
    }
    if (best.likeness <= s->proposal->match.likeness[field])
        return true;
    s->proposal->match.likeness[field] = best.likeness;
    return set_part(s, field, &best.column, 1, &best.cut);
}

/* ---- lists of columns ------------------------------------------------------------------------ */

static bool holds_known(const th__field_profile *field, const th__field_tally *column)
{
    for (size_t i = 0; i < samples_of(column); i++)
        for (uint32_t e = 0; e < field->example_count; e++) {
            th_str text = field->examples[e];
            if (th__telling(text) && column->sample.data[i].hash == th__hash(text.ptr, text.len))
                return true;
        }
    return false;
}

/* Finds unmatched columns with values of the list. */
static bool find_items(const seeker *s, uint32_t field)
{
    uint32_t own = s->proposal->match.column[field], count = 0;
    uint32_t *columns = th__arena_zero(&s->repair->arena, s->tally->count + 1, sizeof *columns);
    if (!columns)
        return false;
    for (uint32_t c = 0; c < s->tally->count; c++) {
        const th__field_tally *column = &s->tally->fields[c];
        if (column->target || !is_flat(column->path) || (s->whole[c] && c != own))
            continue;
        if (c != own && !holds_known(&s->repair->profile->fields[field], column))
            continue;
        columns[count++] = c;
        s->whole[c] = true;
    }
    if (!count || (count == 1 && own != TH__NO_COLUMN))
        return true;
    if (own == TH__NO_COLUMN)
        s->proposal->match.likeness[field] = th__likeness(&s->repair->profile->fields[field], false,
                                                          s->dated, &s->tally->fields[columns[0]]);
    return set_part(s, field, columns, count, &(th__cut){0});
}

static bool find_parts(seeker *s)
{
    const th__profile *profile = s->repair->profile;
    for (uint32_t f = 0; f < profile->count; f++) {
        uint32_t column = s->proposal->match.column[f];
        if (column != TH__NO_COLUMN)
            s->whole[column] = true;
    }
    for (uint32_t f = 0; f < profile->count; f++) {
        if (s->repair->targets[f] || !is_flat(profile->fields[f].path) ||
            !profile->fields[f].values)
            continue;
        bool list = th__is_list_path(profile->fields[f].path);
        s->dated = th__has_dates(&profile->fields[f]);
        if (list && !find_items(s, f))
            return false;
        if (!list && s->proposal->match.column[f] == TH__NO_COLUMN && !find_cut(s, f))
            return false;
    }
    return true;
}

th_status th__repair_parts(th_repair *repair, th__proposal *proposal, th_error *err)
{
    uint32_t count = repair->profile->count;
    seeker s = {.repair = repair, .proposal = proposal, .tally = &proposal->tally};
    s.whole = th__arena_zero(&repair->arena, s.tally->count + 1, sizeof *s.whole);
    proposal->parts = th__arena_zero(&repair->arena, count + 1, sizeof *proposal->parts);
    return s.whole && proposal->parts && find_parts(&s) ? TH_OK : th__fail_memory(err);
}

/* ---- likeness -------------------------------------------------------------------------------- */

static double rate(uint64_t values, uint64_t chances)
{
    return chances ? fmin(1, (double)values / (double)chances) : 0;
}

/* Returns false for the default names of columns: a word, and perhaps a number. */
static bool is_descriptive_name(th_str path)
{
    static const char *const plain[] = {"text", "link",  "image", "title",
                                        "date", "price", "url",   "other"};
    size_t len = 0;
    while (len < path.len && th__is_alpha((unsigned char)path.ptr[len]))
        len++;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (th__str_eq((th_str){path.ptr, len}, th_str_from(plain[i])))
            return false;
    return true;
}

bool th__are_dates(const th_str *texts, size_t count, size_t step)
{
    size_t others = 0;
    for (size_t i = 0; i < count && 10 * others <= count; i++)
        others += th__note_of(*(const th_str *)((const char *)texts + i * step)) != TH_NOTE_DATE;
    return 10 * others <= count;
}

double th__likeness(const th__field_profile *field, bool target, bool dated,
                    const th__field_tally *column)
{
    size_t n = column->sample.len;
    if (!n || column->target != target)
        return 0;
    double there =
        1 - fabs(rate(field->values, field->chances) - rate(column->values, column->chances));
    double likeness = th__look_likeness(field, column->sample.data, n) * (0.7 + 0.3 * there);
    /* An equal name that was made of a class or a label is not a coincidence. */
    if (th__same_path(field->path, column->path) && is_descriptive_name(field->path))
        likeness += (1 - likeness) * NAME_WORTH;
    if (!target && dated && likeness < DATE_WORTH && th__column_has_dates(column))
        likeness = DATE_WORTH * (0.7 + 0.3 * there);
    if (!target)
        likeness = th__headed_likeness(field, likeness, rate(column->headed, column->values));
    /* Known values are better evidence than any form: a few are enough. */
    return likeness + (1 - likeness) * fmin(1, 2 * th__known_values(field, column->sample.data, n));
}

double th__field_weight(const th__field_profile *field, bool target)
{
    return rate(field->values, field->chances) * (target ? 0.4 : 1) *
           (th__is_list_path(field->path) ? 0.5 : 1);
}

/* ---- matching columns with fields -------------------------------------------------------------
 */

/* How fields are matched. */
typedef struct matching {
    const bool *targets;  /* by field of the profile */
    const bool *skip;     /* by column: left out; or NULL */
    const uint8_t *there; /* by field and example: it is on the pages. If not NULL, a column that
                           * should have them and does not is not the field */
} matching;

typedef struct field_pair {
    double likeness;
    uint32_t given; /* examples of the field on the pages that are in the column */
    uint32_t field, column;
} field_pair;

static int by_likeness(const void *a, const void *b)
{
    const field_pair *x = a, *y = b;
    return th__order(y->likeness, x->likeness)
               ?: th__order(y->given, x->given)
               ?: th__order(x->field, y->field)
               ?: th__order(x->column, y->column);
}

/* Counts the examples on the pages that a column has, if they are to be examined. */
static th__shown shown_by(const th__profile *profile, const matching *how, uint32_t field,
                          const th__field_tally *column)
{
    if (!how->there || how->targets[field])
        return (th__shown){0};
    return th__examples_shown(&profile->fields[field],
                              how->there + (size_t)field * TH__EXAMPLES_MAX, column);
}

static bool make_pairs(const th__profile *profile, const matching *how, const th__tally *tally,
                       th__arena *arena, field_pair **out, size_t *count)
{
    /* Thousands of columns are not a record: bound the product. */
    enum { MOST = 1 << 22 };
    size_t room = (size_t)profile->count * tally->count;
    *count = 0;
    *out = room <= MOST ? th__arena_zero(arena, room + 1, sizeof **out) : NULL;
    if (room > MOST)
        return true;
    if (!*out)
        return false;
    for (uint32_t f = 0; f < profile->count; f++) {
        const th__field_profile *field = &profile->fields[f];
        bool dated = th__has_dates(field);
        for (uint32_t c = 0; c < tally->count; c++) {
            if (how->skip && how->skip[c])
                continue;
            double likeness = th__likeness(field, how->targets[f], dated, &tally->fields[c]);
            if (likeness < (how->targets[f] ? LEAST_TARGET : LEAST_LIKENESS))
                continue;
            th__shown shown = shown_by(profile, how, f, &tally->fields[c]);
            /* Values that identify records are on the pages, and none of them is here. */
            if (!th__is_varied(field) || !th__is_elsewhere(shown))
                (*out)[(*count)++] = (field_pair){likeness, shown.given, f, c};
        }
    }
    return true;
}

/* The share of text in the records that is in matched columns. If a whole page is taken for a
 * record, every field finds something similar, and most of the text is unmatched. */
static double known_text(const th__tally *tally, const bool *taken)
{
    double all = 0, known = 0;
    for (uint32_t i = 0; i < tally->count; i++) {
        double bytes = tally->fields[i].target ? 0 : (double)tally->fields[i].bytes;
        all += bytes;
        known += taken[i] ? bytes : 0;
    }
    return all > 0 ? known / all : 0;
}

/* Compares records per page, now and before: up to a factor of two means nothing. */
static double count_likeness(const th__profile *profile, const th__tally *tally)
{
    double old = (double)(profile->pages - profile->empty_pages);
    double now = (double)(tally->pages - tally->empty_pages);
    if (old <= 0 || now <= 0 || !profile->records || !tally->records)
        return 0;
    double apart = fabs(log((double)tally->records / now) - log((double)profile->records / old));
    return 1 / (1 + fmax(0, apart - log(2)));
}

/* Matches all. All in the arena. False if out of memory. */
static bool match_fields(const th__profile *profile, const matching *how, const th__tally *tally,
                         th__arena *arena, th__match *out)
{
    field_pair *pairs;
    size_t count;
    double sum = 0;
    bool *taken = th__arena_zero(arena, tally->count + 1, sizeof *taken);
    out->column = th__arena_zero(arena, profile->count + 1, sizeof *out->column);
    out->likeness = th__arena_zero(arena, profile->count + 1, sizeof *out->likeness);
    out->score = 0;
    if (!taken || !out->column || !out->likeness ||
        !make_pairs(profile, how, tally, arena, &pairs, &count))
        return false;
    if (count)
        qsort(pairs, count, sizeof *pairs, by_likeness);
    for (uint32_t f = 0; f < profile->count; f++)
        out->column[f] = TH__NO_COLUMN;
    for (size_t i = 0; i < count; i++) {
        if (taken[pairs[i].column] || out->column[pairs[i].field] != TH__NO_COLUMN)
            continue;
        taken[pairs[i].column] = true;
        out->column[pairs[i].field] = pairs[i].column;
        out->likeness[pairs[i].field] = pairs[i].likeness;
    }
    for (uint32_t f = 0; f < profile->count; f++) {
        double weight = th__field_weight(&profile->fields[f], how->targets[f]);
        sum += weight;
        out->score += weight * out->likeness[f];
    }
    out->score = sum > 0 ? out->score / sum : 0;
    out->score *= sqrt(known_text(tally, taken) * count_likeness(profile, tally));
    return true;
}

/* ---- proposals ---------------------------------------------------------------------------------
 */

static th_status learn_again(const th_repair *repair, th_learn_options *options,
                             const th_labels *labels, th_wrapper **out, th_error *err)
{
    th_corpus *corpus;
    options->date = repair->date.ptr;
    options->cancel = repair->cancel;
    options->no_profile = true;
    options->text_only = true; /* or they are data pages already */
    *out = NULL;
    th_status status = th_corpus_new(&corpus, err);
    if (status)
        return status;
    th_corpus_set_labels(corpus, labels);
    for (uint32_t i = 0; !status && i < repair->page_count && i < TH__REPAIR_LEARN; i++) {
        const th__repair_page *page = &repair->pages[i];
        char name[TH__REPAIR_NAME];
        th_records_source numbered = {th__repair_name(i, name), page->source.url};
        status = th_corpus_add(corpus, labels ? th__repair_part(repair, i) : page->page,
                               labels ? &numbered : &page->source, err);
    }
    if (!status)
        status = th_learn(corpus, options, out, NULL, err);
    th_corpus_free(corpus);
    /* Pages from which an engine cannot learn are not a failure of the repair. */
    return th__repair_learnt(status);
}

void th__repair_write_span(th_span span, th__json *json)
{
    th__json_begin_object(json);
    th__json_put_uint(json, "start", span.start);
    th__json_put_uint(json, "end", span.end);
    th__json_end_object(json);
}

/* Writes the places of a value that the old wrapper reads. Depth is that of the schema. */
void th__repair_write_value(const th_value *value, th__json *json)
{
    value = value ? th__value_chosen(value) : NULL;
    if (!value || value->kind == TH_VALUE_NULL ||
        (value->kind == TH_VALUE_TEXT && value->span.end <= value->span.start)) {
        th__json_null(json);
    } else if (value->kind == TH_VALUE_TEXT) {
        th__repair_write_span(value->span, json);
    } else if (value->kind == TH_VALUE_LIST) {
        th__json_begin_array(json);
        for (uint32_t i = 0; i < value->count; i++)
            th__repair_write_value(th__value_item(value, i), json);
        th__json_end_array(json);
    } else {
        th__json_begin_object(json);
        for (uint32_t i = 0; i < value->count; i++) {
            th__json_key(json, th__value_key(th__value_item(value, i)));
            th__repair_write_value(th__value_item(value, i), json);
        }
        th__json_end_object(json);
    }
}

th_status th__repair_learn_lines(const th_repair *repair, const char *engine, const th__buf *lines,
                                 th_wrapper **out, th_error *err)
{
    th_labels *labels = NULL;
    th_learn_options options;
    if (lines->failed)
        return th__fail_memory(err);
    th_learn_options_init(&options);
    th_status status = th_labels_read(th__buf_str(lines), "labels", &labels, err);
    options.engine = engine;
    if (repair->published)
        options.paper = repair->wrapper->paper;
    if (!status)
        status = learn_again(repair, &options, labels, out, err);
    th_labels_free(labels);
    return th__repair_learnt(status);
}

/* Learns the pick-th list of the pages; *out stays NULL if there is none. */
static th_status learn_list(const th_repair *repair, const char *engine, uint32_t pick,
                            th_wrapper **out, th_error *err)
{
    th_learn_options options;
    th_learn_options_init(&options);
    options.engine = engine;
    options.pick = pick;
    return learn_again(repair, &options, NULL, out, err);
}

/* Marks columns of texts that no rule takes: they match no field. */
static th_status mark_rest(const th_wrapper *wrapper, const th__tally *tally, th__arena *arena,
                           bool *skip, th_error *err)
{
    th_str rest;
    th_status status = th__repair_rest(wrapper, arena, &rest, err);
    for (uint32_t i = 0; !status && rest.ptr && i < tally->count; i++)
        skip[i] = th__same_path(tally->fields[i].path, rest);
    return status;
}

/* Compares records per page strictly: pages with the same content have as many records. More
 * records count less against a list: the old wrapper may have missed some. */
static double same_count(const th__profile *profile, const th__tally *tally)
{
    double old = (double)(profile->pages - profile->empty_pages);
    double now = (double)(tally->pages - tally->empty_pages);
    if (old <= 0 || now <= 0 || !profile->records || !tally->records)
        return 0;
    double ratio = (double)tally->records / now / ((double)profile->records / old);
    return ratio < 1 ? ratio : 1 / sqrt(ratio);
}

/* Known values in the records, if there are some, count more than the likeness of columns. If all
 * lists are far shorter or longer than the old one, the nearest counts in full: `count` is its
 * figure. */
static void score_proposal(th__proposal *c, double count)
{
    c->score = c->match.score;
    if (c->known.values >= KNOWN_ENOUGH && count > 0)
        c->score = (c->match.score + c->known.share * c->known.pure * c->count / count) / 2;
    if (c->pick)
        c->score *= 1 - LATER * (c->pick - 1);
    if (c->other)
        c->score -= strcmp(c->wrapper->engine->name, th__engine_names(TH__RANK_LISTS)[0])
                        ? OTHER_WORTH
                        : BEST_WORTH;
}

void th__repair_rank(th__proposal *proposals, size_t count)
{
    double best = 0;
    for (size_t i = 0; i < count; i++)
        best = fmax(best, proposals[i].count);
    for (size_t i = 0; i < count; i++)
        score_proposal(&proposals[i], best);
    th__proposals_sort(proposals, count, SAME_SCORE);
}

/* Runs a wrapper and matches its columns with the old fields. */
static th_status make_proposal(th_repair *repair, th_wrapper *wrapper, th__proposal *out,
                               th_error *err)
{
    th__run run;
    th__tally *tally = &run.tally;
    *out = (th__proposal){.wrapper = wrapper};
    th_status status = th__repair_run(repair, wrapper, false, &run, err);
    bool *skip = th__arena_zero(&repair->arena, tally->count + 1, sizeof *skip);
    if (!status && skip)
        status = mark_rest(wrapper, tally, &repair->arena, skip, err);
    bool whole = wrapper->engine->learn_corpus != NULL;
    matching how = {repair->targets, skip, whole ? repair->on_pages : NULL};
    if (!status &&
        (!skip || !match_fields(repair->profile, &how, tally, &repair->arena, &out->match)))
        status = th__fail_memory(err);
    if (!status)
        out->count = same_count(repair->profile, tally);
    if (!status)
        status = th__repair_known(repair, &run, &out->known, err);
    /* The tally is what is looked at again. */
    out->tally = run.tally;
    run.tally = (th__tally){0};
    th__run_release(&run);
    score_proposal(out, 1);
    return status;
}

/* Finds the lists of one engine, or its template; at most TH__REPAIR_PICKS. */
static th_status find_own(th_repair *repair, const char *engine, th__proposal *out, size_t *count,
                          th_error *err)
{
    uint32_t picks = TH__REPAIR_PICKS;
    th_status status = TH_OK;
    *count = 0;
    for (uint32_t pick = 1; !status && pick <= picks; pick++) {
        th_wrapper *wrapper;
        th__proposal proposal;
        status = learn_list(repair, engine, pick, &wrapper, err);
        if (status || !wrapper)
            break;
        /* An engine that learns from all pages together has a single result. */
        picks = wrapper->engine->learn_corpus ? 1 : picks;
        status = make_proposal(repair, wrapper, &proposal, err);
        proposal.pick = pick;
        if (!status && proposal.score > 0)
            out[(*count)++] = proposal;
        else
            th__proposals_release(&proposal, 1);
    }
    th__repair_rank(out, *count);
    return status;
}

/* Engines cut pages in different ways: appends the lists that the other engines find. */
static th_status find_others(th_repair *repair, th__proposal *out, size_t *count, th_error *err)
{
    const char *const *engines = th__engine_names(TH__RANK_LISTS);
    const char *own = repair->wrapper->engine->name;
    th_status status = TH_OK;
    for (size_t i = 0; !status && engines[i]; i++) {
        th__proposal found[TH__REPAIR_PICKS];
        size_t all = 0;
        if (!strcmp(engines[i], own))
            continue;
        status = find_own(repair, engines[i], found, &all, err);
        for (size_t j = 0; j < all; j++) {
            found[j].other = true;
            if (!status && found[j].score >= OTHER_SCORE)
                out[(*count)++] = found[j];
            else
                th__proposals_release(&found[j], 1);
        }
    }
    th__repair_rank(out, *count);
    return status;
}

th_status th__repair_find(th_repair *repair, const char *engine, th__proposal *out, size_t *count,
                          th_error *err)
{
    return engine ? find_own(repair, engine, out, count, err)
                  : find_others(repair, out, count, err);
}
