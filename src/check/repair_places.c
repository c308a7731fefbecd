/*
 * repair_places.c: the values of fields found again on changed pages: the paper's reinduction.
 *
 *   1. Candidates: every piece of text that may be a value, and targets of links and images for
 *      fields that hold such (repair_pieces.c). Only text that is visible counts.
 *   2. Clusters: candidates of all pages that stand in the same place. Values that a field had,
 * each the only one on its page, are a cluster too, wherever they stand.
 *   3. A cluster is as like a field as its candidates are on the average of the pages: beginning,
 *      ending and length as in the field's profile, or a value that it had (match.h). Pages without
 *      a candidate count as unlike. A text that is the same everywhere is no value of a field whose
 *      values differed. Of a list all items count, and how many they are.
 *   4. Fields choose, the surest first; what is taken is taken. On a page where the chosen place
 *      has nothing, a value that the field had before is taken wherever it stands.
 *
 * Cost: fields x candidates, and sorting them; fields are asked again only when what they would
 * choose is taken.
 */
#include "check/repair_places.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "check/repair_pieces.h"

/* Less than this is no likeness. */
#define LEAST_CLUSTER 0.35
/* What is left of a cluster's likeness when its text is the same on all pages. */
#define CONSTANT_PART 0.3
/* What is left of it when it is of pieces and no value is known: there are many pieces. */
#define PIECE_PART 0.85
/* What a place loses at most for what else stands in it. */
#define OTHERS_PART 0.1
/* The same for a list: other fields of its tuples may stand in the same place, and do no harm where
 * its own values are known. */
#define LIST_OTHERS 0.3
/* A value that is less like a field than this is none of it. */
#define LEAST_VALUE 0.3
/* What is left of a value's likeness where the field did not have it. */
#define NEW_PART 0.93
/* The same where all values were of a few. */
#define FEW_PART 0.7

typedef struct cluster {
    size_t from, to; /* of the spots */
    double likeness;
} cluster;

/* ---- clusters -------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const th__spot *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->candidate < y->candidate ? -1 : x->candidate > y->candidate;
}

static bool is_used(const th__finder *f, const th__piece *c)
{
    for (uint32_t i = f->used_of[c->unit]; i; i = f->used.data[i - 1].next) {
        th_span span = f->used.data[i - 1].span;
        if (c->span.start < span.end && span.start < c->span.end)
            return true;
    }
    return false;
}

static bool use(th__finder *f, uint32_t unit, th_span span)
{
    if (unit >= f->pages || !th__vec_push(&f->used, ((th__used){span, f->used_of[unit]})))
        return false;
    f->used_of[unit] = (uint32_t)f->used.len;
    return true;
}

/* Fields of lists have several values on a page. */
static bool is_in_list(th_str path)
{
    for (size_t i = 0; i + 1 < path.len; i++)
        if (path.ptr[i] == '[' && path.ptr[i + 1] == ']')
            return true;
    return false;
}

/* What the candidates of a cluster come to. Those that are not like the field at all are not of it:
 * where one of several fields stands in a place, each has its own. */
typedef struct summary {
    double sum;         /* of likeness: of the first on a page, or of all */
    uint32_t on_pages;  /* that have one that is like the field */
    uint32_t all_pages; /* that have one */
    uint32_t count, like, several, known;
    uint64_t of_page, of_first; /* sums over these texts of a page, and of the first page */
    bool same, pieces;
} summary;

static void end_of_page(summary *s)
{
    if (s->all_pages == 1)
        s->of_first = s->of_page;
    s->same = s->same && s->of_page == s->of_first;
    s->of_page = 0;
}

