/* options.c: the parser that the tables drive, and the help that is made from them. */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- near names ---- */

enum { LONGEST_NAME = 32 };

/* Changes (insert, delete, replace, swap of neighbours) between two short names. */
static size_t distance(const char *a, const char *b)
{
    size_t row[3][LONGEST_NAME + 1];
    size_t la = strlen(a), lb = strlen(b);
    if (la > LONGEST_NAME || lb > LONGEST_NAME)
        return LONGEST_NAME;
    for (size_t j = 0; j <= lb; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[la % 3][lb];
}

const char *cli_nearest(const char *typed, const char *(*names)(const void *context, size_t index),
                        const void *context)
{
    size_t len = strlen(typed), best = len / 3 + 2;
    const char *found = NULL, *name;
    for (size_t i = 0; (name = names(context, i)) != NULL; i++) {
        /* The beginning of a name is near it, however much is missing. */
        size_t far = len >= 3 && !strncmp(name, typed, len) ? 1 : distance(typed, name);
        if (far < best) {
            best = far;
            found = name;
        }
    }
    return found;
}

/* ---- parsing ---- */

typedef struct parser {
    const cli_group *const *groups;
    char *settings, *own;
    cli_text *problem;
} parser;

typedef struct match {
    const cli_option *option;
    char *field;
} match;

static const cli_option *option_at(const cli_group *const *groups, size_t index,
                                   const cli_group **group)
{
    for (; *groups; groups++) {
        if (index < (*groups)->count) {
            if (group)
                *group = *groups;
            return &(*groups)->options[index];
        }
        index -= (*groups)->count;
    }
    return NULL;
}

static const char *option_name(const void *context, size_t index)
{
    const cli_option *option = option_at(context, index, NULL);
    return option ? option->name : NULL;
}

const char *cli_nearest_option(const char *typed, const cli_group *const *groups)
{
    return cli_nearest(typed, option_name, groups);
}

/* By long name (len bytes of it) or, with name NULL, by letter. */
static match find(const parser *p, const char *name, size_t len, char letter)
{
    const cli_group *group = NULL;
    const cli_option *option;
    for (size_t i = 0; (option = option_at(p->groups, i, &group)) != NULL; i++) {
        if (name ? strlen(option->name) == len && !memcmp(option->name, name, len)
                 : option->letter == letter)
            return (match){option, (group->own ? p->own : p->settings) + option->field};
    }
    return (match){0};
}

static const char *word_at(const void *context, size_t index)
{
    return ((const char *const *)context)[index];
}

/* Begins the message about a value that an option cannot have. */
static bool refuse(const parser *p, const cli_option *option, const char *value)
{
    cli_printf(p->problem, "--%s cannot be '", option->name);
    cli_put_safe(p->problem, th_str_from(value), 60);
    cli_puts(p->problem, "'; it is ");
    return false;
}

static bool set_word(const parser *p, const cli_option *option, const char *value, int *field)
{
    for (int i = 0; option->words[i]; i++) {
        if (!strcmp(option->words[i], value)) {
            *field = i + 1;
            return true;
        }
    }
    const char *near = cli_nearest(value, word_at, option->words);
    refuse(p, option, value);
    cli_puts(p->problem, "one of ");
    for (int i = 0; option->words[i]; i++)
        cli_printf(p->problem, "%s%s", i ? ", " : "", option->words[i]);
    if (near)
        cli_printf(p->problem, ". Did you mean %s?", near);
    return false;
}

/* A number with an optional unit: units[0] means 1024, units[1] its square, ... */
static bool read_number(const char *value, const char *units, uint64_t *out)
{
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)*value))
        return false;
    unsigned long long number = strtoull(value, &end, 10);
    unsigned shift = 0;
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (unit) {
        shift = 10 * (unsigned)(unit - units + 1);
        end++;
    }
    if (*end || errno || (shift && number >> (64 - shift)))
        return false;
    *out = (uint64_t)number << shift;
    return true;
}

static bool set_number(const parser *p, const cli_option *option, const char *value,
                       uint64_t *field)
{
    bool size = option->kind == CLI_SIZE;
    uint64_t number;
    if (read_number(value, size ? "KMG" : "", &number) && number >= option->least &&
        number <= option->most) {
        *field = number;
        return true;
    }
    refuse(p, option, value);
    cli_printf(p->problem, "a number from %llu to %llu%s", (unsigned long long)option->least,
               (unsigned long long)option->most, size ? ", or such as 500K, 64M or 2G" : "");
    return false;
}

/* A number without a sign, whole or not; -1 for anything else. */
static double read_real(const char *value)
{
    char *end;
    bool begins = isdigit((unsigned char)*value) || *value == '.';
    double number = begins ? strtod(value, &end) : -1;
    return begins && !*end ? number : -1;
}

