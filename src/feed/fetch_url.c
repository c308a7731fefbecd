/* fetch_url.c: the parts of a URL that is to be fetched, as libcurl splits it. */
#include "feed/fetch_url.h"

#include <curl/curl.h>

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
    CURLU *handle = curl_url();
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