static bool sum_up(const th__finder *f, const cluster *c, bool list, summary *out)
{
    uint32_t last = UINT32_MAX, liked = UINT32_MAX;
    *out = (summary){.same = true};
    for (size_t i = c->from; i < c->to; i++) {
        uint32_t at = f->spots.data[i].candidate;
        const th__piece *own = &f->candidates.data[at];
        if (is_used(f, own))
            continue;
        if (own->unit != last) {
            if (out->all_pages)
                end_of_page(out);
            out->all_pages++;
        }
        last = own->unit;
        out->pieces = out->pieces || own->piece;
        out->count++;
        if (f->likeness[at] < LEAST_VALUE)
            continue;
        out->like++;
        out->of_page += own->sample.hash;
        out->several += own->unit == liked;
        if (own->unit != liked || list) {
            out->sum += f->likeness[at];
            out->known += f->likeness[at] >= 1;
        }
        out->on_pages += own->unit != liked;
        liked = own->unit;
    }
    if (out->all_pages)
        end_of_page(out);
    return out->on_pages > 0;
}

static double like_list(const th__finder *f, const th__field_profile *profile, const summary *s)
{
    /* Half as many items as before are half of the list. */
    double records = f->repair->profile->records ? (double)f->repair->profile->records : 1;
    double wanted = (double)f->pages * (double)profile->values / records;
    double apart = wanted > 0 ? fabs(log(s->like / wanted)) : 0;
    return s->sum / s->like / (1 + fmax(0, apart - 0.1)) *
           (1 - LIST_OTHERS * (s->count - s->like) / s->count * (s->like - s->known) / s->like);
}

static double like_field(const th__finder *f, const th__field_profile *profile, const summary *s)
{
    double share = profile->chances ? (double)profile->values / (double)profile->chances : 0;
    /* A field that was often missing may be so now; one that was always there is in its place on
     * all pages that have the place. */
    double wanted = (double)f->pages * (share < 1 ? share : 1);
    double others = (double)(s->all_pages - s->on_pages);
    double likeness = s->sum / fmax(wanted, s->on_pages + others * share * share);
    /* Several in one place: the place does not tell. */
    return likeness / (1 + (double)s->several / s->on_pages);
}

/* A text that is the same on all pages is the template's, unless the field had but one. On two or
 * three pages that is no wonder where values were often the same. */
static bool is_constant(const th__field_profile *profile, const summary *s)
{
    return s->same && s->all_pages > 1 &&
           (2 * profile->distinct > profile->sampled ||
            (s->all_pages > 3 && profile->distinct > 1));
}

/* Where most values were different, a few that the field had tell more than any form: `count`
 * values make up the sum. */
static void trust_known(const th__field_profile *profile, uint32_t count, summary *s)
{
    if (2 * profile->distinct > profile->sampled && count)
        s->sum += (count - s->sum) * s->known / count;
}

static double like_cluster(const th__finder *f, uint32_t field, const cluster *c)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    bool list = is_in_list(profile->path);
    summary s;
    if (!sum_up(f, c, list, &s))
        return 0;
    trust_known(profile, list ? s.like : s.on_pages, &s);
    double likeness = list ? like_list(f, profile, &s) : like_field(f, profile, &s);
    if (!list)
        likeness *= 1 - OTHERS_PART * (s.count - s.on_pages - s.several) / s.count;
    if (is_constant(profile, &s))
        likeness *= CONSTANT_PART;
    if (s.pieces && !s.known)
        likeness *= PIECE_PART;
    /* Of two as good the one of more pages. */
    return likeness + 1e-6 * s.on_pages;
}

/* How like a field a value is. One that the field had says more than any form. Of few values that
 * came again and again all are known: another one is less likely. */
static double like_value(const th__field_profile *profile, const th__sample *value)
{
    double likeness = th__value_likeness(profile, value);
    bool few =
        2 * profile->distinct <= profile->sampled && profile->distinct <= profile->example_count;
    return likeness < 1 ? likeness * (few ? FEW_PART : NEW_PART) : likeness;
}

/* Values that the field had, each the only one on its page, wherever they stand: when they are as
 * many as there should be, nothing tells better. They make a cluster of their own. False without
 * memory. */
