/*
 * mdr_learn.c: what is worth remembering of a region.
 *
 * The generalized nodes of a region are walked on the page itself: their number and size follow
 * from the region's parts. Prototypes are taken greedily: a tag string that no earlier one is
 * similar to becomes one, up to a limit that a list of much variety reaches and that does no harm,
 * since the classes allow more difference.
 */
#include "engine/papers/mdr/mdr_learn.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "engine/papers/mdr/mdr_compare.h"
#include "page/tags.h"

typedef struct learner {
    const th_page *page;
    th__mdr_tree tree;
    th__mdr_compare compare;
    th__arena scratch;
    th__mdr_rule *rule;
    th__mdr_options options;
    uint32_t *tree_node;      /* by node of the page: its number in the tree, or 0 */
    TH__VEC(uint32_t) found;  /* the first node of each generalized node of a part, in the tree */
    TH__VEC(uint16_t) pieces; /* of one record that is not contiguous */
    th_error *err;
} learner;

static th_status no_memory(learner *l)
{
    return th__fail_memory(l->err);
}

/* The generalized nodes of all parts below one parent. */
static th_status list_nodes(learner *l, const th__mdr_part *parts, uint32_t count)
{
    l->found.len = 0;
    for (uint32_t p = 0; p < count; p++) {
        uint32_t node = l->tree_node[parts[p].first];
        for (uint32_t i = 0; i < parts[p].count; i++, node = l->tree.end[node])
            if (i % parts[p].combination == 0 && !th__vec_push(&l->found, node))
                return no_memory(l);
    }
    return TH_OK;
}

/* The names of a tag string, lower case, parted by blanks. */
static bool add_names(const learner *l, uint32_t first, uint32_t end, th__buf *out)
{
    for (uint32_t n = first; n < end; n++) {
        th_str name =
            th__tag_counted(th_token_name(l->page, l->page->nodes[l->tree.node[n]].token));
        if (out->len)
            th__buf_add_byte(out, ' ');
        for (size_t i = 0; i < name.len; i++)
            th__buf_add_byte(out, (char)th__lower((unsigned char)name.ptr[i]));
    }
    return !out->failed;
}

/* Adds the string of some ranges of the tree to the prototypes, if it is unlike those there. */
static th_status add_prototype(learner *l, const th__mdr_range *ranges, uint32_t count,
                               th__mdr_string *out, uint32_t *len)
{
    l->pieces.len = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t more = ranges[i].end - ranges[i].first;
        if (!th__vec_reserve(&l->pieces, more))
            return no_memory(l);
        memcpy(l->pieces.data + l->pieces.len, l->tree.tags + ranges[i].first,
               more * sizeof *l->pieces.data);
        l->pieces.len += more;
    }
    if (l->pieces.len > TH__MDR_RULE_MAX_STRING)
        return TH_OK; /* see learn_part: there must be one that is not */
    th__symbols string = th__symbols16(l->pieces.data, (uint32_t)l->pieces.len);
    for (uint32_t i = 0; i < *len; i++)
        if (th__mdr_similar(&l->compare, th__symbols16(out[i].tags, out[i].len), string))
            return l->compare.no_memory ? no_memory(l) : TH_OK;
    if (l->compare.no_memory)
        return no_memory(l);
    th__buf names = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++)
        ok = add_names(l, ranges[i].first, ranges[i].end, &names);
    if (ok)
        out[*len] = th__mdr_string_make(&l->rule->arena, th__buf_str(&names));
    th__buf_release(&names);
    if (!ok || !out[*len].names.ptr)
        return no_memory(l);
    ++*len;
    return TH_OK;
}

static uint32_t after(const learner *l, uint32_t node, uint32_t size)
{
    while (size--)
        node = l->tree.end[node];
    return node;
}

