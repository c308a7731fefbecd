/*
 * exalg_lines_learn.c: lines of text in the elements of a role: which sign parts them, which words
 * are labels, which lines are rows of a set, and which slots there are; see exalg_lines.h.
 */
#include <stdlib.h>

#include "engine/exalg/exalg_draft.h"
#include "engine/exalg/exalg_pieces.h"
#include "engine/exalg/exalg_slots_learn.h"
#include "page/tags.h"

/* Slots are learnt from so many elements at most, from rows of so many: more say the same. */
enum { MOST_RUNS = 64, MOST_ROWS = 160 };

/* The lines of one element. */
struct run {
    th__exalg_part *parts; /* as read */
    uint32_t count;
    th__exalg_part *folded;
    uint32_t folded_count;
};

struct finder {
    th__exalg_learner *l;
    uint32_t index; /* the draft */
    th__arena arena;
    th__exalg_lines lines;
    struct run *runs; /* by instance */
    th__exalg_slots slots;
};

static const th__exalg_draft *draft_of(const struct finder *f)
{
    return &f->l->drafts.data[f->index];
}

/* ---- what belongs to the lines --------------------------------------------------------------- */

/* Phrasing without a name is part of a line, but links that most have. */
static bool is_inside(const struct finder *f, const th__exalg_item *it)
{
    const th__exalg_outline *o = &f->l->pages[it->page];
    const th__exalg_group *g = &f->l->groups.data[it->group];
    uint16_t tag = th__exalg_item_tag(f->l, it);
    if (!it->step)
        return true;
    return th__exalg_is_phrasing(tag) && !o->cls[it->at] && !o->id[it->at] &&
           !(tag == TH_TAG_A && g->parents * 2 > draft_of(f)->count);
}

static bool find_inside(struct finder *f, uint32_t *breaks)
{
    th__exalg_learner *l = f->l;
    if (!th__key_map_init(&f->lines.inside, &f->arena, l->groups.len))
        return false;
    *breaks = 0;
    for (size_t i = 0; i < l->groups.len; i++) {
        const th__exalg_item *it = &l->items.data[l->groups.data[i].sample];
        if (!is_inside(f, it))
            th__key_map_put(&f->lines.inside, it->step | 1, 1);
        if (th__exalg_item_tag(l, it) == TH_TAG_BR)
            *breaks += l->groups.data[i].total;
    }
    return true;
}

static bool read_runs(struct finder *f)
{
    const th__exalg_draft *d = draft_of(f);
    bool ok = true;
    for (uint32_t i = 0; ok && i < d->count; i++)
        ok = th__exalg_lines_read(&f->lines, &f->l->pages[d->instances[i].page], d->instances[i].at,
                                  &f->arena, &f->runs[i].parts, &f->runs[i].count);
    return ok;
}

/* ---- the sign between parts ------------------------------------------------------------------ */

static void find_gap(struct finder *f)
{
    const th__exalg_draft *d = draft_of(f);
    uint32_t best = 0;
    for (size_t g = 0; th__exalg_field_gaps[g]; g++) {
        th_str gap = th_str_from(th__exalg_field_gaps[g]);
        uint32_t runs = 0, values = 0, parted = 0;
        for (uint32_t i = 0; i < d->count; i++) {
            const th_page *page = f->l->pages[d->instances[i].page].page;
            uint32_t here = 0;
            for (uint32_t k = 0; k < f->runs[i].count; k++) {
                th_span span = f->runs[i].parts[k].span;
                bool any = th__exalg_count_gaps(th__page_slice(page, span.start, span.end), gap);
                here += any;
                values++;
                parted += any;
            }
            runs += here > 0;
        }
        /* Dashes and slashes are common inside of values. */
        bool common = gap.ptr[0] == '-' || gap.ptr[0] == '/';
        uint32_t score = common ? runs : 2 * runs;
        if (runs < 2 || runs * (common ? 2 : 5) < d->count ||
            parted * 100 < values * (common ? 8 : 3))
            continue;
        if (score > best) {
            best = score;
            f->lines.gap = gap;
        }
    }
}

