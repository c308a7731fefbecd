/*
 * lists_model.c: evidence about lists, and the score that a fitted model makes of it.
 *
 * A sample of each list's records is looked at: their links, the kinds of their values, their keys.
 *
 *  - A record made of similar parts is several records. Parts are compared by the tag paths and the
 *    kinds of their values, not by classes, which differ between odd and even rows.
 *  - A list inside the records of another one is evidence for both: either the outer records are
 *    sections or rows of cards, or the inner ones are tags, authors, offers of a record.
 *
 * Cost: for each list SAMPLE records of at most MOST_LEAVES texts and MOST_NODES elements; for each
 * two lists a binary search for each of SAMPLE records.
 */
#include "engine/lists/lists_model.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/key_map.h"
#include "base/str.h"
#include "base/vec.h"
#include "engine/lists/lists_weights.h"
#include "index/tables.h"
#include "index/tag_memo.h"
#include "page/signs.h"
#include "page/tags.h"

enum { SAMPLE = 24, MOST_LEAVES = 64, MOST_NODES = 512, MOST_PARTS = 16, MOST_LINKS = 4 };

/* ---- kinds of values ------------------------------------------------------------------------- */

enum kind { UNSEEN, WORDS, TEXT, LONG_TEXT, NUMBER, DATE, PRICE };

/* What is read of a text: runs of digits, of letters, and signs between them. */
struct reader {
    uint32_t digits, letters;
    uint32_t run;       /* digits in the run that is read, or of the last one */
    uint32_t parts;     /* runs of digits joined by `joint` so far */
    uint32_t joint;     /* the sign between them */
    uint32_t word;      /* its first three letters */
    uint32_t word_len;  /* of the word that is read, or of the last one */
    bool currency;      /* a sign of a currency is before what is read, or behind a number */
    bool month;         /* the last word was a month */
    bool number_before; /* a number is right before what is read, blanks aside */
    bool date, price;
};

static bool is_month(uint32_t word)
{
    static const char months[] = "janfebmaraprmayjunjulaugsepoctnovdec";
    for (size_t i = 0; i < sizeof months - 1; i += 3)
        if (word ==
            ((uint32_t)months[i] << 16 | (uint32_t)months[i + 1] << 8 | (uint32_t)months[i + 2]))
            return true;
    return false;
}

static bool is_currency(uint32_t code)
{
    return code == '$' || (code >= 0xA2 && code <= 0xA5) || (code >= 0x20A0 && code <= 0x20CF);
}

static void end_word(struct reader *r)
{
    if (r->word_len >= 3 && r->word_len <= 9 && is_month(r->word)) {
        r->month = true;
        r->date |= r->number_before;
    } else if (r->word_len) {
        r->month = false;
    }
    if (r->word_len)
        r->number_before = false;
    r->word_len = 0;
}

static void end_number(struct reader *r)
{
    if (!r->run)
        return;
    r->date |= r->month && r->run <= 4;
    r->date |= r->parts == 2 && r->joint != ':' && r->run <= 4;
    r->date |= r->parts == 1 && r->joint == ':' && r->run == 2;
    r->price |= r->currency;
    r->number_before = true;
    r->month = r->currency = false;
    r->run = 0;
}

static void read_char(struct reader *r, uint32_t code)
{
    if (code >= '0' && code <= '9') {
        end_word(r);
        r->run++;
        r->digits++;
        return;
    }
    if ((code | 32) >= 'a' && (code | 32) <= 'z') {
        end_number(r);
        r->parts = 0;
        if (r->word_len < 3)
            r->word = (r->word_len ? r->word << 8 : 0) | (code | 32);
        r->word_len++;
        r->letters++;
        r->currency = false;
        return;
    }
    uint32_t digits = r->run;
    end_word(r);
    end_number(r);
    if (digits && (code == '/' || code == '-' || code == '.' || code == ':')) {
        r->parts = r->parts && r->joint == code ? r->parts + 1 : 1;
        r->joint = code;
    } else {
        r->parts = 0;
    }
    if (is_currency(code)) {
        r->price |= r->number_before;
        r->currency = true;
    } else if (code > 127 && code != 0xA0) {
        r->letters++;
        r->number_before = r->currency = false;
    } else if (code != ' ' && code != 0xA0 && code != '\n' && code != '\t' && code != '.' &&
               code != ',') {
        r->number_before = false;
    }
}

