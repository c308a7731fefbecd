/*
 * project_pages.c: the pages of a project and their labels.
 *
 * A content is kept once, compressed, under its SHA-256: an attacker who writes pages must not be
 * able to have one taken for another.
 */
#include <libdeflate.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "store/project.h"

enum {
    LEVEL = 6,
    LARGEST = 1 << 30,
    MOST_RATIO = 1032,     /* deflate cannot do better */
    QUEUE_PAGES = 100,     /* a queue with more pages, */
    QUEUE_BYTES = 8 << 20, /* more bytes, */
    QUEUE_SECONDS = 1      /* or a page that waits so long is written */
};

/* ---- contents -------------------------------------------------------------------------------- */

static th_str digest_of(th_str bytes, uint8_t out[TH__DIGEST_SIZE])
{
    struct sha256_ctx sha;
    sha256_init(&sha);
    sha256_update(&sha, bytes.len, (const uint8_t *)bytes.ptr);
    sha256_digest(&sha, TH__DIGEST_SIZE, out);
    return (th_str){(const char *)out, TH__DIGEST_SIZE};
}

static th_status deflate(th_str bytes, th__buf *out, th_error *err)
{
    struct libdeflate_compressor *deflater = libdeflate_alloc_compressor(LEVEL);
    if (!deflater)
        return th__fail_memory(err);
    size_t bound = libdeflate_deflate_compress_bound(deflater, bytes.len);
    if (th__buf_reserve(out, bound))
        out->len = libdeflate_deflate_compress(deflater, bytes.ptr, bytes.len, out->data, bound);
    libdeflate_free_compressor(deflater);
    return out->failed ? th__fail_memory(err) : TH_OK;
}

th_status th__project_add_body(th_project *project, th_str bytes, int64_t *id, th_error *err)
{
    uint8_t space[TH__DIGEST_SIZE];
    th_str digest = digest_of(bytes, space);
    th_status status =
        th__project_number(project, id, err, "SELECT id FROM body WHERE digest = ?", "b", digest);
    if (status != TH_DONE)
        return status;
    th__buf data = {0};
    status = deflate(bytes, &data, err);
    if (!status)
        status =
            th__project_do(project, err, "INSERT INTO body (digest, size, data) VALUES (?, ?, ?)",
                           "bib", digest, (int64_t)bytes.len, th__buf_str(&data));
    *id = sqlite3_last_insert_rowid(project->db);
    th__buf_release(&data);
    return status;
}

static th_status damaged(const th_project *project, const char *what, int64_t id, th_error *err)
{
    return th__fail(err, TH_ERR_FORMAT, "%s is damaged: %s %lld cannot be read back", project->path,
                    what, (long long)id);
}

/* What was compressed, checked against its digest. */
th_status th__project_read_body(const th_project *project, const char *what, int64_t id,
                                sqlite3_stmt *row, th_text *out, th_error *err)
{
    th_str digest = th__project_column(row, 0), data = th__project_column(row, 2);
    int64_t size = sqlite3_column_int64(row, 1);
    uint8_t space[TH__DIGEST_SIZE];
    if (size > LARGEST || (uint64_t)size > data.len * MOST_RATIO)
        return damaged(project, what, id, err);
    th__buf bytes = {out->ptr, 0, out->cap, false};
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    bool room = inflater && th__buf_reserve(&bytes, (size_t)size + 1);
    enum libdeflate_result result =
        room ? libdeflate_deflate_decompress(inflater, data.ptr, data.len, bytes.data, (size_t)size,
                                             NULL)
             : LIBDEFLATE_SUCCESS;
    if (inflater)
        libdeflate_free_decompressor(inflater);
    *out = (th_text){bytes.data, 0, bytes.cap};
    if (!room)
        return th__fail_memory(err);
    out->len = (size_t)size;
    out->ptr[size] = '\0';
    if (result != LIBDEFLATE_SUCCESS ||
        !th__str_eq(digest, digest_of((th_str){out->ptr, out->len}, space)))
        return damaged(project, what, id, err);
    return TH_OK;
}

