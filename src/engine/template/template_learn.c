/*
 * template_learn.c: which roles there are: from the document down, level by level.
 *
 * The instances of a role are elements, on all pages. Their children are compared: which
 * texts are the template's, which markup is only inside values, what distinguishes a child from the
 * others (see template_roles.h). So the children get roles of their own, whose instances they are.
 * Every element and text of the pages is looked at once as a child; the cost is linear in the
 * pages.
 */
#include "engine/template/template_learn.h"

#include "page/signs.h"
#include "page/tags.h"
#include "page/text.h"

/* Which text of an item a count is about. */
enum word_kind { WORD_WHOLE, WORD_FIRST, WORD_PREFIX, WORD_SHAPE, WORD_AFTER };

/* ---- texts that many parents have ------------------------------------------------------------ */

static uint64_t word_key(const th__template_item *it, enum word_kind which)
{
    const uint64_t texts[] = {it->whole, it->first, it->prefix, it->shape, it->after};
    return th__hash_mix(it->step + which, texts[which]);
}

static th__template_word *find_word(const th__template_learner *l, uint64_t key)
{
    uint32_t id = th__key_map_get(&l->word_ids, key);
    return id ? &l->words.data[id - 1] : NULL;
}

/* Counts an item; returns its number within its parent. */
static uint32_t tally(th__template_tally *t, const th__template_item *it)
{
    t->total++;
    if (t->last != it->parent) {
        t->parents++;
        t->pages += t->last_page != it->page;
        t->in_last = 0;
    }
    t->last = it->parent;
    t->last_page = it->page;
    t->in_last++;
    t->full = t->in_last > t->most ? 1 : t->full + (t->in_last == t->most);
    t->most = t->in_last > t->most ? t->in_last : t->most;
    return t->in_last - 1;
}

static bool count_word(th__template_learner *l, uint64_t key, const th__template_item *it)
{
    uint32_t id = th__key_map_get(&l->word_ids, key);
    if (!id) {
        th__template_word fresh = {.n = TH__TALLY_NONE, .index = it->index};
        id = (uint32_t)l->words.len + 1;
        if (!th__vec_push(&l->words, fresh) || !th__key_map_put(&l->word_ids, key, id))
            return false;
    }
    th__template_word *w = &l->words.data[id - 1];
    w->moved += w->index != it->index;
    tally(&w->n, it);
    return true;
}

static th__template_word *word_of(const th__template_learner *l, const th__template_item *it,
                                  enum word_kind which)
{
    return find_word(l, word_key(it, which));
}

static bool count_text(th__template_learner *l, const th__template_item *it, enum word_kind which)
{
    return count_word(l, word_key(it, which), it);
}

/* A text may belong to the template if a good part of the parents has it exactly once. */
static bool is_frequent(const th__template_learner *l, const th__template_word *w)
{
    return w && w->n.pages >= 2 && w->n.parents >= l->support * l->parents &&
           th__template_again(w) * 10 <= w->n.parents;
}

/* Nearly all parents have it; all, if there are few: four films of five may be comedies. */
static bool is_constant(const th__template_learner *l, const th__template_word *w)
{
    enum { FEW = 8 };
    return w && w->n.parents * 10 >= l->parents * (l->parents < FEW ? 10 : 8);
}

/* ---- children -------------------------------------------------------------------------------- */

static uint32_t first_unit(const th__template_outline *o, const th__template_item *it)
{
    return it->step ? o->first_unit[it->at] : it->at;
}

static uint64_t prefix_hash(const th__template_outline *o, uint32_t unit)
{
    th_str label = th__template_prefix(th__template_unit_text(o, unit));
    bool readable = false;
    return label.ptr ? th__template_text_hash(label, &readable) : 0;
}

static bool ends_with_gap(th_str text)
{
    text = th__str_trim(text);
    unsigned char last = text.len ? (unsigned char)text.ptr[text.len - 1] : 0;
    bool word = th__is_alpha(last) || th__is_digit(last); /* as of nearly all texts */
    for (size_t i = 0; !word && i < th__sign_count; i++) {
        size_t len = th__signs[i].text.len;
        if (th__template_is_field_gap(&th__signs[i]) && text.len >= len &&
            !memcmp(text.ptr + text.len - len, th__signs[i].text.ptr, len) &&
            (text.len == len || th__is_blank((unsigned char)text.ptr[text.len - len - 1])))
            return true;
    }
    return false;
}

/* Returns true if a field gap is right before a token, on its line. */
static bool is_behind_gap(const th_page *page, uint32_t token)
{
    enum { FAR = 6 }; /* tags between a gap and what follows */
    for (uint32_t i = 1; i <= FAR && i <= token; i++) {
        const th_token *t = &page->tokens[token - i];
        if (t->kind == TH_TOKEN_TEXT && !(t->flags & TH_TOKEN_BLANK))
            return ends_with_gap(th__token_text(page, token - i));
        bool tag = t->kind == TH_TOKEN_START || t->kind == TH_TOKEN_END;
        if (tag && (t->tag == TH_TAG_BR || (th__tag_flags(t->tag) & TH_TAG_IS_BLOCK)))
            return false;
    }
    return false;
}

static bool add_child(th__template_learner *l, uint32_t parent, uint32_t page,
                      th__template_child child)
{
    const th__template_outline *o = &l->pages[page];
    th__template_item it = {.parent = parent, .page = page};
    if (child.node == TH__NO_CHILD) {
        it.at = it.last = child.unit;
        it.units = 1;
        it.first = it.whole = o->units[child.unit].hash;
    } else {
        it.at = child.node;
        it.step = th__template_node_step(o, child.node);
        it.units = th__template_units_in(o, child.node);
        it.first = it.units ? o->units[o->first_unit[child.node]].hash : 0;
        it.whole = th__template_whole(o, child.node);
        it.shape = th__template_shape(o, child.node);
    }
    if (it.units) {
        it.gap = is_behind_gap(o->page, o->units[first_unit(o, &it)].token);
        it.prefix = prefix_hash(o, first_unit(o, &it));
    }
    return th__vec_push(&l->items, it);
}

/* Collects the children of an element up to a limit: more are not needed to learn what it holds,
 * and pages with a child every few bytes would take too much memory. */
static bool find_items(th__template_learner *l, const th__template_draft *d)
{
    enum { MOST = 1 << 13 };
    th__template_child child;
    l->items.len = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        th__template_walk walk =
            th__template_children(&l->pages[d->instances[i].page], d->instances[i].at);
        for (uint32_t n = 0; n < MOST && th__template_next(&walk, &child); n++)
            if (!add_child(l, i, d->instances[i].page, child))
                return false;
    }
    return true;
}

static bool put_in_group(th__template_learner *l, th__template_item *it)
{
    uint32_t id = th__key_map_get(&l->group_ids, it->step | 1);
    if (!id) {
        th__template_group fresh = {.n = TH__TALLY_NONE,
                                    .shape = it->shape,
                                    .common = it->shape,
                                    .sample = (uint32_t)(it - l->items.data)};
        id = (uint32_t)l->groups.len + 1;
        if (!th__vec_push(&l->groups, fresh) || !th__key_map_put(&l->group_ids, it->step | 1, id))
            return false;
    }
    it->group = id - 1;
    th__template_group *g = &l->groups.data[it->group];
    g->mixed |= it->shape != g->shape;
    g->common &= it->shape;
    it->index = tally(&g->n, it);
    return true;
}

/* Counts how often a parent repeats a shape; each shape is counted at its first item. */
static void count_shapes(th__template_learner *l)
{
    for (size_t i = 0; i < l->items.len; i++) {
        const th__template_item *it = &l->items.data[i];
        th__template_word *w = it->step ? word_of(l, it, WORD_SHAPE) : NULL;
        if (w && w->n.last != UINT32_MAX) {
            l->groups.data[it->group].again += th__template_again(w);
            w->n.last = UINT32_MAX;
        }
    }
}

static bool has_named_child(const th__template_outline *o, const th__template_item *it)
{
    uint32_t child = it->at + 1;
    return it->step && child < o->page->nodes[it->at].end && (o->cls[child] || o->id[child]);
}

