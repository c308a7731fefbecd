/*
 * repair_pieces.c: every piece of text that may be a value.
 *
 *   - the texts of a page (seq/leaves.h), whole; texts of elements inside of them; elements with
 *     several of them, paragraphs of one value;
 *   - what stands between separators, behind a label, or is an item of a list in one text;
 *   - what stands between words that most texts of the same path have, or before or behind words
 * that several of them begin or end with (counted first, on all pages);
 *   - values that a field had before, wherever they stand;
 *   - targets of links and sources of images.
 *
 * Places are told by the path of elements with their classes; by a landmark, the text before; where
 * that is of the page alone, by the position among texts of the same path; and inside of a text by
 * the signs and words on either side. What a text is cut into is in repair_texts.c and
 * repair_words.c.
 */
#include "repair/repair_pieces.h"

#include <stdlib.h>

#include "base/mem.h"
#include "repair/repair_texts.h"
#include "page/page.h"

enum {
    LEAVES_MAX = 4000,  /* of a page: what stands behind them is no field of one record */
    PARAGRAPHS_MAX = 12 /* texts of an element that are one value together */
};

/* ---- pieces ---------------------------------------------------------------------------------- */

bool th__piece_add(th__finder *f, uint32_t unit, th_span span, th_str text, bool target, bool piece)
{
    th__piece c = {.unit = unit, .span = span, .target = target, .piece = piece};
    c.headed = !target && th__is_headed(th__buf_str(&f->title), text);
    c.sample.text = th__arena_copy(&f->arena, text);
    c.sample.hash = th__hash(text.ptr, text.len);
    c.sample.length = th__log_length(text.len);
    if (!c.sample.text.ptr || !th__vec_push(&f->candidates, c))
        return false;
    th__piece *put = &f->candidates.data[f->candidates.len - 1];
    th__dp_split(put->sample.text, &put->sample.value);
    return true;
}

bool th__piece_spot(th__finder *f, uint64_t kind, uint64_t a, uint64_t b)
{
    uint64_t place = th__hash_mix(th__hash_mix(kind, a), b) | 1;
    return th__vec_push(&f->spots, ((th__spot){place, (uint32_t)f->candidates.len - 1}));
}

/* Whether some sign other than a blank is in a text. */
static bool has_sign(th_str text)
{
    bool some = false;
    for (size_t i = 0; i < text.len; i++)
        some = some || text.ptr[i] != ' ';
    return some;
}

/* Signs between two words, without those that belong to the first or the second: of "Acme Corp. |"
 * the bar tells what follows, and the dot is the name's. */
static th_str own_signs(th_str signs, bool left)
{
    const char *blank =
        left ? memchr(signs.ptr, ' ', signs.len) : memrchr(signs.ptr, ' ', signs.len);
    if (!blank)
        return signs;
    size_t at = (size_t)(blank - signs.ptr);
    th_str rest = left ? (th_str){blank, signs.len - at} : (th_str){signs.ptr, at + 1};
    return has_sign(rest) ? rest : signs;
}

/* The signs before a piece, and with `word` the word before them. */
static uint64_t left_of(th_str text, size_t from, bool word)
{
    size_t at = from;
    while (at && !th__is_word_part((unsigned char)text.ptr[at - 1]))
        at--;
    th_str signs = own_signs((th_str){text.ptr + at, from - at}, true);
    size_t end = at;
    while (word && at && th__is_word_part((unsigned char)text.ptr[at - 1]))
        at--;
    uint64_t hash = th__hash(signs.ptr, signs.len);
    return at == end ? hash : th__hash_mix(hash, th__hash(text.ptr + at, end - at));
}

static uint64_t right_of(th_str text, size_t to)
{
    size_t at = to;
    while (at < text.len && !th__is_word_part((unsigned char)text.ptr[at]))
        at++;
    th_str signs = own_signs((th_str){text.ptr + to, at - to}, false);
    return th__hash(signs.ptr, signs.len);
}

