/* warc_write.c: keeps what was fetched in a WARC archive. */
#include "feed/fetch_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <nettle/sha1.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "feed/archive.h"
#include "feed/http_message.h"

enum { LEVEL = 6, ID_SIZE = 48, DATE_SIZE = 32, DIGEST_SIZE = 40 };

struct th__warc_writer {
    char *path;
    int fd;
    uint64_t size; /* of the whole records */
    struct libdeflate_compressor *packer;
    th__buf record, packed;
    char info[ID_SIZE]; /* the id of our warcinfo */
};

/* ---- digests: SHA-1 in base 32, as archives have them ---- */

/* "sha1:" and 32 letters. */
static void digest(th_str a, th_str b, char out[DIGEST_SIZE])
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    struct sha1_ctx sha;
    unsigned char bytes[SHA1_DIGEST_SIZE];
    sha1_init(&sha);
    sha1_update(&sha, a.len, (const uint8_t *)a.ptr);
    sha1_update(&sha, b.len, (const uint8_t *)b.ptr);
    sha1_digest(&sha, sizeof bytes, bytes);
    memcpy(out, "sha1:", 5);
    for (int i = 0; i < 32; i++) {
        int bit = 5 * i, in = bit % 8;
        unsigned two = (unsigned)bytes[bit / 8] << 8 |
                       (bit / 8 + 1 < SHA1_DIGEST_SIZE ? bytes[bit / 8 + 1] : 0U);
        out[5 + i] = letters[two >> (11 - in) & 31];
    }
    out[37] = '\0';
}

/* ---- records ---- */

static void new_id(char out[ID_SIZE])
{
    unsigned char r[16];
    if (getrandom(r, sizeof r, 0) != (ssize_t)sizeof r) { /* never for so few bytes */
        struct timespec now;
        static uint64_t count;
        clock_gettime(CLOCK_REALTIME, &now);
        uint64_t mixed[2] = {th__hash(&now, sizeof now) ^ (uint64_t)getpid(), ++count};
        memcpy(r, mixed, sizeof r);
    }
    r[6] = (unsigned char)((r[6] & 0x0F) | 0x40);
    r[8] = (unsigned char)((r[8] & 0x3F) | 0x80);
    snprintf(out, ID_SIZE,
             "<urn:uuid:%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x>",
             r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11], r[12], r[13],
             r[14], r[15]);
}

static void new_date(time_t when, char out[DATE_SIZE])
{
    time_t now = when ? when : time(NULL);
    struct tm parts;
    if (!gmtime_r(&now, &parts) || !strftime(out, DATE_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts))
        snprintf(out, DATE_SIZE, "1970-01-01T00:00:00Z");
}

/* The lines that all records begin with. */
static void begin_record(th__warc_writer *warc, const char *type, const char *id, const char *date,
                         const char *content_type)
{
    th__buf_clear(&warc->record);
    th__buf_printf(&warc->record,
                   "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: %s\r\nWARC-Date: %s\r\n"
                   "Content-Type: %s\r\n",
                   type, id, date, content_type);
}

/* A record's last header lines and its block, which is in two pieces; packs it behind those that
 * wait to be written. */
static th_status end_record(th__warc_writer *warc, th_str head, th_str body, th_error *err)
{
    char block[DIGEST_SIZE];
    digest(head, body, block);
    th__buf_printf(&warc->record, "WARC-Block-Digest: %s\r\nContent-Length: %llu\r\n\r\n", block,
                   (unsigned long long)(head.len + body.len));
    th__buf_add_str(&warc->record, head);
    th__buf_add_str(&warc->record, body);
    th__buf_add(&warc->record, "\r\n\r\n", 4);
    size_t room = libdeflate_gzip_compress_bound(warc->packer, warc->record.len);
    if (warc->record.failed || !th__buf_reserve(&warc->packed, room))
        return th__fail_memory(err);
    warc->packed.len += libdeflate_gzip_compress(warc->packer, warc->record.data, warc->record.len,
                                                 warc->packed.data + warc->packed.len, room);
    return TH_OK;
}