/* Finds what the items of each group have in common. */
static void look_at_groups(th__template_learner *l)
{
    for (size_t i = 0; i < l->items.len; i++) {
        th__template_item *it = &l->items.data[i], *next = it + 1;
        th__template_group *g = &l->groups.data[it->group];
        const th__template_word *whole = it->units ? word_of(l, it, WORD_WHOLE) : NULL;
        bool frequent = is_frequent(l, whole);
        g->texts += it->units > 0;
        g->names += has_named_child(&l->pages[it->page], it);
        g->frequent += frequent;
        g->moved += frequent && whole->moved * 10 > whole->n.total;
        g->rows += it->units > 1 && !frequent;
        g->labelled += it->units > 1 && !frequent && is_frequent(l, word_of(l, it, WORD_FIRST));
        bool before = i && !it[-1].step && it[-1].parent == it->parent;
        bool behind = i + 1 < l->items.len && !next->step && next->parent == it->parent;
        g->beside += before || behind;
        g->followed +=
            i + 1 < l->items.len && next->parent == it->parent && next->group != it->group;
    }
    count_shapes(l);
    for (size_t i = 0; i < l->groups.len; i++) {
        th__template_group *g = &l->groups.data[i];
        g->labels = g->n.most > 1 && g->frequent * 10 >= g->texts * 7 &&
                    g->followed * 2 >= g->n.total && g->frequent * 2 >= g->n.parents * 3;
        /* Items of a list differ in shape too, but share some step: several bits of the filter. */
        g->shaped = g->mixed && g->again * 10 <= g->n.total && __builtin_popcountll(g->common) < 3;
        /* Most are alone between elements that are always there, and not all between the same. */
        g->spread = g->n.most > 1 && g->crowded * 10 <= g->n.total;
        g->named = g->shaped && g->names * 10 >= g->n.total * 9;
        g->steady = g->n.most > 1 && g->n.most <= 16 && g->n.full * 10 >= g->n.parents * 9 &&
                    g->moved * 10 <= g->frequent;
    }
    for (size_t i = 1; i < l->items.len; i++) {
        const th__template_item *it = &l->items.data[i], *before = it - 1;
        th__template_group *g = &l->groups.data[it->group];
        if (before->parent == it->parent && before->group != it->group &&
            l->groups.data[before->group].labels)
            g->valued++;
    }
    for (size_t i = 0; i < l->groups.len; i++)
        l->groups.data[i].steady &= l->groups.data[i].valued * 2 < l->groups.data[i].n.total;
}

/* Finds, before each item, the last element that nearly every parent has exactly once. */
static bool find_before(th__template_learner *l)
{
    uint64_t after = 0;
    uint32_t parent = UINT32_MAX, before = 0;
    for (size_t i = 0; i < l->items.len; i++) {
        th__template_item *it = &l->items.data[i];
        th__template_group *g = &l->groups.data[it->group];
        if (it->parent != parent)
            after = before = 0;
        parent = it->parent;
        it->after = after;
        it->before = before;
        uint64_t key = word_key(it, WORD_AFTER);
        const th__template_word *w = find_word(l, key);
        g->crowded += w && w->n.last == it->parent;
        if (!count_word(l, key, it))
            return false;
        if (it->step && g->n.most == 1 && g->n.parents * 10 >= l->parents * 9) {
            after = it->step;
            before = it->at;
        }
    }
    return true;
}

static bool find_groups(th__template_learner *l)
{
    l->groups.len = l->words.len = 0;
    for (size_t i = 0; i < l->items.len; i++) {
        th__template_item *it = &l->items.data[i];
        if (!put_in_group(l, it) || (it->units && !count_text(l, it, WORD_WHOLE)) ||
            (it->units > 1 && !count_text(l, it, WORD_FIRST)) ||
            (it->prefix && it->units == 1 && !count_text(l, it, WORD_PREFIX)) ||
            (it->step && !count_text(l, it, WORD_SHAPE)))
            return false;
    }
    if (!find_before(l))
        return false;
    look_at_groups(l);
    return true;
}

/* ---- inner markup ---------------------------------------------------------------------------- */

/* Unnamed phrasing elements that only some texts contain, around words of their own, are markup
 * within values: <b>, <i>, a link in a sentence. Labels and lists have it everywhere. */
static bool find_inner(th__template_learner *l)
{
    uint32_t text = th__key_map_get(&l->group_ids, 1);
    bool any = false;
    if (!text || l->groups.data[text - 1].n.parents * 2 < l->parents)
        return false;
    for (size_t i = 0; i < l->items.len; i++) {
        const th__template_item *it = &l->items.data[i];
        th__template_group *g = &l->groups.data[it->group];
        const th__template_outline *o = &l->pages[it->page];
        if (!it->step || g->inner || o->cls[it->at] || o->id[it->at])
            continue;
        uint16_t tag = th__template_item_tag(l, it);
        bool phrasing = tag < TH_TAG_OTHER && !(th__tag_flags(tag) & TH_TAG_IS_BLOCK) &&
                        tag != TH_TAG_IMG && tag != TH_TAG_INPUT && tag != TH_TAG_BR;
        bool line = tag == TH_TAG_BR && g->n.parents * 2 <= l->parents;
        g->inner = line || (phrasing && g->texts && g->n.parents * 2 <= l->parents &&
                            g->frequent * 4 <= g->texts && g->beside * 10 >= g->n.total * 8);
        any |= g->inner;
    }
    return any;
}

/* Markup that labels have too is emphasis within a text if its words are not a label's. */
static bool is_emphasis(const th__template_learner *l, const th__template_item *it)
{
    return it->units == 1 && l->groups.data[it->group].labels &&
           !is_frequent(l, word_of(l, it, WORD_WHOLE));
}

