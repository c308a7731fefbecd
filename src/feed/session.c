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

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "feed/byte_source.h"
#include "feed/feed_walk.h"
#include "feed/fetch_url.h"

enum {
    MAX_SITE_FILE = 1 << 20,
    MAX_SECRET = 64 << 10,
    LEAST_SECRET = 4, /* shorter ones are in any text by chance, so that *** says more than they */
};

/* ------------------------------------------------------------------------------------- headers */

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

static bool contains_nocase(th_str text, const char *part)
{
    th_str wanted = th_str_from(part);
    for (size_t at = 0; at + wanted.len <= text.len; at++)
        if (th__str_eq_nocase((th_str){text.ptr + at, wanted.len}, wanted))
            return true;
    return false;
}

/* Returns true if a header of that name lets its bearer in, by the names that are in use. */
static bool is_secret_name(th_str name)
{
    static const char *const words[] = {
        "auth",   "cookie",  "token",   "secret",     "password",   "passwd",   "api-key",
        "apikey", "api_key", "session", "credential", "access-key", "signature"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (contains_nocase(name, words[i]))
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

/* ------------------------------------------------------------------------------------- secrets */

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

/* Appends a text in which ${NAME} stands for a variable of the environment; *secret is set if there
 * was one. `escaped`: its value is made a part of a URL. `where` begins messages. */
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

/* ------------------------------------------------------------------------------------- options */

static th_status read_header_option(th__session *session, const char *text, th_error *err)
{
    const char *colon = strchr(text, ':');
    th_str name = th__str_trim((th_str){text, colon ? (size_t)(colon - text) : strlen(text)});
    th_str value = colon ? th__str_trim(th_str_from(colon + 1)) : TH_STR("");
    char where[100];
    snprintf(where, sizeof where, "--header '%.*s: ...'", name.len < 60 ? (int)name.len : 60,
             name.ptr);
    if (!colon)
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

/* ----------------------------------------------------------------------------------- site file */

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

/* Refuses members that are not among the names (NULL at the end). */
static th_status know_members(file_reader *reader, json_t *object, const char *const *names)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object))
        return fault(reader, "must be an object: {...}");
    json_object_foreach(object, key, value)
    {
        size_t i = 0;
        while (names[i] && strcmp(names[i], key))
            i++;
        if (!names[i])
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
    th__buf whole = {0};
    const char *folder = path[0] == '/' ? "" : reader->folder ? reader->folder : ".";
    th__buf_printf(&whole, "%s%s%s", folder, folder[0] ? "/" : "", path);
    th_str kept =
        whole.failed ? (th_str){0} : th__arena_copy(&reader->session->arena, th__buf_str(&whole));
    th__buf_release(&whole);
    return kept.ptr;
}

/* The text of a file without the line end that editors add. */
static th_status read_secret_file(file_reader *reader, const char *path, th__buf *out)
{
    if (!reader->folder) {
        th__buf_add_str(out, TH_STR("anything"));
        return TH_OK;
    }
    const char *whole = beside(reader, path);
    th_status status =
        whole ? th__read_file(whole, MAX_SECRET, out, reader->err) : th__fail_memory(reader->err);
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
    static const char *const members[] = {"env", "file", "before", NULL};
    th_status status;
    if (json_is_string(value)) {
        status = read_text(reader, value, out);
        if (status == TH_OK && *secret && !keep_secret(reader->session, th_str_from(*out)))
            status = th__fail_memory(reader->err);
        return status;
    }
    const json_t *env = json_object_get(value, "env"), *file = json_object_get(value, "file"),
                 *before = json_object_get(value, "before");
    status = json_is_object(value) ? know_members(reader, value, members) : TH_OK;
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
    if (own && before) {
        th__buf whole = {0};
        th__buf_printf(&whole, "%s%s", json_string_value(before), own);
        own =
            whole.failed ? NULL : th__arena_copy(&reader->session->arena, th__buf_str(&whole)).ptr;
        th__buf_release(&whole);
    }
    th__buf_release(&text);
    *out = own;
    *secret = true;
    return status || own ? status : th__fail_memory(reader->err);
}

/* Members of an object; absent ones leave *out as it was. */
static th_status read_member(file_reader *reader, json_t *object, const char *key, bool needed,
                             bool secret, const char **out)
{
    json_t *value = json_object_get(object, key);
    size_t mark = go_down(reader, key);
    th_status status = TH_OK;
    if (value)
        status = read_value(reader, value, out, &secret);
    else if (needed)
        status = fault(reader, "is missing");
    reader->where[mark] = '\0';
    return status;
}

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
    if (th__session_account(reader->session, own))
        return fault(reader, "has an account already");
    return th__vec_push(&account->sites, own.ptr) ? TH_OK : th__fail_memory(reader->err);
}

