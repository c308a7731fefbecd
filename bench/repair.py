#!/usr/bin/env python3
"""How well wrappers of every engine are repaired, and whether a repair ever takes anything away.

usage: bench/repair.py THRESH generator [-1] [-a] [-d|-s] [-v] [-e ENGINES] [-k FOLDER] [-r OPTIONS] FOLDER...
       bench/repair.py THRESH versions [-1] [-a] [-v] [-e ENGINES] [-k FOLDER] [-r OPTIONS] FOLDER

ENGINES, with commas between: auto, mdr, iepad and template learn without labels;
stalker, softmealy, paths and front (no engine named) from the generator's labels. -v names every case that is not as it
should be, -k keeps the wrappers in a folder. -a repairs also where verification does not alarm: repair judges by itself.
-d: new data as well. The wrapper is learnt from the first half of a site's pages, and the others have changed.
-r: options of `thresh repair`, with blanks between (--allow-lost --new-fields: what can be done; "": what is done unasked).
-s: strangers. The changed pages are those of the next site: there is nothing to repair, and what is offered is wrong.

generator  each FOLDER is what `thresh-gen --change KIND` made, of list or of detail pages. A wrapper is learnt from the
           pages of a site before, verified on those after, and repaired there when that alarms.
versions   FOLDER has pairs.jsonl and truth.jsonl: old and new page of a listing. Of the lists on the old page the one
           is learnt that is best by the truth.

F1 is that of records (list pages) or of cells (detail pages). A case is broken when the old wrapper's F1 on the new pages
falls below 0.8 of that on the old ones, and repaired when the new wrapper's is at least 0.9 of it. Cases with less than
0.5 on the old pages have no working wrapper to begin with: they count for "worse" alone.

A field is the column where most cells of a true column stood on the old pages. Where they stood in several columns alike,
as a title does in the heading and in the trail above it, each of these is the field, and the one counts that has most of
it: -1 takes the first by its name. It is broken when its cells fall below 0.8 of what they were, and found again when they
are back at 0.9. A repair is worse than what it replaces when F1 is lower than without it, or when a field that was not
broken has fewer right cells.
"""
import collections
import concurrent.futures
import json
import os
import sys
import tempfile

import verify

OPTIONS = ["--allow-lost", "--new-fields"]  # of repair: -r
ALWAYS = False  # repairs are tried also where verification does not alarm: -a
FIRST = False  # of columns that are a field alike, the first one counts: -1
# A text that so many records have does not tell one from another.
COMMON = 50
LABELLED = ("stalker", "softmealy", "paths", "front")


def flatten(value, path="", out=None):
    """{dotted path: [texts]} of a predicted record."""
    out = {} if out is None else out
    if isinstance(value, dict):
        for name, inner in value.items():
            flatten(inner, (path + "." if path else "") + str(name), out)
    elif isinstance(value, list):
        for inner in value:
            flatten(inner, path, out)
    elif value is not None:
        out.setdefault(path, []).append(str(value))
    return out


