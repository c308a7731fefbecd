/* template_roles.c: what follows from the roles as written, and how they are found on a page. */
#include "engine/template/template_roles.h"

#include "page/tags.h"

/* ---- what follows from the roles: slots ------------------------------------------------------ */

static void add_common(th__template_slots *held, const th__template_slot *slot)
{
    for (unsigned kind = 0; kind < TH__TRAITS; kind++) {
        for (uint32_t i = 0; i < slot->traits[kind].count; i++) {
            const th__template_trait *trait = &slot->traits[kind].items[i];
            uint64_t key = th__template_trait_key(kind, trait->hash);
            th__key_map_put(&held->common, key, th__key_map_get(&held->common, key) + trait->count);
        }
        held->totals[kind] += slot->traits[kind].sum;
    }
}

/* Prepares the slots of a role that has any: they follow it, with their descendants. */
static bool prepare_holder(th__template_roles *r, uint32_t index, th__arena *arena)
{
    th__template_role *role = &r->roles[index];
    size_t traits = 0, elements = 0;
    uint32_t count = 0, end = index + 1;
    for (; end < r->count && r->roles[end].parent >= index; end++)
        count += r->roles[end].parent == index && r->roles[end].kind == TH__ROLE_SLOT;
    th__template_slots *held = &role->held;
    *held = (th__template_slots){0};
    held->list = th__arena_zero(arena, count + 1, sizeof *held->list);
    role->slots = th__arena_zero(arena, count + 1, sizeof *role->slots);
    if (!role->slots || !held->list)
        return false;
    for (uint32_t i = index + 1; i < end; i++) {
        th__template_role *child = &r->roles[i];
        elements += child->parent == index && child->kind == TH__ROLE_ELEMENT;
        if (child->parent != index || child->kind != TH__ROLE_SLOT)
            continue;
        child->slot->label = child->label_hash;
        for (unsigned kind = 0; kind < TH__TRAITS; kind++)
            traits += child->slot->traits[kind].count;
        held->list[held->count] = child->slot;
        role->slots[held->count++] = i;
    }
    if (!th__key_map_init(&held->common, arena, traits))
        return false;
    for (uint32_t i = 0; i < count; i++)
        add_common(held, held->list[i]);
    if (!role->lines)
        return true;
    if (!th__key_map_init(&role->lines->inside, arena, elements) ||
        !th__key_map_init(&role->lines->labels, arena, count))
        return false;
    for (uint32_t i = index + 1; i < end; i++) {
        const th__template_role *child = &r->roles[i];
        if (child->parent == index && child->kind == TH__ROLE_ELEMENT)
            th__key_map_put(&role->lines->inside, child->step | 1, 1);
        if (child->kind == TH__ROLE_SLOT && child->label_hash)
            th__key_map_put(&role->lines->labels, child->label_hash, 1);
    }
    return true;
}

static bool lines_prepare(th__template_roles *roles, th__arena *arena)
{
    bool ok = true;
    for (uint32_t i = 1; ok && i < roles->count; i++) {
        const th__template_role *role = &roles->roles[i];
        if (role->lines || (role->kind == TH__ROLE_SLOT && role->list))
            ok = prepare_holder(roles, i, arena);
        if (role->lines && role->lines->items)
            roles->roles[role->parent].has_items = true;
    }
    return ok;
}

/* ---- what follows from the roles: maps ------------------------------------------------------- */

/* The hash of an element's texts: see th__template_whole. */
static uint64_t text_hash(th_str text)
{
    uint64_t sum = 0;
    bool readable = false;
    for (size_t at = 0; at < text.len;) {
        size_t start = at;
        while (at < text.len && text.ptr[at] != TH__LABEL_BETWEEN)
            at++;
        sum += th__template_text_hash((th_str){text.ptr + start, at - start}, &readable);
        at++;
    }
    return sum;
}

