/*
 * cmd_show.c: `thresh show`: what a page is made of.
 *
 * Workers print pages, each into a text of its own. A page whose text would be large (the tree of
 * deep elements is hundreds of times their size) is printed by the main thread, straight to the
 * output.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "show_views.h"
#include "trace_steps.h"
#include "wrapper_file.h"

enum { LARGE = 4 << 20 };

typedef struct show_settings {
    int view; /* show_view */
    bool profile;
    int format; /* show_format + 1 */
    bool dot;
    bool template;
    bool trace;
    int engine; /* which of the words, counted from 1 */
    const char *labels;
    int as; /* which of show_targets, counted from 1 */
    bool partial;
} show_settings;

#define FIELD(name) offsetof(show_settings, name)

static const char *const engines[] = {"exalg", "softmealy", "stalker", NULL};
static const char *const formats[] = {"text", "json", "ndjson", NULL};
static const char *const targets[] = {"css", "xpath", "scrapy", "parsel", "python", NULL};
static const th_export_target export_targets[] = {TH_EXPORT_CSS, TH_EXPORT_XPATH, TH_EXPORT_SCRAPY,
                                                  TH_EXPORT_PARSEL, TH_EXPORT_PYTHON};

static const cli_option view_options[] = {
    {"tree", 0, CLI_SET, NULL, "all elements and texts", FIELD(view), .value = SHOW_TREE},
    {"text", 0, CLI_SET, NULL, "the text as a reader sees it, line by line", FIELD(view),
     .value = SHOW_TEXT},
    {"links", 0, CLI_SET, NULL, "links and images, with absolute URLs", FIELD(view),
     .value = SHOW_LINKS},
    {"next", 0, CLI_SET, NULL, "the URL of the next page of the list, and what says so",
     FIELD(view), .value = SHOW_NEXT},
    {"tokens", 0, CLI_SET, NULL, "tags, texts and comments as in the source", FIELD(view),
     .value = SHOW_TOKENS},
    {"fine", 0, CLI_SET, NULL, "words, numbers, signs and blanks, with their class", FIELD(view),
     .value = SHOW_FINE},
    {"info", 0, CLI_SET, NULL, "only encoding, size and counts", FIELD(view), .value = SHOW_INFO},
    {"dot", 0, CLI_FLAG, NULL, "a wrapper of softmealy as a graph for Graphviz", FIELD(dot)},
    {"template", 0, CLI_FLAG, NULL,
     "the template of a wrapper of template or exalg, with the\n"
     "values of pages beside it",
     FIELD(template)},
    {"trace", 0, CLI_FLAG, NULL,
     "the steps of an engine that learns from the pages, as text\n"
     "or with -f json or ndjson",
     FIELD(trace)},
    {"engine", 0, CLI_WORD, "ENGINE", "with --trace: exalg, softmealy or stalker (default exalg)",
     FIELD(engine), .words = engines, .needs = "trace"},
    {"labels", 0, CLI_FILE, "FILE", "with --trace: labelled values, as for `thresh learn`",
     FIELD(labels), .needs = "trace"},
    {"profile", 0, CLI_FLAG, NULL, "the profile of a wrapper: what its values look like",
     FIELD(profile)},
    {"as", 0, CLI_WORD, "TARGET",
     "a wrapper as selectors or as a program: css, xpath, scrapy,\n"
     "parsel or python; checked on the pages named after it\n"
     "(default: those that it was learnt from)",
     FIELD(as), .words = targets},
    {"partial", 0, CLI_FLAG, NULL, "with --as: leave out fields that cannot be exported exactly",
     FIELD(partial), .needs = "as"},
    {"format", 'f', CLI_WORD, "FORMAT",
     "text, json or ndjson (without a view, the JSON formats\nshow what --info does)",
     FIELD(format), .words = formats},
};

static const cli_group view_group = CLI_GROUP("What to show", view_options, true);
static const cli_group *const groups[] = {
    &view_group,     &cli_published_group, &cli_template_group, &cli_file_group,
    &cli_page_group, &cli_fetch_group,     &cli_common_group,   NULL};

typedef struct show {
    show_view view;
    show_format format;
    bool profile; /* of wrappers: what values look like rather than the rules */
    cli_text out; /* empties into `through` */
    th_sink to;   /* the run's output */
    th_sink through;
    bool dot;      /* wrappers as graphs */
    bool begun;    /* something was written */
    bool headings; /* more pages than one: each is named */
} show;

/* The first comma of the JSON array becomes its bracket: see show_views.c. */
static th_status write_through(void *context, const char *bytes, size_t len, th_error *err)
{
    show *s = context;
    th_status status = TH_OK;
    if (s->format == SHOW_JSON && !s->begun && len) {
        status = s->to.write(s->to.context, "[", 1, err);
        bytes++;
        len--;
    }
    s->begun = s->begun || len;
    return status ? status : s->to.write(s->to.context, bytes, len, err);
}

