/* api_page.c: one page: its bytes, how it looks, its source, and places in it. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "page_view.h"
#include "pages.h"

/* The page of the request, parsed; otherwise the answer says why not. */
static bool open_page(const serve_request *request, serve_answer *answer, serve_page *page)
{
    th_error err;
    int64_t id = strtoll(request->parts[0], NULL, 10);
    th_status status = serve_page_open(request->project, id, page, &err);
    if (status)
        serve_fail(answer, status, &err);
    return status == TH_OK;
}

void api_page_bytes(const serve_request *request, serve_answer *answer)
{
    serve_page page;
    if (!open_page(request, answer, &page))
        return;
    th_str bytes = th_input_bytes(page.input);
    answer->type = "application/octet-stream";
    serve_put(&answer->text, bytes.ptr, bytes.len);
    serve_page_close(&page);
}

void api_page_view(const serve_request *request, serve_answer *answer)
{
    serve_page page;
    if (!open_page(request, answer, &page))
        return;
    answer->type = "text/html; charset=utf-8";
    const char *lean = serve_query(request, "lean");
    serve_page_view(page.page, lean && !strcmp(lean, "1"), &answer->text);
    serve_page_close(&page);
}

/* The source as UTF-8: what all places refer to. */
void api_page_text(const serve_request *request, serve_answer *answer)
{
    serve_page page;
    if (!open_page(request, answer, &page))
        return;
    th_str text = th_page_text(page.page);
    answer->type = "text/plain; charset=utf-8";
    serve_put(&answer->text, text.ptr, text.len);
    serve_page_close(&page);
}

/* UTF-16 units of a text in UTF-8. */
static uint32_t units_in(const char *text, size_t len)
{
    uint32_t units = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        units += (c & 0xC0) != 0x80;
        units += c >= 0xF0; /* outside the first plane: two units */
    }
    return units;
}

/* Bytes of a text that stand for one letter: a character reference, both signs of a line's end, or
 * the letter itself. */
static uint32_t letter_length(const char *source, uint32_t len)
{
    uint32_t end = 1;
    if (*source == '&') {
        while (end < len && (isalnum((unsigned char)source[end]) || source[end] == '#'))
            end++;
        return end < len && source[end] == ';' ? end + 1 : end;
    }
    if (*source == '\r')
        return len > 1 && source[1] == '\n' ? 2 : 1;
    while (end < len && ((unsigned char)source[end] & 0xC0) == 0x80)
        end++;
    return end;
}

/* How many bytes of source the first `units` UTF-16 units of a text's decoded form come from. A
 * selection in the browser counts decoded characters; a label counts bytes of the source. */
static uint32_t bytes_of_units(const char *source, uint32_t len, uint32_t units)
{
    th_text decoded = {0};
    uint32_t at = 0, have = 0;
    while (at < len && have < units) {
        uint32_t step = letter_length(source + at, len - at), more;
        if (source[at] != '&')
            more = *(source + at) == '\r' ? 1 : units_in(source + at, step);
        else if (th_attr_text((th_str){source + at, step}, &decoded, NULL))
            break;
        else
            more = units_in(decoded.ptr, decoded.len);
        if (source[at] == '&' && more == step && decoded.ptr[0] == '&')
            step = more = 1; /* no reference: a sign like any other */
        at += step;
        have += more;
    }
    th_text_release(&decoded);
    return at;
}

/* The place of a selection: ?start= is the first byte of a text, ?from= and ?to= count UTF-16 units
 * of it as a browser shows it. Gives the bytes and what stands there. */
void api_page_place(const serve_request *request, serve_answer *answer)
{
    serve_page page;
    static const char *const names[] = {"start", "from", "to"};
    uint32_t number[3];
    th_error err;
    th_text text = {0};
    for (size_t i = 0; i < 3; i++) {
        const char *value = serve_query(request, names[i]);
        if (!value) {
            serve_refuse(answer, MHD_HTTP_BAD_REQUEST, "?start=, ?from= and ?to= are needed");
            return;
        }
        number[i] = (uint32_t)strtoul(value, NULL, 10);
    }
    if (!open_page(request, answer, &page))
        return;
    uint32_t tokens = th_page_token_count(page.page), token = 0;
    const th_token *all = th_page_tokens(page.page);
    while (token < tokens && all[token].start != number[0])
        token++;
    if (token == tokens || number[1] > number[2]) {
        serve_refuse(answer, MHD_HTTP_UNPROCESSABLE_CONTENT, "no text of the page starts there");
        serve_page_close(&page);
        return;
    }
    th_span span = th_page_token_span(page.page, token);
    const char *source = th_page_text(page.page).ptr + span.start;
    uint32_t len = span.end - span.start;
    th_span place = {span.start + bytes_of_units(source, len, number[1]),
                     span.start + bytes_of_units(source, len, number[2])};
    th_status status = th_page_span_text(page.page, place, &text, &err);
    if (status)
        serve_fail(answer, status, &err);
    else
        serve_reply(answer, json_pack("{s:I,s:I,s:o}", "start", (json_int_t)place.start, "end",
                                      (json_int_t)place.end, "text",
                                      serve_json((th_str){text.ptr ? text.ptr : "", text.len})));
    th_text_release(&text);
    serve_page_close(&page);
}
