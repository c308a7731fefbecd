/* softmealy_stream.h: extraction from a page that comes piece by piece. */
#ifndef TH_SOFTMEALY_STREAM_H
#define TH_SOFTMEALY_STREAM_H

#include "engine/papers/softmealy/softmealy.h"

enum {
    TH__SM_STREAM_CHUNK = 256 << 10, /* bytes that are read at once: the tokens of more would leave
                                        the processor's cache */
    TH__SM_STREAM_TOKEN = 64 << 20   /* a tag, script or comment that is longer is refused */
};

typedef struct th__sm_stream th__sm_stream;

/* `chunk` is how many bytes are read at once; tests take a few. Caller frees. */
th_status th__sm_stream_new(const th__sm_rules *rules, const th_schema *schema,
                            const th_records_source *source, size_t chunk, th__sm_stream **out,
                            th_error *err);
/* The next bytes; `last` says that no more follow. *out are the tuples that are complete since the
 * last call, NULL when there are none; caller frees. */
th_status th__sm_stream_feed(th__sm_stream *stream, th_str bytes, bool last, th_records **out,
                             th_error *err);
void th__sm_stream_free(th__sm_stream *stream);

#endif
