/* auto_aside.h: which parts of a page call themselves navigation, footer, filter, ... */
#ifndef TH_AUTO_ASIDE_H
#define TH_AUTO_ASIDE_H

#include "base/arena.h"
#include "index/view.h"

/* By node: whether its tag, class or id, or one above it, says so. NULL without memory. */
bool *th__auto_aside_find(th__arena *arena, const th__view *view);

#endif
