/*
 * session.c: what is sent to a server besides the URL. The site file is JSON:
 *
 *     {"site": "https://shop.example",
 *      "headers": {"Accept-Language": "de", "X-Api-Key": {"env": "SHOP_KEY"}},
 *      "user_agent": "me/1.0", "delay": 2,
 *      "proxy": {"url": "http://proxy.example:3128", "user": "me", "password": {"env": "PROXY"}},
 *      "basic": {"user": "me", "password": {"file": "password.txt"}},
 *      "login": {"url": "/in", "form": {"user": "me", "password": {"env": "SHOP"}}, "ok": "sid"}}
 *
 * or an array of such objects. Nothing of the file is quoted in a message but its keys: it may hold
 * passwords.
 */
#include "feed/session.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "feed/archive.h"
#include "feed/feed.h"
#include "feed/http_message.h"

enum {
    MAX_SITE_FILE = 1 << 20,
    MAX_SECRET = 64 << 10,
    LEAST_SECRET = 4, /* shorter ones are in any text by chance, so that *** says more than they */
    MAX_COOKIES = 8 << 20, /* bytes of the file */
    MAX_COOKIE = 16 << 10,
    MAX_DROPPED = 64 << 10, /* of a body that nobody wants, to keep the connection */
    MAX_LOGIN_BYTES = 4 << 20,
};

/* ---- URLs ------------------------------------------------------------------------------------ */

void th__url_parts_release(th__url_parts *parts)
{
    curl_free(parts->scheme);
    curl_free(parts->host);
    curl_free(parts->port);
    curl_free(parts->path);
    curl_free(parts->query);
    curl_free(parts->user);
    curl_free(parts->password);
    curl_free(parts->url);
    *parts = (th__url_parts){0};
}

bool th__url_split(const char *url, th__url_parts *out)
{
    *out = (th__url_parts){0};
    CURLU *handle = th__need_curl(NULL) ? NULL : curl_url();
    if (!handle)
        return false;
    bool ok = !curl_url_set(handle, CURLUPART_URL, url, CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME);
    if (ok) {
        curl_url_get(handle, CURLUPART_USER, &out->user, CURLU_URLDECODE);
        curl_url_get(handle, CURLUPART_PASSWORD, &out->password, CURLU_URLDECODE);
    }
    ok = ok && !curl_url_set(handle, CURLUPART_FRAGMENT, NULL, 0) &&
         !curl_url_set(handle, CURLUPART_USER, NULL, 0) &&
         !curl_url_set(handle, CURLUPART_PASSWORD, NULL, 0) &&
         !curl_url_get(handle, CURLUPART_SCHEME, &out->scheme, 0) &&
         !curl_url_get(handle, CURLUPART_HOST, &out->host, 0) &&
         !curl_url_get(handle, CURLUPART_PATH, &out->path, 0) &&
         !curl_url_get(handle, CURLUPART_URL, &out->url, 0);
    if (ok) {
        curl_url_get(handle, CURLUPART_PORT, &out->port, CURLU_DEFAULT_PORT);
        curl_url_get(handle, CURLUPART_QUERY, &out->query, 0);
    }
    curl_url_cleanup(handle);
    return ok && (out->port || !th__str_starts_nocase(th_str_from(url), TH_STR("http")));
}

void th__url_add_site(const th__url_parts *parts, th__buf *out)
{
    size_t start = out->len;
    th__buf_printf(out, "%s://%s:%s", parts->scheme, parts->host, parts->port ? parts->port : "");
    for (size_t i = start; i < out->len; i++)
        out->data[i] = (char)th__lower((unsigned char)out->data[i]);
}

/* ---- headers --------------------------------------------------------------------------------- */

static bool is_name_byte(unsigned char c)
{
    return th__is_alpha(c) || th__is_digit(c) || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_value(th_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if ((c < ' ' && c != '\t') || c == 0x7F)
            return false;
    }
    return text.len > 0;
}

