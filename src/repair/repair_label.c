/*
 * repair_label.c: changed pages labelled anew, for engines that learn from labels.
 *
 * Pages of one record are labelled by the places that repair_places.c chooses for the broken fields
 * and for those that have hardly any values left; what the old wrapper still reads keeps the places
 * where it reads it (repair_labelling.h). Where that does not do, or all fields together are found
 * better, all are looked for.
 *
 * Pages of many records are labelled in the same way, record by record: in the records that the old
 * wrapper still finds, and in those of the lists that the auto engine finds there, of which columns
 * matched by profile as in repair_find.c are tried too (repair_label_lists.c); where none of these
 * reads the pages, records are cut by their titles (repair_anchors.c). Candidates are ranked by how
 * much of the fields they give, and how many records.
 */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "repair/repair_labelling.h"
#include "page/page.h"

/* Of a field that every record has. */
#define CLEARLY 0.1
/* Of what a candidate can have: it reads the pages. Values that are new, and fields that are
 * seldom, take a little away where all is right. */
#define ENOUGH 0.9

/* ---- pages of one record --------------------------------------------------------------------- */

static th_status label_page(const th__labelling *l, uint32_t page, th__json *json, th_error *err)
{
    const th__repair_page *p = &l->repair->pages[page];
    th_records *records;
    th_status status = th__repair_check(l->repair, err);
    if (!status)
        status = th_wrapper_extract(l->repair->wrapper, p->page, &p->source, &records, err);
    if (status)
        return status;
    th__label_begin_page(page, "record", json);
    bool ok = th__label_record(l, page, th_records_get(records, 0), json);
    th__label_end_page(json);
    th_records_free(records);
    return ok ? TH_OK : th__fail_memory(err);
}

static th_status keep_page(const th__labelling *l, uint32_t page, th__places *kept, th_error *err)
{
    const th__repair_page *p = &l->repair->pages[page];
    th_records *records;
    th_status status = th__repair_check(l->repair, err);
    if (!status)
        status = th_wrapper_extract(l->repair->wrapper, p->page, &p->source, &records, err);
    if (status)
        return status;
    bool ok = th__labelling_keep(l, th_records_get(records, 0), page, kept);
    th_records_free(records);
    return ok ? TH_OK : th__fail_memory(err);
}

static th_status label_details(th_repair *repair, uint32_t pages, bool all, th__buf *out,
                               th_error *err)
{
    th__labelling l = {.repair = repair, .pages = pages};
    th__json json = {.buf = out};
    th__places kept = {0};
    th__unit units[TH__REPAIR_LEARN];
    th_status status = th__labelling_want(&l, all) ? TH_OK : th__fail_memory(err);
    for (uint32_t i = 0; i < pages; i++)
        units[i] = (th__unit){i, {0, (uint32_t)repair->pages[i].page->text.len}};
    for (uint32_t i = 0; !status && i < pages; i++)
        status = keep_page(&l, i, &kept, err);
    if (!status)
        status = th__places_choose(repair, units, pages, false, l.wanted, &kept, &l.places, err);
    if (!status && !th__labelling_hold(&l, &kept))
        status = th__fail_memory(err);
    th__vec_release(&kept.data);
    for (uint32_t i = 0; !status && i < pages; i++)
        status = label_page(&l, i, &json, err);
    th__vec_release(&l.places.data);
    return status;
}

/* ---- learning -------------------------------------------------------------------------------- */

static th_status learn(const th_repair *repair, const char *engine, const th_labels *labels,
                       uint32_t pages, th_wrapper **out, th_error *err)
{
    th_learner *learner;
    th_learn_options options;
    th_learn_options_init(&options);
    options.engine = engine;
    options.date = repair->date.ptr;
    options.labels = labels;
    options.cancel = repair->cancel;
    th_status status = th_learner_new(&options, &learner, err);
    for (uint32_t i = 0; !status && i < pages; i++) {
        char name[32];
        snprintf(name, sizeof name, "page-%u", i);
        th_records_source source = {th_str_from(name), repair->pages[i].source.url};
        status = th_learner_add(learner, th__repair_part(repair, i), &source, NULL, err);
    }
    if (!status)
        status = th_learner_finish(learner, out, err);
    th_learner_free(learner);
    return th__repair_learnt(status);
}

