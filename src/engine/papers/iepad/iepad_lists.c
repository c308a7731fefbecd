/* iepad_lists.c: IEPAD's patterns as lists of records: each pattern becomes a rule, which is run on
 * the page it is from. */
#include "engine/papers/iepad/iepad.h"
#include "engine/regions.h"

static th_status add_region(const th_page *page, const th_records_source *source,
                            const th__iepad_result *result, uint32_t pick, th__region_vec *out,
                            th_error *err)
{
    th__iepad_rule *rule;
    th_records *records;
    th_status status = th__iepad_learn(page, result, pick, &rule, err);
    if (status == TH_ERR_LIMIT)
        return TH_OK; /* more fields than a rule may have: no list of records */
    if (status)
        return status;
    if (rule->field_count) {
        status = th__iepad_records(rule, page, source, &records, err);
        if (!status)
            status = th__region_add(out, "iepad", result->patterns[pick].score, records, err);
    }
    th__iepad_rule_free(rule);
    return status;
}

th_status th__iepad_regions(const th_page *page, const th_records_source *source,
                            const th_regions_options *options, th__region_vec *out, th_error *err)
{
    th__iepad_options iepad;
    th__iepad_result result;
    th_status status = th__iepad_options_from(&options->paper, &iepad, err);
    if (!status)
        status = th__iepad_find(page, &iepad, &result, err);
    if (status)
        return status;
    for (uint32_t i = 0; !status && i < result.count && out->len < options->most; i++)
        status = add_region(page, source, &result, i, out, err);
    th__iepad_result_release(&result);
    return status;
}
