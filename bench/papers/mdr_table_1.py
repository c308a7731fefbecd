#!/usr/bin/env python3
"""MDR, table 1: records found on list pages, all regions of a page counted (navigation aside), and the time per page.

usage: bench/papers/mdr_table_1.py BUILD

The paper's 46 pages are not available. Records of table and form tags, as there, are those of generated pages of the families
table, rows and columns; of the search results, which are younger, few are made so: every tag is taken there.
"""
import os
import time

import paper

FAMILIES = ["table", "rows", "columns"]


def measured(truth, found):
    """The region of each page that is best against the truth."""
    out, sites = paper.score_lists.score_all(truth, found, "best")
    right, there, taken = (sum(s[key] for s in sites.values()) for key in ("tp", "wanted", "found"))
    return f"recall {paper.percent(right, there)}, precision {paper.percent(right, taken)}", out


def rows(bench):
    told = "recall 620 of 621 (99.8%), precision 620 of 620 (100%)"
    for family in FAMILIES:
        with paper.folder() as scratch:
            folder = bench.made(os.path.join(scratch, "made"), "--kind", "list", "--family", family, "--sites", 23, "--pages", 2,
                                "--seed", 2003)
            begun = time.time()
            truth, found = bench.regions(folder, "--engine", "mdr", "--paper")
            seconds = (time.time() - begun) / len(truth)
            yield f"`--paper`, generated {family}", told, measured(truth, found)[0], f"46, seed 2003, family {family}"
    lists = bench.data("lists")
    program = [os.path.join(os.path.dirname(bench.thresh), "bench", "lists_mdr"), "--paper", "--with", "every_tag"]
    yield "as published, every tag", told, measured(*bench.regions(lists, program=program))[0], paper.LISTS
    yield "all our switches", told, measured(*bench.regions(lists, "--engine", "mdr"))[0], paper.LISTS
    yield "seconds per page", "below 0.5", f"{seconds:.4f}", f"generated {FAMILIES[-1]}, the program's start included"


if __name__ == "__main__":
    paper.main("MDR, table 1", rows)
