/*
 * url.c: see url.h.
 *
 *     http://host:80/a/b?q#f
 *     scheme authority path query fragment
 *
 * A link is cleaned into a buffer, split into these parts, and put together from its own parts and
 * those of its base (RFC 3986, section 5.2.2).
 */
#include "page/url.h"

#include "base/error.h"
#include "page/charref.h"
#include "page/tags.h"

/* ptr is NULL for a part that is absent; one that is empty is present. */
typedef struct url_parts {
    th_str scheme, authority, path, query, fragment;
    bool web; /* one of the schemes below: it has a host, and "\" is "/" */
} url_parts;

static const th_str web_schemes[] = {{"https", 5}, {"http", 4}, {"file", 4},
                                     {"ftp", 3},   {"wss", 3},  {"ws", 2}};

static bool is_slash(char c, bool web)
{
    return c == '/' || (web && c == '\\');
}

static th_str scheme_of(th_str url)
{
    if (!url.len || !th__is_alpha((unsigned char)*url.ptr))
        return (th_str){0};
    for (size_t i = 1; i < url.len; i++) {
        unsigned char c = (unsigned char)url.ptr[i];
        if (c == ':')
            return (th_str){url.ptr, i};
        if (!th__is_alpha(c) && !th__is_digit(c) && c != '+' && c != '-' && c != '.')
            break;
    }
    return (th_str){0};
}

static bool is_web(th_str scheme)
{
    for (size_t i = 0; i < sizeof web_schemes / sizeof *web_schemes; i++)
        if (th__str_eq_nocase(scheme, web_schemes[i]))
            return true;
    return false;
}

/* What a byte ends: an authority, that of a web scheme, a path, a query, an authority whose slashes
 * were forgotten. SPECIAL: it is not written as it is, but escaped or, a "\" in the path of a web
 * address, as "/". DOT: it may begin a path segment of dots. */
enum { ENDS_HOST = 1, ENDS_WEB_HOST = 2, ENDS_PATH = 4, ENDS_QUERY = 8, ENDS_LOST_HOST = 16 };
enum { SPECIAL = 32, DOT = 64 };

static const uint8_t byte_kinds[256] = {
    ['/'] = ENDS_HOST | ENDS_WEB_HOST | ENDS_LOST_HOST,
    ['\\'] = ENDS_WEB_HOST | ENDS_LOST_HOST | SPECIAL,
    ['?'] = ENDS_HOST | ENDS_WEB_HOST | ENDS_PATH,
    ['#'] = ENDS_HOST | ENDS_WEB_HOST | ENDS_PATH | ENDS_QUERY,
    [0 ... ' '] = SPECIAL,
    ['"'] = SPECIAL,
    ['<'] = SPECIAL,
    ['>'] = SPECIAL,
    [0x7F] = SPECIAL,
    ['.'] = DOT,
    ['%'] = DOT,
};

static uint8_t kind_of(char c)
{
    return byte_kinds[(unsigned char)c];
}

/* Takes the bytes up to the first that ends it, or all. */
static th_str take_until(th_str *rest, uint8_t what)
{
    size_t len = 0;
    while (len < rest->len && !(kind_of(rest->ptr[len]) & what))
        len++;
    th_str taken = {rest->ptr, len};
    *rest = th__str_slice(*rest, len, rest->len);
    return taken;
}

static void skip(th_str *rest, size_t count)
{
    rest->ptr += count;
    rest->len -= count;
}

/* Splits; a link without scheme is read as one of a page with a web scheme when web_base says so.
 */
static url_parts split(th_str url, bool web_base)
{
    url_parts parts = {.scheme = scheme_of(url)};
    if (parts.scheme.ptr)
        skip(&url, parts.scheme.len + 1);
    parts.web = parts.scheme.ptr ? is_web(parts.scheme) : web_base;
    if (url.len >= 2 && is_slash(url.ptr[0], parts.web) && is_slash(url.ptr[1], parts.web)) {
        skip(&url, 2);
        bool file = th__str_eq_nocase(parts.scheme, TH_STR("file"));
        while (parts.scheme.ptr && parts.web && !file && url.len && is_slash(*url.ptr, true))
            skip(&url, 1); /* http:////host */
        parts.authority = take_until(&url, parts.web ? ENDS_WEB_HOST : ENDS_HOST);
    }
    parts.path = take_until(&url, ENDS_PATH);
    if (url.len && *url.ptr == '?') {
        skip(&url, 1);
        parts.query = take_until(&url, ENDS_QUERY);
    }
    if (url.len) {
        skip(&url, 1);
        parts.fragment = url;
    }
    return parts;
}