static enum kind kind_of(const th_page *page, const th__leaf *leaf)
{
    enum { LOOKED = 160 };
    struct reader r = {0};
    for (uint32_t t = leaf->token, read = 0; t < leaf->token_end && read < LOOKED; t++) {
        if (page->tokens[t].kind != TH_TOKEN_TEXT)
            continue;
        th_str text = th__token_text(page, t);
        uint32_t code;
        for (size_t at = 0; at < text.len && read < LOOKED; read++) {
            at += th__char_next(text, at, &code);
            read_char(&r, code);
        }
        end_word(&r);
    }
    end_word(&r);
    end_number(&r);
    if (r.price)
        return PRICE;
    if (r.date && r.letters <= 24)
        return DATE;
    if (r.digits && r.letters <= 3 && r.letters <= r.digits)
        return NUMBER;
    return leaf->len < 32 ? WORDS : leaf->len < 120 ? TEXT : LONG_TEXT;
}

/* ---- what calls itself navigation, sidebar, filter, ..., or hides ---------------------------- */

/*
 * Words by which sites of all kinds name what is not the main list. They are words of the trade,
 * not of a site; a class or id is cut into words at anything but letters and at capitals.
 */
static const char *const aside_words[] = {
    "ad",          "ads",       "advert",          "advertisement", "autocomplete", "breadcrumb",
    "breadcrumbs", "carousel",  "country",         "dropdown",      "facet",        "facets",
    "filter",      "filters",   "flyout",          "footer",        "header",       "lang",
    "language",    "languages", "login",           "masthead",      "megamenu",     "menu",
    "modal",       "nav",       "navbar",          "navigation",    "pager",        "pagination",
    "popup",       "promo",     "recommendations", "recommended",   "refine",       "refinements",
    "related",     "share",     "sidebar",         "social",        "sponsored",    "submenu",
    "suggestions", "toolbar",   "tooltip",         "topnav",
};

/* Words before which such a word does not name the element: "no-sidebar", "page-with-menu". */
static const char *const about_words[] = {"and", "has", "have", "hide",    "in",  "is",
                                          "no",  "not", "show", "without", "with"};

static bool is_word(const char *const *words, size_t count, const char *word, size_t len)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == len &&
            th__str_eq_nocase((th_str){word, len}, th_str_from(words[i])))
            return true;
    return false;
}

/* Returns true if one of the first names is made of a word that names what is aside; names behind
 * the first few tell of states. */
static bool has_aside_word(th_str names)
{
    enum { NAMES = 4 };
    size_t start = 0, blanks = 0;
    bool about = false;
    names = th__str_trim(names);
    for (size_t i = 0; i <= names.len && blanks < NAMES; i++) {
        unsigned char c = i < names.len ? (unsigned char)names.ptr[i] : ' ';
        bool letter = th__is_alpha(c);
        bool capital = letter && c < 'a' && i && (unsigned char)names.ptr[i - 1] >= 'a' &&
                       th__is_alpha((unsigned char)names.ptr[i - 1]);
        if (letter && !capital)
            continue;
        const char *word = names.ptr + start;
        size_t len = i - start;
        if (len > 1 && is_word(about_words, sizeof about_words / sizeof *about_words, word, len))
            about = true;
        else if (len > 1 && !about &&
                 is_word(aside_words, sizeof aside_words / sizeof *aside_words, word, len))
            return true;
        if (c == ' ') {
            blanks++;
            about = false;
        }
        start = letter ? i : i + 1;
    }
    return false;
}

