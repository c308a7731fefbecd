/* exalg_json.c: a template in a wrapper file. */
#include "base/error.h"
#include "data/schema.h"
#include "engine/papers/exalg/exalg_steps.h"
#include "wrapper/rule_table.h"

/* ---- tokens: [token] or [token, path] -------------------------------------------------------- */

static th_status read_symbol(th__rule_reader *reader, json_t *json, void *object)
{
    th__exalg_symbol *symbol = object;
    size_t parts = json_array_size(json);
    if (parts < 1 || parts > 2)
        return th__rule_fault(reader, "must be an array of a token and its path");
    th_status status = th__rule_text_value(reader, json_array_get(json, 0), &symbol->token);
    if (!status && parts == 2)
        status = th__rule_text_value(reader, json_array_get(json, 1), &symbol->path);
    if (!status && !th__exalg_token_valid(symbol->token))
        status = th__rule_fault(reader, "a token is a tag or a word, without blanks");
    symbol->key = status ? 0 : th__exalg_token_key(symbol->token, symbol->path);
    return status;
}

static void write_symbol(const void *root, const void *object, th__json *json)
{
    const th__exalg_symbol *symbol = object;
    th__json_begin_array(json);
    th__json_str(json, symbol->token);
    if (((const th__exalg_template *)root)->paths)
        th__json_str(json, symbol->path);
    th__json_end_array(json);
}

static const th__rule_member symbol_items[] = {{TH__OWN(NULL, read_symbol, write_symbol)}};
static const th__rule_shape symbol_shape = TH__SHAPE(th__exalg_symbol, symbol_items);

/* ---- strings: arrays of numbers of tokens ---------------------------------------------------- */

static th_status check_number(th__rule_reader *reader, void *number)
{
    uint32_t count = ((const th__exalg_template *)reader->root)->symbol_count;
    return *(uint32_t *)number < count
               ? TH_OK
               : th__rule_fault(reader, "must be the number of a token: there are %u", count);
}

static const th__rule_member number_items[] = {
    {.type = TH__RULE_UINT, .size = sizeof(uint32_t), .most = TH__EXALG_MAX_SYMBOLS}};
static const th__rule_shape number_shape = TH__CHECKED_SHAPE(uint32_t, number_items, check_number);

static const th__rule_member text_items[] = {
    {TH__LIST(NULL, th__exalg_text, symbols, count, number_shape, 0, TH__EXALG_MAX_SYMBOLS)}};
static const th__rule_shape text_shape = TH__SHAPE(th__exalg_text, text_items);

/* ---- nodes ----------------------------------------------------------------------------------- */

static const char *const type_keys[] = {"text", "tuple", "set", "optional", "choice"};

static void write_node(const th__exalg_node *node, th__json *json)
{
    if (node->type == TH__EXALG_BASIC) {
        th__json_str(json, TH_STR("*"));
        return;
    }
    th__json_begin_object(json);
    th__json_key(json, th_str_from(type_keys[node->type]));
    bool many = node->type == TH__EXALG_TUPLE || node->type == TH__EXALG_CHOICE;
    if (many)
        th__json_begin_array(json);
    for (uint32_t i = 0; i < node->count; i++)
        write_node(node->children[i], json);
    if (many)
        th__json_end_array(json);
    if (node->type == TH__EXALG_TUPLE) {
        th__json_key(json, TH_STR("strings"));
        th__json_begin_array(json);
        for (uint32_t i = 0; i <= node->count; i++)
            th__rule_table_write(&text_shape, &node->strings[i], json);
        th__json_end_array(json);
    } else if (node->type == TH__EXALG_SET) {
        th__json_key(json, TH_STR("separator"));
        th__rule_table_write(&text_shape, &node->strings[0], json);
    }
    th__json_end_object(json);
}

static th_status read_strings(th__rule_reader *reader, json_t *object, th__exalg_node *node)
{
    json_t *strings;
    if (node->type == TH__EXALG_SET) {
        static const th__rule_member separator = {
            .key = "separator", .type = TH__RULE_OBJECT, .of = &text_shape};
        return th__rule_member_read(reader, object, &separator, &node->strings[0]);
    }
    if (node->type != TH__EXALG_TUPLE)
        return TH_OK;
    th_status status =
        th__rule_array(reader, object, "strings", node->count + 1, node->count + 1, &strings);
    size_t mark = th__rule_enter(reader, "strings");
    for (uint32_t i = 0; !status && i <= node->count; i++) {
        size_t item = th__rule_enter_item(reader, i);
        status =
            th__rule_read_inner(reader, json_array_get(strings, i), &text_shape, &node->strings[i]);
        th__rule_leave(reader, item);
    }
    th__rule_leave(reader, mark);
    return status;
}

