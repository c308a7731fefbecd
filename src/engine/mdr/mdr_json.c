/*
 * mdr_json.c: rules as JSON; the form is in mdr_rule.h. Reading trusts nothing: every key, type and
 * limit is checked, and a fault is told with the JSON path where it is.
 */
#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "engine/mdr/mdr_rule.h"

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

static void write_text(th__json *json, const char *key, th_str text)
{
    th__json_key(json, th_str_from(key));
    th__json_str(json, text);
}

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
    write_text(json, "path", part->path.names);
    if (part->id.len)
        write_text(json, "id", part->id);
    if (part->classes.len)
        write_text(json, "class", part->classes);
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
            write_text(json, "tag", part->nodes[i].tag);
        if (part->nodes[i].classes.len)
            write_text(json, "class", part->nodes[i].classes);
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
    write_text(json, "cut", th_str_from(th__mdr_cut_name(rule->cut)));
    th__json_key(json, TH_STR("threshold"));
    th__json_double(json, rule->threshold);
    th__json_key(json, TH_STR("class_threshold"));
    th__json_double(json, rule->class_threshold);
    th__json_key(json, TH_STR("parts"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < rule->part_count; i++)
        write_part(json, &rule->parts[i]);
    th__json_end_array(json);
    th__json_key(json, TH_STR("seen"));
    th__json_begin_object(json);
    th__json_key(json, TH_STR("generalized_nodes"));
    th__json_uint(json, rule->seen_nodes);
    th__json_key(json, TH_STR("records"));
    th__json_uint(json, rule->seen_records);
    th__json_end_object(json);
    th__json_end_object(json);
}

/* ---- reading ---- */

typedef struct reader {
    th__mdr_rule *rule;
    th__buf path; /* of the JSON value being read */
    th_error *err;
} reader;

static bool fault(reader *r, const char *problem)
{
    if (r->path.failed)
        th__fail_memory(r->err);
    else
        th__fail(r->err, TH_ERR_FORMAT, "mdr rule at %.*s: %s", TH_STR_ARG(th__buf_str(&r->path)),
                 problem);
    return false;
}

static bool no_memory(reader *r)
{
    th__fail_memory(r->err);
    return false;
}

/* Goes down to a key or an item; *kept is for coming back. */
static void enter_key(reader *r, const char *key, size_t *kept)
{
    *kept = r->path.len;
    th__buf_printf(&r->path, ".%s", key);
}

static void enter_item(reader *r, size_t index, size_t *kept)
{
    *kept = r->path.len;
    th__buf_printf(&r->path, "[%zu]", index);
}

/* An object with no other keys than those of a list that ends with NULL. */
static bool check_object(reader *r, json_t *json, const char *const *keys)
{
    if (!json_is_object(json))
        return fault(r, "expected an object");
    const char *key;
    json_t *value;
    json_object_foreach(json, key, value)
    {
        const char *const *known = keys;
        while (*known && strcmp(*known, key))
            known++;
        if (*known)
            continue;
        char problem[160];
        snprintf(problem, sizeof problem, "unknown key \"%.100s\"", key);
        return fault(r, problem);
    }
    return true;
}

/* A string at a key; absent where it may be. */
static bool read_text(reader *r, json_t *json, const char *key, bool needed, th_str *out)
{
    json_t *value = json_object_get(json, key);
    if (!value && !needed)
        return true;
    size_t kept;
    enter_key(r, key, &kept);
    if (!json_is_string(value))
        return fault(r, "expected a string");
    *out = th__arena_copy(&r->rule->arena,
                          (th_str){json_string_value(value), json_string_length(value)});
    if (!out->ptr)
        return no_memory(r);
    r->path.len = kept;
    return true;
}

static bool check_names(reader *r, th_str names, uint32_t most)
{
    uint32_t count = 0;
    for (size_t at = 0; at < names.len;) {
        size_t from = at;
        while (at < names.len && names.ptr[at] != ' ')
            at++;
        if (at == from || at - from > TH__MDR_RULE_MAX_NAME)
            return fault(r, "expected tag names, parted by single blanks");
        at += at < names.len;
        count++;
    }
    if (count > most)
        return fault(r, "more tags than a rule may have");
    return true;
}

