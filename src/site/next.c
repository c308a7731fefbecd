/* next.c: the link to the next page. */
#include <thresh.h>

#include "base/error.h"
#include "base/str.h"
#include "page/page.h"
#include "page/tags.h"

static bool says_next(th_str rel)
{
    size_t at = 0;
    for (th_str word; (word = th__str_word(rel, &at)).len;)
        if (th__str_eq_nocase(word, TH_STR("next")))
            return true;
    return false;
}

th_status th_next_find(const th_page *page, const th_wrapper *wrapper, th_next *out, th_error *err)
{
    th_str rel, href;
    out->url.len = out->href.len = out->why.len = 0;
    out->node = 0;
    out->confidence = 0;
    out->by_rule = false;
    for (uint32_t n = 1; n < page->node_count; n++) {
        uint32_t token = page->nodes[n].token;
        if ((page->tags[n] != TH_TAG_A && page->tags[n] != TH_TAG_LINK) ||
            !th_attr_get(page, token, "rel", &rel) || !says_next(rel) ||
            !th_attr_get(page, token, "href", &href))
            continue;
        th_status status = th_attr_text(href, &out->href, err);
        if (!status)
            status = th_page_resolve(page, (th_str){out->href.ptr, out->href.len}, &out->url, err);
        if (!status)
            status = th_attr_text(TH_STR("rel=next"), &out->why, err);
        out->node = n;
        out->confidence = 1;
        return status;
    }
    return th_attr_text(TH_STR("no link looks like one to the next page"), &out->why, err);
}

void th_next_release(th_next *next)
{
    th_text_release(&next->url);
    th_text_release(&next->href);
    th_text_release(&next->why);
    *next = (th_next){0};
}