/* A wrapper is recognised by its content. */
static void print_wrapper(const show *s, const th_input *input, cli_text *out)
{
    th_wrapper *wrapper = NULL;
    th_text text = {0};
    if (s->format != SHOW_READABLE || s->view != SHOW_OUTLINE) {
        out->status = cli_fail(
            &out->error, TH_ERR_ARGUMENT,
            "is a wrapper: views and formats are for pages; the wrapper file itself is JSON");
        return;
    }
    /* The name of the input is printed before the message. */
    out->status = th_wrapper_read(th_input_bytes(input), "wrapper", &wrapper, &out->error);
    if (!out->status)
        out->status = s->dot       ? th_wrapper_graph(wrapper, &text, &out->error)
                      : s->profile ? th_wrapper_explain_profile(wrapper, &text, &out->error)
                                   : th_wrapper_explain(wrapper, &text, &out->error);
    if (!out->status)
        cli_put_safe_lines(out, (th_str){text.ptr, text.len});
    th_text_release(&text);
    th_wrapper_free(wrapper);
}

static void print(const cli_run *run, const show *s, const th_page *page, const th_input *input,
                  cli_text *out)
{
    if (th_wrapper_is(th_input_bytes(input))) {
        print_wrapper(s, input, out);
        return;
    }
    if (s->dot || s->profile) {
        out->status = cli_fail(
            &out->error, TH_ERR_ARGUMENT,
            "is not a wrapper: --dot and --profile need a wrapper, which `thresh learn` makes");
        return;
    }
    show_to to = {.out = out,
                  .page = th_input_name(input),
                  .charset_given = run->set.charset != NULL,
                  .color = run->color,
                  .format = s->format};
    show_print(&to, s->view, page);
}

static void discard(void *result)
{
    cli_text_release(result);
    free(result);
}

static th_status work(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void **result, th_error *err)
{
    if (th_page_text(page).len > LARGE && !th_wrapper_is(th_input_bytes(input)))
        return TH_OK;
    cli_text *out = calloc(1, sizeof *out);
    if (!out)
        return cli_no_memory(err);
    out->most = LARGE;
    print(run, context, page, input, out);
    th_status status = out->status;
    if (!status) {
        *result = out;
        return TH_OK;
    }
    if (status != TH_ERR_LIMIT)
        *err = out->error;
    discard(out);
    return status == TH_ERR_LIMIT ? TH_OK : status;
}

/* Several pages get their names as headings; the outline begins with the name anyway. */
static void put_heading(const cli_run *run, show *s, const th_input *input)
{
    th_str name = th_input_name(input), given = th_str_from(run->operands[0]);
    bool same = name.len == given.len && !strncmp(name.ptr, given.ptr, name.len);
    if (s->format != SHOW_READABLE)
        return;
    bool outline = s->view == SHOW_OUTLINE && !th_wrapper_is(th_input_bytes(input));
    s->headings = s->headings || run->operand_count > 1 || !same;
    if (run->pages > 1)
        cli_puts(&s->out, "\n");
    if (!s->headings || outline || s->view == SHOW_INFO)
        return;
    cli_put_paint(&s->out, run->color, CLI_HEAD);
    cli_put_safe(&s->out, name, 0);
    cli_put_paint(&s->out, run->color, CLI_PLAIN);
    cli_puts(&s->out, "\n");
}

static th_status done(cli_run *run, const th_page *page, const th_input *input, void *context,
                      void *result, th_error *err)
{
    show *s = context;
    cli_text *text = result;
    put_heading(run, s, input);
    if (text) {
        cli_put(&s->out, text->ptr, text->len);
        discard(text);
    } else {
        print(run, s, page, input, &s->out);
    }
    /* On a terminal each page is shown when it is done. */
    if (run->sink.terminal)
        cli_text_flush(&s->out);
    if (s->out.status)
        *err = s->out.error;
    return s->out.status;
}

static th_status finish(cli_run *run, show *s, th_error *err)
{
    if (cli_text_flush(&s->out) == TH_OK && s->format == SHOW_JSON) {
        const char *end = s->begun ? "\n]\n" : "[]\n";
        s->out.status = s->to.write(s->to.context, end, strlen(end), &s->out.error);
    }
    if (s->out.status) {
        *err = s->out.error;
        return s->out.status;
    }
    return cli_sink_finish(&run->sink, err);
}

/* ---- --template: a wrapper's template, with values of pages beside it ---- */

enum { MOST_BESIDE = 100 /* pages whose values are shown: nobody reads more side by side */ };

