/* regions.c: the lists of a page, by whichever engine was asked for. */
#include "engine/regions.h"

#include <math.h>
#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/key_map.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/trace.h"
#include "page/data_page.h"

struct th_regions {
    th__region_vec list;
};

void th_regions_options_defaults(th_regions_options *options, size_t size)
{
    th_regions_options defaults = {.most = 10};
    th_paper_options_init(&defaults.paper);
    th__options_give(options, size, &defaults, sizeof defaults);
}

th_status th__region_add(th__region_vec *out, const char *engine, double score, th_records *records,
                         th_error *err)
{
    if (th__vec_push(out, (th_region){.engine = engine, .score = score, .records = records}))
        return TH_OK;
    th_records_free(records);
    return th__fail_memory(err);
}

/*
 * Of the regions of real pages with a score s, the best other region having t, this share is the
 * main list (at least 0.8 of its records right):
 *
 *     1 / (1 + exp(-bias) * (t / s)^slope)
 *
 * Fitted by logistic regression for each engine on two thirds of 90 sites; on the others, regions
 * that were given 0.8 or more were right in 96% of cases (auto), those below 0.2 in 2%. Where there
 * is no other region, t is half of what the poorest main list scored.
 */
static void find_confidence(const th__confidence *by, th__region_vec *list)
{
    double best = 0, second = 0;
    for (size_t i = 0; i < list->len; i++) {
        double score = list->data[i].score;
        if (score > best) {
            second = best;
            best = score;
        } else if (score > second) {
            second = score;
        }
    }
    for (size_t i = 0; i < list->len; i++) {
        double score = list->data[i].score, other = score < best ? best : second;
        other = other > by->least ? other : by->least;
        list->data[i].confidence =
            score > 0 ? 1 / (1 + exp(-by->bias) * pow(other / score, by->slope)) : 0;
    }
}

/* ---- data beside the text ----------------------------------------------------------------------
 *
 * The lists of the data page (data_page.h) are found and scored as those of any page. Most of them
 * are no list that a reader came for: settings, menus, what others bought. So such a list counts
 * HANDICAP as much as a list of the text. One that has the records of the best list of the text
 * once more comes after it, but before it when it has MORE times as many records: a shop that shows
 * 24 products and has 60 to draw from.
 */

#define HANDICAP 0.5
#define MORE     1.25

enum { TELLING = 5 }; /* bytes of a text: shorter ones are in any list */

typedef struct same_values {
    th__key_map *known;
    th__key_map found; /* of those in `known`, each once */
    bool adding, failed;
} same_values;

/* Adds the texts of a value to what is known, or counts those that are. As deep as the schema. */
static void meet_texts(same_values *s, const th_value *value)
{
    if (value->kind == TH_VALUE_TEXT) {
        th_str text = th__value_text(value);
        uint64_t hash = th__hash(text.ptr, text.len);
        if (text.len >= TELLING && (s->adding || th__key_map_get(s->known, hash)))
            s->failed |= !th__key_map_number(s->adding ? s->known : &s->found, hash);
    } else if (value->kind != TH_VALUE_NULL) {
        for (uint32_t i = 0; i < value->count; i++)
            meet_texts(s, th__value_item(value, i));
    }
}

/* How many different texts of the known ones records have. */
static bool count_known(th__key_map *known, const th_records *records, bool adding, size_t *count)
{
    same_values s = {.known = known, .adding = adding};
    for (size_t i = 0; i < records->values.len; i++)
        meet_texts(&s, records->values.data[i]);
    *count = s.found.count;
    th__key_map_release(&s.found);
    return !s.failed;
}

/* Puts a list of the data in its place: see above. */
static bool weigh_data(th_region *region, const th_region *best, th__key_map *known)
{
    size_t count = region->records->values.len, in_text, same;
    region->data = true;
    region->score *= HANDICAP;
    if (!best)
        return true;
    if (!count_known(known, region->records, false, &same))
        return false;
    in_text = best->records->values.len;
    if (2 * same < (count < in_text ? count : in_text))
        return true;
    if ((double)count >= MORE * (double)in_text)
        region->score = 1.001 * best->score;
    else if (region->score >= best->score)
        region->score = 0.999 * best->score;
    return true;
}

