/*
 * repair_texts.c: pieces of a text between signs.
 *
 * What stands between separators, behind a label or a bullet, or is an item of a list in one text.
 */
#include "repair/repair_texts.h"

#include "page/page.h"
#include "page/signs.h"
#include "page/text.h"

enum {
    SEPARATORS_MAX = 12, /* of a text: with more it is prose */
    REACH = 3,           /* separators that a piece may hold, and one more */
    LABEL_MAX = 40       /* bytes of a label before a colon */
};

bool th__cut_trimmed(th__finder *f, const th__unit_walk *w, th__text_walk *l, size_t from,
                     size_t to)
{
    th_str text = th__buf_str(&f->folded.text);
    th_str bare = th__sign_trim((th_str){text.ptr + from, to - from});
    from = (size_t)(bare.ptr - text.ptr);
    return th__piece_cut(f, w, l, from, from + bare.len);
}

/* Whether the blank at a byte of the text is one that does not break, of which old pages part
 * values by rows, or holds the end of a line of the source: values that are written one below the
 * other. In long texts such lines are prose. */
bool th__is_parting_blank(const th__finder *f, const th__unit_walk *w, size_t at)
{
    th_str text = th__buf_str(&f->folded.text);
    if (text.ptr[at] != ' ')
        return false;
    th_str source = th__page_slice(w->at, f->folded.start[at], f->folded.end[at]);
    if (text.len <= TH__WORDED_MAX && memchr(source.ptr, '\n', source.len))
        return true;
    return th__str_find(source, TH_STR("&nbsp;")) != SIZE_MAX ||
           th__str_find(source, TH_STR("\xC2\xA0")) != SIZE_MAX ||
           th__str_find(source, TH_STR("&#160;")) != SIZE_MAX;
}

bool th__cut_separated(th__finder *f, const th__unit_walk *w, th__text_walk *l)
{
    th_str text = th__buf_str(&f->folded.text);
    size_t starts[SEPARATORS_MAX + 1] = {0}, ends[SEPARATORS_MAX + 2];
    uint32_t count = 0;
    for (size_t at = 0; at < text.len;) {
        th_str rest = {text.ptr + at, text.len - at};
        size_t len = at ? 0 : th__sign_length(rest, TH__SIGN_BULLET);
        len = len ? len : th__sign_length(rest, TH__SIGN_PARTS);
        if (!len && th__is_parting_blank(f, w, at))
            len = 1;
        if (!len) {
            at++;
            continue;
        }
        if (count == SEPARATORS_MAX)
            return true;
        ends[count] = at;
        starts[++count] = at + len;
        at += len;
    }
    ends[count] = text.len;
    for (uint32_t i = 0; i <= count; i++) {
        for (uint32_t j = i; j <= count && j <= i + REACH; j++)
            if (!th__piece_cut(f, w, l, starts[i], ends[j]))
                return false;
        if (!th__piece_cut(f, w, l, starts[i], text.len))
            return false;
    }
    return true;
}

/* Where a label at the start of a text ends: its colon, or SIZE_MAX. Behind another separator a
 * colon is inside of a value. */
size_t th__label_end(th_str text)
{
    size_t colon = th__str_find(text, TH_STR(":"));
    bool label = colon != SIZE_MAX && colon <= LABEL_MAX;
    for (size_t i = 0; label && i + 1 < colon; i++)
        label = text.ptr[i + 1] != ' ' || !th__sign_is_item(text.ptr[i]);
    return label ? colon : SIZE_MAX;
}

bool th__cut_items(th__finder *f, const th__unit_walk *w, th__text_walk *l)
{
    enum { ITEMS_MAX = 40 };
    th_str text = th__buf_str(&f->folded.text);
    size_t colon = th__label_end(text);
    size_t begin = colon == SIZE_MAX ? 0 : colon + 1;
    uint64_t told = begin ? th__hash(text.ptr, begin) : l->before;
    for (size_t s = 0; s < th__sign_count; s++) {
        char sign[] = {' ', (char)th__signs[s].code, ' '};
        size_t close = (th__signs[s].flags & TH__SIGN_TIGHT) != 0;
        th_str separator = {sign + close, sizeof sign - close};
        if (!(th__signs[s].flags & TH__SIGN_ITEMS))
            continue;
        uint32_t count = 0;
        for (size_t at = begin; at < text.len && count < ITEMS_MAX; count++) {
            size_t len = th__str_find((th_str){text.ptr + at, text.len - at}, separator);
            size_t from = at, to = len == SIZE_MAX ? text.len : at + len;
            at = to + separator.len;
            while (from < to && !th__is_word_part((unsigned char)text.ptr[from]))
                from++;
            while (to > from && text.ptr[to - 1] == ' ')
                to--;
            if (from == to || to - from > TH__PIECE_MAX)
                continue;
            th_span span = {f->folded.start[from], f->folded.end[to - 1]};
            bool piece = from || to < text.len;
            if (!th__piece_add(f, w->unit, span, (th_str){text.ptr + from, to - from}, false,
                               piece) ||
                !th__piece_spot(f, TH__BY_ITEMS + s, l->path, told))
                return false;
        }
    }
    return true;
}
