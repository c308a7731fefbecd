/*
 * repair_pieces.c: every piece of text that may be a value.
 *
 *   - the texts of a page (index/leaves.h), whole; texts of elements inside them; elements with
 *     several of them, paragraphs of one value;
 *   - what is between separators, behind a label, or is an item of a list in one text;
 *   - what is between words that most texts of the same path have, or before or behind words
 * that several of them begin or end with (counted first, on all pages);
 *   - values that a field had before, wherever they are;
 *   - targets of links and sources of images.
 *
 * Places are told by the path of elements with their classes; by a landmark, the text before; where
 * that is of the page alone, by the position among texts of the same path; and inside a text by
 * the signs and words on either side.
 */
#include "repair/repair_places.h"

#include <stdlib.h>

#include "base/mem.h"
#include "index/view.h"
#include "page/page.h"
#include "page/signs.h"
#include "page/tags.h"
#include "page/text.h"

enum {
    LEAVES_MAX = 4000,  /* of a page: what is behind them is no field of one record */
    PARAGRAPHS_MAX = 12 /* texts of an element that are one value together */
};
enum {
    SEPARATORS_MAX = 12, /* of a text: with more it is prose */
    REACH = 3,           /* separators that a piece may hold, and one more */
    LABEL_MAX = 40       /* bytes of a label before a colon */
};
enum {
    AFFIX_WORDS = 3, /* words of a label */
    AFFIX_OFTEN = 3  /* texts that have it: two may share a word by chance */
};

enum {
    PIECE_MAX = 2000, /* bytes of a value: longer texts are no fields */
    PIECES_MAX = 80,  /* of a text */
    WORDED_MAX = 200, /* bytes of a text with labels in it: longer ones are prose */
    PATHS_MOST = 4096 /* that are told apart */
};

/* What places are told by. INNER: by the path of the element alone that holds all of a text, in a
 * text of its own or inside another. TOLD: by that and the text before, in the same text or not.
 * ITEMS: by the label, with the separator. */
enum {
    BY_LANDMARK = 1,
    BY_POSITION,
    BY_LABEL,
    BY_PATH,
    BY_INNER,
    BY_TOLD,
    BY_INNER_ITEMS,
    BY_ITEMS
};

typedef struct extent_walk {
    uint32_t extent;
    const th_page *at;
    const th__view *view;
    uint32_t root; /* paths are told from this element down */
    /* How many texts of a path there were before this one: a small table that may mix up paths,
     * which costs a place and no harm. */
    uint32_t counts[PATHS_MOST];
} extent_walk;

/* The text at hand: the finder has it folded. */
typedef struct text_walk {
    uint64_t path, before;
    uint32_t nth;
    struct {
        size_t from, to;
    } seen[PIECES_MAX];
    uint32_t count;
} text_walk;

/* ---- pieces ---------------------------------------------------------------------------------- */

static void add_piece(th__finder *f, uint32_t extent, th_span span, th_str text, bool target,
                      bool part)
{
    th__piece c = {.extent = extent, .span = span, .target = target, .part = part};
    c.headed = !target && th__is_headed(th__buf_str(&f->title), text);
    c.sample.text = th__arena_copy(&f->arena, text);
    c.sample.hash = th__hash(text.ptr, text.len);
    c.sample.length = th__log_length(text.len);
    f->failed = f->failed || !c.sample.text.ptr || !th__vec_push(&f->pieces, c);
    if (f->failed)
        return;
    th__piece *put = &f->pieces.data[f->pieces.len - 1];
    th__dp_split(put->sample.text, &put->sample.value);
}

/* A place of the piece that was added last. */
static void add_place(th__finder *f, uint64_t kind, uint64_t a, uint64_t b)
{
    uint64_t place = th__hash_mix(th__hash_mix(kind, a), b) | 1;
    f->failed = f->failed ||
                !th__vec_push(&f->places, ((th__piece_place){place, (uint32_t)f->pieces.len - 1}));
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

static void add_places(th__finder *f, const text_walk *l, uint64_t path, uint64_t word,
                       uint64_t signs, uint64_t right)
{
    uint64_t with_word = th__hash_mix(word, right), with_signs = th__hash_mix(signs, right);
    add_place(f, BY_LANDMARK, th__hash_mix(path, l->before), with_word);
    add_place(f, BY_POSITION, th__hash_mix(path, l->nth + 1), with_signs);
    add_place(f, BY_LABEL, path, with_word);
    add_place(f, BY_PATH, path, with_signs);
}

/* Places of all of a text. */
static void add_whole(th__finder *f, uint64_t path, uint64_t before)
{
    add_place(f, BY_INNER, path, 0);
    add_place(f, BY_TOLD, path, before);
}

/* A piece of the text at hand with its places, blanks at its ends left out. */
static void cut_piece(th__finder *f, const extent_walk *w, text_walk *l, size_t from, size_t to)
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
    add_places(f, l, l->path, left_of(text, from, true), left_of(text, from, false),
               right_of(text, to));
    if (whole)
        add_whole(f, th__hash_mix(l->path, 0), l->before);
}

