/* exalg_construct.h: CONSTTEMP: classes become a template. */
#ifndef TH_EXALG_CONSTRUCT_H
#define TH_EXALG_CONSTRUCT_H

#include "engine/papers/exalg/exalg_classes.h"
#include "engine/papers/exalg/exalg_template.h"

/* Everything in the arena, nothing of the pages. False without memory. */
bool th__exalg_construct(const th__exalg_ecgm *e, bool paths, th__arena *arena,
                         th__exalg_template *out);

#endif