/* Returns true if a header of that name lets its bearer in, by the names that are in use. */
static bool is_secret_name(th_str name)
{
    static const char *const words[] = {
        "auth",   "cookie",  "token",   "secret",     "password",   "passwd",   "api-key",
        "apikey", "api_key", "session", "credential", "access-key", "signature"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (th__str_contains_nocase(name, th_str_from(words[i])))
            return true;
    return false;
}

/* Returns the option that says the same, or "" for a header that is not the user's to set; NULL for
 * all others. */
static const char *owner_of(th_str name)
{
    static const struct {
        const char *name, *owner;
    } owned[] = {
        {"User-Agent", "the user agent has an option of its own"},
        {"Host", "it follows from the URL"},
        {"Content-Length", "it follows from what is sent"},
        {"Transfer-Encoding", "it follows from what is sent"},
        {"Connection", "connections are the fetcher's business"},
        {"Accept-Encoding", "the fetcher asks for what it can read"},
        {"If-None-Match", "the cache sends it"},
        {"If-Modified-Since", "the cache sends it"},
        {"Range", "pages are fetched whole"},
    };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        if (th__str_eq_nocase(name, th_str_from(owned[i].name)))
            return owned[i].owner;
    return NULL;
}

static th_str header_name(const th__header *header)
{
    return (th_str){header->line, header->name_len};
}

/* Adds "Name: value". `where` begins messages. */
static th_status add_header(th__session *session, th__headers *headers, th_str name, th_str value,
                            bool secret, const char *where, th_error *err)
{
    size_t valid = 0;
    while (valid < name.len && is_name_byte((unsigned char)name.ptr[valid]))
        valid++;
    if (!name.len || valid < name.len)
        return th__fail(err, TH_ERR_ARGUMENT, "%s: is not a header: write 'Name: value'", where);
    const char *owner = owner_of(name);
    if (owner)
        return th__fail(err, TH_ERR_ARGUMENT, "%s: the header %.*s cannot be set: %s", where,
                        TH_STR_ARG(name), owner);
    if (!is_value(value))
        return th__fail(err, TH_ERR_ARGUMENT, "%s: the value of %.*s is %s", where,
                        TH_STR_ARG(name),
                        value.len ? "more than one line, or has control characters" : "empty");
    th__buf line = {0};
    th__buf_add_str(&line, name);
    th__buf_add(&line, ": ", 2);
    th__buf_add_str(&line, value);
    th_str kept = line.failed ? (th_str){0} : th__arena_copy(&session->arena, th__buf_str(&line));
    th__buf_release(&line);
    if (!kept.ptr || !th__vec_push(headers, (th__header){kept.ptr, name.len, secret}))
        return th__fail_memory(err);
    return TH_OK;
}

/* ---- secrets --------------------------------------------------------------------------------- */

/* Keeps a copy, which no message will show. NULL if out of memory. */
static const char *keep_secret(th__session *session, th_str text)
{
    th_str own = th__arena_copy(&session->arena, text);
    if (!own.ptr || (own.len >= LEAST_SECRET && !th__vec_push(&session->secrets, own)))
        return NULL;
    /* It may come back inside of a URL. */
    char *escaped = curl_easy_escape(NULL, own.ptr, (int)own.len);
    bool ok = escaped != NULL;
    if (ok && own.len >= LEAST_SECRET && strcmp(escaped, own.ptr)) {
        th_str other = th__arena_copy(&session->arena, th_str_from(escaped));
        ok = other.ptr && th__vec_push(&session->secrets, other);
    }
    curl_free(escaped);
    return ok ? own.ptr : NULL;
}

/* Appends a text in which ${NAME} is replaced by a variable of the environment; *secret is set if
 * there was one. `escaped`: its value is made a part of a URL. `where` begins messages. */
static th_status expand(th__session *session, th_str text, bool escaped, const char *where,
                        th__buf *out, bool *secret, th_error *err)
{
    for (size_t at = 0; at < text.len;) {
        th_str rest = {text.ptr + at, text.len - at};
        size_t end =
            th__str_starts(rest, TH_STR("${")) ? th__str_find(rest, TH_STR("}")) : SIZE_MAX;
        if (end == SIZE_MAX) {
            th__buf_add_byte(out, text.ptr[at++]);
            continue;
        }
        char name[128];
        if (end - 2 >= sizeof name)
            return th__fail(err, TH_ERR_ARGUMENT, "%s: the name in ${...} is too long", where);
        memcpy(name, rest.ptr + 2, end - 2);
        name[end - 2] = '\0';
        const char *value = getenv(name);
        if (!value || !*value)
            return th__fail(err, TH_ERR_ARGUMENT, "%s: the environment variable %s is %s", where,
                            name, value ? "empty" : "not set");
        if (!keep_secret(session, th_str_from(value)))
            return th__fail_memory(err);
        char *part = escaped ? curl_easy_escape(NULL, value, 0) : NULL;
        if (escaped && !part)
            return th__fail_memory(err);
        th__buf_add_str(out, th_str_from(part ? part : value));
        curl_free(part);
        *secret = true;
        at += end + 1;
    }
    return out->failed ? th__fail_memory(err) : TH_OK;
}

/* ---- options --------------------------------------------------------------------------------- */

static th_status read_header_option(th__session *session, const char *text, th_error *err)
{
    th_str name, value;
    char where[100];
    bool header = th__http_field(th_str_from(text), &name, &value);
    snprintf(where, sizeof where, "--header '%.*s: ...'", name.len < 60 ? (int)name.len : 60,
             name.ptr);
    if (!header)
        return th__fail(err, TH_ERR_ARGUMENT, "--header: is not a header: write 'Name: value'");
    th__buf expanded = {0};
    bool secret = false;
    th_status status = expand(session, value, false, where, &expanded, &secret, err);
    if (status == TH_OK && !secret && is_secret_name(name))
        status = th__fail(err, TH_ERR_ARGUMENT,
                          "%s: a command line can be seen by others, so it takes no secrets: put "
                          "the value into the environment and write --header '%.*s: ${NAME}', or "
                          "into a site file (--site-file)",
                          where, name.len < 60 ? (int)name.len : 60, name.ptr);
    if (status == TH_OK)
        status = add_header(session, &session->headers, name, th__buf_str(&expanded), secret, where,
                            err);
    th__buf_release(&expanded);
    return status;
}

/* Checks a proxy's URL and takes it apart. */
static th_status read_proxy_url(th__session *session, const char *url, const char *where,
                                th__proxy *out, th_error *err)
{
    static const char *const schemes[] = {"http",    "https",  "socks4",
                                          "socks4a", "socks5", "socks5h"};
    th__url_parts parts;
    bool known = false, memory = true;
    if (strstr(url, "://") && th__url_split(url, &parts)) {
        for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
            known |= !strcmp(parts.scheme, schemes[i]);
        out->url = th__arena_copy(&session->arena, th_str_from(parts.url)).ptr;
        memory = out->url != NULL;
        if (parts.user) {
            out->user = th__arena_copy(&session->arena, th_str_from(parts.user)).ptr;
            out->password = keep_secret(session, th_str_from(parts.password ? parts.password : ""));
            memory = memory && out->user && out->password;
        }
        th__url_parts_release(&parts);
    }
    if (!memory)
        return th__fail_memory(err);
    return known ? TH_OK
                 : th__fail(err, TH_ERR_ARGUMENT,
                            "%s: must be a URL such as http://proxy.example:3128 (http, https, "
                            "socks4, socks4a, socks5 or socks5h)",
                            where);
}

static th_status read_proxy_option(th__session *session, const char *text, th_error *err)
{
    th__buf url = {0};
    bool secret = false;
    const char *at = strrchr(text, '@');
    th_str before = {text, at ? (size_t)(at - text) : 0}, after = th_str_from(text + before.len);
    th_status status = expand(session, before, true, "--proxy", &url, &secret, err);
    if (status == TH_OK)
        status = expand(session, after, false, "--proxy", &url, &secret, err);
    if (status == TH_OK && !th__buf_add_byte(&url, '\0'))
        status = th__fail_memory(err);
    if (status == TH_OK)
        status = read_proxy_url(session, url.data, "--proxy", &session->proxy, err);
    if (status == TH_OK && session->proxy.user && !secret)
        status = th__fail(err, TH_ERR_ARGUMENT,
                          "--proxy: a command line can be seen by others, so it takes no password: "
                          "put it into the environment and write "
                          "--proxy 'http://me:${NAME}@proxy.example:3128', or into a site file");
    th__buf_release(&url);
    return status;
}

/* ---- the site file --------------------------------------------------------------------------- */

typedef struct file_reader {
    th__session *session;
    const char *name, *folder;
    char where[160]; /* of the value being read: "login.form.user" */
    th_error *err;
} file_reader;

/* Goes down to a member; the length leads back: where[mark] = 0. */
static size_t go_down(file_reader *reader, const char *key)
{
    size_t mark = strlen(reader->where);
    snprintf(reader->where + mark, sizeof reader->where - mark, "%s%.60s", mark ? "." : "", key);
    return mark;
}

static th_status fault(file_reader *reader, const char *problem)
{
    return th__fail(reader->err, TH_ERR_FORMAT, "%s: %s%s%s", reader->name, reader->where,
                    reader->where[0] ? ": " : "", problem);
}

static const char *copy_text(file_reader *reader, const json_t *value)
{
    return th__arena_copy(&reader->session->arena,
                          (th_str){json_string_value(value), json_string_length(value)})
        .ptr;
}

/* A text. JSON's \u0000 is refused by its reader. */
static th_status read_text(file_reader *reader, const json_t *value, const char **out)
{
    if (!json_is_string(value) || !json_string_length(value))
        return fault(reader, "must be a text");
    *out = copy_text(reader, value);
    return *out ? TH_OK : th__fail_memory(reader->err);
}

/* A member of an object of the file: a text, or what `read` makes of it. */
typedef struct file_member {
    const char *key;
    const char *needed; /* what to say when it is not there; NULL: it may be missing */
    bool secret;        /* of a text */
    size_t at;          /* of a text: where the struct that is filled has it */
    th_status (*read)(file_reader *reader, json_t *value, void *into);
} file_member;

/* Refuses members that are not in the table. */
static th_status know_members(file_reader *reader, json_t *object, const file_member *members,
                              size_t count)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object))
        return fault(reader, "must be an object: {...}");
    json_object_foreach(object, key, value)
    {
        size_t i = 0;
        while (i < count && strcmp(members[i].key, key))
            i++;
        if (i == count)
            return th__fail(reader->err, TH_ERR_FORMAT, "%s: %s%sunknown member \"%.60s\"",
                            reader->name, reader->where, reader->where[0] ? ": " : "", key);
    }
    return TH_OK;
}