static uint64_t cell_key(const th__template_role *role)
{
    uint64_t hash = role->label_hash;
    if (role->told == TH__ROLE_BY_SHAPE)
        hash = role->shape;
    if (role->told == TH__ROLE_BY_AFTER)
        hash = th__template_after_hash(role->label_hash, role->after);
    return th__template_cell_key(role->parent, role->step, role->told, hash);
}

/* The weight of a role in how much of the template a page has: for texts of the template outside
 * sets that at least half of the pages have, the share of pages that do. */
static double expectation(const th__template_roles *roles, const th__template_role *role)
{
    bool counts = role->use == TH__USE_TEMPLATE && !role->list && role->set == TH__NO_ROLE &&
                  role->support * 2 >= roles->pages;
    return counts && roles->pages ? (double)role->support / roles->pages : 0;
}

/* What exists below a parent for a step: one bit per way to distinguish roles. */
enum { HAS_HEADINGS = 1 << 12, HAS_INNER = 1 << 13, IS_ANCHOR = 1 << 14 };

static uint64_t ways_key(uint32_t parent, uint64_t step)
{
    return th__hash_mix(parent + 1, step);
}

static void add_way(th__template_roles *r, const th__template_role *role)
{
    uint64_t key = ways_key(role->parent, role->step);
    uint32_t way = role->inner ? HAS_INNER : UINT32_C(1) << role->told;
    if (role->heading)
        way |= HAS_HEADINGS;
    th__key_map_put(&r->ways, key, th__key_map_get(&r->ways, key) | way);
    if (role->told != TH__ROLE_BY_AFTER || !role->after)
        return;
    key = ways_key(role->parent, role->after);
    th__key_map_put(&r->ways, key, th__key_map_get(&r->ways, key) | IS_ANCHOR);
}

static uint64_t written_step(th_str tag, th_str cls, th_str id)
{
    return th__template_step(tag.len ? th_tag_id(tag) : 0, th__template_name_hash(cls),
                             th__template_name_hash(id));
}

static const th_str no_name;

static uint64_t beside_hash(th_str label, uint64_t step)
{
    return th__hash_mix(text_hash(label), step) | 1;
}

/* Computes the hashes of what a role's rule contains. */
static void hash_role(th__template_roles *r, th__template_role *role)
{
    role->step = role->kind == TH__ROLE_ELEMENT ? written_step(role->tag, role->cls, role->id) : 0;
    role->label_hash = text_hash(role->label);
    role->text_hash = text_hash(role->text);
    role->after =
        role->after_tag.ptr ? written_step(role->after_tag, role->after_cls, role->after_id) : 0;
    if (role->label_hash)
        th__key_map_put(&r->texts, role->label_hash, 1);
    if (!role->beside.ptr)
        return;
    role->anchor = beside_hash(role->beside,
                               written_step(role->beside_tag, role->beside_cls, role->beside_id));
    if (role->beside.len)
        th__key_map_put(&r->texts, text_hash(role->beside), 1);
}

static void place_anchor(th__template_roles *r, uint64_t anchor, uint32_t role)
{
    if (!th__key_map_get(&r->anchors, anchor))
        th__key_map_put(&r->anchors, anchor, role + 1);
}

/* Enters a role under what identifies it. */
static void place_role(th__template_roles *r, uint32_t index)
{
    const th__template_role *role = &r->roles[index];
    if (role->kind == TH__ROLE_ATTRIBUTE)
        r->roles[role->parent].has_attributes = true;
    if (role->anchor && role->set == TH__NO_ROLE) {
        place_anchor(r, role->anchor, index);
        r->has_names |= !role->beside.len;
        if (role->beside.len) /* also in an element without a known name */
            place_anchor(
                r, beside_hash(role->beside, written_step(role->beside_tag, no_name, no_name)),
                index);
    }
    if (role->kind == TH__ROLE_OTHER)
        r->other = index;
    if (role->kind == TH__ROLE_WHOLE && role->name.ptr)
        r->roles[role->parent].whole = index;
    if (role->kind > TH__ROLE_TEXT)
        return;
    add_way(r, role);
    if (role->inner)
        return;
    uint64_t key = cell_key(role);
    uint32_t cell = th__key_map_get(&r->cells, key);
    if (!cell)
        th__key_map_put(&r->cells, key, cell = ++r->cell_count);
    if (role->ordinal == TH__NO_ROLE)
        r->only[cell] = index + 1;
    else
        th__key_map_put(&r->places, th__hash_mix(cell, role->ordinal), index + 1);
    if (role->told == TH__ROLE_BY_SECTION ||
        (role->told == TH__ROLE_BY_AFTER && role->label_hash)) {
        th__key_map_put(&r->labels, th__hash_mix(role->parent + 1, role->label_hash), 1);
        r->roles[role->parent].has_sections = true;
    }
}

