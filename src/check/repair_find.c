/*
 * repair_find.c: candidates of engines that need no labels.
 *
 * Each list that the engine sees on the new pages becomes a wrapper, is run, and has its columns
 * matched with the old fields. An engine for templates has one candidate.
 */
#include <stdlib.h>

#include "base/error.h"
#include "check/repair.h"

/* Learns the pick-th list of the pages; *out stays NULL when there is none. */
static th_status learn(const th_repair *repair, const char *engine, uint32_t pick, th_wrapper **out,
                       th_error *err)
{
    th_learner *learner;
    th_learn_options options;
    size_t learnt = 0;
    th_learn_options_init(&options);
    options.engine = engine;
    options.pick = pick;
    options.date = repair->date.ptr;
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
    return status == TH_ERR_MEMORY ? status : TH_OK;
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

static th_status add_candidate(th_repair *repair, th_wrapper *wrapper, th__candidate *out,
                               size_t *count, th_error *err)
{
    th__tally tally;
    th__candidate candidate = {.wrapper = wrapper};
    th_status status = th__repair_run(repair, wrapper, &tally, err);
    bool *skip = th__arena_zero(&repair->arena, tally.count + 1, sizeof *skip);
    if (!status && skip)
        status = mark_rest(wrapper, &tally, &repair->arena, skip, err);
    if (!status && (!skip || !th__match_fields(repair->profile, repair->targets, &tally, skip,
                                               &repair->arena, &candidate.match)))
        status = th__fail_memory(err);
    th__tally_release(&tally);
    if (status || !(candidate.match.score > 0)) {
        th_wrapper_free(wrapper);
        return status;
    }
    size_t at = (*count)++;
    for (; at && out[at - 1].match.score < candidate.match.score; at--)
        out[at] = out[at - 1];
    out[at] = candidate;
    return TH_OK;
}

th_status th__repair_find_by(th_repair *repair, const char *engine, th__candidate *out,
                             size_t *count, th_error *err)
{
    uint32_t picks = TH__REPAIR_PICKS;
    th_status status = TH_OK;
    *count = 0;
    for (uint32_t pick = 1; !status && pick <= picks; pick++) {
        th_wrapper *wrapper;
        status = learn(repair, engine, pick, &wrapper, err);
        if (status || !wrapper)
            break;
        /* An engine that looks at all pages together gives the same whatever is picked. */
        picks = wrapper->engine->learn_corpus ? 1 : picks;
        status = add_candidate(repair, wrapper, out, count, err);
    }
    return status;
}

th_status th__repair_find(th_repair *repair, th__candidate *out, size_t *count, th_error *err)
{
    return th__repair_find_by(repair, repair->wrapper->engine->name, out, count, err);
}
