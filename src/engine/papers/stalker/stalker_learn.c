/* stalker_learn.c: down the catalog tree: each node is learnt in the extents of its parent. */
#include "engine/papers/stalker/stalker_learn.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "data/record.h"
#include "engine/papers/stalker/stalker_unshown.h"
#include "page/page.h"

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

/* Whether a text member shares nothing with the others of its tuple on any label. */
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
    th__told told = l->told;
    const th__label_set *labels = NULL;
    bool ok = th__vec_reserve(&own, instances->len + 1) &&
              (l->paper || th__stalker_learn_labels(l, node, instances));
    if (ok && !l->paper)
        ok = (labels = th__stalker_labels(l->arena, node));
    for (uint32_t m = 0; ok && m < node->count; m++) {
        size_t mark = enter(l, th_type_name(node->children[m].type));
        l->told = (th__told){labels, node->children[m].label_hash};
        own.len = 0;
        for (size_t i = 0; i < instances->len; i++) {
            th__stalker_instance instance = instances->data[i];
            const th_value *member = th_value_item(instance.value, m);
            instance.value = th_value_get_kind(member) == TH_VALUE_NULL ? NULL : member;
            instance.extent = th__stalker_member_extent(node, &node->children[m],
                                                        &l->pages[instance.page], &instance.extent);
            own.data[own.len++] = instance;
        }
        ok = learn_node(l, &node->children[m], &own);
        if (node->children[m].field)
            node->children[m].field->apart = !l->paper && is_apart(instances, m, node->count);
        l->name.len = mark;
    }
    l->told = told;
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
    th__extent_vec items = {0};
    bool ok = th__stalker_items(node->list, &l->pages[in->page], &in->extent, &items);
    bool sample = in->labelled && in->sample;
    size_t labelled = 0, count = th_value_count(in->value);
    for (size_t i = 0; i < count; i++)
        labelled += th__value_hull(th_value_item(in->value, i)).end > 0;
    /* Items of which nothing is on the page may be found or not. */
    bool right = in->labelled && (sample || (items.len >= labelled && items.len <= count));
    for (size_t i = 0, at = 0; ok && i < items.len; i++) {
        th__stalker_instance item = {
            .page = in->page, .extent = items.data[i], .sample = l->corpus->pages[in->page].sample};
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

/* Whether tuples have lines below, and all labelled texts of theirs stand before those. */
static bool have_own_lines(th__stalker_learner *l, th__stalker_node *tuple,
                           const th__instances *items)
{
    bool any = false;
    tuple->own_lines = true;
    for (size_t i = 0; i < items->len; i++)
        for (uint32_t m = 0; m < tuple->count; m++) {
            const th__stalker_instance *in = &items->data[i];
            th_span span = th__stalker_value_span(th_value_item(in->value, m));
            th__stalker_extent own = th__stalker_member_extent(tuple, &tuple->children[m],
                                                               &l->pages[in->page], &in->extent);
            if (span.end && tuple->children[m].field && span.end > own.span.end)
                return false;
            any |= in->labelled && own.end < in->extent.end;
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
static const th_value *root_value(th__stalker_learner *l, const th_records *records, bool list)
{
    if (!list)
        return th_records_get(records, 0);
    th_value *all = th__arena_zero(&l->scratch, 1, sizeof *all);
    if (all)
        *all = (th_value){.kind = TH_VALUE_LIST,
                          .type = th_schema_root(th_records_schema(records)),
                          .list = records->values.data,
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
            .page = (uint32_t)i, .extent = th__stalker_whole(page->page), .labelled = page->labels};
        page->learnt = page->labels ? th_records_count(page->labels) : 0;
        /* Nobody labels all rows of a list; that a page has none is said in full. */
        instance.sample = page->sample || (root->list && !l->paper && page->learnt);
        if (page->labels) {
            instance.value = root_value(l, page->labels, root->list);
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
        return span.end && th__stalker_has_sign(page, span);
    }
    for (size_t i = 0; i < th_value_count(value) && !any; i++)
        any = has_sign(page, th_value_item(value, i));
    return any;
}

/* Whether a sign that could part texts stands in a labelled value. Values are as deep as schemas.
 */
static bool have_signs(const th__corpus_page *page)
{
    bool any = false;
    for (size_t i = 0; page->labels && i < th_records_count(page->labels) && !any; i++)
        any = has_sign(page->page, th_records_get(page->labels, i));
    return any;
}

th_status th__stalker_learn(const th_learn_options *options, const th__corpus *corpus,
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
        out->unparted |= !l.paper && labelled < 2;
    for (size_t i = 0; ok && i < corpus->count; i++)
        l.pages[i] = (th__stalker_page){
            .page = corpus->pages[i].page, .arena = &l.scratch, .unparted = out->unparted};
    ok = ok && learn_root(&l, &out->root) && !l.name.failed &&
         (l.paper || th__stalker_learn_unshown(&l, out));
    th__buf_release(&l.name);
    th__arena_release(&l.scratch);
    *rules = out;
    return ok ? TH_OK : th__fail_memory(err);
}
