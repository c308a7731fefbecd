/*
 * options.h: the options of the command line, as tables.
 *
 * A command has groups of options; a group is a table. The parser reads the tables, --help prints
 * them, and the completions and the test of the manual are made from them (`thresh __options`), so
 * that these cannot differ.
 *
 * A row names the field of a struct that it fills. Shared groups fill cli_settings, a command's own
 * groups fill a struct of the command.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stddef.h>
#include <thresh.h>

#include "growing_text.h"

typedef enum cli_kind {
    CLI_FLAG,    /* bool: true when given */
    CLI_SET,     /* int: becomes `value` when given; of several options the last counts */
    CLI_TEXT,    /* const char * */
    CLI_FILE,    /* const char *: completed as a file */
    CLI_TEXTS,   /* cli_texts: may be given many times */
    CLI_WORD,    /* int: which of `words`, counted from 1; 0 when not given */
    CLI_COUNT,   /* uint64_t from least to most */
    CLI_SIZE,    /* uint64_t: bytes, with K, M or G */
    CLI_SECONDS, /* uint64_t: milliseconds, given as seconds */
    CLI_REAL,    /* cli_real: a number from least to most, whole or not */
    CLI_CHANCE,  /* double: a probability, more than 0 and less than 1; 0 when not given */
    CLI_DATE,    /* const char *: a date as ISO 8601 */
} cli_kind;

/* The values of an option that may be given many times, in order. cli_options_release frees. */
typedef struct cli_texts {
    const char **items;
    size_t count;
} cli_texts;

typedef struct cli_option {
    const char *name; /* without the dashes */
    char letter;      /* 0 for none */
    cli_kind kind;
    const char *operand;      /* the name of its value in help; NULL for flags */
    const char *help;         /* may have several lines */
    size_t field;             /* offset in the struct of the group */
    const char *const *words; /* of CLI_WORD, NULL at the end */
    int value;                /* of CLI_SET */
    uint64_t least, most;     /* of CLI_COUNT and CLI_SIZE; least of CLI_SECONDS, in ms */
    const char *needs;        /* another option without which it means nothing */
    const char *required;     /* what the command cannot do without: "a wrapper" */
} cli_option;

typedef struct cli_group {
    const char *heading;
    const cli_option *options;
    size_t count;
    bool own; /* fills the command's own struct */
} cli_group;

#define CLI_GROUP(heading, table, own)                                                             \
    {                                                                                              \
        heading, table, sizeof(table) / sizeof *(table), own                                       \
    }

typedef struct cli_real {
    bool given;
    double value;
} cli_real;

/* The parameters of papers: see th_paper_options. 0 when not given. */
typedef struct cli_paper_settings {
    bool paper, table_tags;
    int encoding, lower_encoding;
    uint64_t combination, levels, min_length, min_count, size_threshold;
    cli_real threshold, max_variance, min_density, cluster_variance, max_mismatch,
        support_threshold;
} cli_paper_settings;

/* What every command understands. */
typedef struct cli_settings {
    int format; /* th_format + 1; 0 when not given */
    const char *output;
    bool replace, append, excel, spans, with_page, types;
    const char *upsert;

    const char *project, *site;
    const char *split, *resume;
    uint32_t split_part, split_of; /* as split says: from 0; 0, 0 when not given */

    const char *url, *charset;
    uint64_t max_bytes, max_depth; /* 0 when not given */

    bool allow_private, ignore_robots;
    const char *user_agent, *cookie_jar, *proxy, *site_file, *cache;
    uint64_t cache_age_s;
    cli_texts headers;
    uint64_t timeout_ms;                                    /* 0 when not given */
    uint64_t max_redirects, retries, delay_ms, max_wait_ms; /* CLI_NOT_GIVEN when not given */
    uint64_t follow;                                        /* 0 when not given */

    const char *warc;

    bool render;
    const char *wait_for;
    uint64_t scroll; /* 0 when not given */

    cli_paper_settings paper;

    uint64_t jobs; /* 0: one for each processor */
    bool quiet, verbose;
    int color; /* a cli_when + 1 */
    bool help, version;
} cli_settings;

#define CLI_NOT_GIVEN UINT64_MAX

/* Engines that find lists and learn them, NULL at the end. */
extern const char *const cli_engines[];

/* Shared groups. */
extern const cli_group cli_records_group; /* -f, -o, ...: for commands that write records */
extern const cli_group cli_file_group;    /* -o alone */
extern const cli_group cli_list_group;    /* --paper, ...: of commands with engines for lists */
extern const cli_group cli_paper_group;   /* the same for all engines */
extern const cli_group cli_published_group, cli_template_group; /* --paper; those of templates */
extern const cli_group cli_project_group;                       /* --project, --site */
extern const cli_group cli_page_group;                          /* how pages are read */
extern const cli_group cli_follow_group;                        /* --follow */
extern const cli_group cli_fetch_group;                         /* how URLs are fetched */
extern const cli_group cli_common_group;                        /* -j, -q, -v, --color, --help */
extern const cli_group cli_main_group;                          /* of thresh without a command */
extern const cli_group cli_long_group;                          /* --split, --resume */

/* The words of the command line that are not options. */
typedef struct cli_words {
    const char **operands; /* words that are not options, in order; room for all of argv */
    size_t count;
} cli_words;

/* Reads the arguments (argv[0] is not looked at). NULL ends the groups. False with a complete
 * message in `problem`; on memory running out the message says so. The caller frees words->operands
 * in any case. */
bool cli_parse(const cli_group *const *groups, int argc, char **argv, cli_settings *settings,
               void *own, cli_words *words, cli_text *problem);

/* Returns true if every option that was given has the one that it needs, and if all that are
 * required were given. False with a complete message in `problem`. `command` is named in it. */
bool cli_check_options(const cli_group *const *groups, const char *command,
                       const cli_settings *settings, const void *own, cli_text *problem);

/* Frees what the options filled in. */
void cli_options_release(const cli_group *const *groups, cli_settings *settings, void *own);

/* The options as --help shows them. */
void cli_put_options(cli_text *text, const cli_group *const *groups);

/* The name nearest to what was typed, for "did you mean"; NULL when none is near. `names` is called
 * with 0, 1, ... until it gives NULL. */
const char *cli_nearest(const char *typed, const char *(*names)(const void *context, size_t index),
                        const void *context);
/* The same for the long options of some groups. */
const char *cli_nearest_option(const char *typed, const cli_group *const *groups);

#endif
