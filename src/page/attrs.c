/* attrs.c: the attributes of a tag, read when somebody asks. The rules are those of th__tag_end. */
#include "page/attrs.h"

#include "base/str.h"
#include "page/bytes.h"
#include "page/page.h"
#include "page/parse.h"
#include "page/text.h"

th_str th_token_name(const th_page *page, uint32_t token)
{
    th_str text = th__token_text(page, token);
    uint8_t kind = page->tokens[token].kind;
    if (kind != TH_TOKEN_START && kind != TH_TOKEN_END)
        return (th_str){0};
    /* An end tag that opens a row is a start tag: see parse.c. */
    size_t start = kind == TH_TOKEN_END || text.ptr[1] == '/' ? 2 : 1, end = start;
    if (text.len >= start + 8)
        end += th__count_alnum8(text.ptr + start); /* nearly always all of it */
    while (end < text.len && !th__ends_tag_name((unsigned char)text.ptr[end]))
        end++;
    return (th_str){text.ptr + start, end - start};
}

th_attr_iter th_attrs(const th_page *page, uint32_t token)
{
    th_str text = th__token_text(page, token);
    th_str name = th_token_name(page, token);
    if (!name.ptr)
        return (th_attr_iter){0};
    /* The last byte is the ">" that ends the tag. */
    return (th_attr_iter){name.ptr + name.len, text.ptr + text.len - 1};
}

/* What parts attributes, and what ends the name of one. */
#define GAP_BITS  (TH__BLANK_BITS | UINT64_C(1) << '/')
#define NAME_ENDS (GAP_BITS | UINT64_C(1) << '=')

static inline bool is_in(uint64_t bits, char byte)
{
    unsigned char c = (unsigned char)byte;
    return (c < 64) & (bits >> (c & 63));
}

bool th_attr_next(th_attr_iter *iter, th_attr *out)
{
    const char *at = iter->at, *end = iter->end;
    while (at < end && is_in(GAP_BITS, *at))
        at++;
    if (at >= end)
        return false;
    const char *name = at++; /* whatever it is, also "=" */
    while ((at = th__find_name_end(at, end)) < end && !is_in(NAME_ENDS, *at))
        at++; /* a control character is part of a name */
    out->name = (th_str){name, (size_t)(at - name)};
    out->value = (th_str){0};
    const char *after = at;
    while (after < end && th__is_blank((unsigned char)*after))
        after++;
    if (after < end && *after == '=') {
        for (at = after + 1; at < end && th__is_blank((unsigned char)*at);)
            at++;
        const char *value = at;
        if (at < end && (*at == '"' || *at == '\'')) {
            value++;
            at = th__find_byte(value, end, *at);
            out->value = (th_str){value, (size_t)(at - value)};
            at += at < end;
        } else {
            while (at < end && !th__is_blank((unsigned char)*at))
                at++;
            out->value = (th_str){value, (size_t)(at - value)};
        }
    }
    iter->at = at;
    return true;
}

bool th_attr_get(const th_page *page, uint32_t token, const char *name, th_str *value)
{
    return th__attr_get(page, token, th_str_from(name), value);
}

th_attr th__attribute_at(const th_page *page, th_span span)
{
    uint32_t token = th__token_at(page, span.start);
    th_attr attr;
    if (page->tokens[token].kind != TH_TOKEN_START)
        return (th_attr){0};
    for (th__attr_walk it = th__attrs(page, token); th__attr_next(&it, &attr);) {
        const char *at = page->text.ptr + span.start;
        if (attr.value.ptr && at >= attr.value.ptr && at < attr.value.ptr + attr.value.len)
            return attr;
    }
    return (th_attr){0};
}

static th_span span_of(const th_page *page, th_str value)
{
    uint32_t start = (uint32_t)(value.ptr - page->text.ptr);
    return (th_span){start, start + (uint32_t)value.len};
}

bool th__attribute_span(const th_page *page, uint32_t token, th_str name, th_span *out)
{
    th_attr attr;
    for (th__attr_walk it = th__attrs(page, token); th__attr_next(&it, &attr);) {
        if (!th__str_eq_nocase(attr.name, name))
            continue;
        th_str value = th__attribute_value(attr);
        if (!value.len)
            return false;
        *out = span_of(page, value);
        return true;
    }
    return false;
}

static bool ends_with(th_str text, const char *end)
{
    th_str tail = th_str_from(end);
    return text.len >= tail.len &&
           th__str_eq_nocase((th_str){text.ptr + text.len - tail.len, tail.len}, tail);
}

bool th__attribute_is_link(th_str name)
{
    static const char *const ends[] = {"href", "src", "srcset", "-url", "-link", "-original"};
    if (!name.ptr)
        return false;
    if (!th__str_starts_nocase(name, TH_STR("data-")))
        return th__str_eq_nocase(name, TH_STR("href")) || th__str_eq_nocase(name, TH_STR("src")) ||
               th__str_eq_nocase(name, TH_STR("srcset")) ||
               th__str_eq_nocase(name, TH_STR("poster"));
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(name, ends[i]))
            return true;
    return false;
}

