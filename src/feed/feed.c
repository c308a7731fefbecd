/* feed.c: where pages come from. */
#include "feed/feed.h"

#include <sys/stat.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/mem.h"
#include "feed/sniff.h"

static th_str put(char **at, th_str text)
{
    if (!text.ptr)
        return text;
    char *start = *at;
    if (text.len)
        memcpy(start, text.ptr, text.len);
    *at += text.len;
    return (th_str){start, text.len};
}

th_status th__input_new(th_str name, th_str origin, th_str url, th_str charset, th_input **out,
                        th_error *err)
{
    th_input *input =
        th__mem_alloc(sizeof *input + name.len + origin.len + url.len + charset.len + 1);
    if (!input)
        return th__fail_memory(err);
    char *at = input->text;
    input->data = input->note = NULL;
    input->bytes = TH_STR("");
    input->name = put(&at, name);
    input->origin = put(&at, origin);
    input->url = put(&at, url);
    input->charset = put(&at, charset);
    input->file_len = origin.len;
    input->offset = input->offset_inside = 0;
    *out = input;
    return TH_OK;
}

void th__input_give(th_input *input, th__buf *buf, size_t start)
{
    input->data = buf->data;
    input->bytes = th__buf_str(buf);
    input->bytes.ptr += start;
    input->bytes.len -= start;
    *buf = (th__buf){0};
}

th_status th_input_new(th_str name, const th_page_source *source, th_str bytes, th_input **out,
                       th_error *err)
{
    th_page_source none = {0};
    th__buf copy = {0};
    *out = NULL;
    if (!source)
        source = &none;
    if (!th__buf_add_str(&copy, bytes))
        return th__fail_memory(err);
    th_status status = th__input_new(name, name, source->url, source->charset, out, err);
    if (!status)
        th__input_give(*out, &copy, 0);
    th__buf_release(&copy);
    return status;
}

void th_input_free(th_input *input)
{
    if (!input)
        return;
    th__mem_free(input->data);
    th__mem_free(input->note);
    th__mem_free(input);
}

th_str th_input_note(const th_input *input)
{
    return th_str_from(input->note);
}

th_str th_input_name(const th_input *input)
{
    return input->name;
}

th_str th_input_origin(const th_input *input)
{
    return input->origin;
}

th_str th_input_file(const th_input *input)
{
    return (th_str){input->origin.ptr, input->file_len};
}

uint64_t th_input_offset(const th_input *input)
{
    return input->offset;
}

uint64_t th_input_offset_inside(const th_input *input)
{
    return input->offset_inside;
}

th_str th_input_bytes(const th_input *input)
{
    return input->bytes;
}

th_str th_input_url(const th_input *input)
{
    return input->url;
}

th_str th_input_charset(const th_input *input)
{
    return input->charset;
}

void th_input_source(const th_input *input, th_page_source *out)
{
    *out = (th_page_source){.url = input->url, .charset = input->charset};
}

enum {
    AHEAD_PER_FETCH = 4, /* leaves looked ahead for each parallel fetch */
    MAX_AHEAD = 256,
};

static const th_feed_options feed_defaults = {
    .max_redirects = 10,
    .timeout_ms = 30000,
    .connect_timeout_ms = 10000,
    .max_bytes = 256 << 20,
    .parallel = 8,
    .host_delay_ms = 500,
    .stdin_name = "-",
    .retries = 3,
    .retry_wait_ms = 1000,
    .max_wait_ms = 120000,
};

void th_feed_options_defaults(th_feed_options *options, size_t size)
{
    th__options_give(options, size, &feed_defaults, sizeof feed_defaults);
}

/* The sum of the files' sizes, or 0 where an input is anything else. */
static uint64_t total_size(const char *const *inputs, size_t count)
{
    uint64_t total = 0;
    struct stat info;
    for (size_t i = 0; i < count; i++) {
        if (th__is_url(inputs[i]) || inputs[i][0] == '@' || stat(inputs[i], &info) != 0)
            return 0;
        if (!S_ISREG(info.st_mode))
            return 0;
        total += (uint64_t)info.st_size;
    }
    return total;
}

/* A copy of a text in the arena; absent stays absent. False if out of memory. */
static bool own_text(th__arena *arena, const char **text)
{
    return !*text || (*text = th__arena_copy(arena, th_str_from(*text)).ptr);
}