/* --- writing -------------------------------------------------------------------------------- */

static void add_escaped(th__buf *out, th_str text, bool web_path)
{
    static const char hex[] = "0123456789ABCDEF";
    if (!text.len || !th__buf_reserve(out, 3 * text.len))
        return;
    char *to = out->data + out->len;
    for (size_t i = 0, from; i < text.len; i++) {
        for (from = i; i < text.len && !(kind_of(text.ptr[i]) & SPECIAL);)
            i++;
        memcpy(to, text.ptr + from, i - from);
        to += i - from;
        if (i == text.len)
            break;
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == '\\') {
            *to++ = web_path ? '/' : '\\';
        } else {
            *to++ = '%';
            *to++ = hex[c >> 4];
            *to++ = hex[c & 15];
        }
    }
    out->len = (size_t)(to - out->data);
}

/* How many dots a path segment is made of: 1, 2, or 0 for any other segment. "%2e" is a dot. */
static int dots_of(th_str segment)
{
    int dots = 0;
    for (size_t i = 0; i < segment.len && dots < 3; dots++) {
        th_str rest = {segment.ptr + i, segment.len - i};
        if (*rest.ptr == '.')
            i++;
        else if (th__str_starts_nocase(rest, TH_STR("%2e")))
            i += 3;
        else
            return 0;
    }
    return dots < 3 ? dots : 0;
}

/* Removes dot segments (RFC 3986, section 5.2.4) from out->data[start..], which begins with "/". */
static void remove_dots(th__buf *out, size_t start)
{
    char *path = out->data;
    size_t from = start, to = start, end = out->len;
    while (from < end) {
        size_t next = from + 1; /* path[from] is "/" */
        while (next < end && path[next] != '/')
            next++;
        int dots = dots_of((th_str){path + from + 1, next - from - 1});
        if (dots == 0) {
            if (to != from)
                memmove(path + to, path + from, next - from);
            to += next - from;
        } else {
            while (dots == 2 && to > start && path[--to] != '/')
                ;
            if (next == end) /* "/a/.." ends in "/" */
                path[to++] = '/';
        }
        from = next;
    }
    out->len = to;
}

/* Writes the path of the result; `before` is the base's path up to its last "/" or absent. */
static void add_path(th__buf *out, th_str before, const url_parts *link, bool has_authority)
{
    size_t start = out->len;
    add_escaped(out, before, link->web);
    if (!before.len && has_authority && link->path.len && !is_slash(*link->path.ptr, link->web))
        th__buf_add_byte(out, '/');
    add_escaped(out, link->path, link->web);
    if (!out->failed && out->len > start && out->data[start] == '/')
        remove_dots(out, start);
}

static void add_lower(th__buf *out, th_str text)
{
    for (size_t i = 0; i < text.len; i++)
        th__buf_add_byte(out, (char)th__lower((unsigned char)text.ptr[i]));
}

/* --- resolving ------------------------------------------------------------------------------ */

/* "http:/host" and "http:host" on a page of another scheme: the slashes were forgotten. */
static void find_lost_authority(url_parts *parts)
{
    th_str rest = parts->path;
    if (parts->authority.ptr || !parts->web || th__str_eq_nocase(parts->scheme, TH_STR("file")))
        return;
    while (rest.len && is_slash(*rest.ptr, true))
        skip(&rest, 1);
    parts->authority = take_until(&rest, ENDS_LOST_HOST);
    parts->path = rest;
}

static th_str up_to_last_slash(th_str path, bool web)
{
    while (path.len && !is_slash(path.ptr[path.len - 1], web))
        path.len--;
    return path;
}

