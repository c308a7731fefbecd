#!/usr/bin/env python3
"""Co-testing against chance: does asking for labels beat labelling at random?

usage: cotesting.py THRESH TRUTH.jsonl [--seeds N] [--labels N] [--engine E]
                    [--first-seed N] [--sites A,B,...]

TRUTH is that of a set of detail pages (one record a page); pages are named relative to its folder. Of each site
ten pages, drawn by the seed, are kept for scoring; the others are the pool. Chance labels N of the pool at
random. Co-testing begins with the first of these and labels, N - 1 times, the page that `thresh suggest` names
first (a random one when nothing is left to ask). Both learn with the whole pool, labelled or not, and are
scored on the same pages by the rule of score_detail.py. Sites where asking is worse than
chance over all seeds are named. Engine "front" (the
default) is `thresh learn` without --engine: what a user gets.
"""
import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

import score_detail as scorer

TEST_PAGES = 10


def label(row):
    """A label line: an attribute without values is missing, one value is a text, more are a list."""
    record = {a: None if not v else v[0] if len(v) == 1 else v for a, v in row["records"][0].items()}
    return json.dumps({"page": row["page"], "records": [record]}) + "\n"


class Site:
    def __init__(self, thresh, folder, engine, rows):
        self.thresh, self.folder, self.engine, self.rows = thresh, folder, engine, rows

    def run(self, *args):
        return subprocess.run([self.thresh, *args], cwd=self.folder, capture_output=True, text=True)

    def learn(self, pool, labelled, wrapper):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as labels:
            labels.writelines(label(row) for row in labelled)
            labels.flush()
            engine = [] if self.engine == "front" else ["--engine", self.engine]
            done = self.run("learn", "-q", *engine, "--labels", labels.name, "-o", wrapper,
                            *[row["page"] for row in pool])
        if not os.path.getsize(wrapper):  # status 1 where it does not give all that is labelled
            sys.exit(done.stderr)

    def ask(self, wrapper, pages, rng):
        done = self.run("suggest", "-q", "-w", wrapper, "-f", "ndjson", "--most", "1", *[row["page"] for row in pages])
        if done.returncode:
            sys.exit(done.stderr)
        line = done.stdout.split("\n")[0]
        if not line:
            return rng.choice(pages)
        name = json.loads(line)["page"]
        return next(row for row in pages if row["page"] == name)

    def score(self, scorer, wrapper, test):
        done = self.run("extract", "-q", "-w", wrapper, "-f", "pages", *[row["page"] for row in test])
        found = {}
        for line in done.stdout.splitlines():
            row = json.loads(line)
            found[row["page"]] = scorer.columns_of(row.get("record") or {})
        pages = [({a: {scorer.norm(v) for v in vs if scorer.norm(v)} for a, vs in row["records"][0].items()},
                  found.get(row["page"], {})) for row in test]
        attributes = sorted({a for true, _ in pages for a, v in true.items() if v})
        return sum(scorer.agreement(pages, a, a)[2] for a in attributes) / max(1, len(attributes))


def trial(site, scorer, seed, labels):
    rng = random.Random(seed)
    rows = site.rows[:]
    rng.shuffle(rows)
    pool, test = rows[TEST_PAGES:], rows[:TEST_PAGES]
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        site.learn(pool, pool[:labels], file.name)
        chance = site.score(scorer, file.name, test)
        labelled = pool[:1]
        site.learn(pool, labelled, file.name)
        while len(labelled) < labels:
            labelled.append(site.ask(file.name, [row for row in pool if row not in labelled], rng))
            site.learn(pool, labelled, file.name)
        return chance, site.score(scorer, file.name, test)


def main():
    args = argparse.ArgumentParser(usage=__doc__)
    args.add_argument("thresh")
    args.add_argument("truth")
    args.add_argument("--seeds", type=int, default=10)
    args.add_argument("--labels", type=int, default=5)
    args.add_argument("--engine", default="front")
    args.add_argument("--first-seed", type=int, default=0)
    args.add_argument("--sites", default="", help="only these, with commas between them")
    args = args.parse_args()

    sites = collections.defaultdict(list)
    with open(args.truth, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            sites[row["site"]].append(row)
    names = args.sites.split(",") if args.sites else sorted(sites)
    folder = os.path.dirname(os.path.abspath(args.truth))
    sums, trials = collections.defaultdict(lambda: [0.0, 0.0]), collections.defaultdict(list)
    for seed in range(args.first_seed, args.first_seed + args.seeds):
        total = [0.0, 0.0]
        for name in names:
            scores = trial(Site(os.path.abspath(args.thresh), folder, args.engine, sites[name]), scorer, seed, args.labels)
            trials[name].append(scores)
            for arm in range(2):
                total[arm] += scores[arm] / len(names)
                sums[name][arm] += scores[arm] / args.seeds
        print("seed %d: %d at random %.4f, 1 + %d asked %.4f" %
              (seed, args.labels, total[0], args.labels - 1, total[1]), flush=True)
    chance, asked = (sum(s[arm] for s in sums.values()) / len(sums) for arm in range(2))
    for name in sorted(names, key=lambda n: sums[n][1])[:10]:
        print("  %-28s %.3f -> %.3f" % (name, *sums[name]))
    worse = [name for name in sorted(names) if sums[name][1] < sums[name][0] - 1e-9]
    print("sites where asking is worse than chance: %d of %d" % (len(worse), len(names)))
    for name in worse:
        print("  %-28s %.4f -> %.4f  by seed: %s" % (name, *sums[name], " ".join(
            "%+.3f" % (asked - chance) for chance, asked in trials[name])))
    print("mean F1: %d at random %.4f, 1 + %d asked %.4f: %.0f%% of the error is gone" %
          (args.labels, chance, args.labels - 1, asked, 100 * (asked - chance) / max(1e-9, 1 - chance)))


if __name__ == "__main__":
    main()
