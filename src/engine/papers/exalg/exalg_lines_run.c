/* exalg_lines_run.c: the lines of an element on a page, read with the slots of its role. */
#include "engine/papers/exalg/exalg_lines.h"
#include "engine/papers/exalg/exalg_roles.h"

/* ---- what follows from the roles ------------------------------------------------------------- */

static void add_background(th__exalg_background *b, const th__exalg_slot *slot)
{
    for (unsigned kind = 0; kind < TH__EXALG_TRAITS; kind++) {
        for (uint32_t i = 0; i < slot->traits[kind].count; i++) {
            const th__exalg_trait *trait = &slot->traits[kind].items[i];
            uint64_t key = th__exalg_trait_key(kind, trait->hash);
            th__key_map_put(&b->counts, key, th__key_map_get(&b->counts, key) + trait->count);
        }
        b->totals[kind] += slot->traits[kind].sum;
    }
}

/* The slots of a role, if it has any: they stand behind it, and what is in them too. */
static bool prepare_holder(th__exalg_roles *r, uint32_t index, th__arena *arena)
{
    th__exalg_role *role = &r->roles[index];
    size_t traits = 0, elements = 0;
    uint32_t count = 0, end = index + 1;
    for (; end < r->count && r->roles[end].parent >= index; end++)
        count += r->roles[end].parent == index && r->roles[end].kind == TH__EXALG_SLOT;
    role->slot_count = 0;
    role->slots = th__arena_zero(arena, count + 1, sizeof *role->slots);
    role->slot_list = th__arena_zero(arena, count + 1, sizeof *role->slot_list);
    if (!role->slots || !role->slot_list)
        return false;
    for (uint32_t i = index + 1; i < end; i++) {
        th__exalg_role *child = &r->roles[i];
        elements += child->parent == index && child->kind == TH__EXALG_ELEMENT;
        if (child->parent != index || child->kind != TH__EXALG_SLOT)
            continue;
        child->slot->label = child->label_hash;
        for (unsigned kind = 0; kind < TH__EXALG_TRAITS; kind++)
            traits += child->slot->traits[kind].count;
        role->slot_list[role->slot_count] = child->slot;
        role->slots[role->slot_count++] = i;
    }
    role->background = (th__exalg_background){0};
    if (!th__key_map_init(&role->background.counts, arena, traits))
        return false;
    for (uint32_t i = 0; i < count; i++)
        add_background(&role->background, role->slot_list[i]);
    if (!role->lines)
        return true;
    if (!th__key_map_init(&role->lines->inside, arena, elements) ||
        !th__key_map_init(&role->lines->labels, arena, count))
        return false;
    for (uint32_t i = index + 1; i < end; i++) {
        const th__exalg_role *child = &r->roles[i];
        if (child->parent == index && child->kind == TH__EXALG_ELEMENT)
            th__key_map_put(&role->lines->inside, child->step | 1, 1);
        if (child->kind == TH__EXALG_SLOT && child->label_hash)
            th__key_map_put(&role->lines->labels, child->label_hash, 1);
    }
    return true;
}

bool th__exalg_lines_prepare(th__exalg_roles *roles, th__arena *arena)
{
    bool ok = true;
    for (uint32_t i = 1; ok && i < roles->count; i++) {
        const th__exalg_role *role = &roles->roles[i];
        if (role->lines || (role->kind == TH__EXALG_SLOT && role->list))
            ok = prepare_holder(roles, i, arena);
        if (role->lines && role->lines->items)
            roles->roles[role->parent].has_items = true;
    }
    return ok;
}

/* ---- a page ---------------------------------------------------------------------------------- */

struct line_reader {
    const th__exalg_roles *roles;
    const th__exalg_outline *o;
    th__arena *arena;
    th__exalg_reading *out;
    th__exalg_part *parts; /* as read */
};

static bool add_hit(struct line_reader *r, const th__exalg_part *part, uint32_t role, uint32_t row,
                    th_span span)
{
    th__exalg_reading *out = r->out;
    if (part->unit == UINT32_MAX)
        return true;
    for (uint32_t u = part->unit; u <= part->last; u++)
        if (out->unit_role[u] == TH__EXALG_NO_ROLE)
            out->unit_role[u] = u == part->unit ? role : TH__EXALG_PART;
    if (span.start >= span.end)
        return true;
    if (!(out->hit_count & (out->hit_count - 1)) || !out->hits) { /* room is a power of two */
        size_t room = out->hit_count ? 2 * (size_t)out->hit_count : 16;
        room = room < 16 ? 16 : room;
        th__exalg_hit *more = th__arena_alloc(r->arena, room * sizeof *more);
        if (!more)
            return false;
        if (out->hit_count)
            memcpy(more, out->hits, out->hit_count * sizeof *more);
        out->hits = more;
    }
    if (!out->unit_hit[part->unit])
        out->unit_hit[part->unit] = out->hit_count + 1;
    out->hits[out->hit_count++] = (th__exalg_hit){role, part->unit, row, span};
    return true;
}

