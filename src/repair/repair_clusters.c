/*
 * repair_clusters.c: pieces that stand in one place, and how like a field they are.
 *
 * A cluster is as like a field as its candidates are on the average of the pages: beginning, ending
 * and length as in the field's profile, or a value that it had (match.h). Pages without a candidate
 * count as unlike. A text that is the same everywhere is no value of a field whose values differed.
 * Of a list all items count, and how many they are. Values that a field had, each the only one on
 * its page, are a cluster too, wherever they stand.
 */
#include "repair/repair_clusters.h"

#include <math.h>

#include "repair/repair_areas.h"

/* What is left of a cluster's likeness when its text is the same on all pages. */
#define CONSTANT_PART 0.3
/* What is left of it when all its texts have the same word at an end, and the field had not. */
#define LABELLED_PART 0.75
/* What is left of it when it is nowhere among the other fields of its list. */
#define APART_PART 0.5
/* What is left of it when it is of pieces and no value is known: there are many pieces. */
#define PIECE_PART 0.85
/* What a place loses at most for what else stands in it. */
#define OTHERS_PART 0.1
/* The same for a list: other fields of its tuples may stand in the same place, and do no harm where
 * its own values are known. */
#define LIST_OTHERS 0.3
/* What is left of a value's likeness where the field did not have it. */
#define NEW_PART 0.93
/* The same where all values were of a few. */
#define FEW_PART 0.7

/* What the likeness of a place may lose by what else is in values: a mark behind, a word before. */
#define ABOUT 0.1

bool th__piece_is_used(const th__finder *f, const th__piece *c)
{
    for (uint32_t i = f->used_of[c->unit]; i; i = f->used.data[i - 1].next) {
        th_span span = f->used.data[i - 1].span;
        if (c->span.start < span.end && span.start < c->span.end)
            return true;
    }
    return false;
}

/* Whether a piece is no candidate any more: it is used, or its unit has a value already. */
bool th__piece_is_out(const th__finder *f, const th__piece *c)
{
    return (f->done && f->done[c->unit]) || th__piece_is_used(f, c);
}

/* Fields of lists have several values on a page, and all fields where pages have many records. */
bool th__has_many(const th__finder *f, th_str path)
{
    return f->many || th__str_find(path, TH_STR("[]")) != SIZE_MAX;
}

/* What the candidates of a cluster come to. Those that are not like the field at all are not of
 * it: where one of several fields stands in a place, each has its own. */
typedef struct summary {
    double sum;         /* of likeness: of the first on a page, or of all */
    uint32_t on_pages;  /* that have one that is like the field */
    uint32_t all_pages; /* that have one */
    uint32_t count, like, several, known, pieces;
    uint64_t edges[TH__ENDS];   /* the word at each end of all of them, or 0: not the same */
    uint64_t of_page, of_first; /* sums over these texts of a page, and of the first page */
    bool same;
} summary;

static void end_of_page(summary *s)
{
    if (s->all_pages == 1)
        s->of_first = s->of_page;
    s->same = s->same && s->of_page == s->of_first;
    s->of_page = 0;
}

/* The first or the last word of a text, as a number. */
static uint64_t edge_of(th_str text, int end)
{
    size_t from = 0, to = text.len;
    if (end == TH__START)
        th__next_word(text, 0, &to);
    while (end == TH__END && to && !th__is_word_part((unsigned char)text.ptr[to - 1]))
        to--;
    for (from = to; from && th__is_word_part((unsigned char)text.ptr[from - 1]);)
        from--;
    return to > from ? th__hash(text.ptr + from, to - from) : 0;
}

static void see_edges(th_str text, summary *s)
{
    for (int end = 0; end < TH__ENDS; end++) {
        uint64_t edge = s->like && !s->edges[end] ? 0 : edge_of(text, end);
        s->edges[end] = !s->like || edge == s->edges[end] ? edge : 0;
    }
}

