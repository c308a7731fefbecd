/*
 * page_markup.h: what both views of a page share: which elements and attributes are harmless, how
 * texts are written, where links lead, and the portions of a large page.
 *
 * A browser lays out some ten thousand elements a second at most, and shows a few hundred. So of a
 * large page all but the beginning is marked to be shown later, in portions: an element that holds
 * few tokens goes whole into the portion that it begins in (l=N), and larger ones are there from
 * the start. Portions double, so that a few of them are the whole page.
 */
#ifndef SERVE_PAGE_MARKUP_H
#define SERVE_PAGE_MARKUP_H

#include <thresh.h>

#include "answer_text.h"

enum { SERVE_LONGEST_VALUE = 4096 };

/* What is known of an element by its name. */
enum {
    SERVE_DROPPED = 1, /* left out with all it holds */
    SERVE_KEPT = 2,    /* it keeps its name; the rest becomes th-x, which looks like a span */
    SERVE_VOID = 4,
    SERVE_INLINE = 8, /* looks no different when a text's colours are its own */
    SERVE_FRAME = 16, /* html, head, body */
    SERVE_STYLE = 32,
    SERVE_IMAGE = 64,
    SERVE_LINK = 128,
    SERVE_LOOK = 256,     /* it keeps its name in the page as it looks */
    SERVE_BOX = 512,      /* it takes up room and shows something that is not the page's */
    SERVE_SVG = 1024,     /* <svg> */
    SERVE_FOSTERS = 2048, /* a browser moves texts out of it */
    SERVE_RAW = 4096,     /* a comment in it is text */
    SERVE_KNOWN = 32768
};

/* A page that is written, and what is known of its tags. */
typedef struct serve_markup {
    const th_page *page;
    serve_text *out;
    bool large;         /* it is shown in portions */
    uint32_t portioned; /* tokens up to this one belong to an element that has a portion */
    uint16_t *kinds;    /* by tag id; NULL: names are looked at each time */
    th_text scratch;
} serve_markup;

void serve_markup_init(serve_markup *markup, const th_page *page, serve_text *out);
void serve_markup_release(serve_markup *markup);

/* What is known of the element that a token begins, and of a node (0 for the document). */
uint16_t serve_token_kind(serve_markup *markup, uint32_t token);
uint16_t serve_node_kind(serve_markup *markup, uint32_t node);
/* The innermost element around a node that is not html, head or body; 0 for none. */
uint32_t serve_shown_parent(serve_markup *markup, uint32_t node);
/* The first <html> or <body>; 0 when there is none near the page's beginning. */
uint32_t serve_find_frame(const serve_markup *markup, const char *name);

bool serve_is_named(th_str name, const char *wanted);
bool serve_is_one_of(th_str name, const char *const *names);
bool serve_is_blank(th_str text);
th_str serve_token_text(const serve_markup *markup, uint32_t token);
/* Returns true if an attribute changes how things look, and nothing else. */
bool serve_is_look_attribute(th_str name);

/* Text as HTML, in texts and in quoted values. */
void serve_put_escaped(serve_text *out, const char *text, size_t len);
/* "t=START-END": of these a page has tens of thousands. */
void serve_put_place(serve_text *out, th_span span);
/* " l=PORTION", when an element is the outermost that is not parted. */
void serve_put_portion(serve_markup *markup, const th_node *node);
/* What a link or an image leads to, for the workbench to show. */
void serve_put_target(serve_markup *markup, const th_attr *attr);

#endif
