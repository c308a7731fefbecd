/* cookie_jar.c: the cookies of a session, in memory and in a file. */
#include "feed/session.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "feed/byte_source.h"
#include "feed/http_message.h"

enum { MAX_FILE = 8 << 20, MAX_LINE = 16 << 10, FIELDS = 7 };

enum { DOMAIN, SUBDOMAINS, PATH, SECURE, EXPIRES, NAME, VALUE };

/* Splits a line at its tabs; an empty value may be left out. */
static bool split_line(th_str line, th_str fields[FIELDS])
{
    for (size_t i = 0; i < FIELDS; i++) {
        const char *tab = line.len ? memchr(line.ptr, '\t', line.len) : NULL;
        if (!tab && i < NAME)
            return false;
        size_t len = tab ? (size_t)(tab - line.ptr) : line.len;
        fields[i] = (th_str){line.ptr, len};
        line = (th_str){line.ptr + len + (tab != NULL), line.len - len - (tab != NULL)};
    }
    uint64_t expires;
    return !line.len && fields[DOMAIN].len && fields[NAME].len &&
           th__http_number(fields[EXPIRES], &expires);
}

/* Returns true if a cookie's time is over; those that end with their session have 0. */
static bool is_over(th_str expires)
{
    uint64_t time_of = 0;
    return th__http_number(expires, &time_of) && time_of && time_of <= (uint64_t)time(NULL);
}

/* Adds a cookie to a set. Browsers' files have expired ones, which libcurl leaves out. */
static bool add_line(th__cookie_jar *jar, bool https, const char *line)
{
    return curl_easy_setopt(jar->easy[https], CURLOPT_COOKIELIST, line) != CURLE_OUT_OF_MEMORY;
}

th_status th__cookie_jar_read(th__cookie_jar *jar, th_str text, const char *name, th_error *err)
{
    size_t number = 0;
    while (text.len) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t len = end ? (size_t)(end - text.ptr) : text.len;
        th_str line = th__str_trim((th_str){text.ptr, len}), fields[FIELDS];
        /* th__str_trim takes the tab before an empty value, which split_line allows for. */
        text = (th_str){text.ptr + len + (end != NULL), text.len - len - (end != NULL)};
        number++;
        bool mark = th__str_starts(line, TH_STR("#HttpOnly_"));
        if (!line.len || (line.ptr[0] == '#' && !mark))
            continue;
        if (line.len > MAX_LINE || memchr(line.ptr, '\0', line.len) || !split_line(line, fields))
            return th__fail(err, TH_ERR_FORMAT,
                            "%s: line %zu is not a cookie: a cookie jar has 7 fields per line with "
                            "tabs between (Netscape format)",
                            name, number);
        char *own = th__mem_copy(line.ptr, line.len);
        bool ok = own && add_line(jar, true, own) &&
                  (th__str_eq_nocase(fields[SECURE], TH_STR("TRUE")) || add_line(jar, false, own));
        th__mem_free(own);
        if (!ok)
            return th__fail_memory(err);
    }
    return TH_OK;
}

/* Appends the cookies of a set, without the lines in `known`. */
static bool add_set(const th__cookie_jar *jar, bool https, const struct curl_slist *known,
                    th__buf *out)
{
    struct curl_slist *all = NULL;
    if (curl_easy_getinfo(jar->easy[https], CURLINFO_COOKIELIST, &all) != CURLE_OK)
        return false;
    for (const struct curl_slist *line = all; line; line = line->next) {
        bool double_line = false;
        for (const struct curl_slist *other = known; other && !double_line; other = other->next)
            double_line = !strcmp(line->data, other->data);
        th_str fields[FIELDS];
        if (double_line || !split_line(th_str_from(line->data), fields) || is_over(fields[EXPIRES]))
            continue;
        for (size_t i = 0; i < FIELDS; i++) {
            th__buf_add_str(out, i == SECURE && https ? TH_STR("TRUE") : fields[i]);
            th__buf_add_byte(out, i + 1 < FIELDS ? '\t' : '\n');
        }
    }
    curl_slist_free_all(all);
    return !out->failed;
}

/* The file's text. Lines that are in both sets are those of the file that were for both. The cost
 * is the product of the two sets, which have a few dozen cookies each. */
static bool write_text(const th__cookie_jar *jar, th__buf *out)
{
    struct curl_slist *plain = NULL;
    th__buf_add_str(out, TH_STR("# Netscape HTTP Cookie File\n# Written by thresh. Whoever reads "
                                "this file can use the sessions in it.\n\n"));
    bool ok = curl_easy_getinfo(jar->easy[false], CURLINFO_COOKIELIST, &plain) == CURLE_OK &&
              add_set(jar, false, NULL, out) && add_set(jar, true, plain, out);
    curl_slist_free_all(plain);
    return ok;
}

