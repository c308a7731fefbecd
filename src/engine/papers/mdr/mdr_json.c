/* mdr_json.c: what rules are made of; mdr.h shows their JSON. */
#include "base/error.h"
#include "base/mem.h"
#include "engine/papers/mdr/mdr.h"
#include "wrapper/rule_table.h"

void th__mdr_rule_free(th__mdr_rule *rule)
{
    if (!rule)
        return;
    th__arena_release(&rule->arena);
    th__mem_free(rule);
}

th__mdr_string th__mdr_string_make(th__arena *arena, th_str names)
{
    th__mdr_string out = {.len = 0};
    uint32_t words = 0;
    for (size_t i = 0; i < names.len; i++)
        words += names.ptr[i] != ' ' && (!i || names.ptr[i - 1] == ' ');
    uint16_t *tags = th__arena_alloc(arena, words * sizeof *tags);
    th_str copy = th__arena_copy(arena, names);
    if (!tags || !copy.ptr)
        return out;
    out.tags = tags;
    for (size_t at = 0; at < copy.len;) {
        size_t from = at;
        while (at < copy.len && copy.ptr[at] != ' ')
            at++;
        if (at > from)
            tags[out.len++] = th_tag_id((th_str){copy.ptr + from, at - from});
        at++;
    }
    out.names = copy;
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
    *string = th__mdr_string_make(reader->arena, string->names);
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

/* What the cut has to say of a part. */
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
static const th__rule_shape rule_shape = TH__SHAPE(th__mdr_rule, rule_members);

void th__mdr_rule_write(const th__mdr_rule *rule, th__json *json)
{
    th__rule_table_write(&rule_shape, rule, json);
}

th_status th__mdr_rule_read(th__rule_reader *reader, json_t *json, th__mdr_rule **out)
{
    th__mdr_rule *rule = TH__NEW(th__mdr_rule);
    th__arena *callers = reader->arena, arena;
    *out = NULL;
    if (!rule)
        return th__fail_memory(reader->err);
    th__arena_init(&arena);
    reader->arena = &arena;
    th_status status = th__rule_table_fill(reader, json, &rule_shape, rule);
    reader->arena = callers;
    rule->arena = arena;
    if (status)
        th__mdr_rule_free(rule);
    else
        *out = rule;
    return status;
}