th_status th_project_page_bytes(th_project *project, int64_t id, th_text *out, th_error *err)
{
    sqlite3_stmt *row;
    th_status status = th__project_prepare(project, &row, err,
                                           "SELECT digest, size, data FROM page LEFT JOIN body"
                                           " ON body.id = page.body WHERE page.id = ?",
                                           "i", id);
    if (status)
        return status;
    status = th__project_step(project, row, err);
    if (status == TH_DONE)
        status =
            th__fail(err, TH_ERR_ARGUMENT, "%s has no page %lld", project->path, (long long)id);
    else if (!status)
        status = th__project_read_body(project, "page", id, row, out, err);
    sqlite3_finalize(row);
    return status;
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* The latest page of a name is the one that was added last. */
#define LATEST                                                                                     \
    "(SELECT max(id) FROM page AS other WHERE other.site = page.site AND "                         \
    "other.name = page.name)"

static th_status add_page(th_project *project, th_str site, th_str name,
                          const th_page_source *source, th_str bytes, int64_t *id, bool *added,
                          th_error *err)
{
    int64_t site_id = 0, body = 0;
    th_status status = th__project_site(project, site, &site_id, err);
    if (!status)
        status = th__project_add_body(project, bytes, &body, err);
    if (!status)
        status = th__project_number(project, id, err,
                                    "SELECT id FROM page WHERE site = ? AND name = ? AND body = ?"
                                    " AND id = " LATEST,
                                    "iti", site_id, name, body);
    *added = status == TH_DONE;
    if (status != TH_DONE)
        return status;
    status = th__project_do(project, err,
                            "INSERT INTO page (site, name, url, charset, body, added)"
                            " VALUES (?, ?, ?, ?, ?, " TH__NOW ")",
                            "ittti", site_id, name, source->url, source->charset, body);
    *id = sqlite3_last_insert_rowid(project->db);
    return status;
}

static th_status check_page(th_str name, th_str bytes, th_error *err)
{
    if (!name.ptr || !name.len)
        return th__fail(err, TH_ERR_ARGUMENT, "a page needs a name");
    if (bytes.len > LARGEST)
        return th__fail(err, TH_ERR_LIMIT, "%.*s: pages of a project have at most %d bytes",
                        TH_STR_ARG(name), LARGEST);
    return TH_OK;
}

th_status th_project_add_page(th_project *project, th_str site, th_str name,
                              const th_page_source *source, th_str bytes, int64_t *id, bool *added,
                              th_error *err)
{
    th_page_source none = {0};
    int64_t own_id;
    bool own_added;
    th_status status = check_page(name, bytes, err);
    if (!status)
        status = th__project_enter(project, err);
    if (status)
        return status;
    status = add_page(project, site, name, source ? source : &none, bytes, id ? id : &own_id,
                      added ? added : &own_added, err);
    return th__project_leave(project, status, err);
}

/* ---- visits ---------------------------------------------------------------------------------- */

static th_status add_visit(th_project *project, th_str site, th_str address, th__visit_kind kind,
                           const th_input *input, th_str text, int64_t *page, th_error *err)
{
    int64_t id = 0;
    bool added;
    th_page_source source;
    th_status status = th__project_site(project, site, &id, err);
    if (!status && kind == TH__VISIT_PAGE) {
        th_input_source(input, &source);
        status = add_page(project, site, th_input_name(input), &source, th_input_bytes(input), page,
                          &added, err);
    }
    return status ? status
                  : th__project_do(project, err,
                                   "INSERT OR REPLACE INTO visit (site, address, kind, page, text)"
                                   " VALUES (?, ?, ?, nullif(?, 0), ?)",
                                   "itiit", id, address, (int64_t)kind,
                                   kind == TH__VISIT_PAGE ? *page : 0, text);
}

th_status th__project_add_visit(th_project *project, th_str site, th_str address,
                                th__visit_kind kind, const th_input *input, th_str text,
                                int64_t *page, th_error *err)
{
    th_status status = input ? check_page(th_input_name(input), th_input_bytes(input), err) : TH_OK;
    if (!status)
        status = th__project_enter(project, err);
    if (status)
        return status;
    status = add_visit(project, site, address, kind, input, text, page, err);
    return th__project_leave(project, status, err);
}

th_status th__project_find_visit(th_project *project, th_str site, th_str address,
                                 th__visit_kind *kind, int64_t *page, th__buf *text, th_error *err)
{
    sqlite3_stmt *row;
    th_status status = th__project_prepare(
        project, &row, err,
        "SELECT kind, coalesce(page, 0), coalesce(text, '') FROM visit WHERE address = ?"
        " AND site = (SELECT id FROM site WHERE name = ?)",
        "tt", address, site);
    if (status)
        return status;
    status = th__project_step(project, row, err);
    if (!status) {
        *kind = (th__visit_kind)sqlite3_column_int64(row, 0);
        *page = sqlite3_column_int64(row, 1);
        th__buf_clear(text);
        if (*kind > TH__VISIT_FAILED || (*kind == TH__VISIT_PAGE && !*page))
            status = TH_DONE; /* somebody has changed it: as if it were not there */
        else if (!th__buf_add_str(text, th__project_column(row, 2)))
            status = th__fail_memory(err);
    }
    sqlite3_finalize(row);
    return status;
}

th_status th__project_forget_visits(th_project *project, th_str site, th_error *err)
{
    return th__project_do(project, err,
                          "DELETE FROM visit WHERE site = (SELECT id FROM site WHERE name = ?)",
                          "t", site);
}

/* ---- the queue of pages to add --------------------------------------------------------------- */

void th__project_clear_queue(th_project *project)
{
    for (size_t i = 0; i < project->queue.len; i++) {
        th__mem_free(project->queue.data[i].site);
        th_input_free(project->queue.data[i].input);
    }
    project->queue.len = 0;
    project->queue_bytes = 0;
}

static th_status write_queue(th_project *project, th_error *err)
{
    uint64_t count = 0;
    th_status status = project->queue.len ? th__project_enter(project, err) : TH_OK;
    if (status || !project->queue.len)
        return status;
    for (size_t i = 0; !status && i < project->queue.len; i++) {
        const th__queued_page *page = &project->queue.data[i];
        th_page_source source;
        int64_t id;
        bool added = false;
        th_input_source(page->input, &source);
        status = add_page(project, th_str_from(page->site), th_input_name(page->input), &source,
                          th_input_bytes(page->input), &id, &added, err);
        count += added;
    }
    status = th__project_leave(project, status, err);
    if (!status) {
        project->queue_added += count;
        project->queue_known += project->queue.len - count;
    }
    th__project_clear_queue(project);
    return status;
}

static uint64_t seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec;
}

