/*
 * fetch.c: pages over HTTP, many at once, polite to each host; robots.txt, logins, the cache.
 *
 * Redirects are followed here and not by libcurl, since each of them may lead to a site with a
 * robots.txt of its own and to a host that wants its pause.
 */
#include "feed/fetch.h"

#include <curl/curl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <sys/stat.h>
#include <errno.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "base/vec.h"
#include "feed/archive.h"
#include "feed/feed.h"
#include "feed/fetch_parts.h"
#include "feed/http_message.h"

enum {
    MAX_ROBOTS_REDIRECTS = 5, /* RFC 9309, 2.3.1.2 */
    LONGEST_POLL_MS = 1000,
    CANCEL_POLL_MS = 100, /* how often somebody who may cancel is asked */
};

typedef enum fetch_state { FETCH_WAITING, FETCH_RUNNING, FETCH_DRAWING, FETCH_DONE } fetch_state;

struct th__fetch {
    th__fetch *next;
    th__fetcher *fetcher;
    fetch_state state;
    char *name;          /* the URL as given */
    char *url;           /* the one to get next, without fragment */
    char *path;          /* its path and query */
    uint32_t host, site; /* that it is aimed at */
    uint32_t robots_of;  /* a robots.txt is for this site, redirected or not */
    uint32_t redirects;
    uint64_t started, spent; /* ms, of this try */
    uint32_t tries;          /* this one included */
    uint64_t not_before;     /* ms: a retry waits until then */
    uint32_t asked_seconds;  /* the wait that the server asked for, where that is too long */
    th__transfer transfer;
    th_status status; /* when done */
    th_error error;
    th_input *input;
    th__drawing *drawing; /* from the moment that the page is fetched until it is done, or NULL */
    void *tag;
    th__buf form;              /* of a login, while it is to be posted */
    bool is_form;              /* the page with the form is fetched, before it is posted */
    bool got_cookie;           /* of a login: the server has set one */
    uint32_t logins;           /* of its account when it started */
    bool logged_in_anew;       /* since the server refused the page */
    bool looked;               /* the cache was asked for this URL */
    bool asked_anew;           /* what the cache had is gone: ask without conditions */
    bool cached;               /* the answer is from the cache */
    th__buf conditions;        /* headers that ask if what the cache has still holds */
    th__buf request, response; /* of the last transfer, when done */
    int answer;                /* its HTTP status */
    char address[INET6_ADDRSTRLEN];
};

typedef enum robots_state {
    ROBOTS_UNKNOWN,
    ROBOTS_COMING,
    ROBOTS_KNOWN,
    ROBOTS_FAILED
} robots_state;

/* Scheme, host and port. */
typedef struct site_row {
    robots_state state;
    th__robots robots;
    char *why;        /* it failed */
    bool unreachable; /* ... since there is no way to the site at all */
} site_row;

typedef struct host_row {
    bool busy;
    bool answered;    /* at least once: its name is right */
    uint64_t free_at; /* ms */
} host_row;

typedef enum login_state { LOGIN_NEEDED, LOGIN_COMING, LOGIN_DONE, LOGIN_FAILED } login_state;

/* The login of an account. */
typedef struct login_row {
    login_state state;
    uint32_t times;   /* logged in so far */
    uint32_t in_vain; /* pages in a row that logging in again did not help */
    char *why;        /* it failed */
} login_row;

struct th__fetcher {
    const th_feed_options *options;
    CURLM *multi;
    th__session session;
    TH__VEC(login_row) logins; /* one for each account */
    th__fetch_cache cache;
    th__fetch *first, **last; /* all fetches in order of arrival */
    th__intern host_names, site_names;
    TH__VEC(host_row) hosts;
    TH__VEC(site_row) sites;
    unsigned running;
    th__renderer renderer;
    struct curl_waitfd browser; /* of the renderer */
    bool global;                /* curl_global_init was done */
    th__warc_writer *warc;      /* keeps what is fetched, or NULL */
    bool (*follow)(void *context, const th__fetch *fetch, const char *url); /* or NULL */
    void *follow_context;
};

/* What is known of sites, and what is kept of this and earlier runs. */
static th_status begin_session(th__fetcher *fetcher, th_error *err)
{
    const th_feed_options *options = fetcher->options;
    th_status status = th__session_init(&fetcher->session, options, err);
    for (size_t i = 0; status == TH_OK && i < fetcher->session.accounts.len; i++)
        if (!th__vec_push(&fetcher->logins, (login_row){0}))
            status = th__fail_memory(err);
    if (status == TH_OK && options->cache)
        status = th__fetch_cache_open(&fetcher->cache, options->cache, options->cache_age_s, err);
    if (status == TH_OK && options->warc)
        status = th__warc_open(options->warc, options->user_agent, &fetcher->warc, err);
    return status;
}

th_status th__fetcher_new(const th_feed_options *options, th__fetcher **out, th_error *err)
{
    th_status status = th__need_curl(err);
    if (status)
        return status;
    th__fetcher *fetcher = TH__NEW(th__fetcher);
    if (!fetcher)
        return th__fail_memory(err);
    fetcher->options = options;
    fetcher->last = &fetcher->first;
    th__intern_init(&fetcher->host_names);
    th__intern_init(&fetcher->site_names);
    fetcher->global = curl_global_init(CURL_GLOBAL_DEFAULT) == 0;
    fetcher->multi = fetcher->global ? curl_multi_init() : NULL;
    fetcher->renderer = (th__renderer){options, &fetcher->session, fetcher->multi};
    status = fetcher->multi ? begin_session(fetcher, err) : th__fail_memory(err);
    if (status) {
        th__fetcher_free(fetcher);
        return status;
    }
    *out = fetcher;
    return TH_OK;
}

static void free_fetch(th__fetcher *fetcher, th__fetch *fetch)
{
    if (fetch->state == FETCH_RUNNING)
        curl_multi_remove_handle(fetcher->multi, fetch->transfer.easy);
    th__transfer_release(&fetch->transfer);
    th__drawing_free(fetch->drawing);
    th_input_free(fetch->input);
    th__buf_release(&fetch->form);
    th__buf_release(&fetch->conditions);
    th__buf_release(&fetch->request);
    th__buf_release(&fetch->response);
    th__mem_free(fetch->name);
    th__mem_free(fetch->url);
    th__mem_free(fetch->path);
    th__mem_free(fetch);
}

/* Takes a fetch out of the list. */
static void unlink_fetch(th__fetcher *fetcher, th__fetch *fetch)
{
    th__fetch **link = &fetcher->first;
    while (*link != fetch)
        link = &(*link)->next;
    *link = fetch->next;
    if (!fetch->next)
        fetcher->last = link;
}

static void drop_fetch(th__fetcher *fetcher, th__fetch *fetch)
{
    unlink_fetch(fetcher, fetch);
    free_fetch(fetcher, fetch);
}

void th__fetcher_free(th__fetcher *fetcher)
{
    if (!fetcher)
        return;
    while (fetcher->first)
        drop_fetch(fetcher, fetcher->first);
    th__renderer_release(&fetcher->renderer);
    if (fetcher->multi)
        curl_multi_cleanup(fetcher->multi);
    for (size_t i = 0; i < fetcher->logins.len; i++)
        th__mem_free(fetcher->logins.data[i].why);
    th__vec_release(&fetcher->logins);
    th__session_release(&fetcher->session);
    for (size_t i = 0; i < fetcher->sites.len; i++) {
        th__buf_release(&fetcher->sites.data[i].robots.rules);
        th__mem_free(fetcher->sites.data[i].why);
    }
    th__warc_close(fetcher->warc);
    th__vec_release(&fetcher->sites);
    th__vec_release(&fetcher->hosts);
    th__intern_release(&fetcher->host_names);
    th__intern_release(&fetcher->site_names);
    if (fetcher->global)
        curl_global_cleanup();
    th__mem_free(fetcher);
}

