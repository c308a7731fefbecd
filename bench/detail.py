#!/usr/bin/env python3
"""Templates without labels on real detail pages: learnt from some pages of a site, run on its others.

usage: bench/detail.py THRESH DETAIL [--learn N] [--odd] [--engine E] [--only SITE]... [--keep FOLDER]

DETAIL holds KIND/SITE/*.htm and truth.jsonl; SCORER is called as SCORER TRUTH PRED --columns --json [--sites]. Of each
site the first N pages (12) are learnt from, with --odd every other one; the rest is scored. Sites are printed worst
first, with how many columns the output has (those of nested lists too) and how many slots of data a reader sees on the
pages (visible_slots.py), then the means.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

import visible_slots

SCORER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "score_detail.py")
OPTIONS = {"--learn": 1, "--engine": 1, "--only": 1, "--keep": 1, "--odd": 0}


def parse(argv):
    words, given = [], collections.defaultdict(list)
    rest = iter(argv)
    for word in rest:
        if word in OPTIONS:
            given[word].append(next(rest) if OPTIONS[word] else True)
        else:
            words.append(word)
    if len(words) != 2:
        sys.exit(__doc__)
    return words, given


def run(*args):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def leaves(value, name=""):
    """The names of the columns that a record fills."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, name)
    elif value is not None:
        yield name


def extract(thresh, engine, learn, test, wrapper):
    """What a wrapper of the pages `learn` gives for the pages `test`, one line a page, and what is wrong."""
    words = ["--engine", engine] if engine else []
    code, _, said = run(thresh, "learn", "-q", *words, "-o", wrapper, *learn)
    if code:
        return [], said.strip()
    _, lines, said = run(thresh, "extract", "-q", "-w", wrapper, "-f", "pages", *test)
    return lines.splitlines(), said.strip()


def main(argv):
    (thresh, detail), given = parse(argv)
    count = int(given["--learn"][0]) if given["--learn"] else 12
    engine = given["--engine"][0] if given["--engine"] else None
    sites = collections.defaultdict(list)
    with open(os.path.join(detail, "truth.jsonl"), encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if not given["--only"] or row["site"] in given["--only"]:
                sites[row["site"]].append((row["page"], line))
    with tempfile.TemporaryDirectory() as scratch:
        folder = given["--keep"][0] if given["--keep"] else scratch
        os.makedirs(folder, exist_ok=True)
        columns, slots, faults = {}, {}, {}
        with open(os.path.join(folder, "truth.jsonl"), "w", encoding="utf-8") as truth, \
                open(os.path.join(folder, "found.jsonl"), "w", encoding="utf-8") as found:
            for site, pages in sorted(sites.items()):
                pages.sort()
                learn = pages[::2][:count] if given["--odd"] else pages[:count]
                test = [page for page in pages if page not in learn]
                wrapper = os.path.join(folder, site.replace("/", "_") + ".json")
                lines, faults[site] = extract(thresh, engine, [os.path.join(detail, p) for p, _ in learn],
                                              [os.path.join(detail, p) for p, _ in test], wrapper)
                truth.writelines(line for _, line in test)
                found.writelines(line + "\n" for line in lines)
                columns[site] = len({name for line in lines for name in leaves(json.loads(line).get("record"))})
                slots[site] = visible_slots.count([os.path.join(detail, p) for p, _ in test])
        files = [os.path.join(folder, "truth.jsonl"), os.path.join(folder, "found.jsonl")]
        _, by_site, _ = run(sys.executable, SCORER, *files, "--columns", "--sites")
        _, total, said = run(sys.executable, SCORER, *files, "--columns", "--json")
        for line in by_site.splitlines():
            site = line.split()[0]
            if site in columns:
                print(f"{line}   columns {columns[site]}, slots {slots[site]}{'   ' + faults[site] if faults[site] else ''}")
        row = json.loads(total)
        all_of = sum(row.get(kind, 0) for kind in ("correct", "partial", "incorrect"))
        middle = sorted(columns.values())[len(columns) // 2]
        ratio = sorted(columns[site] / max(slots[site], 1) for site in columns)[len(columns) // 2]
        print(f"\nsites {row['sites']}, pages {row['pages']}: mean F1 {row['f1']:.3f}; of {all_of} attributes " +
              ", ".join(f"{kind} {row.get(kind, 0)} ({row.get(kind, 0) / max(all_of, 1):.1%})"
                        for kind in ("correct", "partial", "incorrect")) + f"; columns: median {middle}, {ratio:.2f} a slot")
        if said:
            print(said)


if __name__ == "__main__":
    main(sys.argv[1:])
