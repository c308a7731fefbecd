/*
 * auto_options.h: what the engine does, each a switch, so that it can be measured what it is worth
 * (bench/switches.py). All are on.
 */
#ifndef TH_AUTO_OPTIONS_H
#define TH_AUTO_OPTIONS_H

#include "base/str.h"

typedef struct th__auto_options {
    bool runs;      /* records of several neighbouring elements: auto_runs.h */
    bool fine;      /* heads told apart by fine shapes: auto_cut.h */
    bool grids;     /* records whose parts stand in rows of their own: auto_grid.h */
    bool aside;     /* what calls itself navigation, footer, ... counts less: auto_aside.h */
    bool links;     /* text in links counts less */
    bool one_field; /* lists of a single field count less */
    bool settle;    /* of lists in lists one is the records */
    bool parts;     /* elements of different kinds are parts of a record: not containers' records */
    bool
        line_breaks; /* of ways to cut into runs, lines go before heads and line breaks come last */
    bool lift;       /* an element alone in its parent stands for it */
    bool strangers;  /* headings and adverts between records are left out */
    bool join;       /* siblings with most of the fields are records too */
} th__auto_options;

typedef struct th__auto_switch {
    const char *name;
    size_t offset; /* of a bool in th__auto_options */
} th__auto_switch;

extern const th__auto_switch th__auto_switches[];
extern const size_t th__auto_switch_count;

/* All on, or all off. */
void th__auto_options_init(th__auto_options *options, bool value);
/* Sets a switch by its name; false when there is none. */
bool th__auto_options_set(th__auto_options *options, th_str name, bool value);

#endif