/* The value of a field of a header, or absent. */
static th_str header_value(th_str header, th_str name)
{
    th_str line, field, value;
    while (th__http_line(&header, &line))
        if (th__http_field(line, &field, &value) && th__str_eq_nocase(field, name))
            return value;
    return (th_str){0};
}

/* ---- URLs ------------------------------------------------------------------------------------ */

/* The number of a name; its row is made on first sight. */
static bool number_name(th__intern *names, const char *text, size_t len, uint32_t *out)
{
    th__buf lower = {0};
    for (size_t i = 0; i < len; i++)
        th__buf_add_byte(&lower, (char)th__lower((unsigned char)text[i]));
    *out = lower.failed ? TH__INTERN_NONE : th__intern_add(names, th__buf_str(&lower));
    th__buf_release(&lower);
    return *out != TH__INTERN_NONE;
}

/* Notes the host and the site of a URL. If out of memory, the fetch keeps those that it has. */
static bool know_places(th__fetcher *fetcher, th__fetch *fetch, const th__url_parts *parts)
{
    th__buf name = {0};
    uint32_t host, site;
    th__url_add_site(parts, &name);
    bool ok = !name.failed &&
              number_name(&fetcher->host_names, parts->host, strlen(parts->host), &host) &&
              number_name(&fetcher->site_names, name.data, name.len, &site);
    while (ok && fetcher->hosts.len <= host)
        ok = th__vec_push(&fetcher->hosts, (host_row){0});
    while (ok && fetcher->sites.len <= site)
        ok = th__vec_push(&fetcher->sites, (site_row){0});
    th__buf_release(&name);
    if (ok) {
        fetch->host = host;
        fetch->site = site;
    }
    return ok;
}

/* Directs a fetch at a URL. */
static th_status aim(th__fetcher *fetcher, th__fetch *fetch, const char *url, th_error *err)
{
    th__url_parts parts;
    th__buf path = {0};
    th_status status = TH_OK;
    bool first = !strcmp(url, fetch->name);
    if (!th__is_url(url)) {
        parts = (th__url_parts){0};
        status = th__fail(err, TH_ERR_NETWORK,
                          "%.300s: is redirected to %.300s, but only http and https are fetched",
                          fetch->name, url);
    } else if (!th__url_split(url, &parts)) {
        /* What is before an "@" may be a password. */
        const char *at = strrchr(url, '@');
        status = first ? th__fail(err, TH_ERR_ARGUMENT, "%s%.300s: is not a valid URL",
                                  at ? "http://***" : "", at ? at : url)
                       : th__fail(err, TH_ERR_NETWORK,
                                  "%.300s: is redirected to %.300s, which is not a valid URL",
                                  fetch->name, url);
    } else if (first && parts.user) {
        status = th__fail(err, TH_ERR_ARGUMENT,
                          "%.300s: was given with a user name or password in the URL, which others "
                          "could see: put them into a site file (--site-file)",
                          parts.url);
    } else {
        th__buf_printf(&path, "%s%s%s", parts.path, parts.query ? "?" : "",
                       parts.query ? parts.query : "");
        char *own = th__mem_copy(parts.url, strlen(parts.url));
        if (path.failed || !own || !know_places(fetcher, fetch, &parts)) {
            th__mem_free(own);
            th__buf_release(&path);
            status = th__fail_memory(err);
        } else {
            th__mem_free(fetch->url);
            th__mem_free(fetch->path);
            fetch->url = own;
            fetch->path = path.data;
            fetch->looked = fetch->asked_anew = false;
            th__buf_clear(&fetch->conditions);
        }
    }
    th__url_parts_release(&parts);
    return status;
}

/* The site that a fetch is aimed at. Borrowed. */
static th_str site_name(const th__fetcher *fetcher, const th__fetch *fetch)
{
    return th__intern_name(&fetcher->site_names, fetch->site);
}

static const th__account *find_account(const th__fetcher *fetcher, const th__fetch *fetch)
{
    return th__session_look(&fetcher->session, site_name(fetcher, fetch)).account;
}

static th_status add_fetch(th__fetcher *fetcher, const char *url, th__transfer_kind kind,
                           th__fetch **out, th_error *err)
{
    th__fetch *fetch = TH__NEW(th__fetch);
    if (!fetch)
        return th__fail_memory(err);
    fetch->transfer =
        (th__transfer){.options = fetcher->options, .session = &fetcher->session, .kind = kind};
    fetch->fetcher = fetcher;
    fetch->name = th__mem_copy(url, strlen(url));
    fetch->tries = 1;
    th_status status = fetch->name ? aim(fetcher, fetch, url, err) : th__fail_memory(err);
    if (status) {
        free_fetch(fetcher, fetch);
        return status;
    }
    *fetcher->last = fetch;
    fetcher->last = &fetch->next;
    *out = fetch;
    return TH_OK;
}

th_status th__fetcher_add(th__fetcher *fetcher, const char *url, th__fetch **out, th_error *err)
{
    th_status status = add_fetch(fetcher, url, TH__GET_PAGE, out, err);
    th__session *session = &fetcher->session;
    if (status == TH_OK && !session->first_site)
        session->first_site = th__arena_copy(&session->arena, site_name(fetcher, *out)).ptr;
    if (status == TH_OK && !session->first_site) {
        drop_fetch(fetcher, *out);
        status = th__fail_memory(err);
    }
    return status;
}

/* ---- robots.txt ------------------------------------------------------------------------------ */

/* Reads what a site's robots.txt allows us to fetch (RFC 9309):
 *
 *     User-agent: a        a group: one or more agents,
 *     User-agent: b
 *     Disallow: /x         then its rules
 *
 * The groups that name our product token hold together; without one, those of "*" do. Patterns may
 * hold '*' (anything) and a last '$' (the end). They are split at '*' and each piece is searched
 * once from the left, which is right for such patterns and linear. */

static th_str product_token(th_str agent)
{
    size_t len = 0;
    while (len < agent.len && (th__is_alpha((unsigned char)agent.ptr[len]) ||
                               agent.ptr[len] == '-' || agent.ptr[len] == '_'))
        len++;
    return (th_str){agent.ptr, len};
}

/* One spelling for each path: escapes in upper case, no escapes of plain letters, digits and
 * "-._~", bytes outside ASCII and blanks escaped. */
static void normalise(th_str path, th__buf *out)
{
    static const char hex[] = "0123456789ABCDEF";
    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.ptr[i];
        bool escape = c <= ' ' || c >= 0x7F;
        if (c == '%' && i + 2 < path.len && th__hex_digit(path.ptr[i + 1]) >= 0 &&
            th__hex_digit(path.ptr[i + 2]) >= 0) {
            c = (unsigned char)(th__hex_digit(path.ptr[i + 1]) * 16 +
                                th__hex_digit(path.ptr[i + 2]));
            i += 2;
            escape = !th__is_alpha(c) && !th__is_digit(c) && !(c && strchr("-._~", c));
        }
        if (escape) {
            char three[3] = {'%', hex[c >> 4], hex[c & 15]};
            th__buf_add(out, three, 3);
        } else {
            th__buf_add_byte(out, (char)c);
        }
    }
}

/* The next line without comment, split at its colon; false at the end. */
static bool next_rule(th_str *text, th_str *name, th_str *value)
{
    while (text->len) {
        size_t len = 0;
        while (len < text->len && text->ptr[len] != '\n' && text->ptr[len] != '\r')
            len++;
        th_str line = {text->ptr, len};
        *text = th__str_slice(*text, len + (len < text->len), text->len);
        if (th__http_field(th__str_take(&line, '#'), name, value))
            return true;
    }
    return false;
}

