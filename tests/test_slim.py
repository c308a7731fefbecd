#!/usr/bin/env python3
"""The library builds without fetching, SQLite and the program, for use inside of other programs.

    tests/test_slim.py SOURCE

It must need no library of those, find records, and say what it cannot do.
"""
import os
import re
import subprocess
import sys
import tempfile

UNWANTED = ("curl", "sqlite", "nettle", "microhttpd", "xlsxwriter", "xml2")
PROGRAM = r"""
#include <stdio.h>
#include <thresh.h>
static th_status count(void *context, const char *bytes, size_t len) { *(size_t *)context += len; return TH_OK; }
int main(void)
{
    static const char html[] = "<ul><li><a href=1>One</a> 9.50<li><a href=2>Two</a> 12.00<li><a href=3>Three</a> 7.25</ul>";
    th_error err;
    th_parser *parser;
    th_page *page;
    th_regions *regions;
    if (th_parser_new(NULL, &parser, &err) || th_parser_parse(parser, (th_str){html, sizeof html - 1}, NULL, &page, &err) ||
        th_regions_find(page, NULL, NULL, &regions, &err) || !th_regions_count(regions))
        return 1;
    printf("%zu records\n", th_records_count(th_regions_get(regions, 0)->records));
    th_regions_free(regions);
    th_page_free(page);
    th_parser_free(parser);

    th_feed *feed;
    th_input *input = NULL;
    const char *url = "http://127.0.0.1:9/";
    if (th_feed_new(&url, 1, NULL, &feed, &err) || !th_feed_next(feed, &input, &err))
        return 2;
    printf("%s\n", err.message);
    th_feed_free(feed);

    th_writer *writer;
    th_writer_options options;
    size_t written = 0;
    th_writer_options_init(&options);
    options.sink = (th_sink){count, &written};
    if (!th_writer_new(TH_FORMAT_SQLITE, &options, &writer, &err))
        return 3;
    printf("%s\n", err.message);
    return 0;
}
"""


def must(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        sys.exit(f"{done.stdout}\n{' '.join(command)}: exit code {done.returncode}")
    return done.stdout


def main(source):
    failed = []
    with tempfile.TemporaryDirectory(prefix="thresh-slim-") as folder:
        must("meson", "setup", folder, source, "--buildtype=plain", "-Dfetch=disabled", "-Dstore=disabled",
             "-Dprogram=disabled", "-Dxlsx=disabled", "-Dexport=disabled", "-Dtests=disabled")
        must("ninja", "-C", folder, "libthresh.so.0")
        library = os.path.join(folder, "libthresh.so")
        needed = must("ldd", library)
        failed += [f"the library needs {name}" for name in UNWANTED if re.search(name, needed)]
        program = os.path.join(folder, "slim.c")
        with open(program, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        must("cc", "-I", os.path.join(source, "include"), program, "-o", program[:-2], "-L", folder, "-lthresh",
             "-Wl,-rpath," + folder)
        said = must(program[:-2])
        for wanted in ("3 records", "built without libcurl", "built without SQLite"):
            if wanted not in said:
                failed.append(f"it does not say '{wanted}' but:\n{said}")
    for text in failed:
        print("FAILED:", text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
