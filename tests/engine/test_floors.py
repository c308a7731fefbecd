#!/usr/bin/env python3
"""No engine falls below its floor: F1 on a sample of real sites, which are not in this repository.

usage: test_floors.py THRESH [--measure] [ENGINE]...

$THRESH_DATA names a folder that holds detail/ and lists/, each with pages and truth.jsonl: one line a page,
{"page": path, "site": s, "records": [{attribute: [value, ...]}]}. Without it, or with other pages than those that the
floors were measured on, the test is skipped. Every few sites one is taken. With labels, an engine sees three pages and
reads five others; without, it sees eight; of a site of lists one page is read.

A floor is the figure that was measured, less a margin: what costs an engine a tenth of its F1 fails, what moves a page
or two does not. --measure prints the figures, for the table below.
"""
import collections
import hashlib
import html
import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata

SKIP = 77
KEPT = 0.93  # of the measured figure
DETAIL_STEP, LIST_STEP = 5, 6  # every so many sites
LABELLED, SEEN, READ = 3, 8, 5  # pages
MEASURED = {
    "front": 0.993, "stalker": 0.972, "softmealy": 0.979, "paths": 0.993,  # with labels
    "exalg": 0.914, "auto": 0.914,  # without; auto is `thresh learn` without --engine
    "lists": 0.988,  # of auto
}
DIGESTS = {"detail": "67a4d66bf48666db", "lists": "0bdbf306419142f4"}  # of truth.jsonl


def norm(text):
    """Letters and digits alone, whatever their case."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", html.unescape(text))).casefold()


def leaves(cell, name=""):
    """The texts of a cell, with the names of their columns."""
    if isinstance(cell, dict):
        for key, value in cell.items():
            yield from leaves(value, f"{name}.{key}" if name else key)
    elif isinstance(cell, list):
        for value in cell:
            yield from leaves(value, name)
    elif cell is not None and norm(str(cell)):
        yield name, norm(str(cell))


def columns(record):
    found = collections.defaultdict(set)
    for name, text in leaves(record):
        found[name].add(text)
    return found


def f1(right, found, wanted):
    return 2 * right / (found + wanted) if found + wanted else 1


def agreement(pages, attribute, column):
    right = found = wanted = 0
    for true, given in pages:
        t, g = true.get(attribute, set()), given.get(column, set())
        right, found, wanted = right + len(t & g), found + len(g), wanted + len(t)
    return f1(right, found, wanted), wanted


def site_score(pages, named):
    """The mean over attributes. Where names mean nothing, the column counts that agrees best."""
    scores = []
    names = {name for _, given in pages for name in given}
    for attribute in sorted({name for true, _ in pages for name in true}):
        tried = [attribute] if named else sorted(names) or [attribute]
        best, wanted = max(agreement(pages, attribute, column) for column in tried)
        if wanted:
            scores.append(best)
    return sum(scores) / len(scores) if scores else 1


class Data:
    """The sites of a set of pages, by name."""

    def __init__(self, folder, step):
        self.folder = folder
        sites = collections.defaultdict(list)
        with open(os.path.join(folder, "truth.jsonl"), "rb") as file:
            text = file.read()
        self.digest = hashlib.sha256(text).hexdigest()[:16]
        for line in text.decode("utf-8").splitlines():
            row = json.loads(line)
            sites[row["site"]].append(row)
        self.sites = [sites[name] for name in sorted(sites)[::step]]


class Runner:
    def __init__(self, thresh, folder):
        self.thresh, self.folder = thresh, folder
        self.room = tempfile.TemporaryDirectory()
        self.wrapper = os.path.join(self.room.name, "w.json")
        self.labels = os.path.join(self.room.name, "labels.jsonl")

    def run(self, *words):
        done = subprocess.run([self.thresh, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, errors="replace", check=False)
        if done.returncode < 0:
            sys.exit(f"thresh {' '.join(words)}: died of signal {-done.returncode}\n{done.stderr}")
        return done.stdout if done.returncode == 0 else ""

    def read(self, rows):
        """What the wrapper gives, by page."""
        given = {}
        for line in self.run("extract", "-q", "-f", "pages", "-w", self.wrapper, *(row["page"] for row in rows)).splitlines():
            row = json.loads(line)
            given[row["page"]] = row["record"] if "record" in row else (row["records"] or [{}])[0]
        return given

    def detail(self, engine, rows):
        """The F1 of a site: learnt from its first pages, read from the next."""
        words = [] if engine in ("front", "auto") else ["--engine", engine]
        labelled = engine not in ("exalg", "auto")
        first, rest = (LABELLED, LABELLED) if labelled else (SEEN, SEEN)
        if os.path.exists(self.wrapper):
            os.remove(self.wrapper)
        if labelled:
            with open(self.labels, "w", encoding="utf-8") as file:
                file.writelines(json.dumps({"page": row["page"], "records": row["records"]}) + "\n"
                                for row in rows[:first])
            words += ["--labels", self.labels]
        self.run("learn", "-q", "-o", self.wrapper, *words, *(row["page"] for row in rows[:first]))
        rest = rows[rest:rest + READ]
        given = self.read(rest) if os.path.exists(self.wrapper) else {}
        return site_score([(columns(row["records"][0]), columns(given.get(row["page"], {}))) for row in rest], labelled)

    def lists(self, row):
        """The F1 of a page's records: one is right that holds nine tenths of the cells of a true one."""
        line = self.run("regions", "-q", "-f", "pages", row["page"]).splitlines()
        regions = json.loads(line[0])["regions"] if line else []
        found = ["".join(text for _, text in leaves(record)) for record in (regions[0]["records"] if regions else [])]
        true = [[norm(" ".join(values)) for name, values in record.items() if norm(" ".join(values))]
                for record in row["records"]]
        right, left = 0, list(found)
        for cells in true:
            hit = next((text for text in left if sum(cell in text for cell in cells) >= 0.9 * len(cells)), None)
            if hit is not None:
                left.remove(hit)
                right += 1
        return f1(right, len(found), len(true))


def measure(thresh, engine, data):
    runner = Runner(thresh, data.folder)
    scores = [runner.lists(rows[0]) if engine == "lists" else runner.detail(engine, rows) for rows in data.sites]
    return sum(scores) / len(scores)


def main(argv):
    words = [word for word in argv if not word.startswith("-")]
    if not words:
        sys.exit(__doc__)
    root = os.environ.get("THRESH_DATA")
    if not root:
        print("skipped: THRESH_DATA is not set to a folder that holds detail and lists")
        return SKIP
    data = {"detail": Data(os.path.join(root, "detail"), DETAIL_STEP), "lists": Data(os.path.join(root, "lists"), LIST_STEP)}
    known = "--measure" in argv or all(data[name].digest == digest for name, digest in DIGESTS.items())
    if not known:
        print("skipped: the floors were measured on other pages; --measure gives the figures for these")
        return SKIP
    if "--measure" in argv:
        print("digests:", {name: data[name].digest for name in DIGESTS})
    low = 0
    for engine in words[1:] or MEASURED:
        got = measure(os.path.abspath(words[0]), engine, data["lists" if engine == "lists" else "detail"])
        floor = KEPT * MEASURED[engine]
        print(f"{engine:10} F1 {got:.3f}, measured {MEASURED[engine]:.3f}, floor {floor:.3f}"
              f"{'' if got >= floor else ': too low'}", flush=True)
        low += got < floor
    return 1 if low and "--measure" not in argv else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