/* Returns true if a style says that an element is not shown. */
static bool is_hidden(th_str style)
{
    const th_str display = TH_STR("display");
    for (size_t at = 0; at + display.len < style.len; at++) {
        th_str rest = {style.ptr + at, style.len - at};
        if (!th__str_starts_nocase(rest, display))
            continue;
        rest = th__str_trim((th_str){rest.ptr + display.len, rest.len - display.len});
        if (rest.len && rest.ptr[0] == ':')
            return th__str_starts_nocase(th__str_trim((th_str){rest.ptr + 1, rest.len - 1}),
                                         TH_STR("none"));
    }
    return false;
}

enum { ASIDE_WORD = 1, ASIDE_TAG = 2, ASIDE_HIDDEN = 4, ASIDE_KNOWN = 8 };

static uint8_t find_own_aside(const th_page *page, uint32_t node)
{
    uint32_t token = page->nodes[node].token;
    uint8_t aside = 0;
    th_attr attr;
    switch (page->tags[node]) {
    case TH_TAG_HTML:
    case TH_TAG_BODY:
        return 0; /* their classes speak of the whole page */
    case TH_TAG_NAV:
    case TH_TAG_FOOTER:
    case TH_TAG_HEADER:
    case TH_TAG_ASIDE:
    case TH_TAG_SELECT:
        aside = ASIDE_TAG;
        break;
    default:
        break;
    }
    if (!(page->tokens[token].flags & TH_TOKEN_HAS_ATTRS))
        return aside;
    for (th_attr_iter it = th_attrs(page, token); th_attr_next(&it, &attr);) {
        if (th__str_eq_nocase(attr.name, TH_STR("class")) ||
            th__str_eq_nocase(attr.name, TH_STR("id")))
            aside |= has_aside_word(attr.value) ? ASIDE_WORD : 0;
        else if (th__str_eq_nocase(attr.name, TH_STR("hidden")))
            aside |= ASIDE_HIDDEN;
        else if (th__str_eq_nocase(attr.name, TH_STR("style")))
            aside |= is_hidden(attr.value) ? ASIDE_HIDDEN : 0;
    }
    return aside;
}

/* ---- the evidence of one list ---------------------------------------------------------------- */

struct field {
    uint32_t count, distinct, record;
};

/* What is known of a sampled record. */
struct record {
    uint64_t keys[MOST_LEAVES], types[MOST_LEAVES]; /* sorted */
    uint32_t leaves;
};

struct weigher {
    const th__view *view;
    uint8_t *kinds;  /* by leaf */
    uint8_t *asides; /* by node: with those above it */
    th__key_map numbers, values, links;
    TH__VEC(struct field) fields;
    struct record records[3]; /* the one at hand and the two before it */
    bool failed;
};

static enum kind kind_at(struct weigher *w, uint32_t leaf)
{
    if (w->kinds[leaf] == UNSEEN)
        w->kinds[leaf] = (uint8_t)kind_of(w->view->page, &w->view->leaves.data[leaf]);
    return (enum kind)w->kinds[leaf];
}

static uint8_t aside_at(struct weigher *w, uint32_t node)
{
    uint32_t chain[64], depth = 0, n = node;
    uint8_t aside = 0;
    while (n && !w->asides[n] && depth < 64) {
        chain[depth++] = n;
        n = w->view->page->nodes[n].parent;
    }
    aside = n ? w->asides[n] : 0;
    while (depth-- > 0) {
        const th_node *at = &w->view->page->nodes[chain[depth]];
        uint64_t leaves = w->view->leaves.before[at->token_end] - w->view->leaves.before[at->token];
        uint8_t own = find_own_aside(w->view->page, chain[depth]);
        if (10 * leaves <= 9 * (uint64_t)w->view->leaves.count)
            aside |= own; /* else it has nearly all texts, whatever it calls itself */
        aside |= ASIDE_KNOWN;
        w->asides[chain[depth]] = aside;
    }
    return aside;
}

/* The type of a leaf: its tag path and the kind of its value. */
static uint64_t type_at(struct weigher *w, uint32_t leaf)
{
    const th__leaf *l = &w->view->leaves.data[leaf];
    return (uint64_t)w->view->page->nodes[l->node].path << 4 | (uint64_t)kind_at(w, leaf);
}

