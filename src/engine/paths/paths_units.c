/*
 * paths_units.c: finds the units of a page, and the texts that identify them.
 *
 * One pass over the tokens takes the texts, so that what is before each is known when it comes.
 * Tables to look units up by address are made when they are asked for.
 */
#include "engine/paths/paths.h"

#include "base/mem.h"
#include "page/signs.h"
#include "page/page.h"
#include "page/tags.h"
#include "index/view.h"

const char *const th__unit_attributes[] = {"href", "src", "content", "title", "alt", "value", NULL};

enum {
    ELEMENT_TEXTS = 24,   /* an element with more texts is a part of the page, no value; */
    ELEMENT_BYTES = 4096, /* so is a larger one */
    START_BYTES = 40      /* a caption before a colon is short */
};

/* ---- texts ----------------------------------------------------------------------------------- */

/* What is counted of a text. */
typedef struct text_counts {
    uint64_t key;
    uint32_t len;
    bool digits, readable;
} text_counts;

static text_counts count_text(th_str text)
{
    text_counts c = {0};
    th__text_measure(text, &c.key, &c.len);
    for (size_t i = 0; i < text.len && !(c.digits && c.readable); i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        c.digits |= th__is_digit(byte);
        /* "..." as one character is the rest of a text that was cut: it counts. */
        c.readable |= c.digits || th__is_alpha(byte) || byte >= 0x80;
    }
    return c;
}

/* The text up to its colon, or an absent one. */
static th_str text_start(th_str text)
{
    text = th__str_trim(text);
    const char *colon =
        memchr(text.ptr ? text.ptr : "", ':', text.len < START_BYTES ? text.len : START_BYTES);
    /* A colon at the end makes a caption; one inside a time or a link makes nothing. */
    if (!colon || colon == text.ptr || colon + 1 >= text.ptr + text.len || colon[1] == '/' ||
        th__is_digit((unsigned char)colon[-1]))
        return (th_str){0};
    return (th_str){text.ptr, (size_t)(colon - text.ptr) + 1};
}

/* ---- the units ------------------------------------------------------------------------------- */

struct unit_maker {
    th__units *units;
    const th_page *page;
    TH__VEC(th__unit) list;
    th__buf text;
    th__node_walk walk; /* the innermost open element */
    uint32_t *slots;    /* by node: texts seen right inside it */
    uint64_t before, caption, heading;
    uint32_t caption_at, heading_at;
    bool failed;
};

static bool is_plain(th_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '&' || (unsigned char)text.ptr[i] >= 0x80)
            return false;
    return true;
}

/* The text of a span: the source itself where that is what a reader sees. */
static th_str read_span(struct unit_maker *m, th_span span)
{
    th_str source = th__page_slice(m->page, span.start, span.end);
    if (is_plain(source))
        return source;
    m->text.len = 0;
    m->failed |= !th__span_text(m->page, span, &m->text);
    return th__buf_str(&m->text);
}

static bool is_caption_tag(uint16_t tag)
{
    return tag == TH_TAG_DT || tag == TH_TAG_TH || tag == TH_TAG_B || tag == TH_TAG_STRONG ||
           tag == TH_TAG_LABEL;
}

static bool is_heading_tag(uint16_t tag)
{
    return (tag >= TH_TAG_H1 && tag <= TH_TAG_H6) || tag == TH_TAG_CAPTION || tag == TH_TAG_LEGEND;
}

/* What is before: the texts that identify a unit. */
static void add_tellers(struct unit_maker *m, th__unit *unit)
{
    unit->tellers[TH__TOLD_BY_BEFORE - 1] = m->before;
    unit->tellers[TH__TOLD_BY_CAPTION - 1] = m->caption;
    unit->tellers[TH__TOLD_BY_HEADING - 1] = m->heading;
    unit->teller_at[0] = m->caption_at;
    unit->teller_at[1] = m->heading_at;
}

static bool in_tag(const th_page *page, uint32_t node, bool (*is)(uint16_t))
{
    return is(page->tags[node]) || is(page->tags[page->nodes[node].parent]);
}

