/*
 * template_lines.c: learns values that only their looks distinguish: parts of lines, and
 * elements that look alike but hold different things; see template_page.h.
 *
 * For the lines of a role it finds the sign that separates parts, which words are labels, whether
 * they are worth slots of their own, and whether lines are fields or rows of a set. The lines of
 * each element, and then the rows in them, are chains from which slots are learnt; every slot
 * becomes a role.
 */
#include <math.h>
#include <stdlib.h>

#include "engine/template/template_learn.h"
#include "page/tags.h"

/*
 * Which slots there are. Slots are learnt by progressive alignment, as for sequences of proteins:
 * the longest chain gives the first slots, each further one is aligned with them, and parts that
 * fit nowhere become slots of their own. Then every chain is taken out and aligned again, given the
 * others.
 *
 * Learning costs chains times parts times slots, all of which are limited.
 */

/* The parts of one run of lines. */
typedef struct th__template_chain {
    th__template_part *parts;
    uint32_t count, number;    /* parts; its place among the chains */
    th__template_slot **slots; /* by part: its slot, or NULL */
    double score;
} th__template_chain;

/* ---- counting -------------------------------------------------------------------------------- */

/* What a slot must save to be worthwhile: the cost of describing it. */
#define SLOT_COST 8
enum { ROUNDS = 3 };

struct slot_learner {
    th__template_chain *chains;
    uint32_t count, total; /* all chains; those already counted in the slots */
    th__template_slots *out;
    th__arena *arena;
    th__arena scratch;
};

static void count_trait(th__template_slot *slot, unsigned kind, const th__template_part *part,
                        int by)
{
    uint32_t *count = &slot->traits[kind].count, i = 0;
    th__template_trait *items = slot->traits[kind].items;
    if (!part->hashes[kind])
        return;
    slot->traits[kind].sum += (uint32_t)by;
    while (i < *count && items[i].hash != part->hashes[kind])
        i++;
    if (i == *count && (by < 0 || i == TH__MAX_TRAITS))
        return;
    if (i == *count)
        items[(*count)++] =
            (th__template_trait){.hash = part->hashes[kind], .text = part->texts[kind]};
    items[i].count += (uint32_t)by;
    if (!items[i].count)
        items[i] = items[--*count];
    slot->traits[kind].types = *count;
}

static void count_chain(struct slot_learner *l, const th__template_chain *chain, int by)
{
    l->total += (uint32_t)by;
    for (uint32_t i = 0; i < chain->count; i++) {
        th__template_slot *slot = chain->slots[i];
        if (!slot)
            continue;
        slot->present += (uint32_t)by;
        for (unsigned kind = 0; kind < TH__TRAITS; kind++)
            count_trait(slot, kind, &chain->parts[i], by);
    }
    for (size_t i = 0; i < l->out->count; i++)
        l->out->list[i]->total = l->total;
}

static bool find_background(struct slot_learner *l)
{
    th__template_slots *slots = l->out;
    size_t parts = 0;
    for (uint32_t c = 0; c < l->count; c++)
        parts += l->chains[c].count;
    if (!th__key_map_init(&slots->common, l->arena, TH__TRAITS * parts))
        return false;
    for (uint32_t c = 0; c < l->count; c++)
        for (uint32_t i = 0; i < l->chains[c].count; i++)
            for (unsigned kind = 0; kind < TH__TRAITS; kind++) {
                uint64_t hash = l->chains[c].parts[i].hashes[kind];
                uint64_t key = th__template_trait_key(kind, hash);
                if (!hash)
                    continue;
                th__key_map_put(&slots->common, key, th__key_map_get(&slots->common, key) + 1);
                slots->totals[kind]++;
            }
    return true;
}

/* ---- chains ---------------------------------------------------------------------------------- */

static th__template_slot *new_slot(struct slot_learner *l, const th__template_part *part)
{
    th__template_slot *slot = th__arena_zero(l->arena, 1, sizeof *slot);
    th__template_trait *items =
        th__arena_zero(l->arena, (size_t)TH__TRAITS * TH__MAX_TRAITS, sizeof *items);
    if (!slot || !items)
        return NULL;
    slot->label = part->label;
    slot->set = part->set;
    for (unsigned kind = 0; kind < TH__TRAITS; kind++)
        slot->traits[kind].items = items + (size_t)kind * TH__MAX_TRAITS;
    return slot;
}

