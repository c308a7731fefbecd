/* exalg_cells.c: what tells the children of a role apart, and the drafts that come of it. */
#include "engine/papers/exalg/exalg_draft.h"
#include "page/tags.h"

/* ---- cells ----------------------------------------------------------------------------------- */

static bool put_in_cell(th__exalg_learner *l, size_t i)
{
    th__exalg_item *it = &l->items.data[i];
    uint32_t id = th__key_map_get(&l->cell_ids, it->cell);
    if (!id) {
        th__exalg_cell fresh = {.first = (uint32_t)i, .last = UINT32_MAX, .last_page = UINT32_MAX};
        if (!th__key_map_room(&l->cell_ids, &l->level, l->cells.len) ||
            !th__vec_push(&l->cells, fresh))
            return false;
        th__key_map_put(&l->cell_ids, it->cell, id = (uint32_t)l->cells.len);
    }
    th__exalg_cell *c = &l->cells.data[id - 1];
    if (c->last != it->parent) {
        c->parents++;
        c->in_last = 0;
        c->pages += c->last_page != it->page;
    }
    it->number = c->in_last++;
    c->gaps += it->number && it->gap;
    c->total++;
    c->full = c->in_last > c->most ? 1 : c->full + (c->in_last == c->most);
    c->most = c->in_last > c->most ? c->in_last : c->most;
    c->last = it->parent;
    c->last_page = it->page;
    return true;
}

static void tell(th__exalg_item *it, uint32_t parent, th__exalg_told told, uint64_t hash)
{
    it->told = (uint8_t)told;
    it->hash = hash;
    it->cell = th__exalg_cell_key(parent, it->step, told, hash);
}

/* Whether the parent has a row with this label already: another begins with it by chance. */
static bool is_taken(const th__exalg_learner *l, const th__exalg_item *it, uint32_t role)
{
    uint64_t key = th__exalg_cell_key(role, it->step, TH__EXALG_BY_INSIDE, it->first);
    uint32_t id = th__key_map_get(&l->cell_ids, key);
    return id && l->cells.data[id - 1].last == it->parent;
}