/* A text that was read becomes what identifies those behind it. */
static void remember(struct unit_maker *m, const th__unit *unit, uint32_t at)
{
    if (!unit->readable)
        return;
    for (size_t i = at; i-- > 0;) {
        th__unit *last = &m->list.data[i];
        if (last->tellers[TH__TOLD_BY_AFTER - 1])
            break;
        last->tellers[TH__TOLD_BY_AFTER - 1] = unit->text;
    }
    m->before = unit->text;
    if (unit->caption) {
        m->caption = unit->text;
        m->caption_at = at;
    }
    if (in_tag(m->page, unit->node, is_heading_tag)) {
        m->heading = unit->text;
        m->heading_at = at;
    }
}

static void add_text(struct unit_maker *m, uint32_t token)
{
    const th_page *page = m->page;
    th_span span = th__span_trim(page, th_page_token_span(page, token));
    th_str text = read_span(m, span);
    text_counts h = count_text(text);
    if (!h.len)
        return;
    th__unit unit = {.span = span,
                     .node = m->walk.node,
                     .slot = m->slots[m->walk.node]++,
                     .len = h.len,
                     .digits = h.digits,
                     .readable = h.readable,
                     .kind = TH__UNIT_TEXT,
                     .caption =
                         th__ends_with_colon(text) || in_tag(page, m->walk.node, is_caption_tag),
                     .in_title = page->tags[m->walk.node] == TH_TAG_TITLE,
                     .text = h.key};
    add_tellers(m, &unit);
    th_str start = text_start(text);
    if (start.ptr)
        unit.tellers[TH__TOLD_BY_START - 1] = th__text_key(start);
    if (!th__vec_push(&m->list, unit)) {
        m->failed = true;
        return;
    }
    remember(m, &unit, (uint32_t)m->list.len - 1);
}

/* Another attribute by its name, whatever its case; never 0. */
static uint32_t name_slot(th_str name)
{
    uint64_t hash = 1;
    for (size_t i = 0; i < name.len; i++)
        hash = th__hash_mix(hash, th__lower((unsigned char)name.ptr[i]));
    return (uint32_t)hash | 1;
}

static void add_attributes(struct unit_maker *m, uint32_t token, bool all)
{
    th_attr attr;
    for (th_attr_iter it = th_attrs(m->page, token); th_attr_next(&it, &attr);) {
        uint8_t which = 0;
        while (th__unit_attributes[which] &&
               !th__str_eq_nocase(attr.name, th_str_from(th__unit_attributes[which])))
            which++;
        bool other = which == TH__UNIT_OTHER;
        if (other && all && th__attribute_may_be_data(attr.name))
            attr.value = th__attribute_value(attr);
        else if (other)
            continue;
        if (!attr.value.len)
            continue;
        uint32_t start = (uint32_t)(attr.value.ptr - m->page->text.ptr);
        th_span span = th__span_trim(m->page, (th_span){start, start + (uint32_t)attr.value.len});
        text_counts h = count_text(read_span(m, span));
        if (!h.len)
            continue;
        th__unit unit = {.span = span,
                         .node = m->walk.node,
                         .len = h.len,
                         .digits = h.digits,
                         .readable = h.readable,
                         .kind = TH__UNIT_ATTRIBUTE,
                         .attribute = which,
                         .slot = other ? name_slot(attr.name) : 0,
                         .text = h.key};
        add_tellers(m, &unit);
        m->failed |= !th__vec_push(&m->list, unit);
    }
}

/* Elements that hold several texts and nothing that is no phrasing: in order of their ends, each
 * after its texts; sorted by place at the end. */
static void add_elements(struct unit_maker *m)
{
    const th_page *page = m->page;
    size_t texts = m->list.len, at = 0;
    for (uint32_t n = 1; n < page->node_count && !m->failed; n++) {
        th_span span = th_page_node_span(page, n);
        if (span.end - span.start > ELEMENT_BYTES)
            continue;
        while (at < texts && m->list.data[at].span.start < span.start)
            at++;
        size_t end = at;
        while (end < texts && end <= at + ELEMENT_TEXTS && m->list.data[end].span.end <= span.end)
            end++;
        if (end < at + 2 || end > at + ELEMENT_TEXTS)
            continue;
        m->text.len = 0;
        m->failed |= !th__span_text(page, span, &m->text);
        text_counts h = count_text(th__buf_str(&m->text));
        th__unit unit = m->list.data[at];
        unit.span = (th_span){m->list.data[at].span.start, m->list.data[end - 1].span.end};
        unit.node = n;
        unit.slot = 0;
        unit.kind = TH__UNIT_ELEMENT;
        unit.attribute = 0; /* where an attribute is before its first text */
        unit.len = h.len;
        unit.digits = h.digits;
        unit.text = h.key;
        unit.tellers[TH__TOLD_BY_AFTER - 1] = m->list.data[end - 1].tellers[TH__TOLD_BY_AFTER - 1];
        m->failed |= !th__vec_push(&m->list, unit);
    }
}

