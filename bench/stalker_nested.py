#!/usr/bin/env python3
"""Nested lists as the STALKER paper has them: how many sites come out perfect with landmark rules alone?

usage: bench/stalker_nested.py THRESH [--deep 2,3] [--sites 12,14] [--seed 1] [--labelled 5] [--extents] [--only N] [-v]

Makes small sites of ten pages in the manner of the year 2000: a page has a few fields of its own and a list, whose items
have fields and, down to the depth asked for, a list again; list and fields are marked up by tables, ul, dl, p, br or div, with
captions or without. Each site draws its markup, how many fields there are, and which of them may be missing. The first
five pages are labelled; with --extents the labels also tell where each list begins and ends. `thresh learn --engine stalker
--paper` learns from all pages, and a site is perfect if every value of the ten pages comes out, nested, and nothing else.
With -v the pages that are wrong are shown.
"""
import argparse
import json
import os
import random
import subprocess
import tempfile

PAGES = 10
WORDS = "Amber Birch Cedar Delta Ember Fjord Grove Haven Islet Jetty Kiosk Lemon Mango North Olive Pearl Quill River Stone Tulip".split()
STREETS = "Oak Blvd.|Pico St.|Main St.|Adams Blvd.|Elm Road".split("|")

# Of a level: what stands before the list, around an item, and after the list.
LISTS = [("<ul>", "<li>", "</li>", "</ul>"), ("<ol>", "<li>", "", "</ol>"), ("<table>", "<tr><td>", "</td></tr>", "</table>"),
         ("<dl>", "<dt>", "</dt>", "</dl>"), ("", "<p>", "</p>", "<hr>"), ("<blockquote>", "", "<br>", "</blockquote>"),
         ("<div>", "<div>", "</div>", "</div>"), ("<table border=1>", "<tr><td>", "", "</table>")]
FIELDS = [("<b>", "</b>"), ("<i>", "</i>"), ("<font color=red>", "</font>"), ("<u>", "</u>"), ("<tt>", "</tt>"), ("<em>", "</em>"),
          ("<span>", "</span>")]
KINDS = {
    "name": lambda r: "%s %s" % (r.choice(WORDS), r.choice(WORDS)),
    "phone": lambda r: "(%d) %d-%d" % (r.randrange(200, 990), r.randrange(200, 990), r.randrange(1000, 9999)),
    "price": lambda r: "$%d.%d" % (r.randrange(1, 99), r.randrange(10, 99)),
    "street": lambda r: "%d %s" % (r.randrange(1, 990), r.choice(STREETS)),
    "year": lambda r: str(r.randrange(1950, 2000)),
    "title": lambda r: "The %s of %s" % (r.choice(WORDS), r.choice(WORDS)),
}


class Level:
    """A level of a site: its fields with their markup, and the list in it."""

    def __init__(self, rng, depth, taken):
        kinds = rng.sample(sorted(KINDS), rng.randrange(2, 4))
        marks = rng.sample(FIELDS, len(kinds))
        self.fields = []
        for n, (kind, mark) in enumerate(zip(kinds, marks)):
            caption = "%s: " % kind.capitalize() if rng.random() < 0.6 else ""
            self.fields.append((kind, caption, mark, n > 0 and rng.random() < 0.2))
        self.between = rng.choice([" ", "<br>", ", ", " - "])
        self.below, self.name = None, None
        if depth:
            left = [one for one in LISTS if one not in taken]
            self.list = rng.choice(left)
            self.heading = rng.choice(["", "<h3>List</h3>", "<b>Found:</b> "])
            self.name = "list%d" % depth
            self.below = Level(rng, depth - 1, taken + [self.list])

    def write(self, rng, out):
        """Adds the markup of one item to `out`; returns its record with spans."""
        record, first = {}, True
        for kind, caption, mark, optional in self.fields:
            if optional and rng.random() < 0.3:
                continue
            out.add(("" if first else self.between) + caption + mark[0])
            record[kind] = out.value(KINDS[kind](rng))
            out.add(mark[1])
            first = False
        if self.below:
            opening, before, behind, closing = self.list
            out.add(self.heading + opening)
            start, items = out.len, []
            for _ in range(rng.choice([1, 2, 2, 3, 4])):
                out.add(before)
                items.append(self.below.write(rng, out))
                out.add(behind)
            record[self.name] = {"extent": {"start": start, "end": out.len}, "items": items}
            out.add(closing)
        return record


