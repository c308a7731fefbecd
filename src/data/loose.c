/* loose.c: texts compared by their letters and digits alone. */
#include "data/loose.h"

#include "base/mem.h"

static bool is_word(unsigned char c)
{
    return th__is_alpha(c) || th__is_digit(c) || c >= 0x80;
}

bool th__loose_make(th_str text, th__loose *out)
{
    if (out->made)
        return true;
    out->at = TH__NEW_ARRAY(size_t, text.len + 1);
    if (!out->at || !th__buf_reserve(&out->text, text.len + 1))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (!is_word(c))
            continue;
        out->at[out->text.len] = i;
        th__buf_add_byte(&out->text, (char)th__lower(c));
    }
    out->made = !out->text.failed;
    return out->made;
}

void th__loose_release(th__loose *loose)
{
    th__buf_release(&loose->text);
    th__mem_free(loose->at);
    *loose = (th__loose){0};
}

bool th__loose_find(const th__loose *loose, th_str text, const th__loose *value, size_t *from,
                    size_t *start, size_t *end)
{
    th_str all = th__buf_str(&loose->text), wanted = th__buf_str(&value->text);
    while (wanted.len && *from + wanted.len <= all.len) {
        size_t found = th__str_find((th_str){all.ptr + *from, all.len - *from}, wanted);
        if (found == SIZE_MAX)
            return false;
        size_t first = *from + found, last = first + wanted.len - 1;
        *from = last + 1;
        *start = loose->at[first];
        *end = loose->at[last] + 1;
        bool alone = (!*start || !is_word((unsigned char)text.ptr[*start - 1])) &&
                     (*end == text.len || !is_word((unsigned char)text.ptr[*end]));
        if (alone)
            return true;
    }
    return false;
}
