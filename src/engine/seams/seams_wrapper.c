/* seams_wrapper.c: the engine's table. */
#include "engine/seams/seams_wrapper.h"

#include "engine/seams/seams.h"

const th__engine th__seams_engine = {
    .name = "seams",
    .learn_corpus = th__seams_learn,
    .needs_labels = true,
    .nested = true,
    .run = th__seams_run,
    .write = th__seams_write,
    .read = th__seams_read,
    .explain = th__seams_explain,
    .rename = th__seams_rename,
};