/* ---- between signs --------------------------------------------------------------------------- */

/* The same without signs that part it from its neighbours. */
static void cut_trimmed(th__finder *f, const extent_walk *w, text_walk *l, size_t from, size_t to)
{
    th_str text = th__buf_str(&f->folded.text);
    th_str bare = th__sign_trim((th_str){text.ptr + from, to - from});
    from = (size_t)(bare.ptr - text.ptr);
    cut_piece(f, w, l, from, from + bare.len);
}

/* Returns true if the blank at a byte of the text is one that does not break, of which old pages
 * part values by rows, or holds the end of a line of the source: values that are written one below
 * the other. In long texts such lines are prose. */
static bool is_parting_blank(const th__finder *f, const extent_walk *w, size_t at)
{
    th_str text = th__buf_str(&f->folded.text);
    if (text.ptr[at] != ' ')
        return false;
    th_str source = th__page_slice(w->at, f->folded.start[at], f->folded.end[at]);
    if (text.len <= WORDED_MAX && memchr(source.ptr, '\n', source.len))
        return true;
    return th__str_find(source, TH_STR("&nbsp;")) != SIZE_MAX ||
           th__str_find(source, TH_STR("\xC2\xA0")) != SIZE_MAX ||
           th__str_find(source, TH_STR("&#160;")) != SIZE_MAX;
}

/* Between separators: up to the next ones, and to the end. */
static void cut_separated(th__finder *f, const extent_walk *w, text_walk *l)
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

/* Where a label at the start of a text ends: its colon, or SIZE_MAX. Behind another separator a
 * colon is inside a value. */
static size_t label_end(th_str text)
{
    size_t colon = th__str_find(text, TH_STR(":"));
    bool label = colon != SIZE_MAX && colon <= LABEL_MAX;
    for (size_t i = 0; label && i + 1 < colon; i++)
        label = text.ptr[i + 1] != ' ' || !th__sign_is_item(text.ptr[i]);
    return label ? colon : SIZE_MAX;
}

/* Items of a list in one text, with a label before it or not. */
static void cut_items(th__finder *f, const extent_walk *w, text_walk *l)
{
    enum { ITEMS_MAX = 40 };
    th_str text = th__buf_str(&f->folded.text);
    size_t colon = label_end(text);
    size_t begin = colon == SIZE_MAX ? 0 : colon + 1;
    uint64_t told = begin ? th__hash(text.ptr, begin) : l->before;
    for (size_t s = 0; s < th__sign_count; s++) {
        char sign[] = {' ', (char)th__signs[s].code, ' '};
        size_t close = (th__signs[s].flags & TH__SIGN_TIGHT) != 0;
        th_str separator = {sign + close, sizeof sign - close};
        if (!(th__signs[s].flags & TH__SIGN_ITEMS))
            continue;
        uint32_t count = 0;
        for (size_t at = begin; at < text.len && count < ITEMS_MAX; count++) {
            size_t len = th__str_find((th_str){text.ptr + at, text.len - at}, separator);
            size_t from = at, to = len == SIZE_MAX ? text.len : at + len;
            at = to + separator.len;
            while (from < to && !th__is_word_part((unsigned char)text.ptr[from]))
                from++;
            while (to > from && text.ptr[to - 1] == ' ')
                to--;
            if (from == to || to - from > PIECE_MAX)
                continue;
            th_span span = {f->folded.start[from], f->folded.end[to - 1]};
            add_piece(f, w->extent, span, (th_str){text.ptr + from, to - from}, false,
                      from || to < text.len);
            add_place(f, BY_ITEMS + s, l->path, told);
        }
    }
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

static bool is_counted(const th__finder *f, uint64_t key)
{
    return th__key_vec_find(&f->affixes, key) != SIZE_MAX;
}

static bool is_template(const th__finder *f, const text_walk *l, th_str word)
{
    return is_counted(f, word_key(l, word));
}

/* The text without its first or last words, from one word up: while words are noted, the key of
 * each of these ends is, and then what is left is cut where the end is counted. */
static void see_affix(th__finder *f, const extent_walk *w, text_walk *l, uint64_t key, size_t from,
                      size_t to)
{
    if (f->noting)
        f->failed = f->failed || !th__vec_push(&f->affixes, key);
    else if (is_counted(f, key))
        cut_piece(f, w, l, from, to);
}

static void see_affixes(th__finder *f, const extent_walk *w, text_walk *l)
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
static void note_words(th__finder *f, const text_walk *l)
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
        f->failed = f->failed || !th__vec_push(&f->words, ((th__path_word){l->path, key}));
    }
    f->failed = f->failed || !th__vec_push(&f->words, ((th__path_word){l->path, 0}));
}

