/*
 * crawl.c: from lists to detail pages.
 *
 * A crawl is a pure function of what its addresses give:
 *
 *     start URLs ──▶ list page ──records──▶ rows ──link──▶ detail page ──▶ record
 *                     ▲    │
 *                     └next┘
 *
 * What an address gave is kept in the project, page by page, in one transaction each ("visits"),
 * and nothing else is: a crawl that was broken off is run again from its beginning, with visits in
 * place of fetches. So no page is fetched twice and no record lost or given twice, wherever the
 * process died. Failures that may pass (a timeout, a server that is down) are not kept, and are
 * tried again by the next run.
 *
 * Invariants
 *  1. pages are in the order in which they were found, and are started in that order.
 *  2. lists are read in order, whichever comes first over the network: rows, and with them the
 *     records, have the same order in every run.
 *  3. An address belongs to one page: `owner` knows which. Where a page is redirected to becomes
 *     its address too, before the redirect is followed; if it is another page's already, the
 *     redirect is not followed.
 */
#include <stdio.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/vec.h"
#include "data/record.h"
#include "feed/feed.h"
#include "feed/fetch.h"
#include "page/url.h"
#include "store/project.h"

enum {
    MAX_PAGES = 10000,
    LEARN_LISTS = 3,   /* list pages that are learnt from: some columns are not on each */
    LEARN_DETAILS = 8, /* detail pages */
    WINDOW = 64,       /* fetches at once; the fetcher decides how many of them run */
    MOST_REASONS = 32  /* of failures that are counted one by one */
};

/* The outcome of a request for an address. */
typedef enum visit_kind {
    VISIT_PAGE,  /* a page of the project; text: its address after redirects */
    VISIT_MOVED, /* it leads to another address, which the crawl knows; text: which */
    VISIT_FAILED /* for good: trying again would not help; text: why */
} visit_kind;

#define NONE          UINT32_MAX
#define DETAIL_PREFIX TH_STR("detail_")
#define OTHER_REASONS TH_STR("other reasons")
/* The names of learnt wrappers in the project. */
#define LIST_NAME   "crawl-list"
#define DETAIL_NAME "crawl-detail"

typedef enum page_state {
    PAGE_WAITING, /* not asked for yet */
    PAGE_COMING,  /* being fetched */
    PAGE_HERE,    /* in the project */
    PAGE_MOVED,   /* is the page `moved_to` */
    PAGE_FAILED
} page_state;

typedef struct crawl_page {
    char *url;        /* as it was linked */
    uint32_t address; /* in th_crawl.addresses */
    page_state state;
    bool list;
    bool given;          /* its record */
    bool abroad;         /* was about to be redirected to another host */
    uint32_t moved_to;   /* an address; NONE before */
    int64_t id;          /* in the project */
    th_records *records; /* of a list, from its reading until its last row is given */
} crawl_page;

/* A record of a list. */
typedef struct crawl_row {
    uint32_t list, record;
    uint32_t detail; /* page; NONE: the row has no link that is followed */
} crawl_row;

typedef struct crawl_reason {
    th_str text;
    uint64_t pages;
} crawl_reason;

struct th_crawl {
    th_crawl_options options;
    th__arena arena;          /* texts of options and reasons */
    th_feed_options fetching; /* its texts are not kept: the feed has copies */
    th_feed *feed;            /* that has the fetcher */
    th__fetcher *fetcher;
    th_parser *parser;
    th_project *project, *own_project;
    th_str site;

    th__intern addresses;
    TH__VEC(uint32_t) owner; /* by address: the page */
    TH__VEC(crawl_page) pages;
    TH__VEC(uint32_t) lists; /* pages */
    TH__VEC(crawl_row) rows;
    size_t started;   /* of pages */
    size_t looked_at; /* of lists, before their wrapper is known: next links */
    size_t read;      /* of lists: their rows are made */
    size_t given;     /* of rows */
    size_t coming;    /* fetches */
    size_t settled;   /* pages */

    const th_wrapper *list, *detail;
    th_wrapper *own_list, *own_detail;
    th_schema *schema; /* of the records */
    size_t detail_at;  /* the first member that is of the detail page */
    uint32_t link;     /* member of a record of the list; NONE: not chosen yet */
    th_status out_of;  /* TH_ERR_MEMORY: a callback ran out of memory */
    bool told_max, told_other;

    th_crawl_counts counts;
    TH__VEC(crawl_reason) reasons;
    th_next next;
};

static const th_crawl_options crawl_defaults = {.max_pages = MAX_PAGES};

void th_crawl_options_defaults(th_crawl_options *options, size_t size)
{
    th__options_give(options, size, &crawl_defaults, sizeof crawl_defaults);
}

/* ---- remarks --------------------------------------------------------------------------------- */

static void tell(const th_crawl *crawl, const char *page, bool failure, bool detail,
                 const char *format, ...) TH_PRINTF(5, 6);

static void tell(const th_crawl *crawl, const char *page, bool failure, bool detail,
                 const char *format, ...)
{
    char text[1200];
    va_list args;
    if (!crawl->options.tell)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    th_remark remark = {th_str_from(page), th_str_from(text), detail};
    crawl->options.tell(crawl->options.context, &remark, failure);
}

static void tell_counts(th_crawl *crawl)
{
    crawl->counts.waiting = crawl->pages.len - crawl->settled;
    if (crawl->options.counted)
        crawl->options.counted(crawl->options.context, &crawl->counts);
}

/* A message without the page's name before it and the details after it, so that pages that fail in
 * the same way are counted together. */
static th_str short_reason(const char *url, const char *message)
{
    size_t len = strlen(url);
    if (!strncmp(message, url, len) && !strncmp(message + len, ": ", 2))
        message += len + 2;
    return (th_str){message, strcspn(message, ";(")};
}

static bool count_reason(th_crawl *crawl, th_str reason)
{
    reason = th__str_trim(reason);
    for (size_t i = 0; i < crawl->reasons.len; i++)
        if (th__str_eq(crawl->reasons.data[i].text, reason)) {
            crawl->reasons.data[i].pages++;
            return true;
        }
    if (crawl->reasons.len == MOST_REASONS - 1 && !th__str_eq(reason, OTHER_REASONS))
        return count_reason(crawl, OTHER_REASONS);
    crawl_reason row = {th__arena_copy(&crawl->arena, reason), 1};
    return row.text.ptr && th__vec_push(&crawl->reasons, row);
}

