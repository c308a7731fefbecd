/*
 * repair_places.c: the values of fields found again on changed pages: the paper's reinduction.
 *
 *   1. Candidates: every piece of text that may be a value, and targets of links and images for
 *      fields that hold such (repair_pieces.c). Only text that is visible counts.
 *   2. Clusters: candidates of all pages that stand in the same place. Values that a field had,
 * each the only one on its page, are a cluster too, wherever they stand.
 *   3. Clusters are more or less like a field (repair_clusters.c).
 *   4. Fields choose, the surest first; what is taken is taken. On a page where the chosen place
 *      has nothing, and the field has fewer values than it should, it may have a second place; or
 *      one that it had before is taken wherever it stands, once all have chosen.
 *
 * Cost: fields x candidates, and sorting them; fields are asked again only when what they would
 * choose is taken.
 */
#include "repair/repair_places.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "repair/repair_areas.h"
#include "repair/repair_clusters.h"

/* Less than this is no likeness. */
#define LEAST_CLUSTER 0.35
/* A second place of a field is as like it as this, and has so many values at least, and so many of
 * those in the first: below that, records just lack them. */
#define SECOND_LIKE  0.6
#define SECOND_LEAST 2
#define SECOND_PART  0.05
/* A text is its field's value, and not a part of it, with this part of that one's likeness. */
#define WHOLE_PART 0.7

static int by_place(const void *a, const void *b)
{
    const th__spot *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->candidate < y->candidate ? -1 : x->candidate > y->candidate;
}

/* Labels may point into attributes: such fields hold targets though their type does not say so. */
static bool holds_targets(const th_repair *repair, uint32_t field)
{
    const th__field_profile *profile = &repair->profile->fields[field];
    bool all = profile->example_count > 0;
    for (uint32_t e = 0; e < profile->example_count; e++) {
        th_str text = profile->examples[e];
        bool letter = false;
        for (size_t i = 0; i < text.len; i++)
            letter = letter || th__is_alpha((unsigned char)text.ptr[i]);
        bool query = memchr(text.ptr, '?', text.len) && memchr(text.ptr, '=', text.len);
        all = all && letter && (query || memchr(text.ptr, '/', text.len)) &&
              !memchr(text.ptr, ' ', text.len);
    }
    return all || repair->targets[field];
}

/* ---- choosing -------------------------------------------------------------------------------- */

static bool use(th__finder *f, uint32_t unit, th_span span)
{
    if (unit >= f->pages || !th__vec_push(&f->used, ((th__used){span, f->used_of[unit]})))
        return false;
    f->used_of[unit] = (uint32_t)f->used.len;
    return true;
}

static bool take(th__finder *f, th__places *out, uint32_t field, const th__piece *c)
{
    th__spotted s = {field, c->unit, c->span};
    return th__vec_push(&out->data, s) && use(f, c->unit, c->span) &&
           th__area_note(f, field, c->unit, c->span);
}

/* A value that the field had, on a page where its place has nothing. */
static bool take_known(th__finder *f, th__places *out, uint32_t field, uint32_t page)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    for (size_t i = 0; i < f->candidates.len; i++) {
        const th__piece *c = &f->candidates.data[i];
        if (c->unit != page || c->target != f->target[field] || !th__telling(c->sample.text) ||
            th__value_likeness(profile, &c->sample) < 1 || th__piece_is_used(f, c) || c->common)
            continue;
        return take(f, out, field, c);
    }
    return true;
}

/* Whether all that stands in a place is of the field: most of it is like it, or the field was there
 * always. Else the place is that of several fields. */
static bool is_whole(const th__finder *f, const th__field_profile *profile, const th__cluster *c)
{
    size_t like = 0, count = 0;
    for (size_t i = c->from; i < c->to; i++) {
        const th__piece *own = &f->candidates.data[f->spots.data[i].candidate];
        if (th__piece_is_used(f, own))
            continue;
        like += th__piece_likeness(f, profile, own) >= TH__LEAST_VALUE;
        count++;
    }
    bool always = 10 * profile->values >= 9 * profile->chances && !th__has_many(f, profile->path);
    return always || 10 * like >= 6 * count;
}

/* Whether a piece is a value that another field had, and this one had not: where a place lacks its
 * value, that of its neighbour may stand there. */