static bool own_headers(th__arena *arena, th_feed_options *own)
{
    const char **headers =
        th__arena_keep(arena, own->headers, own->header_count, sizeof *own->headers);
    own->headers = headers;
    for (size_t i = 0; headers && i < own->header_count; i++)
        if (!own_text(arena, &headers[i]))
            return false;
    return headers != NULL;
}

bool th__feed_options_copy(const th_feed_options *given, th__arena *arena, th_feed_options *own)
{
    *own = feed_defaults;
    th__options_take(own, sizeof *own, given);
    const char *agent = own->user_agent ? own->user_agent : "thresh/" THRESH_VERSION;
    const char *name = own->stdin_name ? own->stdin_name : "-";
    own->user_agent = th__arena_copy(arena, th_str_from(agent)).ptr;
    own->stdin_name = th__arena_copy(arena, th_str_from(name)).ptr;
    if (own->parallel == 0)
        own->parallel = 1;
    return own->user_agent && own->stdin_name && own_headers(arena, own) &&
           own_text(arena, &own->cookie_jar) && own_text(arena, &own->proxy) &&
           own_text(arena, &own->site_file) && own_text(arena, &own->cache) &&
           own_text(arena, &own->warc) && own_text(arena, &own->render_wait_for);
}

static bool make_queue(th_feed *feed)
{
    uint32_t parallel = feed->options.parallel;
    feed->ahead_cap =
        parallel < MAX_AHEAD / AHEAD_PER_FETCH ? parallel * AHEAD_PER_FETCH : MAX_AHEAD;
    feed->ahead = TH__NEW_ARRAY(th__ahead, feed->ahead_cap);
    return feed->ahead != NULL;
}

th_status th_feed_new(const char *const *inputs, size_t count, const th_feed_options *options,
                      th_feed **out, th_error *err)
{
    th_feed *feed = TH__NEW(th_feed);
    if (!feed)
        return th__fail_memory(err);
    th__arena_init(&feed->arena);
    feed->source.fd = -1;
    bool ok = th__feed_options_copy(options, &feed->arena, &feed->options) && make_queue(feed);
    th_status status = ok ? TH_OK : th__fail_memory(err);
    if (status == TH_OK && feed->options.split_of && feed->options.split >= feed->options.split_of)
        status = th__fail(err, TH_ERR_ARGUMENT, "part %u of %u: parts are counted from 0",
                          feed->options.split, feed->options.split_of);
    /* What is wrong with these is said once, and not for each URL. */
    const th_feed_options *own = &feed->options;
    if (status == TH_OK && (own->header_count || own->cookie_jar || own->proxy || own->site_file ||
                            own->cache || own->warc))
        status = th__fetcher_new(own, &feed->fetcher, err);
    if (status == TH_OK)
        status = th__walk_init(&feed->walk, inputs, count, err);
    if (status) {
        th_feed_free(feed);
        return status;
    }
    feed->walk.files_only = feed->options.files_only;
    feed->walk.cancel = &feed->options.cancel;
    feed->bytes_total = total_size(inputs, count);
    *out = feed;
    return TH_OK;
}

th_status th_feed_from(const th_feed_source *source, th_feed **out, th_error *err)
{
    th_status status = th_feed_new(NULL, 0, NULL, out, err);
    if (!status)
        (*out)->from = *source;
    else if (source->release)
        source->release(source->context);
    return status;
}

static void release_readers(const th_feed_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (parts[i].reader.read && parts[i].reader.release)
            parts[i].reader.release(parts[i].reader.context);
}

th_status th_feed_parts(const th_feed_part *parts, size_t count, const th_feed_options *options,
                        th_feed **out, th_error *err)
{
    th_feed *feed = NULL;
    th_status status = th_feed_new(NULL, 0, options, &feed, err);
    if (!status && count && !(feed->parts = TH__NEW_ARRAY(th_feed_part, count)))
        status = th__fail_memory(err);
    for (size_t i = 0; !status && i < count; i++) {
        feed->parts[i] = parts[i];
        feed->parts[i].name = th__arena_copy(&feed->arena, th_str_from(parts[i].name)).ptr;
        if (!feed->parts[i].name)
            status = th__fail_memory(err);
        else if (parts[i].start >= parts[i].end)
            status = th__fail(err, TH_ERR_ARGUMENT, "%s: a part from byte %llu to %llu is empty",
                              parts[i].name, (unsigned long long)parts[i].start,
                              (unsigned long long)parts[i].end);
    }
    if (status) {
        release_readers(parts, count);
        th_feed_free(feed);
        return status;
    }
    feed->part_count = count;
    *out = feed;
    return TH_OK;
}

