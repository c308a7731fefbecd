/* show_views.h: the views of a page that `thresh show` has. */
#ifndef CLI_SHOW_VIEWS_H
#define CLI_SHOW_VIEWS_H

#include "growing_text.h"

typedef enum show_view {
    SHOW_OUTLINE,
    SHOW_INFO,
    SHOW_TREE,
    SHOW_TOKENS,
    SHOW_TEXT,
    SHOW_FINE,
    SHOW_LINKS,
    SHOW_NEXT
} show_view;

typedef enum show_format { SHOW_READABLE, SHOW_JSON, SHOW_NDJSON } show_format;

/* What is printed on, and how. */
typedef struct show_to {
    cli_text *out;
    th_str page; /* its name */
    bool charset_given, color;
    show_format format;
    th_text scratch, more; /* texts of the page */
} show_to;

/* Prints one view of a page. Failures stay in to->out. */
void show_print(show_to *to, show_view view, const th_page *page);

#endif