/* ---- labels ---------------------------------------------------------------------------------- */

struct candidate {
    uint64_t hash;
    uint32_t runs, last, total, followed;
    uint16_t tag;
    bool colon;
};

struct candidates {
    th__key_map ids;
    TH__VEC(struct candidate) list;
};

static bool add_candidate(struct finder *f, struct candidates *c, uint32_t run,
                          const th__exalg_part *part)
{
    const th_page *page = f->l->pages[draft_of(f)->instances[run].page].page;
    uint32_t id = th__key_map_get(&c->ids, part->maybe_hash);
    if (!id) {
        struct candidate fresh = {
            .hash = part->maybe_hash, .tag = part->maybe_tag, .last = UINT32_MAX};
        if (!th__vec_push(&c->list, fresh))
            return false;
        th__key_map_put(&c->ids, part->maybe_hash, id = (uint32_t)c->list.len);
    }
    struct candidate *known = &c->list.data[id - 1];
    known->runs += known->last != run;
    known->last = run;
    known->total++;
    known->followed += part->followed;
    uint32_t end = part->maybe_tag ? part->elements[1] : 0;
    known->colon |= page->text.ptr[part->maybe.end - 1] == ':' ||
                    (end && end < page->text.len && page->text.ptr[end] == ':');
    return true;
}

/* Of the elements of a tag that stand before something: how many say what others say, in percent.
 */
static uint32_t shared_percent(const struct candidates *c, uint16_t tag)
{
    uint32_t all = 0, shared = 0;
    for (size_t i = 0; i < c->list.len; i++)
        if (c->list.data[i].tag == tag) {
            all += c->list.data[i].followed;
            shared += c->list.data[i].runs > 1 ? c->list.data[i].followed : 0;
        }
    return all ? shared * 100 / all : 0;
}

/* A label is said again, once in an element, before a value. With a colon it says so itself; else
 * its tag is one of labels, not of emphasis in values. */
static bool is_label(const struct candidates *c, const struct candidate *one)
{
    enum { MOSTLY = 70 };
    if (one->runs < 2 || !one->followed || one->total * 10 > one->runs * 11)
        return false;
    return one->colon || (one->tag && shared_percent(c, one->tag) >= MOSTLY);
}

