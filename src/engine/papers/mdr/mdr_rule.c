/*
 * mdr_rule.c: a region as a rule for other pages: learning one, running it without a search, and
 * MDR as an engine of regions and wrappers. A wrapper's rules are {"several": false, "region":
 * {...}, "fields": [...]}: mdr.h shows the region, wrapper/fields.h the fields.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "engine/papers/mdr/mdr.h"
#include "page/tags.h"
#include "page/text.h"
#include "wrapper/fields.h"
#include "wrapper/rule_table.h"

/* ---- regions as lists of records in columns -------------------------------------------------- */

/* True if records have several elements. */
static bool are_several(const th_page *page, const th__mdr_record *records, uint32_t count)
{
    for (uint32_t r = 0; r < count; r++)
        if (records[r].range_count > 1 ||
            th__mdr_last_node(page, records[r].ranges[0]) != records[r].ranges[0].first)
            return true;
    return false;
}

/* Where records are, in the arena: a non-contiguous record has several extents. `several`: records
 * have several elements, and what is in them is identified by its element too. False if out of
 * memory. */
static bool find_extents(th__arena *arena, const th_page *page, const th__mdr_record *records,
                         uint32_t count, bool several, th__extents *out)
{
    size_t total = 0;
    for (uint32_t r = 0; r < count; r++)
        total += records[r].range_count;
    th__extent *extents = th__arena_alloc(arena, (total + 1) * sizeof *extents);
    uint32_t *first = th__arena_alloc(arena, ((size_t)count + 1) * sizeof *first);
    if (!extents || !first)
        return false;
    uint32_t used = 0;
    for (uint32_t r = 0; r < count; r++) {
        first[r] = used;
        for (uint32_t i = 0; i < records[r].range_count; i++) {
            th__mdr_range range = records[r].ranges[i];
            extents[used] = th__extent_of(page, range.first, th__mdr_last_node(page, range));
            extents[used++].run = several;
        }
    }
    first[count] = used;
    *out = (th__extents){extents, first, count};
    return true;
}

/* Returns true if the records contain anything that can become a column. */
static bool has_items(const th__view *view, const th__extents *list, bool *has)
{
    th__item_vec items = {0};
    bool ok = true;
    for (uint32_t r = 0; ok && r < list->count && !items.len; r++)
        ok = th__items_add(view, list, r, &items);
    *has = items.len > 0;
    th__vec_release(&items);
    return ok;
}

/* Moves on from rank *at to the first region with any data, and finds its records; *at is the
 * number of regions if there is none. False if out of memory. */
static bool next_region(const th__view *view, th__mdr_result *result, uint32_t *at,
                        th__extents *out)
{
    for (; *at < result->region_count; ++*at) {
        const th__mdr_region *region = &result->regions[result->ranked[*at].region];
        bool has = false;
        if (result->ranked[*at].score <= 0)
            continue;
        if (!find_extents(&result->arena, view->page, region->records, region->record_count,
                          are_several(view->page, region->records, region->record_count), out) ||
            !has_items(view, out, &has))
            return false;
        if (has)
            break;
    }
    return true;
}

static th_status add_regions(const th_page *page, const th_records_source *source, uint32_t most,
                             bool all, th__mdr_result *result, th__region_vec *out, th_error *err)
{
    th__view view;
    if (!th__view_make(&result->arena, page, &view))
        return th__fail_memory(err);
    for (uint32_t at = 0; out->len < most; at++) {
        th__extents list;
        th_records *records;
        if (!next_region(&view, result, &at, &list))
            return th__fail_memory(err);
        if (at >= result->region_count)
            break;
        th_status status = th__list_records(&view, &list, all, source, &records, err);
        if (!status && records)
            status = th__region_add(out, "mdr", result->ranked[at].score, records, err);
        if (status)
            return status;
    }
    return TH_OK;
}

/* The paper's settings or ours, with what the user has set. */
static void read_options(const th_paper_options *paper, th__mdr_options *options)
{
    *options = paper->published ? th__mdr_paper : th__mdr_ours;
    options->combination = paper->combination;
    options->threshold = paper->threshold;
    if (options->class_threshold < paper->threshold) /* equal classes allow more */
        options->class_threshold = paper->threshold;
    if (paper->table_tags)
        options->every_tag = false;
}

/* `regions` of the engine's table. */
static th_status find_regions(const th_page *page, const th_records_source *source,
                              const th_regions_options *options, th__region_vec *out, th_error *err)
{
    th__mdr_options mdr;
    th__mdr_result *result;
    read_options(&options->paper, &mdr);
    mdr.trace = options->trace;
    th_status status = th__mdr_find(page, &mdr, &result, err);
    if (status)
        return status;
    status = add_regions(page, source, options->most, options->all_columns, result, out, err);
    th__mdr_result_free(result);
    return status;
}

/* ---- rules as JSON; mdr.h shows it ------------------------------------------------------------
 */