static bool read_string(reader *r, json_t *json, uint32_t most, th__mdr_string *out)
{
    if (!json_is_string(json))
        return fault(r, "expected a string of tag names");
    th_str names = {json_string_value(json), json_string_length(json)};
    if (!check_names(r, names, most))
        return false;
    *out = th__mdr_string_make(&r->rule->arena, names);
    return out->names.ptr ? true : no_memory(r);
}

static bool read_strings(reader *r, json_t *json, const char *key, uint32_t least,
                         const th__mdr_string **out, uint32_t *count)
{
    json_t *list = json_object_get(json, key);
    size_t kept, inner;
    enter_key(r, key, &kept);
    if (!json_is_array(list))
        return fault(r, "expected an array of strings");
    size_t size = json_array_size(list);
    if (size < least || size > TH__MDR_RULE_MAX_PROTOTYPES)
        return fault(r, least ? "expected 1 to 16 strings" : "expected at most 16 strings");
    th__mdr_string *strings = th__arena_zero(&r->rule->arena, size, sizeof *strings);
    if (!strings)
        return no_memory(r);
    for (size_t i = 0; i < size; i++) {
        enter_item(r, i, &inner);
        if (!read_string(r, json_array_get(list, i), TH__MDR_RULE_MAX_STRING, &strings[i]))
            return false;
        if (!strings[i].len)
            return fault(r, "expected at least one tag name");
        r->path.len = inner;
    }
    *out = strings;
    *count = (uint32_t)size;
    r->path.len = kept;
    return true;
}

static bool read_parent(reader *r, json_t *json, th__mdr_rule_part *part)
{
    static const char *const keys[] = {"path", "id", "class", NULL};
    json_t *parent = json_object_get(json, "parent");
    size_t kept, inner;
    enter_key(r, "parent", &kept);
    if (!check_object(r, parent, keys) || !read_text(r, parent, "id", false, &part->id) ||
        !read_text(r, parent, "class", false, &part->classes))
        return false;
    enter_key(r, "path", &inner);
    if (!read_string(r, json_object_get(parent, "path"), TH__MDR_RULE_MAX_PATH, &part->path))
        return false;
    r->path.len = kept;
    return true;
}

static bool read_node(reader *r, json_t *json, th__mdr_rule_node *node)
{
    static const char *const keys[] = {"tag", "class", NULL};
    if (!check_object(r, json, keys) || !read_text(r, json, "tag", false, &node->tag) ||
        !read_text(r, json, "class", false, &node->classes))
        return false;
    if (!node->tag.ptr)
        return true;
    if (!check_names(r, node->tag, 1))
        return false;
    if (!node->tag.len)
        return fault(r, "\"tag\" must be a tag name");
    node->tag_id = th_tag_id(node->tag);
    return true;
}

static bool read_nodes(reader *r, json_t *json, th__mdr_rule_part *part)
{
    json_t *list = json_object_get(json, "nodes");
    size_t kept, inner, size = json_array_size(list);
    enter_key(r, "nodes", &kept);
    if (size < 1 || size > TH__MDR_MAX_COMBINATION)
        return fault(r, "expected an array of 1 to 32 nodes");
    th__mdr_rule_node *nodes = th__arena_zero(&r->rule->arena, size, sizeof *nodes);
    if (!nodes)
        return no_memory(r);
    for (size_t i = 0; i < size; i++) {
        enter_item(r, i, &inner);
        if (!read_node(r, json_array_get(list, i), &nodes[i]))
            return false;
        r->path.len = inner;
    }
    part->nodes = nodes;
    part->node_count = (uint32_t)size;
    r->path.len = kept;
    return true;
}

static bool read_part(reader *r, json_t *json, th__mdr_rule_part *part)
{
    static const char *const keys[] = {"parent", "nodes", "prototypes", "records", NULL};
    if (!check_object(r, json, keys) || !read_parent(r, json, part) || !read_nodes(r, json, part) ||
        !read_strings(r, json, "prototypes", 1, &part->prototypes, &part->prototype_count) ||
        !read_strings(r, json, "records", r->rule->cut != TH__MDR_WHOLE, &part->records,
                      &part->record_count))
        return false;
    if (r->rule->cut == TH__MDR_CHILDREN && part->node_count != 1)
        return fault(r, "\"cut\" is children, which goes with one node, not several");
    return true;
}

