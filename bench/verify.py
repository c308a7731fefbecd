#!/usr/bin/env python3
"""How well changes are noticed and mended.

usage: bench/verify.py THRESH versions FOLDER [-v] [-n]
       bench/verify.py THRESH generator FOLDER... [-v] [-n]
       bench/verify.py THRESH lists FOLDER [-v] [-n]

-v names the cases that went wrong, -n leaves out repairs. Engines that learn from labels get those of the old pages.

Wrappers are learnt with the engine of THRESH_ENGINE (auto); --paper verifies by the published test.

versions   FOLDER has pairs.jsonl and truth.jsonl. A wrapper is learnt from the old page of each pair, of the list
           that is best by the truth, verified on the new page, and repaired there.
generator  each FOLDER is what `thresh-gen --change KIND` made: before/ and after/. A wrapper is learnt from all pages
           of a site before, verified and repaired on those after.
lists      FOLDER has truth.jsonl and sites of several pages. A wrapper is learnt from all pages of a site but one
           and verified on that one: what alarms where extraction is right is a false alarm.

A case is broken when the old wrapper's record F1 on the new pages falls below 0.8 of that on the old ones. A field is
lost when its cells, in the column that it had on the old pages, fall below 0.8 of what they were: F1 of records does not
see that where another column has the text. A column that the new pages do not have any more is not lost. Cases with an F1 below 0.5 on the old pages have no working wrapper to begin
with, and are counted apart.
"""
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

import score_lists

ENGINE = os.environ.get("THRESH_ENGINE", "auto")
PAPER = ["--paper"] * ("--paper" in sys.argv)
LABELLED = ("stalker", "softmealy")
PAPER = []  # ["--paper"]: verify and repair as published, see bench/papers


class Bench:
    def __init__(self, thresh, work):
        self.score = score_lists
        self.thresh = thresh
        self.work = work

    def run(self, *args):
        return subprocess.run((self.thresh,) + args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)

    def extract(self, wrapper, pages):
        out = self.run("extract", "-q", "-f", "pages", "-w", wrapper, *pages).stdout
        rows = [json.loads(line) for line in out.splitlines()]
        return {row["page"]: row.get("records") or [r for r in [row.get("record")] if r] for row in rows}

    def record_f1(self, truth, found):
        total = collections.Counter()
        for page, records in truth.items():
            total.update(self.score.page_score(records, [{"records": found.get(page, [])}], "first"))
        return self.score.f1(total["tp"], total["found"], total["wanted"])[2]

    def columns(self, truth, found, mapping=None):
        """By true column: the share of its cells that stand in the column it is mapped to."""
        votes, wanted = collections.Counter(), collections.Counter()
        for page, records in truth.items():
            true = [t for t in map(self.score.true_cells, records) if t]
            pred = [self.score.pred_cells(r) for r in found.get(page, [])]
            for cells in true:
                wanted.update(cells.keys())
            for i, j in self.score.match(true, pred):
                for name, value in true[i].items():
                    for column, values in pred[j].items():
                        if value in values or "".join(values) == value:
                            votes[name, column] += 1
        if mapping is None:
            mapping = {}
            for (name, column), _ in votes.most_common():
                if name not in mapping and column not in mapping.values():
                    mapping[name] = column
        return mapping, {name: votes[name, mapping.get(name)] / wanted[name] for name in wanted}

    def learn(self, wrapper, pages, pick):
        """Learns a wrapper. Labels stand in labels.jsonl two folders above a page, by paths from there."""
        options = ["--engine", ENGINE, "--pick", str(pick)]
        if ENGINE in LABELLED:
            folder = os.path.dirname(os.path.dirname(pages[0]))
            names = {os.path.relpath(page, folder) for page in pages}
            options = ["--engine", ENGINE, "--labels", wrapper + ".labels"]
            with open(os.path.join(folder, "labels.jsonl"), encoding="utf-8") as file, \
                    open(wrapper + ".labels", "w", encoding="utf-8") as out:
                for row in map(json.loads, file):
                    if row["page"] in names:
                        out.write(json.dumps(dict(row, page=os.path.join(folder, row["page"]))) + "\n")
        self.run("learn", "-q", "-o", wrapper, *options, *pages)

    def case(self, name, kind, old, new, pick=1):
        """Learns on the old pages, verifies and repairs on the new ones: old and new are {page: true records}."""
        base = os.path.join(self.work, name.replace("/", "_"))
        wrapper, mended = base + ".json", base + ".2.json"
        self.learn(wrapper, sorted(old), pick)
        if not os.path.exists(wrapper):
            return None
        before, after = self.extract(wrapper, sorted(old)), self.extract(wrapper, sorted(new))
        row = {"name": name, "kind": kind, "old": self.record_f1(old, before), "new": self.record_f1(new, after)}
        mapping, were = self.columns(old, before)
        _, are = self.columns(new, after, mapping)
        row["broken"] = row["new"] < 0.8 * row["old"]
        row["lost"] = row["broken"] or any(were[c] > 0.5 and are[c] < 0.8 * were[c] for c in were if c in are)
        row["alarm"] = self.run("verify", "-q", *PAPER, "-w", wrapper, *sorted(new)).returncode == 3
        row["mended"] = None
        if row["alarm"] and "-n" not in sys.argv:
            self.run("repair", "-q", *PAPER, "--allow-lost", "--new-fields", "-w", wrapper, "-o", mended, *sorted(new))
            if os.path.exists(mended):
                row["mended"] = self.record_f1(new, self.extract(mended, sorted(new)))
        return row