/* The maps are as small as possible, so that they stay in the cache while a page is read. */
static bool make_maps(th__template_roles *r, th__arena *arena)
{
    size_t placed = 0, ordinals = 0, afters = 0;
    for (uint32_t i = 1; i < r->count; i++) {
        const th__template_role *role = &r->roles[i];
        bool place = role->kind <= TH__ROLE_TEXT;
        placed += place;
        ordinals += place && role->ordinal != TH__NO_ROLE;
        afters += place && role->told == TH__ROLE_BY_AFTER;
    }
    r->only = th__arena_zero(arena, placed + 1, sizeof *r->only);
    return r->only && th__key_map_init(&r->known, arena, r->name_count) &&
           th__key_map_init(&r->cells, arena, placed) &&
           th__key_map_init(&r->places, arena, ordinals) &&
           th__key_map_init(&r->ways, arena, placed + afters) &&
           th__key_map_init(&r->labels, arena, placed) &&
           th__key_map_init(&r->anchors, arena, 2 * r->count) &&
           th__key_map_init(&r->texts, arena, 2 * r->count);
}

bool th__template_roles_prepare(th__template_roles *r, th__arena *arena)
{
    r->cell_count = 0;
    r->other = TH__NO_ROLE;
    r->expected = 0;
    if (!make_maps(r, arena))
        return false;
    for (uint32_t i = 0; i < r->name_count; i++)
        th__key_map_put(&r->known, th__template_name_hash(r->names[i]), 1);
    for (uint32_t i = 1; i < r->count; i++) {
        hash_role(r, &r->roles[i]);
        place_role(r, i);
        r->expected += expectation(r, &r->roles[i]);
    }
    if (r->count)
        r->roles[0].set = TH__NO_ROLE;
    return lines_prepare(r, arena);
}

/* ---- a page ---------------------------------------------------------------------------------- */

struct role_reader {
    const th__template_roles *roles;
    const th__template_outline *o;
    th__arena *arena;
    th__template_reading *out;
    uint32_t *seen, *number; /* by cell: the last parent, and how many children it has had so far */
};

/* ---- values in lines ------------------------------------------------------------------------- */

static bool add_hit(struct role_reader *r, const th__template_part *part, uint32_t role,
                    uint32_t row, th_span span)
{
    th__template_reading *out = r->out;
    if (part->unit == UINT32_MAX)
        return true;
    for (uint32_t u = part->unit; u <= part->last; u++)
        if (out->unit_role[u] == TH__NO_ROLE)
            out->unit_role[u] = u == part->unit ? role : TH__ROLE_PART;
    if (span.start >= span.end)
        return true;
    if (!out->unit_hit)
        out->unit_hit = th__arena_zero(r->arena, r->o->unit_count + 1, sizeof *out->unit_hit);
    if (!(out->hit_count & (out->hit_count - 1))) { /* capacity is a power of two */
        size_t room = out->hit_count ? 2 * (size_t)out->hit_count : 1;
        th__template_hit *more = th__arena_alloc(r->arena, room * sizeof *more);
        if (more && out->hit_count)
            memcpy(more, out->hits, out->hit_count * sizeof *more);
        out->hits = more;
    }
    if (!out->unit_hit || !out->hits)
        return false;
    if (!out->unit_hit[part->unit])
        out->unit_hit[part->unit] = out->hit_count + 1;
    out->hits[out->hit_count++] = (th__template_hit){role, part->unit, row, span};
    return true;
}