static th_status read_sites(file_reader *reader, json_t *object, th__account *account)
{
    json_t *value = json_object_get(object, "site"), *item;
    size_t mark = go_down(reader, "site"), i;
    th_status status = TH_OK;
    if (!json_is_array(value)) {
        status = value ? read_site(reader, value, account) : fault(reader, "is missing");
    } else {
        json_array_foreach(value, i, item) if (status == TH_OK) status =
            read_site(reader, item, account);
        if (status == TH_OK && !account->sites.len)
            status = fault(reader, "is empty");
    }
    reader->where[mark] = '\0';
    return status;
}

static th_status read_headers(file_reader *reader, json_t *object, th__account *account)
{
    json_t *headers = json_object_get(object, "headers"), *value;
    const char *key;
    size_t mark = go_down(reader, "headers");
    th_status status = TH_OK;
    if (headers && !json_is_object(headers))
        status = fault(reader, "must be an object: {\"Name\": \"value\"}");
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
    reader->where[mark] = '\0';
    return status;
}

static th_status read_proxy(file_reader *reader, json_t *object, th__account *account)
{
    static const char *const members[] = {"url", "user", "password", NULL};
    json_t *proxy = json_object_get(object, "proxy");
    size_t mark = go_down(reader, "proxy");
    const char *url = NULL;
    char where[300];
    th_status status = TH_OK;
    if (!proxy) {
        reader->where[mark] = '\0';
        return TH_OK;
    }
    snprintf(where, sizeof where, "%.120s: %s", reader->name, reader->where);
    if (json_is_string(proxy)) {
        status = read_text(reader, proxy, &url);
    } else {
        status = know_members(reader, proxy, members);
        if (status == TH_OK)
            status = read_member(reader, proxy, "url", true, false, &url);
    }
    if (status == TH_OK)
        status = read_proxy_url(reader->session, url, where, &account->proxy, reader->err);
    if (status == TH_OK && json_is_object(proxy))
        status = read_member(reader, proxy, "user", false, false, &account->proxy.user);
    if (status == TH_OK && json_is_object(proxy))
        status = read_member(reader, proxy, "password", false, true, &account->proxy.password);
    reader->where[mark] = '\0';
    return status;
}

static th_status read_basic(file_reader *reader, json_t *object, th__account *account)
{
    static const char *const members[] = {"user", "password", "netrc", NULL};
    json_t *basic = json_object_get(object, "basic"), *netrc = json_object_get(basic, "netrc");
    size_t mark = go_down(reader, "basic");
    th_status status = basic ? know_members(reader, basic, members) : TH_OK;
    if (status == TH_OK && netrc) {
        if (!json_is_string(netrc) || json_object_size(basic) != 1)
            status = fault(reader, "\"netrc\" is the path of a file, without \"user\" and "
                                   "\"password\"");
        else if (!(account->netrc = beside(reader, json_string_value(netrc))))
            status = th__fail_memory(reader->err);
        else if (reader->folder && access(account->netrc, R_OK) != 0)
            status = th__fail(reader->err, TH_ERR_IO, "%s: cannot be read: %s", account->netrc,
                              strerror(errno));
    } else if (status == TH_OK && basic) {
        status = read_member(reader, basic, "user", true, false, &account->user);
        if (status == TH_OK)
            status = read_member(reader, basic, "password", true, true, &account->password);
    }
    reader->where[mark] = '\0';
    return status;
}

