/*
 * wrapper.h: what a wrapper is made of. See thresh.h for what it means, docs/WRAPPER-FORMAT.md for
 * the file.
 *
 * Everything lives in one arena, and nothing changes once a wrapper is made: threads share it.
 */
#ifndef TH_WRAPPER_H
#define TH_WRAPPER_H

#include "data/schema.h"
#include "wrapper/engine.h"
#include "wrapper/select.h"
#include "wrapper/list_options.h"

enum {
    TH__WRAPPER_VERSION = 1,
    TH__WRAPPER_MAX_BYTES = 16 << 20,
    TH__WRAPPER_MAX_PAGES = 100000 /* that provenance names */
};

typedef struct th__learnt_page {
    th_str name;
    uint64_t digest; /* FNV-1a of the page's UTF-8 text */
    uint64_t records;
} th__learnt_page;

struct th_wrapper {
    th__arena arena;
    const th__engine *engine;
    th_schema *schema; /* of the engine's records */
    void *rules;
    th__select *select;     /* what of them is given; NULL: all */
    th__learnt_page *pages; /* learnt from */
    uint32_t page_count;
    uint32_t pick;         /* the option that chose the list */
    th_list_options lists; /* those of mdr and iepad */
    th_str date;           /* or absent */
};

/* An empty one. Caller frees. */
th_wrapper *th__wrapper_new(const th__engine *engine);
/* Reads a wrapper by one of the engines, NULL at the end. */
th_status th__wrapper_read(th_str bytes, const char *name, const th__engine *const *engines,
                           th_wrapper **out, th_error *err);
/* FNV-1a, 64 bits. */
uint64_t th__wrapper_digest(th_str bytes);

#endif
