#!/usr/bin/env python3
"""How well the records of made sites are found: by family, and as each dial of the generator is turned.

usage: bench/bench_generator.py BUILD [--seed N] [--sites N] [--write FILE] [--only auto,mdr,...]
       make bench T=generator

Prints two tables in Markdown. The first has a row for each markup family at default noise (--sites sites, 20, of 3
pages), the record F1 of the first list and of the best of ten. The second has a row for each dial and value, all
others at their default (8 sites a family, 2 pages), the record F1 of the first list. --write puts them into FILE
between the lines "<!-- generator -->" and "<!-- end of generator -->". About a minute and a half.

A found record is right when it holds at least nine in ten of the values of a true record, and no other true record.
"""
import argparse
import html
import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata

FAMILIES = [("search", "search results"), ("utility", "utility classes"), ("blog", "blog"), ("cards", "cards"),
            ("dl", "definition lists"), ("table", "table of the 1990s"), ("microdata", "microdata"),
            ("br", "lines with br"), ("columns", "columns, half of them intertwined"),
            ("rows", "several rows a record")]
MODES = [("auto", "Thresh", []), ("mdr", "MDR", ["--engine", "mdr"]), ("iepad", "IEPAD", ["--engine", "iepad"]),
         ("mdr-paper", "MDR as published", ["--engine", "mdr", "--paper"]),
         ("iepad-paper", "IEPAD as published", ["--engine", "iepad", "--paper"])]
# The default of each dial is in the row of its own that comes first.
DIALS = [("records", ["2", "3", "5", "10", "50"]), ("attrs", ["1", "2", "4", "12"]), ("depth", ["0", "1", "2"]),
         ("noise", ["0", "0.3", "0.6"]), ("adverts", ["0", "0.2", "0.5"]), ("permute", ["0.2", "0.5", "1"]),
         ("optionals", ["0", "0.6", "1"]), ("optional", ["0", "0.5", "0.75"]), ("choices", ["0", "0.4", "0.8"]),
         ("rare", ["0", "0.3", "0.5"]), ("empties", ["0", "0.1", "0.3"]), ("template-words", ["0", "0.2", "0.5"]),
         ("chrome", ["0", "0.35", "1"])]
SHARE = 0.9  # of a true record's values that a right one holds
LONG = 12  # letters and digits: a shorter record may be held by chance


def letters(text):
    """Letters and digits alone, case folded: blanks and punctuation are the template's business."""
    text = unicodedata.normalize("NFKC", html.unescape(text or ""))
    return re.sub(r"[\W_]+", "", text).casefold() or re.sub(r"\s+", "", text)


def texts(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for part in value for text in texts(part)]
    return [value] if isinstance(value, str) else []


def true_values(record):
    """What a true record holds. Sets inside it (_offers, ...) are not asked for: their texts need not be joined."""
    values = (letters(" ".join(values)) for name, values in record.items() if not name.startswith("_"))
    return [value for value in values if value]


def right_records(truth, found):
    """How many found records are right: each true record is found once at most."""
    open_records, right = list(truth), 0
    for text in found:
        held = [record for record in truth if sum(value in text for value in record) >= SHARE * len(record)]
        if not held:
            continue
        largest = max(held, key=lambda record: sum(map(len, record)))
        whole = "".join(largest)
        others = [record for record in held if record != largest and sum(map(len, record)) >= LONG
                  and not all(value in whole for value in record)]
        if not others and largest in open_records:
            open_records.remove(largest)
            right += 1
    return right


def f1(right, found, wanted):
    return 2 * right / (found + wanted) if found + wanted else 1.0


def region_scores(records, regions):
    """Right, found and wanted records of each region of a page, against its true records."""
    truth = [record for record in map(true_values, records) if record]
    for region in regions:
        found = [text for text in ("".join(map(letters, texts(record))) for record in region["records"]) if text]
        yield right_records(truth, found), len(found), len(truth)


def score(folder, found, pick):
    """Right, found and wanted records of all pages: of the first region, or of the best one of each page."""
    sums = [0, 0, 0]
    with open(os.path.join(folder, "truth.jsonl"), encoding="utf-8") as file:
        pages = [json.loads(line) for line in file]
    for page in pages:
        regions = found.get(page["page"], [])
        rows = list(region_scores(page["records"], regions[:1] if pick == "first" else regions))
        none = (0, 0, sum(1 for record in page["records"] if true_values(record)))
        best = max(rows, key=lambda row: f1(*row), default=none)
        sums = [a + b for a, b in zip(sums, best)]
    return sums