/* A tag string of names; absent names if out of memory. */
static th__mdr_string make_tag_string(th__arena *arena, th_str names)
{
    th__mdr_string out = {.names = th__arena_copy(arena, names)};
    uint32_t *tags = th__arena_alloc(arena, (names.len + 1) * sizeof *tags);
    size_t at = 0;
    if (!tags || !out.names.ptr)
        return (th__mdr_string){.len = 0};
    out.tags = tags;
    for (th_str name; (name = th__str_word(names, &at)).len;)
        tags[out.len++] = th_tag_id(name);
    return out;
}

/* ---- tag strings ---- */

static th_status check_names(th__rule_reader *reader, th_str names, uint32_t least, uint32_t most)
{
    uint32_t count = 0;
    for (size_t at = 0; at < names.len;) {
        size_t from = at;
        while (at < names.len && names.ptr[at] != ' ')
            at++;
        if (at == from || at - from > TH__MDR_RULE_MAX_NAME)
            return th__rule_fault(reader, "must be names of tags, separated by single blanks");
        at += at < names.len;
        count++;
    }
    if (most == 1 && count != 1)
        return th__rule_fault(reader, "must be the name of a tag");
    if (count < least || count > most)
        return th__rule_fault(reader, "must be %u to %u names of tags", least, most);
    return TH_OK;
}

static th_status make_string(th__rule_reader *reader, uint32_t least, uint32_t most,
                             th__mdr_string *string)
{
    th_status status = check_names(reader, string->names, least, most);
    if (status)
        return status;
    *string = make_tag_string(reader->arena, string->names);
    return string->names.ptr ? TH_OK : th__fail_memory(reader->err);
}

static th_status check_prototype(th__rule_reader *reader, void *string)
{
    return make_string(reader, 1, TH__MDR_RULE_MAX_STRING, string);
}

static th_status check_path(th__rule_reader *reader, void *object)
{
    return make_string(reader, 0, TH__MDR_RULE_MAX_PATH, &((th__mdr_rule_part *)object)->path);
}

static const th__rule_member string_members[] = {{TH__TEXT(NULL, th__mdr_string, names)}};
static const th__rule_shape string_shape =
    TH__CHECKED_SHAPE(th__mdr_string, string_members, check_prototype);

/* ---- parts ---- */

static th_status check_tag(th__rule_reader *reader, void *object)
{
    th__mdr_rule_node *node = object;
    node->tag_id = th_tag_id(node->tag);
    return check_names(reader, node->tag, 1, 1);
}

static const th__rule_member node_members[] = {
    {TH__TEXT("tag", th__mdr_rule_node, tag), .check = check_tag},
    {TH__TEXT("class", th__mdr_rule_node, classes)},
};
static const th__rule_shape node_shape = TH__SHAPE(th__mdr_rule_node, node_members);

static const th__rule_member parent_members[] = {
    {TH__TEXT("path", th__mdr_rule_part, path.names), .flags = TH__NEEDED, .check = check_path},
    {TH__TEXT("id", th__mdr_rule_part, id)},
    {TH__TEXT("class", th__mdr_rule_part, classes)},
};
static const th__rule_shape parent_shape = TH__SHAPE(th__mdr_rule_part, parent_members);

/* Checks that a part has what its cut needs. */
static th_status check_part(th__rule_reader *reader, void *object)
{
    const th__mdr_rule_part *part = object;
    const th__mdr_rule *rule = reader->root;
    bool inside = rule->cut == TH__MDR_CHILDREN || rule->cut == TH__MDR_COLUMNS;
    if (inside && !part->record_count)
        return th__rule_fault_in(reader, "records", "must be an array of 1 to 16 items");
    if (rule->cut == TH__MDR_CHILDREN && part->node_count != 1)
        return th__rule_fault(reader, "the cut \"children\" needs exactly one node");
    return TH_OK;
}

static const th__rule_member part_members[] = {
    {TH__GROUP("parent", parent_shape), .flags = TH__NEEDED},
    {TH__LIST("nodes", th__mdr_rule_part, nodes, node_count, node_shape, 1,
              TH__MDR_MAX_COMBINATION),
     .flags = TH__NEEDED},
    {TH__LIST("prototypes", th__mdr_rule_part, prototypes, prototype_count, string_shape, 1,
              TH__MDR_RULE_MAX_PROTOTYPES),
     .flags = TH__NEEDED},
    {TH__LIST("records", th__mdr_rule_part, records, record_count, string_shape, 0,
              TH__MDR_RULE_MAX_PROTOTYPES),
     .flags = TH__NEEDED},
};
static const th__rule_shape part_shape =
    TH__CHECKED_SHAPE(th__mdr_rule_part, part_members, check_part);

/* ---- the whole ---- */

static th_status check_parts(th__rule_reader *reader, void *object)
{
    const th__mdr_rule *rule = object;
    return rule->part_count > 1 && rule->cut != TH__MDR_WHOLE
               ? th__rule_fault(reader, "several are possible only with the cut \"whole\"")
               : TH_OK;
}

static const th__rule_member seen_members[] = {
    {TH__UINT("generalized_nodes", th__mdr_rule, seen_nodes, 0, UINT32_MAX), .flags = TH__NEEDED},
    {TH__UINT("records", th__mdr_rule, seen_records, 0, UINT32_MAX), .flags = TH__NEEDED},
};
static const th__rule_shape seen_shape = TH__SHAPE(th__mdr_rule, seen_members);

