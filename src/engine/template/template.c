/*
 * template.c: the template behind pages of one kind, and the data that it was filled with, without
 * any labels.
 *
 * The idea
 * --------
 * A page of a shop is a frame that is the same on all pages, filled with other data. Here the frame
 * is a tree of roles (template_roles.h): a role is found by what is at hand (parent, tag, class,
 * label), not by counting, so that optional rows in any order keep their columns, rare ones too,
 * and a surprise on an unseen page stays where it is. The engine exalg looks for the same with
 * strings of tokens, as its paper does; texts stay whole here, whatever words they share.
 *
 *     <h1>Marlin</h1>  <table><tr><th>Maker:<td>Hallam  <tr><th>Gears:<td>3       page 1
 *     <h1>Linden</h1>  <table><tr><th>Gears:<td>5                                 page 2
 *
 *     <h1> *title      <table> <tr> Maker:? *maker      <tr> Gears: *gears        the template
 *
 * The files
 * ---------
 *     template_page     a page as elements, texts and parts of texts; parts go into slots
 *     template_learn    which roles there are, which of them are data, and which are one field
 *     template_lines    which slots the parts of lines need
 *     template_roles    roles on a page
 *     this one          names of fields, the schema, the records of a page, the template in print,
 *                       roles in a wrapper file
 *
 * Cost
 * ----
 * Learning and running are linear in the pages.
 */
#include "engine/template/template_roles.h"

#include "base/error.h"
#include "base/intern.h"
#include "base/mem.h"
#include "data/record.h"
#include "data/schema.h"
#include "engine/one_template.h"
#include "engine/template/template_learn.h"
#include "page/charref.h"
#include "page/tags.h"
#include "page/text.h"
#include "page/url.h"
#include "table/column_names.h"
#include "wrapper/rule_table.h"

/*
 * What the roles give: fields with names, a schema, the values of a page, and the template for
 * people to read.
 *
 * Columns that add nothing are left out: those that on every page learnt from only repeat
 * another column (the title of the page and its heading, metadata, the parts of a text that is
 * alone elsewhere), or never anything. The template is run on the pages and the columns are
 * compared as they would come out, whatever they are made of. The roles stay, since they explain
 * their texts, but they are no longer fields.
 */

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
    enum { LONGEST = 48 }; /* longer texts are sentences, not names */
    th__buf_clear(&n->text);
    if (!text.ptr || text.len > LONGEST)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '&') /* a character reference ends the name */
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

/* Returns true if a text of the template is a label, not a heading or a slogan: it ends like one,
 * or its element is one for labels. */