/* "2" or "0.5" seconds in milliseconds; 0 for anything else, a day for more than that. */
static uint32_t read_seconds(th_str text)
{
    enum { DAY = 24 * 60 * 60 * 1000 };
    uint64_t ms = 0, unit = 1000;
    bool point = false;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (!th__is_digit(c))
            return 0;
        if (point)
            ms += (uint64_t)(c - '0') * (unit /= 10);
        else if (ms < DAY)
            ms = 10 * ms + (uint64_t)(c - '0') * 1000;
    }
    return ms < DAY ? (uint32_t)ms : DAY;
}

/* Collects the rules of the groups that name the agent; true when there was such a group. */
static bool collect_rules(th_str text, th_str agent, th__robots *out)
{
    th_str name, value;
    bool in_agents = false, ours = false, any = false;
    while (next_rule(&text, &name, &value)) {
        if (th__str_eq_nocase(name, TH_STR("user-agent"))) {
            bool star = th__str_eq(value, TH_STR("*"));
            bool match = th__str_eq_nocase(star ? value : product_token(value), agent);
            ours = in_agents ? ours || match : match;
            any |= match;
            in_agents = true;
            continue;
        }
        if (th__str_eq_nocase(name, TH_STR("crawl-delay"))) {
            in_agents = false;
            uint32_t delay = ours ? read_seconds(value) : 0;
            out->delay_ms = delay > out->delay_ms ? delay : out->delay_ms;
            continue;
        }
        bool allow = th__str_eq_nocase(name, TH_STR("allow"));
        if (!allow && !th__str_eq_nocase(name, TH_STR("disallow")))
            continue; /* Sitemap and the like belong to no group */
        in_agents = false;
        if (!ours || value.len == 0)
            continue;
        th__buf_add_byte(&out->rules, allow ? '+' : '-');
        normalise(value, &out->rules);
        th__buf_add_byte(&out->rules, '\n');
    }
    return any;
}

th_status th__robots_parse(th_str text, th_str agent, th__robots *out, th_error *err)
{
    *out = (th__robots){0};
    if (text.len > TH__ROBOTS_MAX_BYTES)
        text.len = TH__ROBOTS_MAX_BYTES;
    if (th__str_starts(text, TH_STR("\xEF\xBB\xBF")))
        text.ptr += 3, text.len -= 3;
    th_str token = product_token(agent);
    if (!token.len || !collect_rules(text, token, out))
        collect_rules(text, TH_STR("*"), out);
    if (!out->rules.failed)
        return TH_OK;
    th__buf_release(&out->rules);
    return th__fail_memory(err);
}

static bool rule_matches(th_str pattern, th_str path)
{
    bool anchored = pattern.len && pattern.ptr[pattern.len - 1] == '$';
    pattern.len -= anchored;
    size_t at = 0;
    for (bool first = true;; first = false) {
        const char *star = pattern.len ? memchr(pattern.ptr, '*', pattern.len) : NULL;
        th_str piece = {pattern.ptr, star ? (size_t)(star - pattern.ptr) : pattern.len};
        th_str rest = {path.ptr + at, path.len - at};
        if (!star && anchored && !first)
            return rest.len >= piece.len &&
                   (!piece.len || !memcmp(rest.ptr + rest.len - piece.len, piece.ptr, piece.len));
        size_t hit =
            first ? (th__str_starts(rest, piece) ? 0 : SIZE_MAX) : th__str_find(rest, piece);
        if (hit == SIZE_MAX)
            return false;
        at += hit + piece.len;
        if (!star)
            return !anchored || at == path.len;
        pattern.len -= piece.len + 1;
        pattern.ptr += piece.len + 1;
    }
}

th_status th__robots_allow(const th__robots *robots, th_str path, bool *yes, th_error *err)
{
    *yes = true;
    if (th__str_eq(path, TH_STR("/robots.txt")))
        return TH_OK;
    th__buf spelled = {0};
    normalise(path, &spelled);
    if (spelled.failed) {
        th__buf_release(&spelled);
        return th__fail_memory(err);
    }
    th_str rules = th__buf_str(&robots->rules);
    size_t best = 0;
    while (rules.len) {
        th_str pattern = th__str_take(&rules, '\n');
        bool allow = pattern.ptr[0] == '+';
        pattern = th__str_slice(pattern, 1, pattern.len);
        if ((pattern.len > best || (pattern.len == best && allow)) &&
            rule_matches(pattern, th__buf_str(&spelled))) {
            best = pattern.len;
            *yes = allow;
        }
    }
    th__buf_release(&spelled);
    return TH_OK;
}

static th_status ask_robots(th__fetcher *fetcher, const th__fetch *fetch, th_error *err)
{
    size_t path_len = strlen(fetch->path), url_len = strlen(fetch->url);
    th__buf url = {0};
    th__fetch *robots = NULL;
    /* The URL ends in the path; an empty one is written "/" by libcurl. */
    th__buf_add(&url, fetch->url, url_len > path_len ? url_len - path_len : 0);
    th__buf_add(&url, "/robots.txt", sizeof "/robots.txt");
    th_status status = url.failed ? th__fail_memory(err)
                                  : add_fetch(fetcher, url.data, TH__GET_ROBOTS, &robots, err);
    if (status == TH_OK) {
        robots->robots_of = fetch->site;
        fetcher->sites.data[fetch->site].state = ROBOTS_COMING;
    }
    th__buf_release(&url);
    return status;
}

/* TH_OK when a fetch may start, TH_DONE when it has to wait, or an error that ends it. */
static th_status check_robots(th__fetcher *fetcher, th__fetch *fetch, th_error *err)
{
    if (fetcher->options->ignore_robots || fetch->transfer.kind != TH__GET_PAGE)
        return TH_OK;
    const site_row *site = &fetcher->sites.data[fetch->site];
    bool allowed;
    if (site->state == ROBOTS_COMING)
        return TH_DONE;
    if (site->state == ROBOTS_UNKNOWN) {
        th_status status = ask_robots(fetcher, fetch, err);
        return status ? status : TH_DONE;
    }
    if (site->state == ROBOTS_FAILED && site->unreachable)
        return th__fail(err, TH_ERR_NETWORK, "%s: cannot be fetched: %s", fetch->name,
                        site->why ? site->why : "out of memory");
    if (site->state == ROBOTS_FAILED)
        return th__fail(err, TH_ERR_NETWORK,
                        "%s: not fetched, since the site's robots.txt cannot be read (%s); "
                        "--ignore-robots fetches it anyway",
                        fetch->name, site->why ? site->why : "out of memory");
    th_status status = th__robots_allow(&site->robots, th_str_from(fetch->path), &allowed, err);
    if (status || allowed)
        return status;
    return th__fail(err, TH_ERR_NETWORK,
                    "%s: not fetched, since the site's robots.txt disallows it; --ignore-robots "
                    "fetches it anyway",
                    fetch->name);
}

/* Returns true for a failure before any request was sent (no address, no connection, no TLS): the
 * page has the same one. */
static bool is_unreachable(const th__transfer *transfer)
{
    curl_off_t ready = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_PRETRANSFER_TIME_T, &ready);
    return transfer->code != CURLE_OK && !ready;
}

/* Adds to an error how often the fetch was tried. Returns its status. */
static th_status say_tries(const th__fetch *fetch, th_error *err)
{
    size_t len = strlen(err->message), room = sizeof err->message - len;
    if (fetch->asked_seconds)
        snprintf(err->message + len, room,
                 " and asks to wait %u seconds, which is more than --max-wait allows",
                 fetch->asked_seconds);
    else if (fetch->tries > 1)
        snprintf(err->message + len, room, " (after %u tries)", fetch->tries);
    return err->status;
}

