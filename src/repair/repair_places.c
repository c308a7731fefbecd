/*
 * repair_places.c: the values of fields found again on changed pages: the paper's reinduction.
 *
 *   1. Pieces: every piece of text that may be a value, and targets of links and images for fields
 *      that hold such (repair_pieces.c). Only text that is visible counts.
 *   2. Clusters: pieces of all records that are in the same place. Values that a field had, each
 *      the only one in its record, are a cluster too, wherever they are.
 *   3. A cluster is as like a field as its pieces are on the average of the records: beginning,
 *      ending and length as in the field's profile, or a value that it had (match.h). Records
 *      without a piece count as unlike. A text that is the same everywhere is no value of a field
 *      whose values differed. Of a list all items count, and how many they are.
 *   4. Fields choose, the surest first; what is taken is taken. In a record where the chosen place
 *      has nothing, and the field has fewer values than it should, it may have a second place; or
 *      one that it had before is taken wherever it is, once all have chosen.
 *
 * Cost: fields x pieces, and sorting them; fields are asked again only when what they would choose
 * is taken.
 */
#include "repair/repair_places.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

/* A value that is less like a field than this is none of it. */
#define LEAST_VALUE 0.3
/* What is left of a cluster's likeness when its text is the same on all pages. */
#define CONSTANT_PART 0.3
/* What is left of it when all its texts have the same word at an end, and the field had not. */
#define LABELLED_PART 0.75
/* What is left of it when it is nowhere among the other fields of its list. */
#define APART_PART 0.5
/* What is left of it when it is of pieces and no value is known: there are many pieces. */
#define PIECE_PART 0.85
/* What a place loses at most for what else is in it. */
#define OTHERS_PART 0.1
/* The same for a list: other fields of its tuples may be in the same place, and do no harm where
 * its own values are known. */
#define LIST_OTHERS 0.3
/* What is left of it when none of the field's neighbours is around it, though they are still on the
 * pages. */
#define STRANGE_PART 0.3
/* A neighbour is still on the pages if this part of those have it that did; and values that were
 * known count without regard to their place only with this part of the neighbours around them. */
/* How many neighbours the field's own element stands for, where pages have few like it. */
#define ELEMENT_WORTH 0.6
/* What the neighbours lose at most where the value is far from the field's relative position. */
#define POSITION_PART 0.2
#define STILL_THERE   0.5
#define STILL_NEAR    0.5
/* What is next to the captions of a field is no value of it if it is less like it than this. */
#define LEAST_LOOKS 0.45
/* A place as like a field as this is it wherever it is, if others with other texts have no more
 * than this part of its likeness. */
#define SURE_LOOKS 0.65
#define SURE_LEAD  0.8
/* What is left of a value's likeness where the field did not have it. */
#define NEW_PART 0.93
/* The same where all values were of a few. */
#define FEW_PART 0.7

/* What the likeness of a place may lose by what else is in values: a mark behind, a word before. */
#define ABOUT 0.1
/* Less than this is no likeness. */
#define LEAST_CLUSTER 0.35
/* A second place of a field is as like it as this, and has so many values at least, and so many of
 * those in the first: below that, records just lack them. */
#define SECOND_LIKE  0.6
#define SECOND_LEAST 2
#define SECOND_PART  0.05
/* A list has another place if this part of its values is still missing, of this likeness; and a
 * text is a value of a field without regard to its looks with this part of the neighbours around
 * it, and around the others. */
#define LIST_LEFT   0.25
#define LIST_SECOND 0.4
#define SURE_NEAR   0.7
/* A text is its field's value, and not a part of it, with this part of that one's likeness. */
#define WHOLE_PART 0.7

/* ---- areas: where the values of a list of tuples are ------------------------------------------
 *
 * The other fields of a list have their values among those of the first that was found: a list of
 * other things that looks like one of them has not. */

static void widen_area(th__area *area, th_span span)
{
    if (!area->count || span.start < area->from)
        area->from = span.start;
    if (!area->count || span.end > area->to)
        area->to = span.end;
    area->count++;
}

/* Notes that a span is a value of a field. False if out of memory. */
static bool note_area(th__finder *f, uint32_t field, uint32_t extent, th_span span)
{
    if (!th__list_of(f->repair->profile->fields[field].path).ptr)
        return true;
    if (!f->areas)
        f->areas = th__arena_zero(&f->arena, f->repair->profile->count + 1, sizeof *f->areas);
    if (f->areas && !f->areas[field])
        f->areas[field] = th__arena_zero(&f->arena, f->extent_count + 1, sizeof **f->areas);
    if (!f->areas || !f->areas[field])
        return false;
    widen_area(&f->areas[field][extent], span);
    return true;
}