/* The only member of a node's object that says what it is. */
static json_t *find_type(json_t *json, th__exalg_type *type)
{
    for (unsigned i = TH__EXALG_TUPLE; json_is_object(json) && i <= TH__EXALG_CHOICE; i++) {
        json_t *found = json_object_get(json, type_keys[i]);
        if (found) {
            *type = (th__exalg_type)i;
            return found;
        }
    }
    return NULL;
}

static const uint8_t schema_kinds[] = {TH_TYPE_FIELD, TH_TYPE_TUPLE, TH_TYPE_LIST, TH_TYPE_OPTIONAL,
                                       TH_TYPE_CHOICE};

/* Depth is bounded by that of the schema, which is read before and held against it. */
static th_status read_node(th__rule_reader *reader, json_t *json, const th_type *type,
                           th__exalg_node **out)
{
    th__exalg_type kind = TH__EXALG_BASIC;
    json_t *inside = NULL;
    bool text = json_is_string(json) && !strcmp(json_string_value(json), "*");
    if (!text && !(inside = find_type(json, &kind)))
        return th__rule_fault(reader,
                              "must be \"*\" or an object with tuple, set, optional or choice");
    bool many = kind == TH__EXALG_TUPLE || kind == TH__EXALG_CHOICE;
    if (many && !json_is_array(inside))
        return th__rule_fault(reader, "%s must be an array", type_keys[kind]);
    size_t count = text ? 0 : many ? json_array_size(inside) : 1;
    if (type->kind != schema_kinds[kind] || type->count != count)
        return th__rule_fault(reader, "does not match the schema, which has a %s of %u",
                              th_type_kind_name((th_type_kind)type->kind), type->count);
    th__exalg_node *node = th__arena_zero(reader->arena, 1, sizeof *node);
    if (!node)
        return th__fail_memory(reader->err);
    node->type = (uint8_t)kind;
    node->count = (uint32_t)count;
    node->children = th__arena_zero(reader->arena, count + 1, sizeof *node->children);
    node->strings = th__arena_zero(reader->arena, count + 1, sizeof *node->strings);
    if (!node->children || !node->strings)
        return th__fail_memory(reader->err);
    *out = node;
    th_status status = read_strings(reader, json, node);
    size_t mark = th__rule_enter(reader, type_keys[kind]);
    for (size_t i = 0; !status && i < count; i++) {
        size_t item = many ? th__rule_enter_item(reader, i) : 0;
        status = read_node(reader, many ? json_array_get(inside, i) : inside, type->children[i],
                           &node->children[i]);
        if (many)
            th__rule_leave(reader, item);
    }
    th__rule_leave(reader, mark);
    return status;
}

static th_status read_root(th__rule_reader *reader, json_t *json, void *object)
{
    th__exalg_template *t = object;
    const th_type *type = reader->schema->root;
    size_t mark = th__rule_enter(reader, "root");
    th_status status = type->kind == TH_TYPE_TUPLE
                           ? read_node(reader, json_object_get(json, "root"), type, &t->root)
                           : th__rule_fault(reader, "the schema of a template is a tuple");
    th__rule_leave(reader, mark);
    return status;
}

static void write_root(const void *root, const void *object, th__json *json)
{
    th__json_key(json, TH_STR("root"));
    write_node(((const th__exalg_template *)object)->root, json);
}

/* ---- all ------------------------------------------------------------------------------------- */

static th_status begin_template(th__rule_reader *reader, void *t)
{
    ((th__exalg_template *)t)->paths = true;
    return TH_OK;
}

static th_status check_template(th__rule_reader *reader, void *object)
{
    th__exalg_template *t = object;
    for (uint32_t i = 0; i < t->symbol_count; i++)
        if ((t->symbols[i].path.ptr != NULL) != t->paths)
            return th__rule_fault_in(reader, "tokens",
                                     t->paths ? "must have paths" : "must have no paths");
    return th__exalg_template_prepare(t, reader->arena) ? TH_OK : th__fail_memory(reader->err);
}

static const th__rule_member template_members[] = {
    {TH__LIST("tokens", th__exalg_template, symbols, symbol_count, symbol_shape, 0,
              TH__EXALG_MAX_SYMBOLS),
     .flags = TH__NEEDED},
    {TH__FLAG("paths", th__exalg_template, paths), .flags = TH__ALWAYS},
    {TH__OWN("root", read_root, write_root)},
};
static const th__rule_shape template_shape = {.members = template_members,
                                              .count = 3,
                                              .size = sizeof(th__exalg_template),
                                              .begin = begin_template,
                                              .check = check_template};

void th__exalg_template_write(const th__exalg_template *t, th__json *json)
{
    th__rule_table_write(&template_shape, t, json);
}

th_status th__exalg_template_read(th__rule_reader *reader, json_t *json, const th_schema *schema,
                                  th__arena *arena, th__exalg_template *out)
{
    return th__rule_table_fill(reader, json, &template_shape, out);
}