static th_status fail_io(const th__warc_writer *warc, const char *what, th_error *err)
{
    return th__fail(err, TH_ERR_IO, "%s: cannot be %s: %s", warc->path, what, strerror(errno));
}

/* Appends the packed records. */
static th_status append(th__warc_writer *warc, th_error *err)
{
    const char *at = warc->packed.data;
    size_t left = warc->packed.len;
    while (left) {
        ssize_t wrote = write(warc->fd, at, left);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0) {
            th_status status = fail_io(warc, "written", err);
            if (ftruncate(warc->fd, (off_t)warc->size)) /* the next one to open it does so */
                return status;
            return status;
        }
        at += wrote;
        left -= (size_t)wrote;
    }
    warc->size += warc->packed.len;
    th__buf_clear(&warc->packed);
    return TH_OK;
}

static th_status add_info(th__warc_writer *warc, const char *agent, th_error *err)
{
    char date[DATE_SIZE];
    th__buf text = {0};
    const char *slash = strrchr(warc->path, '/');
    new_id(warc->info);
    new_date(0, date);
    begin_record(warc, "warcinfo", warc->info, date, "application/warc-fields");
    th__buf_printf(&warc->record, "WARC-Filename: %s\r\n", slash ? slash + 1 : warc->path);
    th__buf_printf(&text,
                   "software: thresh/" THRESH_VERSION "\r\nformat: WARC File Format 1.1\r\n"
                   "conformsTo: https://iipc.github.io/warc-specifications/specifications/"
                   "warc-format/warc-1.1/\r\nhttp-header-user-agent: %s\r\n",
                   agent);
    th_status status =
        text.failed ? th__fail_memory(err) : end_record(warc, th__buf_str(&text), TH_STR(""), err);
    th__buf_release(&text);
    return status ? status : append(warc, err);
}

/* A URL without a user's name and password. */
static void put_url(th__buf *out, const char *url)
{
    const char *host = strstr(url, "://");
    host = host ? host + 3 : url;
    size_t len = strcspn(host, "/?#");
    const char *at = memrchr(host, '@', len);
    th__buf_add(out, url, (size_t)(host - url));
    th__buf_add_str(out, th_str_from(at ? at + 1 : host));
}

static bool is_of_transfer(th_str name)
{
    return th__str_eq_nocase(name, TH_STR("Content-Encoding")) ||
           th__str_eq_nocase(name, TH_STR("Transfer-Encoding")) ||
           th__str_eq_nocase(name, TH_STR("Content-Length"));
}

/* The header of an answer as it fits the decoded body: what was said about the encoding is kept
 * under another name. HTTP/2 and 3 are written as readers of archives expect it. */
static bool put_response(th__buf *out, th_str header, size_t body)
{
    th_str line, name, value;
    uint64_t length;
    bool first = true;
    while (th__http_line(&header, &line) && line.len) {
        if (first && line.len > 6 && th__str_starts_nocase(line, TH_STR("HTTP/")) &&
            line.ptr[5] > '1') {
            size_t space = 0;
            while (space < line.len && line.ptr[space] != ' ')
                space++;
            th__buf_add_str(out, TH_STR("HTTP/1.1"));
            line = (th_str){line.ptr + space, line.len - space};
        } else if (!first && th__http_field(line, &name, &value) && is_of_transfer(name)) {
            if (th__http_number(value, &length) && length == body)
                continue; /* is said at the end */
            th__buf_add_str(out, TH_STR("X-Archive-Orig-"));
        }
        th__buf_add_str(out, line);
        th__buf_add(out, "\r\n", 2);
        first = false;
    }
    th__buf_printf(out, "Content-Length: %zu\r\n\r\n", body);
    return !first && !out->failed;
}