static th_status read_variable(file_reader *reader, const char *name, th__buf *out)
{
    const char *value = reader->folder ? getenv(name) : "anything";
    if (value && *value) {
        th__buf_add_str(out, th_str_from(value));
        return TH_OK;
    }
    return th__fail(reader->err, TH_ERR_ARGUMENT, "%s: %s: the environment variable %.100s is %s",
                    reader->name, reader->where, name, value ? "empty" : "not set");
}

/* The path of a file that the site file names. */
static const char *beside(file_reader *reader, const char *path)
{
    const char *folder = path[0] == '/' ? "" : reader->folder ? reader->folder : ".";
    return th__arena_print(&reader->session->arena, "%s%s%s", folder, folder[0] ? "/" : "", path)
        .ptr;
}

/* The text of a file without the line end that editors add. */
static th_status read_secret_file(file_reader *reader, const char *path, th__buf *out)
{
    if (!reader->folder) {
        th__buf_add_str(out, TH_STR("anything"));
        return TH_OK;
    }
    const char *whole = beside(reader, path);
    th_status status = whole ? th__read_file(whole, MAX_SECRET, NULL, out, reader->err)
                             : th__fail_memory(reader->err);
    while (out->len && (out->data[out->len - 1] == '\n' || out->data[out->len - 1] == '\r'))
        out->len--;
    if (status == TH_OK && (!out->len || memchr(out->data, '\0', out->len)))
        status = fault(reader, "the file is empty or not a text");
    return status;
}

/* A text, or a reference to one: {"env": NAME} or {"file": PATH}, with "before" for what the secret
 * follows on ("Bearer "). A literal is a secret too if `secret` says so; *secret is set for
 * references. */
static th_status read_value(file_reader *reader, json_t *value, const char **out, bool *secret)
{
    static const file_member members[] = {{"env"}, {"file"}, {"before"}};
    th_status status;
    if (json_is_string(value)) {
        status = read_text(reader, value, out);
        if (status == TH_OK && *secret && !keep_secret(reader->session, th_str_from(*out)))
            status = th__fail_memory(reader->err);
        return status;
    }
    const json_t *env = json_object_get(value, "env"), *file = json_object_get(value, "file"),
                 *before = json_object_get(value, "before");
    status = json_is_object(value) ? know_members(reader, value, members, 3) : TH_OK;
    if (status)
        return status;
    if (json_is_string(env) == json_is_string(file) || (before && !json_is_string(before)))
        return fault(reader, "must be a text, {\"env\": NAME} or {\"file\": PATH}");
    th__buf text = {0};
    status = env ? read_variable(reader, json_string_value(env), &text)
                 : read_secret_file(reader, json_string_value(file), &text);
    const char *own = NULL;
    if (status == TH_OK && !text.failed)
        own = keep_secret(reader->session, th__buf_str(&text));
    if (own && before)
        own = th__arena_print(&reader->session->arena, "%s%s", json_string_value(before), own).ptr;
    th__buf_release(&text);
    *out = own;
    *secret = true;
    return status || own ? status : th__fail_memory(reader->err);
}

/* Reads the members of an object in the order of the table; absent ones leave `into` as it was. */
static th_status read_members(file_reader *reader, json_t *object, const file_member *members,
                              size_t count, void *into)
{
    th_status status = know_members(reader, object, members, count);
    for (size_t i = 0; status == TH_OK && i < count; i++) {
        const file_member *member = &members[i];
        json_t *value = json_object_get(object, member->key);
        size_t mark = go_down(reader, member->key);
        bool secret = member->secret;
        if (value && member->read)
            status = member->read(reader, value, into);
        else if (value)
            status = read_value(reader, value, (const char **)((char *)into + member->at), &secret);
        else if (member->needed)
            status = fault(reader, member->needed);
        reader->where[mark] = '\0';
    }
    return status;
}

#define MEMBERS(table) table, sizeof table / sizeof *table

static th_status read_site(file_reader *reader, const json_t *value, th__account *account)
{
    const char *url = NULL;
    th__url_parts parts = {0};
    th_status status = read_text(reader, value, &url);
    if (status)
        return status;
    if (!th__is_url(url) || !th__url_split(url, &parts) || strcmp(parts.path, "/") || parts.query ||
        parts.user) {
        th__url_parts_release(&parts);
        return fault(reader, "must be the start of a URL, such as \"https://shop.example\"");
    }
    th__buf site = {0};
    th__url_add_site(&parts, &site);
    th__url_parts_release(&parts);
    th_str own =
        site.failed ? (th_str){0} : th__arena_copy(&reader->session->arena, th__buf_str(&site));
    th__buf_release(&site);
    if (!own.ptr)
        return th__fail_memory(reader->err);
    if (th__session_look(reader->session, own).account)
        return fault(reader, "has an account already");
    return th__vec_push(&account->sites, own.ptr) ? TH_OK : th__fail_memory(reader->err);
}

static th_status read_sites(file_reader *reader, json_t *value, void *into)
{
    json_t *item;
    size_t i;
    th_status status = TH_OK;
    if (!json_is_array(value))
        return read_site(reader, value, into);
    json_array_foreach(value, i, item) if (status == TH_OK) status = read_site(reader, item, into);
    return status == TH_OK && !json_array_size(value) ? fault(reader, "is empty") : status;
}

