#!/usr/bin/env python3
"""Verification, section 4: changes that are noticed, and false alarms.

usage: bench/papers/verification_section_4.py BUILD

The paper's 27 wrappers and their months of pages are not available. Court listings, old and new, and generated sites that change in
six ways, or in their content alone, stand in. A change is a wrapper that loses records or a column.
"""
import os
import subprocess

import paper
import verify

KINDS = ["rename", "wrap", "reorder", "delete", "restyle", "redesign", "content"]
SITES, SEED = 6, 90030


def measure(bench, scratch, jobs_of, *folders):
    jobs, one = jobs_of(verify.Bench(bench.thresh, scratch), *folders)
    rows = [row for row in map(one, jobs) if row and row["old"] >= 0.5]
    changed = [row for row in rows if row["lost"]]
    fine = [row for row in rows if not row["lost"]]
    return (paper.percent(sum(row["alarm"] for row in changed), len(changed)),
            paper.percent(sum(row["alarm"] for row in fine), len(fine)))


def rows(bench):
    verify.sys.argv = ["verify.py", "-n"]  # no repairs
    told = subprocess.run([bench.thresh, "verify", "--help"], capture_output=True, text=True, check=False).stdout
    ways = [("`verify`", [])] + ([("`verify --paper`", ["--paper"])] if "--paper" in told else [])
    if len(ways) == 1:
        yield "`verify --paper`", "35 of 37 and 40 of 406", "not measured: this build has no such option", ""
    for name, verify.PAPER in ways:
        with paper.folder() as scratch:
            folders = []
            for kind in KINDS:
                folders.append(os.path.join(scratch, kind))
                paper.run(bench.gen, "--quiet", "--out", folders[-1], "--sites", str(SITES), "--change", kind, "--seed", str(SEED))
            for pages, found in ((f"{SITES} generated sites for each of {len(KINDS)} kinds of change, seed {SEED}",
                                  measure(bench, scratch, verify.generator, folders)),
                                 ("119 pairs of court listings (`versions`)",
                                  measure(bench, scratch, verify.versions, bench.data("versions")))):
                yield f"{name}: changes noticed", "35 of 37 (94.6%)", found[0], pages
                yield f"{name}: false alarms", "40 of 406 (9.9%)", found[1], pages


if __name__ == "__main__":
    paper.main("Verification, section 4", rows)
