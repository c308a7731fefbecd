#!/usr/bin/env python3
"""How well a wrapper does that was learnt from one page of a site, on the site's other pages.

usage: bench/wrapper_lists.py THRESH LISTS OUT [--learn N]

LISTS holds TOPIC/SITE/1.htm, 2.htm, ... and truth.jsonl. For each site a wrapper is learnt from the
first page (with --learn N: the first N) and run on the rest. Written, for a scorer of lists:

    OUT/truth.jsonl     the truth of the pages that wrappers were run on
    OUT/wrapper.jsonl   what the wrappers gave: {"page":, "regions": [{"records": [...]}]}
    OUT/regions.jsonl   what `thresh regions` gives for the same pages
"""
import json
import os
import subprocess
import sys


def run(*args):
    """The standard output of a command; stops on failure."""
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(f"{' '.join(args)}: {done.stderr.strip()}", file=sys.stderr)
    return done.stdout


def main(argv):
    learn = 1
    if "--learn" in argv:
        at = argv.index("--learn")
        learn = int(argv[at + 1])
        del argv[at:at + 2]
    if len(argv) != 3:
        sys.exit(__doc__)
    thresh, lists, out = argv
    os.makedirs(out, exist_ok=True)
    sites = {}
    with open(os.path.join(lists, "truth.jsonl"), encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            sites.setdefault(row["site"], []).append((row["page"], line))
    with open(os.path.join(out, "truth.jsonl"), "w", encoding="utf-8") as truth, \
            open(os.path.join(out, "wrapper.jsonl"), "w", encoding="utf-8") as by_wrapper, \
            open(os.path.join(out, "regions.jsonl"), "w", encoding="utf-8") as by_regions:
        for site, pages in sorted(sites.items()):
            pages.sort()
            paths = [os.path.join(lists, page) for page, _ in pages]
            wrapper = os.path.join(out, site.replace("/", "_") + ".json")
            run(thresh, "learn", "-q", "-o", wrapper, *paths[:learn])
            for _, line in pages[learn:]:
                truth.write(line)
            by_regions.write(run(thresh, "regions", "-q", "-f", "pages", *paths[learn:]))
            if os.path.exists(wrapper):
                for line in run(thresh, "extract", "-q", "-f", "pages", "-w", wrapper, *paths[learn:]).splitlines():
                    row = json.loads(line)
                    by_wrapper.write(json.dumps({"page": row["page"], "regions": [{"records": row["records"]}]}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