class Out:
    def __init__(self):
        self.parts, self.len = [], 0

    def add(self, text):
        self.parts.append(text)
        self.len += len(text)

    def value(self, text):
        self.add(text)
        return {"start": self.len - len(text), "end": self.len, "text": text}


def plain(value, extents):
    """A record with its lists as arrays, or as extents and items."""
    if isinstance(value, dict) and "items" in value:
        items = [plain(item, extents) for item in value["items"]]
        return {"extent": value["extent"], "items": items} if extents else items
    if isinstance(value, dict) and "text" in value:
        return {"start": value["start"], "end": value["end"]} if extents is not None else value["text"]
    return {key: plain(member, extents) for key, member in value.items()}


def clean(value):
    if isinstance(value, dict):
        kept = {key: clean(member) for key, member in value.items()}
        return {key: member for key, member in kept.items() if member not in (None, [], {})}
    if isinstance(value, list):
        return [clean(item) for item in value]
    return value


def make_site(rng, deep, folder):
    level, rows = Level(rng, deep, []), []
    title = rng.choice(["Guide", "Catalog", "Directory"])
    for n in range(PAGES):
        out = Out()
        out.add("<html><head><title>%s</title></head><body><h1>%s</h1><a href=/>Home</a> <a href=/help>Help</a><hr>" % (title, title))
        record = level.write(rng, out)
        out.add("<hr><a href=/copyright>Copyright</a> <i>%s</i></body></html>" % title)
        name = "p%d.html" % n
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("".join(out.parts))
        rows.append((name, record))
    return rows


def trial(args, rows, folder, verbose):
    names = [name for name, _ in rows]
    with open(os.path.join(folder, "l.jsonl"), "w", encoding="utf-8") as file:
        for name, record in rows[:args.labelled]:
            file.write(json.dumps({"page": name, "record": plain(record, args.extents)}) + "\n")
    done = subprocess.run([args.thresh, "learn", "-q", "--engine", "stalker", "--paper", "--labels", "l.jsonl", "-o", "w.json", *names],
                          cwd=folder, capture_output=True, text=True, check=False)
    if verbose and done.returncode:
        print(done.stderr)
    out = subprocess.run([args.thresh, "extract", "-q", "-w", "w.json", "-f", "pages", *names], cwd=folder, capture_output=True,
                         text=True, check=False).stdout
    found = {}
    for row in map(json.loads, out.splitlines()):
        found[row["page"]] = row.get("record") or (row.get("records") or [{}])[0]
    wrong = 0
    for name, record in rows:
        true, got = plain(record, None), clean(found.get(name) or {})
        if true != got:
            wrong += 1
            if verbose and wrong == 1:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    print("%s\n  page %s\n  true %s\n  got  %s" % (name, file.read(), json.dumps(true), json.dumps(got)))
    if verbose and wrong:
        print(subprocess.run([args.thresh, "show", "-q", "w.json"], cwd=folder, capture_output=True, text=True, check=False).stdout)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("thresh")
    parser.add_argument("--deep", default="2,3")
    parser.add_argument("--sites", default="12,14")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--labelled", type=int, default=5)
    parser.add_argument("--extents", action="store_true")
    parser.add_argument("--only", type=int, default=-1)
    parser.add_argument("-v", action="store_true", dest="verbose")
    args = parser.parse_args()
    args.thresh = os.path.abspath(args.thresh)
    for deep, sites in zip(args.deep.split(","), args.sites.split(",")):
        perfect, pages, bad = 0, 0, []
        for n in range(int(sites)):
            with tempfile.TemporaryDirectory() as folder:
                rows = make_site(random.Random("%d %s %d" % (args.seed, deep, n)), int(deep), folder)
                if args.only >= 0 and n != args.only:
                    continue
                wrong = trial(args, rows, folder, args.verbose)
            perfect += not wrong
            pages += PAGES - wrong
            bad += ["%d (%d)" % (n, wrong)] * (wrong > 0)
        print("%s deep: %d of %s sites perfect, %d of %d pages; others: %s" % (
            deep, perfect, sites, pages, PAGES * int(sites), ", ".join(bad) or "none"), flush=True)


if __name__ == "__main__":
    main()
