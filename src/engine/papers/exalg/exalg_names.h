/* exalg_names.h: what the fields of roles are called. */
#ifndef TH_EXALG_NAMES_H
#define TH_EXALG_NAMES_H

#include "engine/papers/exalg/exalg_roles.h"

/* Names the data and the sets that hold any: after the text of the template beside them, their id,
 * class or tag; or, not by the page, with numbers. False without memory. */
bool th__exalg_roles_name(th__exalg_roles *roles, bool by_page, th__arena *arena);

#endif
