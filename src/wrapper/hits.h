/*
 * hits.h: the parts of a page that a wrapper's rules match. See thresh.h for the meaning.
 *
 * An engine that knows adds one hit for each token or text that a rule matched; for the others the
 * elements around their results are taken, since these are what their rules name.
 */
#ifndef TH_HITS_H
#define TH_HITS_H

#include <thresh.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"

enum { TH__HITS_MOST = 20000 /* on a page: those after are left out */ };

struct th_hits {
    th__arena arena;
    TH__VEC(th_hit) items;
    bool failed; /* out of memory */
};

/* Texts are copied. A hit without a span is left out. */
void th__hits_add(th_hits *hits, th_span span, th_str field, const char *part, th_str rule);
/* The start tag of an element. */
void th__hits_add_tag(th_hits *hits, const th_page *page, uint32_t node, th_str field,
                      const char *part, th_str rule);

#endif