/* Joins texts and the inner markup between them into one text. */
static bool join_texts(th__template_learner *l)
{
    size_t kept = 0;
    bool open = false, joined = false;
    for (size_t i = 0; i < l->items.len; i++) {
        th__template_item it = l->items.data[i], *run = open ? &l->items.data[kept - 1] : NULL;
        const th__template_outline *o = &l->pages[it.page];
        bool text = !it.step || (l->groups.data[it.group].inner && it.units) ||
                    (run && run->parent == it.parent && is_emphasis(l, &it));
        bool line = l->groups.data[it.group].inner && th__template_item_tag(l, &it) == TH_TAG_BR;
        if (run && run->parent == it.parent && !text &&
            (line || th__template_goes_on(o, run->last, th__template_item_tag(l, &it))))
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

/* Returns true if the children are nothing but one text. */
static bool is_one_text(const th__template_learner *l)
{
    for (size_t i = 0; i < l->groups.len; i++)
        if (l->groups.data[i].texts && l->groups.data[i].n.most > 1)
            return false;
    uint32_t text = th__key_map_get(&l->group_ids, 1), with = 0;
    for (size_t i = 0; i < l->groups.len; i++)
        with += l->groups.data[i].texts > 0;
    return text && with == 1;
}

/* Returns true if a text announces a value after it. */
static bool ends_with_colon(const th__template_outline *o, uint32_t unit)
{
    return th__ends_with_colon(th__blank_trim(th__template_unit_text(o, unit)));
}

static bool announces(const th__template_learner *l, const th__template_item *it)
{
    const th__template_outline *o = &l->pages[it->page];
    return ends_with_colon(o, first_unit(o, it));
}

/* Returns true if the first text of a row is its label. */
static bool is_row(const th__template_learner *l, const th__template_item *it)
{
    const th__template_group *g = &l->groups.data[it->group];
    const th__template_word *w = it->step && it->units ? word_of(l, it, WORD_FIRST) : NULL;
    /* A table has several labelled rows per parent. A value that begins a row, such as a rating, is
     * one of a few choices, so a parent has fewer of them. */
    bool table = g->labelled * 2 >= g->rows && g->labelled * 2 >= g->n.parents * 3;
    if (table) /* where rows have labels, a rare first text is a label too */
        return w && w->n.pages >= 2 && th__template_again(w) * 10 <= w->n.parents;
    return is_frequent(l, w) && (is_constant(l, w) || announces(l, it));
}

/* Returns true if the texts of an item are the template's. In a small vocabulary (genres, ratings)
 * a frequent text is not a label: labels precede values, or are everywhere. */
static bool is_label(const th__template_learner *l, const th__template_item *it)
{
    const th__template_group *g = &l->groups.data[it->group];
    const th__template_word *w = it->units ? word_of(l, it, WORD_WHOLE) : NULL;
    if (it->step && it->units == 1 && is_row(l, it))
        return false; /* a row whose value is missing */
    if (it->units == 1 && g->labels)
        return true; /* a rare text among labels is a label too */
    if (g->n.most <= 1 || !is_frequent(l, w))
        return false;
    if (it->units == 1 && announces(l, it))
        return true;
    return !g->steady && g->valued * 2 < g->n.total && is_constant(l, w);
}

/* Returns true if an item that is the only one in its place always has the same text: it heads the
 * items after it. */
static bool is_heading(const th__template_learner *l, const th__template_item *it)
{
    const th__template_group *g = &l->groups.data[it->group];
    const th__template_word *w = it->units ? word_of(l, it, WORD_WHOLE) : NULL;
    return g->n.most == 1 && is_frequent(l, w) && w->n.total * 10 >= g->n.total * 9;
}

static bool has_prefix(const th__template_learner *l, const th__template_item *it)
{
    return it->prefix && it->units == 1 && is_frequent(l, word_of(l, it, WORD_PREFIX));
}

/* ---- cells ----------------------------------------------------------------------------------- */

static bool put_in_cell(th__template_learner *l, size_t i)
{
    th__template_item *it = &l->items.data[i];
    uint32_t id = th__key_map_get(&l->cell_ids, it->cell);
    if (!id) {
        th__template_cell fresh = {.n = TH__TALLY_NONE, .first = (uint32_t)i};
        id = (uint32_t)l->cells.len + 1;
        if (!th__vec_push(&l->cells, fresh) || !th__key_map_put(&l->cell_ids, it->cell, id))
            return false;
    }
    th__template_cell *c = &l->cells.data[id - 1];
    it->number = tally(&c->n, it);
    c->gaps += it->number && it->gap;
    return true;
}

static void tell(th__template_item *it, uint32_t parent, th__template_told told, uint64_t hash)
{
    it->told = (uint8_t)told;
    it->hash = hash;
    it->cell = th__template_cell_key(parent, it->step, told, hash);
}

/* Returns true if the parent already has a row with this label: another begins with the same text
 * by chance. */
static bool is_taken(const th__template_learner *l, const th__template_item *it, uint32_t role)
{
    uint64_t key = th__template_cell_key(role, it->step, TH__ROLE_BY_INSIDE, it->first);
    uint32_t id = th__key_map_get(&l->cell_ids, key);
    return id && l->cells.data[id - 1].n.last == it->parent;
}

/* Finds what distinguishes each item from its siblings. */
static bool find_cells(th__template_learner *l, uint32_t role)
{
    uint64_t section = 0;
    uint32_t parent = UINT32_MAX;
    for (size_t i = 0; i < l->items.len; i++) {
        th__template_item *it = &l->items.data[i];
        const th__template_group *g = &l->groups.data[it->group];
        if (it->parent != parent)
            section = 0;
        parent = it->parent;
        if (is_label(l, it)) {
            tell(it, role, TH__ROLE_BY_ITSELF, it->whole);
            section = it->whole;
        } else if (g->n.most <= 1 && !(g->named && it->units)) {
            tell(it, role, TH__ROLE_BY_PLACE, 0);
            if (is_heading(l, it))
                section = it->whole;
        } else if (is_row(l, it) && !is_taken(l, it, role)) {
            tell(it, role, TH__ROLE_BY_INSIDE, it->first);
        } else if (has_prefix(l, it)) {
            tell(it, role, TH__ROLE_BY_PREFIX, it->prefix);
        } else if (g->named) {
            tell(it, role, TH__ROLE_BY_SHAPE, it->shape);
        } else if (g->spread && !g->steady) {
            tell(it, role, TH__ROLE_BY_AFTER, th__template_after_hash(section, it->after));
            it->section = section;
        } else if (section && !g->steady) {
            tell(it, role, TH__ROLE_BY_SECTION, section);
        } else if (g->shaped && !g->steady) {
            tell(it, role, TH__ROLE_BY_SHAPE, it->shape);
        } else {
            tell(it, role, TH__ROLE_BY_PLACE, 0);
        }
        if (!put_in_cell(l, i))
            return false;
    }
    return true;
}

/* Items of a cell get a role each if every parent has the same number of them and they differ. */
static void decide(th__template_learner *l, th__template_cell *c)
{
    const th__template_item *first = &l->items.data[c->first];
    const th__template_group *g = &l->groups.data[first->group];
    uint16_t tag = th__template_item_tag(l, first);
    bool cells = !first->step || tag == TH_TAG_TD || tag == TH_TAG_TH;
    bool steady = c->n.most > 1 && c->n.most <= 16 && c->n.full * 10 >= c->n.parents * 9;
    bool links = tag == TH_TAG_A || tag == TH_TAG_LI;
    /* A list item that is single on every page: other pages may have more. */
    c->alone = tag == TH_TAG_LI && g->n.most == 1 && l->groups.len == 1;
    /* Values in one line are fields, not items of a set. */
    bool line = c->n.most > 1 && c->n.most <= 8 && c->gaps * 10 >= (c->n.total - c->n.parents) * 8;
    c->ordinal = line || (steady && (cells || g->mixed || (c->n.most == 2 && !links)));
}

/* ---- drafts ---------------------------------------------------------------------------------- */

/* Copies the class or id of an element that has this hash. Absent if it has none. */
static bool copy_name(th__template_learner *l, const th_page *page, uint32_t node, bool id,
                      uint64_t hash, th_str *out)
{
    th_str name;
    th__buf text = {0};
    *out = (th_str){0};
    if (!hash || !th__template_name_get(page, node, id, &name))
        return !hash;
    size_t at = 0;
    for (unsigned char c; (c = th__template_name_sign(name, &at));)
        th__buf_add_byte(&text, (char)c);
    if (!text.failed)
        *out = th__arena_copy(l->arena, th__buf_str(&text));
    th__buf_release(&text);
    return out->ptr;
}

static bool copy_step(th__template_learner *l, const th__template_outline *o, uint32_t node,
                      th_str *tag, th_str *cls, th_str *id)
{
    char *name;
    th_str source = node ? th_token_name(o->page, o->page->nodes[node].token) : TH_STR("");
    *tag = th__arena_copy(l->arena, source);
    if (!(name = (char *)tag->ptr))
        return false;
    for (size_t i = 0; i < tag->len; i++)
        name[i] = (char)th__lower((unsigned char)name[i]);
    return copy_name(l, o->page, node, false, o->cls[node], cls) &&
           copy_name(l, o->page, node, true, o->id[node], id);
}

static th_str copy_unit(th__template_learner *l, uint32_t page, uint32_t unit)
{
    return th__arena_copy(l->arena, th__template_unit_text(&l->pages[page], unit));
}

/* The texts of an item, TH__LABEL_BETWEEN between them. */
static bool item_source(th__template_learner *l, const th__template_item *it, th_str *out)
{
    const th__template_outline *o = &l->pages[it->page];
    if (!it->step) {
        *out = copy_unit(l, it->page, it->at);
        return out->ptr;
    }
    th__buf text = {0};
    for (uint32_t u = o->first_unit[it->at]; u < o->end_unit[it->at]; u++) {
        if (text.len)
            th__buf_add_byte(&text, TH__LABEL_BETWEEN);
        th__buf_add_str(&text, th__template_unit_text(o, u));
    }
    *out = text.failed ? (th_str){0} : th__arena_copy(l->arena, th__buf_str(&text));
    th__buf_release(&text);
    return out->ptr;
}

/* The source of the text with this hash among the items: it labels a section. */
static bool find_label(th__template_learner *l, uint32_t parent, uint64_t hash, size_t before,
                       th_str *out)
{
    for (size_t i = before; i-- > 0 && l->items.data[i].parent == parent;) {
        const th__template_item *it = &l->items.data[i];
        if (it->whole != hash)
            continue;
        return item_source(l, it, out);
    }
    return true;
}

static bool describe_after(th__template_learner *l, const th__template_item *it, size_t index,
                           th__template_role *role)
{
    const th__template_outline *o = &l->pages[it->page];
    if (it->section &&
        (!find_label(l, it->parent, it->section, index, &role->label) || !role->label.ptr))
        return false;
    return !it->before ||
           copy_step(l, o, it->before, &role->after_tag, &role->after_cls, &role->after_id);
}

static bool describe(th__template_learner *l, const th__template_item *it, size_t index,
                     th__template_role *role)
{
    const th__template_outline *o = &l->pages[it->page];
    role->kind = it->step ? TH__ROLE_ELEMENT : TH__ROLE_TEXT;
    role->told = it->told;
    role->heading =
        it->told == TH__ROLE_BY_ITSELF && l->groups.data[it->group].labels && it->units == 1;
    role->ordinal = TH__NO_ROLE;
    if (it->step && !copy_step(l, o, it->at, &role->tag, &role->cls, &role->id))
        return false;
    uint32_t unit = it->step ? o->first_unit[it->at] : it->at;
    if (it->told == TH__ROLE_BY_ITSELF)
        return item_source(l, it, &role->label);
    if (it->told == TH__ROLE_BY_PREFIX)
        role->label =
            th__arena_copy(l->arena, th__template_prefix(th__template_unit_text(o, unit)));
    else if (it->told == TH__ROLE_BY_INSIDE)
        role->label = copy_unit(l, it->page, unit);
    else if (it->told == TH__ROLE_BY_SECTION)
        return find_label(l, it->parent, it->hash, index, &role->label) && role->label.ptr;
    if (it->told == TH__ROLE_BY_AFTER)
        return describe_after(l, it, index, role);
    role->shape = it->shape;
    return role->label.ptr || it->told == TH__ROLE_BY_PLACE || it->told == TH__ROLE_BY_SHAPE;
}

static bool add_drafts(th__template_learner *l, uint32_t parent, th__template_cell *c)
{
    uint32_t roles = c->ordinal ? c->n.most : 1;
    c->role = (uint32_t)l->drafts.len;
    for (uint32_t n = 0; n < roles; n++) {
        th__template_draft d = {.role.parent = parent, .same = (uint32_t)l->drafts.len};
        if (!describe(l, &l->items.data[c->first], c->first, &d.role))
            return false;
        if (c->ordinal)
            d.role.ordinal = n;
        d.role.list = !c->ordinal && (c->n.most > 1 || c->alone);
        d.instances = th__arena_alloc(&l->scratch, (c->ordinal ? c->n.parents : c->n.total) *
                                                       sizeof(th__template_instance));
        if (!d.instances || !th__vec_push(&l->drafts, d))
            return false;
    }
    return true;
}

static void add_instances(th__template_learner *l)
{
    for (size_t i = 0; i < l->items.len; i++) {
        const th__template_item *it = &l->items.data[i];
        const th__template_cell *c = &l->cells.data[th__key_map_get(&l->cell_ids, it->cell) - 1];
        if (c->role == TH__NO_ROLE)
            continue;
        th__template_draft *d = &l->drafts.data[c->role + (c->ordinal ? it->number : 0)];
        if (!d->count || d->instances[d->count - 1].page != it->page)
            d->pages++;
        d->instances[d->count++] = (th__template_instance){it->page, it->at, it->last};
    }
}

/* Returns true if the text of an element is in an inner element of the same name as those before,
 * if named: <div><span class=price> and <div><span class=weight> hold different things.
 */
static bool same_name(const th__template_outline *o, uint32_t node, uint64_t *name)
{
    uint32_t inner = o->units[o->first_unit[node]].node;
    if (inner == node || (!o->cls[inner] && !o->id[inner]))
        return true;
    uint64_t step = th__template_node_step(o, inner);
    bool same = !*name || *name == step;
    *name = step;
    return same;
}

/* An element that never has more than one text has it as its value. Not the head, which has
 * metadata besides, nor a list, which may have more items on other pages. */
static void find_leaf(th__template_learner *l, th__template_draft *d)
{
    uint16_t tag = d->role.tag.ptr ? th_tag_id(d->role.tag) : 0;
    bool list = tag == TH_TAG_UL || tag == TH_TAG_OL;
    bool leaf = d->role.kind == TH__ROLE_ELEMENT && tag != TH_TAG_HEAD && !list;
    uint64_t name = 0;
    for (uint32_t i = 0; leaf && i < d->count; i++) {
        const th__template_outline *o = &l->pages[d->instances[i].page];
        leaf = th__template_units_in(o, d->instances[i].at) <= 1 &&
               (!th__template_units_in(o, d->instances[i].at) ||
                same_name(o, d->instances[i].at, &name));
    }
    d->role.leaf = leaf;
}

enum { FEW_WORDS = 64 };

static bool prepare_maps(th__template_learner *l)
{
    th__arena_clear(&l->level);
    /* Most parents have similar children: the maps start small and grow if needed. */
    return th__key_map_init(&l->word_ids, &l->level, FEW_WORDS) &&
           th__key_map_init(&l->cell_ids, &l->level, FEW_WORDS) &&
           th__key_map_init(&l->group_ids, &l->level, FEW_WORDS);
}

static uint32_t least_pages(const th__template_learner *l)
{
    return l->page_count < 2 ? 1 : 2;
}

/* Records the inner markup that a wrapper needs to join texts again. */
static bool note_inner(th__template_learner *l, uint32_t parent)
{
    for (size_t i = 0; i < l->groups.len; i++) {
        const th__template_group *g = &l->groups.data[i];
        if (!g->inner)
            continue;
        const th__template_item *it = &l->items.data[g->sample];
        th__template_draft d = {.role = {.parent = parent, .kind = TH__ROLE_ELEMENT, .inner = true},
                                .same = (uint32_t)l->drafts.len,
                                .pages = 2};
        d.role.ordinal = TH__NO_ROLE;
        const th__template_outline *o = &l->pages[it->page];
        if (!copy_step(l, o, it->at, &d.role.tag, &d.role.cls, &d.role.id) ||
            !th__vec_push(&l->drafts, d))
            return false;
    }
    return true;
}

/* Compares the children of all instances. *one: they are nothing but one text. */
static bool look_at_children(th__template_learner *l, uint32_t index, bool *one)
{
    th__template_draft d = l->drafts.data[index];
    bool lines = false;
    *one = false;
    l->parents = d.count;
    if (!find_items(l, &d) || !prepare_maps(l) || !find_groups(l))
        return false;
    if (!th__template_find_lines(l, index, &lines))
        return false;
    if (lines)
        return prepare_maps(l) && find_groups(l);
    size_t before = l->drafts.len;
    if (find_inner(l) && !note_inner(l, index))
        return false;
    if (!join_texts(l))
        return true;
    if (!prepare_maps(l) || !find_groups(l))
        return false;
    *one = index && is_one_text(l); /* a page of nothing but text is still a page */
    if (*one)
        l->drafts.len = before;
    return true;
}

/* Gives roles to the children of a role. */
static bool expand(th__template_learner *l, uint32_t index)
{
    bool one;
    if (!look_at_children(l, index, &one))
        return false;
    if (one) {
        l->drafts.data[index].role.leaf = true;
        return true;
    }
    l->cells.len = 0;
    if (!find_cells(l, index))
        return false;
    size_t before = l->drafts.len;
    for (size_t c = 0; c < l->cells.len; c++) {
        th__template_cell *cl = &l->cells.data[c];
        decide(l, cl);
        cl->role = TH__NO_ROLE;
        /* What only a single page has does not belong to the template. */
        if (cl->n.pages >= least_pages(l) && l->drafts.len + cl->n.most < TH__MAX_ROLES &&
            !add_drafts(l, index, cl))
            return false;
    }
    add_instances(l);
    for (size_t i = before; i < l->drafts.len; i++)
        find_leaf(l, &l->drafts.data[i]);
    return true;
}

static void outline_know(th__template_outline *o, const th__key_map *known)
{
    for (uint32_t n = 0; n < o->page->node_count; n++) {
        if (o->cls[n] && !th__key_map_get(known, o->cls[n]))
            o->cls[n] = 0;
        if (o->id[n] && !th__key_map_get(known, o->id[n]))
            o->id[n] = 0;
    }
}

/* ---- names that identify elements ------------------------------------------------------------ */

enum { FEW_NAMES = 512 };

/* A name, the first place that has it, and the number of pages that do. */
struct name_count {
    uint32_t page, node, pages, last;
    bool id;
};

struct name_counts {
    th__key_map ids;
    TH__VEC(struct name_count) list;
};

static bool count_name(struct name_counts *n, th__arena *arena, uint64_t hash, uint32_t page,
                       uint32_t node, bool id)
{
    if (!hash)
        return true;
    uint32_t number = th__key_map_get(&n->ids, hash);
    if (!number) {
        struct name_count fresh = {page, node, 0, UINT32_MAX, id};
        number = (uint32_t)n->list.len + 1;
        if (!th__vec_push(&n->list, fresh) || !th__key_map_put(&n->ids, hash, number))
            return false;
    }
    struct name_count *name = &n->list.data[number - 1];
    name->pages += name->last != page;
    name->last = page;
    return true;
}

/* Collects names that a good part of the pages share. */
static bool find_names(th__template_learner *l, th__template_roles *out)
{
    struct name_counts n = {0};
    bool ok = th__key_map_init(&n.ids, &l->scratch, FEW_NAMES);
    for (uint32_t p = 0; ok && p < l->page_count; p++)
        for (uint32_t node = 1; ok && node < l->pages[p].page->node_count; node++)
            ok = count_name(&n, &l->scratch, l->pages[p].cls[node], p, node, false) &&
                 count_name(&n, &l->scratch, l->pages[p].id[node], p, node, true);
    out->names = ok ? th__arena_zero(l->arena, n.list.len + 1, sizeof *out->names) : NULL;
    ok = out->names;
    for (size_t i = 0; ok && i < n.list.len; i++) {
        struct name_count name = n.list.data[i];
        if (name.pages >= 2 && name.pages >= l->support * l->page_count)
            ok = copy_name(l, l->pages[name.page].page, name.node, name.id, 1,
                           &out->names[out->name_count++]);
    }
    th__vec_release(&n.list);
    return ok;
}

/*
 * Which roles are data, which share a field, and to which set they belong; and fields that are part
 * of others: attributes, and pieces of texts.
 */

/* ---- what is data ---------------------------------------------------------------------------- */

/* The first text of an instance, or UINT32_MAX. */
static uint32_t value_unit(const th__template_learner *l, const th__template_draft *d, uint32_t i)
{
    const th__template_outline *o = &l->pages[d->instances[i].page];
    uint32_t at = d->instances[i].at;
    if (d->role.kind == TH__ROLE_TEXT)
        return at;
    return th__template_units_in(o, at) ? o->first_unit[at] : UINT32_MAX;
}

static th_str value_source(const th__template_learner *l, const th__template_draft *d, uint32_t i)
{
    if (d->role.kind == TH__ROLE_SLOT)
        return th__page_slice(l->pages[d->instances[i].page].page, d->spans[i].start,
                              d->spans[i].end);
    uint32_t unit = value_unit(l, d, i);
    return unit == UINT32_MAX ? (th_str){0}
                              : th__template_unit_text(&l->pages[d->instances[i].page], unit);
}

static uint64_t value_hash(const th__template_learner *l, const th__template_draft *d, uint32_t i)
{
    const th__template_outline *o = &l->pages[d->instances[i].page];
    uint32_t at = d->instances[i].at, last = d->instances[i].last;
    bool readable = false;
    if (d->role.kind == TH__ROLE_SLOT)
        return th__template_text_hash(value_source(l, d, i), &readable);
    if (d->role.kind == TH__ROLE_ELEMENT)
        return th__template_whole(o, at);
    return th__template_texts_hash(o, at, last);
}

static uint64_t attribute_hash(const th__template_learner *l, const th__template_draft *d,
                               uint32_t i, const th__template_attribute *attribute)
{
    const th_page *page = l->pages[d->instances[i].page].page;
    uint32_t node = th__template_attribute_node(page, d->instances[i].at, attribute->tag);
    th_str value;
    if (!node || !th_attr_get(page, page->nodes[node].token, attribute->name, &value))
        return 0;
    return value.len ? th__hash(value.ptr, value.len) | 1 : 0;
}

/* The texts of a role: how many pages have any, and how many have the same as the first page. All
 * texts of a page count as one: a menu is a set that is the same everywhere. */
struct sayings {
    uint32_t pages, same;
    uint32_t sample; /* the first instance with a text */
};

static void add_saying(struct sayings *s, uint64_t *first, uint64_t sum)
{
    if (!sum)
        return;
    *first = s->pages ? *first : sum;
    s->same += sum == *first;
    s->pages++;
}

/* Counts the texts of a role; with `attribute`, the values of that attribute. */
static struct sayings listen(const th__template_learner *l, const th__template_draft *d,
                             const th__template_attribute *attribute)
{
    struct sayings s = {.sample = UINT32_MAX};
    uint64_t first = 0, sum = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        if (i && d->instances[i].page != d->instances[i - 1].page) {
            add_saying(&s, &first, sum);
            sum = 0;
        }
        uint64_t hash = attribute ? attribute_hash(l, d, i, attribute) : value_hash(l, d, i);
        if (hash && s.sample == UINT32_MAX)
            s.sample = i;
        sum += hash;
    }
    add_saying(&s, &first, sum);
    return s;
}

/* Texts that differ are data; a text that is always the same is the template's. A set that differs
 * on one page in ten is still a menu. */
static bool is_data(const th__template_draft *d, const struct sayings *s)
{
    return s->same < s->pages && (d->count == d->pages || s->same * 10 < s->pages * 9);
}

static bool find_use(th__template_learner *l, th__template_draft *d)
{
    th__template_role *role = &d->role;
    role->support = d->pages;
    if (role->inner)
        return true;
    if (role->told == TH__ROLE_BY_ITSELF) {
        role->use = TH__USE_TEMPLATE;
        role->text = role->label;
        return true;
    }
    if ((role->kind == TH__ROLE_ELEMENT && !role->leaf) || !d->count)
        return true;
    struct sayings s = listen(l, d, NULL);
    role->many = role->list;
    if (!s.pages)
        return true; /* it is empty */
    if (is_data(d, &s)) {
        role->use = TH__USE_DATA;
        return true;
    }
    role->use = TH__USE_TEMPLATE;
    role->many = false;
    role->text = th__arena_copy(l->arena, value_source(l, d, s.sample));
    return role->text.ptr;
}

/* ---- constants that are data ----------------------------------------------------------------- */

/* Rows of one kind below a parent, and the number of them that hold data. */
struct row_kind {
    uint32_t all, data;
};

struct row_kinds {
    th__key_map ids;
    TH__VEC(struct row_kind) list;
    bool *holds; /* by draft: contains data */
};

static bool is_row_role(const th__template_role *role)
{
    return role->told == TH__ROLE_BY_INSIDE || role->told == TH__ROLE_BY_SECTION;
}

static uint64_t rows_key(const th__template_role *role)
{
    return th__template_cell_key(role->parent, role->step, role->told, 0);
}

static bool count_rows(th__template_learner *l, struct row_kinds *r)
{
    for (size_t i = l->drafts.len; i-- > 1;) {
        const th__template_role *role = &l->drafts.data[i].role;
        r->holds[i] |= role->use == TH__USE_DATA;
        r->holds[role->parent] |= r->holds[i];
        if (!is_row_role(role))
            continue;
        uint32_t id = th__key_map_get(&r->ids, rows_key(role));
        if (!id) {
            if (!th__vec_push(&r->list, (struct row_kind){0}))
                return false;
            th__key_map_put(&r->ids, rows_key(role), id = (uint32_t)r->list.len);
        }
        r->list.data[id - 1].all++;
        r->list.data[id - 1].data += r->holds[i];
    }
    return true;
}

/* The row that a role is in, or 0. */
static uint32_t row_of(const th__template_learner *l, uint32_t index)
{
    enum { CLOSE = 3 };
    for (uint32_t up = 0; up < CLOSE && index; up++, index = l->drafts.data[index].role.parent)
        if (is_row_role(&l->drafts.data[index].role))
            return index;
    return 0;
}

/* Where most rows hold data, a text that is always the same is a value too, unless it is the label:
 * all cars of the sample may have the same fuel. */
static bool find_constant_data(th__template_learner *l)
{
    struct row_kinds r = {0};
    r.holds = th__arena_zero(&l->scratch, l->drafts.len + 1, sizeof *r.holds);
    bool ok = r.holds && th__key_map_init(&r.ids, &l->scratch, l->drafts.len) && count_rows(l, &r);
    for (uint32_t i = 1; ok && i < l->drafts.len; i++) {
        th__template_role *role = &l->drafts.data[i].role;
        uint32_t row =
            role->use == TH__USE_TEMPLATE && role->told != TH__ROLE_BY_ITSELF ? row_of(l, i) : 0;
        if (!row || r.holds[row] || th__str_eq(role->text, l->drafts.data[row].role.label))
            continue;
        uint32_t id = th__key_map_get(&r.ids, rows_key(&l->drafts.data[row].role));
        if (r.list.data[id - 1].data * 2 >= r.list.data[id - 1].all) {
            role->use = TH__USE_DATA;
            role->many = role->list;
        }
    }
    th__vec_release(&r.list);
    return ok;
}

/* ---- fields that belong to others ------------------------------------------------------------ */

/* Adds a field that belongs to another: an attribute or a piece. Attributes and pieces of roles
 * that share a field share a field too. */
static bool add_part(th__template_learner *l, uint32_t parent, th__template_role role,
                     uint64_t kind)
{
    const th__template_draft *d = &l->drafts.data[parent];
    uint64_t key = th__hash_mix(th__hash_mix(d->same + 1, role.kind), kind);
    uint32_t index = (uint32_t)l->drafts.len, first = th__key_map_get(&l->parts, key);
    th__template_draft fresh = {.same = first ? first - 1 : index, .pages = d->pages};
    fresh.role = role;
    fresh.role.parent = parent;
    fresh.role.use = TH__USE_DATA;
    fresh.role.list = d->role.list;
    fresh.role.many =
        l->drafts.data[d->same].role.use == TH__USE_DATA ? d->role.many : d->role.list;
    fresh.role.ordinal = TH__NO_ROLE;
    fresh.role.set = d->role.set;
    fresh.role.support = d->pages;
    if (!first)
        th__key_map_put(&l->parts, key, index + 1);
    return th__vec_push(&l->drafts, fresh);
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Links of values, images and the content of metadata are data if they differ. Links of other
 * elements are left to the template: menus have hundreds. */
static bool find_attributes(th__template_learner *l)
{
    size_t count = l->drafts.len;
    for (uint32_t i = 1; i < count; i++) {
        const th__template_draft *d = &l->drafts.data[i];
        if (d->role.kind != TH__ROLE_ELEMENT || d->role.inner || !d->count)
            continue;
        uint16_t tag = th_tag_id(d->role.tag);
        for (const th__template_attribute *a = th__template_attributes; a->name; a++) {
            bool value = d->role.leaf && d->role.use == TH__USE_DATA;
            if (a->tag == TH_TAG_A ? !value : tag != a->tag)
                continue;
            struct sayings s = listen(l, d, a);
            th__template_role role = {.kind = TH__ROLE_ATTRIBUTE};
            if (!is_data(d, &s))
                continue;
            role.tag = th__arena_copy(l->arena, th_str_from(a->name));
            if (!role.tag.ptr || !add_part(l, i, role, (uint64_t)(a - th__template_attributes)))
                return false;
            d = &l->drafts.data[i];
        }
    }
    return true;
}

/* ---- labels beside values, names around them ---------------------------------------------------
 */

/* Identifies a value wherever it is: by the label before it, or the name of its element. */
typedef uint64_t (*anchor_fn)(const th__template_outline *o, uint32_t unit);

/* Counts how often each anchor occurs on the pages. */
static bool count_anchors(th__template_learner *l)
{
    size_t units = 0;
    for (uint32_t p = 0; p < l->page_count; p++)
        units += l->pages[p].unit_count;
    l->words.len = 0;
    if (!th__key_map_init(&l->word_ids, &l->scratch, 2 * units))
        return false;
    for (uint32_t p = 0; p < l->page_count; p++)
        for (uint32_t u = 0; u < l->pages[p].unit_count; u++) {
            th__template_item it = {.parent = p, .page = p};
            uint64_t label = th__template_anchor(&l->pages[p], u);
            uint64_t name = th__template_name_anchor(&l->pages[p], u);
            if ((label && !count_word(l, label, &it)) || (name && !count_word(l, name, &it)))
                return false;
        }
    return true;
}

/* Describes the anchor: the label, or else the name. */
static bool describe_anchor(th__template_learner *l, th__template_draft *d, uint32_t i, bool label)
{
    const th__template_outline *o = &l->pages[d->instances[i].page];
    uint32_t unit = value_unit(l, d, i);
    th__template_role *role = &d->role;
    role->beside =
        label ? copy_unit(l, d->instances[i].page, unit - 1) : th__arena_copy(l->arena, TH_STR(""));
    if (!role->beside.ptr || !copy_step(l, o, label ? o->units[unit].block : o->units[unit].node,
                                        &role->beside_tag, &role->beside_cls, &role->beside_id))
        return false;
    return true;
}

/* Returns true if the element around a value has a name of one word. Utility classes ("flex p-4
 * text-sm") describe how a value looks, not what it is. */
static bool has_one_name(const th__template_learner *l, const th__template_draft *d, uint32_t i)
{
    const th__template_outline *o = &l->pages[d->instances[i].page];
    th_str name;
    return !th__template_name_get(o->page, o->units[value_unit(l, d, i)].node, false, &name) ||
           !memchr(name.ptr, ' ', name.len);
}

/* Finds data whose values nearly all have the same anchor, which occurs nowhere else on a page. */
static bool find_anchor(th__template_learner *l, th__template_draft *d, anchor_fn anchor_of)
{
    uint64_t anchor = 0;
    uint32_t with = 0, same = 0, first = UINT32_MAX, page = UINT32_MAX;
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t unit = value_unit(l, d, i);
        if (unit == UINT32_MAX || d->instances[i].page == page)
            continue; /* of several values, the first follows the label */
        page = d->instances[i].page;
        uint64_t here = anchor_of(&l->pages[page], unit);
        with++;
        if (!anchor) {
            anchor = here;
            first = i;
        }
        same += here == anchor;
    }
    const th__template_word *w = anchor ? find_word(l, anchor) : NULL;
    if (!w || w->n.pages < 2 || same * 10 < with * 8 || th__template_again(w) * 10 > w->n.parents)
        return true;
    if (anchor_of == th__template_name_anchor && !has_one_name(l, d, first))
        return true;
    d->role.anchor = anchor;
    return describe_anchor(l, d, first, anchor_of == th__template_anchor);
}

static bool find_anchors(th__template_learner *l)
{
    if (!count_anchors(l))
        return false;
    for (size_t i = 0; i < l->drafts.len; i++) {
        th__template_draft *d = &l->drafts.data[i];
        if (d->role.use != TH__USE_DATA || d->role.kind > TH__ROLE_TEXT)
            continue;
        if (!find_anchor(l, d, th__template_anchor))
            return false;
        if (!d->role.anchor && d->count == d->pages && !find_anchor(l, d, th__template_name_anchor))
            return false;
    }
    return true;
}

/* ---- fields inside of texts ------------------------------------------------------------------ */

/* The first word of a text with the blank after it; empty if there is no other word. */
static th_str lead_word(th_str text)
{
    size_t end = 0;
    while (end < text.len && !th__is_blank((unsigned char)text.ptr[end]))
        end++;
    /* A capital begins a name rather than a label. */
    bool lead = end && text.ptr[0] >= 'a' && text.ptr[0] <= 'z' && end + 1 < text.len;
    return lead ? (th_str){text.ptr, end} : (th_str){0};
}

/* The label with which all texts of a role begin: up to a colon, or a word ("by"). */
static th_str common_label(const th__template_learner *l, const th__template_draft *d)
{
    enum { SENTENCE = 60 }; /* bytes: a longer text with a word before its colon is a sentence */
    th_str label = {0};
    uint32_t with = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        th_str text = value_source(l, d, i);
        if (!text.len)
            continue;
        if (!with++) {
            label = th__template_prefix(text);
            if (!label.ptr && text.len <= SENTENCE)
                label = lead_word(text);
            if (!label.ptr)
                return label;
        }
        if (text.len <= label.len || memcmp(text.ptr, label.ptr, label.len) != 0)
            return (th_str){0};
    }
    return with > 1 ? label : (th_str){0};
}

