/* markup.h: what stands inside comments, doctypes and CDATA sections, read when somebody asks. */
#ifndef TH_MARKUP_H
#define TH_MARKUP_H

#include <thresh.h>

/* Views of the source as written: names keep their case. Absent parts are {NULL, 0}. */
typedef struct th__doctype {
    th_str name, public_id, system_id;
    bool force_quirks; /* the standard calls it incorrect */
} th__doctype;

/* Each takes the whole token. */
th__doctype th__doctype_read(th_str token);
th_str th__comment_text(th_str token);
th_str th__cdata_text(th_str token);

/* Returns true if a page with this doctype is laid out in quirks mode, where a table does not close
 * a p. */
bool th__doctype_is_quirky(th_str token);

#endif
