/* exalg_roles.c: what follows from the roles as written, and how they are found on a page. */
#include "engine/papers/exalg/exalg_roles.h"

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
    uint64_t hash = role->label_hash;
    if (role->told == TH__EXALG_BY_SHAPE)
        hash = role->shape;
    if (role->told == TH__EXALG_BY_AFTER)
        hash = th__exalg_after_hash(role->label_hash, role->after);
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

/* What there is below a parent with a step: bits by what tells roles apart. */
enum { HAS_HEADINGS = 1 << 12, HAS_INNER = 1 << 13, IS_ANCHOR = 1 << 14 };

static uint64_t ways_key(uint32_t parent, uint64_t step)
{
    return th__hash_mix(parent + 1, step);
}

static void add_way(th__exalg_roles *r, const th__exalg_role *role)
{
    uint64_t key = ways_key(role->parent, role->step);
    uint32_t way = role->inner ? HAS_INNER : UINT32_C(1) << role->told;
    if (role->heading)
        way |= HAS_HEADINGS;
    th__key_map_put(&r->ways, key, th__key_map_get(&r->ways, key) | way);
    if (role->told != TH__EXALG_BY_AFTER || !role->after)
        return;
    key = ways_key(role->parent, role->after);
    th__key_map_put(&r->ways, key, th__key_map_get(&r->ways, key) | IS_ANCHOR);
}

/* Hashes of what is written down of a role. */
static void hash_role(th__exalg_roles *r, th__exalg_role *role)
{
    role->step = role->kind == TH__EXALG_ELEMENT
                     ? th__exalg_step(th_tag_id(role->tag), th__exalg_name_hash(role->cls),
                                      th__exalg_name_hash(role->id))
                     : 0;
    role->label_hash = text_hash(role->label);
    role->text_hash = text_hash(role->text);
    role->after = role->after_tag.ptr ? th__exalg_step(th_tag_id(role->after_tag),
                                                       th__exalg_name_hash(role->after_cls),
                                                       th__exalg_name_hash(role->after_id))
                                      : 0;
    if (role->label_hash)
        th__key_map_put(&r->texts, role->label_hash, 1);
    if (!role->beside.ptr)
        return;
    uint16_t block = role->beside_tag.len ? th_tag_id(role->beside_tag) : 0;
    uint64_t step = th__exalg_step(block, th__exalg_name_hash(role->beside_cls),
                                   th__exalg_name_hash(role->beside_id));
    role->anchor = th__hash_mix(text_hash(role->beside), step) | 1;
    th__key_map_put(&r->texts, text_hash(role->beside), 1);
}

static uint8_t flags_of(const th__exalg_role *role)
{
    uint8_t flags = 0;
    if (role->leaf || role->told == TH__EXALG_BY_ITSELF)
        flags |= TH__EXALG_IS_LEAF;
    if (role->list)
        flags |= TH__EXALG_IS_LIST;
    if (role->list && role->use == TH__EXALG_STRUCTURE)
        flags |= TH__EXALG_BEGINS_ITEM;
    if (role->use == TH__EXALG_DATA)
        flags |= TH__EXALG_IS_DATA;
    return flags;
}

/* By what a role is found. */
static void place_role(th__exalg_roles *r, uint32_t index)
{
    const th__exalg_role *role = &r->roles[index];
    r->flags[index] |= flags_of(role);
    if (role->kind == TH__EXALG_ATTRIBUTE)
        r->flags[role->parent] |= TH__EXALG_HAS_ATTRIBUTES;
    if (role->anchor && role->set == TH__EXALG_NO_ROLE &&
        !th__key_map_get(&r->anchors, role->anchor))
        th__key_map_put(&r->anchors, role->anchor, index + 1);
    if (role->kind == TH__EXALG_OTHER)
        r->other = index;
    if (role->kind > TH__EXALG_TEXT)
        return;
    add_way(r, role);
    if (role->inner)
        return;
    uint64_t key = cell_key(role);
    uint32_t cell = th__key_map_get(&r->cells, key);
    if (!cell)
        th__key_map_put(&r->cells, key, cell = ++r->cell_count);
    if (role->ordinal == TH__EXALG_NO_ROLE)
        r->only[cell] = index + 1;
    else
        th__key_map_put(&r->places, th__hash_mix(cell, role->ordinal), index + 1);
    if (role->told == TH__EXALG_BY_SECTION ||
        (role->told == TH__EXALG_BY_AFTER && role->label_hash)) {
        th__key_map_put(&r->labels, th__hash_mix(role->parent + 1, role->label_hash), 1);
        r->flags[role->parent] |= TH__EXALG_HAS_SECTIONS;
    }
}