static const th__rule_member rule_members[] = {
    {TH__WORD("cut", th__mdr_rule, cut, th__mdr_cut_names), .flags = TH__NEEDED},
    {TH__REAL("threshold", th__mdr_rule, threshold, 0, 2), .flags = TH__NEEDED},
    {TH__REAL("class_threshold", th__mdr_rule, class_threshold, 0, 2), .flags = TH__NEEDED},
    {TH__FLAG("table_tags", th__mdr_rule, table_tags)},
    {TH__LIST("parts", th__mdr_rule, parts, part_count, part_shape, 1, TH__MDR_RULE_MAX_PARTS),
     .flags = TH__NEEDED, .check = check_parts},
    {TH__GROUP("seen", seen_shape), .flags = TH__NEEDED},
};
const th__rule_shape th__mdr_rule_shape = TH__SHAPE(th__mdr_rule, rule_members);

/* ---- rules for people to read. --------------------------------------------------------------
 *
 *     region of 1-node combinations below /html/body/ul#hits.list
 *       generalized node: li.hit
 *       tag strings: <li a b> <li a>
 *     each generalized node is a record; seen: 10 generalized nodes, 10 records
 */

static void print_classes(th_str classes, th__buf *out)
{
    th__mdr_classes words = th__mdr_words(classes);
    for (unsigned i = 0; i < words.count; i++)
        th__buf_printf(out, ".%.*s", TH_STR_ARG(words.word[i]));
}

static void print_strings(const char *title, const th__mdr_string *strings, uint32_t count,
                          th__buf *out)
{
    if (!count)
        return;
    th__buf_printf(out, "  %s:", title);
    for (uint32_t i = 0; i < count; i++) {
        th__buf_add_str(out, TH_STR(" <"));
        th__buf_add_str(out, strings[i].names);
        th__buf_add_byte(out, '>');
    }
    th__buf_add_byte(out, '\n');
}

static void print_part(const th__mdr_rule_part *part, th__buf *out)
{
    th__buf_printf(out, "region of %u-node combinations below /", part->node_count);
    for (size_t i = 0; i < part->path.names.len; i++)
        th__buf_add_byte(out, part->path.names.ptr[i] == ' ' ? '/' : part->path.names.ptr[i]);
    if (part->id.len)
        th__buf_printf(out, "#%.*s", TH_STR_ARG(part->id));
    print_classes(part->classes, out);
    th__buf_add_str(out, TH_STR("\n  generalized node:"));
    for (uint32_t i = 0; i < part->node_count; i++) {
        th__buf_add_byte(out, ' ');
        th__buf_add_str(out, part->nodes[i].tag_id ? part->nodes[i].tag : TH_STR("*"));
        print_classes(part->nodes[i].classes, out);
    }
    th__buf_add_byte(out, '\n');
    print_strings("tag strings", part->prototypes, part->prototype_count, out);
    print_strings("of records", part->records, part->record_count, out);
}

void th__mdr_rule_print(const th__mdr_rule *rule, th__buf *out)
{
    static const char *const cuts[] = {
        "each generalized node is a record", "each child of a generalized node is a record",
        "the k-th children of a generalized node's nodes are a record",
        "FindRecords judges each generalized node"};
    for (uint32_t i = 0; i < rule->part_count; i++)
        print_part(&rule->parts[i], out);
    if (rule->table_tags)
        th__buf_printf(out, "only nodes of table and form tags\n");
    th__buf_printf(out, "%s; seen: %u generalized nodes, %u records\n",
                   rule->part_count > 1 ? "the k-th generalized nodes of all regions are a record"
                                        : cuts[rule->cut],
                   rule->seen_nodes, rule->seen_records);
}

/* ---- what a rule keeps of a region ----------------------------------------------------------- */

/*
 * The generalized nodes of a region are walked on the page itself: their number and size follow
 * from the region's parts. Prototypes are chosen greedily: a tag string that is unlike all earlier
 * ones becomes one, up to a limit. Very varied lists reach it, without harm, since the classes
 * allow more difference.
 */
typedef struct rule_maker {
    const th_page *page;
    th__mdr_compare compare;
    th__arena scratch, *arena; /* the second is the rule's */
    th__mdr_rule *rule;
    uint32_t *tree_node;     /* by node of the page: its number in the tree, or 0 */
    TH__VEC(uint32_t) found; /* the first node of each generalized node of a part, in the tree */
    th__mdr_tag_vec pieces;  /* of one record that is not contiguous */
    th_error *err;
} rule_maker;

static th_status no_memory(rule_maker *l)
{
    return th__fail_memory(l->err);
}

/* The generalized nodes of all parts below one parent. */
static th_status list_nodes(rule_maker *l, const th__mdr_part *parts, uint32_t count)
{
    l->found.len = 0;
    for (uint32_t p = 0; p < count; p++) {
        uint32_t node = l->tree_node[parts[p].first];
        for (uint32_t i = 0; i < parts[p].count; i++, node = l->compare.tree.end[node])
            if (i % parts[p].combination == 0 && !th__vec_push(&l->found, node))
                return no_memory(l);
    }
    return TH_OK;
}