static bool known_cluster(th__finder *f, uint32_t field, cluster *best)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    size_t begin = f->spots.len;
    double share = profile->chances ? (double)profile->values / (double)profile->chances : 0;
    uint32_t pages = 0;
    bool clear = true, ok = true, varied = 2 * profile->distinct > profile->sampled;
    for (size_t i = 0, end; ok && clear && i < f->candidates.len; i = end) {
        uint32_t page = f->candidates.data[i].unit, found = 0, several = 0;
        for (end = i; end < f->candidates.len && f->candidates.data[end].unit == page; end++) {
            const th__piece *c = &f->candidates.data[end];
            if (c->target != f->target[field] || like_value(profile, &c->sample) < 1 ||
                is_used(f, c))
                continue;
            const th__piece *first = found ? &f->candidates.data[found - 1] : c;
            several += c->span.start >= first->span.end || first->span.start >= c->span.end;
            found = found ? found : (uint32_t)end + 1;
        }
        if (!found)
            continue;
        clear = !several && (!varied || !f->candidates.data[found - 1].common);
        ok = th__vec_push(&f->spots, ((th__spot){0, found - 1}));
        pages++;
    }
    if (ok && clear && pages > 1 && pages + 0.5 >= share * f->pages)
        *best = (cluster){begin, f->spots.len, 1 + 1e-6 * pages};
    else
        f->spots.len = begin;
    return ok;
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
        all = all && letter && memchr(text.ptr, '/', text.len) && !memchr(text.ptr, ' ', text.len);
    }
    return all || repair->targets[field];
}

/* How like a field a piece is. What the template says may be a value too, but where values differed
 * it is no sign that the field had it. */
static double like_piece(const th__field_profile *profile, const th__piece *c)
{
    bool varied = 2 * profile->distinct > profile->sampled && !is_in_list(profile->path);
    double likeness = like_value(profile, &c->sample);
    return varied && c->common ? fmin(likeness, NEW_PART) : likeness;
}

static bool best_cluster(th__finder *f, uint32_t field, cluster *best)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    bool target = f->target[field];
    cluster top = {0};
    *best = (cluster){0};
    for (size_t i = 0; i < f->candidates.len; i++) {
        const th__piece *c = &f->candidates.data[i];
        f->likeness[i] = c->target == target ? like_piece(profile, c) : 0;
    }
    if (!is_in_list(profile->path) && !known_cluster(f, field, best))
        return false;
    for (size_t i = 0, end; !best->to && i < f->placed; i = end) {
        for (end = i + 1; end < f->placed && f->spots.data[end].place == f->spots.data[i].place;)
            end++;
        cluster c = {i, end, 0};
        c.likeness = like_cluster(f, field, &c);
        if (c.likeness > top.likeness)
            top = c;
    }
    *best = best->to ? *best : top;
    return true;
}

/* ---- choosing -------------------------------------------------------------------------------- */

static bool take(th__finder *f, th__places *out, uint32_t field, const th__piece *c)
{
    th__spotted s = {field, c->unit, c->span};
    return th__vec_push(&out->data, s) && use(f, c->unit, c->span);
}

/* A value that the field had, on a page where its place has nothing. */
static bool take_known(th__finder *f, th__places *out, uint32_t field, uint32_t page)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    for (size_t i = 0; i < f->candidates.len; i++) {
        const th__piece *c = &f->candidates.data[i];
        if (c->unit != page || c->target != f->target[field] || !th__telling(c->sample.text) ||
            th__value_likeness(profile, &c->sample) < 1 || is_used(f, c) || c->common)
            continue;
        return take(f, out, field, c);
    }
    return true;
}

/* Whether all that stands in a place is of the field: most of it is like it, or the field was there
 * always. Else the place is that of several fields. */
static bool is_whole(const th__finder *f, const th__field_profile *profile, const cluster *c)
{
    size_t like = 0, count = 0;
    for (size_t i = c->from; i < c->to; i++) {
        const th__piece *own = &f->candidates.data[f->spots.data[i].candidate];
        if (is_used(f, own))
            continue;
        like += like_piece(profile, own) >= LEAST_VALUE;
        count++;
    }
    bool always = 10 * profile->values >= 9 * profile->chances && !is_in_list(profile->path);
    return always || 10 * like >= 6 * count;
}