typedef struct templates {
    th_wrapper *wrapper;
    th_records *pages[MOST_BESIDE];
    size_t count;
} templates;

static th_status take(cli_run *run, const th_page *page, const th_input *input, th_records *records,
                      void *context, th_error *err)
{
    templates *t = context;
    if (t->count < MOST_BESIDE)
        t->pages[t->count++] = records;
    else
        th_records_free(records);
    return TH_OK;
}

static th_status print_template(cli_run *run, const templates *t, th_error *err)
{
    th_text text = {0};
    cli_text out = {0};
    th_status status =
        th_wrapper_template(t->wrapper, (const th_records *const *)t->pages, t->count, &text, err);
    cli_put_safe_lines(&out, (th_str){text.ptr, text.len});
    if (!status && (status = out.status))
        *err = out.error;
    if (!status)
        status = cli_write_text(run, (th_str){out.ptr, out.len}, err);
    cli_text_release(&out);
    th_text_release(&text);
    return status;
}

/* The first operand is the wrapper, the others are pages. Gives the exit code. */
static int show_template(cli_run *run)
{
    templates t = {0};
    th_error err;
    th_status status = TH_OK;
    if (cli_read_wrapper(run, run->operands[0], &t.wrapper)) {
        if (run->operand_count > 1)
            status = cli_run_wrapper(run, run->operands + 1, run->operand_count - 1, t.wrapper,
                                     take, &t);
        if (!status && (status = print_template(run, &t, &err)) == TH_ERR_ARGUMENT) {
            cli_error(run, th_str_from(run->operands[0]), "%s", err.message);
            status = TH_OK;
        }
    }
    for (size_t i = 0; i < t.count; i++)
        th_records_free(t.pages[i]);
    th_wrapper_free(t.wrapper);
    return cli_run_end(run, status, &err);
}

/* ---- --as: a wrapper as selectors or as a program ---- */

typedef struct exporting {
    th_wrapper *wrapper;
    th_export *export;
    bool learnt; /* the pages are those that it was learnt from */
} exporting;

static th_status take_page(cli_run *run, const th_page *page, const th_input *input, void *context,
                           void *result, th_error *err)
{
    exporting *e = context;
    th_records_source source = {th_input_name(input), th_input_url(input)};
    if (e->learnt && !th_wrapper_knows_page(e->wrapper, page)) {
        cli_error(run, source.page,
                  "has changed since the wrapper was learnt from it: name the pages that the "
                  "export is to be checked on");
        return TH_OK;
    }
    return th_export_add(e->export, page, &source, err);
}

/* The pages that the wrapper was learnt from, as inputs. NULL, after a message, if they are not all
 * here. Caller frees the array and its texts. */
static char **learnt_pages(cli_run *run, const th_wrapper *wrapper, size_t *count)
{
    size_t pages = th_wrapper_page_count(wrapper);
    char **names = calloc(pages + 1, sizeof *names);
    *count = 0;
    if (!pages)
        cli_error(run, th_str_from(run->operands[0]),
                  "does not say which pages it was learnt from: name pages that the export is to "
                  "be checked on");
    for (size_t i = 0; names && i < pages; i++) {
        th_str name = th_wrapper_page_name(wrapper, i);
        names[i] = strndup(name.ptr, name.len);
        if (names[i] && !access(names[i], R_OK)) {
            ++*count;
            continue;
        }
        cli_error(run, name,
                  "is not here: an export is checked on the pages that the wrapper was learnt "
                  "from, or on others that are named after it");
        break;
    }
    if (*count == pages && pages)
        return names;
    for (size_t i = 0; names && i < pages; i++)
        free(names[i]);
    free(names);
    return NULL;
}

static void tell_refusals(cli_run *run, const exporting *e, bool partial)
{
    th_str name = th_str_from(run->operands[0]);
    for (size_t i = 0; i < th_export_refused_count(e->export); i++) {
        const th_refusal *refusal = th_export_refused(e->export, i);
        const char *what = refusal->field.ptr ? "field \"" : "the records";
        const char *end = refusal->field.ptr ? "\"" : "";
        (partial ? cli_note : cli_error)(run, name, "%s%.*s%s cannot be exported: %.*s", what,
                                         (int)refusal->field.len,
                                         refusal->field.ptr ? refusal->field.ptr : "", end,
                                         (int)refusal->reason.len, refusal->reason.ptr);
    }
}

static th_status write_export(cli_run *run, const exporting *e, size_t target, th_error *err)
{
    th_text text = {0};
    th_status status = th_export_write(e->export, export_targets[target], &text, err);
    bool refused = status == TH_ERR_FORMAT;
    tell_refusals(run, e, !refused);
    if (status == TH_ERR_ARGUMENT)
        cli_error(run, th_str_from(run->operands[0]), "%s", err->message);
    if (!status)
        status = cli_write_text(run, (th_str){text.ptr, text.len}, err);
    else if (refused || status == TH_ERR_ARGUMENT)
        status = TH_OK;
    th_text_release(&text);
    return status;
}

