/* run.c: one run of a command. */
#include "run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- messages ---- */

static void say(cli_run *run, cli_paint paint, th_str name, const char *format, va_list args)
{
    cli_text line = {0}, message = {0};
    cli_vprintf(&message, format, args);
    cli_put_paint(&line, run->color_error, paint);
    cli_puts(&line, "thresh:");
    cli_put_paint(&line, run->color_error, CLI_PLAIN);
    cli_puts(&line, " ");
    if (name.ptr) {
        cli_put_safe(&line, name, 0);
        cli_puts(&line, ": ");
    }
    cli_put_safe(&line, (th_str){message.ptr, message.len}, 0);
    cli_puts(&line, "\n");
    cli_progress_hide(run->sink.progress);
    fwrite(line.ptr ? line.ptr : "", 1, line.len, stderr);
    cli_text_release(&line);
    cli_text_release(&message);
}

void cli_error(cli_run *run, th_str name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(run, CLI_BAD, name, format, args);
    va_end(args);
    run->failed++;
}

void cli_note(cli_run *run, th_str name, const char *format, ...)
{
    if (run->set.quiet)
        return;
    va_list args;
    va_start(args, format);
    say(run, CLI_HEAD, name, format, args);
    va_end(args);
}

/* ---- signals: with -o a half-written file is removed first ---- */

static volatile sig_atomic_t stopped_by; /* the one global: a handler reaches nothing else */

static void on_signal(int number)
{
    static const char words[] =
        "\nthresh: stopping after the current page; interrupt again to quit now\n";
    stopped_by = number;
    ssize_t ignored = write(STDERR_FILENO, words, sizeof words - 1);
    (void)ignored;
}

bool cli_stopped(void)
{
    return stopped_by != 0;
}

void cli_catch_signals(const cli_run *run)
{
    if (!run->set.output)
        return;
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    /* The second signal has its default effect again. */
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND | SA_RESTART};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction old;
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(numbers[i], &action, NULL);
    }
}

static bool is_same_file(const char *path, const struct stat *other)
{
    struct stat own;
    return path && stat(path, &own) == 0 && S_ISREG(own.st_mode) && own.st_dev == other->st_dev &&
           own.st_ino == other->st_ino;
}

/* ---- pages ---- */

typedef struct pages {
    cli_run *run;
    const cli_job *job;
} pages;

static th_status parse_page(const cli_run *run, th_parser *parser, const th_input *input,
                            th_page **out, th_error *err)
{
    th_page_source source;
    th_input_source(input, &source);
    if (run->set.url && !source.url.ptr)
        source.url = th_str_from(run->set.url);
    if (run->set.charset)
        source.charset = th_str_from(run->set.charset);
    return th_parser_parse(parser, th_input_bytes(input), &source, out, err);
}

/* The page goes with the result, which may need it. */
typedef struct outcome {
    th_page *page;
    void *result;
} outcome;

static void outcome_free(outcome *done)
{
    if (!done)
        return;
    th_page_free(done->page);
    free(done);
}

static th_status work(void *context, th_parser *parser, const th_input *input, void **result,
                      th_error *err)
{
    const pages *p = context;
    outcome *done = calloc(1, sizeof *done);
    if (!done)
        return cli_no_memory(err);
    th_status status = parse_page(p->run, parser, input, &done->page, err);
    if (!status && p->job->work)
        status = p->job->work(p->run, done->page, input, p->job->context, &done->result, err);
    if (status)
        outcome_free(done);
    else
        *result = done;
    return status;
}

static void discard(void *context, void *result)
{
    const pages *p = context;
    outcome *done = result;
    if (done->result && p->job->discard)
        p->job->discard(done->result);
    outcome_free(done);
}

/* A page that was redirected may be another page than the user wants. */
static void tell_arrival(cli_run *run, const th_page *page, th_str name)
{
    th_str url = th_page_url(page);
    th_arrival arrival = th_page_arrival(page, name);
    if (arrival != TH_ARRIVED)
        cli_note(run, name, "was redirected to %.*s%s", (int)url.len, url.ptr,
                 arrival == TH_ARRIVED_LOGIN ? ", which looks like a login page"
                                             : ", which is on another host");
}

/* Prints what the user should know about how the page was rendered. */
static void tell_rendering(cli_run *run, const th_input *input)
{
    th_str note = th_input_note(input);
    if (note.len)
        cli_note(run, th_input_name(input), "%.*s", (int)note.len, note.ptr);
}