/* ---- whole texts of elements -----------------------------------------------------------------
 *
 *     <h2>The Storm</h2>                 h2: one text, which is all of it
 *     <h2><b>Lost</b> Stone</h2>         h2: a unit "Lost Stone", of which "Stone" is a part
 *     <td>9 <p>a day</p></td>            td: "9" is the first text
 */

/* Among the first `count` units, which are in the order of the page. */
static void add_wholes(struct unit_maker *m, size_t count)
{
    const th_page *page = m->page;
    const uint8_t *holds = th__contents_of(&m->units->at);
    size_t at = 0;
    m->failed |= !holds;
    for (uint32_t n = 1; n < page->node_count && !m->failed; n++) {
        th_span span = th_page_node_span(page, n);
        if (holds[n] >= TH__HOLDS_NAMED || span.end - span.start > ELEMENT_BYTES)
            continue;
        while (at < count && m->list.data[at].span.start < span.start)
            at++;
        size_t first = count, last = count, texts = 0;
        for (size_t i = at;
             i < count && texts <= ELEMENT_TEXTS && m->list.data[i].span.end <= span.end; i++)
            if (m->list.data[i].kind == TH__UNIT_TEXT) {
                first = texts++ ? first : i;
                last = i;
            }
        if (texts == 1 && m->slots[n] == 1)
            m->list.data[first].share = TH__SHARE_ALL;
        /* What is all inside of a link is the link's. */
        if (!texts || texts > ELEMENT_TEXTS || (texts == 1 && m->slots[n]) ||
            (!m->slots[n] && holds[n] != TH__HOLDS_EMPHASIS))
            continue;
        for (size_t i = first; i <= last; i++)
            if (m->list.data[i].node == n)
                m->list.data[i].share = TH__SHARE_PART;
        th__unit unit = m->list.data[first];
        unit.span.end = m->list.data[last].span.end;
        m->text.len = 0;
        m->failed |= !th__span_text(page, unit.span, &m->text);
        text_counts h = count_text(th__buf_str(&m->text));
        unit.node = n;
        unit.slot = 0;
        unit.kind = TH__UNIT_WHOLE;
        unit.len = h.len;
        unit.digits = h.digits;
        unit.readable = h.readable;
        unit.text = h.key;
        unit.tellers[TH__TOLD_BY_AFTER - 1] = m->list.data[last].tellers[TH__TOLD_BY_AFTER - 1];
        m->failed |= !th__vec_push(&m->list, unit);
    }
}

static int by_place(const void *a, const void *b)
{
    const th__unit *left = a, *right = b;
    if (left->span.start != right->span.start)
        return left->span.start < right->span.start ? -1 : 1;
    return left->node != right->node ? (left->node < right->node ? -1 : 1)
                                     : (int)left->kind - (int)right->kind;
}

/* Merges the texts and attributes, the elements and the whole texts of elements, each of which are
 * in order, into the order of the page: `from` says where each begins, and `from[3]` is the end. */
static bool merge_units(struct unit_maker *m, th__arena *arena, const size_t *from)
{
    const th__unit *data = m->list.data;
    size_t next[3] = {from[0], from[1], from[2]};
    th__unit *out = th__arena_alloc(arena, (from[3] + 1) * sizeof *out);
    uint32_t *moved = th__mem_alloc((from[1] + 1) * sizeof *moved);
    bool ok = out && moved;
    for (size_t i = 0; ok && i < from[3]; i++) {
        int first = -1;
        for (int k = 0; k < 3; k++)
            if (next[k] < from[k + 1] &&
                (first < 0 || by_place(&data[next[k]], &data[next[first]]) < 0))
                first = k;
        if (!first)
            moved[next[0]] = (uint32_t)i;
        out[i] = data[next[first]++];
    }
    for (size_t i = 0; ok && i < from[3]; i++)
        for (int t = 0; t < 2; t++)
            if (out[i].teller_at[t] != TH__NO_UNIT)
                out[i].teller_at[t] = moved[out[i].teller_at[t]];
    th__mem_free(moved);
    m->units->data = out;
    return ok;
}