static bool is_others(const th__finder *f, uint32_t field, const th__piece *c)
{
    const th__profile *profile = f->repair->profile;
    if (th__value_likeness(&profile->fields[field], &c->sample) >= 1)
        return false;
    for (uint32_t i = 0; i < profile->count; i++)
        if (i != field && f->target[i] == c->target &&
            th__value_likeness(&profile->fields[i], &c->sample) >= 1)
            return true;
    return false;
}

/* By unit, the spot of a cluster whose candidate is most like the field, and one more; or 0. Of
 * a text and a part of it that stand in one place the text is the value, unless it is a lot less
 * like the field. */
static size_t *find_best(th__finder *f, uint32_t field, const th__cluster *c)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    size_t *best = th__arena_zero(&f->arena, f->pages + 1, sizeof *best);
    double *likeness = th__arena_zero(&f->arena, f->pages + 1, sizeof *likeness);
    for (size_t i = c->from; best && likeness && i < c->to; i++) {
        const th__piece *own = &f->candidates.data[f->spots.data[i].candidate];
        double like = th__piece_likeness(f, profile, own);
        const th__piece *so_far =
            best[own->unit] ? &f->candidates.data[f->spots.data[best[own->unit] - 1].candidate]
                            : NULL;
        if (th__piece_is_out(f, own) || is_others(f, field, own))
            continue;
        bool more =
            !so_far || (th__piece_is_around(own, so_far) ? like >= WHOLE_PART * likeness[own->unit]
                        : th__piece_is_around(so_far, own) ? WHOLE_PART * like > likeness[own->unit]
                                                           : like > likeness[own->unit]);
        if (!more)
            continue;
        best[own->unit] = i + 1;
        likeness[own->unit] = like;
    }
    return likeness ? best : NULL;
}

static bool take_cluster(th__finder *f, th__places *out, uint32_t field, const th__cluster *c)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    bool list = th__has_many(f, profile->path), all = is_whole(f, profile, c);
    size_t *best = find_best(f, field, c);
    bool ok = best != NULL;
    for (size_t i = c->from; ok && i < c->to; i++) {
        const th__piece *own = &f->candidates.data[f->spots.data[i].candidate];
        if (th__piece_is_used(f, own) || (!list && best[own->unit] != i + 1) ||
            (!all && th__piece_likeness(f, profile, own) < TH__LEAST_VALUE))
            continue;
        ok = take(f, out, field, own);
    }
    out->chosen[field] = true;
    return ok;
}

/* By unit: whether it has a value of a field. *count is how many have. NULL without memory. */
static bool *units_with(th__finder *f, const th__places *out, uint32_t field, uint32_t *count)
{
    bool *has = th__arena_zero(&f->arena, f->pages + 1, sizeof *has);
    *count = 0;
    for (size_t i = 0; has && i < out->data.len; i++)
        if (out->data.data[i].field == field && !has[out->data.data[i].unit]) {
            has[out->data.data[i].unit] = true;
            ++*count;
        }
    return has;
}

/* How many units should have a field. */
static double should_have(const th__finder *f, uint32_t field)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    double share = profile->chances ? (double)profile->values / (double)profile->chances : 0;
    return fmin(1, share) * f->pages;
}

/* A field that has fewer values than it should may stand elsewhere where its neighbour is missing:
 * in a second place of the units that lack it. */
static bool add_second(th__finder *f, th__places *out, uint32_t field)
{
    uint32_t count;
    th__cluster c;
    bool *has = units_with(f, out, field, &count), ok = has != NULL;
    double left = should_have(f, field) - count;
    if (!ok || left < SECOND_LEAST || left < SECOND_PART * count)
        return ok;
    f->done = has;
    f->left = left;
    ok = th__cluster_find(f, field, &c) &&
         (c.likeness < SECOND_LIKE || take_cluster(f, out, field, &c));
    f->done = NULL;
    return ok;
}

/* Where the chosen place of a field has nothing, and it has fewer values than it should, values
 * that it had are taken. */
static bool add_known(th__finder *f, th__places *out, uint32_t field)
{
    uint32_t count;
    bool *has = units_with(f, out, field, &count), ok = has != NULL;
    for (uint32_t unit = 0; ok && unit < f->pages && count < should_have(f, field); unit++) {
        size_t before = out->data.len;
        if (!has[unit])
            ok = take_known(f, out, field, unit);
        count += out->data.len > before;
    }
    return ok;
}

