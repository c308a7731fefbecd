/*
 * repair_words.c: pieces of a text between words.
 *
 * Where most texts of a path have a word, it is the template's, and values are what stands between
 * such words: "Filed at Sunrise Travel by our reporter Emma de Vries". Words that several texts of
 * a path begin or end with may be labels too: "Reviewer Mary Shelley". And values that fields had
 * are values wherever they stand among words.
 */
#include <stdlib.h>

#include "repair/repair_texts.h"

enum {
    AFFIX_WORDS = 3, /* words of a label */
    AFFIX_OFTEN = 3  /* texts that have it: two may share a word by chance */
};

static uint64_t prefix_key(const th__text_walk *l, th_str text, size_t to)
{
    return th__hash_mix(l->path + 1, th__hash(text.ptr, to));
}

static uint64_t suffix_key(const th__text_walk *l, th_str text, size_t from)
{
    return th__hash_mix(l->path + 2, th__hash(text.ptr + from, text.len - from));
}

static uint64_t word_key(const th__text_walk *l, th_str word)
{
    return th__hash_mix(l->path + 3, th__hash(word.ptr, word.len));
}

static bool is_counted(const th__finder *f, uint64_t key)
{
    return th__key_vec_find(&f->affixes, key) != SIZE_MAX;
}

static bool is_template(const th__finder *f, const th__text_walk *l, th_str word)
{
    return is_counted(f, word_key(l, word));
}

/* The text without its first or last words. `see` is told each of these ends, from one word up. */
typedef bool (*see_affix)(th__finder *f, const th__unit_walk *w, th__text_walk *l, uint64_t key,
                          size_t from, size_t to);

static bool each_affix(th__finder *f, const th__unit_walk *w, th__text_walk *l, see_affix see)
{
    th_str text = th__buf_str(&f->folded.text);
    size_t at = 0;
    bool ok = true;
    if (text.len > TH__WORDED_MAX)
        return true;
    for (int i = 0; ok && i < AFFIX_WORDS; i++) {
        const char *blank = memchr(text.ptr + at, ' ', text.len - at);
        if (!blank)
            break;
        at = (size_t)(blank - text.ptr) + 1;
        ok = see(f, w, l, prefix_key(l, text, at), at, text.len);
    }
    at = text.len;
    for (int i = 0; ok && i < AFFIX_WORDS; i++) {
        const char *blank = memrchr(text.ptr, ' ', at);
        if (!blank)
            break;
        at = (size_t)(blank - text.ptr);
        ok = see(f, w, l, suffix_key(l, text, at), 0, at);
    }
    return ok;
}

static bool note_affix(th__finder *f, const th__unit_walk *w, th__text_walk *l, uint64_t key,
                       size_t from, size_t to)
{
    return th__vec_push(&f->affixes, key);
}

static bool add_affix(th__finder *f, const th__unit_walk *w, th__text_walk *l, uint64_t key,
                      size_t from, size_t to)
{
    return !is_counted(f, key) || th__piece_cut(f, w, l, from, to);
}

/* Notes the words of a text, each once, and the text itself for its path. */
static bool note_words(th__finder *f, const th__text_walk *l)
{
    enum { WORDS = 64 };
    th_str text = th__buf_str(&f->folded.text);
    uint64_t seen[WORDS];
    size_t end = 0, count = 0;
    if (text.len > TH__WORDED_MAX)
        return true;
    for (th_str word = th__next_word(text, 0, &end); word.len && count < WORDS;
         word = th__next_word(text, end, &end)) {
        uint64_t key = word_key(l, word);
        size_t i = 0;
        while (i < count && seen[i] != key)
            i++;
        if (i < count)
            continue;
        seen[count++] = key;
        if (!th__vec_push(&f->words, ((th__path_word){l->path, key})))
            return false;
    }
    return th__vec_push(&f->words, ((th__path_word){l->path, 0}));
}

/* What stands between words of the template. */
static bool add_between(th__finder *f, const th__unit_walk *w, th__text_walk *l)
{
    th_str text = th__buf_str(&f->folded.text);
    size_t from = 0, end = 0;
    bool some = false;
    if (text.len > TH__WORDED_MAX)
        return true;
    for (th_str word = th__next_word(text, 0, &end); word.len;
         word = th__next_word(text, end, &end)) {
        if (!is_template(f, l, word))
            continue;
        some = true;
        if (!th__cut_trimmed(f, w, l, from, (size_t)(word.ptr - text.ptr)))
            return false;
        from = end;
    }
    return !some || th__cut_trimmed(f, w, l, from, text.len);
}

