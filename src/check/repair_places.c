/*
 * repair_places.c: the values of fields found again on changed pages: the paper's reinduction.
 *
 *   1. Candidates: every piece of text that may be a value (seq/leaves.h); of these also what
 * stands between separators, behind a label, or in an element of its own; and values that a field
 * had before, wherever they stand. Targets of links and images for fields that hold such.
 *   2. Clusters: candidates of all pages that stand in the same place. Places are told by the path
 *      of elements with their classes; by a landmark, the text before; where that is of the page
 *      alone, by the position among texts of the same path; and inside of a text by the signs and
 *      words on either side. Only text that is visible counts.
 *   3. A cluster is as like a field as its candidates are on the average of the pages: beginning,
 *      ending and length as in the field's profile, or a value that it had (match.h). Pages without
 *      a candidate count as unlike. A text that is the same everywhere is no value of a field whose
 *      values differed. Of a list all items count, and how many they are.
 *   4. Fields choose, the surest first; what is taken is taken. On a page where the chosen place
 * has nothing, a value that the field had before is taken wherever it stands.
 *
 * Cost: fields x candidates, and sorting them; fields are asked again only when what they would
 * choose is taken.
 */
#include "check/repair_places.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "page/page.h"
#include "page/text.h"
#include "seq/view.h"

enum {
    LEAVES_MAX = 4000,   /* of a page: what stands behind them is no field of one record */
    TEXT_MAX = 2000,     /* bytes of a value: longer texts are no fields */
    SEPARATORS_MAX = 12, /* of a text: with more it is prose */
    REACH = 3,           /* separators that a piece may hold, and one more */
    PIECES_MAX = 80,     /* of a text */
    LABEL_MAX = 40,      /* bytes of a label before a colon */
    PARAGRAPHS_MAX = 12, /* texts of an element that are one value together */
    COUNTS = 4096
};

/* Less than this is no likeness. */
#define LEAST_CLUSTER 0.35
/* What is left of a cluster's likeness when its text is the same on all pages. */
#define CONSTANT_PART 0.3
/* What is left of it when it is of pieces and no value is known: there are many pieces. */
#define PIECE_PART 0.85

/* What a place loses at most for what else stands in it. */
#define OTHERS_PART 0.1
/* A value that is less like a field than this is none of it. */
#define LEAST_VALUE 0.3
/* What is left of a value's likeness where all values were of a few and it is none of them. */
#define FEW_PART 0.7

typedef struct candidate {
    uint32_t unit;
    th_span span;
    bool target, piece;
    th__sample sample; /* text in the arena */
} candidate;

/* A candidate in one of the places that it can be told by. */
typedef struct spot {
    uint64_t place;
    uint32_t candidate;
} spot;

typedef struct cluster {
    size_t from, to; /* of the spots */
    double likeness;
} cluster;

typedef struct finder {
    th_repair *repair;
    th__arena arena;
    const th__unit *units;
    uint32_t pages; /* units: mostly whole pages */
    bool lists;     /* some field is a list of texts */
    bool *target;   /* by field: it holds targets */
    TH__VEC(candidate) candidates;
    TH__VEC(spot) spots;
    size_t placed; /* spots by place; then those of known values */
    th_text text;
    th__folded folded;
    double *likeness; /* by candidate, of the field at hand */
    TH__VEC(th__spotted) used;
} finder;

typedef struct page_walk {
    uint32_t unit;
    const th_page *at;
    const th__view *view;
    /* How many texts of a path there were before this one: a small table that may mix up paths,
     * which costs a place and no harm. */
    uint32_t counts[COUNTS];
} page_walk;

/* The text at hand. */
typedef struct leaf_walk {
    uint64_t path, before;
    uint32_t nth;
    struct {
        size_t from, to;
    } seen[PIECES_MAX];
    uint32_t count;
} leaf_walk;

/* ---- candidates ------------------------------------------------------------------------------ */

