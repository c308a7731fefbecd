/* evidence.h: the evidence of a verdict as JSON, for verdicts that are printed and that are stored.
 */
#ifndef TH_EVIDENCE_H
#define TH_EVIDENCE_H

#include <thresh.h>

#include "base/json_out.h"

/* Writes an object. `pages`, JSON, becomes a member if it is not empty. */
void th__evidence_write(const th_evidence *evidence, th_str pages, th__json *json);

#endif