th_status th_project_queue_page(th_project *project, th_str site, th_input *input, th_error *err)
{
    th__queued_page page = {th__mem_copy(site.ptr, site.len), input};
    th_str name = th_input_name(input);
    th_status status = check_page(name, th_input_bytes(input), err);
    if (!status && (!page.site || !th__vec_push(&project->queue, page)))
        status = th__fail_memory(err);
    if (status) {
        th__mem_free(page.site);
        th_input_free(input);
        return status;
    }
    if (project->queue.len == 1)
        project->queue_since = seconds();
    project->queue_bytes += th_input_bytes(input).len;
    return project->queue.len >= QUEUE_PAGES || project->queue_bytes >= QUEUE_BYTES ||
                   seconds() - project->queue_since >= QUEUE_SECONDS
               ? write_queue(project, err)
               : TH_OK;
}

th_status th_project_add_queued(th_project *project, uint64_t *added, uint64_t *known,
                                th_error *err)
{
    th_status status = write_queue(project, err);
    if (added)
        *added = project->queue_added;
    if (known)
        *known = project->queue_known;
    project->queue_added = project->queue_known = 0;
    return status;
}

th_status th_project_remove_page(th_project *project, int64_t id, bool *removed, th_error *err)
{
    th_status status = th__project_enter(project, err);
    if (status)
        return status;
    status = th__project_do(project, err, "DELETE FROM page WHERE id = ?", "i", id);
    *removed = !status && sqlite3_changes(project->db) > 0;
    return th__project_leave(project, status, err);
}