/* Returns true for a page of a folder or a list that is the output file too. */
static bool is_output(const cli_run *run, const th_input *input)
{
    struct stat output;
    char path[4096];
    th_str origin = th_input_origin(input);
    if (!run->set.output || stat(run->set.output, &output) || !origin.ptr)
        return false;
    snprintf(path, sizeof path, "%.*s", (int)origin.len, origin.ptr);
    return is_same_file(path, &output);
}

static th_status emit(void *context, const th_input *input, th_status status, void *result,
                      const th_error *err)
{
    const pages *p = context;
    cli_run *run = p->run;
    th_error problem = {0};
    if (status) {
        /* The feed's own messages have the name in them. */
        cli_error(run, input ? th_input_name(input) : (th_str){0}, "%s", err->message);
        if (run->journal && !input && status == TH_ERR_IO)
            cli_journal_failed(run->journal);
        return stopped_by ? TH_ERR_CANCELLED : TH_OK;
    }
    outcome *done = result;
    run->pages++;
    cli_progress_page(run->sink.progress);
    tell_arrival(run, done->page, th_input_name(input));
    tell_rendering(run, input);
    if (is_output(run, input)) {
        discard(context, result);
        cli_error(run, th_input_name(input),
                  "is an input and would be overwritten: choose another file for the output");
        return TH_ERR_CANCELLED;
    }
    if (run->journal)
        status = cli_journal_page(run->journal, input, &problem);
    if (status) {
        discard(context, result);
    } else {
        status = p->job->done(run, done->page, input, p->job->context, done->result, &problem);
        if (!status)
            status = cli_project_keep(run, input, &problem);
        outcome_free(done);
    }
    if (status && !run->sink.closed)
        cli_error(run, (th_str){0}, "%s", problem.message);
    return stopped_by ? TH_ERR_CANCELLED : status;
}

void cli_feed_options(const cli_run *run, th_feed_options *options)
{
    const cli_settings *set = &run->set;
    th_feed_options_init(options);
    options->allow_private = set->allow_private;
    options->ignore_robots = set->ignore_robots;
    options->user_agent = set->user_agent;
    options->headers = set->headers.items;
    options->header_count = set->headers.count;
    options->cookie_jar = set->cookie_jar;
    options->proxy = set->proxy;
    options->site_file = set->site_file;
    options->cache = set->cache;
    options->cache_age_s = set->cache_age_s;
    if (set->max_bytes)
        options->max_bytes = set->max_bytes;
    if (set->timeout_ms)
        options->timeout_ms = (uint32_t)set->timeout_ms;
    if (set->max_redirects != CLI_NOT_GIVEN)
        options->max_redirects = (uint32_t)set->max_redirects;
    if (set->retries != CLI_NOT_GIVEN)
        options->retries = (uint32_t)set->retries;
    if (set->delay_ms != CLI_NOT_GIVEN)
        options->host_delay_ms = (uint32_t)set->delay_ms;
    if (set->max_wait_ms != CLI_NOT_GIVEN)
        options->max_wait_ms = (uint32_t)set->max_wait_ms;
    options->warc = set->warc;
    if (options->connect_timeout_ms > options->timeout_ms)
        options->connect_timeout_ms = options->timeout_ms;
    options->render = set->render || set->wait_for || set->scroll;
    options->render_wait_for = set->wait_for;
    options->render_scroll = (uint32_t)set->scroll;
    options->split = set->split_part;
    options->split_of = set->split_of;
    if (run->journal) {
        options->skip = cli_journal_skip;
        options->skip_context = run->journal;
    }
}

void cli_parser_options(const cli_run *run, th_parser_options *options)
{
    th_parser_options_init(options);
    if (run->set.max_bytes)
        options->max_bytes = run->set.max_bytes;
    if (run->set.max_depth)
        options->max_depth = (uint32_t)run->set.max_depth;
}