static int by_path(const void *a, const void *b)
{
    const th__path_word *x = a, *y = b;
    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* Keeps the words that most texts of their path have. The texts themselves come first. */
static bool keep_words(th__finder *f)
{
    size_t texts = 0;
    bool ok = true;
    if (f->words.len)
        qsort(f->words.data, f->words.len, sizeof *f->words.data, by_path);
    for (size_t i = 0, end; ok && i < f->words.len; i = end) {
        const th__path_word *own = &f->words.data[i];
        for (end = i; end < f->words.len && !by_path(own, &f->words.data[end]);)
            end++;
        if (!own->key)
            texts = end - i;
        else if (texts >= AFFIX_OFTEN && 5 * (end - i) >= 4 * texts)
            ok = th__vec_push(&f->affixes, own->key);
    }
    return ok;
}

/* Keeps the beginnings and ends that are there often enough. */
bool th__words_keep(th__finder *f)
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
    bool ok = keep_words(f);
    th__key_vec_sort(keys);
    return ok;
}

/* The word that ends at a byte, or begins there. */
static th_str word_before(th_str text, size_t to)
{
    size_t from = to;
    while (from && th__is_word_part((unsigned char)text.ptr[from - 1]))
        from--;
    return (th_str){text.ptr + from, to - from};
}

/* Whether two bytes of a text are of one word though a sign is between them: "2019-07" and the
 * like.
 */
static bool is_joined(th_str text, size_t sign)
{
    return sign && sign + 1 < text.len && memchr("-./,'", text.ptr[sign], 5) &&
           th__is_word_part((unsigned char)text.ptr[sign - 1]) &&
           th__is_word_part((unsigned char)text.ptr[sign + 1]);
}

/* Whether a piece is not one of several words that belong together: "Professor" of "Assistant
 * Professor". Signs, or words that other texts have there as well, part it from the rest. */
static bool is_apart(const th__finder *f, const th__unit_walk *w, const th__text_walk *l,
                     size_t from, size_t to)
{
    th_str text = th__buf_str(&f->folded.text);
    size_t end;
    bool left = from < 2 || text.ptr[from - 1] != ' ' ||
                !th__is_word_part((unsigned char)text.ptr[from - 2]) ||
                th__is_parting_blank(f, w, from - 1);
    bool right = to + 1 >= text.len || text.ptr[to] != ' ' ||
                 !th__is_word_part((unsigned char)text.ptr[to + 1]) ||
                 th__is_parting_blank(f, w, to);
    left = left || is_counted(f, prefix_key(l, text, from)) ||
           is_template(f, l, word_before(text, from - 1));
    right = right || is_counted(f, suffix_key(l, text, to)) ||
            is_template(f, l, th__next_word(text, to, &end));
    return left && right && !(from && is_joined(text, from - 1)) && !is_joined(text, to);
}

/* Values that a field had. */
bool th__words_known(th__finder *f, const th__unit_walk *w, th__text_walk *l)
{
    const th__profile *profile = f->repair->profile;
    th_str text = th__buf_str(&f->folded.text);
    for (uint32_t i = 0; i < profile->count; i++)
        for (uint32_t e = 0; !f->repair->targets[i] && e < profile->fields[i].example_count; e++) {
            th_str value = profile->fields[i].examples[e];
            size_t at = value.len <= text.len ? th__find_words(text, value, 0) : SIZE_MAX;
            if (at != SIZE_MAX && is_apart(f, w, l, at, at + value.len) &&
                !th__piece_cut(f, w, l, at, at + value.len))
                return false;
        }
    return true;
}

bool th__words_note(th__finder *f, const th__unit_walk *w, th__text_walk *l)
{
    return each_affix(f, w, l, note_affix) && note_words(f, l);
}

bool th__words_cut(th__finder *f, const th__unit_walk *w, th__text_walk *l)
{
    return add_between(f, w, l) && each_affix(f, w, l, add_affix);
}
