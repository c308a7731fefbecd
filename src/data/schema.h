/*
 * schema.h: what a schema is made of. See thresh.h for what it means.
 *
 * Keys: a tuple is written as an object (JSON) or as columns (CSV), and its keys are fixed here
 * once. A member has one key, its name. A member that is a choice has a key for each name among its
 * alternatives, those without a name going by the choice's name: so values of one alternative keep
 * to their column, and the others are null there.
 *
 *     <title, price|sold_out>        keys: title | price, sold_out
 *
 * Invariants
 *  1. A type is built after its children, and each is the child of one type: a tree.
 *  2. depth is 1 for a field and at most TH_SCHEMA_MAX_DEPTH, which bounds recursion over types.
 *  3. The keys of a tuple differ from each other and none is empty.
 *  4. Nothing changes after th_schema_finish but the number of owners.
 */
#ifndef TH_SCHEMA_H
#define TH_SCHEMA_H

#include <jansson.h>
#include <stdatomic.h>
#include <thresh.h>

#include "base/arena.h"
#include "base/json_out.h"

/* The keys of one member of a tuple. */
typedef struct th__keys {
    th_str *names;
    uint32_t count;
} th__keys;

struct th_type {
    uint8_t kind; /* th_type_kind */
    uint8_t note; /* th_note */
    bool used;    /* is a child or the root */
    bool typed;   /* of a field: it always gets the columns of --types (see writer.c) */
    uint32_t depth;
    uint32_t count; /* of children */
    th_str name;    /* own name, or empty */
    th_type **children;
    th__keys *keys; /* by member, of a tuple */
};

struct th_schema {
    th__arena arena;
    atomic_uint owners;
    const th_type *root;
    uint32_t type_count;
    th_error failure; /* the first; status TH_OK when there is none */
};

/* The type behind optionals. */
const th_type *th__type_strip(const th_type *type);
/* The member of a tuple that has a key; as many as it has members if none does. */
uint32_t th__type_find_key(const th_type *tuple, th_str key);
/* A type of the same kind and name in another schema, with other members, item or alternatives. */
th_type *th__type_like(th_schema *to, const th_type *like, th_type **children, size_t count);
/* A copy of what is behind optionals, under another name. NULL if out of memory. */
th_type *th__type_copy(th_schema *to, const th_type *type, th_str name);
/* How many fields a type has, at all depths. */
uint32_t th__type_leaves(const th_type *type);
/*
 * The schema of records that have the members of a record of `left` and then those of `right`: one
 * record per page, or many if either has many. A member of `right` whose name is taken gets
 * `prefix` before it, as often as it needs. What is not a tuple is one member. Caller frees.
 */
th_status th__schema_pair(const th_schema *left, const th_schema *right, th_str prefix,
                          th_schema **out, th_error *err);
void th__schema_write(const th_schema *schema, th__json *json);
/* Reads a schema that is at `path` in a larger file ("schema" for a wrapper). */
th_status th__schema_read(json_t *json, const char *path, th_schema **out, th_error *err);

#endif
