/* shared_options.c: the options that commands share, with what they mean. */
#include "options.h"

#define FIELD(name) offsetof(cli_settings, name)

/* In the order of th_format: a test holds them against th_format_name. */
static const char *const formats[] = {"table", "csv",      "ndjson", "json", "pages", "sqlite",
                                      "tsv",   "markdown", "html",   "xlsx", NULL};
static const char *const when[] = {"auto", "always", "never", NULL};

const char *const cli_engines[] = {"auto", "lists", "mdr", "iepad", NULL};

#define OUTPUT_OPTION                                                                              \
    {                                                                                              \
        "output", 'o', CLI_FILE, "FILE",                                                           \
            "write to FILE instead of standard output; FILE is\n"                                  \
            "replaced at the end, and unchanged until then",                                       \
            FIELD(output)                                                                          \
    }

static const cli_option file_options[] = {OUTPUT_OPTION};

static const cli_option records_options[] = {
    {"format", 'f', CLI_WORD, "FORMAT",
     "table, csv, tsv, ndjson, json, pages, sqlite, xlsx,\n"
     "markdown or html (default: from the extension of FILE:\n"
     ".csv, .json, .db, .xlsx, .md, ...; without FILE, table\n"
     "on a terminal and ndjson elsewhere)",
     FIELD(format), .words = formats},
    OUTPUT_OPTION,
    {"replace", 0, CLI_FLAG, NULL, "sqlite: replace FILE instead of adding to it", FIELD(replace)},
    {"append", 0, CLI_FLAG, NULL,
     "csv, tsv, sqlite: add the records to those in FILE (sqlite\n"
     "always does)",
     FIELD(append)},
    {"upsert", 0, CLI_TEXT, "COLUMN",
     "csv, tsv, sqlite: add the records to those in FILE; one\n"
     "with the same value in COLUMN is replaced",
     FIELD(upsert)},
    {"excel", 0, CLI_FLAG, NULL,
     "csv for Excel: with a byte order mark, and a ' before\n"
     "cells that Excel would run as formulas",
     FIELD(excel)},
    {"with-page", 0, CLI_FLAG, NULL, "add the name of the page to each record", FIELD(with_page)},
    {"types", 0, CLI_FLAG, NULL,
     "add what texts mean: NAME_value for numbers and prices,\n"
     "NAME_currency, NAME_iso for dates",
     FIELD(types)},
    {"spans", 0, CLI_FLAG, NULL, "JSON formats: write values with their byte ranges", FIELD(spans)},
};

static const cli_option project_options[] = {
    {"project", 0, CLI_FILE, "FILE",
     "use the pages of this project if no INPUT is given, else\n"
     "add the pages to it; store the results there",
     FIELD(project)},
    {"site", 0, CLI_TEXT, "NAME", "site within the project (default: \"default\")", FIELD(site),
     .needs = "project"},
};

static const cli_option long_options[] = {
    {"split", 0, CLI_TEXT, "N/M",
     "process only the N-th of M equal parts of the inputs:\n"
     "archives are split by bytes, folders and lists by files",
     FIELD(split)},
    {"resume", 0, CLI_FILE, "JOURNAL",
     "record in JOURNAL what is finished; if the run is stopped,\n"
     "the same command goes on from there. Needs -o FILE, which\n"
     "is added to",
     FIELD(resume)},
};

static const cli_option page_options[] = {
    {"url", 0, CLI_TEXT, "URL", "base URL for links of pages without a URL", FIELD(url)},
    {"charset", 0, CLI_TEXT, "NAME", "encoding of the pages, whatever they declare",
     FIELD(charset)},
    {"max-bytes", 0, CLI_SIZE, "SIZE", "refuse larger pages; accepts K, M and G (default 256M)",
     FIELD(max_bytes), .least = 1, .most = UINT64_C(4294967280)},
    {"max-depth", 0, CLI_COUNT, "N", "turn elements deeper than N into siblings (default 512)",
     FIELD(max_depth), .least = 1, .most = 65535},
};

static const cli_option follow_options[] = {
    {"follow", 0, CLI_COUNT, "N",
     "fetch the next pages of each URL too, N in all at most, as\n"
     "long as they give new records of the same kind",
     FIELD(follow), .least = 1, .most = 100000},
};

