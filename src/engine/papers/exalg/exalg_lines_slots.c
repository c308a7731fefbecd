/*
 * exalg_lines_slots.c: the slots of lines, and the roles that they become: which lines are fields,
 * which are rows of a set, and which value of each page is in which slot. exalg_slots_learn.h finds
 * slots for chains of parts; here the lines of elements, and then the rows in them, are made into
 * chains.
 */
#include <stdlib.h>

#include "engine/papers/exalg/exalg_lines_learn.h"

/* Slots of rows are learnt from so many at most: more say the same. */
enum { MOST_ROWS = 160 };

static bool fold_runs(th__exalg_line_finder *f)
{
    const th__exalg_draft *d = th__exalg_draft_of(f);
    for (uint32_t i = 0; i < d->count; i++) {
        th__exalg_run *run = &f->runs[i];
        run->folded = th__arena_alloc(&f->arena, (run->count + 1) * sizeof *run->folded);
        if (!run->folded)
            return false;
        run->folded_count = th__exalg_lines_fold(&f->lines, run->parts, run->count, run->folded);
    }
    return true;
}

static bool make_chain(th__exalg_line_finder *f, th__exalg_part *parts, uint32_t count,
                       uint32_t number, th__exalg_chain *out)
{
    *out = (th__exalg_chain){.parts = parts, .count = count, .number = number};
    out->slots = th__arena_zero(&f->arena, count + 1, sizeof *out->slots);
    return out->slots;
}

static bool learn_slots(th__exalg_line_finder *f, th__exalg_slots *out)
{
    const th__exalg_draft *d = th__exalg_draft_of(f);
    uint32_t step = d->count > TH__EXALG_MOST_RUNS ? d->count / TH__EXALG_MOST_RUNS : 1, count = 0;
    th__exalg_chain *chains =
        th__arena_alloc(&f->arena, (TH__EXALG_MOST_RUNS + 1) * sizeof *chains);
    bool ok = chains;
    for (uint32_t i = 0; ok && i < d->count && count < TH__EXALG_MOST_RUNS; i += step, count++)
        ok = make_chain(f, f->runs[i].folded, f->runs[i].folded_count, i, &chains[count]);
    return ok && th__exalg_slots_learn(chains, count, &f->arena, out);
}

/* Where the row that begins at a part ends. */
static uint32_t row_end(const th__exalg_run *run, uint32_t from, uint32_t to)
{
    uint32_t at = from + 1;
    while (at < to && run->parts[at].row == run->parts[from].row)
        at++;
    return at;
}

/* Slots of rows: each row is a chain. `all`: every line is a row. */
static bool learn_rows(th__exalg_line_finder *f, bool all, th__exalg_slots *out)
{
    const th__exalg_draft *d = th__exalg_draft_of(f);
    uint32_t count = 0;
    th__exalg_chain *chains = th__arena_alloc(&f->arena, (MOST_ROWS + 1) * sizeof *chains);
    bool ok = chains;
    for (uint32_t i = 0; ok && i < d->count; i++) {
        th__exalg_run *run = &f->runs[i];
        for (uint32_t k = 0, end; ok && k < run->count && count < MOST_ROWS; k = end) {
            end = row_end(run, k, run->count);
            if (!all && !run->parts[k].bullet)
                continue;
            ok = make_chain(f, run->parts + k, end - k, count, &chains[count]);
            count++;
        }
    }
    return ok && th__exalg_slots_learn(chains, count, &f->arena, out);
}

/* Whether lines are rows of a set rather than fields: as rows they fit as well. Both are learnt
 * from the same elements where there are few. */
static bool decide_rows(th__exalg_line_finder *f, th__exalg_slots *rows, bool *are)
{
    uint32_t labelled = 0;
    for (uint32_t i = 0; i < th__exalg_draft_of(f)->count; i++)
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
    const th__exalg_trait *left = a, *right = b;
    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    return left->hash < right->hash ? -1 : left->hash > right->hash;
}

/* A copy for the rules: the most common traits, which are enough to know a value by. */
static bool copy_slot(th__exalg_learner *l, const th__exalg_slot *slot, th__exalg_slot **out)
{
    enum { KEPT = 12 };
    th__exalg_slot *copy = th__arena_zero(l->arena, 1, sizeof *copy);
    if (!copy)
        return false;
    *copy = *slot;
    for (unsigned kind = 0; kind < TH__EXALG_TRAITS; kind++) {
        uint32_t count = slot->traits[kind].count;
        qsort(slot->traits[kind].items, count, sizeof *slot->traits[kind].items, by_count);
        count = count > KEPT ? KEPT : count;
        copy->traits[kind].count = count;
        copy->traits[kind].items = th__arena_zero(l->arena, count + 1, sizeof(th__exalg_trait));
        if (!copy->traits[kind].items)
            return false;
        for (uint32_t i = 0; i < count; i++) {
            th__exalg_trait *trait = &copy->traits[kind].items[i];
            *trait = slot->traits[kind].items[i];
            trait->text = th__arena_copy(l->arena, trait->text);
            if (!trait->text.ptr)
                return false;
        }
    }
    *out = copy;
    return true;
}

bool th__exalg_add_slot(th__exalg_learner *l, uint32_t parent, const th__exalg_slot *slot,
                        uint32_t room)
{
    th__exalg_draft fresh = {.same = (uint32_t)l->drafts.len};
    fresh.role = (th__exalg_role){.kind = TH__EXALG_SLOT, .parent = parent};
    fresh.role.ordinal = TH__EXALG_NO_ROLE;
    fresh.instances = th__arena_alloc(&l->scratch, (room + 1) * sizeof *fresh.instances);
    fresh.spans = th__arena_alloc(&l->scratch, (room + 1) * sizeof *fresh.spans);
    return fresh.instances && fresh.spans && copy_slot(l, slot, &fresh.role.slot) &&
           th__vec_push(&l->drafts, fresh);
}

