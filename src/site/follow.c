/*
 * follow.c: a feed in which each URL is followed by its next pages.
 *
 *     inner feed ──▶ first page ──next link──▶ page ──▶ page ──▶ ... one of the reasons to end
 *
 * Every page of a chain is looked at here, before it is given: a wrapper (the caller's, or one that
 * was learnt from the first page) must find records on it, of which one at least is new.
 */
#include <stdio.h>

#include "base/error.h"
#include "base/key_map.h"
#include "base/mem.h"
#include "base/str.h"
#include "feed/feed.h"
#include "feed/fetch.h"

typedef struct follow {
    th_follow_options options;
    th_feed *inner;
    th_cancel cancel;
    th_parser *parser;
    size_t unfetched; /* pages that are not followed */

    /* The chain. */
    char *start;        /* its first URL; NULL: there is no chain */
    size_t pages;       /* that were given */
    th_wrapper *learnt; /* or NULL */
    th__key_map urls;   /* that were read, by hash */
    th__key_map records;
    th_next next; /* the page to come */
} follow;

static void end_chain(follow *f, th_follow_end end, const char *why)
{
    if (f->start && f->options.end)
        *f->options.end = end;
    if (f->start && f->options.ended)
        f->options.ended(f->options.context, th_str_from(f->start), f->pages, th_str_from(why));
    th__mem_free(f->start);
    f->start = NULL;
    f->pages = 0;
    th_wrapper_free(f->learnt);
    f->learnt = NULL;
    th__key_map_clear(&f->urls);
    th__key_map_clear(&f->records);
    f->next.url.len = 0;
}

/* The same for a reason with a URL in it. */
static void end_chain_at(follow *f, th_follow_end end, const char *before, th_str url,
                         const char *after)
{
    char why[1200];
    snprintf(why, sizeof why, "%s%.*s%s", before, url.len > 1000 ? 1000 : (int)url.len, url.ptr,
             after);
    end_chain(f, end, why);
}

/* Returns true for errors that are not about the page. */
static bool is_final(th_status status)
{
    return status == TH_ERR_MEMORY || status == TH_ERR_CANCELLED;
}

/* ---- records ---- */

/* Mixes the visible texts of a value into a hash. URLs are left out: they may contain a number of
 * the visit. */
static uint64_t hash_value(const th_value *value, uint64_t hash)
{
    th_str text = th_value_text(value);
    th_note note = th_type_note(th_value_type(value));
    if (text.len && note != TH_NOTE_URL && note != TH_NOTE_IMAGE)
        hash = th__hash_mix(hash, th__hash(text.ptr, text.len));
    for (size_t i = 0; i < th_value_count(value); i++)
        hash = hash_value(th_value_item(value, i), hash + i + 1);
    return hash;
}

/* Counts the records of a page and those that no page before had. */
static bool count_records(follow *f, const th_records *records, size_t *fresh)
{
    *fresh = 0;
    for (size_t i = 0; i < th_records_count(records); i++) {
        uint64_t hash = hash_value(th_records_get(records, i), 1);
        *fresh += !th__key_map_get(&f->records, hash);
        if (!th__key_map_put(&f->records, hash, 1))
            return false;
    }
    return true;
}

/* Learns the list of the first page. A page without one is not an error: there is no wrapper. */
static th_status learn_list(follow *f, const th_page *page, th_error *err)
{
    th_corpus *corpus = NULL;
    th_learn_options options;
    th_learn_options_init(&options);
    options.no_profile = true;
    options.cancel = f->cancel;
    th_status status = th_corpus_new(&corpus, err);
    if (!status)
        status = th_corpus_add(corpus, page, NULL, err);
    if (!status)
        status = th_learn(corpus, &options, &f->learnt, NULL, err);
    th_corpus_free(corpus);
    return is_final(status) ? status : TH_OK;
}

/* ---- pages ---- */

/* The hash of a URL without its fragment. */
static uint64_t hash_url(th_str url)
{
    th_str plain = th__str_take(&url, '#');
    return th__hash(plain.ptr, plain.len);
}

static bool keep_url(follow *f, th_str url)
{
    return !url.len || th__key_map_put(&f->urls, hash_url(url), 1);
}

/* Looks for the page after this one, and ends the chain where there is none. */
static th_status find_next(follow *f, const th_page *page, const th_wrapper *wrapper, th_error *err)
{
    th_status status = th_next_find(page, wrapper, &f->next, err);
    if (status)
        return status;
    th_str url = {f->next.url.ptr, f->next.url.len};
    if (!url.len)
        end_chain(f, TH_FOLLOW_NO_LINK, "no link to a next page");
    else if (th__key_map_get(&f->urls, hash_url(url)))
        end_chain_at(f, TH_FOLLOW_REPEAT, "the next link leads back to ", url,
                     ", which was read already");
    else if (f->pages >= f->options.pages)
        end_chain_at(f, TH_FOLLOW_LIMIT, "the limit is reached; the next one is ", url, "");
    return TH_OK;
}

/* Looks at a page of the chain. *good is false, and the chain has ended, if it does not belong to
 * it. */
