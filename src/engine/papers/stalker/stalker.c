/*
 * stalker.c: STALKER: wrappers from labelled pages.
 *
 * The paper: C. Knoblock, K. Lerman, S. Minton, I. Muslea, "Accurately and Reliably Extracting Data
 * from the Web: A Machine Learning Approach", 2000, sections 2 and 3; the order of refinements is
 * from I. Muslea, S. Minton, C. Knoblock, "Hierarchical Wrapper Induction for Semistructured
 * Information Sources", 2001.
 *
 * The idea
 *   A person marks the items on a few pages. The pages of a site are made from a template, so an
 *   item is found by what the template puts around it: landmarks, groups of consecutive tokens. The
 *   schema is a tree (the embedded catalog), and every node is found inside its parent: first the
 *   list, then each item of it, then the fields of an item. Each is a small problem of its own, so
 *   that few examples are enough.
 *
 * An example: the start of the address
 *     E1  Cuisine:<i>Seafood</i><p>Address:<i> 12 Pico St. </i><p>Phone:<i>...
 *     E4  Cuisine:<i>Pizza</i><p>Address:<b> 97 Adams Blvd. </b><p>Phone:<i>...
 *     SkipTo(<b>) is right on E4 alone, SkipTo(_HtmlTag_) stops early on both; refined it becomes
 *     SkipTo(Address) SkipTo(_HtmlTag_), which is right on both. BackTo(Phone) BackTo(_Number_)
 *     finds the same place from the other side.
 *
 * Co-testing
 *   Forward and backward rules go by different tokens. Where they disagree on a page without
 *   labels, one of them is wrong: that page is worth a label (`thresh suggest`).
 *
 * Words: landmark, wildcard, disjunct, perfect disjunct, seed, landmark and topology refinement:
 * see stalker.h and stalker_landmark.c. View: one of the ways to find an item.
 *
 * Ours (all off with `paper`)
 *   structure  a third view, by path, order and constant text near by: place_rules.h
 *   unlabelled pages without labels choose between rules that are right on all labels
 *   classes    landmarks may name a tag's class: <div.price>
 *   until      SkipUntil for starts, which the fuller papers have
 *
 * Cost: learning is linear in the pages for what is read of them, times the number of fields;
 * searches among candidates have limits. Running: page size times rules.
 */
#include "engine/papers/stalker/stalker.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "data/record.h"
#include "page/page.h"
#include "page/text.h"

/* ---- the tree -------------------------------------------------------------------------------- */

bool th__stalker_node_make(th__arena *arena, const th_type *type, th__stalker_node *out)
{
    type = th__type_strip(type);
    *out = (th__stalker_node){.type = type};
    if (type->kind == TH_TYPE_FIELD) {
        out->field = th__arena_zero(arena, 1, sizeof *out->field);
        return out->field;
    }
    if (type->kind == TH_TYPE_LIST) {
        out->list = th__arena_zero(arena, 1, sizeof *out->list);
        if (!out->list)
            return false;
    }
    out->children = th__arena_zero(arena, type->count + (size_t)1, sizeof *out->children);
    if (!out->children)
        return false;
    for (; out->count < type->count; out->count++)
        if (!th__stalker_node_make(arena, type->children[out->count], &out->children[out->count]))
            return false;
    if (out->list)
        out->list->texts = out->children[0].field;
    return true;
}

/* The fields that a member is sought by: its own, or those of a list of texts. */
static void tell_member(th__stalker_node *node, th__label_rule identified_by)
{
    th__stalker_list *list = node->list;
    if (node->field)
        node->field->identified_by = identified_by;
    if (!list)
        return;
    if (list->span)
        list->span->identified_by = identified_by;
    if (node->children[0].field)
        node->children[0].field->identified_by = list->identified_by = identified_by;
    for (uint32_t i = 0; i < list->part_count; i++)
        tell_member(&list->parts[i], identified_by); /* parts have none of their own */
}

/* The labels of a tuple's members; NULL if out of memory. */
static const th__label_set *labels_of(th__arena *arena, const th__stalker_node *tuple)
{
    th__label_set *labels = th__arena_zero(arena, 1, sizeof *labels);
    uint64_t *hashes = th__arena_alloc(arena, (tuple->count + (size_t)1) * sizeof *hashes);
    if (!labels || !hashes)
        return NULL;
    labels->hashes = hashes;
    for (uint32_t i = 0; i < tuple->count; i++)
        if (tuple->children[i].label_hash)
            hashes[labels->count++] = tuple->children[i].label_hash;
    return labels;
}