static th_status read_delay(file_reader *reader, json_t *object, th__account *account)
{
    const json_t *delay = json_object_get(object, "delay");
    double seconds = json_number_value(delay);
    size_t mark = go_down(reader, "delay");
    th_status status = TH_OK;
    if (delay && (!json_is_number(delay) || !(seconds >= 0 && seconds <= 86400)))
        status = fault(reader, "must be a number of seconds, up to a day");
    else if (delay)
        account->has_delay = true, account->delay_ms = (uint32_t)(seconds * 1000 + 0.5);
    reader->where[mark] = '\0';
    return status;
}

/* A URL of the account's sites, of which the path is enough. */
static th_status read_login_url(file_reader *reader, json_t *login, const char *key, bool needed,
                                const th__account *account, const char **out)
{
    const char *text = NULL;
    th__url_parts parts = {0};
    th__buf url = {0}, site = {0};
    th_status status = read_member(reader, login, key, needed, false, &text);
    if (status || !text)
        return status;
    size_t mark = go_down(reader, key);
    th__buf_printf(&url, "%s%s", text[0] == '/' ? account->sites.data[0] : "", text);
    bool ours = false;
    if (!url.failed && th__is_url(url.data) && th__url_split(url.data, &parts)) {
        th__url_add_site(&parts, &site);
        for (size_t i = 0; !site.failed && i < account->sites.len; i++)
            ours |= th__str_eq(th__buf_str(&site), th_str_from(account->sites.data[i]));
    }
    if (url.failed || site.failed)
        status = th__fail_memory(reader->err);
    else if (ours && !(*out = th__arena_copy(&reader->session->arena, th_str_from(parts.url)).ptr))
        status = th__fail_memory(reader->err);
    else if (!ours)
        status = fault(reader, "must be a URL, or a path, of the account's \"site\"");
    th__buf_release(&url);
    th__buf_release(&site);
    th__url_parts_release(&parts);
    reader->where[mark] = '\0';
    return status;
}

static th_status read_form(file_reader *reader, json_t *login, th__account *account)
{
    json_t *form = json_object_get(login, "form"), *value;
    const char *key;
    size_t mark = go_down(reader, "form");
    th_status status = json_object_size(form) ? TH_OK
                                              : fault(reader, "must be an object with the fields "
                                                              "that are sent: {\"user\": ...}");
    json_object_foreach(form, key, value)
    {
        th__form_field field = {0};
        size_t inner = go_down(reader, key);
        bool secret = contains_nocase(th_str_from(key), "pass");
        if (status == TH_OK)
            status = read_value(reader, value, &field.value, &secret);
        field.name = th__arena_copy(&reader->session->arena, th_str_from(key)).ptr;
        if (status == TH_OK && (!field.name || !th__vec_push(&account->login.form, field)))
            status = th__fail_memory(reader->err);
        reader->where[inner] = '\0';
    }
    reader->where[mark] = '\0';
    return status;
}

static th_status read_login(file_reader *reader, json_t *object, th__account *account)
{
    static const char *const members[] = {"url", "page", "form", "ok", NULL};
    json_t *login = json_object_get(object, "login");
    if (!login)
        return TH_OK;
    size_t mark = go_down(reader, "login");
    th_status status = know_members(reader, login, members);
    if (status == TH_OK)
        status = read_login_url(reader, login, "url", true, account, &account->login.url);
    if (status == TH_OK)
        status = read_login_url(reader, login, "page", false, account, &account->login.page);
    if (status == TH_OK)
        status = read_form(reader, login, account);
    if (status == TH_OK)
        status = read_member(reader, login, "ok", false, false, &account->login.ok);
    reader->where[mark] = '\0';
    return status;
}

static th_status read_account(file_reader *reader, json_t *object)
{
    static const char *const members[] = {"site",  "headers", "user_agent", "proxy",
                                          "basic", "delay",   "login",      NULL};
    th__session *session = reader->session;
    th__account account = {0};
    th_status status = know_members(reader, object, members);
    if (status == TH_OK)
        status = read_sites(reader, object, &account);
    if (status == TH_OK)
        status = read_headers(reader, object, &account);
    if (status == TH_OK)
        status = read_member(reader, object, "user_agent", false, false, &account.user_agent);
    if (status == TH_OK)
        status = read_proxy(reader, object, &account);
    if (status == TH_OK)
        status = read_basic(reader, object, &account);
    if (status == TH_OK)
        status = read_delay(reader, object, &account);
    if (status == TH_OK)
        status = read_login(reader, object, &account);
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
        folder ? th__read_file(path, MAX_SITE_FILE, &text, err) : th__fail_memory(err);
    if (status == TH_OK)
        status = th__session_read(session, th__buf_str(&text), path, folder, err);
    th__mem_free(folder);
    th__buf_release(&text);
    return status;
}

