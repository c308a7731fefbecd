/* gen_options.h: the dials. Defaults, ranges and help texts live in one table (gen_options.c). */
#ifndef GEN_OPTIONS_H
#define GEN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <thresh.h>

typedef enum gen_page_kind { GEN_LIST, GEN_DETAIL, GEN_FACULTY } gen_page_kind;

typedef enum gen_change {
    GEN_CHANGE_NONE,
    GEN_CHANGE_RENAME,
    GEN_CHANGE_WRAP,
    GEN_CHANGE_REORDER,
    GEN_CHANGE_DELETE,
    GEN_CHANGE_RESTYLE,
    GEN_CHANGE_REDESIGN,
    GEN_CHANGE_CONTENT /* --drift content: new values, same layout */
} gen_change;

typedef struct gen_range {
    uint32_t min, max;
} gen_range;

typedef struct gen_options {
    const char *out;    /* folder; NULL is a usage error but for --check and --families */
    const char *family; /* "all" or a name */
    const char *check;  /* folder to verify, or NULL */
    const char *profile;
    uint64_t seed;
    uint32_t sites, pages;
    gen_page_kind kind;
    gen_change change;
    gen_range records, attrs, depth, perms;
    double noise, adverts, permute, optional, optionals, choices, rare, empties, template_words,
        chrome;
    bool truth_all; /* attribute values (links, images) count in "records" too */
    bool families, help, quiet;
    bool pages_given; /* --pages was on the command line: it overrides a shape's */
} gen_options;

/* Fills options from the command line; TH_ERR_ARGUMENT with a complete message otherwise. */
th_status gen_options_parse(gen_options *options, int argc, char **argv, th_error *err);
void gen_options_help(FILE *to);
/* "list", "rename", ...: the names used on the command line and in the truth. */
const char *gen_kind_name(gen_page_kind kind);
const char *gen_change_name(gen_change change);

#endif
