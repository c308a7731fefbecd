/* intern.h: strings become small numbers, equal strings the same one. */
#ifndef TH_INTERN_H
#define TH_INTERN_H

#include <stdint.h>
#include <thresh.h>

#include "base/key_map.h"

typedef struct th__intern {
    th__arena arena; /* the strings */
    th__key_map ids; /* by hash: id + 1 */
    th_str *names;   /* by id */
    size_t len, cap; /* of names */
} th__intern;

#define TH__INTERN_NONE UINT32_MAX

void th__intern_init(th__intern *table);
void th__intern_release(th__intern *table);
/* The id of text, given on first sight in the order of arrival; NONE if out of memory. Copies text.
 */
uint32_t th__intern_add(th__intern *table, th_str text);
/* The id of text, or NONE when it was never added. */
uint32_t th__intern_find(const th__intern *table, th_str text);
/* The text behind an id. Borrowed. */
th_str th__intern_name(const th__intern *table, uint32_t id);

#endif
