/*
 * template_records.c: what the roles give: fields with names, a schema, the values of a page, and
 * the template for people to read.
 *
 * Columns that say nothing of their own are left out: those that on every page learnt from say just
 * what another says (the title of the page and its heading, metadata, the parts of a text that is
 * alone elsewhere), or never anything. The template is run on the pages and the columns are
 * compared as they would come out, whatever they are made of. The roles stay, since they explain
 * their texts; they are fields no more.
 */
#include "base/error.h"
#include "base/intern.h"
#include "base/mem.h"
#include "data/record.h"
#include "engine/one_template.h"
#include "engine/template/template_roles.h"
#include "page/charref.h"
#include "page/tags.h"
#include "page/text.h"
#include "page/url.h"
#include "table/column_names.h"

const th__template_attribute th__template_attributes[] = {
    {TH_TAG_A, true, "href", "_url", "link"},
    {TH_TAG_IMG, true, "src", "_image", "image"},
    {TH_TAG_IMG, false, "alt", "_alt", "alt"},
    {TH_TAG_META, false, "content", "", "content"},
    {0},
};

static const th__template_attribute *attribute_of(const th__template_role *role)
{
    const th__template_attribute *one = th__template_attributes;
    while (one->name && !th__str_eq(role->tag, th_str_from(one->name)))
        one++;
    return one->name ? one : NULL;
}

/* ---- names ----------------------------------------------------------------------------------- */

struct field_namer {
    const th__template_roles *roles;
    th__intern taken;
    TH__VEC(uint32_t) asked;
    th__buf text;
};

/* A text of the template as a name. */
static bool by_text(struct field_namer *n, th_str text)
{
    enum { LONGEST = 48 }; /* a sentence is no name */
    th__buf_clear(&n->text);
    if (!text.ptr || text.len > LONGEST)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '&') /* a reference is no part of a name */
            while (i < text.len && text.ptr[i] != ';')
                i++;
        if (i < text.len)
            th__buf_add_byte(&n->text, text.ptr[i] == ';' ? ' ' : text.ptr[i]);
    }
    return th__name_tidy(&n->text);
}

static bool by_step(struct field_namer *n, const th__template_role *role)
{
    static const char *const parts[] = {"h1", "h2", "h3"};
    if (role->kind != TH__ROLE_ELEMENT)
        return false;
    if (th__str_eq(role->tag, TH_STR("title")))
        return by_text(n, TH_STR("page_title"));
    if (role->id.ptr && th__name_of_class(role->id, &n->text))
        return true;
    if (role->cls.ptr && th__name_of_class(role->cls, &n->text))
        return true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (th__str_eq(role->tag, th_str_from(parts[i])))
            return by_text(n, TH_STR("title"));
    return false;
}

/* Returns true if a text of the template is a label rather than a heading or a slogan: it says so,
 * or its element does. */
static bool is_label(const th__template_role *role)
{
    static const char *const tags[] = {"th",   "td", "dt", "b", "strong", "label",
                                       "span", "i",  "em", "u", "font"};
    if (role->text.len && role->text.ptr[role->text.len - 1] == ':')
        return true;
    if (role->kind == TH__ROLE_TEXT)
        return true;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (th__str_eq(role->tag, th_str_from(tags[i])))
            return true;
    return false;
}

/* The text of the template that is before a role below the same parent. */
static bool by_neighbour(struct field_namer *n, uint32_t index)
{
    const th__template_role *roles = n->roles->roles;
    uint32_t parent = roles[index].parent;
    for (uint32_t i = index; i-- > parent + 1;) {
        if (roles[i].use == TH__USE_DATA)
            return false;
        if (roles[i].use == TH__USE_TEMPLATE)
            return roles[i].parent == parent && is_label(&roles[i]) && by_text(n, roles[i].text);
    }
    return false;
}

static bool find_name(struct field_namer *n, uint32_t index);

/* An attribute is called after what it belongs to: price_url, cover_image. */
static bool name_attribute(struct field_namer *n, uint32_t index)
{
    const th__template_role *role = &n->roles->roles[index];
    const th__template_attribute *known = attribute_of(role);
    if (role->parent && find_name(n, role->parent))
        return !known || th__buf_add_str(&n->text, th_str_from(known->behind));
    return known && by_text(n, th_str_from(known->alone));
}

