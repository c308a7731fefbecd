/* journal.c: see journal.h. */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "run.h"

enum { MARK_MS = 250 /* a mark at most so often: it waits for the disk */ };

/* A line about a file: it is finished, or read up to an offset. */
typedef struct known_file {
    char *name;
    size_t order; /* of its line */
    bool part;
    uint64_t offset;
    bool used;
} known_file;

struct cli_journal {
    const char *path, *output_path;
    int file, output;
    uint64_t written; /* bytes of the output */
    th_writer *writer;
    known_file *known; /* by name, and of a name in the order of the lines */
    size_t known_count, known_cap;
    bool fresh;     /* it was made now */
    bool skipped;   /* something was skipped */
    cli_text lines; /* for the next mark */
    char *current;  /* the file of the last page */
    uint64_t current_at;
    bool archive; /* the last page is a record of it */
    bool broken;  /* reading failed behind the last page */
    uint64_t marked_ms;
};

bool cli_journal_can(th_format format, bool columns)
{
    return format == TH_FORMAT_NDJSON || format == TH_FORMAT_PAGES ||
           (columns && (format == TH_FORMAT_CSV || format == TH_FORMAT_TSV));
}

static th_status io_failed(const char *path, const char *what, th_error *err)
{
    return cli_fail(err, TH_ERR_IO, "%.300s: %s: %s", path, what, strerror(errno));
}

static th_status write_bytes(int fd, const char *path, const char *bytes, size_t len, th_error *err)
{
    while (len) {
        ssize_t wrote = write(fd, bytes, len);
        if (wrote < 0 && errno != EINTR)
            return io_failed(path, "cannot be written", err);
        bytes += wrote > 0 ? wrote : 0;
        len -= wrote > 0 ? (size_t)wrote : 0;
    }
    return TH_OK;
}

/* ---- names: line ends and % become %0A and so on ---- */

static void put_name(cli_text *out, const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || *name == '%')
            cli_printf(out, "%%%02X", (unsigned char)*name);
        else
            cli_printf(out, "%c", *name);
}

static void decode_name(char *name)
{
    char *to = name;
    for (; *name; name++) {
        unsigned byte;
        if (*name == '%' && sscanf(name + 1, "%2X", &byte) == 1) {
            *to++ = (char)byte;
            name += name[1] && name[2] ? 2 : 0;
        } else {
            *to++ = *name;
        }
    }
    *to = '\0';
}

/* ---- reading ---- */

static int by_name(const void *a, const void *b)
{
    const known_file *one = a, *two = b;
    int order = strcmp(one->name, two->name);
    return order ? order : (one->order > two->order) - (one->order < two->order);
}

static bool know(cli_journal *journal, char *name, bool part, uint64_t offset)
{
    if (journal->known_count == journal->known_cap) {
        size_t cap = journal->known_cap ? 2 * journal->known_cap : 256;
        known_file *grown = realloc(journal->known, cap * sizeof *grown);
        if (!grown)
            return false;
        journal->known = grown;
        journal->known_cap = cap;
    }
    decode_name(name);
    journal->known[journal->known_count] = (known_file){
        .name = strdup(name), .order = journal->known_count, .part = part, .offset = offset};
    return journal->known[journal->known_count++].name != NULL;
}

/* Takes in the lines up to the last mark. False when one is not of a journal. */
static bool read_lines(cli_journal *journal, char *text)
{
    for (char *line = text, *end; *line; line = end + 1) {
        uint64_t number = 0;
        char *rest = line + 2;
        end = strchr(line, '\n');
        if (!end || end - line < 3 || line[1] != ' ')
            return false;
        *end = '\0';
        if (line[0] == '=' || line[0] == '@')
            number = strtoull(rest, &rest, 10);
        if (line[0] == '=')
            journal->written = number;
        else if (line[0] == '@' ? *rest != ' ' || !know(journal, rest + 1, true, number)
                                : line[0] != '+' || !know(journal, rest, false, 0))
            return false;
    }
    if (journal->known_count)
        qsort(journal->known, journal->known_count, sizeof *journal->known, by_name);
    /* Of a file that was read in parts, the last counts; a finished one behind it makes it void. */
    for (size_t i = 0; i + 1 < journal->known_count; i++)
        journal->known[i].used =
            journal->known[i].part && !strcmp(journal->known[i].name, journal->known[i + 1].name);
    return true;
}

