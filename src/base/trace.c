/* trace.c: see trace.h. */
#include "base/trace.h"

#include "base/error.h"

static void indent(th__step *s, unsigned depth)
{
    th__buf_printf(&s->line, "%*s", (int)(2 * depth), "");
}

void th__step_begin(th__step *step, th_trace *to, const char *name, unsigned depth)
{
    *step = (th__step){.to = to && !to->status ? to : NULL, .depth = depth};
    if (!step->to)
        return;
    step->json.buf = &step->line;
    if (to->json) {
        th__json_begin_object(&step->json);
        th__json_put_text(&step->json, "step", th_str_from(name));
        th__json_put_uint(&step->json, "depth", depth);
    } else {
        indent(step, depth);
        th__buf_add_str(&step->line, th_str_from(name));
    }
}

void th__step_end(th__step *step)
{
    th_trace *to = step->to;
    if (!to)
        return;
    if (to->json)
        th__json_end_object(&step->json);
    th__buf_add_byte(&step->line, '\n');
    to->status = step->line.failed ? th__fail_memory(&to->error)
                                   : to->sink.write(to->sink.context, step->line.data,
                                                    step->line.len, &to->error);
    th__buf_release(&step->line);
}

/* The name of a member. Returns true if its value is to be written as JSON. */
static bool name(th__step *s, const char *key)
{
    if (s->to->json)
        th__json_key(&s->json, th_str_from(key));
    else
        th__buf_printf(&s->line, "%s%s", s->members++ ? ", " : ": ", key);
    return s->to->json;
}

void th__step_uint(th__step *step, const char *key, uint64_t value)
{
    if (!step->to)
        return;
    if (name(step, key))
        th__json_uint(&step->json, value);
    else
        th__buf_printf(&step->line, " %llu", (unsigned long long)value);
}

void th__step_real(th__step *step, const char *key, double value)
{
    if (!step->to)
        return;
    if (name(step, key))
        th__json_double(&step->json, (double)(int64_t)(100 * value + 0.5) / 100);
    else
        th__buf_printf(&step->line, " %.2f", value);
}

void th__step_text(th__step *step, const char *key, th_str text)
{
    if (!step->to)
        return;
    if (name(step, key)) {
        th__json_str(&step->json, text);
        return;
    }
    bool below = memchr(text.ptr, '\n', text.len);
    th__buf_add_str(&step->line, below ? TH_STR("") : TH_STR(" "));
    for (size_t at = 0, end; at < text.len; at = end + 1) {
        const char *newline = memchr(text.ptr + at, '\n', text.len - at);
        end = newline ? (size_t)(newline - text.ptr) : text.len;
        if (below) {
            th__buf_add_byte(&step->line, '\n');
            indent(step, step->depth + 1);
        }
        th__buf_add(&step->line, text.ptr + at, end - at);
    }
}

void th__step_place(th__step *step, th_span span)
{
    if (!step->to || !step->to->json)
        return;
    th__json_put_uint(&step->json, "start", span.start);
    th__json_put_uint(&step->json, "end", span.end);
}

void th__step_uints(th__step *step, const char *key, const uint32_t *values, size_t count)
{
    if (!step->to)
        return;
    bool json = name(step, key);
    if (json)
        th__json_begin_array(&step->json);
    for (size_t i = 0; i < count; i++) {
        if (json)
            th__json_uint(&step->json, values[i]);
        else
            th__buf_printf(&step->line, "%s%u", i ? "," : " <", values[i]);
    }
    if (json)
        th__json_end_array(&step->json);
    else
        th__buf_add_str(&step->line, count ? TH_STR(">") : TH_STR(" <>"));
}

th_status th__trace_status(const th_trace *trace, th_status status, th_error *err)
{
    if (status || !trace || !trace->status)
        return status;
    if (err)
        *err = trace->error;
    return trace->status;
}
