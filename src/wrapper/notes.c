/* notes.c: the notes of a learner. */
#include "wrapper/corpus.h"

#include <stdarg.h>

#include "base/error.h"
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

static bool add(th__notes *notes, th_str page, th_str text, bool detail)
{
    th_remark remark = {page.ptr ? th__arena_copy(&notes->arena, page) : page,
                        th__arena_copy(&notes->arena, text), detail};
    return remark.text.ptr && (remark.page.ptr || !page.ptr) && th__vec_push(&notes->lines, remark);
}

bool th__notes_copy(th__notes *notes, const th_remark *line)
{
    return add(notes, line->page, line->text, line->detail);
}

static bool print(th__notes *notes, th_str page, bool detail, const char *format, va_list args)
{
    th__buf text = {0};
    th__buf_vprintf(&text, format, args);
    bool ok = !text.failed && add(notes, page, th__buf_str(&text), detail);
    th__buf_release(&text);
    return ok;
}

bool th__notes_add(th__notes *notes, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool ok = print(notes, (th_str){0}, false, format, args);
    va_end(args);
    return ok;
}

bool th__notes_add_of(th__notes *notes, th_str page, bool detail, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool ok = print(notes, page, detail, format, args);
    va_end(args);
    return ok;
}

th_status th__fail_no_pick(const th_records_source *source, const char *engine, uint32_t lists,
                           uint32_t pick, th_error *err)
{
    return th__fail(err, TH_ERR_ARGUMENT,
                    "%.*s%shas %u list%s of records, so there is no number %u: `thresh "
                    "regions%s%s` shows them",
                    TH_STR_ARG(source->page), source->page.len ? ": " : "", lists,
                    lists == 1 ? "" : "s", pick, engine ? " --engine " : "", engine ? engine : "");
}

th_status th__fail_no_list(th_error *err)
{
    return th__fail(err, TH_ERR_ARGUMENT,
                    "no list of records on the pages: there is nothing to learn from");
}
