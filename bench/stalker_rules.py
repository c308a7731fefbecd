#!/usr/bin/env python3
"""STALKER's protocol: ten labelled examples a rule, how many rules are perfect; then co-testing on the hard ones.

usage: bench/stalker_rules.py THRESH TRUTH.jsonl [--seeds 0] [--labels 10] [--sites A,B,...] [--default] [-v]

TRUTH is that of a set of detail pages (one record a page); pages are named relative to its folder. A task is one attribute
of one site, by itself, as the paper has it. Ten pages, drawn by the seed, are labelled, `thresh learn --engine stalker
--paper` learns from them, and the rule runs on the other pages of the site; its accuracy is the share of them on which it
gives what is there, no more and no less (nothing where there is nothing). The paper has 206 rules of 28 sources: 182 perfect,
another 18 at 90% or more.

Co-testing runs on the tasks whose rule is not perfect: it begins with one of the ten at random and asks, at most nine times,
for a page of the pool on which the forward and the backward rule disagree (`thresh suggest`, pages in random order; any page
where they agree on all). The pool is all pages of the site, as the paper's was; accuracy is that of the pages outside the ten, for both. The paper has 24
such tasks: 85.7% at random, 94.2% with co-testing, 10 perfect and another 11 at 90% or more. --default learns without --paper.
"""
import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "answers"))
import scoring  # noqa: E402


def values(found):
    """What counts: letters and digits."""
    return {text for _, text in scoring.leaves(found or [])}


class Task:
    def __init__(self, args, folder, scratch, attribute, rows):
        self.args, self.folder, self.attribute, self.rows = args, folder, attribute, rows
        self.wrapper = os.path.join(scratch, "w.json")
        self.labels = os.path.join(scratch, "l.jsonl")

    def run(self, *args):
        return subprocess.run([self.args.thresh, *args], cwd=self.folder, capture_output=True, text=True, check=False)

    def true(self, row):
        return row["records"][0].get(self.attribute) or []

    def learn(self, labelled):
        """Whether a wrapper was learnt: a value that is not on its page, or none at all, gives none."""
        with open(self.labels, "w", encoding="utf-8") as file:
            for row in labelled:
                value = self.true(row)
                record = {self.attribute: None if not value else value[0] if len(value) == 1 else value}
                file.write(json.dumps({"page": row["page"], "record": record}) + "\n")
        if os.path.exists(self.wrapper):
            os.remove(self.wrapper)
        self.run("learn", "-q", "--engine", "stalker", *["--paper"] * (not self.args.default), "--labels", self.labels, "-o",
                 self.wrapper, *[row["page"] for row in labelled])
        return os.path.exists(self.wrapper)

    def accuracy(self, test):
        out = self.run("extract", "-q", "-w", self.wrapper, "-f", "pages", *[row["page"] for row in test]).stdout
        found = {}
        for row in map(json.loads, out.splitlines()):
            found[row["page"]] = (row.get("record") or (row.get("records") or [{}])[0] or {}).get(self.attribute)
        return sum(values(found.get(row["page"])) == values(self.true(row)) for row in test) / len(test)

    def ask(self, pool):
        out = self.run("suggest", "-q", "-w", self.wrapper, "-f", "ndjson", "--most", "1", *[row["page"] for row in pool]).stdout
        if not out:
            return None
        name = json.loads(out.split("\n")[0])["page"]
        return next(row for row in pool if row["page"] == name)

    def cotest(self, rng, labelled, test):
        """Accuracy after co-testing, and how many labels it took."""
        chosen = next(([row] for row in labelled if self.true(row) and self.learn([row])), labelled[:1])
        while len(chosen) < self.args.labels:
            if not self.learn(chosen):
                break
            pool = [row for row in self.rows if row not in chosen]
            rng.shuffle(pool)
            chosen.append(self.ask(pool) or pool[0])
        self.learn(chosen)
        return self.accuracy(test) if os.path.exists(self.wrapper) else 0.0, len(chosen)


def summary(name, scores):
    perfect = sum(s > 1 - 1e-9 for s in scores)
    good = sum(0.9 <= s <= 1 - 1e-9 for s in scores)
    print("%s: %d rules, %d perfect, another %d at 90%% or more, %d below; mean accuracy %.1f%%" % (
        name, len(scores), perfect, good, len(scores) - perfect - good, 100 * sum(scores) / max(1, len(scores))), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("thresh")
    parser.add_argument("truth")
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--labels", type=int, default=10)
    parser.add_argument("--sites", default="")
    parser.add_argument("--default", action="store_true")
    parser.add_argument("-v", action="store_true", dest="verbose")
    args = parser.parse_args()
    args.thresh = os.path.abspath(args.thresh)
    folder = os.path.dirname(os.path.abspath(args.truth))
    sites = collections.defaultdict(list)
    with open(args.truth, encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            sites[row["site"]].append(row)
    names = args.sites.split(",") if args.sites else sorted(sites)
    everything, hard, mended = [], [], []
    for seed in map(int, args.seeds.split(",")):
        for name in names:
            for attribute in sorted(sites[name][0]["records"][0]):
                rng = random.Random("%d %s %s" % (seed, name, attribute))
                rows = sites[name][:]
                rng.shuffle(rows)
                labelled, test = rows[:args.labels], rows[args.labels:]
                with tempfile.TemporaryDirectory() as scratch:
                    task = Task(args, folder, scratch, attribute, rows)
                    if not any(task.true(row) for row in labelled):
                        continue
                    score = task.accuracy(test) if task.learn(labelled) else 0.0
                    everything.append(score)
                    if score > 1 - 1e-9:
                        continue
                    asked, count = task.cotest(rng, labelled, test)
                hard.append(score)
                mended.append(asked)
                if args.verbose:
                    print("  %s %s: %.2f, co-testing %.2f with %d labels" % (name, attribute, score, asked, count), flush=True)
    summary("%d labels at random" % args.labels, everything)
    summary("hard tasks, at random", hard)
    summary("hard tasks, co-testing", mended)


if __name__ == "__main__":
    sys.exit(main())
