/*
 * attrs.h: the attributes of a tag, for engines that read those of every element of a page.
 *
 * th__attr_next gives what th_attr_next gives, without a call for what nearly all attributes look
 * like: a space, a name of up to 15 letters, and a value in double quotes.
 */
#ifndef TH_ATTRS_H
#define TH_ATTRS_H

#include <string.h>

#include "base/str.h"
#include "page/bytes.h"
#include "page/page.h"

/* The attributes of a start tag, of which no byte behind the text of the page is read. */
typedef struct th__attr_walk {
    th_attr_iter iter;
    const char *limit;
} th__attr_walk;

static inline th__attr_walk th__attrs(const th_page *page, uint32_t token)
{
    const char *text = page->text.ptr + page->tokens[token].start;
    th__attr_walk walk = {.limit = page->text.ptr + page->text.len};
    if (walk.limit - text > 9) {
        const char *after = text + 1 + th__count_alnum8(text + 1);
        if (*after == ' ' && page->tokens[token].kind == TH_TOKEN_START) {
            walk.iter = (th_attr_iter){after, page->text.ptr + page->tokens[token + 1].start - 1};
            return walk;
        }
    }
    walk.iter = th_attrs(page, token);
    return walk;
}

static inline bool th__attr_next(th__attr_walk *walk, th_attr *out)
{
    const char *at = walk->iter.at, *end = walk->iter.end, *name = at + 1;
    if (at == end)
        return false;
    if (*at == ' ' && walk->limit - name >= 17) {
        const char *after = th__find_name_end(name, name + 16);
        if (after > name && after < end && after[0] == '=' && after[1] == '"') {
            const char *value = after + 2, *quote = th__find_near(value, end, walk->limit, '"');
            if (quote < end) {
                out->name = (th_str){name, (size_t)(after - name)};
                out->value = (th_str){value, (size_t)(quote - value)};
                walk->iter.at = quote + 1;
                return true;
            }
        }
    }
    return th_attr_next(&walk->iter, out);
}

/* th_attr_get for a name that the compiler knows: nearly all are written as it is. */
static inline bool th__attr_get(const th_page *page, uint32_t token, th_str name, th_str *value)
{
    th_attr attr;
    if (!(page->tokens[token].flags & TH_TOKEN_HAS_ATTRS))
        return false;
    for (th__attr_walk walk = th__attrs(page, token); th__attr_next(&walk, &attr);)
        if (attr.name.len == name.len &&
            (!memcmp(attr.name.ptr, name.ptr, name.len) || th__str_eq_nocase(attr.name, name))) {
            *value = attr.value;
            return true;
        }
    return false;
}

#endif
