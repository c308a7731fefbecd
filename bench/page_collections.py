#!/usr/bin/env python3
"""Collections of pages as in table 2 of the EXALG paper, made by the generator, and the paper's three classes.

usage: bench/page_collections.py THRESH GENERATOR [--count N] [--seed S] [--curves] [--curve-count N] [--keep FOLDER]
                            [--engine E] [--paper] [--worst N] [--write RESULTS.md]
       bench/page_collections.py --self-test GENERATOR

N collections (200) take the sizes of the paper's nine in turn, 10 to 50 pages with 2 to 35 leaf attributes, and the
generator's families for details in turn; everything else is at its default. A template is learnt from all pages of a
collection without labels and run on the same pages. Each leaf attribute of the true schema is then (section 6)

    correct     some column has, on every page, the same set of values
    partial     some column has, on every page, a value that holds each true one
    incorrect   neither

Links and images are left out, as in the paper; texts are compared by their letters and digits. --curves turns one dial
after the other, with --curve-count collections (45) for each point. --write puts the tables between the marks of a
Markdown file. --worst tells the attributes that are incorrect, of N collections. --self-test holds the counting
against answers that are known: the truth, the whole text of the page as one value, and nothing.
"""
import collections
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SIZES = [(21, 13), (19, 5), (10, 7), (20, 6), (20, 9), (20, 2), (50, 22), (50, 29), (32, 35)]  # pages, attributes
FAMILIES = ["table", "dl", "br", "utility", "cards", "microdata", "detail"]
DIALS = [("noise", "0 0.1 0.3 0.6"), ("optionals", "0 0.3 0.6"), ("optional", "0.1 0.25 0.5"),
         ("choices", "0 0.15 0.4"), ("rare", "0.05 0.1 0.3"), ("empties", "0 0.03 0.1"),
         ("template-words", "0 0.05 0.2"), ("chrome", "0 0.7 1"), ("permute", "0 0.2"), ("depth", "0 1 2")]
CLASSES = ["correct", "partial", "incorrect"]
MARKS = "<!-- collections: made by bench/page_collections.py -->", "<!-- collections end -->"
OPTIONS = {"--count": 1, "--seed": 1, "--curves": 0, "--curve-count": 1, "--keep": 1, "--engine": 1, "--paper": 0,
           "--worst": 1, "--write": 1, "--self-test": 0}


# ---- making collections

