/* exalg_roles.c: what follows from the roles as written, and how they are found on a page. */
#include "engine/exalg/exalg_roles.h"

#include "base/str.h"
#include "page/tags.h"

uint64_t th__exalg_shape(const th__exalg_outline *o, uint32_t node)
{
    uint64_t shape = 0, last = 0;
    const th_node *nodes = o->page->nodes;
    for (uint32_t c = node + 1; c < nodes[node].end; c = nodes[c].end) {
        uint64_t step = th__exalg_node_step(o, c);
        for (unsigned k = 0; step != last && k < 4; k++)
            shape |= UINT64_C(1) << (step >> 6 * k & 63); /* a small filter: up to 4 bits a step */
        last = step;
    }
    return shape;
}

void th__exalg_outline_know(th__exalg_outline *o, const th__key_map *known)
{
    for (uint32_t n = 0; n < o->page->node_count; n++) {
        if (o->cls[n] && !th__key_map_get(known, o->cls[n]))
            o->cls[n] = 0;
        if (o->id[n] && !th__key_map_get(known, o->id[n]))
            o->id[n] = 0;
    }
}

/* ---- what follows ---------------------------------------------------------------------------- */

/* Of the texts of an element: see th__exalg_whole. */
static uint64_t text_hash(th_str text)
{
    uint64_t sum = 0;
    bool readable = false;
    for (size_t at = 0; at < text.len;) {
        size_t start = at;
        while (at < text.len && text.ptr[at] != TH__EXALG_BETWEEN)
            at++;
        sum += th__exalg_text_hash((th_str){text.ptr + start, at - start}, &readable);
        at++;
    }
    return sum;
}

static uint64_t cell_key(const th__exalg_role *role)
{
    uint64_t hash = role->told == TH__EXALG_BY_SHAPE ? role->shape : role->label_hash;
    return th__exalg_cell_key(role->parent, role->step, role->told, hash);
}

/* How much a role counts when it is told how much of the template is there: texts of the template
 * outside of sets that at least half of the pages have, by how many do. */
static double expectation(const th__exalg_roles *roles, const th__exalg_role *role)
{
    bool counts = role->use == TH__EXALG_TEMPLATE && !role->list &&
                  role->set == TH__EXALG_NO_ROLE && role->support * 2 >= roles->pages;
    return counts && roles->pages ? (double)role->support / roles->pages : 0;
}

static uint64_t heading_key(uint32_t parent, uint64_t step)
{
    return th__exalg_cell_key(parent, step, TH__EXALG_BY_ITSELF, 0);
}

static uint64_t inner_key(uint32_t parent, uint64_t step)
{
    return th__exalg_cell_key(parent, step, TH__EXALG_BY_PLACE, 1);
}