static th_status learn_prototypes(learner *l, th__mdr_rule_part *part)
{
    th__mdr_string *out =
        th__arena_alloc(&l->rule->arena, TH__MDR_RULE_MAX_PROTOTYPES * sizeof *out);
    if (!out)
        return no_memory(l);
    part->prototypes = out;
    for (size_t i = 0; i < l->found.len && part->prototype_count < TH__MDR_RULE_MAX_PROTOTYPES;
         i++) {
        uint32_t first = l->found.data[i];
        th__mdr_range range = {first, after(l, first, part->node_count)};
        th_status status = add_prototype(l, &range, 1, out, &part->prototype_count);
        if (status)
            return status;
    }
    if (!part->prototype_count)
        return th__fail(l->err, TH_ERR_LIMIT,
                        "mdr: the records of this region have more than %d tags each: too many "
                        "for a wrapper; pick another region",
                        TH__MDR_RULE_MAX_STRING);
    return TH_OK;
}

/* The strings of single records, where generalized nodes hold several. */
static th_status learn_records(learner *l, const th__mdr_region *region, th__mdr_rule_part *part)
{
    th__mdr_string *out =
        th__arena_alloc(&l->rule->arena, TH__MDR_RULE_MAX_PROTOTYPES * sizeof *out);
    if (!out)
        return no_memory(l);
    part->records = out;
    for (uint32_t i = 0;
         i < region->record_count && part->record_count < TH__MDR_RULE_MAX_PROTOTYPES; i++) {
        th__mdr_range ranges[TH__MDR_MAX_COMBINATION];
        const th__mdr_record *record = &region->records[i];
        uint32_t count = 0;
        for (; count < record->range_count && count < TH__MDR_MAX_COMBINATION; count++) {
            uint32_t first = l->tree_node[record->ranges[count].first], end = first;
            while (end < l->tree.count && l->tree.node[end] < record->ranges[count].end)
                end = l->tree.end[end];
            ranges[count] = (th__mdr_range){first, end};
        }
        th_status status = add_prototype(l, ranges, count, out, &part->record_count);
        if (status)
            return status;
    }
    return TH_OK;
}

/* What all generalized nodes have at a place: the tag, and the classes. */
static th_status learn_node(learner *l, uint32_t place, th__mdr_rule_node *out)
{
    const th_page *page = l->page;
    th__mdr_classes common = {.count = 0};
    uint16_t tag = 0;
    for (size_t i = 0; i < l->found.len; i++) {
        uint32_t node = after(l, l->found.data[i], place);
        th__mdr_classes classes = th__mdr_classes_of(page, l->tree.node[node]);
        if (!i) {
            common = classes;
            tag = l->tree.tags[node];
        }
        th__mdr_classes_intersect(&common, &classes);
        tag = tag == l->tree.tags[node] ? tag : 0;
    }
    th__buf text = {0};
    bool ok = true;
    for (unsigned i = 0; i < common.count; i++) {
        ok = ok && (!i || th__buf_add_byte(&text, ' '));
        ok = ok && th__buf_add_str(&text, common.word[i]);
    }
    out->classes = th__arena_copy(&l->rule->arena, th__buf_str(&text));
    th__buf_clear(&text);
    uint32_t node = after(l, l->found.data[0], place);
    ok = ok && add_names(l, node, node + 1, &text);
    out->tag = tag ? th__arena_copy(&l->rule->arena, th__buf_str(&text)) : (th_str){0};
    out->tag_id = tag;
    ok = ok && out->classes.ptr && (!tag || out->tag.ptr);
    th__buf_release(&text);
    return ok ? TH_OK : no_memory(l);
}

static th_status learn_parent(learner *l, uint32_t parent, th__mdr_rule_part *out)
{
    const th_page *page = l->page;
    TH__VEC(uint32_t) above = {0};
    th__buf names = {0};
    bool ok = true;
    for (uint32_t n = parent; ok && n; n = page->nodes[n].parent)
        ok = th__vec_push(&above, l->tree_node[n]);
    bool deep = above.len > TH__MDR_RULE_MAX_PATH;
    while (ok && above.len) {
        uint32_t node = above.data[--above.len];
        ok = add_names(l, node, node + 1, &names);
    }
    th_str value = {0};
    if (ok && parent && th_attr_get(page, page->nodes[parent].token, "id", &value))
        ok = (out->id = th__arena_copy(&l->rule->arena, value)).ptr || !value.len;
    value = (th_str){0};
    if (ok && parent && th_attr_get(page, page->nodes[parent].token, "class", &value))
        ok = (out->classes = th__arena_copy(&l->rule->arena, value)).ptr || !value.len;
    if (ok)
        ok = (out->path = th__mdr_string_make(&l->rule->arena, th__buf_str(&names))).names.ptr;
    th__vec_release(&above);
    th__buf_release(&names);
    if (ok && deep)
        return th__fail(l->err, TH_ERR_LIMIT,
                        "mdr: the region is more than %d elements deep; pick another",
                        TH__MDR_RULE_MAX_PATH);
    return ok ? TH_OK : no_memory(l);
}