static th_status read_headers(file_reader *reader, json_t *headers, void *into)
{
    th__account *account = into;
    json_t *value;
    const char *key;
    th_status status = TH_OK;
    if (!json_is_object(headers))
        return fault(reader, "must be an object: {\"Name\": \"value\"}");
    json_object_foreach(headers, key, value)
    {
        size_t inner = go_down(reader, key);
        bool secret = is_secret_name(th_str_from(key));
        const char *text = NULL;
        char where[300];
        snprintf(where, sizeof where, "%.120s: %s", reader->name, reader->where);
        if (status == TH_OK)
            status = read_value(reader, value, &text, &secret);
        if (status == TH_OK)
            status = add_header(reader->session, &account->headers, th_str_from(key),
                                th_str_from(text), secret, where, reader->err);
        reader->where[inner] = '\0';
    }
    return status;
}

static th_status read_proxy(file_reader *reader, json_t *value, void *into)
{
    static const file_member members[] = {
        {"url", .needed = "is missing", .at = offsetof(th__proxy, url)},
        {"user", .at = offsetof(th__proxy, user)},
        {"password", .secret = true, .at = offsetof(th__proxy, password)},
    };
    th__proxy given = {0}, *proxy = &((th__account *)into)->proxy;
    char where[300];
    snprintf(where, sizeof where, "%.120s: %s", reader->name, reader->where);
    th_status status = json_is_string(value)
                           ? read_text(reader, value, &given.url)
                           : read_members(reader, value, MEMBERS(members), &given);
    if (status == TH_OK)
        status = read_proxy_url(reader->session, given.url, where, proxy, reader->err);
    proxy->user = given.user ? given.user : proxy->user;
    proxy->password = given.password ? given.password : proxy->password;
    return status;
}

static th_status read_netrc(file_reader *reader, json_t *value, void *into)
{
    th__account *account = into;
    if (!json_is_string(value))
        return fault(reader, "must be the path of a file");
    account->netrc = beside(reader, json_string_value(value));
    if (!account->netrc)
        return th__fail_memory(reader->err);
    return reader->folder && access(account->netrc, R_OK) != 0
               ? th__fail(reader->err, TH_ERR_IO, "%s: cannot be read: %s", account->netrc,
                          strerror(errno))
               : TH_OK;
}

static th_status read_basic(file_reader *reader, json_t *value, void *into)
{
    static const file_member by_name[] = {
        {"user", .needed = "is missing", .at = offsetof(th__account, user)},
        {"password", .needed = "is missing", .secret = true, .at = offsetof(th__account, password)},
    };
    static const file_member by_file[] = {{"netrc", .read = read_netrc}};
    if (!json_object_get(value, "netrc"))
        return read_members(reader, value, MEMBERS(by_name), into);
    return json_object_size(value) == 1
               ? read_members(reader, value, MEMBERS(by_file), into)
               : fault(reader, "\"netrc\" is the path of a file, without \"user\" and "
                               "\"password\"");
}

static th_status read_delay(file_reader *reader, json_t *value, void *into)
{
    th__account *account = into;
    double seconds = json_number_value(value);
    if (!json_is_number(value) || !(seconds >= 0 && seconds <= 86400))
        return fault(reader, "must be a number of seconds, up to a day");
    account->has_delay = true;
    account->delay_ms = (uint32_t)(seconds * 1000 + 0.5);
    return TH_OK;
}

/* A URL of the account's sites, of which the path is enough. */
static th_status read_own_url(file_reader *reader, json_t *value, const th__account *account,
                              const char **out)
{
    const char *text = NULL;
    bool secret = false, ours = false;
    th__url_parts parts = {0};
    th__buf url = {0}, site = {0};
    th_status status = read_value(reader, value, &text, &secret);
    if (status)
        return status;
    th__buf_printf(&url, "%s%s", text[0] == '/' ? account->sites.data[0] : "", text);
    if (!url.failed && th__is_url(url.data) && th__url_split(url.data, &parts)) {
        th__url_add_site(&parts, &site);
        for (size_t i = 0; !site.failed && i < account->sites.len; i++)
            ours |= th__str_eq(th__buf_str(&site), th_str_from(account->sites.data[i]));
    }
    if (ours)
        *out = th__arena_copy(&reader->session->arena, th_str_from(parts.url)).ptr;
    if (url.failed || site.failed || (ours && !*out))
        status = th__fail_memory(reader->err);
    else if (!ours)
        status = fault(reader, "must be a URL, or a path, of the account's \"site\"");
    th__buf_release(&url);
    th__buf_release(&site);
    th__url_parts_release(&parts);
    return status;
}

static th_status read_login_url(file_reader *reader, json_t *value, void *into)
{
    th__account *account = into;
    return read_own_url(reader, value, account, &account->login.url);
}

static th_status read_login_page(file_reader *reader, json_t *value, void *into)
{
    th__account *account = into;
    return read_own_url(reader, value, account, &account->login.page);
}

static const char form_fault[] = "must be an object with the fields that are sent: {\"user\": ...}";

static th_status read_form(file_reader *reader, json_t *form, void *into)
{
    th__account *account = into;
    json_t *value;
    const char *key;
    th_status status = json_object_size(form) ? TH_OK : fault(reader, form_fault);
    json_object_foreach(form, key, value)
    {
        th__form_field field = {0};
        size_t inner = go_down(reader, key);
        bool secret = th__str_contains_nocase(th_str_from(key), TH_STR("pass"));
        if (status == TH_OK)
            status = read_value(reader, value, &field.value, &secret);
        field.name = th__arena_copy(&reader->session->arena, th_str_from(key)).ptr;
        if (status == TH_OK && (!field.name || !th__vec_push(&account->login.form, field)))
            status = th__fail_memory(reader->err);
        reader->where[inner] = '\0';
    }
    return status;
}

static th_status read_login(file_reader *reader, json_t *value, void *into)
{
    static const file_member members[] = {
        {"url", .needed = "is missing", .read = read_login_url},
        {"page", .read = read_login_page},
        {"form", .needed = form_fault, .read = read_form},
        {"ok", .at = offsetof(th__account, login.ok)},
    };
    return read_members(reader, value, MEMBERS(members), into);
}

static th_status read_account(file_reader *reader, json_t *object)
{
    static const file_member members[] = {
        {"site", .needed = "is missing", .read = read_sites},
        {"headers", .read = read_headers},
        {"user_agent", .at = offsetof(th__account, user_agent)},
        {"proxy", .read = read_proxy},
        {"basic", .read = read_basic},
        {"delay", .read = read_delay},
        {"login", .read = read_login},
    };
    th__session *session = reader->session;
    th__account account = {0};
    th_status status = read_members(reader, object, MEMBERS(members), &account);
    /* Also one that failed: the session frees it. */
    if (th__vec_push(&session->accounts, account))
        return status;
    th__vec_release(&account.sites);
    th__vec_release(&account.headers);
    th__vec_release(&account.login.form);
    return th__fail_memory(reader->err);
}