/* ---- pages that are known -------------------------------------------------------------------- */

/* The number of a URL's address; NONE for what is not on the web, or if out of memory (then
 * *status is set). */
static uint32_t number_address(th_crawl *crawl, th_str url, th_status *status, th_error *err)
{
    th__buf address = {0};
    uint32_t number = NONE;
    if (th__url_address(url, &address)) {
        number = th__intern_add(&crawl->addresses, th__buf_str(&address));
        while (number != NONE && crawl->owner.len <= number)
            if (!th__vec_push(&crawl->owner, NONE))
                number = NONE;
        if (number == NONE)
            *status = th__fail_memory(err);
    } else if (address.failed) {
        *status = th__fail_memory(err);
    }
    th__buf_release(&address);
    return number;
}

static bool same_host(th_str a, th_str b)
{
    th_str host_a, host_b, path;
    return th__url_place(a, &host_a, &path) && th__url_place(b, &host_b, &path) &&
           th__str_eq_nocase(host_a, host_b);
}

/* A URL without its fragment. */
static th_str without_fragment(th_str url)
{
    return th__str_take(&url, '#');
}

/* Adds a page unless its address is known; *out is NONE where there is none: the address is known
 * (*known), the limit is reached, or it is not on the web. */
static th_status add_page(th_crawl *crawl, th_str url, bool list, uint32_t *out, bool *known,
                          th_error *err)
{
    th_status status = TH_OK;
    uint32_t address = number_address(crawl, url, &status, err);
    *out = NONE;
    *known = false;
    if (status || address == NONE)
        return status;
    if (crawl->owner.data[address] != NONE) {
        *out = crawl->owner.data[address];
        *known = true;
        return TH_OK;
    }
    if (crawl->pages.len >= crawl->options.max_pages) {
        crawl->counts.left++;
        if (!crawl->told_max)
            tell(crawl, NULL, false, false,
                 "reached the limit of %llu pages: further links are left out (--max-pages)",
                 (unsigned long long)crawl->options.max_pages);
        crawl->told_max = true;
        return TH_OK;
    }
    th_str plain = without_fragment(url);
    crawl_page page = {.url = th__mem_copy(plain.ptr, plain.len),
                       .address = address,
                       .list = list,
                       .moved_to = NONE};
    if (!page.url || !th__vec_push(&crawl->pages, page)) {
        th__mem_free(page.url);
        return th__fail_memory(err);
    }
    *out = (uint32_t)crawl->pages.len - 1;
    crawl->owner.data[address] = *out;
    if (list && !th__vec_push(&crawl->lists, *out))
        return th__fail_memory(err);
    return TH_OK;
}

/* ---- fetching -------------------------------------------------------------------------------- */

static th_str address_of(const th_crawl *crawl, const crawl_page *page)
{
    return th__intern_name(&crawl->addresses, page->address);
}

static void settle(th_crawl *crawl, crawl_page *page, page_state state)
{
    page->state = state;
    crawl->settled++;
    crawl->counts.failed += state == PAGE_FAILED;
    crawl->counts.lists += state == PAGE_HERE && page->list;
    crawl->counts.details += state == PAGE_HERE && !page->list;
    tell_counts(crawl);
}

static th_status fail_page(th_crawl *crawl, crawl_page *page, const char *message, th_error *err)
{
    size_t len = strlen(page->url);
    bool named = !strncmp(message, page->url, len);
    settle(crawl, page, PAGE_FAILED);
    tell(crawl, named ? NULL : page->url, true, false, "%s", message);
    return count_reason(crawl, short_reason(page->url, message)) ? TH_OK : th__fail_memory(err);
}

/* The fetcher asks whether to follow a redirect. */
static bool may_follow(void *context, const th__fetch *fetch, const char *url)
{
    th_crawl *crawl = context;
    crawl_page *page = &crawl->pages.data[(uintptr_t)th__fetch_tag(fetch)];
    uint32_t own = (uint32_t)(page - crawl->pages.data);
    uint32_t address = number_address(crawl, th_str_from(url), &crawl->out_of, NULL);
    if (crawl->out_of || address == NONE)
        return !crawl->out_of; /* the fetcher refuses other schemes with a message */
    if (!crawl->options.other_hosts && !same_host(th_str_from(page->url), th_str_from(url))) {
        page->abroad = true;
        page->moved_to = address;
        return false;
    }
    if (crawl->owner.data[address] == NONE)
        crawl->owner.data[address] = own;
    if (crawl->owner.data[address] == own)
        return true;
    page->moved_to = address;
    return false;
}

/* Returns true if the next run would fail too: the page does not exist or cannot be used. */
static bool is_final(th_status status, const th__fetch *fetch)
{
    th__exchange said;
    th__fetch_exchange(fetch, &said);
    bool refused = said.status >= 400 && said.status < 500 && said.status != 408 &&
                   said.status != 425 && said.status != 429;
    return status == TH_ERR_FORMAT || status == TH_ERR_ARGUMENT ||
           (status == TH_ERR_NETWORK && refused);
}

/* Stores the outcome for an address; for a page also the input. */
static th_status add_visit(th_crawl *crawl, crawl_page *page, visit_kind kind,
                           const th_input *input, th_str text, th_error *err)
{
    int64_t site = 0;
    th_page_source source;
    th_status status = th__project_site(crawl->project, crawl->site, &site, err);
    if (!status && kind == VISIT_PAGE) {
        th_input_source(input, &source);
        status = th_project_add_page(crawl->project, crawl->site, th_input_name(input), &source,
                                     th_input_bytes(input), &page->id, NULL, err);
    }
    return status ? status
                  : th__project_do(crawl->project, err,
                                   "INSERT OR REPLACE INTO visit (site, address, kind, page, text)"
                                   " VALUES (?, ?, ?, nullif(?, 0), ?)",
                                   "itiit", site, address_of(crawl, page), (int64_t)kind,
                                   kind == VISIT_PAGE ? page->id : 0, text);
}

/* The same as one change. */
static th_status keep(th_crawl *crawl, crawl_page *page, visit_kind kind, const th_input *input,
                      th_str text, th_error *err)
{
    th_status status = th__project_enter(crawl->project, err);
    if (status)
        return status;
    status = add_visit(crawl, page, kind, input, text, err);
    return th__project_leave(crawl->project, status, err);
}