static bool sum_up(const th__finder *f, const th__cluster *c, bool list, summary *out)
{
    uint32_t last = UINT32_MAX, liked = UINT32_MAX;
    *out = (summary){.same = true};
    for (size_t i = c->from; i < c->to; i++) {
        uint32_t at = f->spots.data[i].candidate;
        const th__piece *own = &f->candidates.data[at];
        if (th__piece_is_out(f, own))
            continue;
        if (own->unit != last) {
            if (out->all_pages)
                end_of_page(out);
            out->all_pages++;
        }
        last = own->unit;
        out->pieces += own->piece;
        out->count++;
        if (f->likeness[at] < TH__LEAST_VALUE)
            continue;
        see_edges(own->sample.text, out);
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
    const th__profile *all = f->repair->profile;
    double units = (double)(f->many ? all->pages : all->records);
    double wanted = (double)f->pages * (double)profile->values / fmax(1, units);
    double apart = wanted > 0 ? fabs(log(s->like / wanted)) : 0;
    return s->sum / s->like / (1 + fmax(0, apart - 0.1)) *
           (1 - LIST_OTHERS * (s->count - s->like) / s->count * (s->like - s->known) / s->like);
}

static double like_field(const th__finder *f, const th__field_profile *profile, const summary *s)
{
    double share = profile->chances ? (double)profile->values / (double)profile->chances : 0;
    /* A field that was often missing may be so now; one that was always there is in its place on
     * all pages that have the place. */
    double wanted = f->done ? f->left : (double)f->pages * (share < 1 ? share : 1);
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

/* Whether all texts begin or end with a word that the values of the field did not have: a label. */
static bool has_label(const th__field_profile *profile, const summary *s)
{
    for (int end = 0; end < TH__ENDS; end++) {
        bool own = !s->edges[end];
        for (uint32_t i = 0; !own && i < profile->word_count; i++)
            own = th__hash(profile->words[i].ptr, profile->words[i].len) == s->edges[end];
        if (!own)
            return true;
    }
    return false;
}

/* Whether the values of a cluster stand apart from those of the field's fellows: see
 * repair_areas.h. */
static bool is_apart(const th__finder *f, uint32_t field, const th__cluster *c)
{
    if (!f->areas)
        return false;
    memset(f->around, 0, (f->pages + 1) * sizeof *f->around);
    for (size_t i = c->from; i < c->to; i++) {
        uint32_t at = f->spots.data[i].candidate;
        const th__piece *own = &f->candidates.data[at];
        if (!th__piece_is_out(f, own) && f->likeness[at] >= TH__LEAST_VALUE)
            th__area_widen(&f->around[own->unit], own->span);
    }
    return th__area_is_apart(f, field, f->around);
}

static double like_cluster(const th__finder *f, uint32_t field, const th__cluster *c)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    bool list = th__has_many(f, profile->path);
    summary s;
    if (!sum_up(f, c, list, &s))
        return 0;
    trust_known(profile, list ? s.like : s.on_pages, &s);
    double likeness = list ? like_list(f, profile, &s) : like_field(f, profile, &s);
    if (!list)
        likeness *= 1 - OTHERS_PART * (s.count - s.on_pages - s.several) / s.count;
    if (is_constant(profile, &s))
        likeness *= CONSTANT_PART;
    if (2 * s.pieces > s.count && !s.known)
        likeness *= PIECE_PART;
    if (s.on_pages > 2 && !s.known && !s.same && has_label(profile, &s))
        likeness *= LABELLED_PART;
    if (likeness > TH__LEAST_VALUE && is_apart(f, field, c))
        likeness *= APART_PART;
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
 * many as there should be, nothing tells better. They make a cluster of their own. False
 * without memory. */
static bool known_cluster(th__finder *f, uint32_t field, th__cluster *best)
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
                th__piece_is_used(f, c))
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
        *best = (th__cluster){begin, f->spots.len, 1 + 1e-6 * pages};
    else
        f->spots.len = begin;
    return ok;
}