bool th__attribute_may_be_data(th_str name)
{
    return !th__str_eq_nocase(name, TH_STR("class")) && !th__str_eq_nocase(name, TH_STR("style")) &&
           !th__str_starts_nocase(name, TH_STR("on"));
}

/* ---- images ---------------------------------------------------------------------------------- */

/* The address for the most pixels of "small.jpg 1x, large.jpg 2x": the first where all are equal.
 * A comma may be part of an address, but not its last byte. */
static th_str best_source(th_str set)
{
    const char *at = set.ptr, *end = set.ptr + set.len;
    th_str best = {0};
    double most = -1;
    while (at < end) {
        while (at < end && (th__is_blank((unsigned char)*at) || *at == ','))
            at++;
        const char *start = at;
        while (at < end && !th__is_blank((unsigned char)*at))
            at++;
        th_str address = {start, (size_t)(at - start)};
        while (address.len && address.ptr[address.len - 1] == ',')
            address.len--;
        bool bare = address.ptr + address.len < at;
        double size = 0, unit = 1;
        for (; !bare && at < end && *at != ','; at++) {
            if (th__is_digit((unsigned char)*at)) {
                size += unit < 1 ? unit * (*at - '0') : 0;
                size = unit < 1 ? size : 10 * size + (*at - '0');
                unit = unit < 1 ? unit / 10 : 1;
            } else if (*at == '.') {
                unit = 0.1;
            }
        }
        if (address.len && size > most) {
            most = size;
            best = address;
        }
    }
    return best;
}

th_str th__attribute_value(th_attr attr)
{
    th_str value = th__str_trim(attr.value);
    return value.len && ends_with(attr.name, "srcset") ? best_source(value) : value;
}

/* Returns true if an address is not a picture, but holds the place of one that is loaded later. */
static bool holds_place(th_str address)
{
    static const char *const words[] = {"blank",  "placeholder", "spacer",      "loading", "lazy",
                                        "pixel.", "1x1",         "transparent", "empty."};
    size_t name = address.len;
    if (!address.len || th__str_starts_nocase(address, TH_STR("data:")) ||
        th__str_starts_nocase(address, TH_STR("about:")) || address.ptr[0] == '#')
        return true;
    while (name && address.ptr[name - 1] != '/')
        name--;
    address = (th_str){address.ptr + name, address.len - name};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (th__str_find(address, th_str_from(words[i])) != SIZE_MAX)
            return true;
    return false;
}

bool th__image_span(const th_page *page, uint32_t token, th_span *out)
{
    static const char *const later[] = {"data-src",   "data-lazy-src", "data-original", "data-lazy",
                                        "data-image", "data-url",      "data-srcset",   "srcset"};
    enum { LATER = sizeof later / sizeof *later };
    th_str src = {0}, best = {0};
    size_t rank = LATER;
    th_attr attr;
    bool any = false; /* an attribute that may hold the address of one that is loaded later */
    if (!(page->tokens[token].flags & TH_TOKEN_HAS_ATTRS))
        return false;
    for (th__attr_walk it = th__attrs(page, token); th__attr_next(&it, &attr);) {
        if (!src.ptr && th__str_eq_nocase(attr.name, TH_STR("src")))
            src = th__str_trim(attr.value);
        any |= attr.name.len > 5 && (th__str_starts_nocase(attr.name, TH_STR("data-")) ||
                                     th__str_eq_nocase(attr.name, TH_STR("srcset")));
    }
    any = any && holds_place(src);
    for (th__attr_walk it = th__attrs(page, token); any && th__attr_next(&it, &attr);)
        for (size_t i = 0; i < rank; i++)
            if (th__str_eq_nocase(attr.name, th_str_from(later[i])) &&
                !holds_place(th__attribute_value(attr))) {
                best = th__attribute_value(attr);
                rank = i;
            }
    th_str taken = best.len ? best : src;
    if (taken.len)
        *out = span_of(page, taken);
    return taken.len > 0;
}

/* ---- for programs ---------------------------------------------------------------------------- */

bool th_attr_span(const th_page *page, const th_attr *attr, th_span *out)
{
    th_str value = attr->value.len ? th__attribute_value(*attr) : (th_str){0};
    if (!value.len || !th__attribute_may_be_data(attr->name))
        return false;
    *out = span_of(page, value);
    return true;
}

bool th_attr_is_link(th_str name)
{
    return th__attribute_is_link(name);
}

bool th_image_span(const th_page *page, uint32_t token, th_span *out)
{
    return token < page->token_count && page->tokens[token].kind == TH_TOKEN_START &&
           th__image_span(page, token, out);
}