static bool add_places(th__finder *f, const th__text_walk *l, uint64_t path, uint64_t word,
                       uint64_t signs, uint64_t right)
{
    uint64_t with_word = th__hash_mix(word, right), with_signs = th__hash_mix(signs, right);
    return th__piece_spot(f, TH__BY_LANDMARK, th__hash_mix(path, l->before), with_word) &&
           th__piece_spot(f, TH__BY_POSITION, th__hash_mix(path, l->nth + 1), with_signs) &&
           th__piece_spot(f, TH__BY_LABEL, path, with_word) &&
           th__piece_spot(f, TH__BY_PATH, path, with_signs);
}

bool th__piece_cut(th__finder *f, const th__unit_walk *w, th__text_walk *l, size_t from, size_t to)
{
    th_str text = th__buf_str(&f->folded.text);
    while (from < to && text.ptr[from] == ' ')
        from++;
    while (to > from && text.ptr[to - 1] == ' ')
        to--;
    if (from >= to || to - from > TH__PIECE_MAX || l->count == TH__PIECES_MAX)
        return true;
    for (uint32_t i = 0; i < l->count; i++)
        if (l->seen[i].from == from && l->seen[i].to == to)
            return true;
    l->seen[l->count].from = from;
    l->seen[l->count++].to = to;
    th_span span = {f->folded.start[from], f->folded.end[to - 1]};
    bool whole = !from && to == text.len;
    return th__piece_add(f, w->unit, span, (th_str){text.ptr + from, to - from}, false, !whole) &&
           add_places(f, l, l->path, left_of(text, from, true), left_of(text, from, false),
                      right_of(text, to)) &&
           (!whole || (th__piece_spot(f, TH__BY_INNER, th__hash_mix(l->path, 0), 0) &&
                       th__piece_spot(f, TH__BY_TOLD, th__hash_mix(l->path, 0), l->before)));
}

static bool is_text(const th_page *page, uint32_t token)
{
    return page->tokens[token].kind == TH_TOKEN_TEXT &&
           !(page->tokens[token].flags & TH_TOKEN_BLANK);
}

/* What tells a text in a leaf: the label before a colon that the leaf begins with, or what stands
 * before the leaf. */
static uint64_t told_by(const th__finder *f, const th__text_walk *l)
{
    th_str text = th__buf_str(&f->folded.text);
    size_t colon = th__label_end(text);
    return colon == SIZE_MAX ? l->before : th__hash(text.ptr, colon);
}

/* The text before a token, in its leaf or the leaf before: as leaves are hashed. */
static uint64_t text_before(const th_page *page, const th__text_walk *l, const th__leaf *leaf,
                            uint32_t token)
{
    while (token-- > leaf->token) {
        uint64_t hash = 0;
        uint32_t len = 0;
        if (page->tokens[token].kind == TH_TOKEN_TEXT &&
            th__leaf_measure(th__token_text(page, token), &hash, &len))
            return hash;
    }
    return l->before;
}

/* The text of an element inside of a leaf, or one of its own texts among such; `whole`: it has no
 * other text. */