th_status th_project_page_site(th_project *project, int64_t id, th_text *out, th_error *err)
{
    sqlite3_stmt *row;
    th__buf name = {out->ptr, 0, out->cap, false};
    th_status status = th__project_prepare(
        project, &row, err,
        "SELECT site.name FROM page JOIN site ON site.id = page.site WHERE page.id = ?", "i", id);
    if (status)
        return status;
    status = th__project_step(project, row, err);
    if (!status &&
        (!th__buf_add_str(&name, th__project_column(row, 0)) || !th__buf_add_byte(&name, '\0')))
        status = th__fail_memory(err);
    *out = (th_text){name.data, name.len ? name.len - 1 : 0, name.cap};
    sqlite3_finalize(row);
    return status;
}

th_status th_project_pages(th_project *project, th_str site, bool all,
                           th_status (*each)(void *context, const th_project_page *page,
                                             th_error *err),
                           void *context, th_error *err)
{
    sqlite3_stmt *rows;
    th_status status = th__project_prepare(
        project, &rows, err,
        "SELECT page.id, site.name, page.name, page.url, page.charset, page.added, body.size,"
        " page.id = " LATEST " AS latest,"
        " EXISTS (SELECT 1 FROM label WHERE label.site = page.site AND label.page = page.name)"
        " FROM page JOIN site ON site.id = page.site JOIN body ON body.id = page.body"
        " WHERE (?1 IS NULL OR site.name = ?1) AND (?2 OR latest) ORDER BY page.id",
        "ti", site, (int64_t)all);
    while (!status && !(status = th__project_step(project, rows, err))) {
        th_project_page page = {.id = sqlite3_column_int64(rows, 0),
                                .site = th__project_column(rows, 1),
                                .name = th__project_column(rows, 2),
                                .url = th__project_column(rows, 3),
                                .charset = th__project_column(rows, 4),
                                .added = th__project_column(rows, 5),
                                .size = (uint64_t)sqlite3_column_int64(rows, 6),
                                .latest = sqlite3_column_int(rows, 7) != 0,
                                .labelled = sqlite3_column_int(rows, 8) != 0};
        status = each(context, &page, err);
    }
    return th__project_close(rows, status);
}

/* The page of an id as an input. */
static th_status input_of(th_project *project, int64_t id, th_text *bytes, th_input **out,
                          th_error *err)
{
    sqlite3_stmt *row;
    th_status status = th_project_page_bytes(project, id, bytes, err);
    if (status)
        return status;
    status = th__project_prepare(project, &row, err,
                                 "SELECT name, url, charset FROM page WHERE id = ?", "i", id);
    if (!status)
        status = th__project_step(project, row, err);
    if (!status) {
        th_page_source source = {.url = th__project_column(row, 1),
                                 .charset = th__project_column(row, 2)};
        status = th_input_new(th__project_column(row, 0), &source, (th_str){bytes->ptr, bytes->len},
                              out, err);
    }
    sqlite3_finalize(row);
    return status;
}

th_status th_project_page_input(th_project *project, int64_t id, th_input **out, th_error *err)
{
    th_text bytes = {0};
    int64_t known = 0;
    *out = NULL;
    th_status status =
        th__project_number(project, &known, err, "SELECT id FROM page WHERE id = ?", "i", id);
    if (!status)
        status = input_of(project, id, &bytes, out, err);
    th_text_release(&bytes);
    return status;
}

th_status th_project_find_page(th_project *project, th_str site, th_str name, th_input **out,
                               th_error *err)
{
    int64_t id = 0;
    *out = NULL;
    th_status status =
        th__project_number(project, &id, err,
                           "SELECT page.id FROM page JOIN site ON site.id = page.site"
                           " WHERE site.name = ? AND page.name = ? ORDER BY page.id DESC LIMIT 1",
                           "tt", site, name);
    if (!status)
        status = th_project_page_input(project, id, out, err);
    return status;
}

/* ---- as a feed ------------------------------------------------------------------------------- */

