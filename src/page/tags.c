/* tags.c: tag names become numbers, by a perfect hash. */
#include "page/tags.h"

#include <string.h>

#include "base/str.h"

#define TAG_WANT_TABLE
#include "page/tags_table.inc"

static uint16_t other_id(const char *name, size_t len)
{
    uint64_t hash = len;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ th__lower((unsigned char)name[i])) * UINT64_C(0x100000001B3);
    return (uint16_t)(TH_TAG_OTHER + th__hash_mix(hash, 0) % (65536 - TH_TAG_OTHER));
}

th_str th__tag_counted(th_str name)
{
    size_t len = name.len;
    if (len > TH__TAG_LONGEST)
        for (len = TH__TAG_LONGEST; len && ((unsigned char)name.ptr[len] & 0xC0) == 0x80;)
            len--;
    return (th_str){name.ptr, len};
}

uint16_t th__tag_find(const char *name, size_t len)
{
    unsigned char lower[16] = {0};
    uint64_t keys[2];
    if (len == 0)
        return TH_TAG_NONE;
    if (len > sizeof lower)
        return other_id(name, th__tag_counted((th_str){name, len}).len);
    for (size_t i = 0; i < len; i++)
        lower[i] = th__lower((unsigned char)name[i]);
    memcpy(keys, lower, sizeof keys);
    uint16_t tag = th__tag_find_standard(keys[0], keys[1]);
    return tag ? tag : other_id(name, len);
}

uint16_t th_tag_id(th_str name)
{
    return th__tag_find(name.ptr, name.len);
}

th_str th_tag_name(uint16_t tag)
{
    return tag == TH_TAG_NONE || tag >= TAG_COUNT ? (th_str){0} : th_str_from(tag_names[tag]);
}