static bool read_rows(struct role_reader *r, uint32_t set, const th__template_part *parts,
                      const th__template_part *all)
{
    const th__template_role *role = &r->roles->roles[set];
    for (uint32_t k = all->from, end; k < all->to; k = end) {
        uint32_t at[TH__MAX_PARTS], row = set;
        end = th__template_row_end(parts, k, all->to);
        th_span whole = {parts[k].span.start, parts[end - 1].span.end};
        if (!role->held.count) {
            if (!add_hit(r, &parts[k], set, TH__NO_ROLE, whole))
                return false;
            continue;
        }
        if (!th__template_align(&role->held, parts + k, end - k, TH__ALIGN_FREELY, NULL, at, NULL))
            return false;
        for (uint32_t i = k; i < end; i++) {
            const th__template_part *part = &parts[i];
            if (at[i - k] == TH__NO_SLOT)
                continue;
            if (!add_hit(r, part, role->slots[at[i - k]], row, part->span))
                return false;
            if (part->unit != UINT32_MAX && part->span.start < part->span.end)
                row = TH__NO_ROLE;
        }
    }
    return true;
}

/* Reads the lines of an element that has got its role. */
static bool read_lines(struct role_reader *r, uint32_t node)
{
    const th__template_role *role = &r->roles->roles[r->out->node_role[node]];
    uint32_t count, at[TH__MAX_PARTS];
    th__template_part *parts;
    if (!th__template_lines_read(role->lines, r->o, node, r->arena, &parts, &count) ||
        !th__template_lines_tell(role->lines, r->o, parts, &count, r->arena, false))
        return false;
    th__template_part *folded = th__arena_alloc(r->arena, (count + 1) * sizeof *folded);
    if (!folded)
        return false;
    count = th__template_lines_fold(role->lines, parts, count, folded);
    bool ok = th__template_align(&role->held, folded, count, TH__ALIGN_FREELY, NULL, at, NULL);
    for (uint32_t i = 0; ok && i < count; i++) {
        if (at[i] == TH__NO_SLOT)
            continue;
        uint32_t slot = role->slots[at[i]];
        ok = folded[i].set ? read_rows(r, slot, parts, &folded[i])
                           : add_hit(r, &folded[i], slot, TH__NO_ROLE, folded[i].span);
    }
    return ok;
}

enum { MOST_ITEMS = 16 }; /* further ones get no slot */

/* The elements of one role below a node, not nested in each other. */
static uint32_t find_items(const struct role_reader *r, uint32_t node, uint32_t role,
                           uint32_t *items)
{
    const th_node *nodes = r->o->page->nodes;
    uint32_t count = 0;
    for (uint32_t n = node + 1; n < nodes[node].end && count < MOST_ITEMS;) {
        uint32_t here = r->out->node_role[n];
        if (here == role)
            items[count++] = n;
        n = here == TH__NO_ROLE ? n + 1 : nodes[n].end;
    }
    return count;
}

/* Assigns slots to similar elements below one that has its role. Visits the nodes below once for
 * each role with such elements; these nest no deeper than roles do. */
static bool read_items(struct role_reader *r, uint32_t node)
{
    const th__template_roles *roles = r->roles;
    uint32_t above = r->out->node_role[node];
    bool ok = true;
    for (uint32_t k = above + 1; ok && k < roles->count && roles->roles[k].parent >= above; k++) {
        const th__template_role *role = &roles->roles[k];
        uint32_t items[MOST_ITEMS], at[MOST_ITEMS], count;
        th__template_part parts[MOST_ITEMS];
        if (role->parent != above || !role->lines || !role->lines->items ||
            !(count = find_items(r, node, k, items)))
            continue;
        for (uint32_t i = 0; ok && i < count; i++)
            ok = th__template_item_part(r->o, items[i], r->arena, false, &parts[i]);
        ok = ok && th__template_align(&role->held, parts, count, TH__ALIGN_FREELY, NULL, at, NULL);
        for (uint32_t i = 0; ok && i < count; i++)
            if (at[i] != TH__NO_SLOT)
                ok = add_hit(r, &parts[i], role->slots[at[i]], TH__NO_ROLE, parts[i].span);
    }
    return ok;
}

