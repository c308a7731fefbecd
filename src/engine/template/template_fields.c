/*
 * template_fields.c: which roles are data, which of them are one field, and to which set they
 * belong; and fields that are part of others: attributes, and pieces of texts.
 */
#include "engine/template/template_learn.h"

#include "page/tags.h"

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

/* What the pages say of a role: how many have it, and how many say what the first one says. Several
 * texts of a page count together: a menu is a set that is the same everywhere. */
struct sayings {
    uint32_t pages, same;
    uint32_t sample; /* the first instance that says anything */
};

static void add_saying(struct sayings *s, uint64_t *first, uint64_t sum)
{
    if (!sum)
        return;
    *first = s->pages ? *first : sum;
    s->same += sum == *first;
    s->pages++;
}

/* With `attribute`: of that rather than of the texts. */
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

/* Texts that differ are data; one that is always the same is the template's. A set that one page in
 * ten has otherwise is still a menu. */
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
        return true; /* nothing in it */
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

/* Rows of one kind below a parent, and how many of them hold data. */
struct row_kind {
    uint32_t all, data;
};

struct row_kinds {
    th__key_map ids;
    TH__VEC(struct row_kind) list;
    bool *holds; /* by draft: data is in it */
};

static bool is_row(const th__template_role *role)
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
        if (!is_row(role))
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
        if (is_row(&l->drafts.data[index].role))
            return index;
    return 0;
}

/* Among rows of which most hold data a text that is always the same is a value too, unless it is
 * the label: all cars of the sample have the same fuel. */
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

/* Adds a field that belongs to another's: an attribute or a piece. What belongs to roles of one
 * field, in the same way, is one field too. */
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

/* Links of values, images and what metadata say are data where they differ. Links of other
 * elements are left to the templates: menus have hundreds. */
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

/* By which a value is known wherever it is: the label before it, or the name of its element. */
typedef uint64_t (*anchor_fn)(const th__template_outline *o, uint32_t unit);

/* How often an anchor is on the pages. */
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
            if ((label && !th__template_count_word(l, label, &it)) ||
                (name && !th__template_count_word(l, name, &it)))
                return false;
        }
    return true;
}

/* By the label, or else by the name. */
static bool describe_anchor(th__template_learner *l, th__template_draft *d, uint32_t i, bool label)
{
    const th__template_outline *o = &l->pages[d->instances[i].page];
    uint32_t unit = value_unit(l, d, i);
    th__template_role *role = &d->role;
    role->beside = label ? th__template_copy_unit(l, d->instances[i].page, unit - 1)
                         : th__arena_copy(l->arena, TH_STR(""));
    if (!role->beside.ptr ||
        !th__template_copy_step(l, o, label ? o->units[unit].block : o->units[unit].node,
                                &role->beside_tag, &role->beside_cls, &role->beside_id))
        return false;
    return true;
}

/* Returns true if the element around a value has a name of one word. Utility classes ("flex p-4
 * text-sm") say how a value looks, not what it is. */
static bool has_one_name(const th__template_learner *l, const th__template_draft *d, uint32_t i)
{
    const th__template_outline *o = &l->pages[d->instances[i].page];
    th_str name;
    return !th__template_name_get(o->page, o->units[value_unit(l, d, i)].node, false, &name) ||
           !memchr(name.ptr, ' ', name.len);
}

/* Data whose values nearly all have the same anchor, which is nowhere else on a page. */
static bool find_anchor(th__template_learner *l, th__template_draft *d, anchor_fn anchor_of)
{
    uint64_t anchor = 0;
    uint32_t with = 0, same = 0, first = UINT32_MAX, page = UINT32_MAX;
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t unit = value_unit(l, d, i);
        if (unit == UINT32_MAX || d->instances[i].page == page)
            continue; /* of several the first is behind the label */
        page = d->instances[i].page;
        uint64_t here = anchor_of(&l->pages[page], unit);
        with++;
        if (!anchor) {
            anchor = here;
            first = i;
        }
        same += here == anchor;
    }
    const th__template_word *w = anchor ? th__template_find_word(l, anchor) : NULL;
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

/* The first word of a text with the blank behind it; none when that is all. */
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
    enum { SENTENCE = 60 }; /* bytes: with a word before it it is no label with a value */
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