/* The name of the text that a piece belongs to. */
static bool name_of_whole(struct field_namer *n, uint32_t role)
{
    th__buf_clear(&n->text);
    return n->roles->roles[role].name.ptr && th__buf_add_str(&n->text, n->roles->roles[role].name);
}

static bool is_title(const th__template_role *role)
{
    return role->kind == TH__ROLE_ELEMENT && th__str_eq(role->tag, TH_STR("title"));
}

/* Asks the role and those above it, as long as they speak of this value alone. */
static bool find_name(struct field_namer *n, uint32_t index)
{
    enum { CLOSE = 4 };
    const th__template_role *roles = n->roles->roles;
    if (roles[index].kind == TH__ROLE_OTHER)
        return false;
    if (roles[index].kind == TH__ROLE_ATTRIBUTE)
        return name_attribute(n, index);
    if (roles[index].kind == TH__ROLE_PIECE && roles[index].gap.ptr)
        return name_of_whole(n, roles[index].parent) && th__buf_add_str(&n->text, TH_STR("_part"));
    /* A label inside of the text names the piece; the text as it is goes behind it. What all
     * titles begin with is the name of the site. */
    if (is_title(&roles[index]))
        return by_step(n, &roles[index]);
    if (roles[index].kind == TH__ROLE_PIECE && is_title(&roles[roles[index].parent]))
        return by_step(n, &roles[roles[index].parent]) &&
               th__buf_add_str(&n->text, TH_STR("_part"));
    if (index + 1 < n->roles->count && roles[index + 1].kind == TH__ROLE_PIECE &&
        roles[index + 1].parent == index && !roles[index + 1].gap.ptr &&
        by_text(n, roles[index + 1].label))
        return th__buf_add_str(&n->text, TH_STR("_text"));
    uint32_t set = roles[index].set;
    if (roles[index].kind == TH__ROLE_WHOLE)
        return find_name(n, roles[index].parent) && th__buf_add_str(&n->text, TH_STR("_all"));
    for (uint32_t i = index, up = 0; up < CLOSE && i && i != set; up++, i = roles[i].parent)
        if ((roles[i].label.ptr && roles[i].told != TH__ROLE_BY_AFTER &&
             by_text(n, roles[i].label)) ||
            by_neighbour(n, i) || by_step(n, &roles[i]))
            return true;
    return false;
}

static uint32_t ask_for(struct field_namer *n, uint32_t set, th_str name, th__buf *key)
{
    th__buf_clear(key);
    th__buf_printf(key, "%u ", set);
    th__buf_add_str(key, name);
    uint32_t id = key->failed ? TH__INTERN_NONE : th__intern_add(&n->taken, th__buf_str(key));
    if (id == TH__INTERN_NONE || (id == n->asked.len && !th__vec_push(&n->asked, 0)))
        return UINT32_MAX;
    return n->asked.data[id]++;
}

/* Names differ below one set; the second of a kind is numbered. */
static bool take(struct field_namer *n, th__template_role *role, bool found, th__arena *arena)
{
    th__buf key = {0};
    if (!found) {
        th__buf_clear(&n->text);
        th__buf_add_str(&n->text, role->kind == TH__ROLE_OTHER ? TH_STR("other")
                                  : role->use == TH__USE_DATA  ? TH_STR("text")
                                                               : TH_STR("items"));
    }
    size_t len = n->text.len;
    uint32_t asked = ask_for(n, role->set, th__buf_str(&n->text), &key);
    for (bool plain = found || role->kind == TH__ROLE_OTHER;
         asked != UINT32_MAX && (asked || !plain); plain = false) {
        n->text.len = len;
        th__buf_printf(&n->text, "_%u", asked + 1);
        uint32_t again = ask_for(n, role->set, th__buf_str(&n->text), &key);
        if (again == 0)
            break;
        asked = again == UINT32_MAX ? again : asked + 1;
    }
    role->name = n->text.failed ? (th_str){0} : th__arena_copy(arena, th__buf_str(&n->text));
    th__buf_release(&key);
    return asked != UINT32_MAX && role->name.ptr;
}

/* Sets that hold data. */
static void mark_sets(const th__template_roles *r, bool *holds)
{
    for (uint32_t i = r->count; i-- > 1;) {
        const th__template_role *role = &r->roles[i];
        bool data = role->use == TH__USE_DATA || (role->list && holds[i]);
        if (data && role->set != TH__NO_ROLE)
            holds[role->set] = true;
    }
}

