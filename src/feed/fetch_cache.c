/* fetch_cache.c: a folder that keeps what was fetched. */
#include "feed/fetch_parts.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "feed/archive.h"
#include "feed/http_message.h"

#define MAGIC "thresh-cache 1 "

enum {
    DIGITS = 16,
    FIRST_LINE = sizeof MAGIC - 1 + DIGITS + 1,
    MAX_HEADERS = 1 << 20, /* of a file, besides the body */
    SECOND = 1000000,      /* in microseconds */
    MAX_AGE_S = 365 * 24 * 60 * 60,
};

static uint64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec / 1000;
}

/* -------------------------------------------------------------------------------------- headers */

/* A part of a list such as "max-age=60, no-cache": true if it is there, with its number if it has
 * one. */
static bool directive(th_str list, th_str name, uint64_t *number)
{
    while (list.len) {
        const char *comma = memchr(list.ptr, ',', list.len);
        size_t len = comma ? (size_t)(comma - list.ptr) : list.len;
        th_str part = th__str_trim((th_str){list.ptr, len});
        list = (th_str){list.ptr + len + (comma != NULL), list.len - len - (comma != NULL)};
        if (th__str_eq_nocase(part, name))
            return !number;
        if (number && part.len > name.len && part.ptr[name.len] == '=' &&
            th__str_starts_nocase(part, name))
            return th__http_number((th_str){part.ptr + name.len + 1, part.len - name.len - 1},
                                   number);
    }
    return false;
}

/* A date in seconds since 1970, or -1. */
static time_t read_date(th_str text)
{
    char date[64];
    if (!text.len || text.len >= sizeof date)
        return -1;
    memcpy(date, text.ptr, text.len);
    date[text.len] = '\0';
    return curl_getdate(date, NULL);
}

/* For how many seconds an answer holds; false if it does not say. */
static bool lifetime(th_str header, uint64_t *seconds)
{
    th_str control = th__http_value(header, TH_STR("Cache-Control"));
    uint64_t age = 0;
    *seconds = 0;
    if (directive(control, TH_STR("no-cache"), NULL) ||
        directive(control, TH_STR("no-store"), NULL) ||
        th__str_eq(th__http_value(header, TH_STR("Vary")), TH_STR("*")))
        return true;
    bool told = directive(control, TH_STR("max-age"), seconds);
    time_t expires = read_date(th__http_value(header, TH_STR("Expires")));
    time_t date = read_date(th__http_value(header, TH_STR("Date")));
    if (!told && th__http_value(header, TH_STR("Expires")).ptr) {
        told = true;
        date = date < 0 ? time(NULL) : date;
        *seconds = expires > date ? (uint64_t)(expires - date) : 0;
    }
    if (th__http_number(th__http_value(header, TH_STR("Age")), &age))
        *seconds = age < *seconds ? *seconds - age : 0;
    *seconds = *seconds < MAX_AGE_S ? *seconds : MAX_AGE_S;
    return told;
}

/* ---------------------------------------------------------------------------------------- files */

/* Appends the path of the file for a URL, with a NUL; the folder it is in has *folder_len bytes. */
static bool add_path(const th__fetch_cache *cache, th_str url, uint64_t variant, th__buf *out,
                     size_t *folder_len)
{
    uint64_t hash = th__hash_mix(th__hash(url.ptr, url.len), variant);
    th__buf_printf(out, "%s/%02x", cache->folder, (unsigned)(hash >> 56));
    *folder_len = out->len;
    th__buf_printf(out, "/%016llx", (unsigned long long)hash);
    return th__buf_add_byte(out, '\0');
}

th_status th__fetch_cache_open(th__fetch_cache *cache, const char *folder, uint64_t max_age_s,
                               th_error *err)
{
    const uint64_t longest = UINT64_C(100) * MAX_AGE_S;
    max_age_s = max_age_s < longest ? max_age_s : longest;
    *cache =
        (th__fetch_cache){.folder = folder, .begun = now_us(), .max_age_us = max_age_s * SECOND};
    struct stat info;
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return th__fail(err, TH_ERR_IO, "%s: the folder for the cache cannot be created: %s",
                        folder, strerror(errno));
    if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode))
        return th__fail(err, TH_ERR_IO, "%s: is not a folder, as a cache is", folder);
    if (access(folder, R_OK | W_OK | X_OK) != 0)
        return th__fail(err, TH_ERR_IO, "%s: the folder of the cache cannot be used: %s", folder,
                        strerror(errno));
    return TH_OK;
}

/* "name value" on a line of its own: the value, or absent. */
static th_str read_line(th_str *text, const char *name)
{
    const char *end = text->len ? memchr(text->ptr, '\n', text->len) : NULL;
    size_t len = strlen(name);
    if (!end || text->len < len || memcmp(text->ptr, name, len))
        return (th_str){0};
    th_str value = {text->ptr + len, (size_t)(end - text->ptr)};
    if (value.len < len)
        return (th_str){0};
    value.len -= len;
    size_t taken = (size_t)(end - text->ptr) + 1;
    *text = (th_str){text->ptr + taken, text->len - taken};
    return value;
}

static bool read_count(th_str *text, const char *name, uint64_t *out)
{
    th_str value = read_line(text, name);
    return value.ptr && th__http_number(value, out);
}

static bool read_hash(th_str text, uint64_t *out)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (!th__is_digit(c) && !(c >= 'a' && c <= 'f'))
            return false;
        hash = hash << 4 | (uint64_t)(th__is_digit(c) ? c - '0' : c - 'a' + 10);
    }
    *out = hash;
    return text.len == DIGITS;
}