static bool align(struct line_reader *r, const th__exalg_role *role, const th__exalg_part *parts,
                  uint32_t count, uint32_t *at)
{
    double score;
    return th__exalg_align(&role->background, role->slot_list, role->slot_count, parts, count,
                           TH__EXALG_FREELY, r->arena, at, &score);
}

static bool read_rows(struct line_reader *r, uint32_t set, const th__exalg_part *all)
{
    const th__exalg_role *role = &r->roles->roles[set];
    for (uint32_t k = all->from, end; k < all->to; k = end) {
        uint32_t at[TH__EXALG_MAX_PARTS], row = set;
        for (end = k + 1; end < all->to && r->parts[end].row == r->parts[k].row;)
            end++;
        th_span whole = {r->parts[k].span.start, r->parts[end - 1].span.end};
        if (!role->slot_count) {
            if (!add_hit(r, &r->parts[k], set, TH__EXALG_NO_ROLE, whole))
                return false;
            continue;
        }
        if (!align(r, role, r->parts + k, end - k, at))
            return false;
        for (uint32_t i = k; i < end; i++) {
            const th__exalg_part *part = &r->parts[i];
            if (at[i - k] == TH__EXALG_NO_SLOT)
                continue;
            if (!add_hit(r, part, role->slots[at[i - k]], row, part->span))
                return false;
            if (part->unit != UINT32_MAX && part->span.start < part->span.end)
                row = TH__EXALG_NO_ROLE;
        }
    }
    return true;
}

bool th__exalg_roles_read_lines(const th__exalg_roles *roles, const th__exalg_outline *o,
                                uint32_t node, th__arena *arena, th__exalg_reading *out)
{
    struct line_reader r = {.roles = roles, .o = o, .arena = arena, .out = out};
    const th__exalg_role *role = &roles->roles[out->node_role[node]];
    uint32_t count, at[TH__EXALG_MAX_PARTS];
    if (!out->unit_hit)
        out->unit_hit = th__arena_zero(arena, o->unit_count + 1, sizeof *out->unit_hit);
    if (!out->unit_hit || !th__exalg_lines_read(role->lines, o, node, arena, &r.parts, &count) ||
        !th__exalg_lines_tell(role->lines, o, r.parts, &count, arena, false))
        return false;
    th__exalg_part *folded = th__arena_alloc(arena, (count + 1) * sizeof *folded);
    if (!folded)
        return false;
    count = th__exalg_lines_fold(role->lines, r.parts, count, folded);
    if (!align(&r, role, folded, count, at))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (at[i] == TH__EXALG_NO_SLOT)
            continue;
        uint32_t slot = role->slots[at[i]];
        bool ok = folded[i].set ? read_rows(&r, slot, &folded[i])
                                : add_hit(&r, &folded[i], slot, TH__EXALG_NO_ROLE, folded[i].span);
        if (!ok)
            return false;
    }
    return true;
}

/* ---- elements that look alike ---------------------------------------------------------------- */

enum { MOST_ITEMS = 16 }; /* further ones have no slot */

/* The elements of one role below a node, not inside of each other. */
static uint32_t find_items(const struct line_reader *r, uint32_t node, uint32_t role,
                           uint32_t *items)
{
    const th_node *nodes = r->o->page->nodes;
    uint32_t count = 0;
    for (uint32_t n = node + 1; n < nodes[node].end && count < MOST_ITEMS;) {
        uint32_t here = r->out->node_role[n];
        if (here == role)
            items[count++] = n;
        n = here == TH__EXALG_NO_ROLE ? n + 1 : nodes[n].end;
    }
    return count;
}

static bool read_items(struct line_reader *r, uint32_t node, uint32_t number)
{
    const th__exalg_role *role = &r->roles->roles[number];
    uint32_t items[MOST_ITEMS], at[MOST_ITEMS];
    th__exalg_part parts[MOST_ITEMS];
    uint32_t count = find_items(r, node, number, items);
    for (uint32_t i = 0; i < count; i++)
        if (!th__exalg_item_part(r->o, items[i], r->arena, false, &parts[i]))
            return false;
    if (!count || !align(r, role, parts, count, at))
        return !count;
    for (uint32_t i = 0; i < count; i++)
        if (at[i] != TH__EXALG_NO_SLOT &&
            !add_hit(r, &parts[i], role->slots[at[i]], TH__EXALG_NO_ROLE, parts[i].span))
            return false;
    return true;
}

/* Costs the nodes below, once for each role that has such elements; they nest no deeper than roles
 * do. */
bool th__exalg_roles_read_items(const th__exalg_roles *roles, const th__exalg_outline *o,
                                uint32_t node, th__arena *arena, th__exalg_reading *out)
{
    struct line_reader r = {.roles = roles, .o = o, .arena = arena, .out = out};
    uint32_t above = out->node_role[node];
    if (!out->unit_hit)
        out->unit_hit = th__arena_zero(arena, o->unit_count + 1, sizeof *out->unit_hit);
    if (!out->unit_hit)
        return false;
    for (uint32_t i = above + 1; i < roles->count && roles->roles[i].parent >= above; i++) {
        const th__exalg_role *role = &roles->roles[i];
        if (role->parent == above && role->lines && role->lines->items && !read_items(&r, node, i))
            return false;
    }
    return true;
}
