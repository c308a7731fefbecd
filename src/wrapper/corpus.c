/* corpus.c: the notes of a learner. */
#include "wrapper/corpus.h"

#include <stdarg.h>

#include "base/str.h"

void th__notes_init(th__notes *notes)
{
    *notes = (th__notes){0};
    th__arena_init(&notes->arena);
}

void th__notes_release(th__notes *notes)
{
    th__vec_release(&notes->lines);
    th__arena_release(&notes->arena);
}

bool th__notes_copy(th__notes *notes, th_str line, bool detail)
{
    line = th__arena_copy(&notes->arena, line);
    return line.ptr && th__vec_push(&notes->lines, (th__note){line, detail});
}

bool th__notes_add(th__notes *notes, const char *format, ...)
{
    th__buf text = {0};
    va_list args;
    va_start(args, format);
    th__buf_vprintf(&text, format, args);
    va_end(args);
    bool ok = !text.failed && th__notes_copy(notes, th__buf_str(&text), false);
    th__buf_release(&text);
    return ok;
}
