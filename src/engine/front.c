/* front.c: learning from labels without an engine named. */
#include "engine/front.h"

#include "base/error.h"
#include "data/locate.h"

/* ---- pages of one record ----------------------------------------------------------------------
 */

/* Takes the rules that settled the labels. */
static th_status take_settled(th_learner *learner, th__settled *settled, th_wrapper *wrapper,
                              th_error *err)
{
    th__path_rules *rules = th__arena_zero(&settled->arena, 1, sizeof *rules);
    if (!rules)
        return th__fail_memory(err);
    *rules = settled->rules;
    /* The rules live in the arena of what was settled: the wrapper takes it over. */
    th__arena kept = wrapper->arena;
    wrapper->arena = settled->arena;
    settled->arena = kept;
    wrapper->engine = &th__paths_engine;
    wrapper->rules = rules;
    wrapper->schema = th_schema_retain(learner->label_schema);
    for (size_t i = 0; i < learner->kept.len; i++)
        learner->kept.data[i].provenance.records = learner->kept.data[i].located != NULL;
    return TH_OK;
}

/* ---- all ---------------------------------------------------------------------------------------
 */

th_status th__front_learn(th_learner *learner, th__settled *settled, const th__engine *only,
                          th_wrapper *wrapper, th_error *err)
{
    double share = 0;
    if (settled->ruled && !only)
        return take_settled(learner, settled, wrapper, err);
    th_status status = th__front_lists(learner, only, wrapper, &share, err);
    if (status || wrapper->rules)
        return status;
    return th__fail(err, TH_ERR_FORMAT,
                    "no list on the pages has the labelled records, each in a record of its own");
}