/* A robots.txt was fetched, or could not be. */
static void finish_robots(th__fetcher *fetcher, th__fetch *fetch, th_status result)
{
    site_row *site = &fetcher->sites.data[fetch->robots_of];
    const th__account *account = find_account(fetcher, fetch);
    const char *agent =
        account && account->user_agent ? account->user_agent : fetcher->options->user_agent;
    const th__transfer *transfer = &fetch->transfer;
    th_error *err = &fetch->error;
    int status = transfer->status;
    site->state = ROBOTS_KNOWN;
    if (result == TH_OK && status >= 200 && status < 300)
        result =
            th__robots_parse(th__buf_str(&transfer->body), th_str_from(agent), &site->robots, err);
    else if (result == TH_OK && status >= 500)
        result = th__fail(err, TH_ERR_NETWORK, "%s: the server answers %d", fetch->url, status);
    /* An address that is refused is refused again for the page, which then says so. */
    if (result && !transfer->refused[0]) {
        site->state = ROBOTS_FAILED;
        site->unreachable = is_unreachable(transfer) && !fetch->redirects;
        if (site->unreachable)
            th__fail(err, result, "%s", transfer->message);
        say_tries(fetch, err);
        site->why = th__mem_copy(err->message, strlen(err->message));
    }
    drop_fetch(fetcher, fetch);
}

/* ---- logins ---------------------------------------------------------------------------------- */

static login_row *find_login(th__fetcher *fetcher, const th__account *account)
{
    return &fetcher->logins.data[account - fetcher->session.accounts.data];
}

