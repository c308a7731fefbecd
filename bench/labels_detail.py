#!/usr/bin/env python3
"""How well a wrapper does that was learnt from a few labelled pages of one record each.

usage: bench/labels_detail.py THRESH DETAIL OUT [--labelled 1,3,5] [--engines stalker,softmealy,paths,front]
                              [--paper] [--score] [--sites NAME]

DETAIL holds truth.jsonl, one line a page: {"page": path, "site": s, "records": [{attribute: [value, ...]}]}, and the
pages. Of each site the first K pages are given with their truth as labels, the next eight without, and the wrapper
runs on the rest. Engine "front" is `thresh learn` without --engine; --paper learns as published. Written, for a scorer
of detail pages:

    OUT/ENGINE-K/truth.jsonl    the truth of the sites
    OUT/ENGINE-K/skip           the pages that were learnt from
    OUT/ENGINE-K/found.jsonl    what the wrappers gave: {"page":, "record": {...}}

With --score score_detail.py runs on each, and a table of its mean F1 and perfect attributes is printed.
"""
import argparse
import json
import os
import subprocess
import sys

SCORER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "score_detail.py")
WITHOUT_LABELS = 8


def read_sites(detail, wanted):
    sites = {}
    with open(os.path.join(detail, "truth.jsonl"), encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if wanted in row["site"]:
                sites.setdefault(row["site"], []).append(row)
    return sites


def learn(args, engine, labelled, site, rows, folder):
    """Learns the wrapper of a site; its path, or None when that failed."""
    labels = os.path.join(folder, site + ".labels.jsonl")
    wrapper = os.path.join(folder, site + ".json")
    with open(labels, "w", encoding="utf-8") as file:
        for row in rows[:labelled]:
            file.write(json.dumps({"page": row["page"], "records": row["records"]}) + "\n")
    if os.path.exists(wrapper):
        os.remove(wrapper)
    command = [args.thresh, "learn", "-q", "--labels", labels, "-o", wrapper]
    if engine != "front":
        command += ["--engine", engine]
    command += ["--paper"] * args.paper
    done = subprocess.run(command + [row["page"] for row in rows[:labelled + WITHOUT_LABELS]], cwd=args.detail,
                          stderr=subprocess.PIPE, text=True, check=False)
    if not os.path.exists(wrapper):  # status 1 where it does not give all that is labelled
        print(f"{engine}, {labelled} labelled, {site}: {done.stderr.strip()}", file=sys.stderr)
        return None
    return wrapper


def run(args, engine, labelled, sites):
    folder = os.path.join(args.out, f"{engine}-{labelled}")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "truth.jsonl"), "w", encoding="utf-8") as truth, \
            open(os.path.join(folder, "skip"), "w", encoding="utf-8") as skip, \
            open(os.path.join(folder, "found.jsonl"), "w", encoding="utf-8") as found:
        for site, rows in sorted(sites.items()):
            seen = labelled + WITHOUT_LABELS
            truth.writelines(json.dumps(row) + "\n" for row in rows)
            skip.writelines(row["page"] + "\n" for row in rows[:seen])
            wrapper = learn(args, engine, labelled, site, rows, folder)
            if not wrapper:
                continue
            out = subprocess.run([args.thresh, "extract", "-q", "-f", "pages", "-w", wrapper]
                                 + [row["page"] for row in rows[seen:]], cwd=args.detail,
                                 stdout=subprocess.PIPE, text=True, check=False).stdout
            for line in out.splitlines():
                row = json.loads(line)
                record = row["record"] if "record" in row else (row["records"] or [{}])[0]
                found.write(json.dumps({"page": row["page"], "record": record}) + "\n")
    return folder


def score(folder):
    out = subprocess.run([sys.executable, SCORER, os.path.join(folder, "truth.jsonl"),
                          os.path.join(folder, "found.jsonl"), "--skip", os.path.join(folder, "skip"), "--json"],
                         stdout=subprocess.PIPE, text=True, check=True).stdout
    return json.loads(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("thresh")
    parser.add_argument("detail")
    parser.add_argument("out")
    parser.add_argument("--labelled", default="1,3,5")
    parser.add_argument("--engines", default="stalker,softmealy,paths,front")
    parser.add_argument("--paper", action="store_true")
    parser.add_argument("--score", action="store_true")
    parser.add_argument("--sites", default="")
    args = parser.parse_args()
    args.thresh, args.out = os.path.abspath(args.thresh), os.path.abspath(args.out)
    sites = read_sites(args.detail, args.sites)
    counts = [int(k) for k in args.labelled.split(",")]
    if args.score:
        print("| F1 (perfect attributes) | " + " | ".join(f"{k} labelled" for k in counts) + " |")
        print("|---" * (len(counts) + 1) + "|")
    for engine in args.engines.split(","):
        cells = []
        for labelled in counts:
            folder = run(args, engine, labelled, sites)
            if args.score:
                got = score(folder)
                cells.append(f"{got['f1']:.3f} ({100 * got['perfect_attributes']:.0f}%)")
        if args.score:
            print(f"| {engine} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