bool th__stalker_tell(th__arena *arena, th__stalker_node *tuple)
{
    const th__label_set *labels = labels_of(arena, tuple);
    if (!labels)
        return false;
    for (uint32_t i = 0; i < tuple->count; i++)
        tell_member(&tuple->children[i], (th__label_rule){labels, tuple->children[i].label_hash});
    return true;
}

bool th__stalker_rules_make(th__arena *arena, const th_schema *schema, th__stalker_rules *out)
{
    *out = (th__stalker_rules){0};
    return th__stalker_node_make(arena, th_schema_root(schema), &out->root);
}

/* ---- labels ------------------------------------------------------------------------------------
 *
 * Which text is the label of a member. It is right before the member on every labelled page that
 * has it, and is not a value itself. Of a member that one labelled page alone has, it is on other
 * pages, too: what is there once may be any text. */

/* The unit right before a member, or TH__NO_THING. */
static uint32_t unit_before(const th__page_map *map, const th__stalker_instance *in, th_span hull)
{
    uint32_t token = th__token_at(map->page, hull.start);
    uint32_t unit = th__map_unit_at(map, hull.start);
    bool text = map->page->tokens[token].kind != TH_TOKEN_START;
    if (unit <= map->before[in->scope.token] || unit > map->before[in->scope.end] ||
        (text && (unit >= map->count || map->units[unit].span.start != hull.start)))
        return TH__NO_THING;
    return unit - 1;
}

/* Returns true if a text is on two instances or more. */
static bool stands_elsewhere(th__stalker_learner *l, const th__instances *instances, uint64_t hash)
{
    uint32_t count = 0;
    for (size_t i = 0; i < instances->len && count < 2; i++) {
        const th__page_map *map = th__stalker_page_map(&l->pages[instances->data[i].page]);
        uint32_t first, end;
        if (!map)
            return false;
        th__things_in(map, &instances->data[i].scope, TH__THING_UNIT, &first, &end);
        count += th__map_find(map, first, end, hash) < end;
    }
    return count > 1;
}

/* Returns true if a text is a value on some labelled page. */
static bool is_value(th__stalker_learner *l, const th__instances *instances, uint64_t hash)
{
    for (size_t i = 0; i < instances->len; i++) {
        const th__stalker_instance *in = &instances->data[i];
        const th__page_map *map = in->value ? th__stalker_page_map(&l->pages[in->page]) : NULL;
        uint32_t first = 0, end = 0;
        if (map)
            th__things_in(map, &in->scope, TH__THING_UNIT, &first, &end);
        for (; first < end; first++)
            if (map->units[first].hash == hash &&
                th__stalker_overlaps(in->value, map->units[first].span))
                return true;
    }
    return false;
}

static bool learn_label(th__stalker_learner *l, th__stalker_node *member, uint32_t index,
                        const th__instances *instances)
{
    const th__page_map *map = NULL;
    uint32_t unit = TH__NO_THING, positives = 0;
    uint64_t hash = 0;
    for (size_t i = 0; i < instances->len; i++) {
        const th__stalker_instance *in = &instances->data[i];
        th_span hull = th__value_hull(th_value_item(in->value, index));
        if (!hull.end)
            continue;
        map = th__stalker_page_map(&l->pages[in->page]);
        if (!map)
            return false;
        unit = unit_before(map, in, hull);
        uint64_t own = unit == TH__NO_THING ? 0 : map->units[unit].hash;
        if (!own || (positives && own != hash))
            return true;
        hash = own;
        positives++;
    }
    if (!hash || is_value(l, instances, hash) ||
        (positives == 1 && !stands_elsewhere(l, instances, hash)))
        return true;
    member->label = th__span_copy(l->arena, map->page, map->units[unit].span);
    member->label_hash = hash;
    return member->label.ptr;
}