static bool add_candidate(finder *f, uint32_t unit, th_span span, th_str text, bool target,
                          bool piece)
{
    candidate c = {.unit = unit, .span = span, .target = target, .piece = piece};
    c.sample.text = th__arena_copy(&f->arena, text);
    c.sample.hash = th__hash(text.ptr, text.len);
    c.sample.length = th__log_length(text.len);
    if (!c.sample.text.ptr || !th__vec_push(&f->candidates, c))
        return false;
    candidate *put = &f->candidates.data[f->candidates.len - 1];
    th__dp_split(put->sample.text, &put->sample.value);
    return true;
}

static bool add_spot(finder *f, uint64_t kind, uint64_t a, uint64_t b)
{
    uint64_t place = th__hash_mix(th__hash_mix(kind, a), b) | 1;
    return th__vec_push(&f->spots, ((spot){place, (uint32_t)f->candidates.len - 1}));
}

static bool is_word(unsigned char c)
{
    return th__is_alpha(c) || th__is_digit(c) || c >= 0x80;
}

/* The signs before a piece, and with `word` the word before them. */
static uint64_t left_of(th_str text, size_t from, bool word)
{
    size_t at = from;
    while (at && !is_word((unsigned char)text.ptr[at - 1]))
        at--;
    while (word && at && is_word((unsigned char)text.ptr[at - 1]))
        at--;
    return th__hash(text.ptr + at, from - at);
}

static uint64_t right_of(th_str text, size_t to)
{
    size_t at = to;
    while (at < text.len && !is_word((unsigned char)text.ptr[at]))
        at++;
    return th__hash(text.ptr + to, at - to);
}

static bool add_places(finder *f, const leaf_walk *l, uint64_t path, uint64_t word, uint64_t signs,
                       uint64_t right)
{
    enum { LANDMARK = 1, POSITION, LABEL, PATH };
    uint64_t with_word = th__hash_mix(word, right), with_signs = th__hash_mix(signs, right);
    return add_spot(f, LANDMARK, th__hash_mix(path, l->before), with_word) &&
           add_spot(f, POSITION, th__hash_mix(path, l->nth + 1), with_signs) &&
           add_spot(f, LABEL, path, with_word) && add_spot(f, PATH, path, with_signs);
}

/* A piece of the text at hand, blanks at its ends left out. */
static bool add_piece(finder *f, const page_walk *w, leaf_walk *l, size_t from, size_t to)
{
    th_str text = th__buf_str(&f->folded.text);
    while (from < to && text.ptr[from] == ' ')
        from++;
    while (to > from && text.ptr[to - 1] == ' ')
        to--;
    if (from >= to || to - from > TEXT_MAX || l->count == PIECES_MAX)
        return true;
    for (uint32_t i = 0; i < l->count; i++)
        if (l->seen[i].from == from && l->seen[i].to == to)
            return true;
    l->seen[l->count].from = from;
    l->seen[l->count++].to = to;
    th_span span = {f->folded.start[from], f->folded.end[to - 1]};
    bool whole = !from && to == text.len;
    return add_candidate(f, w->unit, span, (th_str){text.ptr + from, to - from}, false, !whole) &&
           add_places(f, l, l->path, left_of(text, from, true), left_of(text, from, false),
                      right_of(text, to));
}

/* Whether the blank at a byte of the text is one that does not break: old pages part values by
 * rows of them. */
static bool is_wide_blank(const finder *f, const page_walk *w, size_t at)
{
    th_str text = th__buf_str(&f->folded.text);
    if (text.ptr[at] != ' ')
        return false;
    th_str source = th__page_slice(w->at, f->folded.start[at], f->folded.end[at]);
    return th__str_find(source, TH_STR("&nbsp;")) != SIZE_MAX ||
           th__str_find(source, TH_STR("\xC2\xA0")) != SIZE_MAX ||
           th__str_find(source, TH_STR("&#160;")) != SIZE_MAX;
}

