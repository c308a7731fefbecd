/* main.c: the table of commands, and how one is chosen and checked. */
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

const cli_command *const cli_commands[] = {
    &cli_records,         &cli_regions, &cli_clusters, &cli_learn, &cli_extract,      &cli_suggest,
    &cli_verify,          &cli_repair,  &cli_monitor,  &cli_crawl, &cli_show,         &cli_labels,
    &cli_project_command, &cli_serve,   &cli_mcp,      &cli_help,  &cli_options_dump, NULL};

const cli_command *cli_command_find(const char *name)
{
    for (size_t i = 0; cli_commands[i]; i++)
        if (!strcmp(cli_commands[i]->name, name))
            return cli_commands[i];
    return NULL;
}

static const char *command_name(const void *context, size_t index)
{
    return cli_commands[index] && !cli_commands[index]->hidden ? cli_commands[index]->name : NULL;
}

int cli_usage_error(const cli_command *command, const char *format, ...)
{
    cli_text line = {0}, message = {0};
    va_list args;
    va_start(args, format);
    cli_vprintf(&message, format, args);
    va_end(args);
    cli_put_safe(&line, (th_str){message.ptr, message.len}, 0);
    fprintf(stderr, "thresh: %.*s\nTry `thresh %s%s` for usage.\n", (int)line.len,
            line.ptr ? line.ptr : "", command ? command->name : "--help", command ? " --help" : "");
    cli_text_release(&line);
    cli_text_release(&message);
    return CLI_USAGE;
}

/* The first file that we open would get the number of a standard file that is closed, and output
 * would go there. What is opened in its place cannot be written to. */
static void hold_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
            return;
}

/* Returns true if the parser knows the encoding; it ignores a name that it does not know. */
static bool charset_is_known(const char *charset)
{
    th_parser *parser = NULL;
    th_page *page = NULL;
    th_page_source source = {.charset = th_str_from(charset)};
    bool known = th_parser_new(NULL, &parser, NULL) == TH_OK &&
                 th_parser_parse(parser, th_str_from("x"), &source, &page, NULL) == TH_OK &&
                 !strcmp(th_page_encoding_reason(page), "http");
    th_page_free(page);
    th_parser_free(parser);
    return known;
}

static int check_long_run(cli_run *run)
{
    cli_settings *set = &run->set;
    unsigned part, parts;
    char end;
    if (set->split && (sscanf(set->split, "%u/%u%c", &part, &parts, &end) != 2 || part < 1 ||
                       part > parts || strchr(set->split, '-')))
        return cli_usage_error(run->command, "--split: '%s' is not N/M, such as 1/8 or 8/8",
                               set->split);
    if (set->split) {
        set->split_part = part - 1;
        set->split_of = parts;
    }
    if ((set->split || set->resume) && set->project)
        return cli_usage_error(run->command, "--%s cannot be used with --project",
                               set->split ? "split" : "resume");
    for (size_t i = 0; i < run->operand_count && (set->split || set->resume); i++)
        if (!strcmp(run->operands[i], "-"))
            return cli_usage_error(run->command, "--%s cannot be used with standard input",
                                   set->split ? "split" : "resume");
    if (set->resume && set->follow)
        return cli_usage_error(run->command, "--resume cannot be used with --follow: give the URLs "
                                             "of all pages, or use `thresh crawl`");
    if (set->resume && !set->output)
        return cli_usage_error(run->command, "--resume needs a file to add to: -o FILE");
    bool columns = run->command == &cli_extract;
    if (set->resume && !cli_journal_can(cli_format(run), columns))
        return cli_usage_error(
            run->command, "--resume cannot add to %s output of %s: use -f ndjson%s or pages",
            th_format_name(cli_format(run)), run->command->name, columns ? ", csv, tsv" : "");
    return CLI_DONE;
}