/* Returns true if two URLs are the same up to their query. */
static bool is_same_page(const char *a, const char *b)
{
    size_t len = strcspn(a, "?");
    return len == strcspn(b, "?") && !strncmp(a, b, len);
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

static th_status ask_login(th__fetcher *fetcher, const th__account *account, th_error *err)
{
    const th__login *login = &account->login;
    const char *url = login->page ? login->page : login->url;
    th__fetch *fetch = NULL;
    th_status status = add_fetch(fetcher, url, TH__LOG_IN, &fetch, err);
    if (status)
        return status;
    fetch->is_form = login->page != NULL;
    if (!login->page)
        status = th__login_add_form(login, (th_str){0}, &fetch->form, err);
    if (status)
        drop_fetch(fetcher, fetch);
    else
        find_login(fetcher, account)->state = LOGIN_COMING;
    return status;
}

/* TH_OK when a fetch may start, TH_DONE when it has to wait, or an error that ends it. */
static th_status check_login(th__fetcher *fetcher, th__fetch *fetch, th_error *err)
{
    const th__account *account = find_account(fetcher, fetch);
    if (!account || !account->login.url || fetch->transfer.kind != TH__GET_PAGE)
        return TH_OK;
    login_row *row = find_login(fetcher, account);
    /* A jar of an earlier run may do. */
    if (row->state == LOGIN_NEEDED && !row->times &&
        th__session_is_logged_in(&fetcher->session, &account->login))
        row->state = LOGIN_DONE;
    fetch->logins = row->times;
    switch (row->state) {
    case LOGIN_NEEDED: {
        th_status status = ask_login(fetcher, account, err);
        return status ? status : TH_DONE;
    }
    case LOGIN_COMING:
        return TH_DONE;
    case LOGIN_DONE:
        return TH_OK;
    case LOGIN_FAILED:
        break;
    }
    return th__fail(err, TH_ERR_NETWORK, "%s: not fetched, since the login at %s failed: %s",
                    fetch->name, account->login.url, row->why ? row->why : "out of memory");
}

/* A login is over; `why` it failed, or NULL. */
static void end_login(th__fetcher *fetcher, th__fetch *fetch, const char *why)
{
    const th__account *account = find_account(fetcher, fetch);
    login_row *row = find_login(fetcher, account);
    row->state = why ? LOGIN_FAILED : LOGIN_DONE;
    row->times++;
    if (why)
        row->why = th__mem_copy(why, strlen(why));
    drop_fetch(fetcher, fetch);
}

static void finish_login(th__fetcher *fetcher, th__fetch *fetch, th_status status)
{
    const th__login *login = &find_account(fetcher, fetch)->login;
    th__transfer *transfer = &fetch->transfer;
    int answer = transfer->status;
    th_error *err = &fetch->error;
    if (status == TH_OK && fetch->is_form && answer < 400) {
        status = th__login_add_form(login, th__buf_str(&transfer->body), &fetch->form, err);
        if (status == TH_OK)
            status = aim(fetcher, fetch, login->url, err);
        fetch->is_form = false;
        th__transfer_release(transfer);
        if (status)
            end_login(fetcher, fetch, err->message);
        return;
    }
    bool proof = status == TH_OK && th__session_is_logged_in(&fetcher->session, login);
    if (status == TH_OK && !proof && answer >= 400)
        status = th__fail(err, TH_ERR_NETWORK, "the server answers %d", answer);
    if (status == TH_OK && !proof && login->ok)
        proof = th__str_find(th__buf_str(&transfer->body), th_str_from(login->ok)) != SIZE_MAX;
    if (status == TH_OK && !login->ok)
        proof = fetch->got_cookie;
    if (status)
        say_tries(fetch, err);
    else if (!proof)
        status = th__fail(err, TH_ERR_NETWORK,
                          "the answer (%d) has no %s%.100s%s; the user name or the password may be "
                          "wrong",
                          answer, login->ok ? "cookie or text \"" : "cookie",
                          login->ok ? login->ok : "", login->ok ? "\"" : "");
    end_login(fetcher, fetch, status ? err->message : NULL);
}

/* Returns true if a redirect stays with the account that logs in: the form, and what comes of it,
 * are for its sites alone. A form that was taken is not sent again. */
static bool login_follows(th__fetcher *fetcher, th__fetch *fetch, const char *to)
{
    const th__account *account = find_account(fetcher, fetch);
    int status = fetch->transfer.status;
    th__url_parts parts;
    th__buf site = {0};
    bool ours = false;
    if (th__is_url(to) && th__url_split(to, &parts)) {
        th__url_add_site(&parts, &site);
        ours = !site.failed &&
               th__session_look(&fetcher->session, th__buf_str(&site)).account == account;
        th__url_parts_release(&parts);
    }
    if (ours && status != 307 && status != 308)
        th__buf_clear(&fetch->form);
    th__buf_release(&site);
    return ours;
}

/* Returns true if the server wants a login first for a page of an account that has logged in. */
static bool is_logged_out(const th__fetcher *fetcher, const th__fetch *fetch)
{
    const th__account *account = find_account(fetcher, fetch);
    const th__transfer *transfer = &fetch->transfer;
    if (transfer->code || transfer->kind != TH__GET_PAGE || !account || !account->login.url)
        return false;
    int status = transfer->status;
    const char *to = transfer->to;
    return status == 401 || status == 403 || (to && is_same_page(to, account->login.url)) ||
           (to && account->login.page && is_same_page(to, account->login.page));
}

/* Lets a page wait for another login; false if that is of no use, with *failed if the page is over.
 */
static bool log_in_again(th__fetcher *fetcher, th__fetch *fetch, th_status *failed)
{
    enum { MAX_IN_VAIN = 3 };
    const th__account *account = find_account(fetcher, fetch);
    login_row *row = find_login(fetcher, account);
    if (fetch->logged_in_anew || row->in_vain >= MAX_IN_VAIN) {
        row->in_vain += fetch->logged_in_anew;
        if (fetch->transfer.to)
            *failed = th__fail(&fetch->error, TH_ERR_NETWORK,
                               "%s: is redirected to the login page %s, also after logging in",
                               fetch->name, account->login.url);
        return false;
    }
    fetch->logged_in_anew = true;
    if (row->state == LOGIN_DONE && row->times == fetch->logins)
        row->state = LOGIN_NEEDED, row->times += !row->times;
    fetch->redirects = 0;
    th__transfer_release(&fetch->transfer);
    *failed = aim(fetcher, fetch, fetch->name, &fetch->error);
    return *failed == TH_OK;
}

/* ---- scheduling ------------------------------------------------------------------------------ */

/* Keeps what was said over the network. */
static void keep_exchange(th__fetch *fetch)
{
    th__transfer *transfer = &fetch->transfer;
    if (!transfer->easy || !transfer->address)
        return;
    snprintf(fetch->address, sizeof fetch->address, "%s", transfer->address);
    fetch->answer = transfer->status;
    th__buf_release(&fetch->request);
    th__buf_release(&fetch->response);
    fetch->request = transfer->request;
    fetch->response = transfer->response;
    transfer->request = transfer->response = (th__buf){0};
}

static void end_fetch(th__fetcher *fetcher, th__fetch *fetch, th_status status)
{
    const th__account *account = find_account(fetcher, fetch);
    fetch->state = FETCH_DONE;
    fetch->status = status;
    keep_exchange(fetch);
    if (status == TH_OK && account)
        find_login(fetcher, account)->in_vain = 0;
    if (status)
        th__session_scrub(&fetcher->session, fetch->error.message);
    th__transfer_release(&fetch->transfer);
    th__drawing_free(fetch->drawing);
    fetch->drawing = NULL;
}

/* Ends a fetch that cannot go on: the failure becomes that of the page, of the site whose
 * robots.txt it is, or of the account that logs in. */
static void fail_fetch(th__fetcher *fetcher, th__fetch *fetch, th_status status)
{
    const char *why = fetch->error.message;
    if (fetch->transfer.kind == TH__GET_PAGE) {
        end_fetch(fetcher, fetch, status);
        return;
    }
    if (fetch->transfer.kind == TH__LOG_IN) {
        end_login(fetcher, fetch, why);
        return;
    }
    site_row *site = &fetcher->sites.data[fetch->robots_of];
    site->state = ROBOTS_FAILED;
    site->why = th__mem_copy(why, strlen(why));
    drop_fetch(fetcher, fetch);
}

static void on_done(void *owner, CURLcode code);

/* The one place where a request is made. */
static th_status start(th__fetcher *fetcher, th__fetch *fetch, th_error *err)
{
    uint32_t limit = fetcher->options->timeout_ms;
    uint32_t left = fetch->spent < limit ? limit - (uint32_t)fetch->spent : 1;
    th__request request = {.url = fetch->url,
                           .site = site_name(fetcher, fetch),
                           .timeout_ms = limit ? left : 0,
                           .form = fetch->form.len ? fetch->form.data : NULL,
                           /* a page in the browser has its own */
                           .cookies = fetcher->session.keeps_cookies && !fetch->drawing,
                           .headers = th__buf_str(&fetch->conditions),
                           .done = on_done,
                           .owner = fetch};
    th_status status = th__transfer_start(&fetch->transfer, &request, err);
    if (status == TH_OK && curl_multi_add_handle(fetcher->multi, fetch->transfer.easy) != CURLM_OK)
        status = th__fail_memory(err);
    if (status)
        return status;
    const char *cookies = fetch->drawing ? th__drawing_look(fetch->drawing).cookies : NULL;
    if (cookies)
        curl_easy_setopt(fetch->transfer.easy, CURLOPT_COOKIE, cookies);
    fetch->state = FETCH_RUNNING;
    fetch->started = th__clock_ms();
    fetcher->hosts.data[fetch->host].busy = true;
    fetcher->running++;
    return TH_OK;
}

/* Bytes of pages that nobody has taken yet. */
static uint64_t held_bytes(const th__fetcher *fetcher)
{
    uint64_t held = 0;
    for (const th__fetch *fetch = fetcher->first; fetch; fetch = fetch->next)
        held += fetch->transfer.body.len + (fetch->input ? fetch->input->bytes.len : 0);
    return held;
}

/* Sends a fetch on its way again, to where its answer leads; false when it may not go there. */
static bool go_to(th__fetcher *fetcher, th__fetch *fetch, const char *to, th_status *failed)
{
    bool robots = fetch->transfer.kind == TH__GET_ROBOTS;
    uint32_t limit = robots ? MAX_ROBOTS_REDIRECTS : fetcher->options->max_redirects;
    *failed = TH_OK;
    if (fetch->redirects++ >= limit) {
        if (!robots)
            *failed = th__fail(&fetch->error, TH_ERR_LIMIT,
                               "%s: too many redirects (limit %u, --max-redirects); the next leads "
                               "to %.300s",
                               fetch->name, limit, to);
        return false;
    }
    if (fetch->transfer.kind == TH__GET_PAGE && fetcher->follow &&
        !fetcher->follow(fetcher->follow_context, fetch, to)) {
        *failed = TH_DONE;
        return false;
    }
    *failed = aim(fetcher, fetch, to, &fetch->error);
    th__transfer_release(&fetch->transfer);
    fetch->state = FETCH_WAITING;
    return *failed == TH_OK;
}

/* The same if the answer is a redirect. */
static bool redirect(th__fetcher *fetcher, th__fetch *fetch, th_status *failed)
{
    const char *to = fetch->transfer.to;
    *failed = TH_OK;
    if (!to || (fetch->transfer.kind == TH__LOG_IN && !login_follows(fetcher, fetch, to)))
        return false;
    return go_to(fetcher, fetch, to, failed);
}

/* The page that an answer is, from `start` on in the body; or the error. */
static th_status make_input(const th__fetcher *fetcher, th__fetch *fetch, int status, th_str type,
                            th__buf *body, size_t start, th_error *err)
{
    if (status < 200 || status > 299) {
        th__fail(err, TH_ERR_NETWORK, "%s: the server answers %d%s", fetch->name, status,
                 fetch->logged_in_anew ? ", also after logging in again" : "");
        return say_tries(fetch, err);
    }
    th_str bytes = th__buf_str(body);
    const char *binary;
    th__sniff_html((th_str){bytes.ptr + start, bytes.len - start}, &binary);
    bool any = fetcher->options->any_type;
    if (!any && type.len && !th__type_is_html(type)) /* an empty body of another type */
        return th__fail(err, TH_ERR_FORMAT, "%s: has type \"%.*s\", not a web page", fetch->name,
                        TH_STR_ARG(type));
    if (!any && !type.len && binary)
        return th__fail(err, TH_ERR_FORMAT, "%s: looks like %s, not a web page", fetch->name,
                        binary);
    th_str name = th_str_from(fetch->name);
    th__session_scrub(&fetcher->session, fetch->url); /* a server may have put it there */
    th_status result = th__input_new(name, name, th_str_from(fetch->url), th__type_charset(type),
                                     &fetch->input, err);
    if (result == TH_OK)
        th__input_give(fetch->input, body, start);
    return result;
}

/* ---- rendering ------------------------------------------------------------------------------- */

/* Hands a page that was fetched, or could not be, to the browser. */
static void draw(th__fetcher *fetcher, th__fetch *fetch, th_status status)
{
    th__drawing *drawing = fetch->drawing;
    /* A script that leads to a download leaves its page where it is. */
    bool stay = drawing && status == TH_ERR_FORMAT;
    if (!status || stay) {
        th__drawing_page page = {
            .name = fetch->name,
            .url = fetch->url,
            .body = fetch->input ? fetch->input->bytes : TH_STR(""),
            .easy = fetch->transfer.easy,
            .type = header_value(th__buf_str(&fetch->response), TH_STR("Content-Type"))};
        th_status drawn =
            th__renderer_draw(&fetcher->renderer, stay ? NULL : &page, &drawing, &fetch->error);
        status = drawn ? drawn : status;
    }
    bool lives = !status || stay;
    fetch->drawing = lives ? NULL : drawing;
    end_fetch(fetcher, fetch, status);
    if (lives) {
        fetch->drawing = drawing;
        fetch->state = FETCH_DRAWING;
    }
}

/* Ends the fetch of a page, which is drawn first if that is wanted. */
static void end_page(th__fetcher *fetcher, th__fetch *fetch, th_status status)
{
    if (fetcher->options->render)
        draw(fetcher, fetch, status);
    else
        end_fetch(fetcher, fetch, status);
}

/* The page as it was drawn. */
static th_status take_drawing(th__drawing *drawing, th_str name, th_str origin, th_input **out,
                              th_error *err)
{
    th__drawing_view seen = th__drawing_look(drawing);
    if (seen.status) {
        if (err)
            *err = *seen.error;
        return seen.status;
    }
    th_status status =
        th__input_new(name, origin, th_str_from(seen.url), TH_STR("utf-8"), out, err);
    if (!status) {
        th__input_give(*out, seen.html, 0);
        (*out)->note = *seen.note;
        *seen.note = NULL;
    }
    return status;
}

/* A script has led to another page, which is fetched as after a redirect. */
static void follow_drawing(th__fetcher *fetcher, th__fetch *fetch)
{
    th_status failed;
    go_to(fetcher, fetch, th__drawing_look(fetch->drawing).to, &failed);
    th_input_free(fetch->input);
    fetch->input = NULL;
    fetch->tries = 1;
    fetch->spent = 0;
    fetch->asked_anew = true; /* the page may depend on what the script has left behind */
    if (failed)
        end_fetch(fetcher, fetch, failed);
}

/* Lets the browser go on; returns for how many ms it needs nothing. */
static uint64_t step_drawings(th__fetcher *fetcher)
{
    uint64_t rest = th__renderer_step(&fetcher->renderer, &fetcher->browser);
    for (th__fetch *fetch = fetcher->first; fetch; fetch = fetch->next) {
        if (fetch->state != FETCH_DRAWING)
            continue;
        th__drawing_view seen = th__drawing_look(fetch->drawing);
        if (seen.moved)
            follow_drawing(fetcher, fetch);
        if (!seen.done)
            continue;
        th_str name = th_str_from(fetch->name);
        th_input *drawn = NULL;
        th_status status = take_drawing(fetch->drawing, name, name, &drawn, &fetch->error);
        th_input_free(fetch->input);
        fetch->input = drawn;
        end_fetch(fetcher, fetch, status);
    }
    return rest;
}

/* ---- files of the cache ---------------------------------------------------------------------- */

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

/* A part of a list such as "max-age=60, no-cache": true if it is there, with its number if it has
 * one. */
static bool directive(th_str list, th_str name, uint64_t *number)
{
    while (list.len) {
        th_str part = th__str_trim(th__str_take(&list, ','));
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
    th_str control = header_value(header, TH_STR("Cache-Control"));
    uint64_t age = 0;
    *seconds = 0;
    if (directive(control, TH_STR("no-cache"), NULL) ||
        directive(control, TH_STR("no-store"), NULL) ||
        th__str_eq(header_value(header, TH_STR("Vary")), TH_STR("*")))
        return true;
    bool known = directive(control, TH_STR("max-age"), seconds);
    time_t expires = read_date(header_value(header, TH_STR("Expires")));
    time_t date = read_date(header_value(header, TH_STR("Date")));
    if (!known && header_value(header, TH_STR("Expires")).ptr) {
        known = true;
        date = date < 0 ? time(NULL) : date;
        *seconds = expires > date ? (uint64_t)(expires - date) : 0;
    }
    if (th__http_number(header_value(header, TH_STR("Age")), &age))
        *seconds = age < *seconds ? *seconds - age : 0;
    *seconds = *seconds < MAX_AGE_S ? *seconds : MAX_AGE_S;
    return known;
}

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
    th_str rest = *text, line = th__str_take(&rest, '\n');
    if (line.len == text->len || !th__str_starts(line, th_str_from(name)))
        return (th_str){0};
    *text = rest;
    return th__str_slice(line, strlen(name), line.len);
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
        int digit = th__hex_digit(text.ptr[i]);
        if (digit < 0)
            return false;
        hash = hash << 4 | (uint64_t)digit;
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
    out->tag = header_value(out->response, TH_STR("ETag"));
    out->date = header_value(out->response, TH_STR("Last-Modified"));
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
        status = th__file_write(path.data, th__buf_str(&text), err);
    th__buf_release(&path);
    th__buf_release(&text);
    return status;
}

/* ---- the cache ------------------------------------------------------------------------------- */

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

uint64_t th__fetch_variant(const th__session *session, th_str site, const char *user_agent)
{
    th__site_view seen = th__session_look(session, site);
    const th__account *account = seen.account;
    uint64_t hash = mix_text(0, account && account->user_agent ? account->user_agent : user_agent);
    hash = mix_headers(hash, &session->headers, seen.first);
    if (account) {
        hash = mix_headers(hash, &account->headers, true);
        hash = mix_text(hash, account->user);
        hash = mix_text(mix_text(hash, account->netrc), account->login.url);
    }
    return th__hash_mix(hash, session->keeps_cookies);
}

static uint64_t variant_of(const th__fetcher *fetcher, const th__fetch *fetch)
{
    return th__fetch_variant(&fetcher->session, site_name(fetcher, fetch),
                             fetcher->options->user_agent);
}

static bool find_cached(const th__fetcher *fetcher, const th__fetch *fetch, th__cached *out)
{
    return th__fetch_cache_find(&fetcher->cache, th_str_from(fetch->url),
                                variant_of(fetcher, fetch), fetcher->options->max_bytes, out);
}

/* Keeps an answer of the cache in the archive, with the time at which it was fetched. This run's
 * own ones are there already. */
static th_status archive_cached(th__fetcher *fetcher, th__fetch *fetch, const th__cached *answer)
{
    bool redirects = answer->status >= 300;
    if (!fetcher->warc || answer->stored >= fetcher->cache.begun || answer->status > 399)
        return TH_OK;
    th__warc_exchange exchange = {.url = fetch->url,
                                  .address = fetch->address,
                                  .request = answer->request,
                                  .response = answer->response,
                                  .body = redirects ? TH_STR("") : answer->body,
                                  .when = (time_t)(answer->stored / 1000000)};
    return th__warc_add(fetcher->warc, &exchange, &fetch->error);
}

/* Ends a fetch, or sends it on, with an answer of the cache, which is released. */
static void use_cached(th__fetcher *fetcher, th__fetch *fetch, th__cached *answer)
{
    th_str type = header_value(answer->response, TH_STR("Content-Type"));
    snprintf(fetch->address, sizeof fetch->address, "%.*s", TH_STR_ARG(answer->address));
    th_status status = archive_cached(fetcher, fetch, answer);
    if (status) {
        fail_fetch(fetcher, fetch, status);
    } else if (answer->status >= 300 && answer->status <= 399) {
        char *to = th__mem_copy(answer->body.ptr, answer->body.len);
        if (!to)
            fail_fetch(fetcher, fetch, th__fail_memory(&fetch->error));
        else if (!go_to(fetcher, fetch, to, &status))
            fail_fetch(fetcher, fetch, status);
        th__mem_free(to);
    } else {
        fetch->cached = true;
        fetch->answer = answer->status;
        th__buf_add_str(&fetch->request, answer->request);
        th__buf_add_str(&fetch->response, answer->response);
        size_t start = (size_t)(answer->body.ptr - answer->file.data);
        status =
            make_input(fetcher, fetch, answer->status, type, &answer->file, start, &fetch->error);
        end_page(fetcher, fetch, status);
    }
    th__buf_release(&answer->file);
}

/* Takes a page from the cache if the server need not be asked; true if so. Otherwise, just before
 * the server is asked, finds out with what. */
static bool take_cached(th__fetcher *fetcher, th__fetch *fetch, bool last)
{
    th__cached answer;
    if (!fetcher->cache.folder || fetch->transfer.kind != TH__GET_PAGE ||
        (fetch->looked && !last) || fetch->asked_anew)
        return false;
    fetch->looked = true;
    if (!find_cached(fetcher, fetch, &answer))
        return false;
    if (answer.is_fresh) {
        use_cached(fetcher, fetch, &answer);
        return true;
    }
    th__buf_clear(&fetch->conditions);
    if (last && answer.tag.len)
        th__buf_printf(&fetch->conditions, "If-None-Match: %.*s\n", TH_STR_ARG(answer.tag));
    if (last && answer.date.len)
        th__buf_printf(&fetch->conditions, "If-Modified-Since: %.*s\n", TH_STR_ARG(answer.date));
    if (fetch->conditions.failed)
        th__buf_clear(&fetch->conditions);
    th__buf_release(&answer.file);
    return false;
}

/* Keeps an answer. Secrets that a server has put into it are not kept. */
static th_status keep_answer(th__fetcher *fetcher, th__fetch *fetch)
{
    const th__transfer *transfer = &fetch->transfer;
    int status = transfer->status;
    const char *to = transfer->to;
    th_str header = th__buf_str(&transfer->response), type = transfer->type;
    bool page = status >= 200 && status <= 299 && status != 206 &&
                (!type.len || th__type_is_html(type) || fetcher->options->any_type);
    if (!fetcher->cache.folder || transfer->kind != TH__GET_PAGE || transfer->code ||
        transfer->reveals || (!page && !to && status != 404 && status != 410))
        return TH_OK;
    th__cached answer = {.url = th_str_from(fetch->url),
                         .variant = variant_of(fetcher, fetch),
                         .status = status,
                         .address = th_str_from(transfer->address),
                         .request = th__buf_str(&transfer->request),
                         .response = header,
                         .body = to ? th_str_from(to) : th__buf_str(&transfer->body)};
    return th__fetch_cache_store(&fetcher->cache, &answer, header, &fetch->error);
}

/* The server says that what the cache has still holds. */
static void confirm_cached(th__fetcher *fetcher, th__fetch *fetch)
{
    th__cached answer;
    if (!find_cached(fetcher, fetch, &answer)) {
        /* Somebody has taken it away. */
        fetch->asked_anew = true;
        th__buf_clear(&fetch->conditions);
        th__transfer_release(&fetch->transfer);
        return;
    }
    th_status status = th__fetch_cache_store(&fetcher->cache, &answer,
                                             th__buf_str(&fetch->transfer.response), &fetch->error);
    th__transfer_release(&fetch->transfer);
    if (status == TH_OK) {
        use_cached(fetcher, fetch, &answer);
    } else {
        th__buf_release(&answer.file);
        fail_fetch(fetcher, fetch, status);
    }
}

/* Starts what may start; returns for how many ms nothing more can. */
static uint64_t schedule(th__fetcher *fetcher, const th__fetch *awaited)
{
    bool asks = fetcher->options->cancel.asked != NULL;
    uint64_t now = th__clock_ms(), wake = now + (asks ? CANCEL_POLL_MS : LONGEST_POLL_MS);
    bool full = held_bytes(fetcher) > fetcher->options->max_bytes;
    for (th__fetch *fetch = fetcher->first, *next; fetch; fetch = next) {
        /* Asking for a robots.txt appends to the list, so the next one is taken after that. */
        if (fetch->state != FETCH_WAITING) {
            next = fetch->next;
            continue;
        }
        if ((!full || fetch == awaited) && take_cached(fetcher, fetch, false)) {
            wake = now; /* it may have been sent on to another page */
            next = fetch->next;
            continue;
        }
        th_status status = check_robots(fetcher, fetch, &fetch->error);
        if (status == TH_OK)
            status = check_login(fetcher, fetch, &fetch->error);
        const host_row *host = &fetcher->hosts.data[fetch->host];
        bool may = fetcher->running < fetcher->options->parallel && !host->busy &&
                   (!full || fetch == awaited || fetch->transfer.kind != TH__GET_PAGE);
        uint64_t from = host->free_at > fetch->not_before ? host->free_at : fetch->not_before;
        if (status == TH_OK && may && from > now) {
            wake = from < wake ? from : wake;
            may = false;
        }
        if (status == TH_OK && may && take_cached(fetcher, fetch, true))
            wake = now;
        else if (status == TH_OK && may)
            status = start(fetcher, fetch, &fetch->error);
        next = fetch->next;
        if (status && status != TH_DONE)
            fail_fetch(fetcher, fetch, status);
    }
    return wake - now;
}

/* Returns true if a failure may pass: the server is busy, or the way to it is broken for now. A
 * name that was never found is more likely misspelt. */
static bool may_pass(const th__transfer *transfer, const host_row *host)
{
    if (transfer->code == CURLE_OK || transfer->stop == TH__STOP_ENOUGH) {
        int status = transfer->status;
        return status == 429 || status == 500 || (status >= 502 && status <= 504);
    }
    if (transfer->stop || transfer->refused[0])
        return false;
    switch (transfer->code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        return host->answered;
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return true;
    default:
        return false;
    }
}

/* The wait before the next try, in ms: it doubles with each, and is cut by chance by up to a half,
 * so that many clients that failed together do not come back together. */
static uint64_t backoff(const th__fetcher *fetcher, const th__fetch *fetch)
{
    const th_feed_options *options = fetcher->options;
    uint64_t wait = options->retry_wait_ms;
    for (uint32_t i = 1; i < fetch->tries && wait < options->max_wait_ms; i++)
        wait *= 2;
    wait = wait < options->max_wait_ms ? wait : options->max_wait_ms;
    return wait - th__hash_mix(th__clock_ms(), (uintptr_t)fetch) % (wait / 2 + 1);
}

/* Lets a fetch that failed for a time wait for its next try; false if there is none. */
static bool retry(th__fetcher *fetcher, th__fetch *fetch)
{
    const th_feed_options *options = fetcher->options;
    host_row *host = &fetcher->hosts.data[fetch->host];
    th__transfer *transfer = &fetch->transfer;
    if (!may_pass(transfer, host) || fetch->tries > options->retries)
        return false;
    int status = transfer->code == CURLE_OK ? transfer->status : 0;
    uint64_t now = th__clock_ms(), wait = backoff(fetcher, fetch);
    curl_off_t asked = 0;
    if (status)
        curl_easy_getinfo(transfer->easy, CURLINFO_RETRY_AFTER, &asked);
    if ((uint64_t)asked > options->max_wait_ms / 1000) {
        fetch->asked_seconds = asked < UINT32_MAX ? (uint32_t)asked : UINT32_MAX;
        return false;
    }
    if ((uint64_t)asked * 1000 > wait)
        wait = (uint64_t)asked * 1000;
    /* A server that is busy is busy for all its pages. */
    if ((status == 429 || status == 503) && host->free_at < now + wait)
        host->free_at = now + wait;
    fetch->not_before = now + wait;
    fetch->spent = 0;
    fetch->tries++;
    th__transfer_release(transfer);
    return true;
}

/* The pause that the host of a fetch gets, in ms. */
static uint32_t host_delay(const th__fetcher *fetcher, const th__fetch *fetch)
{
    const th_feed_options *options = fetcher->options;
    const th__account *account = find_account(fetcher, fetch);
    uint32_t wanted = account && account->has_delay ? account->delay_ms : options->host_delay_ms;
    uint32_t asked = fetcher->sites.data[fetch->site].robots.delay_ms;
    asked = asked < options->max_wait_ms ? asked : options->max_wait_ms;
    return asked > wanted ? asked : wanted;
}

/* Keeps an exchange in the archive: of a page, a robots.txt or a redirect, not of a failure, whose
 * body is not read to its end, and not of a login. */
static th_status archive(th__fetcher *fetcher, th__fetch *fetch)
{
    const th__transfer *transfer = &fetch->transfer;
    int status = transfer->status;
    bool whole = transfer->code == CURLE_OK && (transfer->wanted || !transfer->dropped);
    if (!fetcher->warc || !whole || status < 200 || status > 399 || status == 304 ||
        transfer->kind == TH__LOG_IN)
        return TH_OK;
    th__session_scrub(&fetcher->session, fetch->url); /* a server may have put it there */
    th__warc_exchange exchange = {.url = fetch->url,
                                  .address = transfer->address,
                                  .request = th__buf_str(&transfer->request),
                                  .response = th__buf_str(&transfer->response),
                                  .body = th__buf_str(&transfer->body)};
    return th__warc_add(fetcher->warc, &exchange, &fetch->error);
}

static void finish(th__fetcher *fetcher, th__fetch *fetch, CURLcode code)
{
    host_row *host = &fetcher->hosts.data[fetch->host];
    th__transfer *transfer = &fetch->transfer;
    bool page = transfer->kind == TH__GET_PAGE;
    curl_multi_remove_handle(fetcher->multi, transfer->easy);
    fetch->state = FETCH_WAITING;
    fetcher->running--;
    host->busy = false;
    uint64_t now = th__clock_ms();
    if (page)
        host->free_at = now + host_delay(fetcher, fetch);
    host->answered |= code == CURLE_OK;
    fetch->spent += now - fetch->started;
    fetch->got_cookie |= transfer->got_cookie;
    th_status result =
        th__transfer_end(transfer, code, page ? fetch->name : fetch->url, &fetch->error);
    th_status failed = transfer->unsaved;
    if (!failed && code == CURLE_OK && fetch->conditions.len && transfer->status == 304) {
        confirm_cached(fetcher, fetch);
        return;
    }
    bool logged_out = !failed && is_logged_out(fetcher, fetch);
    if (!failed && !logged_out)
        failed = keep_answer(fetcher, fetch);
    if (!failed && logged_out) {
        if (log_in_again(fetcher, fetch, &failed))
            return;
    } else {
        if (!failed && retry(fetcher, fetch))
            return;
        if (!failed)
            failed = archive(fetcher, fetch);
        if (!failed && redirect(fetcher, fetch, &failed))
            return;
    }
    if (failed) {
        fail_fetch(fetcher, fetch, failed);
    } else if (transfer->kind == TH__GET_ROBOTS) {
        finish_robots(fetcher, fetch, result);
    } else if (transfer->kind == TH__LOG_IN) {
        finish_login(fetcher, fetch, result);
    } else {
        result = result ? say_tries(fetch, &fetch->error)
                        : make_input(fetcher, fetch, transfer->status, transfer->type,
                                     &transfer->body, 0, &fetch->error);
        end_page(fetcher, fetch, result);
    }
}

static void on_done(void *owner, CURLcode code)
{
    th__fetch *fetch = owner;
    finish(fetch->fetcher, fetch, code);
}

static uint64_t go_on(th__fetcher *fetcher, const th__fetch *awaited)
{
    int running, left;
    curl_multi_perform(fetcher->multi, &running);
    for (CURLMsg *message; (message = curl_multi_info_read(fetcher->multi, &left));) {
        char *private = NULL;
        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &private);
        const th__transfer *transfer = (const th__transfer *)private;
        transfer->done(transfer->owner, message->data.result);
    }
    bool draws = fetcher->renderer.first || fetcher->renderer.browser;
    uint64_t rest = draws ? step_drawings(fetcher) : UINT64_MAX;
    uint64_t wake = schedule(fetcher, awaited);
    return rest < wake ? rest : wake;
}