static void insert_slot(th__template_slots *slots, size_t at, th__template_slot *slot)
{
    memmove(slots->list + at + 1, slots->list + at, (slots->count - at) * sizeof slot);
    slots->list[at] = slot;
    slots->count++;
}

/* The position after a slot; the first if there is none. */
static size_t place_behind(const struct slot_learner *l, const th__template_slot *slot)
{
    for (size_t i = 0; slot && i < l->out->count; i++)
        if (l->out->list[i] == slot)
            return i + 1;
    return 0;
}

/* Aligns a chain that is not counted yet, and counts it. With `grow`, parts that fit nowhere get
   new slots. */
static bool align_chain(struct slot_learner *l, th__template_chain *chain, bool grow,
                        th__template_way how)
{
    th__arena_clear(&l->scratch);
    uint32_t *at = th__arena_alloc(&l->scratch, (chain->count + 1) * sizeof *at);
    if (!at || !th__template_align(l->out, chain->parts, chain->count, how, &l->scratch, at,
                                   &chain->score))
        return false;
    for (uint32_t i = 0; i < chain->count; i++)
        chain->slots[i] = at[i] == TH__NO_SLOT ? NULL : l->out->list[at[i]];
    for (uint32_t i = 0; grow && i < chain->count; i++) {
        const th__template_part *part = &chain->parts[i];
        if (chain->slots[i] || th__template_part_is_empty(part) || l->out->count == TH__MAX_SLOTS)
            continue;
        size_t next = place_behind(l, i ? chain->slots[i - 1] : NULL);
        if (!(chain->slots[i] = new_slot(l, part)))
            return false;
        insert_slot(l->out, next, chain->slots[i]);
    }
    count_chain(l, chain, 1);
    return true;
}

static bool align_again(struct slot_learner *l, th__template_chain *chain, bool grow)
{
    count_chain(l, chain, -1);
    return align_chain(l, chain, grow, TH__ALIGN_IN_ORDER);
}

static void drop_unused(struct slot_learner *l, uint32_t least)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->out->count; i++) {
        th__template_slot *slot = l->out->list[i];
        if (slot->present >= least) {
            l->out->list[kept++] = slot;
            continue;
        }
        for (uint32_t c = 0; slot->present && c < l->count; c++)
            for (uint32_t k = 0; k < l->chains[c].count; k++)
                if (l->chains[c].slots[k] == slot)
                    l->chains[c].slots[k] = NULL;
    }
    l->out->count = kept;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int by_length(const void *a, const void *b)
{
    const th__template_chain *left = a, *right = b;
    return th__order(right->count, left->count) ?: th__order(left->number, right->number);
}

static bool learn_all_slots(th__template_chain *chains, uint32_t count, th__arena *arena,
                            th__template_slots *out)
{
    struct slot_learner l = {.chains = chains, .count = count, .out = out, .arena = arena};
    *out = (th__template_slots){0};
    th__arena_init(&l.scratch);
    qsort(chains, count, sizeof *chains, by_length);
    out->list = th__arena_alloc(arena, TH__MAX_SLOTS * sizeof *out->list);
    bool ok = out->list && find_background(&l);
    for (uint32_t c = 0; ok && c < count; c++)
        ok = align_chain(&l, &chains[c], true, TH__ALIGN_STRICTLY);
    for (unsigned round = 0; ok && round < ROUNDS; round++) {
        for (uint32_t c = 0; ok && c < count; c++)
            ok = align_again(&l, &chains[c], round + 1 < ROUNDS);
        if (ok)
            drop_unused(&l, 1);
    }
    if (ok)
        drop_unused(&l, count > 1 ? 2 : 1);
    out->score = -(double)SLOT_COST * (double)out->count;
    for (uint32_t c = 0; ok && c < count; c++) {
        ok = align_again(&l, &chains[c], false);
        out->score += chains[c].score;
    }
    th__arena_release(&l.scratch);
    return ok;
}

static bool add_chain(th__template_chain *chains, uint32_t *count, th__template_part *parts,
                      uint32_t part_count, uint32_t number, th__arena *arena)
{
    th__template_chain *chain = &chains[(*count)++];
    *chain = (th__template_chain){.parts = parts, .count = part_count, .number = number};
    chain->slots = th__arena_zero(arena, part_count + 1, sizeof *chain->slots);
    return chain->slots;
}

/* ---- the lines of a role --------------------------------------------------------------------- */

