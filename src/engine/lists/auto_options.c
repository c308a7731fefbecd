/* auto_options.c: the switches by name. */
#include "engine/lists/auto_options.h"

#include <stddef.h>

#define SWITCH(name)                                                                               \
    {                                                                                              \
#name, offsetof(th__auto_options, name)                                                    \
    }

const th__auto_switch th__auto_switches[] = {
    SWITCH(runs),        SWITCH(fine),      SWITCH(grids),     SWITCH(aside),
    SWITCH(links),       SWITCH(one_field), SWITCH(settle),    SWITCH(parts),
    SWITCH(line_breaks), SWITCH(lift),      SWITCH(strangers), SWITCH(join),
};
const size_t th__auto_switch_count = sizeof th__auto_switches / sizeof *th__auto_switches;

static bool *value_of(th__auto_options *options, const th__auto_switch *one)
{
    return (bool *)((char *)options + one->offset);
}

void th__auto_options_init(th__auto_options *options, bool value)
{
    for (size_t i = 0; i < th__auto_switch_count; i++)
        *value_of(options, &th__auto_switches[i]) = value;
}

bool th__auto_options_set(th__auto_options *options, th_str name, bool value)
{
    for (size_t i = 0; i < th__auto_switch_count; i++)
        if (th__str_eq(name, th_str_from(th__auto_switches[i].name))) {
            *value_of(options, &th__auto_switches[i]) = value;
            return true;
        }
    return false;
}
