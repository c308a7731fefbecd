/* stream.c: extraction from a page that comes piece by piece, by the engine that can. */
#include "base/error.h"
#include "base/mem.h"
#include "wrapper/wrapper.h"

struct th_stream {
    const th__engine *engine;
    void *state;
    bool finished; /* or failed */
};

bool th_wrapper_streams(const th_wrapper *wrapper)
{
    return wrapper->engine->stream_begin != NULL && !wrapper->data;
}

th_status th_stream_new(const th_wrapper *wrapper, const th_records_source *source, th_stream **out,
                        th_error *err)
{
    th_records_source none = {0};
    *out = NULL;
    if (wrapper->data)
        return th__fail(err, TH_ERR_ARGUMENT,
                        "a wrapper for data in scripts and microdata needs whole pages");
    if (!th_wrapper_streams(wrapper))
        return th__fail(
            err, TH_ERR_ARGUMENT,
            "a wrapper of engine %s needs whole pages: only softmealy's can be streamed",
            wrapper->engine->name);
    th_stream *stream = TH__NEW(th_stream);
    if (!stream)
        return th__fail_memory(err);
    stream->engine = wrapper->engine;
    th_status status = wrapper->engine->stream_begin(wrapper->rules, wrapper->schema,
                                                     source ? source : &none, &stream->state, err);
    if (status)
        th_stream_free(stream);
    else
        *out = stream;
    return status;
}

static th_status feed(th_stream *stream, th_str bytes, bool last, th_records **out, th_error *err)
{
    *out = NULL;
    if (stream->finished)
        return th__fail(err, TH_ERR_ARGUMENT, "a stream that has ended or failed takes no bytes");
    th_status status = stream->engine->stream_feed(stream->state, bytes, last, out, err);
    stream->finished = last || status;
    return status;
}

th_status th_stream_feed(th_stream *stream, th_str bytes, th_records **out, th_error *err)
{
    return feed(stream, bytes, false, out, err);
}

th_status th_stream_finish(th_stream *stream, th_records **out, th_error *err)
{
    return feed(stream, (th_str){0}, true, out, err);
}

void th_stream_free(th_stream *stream)
{
    if (!stream)
        return;
    if (stream->state)
        stream->engine->stream_free(stream->state);
    th__mem_free(stream);
}
