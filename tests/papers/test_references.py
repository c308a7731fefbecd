#!/usr/bin/env python3
"""Compares the engines of the papers with reference/*.py on random inputs.

usage: test_references.py DRIVER [--count N] [--seed S] [--jobs N] [--only NAME,...] [--show N]

DRIVER is papers_driver, which runs the steps of the engines. For each check N inputs (1,000) are made from the seed (1), and
the driver's answer is compared with that of the reference, a slow and plain program that was written from the
paper. A difference fails the test, unless it is of a kind that is named and argued in DIFFERENCES. --show prints the first
N inputs that differ; --jobs compares with so many processes.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference"))

import compare  # noqa: E402

CHUNK = 500  # inputs that a process compares at a time


def run_chunk(driver, name, seed, first, count):
    """[(number, kind of difference, what differs, input)] of the inputs that differ."""
    check = compare.CHECKS[name]
    inputs = [check.make(random.Random(f"{seed} {name} {n}")) for n in range(first, first + count)]
    lines = "".join(json.dumps({"task": check.task, **given}) + "\n" for given in inputs)
    run = subprocess.run([driver], input=lines, capture_output=True, text=True, check=False)
    answers = run.stdout.splitlines()
    if run.returncode or len(answers) != count:
        at = first + len(answers)
        return [(at, "crash", run.stderr.strip()[-500:] or f"exit {run.returncode}", inputs[min(len(answers), count - 1)])]
    found = []
    for n, (given, answer) in enumerate(zip(inputs, answers)):
        difference = check.compare(given, json.loads(answer))
        if difference:
            found.append((first + n, *difference, given))
    return found


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("driver")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default=",".join(compare.CHECKS))
    parser.add_argument("--show", type=int, default=2)
    given = parser.parse_args()
    failed = 0
    with concurrent.futures.ProcessPoolExecutor(given.jobs) as pool:
        for name in given.only.split(","):
            chunks = [pool.submit(run_chunk, given.driver, name, given.seed, first, min(CHUNK, given.count - first))
                      for first in range(0, given.count, CHUNK)]
            found = [row for chunk in chunks for row in chunk.result()]
            kinds = collections.Counter(row[1] for row in found)
            known = {kind: count for kind, count in kinds.items() if kind in compare.DIFFERENCES}
            unknown = [row for row in found if row[1] not in compare.DIFFERENCES]
            failed += bool(unknown)
            print("%-12s %d of %d agree%s%s" % (
                name, given.count - len(found), given.count,
                "".join("; %d %s" % (count, kind) for kind, count in sorted(known.items())),
                "; %d DIFFER" % len(unknown) if unknown else ""), flush=True)
            for number, kind, text, case in unknown[:given.show]:
                print(f"  input {number}, {kind}: {text}\n    {json.dumps(case)}")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
