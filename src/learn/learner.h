/* learner.h: a learner, and how engines that want all pages at once get them. */
#ifndef TH_LEARNER_H
#define TH_LEARNER_H

#include "wrapper/corpus.h"
#include "wrapper/wrapper.h"

/* A page that is kept until the end. */
typedef struct th__kept_page {
    th_page *page;
    th_located *located; /* its labels, or NULL */
    size_t label_page;   /* which of the labels' pages it is, where it has labels */
    bool sample;         /* the labels are examples: its lists may have more */
    th__learnt_page provenance;
    th_str url; /* or absent */
} th__kept_page;

struct th_learner {
    const th__engine *engine;
    bool front;      /* labels without an engine, or with one that takes none: see front.h */
    bool asked;      /* the engine was named */
    void *state;     /* of an engine that sees page after page */
    th__arena arena; /* names of pages, the date */
    TH__VEC(th__learnt_page) pages;
    th_learn_options options;
    th_str date;
    bool finished;
    /* of an engine that wants all pages at once */
    TH__VEC(th__kept_page) kept;
    th_schema *label_schema;
    size_t labelled;      /* pages */
    bool nearest_miss;    /* a page lacks some of the examples: */
    size_t least_missing; /* how many of them */
    th_error miss;        /* and what is to be told of it */
    th__notes notes;
    size_t wrong;    /* labelled fields of records that the wrapper does not give as labelled */
    size_t left_out; /* pages that the engine did not learn from */
};

/* All engines, NULL at the end. */
const th__engine *const *th__engine_list(void);

/* The pages kept, with their settled labels, in the arena; NULL without memory. */
th__corpus_page *th__learner_corpus(const th_learner *learner, th__arena *arena);

/* Keeps a copy of a page and finds its labels there. */
th_status th__learner_keep(th_learner *learner, const th_page *page,
                           const th_records_source *source, size_t *records, th_error *err);
/* Learns from the pages kept. */
th_status th__learner_learn(th_learner *learner, th_wrapper *wrapper, th_error *err);
void th__learner_release_kept(th_learner *learner);

#endif