/* Returns true if two fields are of one list of tuples. */
static bool are_fellows(const th__finder *f, uint32_t a, uint32_t b)
{
    th_str list = th__list_of(f->repair->profile->fields[a].path);
    th_str other = th__list_of(f->repair->profile->fields[b].path);
    return list.ptr && other.ptr && th__str_eq(list, other);
}

/* ---- clusters -------------------------------------------------------------------------------- */

typedef struct cluster {
    size_t from, to; /* of the places */
    double likeness;
    double looks; /* the same, whatever is around its pieces */
} cluster;

/* The piece that is in a place. */
static const th__piece *piece_at(const th__finder *f, size_t place)
{
    return &f->pieces.data[f->places.data[place].piece];
}

/* Returns true if a piece is some field's by now, or a part of it is. */
static bool is_used(const th__finder *f, const th__piece *c)
{
    for (uint32_t i = f->used_of[c->extent]; i; i = f->used.data[i - 1].next) {
        th_span span = f->used.data[i - 1].span;
        if (c->span.start < span.end && span.start < c->span.end)
            return true;
    }
    return false;
}

/* Returns true if a piece is no candidate any more: it is used, or its extent has a value already.
 */
static bool is_out(const th__finder *f, const th__piece *c)
{
    return (f->done && f->done[c->extent]) || is_used(f, c);
}

/* Fields of lists have several values on a page, and all fields where pages have many records. */
static bool has_many(const th__finder *f, th_str path)
{
    return f->many || th__str_find(path, TH_STR("[]")) != SIZE_MAX;
}

/* What the candidates of a cluster come to. Those that are not like the field at all are not of
 * it: where one of several fields is in a place, each has its own. */
typedef struct summary {
    double sum;         /* of likeness: of the first on a page, or of all */
    double near;        /* the same, of neighbours */
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

static bool sum_up(const th__finder *f, const cluster *c, bool list, summary *out)
{
    uint32_t last = UINT32_MAX, liked = UINT32_MAX;
    *out = (summary){.same = true};
    for (size_t i = c->from; i < c->to; i++) {
        uint32_t at = f->places.data[i].piece;
        const th__piece *own = &f->pieces.data[at];
        if (is_out(f, own))
            continue;
        if (own->extent != last) {
            if (out->all_pages)
                end_of_page(out);
            out->all_pages++;
        }
        last = own->extent;
        out->pieces += own->part;
        out->count++;
        if (f->likeness[at] < LEAST_VALUE)
            continue;
        see_edges(own->sample.text, out);
        out->like++;
        out->of_page += own->sample.hash;
        out->several += own->extent == liked;
        if (own->extent != liked || list) {
            out->sum += f->likeness[at];
            out->near += f->near[at];
            out->known += f->likeness[at] >= 1;
        }
        out->on_pages += own->extent != liked;
        liked = own->extent;
    }
    if (out->all_pages)
        end_of_page(out);
    return out->on_pages > 0;
}

static double like_list(const th__finder *f, const th__field_profile *profile, const summary *s)
{
    /* Half as many items as before are half of the list. */
    const th__profile *all = f->repair->profile;
    double extents = (double)(f->many ? all->pages : all->records);
    double wanted = (double)f->extent_count * (double)profile->values / fmax(1, extents);
    wanted = f->left > 0 ? f->left : wanted;
    double apart = wanted > 0 ? fabs(log(s->like / wanted)) : 0;
    return s->sum / s->like / (1 + fmax(0, apart - 0.1)) *
           (1 - LIST_OTHERS * (s->count - s->like) / s->count * (s->like - s->known) / s->like);
}

static double like_field(const th__finder *f, const th__field_profile *profile, const summary *s)
{
    double share = profile->chances ? (double)profile->values / (double)profile->chances : 0;
    /* A field that was often missing may be so now; one that was always there is in its place on
     * all pages that have the place. */
    double wanted = f->done ? f->left : (double)f->extent_count * (share < 1 ? share : 1);
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
           (th__is_varied(profile) || (s->all_pages > 3 && profile->distinct > 1));
}

/* Where most values were different, a few that the field had tell more than any form: `count`
 * values make up the sum. */
static void trust_known(const th__field_profile *profile, uint32_t count, summary *s)
{
    if (th__is_varied(profile) && count)
        s->sum += (count - s->sum) * s->known / count;
}

/* Returns true if all texts begin or end with a word that the values of the field did not have: a
 * label. */
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

/* Returns true if the values of a cluster are apart from those of fellows that were found: where
 * extents have two of both or more, all before these or behind them. */
static bool is_apart(const th__finder *f, uint32_t field, const cluster *c)
{
    uint32_t apart = 0, among = 0;
    if (!f->areas)
        return false;
    memset(f->around, 0, (f->extent_count + 1) * sizeof *f->around);
    for (size_t i = c->from; i < c->to; i++) {
        const th__piece *own = piece_at(f, i);
        if (!is_out(f, own) && f->likeness[f->places.data[i].piece] >= LEAST_VALUE)
            widen_area(&f->around[own->extent], own->span);
    }
    for (uint32_t i = 0; i < f->repair->profile->count; i++) {
        if (i == field || !f->areas[i] || !are_fellows(f, field, i))
            continue;
        for (uint32_t extent = 0; extent < f->extent_count; extent++) {
            const th__area *its = &f->areas[i][extent], *own = &f->around[extent];
            if (its->count < 2 || own->count < 2)
                continue;
            bool out = own->to <= its->from || its->to <= own->from;
            apart += out;
            among += !out;
        }
    }
    return apart > among;
}

static double like_cluster(const th__finder *f, uint32_t field, cluster *c)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    bool list = has_many(f, profile->path);
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
    c->looks = likeness;
    if (f->nearby && !(th__is_varied(profile) && 2 * s.known > (list ? s.like : s.on_pages)))
        likeness *= 1 - (1 - STRANGE_PART) * (1 - s.near / (list ? s.like : s.on_pages));
    if (likeness > LEAST_VALUE && is_apart(f, field, c))
        likeness *= APART_PART;
    /* Of two as good the one of more pages. */
    return likeness + 1e-6 * s.on_pages;
}

