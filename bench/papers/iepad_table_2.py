#!/usr/bin/env python3
"""IEPAD, table 2: tokens of a page by encoding scheme.

usage: bench/papers/iepad_table_2.py BUILD

The search engines' pages of the paper are not available; search results of 2017 stand in.
"""
import json
import os
import subprocess

import paper

PAPER = {"all-tag": "1023 (4.0%)", "no-physical": "839 (3.0%)", "no-special": "835 (3.0%)", "block-level": "639 (2.0%)"}


def rows(bench):
    folder = bench.data("lists")
    names = [row["page"] for row in paper.score_lists.read_lines(os.path.join(folder, "truth.jsonl"))]
    if not os.path.exists(bench.driver):
        raise paper.Missing("papers_driver is not built")
    size, counts, lines = 0, {}, ""
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            text = file.read()
        size += len(text)
        lines += json.dumps({"task": "encode", "html": text.decode("utf-8", "replace").replace("\0", "")}) + "\n"
    run = subprocess.run([bench.driver], input=lines, capture_output=True, text=True, check=False)
    if run.returncode:
        raise paper.Missing(run.stderr.strip()[-200:])
    for answer in map(json.loads, run.stdout.splitlines()):
        for scheme, tokens in answer["tokens"].items():
            counts[scheme] = counts.get(scheme, 0) + tokens
    yield "bytes of a page, mean", "28 K", f"{size / len(names) / 1000:.0f} K", paper.LISTS
    for scheme, told in PAPER.items():
        yield (f"{scheme}: tokens, mean, and share of the bytes", told,
               f"{counts[scheme] / len(names):.0f} ({100 * counts[scheme] / size:.1f}%)", paper.LISTS)


if __name__ == "__main__":
    paper.main("IEPAD, table 2", rows)
