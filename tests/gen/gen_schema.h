/*
 * gen_schema.h: the type of the data, EXALG's schema tree (section 2.1 and 2.3 of the paper).
 *
 *     tuple < B title, (B subtitle)?, { B author }, ( < B price > | < B bid, B ends > ) >
 *
 * A node's number is its place in preorder; values and templates refer to it.
 */
#ifndef GEN_SCHEMA_H
#define GEN_SCHEMA_H

#include "gen_options.h"
#include "gen_random.h"
#include "gen_values.h"

#include "base/arena.h"
#include "base/str.h"

typedef enum gen_type { GEN_LEAF, GEN_TUPLE, GEN_SET, GEN_OPTIONAL, GEN_CHOICE } gen_type;

/* What a field means on the page: families dress by it. */
typedef enum gen_role {
    GEN_ROLE_PLAIN, /* anything short */
    GEN_ROLE_KEY,   /* the record's name or title */
    GEN_ROLE_LINK,  /* the URL behind the key: the value of an attribute */
    GEN_ROLE_IMAGE, /* an image source: the value of an attribute */
    GEN_ROLE_PRICE,
    GEN_ROLE_TEXT, /* a longer description */
    GEN_ROLE_DATE
} gen_role;

typedef struct gen_node gen_node;
struct gen_node {
    gen_type type;
    uint32_t id;
    gen_role role;
    const char *name;  /* of a leaf or set: a field name, unique among its record's leaves */
    const char *path;  /* names from the record down, joined by dots */
    const char *label; /* what a page may print beside it */
    gen_value_kind kind;
    uint32_t style; /* how values of this leaf are written, fixed for a site */
    uint32_t most;  /* elements of a set: 1 .. most */
    bool multi;     /* a leaf that may become a set of values */
    const gen_node *parent;
    gen_node **kids;
    uint32_t count;
};

typedef struct gen_schema {
    gen_node *root; /* the tuple of one record */
    uint32_t nodes, leaves;
    const char *domain, *noun; /* "books", "book" */
    const char **labels;       /* all of them: words that also stand in the template */
    uint32_t label_count;
} gen_schema;

gen_schema *gen_schema_sample(th__arena *arena, gen_rng rng, const gen_options *options);
/* A faculty schema of `attrs` attributes in their usual order; url first when attrs > 1. */
gen_schema *gen_schema_faculty(th__arena *arena, gen_rng rng, uint32_t attrs);
/* The schema as a JSON tree. */
void gen_schema_json(th__buf *to, const gen_node *node);
/* In EXALG's notation: <B,{<B,B>},(B)?>. */
void gen_schema_type(th__buf *to, const gen_node *node);

/* Arena memory or the end: this is a test program. */
void *gen_alloc(th__arena *arena, size_t size);
const char *gen_str(th__arena *arena, const char *format, ...) TH_PRINTF(2, 3);

#endif