/* How like a field a value is. One that the field had says more than any form. Of few values that
 * came again and again all are known: another one is less likely. */
static double like_value(const th__field_profile *profile, const th__sample *value)
{
    double likeness = th__value_likeness(profile, value);
    bool few = !th__is_varied(profile) && profile->distinct <= profile->example_count;
    return likeness < 1 ? likeness * (few ? FEW_PART : NEW_PART) : likeness;
}

/* Values that the field had, each the only one on its page, wherever they are: when they are as
 * many as there should be, nothing tells better. They make a cluster of their own. False
 * if out of memory. */
static bool known_cluster(th__finder *f, uint32_t field, cluster *best)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    size_t begin = f->places.len;
    double share = profile->chances ? (double)profile->values / (double)profile->chances : 0;
    uint32_t pages = 0;
    bool clear = true, ok = true, varied = th__is_varied(profile);
    for (size_t i = 0, end; ok && clear && i < f->pieces.len; i = end) {
        uint32_t page = f->pieces.data[i].extent, found = 0, several = 0;
        for (end = i; end < f->pieces.len && f->pieces.data[end].extent == page; end++) {
            const th__piece *c = &f->pieces.data[end];
            if (c->target != f->target[field] || like_value(profile, &c->sample) < 1 ||
                is_used(f, c))
                continue;
            const th__piece *first = found ? &f->pieces.data[found - 1] : c;
            several += c->span.start >= first->span.end || first->span.start >= c->span.end;
            found = found ? found : (uint32_t)end + 1;
        }
        if (!found)
            continue;
        clear = !several && (!varied || !f->pieces.data[found - 1].common);
        ok = th__vec_push(&f->places, ((th__piece_place){0, found - 1}));
        pages++;
    }
    double near = 0;
    for (size_t i = begin; i < f->places.len; i++)
        near += f->near[f->places.data[i].piece];
    clear = clear && (varied || !f->nearby || near >= STILL_NEAR * pages);
    if (ok && clear && pages > 1 && pages + 0.5 >= share * f->extent_count)
        *best = (cluster){begin, f->places.len, 1 + 1e-6 * pages, 1};
    else
        f->places.len = begin;
    return ok;
}

/* How like a field a piece is. A label is none that the field did not have. What the template says
 * may be a value too, but where values differed it is no sign that the field had it. */
static double piece_likeness(const th__finder *f, const th__field_profile *profile,
                             const th__piece *c)
{
    bool varied = th__is_varied(profile) && !has_many(f, profile->path);
    double likeness = like_value(profile, &c->sample);
    if (likeness < 1 && th__is_label(c->sample.text))
        return 0;
    if (likeness < 1)
        likeness = th__headed_likeness(profile, likeness, c->headed);
    return varied && c->common ? fmin(likeness, NEW_PART) : likeness;
}

