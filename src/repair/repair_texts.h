/*
 * repair_texts.h: pieces of one text: inside view of repair_pieces.c, for those who cut texts.
 */
#ifndef TH_REPAIR_TEXTS_H
#define TH_REPAIR_TEXTS_H

#include "repair/repair_pieces.h"

enum {
    TH__PIECE_MAX = 2000, /* bytes of a value: longer texts are no fields */
    TH__PIECES_MAX = 80,  /* of a text */
    TH__WORDED_MAX = 200, /* bytes of a text with labels in it: longer ones are prose */
    TH__PATHS_MOST = 4096 /* that are told apart */
};

/* What places are told by. INNER: by the path of the element alone that holds all of a text, in a
 * text of its own or inside of another. TOLD: by that and the text before, in the same text or not.
 * ITEMS: by the label, with the separator. */
enum {
    TH__BY_LANDMARK = 1,
    TH__BY_POSITION,
    TH__BY_LABEL,
    TH__BY_PATH,
    TH__BY_INNER,
    TH__BY_TOLD,
    TH__BY_INNER_ITEMS,
    TH__BY_ITEMS
};

typedef struct th__unit_walk {
    uint32_t unit;
    const th_page *at;
    const th__view *view;
    uint32_t root; /* paths are told from this element down */
    /* How many texts of a path there were before this one: a small table that may mix up paths,
     * which costs a place and no harm. */
    uint32_t counts[TH__PATHS_MOST];
} th__unit_walk;

/* The text at hand: the finder has it folded. */
typedef struct th__text_walk {
    uint64_t path, before;
    uint32_t nth;
    struct {
        size_t from, to;
    } seen[TH__PIECES_MAX];
    uint32_t count;
} th__text_walk;

/* All of these are false without memory. */

bool th__piece_add(th__finder *f, uint32_t unit, th_span span, th_str text, bool target,
                   bool piece);
/* A place of the piece that was added last. */
bool th__piece_spot(th__finder *f, uint64_t kind, uint64_t a, uint64_t b);
/* A piece of the text at hand with its places, blanks at its ends left out. */
bool th__piece_cut(th__finder *f, const th__unit_walk *w, th__text_walk *l, size_t from, size_t to);

/* repair_texts.c. The same without signs that part it from its neighbours. */
bool th__cut_trimmed(th__finder *f, const th__unit_walk *w, th__text_walk *l, size_t from,
                     size_t to);
/* Between separators: up to the next ones, and to the end. */
bool th__cut_separated(th__finder *f, const th__unit_walk *w, th__text_walk *l);
/* Items of a list in one text, with a label before it or not. */
bool th__cut_items(th__finder *f, const th__unit_walk *w, th__text_walk *l);
/* Whether the blank at a byte of the text parts values. */
bool th__is_parting_blank(const th__finder *f, const th__unit_walk *w, size_t at);
/* Where a label at the start of a text ends: its colon, or SIZE_MAX. */
size_t th__label_end(th_str text);

/* repair_words.c. Notes the words of a text; then, once all are noted, keeps those that are many
 * texts', and cuts texts at them. */
bool th__words_note(th__finder *f, const th__unit_walk *w, th__text_walk *l);
bool th__words_keep(th__finder *f);
bool th__words_cut(th__finder *f, const th__unit_walk *w, th__text_walk *l);
/* Values that fields had, in the text at hand. */
bool th__words_known(th__finder *f, const th__unit_walk *w, th__text_walk *l);

#endif
