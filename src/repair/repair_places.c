/*
 * repair_places.c: finds the values of fields on changed pages: the paper's reinduction.
 *
 *   1. Pieces: every piece of text that may be a value, and targets of links and images for fields
 *      that hold such (below). Only text that is visible counts.
 *   2. Clusters: pieces of all records that are in the same place. Values that a field had, each
 *      the only one in its record, are a cluster too, wherever they are.
 *   3. A cluster is as like a field as its pieces are on the average of the records: beginning,
 *      ending and length as in the field's profile, or a value that it had. Records without a piece
 *      count as unlike. A text that is the same everywhere is not a value of a field whose values
 *      differed. Of a list all items count, and how many they are.
 *   4. Fields choose clusters, the surest first; a piece is used once. In records where the chosen
 *      place is empty, a field with fewer values than expected may get a second place; or a known
 *      value is taken from anywhere, once all fields have chosen.
 *
 * Cost: fields x pieces, and sorting them; a field chooses again only if its pieces are taken.
 */
#include "repair/repair.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "check/neighbours.h"
#include "index/view.h"
#include "page/page.h"
#include "page/signs.h"
#include "page/tags.h"
#include "page/text.h"

/* A piece of text, or a target, that may be a value. */
typedef struct piece {
    uint32_t extent;
    th_span span;
    bool target;
    bool part;         /* of a text, or of several */
    bool headed;       /* the title of its page contains it */
    bool common;       /* most records have its text: it belongs to the template */
    th__sample sample; /* text in the arena */
} piece;

/* A piece under one of the keys that identify its place. */
typedef struct piece_place {
    uint64_t place;
    uint32_t piece;
} piece_place;

/* A span that some field uses. */
typedef struct used_span {
    th_span span;
    uint32_t next; /* of the same extent, counted from 1; 0: none */
} used_span;

/* A word of the texts of a path; with key 0 one of these texts. */
typedef struct path_word {
    uint64_t path, key;
} path_word;

typedef struct place_finder {
    th_repair *repair;
    th__arena arena;
    const th__record_extent *extents;
    uint32_t extent_count;
    uint32_t depth; /* of the root elements of paths: 0 for whole pages */
    bool *target;   /* by field: it contains targets */
    TH__VEC(piece) pieces;
    TH__VEC(piece_place) places;
    size_t placed; /* places of pieces, in order; then those of known values */
    th__buf title; /* of the current page */
    th_text text;
    th__folded folded;
    double *likeness; /* by piece, for the current field */
    double *near;     /* by piece: share of the field's neighbours around it, 0 to 1 */
    bool there[TH__ENDS][TH__NEIGHBOURS_MAX]; /* neighbours of that field: on the pages */
    bool nearby;                              /* some of these are still on the pages */
    th__flow flows[TH__REPAIR_LEARN];         /* by page, those that have extents */
    const bool *done;    /* by extent: it has a value of this field; NULL if none has */
    double left;         /* values of it that are still expected */
    th__key_vec affixes; /* words that most texts of a path have, or several begin or end with */
    TH__VEC(path_word) words;
    bool noting; /* these are being collected */
    bool failed; /* out of memory, or the repair was cancelled */
    TH__VEC(used_span) used;
    uint32_t *used_of; /* by extent: the last of its spans in use, counted from 1 */
} place_finder;

/* ---- pieces -----------------------------------------------------------------------------------
 *
 * Every piece of text that may be a value:
 *
 *   - the texts of a page (index/view.h), whole; texts of elements inside them;
 *   - what is between separators;
 *   - what is between words that most texts of the same path have, or before or behind words that
 *     several of them begin or end with (counted first, on all pages);
 *   - values that a field had before, wherever they are;
 *   - targets of links and sources of images.
 *
 * Places are identified by the path of elements with their classes; by a landmark, the text before;
 * where that is of the page alone, by the position among texts of the same path; and inside a text
 * by the signs and words on either side.
 */

enum {
    LEAVES_MAX = 4000,   /* of a page: later ones are not fields of one record */
    SEPARATORS_MAX = 12, /* of a text: with more it is prose */
    REACH = 3,           /* separators that a piece may contain, plus one */
    LABEL_MAX = 40       /* bytes of a label before a colon */
};
enum {
    AFFIX_WORDS = 3, /* words of a label */
    AFFIX_OFTEN = 3  /* texts that have it: two may share a word by chance */
};

enum {
    PIECE_MAX = 2000, /* bytes of a value: longer texts are not fields */
    PIECES_MAX = 80,  /* of a text */
    WORDED_MAX = 200, /* bytes of a text with labels in it: longer ones are prose */
    PATHS_MOST = 4096 /* that are distinguished */
};

/* How places are identified. INNER: by the path of the element alone that contains all of a text,
 * on its own or inside another. TOLD: by that and the text before, in the same text or not. ITEMS:
 * by the label. */
enum { BY_LANDMARK = 1, BY_POSITION, BY_LABEL, BY_PATH, BY_INNER, BY_TOLD, BY_INNER_ITEMS };

typedef struct extent_walk {
    uint32_t extent;
    const th_page *at;
    const th__view *view;
    uint32_t root; /* paths start at this element */
    /* The number of earlier texts with the same path: a small hash table. A collision costs a
     * place, nothing more. */
    uint32_t counts[PATHS_MOST];
} extent_walk;

/* The current text: the finder has it folded. */
typedef struct text_walk {
    uint64_t path, before;
    uint32_t nth;
    struct {
        size_t from, to;
    } seen[PIECES_MAX];
    uint32_t count;
} text_walk;

/* ---- pieces ---------------------------------------------------------------------------------- */

static void add_piece(place_finder *f, uint32_t extent, th_span span, th_str text, bool target,
                      bool part)
{
    piece c = {.extent = extent, .span = span, .target = target, .part = part};
    c.headed = !target && th__is_headed(th__buf_str(&f->title), text);
    text = th__arena_copy(&f->arena, text);
    if (text.ptr)
        c.sample = th__sample_of(text);
    f->failed = f->failed || !text.ptr || !th__vec_push(&f->pieces, c);
}

/* Adds a place of the last piece. */
static void add_place(place_finder *f, uint64_t kind, uint64_t a, uint64_t b)
{
    uint64_t place = th__hash_mix(th__hash_mix(kind, a), b) | 1;
    f->failed =
        f->failed || !th__vec_push(&f->places, ((piece_place){place, (uint32_t)f->pieces.len - 1}));
}

/* Signs between two words, without those that belong to either word: in "Acme Corp. |" the bar
 * separates, and the dot belongs to the name. */