/* ---- roles of children ----------------------------------------------------------------------- */

/* What precedes a child. */
struct role_context {
    uint64_t section; /* the last text of the template, or 0 */
    uint64_t after;   /* the step of the last element that each parent has exactly once, or 0 */
};

/* A child of an element, with what identifies its role. */
struct role_child {
    uint32_t parent, parent_node; /* the role of its parent, and the parent */
    uint32_t node, unit;          /* an element (0 for a text); its first text */
    uint32_t units;
    uint32_t ways; /* the ways in which roles are distinguished here */
    uint64_t step, whole;
};

static uint32_t role_by(struct role_reader *r, const struct role_child *c, unsigned told,
                        uint64_t hash)
{
    uint32_t cell =
        th__key_map_get(&r->roles->cells, th__template_cell_key(c->parent, c->step, told, hash));
    if (!cell)
        return TH__NO_ROLE;
    uint32_t role = r->roles->only[cell];
    if (role) {
        /* A role outside sets occurs once: another child may match it by chance. A child without
         * texts does not take the place of one with texts. */
        bool again = r->seen[cell] == c->parent_node + 1 && told != TH__ROLE_BY_ITSELF &&
                     !r->roles->roles[role - 1].list;
        if (c->units)
            r->seen[cell] = c->parent_node + 1;
        return again ? TH__NO_ROLE : role - 1;
    }
    uint32_t number = r->seen[cell] == c->parent_node + 1 ? ++r->number[cell] : 0;
    r->seen[cell] = c->parent_node + 1;
    r->number[cell] = number;
    return th__key_map_get(&r->roles->places, th__hash_mix(cell, number)) - 1;
}

/* The hash of the label in a text; 0 for none. */
static uint64_t prefix_hash(const struct role_reader *r, const struct role_child *c)
{
    th_str prefix =
        c->units == 1 ? th__template_prefix(th__template_unit_text(r->o, c->unit)) : (th_str){0};
    bool readable = false;
    return prefix.ptr ? th__template_text_hash(prefix, &readable) : 0;
}

/* Finds the role of a child. A text of the template begins a new section. */
static uint32_t child_role(struct role_reader *r, const struct role_child *c,
                           struct role_context *context)
{
    uint32_t role = TH__NO_ROLE, ways = c->ways;
    uint64_t before = context->section, after = context->after, prefix;
    if (c->units && r->roles->roles[c->parent].has_sections &&
        th__key_map_get(&r->roles->labels, th__hash_mix(c->parent + 1, c->whole)))
        context->section = c->whole;
    if (ways & IS_ANCHOR)
        context->after = c->step;
    if (!ways)
        return role;
    if (c->units && ways & 1 << TH__ROLE_BY_ITSELF)
        role = role_by(r, c, TH__ROLE_BY_ITSELF, c->whole);
    if (role != TH__NO_ROLE)
        return role;
    if (c->units == 1 && ways & HAS_HEADINGS) {
        context->section = c->whole; /* an unknown label: the previous section ends */
        return role;
    }
    if (c->units && ways & 1 << TH__ROLE_BY_INSIDE)
        role = role_by(r, c, TH__ROLE_BY_INSIDE, r->o->units[c->unit].hash);
    if (role == TH__NO_ROLE && ways & 1 << TH__ROLE_BY_PREFIX && (prefix = prefix_hash(r, c)))
        role = role_by(r, c, TH__ROLE_BY_PREFIX, prefix);
    if (role == TH__NO_ROLE && ways & 1 << TH__ROLE_BY_AFTER)
        role = role_by(r, c, TH__ROLE_BY_AFTER, th__template_after_hash(before, after));
    if (role == TH__NO_ROLE && before && ways & 1 << TH__ROLE_BY_SECTION)
        role = role_by(r, c, TH__ROLE_BY_SECTION, before);
    if (role == TH__NO_ROLE && ways & 1 << TH__ROLE_BY_PLACE)
        role = role_by(r, c, TH__ROLE_BY_PLACE, 0);
    if (role == TH__NO_ROLE && c->node && ways & 1 << TH__ROLE_BY_SHAPE)
        role = role_by(r, c, TH__ROLE_BY_SHAPE, th__template_shape(r->o, c->node));
    return role;
}