def read_truth(folder, key=lambda row: row["site"]):
    sites = collections.defaultdict(dict)
    with open(os.path.join(folder, "truth.jsonl"), encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            sites[key(row)][os.path.join(folder, row["page"])] = row["records"]
    return sites


def versions(bench, folder):
    truth = {page: records for pages in read_truth(folder).values() for page, records in pages.items()}
    with open(os.path.join(folder, "pairs.jsonl"), encoding="utf-8") as file:
        pairs = [json.loads(line) for line in file]

    def one(number):
        old, new = (os.path.join(folder, pairs[number][key]) for key in ("old", "new"))
        out = bench.run("regions", "-q", "--engine", ENGINE, "-f", "pages", old).stdout
        regions = json.loads(out)["regions"] if out.strip() else []
        scores = [bench.record_f1({old: truth[old]}, {old: region["records"]}) for region in regions]
        if not scores:
            return None
        pick = max(range(len(scores)), key=lambda i: (round(scores[i], 6), -i)) + 1
        return bench.case("pair-%d" % number, "versions", {old: truth[old]}, {new: truth[new]}, pick)

    return range(len(pairs)), one


def generator(bench, folders):
    jobs = []
    for folder in folders:
        number = lambda row: row["site"].rsplit("-", 1)[1]
        before, after = (read_truth(os.path.join(folder, side), number) for side in ("before", "after"))
        kind = os.path.basename(folder.rstrip("/"))
        jobs += [(kind, site, before[site], after[site]) for site in sorted(before)]
    return jobs, lambda job: bench.case(job[0] + "-" + job[1], job[0], job[2], job[3])


def lists(bench, folder):
    jobs = []
    for site, pages in sorted(read_truth(folder).items()):
        for out in sorted(pages):
            rest = {page: records for page, records in pages.items() if page != out}
            if rest:
                jobs.append((site, rest, {out: pages[out]}, out))
    return jobs, lambda job: bench.case(job[0] + os.path.basename(job[3]), "lists", job[1], job[2])


def report(title, rows):
    def line(rows, key):
        hit = sum(r[key] and r["alarm"] for r in rows)
        broken, alarms = sum(r[key] for r in rows), sum(r["alarm"] for r in rows)
        return "%s %d of %d (recall %.3f), alarms %d (precision %.3f)" % (
            key, hit, broken, hit / max(1, broken), alarms, hit / max(1, alarms))
    working = [r for r in rows if r["old"] >= 0.5]
    fine = [r for r in working if not r["lost"]]
    print("%s: %d cases, %d with a working wrapper" % (title, len(rows), len(working)))
    print("  " + line(working, "broken"))
    print("  " + line(working, "lost"))
    print("  false alarms where nothing is lost: %d of %d" % (sum(r["alarm"] for r in fine), len(fine)))
    repairs = "-n" not in sys.argv
    broken = [r for r in working if r["broken"]] if repairs else []
    good = sum(r["mended"] is not None and r["mended"] >= 0.9 * r["old"] for r in broken)
    worse = [r for r in rows if r["mended"] is not None and r["mended"] < r["new"] - 1e-9]
    if repairs:
        print("  repaired to 0.9 of the old F1: %d of %d broken; offered %d; worse than what they replace: %d" % (
            good, len(broken), sum(r["mended"] is not None for r in broken), len(worse)))
    for r in rows:
        note = [word for word, holds in (
            ("missed", r["old"] >= 0.5 and r["broken"] and not r["alarm"]),
            ("false alarm", r["old"] >= 0.5 and not r["lost"] and r["alarm"]),
            ("moved, alarm", r["old"] >= 0.5 and r["lost"] and not r["broken"] and r["alarm"]),
            ("lost, no alarm", r["old"] >= 0.5 and r["lost"] and not r["broken"] and not r["alarm"]),
            ("not mended", repairs and r["old"] >= 0.5 and r["broken"] and r["alarm"] and
             (r["mended"] is None or r["mended"] < 0.9 * r["old"])),
            ("worse", r in worse)) if holds]
        if note and "-v" in sys.argv:
            print("    %-24s %.2f -> %.2f, mended %s: %s" % (r["name"], r["old"], r["new"], r["mended"], ", ".join(note)))


def main(argv):
    args = [a for a in argv if a not in ("-v", "-n", "--paper")]
    if len(args) < 3 or args[1] not in ("versions", "generator", "lists"):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(args[0], work)
        if args[1] == "generator":
            jobs, one = generator(bench, args[2:])
        else:
            jobs, one = {"versions": versions, "lists": lists}[args[1]](bench, args[2])
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            rows = [row for row in pool.map(one, jobs) if row]
    kinds = sorted({row["kind"] for row in rows})
    for kind in kinds if len(kinds) > 1 else []:
        report(kind, [row for row in rows if row["kind"] == kind])
    report("all", rows)


if __name__ == "__main__":
    main(sys.argv[1:])
