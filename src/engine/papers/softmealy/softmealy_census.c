/* softmealy_census.c: what is data, and what is template. */
#include "engine/papers/softmealy/softmealy_census.h"

#include "base/mem.h"
#include "page/lex.h"

struct th__sm_seen {
    uint64_t key; /* 0: free */
    uint32_t page, pages, times;
};

static struct th__sm_seen *census_slot(const th__sm_census *c, uint64_t key)
{
    size_t at = key & c->mask;
    while (c->slots[at].key && c->slots[at].key != key)
        at = (at + 1) & c->mask;
    return &c->slots[at];
}

static bool census_add(th__sm_census *c, uint64_t key)
{
    if (!c->slots || (c->len + 1) * 2 > c->mask) {
        th__sm_census grown = {.mask = c->slots ? c->mask * 2 + 1 : 1023};
        grown.slots = th__mem_zero(grown.mask + 1, sizeof *grown.slots);
        if (!grown.slots)
            return false;
        for (size_t i = 0; c->slots && i <= c->mask; i++)
            if (c->slots[i].key)
                *census_slot(&grown, c->slots[i].key) = c->slots[i];
        grown.len = c->len;
        th__mem_free(c->slots);
        *c = grown;
    }
    struct th__sm_seen *slot = census_slot(c, key);
    if (!slot->key) {
        *slot = (struct th__sm_seen){.key = key, .page = UINT32_MAX};
        c->len++;
    }
    return true;
}

static void census_see(const th__sm_census *c, uint64_t key, uint32_t page)
{
    struct th__sm_seen *slot = census_slot(c, key);
    if (!slot->key)
        return;
    slot->times++;
    slot->pages += slot->page != page;
    slot->page = page;
}

static uint64_t text_key(th_str text)
{
    return th__hash(text.ptr, text.len) | 1;
}

static uint64_t mark_key(uint16_t tag, th_str value)
{
    return th__hash_mix(th__hash(value.ptr, value.len), tag) | 1;
}

bool th__sm_census_ask(th__sm_census *c, const th__sm_samples *s, const th__sm_separator *sep,
                       uint32_t reach)
{
    const th__sm_page *page = &s->pages[sep->page];
    for (int left = 0; left < 2; left++)
        for (uint32_t i = 0; i < th__sm_beside(s, sep, left, reach); i++) {
            const th__sm_token *token = &page->tokens.data[th__sm_beside_token(sep, left, i)];
            th_attr attr;
            if (token->cls == TH_CLASS_TAG_START) {
                for (th_attr_iter it = th_attrs(page->page, token->coarse);
                     th_attr_next(&it, &attr);)
                    if (attr.value.ptr && !census_add(c, mark_key(token->tag, attr.value)))
                        return false;
            } else if (!token->tag) {
                th_str text = th__page_slice(page->page, token->start, token->end);
                if (!census_add(c, text_key(text)))
                    return false;
            }
        }
    return true;
}

void th__sm_census_take(const th__sm_census *c, const th__sm_samples *s)
{
    for (uint32_t p = 0; c->slots && p < s->page_count; p++) {
        const th__sm_page *page = &s->pages[p];
        for (size_t i = 0; i < page->tokens.len; i++) {
            const th__sm_token *token = &page->tokens.data[i];
            th_attr attr;
            if (token->cls == TH_CLASS_TAG_START) {
                for (th_attr_iter it = th_attrs(page->page, token->coarse);
                     th_attr_next(&it, &attr);)
                    if (attr.value.ptr)
                        census_see(c, mark_key(token->tag, attr.value), p);
            } else if (!token->tag) {
                census_see(c, text_key(th__page_slice(page->page, token->start, token->end)), p);
            }
        }
    }
}

static bool is_template(const th__sm_census *c, const th__sm_samples *s, uint64_t key)
{
    const struct th__sm_seen *seen = census_slot(c, key);
    return s->page_count > 1 ? seen->pages > 1 : seen->times > 1;
}

void th__sm_census_keep(const th__sm_census *c, const th__sm_samples *s, th__sm_item *item)
{
    if (item->cls == TH_CLASS_TAG_START) {
        th__sm_mark *marks = (th__sm_mark *)item->marks;
        uint16_t kept = 0;
        for (uint32_t i = 0; i < item->mark_count; i++)
            if (!marks[i].value.len || is_template(c, s, mark_key(item->tag, marks[i].value)))
                marks[kept++] = marks[i];
        item->mark_count = kept;
    } else if (item->ground && !item->tag && item->cls != TH_CLASS_PUNCT &&
               !th__class_is(item->cls, TH_CLASS_BLANK) &&
               !is_template(c, s, text_key(item->text))) {
        *item = (th__sm_item){.cls = item->cls};
    }
}

void th__sm_census_release(th__sm_census *c)
{
    th__mem_free(c->slots);
    *c = (th__sm_census){0};
}
