/*
 * repair.h: inside view of a repair.
 *
 * The paper's reinduction finds the values of each field again on the changed pages and learns the
 * wrapper anew from them. How they are found depends on the engine:
 *
 *   - Engines that find lists (lists, mdr, iepad) or templates (template, exalg) give proposals
 *     without labels: each is run, and its columns are matched with the old fields by profile
 *     (below), and by values that fields had before. Fields that are parts of columns are cut
 * out. repair_find.c.
 *   - Engines that learn from labels (stalker, softmealy, paths) need the values on the pages:
 *     texts that look like values of a field, in clusters of those that are in the same place; the
 *     cluster that is most like the field's old values (repair_places.c) labels the pages
 *     (repair_relabel.c).
 *
 * As published, reinduce.c does all of this for engines that learn from labels.
 *
 * repair_rewrite.c gives the new wrapper the old names; repair.c decides what became of each field
 * and reports it, and repair_guard.c refuses wrappers that lose something.
 */
#ifndef TH_REPAIR_H
#define TH_REPAIR_H

#include <stdio.h>

#include "base/cancel.h"
#include "base/json_out.h"
#include "base/vec.h"
#include "check/check.h"
#include "check/verdict.h"
#include "check/words.h"
#include "wrapper/cut.h"

enum {
    TH__REPAIR_PAGES = 32, /* that are kept */
    TH__REPAIR_LEARN = 12, /* of these, that are learnt from */
    TH__REPAIR_PICKS = 10, /* lists of a page that are tried */
    TH__REPAIR_ALL = 40    /* those of all engines */
};

/* A page, and what is computed of it once. Its view (index/view.h) is kept with the repair's
 * copy. */
typedef struct th__repair_page {
    th_page *page;
    th_page *part; /* of a page of very many records, an excerpt to learn from; or NULL */
    th_records_source source;
    th_records *given; /* by the old wrapper; or NULL: see th__repair_given */
} th__repair_page;

/* The output of a wrapper's rules on the pages of a repair. */
typedef struct th__run {
    const th_wrapper *wrapper;
    th__tally tally;
    th_records *records[TH__REPAIR_PAGES];
} th__run;

/* A cluster of candidates of a field, as reported: reinduce.c. */
typedef struct th__told_cluster {
    th_str path;
    uint32_t rank; /* among those of the field, from 1: the one taken */
    double score;
    th_str words; /* their number, position, landmarks, and some of them */
} th__told_cluster;

struct th_repair {
    const th_wrapper *wrapper;
    const th__profile *profile; /* of the wrapper */
    double alpha;
    th_str date;
    th_cancel cancel;
    th__arena arena;
    th__repair_page pages[TH__REPAIR_PAGES];
    uint32_t page_count;
    th__tally tally;         /* of the old wrapper on the pages */
    uint8_t *on_pages;       /* by field and example: it is on some page */
    uint64_t *example_words; /* the same: the hash of its longest word, or 0 */
    bool *targets;           /* by field of the profile: contains link targets */
    bool *broken;            /* by field of the profile, once the old wrapper is judged */
    bool *drifting;          /* the same: its values have changed, if there are records */
    double refused;          /* the best score of a proposal that was refused for its losses */
    bool new_fields, allow_lost, published; /* as asked for */
    uint32_t lost;                          /* fields that the accepted wrapper does not find */
    th_outcome outcome;
    th_verdict *before, *after;
    th_field_repair *fields;    /* by field of the profile */
    uint32_t field_count;       /* 0 until there is a finding */
    th__told_cluster *clusters; /* of a repair as published */
    uint32_t cluster_count;
    bool finished;
};

/* ---- matching: repair_find.c -------------------------------------------------------------------
 *
 * A column of newly found records is like a field of the old ones if its values begin and end as
 * the field's did, are as long, and are as rarely missing; above all if it contains known values of
 * the field. Fields and columns are paired best first, each at most once. */

#define TH__NO_COLUMN UINT32_MAX

/* How much a column is like a field: 0 to 1. `target`: the field contains link targets. `dated`: it
 * contains dates, which a new layout may write in another format. */
double th__likeness(const th__field_profile *field, bool target, bool dated,
                    const th__field_tally *column);
/* Returns true if nearly all of some texts are dates; the next one is `step` bytes further on. */
bool th__are_dates(const th_str *texts, size_t count, size_t step);
static inline bool th__has_dates(const th__field_profile *field)
{
    return field->example_count &&
           th__are_dates(field->examples, field->example_count, sizeof *field->examples);
}
static inline bool th__column_has_dates(const th__field_tally *column)
{
    enum { LOOKED = 12 };
    return th__are_dates(&column->sample.data->text,
                         column->sample.len < LOOKED ? column->sample.len : LOOKED,
                         sizeof *column->sample.data);
}

