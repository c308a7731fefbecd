/*
 * repair_pieces.c: every piece of text that may be a value.
 *
 *   - the texts of a page (seq/leaves.h), whole; texts of elements inside of them; elements with
 *     several of them, paragraphs of one value;
 *   - what stands between separators, behind a label, or is an item of a list in one text;
 *   - values that a field had before, wherever they stand;
 *   - targets of links and sources of images.
 *
 * Places are told by the path of elements with their classes; by a landmark, the text before; where
 * that is of the page alone, by the position among texts of the same path; and inside of a text by
 * the signs and words on either side.
 */
#include "check/repair_pieces.h"

#include "base/mem.h"
#include "page/page.h"
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

/* ---- pieces ---------------------------------------------------------------------------------- */

static bool add_candidate(th__finder *f, uint32_t unit, th_span span, th_str text, bool target,
                          bool piece)
{
    th__piece c = {.unit = unit, .span = span, .target = target, .piece = piece};
    c.sample.text = th__arena_copy(&f->arena, text);
    c.sample.hash = th__hash(text.ptr, text.len);
    c.sample.length = th__log_length(text.len);
    if (!c.sample.text.ptr || !th__vec_push(&f->candidates, c))
        return false;
    th__piece *put = &f->candidates.data[f->candidates.len - 1];
    th__dp_split(put->sample.text, &put->sample.value);
    return true;
}

static bool add_spot(th__finder *f, uint64_t kind, uint64_t a, uint64_t b)
{
    uint64_t place = th__hash_mix(th__hash_mix(kind, a), b) | 1;
    return th__vec_push(&f->spots, ((th__spot){place, (uint32_t)f->candidates.len - 1}));
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

static bool add_places(th__finder *f, const leaf_walk *l, uint64_t path, uint64_t word,
                       uint64_t signs, uint64_t right)
{
    enum { LANDMARK = 1, POSITION, LABEL, PATH };
    uint64_t with_word = th__hash_mix(word, right), with_signs = th__hash_mix(signs, right);
    return add_spot(f, LANDMARK, th__hash_mix(path, l->before), with_word) &&
           add_spot(f, POSITION, th__hash_mix(path, l->nth + 1), with_signs) &&
           add_spot(f, LABEL, path, with_word) && add_spot(f, PATH, path, with_signs);
}

/* A piece of the text at hand, blanks at its ends left out. */
static bool add_piece(th__finder *f, const page_walk *w, leaf_walk *l, size_t from, size_t to)
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
static bool is_wide_blank(const th__finder *f, const page_walk *w, size_t at)
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
static bool add_separated(th__finder *f, const page_walk *w, leaf_walk *l)
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
static bool add_items(th__finder *f, const page_walk *w, leaf_walk *l)
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
static bool add_known(th__finder *f, const page_walk *w, leaf_walk *l)
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

/* What tells a text in a leaf: the label before a colon that the leaf begins with, or what stands
 * before the leaf. */
static uint64_t told_by(const th__finder *f, const leaf_walk *l)
{
    th_str text = th__buf_str(&f->folded.text);
    size_t colon = th__str_find(text, TH_STR(":"));
    return colon == SIZE_MAX || colon > LABEL_MAX ? l->before : th__hash(text.ptr, colon);
}

/* The text of an element inside of a leaf, or one of its own texts among such. */
static bool add_run(th__finder *f, const page_walk *w, const leaf_walk *l, const th__leaf *leaf,
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

static bool add_inner(th__finder *f, const page_walk *w, const leaf_walk *l, const th__leaf *leaf)
{
    uint32_t last = 0, runs = 0;
    for (uint32_t t = leaf->token; t < leaf->token_end; t++)
        runs +=
            w->at->tokens[t].kind == TH_TOKEN_TEXT && !(w->at->tokens[t].flags & TH_TOKEN_BLANK);
    for (uint32_t t = leaf->token; runs > 1 && t < leaf->token_end; t++) {
        const th_token *token = &w->at->tokens[t];
        if (token->kind != TH_TOKEN_TEXT || (token->flags & TH_TOKEN_BLANK))
            continue;
        uint32_t node = th__page_node_around(w->at, t, t);
        if (!node || (node == last && node != leaf->node))
            continue;
        last = node;
        if (!add_run(f, w, l, leaf, t, node))
            return false;
    }
    return true;
}

static bool add_texts(th__finder *f, page_walk *w, uint32_t leaf, uint64_t before)
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
static bool add_target(th__finder *f, page_walk *w, uint32_t node)
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
static bool holds_known(const th__finder *f, th_str text)
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
static bool add_element(th__finder *f, page_walk *w, uint32_t node)
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

static bool walk_unit(th__finder *f, page_walk *w, bool targets)
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
    for (uint32_t i = th__page_node_from(w->at, token);
         ok && i < w->at->node_count && w->at->nodes[i].token < end; i++)
        ok = add_element(f, w, i) && (!targets || add_target(f, w, i));
    return ok;
}

/* Units from `from` on that are on one page; *to is one past the last. */
static bool walk_page(th__finder *f, uint32_t from, uint32_t *to, bool targets)
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

bool th__pieces_gather(th__finder *f, bool targets)
{
    bool ok = true;
    for (uint32_t i = 0, next; ok && i < f->pages; i = next)
        ok = !th__cancelled(&f->repair->cancel) && walk_page(f, i, &next, targets);
    return ok;
}
