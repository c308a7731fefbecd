/*
 * paths.c: the paths engine: pages of one record, by where values stand in the tree.
 *
 * This is no published system but what people do by hand: "the second cell after Price". It is the
 * structural view beside the views of STALKER and SoftMealy, which read the page as a string; it
 * learns in a fraction of the time, and says why a place was taken: paths_learn.c has the idea.
 * Lists of records inside a page are not its business.
 */
#include "base/error.h"
#include "data/record.h"
#include "engine/paths/paths_learn.h"

/* Whether a member is a text or a list of texts. */
static bool is_plain(const th_type *type, bool *list)
{
    type = th__type_strip(type);
    *list = type->kind == TH_TYPE_LIST;
    if (*list)
        type = th__type_strip(type->children[0]);
    return type->kind == TH_TYPE_FIELD;
}

bool th__paths_fit_schema(const th_schema *schema)
{
    const th_type *root = th__type_strip(th_schema_root(schema));
    bool list;
    if (root->kind != TH_TYPE_TUPLE || root->count > TH__PATHS_MAX_FIELDS)
        return false;
    for (uint32_t i = 0; i < root->count; i++)
        if (!is_plain(root->children[i], &list))
            return false;
    return true;
}

bool th__paths_fields(const th_schema *schema, th__arena *arena, th__path_rules *out)
{
    const th_type *root = th__type_strip(th_schema_root(schema));
    out->count = root->count;
    out->fields = th__arena_zero(arena, root->count + 1, sizeof *out->fields);
    for (uint32_t i = 0; out->fields && i < root->count; i++) {
        th__path_field *field = &out->fields[i];
        field->member = i;
        field->name = th__arena_copy(arena, th_type_name(root->children[i]));
        if (!field->name.ptr)
            return false;
        is_plain(root->children[i], &field->list);
    }
    return out->fields;
}

/* ---- samples from labels whose places are settled -------------------------------------------- */

struct gatherer {
    TH__VEC(th__path_sample) samples;
    th__arena *arena;
};

static bool add_sample(struct gatherer *g, const th_page *page, uint32_t index, uint32_t field,
                       const th_value *value)
{
    if (value->kind != TH_VALUE_TEXT || value->span.end <= value->span.start)
        return true;
    th_place *place = th__arena_zero(g->arena, 1, sizeof *place);
    if (!place)
        return false;
    uint32_t token = th__token_at(page, value->span.start);
    *place = (th_place){.span = value->span, .node = th_page_node_at(page, value->span.start)};
    if (page->tokens[token].kind == TH_TOKEN_START)
        place->attribute = TH_STR("");
    return th__vec_push(
        &g->samples, (th__path_sample){index, field, th__value_text(value), place, 1, TH__NO_UNIT});
}

static bool gather(struct gatherer *g, const th__corpus *corpus, uint32_t fields)
{
    for (uint32_t f = 0; f < fields; f++)
        for (uint32_t p = 0; p < corpus->count; p++) {
            const th_records *labels = corpus->pages[p].labels;
            const th_value *record = labels ? th_records_get(labels, 0) : NULL;
            const th_value *member = record ? th_value_item(record, f) : NULL;
            if (!member)
                continue;
            if (member->kind != TH_VALUE_LIST &&
                !add_sample(g, corpus->pages[p].page, p, f, member))
                return false;
            for (uint32_t i = 0; member->kind == TH_VALUE_LIST && i < member->count; i++)
                if (!add_sample(g, corpus->pages[p].page, p, f, th__value_item(member, i)))
                    return false;
        }
    return true;
}

static bool learn(const th__corpus *corpus, th__arena *arena, th__path_rules *rules,
                  th__arena *scratch)
{
    struct gatherer g = {.arena = scratch};
    const th_page **pages = th__arena_zero(scratch, corpus->count + 1, sizeof *pages);
    bool *labelled = th__arena_zero(scratch, corpus->count + 1, sizeof *labelled);
    bool *sample = th__arena_zero(scratch, corpus->count + 1, sizeof *sample);
    th__path_fit *fits = th__arena_zero(scratch, rules->count + 1, sizeof *fits);
    bool ok = pages && labelled && sample && fits && gather(&g, corpus, rules->count);
    for (size_t p = 0; ok && p < corpus->count; p++) {
        pages[p] = corpus->pages[p].page;
        labelled[p] = corpus->pages[p].labels != NULL;
        sample[p] = corpus->pages[p].sample;
        corpus->pages[p].learnt = labelled[p];
    }
    th__paths_input input = {pages,          labelled,      sample,       (uint32_t)corpus->count,
                             g.samples.data, g.samples.len, rules->count, corpus->cancel};
    ok = ok && th__paths_learn(&input, arena, rules, fits);
    th__vec_release(&g.samples);
    return ok;
}

static th_status learn_corpus(const th_learn_options *options, const th__corpus *corpus,
                              th__arena *arena, th_schema **schema, void **out, th_error *err)
{
    if (!th__paths_fit_schema(corpus->schema))
        return th__fail(err, TH_ERR_ARGUMENT,
                        "engine paths learns pages of one record whose fields are texts or lists "
                        "of texts; these labels are not: leave --engine out");
    th__arena scratch;
    th__arena_init(&scratch);
    th__path_rules *rules = th__arena_zero(arena, 1, sizeof *rules);
    bool ok = rules && th__paths_fields(corpus->schema, arena, rules) &&
              learn(corpus, arena, rules, &scratch);
    th__arena_release(&scratch);
    if (!ok)
        return th__fail_memory(err);
    *schema = th_schema_retain(corpus->schema);
    *out = rules;
    return TH_OK;
}

const th__engine th__paths_engine = {
    .name = "paths",
    .learn_corpus = learn_corpus,
    .needs_labels = true,
    .run = th__paths_run,
    .doubts = th__paths_doubts,
    .hits = th__paths_hits,
    .write = th__paths_write,
    .read = th__paths_read,
    .explain = th__paths_explain,
    .rename = th__paths_rename,
};
