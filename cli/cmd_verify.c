/*
 * cmd_verify.c: `thresh verify`: does a wrapper still read pages as it did?
 *
 * Pages are extracted by workers; the records of all pages are compared with the wrapper's profile
 * at the end. Exit status 3 means that the site has changed.
 */
#include "wrapper_file.h"

typedef struct verify_settings {
    const char *wrapper, *profile;
    double alpha;
    bool paper;
    int format; /* which of formats, counted from 1 */
} verify_settings;

#define FIELD(name) offsetof(verify_settings, name)

static const char *const formats[] = {"text", "json", NULL};
enum { FORMAT_JSON = 2 };

static const cli_option verify_options[] = {
    {"wrapper", 'w', CLI_FILE, "FILE", "the wrapper to verify, as `thresh learn` wrote it",
     FIELD(wrapper), .required = "a wrapper"},
    {"alpha", 0, CLI_CHANCE, "P",
     "significance level: report a change if its p-value is at\nmost P (default 0.01)",
     FIELD(alpha)},
    {"paper", 0, CLI_FLAG, NULL,
     "as published: compare the patterns that values begin and end\n"
     "with, words included; each significant difference is drift",
     FIELD(paper)},
    {"profile", 0, CLI_FILE, "FILE",
     "do not verify: assume that the pages are read correctly\n"
     "and write the wrapper with their profile to FILE",
     FIELD(profile)},
    {"format", 'f', CLI_WORD, "FORMAT", "text or json (one object)", FIELD(format),
     .words = formats},
};

static const cli_group verify_group = CLI_GROUP("What to verify", verify_options, true);
static const cli_group *const groups[] = {&verify_group,
                                          &cli_file_group,
                                          &cli_project_group,
                                          &cli_page_group,
                                          &cli_fetch_group,
                                          &cli_common_group,
                                          NULL};

typedef struct verification {
    th_wrapper *wrapper;
    th_check *check;
} verification;

static th_status take(cli_run *run, const th_page *page, const th_input *input, th_records *records,
                      void *context, th_error *err)
{
    verification *v = context;
    th_status status = th_check_add(v->check, page, records, err);
    th_records_free(records);
    return status;
}

static th_status write_verdict(cli_run *run, const th_verdict *verdict, bool json, th_error *err)
{
    th_text text = {0};
    th_status status =
        json ? th_verdict_to_json(verdict, &text, err) : th_verdict_explain(verdict, &text, err);
    if (!status)
        status = cli_print_report(run, (th_str){text.ptr, text.len}, json, err);
    th_text_release(&text);
    return status;
}

/* Ends the command once all pages are read. */
static th_status conclude(cli_run *run, verification *v, th_error *err)
{
    const verify_settings *own = run->own;
    th_verdict *verdict = NULL;
    if (own->profile) {
        th_status status = th_check_profile(v->check, v->wrapper, err);
        return status ? status : cli_write_wrapper(run, v->wrapper, own->profile, err);
    }
    th_status status = own->paper ? th_check_verdict_published(v->check, own->alpha, &verdict, err)
                                  : th_check_verdict(v->check, own->alpha, &verdict, err);
    if (!status) {
        run->drift = th_verdict_drift(verdict);
        status = cli_project_verdict(run, verdict, th_verdict_word(verdict), err);
    }
    if (!status)
        status = write_verdict(run, verdict, own->format == FORMAT_JSON, err);
    th_verdict_free(verdict);
    return status;
}

static th_status verify(cli_run *run, verification *v, th_error *err)
{
    const verify_settings *own = run->own;
    if (!own->profile && !cli_needs_profile(run, v->wrapper, own->wrapper))
        return TH_OK;
    th_status status = th_check_new(v->wrapper, own->profile || own->paper, &v->check, err);
    if (status)
        return status;
    status = cli_run_wrapper(run, run->operands, run->operand_count, v->wrapper, take, v);
    if (status || !run->pages)
        return status;
    return conclude(run, v, err);
}

static int run_verify(cli_run *run)
{
    const verify_settings *own = run->own;
    verification v = {0};
    th_error err;
    th_status status = TH_OK;
    if (cli_read_wrapper(run, own->wrapper, &v.wrapper))
        status = verify(run, &v, &err);
    th_check_free(v.check);
    th_wrapper_free(v.wrapper);
    return cli_run_end(run, status, &err);
}

static const char *const examples[] = {
    "thresh verify -w books.json shop/", "thresh verify -w books.json -f json https://example.org/",
    "thresh verify --profile books.json -w books.json shop/", NULL};

const cli_command cli_verify = {
    .name = "verify",
    .operands = "INPUT...",
    .summary = "check whether a wrapper still reads its pages correctly",
    .about =
        "Runs a wrapper on pages and compares its values with the profile that was learnt with it: "
        "how\n"
        "they begin and end, how long they are, how often they are missing, how many records "
        "there\n"
        "are. Reports the result for each field. Exit status 3 means that the site has changed.\n",
    .examples = examples,
    .options = groups,
    .own_size = sizeof(verify_settings),
    .least = 1,
    .by_name = true,
    .run = run_verify,
};