class Repairs(verify.Bench):
    def cells_of(self, record):
        cells = {path: [n for n in map(self.score.norm, texts) if n] for path, texts in flatten(record).items()}
        return {path: texts for path, texts in cells.items() if texts}

    def pairs(self, true, found):
        """True and found records of a page that belong together: those that share most cells first."""
        at = collections.defaultdict(set)
        for j, cells in enumerate(found):
            for values in cells.values():
                for text in values + ["".join(values)]:
                    at[text].add(j)
        shared = collections.Counter((i, j) for i, cells in enumerate(true) for value in cells.values()
                                     for j in (at[value] if len(at[value]) <= COMMON else ()))
        order = sorted((-count, abs(i - j), i, j) for (i, j), count in shared.items())
        rows, columns = set(), set()
        for _, _, i, j in order:
            if i not in rows and j not in columns:
                rows.add(i), columns.add(j)
                yield true[i], found[j]

    def fields(self, truth, found, mapping=None):
        """The columns of each true one (as on the old pages when that is given), and [right, found, wanted] of the best."""
        votes, wanted, filled = (collections.Counter() for _ in range(3))
        for page, records in truth.items():
            true = [t for t in map(self.score.true_cells, records) if t]
            pred = [self.cells_of(r) for r in found.get(page, []) if r]
            for cells in true:
                wanted.update(cells.keys())
            for cells in pred:
                filled.update(cells.keys())
            for cells, other in self.pairs(true, pred):
                for name, value in cells.items():
                    for column, values in other.items():
                        votes[name, column] += value in values or "".join(values) == value
        if mapping is None:
            mapping, taken = {}, set()
            for (name, column), right in sorted(votes.items(), key=lambda x: (-x[1], x[0])):
                if right and name not in mapping and column not in taken:
                    mapping[name] = [column]
                    taken.add(column)
            for (name, column), right in sorted(votes.items()):
                if not FIRST and column not in taken and name in mapping and right == votes[name, mapping[name][0]]:
                    mapping[name].append(column)
        best = {name: max(mapping.get(name, [None]), key=lambda column: votes[name, column]) for name in wanted}
        return mapping, {name: (votes[name, best[name]], filled[best[name]], wanted[name]) for name in wanted}

    def measure(self, truth, found, detail, mapping=None):
        mapping, fields = self.fields(truth, found, mapping)
        cells = [sum(f[i] for f in fields.values()) for i in range(3)]
        rates = {name: self.score.f1(*f)[2] for name, f in fields.items()}
        right = {name: f[0] for name, f in fields.items()}
        cells = self.score.f1(*cells)[2]
        return {"f1": cells if detail else self.record_f1(truth, found), "cells": cells, "fields": rates,
                "right": right}, mapping

    def learn(self, engine, job, wrapper):
        args = ["learn", "-q", "--date", "2026-01-01", "-o", wrapper]
        if engine != "front":
            args += ["--engine", engine]
        if engine in LABELLED:
            labels = wrapper[:-5] + ".labels"
            with open(labels, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in job["labels"])
            args += ["--labels", labels]
        else:
            args += ["--pick", str(job.get("pick", 1))]
        self.run(*args, *sorted(job["old"]))

    def one(self, task):
        engine, job = task
        old, new, detail = job["old"], job["new"], job["detail"]
        base = os.path.join(self.work, "%s-%s" % (engine, job["name"].replace("/", "_")))
        wrapper, mended = base + ".json", base + ".2.json"
        for path in (wrapper, mended):
            if os.path.exists(path):
                os.remove(path)
        if job.get("best"):
            job = dict(job, pick=self.best_list(engine, old))
        self.learn(engine, job, wrapper)
        if not os.path.exists(wrapper):
            return None
        were, mapping = self.measure(old, self.extract(wrapper, sorted(old)), detail)
        are, _ = self.measure(new, self.extract(wrapper, sorted(new)), detail, mapping)
        row = {"name": job["name"], "kind": job["kind"], "engine": engine, "old": were, "new": are, "mended": None}
        row["alarm"] = self.run("verify", "-q", "-w", wrapper, *sorted(new)).returncode == 3
        if ALWAYS or row["alarm"]:
            self.run("repair", "-q", *OPTIONS, "--date", "2026-01-02", "-w", wrapper, "-o", mended, *sorted(new))
            if os.path.exists(mended):
                row["mended"], _ = self.measure(new, self.extract(mended, sorted(new)), detail, mapping)
        return judge(row)

    def best_list(self, engine, old):
        (page, records), = old.items()
        out = self.run("regions", "-q", "--engine", engine, "-f", "pages", page).stdout
        regions = json.loads(out)["regions"] if out.strip() else []
        scores = [self.record_f1({page: records}, {page: region["records"]}) for region in regions]
        return max(range(len(scores)), key=lambda i: (round(scores[i], 6), -i), default=0) + 1


def judge(row):
    old, new, mended = row["old"], row["new"], row["mended"]
    row["working"] = old["f1"] >= 0.5
    row["broken"] = row["working"] and new["f1"] < 0.8 * old["f1"]
    row["good"] = row["broken"] and mended is not None and mended["f1"] >= 0.9 * old["f1"]
    solid = [name for name, rate in old["fields"].items() if rate > 0.5 and name in new["fields"]]
    hurt = [name for name in solid if new["fields"][name] < 0.8 * old["fields"][name]]
    row["hurt"] = hurt
    row["again"] = [name for name in hurt if mended and mended["fields"].get(name, 0) >= 0.9 * old["fields"][name]]
    row["worse"] = []
    if mended:
        if mended["f1"] < new["f1"] - 1e-9:
            row["worse"].append("F1 %.3f to %.3f" % (new["f1"], mended["f1"]))
        row["worse"] += ["%s %d to %d" % (name, new["right"][name], mended["right"].get(name, 0))
                         for name in solid if name not in hurt and
                         mended["right"].get(name, 0) < new["right"][name]]
    return row


def half(pages, which):
    """The first or the last half of a site's pages."""
    names = sorted(pages)
    middle = len(names) // 2
    return {name: pages[name] for name in (names[middle:] if which else names[:middle])}


def with_new_data(jobs):
    """The same with the data of other pages of the site."""
    for job in jobs:
        old = half(job["old"], 0)
        yield dict(job, old=old, new=half(job["new"], 1), labels=[row for row in job["labels"] if row["page"] in old])