/* Between separators: up to the next ones, and to the end. */
static bool add_separated(finder *f, const page_walk *w, leaf_walk *l)
{
    static const char *const separators[] = {": ",
                                             " | ",
                                             " / ",
                                             " - ",
                                             " \xE2\x80\x93 ",
                                             " \xE2\x80\x94 ",
                                             " \xC2\xB7 ",
                                             " \xE2\x80\xA2 ",
                                             "; ",
                                             ", ",
                                             " (",
                                             ")"};
    th_str text = th__buf_str(&f->folded.text);
    size_t starts[SEPARATORS_MAX + 1] = {0}, ends[SEPARATORS_MAX + 2];
    uint32_t count = 0;
    for (size_t at = 0; at < text.len;) {
        size_t len = 0;
        for (size_t i = 0; !len && i < sizeof separators / sizeof *separators; i++)
            if (th__str_starts_nocase((th_str){text.ptr + at, text.len - at},
                                      th_str_from(separators[i])))
                len = strlen(separators[i]);
        if (!len && is_wide_blank(f, w, at))
            len = 1;
        if (!len) {
            at++;
            continue;
        }
        if (count == SEPARATORS_MAX)
            return true;
        ends[count] = at;
        starts[++count] = at + len;
        at += len;
    }
    ends[count] = text.len;
    for (uint32_t i = 0; i <= count; i++) {
        for (uint32_t j = i; j <= count && j <= i + REACH; j++)
            if (!add_piece(f, w, l, starts[i], ends[j]))
                return false;
        if (!add_piece(f, w, l, starts[i], text.len))
            return false;
    }
    return true;
}

/* Items of a list in one text, with a label before it or not. */
static bool add_items(finder *f, const page_walk *w, leaf_walk *l)
{
    enum { ITEMS = 16, ITEMS_MAX = 40 };
    static const char *const separators[] = {", ", "; ", " | ", " / ", " & "};
    th_str text = th__buf_str(&f->folded.text);
    size_t colon = th__str_find(text, TH_STR(": "));
    size_t begin = colon == SIZE_MAX || colon > LABEL_MAX ? 0 : colon + 2;
    uint64_t told = begin ? th__hash(text.ptr, begin) : l->before;
    for (size_t s = 0; s < sizeof separators / sizeof *separators; s++) {
        th_str separator = th_str_from(separators[s]);
        uint32_t count = 0;
        for (size_t at = begin; at < text.len && count < ITEMS_MAX; count++) {
            size_t len = th__str_find((th_str){text.ptr + at, text.len - at}, separator);
            size_t from = at, to = len == SIZE_MAX ? text.len : at + len;
            at = to + separator.len;
            while (from < to && !is_word((unsigned char)text.ptr[from]))
                from++;
            while (to > from && text.ptr[to - 1] == ' ')
                to--;
            if (from == to || to - from > TEXT_MAX)
                continue;
            th_span span = {f->folded.start[from], f->folded.end[to - 1]};
            bool piece = from || to < text.len;
            if (!add_candidate(f, w->unit, span, (th_str){text.ptr + from, to - from}, false,
                               piece) ||
                !add_spot(f, ITEMS + s, l->path, told))
                return false;
        }
    }
    return true;
}

/* Values that a field had. */
static bool add_known(finder *f, const page_walk *w, leaf_walk *l)
{
    const th__profile *profile = f->repair->profile;
    th_str text = th__buf_str(&f->folded.text);
    for (uint32_t i = 0; i < profile->count; i++)
        for (uint32_t e = 0; !f->repair->targets[i] && e < profile->fields[i].example_count; e++) {
            th_str value = profile->fields[i].examples[e];
            size_t at = value.len <= text.len ? th__find_words(text, value, 0) : SIZE_MAX;
            if (at != SIZE_MAX && !add_piece(f, w, l, at, at + value.len))
                return false;
        }
    return true;
}

/* The element that a token of text stands in. */
static uint32_t node_of(const th_page *page, uint32_t token)
{
    uint32_t from = 0, to = page->node_count;
    while (to - from > 1) {
        uint32_t middle = from + (to - from) / 2;
        if (page->nodes[middle].token <= token)
            from = middle;
        else
            to = middle;
    }
    while (from && page->nodes[from].token_end <= token)
        from = page->nodes[from].parent;
    return from;
}

/* What tells a text in a leaf: the label before a colon that the leaf begins with, or what stands
 * before the leaf. */
static uint64_t told_by(const finder *f, const leaf_walk *l)
{
    th_str text = th__buf_str(&f->folded.text);
    size_t colon = th__str_find(text, TH_STR(":"));
    return colon == SIZE_MAX || colon > LABEL_MAX ? l->before : th__hash(text.ptr, colon);
}

