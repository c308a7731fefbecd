/* settle.c: which place of a labelled value is meant. */
#include "engine/settle.h"

#include "base/error.h"
#include "base/key_map.h"
#include "data/locate.h"
#include "data/record.h"
#include "page/tags.h"

void th__settled_release(th__settled *settled)
{
    th__arena_release(&settled->arena);
}

/* ---- pages of one record --------------------------------------------------------------------- */

struct origin {
    uint32_t page;
    size_t finding;
};

struct samples {
    TH__VEC(th__path_sample) list;
    TH__VEC(struct origin) origins; /* in step */
};

/* Remembers which member of the record each of its texts belongs to. */
static bool map_members(const th_value *record, th__arena *arena, th__key_map *members)
{
    size_t count = 0;
    for (uint32_t m = 0; m < record->count; m++)
        count += 1 + (record->items[m]->kind == TH_VALUE_LIST ? record->items[m]->count : 0);
    if (!th__key_map_init(members, arena, count))
        return false;
    for (uint32_t m = 0; m < record->count; m++) {
        const th_value *member = record->items[m];
        th__key_map_put(members, th__hash_mix((uintptr_t)member, 1), m + 1);
        for (uint32_t i = 0; member->kind == TH_VALUE_LIST && i < member->count; i++)
            th__key_map_put(members, th__hash_mix((uintptr_t)member->items[i], 1), m + 1);
    }
    return true;
}

static bool gather_page(struct samples *samples, const th_located *located, uint32_t page,
                        th__arena *arena)
{
    th__key_map members;
    const th_value *record = th_records_get(th_located_records(located), 0);
    if (!record)
        return true;
    if (!map_members(record, arena, &members))
        return false;
    for (size_t i = 0; i < th_located_count(located); i++) {
        const th_finding *f = th_located_get(located, i);
        const th_value *value = th__located_value(located, i);
        uint32_t member = value ? th__key_map_get(&members, th__hash_mix((uintptr_t)value, 1)) : 0;
        if (!member || !f->place_count)
            continue;
        th__path_sample sample = {page,      member - 1,     f->value,
                                  f->places, f->place_count, TH__NO_UNIT};
        if (!th__vec_push(&samples->list, sample) ||
            !th__vec_push(&samples->origins, (struct origin){page, i}))
            return false;
    }
    return true;
}

/* Where no rule tells: the first text that is not the page's title. */
static uint32_t plain_place(const th_page *page, const th__path_sample *sample)
{
    for (uint32_t i = 0; i < sample->count; i++)
        if (!sample->places[i].attribute.ptr && page->tags[sample->places[i].node] != TH_TAG_TITLE)
            return i;
    return 0;
}

/* The first value of a field that stood in several places is told of. */
static bool note_place(th_learner *learner, const struct origin *origin,
                       const th__path_sample *sample, uint32_t place, bool *told)
{
    const th__kept_page *kept = &learner->kept.data[origin->page];
    const th_finding *f = th_located_get(kept->located, origin->finding);
    if (f->found != TH_FOUND_MANY || told[sample->field])
        return true;
    told[sample->field] = true;
    const th_place *taken = &sample->places[place];
    th_str tag = taken->node ? th_token_name(kept->page, kept->page->nodes[taken->node].token)
                             : TH_STR("the page");
    return th__notes_add(
        &learner->notes, "%.*s: %.*s: \"%.*s\" stands in %u places; taken: bytes %u-%u in %.*s",
        TH_STR_ARG(kept->provenance.name), TH_STR_ARG(f->path), TH_STR_ARG(f->value), f->total,
        taken->span.start, taken->span.end, TH_STR_ARG(tag));
}

static bool settle_samples(th_learner *learner, struct samples *samples, uint32_t fields,
                           th__arena *arena)
{
    bool *told = th__arena_zero(arena, fields + 1, sizeof *told);
    if (!told)
        return false;
    for (size_t i = 0; i < samples->list.len; i++) {
        const th__path_sample *sample = &samples->list.data[i];
        const struct origin *origin = &samples->origins.data[i];
        th__kept_page *kept = &learner->kept.data[origin->page];
        uint32_t place =
            sample->chosen == TH__NO_UNIT ? plain_place(kept->page, sample) : sample->chosen;
        th__located_settle(kept->located, origin->finding, place);
        if (!note_place(learner, origin, sample, place, told))
            return false;
    }
    return true;
}

static bool settle_by_rules(th_learner *learner, struct samples *samples, th__settled *out)
{
    size_t count = learner->kept.len;
    const th_page **pages = th__arena_zero(&out->arena, count + 1, sizeof *pages);
    bool *labelled = th__arena_zero(&out->arena, count + 1, sizeof *labelled);
    bool ok =
        pages && labelled && th__paths_fields(learner->label_schema, &out->arena, &out->rules);
    for (size_t p = 0; ok && p < count; p++) {
        const th__kept_page *kept = &learner->kept.data[p];
        pages[p] = kept->page;
        labelled[p] = kept->located != NULL;
        ok = !kept->located || gather_page(samples, kept->located, (uint32_t)p, &out->arena);
    }
    out->fits = ok ? th__arena_zero(&out->arena, out->rules.count + 1, sizeof *out->fits) : NULL;
    if (!out->fits)
        return false;
    th__paths_input input = {
        pages, labelled, (uint32_t)count, samples->list.data, samples->list.len, out->rules.count};
    return th__paths_learn(&input, &out->arena, &out->rules, out->fits) &&
           settle_samples(learner, samples, out->rules.count, &out->arena);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void settle_first(th_located *located)
{
    for (size_t i = 0; i < th_located_count(located); i++)
        if (th_located_get(located, i)->found == TH_FOUND_MANY)
            th__located_settle(located, i, 0);
}

bool th__settle(th_learner *learner, th__settled *out)
{
    *out = (th__settled){0};
    th__arena_init(&out->arena);
    if (!learner->label_schema)
        return true;
    if (!th__paths_fit_schema(learner->label_schema)) {
        for (size_t p = 0; p < learner->kept.len; p++)
            if (learner->kept.data[p].located)
                settle_first(learner->kept.data[p].located);
        return true;
    }
    struct samples samples = {0};
    bool ok = settle_by_rules(learner, &samples, out);
    out->ruled = ok;
    th__vec_release(&samples.list);
    th__vec_release(&samples.origins);
    return ok;
}
