/*
 * page_look.h: a page as it looks, with its own styles and images, made safe.
 *
 * The page's structure is kept, so that its styles select what they select: what is left out leaves
 * an empty <template> behind, and a text has its place in a comment before it: <!--t=START-END-->.
 * No attribute that acts is kept; links and images say where they lead in data-href and data-src.
 * Links and forms have other names or attributes than on the page (a form is a <th-form>): a small
 * sheet in front of all others gives them the look that browsers give them.
 *
 * Of a large page, elements behind the beginning have l=PORTION (from 1) and are hidden: whoever
 * shows the page takes the attribute away as somebody comes there.
 */
#ifndef SERVE_PAGE_LOOK_H
#define SERVE_PAGE_LOOK_H

#include <thresh.h>

#include "answer_text.h"
#include "css.h"

/* Appends the document. `names` knows the images, fonts and sheets that are at hand; NULL: none. */
void serve_page_look(const th_page *page, const serve_css_names *names, serve_text *out);

#endif