/* How like a field a piece is. A label is none that the field did not have. What the template says
 * may be a value too, but where values differed it is no sign that the field had it. */
double th__piece_likeness(const th__finder *f, const th__field_profile *profile, const th__piece *c)
{
    bool varied = 2 * profile->distinct > profile->sampled && !th__has_many(f, profile->path);
    double likeness = like_value(profile, &c->sample);
    if (likeness < 1 && th__is_label(c->sample.text))
        return 0;
    if (likeness < 1)
        likeness = th__headed_likeness(profile, likeness, c->headed);
    return varied && c->common ? fmin(likeness, NEW_PART) : likeness;
}

/* Whether two pieces have the same text, blanks around it aside. */
static bool is_same(const th__piece *a, const th__piece *b)
{
    return a->sample.hash == b->sample.hash && a->span.start < b->span.end &&
           b->span.start < a->span.end;
}

/* Whether a piece is all of another, and more. */
bool th__piece_is_around(const th__piece *c, const th__piece *part)
{
    return c->sample.text.len > part->sample.text.len && c->span.start < part->span.end &&
           part->span.start < c->span.end &&
           th__str_find(c->sample.text, part->sample.text) != SIZE_MAX;
}

/* The next spot of a cluster from `at` on that is of a unit or one behind it. */
static size_t spot_of(const th__finder *f, const th__cluster *c, size_t at, uint32_t unit)
{
    while (at < c->to && f->candidates.data[f->spots.data[at].candidate].unit < unit)
        at++;
    return at;
}

/* Whether a cluster has the same pieces as another in most units, and wider ones where it has
 * not: markup inside of some values makes the place of their parts. */
static bool is_wider(const th__finder *f, const th__cluster *c, const th__cluster *other)
{
    size_t same = 0, wider = 0, at = other->from;
    for (size_t i = c->from; i < c->to; i++) {
        const th__piece *own = &f->candidates.data[f->spots.data[i].candidate];
        at = spot_of(f, other, at, own->unit);
        if (at == other->to)
            break;
        const th__piece *its = &f->candidates.data[f->spots.data[at].candidate];
        if (its->unit != own->unit)
            continue;
        bool equal = is_same(own, its);
        if (!equal && !th__piece_is_around(own, its))
            return false;
        same += equal;
        wider += !equal;
    }
    return wider && same > wider && 10 * (same + wider) >= 9 * (other->to - other->from);
}

/* Whether a cluster is better than the best so far. */
static bool is_better(const th__finder *f, const th__cluster *c, const th__cluster *top)
{
    if (c->likeness <= top->likeness - ABOUT)
        return false;
    if (c->likeness <= top->likeness)
        return is_wider(f, c, top);
    return c->likeness > top->likeness + ABOUT || !is_wider(f, top, c);
}

bool th__cluster_find(th__finder *f, uint32_t field, th__cluster *best)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    bool target = f->target[field];
    th__cluster top = {0};
    *best = (th__cluster){0};
    for (size_t i = 0; i < f->candidates.len; i++) {
        const th__piece *c = &f->candidates.data[i];
        f->likeness[i] = c->target == target ? th__piece_likeness(f, profile, c) : 0;
    }
    if (!f->done && !th__has_many(f, profile->path) && !known_cluster(f, field, best))
        return false;
    for (size_t i = 0, end; !best->to && i < f->placed; i = end) {
        for (end = i + 1; end < f->placed && f->spots.data[end].place == f->spots.data[i].place;)
            end++;
        th__cluster c = {i, end, 0};
        c.likeness = like_cluster(f, field, &c);
        if (c.likeness <= TH__LEAST_VALUE || (top.to && !is_better(f, &c, &top)))
            continue;
        /* A wider one is as good as what it is wider than. */
        c.likeness = fmax(c.likeness, top.likeness);
        top = c;
    }
    *best = best->to ? *best : top;
    return true;
}
