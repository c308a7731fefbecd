/* exalg_roles_run.c: roles as a schema, and the values of a page. */
#include "base/error.h"
#include "base/mem.h"
#include "data/record.h"
#include "engine/papers/exalg/exalg_pieces.h"
#include "engine/papers/exalg/exalg_roles.h"
#include "page/charref.h"
#include "page/tags.h"
#include "page/text.h"
#include "page/url.h"

/* ---- schema ---------------------------------------------------------------------------------- */

/* The members of a set's item, or of the page: roles with a name, in order. Sets nest as roles do,
 * and a schema refuses to be deeper than TH_SCHEMA_MAX_DEPTH. */
static th_type *make_tuple(th_schema *schema, th__exalg_roles *r, const uint64_t *pages,
                           uint32_t set, uint32_t end)
{
    uint32_t first = set == TH__EXALG_NO_ROLE ? 1 : set + 1, count = 0;
    th_type **members = TH__NEW_ARRAY(th_type *, end - first + 1);
    th_str none = {0};
    if (!members) {
        th__fail_memory(&schema->failure);
        return NULL;
    }
    for (uint32_t i = first; i < end; i++) {
        th__exalg_role *role = &r->roles[i];
        if (role->set != set || !role->name.ptr)
            continue;
        if (role->same != i) {
            role->member = r->roles[role->same].member;
            continue;
        }
        uint32_t inside = i + 1; /* preorder: what is in it follows */
        th_type *type;
        if (role->use == TH__EXALG_DATA) {
            type = th_schema_field(schema, role->many ? none : role->name, TH_NOTE_TEXT);
            if (role->many)
                type = th_schema_list(schema, role->name, type);
            else if (pages[i] < r->pages)
                type = th_schema_optional(schema, type);
        } else {
            while (inside < end && r->roles[inside].parent >= i)
                inside++;
            type = th_schema_list(schema, role->name, make_tuple(schema, r, pages, i, inside));
        }
        role->member = count;
        members[count++] = type;
    }
    th_type *tuple = th_schema_tuple(schema, none, members, count);
    th__mem_free(members);
    return tuple;
}

