/* mdr_class.c: see mdr_class.h. */
#include "engine/papers/mdr/mdr_class.h"

th__mdr_classes th__mdr_words(th_str text)
{
    th__mdr_classes out = {.count = 0};
    size_t at = 0;
    while (out.count < TH__MDR_MAX_CLASSES) {
        while (at < text.len && th__is_blank((unsigned char)text.ptr[at]))
            at++;
        size_t from = at;
        while (at < text.len && !th__is_blank((unsigned char)text.ptr[at]))
            at++;
        if (at == from)
            break;
        out.word[out.count++] = (th_str){text.ptr + from, at - from};
    }
    return out;
}

th__mdr_classes th__mdr_classes_of(const th_page *page, uint32_t node)
{
    th_str value = {0};
    if (node)
        th_attr_get(page, page->nodes[node].token, "class", &value);
    return th__mdr_words(value);
}

static bool has(const th__mdr_classes *classes, th_str word)
{
    for (unsigned i = 0; i < classes->count; i++)
        if (th__str_eq(classes->word[i], word))
            return true;
    return false;
}

unsigned th__mdr_classes_shared(const th__mdr_classes *a, const th__mdr_classes *b)
{
    unsigned shared = 0;
    for (unsigned i = 0; i < a->count; i++)
        shared += has(b, a->word[i]);
    return shared;
}

void th__mdr_classes_intersect(th__mdr_classes *a, const th__mdr_classes *b)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < a->count; i++)
        if (has(b, a->word[i]))
            a->word[kept++] = a->word[i];
    a->count = kept;
}

bool th__mdr_classes_alike(const th__mdr_classes *a, const th__mdr_classes *b)
{
    unsigned fewer = a->count < b->count ? a->count : b->count;
    return fewer && 2 * th__mdr_classes_shared(a, b) >= fewer;
}
