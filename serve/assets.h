/* assets.h: the front end's files, inside the program. scripts/embed makes assets.c of them. */
#ifndef SERVE_ASSETS_H
#define SERVE_ASSETS_H

#include <stddef.h>

typedef struct serve_asset {
    const char *path; /* "/app.js" */
    const char *type;
    const unsigned char *bytes;
    size_t len;
} serve_asset;

/* The files; a NULL path ends them. */
extern const serve_asset serve_assets[];

#endif
