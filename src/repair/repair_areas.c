/* repair_areas.c: see repair_areas.h. */
#include "repair/repair_areas.h"

#include "check/match.h"

void th__area_widen(th__area *area, th_span span)
{
    if (!area->count || span.start < area->from)
        area->from = span.start;
    if (!area->count || span.end > area->to)
        area->to = span.end;
    area->count++;
}

bool th__area_note(th__finder *f, uint32_t field, uint32_t unit, th_span span)
{
    if (!th__list_of(f->repair->profile->fields[field].path).ptr)
        return true;
    if (!f->areas)
        f->areas = th__arena_zero(&f->arena, f->repair->profile->count + 1, sizeof *f->areas);
    if (f->areas && !f->areas[field])
        f->areas[field] = th__arena_zero(&f->arena, f->pages + 1, sizeof **f->areas);
    if (!f->areas || !f->areas[field])
        return false;
    th__area_widen(&f->areas[field][unit], span);
    return true;
}

bool th__are_fellows(const th__finder *f, uint32_t a, uint32_t b)
{
    th_str list = th__list_of(f->repair->profile->fields[a].path);
    th_str other = th__list_of(f->repair->profile->fields[b].path);
    return list.ptr && other.ptr && th__str_eq(list, other);
}

bool th__area_is_apart(const th__finder *f, uint32_t field, const th__area *areas)
{
    uint32_t apart = 0, among = 0;
    for (uint32_t i = 0; f->areas && i < f->repair->profile->count; i++) {
        if (i == field || !f->areas[i] || !th__are_fellows(f, field, i))
            continue;
        for (uint32_t unit = 0; unit < f->pages; unit++) {
            const th__area *its = &f->areas[i][unit], *own = &areas[unit];
            if (its->count < 2 || own->count < 2)
                continue;
            bool out = own->to <= its->from || its->to <= own->from;
            apart += out;
            among += !out;
        }
    }
    return apart > among;
}
