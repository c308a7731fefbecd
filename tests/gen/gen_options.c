/* gen_options.c: reads the dials. One table holds name, place, range, default and help. */
#include "gen_options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

typedef enum dial_type {
    DIAL_SHARE,
    DIAL_COUNT,
    DIAL_RANGE,
    DIAL_SEED,
    DIAL_TEXT,
    DIAL_WORD,
    DIAL_FLAG
} dial_type;

typedef struct dial {
    const char *name;
    dial_type type;
    size_t at;
    uint32_t min, max;
    const char *initial, *words, *help;
} dial;

#define AT(field) offsetof(gen_options, field)
#define BIG       10000000u

/* The order of `words` is the order of the enum behind it. */
static const char kind_words[] = "list|detail|faculty";
static const char change_words[] = "none|rename|wrap|reorder|delete|restyle|redesign|content";

static const dial dials[] = {
    {"out", DIAL_TEXT, AT(out), 0, 0, NULL, NULL, "folder to write (made when missing)"},
    {"check", DIAL_TEXT, AT(check), 0, 0, NULL, NULL,
     "verify a written folder instead: every span against its value"},
    {"families", DIAL_FLAG, AT(families), 0, 0, NULL, NULL,
     "print the markup families and what they can make"},
    {"seed", DIAL_SEED, AT(seed), 0, 0, "1", NULL, "the same seed and dials give the same bytes"},
    {"sites", DIAL_COUNT, AT(sites), 1, BIG, "1", NULL,
     "number of sites; each has its own schema and template"},
    {"family", DIAL_TEXT, AT(family), 0, 0, "all", NULL,
     "a markup family, or all: they take turns"},
    {"kind", DIAL_WORD, AT(kind), 0, 0, "list", kind_words, "what a page holds"},
    {"pages", DIAL_COUNT, AT(pages), 1, BIG, "3", NULL, "pages a site"},
    {"records", DIAL_RANGE, AT(records), 0, BIG, "8..30", NULL, "records a list page"},
    {"attrs", DIAL_RANGE, AT(attrs), 1, 60, "4..9", NULL,
     "leaf attributes of a record, links and images included"},
    {"depth", DIAL_RANGE, AT(depth), 0, 4, "0..1", NULL, "sets nested inside a record"},
    {"noise", DIAL_SHARE, AT(noise), 0, 1, "0.1", NULL,
     "markup and entities in values, stray blanks, omitted end tags"},
    {"adverts", DIAL_SHARE, AT(adverts), 0, 1, "0.05", NULL,
     "chance of an advert or heading before a record"},
    {"permute", DIAL_SHARE, AT(permute), 0, 1, "0", NULL,
     "chance that a record's fields change places"},
    {"optionals", DIAL_SHARE, AT(optionals), 0, 1, "0.3", NULL,
     "share of fields that are optional"},
    {"optional", DIAL_SHARE, AT(optional), 0, 1, "0.25", NULL, "chance that an optional is absent"},
    {"choices", DIAL_SHARE, AT(choices), 0, 1, "0.15", NULL,
     "share of fields that start a disjunction"},
    {"rare", DIAL_SHARE, AT(rare), 0, 1, "0.1", NULL, "chance of a disjunction's last branch"},
    {"empties", DIAL_SHARE, AT(empties), 0, 1, "0.03", NULL, "chance that a value is empty"},
    {"template-words", DIAL_SHARE, AT(template_words), 0, 1, "0.05", NULL,
     "chance that a text value holds words of the template"},
    {"chrome", DIAL_SHARE, AT(chrome), 0, 1, "0.7", NULL,
     "how much stands around the data: navigation, sidebars, footers"},
    {"truth-all", DIAL_FLAG, AT(truth_all), 0, 0, NULL, NULL,
     "links and image sources count in \"records\" too"},
    {"change", DIAL_WORD, AT(change), 0, 0, "none", change_words,
     "write the site twice, before/ and after/ this change"},
    {"drift", DIAL_WORD, AT(change), 0, 0, NULL, change_words,
     "--drift content: new values, same layout"},
    {"perms", DIAL_RANGE, AT(perms), 1, 200, "2..4", NULL,
     "faculty: attribute permutations of a site"},
    {"shape", DIAL_TEXT, AT(profile), 0, 0, NULL, NULL,
     "faculty: NT,A,AP (tuples, attributes, permutations), table1 or unseen"},
    {"quiet", DIAL_FLAG, AT(quiet), 0, 0, NULL, NULL, "no summary"},
    {"help", DIAL_FLAG, AT(help), 0, 0, NULL, NULL, "this text"},
};
#define DIALS (sizeof dials / sizeof *dials)

static bool word_index(const char *words, const char *word, int *index)
{
    size_t len = strlen(word);
    for (*index = 0; *words && len; (*index)++) {
        size_t here = strcspn(words, "|");
        if (here == len && memcmp(words, word, len) == 0)
            return true;
        words += here + (words[here] == '|');
    }
    return false;
}