static bool learn_labels(th__stalker_learner *l, th__stalker_node *tuple,
                         const th__instances *instances)
{
    size_t labelled = 0;
    for (size_t i = 0; i < instances->len; i++)
        labelled += instances->data[i].labelled;
    /* What is before a value once may be any text. */
    for (uint32_t m = 0; m < tuple->count && labelled > 1; m++)
        if (!learn_label(l, &tuple->children[m], m, instances))
            return false;
    return true;
}

/* ---- down the catalog tree: each node is learnt in the scopes of its parent ------------------ */

th_span th__stalker_value_span(const th_value *value)
{
    return th_value_get_kind(value) == TH_VALUE_TEXT ? th_value_span(value) : (th_span){0};
}

static bool learn_node(th__stalker_learner *l, th__stalker_node *node,
                       const th__instances *instances);

static size_t enter(th__stalker_learner *l, th_str name)
{
    size_t mark = l->name.len;
    if (name.len)
        th__buf_printf(&l->name, "%s%.*s", mark ? "." : "", TH_STR_ARG(name));
    return mark;
}

/* Returns true if a text member shares nothing with the others of its tuple on any label. */
static bool is_apart(const th__instances *instances, uint32_t member, uint32_t count)
{
    for (size_t i = 0; i < instances->len; i++) {
        const th_value *tuple = instances->data[i].value;
        th_span own = th__stalker_value_span(th_value_item(tuple, member));
        for (uint32_t m = 0; own.end && m < count; m++)
            if (m != member && th__stalker_overlaps(th_value_item(tuple, m), own))
                return false;
    }
    return true;
}

/* Members are sought where their tuple is. */
static bool learn_members(th__stalker_learner *l, th__stalker_node *node,
                          const th__instances *instances)
{
    th__instances own = {0};
    th__label_rule identified_by = l->identified_by;
    const th__label_set *labels = NULL;
    bool ok =
        th__vec_reserve(&own, instances->len + 1) && (l->paper || learn_labels(l, node, instances));
    if (ok && !l->paper)
        ok = (labels = labels_of(l->arena, node));
    for (uint32_t m = 0; ok && m < node->count; m++) {
        size_t mark = enter(l, th_type_name(node->children[m].type));
        l->identified_by = (th__label_rule){labels, node->children[m].label_hash};
        own.len = 0;
        for (size_t i = 0; i < instances->len; i++) {
            th__stalker_instance instance = instances->data[i];
            const th_value *member = th_value_item(instance.value, m);
            if (member && member->unknown && member->kind == TH_VALUE_NULL)
                continue;
            instance.value = th_value_get_kind(member) == TH_VALUE_NULL ? NULL : member;
            instance.scope = th__stalker_member_scope(node, &node->children[m],
                                                      &l->pages[instance.page], &instance.scope);
            own.data[own.len++] = instance;
        }
        ok = learn_node(l, &node->children[m], &own);
        if (node->children[m].field)
            node->children[m].field->apart = !l->paper && is_apart(instances, m, node->count);
        l->name.len = mark;
    }
    l->identified_by = identified_by;
    th__vec_release(&own);
    return ok;
}

/* Of a choice, each alternative is learnt as something that may be missing. */
static bool learn_alternatives(th__stalker_learner *l, th__stalker_node *node,
                               const th__instances *instances)
{
    th__instances own = {0};
    bool ok = th__vec_reserve(&own, instances->len + 1);
    for (uint32_t m = 0; ok && m < node->count; m++) {
        own.len = 0;
        for (size_t i = 0; i < instances->len; i++) {
            th__stalker_instance instance = instances->data[i];
            bool chosen = th_value_get_kind(instance.value) == TH_VALUE_CHOICE &&
                          th_value_which(instance.value) == m;
            instance.value = chosen ? th_value_item(instance.value, 0) : NULL;
            own.data[own.len++] = instance;
        }
        ok = learn_node(l, &node->children[m], &own);
    }
    th__vec_release(&own);
    return ok;
}

/* The items of a list as its rule finds them, each with its label. A page whose list is not found
 * as labelled teaches nothing about items; of a page that is a sample, items without labels do not.
 */