/* The first operand is the wrapper, the others are the pages that the export is checked on; without
 * any, those that it was learnt from. `target` is an index of the words. Gives the exit code. */
static int show_export(cli_run *run, size_t target, bool partial)
{
    exporting e = {.learnt = run->operand_count == 1};
    char **names = NULL;
    size_t count = run->operand_count - 1;
    th_error err;
    th_status status = TH_OK;
    th_export_options options;
    th_export_options_init(&options);
    options.name = run->operands[0];
    options.partial = partial;
    if (cli_read_wrapper(run, run->operands[0], &e.wrapper) &&
        (!e.learnt || (names = learnt_pages(run, e.wrapper, &count)))) {
        cli_job job = {.done = take_page, .context = &e};
        status = th_export_new(e.wrapper, &options, &e.export, &err);
        if (!status) {
            status = cli_run_pages(run, e.learnt ? (const char *const *)names : run->operands + 1,
                                   count, &job);
        }
        if (!status && !run->failed)
            status = write_export(run, &e, target, &err);
    }
    for (size_t i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
    th_export_free(e.export);
    th_wrapper_free(e.wrapper);
    return cli_run_end(run, status, &err);
}

/* ---- the command ---- */

static int run_trace(cli_run *run)
{
    const show_settings *own = run->own;
    th_learn_options options;
    th_learn_options_init(&options);
    options.engine = engines[own->engine ? own->engine - 1 : 0];
    int wrong = cli_paper_options(run, options.engine, &options.paper);
    return wrong ? wrong
                 : trace_learning(run, &options, own->labels,
                                  own->format ? (show_format)(own->format - 1) : SHOW_READABLE);
}

static int run_show(cli_run *run)
{
    const show_settings *own = run->own;
    th_error err;
    th_paper_options paper;
    if (own->trace && (own->view || own->template || own->dot || own->profile))
        return cli_usage_error(run->command, "--trace cannot be combined with another view");
    if (own->trace)
        return run_trace(run);
    if (own->as &&
        (own->trace || own->view || own->template || own->dot || own->profile || own->format))
        return cli_usage_error(run->command,
                               "--as cannot be combined with another view or a format");
    if (own->as)
        return show_export(run, (size_t)own->as - 1, own->partial);
    if (cli_paper_options(run, "auto", &paper))
        return CLI_USAGE;
    if (own->template && (own->view || own->format))
        return cli_usage_error(run->command,
                               "--template cannot be combined with another view or a format");
    if (own->template)
        return show_template(run);
    show s = {.dot = own->dot,
              .view = (show_view)own->view,
              .profile = own->profile,
              .format = own->format ? (show_format)(own->format - 1) : SHOW_READABLE};
    th_status status = cli_sink_open(&run->sink, run->set.output, &err);
    if (status)
        return cli_run_end(run, status, &err);
    s.to = cli_sink_out(&run->sink);
    s.through = (th_sink){write_through, &s};
    s.out.sink = &s.through;
    cli_job job = {work, done, discard, &s};
    status = cli_run_pages(run, run->operands, run->operand_count, &job);
    if (status || cli_leave_output(run, run->set.output, run->pages)) {
        cli_text_release(&s.out);
        return cli_run_end(run, status, NULL);
    }
    status = finish(run, &s, &err);
    cli_text_release(&s.out);
    return cli_run_end(run, status, &err);
}

static const char *const examples[] = {
    "thresh show page.html",
    "thresh show --text shop/",
    "thresh show --links --url https://example.org/ page.html",
    "thresh show --next --url https://example.org/news page.html",
    "thresh show --tokens -f ndjson crawl.warc.gz",
    "thresh show books.json",
    "thresh show --template books.json shop/1.html shop/2.html",
    "thresh show --profile books.json",
    "thresh show --as parsel books.json > books.py",
    "thresh show --trace --engine exalg --paper shop/",
    NULL};

const cli_command cli_show = {
    .name = "show",
    .operands = "PAGE...",
    .summary = "show the structure of pages, or the rules of a wrapper",
    .about =
        "Shows the structure of each page. Without a view: the encoding and its source, size and\n"
        "counts, then an outline of the elements. Every line begins with the range of bytes in "
        "the\n"
        "page's UTF-8 text.\n"
        "A wrapper, recognised by its content, is shown as rules: where records and fields are.\n",
    .examples = examples,
    .options = groups,
    .own_size = sizeof(show_settings),
    .least = 1,
    .run = run_show,
};
