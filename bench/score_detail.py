#!/usr/bin/env python3
"""Scores the attributes that were found on pages with one record each.

usage: bench/score_detail.py TRUTH.jsonl FOUND.jsonl [--columns] [--skip PAGES.txt] [--sites] [--json]

TRUTH has a line per page: {"page": NAME, "site": SITE, "records": [{ATTRIBUTE: [VALUE, ...]}]}.
FOUND has a line per page: {"page": NAME, "record": {COLUMN: CELL}}. A cell is a text, null, or nested; its values are the
texts in it, and names inside of it are joined by dots. Pages are known by their name, or by its last three parts.

--skip      a file with the names of pages that were learnt from: they are not scored.
--columns   the names of columns mean nothing (a template that was learnt without labels): per site each attribute goes
            with the column that agrees best with it, one to one. The three classes of the EXALG paper, section 6, are
            counted too: correct (the same values on every page), partially correct (every true value is part of a value
            of the column on its page), incorrect. Without it a column is the attribute that it is named after.
--sites     prints a line per site before the totals, the worst first.
--json      prints the totals as one JSON object.

Texts are compared by their letters and digits alone, whatever their case. The values of an attribute on a page are a
set. F1 is over the values of an attribute of a site; the mean is over the attributes of a site, then over the sites.
"""
import argparse
import collections
import json

from score_lists import f1, is_data, norm, read_lines

CLASSES = ("correct", "partial", "incorrect")


def columns_of(cell, name=""):
    """{column: {text, ...}} of a record."""
    found = collections.defaultdict(set)
    if isinstance(cell, dict):
        parts = [(value, f"{name}.{key}" if name else key) for key, value in cell.items() if is_data(key)]
    elif isinstance(cell, (list, tuple)):
        parts = [(value, name) for value in cell]
    else:
        parts = []
        if cell is not None and norm(str(cell)):
            found[name].add(norm(str(cell)))
    for value, column in parts:
        for inner, texts in columns_of(value, column).items():
            found[inner] |= texts
    return found


def agreement(pages, attribute, column):
    """(precision, recall, F1) of a column's values for an attribute; pages are pairs (true, found) of {name: texts}."""
    pairs = [(true.get(attribute, set()), found.get(column, set())) for true, found in pages]
    return f1(sum(len(t & f) for t, f in pairs), sum(len(f) for _, f in pairs), sum(len(t) for t, _ in pairs))


def verdict(pages, attribute, column):
    """The EXALG paper's class of an attribute, if it goes with a column."""
    pairs = [(true.get(attribute, set()), found.get(column, set())) for true, found in pages]
    if all(t == f for t, f in pairs):
        return "correct"
    return "partial" if all(any(value in text for text in f) for t, f in pairs for value in t) else "incorrect"


def map_columns(pages, attributes):
    """The column that each attribute goes with, one to one, those that agree best first."""
    columns = sorted({column for _, found in pages for column in found})
    ranked = sorted(((agreement(pages, a, c)[2], a, c) for a in attributes for c in columns), reverse=True)
    mapping, used = {}, set()
    for score, attribute, column in ranked:
        if score > 0 and attribute not in mapping and column not in used:
            mapping[attribute] = column
            used.add(column)
    return mapping


def classify(pages, attribute, column):
    """The class of an attribute: its own column decides, and any column may hold its values in part."""
    kind = verdict(pages, attribute, column) if column is not None else "incorrect"
    columns = {c for _, found in pages for c in found}
    if kind == "incorrect" and any(verdict(pages, attribute, c) == "partial" for c in columns):
        return "partial"
    return kind


def tail(name):
    return "/".join(name.split("/")[-3:])


def read_sites(truth, found, skip):
    """{site: [(true, found), ...]}, a pair per page that is scored."""
    records = {row.get("page") or row["file"]: row.get("record") or {} for row in found}
    by_tail = {tail(name): name for name in records}
    sites = collections.defaultdict(list)
    for row in truth:
        if row["page"] in skip:
            continue
        name = row["page"] if row["page"] in records else by_tail.get(tail(row["page"]))
        true = {attribute: {norm(v) for v in values if norm(v)} for attribute, values in row["records"][0].items()}
        sites[row["site"]].append((true, columns_of(records.get(name, {}))))
    return sites


def score_all(sites, by_column):
    """(totals for --json, {site: {attribute: (precision, recall, F1)}})"""
    table, classes = {}, collections.Counter()
    for site, pages in sorted(sites.items()):
        attributes = sorted({a for true, _ in pages for a, values in true.items() if values})
        mapping = map_columns(pages, attributes) if by_column else {a: a for a in attributes}
        if by_column:
            classes.update(classify(pages, a, mapping.get(a)) for a in attributes)
        table[site] = {a: agreement(pages, a, mapping.get(a, "")) for a in attributes}
    scores = [score[2] for row in table.values() for score in row.values()]
    means = [site_mean(row) for row in table.values() if row]
    return {"sites": len(means), "pages": sum(map(len, sites.values())), "f1": sum(means) / max(1, len(means)),
            "perfect_attributes": scores.count(1) / max(1, len(scores)), "attributes": len(scores), **classes}, table


def site_mean(row):
    return sum(score[2] for score in row.values()) / len(row)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("truth")
    parser.add_argument("found")
    parser.add_argument("--columns", action="store_true")
    parser.add_argument("--skip")
    parser.add_argument("--sites", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    skip = set()
    if given.skip:
        with open(given.skip, encoding="utf-8") as file:
            skip = set(file.read().split())
    sites = read_sites(read_lines(given.truth), read_lines(given.found), skip)
    out, table = score_all(sites, given.columns)
    if given.sites:
        for site in sorted((s for s in table if table[s]), key=lambda s: site_mean(table[s])):
            print("%-28s F1 %.3f   %s" % (site, site_mean(table[site]), "  ".join(
                "%s %.2f" % (a, score[2]) for a, score in sorted(table[site].items()))))
    if given.json:
        print(json.dumps({name: round(value, 4) if isinstance(value, float) else value for name, value in out.items()}))
        return
    print("sites %(sites)d, pages %(pages)d, attributes %(attributes)d: mean F1 %(f1).3f" % out +
          ", perfect attributes %.1f%%" % (100 * out["perfect_attributes"]))
    if given.columns:
        print("EXALG classes: " + ", ".join("%s %d" % (name, out.get(name, 0)) for name in CLASSES))


if __name__ == "__main__":
    main()