static th_status look(follow *f, const th_input *input, bool *good, th_error *err)
{
    th_page_source source;
    th_page *page = NULL;
    th_records *records = NULL;
    bool first = f->pages == 0;
    th_input_source(input, &source);
    th_status status = th_parser_parse(f->parser, th_input_bytes(input), &source, &page, err);
    if (!status && first && !f->options.wrapper)
        status = learn_list(f, page, err);
    const th_wrapper *wrapper = f->options.wrapper ? f->options.wrapper : f->learnt;
    if (!status && wrapper)
        status = th_wrapper_extract(wrapper, page, NULL, &records, err);
    size_t fresh = 0;
    if (!status && (!keep_url(f, th_input_name(input)) || !keep_url(f, th_input_url(input)) ||
                    (records && !count_records(f, records, &fresh))))
        status = th__fail_memory(err);
    if (!status) {
        size_t count = records ? th_records_count(records) : 0;
        *good = first || fresh;
        f->pages += *good;
        if (!count && first)
            end_chain(f, TH_FOLLOW_NO_LIST,
                      wrapper == f->options.wrapper && wrapper ? "no records on the page"
                                                               : "no list on the page");
        else if (!*good)
            end_chain_at(f, TH_FOLLOW_NOTHING_NEW, "", th_input_name(input),
                         count ? " has no new records" : " has no records like them");
        else
            status = find_next(f, page, wrapper, err);
    }
    th_records_free(records);
    th_page_free(page);
    return status;
}

/* The next page of the chain; *out is NULL if there is none. */
static th_status fetch_next(follow *f, th_input **out, th_error *err)
{
    th__fetch *fetch;
    bool good = false, sure = f->next.sure;
    th_error problem = {0};
    f->next.url.ptr[strcspn(f->next.url.ptr, "#")] = '\0';
    th__fetcher *fetcher;
    th_status status = th__feed_fetcher(f->inner, &fetcher, &problem);
    if (!status)
        status = th__fetcher_add(fetcher, f->next.url.ptr, &fetch, &problem);
    if (!status)
        status = th__fetcher_take(fetcher, fetch, out, &problem);
    if (status) {
        if (err)
            *err = problem;
        if (is_final(status))
            return status;
        /* A guess that leads nowhere is not an error. */
        end_chain(f, TH_FOLLOW_FAILED, sure ? "the next page could not be read" : problem.message);
        return sure ? status : TH_OK;
    }
    if (th__key_map_get(&f->urls, hash_url(th_input_url(*out))))
        end_chain_at(f, TH_FOLLOW_REPEAT, "the next page is ", th_input_url(*out),
                     ", which was read already");
    else
        status = look(f, *out, &good, err);
    if (!good) {
        th_input_free(*out);
        *out = NULL;
    }
    return status;
}

/* Returns true if a page was fetched, and not read from a file or an archive. */
static bool is_fetched(const th_input *input)
{
    return th_input_url(input).len && th__str_eq(th_input_name(input), th_input_origin(input));
}

static th_status begin_chain(follow *f, const th_input *input, th_error *err)
{
    bool good;
    th_str name = th_input_name(input);
    f->start = th__mem_copy(name.ptr, name.len);
    if (!f->start)
        return th__fail_memory(err);
    th_error problem = {0};
    th_status status = look(f, input, &good, &problem);
    if (!status || is_final(status)) {
        if (status && err)
            *err = problem;
        return status;
    }
    end_chain(f, TH_FOLLOW_FAILED,
              problem.message); /* the page is given anyway: whoever reads it reports the error */
    return TH_OK;
}

static th_status follow_next(void *context, th_input **out, th_error *err)
{
    follow *f = context;
    th_status status = TH_OK;
    *out = NULL;
    while (!status && !*out && f->start)
        status = fetch_next(f, out, err);
    if (status || *out)
        return status;
    status = th_feed_next(f->inner, out, err);
    if (status == TH_DONE && f->unfetched && f->options.end)
        *f->options.end = TH_FOLLOW_NOT_FETCHED;
    if (status == TH_DONE && f->unfetched && f->options.ended)
        f->options.ended(f->options.context, (th_str){0}, f->unfetched,
                         TH_STR("only URLs are followed"));
    if (status == TH_DONE)
        f->unfetched = 0;
    if (status)
        return status;
    if (is_fetched(*out))
        status = begin_chain(f, *out, err);
    else
        f->unfetched++;
    if (status) {
        th_input_free(*out);
        *out = NULL;
    }
    return status;
}

static void follow_release(void *context)
{
    follow *f = context;
    f->options.ended = NULL;
    f->options.end = NULL;
    end_chain(f, TH_FOLLOW_FAILED, "");
    th__key_map_release(&f->urls);
    th__key_map_release(&f->records);
    th_next_release(&f->next);
    th_parser_free(f->parser);
    th_feed_free(f->inner);
    th__mem_free(f);
}

const char *th_follow_end_name(th_follow_end end)
{
    static const char *const names[] = {"limit",   "no-link", "repeat",     "nothing-new",
                                        "no-list", "failed",  "not-fetched"};
    return (size_t)end < sizeof names / sizeof *names ? names[end] : "unknown";
}

void th_follow_options_defaults(th_follow_options *options, size_t size)
{
    th_follow_options defaults = {.size = sizeof defaults, .pages = 10};
    th__options_give(options, size, &defaults, sizeof defaults);
}

th_status th_feed_follow(const char *const *inputs, size_t count, const th_feed_options *options,
                         const th_follow_options *following, th_feed **out, th_error *err)
{
    *out = NULL;
    follow *f = TH__NEW(follow);
    if (!f)
        return th__fail_memory(err);
    th_follow_options_init(&f->options);
    if (following)
        th__options_take(&f->options, sizeof f->options, following);
    th_feed_options given;
    th_feed_options_init(&given);
    if (options)
        th__options_take(&given, sizeof given, options);
    f->cancel = given.cancel;
    th_parser_options parsing;
    th_parser_options_init(&parsing);
    th_status status = th_feed_new(inputs, count, options, &f->inner, err);
    if (!status)
        status = th_parser_new(&parsing, &f->parser, err);
    if (status) {
        follow_release(f);
        return status;
    }
    return th_feed_from(&(th_feed_source){follow_next, follow_release, f}, out, err);
}