/* Waits until there is something to do, at most for so many ms. */
static void wait_ms(th__fetcher *fetcher, uint64_t ms)
{
    bool more = fetcher->renderer.browser && fetcher->browser.fd >= 0;
    curl_multi_poll(fetcher->multi, &fetcher->browser, more, (int)ms, NULL);
}

th_status th__fetcher_render(th__fetcher *fetcher, th_input **input, th_error *err)
{
    th_input *page = *input;
    char *name = th__mem_copy(page->name.ptr, page->name.len);
    char *url = page->url.len ? th__mem_copy(page->url.ptr, page->url.len) : NULL;
    th__drawing *drawing = NULL;
    th_status status = name && (url || !page->url.len) ? TH_OK : th__fail_memory(err);
    if (!status)
        status = th__renderer_draw(
            &fetcher->renderer,
            &(th__drawing_page){.name = name, .url = url, .body = page->bytes, .offline = true},
            &drawing, err);
    while (!status && !th__drawing_look(drawing).done) {
        status = th__cancel_check(&fetcher->options->cancel, err);
        uint64_t rest = status ? 0 : go_on(fetcher, NULL);
        if (!status && !th__drawing_look(drawing).done)
            wait_ms(fetcher, rest);
    }
    if (!status)
        status = take_drawing(drawing, page->name, page->origin, input, err);
    if (!status) {
        (*input)->file_len = page->file_len;
        (*input)->offset = page->offset;
        (*input)->offset_inside = page->offset_inside;
        th_input_free(page);
    }
    th__drawing_free(drawing);
    th__mem_free(name);
    th__mem_free(url);
    return status;
}