static int by_score(const void *left, const void *right)
{
    const th_region *a = left, *b = right;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return (int)a->data - (int)b->data;
}

/* Moves the lists of the data into those of the text. */
static th_status merge_data(th__region_vec *data, th__region_vec *list, th_error *err)
{
    th__key_map known = {0};
    size_t none;
    const th_region best = list->len ? list->data[0] : (th_region){0};
    bool ok = !list->len || count_known(&known, best.records, true, &none);
    for (size_t i = 0; ok && i < data->len; i++)
        ok = weigh_data(&data->data[i], list->len ? &best : NULL, &known);
    th__key_map_release(&known);
    ok = ok && th__vec_reserve(list, data->len);
    for (size_t i = 0; ok && i < data->len; i++)
        list->data[list->len++] = data->data[i];
    data->len = ok ? 0 : data->len;
    if (ok && list->len)
        qsort(list->data, list->len, sizeof *list->data, by_score);
    return ok ? TH_OK : th__fail_memory(err);
}

static void release_regions(th__region_vec *list, size_t from)
{
    for (size_t i = from; i < list->len; i++) {
        th_records_free((th_records *)list->data[i].records);
        th__mem_free((void *)list->data[i].pattern.ptr);
    }
    list->len = from < list->len ? from : list->len;
}

static th_status add_data(const th__engine *engine, const th_page *page,
                          const th_records_source *source, const th_regions_options *options,
                          th__region_vec *list, th_error *err)
{
    th__region_vec data = {0};
    th_page *own = NULL;
    th_status status = th__data_page_make(page, &own, err);
    if (status || !own)
        return status;
    status = engine->regions(own, source, options, &data, err);
    for (size_t i = 0; i < data.len; i++)
        th__records_move((th_records *)data.data[i].records, own);
    if (!status && data.len) {
        find_confidence(&engine->confidence, &data);
        status = merge_data(&data, list, err);
        if (options->most)
            release_regions(list, options->most);
    }
    release_regions(&data, 0);
    th__vec_release(&data);
    th_page_free(own);
    return status;
}

th_status th_regions_find(const th_page *page, const th_records_source *source,
                          const th_regions_options *options, th_regions **out, th_error *err)
{
    th_regions_options own;
    th_regions_options_init(&own);
    th__options_take(&own, sizeof own, options);
    const th__engine *engine = NULL;
    th_status status = th__engine_find(own.engine, true, &engine, err);
    if (!status)
        status = th__engine_check(engine, &own.paper, err);
    if (!status)
        status = th__cancel_check(&own.cancel, err);
    if (status)
        return status;
    th_records_source none = {0};
    th_regions *regions = TH__NEW(th_regions);
    if (!regions)
        return th__fail_memory(err);
    source = source ? source : &none;
    th__step step;
    th__step_begin(&step, own.trace, "page", 0);
    th__step_text(&step, "name", source->page);
    th__step_text(&step, "engine", th_str_from(engine->name));
    th__step_end(&step);
    status = engine->regions(page, source, &own, &regions->list, err);
    if (!status)
        find_confidence(&engine->confidence, &regions->list);
    if (!status && engine->data && !own.text_only)
        status = add_data(engine, page, source, &own, &regions->list, err);
    status = th__trace_status(own.trace, th__cancel_status(&own.cancel, status, err), err);
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
    release_regions(&regions->list, 0);
    th__vec_release(&regions->list);
    th__mem_free(regions);
}

size_t th_regions_count(const th_regions *regions)
{
    return regions->list.len;
}

size_t th_regions_found(const th_regions *regions)
{
    return regions->list.found > regions->list.len ? regions->list.found : regions->list.len;
}

const th_region *th_regions_get(const th_regions *regions, size_t index)
{
    return &regions->list.data[index];
}