/* Returns true for elements that may be mere wrappers. */
static bool is_wrapper(const th__template_outline *o, uint32_t node)
{
    uint16_t tag = o->page->tags[node];
    return !o->cls[node] && !o->id[node] &&
           (tag == TH_TAG_DIV || tag == TH_TAG_SPAN || tag == TH_TAG_CENTER || tag == TH_TAG_FONT ||
            tag == TH_TAG_TBODY || (th__tag_flags(tag) & TH_TAG_IS_INLINE));
}

/* A text below an element, with its inner markup: units first to last. */
struct text_run {
    uint32_t first, last;
    bool open;
};

static void assign_units(struct role_reader *r, uint32_t first, uint32_t last, uint32_t role)
{
    r->out->unit_role[first] = role;
    r->out->unit_last[first] = last;
    for (uint32_t u = first + 1; u <= last; u++)
        r->out->unit_role[u] = role == TH__NO_ROLE ? role : TH__ROLE_PART;
}

static void end_run(struct role_reader *r, struct text_run *run, uint32_t node,
                    struct role_context *context)
{
    const th__template_outline *o = r->o;
    if (!run->open)
        return;
    run->open = false;
    struct role_child c = {.parent = r->out->node_role[node],
                           .parent_node = node,
                           .unit = run->first,
                           .units = 1,
                           .whole = o->units[run->first].hash};
    if (run->first != run->last)
        c.whole = o->sums[run->last + 1] - o->sums[run->first];
    c.ways = th__key_map_get(&r->roles->ways, ways_key(c.parent, c.step));
    assign_units(r, run->first, run->last, child_role(r, &c, context));
}

static void add_to_run(struct text_run *run, uint32_t first, uint32_t last)
{
    if (!run->open)
        run->first = first;
    run->last = last;
    run->open = true;
}

/* Markup that labels have too is emphasis within a text if its words are not a label's. */
static bool is_emphasis(const struct role_reader *r, const struct role_child *c)
{
    return c->units == 1 && c->ways & HAS_HEADINGS && !th__key_map_get(&r->roles->texts, c->whole);
}

/* An element whose shape no page learnt from has, where shape identifies roles. */
struct odd_child {
    uint32_t node;   /* 0: there is none */
    uint32_t before; /* the role of the last element before it, or of its parent */
    uint64_t step;
};

/* Gives an odd element the role that is missing at its place, if exactly one is: of the roles from
 * that of the element before it up to `end`. */
static void place_odd(struct role_reader *r, struct odd_child *odd, uint32_t parent_node,
                      uint32_t end)
{
    enum { FAR = 1000 }; /* roles that are searched */
    const th__template_roles *roles = r->roles;
    uint32_t parent = r->out->node_role[parent_node], node = odd->node, found = 0, first = 0;
    odd->node = 0;
    if (!node)
        return;
    for (uint32_t i = odd->before + 1; i < end && i < odd->before + FAR && i < roles->count; i++) {
        const th__template_role *role = &roles->roles[i];
        if (role->parent < parent)
            break;
        if (role->parent != parent || role->told != TH__ROLE_BY_SHAPE || role->list ||
            role->step != odd->step || role->ordinal != TH__NO_ROLE ||
            r->seen[th__key_map_get(&roles->cells, cell_key(role))] == parent_node + 1)
            continue;
        first = found++ ? first : i;
    }
    if (found == 1)
        r->out->node_role[node] = first;
}