bool th__exalg_roles_prepare(th__exalg_roles *r, th__arena *arena)
{
    r->cell_count = 0;
    r->other = TH__EXALG_NO_ROLE;
    if (!th__key_map_init(&r->known, arena, r->name_count) ||
        !th__key_map_init(&r->cells, arena, r->count) ||
        !th__key_map_init(&r->places, arena, r->count) ||
        !th__key_map_init(&r->labels, arena, 2 * r->count) ||
        !th__key_map_init(&r->anchors, arena, r->count) ||
        !th__key_map_init(&r->texts, arena, 2 * r->count))
        return false;
    for (uint32_t i = 0; i < r->name_count; i++)
        th__key_map_put(&r->known, th__exalg_name_hash(r->names[i]), 1);
    for (uint32_t i = 1; i < r->count; i++) {
        th__exalg_role *role = &r->roles[i];
        role->step = role->kind == TH__EXALG_ELEMENT
                         ? th__exalg_step(th_tag_id(role->tag), th__exalg_name_hash(role->cls),
                                          th__exalg_name_hash(role->id))
                         : 0;
        role->label_hash = text_hash(role->label);
        role->text_hash = text_hash(role->text);
        if (role->label_hash)
            th__key_map_put(&r->texts, role->label_hash, 1);
        if (role->beside.ptr)
            th__key_map_put(&r->texts, text_hash(role->beside), 1);
        if (role->beside.ptr) {
            uint64_t block = role->beside_tag.len
                                 ? th__exalg_step(th_tag_id(role->beside_tag),
                                                  th__exalg_name_hash(role->beside_cls),
                                                  th__exalg_name_hash(role->beside_id))
                                 : th__exalg_step(0, 0, 0);
            role->anchor = th__hash_mix(text_hash(role->beside), block) | 1;
        }
        if (role->anchor && role->set == TH__EXALG_NO_ROLE &&
            !th__key_map_get(&r->anchors, role->anchor))
            th__key_map_put(&r->anchors, role->anchor, i + 1);
        if (role->kind == TH__EXALG_OTHER)
            r->other = i;
        if (role->kind > TH__EXALG_TEXT)
            continue; /* not found by what they are */
        if (role->inner) {
            th__key_map_put(&r->labels, inner_key(role->parent, role->step), 1);
            continue;
        }
        uint64_t key = cell_key(role);
        uint32_t cell = th__key_map_get(&r->cells, key);
        if (!cell)
            th__key_map_put(&r->cells, key, cell = ++r->cell_count);
        th__key_map_put(&r->places, th__hash_mix(cell, role->ordinal), i + 1);
        if (role->heading)
            th__key_map_put(&r->labels, heading_key(role->parent, role->step), 1);
        if (role->told == TH__EXALG_BY_SECTION)
            th__key_map_put(&r->labels, th__hash_mix(role->parent + 1, role->label_hash), 1);
    }
    if (r->count)
        r->roles[0].set = TH__EXALG_NO_ROLE;
    r->expected = 0;
    for (uint32_t i = 1; i < r->count; i++)
        r->expected += expectation(r, &r->roles[i]);
    return true;
}

/* ---- a page ---------------------------------------------------------------------------------- */

struct reader {
    const th__exalg_roles *roles;
    const th__exalg_outline *o;
    th__exalg_reading *out;
    uint32_t *seen, *number; /* by cell: the last parent, and how many it has so far */
    uint32_t explained;
};

static uint32_t find_role(struct reader *r, uint32_t parent, uint32_t parent_node, uint64_t step,
                          unsigned told, uint64_t hash)
{
    uint32_t cell = th__key_map_get(&r->roles->cells, th__exalg_cell_key(parent, step, told, hash));
    if (!cell)
        return TH__EXALG_NO_ROLE;
    uint32_t role = th__key_map_get(&r->roles->places, th__hash_mix(cell, TH__EXALG_NO_ROLE));
    if (role)
        return role - 1;
    uint32_t number = r->seen[cell] == parent_node + 1 ? ++r->number[cell] : 0;
    r->seen[cell] = parent_node + 1;
    r->number[cell] = number;
    return th__key_map_get(&r->roles->places, th__hash_mix(cell, number)) - 1;
}

/* The role of a child. *section is the text of the template that stands before it. */
static uint32_t child_role(struct reader *r, uint32_t parent, uint32_t parent_node, uint64_t step,
                           uint32_t units, uint64_t first, uint64_t whole, th_str text,
                           uint64_t shape, uint64_t *section)
{
    uint32_t role = TH__EXALG_NO_ROLE;
    uint64_t before = *section;
    if (units && th__key_map_get(&r->roles->labels, th__hash_mix(parent + 1, whole)))
        *section = whole;
    if (units)
        role = find_role(r, parent, parent_node, step, TH__EXALG_BY_ITSELF, whole);
    if (role != TH__EXALG_NO_ROLE)
        return role;
    if (units == 1 && th__key_map_get(&r->roles->labels, heading_key(parent, step))) {
        *section = whole; /* a label never seen: what follows is not what was before */
        return role;
    }
    if (units && step)
        role = find_role(r, parent, parent_node, step, TH__EXALG_BY_INSIDE, first);
    th_str prefix = units == 1 ? th__exalg_prefix(text) : (th_str){0};
    bool readable = false;
    if (prefix.ptr)
        role = find_role(r, parent, parent_node, step, TH__EXALG_BY_PREFIX,
                         th__exalg_text_hash(prefix, &readable));
    if (role == TH__EXALG_NO_ROLE && before)
        role = find_role(r, parent, parent_node, step, TH__EXALG_BY_SECTION, before);
    if (role == TH__EXALG_NO_ROLE)
        role = find_role(r, parent, parent_node, step, TH__EXALG_BY_PLACE, 0);
    if (role == TH__EXALG_NO_ROLE && shape)
        role = find_role(r, parent, parent_node, step, TH__EXALG_BY_SHAPE, shape);
    return role;
}

