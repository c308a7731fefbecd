/*
 * wrapper.h: the parts of a wrapper. See thresh.h for the meaning, docs/WRAPPER-FORMAT.md for the
 * file.
 *
 * Everything lives in one arena, and nothing changes once a wrapper is made and profiled: threads
 * share it.
 */
#ifndef TH_WRAPPER_H
#define TH_WRAPPER_H

#include "data/schema.h"
#include "wrapper/engine.h"
#include "wrapper/select.h"
#include "wrapper/profile.h"

enum {
    TH__WRAPPER_VERSION = 1,
    TH__WRAPPER_MAX_BYTES = 16 << 20,
    TH__WRAPPER_MAX_PAGES = 100000, /* that provenance names */
    TH__WRAPPER_MAX_HISTORY = 10000 /* versions in the history */
};

typedef struct th__learnt_page {
    th_str name;
    uint64_t digest; /* FNV-1a of the page's UTF-8 text */
    uint64_t records;
} th__learnt_page;

/* A repair: the outcome for the version before. */
typedef struct th__history {
    uint64_t version; /* that it made */
    th_str date;      /* or absent */
    th_str *changes;  /* in words, one line per field */
    uint32_t count;
} th__history;

/* The link to the next page of the pages that a wrapper was learnt from: all that is said of it
 * must hold. site/next.c learns and runs it. */
typedef struct th__next_rule {
    th_str path;           /* its last steps */
    th_str text;           /* its whole text; absent: any */
    bool rel;              /* it has rel=next */
    bool number;           /* its text is the number after the current one */
    uint32_t found, pages; /* on how many of the pages it was found */
} th__next_rule;

struct th_wrapper {
    th__arena arena;
    const th__engine *engine;
    uint8_t data;      /* 1: the rules are for the data page of a page: see data_page.h */
    th_schema *schema; /* of the engine's records */
    void *rules;
    th__select *select;     /* the fields that are output; NULL: all */
    th__learnt_page *pages; /* learnt from */
    uint32_t page_count;
    uint32_t pick;          /* the option that chose the list */
    th_paper_options paper; /* that it was learnt with */
    th_str date;            /* or absent */
    uint32_t version;       /* 1, and one more for each repair */
    th__profile *profile;   /* or NULL */
    th__history *history;   /* oldest first */
    uint32_t history_count;
    th__next_rule *next; /* or NULL */
};

/* An empty one. Caller frees. */
th_wrapper *th__wrapper_new(const th__engine *engine);
static inline void th__wrapper_swap(th_wrapper *a, th_wrapper *b)
{
    th_wrapper kept = *a;
    *a = *b;
    *b = kept;
}
/* Reads a wrapper by one of the engines, NULL at the end. */
th_status th__wrapper_read(th_str bytes, const char *name, const th__engine *const *engines,
                           th_wrapper **out, th_error *err);
/* Returns true if the rules are for the data page of a page rather than for the page. */
bool th__wrapper_is_for_data_of(const th_wrapper *wrapper, const th_page *page);
/* th_wrapper_extract by the rules alone: fields that these do not find stay missing, whatever the
 * profile says of their values. */
th_status th__wrapper_extract_by_rules(const th_wrapper *wrapper, const th_page *page,
                                       const th_records_source *source, th_records **out,
                                       th_error *err);
/* Checks that every number is in its range; the message names the option. What `encoding` may be is
 * for its engine to say. */
th_status th__paper_options_check(const th_paper_options *options, th_error *err);
/* FNV-1a, 64 bits, of each text; several at once take a fraction of the time. */
void th__wrapper_digests(const th_str *texts, size_t count, uint64_t *out);

#endif