def make(generator, folder, index, seed, dials):
    """Collection number `index`; gives its truth, a row a page."""
    pages, attributes = SIZES[index % len(SIZES)]
    words = [word for name, value in dials.items() for word in (f"--{name}", value)]
    depth = [] if "depth" in dials else ["--depth", "0..1"]
    subprocess.run([generator, "--quiet", "--out", folder, "--kind", "detail", "--sites", "1", "--pages", str(pages),
                    "--attrs", str(attributes), "--family", FAMILIES[index % len(FAMILIES)],
                    "--seed", str(seed + index), *depth, *words], check=True)
    with open(os.path.join(folder, "truth.jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def places(node, around=""):
    """Where each leaf attribute stands in the schema: by path, the constructors around it, outermost first."""
    if node["type"] == "field":
        if not node.get("attribute"):
            yield node["path"], around or "plain"
        return
    inner = {"list": "set", "optional": "optional", "choice": "choice"}.get(node["type"])
    for item in node["of"]:
        yield from places(item, f"{around} {inner}".strip() if inner else around)


# ---- predictors: from a folder and its truth to records by page

def by_thresh(thresh, engine, paper):
    def predict(folder, rows):
        wrapper = os.path.join(folder, "wrapper.json")
        names = [row["page"] for row in rows]
        flags = ["--engine", engine] + (["--paper"] if paper else [])
        done = subprocess.run([thresh, "learn", "-q", *flags, "-o", wrapper, *names],
                              cwd=folder, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            print(f"{folder}: {done.stderr.strip()}", file=sys.stderr)
            return {}
        done = subprocess.run([thresh, "extract", "-q", "-w", wrapper, "-f", "pages", *names],
                              cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        return {row["page"]: row.get("record") or {"": row.get("records")} for row in found}
    return predict


def by_truth(_, rows):
    return {row["page"]: row["records"][0] for row in rows}


def by_text(folder, rows):
    out = {}
    for row in rows:
        with open(os.path.join(folder, row["page"]), encoding="utf-8") as file:
            out[row["page"]] = {"text": html.unescape(re.sub(r"<[^>]*>", "", file.read()))}
    return out


def by_nothing(*_):
    return {}


# ---- the three classes

def norm(text):
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def columns_of(value, name="", out=None):
    """The sets of values of a record's columns."""
    out = collections.defaultdict(set) if out is None else out
    if isinstance(value, dict):
        for key, item in value.items():
            columns_of(item, f"{name}.{key}" if name else key, out)
    elif isinstance(value, list):
        for item in value:
            columns_of(item, name, out)
    elif value is not None and norm(str(value)):
        out[name].add(norm(str(value)))
    return out


def classify(rows, predicted):
    """The class of each attribute that has a value somewhere: {path: class}."""
    pages = [({path: {norm(v) for v in values} - {""} for path, values in row["records"][0].items()},
              columns_of(predicted.get(row["page"], {}))) for row in rows]
    columns = {column for _, found in pages for column in found}
    out = {}
    for path in sorted({path for true, _ in pages for path, values in true.items() if values}):
        if any(all(true.get(path, set()) == found.get(c, set()) for true, found in pages) for c in columns):
            out[path] = "correct"
        elif any(all(any(v in w for w in found.get(c, ())) for true, found in pages for v in true.get(path, ()))
                 for c in columns):
            out[path] = "partial"
        else:
            out[path] = "incorrect"
    return out


def measure(generator, predict, count, seed, dials, keep=None, told=None):
    """Counts by class, and by kind of place and family."""
    total, by_kind, by_family = (collections.Counter(), collections.defaultdict(collections.Counter),
                                 collections.defaultdict(collections.Counter))
    for index in range(count):
        folder = os.path.join(keep, f"{index:03d}") if keep else tempfile.mkdtemp()
        os.makedirs(folder, exist_ok=True)
        rows = make(generator, folder, index, seed, dials)
        kinds = dict(places(rows[0]["schema"]))
        for path, verdict in classify(rows, predict(folder, rows)).items():
            total[verdict] += 1
            by_kind[kinds.get(path, "?")][verdict] += 1
            by_family[rows[0]["family"]][verdict] += 1
            if told and verdict != "correct":
                told(index, rows[0], path, kinds.get(path, "?"), verdict)
        if not keep:
            shutil.rmtree(folder)
    return total, by_kind, by_family


# ---- tables

def cells(counts):
    every = max(sum(counts.values()), 1)
    return " | ".join([str(sum(counts.values()))] + [f"{counts[c]} ({counts[c] / every:.1%})" for c in CLASSES])


def table(head, rows):
    lines = [f"| {head} | attributes | correct | partially correct | incorrect |", "|---|---|---|---|---|"]
    return lines + [f"| {name} | {cells(counts)} |" for name, counts in rows]


def write(path, lines):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    begin, end = (text.find(mark) for mark in MARKS)
    if begin < 0 or end < begin:
        sys.exit(f"{path}: the marks {MARKS[0]} and {MARKS[1]} are not there")
    text = text[:begin] + "\n".join([MARKS[0], ""] + lines + ["", ""]) + text[end:]
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def self_test(generator):
    for predict, wanted in (by_truth, "correct"), (by_text, "partial"), (by_nothing, "incorrect"):
        # Markup and odd characters in values are another matter than counting.
        total, _, _ = measure(generator, predict, 14, 1, {"noise": "0"})
        print(wanted, dict(total))
        if set(total) != {wanted} or total[wanted] < 100:
            sys.exit(f"not all attributes are {wanted}")


def main(argv):
    words, given = [], {}
    rest = iter(argv)
    for word in rest:
        if word in OPTIONS:
            given[word] = next(rest) if OPTIONS[word] else True
        else:
            words.append(word)
    if "--self-test" in given and len(words) == 1:
        return self_test(words[0])
    if len(words) != 2:
        sys.exit(__doc__)
    thresh, generator = os.path.abspath(words[0]), os.path.abspath(words[1])
    predict = by_thresh(thresh, given.get("--engine", "template"), "--paper" in given)
    count, seed = int(given.get("--count", 200)), int(given.get("--seed", 1))
    worst = int(given.get("--worst", 0))

    def told(index, row, path, kind, verdict):
        if index < worst and verdict == "incorrect":
            print(f"{index:03d} {row['family']}: {path} ({kind}): {verdict}", file=sys.stderr)

    total, by_kind, by_family = measure(generator, predict, count, seed, {}, given.get("--keep"), told)
    lines = table(f"{count} collections, seed {seed}", [("all", total)] +
                  [("family " + name, by_family[name]) for name in sorted(by_family)] +
                  [("in the schema: " + name, by_kind[name]) for name in sorted(by_kind)])
    if "--curves" in given:
        points = int(given.get("--curve-count", 45))
        rows = [(f"{dial} {value}", measure(generator, predict, points, seed + 100000, {dial: value})[0])
                for dial, values in DIALS for value in values.split()]
        lines += [""] + table(f"one dial, {points} collections a point", rows)
    print("\n".join(lines))
    if "--write" in given:
        write(given["--write"], lines)
    return None


if __name__ == "__main__":
    main(sys.argv[1:])