th_status th__exalg_roles_schema(th__exalg_roles *roles, th_schema **out, th_error *err)
{
    th_status status = th_schema_new(out, err);
    if (status)
        return status;
    /* By field: the pages that have it. Roles of one field never stand on one page together. */
    uint64_t *pages = th__mem_zero(roles->count + 1, sizeof *pages);
    for (uint32_t i = 0; pages && i < roles->count; i++)
        pages[roles->roles[i].same] += roles->roles[i].support;
    th_type *root = pages ? make_tuple(*out, roles, pages, TH__EXALG_NO_ROLE, roles->count) : NULL;
    status = pages ? th_schema_finish(*out, root, err) : th__fail_memory(err);
    th__mem_free(pages);
    if (status) {
        th_schema_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- values ---------------------------------------------------------------------------------- */

struct filler {
    const th__exalg_roles *roles;
    const th__exalg_outline *o;
    const th__exalg_reading *reading;
    th_records *records;
    th_value *page;
    th_value **items; /* by role of a set: the item that is being filled */
    th__buf text, link;
};

static th_value *slot_of(const struct filler *f, const th__exalg_role *role)
{
    th_value *tuple = role->set == TH__EXALG_NO_ROLE ? f->page : f->items[role->set];
    return tuple ? th_value_slot(tuple, role->member) : NULL;
}

/* Sets a field to the text of a span. */
static bool fill_span(struct filler *f, const th__exalg_role *role, th_span span)
{
    th_value *slot = slot_of(f, role);
    if (!slot || (!role->many && th_value_get_kind(slot) != TH_VALUE_NULL))
        return true;
    th__buf_clear(&f->text);
    if (!th__span_text(f->o->page, span, &f->text))
        return false;
    th_str text = th__buf_str(&f->text);
    if (!text.len || (f->roles->placeholders && th__says_nothing(text)))
        return true;
    if (role->many)
        slot = th_records_append(f->records, slot);
    th_records_set_text(f->records, slot, text, span);
    return true;
}

/* A piece of a text: behind a label, the n-th between gaps, or all of them. */
static bool fill_piece(struct filler *f, const th__exalg_role *piece, th_span span)
{
    const th_page *page = f->o->page;
    th_span part, rest = span;
    if (piece->label.ptr)
        rest.start = th__exalg_behind_label(page, span, piece->label);
    if (!piece->gap.ptr)
        return rest.start >= rest.end || fill_span(f, piece, rest);
    for (uint32_t i = 0; th__exalg_next_piece(page, &rest, piece->gap, &part); i++)
        if ((piece->ordinal == TH__EXALG_NO_ROLE || piece->ordinal == i) &&
            !fill_span(f, piece, part))
            return false;
    return true;
}

/* A text with its inner markup, up to a sign behind it: "Six <i>crossings</i>." */
static th_span run_span(const struct filler *f, uint32_t unit)
{
    const th_page *page = f->o->page;
    uint32_t last = f->reading->unit_last[unit], token = f->o->units[last].token;
    th_span span = {page->tokens[f->o->units[unit].token].start, page->tokens[token + 1].start};
    if (last == unit)
        return span;
    while (token + 1 < page->token_count && page->tokens[token + 1].kind == TH_TOKEN_END &&
           (th__tag_flags(page->tokens[token + 1].tag) & TH_TAG_IS_BLOCK) == 0)
        token++;
    bool sign = token + 1 < page->token_count && page->tokens[token + 1].kind == TH_TOKEN_TEXT &&
                (last + 1 == f->o->unit_count || f->o->units[last + 1].token != token + 1);
    if (sign)
        span.end = page->tokens[token + 2].start;
    return span;
}

/* All that stands in a leaf, signs before and behind its words included. */
static th_span leaf_span(const struct filler *f, uint32_t role, uint32_t unit)
{
    const th_page *page = f->o->page;
    uint32_t node = f->o->units[unit].node;
    while (node && f->reading->node_role[node] != role)
        node = page->nodes[node].parent;
    if (!node) /* known by its label: it stands elsewhere */
        return run_span(f, unit);
    const th_node *n = &page->nodes[node];
    return (th_span){page->tokens[n->token + 1].start, page->tokens[n->token_end].start};
}

/* A value and its pieces. */
static bool fill_value(struct filler *f, uint32_t number, th_span span)
{
    const th__exalg_role *role = &f->roles->roles[number];
    if (role->name.ptr && !fill_span(f, role, span))
        return false;
    for (uint32_t i = number + 1; i < f->roles->count; i++) {
        const th__exalg_role *piece = &f->roles->roles[i];
        if (piece->kind < TH__EXALG_ATTRIBUTE || piece->parent != number)
            break;
        if (piece->kind != TH__EXALG_PIECE || !piece->name.ptr)
            continue;
        if (!fill_piece(f, piece, span))
            return false;
    }
    return true;
}

static bool fill_text(struct filler *f, uint32_t number, uint32_t unit)
{
    const th__exalg_role *role = &f->roles->roles[number];
    return fill_value(f, number,
                      role->kind == TH__EXALG_ELEMENT ? leaf_span(f, number, unit)
                                                      : run_span(f, unit));
}

/* The value of an attribute: links and images as absolute URLs. */
static bool fill_attribute(struct filler *f, const th__exalg_role *role, uint32_t node)
{
    const th_page *page = f->o->page;
    bool src = th__str_eq(role->tag, TH_STR("src")), href = th__str_eq(role->tag, TH_STR("href"));
    bool meta = th__str_eq(role->tag, TH_STR("content"));
    node = th__exalg_attribute_node(page, node, href ? TH_TAG_A : meta ? TH_TAG_META : TH_TAG_IMG);
    th_value *slot = slot_of(f, role);
    th_str value = {0};
    if (!node || !slot || (!role->many && th_value_get_kind(slot) != TH_VALUE_NULL) ||
        !th_attr_get(page, page->nodes[node].token, role->tag.ptr, &value))
        return true;
    value = th__str_trim(value);
    if (!value.len)
        return true;
    uint32_t start = (uint32_t)(value.ptr - page->text.ptr);
    th__buf_clear(&f->link);
    th__buf_clear(&f->text);
    if (!th__decode_refs(value, true, &f->link))
        return false;
    th_str text = th__buf_str(&f->link);
    if (src || href) {
        if (!th__url_resolve(page->base.ptr ? page->base : page->url, text, &f->text))
            return false;
        text = th__buf_str(&f->text);
    }
    if (role->many)
        slot = th_records_append(f->records, slot);
    th_records_set_text(f->records, slot, text, (th_span){start, start + (uint32_t)value.len});
    return true;
}

/* The attributes of an element stand behind it among the roles. */
static bool fill_attributes(struct filler *f, uint32_t number, uint32_t node)
{
    for (uint32_t i = number + 1; i < f->roles->count; i++) {
        const th__exalg_role *role = &f->roles->roles[i];
        if (role->kind < TH__EXALG_ATTRIBUTE || role->parent != number)
            break;
        if (role->kind == TH__EXALG_ATTRIBUTE && role->name.ptr && !fill_attribute(f, role, node))
            return false;
    }
    return true;
}

static void begin_item(struct filler *f, uint32_t number)
{
    const th__exalg_role *role = &f->roles->roles[number];
    if (!role->name.ptr)
        return;
    th_value *slot = slot_of(f, role);
    f->items[number] = slot ? th_records_append(f->records, slot) : NULL;
}

/* Values in lines that begin in a text. */
static bool fill_hits(struct filler *f, uint32_t unit)
{
    const th__exalg_reading *reading = f->reading;
    for (uint32_t i = reading->unit_hit[unit] - 1;
         i < reading->hit_count && reading->hits[i].unit == unit; i++) {
        const th__exalg_hit *hit = &reading->hits[i];
        if (hit->row != TH__EXALG_NO_ROLE && (f->roles->flags[hit->row] & TH__EXALG_BEGINS_ITEM))
            begin_item(f, hit->row);
        if (f->roles->roles[hit->role].use == TH__EXALG_DATA &&
            !fill_value(f, hit->role, hit->span))
            return false;
    }
    return true;
}

static bool fill_unit(struct filler *f, uint32_t unit)
{
    if (f->reading->unit_hit && f->reading->unit_hit[unit])
        return fill_hits(f, unit);
    uint32_t role = f->reading->unit_role[unit];
    if (role < TH__EXALG_PART && f->roles->roles[role].lines)
        role = f->roles->other; /* an item that has no slot */
    if (role == TH__EXALG_NO_ROLE && !th__key_map_get(&f->roles->texts, f->o->units[unit].hash))
        role = f->roles->other;
    return role >= TH__EXALG_PART || !(f->roles->flags[role] & TH__EXALG_IS_DATA) ||
           f->roles->roles[role].kind == TH__EXALG_SLOT || fill_text(f, role, unit);
}

/* Elements that give something and texts, in the order of the page. */
static bool fill(struct filler *f)
{
    const th_page *page = f->o->page;
    uint32_t unit = 0;
    bool ok = true;
    for (uint32_t node = 1; ok && node < page->node_count; node++) {
        uint32_t role = f->reading->node_role[node];
        uint8_t flags = role == TH__EXALG_NO_ROLE ? 0 : f->roles->flags[role];
        if (!(flags & (TH__EXALG_BEGINS_ITEM | TH__EXALG_HAS_ATTRIBUTES)))
            continue;
        while (ok && unit < f->o->unit_count && f->o->units[unit].token < page->nodes[node].token)
            ok = fill_unit(f, unit++);
        if (flags & TH__EXALG_BEGINS_ITEM)
            begin_item(f, role);
        ok = ok && fill_attributes(f, role, node);
    }
    while (ok && unit < f->o->unit_count)
        ok = fill_unit(f, unit++);
    return ok;
}

th_status th__exalg_roles_run(const th__exalg_roles *roles, const th_schema *schema,
                              const th_page *page, const th_records_source *source, double floor,
                              th_records **out, th_error *err)
{
    th__arena arena;
    th__exalg_outline o;
    th__exalg_reading reading;
    struct filler f = {.roles = roles, .o = &o, .reading = &reading};
    th_status status = th_records_new(schema, source, &f.records, err);
    if (status)
        return status;
    th__arena_init(&arena);
    bool ok = th__exalg_outline_make(&arena, page, &roles->known, &o);
    ok = ok && th__exalg_roles_apply(roles, &o, &arena, &reading) &&
         (f.items = th__arena_zero(&arena, roles->count + 1, sizeof *f.items));
    if (ok)
        f.records->explained = reading.explained;
    if (ok && reading.explained >= floor) {
        f.page = th_records_add(f.records);
        ok = fill(&f);
    }
    status = ok ? th_records_status(f.records, err) : th__fail_memory(err);
    th__buf_release(&f.text);
    th__buf_release(&f.link);
    th__arena_release(&arena);
    if (status)
        th_records_free(f.records);
    else
        *out = f.records;
    return status;
}
