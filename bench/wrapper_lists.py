#!/usr/bin/env python3
"""How well a wrapper does that was learnt from one page of a site, on the site's other pages.

usage: bench/wrapper_lists.py THRESH LISTS OUT [--learn N] [--skip N] [--engine E] [--paper]
                              [--choose]

LISTS holds TOPIC/SITE/1.htm, 2.htm, ... and truth.jsonl. For each site a wrapper is learnt from the
first page (with --learn N: the first N) and run on the rest (with --skip N: on those behind the
first N, so that wrappers learnt from fewer pages can be compared on the same ones). --engine and
--paper go to thresh. With --choose the list to learn is the one of the first page's ten that is best
against the truth, as the users of IEPAD choose a pattern; without it, the first. Written, for a scorer of lists:

    OUT/truth.jsonl     the truth of the pages that wrappers were run on
    OUT/wrapper.jsonl   what the wrappers gave: {"page":, "regions": [{"records": [...]}]}
    OUT/regions.jsonl   what `thresh regions` gives for the same pages
"""
import argparse
import json
import os
import subprocess
import sys

from bench_generator import f1, region_scores


def run(*args):
    """The standard output of a command; stops on failure."""
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print(f"{' '.join(args)}: {done.stderr.strip()}", file=sys.stderr)
    return done.stdout


def choose(found, truth):
    """The number of the region that is best against the truth, counted from 1."""
    regions = json.loads(found)["regions"] if found else []
    scores = [f1(*row) for row in region_scores(json.loads(truth)["records"], regions)]
    return scores.index(max(scores)) + 1 if scores else 1


def main(argv):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("thresh")
    parser.add_argument("lists")
    parser.add_argument("out")
    parser.add_argument("--learn", type=int, default=1)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--paper", action="store_true")
    parser.add_argument("--choose", action="store_true")
    given = parser.parse_args(argv)
    thresh, lists, out, learn = given.thresh, given.lists, given.out, given.learn
    skip = max(given.skip, learn)
    engine = ["--engine", given.engine] + ["--paper"] * given.paper
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
            if os.path.exists(wrapper):
                os.remove(wrapper)
            pick = choose(run(thresh, "regions", *engine, "-q", "-f", "pages", paths[0]), pages[0][1]) if given.choose else 1
            run(thresh, "learn", *engine, "--pick", str(pick), "-q", "-o", wrapper, *paths[:learn])
            for _, line in pages[skip:]:
                truth.write(line)
            by_regions.write(run(thresh, "regions", *engine, "-q", "-f", "pages", *paths[skip:]))
            if os.path.exists(wrapper):
                for line in run(thresh, "extract", "-q", "-f", "pages", "-w", wrapper, *paths[skip:]).splitlines():
                    row = json.loads(line)
                    by_wrapper.write(json.dumps({"page": row["page"], "regions": [{"records": row["records"]}]}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
