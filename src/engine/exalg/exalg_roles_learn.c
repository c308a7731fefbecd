/*
 * exalg_roles_learn.c: which roles there are: from the document down, level by level.
 *
 * The instances of a role are elements, on all pages. Their children are laid side by side and get
 * roles of their own (see exalg_roles.h), whose instances they are. So every element and text of
 * the pages is looked at once as a child; the cost is linear in the pages.
 */
#include "engine/exalg/exalg_roles_learn.h"

#include <stdlib.h>

#include "base/str.h"
#include "base/vec.h"
#include "page/tags.h"

/* An element or text of a page that has a role. */
typedef struct instance {
    uint32_t page, at; /* node, or first unit of a text */
    uint32_t last;     /* its last unit */
} instance;

typedef struct draft {
    th__exalg_role role;
    instance *instances;
    uint32_t count, pages;
    uint32_t same; /* the draft whose field it shares: itself, when there is none */
} draft;

/* A child of an instance. */
typedef struct item {
    uint64_t step;   /* 0: a text */
    uint64_t first;  /* the hash of its first text, 0 for none */
    uint64_t whole;  /* the hash of all its texts */
    uint64_t prefix; /* the hash of the label in its one text, or 0 */
    uint64_t shape;  /* of an element */
    uint64_t cell;   /* the key of its cell */
    uint64_t hash;   /* of what tells it apart */
    uint32_t parent, page, at, units;
    uint32_t last; /* unit of a text that has inner markup */
    uint32_t group;
    uint32_t index;  /* among those of its group in its parent */
    uint32_t number; /* among those of its cell in its parent */
    uint8_t told;
} item;

/* Children with the same step. */
typedef struct group {
    uint32_t total, parents, last, most, full; /* items; parents that have any, that have most */
    uint32_t in_last;
    uint32_t sample;          /* the first item */
    uint32_t texts, frequent; /* items with texts, and those whose texts are frequent */
    uint32_t rows, labelled;  /* with several texts, and those with a frequent first one */
    uint32_t moved;           /* frequent texts that are not at their usual place */
    uint32_t followed;        /* items before one of another group */
    uint32_t again;           /* items of a shape that their parent had before */
    uint32_t names;           /* items whose first child has a name */
    uint32_t beside;          /* items right beside a text */
    uint32_t valued;          /* items right behind a label */
    uint64_t shape;           /* of the first */
    uint64_t common;          /* what all shapes share */
    bool mixed;               /* of several shapes */
    bool labels;              /* texts of the template, each before a value */
    bool named;               /* and that by names of classes */
    bool shaped;              /* told apart by what they are made of */
    bool inner;               /* markup inside of texts */
    bool steady;              /* always as many, and always in one order */
} group;

/* A text and how often it stands below the role. */
typedef struct word {
    uint32_t parents, last, pages, last_page;
    uint32_t again;               /* times that a parent has it once more */
    uint32_t total, index, moved; /* its place among those of its group */
} word;

/* What gets one role, or several by number. */
typedef struct cell {
    uint32_t first; /* the first item */
    uint32_t parents, most, last, in_last, pages, last_page, total;
    uint32_t full; /* parents that have `most` */
    uint32_t role; /* the first of its roles */
    bool ordinal;
} cell;

struct learner {
    const th__exalg_options *options;
    th__exalg_outline *pages;
    uint32_t page_count;
    th__arena *arena;  /* of the rules */
    th__arena scratch; /* instances */
    th__arena level;   /* of one expansion */
    TH__VEC(draft) drafts;
    TH__VEC(item) items;
    TH__VEC(group) groups;
    TH__VEC(word) words;
    TH__VEC(cell) cells;
    th__key_map word_ids, cell_ids, group_ids;
};

/* ---- texts that many parents have ------------------------------------------------------------ */

/* Which text of an item. */
enum which { WHOLE, FIRST, PREFIX, SHAPE };

static uint64_t word_key(const item *it, enum which which)
{
    const uint64_t texts[] = {it->whole, it->first, it->prefix, it->shape};
    return th__hash_mix(it->step + which, texts[which]);
}

static const word *find_word(const struct learner *l, uint64_t key)
{
    uint32_t id = th__key_map_get(&l->word_ids, key);
    return id ? &l->words.data[id - 1] : NULL;
}

static bool count_word(struct learner *l, uint64_t key, const item *it)
{
    uint32_t id = th__key_map_get(&l->word_ids, key);
    if (!id) {
        word fresh = {.last = UINT32_MAX, .last_page = UINT32_MAX, .index = it->index};
        if (!th__vec_push(&l->words, fresh))
            return false;
        th__key_map_put(&l->word_ids, key, id = (uint32_t)l->words.len);
    }
    word *w = &l->words.data[id - 1];
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
static bool is_frequent(const struct learner *l, const draft *d, const word *w)
{
    return w && w->pages >= 2 && w->parents >= l->options->support * d->count &&
           w->again * 10 <= w->parents;
}

/* Nearly all parents have it. */
static bool is_constant(const draft *d, const word *w)
{
    return w && w->parents * 10 >= d->count * 8;
}

/* ---- children -------------------------------------------------------------------------------- */

static th_str unit_text(const th__exalg_outline *o, uint32_t unit)
{
    return th__str_trim(th__token_text(o->page, o->units[unit].token));
}

static uint32_t first_unit(const th__exalg_outline *o, const item *it)
{
    return it->step ? o->first_unit[it->at] : it->at;
}

static bool add_child(struct learner *l, uint32_t parent, uint32_t page, th__exalg_child child)
{
    const th__exalg_outline *o = &l->pages[page];
    item it = {.parent = parent, .page = page};
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
    if (it.units == 1) {
        th_str label = th__exalg_prefix(unit_text(o, first_unit(o, &it)));
        bool readable = false;
        it.prefix = label.ptr ? th__exalg_text_hash(label, &readable) : 0;
    }
    return th__vec_push(&l->items, it);
}

static bool find_items(struct learner *l, const draft *d)
{
    th__exalg_child child;
    l->items.len = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        th__exalg_walk walk =
            th__exalg_children(&l->pages[d->instances[i].page], d->instances[i].at);
        while (th__exalg_next(&walk, &child))
            if (!add_child(l, i, d->instances[i].page, child))
                return false;
    }
    return true;
}