static bool find_items(th__stalker_learner *l, const th__stalker_node *node,
                       const th__stalker_instance *in, th__instances *out)
{
    th__scopes items = {0};
    bool ok = th__stalker_items(node->list, &l->pages[in->page], &in->scope, &items);
    bool sample = in->labelled && in->sample;
    size_t labelled = 0, count = th_value_count(in->value);
    for (size_t i = 0; i < count; i++)
        labelled += th__value_hull(th_value_item(in->value, i)).end > 0;
    /* Items of which nothing is on the page may be found or not. */
    bool right = in->labelled && (sample || (items.len >= labelled && items.len <= count));
    for (size_t i = 0, at = 0; ok && i < items.len; i++) {
        th__stalker_instance item = {
            .page = in->page, .scope = items.data[i], .sample = l->corpus->pages[in->page].sample};
        th_span span = items.data[i].span, hull = {0};
        if (in->labelled && !right)
            break;
        while (right && at < count && !hull.end) {
            hull = th__value_hull(th_value_item(in->value, at));
            at += !hull.end;
        }
        item.labelled = right && hull.end && span.start <= hull.start && span.end >= hull.end;
        if (item.labelled)
            item.value = th_value_item(in->value, at++);
        else
            item.labelled = right && !sample && labelled < count;
        ok = th__vec_push(out, item);
    }
    th__vec_release(&items);
    return ok;
}

/* Returns true if tuples have lines below, and all labelled texts of theirs are before those. */
static bool have_own_lines(th__stalker_learner *l, th__stalker_node *tuple,
                           const th__instances *items)
{
    bool any = false;
    tuple->own_lines = true;
    for (size_t i = 0; i < items->len; i++)
        for (uint32_t m = 0; m < tuple->count; m++) {
            const th__stalker_instance *in = &items->data[i];
            th_span span = th__stalker_value_span(th_value_item(in->value, m));
            th__scope own = th__stalker_member_scope(tuple, &tuple->children[m],
                                                     &l->pages[in->page], &in->scope);
            if (span.end && tuple->children[m].field && span.end > own.span.end)
                return false;
            any |= in->labelled && own.end < in->scope.end;
        }
    return any;
}

bool th__stalker_learn_list(th__stalker_learner *l, th__stalker_node *node,
                            const th__instances *instances)
{
    th__instances items = {0};
    if (!th__stalker_learn_items(l, node, instances))
        return false;
    if (node->list->kind == TH__LIST_SINGLE)
        return true; /* its field is learnt already */
    bool ok = true;
    for (size_t i = 0; ok && i < instances->len; i++)
        ok = find_items(l, node, &instances->data[i], &items);
    if (ok && !l->paper && !node->list->texts && !node->list->indented)
        node->children[0].own_lines = have_own_lines(l, &node->children[0], &items);
    ok = ok && learn_node(l, &node->children[0], &items);
    th__vec_release(&items);
    return ok;
}

/* The texts of a list are learnt in the order of the page, however they are labelled; only the
 * parts that they may be of go by the order of the labels. */
static bool learn_texts(th__stalker_learner *l, th__stalker_node *node,
                        const th__instances *instances)
{
    th__instances sorted = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < instances->len; i++) {
        th__stalker_instance in = instances->data[i];
        size_t count = th_value_count(in.value);
        if (count > 1) {
            th_value *list = th__arena_zero(&l->scratch, 1, sizeof *list);
            th_value **items = th__arena_alloc(&l->scratch, count * sizeof *items);
            if (!list || !items)
                break;
            for (size_t n = 0; n < count; n++)
                items[n] = th__value_item(in.value, n);
            *list = *in.value;
            list->list = items;
            in.value = list;
            ok = th__values_sort(items, count);
        }
        ok = ok && th__vec_push(&sorted, in);
    }
    ok = sorted.len == instances->len &&
         (l->paper ? th__stalker_learn_list(l, node, &sorted)
                   : th__stalker_learn_parts(l, node, &sorted, instances));
    th__vec_release(&sorted);
    return ok;
}

static bool learn_node(th__stalker_learner *l, th__stalker_node *node,
                       const th__instances *instances)
{
    switch (node->type->kind) {
    case TH_TYPE_FIELD:
        return th__stalker_learn_field(l, node->field, instances) &&
               th__stalker_note_field(l, node->field, instances);
    case TH_TYPE_LIST:
        return node->children[0].field ? learn_texts(l, node, instances)
                                       : th__stalker_learn_list(l, node, instances);
    case TH_TYPE_TUPLE:
        return learn_members(l, node, instances);
    default:
        return learn_alternatives(l, node, instances);
    }
}