void th__fetcher_poke(th__fetcher *fetcher)
{
    go_on(fetcher, NULL);
}

th_status th__fetch_page(th__fetch *fetch, th_input **out, th_error *err)
{
    if (fetch->status == TH_OK) {
        *out = fetch->input;
        fetch->input = NULL;
    } else if (err) {
        *err = fetch->error;
    }
    return fetch->status;
}

void th__fetch_free(th__fetch *fetch)
{
    if (fetch)
        free_fetch(NULL, fetch);
}

th_status th__fetcher_take(th__fetcher *fetcher, th__fetch *fetch, th_input **out, th_error *err)
{
    while (fetch->state != FETCH_DONE) {
        th_status cancelled = th__cancel_check(&fetcher->options->cancel, err);
        if (cancelled) {
            drop_fetch(fetcher, fetch);
            return cancelled;
        }
        uint64_t rest = go_on(fetcher, fetch);
        if (fetch->state != FETCH_DONE)
            wait_ms(fetcher, rest);
    }
    th_status status = th__fetch_page(fetch, out, err);
    drop_fetch(fetcher, fetch);
    return status;
}

void th__fetcher_ask_redirects(th__fetcher *fetcher,
                               bool (*follow)(void *context, const th__fetch *fetch,
                                              const char *url),
                               void *context)
{
    fetcher->follow = follow;
    fetcher->follow_context = context;
}