/* Slots are learnt from at most so many elements or rows: more would not change them. */
enum { MOST_RUNS = 64, MOST_ROWS = 160 };

/* The lines of one element. */
typedef struct line_run {
    th__template_part *parts; /* as read */
    uint32_t count;
    th__template_part *folded; /* rows of a set as one part */
    uint32_t folded_count;
} line_run;

/* The state while finding the lines of one role. */
typedef struct line_finder {
    th__template_learner *l;
    uint32_t index;                         /* the draft */
    const th__template_instance *instances; /* of it */
    uint32_t count;
    th__arena arena;
    th__template_lines lines;
    line_run *runs; /* by instance */
    th__template_slots slots;
} line_finder;

static bool fold_runs(line_finder *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        line_run *run = &f->runs[i];
        run->folded = th__arena_alloc(&f->arena, (run->count + 1) * sizeof *run->folded);
        if (!run->folded)
            return false;
        run->folded_count = th__template_lines_fold(&f->lines, run->parts, run->count, run->folded);
    }
    return true;
}

static bool learn_slots(line_finder *f, th__template_slots *out)
{
    uint32_t step = f->count > MOST_RUNS ? f->count / MOST_RUNS : 1, count = 0;
    th__template_chain *chains = th__arena_alloc(&f->arena, (MOST_RUNS + 1) * sizeof *chains);
    bool ok = chains;
    for (uint32_t i = 0; ok && i < f->count && count < MOST_RUNS; i += step)
        ok = add_chain(chains, &count, f->runs[i].folded, f->runs[i].folded_count, i, &f->arena);
    return ok && learn_all_slots(chains, count, &f->arena, out);
}

/* Slots of rows: each row is a chain. `all`: every line is a row. */
static bool learn_rows(line_finder *f, bool all, th__template_slots *out)
{
    uint32_t count = 0;
    th__template_chain *chains = th__arena_alloc(&f->arena, (MOST_ROWS + 1) * sizeof *chains);
    bool ok = chains;
    for (uint32_t i = 0; ok && i < f->count; i++) {
        line_run *run = &f->runs[i];
        for (uint32_t k = 0, end; ok && k < run->count && count < MOST_ROWS; k = end) {
            end = th__template_row_end(run->parts, k, run->count);
            if (all || run->parts[k].bullet)
                ok = add_chain(chains, &count, run->parts + k, end - k, count, &f->arena);
        }
    }
    return ok && learn_all_slots(chains, count, &f->arena, out);
}

/* Returns true if lines are rows of a set, not fields: they fit at least as well as rows. If there
 * are few elements, both are learnt from the same ones. */
static bool decide_rows(line_finder *f, th__template_slots *rows, bool *are)
{
    uint32_t labelled = 0;
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = 0; k < f->runs[i].count; k++)
            labelled += f->runs[i].parts[k].label || f->runs[i].parts[k].bullet;
    *are = false;
    if (labelled)
        return true;
    if (!learn_rows(f, true, rows))
        return false;
    *are = rows->score > f->slots.score;
    return true;
}

/* ---- drafts ---------------------------------------------------------------------------------- */

static int by_count(const void *a, const void *b)
{
    const th__template_trait *left = a, *right = b;
    return th__order(right->count, left->count) ?: th__order(left->hash, right->hash);
}

/* A copy for the rules, with the most common traits: they suffice to recognise a value. */
static bool copy_slot(th__template_learner *l, const th__template_slot *slot,
                      th__template_slot **out)
{
    enum { KEPT = 12 };
    th__template_slot *copy = th__arena_zero(l->arena, 1, sizeof *copy);
    if (!copy)
        return false;
    *copy = *slot;
    for (unsigned kind = 0; kind < TH__TRAITS; kind++) {
        uint32_t count = slot->traits[kind].count;
        qsort(slot->traits[kind].items, count, sizeof *slot->traits[kind].items, by_count);
        count = count > KEPT ? KEPT : count;
        copy->traits[kind].count = count;
        copy->traits[kind].items = th__arena_zero(l->arena, count + 1, sizeof(th__template_trait));
        if (!copy->traits[kind].items)
            return false;
        for (uint32_t i = 0; i < count; i++) {
            th__template_trait *trait = &copy->traits[kind].items[i];
            *trait = slot->traits[kind].items[i];
            trait->text = th__arena_copy(l->arena, trait->text);
            if (!trait->text.ptr)
                return false;
        }
    }
    *out = copy;
    return true;
}