static void read_children(struct role_reader *r, uint32_t node)
{
    const th__template_outline *o = r->o;
    th__template_walk walk = th__template_children(o, node);
    th__template_child child;
    struct text_run run = {0};
    struct role_context context = {0};
    struct odd_child odd = {0};
    uint32_t before = r->out->node_role[node];
    while (th__template_next(&walk, &child)) {
        if (child.node == TH__NO_CHILD) {
            add_to_run(&run, child.unit, child.unit);
            continue;
        }
        struct role_child c = {.parent = r->out->node_role[node],
                               .parent_node = node,
                               .node = child.node,
                               .unit = o->first_unit[child.node],
                               .units = th__template_units_in(o, child.node),
                               .step = th__template_node_step(o, child.node),
                               .whole = th__template_whole(o, child.node)};
        c.ways = th__key_map_get(&r->roles->ways, ways_key(c.parent, c.step));
        bool inner = c.ways & HAS_INNER || (run.open && is_emphasis(r, &c));
        if ((run.open && th__template_goes_on(o, run.last, o->page->tags[child.node])) ||
            (inner && !c.units))
            continue;
        if (inner) {
            add_to_run(&run, c.unit, o->end_unit[child.node] - 1);
            continue;
        }
        end_run(r, &run, node, &context);
        uint32_t role = child_role(r, &c, &context);
        r->out->node_role[child.node] = role;
        if (role != TH__NO_ROLE) {
            place_odd(r, &odd, node, role);
            before = role;
        } else if (c.units && is_wrapper(o, child.node)) {
            th__template_enter(&walk, child.node);
        } else if (c.units && c.ways & 1 << TH__ROLE_BY_SHAPE) {
            odd = (struct odd_child){child.node, before, c.step};
        }
    }
    end_run(r, &run, node, &context);
    place_odd(r, &odd, node, UINT32_MAX);
}

/* Returns true if the text of a role was the same on the pages learnt from. */
static bool is_expected(const th__template_role *role)
{
    return role->use == TH__USE_TEMPLATE && role->told != TH__ROLE_BY_ITSELF;
}

static void read_leaf(struct role_reader *r, uint32_t node)
{
    uint32_t first = r->o->first_unit[node], end = r->o->end_unit[node];
    uint32_t role = r->out->node_role[node];
    if (is_expected(&r->roles->roles[role]))
        for (uint32_t u = first; u < end; u++)
            assign_units(r, u, u, role);
    else if (first < end)
        assign_units(r, first, end - 1, role);
}

/* The harmonic mean of how much of the page has a role and how much of the template the page has:
 * it is low for pages with much more and for pages that lack much. */
static void count_explained(struct role_reader *r, uint8_t *met)
{
    uint32_t known = 0;
    double found = 0;
    for (uint32_t u = 0; u < r->o->unit_count; u++) {
        uint32_t role = r->out->unit_role[u];
        known += role == TH__ROLE_PART;
        if (role == TH__NO_ROLE || role == TH__ROLE_PART)
            continue;
        const th__template_role *here = &r->roles->roles[role];
        bool same = here->told == TH__ROLE_BY_ITSELF || here->text_hash == r->o->units[u].hash;
        known += same || here->use == TH__USE_DATA || here->lines;
        if (!same || met[role])
            continue;
        met[role] = 1;
        found += expectation(r->roles, here);
    }
    double page = r->o->unit_count ? (double)known / r->o->unit_count : 0;
    double all = r->roles->expected > 0 ? found / r->roles->expected : page;
    r->out->explained = page + all > 0 ? 2 * page * all / (page + all) : 0;
}

/* Returns true if a text may get another role than its place suggests: it has none, belongs to a
 * set, or is where the pages learnt from have a text of the template. */