/* The names of a tag string, lower case, separated by blanks. */
static bool add_names(const rule_maker *l, uint32_t first, uint32_t end, th__buf *out)
{
    for (uint32_t n = first; n < end; n++) {
        th_str name =
            th__tag_counted(th_token_name(l->page, l->page->nodes[l->compare.tree.node[n]].token));
        if (out->len)
            th__buf_add_byte(out, ' ');
        for (size_t i = 0; i < name.len; i++)
            th__buf_add_byte(out, (char)th__lower((unsigned char)name.ptr[i]));
    }
    return !out->failed;
}

/* Adds the string of some ranges of the tree to the prototypes, if it is unlike the others. */
static th_status add_prototype(rule_maker *l, const th__mdr_range *ranges, uint32_t count,
                               th__mdr_string *out, uint32_t *len)
{
    th__symbols string;
    if (!th__mdr_pieces(&l->compare.tree, ranges, count, &l->pieces, &string))
        return no_memory(l);
    if (string.len > TH__MDR_RULE_MAX_STRING)
        return TH_OK; /* see learn_prototypes: there must be one that is not */
    for (uint32_t i = 0; i < *len; i++)
        if (th__mdr_similar(&l->compare, (th__symbols){out[i].tags, out[i].len}, string))
            return l->compare.no_memory ? no_memory(l) : TH_OK;
    if (l->compare.no_memory)
        return no_memory(l);
    th__buf names = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++)
        ok = add_names(l, ranges[i].first, ranges[i].end, &names);
    if (ok)
        out[*len] = make_tag_string(l->arena, th__buf_str(&names));
    th__buf_release(&names);
    if (!ok || !out[*len].names.ptr)
        return no_memory(l);
    ++*len;
    return TH_OK;
}

static th_status learn_prototypes(rule_maker *l, th__mdr_rule_part *part)
{
    th__mdr_string *out = th__arena_alloc(l->arena, TH__MDR_RULE_MAX_PROTOTYPES * sizeof *out);
    if (!out)
        return no_memory(l);
    part->prototypes = out;
    for (size_t i = 0; i < l->found.len && part->prototype_count < TH__MDR_RULE_MAX_PROTOTYPES;
         i++) {
        uint32_t first = l->found.data[i];
        th__mdr_range range = {first, th__mdr_after(&l->compare.tree, first, part->node_count)};
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
static th_status learn_records(rule_maker *l, const th__mdr_region *region, th__mdr_rule_part *part)
{
    th__mdr_string *out = th__arena_alloc(l->arena, TH__MDR_RULE_MAX_PROTOTYPES * sizeof *out);
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
            while (end < l->compare.tree.count &&
                   l->compare.tree.node[end] < record->ranges[count].end)
                end = l->compare.tree.end[end];
            ranges[count] = (th__mdr_range){first, end};
        }
        th_status status = add_prototype(l, ranges, count, out, &part->record_count);
        if (status)
            return status;
    }
    return TH_OK;
}

/* Finds what all generalized nodes have at a place: the tag, and the classes. */
static th_status learn_node(rule_maker *l, uint32_t place, th__mdr_rule_node *out)
{
    const th_page *page = l->page;
    th__mdr_classes common = {.count = 0};
    uint16_t tag = 0;
    for (size_t i = 0; i < l->found.len; i++) {
        uint32_t node = th__mdr_after(&l->compare.tree, l->found.data[i], place);
        th__mdr_classes classes = th__mdr_classes_of(page, l->compare.tree.node[node]);
        if (!i) {
            common = classes;
            tag = page->tags[l->compare.tree.node[node]];
        }
        th__mdr_classes_share(&common, &classes);
        tag = tag == l->compare.tree.tags[node] ? tag : 0;
    }
    th__buf text = {0};
    bool ok = true;
    for (unsigned i = 0; i < common.count; i++) {
        ok = ok && (!i || th__buf_add_byte(&text, ' '));
        ok = ok && th__buf_add_str(&text, common.word[i]);
    }
    out->classes = th__arena_copy(l->arena, th__buf_str(&text));
    th__buf_clear(&text);
    uint32_t node = th__mdr_after(&l->compare.tree, l->found.data[0], place);
    ok = ok && add_names(l, node, node + 1, &text);
    out->tag = tag ? th__arena_copy(l->arena, th__buf_str(&text)) : (th_str){0};
    out->tag_id = tag;
    ok = ok && out->classes.ptr && (!tag || out->tag.ptr);
    th__buf_release(&text);
    return ok ? TH_OK : no_memory(l);
}

static th_status learn_parent(rule_maker *l, uint32_t parent, th__mdr_rule_part *out)
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
        ok = (out->id = th__arena_copy(l->arena, value)).ptr || !value.len;
    value = (th_str){0};
    if (ok && parent && th_attr_get(page, page->nodes[parent].token, "class", &value))
        ok = (out->classes = th__arena_copy(l->arena, value)).ptr || !value.len;
    if (ok)
        ok = (out->path = make_tag_string(l->arena, th__buf_str(&names))).names.ptr;
    th__vec_release(&above);
    th__buf_release(&names);
    if (ok && deep)
        return th__fail(l->err, TH_ERR_LIMIT,
                        "mdr: the region is more than %d elements deep; pick another",
                        TH__MDR_RULE_MAX_PATH);
    return ok ? TH_OK : no_memory(l);
}