static bool is_label(const th__template_role *role)
{
    static const char *const tags[] = {"th",   "td", "dt", "b", "strong", "label",
                                       "span", "i",  "em", "u", "font"};
    if (th__ends_with_colon(role->text))
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

/* An attribute is named after the element that it belongs to: price_url, cover_image. */
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

/* Tries the role, then the roles above it, as long as they hold no other value. */
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
    /* A page title is named after its element: it begins with the name of the site. A text with
     * a label in it is named after that, with "_text"; the piece has the name itself. */
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

/* Names are unique within one set; the second role with the same name gets a number. */
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

/* Marks sets that hold data. */
static void mark_sets(const th__template_roles *r, bool *holds)
{
    for (uint32_t i = r->count; i-- > 1;) {
        const th__template_role *role = &r->roles[i];
        bool data = role->use == TH__USE_DATA || (role->list && holds[i]);
        if (data && role->set != TH__NO_ROLE)
            holds[role->set] = true;
    }
}

/* Names roles that are data, and sets that hold any: after the text of the template beside them,
 * their id, class or tag, or with numbers. False if out of memory. */
static bool name_roles(th__template_roles *r, th__arena *arena)
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

/* The members of a set's item, or of the page: roles with a name, in order. Sets nest as deep as
 * roles do; a schema refuses more than TH_SCHEMA_MAX_DEPTH. */
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
        uint32_t inside = i + 1; /* preorder: its descendants follow it */
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

static th_status make_schema(th__template_roles *roles, th_schema **out, th_error *err)
{
    th_status status = th_schema_new(out, err);
    if (status)
        return status;
    /* By field: the pages that have it. Roles of one field never share a page. */
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

/* Sets a field to the text of a span, unless it is set already or the text is empty. */
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

/* A piece of a text: what follows a label, the n-th piece between gaps, or all pieces. */
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

/* A text with its inner markup and a sign that ends it: "Six <i>crossings</i>." */
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

/* Everything in a leaf, including signs before and after its words. */
static th_span leaf_span(const struct record_filler *f, uint32_t role, uint32_t unit)
{
    const th_page *page = f->o->page;
    uint32_t node = f->o->units[unit].node;
    while (node && f->reading->node_role[node] != role)
        node = page->nodes[node].parent;
    if (!node) /* identified by its label: it is somewhere else */
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

/* The roles of an element's attributes follow its own. */
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
    enum { MOST = 64 }; /* texts of a line; a wrapper edited by hand may nest lines */
    uint32_t first = f->o->first_unit[node], end = f->o->end_unit[node];
    bool ok = true;
    for (uint32_t u = first; ok && u < end && u < first + MOST; u++) {
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

/* Visits elements that hold values, and texts, in the order of the page. */
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

/* The record of a page; none if less than `floor` of the page is explained. */
static th_status run_roles(const th__template_roles *roles, const th_schema *schema,
                           const th__template_outline *o, const th_records_source *source,
                           double floor, th_records **out, th_error *err)
{
    th__arena arena;
    th__template_reading reading;
    struct record_filler f = {.roles = roles, .o = o, .reading = &reading};
    th_status status = th_records_new(schema, source, &f.records, err);
    if (status)
        return status;
    th__arena_init(&arena);
    bool ok = th__template_roles_apply(roles, o, &arena, &reading) &&
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
    MOST_PAGES = 64, /* pages compared: more would not change the answer */
    DIFFERENT = 3    /* values that two columns must share: fewer may agree by chance */
};

struct column_pruner {
    th__template_roles *roles;
    uint32_t members, pages;
    uint64_t *said;   /* by page and member: the hash of its values, 0 for none */
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

static th_status read_page(struct column_pruner *p, const th_schema *schema,
                           const th__template_outline *o, double *explained, th_error *err)
{
    th_records *records = NULL;
    th_records_source source = {0};
    th_status status = run_roles(p->roles, schema, o, &source, 0, &records, err);
    if (status)
        return status;
    const th_value *tuple = records->values.len ? records->values.data[0] : NULL;
    for (uint32_t m = 0; tuple && p->pages < MOST_PAGES && m < p->members; m++)
        if (p->fields[m] != TH__NO_ROLE)
            p->said[(size_t)p->pages * p->members + m] = hash_value(th__value_item(tuple, m));
    p->pages += p->pages < MOST_PAGES;
    *explained = records->explained;
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

/* The hash of a column's values, and whether there are enough of them to compare columns by it. */
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

/* Of two columns with the same values, the higher rank is kept: visible text, unchanged. */
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

/* Runs the template on the pages it was learnt from and measures how much of them it explains.
 * Removes the names of fields that only repeat others, and rebuilds the schema. */
static th_status read_pages(const th__page_sample *s, const th__template_outline *outlines,
                            th__template_roles *roles, th_schema **schema, th_error *err)
{
    struct column_pruner p = {.roles = roles};
    th__arena arena;
    bool any = false;
    p.members = (uint32_t)th_type_count(th_schema_root(*schema));
    th__arena_init(&arena);
    p.said = th__arena_zero(&arena, (size_t)MOST_PAGES * p.members + 1, sizeof *p.said);
    p.fields = th__arena_zero(&arena, p.members + 1, sizeof *p.fields);
    th_status status = p.said && p.fields ? TH_OK : th__fail_memory(err);
    if (!status)
        find_fields(&p);
    for (uint32_t i = 0; !status && i < s->count; i++) {
        status = th__cancel_check(s->cancel, err);
        if (!status)
            status = read_page(&p, *schema, &outlines[i], &s->explained[i], err);
    }
    if (!status && !drop_mirrored(&p, &arena, &any))
        status = th__fail_memory(err);
    th__arena_release(&arena);
    if (status || !any)
        return status;
    th_schema_free(*schema);
    *schema = NULL;
    return make_schema(roles, schema, err);
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

/* Prints a text of the page on one line. */
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

/* Prints the template, one role per line, with the values of pages beside the data. */
static void print_roles(const th__template_roles *roles, const th_records *const *pages,
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

/* Roles in a wrapper file. The reader checks them against the schema. */

static const char *const kinds[] = {"element", "text", "attribute", "piece",
                                    "other",   "slot", "whole",     NULL};
static const char *const tellers[] = {"place", "itself", "section", "inside",
                                      "shape", "prefix", "after",   NULL};
static const char *const uses[] = {"structure", "template", "data", NULL};

/* ---- traits of the values of a slot: how many values have which ------------------------------ */

static void write_traits(const void *root, const void *object, th__json *json)
{
    const th__template_slot *slot = object;
    th__json_key(json, TH_STR("traits"));
    th__json_begin_object(json);
    for (unsigned kind = 0; kind < TH__TRAITS; kind++) {
        if (!slot->traits[kind].sum)
            continue;
        th__json_key(json, th_str_from(th__template_trait_names[kind]));
        th__json_begin_object(json);
        th__json_put_uint(json, "values", slot->traits[kind].sum);
        th__json_put_uint(json, "different", slot->traits[kind].types);
        th__json_key(json, TH_STR("seen"));
        th__json_begin_object(json);
        for (uint32_t i = 0; i < slot->traits[kind].count; i++) {
            th__json_key(json, slot->traits[kind].items[i].text);
            th__json_uint(json, slot->traits[kind].items[i].count);
        }
        th__json_end_object(json);
        th__json_end_object(json);
    }
    th__json_end_object(json);
}

static th_status read_seen(th__rule_reader *reader, json_t *seen, th__template_slot *slot,
                           unsigned kind)
{
    const char *text;
    json_t *count;
    uint32_t at = 0;
    if (json_object_size(seen) > TH__MAX_TRAITS)
        return th__rule_fault(reader, "seen: has more than %d entries", TH__MAX_TRAITS);
    th__template_trait *items =
        th__arena_zero(reader->arena, json_object_size(seen) + 1, sizeof *items);
    if (!items)
        return th__fail_memory(reader->err);
    slot->traits[kind].items = items;
    json_object_foreach(seen, text, count)
    {
        json_int_t times = json_is_integer(count) ? json_integer_value(count) : 0;
        if (times < 1 || times > slot->traits[kind].sum)
            return th__rule_fault(reader, "seen: must be numbers from 1 to those of values");
        items[at].text = th__arena_copy(reader->arena, th_str_from(text));
        if (!items[at].text.ptr)
            return th__fail_memory(reader->err);
        items[at].hash = th__hash(items[at].text.ptr, items[at].text.len) | 1;
        items[at++].count = (uint32_t)times;
    }
    slot->traits[kind].count = at;
    return TH_OK;
}

static th_status read_trait(th__rule_reader *reader, json_t *json, th__template_slot *slot,
                            unsigned kind)
{
    json_t *trait = NULL, *seen = NULL;
    uint64_t values = 0, types = 0;
    th_status status = th__rule_object(reader, json, th__template_trait_names[kind], false, &trait);
    if (status || !trait)
        return status;
    size_t mark = th__rule_enter(reader, th__template_trait_names[kind]);
    status = th__rule_number(reader, trait, "values", true, INT32_MAX, &values);
    if (!status)
        status = th__rule_number(reader, trait, "different", true, INT32_MAX, &types);
    if (!status)
        status = th__rule_object(reader, trait, "seen", true, &seen);
    slot->traits[kind].sum = (uint32_t)values;
    slot->traits[kind].types = types ? (uint32_t)types : 1; /* it is a divisor */
    if (!status)
        status = read_seen(reader, seen, slot, kind);
    th__rule_leave(reader, mark);
    return status;
}

static th_status read_traits(th__rule_reader *reader, json_t *json, void *slot)
{
    json_t *traits = NULL;
    th_status status = th__rule_object(reader, json, "traits", true, &traits);
    size_t mark = th__rule_enter(reader, "traits");
    for (unsigned kind = 0; !status && kind < TH__TRAITS; kind++)
        status = read_trait(reader, traits, slot, kind);
    th__rule_leave(reader, mark);
    return status;
}

static th_status check_slot(th__rule_reader *reader, void *object)
{
    const th__template_slot *slot = object;
    return slot->present <= slot->total
               ? TH_OK
               : th__rule_fault_in(reader, "present", "must be at most the total");
}

static const th__rule_member slot_members[] = {
    {TH__FLAG("rows", th__template_slot, set)},
    {TH__UINT("present", th__template_slot, present, 0, INT32_MAX), .flags = TH__NEEDED},
    {TH__UINT("total", th__template_slot, total, 0, INT32_MAX), .flags = TH__NEEDED},
    {TH__OWN("traits", read_traits, write_traits)},
};
static const th__rule_shape slot_shape =
    TH__CHECKED_SHAPE(th__template_slot, slot_members, check_slot);

static const th__rule_member lines_members[] = {
    {TH__TEXT("gap", th__template_lines, gap), .flags = TH__NEEDED},
    {TH__TEXT("tail", th__template_lines, tail), .flags = TH__EMPTY},
    {TH__FLAG("rows", th__template_lines, rows)},
    {TH__FLAG("items", th__template_lines, items)},
};
static const th__rule_shape lines_shape = TH__SHAPE(th__template_lines, lines_members);

/* ---- roles ----------------------------------------------------------------------------------- */

static uint32_t index_of(const th__rule_reader *reader, const th__template_role *role)
{
    return (uint32_t)(role - ((const th__template_roles *)reader->root)->roles);
}

/* Reads a reference to a role, which must come before the one that refers to it. */
static uint64_t before(const th__rule_reader *reader, const void *role)
{
    uint32_t index = index_of(reader, role);
    return index ? index - 1 : 0;
}

static bool is_above(const th__template_roles *roles, uint32_t above, uint32_t role)
{
    while (role > above)
        role = roles->roles[role].parent;
    return role == above;
}

/* Returns true if a role may be inside another. */
static bool is_held(const th__template_role *role, const th__template_role *parent)
{
    bool text = parent->kind <= TH__ROLE_TEXT || parent->kind == TH__ROLE_SLOT;
    if (role->kind == TH__ROLE_PIECE)
        return parent->use == TH__USE_DATA && text && (role->label.ptr || role->gap.len);
    if (role->kind == TH__ROLE_SLOT)
        return role->slot &&
               (parent->lines || (parent->kind == TH__ROLE_SLOT && parent->slot->set &&
                                  parent->list && parent->use == TH__USE_STRUCTURE));
    return parent->kind == TH__ROLE_ELEMENT;
}

/* Checks a role without looking at the others. */
static th_status check_role(th__rule_reader *reader, const th__template_role *role, uint32_t index)
{
    bool labelled = role->told == TH__ROLE_BY_ITSELF || role->told == TH__ROLE_BY_SECTION ||
                    role->told == TH__ROLE_BY_INSIDE || role->told == TH__ROLE_BY_PREFIX;
    const th__template_roles *roles = reader->root;
    if (!index)
        return role->name.ptr || role->list || role->leaf || role->use != TH__USE_STRUCTURE
                   ? th__rule_fault(reader, "the first role is the page itself")
                   : TH_OK;
    if ((role->kind == TH__ROLE_ELEMENT || role->kind == TH__ROLE_ATTRIBUTE) && !role->tag.ptr)
        return th__rule_fault(reader, "an element needs a tag, an attribute its name there");
    if (role->kind > TH__ROLE_TEXT && role->kind != TH__ROLE_SLOT && role->use != TH__USE_DATA)
        return th__rule_fault(reader, "use: is always data");
    if (labelled && !role->label.ptr)
        return th__rule_fault(reader, "by %s needs a label", tellers[role->told]);
    if (!is_held(role, &roles->roles[role->parent]))
        return th__rule_fault(
            reader, "in: only elements contain others, data its pieces, and lines or rows slots");
    if (role->name.ptr && role->use != TH__USE_DATA &&
        !(role->list && (role->kind == TH__ROLE_ELEMENT || role->kind == TH__ROLE_SLOT)))
        return th__rule_fault(reader, "field: only data and sets of elements have one");
    if (role->set != TH__NO_ROLE &&
        (!is_above(roles, role->set, role->parent) || !roles->roles[role->set].list))
        return th__rule_fault(reader, "of: must be a set around the role");
    if (role->use == TH__USE_DATA && role->kind == TH__ROLE_ELEMENT && !role->leaf)
        return th__rule_fault(reader, "use: an element with data is a leaf");
    return TH_OK;
}

/* Limits slots, so that no wrapper makes a page cost more than slots times parts. */
static th_status count_slots(th__rule_reader *reader, const th__template_role *role)
{
    const th__template_roles *roles = reader->root;
    if (role->kind != TH__ROLE_SLOT)
        return TH_OK;
    return ++roles->roles[role->parent].held.count <= TH__MAX_SLOTS
               ? TH_OK
               : th__rule_fault(reader, "in: more than %d slots are there", TH__MAX_SLOTS);
}

static th_status check_role_of(th__rule_reader *reader, void *object)
{
    th__template_role *role = object;
    uint32_t index = index_of(reader, role);
    if (index && role->parent == TH__NO_ROLE)
        return th__rule_fault_in(reader, "in", "is missing: the number of a role before it");
    th_status status = check_role(reader, role, index);
    if (!status && index)
        status = count_slots(reader, role);
    if (role->told == TH__ROLE_BY_ITSELF)
        role->text = role->label;
    return status;
}

static th_status check_lines(th__rule_reader *reader, void *role)
{
    return ((th__template_role *)role)->kind == TH__ROLE_ELEMENT
               ? TH_OK
               : th__rule_fault(reader, "only elements have any");
}

static const th__rule_member after_members[] = {
    {TH__TEXT("tag", th__template_role, after_tag), .flags = TH__NEEDED | TH__EMPTY},
    {TH__TEXT("class", th__template_role, after_cls), .flags = TH__EMPTY},
    {TH__TEXT("id", th__template_role, after_id), .flags = TH__EMPTY},
};
static const th__rule_shape after_shape = TH__SHAPE(th__template_role, after_members);

static const th__rule_member beside_members[] = {
    {TH__TEXT("label", th__template_role, beside), .flags = TH__NEEDED | TH__EMPTY},
    {TH__TEXT("tag", th__template_role, beside_tag), .flags = TH__NEEDED | TH__EMPTY},
    {TH__TEXT("class", th__template_role, beside_cls), .flags = TH__EMPTY},
    {TH__TEXT("id", th__template_role, beside_id), .flags = TH__EMPTY},
};
static const th__rule_shape beside_shape = TH__SHAPE(th__template_role, beside_members);

static const th__rule_member role_members[] = {
    {TH__UINT("in", th__template_role, parent, 0, 0), .limit = before, .none = TH__NO_ROLE},
    {TH__WORD("kind", th__template_role, kind, kinds), .flags = TH__ALWAYS},
    {TH__TEXT("tag", th__template_role, tag), .flags = TH__EMPTY},
    {TH__TEXT("class", th__template_role, cls), .flags = TH__EMPTY},
    {TH__TEXT("id", th__template_role, id), .flags = TH__EMPTY},
    {TH__WORD("by", th__template_role, told, tellers)},
    {TH__TEXT("label", th__template_role, label), .flags = TH__EMPTY},
    {TH__TEXT("gap", th__template_role, gap), .flags = TH__EMPTY},
    {TH__UINT("number", th__template_role, ordinal, 0, TH__MAX_ORDINAL), .none = TH__NO_ROLE},
    {TH__HASH("shape", th__template_role, shape), .flags = TH__ALWAYS,
     TH__ONLY_IF(th__template_role, told, 1 << TH__ROLE_BY_SHAPE)},
    {TH__FLAG("set", th__template_role, list)},
    {TH__FLAG("leaf", th__template_role, leaf)},
    {TH__FLAG("heading", th__template_role, heading)},
    {TH__FLAG("inner", th__template_role, inner)},
    {TH__WORD("use", th__template_role, use, uses)},
    {TH__TEXT("text", th__template_role, text), .flags = TH__EMPTY,
     TH__ONLY_IF(th__template_role, told, ~(1u << TH__ROLE_BY_ITSELF))},
    {TH__TEXT("field", th__template_role, name), .flags = TH__EMPTY | TH__FIELD_NAME},
    {TH__FLAG("many", th__template_role, many)},
    {TH__UINT("of", th__template_role, set, 0, 0), .limit = before, .none = TH__NO_ROLE},
    {TH__GROUP("after", after_shape)},
    {TH__GROUP("beside", beside_shape)},
    {TH__POINTER("lines", th__template_role, lines, lines_shape), .check = check_lines},
    {TH__POINTER("slot", th__template_role, slot, slot_shape),
     TH__ONLY_IF(th__template_role, kind, 1 << TH__ROLE_SLOT), .flags = TH__NEEDED},
    {TH__UINT("pages", th__template_role, support, 0, UINT32_MAX), .flags = TH__ALWAYS},
};
static const th__rule_shape role_shape =
    TH__CHECKED_SHAPE(th__template_role, role_members, check_role_of);

/* ---- against the schema ---------------------------------------------------------------------- */

static const th_type *behind_optional(const th_type *type)
{
    return type->kind == TH_TYPE_OPTIONAL ? type->children[0] : type;
}

/* The tuple of a set's items, or of the page; NULL if the schema has none there. */
static const th_type *tuple_of(const th_type *member)
{
    const th_type *type = member->kind == TH_TYPE_LIST ? member->children[0] : member;
    return type->kind == TH_TYPE_TUPLE ? type : NULL;
}

static th_status find_member(th__rule_reader *reader, th__template_role *role,
                             const th_type **tuples, uint32_t index)
{
    const th_type *tuple = role->set == TH__NO_ROLE ? tuples[0] : tuples[role->set];
    for (uint32_t m = 0; tuple && m < tuple->count; m++) {
        const th_type *type = behind_optional(tuple->children[m]);
        if (!th__str_eq(tuple->keys[m].names[0], role->name))
            continue;
        role->member = m;
        tuples[index] = role->use == TH__USE_DATA ? NULL : tuple_of(type);
        const th_type *inner = type->kind == TH_TYPE_LIST ? type->children[0] : type;
        bool fits =
            (type->kind == TH_TYPE_LIST) == (role->use == TH__USE_DATA ? role->many : role->list) &&
            (role->use == TH__USE_DATA ? inner->kind == TH_TYPE_FIELD : tuples[index] != NULL);
        return fits ? TH_OK : th__rule_fault(reader, "field: the schema has another type there");
    }
    return th__rule_fault(reader, "field: the schema has no \"%.*s\" there",
                          TH_STR_ARG(role->name));
}

static th_status hold_against(th__rule_reader *reader, void *object)
{
    const th_schema *schema = reader->schema;
    th__template_roles *roles = object;
    const th_type **tuples = th__arena_zero(reader->arena, roles->count + 1, sizeof *tuples);
    th_status status = TH_OK;
    if (!tuples)
        return th__fail_memory(reader->err);
    if (!th__template_roles_prepare(roles, reader->arena))
        return th__fail_memory(reader->err);
    if (schema->root->kind != TH_TYPE_TUPLE)
        return th__rule_fault(reader, "the schema of a page of roles is a tuple");
    tuples[0] = schema->root;
    for (uint32_t i = 1; !status && i < roles->count; i++) {
        if (!roles->roles[i].name.ptr)
            continue;
        size_t mark = th__rule_enter_item(reader, i);
        status = find_member(reader, &roles->roles[i], tuples, i);
        th__rule_leave(reader, mark);
    }
    return status;
}

static const th__rule_member roles_members[] = {
    {TH__UINT("pages", th__template_roles, pages, 0, UINT32_MAX), .flags = TH__NEEDED},
    {TH__FLAG("placeholders", th__template_roles, placeholders)},
    {TH__LIST("names", th__template_roles, names, name_count, th__texts_shape, 0, TH__MAX_ROLES),
     .flags = TH__NEEDED},
    {TH__LIST("roles", th__template_roles, roles, count, role_shape, 1, TH__MAX_ROLES),
     .flags = TH__NEEDED, .check = hold_against},
};
static const th__rule_shape roles_shape = TH__SHAPE(th__template_roles, roles_members);

/* ---- the engine ------------------------------------------------------------------------------ */

struct template_rules {
    th__template_roles roles; /* first: template_json.c casts the rules to it */
    double floor;             /* a page that is explained less belongs to another template */
};

static th_status learn_sample(th__page_sample *s, th_schema **schema, th_error *err)
{
    th__template_roles *roles = &((struct template_rules *)s->rules)->roles;
    th__arena scratch;
    th__arena_init(&scratch);
    th__template_outline *outlines;
    bool ok = th__template_roles_learn(s->support, s->cancel, s->pages, s->count, &scratch,
                                       &outlines, s->arena, roles) &&
              name_roles(roles, s->arena);
    th_status status = ok ? make_schema(roles, schema, err) : th__fail_memory(err);
    if (!status)
        status = read_pages(s, outlines, roles, schema, err);
    th__arena_release(&scratch);
    if (!status) /* texts without a role are not a field yet */
        s->fields = (uint32_t)th_type_count(th_schema_root(*schema)) - 1;
    return status;
}

static th_status learn_corpus(const th_learn_options *options, const th__corpus *corpus,
                              th__arena *arena, th_schema **schema, void **out, th_error *err)
{
    struct template_rules *rules = *out = th__arena_zero(arena, 1, sizeof *rules);
    if (!rules)
        return th__fail_memory(err);
    return th__one_template_learn("template", learn_sample, options, corpus, rules, arena,
                                  &rules->floor, schema, err);
}

static th_status run(const void *context, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err)
{
    const struct template_rules *rules = context;
    th__template_outline outline;
    th__arena arena;
    th__arena_init(&arena);
    th_status status =
        th__template_outline_make(&arena, page, &rules->roles.known, &outline)
            ? run_roles(&rules->roles, schema, &outline, source, rules->floor, out, err)
            : th__fail_memory(err);
    th__arena_release(&arena);
    return status;
}

static const th__rule_member rules_members[] = {
    {TH__REAL("floor", struct template_rules, floor, 0, 1), .flags = TH__ALWAYS},
    {TH__OBJECT("page", struct template_rules, roles, roles_shape), .flags = TH__NEEDED},
};
static const th__rule_shape rules_shape = TH__SHAPE(struct template_rules, rules_members);

/* The name of the set that a role is part of; absent outside of sets. */
static th_str set_name(const th__template_roles *roles, uint32_t role)
{
    uint32_t set = roles->roles[role].set;
    return set == TH__NO_ROLE ? (th_str){0} : roles->roles[set].name;
}

/* Sets come before their members: renaming from the last role on sees the old names of sets. A
 * field is removed with any of the sets around it. */
static void rename_fields(void *context, th__rename_fn rename, void *names)
{
    th__template_roles *roles = &((struct template_rules *)context)->roles;
    for (uint32_t i = roles->count; i-- > 0;) {
        th_str *name = &roles->roles[i].name, to = {0};
        if (!name->ptr)
            continue;
        for (uint32_t set = i; set != TH__NO_ROLE && !(to.ptr && !to.len);
             set = roles->roles[set].set) {
            th_str own = rename(names, set_name(roles, set), roles->roles[set].name);
            to = set == i || (own.ptr && !own.len) ? own : to;
        }
        if (to.ptr)
            *name = to.len ? to : (th_str){0};
    }
}

static void show_template(const void *context, const th_records *const *pages, size_t count,
                          th__buf *out)
{
    const struct template_rules *rules = context;
    print_roles(&rules->roles, pages, count, out);
}

static void explain(const void *context, th__buf *out)
{
    th__buf_printf(out, "template\n");
    show_template(context, NULL, 0, out);
}

const th__engine th__template_engine = {
    .name = "template",
    .former_name = "exalg",
    .former_member = "page",
    .learn_corpus = learn_corpus,
    .run = run,
    .shape = &rules_shape,
    .explain = explain,
    .rename = rename_fields,
    .drops_fields = true,
    .show_template = show_template,
};