/* The last mark ends at *good. False where there is none. */
static bool find_mark(const char *text, size_t len, size_t *good)
{
    size_t end = len;
    while (end && text[end - 1] != '\n')
        end--;
    while (end) {
        size_t start = end - 1;
        while (start && text[start - 1] != '\n')
            start--;
        if (text[start] == '=') {
            *good = end;
            return true;
        }
        end = start;
    }
    return false;
}

static bool read_journal(cli_run *run, cli_journal *journal, const char *head)
{
    size_t len, head_len = strlen(head), good;
    char *text = cli_read_file(journal->path, &len);
    th_str name = th_str_from(journal->path);
    bool ok = text != NULL;
    if (!ok)
        cli_error(run, name, "cannot be read: %s", strerror(errno));
    else if (len == 0 || (len < head_len && !memcmp(text, head, len))) {
        th_error err; /* new, or stopped as it was begun */
        ok = !ftruncate(journal->file, 0) &&
             !write_bytes(journal->file, journal->path, head, head_len, &err);
        if (!ok)
            cli_error(run, name, "cannot be written: %s", strerror(errno));
    } else if (strncmp(text, "thresh journal 1\n", 17)) {
        ok = false;
        cli_error(run, name, "is not a journal of thresh: choose another file for --resume");
    } else if (len < head_len || memcmp(text, head, head_len)) {
        ok = false;
        cli_error(
            run, name,
            "is the journal of another run (command, wrapper, format, output or split differ): "
            "choose another file for --resume, or remove it to begin anew");
    } else {
        good = head_len;
        if (find_mark(text + head_len, len - head_len, &good))
            good += head_len;
        text[good] = '\0';
        ok = read_lines(journal, text + head_len);
        if (!ok)
            cli_error(run, name, "the journal is damaged: remove it to begin anew");
        else if (ftruncate(journal->file, (off_t)good))
            cli_error(run, name, "cannot be written: %s", strerror(errno)), ok = false;
    }
    free(text);
    return ok;
}

