/*
 * mdr_show.c: regions in the paper's notation.
 *
 *     (2, 1, 4) below /html/body/table: 4 records, columns
 *
 * are the three members of maxDR: two nodes a generalized node, from child 1 on, four nodes; then
 * where they are and what came of them. Parts of a joined region are joined with " + ", those of
 * adjacent regions with " & ". A covered region is indented below the one that covers it.
 *
 * A rule is written the same way, with what is remembered instead of places:
 *
 *     region of 1-node combinations below /html/body/ul#hits.list
 *       generalized node: li.hit
 *       tag strings: <li a b> <li a>
 *     each generalized node is a record; seen: 10 generalized nodes, 10 records
 */
#include "base/error.h"
#include "engine/papers/mdr/mdr.h"

static void print_path(const th_page *page, uint32_t node, th__buf *out)
{
    uint32_t above[1024];
    unsigned depth = 0;
    for (; node && depth < sizeof above / sizeof *above; node = page->nodes[node].parent)
        above[depth++] = node;
    if (node)
        th__buf_add_str(out, TH_STR("/..."));
    if (!depth)
        th__buf_add_byte(out, '/');
    while (depth--) {
        th_str name = th_token_name(page, page->nodes[above[depth]].token);
        th__buf_add_byte(out, '/');
        for (size_t i = 0; i < name.len; i++)
            th__buf_add_byte(out, (char)th__lower((unsigned char)name.ptr[i]));
    }
}

bool th__mdr_print(const th_page *page, const th__mdr_result *result, th__buf *out)
{
    for (uint32_t i = 0; i < result->region_count; i++) {
        const th__mdr_region *region = &result->regions[i];
        for (uint32_t up = region->covering; up != TH__MDR_NONE; up = result->regions[up].covering)
            th__buf_add_str(out, TH_STR("  "));
        for (uint32_t p = 0; p < region->part_count; p++) {
            const th__mdr_part *part = &region->parts[p];
            th__buf_printf(out, "%s(%u, %u, %u)",
                           !p               ? ""
                           : region->zipped ? " & "
                                            : " + ",
                           part->combination, part->start + 1, part->count);
        }
        th__buf_add_str(out, TH_STR(" below "));
        print_path(page, region->parts[0].parent, out);
        th__buf_printf(out, ": %u records, %s%s", region->record_count,
                       region->zipped ? "adjacent regions" : th__mdr_cut_names[region->cut],
                       region->data_table ? ", data table" : "");
        if (region->orphan_count)
            th__buf_printf(out, ", %u outside the region", region->orphan_count);
        th__buf_add_byte(out, '\n');
    }
    return !out->failed;
}

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

bool th__mdr_rule_print(const th__mdr_rule *rule, th__buf *out)
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
    return !out->failed;
}