/* Where the value of an instance is, inner markup included. */
static th_span value_span(const th__template_learner *l, const th__template_draft *d, uint32_t i)
{
    if (d->role.kind == TH__ROLE_SLOT)
        return d->spans[i];
    const th__template_instance *at = &d->instances[i];
    const th__template_outline *o = &l->pages[at->page];
    uint32_t first = value_unit(l, d, i), last = first;
    if (first == UINT32_MAX)
        return (th_span){0};
    last = d->role.kind == TH__ROLE_TEXT ? at->last : o->end_unit[at->at] - 1;
    return (th_span){o->page->tokens[o->units[first].token].start,
                     o->page->tokens[o->units[last].token + 1].start};
}

enum { MOST_PIECES = 8 };

/* The values of a role in which signs are searched for, behind the label that all of them have. */
struct parted_values {
    struct parted_value {
        const th_page *page;
        th_span span;
        uint32_t number; /* of the page */
    } * list;
    uint32_t count;
    uint64_t bytes;       /* of all values */
    uint64_t signs;       /* a bit for each sign whose first byte is in some value */
    uint64_t begins[256]; /* by byte: the signs that begin with it */
};

static bool read_values(th__template_learner *l, const th__template_draft *d, th_str label,
                        struct parted_values *v)
{
    th__arena_clear(&l->level);
    v->list = th__arena_alloc(&l->level, (d->count + 1) * sizeof *v->list);
    v->count = 0;
    v->bytes = v->signs = 0;
    for (uint32_t i = 0; v->list && i < d->count; i++) {
        const th_page *page = l->pages[d->instances[i].page].page;
        th_span span = value_span(l, d, i);
        if (label.ptr)
            span.start = th__template_behind_label(page, span, label);
        if (span.start >= span.end)
            continue;
        v->list[v->count++] = (struct parted_value){page, span, d->instances[i].page};
        v->bytes += span.end - span.start;
        for (uint32_t at = span.start; at < span.end; at++)
            v->signs |= v->begins[(unsigned char)page->text.ptr[at]];
    }
    return v->list;
}

