/*
 * exalg_lines_learn.c: lines of text in the elements of a role: which sign parts them, which words
 * are labels, and whether they are worth slots of their own, which exalg_lines_slots.c finds; see
 * exalg_lines.h.
 */
#include "engine/papers/exalg/exalg_lines_learn.h"

#include "engine/papers/exalg/exalg_pieces.h"
#include "page/tags.h"

/* ---- what belongs to the lines --------------------------------------------------------------- */

/* Phrasing without a name is part of a line, but links that most have. */
static bool is_inside(const th__exalg_line_finder *f, const th__exalg_item *it)
{
    const th__exalg_outline *o = &f->l->pages[it->page];
    const th__exalg_group *g = &f->l->groups.data[it->group];
    uint16_t tag = th__exalg_item_tag(f->l, it);
    if (!it->step)
        return true;
    return th__exalg_is_phrasing(tag) && !o->cls[it->at] && !o->id[it->at] &&
           !(tag == TH_TAG_A && g->parents * 2 > th__exalg_draft_of(f)->count);
}

static bool find_inside(th__exalg_line_finder *f, uint32_t *breaks)
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

static bool read_runs(th__exalg_line_finder *f)
{
    const th__exalg_draft *d = th__exalg_draft_of(f);
    bool ok = true;
    for (uint32_t i = 0; ok && i < d->count; i++)
        ok = th__exalg_lines_read(&f->lines, &f->l->pages[d->instances[i].page], d->instances[i].at,
                                  &f->arena, &f->runs[i].parts, &f->runs[i].count);
    return ok;
}

/* ---- the sign between parts ------------------------------------------------------------------ */

static void find_gap(th__exalg_line_finder *f)
{
    const th__exalg_draft *d = th__exalg_draft_of(f);
    uint32_t best = 0;
    for (size_t g = 0; g < th__sign_count; g++) {
        th_str gap = th__signs[g].text;
        if (!th__exalg_is_field_gap(&th__signs[g]))
            continue;
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
        bool common = th__sign_is_common(&th__signs[g]);
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

static bool add_candidate(th__exalg_line_finder *f, struct candidates *c, uint32_t run,
                          const th__exalg_part *part)
{
    const th_page *page = f->l->pages[th__exalg_draft_of(f)->instances[run].page].page;
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

static bool find_labels(th__exalg_line_finder *f)
{
    const th__exalg_draft *d = th__exalg_draft_of(f);
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

static th_str part_text(const th__exalg_line_finder *f, uint32_t run, uint32_t part)
{
    th_span span = f->runs[run].parts[part].span;
    return th__page_slice(f->l->pages[th__exalg_draft_of(f)->instances[run].page].page, span.start,
                          span.end);
}

/* Whether a part stands behind a gap and a number, and is one itself. */
static bool may_be_tail(const th__exalg_line_finder *f, uint32_t run, uint32_t part)
{
    const th__exalg_part *parts = f->runs[run].parts;
    if (!part || parts[part].line)
        return false;
    th_str text = part_text(f, run, part), before = part_text(f, run, part - 1);
    return text.len && before.len && th__is_digit((unsigned char)text.ptr[text.len - 1]) &&
           th__is_digit((unsigned char)before.ptr[before.len - 1]);
}

/* A number behind a gap that more than half of the elements have is no field: "4.1 / 5". */
static bool find_tail(th__exalg_line_finder *f)
{
    uint32_t count = th__exalg_draft_of(f)->count, tried = 0;
    for (uint32_t i = 0; i < count && tried < TH__EXALG_MOST_RUNS && !f->lines.tail.len; i++)
        for (uint32_t k = 0; k < f->runs[i].count && tried < TH__EXALG_MOST_RUNS; k++) {
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

static struct loose count_loose(const th__exalg_run *run)
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
static uint32_t count_usual(const th__exalg_line_finder *f)
{
    uint32_t best = 0, count = th__exalg_draft_of(f)->count;
    uint32_t some = count < TH__EXALG_MOST_RUNS
                        ? count
                        : TH__EXALG_MOST_RUNS; /* whose number may be the usual one */
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
static bool are_worth(const th__exalg_line_finder *f)
{
    enum { PROSE = 120, FEW = 4 };
    const th__exalg_draft *d = th__exalg_draft_of(f);
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

static bool tell_runs(th__exalg_line_finder *f)
{
    const th__exalg_draft *d = th__exalg_draft_of(f);
    bool ok = true;
    for (uint32_t i = 0; ok && i < d->count; i++)
        ok = th__exalg_lines_tell(&f->lines, &f->l->pages[d->instances[i].page], f->runs[i].parts,
                                  &f->runs[i].count, &f->arena, true);
    return ok;
}

/* What is part of the lines has its role; the rest is told apart as ever. */
static void drop_items(th__exalg_line_finder *f)
{
    th__exalg_learner *l = f->l;
    size_t kept = 0;
    for (size_t i = 0; i < l->items.len; i++)
        if (!is_inside(f, &l->items.data[i]))
            l->items.data[kept++] = l->items.data[i];
    l->items.len = kept;
}

bool th__exalg_find_lines(th__exalg_learner *l, uint32_t index, bool *found)
{
    th__exalg_line_finder f = {.l = l, .index = index};
    uint32_t breaks = 0;
    *found = false;
    if (!index || l->drafts.data[index].pages < 2)
        return true;
    th__arena_init(&f.arena);
    f.runs = th__arena_zero(&f.arena, th__exalg_draft_of(&f)->count + 1, sizeof *f.runs);
    bool ok = f.runs && th__key_map_init(&f.lines.labels, &f.arena, 1) && find_inside(&f, &breaks);
    if (ok && breaks * 2 >= th__exalg_draft_of(&f)->count) {
        ok = read_runs(&f);
        if (ok)
            find_gap(&f);
        if (ok && f.lines.gap.len)
            ok = read_runs(&f);
        ok = ok && find_labels(&f) && find_tail(&f) && tell_runs(&f);
        if (ok && are_worth(&f))
            ok = th__exalg_find_line_slots(&f, found);
        if (ok && *found)
            drop_items(&f);
    }
    th__exalg_slots_release(&f.slots);
    th__arena_release(&f.arena);
    return ok;
}
