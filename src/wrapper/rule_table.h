/*
 * rule_table.h: rules described once, and reading JSON with messages that name the place:
 *
 *     books.json: rules.records[0].path: must be a text
 *
 * An engine describes each struct of its rules as a *shape*: a table of members, each with its key
 * in the file, its type, where it is in the struct and what it may be. Reading (every type, range
 * and missing member is checked, and a message names the JSON path), writing and renaming of fields
 * follow from the table:
 *
 *     static const th__rule_member cut_members[] = {
 *         {TH__TEXT("after", th__cut, after)},
 *         {TH__UINT("pages", th__cut, pages, 0, 1000), .flags = TH__NEEDED},
 *     };
 *     static const th__rule_shape cut_shape = TH__SHAPE(th__cut, cut_members);
 *
 * Members are read and written in the order of the table. Unless a flag says otherwise a member may
 * be missing (or null), which gives `none`, and is written only if it is something else: a number
 * other than `none`, a text that is not empty, true, a list with items, an object with such
 * members.
 *
 * A shape of one member without a key is *bare*: it describes a value that is not an object, such
 * as the items of an array of texts.
 */
#ifndef TH_RULE_TABLE_H
#define TH_RULE_TABLE_H

#include <jansson.h>
#include <stddef.h>
#include <thresh.h>

#include "base/arena.h"
#include "base/json_out.h"
#include "base/str.h"

/* ---- the reader ------------------------------------------------------------------------------ */

enum { TH__RULE_DEPTH = 320 }; /* steps of a path that messages name: more than a schema allows */

typedef struct th__rule_reader {
    const char *file;        /* the file's name in messages */
    const th_schema *schema; /* that the rules are for */
    th__arena *arena;        /* for the result */
    th_error *err;
    void *root;    /* the struct that th__rule_table_read fills */
    void *context; /* of the engine that reads */
    struct {
        const char *key; /* NULL: an item */
        size_t index;
    } path[TH__RULE_DEPTH]; /* to the value being read */
    size_t depth;
} th__rule_reader;

/* Goes down to a member or an item; the mark leads back. The key is borrowed until then. */
size_t th__rule_enter(th__rule_reader *reader, const char *key);
size_t th__rule_enter_item(th__rule_reader *reader, size_t index);
void th__rule_leave(th__rule_reader *reader, size_t mark);

/* Reports an error in the value at the reader's path, or in a member of it. Returns the status. */
th_status th__rule_fault(th__rule_reader *reader, const char *format, ...) TH_PRINTF(2, 3);
th_status th__rule_fault_in(th__rule_reader *reader, const char *key, const char *problem);

/* ---- tables ---------------------------------------------------------------------------------- */

typedef enum th__rule_type {
    TH__RULE_TEXT,    /* th_str, in the arena */
    TH__RULE_CHARS,   /* const char *, ended by NUL, in the arena; NULL if it is missing */
    TH__RULE_UINT,    /* a whole number from `least` to `most`, in 1, 2, 4 or 8 bytes */
    TH__RULE_REAL,    /* a double from `least` to `most` */
    TH__RULE_FLAG,    /* bool */
    TH__RULE_HASH,    /* uint64_t as 16 hexadecimal digits */
    TH__RULE_WORD,    /* one of `words`, as its index in 1, 2 or 4 bytes */
    TH__RULE_OBJECT,  /* a struct of the shape `of`; without a key its members are in this object */
    TH__RULE_POINTER, /* a pointer to such a struct in the arena; NULL if it is missing */
    TH__RULE_LIST,    /* a pointer to `least` to `most` structs, whose number is at `count_at` */
    TH__RULE_ARRAY,   /* the same, but the structs are inside of this one */
    TH__RULE_PARSED,  /* a text that `parse` makes something of, and `print` writes */
    TH__RULE_OWN      /* whatever the functions `read` and `write` make of it */
} th__rule_type;

enum {
    TH__NEEDED = 1,      /* reading fails without it, and it is always written */
    TH__ALWAYS = 2,      /* written in any case */
    TH__COUNTED = 4,     /* a number: 0 in the struct is 1 in the file */
    TH__EMPTY = 8,       /* a text: absent and empty are two things */
    TH__FIELD_NAME = 16, /* a text: the name of a field of the records */
    TH__ROUNDED = 32     /* a real number: written with four decimals, which keeps files readable */
};