static bool add_slot(th__template_learner *l, uint32_t parent, const th__template_slot *slot,
                     uint32_t room)
{
    th__template_draft fresh = {.same = (uint32_t)l->drafts.len};
    fresh.role = (th__template_role){.kind = TH__ROLE_SLOT, .parent = parent};
    fresh.role.ordinal = TH__NO_ROLE;
    fresh.instances = th__arena_alloc(&l->scratch, (room + 1) * sizeof *fresh.instances);
    fresh.spans = th__arena_alloc(&l->scratch, (room + 1) * sizeof *fresh.spans);
    return fresh.instances && fresh.spans && copy_slot(l, slot, &fresh.role.slot) &&
           th__vec_push(&l->drafts, fresh);
}

static bool add_slot_value(th__template_learner *l, uint32_t draft, uint32_t page,
                           const th__template_part *part, th_span span)
{
    th__template_draft *d = &l->drafts.data[draft];
    if (part->label && !d->role.label.ptr) {
        th_str text = th__page_slice(l->pages[page].page, part->maybe.start, part->maybe.end);
        if (!(d->role.label = th__arena_copy(l->arena, text)).ptr)
            return false;
    }
    if (span.start >= span.end || part->unit == UINT32_MAX)
        return true;
    if (!d->count || d->instances[d->count - 1].page != page)
        d->pages++;
    d->spans[d->count] = span;
    d->instances[d->count++] = (th__template_instance){page, part->unit, part->last};
    return true;
}

/* Adds the rows of one set: each is aligned with the slots of rows, or is one value. */
static bool add_rows(line_finder *f, uint32_t set, const th__template_slots *rows, uint32_t page,
                     const line_run *run, const th__template_part *all)
{
    bool ok = true;
    for (uint32_t k = all->from, end; ok && k < all->to; k = end) {
        uint32_t at[TH__MAX_PARTS];
        end = th__template_row_end(run->parts, k, all->to);
        th_span whole = {run->parts[k].span.start, run->parts[end - 1].span.end};
        if (rows->count < 2) {
            ok = add_slot_value(f->l, set, page, &run->parts[k], whole);
            continue;
        }
        ok = th__template_align(rows, run->parts + k, end - k, TH__ALIGN_FREELY, NULL, at, NULL);
        for (uint32_t i = k; ok && i < end; i++)
            if (at[i - k] != TH__NO_SLOT)
                ok = add_slot_value(f->l, set + 1 + at[i - k], page, &run->parts[i],
                                    run->parts[i].span);
    }
    return ok;
}

static uint32_t count_parts(const line_finder *f)
{
    uint32_t parts = 0;
    for (uint32_t i = 0; i < f->count; i++)
        parts += f->runs[i].count;
    return parts;
}

/* Adds drafts of the slots; the slots of a row follow the draft of the rows. */
static bool add_drafts(line_finder *f, const th__template_slots *rows, uint32_t *first)
{
    uint32_t room = f->count, parts = count_parts(f);
    for (size_t i = 0; i < f->slots.count; i++) {
        const th__template_slot *slot = f->slots.list[i];
        uint32_t set = (uint32_t)f->l->drafts.len;
        first[i] = set;
        if (!add_slot(f->l, f->index, slot, slot->set ? parts : room))
            return false;
        if (!slot->set)
            continue;
        f->l->drafts.data[set].role.list = true;
        for (size_t k = 0; rows->count > 1 && k < rows->count; k++)
            if (!add_slot(f->l, set, rows->list[k], parts))
                return false;
    }
    return true;
}

static bool add_values(line_finder *f, const th__template_slots *rows, const uint32_t *first)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < f->count; i++) {
        const line_run *run = &f->runs[i];
        uint32_t page = f->instances[i].page, at[TH__MAX_PARTS];
        ok = th__template_align(&f->slots, run->folded, run->folded_count, TH__ALIGN_FREELY, NULL,
                                at, NULL);
        for (uint32_t k = 0; ok && k < run->folded_count; k++) {
            const th__template_part *part = &run->folded[k];
            if (at[k] != TH__NO_SLOT)
                ok = part->set ? add_rows(f, first[at[k]], rows, page, run, part)
                               : add_slot_value(f->l, first[at[k]], page, part, part->span);
        }
    }
    return ok;
}