static th_status learn_labels(const th_repair *repair, const char *engine, const th__buf *lines,
                              uint32_t pages, th_wrapper **out, th_error *err)
{
    th_labels *labels = NULL;
    if (lines->failed)
        return th__fail_memory(err);
    th_status status = th_labels_read(th__buf_str(lines), "labels", &labels, err);
    if (!status)
        status = learn(repair, engine, labels, pages, out, err);
    th_labels_free(labels);
    return th__repair_learnt(status);
}

/* How near the number of a field's values is to what it should be: 0 to 1. */
static double presence(const th__profile *profile, uint32_t field, const th__tally *tally,
                       const th__field_tally *now)
{
    double wanted = profile->records ? (double)profile->fields[field].values *
                                           (double)tally->records / (double)profile->records
                                     : 0;
    double values = (double)now->values;
    return wanted > 0 && values > 0 ? fmin(values / wanted, wanted / values) : wanted <= 0;
}

/* The same of records. */
static double record_count(const th__profile *profile, const th__tally *tally)
{
    double wanted = profile->pages
                        ? (double)profile->records * (double)tally->pages / (double)profile->pages
                        : 0;
    double records = (double)tally->records;
    return wanted > 0 && records > 0 ? sqrt(fmin(records / wanted, wanted / records)) : 0;
}

/* Fields have their names already. */
static th_status match_names(th_repair *repair, th__candidate *c, th_error *err)
{
    th__tally tally;
    uint32_t count = repair->profile->count;
    th_status status = th__repair_run(repair, c->wrapper, &tally, err);
    c->match.column = th__arena_zero(&repair->arena, count + 1, sizeof *c->match.column);
    c->match.likeness = th__arena_zero(&repair->arena, count + 1, sizeof *c->match.likeness);
    if (!status && (!c->match.column || !c->match.likeness))
        status = th__fail_memory(err);
    for (uint32_t i = 0; !status && i < count; i++) {
        c->match.column[i] = TH__NO_COLUMN;
        for (uint32_t j = 0; j < tally.count; j++) {
            if (!th__same_path(tally.fields[j].path, repair->profile->fields[i].path))
                continue;
            c->match.column[i] = j;
            c->match.likeness[i] =
                th__likeness(&repair->profile->fields[i], repair->targets[i], &tally.fields[j]);
            c->score += th__field_weight(&repair->profile->fields[i], repair->targets[i]) *
                        c->match.likeness[i] *
                        presence(repair->profile, i, &tally, &tally.fields[j]);
        }
    }
    c->score *= record_count(repair->profile, &tally);
    th__tally_release(&tally);
    return status;
}

/* A candidate learnt from labels. */
static th_status add_learnt(th_repair *repair, const char *engine, const th__buf *lines,
                            uint32_t pages, th__candidate *out, size_t *count, th_error *err)
{
    th__candidate c = {.named = true, .other = strcmp(engine, repair->wrapper->engine->name)};
    th_status status =
        lines->len ? learn_labels(repair, engine, lines, pages, &c.wrapper, err) : TH_OK;
    if (!status && c.wrapper)
        status = match_names(repair, &c, err);
    if (!status && c.wrapper)
        out[(*count)++] = c;
    else
        th_wrapper_free(c.wrapper);
    return status;
}

/* The score of a candidate that has all fields as they were. */
static double full_score(const th_repair *repair)
{
    double score = 0;
    for (uint32_t i = 0; i < repair->profile->count; i++)
        score += th__field_weight(&repair->profile->fields[i], repair->targets[i]);
    return score;
}

/* Candidates of lists that are labelled: by the wrapper's engine, and where that one does not learn
 * to read the pages, or may lose what the old wrapper still reads, by another that learns from
 * labels. */
