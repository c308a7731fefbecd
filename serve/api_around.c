/* api_around.c: the elements around a byte of a page, with the attributes that a field may take. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api.h"
#include "pages.h"

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
    th_error err;
    th_text scratch = {0};
    const char *start = serve_query(request, "start");
    bool first = true;
    if (!start) {
        serve_refuse(answer, MHD_HTTP_BAD_REQUEST, "?start= is needed");
        return;
    }
    th_status status =
        serve_page_open(request->project, strtoll(request->parts[0], NULL, 10), &page, &err);
    if (status) {
        serve_fail(answer, status, &err);
        return;
    }
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