/* Corrects a likeness by the share of values that appear in the titles of their pages (`headed`). A
 * field whose values did should do so again: a column whose values do closes a part of the gap to
 * full likeness, and one whose values do not loses a part, since lists of other things look like
 * titles too. Others should not. */
static inline double th__headed_likeness(const th__field_profile *field, double likeness,
                                         double headed)
{
    enum {
        MOST = 5,
        FEW = 4
    }; /* all values but one in five, or one in five; values that suffice */
    const double worth = 0.4, cost = 0.25;
    if (field->values >= FEW && MOST * field->headed <= field->values)
        return likeness * (1 - cost * headed);
    if (field->values < 2 || MOST * field->headed < (MOST - 1) * field->values)
        return likeness;
    return likeness * (1 - worth * (1 - headed)) + (1 - likeness) * worth * headed;
}

/* How much a field matters: less when it is often missing, a list, or the target of a link. */
double th__field_weight(const th__field_profile *field, bool target);

typedef struct th__match {
    uint32_t *column; /* by field of the profile: of the tally, or TH__NO_COLUMN */
    double *likeness; /* by field: 0 to 1 */
    double score;     /* of all fields, weighted by importance: 0 to 1 */
} th__match;

/* How many known values are in the records of a wrapper. */
typedef struct th__known {
    uint32_t fields, values; /* that are on the pages: fields with two values or more */
    double share;            /* of these, weighed: in some record */
    double pure;             /* the share of records with one value of each field */
} th__known;

/* A field that is not a column: a part of a column's texts, or a list of several columns. */
typedef struct th__part {
    uint32_t *columns; /* of the tally */
    uint32_t count;    /* 0: it is a column, or not found */
    th__cut cut;
} th__part;

/* A wrapper that may be the repaired one, before its fields have their names. */
typedef struct th__proposal {
    th_wrapper *wrapper;
    bool named;      /* its fields have the old names already */
    bool other;      /* of another engine than the old wrapper */
    th__match match; /* of the old fields with its columns; in the repair's arena */
    th__known known;
    th__tally tally; /* the wrapper's output, until it has its names */
    uint32_t pick;   /* which of its engine's lists it is, from 1 */
    double count;    /* how like the old number of records is: 0 to 1 */
    th__part *parts; /* by field; NULL when there are none. In the repair's arena */
    double score;
} th__proposal;

/* The name of a field of flat records: its path without the brackets of a list. */
static inline th_str th__field_name(th_str path)
{
    if (path.len > 2 && path.ptr[path.len - 1] == ']')
        path.len -= 2;
    return path;
}

/* A text as a sample of values is compared with it. Borrowed. */
static inline th__sample th__sample_of(th_str text)
{
    th__sample sample = {
        .text = text, .hash = th__hash(text.ptr, text.len), .length = th__log_length(text.len)};
    th__dp_split(text, &sample.value);
    return sample;
}

/* The column of a tally that has the values of a field of the profile, or NULL. */
static inline const th__field_tally *th__column_of(const th_repair *repair, const th__tally *tally,
                                                   uint32_t field)
{
    return th__tally_find(tally, field, repair->profile->fields[field].path);
}

/* The page that is labelled. */
static inline const th_page *th__repair_part(const th_repair *repair, uint32_t page)
{
    const th__repair_page *own = &repair->pages[page];
    return own->part ? own->part : own->page;
}

/* The name of a page in labels. */
enum { TH__REPAIR_NAME = 32 };
static inline th_str th__repair_name(uint32_t page, char name[static TH__REPAIR_NAME])
{
    snprintf(name, TH__REPAIR_NAME, "page-%u", page);
    return th_str_from(name);
}

/* TH_OK while the repair may go on. */
static inline th_status th__repair_check(const th_repair *repair, th_error *err)
{
    return th__cancel_check(&repair->cancel, err);
}
/* Turns a failure to learn into TH_OK: most pages just give no proposal. */
static inline th_status th__repair_learnt(th_status status)
{
    return status == TH_ERR_MEMORY || status == TH_ERR_CANCELLED ? status : TH_OK;
}

/* Runs a wrapper on all pages of the repair; `judged`: for verification. Caller releases, also
 * after a failure. */
th_status th__repair_run(const th_repair *repair, const th_wrapper *wrapper, bool judged,
                         th__run *out, th_error *err);
void th__run_release(th__run *run);
/* The old wrapper's output on a page as users get it, including fields found by their looks. The
 * repair owns it. */
