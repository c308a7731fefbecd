/* regions.c: the lists of a page, by whichever engine was asked for. */
#include "engine/regions.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"

static const struct finder {
    const char *name;
    th__regions_find *find;
    bool paper; /* there is one to go by */
} finders[] = {
    {"auto", th__auto_regions, false},
    {"mdr", th__mdr_regions, true},
    {"iepad", th__iepad_regions, true},
};

struct th_regions {
    th__region_vec list;
};

void th_regions_options_init(th_regions_options *options)
{
    *options = (th_regions_options){.most = 10};
}

static th_status choose(const th_regions_options *options, const struct finder **out, th_error *err)
{
    const char *name = options->engine ? options->engine : "auto";
    for (size_t i = 0; i < sizeof finders / sizeof *finders; i++)
        if (!strcmp(finders[i].name, name)) {
            *out = &finders[i];
            if (options->paper && !finders[i].paper)
                return th__fail(err, TH_ERR_ARGUMENT,
                                "the engine \"%s\" has no published form: mdr and iepad have",
                                name);
            return TH_OK;
        }
    return th__fail(err, TH_ERR_ARGUMENT,
                    "there is no engine \"%.100s\" for lists: auto, mdr and iepad are there", name);
}

th_status th__region_add(th__region_vec *out, const char *engine, double score, th_records *records,
                         th_error *err)
{
    if (th__vec_push(out, (th_region){engine, score, records}))
        return TH_OK;
    th_records_free(records);
    return th__fail_memory(err);
}

th_status th_regions_find(const th_page *page, const th_records_source *source,
                          const th_regions_options *options, th_regions **out, th_error *err)
{
    th_regions_options defaults;
    th_regions_options_init(&defaults);
    if (!options)
        options = &defaults;
    const struct finder *finder = NULL;
    th_status status = choose(options, &finder, err);
    if (status)
        return status;
    th_records_source none = {0};
    th_regions *regions = TH__NEW(th_regions);
    if (!regions)
        return th__fail_memory(err);
    status = finder->find(page, source ? source : &none, options, &regions->list, err);
    if (status) {
        th_regions_free(regions);
        return status;
    }
    *out = regions;
    return TH_OK;
}

void th_regions_free(th_regions *regions)
{
    if (!regions)
        return;
    for (size_t i = 0; i < regions->list.len; i++)
        th_records_free((th_records *)regions->list.data[i].records);
    th__vec_release(&regions->list);
    th__mem_free(regions);
}

size_t th_regions_count(const th_regions *regions)
{
    return regions->list.len;
}

const th_region *th_regions_get(const th_regions *regions, size_t index)
{
    return &regions->list.data[index];
}