/* The outcome of an earlier request for the address of a page; TH_DONE if there is none. *text is
 * replaced. */
static th_status find_visit(th_crawl *crawl, crawl_page *page, visit_kind *kind, th__buf *text,
                            th_error *err)
{
    int64_t number;
    th_str said;
    th__rows row = th__project_rows(
        crawl->project, err,
        "SELECT kind, coalesce(page, 0), coalesce(text, '') FROM visit WHERE address = ?"
        " AND site = (SELECT id FROM site WHERE name = ?)",
        "tt", address_of(crawl, page), crawl->site);
    if (th__rows_next(&row, "iit", &number, &page->id, &said)) {
        *kind = (visit_kind)number;
        th__buf_clear(text);
        if (*kind > VISIT_FAILED || (*kind == VISIT_PAGE && !page->id))
            row.any = false; /* somebody has changed it: as if it were not there */
        else if (!th__buf_add_str(text, said))
            row.status = th__fail_memory(err);
    }
    return th__rows_found(&row);
}

static th_status page_moved(th_crawl *crawl, crawl_page *page, th_error *err)
{
    char message[600];
    th_str to = th__intern_name(&crawl->addresses, page->moved_to);
    if (!page->abroad) {
        settle(crawl, page, PAGE_MOVED);
        return TH_OK;
    }
    snprintf(message, sizeof message,
             "is redirected to another host (--other-hosts follows it; it is %.*s)",
             (int)(to.len < 300 ? to.len : 300), to.ptr);
    return fail_page(crawl, page, message, err);
}

/* A page that is here also owns the address that it was redirected to. Another page of that address
 * loses it if it has not been asked for yet: see recall. */
static th_status come_home(th_crawl *crawl, uint32_t index, th_str home, th_error *err)
{
    crawl_page *page = &crawl->pages.data[index];
    th_status status = TH_OK;
    uint32_t address = home.len ? number_address(crawl, home, &status, err) : NONE;
    if (status)
        return status;
    uint32_t other = address == NONE ? index : crawl->owner.data[address];
    if (other != index && other != NONE && crawl->pages.data[other].state != PAGE_WAITING) {
        page->moved_to = address;
        settle(crawl, page, PAGE_MOVED);
        return TH_OK;
    }
    if (address != NONE)
        crawl->owner.data[address] = index;
    settle(crawl, page, PAGE_HERE);
    return TH_OK;
}

/* A page has come. Redirects that the fetcher did not ask about (those of a cache or a browser) are
 * seen here. */
static th_status take_page(th_crawl *crawl, crawl_page *page, const th_input *input, th_error *err)
{
    th_str home = th_input_url(input);
    th_status status = TH_OK;
    if (!crawl->options.other_hosts && home.len && !same_host(th_str_from(page->url), home)) {
        page->abroad = true;
        page->moved_to = number_address(crawl, home, &status, err);
        return status ? status : page_moved(crawl, page, err);
    }
    status = keep(crawl, page, VISIT_PAGE, input, home, err);
    return status ? status : come_home(crawl, (uint32_t)(page - crawl->pages.data), home, err);
}

/* A fetch has ended. */
static th_status take(th_crawl *crawl, th__fetch *fetch, th_error *err)
{
    crawl_page *page = &crawl->pages.data[(uintptr_t)th__fetch_tag(fetch)];
    th_input *input = NULL;
    th_error problem;
    th_status status = th__fetch_page(fetch, &input, &problem), kept;
    crawl->coming--;
    if (crawl->out_of)
        kept = th__fail_memory(err);
    else if (status == TH_OK) {
        crawl->counts.fetched++;
        kept = take_page(crawl, page, input, err);
    } else if (status == TH_DONE) {
        kept = keep(crawl, page, VISIT_MOVED, NULL,
                    th__intern_name(&crawl->addresses, page->moved_to), err);
        if (!kept)
            kept = page_moved(crawl, page, err);
    } else if (status == TH_ERR_MEMORY || status == TH_ERR_CANCELLED || status == TH_ERR_IO) {
        kept = th__fail(err, status, "%s", problem.message);
    } else {
        kept = is_final(status, fetch)
                   ? keep(crawl, page, VISIT_FAILED, NULL, th_str_from(problem.message), err)
                   : TH_OK;
        if (!kept)
            kept = fail_page(crawl, page, problem.message, err);
    }
    th_input_free(input);
    return kept;
}

/* Gives a page the address that it was redirected to, if no page has it. */
static bool adopt(th_crawl *crawl, uint32_t index, uint32_t address)
{
    if (address == NONE || crawl->owner.data[address] != NONE)
        return false;
    crawl->owner.data[address] = index;
    crawl->pages.data[index].address = address;
    return true;
}

/* Looks a page up in the project; *known is false if it has to be fetched. */
static th_status recall(th_crawl *crawl, uint32_t index, bool *known, th_error *err)
{
    visit_kind kind;
    th__buf text = {0};
    crawl_page *page = &crawl->pages.data[index];
    th_status status;
    bool again;
    *known = crawl->owner.data[page->address] != index;
    if (*known) { /* another page was redirected to it */
        page->moved_to = page->address;
        settle(crawl, page, PAGE_MOVED);
        return TH_OK;
    }
    do {
        status = find_visit(crawl, page, &kind, &text, err);
        again = false;
        if (!status && kind == VISIT_MOVED) {
            page->moved_to = number_address(crawl, th__buf_str(&text), &status, err);
            page->abroad = !crawl->options.other_hosts &&
                           !same_host(th_str_from(page->url), th__buf_str(&text));
            /* Lists are read sooner now than when it was fetched: what it leads to may be new. */
            again = !status && !page->abroad && adopt(crawl, index, page->moved_to);
        }
    } while (again);
    *known = status == TH_OK;
    if (!status && kind == VISIT_FAILED)
        status = th__buf_add_byte(&text, '\0') ? fail_page(crawl, page, text.data, err)
                                               : th__fail_memory(err);
    else if (!status && kind == VISIT_MOVED)
        status = page_moved(crawl, page, err);
    else if (!status)
        status = come_home(crawl, index, th__buf_str(&text), err);
    th__buf_release(&text);
    return status == TH_DONE ? TH_OK : status;
}

