/*
 * page_view.h: a page as it looks, made safe, with the bytes of everything in it.
 *
 * What comes out has elements that show something and attributes that change how they look, and
 * nothing else: no scripts, frames, forms that send, links that lead away, or anything that is
 * fetched. Every element has its place (data-s, data-e) and every text too (t, in a <th-t>),
 * so that a click is a label. Lean leaves out the places of elements, and has an element that holds
 * nothing but a text carry its place: a third of the size. Of a large page, lean also says what may
 * be shown later (l=PORTION, from 1): whoever shows it hides these and brings them in as they are
 * needed.
 */
#ifndef SERVE_PAGE_VIEW_H
#define SERVE_PAGE_VIEW_H

#include <thresh.h>

#include "answer_text.h"

void serve_page_view(const th_page *page, bool lean, serve_text *out);

#endif
