/*
 * auto_learn.c: a list of a page becomes a rule; lists of further pages add their variants.
 *
 * The first page that has a list settles which it is. On further pages the rule made so far is run;
 * where it finds nothing, the list that has most of the core is taken, if there is one.
 */
#include "engine/lists/auto_learn.h"

#include "base/error.h"
#include "base/intern.h"
#include "engine/lists/auto_cut.h"
#include "engine/lists/auto_regions.h"
#include "page/tags.h"
#include "wrapper/fields_learn.h"

struct learner {
    uint32_t pick;
    uint32_t parts; /* of the records of a grid; else 0 */
    bool together;  /* see th__auto_rule */
    th__fields_learner fields;
    TH__VEC(th__auto_place) places;
    th__intern known; /* keys of places */
    th__key_vec core; /* of the first list */
    th__buf text;
};

/* A list on the page at hand. */
struct found {
    th__extents list;
    uint32_t head;  /* see th__auto_region */
    uint32_t parts; /* the same */
    bool fine;      /* the same */
};

th_status th__auto_learn_begin(const th_learn_options *options, void **state, th_error *err)
{
    struct learner *l = TH__NEW(struct learner);
    if (!l)
        return th__fail_memory(err);
    l->pick = options->pick;
    th__fields_learner_init(&l->fields);
    l->fields.whole_lines = options->whole_lines;
    th__intern_init(&l->known);
    *state = l;
    return TH_OK;
}

void th__auto_learn_free(void *state)
{
    struct learner *l = state;
    th__fields_learner_release(&l->fields);
    th__vec_release(&l->places);
    th__intern_release(&l->known);
    th__vec_release(&l->core);
    th__buf_release(&l->text);
    th__mem_free(l);
}

/* ---- which list ------------------------------------------------------------------------------ */

static th_status pick_list(const struct learner *l, const th_records_source *source,
                           const th__auto_region *regions, uint32_t count, struct found *out,
                           th_error *err)
{
    if (!count)
        return TH_OK;
    if (l->pick > count)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "%.*s%shas %u list%s of records, and number %u was asked for: `thresh "
                        "regions` shows them",
                        TH_STR_ARG(source->page), source->page.len ? ": " : "", count,
                        count == 1 ? "" : "s", l->pick);
    const th__auto_region *region = &regions[l->pick - 1];
    *out = (struct found){region->list, region->head, region->parts, region->fine};
    return TH_OK;
}

/* The list that has most of the core. */
static bool find_alike(const struct learner *l, const th__view *view,
                       const th__auto_region *regions, uint32_t count, struct found *out)
{
    th__key_vec core = {0};
    size_t best = 0;
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++) {
        bool several = regions[i].head && !regions[i].parts;
        if (several != l->fields.several || regions[i].parts != l->parts)
            continue;
        ok = th__auto_core_of(view, &regions[i].list, &core);
        size_t common = th__key_vec_common(&l->core, &core);
        if (common <= best || 5 * common < 3 * l->core.len)
            continue;
        best = common;
        *out = (struct found){regions[i].list, regions[i].head, regions[i].parts, regions[i].fine};
    }
    th__vec_release(&core);
    return ok;
}

/* What the rule made so far finds. */
static bool find_by_rule(const struct learner *l, const th__view *view, th__arena *arena,
                         struct found *out)
{
    th__auto_rule rule = {
        .places = l->places.data, .count = (uint32_t)l->places.len, .parts = l->parts};
    rule.together = l->together;
    rule.fields.several = l->fields.several;
    rule.fields.core = l->core;
    out->parts = l->parts;
    return th__auto_run_find(&rule, view, arena, &out->list);
}

static th_status find_list(const struct learner *l, const th__view *view,
                           const th_records_source *source, th__arena *arena, struct found *out,
                           th_error *err)
{
    th__auto_region *regions;
    uint32_t count;
    if (l->fields.lists && !find_by_rule(l, view, arena, out))
        return th__fail_memory(err);
    if (out->list.count)
        return TH_OK;
    uint32_t most = l->pick > TH__AUTO_SHOWN ? l->pick : TH__AUTO_SHOWN;
    bool ok = th__auto_regions_find(arena, view, NULL, most, &regions, &count);
    if (ok && !l->fields.lists)
        return pick_list(l, source, regions, count, out, err);
    return ok && find_alike(l, view, regions, count, out) ? TH_OK : th__fail_memory(err);
}

/* ---- where it stands ------------------------------------------------------------------------- */

static bool copy_text(struct learner *l, th_str *out)
{
    *out = th__arena_copy(&l->fields.arena, th__buf_str(&l->text));
    l->text.len = 0;
    return out->ptr && !l->text.failed;
}

static bool describe_head(struct learner *l, const th__view *view, uint32_t node, bool fine,
                          th__auto_head *head)
{
    th__auto_look_of look;
    th__auto_look(view, node, &look);
    head->cells = look.cells;
    head->twice = look.twice;
    head->between = look.empty && view->page->tags[node] != TH_TAG_HR;
    head->fine = fine;
    head->alone = fine && look.alone;
    if (fine && look.first_tag)
        head->inside = th_tag_name(look.first_tag);
    if (!th__step_write(view->page, node, &l->text) || !copy_text(l, &head->element))
        return false;
    return !look.first ||
           (th__path_write(view->page, node, look.first, &l->text) && copy_text(l, &head->first));
}

