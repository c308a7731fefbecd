#!/usr/bin/env python3
"""IEPAD, tables 1 and 3: how many patterns a page has with the fixed thresholds, and what the best of them finds.

usage: bench/papers/iepad_table_3.py BUILD

Retrieval is recall of records, accuracy precision. The paper's 14 sources are not available; search results of 2017 stand in.
"""
import statistics

import paper


def rows(bench):
    (truth, found), shown = bench.all_regions(bench.data("lists"), "--engine", "iepad", "--paper")
    used = f"{paper.LISTS}, {shown} patterns of a page"
    counts = [len(row.get("regions", [])) for row in found]
    out, sites = paper.score_lists.score_all(truth, found, "best")
    perfect = round(out["perfect_pages"] * len(truth))
    yield "patterns of a page, mean", "4.5 (1 to 9) maximal repeats", f"{statistics.mean(counts):.1f} ({min(counts)} to {max(counts)})", used
    yield "retrieval, best pattern", "100%", f"{100 * out['record_recall']:.1f}%", used
    yield "accuracy, best pattern", "100%", f"{100 * out['record_precision']:.1f}%", used
    yield "F1 of records, best pattern", "1", f"{out['record_f1']:.3f}, mean by site {out['record_f1_by_site']:.3f}", used
    yield "pages with 100% of both", "14 of 14 sources", paper.percent(perfect, len(truth)), used


if __name__ == "__main__":
    paper.main("IEPAD, table 3", rows)
