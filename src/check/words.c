/* words.c: paths of fields, words of values. */
#include "check/words.h"

/* ---- paths ----------------------------------------------------------------------------------- */

bool th__same_path(th_str a, th_str b)
{
    size_t i = 0, j = 0;
    for (;;) {
        while (i + 1 < a.len && a.ptr[i] == '[' && a.ptr[i + 1] == ']')
            i += 2;
        while (j + 1 < b.len && b.ptr[j] == '[' && b.ptr[j + 1] == ']')
            j += 2;
        if (i == a.len || j == b.len)
            return i == a.len && j == b.len;
        if (a.ptr[i++] != b.ptr[j++])
            return false;
    }
}

const th__field_profile *th__profile_of(const th__profile *profile, uint32_t at, th_str path)
{
    if (at < profile->count && th__str_eq(profile->fields[at].path, path))
        return &profile->fields[at];
    for (uint32_t i = 0; i < profile->count; i++)
        if (th__same_path(profile->fields[i].path, path))
            return &profile->fields[i];
    return NULL;
}

/* ---- words of examples ------------------------------------------------------------------------
 */

/* Shorter texts may appear anywhere by chance. */
enum { TELLING_BYTES = 4 };

th_str th__next_word(th_str text, size_t at, size_t *end)
{
    while (at < text.len && !th__is_word_part((unsigned char)text.ptr[at]))
        at++;
    for (*end = at; *end < text.len && th__is_word_part((unsigned char)text.ptr[*end]);)
        ++*end;
    return (th_str){text.ptr + at, *end - at};
}

size_t th__find_words(th_str text, th_str words, size_t from)
{
    while (words.len && from + words.len <= text.len) {
        size_t at = th__str_find((th_str){text.ptr + from, text.len - from}, words);
        if (at == SIZE_MAX)
            return SIZE_MAX;
        size_t start = from + at, end = start + words.len;
        bool left = !start || !th__is_word_part((unsigned char)text.ptr[start - 1]) ||
                    !th__is_word_part((unsigned char)text.ptr[start]);
        bool right = end == text.len || !th__is_word_part((unsigned char)text.ptr[end]) ||
                     !th__is_word_part((unsigned char)text.ptr[end - 1]);
        if (left && right)
            return start;
        from = start + 1;
    }
    return SIZE_MAX;
}

th_str th__list_of(th_str path)
{
    size_t at = th__str_find(path, TH_STR("[]."));
    return at == SIZE_MAX ? (th_str){0} : (th_str){path.ptr, at};
}

bool th__telling(th_str example)
{
    return example.len >= TELLING_BYTES;
}

bool th__is_headed(th_str title, th_str value)
{
    return th__telling(value) && th__find_words(title, value, 0) != SIZE_MAX;
}