/* Returns true if two pieces have the same text, blanks around it aside. */
static bool is_same(const th__piece *a, const th__piece *b)
{
    return a->sample.hash == b->sample.hash && a->span.start < b->span.end &&
           b->span.start < a->span.end;
}

/* Returns true if a piece is all of another, and more. */
static bool is_around(const th__piece *c, const th__piece *part)
{
    return c->sample.text.len > part->sample.text.len && c->span.start < part->span.end &&
           part->span.start < c->span.end &&
           th__str_find(c->sample.text, part->sample.text) != SIZE_MAX;
}

/* The next spot of a cluster from `at` on that is of a extent or one behind it. */
static size_t place_in(const th__finder *f, const cluster *c, size_t at, uint32_t extent)
{
    while (at < c->to && f->pieces.data[f->places.data[at].piece].extent < extent)
        at++;
    return at;
}

/* Returns true if a cluster has the same pieces as another in most extents, and wider ones where it
 * has not: markup inside some values makes the place of their parts. */
static bool is_wider(const th__finder *f, const cluster *c, const cluster *other)
{
    size_t same = 0, wider = 0, at = other->from;
    for (size_t i = c->from; i < c->to; i++) {
        const th__piece *own = piece_at(f, i);
        at = place_in(f, other, at, own->extent);
        if (at == other->to)
            break;
        const th__piece *its = piece_at(f, at);
        if (its->extent != own->extent)
            continue;
        bool equal = is_same(own, its);
        if (!equal && !is_around(own, its))
            return false;
        same += equal;
        wider += !equal;
    }
    return wider && same > wider && 10 * (same + wider) >= 9 * (other->to - other->from);
}

/* Returns true if a cluster is better than the best so far. */
static bool is_better(const th__finder *f, const cluster *c, const cluster *top)
{
    if (c->likeness <= top->likeness - ABOUT)
        return false;
    if (c->likeness <= top->likeness)
        return is_wider(f, c, top);
    return c->likeness > top->likeness + ABOUT || !is_wider(f, top, c);
}

/* ---- neighbours ------------------------------------------------------------------------------ */

/* The part of the pages with extents that have a text. */
static double pages_with(const th__finder *f, uint64_t hash)
{
    uint32_t pages = 0, with = 0;
    for (uint32_t p = 0; p < TH__REPAIR_LEARN; p++) {
        const th__flow *flow = &f->flows[p];
        uint32_t i = 0;
        while (i < flow->count && flow->hash[i] != hash)
            i++;
        pages += flow->page != NULL;
        with += i < flow->count;
    }
    return pages ? (double)with / pages : 0;
}

/* The hash of a field's own element if pages have one or two like it; else 0. False if out of
 * memory.
 */
static bool find_element(th__finder *f, const th__field_profile *profile, uint64_t *out)
{
    enum { FEW = 2 };
    uint16_t tag;
    uint64_t hash = profile->element.len ? th__step_hash(profile->element, &tag) : 0;
    uint32_t pages = 0, count = 0;
    *out = 0;
    for (uint32_t p = 0; hash && p < TH__REPAIR_LEARN; p++) {
        th__view view;
        if (!f->flows[p].page)
            continue;
        if (!th__view_make(&f->arena, f->flows[p].page, &view))
            return false;
        pages++;
        for (uint32_t n = 1; n < view.page->node_count; n++)
            count += view.signature[n] == th__step_signature(hash);
    }
    *out = count && count <= FEW * pages ? hash : 0;
    return true;
}

/* Says which pieces that are like a field are among its neighbours: of these, the ones that are
 * still on the pages count. A caption that is gone says nothing. */
static bool find_near(th__finder *f, const th__field_profile *profile)
{
    uint64_t element;
    if (!find_element(f, profile, &element))
        return false;
    double all = 0, left = 0;
    for (int side = 0; side < TH__ENDS; side++)
        for (uint32_t i = 0; i < profile->around[side].count; i++) {
            const th__neighbour *own = &profile->around[side].data[i];
            double weight = (double)own->count / own->at;
            double share = (double)own->count / (double)(profile->sampled ? profile->sampled : 1);
            f->there[side][i] = pages_with(f, own->hash) >= STILL_THERE * fmin(1, share);
            all += weight;
            left += f->there[side][i] ? weight : 0;
        }
    /* Items of a list have each other around them, and records of a page theirs: there a field
     * needs a text that was right beside it. */
    bool beside = fmax(th__neighbours_next(profile, TH__START),
                       th__neighbours_next(profile, TH__END)) >= TH__PLACED;
    f->nearby = left > 0 && left >= STILL_THERE * all && !th__list_of(profile->path).ptr &&
                (beside || f->extent_count <= f->repair->page_count);
    for (size_t i = 0; f->nearby && i < f->pieces.len; i++) {
        const th__piece *c = &f->pieces.data[i];
        th__around around;
        f->near[i] = 0;
        if (f->likeness[i] < LEAST_VALUE)
            continue;
        th__around_find(&f->flows[f->extents[c->extent].page], c->span, &around);
        f->near[i] = th__neighbours_share(profile, &around, f->there);
        f->near[i] *= 1 - POSITION_PART * (1 - th__position_likeness(profile, &around));
        if (element && around.element == element)
            f->near[i] += (1 - f->near[i]) * ELEMENT_WORTH;
        /* What most pages say is the template's, unless it is where the field was. */
        if (f->likeness[i] < 1 && c->common && profile->distinct > 1 && f->near[i] < STILL_NEAR &&
            !has_many(f, profile->path))
            f->likeness[i] *= CONSTANT_PART;
    }
    return true;
}