/* The text of an element inside of a leaf, or one of its own texts among such. */
static bool add_run(finder *f, const page_walk *w, const leaf_walk *l, const th__leaf *leaf,
                    uint32_t token, uint32_t node)
{
    enum { INNER_ITEMS = 32 };
    bool own = node == leaf->node;
    uint32_t end = own ? token + 1 : w->at->nodes[node].token_end;
    end = end < leaf->token_end ? end : leaf->token_end;
    th_span span = {w->at->tokens[token].start, w->at->tokens[end].start};
    th_span before = {w->at->tokens[leaf->token].start, span.start};
    if (th_page_span_text(w->at, before, &f->text, NULL))
        return false;
    th_str text = {f->text.ptr, f->text.len};
    uint64_t word = left_of(text, text.len, true), signs = left_of(text, text.len, false);
    if (th_page_span_text(w->at, span, &f->text, NULL))
        return false;
    text = (th_str){f->text.ptr, f->text.len};
    if (!text.len || text.len > TEXT_MAX)
        return true;
    uint64_t path = th__hash_mix(th__view_key(w->view, 0, node), own ? COUNTS + 1 : 0);
    return add_candidate(f, w->unit, span, text, false, true) &&
           add_places(f, l, path, word, signs, 0) && add_spot(f, INNER_ITEMS, path, told_by(f, l));
}

static bool add_inner(finder *f, const page_walk *w, const leaf_walk *l, const th__leaf *leaf)
{
    uint32_t last = 0, runs = 0;
    for (uint32_t t = leaf->token; t < leaf->token_end; t++)
        runs +=
            w->at->tokens[t].kind == TH_TOKEN_TEXT && !(w->at->tokens[t].flags & TH_TOKEN_BLANK);
    for (uint32_t t = leaf->token; runs > 1 && t < leaf->token_end; t++) {
        const th_token *token = &w->at->tokens[t];
        if (token->kind != TH_TOKEN_TEXT || (token->flags & TH_TOKEN_BLANK))
            continue;
        uint32_t node = node_of(w->at, t);
        if (!node || (node == last && node != leaf->node))
            continue;
        last = node;
        if (!add_run(f, w, l, leaf, t, node))
            return false;
    }
    return true;
}

static bool add_texts(finder *f, page_walk *w, uint32_t leaf, uint64_t before)
{
    const th__leaf *own = &w->view->leaves.data[leaf];
    leaf_walk l = {.path = th__view_key(w->view, 0, own->node), .before = before};
    l.nth = w->counts[l.path % COUNTS]++;
    if (!th__page_fold(w->at, th__leaf_span(w->at, own), &f->folded))
        return false;
    size_t len = f->folded.text.len;
    return !len || (add_piece(f, w, &l, 0, len) && add_known(f, w, &l) && add_separated(f, w, &l) &&
                    add_inner(f, w, &l, own) && (!f->lists || add_items(f, w, &l)));
}