static bool open_output(cli_run *run, cli_journal *journal)
{
    struct stat info;
    th_str name = th_str_from(journal->output_path);
    journal->output = open(journal->output_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (journal->output < 0 || fstat(journal->output, &info)) {
        cli_error(run, name, "cannot be written: %s", strerror(errno));
        return false;
    }
    if (!S_ISREG(info.st_mode)) {
        cli_error(run, name, "is not a file: --resume cannot go on with it");
        return false;
    }
    if ((uint64_t)info.st_size < journal->written) {
        cli_error(run, name,
                  "has %llu bytes, but the journal says that it had %llu: restore it, or remove %s "
                  "to begin anew",
                  (unsigned long long)info.st_size, (unsigned long long)journal->written,
                  journal->path);
        return false;
    }
    if (info.st_size && journal->fresh) {
        cli_error(run, name, "exists already: remove it, or choose another file for the output");
        return false;
    }
    if (ftruncate(journal->output, (off_t)journal->written) ||
        lseek(journal->output, (off_t)journal->written, SEEK_SET) < 0) {
        cli_error(run, name, "cannot be written: %s", strerror(errno));
        return false;
    }
    return true;
}

bool cli_journal_open(cli_run *run, const char *about)
{
    cli_journal *journal = calloc(1, sizeof *journal);
    cli_text head = {0};
    struct stat info;
    bool ok = false;
    run->journal = journal;
    if (!journal) {
        cli_error(run, (th_str){0}, "out of memory");
        return false;
    }
    journal->path = run->set.resume;
    journal->output_path = run->set.output;
    journal->output = -1;
    journal->file = open(journal->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    cli_printf(&head, "thresh journal 1\n");
    put_name(&head, about);
    cli_put(&head, "\n", sizeof "\n"); /* with the NUL: it is compared as a C string */
    if (journal->file < 0 || fstat(journal->file, &info) || !S_ISREG(info.st_mode))
        cli_error(run, th_str_from(journal->path), "cannot be written: %s",
                  journal->file < 0 ? strerror(errno) : "not a file");
    else if (flock(journal->file, LOCK_EX | LOCK_NB))
        cli_error(run, th_str_from(journal->path), "is in use by another run");
    else {
        journal->fresh = info.st_size == 0;
        ok = head.ptr && read_journal(run, journal, head.ptr) && open_output(run, journal);
    }
    cli_text_release(&head);
    return ok;
}

/* ---- output ---- */

static th_status write_output(void *context, const char *bytes, size_t len, th_error *err)
{
    cli_journal *journal = context;
    th_status status = write_bytes(journal->output, journal->output_path, bytes, len, err);
    journal->written += len;
    return status;
}

th_sink cli_journal_sink(cli_journal *journal)
{
    return (th_sink){write_output, journal};
}

bool cli_journal_has_output(const cli_journal *journal)
{
    return journal->written > 0;
}

void cli_journal_writer(cli_journal *journal, th_writer *writer)
{
    journal->writer = writer;
}

/* ---- marks ---- */

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* The output first, then the lines: lines that are there without their mark do not count. */
static th_status mark(cli_journal *journal, th_error *err)
{
    cli_text *lines = &journal->lines;
    th_status status = journal->writer ? th_writer_flush(journal->writer, err) : TH_OK;
    if (!status && fdatasync(journal->output) && errno != EINVAL)
        status = io_failed(journal->output_path, "cannot be written", err);
    cli_printf(lines, "= %llu\n", (unsigned long long)journal->written);
    if (!status && lines->status)
        *err = lines->error, status = lines->status;
    if (!status)
        status = write_bytes(journal->file, journal->path, lines->ptr ? lines->ptr : "", lines->len,
                             err);
    if (!status && fdatasync(journal->file) && errno != EINVAL)
        status = io_failed(journal->path, "cannot be written", err);
    cli_text_release(lines);
    *lines = (cli_text){0};
    journal->marked_ms = now_ms();
    return status;
}

static void put_line(cli_journal *journal, bool part)
{
    if (part)
        cli_printf(&journal->lines, "@ %llu ", (unsigned long long)journal->current_at);
    else
        cli_puts(&journal->lines, "+ ");
    put_name(&journal->lines, journal->current);
    cli_puts(&journal->lines, "\n");
}

/* The file of the last page is finished, as far as it could be read. */
static void finish_current(cli_journal *journal)
{
    if (journal->current)
        put_line(journal, journal->archive && journal->broken);
    journal->broken = false;
}

void cli_journal_failed(cli_journal *journal)
{
    journal->broken = true;
}

th_status cli_journal_page(cli_journal *journal, const th_input *input, th_error *err)
{
    th_str file = th_input_file(input);
    uint64_t at = th_input_offset(input);
    bool same = journal->current && strlen(journal->current) == file.len &&
                !memcmp(journal->current, file.ptr, file.len);
    bool archive = th_input_origin(input).len > file.len;
    th_status status = TH_OK;
    if (same && journal->archive && archive && at == journal->current_at)
        return TH_OK; /* of the same member */
    bool due = now_ms() - journal->marked_ms >= MARK_MS;
    if (!(same && journal->archive && archive && at > journal->current_at)) {
        finish_current(journal);
        free(journal->current);
        journal->current = strndup(file.ptr, file.len);
        if (!journal->current)
            return cli_no_memory(err);
    } else if (due) {
        put_line(journal, true);
    }
    if (due)
        status = mark(journal, err);
    journal->current_at = at;
    journal->archive = archive;
    return status;
}

th_status cli_journal_end(cli_journal *journal, th_error *err)
{
    finish_current(journal);
    journal->writer = NULL;
    return mark(journal, err);
}

/* ---- what is skipped ---- */

bool cli_journal_skip(void *context, const char *name, uint64_t *start)
{
    cli_journal *journal = context;
    size_t low = 0, high = journal->known_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(journal->known[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < journal->known_count && !strcmp(journal->known[low].name, name); low++) {
        known_file *file = &journal->known[low];
        if (file->used)
            continue; /* a file may be named twice, and is then read twice */
        file->used = journal->skipped = true;
        if (!file->part)
            return true;
        if (*start <= file->offset)
            *start = file->offset + 1;
        return false;
    }
    return false;
}

bool cli_journal_skipped(const cli_journal *journal)
{
    return journal->skipped;
}

void cli_journal_free(cli_journal *journal)
{
    if (!journal)
        return;
    for (size_t i = 0; i < journal->known_count; i++)
        free(journal->known[i].name);
    free(journal->known);
    free(journal->current);
    cli_text_release(&journal->lines);
    if (journal->file >= 0)
        close(journal->file);
    if (journal->output >= 0)
        close(journal->output);
    free(journal);
}