typedef struct th__rule_shape th__rule_shape;

typedef struct th__rule_member {
    const char *key;
    th__rule_type type;
    size_t at, size;
    size_t count_at, count_size; /* of a list */
    double least, most;
    uint64_t none; /* the number or word if the file has no such member */
    double usual;  /* the same of a real number */
    const char *const *words;
    const th__rule_shape *of;
    unsigned flags;
    /* The member exists only in structs whose number at `only_at` (at most 31) is one of the bits
     * of `only`; 0: in all. See TH__ONLY_IF. */
    size_t only_at, only_size;
    uint32_t only;
    /* One of several: the member exists in structs whose number at `tag_at` is `tag`, and the key
     * in the file says so. See TH__TAG. */
    size_t tag_at, tag_size;
    uint64_t tag;
    /* The largest number, if it depends on members read before. */
    uint64_t (*limit)(const th__rule_reader *reader, const void *object);
    /* Called if the member was there, at its path. */
    th_status (*check)(th__rule_reader *reader, void *object);
    /* Of TH__RULE_PARSED: the text is in the arena; `value` is what is at the member's place, and
     * `way` says which of several notations is meant. */
    th_status (*parse)(th__rule_reader *reader, th_str text, int way, void *value);
    void (*print)(const void *root, const void *value, int way, th__buf *out);
    int way;
    /* Of TH__RULE_OWN; `json` is the object that has the member, or the value of a bare shape.
     * `write` writes the key as well; `root` is the struct that is written. */
    th_status (*read)(th__rule_reader *reader, json_t *json, void *object);
    void (*write)(const void *root, const void *object, th__json *json);
} th__rule_member;

struct th__rule_shape {
    const th__rule_member *members;
    size_t count, size;
    /* Called before the members are read. */
    th_status (*begin)(th__rule_reader *reader, void *object);
    /* Called after all members were read, at the path of the object: checks relations between
     * members, and derives others. */
    th_status (*check)(th__rule_reader *reader, void *object);
};

/* Where a member is, and that it is of the right type. */
#define TH__AT(struct_, name) .at = offsetof(struct_, name), .size = sizeof(((struct_ *)0)->name)
#define TH__AT_AS(struct_, name, type)                                                             \
    .at = offsetof(struct_, name), .size = sizeof *(true ? &((struct_ *)0)->name : (type *)NULL)
#define TH__COUNT_AT(struct_, name)                                                                \
    .count_at = offsetof(struct_, name), .count_size = sizeof(((struct_ *)0)->name)

#define TH__TEXT(key_, struct_, name)                                                              \
    .key = key_, .type = TH__RULE_TEXT, TH__AT_AS(struct_, name, th_str)
#define TH__CHARS(key_, struct_, name)                                                             \
    .key = key_, .type = TH__RULE_CHARS, TH__AT_AS(struct_, name, const char *)
#define TH__UINT(key_, struct_, name, from, to)                                                    \
    .key = key_, .type = TH__RULE_UINT, TH__AT(struct_, name), .least = from, .most = to
#define TH__REAL(key_, struct_, name, from, to)                                                    \
    .key = key_, .type = TH__RULE_REAL, TH__AT_AS(struct_, name, double), .least = from, .most = to
#define TH__FLAG(key_, struct_, name)                                                              \
    .key = key_, .type = TH__RULE_FLAG, TH__AT_AS(struct_, name, bool)
#define TH__HASH(key_, struct_, name)                                                              \
    .key = key_, .type = TH__RULE_HASH, TH__AT_AS(struct_, name, uint64_t)
#define TH__WORD(key_, struct_, name, list)                                                        \
    .key = key_, .type = TH__RULE_WORD, TH__AT(struct_, name), .words = list
#define TH__OBJECT(key_, struct_, name, shape)                                                     \
    .key = key_, .type = TH__RULE_OBJECT, TH__AT(struct_, name), .of = &(shape)