/* The next `len` bytes of the text. */
static bool cut(th_str *text, th_str len_text, th_str *out)
{
    uint64_t len;
    if (!th__http_number(len_text, &len) || len > text->len)
        return false;
    *out = (th_str){text->ptr, (size_t)len};
    *text = (th_str){text->ptr + len, text->len - (size_t)len};
    return true;
}

bool th__cached_parse(th_str text, th__cached *out)
{
    uint64_t sum, status;
    th_str magic = TH_STR(MAGIC);
    if (text.len < FIRST_LINE || !th__str_starts(text, magic) || text.ptr[FIRST_LINE - 1] != '\n' ||
        !read_hash((th_str){text.ptr + magic.len, DIGITS}, &sum))
        return false;
    text = (th_str){text.ptr + FIRST_LINE, text.len - FIRST_LINE};
    if (th__hash(text.ptr, text.len) != sum)
        return false;
    out->url = read_line(&text, "url ");
    bool ok = out->url.len && read_hash(read_line(&text, "variant "), &out->variant) &&
              read_count(&text, "status ", &status) && status >= 100 && status <= 999 &&
              read_count(&text, "stored ", &out->stored) &&
              read_count(&text, "fresh ", &out->fresh);
    out->status = ok ? (int)status : 0;
    out->address = ok ? read_line(&text, "address ") : (th_str){0};
    th_str sizes = out->address.ptr ? read_line(&text, "sizes ") : (th_str){0};
    if (!sizes.ptr)
        return false;
    size_t at = 0;
    th_str request = th__str_word(sizes, &at), response = th__str_word(sizes, &at),
           body = th__str_word(sizes, &at);
    th_str blank = body.len ? read_line(&text, "") : (th_str){0};
    if (!blank.ptr || blank.len || !cut(&text, request, &out->request) ||
        !cut(&text, response, &out->response) || !cut(&text, body, &out->body) || text.len)
        return false;
    out->tag = th__http_value(out->response, TH_STR("ETag"));
    out->date = th__http_value(out->response, TH_STR("Last-Modified"));
    return true;
}

/* Returns true if the server need not be asked. */
static bool is_fresh(const th__fetch_cache *cache, const th__cached *answer)
{
    uint64_t now = now_us();
    if (answer->stored >= cache->begun)
        return answer->stored <= now + SECOND;
    return now < answer->fresh || now - answer->stored < cache->max_age_us;
}

bool th__fetch_cache_find(const th__fetch_cache *cache, th_str url, uint64_t variant,
                          uint64_t max_bytes, th__cached *out)
{
    th__buf path = {0};
    size_t folder_len;
    *out = (th__cached){0};
    bool found = add_path(cache, url, variant, &path, &folder_len) &&
                 access(path.data, F_OK) == 0 &&
                 !th__read_file(path.data, max_bytes + MAX_HEADERS, NULL, &out->file, NULL) &&
                 th__cached_parse(th__buf_str(&out->file), out) && th__str_eq(out->url, url) &&
                 out->variant == variant && out->body.len <= max_bytes;
    th__buf_release(&path);
    if (!found)
        th__buf_release(&out->file);
    else
        out->is_fresh = is_fresh(cache, out);
    return found;
}

static void write_file(const th__cached *answer, th__buf *out)
{
    th__buf_printf(out, MAGIC "%016x\n", 0);
    size_t start = out->len;
    th__buf_add_str(out, TH_STR("url "));
    th__buf_add_str(out, answer->url);
    th__buf_printf(out, "\nvariant %016llx\nstatus %d\nstored %llu\nfresh %llu\naddress ",
                   (unsigned long long)answer->variant, answer->status,
                   (unsigned long long)answer->stored, (unsigned long long)answer->fresh);
    th__buf_add_str(out, answer->address);
    th__buf_printf(out, "\nsizes %zu %zu %zu\n\n", answer->request.len, answer->response.len,
                   answer->body.len);
    th__buf_add_str(out, answer->request);
    th__buf_add_str(out, answer->response);
    th__buf_add_str(out, answer->body);
    if (out->failed)
        return;
    char sum[DIGITS + 1];
    snprintf(sum, sizeof sum, "%016llx",
             (unsigned long long)th__hash(out->data + start, out->len - start));
    memcpy(out->data + start - 1 - DIGITS, sum, DIGITS);
}

th_status th__fetch_cache_store(const th__fetch_cache *cache, th__cached *answer, th_str header,
                                th_error *err)
{
    uint64_t seconds;
    uint64_t before = answer->fresh > answer->stored ? answer->fresh - answer->stored : 0;
    answer->stored = now_us();
    /* One that is asked about again and says nothing new holds as long as before. */
    answer->fresh = answer->stored + (lifetime(header, &seconds) ? seconds * SECOND : before);
    th__buf path = {0}, text = {0};
    size_t folder_len = 0;
    th_file *file = NULL;
    write_file(answer, &text);
    bool memory = add_path(cache, answer->url, answer->variant, &path, &folder_len) && !text.failed;
    th_status status = memory ? TH_OK : th__fail_memory(err);
    if (status == TH_OK) {
        path.data[folder_len] = '\0';
        if (mkdir(path.data, 0700) != 0 && errno != EEXIST)
            status =
                th__fail(err, TH_ERR_IO, "%s: cannot be created: %s", path.data, strerror(errno));
        path.data[folder_len] = '/';
    }
    if (status == TH_OK)
        status = th_file_new(path.data, &file, err);
    if (status == TH_OK) {
        th_sink sink = th_file_sink(file);
        status = sink.write(sink.context, text.data, text.len, err);
    }
    if (status == TH_OK)
        status = th_file_finish(file, err);
    th_file_free(file);
    th__buf_release(&path);
    th__buf_release(&text);
    return status;
}