/* The maps that a page is held against are as small as can be: their lines stay near. */
static bool make_maps(th__exalg_roles *r, th__arena *arena)
{
    size_t placed = 0, ordinals = 0, afters = 0;
    for (uint32_t i = 1; i < r->count; i++) {
        const th__exalg_role *role = &r->roles[i];
        bool place = role->kind <= TH__EXALG_TEXT;
        placed += place;
        ordinals += place && role->ordinal != TH__EXALG_NO_ROLE;
        afters += place && role->told == TH__EXALG_BY_AFTER;
    }
    r->only = th__arena_zero(arena, placed + 1, sizeof *r->only);
    r->flags = th__arena_zero(arena, (size_t)r->count + 1, sizeof *r->flags);
    return r->only && r->flags && th__key_map_init(&r->known, arena, r->name_count) &&
           th__key_map_init(&r->cells, arena, placed) &&
           th__key_map_init(&r->places, arena, ordinals) &&
           th__key_map_init(&r->ways, arena, placed + afters) &&
           th__key_map_init(&r->labels, arena, placed) &&
           th__key_map_init(&r->anchors, arena, r->count) &&
           th__key_map_init(&r->texts, arena, 2 * r->count);
}

bool th__exalg_roles_prepare(th__exalg_roles *r, th__arena *arena)
{
    r->cell_count = 0;
    r->other = TH__EXALG_NO_ROLE;
    r->expected = 0;
    if (!make_maps(r, arena))
        return false;
    for (uint32_t i = 0; i < r->name_count; i++)
        th__key_map_put(&r->known, th__exalg_name_hash(r->names[i]), 1);
    for (uint32_t i = 1; i < r->count; i++) {
        hash_role(r, &r->roles[i]);
        place_role(r, i);
        r->expected += expectation(r, &r->roles[i]);
    }
    if (r->count) {
        r->roles[0].set = TH__EXALG_NO_ROLE;
        r->flags[0] |= flags_of(&r->roles[0]);
    }
    return th__exalg_lines_prepare(r, arena);
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
    uint32_t role = r->roles->only[cell];
    if (role) {
        /* What is no set is there once: another may look like it by chance. */
        bool again = r->seen[cell] == parent_node + 1 && told != TH__EXALG_BY_ITSELF &&
                     !(r->roles->flags[role - 1] & TH__EXALG_IS_LIST);
        r->seen[cell] = parent_node + 1;
        return again ? TH__EXALG_NO_ROLE : role - 1;
    }
    uint32_t number = r->seen[cell] == parent_node + 1 ? ++r->number[cell] : 0;
    r->seen[cell] = parent_node + 1;
    r->number[cell] = number;
    return th__key_map_get(&r->roles->places, th__hash_mix(cell, number)) - 1;
}

/* What stands before a child. */
struct context {
    uint64_t section; /* the last text of the template, or 0 */
    uint64_t after;   /* the step of the last element that each parent has once, or 0 */
};

/* A child of an element, with what tells its role. */
struct child {
    uint32_t parent, parent_node; /* the role of its parent, and the parent */
    uint32_t node, unit;          /* an element (0 for a text); its first text */
    uint32_t units;
    uint32_t ways; /* what tells roles apart where it stands */
    uint64_t step, whole;
};

static th_str unit_text(const th__exalg_outline *o, uint32_t unit)
{
    return th__token_text(o->page, o->units[unit].token);
}

static uint32_t role_by(struct reader *r, const struct child *c, unsigned told, uint64_t hash)
{
    return find_role(r, c->parent, c->parent_node, c->step, told, hash);
}

/* The hash of the label in a text; 0 for none. */
static uint64_t prefix_hash(const struct reader *r, const struct child *c)
{
    th_str prefix = c->units == 1 ? th__exalg_prefix(unit_text(r->o, c->unit)) : (th_str){0};
    bool readable = false;
    return prefix.ptr ? th__exalg_text_hash(prefix, &readable) : 0;
}

