#!/usr/bin/env python3
"""How often verification cries wolf on detail pages.

usage: bench/verify_detail.py THRESH FOLDER [ENGINE]

FOLDER has truth.jsonl (one record a page) and the pages. For each site a wrapper is
learnt from the first 8 pages, with labels from the truth (ENGINE: stalker), and verified on each batch of 8 others.
Extraction is right where the mean F1 of a batch's attributes is at least 0.9: an alarm there is a false one. template learns
without labels: an attribute is the column that agrees best with it on the learnt pages, and extraction is right where the
mean F1 is at least 0.9 of that on these.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

import score_detail
from score_lists import norm

BATCH = 8
UNLABELLED = ("template",)


def run(*args):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def write_labels(path, folder, rows, several):
    with open(path, "w", encoding="utf-8") as file:
        for row in rows:
            record = {name: values if name in several else (values or [None])[0]
                      for name, values in row["records"][0].items()}
            file.write(json.dumps({"page": os.path.join(folder, row["page"]), "record": record}) + "\n")


def columns_by_page(score, norm, rows, found, folder):
    """[(true values by attribute, values by column)] of a batch, and the attributes that it has."""
    pages = [({name: {norm(v) for v in values if norm(v)} for name, values in row["records"][0].items()},
              score.columns_of(found.get(os.path.join(folder, row["page"]), {}))) for row in rows]
    return pages, sorted({name for true, _ in pages for name, values in true.items() if values})


def map_columns(score, pages, names):
    """The column of each attribute, one to one, best first."""
    columns = sorted({column for _, found in pages for column in found})
    mapping = {}
    for f1, name, column in sorted(((score.agreement(pages, n, c)[2], n, c) for n in names for c in columns),
                                   reverse=True):
        if f1 > 0 and name not in mapping and column not in mapping.values():
            mapping[name] = column
    return mapping


def mean_f1(score, pages, names, mapping):
    return sum(score.agreement(pages, n, mapping.get(n, "") if mapping is not None else n)[2]
               for n in names) / max(1, len(names))


def main(argv):
    if len(argv) not in (2, 3):
        sys.exit(__doc__)
    thresh, folder = argv[:2]
    engine = argv[2] if len(argv) == 3 else "stalker"
    sites = collections.defaultdict(list)
    with open(os.path.join(folder, "truth.jsonl"), encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            sites[row["site"]].append(row)
    right = wrong = false = found_out = 0
    with tempfile.TemporaryDirectory() as work:
        for site, rows in sorted(sites.items()):
            rows.sort(key=lambda row: row["page"])
            several = {name for row in rows for name, values in row["records"][0].items() if len(values) > 1}
            labels, wrapper = os.path.join(work, site + ".jsonl"), os.path.join(work, site + ".json")
            write_labels(labels, folder, rows[:BATCH], several)
            pages = [os.path.join(folder, row["page"]) for row in rows]
            told = [] if engine in UNLABELLED else ["--labels", labels]
            done = run(thresh, "learn", "-q", "--engine", engine, *told, "-o", wrapper, *pages[:BATCH])
            if not os.path.exists(wrapper):
                print("%s: %s" % (site, done.stderr.strip()))
                continue
            mapping, least = None, 0.9
            for at in range(0 if engine in UNLABELLED else BATCH, len(rows) - BATCH + 1, BATCH):
                names = pages[at:at + BATCH]
                out = run(thresh, "extract", "-q", "-f", "pages", "-w", wrapper, *names).stdout
                found = {row["page"]: row.get("record") or {} for row in map(json.loads, out.splitlines())}
                batch, attributes = columns_by_page(score_detail, norm, rows[at:at + BATCH], found, folder)
                if not at:
                    mapping = map_columns(score_detail, batch, attributes)
                    least = 0.9 * mean_f1(score_detail, batch, attributes, mapping)
                    continue
                f1 = mean_f1(score_detail, batch, attributes, mapping)
                alarm = run(thresh, "verify", "-q", "-w", wrapper, *names).returncode == 3
                right, wrong = right + (f1 >= least), wrong + (f1 < least)
                false, found_out = false + (alarm and f1 >= least), found_out + (alarm and f1 < least)
                if alarm or f1 < least:
                    print("%s from page %d: F1 %.2f, %s%s" % (site, at, f1, "right" if f1 >= least else "wrong",
                                                              ", alarm" if alarm else ""))
    print("%d batches with right extraction, %d false alarms; %d with wrong extraction, %d alarms" % (
        right, false, wrong, found_out))


if __name__ == "__main__":
    main(sys.argv[1:])