static th_status learn_part(rule_maker *l, const th__mdr_region *region, const th__mdr_part *parts,
                            uint32_t count, th__mdr_rule_part *out)
{
    th__mdr_rule_node *places = th__arena_zero(l->arena, parts[0].combination, sizeof *places);
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

static th_status learn_parts(rule_maker *l, const th__mdr_region *region)
{
    uint32_t count = region->zipped ? region->part_count : 1;
    th__mdr_rule_part *parts = th__arena_zero(l->arena, count, sizeof *parts);
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

static bool prepare_maker(rule_maker *l, const th__mdr_options *options)
{
    if (!th__mdr_compare_init(&l->compare, l->page, options, &l->scratch))
        return false;
    l->tree_node = th__arena_zero(&l->scratch, l->page->node_count, sizeof *l->tree_node);
    for (uint32_t n = 0; l->tree_node && n < l->compare.tree.count; n++)
        l->tree_node[l->compare.tree.node[n]] = n;
    return l->tree_node;
}

th_status th__mdr_learn(const th_page *page, const th__mdr_region *region,
                        const th__mdr_options *options, th__arena *arena, th__mdr_rule *out,
                        th_error *err)
{
    rule_maker l = {.page = page, .err = err, .rule = out, .arena = arena};
    th__arena_init(&l.scratch);
    *out = (th__mdr_rule){.cut = region->zipped ? TH__MDR_WHOLE : region->cut,
                          .table_tags = !options->every_tag,
                          .threshold = options->threshold,
                          .class_threshold =
                              options->same_class ? options->class_threshold : options->threshold,
                          .seen_records = region->record_count};
    th_status status = prepare_maker(&l, options) ? learn_parts(&l, region) : th__fail_memory(err);
    th__mdr_compare_release(&l.compare);
    th__vec_release(&l.found);
    th__vec_release(&l.pieces);
    th__arena_release(&l.scratch);
    return status;
}

/* ---- running a rule, without searching ------------------------------------------------------- */

/*
 * 1. Parents: the nodes with the rule's tag path, or, when none of them has a record, nodes with
 *    the parent's tag that share its id or class wherever they are.
 * 2. Generalized nodes of a parent, from left to right: as many children as the rule's combination
 *    has nodes, with their tags and classes, and a tag string within the threshold of a prototype.
 * 3. The parent whose attributes agree best, and among those the one with the most generalized
 *    nodes, has the records.
 *
 * Cost: each child of a parent is compared with at most TH__MDR_RULE_MAX_PROTOTYPES strings of at
 * most TH__MDR_RULE_MAX_STRING tags: linear in the page.
 */
typedef struct mdr_run {
    const th__mdr_rule *rule;
    const th_page *page;
    th__mdr_options options;
    th__mdr_compare compare;
    const th__mdr_tree *tree; /* of the comparison */
    th__arena scratch;
    th__mdr_list list; /* records */
    th__mdr_tag_vec pieces;
} mdr_run;

static bool matches(mdr_run *r, th__symbols string, const th__mdr_string *prototypes,
                    uint32_t count, bool named)
{
    if (string.len > 4 * TH__MDR_RULE_MAX_STRING)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (th__mdr_within(&r->compare, (th__symbols){prototypes[i].tags, prototypes[i].len},
                           string, named ? r->rule->class_threshold : r->rule->threshold, NULL))
            return true;
    return false;
}

/* True if a generalized node starts at a child; `parent_end` is one past the parent's subtree. */
static bool is_node(mdr_run *r, const th__mdr_rule_part *part, uint32_t child, uint32_t parent_end)
{
    uint32_t node = child;
    bool named = false;
    for (uint32_t i = 0; i < part->node_count; i++, node = r->tree->end[node]) {
        const th__mdr_rule_node *want = &part->nodes[i];
        if (node >= parent_end || (want->tag_id && want->tag_id != r->tree->tags[node]))
            return false;
        if (!want->classes.len)
            continue;
        th__mdr_classes wanted = th__mdr_words(want->classes);
        th__mdr_classes there = th__mdr_classes_of(r->page, r->tree->node[node]);
        unsigned count = wanted.count;
        th__mdr_classes_share(&wanted, &there);
        if (wanted.count < count)
            return false;
        named = true;
    }
    th__symbols string;
    return th__mdr_combination(&r->compare, child, part->node_count, &string) &&
           matches(r, string, part->prototypes, part->prototype_count, named);
}

/* ---- records ---- */

/* Other siblings of generalized nodes may hold records too (section 3.4): those that match one. */
static bool add_orphans(mdr_run *r, const th__mdr_rule_part *part, uint32_t child, uint32_t end)
{
    th__mdr_list *list = &r->list;
    bool columns =
        r->rule->cut == TH__MDR_COLUMNS || (r->rule->cut == TH__MDR_MIXED && part->node_count > 1);
    size_t from = list->records.len, kept = from;
    if (r->rule->cut == TH__MDR_WHOLE)
        return true;
    for (uint32_t i = 0, node = child; columns && i < part->node_count; i++) {
        if (node >= end)
            return true;
        node = r->tree->end[node];
    }
    if (!th__mdr_cut_inside(r->tree, child, part->node_count, columns, list))
        return false;
    for (size_t i = from; i < list->records.len; i++) {
        th__mdr_rough record = list->records.data[i];
        th__symbols string;
        if (!th__mdr_pieces(r->tree, list->ranges.data + record.range, record.range_count,
                            &r->pieces, &string))
            return false;
        if (matches(r, string, part->records, part->record_count, false))
            list->records.data[kept++] = record;
    }
    list->records.len = kept;
    return true;
}

/* The records of a generalized node; none if records are its children and it has none. */
static bool add_node(mdr_run *r, const th__mdr_rule_part *part, uint32_t first)
{
    th__mdr_cut cut = r->rule->cut;
    if (cut == TH__MDR_WHOLE || cut == TH__MDR_MIXED)
        return th__mdr_cut_node(&r->compare, first, part->node_count, cut, &r->list);
    return th__mdr_cut_inside(r->tree, first, part->node_count, cut == TH__MDR_COLUMNS, &r->list);
}

/* The records below one parent. */
static bool add_records(mdr_run *r, const th__mdr_rule_part *part, uint32_t parent)
{
    uint32_t end = r->tree->end[parent];
    for (uint32_t child = parent + 1; child < end;) {
        size_t before = r->list.records.len;
        bool whole = is_node(r, part, child, end);
        if (!(whole ? add_node(r, part, child) : add_orphans(r, part, child, end)))
            return false;
        bool found = whole || r->list.records.len > before;
        child = th__mdr_after(r->tree, child, found ? part->node_count : 1);
    }
    return true;
}

/* The generalized nodes of a further part, from a child on: the next piece of each record. */
static void list_pieces(mdr_run *r, const th__mdr_rule_part *part, uint32_t child, uint32_t end,
                        th__mdr_range *out, uint32_t stride, uint32_t count)
{
    uint32_t found = 0;
    while (child < end && found < count) {
        bool whole = is_node(r, part, child, end);
        uint32_t after =
            whole ? th__mdr_after(r->tree, child, part->node_count) : r->tree->end[child];
        if (whole)
            out[(size_t)stride * found++] = (th__mdr_range){child, after};
        else if (found)
            break; /* pieces are contiguous */
        child = after;
    }
}

/*
 * Adjacent regions: the first part determines the number of records; each further part is below the
 * same parent, after the part before it, or below the parent's next sibling.
 */
static bool zip_parts(mdr_run *r, uint32_t parent)
{
    const th__mdr_tree *tree = r->tree;
    const th__mdr_rule *rule = r->rule;
    uint32_t count = (uint32_t)r->list.records.len, parts = rule->part_count;
    th__mdr_range *zipped = th__arena_zero(&r->scratch, (size_t)count * parts, sizeof *zipped);
    if (!zipped)
        return false;
    for (uint32_t k = 0; k < count; k++)
        zipped[(size_t)k * parts] = r->list.ranges.data[k];
    uint32_t from = r->list.ranges.data[count - 1].end;
    for (uint32_t p = 1; p < parts; p++) {
        if (from >= tree->end[parent]) { /* nothing is left below this parent */
            uint32_t next = tree->end[parent];
            if (next >= tree->count || tree->parent[next] != tree->parent[parent])
                break;
            parent = next;
            from = parent + 1;
        }
        list_pieces(r, &rule->parts[p], from, tree->end[parent], zipped + p, parts, count);
        for (uint32_t k = 0; k < count; k++)
            from =
                zipped[(size_t)k * parts + p].end > from ? zipped[(size_t)k * parts + p].end : from;
    }
    r->list.ranges.len = r->list.records.len = 0;
    for (uint32_t k = 0; k < count; k++) {
        th__mdr_rough record = {(uint32_t)r->list.ranges.len, 0};
        for (uint32_t p = 0; p < parts; p++) {
            th__mdr_range piece = zipped[(size_t)k * parts + p];
            if (piece.end && !th__vec_push(&r->list.ranges, piece))
                return false;
            record.range_count += piece.end != 0;
        }
        if (!th__vec_push(&r->list.records, record))
            return false;
    }
    return true;
}

/* ---- parents ---- */

static bool has_path(const th_page *page, const th__mdr_string *path, uint32_t id)
{
    if (page->paths[id].depth != path->len)
        return false;
    for (uint32_t i = path->len; i-- > 0; id = page->paths[id].parent)
        if (page->paths[id].tag != path->tags[i])
            return false;
    return true;
}

/* How well a node's attributes agree with the parent's: id counts more than class. */
static int agreement(const mdr_run *r, const th__mdr_rule_part *part, uint32_t node)
{
    th_str id = {0};
    if (!node)
        return 0;
    th_attr_get(r->page, r->page->nodes[node].token, "id", &id);
    th__mdr_classes wanted = th__mdr_words(part->classes);
    th__mdr_classes there = th__mdr_classes_of(r->page, node);
    return (part->id.len && th__str_eq(part->id, id) ? 2 : 0) +
           th__mdr_classes_share(&wanted, &there);
}

static uint32_t count_nodes(mdr_run *r, const th__mdr_rule_part *part, uint32_t parent)
{
    uint32_t count = 0, end = r->tree->end[parent];
    for (uint32_t child = parent + 1; child < end;) {
        bool whole = is_node(r, part, child, end);
        count += whole;
        child = whole ? th__mdr_after(r->tree, child, part->node_count) : r->tree->end[child];
    }
    return count;
}

typedef struct parent_choice {
    uint32_t parent, count;
    int agreement;
} parent_choice;

static void consider(mdr_run *r, uint32_t node, int agrees, parent_choice *best)
{
    if (best->count && agrees < best->agreement)
        return;
    uint32_t count = count_nodes(r, &r->rule->parts[0], node);
    if (count && (agrees > best->agreement || !best->count || count > best->count))
        *best = (parent_choice){node, count, agrees};
}

static bool find_parent(mdr_run *r, parent_choice *best)
{
    const th__mdr_rule_part *part = &r->rule->parts[0];
    const th_page *page = r->page;
    bool *paths = th__arena_zero(&r->scratch, page->path_count, sizeof *paths);
    if (!paths)
        return false;
    for (uint32_t i = 0; i < page->path_count; i++)
        paths[i] = has_path(page, &part->path, i);
    for (uint32_t n = 0; n < r->tree->count; n++)
        if (paths[page->nodes[r->tree->node[n]].path])
            consider(r, n, agreement(r, part, r->tree->node[n]), best);
    uint32_t tag = part->path.len ? part->path.tags[part->path.len - 1] : 0;
    bool elsewhere = !best->count;
    for (uint32_t n = 1; elsewhere && n < r->tree->count; n++)
        if (r->tree->tags[n] == tag) {
            int agrees = agreement(r, part, r->tree->node[n]);
            if (agrees)
                consider(r, n, agrees, best);
        }
    return true;
}

/* ---- the answer ---- */

static bool run_rule(mdr_run *r, th__arena *arena, th__mdr_found *found)
{
    r->options = (th__mdr_options){.threshold = r->rule->threshold,
                                   .every_tag = !r->rule->table_tags,
                                   .compare_limit = TH__MDR_COMPARE_LIMIT_PAPER};
    if (!th__mdr_compare_init(&r->compare, r->page, &r->options, &r->scratch))
        return false;
    parent_choice best = {0};
    if (!find_parent(r, &best) || r->compare.no_memory)
        return false;
    if (!best.count)
        return true;
    if (!add_records(r, &r->rule->parts[0], best.parent))
        return false;
    if (r->rule->part_count > 1 && r->list.records.len && !zip_parts(r, best.parent))
        return false;
    found->records = th__mdr_list_on_page(r->tree, &r->list, arena);
    found->record_count = (uint32_t)r->list.records.len;
    return !r->compare.no_memory && found->records;
}

bool th__mdr_run(const th__mdr_rule *rule, const th_page *page, th__arena *arena,
                 th__mdr_found *out)
{
    mdr_run r = {.rule = rule, .page = page, .tree = &r.compare.tree};
    *out = (th__mdr_found){0};
    th__arena_init(&r.scratch);
    bool ok = run_rule(&r, arena, out);
    th__mdr_compare_release(&r.compare);
    th__vec_release(&r.list.ranges);
    th__vec_release(&r.list.records);
    th__vec_release(&r.pieces);
    th__arena_release(&r.scratch);
    return ok;
}

struct mdr_rules {
    th__mdr_rule region; /* first: functions of its table cast the rules to it */
    th__fields fields;
};

struct mdr_learner {
    uint32_t pick;
    th__mdr_options options;
    th__arena *arena;        /* of the wrapper */
    struct mdr_rules *rules; /* there; the region has no parts until a page has one */
    th__fields_learner fields;
};

/* ---- wrappers: learning --------------------------------------------------------------------- */

static th_status learn_begin(const th_learn_options *options, th__arena *arena, void **state,
                             th_error *err)
{
    struct mdr_rules *rules = th__arena_zero(arena, 1, sizeof *rules);
    struct mdr_learner *l = rules ? TH__NEW(struct mdr_learner) : NULL;
    if (!l)
        return th__fail_memory(err);
    l->rules = rules;
    l->arena = arena;
    l->pick = options->pick;
    read_options(&options->paper, &l->options);
    th__fields_learner_init(&l->fields);
    l->fields.whole_lines = options->whole_lines;
    l->fields.all = !options->tidy;
    l->fields.headings = options->headings;
    l->fields.heading_count = options->heading_count;
    *state = l;
    return th__fields_learner_take(&l->fields, options->attributes) ? TH_OK : th__fail_memory(err);
}

static void learn_free(void *state)
{
    struct mdr_learner *l = state;
    th__fields_learner_release(&l->fields);
    th__mem_free(l);
}

static th_status learn_fields(struct mdr_learner *l, const th__view *view, const th__extents *list,
                              size_t *records, th_error *err)
{
    th__key_vec core = {0}; /* the region's rule finds the records */
    if (!list->count)
        return TH_OK;
    *records = list->count;
    return th__fields_learn(&l->fields, view, list, &core) ? TH_OK : th__fail_memory(err);
}

/* Learns the requested region, by the rank that `thresh regions` shows. */
static th_status learn_region(struct mdr_learner *l, const th__view *view,
                              const th_records_source *source, size_t *records, th_error *err)
{
    const th_page *page = view->page;
    th__mdr_result *result;
    th__extents list = {0};
    th_status status = th__mdr_find(page, &l->options, &result, err);
    if (status)
        return status;
    uint32_t at = 0, shown = 0;
    bool ok;
    for (; (ok = next_region(view, result, &at, &list)); at++)
        if (at == result->region_count || ++shown == l->pick)
            break;
    if (!ok)
        status = th__fail_memory(err);
    else if (shown && shown < l->pick)
        status = th__fail_no_pick(source, "mdr", shown, l->pick, err);
    else if (shown)
        status = th__mdr_learn(page, &result->regions[result->ranked[at].region], &l->options,
                               l->arena, &l->rules->region, err);
    if (!status && shown) {
        l->fields.several = list.data[0].run;
        status = learn_fields(l, view, &list, records, err);
    }
    th__mdr_result_free(result);
    return status;
}

/* Further pages: records that the rule finds there add their fields. */
static th_status learn_more(struct mdr_learner *l, const th__view *view, th__arena *arena,
                            size_t *records, th_error *err)
{
    th__mdr_found found;
    th__extents list;
    return th__mdr_run(&l->rules->region, view->page, arena, &found) &&
                   find_extents(arena, view->page, found.records, found.record_count,
                                l->fields.several, &list)
               ? learn_fields(l, view, &list, records, err)
               : th__fail_memory(err);
}

static th_status learn_page(void *state, const th_page *page, const th_records_source *source,
                            size_t *records, th_error *err)
{
    struct mdr_learner *l = state;
    th__arena arena;
    th__view view;
    *records = 0;
    th__arena_init(&arena);
    th_status status;
    if (!th__view_make(&arena, page, &view))
        status = th__fail_memory(err);
    else if (l->rules->region.part_count)
        status = learn_more(l, &view, &arena, records, err);
    else
        status = learn_region(l, &view, source, records, err);
    th__arena_release(&arena);
    return status;
}

static th_status learn_end(void *state, th_schema **schema, void **rules, th_error *err)
{
    struct mdr_learner *l = state;
    *rules = l->rules;
    return th__fields_learnt(&l->fields, l->arena, &l->rules->fields, schema, err);
}

/* ---- running --------------------------------------------------------------------------------- */

static th_status run_page(const void *context, const th_schema *schema, const th_page *page,
                          const th_records_source *source, th_records **out, th_error *err)
{
    const struct mdr_rules *rules = context;
    th__mdr_found found;
    th__arena arena;
    th__view view;
    th__item_vec items = {0};
    th__list_items list = {.rest = rules->fields.rest};
    uint32_t *first;
    th__arena_init(&arena);
    bool ok = th__mdr_run(&rules->region, page, &arena, &found) &&
              th__view_make(&arena, page, &view) &&
              find_extents(&arena, page, found.records, found.record_count, rules->fields.several,
                           &list.records) &&
              th__fields_assign(&rules->fields, &view, &list.records, &arena, &items, &first);
    th__list_item *taken = ok ? th__list_items_of(items.data, items.len) : NULL;
    th__vec_release(&items);
    list.items = taken;
    list.first = taken ? first : NULL;
    th_status status =
        taken ? th__list_fill(&view, &list, schema, source, out, err) : th__fail_memory(err);
    th__mem_free(taken);
    th__arena_release(&arena);
    return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

static const th__rule_member rules_members[] = {
    {TH__FLAG("several", struct mdr_rules, fields.several), .flags = TH__ALWAYS},
    {TH__OBJECT("region", struct mdr_rules, region, th__mdr_rule_shape), .flags = TH__NEEDED},
    {TH__INLINE(struct mdr_rules, fields, th__fields_shape)},
};
static const th__rule_shape rules_shape = TH__SHAPE(struct mdr_rules, rules_members);

static th__fields *fields_of(void *rules)
{
    return &((struct mdr_rules *)rules)->fields;
}

static void explain(const void *context, th__buf *out)
{
    const struct mdr_rules *rules = context;
    th__mdr_rule_print(&rules->region, out);
    th__buf_printf(out, "fields\n");
    th__fields_explain(&rules->fields, out);
}

const th__engine th__mdr_engine = {
    .name = "mdr",
    .published = true,
    .regions = find_regions,
    .confidence = {-0.85, 1.6, 800},
    .learn_begin = learn_begin,
    .learn_page = learn_page,
    .learn_end = learn_end,
    .learn_free = learn_free,
    .run = run_page,
    .shape = &rules_shape,
    .explain = explain,
    .fields = fields_of,
};