static bool make_units(th__arena *arena, const th_page *page, unsigned kinds, th__units *out)
{
    bool attributes = kinds & 1u << TH__UNIT_ATTRIBUTE;
    *out = (th__units){.page = page, .arena = arena};
    struct unit_maker m = {.units = out, .page = page, .walk.next = 1};
    m.caption_at = m.heading_at = TH__NO_UNIT;
    m.slots = th__arena_zero(arena, page->node_count, sizeof *m.slots);
    m.failed = !m.slots || !th__addresses_make(arena, page, &out->at);
    for (uint32_t t = 0; !m.failed && t < page->token_count; t = th__hidden_end(page, t)) {
        const th_token *token = &page->tokens[t];
        bool text = th__is_text(token);
        if (text ||
            (attributes && token->kind == TH_TOKEN_START && token->flags & TH_TOKEN_HAS_ATTRS)) {
            th__node_follow(&m.walk, page, t);
            text ? add_text(&m, t) : add_attributes(&m, t, kinds & TH__UNITS_ALL_ATTRIBUTES);
        }
    }
    size_t from[4] = {0, m.list.len};
    if (kinds & 1u << TH__UNIT_ELEMENT && !m.failed)
        add_elements(&m);
    from[2] = m.list.len;
    if (kinds & 1u << TH__UNIT_WHOLE && !m.failed)
        add_wholes(&m, from[1]);
    from[3] = m.list.len;
    out->count = (uint32_t)m.list.len;
    out->kinds = kinds;
    bool ok = !m.failed && merge_units(&m, arena, from);
    th__vec_release(&m.list);
    th__buf_release(&m.text);
    return ok;
}

/* ---- looking units up by address ------------------------------------------------------------- */

static uint64_t unit_key(th__address address, uint64_t key, th__unit_kind kind, uint8_t attribute,
                         uint32_t slot)
{
    /* A text may be all of its element: it is found by one key as either. */
    kind = kind == TH__UNIT_WHOLE ? TH__UNIT_TEXT : kind;
    slot = address == TH__ANYWHERE && kind != TH__UNIT_ATTRIBUTE ? 0 : slot;
    return th__hash_mix(key, (uint64_t)slot << 16 | (uint64_t)attribute << 8 | (uint64_t)kind);
}

bool th__units_key(th__units *units, th__address address, uint32_t unit, uint64_t *key)
{
    const th__unit *u = &units->data[unit];
    if (!th__address_of(&units->at, address, u->node, key))
        return false;
    *key = unit_key(address, *key, (th__unit_kind)u->kind, u->attribute, u->slot);
    return true;
}

bool th__path_rule_prepare(th__path_rule *rule)
{
    uint64_t key;
    if (rule->kind == TH__UNIT_ATTRIBUTE && rule->attribute == TH__UNIT_OTHER)
        rule->slot = name_slot(rule->name);
    if (!th__address_read((th__address)rule->address, rule->path, &key))
        return false;
    rule->telling = rule->teller ? th__text_key(rule->told) : 0;
    rule->key = unit_key((th__address)rule->address, key, (th__unit_kind)rule->kind,
                         rule->attribute, rule->slot);
    return true;
}

/* The lower bits of a key say in which chain a unit is, the upper ones which of the chain it is. */
static uint32_t upper(uint64_t key)
{
    return (uint32_t)(key >> 32);
}

/* By what a rule is looked up: its address; where that says nothing, the text that identifies its
 * units, since all units are at one address then. */
static uint32_t lookup_of(const th__path_rule *rule, uint64_t *key)
{
    *key = rule->key;
    if (rule->address != TH__ANYWHERE || !rule->teller)
        return rule->address;
    *key = th__hash_mix(rule->key, rule->telling);
    return TH__ADDRESSES + rule->teller - 1u;
}

/* The same of a unit; `anywhere` is the key of that address, which all elements share. False if out
 * of memory. */