/* Elements that may be nothing but wrappers. */
static bool is_wrapper(const th__exalg_outline *o, uint32_t node)
{
    uint16_t tag = o->page->tags[node];
    return !o->cls[node] && !o->id[node] &&
           (tag == TH_TAG_DIV || tag == TH_TAG_SPAN || tag == TH_TAG_CENTER || tag == TH_TAG_FONT ||
            tag == TH_TAG_TBODY || (th__tag_flags(tag) & TH_TAG_IS_INLINE));
}

static th_str unit_text(const th__exalg_outline *o, uint32_t unit)
{
    return th__token_text(o->page, o->units[unit].token);
}

/* A text below an element, with its inner markup: units first to last. */
struct run {
    uint32_t first, last;
    bool open;
};

static void assign_units(struct reader *r, uint32_t first, uint32_t last, uint32_t role)
{
    r->out->unit_role[first] = role;
    r->out->unit_last[first] = last;
    for (uint32_t u = first + 1; u <= last; u++)
        r->out->unit_role[u] = role == TH__EXALG_NO_ROLE ? role : TH__EXALG_PART;
}

static void end_run(struct reader *r, struct run *run, uint32_t node, uint64_t *section)
{
    const th__exalg_outline *o = r->o;
    if (!run->open)
        return;
    run->open = false;
    uint64_t hash = run->first == run->last ? o->units[run->first].hash
                                            : o->sums[run->last + 1] - o->sums[run->first];
    uint32_t role = child_role(r, r->out->node_role[node], node, 0, 1, hash, hash,
                               unit_text(o, run->first), 0, section);
    assign_units(r, run->first, run->last, role);
}

static void add_to_run(struct run *run, uint32_t first, uint32_t last)
{
    if (!run->open)
        run->first = first;
    run->last = last;
    run->open = true;
}

/* A line that ends with a comma goes on in the next. */
static bool goes_on(const th__exalg_outline *o, const struct run *run, uint32_t node)
{
    if (!run->open || o->page->tags[node] != TH_TAG_BR)
        return false;
    th_str text = th__str_trim(unit_text(o, run->last));
    return text.len && text.ptr[text.len - 1] == ',';
}

static void read_children(struct reader *r, uint32_t node)
{
    const th__exalg_outline *o = r->o;
    uint32_t parent = r->out->node_role[node];
    th__exalg_walk walk = th__exalg_children(o, node);
    th__exalg_child child;
    struct run run = {0};
    uint64_t section = 0;
    while (th__exalg_next(&walk, &child)) {
        if (child.node == TH__EXALG_NO_CHILD) {
            add_to_run(&run, child.unit, child.unit);
            continue;
        }
        uint32_t units = th__exalg_units_in(o, child.node);
        uint64_t step = th__exalg_node_step(o, child.node);
        bool inner = th__key_map_get(&r->roles->labels, inner_key(parent, step));
        if (goes_on(o, &run, child.node) || (inner && !units))
            continue;
        if (inner) {
            add_to_run(&run, o->first_unit[child.node], o->end_unit[child.node] - 1);
            continue;
        }
        end_run(r, &run, node, &section);
        uint64_t first = units ? o->units[o->first_unit[child.node]].hash : 0;
        th_str text = units ? unit_text(o, o->first_unit[child.node]) : (th_str){0};
        uint32_t role =
            child_role(r, parent, node, step, units, first, th__exalg_whole(o, child.node), text,
                       th__exalg_shape(o, child.node), &section);
        r->out->node_role[child.node] = role;
        if (role == TH__EXALG_NO_ROLE && units && is_wrapper(o, child.node))
            th__exalg_enter(&walk, child.node);
    }
    end_run(r, &run, node, &section);
}

/* All texts of a leaf are its. */
static void read_leaf(struct reader *r, uint32_t node)
{
    if (th__exalg_units_in(r->o, node))
        assign_units(r, r->o->first_unit[node], r->o->end_unit[node] - 1, r->out->node_role[node]);
}