static bool add_run(th__finder *f, const th__unit_walk *w, const th__text_walk *l,
                    const th__leaf *leaf, uint32_t token, uint32_t node, bool whole)
{
    bool own = node == leaf->node;
    uint32_t end = own ? token + 1 : w->at->nodes[node].token_end;
    end = end < leaf->token_end ? end : leaf->token_end;
    while (end > token + 1 && w->at->tokens[end - 1].kind != TH_TOKEN_TEXT)
        end--;
    th_span span = {w->at->tokens[token].start, w->at->tokens[end].start};
    th_span before = {w->at->tokens[leaf->token].start, span.start};
    if (th_page_span_text(w->at, before, &f->text, NULL))
        return false;
    th_str text = {f->text.ptr, f->text.len};
    uint64_t word = left_of(text, text.len, true), signs = left_of(text, text.len, false);
    if (th_page_span_text(w->at, span, &f->text, NULL))
        return false;
    text = (th_str){f->text.ptr, f->text.len};
    if (!text.len || text.len > TH__PIECE_MAX)
        return true;
    uint64_t path =
        th__hash_mix(th__view_key(w->view, w->root, node), own ? TH__PATHS_MOST + 1 : 0);
    return th__piece_add(f, w->unit, span, text, false, !whole) &&
           add_places(f, l, path, word, signs, 0) &&
           th__piece_spot(f, TH__BY_INNER_ITEMS, path, told_by(f, l)) &&
           (own || (th__piece_spot(f, TH__BY_INNER, path, 0) &&
                    th__piece_spot(f, TH__BY_TOLD, path, text_before(w->at, l, leaf, token))));
}

/* The texts of the elements that begin with a text of a leaf: of "<b><i>Old</i> Town</b>" that is
 * "Old" of the one and "Old Town" of the other. */
static bool add_runs(th__finder *f, const th__unit_walk *w, const th__text_walk *l,
                     const th__leaf *leaf, uint32_t token, uint32_t before, uint32_t runs)
{
    uint32_t node = th__page_node_around(w->at, token, token);
    if (node == leaf->node)
        return runs == 1 || add_run(f, w, l, leaf, token, node, false);
    for (; node > leaf->node; node = w->at->nodes[node].parent) {
        if (before != UINT32_MAX && w->at->nodes[node].token <= before)
            break;
        if (!add_run(f, w, l, leaf, token, node, runs == 1))
            return false;
    }
    return true;
}

static bool add_inner(th__finder *f, const th__unit_walk *w, const th__text_walk *l,
                      const th__leaf *leaf)
{
    uint32_t before = UINT32_MAX, runs = 0;
    for (uint32_t t = leaf->token; t < leaf->token_end; t++)
        runs += is_text(w->at, t);
    for (uint32_t t = leaf->token; t < leaf->token_end; t++) {
        if (!is_text(w->at, t))
            continue;
        if (!add_runs(f, w, l, leaf, t, before, runs))
            return false;
        before = t;
    }
    return true;
}

static bool add_texts(th__finder *f, th__unit_walk *w, uint32_t leaf, uint64_t before)
{
    const th__leaf *own = &w->view->leaves.data[leaf];
    th__text_walk l = {.path = th__view_key(w->view, w->root, own->node), .before = before};
    l.nth = w->counts[l.path % TH__PATHS_MOST]++;
    if (!th__page_fold(w->at, th__leaf_span(w->at, own), &f->folded))
        return false;
    size_t len = f->folded.text.len;
    if (f->noting)
        return th__words_note(f, w, &l);
    return !len || (th__piece_cut(f, w, &l, 0, len) && th__words_known(f, w, &l) &&
                    th__cut_separated(f, w, &l) && th__words_cut(f, w, &l) &&
                    add_inner(f, w, &l, own) && (!f->lists || th__cut_items(f, w, &l)));
}