/* What is between words of the template. */
static void cut_between(th__finder *f, const extent_walk *w, text_walk *l)
{
    th_str text = th__buf_str(&f->folded.text);
    size_t from = 0, end = 0;
    bool some = false;
    for (th_str word = th__next_word(text, 0, &end); word.len;
         word = th__next_word(text, end, &end)) {
        if (!is_template(f, l, word))
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
    const th__path_word *x = a, *y = b;
    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* Keeps the words that most texts of their path have. The texts themselves come first. */
static void keep_words(th__finder *f)
{
    size_t texts = 0;
    if (f->words.len)
        qsort(f->words.data, f->words.len, sizeof *f->words.data, by_path);
    for (size_t i = 0, end; i < f->words.len; i = end) {
        const th__path_word *own = &f->words.data[i];
        for (end = i; end < f->words.len && !by_path(own, &f->words.data[end]);)
            end++;
        if (!own->key)
            texts = end - i;
        else if (texts >= AFFIX_OFTEN && 5 * (end - i) >= 4 * texts)
            f->failed = f->failed || !th__vec_push(&f->affixes, own->key);
    }
}

/* Keeps the beginnings and ends that are there often enough. */
static void keep_affixes(th__finder *f)
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

/* Returns true if two bytes of a text are of one word though a sign is between them: "2019-07" and
 * the like.
 */
static bool is_joined(th_str text, size_t sign)
{
    return sign && sign + 1 < text.len && memchr("-./,'", text.ptr[sign], 5) &&
           th__is_word_part((unsigned char)text.ptr[sign - 1]) &&
           th__is_word_part((unsigned char)text.ptr[sign + 1]);
}

/* Returns true if a piece is not one of several words that belong together: "Professor" of
 * "Assistant Professor". Signs, or words that other texts have there as well, part it from the
 * rest. */
static bool is_apart(const th__finder *f, const extent_walk *w, const text_walk *l, size_t from,
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
           is_template(f, l, word_before(text, from - 1));
    right = right || is_counted(f, suffix_key(l, text, to)) ||
            is_template(f, l, th__next_word(text, to, &end));
    return left && right && !(from && is_joined(text, from - 1)) && !is_joined(text, to);
}

/* Values that a field had. */
static void cut_known(th__finder *f, const extent_walk *w, text_walk *l)
{
    const th__profile *profile = f->repair->profile;
    th_str text = th__buf_str(&f->folded.text);
    for (uint32_t i = 0; i < profile->count; i++)
        for (uint32_t e = 0; !f->repair->targets[i] && e < profile->fields[i].example_count; e++) {
            th_str value = profile->fields[i].examples[e];
            size_t at = value.len <= text.len ? th__find_words(text, value, 0) : SIZE_MAX;
            if (at != SIZE_MAX && is_apart(f, w, l, at, at + value.len))
                cut_piece(f, w, l, at, at + value.len);
        }
}

/* ---- inside elements, and of several -------------------------------------------------------
 */

static bool is_text(const th_page *page, uint32_t token)
{
    return page->tokens[token].kind == TH_TOKEN_TEXT &&
           !(page->tokens[token].flags & TH_TOKEN_BLANK);
}

/* What tells a text in a leaf: the label before a colon that the leaf begins with, or what is
 * before the leaf. */
static uint64_t told_by(const th__finder *f, const text_walk *l)
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
            th__leaf_measure(th__token_text(page, token), &hash, &len))
            return hash;
    }
    return l->before;
}

/* The text of a part of the page, until the next call; empty if out of memory. */
static th_str text_of_span(th__finder *f, const th_page *page, th_span span)
{
    bool failed = th_page_span_text(page, span, &f->text, NULL) != TH_OK;
    f->failed = f->failed || failed;
    return failed ? TH_STR("") : (th_str){f->text.ptr, f->text.len};
}

/* The text of an element inside a leaf, or one of its own texts among such; `whole`: it has no
 * other text. */
static void add_run(th__finder *f, const extent_walk *w, const text_walk *l, const th__leaf *leaf,
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
    add_places(f, l, path, word, signs, 0);
    add_place(f, BY_INNER_ITEMS, path, told_by(f, l));
    if (!own)
        add_whole(f, path, text_before(w->at, l, leaf, token));
}

/* The texts of the elements that begin with a text of a leaf: of "<b><i>Old</i> Town</b>" that is
 * "Old" of the one and "Old Town" of the other. */
