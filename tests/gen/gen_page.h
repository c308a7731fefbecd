/*
 * gen_page.h: writes pages, and the truth of what it writes.
 *
 * λ(T, x): the template tree and the value tree are walked together; a leaf's place is noted at
 * the moment its bytes are written.
 */
#ifndef GEN_PAGE_H
#define GEN_PAGE_H

#include "gen_site.h"

typedef struct gen_val gen_val;
struct gen_val {
    const gen_node *node;
    uint32_t count;  /* kids: a set's elements, 0 or 1 for an optional, 1 for a choice */
    uint32_t branch; /* of a choice */
    gen_val *kids;
    size_t html_at, html_len, text_at, text_len; /* leaf: its stretches of the pen */
    uint64_t start, end;                         /* leaf: bytes of the page */
    const gen_pattern *pattern;                  /* tuple: this order instead of the template's */
    bool written;                                /* leaf: stands on the page */
};

/* A record's stretches of the page: one, or one for each part. */
typedef struct gen_record {
    gen_val *val;
    uint64_t start[GEN_PARTS], end[GEN_PARTS];
    uint32_t parts;
} gen_record;

/* Where a set of sites is written: FOLDER/SITE/page-000.html, FOLDER/truth.jsonl,
 * FOLDER/labels.jsonl. */
typedef struct gen_folder {
    const char *path;
    FILE *truth, *labels;
    uint64_t page_bytes, truth_bytes, pages, records;
} gen_folder;

th_status gen_folder_open(gen_folder *folder, const char *path, th_error *err);
th_status gen_folder_close(gen_folder *folder, th_error *err);
/* Writes all pages of the site. */
th_status gen_site_write(gen_site *site, gen_folder *folder, th_error *err);

/* ---- gen_truth.c ---- */

typedef struct gen_truth gen_truth;

/* The truth of one page; records are added as they are written. */
gen_truth *gen_truth_new(gen_site *site, gen_folder *folder, uint32_t page);
void gen_truth_record(gen_truth *truth, const gen_record *record, const gen_pen *pen);
/* Ends the line; frees. False when a file could not be written. */
bool gen_truth_close(gen_truth *truth);
/* JSON string with quotes. */
void gen_json_text(th__buf *to, th_str text);

#endif
