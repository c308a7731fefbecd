#!/usr/bin/env python3
"""Reinduction, section 5: fields that are found again after their markup has changed.

usage: bench/papers/reinduction_section_5.py BUILD

The paper's 21 changed sources are not available. On real sites with one record per page the element of one field at a time
becomes a <font>, then a <div>, or the field moves (bench/repair_fields.py); an eighth of the sites.
"""
import re
import subprocess

import paper

PART = "0/8"


def rows(bench):
    detail = bench.data("detail")
    told = subprocess.run([bench.thresh, "repair", "--help"], capture_output=True, text=True, check=False).stdout
    ways = [("`repair`", [])] + ([("`repair --paper`", ["--paper"])] if "--paper" in told else [])
    used = "5 of 40 sites with details (`detail`), one field changed at a time"
    if len(ways) == 1:
        yield "`repair --paper`", "62 of 77", "not measured: this build has no such option", ""
    for name, options in ways:
        out = paper.script("repair_fields.py", bench.thresh, detail, "-p", PART, *options)
        hit = re.search(r"all\s+(\d+) broken: .*?right (\d+) .*?wrong (\d+) .*?not found (\d+)", out)
        if not hit:
            raise paper.Missing("repair_fields.py gave no such line")
        broken, right, wrong, lost = map(int, hit.groups())
        yield f"{name}: fields found again", "62 of 77 (80.5%)", paper.percent(right, broken), used
        yield f"{name}: another place taken", "8 of 77 had the right cluster lower", paper.percent(wrong, broken), used
        yield f"{name}: reported as not found", "6 of 77", paper.percent(lost, broken), used


if __name__ == "__main__":
    paper.main("Reinduction, section 5", rows)