static th_str own_signs(th_str signs, bool left)
{
    const char *blank =
        left ? memchr(signs.ptr, ' ', signs.len) : memrchr(signs.ptr, ' ', signs.len);
    if (!blank)
        return signs;
    size_t at = (size_t)(blank - signs.ptr);
    th_str rest = left ? (th_str){blank, signs.len - at} : (th_str){signs.ptr, at + 1};
    bool some = false; /* other than blanks */
    for (size_t i = 0; i < rest.len; i++)
        some = some || rest.ptr[i] != ' ';
    return some ? rest : signs;
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

static void add_all_places(place_finder *f, const text_walk *l, uint64_t path, uint64_t word,
                           uint64_t signs, uint64_t right)
{
    uint64_t with_word = th__hash_mix(word, right), with_signs = th__hash_mix(signs, right);
    add_place(f, BY_LANDMARK, th__hash_mix(path, l->before), with_word);
    add_place(f, BY_POSITION, th__hash_mix(path, l->nth + 1), with_signs);
    add_place(f, BY_LABEL, path, with_word);
    add_place(f, BY_PATH, path, with_signs);
}

/* Adds the places of a whole text. */
static void add_whole(place_finder *f, uint64_t path, uint64_t before)
{
    add_place(f, BY_INNER, path, 0);
    add_place(f, BY_TOLD, path, before);
}

/* Adds a piece of the current text with its places, without blanks at its ends. */
static void cut_piece(place_finder *f, const extent_walk *w, text_walk *l, size_t from, size_t to)
{
    th_str text = th__buf_str(&f->folded.text);
    while (from < to && text.ptr[from] == ' ')
        from++;
    while (to > from && text.ptr[to - 1] == ' ')
        to--;
    if (from >= to || to - from > PIECE_MAX || l->count == PIECES_MAX)
        return;
    for (uint32_t i = 0; i < l->count; i++)
        if (l->seen[i].from == from && l->seen[i].to == to)
            return;
    l->seen[l->count].from = from;
    l->seen[l->count++].to = to;
    th_span span = {f->folded.start[from], f->folded.end[to - 1]};
    bool whole = !from && to == text.len;
    add_piece(f, w->extent, span, (th_str){text.ptr + from, to - from}, false, !whole);
    add_all_places(f, l, l->path, left_of(text, from, true), left_of(text, from, false),
                   right_of(text, to));
    if (whole)
        add_whole(f, th__hash_mix(l->path, 0), l->before);
}

/* ---- between signs --------------------------------------------------------------------------- */

/* The same without separators at its ends. */
static void cut_trimmed(place_finder *f, const extent_walk *w, text_walk *l, size_t from, size_t to)
{
    th_str text = th__buf_str(&f->folded.text);
    th_str bare = th__sign_trim((th_str){text.ptr + from, to - from});
    from = (size_t)(bare.ptr - text.ptr);
    cut_piece(f, w, l, from, from + bare.len);
}

/* Returns true if the blank at a byte of the text separates values: a non-breaking space, as old
 * pages use in rows, or a line end in the source between values that are one below the other. In
 * long texts such lines are prose. */
static bool is_parting_blank(const place_finder *f, const extent_walk *w, size_t at)
{
    th_str text = th__buf_str(&f->folded.text);
    if (text.ptr[at] != ' ')
        return false;
    th_str source = th__page_slice(w->at, f->folded.start[at], f->folded.end[at]);
    if (text.len <= WORDED_MAX && memchr(source.ptr, '\n', source.len))
        return true;
    return th__has_no_break(source);
}

/* Cuts between separators: up to the next ones, and to the end. */
static void cut_separated(place_finder *f, const extent_walk *w, text_walk *l)
{
    th_str text = th__buf_str(&f->folded.text);
    size_t starts[SEPARATORS_MAX + 1] = {0}, ends[SEPARATORS_MAX + 2];
    uint32_t count = 0;
    for (size_t at = 0; at < text.len;) {
        th_str rest = {text.ptr + at, text.len - at};
        size_t len = at ? 0 : th__sign_length(rest, TH__SIGN_BULLET);
        len = len ? len : th__sign_length(rest, TH__SIGN_PARTS);
        if (!len && is_parting_blank(f, w, at))
            len = 1;
        if (!len) {
            at++;
            continue;
        }
        if (count == SEPARATORS_MAX)
            return;
        ends[count] = at;
        starts[++count] = at + len;
        at += len;
    }
    ends[count] = text.len;
    for (uint32_t i = 0; i <= count; i++) {
        for (uint32_t j = i; j <= count && j <= i + REACH; j++)
            cut_piece(f, w, l, starts[i], ends[j]);
        cut_piece(f, w, l, starts[i], text.len);
    }
}

/* The end of a label at the start of a text: its colon, or SIZE_MAX. After another separator a
 * colon is inside a value. */
static size_t label_end(th_str text)
{
    size_t colon = th__str_find(text, TH_STR(":"));
    bool label = colon != SIZE_MAX && colon <= LABEL_MAX;
    for (size_t i = 0; label && i + 1 < colon; i++)
        label = text.ptr[i + 1] != ' ' || !th__sign_is_item(text.ptr[i]);
    return label ? colon : SIZE_MAX;
}

/* ---- between words ----------------------------------------------------------------------------
 *
 * Where most texts of a path have a word, it is the template's, and values are what is between such
 * words: "Filed at Sunrise Travel by our reporter Emma de Vries". Words that several texts of a
 * path begin or end with may be labels too: "Reviewer Mary Shelley". And values that fields had are
 * values wherever they are among words. */

static uint64_t prefix_key(const text_walk *l, th_str text, size_t to)
{
    return th__hash_mix(l->path + 1, th__hash(text.ptr, to));
}

static uint64_t suffix_key(const text_walk *l, th_str text, size_t from)
{
    return th__hash_mix(l->path + 2, th__hash(text.ptr + from, text.len - from));
}

static uint64_t word_key(const text_walk *l, th_str word)
{
    return th__hash_mix(l->path + 3, th__hash(word.ptr, word.len));
}

static bool is_counted(const place_finder *f, uint64_t key)
{
    return th__key_vec_find(&f->affixes, key) != SIZE_MAX;
}

static bool is_template_word(const place_finder *f, const text_walk *l, th_str word)
{
    return is_counted(f, word_key(l, word));
}

/* Handles the text without its first or last words, from one word up: while words are collected,
 * notes the key of each such end; later cuts the remainder if the end is frequent. */
static void see_affix(place_finder *f, const extent_walk *w, text_walk *l, uint64_t key,
                      size_t from, size_t to)
{
    if (f->noting)
        f->failed = f->failed || !th__vec_push(&f->affixes, key);
    else if (is_counted(f, key))
        cut_piece(f, w, l, from, to);
}

static void see_affixes(place_finder *f, const extent_walk *w, text_walk *l)
{
    th_str text = th__buf_str(&f->folded.text);
    size_t at = 0;
    for (int i = 0; i < AFFIX_WORDS; i++) {
        const char *blank = memchr(text.ptr + at, ' ', text.len - at);
        if (!blank)
            break;
        at = (size_t)(blank - text.ptr) + 1;
        see_affix(f, w, l, prefix_key(l, text, at), at, text.len);
    }
    at = text.len;
    for (int i = 0; i < AFFIX_WORDS; i++) {
        const char *blank = memrchr(text.ptr, ' ', at);
        if (!blank)
            break;
        at = (size_t)(blank - text.ptr);
        see_affix(f, w, l, suffix_key(l, text, at), 0, at);
    }
}

/* Notes the words of a text, each once, and the text itself for its path. */
static void note_words(place_finder *f, const text_walk *l)
{
    enum { WORDS = 64 };
    th_str text = th__buf_str(&f->folded.text);
    uint64_t seen[WORDS];
    size_t end = 0, count = 0;
    for (th_str word = th__next_word(text, 0, &end); word.len && count < WORDS;
         word = th__next_word(text, end, &end)) {
        uint64_t key = word_key(l, word);
        size_t i = 0;
        while (i < count && seen[i] != key)
            i++;
        if (i < count)
            continue;
        seen[count++] = key;
        f->failed = f->failed || !th__vec_push(&f->words, ((path_word){l->path, key}));
    }
    f->failed = f->failed || !th__vec_push(&f->words, ((path_word){l->path, 0}));
}

/* Cuts between words of the template. */
static void cut_between(place_finder *f, const extent_walk *w, text_walk *l)
{
    th_str text = th__buf_str(&f->folded.text);
    size_t from = 0, end = 0;
    bool some = false;
    for (th_str word = th__next_word(text, 0, &end); word.len;
         word = th__next_word(text, end, &end)) {
        if (!is_template_word(f, l, word))
            continue;
        some = true;
        cut_trimmed(f, w, l, from, (size_t)(word.ptr - text.ptr));
        from = end;
    }
    if (some)
        cut_trimmed(f, w, l, from, text.len);
}

static int by_path(const void *a, const void *b)
{
    const path_word *x = a, *y = b;
    return th__order(x->path, y->path) ?: th__order(x->key, y->key);
}

/* Keeps the words that most texts of their path have. The texts themselves come first. */
static void keep_words(place_finder *f)
{
    size_t texts = 0;
    if (f->words.len)
        qsort(f->words.data, f->words.len, sizeof *f->words.data, by_path);
    for (size_t i = 0, end; i < f->words.len; i = end) {
        const path_word *own = &f->words.data[i];
        for (end = i; end < f->words.len && !by_path(own, &f->words.data[end]);)
            end++;
        if (!own->key)
            texts = end - i;
        else if (texts >= AFFIX_OFTEN && 5 * (end - i) >= 4 * texts)
            f->failed = f->failed || !th__vec_push(&f->affixes, own->key);
    }
}

/* Keeps frequent beginnings and ends. */
static void keep_affixes(place_finder *f)
{
    size_t kept = 0;
    th__key_vec *keys = &f->affixes;
    if (keys->len)
        qsort(keys->data, keys->len, sizeof *keys->data, th__by_number);
    for (size_t i = 0, end; i < keys->len; i = end) {
        for (end = i; end < keys->len && keys->data[end] == keys->data[i];)
            end++;
        if (end - i >= AFFIX_OFTEN)
            keys->data[kept++] = keys->data[i];
    }
    keys->len = kept;
    keep_words(f);
    th__key_vec_sort(keys);
}

/* The word that ends at a byte, or begins there. */
static th_str word_before(th_str text, size_t to)
{
    size_t from = to;
    while (from && th__is_word_part((unsigned char)text.ptr[from - 1]))
        from--;
    return (th_str){text.ptr + from, to - from};
}

/* Returns true if two bytes of a text are in one word despite a sign between them, as in
 * "2019-07". */
static bool is_joined(th_str text, size_t sign)
{
    return sign && sign + 1 < text.len && memchr("-./,'", text.ptr[sign], 5) &&
           th__is_word_part((unsigned char)text.ptr[sign - 1]) &&
           th__is_word_part((unsigned char)text.ptr[sign + 1]);
}

/* Returns true if a piece is separate: not one of several words that belong together, such as
 * "Professor" in "Assistant Professor". Signs, or words that other texts share at that place,
 * separate it. */
static bool is_parted(const place_finder *f, const extent_walk *w, const text_walk *l, size_t from,
                      size_t to)
{
    th_str text = th__buf_str(&f->folded.text);
    size_t end;
    bool left = from < 2 || text.ptr[from - 1] != ' ' ||
                !th__is_word_part((unsigned char)text.ptr[from - 2]) ||
                is_parting_blank(f, w, from - 1);
    bool right = to + 1 >= text.len || text.ptr[to] != ' ' ||
                 !th__is_word_part((unsigned char)text.ptr[to + 1]) || is_parting_blank(f, w, to);
    left = left || is_counted(f, prefix_key(l, text, from)) ||
           is_template_word(f, l, word_before(text, from - 1));
    right = right || is_counted(f, suffix_key(l, text, to)) ||
            is_template_word(f, l, th__next_word(text, to, &end));
    return left && right && !(from && is_joined(text, from - 1)) && !is_joined(text, to);
}

/* Cuts out known values of fields. */
static void cut_known(place_finder *f, const extent_walk *w, text_walk *l)
{
    const th__profile *profile = f->repair->profile;
    th_str text = th__buf_str(&f->folded.text);
    for (uint32_t i = 0; i < profile->count; i++)
        for (uint32_t e = 0; !f->repair->targets[i] && e < profile->fields[i].example_count; e++) {
            th_str value = profile->fields[i].examples[e];
            size_t at = value.len <= text.len ? th__find_words(text, value, 0) : SIZE_MAX;
            if (at != SIZE_MAX && is_parted(f, w, l, at, at + value.len))
                cut_piece(f, w, l, at, at + value.len);
        }
}

/* ---- inside elements, and of several -------------------------------------------------------
 */

/* The key that identifies a text in a leaf: the label with a colon at the leaf's start, or the text
 * before the leaf. */
static uint64_t told_by(const place_finder *f, const text_walk *l)
{
    th_str text = th__buf_str(&f->folded.text);
    size_t colon = label_end(text);
    return colon == SIZE_MAX ? l->before : th__hash(text.ptr, colon);
}

/* The text before a token, in its leaf or the leaf before: as leaves are hashed. */
static uint64_t text_before(const th_page *page, const text_walk *l, const th__leaf *leaf,
                            uint32_t token)
{
    while (token-- > leaf->token) {
        uint64_t hash = 0;
        uint32_t len = 0;
        if (page->tokens[token].kind == TH_TOKEN_TEXT &&
            th__text_measure(th__token_text(page, token), &hash, &len))
            return hash;
    }
    return l->before;
}

/* The text of a part of the page, valid until the next call; empty if out of memory. */
static th_str text_of_span(place_finder *f, const th_page *page, th_span span)
{
    bool failed = th_page_span_text(page, span, &f->text, NULL) != TH_OK;
    f->failed = f->failed || failed;
    return failed ? TH_STR("") : (th_str){f->text.ptr, f->text.len};
}

/* The text of an element inside a leaf, or one of its own texts among such; `whole`: it has no
 * other text. */
static void add_run(place_finder *f, const extent_walk *w, const text_walk *l, const th__leaf *leaf,
                    uint32_t token, uint32_t node, bool whole)
{
    bool own = node == leaf->node;
    uint32_t end = own ? token + 1 : w->at->nodes[node].token_end;
    end = end < leaf->token_end ? end : leaf->token_end;
    while (end > token + 1 && w->at->tokens[end - 1].kind != TH_TOKEN_TEXT)
        end--;
    th_span span = {w->at->tokens[token].start, w->at->tokens[end].start};
    th_str text = text_of_span(f, w->at, (th_span){w->at->tokens[leaf->token].start, span.start});
    uint64_t word = left_of(text, text.len, true), signs = left_of(text, text.len, false);
    text = text_of_span(f, w->at, span);
    if (!text.len || text.len > PIECE_MAX)
        return;
    uint64_t path = th__hash_mix(th__view_key(w->view, w->root, node), own ? PATHS_MOST + 1 : 0);
    add_piece(f, w->extent, span, text, false, !whole);
    add_all_places(f, l, path, word, signs, 0);
    add_place(f, BY_INNER_ITEMS, path, told_by(f, l));
    if (!own)
        add_whole(f, path, text_before(w->at, l, leaf, token));
}

/* Adds the texts of the elements that begin with a text of a leaf: for "<b><i>Old</i> Town</b>"
 * that is "Old" of the inner and "Old Town" of the outer one. */
static void add_runs(place_finder *f, const extent_walk *w, const text_walk *l,
                     const th__leaf *leaf, uint32_t token, uint32_t before, uint32_t runs)
{
    uint32_t node = th__page_node_around(w->at, token, token);
    if (node == leaf->node && runs > 1)
        add_run(f, w, l, leaf, token, node, false);
    for (; node > leaf->node; node = w->at->nodes[node].parent) {
        if (before != UINT32_MAX && w->at->nodes[node].token <= before)
            break;
        add_run(f, w, l, leaf, token, node, runs == 1);
    }
}

static void add_inner(place_finder *f, const extent_walk *w, const text_walk *l,
                      const th__leaf *leaf)
{
    uint32_t before = UINT32_MAX, runs = 0;
    for (uint32_t t = leaf->token; t < leaf->token_end; t++)
        runs += th__is_body_text(&w->at->tokens[t]);
    for (uint32_t t = leaf->token; t < leaf->token_end; t++) {
        if (!th__is_body_text(&w->at->tokens[t]))
            continue;
        add_runs(f, w, l, leaf, t, before, runs);
        before = t;
    }
}

static void add_texts(place_finder *f, extent_walk *w, uint32_t leaf, uint64_t before)
{
    const th__leaf *own = &w->view->leaves.data[leaf];
    text_walk l = {.path = th__view_key(w->view, w->root, own->node), .before = before};
    l.nth = w->counts[l.path % PATHS_MOST]++;
    if (!th__page_fold(w->at, th__leaf_span(w->at, own), &f->folded)) {
        f->failed = true;
        return;
    }
    size_t len = f->folded.text.len;
    bool worded = len <= WORDED_MAX;
    if (f->noting && worded) {
        see_affixes(f, w, &l);
        note_words(f, &l);
    }
    if (f->noting || !len)
        return;
    cut_piece(f, w, &l, 0, len);
    cut_known(f, w, &l);
    cut_separated(f, w, &l);
    if (worded) {
        cut_between(f, w, &l);
        see_affixes(f, w, &l);
    }
    add_inner(f, w, &l, own);
}

/* The target of a link or the source of an image. */
static void add_target(place_finder *f, extent_walk *w, uint32_t node)
{
    bool link = w->at->tags[node] == TH_TAG_A;
    th_str value;
    if (!(link || w->at->tags[node] == TH_TAG_IMG) ||
        !th_attr_get(w->at, w->at->nodes[node].token, link ? "href" : "src", &value) ||
        !value.len || value.len > PIECE_MAX)
        return;
    uint32_t start = (uint32_t)(value.ptr - w->at->text.ptr);
    text_walk l = {.path = th__hash_mix(th__view_key(w->view, w->root, node), link ? 1 : 2)};
    l.nth = w->counts[l.path % PATHS_MOST]++;
    if (th_attr_text(value, &f->text, NULL)) {
        f->failed = true;
        return;
    }
    add_piece(f, w->extent, (th_span){start, start + (uint32_t)value.len},
              (th_str){f->text.ptr, f->text.len}, true, false);
    add_all_places(f, &l, l.path, 0, 0, 0);
}

/* ---- extents -----------------------------------------------------------------------------------
 */

static uint32_t depth_of(const th_page *page, uint32_t node)
{
    return page->paths[page->nodes[node].path].depth;
}

/* The element that contains the texts of an extent: records that rules find may begin with the end
 * of the one before. 0 for whole pages. */
static uint32_t node_of(const th_page *page, const th__record_extent *extent)
{
    if (!extent->span.start && extent->span.end >= page->text.len)
        return 0;
    uint32_t first = th__token_at(page, extent->span.start);
    uint32_t end = extent->span.end < page->text.len ? th__token_at(page, extent->span.end)
                                                     : page->token_count;
    while (first < end && !th__is_body_text(&page->tokens[first]))
        first++;
    while (end > first && !th__is_body_text(&page->tokens[end - 1]))
        end--;
    return first < end ? th__page_node_around(page, first, end - 1) : 0;
}

/* Paths in records of a list start at the record: in a grid the third record of a row has the paths
 * of the first. Most record elements have one depth; records that are alone in a deeper element
 * start at that depth, too. False if out of memory. */
static bool find_depth(place_finder *f)
{
    uint32_t most = 0, *depths = th__arena_zero(&f->arena, f->extent_count + 1, sizeof *depths);
    for (uint32_t i = 0; depths && i < f->extent_count; i++) {
        const th_page *page = th__repair_part(f->repair, f->extents[i].page);
        depths[i] = depth_of(page, node_of(page, &f->extents[i]));
    }
    if (depths)
        qsort(depths, f->extent_count, sizeof *depths, th__by_node);
    for (uint32_t i = 0, end; depths && i < f->extent_count; i = end) {
        for (end = i; end < f->extent_count && depths[end] == depths[i];)
            end++;
        f->depth = end - i > most ? depths[i] : f->depth;
        most = end - i > most ? end - i : most;
    }
    return depths != NULL;
}

static uint32_t root_of(const place_finder *f, const th_page *page, const th__record_extent *extent)
{
    uint32_t node = node_of(page, extent);
    while (node && depth_of(page, node) > f->depth)
        node = page->nodes[node].parent;
    return node;
}

static void walk_extent(place_finder *f, extent_walk *w, bool targets)
{
    const th__leaves *leaves = &w->view->leaves;
    const th__record_extent *extent = &f->extents[w->extent];
    uint32_t token = th__token_at(w->at, extent->span.start);
    uint32_t end = extent->span.end < w->at->text.len ? th__token_at(w->at, extent->span.end)
                                                      : w->at->token_count;
    uint32_t first = leaves->before[token], last = leaves->before[end];
    w->root = root_of(f, w->at, extent);
    memset(w->counts, 0, sizeof w->counts);
    if (last > first + LEAVES_MAX)
        last = first + LEAVES_MAX;
    for (uint32_t i = first; !f->failed && i < last; i++)
        add_texts(f, w, i, i ? leaves->data[i - 1].hash : 0);
    for (uint32_t i = th__page_node_from(w->at, token);
         targets && !f->failed && !f->noting && i < w->at->node_count &&
         w->at->nodes[i].token < end;
         i++)
        add_target(f, w, i);
}

/* Walks through the extents of one page from `from` on; returns the index after the last. */
static uint32_t walk_page(place_finder *f, extent_walk *w, uint32_t from, bool targets)
{
    th__arena arena;
    th__view view;
    uint32_t page = f->extents[from].page;
    th__arena_init(&arena);
    w->at = th__repair_part(f->repair, page);
    w->view = &view;
    th__buf_clear(&f->title);
    f->failed = f->failed || th__cancelled(&f->repair->cancel) ||
                !th__view_make(&arena, w->at, &view) || !th__page_title(w->at, &f->title) ||
                (!f->noting && !th__flow_make(&f->arena, w->at, &f->flows[page]));
    for (; !f->failed && from < f->extent_count && f->extents[from].page == page; from++) {
        w->extent = from;
        walk_extent(f, w, targets);
    }
    th__arena_release(&arena);
    return from;
}

typedef struct text_of {
    uint64_t hash;
    uint32_t piece;
} text_of;

static int by_text(const void *a, const void *b)
{
    const text_of *x = a, *y = b;
    return th__order(x->hash, y->hash) ?: th__order(x->piece, y->piece);
}

/* Marks pieces whose text most extents have. */
static bool mark_common(place_finder *f)
{
    size_t count = f->pieces.len;
    text_of *texts = TH__NEW_ARRAY(text_of, count + 1);
    if (!texts)
        return false;
    for (size_t i = 0; i < count; i++)
        texts[i] = (text_of){f->pieces.data[i].sample.hash, (uint32_t)i};
    qsort(texts, count, sizeof *texts, by_text);
    for (size_t i = 0, end; i < count; i = end) {
        uint32_t extents = 0, last = UINT32_MAX;
        for (end = i; end < count && texts[end].hash == texts[i].hash; end++) {
            uint32_t extent = f->pieces.data[texts[end].piece].extent;
            extents += extent != last;
            last = extent;
        }
        for (size_t j = i; extents > 2 && 2 * extents > f->extent_count && j < end; j++)
            f->pieces.data[texts[j].piece].common = true;
    }
    th__mem_free(texts);
    return true;
}

static bool gather_pieces(place_finder *f, bool targets)
{
    extent_walk *w = TH__NEW(extent_walk);
    f->failed = !w || !find_depth(f);
    for (int noting = 1; noting >= 0; noting--) {
        f->noting = noting;
        for (uint32_t i = 0; !f->failed && i < f->extent_count;)
            i = walk_page(f, w, i, targets);
        if (noting)
            keep_affixes(f);
    }
    th__mem_free(w);
    return !f->failed && mark_common(f);
}

/* ---- choosing places ----------------------------------------------------------------------------
 */

/* A value less like a field than this is not its value. */
#define LEAST_VALUE 0.3
/* Factor on a cluster's likeness if its text is the same on all pages. */
#define CONSTANT_PART 0.3
/* Factor if all its texts have the same word at an end, and the field's did not. */
#define LABELLED_PART 0.75
/* Factor if it consists of pieces and no value is known: there are many pieces. */
#define PIECE_PART 0.85
/* The largest loss of a place for other texts in it. */
#define OTHERS_PART 0.1
/* The same for a list: other fields of its tuples may be in the same place, which is harmless if
 * its own values are known. */
#define LIST_OTHERS 0.3
/* Factor if none of the field's neighbours is around it, although they are still on the pages. */
#define STRANGE_PART 0.3
/* The weight of the field's own element, in neighbours, if pages have few like it. */
#define ELEMENT_WORTH 0.6
/* The largest loss of neighbours if the value is far from the field's relative position. */
#define POSITION_PART 0.2
/* A neighbour is still on the pages if this share of its pages has it; and known values count
 * anywhere only with this share of the neighbours around them. */
#define STILL_THERE 0.5
#define STILL_NEAR  0.5
/* A text next to the captions of a field is not its value if it is less like it than this. */
#define LEAST_LOOKS 0.45
/* A place this like a field is accepted anywhere if other texts elsewhere have at most this part of
 * its likeness. */
#define SURE_LOOKS 0.65
#define SURE_LEAD  0.8
/* Factor on the likeness of a value that is not known. */
#define NEW_PART 0.93
/* The same if all values were of a few. */
#define FEW_PART 0.7

/* How much the likeness of a place may lose by additions to values: a mark after, a word before. */
#define ABOUT 0.1
/* The least likeness of a cluster. */
#define LEAST_CLUSTER 0.35
/* A second place of a field needs this likeness, so many values, and this share of those in the
 * first: below that, records just lack the field. */
#define SECOND_LIKE  0.6
#define SECOND_LEAST 2
#define SECOND_PART  0.05
/* A text is a value of a field despite its looks with this share of the neighbours around it, and
 * around the others. */
#define SURE_NEAR 0.7
/* A text is preferred to its part as the value with this part of the part's likeness. */
#define WHOLE_PART 0.7

/* ---- clusters -------------------------------------------------------------------------------- */

typedef struct cluster {
    size_t from, to; /* of the places */
    double likeness;
    double looks; /* the same, without neighbours */
} cluster;

/* The piece at a place. */
static const piece *piece_at(const place_finder *f, size_t place)
{
    return &f->pieces.data[f->places.data[place].piece];
}

/* Returns true if some field uses a piece or a part of it. */
static bool is_used(const place_finder *f, const piece *c)
{
    for (uint32_t i = f->used_of[c->extent]; i; i = f->used.data[i - 1].next) {
        th_span span = f->used.data[i - 1].span;
        if (c->span.start < span.end && span.start < c->span.end)
            return true;
    }
    return false;
}

/* Returns true if a piece is no longer a candidate: it is used, or its extent has a value
 * already. */
static bool is_out(const place_finder *f, const piece *c)
{
    return (f->done && f->done[c->extent]) || is_used(f, c);
}

/* Returns true for fields of lists. */
static bool has_many(th_str path)
{
    return th__str_find(path, TH_STR("[]")) != SIZE_MAX;
}

/* Sums over the candidates of a cluster. Those unlike the field are not counted: if several fields
 * share a place, each has its own values. */
typedef struct summary {
    double sum;         /* of likeness: of the first on a page, or of all */
    double near;        /* the same, of neighbours */
    uint32_t on_pages;  /* that have one that is like the field */
    uint32_t all_pages; /* that have one */
    uint32_t count, like, several, known, pieces;
    uint64_t edges[TH__ENDS];   /* the common word at each end of all of them, or 0 */
    uint64_t of_page, of_first; /* sums over these texts of a page, and of the first page */
    bool same;
} summary;

static void end_of_page(summary *s)
{
    if (s->all_pages == 1)
        s->of_first = s->of_page;
    s->same = s->same && s->of_page == s->of_first;
    s->of_page = 0;
}

/* The first or the last word of a text, as a number. */
static uint64_t edge_of(th_str text, int end)
{
    size_t from = 0, to = text.len;
    if (end == TH__START)
        th__next_word(text, 0, &to);
    while (end == TH__END && to && !th__is_word_part((unsigned char)text.ptr[to - 1]))
        to--;
    for (from = to; from && th__is_word_part((unsigned char)text.ptr[from - 1]);)
        from--;
    return to > from ? th__hash(text.ptr + from, to - from) : 0;
}

static void see_edges(th_str text, summary *s)
{
    for (int end = 0; end < TH__ENDS; end++) {
        uint64_t edge = s->like && !s->edges[end] ? 0 : edge_of(text, end);
        s->edges[end] = !s->like || edge == s->edges[end] ? edge : 0;
    }
}

static bool sum_up(const place_finder *f, const cluster *c, bool list, summary *out)
{
    uint32_t last = UINT32_MAX, liked = UINT32_MAX;
    *out = (summary){.same = true};
    for (size_t i = c->from; i < c->to; i++) {
        uint32_t at = f->places.data[i].piece;
        const piece *own = &f->pieces.data[at];
        if (is_out(f, own))
            continue;
        if (own->extent != last) {
            if (out->all_pages)
                end_of_page(out);
            out->all_pages++;
        }
        last = own->extent;
        out->pieces += own->part;
        out->count++;
        if (f->likeness[at] < LEAST_VALUE)
            continue;
        see_edges(own->sample.text, out);
        out->like++;
        out->of_page += own->sample.hash;
        out->several += own->extent == liked;
        if (own->extent != liked || list) {
            out->sum += f->likeness[at];
            out->near += f->near[at];
            out->known += f->likeness[at] >= 1;
        }
        out->on_pages += own->extent != liked;
        liked = own->extent;
    }
    if (out->all_pages)
        end_of_page(out);
    return out->on_pages > 0;
}

static double like_list(const place_finder *f, const th__field_profile *profile, const summary *s)
{
    /* Penalise a list in proportion to its missing items. */
    double records = (double)f->repair->profile->records;
    double wanted = (double)f->extent_count * (double)profile->values / fmax(1, records);
    double apart = wanted > 0 ? fabs(log(s->like / wanted)) : 0;
    return s->sum / s->like / (1 + fmax(0, apart - 0.1)) *
           (1 - LIST_OTHERS * (s->count - s->like) / s->count * (s->like - s->known) / s->like);
}

static double like_field(const place_finder *f, const th__field_profile *profile, const summary *s)
{
    double share = profile->chances ? (double)profile->values / (double)profile->chances : 0;
    /* A field that was often missing may be so now; one that was always present must be on all
     * pages that have its place. */
    double wanted = f->done ? f->left : (double)f->extent_count * (share < 1 ? share : 1);
    double others = (double)(s->all_pages - s->on_pages);
    double likeness = s->sum / fmax(wanted, s->on_pages + others * share * share);
    /* Several candidates in one place: it does not identify the value. */
    return likeness / (1 + (double)s->several / s->on_pages);
}

/* Returns true if a text is the same on all pages and belongs to the template, unless the field had
 * only one. On two or three pages that is likely if values often repeated. */
static bool is_constant(const th__field_profile *profile, const summary *s)
{
    return s->same && s->all_pages > 1 &&
           (th__is_varied(profile) || (s->all_pages > 3 && profile->distinct > 1));
}

/* If most values were different, a few known ones are better evidence than any form: `count` values
 * make up the sum. */
static void trust_known(const th__field_profile *profile, uint32_t count, summary *s)
{
    if (th__is_varied(profile) && count)
        s->sum += (count - s->sum) * s->known / count;
}

/* Returns true if all texts begin or end with a label: a word that the field's values did not
 * have. */
static bool has_label(const th__field_profile *profile, const summary *s)
{
    for (int end = 0; end < TH__ENDS; end++) {
        bool own = !s->edges[end];
        for (uint32_t i = 0; !own && i < profile->word_count; i++)
            own = th__hash(profile->words[i].ptr, profile->words[i].len) == s->edges[end];
        if (!own)
            return true;
    }
    return false;
}

static double like_cluster(const place_finder *f, uint32_t field, cluster *c)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    bool list = has_many(profile->path);
    summary s;
    if (!sum_up(f, c, list, &s))
        return 0;
    trust_known(profile, list ? s.like : s.on_pages, &s);
    double likeness = list ? like_list(f, profile, &s) : like_field(f, profile, &s);
    if (!list)
        likeness *= 1 - OTHERS_PART * (s.count - s.on_pages - s.several) / s.count;
    if (is_constant(profile, &s))
        likeness *= CONSTANT_PART;
    if (2 * s.pieces > s.count && !s.known)
        likeness *= PIECE_PART;
    if (s.on_pages > 2 && !s.known && !s.same && has_label(profile, &s))
        likeness *= LABELLED_PART;
    c->looks = likeness;
    if (f->nearby && !(th__is_varied(profile) && 2 * s.known > (list ? s.like : s.on_pages)))
        likeness *= 1 - (1 - STRANGE_PART) * (1 - s.near / (list ? s.like : s.on_pages));
    /* On a tie, prefer more pages. */
    return likeness + 1e-6 * s.on_pages;
}