th_status th__session_read(th__session *session, th_str text, const char *name, const char *folder,
                           th_error *err)
{
    file_reader reader = {.session = session, .name = name, .folder = folder, .err = err};
    json_error_t problem;
    json_t *root = json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES, &problem), *item;
    size_t i;
    th_status status = TH_OK;
    /* The reader's own words quote the text. */
    if (!root && json_error_code(&problem) == json_error_out_of_memory)
        return th__fail_memory(err);
    if (!root)
        return th__fail(err, TH_ERR_FORMAT, "%s: is not valid JSON, at line %d", name,
                        problem.line);
    if (json_is_array(root)) {
        json_array_foreach(root, i, item)
        {
            snprintf(reader.where, sizeof reader.where, "[%zu]", i);
            if (status == TH_OK)
                status = read_account(&reader, item);
        }
    } else {
        status = read_account(&reader, root);
    }
    json_decref(root);
    return status;
}

static th_status read_site_file(th__session *session, const char *path, th_error *err)
{
    th__buf text = {0};
    const char *slash = strrchr(path, '/');
    char *folder = slash ? th__mem_copy(path, (size_t)(slash - path)) : th__mem_copy(".", 1);
    th_status status =
        folder ? th__read_file(path, MAX_SITE_FILE, NULL, &text, err) : th__fail_memory(err);
    if (status == TH_OK)
        status = th__session_read(session, th__buf_str(&text), path, folder, err);
    th__mem_free(folder);
    th__buf_release(&text);
    return status;
}

/* ---- cookies --------------------------------------------------------------------------------- */

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
    uint64_t expires;
    while (text.len) {
        /* th__str_trim takes the tab before an empty value, which th__cookie_split allows for. */
        th_str line = th__str_trim(th__str_take(&text, '\n')), fields[TH__COOKIE_FIELDS];
        number++;
        bool mark = th__str_starts(line, TH_STR("#HttpOnly_"));
        if (!line.len || (line.ptr[0] == '#' && !mark))
            continue;
        if (line.len > MAX_COOKIE || memchr(line.ptr, '\0', line.len) ||
            !th__cookie_split(line, fields) ||
            !th__http_number(fields[TH__COOKIE_EXPIRES], &expires))
            return th__fail(err, TH_ERR_FORMAT,
                            "%s: line %zu is not a cookie: a cookie jar has 7 fields per line with "
                            "tabs between (Netscape format)",
                            name, number);
        char *own = th__mem_copy(line.ptr, line.len);
        bool ok = own && add_line(jar, true, own) &&
                  (th__str_eq_nocase(fields[TH__COOKIE_SECURE], TH_STR("TRUE")) ||
                   add_line(jar, false, own));
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
        th_str fields[TH__COOKIE_FIELDS];
        if (double_line || !th__cookie_split(th_str_from(line->data), fields) ||
            is_over(fields[TH__COOKIE_EXPIRES]))
            continue;
        for (size_t i = 0; i < TH__COOKIE_FIELDS; i++) {
            th__buf_add_str(out, i == TH__COOKIE_SECURE && https ? TH_STR("TRUE") : fields[i]);
            th__buf_add_byte(out, i + 1 < TH__COOKIE_FIELDS ? '\t' : '\n');
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
    th_status status = th__need_curl(err);
    if (status == TH_OK)
        status = make_sets(jar, err);
    if (status || !path)
        return status;
    jar->path = th__mem_copy(path, strlen(path));
    status = jar->path ? make_private(path, err) : th__fail_memory(err);
    if (status == TH_OK)
        status = th__read_file(path, MAX_COOKIES, NULL, &text, err);
    if (status == TH_OK)
        status = th__cookie_jar_read(jar, th__buf_str(&text), path, err);
    jar->saved = th__hash(text.data, text.len);
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
    if (!jar->path)
        return TH_OK;
    if (!write_text(jar, &text)) {
        th__buf_release(&text);
        return th__fail_memory(err);
    }
    uint64_t hash = th__hash(text.data, text.len);
    th_status status = TH_OK;
    if (hash != jar->saved)
        status = th__file_write(jar->path, th__buf_str(&text), err); /* keeps the mode */
    if (status == TH_OK)
        jar->saved = hash;
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
        th_str fields[TH__COOKIE_FIELDS];
        found = th__cookie_split(th_str_from(line->data), fields) &&
                !is_over(fields[TH__COOKIE_EXPIRES]) &&
                th__str_eq(fields[TH__COOKIE_NAME], th_str_from(name)) &&
                domain_has(fields[TH__COOKIE_DOMAIN], host);
    }
    curl_slist_free_all(all);
    return found;
}

/* ---- the session ----------------------------------------------------------------------------- */

th_status th__session_init(th__session *session, const th_feed_options *options, th_error *err)
{
    *session = (th__session){0};
    th__arena_init(&session->arena);
    th_status status = th__need_curl(err);
    for (size_t i = 0; status == TH_OK && i < options->header_count; i++)
        status = read_header_option(session, options->headers[i], err);
    if (status == TH_OK && options->proxy)
        status = read_proxy_option(session, options->proxy, err);
    if (status == TH_OK && options->site_file)
        status = read_site_file(session, options->site_file, err);
    session->keeps_cookies = options->cookie_jar != NULL;
    for (size_t i = 0; i < session->accounts.len; i++)
        session->keeps_cookies |= session->accounts.data[i].login.url != NULL;
    if (status == TH_OK && session->keeps_cookies)
        status = th__cookie_jar_init(&session->jar, options->cookie_jar, err);
    if (status && err)
        th__session_scrub(session, err->message);
    return status;
}

void th__session_release(th__session *session)
{
    for (size_t i = 0; i < session->accounts.len; i++) {
        th__account *account = &session->accounts.data[i];
        th__vec_release(&account->sites);
        th__vec_release(&account->headers);
        th__vec_release(&account->login.form);
    }
    th__cookie_jar_release(&session->jar);
    th__vec_release(&session->accounts);
    th__vec_release(&session->headers);
    th__vec_release(&session->secrets);
    th__arena_release(&session->arena);
}

/* Returns true if the secrets of the options are for a site: the first one, also when it has gone
 * on from http to https. */
static bool is_first(const th__session *session, th_str site)
{
    th_str first = th_str_from(session->first_site);
    if (!first.len || th__str_eq(site, first))
        return first.len > 0;
    th_str http = TH_STR("http://"), https = TH_STR("https://");
    th_str port = TH_STR(":80"), tls_port = TH_STR(":443");
    if (!th__str_starts(first, http) || !th__str_starts(site, https) ||
        !th__str_ends_nocase(first, port) || !th__str_ends_nocase(site, tls_port))
        return false;
    th_str from = {first.ptr + http.len, first.len - http.len - port.len};
    th_str to = {site.ptr + https.len, site.len - https.len - tls_port.len};
    return th__str_eq(from, to);
}