/* How a sign divides the values of a role. */
struct parting {
    uint32_t parted, pages; /* values with a gap, pages with a gap */
    uint32_t most;          /* pieces of one value, at most */
    uint32_t pieces;        /* of all values */
};

static struct parting part_values(const struct parted_values *v, th_str gap)
{
    struct parting p = {0};
    uint32_t page = UINT32_MAX;
    for (uint32_t i = 0; i < v->count; i++) {
        th_span piece, rest = v->list[i].span;
        uint32_t pieces = 0;
        while (th__template_next_piece(v->list[i].page, &rest, gap, &piece))
            pieces++;
        p.parted += pieces > 1;
        p.pieces += pieces;
        p.pages += pieces > 1 && v->list[i].number != page;
        page = pieces > 1 ? v->list[i].number : page;
        p.most = pieces > p.most ? pieces : p.most;
    }
    return p;
}

/* By piece: sets differs[] if not all values have the same one. */
static void compare_pieces(const struct parted_values *v, th_str gap, bool differs[MOST_PIECES])
{
    uint64_t before[MOST_PIECES] = {0};
    for (uint32_t i = 0; i < v->count; i++) {
        const th_page *page = v->list[i].page;
        th_span piece, rest = v->list[i].span;
        for (unsigned n = 0; n < MOST_PIECES && th__template_next_piece(page, &rest, gap, &piece);
             n++) {
            bool readable = false;
            th_str text = th__page_slice(page, piece.start, piece.end);
            uint64_t hash = th__template_text_hash(text, &readable);
            differs[n] |= readable && before[n] && before[n] != hash;
            before[n] = readable ? hash : before[n];
        }
    }
}