/* Adds a place unless it is known. One that no path can name is left out. */
static bool add_place(struct learner *l, const th__view *view, uint32_t node, uint32_t head,
                      bool fine)
{
    th__auto_place place = {0};
    uint64_t key = view->sum[node];
    uint32_t before = l->known.len;
    if (th__intern_add(&l->known, (th_str){(const char *)&key, sizeof key}) == TH__INTERN_NONE)
        return false;
    if (l->known.len == before || l->places.len == TH__AUTO_MAX_PLACES)
        return true;
    l->text.len = 0;
    if (!th__path_write(view->page, 0, node, &l->text) || !copy_text(l, &place.path) ||
        (head && !describe_head(l, view, head, fine, &place.head)))
        return false;
    if (l->fields.several && !head)
        place.head = l->places.data[0].head; /* found by the rule: headed as it says */
    if (!th__auto_place_prepare(&place) || place.key != key ||
        (l->fields.several && !th__auto_head_prepare(&place.head)))
        return true;
    return th__vec_push(&l->places, place);
}

/* Whether the records have one parent while there are elements with the path of the first elsewhere
 * on the page. */
static bool are_together(const th__view *view, const th__extents *list)
{
    const th_page *page = view->page;
    uint32_t first = list->data[0].first, parent = page->nodes[first].parent;
    for (uint32_t i = 0; i < list->count; i++)
        if (page->nodes[list->data[i].first].parent != parent)
            return false;
    for (uint32_t n = 1; n < page->node_count; n++)
        if (view->sum[n] == view->sum[first] && page->nodes[n].parent != parent)
            return true;
    return false;
}

static bool learn_list(struct learner *l, const th__view *view, const struct found *found)
{
    const th_node *nodes = view->page->nodes;
    th__key_vec core = {0};
    bool ok = th__auto_core_of(view, &found->list, &core);
    if (!l->fields.lists) {
        l->fields.several = found->head && !found->parts;
        l->parts = found->parts;
        l->together = !l->fields.several && !l->parts && are_together(view, &found->list);
    }
    if (!l->fields.several && !l->parts)
        ok = ok && th__auto_core_cover(view, &found->list, &core);
    for (uint32_t i = 0; ok && i < found->list.count; i++) {
        uint32_t node = found->list.data[th__extents_first(&found->list, i)].first;
        if (l->fields.several || l->parts)
            node = nodes[node].parent;
        if (l->parts) /* a cell stands in a row, and that in the grid */
            node = nodes[node].parent;
        ok = add_place(l, view, node, l->fields.several ? found->head : 0, found->fine);
    }
    ok = ok && th__fields_learn(&l->fields, view, &found->list, &core);
    if (ok && !l->core.len) {
        l->core = core;
        core = (th__key_vec){0};
    }
    th__vec_release(&core);
    return ok;
}

th_status th__auto_learn_page(void *state, const th_page *page, const th_records_source *source,
                              size_t *records, th_error *err)
{
    struct learner *l = state;
    struct found found = {0};
    th__arena arena;
    th__view view;
    th__arena_init(&arena);
    th_status status = th__view_make(&arena, page, &view) ? TH_OK : th__fail_memory(err);
    if (!status)
        status = find_list(l, &view, source, &arena, &found, err);
    if (!status && found.list.count && !learn_list(l, &view, &found))
        status = th__fail_memory(err);
    *records = status ? 0 : found.list.count;
    th__arena_release(&arena);
    return status;
}

/* ---- the rule -------------------------------------------------------------------------------- */

static bool copy_into(th__arena *arena, th_str *text)
{
    if (text->ptr)
        *text = th__arena_copy(arena, *text);
    return text->ptr;
}

th_status th__auto_learn_end(void *state, th__arena *arena, th_schema **schema, void **rules,
                             th_error *err)
{
    struct learner *l = state;
    th__auto_rule *rule = th__arena_zero(arena, 1, sizeof *rule);
    bool ok = rule && l->places.len;
    if (!l->places.len)
        return th__fail(err, TH_ERR_FORMAT,
                        "the records stand in elements whose names no path can hold");
    if (ok) {
        rule->count = (uint32_t)l->places.len;
        rule->parts = l->parts;
        rule->together = l->together;
        rule->places = th__arena_alloc(arena, l->places.len * sizeof *rule->places);
        ok = rule->places;
    }
    for (uint32_t i = 0; ok && i < rule->count; i++) {
        th__auto_place *place = &rule->places[i];
        *place = l->places.data[i];
        place->of = l->parts            ? TH__AUTO_OF_GRID
                    : l->fields.several ? TH__AUTO_OF_RUNS
                                        : TH__AUTO_OF_RECORDS;
        ok = copy_into(arena, &place->path) &&
             (!place->head.element.ptr || copy_into(arena, &place->head.element)) &&
             (!place->head.first.ptr || copy_into(arena, &place->head.first)) &&
             (!place->head.inside.ptr || copy_into(arena, &place->head.inside));
    }
    if (!ok)
        return th__fail_memory(err);
    *rules = rule;
    return th__fields_learnt(&l->fields, arena, &rule->fields, schema, err);
}