th__site_view th__session_look(const th__session *session, th_str site)
{
    th__site_view view = {.first = is_first(session, site)};
    for (size_t i = 0; !view.account && i < session->accounts.len; i++) {
        const th__account *account = &session->accounts.data[i];
        for (size_t k = 0; k < account->sites.len; k++)
            if (th__str_eq(site, th_str_from(account->sites.data[k])))
                view.account = account;
    }
    return view;
}

static bool has_header(const th__headers *headers, th_str name)
{
    for (size_t i = 0; i < headers->len; i++)
        if (th__str_eq_nocase(header_name(&headers->data[i]), name))
            return true;
    return false;
}

/* Returns true if a list of header lines has one of that name; one without a value ends in ";". */
static bool lists(const struct curl_slist *list, th_str name)
{
    for (; list; list = list->next)
        if (th__str_starts_nocase(th_str_from(list->data), name) &&
            (list->data[name.len] == ':' || list->data[name.len] == ';'))
            return true;
    return false;
}

static bool list_line(struct curl_slist **list, const char *line)
{
    struct curl_slist *longer = curl_slist_append(*list, line);
    *list = longer ? longer : *list;
    return longer != NULL;
}

/* Adds those of a text of header lines that are, or are not, of a name; of others only those whose
 * name is not in the list. */
static bool add_more(th_str more, th_str name, bool others, struct curl_slist **list)
{
    bool ok = true;
    for (th_str line; ok && th__http_line(&more, &line);) {
        size_t len = 0;
        while (len < line.len && line.ptr[len] != ':' && line.ptr[len] != ';')
            len++;
        th_str own = {line.ptr, len};
        if (th__str_eq_nocase(own, name) == others || (others && lists(*list, own)))
            continue;
        char *copy = th__mem_copy(line.ptr, line.len);
        ok = copy && list_line(list, copy);
        th__mem_free(copy);
    }
    return ok;
}

/* The headers of the options and of the account, and then those of `more` that they do not have.
 * Of what is accepted the request itself knows more. */
static bool add_headers(const th__session *session, th__site_view site, th_str more,
                        struct curl_slist **list)
{
    static const th__headers none = {0};
    const th__headers *own = site.account ? &site.account->headers : &none;
    const th__headers *both[] = {&session->headers, own};
    th_str accept = TH_STR("Accept");
    bool ok = add_more(more, accept, false, list), accepts = *list != NULL;
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; ok && k < both[i]->len; k++) {
            const th__header *header = &both[i]->data[k];
            th_str name = header_name(header);
            bool wins = i == 1 || ((site.first || !header->secret) && !has_header(own, name));
            if (wins && !(accepts && th__str_eq_nocase(name, accept)))
                ok = list_line(list, header->line);
        }
    ok = ok && add_more(more, accept, true, list);
    return ok && (lists(*list, accept) ||
                  list_line(list, "Accept: text/html, application/xhtml+xml, */*;q=0.1"));
}

static bool set_proxy(CURL *easy, const th__proxy *proxy)
{
    bool ok = !curl_easy_setopt(easy, CURLOPT_PROXY, proxy->url) &&
              !curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
    if (proxy->user)
        ok = ok && !curl_easy_setopt(easy, CURLOPT_PROXYUSERNAME, proxy->user) &&
             !curl_easy_setopt(easy, CURLOPT_PROXYPASSWORD, proxy->password ? proxy->password : "");
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    return ok;
}

th_status th__session_dress(const th__session *session, th_str site, th_str more, CURL *easy,
                            struct curl_slist **headers, bool *proxied, th_error *err)
{
    th__site_view view = th__session_look(session, site);
    const th__account *account = view.account;
    const th__proxy *proxy = account && account->proxy.url ? &account->proxy
                             : session->proxy.url          ? &session->proxy
                                                           : NULL;
    bool ok = add_headers(session, view, more, headers);
    if (account && account->user_agent)
        ok = ok && !curl_easy_setopt(easy, CURLOPT_USERAGENT, account->user_agent);
    if (account && account->user)
        ok = ok && !curl_easy_setopt(easy, CURLOPT_USERNAME, account->user) &&
             !curl_easy_setopt(easy, CURLOPT_PASSWORD, account->password);
    if (account && account->netrc) {
        ok = ok && !curl_easy_setopt(easy, CURLOPT_NETRC_FILE, account->netrc);
        curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_REQUIRED);
    }
    if (proxy)
        ok = ok && set_proxy(easy, proxy);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, *headers);
    *proxied = proxy != NULL;
    return ok ? TH_OK : th__fail_memory(err);
}

bool th__session_is_logged_in(const th__session *session, const th__login *login)
{
    th__url_parts parts = {0};
    bool proof = login->ok && th__url_split(login->url, &parts) &&
                 th__cookie_jar_has(&session->jar, !strcmp(parts.scheme, "https"),
                                    th_str_from(parts.host), login->ok);
    th__url_parts_release(&parts);
    return proof;
}

static bool hides(const th__headers *headers, th_str name)
{
    for (size_t i = 0; i < headers->len; i++)
        if (headers->data[i].secret && th__str_eq_nocase(header_name(&headers->data[i]), name))
            return true;
    return false;
}

bool th__session_hides(const th__session *session, th_str line)
{
    th_str name, value;
    if (!th__http_field(line, &name, &value))
        return false;
    bool secret = is_secret_name(name) || hides(&session->headers, name);
    for (size_t i = 0; !secret && i < session->accounts.len; i++)
        secret = hides(&session->accounts.data[i].headers, name);
    return secret;
}

/* Returns true if a secret is in a text. */
static bool reveals(const th__session *session, th_str text)
{
    for (size_t i = 0; i < session->secrets.len; i++)
        if (th__str_find(text, session->secrets.data[i]) != SIZE_MAX)
            return true;
    return false;
}

void th__session_scrub(const th__session *session, char *text)
{
    for (size_t i = 0; i < session->secrets.len; i++) {
        th_str secret = session->secrets.data[i];
        for (char *at = text; (at = strstr(at, secret.ptr));) {
            memset(at, '*', 3);
            memmove(at + 3, at + secret.len, strlen(at + secret.len) + 1);
            at += 3;
        }
    }
}

/* ---- transfers ------------------------------------------------------------------------------- */

static long answer_status(const th__transfer *transfer)
{
    long status = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

static th_str answer_type(const th__transfer *transfer)
{
    char *type = NULL;
    curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_TYPE, &type);
    return th_str_from(type);
}