/* --append and --upsert. */
static int check_adding(const cli_run *run)
{
    const cli_settings *set = &run->set;
    const char *option = set->upsert ? "--upsert" : set->append ? "--append" : NULL;
    th_format format = cli_format(run);
    bool can = format == TH_FORMAT_CSV || format == TH_FORMAT_TSV || format == TH_FORMAT_SQLITE;
    if (!option)
        return CLI_DONE;
    if (!can || !set->output)
        return cli_usage_error(run->command, "%s needs a file of csv, tsv or sqlite: -o FILE",
                               option);
    if (set->replace)
        return cli_usage_error(run->command, "%s and --replace exclude each other", option);
    if (set->resume)
        return cli_usage_error(run->command,
                               "%s and --resume exclude each other: a run that goes "
                               "on adds to its own output",
                               option);
    return CLI_DONE;
}

/* Checks that the tables cannot describe. */
static int check_settings(cli_run *run)
{
    const cli_settings *set = &run->set;
    bool sqlite = cli_format(run) == TH_FORMAT_SQLITE;
    cli_text problem = {0};
    if (!cli_check_options(run->command->options, run->command->name, set, run->own, &problem)) {
        int code =
            cli_usage_error(run->command, "%.*s", (int)problem.len, problem.ptr ? problem.ptr : "");
        cli_text_release(&problem);
        return code;
    }
    /* The pages of a project are input enough. */
    if (run->operand_count < run->command->least && !(set->project && run->command->least == 1))
        return cli_usage_error(run->command, "%s needs %s", run->command->name,
                               run->command->operands);
    if (set->charset && !charset_is_known(set->charset))
        return cli_usage_error(run->command,
                               "--charset: unknown encoding '%s'; try utf-8, "
                               "windows-1252, shift_jis, ...",
                               set->charset);
    if (sqlite && !set->output)
        return cli_usage_error(run->command, "-f sqlite needs a file to write to: -o FILE");
    if (set->excel && cli_format(run) != TH_FORMAT_CSV)
        return cli_usage_error(run->command, "--excel needs -f csv");
    if (set->spans && cli_format(run) != TH_FORMAT_JSON && cli_format(run) != TH_FORMAT_NDJSON &&
        cli_format(run) != TH_FORMAT_PAGES)
        return cli_usage_error(run->command, "--spans needs -f json, ndjson or pages");
    if (set->replace && !sqlite)
        return cli_usage_error(run->command, "--replace needs -f sqlite");
    const char *dot = set->warc ? strstr(set->warc, ".warc.gz") : NULL;
    if (set->warc && (!dot || strcmp(dot, ".warc.gz")))
        return cli_usage_error(run->command,
                               "--warc: the name of the archive must end in .warc.gz");
    if (cli_format(run) == TH_FORMAT_XLSX && !set->output)
        return cli_usage_error(run->command, "-f xlsx needs a file to write to: -o FILE");
    int adding = check_adding(run);
    if (adding)
        return adding;
    /* `project` writes more than records: it checks its formats itself. */
    bool records = run->command != &cli_project_command && cli_writes_records(run->command);
    int code = records ? cli_check_ending(run, set->output) : CLI_DONE;
    if (!code)
        code = check_long_run(run);
    if (!code)
        code = cli_check_not_input(run, set->warc);
    return code ? code : cli_check_not_input(run, set->output);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Runs a command with the words after its name. */
static int run_command(const cli_command *command, int argc, char **argv)
{
    cli_run run = {.command = command,
                   .set.max_redirects = CLI_NOT_GIVEN,
                   .set.retries = CLI_NOT_GIVEN,
                   .set.delay_ms = CLI_NOT_GIVEN,
                   .set.max_wait_ms = CLI_NOT_GIVEN};
    cli_words words = {0};
    cli_text problem = {0};
    void *own = calloc(1, command->own_size ? command->own_size : 1);
    int code = CLI_USAGE;
    if (!own) {
        fprintf(stderr, "thresh: out of memory\n");
        return CLI_FAILED;
    }
    bool good = cli_parse(command->options, argc, argv, &run.set, own, &words, &problem);
    int when = run.set.color ? run.set.color - 1 : CLI_AUTO;
    run.own = own;
    run.operands = words.operands;
    run.operand_count = words.count;
    if (good && command->by_name)
        qsort(words.operands, words.count, sizeof *words.operands, compare_names);
    run.color = run.set.output ? when == CLI_ALWAYS : cli_use_colour(when, STDOUT_FILENO);
    run.color_error = cli_use_colour(when, STDERR_FILENO);
    if (!good)
        cli_usage_error(command, "%.*s", (int)problem.len, problem.ptr ? problem.ptr : "");
    else if (run.set.help)
        code = cli_print_help(command);
    else if ((code = check_settings(&run)) == CLI_DONE)
        code = cli_project_open(&run) ? command->run(&run) : CLI_FAILED;
    cli_project_close(&run, TH_ERR_CANCELLED, NULL); /* where a command ended early */
    cli_text_release(&problem);
    free(words.operands);
    cli_options_release(command->options, &run.set, own);
    free(own);
    return code;
}

/* Options without a command: --help and --version. */
static int main_options(int argc, char **argv)
{
    static const cli_group *const groups[] = {&cli_main_group, NULL};
    cli_settings set = {0};
    cli_words words = {0};
    cli_text problem = {0};
    char version[64];
    int code;
    if (!cli_parse(groups, argc, argv, &set, NULL, &words, &problem))
        code = cli_usage_error(NULL, "%.*s", (int)problem.len, problem.ptr ? problem.ptr : "");
    else if (set.version)
        code = cli_print_and_exit_code(
            version, (size_t)snprintf(version, sizeof version, "thresh %s\n", th_version()));
    else
        code = cli_print_help(words.count ? cli_command_find(words.operands[0]) : NULL);
    cli_text_release(&problem);
    free(words.operands);
    return code;
}

/* Returns true if a word is one of the options without a command, mistyped. */
static bool is_near_main_option(const char *word)
{
    static const cli_group *const groups[] = {&cli_main_group,  &cli_records_group, &cli_page_group,
                                              &cli_fetch_group, &cli_common_group,  NULL};
    const char *near = strncmp(word, "--", 2) ? NULL : cli_nearest_option(word + 2, groups);
    for (size_t i = 0; near && i < cli_main_group.count; i++)
        if (!strcmp(near, cli_main_group.options[i].name))
            return true;
    return false;
}

/* The first word is not a command: an input, or an option before one, means `records`. */
static int no_command(int argc, char **argv)
{
    const char *word = argv[1];
    bool input =
        strchr("-@", word[0]) || strchr(word, '.') || strchr(word, '/') || access(word, F_OK) == 0;
    if (is_near_main_option(word))
        return main_options(argc, argv);
    if (input)
        return run_command(&cli_records, argc, argv);
    const char *near = cli_nearest(word, command_name, NULL);
    if (near)
        return cli_usage_error(NULL, "unknown command '%s'; did you mean %s?", word, near);
    return cli_usage_error(NULL, "'%s' is neither a command nor a file", word);
}

static const char *const main_words[] = {"-h", "--help", "-V", "--version"};

int main(int argc, char **argv)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    setlocale(LC_CTYPE, ""); /* names of files */
    hold_standard_files();
#ifdef M_MMAP_THRESHOLD
    /* What a large page needed goes back to the system when it is freed. glibc would raise the
     * limit with every block that is freed, and keep them. */
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
    sigaction(SIGPIPE, &ignore, NULL); /* writes report it: see sink.h */
    if (argc < 2)
        return cli_usage_error(NULL, "an input is missing, such as: thresh page.html");
    const cli_command *command = cli_command_find(argv[1]);
    if (command)
        return run_command(command, argc - 1, argv + 1);
    for (size_t i = 0; i < sizeof main_words / sizeof *main_words; i++)
        if (!strcmp(argv[1], main_words[i]))
            return main_options(argc, argv);
    return no_command(argc, argv);
}