def strangers(jobs):
    """Wrappers of one site and pages of the next."""
    for job, other in zip(jobs, jobs[1:] + jobs[:1]):
        yield dict(job, new=other["new"])


def generator(folders):
    for folder in folders:
        number = lambda row: row["site"].rsplit("-", 1)[1]
        before, after = (verify.read_truth(os.path.join(folder, side), number) for side in ("before", "after"))
        labels = collections.defaultdict(list)
        with open(os.path.join(folder, "before", "labels.jsonl"), encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                site = row["page"].split("/")[0].rsplit("-", 1)[1]
                labels[site].append(dict(row, page=os.path.join(folder, "before", row["page"])))
        with open(os.path.join(folder, "before", "truth.jsonl"), encoding="utf-8") as file:
            detail = json.loads(file.readline())["kind"] == "detail"
        kind = os.path.basename(folder.rstrip("/"))
        for site in sorted(before):
            yield {"name": kind + "-" + site, "kind": kind, "old": before[site], "new": after[site],
                   "labels": labels[site], "detail": detail}


def versions(folders):
    truth = {page: records for pages in verify.read_truth(folders[0]).values() for page, records in pages.items()}
    with open(os.path.join(folders[0], "pairs.jsonl"), encoding="utf-8") as file:
        for number, line in enumerate(file):
            pair = json.loads(line)
            old, new = (os.path.join(folders[0], pair[key]) for key in ("old", "new"))
            yield {"name": "pair-%d" % number, "kind": "versions", "old": {old: truth[old]}, "new": {new: truth[new]},
                   "detail": False, "best": True}


def line(title, rows):
    broken = [r for r in rows if r["broken"]]
    fields, again = sum(len(r["hurt"]) for r in rows), sum(len(r["again"]) for r in rows)
    offered = [r for r in rows if r["mended"]]
    print("%-20s %4d cases, %3d broken, %3d repaired (%s), %d wrong ones offered; fields broken %d, found again %d (%s); "
          "repairs offered %d, worse %d" % (
              title, sum(r["working"] for r in rows), len(broken), sum(r["good"] for r in broken),
              percent(sum(r["good"] for r in broken), len(broken)),
              sum(not r["good"] and r["mended"] is not None for r in broken), fields, again, percent(again, fields),
              len(offered), sum(bool(r["worse"]) for r in offered)))


def percent(part, whole):
    return "%d%%" % round(100 * part / whole) if whole else "-"


def tell(rows):
    for r in rows:
        note = ["worse: " + ", ".join(r["worse"])] if r["worse"] else []
        if r["broken"] and not r["good"]:
            note.append("missed" if not r["alarm"] else "not offered" if not r["mended"] else "wrong")
        left = [name for name in r["hurt"] if name not in r["again"]] if r["mended"] and r["working"] else []
        if left:
            note.append("not found: " + ", ".join(left))
        if note:
            print("    %-10s %-16s %.2f -> %.2f, mended %s: %s" % (
                r["engine"], r["name"], r["old"]["f1"], r["new"]["f1"],
                "%.2f" % r["mended"]["f1"] if r["mended"] else None, "; ".join(note)))


def main(argv):
    global ALWAYS, FIRST, OPTIONS
    args, told, engines, kept, change = [], False, ["auto"], None, None
    at = iter(argv)
    for arg in at:
        if arg == "-v":
            told = True
        elif arg == "-a":
            ALWAYS = True
        elif arg == "-1":
            FIRST = True
        elif arg in ("-d", "-s"):
            change = {"-d": with_new_data, "-s": strangers}[arg]
        elif arg == "-e":
            engines = next(at).split(",")
        elif arg == "-k":
            kept = next(at)
        elif arg == "-r":
            OPTIONS = next(at).split()
        else:
            args.append(arg)
    if len(args) < 3 or args[1] not in ("versions", "generator"):
        sys.exit(__doc__)
    jobs = list({"generator": generator, "versions": versions}[args[1]](args[2:]))
    jobs = list(change(jobs)) if change else jobs
    with tempfile.TemporaryDirectory() as work:
        if kept:
            os.makedirs(kept, exist_ok=True)
        bench = Repairs(args[0], kept or work)
        tasks = [(engine, job) for engine in engines for job in jobs]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            rows = [row for row in pool.map(bench.one, tasks) if row]
    for engine in engines:
        own = [r for r in rows if r["engine"] == engine]
        kinds = sorted({r["kind"] for r in own})
        for kind in kinds if len(kinds) > 1 else []:
            line("%s %s" % (engine, kind), [r for r in own if r["kind"] == kind])
        line("%s, all" % engine, own)
        if told:
            tell(own)
    if len(engines) > 1:
        line("all engines", rows)


if __name__ == "__main__":
    main(sys.argv[1:])