/* The first bytes of a body have come: is it one that we want? */
static void begin_body(th__transfer *transfer)
{
    long status = answer_status(transfer);
    th_str type = answer_type(transfer);
    transfer->begun = true;
    transfer->wanted = (status >= 200 && status < 300) || transfer->kind == TH__LOG_IN;
    if (transfer->wanted && transfer->kind == TH__GET_PAGE && type.len &&
        !transfer->options->any_type && !th__type_is_html(type))
        transfer->stop = TH__STOP_TYPE;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    th__transfer *transfer = context;
    size_t len = size * count, keep = len;
    if (!transfer->begun)
        begin_body(transfer);
    if (!transfer->wanted) {
        transfer->dropped += len;
        if (transfer->dropped > MAX_DROPPED)
            transfer->stop = TH__STOP_ENOUGH;
        return transfer->stop ? 0 : len;
    }
    const uint64_t limits[] = {transfer->options->max_bytes, TH__ROBOTS_MAX_BYTES, MAX_LOGIN_BYTES};
    uint64_t limit = limits[transfer->kind];
    if (len > limit - transfer->body.len) {
        transfer->stop = transfer->kind == TH__GET_PAGE ? TH__STOP_LARGE : TH__STOP_ENOUGH;
        keep = (size_t)(limit - transfer->body.len);
    }
    if (transfer->stop != TH__STOP_LARGE && transfer->stop != TH__STOP_TYPE &&
        !th__buf_add(&transfer->body, bytes, keep))
        transfer->stop = TH__STOP_MEMORY;
    return transfer->stop ? 0 : len;
}

static void note_refused(th__transfer *transfer, const struct curl_sockaddr *address)
{
    const void *bytes = address->family == AF_INET6
                            ? (const void *)&((struct sockaddr_in6 *)&address->addr)->sin6_addr
                            : (const void *)&((struct sockaddr_in *)&address->addr)->sin_addr;
    if (!inet_ntop(address->family, bytes, transfer->refused, sizeof transfer->refused))
        snprintf(transfer->refused, sizeof transfer->refused, "of an unknown kind");
}

/* Called with one line of the answer's header after the other. An answer before the last one (100,
 * or of a proxy) is forgotten. */
static size_t on_header(char *bytes, size_t size, size_t count, void *context)
{
    th__transfer *transfer = context;
    th_str line = {bytes, size * count};
    if (th__str_starts(line, TH_STR("HTTP/")))
        th__buf_clear(&transfer->response);
    if (th__str_starts_nocase(line, TH_STR("Set-Cookie:")))
        transfer->got_cookie = true;
    if (!th__session_hides(transfer->session, line))
        th__buf_add_str(&transfer->response, line);
    return line.len;
}

/* Called, among other things, with the whole header of the request that is sent. */
static int on_debug(CURL *easy, curl_infotype kind, char *bytes, size_t len, void *context)
{
    th__transfer *transfer = context;
    if (kind != CURLINFO_HEADER_OUT)
        return 0;
    th_str text = {bytes, len}, line;
    th__buf_clear(&transfer->request);
    while (th__http_line(&text, &line))
        if (!th__session_hides(transfer->session, line)) {
            th__buf_add_str(&transfer->request, line);
            th__buf_add(&transfer->request, "\r\n", 2);
        }
    return 0;
}

/* Every connection is opened here, with the address that the name has just resolved to: neither a
 * redirect nor a name that changes its address gets past. */
static curl_socket_t on_open(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    th__transfer *transfer = context;
    bool any = transfer->options->allow_private || transfer->proxied;
    const char *kind = any ? NULL : th__address_kind(&address->addr);
    if (kind) {
        transfer->refused_kind = kind;
        note_refused(transfer, address);
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* What is wrong with a host that a proxy is asked for, or NULL. Names are the proxy's to resolve,
 * so that only addresses in numbers can be checked. */
static const char *host_kind(const char *url)
{
    th__url_parts parts;
    const char *kind = "unknown";
    if (th__url_split(url, &parts)) {
        struct sockaddr_in in = {.sin_family = AF_INET};
        struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
        char inner[64];
        snprintf(inner, sizeof inner, "%.*s", (int)strcspn(parts.host + 1, "]%"), parts.host + 1);
        th_str host = th_str_from(parts.host);
        if (parts.host[0] == '[' && inet_pton(AF_INET6, inner, &in6.sin6_addr) == 1)
            kind = th__address_kind((struct sockaddr *)&in6);
        else if (inet_pton(AF_INET, parts.host, &in.sin_addr) == 1)
            kind = th__address_kind((struct sockaddr *)&in);
        else
            kind = th__str_eq_nocase(host, TH_STR("localhost")) ||
                           th__str_ends_nocase(host, TH_STR(".localhost"))
                       ? "loopback"
                       : NULL;
    }
    th__url_parts_release(&parts);
    return kind;
}

/* What the user wants to be sent. */
static th_status dress(th__transfer *transfer, const th__request *request, th_error *err)
{
    CURL *easy = transfer->easy;
    th_status status = th__session_dress(transfer->session, request->site, request->headers, easy,
                                         &transfer->headers, &transfer->proxied, err);
    bool checks = transfer->proxied && !transfer->options->allow_private;
    const char *kind = status == TH_OK && checks ? host_kind(request->url) : NULL;
    if (kind)
        return th__fail(
            err, TH_ERR_NETWORK,
            "%s: not fetched, since its address is %s; --allow-private fetches it anyway",
            request->url, kind);
    bool ok = true;
    if (request->form)
        ok = !curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, request->form);
    CURLSH *cookies = transfer->session->jar.sets[th__str_starts(request->site, TH_STR("https:"))];
    transfer->keeps_cookies = request->cookies;
    if (request->cookies)
        ok = ok && !curl_easy_setopt(easy, CURLOPT_SHARE, cookies) &&
             !curl_easy_setopt(easy, CURLOPT_COOKIEFILE, "");
    return status || ok ? status : th__fail_memory(err);
}

/* What holds for everything that is sent: http and https only, no redirect that libcurl follows by
 * itself, no signals, the timeouts. False if out of memory. */
static bool set_limits(CURL *easy, const char *url, const th_feed_options *options,
                       uint32_t timeout_ms)
{
    bool ok = !curl_easy_setopt(easy, CURLOPT_URL, url) &&
              !curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") &&
              !curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); /* a cancelled fetch waits for no name server */
#endif
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)options->connect_timeout_ms);
    return ok;
}

th_status th__transfer_start(th__transfer *transfer, const th__request *request, th_error *err)
{
    const th_feed_options *options = transfer->options;
    CURL *easy = curl_easy_init();
    if (!easy)
        return th__fail_memory(err);
    transfer->easy = easy;
    bool ok = set_limits(easy, request->url, options, request->timeout_ms) &&
              !curl_easy_setopt(easy, CURLOPT_USERAGENT, options->user_agent) &&
              !curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
    /* A proxy would resolve names behind our back, so that addresses could not be checked. One that
     * the user names is used all the same. */
    if (!options->allow_private)
        ok = ok && !curl_easy_setopt(easy, CURLOPT_PROXY, "");
    if (!ok)
        return th__fail_memory(err);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L); /* or the next is not called; nothing is printed */
    curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, on_debug);
    curl_easy_setopt(easy, CURLOPT_DEBUGDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->message);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    transfer->done = request->done;
    transfer->owner = request->owner;
    return dress(transfer, request, err);
}