/* Records what the rules need to read the lines again. */
static bool note_lines(line_finder *f)
{
    th__template_lines *copy = th__arena_zero(f->l->arena, 1, sizeof *copy);
    if (!copy)
        return false;
    copy->rows = f->lines.rows;
    copy->gap = th__arena_copy(f->l->arena, f->lines.gap.ptr ? f->lines.gap : TH_STR(""));
    f->l->drafts.data[f->index].role.lines = copy;
    return copy->gap.ptr;
}

static bool find_line_slots(line_finder *f, bool *found)
{
    bool has_rows = false, all = false;
    th__template_slots rows = {0};
    for (uint32_t i = 0; i < f->count; i++)
        for (uint32_t k = 0; k < f->runs[i].count; k++)
            has_rows |= f->runs[i].parts[k].bullet;
    bool ok = fold_runs(f) && learn_slots(f, &f->slots) && decide_rows(f, &rows, &all);
    if (ok && all) {
        f->lines.rows = true;
        ok = fold_runs(f) && learn_slots(f, &f->slots);
    } else if (ok && has_rows) {
        ok = learn_rows(f, false, &rows);
    }
    uint32_t first[TH__MAX_SLOTS];
    *found = ok && f->slots.count;
    if (*found)
        ok = note_lines(f) && add_drafts(f, &rows, first) && add_values(f, &rows, first);
    return ok;
}

/* ---- elements within the lines --------------------------------------------------------------- */

/* Unnamed phrasing elements are part of a line, except links that most lines have. */
static bool is_inside(const line_finder *f, const th__template_item *it)
{
    const th__template_outline *o = &f->l->pages[it->page];
    const th__template_group *g = &f->l->groups.data[it->group];
    uint16_t tag = th__template_item_tag(f->l, it);
    if (!it->step)
        return true;
    return th__tag_is_wording(tag) && !o->cls[it->at] && !o->id[it->at] &&
           !(tag == TH_TAG_A && g->n.parents * 2 > f->count);
}

static bool find_inside(line_finder *f, uint32_t *breaks)
{
    th__template_learner *l = f->l;
    if (!th__key_map_init(&f->lines.inside, &f->arena, l->groups.len))
        return false;
    *breaks = 0;
    for (size_t i = 0; i < l->groups.len; i++) {
        const th__template_item *it = &l->items.data[l->groups.data[i].sample];
        if (!is_inside(f, it))
            th__key_map_put(&f->lines.inside, it->step | 1, 1);
        if (th__template_item_tag(l, it) == TH_TAG_BR)
            *breaks += l->groups.data[i].n.total;
    }
    return true;
}

static bool read_runs(line_finder *f)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < f->count; i++)
        ok = th__template_lines_read(&f->lines, &f->l->pages[f->instances[i].page],
                                     f->instances[i].at, &f->arena, &f->runs[i].parts,
                                     &f->runs[i].count);
    return ok;
}

/* ---- the sign between parts ------------------------------------------------------------------ */

static th_str part_text(const line_finder *f, uint32_t run, uint32_t part)
{
    th_span span = f->runs[run].parts[part].span;
    return th__page_slice(f->l->pages[f->instances[run].page].page, span.start, span.end);
}

static void find_gap(line_finder *f)
{
    uint32_t best = 0;
    for (size_t g = 0; g < th__sign_count; g++) {
        th_str gap = th__signs[g].text;
        uint32_t runs = 0, values = 0, parted = 0;
        for (uint32_t i = 0; th__template_is_field_gap(&th__signs[g]) && i < f->count; i++) {
            uint32_t here = 0;
            for (uint32_t k = 0; k < f->runs[i].count; k++)
                here += th__template_has_gap(part_text(f, i, k), gap);
            values += f->runs[i].count;
            parted += here;
            runs += here > 0;
        }
        bool common = th__sign_is_common(&th__signs[g]);
        uint32_t score = common ? runs : 2 * runs;
        if (runs >= 2 && runs * (common ? 2 : 5) >= f->count &&
            parted * 100 >= values * (common ? 8 : 3) && score > best) {
            best = score;
            f->lines.gap = gap;
        }
    }
}

/* ---- labels ---------------------------------------------------------------------------------- */

struct label_candidate {
    uint64_t hash;
    uint32_t runs, last, total, followed;
    uint16_t tag;
    bool colon;
};

struct label_candidates {
    th__key_map ids;
    TH__VEC(struct label_candidate) list;
};