/* Starts the pages that may be started. */
static th_status start_pages(th_crawl *crawl, th_error *err)
{
    th_status status = TH_OK;
    for (; !status && crawl->started < crawl->pages.len && crawl->coming < WINDOW;
         crawl->started++) {
        uint32_t index = (uint32_t)crawl->started;
        bool known;
        th__fetch *fetch;
        th_error problem;
        status = recall(crawl, index, &known, err);
        if (status || known)
            continue;
        th_status added =
            th__fetcher_add(crawl->fetcher, crawl->pages.data[index].url, &fetch, &problem);
        if (added == TH_ERR_MEMORY) {
            status = th__fail_memory(err);
        } else if (added) {
            status = fail_page(crawl, &crawl->pages.data[index], problem.message, err);
        } else {
            th__fetch_set_tag(fetch, (void *)(uintptr_t)index);
            crawl->pages.data[index].state = PAGE_COMING;
            crawl->coming++;
        }
    }
    return status;
}

/* ---- a page of the project ------------------------------------------------------------------- */

typedef struct open_page {
    th_input *input;
    th_page *page;
} open_page;

static void close_page(open_page *open)
{
    th_page_free(open->page);
    th_input_free(open->input);
    *open = (open_page){0};
}

static th_status read_page(th_crawl *crawl, const crawl_page *page, open_page *out, th_error *err)
{
    th_page_source source;
    *out = (open_page){0};
    th_status status = th_project_page_input(crawl->project, page->id, &out->input, err);
    if (status == TH_DONE)
        status = th__fail(err, TH_ERR_IO, "%s: was removed from the project meanwhile", page->url);
    if (status)
        return status;
    th_input_source(out->input, &source);
    if (crawl->options.charset)
        source.charset = th_str_from(crawl->options.charset);
    status = th_parser_parse(crawl->parser, th_input_bytes(out->input), &source, &out->page, err);
    if (status)
        close_page(out);
    return status;
}

/* ---- the column of links --------------------------------------------------------------------- */

/* What the links of a column look like. */
typedef struct link_column {
    size_t filled, distinct, here, alike;
    double title; /* 0 to 1: how much their texts look like titles; 0.5 if they are not known */
} link_column;

/* The member of a record, or the record itself where it is not a tuple. */
static const th_value *member_of(const th_value *record, size_t index)
{
    if (th_value_get_kind(record) == TH_VALUE_TUPLE)
        return th_value_item(record, index);
    return index ? NULL : record;
}

static const th_type *column_of(const th_schema *schema, size_t index)
{
    const th_type *type = th__type_strip(th_schema_record_type(schema));
    if (type->kind != TH_TYPE_TUPLE)
        return index ? NULL : type;
    return index < type->count ? th__type_strip(type->children[index]) : NULL;
}

static bool is_on_web(th_str url)
{
    th_str host, path;
    return th__url_place(url, &host, &path);
}

/* Returns true if the ending of a URL is that of a file which is not a page. */
static bool is_file(th_str path)
{
    static const char *const endings[] = {".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".avif",
                                          ".pdf", ".zip",  ".mp3", ".mp4", ".css",  ".js"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (th__str_ends_nocase(path, th_str_from(endings[i])))
            return true;
    return false;
}

/* What two URLs of one kind of page share: how deep the path is, its first part and its ending, and
 * the name of the first parameter. */
static uint64_t kind_of_url(th_str url)
{
    th_str host, path;
    if (!th__url_place(url, &host, &path))
        return 0;
    uint64_t kind = 1, depth = 0;
    size_t first = path.len, dot = path.len;
    for (size_t i = 0; i < path.len; i++) {
        if (path.ptr[i] == '/') {
            if (++depth == 2)
                first = i;
            dot = path.len;
        } else if (path.ptr[i] == '.') {
            dot = i;
        }
    }
    if (depth > 1)
        kind = th__hash(path.ptr, first);
    kind = th__hash_mix(kind, depth);
    kind = th__hash_mix(kind, th__hash(path.ptr + dot, path.len - dot));
    const char *end = url.ptr + url.len, *query = memchr(url.ptr, '?', url.len);
    if (query) {
        size_t len = 0;
        while (query + 1 + len < end && query[1 + len] != '=' && query[1 + len] != '&')
            len++;
        kind = th__hash_mix(kind, th__hash(query + 1, len));
    }
    return kind;
}

static th_status look_at_column(const th_records *records, size_t column, th_str page,
                                link_column *out, th_error *err)
{
    th__intern seen, kinds;
    TH__VEC(size_t) counts = {0};
    bool ok = true;
    th__intern_init(&seen);
    th__intern_init(&kinds);
    *out = (link_column){0};
    for (size_t i = 0; ok && i < th_records_count(records); i++) {
        th_str url = th_value_text(member_of(th_records_get(records, i), column)), host, path;
        if (!url.ptr || !th__url_place(url, &host, &path) || is_file(path))
            continue;
        uint64_t kind = kind_of_url(url);
        th_str plain = without_fragment(url);
        out->filled++;
        out->here += same_host(page, url);
        ok = th__intern_add(&seen, plain) != TH__INTERN_NONE;
        uint32_t number = th__intern_add(&kinds, (th_str){(const char *)&kind, sizeof kind});
        ok = ok && number != TH__INTERN_NONE && (number < counts.len || th__vec_push(&counts, 0));
        if (ok && ++counts.data[number] > out->alike)
            out->alike = counts.data[number];
    }
    out->distinct = seen.len;
    th__vec_release(&counts);
    th__intern_release(&seen);
    th__intern_release(&kinds);
    return ok ? TH_OK : th__fail_memory(err);
}

/* The texts of a column's links are in the column that it is named after: title_url, title. A title
 * differs from record to record and is longer than the name of an author or of a button. */
static th_status look_at_texts(const th_records *records, const th_type *column, link_column *out,
                               th_error *err)
{
    enum { TITLE_LENGTH = 20 };
    static const th_str ending = {"_url", 4};
    const th_type *other = NULL;
    size_t k = 0, bytes = 0, filled = 0;
    th__intern seen;
    bool ok = true;
    out->title = 0.5;
    if (!th__str_ends_nocase(column->name, ending))
        return TH_OK;
    th_str name = {column->name.ptr, column->name.len - ending.len};
    while ((other = column_of(th_records_schema(records), k)) && !th__str_eq(other->name, name))
        k++;
    if (!other || other->kind != TH_TYPE_FIELD)
        return TH_OK;
    th__intern_init(&seen);
    for (size_t i = 0; ok && i < th_records_count(records); i++) {
        th_str text = th_value_text(member_of(th_records_get(records, i), k));
        filled += text.len > 0;
        bytes += text.len < TITLE_LENGTH ? text.len : TITLE_LENGTH;
        ok = !text.len || th__intern_add(&seen, text) != TH__INTERN_NONE;
    }
    if (filled)
        out->title =
            (double)bytes / (double)(filled * TITLE_LENGTH) * (double)seen.len / (double)filled;
    th__intern_release(&seen);
    return ok ? TH_OK : th__fail_memory(err);
}

/* How likely the links of a column lead to the detail pages: each record has a link of its own, to
 * this host, and all look like one kind of page. 0: not at all. */
static double worth_of(const link_column *column, size_t records)
{
    if (column->filled * 2 < records || !column->filled)
        return 0;
    double filled = (double)column->filled;
    double differ = (double)column->distinct / filled;
    return filled / (double)records * differ * differ *
           (0.25 + 0.75 * (double)column->here / filled) *
           (0.5 + 0.5 * (double)column->alike / filled) * (0.6 + 0.4 * column->title);
}

static th_status unknown_column(const th_crawl *crawl, const th_records *records, th_error *err)
{
    th__buf names = {0};
    const th_type *column;
    for (size_t k = 0; (column = column_of(th_records_schema(records), k)); k++)
        if (column->kind == TH_TYPE_FIELD &&
            (column->note == TH_NOTE_URL || th__str_ends_nocase(column->name, TH_STR("url"))))
            th__buf_printf(&names, "%s%.*s", names.len ? ", " : "", TH_STR_ARG(column->name));
    th__buf_add_byte(&names, '\0');
    th_status status =
        th__fail(err, TH_ERR_ARGUMENT, "the list has no column \"%s\" (columns with links: %s)",
                 crawl->options.link, names.failed || names.len < 2 ? "none" : names.data);
    th__buf_release(&names);
    return status;
}

/* Chooses the column of links by the records of a list page that has some. */
static th_status choose_link(th_crawl *crawl, const th_records *records, th_str page, th_error *err)
{
    const th_type *column;
    double best = 0;
    th_status status = TH_OK;
    for (size_t k = 0; !status && (column = column_of(th_records_schema(records), k)); k++) {
        link_column links;
        if (column->kind != TH_TYPE_FIELD)
            continue;
        if (crawl->options.link) {
            if (th__str_eq(column->name, th_str_from(crawl->options.link)))
                crawl->link = (uint32_t)k;
            continue;
        }
        status = look_at_column(records, k, page, &links, err);
        if (!status)
            status = look_at_texts(records, column, &links, err);
        double worth = status ? 0 : worth_of(&links, th_records_count(records));
        if (worth > best) {
            best = worth;
            crawl->link = (uint32_t)k;
        }
    }
    if (status)
        return status;
    if (crawl->link == NONE && crawl->options.link)
        return unknown_column(crawl, records, err);
    if (crawl->link == NONE)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "%.*s: no column of the list has a link of its own for each record: name "
                        "the column with --link, or read the list alone with `thresh extract`",
                        TH_STR_ARG(page));
    if (!crawl->options.link)
        tell(crawl, NULL, false, false, "detail pages: following the links of column %.*s",
             TH_STR_ARG(th_crawl_link(crawl)));
    return TH_OK;
}

