/*
 * round_trip.c: every engine learns from generated sites, and what it learnt is written and read.
 *
 * usage: round_trip FOLDER [DAMAGE]
 *
 * FOLDER holds sites that thresh-gen wrote. The wrapper that was read must be the one that was
 * written: the same file, and the same records at the same places, on the pages learnt from and on
 * those left out. With DAMAGE, a seed, some bytes of every page are replaced by worse ones first;
 * labels keep their places, since no byte is added. That nothing can be learnt is no fault here.
 * Prints how many wrappers were tried, by engine.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "gen_random.h"
#include "same_records.h"

enum { MOST_PAGES = 16 };

static const struct way {
    const char *engine;
    bool labels, published;
} ways[] = {
    {"lists", false, false},   {"mdr", false, false},     {"mdr", false, true},
    {"iepad", false, false},   {"iepad", false, true},    {"template", false, false},
    {"exalg", false, false},   {"lists", true, false},    {"mdr", true, false},
    {"iepad", true, false},    {"template", true, false}, {"softmealy", true, false},
    {"softmealy", true, true}, {"stalker", true, false},  {"stalker", true, true},
    {"paths", true, false},    {NULL, true, false},
};
enum { WAYS = sizeof ways / sizeof *ways };

struct site {
    const char *name;
    th_page *pages[MOST_PAGES];
    char *bytes[MOST_PAGES]; /* which the pages borrow */
    char names[MOST_PAGES][300];
    size_t count;
};

static size_t tried[WAYS];
static th_labels *labels;
static bool failed;

static _Noreturn void give_up(const char *what, const char *why)
{
    fprintf(stderr, "round_trip: %s: %s\n", what, why);
    exit(2);
}

/* ---- pages ---- */

static char *read_whole(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        give_up(path, "cannot be read");
    *len = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*len + 1);
    if (!data || fread(data, 1, *len, file) != *len)
        give_up(path, "cannot be read");
    fclose(file);
    return data;
}

/* Signs that mean something to HTML, to JSON, to UTF-8 or to C. */
static void damage(char *data, size_t len, gen_rng *rng)
{
    static const char worse[] = {'\0',   '<',  '>', '"', '\'', '&', '\\',   '\x80',
                                 '\xFF', '\n', '/', '.', '[',  '=', '\x1F', ';'};
    uint32_t times = gen_between(rng, 1, 40);
    for (uint32_t i = 0; len && i < times; i++)
        data[gen_below(rng, (uint32_t)len)] = worse[gen_below(rng, sizeof worse)];
    /* A run of one sign: long names, long blanks. */
    if (len > 2000 && gen_chance(rng, 0.3))
        memset(data + gen_below(rng, (uint32_t)len - 700), worse[gen_below(rng, sizeof worse)],
               gen_between(rng, 1, 600));
}

static void load(struct site *site, const char *folder, const char *name, th_parser *parser,
                 uint64_t seed)
{
    char path[4096];
    th_error err;
    site->name = name;
    for (site->count = 0; site->count < MOST_PAGES; site->count++) {
        size_t len, n = site->count;
        snprintf(site->names[n], sizeof site->names[n], "%s/page-%03zu.html", name, n);
        snprintf(path, sizeof path, "%s/%s", folder, site->names[n]);
        FILE *there = fopen(path, "rb");
        if (!there)
            break;
        fclose(there);
        char *data = read_whole(path, &len);
        gen_rng rng = gen_fork(seed, n);
        if (seed)
            damage(data, len, &rng);
        if (th_parser_parse(parser, (th_str){data, len}, NULL, &site->pages[n], &err))
            give_up(path, err.message);
        site->bytes[n] = data;
    }
}

/* ---- wrappers ---- */

/* From all pages but the last. NULL when there is nothing to learn. */
static th_wrapper *learn(const struct site *site, const struct way *way)
{
    th_corpus *corpus;
    th_wrapper *wrapper = NULL;
    th_learn_options options;
    th_error err;
    th_learn_options_init(&options);
    options.no_profile = true;
    options.engine = way->engine;
    options.pick = 1; /* not in clusters */
    options.paper.published = way->published;
    if (th_corpus_new(&corpus, &err))
        give_up(site->name, err.message);
    th_corpus_set_labels(corpus, way->labels ? labels : NULL);
    th_status status = TH_OK;
    for (size_t i = 0; !status && i + 1 < site->count; i++) {
        th_records_source source = {.page = th_str_from(site->names[i])};
        status = th_corpus_add(corpus, site->pages[i], &source, &err);
    }
    if (!status && th_learn(corpus, &options, &wrapper, NULL, &err))
        wrapper = NULL;
    th_corpus_free(corpus);
    return wrapper;
}

/* A profile of what it gives is part of the file. */
static void add_profile(th_wrapper *wrapper, const struct site *site)
{
    th_records *records[MOST_PAGES] = {0};
    th_error err;
    size_t count = 0;
    while (count < site->count &&
           !th_wrapper_extract(wrapper, site->pages[count], NULL, &records[count], &err))
        count++;
    th_wrapper_profile(wrapper, (const th_page *const *)site->pages,
                       (const th_records *const *)records, count, &err);
    while (count)
        th_records_free(records[--count]);
}

static void try_way(const struct site *site, size_t w)
{
    th_error err;
    th_wrapper *again, *wrapper = learn(site, &ways[w]);
    if (!wrapper)
        return;
    tried[w]++;
    for (int profile = 0; profile < 2; profile++) {
        if (profile)
            add_profile(wrapper, site);
        if (!survives_writing(wrapper, (const th_page *const *)site->pages, site->count, &again,
                              &err)) {
            fprintf(stderr, "%s: %s%s%s: %s\n", site->name,
                    ways[w].engine ? ways[w].engine : "front", ways[w].labels ? " from labels" : "",
                    ways[w].published ? ", as published" : "", err.message);
            failed = true;
        }
        th_wrapper_free(again);
    }
    th_wrapper_free(wrapper);
}

static int is_site(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && !strchr(entry->d_name, '.');
}

int main(int argc, char **argv)
{
    struct dirent **entries;
    struct site site;
    th_parser *parser;
    th_error err;
    char path[4096];
    size_t len;
    if (argc < 2)
        give_up("usage", "round_trip FOLDER [DAMAGE]");
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    snprintf(path, sizeof path, "%s/labels.jsonl", argv[1]);
    char *text = read_whole(path, &len);
    if (th_labels_read((th_str){text, len}, path, &labels, &err) ||
        th_parser_new(NULL, &parser, &err))
        give_up(path, err.message);
    int count = scandir(argv[1], &entries, is_site, alphasort);
    for (int i = 0; i < count; i++) {
        load(&site, argv[1], entries[i]->d_name, parser,
             seed ? gen_seed(seed, (uint64_t)i) | 1 : 0);
        for (size_t w = 0; w < WAYS; w++)
            try_way(&site, w);
        while (site.count) {
            th_page_free(site.pages[--site.count]);
            free(site.bytes[site.count]);
        }
        free(entries[i]);
    }
    free(entries);
    for (size_t w = 0; w < WAYS; w++)
        printf("%s%s%s %zu\n", ways[w].engine ? ways[w].engine : "front",
               ways[w].labels ? "+labels" : "", ways[w].published ? "+paper" : "", tried[w]);
    th_parser_free(parser);
    th_labels_free(labels);
    free(text);
    return failed;
}
