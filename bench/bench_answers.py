#!/usr/bin/env python3
"""One table of answers: how right Thresh is on every set of pages with truth.

usage: bench/bench_answers.py BUILD [--folds N] [--only lists,mixed,versions,made,detail]
       make bench T=answers

Prints Markdown. Lists without labels: `lists`, `mixed` and `versions` of $THRESH_DATA (columns of addresses of versions are
left out: another scraper made them absolute) and 100 made sites; record and cell F1 of the first list and of the best of
ten, the mean by site, and an interval over sites (95%, bootstrap). Detail pages: `detail`, with 0 labels (learnt from
12 pages of a site) and with 1, 3 and 5 labelled pages.

With --folds each site is answered by a model that has not seen it: bench/fit_lists.py writes the models of the folds to
BUILD/fit_lists, and BUILD/bench/lists_candidates ranks with them. Nothing that detail pages need is fitted. Made sites have
other seeds than those of the fit in either case.
"""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import fit_lists
import score_lists

HERE = os.path.dirname(os.path.abspath(__file__))
LISTS = ["lists", "mixed", "versions", "made"]
KEYS = ("tp", "found", "wanted", "ctp", "cfound", "cwanted")


def run(*args, cwd=None):
    return subprocess.run(args, cwd=cwd, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout


def regions(command, folder, pages):
    """The regions of pages, by page."""
    found = {}
    for at in range(0, len(pages), 500):
        for line in run(*command, *pages[at:at + 500], cwd=folder).splitlines():
            row = json.loads(line)
            found[row["page"]] = row["regions"]
    return found


def answers(build, name, folder, truth, folds):
    """The regions that count for each page: of the program, or ranked without what was learnt from its site."""
    pages = [row["page"] for row in truth]
    if not folds or name == "made":
        return regions([os.path.join(build, "thresh"), "regions", "-q", "-f", "pages"], folder, pages)
    found = {}
    for fold in range(folds):
        mine = [row["page"] for row in truth if fit_lists.fold_of(name + "/" + row["site"], folds) == fold]
        model = os.path.join(build, "fit_lists", "fold-%d.model" % fold)
        if mine:
            found.update(regions([os.path.join(build, "bench", "lists_candidates"), "--model", model], folder, mine))
    return found


def interval(values, mean):
    """95% of the means of sites drawn anew."""
    draw = random.Random(1)
    drawn = sorted(mean(draw.choices(values, k=len(values))) for _ in range(500))
    return drawn[12], drawn[487]


def summed(sites):
    return [sum(column) for column in zip(*sites)]


def f1(right, found, wanted):
    return score_lists.f1(right, found, wanted)[2]


def list_row(build, name, folder, truth, folds):
    found = answers(build, name, folder, truth, folds)
    cells = [name, str(len({row["site"] for row in truth})), str(len(truth))]
    for pick in ("first", "best"):
        sites = collections.defaultdict(lambda: [0] * len(KEYS))
        for row in truth:
            score = score_lists.page_score(row["records"], found.get(row["page"], []), pick)
            sites[row["site"]] = [a + score[key] for a, key in zip(sites[row["site"]], KEYS)]
        sites = list(sites.values())
        total = summed(sites)
        low, high = interval(sites, lambda some: f1(*summed(some)[:3]))
        by_site = [f1(*site[:3]) for site in sites]
        cells.append("%.3f (%.3f to %.3f)" % (f1(*total[:3]), low, high))
        cells.append("%.3f (%.3f to %.3f)" % (sum(by_site) / len(by_site),
                                              *interval(by_site, lambda some: sum(some) / len(some))))
        if pick == "first":
            cells.append("%.3f" % f1(*total[3:]))
    return "| " + " | ".join(cells) + " |"


def made(build, work):
    folder = os.path.join(work, "made")
    run(os.path.join(build, "tests", "gen", "thresh-gen"), "--out", folder, "--quiet", "--seed", "2003", "--sites", "100",
        "--pages", "2")
    return folder


def lists(build, names, work, folds):
    print("| set | sites | pages | records, first | by site | cells, first | records, best of ten | by site |")
    print("|---|---|---|---|---|---|---|---|")
    for name in names:
        folder = made(build, work) if name == "made" else os.path.join(fit_lists.data(), name)
        if os.path.isdir(folder):
            print(list_row(build, name, folder, fit_lists.read_truth(name, folder), folds), flush=True)


def detail_row(labels, lines):
    """From the lines of a scorer, one per site."""
    scores = [float(hit.group(1)) for hit in (re.search(r"F1 ([\d.]+)", line) for line in lines) if hit]
    mean = sum(scores) / max(1, len(scores))
    low, high = interval(scores, lambda some: sum(some) / len(some)) if scores else (0, 0)
    print("| %s | %d | %.3f | %.3f to %.3f |" % (labels, len(scores), mean, low, high), flush=True)


def detail(build, work):
    thresh, data = os.path.join(build, "thresh"), os.path.join(fit_lists.data(), "detail")
    scorer = os.path.join(HERE, "score_detail.py")
    if not os.path.isdir(data):
        return
    print("\n| detail: labelled pages | sites | F1, mean by site | 95% over sites |\n|---|---|---|---|")
    out = run(sys.executable, os.path.join(HERE, "detail.py"), thresh, data)
    detail_row("0", out.split("\n\n")[0].splitlines())
    for labelled in ("1", "3", "5"):
        run(sys.executable, os.path.join(HERE, "labels_detail.py"), thresh, data, work, "--labelled", labelled, "--engines",
            "front")
        folder = os.path.join(work, "front-" + labelled)
        out = run(sys.executable, scorer, *[os.path.join(folder, name) for name in ("truth.jsonl", "found.jsonl")], "--skip",
                  os.path.join(folder, "skip"), "--sites")
        detail_row(labelled, [line for line in out.splitlines() if not line.startswith("sites")])


def main(argv):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--only", default=",".join(LISTS + ["detail"]))
    given = parser.parse_args(argv)
    build, wanted = os.path.abspath(given.build), given.only.split(",")
    with tempfile.TemporaryDirectory() as work:
        lists(build, [name for name in LISTS if name in wanted], work, given.folds)
        if "detail" in wanted and not given.folds:
            detail(build, work)


if __name__ == "__main__":
    main(sys.argv[1:])
