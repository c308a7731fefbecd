/*
 * repair_json.h: wrappers as JSON, which is what all engines have in common: a member of the record
 * has a name in the schema, and rules refer to it by that name.
 */
#ifndef TH_REPAIR_JSON_H
#define TH_REPAIR_JSON_H

#include <jansson.h>

#include "repair/repair.h"

th_status th__wrapper_to_json(const th_wrapper *wrapper, json_t **out, th_error *err);
th_status th__wrapper_from_json(json_t *root, th_wrapper **out, th_error *err);

bool th__json_is_kind(json_t *type, const char *kind);
/* The type inside of optionals. */
json_t *th__json_strip(json_t *type);
/* The members of the record's tuple, or NULL. */
json_t *th__json_members(json_t *root);
/* The members of the tuples of a list, or NULL. */
json_t *th__json_tuple_members(json_t *member);
/* The type that bears the name of a member: itself, or the item of a list without one. */
json_t *th__json_named_type(json_t *member);
const char *th__json_member_name(json_t *member);
/* Whether a member is a field or a list of fields, with a name. */
bool th__json_is_flat(json_t *member);
bool th__json_is_list(json_t *member);
/* How many fields there are in a type. */
uint32_t th__json_count_fields(json_t *type);
json_t *th__json_find_member(json_t *members, const char *name, size_t len);

/* The name of a field of flat records: its path without the brackets of a list. */
th_str th__field_name(th_str path);

/* A new name of a member outside of lists. */
typedef struct th__json_name {
    const char *from;
    th_str to;
} th__json_name;

/* The roles of a wrapper of template, or NULL. */
json_t *th__json_roles(json_t *root);
/* Renames what roles refer to: the flat members as told, and lists of tuples, in the schema as
 * well, by what their columns are matched with. False without memory. */
bool th__json_rename_roles(th_repair *repair, const th__proposal *proposal, json_t *now,
                           const th__json_name *flat, uint32_t count);

#endif