/* Returns true if a good part of the values has a gap, on several pages. */
static bool is_parted(const struct parted_values *v, const struct parting *p,
                      uint32_t least_percent)
{
    return p->pages >= 2 && p->parted * 100 >= v->count * least_percent && p->most <= MOST_PIECES;
}

/* Returns true if all values have the same number of pieces. */
static bool is_in_step(const struct parted_values *v, const struct parting *p)
{
    return p->pieces == p->most * v->count;
}

static bool add_piece(th__template_learner *l, uint32_t parent, th_str label, th_str gap,
                      uint32_t ordinal)
{
    th__template_role role = {.kind = TH__ROLE_PIECE, .ordinal = ordinal};
    uint64_t key = th__hash_mix(th__hash(label.ptr, label.len), ordinal);
    if (label.ptr && !(role.label = th__arena_copy(l->arena, label)).ptr)
        return false;
    if (gap.ptr && !(role.gap = th__arena_copy(l->arena, gap)).ptr)
        return false;
    if (gap.ptr)
        key = th__hash_mix(key, th__hash(gap.ptr, gap.len));
    if (!add_part(l, parent, role, key))
        return false;
    th__template_role *added = &l->drafts.data[l->drafts.len - 1].role;
    added->ordinal = ordinal;
    added->many |= gap.ptr && ordinal == TH__NO_ROLE;
    return true;
}

