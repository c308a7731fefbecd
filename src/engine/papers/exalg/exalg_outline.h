/*
 * exalg_outline.h: a page as roles see it: elements with the names that tell them apart, and texts.
 *
 * A text is what stands between two tags, if it has a letter or a digit. The names of an element
 * are its first class and its id (or itemprop, or property), digits folded ("item-3" is "item-#").
 * Only names that several pages share tell elements apart: an id made of an article's number tells
 * nothing.
 */
#ifndef TH_EXALG_OUTLINE_H
#define TH_EXALG_OUTLINE_H

#include "base/arena.h"
#include "base/key_map.h"
#include "base/str.h"
#include "page/page.h"
#include "index/tag_memo.h"

typedef struct th__exalg_unit {
    uint64_t hash; /* of its text, blanks around it aside */
    uint32_t token;
    uint32_t node;  /* the element around it */
    uint32_t block; /* the innermost element around it that is no phrasing */
} th__exalg_unit;

typedef struct th__exalg_outline {
    const th_page *page;
    uint64_t *cls, *id;       /* by node: the hash of a name, or 0; see th__exalg_node_step */
    th__tag_memo *memo;       /* of elements whose names were read */
    const th__key_map *known; /* names that tell; NULL: all do */
    th__exalg_unit *units;
    uint32_t unit_count;
    uint64_t *sums;       /* by unit, and one more: hashes of the texts before it, added up */
    uint32_t *first_unit; /* by node: the first text at or behind its start tag */
    uint32_t *end_unit;   /* by node: the first text behind it */
} th__exalg_outline;

#define TH__EXALG_UNREAD UINT64_MAX

/* Everything in the arena. With the names that are known, those of elements are read when somebody
 * asks for their step; else all are. False without memory. */
bool th__exalg_outline_make(th__arena *arena, const th_page *page, const th__key_map *known,
                            th__exalg_outline *out);
/* Reads the names of an element. */
void th__exalg_read_names(const th__exalg_outline *o, uint32_t node);

/* What a name is hashed to, and the name as it is hashed. */
uint64_t th__exalg_name_hash(th_str name);
bool th__exalg_name_get(const th_page *page, uint32_t node, const char *attribute, th_str *name);
bool th__exalg_id_get(const th_page *page, uint32_t node, th_str *name);
void th__exalg_name_write(th_str name, th__buf *out);
/* The hash of a text in source form. Sets *readable when it has a letter or digit. */
uint64_t th__exalg_text_hash(th_str text, bool *readable);

/* The label that a text begins with, up to its colon, as "Engine: 3.6 l" does; absent for none. */
th_str th__exalg_prefix(th_str text);

/* The hash of a label's letters and digits, without case and the s of a plural: "Authors:" is
 * "author". */
uint64_t th__exalg_label_hash(th_str text);

/* The element of a tag whose attributes belong to an element: itself, or the first one in it. 0 for
 * none. */
uint32_t th__exalg_attribute_node(const th_page *page, uint32_t node, uint16_t tag);

/* What tells children of one element apart without looking at their text: 0 is for texts. */
static inline uint64_t th__exalg_step(uint16_t tag, uint64_t cls, uint64_t id)
{
    return th__hash_mix(th__hash_mix(tag + 1, cls), id);
}

static inline uint64_t th__exalg_node_step(const th__exalg_outline *o, uint32_t node)
{
    if (o->cls[node] == TH__EXALG_UNREAD)
        th__exalg_read_names(o, node);
    return th__exalg_step(o->page->tags[node], o->cls[node], o->id[node]);
}

static inline uint32_t th__exalg_units_in(const th__exalg_outline *o, uint32_t node)
{
    return o->end_unit[node] - o->first_unit[node];
}

/* What stands right before a text, and the block that it stands in: a row of label and value is
 * known by it wherever it stands. 0 for none. */
static inline uint64_t th__exalg_anchor(const th__exalg_outline *o, uint32_t unit)
{
    if (!unit)
        return 0;
    return th__hash_mix(o->units[unit - 1].hash, th__exalg_node_step(o, o->units[unit].block)) | 1;
}

/* The hash of all texts of an element; of a single one it is the text's own. */
static inline uint64_t th__exalg_whole(const th__exalg_outline *o, uint32_t node)
{
    uint32_t first = o->first_unit[node], end = o->end_unit[node];
    return end - first == 1 ? o->units[first].hash : o->sums[end] - o->sums[first];
}

/* Walks the children of an element, elements and texts, in the order of the page. */
typedef struct th__exalg_child {
    uint32_t node, unit; /* one of them, the other is TH__EXALG_NO_CHILD */
} th__exalg_child;

#define TH__EXALG_NO_CHILD UINT32_MAX

typedef struct th__exalg_walk {
    const th__exalg_outline *o;
    uint32_t node, node_end, unit, unit_end;
} th__exalg_walk;

static inline th__exalg_walk th__exalg_children(const th__exalg_outline *o, uint32_t node)
{
    return (th__exalg_walk){o, node + 1, o->page->nodes[node].end, o->first_unit[node],
                            o->end_unit[node]};
}

static inline bool th__exalg_next(th__exalg_walk *w, th__exalg_child *out)
{
    const th_node *nodes = w->o->page->nodes;
    bool node = w->node < w->node_end, unit = w->unit < w->unit_end;
    if (!node && !unit)
        return false;
    if (unit && (!node || w->o->units[w->unit].token < nodes[w->node].token)) {
        *out = (th__exalg_child){TH__EXALG_NO_CHILD, w->unit++};
        return true;
    }
    *out = (th__exalg_child){w->node, TH__EXALG_NO_CHILD};
    w->unit = w->o->end_unit[w->node];
    w->node = nodes[w->node].end;
    return true;
}

/* Goes into the element that was given last, as if its children stood in its place. */
static inline void th__exalg_enter(th__exalg_walk *w, uint32_t node)
{
    w->node = node + 1;
    w->unit = w->o->first_unit[node];
}

#endif
