#!/usr/bin/env python3
"""SoftMealy on generated faculty pages: table 1 and section 4.2 of its paper, rebuilt.

usage: softmealy_faculty.py --thresh PROGRAM --gen PROGRAM [--seed N] [--seeds N] [--paper] [--pages]

Table 1: thirty pages with the paper's numbers of tuples (NT), attributes (A) and attribute permutations (AP).
An oracle labels the first two tuples; then, as often as the wrapper gives a wrong tuple, the first wrong one is
labelled too and the wrapper is learnt anew, until every tuple of the page is right. TI is how many tuples it
took; the paper's TI stands beside it.

Section 4.2: ten pages with 85 tuples to learn from, smallest first, labelling wrong tuples until each page is
right; then an eleventh page with 69 tuples in 17 orders, 10 of which no other page has.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

# NT, A, AP, TI of the paper's table 1, in its order.
TABLE_1 = [(6, 6, 3, 6), (8, 3, 2, 5), (11, 1, 2, 5), (11, 7, 2, 6), (15, 4, 4, 5), (18, 2, 2, 4), (18, 7, 5, 6),
           (18, 6, 3, 9), (21, 2, 1, 5), (21, 1, 1, 2), (22, 1, 1, 3), (22, 7, 4, 5), (23, 5, 4, 9), (24, 2, 1, 4),
           (25, 6, 5, 9), (29, 2, 2, 4), (29, 3, 3, 4), (29, 1, 1, 5), (31, 4, 2, 7), (32, 5, 2, 5), (34, 1, 1, 2),
           (35, 7, 3, 5), (35, 4, 2, 5), (36, 3, 2, 6), (39, 2, 1, 5), (41, 4, 3, 6), (46, 10, 13, 25), (48, 3, 2, 6),
           (51, 2, 1, 5), (157, 2, 1, 6)]


def values(record):
    """A record without what is missing; one value and a list of one are the same."""
    out = {}
    for name, value in record.items():
        texts = value if isinstance(value, list) else [value]
        texts = [" ".join(str(t).split()) for t in texts if t not in (None, "")]
        if texts:
            out[name] = texts
    return out


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.labels = [json.loads(line) for line in open(os.path.join(folder, "labels.jsonl"))]
        self.truth = [json.loads(line) for line in open(os.path.join(folder, "truth.jsonl"))]

    def thresh(self, *args):
        run = subprocess.run([self.args.thresh, *args], cwd=self.folder, capture_output=True, text=True)
        return run.stdout if run.returncode == 0 else None

    def learn(self, chosen):
        """chosen: page -> numbers of the labelled tuples."""
        with open(os.path.join(self.folder, "chosen.jsonl"), "w") as out:
            for page, numbers in chosen.items():
                line = self.labels[page]
                print(json.dumps({"page": line["page"], "records": [line["records"][n] for n in sorted(numbers)]}),
                      file=out)
        pages = [self.labels[page]["page"] for page in chosen]
        more = ["--paper"] if self.args.paper else []
        return self.thresh("learn", "-q", "--engine", "softmealy", *more, "--labels", "chosen.jsonl", "-o", "w.json",
                           *pages) is not None

    def extract(self, page):
        text = self.thresh("extract", "-q", "-w", "w.json", "-f", "pages", self.labels[page]["page"])
        return [values(r) for r in json.loads(text)["records"]] if text else []

    def wrong(self, page):
        """The number of the first tuple that is not right, and how many are; None when all are."""
        true = [values(r) for r in self.truth[page]["data"]]
        found = self.extract(page)
        right = sum(t in found for t in true)
        first = next((i for i, t in enumerate(true) if t not in found), None)
        return first, right, len(found) - right

    def teach(self, page, chosen, most):
        """Labels wrong tuples of a page until it is right. Whether it is."""
        while True:
            if not chosen:
                chosen[page] = {0, 1}
            elif page in chosen or sum(map(len, chosen.values())):
                first, right, spurious = self.wrong(page)
                if first is None and spurious <= 0:
                    return True
                if first is None:
                    first = next((i for i in range(len(self.truth[page]["data"]) - 1, -1, -1)
                                  if i not in chosen.get(page, ())), None)
                if first is None or first in chosen.get(page, ()) or sum(map(len, chosen.values())) >= most:
                    return False
                chosen.setdefault(page, set()).add(first)
            if not self.learn(chosen):
                return False


def generate(args, folder, shape, seed):
    subprocess.run([args.gen, "--out", folder, "--kind", "faculty", "--shape", shape, "--seed", str(seed)], check=True,
                   capture_output=True)


def table_1(args, seed):
    wrapped = within = 0
    with tempfile.TemporaryDirectory() as folder:
        generate(args, folder, "table1", seed)
        bench = Bench(args, folder)
        total = 0
        for page, (nt, a, ap, ti) in enumerate(TABLE_1):
            chosen = {}
            done = bench.teach(page, chosen, nt)
            labelled = sum(map(len, chosen.values()))
            wrapped += done
            within += done and labelled <= ti
            total += labelled
            if args.pages:
                first, right, spurious = bench.wrong(page)
                print("%3d tuples %2d attributes %2d orders: %s, %d labelled (paper: %d)%s" %
                      (nt, a, ap, "wrapped" if done else "NOT wrapped", labelled, ti,
                       "" if done else ", %d right, %d spurious" % (right, spurious)))
    print("table 1, seed %d: %d of 30 pages wrapped, %d with at most the paper's labels; %d tuples labelled "
          "(paper: %d)" % (seed, wrapped, within, total, sum(row[3] for row in TABLE_1)))
    return wrapped, within


def unseen(args, seed):
    with tempfile.TemporaryDirectory() as folder:
        generate(args, folder, "unseen", seed)
        bench = Bench(args, folder)
        order = sorted(range(len(bench.truth)), key=lambda p: len(bench.truth[p]["data"]))
        test = order.pop()
        chosen = {}
        for page in order:
            bench.teach(page, chosen, 10 ** 6)
        first, right, spurious = bench.wrong(test)
        print("section 4.2, seed %d: %d tuples labelled (paper: 15), %d of %d unseen tuples right (paper: 60 of 69), "
              "%d spurious" % (seed, sum(map(len, chosen.values())), right, len(bench.truth[test]["data"]), spurious))
        return right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--thresh", required=True)
    parser.add_argument("--gen", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--paper", action="store_true")
    parser.add_argument("--pages", action="store_true", help="a line for each page")
    args = parser.parse_args()
    args.thresh, args.gen = os.path.abspath(args.thresh), os.path.abspath(args.gen)
    for seed in range(args.seed, args.seed + args.seeds):
        table_1(args, seed)
        unseen(args, seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