static const cli_option fetch_options[] = {
    {"allow-private", 0, CLI_FLAG, NULL, "fetch from loopback and private addresses too",
     FIELD(allow_private)},
    {"ignore-robots", 0, CLI_FLAG, NULL, "fetch even what robots.txt disallows",
     FIELD(ignore_robots)},
    {"user-agent", 0, CLI_TEXT, "TEXT", "user agent sent to servers (default: thresh/VERSION)",
     FIELD(user_agent)},
    {"timeout", 0, CLI_SECONDS, "SECONDS", "give up a fetch after so many seconds (default 30)",
     FIELD(timeout_ms), .least = 1},
    {"max-redirects", 0, CLI_COUNT, "N", "follow at most N redirects of a page (default 10)",
     FIELD(max_redirects), .least = 0, .most = 100},
    {"delay", 0, CLI_SECONDS, "SECONDS",
     "pause between two fetches from one host (default 0.5, or\n"
     "Crawl-delay of robots.txt if that is longer)",
     FIELD(delay_ms)},
    {"retries", 0, CLI_COUNT, "N",
     "try a fetch again up to N times if the server is busy or\n"
     "cannot be reached (default 3)",
     FIELD(retries), .least = 0, .most = 100},
    {"max-wait", 0, CLI_SECONDS, "SECONDS",
     "longest wait that a server can ask for, with Retry-After\n"
     "or Crawl-delay (default 120)",
     FIELD(max_wait_ms)},
    {"header", 0, CLI_TEXTS, "HEADER",
     "send the header 'Name: value'; may be repeated. ${NAME} is\n"
     "read from the environment and sent to the first URL's\n"
     "site alone: 'Authorization: Bearer ${TOKEN}'",
     FIELD(headers)},
    {"cookie-jar", 0, CLI_FILE, "FILE",
     "read cookies from FILE (Netscape format), and write them\n"
     "back; made if missing",
     FIELD(cookie_jar)},
    {"proxy", 0, CLI_TEXT, "URL",
     "fetch through a proxy: http, https, socks4, socks5;\n"
     "'http://me:${PASSWORD}@proxy.example:3128'",
     FIELD(proxy)},
    {"site-file", 0, CLI_FILE, "FILE",
     "headers, proxy, passwords, delay and login for sites, as\n"
     "JSON: see SESSIONS in the manual",
     FIELD(site_file)},
    {"cache", 0, CLI_FILE, "DIR",
     "keep fetched pages in this folder, and ask servers only\n"
     "for what has changed; made if missing",
     FIELD(cache)},
    {"cache-age", 0, CLI_COUNT, "SECONDS",
     "use pages of the cache that are younger without asking\n"
     "(default: as servers say)",
     FIELD(cache_age_s), .most = UINT64_C(3153600000)},
    {"warc", 0, CLI_FILE, "FILE",
     "also keep what is fetched in a WARC archive, FILE.warc.gz;\n"
     "one that exists is added to",
     FIELD(warc)},
    {"render", 0, CLI_FLAG, NULL, "let Chromium run the scripts of pages, and use what it shows",
     FIELD(render)},
    {"wait-for", 0, CLI_TEXT, "SELECTOR",
     "render, and wait until an element matches this CSS selector", FIELD(wait_for)},
    {"scroll", 0, CLI_COUNT, "N", "render, and scroll down up to N times while the page grows",
     FIELD(scroll), .least = 1, .most = 1000},
};

#define HELP_OPTION                                                                                \
    {                                                                                              \
        "help", 'h', CLI_FLAG, NULL, "show this help", FIELD(help)                                 \
    }

static const cli_option common_options[] = {
    {"jobs", 'j', CLI_COUNT, "N", "process N pages at once (default: one per processor)",
     FIELD(jobs), .least = 1, .most = 1024},
    {"quiet", 'q', CLI_FLAG, NULL, "print only errors: no notes, no progress", FIELD(quiet)},
    {"verbose", 'v', CLI_FLAG, NULL, "print more notes, and a summary at the end", FIELD(verbose)},
    {"color", 0, CLI_WORD, "WHEN", "when to use colours: auto, always or never", FIELD(color),
     .words = when},
    HELP_OPTION,
};

static const cli_option main_options[] = {
    HELP_OPTION,
    {"version", 'V', CLI_FLAG, NULL, "show the version", FIELD(version)},
};

const cli_group cli_records_group = CLI_GROUP("Output", records_options, false);
const cli_group cli_file_group = CLI_GROUP("Output", file_options, false);
const cli_group cli_project_group = CLI_GROUP("Project", project_options, false);
const cli_group cli_long_group = CLI_GROUP("Long runs", long_options, false);
const cli_group cli_page_group = CLI_GROUP("Pages", page_options, false);
const cli_group cli_follow_group = CLI_GROUP("Next pages", follow_options, false);
const cli_group cli_fetch_group = CLI_GROUP("Fetching URLs", fetch_options, false);
const cli_group cli_common_group = CLI_GROUP("Running", common_options, false);
const cli_group cli_main_group = CLI_GROUP("Options", main_options, false);
