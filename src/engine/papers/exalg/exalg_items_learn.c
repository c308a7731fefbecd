/*
 * exalg_items_learn.c: elements that stand one after the other and look alike, but hold different
 * things:
 *
 *     <li>Public</li> <li>Community college</li> <li>Two-year</li>
 *     <p>3h 24m</p> <p>Sydney</p>
 *
 * Taken for items of a set, they would be one column. Where each place has values of its own kind,
 * they get slots as the parts of lines do (see exalg_lines.h).
 */
#include "engine/papers/exalg/exalg_draft.h"
#include "engine/papers/exalg/exalg_slots_learn.h"

enum {
    MOST_ITEMS = 8,   /* in one parent: more are a set */
    MOST_GROUPS = 64, /* parents that are learnt from */
    LEAST_PAGES = 4   /* fewer do not show what values are like */
};

/* The items of one parent. */
struct items {
    uint32_t first, count; /* instances */
};

struct sorter {
    th__exalg_learner *l;
    uint32_t index; /* the draft */
    th__arena arena;
    th__exalg_part *parts; /* by instance */
    TH__VEC(struct items) groups;
    th__exalg_slots slots;
};

static const th__exalg_draft *draft_of(const struct sorter *s)
{
    return &s->l->drafts.data[s->index];
}

static uint32_t parent_of(const struct sorter *s, uint32_t i)
{
    const th__exalg_instance *at = &draft_of(s)->instances[i];
    return s->l->pages[at->page].page->nodes[at->at].parent;
}

/* Groups of items; *some: several stand together, and never many. */
static bool find_groups(struct sorter *s, bool *some)
{
    const th__exalg_draft *d = draft_of(s);
    uint32_t most = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        struct items *last = s->groups.len ? &s->groups.data[s->groups.len - 1] : NULL;
        if (last && d->instances[last->first].page == d->instances[i].page &&
            parent_of(s, last->first) == parent_of(s, i)) {
            last->count++;
        } else if (!th__vec_push(&s->groups, (struct items){i, 1})) {
            return false;
        }
        last = &s->groups.data[s->groups.len - 1];
        most = last->count > most ? last->count : most;
    }
    *some = most > 1 && most <= MOST_ITEMS && s->groups.len >= LEAST_PAGES;
    return true;
}

static bool read_items(struct sorter *s)
{
    const th__exalg_draft *d = draft_of(s);
    s->parts = th__arena_zero(&s->arena, d->count + 1, sizeof *s->parts);
    bool ok = s->parts;
    for (uint32_t i = 0; ok && i < d->count; i++) {
        const th__exalg_outline *o = &s->l->pages[d->instances[i].page];
        ok = th__exalg_item_part(o, d->instances[i].at, &s->arena, true, &s->parts[i]);
    }
    return ok;
}

static bool learn(struct sorter *s, bool one_by_one, th__exalg_slots *out)
{
    uint32_t count = 0;
    th__exalg_chain *chains =
        th__arena_zero(&s->arena, MOST_GROUPS * MOST_ITEMS + 1, sizeof *chains);
    bool ok = chains;
    for (size_t g = 0; ok && g < s->groups.len && g < MOST_GROUPS; g++) {
        struct items items = s->groups.data[g];
        for (uint32_t i = 0; ok && i < (one_by_one ? items.count : 1); i++, count++) {
            chains[count] = (th__exalg_chain){.parts = s->parts + items.first + i,
                                              .count = one_by_one ? 1 : items.count,
                                              .number = count};
            chains[count].slots =
                th__arena_zero(&s->arena, items.count + 1, sizeof *chains[count].slots);
            ok = chains[count].slots;
        }
    }
    return ok && th__exalg_slots_learn(chains, count, &s->arena, out);
}

/* How much two slots have in common in a trait, 0 to 1. */
static double overlap(const th__exalg_slot *a, const th__exalg_slot *b, unsigned kind)
{
    double sum = 0;
    for (uint32_t i = 0; i < a->traits[kind].count; i++)
        for (uint32_t k = 0; k < b->traits[kind].count; k++) {
            const th__exalg_trait *left = &a->traits[kind].items[i],
                                  *right = &b->traits[kind].items[k];
            double here = (double)left->count / a->traits[kind].sum;
            double there = (double)right->count / b->traits[kind].sum;
            if (left->hash == right->hash)
                sum += here < there ? here : there;
        }
    return sum;
}