th_status th__repair_given(th_repair *repair, uint32_t page, const th_records **out, th_error *err);
void th__proposals_release(th__proposal *proposals, size_t count);

/* Counts the known values in a wrapper's records. */
th_status th__repair_known(th_repair *repair, const th__run *run, th__known *out, th_error *err);
/* Returns true if a proposal has a field at all. */
static inline bool th__proposal_has(const th__proposal *proposal, uint32_t field)
{
    return proposal->match.column[field] != TH__NO_COLUMN ||
           (proposal->parts && proposal->parts[field].count);
}
/* Returns true if an engine finds lists by itself. */
static inline bool th__finds_lists(const th__engine *engine)
{
    return !engine->needs_labels && !engine->learn_corpus;
}

/* Fields that matter less than this may just not be on these pages. */
#define TH__WEIGHT_TO_MISS 0.2
/* Returns true if the records of a list are whole, and not parts of them. */
bool th__repair_is_whole(const th_repair *repair, const th__proposal *proposal,
                         const th__tally *tally);
/* Finds fields that are not a column of a proposal: fills its parts. */
th_status th__repair_parts(th_repair *repair, th__proposal *proposal, th_error *err);

/* Finds proposals of an engine that needs no labels, best first; at most TH__REPAIR_PICKS. Engine
 * NULL: appends those of all other engines that find lists. Caller releases them. */
th_status th__repair_find(th_repair *repair, const char *engine, th__proposal *out, size_t *count,
                          th_error *err);
/* Sorts proposals by score, best first; stable for differences below the margin. There are few. */
static inline void th__proposals_sort(th__proposal *proposals, size_t count, double margin)
{
    for (size_t i = 1; i < count; i++) {
        th__proposal own = proposals[i];
        size_t at = i;
        for (; at && proposals[at - 1].score < own.score - margin; at--)
            proposals[at] = proposals[at - 1];
        proposals[at] = own;
    }
}
/* The same, after scoring them against each other. */
void th__repair_rank(th__proposal *proposals, size_t count);
/* The same for an engine that learns from labels; for lists also by another such engine. */
th_status th__repair_label(th_repair *repair, th__proposal *out, size_t *count, th_error *err);

/* ---- repair_places.c ---------------------------------------------------------------------------
 */

/* Where a record is. */
typedef struct th__record_extent {
    uint32_t page;
    th_span span;
} th__record_extent;

typedef TH__VEC(th__record_extent) th__record_extents;

/* A value of a field, in one of the extents. */
typedef struct th__spot {
    uint32_t field, extent;
    th_span span;
} th__spot;

/* The chosen spots: by field, extent and place. */
typedef struct th__spots {
    TH__VEC(th__spot) data;
    bool *chosen; /* by field of the profile; in the repair's arena */
} th__spots;

/* Chooses places in the extents, which are in page order, for the fields with wanted[field],
 * outside of `kept`. Caller releases data. */
th_status th__spots_choose(th_repair *repair, const th__record_extent *extents, uint32_t count,
                           const bool *wanted, const th__spots *kept, th__spots *out,
                           th_error *err);

/* ---- labels ------------------------------------------------------------------------------------
 */

/* Labels as JSON: a place, and the old wrapper's output. */
void th__repair_write_span(th_span span, th__json *json);
void th__repair_write_value(const th_value *value, th__json *json);
/* Learns from the first pages with an engine and labels as lines of JSON; *out is NULL if it cannot
 * learn from them. */
th_status th__repair_learn_lines(const th_repair *repair, const char *engine, const th__buf *lines,
                                 th_wrapper **out, th_error *err);
/* Reinduction as published: labels of the pages as lines of JSON, of all fields or of the broken
 * ones; and the clusters for the report. */
th_status th__reinduce(th_repair *repair, bool all, th__buf *labels, th_error *err);

/* The name of the member for texts that no rule takes, or absent. In the arena. */
th_status th__repair_rest(const th_wrapper *wrapper, th__arena *arena, th_str *out, th_error *err);
/* The proposal with the names of the old fields, or, if some of these are parts of its columns,
 * with a selection: *out is NULL if its rules cannot have them. Caller frees. */
th_status th__repair_rewrite(th_repair *repair, const th__proposal *proposal, th_wrapper **out,
                             th_error *err);
/* Sets *worse if a wrapper extracts less from the pages than the old one. */
th_status th__repair_guard(th_repair *repair, const th__run *now, bool *worse, th_error *err);
/* Adds version, history and profile to a wrapper that passed; *out is a copy that is independent of
 * the repair. Caller frees both. */
th_status th__repair_complete(th_repair *repair, th_wrapper *passed, const th__tally *tally,
                              th_wrapper **out, th_error *err);

#endif