/* The role of a child. A text of the template begins another section. */
static uint32_t child_role(struct reader *r, const struct child *c, struct context *context)
{
    uint32_t role = TH__EXALG_NO_ROLE, ways = c->ways;
    uint64_t before = context->section, after = context->after, prefix;
    if (c->units && r->roles->flags[c->parent] & TH__EXALG_HAS_SECTIONS &&
        th__key_map_get(&r->roles->labels, th__hash_mix(c->parent + 1, c->whole)))
        context->section = c->whole;
    if (ways & IS_ANCHOR)
        context->after = c->step;
    if (!ways)
        return role;
    if (c->units && ways & 1 << TH__EXALG_BY_ITSELF)
        role = role_by(r, c, TH__EXALG_BY_ITSELF, c->whole);
    if (role != TH__EXALG_NO_ROLE)
        return role;
    if (c->units == 1 && ways & HAS_HEADINGS) {
        context->section = c->whole; /* a label never seen: what follows is not what was before */
        return role;
    }
    if (c->units && ways & 1 << TH__EXALG_BY_INSIDE)
        role = role_by(r, c, TH__EXALG_BY_INSIDE, r->o->units[c->unit].hash);
    if (role == TH__EXALG_NO_ROLE && ways & 1 << TH__EXALG_BY_PREFIX &&
        (prefix = prefix_hash(r, c)))
        role = role_by(r, c, TH__EXALG_BY_PREFIX, prefix);
    if (role == TH__EXALG_NO_ROLE && ways & 1 << TH__EXALG_BY_AFTER)
        role = role_by(r, c, TH__EXALG_BY_AFTER, th__exalg_after_hash(before, after));
    if (role == TH__EXALG_NO_ROLE && before && ways & 1 << TH__EXALG_BY_SECTION)
        role = role_by(r, c, TH__EXALG_BY_SECTION, before);
    if (role == TH__EXALG_NO_ROLE && ways & 1 << TH__EXALG_BY_PLACE)
        role = role_by(r, c, TH__EXALG_BY_PLACE, 0);
    if (role == TH__EXALG_NO_ROLE && c->node && ways & 1 << TH__EXALG_BY_SHAPE)
        role = role_by(r, c, TH__EXALG_BY_SHAPE, th__exalg_shape(r->o, c->node));
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

static void end_run(struct reader *r, struct run *run, uint32_t node, struct context *context)
{
    const th__exalg_outline *o = r->o;
    if (!run->open)
        return;
    run->open = false;
    struct child c = {.parent = r->out->node_role[node],
                      .parent_node = node,
                      .unit = run->first,
                      .units = 1,
                      .whole = o->units[run->first].hash};
    if (run->first != run->last)
        c.whole = o->sums[run->last + 1] - o->sums[run->first];
    c.ways = th__key_map_get(&r->roles->ways, ways_key(c.parent, c.step));
    assign_units(r, run->first, run->last, child_role(r, &c, context));
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

/* In a text, markup that labels have too is emphasis when its words are no label's. */
static bool is_emphasis(const struct reader *r, const struct child *c)
{
    return c->units == 1 && c->ways & HAS_HEADINGS &&
           !th__key_map_get(&r->roles->cells,
                            th__exalg_cell_key(c->parent, c->step, TH__EXALG_BY_ITSELF, c->whole));
}

static void read_children(struct reader *r, uint32_t node)
{
    const th__exalg_outline *o = r->o;
    th__exalg_walk walk = th__exalg_children(o, node);
    th__exalg_child child;
    struct run run = {0};
    struct context context = {0};
    while (th__exalg_next(&walk, &child)) {
        if (child.node == TH__EXALG_NO_CHILD) {
            add_to_run(&run, child.unit, child.unit);
            continue;
        }
        struct child c = {.parent = r->out->node_role[node],
                          .parent_node = node,
                          .node = child.node,
                          .unit = o->first_unit[child.node],
                          .units = th__exalg_units_in(o, child.node),
                          .step = th__exalg_node_step(o, child.node),
                          .whole = th__exalg_whole(o, child.node)};
        c.ways = th__key_map_get(&r->roles->ways, ways_key(c.parent, c.step));
        bool inner = c.ways & HAS_INNER || (run.open && is_emphasis(r, &c));
        if (goes_on(o, &run, child.node) || (inner && !c.units))
            continue;
        if (inner) {
            add_to_run(&run, c.unit, o->end_unit[child.node] - 1);
            continue;
        }
        end_run(r, &run, node, &context);
        uint32_t role = child_role(r, &c, &context);
        r->out->node_role[child.node] = role;
        if (role == TH__EXALG_NO_ROLE && c.units && is_wrapper(o, child.node))
            th__exalg_enter(&walk, child.node);
    }
    end_run(r, &run, node, &context);
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
        known += same || here->use == TH__EXALG_DATA || here->lines;
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
    return role != TH__EXALG_PART && r->roles->roles[role].kind != TH__EXALG_SLOT &&
           r->roles->roles[role].set != TH__EXALG_NO_ROLE;
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
    out->hits = NULL;
    out->unit_hit = NULL;
    out->hit_count = 0;
    for (uint32_t n = 0; n < nodes; n++) {
        uint32_t role = out->node_role[n];
        if (role == TH__EXALG_NO_ROLE)
            continue;
        if (roles->flags[role] & TH__EXALG_IS_LEAF)
            read_leaf(&r, n);
        else
            read_children(&r, n);
        const th__exalg_role *here = &roles->roles[role];
        if ((here->lines && !here->lines->items &&
             !th__exalg_roles_read_lines(roles, o, n, arena, out)) ||
            (here->has_items && !th__exalg_roles_read_items(roles, o, n, arena, out)))
            return false;
    }
    find_anchored(&r);
    count_explained(&r, met);
    return true;
}