/* What tells each item apart. */
static bool find_cells(th__exalg_learner *l, const th__exalg_draft *d, uint32_t role)
{
    uint64_t section = 0;
    uint32_t parent = UINT32_MAX;
    for (size_t i = 0; i < l->items.len; i++) {
        th__exalg_item *it = &l->items.data[i];
        const th__exalg_group *g = &l->groups.data[it->group];
        if (it->parent != parent)
            section = 0;
        parent = it->parent;
        if (th__exalg_is_label(l, d, it)) {
            tell(it, role, TH__EXALG_BY_ITSELF, it->whole);
            section = it->whole;
        } else if (g->most <= 1 && !(g->named && it->units)) {
            tell(it, role, TH__EXALG_BY_PLACE, 0);
            if (th__exalg_is_heading(l, d, it))
                section = it->whole;
        } else if (th__exalg_is_row(l, d, it) && !is_taken(l, it, role)) {
            tell(it, role, TH__EXALG_BY_INSIDE, it->first);
        } else if (th__exalg_has_prefix(l, d, it)) {
            tell(it, role, TH__EXALG_BY_PREFIX, it->prefix);
        } else if (g->named) {
            tell(it, role, TH__EXALG_BY_SHAPE, it->shape);
        } else if (g->spread && !g->steady) {
            tell(it, role, TH__EXALG_BY_AFTER, th__exalg_after_hash(section, it->after));
            it->section = section;
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
static void decide(th__exalg_learner *l, th__exalg_cell *c)
{
    const th__exalg_item *first = &l->items.data[c->first];
    const th__exalg_group *g = &l->groups.data[first->group];
    uint16_t tag = first->step ? l->pages[first->page].page->tags[first->at] : 0;
    bool cells = !first->step || tag == TH_TAG_TD || tag == TH_TAG_TH;
    bool steady = c->most > 1 && c->most <= 16 && c->full * 10 >= c->parents * 9;
    bool links = tag == TH_TAG_A || tag == TH_TAG_LI;
    /* An item that is alone everywhere is one of a list whose others the sample does not show. */
    c->alone =
        l->options->one_element_sets && tag == TH_TAG_LI && g->most == 1 && l->groups.len == 1;
    /* Fields of one line, rather than items of a set. */
    bool line = c->most > 1 && c->most <= 8 && c->gaps * 10 >= (c->total - c->parents) * 8;
    c->ordinal = line || (steady && (cells || g->mixed || (c->most == 2 && !links)));
}

/* ---- drafts ---------------------------------------------------------------------------------- */

th_str th__exalg_copy_name(th__exalg_learner *l, const th_page *page, uint32_t node, bool id,
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

th_str th__exalg_copy_unit(th__exalg_learner *l, uint32_t page, uint32_t unit)
{
    return th__arena_copy(l->arena, th__exalg_unit_text(&l->pages[page], unit));
}

/* The texts of an item, TH__EXALG_BETWEEN between them. */
static bool item_source(th__exalg_learner *l, const th__exalg_item *it, th_str *out)
{
    const th__exalg_outline *o = &l->pages[it->page];
    if (!it->step) {
        *out = th__exalg_copy_unit(l, it->page, it->at);
        return out->ptr;
    }
    th__buf text = {0};
    for (uint32_t u = o->first_unit[it->at]; u < o->end_unit[it->at]; u++) {
        if (text.len)
            th__buf_add_byte(&text, TH__EXALG_BETWEEN);
        th__buf_add_str(&text, th__exalg_unit_text(o, u));
    }
    *out = text.failed ? (th_str){0} : th__arena_copy(l->arena, th__buf_str(&text));
    th__buf_release(&text);
    return out->ptr;
}

/* The source of the text with this hash among the items, for the label of a section. */
static bool find_label(th__exalg_learner *l, uint32_t parent, uint64_t hash, size_t before,
                       th_str *out)
{
    for (size_t i = before; i-- > 0 && l->items.data[i].parent == parent;) {
        const th__exalg_item *it = &l->items.data[i];
        if (it->whole != hash)
            continue;
        return item_source(l, it, out);
    }
    return true;
}

th_str th__exalg_copy_tag(th__exalg_learner *l, const th_page *page, uint32_t node)
{
    th__buf name = {0};
    th_str tag = th_token_name(page, page->nodes[node].token);
    for (size_t i = 0; i < tag.len; i++)
        th__buf_add_byte(&name, (char)th__lower((unsigned char)tag.ptr[i]));
    th_str copy = name.failed ? (th_str){0} : th__arena_copy(l->arena, th__buf_str(&name));
    th__buf_release(&name);
    return copy;
}

static bool describe_after(th__exalg_learner *l, const th__exalg_item *it, size_t index,
                           th__exalg_role *role)
{
    const th__exalg_outline *o = &l->pages[it->page];
    if (it->section &&
        (!find_label(l, it->parent, it->section, index, &role->label) || !role->label.ptr))
        return false;
    if (!it->before)
        return true;
    role->after_tag = th__exalg_copy_tag(l, o->page, it->before);
    role->after_cls = th__exalg_copy_name(l, o->page, it->before, false, o->cls[it->before]);
    role->after_id = th__exalg_copy_name(l, o->page, it->before, true, o->id[it->before]);
    return role->after_tag.ptr && (role->after_cls.ptr || !o->cls[it->before]) &&
           (role->after_id.ptr || !o->id[it->before]);
}

static bool describe(th__exalg_learner *l, const th__exalg_item *it, size_t index,
                     th__exalg_role *role)
{
    const th__exalg_outline *o = &l->pages[it->page];
    role->kind = it->step ? TH__EXALG_ELEMENT : TH__EXALG_TEXT;
    role->told = it->told;
    role->heading =
        it->told == TH__EXALG_BY_ITSELF && l->groups.data[it->group].labels && it->units == 1;
    role->ordinal = TH__EXALG_NO_ROLE;
    if (it->step) {
        role->tag = th__exalg_copy_tag(l, o->page, it->at);
        role->cls = th__exalg_copy_name(l, o->page, it->at, false, o->cls[it->at]);
        role->id = th__exalg_copy_name(l, o->page, it->at, true, o->id[it->at]);
        if (!role->tag.ptr || (o->cls[it->at] && !role->cls.ptr) ||
            (o->id[it->at] && !role->id.ptr))
            return false;
    }
    uint32_t unit = it->step ? o->first_unit[it->at] : it->at;
    if (it->told == TH__EXALG_BY_ITSELF)
        return item_source(l, it, &role->label);
    if (it->told == TH__EXALG_BY_PREFIX)
        role->label = th__arena_copy(l->arena, th__exalg_prefix(th__exalg_unit_text(o, unit)));
    else if (it->told == TH__EXALG_BY_INSIDE)
        role->label = th__exalg_copy_unit(l, it->page, unit);
    else if (it->told == TH__EXALG_BY_SECTION)
        return find_label(l, it->parent, it->hash, index, &role->label) && role->label.ptr;
    if (it->told == TH__EXALG_BY_AFTER)
        return describe_after(l, it, index, role);
    role->shape = it->shape;
    return role->label.ptr || it->told == TH__EXALG_BY_PLACE || it->told == TH__EXALG_BY_SHAPE;
}

static bool add_drafts(th__exalg_learner *l, uint32_t parent, th__exalg_cell *c)
{
    uint32_t roles = c->ordinal ? c->most : 1;
    c->role = (uint32_t)l->drafts.len;
    for (uint32_t n = 0; n < roles; n++) {
        th__exalg_draft d = {.role.parent = parent, .same = (uint32_t)l->drafts.len};
        if (!describe(l, &l->items.data[c->first], c->first, &d.role))
            return false;
        if (c->ordinal)
            d.role.ordinal = n;
        d.role.list = !c->ordinal && (c->most > 1 || c->alone);
        d.instances = th__arena_alloc(&l->scratch, (c->ordinal ? c->parents : c->total) *
                                                       sizeof(th__exalg_instance));
        if (!d.instances || !th__vec_push(&l->drafts, d))
            return false;
    }
    return true;
}

static void add_instances(th__exalg_learner *l)
{
    for (size_t i = 0; i < l->items.len; i++) {
        const th__exalg_item *it = &l->items.data[i];
        const th__exalg_cell *c = &l->cells.data[th__key_map_get(&l->cell_ids, it->cell) - 1];
        if (c->role == TH__EXALG_NO_ROLE)
            continue;
        th__exalg_draft *d = &l->drafts.data[c->role + (c->ordinal ? it->number : 0)];
        if (!d->count || d->instances[d->count - 1].page != it->page)
            d->pages++;
        d->instances[d->count++] = (th__exalg_instance){it->page, it->at, it->last};
    }
}

/* Whether the text of an element stands in an element of the same name as those before, if it has a
 * name at all: <div><span class=price> and <div><span class=weight> hold different things. */
static bool same_name(const th__exalg_outline *o, uint32_t node, uint64_t *name)
{
    uint32_t inner = o->units[o->first_unit[node]].node;
    if (inner == node || (!o->cls[inner] && !o->id[inner]))
        return true;
    uint64_t step = th__exalg_node_step(o, inner);
    bool same = !*name || *name == step;
    *name = step;
    return same;
}

/* An element with at most one text anywhere has that as its value. The head has metadata besides,
 * and a list may have more items elsewhere. */
static void find_leaf(th__exalg_learner *l, th__exalg_draft *d)
{
    uint16_t tag = d->role.tag.ptr ? th_tag_id(d->role.tag) : 0;
    bool list = tag == TH_TAG_UL || tag == TH_TAG_OL;
    bool leaf = d->role.kind == TH__EXALG_ELEMENT && tag != TH_TAG_HEAD &&
                !(list && l->options->one_element_sets);
    uint64_t name = 0;
    for (uint32_t i = 0; leaf && i < d->count; i++) {
        const th__exalg_outline *o = &l->pages[d->instances[i].page];
        leaf =
            th__exalg_units_in(o, d->instances[i].at) <= 1 &&
            (!th__exalg_units_in(o, d->instances[i].at) || same_name(o, d->instances[i].at, &name));
    }
    d->role.leaf = leaf;
}

enum { FEW_WORDS = 64 };

static bool prepare_maps(th__exalg_learner *l)
{
    th__arena_clear(&l->level);
    /* Most children are alike: the maps grow where they are not. */
    return th__key_map_init(&l->word_ids, &l->level, FEW_WORDS) &&
           th__key_map_init(&l->cell_ids, &l->level, FEW_WORDS) &&
           th__key_map_init(&l->group_ids, &l->level, FEW_WORDS);
}

static uint32_t least_pages(const th__exalg_learner *l)
{
    return l->page_count < 2 ? 1 : 2;
}

/* What of the inner markup must be known to join texts again. */
static bool note_inner(th__exalg_learner *l, uint32_t parent)
{
    for (size_t i = 0; i < l->groups.len; i++) {
        const th__exalg_group *g = &l->groups.data[i];
        if (!g->inner)
            continue;
        const th__exalg_item *it = &l->items.data[g->sample];
        th__exalg_draft d = {.role = {.parent = parent, .kind = TH__EXALG_ELEMENT, .inner = true},
                             .same = (uint32_t)l->drafts.len,
                             .pages = 2};
        d.role.ordinal = TH__EXALG_NO_ROLE;
        d.role.tag = th__exalg_copy_tag(l, l->pages[it->page].page, it->at);
        if (!d.role.tag.ptr || !th__vec_push(&l->drafts, d))
            return false;
    }
    return true;
}

/* Lays the children side by side. *one: they are but one text. */
static bool look_at_children(th__exalg_learner *l, uint32_t index, bool *one)
{
    th__exalg_draft d = l->drafts.data[index];
    bool lines = false;
    *one = false;
    if (!th__exalg_find_items(l, &d) || !prepare_maps(l) || !th__exalg_find_groups(l, &d))
        return false;
    if (l->options->lines && !th__exalg_find_lines(l, index, &lines))
        return false;
    if (lines)
        return prepare_maps(l) && th__exalg_find_groups(l, &d);
    size_t before = l->drafts.len;
    if (!l->options->inner_markup)
        return true;
    if (th__exalg_find_inner(l, &d) && !note_inner(l, index))
        return false;
    if (!th__exalg_join_texts(l, &d))
        return true;
    if (!prepare_maps(l) || !th__exalg_find_groups(l, &d))
        return false;
    *one = index && th__exalg_is_one_text(l); /* a page of bare text is still a page */
    if (*one)
        l->drafts.len = before;
    return true;
}

/* The children of a role. */
bool th__exalg_expand(th__exalg_learner *l, uint32_t index)
{
    bool one;
    if (!look_at_children(l, index, &one))
        return false;
    if (one) {
        l->drafts.data[index].role.leaf = true;
        return true;
    }
    th__exalg_draft d = l->drafts.data[index];
    l->cells.len = 0;
    if (!find_cells(l, &d, index))
        return false;
    size_t before = l->drafts.len;
    for (size_t c = 0; c < l->cells.len; c++) {
        th__exalg_cell *cl = &l->cells.data[c];
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
