/*
 * exalg_children.c: the children of a role laid side by side: which texts are the template's, which
 * markup is but inside of values.
 */
#include "engine/papers/exalg/exalg_draft.h"
#include "engine/papers/exalg/exalg_pieces.h"
#include "page/tags.h"

/* ---- texts that many parents have ------------------------------------------------------------ */

static uint64_t word_key(const th__exalg_item *it, th__exalg_which which)
{
    const uint64_t texts[] = {it->whole, it->first, it->prefix, it->shape, it->after};
    return th__hash_mix(it->step + which, texts[which]);
}

const th__exalg_word *th__exalg_find_word(const th__exalg_learner *l, uint64_t key)
{
    uint32_t id = th__key_map_get(&l->word_ids, key);
    return id ? &l->words.data[id - 1] : NULL;
}

bool th__exalg_count_word(th__exalg_learner *l, uint64_t key, const th__exalg_item *it)
{
    uint32_t id = th__key_map_get(&l->word_ids, key);
    if (!id) {
        th__exalg_word fresh = {.last = UINT32_MAX, .last_page = UINT32_MAX, .index = it->index};
        if (!th__key_map_room(&l->word_ids, &l->level, l->words.len) ||
            !th__vec_push(&l->words, fresh))
            return false;
        th__key_map_put(&l->word_ids, key, id = (uint32_t)l->words.len);
    }
    th__exalg_word *w = &l->words.data[id - 1];
    w->total++;
    w->moved += w->index != it->index;
    if (w->last == it->parent) {
        w->again++;
    } else {
        w->parents++;
        w->pages += w->last_page != it->page;
    }
    w->last = it->parent;
    w->last_page = it->page;
    return true;
}

/* A text may be the template's when a good part of the parents has it, once. */
static bool is_frequent(const th__exalg_learner *l, const th__exalg_draft *d,
                        const th__exalg_word *w)
{
    return w && w->pages >= 2 && w->parents >= l->options->support * d->count &&
           w->again * 10 <= w->parents;
}

/* Nearly all parents have it. */
static bool is_constant(const th__exalg_draft *d, const th__exalg_word *w)
{
    return w && w->parents * 10 >= d->count * 8;
}

/* ---- children -------------------------------------------------------------------------------- */

static uint32_t first_unit(const th__exalg_outline *o, const th__exalg_item *it)
{
    return it->step ? o->first_unit[it->at] : it->at;
}

static bool add_child(th__exalg_learner *l, uint32_t parent, uint32_t page, th__exalg_child child)
{
    const th__exalg_outline *o = &l->pages[page];
    th__exalg_item it = {.parent = parent, .page = page};
    if (child.node == TH__EXALG_NO_CHILD) {
        it.at = it.last = child.unit;
        it.units = 1;
        it.first = it.whole = o->units[child.unit].hash;
    } else {
        it.at = child.node;
        it.step = th__exalg_node_step(o, child.node);
        it.units = th__exalg_units_in(o, child.node);
        it.first = it.units ? o->units[o->first_unit[child.node]].hash : 0;
        it.whole = th__exalg_whole(o, child.node);
        it.shape = th__exalg_shape(o, child.node);
    }
    if (it.units && l->options->pieces)
        it.gap = th__exalg_gap_before(o->page, o->units[first_unit(o, &it)].token);
    if (it.units == 1) {
        th_str label = th__exalg_prefix(th__exalg_unit_text(o, first_unit(o, &it)));
        bool readable = false;
        it.prefix = label.ptr ? th__exalg_text_hash(label, &readable) : 0;
    }
    return th__vec_push(&l->items, it);
}

/* An element has at most so many items: more are not needed to learn what it holds, and pages with
 * a child for every few bytes would take too much memory. */
bool th__exalg_find_items(th__exalg_learner *l, const th__exalg_draft *d)
{
    enum { MOST = 1 << 13 };
    th__exalg_child child;
    l->items.len = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        th__exalg_walk walk =
            th__exalg_children(&l->pages[d->instances[i].page], d->instances[i].at);
        for (uint32_t n = 0; n < MOST && th__exalg_next(&walk, &child); n++)
            if (!add_child(l, i, d->instances[i].page, child))
                return false;
    }
    return true;
}

