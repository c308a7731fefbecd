#!/usr/bin/env python3
"""IEPAD, section 4.2 and figure 11: retrieval on unseen pages with a rule from one page and from two.

usage: bench/papers/iepad_figure_11.py BUILD

As the paper's users do, the pattern is chosen on the first page: the one that is best against the truth.
"""
import os

import paper


def rows(bench):
    lists = bench.data("lists")
    for pages, told in ((1, "96.35%"), (2, "98.65%")):
        with paper.folder() as out:
            paper.script("wrapper_lists.py", bench.thresh, lists, out, "--skip", "2", "--learn", str(pages), "--engine", "iepad",
                         "--paper", "--choose")
            truth, found = (paper.score_lists.read_lines(os.path.join(out, name)) for name in ("truth.jsonl", "wrapper.jsonl"))
            total, sites = paper.score_lists.score_all(truth, found, "first")
            mean = sum(s["tp"] / s["wanted"] for s in sites.values() if s["wanted"]) / len(sites)
            yield (f"retrieval with {pages} page{'s' if pages > 1 else ''}", told,
                   f"{100 * mean:.1f}% mean by site, {100 * total['record_recall']:.1f}% of all records",
                   "the third page of each of 90 sites (`lists`)")


if __name__ == "__main__":
    paper.main("IEPAD, figure 11", rows)