/* An object in the file whose members are those of this struct. */
#define TH__GROUP(key_, shape) .key = key_, .type = TH__RULE_OBJECT, .of = &(shape)
/* A struct whose members are in this object. */
#define TH__INLINE(struct_, name, shape)                                                           \
    .type = TH__RULE_OBJECT, TH__AT(struct_, name), .of = &(shape)
#define TH__POINTER(key_, struct_, name, shape)                                                    \
    .key = key_, .type = TH__RULE_POINTER, TH__AT(struct_, name), .of = &(shape)
#define TH__LIST(key_, struct_, name, number, shape, from, to)                                     \
    .key = key_, .type = TH__RULE_LIST, TH__AT(struct_, name), .of = &(shape),                     \
    TH__COUNT_AT(struct_, number), .least = from, .most = to
#define TH__ARRAY(key_, struct_, name, number, shape, from, to)                                    \
    .key = key_, .type = TH__RULE_ARRAY, TH__AT(struct_, name), .of = &(shape),                    \
    TH__COUNT_AT(struct_, number), .least = from, .most = to
#define TH__PARSED(key_, struct_, name, parses, prints)                                            \
    .key = key_, .type = TH__RULE_PARSED, TH__AT(struct_, name), .parse = parses, .print = prints
#define TH__OWN(key_, reads, writes)                                                               \
    .key = key_, .type = TH__RULE_OWN, .read = reads, .write = writes
#define TH__ONLY_IF(struct_, name, bits)                                                           \
    .only_at = offsetof(struct_, name), .only_size = sizeof(((struct_ *)0)->name), .only = bits
#define TH__TAG(struct_, name, value)                                                              \
    .tag_at = offsetof(struct_, name), .tag_size = sizeof(((struct_ *)0)->name), .tag = value

#define TH__SHAPE(struct_, table)                                                                  \
    {                                                                                              \
        .members = table, .count = sizeof(table) / sizeof *(table), .size = sizeof(struct_)        \
    }
#define TH__CHECKED_SHAPE(struct_, table, checks)                                                  \
    {                                                                                              \
        .members = table, .count = sizeof(table) / sizeof *(table), .size = sizeof(struct_),       \
        .check = checks                                                                            \
    }

/* Items that are texts: th_str. */
extern const th__rule_shape th__texts_shape;

/* Reads rules into a new struct in the reader's arena, where texts and lists are too. */
th_status th__rule_table_read(th__rule_reader *reader, json_t *json, const th__rule_shape *shape,
                              void **out);
/* Reads into a struct that is zero, except for members that are not in the table. */
th_status th__rule_table_fill(th__rule_reader *reader, json_t *json, const th__rule_shape *shape,
                              void *object);
/* The same for a struct inside of the one that is read, by functions of the table. */
th_status th__rule_read_inner(th__rule_reader *reader, json_t *json, const th__rule_shape *shape,
                              void *object);
/* Reads a member of an object whose place in `object` the description says. */
th_status th__rule_member_read(th__rule_reader *reader, json_t *json, const th__rule_member *member,
                               void *object);
/* Memory failures stay in the buffer. */
void th__rule_table_write(const th__rule_shape *shape, const void *object, th__json *json);
/* The same for the members of a struct inside of `root`, without the brackets. */
void th__rule_write_members(const th__rule_shape *shape, const void *root, const void *object,
                            th__json *json);
/* Gives every text that names a field of the record the name that `rename` answers (see engine.h);
 * an absent or empty one keeps it. */
void th__rule_table_rename(const th__rule_shape *shape, void *object,
                           th_str (*rename)(void *context, th_str list, th_str name),
                           void *context);

/* ---- what no table can say: single members of an object -------------------------------------- */

/* Absent or null gives TH_OK and leaves *out as it was, unless `needed`. */
th_status th__rule_text(th__rule_reader *reader, json_t *object, const char *key, bool needed,
                        th__arena *arena, th_str *out);
th_status th__rule_number(th__rule_reader *reader, json_t *object, const char *key, bool needed,
                          uint64_t most, uint64_t *out);
/* An array of `least` to `most` items. */
th_status th__rule_array(th__rule_reader *reader, json_t *object, const char *key, size_t least,
                         size_t most, json_t **out);
th_status th__rule_object(th__rule_reader *reader, json_t *object, const char *key, bool needed,
                          json_t **out);

#endif
