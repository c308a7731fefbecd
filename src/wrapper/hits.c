/* hits.c: what of a page a wrapper's rules go by. */
#include "wrapper/hits.h"

#include "base/mem.h"
#include "page/page.h"

void th_hits_free(th_hits *hits)
{
    if (!hits)
        return;
    th__vec_release(&hits->items);
    th__arena_release(&hits->arena);
    th__mem_free(hits);
}

static th_str keep(th_hits *hits, th_str text)
{
    if (!text.ptr)
        return text;
    th_str copy = th__arena_copy(&hits->arena, text);
    hits->failed |= !copy.ptr;
    return copy;
}

void th__hits_add(th_hits *hits, th_span span, th_str field, const char *part, th_str rule)
{
    if (span.end <= span.start || hits->failed || hits->items.len >= TH__HITS_MOST)
        return;
    th_hit hit = {span, keep(hits, field), part, keep(hits, rule)};
    hits->failed |= !th__vec_push(&hits->items, hit);
}

void th__hits_add_tag(th_hits *hits, const th_page *page, uint32_t node, th_str field,
                      const char *part, th_str rule)
{
    if (node)
        th__hits_add(hits, th_page_token_span(page, page->nodes[node].token), field, part, rule);
}

size_t th_hits_count(const th_hits *hits)
{
    return hits->items.len;
}

const th_hit *th_hits_get(const th_hits *hits, size_t index)
{
    return index < hits->items.len ? &hits->items.data[index] : NULL;
}