/* The target of a link or the source of an image. */
static bool add_target(th__finder *f, th__unit_walk *w, uint32_t node)
{
    static const struct {
        const char *tag, *attribute;
    } kinds[] = {{"a", "href"}, {"img", "src"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        th_str value;
        uint32_t token = w->at->nodes[node].token;
        if (w->at->tags[node] != th_tag_id(th_str_from(kinds[i].tag)) ||
            !th_attr_get(w->at, token, kinds[i].attribute, &value) || !value.len ||
            value.len > TH__PIECE_MAX)
            continue;
        uint32_t start = (uint32_t)(value.ptr - w->at->text.ptr);
        th__text_walk l = {.path = th__hash_mix(th__view_key(w->view, w->root, node), i + 1)};
        l.nth = w->counts[l.path % TH__PATHS_MOST]++;
        if (th_attr_text(value, &f->text, NULL))
            return false;
        if (!th__piece_add(f, w->unit, (th_span){start, start + (uint32_t)value.len},
                           (th_str){f->text.ptr, f->text.len}, true, false) ||
            !add_places(f, &l, l.path, 0, 0, 0))
            return false;
    }
    return true;
}

/* Whether a text holds a value that a field had, and is none. */
static bool holds_known(const th__finder *f, th_str text)
{
    const th__profile *profile = f->repair->profile;
    bool holds = false;
    for (uint32_t i = 0; i < profile->count; i++)
        for (uint32_t e = 0; !f->repair->targets[i] && e < profile->fields[i].example_count; e++) {
            th_str value = profile->fields[i].examples[e];
            if (th__str_eq(value, text))
                return false;
            holds = holds || (th__telling(value) && th__find_words(text, value, 0) != SIZE_MAX);
        }
    return holds;
}

/* The text of an element that has several: paragraphs of one value, unless values of fields are
 * among them. */
static bool add_element(th__finder *f, th__unit_walk *w, uint32_t node)
{
    const th__leaves *leaves = &w->view->leaves;
    uint32_t first = leaves->before[w->at->nodes[node].token];
    uint32_t end = leaves->before[w->at->nodes[node].token_end];
    if (end < first + 2 || end > first + PARAGRAPHS_MAX || end > leaves->count)
        return true;
    th_span span = {th__leaf_span(w->at, &leaves->data[first]).start,
                    th__leaf_span(w->at, &leaves->data[end - 1]).end};
    uint64_t path = th__view_key(w->view, w->root, node);
    th__text_walk l = {.path = th__hash_mix(path, TH__PATHS_MOST)};
    l.before = first ? leaves->data[first - 1].hash : 0;
    l.nth = w->counts[l.path % TH__PATHS_MOST]++;
    if (th_page_span_text(w->at, span, &f->text, NULL))
        return false;
    th_str text = {f->text.ptr, f->text.len};
    return !text.len || text.len > TH__PIECE_MAX || holds_known(f, text) ||
           (th__piece_add(f, w->unit, span, text, false, true) &&
            add_places(f, &l, l.path, 0, 0, 0) &&
            th__piece_spot(f, TH__BY_INNER, th__hash_mix(path, 0), 0) &&
            th__piece_spot(f, TH__BY_TOLD, th__hash_mix(path, 0), l.before));
}

/* ---- units ----------------------------------------------------------------------------------- */

static uint32_t depth_of(const th_page *page, uint32_t node)
{
    return page->paths[page->nodes[node].path].depth;
}

/* The element that holds the texts of a unit: records that rules find may begin with the end of the
 * one before. 0 for whole pages. */
static uint32_t node_of(const th_page *page, const th__unit *unit)
{
    if (!unit->span.start && unit->span.end >= page->text.len)
        return 0;
    uint32_t first = th__token_at(page, unit->span.start);
    uint32_t end =
        unit->span.end < page->text.len ? th__token_at(page, unit->span.end) : page->token_count;
    while (first < end && !is_text(page, first))
        first++;
    while (end > first && !is_text(page, end - 1))
        end--;
    return first < end ? th__page_node_around(page, first, end - 1) : 0;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Records of a list are seen each for itself: in a grid the third one of a row has the paths of the
 * first. Most of their elements are equally deep; those that are alone in one of their own are seen
 * from that deep, too. False without memory. */
static bool find_depth(th__finder *f)
{
    uint32_t most = 0, *depths = th__arena_zero(&f->arena, f->pages + 1, sizeof *depths);
    for (uint32_t i = 0; depths && i < f->pages; i++) {
        const th_page *page = th__repair_part(f->repair, f->units[i].page);
        depths[i] = depth_of(page, node_of(page, &f->units[i]));
    }
    if (depths)
        qsort(depths, f->pages, sizeof *depths, by_number);
    for (uint32_t i = 0, end; depths && i < f->pages; i = end) {
        for (end = i; end < f->pages && depths[end] == depths[i];)
            end++;
        f->depth = end - i > most ? depths[i] : f->depth;
        most = end - i > most ? end - i : most;
    }
    return depths != NULL;
}

static uint32_t root_of(const th__finder *f, const th_page *page, const th__unit *unit)
{
    uint32_t node = node_of(page, unit);
    while (node && depth_of(page, node) > f->depth)
        node = page->nodes[node].parent;
    return node;
}

static bool walk_unit(th__finder *f, th__unit_walk *w, bool targets)
{
    const th__leaves *leaves = &w->view->leaves;
    const th__unit *unit = &f->units[w->unit];
    uint32_t token = th__token_at(w->at, unit->span.start);
    uint32_t end =
        unit->span.end < w->at->text.len ? th__token_at(w->at, unit->span.end) : w->at->token_count;
    uint32_t first = leaves->before[token], last = leaves->before[end];
    bool ok = true;
    w->root = root_of(f, w->at, unit);
    memset(w->counts, 0, sizeof w->counts);
    if (last > first + LEAVES_MAX)
        last = first + LEAVES_MAX;
    for (uint32_t i = first; ok && i < last; i++)
        ok = add_texts(f, w, i, i ? leaves->data[i - 1].hash : 0);
    for (uint32_t i = th__page_node_from(w->at, token);
         ok && !f->noting && i < w->at->node_count && w->at->nodes[i].token < end; i++)
        ok = add_element(f, w, i) && (!targets || add_target(f, w, i));
    return ok;
}

/* Units from `from` on that are on one page; *to is one past the last. */
static bool walk_page(th__finder *f, uint32_t from, uint32_t *to, bool targets)
{
    th__unit_walk *w = TH__NEW(th__unit_walk);
    th__arena arena;
    th__view view;
    bool ok = w != NULL;
    th__arena_init(&arena);
    if (ok) {
        *w = (th__unit_walk){.at = th__repair_part(f->repair, f->units[from].page), .view = &view};
        th__buf_clear(&f->title);
        ok = th__view_make(&arena, w->at, &view) && th__page_title(w->at, &f->title);
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

typedef struct text_of {
    uint64_t hash;
    uint32_t candidate;
} text_of;

static int by_text(const void *a, const void *b)
{
    const text_of *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->candidate < y->candidate ? -1 : x->candidate > y->candidate;
}

/* Marks pieces whose text most units have. */
static bool mark_common(th__finder *f)
{
    size_t count = f->candidates.len;
    text_of *texts = TH__NEW_ARRAY(text_of, count + 1);
    if (!texts)
        return false;
    for (size_t i = 0; i < count; i++)
        texts[i] = (text_of){f->candidates.data[i].sample.hash, (uint32_t)i};
    qsort(texts, count, sizeof *texts, by_text);
    for (size_t i = 0, end; i < count; i = end) {
        uint32_t units = 0, last = UINT32_MAX;
        for (end = i; end < count && texts[end].hash == texts[i].hash; end++) {
            uint32_t unit = f->candidates.data[texts[end].candidate].unit;
            units += unit != last;
            last = unit;
        }
        for (size_t j = i; units > 2 && 2 * units > f->pages && j < end; j++)
            f->candidates.data[texts[j].candidate].common = true;
    }
    th__mem_free(texts);
    return true;
}

bool th__pieces_gather(th__finder *f, bool targets)
{
    bool ok = find_depth(f);
    for (int noting = 1; noting >= 0; noting--) {
        f->noting = noting;
        for (uint32_t i = 0, next; ok && i < f->pages; i = next)
            ok = !th__cancelled(&f->repair->cancel) && walk_page(f, i, &next, targets);
        ok = ok && (!noting || th__words_keep(f));
    }
    return ok && mark_common(f);
}