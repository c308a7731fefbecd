/*
 * corpus.h: pages that are learnt from together, with what is known of them.
 *
 * Engines that compare pages (template, exalg) or learn from labels (stalker, softmealy) look at
 * all pages more than once; the learner keeps them. The place of every labelled value is settled
 * before an engine sees it: a text of `labels` has its span on the page, in text or inside the
 * value of an attribute.
 */
#ifndef TH_CORPUS_H
#define TH_CORPUS_H

#include <thresh.h>

#include "base/arena.h"
#include "base/vec.h"

/* A learner's messages to the user: which place it took, what is imperfect, what would help. */
typedef struct th__notes {
    th__arena arena;
    TH__VEC(th_remark) lines;
} th__notes;

typedef struct th__corpus_page {
    const th_page *page;
    th_records_source source;
    const th_records *labels; /* NULL: not labelled */
    th_span body;             /* the area of the records; {0, 0}: not known */
    const th_span *nothing;   /* where none do */
    uint32_t nothing_count;
    bool sample;   /* its lists may have more items than are labelled */
    size_t learnt; /* set by the engine: how many records it learnt from */
    bool left_out; /* set by the engine: not of the kind of the others */
} th__corpus_page;

typedef struct th__corpus {
    th__corpus_page *pages;
    size_t count;
    const th_schema *schema; /* of the labels; NULL when there are none */
    th__notes *notes;
    const th_cancel *cancel; /* NULL: cannot be cancelled */
    /* Only rules that give all labels are wanted: learning may end with TH_ERR_FORMAT where it is
     * clear that there are none. */
    bool exact;
} th__corpus;

void th__notes_init(th__notes *notes);
void th__notes_release(th__notes *notes);
/* One more line, without a newline. False if out of memory. */
bool th__notes_add(th__notes *notes, const char *format, ...) TH_PRINTF(2, 3);
/* One of other notes. */
bool th__notes_copy(th__notes *notes, const th_remark *line);
/* One about a page, or (absent) a detail about all of them. */
bool th__notes_add_of(th__notes *notes, th_str page, bool detail, const char *format, ...)
    TH_PRINTF(4, 5);

/* Fails: a page has fewer lists than the number that the user picked, as `thresh regions` with this
 * engine (NULL: without one) shows. */
th_status th__fail_no_pick(const th_records_source *source, const char *engine, uint32_t lists,
                           uint32_t pick, th_error *err);
/* Fails: none of the pages has a list that can be learnt. */
th_status th__fail_no_list(th_error *err);

#endif
