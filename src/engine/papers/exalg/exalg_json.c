/* exalg_json.c: a template in a wrapper file. */
#include "base/error.h"
#include "data/schema.h"
#include "engine/papers/exalg/exalg_steps.h"

/* ---- writing --------------------------------------------------------------------------------- */

static void write_string(const th__exalg_text *string, th__json *json)
{
    th__json_begin_array(json);
    for (uint32_t i = 0; i < string->count; i++)
        th__json_uint(json, string->symbols[i]);
    th__json_end_array(json);
}

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
            write_string(&node->strings[i], json);
        th__json_end_array(json);
    } else if (node->type == TH__EXALG_SET) {
        th__json_key(json, TH_STR("separator"));
        write_string(&node->strings[0], json);
    }
    th__json_end_object(json);
}

void th__exalg_template_write(const th__exalg_template *t, th__json *json)
{
    th__json_begin_object(json);
    th__json_key(json, TH_STR("tokens"));
    th__json_begin_array(json);
    for (uint32_t i = 0; i < t->symbol_count; i++) {
        th__json_begin_array(json);
        th__json_str(json, t->symbols[i].token);
        if (t->paths)
            th__json_str(json, t->symbols[i].path);
        th__json_end_array(json);
    }
    th__json_end_array(json);
    th__json_key(json, TH_STR("paths"));
    th__json_bool(json, t->paths);
    th__json_key(json, TH_STR("root"));
    write_node(t->root, json);
    th__json_end_object(json);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
    th__rule_reader *reader;
    th__arena *arena;
    th__exalg_template *t;
};

static th_status read_symbol(struct reading *r, json_t *json, th__exalg_symbol *symbol)
{
    size_t parts = r->t->paths ? 2 : 1;
    if (!json_is_array(json) || json_array_size(json) != parts)
        return th__rule_fault(r->reader, "must be an array of %s",
                              parts == 2 ? "a token and its path" : "a token");
    th_str *texts[] = {&symbol->token, &symbol->path};
    for (size_t i = 0; i < parts; i++) {
        json_t *text = json_array_get(json, i);
        if (!json_is_string(text))
            return th__rule_fault(r->reader, "must be an array of texts");
        *texts[i] =
            th__arena_copy(r->arena, (th_str){json_string_value(text), json_string_length(text)});
        if (!texts[i]->ptr)
            return th__fail_memory(r->reader->err);
    }
    if (!th__exalg_token_valid(symbol->token))
        return th__rule_fault(r->reader, "a token is a tag or a word, without blanks");
    symbol->key = th__exalg_token_key(symbol->token, symbol->path);
    return TH_OK;
}

static th_status read_symbols(struct reading *r, json_t *object)
{
    json_t *tokens;
    th_status status =
        th__rule_array(r->reader, object, "tokens", 0, TH__EXALG_MAX_SYMBOLS, &tokens);
    if (status)
        return status;
    size_t count = json_array_size(tokens), mark = th__rule_enter(r->reader, "tokens");
    r->t->symbols = th__arena_zero(r->arena, count + 1, sizeof *r->t->symbols);
    r->t->symbol_count = (uint32_t)count;
    if (!r->t->symbols)
        return th__fail_memory(r->reader->err);
    for (size_t i = 0; !status && i < count; i++) {
        size_t item = th__rule_enter_item(r->reader, i);
        status = read_symbol(r, json_array_get(tokens, i), &r->t->symbols[i]);
        th__rule_leave(r->reader, item);
    }
    th__rule_leave(r->reader, mark);
    return status;
}

static th_status read_string(struct reading *r, json_t *json, th__exalg_text *out)
{
    if (!json_is_array(json) || json_array_size(json) > TH__EXALG_MAX_SYMBOLS)
        return th__rule_fault(r->reader, "must be an array of numbers of tokens");
    size_t count = json_array_size(json);
    out->symbols = th__arena_alloc(r->arena, (count + 1) * sizeof *out->symbols);
    if (!out->symbols)
        return th__fail_memory(r->reader->err);
    for (size_t i = 0; i < count; i++) {
        json_t *number = json_array_get(json, i);
        if (!json_is_integer(number) || json_integer_value(number) < 0 ||
            json_integer_value(number) >= r->t->symbol_count)
            return th__rule_fault(r->reader, "must be numbers of tokens: 0 to %u",
                                  r->t->symbol_count ? r->t->symbol_count - 1 : 0);
        out->symbols[i] = (uint32_t)json_integer_value(number);
    }
    out->count = (uint32_t)count;
    return TH_OK;
}

