#!/usr/bin/env python3
"""SoftMealy, section 4.2 and figure 9: tuples of an unseen page that are right, page by page of those learnt from.

usage: bench/papers/softmealy_figure_9.py BUILD

The paper's directory is not to be had. Ten generated pages with 85 tuples, and one with 69 in 17 orders of which ten are on no
other page, stand in.
"""
import argparse

import paper
import softmealy_faculty as faculty

SEED = 1


def curve(bench, as_published):
    """Right tuples of the test page after each page that was learnt from, and the labels that it took."""
    args = argparse.Namespace(thresh=bench.thresh, gen=bench.gen, paper=as_published, without=None, pages=False)
    with paper.folder() as folder:
        faculty.generate(args, folder, "unseen", SEED)
        pages = faculty.Bench(args, folder)
        order = sorted(range(len(pages.truth)), key=lambda p: len(pages.truth[p]["data"]))
        test, right = order.pop(), []
        for page in order:
            pages.teach(page, 10 ** 6)
            right.append(pages.compare(test)[1])
        return right, pages.labelled(), len(pages.truth[test]["data"])


def rows(bench):
    used = f"11 generated pages, seed {SEED}"
    for name, as_published in (("`--paper`", True), ("all switches", False)):
        right, labelled, tuples = curve(bench, as_published)
        yield f"{name}: unseen tuples right after ten pages", "60 of 69 (87.0%)", paper.percent(right[-1], tuples), used
        yield f"{name}: after 1, 2, ... 10 pages", "figure 9, lost", ", ".join(map(str, right)), used
        yield f"{name}: tuples labelled", "15", labelled, used


if __name__ == "__main__":
    paper.main("SoftMealy, figure 9", rows)