/* Returns true if two clusters have pieces in the same place, or of the same text, in most extents
 * that both have: a name in the heading and in the trail above it is one value. */
static bool is_same_value(const th__finder *f, const cluster *c, const cluster *other)
{
    size_t same = 0, both = 0, at = other->from;
    for (size_t i = c->from; i < c->to; i++) {
        const th__piece *own = piece_at(f, i);
        at = place_in(f, other, at, own->extent);
        if (at == other->to)
            break;
        const th__piece *its = piece_at(f, at);
        both += its->extent == own->extent;
        same += its->extent == own->extent &&
                (own->sample.hash == its->sample.hash ||
                 (own->span.start < its->span.end && its->span.start < own->span.end));
    }
    return 2 * same > both;
}

/* Returns true if a cluster is very much like a field, and no other place is nearly as much: a
 * value that has moved away from all that was around it. */
static bool is_only_one(const th__finder *f, uint32_t field, const cluster *own)
{
    if (own->looks < SURE_LOOKS)
        return false;
    for (size_t i = 0, end; i < f->placed; i = end) {
        for (end = i + 1; end < f->placed && f->places.data[end].place == f->places.data[i].place;)
            end++;
        cluster c = {i, end, 0, 0};
        like_cluster(f, field, &c);
        if (c.looks > SURE_LEAD * own->looks && !is_same_value(f, &c, own))
            return false;
    }
    return true;
}

/* Returns true if most pieces of a cluster are next to what was next to the values of a field. */
static bool is_next_to(const th__finder *f, const th__field_profile *profile, const cluster *c)
{
    size_t next = 0;
    for (size_t i = c->from; i < c->to; i++) {
        const th__piece *own = piece_at(f, i);
        next += th__is_placed(profile, f->flows[f->extents[own->extent].page].page, own->span);
    }
    return 2 * next > c->to - c->from;
}

/* Returns true if the caption of a field is on most pages next to another text, which is of the
 * page and no field's: that would be the value, whatever it looks like. */
static bool has_another(const th__finder *f, const th__field_profile *profile)
{
    const th__neighbours *before = &profile->around[TH__START];
    uint32_t captions = 0, others = 0;
    if (th__neighbours_next(profile, TH__START) < TH__PLACED)
        return false;
    for (uint32_t e = 0; e < f->extent_count && !f->many; e++) {
        const th__flow *flow = &f->flows[f->extents[e].page];
        bool found = false;
        for (uint32_t t = 0; !found && t + 1 < flow->count; t++) {
            for (uint32_t i = 0; !found && i < before->count && before->data[i].at == 1; i++)
                found =
                    flow->hash[t] == before->data[i].hash && th__is_caption(before->data[i].text);
            if (!found)
                continue;
            uint32_t token = flow->token[t + 1];
            th__piece next = {
                .extent = e,
                .span = {flow->page->tokens[token].start, flow->page->tokens[token + 1].start}};
            captions++;
            others += !is_used(f, &next) && pages_with(f, flow->hash[t + 1]) < STILL_THERE;
        }
    }
    return 2 * others > captions;
}