/* The target of a link or the source of an image. */
static bool add_target(finder *f, page_walk *w, uint32_t node)
{
    static const struct {
        const char *tag, *attribute;
    } kinds[] = {{"a", "href"}, {"img", "src"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        th_str value;
        uint32_t token = w->at->nodes[node].token;
        if (w->at->tags[node] != th_tag_id(th_str_from(kinds[i].tag)) ||
            !th_attr_get(w->at, token, kinds[i].attribute, &value) || !value.len ||
            value.len > TEXT_MAX)
            continue;
        uint32_t start = (uint32_t)(value.ptr - w->at->text.ptr);
        leaf_walk l = {.path = th__hash_mix(th__view_key(w->view, 0, node), i + 1)};
        l.nth = w->counts[l.path % COUNTS]++;
        if (th_attr_text(value, &f->text, NULL))
            return false;
        if (!add_candidate(f, w->unit, (th_span){start, start + (uint32_t)value.len},
                           (th_str){f->text.ptr, f->text.len}, true, false) ||
            !add_places(f, &l, l.path, 0, 0, 0))
            return false;
    }
    return true;
}

/* Whether a text holds a value that a field had. */
static bool holds_known(const finder *f, th_str text)
{
    const th__profile *profile = f->repair->profile;
    for (uint32_t i = 0; i < profile->count; i++)
        for (uint32_t e = 0; !f->repair->targets[i] && e < profile->fields[i].example_count; e++)
            if (th__telling(profile->fields[i].examples[e]) &&
                th__find_words(text, profile->fields[i].examples[e], 0) != SIZE_MAX)
                return true;
    return false;
}

/* The text of an element that has several: paragraphs of one value, unless values of fields are
 * among them. */
static bool add_element(finder *f, page_walk *w, uint32_t node)
{
    const th__leaves *leaves = &w->view->leaves;
    uint32_t first = leaves->before[w->at->nodes[node].token];
    uint32_t end = leaves->before[w->at->nodes[node].token_end];
    if (end < first + 2 || end > first + PARAGRAPHS_MAX || end > leaves->count)
        return true;
    th_span span = {th__leaf_span(w->at, &leaves->data[first]).start,
                    th__leaf_span(w->at, &leaves->data[end - 1]).end};
    leaf_walk l = {.path = th__hash_mix(th__view_key(w->view, 0, node), COUNTS)};
    l.before = first ? leaves->data[first - 1].hash : 0;
    l.nth = w->counts[l.path % COUNTS]++;
    if (th_page_span_text(w->at, span, &f->text, NULL))
        return false;
    th_str text = {f->text.ptr, f->text.len};
    return !text.len || text.len > TEXT_MAX || holds_known(f, text) ||
           (add_candidate(f, w->unit, span, text, false, true) &&
            add_places(f, &l, l.path, 0, 0, 0));
}

/* The first element that begins at a token or behind it. */
static uint32_t node_from(const th_page *page, uint32_t token)
{
    uint32_t from = 1, to = page->node_count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (page->nodes[middle].token < token)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static bool walk_unit(finder *f, page_walk *w, bool targets)
{
    const th__leaves *leaves = &w->view->leaves;
    const th__unit *unit = &f->units[w->unit];
    uint32_t token = th__token_at(w->at, unit->span.start);
    uint32_t end =
        unit->span.end < w->at->text.len ? th__token_at(w->at, unit->span.end) : w->at->token_count;
    uint32_t first = leaves->before[token], last = leaves->before[end];
    bool ok = true;
    memset(w->counts, 0, sizeof w->counts);
    if (last > first + LEAVES_MAX)
        last = first + LEAVES_MAX;
    for (uint32_t i = first; ok && i < last; i++)
        ok = add_texts(f, w, i, i ? leaves->data[i - 1].hash : 0);
    for (uint32_t i = node_from(w->at, token);
         ok && i < w->at->node_count && w->at->nodes[i].token < end; i++)
        ok = add_element(f, w, i) && (!targets || add_target(f, w, i));
    return ok;
}

/* Units from `from` on that are on one page; *to is one past the last. */
static bool walk_page(finder *f, uint32_t from, uint32_t *to, bool targets)
{
    page_walk *w = TH__NEW(page_walk);
    th__arena arena;
    th__view view;
    bool ok = w != NULL;
    th__arena_init(&arena);
    if (ok) {
        *w = (page_walk){.at = f->repair->pages[f->units[from].page].page, .view = &view};
        ok = th__view_make(&arena, w->at, &view);
    }
    *to = from;
    while (ok && *to < f->pages && f->units[*to].page == f->units[from].page) {
        w->unit = (*to)++;
        ok = walk_unit(f, w, targets);
    }
    th__arena_release(&arena);
    th__mem_free(w);
    return ok;
}

/* ---- clusters -------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const spot *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->candidate < y->candidate ? -1 : x->candidate > y->candidate;
}

static bool is_used(const finder *f, const candidate *c)
{
    for (size_t i = 0; i < f->used.len; i++) {
        const th__spotted *u = &f->used.data[i];
        if (u->unit == c->unit && c->span.start < u->span.end && u->span.start < c->span.end)
            return true;
    }
    return false;
}

/* Fields of lists have several values on a page. */
static bool is_in_list(th_str path)
{
    for (size_t i = 0; i + 1 < path.len; i++)
        if (path.ptr[i] == '[' && path.ptr[i + 1] == ']')
            return true;
    return false;
}

/* What the candidates of a cluster come to. Those that are not like the field at all are not of it:
 * where one of several fields stands in a place, each has its own. */
typedef struct summary {
    double sum;         /* of likeness: of the first on a page, or of all */
    uint32_t on_pages;  /* that have one that is like the field */
    uint32_t all_pages; /* that have one */
    uint32_t count, several, known;
    uint64_t of_page, of_first; /* sums over the texts of a page, and of the first page */
    bool same, pieces;
} summary;

static void end_of_page(summary *s)
{
    if (s->all_pages == 1)
        s->of_first = s->of_page;
    s->same = s->same && s->of_page == s->of_first;
    s->of_page = 0;
}

static bool sum_up(const finder *f, const cluster *c, bool list, summary *out)
{
    uint32_t last = UINT32_MAX, liked = UINT32_MAX;
    *out = (summary){.same = true};
    for (size_t i = c->from; i < c->to; i++) {
        uint32_t at = f->spots.data[i].candidate;
        const candidate *own = &f->candidates.data[at];
        if (is_used(f, own))
            continue;
        if (own->unit != last) {
            if (out->all_pages)
                end_of_page(out);
            out->all_pages++;
        }
        last = own->unit;
        out->of_page += own->sample.hash;
        out->pieces = out->pieces || own->piece;
        out->count++;
        if (f->likeness[at] < LEAST_VALUE)
            continue;
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

static double like_list(const finder *f, const th__field_profile *profile, const summary *s)
{
    /* Half as many items as before are half of the list. */
    double records = f->repair->profile->records ? (double)f->repair->profile->records : 1;
    double wanted = (double)f->pages * (double)profile->values / records;
    double apart = wanted > 0 ? fabs(log(s->count / wanted)) : 0;
    return s->sum / s->count / (1 + fmax(0, apart - 0.1));
}

static double like_field(const finder *f, const th__field_profile *profile, const summary *s)
{
    double share = profile->chances ? (double)profile->values / (double)profile->chances : 0;
    /* A field that was often missing may be so now; one that was always there is in its place on
     * all pages that have the place. */
    double wanted = (double)f->pages * (share < 1 ? share : 1);
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

static double like_cluster(const finder *f, uint32_t field, const cluster *c)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    bool list = is_in_list(profile->path);
    summary s;
    if (!sum_up(f, c, list, &s))
        return 0;
    double likeness = list ? like_list(f, profile, &s) : like_field(f, profile, &s);
    if (!list)
        likeness *= 1 - OTHERS_PART * (s.count - s.on_pages - s.several) / s.count;
    if (is_constant(profile, &s))
        likeness *= CONSTANT_PART;
    if (s.pieces && !s.known)
        likeness *= PIECE_PART;
    /* Of two as good the one of more pages. */
    return likeness + 1e-6 * s.on_pages;
}

/* How like a field a value is. Of few values that came again and again all are known: another one
 * is less likely. */
static double like_value(const th__field_profile *profile, const th__sample *value)
{
    double likeness = th__value_likeness(profile, value);
    bool few =
        2 * profile->distinct <= profile->sampled && profile->distinct <= profile->example_count;
    return likeness < 1 && few ? likeness * FEW_PART : likeness;
}

/* Values that the field had, each the only one on its page, wherever they stand: when they are as
 * many as there should be, nothing tells better. They make a cluster of their own. False without
 * memory. */
static bool known_cluster(finder *f, uint32_t field, cluster *best)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    size_t begin = f->spots.len;
    double share = profile->chances ? (double)profile->values / (double)profile->chances : 0;
    uint32_t pages = 0;
    bool clear = true, ok = true;
    for (size_t i = 0, end; ok && clear && i < f->candidates.len; i = end) {
        uint32_t page = f->candidates.data[i].unit, found = 0, several = 0;
        for (end = i; end < f->candidates.len && f->candidates.data[end].unit == page; end++) {
            const candidate *c = &f->candidates.data[end];
            if (f->likeness[end] < 1 || is_used(f, c))
                continue;
            const candidate *first = found ? &f->candidates.data[found - 1] : c;
            several += c->span.start >= first->span.end || first->span.start >= c->span.end;
            found = found ? found : (uint32_t)end + 1;
        }
        if (!found)
            continue;
        clear = !several;
        ok = th__vec_push(&f->spots, ((spot){0, found - 1}));
        pages++;
    }
    if (ok && clear && pages > 1 && pages + 0.5 >= share * f->pages)
        *best = (cluster){begin, f->spots.len, 1 + 1e-6 * pages};
    else
        f->spots.len = begin;
    return ok;
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
        all = all && letter && memchr(text.ptr, '/', text.len) && !memchr(text.ptr, ' ', text.len);
    }
    return all || repair->targets[field];
}

static bool best_cluster(finder *f, uint32_t field, cluster *best)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    bool target = f->target[field];
    cluster top = {0};
    *best = (cluster){0};
    for (size_t i = 0; i < f->candidates.len; i++) {
        const candidate *c = &f->candidates.data[i];
        f->likeness[i] = c->target == target ? like_value(profile, &c->sample) : 0;
    }
    if (!is_in_list(profile->path) && !known_cluster(f, field, best))
        return false;
    for (size_t i = 0, end; !best->to && i < f->placed; i = end) {
        for (end = i + 1; end < f->placed && f->spots.data[end].place == f->spots.data[i].place;)
            end++;
        cluster c = {i, end, 0};
        c.likeness = like_cluster(f, field, &c);
        if (c.likeness > top.likeness)
            top = c;
    }
    *best = best->to ? *best : top;
    return true;
}

/* ---- choosing -------------------------------------------------------------------------------- */

static bool take(finder *f, th__places *out, uint32_t field, const candidate *c)
{
    th__spotted s = {field, c->unit, c->span};
    return th__vec_push(&out->data, s) && th__vec_push(&f->used, s);
}

/* A value that the field had, on a page where its place has nothing. */
static bool take_known(finder *f, th__places *out, uint32_t field, uint32_t page)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    for (size_t i = 0; i < f->candidates.len; i++) {
        const candidate *c = &f->candidates.data[i];
        if (c->unit != page || c->target != f->target[field] || !th__telling(c->sample.text) ||
            th__value_likeness(profile, &c->sample) < 1 || is_used(f, c))
            continue;
        return take(f, out, field, c);
    }
    return true;
}