static bool add_candidate(line_finder *f, struct label_candidates *c, uint32_t run,
                          const th__template_part *part)
{
    const th_page *page = f->l->pages[f->instances[run].page].page;
    uint32_t id = th__key_map_get(&c->ids, part->maybe_hash);
    if (!id) {
        struct label_candidate fresh = {
            .hash = part->maybe_hash, .tag = part->maybe_tag, .last = UINT32_MAX};
        if (!th__vec_push(&c->list, fresh))
            return false;
        th__key_map_put(&c->ids, part->maybe_hash, id = (uint32_t)c->list.len);
    }
    struct label_candidate *known = &c->list.data[id - 1];
    known->runs += known->last != run;
    known->last = run;
    known->total++;
    known->followed += part->followed;
    uint32_t end = part->maybe_tag ? part->elements[1] : 0;
    known->colon |= page->text.ptr[part->maybe.end - 1] == ':' ||
                    (end && end < page->text.len && page->text.ptr[end] == ':');
    return true;
}

/* Of the elements of a tag that precede something: the percentage whose text occurs elsewhere
   too. */
static uint32_t shared_percent(const struct label_candidates *c, uint16_t tag)
{
    uint32_t all = 0, shared = 0;
    for (size_t i = 0; i < c->list.len; i++)
        if (c->list.data[i].tag == tag) {
            all += c->list.data[i].followed;
            shared += c->list.data[i].runs > 1 ? c->list.data[i].followed : 0;
        }
    return all ? shared * 100 / all : 0;
}

/* A label recurs, once per element, before a value. It ends with a colon, or else its tag is one
 * that labels use, not emphasis within values. */
static bool is_label(const struct label_candidates *c, const struct label_candidate *one)
{
    enum { MOSTLY = 70 };
    if (one->runs < 2 || !one->followed || one->total * 10 > one->runs * 11)
        return false;
    return one->colon || (one->tag && shared_percent(c, one->tag) >= MOSTLY);
}

static bool find_labels(line_finder *f)
{
    struct label_candidates c = {0};
    size_t parts = 0;
    for (uint32_t i = 0; i < f->count; i++)
        parts += f->runs[i].count;
    bool ok = th__key_map_init(&c.ids, &f->arena, parts);
    for (uint32_t i = 0; ok && i < f->count; i++)
        for (uint32_t k = 0; ok && k < f->runs[i].count; k++)
            if (f->runs[i].parts[k].maybe_hash)
                ok = add_candidate(f, &c, i, &f->runs[i].parts[k]);
    ok = ok && th__key_map_init(&f->lines.labels, &f->arena, c.list.len);
    for (size_t i = 0; ok && i < c.list.len; i++)
        if (is_label(&c, &c.list.data[i]))
            th__key_map_put(&f->lines.labels, c.list.data[i].hash, 1);
    th__vec_release(&c.list);
    return ok;
}

/* ---- is it worth it? ------------------------------------------------------------------------- */

/* The parts in the lines of an element that have no label. */
struct loose {
    uint32_t lines, gaps;
};

static struct loose count_loose(const line_run *run)
{
    struct loose loose = {0};
    for (uint32_t k = 0; k < run->count; k++) {
        const th__template_part *part = &run->parts[k];
        loose.lines += part->line && !part->label;
        loose.gaps += !part->line;
    }
    return loose;
}

/* The number of elements that have the most common number of parts. */
static uint32_t count_usual(const line_finder *f)
{
    uint32_t best = 0, count = f->count;
    uint32_t some = count < MOST_RUNS ? count : MOST_RUNS; /* candidates for that number */
    for (uint32_t i = 0; i < some; i++) {
        struct loose usual = count_loose(&f->runs[i]);
        uint32_t same = 0;
        for (uint32_t k = 0; k < count; k++) {
            struct loose other = count_loose(&f->runs[k]);
            same += usual.lines == other.lines && usual.gaps == other.gaps;
        }
        best = same > best ? same : best;
    }
    return best;
}

/* Returns true if slots help. If all lines have the same number of parts, position identifies them;
 * labels do too, unless values continue on further lines. Prose has no parts, and a few lines
 * without a sign in them are one value, such as an address. */