static inline bool lookup_key(th__units *units, uint32_t lookup, uint64_t anywhere, uint32_t unit,
                              uint64_t *key)
{
    const th__unit *u = &units->data[unit];
    if (lookup < TH__ADDRESSES)
        return th__units_key(units, (th__address)lookup, unit, key);
    *key = th__hash_mix(
        unit_key(TH__ANYWHERE, anywhere, (th__unit_kind)u->kind, u->attribute, u->slot),
        u->tellers[lookup - TH__ADDRESSES]);
    return true;
}

/* Makes one kind of lookup ready, unless it is. False if out of memory. */
static bool index_units(th__units *units, uint32_t lookup)
{
    size_t slots = 8;
    if (units->next[lookup])
        return true;
    while (2 * slots < units->count)
        slots *= 2;
    units->mask = (uint32_t)(slots - 1);
    uint32_t *keys = th__arena_alloc(units->arena, (units->count + 1) * sizeof *keys);
    uint32_t *heads = th__arena_alloc(units->arena, slots * sizeof *heads);
    uint32_t *next = th__arena_alloc(units->arena, (units->count + 1) * sizeof *next);
    uint64_t anywhere;
    if (!keys || !heads || !next || !th__address_of(&units->at, TH__ANYWHERE, 0, &anywhere))
        return false;
    memset(heads, 0xFF, slots * sizeof *heads);
    for (uint32_t i = units->count; i-- > 0;) {
        uint64_t key;
        if (!lookup_key(units, lookup, anywhere, i, &key))
            return false;
        uint32_t *head = &heads[key & units->mask];
        keys[i] = upper(key);
        next[i] = *head;
        *head = i;
    }
    units->keys[lookup] = keys;
    units->heads[lookup] = heads;
    units->next[lookup] = next;
    return true;
}

/* Made ready for learning, which looks units up by all addresses. */
static void *make_shared(th__arena *arena, const th_page *page, const void *context)
{
    th__units *units = th__arena_zero(arena, 1, sizeof *units);
    bool ok = units && make_units(arena, page, *(const unsigned *)context, units);
    /* Rules that no value of the page may have are looked up seldom. */
    for (uint32_t a = 0; ok && a < TH__UNIT_LOOKUPS; a++)
        ok = (a == TH__BY_PROPERTY && !units->at.propertied) || a == TH__ANYWHERE ||
             a == TH__ADDRESSES + TH__TOLD_BY_HEADING - 1u ||
             a == TH__ADDRESSES + TH__TOLD_BY_AFTER - 1u || index_units(units, a);
    return ok ? units : NULL;
}

bool th__units_find(th__arena *arena, const th_page *page, unsigned kinds, bool learn,
                    th__units *out)
{
    const th__units *kept = NULL;
    kinds |= 1u << TH__UNIT_TEXT;
    if (th__page_keeps(page)) {
        kept = th__page_keep(page, TH__KEPT_UNITS, learn ? make_shared : NULL, &kinds);
        if (learn && !kept)
            return false;
    }
    if (!kept || (learn ? kept->kinds != kinds : kinds & ~kept->kinds))
        return make_units(arena, page, kinds, out);
    *out = *kept;
    out->arena = out->at.arena = arena;
    return true;
}

/* The first unit with a key, from one of its chain on; TH__NO_UNIT at the end. */
static uint32_t with_key(const th__units *units, uint32_t lookup, uint32_t key, uint32_t unit)
{
    while (unit != TH__NO_UNIT && units->keys[lookup][unit] != key)
        unit = units->next[lookup][unit];
    return unit;
}

/* ---- texts as people read them --------------------------------------------------------------- */

static bool unit_text(const th__units *units, uint32_t unit, th__buf *out)
{
    return th__span_text(units->page, units->data[unit].span, out);
}

uint32_t th__unit_teller(const th__units *units, uint32_t unit, th__teller teller)
{
    const th__unit *u = &units->data[unit];
    uint64_t hash = th__unit_telling(u, teller);
    if (teller == TH__TOLD_BY_CAPTION || teller == TH__TOLD_BY_HEADING)
        return u->teller_at[teller - TH__TOLD_BY_CAPTION];
    int step = teller == TH__TOLD_BY_AFTER ? 1 : -1;
    for (int64_t i = (int64_t)unit + step; i >= 0 && i < units->count; i += step)
        if (units->data[i].kind == TH__UNIT_TEXT && units->data[i].text == hash)
            return (uint32_t)i;
    return TH__NO_UNIT;
}

