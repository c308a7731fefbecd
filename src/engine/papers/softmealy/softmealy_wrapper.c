/* softmealy_wrapper.c: SoftMealy as an engine of wrappers. */
#include "engine/papers/softmealy/softmealy_wrapper.h"

#include "base/error.h"
#include "engine/papers/softmealy/softmealy_json.h"
#include "engine/papers/softmealy/softmealy_learn.h"
#include "engine/papers/softmealy/softmealy_stream.h"

static th_status learn_corpus(const th_learn_options *options, const th__corpus *corpus,
                              th__arena *arena, th_schema **schema, void **rules, th_error *err)
{
    th__sm_options own = options->paper.published ? th__sm_options_paper() : th__sm_options_ours();
    th__sm_rules *made = NULL;
    th_status status = th__sm_options_without(&own, options->without, err);
    if (!status)
        status = th__sm_learn(&own, corpus, arena, corpus->schema, &made, err);
    if (status)
        return status;
    *rules = made;
    *schema = th_schema_retain(corpus->schema);
    return TH_OK;
}

static void write_rules(const void *rules, th__json *json)
{
    th__sm_rules_write(rules, json);
}

static th_status read_rules(th__rule_reader *reader, json_t *json, const th_schema *schema,
                            th__arena *arena, void **rules)
{
    th__sm_rules *read = NULL;
    th_status status = th__sm_rules_read(reader, json, schema, arena, &read);
    *rules = read;
    return status;
}

/* A copy of rules, by way of their JSON: corrections are rare, and the way is proven. */
static th_status copy_rules(const void *rules, const th_schema *schema, th__arena *arena,
                            void **out, th_error *err)
{
    th__buf text = {0};
    th__json json = {.buf = &text};
    th__rule_reader reader = {.file = "wrapper", .err = err};
    write_rules(rules, &json);
    json_t *root = text.failed ? NULL : json_loadb(text.data, text.len, JSON_ALLOW_NUL, NULL);
    th_status status = root ? read_rules(&reader, root, schema, arena, out) : th__fail_memory(err);
    json_decref(root);
    th__buf_release(&text);
    return status;
}

static th_status correct(const th_learn_options *options, const th_schema *old_schema,
                         const void *old_rules, const th__corpus *corpus, th__arena *arena,
                         th_schema **schema, void **rules, th_error *err)
{
    th_status status = copy_rules(old_rules, old_schema, arena, rules, err);
    if (!status)
        status = th__sm_correct(options->without, corpus, old_schema, *rules, arena, err);
    if (!status)
        *schema = th_schema_retain(old_schema);
    return status;
}

static th_status run(const void *rules, const th_schema *schema, const th_page *page,
                     const th_records_source *source, th_records **out, th_error *err)
{
    return th__sm_run(rules, schema, page, source, out, err);
}

static th_status stream_begin(const void *rules, const th_schema *schema,
                              const th_records_source *source, void **state, th_error *err)
{
    th__sm_stream *stream = NULL;
    th_status status = th__sm_stream_new(rules, schema, source, TH__SM_STREAM_CHUNK, &stream, err);
    *state = stream;
    return status;
}

static th_status stream_feed(void *state, th_str bytes, bool last, th_records **out, th_error *err)
{
    return th__sm_stream_feed(state, bytes, last, out, err);
}

static void stream_free(void *state)
{
    th__sm_stream_free(state);
}

static void explain(const void *rules, th__buf *out)
{
    th__sm_rules_explain(rules, out);
}

static void graph(const void *rules, th__buf *out)
{
    th__sm_rules_graph(rules, out);
}

const th__engine th__softmealy_engine = {
    .name = "softmealy",
    .learn_corpus = learn_corpus,
    .needs_labels = true,
    .published = true,
    .correct = correct,
    .run = run,
    .stream_begin = stream_begin,
    .stream_feed = stream_feed,
    .stream_free = stream_free,
    .write = write_rules,
    .read = read_rules,
    .explain = explain,
    .rename = th__sm_rules_rename,
    .graph = graph,
    .hits = th__sm_hits,
};
