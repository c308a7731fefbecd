/*
 * page_view.h: a page as it looks, made safe, with the bytes of everything in it.
 *
 * What comes out has elements that show something and attributes that change how they look, and
 * nothing else: no scripts, frames, forms that send, links that lead away, or anything that is
 * fetched. Every element says where it stands (data-s, data-e), every text stands in a <th-t> that
 * does, so that a click is a label.
 */
#ifndef SERVE_PAGE_VIEW_H
#define SERVE_PAGE_VIEW_H

#include <thresh.h>

#include "answer_text.h"

void serve_page_view(const th_page *page, serve_text *out);

#endif
