/*
 * page_map.h: the texts of a page, their elements, and stretches in which values are sought.
 *
 * A unit is a run of text without a tag in it: what is in the source between two tags, or two
 * signs that separate the values of a line ("Bern | 4 stars"); such a sign is a unit of its own,
 * and ends lines. addresses.h says where the elements around them are.
 */
#ifndef TH_PAGE_MAP_H
#define TH_PAGE_MAP_H

#include "index/addresses.h"

typedef struct th__text_unit {
    uint32_t token, node; /* coarse token; the innermost element */
    th_span span;         /* without blanks at either end */
    uint64_t hash;        /* of its text: see th__anchor_hash */
    bool sign;            /* separates the values of a line */
} th__text_unit;

typedef struct th__page_map {
    const th_page *page;
    th__addresses at; /* of its elements */
    th__text_unit *units;
    uint32_t count;
    uint32_t *before; /* by coarse token, and one more: how many units are before it */
    bool *plain;      /* by node: nothing but text and phrasing in it */
    bool *bare;       /* by node: nor anything with a class or a mark */
} th__page_map;

/* In the arena; `signs`: they separate texts. False if out of memory. */
bool th__page_map_make(th__arena *arena, const th_page *page, bool signs, th__page_map *out);
/* Returns true if a sign that separates values is in a stretch. */
bool th__span_has_sign(const th_page *page, th_span span);

/* The element around each token in turn: the last that begins at or before it, or the one above
 * that has not ended by then. */
typedef struct th__node_walk {
    uint32_t node, next; /* next: 1 at first */
} th__node_walk;

static inline void th__node_follow(th__node_walk *walk, const th_page *page, uint32_t token)
{
    while (walk->next < page->node_count && page->nodes[walk->next].token <= token)
        walk->node = walk->next++;
    while (walk->node && page->nodes[walk->node].token_end <= token)
        walk->node = page->nodes[walk->node].parent;
}

/* Returns true if a token is a text that a reader sees something of. */
static inline bool th__is_text(const th_token *t)
{
    return (t->kind == TH_TOKEN_TEXT || t->kind == TH_TOKEN_RCDATA) && !(t->flags & TH_TOKEN_BLANK);
}

/* A stretch of a page in which values are sought: an element, neighbours under one parent, or a
 * part of a text. */
typedef struct th__scope {
    uint32_t root;       /* paths begin below this node */
    uint32_t token, end; /* coarse tokens that begin in it */
    th_span span;
} th__scope;

typedef struct th__scopes {
    th__scope *data;
    size_t len, cap;
} th__scopes;

th__scope th__scope_page(const th_page *page);
th__scope th__scope_element(const th_page *page, uint32_t node);
/* Tokens under one parent. */
th__scope th__scope_run(const th_page *page, uint32_t root, uint32_t token, uint32_t end);
/* Any stretch. */
th__scope th__scope_span(const th_page *page, th_span span);

/* The hash of a text by which units are known on all pages: references decoded, blanks left out,
 * each run of digits as one sign. 0 when it has no letter, or is longer than anything that tells
 * other texts apart. `scratch` is overwritten. */
enum { TH__ANCHOR_LONGEST = 160 };
uint64_t th__anchor_hash(th_str source, bool references, th__buf *scratch);

static inline bool th__same_span(th_span a, th_span b)
{
    return a.start == b.start && a.end == b.end;
}
/* The text of a span as people read it, in the arena; absent if out of memory. */
th_str th__span_copy(th__arena *arena, const th_page *page, th_span span);
/* Without blanks at either end, &nbsp; among them. */
th_span th__span_trim(const th_page *page, th_span span);

/* The first unit from one on, up to another, whose text has a hash; or `end`. */
static inline uint32_t th__map_find(const th__page_map *map, uint32_t first, uint32_t end,
                                    uint64_t hash)
{
    while (first < end && map->units[first].hash != hash)
        first++;
    return first;
}

/* The class of the token that a unit begins with. */
th_class th__map_begins(const th__page_map *map, uint32_t unit);

/* Returns true if a unit and the one behind it are in one line: nothing but phrasing between them.
 */
bool th__map_in_line(const th__page_map *map, uint32_t unit);
/* Returns true if they flow as one text: in one line, and no sign separates them. */
bool th__map_flows(const th__page_map *map, uint32_t unit);

/* How many units end at or before a byte, and how many begin before it. */
uint32_t th__map_unit_at(const th__page_map *map, uint32_t offset);
uint32_t th__map_units_to(const th__page_map *map, uint32_t offset);


/* The innermost node that holds a stretch of tokens. */
uint32_t th__map_holder(const th_page *page, uint32_t token, uint32_t end);

#endif