static void tell_end(cli_run *run, const th_feed *feed)
{
    uint64_t skipped = th_feed_records_skipped(feed);
    bool enough = run->set.split_of || (run->journal && cli_journal_skipped(run->journal));
    if (run->pages == 0 && run->failed == 0 && run->project.file && !run->operand_count)
        cli_error(run, (th_str){0}, "site %.*s of %s has no pages: `thresh project add` adds some",
                  (int)run->project.site.len, run->project.site.ptr, run->project.path);
    else if (run->pages == 0 && run->failed == 0 && !enough)
        cli_error(run, (th_str){0}, "no pages in the input%s",
                  skipped ? ": the archives contain no HTML" : "");
    if (run->set.verbose)
        cli_note(run, (th_str){0}, "%llu page%s done, %llu error%s, %llu archive records skipped",
                 (unsigned long long)run->pages, run->pages == 1 ? "" : "s",
                 (unsigned long long)run->failed, run->failed == 1 ? "" : "s",
                 (unsigned long long)skipped);
}

/* Notes of --follow, which are made while pages are read and printed when all are: a line each,
 * the URL and the words separated by a zero byte. */
static void followed(void *context, th_str start, size_t count, th_str why)
{
    cli_text *notes = context;
    cli_put(notes, start.ptr ? start.ptr : "", start.len);
    cli_put(notes, "", 1);
    if (start.ptr)
        cli_printf(notes, "followed to %zu page%s: ", count, count == 1 ? "" : "s");
    else
        cli_printf(notes, "%zu page%s not followed: ", count, count == 1 ? " is" : "s are");
    cli_put(notes, why.ptr, why.len);
    cli_put(notes, "", 1);
}

static void tell_followed(cli_run *run, const cli_text *notes)
{
    for (size_t at = 0; at < notes->len;) {
        const char *start = notes->ptr + at, *words = start + strlen(start) + 1;
        cli_note(run, *start ? th_str_from(start) : (th_str){0}, "%s", words);
        at = (size_t)(words - notes->ptr) + strlen(words) + 1;
    }
}

/* Opens the inputs; pages of a project are stored, so that there is nothing to follow. */
static th_status open_feed(cli_run *run, const char *const *inputs, size_t count, cli_text *notes,
                           th_feed **out, th_error *err)
{
    th_feed_options feeding;
    th_follow_options following;
    cli_feed_options(run, &feeding);
    if (!run->set.follow || !count)
        return cli_project_feed(run, inputs, count, &feeding, out, err);
    th_follow_options_init(&following);
    following.pages = (uint32_t)run->set.follow;
    following.wrapper = run->follow_by;
    following.ended = followed;
    following.context = notes;
    return th_feed_follow(inputs, count, &feeding, &following, out, err);
}

th_status cli_run_pages(cli_run *run, const char *const *inputs, size_t count, const cli_job *job)
{
    th_parser_options parsing;
    th_feed *feed;
    th_error err;
    cli_text notes = {0};
    cli_parser_options(run, &parsing);
    th_status status = open_feed(run, inputs, count, &notes, &feed, &err);
    if (status) {
        cli_error(run, (th_str){0}, "%s", err.message);
        run->reported = true;
        return status;
    }
    cli_catch_signals(run);
    if (!run->set.quiet)
        run->sink.progress = cli_progress_start(feed);
    pages p = {run, job};
    th_feed_job through = {work, emit, discard, &p};
    uint64_t failed = run->failed;
    status = th_feed_map(feed, (unsigned)run->set.jobs, &parsing, &through, &err);
    cli_progress_stop(run->sink.progress);
    run->sink.progress = NULL;
    if (status && status != TH_ERR_CANCELLED && !run->sink.closed && run->failed == failed)
        cli_error(run, (th_str){0}, "%s", err.message);
    run->reported = status != TH_OK;
    tell_followed(run, &notes);
    cli_text_release(&notes);
    if (!status)
        tell_end(run, feed);
    th_feed_free(feed);
    return status;
}

bool cli_leave_output(cli_run *run, const char *path, uint64_t records)
{
    if (!path || (run->pages && records) || run->journal || run->set.split_of)
        return false;
    uint64_t failed = run->failed;
    cli_error(run, th_str_from(path), "%s, since %s",
              access(path, F_OK) == 0 ? "left unchanged" : "not written",
              run->pages ? "no records were found" : "no page could be read");
    run->failed = failed; /* counts inputs */
    run->left = true;
    return true;
}

void cli_tell_empty(cli_run *run)
{
    if (run->empty && run->pages > 1)
        cli_note(run, (th_str){0}, "no records on %llu of %llu pages",
                 (unsigned long long)run->empty, (unsigned long long)run->pages);
}