static th_status read_strings(struct reading *r, json_t *object, th__exalg_node *node)
{
    json_t *strings;
    if (node->type == TH__EXALG_SET) {
        json_t *separator = json_object_get(object, "separator");
        size_t mark = th__rule_enter(r->reader, "separator");
        th_status status = separator ? read_string(r, separator, &node->strings[0]) : TH_OK;
        th__rule_leave(r->reader, mark);
        return status;
    }
    if (node->type != TH__EXALG_TUPLE)
        return TH_OK;
    th_status status =
        th__rule_array(r->reader, object, "strings", node->count + 1, node->count + 1, &strings);
    size_t mark = th__rule_enter(r->reader, "strings");
    for (uint32_t i = 0; !status && i <= node->count; i++) {
        size_t item = th__rule_enter_item(r->reader, i);
        status = read_string(r, json_array_get(strings, i), &node->strings[i]);
        th__rule_leave(r->reader, item);
    }
    th__rule_leave(r->reader, mark);
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
static th_status read_node(struct reading *r, json_t *json, const th_type *type,
                           th__exalg_node **out)
{
    th__exalg_type kind = TH__EXALG_BASIC;
    json_t *inside = NULL;
    bool text = json_is_string(json) && !strcmp(json_string_value(json), "*");
    if (!text && !(inside = find_type(json, &kind)))
        return th__rule_fault(r->reader,
                              "must be \"*\" or an object with tuple, set, optional or choice");
    bool many = kind == TH__EXALG_TUPLE || kind == TH__EXALG_CHOICE;
    if (many && !json_is_array(inside))
        return th__rule_fault(r->reader, "%s must be an array", type_keys[kind]);
    size_t count = text ? 0 : many ? json_array_size(inside) : 1;
    if (type->kind != schema_kinds[kind] || type->count != count)
        return th__rule_fault(r->reader, "is not what the schema says: a %s of %u there",
                              th_type_kind_name((th_type_kind)type->kind), type->count);
    th__exalg_node *node = th__arena_zero(r->arena, 1, sizeof *node);
    if (!node)
        return th__fail_memory(r->reader->err);
    node->type = (uint8_t)kind;
    node->count = (uint32_t)count;
    node->children = th__arena_zero(r->arena, count + 1, sizeof *node->children);
    node->strings = th__arena_zero(r->arena, count + 1, sizeof *node->strings);
    if (!node->children || !node->strings)
        return th__fail_memory(r->reader->err);
    *out = node;
    th_status status = read_strings(r, json, node);
    size_t mark = th__rule_enter(r->reader, type_keys[kind]);
    for (size_t i = 0; !status && i < count; i++) {
        size_t item = many ? th__rule_enter_item(r->reader, i) : 0;
        status = read_node(r, many ? json_array_get(inside, i) : inside, type->children[i],
                           &node->children[i]);
        if (many)
            th__rule_leave(r->reader, item);
    }
    th__rule_leave(r->reader, mark);
    return status;
}

th_status th__exalg_template_read(th__rule_reader *reader, json_t *json, const th_schema *schema,
                                  th__arena *arena, th__exalg_template *out)
{
    struct reading r = {reader, arena, out};
    json_t *root = json_object_get(json, "root");
    *out = (th__exalg_template){.paths = true};
    th_status status = th__rule_bool(reader, json, "paths", &out->paths);
    if (!status)
        status = read_symbols(&r, json);
    size_t mark = th__rule_enter(reader, "root");
    if (!status && schema->root->kind != TH_TYPE_TUPLE)
        status = th__rule_fault(reader, "the schema of a template is a tuple");
    if (!status)
        status = read_node(&r, root, schema->root, &out->root);
    th__rule_leave(reader, mark);
    if (!status && !th__exalg_template_prepare(out, arena))
        status = th__fail_memory(reader->err);
    return status;
}
