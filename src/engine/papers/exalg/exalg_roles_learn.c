/*
 * exalg_roles_learn.c: which roles there are: from the document down, level by level.
 *
 * The instances of a role are elements, on all pages. Their children are laid side by side and get
 * roles of their own (see exalg_roles.h), whose instances they are. So every element and text of
 * the pages is looked at once as a child; the cost is linear in the pages.
 */
#include "engine/papers/exalg/exalg_roles_learn.h"

#include "base/cancel.h"
#include "engine/papers/exalg/exalg_draft.h"

/* ---- names that tell ------------------------------------------------------------------------- */

enum { FEW_NAMES = 512 };

struct names {
    th__key_map ids;
    TH__VEC(uint32_t) pages; /* by name: how many have it */
    TH__VEC(uint32_t) last;
    TH__VEC(th__exalg_instance) places; /* where it stands; at: node, and whether it is an id */
    TH__VEC(bool) is_id;
};

static bool count_name(struct names *n, th__arena *arena, uint64_t hash, uint32_t page,
                       uint32_t node, bool is_id)
{
    if (!hash)
        return true;
    uint32_t id = th__key_map_get(&n->ids, hash);
    if (!id) {
        if (!th__key_map_room(&n->ids, arena, n->pages.len) || !th__vec_push(&n->pages, 0) ||
            !th__vec_push(&n->last, UINT32_MAX) ||
            !th__vec_push(&n->places, (th__exalg_instance){page, node}) ||
            !th__vec_push(&n->is_id, is_id))
            return false;
        th__key_map_put(&n->ids, hash, id = (uint32_t)n->pages.len);
    }
    n->pages.data[id - 1] += n->last.data[id - 1] != page;
    n->last.data[id - 1] = page;
    return true;
}

/* Names that a good part of the pages share. */
static bool find_names(th__exalg_learner *l, th__exalg_roles *out)
{
    struct names n = {0};
    bool ok = th__key_map_init(&n.ids, &l->scratch, FEW_NAMES);
    for (uint32_t p = 0; ok && p < l->page_count; p++)
        for (uint32_t node = 1; ok && node < l->pages[p].page->node_count; node++)
            ok = count_name(&n, &l->scratch, l->pages[p].cls[node], p, node, false) &&
                 count_name(&n, &l->scratch, l->pages[p].id[node], p, node, true);
    out->names = ok ? th__arena_zero(l->arena, n.pages.len + 1, sizeof *out->names) : NULL;
    ok = out->names;
    for (size_t i = 0; ok && i < n.pages.len; i++) {
        if (n.pages.data[i] < 2 || n.pages.data[i] < l->options->support * l->page_count)
            continue;
        const th_page *page = l->pages[n.places.data[i].page].page;
        out->names[out->name_count] =
            th__exalg_copy_name(l, page, n.places.data[i].at, n.is_id.data[i], 1);
        ok = out->names[out->name_count++].ptr;
    }
    th__vec_release(&n.pages);
    th__vec_release(&n.last);
    th__vec_release(&n.places);
    th__vec_release(&n.is_id);
    return ok;
}

/* ---- in order -------------------------------------------------------------------------------- */

/* Only roles that hold texts stay. Drafts stand level by level; the rules are in preorder, children
 * in the order in which they first stand on a page. */
struct sorter {
    th__exalg_learner *l;
    uint32_t *first_child, *next, *last_child; /* by draft */
    bool *used;
};

static bool link_children(th__exalg_learner *l, struct sorter *s)
{
    size_t count = l->drafts.len;
    s->first_child = th__arena_alloc(&l->scratch, count * sizeof *s->first_child);
    s->last_child = th__arena_alloc(&l->scratch, count * sizeof *s->last_child);
    s->next = th__arena_alloc(&l->scratch, count * sizeof *s->next);
    s->used = th__arena_zero(&l->scratch, count, sizeof *s->used);
    if (!s->first_child || !s->last_child || !s->next || !s->used)
        return false;
    for (size_t i = 0; i < count; i++)
        s->first_child[i] = s->last_child[i] = s->next[i] = TH__EXALG_NO_ROLE;
    for (size_t i = count; i-- > 1;) {
        s->used[i] |=
            l->drafts.data[i].role.use != TH__EXALG_STRUCTURE || l->drafts.data[i].role.inner;
        s->used[l->drafts.data[i].role.parent] |= s->used[i];
    }
    s->used[0] = true;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t parent = l->drafts.data[i].role.parent;
        if (!s->used[i])
            continue;
        if (s->last_child[parent] == TH__EXALG_NO_ROLE)
            s->first_child[parent] = i;
        else
            s->next[s->last_child[parent]] = i;
        s->last_child[parent] = i;
    }
    return true;
}

