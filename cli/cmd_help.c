/* cmd_help.c: `thresh help`, and the table of options for our own scripts. */
#include <stdlib.h>
#include <string.h>

#include "run.h"

static const char input_words[] = "A PAGE or INPUT is a file, a folder, an http or https URL, a "
                                  "WARC or ARC archive (.gz too), - for\n"
                                  "standard input, or @LIST, a file with one of these per line.\n";

static void put_command_help(cli_text *text, const cli_command *command)
{
    cli_printf(text, "Usage: thresh %s%s%s%s\n\n%s", command->name,
               command->options[0] ? " [OPTION]..." : "", *command->operands ? " " : "",
               command->operands, command->about);
    if (strstr(command->operands, "PAGE") || strstr(command->operands, "INPUT"))
        cli_printf(text, "\n%s", input_words);
    cli_put_options(text, command->options);
    for (size_t i = 0; command->examples && command->examples[i]; i++)
        cli_printf(text, "%s    %s\n", i ? "" : "\nExamples:\n", command->examples[i]);
}

static void put_overview(cli_text *text)
{
    static const cli_group *const groups[] = {&cli_main_group, NULL};
    cli_puts(text, "Usage: thresh [OPTION]... INPUT...\n"
                   "       thresh COMMAND [OPTION]... [INPUT]...\n"
                   "\n"
                   "Thresh separates the data on a web page from the template around it. Without a "
                   "command it finds the\n"
                   "main list of each page and prints its records.\n"
                   "\n"
                   "Commands:\n");
    for (size_t i = 0; cli_commands[i]; i++)
        if (!cli_commands[i]->hidden)
            cli_printf(text, "  %-8s  %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    cli_put_options(text, groups);
    cli_printf(
        text,
        "\n%s\n"
        "Exit status: 0 done, 1 some inputs failed (each is reported; the others are processed),\n"
        "2 wrong usage, 3 a site has changed and its wrapper no longer reads it.\n"
        "See `thresh help COMMAND` and `man thresh` for details.\n",
        input_words);
}

int cli_print_help(const cli_command *command)
{
    cli_text text = {0};
    if (command)
        put_command_help(&text, command);
    else
        put_overview(&text);
    int code = text.status ? CLI_FAILED : cli_print_and_exit_code(text.ptr, text.len);
    cli_text_release(&text);
    return code;
}

static int run_help(cli_run *run)
{
    if (run->operand_count == 0)
        return cli_print_help(NULL);
    const cli_command *command = cli_command_find(run->operands[0]);
    if (!command)
        return cli_usage_error(run->command, "unknown command '%s'", run->operands[0]);
    return cli_print_help(command);
}

static const cli_option help_options[] = {
    {"help", 'h', CLI_FLAG, NULL, "show this help", offsetof(cli_settings, help)},
};
static const cli_group help_group = CLI_GROUP("Options", help_options, false);
static const cli_group *const help_groups[] = {&help_group, NULL};

const cli_command cli_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "show how a command is used",
    .about = "Shows the commands, or the options of one.\n",
    .options = help_groups,
    .run = run_help,
};

/* ---- the tables for scripts/gen-completions and tests/cli/test_manual.py ---- */

static const char *const kinds[] = {
    [CLI_FLAG] = "flag", [CLI_SET] = "flag",   [CLI_TEXT] = "text",   [CLI_FILE] = "file",
    [CLI_WORD] = "word", [CLI_COUNT] = "text", [CLI_SIZE] = "text",   [CLI_SECONDS] = "text",
    [CLI_REAL] = "text", [CLI_TEXTS] = "text", [CLI_CHANCE] = "text", [CLI_DATE] = "text",
};

/* Help of several lines as one. */
static void put_joined(cli_text *text, const char *help)
{
    for (; *help; help++)
        cli_put(text, *help == '\n' ? " " : help, 1);
}

static void put_row(cli_text *text, const char *command, const cli_option *option)
{
    cli_printf(text, "option\t%s\t%s\t%c\t%s\t%s\t", command, option->name,
               option->letter ? option->letter : '-', kinds[option->kind],
               option->operand ? option->operand : "-");
    for (size_t i = 0; option->words && option->words[i]; i++)
        cli_printf(text, "%s%s", i ? " " : "", option->words[i]);
    cli_puts(text, option->words ? "\t" : "-\t");
    put_joined(text, option->help);
    cli_puts(text, "\n");
}

static void put_rows(cli_text *text, const char *command, const cli_group *const *options)
{
    for (; *options; options++)
        for (size_t i = 0; i < (*options)->count; i++)
            put_row(text, command, &(*options)->options[i]);
}

static int run_dump(cli_run *run)
{
    static const cli_group *const main_groups[] = {&cli_main_group, NULL};
    cli_text text = {0};
    put_rows(&text, "-", main_groups);
    for (size_t i = 0; cli_commands[i]; i++) {
        if (cli_commands[i]->hidden)
            continue;
        cli_printf(&text, "command\t%s\t%s\t%s\n", cli_commands[i]->name, cli_commands[i]->operands,
                   cli_commands[i]->summary);
        put_rows(&text, cli_commands[i]->name, cli_commands[i]->options);
    }
    int code = text.status ? CLI_FAILED : cli_print_and_exit_code(text.ptr, text.len);
    cli_text_release(&text);
    return code;
}

const cli_command cli_options_dump = {
    .name = "__options",
    .operands = "",
    .summary = "print the option tables, for scripts",
    .about = "Prints the commands and options as lines of fields with tabs between them.\n",
    .options = help_groups,
    .hidden = true,
    .run = run_dump,
};