/* How like a field a value is. A known value counts more than any form. If a few values repeated
 * again and again, all are known: another one is less likely. */
static double like_value(const th__field_profile *profile, const th__sample *value)
{
    double likeness = th__value_likeness(profile, value);
    bool few = !th__is_varied(profile) && profile->distinct <= profile->example_count;
    return likeness < 1 ? likeness * (few ? FEW_PART : NEW_PART) : likeness;
}

/* Makes a cluster of known values, each the only one on its page, wherever they are: if there are
 * as many as expected, this is the best evidence. False if out of memory. */
static bool known_cluster(place_finder *f, uint32_t field, cluster *best)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    size_t begin = f->places.len;
    double share = profile->chances ? (double)profile->values / (double)profile->chances : 0;
    uint32_t pages = 0;
    bool clear = true, ok = true, varied = th__is_varied(profile);
    for (size_t i = 0, end; ok && clear && i < f->pieces.len; i = end) {
        uint32_t page = f->pieces.data[i].extent, found = 0, several = 0;
        for (end = i; end < f->pieces.len && f->pieces.data[end].extent == page; end++) {
            const piece *c = &f->pieces.data[end];
            if (c->target != f->target[field] || like_value(profile, &c->sample) < 1 ||
                is_used(f, c))
                continue;
            const piece *first = found ? &f->pieces.data[found - 1] : c;
            several += c->span.start >= first->span.end || first->span.start >= c->span.end;
            found = found ? found : (uint32_t)end + 1;
        }
        if (!found)
            continue;
        clear = !several && (!varied || !f->pieces.data[found - 1].common);
        ok = th__vec_push(&f->places, ((piece_place){0, found - 1}));
        pages++;
    }
    double near = 0;
    for (size_t i = begin; i < f->places.len; i++)
        near += f->near[f->places.data[i].piece];
    clear = clear && (varied || !f->nearby || near >= STILL_NEAR * pages);
    if (ok && clear && pages > 1 && pages + 0.5 >= share * f->extent_count)
        *best = (cluster){begin, f->places.len, 1 + 1e-6 * pages, 1};
    else
        f->places.len = begin;
    return ok;
}

