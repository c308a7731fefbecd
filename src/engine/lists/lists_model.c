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
#include "index/view.h"
#include "page/attrs.h"
#include "page/signs.h"
#include "page/tags.h"

enum {
    SAMPLE = 16, /* records of a list that are looked at, in blocks of neighbours */
    BLOCK = 4,
    COMPARED = 8, /* of them have their parts compared; so many of another list's are searched */
    MOST_LEAVES = 48, /* of a record */
    MOST_NODES = 256,
    MOST_LINKS = 4,
    MOST_PARTS = 12
};

/* ---- kinds of values ------------------------------------------------------------------------- */

enum value_kind { UNSEEN, WORDS, TEXT, LONG_TEXT, NUMBER, DATE, PRICE };

/* What is read of a text: runs of digits, of letters, and signs between them. */
struct value_reader {
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

static void end_word(struct value_reader *r)
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

static void end_number(struct value_reader *r)
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

static void read_char(struct value_reader *r, uint32_t code)
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

enum { SHORT = 40, LONG = 120 }; /* bytes: the longest that may be a date, ...; long texts */

static enum value_kind kind_of(const th_page *page, const th__leaf *leaf)
{
    struct value_reader r = {0};
    if (leaf->len > SHORT) /* a date in a sentence is not a value */
        return leaf->len < LONG ? TEXT : LONG_TEXT;
    th_span span = th__leaf_span(page, leaf);
    while (span.start < span.end && !th__is_digit((unsigned char)page->text.ptr[span.start]))
        span.start++;
    if (span.start == span.end)
        return WORDS; /* the others have digits */
    for (uint32_t t = leaf->token; t < leaf->token_end; t++) {
        if (page->tokens[t].kind != TH_TOKEN_TEXT)
            continue;
        th_str text = th__token_text(page, t);
        uint32_t code;
        for (size_t at = 0; at < text.len;) {
            code = (unsigned char)text.ptr[at];
            at += code < 0x80 && code != '&' ? 1 : th__char_next(text, at, &code);
            read_char(&r, code);
        }
        end_word(&r);
    }
    end_word(&r);
    end_number(&r);
    if (r.price)
        return PRICE;
    if (r.date)
        return DATE;
    if (r.digits && r.letters <= 3 && r.letters <= r.digits)
        return NUMBER;
    return WORDS;
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
static const char *const about_words[] = {"and", "has", "have", "hide", "in",     "is",
                                          "no",  "not", "show", "with", "without"};

/* Words, and for each letter the lengths of those that begin and end with it, as bits: nearly all
 * names have none of them. */
struct words {
    const char *const *words;
    size_t count;
    uint32_t begin[26], end[26];
};

static struct words set_of(const char *const *words, size_t count)
{
    struct words set = {.words = words, .count = count};
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(words[i]);
        set.begin[words[i][0] - 'a'] |= 1U << len;
        set.end[words[i][len - 1] - 'a'] |= 1U << len;
    }
    return set;
}

/* Returns true if letters are one of the words. */
static bool is_word(const struct words *set, const char *word, size_t len)
{
    if (!len || len > 31 ||
        !((set->begin[(word[0] | 32) - 'a'] & set->end[(word[len - 1] | 32) - 'a']) >> len & 1))
        return false;
    return th__str_listed((th_str){word, len}, set->words, set->count);
}

/* Returns true if one of the first names is made of a word that names what is aside; names behind
 * the first few tell of states. */
static bool has_aside_word(th_str names, const struct words *aside, const struct words *about)
{
    enum { NAMES = 4 };
    size_t start = 0, blanks = 0;
    bool denied = false;
    names = th__str_trim(names);
    for (size_t i = 0; i <= names.len && blanks < NAMES; i++) {
        unsigned char c = i < names.len ? (unsigned char)names.ptr[i] : ' ';
        bool letter = th__is_alpha(c);
        bool capital = letter && c < 'a' && i && (unsigned char)names.ptr[i - 1] >= 'a' &&
                       th__is_alpha((unsigned char)names.ptr[i - 1]);
        if (letter && !capital)
            continue;
        const char *word = th__str_slice(names, start, i).ptr;
        size_t len = i - start;
        if (is_word(about, word, len))
            denied = true;
        else if (!denied && is_word(aside, word, len))
            return true;
        if (c == ' ') {
            blanks++;
            denied = false;
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

/* How far an element, with those above it, says that it is aside, hidden: 0 to ASIDE_FULL. */
typedef struct surroundings {
    uint8_t word, tag, hidden;
    bool main, known;
} surroundings;

enum { ASIDE_FULL = 255 };

/* ---- the evidence of one list ---------------------------------------------------------------- */

struct common_field {
    uint32_t count, distinct, record;
};

/* What is known of a sampled record. */
struct record {
    uint64_t keys[MOST_LEAVES]; /* of its texts, rising */
    uint64_t sequence;          /* hash of the keys as they come */
    uint32_t leaves, bytes, linked, longest;
    uint32_t kinds; /* a bit for each that one of its texts has */
    uint32_t links, own_links;
    bool heading, control;
};

struct weigher {
    const th__view *view;
    uint8_t *kinds;       /* by leaf */
    surroundings *asides; /* by node: with those above it */
    th__key_map numbers, values, links;
    TH__VEC(struct common_field) fields;
    struct record records[2]; /* the one at hand and the one before it */
    uint32_t *bytes;          /* by leaf, and one more: of texts before it */
    uint64_t *targets;        /* by node: hash of its link; 0: not looked at */
    struct words aside, about;
    bool failed;
};

static enum value_kind kind_at(struct weigher *w, uint32_t leaf)
{
    if (w->kinds[leaf] == UNSEEN)
        w->kinds[leaf] = (uint8_t)kind_of(w->view->page, &w->view->leaves.data[leaf]);
    return (enum value_kind)w->kinds[leaf];
}

static surroundings find_own_aside(const struct weigher *w, uint32_t node, uint8_t full)
{
    const th_page *page = w->view->page;
    uint32_t token = page->nodes[node].token;
    uint16_t tag = page->tags[node];
    surroundings own = {0};
    th_attr attr;
    if (tag == TH_TAG_HTML || tag == TH_TAG_BODY)
        return own; /* their classes speak of the whole page */
    own.tag = tag == TH_TAG_NAV || tag == TH_TAG_FOOTER || tag == TH_TAG_HEADER ||
                      tag == TH_TAG_ASIDE || tag == TH_TAG_SELECT
                  ? full
                  : 0;
    own.main = tag == TH_TAG_MAIN;
    if (!(page->tokens[token].flags & TH_TOKEN_HAS_ATTRS))
        return own;
    for (th__attr_walk it = th__attrs(page, token); th__attr_next(&it, &attr);) {
        if (th__str_eq_nocase(attr.name, TH_STR("class")) ||
            th__str_eq_nocase(attr.name, TH_STR("id")))
            own.word = has_aside_word(attr.value, &w->aside, &w->about) ? full : own.word;
        else if (th__str_eq_nocase(attr.name, TH_STR("role")))
            own.main |= th__str_eq_nocase(attr.value, TH_STR("main"));
        else if (th__str_eq_nocase(attr.name, TH_STR("hidden")))
            own.hidden = full;
        else if (th__str_eq_nocase(attr.name, TH_STR("style")))
            own.hidden = is_hidden(attr.value) ? full : own.hidden;
    }
    return own;
}

/* What an element and those above it say. An element that has much of the page's text is less
 * aside, whatever it calls itself: nearly all of it may be in a div.nav-page. */
static surroundings aside_at(struct weigher *w, uint32_t node)
{
    enum { MOST = 64 }; /* elements above that have not been asked yet */
    uint32_t chain[MOST], depth = 0, n = node, all = w->view->leaves.count;
    while (n && !w->asides[n].known && depth < MOST) {
        chain[depth++] = n;
        n = w->view->page->nodes[n].parent;
    }
    surroundings at = w->asides[n];
    while (depth-- > 0) {
        uint64_t others = all - th__leaves_in(w->view, chain[depth]);
        uint8_t full = all ? (uint8_t)(others * ASIDE_FULL / all) : 0;
        surroundings own = find_own_aside(w, chain[depth], full);
        at.word = own.word > at.word ? own.word : at.word;
        at.tag = own.tag > at.tag ? own.tag : at.tag;
        at.hidden = own.hidden > at.hidden ? own.hidden : at.hidden;
        at.main |= own.main;
        at.known = true;
        w->asides[chain[depth]] = at;
    }
    return at;
}

/* The type of a leaf: its tag path and the kind of its value. */
static uint64_t type_at(struct weigher *w, uint32_t leaf)
{
    const th__leaf *l = &w->view->leaves.data[leaf];
    return (uint64_t)w->view->page->nodes[l->node].path << 4 | (uint64_t)kind_at(w, leaf);
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
    uint32_t looked, filled, pairs, compared;
    float link, linked, date, price, number, heading, control;
    float leaves, bytes, squares, linked_bytes, longest, like, self;
    float aside, aside_tag, hidden, main, some;
};

static void add_field(struct weigher *w, uint64_t key, uint64_t value, uint32_t number)
{
    uint32_t field = th__key_map_number(&w->numbers, key), before = w->values.count;
    if (!field || (field > w->fields.len && !th__vec_push(&w->fields, (struct common_field){0})) ||
        !th__key_map_number(&w->values, th__hash_mix(key, value))) {
        w->failed = true;
        return;
    }
    struct common_field *f = &w->fields.data[field - 1];
    if (f->record == number + 1)
        return; /* the key came before in the record */
    f->count++;
    f->distinct += w->values.count > before;
    f->record = number + 1;
}

/* Adds the texts of an extent to the record at hand. */
static void add_leaves(struct weigher *w, const th__extent *at, uint32_t number, struct record *r)
{
    const th__leaves *leaves = &w->view->leaves;
    uint32_t leaf = leaves->before[at->token], end = leaves->before[at->token_end];
    uint32_t top = at->first;
    for (; leaf < end && r->leaves < MOST_LEAVES; leaf++) {
        const th__leaf *l = &leaves->data[leaf];
        if (at->first == at->last && l->node < at->first)
            continue; /* text of an element around the record that begins here */
        uint64_t key = th__extent_key(w->view, at, l->node, &top);
        add_field(w, key, l->hash, number);
        r->keys[r->leaves++] = key;
        r->sequence = th__hash_mix(r->sequence, key);
        r->kinds |= 1U << kind_at(w, leaf);
        r->bytes += l->len;
        r->linked += l->linked ? l->len : 0;
        r->longest = l->len > r->longest ? l->len : r->longest;
    }
}

#define NO_TARGET UINT64_C(2) /* the hashes of others are odd */

/* A link is the record's own unless another record has the same. */
static void add_link(struct weigher *w, uint32_t node, uint32_t number, struct record *r)
{
    const th_page *page = w->view->page;
    uint64_t hash = w->targets[node];
    th_str href;
    if (r->links >= MOST_LINKS)
        return;
    if (!hash) {
        bool has = th__attr_get(page, page->nodes[node].token, TH_STR("href"), &href) && href.len &&
                   href.ptr[0] != '#';
        w->targets[node] = hash = has ? th__hash(href.ptr, href.len) | 1 : NO_TARGET;
    }
    if (hash == NO_TARGET)
        return;
    uint32_t seen = th__key_map_get(&w->links, hash);
    w->failed |= !seen && !th__key_map_put(&w->links, hash, number + 1);
    r->links++;
    r->own_links += !seen || seen == number + 1;
}

static void add_elements(struct weigher *w, const th__extent *at, uint32_t number, struct record *r)
{
    const th_page *page = w->view->page;
    uint32_t end = page->nodes[at->last].end, most = at->first + MOST_NODES, flags = 0;
    bool control = false;
    for (uint32_t n = at->first; n < end && n < most; n++) {
        uint16_t tag = page->tags[n];
        th_str type;
        flags |= th__tag_flags(tag);
        control |= tag == TH_TAG_SELECT || tag == TH_TAG_TEXTAREA;
        if (tag == TH_TAG_A)
            add_link(w, n, number, r);
        else if (tag == TH_TAG_INPUT)
            control |= !th_attr_get(page, page->nodes[n].token, "type", &type) ||
                       !th__str_eq_nocase(type, TH_STR("hidden"));
    }
    r->heading |= (flags & TH_TAG_IS_HEADING) > 0;
    r->control |= control;
}

/* The parts of a record: the elements of a run; of a single element its children, below the first
 * element that has several with text. Types are sorted. */
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
    th__keys_sort(p->types[p->count], count);
    p->leaves[p->count++] = count;
}

static void find_parts(struct weigher *w, const th__extent *at, struct parts *p)
{
    const th_node *nodes = w->view->page->nodes;
    p->count = 0;
    uint32_t from = at->first, end = nodes[at->last].end;
    if (at->first == at->last) {
        uint32_t top = at->first, all = th__leaves_in(w->view, top);
        for (;;) {
            uint32_t alone = 0;
            for (uint32_t c = top + 1; c < nodes[top].end; c = nodes[c].end)
                if (th__leaves_in(w->view, c) == all)
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

/* How alike parts are that are one, two or three apart, at the best. Where so many parts together
 * have a single text nothing is told: cells of a table of numbers are alike. */
static float compare_parts(const struct parts *p)
{
    float self = 0;
    for (uint32_t step = 1; step <= 3 && 2 * step <= p->count; step++) {
        float sum = 0;
        for (uint32_t i = 0; i + step < p->count; i++) {
            uint32_t leaves = 0;
            for (uint32_t k = 0; k < step; k++)
                leaves += p->leaves[i + k];
            if (leaves >= 2)
                sum += dice(p->types[i], p->leaves[i], p->types[i + step], p->leaves[i + step]);
        }
        self = fmaxf(self, sum / (float)(p->count - step));
    }
    return self;
}

static void add_place(struct weigher *w, uint32_t node, struct sums *s)
{
    surroundings at = aside_at(w, node);
    s->aside += (float)at.word / ASIDE_FULL;
    s->aside_tag += (float)at.tag / ASIDE_FULL;
    s->hidden += (float)at.hidden / ASIDE_FULL;
    s->some += at.hidden > 0;
    s->main += at.main;
}

/* Adds a record; `next`: the one before it was looked at as well. */
static void add_record(struct weigher *w, const th__extents *list, uint32_t index, bool next,
                       struct sums *s)
{
    uint32_t number = s->looked++, end = th__extents_first(list, index + 1);
    struct record *r = &w->records[number % 2], *before = &w->records[(number + 1) % 2];
    const th__extent *first = &list->data[th__extents_first(list, index)];
    memset(r, 0, sizeof *r);
    for (uint32_t i = th__extents_first(list, index); i < end; i++) {
        add_leaves(w, &list->data[i], number, r);
        add_elements(w, &list->data[i], number, r);
    }
    if (next && r->leaves && r->leaves == before->leaves && r->sequence == before->sequence) {
        memcpy(r->keys, before->keys, r->leaves * sizeof *r->keys); /* as most neighbours have */
        s->like += 1;
    } else {
        th__keys_sort(r->keys, r->leaves);
        s->like += next ? dice(r->keys, r->leaves, before->keys, before->leaves) : 0;
    }
    s->pairs += next;
    if (s->compared < COMPARED) {
        struct parts parts;
        find_parts(w, first, &parts);
        s->self += compare_parts(&parts);
        s->compared++;
    }
    s->filled += r->leaves > 0;
    s->link += r->own_links > 0;
    s->linked += r->links > 0;
    s->date += r->kinds >> DATE & 1;
    s->price += r->kinds >> PRICE & 1;
    s->number += r->kinds >> NUMBER & 1;
    s->heading += r->heading;
    s->control += r->control && !r->own_links; /* results may have boxes to tick */
    s->leaves += (float)r->leaves;
    s->bytes += (float)r->bytes;
    s->squares += (float)r->bytes * (float)r->bytes;
    s->linked_bytes += (float)r->linked;
    s->longest += log2f(1 + (float)r->longest);
    add_place(w, first->first, s);
}

/* Fields that at least half of the records have. */
static void sum_fields(const struct weigher *w, const struct sums *s, th__lists_evidence *out)
{
    float differ = 0;
    uint32_t common = 0;
    for (size_t i = 0; i < w->fields.len; i++) {
        const struct common_field *f = &w->fields.data[i];
        if (2 * f->count < s->filled || f->count < 2)
            continue;
        common++;
        differ += (float)(f->distinct - 1) / (float)(f->count - 1);
    }
    out->fields = log2f(1 + (float)common);
    out->differ = common ? differ / (float)common : 0;
}

static void weigh_place(const struct weigher *w, const th__lists_region *region,
                        th__lists_evidence *out)
{
    const th__view *view = w->view;
    const th_page *page = view->page;
    const th__extents *list = &region->list;
    uint32_t extents = th__extents_first(list, list->count), parents = 0, parent = UINT32_MAX;
    uint32_t start = UINT32_MAX, end = 0, inside = 0, rows = 0;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < extents; i++) {
        const th__extent *at = &list->data[i];
        start = at->token < start ? at->token : start;
        end = at->token_end > end ? at->token_end : end;
        uint32_t leaf = view->leaves.before[at->token],
                 leaf_end = view->leaves.before[at->token_end];
        inside += leaf_end - leaf;
        bytes += w->bytes[leaf_end] - w->bytes[leaf];
        parents += page->nodes[at->first].parent != parent;
        parent = page->nodes[at->first].parent;
        const th__table_row *row = view->tables ? th__table_row_of(view, at->first) : NULL;
        rows += row && view->tables->tables[row->table].header;
    }
    uint32_t spanned = view->leaves.before[end] - view->leaves.before[start];
    uint32_t all = view->leaves.count ? view->leaves.count : 1;
    uint32_t page_bytes = w->bytes[view->leaves.count];
    out->cover = page_bytes ? (float)bytes / (float)page_bytes : 0;
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
    out->row = tag == TH_TAG_TR;
    out->item = tag == TH_TAG_LI;
    out->phrase = tag == TH_TAG_P || tag == TH_TAG_DT || tag == TH_TAG_DD ||
                  th__tag_flags(tag) & (TH_TAG_IS_HEADING | TH_TAG_IS_INLINE);
}

/* Looks at a sample of the records: all of a short list, else blocks of neighbours. */
static void add_records(struct weigher *w, const th__extents *list, struct sums *s)
{
    bool all = list->count <= SAMPLE;
    uint32_t block = all ? list->count : BLOCK;
    uint32_t step = all ? list->count : list->count / (SAMPLE / BLOCK);
    for (uint32_t from = 0; from < list->count && s->looked < SAMPLE; from += step)
        for (uint32_t i = from; i < from + block && i < list->count; i++)
            add_record(w, list, i, i > from, s);
}

static void weigh_records(const struct sums *s, th__lists_evidence *out)
{
    float n = (float)s->looked, filled = s->filled ? (float)s->filled : 1;
    float mean = s->bytes / filled, spread = s->squares / filled - mean * mean;
    out->link = s->link / n;
    out->linked = s->linked / n;
    out->link_text = s->bytes > 0 ? s->linked_bytes / s->bytes : 0;
    out->date = s->date / n;
    out->price = s->price / n;
    out->number = s->number / n;
    out->heading = s->heading / n;
    out->control = s->control / n;
    out->leaves = log2f(1 + s->leaves / filled);
    out->many = fmaxf(0, out->leaves - 4);
    out->text = log2f(1 + mean);
    out->longest = s->longest / n;
    out->uneven = mean > 0 && spread > 0 ? sqrtf(spread) / mean : 0;
    out->like = s->pairs ? s->like / (float)s->pairs : 0;
    out->self = s->compared ? s->self / (float)s->compared : 0;
    out->aside = s->aside / n;
    out->aside_tag = s->aside_tag / n;
    out->hidden = s->hidden / n;
    out->hidden_some = s->some > 0 && s->some < n;
    out->main = s->main / n;
}

/* `best` is the best score of a group. */
static bool weigh_one(struct weigher *w, const th__lists_region *region, double best,
                      th__lists_evidence *out)
{
    const float least = -3; /* of `tells`: groups that tell less than that are all the same */
    struct sums s = {0};
    *out = (th__lists_evidence){.one = 1};
    th__key_map_clear(&w->numbers);
    th__key_map_clear(&w->values);
    th__key_map_clear(&w->links);
    w->fields.len = 0;
    add_records(w, &region->list, &s);
    out->tells = region->score > 0 ? fmaxf(least, (float)log(region->score / best)) : least;
    out->count = fminf(6, log2f(1 + (float)region->list.count)); /* more than 63 say no more */
    out->few = fmaxf(0, 3 - (float)region->list.count);
    weigh_records(&s, out);
    sum_fields(w, &s, out);
    weigh_place(w, region, out);
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
    if (in->count <= o->count || in->first ||
        in->data[in->count - 1].token_end <= o->data[0].token ||
        (!o->first && in->data[0].token >= o->data[o->count - 1].token_end))
        return;
    uint32_t looked = 0, several = 0, held = 0, texts = 0, inside = 0, first = 0, same = 0;
    uint32_t step = o->count / COMPARED + 1, all = (o->count + step - 1) / step;
    for (uint32_t i = 0; i < o->count; i += step, looked++) {
        if (2 * (looked - several) > all)
            return; /* as of most pairs */
        const th__extent *at = &o->data[th__extents_first(o, i)];
        uint32_t from = records_before(in, at->token), to = from;
        while (to < in->count && in->data[to].token < at->token_end)
            to++;
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
        a->outer_link = b->link;
        a->outer_fields = b->fields;
        a->outer_own = own;
        a->outer_same = (float)same / (float)looked;
    }
    if (share > b->inner) {
        b->inner = share;
        b->inner_count = per;
        b->inner_link = a->link;
        b->inner_same = (float)same / (float)looked;
        b->inner_records = a->count;
    }
}

/* Gives each region its evidence. False if out of memory. */
static bool weigh(const th__view *view, const th__lists_region *regions, uint32_t count,
                  th__lists_evidence *out)
{
    th__arena arena;
    th__arena_init(&arena);
    struct weigher w = {.view = view};
    w.kinds = th__arena_zero(&arena, view->leaves.count + (size_t)1, sizeof *w.kinds);
    w.bytes = th__arena_zero(&arena, view->leaves.count + (size_t)1, sizeof *w.bytes);
    w.asides = th__arena_zero(&arena, view->page->node_count, sizeof *w.asides);
    w.targets = th__arena_zero(&arena, view->page->node_count, sizeof *w.targets);
    bool ok = w.kinds && w.bytes && w.asides && w.targets;
    w.aside = set_of(aside_words, sizeof aside_words / sizeof *aside_words);
    w.about = set_of(about_words, sizeof about_words / sizeof *about_words);
    double best = 0;
    for (uint32_t l = 0; ok && l < view->leaves.count; l++)
        w.bytes[l + 1] = w.bytes[l] + view->leaves.data[l].len;
    for (uint32_t i = 0; i < count; i++)
        best = fmax(best, regions[i].score);
    for (uint32_t i = 0; ok && i < count; i++)
        ok = weigh_one(&w, &regions[i], best, &out[i]);
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

bool th__lists_score(const th__view *view, const th__lists_evidence *weights,
                     th__lists_region *regions, uint32_t count, th__lists_evidence *evidence)
{
    float by[TH__LISTS_FEATURES], of[TH__LISTS_FEATURES];
    if (!weigh(view, regions, count, evidence))
        return false;
    memcpy(by, weights ? weights : &built_in, sizeof by);
    for (uint32_t i = 0; i < count; i++) {
        double sum = 0;
        memcpy(of, &evidence[i], sizeof of);
        for (size_t k = 0; k < TH__LISTS_FEATURES; k++)
            sum += (double)(by[k] * of[k]);
        regions[i].score = exp(sum);
    }
    return true;
}