static bool put_in_group(th__exalg_learner *l, th__exalg_item *it)
{
    uint32_t id = th__key_map_get(&l->group_ids, it->step | 1);
    if (!id) {
        th__exalg_group fresh = {.last = UINT32_MAX,
                                 .shape = it->shape,
                                 .common = it->shape,
                                 .sample = (uint32_t)(it - l->items.data)};
        if (!th__key_map_room(&l->group_ids, &l->level, l->groups.len) ||
            !th__vec_push(&l->groups, fresh))
            return false;
        th__key_map_put(&l->group_ids, it->step | 1, id = (uint32_t)l->groups.len);
    }
    it->group = id - 1;
    th__exalg_group *g = &l->groups.data[it->group];
    g->mixed |= it->shape != g->shape;
    g->common &= it->shape;
    g->total++;
    if (g->last != it->parent) {
        g->parents++;
        g->in_last = 0;
    }
    it->index = g->in_last++;
    g->full = g->in_last > g->most ? 1 : g->full + (g->in_last == g->most);
    g->most = g->in_last > g->most ? g->in_last : g->most;
    g->last = it->parent;
    return true;
}

/* How often a parent has a shape once more; each shape is counted at its first item. */
static void count_shapes(th__exalg_learner *l)
{
    for (size_t i = 0; i < l->items.len; i++) {
        const th__exalg_item *it = &l->items.data[i];
        th__exalg_word *w =
            it->step ? (th__exalg_word *)th__exalg_find_word(l, word_key(it, TH__EXALG_SHAPE))
                     : NULL;
        if (w && w->last != UINT32_MAX) {
            l->groups.data[it->group].again += w->again;
            w->last = UINT32_MAX;
        }
    }
}

static bool has_named_child(const th__exalg_outline *o, const th__exalg_item *it)
{
    uint32_t child = it->at + 1;
    return it->step && child < o->page->nodes[it->at].end && (o->cls[child] || o->id[child]);
}

/* What the items of each group have in common. */
static void look_at_groups(th__exalg_learner *l, const th__exalg_draft *d)
{
    for (size_t i = 0; i < l->items.len; i++) {
        th__exalg_item *it = &l->items.data[i], *next = it + 1;
        th__exalg_group *g = &l->groups.data[it->group];
        const th__exalg_word *whole =
            it->units ? th__exalg_find_word(l, word_key(it, TH__EXALG_WHOLE)) : NULL;
        bool frequent = is_frequent(l, d, whole);
        g->texts += it->units > 0;
        g->names += has_named_child(&l->pages[it->page], it);
        g->frequent += frequent;
        g->moved += frequent && whole->moved * 10 > whole->total;
        g->rows += it->units > 1 && !frequent;
        g->labelled += it->units > 1 && !frequent &&
                       is_frequent(l, d, th__exalg_find_word(l, word_key(it, TH__EXALG_FIRST)));
        bool before = i && !it[-1].step && it[-1].parent == it->parent;
        bool behind = i + 1 < l->items.len && !next->step && next->parent == it->parent;
        g->beside += before || behind;
        g->followed +=
            i + 1 < l->items.len && next->parent == it->parent && next->group != it->group;
    }
    count_shapes(l);
    for (size_t i = 0; i < l->groups.len; i++) {
        th__exalg_group *g = &l->groups.data[i];
        g->labels = g->most > 1 && g->frequent * 10 >= g->texts * 7 &&
                    g->followed * 2 >= g->total && g->frequent * 2 >= g->parents * 3;
        /* Items of a list differ in shape too, but share some step: several bits of the filter. */
        g->shaped = g->mixed && g->again * 10 <= g->total && __builtin_popcountll(g->common) < 3;
        /* Most stand alone between elements that are always there, and not all between the same. */
        g->spread = g->most > 1 && g->crowded * 10 <= g->total;
        g->named = g->shaped && g->names * 10 >= g->total * 9;
        g->steady = g->most > 1 && g->most <= 16 && g->full * 10 >= g->parents * 9 &&
                    g->moved * 10 <= g->frequent;
    }
    for (size_t i = 1; i < l->items.len; i++) {
        const th__exalg_item *it = &l->items.data[i], *before = it - 1;
        th__exalg_group *g = &l->groups.data[it->group];
        if (before->parent == it->parent && before->group != it->group &&
            l->groups.data[before->group].labels)
            g->valued++;
    }
    for (size_t i = 0; i < l->groups.len; i++)
        l->groups.data[i].steady &= l->groups.data[i].valued * 2 < l->groups.data[i].total;
}