static bool find_cluster(th__finder *f, uint32_t field, cluster *best)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    bool target = f->target[field];
    cluster top = {0}, sure = {0};
    *best = (cluster){0};
    for (size_t i = 0; i < f->pieces.len; i++) {
        const th__piece *c = &f->pieces.data[i];
        f->likeness[i] = c->target == target ? piece_likeness(f, profile, c) : 0;
    }
    if (!find_near(f, profile))
        return false;
    if (!f->done && !has_many(f, profile->path) && !known_cluster(f, field, best))
        return false;
    for (size_t i = 0, end; !best->to && i < f->placed; i = end) {
        for (end = i + 1; end < f->placed && f->places.data[end].place == f->places.data[i].place;)
            end++;
        cluster c = {i, end, 0, 0};
        c.likeness = like_cluster(f, field, &c);
        sure = !sure.to || c.looks > sure.looks ? c : sure;
        if (c.likeness <= LEAST_VALUE || (top.to && !is_better(f, &c, &top)))
            continue;
        /* A wider one is as good as what it is wider than. */
        c.likeness = fmax(c.likeness, top.likeness);
        top = c;
    }
    if (f->nearby && top.likeness <= LEAST_CLUSTER && is_only_one(f, field, &sure)) {
        top = sure;
        top.likeness = LEAST_CLUSTER + ABOUT;
    }
    *best = best->to ? *best : top;
    if (f->nearby && best->looks < LEAST_LOOKS)
        *best = (cluster){0};
    if (f->nearby && best->to && !is_next_to(f, profile, best) && has_another(f, profile))
        *best = (cluster){0};
    return true;
}

/* ---- choosing -------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const th__piece_place *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->piece < y->piece ? -1 : x->piece > y->piece;
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

static bool use(th__finder *f, uint32_t extent, th_span span)
{
    if (extent >= f->extent_count ||
        !th__vec_push(&f->used, ((th__used){span, f->used_of[extent]})))
        return false;
    f->used_of[extent] = (uint32_t)f->used.len;
    return true;
}

static bool take(th__finder *f, th__spots *out, uint32_t field, const th__piece *c)
{
    th__spot s = {field, c->extent, c->span};
    return th__vec_push(&out->data, s) && use(f, c->extent, c->span) &&
           note_area(f, field, c->extent, c->span);
}

/* A value that the field had, on a page where its place has nothing. */
static bool take_known(th__finder *f, th__spots *out, uint32_t field, uint32_t page)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    for (size_t i = 0; i < f->pieces.len; i++) {
        const th__piece *c = &f->pieces.data[i];
        if (c->extent != page || c->target != f->target[field] || !th__telling(c->sample.text) ||
            th__value_likeness(profile, &c->sample) < 1 || is_used(f, c) || c->common)
            continue;
        return take(f, out, field, c);
    }
    return true;
}

/* Returns true if all that is in a place is of the field: most of it is like it, or the field was
 * there always. Else the place is that of several fields. */
static bool is_whole(const th__finder *f, const th__field_profile *profile, const cluster *c)
{
    size_t like = 0, count = 0;
    for (size_t i = c->from; i < c->to; i++) {
        const th__piece *own = piece_at(f, i);
        if (is_used(f, own))
            continue;
        like += piece_likeness(f, profile, own) >= LEAST_VALUE;
        count++;
    }
    bool always = 10 * profile->values >= 9 * profile->chances && !has_many(f, profile->path);
    return always || 10 * like >= 6 * count;
}

/* Returns true if a piece is a value that another field had, and this one had not: where a place
 * lacks its value, that of its neighbour may be there. */
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

/* By extent, the spot of a cluster whose candidate is most like the field, and one more; or 0. Of
 * a text and a part of it that are in one place the text is the value, unless it is a lot less
 * like the field. */
static size_t *find_best(th__finder *f, uint32_t field, const cluster *c)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    size_t *best = th__arena_zero(&f->arena, f->extent_count + 1, sizeof *best);
    double *likeness = th__arena_zero(&f->arena, f->extent_count + 1, sizeof *likeness);
    for (size_t i = c->from; best && likeness && i < c->to; i++) {
        const th__piece *own = piece_at(f, i);
        double like = piece_likeness(f, profile, own);
        const th__piece *so_far = best[own->extent] ? piece_at(f, best[own->extent] - 1) : NULL;
        if (is_out(f, own) || is_others(f, field, own))
            continue;
        bool more = !so_far || (is_around(own, so_far) ? like >= WHOLE_PART * likeness[own->extent]
                                : is_around(so_far, own) ? WHOLE_PART * like > likeness[own->extent]
                                                         : like > likeness[own->extent]);
        if (!more)
            continue;
        best[own->extent] = i + 1;
        likeness[own->extent] = like;
    }
    return likeness ? best : NULL;
}

static bool take_cluster(th__finder *f, th__spots *out, uint32_t field, const cluster *c)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    bool list = has_many(f, profile->path), all = is_whole(f, profile, c);
    size_t *best = find_best(f, field, c);
    bool ok = best != NULL;
    for (size_t i = c->from; ok && i < c->to; i++) {
        const th__piece *own = piece_at(f, i);
        if (is_used(f, own) || (!list && best[own->extent] != i + 1) ||
            (!all && piece_likeness(f, profile, own) < LEAST_VALUE))
            continue;
        ok = take(f, out, field, own);
    }
    out->chosen[field] = true;
    return ok;
}

