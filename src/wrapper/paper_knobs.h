/* paper_knobs.h: what the papers leave to their users: checked, copied, and in a wrapper's
 * provenance. */
#ifndef TH_PAPER_KNOBS_H
#define TH_PAPER_KNOBS_H

#include "base/arena.h"
#include "base/json_out.h"
#include "wrapper/rule_table.h"

/* Returns true if every number is in its range; the message names the option. What `encoding` may
 * be is for its engine to say. */
th_status th__paper_options_check(const th_paper_options *options, th_error *err);
/* The copy has its texts in the arena. False if out of memory. */
bool th__paper_options_copy(th__arena *arena, const th_paper_options *options,
                            th_paper_options *out);

/* Writes those that are not the default as members of the object that is open. */
void th__paper_options_write(const th_paper_options *options, th__json *json);
/* Reads them back: what the object does not have becomes the default. */
th_status th__paper_options_read(th__rule_reader *reader, json_t *json, th__arena *arena,
                                 th_paper_options *out);

#endif
