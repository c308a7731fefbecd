/* pages.c: a page of the project, parsed. */
#include "pages.h"

th_status serve_page_open(th_project *project, int64_t id, serve_page *out, th_error *err)
{
    th_parser *parser = NULL;
    th_page_source source;
    *out = (serve_page){0};
    th_status status = th_project_page_input(project, id, &out->input, err);
    if (!status)
        status = th_parser_new(NULL, &parser, err);
    if (!status) {
        th_input_source(out->input, &source);
        status = th_parser_parse(parser, th_input_bytes(out->input), &source, &out->page, err);
    }
    th_parser_free(parser);
    if (status)
        serve_page_close(out);
    return status;
}

void serve_page_close(serve_page *page)
{
    th_page_free(page->page);
    th_input_free(page->input);
    *page = (serve_page){0};
}

th_records_source serve_page_source(const serve_page *page)
{
    return (th_records_source){th_input_name(page->input), th_page_url(page->page)};
}