/* The last element before each item that nearly every parent has, once. */
static bool find_before(th__exalg_learner *l, const th__exalg_draft *d)
{
    uint64_t after = 0;
    uint32_t parent = UINT32_MAX, before = 0;
    for (size_t i = 0; i < l->items.len; i++) {
        th__exalg_item *it = &l->items.data[i];
        th__exalg_group *g = &l->groups.data[it->group];
        if (it->parent != parent)
            after = before = 0;
        parent = it->parent;
        it->after = after;
        it->before = before;
        uint64_t key = word_key(it, TH__EXALG_AFTER);
        const th__exalg_word *w = th__exalg_find_word(l, key);
        g->crowded += w && w->last == it->parent;
        if (!th__exalg_count_word(l, key, it))
            return false;
        if (it->step && g->most == 1 && g->parents * 10 >= d->count * 9) {
            after = it->step;
            before = it->at;
        }
    }
    return true;
}

bool th__exalg_find_groups(th__exalg_learner *l, const th__exalg_draft *d)
{
    l->groups.len = l->words.len = 0;
    for (size_t i = 0; i < l->items.len; i++) {
        th__exalg_item *it = &l->items.data[i];
        if (!put_in_group(l, it) ||
            (it->units && !th__exalg_count_word(l, word_key(it, TH__EXALG_WHOLE), it)) ||
            (it->units > 1 && !th__exalg_count_word(l, word_key(it, TH__EXALG_FIRST), it)) ||
            (it->prefix && !th__exalg_count_word(l, word_key(it, TH__EXALG_PREFIX), it)) ||
            (it->step && !th__exalg_count_word(l, word_key(it, TH__EXALG_SHAPE), it)))
            return false;
    }
    if (!find_before(l, d))
        return false;
    look_at_groups(l, d);
    return true;
}

/* ---- inner markup ---------------------------------------------------------------------------- */

uint16_t th__exalg_item_tag(const th__exalg_learner *l, const th__exalg_item *it)
{
    return it->step ? l->pages[it->page].page->tags[it->at] : 0;
}

/* Phrasing without a name that only some texts have, around words of their own, is markup of the
 * values: <b>, <i>, a link in a sentence. Labels and lists have it everywhere. */
bool th__exalg_find_inner(th__exalg_learner *l, const th__exalg_draft *d)
{
    uint32_t text = th__key_map_get(&l->group_ids, 1);
    bool any = false;
    if (!text || l->groups.data[text - 1].parents * 2 < d->count)
        return false;
    for (size_t i = 0; i < l->items.len; i++) {
        const th__exalg_item *it = &l->items.data[i];
        th__exalg_group *g = &l->groups.data[it->group];
        const th__exalg_outline *o = &l->pages[it->page];
        if (!it->step || g->inner || o->cls[it->at] || o->id[it->at])
            continue;
        uint16_t tag = th__exalg_item_tag(l, it);
        bool phrasing = tag < TH_TAG_OTHER && !(th__tag_flags(tag) & TH_TAG_IS_BLOCK) &&
                        tag != TH_TAG_IMG && tag != TH_TAG_INPUT && tag != TH_TAG_BR;
        bool line = tag == TH_TAG_BR && g->parents * 2 <= d->count;
        g->inner = line || (phrasing && g->texts && g->parents * 2 <= d->count &&
                            g->frequent * 4 <= g->texts && g->beside * 10 >= g->total * 8);
        any |= g->inner;
    }
    return any;
}

/* A line that ends with a comma goes on in the next. */
static bool goes_on(const th__exalg_learner *l, const th__exalg_item *run,
                    const th__exalg_item *next)
{
    const th__exalg_outline *o = &l->pages[run->page];
    th_str text = th__exalg_unit_text(o, run->last);
    return th__exalg_item_tag(l, next) == TH_TAG_BR && text.len && text.ptr[text.len - 1] == ',';
}

/* In a text, markup that labels have too is emphasis when its words are no label's. */
static bool is_emphasis(const th__exalg_learner *l, const th__exalg_draft *d,
                        const th__exalg_item *it)
{
    return it->units == 1 && l->groups.data[it->group].labels &&
           !is_frequent(l, d, th__exalg_find_word(l, word_key(it, TH__EXALG_WHOLE)));
}

