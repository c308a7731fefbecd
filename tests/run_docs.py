#!/usr/bin/env python3
"""Runs the examples of the documentation.

    tests/run_docs.py [--update] [--thresh PROGRAM] [FILE.md]...

Every fenced block of kind `console` in README.md and docs/*.md is a shell session: lines `$ command` (continued
by lines `> more`), each followed by what it prints, standard error after standard output. The blocks of a
file run one after the other in one fresh folder that has examples/ in it. A block of kind `console if PROGRAM`
runs only where that program is on PATH. A command must
succeed; to show one that does not, write `$ thresh ... || echo "exit $?"`. tests/transcript.py tells the
wildcards. --update puts what was printed in place of what was claimed.
"""
import argparse
import glob
import os
import re
import shutil
import sys

import transcript

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FENCE = re.compile(r"^( *)(`{3,}|~{3,})\s*(\S*)(?: +if +(\S+))?")


class Step(transcript.Step):
    """A step inside a fenced block, which may be indented in a list."""

    indent = ""

    def indented(self, lines):
        return [(self.indent + line).rstrip() if line == "" else self.indent + line for line in lines]


def parse(lines):
    steps, fence, indent = [], None, ""
    for number, line in enumerate(lines):
        match = FENCE.match(line)
        if fence is None:
            if match:
                indent, fence, kind, needs = match.groups()
                if needs and not shutil.which(needs):
                    kind = "text"
            continue
        if match and match.group(2).startswith(fence) and not match.group(3):
            fence = None
            continue
        if kind != "console":
            continue
        text = line[len(indent):] if line.startswith(indent) else line.lstrip()
        if text.startswith("$ "):
            step = Step(text[2:], number + 1, number + 1, number + 1, [])
            step.indent = indent
            steps.append(step)
        elif text.startswith("> ") and steps and steps[-1].last == number and not steps[-1].claimed:
            steps[-1].command += "\n" + text[2:]
            steps[-1].first = steps[-1].last = number + 1
        elif steps and steps[-1].last == number:
            steps[-1].claimed.append(text)
            steps[-1].last = number + 1
    return steps


def render(out, err, code):
    lines = transcript.to_lines(out) + transcript.to_lines(err)
    return lines + [f"(the command failed with exit code {code})"] if code else lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--update", action="store_true", help="rewrite the claims that do not hold")
    parser.add_argument("--thresh", default=os.path.join(ROOT, "build", "thresh"))
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    files = options.files or ([os.path.join(ROOT, "README.md")] +
                              sorted(glob.glob(os.path.join(ROOT, "docs", "*.md"))))
    if not os.access(options.thresh, os.X_OK):
        sys.exit(f"run_docs: {options.thresh} is not there: build it with make, or give --thresh")
    total, failed = 0, 0
    for path in filter(os.path.exists, files):
        count, complaints = transcript.check_file(path, parse, render, options.update,
                                                  thresh=options.thresh,
                                                  examples=os.path.join(ROOT, "examples"))
        total, failed = total + count, failed + len(complaints)
        print("\n".join(complaints), end="\n" if complaints else "")
    print(f"{total} commands in the documentation, {failed} do not do what it says")
    if total == 0:
        print("skipped: no console block in README.md or docs/*.md")
        return 77
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
