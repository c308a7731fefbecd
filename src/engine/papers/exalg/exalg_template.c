/* exalg_template.c: templates as schemas and in the paper's notation. */
#include "engine/papers/exalg/exalg_template.h"

#include "base/error.h"
#include "base/mem.h"
#include "data/schema.h"
#include "engine/papers/exalg/exalg_show.h"

bool th__exalg_template_prepare(th__exalg_template *t, th__arena *arena)
{
    if (!th__key_map_init(&t->ids, arena, t->symbol_count + 1))
        return false;
    for (uint32_t i = 0; i < t->symbol_count; i++)
        th__key_map_put(&t->ids, t->symbols[i].key, i + 1);
    return true;
}

/* ---- schema ---------------------------------------------------------------------------------- */

/* Depth is bounded by TH__EXALG_MAX_DEPTH. */
static th_type *make_type(th_schema *schema, const th__exalg_node *node)
{
    th_type *children[1] = {0}, **many = NULL, *out = NULL;
    th_str none = {0};
    switch ((th__exalg_type)node->type) {
    case TH__EXALG_BASIC:
        return th_schema_field(schema, none, TH_NOTE_TEXT);
    case TH__EXALG_SET:
        children[0] = make_type(schema, node->children[0]);
        return th_schema_list(schema, none, children[0]);
    case TH__EXALG_OPTIONAL:
        children[0] = make_type(schema, node->children[0]);
        return th_schema_optional(schema, children[0]);
    case TH__EXALG_TUPLE:
    case TH__EXALG_CHOICE:
        many = TH__NEW_ARRAY(th_type *, node->count + 1);
        if (!many)
            th__fail_memory(&schema->failure);
        for (uint32_t i = 0; many && i < node->count; i++)
            many[i] = make_type(schema, node->children[i]);
        if (many)
            out = node->type == TH__EXALG_TUPLE ? th_schema_tuple(schema, none, many, node->count)
                                                : th_schema_choice(schema, none, many, node->count);
        th__mem_free(many);
        return out;
    }
    return NULL;
}

th_status th__exalg_template_schema(const th__exalg_template *t, th_schema **out, th_error *err)
{
    th_status status = th_schema_new(out, err);
    if (status)
        return status;
    status = th_schema_finish(*out, make_type(*out, t->root), err);
    if (status) {
        th_schema_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- infix notation -------------------------------------------------------------------------- */

struct printer {
    const th__exalg_template *t;
    const th_records *const *pages;
    size_t count;
    uint32_t way[TH__EXALG_MAX_DEPTH + 1]; /* to the node that is being printed */
    size_t depth;
    th__buf *out;
};

static void print_string(struct printer *p, const th__exalg_text *string)
{
    for (uint32_t i = 0; i < string->count; i++) {
        th__buf_add_byte(p->out, ' ');
        th__buf_add_str(p->out, p->t->symbols[string->symbols[i]].token);
    }
}

static void print_line(struct printer *p, unsigned indent)
{
    th__buf_printf(p->out, "\n%*s", (int)(2 * indent), "");
}

static void print_node(struct printer *p, const th__exalg_node *node, unsigned indent);

static void print_child(struct printer *p, const th__exalg_node *node, uint32_t i, unsigned indent)
{
    if (p->depth > TH__EXALG_MAX_DEPTH)
        return; /* a wrapper from outside may be deeper; its types are told by the schema */
    p->way[p->depth++] = i;
    print_node(p, node->children[i], indent);
    p->depth--;
}

/* Values stand at the end of a line, so that what follows goes on the next. */
static void print_tuple(struct printer *p, const th__exalg_node *node, unsigned indent)
{
    th__buf_add_byte(p->out, '<');
    for (uint32_t i = 0; i < node->count; i++) {
        print_string(p, &node->strings[i]);
        print_line(p, indent + 1);
        print_child(p, node, i, indent + 1);
        if (p->count && node->strings[i + 1].count)
            print_line(p, indent);
    }
    print_string(p, &node->strings[node->count]);
    th__buf_add_str(p->out, TH_STR(" >"));
}

/* Members stand on lines of their own, strings of the template before, between and behind them. */
static void print_node(struct printer *p, const th__exalg_node *node, unsigned indent)
{
    switch ((th__exalg_type)node->type) {
    case TH__EXALG_BASIC:
        th__buf_add_byte(p->out, '*');
        th__exalg_show_values(p->pages, p->count, p->way, p->depth, p->out);
        return;
    case TH__EXALG_TUPLE:
        print_tuple(p, node, indent);
        return;
    case TH__EXALG_SET:
        th__buf_add_byte(p->out, '{');
        print_node(p, node->children[0], indent);
        th__buf_add_byte(p->out, '}');
        if (node->strings[0].count) {
            th__buf_add_str(p->out, TH_STR("_("));
            print_string(p, &node->strings[0]);
            th__buf_add_str(p->out, TH_STR(" )"));
        }
        return;
    case TH__EXALG_OPTIONAL:
        th__buf_add_byte(p->out, '(');
        print_node(p, node->children[0], indent);
        th__buf_add_str(p->out, TH_STR(")?"));
        return;
    case TH__EXALG_CHOICE:
        for (uint32_t i = 0; i < node->count; i++) {
            if (i) {
                print_line(p, indent);
                th__buf_add_str(p->out, TH_STR("| "));
            }
            print_child(p, node, i, indent);
        }
        return;
    }
}

void th__exalg_template_print(const th__exalg_template *t, const th_records *const *pages,
                              size_t count, th__buf *out)
{
    struct printer p = {.t = t, .pages = pages, .count = count, .out = out};
    th__buf_add_str(out, TH_STR("  "));
    print_node(&p, t->root, 1);
    th__buf_add_byte(out, '\n');
}