void cli_note_empty(cli_run *run, const th_page *page, th_str name, const char *what)
{
    th_str script = {0};
    bool rendered = run->set.render || run->set.wait_for || run->set.scroll;
    run->empty++;
    if (page && th_page_script_data(page, &script))
        cli_note(run, name, "%s; it has data in a script (%.*s)%s", what, (int)script.len,
                 script.ptr,
                 rendered ? ", but no list there either" : ": try --render, which runs scripts");
    else if (page && !rendered && th_page_is_drawn(page))
        cli_note(run, name, "%s; its scripts seem to draw it: try --render", what);
    else
        cli_note(run, name, "%s", what);
}

int cli_run_end(cli_run *run, th_status status, const th_error *err)
{
    th_error problem;
    if (status && err && !run->reported && !run->sink.closed)
        cli_error(run, (th_str){0}, "%s", err->message);
    if (cli_project_close(run, status, &problem) && !status)
        cli_error(run, (th_str){0}, "%s", problem.message);
    cli_sink_release(&run->sink);
    cli_journal_free(run->journal);
    run->journal = NULL;
    if (stopped_by)
        raise(stopped_by); /* the default is back */
    if (run->sink.closed)
        return cli_die_of_closed_pipe();
    return status || run->failed || run->left ? CLI_FAILED : run->drift ? CLI_DRIFT : CLI_DONE;
}

/* ---- files ---- */

char *cli_read_file(const char *path, size_t *len)
{
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    size_t cap = 1 << 16;
    char *bytes = file ? malloc(cap) : NULL;
    bool whole = false;
    for (*len = 0; bytes && !whole;) {
        *len += fread(bytes + *len, 1, cap - *len, file);
        whole = *len < cap;
        if (whole)
            bytes[*len] = '\0';
        char *grown = whole ? bytes : realloc(bytes, cap *= 2);
        if (!grown || ferror(file)) {
            free(grown ? grown : bytes);
            bytes = NULL;
        } else {
            bytes = grown;
        }
    }
    int number = errno;
    if (file && file != stdin)
        fclose(file);
    errno = number;
    return bytes;
}

th_status cli_read_labels(const char *path, th_labels **out, th_error *err)
{
    size_t len = 0;
    char *bytes = cli_read_file(path, &len);
    *out = NULL;
    if (!bytes)
        return cli_fail(err, TH_ERR_IO, "%.300s: cannot be read: %s", path, strerror(errno));
    th_status status = th_labels_read((th_str){bytes, len}, path, out, err);
    free(bytes);
    return status;
}

/* ---- records ---- */

th_format cli_format(const cli_run *run)
{
    const char *path = run->set.output;
    th_format format = run->set.excel                   ? TH_FORMAT_CSV
                       : !path && isatty(STDOUT_FILENO) ? TH_FORMAT_TABLE
                                                        : TH_FORMAT_NDJSON;
    if (run->set.format)
        return (th_format)(run->set.format - 1);
    if (path)
        th_format_of_path(path, &format);
    return format;
}

/* "csv (.csv), ndjson (.ndjson, .jsonl), ...". */
static void put_endings(cli_text *text)
{
    const char *ending;
    th_format format, last = (th_format)-1;
    for (size_t i = 0; (ending = th_format_ending(i, &format)); i++) {
        if (format == last)
            cli_printf(text, ", %s", ending);
        else
            cli_printf(text, "%s%s (%s", i ? "), " : "", th_format_name(format), ending);
        last = format;
    }
    cli_puts(text, ")");
}

bool cli_writes_records(const cli_command *command)
{
    for (size_t i = 0; command->options[i]; i++)
        if (command->options[i] == &cli_records_group)
            return true;
    return false;
}

int cli_check_ending(const cli_run *run, const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
    const char *dot = name ? strrchr(name, '.') : NULL;
    th_format format;
    cli_text known = {0};
    /* A name without an extension, such as /dev/stdout, selects no format. */
    if (run->set.format || !dot || dot == name || th_format_of_path(path, &format))
        return CLI_DONE;
    put_endings(&known);
    int code = cli_usage_error(
        run->command, "%s: thresh cannot write %s files; the extension selects the format: %.*s%s",
        path, dot, (int)known.len, known.ptr ? known.ptr : "",
        cli_writes_records(run->command) ? "; for other names, select it with -f" : "");
    cli_text_release(&known);
    return code;
}

/* A wrapper may take the place of the one that it was made from. */
static bool may_replace(const cli_run *run, const cli_option *option)
{
    return !strcmp(option->name, "correct") ||
           (run->command == &cli_repair && !strcmp(option->name, "wrapper"));
}