/* ---- list pages ------------------------------------------------------------------------------ */

/* Adds the next page of a list page, if it has one that is not known. */
static th_status add_next(th_crawl *crawl, const crawl_page *from, const th_page *page,
                          th_error *err)
{
    uint32_t next;
    bool known;
    th_status status = th_next_find(page, crawl->list, &crawl->next, err);
    th_str url = {crawl->next.url.ptr, crawl->next.url.len};
    if (status || !url.len)
        return status;
    if (!crawl->options.other_hosts && !same_host(th_str_from(from->url), url)) {
        tell(crawl, from->url, false, false,
             "its next page %.*s is on another host: not followed (--other-hosts)",
             TH_STR_ARG(url));
        return TH_OK;
    }
    return add_page(crawl, url, true, &next, &known, err);
}

static th_status make_row(th_crawl *crawl, uint32_t list, uint32_t record, size_t *fresh,
                          th_error *err)
{
    const crawl_page *page = &crawl->pages.data[list];
    const th_value *value = member_of(th_records_get(page->records, record), crawl->link);
    th_str url = th_value_text(value);
    crawl_row row = {list, record, NONE};
    bool known = false;
    th_status status = TH_OK;
    uint64_t left = crawl->counts.left;
    if (url.ptr && is_on_web(url)) {
        if (!crawl->options.other_hosts && !same_host(th_str_from(page->url), url))
            crawl->counts.elsewhere++;
        else
            status = add_page(crawl, url, false, &row.detail, &known, err);
    }
    /* A record whose page is known already has been given or will be. */
    if (status || known || crawl->counts.left > left)
        return status;
    ++*fresh;
    return th__vec_push(&crawl->rows, row) ? TH_OK : th__fail_memory(err);
}

static void tell_elsewhere(th_crawl *crawl)
{
    if (crawl->counts.elsewhere && !crawl->told_other)
        tell(crawl, NULL, false, false,
             "links to other hosts are not followed: their records have the columns of the list "
             "alone (--other-hosts follows them)");
    crawl->told_other |= crawl->counts.elsewhere > 0;
}

static th_status make_rows(th_crawl *crawl, uint32_t list, const open_page *open, th_error *err)
{
    crawl_page *page = &crawl->pages.data[list];
    th_records_source source = {th_str_from(page->url), th_page_url(open->page)};
    size_t fresh = 0;
    th_status status = th_wrapper_extract(crawl->list, open->page, &source, &page->records, err);
    size_t count = status ? 0 : th_records_count(page->records);
    if (!status && count && crawl->link == NONE)
        status = choose_link(crawl, page->records, th_page_url(open->page), err);
    for (uint32_t i = 0; !status && i < count; i++)
        status = make_row(crawl, list, i, &fresh, err); /* pages move: page is not used again */
    if (status)
        return status;
    tell_elsewhere(crawl);
    page = &crawl->pages.data[list];
    if (!fresh)
        tell(crawl, page->url, false, count > 0, "%s",
             count ? "no new records: its next page is not followed"
                   : "no records: its next page is not followed");
    return fresh ? add_next(crawl, page, open->page, err) : TH_OK;
}