/* A connection of its own: a feed is read in another thread than what the run writes. */
typedef struct page_feed {
    th_project *project;
    TH__VEC(int64_t) ids;
    size_t next;
    th_text bytes;
} page_feed;

static th_status next_page(void *context, th_input **out, th_error *err)
{
    page_feed *feed = context;
    if (feed->next == feed->ids.len)
        return TH_DONE;
    return input_of(feed->project, feed->ids.data[feed->next++], &feed->bytes, out, err);
}

static void release_feed(void *context)
{
    page_feed *feed = context;
    th_project_free(feed->project);
    th__vec_release(&feed->ids);
    th_text_release(&feed->bytes);
    th__mem_free(feed);
}

static th_status note_id(void *context, const th_project_page *page, th_error *err)
{
    page_feed *feed = context;
    return th__vec_push(&feed->ids, page->id) ? TH_OK : th__fail_memory(err);
}

th_status th_project_feed(th_project *project, th_str site, th_feed **out, th_error *err)
{
    page_feed *feed = TH__NEW(page_feed);
    *out = NULL;
    if (!feed)
        return th__fail_memory(err);
    th_status status = th_project_open(project->path, TH_PROJECT_OPEN, &feed->project, err);
    if (!status)
        status = th_project_pages(feed->project, site, false, note_id, feed, err);
    if (status) {
        release_feed(feed);
        return status;
    }
    return th_feed_from(&(th_feed_source){next_page, release_feed, feed}, out, err);
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* A line must be one that a learner can read, and be about the page. */
static th_status check_line(th_str page, th_str line, th_error *err)
{
    th_labels *labels;
    th_status status = th_labels_read(line, "labels", &labels, err);
    if (status)
        return status;
    if (th_labels_count(labels) != 1 || !th__str_eq(th_labels_page(labels, 0), page))
        status = th__fail(err, TH_ERR_ARGUMENT, "the labels of %.*s must be one line about it",
                          TH_STR_ARG(page));
    th_labels_free(labels);
    return status;
}

th_status th_project_set_labels(th_project *project, th_str site, th_str page, th_str line,
                                th_error *err)
{
    int64_t id = 0;
    while (line.len && line.ptr[line.len - 1] == '\n')
        line.len--;
    th_status status = line.ptr ? check_line(page, line, err) : TH_OK;
    if (!status)
        status = th__project_enter(project, err);
    if (status)
        return status;
    status = th__project_site(project, site, &id, err);
    if (!status && line.ptr)
        status = th__project_do(project, err,
                                "INSERT INTO label (site, page, line) VALUES (?, ?, ?)"
                                " ON CONFLICT (site, page) DO UPDATE SET line = excluded.line",
                                "itt", id, page, line);
    else if (!status)
        status = th__project_do(project, err, "DELETE FROM label WHERE site = ? AND page = ?", "it",
                                id, page);
    return th__project_leave(project, status, err);
}

th_status th_project_label_lines(th_project *project, th_str site, th_text *out, th_error *err)
{
    sqlite3_stmt *rows;
    th__buf text = {out->ptr, 0, out->cap, false};
    th_status status = th__project_prepare(project, &rows, err,
                                           "SELECT line FROM label JOIN site ON site.id = "
                                           "label.site WHERE (?1 IS NULL OR site.name = ?1)"
                                           " ORDER BY site.id, label.page",
                                           "t", site);
    if (status)
        return status;
    while (!(status = th__project_step(project, rows, err))) {
        th__buf_add_str(&text, th__project_column(rows, 0));
        th__buf_add_byte(&text, '\n');
    }
    th__buf_add_byte(&text, '\0');
    status = th__project_close(rows, status);
    *out = (th_text){text.data, text.len ? text.len - 1 : 0, text.cap};
    return text.failed ? th__fail_memory(err) : status;
}

th_status th_project_labels(th_project *project, th_str site, th_labels **out, th_error *err)
{
    th_text lines = {0};
    *out = NULL;
    th_status status = th_project_label_lines(project, site, &lines, err);
    if (!status)
        status = th_labels_read((th_str){lines.ptr, lines.len}, project->path, out, err);
    th_text_release(&lines);
    return status;
}