/* How the values of a role are parted by a gap. */
struct parting {
    uint32_t values, parted, pages; /* values, those with a gap, pages that have one */
    uint32_t most;                  /* pieces of one value */
    uint32_t pieces;                /* of all values */
    uint64_t bytes;                 /* of all values */
    uint64_t first[MOST_PIECES];    /* by piece: the hash of the first */
    bool differs[MOST_PIECES];      /* by piece: whether others say something else */
};

static void note_piece(struct parting *p, uint32_t piece, th_str text)
{
    bool readable = false;
    uint64_t hash = th__template_text_hash(text, &readable);
    if (!readable)
        return;
    p->differs[piece] |= p->first[piece] && p->first[piece] != hash;
    p->first[piece] = hash;
}

static struct parting part_values(const th__template_learner *l, const th__template_draft *d,
                                  th_str gap, th_str label)
{
    struct parting p = {0};
    uint32_t page = UINT32_MAX;
    for (uint32_t i = 0; i < d->count; i++) {
        const th_page *here = l->pages[d->instances[i].page].page;
        th_span piece, rest = value_span(l, d, i);
        if (label.ptr)
            rest.start = th__template_behind_label(here, rest, label);
        if (rest.start >= rest.end)
            continue;
        uint32_t pieces = 0;
        p.values++;
        p.bytes += rest.end - rest.start;
        while (th__template_next_piece(here, &rest, gap, &piece)) {
            if (pieces < MOST_PIECES)
                note_piece(&p, pieces, th__page_slice(here, piece.start, piece.end));
            pieces++;
        }
        p.parted += pieces > 1;
        p.pieces += pieces;
        p.pages += pieces > 1 && d->instances[i].page != page;
        page = pieces > 1 ? d->instances[i].page : page;
        p.most = pieces > p.most ? pieces : p.most;
    }
    return p;
}

/* Texts of which a good part has a gap, on several pages, and that are no prose. */
static bool is_parted(const struct parting *p, uint32_t least_percent)
{
    enum { PROSE = 160 };
    return p->pages >= 2 && p->parted * 100 >= p->values * least_percent &&
           p->most <= MOST_PIECES && p->bytes <= (uint64_t)PROSE * p->values;
}