static void tell_arrival(th_crawl *crawl, const crawl_page *page, const th_page *parsed)
{
    th_arrival arrival = th_page_arrival(parsed, th_str_from(page->url));
    if (arrival != TH_ARRIVED)
        tell(crawl, page->url, false, false, "was redirected to %.*s%s",
             TH_STR_ARG(th_page_url(parsed)),
             arrival == TH_ARRIVED_LOGIN ? ", which looks like a login page"
                                         : ", which is on another host");
}

static bool is_settled(const crawl_page *page)
{
    return page->state >= PAGE_HERE;
}

/* Reads the lists that have come, in their order. */
static th_status read_lists(th_crawl *crawl, th_error *err)
{
    th_status status = TH_OK;
    while (!status && crawl->read < crawl->lists.len) {
        uint32_t list = crawl->lists.data[crawl->read];
        const crawl_page *page = &crawl->pages.data[list];
        open_page open;
        if (!is_settled(page))
            break;
        crawl->read++;
        if (page->state != PAGE_HERE)
            continue;
        status = read_page(crawl, page, &open, err);
        if (status)
            break;
        tell_arrival(crawl, page, open.page);
        status = make_rows(crawl, list, &open, err);
        close_page(&open);
    }
    return status;
}

/* ---- learning -------------------------------------------------------------------------------- */

static void tell_remarks(const th_crawl *crawl, const th_report *report)
{
    for (size_t i = 0; report && crawl->options.tell && i < th_report_remark_count(report); i++)
        crawl->options.tell(crawl->options.context, th_report_remark(report, i), false);
}

/* A wrapper that an earlier run learnt. */
static th_status find_wrapper(th_crawl *crawl, const char *name, th_wrapper **out, th_error *err)
{
    th_text text = {0};
    uint32_t version = 0;
    th_status status = th_project_wrapper_text(crawl->project, crawl->site, th_str_from(name), 0,
                                               &version, &text, err);
    if (!status)
        status = th_wrapper_read((th_str){text.ptr, text.len}, name, out, err);
    th_text_release(&text);
    return status;
}

static th_status learn(th_crawl *crawl, th_corpus *corpus, bool list, th_wrapper **out,
                       th_error *err)
{
    th_learn_options options;
    th_report *report = NULL;
    th_error problem;
    const char *name = list ? LIST_NAME : DETAIL_NAME, *what = list ? "list" : "detail";
    th_learn_options_init(&options);
    options.date = crawl->options.date;
    options.pick = list;
    options.tidy = true;
    options.one_record = !list;
    options.cancel = crawl->fetching.cancel;
    th_status status = th_learn(corpus, &options, out, &report, &problem);
    tell_remarks(crawl, report);
    if (status == TH_ERR_MEMORY || status == TH_ERR_CANCELLED)
        status = th__fail(err, status, "%s", problem.message);
    else if (status)
        status = th__fail(err, status,
                          "cannot learn the %s pages from %.*s: %s; give a wrapper "
                          "with --%s",
                          what, TH_STR_ARG(th_corpus_name(corpus, 0)), problem.message, what);
    else {
        const th_lesson *lesson = th_report_lesson(report, 0);
        tell(crawl, NULL, false, false, "%s pages: learnt from %zu record%s on %zu page%s", what,
             lesson->records, lesson->records == 1 ? "" : "s", lesson->pages,
             lesson->pages == 1 ? "" : "s");
        /* A wrapper learnt from the few pages of a trial is not stored: the next run learns from
         * more. */
        if (crawl->options.project && !crawl->counts.left)
            status = th_project_add_wrapper(crawl->project, crawl->site, th_str_from(name), *out,
                                            NULL, err);
    }
    th_report_free(report);
    return status;
}

static th_status add_to_corpus(th_crawl *crawl, const crawl_page *page, th_corpus *corpus,
                               th_error *err)
{
    open_page open;
    th_status status = read_page(crawl, page, &open, err);
    if (status)
        return status;
    th_records_source source = {th_str_from(page->url), th_page_url(open.page)};
    status = th_corpus_add(corpus, open.page, &source, err);
    close_page(&open);
    return status;
}

/* Looks at lists before their wrapper is known, for the next ones to learn from. */
static th_status look_at_lists(th_crawl *crawl, th_error *err)
{
    th_status status = TH_OK;
    while (!status && crawl->looked_at < crawl->lists.len) {
        const crawl_page *page = &crawl->pages.data[crawl->lists.data[crawl->looked_at]];
        open_page open;
        if (!is_settled(page))
            break;
        crawl->looked_at++;
        if (page->state != PAGE_HERE || crawl->lists.len >= LEARN_LISTS)
            continue;
        status = read_page(crawl, page, &open, err);
        if (!status)
            status = add_next(crawl, page, open.page, err);
        close_page(&open);
    }
    return status;
}

/* Learns from the lists that were looked at, once all of them are here. */
static th_status learn_lists(th_crawl *crawl, th_error *err)
{
    th_corpus *corpus = NULL;
    size_t count = 0;
    th_status status = look_at_lists(crawl, err);
    if (status || crawl->looked_at < crawl->lists.len)
        return status;
    status = th_corpus_new(&corpus, err);
    for (size_t i = 0; !status && i < crawl->lists.len && count < LEARN_LISTS; i++) {
        const crawl_page *page = &crawl->pages.data[crawl->lists.data[i]];
        if (page->state == PAGE_HERE) {
            status = add_to_corpus(crawl, page, corpus, err);
            count++;
        }
    }
    if (!status && !count)
        status = th__fail(err, TH_ERR_NETWORK, "no list page could be fetched");
    if (!status)
        status = learn(crawl, corpus, true, &crawl->own_list, err);
    crawl->list = crawl->own_list;
    th_corpus_free(corpus);
    return status;
}

/* Returns true if nothing more will come. */
static bool is_over(const th_crawl *crawl)
{
    return !crawl->coming && crawl->started == crawl->pages.len && crawl->list &&
           crawl->read == crawl->lists.len;
}

/* Learns from the detail pages of the first rows, once enough of them are here or there will be no
 * more. */
