/* attrs.c: the attributes of a tag, read when somebody asks. The rules are those of th__tag_end. */
#include "page/attrs.h"

#include "base/str.h"
#include "page/bytes.h"
#include "page/page.h"
#include "page/scan.h"
#include "page/text.h"

th_str th_token_name(const th_page *page, uint32_t token)
{
    th_str text = th__token_text(page, token);
    uint8_t kind = page->tokens[token].kind;
    if (kind != TH_TOKEN_START && kind != TH_TOKEN_END)
        return (th_str){0};
    /* An end tag that opens a row is a start tag: see tree.c. */
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
    if (!(page->tokens[token].flags & TH_TOKEN_HAS_ATTRS))
        return false;
    th_str want = th_str_from(name);
    th_attr attr;
    for (th__attr_walk it = th__attrs(page, token); th__attr_next(&it, &attr);)
        if (th__str_eq_nocase(attr.name, want)) {
            *value = attr.value;
            return true;
        }
    return false;
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

bool th__attribute_span(const th_page *page, uint32_t token, th_str name, th_span *out)
{
    th_attr attr;
    for (th__attr_walk it = th__attrs(page, token); th__attr_next(&it, &attr);) {
        if (!th__str_eq_nocase(attr.name, name))
            continue;
        th_str value = th__str_trim(attr.value);
        if (!value.len)
            return false;
        out->start = (uint32_t)(value.ptr - page->text.ptr);
        out->end = out->start + (uint32_t)value.len;
        return true;
    }
    return false;
}

bool th__attribute_is_link(th_str name)
{
    return name.ptr &&
           (th__str_eq_nocase(name, TH_STR("href")) || th__str_eq_nocase(name, TH_STR("src")));
}