/* Joins texts with what is inner markup into one text. */
bool th__exalg_join_texts(th__exalg_learner *l, const th__exalg_draft *d)
{
    size_t kept = 0;
    bool open = false, joined = false;
    for (size_t i = 0; i < l->items.len; i++) {
        th__exalg_item it = l->items.data[i], *run = open ? &l->items.data[kept - 1] : NULL;
        const th__exalg_outline *o = &l->pages[it.page];
        bool text = !it.step || (l->groups.data[it.group].inner && it.units) ||
                    (run && run->parent == it.parent && is_emphasis(l, d, &it));
        bool line = l->groups.data[it.group].inner && th__exalg_item_tag(l, &it) == TH_TAG_BR;
        if (run && run->parent == it.parent && !text && (line || goes_on(l, run, &it)))
            continue;
        if (!text) {
            open = false;
            l->items.data[kept++] = it;
            continue;
        }
        uint32_t first = it.step ? o->first_unit[it.at] : it.at;
        uint32_t last = it.step ? o->end_unit[it.at] - 1 : it.at;
        joined |= it.step || (run && run->parent == it.parent);
        if (run && run->parent == it.parent) {
            run->last = last;
            run->first = run->whole = o->sums[last + 1] - o->sums[run->at];
            continue;
        }
        it.step = it.shape = 0;
        it.units = 1;
        it.at = first;
        it.last = last;
        it.first = it.whole =
            last == first ? o->units[first].hash : o->sums[last + 1] - o->sums[first];
        l->items.data[kept++] = it;
        open = true;
    }
    l->items.len = kept;
    return joined;
}

/* Whether all that there is is one text. */
bool th__exalg_is_one_text(const th__exalg_learner *l)
{
    for (size_t i = 0; i < l->groups.len; i++)
        if (l->groups.data[i].texts && l->groups.data[i].most > 1)
            return false;
    uint32_t text = th__key_map_get(&l->group_ids, 1), with = 0;
    for (size_t i = 0; i < l->groups.len; i++)
        with += l->groups.data[i].texts > 0;
    return text && with == 1;
}

/* Whether a text says of itself that something follows. */
static bool ends_with_colon(const th__exalg_learner *l, const th__exalg_item *it)
{
    const th__exalg_outline *o = &l->pages[it->page];
    th_str text = th__exalg_unit_text(o, first_unit(o, it));
    return text.len && text.ptr[text.len - 1] == ':';
}

/* Whether the first text of a row is its label. */
bool th__exalg_is_row(const th__exalg_learner *l, const th__exalg_draft *d,
                      const th__exalg_item *it)
{
    const th__exalg_group *g = &l->groups.data[it->group];
    const th__exalg_word *w =
        it->step && it->units ? th__exalg_find_word(l, word_key(it, TH__EXALG_FIRST)) : NULL;
    /* Rows of a table have several labels in one parent: a value that begins a row (a rating) has
     * one of several. */
    bool table = g->labelled * 2 >= g->rows && g->labelled * 2 >= g->parents * 3;
    if (table) /* where rows have labels, a rare one is one too */
        return w && w->pages >= 2 && w->again * 10 <= w->parents;
    return is_frequent(l, d, w) && (is_constant(d, w) || ends_with_colon(l, it));
}

/* Whether the texts of an item are the template's. Among texts of a small vocabulary (genres,
 * ratings) a frequent one is no label: labels stand before values, or everywhere. */
bool th__exalg_is_label(const th__exalg_learner *l, const th__exalg_draft *d,
                        const th__exalg_item *it)
{
    const th__exalg_group *g = &l->groups.data[it->group];
    const th__exalg_word *w =
        it->units ? th__exalg_find_word(l, word_key(it, TH__EXALG_WHOLE)) : NULL;
    if (it->step && it->units == 1 && th__exalg_is_row(l, d, it))
        return false; /* a row whose value is missing */
    if (g->labels && it->units == 1)
        return true; /* a rare one among labels is a label too */
    if (g->most <= 1 || !is_frequent(l, d, w))
        return false;
    if (it->units == 1 && ends_with_colon(l, it))
        return true;
    return !g->steady && g->valued * 2 < g->total && is_constant(d, w);
}

/* Whether an item that is alone in its place is always the same text: what follows stands behind
 * it. */
bool th__exalg_is_heading(const th__exalg_learner *l, const th__exalg_draft *d,
                          const th__exalg_item *it)
{
    const th__exalg_group *g = &l->groups.data[it->group];
    const th__exalg_word *w =
        it->units ? th__exalg_find_word(l, word_key(it, TH__EXALG_WHOLE)) : NULL;
    return g->most == 1 && is_frequent(l, d, w) && w->total * 10 >= g->total * 9;
}

bool th__exalg_has_prefix(const th__exalg_learner *l, const th__exalg_draft *d,
                          const th__exalg_item *it)
{
    return it->prefix && is_frequent(l, d, th__exalg_find_word(l, word_key(it, TH__EXALG_PREFIX)));
}
