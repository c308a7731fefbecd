/*
 * lists_records.h: which elements around found records are records too.
 *
 * Records of one element each. The core of a list are the keys of the texts that at least half of
 * its records have. Siblings with most of the core belong to the list, whatever their class;
 * elements with next to none of it (adverts, headings) do not. With a core of fewer than two
 * nothing is told and all stays as it is. Used in learning and in running.
 */
#ifndef TH_LISTS_RECORDS_H
#define TH_LISTS_RECORDS_H

#include "base/key_map.h"
#include "table/items.h"

typedef TH__VEC(uint32_t) th__lists_nodes; /* rising */

/* All give false if out of memory. */

/* The core of a list, rising, in place of what was in `core`. The first is for records of several
 * elements too. */
bool th__lists_core_of(const th__view *view, const th__extents *list, th__key_vec *core);
bool th__lists_core_find(const th__view *view, const th__lists_nodes *nodes, th__key_vec *core);
/* Records of several kinds may have but one key that half of them have. Adds to a core of one key
 * those of the other kinds, so that none of these is taken for a stranger: where records have a
 * link, what has one, too, is a record of another kind, and what has none is a heading or a note.
 */
bool th__lists_core_cover(const th__view *view, const th__extents *list, th__key_vec *core);

/* A core that elements are compared with. */
typedef struct th__lists_core {
    const th__key_vec *keys;
    const th__key_map
        *parts;            /* th__fields.core_parts: what has one of these has the key; or NULL */
    th__key_map places;    /* of keys, from 1 */
    TH__VEC(uint32_t) met; /* by key: the last round that met it */
    th__key_vec found;     /* of the record that was counted last: all its keys */
    uint32_t round;
} th__lists_core;

/* The keys and parts are borrowed. To be closed in any case. */
bool th__lists_core_open(th__lists_core *core, const th__key_vec *keys, const th__key_map *parts);
void th__lists_core_close(th__lists_core *core);
/* How many of its keys a record of some extents has. */
bool th__lists_core_count(th__lists_core *core, const th__view *view, const th__extent *extents,
                          uint32_t count, size_t *common);
/* Takes out nodes that have less than a fifth of the core, when it has at least so many keys, but
 * for those with the same texts in other boxes. */
bool th__lists_drop_strangers(const th__view *view, th__lists_core *core, size_t least,
                              th__lists_nodes *nodes);
/* The same for records of several elements. */
bool th__lists_drop_strange_runs(const th__view *view, th__extent *runs, uint32_t *count);
/* Adds siblings of the nodes that have three in five of the core. */
bool th__lists_join_siblings(const th__view *view, th__lists_core *core, th__lists_nodes *nodes);
/* Takes out rows of data tables that name the columns or are headings. */
void th__lists_drop_header_rows(const th__view *view, th__lists_nodes *nodes);
/* Takes out nodes inside others. */
void th__lists_drop_inner(const th_page *page, th__lists_nodes *nodes);

#endif