static th_status learn_details(th_crawl *crawl, th_error *err)
{
    uint32_t pages[LEARN_DETAILS];
    size_t count = 0;
    for (size_t i = 0; i < crawl->rows.len && count < LEARN_DETAILS; i++) {
        uint32_t detail = crawl->rows.data[i].detail;
        if (detail == NONE)
            continue;
        if (!is_settled(&crawl->pages.data[detail]))
            break;
        if (crawl->pages.data[detail].state == PAGE_HERE)
            pages[count++] = detail;
    }
    if (count < LEARN_DETAILS && !is_over(crawl))
        return TH_OK;
    if (!count)
        return crawl->rows.len ? th__fail(err, TH_ERR_NETWORK,
                                          "no detail page could be fetched to learn from; give a "
                                          "wrapper with --detail")
                               : TH_OK;
    th_corpus *corpus = NULL;
    th_status status = th_corpus_new(&corpus, err);
    for (size_t i = 0; !status && i < count; i++)
        status = add_to_corpus(crawl, &crawl->pages.data[pages[i]], corpus, err);
    if (!status)
        status = learn(crawl, corpus, false, &crawl->own_detail, err);
    crawl->detail = crawl->own_detail;
    th_corpus_free(corpus);
    return status;
}

/* ---- records --------------------------------------------------------------------------------- */

static th_status make_schema(th_crawl *crawl, th_error *err)
{
    const th_schema *list = th_wrapper_schema(crawl->list);
    while (column_of(list, crawl->detail_at))
        crawl->detail_at++;
    return th__schema_pair(list, th_wrapper_schema(crawl->detail), DETAIL_PREFIX, &crawl->schema,
                           err);
}

/* Copies the members of a record, or a value that is not a tuple, to those from `at` on. */
static void copy_members(th_records *to, th_value *record, size_t at, const th_value *from,
                         bool places)
{
    th__copying copying = {.to = to, .places = places};
    bool tuple = th_value_get_kind(from) == TH_VALUE_TUPLE;
    for (size_t i = 0; i < (tuple ? th_value_count(from) : from != NULL); i++)
        th__value_copy(&copying, th_value_slot(record, at + i),
                       tuple ? th_value_item(from, i) : from);
}

/* The records of a row: with its detail page, or of the list alone if that could not be read. */
static th_status make_records(th_crawl *crawl, const crawl_row *row, th_records **out,
                              th_error *err)
{
    const crawl_page *list = &crawl->pages.data[row->list], *page = list;
    const th_value *left = th_records_get(list->records, row->record);
    th_records *details = NULL;
    open_page open = {0};
    th_status status = TH_OK;
    if (row->detail != NONE && crawl->pages.data[row->detail].state == PAGE_HERE) {
        page = &crawl->pages.data[row->detail];
        status = read_page(crawl, page, &open, err);
        if (!status)
            status = th_wrapper_extract(crawl->detail, open.page, NULL, &details, err);
    } else if (row->detail != NONE) {
        page = &crawl->pages.data[row->detail];
    }
    size_t count = details ? th_records_count(details) : 0;
    th_records_source source = {th_str_from(page->url),
                                open.page ? th_page_url(open.page) : th_str_from(page->url)};
    if (!status)
        status = th_records_new(crawl->schema, &source, out, err);
    const char *missing = details && !count ? "no record on the detail page"
                          : page->state == PAGE_MOVED
                              ? "is redirected to a list page, or in a circle"
                              : NULL;
    if (!status && missing) {
        tell(crawl, page->url, true, false, "%s", missing);
        crawl->counts.failed++;
        if (!count_reason(crawl, th_str_from(missing)))
            status = th__fail_memory(err);
    }
    for (size_t i = 0; !status && (i < count || !i); i++) {
        th_value *record = th_records_add(*out);
        if (!record)
            break;
        copy_members(*out, record, 0, left, false); /* of another page: without places */
        copy_members(*out, record, crawl->detail_at, count ? th_records_get(details, i) : NULL,
                     true);
    }
    if (!status)
        status = th_records_status(*out, err);
    if (!status) {
        crawl->counts.records += th_records_count(*out);
    } else {
        th_records_free(*out);
        *out = NULL;
    }
    th_records_free(details);
    close_page(&open);
    return status;
}

/* The page that a page was redirected to in the end. One that goes round in circles, or to a list,
 * is itself. */
static uint32_t end_of(const th_crawl *crawl, uint32_t page)
{
    uint32_t at = page;
    for (uint32_t i = 0; i < crawl->fetching.max_redirects + 1; i++) {
        const crawl_page *here = &crawl->pages.data[at];
        uint32_t next = here->state == PAGE_MOVED && here->moved_to != NONE
                            ? crawl->owner.data[here->moved_to]
                            : NONE;
        if (next == NONE || next == at)
            return at;
        at = next;
        if (crawl->pages.data[at].list)
            break;
    }
    return page;
}

static bool is_ready(const th_crawl *crawl, const crawl_row *row)
{
    return row->detail == NONE || is_settled(&crawl->pages.data[end_of(crawl, row->detail)]);
}