static void close_archive(th_feed *feed)
{
    if (!feed->archive_name)
        return;
    th__archive_release(&feed->archive);
    th__source_release(&feed->source);
    th__mem_free(feed->archive_name);
    feed->archive_name = NULL;
}

static void release_ahead(th__ahead *item)
{
    th__mem_free(item->leaf.name);
    th__mem_free(item->problem);
}

void th_feed_free(th_feed *feed)
{
    if (!feed)
        return;
    if (feed->from.release)
        feed->from.release(feed->from.context);
    close_archive(feed);
    for (; feed->ahead_len; feed->ahead_len--) {
        release_ahead(&feed->ahead[feed->ahead_at]);
        feed->ahead_at = (feed->ahead_at + 1) % feed->ahead_cap;
    }
    th__fetcher_free(feed->fetcher);
    release_readers(feed->parts, feed->part_count);
    th__mem_free(feed->parts);
    th__mem_free(feed->ahead);
    th__stream_release(&feed->stream);
    th__walk_release(&feed->walk);
    th__arena_release(&feed->arena);
    th__mem_free(feed);
}

/* ---------------------------------------------------------------------------------- the queue */

static th_status need_fetcher(th_feed *feed, th_error *err)
{
    return feed->fetcher ? TH_OK : th__fetcher_new(&feed->options, &feed->fetcher, err);
}

static th_status queue_fetch(th_feed *feed, th__ahead *item, th_error *err)
{
    th_status status = need_fetcher(feed, err);
    if (status == TH_OK)
        status = th__fetcher_add(feed->fetcher, item->leaf.name, &item->fetch, err);
    return status;
}

/* The bytes of a file that belong to part `number` of `count`. */
static void cut(uint64_t size, uint32_t number, uint32_t count, th__walk_entry *leaf)
{
    leaf->start = size / count * number + size % count * number / count;
    leaf->end = number + 1 == count
                    ? UINT64_MAX
                    : size / count * (number + 1) + size % count * (number + 1) / count;
}

/* Returns true if whoever made the feed does not want the leaf, or its part. */
static bool is_left_out(const th_feed *feed, th__walk_entry *leaf)
{
    const th_feed_options *options = &feed->options;
    if (!options->skip)
        return false;
    bool skip = options->skip(options->skip_context, leaf->name, &leaf->start);
    if (leaf->start && !leaf->end)
        leaf->end = UINT64_MAX;
    return skip || (leaf->end && leaf->start >= leaf->end);
}

/* Returns true if some of a leaf belongs to the split, and sets which part of it. */
static bool is_mine(th_feed *feed, th__walk_entry *leaf)
{
    uint32_t number = feed->options.split, count = feed->options.split_of;
    uint64_t turn = feed->leaves++;
    struct stat info;
    bool arc;
    if (count < 2)
        return !is_left_out(feed, leaf);
    if (leaf->kind != TH__LEAF_FILE || !th__is_archive_name(th_str_from(leaf->name), &arc) ||
        stat(leaf->name, &info) != 0 || !S_ISREG(info.st_mode))
        return turn % count == number && !is_left_out(feed, leaf);
    cut((uint64_t)info.st_size, number, count, leaf);
    return leaf->start < leaf->end && !is_left_out(feed, leaf);
}

/* The next part, or leaf of the walk. */
static th_status next_leaf(th_feed *feed, th__walk_entry *out, th_error *err)
{
    if (feed->part_count) {
        if (feed->part_at == feed->part_count)
            return TH_DONE;
        const th_feed_part *part = &feed->parts[feed->part_at++];
        *out = (th__walk_entry){.kind = TH__LEAF_FILE,
                                .name = th__mem_copy(part->name, strlen(part->name)),
                                .start = part->start,
                                .end = part->end,
                                .reader = part->reader.read ? &part->reader : NULL};
        return out->name ? TH_OK : th__fail_memory(err);
    }
    for (;;) {
        th_status status = th__walk_next(&feed->walk, out, err);
        if (status || is_mine(feed, out))
            return status;
        th__mem_free(out->name);
    }
}