static th_status add_list(th_repair *repair, const th__buf *lines, uint32_t pages,
                          th__candidate *out, size_t *count, th_error *err)
{
    static const char *const engines[] = {"stalker", "softmealy"};
    const char *own = repair->wrapper->engine->name;
    size_t first = *count;
    th_status status = add_learnt(repair, own, lines, pages, out, count, err);
    bool enough = *count > first && out[first].score >= ENOUGH * full_score(repair);
    if (status || (enough && !repair->tally.records))
        return status;
    for (size_t i = 0; !status && i < sizeof engines / sizeof *engines; i++)
        if (strcmp(engines[i], own))
            status = add_learnt(repair, engines[i], lines, pages, out, count, err);
    return status;
}

/* Best first; those that are as good stay in their order. There are few. */
static void rank(th__candidate *candidates, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        th__candidate own = candidates[i];
        size_t at = i;
        for (; at && candidates[at - 1].score + CLEARLY < own.score; at--)
            candidates[at] = candidates[at - 1];
        candidates[at] = own;
    }
}

/* Pages of many records: by places in the records that the old wrapper finds, when it does; in
 * those of the best lists; by the columns of these; and in records that titles tell. */
static th_status label_lists(th_repair *repair, uint32_t pages, th__candidate *out, size_t *count,
                             th_error *err)
{
    enum { LISTS = 2 };
    th__candidate found[TH__REPAIR_PICKS];
    size_t lists = 0;
    th_status status = TH_OK;
    if (!repair->before->evidence[0].drift) {
        th__buf lines = {0};
        status = th__label_excerpts(repair, repair->wrapper, pages, err);
        if (!status)
            status = th__label_units(repair, repair->wrapper, true, pages, &lines, err);
        if (!status)
            status = add_list(repair, &lines, pages, out, count, err);
        th__buf_release(&lines);
    }
    if (!status)
        status = th__repair_find_by(repair, "lists", found, &lists, err);
    for (size_t i = 0; !status && i < lists && i < LISTS; i++) {
        th__buf lines = {0};
        status = th__label_excerpts(repair, found[i].wrapper, pages, err);
        if (!status)
            status = th__label_units(repair, found[i].wrapper, false, pages, &lines, err);
        if (!status)
            status = add_list(repair, &lines, pages, out, count, err);
        lines.len = 0;
        if (!status)
            status = th__label_columns(repair, &found[i], pages, &lines, err);
        if (!status)
            status = add_list(repair, &lines, pages, out, count, err);
        th__buf_release(&lines);
    }
    for (size_t i = 0; i < lists; i++)
        th_wrapper_free(found[i].wrapper);
    rank(out, *count);
    if (status || (*count && out[0].score >= ENOUGH * full_score(repair)))
        return status;
    th__buf lines = {0};
    status = th__label_units(repair, NULL, false, pages, &lines, err);
    if (!status)
        status = add_list(repair, &lines, pages, out, count, err);
    th__buf_release(&lines);
    rank(out, *count);
    return status;
}

th_status th__repair_label(th_repair *repair, th__candidate *out, size_t *count, th_error *err)
{
    uint32_t pages = repair->page_count < TH__REPAIR_LEARN ? repair->page_count : TH__REPAIR_LEARN;
    bool many =
        th__type_strip(th_schema_root(th_wrapper_schema(repair->wrapper)))->kind == TH_TYPE_LIST;
    th__buf lines = {0};
    *count = 0;
    if (many)
        return label_lists(repair, pages, out, count, err);
    th_status status = TH_OK;
    for (int all = 0; !status && all < 2; all++) {
        lines.len = 0;
        status = label_details(repair, pages, all, &lines, err);
        if (!status)
            status =
                add_learnt(repair, repair->wrapper->engine->name, &lines, pages, out, count, err);
    }
    th__buf_release(&lines);
    /* What looks for all fields anew goes first only where it finds clearly more. */
    rank(out, *count);
    return status;
}