/* The next row that is ready, as records: TH_DONE if it is not. */
static th_status give_row(th_crawl *crawl, th_records **out, th_error *err)
{
    while (crawl->detail && crawl->given < crawl->rows.len) {
        crawl_row row = crawl->rows.data[crawl->given];
        bool last = crawl->given + 1 == crawl->rows.len ||
                    crawl->rows.data[crawl->given + 1].list != row.list;
        bool repeat = false;
        th_status status = crawl->schema ? TH_OK : make_schema(crawl, err);
        if (!is_ready(crawl, &row))
            return status ? status : TH_DONE;
        /* Two rows may lead to one page: the first gives the record. */
        if (row.detail != NONE) {
            row.detail = end_of(crawl, row.detail);
            repeat = crawl->pages.data[row.detail].given;
            crawl->pages.data[row.detail].given = true;
        }
        if (!status && !repeat)
            status = make_records(crawl, &row, out, err);
        crawl->given++;
        if (last) {
            th_records_free(crawl->pages.data[row.list].records);
            crawl->pages.data[row.list].records = NULL;
        }
        if (status || !repeat)
            return status;
    }
    return TH_DONE;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Does what can be done without waiting; TH_DONE when all is done. */
static th_status go_on(th_crawl *crawl, th_error *err)
{
    size_t lists;
    th_status status;
    do { /* what comes from the project needs no waiting, and lists bring pages */
        lists = crawl->read;
        status = start_pages(crawl, err);
        if (!status && !crawl->list)
            status = learn_lists(crawl, err);
        if (!status && crawl->list)
            status = read_lists(crawl, err);
    } while (!status && (crawl->read > lists ||
                         (crawl->started < crawl->pages.len && crawl->coming < WINDOW)));
    if (!status && !crawl->detail)
        status = learn_details(crawl, err);
    return status;
}

th_status th_crawl_next(th_crawl *crawl, th_records **out, th_error *err)
{
    *out = NULL;
    for (;;) {
        th__fetch *fetch;
        th_status status = give_row(crawl, out, err);
        if (status != TH_DONE)
            return status;
        status = th__cancel_check(&crawl->fetching.cancel, err);
        if (!status)
            status = go_on(crawl, err);
        if (status)
            return status;
        bool ready = crawl->detail && crawl->given < crawl->rows.len &&
                     is_ready(crawl, &crawl->rows.data[crawl->given]);
        if (ready)
            continue;
        if (is_over(crawl)) {
            tell_counts(crawl);
            return TH_DONE;
        }
        status = th__fetcher_take_any(crawl->fetcher, &fetch, err);
        if (status == TH_DONE)
            return th__fail(err, TH_ERR_ARGUMENT, "the crawl cannot go on"); /* a bug of ours */
        if (status)
            return status;
        status = take(crawl, fetch, err);
        th__fetch_free(fetch);
        if (status)
            return status;
    }
}

static th_status set_up(th_crawl *crawl, const th_crawl_options *given, th_error *err)
{
    th_crawl_options *options = &crawl->options;
    *options = crawl_defaults;
    th__options_take(options, sizeof *options, given);
    if (!options->max_pages || options->max_pages >= NONE)
        options->max_pages = NONE - 1;
    th_str site = th_str_from(options->site ? options->site : "default");
    crawl->site = th__arena_copy(&crawl->arena, site);
    if (options->link)
        options->link = th__arena_copy(&crawl->arena, th_str_from(options->link)).ptr;
    if (options->charset)
        options->charset = th__arena_copy(&crawl->arena, th_str_from(options->charset)).ptr;
    if (options->date)
        options->date = th__arena_copy(&crawl->arena, th_str_from(options->date)).ptr;
    if (!crawl->site.ptr)
        return th__fail_memory(err);
    th_feed_options_init(&crawl->fetching);
    if (options->fetch)
        th__options_take(&crawl->fetching, sizeof crawl->fetching, options->fetch);
    th_status status = th_parser_new(options->parse, &crawl->parser, err);
    if (!status && !options->project)
        status = th_project_open(NULL, TH_PROJECT_NEW, &crawl->own_project, err);
    crawl->project = options->project ? options->project : crawl->own_project;
    if (!status && options->again)
        status =
            th__project_do(crawl->project, err,
                           "DELETE FROM visit WHERE site = (SELECT id FROM site WHERE name = ?)",
                           "t", crawl->site);
    crawl->list = options->list;
    crawl->detail = options->detail;
    if (!status && !crawl->list)
        status = find_wrapper(crawl, LIST_NAME, &crawl->own_list, err);
    if ((!status || status == TH_DONE) && !crawl->detail)
        status = find_wrapper(crawl, DETAIL_NAME, &crawl->own_detail, err);
    if (!crawl->list)
        crawl->list = crawl->own_list;
    if (!crawl->detail)
        crawl->detail = crawl->own_detail;
    if (!status || status == TH_DONE)
        status = th_feed_new(NULL, 0, options->fetch, &crawl->feed, err);
    if (!status)
        status = th__feed_fetcher(crawl->feed, &crawl->fetcher, err);
    if (!status)
        th__fetcher_ask_redirects(crawl->fetcher, may_follow, crawl);
    return status;
}

th_status th_crawl_new(const char *const *urls, size_t count, const th_crawl_options *options,
                       th_crawl **out, th_error *err)
{
    th_crawl *crawl = TH__NEW(th_crawl);
    *out = NULL;
    if (!crawl)
        return th__fail_memory(err);
    th__arena_init(&crawl->arena);
    th__intern_init(&crawl->addresses);
    crawl->link = NONE;
    th_status status = set_up(crawl, options, err);
    for (size_t i = 0; !status && i < count; i++) {
        uint32_t page;
        bool known;
        if (!is_on_web(th_str_from(urls[i])))
            status = th__fail(err, TH_ERR_ARGUMENT,
                              "%.300s: a crawl begins at an http or https URL", urls[i]);
        else
            status = add_page(crawl, th_str_from(urls[i]), true, &page, &known, err);
    }
    if (!status && !count)
        status = th__fail(err, TH_ERR_ARGUMENT, "a crawl needs the URL of a list page");
    if (status)
        th_crawl_free(crawl);
    else
        *out = crawl;
    return status;
}

void th_crawl_free(th_crawl *crawl)
{
    if (!crawl)
        return;
    th_feed_free(crawl->feed);
    for (size_t i = 0; i < crawl->pages.len; i++) {
        th__mem_free(crawl->pages.data[i].url);
        th_records_free(crawl->pages.data[i].records);
    }
    th__vec_release(&crawl->pages);
    th__vec_release(&crawl->lists);
    th__vec_release(&crawl->rows);
    th__vec_release(&crawl->owner);
    th__vec_release(&crawl->reasons);
    th__intern_release(&crawl->addresses);
    th_wrapper_free(crawl->own_list);
    th_wrapper_free(crawl->own_detail);
    th_schema_free(crawl->schema);
    th_next_release(&crawl->next);
    th_parser_free(crawl->parser);
    th_project_free(crawl->own_project);
    th__arena_release(&crawl->arena);
    th__mem_free(crawl);
}

void th_crawl_count(const th_crawl *crawl, th_crawl_counts *out)
{
    *out = crawl->counts;
}

bool th_crawl_failure(const th_crawl *crawl, size_t index, th_str *reason, uint64_t *pages)
{
    if (index >= crawl->reasons.len)
        return false;
    *reason = crawl->reasons.data[index].text;
    *pages = crawl->reasons.data[index].pages;
    return true;
}

const th_wrapper *th_crawl_list_wrapper(const th_crawl *crawl)
{
    return crawl->list;
}

const th_wrapper *th_crawl_detail_wrapper(const th_crawl *crawl)
{
    return crawl->detail;
}

th_str th_crawl_link(const th_crawl *crawl)
{
    const th_type *column =
        crawl->list ? column_of(th_wrapper_schema(crawl->list), crawl->link) : NULL;
    return column ? th_type_name(column) : (th_str){0};
}
