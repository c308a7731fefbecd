/*
 * paper_options.c: the parameters of mdr, iepad and exalg: for researchers, and for pages that the
 * values of the papers do not suit.
 */
#include <string.h>

#include "run.h"

#define FIELD(name) offsetof(cli_settings, paper.name)

static const char *const encodings[] = {"all-tag",    "no-physical", "no-special",
                                        "no-logical", "block-level", NULL};

static const cli_option options[] = {
    {"paper", 0, CLI_FLAG, NULL, "use the algorithm as published, without our improvements",
     FIELD(paper)},
    {"combination", 0, CLI_COUNT, "K", "mdr: most nodes in a generalized node (default 10)",
     FIELD(combination), .least = 1, .most = 32},
    {"threshold", 0, CLI_REAL, "T",
     "mdr: share of their length by which similar tag strings\n"
     "may differ (default 0.3)",
     FIELD(threshold), .least = 0, .most = 2},
    {"table-tags", 0, CLI_FLAG, NULL, "mdr: only records of table and form tags, as with --paper",
     FIELD(table_tags)},
    {"encoding", 0, CLI_WORD, "SCHEME",
     "iepad: tags to keep: all-tag, no-physical, no-special,\n"
     "no-logical or block-level (default block-level)",
     FIELD(encoding), .words = encodings},
    {"levels", 0, CLI_COUNT, "N",
     "iepad: levels of alignment, 1 to 3: each divides the\n"
     "texts of the one before (default 2)",
     FIELD(levels), .least = 1, .most = 3},
    {"lower-encoding", 0, CLI_WORD, "SCHEME",
     "iepad: --encoding of the second level (default all-tag,\n"
     "as the third's always is)",
     FIELD(lower_encoding), .words = encodings},
    {"min-length", 0, CLI_COUNT, "N", "iepad: fewest tokens of a repeat (default 3)",
     FIELD(min_length), .least = 1, .most = 512},
    {"min-count", 0, CLI_COUNT, "N", "iepad: fewest occurrences of a repeat (default 5)",
     FIELD(min_count), .least = 2, .most = 1000000000},
    {"max-variance", 0, CLI_REAL, "V",
     "iepad: largest variation of the distances between its\n"
     "occurrences (default 0.36)",
     FIELD(max_variance), .least = 0, .most = 100},
    {"min-density", 0, CLI_REAL, "D",
     "iepad: least share of its range that it covers\n(default 0.2)", FIELD(min_density),
     .least = 0, .most = 1},
    {"cluster-variance", 0, CLI_REAL, "V",
     "iepad: if distances vary by more, occurrences that vary\n"
     "by at most V form a list (default 0.1)",
     FIELD(cluster_variance), .least = 0, .most = 100},
    {"max-mismatch", 0, CLI_REAL, "M",
     "iepad: largest share of a pattern's columns that have\n"
     "options or alternatives (default 0.75 with --paper)",
     FIELD(max_mismatch), .least = 0, .most = 1},
    {"size-threshold", 0, CLI_COUNT, "N",
     "exalg: fewest tokens of an equivalence class (default 3)", FIELD(size_threshold), .least = 1,
     .most = 1000},
    {"support-threshold", 0, CLI_REAL, "S",
     "exalg, template: least share of the pages that have a\n"
     "part of the template (default 0.25)",
     FIELD(support_threshold), .least = 0, .most = 1},
};
enum { OPTIONS = sizeof options / sizeof *options, FOR_TEMPLATES = 2 /* the last ones */ };

#define HEADING "Paper settings"
const cli_group cli_list_group = {HEADING, options, OPTIONS - FOR_TEMPLATES, false};
const cli_group cli_paper_group = {HEADING, options, OPTIONS, false};
const cli_group cli_published_group = {HEADING, options, 1, false};
const cli_group cli_template_group = {HEADING, options + OPTIONS - FOR_TEMPLATES, FOR_TEMPLATES,
                                      false};

/* By option: the engine that it is for (NULL: all), and where it goes. */
static const struct target {
    const char *engine;
    size_t field; /* of th_paper_options */
} targets[] = {
    {NULL, offsetof(th_paper_options, published)},
    {"mdr", offsetof(th_paper_options, combination)},
    {"mdr", offsetof(th_paper_options, threshold)},
    {"mdr", offsetof(th_paper_options, table_tags)},
    {"iepad", offsetof(th_paper_options, encoding)},
    {"iepad", offsetof(th_paper_options, levels)},
    {"iepad", offsetof(th_paper_options, lower_encoding)},
    {"iepad", offsetof(th_paper_options, min_length)},
    {"iepad", offsetof(th_paper_options, min_count)},
    {"iepad", offsetof(th_paper_options, max_variance)},
    {"iepad", offsetof(th_paper_options, min_density)},
    {"iepad", offsetof(th_paper_options, cluster_variance)},
    {"iepad", offsetof(th_paper_options, max_mismatch)},
    {"exalg", offsetof(th_paper_options, size_threshold)},
    {"exalg or template", offsetof(th_paper_options, support_threshold)},
};
_Static_assert(sizeof targets / sizeof *targets == OPTIONS, "a target for each option");

/* Puts an option where it goes. False when it was not given. */
static bool take(const cli_settings *set, size_t index, th_paper_options *out)
{
    const cli_option *option = &options[index];
    const void *from = (const char *)set + option->field;
    void *to = (char *)out + targets[index].field;
    const cli_real *real = from;
    if (option->kind == CLI_FLAG)
        return *(bool *)to = *(const bool *)from;
    if (option->kind == CLI_REAL) {
        *(double *)to = real->given ? real->value : *(double *)to;
        return real->given;
    }
    if (option->kind == CLI_WORD) {
        int word = *(const int *)from;
        *(const char **)to = word ? option->words[word - 1] : NULL;
        return word;
    }
    uint64_t count = *(const uint64_t *)from;
    *(uint32_t *)to = count ? (uint32_t)count : *(uint32_t *)to;
    return count;
}

/* Returns true if an engine is one of "a" or "a or b". */
static bool is_for(const char *engine, const char *wants)
{
    const char *at = strstr(wants, engine);
    size_t len = strlen(engine);
    return at && (at == wants || at[-1] == ' ') && (!at[len] || at[len] == ' ');
}

int cli_paper_options(const cli_run *run, const char *engine, th_paper_options *out)
{
    static const char *const unpublished[] = {"auto", "lists", "paths", "template"};
    bool published = true;
    for (size_t i = 0; i < sizeof unpublished / sizeof *unpublished; i++)
        published &= strcmp(engine, unpublished[i]) != 0;
    th_paper_options_init(out);
    for (size_t i = 0; i < OPTIONS; i++) {
        const char *wants = targets[i].engine;
        if (!take(&run->set, i, out) || (wants ? is_for(engine, wants) : published))
            continue;
        if (!wants)
            wants = run->command == &cli_learn || run->command == &cli_show
                        ? "mdr, iepad, exalg, softmealy or stalker"
                        : "mdr or iepad";
        return cli_usage_error(run->command, "--%s needs --engine %s, not %s", options[i].name,
                               wants, engine);
    }
    return CLI_DONE;
}