/* Adds the fields between the gaps of a text, or the items of a set. Prose is left whole. */
static bool find_parts(th__template_learner *l, uint32_t index, th_str label,
                       struct parted_values *v)
{
    enum { PROSE = 160 }; /* bytes of a value */
    bool slot = l->drafts.data[index].role.kind == TH__ROLE_SLOT;
    const th__sign *fields = NULL; /* a sign between fields does not separate items */
    if (!read_values(l, &l->drafts.data[index], label, v))
        return false;
    if (v->bytes > (uint64_t)PROSE * v->count)
        return true;
    for (size_t g = 0; !slot && g < th__sign_count; g++) {
        const th__sign *sign = &th__signs[g];
        th_str gap = sign->text;
        bool listed = sign->flags & TH__SIGN_TIGHT && sign->flags & TH__SIGN_ITEMS;
        if (!(v->signs >> g & 1) || (!listed && !th__template_is_field_gap(sign)))
            continue;
        struct parting p = part_values(v, gap);
        if (!is_parted(v, &p, th__sign_is_common(sign) ? 30 : 5))
            continue;
        /* Names and sentences contain commas: "Hughes, Martin". Three parts each are fields. */
        if (listed && (p.most < 3 || !is_in_step(v, &p)))
            continue;
        bool differs[MOST_PIECES] = {false};
        compare_pieces(v, gap, differs);
        for (uint32_t n = 0; n < p.most; n++)
            if (differs[n] && !add_piece(l, index, label, gap, n))
                return false;
        fields = is_in_step(v, &p) || !th__sign_is_common(sign) ? sign : NULL;
        break;
    }
    /* Commas are everywhere; after a label they may separate the items of a set. */
    bool set = slot && !l->drafts.data[index].role.label.ptr; /* needs more evidence */
    bool labelled = slot || label.ptr || l->drafts.data[index].role.anchor || row_of(l, index);
    for (size_t g = 0; labelled && g < th__sign_count; g++) {
        th_str gap = th__signs[g].text;
        if (!(v->signs >> g & 1) || !(th__signs[g].flags & TH__SIGN_ITEMS) ||
            &th__signs[g] == fields)
            continue;
        struct parting p = part_values(v, gap);
        enum { ITEM = 40 }; /* bytes: anything longer is a sentence with a comma */
        if (set && (p.most < 3 || p.parted * 10 > v->count * 9))
            continue; /* every value has one comma: "Hughes, Martin" */
        if (is_parted(v, &p, 20) && v->bytes <= (uint64_t)ITEM * p.pieces)
            return add_piece(l, index, label, gap, TH__NO_ROLE);
    }
    return true;
}

/* The value after a label within a text becomes a field of its own, in addition to the text; so do
 * values between gaps. */
static bool find_pieces(th__template_learner *l)
{
    size_t count = l->drafts.len;
    struct parted_values v = {0};
    for (size_t g = 0; g < th__sign_count; g++)
        v.begins[(unsigned char)th__signs[g].text.ptr[0]] |= UINT64_C(1) << g;
    for (uint32_t i = 0; i < count; i++) {
        const th__template_role *role = &l->drafts.data[i].role;
        if (role->use != TH__USE_DATA ||
            (role->kind > TH__ROLE_TEXT && role->kind != TH__ROLE_SLOT))
            continue;
        th_str label = common_label(l, &l->drafts.data[i]);
        if (label.ptr && !add_piece(l, i, label, (th_str){0}, TH__NO_ROLE))
            return false;
        if (!find_parts(l, i, label, &v))
            return false;
    }
    return true;
}

/* ---- lines of several values -------------------------------------------------------------------
 *
 *     <li class=adr><span class=street>8 Quay St</span>, <span class=city>Troy</span>
 * <span>AL</span> <td class=adr>8 Quay St<br>Troy, AL 36081</td>
 *
 * The values of a line belong together, and so do bare lines: they are one field beside their own.
 */

/* The children of an element: values that occur once, and anything else. */
struct line_values {
    uint32_t values, texts;
    bool others;
};

static void count_line_values(const th__template_learner *l, struct line_values *lines)
{
    for (size_t i = 1; i < l->drafts.len; i++) {
        const th__template_role *role = &l->drafts.data[i].role;
        struct line_values *line = &lines[role->parent];
        bool value = role->use == TH__USE_DATA && role->kind <= TH__ROLE_TEXT && !role->many &&
                     role->told == TH__ROLE_BY_PLACE;
        line->values += value;
        line->texts += value && role->kind == TH__ROLE_TEXT;
        bool nothing = role->use == TH__USE_STRUCTURE && role->leaf; /* a break, an image */
        line->others |= !value && !nothing && role->kind != TH__ROLE_ATTRIBUTE && !role->inner;
    }
}

/* Returns true if an element is short and has nothing that ends a line, except allowed breaks. */
static bool is_line(const th__template_outline *o, uint32_t node, bool breaks)
{
    enum { LONGEST = 200 }; /* bytes: longer text is prose */
    const th_node *nodes = o->page->nodes;
    size_t bytes = 0;
    for (uint32_t n = node + 1; n < nodes[node].end; n++)
        if (o->page->tags[n] == TH_TAG_BR ? !breaks
                                          : th__tag_flags(o->page->tags[n]) & TH_TAG_IS_BLOCK)
            return false;
    for (uint32_t u = o->first_unit[node]; u < o->end_unit[node]; u++)
        bytes += th__template_unit_text(o, u).len;
    return bytes <= LONGEST;
}

static bool find_wholes(th__template_learner *l)
{
    enum { LEAST = 3 }; /* values: two rarely form one thing */
    size_t count = l->drafts.len;
    struct line_values *lines = th__arena_zero(&l->scratch, count + 1, sizeof *lines);
    if (!lines)
        return false;
    count_line_values(l, lines);
    for (uint32_t i = 1; i < count; i++) {
        const th__template_draft *d = &l->drafts.data[i];
        bool bare = lines[i].texts > 1 && lines[i].texts == lines[i].values;
        bool line = (bare || lines[i].values >= LEAST) && !lines[i].others && !d->role.list &&
                    !d->role.lines;
        for (uint32_t k = 0; line && k < d->count; k++)
            line = is_line(&l->pages[d->instances[k].page], d->instances[k].at, bare);
        if (line && !add_part(l, i, (th__template_role){.kind = TH__ROLE_WHOLE}, 0))
            return false;
        if (line)
            l->drafts.data[l->drafts.len - 1].role.many = true;
    }
    return true;
}

/* ---- the rest ----------------------------------------------------------------------------------
 */

/* A field for the texts of a page that have no role, so that they are not lost. */
static bool add_other(th__template_learner *l)
{
    th__template_draft other = {.same = (uint32_t)l->drafts.len};
    other.role = (th__template_role){.kind = TH__ROLE_OTHER,
                                     .use = TH__USE_DATA,
                                     .many = true,
                                     .ordinal = TH__NO_ROLE,
                                     .set = TH__NO_ROLE};
    return th__vec_push(&l->drafts, other);
}

/* ---- sets ------------------------------------------------------------------------------------ */

/* The role of every element, to find the roles around it. */
static uint32_t **map_nodes(th__template_learner *l)
{
    uint32_t **map = th__arena_zero(&l->scratch, l->page_count + 1, sizeof *map);
    for (uint32_t p = 0; map && p < l->page_count; p++) {
        uint32_t nodes = l->pages[p].page->node_count;
        map[p] = th__arena_alloc(&l->scratch, nodes * sizeof **map);
        if (!map[p])
            return NULL;
        for (uint32_t n = 0; n < nodes; n++)
            map[p][n] = TH__NO_ROLE;
    }
    for (uint32_t i = 0; map && i < l->drafts.len; i++) {
        const th__template_draft *d = &l->drafts.data[i];
        for (uint32_t k = 0; d->role.kind == TH__ROLE_ELEMENT && k < d->count; k++)
            map[d->instances[k].page][d->instances[k].at] = i;
    }
    return map;
}

