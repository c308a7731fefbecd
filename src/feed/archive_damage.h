/* archive_damage.h: going from record to record in an archive that may be damaged. */
#ifndef TH_ARCHIVE_DAMAGE_H
#define TH_ARCHIVE_DAMAGE_H

#include "feed/archive.h"

enum { TH__MAX_URI_SHOWN = 200 };
/* A URI for "%.*s" in a message. */
#define TH__SHOWN_URI(uri)                                                                         \
    ((uri).len < TH__MAX_URI_SHOWN ? (int)(uri).len : TH__MAX_URI_SHOWN), (uri).ptr

/* A byte of the file and, in gzip, how far inside the member's inflated bytes. */
typedef struct th__archive_place {
    uint64_t at, in;
} th__archive_place;

th__archive_place th__archive_place_now(const th__stream *stream);

/* What a record's header says about its block. */
typedef struct th__archive_block {
    th_str uri;
    uint64_t length;
    uint64_t start; /* the stream's pos there */
} th__archive_block;

/* Whether a record starts where reading stands. */
th_status th__archive_at_start(th__archive *archive, bool *yes, th_error *err);
th_status th__archive_skip_blanks(th__archive *archive, th_error *err);

/* Moves to the next record that can be found and fills err with the damage at a place: what it is,
 * and where reading goes on. TH_ERR_FORMAT, or the status of what failed on the way. */
TH_PRINTF(4, 5)
th_status th__archive_damage(th__archive *archive, th_error *err, th__archive_place at,
                             const char *format, ...);

/* Moves over a block of which `passed` bytes are behind already, to out or nowhere (NULL), and to
 * where the next record should start. When none does, an error is pended in the archive, *got is
 * where the block really ends, from its start, and *complete whether it can be used. */
th_status th__archive_pass(th__archive *archive, const th__archive_block *block, uint64_t passed,
                           th__buf *out, uint64_t *got, bool *complete, th_error *err);

#endif