/* Whether all that stands in a place is of the field: most of it is like it, or the field was there
 * always. Else the place is that of several fields. */
static bool is_whole(const finder *f, const th__field_profile *profile, const cluster *c)
{
    size_t like = 0, count = 0;
    for (size_t i = c->from; i < c->to; i++) {
        const candidate *own = &f->candidates.data[f->spots.data[i].candidate];
        if (is_used(f, own))
            continue;
        like += like_value(profile, &own->sample) >= LEAST_VALUE;
        count++;
    }
    return 10 * profile->values >= 9 * profile->chances || 10 * like >= 6 * count;
}

/* Whether a candidate is the one of its unit that is most like the field: the first such. */
static bool is_best(const finder *f, const th__field_profile *profile, const cluster *c, size_t at)
{
    const candidate *own = &f->candidates.data[f->spots.data[at].candidate];
    double likeness = like_value(profile, &own->sample);
    for (size_t i = at; i-- > c->from;) {
        const candidate *other = &f->candidates.data[f->spots.data[i].candidate];
        if (other->unit != own->unit)
            break;
        if (!is_used(f, other) && like_value(profile, &other->sample) >= likeness)
            return false;
    }
    for (size_t i = at + 1; i < c->to; i++) {
        const candidate *other = &f->candidates.data[f->spots.data[i].candidate];
        if (other->unit != own->unit)
            break;
        if (!is_used(f, other) && like_value(profile, &other->sample) > likeness)
            return false;
    }
    return true;
}