/* How like a field a piece is. A label that the field did not have is not a value. A text of the
 * template may be one, but if values differed it does not count as known. */
static double piece_likeness(const place_finder *f, const th__field_profile *profile,
                             const piece *c)
{
    bool varied = th__is_varied(profile) && !has_many(profile->path);
    double likeness = like_value(profile, &c->sample);
    if (likeness < 1 && th__ends_with_colon(c->sample.text))
        return 0;
    if (likeness < 1)
        likeness = th__headed_likeness(profile, likeness, c->headed);
    return varied && c->common ? fmin(likeness, NEW_PART) : likeness;
}

/* Returns true if two pieces have the same text, except for blanks around it. */
static bool is_same(const piece *a, const piece *b)
{
    return a->sample.hash == b->sample.hash && a->span.start < b->span.end &&
           b->span.start < a->span.end;
}

/* Returns true if a piece contains another, and more. */
static bool is_around(const piece *c, const piece *part)
{
    return c->sample.text.len > part->sample.text.len && c->span.start < part->span.end &&
           part->span.start < c->span.end &&
           th__str_find(c->sample.text, part->sample.text) != SIZE_MAX;
}

/* The next spot of a cluster from `at` on in an extent or a later one. */
static size_t place_in(const place_finder *f, const cluster *c, size_t at, uint32_t extent)
{
    while (at < c->to && f->pieces.data[f->places.data[at].piece].extent < extent)
        at++;
    return at;
}