/* ------------------------------------------------------------------------------------- session */

th_status th__session_init(th__session *session, const th_feed_options *options, th_error *err)
{
    *session = (th__session){0};
    th__arena_init(&session->arena);
    th_status status = TH_OK;
    for (size_t i = 0; status == TH_OK && i < options->header_count; i++)
        status = read_header_option(session, options->headers[i], err);
    if (status == TH_OK && options->proxy)
        status = read_proxy_option(session, options->proxy, err);
    if (status == TH_OK && options->site_file)
        status = read_site_file(session, options->site_file, err);
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
    th__vec_release(&session->accounts);
    th__vec_release(&session->headers);
    th__vec_release(&session->secrets);
    th__arena_release(&session->arena);
}

bool th__session_begin(th__session *session, th_str site)
{
    if (!session->first_site)
        session->first_site = th__arena_copy(&session->arena, site).ptr;
    return session->first_site != NULL;
}

const th__account *th__session_account(const th__session *session, th_str site)
{
    for (size_t i = 0; i < session->accounts.len; i++) {
        const th__account *account = &session->accounts.data[i];
        for (size_t k = 0; k < account->sites.len; k++)
            if (th__str_eq(site, th_str_from(account->sites.data[k])))
                return account;
    }
    return NULL;
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

static bool has_header(const th__headers *headers, th_str name)
{
    for (size_t i = 0; i < headers->len; i++)
        if (th__str_eq_nocase(header_name(&headers->data[i]), name))
            return true;
    return false;
}

static bool append(struct curl_slist **list, const char *line)
{
    struct curl_slist *longer = curl_slist_append(*list, line);
    if (longer)
        *list = longer;
    return longer != NULL;
}

static bool add_headers(const th__session *session, const th__account *account, bool first,
                        struct curl_slist **list)
{
    static const th__headers none = {0};
    const th__headers *own = account ? &account->headers : &none;
    th_str accept = TH_STR("Accept");
    bool ok = true;
    if (!has_header(&session->headers, accept) && !has_header(own, accept))
        ok = append(list, "Accept: text/html, application/xhtml+xml, */*;q=0.1");
    for (size_t i = 0; ok && i < session->headers.len; i++) {
        const th__header *header = &session->headers.data[i];
        if ((first || !header->secret) && !has_header(own, header_name(header)))
            ok = append(list, header->line);
    }
    for (size_t i = 0; ok && i < own->len; i++)
        ok = append(list, own->data[i].line);
    return ok;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    return th__hash_mix(hash, text ? th__hash(text, strlen(text)) : 1);
}

/* Of a secret header its name counts alone: whoever has the hash could try passwords. */
static uint64_t mix_headers(uint64_t hash, const th__headers *headers, bool secrets)
{
    for (size_t i = 0; i < headers->len; i++) {
        const th__header *header = &headers->data[i];
        size_t len = header->secret ? header->name_len : strlen(header->line);
        if (secrets || !header->secret)
            hash = th__hash_mix(hash, th__hash(header->line, len));
    }
    return hash;
}

uint64_t th__session_variant(const th__session *session, th_str site, const char *user_agent)
{
    const th__account *account = th__session_account(session, site);
    uint64_t hash = mix_text(0, account && account->user_agent ? account->user_agent : user_agent);
    hash = mix_headers(hash, &session->headers, is_first(session, site));
    if (!account)
        return hash;
    hash = mix_headers(hash, &account->headers, true);
    hash = mix_text(hash, account->user);
    return mix_text(mix_text(hash, account->netrc), account->login.url);
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

th_status th__session_dress(const th__session *session, th_str site, CURL *easy,
                            struct curl_slist **headers, bool *proxied, th_error *err)
{
    const th__account *account = th__session_account(session, site);
    const th__proxy *proxy = account && account->proxy.url ? &account->proxy
                             : session->proxy.url          ? &session->proxy
                                                           : NULL;
    bool ok = add_headers(session, account, is_first(session, site), headers);
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

/* Appends "&name=value", escaped. */
static void add_pair(th_str name, th_str value, th__buf *out)
{
    char *left = curl_easy_escape(NULL, name.ptr, (int)name.len);
    char *right = value.len ? curl_easy_escape(NULL, value.ptr, (int)value.len) : NULL;
    if (left && (right || !value.len))
        th__buf_printf(out, "%s%s=%s", out->len ? "&" : "", left, right ? right : "");
    else
        out->failed = true;
    curl_free(left);
    curl_free(right);
}

static bool has_field(const th__login *login, th_str name)
{
    for (size_t i = 0; i < login->form.len; i++)
        if (th__str_eq(name, th_str_from(login->form.data[i].name)))
            return true;
    return false;
}

/* The text of an attribute, or an empty one; *memory is cleared if there is none for it. */
static th_str attribute(const th_page *page, uint32_t token, const char *name, th_text *space,
                        bool *memory)
{
    th_str raw;
    if (!th_attr_get(page, token, name, &raw))
        return TH_STR("");
    if (th_attr_text(raw, space, NULL)) {
        *memory = false;
        return TH_STR("");
    }
    return (th_str){space->ptr, space->len};
}

/* Appends the hidden fields of the form that has a field of ours. Other forms of the page, such as
 * its search, are left. */
static void add_hidden_fields(const th_page *page, const th__login *login, th__buf *out)
{
    const th_token *tokens = th_page_tokens(page);
    th__buf hidden = {0};
    th_text name_space = {0}, value_space = {0}, type_space = {0};
    const uint16_t form = th_tag_id(TH_STR("form")), input = th_tag_id(TH_STR("input"));
    bool ours = false, memory = true;
    for (uint32_t i = 0; i < th_page_token_count(page) && !out->len; i++) {
        if (tokens[i].tag == form) {
            if (ours)
                th__buf_add_str(out, th__buf_str(&hidden));
            memory = memory && !hidden.failed;
            th__buf_clear(&hidden);
            ours = false;
        }
        if (tokens[i].tag != input || tokens[i].kind != TH_TOKEN_START)
            continue;
        th_str name = attribute(page, i, "name", &name_space, &memory);
        if (has_field(login, name))
            ours = true;
        else if (name.len && th__str_eq_nocase(attribute(page, i, "type", &type_space, &memory),
                                               TH_STR("hidden")))
            add_pair(name, attribute(page, i, "value", &value_space, &memory), &hidden);
    }
    if (ours && !out->len)
        th__buf_add_str(out, th__buf_str(&hidden));
    out->failed |= hidden.failed || !memory;
    th__buf_release(&hidden);
    th_text_release(&name_space);
    th_text_release(&value_space);
    th_text_release(&type_space);
}

th_status th__login_add_form(const th__login *login, th_str page, th__buf *out, th_error *err)
{
    th_parser *parser = NULL;
    th_page *read = NULL;
    th_status status = TH_OK;
    if (page.ptr) {
        status = th_parser_new(NULL, &parser, err);
        if (status == TH_OK)
            status = th_parser_parse(parser, page, NULL, &read, err);
        if (status == TH_OK)
            add_hidden_fields(read, login, out);
        th_page_free(read);
        th_parser_free(parser);
    }
    for (size_t i = 0; i < login->form.len; i++)
        add_pair(th_str_from(login->form.data[i].name), th_str_from(login->form.data[i].value),
                 out);
    th__buf_add_byte(out, '\0');
    return status || !out->failed ? status : th__fail_memory(err);
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
    const char *colon = line.len ? memchr(line.ptr, ':', line.len) : NULL;
    if (!colon)
        return false;
    th_str name = {line.ptr, (size_t)(colon - line.ptr)};
    bool secret = is_secret_name(name) || hides(&session->headers, name);
    for (size_t i = 0; !secret && i < session->accounts.len; i++)
        secret = hides(&session->accounts.data[i].headers, name);
    return secret;
}

bool th__session_reveals(const th__session *session, th_str text)
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
