/* pages.h: a page of the project, parsed. */
#ifndef SERVE_PAGES_H
#define SERVE_PAGES_H

#include <thresh.h>

typedef struct serve_page {
    th_input *input; /* its bytes, which the page borrows */
    th_page *page;
} serve_page;

/* TH_DONE when there is none of that id. Close it. */
th_status serve_page_open(th_project *project, int64_t id, serve_page *out, th_error *err);
void serve_page_close(serve_page *page);
/* What records of it are named by. */
th_records_source serve_page_source(const serve_page *page);

#endif