static uint32_t parent_node(const th__template_learner *l, const th__template_draft *d, uint32_t i)
{
    const th__template_outline *o = &l->pages[d->instances[i].page];
    uint32_t at = d->instances[i].at;
    return d->role.kind == TH__ROLE_ELEMENT ? o->page->nodes[at].parent : o->units[at].node;
}

/* Returns true if a page has a role in several items of a set. */
static bool is_repeated(const th__template_learner *l, uint32_t *const *map,
                        const th__template_draft *d, uint32_t set)
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

/* A role belongs to the innermost set that has it in several items on some page: sets further in
 * are only layout. */
static bool find_sets(th__template_learner *l)
{
    uint32_t **map = map_nodes(l);
    if (!map)
        return false;
    for (size_t i = 0; i < l->drafts.len; i++) {
        th__template_draft *d = &l->drafts.data[i];
        d->role.set = TH__NO_ROLE;
        if (i && d->role.kind == TH__ROLE_SLOT &&
            l->drafts.data[d->role.parent].role.kind == TH__ROLE_SLOT) {
            d->role.set = d->role.parent; /* a part of a row */
            continue;
        }
        if (d->role.use != TH__USE_DATA && !d->role.list && d->role.kind != TH__ROLE_ELEMENT)
            continue;
        for (uint32_t up = d->role.parent; up && up != TH__NO_ROLE;
             up = l->drafts.data[up].role.parent)
            if (l->drafts.data[up].role.list && is_repeated(l, map, d, up)) {
                d->role.set = up;
                break;
            }
    }
    return true;
}

/* ---- fields with several roles --------------------------------------------------------------- */

/* The anchor of a value with the names of the elements around it, or 0: values with the same key in
 * other places are alternatives. */
static uint64_t anchor_key(const th__template_learner *l, const th__template_draft *d)
{
    const th__template_outline *o = &l->pages[d->instances[0].page];
    uint32_t unit = value_unit(l, d, 0), node = d->instances[0].at;
    if (!d->role.anchor || unit == UINT32_MAX)
        return 0;
    if (d->role.beside.len || d->role.kind == TH__ROLE_TEXT)
        node = o->units[unit].block;
    return th__hash_mix(d->role.anchor, th__template_node_step(o, node));
}

/* Data after the same label is one field, whatever the markup around it. */
static bool find_same(th__template_learner *l)
{
    th__key_map first;
    if (!th__key_map_init(&first, &l->scratch, l->drafts.len))
        return false;
    for (uint32_t i = 0; i < l->drafts.len; i++) {
        th__template_draft *d = &l->drafts.data[i];
        if (d->role.use != TH__USE_DATA || d->role.set != TH__NO_ROLE || !d->count ||
            d->role.kind > TH__ROLE_TEXT)
            continue;
        uint64_t key = anchor_key(l, d);
        uint32_t other = key ? th__key_map_get(&first, key) : 0;
        if (other)
            d->same = l->drafts.data[other - 1].same;
        else if (key)
            th__key_map_put(&first, key, i + 1);
        l->drafts.data[d->same].role.many |= d->role.many;
    }
    for (uint32_t i = 0; i < l->drafts.len; i++)
        l->drafts.data[i].role.many = l->drafts.data[l->drafts.data[i].same].role.many;
    return true;
}

/* Adds slots for elements that are distinguished by their values. */
static bool sort_items(th__template_learner *l)
{
    size_t before = l->drafts.len;
    if (!th__template_sort_items(l))
        return false;
    for (size_t i = before; i < l->drafts.len; i++)
        if (!find_use(l, &l->drafts.data[i]))
            return false;
    return true;
}

static bool find_all_fields(th__template_learner *l)
{
    for (size_t i = 0; i < l->drafts.len; i++)
        if (th__cancelled(l->cancel) || !find_use(l, &l->drafts.data[i]))
            return false;
    enum { KINDS = 20 }; /* of parts, at most */
    return find_constant_data(l) && find_sets(l) && sort_items(l) && find_anchors(l) &&
           find_same(l) && th__key_map_init(&l->parts, &l->scratch, KINDS * l->drafts.len) &&
           find_attributes(l) && !th__cancelled(l->cancel) && find_pieces(l) && find_wholes(l) &&
           add_other(l);
}

/* ---- in order -------------------------------------------------------------------------------- */

/* A draft among its siblings, in the order of their first occurrence on a page. */
struct draft_link {
    uint32_t first_child, last_child, next; /* drafts, or TH__NO_ROLE */
    uint32_t number;                        /* of its role; later of the first role of its field */
    bool used;
};

/* Keeps only roles that hold texts. Drafts are ordered level by level, rules in preorder. */
static void link_children(const th__template_learner *l, struct draft_link *links)
{
    for (size_t i = l->drafts.len; i-- > 0;) {
        const th__template_role *role = &l->drafts.data[i].role;
        links[i].first_child = links[i].last_child = links[i].next = TH__NO_ROLE;
        links[i].used |= !i || role->use != TH__USE_STRUCTURE || role->inner;
        if (i)
            links[role->parent].used |= links[i].used;
    }
    for (uint32_t i = 1; i < l->drafts.len; i++) {
        struct draft_link *parent = &links[l->drafts.data[i].role.parent];
        if (!links[i].used)
            continue;
        if (parent->last_child == TH__NO_ROLE)
            parent->first_child = i;
        else
            links[parent->last_child].next = i;
        parent->last_child = i;
    }
}

static bool make_rules(th__template_learner *l, th__template_roles *out)
{
    size_t count = l->drafts.len;
    struct draft_link *links = th__arena_zero(&l->scratch, count, sizeof *links);
    out->roles = th__arena_zero(l->arena, count, sizeof *out->roles);
    if (!links || !out->roles)
        return false;
    link_children(l, links);
    for (uint32_t at = 0; at != TH__NO_ROLE;) {
        th__template_role *role = &out->roles[out->count];
        *role = l->drafts.data[at].role;
        role->parent = at ? links[role->parent].number : TH__NO_ROLE;
        role->set = role->set == TH__NO_ROLE ? role->set : links[role->set].number;
        role->same = l->drafts.data[at].same;
        links[at].number = out->count++;
        if (links[at].first_child != TH__NO_ROLE) {
            at = links[at].first_child;
            continue;
        }
        while (at && links[at].next == TH__NO_ROLE)
            at = l->drafts.data[at].role.parent;
        at = at ? links[at].next : TH__NO_ROLE;
    }
    /* Of roles that share a field, the first in the template's order owns it. */
    for (uint32_t i = out->count; i-- > 0;)
        links[out->roles[i].same].number = i;
    for (uint32_t i = 0; i < out->count; i++)
        out->roles[i].same = links[out->roles[i].same].number;
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool begin(th__template_learner *l)
{
    th__template_draft root = {.count = l->page_count, .pages = l->page_count};
    root.role.parent = TH__NO_ROLE;
    root.role.ordinal = TH__NO_ROLE;
    root.instances = th__arena_zero(&l->scratch, l->page_count + 1, sizeof *root.instances);
    for (uint32_t p = 0; root.instances && p < l->page_count; p++)
        root.instances[p].page = p;
    return root.instances && th__vec_push(&l->drafts, root);
}

bool th__template_roles_learn(double support, const th_cancel *cancel, const th_page *const *pages,
                              uint32_t page_count, th__arena *outlines_arena,
                              th__template_outline **outlines, th__arena *arena,
                              th__template_roles *out)
{
    th__template_learner l = {
        .support = support, .cancel = cancel, .page_count = page_count, .arena = arena};
    l.pages = *outlines = th__arena_zero(outlines_arena, page_count + 1, sizeof **outlines);
    *out = (th__template_roles){.pages = page_count, .placeholders = true};
    th__arena_init(&l.scratch);
    th__arena_init(&l.level);
    bool ok = l.pages;
    for (uint32_t p = 0; ok && p < page_count; p++)
        ok = !th__cancelled(cancel) &&
             th__template_outline_make(outlines_arena, pages[p], NULL, &l.pages[p]);
    ok = ok && find_names(&l, out) && th__template_roles_prepare(out, arena);
    for (uint32_t p = 0; ok && p < page_count; p++)
        outline_know(&l.pages[p], &out->known);
    ok = ok && begin(&l);
    for (uint32_t i = 0; ok && i < l.drafts.len; i++) {
        const th__template_role *role = &l.drafts.data[i].role;
        if (role->kind == TH__ROLE_ELEMENT && !role->leaf && !role->inner &&
            role->told != TH__ROLE_BY_ITSELF)
            ok = !th__cancelled(cancel) && expand(&l, i);
    }
    ok = ok && find_all_fields(&l) && make_rules(&l, out) && th__template_roles_prepare(out, arena);
    th__vec_release(&l.drafts);
    th__vec_release(&l.items);
    th__vec_release(&l.groups);
    th__vec_release(&l.words);
    th__vec_release(&l.cells);
    th__arena_release(&l.level);
    th__arena_release(&l.scratch);
    return ok;
}
