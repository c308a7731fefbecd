#!/usr/bin/env python3
"""How well a page of a list is learnt from labels of all its records, and who is turned away.

usage: bench/labels_versions.py THRESH VERSIONS [--new] [--worst N] [--sites A,B] [--keep FOLDER]

VERSIONS holds pairs.jsonl, one line a pair: {"old": page, "new": page}, and truth.jsonl, one line a page: {"page":, "site":,
"records": [{column: [value, ...]}]}. The truth of each older page is given as its labels, columns of addresses left out, and
the wrapper runs on that same page. Of its fields, values and records:

    refused      no wrapper was learnt
    value F1     texts of a field, compared on letters and digits, each as often as it is there
    below 0.5    share of the pages whose value F1 is lower than 0.5; pages that were refused count as 0
    record F1    as score_lists.py counts it

--new runs the wrapper on the newer page as well. The worst pages are named, with what was told of them.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

import score_lists as scorer


def without_links(records):
    return [{key: value for key, value in record.items() if "url" not in key and not key.startswith("_")}
            for record in records]


def values_of(records, scorer):
    """How often each field has each text."""
    found = collections.Counter()
    for record in records:
        for key, cell in record.items():
            text = scorer.norm(" ".join(scorer.leaves(cell)))
            if key != "other" and text:
                found[key, text] += 1
    return found


def value_f1(truth, found, scorer):
    wanted, given = values_of(truth, scorer), values_of(found, scorer)
    common = sum((wanted & given).values())
    return 2 * common / max(1, sum(wanted.values()) + sum(given.values()))


def extract(args, wrapper, page):
    done = subprocess.run([args.thresh, "extract", "-q", "-f", "pages", "-w", wrapper, page], cwd=args.versions,
                          capture_output=True, text=True, errors="replace", check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [record for row in rows for record in row.get("records", [row.get("record") or {}])]


def learn(args, page, truth, folder):
    """The records of the page by its wrapper, or None, and what was told."""
    name = os.path.join(folder, page.replace("/", "_"))
    with open(name + ".jsonl", "w", encoding="utf-8") as file:
        file.write(json.dumps({"page": page, "records": truth}) + "\n")
    if os.path.exists(name + ".json"):
        os.remove(name + ".json")
    done = subprocess.run([args.thresh, "learn", "--labels", name + ".jsonl", "-o", name + ".json", page],
                          cwd=args.versions, capture_output=True, text=True, errors="replace", check=False)
    return (name + ".json" if os.path.exists(name + ".json") else None), done.stderr.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("thresh")
    parser.add_argument("versions")
    parser.add_argument("--new", action="store_true")
    parser.add_argument("--worst", type=int, default=20)
    parser.add_argument("--sites", default="", help="only pages whose name has one of these, with commas between them")
    parser.add_argument("--keep", help="where labels and wrappers are written")
    args = parser.parse_args()
    args.thresh = os.path.abspath(args.thresh)

    with open(os.path.join(args.versions, "truth.jsonl"), encoding="utf-8") as file:
        truth = {row["page"]: without_links(row["records"]) for row in map(json.loads, file)}
    with open(os.path.join(args.versions, "pairs.jsonl"), encoding="utf-8") as file:
        pairs = [(row["old"], row["new"]) for row in map(json.loads, file)]
    pairs = [pair for pair in pairs if not args.sites or any(part in pair[0] for part in args.sites.split(","))]
    rows, other = [], []
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.keep or scratch
        os.makedirs(folder, exist_ok=True)
        for old, new in pairs:
            wrapper, told = learn(args, old, truth[old], folder)
            found = extract(args, wrapper, old) if wrapper else []
            score = scorer.page_score(truth[old], [{"records": found}], "first")
            rows.append((value_f1(truth[old], found, scorer), scorer.f1(score["tp"], score["found"], score["wanted"])[2],
                         wrapper is None, old, told))
            if args.new and wrapper:
                other.append(value_f1(truth[new], extract(args, wrapper, new), scorer))
    count = max(1, len(rows))
    print("pairs %d: refused %.1f%%, value F1 below 0.5 %.1f%%, mean value F1 %.3f, mean record F1 %.3f" % (
        len(rows), 100 * sum(row[2] for row in rows) / count, 100 * sum(row[0] < 0.5 for row in rows) / count,
        sum(row[0] for row in rows) / count, sum(row[1] for row in rows) / count))
    if args.new:
        print("newer pages: mean value F1 %.3f" % (sum(other) / max(1, len(other))))
    for value, record, refused, page, told in sorted(rows)[:args.worst]:
        print("%.3f %.3f %s%s" % (value, record, page, " REFUSED" if refused else ""))
        for line in told.splitlines()[:6]:
            print("        " + line[:240])


if __name__ == "__main__":
    main()