/* The first fetch that is done, or NULL. */
static th__fetch *find_done(const th__fetcher *fetcher)
{
    th__fetch *fetch = fetcher->first;
    while (fetch && fetch->state != FETCH_DONE)
        fetch = fetch->next;
    return fetch;
}

th_status th__fetcher_take_any(th__fetcher *fetcher, th__fetch **out, th_error *err)
{
    th__fetch *fetch = find_done(fetcher);
    while (!fetch && fetcher->first) {
        th_status cancelled = th__cancel_check(&fetcher->options->cancel, err);
        if (cancelled)
            return cancelled;
        uint64_t rest = go_on(fetcher, NULL);
        if (!(fetch = find_done(fetcher)))
            wait_ms(fetcher, rest);
    }
    if (!fetch)
        return TH_DONE;
    unlink_fetch(fetcher, fetch);
    *out = fetch;
    return TH_OK;
}

void th__fetch_set_tag(th__fetch *fetch, void *tag)
{
    fetch->tag = tag;
}

void *th__fetch_tag(const th__fetch *fetch)
{
    return fetch->tag;
}

void th__fetch_exchange(const th__fetch *fetch, th__exchange *out)
{
    *out = (th__exchange){.url = fetch->url,
                          .status = fetch->answer,
                          .request = th__buf_str(&fetch->request),
                          .response = th__buf_str(&fetch->response),
                          .address = fetch->address,
                          .tries = fetch->tries,
                          .cached = fetch->cached};
}
