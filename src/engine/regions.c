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
#include "page/text.h"

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
 * are no list that a reader came for: settings, menus, what is said in the text once more. So they
 * come after the best list of the text, far behind it if they do not have its records, unless
 *
 *  1. they have its records and MORE times as many: a shop that shows 24 products and has 60. One
 *     column of the data holds texts of nearly all records of the list, and nearly all records of
 *     the data have it; or
 *  2. the page shows less than half of the text that they hold, as one that is drawn in the
 *     browser does.
 */

#define MORE   1.25
#define NEARLY 0.8
#define LEAST  1.0   /* score: the poorest main lists of pages have it */
#define SAME   0.999 /* of the best list's score: the most that the same records in the data get */

enum { TELLING = 5 }; /* bytes of a text: shorter ones are in any list */

/* The records of a data list against the best list of the text. */
typedef struct data_look {
    const th_page *page;
    const th_region *best; /* or NULL */
    th__key_map known;     /* hashes of the texts of the best list: see known_ends */
    th__key_map ends;      /* of their ends */
    bool noted;            /* they are in these */
    bool failed;
} data_look;

/* As deep as the schema. */
static void add_known(data_look *d, const th_value *value)
{
    if (value->kind == TH_VALUE_TEXT) {
        th_str text = th__value_text(value);
        if (text.len >= TELLING)
            d->failed |= !th__key_map_number(&d->known, th__hash(text.ptr, text.len)) ||
                         !th__key_map_number(&d->ends, th__text_end(text));
    } else if (value->kind != TH_VALUE_NULL) {
        for (uint32_t i = 0; i < value->count; i++)
            add_known(d, th__value_item(value, i));
    }
}

/* Notes the texts of the best list, once. NULL if out of memory. */
static const th__key_map *known_ends(void *look)
{
    data_look *d = look;
    size_t count = d->best && !d->noted ? d->best->records->values.len : 0;
    for (size_t i = 0; i < count; i++)
        add_known(d, d->best->records->values.data[i]);
    d->noted = true;
    return d->failed ? NULL : &d->ends;
}

/* Returns true if a column of the data holds texts of nearly all known records. */
static bool has_known(data_look *d, const th_records *records, uint32_t column)
{
    th__key_map found = {0};
    size_t filled = 0, count = records->values.len;
    for (size_t i = 0; i < count; i++) {
        const th_value *record = records->values.data[i];
        const th_value *value = column < record->count ? th__value_item(record, column) : NULL;
        if (!value || value->kind != TH_VALUE_TEXT)
            continue;
        th_str text = th__value_text(value);
        uint64_t hash = th__hash(text.ptr, text.len);
        filled++;
        if (text.len >= TELLING && th__key_map_get(&d->known, hash))
            d->failed |= !th__key_map_number(&found, hash);
    }
    bool has = (double)filled >= NEARLY * (double)count &&
               (double)found.count >= NEARLY * (double)d->best->records->values.len;
    th__key_map_release(&found);
    return has;
}

static size_t text_bytes(const th_value *value)
{
    size_t bytes = 0;
    if (value->kind == TH_VALUE_TEXT)
        return value->count;
    for (uint32_t i = 0; value->kind != TH_VALUE_NULL && i < value->count; i++)
        bytes += text_bytes(th__value_item(value, i));
    return bytes;
}

/* Returns true if records are those of a script: microdata is part of the text. */
static bool is_in_script(const th_page *page, const th_records *records)
{
    uint32_t start = records->values.len ? records->values.data[0]->span.start : 0;
    return page->tokens[th__token_at(page, start)].kind == TH_TOKEN_RAW;
}

/* Returns true if a page shows less than half of so many bytes of text. */
static bool shows_less(const void *look, size_t bytes)
{
    const th_page *page = ((const data_look *)look)->page;
    size_t shown = 0;
    for (uint32_t t = 0, next; t < page->token_count && 2 * shown < bytes; t = next) {
        const th_token *token = &page->tokens[t];
        next = token->kind == TH_TOKEN_START && th__tag_hides(token->tag) ? th__hidden_end(page, t)
                                                                          : t + 1;
        if (token->kind == TH_TOKEN_TEXT && !(token->flags & TH_TOKEN_BLANK))
            shown += token[1].start - token->start;
    }
    return 2 * shown < bytes;
}