static bool read_parts(reader *r, json_t *json)
{
    json_t *list = json_object_get(json, "parts");
    size_t kept, inner, size = json_array_size(list);
    enter_key(r, "parts", &kept);
    if (size < 1 || size > TH__MDR_RULE_MAX_PARTS)
        return fault(r, "expected an array of 1 to 16 parts");
    if (size > 1 && r->rule->cut != TH__MDR_WHOLE)
        return fault(r, "several parts go with the cut \"whole\" alone");
    th__mdr_rule_part *parts = th__arena_zero(&r->rule->arena, size, sizeof *parts);
    if (!parts)
        return no_memory(r);
    r->rule->parts = parts;
    for (size_t i = 0; i < size; i++) {
        enter_item(r, i, &inner);
        if (!read_part(r, json_array_get(list, i), &parts[i]))
            return false;
        r->path.len = inner;
    }
    r->rule->part_count = (uint32_t)size;
    r->path.len = kept;
    return true;
}

static bool read_cut(reader *r, json_t *json)
{
    const char *name = json_string_value(json_object_get(json, "cut"));
    for (int cut = 0; name && cut < TH__MDR_MIXED; cut++)
        if (!strcmp(name, th__mdr_cut_name((th__mdr_cut)cut))) {
            r->rule->cut = (th__mdr_cut)cut;
            return true;
        }
    size_t kept;
    enter_key(r, "cut", &kept);
    return fault(r, "expected \"whole\", \"children\" or \"columns\"");
}

static bool read_threshold(reader *r, json_t *json, const char *key, double *out)
{
    json_t *value = json_object_get(json, key);
    size_t kept;
    enter_key(r, key, &kept);
    *out = json_number_value(value);
    if (!json_is_number(value) || !(*out >= 0 && *out <= 2))
        return fault(r, "expected a number from 0 to 2");
    r->path.len = kept;
    return true;
}

static bool read_count(reader *r, json_t *json, const char *key, uint32_t *out)
{
    json_t *value = json_object_get(json, key);
    size_t kept;
    enter_key(r, key, &kept);
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || number > UINT32_MAX)
        return fault(r, "expected a whole number that is not negative");
    *out = (uint32_t)number;
    r->path.len = kept;
    return true;
}

static bool read_seen(reader *r, json_t *json)
{
    static const char *const keys[] = {"generalized_nodes", "records", NULL};
    json_t *seen = json_object_get(json, "seen");
    size_t kept;
    enter_key(r, "seen", &kept);
    if (!check_object(r, seen, keys) ||
        !read_count(r, seen, "generalized_nodes", &r->rule->seen_nodes) ||
        !read_count(r, seen, "records", &r->rule->seen_records))
        return false;
    r->path.len = kept;
    return true;
}

static bool read_rule(reader *r, json_t *json)
{
    static const char *const keys[] = {"cut",   "threshold", "class_threshold",
                                       "parts", "seen",      NULL};
    return check_object(r, json, keys) && read_cut(r, json) &&
           read_threshold(r, json, "threshold", &r->rule->threshold) &&
           read_threshold(r, json, "class_threshold", &r->rule->class_threshold) &&
           read_parts(r, json) && read_seen(r, json);
}

th_status th__mdr_rule_read(json_t *json, const char *path, th__mdr_rule **out, th_error *err)
{
    th_error local;
    reader r = {.err = err ? err : &local, .rule = TH__NEW(th__mdr_rule)};
    *out = NULL;
    if (!r.rule)
        return th__fail_memory(err);
    th__arena_init(&r.rule->arena);
    th__buf_printf(&r.path, "%s", path);
    bool ok = read_rule(&r, json);
    th_status status = ok ? TH_OK : r.err->status;
    if (ok && r.path.failed)
        status = th__fail_memory(r.err);
    th__buf_release(&r.path);
    if (status) {
        th__mdr_rule_free(r.rule);
        return status;
    }
    *out = r.rule;
    return TH_OK;
}