static bool take_cluster(finder *f, th__places *out, uint32_t field, const cluster *c)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    bool list = is_in_list(profile->path), all = is_whole(f, profile, c);
    bool *has = th__arena_zero(&f->arena, f->pages + 1, sizeof *has); /* by unit */
    bool ok = has != NULL;
    for (size_t i = c->from; ok && i < c->to; i++) {
        const candidate *own = &f->candidates.data[f->spots.data[i].candidate];
        if (is_used(f, own) || (!list && (has[own->unit] || !is_best(f, profile, c, i))) ||
            (!all && like_value(profile, &own->sample) < LEAST_VALUE))
            continue;
        has[own->unit] = true;
        ok = take(f, out, field, own);
    }
    for (uint32_t unit = 0; ok && !list && unit < f->pages; unit++)
        if (!has[unit])
            ok = take_known(f, out, field, unit);
    out->chosen[field] = true;
    return ok;
}

/* Whether what a field would choose is another's by now. */
static bool is_taken(const finder *f, const cluster *c)
{
    for (size_t i = c->from; i < c->to; i++)
        if (is_used(f, &f->candidates.data[f->spots.data[i].candidate]))
            return true;
    return false;
}

static bool choose(finder *f, const bool *wanted, th__places *out)
{
    uint32_t count = f->repair->profile->count;
    cluster *best = th__arena_zero(&f->arena, count + 1, sizeof *best);
    f->likeness = th__arena_zero(&f->arena, f->candidates.len + 1, sizeof *f->likeness);
    if (!best || !f->likeness)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (wanted[i] && !best_cluster(f, i, &best[i]))
            return false;
    for (;;) {
        uint32_t field = count;
        for (uint32_t i = 0; i < count; i++)
            if (wanted[i] && !out->chosen[i] && best[i].likeness > LEAST_CLUSTER &&
                (field == count || best[i].likeness > best[field].likeness))
                field = i;
        if (field == count)
            return true;
        if (!take_cluster(f, out, field, &best[field]))
            return false;
        for (uint32_t i = 0; i < count; i++)
            if (wanted[i] && !out->chosen[i] && best[i].to && is_taken(f, &best[i]) &&
                !best_cluster(f, i, &best[i]))
                return false;
    }
}

