/* exalg_roles_learn.h: roles from pages. */
#ifndef TH_EXALG_ROLES_LEARN_H
#define TH_EXALG_ROLES_LEARN_H

#include "engine/papers/exalg/exalg.h"
#include "engine/papers/exalg/exalg_roles.h"

/* The pages in `outlines` are of one template. Roles live in the arena, nothing of the pages does.
 * False without memory. */
bool th__exalg_roles_learn(const th__exalg_options *options, th__exalg_outline *outlines,
                           uint32_t page_count, th__arena *arena, th__exalg_roles *out);

#endif