int cli_check_not_input(const cli_run *run, const char *path)
{
    struct stat output;
    const char *same = NULL;
    if (!path || stat(path, &output))
        return CLI_DONE;
    for (size_t i = 0; i < run->operand_count; i++)
        if (is_same_file(run->operands[i] + (run->operands[i][0] == '@'), &output))
            same = run->operands[i];
    for (const cli_group *const *group = run->command->options; *group; group++)
        for (size_t i = 0; i < (*group)->count; i++) {
            const cli_option *option = &(*group)->options[i];
            const char *base = (*group)->own ? run->own : (const void *)&run->set;
            const char *file =
                option->kind == CLI_FILE ? *(const char *const *)(base + option->field) : NULL;
            if (file != path && is_same_file(file, &output) && !may_replace(run, option))
                same = file;
        }
    return same ? cli_usage_error(
                      run->command,
                      "%s is an input and would be overwritten: choose another file for the output",
                      same)
                : CLI_DONE;
}

/* Columns of the terminal; 0 where there is none. */
static uint32_t terminal_width(void)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO))
        return 0;
    const char *columns = getenv("COLUMNS");
    int said = columns ? atoi(columns) : 0;
    if (said > 0)
        return (uint32_t)said;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 80;
}

th_status cli_writer_new(cli_run *run, const th_schema *schema, th_writer **out, th_error *err)
{
    return cli_writer_to(run, schema, cli_sink_out(&run->sink), out, err);
}

bool cli_open_journal(cli_run *run, cli_text *about)
{
    const cli_settings *set = &run->set;
    cli_printf(about, "%s%s%s%s%s to %s", th_format_name(cli_format(run)),
               set->with_page ? " with-page" : "", set->spans ? " spans" : "",
               set->excel ? " excel" : "", set->types ? " types" : "", set->output);
    if (set->split)
        cli_printf(about, " split %u/%u", set->split_part + 1, set->split_of);
    if (set->url)
        cli_printf(about, " url %s", set->url);
    if (set->charset)
        cli_printf(about, " charset %s", set->charset);
    cli_put(about, "", 1);
    bool ok = about->ptr && !about->status && cli_journal_open(run, about->ptr);
    cli_text_release(about);
    return ok;
}

th_status cli_writer_to(cli_run *run, const th_schema *schema, th_sink sink, th_writer **out,
                        th_error *err)
{
    th_writer_options options;
    th_writer_options_init(&options);
    options.path = run->journal ? NULL : run->set.output;
    options.sink = run->journal ? cli_journal_sink(run->journal) : sink;
    options.no_header = run->journal && cli_journal_has_output(run->journal);
    options.append = run->set.append;
    options.upsert = run->set.upsert;
    options.schema = schema;
    options.page_key = run->set.with_page ? "page" : NULL;
    options.spans = run->set.spans;
    options.types = run->set.types;
    options.replace = run->set.replace;
    options.excel = run->set.excel;
    options.date = run->date;
    options.color = run->color;
    options.width = run->set.output ? 0 : terminal_width();
    th_status status = th_writer_new(cli_format(run), &options, out, err);
    if (!status && run->journal)
        cli_journal_writer(run->journal, *out);
    return status;
}

th_status cli_finish_records(cli_run *run, th_writer *writer, th_error *err)
{
    th_status status = th_writer_finish(writer, err);
    if (!status && run->journal)
        status = cli_journal_end(run->journal, err);
    if (!status && !run->set.output) /* a writer finishes a file of its own */
        status = cli_sink_finish(&run->sink, err);
    return status;
}

th_status cli_write_text(cli_run *run, th_str text, th_error *err)
{
    th_status status = cli_sink_open(&run->sink, run->set.output, err);
    if (!status && text.len) {
        th_sink sink = cli_sink_out(&run->sink);
        status = sink.write(sink.context, text.ptr, text.len, err);
    }
    return status ? status : cli_sink_finish(&run->sink, err);
}

th_status cli_write_records(cli_run *run, const th_records *records, th_error *err)
{
    th_writer *writer = NULL;
    th_status status = cli_sink_open(&run->sink, NULL, err);
    if (!status)
        status = cli_writer_new(run, th_records_schema(records), &writer, err);
    if (!status)
        status = th_writer_add(writer, records, err);
    if (!status)
        status = cli_finish_records(run, writer, err);
    th_writer_free(writer);
    return status;
}