/* By extent: whether it has a value of a field. *count is how many have. NULL if out of memory. */
static bool *extents_with(th__finder *f, const th__spots *out, uint32_t field, uint32_t *count)
{
    bool *has = th__arena_zero(&f->arena, f->extent_count + 1, sizeof *has);
    *count = 0;
    for (size_t i = 0; has && i < out->data.len; i++)
        if (out->data.data[i].field == field && !has[out->data.data[i].extent]) {
            has[out->data.data[i].extent] = true;
            ++*count;
        }
    return has;
}

/* How many extents should have a field. */
static double should_have(const th__finder *f, uint32_t field)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    double share = profile->chances ? (double)profile->values / (double)profile->chances : 0;
    return fmin(1, share) * f->extent_count;
}

/* A field that has fewer values than it should may be elsewhere where its neighbour is missing:
 * in a second place of the extents that lack it. */
static bool add_second(th__finder *f, th__spots *out, uint32_t field)
{
    uint32_t count;
    cluster c;
    bool *has = extents_with(f, out, field, &count), ok = has != NULL;
    double left = should_have(f, field) - count;
    if (!ok || left < SECOND_LEAST || left < SECOND_PART * count)
        return ok;
    f->done = has;
    f->left = left;
    ok =
        find_cluster(f, field, &c) && (c.likeness < SECOND_LIKE || take_cluster(f, out, field, &c));
    f->done = NULL;
    f->left = 0;
    return ok;
}

/* A list of a few values on a page may have them in several places: the title in a heading and in a
 * caption. Other places are added while there are fewer values than there should be. */
static bool add_places(th__finder *f, th__spots *out, uint32_t field)
{
    enum { PLACES = 3 };
    const th__field_profile *profile = &f->repair->profile->fields[field];
    double records = (double)f->repair->profile->records;
    double wanted = f->extent_count * (double)profile->values / fmax(1, records);
    bool ok = true, more = !f->many && !th__list_of(profile->path).ptr;
    for (int i = 1; ok && more && i < PLACES; i++) {
        cluster c = {0};
        double count = 0;
        for (size_t j = 0; j < out->data.len; j++)
            count += out->data.data[j].field == field;
        f->left = wanted - count;
        more = f->left >= SECOND_LEAST && f->left >= LIST_LEFT * wanted;
        ok = !more || find_cluster(f, field, &c);
        more = more && f->nearby && c.likeness >= LIST_SECOND && 2 * c.likeness >= c.looks;
        ok = ok && (!more || take_cluster(f, out, field, &c));
    }
    f->left = 0;
    return ok;
}

/* How many of a field's neighbours are around a span. */
static double near_of(th__finder *f, const th__field_profile *profile, uint32_t extent,
                      th_span span)
{
    th__around around;
    th__around_find(&f->flows[f->extents[extent].page], span, &around);
    return th__neighbours_share(profile, &around, f->there);
}

/* Returns true if a piece is behind the caption of a field. */
static bool is_captioned(const th__finder *f, const th__field_profile *profile, const th__piece *c)
{
    const th__neighbours *before = &profile->around[TH__START];
    th__around around;
    th__around_find(&f->flows[f->extents[c->extent].page], c->span, &around);
    for (uint32_t i = 0; i < before->count && before->data[i].at == 1; i++)
        if (before->data[i].hash == around.hash[TH__START][0])
            return th__is_caption(before->data[i].text);
    return false;
}

/* Where the place of a field has a value that is like no other, its neighbours tell: an extent that
 * lacks the field has it where they are around a text as they are around the others. */
static bool add_near(th__finder *f, th__spots *out, uint32_t field)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    uint32_t count;
    double mean = 0;
    bool *has = extents_with(f, out, field, &count), ok = has != NULL;
    if (!ok || !count || f->many || count >= should_have(f, field) || !th__is_varied(profile) ||
        !find_near(f, profile) || !f->nearby)
        return ok;
    for (size_t i = 0; i < out->data.len; i++)
        if (out->data.data[i].field == field)
            mean += near_of(f, profile, out->data.data[i].extent, out->data.data[i].span) / count;
    for (size_t i = 0, end; ok && mean >= SURE_NEAR && i < f->pieces.len; i = end) {
        uint32_t extent = f->pieces.data[i].extent;
        const th__piece *best = NULL;
        double most = SURE_NEAR;
        for (end = i; end < f->pieces.len && f->pieces.data[end].extent == extent; end++) {
            const th__piece *c = &f->pieces.data[end];
            if (has[extent] || c->part || c->common || c->target != f->target[field] ||
                th__is_label(c->sample.text) || is_used(f, c) ||
                !th__is_placed(profile, f->flows[f->extents[extent].page].page, c->span))
                continue;
            double near = near_of(f, profile, extent, c->span);
            if (is_captioned(f, profile, c))
                near = 1;
            best = near > most ? c : best;
            most = fmax(near, most);
        }
        ok = !best || take(f, out, field, best);
    }
    return ok;
}

