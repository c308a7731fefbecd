/*
 * command.h: a command of thresh, and the table of them.
 *
 * A command is one file: its option tables, its run function, and a cli_command that names them. To
 * add one, write the file, declare it here and put it into the table of main.c.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "options.h"

typedef struct cli_run cli_run;

/* The exit codes of all commands. */
enum {
    CLI_DONE = 0,
    CLI_FAILED = 1, /* some inputs failed; the rest is done */
    CLI_USAGE = 2,
    CLI_DRIFT = 3,
};

typedef struct cli_command {
    const char *name;
    const char *operands;            /* as usage shows them: "PAGE..." */
    const char *summary;             /* one line */
    const char *about;               /* what help says below the usage line */
    const char *const *examples;     /* command lines, NULL at the end */
    const cli_group *const *options; /* NULL at the end */
    size_t own_size;                 /* of the struct that its own groups fill */
    size_t least;                    /* operands it cannot do without */
    bool hidden;                     /* for our own scripts: not in help */
    bool by_name;                    /* its result is about all inputs together and must not depend
                                        on their order: it takes them in the order of their names */
    bool makes_project;              /* --project may name a file that does not exist yet */
    int (*run)(cli_run *run);        /* gives the exit code */
} cli_command;

extern const cli_command cli_records, cli_regions, cli_clusters, cli_learn, cli_extract,
    cli_suggest, cli_verify, cli_repair, cli_monitor, cli_crawl, cli_show, cli_labels,
    cli_project_command, cli_serve, cli_mcp, cli_help, cli_options_dump;

/* The table, NULL at the end, and the command of that name or NULL. */
extern const cli_command *const cli_commands[];
const cli_command *cli_command_find(const char *name);

/* Prints the help of a command; NULL: all commands in short. The exit code. */
int cli_print_help(const cli_command *command);

/* Says on standard error how a command is used wrongly. Gives CLI_USAGE. */
int cli_usage_error(const cli_command *command, const char *format, ...) TH_PRINTF(2, 3);

#endif