/* Puts a list of the data in its place: see above. */
static void weigh_data(data_look *d, th_region *region)
{
    const th_records *records = region->records;
    const th_type *tuple = th__type_strip(th_schema_record_type(records->schema));
    size_t count = records->values.len, bytes = 0;
    bool same = false, first;
    region->data = true;
    if (!d->best)
        return;
    for (uint32_t c = 0; c < tuple->count && !same; c++)
        same = has_known(d, records, c);
    for (size_t i = 0; i < count; i++)
        bytes += text_bytes(records->values.data[i]);
    first =
        same ? (double)count >= MORE * (double)d->best->records->values.len : shows_less(d, bytes);
    double most = (same ? SAME : 0.1) * d->best->score;
    if (!is_in_script(d->page, records) || !first)
        region->score = region->score < most ? region->score : most;
    else if (same && region->score <= d->best->score)
        region->score = 1.001 * d->best->score;
}

static int by_score(const void *left, const void *right)
{
    const th_region *a = left, *b = right;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return (int)a->data - (int)b->data;
}

/* Moves the lists of the data into those of the text. */
static th_status merge_data(data_look *d, th__region_vec *data, th__region_vec *list, th_error *err)
{
    known_ends(d);
    for (size_t i = 0; i < data->len; i++)
        weigh_data(d, &data->data[i]);
    bool ok = !d->failed && th__vec_reserve(list, data->len);
    for (size_t i = 0; ok && i < data->len; i++)
        list->data[list->len++] = data->data[i];
    data->len = ok ? 0 : data->len;
    if (ok && list->len)
        qsort(list->data, list->len, sizeof *list->data, by_score);
    return ok ? TH_OK : th__fail_memory(err);
}

/* Makes the data page. Where no list is wanted beside those of the text, none is made of data that
 * cannot come first. */
static th_status make_data(data_look *d, const th__region_vec *list, uint32_t most, th_page **out,
                           th_error *err)
{
    bool full = most && list->len >= most && list->data[most - 1].score >= SAME * d->best->score;
    size_t count = d->best ? d->best->records->values.len : 0;
    const th__data_least least = {.values = (size_t)ceil(NEARLY * ceil(MORE * (double)count)),
                                  .known = (size_t)ceil(NEARLY * (double)count),
                                  .is_more = shows_less,
                                  .ends = known_ends,
                                  .list = d};
    return th__data_page_make(d->page, full ? &least : NULL, out, err);
}

/* Returns true if a list of the data may be one of records. Beside a list of the text, one of
 * single values is an array of settings. */
static bool is_offered(const th_region *region, size_t in_text)
{
    const th_type *tuple = th__type_strip(th_schema_record_type(region->records->schema));
    return region->score >= LEAST && (!in_text || tuple->count > 1);
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
    const th_region best = list->len ? list->data[0] : (th_region){0};
    data_look d = {.page = page, .best = list->len ? &best : NULL};
    th_status status = make_data(&d, list, options->most, &own, err);
    if (!status && own)
        status = engine->regions(own, source, options, &data, err);
    for (size_t i = 0; i < data.len; i++)
        th__records_move((th_records *)data.data[i].records, own);
    if (!status && data.len) {
        size_t kept = 0;
        find_confidence(&engine->confidence, &data);
        for (size_t i = 0; i < data.len; i++)
            if (is_offered(&data.data[i], list->len))
                data.data[kept++] = data.data[i];
            else
                th_records_free((th_records *)data.data[i].records);
        data.len = kept;
        status = merge_data(&d, &data, list, err);
        if (options->most)
            release_regions(list, options->most);
    }
    release_regions(&data, 0);
    th__vec_release(&data);
    th__key_map_release(&d.known);
    th__key_map_release(&d.ends);
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
