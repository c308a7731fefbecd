#!/usr/bin/env python3
"""Generated list pages, one page of a site labelled: how right is the wrapper on the others?

usage: bench/labels_page.py THRESH THRESH-GEN [--seeds 90310,90311] [--sites 20] [--records N] [--engines front,stalker] [-v]

Of each site of five pages the first has labels for all its records (or the first N), two more are given without, and the
wrapper runs on the rest. `front` is learning without an engine named. Printed per seed: F1 over the values of an attribute
on a page, the mean over the attributes that the labelled page has and then over sites; and the record F1. With -v the
attributes that are wrong are named.
"""
import argparse
import os
import subprocess
import tempfile

import labels_flat
from labels_flat import scoring

GIVEN = 3  # pages


def values_of(records):
    found = {}
    for record in records:
        for name, text in scoring.leaves(record):
            found.setdefault(name, set()).add(text)
    return found


def score(args, site, rows, found, engine):
    """F1 of the attributes that are labelled, and of the records."""
    tested = rows[GIVEN:]
    pages = [(values_of(row["data"]), values_of(found.get(row["page"], []))) for row in tested]
    shown = values_of(rows[0]["data"][:args.records])
    scores = {}
    for attribute in sorted({name for true, _ in pages for name in true if name in shown}):
        f1, wanted = scoring.agreement(pages, attribute, attribute)
        if wanted:
            scores[attribute] = f1
    if args.verbose and min(scores.values(), default=1) < 1:
        print("    %s %s %s" % (site, engine, ", ".join("%s %.2f" % one for one in scores.items() if one[1] < 1)))
    records = sum(scoring.record_f1(row["records"], found.get(row["page"], [])) for row in tested) / len(tested)
    return sum(scores.values()) / max(1, len(scores)), records


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("thresh")
    parser.add_argument("generator")
    parser.add_argument("--seeds", default="90310,90311,90312,90313")
    parser.add_argument("--sites", type=int, default=20)
    parser.add_argument("--records", type=int)
    parser.add_argument("--engines", default="front")
    parser.add_argument("-v", action="store_true", dest="verbose")
    args = parser.parse_args()
    args.thresh, args.paper, args.labelled = os.path.abspath(args.thresh), False, 1
    for seed in args.seeds.split(","):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as scratch:
            subprocess.run([args.generator, "--quiet", "--out", folder, "--sites", str(args.sites), "--pages", "5", "--seed", seed],
                           check=True)
            labels = {row["page"]: dict(row, records=row["records"][:args.records])
                      for row in labels_flat.read_lines(os.path.join(folder, "labels.jsonl"))}
            sites = {}
            for row in labels_flat.read_lines(os.path.join(folder, "truth.jsonl")):
                sites.setdefault(row["site"], []).append(row)
            for engine in args.engines.split(","):
                scores = [score(args, site, rows, *labels_flat.run(args, folder, engine, rows, labels, scratch))
                          for site, rows in sorted(sites.items())]
                print("seed %s, %s: F1 of labelled attributes %.3f, of records %.3f"
                      % (seed, engine, *(sum(one[i] for one in scores) / len(scores) for i in range(2))), flush=True)


if __name__ == "__main__":
    main()
