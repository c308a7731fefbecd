#!/usr/bin/env python3
"""Runs the golden files of the command line, tests/cli/*.t.

    tests/cli/run_golden.py [--update] [--thresh PROGRAM] [FILE.t]...

A golden file is prose with a shell session in it:

    A missing file is named, and the others are done.

        $ thresh show missing.html
        ! thresh: missing.html: no such file
        [1]

Lines indented by four blanks belong to the session: `$ command`, continued by `> more`; then what it prints on
standard output; then, each after `! `, the lines of standard error; then the exit code in brackets unless it is 0.
All commands of a file run in one fresh folder that has examples/ in it; $TESTDIR is tests/cli.
tests/transcript.py tells the wildcards. --update puts what was printed in place of what was claimed.
"""
import argparse
import concurrent.futures
import glob
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import transcript  # noqa: E402 (it lies one folder up)

INDENT = "    "


class Step(transcript.Step):
    @staticmethod
    def indented(lines):
        return [INDENT + line if line else "" for line in lines]


def parse(lines):
    steps, blank = [], 0  # blank lines since the last line of the session
    in_session = False
    for number, line in enumerate(lines):
        if line.strip() == "":
            blank += 1
            continue
        if not line.startswith(INDENT):
            in_session, blank = False, 0
            continue
        text = line[len(INDENT):]
        if text.startswith("$ "):
            steps.append(Step(text[2:], number + 1, number + 1, number + 1, []))
            in_session = True
        elif not in_session:
            pass  # an indented line of prose
        elif text.startswith("> ") and not steps[-1].claimed and not blank:
            steps[-1].command += "\n" + text[2:]
            steps[-1].first = steps[-1].last = number + 1
        else:
            # blank lines count as output only when more output follows
            steps[-1].claimed += [""] * blank + [text]
            steps[-1].last = number + 1
        blank = 0
    return steps


def render(out, err, code):
    lines = transcript.to_lines(out) + transcript.to_lines(err, "! ")
    return lines + [f"[{code}]"] if code else lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--update", action="store_true", help="rewrite the claims that do not hold")
    parser.add_argument("--thresh", default=os.path.join(ROOT, "build", "thresh"))
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    files = options.files or sorted(glob.glob(os.path.join(HERE, "*.t")))
    if not os.access(options.thresh, os.X_OK):
        sys.exit(f"run_golden: {options.thresh} is not there: build it with make, or give --thresh")

    def check(path):
        return transcript.check_file(path, parse, render, options.update, thresh=options.thresh,
                                     examples=os.path.join(ROOT, "examples"),
                                     extra={"TESTDIR": HERE})

    total, failed = 0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, (count, complaints) in zip(files, pool.map(check, files)):
            if count == 0:
                complaints = [f"{path}: no command in it\n"]
            total, failed = total + count, failed + len(complaints)
            print("\n".join(complaints), end="\n" if complaints else "")
    print(f"{total} commands in {len(files)} files, {failed} differ")
    if failed and not options.update:
        print("If the new output is right: tests/cli/run_golden.py --update, and look at the diff.")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