/* Returns true if a cluster has the same pieces as another in most extents, and wider ones in the
 * rest: markup inside some values gives their parts a place. */
static bool is_wider(const place_finder *f, const cluster *c, const cluster *other)
{
    size_t same = 0, wider = 0, at = other->from;
    for (size_t i = c->from; i < c->to; i++) {
        const piece *own = piece_at(f, i);
        at = place_in(f, other, at, own->extent);
        if (at == other->to)
            break;
        const piece *its = piece_at(f, at);
        if (its->extent != own->extent)
            continue;
        bool equal = is_same(own, its);
        if (!equal && !is_around(own, its))
            return false;
        same += equal;
        wider += !equal;
    }
    return wider && same > wider && 10 * (same + wider) >= 9 * (other->to - other->from);
}

/* Returns true if a cluster is better than the best so far. */
static bool is_better(const place_finder *f, const cluster *c, const cluster *top)
{
    if (c->likeness <= top->likeness - ABOUT)
        return false;
    if (c->likeness <= top->likeness)
        return is_wider(f, c, top);
    return c->likeness > top->likeness + ABOUT || !is_wider(f, top, c);
}

/* ---- neighbours ------------------------------------------------------------------------------ */

/* The share of the pages with extents that have a text. */
static double pages_with(const place_finder *f, uint64_t hash)
{
    uint32_t pages = 0, with = 0;
    for (uint32_t p = 0; p < TH__REPAIR_LEARN; p++) {
        const th__flow *flow = &f->flows[p];
        uint32_t i = 0;
        while (i < flow->count && flow->hash[i] != hash)
            i++;
        pages += flow->page != NULL;
        with += i < flow->count;
    }
    return pages ? (double)with / pages : 0;
}