static th_status learn_part(learner *l, const th__mdr_region *region, const th__mdr_part *parts,
                            uint32_t count, th__mdr_rule_part *out)
{
    th__mdr_rule_node *places =
        th__arena_zero(&l->rule->arena, parts[0].combination, sizeof *places);
    if (!places)
        return no_memory(l);
    out->nodes = places;
    out->node_count = parts[0].combination;
    th_status status = list_nodes(l, parts, count);
    if (!status)
        status = learn_parent(l, parts[0].parent, out);
    for (uint32_t i = 0; !status && i < out->node_count; i++)
        status = learn_node(l, i, &places[i]);
    if (!status)
        status = learn_prototypes(l, out);
    if (!status && l->rule->cut != TH__MDR_WHOLE)
        status = learn_records(l, region, out);
    l->rule->seen_nodes += (uint32_t)l->found.len;
    return status;
}

static th_status learn_parts(learner *l, const th__mdr_region *region)
{
    uint32_t count = region->zipped ? region->part_count : 1;
    th__mdr_rule_part *parts = th__arena_zero(&l->rule->arena, count, sizeof *parts);
    if (!parts)
        return no_memory(l);
    l->rule->parts = parts;
    if (count > TH__MDR_RULE_MAX_PARTS)
        return th__fail(l->err, TH_ERR_LIMIT,
                        "mdr: a record of this region has %u pieces, at most %d can be learnt; "
                        "pick another region",
                        count, TH__MDR_RULE_MAX_PARTS);
    for (; l->rule->part_count < count; l->rule->part_count++) {
        uint32_t i = l->rule->part_count;
        th_status status = learn_part(l, region, region->parts + i,
                                      region->zipped ? 1 : region->part_count, &parts[i]);
        if (status)
            return status;
    }
    return TH_OK;
}

static bool prepare(learner *l)
{
    if (!th__mdr_tree_build(&l->tree, l->page, &l->scratch) ||
        !th__mdr_compare_init(&l->compare, &l->tree, &l->options, &l->scratch))
        return false;
    l->tree_node = th__arena_zero(&l->scratch, l->page->node_count, sizeof *l->tree_node);
    for (uint32_t n = 0; l->tree_node && n < l->tree.count; n++)
        l->tree_node[l->tree.node[n]] = n;
    return l->tree_node;
}

th_status th__mdr_learn(const th_page *page, const th__mdr_region *region,
                        const th__mdr_options *options, th__mdr_rule **out, th_error *err)
{
    learner l = {.page = page, .err = err, .rule = TH__NEW(th__mdr_rule)};
    *out = NULL;
    if (!l.rule)
        return th__fail_memory(err);
    if (options)
        l.options = *options;
    else
        th__mdr_options_init(&l.options);
    th__arena_init(&l.rule->arena);
    th__arena_init(&l.scratch);
    l.rule->cut = region->zipped ? TH__MDR_WHOLE : region->cut;
    l.rule->table_tags = !l.options.every_tag;
    l.rule->threshold = l.options.threshold;
    l.rule->class_threshold =
        l.options.same_class ? l.options.class_threshold : l.options.threshold;
    l.rule->seen_records = region->record_count;
    th_status status = prepare(&l) ? learn_parts(&l, region) : th__fail_memory(err);
    th__mdr_compare_release(&l.compare);
    th__vec_release(&l.found);
    th__vec_release(&l.pieces);
    th__arena_release(&l.scratch);
    if (status) {
        th__mdr_rule_free(l.rule);
        return status;
    }
    *out = l.rule;
    return TH_OK;
}
