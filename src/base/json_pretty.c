/* json_pretty.c: one pass that knows, at each bracket, whether its partner is near. */
#include "base/json_pretty.h"

enum { WIDTH = 96, DEEPEST = 64 };

/* One past the string that begins at `at`. */
static size_t string_end(th_str json, size_t at)
{
    for (at++; at < json.len && json.ptr[at] != '"'; at++)
        at += json.ptr[at] == '\\';
    return at < json.len ? at + 1 : json.len;
}

/* Whether the bracket at `at` has its partner within what fits on a line. */
static bool is_short(th_str json, size_t at, size_t limit)
{
    size_t end = at + limit < json.len ? at + limit : json.len;
    unsigned depth = 0;
    while (at < end) {
        char c = json.ptr[at];
        if (c == '"') {
            at = string_end(json, at);
            continue;
        }
        if (c == '{' || c == '[')
            depth++;
        else if ((c == '}' || c == ']') && --depth == 0)
            return true;
        at++;
    }
    return false;
}

static void new_line(th__buf *out, unsigned depth)
{
    th__buf_add_byte(out, '\n');
    for (unsigned i = 0; i < depth; i++)
        th__buf_add(out, "  ", 2);
}

bool th__json_pretty(th_str json, th__buf *out)
{
    unsigned depth = 0, flat = 0; /* flat: brackets open on the line that is kept whole */
    for (size_t at = 0; at < json.len;) {
        char c = json.ptr[at];
        if (c == '"') {
            size_t end = string_end(json, at);
            th__buf_add(out, json.ptr + at, end - at);
            at = end;
            continue;
        }
        bool opens = c == '{' || c == '[', closes = c == '}' || c == ']';
        if (opens && (flat || depth == DEEPEST || is_short(json, at, WIDTH - 2 * (depth % 24))))
            flat++;
        else if (opens)
            depth++;
        if (closes && !flat)
            new_line(out, --depth);
        th__buf_add_byte(out, c);
        if (closes && flat)
            flat--;
        else if ((opens || c == ',') && !flat)
            new_line(out, depth);
        else if (c == ',' || c == ':')
            th__buf_add_byte(out, ' ');
        at++;
    }
    return th__buf_add_byte(out, '\n');
}