/* The hash of a field's own element if pages have one or two like it; else 0. False if out of
 * memory.
 */
static bool find_element(place_finder *f, const th__field_profile *profile, uint64_t *out)
{
    enum { FEW = 2 };
    uint16_t tag;
    uint64_t hash = profile->element.len ? th__step_hash(profile->element, &tag) : 0;
    uint32_t pages = 0, count = 0;
    *out = 0;
    for (uint32_t p = 0; hash && p < TH__REPAIR_LEARN; p++) {
        th__view view;
        if (!f->flows[p].page)
            continue;
        if (!th__view_make(&f->arena, f->flows[p].page, &view))
            return false;
        pages++;
        for (uint32_t n = 1; n < view.page->node_count; n++)
            count += view.signature[n] == th__step_signature(hash);
    }
    *out = count && count <= FEW * pages ? hash : 0;
    return true;
}

/* Computes how many of its neighbours are around the pieces like a field: only those that are still
 * on the pages count. A caption that is gone means nothing. */
static bool find_near(place_finder *f, const th__field_profile *profile)
{
    uint64_t element;
    if (!find_element(f, profile, &element))
        return false;
    double all = 0, left = 0;
    for (int side = 0; side < TH__ENDS; side++)
        for (uint32_t i = 0; i < profile->around[side].count; i++) {
            const th__neighbour *own = &profile->around[side].data[i];
            double weight = (double)own->count / own->at;
            double share = (double)own->count / (double)(profile->sampled ? profile->sampled : 1);
            f->there[side][i] = pages_with(f, own->hash) >= STILL_THERE * fmin(1, share);
            all += weight;
            left += f->there[side][i] ? weight : 0;
        }
    /* Items of a list are neighbours of each other, as are records of a page: there a field needs a
     * text that was right beside it. */
    bool beside = fmax(th__neighbours_next(profile, TH__START),
                       th__neighbours_next(profile, TH__END)) >= TH__PLACED;
    f->nearby = left > 0 && left >= STILL_THERE * all && !th__list_of(profile->path).ptr &&
                (beside || f->extent_count <= f->repair->page_count);
    for (size_t i = 0; f->nearby && i < f->pieces.len; i++) {
        const piece *c = &f->pieces.data[i];
        th__around around;
        f->near[i] = 0;
        if (f->likeness[i] < LEAST_VALUE)
            continue;
        th__around_find(&f->flows[f->extents[c->extent].page], c->span, NULL, &around);
        f->near[i] = th__neighbours_share(profile, &around, f->there);
        f->near[i] *= 1 - POSITION_PART * (1 - th__position_likeness(profile, &around));
        if (element && around.element == element)
            f->near[i] += (1 - f->near[i]) * ELEMENT_WORTH;
        /* A text on most pages belongs to the template, unless it is in the field's place. */
        if (f->likeness[i] < 1 && c->common && profile->distinct > 1 && f->near[i] < STILL_NEAR &&
            !has_many(profile->path))
            f->likeness[i] *= CONSTANT_PART;
    }
    return true;
}

/* Returns true if two clusters have the same place or the same text in most of their common
 * extents: a name in the heading and in the breadcrumb trail above it is one value. */
static bool is_same_value(const place_finder *f, const cluster *c, const cluster *other)
{
    size_t same = 0, both = 0, at = other->from;
    for (size_t i = c->from; i < c->to; i++) {
        const piece *own = piece_at(f, i);
        at = place_in(f, other, at, own->extent);
        if (at == other->to)
            break;
        const piece *its = piece_at(f, at);
        both += its->extent == own->extent;
        same += its->extent == own->extent &&
                (own->sample.hash == its->sample.hash ||
                 (own->span.start < its->span.end && its->span.start < own->span.end));
    }
    return 2 * same > both;
}

/* Returns true if a cluster is very like a field, and no other place nearly as much: a value that
 * has moved away from all of its neighbours. */
static bool is_only_one(const place_finder *f, uint32_t field, const cluster *own)
{
    if (own->looks < SURE_LOOKS)
        return false;
    for (size_t i = 0, end; i < f->placed; i = end) {
        for (end = i + 1; end < f->placed && f->places.data[end].place == f->places.data[i].place;)
            end++;
        cluster c = {i, end, 0, 0};
        like_cluster(f, field, &c);
        if (c.looks > SURE_LEAD * own->looks && !is_same_value(f, &c, own))
            return false;
    }
    return true;
}