/* The root's value on a page: its one record, or all of them as a list. */
static const th_value *root_value(th__stalker_learner *l, const th_records *records, bool list,
                                  th_span body)
{
    if (!list)
        return th_records_get(records, 0);
    th_value *all = th__arena_zero(&l->scratch, 1, sizeof *all);
    if (all)
        *all = (th_value){.kind = TH_VALUE_LIST,
                          .type = th_schema_root(th_records_schema(records)),
                          .list = records->values.data,
                          .span = body,
                          .count = (uint32_t)records->values.len};
    return all;
}

static bool learn_root(th__stalker_learner *l, th__stalker_node *root)
{
    const th__corpus *corpus = l->corpus;
    th__instances instances = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < corpus->count; i++) {
        th__corpus_page *page = &corpus->pages[i];
        th__stalker_instance instance = {
            .page = (uint32_t)i, .scope = th__scope_page(page->page), .labelled = page->labels};
        page->learnt = page->labels ? th_records_count(page->labels) : 0;
        /* Nobody labels all rows of a list; that a page has none is said in full. */
        instance.sample = page->sample || (root->list && !l->paper && page->learnt);
        if (page->labels) {
            instance.value = root_value(l, page->labels, root->list, page->body);
            ok = instance.value || !root->list;
        }
        ok = ok && th__vec_push(&instances, instance);
    }
    ok = ok && learn_node(l, root, &instances);
    th__vec_release(&instances);
    return ok;
}

static bool has_sign(const th_page *page, const th_value *value)
{
    bool any = false;
    if (th_value_get_kind(value) == TH_VALUE_TEXT) {
        th_span span = th_value_span(value);
        return span.end && th__span_has_sign(page, span);
    }
    for (size_t i = 0; i < th_value_count(value) && !any; i++)
        any = has_sign(page, th_value_item(value, i));
    return any;
}

/* Returns true if a sign that could separate texts is in a labelled value. Values are as deep as
 * schemas.
 */
static bool have_signs(const th__corpus_page *page)
{
    bool any = false;
    for (size_t i = 0; page->labels && i < th_records_count(page->labels) && !any; i++)
        any = has_sign(page->page, th_records_get(page->labels, i));
    return any;
}

static th_status learn_corpus(const th_learn_options *options, const th__corpus *corpus,
                              th__arena *arena, th_schema **schema, void **rules, th_error *err)
{
    th__stalker_learner l = {.corpus = corpus, .arena = arena, .paper = options->paper.published};
    th__stalker_rules *out = th__arena_zero(arena, 1, sizeof *out);
    *schema = th_schema_retain(corpus->schema);
    th__arena_init(&l.scratch);
    l.pages = th__arena_zero(&l.scratch, corpus->count + 1, sizeof *l.pages);
    bool ok = out && l.pages && th__stalker_rules_make(arena, *schema, out);
    uint32_t labelled = 0;
    for (size_t i = 0; ok && i < corpus->count; i++) {
        labelled += corpus->pages[i].labels != NULL;
        out->unparted |= !l.paper && have_signs(&corpus->pages[i]);
    }
    /* One labelled page tells too little of what is part of values. */
    if (ok)
        out->published = l.paper;
    if (ok)
        out->unparted |= !l.paper && labelled < 2;
    for (size_t i = 0; ok && i < corpus->count; i++)
        l.pages[i] = (th__stalker_page){
            .page = corpus->pages[i].page, .arena = &l.scratch, .unparted = out->unparted};
    ok = ok && learn_root(&l, &out->root) && !l.name.failed &&
         (l.paper || th__stalker_learn_spots(&l, out));
    th__buf_release(&l.name);
    th__arena_release(&l.scratch);
    *rules = out;
    return ok ? TH_OK : th__fail_memory(err);
}

const th__engine th__stalker_engine = {
    .name = "stalker",
    .learn_corpus = learn_corpus,
    .needs_labels = true,
    .published = true,
    .run = th__stalker_run,
    .doubts = th__stalker_doubts,
    .hits = th__stalker_hits,
    .shape = &th__stalker_shape,
    .explain = th__stalker_explain,
};
