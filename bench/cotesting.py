#!/usr/bin/env python3
"""Co-testing against chance: does asking for labels beat labelling at random?

usage: cotesting.py THRESH TRUTH.jsonl [--seeds N] [--labels N] [--engine E]
                    [--first-seed N] [--sites A,B,...]

TRUTH is that of a set of detail pages (one record per page); pages are named relative to its folder. Of each site
ten pages, drawn by the seed, are kept for scoring; the others are the pool. Chance labels N (3) pages of the pool at
random. Co-testing begins with the first of these and labels, N - 1 times, the page that `thresh suggest` names first
(a random one when nothing is left to ask). Both learn with the whole pool, labelled or not, and are scored on the same
pages by the rule of score_detail.py. The figure of a trial is the mean of its F1 with
2, 3, ..., N labels; that of a site is the mean over the seeds (10). Asking is worse than chance on a site if its figure
is lower by more than two standard errors of the difference, which comes of the pages that a seed draws; lower figures are
marked whatever they are. Engine "front" (the default) is `thresh learn` without --engine: what a user gets.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import statistics
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

    def ask(self, wrapper, pages):
        """The page that is suggested first, or None."""
        done = self.run("suggest", "-q", "-w", wrapper, "-f", "ndjson", "--most", "1", *[row["page"] for row in pages])
        if done.returncode:
            sys.exit(done.stderr)
        line = done.stdout.split("\n")[0]
        if not line:
            return None
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


def curve(site, scorer, rng, pool, test, labels, asking):
    """F1 with 2, 3, ... labelled pages, and how many of them were asked for."""
    labelled, scores, asked = pool[:1], [], 0
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        if asking:
            site.learn(pool, labelled, file.name)
        while len(labelled) < labels:
            row = site.ask(file.name, [row for row in pool if row not in labelled]) if asking else pool[len(labelled)]
            asked += asking and row is not None
            labelled.append(row or rng.choice([row for row in pool if row not in labelled]))
            site.learn(pool, labelled, file.name)
            scores.append(site.score(scorer, file.name, test))
    return sum(scores) / len(scores), asked


def trial(site, scorer, seed, labels):
    """(at random, asked, how many questions)."""
    rng = random.Random(seed)
    rows = site.rows[:]
    rng.shuffle(rows)
    pool, test = rows[TEST_PAGES:], rows[:TEST_PAGES]
    chance, _ = curve(site, scorer, rng, pool, test, labels, False)
    return (chance,) + curve(site, scorer, rng, pool, test, labels, True)


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("thresh")
    args.add_argument("truth")
    args.add_argument("--seeds", type=int, default=10)
    args.add_argument("--labels", type=int, default=3)
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
    seeds = range(args.first_seed, args.first_seed + args.seeds)

    def site_trials(name):
        site = Site(os.path.abspath(args.thresh), folder, args.engine, sites[name])
        return [trial(site, scorer, seed, args.labels) for seed in seeds]

    worse, lower, sums = [], 0, [0.0, 0.0]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, trials in zip(names, pool.map(site_trials, names)):
            chance, asked, questions = (sum(t[i] for t in trials) / len(trials) for i in range(3))
            gains = [t[1] - t[0] for t in trials]
            error = statistics.stdev(gains) / len(gains) ** 0.5 if len(gains) > 1 else 0
            lower += asked < chance - 1e-9
            if asked < chance - 2 * error - 1e-9:
                worse.append(name)
            print("%-28s %.4f -> %.4f  %s  questions %.1f of %d  by seed: %s" % (
                name, chance, asked, "WORSE" if name in worse else "lower" if asked < chance - 1e-9 else
                "same " if asked < chance + 1e-9 else "     ", questions, args.labels - 1,
                " ".join("%+.3f" % gain for gain in gains)), flush=True)
            sums = [sums[0] + chance / len(names), sums[1] + asked / len(names)]
    print("sites where asking is worse than chance: %d of %d (lower, by whatever little: %d)" %
          (len(worse), len(names), lower))
    print("mean F1 with 2 to %d labels: at random %.4f, asked %.4f: %.0f%% of the error is gone" %
          (args.labels, *sums, 100 * (sums[1] - sums[0]) / max(1e-9, 1 - sums[0])))


if __name__ == "__main__":
    main()