void th__transfer_release(th__transfer *transfer)
{
    if (transfer->easy)
        curl_easy_cleanup(transfer->easy);
    curl_slist_free_all(transfer->headers);
    th__buf_release(&transfer->body);
    th__buf_release(&transfer->request);
    th__buf_release(&transfer->response);
    *transfer = (th__transfer){
        .options = transfer->options, .session = transfer->session, .kind = transfer->kind};
}

/* Puts *** in place of each secret in what is kept. */
static void scrub_kept(const th__session *session, th__buf *text)
{
    if (!th__buf_add_byte(text, '\0'))
        return;
    th__session_scrub(session, text->data);
    text->len = strlen(text->data);
}

/* What a transfer came to. */
static th_status result_of(const th__transfer *transfer, const char *url, th_error *err)
{
    const th_feed_options *options = transfer->options;
    CURLcode code = transfer->code;
    if (transfer->stop == TH__STOP_MEMORY)
        return th__fail_memory(err);
    if (transfer->stop == TH__STOP_LARGE)
        return th__fail(err, TH_ERR_LIMIT,
                        "%s: the page is larger than max_bytes allows (%llu); raise it with "
                        "--max-bytes",
                        url, (unsigned long long)options->max_bytes);
    if (transfer->stop == TH__STOP_TYPE)
        return th__fail(err, TH_ERR_FORMAT, "%s: has type \"%.*s\", not a web page", url,
                        TH_STR_ARG(transfer->type));
    if (code == CURLE_OK || transfer->stop == TH__STOP_ENOUGH)
        return TH_OK;
    if (transfer->refused[0])
        return th__fail(
            err, TH_ERR_NETWORK,
            "%s: not fetched, since its address %s is %s; --allow-private fetches it anyway", url,
            transfer->refused, transfer->refused_kind);
    if (code == CURLE_OPERATION_TIMEDOUT)
        return th__fail(err, TH_ERR_NETWORK,
                        "%s: took too long (limits: %u ms in all, --timeout; %u ms to connect)",
                        url, options->timeout_ms, options->connect_timeout_ms);
    if (code == CURLE_OUT_OF_MEMORY)
        return th__fail_memory(err);
    return th__fail(err, TH_ERR_NETWORK, "%s: cannot be fetched: %s", url, transfer->message);
}

th_status th__transfer_end(th__transfer *transfer, CURLcode code, const char *url, th_error *err)
{
    char *to = NULL, *address = NULL, *sent = NULL;
    transfer->code = code;
    transfer->status = (int)answer_status(transfer);
    transfer->type = answer_type(transfer);
    curl_easy_getinfo(transfer->easy, CURLINFO_REDIRECT_URL, &to);
    curl_easy_getinfo(transfer->easy, CURLINFO_PRIMARY_IP, &address);
    curl_easy_getinfo(transfer->easy, CURLINFO_EFFECTIVE_URL, &sent);
    transfer->to = transfer->status >= 300 && transfer->status <= 399 ? to : NULL;
    transfer->address = address ? address : "";
    transfer->reveals = reveals(transfer->session, th__buf_str(&transfer->response)) ||
                        reveals(transfer->session, th_str_from(sent));
    scrub_kept(transfer->session, &transfer->request);
    scrub_kept(transfer->session, &transfer->response);
    if (!transfer->message[0])
        snprintf(transfer->message, sizeof transfer->message, "%s", curl_easy_strerror(code));
    th_status result = result_of(transfer, url, err);
    if (transfer->request.failed || transfer->response.failed)
        transfer->unsaved = th__fail_memory(err);
    else if (transfer->got_cookie && transfer->keeps_cookies)
        transfer->unsaved = th__cookie_jar_save(&transfer->session->jar, err);
    return result;
}

/* ---- webhooks -------------------------------------------------------------------------------- */

/* The address is checked when the connection is opened, as for pages. No data of a session is sent,
 * and messages name the host only: the rest of such a URL is often a secret. */

static int on_progress(void *context, curl_off_t all, curl_off_t got, curl_off_t to_send,
                       curl_off_t sent)
{
    return th__cancelled(context);
}

static CURLcode perform_post(CURL *easy, th_str json, const th_cancel *cancel)
{
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, json.ptr);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)json.len);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, (void *)cancel);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    return curl_easy_perform(easy);
}

/* The answer is dropped as that of a page that is not wanted: an endless one is cut. */
static th_status post_to(const char *host, th__transfer *post, const th__request *request,
                         th_str json, th_error *err)
{
    th_error why; /* in words for pages */
    th_status status = th__transfer_start(post, request, err);
    if (status)
        return status;
    CURLcode code = perform_post(post->easy, json, &post->options->cancel);
    status = th__transfer_end(post, code, host, &why);
    if (status == TH_ERR_MEMORY)
        return th__fail_memory(err);
    if (post->refused_kind)
        return th__fail(err, TH_ERR_NETWORK,
                        "%s: not called, since its address is %s; --allow-private allows it", host,
                        post->refused_kind);
    if (code == CURLE_ABORTED_BY_CALLBACK)
        return th__fail(err, TH_ERR_CANCELLED, "cancelled");
    if (!post->status)
        return th__fail(err, TH_ERR_NETWORK, "%s: cannot be reached: %s", host, post->message);
    return post->status >= 200 && post->status <= 299
               ? TH_OK
               : th__fail(err, TH_ERR_NETWORK, "%s: answered with status %d", host, post->status);
}

th_status th_post_json(const char *url, th_str json, const th_feed_options *given, th_error *err)
{
    th_feed_options options;
    th_feed_options_init(&options);
    if (given)
        th__options_take(&options, sizeof options, given);
    if (!options.user_agent)
        options.user_agent = "thresh";
    th__session none = {0};
    th__transfer post = {.options = &options, .session = &none, .begun = true};
    th__request request = {.url = url,
                           .timeout_ms = options.timeout_ms,
                           .headers = TH_STR("Accept: */*\nContent-Type: application/json\n")};
    th__url_parts parts = {0};
    th_status status = th__need_curl(err);
    if (status)
        return status;
    if (!th__is_url(url) || !th__url_split(url, &parts) || parts.user)
        status = th__fail(err, TH_ERR_ARGUMENT,
                          "not a URL to post to: it must begin with http:// or https:// and have "
                          "no name and password in it");
    else if (curl_global_init(CURL_GLOBAL_DEFAULT))
        status = th__fail_memory(err);
    if (!status) {
        status = post_to(parts.host, &post, &request, json, err);
        th__transfer_release(&post);
        curl_global_cleanup();
    }
    th__url_parts_release(&parts);
    return status;
}
