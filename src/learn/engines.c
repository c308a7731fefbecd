/* engines.c: the list of engines, and finding one by name. */
#include <stdio.h>

#include "base/error.h"
#include "engine/lists/lists_rule.h"
#include "engine/papers/exalg/exalg.h"
#include "engine/papers/iepad/iepad.h"
#include "learn/learn.h"
#include "engine/papers/mdr/mdr.h"
#include "engine/paths/paths.h"
#include "engine/papers/softmealy/softmealy.h"
#include "engine/papers/stalker/stalker.h"
#include "engine/regions.h"
#include "engine/template/template_roles.h"

static const th__engine *const engines[] = {&th__lists_engine,     &th__mdr_engine,
                                            &th__iepad_engine,     &th__template_engine,
                                            &th__exalg_engine,     &th__paths_engine,
                                            &th__softmealy_engine, &th__stalker_engine,
                                            &th__seams_engine,     NULL};

const th__engine *const *th__engine_list(void)
{
    return engines;
}

const char *const *th__engine_names(th__rank rank)
{
    static const char *const lists[] = {"lists", "mdr", "iepad", NULL};
    static const char *const labels[] = {"stalker", "softmealy", NULL};
    return rank == TH__RANK_LISTS ? lists : labels;
}

/* Those that look for lists, or that have a published form, or all, as "auto, mdr and iepad". */
static void name_engines(bool lists, bool published, char *out, size_t size)
{
    const char *names[sizeof engines / sizeof *engines];
    size_t count = 0, len = 0;
    for (size_t i = 0; engines[i]; i++)
        if ((!lists || engines[i]->regions) && (!published || engines[i]->published))
            names[count++] = engines[i]->name;
    for (size_t i = 0; i < count && len < size; i++)
        len += (size_t)snprintf(out + len, size - len, "%s%s",
                                !i               ? ""
                                : i + 1 == count ? " and "
                                                 : ", ",
                                names[i]);
}

th_status th__engine_find(const char *name, bool lists, const th__engine **out, th_error *err)
{
    char known[200] = "";
    name = name ? name : th__lists_engine.name;
    for (size_t i = 0; engines[i]; i++)
        if (th__engine_is(engines[i], name) && (!lists || engines[i]->regions)) {
            *out = engines[i];
            return TH_OK;
        }
    name_engines(lists, false, known, sizeof known);
    return th__fail(err, TH_ERR_ARGUMENT, "unknown engine \"%.100s\"%s (available: %s)", name,
                    lists ? " for lists" : "", known);
}

th_status th__engine_check(const th__engine *engine, const th_paper_options *paper, th_error *err)
{
    char known[200] = "";
    if (!paper->published || engine->published)
        return th__paper_options_check(paper, err);
    /* beside an engine for lists, those for lists */
    name_engines(engine->regions != NULL, true, known, sizeof known);
    return th__fail(err, TH_ERR_ARGUMENT,
                    "engine \"%s\" has no published form (those that have: %s)", engine->name,
                    known);
}

th_status th_wrapper_read(th_str bytes, const char *name, th_wrapper **out, th_error *err)
{
    return th__wrapper_read(bytes, name, engines, out, err);
}