th_status th__warc_add(th__warc_writer *warc, const th__warc_exchange *exchange, th_error *err)
{
    char id[ID_SIZE], request_id[ID_SIZE], date[DATE_SIZE], payload[DIGEST_SIZE];
    th__buf url = {0}, header = {0};
    th_status status = TH_OK;
    th__buf_clear(&warc->packed);
    new_id(id);
    new_id(request_id);
    new_date(exchange->when, date);
    put_url(&url, exchange->url);
    th__buf_add_byte(&url, '\0');
    digest(exchange->body, TH_STR(""), payload);
    if (url.failed || !put_response(&header, exchange->response, exchange->body.len)) {
        status = th__fail_memory(err);
        goto out;
    }
    begin_record(warc, "response", id, date, "application/http; msgtype=response");
    th__buf_printf(&warc->record, "WARC-Target-URI: %s\r\nWARC-Warcinfo-ID: %s\r\n", url.data,
                   warc->info);
    if (exchange->address[0])
        th__buf_printf(&warc->record, "WARC-IP-Address: %s\r\n", exchange->address);
    th__buf_printf(&warc->record, "WARC-Payload-Digest: %s\r\n", payload);
    status = end_record(warc, th__buf_str(&header), exchange->body, err);
    if (!status && exchange->request.len) {
        begin_record(warc, "request", request_id, date, "application/http; msgtype=request");
        th__buf_printf(&warc->record,
                       "WARC-Target-URI: %s\r\nWARC-Warcinfo-ID: %s\r\nWARC-Concurrent-To: %s\r\n",
                       url.data, warc->info, id);
        status = end_record(warc, exchange->request, TH_STR(""), err);
    }
    if (!status)
        status = append(warc, err);
out:
    th__buf_release(&url);
    th__buf_release(&header);
    return status;
}

/* ---- going on with an archive ---- */

static th_status go_on_with(th__warc_writer *warc, th_error *err)
{
    struct stat info;
    if (fstat(warc->fd, &info))
        return fail_io(warc, "read", err);
    if (!S_ISREG(info.st_mode))
        return th__fail(err, TH_ERR_ARGUMENT, "%s: is not a plain file", warc->path);
    if (!info.st_size)
        return TH_OK;
    th_status status = th__archive_find_end(warc->path, &warc->size, err);
    if (!status && warc->size < (uint64_t)info.st_size && ftruncate(warc->fd, (off_t)warc->size))
        status = fail_io(warc, "cut to its last whole record", err);
    return status;
}

th_status th__warc_open(const char *path, const char *agent, th__warc_writer **out, th_error *err)
{
    th__warc_writer *warc = TH__NEW(th__warc_writer);
    *out = NULL;
    if (!warc)
        return th__fail_memory(err);
    warc->fd = -1;
    warc->path = th__mem_copy(path, strlen(path));
    warc->packer = libdeflate_alloc_compressor(LEVEL);
    th_status status = warc->path && warc->packer ? TH_OK : th__fail_memory(err);
    if (!status)
        warc->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (!status && warc->fd < 0)
        status = fail_io(warc, "written", err);
    if (!status && flock(warc->fd, LOCK_EX | LOCK_NB))
        status = th__fail(err, TH_ERR_IO, "%s: another process is writing to it", path);
    if (!status)
        status = go_on_with(warc, err);
    if (!status)
        status = add_info(warc, agent, err);
    if (status)
        th__warc_close(warc);
    else
        *out = warc;
    return status;
}

void th__warc_close(th__warc_writer *warc)
{
    if (!warc)
        return;
    if (warc->fd >= 0)
        close(warc->fd);
    if (warc->packer)
        libdeflate_free_compressor(warc->packer);
    th__buf_release(&warc->record);
    th__buf_release(&warc->packed);
    th__mem_free(warc->path);
    th__mem_free(warc);
}