static const char *word_at(const char *words, int index, char *to, size_t size)
{
    while (index-- > 0)
        words += strcspn(words, "|") + 1;
    size_t len = strcspn(words, "|");
    len = len < size ? len : size - 1;
    memcpy(to, words, len);
    to[len] = 0;
    return to;
}

static bool read_count(const char **text, const dial *d, uint32_t *out)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    unsigned long value = strtoul(*text, &end, 10);
    *text = end;
    *out = (uint32_t)value;
    return value >= d->min && value <= d->max;
}

static bool set_dial(gen_options *options, const dial *d, const char *text)
{
    void *place = (char *)options + d->at;
    char *end = NULL;
    int index;
    switch (d->type) {
    case DIAL_SHARE:
        *(double *)place = strtod(text, &end);
        return end != text && !*end && *(double *)place >= 0 && *(double *)place <= 1;
    case DIAL_COUNT:
        return read_count(&text, d, place) && !*text;
    case DIAL_RANGE: {
        gen_range *range = place;
        if (!read_count(&text, d, &range->min))
            return false;
        range->max = range->min;
        if (text[0] == '.' && text[1] == '.') {
            text += 2;
            if (!read_count(&text, d, &range->max))
                return false;
        }
        return !*text && range->min <= range->max;
    }
    case DIAL_SEED:
        *(uint64_t *)place = strtoull(text, &end, 10);
        return end != text && !*end;
    case DIAL_TEXT:
        *(const char **)place = text;
        return *text != 0;
    case DIAL_WORD:
        if (!word_index(d->words, text, &index))
            return false;
        *(int *)place = index;
        return true;
    case DIAL_FLAG:
        *(bool *)place = true;
        return true;
    }
    return false;
}

static const char *dial_range(const dial *d, char *to, size_t size)
{
    static const char *const fixed[] = {"0..1", NULL, NULL, "0..2^64-1", "text", NULL, ""};
    if (d->words)
        return d->words;
    if (fixed[d->type])
        return fixed[d->type];
    snprintf(to, size, d->type == DIAL_RANGE ? "N or N..M, %u..%u" : "%u..%u", d->min, d->max);
    return to;
}

th_status gen_options_parse(gen_options *options, int argc, char **argv, th_error *err)
{
    _Static_assert(sizeof(gen_page_kind) == sizeof(int) && sizeof(gen_change) == sizeof(int),
                   "word dials are stored as int");
    char range[80];
    *options = (gen_options){0};
    for (size_t i = 0; i < DIALS; i++)
        if (dials[i].initial && !set_dial(options, &dials[i], dials[i].initial))
            return th__fail(err, TH_ERR_ARGUMENT, "the default of --%s is out of range",
                            dials[i].name);
    for (int a = 1; a < argc; a++) {
        const char *arg = argv[a];
        size_t len = strcspn(arg, "=");
        const dial *d = NULL;
        for (size_t i = 0; i < DIALS && strncmp(arg, "--", 2) == 0; i++)
            if (strlen(dials[i].name) == len - 2 && memcmp(dials[i].name, arg + 2, len - 2) == 0)
                d = &dials[i];
        if (!d)
            return th__fail(err, TH_ERR_ARGUMENT, "unknown option '%.100s'; see thresh-gen --help",
                            arg);
        const char *text = "";
        if (d->type != DIAL_FLAG) {
            if (arg[len] == '=')
                text = arg + len + 1;
            else if (++a < argc)
                text = argv[a];
            else
                return th__fail(err, TH_ERR_ARGUMENT, "--%s needs a value: %s", d->name,
                                dial_range(d, range, sizeof range));
        }
        options->pages_given |= d->at == AT(pages);
        if (!set_dial(options, d, text))
            return th__fail(err, TH_ERR_ARGUMENT, "--%s '%.100s' makes no sense; give %s", d->name,
                            text, dial_range(d, range, sizeof range));
    }
    if (!options->out && !options->check && !options->families && !options->help)
        return th__fail(err, TH_ERR_ARGUMENT, "--out FOLDER is missing; see thresh-gen --help");
    return TH_OK;
}

void gen_options_help(FILE *to)
{
    char range[80], left[64];
    fputs("usage: thresh-gen --out FOLDER [dials]\n"
          "       thresh-gen --check FOLDER\n\n"
          "Makes web sites with exact truth: pages, truth.jsonl and labels.jsonl.\n\n",
          to);
    for (size_t i = 0; i < DIALS; i++) {
        snprintf(left, sizeof left, "--%s", dials[i].name);
        fprintf(to, "  %-17s %s", left, dials[i].help);
        const char *allowed = dial_range(&dials[i], range, sizeof range);
        if (*allowed && strcmp(allowed, "text") != 0)
            fprintf(to, " [%s]", allowed);
        if (dials[i].initial)
            fprintf(to, " (default %s)", dials[i].initial);
        fputc('\n', to);
    }
}

const char *gen_kind_name(gen_page_kind kind)
{
    static const char *const names[] = {"list", "detail", "faculty"};
    return names[kind];
}

const char *gen_change_name(gen_change change)
{
    static char names[8][12];
    return word_at(change_words, (int)change, names[change], sizeof names[change]);
}