/* Opens or makes the file for its owner alone. */
static th_status make_private(const char *path, th_error *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    struct stat info;
    bool ok = fd >= 0 && fstat(fd, &info) == 0;
    if (ok && !S_ISREG(info.st_mode)) {
        close(fd);
        return th__fail(err, TH_ERR_ARGUMENT, "%s: is not a regular file, as a cookie jar is",
                        path);
    }
    ok = ok && ((info.st_mode & 077) == 0 || fchmod(fd, 0600) == 0);
    th_status status =
        ok ? TH_OK
           : th__fail(err, TH_ERR_IO, "%s: cannot be opened for reading and writing: %s", path,
                      strerror(errno));
    if (fd >= 0)
        close(fd);
    return status;
}

static th_status make_sets(th__cookie_jar *jar, th_error *err)
{
    for (int i = 0; i < 2; i++) {
        jar->sets[i] = curl_share_init();
        jar->easy[i] = curl_easy_init();
        if (!jar->sets[i] || !jar->easy[i] ||
            curl_share_setopt(jar->sets[i], CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE) ||
            curl_easy_setopt(jar->easy[i], CURLOPT_SHARE, jar->sets[i]) ||
            curl_easy_setopt(jar->easy[i], CURLOPT_COOKIEFILE, ""))
            return th__fail_memory(err);
    }
    return TH_OK;
}

th_status th__cookie_jar_init(th__cookie_jar *jar, const char *path, th_error *err)
{
    th__buf text = {0};
    *jar = (th__cookie_jar){0};
    th_status status = make_sets(jar, err);
    if (status || !path)
        return status;
    jar->path = th__mem_copy(path, strlen(path));
    status = jar->path ? make_private(path, err) : th__fail_memory(err);
    if (status == TH_OK)
        status = th__read_file(path, MAX_FILE, &text, err);
    if (status == TH_OK)
        status = th__cookie_jar_read(jar, th__buf_str(&text), path, err);
    jar->saved = th__hash(th__buf_str(&text).ptr, text.len);
    th__buf_release(&text);
    return status;
}

void th__cookie_jar_release(th__cookie_jar *jar)
{
    for (int i = 0; i < 2; i++) {
        if (jar->easy[i])
            curl_easy_cleanup(jar->easy[i]);
        if (jar->sets[i])
            curl_share_cleanup(jar->sets[i]);
    }
    th__mem_free(jar->path);
    *jar = (th__cookie_jar){0};
}

th_status th__cookie_jar_save(th__cookie_jar *jar, th_error *err)
{
    th__buf text = {0};
    th_file *file = NULL;
    if (!jar->path)
        return TH_OK;
    if (!write_text(jar, &text)) {
        th__buf_release(&text);
        return th__fail_memory(err);
    }
    uint64_t hash = th__hash(text.data, text.len);
    th_status status = TH_OK;
    if (hash != jar->saved) {
        status = th_file_new(jar->path, &file, err); /* keeps the mode */
        if (status == TH_OK) {
            th_sink sink = th_file_sink(file);
            status = sink.write(sink.context, text.data, text.len, err);
        }
        if (status == TH_OK)
            status = th_file_finish(file, err);
        if (status == TH_OK)
            jar->saved = hash;
    }
    th_file_free(file);
    th__buf_release(&text);
    return status;
}

/* Returns true if a cookie of the domain is sent to the host: ".example.org" is for subdomains too.
 */
static bool domain_has(th_str domain, th_str host)
{
    if (th__str_starts(domain, TH_STR("#HttpOnly_")))
        domain = (th_str){domain.ptr + 10, domain.len - 10};
    if (domain.len && domain.ptr[0] == '.')
        return th__str_ends_nocase(host, domain) ||
               th__str_eq_nocase(host, (th_str){domain.ptr + 1, domain.len - 1});
    return th__str_eq_nocase(host, domain);
}

bool th__cookie_jar_has(const th__cookie_jar *jar, bool https, th_str host, const char *name)
{
    struct curl_slist *all = NULL;
    bool found = false;
    curl_easy_getinfo(jar->easy[https], CURLINFO_COOKIELIST, &all);
    for (const struct curl_slist *line = all; line && !found; line = line->next) {
        th_str fields[FIELDS];
        found = split_line(th_str_from(line->data), fields) && !is_over(fields[EXPIRES]) &&
                th__str_eq(fields[NAME], th_str_from(name)) && domain_has(fields[DOMAIN], host);
    }
    curl_slist_free_all(all);
    return found;
}