static void sort_keys(uint64_t *keys, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        uint32_t j = i;
        for (; j && keys[j - 1] > key; j--)
            keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

/* Twice what two sorted rows have in common against what they have. */
static float dice(const uint64_t *a, uint32_t a_count, const uint64_t *b, uint32_t b_count)
{
    uint32_t common = 0;
    for (uint32_t i = 0, j = 0; i < a_count && j < b_count;) {
        common += a[i] == b[j];
        bool less = a[i] < b[j], more = b[j] < a[i];
        i += !more;
        j += !less;
    }
    return a_count + b_count ? 2.0F * (float)common / (float)(a_count + b_count) : 0;
}

/* What is summed up over the sampled records. */
struct sums {
    uint32_t looked, filled;
    float link, linked, only_link, date, price, number, heading, image, control;
    float leaves, bytes, bytes2, link_bytes, longest, repeats;
    float like, like_tags, other_like, self, self_rich;
    uint32_t pairs, others, selves;
    float aside, aside_tag, hidden;
};

/* Adds the texts of an extent to the record at hand. */
static void add_leaves(struct weigher *w, const th__extent *at, struct record *r, uint32_t number,
                       struct sums *s, uint32_t *bytes, uint32_t *linked, uint32_t *longest,
                       uint32_t *kinds)
{
    const th__leaves *leaves = &w->view->leaves;
    uint32_t leaf = leaves->before[at->token], end = leaves->before[at->token_end];
    uint32_t top = at->first;
    for (; leaf < end && r->leaves < MOST_LEAVES; leaf++) {
        const th__leaf *l = &leaves->data[leaf];
        if (at->first == at->last && l->node < at->first)
            continue; /* text of an element around the record that begins here */
        uint64_t key = th__extent_key(w->view, at, l->node, &top);
        uint32_t field = th__key_map_number(&w->numbers, key);
        if (!field || (field > w->fields.len && !th__vec_push(&w->fields, (struct field){0}))) {
            w->failed = true;
            return;
        }
        struct field *f = &w->fields.data[field - 1];
        if (f->record == number + 1) {
            s->repeats++;
        } else {
            uint32_t before = w->values.count;
            w->failed |= !th__key_map_number(&w->values, th__hash_mix(key, l->hash));
            f->count++;
            f->distinct += w->values.count > before;
            f->record = number + 1;
        }
        *kinds |= 1U << kind_at(w, leaf);
        *bytes += l->len;
        *linked += l->linked ? l->len : 0;
        *longest = l->len > *longest ? l->len : *longest;
        r->keys[r->leaves] = key;
        r->types[r->leaves++] = type_at(w, leaf);
    }
}

/* What elements of a record there are. */
struct elements {
    uint32_t links, own_links;
    bool heading, image, control;
};

static void add_elements(struct weigher *w, const th__extent *at, uint32_t number,
                         struct elements *e)
{
    const th_page *page = w->view->page;
    uint32_t end = page->nodes[at->last].end, most = at->first + MOST_NODES;
    for (uint32_t n = at->first; n < end && n < most; n++) {
        th_str href;
        switch (page->tags[n]) {
        case TH_TAG_A:
            if (e->links >= MOST_LINKS || !th_attr_get(page, page->nodes[n].token, "href", &href) ||
                !href.len || href.ptr[0] == '#')
                break;
            e->links++;
            {
                uint64_t hash = th__hash(href.ptr, href.len);
                uint32_t seen = th__key_map_get(&w->links, hash);
                if (!seen)
                    w->failed |= !th__key_map_put(&w->links, hash, number + 1);
                e->own_links += !seen || seen == number + 1;
            }
            break;
        case TH_TAG_IMG:
            e->image = true;
            break;
        case TH_TAG_H1:
        case TH_TAG_H2:
        case TH_TAG_H3:
        case TH_TAG_H4:
        case TH_TAG_H5:
        case TH_TAG_H6:
            e->heading = true;
            break;
        case TH_TAG_INPUT:
        case TH_TAG_SELECT:
        case TH_TAG_TEXTAREA:
        case TH_TAG_LABEL:
            e->control = true;
            break;
        default:
            break;
        }
    }
}

static uint32_t leaves_in(const th__view *view, uint32_t node)
{
    const th_node *n = &view->page->nodes[node];
    return view->leaves.before[n->token_end] - view->leaves.before[n->token];
}

/* The parts of a record: the elements of a run; of a single element its children, below the first
 * element that has several with text. Returns how many; each has its types sorted. */
struct parts {
    uint64_t types[MOST_PARTS][MOST_LEAVES];
    uint32_t leaves[MOST_PARTS];
    uint32_t count;
};

static void add_part(struct weigher *w, uint32_t node, struct parts *p)
{
    const th_node *n = &w->view->page->nodes[node];
    uint32_t leaf = w->view->leaves.before[n->token], end = w->view->leaves.before[n->token_end];
    if (leaf == end || p->count == MOST_PARTS)
        return;
    uint32_t count = 0;
    for (; leaf < end && count < MOST_LEAVES; leaf++)
        p->types[p->count][count++] = type_at(w, leaf);
    sort_keys(p->types[p->count], count);
    p->leaves[p->count++] = count;
}

static void find_parts(struct weigher *w, const th__extent *at, struct parts *p)
{
    const th_node *nodes = w->view->page->nodes;
    p->count = 0;
    uint32_t from = at->first, end = nodes[at->last].end;
    if (at->first == at->last) {
        uint32_t top = at->first, all = leaves_in(w->view, top);
        for (;;) {
            uint32_t alone = 0;
            for (uint32_t c = top + 1; c < nodes[top].end; c = nodes[c].end)
                if (leaves_in(w->view, c) == all)
                    alone = c;
            if (!alone)
                break;
            top = alone;
        }
        from = top + 1;
        end = nodes[top].end;
    }
    for (uint32_t c = from; c < end; c = nodes[c].end)
        add_part(w, c, p);
}

/* How alike parts are that are one, two or three apart, at the best; `rich` is the same where so
 * many parts together have several texts. */
static void compare_parts(const struct parts *p, float *self, float *rich)
{
    *self = *rich = 0;
    for (uint32_t step = 1; step <= 3 && 2 * step <= p->count; step++) {
        float sum = 0, sum_rich = 0;
        uint32_t pairs = 0;
        for (uint32_t i = 0; i + step < p->count; i++, pairs++) {
            float like = dice(p->types[i], p->leaves[i], p->types[i + step], p->leaves[i + step]);
            uint32_t leaves = 0;
            for (uint32_t k = 0; k < step; k++)
                leaves += p->leaves[i + k];
            sum += like;
            sum_rich += leaves >= 2 ? like : 0;
        }
        *self = fmaxf(*self, sum / (float)pairs);
        *rich = fmaxf(*rich, sum_rich / (float)pairs);
    }
}

static void look_at_record(struct weigher *w, const th__extents *list, uint32_t index,
                           struct sums *s)
{
    struct record *r = &w->records[s->looked % 3];
    struct elements e = {0};
    uint32_t bytes = 0, linked = 0, longest = 0, kinds = 0;
    uint32_t number = s->looked, end = th__extents_first(list, index + 1);
    r->leaves = 0;
    for (uint32_t i = th__extents_first(list, index); i < end; i++) {
        add_leaves(w, &list->data[i], r, number, s, &bytes, &linked, &longest, &kinds);
        add_elements(w, &list->data[i], number, &e);
    }
    sort_keys(r->keys, r->leaves);
    sort_keys(r->types, r->leaves);
    const th__extent *first = &list->data[th__extents_first(list, index)];
    uint8_t aside = aside_at(w, first->first);
    s->looked++;
    s->filled += r->leaves > 0;
    s->link += e.own_links > 0;
    s->linked += e.links > 0;
    s->only_link += r->leaves == 1 && linked;
    s->date += (kinds >> DATE) & 1;
    s->price += (kinds >> PRICE) & 1;
    s->number += (kinds >> NUMBER) & 1;
    s->heading += e.heading;
    s->image += e.image;
    s->control += e.control;
    s->leaves += (float)r->leaves;
    s->bytes += (float)bytes;
    s->bytes2 += (float)bytes * (float)bytes;
    s->link_bytes += (float)linked;
    s->longest += log2f(1 + (float)longest);
    s->aside += (aside & ASIDE_WORD) > 0;
    s->aside_tag += (aside & ASIDE_TAG) > 0;
    s->hidden += (aside & ASIDE_HIDDEN) > 0;
    struct parts parts;
    find_parts(w, first, &parts);
    if (parts.count >= 2) {
        float self, rich;
        compare_parts(&parts, &self, &rich);
        s->self += self;
        s->self_rich += rich;
    }
}

static void compare_neighbours(struct weigher *w, struct sums *s, bool next)
{
    if (s->looked >= 2 && next) {
        const struct record *a = &w->records[(s->looked - 1) % 3],
                            *b = &w->records[(s->looked + 1) % 3];
        s->like += dice(a->keys, a->leaves, b->keys, b->leaves);
        s->like_tags += dice(a->types, a->leaves, b->types, b->leaves);
        s->pairs++;
        if (s->looked >= 3) {
            const struct record *c = &w->records[s->looked % 3];
            s->other_like += dice(a->types, a->leaves, c->types, c->leaves);
            s->others++;
        }
    }
}

/* Fields that at least half of the records have. */
static void sum_fields(const struct weigher *w, const struct sums *s, th__lists_evidence *out)
{
    float differ = 0;
    uint32_t common = 0;
    for (size_t i = 0; i < w->fields.len; i++) {
        const struct field *f = &w->fields.data[i];
        if (2 * f->count < s->filled || f->count < 2)
            continue;
        common++;
        differ += (float)(f->distinct - 1) / (float)(f->count - 1);
    }
    out->fields = log2f(1 + (float)common);
    out->differ = common ? differ / (float)common : 0;
}

static void weigh_place(const th__view *view, const th__lists_region *region,
                        th__lists_evidence *out)
{
    const th_page *page = view->page;
    const th__extents *list = &region->list;
    uint32_t extents = th__extents_first(list, list->count), parents = 0, parent = UINT32_MAX;
    uint32_t start = UINT32_MAX, end = 0, inside = 0, rows = 0;
    for (uint32_t i = 0; i < extents; i++) {
        const th__extent *at = &list->data[i];
        start = at->token < start ? at->token : start;
        end = at->token_end > end ? at->token_end : end;
        inside += view->leaves.before[at->token_end] - view->leaves.before[at->token];
        parents += page->nodes[at->first].parent != parent;
        parent = page->nodes[at->first].parent;
        const th__table_row *row = view->tables ? th__table_row_of(view, at->first) : NULL;
        rows += row && view->tables->tables[row->table].header;
    }
    uint32_t spanned = view->leaves.before[end] - view->leaves.before[start];
    uint32_t all = view->leaves.count ? view->leaves.count : 1;
    out->gap = spanned > inside ? 1 - (float)inside / (float)spanned : 0;
    out->start = (float)view->leaves.before[start] / (float)all;
    out->parents = log2f((float)(parents ? parents : 1));
    out->data_row = extents ? (float)rows / (float)extents : 0;
}

static void weigh_tag(const th_page *page, const th__lists_region *region, th__lists_evidence *out)
{
    uint16_t tag = page->tags[region->list.data[0].first];
    out->runs = region->head && !region->parts;
    out->grid = region->parts > 0;
    out->regular = region->regular;
    if (out->runs > 0 || out->grid > 0)
        return;
    switch (tag) {
    case TH_TAG_TR:
        out->row = 1;
        break;
    case TH_TAG_TD:
    case TH_TAG_TH:
        out->cell = 1;
        break;
    case TH_TAG_LI:
        out->item = 1;
        break;
    case TH_TAG_P:
    case TH_TAG_H1:
    case TH_TAG_H2:
    case TH_TAG_H3:
    case TH_TAG_H4:
    case TH_TAG_H5:
    case TH_TAG_H6:
    case TH_TAG_DT:
    case TH_TAG_DD:
        out->phrase = 1;
        break;
    case TH_TAG_TABLE:
    case TH_TAG_TBODY:
    case TH_TAG_UL:
    case TH_TAG_OL:
    case TH_TAG_DL:
    case TH_TAG_SECTION:
    case TH_TAG_FORM:
        out->block = 1;
        break;
    default:
        out->phrase = (th__tag_flags(tag) & TH_TAG_IS_INLINE) ? 1 : 0;
        break;
    }
}

static bool weigh_one(struct weigher *w, const th__lists_region *region, double best,
                      th__lists_evidence *out)
{
    const th__extents *list = &region->list;
    struct sums s = {0};
    uint32_t last = UINT32_MAX;
    *out = (th__lists_evidence){0};
    th__key_map_clear(&w->numbers);
    th__key_map_clear(&w->values);
    th__key_map_clear(&w->links);
    w->fields.len = 0;
    uint32_t block = list->count <= SAMPLE ? list->count : 4;
    uint32_t step = list->count <= SAMPLE ? list->count : list->count / (SAMPLE / 4);
    for (uint32_t from = 0; from < list->count && s.looked < SAMPLE; from += step)
        for (uint32_t i = from; i < from + block && i < list->count; i++) {
            look_at_record(w, list, i, &s);
            compare_neighbours(w, &s, last + 1 == i);
            last = i;
        }
    float n = (float)s.looked, filled = s.filled ? (float)s.filled : 1;
    out->tells = region->score > 0 ? (float)log(region->score / best) : -10;
    out->one = 1;
    out->count = log2f(1 + (float)list->count);
    out->few = list->count <= 2;
    out->link = s.link / n;
    out->linked = s.linked / n;
    out->link_text = s.bytes > 0 ? s.link_bytes / s.bytes : 0;
    out->only_link = s.only_link / n;
    out->date = s.date / n;
    out->price = s.price / n;
    out->number = s.number / n;
    out->heading = s.heading / n;
    out->image = s.image / n;
    out->control = s.control / n;
    out->leaves = log2f(1 + s.leaves / filled);
    out->many = fmaxf(0, out->leaves - 4);
    out->text = log2f(1 + s.bytes / filled);
    out->longest = s.longest / n;
    float mean = s.bytes / filled, spread = s.bytes2 / filled - mean * mean;
    out->uneven = mean > 0 && spread > 0 ? sqrtf(spread) / mean : 0;
    out->repeat = s.leaves > 0 ? s.repeats / s.leaves : 0;
    out->like = s.pairs ? s.like / (float)s.pairs : 0;
    out->like_tags = s.pairs ? s.like_tags / (float)s.pairs : 0;
    out->other_like = s.others ? fmaxf(0, s.other_like / (float)s.others - out->like_tags) : 0;
    out->self = s.self / n;
    out->self_rich = s.self_rich / n;
    out->aside = s.aside / n;
    out->aside_tag = s.aside_tag / n;
    out->hidden = s.hidden / n;
    out->empty = 1 - (float)s.filled / n;
    sum_fields(w, &s, out);
    weigh_place(w->view, region, out);
    weigh_tag(w->view->page, region, out);
    return !w->failed;
}

/* ---- lists in lists -------------------------------------------------------------------------- */

/* How many records of a list begin before a token. */
static uint32_t records_before(const th__extents *list, uint32_t token)
{
    return (uint32_t)th__count_first(
        i, list->count, list->data[th__extents_first(list, (uint32_t)i)].token < token);
}

/* Adds to the evidence of both what the records of one hold of the other. */
static void relate(const th__view *view, const th__lists_region *regions,
                   th__lists_evidence *evidence, uint32_t outer, uint32_t inner)
{
    const th__extents *o = &regions[outer].list, *in = &regions[inner].list;
    const uint32_t *before = view->leaves.before;
    if (in->count <= o->count || in->first)
        return;
    uint32_t looked = 0, several = 0, held = 0, texts = 0, inside = 0, first = 0, same = 0;
    uint32_t step = o->count / SAMPLE + 1;
    for (uint32_t i = 0; i < o->count; i += step, looked++) {
        const th__extent *at = &o->data[th__extents_first(o, i)];
        uint32_t from = records_before(in, at->token), to = records_before(in, at->token_end);
        if (from < to && in->data[to - 1].token_end > at->token_end)
            to--;
        several += to - from >= 2;
        first = looked ? first : to - from;
        same += to - from == first;
        held += to - from;
        texts += before[at->token_end] - before[at->token];
        for (uint32_t k = from; k < to; k++)
            inside += before[in->data[k].token_end] - before[in->data[k].token];
    }
    if (2 * several < looked || !texts)
        return;
    float share = (float)inside / (float)texts;
    float per = log2f((float)held / (float)looked),
          own = log2f(1 + (float)(texts - inside) / (float)looked);
    th__lists_evidence *a = &evidence[outer], *b = &evidence[inner];
    if (share > a->outer) {
        a->outer = share;
        a->outer_count = per;
        a->outer_link = b->link;
        a->outer_like = b->like_tags;
        a->outer_fields = b->fields;
        a->outer_own = own;
        a->outer_same = (float)same / (float)looked;
    }
    if (share > b->inner) {
        b->inner = share;
        b->inner_count = per;
        b->inner_link = a->link;
        b->inner_like = a->like_tags;
        b->inner_fields = a->fields;
        b->inner_own = own;
        b->inner_same = (float)same / (float)looked;
        b->inner_records = a->count;
    }
}

static float text_share(const th__view *view, const th__extents *list, float all)
{
    float bytes = 0;
    for (uint32_t i = 0; i < th__extents_first(list, list->count); i++)
        for (uint32_t l = view->leaves.before[list->data[i].token];
             l < view->leaves.before[list->data[i].token_end]; l++)
            bytes += (float)view->leaves.data[l].len;
    return all > 0 ? bytes / all : 0;
}

bool th__lists_weigh(const th__view *view, const th__lists_region *regions, uint32_t count,
                     th__lists_evidence *out)
{
    th__arena arena;
    th__arena_init(&arena);
    struct weigher w = {.view = view};
    w.kinds = th__arena_zero(&arena, view->leaves.count + 1, 1);
    w.asides = th__arena_zero(&arena, view->page->node_count, 1);
    bool ok = w.kinds && w.asides;
    double best = 0;
    float all = 0;
    for (uint32_t l = 0; l < view->leaves.count; l++)
        all += (float)view->leaves.data[l].len;
    for (uint32_t i = 0; i < count; i++)
        best = fmax(best, regions[i].score);
    for (uint32_t i = 0; ok && i < count; i++) {
        ok = weigh_one(&w, &regions[i], best, &out[i]);
        out[i].cover = text_share(view, &regions[i].list, all);
    }
    for (uint32_t i = 0; ok && i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            if (i != j)
                relate(view, regions, out, i, j);
    th__vec_release(&w.fields);
    th__key_map_release(&w.numbers);
    th__key_map_release(&w.values);
    th__key_map_release(&w.links);
    th__arena_release(&arena);
    return ok;
}

/* ---- the model ------------------------------------------------------------------------------- */

#define WEIGHT(name, weight) .name = weight,
static const th__lists_evidence built_in = {TH__LISTS_WEIGHTS(WEIGHT)};

void th__lists_score(const th__lists_evidence *weights, const th__lists_evidence *evidence,
                     th__lists_region *regions, uint32_t count)
{
    float by[TH__LISTS_FEATURES], of[TH__LISTS_FEATURES];
    memcpy(by, weights ? weights : &built_in, sizeof by);
    for (uint32_t i = 0; i < count; i++) {
        double sum = 0;
        memcpy(of, &evidence[i], sizeof of);
        for (size_t k = 0; k < TH__LISTS_FEATURES; k++)
            sum += (double)(by[k] * of[k]);
        regions[i].score = exp(sum);
    }
}