/* Fills the queue. An error takes its place in the queue like a page. */
static void look_ahead(th_feed *feed)
{
    while (!feed->walked && feed->ahead_len < feed->ahead_cap) {
        th__ahead item = {0};
        th_error problem;
        item.status = next_leaf(feed, &item.leaf, &problem);
        if (item.status == TH_DONE) {
            feed->walked = true;
            return;
        }
        if (item.status == TH_OK && item.leaf.kind == TH__LEAF_URL)
            item.status = queue_fetch(feed, &item, &problem);
        if (item.status && (item.problem = TH__NEW(th_error)))
            *item.problem = problem;
        feed->ahead[(feed->ahead_at + feed->ahead_len++) % feed->ahead_cap] = item;
    }
}

/* ------------------------------------------------------------------------------ files and pages */

/* Reads the whole page that the stream stands at the start of. */
static th_status read_page(th_feed *feed, const char *name, th_input **out, th_error *err)
{
    th__stream *stream = &feed->stream;
    th__buf bytes = {0};
    uint64_t limit = feed->options.max_bytes, got;
    th_status status = TH_OK;
    if (!stream->packed && stream->source->seekable && stream->source->size <= limit)
        th__buf_reserve(&bytes, (size_t)stream->source->size + 1);
    while (status == TH_OK && bytes.len <= limit) {
        status = th__stream_read(stream, limit + 1 - bytes.len, &bytes, &got, err);
        if (status == TH_OK && bytes.len <= limit) {
            if (stream->broken)
                status = th__fail_at(err, TH_ERR_FORMAT, stream->broken_at,
                                     "%s: damaged at byte %llu: %s", name,
                                     (unsigned long long)stream->broken_at, stream->broken_why);
            else
                status = th__stream_next_member(stream, err);
        }
    }
    if (status == TH_OK)
        status = th__fail(err, TH_ERR_LIMIT,
                          "%s: the page is larger than max_bytes allows (%llu); raise it with "
                          "--max-bytes",
                          name, (unsigned long long)limit);
    if (status == TH_DONE) {
        th_str text = th_str_from(name), none = {0};
        status = th__input_new(text, text, none, none, out, err);
        if (status == TH_OK)
            th__input_give(*out, &bytes, 0);
    }
    th__buf_release(&bytes);
    return status;
}

/* Begins to read an archive; its pages follow. */
static th_status open_archive(th_feed *feed, const th__archive_format *format, const char *name,
                              const th__walk_entry *leaf, th_error *err)
{
    feed->archive_name = th__mem_copy(name, strlen(name));
    if (!feed->archive_name)
        return th__fail_memory(err);
    feed->source.name = feed->archive_name;
    th__archive_init(&feed->archive, &feed->stream, format, feed->archive_name,
                     feed->options.max_bytes);
    feed->archive.any_type = feed->options.any_type;
    th_status status =
        leaf->end ? th__archive_seek_part(&feed->archive, leaf->start, leaf->end, err) : TH_OK;
    if (status)
        feed->archive.ended = true;
    return status == TH_DONE ? TH_OK : status;
}

/* Opens the stream where the source stands, and tells what archive it is, or NULL. */
static th_status look(th_feed *feed, const th__archive_format **format, th_error *err)
{
    enum { ARCHIVE_LOOK = 16 << 10 };
    th_status status = th__stream_open(&feed->stream, &feed->source, err);
    if (status == TH_OK)
        status = th__stream_need(&feed->stream, ARCHIVE_LOOK, err);
    *format = status ? NULL : th__archive_sniff(th__stream_view(&feed->stream));
    return status;
}

/* A page or, with *out NULL, an opened archive, or nothing in this part. */
static th_status read_source(th_feed *feed, const char *name, const th__walk_entry *leaf,
                             th_input **out, th_error *err)
{
    const th__archive_format *format = NULL;
    th_status status = TH_OK;
    feed->source.counter = &feed->bytes_read;
    feed->source.counted = leaf->start;
    if (leaf->start) {
        /* As a rule a part that an index gives is a whole member: the file's start can be left. */
        status = th__source_seek(&feed->source, leaf->start, err);
        if (status == TH_OK)
            status = look(feed, &format, err);
        if (status == TH_OK && format && feed->stream.packed && !feed->stream.zstd)
            return open_archive(feed, format, name, leaf, err);
        if (status == TH_OK)
            status = th__source_seek(&feed->source, 0, err);
    }
    if (status == TH_OK)
        status = look(feed, &format, err);
    if (status)
        return status;
    bool arc, named = th__is_archive_name(th_str_from(name), &arc);
    const char *binary = th__sniff_binary(th__stream_view(&feed->stream));
    if (!format && named && !binary)
        format = arc ? &th__arc_format : &th__warc_format;
    if (format)
        return open_archive(feed, format, name, leaf, err);
    if (leaf->start)
        return TH_OK; /* of another part */
    if (binary)
        return th__fail(err, TH_ERR_FORMAT, "%s: looks like %s, not a web page", name, binary);
    return read_page(feed, name, out, err);
}

