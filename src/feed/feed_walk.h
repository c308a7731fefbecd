/*
 * feed_walk.h: opens folders and lists, so that what is left are files, URLs and standard input.
 *
 *     inputs ──▶ frame: arguments
 *                  └─ frame: @list        one line after the other
 *                       └─ frame: folder  names in byte order, so that every machine has the same
 *                            └─ frame: folder ...
 */
#ifndef TH_FEED_WALK_H
#define TH_FEED_WALK_H

#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"

typedef enum th__leaf_kind { TH__LEAF_FILE, TH__LEAF_STDIN, TH__LEAF_URL } th__leaf_kind;

typedef struct th__walk_entry {
    th__leaf_kind kind;
    char *name;              /* heap; a usable path, a URL, or "-" */
    uint64_t start, end;     /* the part of a file; end is 0 for all of it */
    const th_reader *reader; /* reads the file, or NULL; borrowed */
} th__walk_entry;

typedef struct th__walk_frame th__walk_frame;

typedef struct th__walk {
    TH__VEC(th__walk_frame *) frames;
    th__intern folders; /* seen, by device and inode, so that loops of links end */
    unsigned lists;     /* opened so far */
    bool used_stdin;
    bool files_only;         /* refuse standard input, pipes and devices */
    const th_cancel *cancel; /* or NULL; borrowed */
} th__walk;

th_status th__walk_init(th__walk *walk, const char *const *inputs, size_t count, th_error *err);
void th__walk_release(th__walk *walk);
/* TH_OK with a leaf whose name the caller frees, TH_DONE, or an error for one input. */
th_status th__walk_next(th__walk *walk, th__walk_entry *out, th_error *err);

/* Returns true if an input names a web address. */
bool th__is_url(const char *input);
/* Returns true if a file's name is that of an archive. */
bool th__is_archive_name(th_str name, bool *arc);

#endif
