#!/usr/bin/env python3
"""SoftMealy, table 1 and figure 8: faculty pages that can be wrapped, and how rules grow with separators and tuples.

usage: bench/papers/softmealy_table_1.py BUILD

The thirty pages are made anew with the paper's numbers of tuples, attributes and attribute permutations. R is the number of
disjuncts of a wrapper, SP that of separator classes (edges), NT that of tuples, TI that of labelled ones.
"""
import argparse
import json
import math
import os

import paper
import softmealy_faculty as faculty

SEED = 1


def correlation(pairs):
    n = len(pairs)
    mean = [sum(p[i] for p in pairs) / n for i in (0, 1)]
    spread = [math.sqrt(sum((p[i] - mean[i]) ** 2 for p in pairs)) for i in (0, 1)]
    return sum((a - mean[0]) * (b - mean[1]) for a, b in pairs) / (spread[0] * spread[1]) if all(spread) else 0.0


def rules_of(folder):
    """(disjuncts, separator classes) of the wrapper of a folder."""
    with open(os.path.join(folder, "w.json"), encoding="utf-8") as file:
        edges = json.load(file)["rules"]["edges"]
    return sum(len(group["left"]) + len(group["right"]) for edge in edges for group in edge["rules"]), len(edges)


def measure(bench, as_published):
    args = argparse.Namespace(thresh=bench.thresh, gen=bench.gen, paper=as_published, without=None, pages=False)
    wrapped, found = 0, []
    with paper.folder() as folder:
        faculty.generate(args, folder, "table1", SEED)
        pages = faculty.Bench(args, folder)
        for page, (tuples, _, _, most) in enumerate(faculty.TABLE_1):
            pages.clear()
            wrapped += pages.teach(page, most)
            found.append((*rules_of(folder), tuples, pages.labelled()))
    return wrapped, found


def rows(bench):
    used = f"30 generated faculty pages, seed {SEED}"
    for name, as_published in (("`--paper`", True), ("all switches", False)):
        wrapped, found = measure(bench, as_published)
        yield f"{name}: pages wrapped", "30 of 30", f"{wrapped} of 30", used
        for what, told, i, j in (("R and SP", "0.980", 0, 1), ("R and NT", "-0.031", 0, 2), ("TI and SP", "0.773", 3, 1)):
            yield f"{name}: correlation of {what}", told, f"{correlation([(row[i], row[j]) for row in found]):.3f}", used


if __name__ == "__main__":
    paper.main("SoftMealy, table 1 and figure 8", rows)