bool th__template_roles_name(th__template_roles *r, th__arena *arena)
{
    struct field_namer n = {.roles = r};
    th__intern_init(&n.taken);
    bool *holds = th__arena_zero(arena, r->count + 1, sizeof *holds);
    bool ok = holds;
    if (ok)
        mark_sets(r, holds);
    for (uint32_t i = 1; ok && i < r->count; i++) {
        th__template_role *role = &r->roles[i];
        bool set = role->use == TH__USE_STRUCTURE && role->list && holds[i];
        if (role->same != i)
            role->name = r->roles[role->same].name;
        else if (role->use == TH__USE_DATA || set)
            ok = take(&n, role, find_name(&n, i), arena);
    }
    th__intern_release(&n.taken);
    th__vec_release(&n.asked);
    th__buf_release(&n.text);
    return ok;
}

/* ---- schema ---------------------------------------------------------------------------------- */

/* The members of a set's item, or of the page: roles with a name, in order. Sets nest as roles do,
 * and a schema refuses to be deeper than TH_SCHEMA_MAX_DEPTH. */
static th_type *make_tuple(th_schema *schema, th__template_roles *r, const uint64_t *pages,
                           uint32_t set, uint32_t end)
{
    uint32_t first = set == TH__NO_ROLE ? 1 : set + 1, count = 0;
    th_type **members = TH__NEW_ARRAY(th_type *, end - first + 1);
    th_str none = {0};
    if (!members) {
        th__fail_memory(&schema->failure);
        return NULL;
    }
    for (uint32_t i = first; i < end; i++) {
        th__template_role *role = &r->roles[i];
        if (role->set != set || !role->name.ptr)
            continue;
        if (role->same != i) {
            role->member = r->roles[role->same].member;
            continue;
        }
        uint32_t inside = i + 1; /* preorder: what is in it follows */
        th_type *type;
        if (role->use == TH__USE_DATA) {
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

th_status th__template_roles_schema(th__template_roles *roles, th_schema **out, th_error *err)
{
    th_status status = th_schema_new(out, err);
    if (status)
        return status;
    /* By field: the pages that have it. Roles of one field are never on one page together. */
    uint64_t *pages = th__mem_zero(roles->count + 1, sizeof *pages);
    for (uint32_t i = 0; pages && i < roles->count; i++)
        pages[roles->roles[i].same] += roles->roles[i].support;
    th_type *root = pages ? make_tuple(*out, roles, pages, TH__NO_ROLE, roles->count) : NULL;
    status = pages ? th_schema_finish(*out, root, err) : th__fail_memory(err);
    th__mem_free(pages);
    if (status) {
        th_schema_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- values ---------------------------------------------------------------------------------- */

struct record_filler {
    const th__template_roles *roles;
    const th__template_outline *o;
    const th__template_reading *reading;
    th_records *records;
    th_value *page;
    th_value **items; /* by role of a set: the item that is being filled */
    th__buf text, link;
};

static th_value *slot_of(const struct record_filler *f, const th__template_role *role)
{
    th_value *tuple = role->set == TH__NO_ROLE ? f->page : f->items[role->set];
    return tuple ? th_value_slot(tuple, role->member) : NULL;
}

/* Sets a field to a text that is in a span, unless it has one or the text says nothing. */
static void fill_slot(struct record_filler *f, const th__template_role *role, th_str text,
                      th_span span)
{
    th_value *slot = slot_of(f, role);
    if (!slot || !text.len || (!role->many && th_value_get_kind(slot) != TH_VALUE_NULL))
        return;
    if (role->many)
        slot = th_records_append(f->records, slot);
    th_records_set_text(f->records, slot, text, span);
}

static bool fill_span(struct record_filler *f, const th__template_role *role, th_span span)
{
    th__buf_clear(&f->text);
    if (!th__span_text(f->o->page, span, &f->text))
        return false;
    th_str text = th__buf_str(&f->text);
    if (!f->roles->placeholders || !th__says_nothing(text))
        fill_slot(f, role, text, span);
    return true;
}

/* A piece of a text: behind a label, the n-th between gaps, or all of them. */
static bool fill_piece(struct record_filler *f, const th__template_role *piece, th_span span)
{
    const th_page *page = f->o->page;
    th_span part, rest = span;
    if (piece->label.ptr)
        rest.start = th__template_behind_label(page, span, piece->label);
    if (!piece->gap.ptr)
        return rest.start >= rest.end || fill_span(f, piece, rest);
    for (uint32_t i = 0; th__template_next_piece(page, &rest, piece->gap, &part); i++)
        if ((piece->ordinal == TH__NO_ROLE || piece->ordinal == i) && !fill_span(f, piece, part))
            return false;
    return true;
}

/* A text with its inner markup, up to a sign behind it: "Six <i>crossings</i>." */
static th_span run_span(const struct record_filler *f, uint32_t unit)
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

/* All that is in a leaf, signs before and behind its words included. */
static th_span leaf_span(const struct record_filler *f, uint32_t role, uint32_t unit)
{
    const th_page *page = f->o->page;
    uint32_t node = f->o->units[unit].node;
    while (node && f->reading->node_role[node] != role)
        node = page->nodes[node].parent;
    if (!node) /* known by its label: it is elsewhere */
        return run_span(f, unit);
    const th_node *n = &page->nodes[node];
    return (th_span){page->tokens[n->token + 1].start, page->tokens[n->token_end].start};
}

/* A value and its pieces. */
static bool fill_value(struct record_filler *f, uint32_t number, th_span span)
{
    const th__template_role *role = &f->roles->roles[number];
    if (role->name.ptr && !fill_span(f, role, span))
        return false;
    for (uint32_t i = number + 1; i < f->roles->count; i++) {
        const th__template_role *piece = &f->roles->roles[i];
        if (piece->kind < TH__ROLE_ATTRIBUTE || piece->parent != number)
            break;
        if (piece->kind != TH__ROLE_PIECE || !piece->name.ptr)
            continue;
        if (!fill_piece(f, piece, span))
            return false;
    }
    return true;
}

static bool fill_text(struct record_filler *f, uint32_t number, uint32_t unit)
{
    const th__template_role *role = &f->roles->roles[number];
    return fill_value(
        f, number, role->kind == TH__ROLE_ELEMENT ? leaf_span(f, number, unit) : run_span(f, unit));
}

static bool fill_attribute(struct record_filler *f, const th__template_role *role, uint32_t node)
{
    const th_page *page = f->o->page;
    const th__template_attribute *known = attribute_of(role);
    th_str value = {0};
    node = known ? th__template_attribute_node(page, node, known->tag) : 0;
    if (!node || !th_attr_get(page, page->nodes[node].token, known->name, &value))
        return true;
    value = th__str_trim(value);
    uint32_t start = (uint32_t)(value.ptr - page->text.ptr);
    th__buf_clear(&f->link);
    th__buf_clear(&f->text);
    if (!th__decode_refs(value, true, &f->link) ||
        (known->url && !th__url_resolve(page->base.ptr ? page->base : page->url,
                                        th__buf_str(&f->link), &f->text)))
        return false;
    if (value.len)
        fill_slot(f, role, th__buf_str(known->url ? &f->text : &f->link),
                  (th_span){start, start + (uint32_t)value.len});
    return true;
}

/* The attributes of an element are behind it among the roles. */
static bool fill_attributes(struct record_filler *f, uint32_t number, uint32_t node)
{
    for (uint32_t i = number + 1; i < f->roles->count; i++) {
        const th__template_role *role = &f->roles->roles[i];
        if (role->kind < TH__ROLE_ATTRIBUTE || role->parent != number)
            break;
        if (role->kind == TH__ROLE_ATTRIBUTE && role->name.ptr && !fill_attribute(f, role, node))
            return false;
    }
    return true;
}

/* All values of an element that is one line. */
static bool fill_whole(struct record_filler *f, uint32_t whole, uint32_t node)
{
    bool ok = true;
    for (uint32_t u = f->o->first_unit[node]; ok && u < f->o->end_unit[node]; u++) {
        uint32_t role = f->reading->unit_role[u];
        if (role < TH__ROLE_PART && f->roles->roles[role].use == TH__USE_DATA)
            ok = fill_span(f, &f->roles->roles[whole], run_span(f, u));
    }
    return ok;
}

static void begin_item(struct record_filler *f, uint32_t number)
{
    const th__template_role *role = &f->roles->roles[number];
    if (!role->name.ptr)
        return;
    th_value *slot = slot_of(f, role);
    f->items[number] = slot ? th_records_append(f->records, slot) : NULL;
}

/* Values in lines that begin in a text. */
static bool fill_hits(struct record_filler *f, uint32_t unit)
{
    const th__template_reading *reading = f->reading;
    for (uint32_t i = reading->unit_hit[unit] - 1;
         i < reading->hit_count && reading->hits[i].unit == unit; i++) {
        const th__template_hit *hit = &reading->hits[i];
        if (hit->row != TH__NO_ROLE && th__template_begins_item(&f->roles->roles[hit->row]))
            begin_item(f, hit->row);
        if (f->roles->roles[hit->role].use == TH__USE_DATA && !fill_value(f, hit->role, hit->span))
            return false;
    }
    return true;
}

static bool fill_unit(struct record_filler *f, uint32_t unit)
{
    if (f->reading->unit_hit && f->reading->unit_hit[unit])
        return fill_hits(f, unit);
    uint32_t role = f->reading->unit_role[unit];
    if (role < TH__ROLE_PART && f->roles->roles[role].lines)
        role = f->roles->other; /* an item that has no slot */
    if (role == TH__NO_ROLE && !th__key_map_get(&f->roles->texts, f->o->units[unit].hash))
        role = f->roles->other;
    return role >= TH__ROLE_PART || f->roles->roles[role].use != TH__USE_DATA ||
           f->roles->roles[role].kind == TH__ROLE_SLOT || fill_text(f, role, unit);
}

/* Elements that give something and texts, in the order of the page. */
static bool fill(struct record_filler *f)
{
    const th_page *page = f->o->page;
    uint32_t unit = 0;
    bool ok = true;
    for (uint32_t node = 1; ok && node < page->node_count; node++) {
        uint32_t number = f->reading->node_role[node];
        const th__template_role *role = number == TH__NO_ROLE ? NULL : &f->roles->roles[number];
        bool item = role && th__template_begins_item(role);
        if (!item && !(role && (role->has_attributes || role->whole)))
            continue;
        while (ok && unit < f->o->unit_count && f->o->units[unit].token < page->nodes[node].token)
            ok = fill_unit(f, unit++);
        if (item)
            begin_item(f, number);
        ok = ok && fill_attributes(f, number, node) &&
             (!role->whole || fill_whole(f, role->whole, node));
    }
    while (ok && unit < f->o->unit_count)
        ok = fill_unit(f, unit++);
    return ok;
}

th_status th__template_roles_run(const th__template_roles *roles, const th_schema *schema,
                                 const th_page *page, const th_records_source *source, double floor,
                                 th_records **out, th_error *err)
{
    th__arena arena;
    th__template_outline o;
    th__template_reading reading;
    struct record_filler f = {.roles = roles, .o = &o, .reading = &reading};
    th_status status = th_records_new(schema, source, &f.records, err);
    if (status)
        return status;
    th__arena_init(&arena);
    bool ok = th__template_outline_make(&arena, page, &roles->known, &o);
    ok = ok && th__template_roles_apply(roles, &o, &arena, &reading) &&
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

/* ---- columns that others repeat -------------------------------------------------------------- */

enum {
    MOST_PAGES = 64, /* that are compared: more would say the same */
    DIFFERENT = 3    /* values that two columns must share before it is no chance */
};

struct column_pruner {
    th__template_roles *roles;
    uint32_t members, pages;
    uint64_t *said;   /* by page and member: the hash of the values, 0 for none */
    uint32_t *fields; /* by member: the first role of a field, TH__NO_ROLE for a set */
};

static uint64_t hash_value(const th_value *value)
{
    uint64_t hash = 0;
    if (!value || value->kind == TH_VALUE_NULL)
        return 0;
    if (value->kind == TH_VALUE_TEXT)
        return th__hash(th__value_text(value).ptr, th__value_text(value).len) | 1;
    for (uint32_t i = 0; i < value->count; i++) /* the items of a list of texts */
        hash = th__hash_mix(hash, hash_value(th__value_item(value, i)));
    return hash;
}

static th_status read_page(struct column_pruner *p, const th_schema *schema, const th_page *page,
                           th_error *err)
{
    th_records *records = NULL;
    th_records_source source = {0};
    th_status status = th__template_roles_run(p->roles, schema, page, &source, 0, &records, err);
    if (status)
        return status;
    const th_value *tuple = records->values.len ? records->values.data[0] : NULL;
    for (uint32_t m = 0; tuple && m < p->members; m++)
        if (p->fields[m] != TH__NO_ROLE)
            p->said[(size_t)p->pages * p->members + m] = hash_value(th__value_item(tuple, m));
    p->pages++;
    th_records_free(records);
    return TH_OK;
}

static void find_fields(struct column_pruner *p)
{
    for (uint32_t m = 0; m < p->members; m++)
        p->fields[m] = TH__NO_ROLE;
    for (uint32_t i = p->roles->count; i-- > 1;) {
        const th__template_role *role = &p->roles->roles[i];
        if (role->name.ptr && role->set == TH__NO_ROLE && role->use == TH__USE_DATA &&
            role->kind != TH__ROLE_OTHER)
            p->fields[role->member] = i;
    }
}

/* All that a column says, and whether it says enough to know another by it. */
static uint64_t column_key(const struct column_pruner *p, uint32_t member, bool *enough)
{
    uint64_t key = 0, seen[DIFFERENT];
    uint32_t different = 0;
    for (uint32_t i = 0; i < p->pages; i++) {
        uint64_t said = p->said[(size_t)i * p->members + member];
        bool known = !said;
        key = th__hash_mix(key, said);
        for (uint32_t k = 0; k < different; k++)
            known |= seen[k] == said;
        if (!known && different < DIFFERENT)
            seen[different++] = said;
    }
    *enough = different == DIFFERENT;
    return different ? key | 1 : 0;
}

/* Which of two columns with the same values is kept: what is seen on the page, as it is there.
 */
static unsigned rank(const struct column_pruner *p, uint32_t member)
{
    const th__template_role *role = &p->roles->roles[p->fields[member]], *parent = role;
    while (parent->kind > TH__ROLE_TEXT && parent->kind != TH__ROLE_SLOT)
        parent = &p->roles->roles[parent->parent];
    bool head = th__str_eq(parent->tag, TH_STR("title")) || th__str_eq(parent->tag, TH_STR("meta"));
    unsigned kind = role->kind == TH__ROLE_ATTRIBUTE ? 1 : role->kind == TH__ROLE_PIECE ? 2 : 3;
    return head ? kind : kind + 3;
}

static void drop(struct column_pruner *p, uint32_t member)
{
    for (uint32_t i = 1; i < p->roles->count; i++) {
        th__template_role *role = &p->roles->roles[i];
        if (role->same == p->fields[member])
            role->name = (th_str){0};
    }
}

static bool drop_mirrored(struct column_pruner *p, th__arena *arena, bool *any)
{
    th__key_map first;
    if (!th__key_map_init(&first, arena, p->members))
        return false;
    for (uint32_t m = 0; m < p->members; m++) {
        bool enough;
        uint64_t key = p->fields[m] == TH__NO_ROLE ? 0 : column_key(p, m, &enough);
        if (!key || !enough)
            continue;
        uint32_t other = th__key_map_get(&first, key);
        *any |= other > 0;
        if (other && rank(p, other - 1) >= rank(p, m)) {
            drop(p, m);
            continue;
        }
        if (other)
            drop(p, other - 1);
        th__key_map_put(&first, key, m + 1);
    }
    return true;
}

th_status th__template_roles_prune(th__template_roles *roles, const th_page *const *pages,
                                   uint32_t count, th_schema **schema, th_error *err)
{
    struct column_pruner p = {.roles = roles};
    th__arena arena;
    bool any = false;
    p.members = (uint32_t)th_type_count(th_schema_root(*schema));
    count = count < MOST_PAGES ? count : MOST_PAGES;
    th__arena_init(&arena);
    p.said = th__arena_zero(&arena, (size_t)count * p.members + 1, sizeof *p.said);
    p.fields = th__arena_zero(&arena, p.members + 1, sizeof *p.fields);
    th_status status = p.said && p.fields ? TH_OK : th__fail_memory(err);
    if (!status)
        find_fields(&p);
    for (uint32_t i = 0; !status && i < count; i++)
        status = read_page(&p, *schema, pages[i], err);
    if (!status && !drop_mirrored(&p, &arena, &any))
        status = th__fail_memory(err);
    th__arena_release(&arena);
    if (status || !any)
        return status;
    th_schema_free(*schema);
    *schema = NULL;
    return th__template_roles_schema(roles, schema, err);
}

/* ---- the template for people -------------------------------------------------------------------
 *
 *     <table .facts>
 *       <tr> Maker:                   a row known by its label
 *         <td> *maker = Hallam | -
 *       {<li>}                        items of a set
 *         *tags = city, used | -
 *
 * An optional role has a question mark behind it. */

static void print_step(const th__template_role *role, th__buf *out)
{
    th__buf_printf(out, "<%.*s", TH_STR_ARG(role->tag));
    if (role->cls.ptr)
        th__buf_printf(out, " .%.*s", TH_STR_ARG(role->cls));
    if (role->id.ptr)
        th__buf_printf(out, " #%.*s", TH_STR_ARG(role->id));
    th__buf_add_byte(out, '>');
}

/* A text of the page on one line. */
static void print_text(th_str text, th__buf *out)
{
    if (!text.ptr)
        return;
    th__buf_add_byte(out, ' ');
    for (size_t i = 0; i < text.len; i++)
        th__buf_add_byte(out, (unsigned char)text.ptr[i] < ' ' ? ' ' : text.ptr[i]);
}

/* What the role is, without its value. */
static void print_role(const th__template_roles *roles, const th__template_role *role, th__buf *out)
{
    bool optional = role->support && role->support < roles->pages;
    if (role->list)
        th__buf_add_byte(out, '{');
    if (role->kind == TH__ROLE_ELEMENT)
        print_step(role, out);
    if (role->kind == TH__ROLE_ATTRIBUTE)
        th__buf_printf(out, "@%.*s", TH_STR_ARG(role->tag));
    if (role->told == TH__ROLE_BY_INSIDE || role->told == TH__ROLE_BY_SECTION ||
        role->told == TH__ROLE_BY_PREFIX || role->told == TH__ROLE_BY_AFTER ||
        role->kind == TH__ROLE_PIECE || role->kind == TH__ROLE_SLOT)
        print_text(role->label, out);
    if (role->gap.ptr && role->ordinal != TH__NO_ROLE)
        th__buf_printf(out, "%u of %.*s", role->ordinal + 1, TH_STR_ARG(role->gap));
    else if (role->gap.ptr)
        th__buf_printf(out, "all of %.*s", TH_STR_ARG(role->gap));
    if (role->use == TH__USE_TEMPLATE)
        print_text(role->text, out);
    if (role->list)
        th__buf_add_byte(out, '}');
    if (optional)
        th__buf_add_byte(out, '?');
}

/* The way from the record to the field of a role: the sets around it, outermost first. */
static size_t find_way(const th__template_roles *roles, uint32_t role, uint32_t *way)
{
    size_t depth = 0;
    for (uint32_t r = role; r != TH__NO_ROLE; r = roles->roles[r].set) {
        if (depth == TH_SCHEMA_MAX_DEPTH)
            return 0;
        memmove(way + 1, way, depth * sizeof *way);
        way[0] = roles->roles[r].member;
        depth++;
    }
    return depth;
}

void th__template_roles_print(const th__template_roles *roles, const th_records *const *pages,
                              size_t count, th__buf *out)
{
    uint32_t way[TH_SCHEMA_MAX_DEPTH + 1];
    for (uint32_t i = 1; i < roles->count; i++) {
        const th__template_role *role = &roles->roles[i];
        unsigned depth = 1;
        for (uint32_t up = role->parent; up; up = roles->roles[up].parent)
            depth++;
        bool part = role->kind == TH__ROLE_ATTRIBUTE || role->kind == TH__ROLE_PIECE;
        if (role->inner || (part && !role->name.ptr))
            continue;
        th__buf_printf(out, "%*s", (int)(2 * depth), "");
        size_t start = out->len;
        print_role(roles, role, out);
        if (role->use == TH__USE_DATA && role->name.ptr) {
            th__buf_printf(out, "%s*%.*s", out->len > start ? " " : "", TH_STR_ARG(role->name));
            th__show_values(pages, count, way, find_way(roles, i, way), out);
        }
        th__buf_add_byte(out, '\n');
    }
}