static void resolve_parts(const url_parts *base, url_parts *link, th__buf *out)
{
    url_parts result = *link;
    th_str before = {0};
    if (link->scheme.ptr && !(link->web && !link->authority.ptr && base->scheme.ptr &&
                              th__str_eq_nocase(link->scheme, base->scheme))) {
        find_lost_authority(&result);
    } else {
        result.scheme = base->scheme;
        if (!link->authority.ptr) {
            result.authority = base->authority;
            if (!link->path.len) {
                result.path = base->path;
                if (!link->query.ptr)
                    result.query = base->query;
            } else if (!is_slash(*link->path.ptr, link->web)) {
                before = up_to_last_slash(base->path, link->web);
            }
        }
    }
    add_lower(out, result.scheme);
    th__buf_add_byte(out, ':');
    if (result.authority.ptr) {
        th__buf_add(out, "//", 2);
        add_escaped(out, result.authority, false);
    }
    add_path(out, before, &result, result.authority.ptr != NULL);
    if (result.query.ptr) {
        th__buf_add_byte(out, '?');
        add_escaped(out, result.query, false);
    }
    if (result.fragment.ptr) {
        th__buf_add_byte(out, '#');
        add_escaped(out, result.fragment, false);
    }
}

static th_str trim_controls(th_str text)
{
    while (text.len && (unsigned char)*text.ptr <= ' ')
        skip(&text, 1);
    while (text.len && (unsigned char)text.ptr[text.len - 1] <= ' ')
        text.len--;
    return text.len ? text : TH_STR("");
}

/* Those, and tabs, do not count in a link. */
static bool is_line_end(char c)
{
    return c == '\t' || c == '\r' || c == '\n';
}

static bool is_broken(th_str link)
{
    bool broken = false;
    for (size_t i = 0; i < link.len; i++)
        broken |= is_line_end(link.ptr[i]);
    return broken;
}

/* Returns true if a link is absolute and already as it would be written: nothing in it has to be
 * escaped, and no part of its path is dots. Most links are, or begin with "/". */
static bool is_resolved(th_str link)
{
    size_t at = th__str_starts(link, TH_STR("https://"))  ? 8
                : th__str_starts(link, TH_STR("http://")) ? 7
                                                          : 0;
    if (!at || at == link.len || link.ptr[at] == '/')
        return false;
    for (; at < link.len; at++) {
        uint8_t kind = kind_of(link.ptr[at]);
        if (kind & SPECIAL || (kind & DOT && link.ptr[at - 1] == '/'))
            return false;
    }
    return true;
}

bool th__url_resolve(th_str base_url, th_str link_url, th__buf *out)
{
    link_url = trim_controls(link_url);
    if (is_resolved(link_url))
        return th__buf_add_str(out, link_url);
    base_url = trim_controls(base_url);
    th__buf clean = {0};
    bool broken = is_broken(link_url); /* hardly any is */
    for (size_t i = 0; broken && i < link_url.len; i++)
        if (!is_line_end(link_url.ptr[i]))
            th__buf_add_byte(&clean, link_url.ptr[i]);
    url_parts base = split(base_url, false);
    url_parts link = split(broken ? th__buf_str(&clean) : link_url, base.web);
    /* A base such as data:x has no places in it. */
    bool usable = base.scheme.ptr && (base.web || base.authority.ptr);
    if (clean.failed)
        out->failed = true;
    else if (link.scheme.ptr ? link.web : usable)
        resolve_parts(&base, &link, out);
    else
        th__buf_add_str(out, link_url);
    th__buf_release(&clean);
    return !out->failed;
}

bool th__url_place(th_str url, th_str *host, th_str *path)
{
    url_parts parts = split(url, false);
    if (!th__str_starts_nocase(parts.scheme, TH_STR("http")) || !parts.authority.len)
        return false;
    *host = parts.authority;
    const char *at = memrchr(host->ptr, '@', host->len);
    if (at)
        skip(host, (size_t)(at - host->ptr) + 1);
    if (th__str_starts_nocase(*host, TH_STR("www.")))
        skip(host, 4);
    size_t port = host->len;
    while (port && th__is_digit((unsigned char)host->ptr[port - 1]))
        port--;
    if (port && host->ptr[port - 1] == ':')
        host->len = port - 1;
    *path = parts.path;
    if (path->len && path->ptr[path->len - 1] == '/')
        path->len--;
    return true;
}

