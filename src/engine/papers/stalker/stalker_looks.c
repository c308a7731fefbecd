/* stalker_looks.c: see stalker_looks.h. */
#include "engine/papers/stalker/stalker_looks.h"

#include "page/lex.h"

th__look th__look_at(const th_page *page, th_span span)
{
    enum { LOOKED_AT = 200 }; /* tokens: a long text is a long text */
    th__look look = {0};
    th_lex lex;
    th_fine fine;
    th_lex_init(&lex, page, span);
    while (look.tokens < LOOKED_AT && th_lex_next(&lex, &fine)) {
        if (th__class_is(fine.cls, TH_CLASS_BLANK) || th__class_is(fine.cls, TH_CLASS_HTML))
            continue;
        look.first = look.tokens ? look.first : fine.cls;
        look.last = fine.cls;
        look.classes |= 1u << fine.cls;
        look.tokens++;
    }
    return look;
}

void th__looks_add(th__looks *looks, const th_page *page, th_span span)
{
    th__look look = th__look_at(page, span);
    looks->first_classes |= 1u << look.first;
    if (looks->count < TH__LOOKS_MOST)
        looks->values[looks->count++] = look;
}

/* The share of classes that two values have in common, how near their lengths are, and whether they
 * begin and end alike: in equal parts. */
static double likeness(const th__look *a, const th__look *b)
{
    uint32_t both = a->classes & b->classes, any = a->classes | b->classes;
    if (!any || !a->tokens || !b->tokens)
        return 0;
    double classes = (double)__builtin_popcount(both) / __builtin_popcount(any);
    double lengths =
        a->tokens < b->tokens ? (double)a->tokens / b->tokens : (double)b->tokens / a->tokens;
    double ends = 0.5 * (th__class_join(a->first, b->first) > TH_CLASS_WORD) +
                  0.5 * (th__class_join(a->last, b->last) > TH_CLASS_WORD);
    return (classes + lengths + ends) / 3;
}

double th__looks_alike(const th__looks *looks, const th_page *page, th_span span)
{
    th__look look = th__look_at(page, span);
    double most = 0;
    for (uint32_t i = 0; i < looks->count; i++) {
        double like = likeness(&look, &looks->values[i]);
        most = like > most ? like : most;
    }
    return most;
}