static bool set_seconds(const parser *p, const cli_option *option, const char *value,
                        uint64_t *field)
{
    double seconds = read_real(value);
    if (seconds >= (double)option->least / 1000 && seconds <= 86400) {
        *field = (uint64_t)(seconds * 1000 + 0.5);
        return true;
    }
    refuse(p, option, value);
    cli_puts(p->problem, "a number of seconds, such as 30 or 2.5, up to a day");
    return false;
}

static bool set_real(const parser *p, const cli_option *option, const char *value, cli_real *field)
{
    double number = read_real(value);
    if (number >= (double)option->least && number <= (double)option->most) {
        *field = (cli_real){true, number};
        return true;
    }
    refuse(p, option, value);
    cli_printf(p->problem, "a number from %llu to %llu, such as 0.25",
               (unsigned long long)option->least, (unsigned long long)option->most);
    return false;
}

static bool set_chance(const parser *p, const cli_option *option, const char *value, double *field)
{
    *field = read_real(value);
    if (*field > 0 && *field < 1)
        return true;
    refuse(p, option, value);
    cli_puts(p->problem, "a probability between 0 and 1");
    return false;
}

/* YYYY-MM-DD, or more behind it. */
static bool set_date(const parser *p, const cli_option *option, const char *value,
                     const char **field)
{
    unsigned month, day;
    int end = 0;
    *field = value;
    if (sscanf(value, "%*4u-%2u-%2u%n", &month, &day, &end) == 2 && end == 10 && month >= 1 &&
        month <= 12 && day >= 1 && day <= 31 && (!value[end] || strchr("T ", value[end])))
        return true;
    refuse(p, option, value);
    cli_puts(p->problem, "a date, such as 2026-01-31 or 2026-01-31T06:30:00Z");
    return false;
}

static bool add_text(const parser *p, const char *value, cli_texts *field)
{
    /* Grows at powers of two. */
    if ((field->count & (field->count - 1)) == 0) {
        size_t room = field->count ? 2 * field->count : 1;
        const char **items = realloc(field->items, room * sizeof *items);
        if (!items) {
            cli_puts(p->problem, "out of memory");
            return false;
        }
        field->items = items;
    }
    field->items[field->count++] = value;
    return true;
}

static bool set(const parser *p, match to, const char *value)
{
    void *field = to.field;
    switch (to.option->kind) {
    case CLI_FLAG:
        *(bool *)field = true;
        return true;
    case CLI_SET:
        *(int *)field = to.option->value;
        return true;
    case CLI_TEXT:
    case CLI_FILE:
    case CLI_TEXTS:
        if (!*value) {
            cli_printf(p->problem, "--%s has an empty value", to.option->name);
            return false;
        }
        if (to.option->kind == CLI_TEXTS)
            return add_text(p, value, field);
        *(const char **)field = value;
        return true;
    case CLI_WORD:
        return set_word(p, to.option, value, field);
    case CLI_COUNT:
    case CLI_SIZE:
        return set_number(p, to.option, value, field);
    case CLI_SECONDS:
        return set_seconds(p, to.option, value, field);
    case CLI_REAL:
        return set_real(p, to.option, value, field);
    case CLI_CHANCE:
        return set_chance(p, to.option, value, field);
    case CLI_DATE:
        return set_date(p, to.option, value, field);
    }
    return false;
}

/* --name, --name=value or --name value; takes the next word when it needs one. */
static bool parse_long(const parser *p, char **argv, int *at, int argc)
{
    const char *name = argv[*at] + 2, *equals = strchr(name, '=');
    size_t len = equals ? (size_t)(equals - name) : strlen(name);
    match to = find(p, name, len, 0);
    if (!to.option) {
        char typed[LONGEST_NAME + 1] = {0};
        memcpy(typed, name, len > LONGEST_NAME ? LONGEST_NAME : len);
        const char *near = cli_nearest_option(typed, p->groups);
        cli_puts(p->problem, "unknown option --");
        cli_put_safe(p->problem, (th_str){name, len}, 60);
        if (near)
            cli_printf(p->problem, "; did you mean --%s?", near);
        return false;
    }
    if (!to.option->operand && equals) {
        cli_printf(p->problem, "--%s takes no value", to.option->name);
        return false;
    }
    if (to.option->operand && !equals && *at + 1 >= argc) {
        cli_printf(p->problem, "--%s needs a value: --%s %s", to.option->name, to.option->name,
                   to.option->operand);
        return false;
    }
    return set(p, to, !to.option->operand ? NULL : equals ? equals + 1 : argv[++*at]);
}