/* By unit, the spot of a cluster whose candidate is most like the field, and one more; or 0. */
static size_t *find_best(th__finder *f, const th__field_profile *profile, const cluster *c)
{
    size_t *best = th__arena_zero(&f->arena, f->pages + 1, sizeof *best);
    double *likeness = th__arena_zero(&f->arena, f->pages + 1, sizeof *likeness);
    for (size_t i = c->from; best && likeness && i < c->to; i++) {
        const th__piece *own = &f->candidates.data[f->spots.data[i].candidate];
        double like = like_piece(profile, own);
        if (is_used(f, own) || (best[own->unit] && like <= likeness[own->unit]))
            continue;
        best[own->unit] = i + 1;
        likeness[own->unit] = like;
    }
    return likeness ? best : NULL;
}

static bool take_cluster(th__finder *f, th__places *out, uint32_t field, const cluster *c)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    bool list = is_in_list(profile->path), all = is_whole(f, profile, c);
    bool *has = th__arena_zero(&f->arena, f->pages + 1, sizeof *has); /* by unit */
    size_t *best = find_best(f, profile, c);
    bool ok = has && best;
    for (size_t i = c->from; ok && i < c->to; i++) {
        const th__piece *own = &f->candidates.data[f->spots.data[i].candidate];
        if (is_used(f, own) || (!list && best[own->unit] != i + 1) ||
            (!all && like_piece(profile, own) < LEAST_VALUE))
            continue;
        has[own->unit] = true;
        ok = take(f, out, field, own);
    }
    for (uint32_t unit = 0; ok && !list && unit < f->pages; unit++)
        if (!has[unit])
            ok = take_known(f, out, field, unit);
    out->chosen[field] = true;
    return ok;
}

/* Whether what a field would choose is another's by now. */
static bool is_taken(const th__finder *f, const cluster *c)
{
    for (size_t i = c->from; i < c->to; i++)
        if (is_used(f, &f->candidates.data[f->spots.data[i].candidate]))
            return true;
    return false;
}

static bool choose(th__finder *f, const bool *wanted, th__places *out)
{
    uint32_t count = f->repair->profile->count;
    cluster *best = th__arena_zero(&f->arena, count + 1, sizeof *best);
    f->likeness = th__arena_zero(&f->arena, f->candidates.len + 1, sizeof *f->likeness);
    if (!best || !f->likeness)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (wanted[i] && (th__cancelled(&f->repair->cancel) || !best_cluster(f, i, &best[i])))
            return false;
    for (;;) {
        uint32_t field = count;
        for (uint32_t i = 0; i < count; i++)
            if (wanted[i] && !out->chosen[i] && best[i].likeness > LEAST_CLUSTER &&
                (field == count || best[i].likeness > best[field].likeness))
                field = i;
        if (field == count)
            return true;
        if (!take_cluster(f, out, field, &best[field]))
            return false;
        for (uint32_t i = 0; i < count; i++)
            if (wanted[i] && !out->chosen[i] && best[i].to && is_taken(f, &best[i]) &&
                !best_cluster(f, i, &best[i]))
                return false;
    }
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

th_status th__places_choose(th_repair *repair, const th__unit *units, uint32_t count,
                            const bool *wanted, const th__places *kept, th__places *out,
                            th_error *err)
{
    th__finder f = {.repair = repair, .units = units, .pages = count};
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
    th__folded_release(&f.folded);
    th__vec_release(&f.candidates);
    th__vec_release(&f.spots);
    th__vec_release(&f.used);
    th__vec_release(&f.affixes);
    th__vec_release(&f.words);
    th__arena_release(&f.arena);
    return ok ? TH_OK : th__fail_memory(err);
}