/* How much of the page has a role and how much of the template is there, as their harmonic mean:
 * both a page with much besides and one that lacks much are badly explained. */
static void count_explained(struct reader *r, uint8_t *met)
{
    uint32_t known = 0;
    double found = 0;
    for (uint32_t u = 0; u < r->o->unit_count; u++) {
        uint32_t role = r->out->unit_role[u];
        known += role == TH__EXALG_PART;
        if (role == TH__EXALG_NO_ROLE || role == TH__EXALG_PART)
            continue;
        const th__exalg_role *here = &r->roles->roles[role];
        bool same = here->told == TH__EXALG_BY_ITSELF || here->text_hash == r->o->units[u].hash;
        known += same || here->use == TH__EXALG_DATA;
        if (!same || met[role])
            continue;
        met[role] = 1;
        found += expectation(r->roles, here);
    }
    double page = r->o->unit_count ? (double)known / r->o->unit_count : 0;
    double all = r->roles->expected > 0 ? found / r->roles->expected : page;
    r->out->explained = page + all > 0 ? 2 * page * all / (page + all) : 0;
}

static bool may_move(const struct reader *r, uint32_t unit)
{
    uint32_t role = r->out->unit_role[unit];
    if (role == TH__EXALG_NO_ROLE)
        return !th__key_map_get(&r->roles->texts, r->o->units[unit].hash);
    return role != TH__EXALG_PART && r->roles->roles[role].set != TH__EXALG_NO_ROLE;
}

/* Rows that stand elsewhere than expected are known by their labels. Further values of a row follow
 * the first. */
static void find_anchored(struct reader *r)
{
    const th__exalg_outline *o = r->o;
    for (uint32_t u = 1; u < o->unit_count; u++) {
        if (!may_move(r, u))
            continue;
        uint64_t anchor = th__exalg_anchor(o, u);
        uint32_t found = anchor ? th__key_map_get(&r->roles->anchors, anchor) : 0;
        if (!found)
            continue;
        r->out->unit_role[u] = found - 1;
        if (!r->roles->roles[found - 1].many)
            continue;
        uint32_t first = u;
        if (o->units[u].node == o->units[u].block)
            continue; /* bare text: what follows may be anything */
        uint64_t step = th__exalg_node_step(o, o->units[u].node);
        while (u + 1 < o->unit_count && o->units[u + 1].block == o->units[first].block &&
               th__exalg_node_step(o, o->units[u + 1].node) == step && may_move(r, u + 1))
            r->out->unit_role[++u] = found - 1;
    }
}

bool th__exalg_roles_apply(const th__exalg_roles *roles, const th__exalg_outline *o,
                           th__arena *arena, th__exalg_reading *out)
{
    uint32_t nodes = o->page->node_count;
    struct reader r = {.roles = roles, .o = o, .out = out};
    out->node_role = th__arena_alloc(arena, nodes * sizeof *out->node_role);
    out->unit_role = th__arena_alloc(arena, (o->unit_count + 1) * sizeof *out->unit_role);
    out->unit_last = th__arena_alloc(arena, (o->unit_count + 1) * sizeof *out->unit_last);
    r.seen = th__arena_zero(arena, roles->cell_count + 1, sizeof *r.seen);
    r.number = th__arena_zero(arena, roles->cell_count + 1, sizeof *r.number);
    uint8_t *met = th__arena_zero(arena, roles->count + 1, sizeof *met);
    if (!out->node_role || !out->unit_role || !out->unit_last || !r.seen || !r.number || !met)
        return false;
    for (uint32_t n = 0; n < nodes; n++)
        out->node_role[n] = TH__EXALG_NO_ROLE;
    for (uint32_t u = 0; u < o->unit_count; u++) {
        out->unit_role[u] = TH__EXALG_NO_ROLE;
        out->unit_last[u] = u;
    }
    out->node_role[0] = 0;
    for (uint32_t n = 0; n < nodes; n++) {
        uint32_t role = out->node_role[n];
        if (role == TH__EXALG_NO_ROLE)
            continue;
        if (roles->roles[role].leaf || roles->roles[role].told == TH__EXALG_BY_ITSELF)
            read_leaf(&r, n);
        else
            read_children(&r, n);
    }
    find_anchored(&r);
    count_explained(&r, met);
    return true;
}
