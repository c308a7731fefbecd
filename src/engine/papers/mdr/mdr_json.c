/*
 * mdr_json.c: rules as JSON; the form is in mdr.h. Reading trusts nothing: every key, type and
 * limit is checked, and a fault is told with the JSON path where it is.
 */
#include "base/error.h"
#include "base/mem.h"
#include "engine/papers/mdr/mdr.h"

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

/* ---- writing ---- */

static void write_strings(th__json *json, const char *key, const th__mdr_string *strings,
                          uint32_t count)
{
    th__json_key(json, th_str_from(key));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < count; i++)
        th__json_str(json, strings[i].names);
    th__json_end_array(json);
}

static void write_parent(th__json *json, const th__mdr_rule_part *part)
{
    th__json_key(json, TH_STR("parent"));
    th__json_begin_object(json);
    th__json_put_text(json, "path", part->path.names);
    if (part->id.len)
        th__json_put_text(json, "id", part->id);
    if (part->classes.len)
        th__json_put_text(json, "class", part->classes);
    th__json_end_object(json);
}

static void write_part(th__json *json, const th__mdr_rule_part *part)
{
    th__json_begin_object(json);
    write_parent(json, part);
    th__json_key(json, TH_STR("nodes"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < part->node_count; i++) {
        th__json_begin_object(json);
        if (part->nodes[i].tag_id)
            th__json_put_text(json, "tag", part->nodes[i].tag);
        if (part->nodes[i].classes.len)
            th__json_put_text(json, "class", part->nodes[i].classes);
        th__json_end_object(json);
    }
    th__json_end_array(json);
    write_strings(json, "prototypes", part->prototypes, part->prototype_count);
    write_strings(json, "records", part->records, part->record_count);
    th__json_end_object(json);
}

void th__mdr_rule_write(const th__mdr_rule *rule, th__json *json)
{
    th__json_begin_object(json);
    th__json_put_text(json, "cut", th_str_from(th__mdr_cut_name(rule->cut)));
    th__json_key(json, TH_STR("threshold"));
    th__json_double(json, rule->threshold);
    th__json_key(json, TH_STR("class_threshold"));
    th__json_double(json, rule->class_threshold);
    th__json_put_true(json, "table_tags", rule->table_tags);
    th__json_key(json, TH_STR("parts"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < rule->part_count; i++)
        write_part(json, &rule->parts[i]);
    th__json_end_array(json);
    th__json_key(json, TH_STR("seen"));
    th__json_begin_object(json);
    th__json_put_uint(json, "generalized_nodes", rule->seen_nodes);
    th__json_put_uint(json, "records", rule->seen_records);
    th__json_end_object(json);
    th__json_end_object(json);
}

/* ---- reading ---- */

typedef struct reader {
    th__rule_reader *rules; /* the path, and the messages */
    th__mdr_rule *rule;
} reader;

static th_status no_memory(reader *r)
{
    return th__fail_memory(r->rules->err);
}

static th_status check_names(reader *r, th_str names, uint32_t least, uint32_t most)
{
    uint32_t count = 0;
    for (size_t at = 0; at < names.len;) {
        size_t from = at;
        while (at < names.len && names.ptr[at] != ' ')
            at++;
        if (at == from || at - from > TH__MDR_RULE_MAX_NAME)
            return th__rule_fault(r->rules, "must be names of tags, parted by single blanks");
        at += at < names.len;
        count++;
    }
    if (most == 1 && count != 1)
        return th__rule_fault(r->rules, "must be the name of a tag");
    if (count < least || count > most)
        return th__rule_fault(r->rules, "must be %u to %u names of tags", least, most);
    return TH_OK;
}

/* The tag string that is the value at the path. */
static th_status read_string(reader *r, json_t *json, uint32_t least, uint32_t most,
                             th__mdr_string *out)
{
    if (!json_is_string(json))
        return th__rule_fault(r->rules, "must be a text: names of tags, parted by blanks");
    th_str names = {json_string_value(json), json_string_length(json)};
    th_status status = check_names(r, names, least, most);
    if (status)
        return status;
    *out = th__mdr_string_make(&r->rule->arena, names);
    return out->names.ptr ? TH_OK : no_memory(r);
}

static th_status read_strings(reader *r, json_t *json, const char *key, uint32_t least,
                              const th__mdr_string **out, uint32_t *count)
{
    json_t *list;
    th_status status =
        th__rule_array(r->rules, json, key, least, TH__MDR_RULE_MAX_PROTOTYPES, &list);
    if (status)
        return status;
    size_t size = json_array_size(list), mark = th__rule_enter(r->rules, key);
    th__mdr_string *strings = th__arena_zero(&r->rule->arena, size + 1, sizeof *strings);
    if (!strings)
        return no_memory(r);
    for (size_t i = 0; !status && i < size; i++) {
        size_t item = th__rule_enter_item(r->rules, i);
        status = read_string(r, json_array_get(list, i), 1, TH__MDR_RULE_MAX_STRING, &strings[i]);
        th__rule_leave(r->rules, item);
    }
    th__rule_leave(r->rules, mark);
    *out = strings;
    *count = (uint32_t)size;
    return status;
}

static th_status read_parent(reader *r, json_t *json, th__mdr_rule_part *part)
{
    th__arena *arena = &r->rule->arena;
    json_t *parent;
    th_status status = th__rule_object(r->rules, json, "parent", true, &parent);
    if (status)
        return status;
    size_t mark = th__rule_enter(r->rules, "parent");
    status = th__rule_text(r->rules, parent, "id", false, arena, &part->id);
    if (!status)
        status = th__rule_text(r->rules, parent, "class", false, arena, &part->classes);
    if (!status) {
        size_t inner = th__rule_enter(r->rules, "path");
        status =
            read_string(r, json_object_get(parent, "path"), 0, TH__MDR_RULE_MAX_PATH, &part->path);
        th__rule_leave(r->rules, inner);
    }
    th__rule_leave(r->rules, mark);
    return status;
}

static th_status read_node(reader *r, json_t *json, th__mdr_rule_node *node)
{
    th__arena *arena = &r->rule->arena;
    if (!json_is_object(json))
        return th__rule_fault(r->rules, "must be an object");
    th_status status = th__rule_text(r->rules, json, "tag", false, arena, &node->tag);
    if (!status)
        status = th__rule_text(r->rules, json, "class", false, arena, &node->classes);
    if (status || !node->tag.ptr)
        return status;
    size_t mark = th__rule_enter(r->rules, "tag");
    status = check_names(r, node->tag, 1, 1);
    th__rule_leave(r->rules, mark);
    node->tag_id = status ? 0 : th_tag_id(node->tag);
    return status;
}

static th_status read_nodes(reader *r, json_t *json, th__mdr_rule_part *part)
{
    json_t *list;
    th_status status = th__rule_array(r->rules, json, "nodes", 1, TH__MDR_MAX_COMBINATION, &list);
    if (status)
        return status;
    size_t size = json_array_size(list), mark = th__rule_enter(r->rules, "nodes");
    th__mdr_rule_node *nodes = th__arena_zero(&r->rule->arena, size, sizeof *nodes);
    if (!nodes)
        return no_memory(r);
    for (size_t i = 0; !status && i < size; i++) {
        size_t item = th__rule_enter_item(r->rules, i);
        status = read_node(r, json_array_get(list, i), &nodes[i]);
        th__rule_leave(r->rules, item);
    }
    th__rule_leave(r->rules, mark);
    part->nodes = nodes;
    part->node_count = (uint32_t)size;
    return status;
}

static th_status read_part(reader *r, json_t *json, th__mdr_rule_part *part)
{
    if (!json_is_object(json))
        return th__rule_fault(r->rules, "must be an object");
    th_status status = read_parent(r, json, part);
    if (!status)
        status = read_nodes(r, json, part);
    if (!status)
        status = read_strings(r, json, "prototypes", 1, &part->prototypes, &part->prototype_count);
    if (!status)
        status = read_strings(r, json, "records",
                              r->rule->cut == TH__MDR_CHILDREN || r->rule->cut == TH__MDR_COLUMNS,
                              &part->records, &part->record_count);
    if (!status && r->rule->cut == TH__MDR_CHILDREN && part->node_count != 1)
        status = th__rule_fault(r->rules, "the cut \"children\" goes with one node, not several");
    return status;
}

static th_status read_parts(reader *r, json_t *json)
{
    json_t *list;
    th_status status = th__rule_array(r->rules, json, "parts", 1, TH__MDR_RULE_MAX_PARTS, &list);
    if (status)
        return status;
    size_t size = json_array_size(list), mark = th__rule_enter(r->rules, "parts");
    th__mdr_rule_part *parts = th__arena_zero(&r->rule->arena, size, sizeof *parts);
    if (!parts)
        return no_memory(r);
    if (size > 1 && r->rule->cut != TH__MDR_WHOLE)
        status = th__rule_fault(r->rules, "several go with the cut \"whole\" alone");
    for (size_t i = 0; !status && i < size; i++) {
        size_t item = th__rule_enter_item(r->rules, i);
        status = read_part(r, json_array_get(list, i), &parts[i]);
        th__rule_leave(r->rules, item);
    }
    th__rule_leave(r->rules, mark);
    r->rule->parts = parts;
    r->rule->part_count = (uint32_t)size;
    return status;
}

static th_status read_cut(reader *r, json_t *json)
{
    const char *words[TH__MDR_CUT_COUNT + 1] = {NULL};
    unsigned cut = TH__MDR_CUT_COUNT;
    for (int i = 0; i < TH__MDR_CUT_COUNT; i++)
        words[i] = th__mdr_cut_name((th__mdr_cut)i);
    th_status status = th__rule_word(r->rules, json, "cut", words, &cut);
    if (!status && cut == TH__MDR_CUT_COUNT) {
        size_t mark = th__rule_enter(r->rules, "cut");
        status = th__rule_fault(r->rules, "is missing: how records lie in generalized nodes");
        th__rule_leave(r->rules, mark);
    }
    r->rule->cut = (th__mdr_cut)cut;
    return status;
}

static th_status read_seen(reader *r, json_t *json)
{
    json_t *seen;
    uint64_t nodes = 0, records = 0;
    th_status status = th__rule_object(r->rules, json, "seen", true, &seen);
    if (status)
        return status;
    size_t mark = th__rule_enter(r->rules, "seen");
    status = th__rule_number(r->rules, seen, "generalized_nodes", true, UINT32_MAX, &nodes);
    if (!status)
        status = th__rule_number(r->rules, seen, "records", true, UINT32_MAX, &records);
    th__rule_leave(r->rules, mark);
    r->rule->seen_nodes = (uint32_t)nodes;
    r->rule->seen_records = (uint32_t)records;
    return status;
}

static th_status read_rule(reader *r, json_t *json)
{
    th__mdr_rule *rule = r->rule;
    if (!json_is_object(json))
        return th__rule_fault(r->rules, "must be an object");
    th_status status = read_cut(r, json);
    if (!status)
        status = th__rule_real(r->rules, json, "threshold", true, 0, 2, &rule->threshold);
    if (!status)
        status =
            th__rule_real(r->rules, json, "class_threshold", true, 0, 2, &rule->class_threshold);
    if (!status)
        status = th__rule_bool(r->rules, json, "table_tags", &rule->table_tags);
    if (!status)
        status = read_parts(r, json);
    return status ? status : read_seen(r, json);
}

th_status th__mdr_rule_read(th__rule_reader *rules, json_t *json, th__mdr_rule **out)
{
    reader r = {rules, TH__NEW(th__mdr_rule)};
    *out = NULL;
    if (!r.rule)
        return no_memory(&r);
    th__arena_init(&r.rule->arena);
    th_status status = read_rule(&r, json);
    if (!status && rules->path.failed)
        status = no_memory(&r);
    if (status)
        th__mdr_rule_free(r.rule);
    else
        *out = r.rule;
    return status;
}