/* Whether what a field would choose is another's by now. */
static bool is_taken(const th__finder *f, const th__cluster *c)
{
    for (size_t i = c->from; i < c->to; i++)
        if (th__piece_is_used(f, &f->candidates.data[f->spots.data[i].candidate]))
            return true;
    return false;
}

static bool choose(th__finder *f, const bool *wanted, th__places *out)
{
    uint32_t count = f->repair->profile->count;
    th__cluster *best = th__arena_zero(&f->arena, count + 1, sizeof *best);
    f->likeness = th__arena_zero(&f->arena, f->candidates.len + 1, sizeof *f->likeness);
    f->around = th__arena_zero(&f->arena, f->pages + 1, sizeof *f->around);
    if (!best || !f->likeness || !f->around)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (wanted[i] && (th__cancelled(&f->repair->cancel) || !th__cluster_find(f, i, &best[i])))
            return false;
    for (;;) {
        uint32_t field = count;
        for (uint32_t i = 0; i < count; i++)
            if (wanted[i] && !out->chosen[i] && best[i].likeness > LEAST_CLUSTER &&
                (field == count || best[i].likeness > best[field].likeness))
                field = i;
        if (field == count)
            break;
        if (!take_cluster(f, out, field, &best[field]))
            return false;
        for (uint32_t i = 0; i < count; i++)
            if (wanted[i] && !out->chosen[i] && best[i].to &&
                (is_taken(f, &best[i]) || th__are_fellows(f, field, i)) &&
                !th__cluster_find(f, i, &best[i]))
                return false;
    }
    bool ok = true;
    for (uint32_t i = 0; ok && i < 2 * count; i++) {
        uint32_t field = i % count;
        if (wanted[field] && out->chosen[field] &&
            !th__has_many(f, f->repair->profile->fields[field].path))
            ok = i < count ? add_second(f, out, field) : add_known(f, out, field);
    }
    return ok;
}

static int by_field(const void *a, const void *b)
{
    const th__spotted *x = a, *y = b;
    if (x->field != y->field)
        return x->field < y->field ? -1 : 1;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return x->span.start < y->span.start ? -1 : x->span.start > y->span.start;
}

/* What the old wrapper still reads is taken. */
static bool reserve(th__finder *f, const th__places *kept)
{
    bool ok = true;
    for (size_t i = 0; ok && i < kept->data.len; i++)
        ok = use(f, kept->data.data[i].unit, kept->data.data[i].span);
    return ok;
}

th_status th__places_choose(th_repair *repair, const th__unit *units, uint32_t count, bool many,
                            const bool *wanted, const th__places *kept, th__places *out,
                            th_error *err)
{
    th__finder f = {.repair = repair, .units = units, .pages = count, .many = many};
    bool targets = false, ok = true;
    th__arena_init(&f.arena);
    *out = (th__places){0};
    out->chosen = th__arena_zero(&repair->arena, repair->profile->count + 1, sizeof *out->chosen);
    f.used_of = th__arena_zero(&f.arena, count + 1, sizeof *f.used_of);
    f.target = th__arena_zero(&f.arena, repair->profile->count + 1, sizeof *f.target);
    for (uint32_t i = 0; f.target && i < repair->profile->count; i++) {
        f.target[i] = holds_targets(repair, i);
        targets = targets || (f.target[i] && wanted[i]);
        f.lists = f.lists || (wanted[i] && th__is_list_path(repair->profile->fields[i].path));
    }
    ok = out->chosen && f.target && f.used_of;
    ok = ok && th__pieces_gather(&f, targets);
    if (ok && f.spots.len)
        qsort(f.spots.data, f.spots.len, sizeof *f.spots.data, by_place);
    f.placed = f.spots.len;
    ok = ok && reserve(&f, kept) && choose(&f, wanted, out);
    if (ok && out->data.len)
        qsort(out->data.data, out->data.len, sizeof *out->data.data, by_field);
    th_text_release(&f.text);
    th__buf_release(&f.title);
    th__folded_release(&f.folded);
    th__vec_release(&f.candidates);
    th__vec_release(&f.spots);
    th__vec_release(&f.used);
    th__vec_release(&f.affixes);
    th__vec_release(&f.words);
    th__arena_release(&f.arena);
    return ok ? TH_OK : th__fail_memory(err);
}