/* Parameters of advertisers and mailers: a page ignores them. A '*' matches any ending. */
static const char *const tracking[] = {"utm_*",  "gclid",  "fbclid", "msclkid", "dclid", "yclid",
                                       "mc_cid", "mc_eid", "igshid", "_ga",     "_gl"};

static bool is_tracking(th_str parameter)
{
    const char *equals = memchr(parameter.ptr, '=', parameter.len);
    th_str name = {parameter.ptr, equals ? (size_t)(equals - parameter.ptr) : parameter.len};
    for (size_t i = 0; i < sizeof tracking / sizeof *tracking; i++) {
        th_str known = th_str_from(tracking[i]);
        bool any = known.ptr[known.len - 1] == '*';
        known.len -= any;
        if (any ? th__str_starts_nocase(name, known) : th__str_eq_nocase(name, known))
            return true;
    }
    return false;
}

static void add_query(th__buf *out, th_str query)
{
    char before = '?';
    while (query.len) {
        const char *end = memchr(query.ptr, '&', query.len);
        th_str parameter = {query.ptr, end ? (size_t)(end - query.ptr) : query.len};
        skip(&query, parameter.len + (end ? 1 : 0));
        if (!parameter.len || is_tracking(parameter))
            continue;
        th__buf_add_byte(out, before);
        th__buf_add_str(out, parameter);
        before = '&';
    }
}

bool th__url_address(th_str url, th__buf *out)
{
    url_parts parts = split(url, false);
    bool secure = th__str_eq_nocase(parts.scheme, TH_STR("https"));
    th_str host = parts.authority, port = secure ? TH_STR(":443") : TH_STR(":80");
    if ((!secure && !th__str_eq_nocase(parts.scheme, TH_STR("http"))) || !host.len)
        return false;
    if (th__str_ends_nocase(host, port))
        host.len -= port.len;
    th__buf_add_str(out, secure ? TH_STR("https://") : TH_STR("http://"));
    for (size_t i = 0; i < host.len; i++)
        th__buf_add_byte(out, (char)th__lower((unsigned char)host.ptr[i]));
    th__buf_add_str(out, parts.path.len ? parts.path : TH_STR("/"));
    add_query(out, parts.query);
    return !out->failed;
}

/* --- the page ------------------------------------------------------------------------------- */

static uint32_t first_base(const th_page *page, th_str *href)
{
    for (uint32_t n = 1; n < page->node_count; n++)
        if (page->tags[n] == TH_TAG_BASE && th_attr_get(page, page->nodes[n].token, "href", href))
            return n;
    return 0;
}

bool th__page_find_base(th_page *page)
{
    th_str raw;
    if (!first_base(page, &raw))
        return true;
    th__buf href = {0}, url = {0};
    bool ok =
        th__decode_refs(raw, true, &href) && th__url_resolve(page->url, th__buf_str(&href), &url);
    th_str scheme = scheme_of(th__buf_str(&url));
    if (ok && scheme.ptr && is_web(scheme)) {
        page->base = th__arena_copy(&page->arena, th__buf_str(&url));
        ok = page->base.ptr != NULL;
    }
    th__buf_release(&href);
    th__buf_release(&url);
    return ok;
}

th_status th_page_resolve(const th_page *page, th_str href, th_text *out, th_error *err)
{
    return th_url_resolve(page->base.ptr ? page->base : page->url, href, out, err);
}

th_status th_url_resolve(th_str base, th_str href, th_text *out, th_error *err)
{
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    th__url_resolve(base, href, &buf);
    bool ok = th__buf_add_byte(&buf, '\0');
    *out = (th_text){buf.data, ok ? buf.len - 1 : 0, buf.cap};
    return ok ? TH_OK : th__fail_memory(err);
}