/* Where the chosen place of a field has nothing, and it has fewer values than it should, values
 * that it had are taken. */
static bool add_known(th__finder *f, th__spots *out, uint32_t field)
{
    uint32_t count;
    bool *has = extents_with(f, out, field, &count), ok = has != NULL;
    for (uint32_t extent = 0; ok && extent < f->extent_count && count < should_have(f, field);
         extent++) {
        size_t before = out->data.len;
        if (!has[extent])
            ok = take_known(f, out, field, extent);
        count += out->data.len > before;
    }
    return ok;
}

/* Returns true if what a field would choose is another's by now. */
static bool is_taken(const th__finder *f, const cluster *c)
{
    for (size_t i = c->from; i < c->to; i++)
        if (is_used(f, piece_at(f, i)))
            return true;
    return false;
}

static bool choose(th__finder *f, const bool *wanted, th__spots *out)
{
    uint32_t count = f->repair->profile->count;
    cluster *best = th__arena_zero(&f->arena, count + 1, sizeof *best);
    f->likeness = th__arena_zero(&f->arena, f->pieces.len + 1, sizeof *f->likeness);
    f->near = th__arena_zero(&f->arena, f->pieces.len + 1, sizeof *f->near);
    f->around = th__arena_zero(&f->arena, f->extent_count + 1, sizeof *f->around);
    if (!best || !f->near || !f->likeness || !f->around)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (wanted[i] && (th__cancelled(&f->repair->cancel) || !find_cluster(f, i, &best[i])))
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
                (is_taken(f, &best[i]) || are_fellows(f, field, i)) &&
                !find_cluster(f, i, &best[i]))
                return false;
    }
    bool ok = true;
    for (uint32_t i = 0; ok && i < 3 * count; i++) {
        uint32_t field = i % count;
        if (!wanted[field] || !out->chosen[field])
            continue;
        if (has_many(f, f->repair->profile->fields[field].path))
            ok = i >= count || add_places(f, out, field);
        else
            ok = i < count       ? add_second(f, out, field)
                 : i < 2 * count ? add_near(f, out, field)
                                 : add_known(f, out, field);
    }
    return ok;
}

static int by_field(const void *a, const void *b)
{
    const th__spot *x = a, *y = b;
    if (x->field != y->field)
        return x->field < y->field ? -1 : 1;
    if (x->extent != y->extent)
        return x->extent < y->extent ? -1 : 1;
    return x->span.start < y->span.start ? -1 : x->span.start > y->span.start;
}

/* What the old wrapper still reads is taken. */
static bool reserve(th__finder *f, const th__spots *kept)
{
    bool ok = true;
    for (size_t i = 0; ok && i < kept->data.len; i++)
        ok = use(f, kept->data.data[i].extent, kept->data.data[i].span);
    return ok;
}

th_status th__spots_choose(th_repair *repair, const th__record_extent *extents, uint32_t count,
                           bool many, const bool *wanted, const th__spots *kept, th__spots *out,
                           th_error *err)
{
    th__finder f = {.repair = repair, .extents = extents, .extent_count = count, .many = many};
    bool targets = false, ok = true;
    th__arena_init(&f.arena);
    *out = (th__spots){0};
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
    if (ok && f.places.len)
        qsort(f.places.data, f.places.len, sizeof *f.places.data, by_place);
    f.placed = f.places.len;
    ok = ok && reserve(&f, kept) && choose(&f, wanted, out);
    if (ok && out->data.len)
        qsort(out->data.data, out->data.len, sizeof *out->data.data, by_field);
    th_text_release(&f.text);
    th__buf_release(&f.title);
    th__folded_release(&f.folded);
    th__vec_release(&f.pieces);
    th__vec_release(&f.places);
    th__vec_release(&f.used);
    th__vec_release(&f.affixes);
    th__vec_release(&f.words);
    th__arena_release(&f.arena);
    return ok ? TH_OK : th__fail_memory(err);
}