bool th__unit_teller_text(const th__units *units, uint32_t unit, th__teller teller, th__buf *out)
{
    if (teller == TH__TOLD_BY_START) {
        size_t from = out->len;
        if (!unit_text(units, unit, out))
            return false;
        th_str start = text_start((th_str){out->data + from, out->len - from});
        out->len = from + start.len;
        return true;
    }
    uint32_t at =
        teller == TH__TOLD_BY_NOTHING ? TH__NO_UNIT : th__unit_teller(units, unit, teller);
    return at == TH__NO_UNIT || unit_text(units, at, out);
}

/* ---- what a rule finds ----------------------------------------------------------------------- */

/* The folded text of a unit, which many rules cut. NULL if out of memory. */
static const th__unit_fold *fold_unit(th__units *units, uint32_t unit, th__folded *scratch)
{
    if (!units->folds)
        units->folds = th__arena_zero(units->arena, units->count + 1, sizeof *units->folds);
    if (!units->folds || units->folds[unit])
        return units->folds ? units->folds[unit] : NULL;
    th__unit_fold *fold = th__arena_alloc(units->arena, sizeof *fold);
    if (!fold || !th__page_fold(units->page, units->data[unit].span, scratch))
        return NULL;
    fold->text = th__arena_copy(units->arena, th__buf_str(&scratch->text));
    fold->start =
        th__arena_keep(units->arena, scratch->start, scratch->text.len, sizeof *fold->start);
    fold->end = th__arena_keep(units->arena, scratch->end, scratch->text.len, sizeof *fold->end);
    if (!fold->text.ptr || !fold->start || !fold->end)
        return NULL;
    return units->folds[unit] = fold;
}

static bool cut_unit(const th__path_rule *rule, th__units *units, th__folded *scratch,
                     th__path_value *value, bool *found)
{
    size_t from, to;
    *found = true;
    if (th__cut_is_whole(&rule->cut))
        return true;
    const th__unit_fold *fold = fold_unit(units, value->unit, scratch);
    *found = fold && th__cut_find(&rule->cut, fold->text, &from, &to);
    if (*found)
        value->span = (th_span){fold->start[from], fold->end[to - 1]};
    return fold;
}

/* Keeps one of the values from `first` on. */
static void pick_one(int32_t pick, size_t first, th__path_values *out)
{
    size_t count = out->len - first;
    size_t at = pick > 0 ? (size_t)pick - 1 : count - (size_t)-pick;
    if ((size_t)(pick > 0 ? pick : -pick) > count) {
        out->len = first;
        return;
    }
    out->data[first] = out->data[first + at];
    out->len = first + 1;
}

bool th__path_find(const th__path_rule *rule, th__units *units, th__folded *scratch,
                   th__path_values *out)
{
    uint64_t key;
    uint32_t lookup = lookup_of(rule, &key);
    size_t first = out->len;
    if (!index_units(units, lookup))
        return false;
    uint32_t unit = units->heads[lookup][key & units->mask];
    for (; (unit = with_key(units, lookup, upper(key), unit)) != TH__NO_UNIT;
         unit = units->next[lookup][unit]) {
        const th__unit *u = &units->data[unit];
        th__path_value value = {unit, u->span};
        bool found;
        if (!th__unit_is(u, (th__unit_kind)rule->kind) ||
            (rule->teller && th__unit_telling(u, (th__teller)rule->teller) != rule->telling))
            continue;
        if (!cut_unit(rule, units, scratch, &value, &found) || (found && !th__vec_push(out, value)))
            return false;
        if (rule->pick > 0 && out->len - first == (size_t)rule->pick)
            break;
    }
    if (rule->pick)
        pick_one(rule->pick, first, out);
    return true;
}

uint32_t th__path_beside(const th__units *units, uint32_t unit)
{
    enum { FAR = 64 }; /* units to look at either way */
    uint32_t from = unit > FAR ? unit - FAR : 0;
    uint32_t to = units->count - unit > FAR ? unit + FAR : units->count, count = 0;
    for (uint32_t i = from; i < to; i++) {
        const th__unit *u = &units->data[i];
        count += u->node == units->data[unit].node && u->kind == TH__UNIT_TEXT && u->readable;
    }
    return count;
}
