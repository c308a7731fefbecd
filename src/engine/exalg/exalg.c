/*
 * exalg.c: Arasu, Garcia-Molina, "Extracting Structured Data from Web Pages" (SIGMOD 2003).
 */
#include "engine/exalg/exalg.h"

#include "base/str.h"

#define SWITCH(name)                                                                               \
    {                                                                                              \
#name, offsetof(th__exalg_options, name)                                                   \
    }

const th__exalg_switch th__exalg_switches[] = {
    SWITCH(roles),         SWITCH(inner_markup),  SWITCH(beside),
    SWITCH(pieces),        SWITCH(attributes),    SWITCH(names),
    SWITCH(near_constant), SWITCH(drop_constant), SWITCH(one_element_sets),
    SWITCH(other),
};
const size_t th__exalg_switch_count = sizeof th__exalg_switches / sizeof *th__exalg_switches;

static void set(th__exalg_options *options, const th__exalg_switch *one, bool value)
{
    *(bool *)((char *)options + one->offset) = value;
}

bool th__exalg_options_set(th__exalg_options *options, th_str name, bool value)
{
    for (size_t i = 0; i < th__exalg_switch_count; i++)
        if (th__str_eq(name, th_str_from(th__exalg_switches[i].name))) {
            set(options, &th__exalg_switches[i], value);
            return true;
        }
    return false;
}

void th__exalg_options_init(th__exalg_options *options)
{
    th__exalg_options_paper(options);
    for (size_t i = 0; i < th__exalg_switch_count; i++)
        set(options, &th__exalg_switches[i], true);
}

void th__exalg_options_paper(th__exalg_options *options)
{
    *options = (th__exalg_options){.size_threshold = 3, .support = 0.25};
}