static int by_field(const void *a, const void *b)
{
    const th__spotted *x = a, *y = b;
    if (x->field != y->field)
        return x->field < y->field ? -1 : 1;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return x->span.start < y->span.start ? -1 : x->span.start > y->span.start;
}

/* What the old wrapper still reads is taken. */
static bool reserve(finder *f, const th__places *kept)
{
    bool ok = true;
    for (size_t i = 0; ok && i < kept->data.len; i++)
        ok = th__vec_push(&f->used, kept->data.data[i]);
    return ok;
}

th_status th__places_choose(th_repair *repair, const th__unit *units, uint32_t count,
                            const bool *wanted, const th__places *kept, th__places *out,
                            th_error *err)
{
    finder f = {.repair = repair, .units = units, .pages = count};
    bool targets = false, ok = true;
    th__arena_init(&f.arena);
    *out = (th__places){0};
    out->chosen = th__arena_zero(&repair->arena, repair->profile->count + 1, sizeof *out->chosen);
    f.target = th__arena_zero(&f.arena, repair->profile->count + 1, sizeof *f.target);
    for (uint32_t i = 0; f.target && i < repair->profile->count; i++) {
        f.target[i] = holds_targets(repair, i);
        targets = targets || (f.target[i] && wanted[i]);
        f.lists = f.lists || (wanted[i] && th__is_list_path(repair->profile->fields[i].path));
    }
    ok = out->chosen && f.target;
    for (uint32_t i = 0, next; ok && i < count; i = next)
        ok = walk_page(&f, i, &next, targets);
    if (ok && f.spots.len)
        qsort(f.spots.data, f.spots.len, sizeof *f.spots.data, by_place);
    f.placed = f.spots.len;
    ok = ok && reserve(&f, kept) && choose(&f, wanted, out);
    if (ok && out->data.len)
        qsort(out->data.data, out->data.len, sizeof *out->data.data, by_field);
    th_text_release(&f.text);
    th__folded_release(&f.folded);
    th__vec_release(&f.candidates);
    th__vec_release(&f.spots);
    th__vec_release(&f.used);
    th__arena_release(&f.arena);
    return ok ? TH_OK : th__fail_memory(err);
}