class Bench:
    def __init__(self, build, seed, modes, work):
        self.thresh = os.path.join(build, "thresh")
        self.gen = os.path.join(build, "tests", "gen", "thresh-gen")
        self.seed, self.modes, self.work, self.made = seed, modes, work, 0
        self.sums = {}  # by mode and pick: right, found and wanted of all rows so far

    def make(self, *dials):
        """A folder of made sites."""
        self.made += 1
        folder = os.path.join(self.work, str(self.made))
        subprocess.run([self.gen, "--out", folder, "--quiet", "--seed", str(self.seed), *dials], check=True)
        return folder

    def find(self, folder, options):
        """The regions of each page of a folder."""
        out = subprocess.run([self.thresh, "regions", "-q", *options, "-f", "pages", "."], cwd=folder, check=True,
                             stdout=subprocess.PIPE, text=True).stdout
        rows = [json.loads(line) for line in out.splitlines()]
        return {os.path.normpath(row["page"]): row["regions"] for row in rows}

    def row(self, title, picks, *dials):
        """One row of a table: a column for each mode."""
        folder = self.make(*dials)
        cells = []
        for name, _, options in self.modes:
            found = self.find(folder, options)
            scores = [score(folder, found, pick) for pick in picks]
            for pick, row in zip(picks, scores):
                self.sums[name, pick] = [a + b for a, b in zip(self.sums.get((name, pick), [0, 0, 0]), row)]
            cells.append(" / ".join("%.3f" % f1(*row) for row in scores))
        print(f"{title}: {', '.join(cells)}", file=sys.stderr, flush=True)
        return f"| {title} | {' | '.join(cells)} |"

    def total(self, picks):
        """The row of all rows so far."""
        cells = [" / ".join("%.3f" % f1(*self.sums[name, pick]) for pick in picks) for name, _, _ in self.modes]
        return f"| all together | {' | '.join(cells)} |"

    def head(self, first):
        return [f"| {first} | {' | '.join(title for _, title, _ in self.modes)} |", "|---" * (len(self.modes) + 1) + "|"]


def tables(bench, sites):
    lines = [f"Record F1, first / best; {sites} sites of 3 pages a family, default noise, seed {bench.seed}.", ""]
    lines += bench.head("family")
    for family, title in FAMILIES:
        lines.append(bench.row(title, ["first", "best"], "--family", family, "--sites", str(sites), "--pages", "3"))
    lines.append(bench.total(["first", "best"]))
    lines += ["", "Record F1, first, as one dial is turned and the others stay; all families, 8 sites of 2 pages each.", ""]
    lines += bench.head("dial")
    some = ["--sites", str(8 * len(FAMILIES)), "--pages", "2"]
    lines.append(bench.row("all at their default", ["first"], *some))
    for dial, values in DIALS:
        for value in values:
            lines.append(bench.row(f"{dial} {value}", ["first"], f"--{dial}", value, *some))
    return "\n".join(lines) + "\n"


def put(path, text):
    """Puts the tables between their marks."""
    first, last = "<!-- generator -->\n", "<!-- end of generator -->\n"
    with open(path, encoding="utf-8") as file:
        old = file.read()
    if first not in old or last not in old:
        sys.exit(f"{path}: has no lines {first.strip()} and {last.strip()}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(old[:old.index(first)] + first + "\n" + text + "\n" + old[old.index(last):])


def main(argv):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("--seed", type=int, default=2003)
    parser.add_argument("--sites", type=int, default=20)
    parser.add_argument("--write")
    parser.add_argument("--only", default="")
    given = parser.parse_args(argv)
    modes = [mode for mode in MODES if not given.only or mode[0] in given.only.split(",")]
    with tempfile.TemporaryDirectory() as work:
        text = tables(Bench(os.path.abspath(given.build), given.seed, modes, work), given.sites)
    if given.write:
        put(given.write, text)
    print(text, end="")


if __name__ == "__main__":
    main(sys.argv[1:])
