#!/usr/bin/env python3
"""What verification costs, of what extraction does, for wrappers of every engine.

usage: bench/verify_cost.py THRESH BENCH_VERIFY LISTS DETAIL [-i] [ENGINE...]

LISTS and DETAIL are folders with truth.jsonl and pages. For each site a wrapper with a profile is learnt: from the first
page of a list (auto, mdr, iepad), or from the first 8 pages of a site of details (stalker, softmealy and paths with labels
from the truth, template without). BENCH_VERIFY then runs and verifies the others, and of lists all. -i counts instructions
with valgrind's callgrind, on two pages a site, instead of time.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

LISTS, DETAIL, LEARNT = ("auto", "mdr", "iepad"), ("stalker", "softmealy", "paths", "template"), 8


def sites_of(folder):
    sites = collections.defaultdict(list)
    with open(os.path.join(folder, "truth.jsonl"), encoding="utf-8") as file:
        for row in map(json.loads, file):
            sites[row["site"]].append(row)
    return {site: sorted(rows, key=lambda row: row["page"]) for site, rows in sorted(sites.items())}


def learn(thresh, engine, folder, rows, wrapper):
    several = {name for row in rows for name, values in row["records"][0].items() if len(values) > 1}
    args = [thresh, "learn", "-q", "--engine", engine, "-o", wrapper]
    if engine in DETAIL and engine != "template":
        with open(wrapper + ".labels", "w", encoding="utf-8") as file:
            for row in rows:
                record = {name: values if name in several else (values or [None])[0]
                          for name, values in row["records"][0].items()}
                file.write(json.dumps({"page": os.path.join(folder, row["page"]), "record": record}) + "\n")
        args += ["--labels", wrapper + ".labels"]
    subprocess.run(args + [os.path.join(folder, row["page"]) for row in rows], stderr=subprocess.DEVNULL, check=False)
    return os.path.exists(wrapper)


def make_sites(thresh, engine, folder, work, most):
    """The file of sites for the bench: a wrapper and its pages a line."""
    path = os.path.join(work, engine + ".sites")
    with open(path, "w", encoding="utf-8") as file:
        for number, rows in enumerate(sites_of(folder).values()):
            wrapper = os.path.join(work, "%s-%d.json" % (engine, number))
            count = 1 if engine in LISTS else LEARNT
            if learn(thresh, engine, folder, rows[:count], wrapper):
                rows = rows if engine in LISTS else rows[LEARNT:]
                file.write("\t".join([wrapper] + [os.path.join(folder, row["page"]) for row in rows[:most]]) + "\n")
    return path


def instructions(bench, sites, work):
    """Of a run of each stage: those of functions, by name, and how often they are called."""
    out = os.path.join(work, "callgrind.out")
    subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out, bench, "-r", "1", "-s", sites],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    text = subprocess.run(["callgrind_annotate", "--tree=calling", "--inclusive=yes", "--threshold=100", out],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    block = re.search(r"\*  \S*:run \[.*\n((?:.*>.*\n)+)", text).group(1)
    cost = {}
    for line in block.splitlines():
        found = re.match(r"\s*([\d,]+).*>\s+\S*?:(\w+) \(([\d,]+)x\)", line)
        if found:
            cost[found.group(2)] = int(found.group(1).replace(",", "")) / int(found.group(3).replace(",", ""))
    page = sum(cost.get(name, 0) for name in ("th_parser_new", "th_parser_parse", "th_wrapper_extract", "th_parser_free",
                                              "th_records_free", "th_page_free", "extract"))
    take = sum(cost.get(name, 0) for name in ("th_check_new", "th_check_add", "th_check_free"))
    verdict = sum(cost.get(name, 0) for name in ("th_check_verdict", "th_verdict_free", "verdict_of"))
    return "%.0f instructions a page; taking values in %.1f%%, and a verdict a page %.1f%% of it" % (
        page, 100 * take / page, 100 * (take + verdict) / page)


def main(argv):
    args = [arg for arg in argv if arg != "-i"]
    if len(args) < 4:
        sys.exit(__doc__)
    thresh, bench, lists, detail = args[:4]
    for engine in args[4:] or LISTS + DETAIL:
        with tempfile.TemporaryDirectory() as work:
            sites = make_sites(thresh, engine, lists if engine in LISTS else detail, work, 2 if "-i" in argv else None)
            if "-i" in argv:
                print("%-10s %s" % (engine, instructions(bench, sites, work)), flush=True)
            else:
                out = subprocess.run([bench, "-s", sites], stdout=subprocess.PIPE, text=True, check=True).stdout
                print(engine + "\n" + out, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
