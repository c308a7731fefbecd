/* exalg_show.c: see exalg_show.h. */
#include "engine/papers/exalg/exalg_show.h"

enum { LONGEST = 30, ITEMS = 3 }; /* bytes of a text, items of a set */

static void show_text(th_str text, bool *any, th__buf *out)
{
    size_t len = text.len < LONGEST ? text.len : LONGEST;
    while (len < text.len && len && ((unsigned char)text.ptr[len] & 0xC0) == 0x80)
        len--; /* not inside of a character */
    th__buf_add_str(out, *any ? TH_STR(", ") : TH_STR(""));
    th__buf_add(out, text.ptr, len);
    th__buf_add_str(out, len < text.len ? TH_STR("…") : TH_STR(""));
    *any = true;
}

static void show_value(const th_value *value, const uint32_t *way, size_t depth, bool *any,
                       th__buf *out);

/* The first items that have a text there, and how many more have one. */
static void show_items(const th_value *list, const uint32_t *way, size_t depth, bool *any,
                       th__buf *out)
{
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < th_value_count(list); i++) {
        bool found = *any;
        size_t len = out->len;
        show_value(th_value_item(list, i), way, depth, &found, out);
        bool text = out->len > len;
        if (shown == ITEMS) {
            out->len = len;
            more += text;
            continue;
        }
        shown += text;
        *any = found;
    }
    if (more)
        th__buf_printf(out, ", %zu more", more);
}

/* Depth is that of the schema. */
static void show_value(const th_value *value, const uint32_t *way, size_t depth, bool *any,
                       th__buf *out)
{
    if (!value)
        return;
    switch (th_value_get_kind(value)) {
    case TH_VALUE_NULL:
        return;
    case TH_VALUE_TEXT:
        show_text(th_value_text(value), any, out);
        return;
    case TH_VALUE_LIST:
        show_items(value, way, depth, any, out);
        return;
    case TH_VALUE_TUPLE:
        if (depth)
            show_value(th_value_item(value, way[0]), way + 1, depth - 1, any, out);
        return;
    case TH_VALUE_CHOICE:
        if (depth && th_value_which(value) == way[0])
            show_value(th_value_item(value, 0), way + 1, depth - 1, any, out);
        return;
    }
}

void th__exalg_show_values(const th_records *const *pages, size_t count, const uint32_t *way,
                           size_t depth, th__buf *out)
{
    for (size_t i = 0; i < count; i++) {
        bool any = false;
        th__buf_add_str(out, i ? TH_STR(" | ") : TH_STR(" = "));
        show_value(th_records_get(pages[i], 0), way, depth, &any, out);
        if (!any)
            th__buf_add_byte(out, '-');
    }
}
