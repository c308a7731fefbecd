#!/usr/bin/env python3
"""Generated pages of one flat record, a few of them labelled: how right is the wrapper on the others?

usage: bench/labels_flat.py THRESH THRESH-GEN [--seeds 90210,90211] [--sites 14] [--labelled 3] [--engines front,stalker] [-v]

Of each site of ten pages the first three have labels, two more are given without, and the wrapper runs on the rest.
`front` is learning without an engine named. Printed per seed: F1, the mean over the attributes of a site and then over
sites; the highest F1 that is possible, as nothing can be learnt about an attribute that no labelled page has, not even its
name; and F1 over the other attributes. With -v the attributes that are wrong are named.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "answers"))
import scoring  # noqa: E402

WITHOUT_LABELS = 2


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def run(args, folder, engine, rows, labels, scratch):
    """The records of the pages behind the labelled ones, and which engine gave them."""
    seen = args.labelled + WITHOUT_LABELS
    with open(os.path.join(scratch, "l.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(labels[row["page"]]) + "\n" for row in rows[:args.labelled])
    wrapper = os.path.join(scratch, "w.json")
    if os.path.exists(wrapper):
        os.remove(wrapper)
    subprocess.run([args.thresh, "learn", "-q", *([] if engine == "front" else ["--engine", engine]), *["--paper"] * args.paper, "--labels", file.name,
                    "-o", wrapper, *(row["page"] for row in rows[:seen])], cwd=folder, stderr=subprocess.DEVNULL, check=False)
    if not os.path.exists(wrapper):
        return {}, "none"
    done = subprocess.run([args.thresh, "extract", "-q", "-f", "pages", "-w", wrapper, *(row["page"] for row in rows[seen:])],
                          cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    with open(wrapper, encoding="utf-8") as file:
        name = json.load(file).get("engine")
    return {row["page"]: row["records"] if "records" in row else [row["record"] or {}] for row in found}, name


def score(args, site, rows, found, engine):
    """F1 over all attributes, the share of attributes that a labelled page has, and F1 over those."""
    pages = [(scoring.columns(row["records"][0]), scoring.columns((found.get(row["page"]) or [{}])[0]))
             for row in rows[args.labelled + WITHOUT_LABELS:]]
    shown = {name for row in rows[:args.labelled] for name, _ in scoring.leaves(row["records"][0])}
    every, known = [], []
    for attribute in sorted({name for true, _ in pages for name in true}):
        f1, wanted = scoring.agreement(pages, attribute, attribute)
        if not wanted:
            continue
        every.append(f1)
        if attribute in shown:
            known.append(f1)
        if args.verbose and f1 < 1:
            print("    %s %s %s %.3f%s" % (site, engine, attribute, f1, "" if attribute in shown else ", not labelled"))
    return sum(every) / max(1, len(every)), len(known) / max(1, len(every)), sum(known) / max(1, len(known))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("thresh")
    parser.add_argument("generator")
    parser.add_argument("--seeds", default="90210,90211,90212,90213")
    parser.add_argument("--sites", type=int, default=14)
    parser.add_argument("--labelled", type=int, default=3)
    parser.add_argument("--engines", default="front")
    parser.add_argument("--paper", action="store_true")
    parser.add_argument("-v", action="store_true", dest="verbose")
    args = parser.parse_args()
    args.thresh = os.path.abspath(args.thresh)
    for seed in args.seeds.split(","):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as scratch:
            subprocess.run([args.generator, "--out", folder, "--sites", str(args.sites), "--pages", "10", "--kind", "detail",
                            "--seed", seed, "--depth", "0"], stdout=subprocess.DEVNULL, check=True)
            labels = {row["page"]: row for row in read_lines(os.path.join(folder, "labels.jsonl"))}
            sites = {}
            for row in read_lines(os.path.join(folder, "truth.jsonl")):
                sites.setdefault(row["site"], []).append(row)
            for engine in args.engines.split(","):
                scores = []
                for site, rows in sorted(sites.items()):
                    found, name = run(args, folder, engine, rows, labels, scratch)
                    scores.append(score(args, site, rows, found, name))
                every, possible, known = (sum(one[i] for one in scores) / len(scores) for i in range(3))
                print("seed %s, %s: F1 %.3f of at most %.3f, over labelled attributes %.3f" % (seed, engine, every, possible, known), flush=True)


if __name__ == "__main__":
    main()