/* Whether slots come again after others: then the items are those of a set of tuples, one after the
 * other (day, event, day, event). */
static bool come_again(const th__exalg_slots *slots)
{
    const double alike = 0.6; /* most values could stand in either */
    for (size_t i = 0; i < slots->list.len; i++)
        for (size_t k = i + 2; k < slots->list.len; k++)
            if (overlap(slots->list.data[i], slots->list.data[k], TH__EXALG_TRAIT_SHAPE) >= alike &&
                overlap(slots->list.data[i], slots->list.data[k], TH__EXALG_TRAIT_SIZE) >= alike)
                return true;
    return false;
}

/* Whether the items are told apart by slots: they fit better than as items of a set do, and most
 * slots are filled. */
static bool decide(struct sorter *s, bool *are)
{
    th__exalg_slots set = {0};
    uint64_t present = 0, total = 0;
    bool ok = learn(s, false, &s->slots) && learn(s, true, &set);
    for (size_t i = 0; ok && i < s->slots.list.len; i++) {
        present += s->slots.list.data[i]->present;
        total += s->slots.list.data[i]->total;
    }
    bool steady = present * 10 >= total * 9;
    *are = ok && s->slots.list.len > 1 && present * 2 >= total && s->slots.score > set.score &&
           (steady || !come_again(&s->slots));
    th__exalg_slots_release(&set);
    return ok;
}

static bool add_slots(struct sorter *s, uint32_t first)
{
    uint32_t set = draft_of(s)->role.set;
    for (size_t k = 0; k < s->slots.list.len; k++) {
        if (!th__exalg_add_slot(s->l, s->index, s->slots.list.data[k], (uint32_t)s->groups.len))
            return false;
        s->l->drafts.data[first + k].role.set = set;
    }
    bool ok = true;
    for (size_t g = 0; ok && g < s->groups.len; g++) {
        struct items items = s->groups.data[g];
        uint32_t at[MOST_ITEMS];
        double score;
        th__arena scratch;
        th__arena_init(&scratch);
        ok = th__exalg_align(&s->slots.background, s->slots.list.data, (uint32_t)s->slots.list.len,
                             s->parts + items.first, items.count, TH__EXALG_FREELY, &scratch, at,
                             &score);
        for (uint32_t i = 0; ok && i < items.count; i++)
            if (at[i] != TH__EXALG_NO_SLOT)
                ok = th__exalg_add_slot_value(
                    s->l, first + at[i], draft_of(s)->instances[items.first + i].page,
                    &s->parts[items.first + i], s->parts[items.first + i].span);
        th__arena_release(&scratch);
    }
    return ok;
}

static bool sort_items(th__exalg_learner *l, uint32_t index, bool *sorted)
{
    struct sorter s = {.l = l, .index = index};
    bool some = false;
    th__arena_init(&s.arena);
    bool ok = find_groups(&s, &some);
    if (ok && some)
        ok = read_items(&s) && decide(&s, sorted);
    if (ok && *sorted) {
        th__exalg_lines *lines = th__arena_zero(l->arena, 1, sizeof *lines);
        ok = lines && (lines->gap = th__arena_copy(l->arena, TH_STR(""))).ptr &&
             add_slots(&s, (uint32_t)l->drafts.len);
        th__exalg_role *role = &l->drafts.data[index].role;
        role->lines = lines;
        role->use = TH__EXALG_STRUCTURE;
        role->many = false;
        if (lines)
            lines->items = true;
    }
    th__exalg_slots_release(&s.slots);
    th__vec_release(&s.groups);
    th__arena_release(&s.arena);
    return ok;
}

bool th__exalg_sort_items(th__exalg_learner *l)
{
    size_t count = l->drafts.len;
    for (uint32_t i = 1; i < count; i++) {
        const th__exalg_draft *d = &l->drafts.data[i];
        bool sorted = false;
        if (d->role.kind != TH__EXALG_ELEMENT || !d->role.leaf || !d->role.list ||
            d->role.use != TH__EXALG_DATA || d->count == d->pages || d->pages < LEAST_PAGES)
            continue;
        if (!sort_items(l, i, &sorted))
            return false;
    }
    return true;
}