/* Returns true if all values have the same number of pieces. */
static bool is_in_step(const struct parting *p)
{
    return p->pieces == p->most * p->values;
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

/* Fields, or else items of a set, between the gaps of a text. */
static bool find_parts(th__template_learner *l, uint32_t index, th_str label)
{
    bool slot = l->drafts.data[index].role.kind == TH__ROLE_SLOT;
    const th__sign *fields = NULL; /* what is between fields is not between items */
    for (size_t g = 0; !slot && g < th__sign_count; g++) {
        const th__sign *sign = &th__signs[g];
        th_str gap = sign->text;
        bool listed = sign->flags & TH__SIGN_TIGHT && sign->flags & TH__SIGN_ITEMS;
        if (!listed && !th__template_is_field_gap(sign))
            continue;
        struct parting p = part_values(l, &l->drafts.data[index], gap, label);
        if (!is_parted(&p, th__sign_is_common(sign) ? 30 : 5))
            continue;
        /* Commas are in names and sentences: "Hughes, Martin". Three parts each are fields. */
        if (listed && (p.most < 3 || !is_in_step(&p)))
            continue;
        for (uint32_t n = 0; n < p.most; n++)
            if (p.differs[n] && !add_piece(l, index, label, gap, n))
                return false;
        fields = is_in_step(&p) || !th__sign_is_common(sign) ? sign : NULL;
        break;
    }
    /* Commas are everywhere; behind a label they may part the items of a set. */
    bool set = slot && !l->drafts.data[index].role.label.ptr; /* it must show that it is one */
    bool labelled = slot || label.ptr || l->drafts.data[index].role.anchor || row_of(l, index);
    for (size_t g = 0; labelled && g < th__sign_count; g++) {
        th_str gap = th__signs[g].text;
        if (!(th__signs[g].flags & TH__SIGN_ITEMS) || &th__signs[g] == fields)
            continue;
        struct parting p = part_values(l, &l->drafts.data[index], gap, label);
        enum { ITEM = 40 }; /* bytes: what is longer is a sentence with a comma */
        if (set && (p.most < 3 || p.parted * 10 > p.values * 9))
            continue; /* always parted: "Hughes, Martin" */
        if (is_parted(&p, 20) && p.bytes <= (uint64_t)ITEM * p.pieces)
            return add_piece(l, index, label, gap, TH__NO_ROLE);
    }
    return true;
}

/* A value behind a label in one text is a field of its own, beside the text as it is; and so
 * are values between gaps. */
static bool find_pieces(th__template_learner *l)
{
    size_t count = l->drafts.len;
    for (uint32_t i = 0; i < count; i++) {
        const th__template_role *role = &l->drafts.data[i].role;
        if (role->use != TH__USE_DATA ||
            (role->kind > TH__ROLE_TEXT && role->kind != TH__ROLE_SLOT))
            continue;
        th_str label = common_label(l, &l->drafts.data[i]);
        if (label.ptr && !add_piece(l, i, label, (th_str){0}, TH__NO_ROLE))
            return false;
        if (!find_parts(l, i, label))
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

/* What is right below an element: values that are there once, and anything else. */
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

/* Returns true if an element is short and holds nothing that ends a line, but breaks if it may. */
static bool is_line(const th__template_outline *o, uint32_t node, bool breaks)
{
    enum { LONGEST = 200 }; /* bytes: what is longer is prose */
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
    enum { LEAST = 3 }; /* values: two are rarely one thing */
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

/* Texts of a page that have no role are seen and not lost. */
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

/* The role of every element, for climbing. */
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

/* A role belongs to the innermost set of which a page has it in several items: other sets are but
 * the layout around it. */
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

/* ---- fields of several roles ----------------------------------------------------------------- */

/* Returns true if two roles are never on the same page. */
static bool are_exclusive(const th__template_draft *a, const th__template_draft *b)
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
static uint64_t tail_key(const th__template_learner *l, uint32_t index)
{
    enum { CLOSE = 3 };
    uint64_t key = 0;
    for (uint32_t i = index, up = 0; up < CLOSE && i; up++, i = l->drafts.data[i].role.parent) {
        const th__template_role *role = &l->drafts.data[i].role;
        const th__template_instance *sample = l->drafts.data[i].instances;
        uint64_t step = role->kind == TH__ROLE_ELEMENT
                            ? th__template_node_step(&l->pages[sample->page], sample->at)
                            : 0;
        if (role->told != TH__ROLE_BY_PLACE || role->ordinal != TH__NO_ROLE)
            return 0;
        key = th__hash_mix(key + 1, step);
        if (role->cls.ptr || role->id.ptr)
            return key;
    }
    return 0;
}

/* What is beside a value with the names of the elements around it: a value of the same label or
 * name in others is an alternative to it. `plural`: the label in any number. */
static uint64_t anchor_key(const th__template_learner *l, const th__template_draft *d, bool plural)
{
    const th__template_outline *o = &l->pages[d->instances[0].page];
    uint32_t unit = value_unit(l, d, 0), node = d->instances[0].at;
    uint64_t beside = plural ? th__template_label_hash(d->role.beside) : d->role.anchor;
    if (!d->role.anchor || unit == UINT32_MAX || (plural && !d->role.beside.len))
        return 0;
    if (d->role.beside.len || d->role.kind == TH__ROLE_TEXT)
        node = o->units[unit].block;
    return th__hash_mix(beside, th__template_node_step(o, node));
}

/* Data behind the same label is one field, whatever the markup around it; and so is data inside
 * elements of the same class or id that are never on one page together. */
static bool find_same(th__template_learner *l)
{
    th__key_map first;
    if (!th__key_map_init(&first, &l->scratch, 3 * l->drafts.len))
        return false;
    for (uint32_t i = 0; i < l->drafts.len; i++) {
        th__template_draft *d = &l->drafts.data[i];
        if (d->role.use != TH__USE_DATA || d->role.set != TH__NO_ROLE || !d->count ||
            d->role.kind > TH__ROLE_TEXT)
            continue;
        uint64_t keys[] = {anchor_key(l, d, false), anchor_key(l, d, true), tail_key(l, i)};
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

/* Slots of elements that are told apart by what they hold. */
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

bool th__template_find_fields(th__template_learner *l)
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
