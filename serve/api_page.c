/* api_page.c: one page: its bytes, how it looks, its source, places in it and what is around them.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api.h"
#include "page_view.h"
#include "asked.h"

/* The page of the request, parsed; otherwise the answer says why not. */
static bool open_page(const serve_request *request, serve_answer *answer, serve_page *page)
{
    th_error err;
    th_status status = serve_page_open(request->project, serve_id(request), page, &err);
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

/* Returns how many bytes of a text are one letter: a character reference, both bytes of a line end,
 * or the letter itself. */
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
            step = more = 1; /* not a reference */
        at += step;
        have += more;
    }
    th_text_release(&decoded);
    return at;
}

/* The place of a selection: ?start= is the first byte of a text, ?from= and ?to= count UTF-16 units
 * of it as a browser shows it. Gives the bytes and their text. */
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

/* ---- the elements around a byte, with the attributes that a field may take ------------------- */

enum {
    MOST_ELEMENTS = 48,
    MOST_ATTRIBUTES = 64, /* per element */
    MOST_SHOWN = 1000     /* bytes of a value: a data: URL may have megabytes */
};

/* Writes a comma, unless it is the first. */
static void part(serve_text *out, bool *first)
{
    if (!*first)
        serve_put(out, ",", 1);
    *first = false;
}

static void put_lower(serve_text *out, th_str name)
{
    char small[64];
    size_t len = name.len < sizeof small ? name.len : sizeof small - 1;
    for (size_t i = 0; i < len; i++)
        small[i] =
            (char)(name.ptr[i] >= 'A' && name.ptr[i] <= 'Z' ? name.ptr[i] + 32 : name.ptr[i]);
    serve_put_json(out, (th_str){small, len});
}

/* One attribute. `source` is where the element's picture is, if it has one. */
static void put_attribute(const th_page *page, const th_attr *attr, th_span span, th_span source,
                          th_text *scratch, serve_text *out)
{
    th_str raw = {th_page_text(page).ptr + span.start, span.end - span.start};
    bool cut = raw.len > MOST_SHOWN;
    th_text absolute = {0};
    if (cut)
        for (raw.len = MOST_SHOWN; raw.len && ((unsigned char)raw.ptr[raw.len] & 0xC0) == 0x80;)
            raw.len--;
    if (th_attr_text(raw, scratch, NULL)) {
        out->failed = true;
        return;
    }
    th_str value = {scratch->ptr ? scratch->ptr : "", scratch->len};
    serve_puts(out, "{\"name\":");
    put_lower(out, attr->name);
    serve_puts(out, ",\"value\":");
    serve_put_json(out, value);
    serve_printf(out, ",\"start\":%u,\"end\":%u", span.start, span.end);
    if (cut)
        serve_puts(out, ",\"cut\":true");
    if (th_attr_is_link(attr->name) && !cut && !th_page_resolve(page, value, &absolute, NULL)) {
        serve_puts(out, ",\"url\":");
        serve_put_json(out, (th_str){absolute.ptr ? absolute.ptr : "", absolute.len});
    }
    if (source.end && span.start == source.start)
        serve_puts(out, ",\"image\":true");
    serve_put(out, "}", 1);
    th_text_release(&absolute);
}

static void put_element(const th_page *page, uint32_t node, th_text *scratch, serve_text *out)
{
    uint32_t token = th_page_node(page, node)->token;
    th_span span = th_page_node_span(page, node), source = {0}, place;
    th_str tag = th_token_name(page, token), class_names = {0};
    bool first = true;
    unsigned count = 0;
    th_attr attr;
    if (tag.len == 3 && !strncasecmp(tag.ptr, "img", 3))
        th_image_span(page, token, &source);
    serve_puts(out, "{\"tag\":");
    put_lower(out, tag);
    if (th_attr_get(page, token, "class", &class_names) && class_names.len <= MOST_SHOWN &&
        !th_attr_text(class_names, scratch, NULL)) {
        serve_puts(out, ",\"class\":");
        serve_put_json(out, (th_str){scratch->ptr ? scratch->ptr : "", scratch->len});
    }
    serve_printf(out, ",\"start\":%u,\"end\":%u,\"attributes\":[", span.start, span.end);
    for (th_attr_iter it = th_attrs(page, token); th_attr_next(&it, &attr);) {
        if (!th_attr_span(page, &attr, &place) || count++ >= MOST_ATTRIBUTES)
            continue;
        part(out, &first);
        put_attribute(page, &attr, place, source, scratch, out);
    }
    serve_puts(out, "]}");
}

void api_page_around(const serve_request *request, serve_answer *answer)
{
    serve_page page;
    th_text scratch = {0};
    const char *start = serve_query(request, "start");
    bool first = true;
    if (!start) {
        serve_refuse(answer, MHD_HTTP_BAD_REQUEST, "?start= is needed");
        return;
    }
    if (!open_page(request, answer, &page))
        return;
    unsigned long long at = strtoull(start, NULL, 10);
    if (at >= th_page_text(page.page).len) {
        serve_refuse(answer, MHD_HTTP_UNPROCESSABLE_CONTENT, "the page has no such byte");
        serve_page_close(&page);
        return;
    }
    serve_puts(&answer->text, "{\"elements\":[");
    uint32_t node = th_page_node_at(page.page, (uint32_t)at);
    for (unsigned i = 0; node && i < MOST_ELEMENTS; i++) {
        part(&answer->text, &first);
        put_element(page.page, node, &scratch, &answer->text);
        node = th_page_node(page.page, node)->parent;
    }
    serve_puts(&answer->text, "]}");
    th_text_release(&scratch);
    serve_page_close(&page);
}
