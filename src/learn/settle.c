/* settle.c: which place of a labelled value is meant. */
#include "learn/settle.h"

#include "base/error.h"
#include "base/key_map.h"
#include "data/locate.h"
#include "data/record.h"
#include "page/tags.h"

void th__settled_release(th__settled *settled)
{
    th__arena_release(&settled->arena);
}

/* ---- whose value is it ----------------------------------------------------------------------- */

/* A value and all below it belong to a member of a record. */
static void map_value(const th_value *value, uint32_t number, th__key_map *map, size_t *room)
{
    enum { DEEPEST = 64 }; /* as schemas are */
    const th_value *stack[DEEPEST];
    uint32_t next[DEEPEST];
    int depth = 0;
    stack[0] = value;
    next[0] = 0;
    while (depth >= 0) {
        const th_value *top = stack[depth];
        if (next[depth] == 0 && top->kind == TH_VALUE_TEXT && *room) {
            --*room;
            th__key_map_put(map, th__hash_mix((uintptr_t)top, 1), number);
        }
        bool inner = top->kind != TH_VALUE_TEXT && top->kind != TH_VALUE_NULL;
        if (!inner || next[depth] == top->count || depth + 1 == DEEPEST) {
            depth--;
            continue;
        }
        stack[depth + 1] = th__value_item(top, next[depth]++);
        next[++depth] = 0;
    }
}

bool th__finding_map_make(const th_located *located, th__arena *arena, th__finding_map *out)
{
    size_t count = th_located_count(located), room = count;
    const th_records *records = th_located_records(located);
    th__key_map map;
    out->record = th__arena_alloc(arena, (count + 1) * sizeof *out->record);
    out->member = th__arena_alloc(arena, (count + 1) * sizeof *out->member);
    if (!out->record || !out->member || !th__key_map_init(&map, arena, count + 1))
        return false;
    uint32_t members = th__type_strip(th_schema_record_type(th_records_schema(records)))->count;
    for (size_t r = 0; r < th_records_count(records); r++) {
        const th_value *record = th_records_get(records, r);
        for (uint32_t m = 0; record->kind == TH_VALUE_TUPLE && m < record->count; m++)
            map_value(th__value_item(record, m), (uint32_t)r * members + m + 1, &map, &room);
    }
    for (size_t i = 0; i < count; i++) {
        const th_value *value = th__located_value(located, i);
        uint32_t number = value ? th__key_map_get(&map, th__hash_mix((uintptr_t)value, 1)) : 0;
        out->record[i] = number ? (number - 1) / members : UINT32_MAX;
        out->member[i] = number ? (number - 1) % members : UINT32_MAX;
    }
    return true;
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

static bool gather_page(struct samples *samples, const th_located *located, uint32_t page,
                        th__arena *arena)
{
    th__finding_map map;
    if (!th__finding_map_make(located, arena, &map))
        return false;
    for (size_t i = 0; i < th_located_count(located); i++) {
        const th_finding *f = th_located_get(located, i);
        if (map.record[i] != 0 || !f->place_count)
            continue;
        th__path_sample sample = {page,      map.member[i],  f->value,
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
                             : TH_STR("html");
    return th__notes_add(
        &learner->notes, "%.*s: %.*s: \"%.*s\" appears in %u places; using bytes %u-%u in <%.*s>",
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
    bool *sample = th__arena_zero(&out->arena, count + 1, sizeof *sample);
    bool ok = pages && labelled && sample &&
              th__paths_fields(learner->label_schema, &out->arena, &out->rules);
    for (size_t p = 0; ok && p < count; p++) {
        const th__kept_page *kept = &learner->kept.data[p];
        pages[p] = kept->page;
        labelled[p] = kept->located != NULL;
        sample[p] = kept->sample;
        ok = !kept->located || gather_page(samples, kept->located, (uint32_t)p, &out->arena);
    }
    out->fits = ok ? th__arena_zero(&out->arena, out->rules.count + 1, sizeof *out->fits) : NULL;
    if (!out->fits)
        return false;
    th__paths_input input = {pages,
                             labelled,
                             sample,
                             (uint32_t)count,
                             samples->list.data,
                             samples->list.len,
                             out->rules.count,
                             &learner->options.cancel};
    return th__paths_learn(&input, &out->arena, &out->rules, out->fits) &&
           settle_samples(learner, samples, out->rules.count, &out->arena);
}

/* ---- all ------------------------------------------------------------------------------------- */

bool th__settle(th_learner *learner, th__settled *out)
{
    *out = (th__settled){0};
    th__arena_init(&out->arena);
    if (!learner->label_schema)
        return true;
    if (!th__paths_fit_schema(learner->label_schema))
        return th__settle_lists(learner);
    struct samples samples = {0};
    bool ok = settle_by_rules(learner, &samples, out);
    out->ruled = ok;
    th__vec_release(&samples.list);
    th__vec_release(&samples.origins);
    return ok;
}