static bool put_in_group(struct learner *l, item *it)
{
    uint32_t id = th__key_map_get(&l->group_ids, it->step | 1);
    if (!id) {
        group fresh = {.last = UINT32_MAX,
                       .shape = it->shape,
                       .common = it->shape,
                       .sample = (uint32_t)(it - l->items.data)};
        if (!th__vec_push(&l->groups, fresh))
            return false;
        th__key_map_put(&l->group_ids, it->step | 1, id = (uint32_t)l->groups.len);
    }
    it->group = id - 1;
    group *g = &l->groups.data[it->group];
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
static void count_shapes(struct learner *l)
{
    for (size_t i = 0; i < l->items.len; i++) {
        const item *it = &l->items.data[i];
        word *w = it->step ? (word *)find_word(l, word_key(it, SHAPE)) : NULL;
        if (w && w->last != UINT32_MAX) {
            l->groups.data[it->group].again += w->again;
            w->last = UINT32_MAX;
        }
    }
}

static bool has_named_child(const th__exalg_outline *o, const item *it)
{
    uint32_t child = it->at + 1;
    return it->step && child < o->page->nodes[it->at].end && (o->cls[child] || o->id[child]);
}

/* What the items of each group have in common. */
static void look_at_groups(struct learner *l, const draft *d)
{
    for (size_t i = 0; i < l->items.len; i++) {
        item *it = &l->items.data[i], *next = it + 1;
        group *g = &l->groups.data[it->group];
        const word *whole = it->units ? find_word(l, word_key(it, WHOLE)) : NULL;
        bool frequent = is_frequent(l, d, whole);
        g->texts += it->units > 0;
        g->names += has_named_child(&l->pages[it->page], it);
        g->frequent += frequent;
        g->moved += frequent && whole->moved * 10 > whole->total;
        g->rows += it->units > 1 && !frequent;
        g->labelled +=
            it->units > 1 && !frequent && is_frequent(l, d, find_word(l, word_key(it, FIRST)));
        bool before = i && !it[-1].step && it[-1].parent == it->parent;
        bool behind = i + 1 < l->items.len && !next->step && next->parent == it->parent;
        g->beside += before || behind;
        g->followed +=
            i + 1 < l->items.len && next->parent == it->parent && next->group != it->group;
    }
    count_shapes(l);
    for (size_t i = 0; i < l->groups.len; i++) {
        group *g = &l->groups.data[i];
        g->labels = g->most > 1 && g->frequent * 10 >= g->texts * 7 &&
                    g->followed * 2 >= g->total && g->frequent * 2 >= g->parents * 3;
        /* Items of a list differ in shape too, but share some step: several bits of the filter. */
        g->shaped = g->mixed && g->again * 10 <= g->total && __builtin_popcountll(g->common) < 3;
        g->named = g->shaped && g->names * 10 >= g->total * 9;
        g->steady = g->most > 1 && g->most <= 16 && g->full * 10 >= g->parents * 9 &&
                    g->moved * 10 <= g->frequent;
    }
    for (size_t i = 1; i < l->items.len; i++) {
        const item *it = &l->items.data[i], *before = it - 1;
        group *g = &l->groups.data[it->group];
        if (before->parent == it->parent && before->group != it->group &&
            l->groups.data[before->group].labels)
            g->valued++;
    }
    for (size_t i = 0; i < l->groups.len; i++)
        l->groups.data[i].steady &= l->groups.data[i].valued * 2 < l->groups.data[i].total;
}

static bool find_groups(struct learner *l, const draft *d)
{
    l->groups.len = l->words.len = 0;
    for (size_t i = 0; i < l->items.len; i++) {
        item *it = &l->items.data[i];
        if (!put_in_group(l, it) || (it->units && !count_word(l, word_key(it, WHOLE), it)) ||
            (it->units > 1 && !count_word(l, word_key(it, FIRST), it)) ||
            (it->prefix && !count_word(l, word_key(it, PREFIX), it)) ||
            (it->step && !count_word(l, word_key(it, SHAPE), it)))
            return false;
    }
    look_at_groups(l, d);
    return true;
}

/* ---- inner markup ---------------------------------------------------------------------------- */

static uint16_t item_tag(const struct learner *l, const item *it)
{
    return it->step ? l->pages[it->page].page->tags[it->at] : 0;
}

/* Phrasing without a name that only some texts have, around words of their own, is markup of the
 * values: <b>, <i>, a link in a sentence. Labels and lists have it everywhere. */
static bool find_inner(struct learner *l, const draft *d)
{
    uint32_t text = th__key_map_get(&l->group_ids, 1);
    bool any = false;
    if (!text || l->groups.data[text - 1].parents * 2 < d->count)
        return false;
    for (size_t i = 0; i < l->items.len; i++) {
        const item *it = &l->items.data[i];
        group *g = &l->groups.data[it->group];
        const th__exalg_outline *o = &l->pages[it->page];
        if (!it->step || g->inner || o->cls[it->at] || o->id[it->at])
            continue;
        uint16_t tag = item_tag(l, it);
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
static bool goes_on(const struct learner *l, const item *run, const item *next)
{
    const th__exalg_outline *o = &l->pages[run->page];
    th_str text = unit_text(o, run->last);
    return item_tag(l, next) == TH_TAG_BR && text.len && text.ptr[text.len - 1] == ',';
}

/* Joins texts with what is inner markup into one text. */
static bool join_texts(struct learner *l)
{
    size_t kept = 0;
    bool open = false, joined = false;
    for (size_t i = 0; i < l->items.len; i++) {
        item it = l->items.data[i], *run = open ? &l->items.data[kept - 1] : NULL;
        const th__exalg_outline *o = &l->pages[it.page];
        bool text = !it.step || (l->groups.data[it.group].inner && it.units);
        bool line = l->groups.data[it.group].inner && item_tag(l, &it) == TH_TAG_BR;
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
static bool is_one_text(const struct learner *l)
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
static bool ends_with_colon(const struct learner *l, const item *it)
{
    const th__exalg_outline *o = &l->pages[it->page];
    th_str text = unit_text(o, first_unit(o, it));
    return text.len && text.ptr[text.len - 1] == ':';
}

/* Whether the first text of a row is its label. */
static bool is_row(const struct learner *l, const draft *d, const item *it)
{
    const group *g = &l->groups.data[it->group];
    const word *w = it->step && it->units ? find_word(l, word_key(it, FIRST)) : NULL;
    /* Rows of a table have several labels in one parent: a value that begins a row (a rating) has
     * one of several. */
    bool table = g->labelled * 2 >= g->rows && g->labelled * 2 >= g->parents * 3;
    if (table) /* where rows have labels, a rare one is one too */
        return w && w->pages >= 2 && w->again * 10 <= w->parents;
    return is_frequent(l, d, w) && (is_constant(d, w) || ends_with_colon(l, it));
}

/* Whether the texts of an item are the template's. Among texts of a small vocabulary (genres,
 * ratings) a frequent one is no label: labels stand before values, or everywhere. */
static bool is_label(const struct learner *l, const draft *d, const item *it)
{
    const group *g = &l->groups.data[it->group];
    const word *w = it->units ? find_word(l, word_key(it, WHOLE)) : NULL;
    if (it->step && it->units == 1 && is_row(l, d, it))
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
static bool is_heading(const struct learner *l, const draft *d, const item *it)
{
    const group *g = &l->groups.data[it->group];
    const word *w = it->units ? find_word(l, word_key(it, WHOLE)) : NULL;
    return g->most == 1 && is_frequent(l, d, w) && w->total * 10 >= g->total * 9;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static bool put_in_cell(struct learner *l, size_t i)
{
    item *it = &l->items.data[i];
    uint32_t id = th__key_map_get(&l->cell_ids, it->cell);
    if (!id) {
        cell fresh = {.first = (uint32_t)i, .last = UINT32_MAX, .last_page = UINT32_MAX};
        if (!th__vec_push(&l->cells, fresh))
            return false;
        th__key_map_put(&l->cell_ids, it->cell, id = (uint32_t)l->cells.len);
    }
    cell *c = &l->cells.data[id - 1];
    if (c->last != it->parent) {
        c->parents++;
        c->in_last = 0;
        c->pages += c->last_page != it->page;
    }
    it->number = c->in_last++;
    c->total++;
    c->full = c->in_last > c->most ? 1 : c->full + (c->in_last == c->most);
    c->most = c->in_last > c->most ? c->in_last : c->most;
    c->last = it->parent;
    c->last_page = it->page;
    return true;
}

static void tell(item *it, uint32_t parent, th__exalg_told told, uint64_t hash)
{
    it->told = (uint8_t)told;
    it->hash = hash;
    it->cell = th__exalg_cell_key(parent, it->step, told, hash);
}

/* What tells each item apart. */
static bool find_cells(struct learner *l, const draft *d, uint32_t role)
{
    uint64_t section = 0;
    uint32_t parent = UINT32_MAX;
    for (size_t i = 0; i < l->items.len; i++) {
        item *it = &l->items.data[i];
        const group *g = &l->groups.data[it->group];
        if (it->parent != parent)
            section = 0;
        parent = it->parent;
        if (is_label(l, d, it)) {
            tell(it, role, TH__EXALG_BY_ITSELF, it->whole);
            section = it->whole;
        } else if (g->most <= 1 && !(g->named && it->units)) {
            tell(it, role, TH__EXALG_BY_PLACE, 0);
            if (is_heading(l, d, it))
                section = it->whole;
        } else if (is_row(l, d, it)) {
            tell(it, role, TH__EXALG_BY_INSIDE, it->first);
        } else if (it->prefix && is_frequent(l, d, find_word(l, word_key(it, PREFIX)))) {
            tell(it, role, TH__EXALG_BY_PREFIX, it->prefix);
        } else if (g->named) {
            tell(it, role, TH__EXALG_BY_SHAPE, it->shape);
        } else if (section && !g->steady) {
            tell(it, role, TH__EXALG_BY_SECTION, section);
        } else if (g->shaped && !g->steady) {
            tell(it, role, TH__EXALG_BY_SHAPE, it->shape);
        } else {
            tell(it, role, TH__EXALG_BY_PLACE, 0);
        }
        if (!put_in_cell(l, i))
            return false;
    }
    return true;
}

/* Items of a cell in the same number everywhere that are not alike have a role each. */
static void decide(struct learner *l, cell *c)
{
    const item *first = &l->items.data[c->first];
    const group *g = &l->groups.data[first->group];
    uint16_t tag = first->step ? l->pages[first->page].page->tags[first->at] : 0;
    bool cells = !first->step || tag == TH_TAG_TD || tag == TH_TAG_TH;
    bool steady = c->most > 1 && c->most <= 16 && c->full * 10 >= c->parents * 9;
    bool links = tag == TH_TAG_A || tag == TH_TAG_LI;
    c->ordinal = steady && (cells || g->mixed || (c->most == 2 && !links));
}

/* ---- drafts ---------------------------------------------------------------------------------- */

static th_str copy_name(struct learner *l, const th_page *page, uint32_t node, bool id,
                        uint64_t hash)
{
    th_str name = {0}, copy = {0};
    th__buf text = {0};
    if (!hash || !(id ? th__exalg_id_get(page, node, &name)
                      : th__exalg_name_get(page, node, "class", &name)))
        return copy;
    th__exalg_name_write(name, &text);
    if (!text.failed)
        copy = th__arena_copy(l->arena, th__buf_str(&text));
    th__buf_release(&text);
    return copy;
}

static th_str unit_source(struct learner *l, uint32_t page, uint32_t unit)
{
    return th__arena_copy(l->arena, unit_text(&l->pages[page], unit));
}

/* The texts of an item, TH__EXALG_BETWEEN between them. */
static bool item_source(struct learner *l, const item *it, th_str *out)
{
    const th__exalg_outline *o = &l->pages[it->page];
    if (!it->step) {
        *out = unit_source(l, it->page, it->at);
        return out->ptr;
    }
    th__buf text = {0};
    for (uint32_t u = o->first_unit[it->at]; u < o->end_unit[it->at]; u++) {
        if (text.len)
            th__buf_add_byte(&text, TH__EXALG_BETWEEN);
        th__buf_add_str(&text, unit_text(o, u));
    }
    *out = text.failed ? (th_str){0} : th__arena_copy(l->arena, th__buf_str(&text));
    th__buf_release(&text);
    return out->ptr;
}

/* The source of the text with this hash among the items, for the label of a section. */
static bool find_label(struct learner *l, uint32_t parent, uint64_t hash, size_t before,
                       th_str *out)
{
    for (size_t i = before; i-- > 0 && l->items.data[i].parent == parent;) {
        const item *it = &l->items.data[i];
        if (it->whole != hash)
            continue;
        return item_source(l, it, out);
    }
    return true;
}

static th_str tag_name(struct learner *l, const th_page *page, uint32_t node)
{
    th__buf name = {0};
    th_str tag = th_token_name(page, page->nodes[node].token);
    for (size_t i = 0; i < tag.len; i++)
        th__buf_add_byte(&name, (char)th__lower((unsigned char)tag.ptr[i]));
    th_str copy = name.failed ? (th_str){0} : th__arena_copy(l->arena, th__buf_str(&name));
    th__buf_release(&name);
    return copy;
}

static bool describe(struct learner *l, const item *it, size_t index, th__exalg_role *role)
{
    const th__exalg_outline *o = &l->pages[it->page];
    role->kind = it->step ? TH__EXALG_ELEMENT : TH__EXALG_TEXT;
    role->told = it->told;
    role->heading =
        it->told == TH__EXALG_BY_ITSELF && l->groups.data[it->group].labels && it->units == 1;
    role->ordinal = TH__EXALG_NO_ROLE;
    if (it->step) {
        role->tag = tag_name(l, o->page, it->at);
        role->cls = copy_name(l, o->page, it->at, false, o->cls[it->at]);
        role->id = copy_name(l, o->page, it->at, true, o->id[it->at]);
        if (!role->tag.ptr || (o->cls[it->at] && !role->cls.ptr) ||
            (o->id[it->at] && !role->id.ptr))
            return false;
    }
    uint32_t unit = it->step ? o->first_unit[it->at] : it->at;
    if (it->told == TH__EXALG_BY_ITSELF)
        return item_source(l, it, &role->label);
    if (it->told == TH__EXALG_BY_PREFIX)
        role->label = th__arena_copy(l->arena, th__exalg_prefix(unit_text(o, unit)));
    else if (it->told == TH__EXALG_BY_INSIDE)
        role->label = unit_source(l, it->page, unit);
    else if (it->told == TH__EXALG_BY_SECTION)
        return find_label(l, it->parent, it->hash, index, &role->label) && role->label.ptr;
    role->shape = it->shape;
    return role->label.ptr || it->told == TH__EXALG_BY_PLACE || it->told == TH__EXALG_BY_SHAPE;
}

static bool add_drafts(struct learner *l, uint32_t parent, cell *c)
{
    uint32_t roles = c->ordinal ? c->most : 1;
    c->role = (uint32_t)l->drafts.len;
    for (uint32_t n = 0; n < roles; n++) {
        draft d = {.role.parent = parent, .same = (uint32_t)l->drafts.len};
        if (!describe(l, &l->items.data[c->first], c->first, &d.role))
            return false;
        if (c->ordinal)
            d.role.ordinal = n;
        d.role.list = !c->ordinal && c->most > 1;
        d.instances =
            th__arena_alloc(&l->scratch, (c->ordinal ? c->parents : c->total) * sizeof(instance));
        if (!d.instances || !th__vec_push(&l->drafts, d))
            return false;
    }
    return true;
}

static void add_instances(struct learner *l)
{
    for (size_t i = 0; i < l->items.len; i++) {
        const item *it = &l->items.data[i];
        const cell *c = &l->cells.data[th__key_map_get(&l->cell_ids, it->cell) - 1];
        if (c->role == TH__EXALG_NO_ROLE)
            continue;
        draft *d = &l->drafts.data[c->role + (c->ordinal ? it->number : 0)];
        if (!d->count || d->instances[d->count - 1].page != it->page)
            d->pages++;
        d->instances[d->count++] = (instance){it->page, it->at, it->last};
    }
}

/* An element with at most one text anywhere has that as its value. */
static void find_leaf(struct learner *l, draft *d)
{
    bool leaf = d->role.kind == TH__EXALG_ELEMENT;
    for (uint32_t i = 0; leaf && i < d->count; i++)
        leaf = th__exalg_units_in(&l->pages[d->instances[i].page], d->instances[i].at) <= 1;
    d->role.leaf = leaf;
}

static bool prepare_maps(struct learner *l)
{
    th__arena_clear(&l->level);
    return th__key_map_init(&l->word_ids, &l->level, 4 * l->items.len) &&
           th__key_map_init(&l->cell_ids, &l->level, l->items.len) &&
           th__key_map_init(&l->group_ids, &l->level, l->items.len);
}

static uint32_t least_pages(const struct learner *l)
{
    return l->page_count < 2 ? 1 : 2;
}

/* What of the inner markup must be known to join texts again. */
static bool note_inner(struct learner *l, uint32_t parent)
{
    for (size_t i = 0; i < l->groups.len; i++) {
        const group *g = &l->groups.data[i];
        if (!g->inner)
            continue;
        const item *it = &l->items.data[g->sample];
        draft d = {.role = {.parent = parent, .kind = TH__EXALG_ELEMENT, .inner = true},
                   .same = (uint32_t)l->drafts.len,
                   .pages = 2};
        d.role.ordinal = TH__EXALG_NO_ROLE;
        d.role.tag = tag_name(l, l->pages[it->page].page, it->at);
        if (!d.role.tag.ptr || !th__vec_push(&l->drafts, d))
            return false;
    }
    return true;
}

/* Lays the children side by side. *one: they are but one text. */
static bool look_at_children(struct learner *l, uint32_t index, bool *one)
{
    draft d = l->drafts.data[index];
    *one = false;
    if (!find_items(l, &d) || !prepare_maps(l) || !find_groups(l, &d))
        return false;
    size_t before = l->drafts.len;
    if (find_inner(l, &d) && !note_inner(l, index))
        return false;
    if (!join_texts(l))
        return true;
    if (!prepare_maps(l) || !find_groups(l, &d))
        return false;
    *one = is_one_text(l);
    if (*one)
        l->drafts.len = before;
    return true;
}

/* The children of a role. */
static bool expand(struct learner *l, uint32_t index)
{
    bool one;
    if (!look_at_children(l, index, &one))
        return false;
    if (one) {
        l->drafts.data[index].role.leaf = true;
        return true;
    }
    draft d = l->drafts.data[index];
    l->cells.len = 0;
    if (!find_cells(l, &d, index))
        return false;
    size_t before = l->drafts.len;
    for (size_t c = 0; c < l->cells.len; c++) {
        cell *cl = &l->cells.data[c];
        decide(l, cl);
        cl->role = TH__EXALG_NO_ROLE;
        /* What a single page has is no template. */
        if (cl->pages >= least_pages(l) && l->drafts.len + cl->most < TH__EXALG_MAX_ROLES &&
            !add_drafts(l, index, cl))
            return false;
    }
    add_instances(l);
    for (size_t i = before; i < l->drafts.len; i++)
        find_leaf(l, &l->drafts.data[i]);
    return true;
}

/* ---- names that tell ------------------------------------------------------------------------- */

struct names {
    th__key_map ids;
    TH__VEC(uint32_t) pages; /* by name: how many have it */
    TH__VEC(uint32_t) last;
    TH__VEC(instance) places; /* where it stands; at: node, and whether it is an id */
    TH__VEC(bool) is_id;
};

static bool count_name(struct names *n, uint64_t hash, uint32_t page, uint32_t node, bool is_id)
{
    if (!hash)
        return true;
    uint32_t id = th__key_map_get(&n->ids, hash);
    if (!id) {
        if (!th__vec_push(&n->pages, 0) || !th__vec_push(&n->last, UINT32_MAX) ||
            !th__vec_push(&n->places, (instance){page, node}) || !th__vec_push(&n->is_id, is_id))
            return false;
        th__key_map_put(&n->ids, hash, id = (uint32_t)n->pages.len);
    }
    n->pages.data[id - 1] += n->last.data[id - 1] != page;
    n->last.data[id - 1] = page;
    return true;
}

/* Names that a good part of the pages share. */
static bool find_names(struct learner *l, th__exalg_roles *out)
{
    struct names n = {0};
    size_t nodes = 0;
    for (uint32_t p = 0; p < l->page_count; p++)
        nodes += l->pages[p].page->node_count;
    bool ok = th__key_map_init(&n.ids, &l->scratch, 2 * nodes);
    for (uint32_t p = 0; ok && p < l->page_count; p++)
        for (uint32_t node = 1; ok && node < l->pages[p].page->node_count; node++)
            ok = count_name(&n, l->pages[p].cls[node], p, node, false) &&
                 count_name(&n, l->pages[p].id[node], p, node, true);
    out->names = ok ? th__arena_zero(l->arena, n.pages.len + 1, sizeof *out->names) : NULL;
    ok = out->names;
    for (size_t i = 0; ok && i < n.pages.len; i++) {
        if (n.pages.data[i] < 2 || n.pages.data[i] < l->options->support * l->page_count)
            continue;
        const th_page *page = l->pages[n.places.data[i].page].page;
        out->names[out->name_count] = copy_name(l, page, n.places.data[i].at, n.is_id.data[i], 1);
        ok = out->names[out->name_count++].ptr;
    }
    th__vec_release(&n.pages);
    th__vec_release(&n.last);
    th__vec_release(&n.places);
    th__vec_release(&n.is_id);
    return ok;
}

/* ---- what is data ---------------------------------------------------------------------------- */

static uint64_t value_hash(const struct learner *l, const draft *d, uint32_t i)
{
    const th__exalg_outline *o = &l->pages[d->instances[i].page];
    uint32_t at = d->instances[i].at, last = d->instances[i].last;
    if (d->role.kind == TH__EXALG_ELEMENT)
        return th__exalg_units_in(o, at) ? th__exalg_whole(o, at) : 0;
    return at == last ? o->units[at].hash : o->sums[last + 1] - o->sums[at];
}

/* Texts that differ are data; one that is always the same is the template's. */
static bool find_use(struct learner *l, draft *d)
{
    th__exalg_role *role = &d->role;
    role->support = d->pages;
    if (role->inner)
        return true;
    if (role->told == TH__EXALG_BY_ITSELF) {
        role->use = TH__EXALG_TEMPLATE;
        role->text = role->label;
        return true;
    }
    if (role->kind == TH__EXALG_ELEMENT && !role->leaf)
        return true;
    uint64_t first = 0;
    uint32_t with = UINT32_MAX;
    role->many = role->list;
    for (uint32_t i = 0; i < d->count; i++) {
        uint64_t hash = value_hash(l, d, i);
        if (!hash)
            continue;
        if (with == UINT32_MAX) {
            with = i;
            first = hash;
        } else if (hash != first) {
            role->use = TH__EXALG_DATA;
            return true;
        }
    }
    if (with == UINT32_MAX)
        return true; /* nothing in it */
    role->use = TH__EXALG_TEMPLATE;
    role->many = false;
    const th__exalg_outline *o = &l->pages[d->instances[with].page];
    uint32_t at = d->instances[with].at;
    role->text = unit_source(l, d->instances[with].page,
                             role->kind == TH__EXALG_TEXT ? at : o->first_unit[at]);
    return role->text.ptr;
}

/* ---- labels beside values -------------------------------------------------------------------- */

static uint32_t value_unit(const struct learner *l, const draft *d, uint32_t i)
{
    const th__exalg_outline *o = &l->pages[d->instances[i].page];
    uint32_t at = d->instances[i].at;
    if (d->role.kind == TH__EXALG_TEXT)
        return at;
    return th__exalg_units_in(o, at) ? o->first_unit[at] : UINT32_MAX;
}

/* How often an anchor stands on the pages. */
static bool count_anchors(struct learner *l, th__key_map *ids)
{
    size_t units = 0;
    for (uint32_t p = 0; p < l->page_count; p++)
        units += l->pages[p].unit_count;
    l->words.len = 0;
    if (!th__key_map_init(ids, &l->scratch, units))
        return false;
    l->word_ids = *ids;
    for (uint32_t p = 0; p < l->page_count; p++)
        for (uint32_t u = 1; u < l->pages[p].unit_count; u++) {
            item it = {.parent = p, .page = p};
            uint64_t anchor = th__exalg_anchor(&l->pages[p], u);
            if (anchor && !count_word(l, anchor, &it))
                return false;
        }
    return true;
}

static bool describe_anchor(struct learner *l, draft *d, uint32_t i)
{
    const th__exalg_outline *o = &l->pages[d->instances[i].page];
    uint32_t unit = value_unit(l, d, i), block = o->units[unit].block;
    th__exalg_role *role = &d->role;
    role->beside = unit_source(l, d->instances[i].page, unit - 1);
    role->beside_tag = block ? tag_name(l, o->page, block) : th__arena_copy(l->arena, TH_STR(""));
    role->beside_cls = copy_name(l, o->page, block, false, o->cls[block]);
    role->beside_id = copy_name(l, o->page, block, true, o->id[block]);
    return role->beside.ptr && role->beside_tag.ptr && (role->beside_cls.ptr || !o->cls[block]) &&
           (role->beside_id.ptr || !o->id[block]);
}

/* Data whose values nearly all stand behind the same label, which stands nowhere else on a page. */
static bool find_anchor(struct learner *l, draft *d)
{
    uint64_t anchor = 0;
    uint32_t with = 0, same = 0, first = UINT32_MAX, page = UINT32_MAX;
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t unit = value_unit(l, d, i);
        if (unit == UINT32_MAX || d->instances[i].page == page)
            continue; /* of several the first stands behind the label */
        page = d->instances[i].page;
        uint64_t here = th__exalg_anchor(&l->pages[page], unit);
        with++;
        if (!anchor) {
            anchor = here;
            first = i;
        }
        same += here == anchor;
    }
    const word *w = anchor ? find_word(l, anchor) : NULL;
    if (!w || w->pages < 2 || same * 10 < with * 8 || w->again * 10 > w->parents)
        return true;
    d->role.anchor = anchor;
    return describe_anchor(l, d, first);
}

static bool find_anchors(struct learner *l)
{
    th__key_map ids;
    if (!count_anchors(l, &ids))
        return false;
    for (size_t i = 0; i < l->drafts.len; i++)
        if (l->drafts.data[i].role.use == TH__EXALG_DATA && !find_anchor(l, &l->drafts.data[i]))
            return false;
    return true;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static th_str value_source(const struct learner *l, const draft *d, uint32_t i)
{
    uint32_t unit = value_unit(l, d, i);
    return unit == UINT32_MAX ? (th_str){0} : unit_text(&l->pages[d->instances[i].page], unit);
}

/* The first word of a text with the blank behind it; none when that is all. */
static th_str lead_word(th_str text)
{
    size_t end = 0;
    while (end < text.len && !th__is_blank((unsigned char)text.ptr[end]))
        end++;
    bool lead = end && th__is_alpha((unsigned char)text.ptr[0]) && end + 1 < text.len;
    return lead ? (th_str){text.ptr, end} : (th_str){0};
}

/* The label with which all texts of a role begin: up to a colon, or a word ("by"). */
static th_str common_label(const struct learner *l, const draft *d)
{
    th_str label = {0};
    uint32_t with = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        th_str text = value_source(l, d, i);
        if (!text.len)
            continue;
        if (!with++) {
            label = th__exalg_prefix(text);
            if (!label.ptr)
                label = lead_word(text);
            if (!label.ptr)
                return label;
        }
        if (text.len <= label.len || memcmp(text.ptr, label.ptr, label.len) != 0)
            return (th_str){0};
    }
    return with > 1 ? label : (th_str){0};
}

/* A value behind a label in one text is a field of its own, beside the text as it stands. */
static bool find_pieces(struct learner *l)
{
    size_t count = l->drafts.len;
    for (size_t i = 0; i < count; i++) {
        draft *d = &l->drafts.data[i];
        if (d->role.use != TH__EXALG_DATA)
            continue;
        th_str label = common_label(l, d);
        if (!label.ptr)
            continue;
        draft piece = {.same = (uint32_t)l->drafts.len, .pages = d->pages};
        piece.role = (th__exalg_role){.parent = (uint32_t)i,
                                      .kind = TH__EXALG_PIECE,
                                      .use = TH__EXALG_DATA,
                                      .many = d->role.list,
                                      .list = d->role.list,
                                      .ordinal = TH__EXALG_NO_ROLE,
                                      .set = d->role.set,
                                      .support = d->pages};
        piece.role.label = th__arena_copy(l->arena, label);
        if (!piece.role.label.ptr || !th__vec_push(&l->drafts, piece))
            return false;
    }
    return true;
}

/* Texts of a page that have no role are seen and not lost. */
static bool add_other(struct learner *l)
{
    draft other = {.same = (uint32_t)l->drafts.len};
    other.role = (th__exalg_role){.kind = TH__EXALG_OTHER,
                                  .use = TH__EXALG_DATA,
                                  .many = true,
                                  .ordinal = TH__EXALG_NO_ROLE,
                                  .set = TH__EXALG_NO_ROLE};
    return th__vec_push(&l->drafts, other);
}

/* ---- sets ------------------------------------------------------------------------------------ */

/* The role of every element, for climbing. */
static uint32_t **map_nodes(struct learner *l)
{
    uint32_t **map = th__arena_zero(&l->scratch, l->page_count + 1, sizeof *map);
    for (uint32_t p = 0; map && p < l->page_count; p++) {
        uint32_t nodes = l->pages[p].page->node_count;
        map[p] = th__arena_alloc(&l->scratch, nodes * sizeof **map);
        if (!map[p])
            return NULL;
        for (uint32_t n = 0; n < nodes; n++)
            map[p][n] = TH__EXALG_NO_ROLE;
    }
    for (uint32_t i = 0; map && i < l->drafts.len; i++) {
        const draft *d = &l->drafts.data[i];
        for (uint32_t k = 0; d->role.kind == TH__EXALG_ELEMENT && k < d->count; k++)
            map[d->instances[k].page][d->instances[k].at] = i;
    }
    return map;
}

static uint32_t parent_node(const struct learner *l, const draft *d, uint32_t i)
{
    const th__exalg_outline *o = &l->pages[d->instances[i].page];
    uint32_t at = d->instances[i].at;
    return d->role.kind == TH__EXALG_ELEMENT ? o->page->nodes[at].parent : o->units[at].node;
}

/* Whether a page has a role in several items of a set. */
static bool is_repeated(const struct learner *l, uint32_t *const *map, const draft *d, uint32_t set)
{
    uint32_t page = UINT32_MAX, last = UINT32_MAX;
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t here = d->instances[i].page, node = parent_node(l, d, i);
        while (node && map[here][node] != set)
            node = l->pages[here].page->nodes[node].parent;
        if (here == page && node != last)
            return true;
        page = here;
        last = node;
    }
    return false;
}

/* A role belongs to the innermost set of which a page has it in several items: other sets are but
 * the layout around it. */
static bool find_sets(struct learner *l)
{
    uint32_t **map = map_nodes(l);
    if (!map)
        return false;
    for (size_t i = 0; i < l->drafts.len; i++) {
        draft *d = &l->drafts.data[i];
        d->role.set = TH__EXALG_NO_ROLE;
        if (d->role.use != TH__EXALG_DATA && !d->role.list)
            continue;
        for (uint32_t up = d->role.parent; up && up != TH__EXALG_NO_ROLE;
             up = l->drafts.data[up].role.parent)
            if (l->drafts.data[up].role.list && is_repeated(l, map, d, up)) {
                d->role.set = up;
                break;
            }
    }
    return true;
}

/* ---- fields of several roles ----------------------------------------------------------------- */

/* Whether two roles never stand on the same page. */
static bool are_exclusive(const draft *a, const draft *b)
{
    for (uint32_t i = 0, k = 0; i < a->count && k < b->count;) {
        if (a->instances[i].page == b->instances[k].page)
            return false;
        if (a->instances[i].page < b->instances[k].page)
            i++;
        else
            k++;
    }
    return true;
}

/* The class or id right around a value, with what is below it. 0: there is none. */
static uint64_t tail_key(const struct learner *l, uint32_t index)
{
    enum { CLOSE = 3 };
    uint64_t key = 0;
    for (uint32_t i = index, up = 0; up < CLOSE && i; up++, i = l->drafts.data[i].role.parent) {
        const th__exalg_role *role = &l->drafts.data[i].role;
        const instance *sample = l->drafts.data[i].instances;
        uint64_t step = role->kind == TH__EXALG_ELEMENT
                            ? th__exalg_node_step(&l->pages[sample->page], sample->at)
                            : 0;
        if (role->told != TH__EXALG_BY_PLACE || role->ordinal != TH__EXALG_NO_ROLE)
            return 0;
        key = th__hash_mix(key + 1, step);
        if (role->cls.ptr || role->id.ptr)
            return key;
    }
    return 0;
}

/* The label beside a value, in any number. */
static uint64_t plural_key(const struct learner *l, const draft *d)
{
    if (!d->role.anchor)
        return 0;
    const th__exalg_outline *o = &l->pages[d->instances[0].page];
    uint32_t unit = value_unit(l, d, 0);
    if (unit == UINT32_MAX)
        return 0;
    return th__hash_mix(th__exalg_label_hash(d->role.beside),
                        th__exalg_node_step(o, o->units[unit].block));
}

/* Data behind the same label is one field, whatever the markup around it; and so is data inside
 * elements of the same class or id that never stand on one page together. */
static bool find_same(struct learner *l)
{
    th__key_map first;
    if (!th__key_map_init(&first, &l->scratch, 3 * l->drafts.len))
        return false;
    for (uint32_t i = 0; i < l->drafts.len; i++) {
        draft *d = &l->drafts.data[i];
        if (d->role.use != TH__EXALG_DATA || d->role.set != TH__EXALG_NO_ROLE || !d->count)
            continue;
        uint64_t keys[] = {d->role.anchor, plural_key(l, d), tail_key(l, i)};
        for (unsigned k = 0; k < 3 && d->same == i; k++) {
            uint32_t other = keys[k] ? th__key_map_get(&first, keys[k]) : 0;
            if (other && (k == 0 || are_exclusive(d, &l->drafts.data[other - 1])))
                d->same = l->drafts.data[other - 1].same;
            else if (!other && keys[k])
                th__key_map_put(&first, keys[k], i + 1);
        }
        l->drafts.data[d->same].role.many |= d->role.many;
    }
    for (uint32_t i = 0; i < l->drafts.len; i++)
        l->drafts.data[i].role.many = l->drafts.data[l->drafts.data[i].same].role.many;
    return true;
}

/* ---- in order -------------------------------------------------------------------------------- */

/* Only roles that hold texts stay. Drafts stand level by level; the rules are in preorder, children
 * in the order in which they first stand on a page. */
struct sorter {
    struct learner *l;
    uint32_t *first_child, *next, *last_child; /* by draft */
    bool *used;
};

static bool link_children(struct learner *l, struct sorter *s)
{
    size_t count = l->drafts.len;
    s->first_child = th__arena_alloc(&l->scratch, count * sizeof *s->first_child);
    s->last_child = th__arena_alloc(&l->scratch, count * sizeof *s->last_child);
    s->next = th__arena_alloc(&l->scratch, count * sizeof *s->next);
    s->used = th__arena_zero(&l->scratch, count, sizeof *s->used);
    if (!s->first_child || !s->last_child || !s->next || !s->used)
        return false;
    for (size_t i = 0; i < count; i++)
        s->first_child[i] = s->last_child[i] = s->next[i] = TH__EXALG_NO_ROLE;
    for (size_t i = count; i-- > 1;) {
        s->used[i] |=
            l->drafts.data[i].role.use != TH__EXALG_STRUCTURE || l->drafts.data[i].role.inner;
        s->used[l->drafts.data[i].role.parent] |= s->used[i];
    }
    s->used[0] = true;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t parent = l->drafts.data[i].role.parent;
        if (!s->used[i])
            continue;
        if (s->last_child[parent] == TH__EXALG_NO_ROLE)
            s->first_child[parent] = i;
        else
            s->next[s->last_child[parent]] = i;
        s->last_child[parent] = i;
    }
    return true;
}

/* The first in the order of the template stands for all that share a field. */
static void settle_same(th__exalg_roles *out, uint32_t *number)
{
    uint32_t *first = number; /* by draft, from here on */
    for (uint32_t i = out->count; i-- > 0;)
        first[out->roles[i].same] = i;
    for (uint32_t i = 0; i < out->count; i++)
        out->roles[i].same = first[out->roles[i].same];
}

static bool make_rules(struct learner *l, th__exalg_roles *out)
{
    struct sorter s = {.l = l};
    size_t count = l->drafts.len;
    uint32_t *number = th__arena_alloc(&l->scratch, count * sizeof *number);
    out->roles = th__arena_zero(l->arena, count, sizeof *out->roles);
    if (!number || !out->roles || !link_children(l, &s))
        return false;
    for (uint32_t at = 0; at != TH__EXALG_NO_ROLE;) {
        th__exalg_role *role = &out->roles[out->count];
        *role = l->drafts.data[at].role;
        role->parent = at ? number[role->parent] : TH__EXALG_NO_ROLE;
        role->set = role->set == TH__EXALG_NO_ROLE ? role->set : number[role->set];
        role->same = l->drafts.data[at].same;
        number[at] = out->count++;
        if (s.first_child[at] != TH__EXALG_NO_ROLE) {
            at = s.first_child[at];
            continue;
        }
        while (at && s.next[at] == TH__EXALG_NO_ROLE)
            at = l->drafts.data[at].role.parent;
        at = at ? s.next[at] : TH__EXALG_NO_ROLE;
    }
    settle_same(out, number);
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool begin(struct learner *l)
{
    draft root = {.count = l->page_count, .pages = l->page_count};
    root.role.parent = TH__EXALG_NO_ROLE;
    root.role.ordinal = TH__EXALG_NO_ROLE;
    root.instances = th__arena_zero(&l->scratch, l->page_count + 1, sizeof *root.instances);
    for (uint32_t p = 0; root.instances && p < l->page_count; p++)
        root.instances[p].page = p;
    return root.instances && th__vec_push(&l->drafts, root);
}

bool th__exalg_roles_learn(const th__exalg_options *options, th__exalg_outline *outlines,
                           uint32_t page_count, th__arena *arena, th__exalg_roles *out)
{
    struct learner l = {
        .options = options, .pages = outlines, .page_count = page_count, .arena = arena};
    *out = (th__exalg_roles){.pages = page_count};
    th__arena_init(&l.scratch);
    th__arena_init(&l.level);
    bool ok = find_names(&l, out) && th__exalg_roles_prepare(out, arena);
    for (uint32_t p = 0; ok && p < page_count; p++)
        th__exalg_outline_know(&outlines[p], &out->known);
    ok = ok && begin(&l);
    for (uint32_t i = 0; ok && i < l.drafts.len; i++) {
        const th__exalg_role *role = &l.drafts.data[i].role;
        if (role->kind == TH__EXALG_ELEMENT && !role->leaf && !role->inner &&
            role->told != TH__EXALG_BY_ITSELF)
            ok = expand(&l, i);
    }
    for (size_t i = 0; ok && i < l.drafts.len; i++)
        ok = find_use(&l, &l.drafts.data[i]);
    ok = ok && find_sets(&l) && find_anchors(&l) && find_pieces(&l) && find_same(&l) &&
         add_other(&l) && make_rules(&l, out) && th__exalg_roles_prepare(out, arena);
    th__vec_release(&l.drafts);
    th__vec_release(&l.items);
    th__vec_release(&l.groups);
    th__vec_release(&l.words);
    th__vec_release(&l.cells);
    th__arena_release(&l.level);
    th__arena_release(&l.scratch);
    return ok;
}