static bool may_move(const struct role_reader *r, uint32_t unit)
{
    uint32_t number = r->out->unit_role[unit];
    const th__template_role *role = number < TH__ROLE_PART ? &r->roles->roles[number] : NULL;
    if (number == TH__NO_ROLE || (role && is_expected(role)))
        return !th__key_map_get(&r->roles->texts, r->o->units[unit].hash);
    return role && role->kind != TH__ROLE_SLOT && role->set != TH__NO_ROLE;
}

/* Finds the role + 1 of a text by its label, or else by the name of its element; 0 for none. */
static uint32_t find_anchor(const struct role_reader *r, uint32_t unit)
{
    const th__template_outline *o = r->o;
    uint32_t found = 0;
    if (unit && th__key_map_get(&r->roles->texts, o->units[unit - 1].hash))
        found = th__key_map_get(&r->roles->anchors, th__template_anchor(o, unit));
    uint64_t name = found || !r->roles->has_names ? 0 : th__template_name_anchor(o, unit);
    return name ? th__key_map_get(&r->roles->anchors, name) : found;
}

/* Identifies rows outside their usual place by their labels. Further values of a row follow the
 * first. */
static void find_anchored(struct role_reader *r)
{
    const th__template_outline *o = r->o;
    for (uint32_t u = 0; u < o->unit_count; u++) {
        if (!may_move(r, u))
            continue;
        uint32_t found = find_anchor(r, u);
        if (!found)
            continue;
        r->out->unit_role[u] = found - 1;
        if (!r->roles->roles[found - 1].many)
            continue;
        uint32_t first = u;
        if (o->units[u].node == o->units[u].block)
            continue; /* bare text: anything may follow */
        uint64_t step = th__template_node_step(o, o->units[u].node);
        while (u + 1 < o->unit_count && o->units[u + 1].block == o->units[first].block &&
               th__template_node_step(o, o->units[u + 1].node) == step && may_move(r, u + 1))
            r->out->unit_role[++u] = found - 1;
    }
}

bool th__template_roles_apply(const th__template_roles *roles, const th__template_outline *o,
                              th__arena *arena, th__template_reading *out)
{
    uint32_t nodes = o->page->node_count;
    struct role_reader r = {.roles = roles, .o = o, .arena = arena, .out = out};
    out->node_role = th__arena_alloc(arena, nodes * sizeof *out->node_role);
    out->unit_role = th__arena_alloc(arena, (o->unit_count + 1) * sizeof *out->unit_role);
    out->unit_last = th__arena_alloc(arena, (o->unit_count + 1) * sizeof *out->unit_last);
    r.seen = th__arena_zero(arena, roles->cell_count + 1, sizeof *r.seen);
    r.number = th__arena_zero(arena, roles->cell_count + 1, sizeof *r.number);
    uint8_t *met = th__arena_zero(arena, roles->count + 1, sizeof *met);
    if (!out->node_role || !out->unit_role || !out->unit_last || !r.seen || !r.number || !met)
        return false;
    for (uint32_t n = 0; n < nodes; n++)
        out->node_role[n] = TH__NO_ROLE;
    for (uint32_t u = 0; u < o->unit_count; u++) {
        out->unit_role[u] = TH__NO_ROLE;
        out->unit_last[u] = u;
    }
    out->node_role[0] = 0;
    out->hits = NULL;
    out->unit_hit = NULL;
    out->hit_count = 0;
    for (uint32_t n = 0; n < nodes; n++) {
        uint32_t role = out->node_role[n];
        if (role == TH__NO_ROLE)
            continue;
        const th__template_role *here = &roles->roles[role];
        if (here->leaf || here->told == TH__ROLE_BY_ITSELF) /* owns all its texts */
            read_leaf(&r, n);
        else
            read_children(&r, n);
        if ((here->lines && !here->lines->items && !read_lines(&r, n)) ||
            (here->has_items && !read_items(&r, n)))
            return false;
    }
    find_anchored(&r);
    count_explained(&r, met);
    return true;
}
