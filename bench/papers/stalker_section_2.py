#!/usr/bin/env python3
"""STALKER, sections 2 and 3: rules from ten labels that are perfect, and co-testing on those that are not.

usage: bench/papers/stalker_section_2.py BUILD

The paper's 28 sources are not available; every fourth of the real sites with one record per page stands in, a task per attribute
(bench/stalker_rules.py takes all).
"""
import os
import re

import paper


def rows(bench):
    truth = os.path.join(bench.data("detail"), "truth.jsonl")
    sites = sorted({row["site"] for row in paper.score_lists.read_lines(truth)})[::4]
    out = paper.script("stalker_rules.py", bench.thresh, truth, "--sites", ",".join(sites))
    found = {}
    for line in out.splitlines():
        hit = re.match(r"(.*): (\d+) rules, (\d+) perfect, another (\d+) at 90% or more, (\d+) below; mean accuracy ([\d.]+)%", line)
        if hit:
            found[hit.group(1)] = [float(x) if "." in x else int(x) for x in hit.groups()[1:]]
    used = f"{len(sites)} of the sites with details (`detail`), the other 14 pages of each"
    every, hard, asked = (next((v for k, v in found.items() if part in k), None)
                          for part in ("labels at random", "hard tasks, at random", "co-testing"))
    if not (every and hard and asked):
        raise paper.Missing("stalker_rules.py gave no such lines")
    yield "rules with ten labels: perfect", "182 of 206 (88.3%)", paper.percent(every[1], every[0]), used
    yield "another, at 90% or more", "18 of 206 (8.7%)", paper.percent(every[2], every[0]), used
    yield "hard tasks: mean accuracy at random", "85.7% of 24", f"{hard[4]:.1f}% of {hard[0]}", used
    yield "the same with co-testing", "94.2%", f"{asked[4]:.1f}%", used
    yield "hard tasks with co-testing: perfect, at 90% or more", "10 and 11 of 24", f"{asked[1]} and {asked[2]} of {asked[0]}", used


if __name__ == "__main__":
    paper.main("STALKER and co-testing, sections 2 and 3", rows)