/* -q, -qv, -j4 or -j 4. */
static bool parse_letters(const parser *p, char **argv, int *at, int argc)
{
    for (const char *letter = argv[*at] + 1; *letter; letter++) {
        match to = find(p, NULL, 0, *letter);
        if (!to.option) {
            cli_puts(p->problem, "unknown option -");
            cli_put_safe(p->problem, (th_str){letter, 1}, 0);
            return false;
        }
        if (!to.option->operand) {
            if (!set(p, to, NULL))
                return false;
            continue;
        }
        if (letter[1])
            return set(p, to, letter + 1);
        if (*at + 1 >= argc) {
            cli_printf(p->problem, "-%c needs a value: -%c %s", *letter, *letter,
                       to.option->operand);
            return false;
        }
        return set(p, to, argv[++*at]);
    }
    return true;
}

bool cli_parse(const cli_group *const *groups, int argc, char **argv, cli_settings *settings,
               void *own, cli_words *words, cli_text *problem)
{
    parser p = {groups, (char *)settings, own, problem};
    words->count = 0;
    words->operands = calloc((size_t)argc + 1, sizeof *words->operands);
    if (!words->operands) {
        cli_puts(problem, "out of memory");
        return false;
    }
    bool options = true;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        bool good = true;
        if (!options || word[0] != '-' || !word[1])
            words->operands[words->count++] = word;
        else if (!strcmp(word, "--"))
            options = false;
        else
            good =
                word[1] == '-' ? parse_long(&p, argv, &i, argc) : parse_letters(&p, argv, &i, argc);
        if (!good)
            return false;
    }
    return true;
}

static bool is_given(const cli_option *option, const void *field)
{
    switch (option->kind) {
    case CLI_FLAG:
        return *(const bool *)field;
    case CLI_SET:
    case CLI_WORD:
        return *(const int *)field;
    case CLI_TEXT:
    case CLI_FILE:
    case CLI_DATE:
        return *(const char *const *)field;
    case CLI_TEXTS:
        return ((const cli_texts *)field)->count;
    case CLI_COUNT:
    case CLI_SIZE:
    case CLI_SECONDS:
        return *(const uint64_t *)field && *(const uint64_t *)field != CLI_NOT_GIVEN;
    case CLI_REAL:
        return ((const cli_real *)field)->given;
    case CLI_CHANCE:
        return *(const double *)field != 0;
    }
    return false;
}

bool cli_check_options(const cli_group *const *groups, const char *command,
                       const cli_settings *settings, const void *own, cli_text *problem)
{
    parser p = {groups, (char *)settings, (char *)own, problem};
    const cli_group *group = NULL;
    const cli_option *option;
    for (size_t i = 0; (option = option_at(groups, i, &group)) != NULL; i++) {
        match other =
            option->needs ? find(&p, option->needs, strlen(option->needs), 0) : (match){0};
        bool given = is_given(option, (group->own ? p.own : p.settings) + option->field);
        if (option->required && !given) {
            cli_printf(problem, "%s needs %s: -%c %s", command, option->required, option->letter,
                       option->operand);
            return false;
        }
        if (given && other.option && !is_given(other.option, other.field)) {
            cli_printf(problem, "--%s needs --%s", option->name, option->needs);
            return false;
        }
    }
    return true;
}

void cli_options_release(const cli_group *const *groups, cli_settings *settings, void *own)
{
    const cli_group *group = NULL;
    const cli_option *option;
    for (size_t i = 0; (option = option_at(groups, i, &group)) != NULL; i++)
        if (option->kind == CLI_TEXTS) {
            cli_texts *texts =
                (void *)((group->own ? (char *)own : (char *)settings) + option->field);
            free(texts->items);
            *texts = (cli_texts){0};
        }
}

/* ---- help ---- */

enum { HELP_COLUMN = 27 };

static void put_option(cli_text *text, const cli_option *option)
{
    char head[80];
    int len = option->letter
                  ? snprintf(head, sizeof head, "  -%c, --%s", option->letter, option->name)
                  : snprintf(head, sizeof head, "      --%s", option->name);
    if (option->operand)
        len += snprintf(head + len, sizeof head - (size_t)len, " %s", option->operand);
    cli_puts(text, head);
    size_t column = (size_t)len;
    if (column + 2 > HELP_COLUMN) {
        cli_puts(text, "\n");
        column = 0;
    }
    for (const char *line = option->help; *line;) {
        size_t span = strcspn(line, "\n");
        cli_spaces(text, HELP_COLUMN - column);
        cli_put(text, line, span);
        cli_puts(text, "\n");
        line += span + (line[span] == '\n');
        column = 0;
    }
}

void cli_put_options(cli_text *text, const cli_group *const *groups)
{
    for (const char *last = ""; *groups; last = (*groups++)->heading) {
        if (strcmp((*groups)->heading, last) != 0) /* two groups may go on under one */
            cli_printf(text, "\n%s:\n", (*groups)->heading);
        for (size_t i = 0; i < (*groups)->count; i++)
            put_option(text, &(*groups)->options[i]);
    }
}
