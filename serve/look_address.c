/* look_address.c: under which addresses what a page refers to may be stored. */
#include "look_address.h"

#include <stdlib.h>
#include <string.h>

#include "routes.h"

/* Returns true if a reference names a host or a scheme. */
static bool is_absolute(th_str reference)
{
    if (reference.len > 1 && !memcmp(reference.ptr, "//", 2))
        return true;
    for (size_t i = 0; i < reference.len; i++) {
        char c = reference.ptr[i];
        if (c == ':')
            return i > 0;
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              (i && ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'))))
            return false;
    }
    return false;
}

static th_str trim(th_str text)
{
    while (text.len && strchr(" \t\r\n\f", *text.ptr) && *text.ptr)
        text = (th_str){text.ptr + 1, text.len - 1};
    while (text.len && text.ptr[text.len - 1] && strchr(" \t\r\n\f", text.ptr[text.len - 1]))
        text.len--;
    return text;
}

bool serve_look_url(const serve_look_base *base, th_str reference, th_text *out)
{
    serve_text whole = {0};
    reference = trim(reference);
    th_str none = {0};
    th_status status;
    if (base->page)
        status = th_page_resolve(base->page, reference, out, NULL);
    else
        status = th_url_resolve(serve_is_url(base->name) ? base->name : none, reference, out, NULL);
    if (status)
        return false;
    if (!serve_is_url((th_str){out->ptr, out->len}) && reference.len > 2 &&
        !memcmp(reference.ptr, "//", 2)) {
        serve_puts(&whole, "https:");
        serve_put(&whole, reference.ptr, reference.len);
        status = whole.failed ? TH_ERR_MEMORY
                              : th_url_resolve(none, (th_str){whole.ptr, whole.len}, out, NULL);
        serve_text_release(&whole);
    }
    if (status || !serve_is_url((th_str){out->ptr, out->len}))
        return false;
    char *hash = memchr(out->ptr, '#', out->len);
    if (hash)
        out->len = (size_t)(hash - out->ptr);
    return true;
}

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static void put_path(serve_text *out, th_str path, bool decoded)
{
    for (size_t i = 0; i < path.len; i++) {
        char c = path.ptr[i];
        if (decoded && c == '%' && i + 2 < path.len && digit(path.ptr[i + 1]) >= 0 &&
            digit(path.ptr[i + 2]) >= 0) {
            c = (char)(digit(path.ptr[i + 1]) * 16 + digit(path.ptr[i + 2]));
            i += 2;
        }
        serve_put(out, c ? &c : "?", 1);
    }
}

/* Takes "." and ".." out of a path, in place. */
static void normalise(serve_text *path)
{
    char *to = path->ptr, *begin = path->ptr;
    const char *at = path->ptr, *end = path->ptr + path->len;
    if (at < end && *at == '/') {
        at++;
        begin = ++to;
    }
    while (at < end) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        size_t len = slash ? (size_t)(slash - at) : (size_t)(end - at);
        bool up = len == 2 && !memcmp(at, "..", 2);
        if (up) {
            if (to > begin) /* without its slash, back to the one before */
                for (to--; to > begin && to[-1] != '/';)
                    to--;
        } else if (len && !(len == 1 && *at == '.')) {
            memmove(to, at, len);
            to += len;
            if (slash)
                *to++ = '/';
        }
        at += len + (slash != NULL);
    }
    path->len = (size_t)(to - path->ptr);
    *to = '\0';
}

bool serve_look_file(const serve_look_base *base, th_str reference, bool decoded, serve_text *out)
{
    reference = trim(reference);
    out->len = 0;
    if (is_absolute(reference) || serve_is_url(base->name))
        return false;
    for (size_t i = 0; i < reference.len; i++)
        if (reference.ptr[i] == '?' || reference.ptr[i] == '#')
            reference.len = i;
    if (!reference.len)
        return false;
    const char *slash = memrchr(base->name.ptr, '/', base->name.len);
    bool root = *reference.ptr == '/';
    if (!root && slash)
        serve_put(out, base->name.ptr, (size_t)(slash - base->name.ptr) + 1);
    put_path(out, root ? (th_str){reference.ptr + 1, reference.len - 1} : reference, decoded);
    if (out->failed || !out->len)
        return false;
    normalise(out);
    return out->len > 0;
}

/* ---- the assets of a site -------------------------------------------------------------------- */

/* FNV-1a. */
static uint64_t hash_address(th_str address)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < address.len; i++)
        hash = (hash ^ (unsigned char)address.ptr[i]) * UINT64_C(0x100000001B3);
    return hash;
}

static th_status take_asset(void *context, const th_project_asset *asset, th_error *err)
{
    serve_asset_index *index = context;
    if (index->count == index->cap) {
        size_t cap = index->cap ? 2 * index->cap : 64;
        struct serve_asset_entry *data = realloc(index->data, cap * sizeof *data);
        if (!data)
            return serve_no_memory(err);
        index->data = data;
        index->cap = cap;
    }
    index->data[index->count++] =
        (struct serve_asset_entry){hash_address(asset->address), asset->id};
    return TH_OK;
}

static int by_hash(const void *a, const void *b)
{
    const struct serve_asset_entry *x = a, *y = b;
    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

th_status serve_asset_index_load(serve_asset_index *index, th_project *project, th_str site,
                                 th_error *err)
{
    th_status status = th_project_assets(project, site, take_asset, index, err);
    if (index->count)
        qsort(index->data, index->count, sizeof *index->data, by_hash);
    index->loaded = true;
    return status;
}

void serve_asset_index_release(serve_asset_index *index)
{
    free(index->data);
    *index = (serve_asset_index){0};
}

static bool look_up(const serve_asset_index *index, th_str address, int64_t *id)
{
    struct serve_asset_entry wanted = {hash_address(address), 0};
    const struct serve_asset_entry *found =
        index->count ? bsearch(&wanted, index->data, index->count, sizeof wanted, by_hash) : NULL;
    if (found)
        *id = found->id;
    return found;
}

bool serve_look_find(const serve_asset_index *index, const serve_look_base *base, th_str reference,
                     int64_t *id)
{
    th_text url = {0};
    serve_text file = {0};
    if (!index->count)
        return false;
    bool found =
        serve_look_url(base, reference, &url) && look_up(index, (th_str){url.ptr, url.len}, id);
    for (int decoded = 1; !found && decoded >= 0; decoded--)
        found = serve_look_file(base, reference, decoded, &file) &&
                look_up(index, (th_str){file.ptr, file.len}, id);
    th_text_release(&url);
    serve_text_release(&file);
    return found;
}