static bool find_labels(struct finder *f)
{
    const th__exalg_draft *d = draft_of(f);
    struct candidates c = {0};
    size_t parts = 0;
    for (uint32_t i = 0; i < d->count; i++)
        parts += f->runs[i].count;
    bool ok = th__key_map_init(&c.ids, &f->arena, parts);
    for (uint32_t i = 0; ok && i < d->count; i++)
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

/* ---- values with the sign in them ------------------------------------------------------------ */

static th_str part_text(const struct finder *f, uint32_t run, uint32_t part)
{
    th_span span = f->runs[run].parts[part].span;
    return th__page_slice(f->l->pages[draft_of(f)->instances[run].page].page, span.start, span.end);
}

/* Whether a part stands behind a gap and a number, and is one itself. */
static bool may_be_tail(const struct finder *f, uint32_t run, uint32_t part)
{
    const th__exalg_part *parts = f->runs[run].parts;
    if (!part || parts[part].line)
        return false;
    th_str text = part_text(f, run, part), before = part_text(f, run, part - 1);
    return text.len && before.len && th__is_digit((unsigned char)text.ptr[text.len - 1]) &&
           th__is_digit((unsigned char)before.ptr[before.len - 1]);
}

/* A number behind a gap that more than half of the elements have is no field: "4.1 / 5". */
static bool find_tail(struct finder *f)
{
    uint32_t count = draft_of(f)->count, tried = 0;
    for (uint32_t i = 0; i < count && tried < MOST_RUNS && !f->lines.tail.len; i++)
        for (uint32_t k = 0; k < f->runs[i].count && tried < MOST_RUNS; k++) {
            uint32_t with = 0;
            if (!may_be_tail(f, i, k))
                continue;
            tried++;
            for (uint32_t j = 0; j < count; j++) {
                bool here = false;
                for (uint32_t m = 0; m < f->runs[j].count && !here; m++)
                    here =
                        may_be_tail(f, j, m) && th__str_eq(part_text(f, i, k), part_text(f, j, m));
                with += here;
            }
            if (with * 2 <= count || with < 3)
                continue;
            f->lines.tail = th__arena_copy(&f->arena, part_text(f, i, k));
            return f->lines.tail.ptr;
        }
    return true;
}

/* ---- is it worth it? ------------------------------------------------------------------------- */

/* What there is in the lines of an element that no label tells. */
struct loose {
    uint32_t lines, gaps;
};

static struct loose count_loose(const struct run *run)
{
    struct loose loose = {0};
    for (uint32_t k = 0; k < run->count; k++) {
        const th__exalg_part *part = &run->parts[k];
        loose.lines += part->line && !part->label;
        loose.gaps += !part->line;
    }
    return loose;
}

/* How many elements have as many as most have. */
static uint32_t count_usual(const struct finder *f)
{
    uint32_t best = 0, count = draft_of(f)->count;
    uint32_t some = count < MOST_RUNS ? count : MOST_RUNS; /* whose number may be the usual one */
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

/* Parts that are always as many are told apart by their number, and those behind labels by them,
 * unless values go on in further lines. Prose has no parts, and a few lines without a sign in them
 * are one value, as addresses are. */
static bool are_worth(const struct finder *f)
{
    enum { PROSE = 120, FEW = 4 };
    const th__exalg_draft *d = draft_of(f);
    uint64_t bytes = 0, parts = 0, loose = 0, most = 0, gaps = 0, joined = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        struct loose here = count_loose(&f->runs[i]);
        if (f->runs[i].count >= TH__EXALG_MAX_PARTS)
            return false;
        for (uint32_t k = 0; k < f->runs[i].count; k++) {
            const th__exalg_part *part = &f->runs[i].parts[k];
            bytes += part->span.end - part->span.start;
            joined += part->joined && part->label;
        }
        parts += f->runs[i].count;
        gaps += here.gaps;
        loose += here.lines;
        most = here.lines > most ? here.lines : most;
    }
    bool many = gaps * 10 >= d->count || (most > FEW && loose * 2 >= d->count * 3);
    many = many && count_usual(f) * 10 < d->count * 9;
    return (many || joined > 1) && bytes <= (uint64_t)PROSE * parts;
}

/* ---- slots ----------------------------------------------------------------------------------- */

static bool tell_runs(struct finder *f)
{
    const th__exalg_draft *d = draft_of(f);
    bool ok = true;
    for (uint32_t i = 0; ok && i < d->count; i++)
        ok = th__exalg_lines_tell(&f->lines, &f->l->pages[d->instances[i].page], f->runs[i].parts,
                                  &f->runs[i].count, &f->arena, true);
    return ok;
}

static bool fold_runs(struct finder *f)
{
    const th__exalg_draft *d = draft_of(f);
    for (uint32_t i = 0; i < d->count; i++) {
        struct run *run = &f->runs[i];
        run->folded = th__arena_alloc(&f->arena, (run->count + 1) * sizeof *run->folded);
        if (!run->folded)
            return false;
        run->folded_count = th__exalg_lines_fold(&f->lines, run->parts, run->count, run->folded);
    }
    return true;
}

static bool make_chain(struct finder *f, th__exalg_part *parts, uint32_t count, uint32_t number,
                       th__exalg_chain *out)
{
    *out = (th__exalg_chain){.parts = parts, .count = count, .number = number};
    out->slots = th__arena_zero(&f->arena, count + 1, sizeof *out->slots);
    return out->slots;
}

static bool learn_slots(struct finder *f, th__exalg_slots *out)
{
    const th__exalg_draft *d = draft_of(f);
    uint32_t step = d->count > MOST_RUNS ? d->count / MOST_RUNS : 1, count = 0;
    th__exalg_chain *chains = th__arena_alloc(&f->arena, (MOST_RUNS + 1) * sizeof *chains);
    bool ok = chains;
    for (uint32_t i = 0; ok && i < d->count && count < MOST_RUNS; i += step, count++)
        ok = make_chain(f, f->runs[i].folded, f->runs[i].folded_count, i, &chains[count]);
    return ok && th__exalg_slots_learn(chains, count, &f->arena, out);
}

/* Where the row that begins at a part ends. */
static uint32_t row_end(const struct run *run, uint32_t from, uint32_t to)
{
    uint32_t at = from + 1;
    while (at < to && run->parts[at].row == run->parts[from].row)
        at++;
    return at;
}

/* Slots of rows: each row is a chain. `all`: every line is a row. */
static bool learn_rows(struct finder *f, bool all, th__exalg_slots *out)
{
    const th__exalg_draft *d = draft_of(f);
    uint32_t count = 0;
    th__exalg_chain *chains = th__arena_alloc(&f->arena, (MOST_ROWS + 1) * sizeof *chains);
    bool ok = chains;
    for (uint32_t i = 0; ok && i < d->count; i++) {
        struct run *run = &f->runs[i];
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
static bool decide_rows(struct finder *f, th__exalg_slots *rows, bool *are)
{
    uint32_t labelled = 0;
    for (uint32_t i = 0; i < draft_of(f)->count; i++)
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
static bool add_rows(struct finder *f, uint32_t set, const th__exalg_slots *rows, uint32_t page,
                     const struct run *run, const th__exalg_part *all)
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

static uint32_t count_parts(const struct finder *f)
{
    uint32_t parts = 0;
    for (uint32_t i = 0; i < draft_of(f)->count; i++)
        parts += f->runs[i].count;
    return parts;
}

/* Drafts of the slots; behind those of rows the slots of a row. */
static bool add_drafts(struct finder *f, const th__exalg_slots *rows, uint32_t *first)
{
    uint32_t room = draft_of(f)->count, parts = count_parts(f);
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

static bool add_values(struct finder *f, const th__exalg_slots *rows, const uint32_t *first)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < draft_of(f)->count; i++) {
        const struct run *run = &f->runs[i];
        uint32_t page = draft_of(f)->instances[i].page, at[TH__EXALG_MAX_PARTS];
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
static bool note_lines(struct finder *f)
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

/* What is part of the lines has its role; the rest is told apart as ever. */
static void drop_items(struct finder *f)
{
    th__exalg_learner *l = f->l;
    size_t kept = 0;
    for (size_t i = 0; i < l->items.len; i++)
        if (!is_inside(f, &l->items.data[i]))
            l->items.data[kept++] = l->items.data[i];
    l->items.len = kept;
}

static bool learn_lines(struct finder *f, bool *found)
{
    bool has_rows = false, all = false;
    th__exalg_slots rows = {0};
    for (uint32_t i = 0; i < draft_of(f)->count; i++)
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
    if (*found) {
        drop_items(f);
        ok = note_lines(f) && add_drafts(f, &rows, first) && add_values(f, &rows, first);
    }
    th__exalg_slots_release(&rows);
    return ok;
}

bool th__exalg_find_lines(th__exalg_learner *l, uint32_t index, bool *found)
{
    struct finder f = {.l = l, .index = index};
    uint32_t breaks = 0;
    *found = false;
    if (!index || l->drafts.data[index].pages < 2)
        return true;
    th__arena_init(&f.arena);
    f.runs = th__arena_zero(&f.arena, draft_of(&f)->count + 1, sizeof *f.runs);
    bool ok = f.runs && th__key_map_init(&f.lines.labels, &f.arena, 1) && find_inside(&f, &breaks);
    if (ok && breaks * 2 >= draft_of(&f)->count) {
        ok = read_runs(&f);
        if (ok)
            find_gap(&f);
        if (ok && f.lines.gap.len)
            ok = read_runs(&f);
        ok = ok && find_labels(&f) && find_tail(&f) && tell_runs(&f);
        if (ok && are_worth(&f))
            ok = learn_lines(&f, found);
    }
    th__exalg_slots_release(&f.slots);
    th__arena_release(&f.arena);
    return ok;
}