bool th__exalg_add_slot_value(th__exalg_learner *l, uint32_t draft, uint32_t page,
                              const th__exalg_part *part, th_span span)
{
    th__exalg_draft *d = &l->drafts.data[draft];
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
    d->instances[d->count++] = (th__exalg_instance){page, part->unit, part->last};
    return true;
}

/* The rows of one set: each aligned with the slots of rows, or one value as it stands. */
static bool add_rows(th__exalg_line_finder *f, uint32_t set, const th__exalg_slots *rows,
                     uint32_t page, const th__exalg_run *run, const th__exalg_part *all)
{
    bool ok = true;
    for (uint32_t k = all->from, end; ok && k < all->to; k = end) {
        uint32_t at[TH__EXALG_MAX_PARTS];
        double score;
        end = row_end(run, k, all->to);
        th_span whole = {run->parts[k].span.start, run->parts[end - 1].span.end};
        if (rows->list.len < 2) {
            ok = th__exalg_add_slot_value(f->l, set, page, &run->parts[k], whole);
            continue;
        }
        th__arena scratch;
        th__arena_init(&scratch);
        ok = th__exalg_align(&rows->background, rows->list.data, (uint32_t)rows->list.len,
                             run->parts + k, end - k, TH__EXALG_FREELY, &scratch, at, &score);
        for (uint32_t i = k; ok && i < end; i++)
            if (at[i - k] != TH__EXALG_NO_SLOT)
                ok = th__exalg_add_slot_value(f->l, set + 1 + at[i - k], page, &run->parts[i],
                                              run->parts[i].span);
        th__arena_release(&scratch);
    }
    return ok;
}

static uint32_t count_parts(const th__exalg_line_finder *f)
{
    uint32_t parts = 0;
    for (uint32_t i = 0; i < th__exalg_draft_of(f)->count; i++)
        parts += f->runs[i].count;
    return parts;
}

/* Drafts of the slots; behind those of rows the slots of a row. */
static bool add_drafts(th__exalg_line_finder *f, const th__exalg_slots *rows, uint32_t *first)
{
    uint32_t room = th__exalg_draft_of(f)->count, parts = count_parts(f);
    for (size_t i = 0; i < f->slots.list.len; i++) {
        const th__exalg_slot *slot = f->slots.list.data[i];
        uint32_t set = (uint32_t)f->l->drafts.len;
        first[i] = set;
        if (!th__exalg_add_slot(f->l, f->index, slot, slot->set ? parts : room))
            return false;
        if (!slot->set)
            continue;
        f->l->drafts.data[set].role.list = true;
        for (size_t k = 0; rows->list.len > 1 && k < rows->list.len; k++)
            if (!th__exalg_add_slot(f->l, set, rows->list.data[k], parts))
                return false;
    }
    return true;
}

static bool add_values(th__exalg_line_finder *f, const th__exalg_slots *rows, const uint32_t *first)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < th__exalg_draft_of(f)->count; i++) {
        const th__exalg_run *run = &f->runs[i];
        uint32_t page = th__exalg_draft_of(f)->instances[i].page, at[TH__EXALG_MAX_PARTS];
        double score;
        th__arena scratch;
        th__arena_init(&scratch);
        ok =
            th__exalg_align(&f->slots.background, f->slots.list.data, (uint32_t)f->slots.list.len,
                            run->folded, run->folded_count, TH__EXALG_FREELY, &scratch, at, &score);
        for (uint32_t k = 0; ok && k < run->folded_count; k++) {
            if (at[k] == TH__EXALG_NO_SLOT)
                continue;
            const th__exalg_part *part = &run->folded[k];
            ok = part->set ? add_rows(f, first[at[k]], rows, page, run, part)
                           : th__exalg_add_slot_value(f->l, first[at[k]], page, part, part->span);
        }
        th__arena_release(&scratch);
    }
    return ok;
}

/* What the rules must know to read lines again. */
static bool note_lines(th__exalg_line_finder *f)
{
    th__exalg_lines *copy = th__arena_zero(f->l->arena, 1, sizeof *copy);
    if (!copy)
        return false;
    copy->rows = f->lines.rows;
    if (f->lines.tail.len && !(copy->tail = th__arena_copy(f->l->arena, f->lines.tail)).ptr)
        return false;
    copy->gap = th__arena_copy(f->l->arena, f->lines.gap.ptr ? f->lines.gap : TH_STR(""));
    f->l->drafts.data[f->index].role.lines = copy;
    return copy->gap.ptr;
}

bool th__exalg_find_line_slots(th__exalg_line_finder *f, bool *found)
{
    bool has_rows = false, all = false;
    th__exalg_slots rows = {0};
    for (uint32_t i = 0; i < th__exalg_draft_of(f)->count; i++)
        for (uint32_t k = 0; k < f->runs[i].count; k++)
            has_rows |= f->runs[i].parts[k].bullet;
    bool ok = fold_runs(f) && learn_slots(f, &f->slots) && decide_rows(f, &rows, &all);
    if (ok && all) {
        th__exalg_slots_release(&f->slots);
        f->lines.rows = true;
        ok = fold_runs(f) && learn_slots(f, &f->slots);
    } else if (ok && has_rows) {
        th__exalg_slots_release(&rows);
        ok = learn_rows(f, false, &rows);
    }
    uint32_t first[TH__EXALG_MAX_SLOTS];
    *found = ok && f->slots.list.len;
    if (*found)
        ok = note_lines(f) && add_drafts(f, &rows, first) && add_values(f, &rows, first);
    th__exalg_slots_release(&rows);
    return ok;
}
