#!/usr/bin/env python3
"""Runs the scripts of this folder, one for each published table or figure, and writes what they say into docs/RESULTS.md.

usage: bench/papers/run.py BUILD [--only NAME,...] [--write FILE]
       make papers

Each script is a program of its own: one that cannot be run is reported in its place, and the others go on. --write puts the
sections between the marks of FILE; without it they are printed. With --only the other sections of FILE stay as they are.
"""
import argparse
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MARKS = "<!-- papers: made by bench/papers/run.py -->", "<!-- papers end -->"
SCRIPTS = ["mdr_table_1", "iepad_table_2", "iepad_table_3", "iepad_figure_11", "exalg_table_2", "softmealy_table_1",
           "softmealy_figure_9", "stalker_section_2", "verification_section_4", "reinduction_section_5"]
HEAD = """## The papers' tables and figures

`make papers` writes this part: the paper's number, ours, and the pages that ours are from. The papers' pages
are not available, so this is re-implemented, not reproduced: the comment at the top of each script in `bench/papers` says which pages are used instead. The
worked examples and figures whose pages are printed are tests (`tests/papers`); the inner steps are compared with
slow programs on random inputs ([TESTING.md](TESTING.md)). Rows named `--paper` are as published, with the errata mended and what the papers leave open decided."""


def section(name, build):
    run = subprocess.run([sys.executable, os.path.join(HERE, name + ".py"), build], capture_output=True, text=True, check=False)
    body = run.stdout.strip()
    if run.returncode:
        why = (run.stderr.strip().splitlines() or ["it failed"])[-1]
        body = f"### {name.replace('_', ' ')}\n\n{why if why.startswith('not measured') else 'not measured: ' + why}"
    return f"<!-- {name} -->\n{body}"


def put(path, sections):
    """Writes the sections between the marks; those that were not made anew stay."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    begin, end = (text.find(mark) for mark in MARKS)
    if begin < 0 or end < begin:
        text, begin, end = text.rstrip("\n") + "\n\n", None, None
        old, before, after = "", text, "\n"
    else:
        old, before, after = text[begin:end], text[:begin], text[end + len(MARKS[1]):]
    kept = {name: part for name, part in re.findall(r"(?s)<!-- (\w+) -->\n(.*?)(?=\n\n<!--|\Z)", old)}
    for name in SCRIPTS:
        if name not in sections and name in kept:
            sections[name] = f"<!-- {name} -->\n{kept[name].rstrip()}"
    parts = [MARKS[0], HEAD, *[sections[name] for name in SCRIPTS if name in sections], MARKS[1]]
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + "\n\n".join(parts) + after)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("--only", default=",".join(SCRIPTS))
    parser.add_argument("--write")
    given = parser.parse_args()
    sections = {}
    for name in given.only.split(","):
        sections[name] = section(name, given.build)
        print(sections[name] + "\n", flush=True)
    if given.write:
        put(given.write, sections)


if __name__ == "__main__":
    main()
