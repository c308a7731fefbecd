/* verdict.c: verdicts as JSON and in words. */
#include "check/verdict.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "data/evidence.h"

void th_verdict_free(th_verdict *verdict)
{
    if (!verdict)
        return;
    th_check_free(verdict->check);
    th__arena_release(&verdict->arena);
    th__mem_free(verdict);
}

bool th_verdict_drift(const th_verdict *verdict)
{
    return verdict->drift;
}

const char *th_verdict_word(const th_verdict *verdict)
{
    return verdict->drift ? "drift" : verdict->changed ? "changed" : "fine";
}

size_t th_verdict_count(const th_verdict *verdict)
{
    return verdict->count + (verdict->next.test != NULL);
}

/* What a verdict says is settled when it is made: that it is worked out later changes nothing that
 * is to be seen. A handle belongs to one thread at a time. */
static th_verdict *own(const th_verdict *verdict)
{
    return (th_verdict *)verdict;
}

bool th__verdict_tell_all(th_verdict *verdict)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < verdict->count; i++)
        ok = th__verdict_tell(verdict, i);
    return ok;
}

const th_evidence *th_verdict_get(const th_verdict *verdict, size_t index)
{
    if (index >= verdict->count)
        return index == verdict->count && verdict->next.test ? &verdict->next : NULL;
    th__verdict_tell(own(verdict), (uint32_t)index);
    return &verdict->evidence[index];
}

th_status th__text_give(th__buf *buf, th_text *out, th_error *err)
{
    bool ok = th__buf_add_byte(buf, '\0');
    *out = (th_text){buf->data, ok ? buf->len - 1 : 0, buf->cap};
    return ok ? TH_OK : th__fail_memory(err);
}

th_status th_verdict_to_json(const th_verdict *verdict, th_text *out, th_error *err)
{
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    th__json json = {.buf = &buf};
    if (!th__verdict_tell_all(own(verdict)))
        return th__fail_memory(err);
    th__json_begin_object(&json);
    th__json_put_text(&json, "verdict", th_str_from(th_verdict_word(verdict)));
    th__json_key(&json, TH_STR("drift"));
    th__json_bool(&json, verdict->drift);
    th__json_put_uint(&json, "pages", verdict->tally.pages);
    th__json_put_uint(&json, "records", verdict->tally.records);
    th__json_key(&json, TH_STR("explained"));
    th__json_double(&json, round(verdict->explained * 1e4) / 1e4);
    th__json_key(&json, TH_STR("explained_before"));
    th__json_double(&json, round(verdict->explained_before * 1e4) / 1e4);
    th__json_key(&json, TH_STR("alpha"));
    th__json_double(&json, verdict->alpha);
    th__json_key(&json, TH_STR("evidence"));
    th__json_begin_array(&json);
    for (size_t i = 0; i < th_verdict_count(verdict); i++)
        th__evidence_write(th_verdict_get(verdict, i), (th_str){0}, &json);
    th__json_end_array(&json);
    th__json_end_object(&json);
    return th__text_give(&buf, out, err);
}

static void explain_evidence(const th_evidence *evidence, th__buf *out)
{
    th_str name = evidence->path.ptr ? evidence->path : TH_STR("records");
    th__buf_printf(out, "  %-6s %.*s: %.*s",
                   evidence->drift                   ? "DRIFT"
                   : evidence->changed               ? "note"
                   : !strcmp(evidence->test, "none") ? "n/a"
                                                     : "ok",
                   TH_STR_ARG(name), TH_STR_ARG(evidence->words));
    bool shown = evidence->drift || evidence->changed;
    if (shown && evidence->p > 0)
        th__buf_printf(out, " (p = %.2g)", evidence->p);
    th__buf_add_byte(out, '\n');
    for (uint32_t i = 0; shown && i < evidence->example_count; i++)
        th__buf_printf(out, "           now: %.*s\n", TH_STR_ARG(evidence->examples[i]));
}

th_status th_verdict_explain(const th_verdict *verdict, th_text *out, th_error *err)
{
    th__buf buf = {.data = out->ptr, .cap = out->cap};
    if (!th__verdict_tell_all(own(verdict)))
        return th__fail_memory(err);
    th__buf_printf(
        &buf, "%s: %llu page%s, %llu record%s\n",
        verdict->drift     ? "drift: the pages no longer match the profile"
        : verdict->changed ? "changed: the pages have changed, but the records look correct"
                           : "fine: the pages match the profile",
        (unsigned long long)verdict->tally.pages, verdict->tally.pages == 1 ? "" : "s",
        (unsigned long long)verdict->tally.records, verdict->tally.records == 1 ? "" : "s");
    for (size_t i = 0; i < th_verdict_count(verdict); i++)
        explain_evidence(th_verdict_get(verdict, i), &buf);
    return th__text_give(&buf, out, err);
}