static void add_runs(th__finder *f, const extent_walk *w, const text_walk *l, const th__leaf *leaf,
                     uint32_t token, uint32_t before, uint32_t runs)
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

static void add_inner(th__finder *f, const extent_walk *w, const text_walk *l, const th__leaf *leaf)
{
    uint32_t before = UINT32_MAX, runs = 0;
    for (uint32_t t = leaf->token; t < leaf->token_end; t++)
        runs += is_text(w->at, t);
    for (uint32_t t = leaf->token; t < leaf->token_end; t++) {
        if (!is_text(w->at, t))
            continue;
        add_runs(f, w, l, leaf, t, before, runs);
        before = t;
    }
}

static void add_texts(th__finder *f, extent_walk *w, uint32_t leaf, uint64_t before)
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
    if (f->lists)
        cut_items(f, w, &l);
}

/* The target of a link or the source of an image. */
static void add_target(th__finder *f, extent_walk *w, uint32_t node)
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
    add_places(f, &l, l.path, 0, 0, 0);
}

/* Returns true if a text holds a value that a field had, and is none. */
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
static void add_element(th__finder *f, extent_walk *w, uint32_t node)
{
    const th__leaves *leaves = &w->view->leaves;
    uint32_t first = leaves->before[w->at->nodes[node].token];
    uint32_t end = leaves->before[w->at->nodes[node].token_end];
    if (end < first + 2 || end > first + PARAGRAPHS_MAX || end > leaves->count)
        return;
    th_span span = {th__leaf_span(w->at, &leaves->data[first]).start,
                    th__leaf_span(w->at, &leaves->data[end - 1]).end};
    uint64_t path = th__view_key(w->view, w->root, node);
    text_walk l = {.path = th__hash_mix(path, PATHS_MOST)};
    l.before = first ? leaves->data[first - 1].hash : 0;
    l.nth = w->counts[l.path % PATHS_MOST]++;
    th_str text = text_of_span(f, w->at, span);
    if (!text.len || text.len > PIECE_MAX || holds_known(f, text))
        return;
    add_piece(f, w->extent, span, text, false, true);
    add_places(f, &l, l.path, 0, 0, 0);
    add_whole(f, th__hash_mix(path, 0), l.before);
}

/* ---- extents -----------------------------------------------------------------------------------
 */

static uint32_t depth_of(const th_page *page, uint32_t node)
{
    return page->paths[page->nodes[node].path].depth;
}

/* The element that holds the texts of a extent: records that rules find may begin with the end of
 * the one before. 0 for whole pages. */
static uint32_t node_of(const th_page *page, const th__record_extent *extent)
{
    if (!extent->span.start && extent->span.end >= page->text.len)
        return 0;
    uint32_t first = th__token_at(page, extent->span.start);
    uint32_t end = extent->span.end < page->text.len ? th__token_at(page, extent->span.end)
                                                     : page->token_count;
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
 * from that deep, too. False if out of memory. */
static bool find_depth(th__finder *f)
{
    uint32_t most = 0, *depths = th__arena_zero(&f->arena, f->extent_count + 1, sizeof *depths);
    for (uint32_t i = 0; depths && i < f->extent_count; i++) {
        const th_page *page = th__repair_part(f->repair, f->extents[i].page);
        depths[i] = depth_of(page, node_of(page, &f->extents[i]));
    }
    if (depths)
        qsort(depths, f->extent_count, sizeof *depths, by_number);
    for (uint32_t i = 0, end; depths && i < f->extent_count; i = end) {
        for (end = i; end < f->extent_count && depths[end] == depths[i];)
            end++;
        f->depth = end - i > most ? depths[i] : f->depth;
        most = end - i > most ? end - i : most;
    }
    return depths != NULL;
}

static uint32_t root_of(const th__finder *f, const th_page *page, const th__record_extent *extent)
{
    uint32_t node = node_of(page, extent);
    while (node && depth_of(page, node) > f->depth)
        node = page->nodes[node].parent;
    return node;
}

static void walk_extent(th__finder *f, extent_walk *w, bool targets)
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
         !f->failed && !f->noting && i < w->at->node_count && w->at->nodes[i].token < end; i++) {
        add_element(f, w, i);
        if (targets)
            add_target(f, w, i);
    }
}

/* Walks through the extents from `from` on that are on one page; gives the one past the last. */
static uint32_t walk_page(th__finder *f, extent_walk *w, uint32_t from, bool targets)
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
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->piece < y->piece ? -1 : x->piece > y->piece;
}

/* Marks pieces whose text most extents have. */
static bool mark_common(th__finder *f)
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

bool th__pieces_gather(th__finder *f, bool targets)
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