/* Returns true if most pieces of a cluster are next to a former neighbour of the field. */
static bool is_next_to(const place_finder *f, const th__field_profile *profile, const cluster *c)
{
    size_t next = 0;
    for (size_t i = c->from; i < c->to; i++) {
        const piece *own = piece_at(f, i);
        next += th__is_placed(profile, f->flows[f->extents[own->extent].page].page, own->span);
    }
    return 2 * next > c->to - c->from;
}

/* Returns true if on most pages the field's caption is next to another text that varies and that no
 * field uses: that would be the value, whatever it looks like. */
static bool has_another(const place_finder *f, const th__field_profile *profile)
{
    const th__neighbours *before = &profile->around[TH__START];
    uint32_t captions = 0, others = 0;
    if (th__neighbours_next(profile, TH__START) < TH__PLACED)
        return false;
    for (uint32_t e = 0; e < f->extent_count; e++) {
        const th__flow *flow = &f->flows[f->extents[e].page];
        bool found = false;
        for (uint32_t t = 0; !found && t + 1 < flow->count; t++) {
            for (uint32_t i = 0; !found && i < before->count && before->data[i].at == 1; i++)
                found = flow->hash[t] == before->data[i].hash &&
                        th__ends_with_colon(th__blank_trim(before->data[i].text));
            if (!found)
                continue;
            uint32_t token = flow->token[t + 1];
            piece next = {
                .extent = e,
                .span = {flow->page->tokens[token].start, flow->page->tokens[token + 1].start}};
            captions++;
            others += !is_used(f, &next) && pages_with(f, flow->hash[t + 1]) < STILL_THERE;
        }
    }
    return 2 * others > captions;
}

static bool find_cluster(place_finder *f, uint32_t field, cluster *best)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    bool target = f->target[field];
    cluster top = {0}, sure = {0};
    *best = (cluster){0};
    for (size_t i = 0; i < f->pieces.len; i++) {
        const piece *c = &f->pieces.data[i];
        f->likeness[i] = c->target == target ? piece_likeness(f, profile, c) : 0;
    }
    if (!find_near(f, profile))
        return false;
    if (!f->done && !has_many(profile->path) && !known_cluster(f, field, best))
        return false;
    for (size_t i = 0, end; !best->to && i < f->placed; i = end) {
        for (end = i + 1; end < f->placed && f->places.data[end].place == f->places.data[i].place;)
            end++;
        cluster c = {i, end, 0, 0};
        c.likeness = like_cluster(f, field, &c);
        sure = !sure.to || c.looks > sure.looks ? c : sure;
        if (c.likeness <= LEAST_VALUE || (top.to && !is_better(f, &c, &top)))
            continue;
        /* A wider one is as good as the narrower one. */
        c.likeness = fmax(c.likeness, top.likeness);
        top = c;
    }
    if (f->nearby && top.likeness <= LEAST_CLUSTER && is_only_one(f, field, &sure)) {
        top = sure;
        top.likeness = LEAST_CLUSTER + ABOUT;
    }
    *best = best->to ? *best : top;
    if (f->nearby && best->looks < LEAST_LOOKS)
        *best = (cluster){0};
    if (f->nearby && best->to && !is_next_to(f, profile, best) && has_another(f, profile))
        *best = (cluster){0};
    return true;
}

/* ---- choosing -------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const piece_place *x = a, *y = b;
    return th__order(x->place, y->place) ?: th__order(x->piece, y->piece);
}

/* Labels may point into attributes: such fields contain targets that the type does not show. */
static bool holds_targets(const th_repair *repair, uint32_t field)
{
    const th__field_profile *profile = &repair->profile->fields[field];
    bool all = profile->example_count > 0;
    for (uint32_t e = 0; e < profile->example_count; e++) {
        th_str text = profile->examples[e];
        bool letter = false;
        for (size_t i = 0; i < text.len; i++)
            letter = letter || th__is_alpha((unsigned char)text.ptr[i]);
        bool query = memchr(text.ptr, '?', text.len) && memchr(text.ptr, '=', text.len);
        all = all && letter && (query || memchr(text.ptr, '/', text.len)) &&
              !memchr(text.ptr, ' ', text.len);
    }
    return all || repair->targets[field];
}

static bool use(place_finder *f, uint32_t extent, th_span span)
{
    if (extent >= f->extent_count ||
        !th__vec_push(&f->used, ((used_span){span, f->used_of[extent]})))
        return false;
    f->used_of[extent] = (uint32_t)f->used.len;
    return true;
}

static bool take(place_finder *f, th__spots *out, uint32_t field, const piece *c)
{
    th__spot s = {field, c->extent, c->span};
    return th__vec_push(&out->data, s) && use(f, c->extent, c->span);
}

/* Takes a known value of the field on a page where its place is empty. */
static bool take_known(place_finder *f, th__spots *out, uint32_t field, uint32_t page)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    for (size_t i = 0; i < f->pieces.len; i++) {
        const piece *c = &f->pieces.data[i];
        if (c->extent != page || c->target != f->target[field] || !th__telling(c->sample.text) ||
            th__value_likeness(profile, &c->sample) < 1 || is_used(f, c) || c->common)
            continue;
        return take(f, out, field, c);
    }
    return true;
}

/* Returns true if all texts in a place belong to the field: most are like it, or the field was
 * always present. Otherwise several fields share the place. */
static bool is_whole(const place_finder *f, const th__field_profile *profile, const cluster *c)
{
    size_t like = 0, count = 0;
    for (size_t i = c->from; i < c->to; i++) {
        const piece *own = piece_at(f, i);
        if (is_used(f, own))
            continue;
        like += piece_likeness(f, profile, own) >= LEAST_VALUE;
        count++;
    }
    bool always = 10 * profile->values >= 9 * profile->chances && !has_many(profile->path);
    return always || 10 * like >= 6 * count;
}

/* Returns true if a piece is a known value of another field and not of this one: if a value is
 * missing, its neighbour may be in its place. */
static bool is_others(const place_finder *f, uint32_t field, const piece *c)
{
    const th__profile *profile = f->repair->profile;
    if (th__value_likeness(&profile->fields[field], &c->sample) >= 1)
        return false;
    for (uint32_t i = 0; i < profile->count; i++)
        if (i != field && f->target[i] == c->target &&
            th__value_likeness(&profile->fields[i], &c->sample) >= 1)
            return true;
    return false;
}

/* By extent, the spot + 1 of the cluster's candidate that is most like the field; or 0. Prefers a
 * text to a part of it in the same place, unless the text is much less like the field. */
static size_t *find_best(place_finder *f, uint32_t field, const cluster *c)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    size_t *best = th__arena_zero(&f->arena, f->extent_count + 1, sizeof *best);
    double *likeness = th__arena_zero(&f->arena, f->extent_count + 1, sizeof *likeness);
    for (size_t i = c->from; best && likeness && i < c->to; i++) {
        const piece *own = piece_at(f, i);
        double like = piece_likeness(f, profile, own);
        const piece *so_far = best[own->extent] ? piece_at(f, best[own->extent] - 1) : NULL;
        if (is_out(f, own) || is_others(f, field, own))
            continue;
        bool more = !so_far || (is_around(own, so_far) ? like >= WHOLE_PART * likeness[own->extent]
                                : is_around(so_far, own) ? WHOLE_PART * like > likeness[own->extent]
                                                         : like > likeness[own->extent]);
        if (!more)
            continue;
        best[own->extent] = i + 1;
        likeness[own->extent] = like;
    }
    return likeness ? best : NULL;
}

static bool take_cluster(place_finder *f, th__spots *out, uint32_t field, const cluster *c)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    bool list = has_many(profile->path), all = is_whole(f, profile, c);
    size_t *best = find_best(f, field, c);
    bool ok = best != NULL;
    for (size_t i = c->from; ok && i < c->to; i++) {
        const piece *own = piece_at(f, i);
        if (is_used(f, own) || (!list && best[own->extent] != i + 1) ||
            (!all && piece_likeness(f, profile, own) < LEAST_VALUE))
            continue;
        ok = take(f, out, field, own);
    }
    out->chosen[field] = true;
    return ok;
}