/* The first in the order of the template stands for all that share a field. */
static void settle_same(th__exalg_roles *out, uint32_t *number)
{
    uint32_t *first = number; /* by draft, from here on */
    for (uint32_t i = out->count; i-- > 0;)
        first[out->roles[i].same] = i;
    for (uint32_t i = 0; i < out->count; i++)
        out->roles[i].same = first[out->roles[i].same];
}

static bool make_rules(th__exalg_learner *l, th__exalg_roles *out)
{
    struct sorter s = {.l = l};
    size_t count = l->drafts.len;
    uint32_t *number = th__arena_alloc(&l->scratch, count * sizeof *number);
    out->roles = th__arena_zero(l->arena, count, sizeof *out->roles);
    if (!number || !out->roles || !link_children(l, &s))
        return false;
    for (uint32_t at = 0; at != TH__EXALG_NO_ROLE;) {
        th__exalg_role *role = &out->roles[out->count];
        *role = l->drafts.data[at].role;
        role->parent = at ? number[role->parent] : TH__EXALG_NO_ROLE;
        role->set = role->set == TH__EXALG_NO_ROLE ? role->set : number[role->set];
        role->same = l->drafts.data[at].same;
        number[at] = out->count++;
        if (s.first_child[at] != TH__EXALG_NO_ROLE) {
            at = s.first_child[at];
            continue;
        }
        while (at && s.next[at] == TH__EXALG_NO_ROLE)
            at = l->drafts.data[at].role.parent;
        at = at ? s.next[at] : TH__EXALG_NO_ROLE;
    }
    settle_same(out, number);
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool begin(th__exalg_learner *l)
{
    th__exalg_draft root = {.count = l->page_count, .pages = l->page_count};
    root.role.parent = TH__EXALG_NO_ROLE;
    root.role.ordinal = TH__EXALG_NO_ROLE;
    root.instances = th__arena_zero(&l->scratch, l->page_count + 1, sizeof *root.instances);
    for (uint32_t p = 0; root.instances && p < l->page_count; p++)
        root.instances[p].page = p;
    return root.instances && th__vec_push(&l->drafts, root);
}

bool th__exalg_roles_learn(const th__exalg_options *options, th__exalg_outline *outlines,
                           uint32_t page_count, th__arena *arena, th__exalg_roles *out)
{
    th__exalg_learner l = {
        .options = options, .pages = outlines, .page_count = page_count, .arena = arena};
    *out = (th__exalg_roles){.pages = page_count, .placeholders = options->placeholders};
    th__arena_init(&l.scratch);
    th__arena_init(&l.level);
    bool ok = find_names(&l, out) && th__exalg_roles_prepare(out, arena);
    for (uint32_t p = 0; ok && p < page_count; p++)
        th__exalg_outline_know(&outlines[p], &out->known);
    ok = ok && begin(&l);
    for (uint32_t i = 0; ok && i < l.drafts.len; i++) {
        const th__exalg_role *role = &l.drafts.data[i].role;
        if (role->kind == TH__EXALG_ELEMENT && !role->leaf && !role->inner &&
            role->told != TH__EXALG_BY_ITSELF)
            ok = !th__cancelled(options->cancel) && th__exalg_expand(&l, i);
    }
    ok = ok && th__exalg_find_fields(&l) && make_rules(&l, out) &&
         th__exalg_roles_prepare(out, arena);
    th__vec_release(&l.drafts);
    th__vec_release(&l.items);
    th__vec_release(&l.groups);
    th__vec_release(&l.words);
    th__vec_release(&l.cells);
    th__arena_release(&l.level);
    th__arena_release(&l.scratch);
    return ok;
}
