/* fetch_none.c: what fetch.h gives in a build without libcurl: a message. */
#include "feed/fetch.h"

#include "base/error.h"

th_status th__fetcher_new(const th_feed_options *options, th__fetcher **out, th_error *err)
{
    *out = NULL;
    return th__fail(err, TH_ERR_ARGUMENT,
                    "cannot fetch pages: this library was built without libcurl. Fetch them with "
                    "another program and give their files or bytes");
}

/* There is never a fetcher, so the rest is never called with one. */
void th__fetcher_free(th__fetcher *fetcher)
{
}

th_status th__fetcher_add(th__fetcher *fetcher, const char *url, th__fetch **out, th_error *err)
{
    return th__fail(err, TH_ERR_ARGUMENT, "cannot fetch %s", url);
}

th_status th__fetcher_render(th__fetcher *fetcher, th_input **input, th_error *err)
{
    return th__fail(err, TH_ERR_ARGUMENT, "cannot render pages");
}

void th__fetcher_poke(th__fetcher *fetcher)
{
}

th_status th__fetcher_take(th__fetcher *fetcher, th__fetch *fetch, th_input **out, th_error *err)
{
    return th__fail(err, TH_ERR_ARGUMENT, "nothing is being fetched");
}

th_status th__fetcher_take_any(th__fetcher *fetcher, th__fetch **out, th_error *err)
{
    return TH_DONE;
}

void th__fetcher_ask_redirects(th__fetcher *fetcher,
                               bool (*follow)(void *context, const th__fetch *fetch,
                                              const char *url),
                               void *context)
{
}

th_status th__fetch_page(th__fetch *fetch, th_input **out, th_error *err)
{
    return th__fail(err, TH_ERR_ARGUMENT, "nothing is being fetched");
}

void th__fetch_free(th__fetch *fetch)
{
}

void th__fetch_set_tag(th__fetch *fetch, void *tag)
{
}

void *th__fetch_tag(const th__fetch *fetch)
{
    return NULL;
}

void th__fetch_exchange(const th__fetch *fetch, th__exchange *out)
{
    *out = (th__exchange){.url = "", .address = ""};
}

bool th_can_render(void)
{
    return false;
}

th_status th_post_json(const char *url, th_str json, const th_feed_options *options, th_error *err)
{
    return th__fail(err, TH_ERR_ARGUMENT,
                    "cannot post to a URL: this library was built without libcurl");
}