/* By extent: true if it has a value of a field. *count is their number. NULL if out of memory. */
static bool *extents_with(place_finder *f, const th__spots *out, uint32_t field, uint32_t *count)
{
    bool *has = th__arena_zero(&f->arena, f->extent_count + 1, sizeof *has);
    *count = 0;
    for (size_t i = 0; has && i < out->data.len; i++)
        if (out->data.data[i].field == field && !has[out->data.data[i].extent]) {
            has[out->data.data[i].extent] = true;
            ++*count;
        }
    return has;
}

/* How many extents should have a field. */
static double should_have(const place_finder *f, uint32_t field)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    double share = profile->chances ? (double)profile->values / (double)profile->chances : 0;
    return fmin(1, share) * f->extent_count;
}

/* Adds a second place for a field with fewer values than expected, in the extents that lack it: it
 * may be elsewhere if its neighbour is missing. */
static bool add_second(place_finder *f, th__spots *out, uint32_t field)
{
    uint32_t count;
    cluster c;
    bool *has = extents_with(f, out, field, &count), ok = has != NULL;
    double left = should_have(f, field) - count;
    if (!ok || left < SECOND_LEAST || left < SECOND_PART * count)
        return ok;
    f->done = has;
    f->left = left;
    ok =
        find_cluster(f, field, &c) && (c.likeness < SECOND_LIKE || take_cluster(f, out, field, &c));
    f->done = NULL;
    f->left = 0;
    return ok;
}

/* How many of a field's neighbours are around a span. */
static double near_of(place_finder *f, const th__field_profile *profile, uint32_t extent,
                      th_span span)
{
    th__around around;
    th__around_find(&f->flows[f->extents[extent].page], span, NULL, &around);
    return th__neighbours_share(profile, &around, f->there);
}

/* If an extent lacks the field, takes the text that has the field's neighbours around it as the
 * other values have, even if it looks like no other value. */
static bool add_near(place_finder *f, th__spots *out, uint32_t field)
{
    const th__field_profile *profile = &f->repair->profile->fields[field];
    uint32_t count;
    double mean = 0;
    bool *has = extents_with(f, out, field, &count), ok = has != NULL;
    if (!ok || !count || count >= should_have(f, field) || !th__is_varied(profile) ||
        !find_near(f, profile) || !f->nearby)
        return ok;
    for (size_t i = 0; i < out->data.len; i++)
        if (out->data.data[i].field == field)
            mean += near_of(f, profile, out->data.data[i].extent, out->data.data[i].span) / count;
    for (size_t i = 0, end; ok && mean >= SURE_NEAR && i < f->pieces.len; i = end) {
        uint32_t extent = f->pieces.data[i].extent;
        const piece *best = NULL;
        double most = SURE_NEAR;
        for (end = i; end < f->pieces.len && f->pieces.data[end].extent == extent; end++) {
            const piece *c = &f->pieces.data[end];
            if (has[extent] || c->part || c->common || c->target != f->target[field] ||
                th__ends_with_colon(c->sample.text) || is_used(f, c) ||
                !th__is_placed(profile, f->flows[f->extents[extent].page].page, c->span))
                continue;
            double near = near_of(f, profile, extent, c->span);
            best = near > most ? c : best;
            most = fmax(near, most);
        }
        ok = !best || take(f, out, field, best);
    }
    return ok;
}

/* Takes known values where the field's chosen place is empty and it has fewer values than
 * expected. */
static bool add_known(place_finder *f, th__spots *out, uint32_t field)
{
    uint32_t count;
    bool *has = extents_with(f, out, field, &count), ok = has != NULL;
    for (uint32_t extent = 0; ok && extent < f->extent_count && count < should_have(f, field);
         extent++) {
        size_t before = out->data.len;
        if (!has[extent])
            ok = take_known(f, out, field, extent);
        count += out->data.len > before;
    }
    return ok;
}

/* Returns true if another field has taken the chosen pieces. */
static bool is_taken(const place_finder *f, const cluster *c)
{
    for (size_t i = c->from; i < c->to; i++)
        if (is_used(f, piece_at(f, i)))
            return true;
    return false;
}

/* Returns true if two fields are of one list of tuples. */
static bool are_fellows(const place_finder *f, uint32_t a, uint32_t b)
{
    th_str list = th__list_of(f->repair->profile->fields[a].path);
    th_str other = th__list_of(f->repair->profile->fields[b].path);
    return list.ptr && other.ptr && th__str_eq(list, other);
}

static bool choose(place_finder *f, const bool *wanted, th__spots *out)
{
    uint32_t count = f->repair->profile->count;
    cluster *best = th__arena_zero(&f->arena, count + 1, sizeof *best);
    f->likeness = th__arena_zero(&f->arena, f->pieces.len + 1, sizeof *f->likeness);
    f->near = th__arena_zero(&f->arena, f->pieces.len + 1, sizeof *f->near);
    if (!best || !f->near || !f->likeness)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (wanted[i] && (th__cancelled(&f->repair->cancel) || !find_cluster(f, i, &best[i])))
            return false;
    for (;;) {
        uint32_t field = count;
        for (uint32_t i = 0; i < count; i++)
            if (wanted[i] && !out->chosen[i] && best[i].likeness > LEAST_CLUSTER &&
                (field == count || best[i].likeness > best[field].likeness))
                field = i;
        if (field == count)
            break;
        if (!take_cluster(f, out, field, &best[field]))
            return false;
        for (uint32_t i = 0; i < count; i++)
            if (wanted[i] && !out->chosen[i] && best[i].to &&
                (is_taken(f, &best[i]) || are_fellows(f, field, i)) &&
                !find_cluster(f, i, &best[i]))
                return false;
    }
    bool ok = true;
    for (uint32_t i = 0; ok && i < 3 * count; i++) {
        uint32_t field = i % count;
        if (wanted[field] && out->chosen[field] &&
            !has_many(f->repair->profile->fields[field].path))
            ok = i < count       ? add_second(f, out, field)
                 : i < 2 * count ? add_near(f, out, field)
                                 : add_known(f, out, field);
    }
    return ok;
}

static int by_field(const void *a, const void *b)
{
    const th__spot *x = a, *y = b;
    return th__order(x->field, y->field)
               ?: th__order(x->extent, y->extent) ?: th__order(x->span.start, y->span.start);
}

/* Marks the values that the old wrapper still reads as used. */
static bool reserve(place_finder *f, const th__spots *kept)
{
    bool ok = true;
    for (size_t i = 0; ok && i < kept->data.len; i++)
        ok = use(f, kept->data.data[i].extent, kept->data.data[i].span);
    return ok;
}

th_status th__spots_choose(th_repair *repair, const th__record_extent *extents, uint32_t count,
                           const bool *wanted, const th__spots *kept, th__spots *out, th_error *err)
{
    place_finder f = {.repair = repair, .extents = extents, .extent_count = count};
    bool targets = false, ok = true;
    th__arena_init(&f.arena);
    *out = (th__spots){0};
    out->chosen = th__arena_zero(&repair->arena, repair->profile->count + 1, sizeof *out->chosen);
    f.used_of = th__arena_zero(&f.arena, count + 1, sizeof *f.used_of);
    f.target = th__arena_zero(&f.arena, repair->profile->count + 1, sizeof *f.target);
    for (uint32_t i = 0; f.target && i < repair->profile->count; i++) {
        f.target[i] = holds_targets(repair, i);
        targets = targets || (f.target[i] && wanted[i]);
    }
    ok = out->chosen && f.target && f.used_of;
    ok = ok && gather_pieces(&f, targets);
    if (ok && f.places.len)
        qsort(f.places.data, f.places.len, sizeof *f.places.data, by_place);
    f.placed = f.places.len;
    ok = ok && reserve(&f, kept) && choose(&f, wanted, out);
    if (ok && out->data.len)
        qsort(out->data.data, out->data.len, sizeof *out->data.data, by_field);
    th_text_release(&f.text);
    th__buf_release(&f.title);
    th__folded_release(&f.folded);
    th__vec_release(&f.pieces);
    th__vec_release(&f.places);
    th__vec_release(&f.used);
    th__vec_release(&f.affixes);
    th__vec_release(&f.words);
    th__arena_release(&f.arena);
    return ok ? TH_OK : th__fail_memory(err);
}