static th_status read_leaf(th_feed *feed, const th__walk_entry *leaf, th_input **out, th_error *err)
{
    const char *name = leaf->name;
    th_status status = TH_OK;
    if (leaf->kind == TH__LEAF_STDIN)
        th__source_open_stdin(&feed->source, name = feed->options.stdin_name);
    else if (leaf->reader)
        th__source_open_reader(&feed->source, name, leaf->reader, leaf->end);
    else
        status = th__source_open_file(&feed->source, name, feed->options.files_only, err);
    feed->source.cancel = &feed->options.cancel;
    if (status == TH_OK && leaf->start && !feed->source.seekable)
        status = th__fail(err, TH_ERR_ARGUMENT,
                          "%s: only a part of it is asked for, but a pipe cannot be read in parts",
                          name);
    if (status == TH_OK)
        status = read_source(feed, name, leaf, out, err);
    if (!feed->archive_name)
        th__source_release(&feed->source);
    return status;
}

/* Draws a page that was read from a file, if there is one and that is wanted. */
static th_status render(th_feed *feed, th_status status, th_input **out, th_error *err)
{
    if (status || !*out || !feed->options.render)
        return status;
    status = need_fetcher(feed, err);
    if (!status)
        status = th__fetcher_render(feed->fetcher, out, err);
    if (status) {
        th_input_free(*out);
        *out = NULL;
    }
    return status;
}

/* Takes the first leaf of the queue: a page, an error, or an opened archive with *out NULL. */
static th_status take_leaf(th_feed *feed, th_input **out, th_error *err)
{
    th__ahead item = feed->ahead[feed->ahead_at];
    feed->ahead_at = (feed->ahead_at + 1) % feed->ahead_cap;
    feed->ahead_len--;
    th_status status = item.status;
    if (status && item.problem && err)
        *err = *item.problem;
    else if (status)
        th__fail_memory(err);
    else if (item.fetch)
        status = th__fetcher_take(feed->fetcher, item.fetch, out, err);
    else
        status = read_leaf(feed, &item.leaf, out, err);
    if (!item.fetch)
        status = render(feed, status, out, err);
    release_ahead(&item);
    return status;
}

static th_status next_record(th_feed *feed, th_input **out, th_error *err)
{
    uint64_t before = feed->archive.skipped;
    th_status status = th__archive_next(&feed->archive, out, err);
    atomic_fetch_add_explicit(&feed->records_skipped, feed->archive.skipped - before,
                              memory_order_relaxed);
    if (status == TH_DONE)
        close_archive(feed);
    return render(feed, status, out, err);
}

th_status th_feed_next(th_feed *feed, th_input **out, th_error *err)
{
    *out = NULL;
    if (feed->from.next)
        return feed->from.next(feed->from.context, out, err);
    for (;;) {
        th_status status = th__cancel_check(&feed->options.cancel, err);
        if (status)
            return status;
        if (feed->fetcher)
            th__fetcher_poke(feed->fetcher);
        if (feed->archive_name) {
            status = next_record(feed, out, err);
        } else {
            look_ahead(feed);
            if (feed->ahead_len == 0)
                return TH_DONE;
            status = take_leaf(feed, out, err);
            if (status == TH_OK && !*out)
                status = TH_DONE; /* an archive was opened */
        }
        if (status != TH_DONE)
            return status;
    }
}

uint64_t th_feed_bytes_read(const th_feed *feed)
{
    return atomic_load_explicit(&feed->bytes_read, memory_order_relaxed);
}

uint64_t th_feed_bytes_total(const th_feed *feed)
{
    return feed->bytes_total;
}

uint64_t th_feed_records_skipped(const th_feed *feed)
{
    return atomic_load_explicit(&feed->records_skipped, memory_order_relaxed);
}