static bool are_worth(const line_finder *f)
{
    enum { PROSE = 120, FEW = 4 };
    uint64_t bytes = 0, parts = 0, loose = 0, most = 0, gaps = 0, joined = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        struct loose here = count_loose(&f->runs[i]);
        if (f->runs[i].count >= TH__MAX_PARTS)
            return false;
        for (uint32_t k = 0; k < f->runs[i].count; k++) {
            const th__template_part *part = &f->runs[i].parts[k];
            bytes += part->span.end - part->span.start;
            joined += part->joined && part->label;
        }
        parts += f->runs[i].count;
        gaps += here.gaps;
        loose += here.lines;
        most = here.lines > most ? here.lines : most;
    }
    bool many = gaps * 10 >= f->count || (most > FEW && loose * 2 >= f->count * 3);
    many = many && count_usual(f) * 10 < f->count * 9;
    return (many || joined > 1) && bytes <= (uint64_t)PROSE * parts;
}

static bool tell_runs(line_finder *f)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < f->count; i++)
        ok = th__template_lines_tell(&f->lines, &f->l->pages[f->instances[i].page],
                                     f->runs[i].parts, &f->runs[i].count, &f->arena, true);
    return ok;
}

/* Removes items that are part of the lines; the others get roles as usual. */
static void drop_items(line_finder *f)
{
    th__template_learner *l = f->l;
    size_t kept = 0;
    for (size_t i = 0; i < l->items.len; i++)
        if (!is_inside(f, &l->items.data[i]))
            l->items.data[kept++] = l->items.data[i];
    l->items.len = kept;
}

bool th__template_find_lines(th__template_learner *l, uint32_t index, bool *found)
{
    const th__template_draft *d = &l->drafts.data[index];
    line_finder f = {.l = l, .index = index, .instances = d->instances, .count = d->count};
    uint32_t breaks = 0;
    *found = false;
    if (!index || d->pages < 2)
        return true;
    th__arena_init(&f.arena);
    f.runs = th__arena_zero(&f.arena, f.count + 1, sizeof *f.runs);
    bool ok = f.runs && th__key_map_init(&f.lines.labels, &f.arena, 1) && find_inside(&f, &breaks);
    if (ok && breaks * 2 >= f.count) {
        ok = read_runs(&f);
        if (ok)
            find_gap(&f);
        if (ok && f.lines.gap.len)
            ok = read_runs(&f);
        ok = ok && find_labels(&f) && tell_runs(&f);
        if (ok && are_worth(&f))
            ok = find_line_slots(&f, found);
        if (ok && *found)
            drop_items(&f);
    }
    th__arena_release(&f.arena);
    return ok;
}

/* ---- elements that look alike ------------------------------------------------------------------
 *
 *     <li>Public</li> <li>Community college</li> <li>Two-year</li>
 *     <p>3h 24m</p> <p>Sydney</p>
 *
 * Taken for items of a set, they would be one column. Where each place has values of its own kind,
 * they get slots as the parts of lines do. */

enum {
    MOST_ITEMS = 8,   /* per parent: more are a set */
    MOST_GROUPS = 64, /* parents that are learnt from */
    LEAST_PAGES = 4   /* fewer pages do not show what the values look like */
};

/* The items of one parent. */
struct item_group {
    uint32_t first, count; /* instances */
};

struct item_sorter {
    th__template_learner *l;
    uint32_t index;                         /* the draft */
    const th__template_instance *instances; /* of it */
    uint32_t count;
    th__arena arena;
    th__template_part *parts; /* by instance */
    TH__VEC(struct item_group) groups;
    th__template_slots slots;
};

static uint32_t parent_of(const struct item_sorter *s, uint32_t i)
{
    const th__template_instance *at = &s->instances[i];
    return s->l->pages[at->page].page->nodes[at->at].parent;
}

/* Collects groups of items; *some: several occur together, but never many. */
static bool find_groups(struct item_sorter *s, bool *some)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        struct item_group *last = s->groups.len ? &s->groups.data[s->groups.len - 1] : NULL;
        if (last && s->instances[last->first].page == s->instances[i].page &&
            parent_of(s, last->first) == parent_of(s, i)) {
            last->count++;
        } else if (!th__vec_push(&s->groups, (struct item_group){i, 1})) {
            return false;
        }
        last = &s->groups.data[s->groups.len - 1];
        most = last->count > most ? last->count : most;
    }
    *some = most > 1 && most <= MOST_ITEMS && s->groups.len >= LEAST_PAGES;
    return true;
}

static bool read_items(struct item_sorter *s)
{
    s->parts = th__arena_zero(&s->arena, s->count + 1, sizeof *s->parts);
    bool ok = s->parts;
    for (uint32_t i = 0; ok && i < s->count; i++) {
        const th__template_outline *o = &s->l->pages[s->instances[i].page];
        ok = th__template_item_part(o, s->instances[i].at, &s->arena, true, &s->parts[i]);
    }
    return ok;
}

static bool learn_items(struct item_sorter *s, bool one_by_one, th__template_slots *out)
{
    uint32_t count = 0;
    th__template_chain *chains =
        th__arena_zero(&s->arena, MOST_GROUPS * MOST_ITEMS + 1, sizeof *chains);
    bool ok = chains;
    for (size_t g = 0; ok && g < s->groups.len && g < MOST_GROUPS; g++) {
        struct item_group items = s->groups.data[g];
        for (uint32_t i = 0; ok && i < (one_by_one ? items.count : 1); i++)
            ok = add_chain(chains, &count, s->parts + items.first + i, one_by_one ? 1 : items.count,
                           count, &s->arena);
    }
    return ok && learn_all_slots(chains, count, &s->arena, out);
}

/* Returns true if slots distinguish the items: they fit better than a set does, and most slots are
 * filled. */
static bool decide(struct item_sorter *s, bool *are)
{
    th__template_slots set = {0};
    uint64_t present = 0, total = 0;
    bool ok = learn_items(s, false, &s->slots);
    for (size_t i = 0; ok && i < s->slots.count; i++) {
        present += s->slots.list[i]->present;
        total += s->slots.list[i]->total;
    }
    *are = ok && s->slots.count > 1 && present * 2 >= total;
    ok = ok && (!*are || learn_items(s, true, &set));
    *are = *are && s->slots.score > set.score;
    return ok;
}

static bool add_slots(struct item_sorter *s, uint32_t first)
{
    uint32_t set = s->l->drafts.data[s->index].role.set;
    for (size_t k = 0; k < s->slots.count; k++) {
        if (!add_slot(s->l, s->index, s->slots.list[k], (uint32_t)s->groups.len))
            return false;
        s->l->drafts.data[first + k].role.set = set;
    }
    bool ok = true;
    for (size_t g = 0; ok && g < s->groups.len; g++) {
        struct item_group items = s->groups.data[g];
        th__template_part *parts = s->parts + items.first;
        uint32_t at[MOST_ITEMS], page = s->instances[items.first].page;
        ok = th__template_align(&s->slots, parts, items.count, TH__ALIGN_FREELY, NULL, at, NULL);
        for (uint32_t i = 0; ok && i < items.count; i++)
            if (at[i] != TH__NO_SLOT)
                ok = add_slot_value(s->l, first + at[i], page, &parts[i], parts[i].span);
    }
    return ok;
}

static bool sort_items(th__template_learner *l, uint32_t index, bool *sorted)
{
    const th__template_draft *d = &l->drafts.data[index];
    struct item_sorter s = {.l = l, .index = index, .instances = d->instances, .count = d->count};
    bool some = false;
    th__arena_init(&s.arena);
    bool ok = find_groups(&s, &some);
    if (ok && some)
        ok = read_items(&s) && decide(&s, sorted);
    if (ok && *sorted) {
        th__template_lines *lines = th__arena_zero(l->arena, 1, sizeof *lines);
        ok = lines && (lines->gap = th__arena_copy(l->arena, TH_STR(""))).ptr &&
             add_slots(&s, (uint32_t)l->drafts.len);
        th__template_role *role = &l->drafts.data[index].role;
        role->lines = lines;
        role->use = TH__USE_STRUCTURE;
        role->many = false;
        if (lines)
            lines->items = true;
    }
    th__vec_release(&s.groups);
    th__arena_release(&s.arena);
    return ok;
}

bool th__template_sort_items(th__template_learner *l)
{
    size_t count = l->drafts.len;
    for (uint32_t i = 1; i < count; i++) {
        const th__template_draft *d = &l->drafts.data[i];
        bool sorted = false;
        if (d->role.kind != TH__ROLE_ELEMENT || !d->role.leaf || !d->role.list ||
            d->role.use != TH__USE_DATA || d->count == d->pages || d->pages < LEAST_PAGES)
            continue;
        if (!sort_items(l, i, &sorted))
            return false;
    }
    return true;
}
